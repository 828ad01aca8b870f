// SPDX-License-Identifier: MIT OR Apache-2.0
//! De Sena et al. 2009 chapter 5: footsteps as noise under an envelope, Table 5.1 and (5.1) to (5.4). De Sena et al. 2009 chapters 3 and 7: the force under a foot, and
//! what its first milliseconds tell, beside steps that others have measured.

use super::{Csv, Outcome};
use crate::plot::{Corner, Figure, Look, Panel, Series};
use std::path::{Path, PathBuf};
use tocco::gait::curve::{WalkCurve, walk_timing};
use tocco::process::footstep::between_frames;
use tocco::process::particles::BandPass;
use tocco::rng::Rng;
use tocco::signal::follow::{FALL_S, Follower, Levels, RISE_S};
use tocco::{Engine, Queue, Scene, SceneDef};

/// Table 5.1: material, then bandwidth, centre and gain of its filters.
const TABLE: [(&str, &[[f64; 3]]); 6] = [
    ("snow", &[[50.0, 400.0, 1.0], [700.0, 660.0, 0.4]]),
    ("dry leaves", &[[50.0, 100.0, 1.0], [500.0, 850.0, 0.5], [5000.0, 6000.0, 0.33]]),
    ("metal (heel)", &[[17.0, 220.0, 1.0], [500.0, 220.0, 1.0]]),
    ("metal (toe)", &[[12.0, 250.0, 1.0], [20.0, 250.0, 1.0], [200.0, 400.0, 0.24], [500.0, 400.0, 0.24]]),
    ("wood (heel)", &[[250.0, 250.0, 1.0], [250.0, 250.0, 1.0], [180.0, 660.0, 0.01], [550.0, 660.0, 0.01]]),
    ("wood (toe)", &[[55.0, 130.0, 1.0], [250.0, 130.0, 1.0], [200.0, 610.0, 0.16], [500.0, 610.0, 0.16]]),
];

fn scene(bands: &[[f64; 3]]) -> String {
    let bands: Vec<String> = bands
        .iter()
        .map(|[width, freq, gain]| format!("{{ freq_hz = {freq:?}, bandwidth_hz = {width:?}, gain = {gain:?} }}"))
        .collect();
    format!(
        "[signal.press]\ntype = \"points\"\npoints = [[0.0, 1.0]]\n[process.step]\ntype = \"footstep\"\ndriven_by = \"press\"\nby = \"envelope\"\n\
         bands = [{}]\n[[tap]]\nof = \"step\"\nquantity = \"sound\"\n",
        bands.join(", ")
    )
}

/// Seconds of sound of a scene.
fn render(text: &str, rate_hz: f64, seconds: f64) -> Result<Vec<f64>, String> {
    let scene = SceneDef::from_text(text).and_then(|def| Scene::build(&def, rate_hz));
    let mut engine = Engine::new(scene.map_err(|cause| cause.to_string())?);
    let mut sound = Vec::new();
    for _ in 0..(10.0 * seconds) as usize {
        let mut out = vec![0.0_f32; (rate_hz / 10.0) as usize];
        engine.render(&[], &mut Queue::new(), &mut out);
        sound.extend(out.into_iter().map(f64::from));
    }
    Ok(sound)
}

/// Frequencies at which a filter's answer is 3 dB down, and the largest answer, from its impulse response.
fn width(freq_hz: f64, bandwidth_hz: f64, rate_hz: f64) -> (f64, f64, f64) {
    let mut filter = BandPass::default();
    filter.tune(freq_hz, bandwidth_hz, rate_hz);
    let response: Vec<f64> = (0..60_000).map(|n| filter.step(if n == 0 { 1.0 } else { 0.0 })).collect();
    let answer = |hz: f64| {
        let w = std::f64::consts::TAU * hz / rate_hz;
        let (mut re, mut im) = (0.0, 0.0);
        for (n, x) in response.iter().enumerate() {
            re += x * (w * n as f64).cos();
            im += x * (w * n as f64).sin();
        }
        re.hypot(im)
    };
    let half = |mut from: f64, mut to: f64| {
        for _ in 0..40 {
            let middle = 0.5 * (from + to);
            if answer(middle) > 0.5_f64.sqrt() { from = middle } else { to = middle }
        }
        from
    };
    (half(freq_hz, 1.0), half(freq_hz, 0.49 * rate_hz), answer(freq_hz))
}

