// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws the figures of signals and processes in docs/models and checks what the pages say about them.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::PathBuf;
use tocco::scene::Happening;
use tocco::{Engine, Queue, Scene, SceneDef};
use tocco_lab::plot::{Figure, Look, Panel, Series};
use tocco_testing::pictures::assert_shipped;

fn draw(name: &str, title: &str, panels: Vec<Panel>) {
    let bytes = Figure { title: title.into(), panels }.png().unwrap();
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/models");
    assert_shipped(&bytes, &docs.join(format!("{name}.png")));
}

/// What happens, what is heard, and the values of signals at every millisecond.
struct Run {
    events: Vec<Happening>,
    sound: Vec<f32>,
    signals: Vec<Vec<(f64, f64)>>,
}

fn run(text: &str, seconds: f64, signals: &[&str]) -> Run {
    let scene = SceneDef::from_text(text).and_then(|def| Scene::build(&def, 48_000.0));
    let mut engine = Engine::new(scene.unwrap_or_else(|cause| panic!("{cause}\n{text}")));
    let probes: Vec<_> = signals.iter().map(|name| engine.scene().directory().probe(name).unwrap()).collect();
    let mut run = Run { events: Vec::new(), sound: Vec::new(), signals: vec![Vec::new(); signals.len()] };
    for k in 0..(1000.0 * seconds) as u32 {
        let mut out = [0.0; 48];
        engine.render(&[], &mut Queue::new(), &mut out);
        run.sound.extend(out);
        run.events.extend(std::iter::from_fn(|| engine.take_happening()));
        for (values, probe) in run.signals.iter_mut().zip(&probes) {
            values.push((f64::from(k) * 1e-3, engine.probe(*probe)));
        }
    }
    run
}

fn line(name: &str, colour: usize, data: Vec<(f64, f64)>) -> Series {
    Series::new(name, colour, Look::Line, data)
}

fn dots(name: &str, colour: usize, data: Vec<(f64, f64)>) -> Series {
    Series::new(name, colour, Look::Dots, data)
}

/// Largest sample of every millisecond.
fn envelope(sound: &[f32]) -> Vec<(f64, f64)> {
    let peak = |part: &[f32]| part.iter().fold(0.0_f64, |most, x| most.max(f64::from(x.abs())));
    sound.chunks(48).enumerate().map(|(k, part)| (k as f64 * 1e-3, peak(part))).collect()
}

const STEP: &str = "[signal.foot]\ntype = 'points'\npoints = [[0.0, 0.0], [0.03, 0.5], [0.13, 1.15], [0.3, 0.75], [0.48, 1.2], [0.65, 0.0]]\n";

#[test]
fn signal_operators_shape_one_ramp() {
    let mut panel = Panel::new("one signal, and what operators make of it", "time, s", "value");
    let named = [
        ("as it is", ""),
        ("smooth_s = 0.05", "smooth_s = 0.05"),
        ("above = 0.8, below = 0.4", "above = 0.8\nbelow = 0.4"),
    ];
    let mut text = String::from("[body.a]\ntype = 'mass'\n[[tap]]\nof = 'a'\n") + STEP;
    for (index, (_, operator)) in named.iter().enumerate() {
        text += &format!("[signal.s{index}]\ntype = 'probe'\nof = 'foot'\n{operator}\n");
    }
    text += "[signal.tremble]\ntype = 'noise'\nrms = 0.15\nbeta = 1.0\nmean = 0.6\nfirst_hz = 1.0\nlast_hz = 30.0\n";
    let found = run(&text, 0.8, &["s0.value", "s1.value", "s2.value", "tremble.value"]);
    for (index, (name, _)) in named.iter().enumerate() {
        panel = panel.with(line(name, index, found.signals[index].clone()));
    }
    let noise = Panel::new("noise, 1/f from 1 to 30 Hz, rms 0.15", "time, s", "value");
    let gate: Vec<f64> = found.signals[2].iter().map(|(_, value)| *value).collect();
    assert!(gate[40] == 0.0 && gate[120] == 1.0 && gate[350] == 1.0 && gate[640] == 0.0, "the page's threshold");
    draw("signal", "Signals", vec![panel, noise.with(line("", 3, found.signals[3].clone()))]);
}

