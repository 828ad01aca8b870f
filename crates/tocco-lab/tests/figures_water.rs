// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws the figures of water, ice and vessels in docs/models and checks what the pages say about them.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::PathBuf;
use tocco::process::bubble::{BubbleLaw, Tone};
use tocco::process::drip::{closes_after, surely_closes};
use tocco::process::ice::cracks::Cracks;
use tocco::resonator::material::Material;
use tocco::resonator::vessel::{Geometry, VesselForm};
use tocco::rng::Rng;
use tocco::scene::Happening;
use tocco::{Engine, Queue, Scene, SceneDef};
use tocco_lab::plot::{Figure, Look, Panel, Series};
use tocco_testing::pictures::assert_shipped;

fn draw(name: &str, title: &str, panels: Vec<Panel>) {
    let bytes = Figure { title: title.into(), panels }.png().unwrap();
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/models");
    assert_shipped(&bytes, &docs.join(format!("{name}.png")));
}

fn line(name: &str, colour: usize, data: Vec<(f64, f64)>) -> Series {
    Series::new(name, colour, Look::Line, data)
}

fn dots(name: &str, colour: usize, data: Vec<(f64, f64)>) -> Series {
    Series::new(name, colour, Look::Dots, data)
}

fn run(text: &str, seconds: f64) -> (Vec<Happening>, Vec<f32>) {
    let scene = SceneDef::from_text(text).and_then(|def| Scene::build(&def, 48_000.0));
    let mut engine = Engine::new(scene.unwrap_or_else(|cause| panic!("{cause}\n{text}")));
    let (mut events, mut sound) = (Vec::new(), Vec::new());
    for _ in 0..(1000.0 * seconds) as u32 {
        let mut out = [0.0; 48];
        engine.render(&[], &mut Queue::new(), &mut out);
        sound.extend(out);
        events.extend(std::iter::from_fn(|| engine.take_happening()));
    }
    (events, sound)
}

/// A process that hears a signal, and is heard.
fn process(signal: &str, keys: &str) -> String {
    format!("[signal.s]\n{signal}\n[process.p]\ndriven_by = 's'\n{keys}\n[[tap]]\nof = 'p'\nquantity = 'sound'\n")
}

const STEADY: &str = "type = 'points'\npoints = [[0.0, 1.0]]";
const STILL: &str = "type = 'input'";

/// Largest sample of every millisecond.
fn envelope(sound: &[f32]) -> Vec<(f64, f64)> {
    let peak = |part: &[f32]| part.iter().fold(0.0_f64, |most, x| most.max(f64::from(x.abs())));
    sound.chunks(48).enumerate().map(|(k, part)| (k as f64 * 1e-3, peak(part))).collect()
}

fn marks(events: &[Happening]) -> Vec<(f64, f64)> {
    events.iter().map(|event| (event.at_s, event.size)).collect()
}

#[test]
fn a_bubble_of_three_sizes() {
    let mut panel = Panel::new("bubbles of 2, 4 and 8 mm, xi 0.1", "time, ms", "sound, Pa at 1 m");
    for (index, radius) in [0.002, 0.004, 0.008].into_iter().enumerate() {
        let text = process(STILL, "type = 'bubbles'")
            + &format!("[[event]]\nat_s = 0.0\ntrigger = 'p'\nvalues = [{radius:?}, 0.3, 0.1]\n");
        let (_, sound) = run(&text, 0.05);
        let tone = Tone::bubble(BubbleLaw::VanDenDoel, radius, 0.3, 0.1, 0.35);
        // A voice ends at e^-7.
        for (i, x) in sound.iter().enumerate().take((48_000.0 * 7.0 / tone.damping) as usize) {
            assert!((f64::from(*x) - tone.at(i as f64 / 48_000.0)).abs() < 1e-6);
        }
        let points = sound.iter().take(1200).enumerate().map(|(i, x)| (i as f64 / 48.0, f64::from(*x))).collect();
        panel = panel.with(line(&format!("{} mm", 1e3 * radius), index, points));
    }
    let laws = [("3/r", BubbleLaw::VanDenDoel), ("3.26/r", BubbleLaw::Minnaert)];
    let mut pitch = Panel::new("pitch by size", "radius, mm", "pitch, Hz");
    for (index, (name, law)) in laws.into_iter().enumerate() {
        let points = (0..60).map(|i| 0.001 + 0.00025 * f64::from(i)).map(|r| (1e3 * r, law.freq_hz(r))).collect();
        pitch = pitch.with(line(name, index, points));
    }
    draw("bubble", "Bubbles", vec![panel, pitch]);
}