/// Table 5.1 as Hz.
pub fn table_5_1() -> Result<Outcome, String> {
    let rate_hz = 44_100.0;
    let mut outcome = Outcome { scene: scene(TABLE[0].1), ..Outcome::default() };
    let mut csv =
        Csv::new(&["material", "freq_hz", "bandwidth_hz", "gain", "measured_low_hz", "measured_high_hz", "peak"]);
    let mut panel = Panel::new("noise of each floor", "frequency, log10 Hz", "density, dB");
    panel.legend = Corner::TopRight;
    let mut by_quality: f64 = 0.0;
    for (k, (material, bands)) in TABLE.iter().enumerate() {
        for [bandwidth_hz, freq_hz, gain] in *bands {
            let (low, high, peak) = width(*freq_hz, *bandwidth_hz, rate_hz);
            csv.row(&[material], &[*freq_hz, *bandwidth_hz, *gain, low, high, peak]);
            if *gain >= 0.2 {
                outcome.within_percent(
                    format!("{material}: band {freq_hz} Hz, width in Hz"),
                    *bandwidth_hz,
                    high - low,
                    1.0,
                );
                outcome.near(format!("{material}: band {freq_hz} Hz, largest answer"), 1.0, peak, 1e-3, 4);
            }
            by_quality = by_quality.max(1e3 * 6.908 * bandwidth_hz / (std::f64::consts::PI * freq_hz));
        }
        let sound = render(&scene(bands), rate_hz, 40.0)?;
        let power = sound.iter().map(|x| x * x).sum::<f64>() / sound.len() as f64;
        let wanted: f64 = bands
            .iter()
            .map(|[bandwidth_hz, freq_hz, gain]| {
                let mut filter = BandPass::default();
                filter.tune(*freq_hz, *bandwidth_hz, rate_hz);
                gain * gain * filter.variance_gain()
            })
            .sum();
        // A band of 12 Hz has 500 independent values in 40 s: its variance is known to 6 %.
        outcome.within_percent(
            format!("{material}: power of the engine's noise, sum of its bands"),
            wanted,
            power,
            20.0,
        );
        let spectrum = crate::analyse::footsteps::bands::thirds(&sound, rate_hz);
        let centres = crate::analyse::footsteps::bands::centres(rate_hz);
        let line =
            centres.iter().zip(&spectrum).map(|(hz, p)| (hz.log10(), 10.0 * (p / hz).max(1e-12).log10())).collect();
        panel = panel.with(Series::new(*material, k, Look::Line, line));
    }
    outcome.holds(
        "read as Q, filters would ring to -60 dB for up to",
        "(steps last 160 to 660 ms)",
        format!("{by_quality:.0} ms"),
        by_quality > 700.0,
    );
    outcome.notes.push("The column is headed Bandwidth (Q); as Hz, with unit gain in the middle, the floors land among recordings of their kind.".into());
    outcome.figure = Figure { title: "De Sena 2009 Table 5.1 as Hz".into(), panels: vec![panel] };
    outcome.csv = csv;
    Ok(outcome)
}