#[test]
fn particles_sound_where_the_load_changes_and_not_while_it_lasts() {
    let gravel = "[process.pebbles]\ntype = 'particles'\ndriven_by = 'foot'\nobjects = 64.0\nsystem_decay_s = 0.0123\n\
                  sound_decay_s = 0.00174\nunload = 0.35\nspread_db = 5.3\nrate_exponent = 0.76\n\
                  resonances = [{ freq_hz = 2385.0, bandwidth_hz = 1860.0 }]\n[[tap]]\nof = 'pebbles'\nquantity = 'sound'\n";
    let force = run(&format!("{STEP}{gravel}"), 0.8, &["foot.value"]);
    let level = run(&format!("{STEP}{}", gravel.replace("unload = 0.35", "load = 0.0\nlevel = 4.0")), 0.8, &[]);
    let early = |run: &Run| {
        let energy = |from: usize, to: usize| run.sound[from..to].iter().map(|x| f64::from(x * x)).sum::<f64>();
        energy(0, 7_200) / energy(0, 36_000)
    };
    assert!(early(&force) > 1.5 * early(&level), "{} against {}", early(&force), early(&level));
    let signal =
        Panel::new("force under a foot", "time, s", "force, body weights").with(line("", 0, force.signals[0].clone()));
    let sound = Panel::new("gravel", "time, s", "sound, Pa at 1 m")
        .with(line("by the change of force", 2, envelope(&force.sound)))
        .with(line("by the force itself", 1, envelope(&level.sound)));
    draw("particles", "Particles: what crushes is heard", vec![signal, sound]);
}

#[test]
fn crumple_energies_follow_their_power_law() {
    let text = "[signal.squeeze]\ntype = 'points'\npoints = [[0.0, 0.0], [40.0, 40.0]]\n[process.paper]\ntype = 'crumple'\n\
                driven_by = 'squeeze'\nevents = 500.0\nmodes = [{ freq_hz = 900.0, decay_s = 0.002, mass_kg = 0.001 }]\n\
                [[tap]]\nof = 'paper'\nquantity = 'sound'\n";
    let found = run(text, 40.0, &[]);
    let mut energies: Vec<f64> = found.events.iter().map(|event| event.size).collect();
    energies.sort_by(f64::total_cmp);
    let n = energies.len();
    let rank = |i: usize| (energies[i].log10(), ((n - i) as f64 / n as f64).log10());
    let law = |e: f64| {
        let q = -0.45_f64;
        let tail = (e.powf(q) - 1e-4_f64.powf(q)) / (1e-7_f64.powf(q) - 1e-4_f64.powf(q));
        (e.log10(), tail.log10())
    };
    let middle = energies[n / 2];
    assert!((law(middle).1 - 0.5_f64.log10()).abs() < 0.02, "{}", law(middle).1);
    let panel = Panel::new(format!("{n} events, alpha 1.45"), "energy, log10 J", "part of events above, log10")
        .with(dots("events", 2, (0..n).step_by(n / 200).map(rank).collect()))
        .with(line("law", 0, (0..99).map(|i| law(1e-7 * 1000.0_f64.powf(f64::from(i) / 100.0))).collect()));
    let heard = Panel::new("half a second of it", "time, s", "sound, Pa at 1 m");
    let part: Vec<(f64, f64)> = envelope(&found.sound[..24_000]);
    draw("crumple", "Crumpling: a power law of energies", vec![panel, heard.with(line("", 2, part))]);
}

#[test]
fn burst_makes_a_hard_floor_sound_like_the_modes_it_is_laid_on() {
    let modes = [172.0, 342.0, 620.0, 859.0, 1300.0, 1825.0];
    let table: Vec<String> = modes
        .iter()
        .zip([0.03, 0.025, 0.018, 0.016, 0.012, 0.01])
        .zip([8.0, 6.0, 4.0, 3.0, 2.0, 1.5])
        .map(|((f, d), m)| format!("{{ freq_hz = {f}, decay_s = {d}, mass_kg = {m} }}"))
        .collect();
    let blows: Vec<String> = (0..40).map(|k| format!("[{0}.0, 0.0], [{0}.001, 1.0], [{0}.1, 0.0]", k)).collect();
    let text = format!(
        "[body.wood]\ntype = 'modal'\nmodes = [{}]\n[signal.step]\ntype = 'points'\npoints = [{}]\n[process.soft]\ntype = 'burst'\n\
         driven_by = 'step'\non = 'wood'\nimpulse_n_s = 1.0\n[[tap]]\nof = 'wood'\nquantity = 'acceleration'\ngain = 0.01",
        table.join(", "),
        blows.join(", ")
    );
    let found = run(&text, 40.0, &[]);
    let power = |freq_hz: f64| {
        let step = std::f64::consts::TAU * freq_hz / 48_000.0;
        let blow = |part: &[f32]| {
            let (mut re, mut im) = (0.0, 0.0);
            for (n, x) in part[..9_600].iter().enumerate() {
                re += f64::from(*x) * (step * n as f64).cos();
                im += f64::from(*x) * (step * n as f64).sin();
            }
            re * re + im * im
        };
        10.0 * found.sound.chunks_exact(48_000).map(blow).sum::<f64>().log10()
    };
    let spectrum: Vec<(f64, f64)> = (0..240).map(|i| 80.0 * 1.0145_f64.powi(i)).map(|f| (f, power(f))).collect();
    for mode in modes {
        let between = [mode * 0.8, mode * 1.22].map(power);
        assert!(between.iter().all(|other| power(mode) > other + 3.0), "{mode} Hz stands out");
    }
    let panel = Panel::new("forty soft steps, averaged", "frequency, Hz", "level, dB").with(line("", 2, spectrum));
    let one = Panel::new("one of them", "time, s", "sound").with(line("", 2, envelope(&found.sound[..12_000])));
    draw("burst", "Burst: concrete made to sound like wood", vec![panel, one]);
}

