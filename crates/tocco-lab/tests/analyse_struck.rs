// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco analyse` on strikes by real hammers: the engine's own, soft and hard, some of which chatter. What the hammer does
//! while it touches is not modal and must not become modes.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use nalgebra::{DMatrix, DVector};
use std::f64::consts::TAU;
use std::fmt::Write as _;
use tocco::resonator::shape::{MaterialDef, Place, PlaceOn, ShapeDef, evaluate};
use tocco::rng::Rng;
use tocco::{Engine, Queue, Scene, SceneDef};
use tocco_lab::analyse::read::Recording;
use tocco_lab::analyse::{Analysis, Options, analyse};

const RATE_HZ: f64 = 48_000.0;

/// Hz, s, and the mode's shape where it is struck and where it is heard.
type Given = (f64, f64, f64, f64);

/// Decay rate, 1/s, and damped frequency, rad/s.
type Pole = (f64, f64);

struct Struck {
    name: String,
    poles: Vec<Pole>,
    /// Amplitude of each mode where the hammer has left for good.
    amplitudes: Vec<f64>,
    /// That sample.
    off: usize,
    onset: usize,
    sound: Vec<f64>,
}

/// An object struck by a mass: channel 0 is heard, channel 1 is the force, which tells when the hammer left.
fn struck(name: &str, modes: &[Given], hammer: (f64, f64, f64), length_s: f64) -> Struck {
    let (mass_kg, stiffness, speed_m_s) = hammer;
    let mut text =
        format!("version = 1\nduration_s = {length_s}\n[body.hammer]\ntype = \"mass\"\nmass_kg = {mass_kg}\n");
    let list = |f: &dyn Fn(&Given) -> String| modes.iter().map(f).collect::<Vec<_>>().join(", ");
    let rows = list(&|m| format!("{{ freq_hz = {}, decay_s = {}, mass_kg = 0.05 }}", m.0, m.1));
    write!(text, "[body.bar]\ntype = \"modal\"\nmodes = [{rows}]\n").unwrap();
    write!(text, "[body.bar.port]\ntip = [{}]\near = [{}]\n", list(&|m| m.2.to_string()), list(&|m| m.3.to_string()))
        .unwrap();
    write!(
        text,
        "[contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"bar.tip\"]\nstiffness = {stiffness:e}\n\
         dissipation_s_m = 0.1\n[[event]]\nat_s = 0.05\nstrike = \"hammer\"\nvelocity_m_s = {speed_m_s}\n\
         [[tap]]\nof = \"bar.ear\"\nquantity = \"velocity\"\ngain = 0.2\n\
         [[tap]]\nof = \"hit\"\nquantity = \"force\"\ngain = 1.0\nchannel = 1\n"
    )
    .unwrap();
    let poles = modes.iter().map(|m| pole(m.0, m.1)).collect();
    rendered(name, &text, poles, length_s)
}

fn pole(freq_hz: f64, decay_s: f64) -> Pole {
    let (sigma, omega) = (1.0 / decay_s, TAU * freq_hz);
    (sigma, (omega * omega - sigma * sigma).sqrt())
}

/// What a scene sounds like whose channel 1 is the force of the blow.
fn rendered(name: &str, text: &str, poles: Vec<Pole>, length_s: f64) -> Struck {
    let def = SceneDef::from_text(text).unwrap();
    let mut engine = Engine::new(Scene::build(&def, RATE_HZ).unwrap());
    let mut out = vec![0.0_f32; 2 * (length_s * RATE_HZ) as usize];
    engine.render(&[], &mut Queue::new(), &mut out);
    let sound: Vec<f64> = out.chunks_exact(2).map(|f| f64::from(f[0])).collect();
    let touched = |f: &[f32]| f[1] != 0.0;
    let onset = out.chunks_exact(2).position(touched).unwrap();
    let off = out.chunks_exact(2).rposition(touched).unwrap() + 2;
    let amplitudes = amplitudes(&sound[off..], &poles);
    Struck { name: name.into(), poles, amplitudes, off, onset, sound }
}

/// Amplitudes of known poles by plain least squares.
fn amplitudes(sound: &[f64], poles: &[Pole]) -> Vec<f64> {
    let count = sound.len().min(12_000);
    let basis = DMatrix::from_fn(count, 2 * poles.len(), |n, column| {
        let ((sigma, omega), t) = (poles[column / 2], n as f64 / RATE_HZ);
        let turn = omega * t;
        (-sigma * t).exp() * if column % 2 == 0 { turn.cos() } else { turn.sin() }
    });
    let given = DVector::from_column_slice(&sound[..count]);
    let normal = basis.transpose() * &basis;
    let solved = normal.cholesky().unwrap().solve(&(basis.transpose() * given));
    (0..poles.len()).map(|k| solved[2 * k].hypot(solved[2 * k + 1])).collect()
}