/// (5.1) to (5.4).
pub fn envelopes() -> Result<Outcome, String> {
    let mut outcome = Outcome { scene: scene(TABLE[0].1), ..Outcome::default() };
    for (what, printed, tau) in [("b_up", 0.85_f64, RISE_S), ("b_down", 0.9975, FALL_S)] {
        outcome.near(format!("(5.1) {what} at 44.1 kHz"), printed, (-1.0 / (44_100.0 * tau)).exp(), 1e-4, 5);
    }
    let mut follower = Follower::new(RISE_S, FALL_S, Levels { floor: 0.0, most: 1.0 }, 44_100.0);
    (0..2000).for_each(|_| follower.hear(1.0));
    let risen = follower.envelope();
    (0..44_100).for_each(|_| follower.hear(0.0));
    outcome.near("(5.1) mended: a steady sound of 1 is followed to", 1.0, risen, 1e-9, 6);
    outcome.near("(5.1) mended: after a second of silence", 0.0, follower.envelope(), 1e-12, 6);
    let printed = (0..44_100).fold(0.0_f64, |e, _| 1.0 - 0.9975 * 0.0 + 0.9975 * e);
    outcome.holds(
        "(5.1) as printed: silence ends at",
        "(1 - b|x| + b e: does not decay)",
        format!("{printed:.0}"),
        printed > 100.0,
    );
    // (5.3) and (5.4): a prototype that no line fits.
    let frames: Vec<f64> = (0..=600)
        .map(|k| {
            let t = f64::from(k) / 120.0;
            (-t).exp() * t.min(0.2) * (1.0 + 0.2 * (9.0 * t).sin())
        })
        .collect();
    let mut csv = Csv::new(&["t_d", "energy_over_that_at_1"]);
    let energy = |t_d: f64| -> f64 {
        (0..400_000).map(|n| (t_d.sqrt() * between_frames(&frames, f64::from(n) * 0.004 * t_d)).powi(2)).sum()
    };
    let (one, mut line) = (energy(1.0), Vec::new());
    for t_d in [0.5, 0.8, 1.1, 1.5, 2.0, 3.0, 5.0] {
        let ratio = energy(t_d) / one;
        csv.row(&[], &[t_d, ratio]);
        line.push((t_d, 1e6 * (ratio - 1.0)));
        outcome.near(format!("(5.4) energy with W = sqrt(T_D), T_D = {t_d}"), 1.0, ratio, 1e-4, 6);
    }
    // (5.2): alpha by the sample changes the level and nothing else; a slow one makes steps differ.
    let spread = |slow: bool| -> f64 {
        let mut rng = Rng::new(5, "alpha");
        let keep = if slow { (-std::f64::consts::TAU * 25.0 / 44_100.0).exp() } else { 0.0 };
        let loud: Vec<f64> = (0..200)
            .map(|_| {
                let mut alpha = rng.normal();
                (0..8820)
                    .map(|n| {
                        alpha = keep * alpha + (1.0_f64 - keep * keep).sqrt() * rng.normal();
                        let mean = between_frames(&frames, f64::from(n) * 0.068);
                        (mean * (1.0 + 0.3 * alpha)).max(0.0).powi(2)
                    })
                    .sum::<f64>()
            })
            .collect();
        let mean = loud.iter().sum::<f64>() / 200.0;
        10.0 * (1.0 + (loud.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 200.0).sqrt() / mean).log10()
    };
    let (white, slow) = (spread(false), spread(true));
    outcome.holds(
        "(5.2) energies of steps differ by, alpha drawn by the sample",
        "(as printed)",
        format!("{white:.2} dB"),
        white < 0.15,
    );
    outcome.holds(
        "(5.2) the same, alpha slow (25 Hz)",
        "a random trajectory",
        format!("{slow:.2} dB"),
        slow > 3.0 * white,
    );
    outcome.notes.push(
        "With equal energies (5.4) a hard step is no louder; a factor (F/F_ref)^g stands beside it in the engine."
            .into(),
    );
    outcome.figure =
        Figure {
            title: "De Sena 2009 (5.4): the energy of a shortened step".into(),
            panels: vec![
                Panel::new("W = sqrt(T_D)", "T_D", "energy over that at T_D = 1, minus 1, millionths")
                    .with(Series::new("", 2, Look::DottedLine, line)),
            ],
        };
    outcome.csv = csv;
    Ok(outcome)
}

/// Where measured steps lie, if they are here: the folder `spm1d/data/datafiles` of the package spm1d (GPL; not part of this program).
pub const DATA_VARIABLE: &str = "TOCCO_GRF_DATA";

/// Steps of ten people: speed, m/s, and 101 forces over the stance, BW.
struct Measured {
    person: usize,
    speed_m_s: f64,
    force: Vec<f64>,
}