#[test]
fn footsteps_of_a_harder_foot_are_shorter_and_louder() {
    let floor = "type = 'footstep'\ndriven_by = 'foot'\nspread = 0.5\nbands = [{ freq_hz = 400.0, bandwidth_hz = 50.0 }, { freq_hz = 660.0, bandwidth_hz = 700.0, gain = 0.4 }]\n\
                 envelope = [0.0, 0.7, 1.0, 0.95, 0.8, 0.7, 0.6, 0.5, 0.4, 0.35, 0.3, 0.25, 0.2, 0.15, 0.1, 0.05, 0.0]\nframe_s = 0.02";
    let mut panels = Vec::new();
    let mut loud = Vec::new();
    for (k, (what, rate)) in
        [("a soft step", 20.0), ("as recorded", 50.0), ("a hard step", 150.0)].into_iter().enumerate()
    {
        let text = format!(
            "[signal.foot]\ntype = 'points'\npoints = [[0.0, 0.0], [0.02, 0.0], [{:?}, 1.2], [0.6, 1.0], [0.65, 0.0]]\n[process.snow]\n{floor}\n[[tap]]\nof = 'snow'\nquantity = 'sound'",
            0.02 + 1.2 / rate
        );
        let found = run(&text, 0.8, &[]);
        let power: Vec<f64> =
            found.sound.chunks(480).map(|part| part.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>()).collect();
        let energy = power.iter().sum::<f64>();
        let centre = power.iter().enumerate().map(|(n, p)| n as f64 * p).sum::<f64>() / energy;
        loud.push((energy, centre));
        panels.push(Panel::new(what, "time, s", "sound, Pa at 1 m").with(line("", k, envelope(&found.sound))));
    }
    assert!(loud[0].0 < loud[1].0 && loud[1].0 < loud[2].0, "energy rises with the attack: {loud:?}");
    assert!(loud[0].1 > loud[1].1 && loud[1].1 > loud[2].1, "its middle comes earlier: {loud:?}");
    let most = panels.iter().flat_map(|p| &p.series[0].data).fold(0.0, |m: f64, (_, y)| m.max(*y));
    panels.iter_mut().for_each(|panel| panel.y_range = Some((0.0, 1.05 * most)));
    draw("footstep", "Footstep: Table 5.1's snow under three feet", panels);
}

#[test]
fn spread_meets_places_one_after_another_with_one_momentum() {
    let text = "[body.floor]\ntype = 'modal'\nmodes = [{ freq_hz = 100.0, decay_s = 0.02, mass_kg = 5.0 }]\n[body.floor.port]\nheel = [1.0]\nmiddle = [0.9]\ntoe = [0.8]\n\
                [signal.step]\ntype = 'points'\npoints = [[0.0, 0.0], [0.01, 0.0], [0.011, 1.0]]\n[process.sole]\ntype = 'spread'\ndriven_by = 'step'\n\
                on = ['floor.heel', 'floor.middle', 'floor.toe']\nmomentum_n_s = 2.0\nspread_s = 0.08\nhits = 30.0\n[[tap]]\nof = 'floor.heel'\n";
    let found = run(text, 0.3, &[]);
    let mut sum = 0.0;
    let mut steps = Vec::new();
    for event in &found.events {
        steps.push((event.at_s, sum));
        sum += event.size;
        steps.push((event.at_s, sum));
    }
    assert!((sum - 2.0).abs() < 1e-12, "{sum}");
    let hits = Panel::new("thirty meetings", "time, s", "impulse, N s").with(dots(
        "",
        2,
        found.events.iter().map(|event| (event.at_s, event.size)).collect(),
    ));
    let total = Panel::new("one momentum", "time, s", "sum of impulses, N s").with(line("", 0, steps));
    draw("spread", "Spread: one impact over a surface and over time", vec![hits, total]);
}

const GLASS: &str = "[signal.blow]\ntype = 'points'\npoints = [[0.0, 0.0], [0.1, 0.0], [0.101, 1.0], [0.3, 0.0]]\n\
    [process.glass]\ntype = 'break'\ndriven_by = 'blow'\npieces = 40\nrestitution_01 = 0.45\nring_01 = 0.5\n\
    modes = [{ freq_hz = 780.0, decay_s = 0.3, mass_kg = 0.02 }, { freq_hz = 1690.0, decay_s = 0.22, mass_kg = 0.02 }]\n\
    [[tap]]\nof = 'glass'\nquantity = 'sound'\n";