/// Noise so far below the first tenth of a second, and its standard deviation.
fn noisy(struck: &Struck, snr_db: f64) -> (Recording, f64) {
    let first = &struck.sound[struck.onset..struck.onset + 4800];
    let noise = (first.iter().map(|x| x * x).sum::<f64>() / 4800.0).sqrt() * 10_f64.powf(-snr_db / 20.0);
    let mut rng = Rng::new(7, &struck.name);
    let samples = struck.sound.iter().map(|x| x + noise * rng.normal()).collect();
    (Recording { name: struck.name.clone(), rate_hz: RATE_HZ, samples, lossy: false }, noise)
}

/// Cramer-Rao bound on a mode's decay rate, relative, the phase and amplitude unknown as well; the mode alone.
fn bound(pole: Pole, amplitude: f64, noise: f64) -> f64 {
    let mut fisher = nalgebra::Matrix4::<f64>::zeros();
    for n in 0..(RATE_HZ as usize) {
        let t = n as f64 / RATE_HZ;
        let (fall, turn) = (amplitude * (-pole.0 * t).exp(), pole.1 * t);
        let slope = [-t * fall * turn.cos() * pole.0, -t * fall * turn.sin(), fall * turn.cos(), fall * turn.sin()];
        for a in 0..4 {
            for b in 0..4 {
                fisher[(a, b)] += slope[a] * slope[b] / (noise * noise);
            }
        }
    }
    fisher.try_inverse().map_or(f64::INFINITY, |inverse| inverse[(0, 0)].sqrt())
}

/// Objects, and hammers from felt (contact of some ms) to steel (of a tenth of one, or chattering).
fn all() -> Vec<Struck> {
    // mass, kg; stiffness, N/m^1.5; speed, m/s
    let hammers = [
        ("soft", (0.02, 4.0e5, 1.0)),
        ("medium", (0.008, 2.0e7, 1.5)),
        ("hard", (0.012, 3.0e9, 2.0)),
        ("light", (0.0005, 1.0e9, 2.0)),
    ];
    let bar = [
        (587.33, 0.712, 0.907, 0.907),
        (1619.0, 0.233, 0.843, 0.843),
        (3173.88, 0.104, 0.78, 0.78),
        (5246.59, 0.0537, 0.718, 0.718),
        (7837.5, 0.0304, 0.655, 0.655),
    ];
    let wood =
        [(420.0, 0.06, 0.9, 0.7), (1150.0, 0.025, 0.8, -0.6), (2230.0, 0.013, -0.7, 0.8), (3600.0, 0.008, 0.7, 0.7)];
    let mut all = Vec::new();
    for (name, hammer) in hammers {
        all.push(struck(&format!("bar, {name}"), &bar, hammer, 0.7));
        all.push(struck(&format!("wood, {name}"), &wood, hammer, 0.4));
    }
    for seed in 1..=4 {
        let mut rng = Rng::new(seed, "struck");
        let mut modes: Vec<Given> = Vec::new();
        while modes.len() < 12 {
            let hz = rng.between_log(150.0, 12_000.0);
            let decay_s = 1.0 / (rng.between_log(1.5, 8.0) + hz / rng.between_log(100.0, 1000.0));
            if modes.iter().all(|m| (m.0 - hz).abs() > 2.0 / decay_s.min(m.1)) {
                let sign = if rng.unit() < 0.5 { -1.0 } else { 1.0 };
                modes.push((hz, decay_s, rng.between(0.3, 1.0), sign * rng.between(0.3, 1.0)));
            }
        }
        let (name, hammer) = hammers[seed as usize % 4];
        all.push(struck(&format!("object {seed}, {name}"), &modes, hammer, 1.2));
    }
    all
}

struct Judged {
    missed: Vec<String>,
    ghosts: usize,
    worst_decay: f64,
    judged: usize,
}

fn judge(struck: &Struck, analysis: &Analysis, noise: Option<f64>) -> Judged {
    let mut found: Vec<Pole> = analysis.modes.iter().map(|m| m.rates()).collect();
    let strongest = struck.amplitudes.iter().copied().fold(0.0, f64::max);
    let mut judged = Judged { missed: Vec::new(), ghosts: 0, worst_decay: 0.0, judged: 0 };
    for (pole, amplitude) in struck.poles.iter().zip(&struck.amplitudes) {
        let far = |f: &Pole| (f.1 - pole.1).abs();
        let near = (0..found.len()).min_by(|a, b| far(&found[*a]).total_cmp(&far(&found[*b])));
        let there = near.filter(|&i| far(&found[i]) < (3e-3 * pole.1).max(pole.0)).map(|i| found.swap_remove(i));
        let wanted = *amplitude > 0.01 * strongest && noise.is_none_or(|noise| bound(*pole, *amplitude, noise) <= 0.02);
        let errors = there.map(|f| ((f.1 / pole.1 - 1.0).abs(), (f.0 / pole.0 - 1.0).abs()));
        if wanted {
            judged.judged += 1;
            judged.worst_decay = judged.worst_decay.max(errors.map_or(0.0, |e| e.1));
            if !errors.is_some_and(|(hz, decay)| hz < 1e-3 && decay < 0.05) {
                judged.missed.push(format!("{pole:?} at {:.1} dB: {errors:?}", 20.0 * (amplitude / strongest).log10()));
            }
        }
    }
    judged.ghosts = found.len();
    judged
}