/// An array of numbers as NumPy writes it: rows and columns.
fn npy(path: &Path) -> Result<Vec<Vec<f64>>, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let wrong = || format!("{}: not an array of numbers as NumPy writes it", path.display());
    if bytes.len() < 10 || &bytes[..6] != b"\x93NUMPY" {
        return Err(wrong());
    }
    let head = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let text = String::from_utf8_lossy(bytes.get(10..10 + head).ok_or_else(wrong)?).into_owned();
    let shape =
        text.split_once("'shape': (").and_then(|(_, rest)| rest.split_once(')')).ok_or_else(wrong)?.0.to_owned();
    let shape: Vec<usize> = shape.split(',').filter_map(|x| x.trim().parse().ok()).collect();
    let [rows, columns] = shape[..] else { return Err(wrong()) };
    let data: Vec<f64> =
        bytes[10 + head..].chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap_or([0; 8]))).collect();
    if !text.contains("<f8") || data.len() != rows * columns {
        return Err(wrong());
    }
    let by_columns = text.contains("'fortran_order': True");
    let at = |r: usize, c: usize| if by_columns { data[c * rows + r] } else { data[r * columns + c] };
    Ok((0..rows).map(|r| (0..columns).map(|c| at(r, c)).collect()).collect())
}

fn measured() -> Result<Option<Vec<Measured>>, String> {
    let Some(folder) = std::env::var_os(DATA_VARIABLE).map(PathBuf::from) else { return Ok(None) };
    let speeds = npy(&folder.join("ex_grf_speeds.npy"))?;
    let mut all = Vec::new();
    for person in 0..10 {
        let steps = npy(&folder.join(format!("ex_grf_subj{person:03}.npy")))?;
        // Its unit is not said: on average two feet carry the weight, mean F = 1/(2 duty).
        let wanted: f64 = speeds.iter().take(steps.len()).map(|row| 0.5 / walk_timing(row[person]).1).sum();
        let had: f64 = steps.iter().map(|step| step.iter().sum::<f64>() / step.len() as f64).sum();
        for (step, row) in steps.iter().zip(&speeds) {
            let force = step.iter().map(|x| x * wanted / had).collect();
            all.push(Measured { person, speed_m_s: row[person], force });
        }
    }
    all.sort_by(|a, b| a.speed_m_s.total_cmp(&b.speed_m_s));
    Ok(Some(all))
}

const ABSENT: &str = "measured steps are not here: set TOCCO_GRF_DATA to spm1d/data/datafiles of the Python package spm1d to compare with 600 of them";