#[test]
fn a_brook_with_and_without_its_bed() {
    let keys =
        "type = 'bubbles'\nrate_hz = 350.0\nsmallest_m = 0.0012\nlargest_m = 0.007\nsize_exponent = 1.6\nrise = 0.12";
    let (events, alone) = run(&process(STEADY, keys), 1.0);
    let (_, both) = run(&process(STEADY, &format!("{keys}\nbed = 0.5")), 1.0);
    let power = |sound: &[f32]| sound.iter().map(|x| f64::from(x * x)).sum::<f64>();
    assert!(power(&both) > 1.1 * power(&alone) && power(&both) < 1.5 * power(&alone), "a bed of 0.5 adds a quarter");
    let heard = Panel::new("a brook", "time, s", "sound, Pa at 1 m")
        .with(line("with a bed of 0.5", 3, envelope(&both)))
        .with(line("bubbles alone", 2, envelope(&alone)));
    let bubbles = Panel::new("its bubbles", "time, s", "amplitude, Pa").with(dots("", 2, marks(&events)));
    draw("flow", "A population of bubbles", vec![heard, bubbles]);
}

#[test]
fn landings_of_three_sizes() {
    let freqs: Vec<f64> = (0..90).map(|i| 300.0 * 1.04_f64.powi(i)).collect();
    let mut panel = Panel::new("mean of 40 landings each", "frequency, Hz", "dB");
    let mut peaks = Vec::new();
    for (index, radius) in [0.002, 0.005, 0.015].into_iter().enumerate() {
        let mut mean = vec![0.0; freqs.len()];
        for seed in 0..40 {
            let text = format!("seed = {seed}\n")
                + &process(STILL, "type = 'patter'")
                + &format!("[[event]]\nat_s = 0.0\ntrigger = 'p'\nvalues = [{radius:?}, 0.3]\n");
            let (_, sound) = run(&text, 0.03);
            for (power, freq_hz) in mean.iter_mut().zip(&freqs) {
                let w = std::f64::consts::TAU * freq_hz / 48_000.0;
                let (re, im) = sound.iter().enumerate().fold((0.0, 0.0), |(re, im), (i, x)| {
                    (re + f64::from(*x) * (w * i as f64).cos(), im + f64::from(*x) * (w * i as f64).sin())
                });
                *power += re * re + im * im;
            }
        }
        let most = mean.iter().fold(0.0_f64, |most, x| most.max(*x));
        let at = mean.iter().position(|x| *x == most).unwrap();
        peaks.push(freqs[at]);
        let points = freqs.iter().zip(&mean).map(|(f, x)| (*f, 10.0 * (x / most).log10())).collect();
        panel = panel.with(line(&format!("radius {} mm", 1e3 * radius), index, points));
    }
    assert!(peaks[0] > peaks[1] && peaks[1] > peaks[2], "what is large sounds low: {peaks:?}");
    draw("patter", "Landings", vec![panel]);
}

#[test]
fn rain_on_water_and_on_the_ground() {
    let (drops, water) = run(&process(STEADY, "type = 'rain'\nrate_hz = 60.0"), 1.5);
    let (landings, ground) = run(&process(STEADY, "type = 'rain'\nrate_hz = 60.0\nsurface = 'ground'"), 1.5);
    assert!(drops.len() > landings.len() + 10, "bubbles besides: {} {}", drops.len(), landings.len());
    let panel = |name: &str, sound: &[f32], events: &[Happening], colour: usize| {
        Panel::new(name, "time, s", "sound, Pa at 1 m").with(line("", colour, envelope(sound))).with(dots(
            "drops and bubbles",
            5,
            marks(events),
        ))
    };
    draw("rain", "Rain", vec![panel("on water", &water, &drops, 2), panel("on the ground", &ground, &landings, 1)]);
}

#[test]
fn where_every_drop_closes_a_bubble() {
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for i in 0..40 {
        let diameter = 0.0018 + 0.0001 * f64::from(i);
        let all: Vec<f64> = (1..2000).map(|k| 5e-4 * f64::from(k)).filter(|h| surely_closes(diameter, *h)).collect();
        low.push((1e3 * diameter, all[0]));
        high.push((1e3 * diameter, all[all.len() - 1]));
    }
    let map = Panel::new("between the lines every drop closes a bubble", "diameter, mm", "height, m")
        .with(line("lowest", 0, low))
        .with(line("highest", 1, high));
    let text = process(STILL, "type = 'drip'\nrate_hz = 0.0")
        + "[[event]]\nat_s = 0.02\ntrigger = 'p'\nvalues = [0.004, 0.1, 0.1]\n";
    let (events, sound) = run(&text, 0.4);
    let bubble = events.iter().find(|event| event.size == 0.2).unwrap();
    assert!((bubble.at_s - 0.02 - closes_after(0.004)).abs() < 0.006);
    let heard = Panel::new("4 mm from 0.1 m", "time, s", "sound, Pa at 1 m")
        .with(line("", 2, envelope(&sound)))
        .with(dots("landings and bubbles", 5, marks(&events)));
    draw("drip", "Drips", vec![map, heard]);
}