fn judge_all(snr_db: f64, by_bound: bool) -> (Vec<String>, usize) {
    let (mut complaints, mut count, mut worst) = (Vec::new(), 0, 0.0_f64);
    for struck in all() {
        let (recording, noise) = noisy(&struck, snr_db);
        let analysis = analyse(&[recording], &Options::default()).unwrap();
        let judged = judge(&struck, &analysis, by_bound.then_some(noise));
        println!(
            "{} at {snr_db} dB: hammer off {:.2} ms, start {:.2} ms, {} of {} modes, {} judged, {} ghosts, worst decay {:.1e}, residual {:.1} dB",
            struck.name,
            1e3 * (struck.off - struck.onset) as f64 / RATE_HZ,
            1e3 * (analysis.strikes[0].span.start as f64 - struck.onset as f64) / RATE_HZ,
            analysis.modes.len(),
            struck.poles.len(),
            judged.judged,
            judged.ghosts,
            judged.worst_decay,
            analysis.strikes[0].residual_db,
        );
        if judged.ghosts > 0 || !judged.missed.is_empty() {
            complaints.push(format!("{}: {} ghosts, missed {:?}", struck.name, judged.ghosts, judged.missed));
        }
        (count, worst) = (count + judged.judged, worst.max(judged.worst_decay));
    }
    println!("{snr_db} dB: {count} modes judged, worst decay {worst:.1e}");
    (complaints, count)
}

#[test]
fn at_60_db_a_hammer_leaves_every_mode_within_40_db_and_no_ghost() {
    let (complaints, count) = judge_all(60.0, false);
    assert!(complaints.is_empty() && count >= 60, "{count} {complaints:#?}");
}

#[test]
fn at_20_db_the_same_holds_for_modes_whose_bound_allows_it() {
    let (complaints, count) = judge_all(20.0, true);
    assert!(complaints.is_empty() && count >= 25, "{count} {complaints:#?}");
}

#[test]
fn a_free_bar_that_swings_away_gives_its_bending_modes_and_nothing_of_its_swing() {
    let bar = ShapeDef::new("bar", MaterialDef::Named("rosewood")).unwrap();
    let bar = bar.with("length_m", 0.25).with("width_m", 0.04).with("thickness_m", 0.008);
    // A mallet so light that it comes back; one that goes on behind the bar meets it again.
    for (place, hardness) in [(0.98, 0.35), (0.98, 0.6), (0.3, 0.5)] {
        let port = PlaceOn { name: "hit".into(), place: Place::At(vec![place]) };
        let solved = evaluate(&bar, &[port], 12_000.0).unwrap();
        let poles: Vec<Pole> = solved.bending().iter().map(|mode| pole(mode.freq_hz, mode.decay_s)).collect();
        let text = format!(
            "duration_s = 0.6\n[body.mallet]\ntype = \"mass\"\nmass_kg = 0.005\n[body.bar]\ntype = \"shape\"\nshape = \"bar\"\n\
             material = \"rosewood\"\nlength_m = 0.25\nwidth_m = 0.04\nthickness_m = 0.008\nmodes = {}\nport = {{ hit = {place} }}\n\
             [contact.hit]\ntype = \"impact\"\nbetween = [\"mallet\", \"bar.hit\"]\nhardness_01 = {hardness}\n\
             [[event]]\nat_s = 0.05\nstrike = \"mallet\"\nvelocity_m_s = 1.0\n\
             [[tap]]\nof = \"bar.hit\"\nquantity = \"velocity\"\ngain = 0.2\n\
             [[tap]]\nof = \"hit\"\nquantity = \"force\"\ngain = 1.0\nchannel = 1\n",
            poles.len()
        );
        let struck = rendered(&format!("rosewood at {place}, hardness {hardness}"), &text, poles, 0.6);
        let (recording, noise) = noisy(&struck, 60.0);
        let analysis = analyse(&[recording], &Options::default()).unwrap();
        let judged = judge(&struck, &analysis, Some(noise));
        let lowest = analysis.modes.iter().map(|mode| mode.rates().1 / TAU).fold(f64::INFINITY, f64::min);
        println!("{}: {} judged, {} ghosts, lowest at {lowest:.1} Hz", struck.name, judged.judged, judged.ghosts);
        assert!(judged.judged >= 2 && judged.missed.is_empty(), "{}: {:?}", struck.name, judged.missed);
        // The bar swings at 5 Hz; its first bending mode is far above.
        assert!(judged.ghosts == 0 && lowest > 0.9 * struck.poles[0].1 / TAU, "{}: {lowest} Hz", struck.name);
    }
}

#[test]
fn a_clean_file_gives_every_mode_once() {
    let (complaints, _) = judge_all(140.0, false);
    assert!(complaints.is_empty(), "{complaints:#?}");
}