/// The force under a walking foot.
pub fn force() -> Result<Outcome, String> {
    let mut outcome = Outcome { beside: Some("measured"), ..Outcome::default() };
    let mut csv = Csv::new(&["class_speed_m_s", "s", "measured_bw", "ours_bw"]);
    let mut panel = Panel::new("means of six classes of speed", "part of the stance", "force, body weights");
    for speed in [0.8, 1.1, 1.4, 1.7, 1.9] {
        let curve = WalkCurve::at_speed(speed);
        let mean = (0..1000).map(|k| curve.force((f64::from(k) + 0.5) / 1000.0)).sum::<f64>() / 1000.0;
        let carried = 2.0 * walk_timing(speed).1 * mean;
        // 0.99 to 1.04: curves and timing are fitted apart, and nothing holds their product to 1.
        outcome.near(format!("both feet carry, body weights, at {speed} m/s"), 1.015, carried, 0.0251, 3);
    }
    match measured()? {
        None => {
            outcome.notes.push(ABSENT.into());
            for (k, speed) in [0.9, 1.3, 1.8].into_iter().enumerate() {
                let curve = WalkCurve::at_speed(speed);
                let line: Vec<(f64, f64)> =
                    (0..=200).map(|n| (f64::from(n) / 200.0, curve.force(f64::from(n) / 200.0))).collect();
                line.iter().for_each(|(s, force)| csv.row(&[], &[speed, *s, f64::NAN, *force]));
                panel = panel.with(Series::new(format!("{speed} m/s"), k, Look::Line, line));
            }
        }
        Some(all) => {
            let mut squares = Vec::new();
            for class in 0..6 {
                let steps = &all[class * all.len() / 6..(class + 1) * all.len() / 6];
                let count = steps.len() as f64;
                let speed = steps.iter().map(|s| s.speed_m_s).sum::<f64>() / count;
                let (mut theirs, mut ours, mut sum) = (Vec::new(), Vec::new(), 0.0);
                for k in 0..=100 {
                    let s = k as f64 / 100.0;
                    let mean = steps.iter().map(|step| step.force[k]).sum::<f64>() / count;
                    let model =
                        steps.iter().map(|step| WalkCurve::at_speed(step.speed_m_s).force(s)).sum::<f64>() / count;
                    csv.row(&[], &[speed, s, mean, model]);
                    theirs.push((s, mean));
                    ours.push((s, model));
                    sum += (mean - model).powi(2) / 101.0;
                }
                squares.push(sum);
                outcome.near(format!("rms, class of {speed:.2} m/s, {count} steps, BW"), 0.0, sum.sqrt(), 0.075, 3);
                if class % 2 == 0 {
                    panel = panel
                        .with(Series::new(format!("measured, {speed:.2} m/s"), class / 2, Look::Rings, theirs))
                        .with(Series::new("ours", class / 2, Look::Line, ours));
                }
            }
            let rms = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt();
            outcome.near("rms over all classes, BW", 0.0, rms, 0.055, 4);
            outcome.notes.push(
                "Pataky et al. 2008, barefoot, 600 steps of ten people, as the Python package spm1d has them.".into(),
            );
        }
    }
    outcome.figure = Figure { title: "The force under a walking foot".into(), panels: vec![panel] };
    outcome.csv = csv;
    Ok(outcome)
}