#[test]
fn breaking_gives_less_than_the_blow_and_the_fall_brought() {
    let found = run(GLASS, 2.0, &["glass.given", "glass.had"]);
    let (given, had) = (&found.signals[0], &found.signals[1]);
    assert!(given.iter().zip(had).all(|(given, had)| given.1 <= had.1));
    let events = Panel::new("events", "time, s", "energy, log10 J").with(dots(
        "",
        2,
        found.events.iter().map(|event| (event.at_s, event.size.log10())).collect(),
    ));
    let book = Panel::new("the book", "time, s", "energy, J")
        .with(line("blow and gravity", 0, had.clone()))
        .with(line("given to pieces", 2, given.clone()));
    draw("breaking", "Breaking: forty pieces crack, fall and bounce", vec![events, book]);
}

#[test]
fn scatter_followed_or_as_a_bed_has_the_same_landings() {
    let text = |few: usize| {
        format!(
            "[signal.pour]\ntype = 'points'\npoints = [[0.0, 1.0]]\n[process.gravel]\ntype = 'scatter'\ndriven_by = 'pour'\nrate_hz = 30.0\n\
             spread_db = 2.0\nvary_01 = 0.0\nrolls_hz = 0.0\nfew = {few}\nmodes = [{{ freq_hz = 2000.0, decay_s = 0.01, mass_kg = 0.01 }}]\n[[tap]]\nof = 'gravel'\nquantity = 'sound'"
        )
    };
    let mut panel = Panel::new("energies of landings", "energy, log10 J", "part of landings above");
    let mut rates = Vec::new();
    for (name, few, colour) in [("followed", 64, 2), ("bed", 0, 1)] {
        let found = run(&text(few), 30.0, &[]);
        let mut energies: Vec<f64> = found.events.iter().map(|event| event.size.log10()).collect();
        energies.sort_by(f64::total_cmp);
        let n = energies.len();
        let curve = (0..n).step_by(n / 150).map(|i| (energies[i], 1.0 - i as f64 / n as f64)).collect();
        panel = panel.with(line(name, colour, curve));
        let late = found.events.iter().filter(|event| event.at_s > 2.0).count();
        rates.push(late as f64 / 28.0);
    }
    assert!((rates[1] / rates[0] - 1.0).abs() < 0.08, "{rates:?}");
    draw("scatter", "Scatter: objects one by one, and the rest as a bed", vec![panel]);
}

#[test]
fn a_walk_loads_heel_then_toe_and_who_runs_flies() {
    use tocco::gait::curve::{RunCurve, WalkCurve, run_contact_s, walk_timing};
    let mut curves = Panel::new("one step of one foot", "time since touch-down, s", "force, body weights");
    for (index, v) in [0.9, 1.3, 1.8].into_iter().enumerate() {
        let (hz, duty) = walk_timing(v);
        let (curve, stance_s) = (WalkCurve::at_speed(v), 2.0 * duty / hz);
        let data = (0..=400).map(|k| (f64::from(k) / 400.0 * stance_s, curve.force(f64::from(k) / 400.0))).collect();
        curves = curves.with(line(&format!("walking, {v} m/s"), index, data));
    }
    let (curve, stance_s) = (RunCurve::at_speed(3.5), run_contact_s(3.5));
    let data = (0..=400).map(|k| (f64::from(k) / 400.0 * stance_s, curve.force(f64::from(k) / 400.0))).collect();
    curves = curves.with(line("running, 3.5 m/s", 3, data));
    let names = ["anna.heel_left.value", "anna.toe_left.value", "anna.heel_right.value", "anna.toe_right.value"];
    let found = run("[walk.anna]\nsteps = 5\n[body.a]\ntype = 'mass'\n[[tap]]\nof = 'a'\n", 6.0, &names);
    let mut walk = Panel::new("five steps at 1.3 m/s, from standing to standing", "time, s", "force, body weights");
    for (index, (name, data)) in
        ["left heel", "left toes", "right heel", "right toes"].into_iter().zip(&found.signals).enumerate()
    {
        walk = walk.with(line(name, index, data.clone()));
    }
    let peak_at = |region: usize, from: usize| {
        let part = &found.signals[region][from..from + 700];
        part.iter().fold((0.0, 0.0), |best, point| if point.1 > best.1 { *point } else { best }).0
    };
    assert!(
        peak_at(1, 640) - peak_at(0, 640) > 0.2,
        "the toes follow the heel: {} {}",
        peak_at(0, 640),
        peak_at(1, 640)
    );
    draw("gait", "Gait: the force under a foot", vec![curves, walk]);
}