#[test]
fn three_parts_of_a_splash() {
    let splash = |depth: f64| {
        let text = process(STILL, "type = 'splash'")
            + &format!("[[event]]\nat_s = 0.05\ntrigger = 'p'\nvalues = [0.05, 0.5, {depth:?}]\n");
        run(&text, 1.2)
    };
    let (deep, shallow) = (splash(1.0), splash(0.01));
    let main = deep.0.iter().find(|event| (event.at_s - 0.05 - 0.0869).abs() < 1e-3);
    assert!(main.is_some() && deep.0.len() > shallow.0.len() + 30);
    let panel = |name: &str, (events, sound): &(Vec<Happening>, Vec<f32>), colour: usize| {
        Panel::new(name, "time, s", "sound, Pa at 1 m").with(line("", colour, envelope(sound))).with(dots(
            "landings and bubbles",
            5,
            marks(events),
        ))
    };
    let panels = vec![panel("50 g from 0.5 m into 1 m of water", &deep, 2), panel("into 1 cm: no cavity", &shallow, 1)];
    draw("splash", "Splashes", panels);
}

#[test]
fn a_step_in_a_puddle() {
    let foot =
        "type = 'points'\npoints = [[0.0, 0.0], [0.1, 0.0], [0.22, 1.1], [0.4, 0.75], [0.58, 1.05], [0.72, 0.0]]";
    let (events, sound) = run(&process(foot, "type = 'puddle'"), 1.6);
    let first = events.iter().filter(|event| event.at_s < 0.35).count();
    assert!(first > 100 && events.len() > 300, "{first} {}", events.len());
    let mut per = [0.0; 80];
    events.iter().for_each(|event| per[((50.0 * event.at_s) as usize).min(79)] += 1.0);
    let counts = per.iter().enumerate().map(|(i, n)| (0.02 * i as f64, *n)).collect();
    let load = [(0.0, 0.0), (0.1, 0.0), (0.22, 1.1), (0.4, 0.75), (0.58, 1.05), (0.72, 0.0), (1.6, 0.0)];
    let panels = vec![
        Panel::new("load", "time, s", "1: a whole foot").with(line("", 0, load.to_vec())),
        Panel::new("what happens in 20 ms", "time, s", "slaps, bubbles, drops").with(line("", 3, counts)),
        Panel::new("heard", "time, s", "sound, Pa at 1 m").with(line("", 2, envelope(&sound))),
    ];
    draw("puddle", "A step in a puddle", panels);
}

#[test]
fn cracks_under_three_steps() {
    let foot =
        "type = 'points'\npoints = [[0.0, 0.0], [0.12, 1.1], [0.3, 0.78], [0.48, 1.06], [0.62, 0.0]]\nloop_s = 1.0";
    let keys = "type = 'ice'\nweight_n = 750.0\n[[drive]]\npath = 'p/x_m'\npoints = [[0.0, 0.0], [0.9, 0.0], [0.95, 0.65], [1.9, 0.65], [1.95, 1.3], [2.9, 1.3], [2.95, 0.0]]";
    let (events, _) = run(&process(foot, keys), 4.0);
    let again = events.iter().filter(|event| event.at_s > 3.0 && event.at_s < 3.7).count();
    let first = events.iter().filter(|event| event.at_s < 0.8).count();
    assert!(first > 30 && again < first / 4, "the fourth step is where the first was: {again} after {first}");
    let mut cracks = Cracks::new(0.04, Rng::new(1, "figure"));
    events.iter().for_each(|event| cracks.fracture(event.spot_m, event.size));
    let energy: f64 = events.iter().map(|event| event.size).sum();
    assert!((cracks.length_m() / (energy / (3.0 * 0.04)) - 1.0).abs() < 0.02);
    let mut map = Panel::new("crack lines", "m", "m");
    for each in cracks.lines() {
        map = map.with(line("", 0, each.points.iter().map(|at| (at[0], at[1])).collect()));
    }
    let fractures = events.iter().map(|event| (event.at_s, event.size.log10())).collect();
    let energies =
        Panel::new("fractures under four steps, the last where the first was", "time, s", "energy, J, log10");
    draw("ice", "Ice under a walker", vec![energies.with(dots("", 3, fractures)), map]);
}

#[test]
fn a_glass_that_fills() {
    let glass = Geometry {
        form: VesselForm::Cup,
        radius_m: 0.035,
        bottom_m: 0.035,
        height_m: 0.15,
        thickness_m: 0.002,
        neck_m: [0.01, 0.05],
        material: Material::named("glass").unwrap().material,
    };
    let levels: Vec<f64> = (0..=95).map(|i| 0.01 * f64::from(i)).collect();
    let of = |f: &dyn Fn(f64) -> f64| levels.iter().map(|z| (*z, f(z * glass.capacity_m3()))).collect::<Vec<_>>();
    assert!((glass.air(0.0)[0].0 - 499.42).abs() < 0.1);
    let pitch = Panel::new("pitch", "level over height", "Hz")
        .with(line("air", 2, of(&|water| glass.air(water)[0].0)))
        .with(line("wall", 0, of(&|water| glass.wall_hz(2) / glass.load(water).sqrt())));
    let quality = Panel::new("how long the air rings", "level over height", "Q").with(line(
        "",
        2,
        of(&|water| glass.air(water)[0].1),
    ));
    draw("vessel", "A glass, 15 cm high and 7 cm wide", vec![pitch, quality]);
}