/// What the first milliseconds of a step tell of its force.
pub fn attack() -> Result<Outcome, String> {
    let mut outcome = Outcome { beside: Some("reference"), ..Outcome::default() };
    let mut csv = Csv::new(&[
        "window_s",
        "r2_unseen_or_speed",
        "rms_unseen_or_early_bw",
        "r2_own_or_first_bw",
        "rms_own_or_guess_bw",
    ]);
    let mut panel =
        Panel::new("first peak by the force at 10 ms", "force at 10 ms, body weights", "first peak, body weights");
    // The walker's own curves: no people, so only what its speeds tell.
    // From where on its curve is the fit alone: what is slower is scaled to carry the weight.
    let speeds: Vec<f64> = (0..=39).map(|k| 0.83 + 0.03 * f64::from(k)).collect();
    let of_speed = |speed: &f64| {
        let (hz, duty) = walk_timing(*speed);
        let (curve, stance_s) = (WalkCurve::at_speed(*speed), 2.0 * duty / hz);
        let first = (0..=90).map(|n| curve.force(f64::from(n) / 200.0)).fold(0.0, f64::max);
        (curve.force(0.01 / stance_s), first)
    };
    let own: Vec<(f64, f64)> = speeds.iter().map(of_speed).collect();
    let rising = own.windows(2).all(|pair| pair[1].0 > pair[0].0 && pair[1].1 > pair[0].1);
    outcome.holds(
        "the steeper the walker's attack, the larger its force",
        "5.2: so",
        if rising { "so, at all speeds" } else { "not so" },
        rising,
    );
    match measured()? {
        None => {
            let guesses: Vec<(f64, f64)> = own.iter().map(|(early, _)| (*early, 1.0 + 0.394 * early)).collect();
            for ((early, first), speed) in own.iter().zip(speeds) {
                csv.row(&[], &[0.01, speed, *early, *first, 1.0 + 0.394 * early]);
            }
            panel = panel.with(Series::new("the walker, by speed", 2, Look::Dots, own)).with(Series::new(
                "1.000 + 0.394 F",
                1,
                Look::Line,
                guesses,
            ));
            outcome.qualitative = Some("no measured steps to compare with here".into());
            outcome.notes.push(ABSENT.into());
        }
        Some(all) => {
            // a and b of all but one person, tried on that one; and on its own after 20 of its steps.
            let stance_s = |v: f64| {
                let (hz, duty) = walk_timing(v);
                2.0 * duty / hz
            };
            let early = |step: &Measured, window_s: f64| {
                between_frames(&step.force, 100.0 * window_s / stance_s(step.speed_m_s))
            };
            // Past the knock of the heel, which ends at 0.08 of the stance.
            let first = |step: &Measured| step.force[8..45].iter().copied().fold(0.0, f64::max);
            let mean = all.iter().map(first).sum::<f64>() / all.len() as f64;
            let spread = all.iter().map(|s| (first(s) - mean).powi(2)).sum::<f64>() / all.len() as f64;
            outcome.near("deviation of the first peak, BW", 0.198, spread.sqrt(), 0.02, 3);
            let line = |steps: &[&Measured], window_s: f64| -> [f64; 2] {
                let n = steps.len() as f64;
                let (mx, my) = (
                    steps.iter().map(|s| early(s, window_s)).sum::<f64>() / n,
                    steps.iter().map(|s| first(s)).sum::<f64>() / n,
                );
                let xy: f64 = steps.iter().map(|s| (early(s, window_s) - mx) * (first(s) - my)).sum();
                let xx: f64 = steps.iter().map(|s| (early(s, window_s) - mx).powi(2)).sum();
                [my - xy / xx * mx, xy / xx]
            };
            for (window_s, r2_unseen, rms_unseen, rms_own) in [
                (0.0035, 0.46, 0.146, 0.130),
                (0.006, 0.55, 0.133, 0.108),
                (0.010, 0.60, 0.125, 0.062),
                (0.020, 0.63, 0.120, 0.059),
            ] {
                let (mut unseen, mut own, mut count) = (0.0, 0.0, 0.0);
                for person in 0..10 {
                    let others: Vec<&Measured> = all.iter().filter(|s| s.person != person).collect();
                    let mine: Vec<&Measured> = all.iter().filter(|s| s.person == person).collect();
                    // Sorted by speed: every third is 20 of 60.
                    let (seen, rest): (Vec<_>, Vec<_>) = mine.iter().enumerate().partition(|(n, _)| n % 3 == 0);
                    let seen: Vec<&Measured> = seen.into_iter().map(|(_, s)| *s).collect();
                    let (all_line, own_line) = (line(&others, window_s), line(&seen, window_s));
                    for (_, step) in rest {
                        let x = early(step, window_s);
                        unseen += (all_line[0] + all_line[1] * x - first(step)).powi(2);
                        own += (own_line[0] + own_line[1] * x - first(step)).powi(2);
                        count += 1.0;
                    }
                }
                let (unseen, own): (f64, f64) = ((unseen / count).sqrt(), (own / count).sqrt());
                let r2 = |rms: f64| 1.0 - rms * rms / spread;
                csv.row(&[], &[window_s, r2(unseen), unseen, r2(own), own]);
                let ms = 1e3 * window_s;
                outcome.near(
                    format!("{ms} ms, a person not seen before: variance told"),
                    r2_unseen,
                    r2(unseen),
                    0.1,
                    2,
                );
                outcome.near(format!("{ms} ms, a person not seen before: rms, BW"), rms_unseen, unseen, 0.02, 3);
                outcome.near(format!("{ms} ms, after 20 steps of its own: rms, BW"), rms_own, own, 0.03, 3);
            }
            csv.row(&["first peak, deviation"], &[spread.sqrt()]);
            for (k, person) in [0, 3, 7].into_iter().enumerate() {
                let dots = all.iter().filter(|s| s.person == person).map(|s| (early(s, 0.01), first(s))).collect();
                panel = panel.with(Series::new(format!("person {}", person + 1), k, Look::Dots, dots));
            }
        }
    }
    outcome.figure = Figure { title: "What the attack tells of a step".into(), panels: vec![panel] };
    outcome.csv = csv;
    Ok(outcome)
}
