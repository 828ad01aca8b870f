// SPDX-License-Identifier: MIT OR Apache-2.0
//! Water: bubbles, drops and splashes, against closed forms; that nothing depends on blocks; and triggers.

use tocco::process::bubble::{BubbleLaw, Tone};
use tocco::process::flow::{Flow, FlowParams};
use tocco::process::{Process, Span};
use tocco::rng::Rng;
use tocco::scene::Happening;
use tocco::signal::Cell;
use tocco::{Engine, Gesture, Queue, Scene, SceneDef};

const POND: &str = "
[signal.still]
type = 'input'
[process.pond]
type = 'bubbles'
driven_by = 'still'
[process.drops]
type = 'patter'
driven_by = 'still'
[[tap]]
of = 'pond'
quantity = 'sound'
[[tap]]
of = 'drops'
quantity = 'sound'
";

fn build(text: &str, rate_hz: f64) -> Engine {
    let def = SceneDef::from_text(text).unwrap_or_else(|error| panic!("{error}"));
    Engine::new(Scene::build(&def, rate_hz).unwrap_or_else(|error| panic!("{error}")))
}

fn push(engine: &Engine, queue: &mut Queue, at: u64, gesture: Gesture) {
    queue.push(at, gesture.resolve(engine.scene().directory()).unwrap().command);
}

fn trigger(process: &str, values: &[f64]) -> Gesture {
    Gesture::Trigger { process: process.into(), values: values.to_vec() }
}

/// Renders in blocks; what happened and what was heard.
fn listen(engine: &mut Engine, queue: &mut Queue, seconds: f64, block: usize) -> (Vec<Happening>, Vec<f32>) {
    let (mut all, mut sound) = (Vec::new(), Vec::new());
    let channels = engine.scene().channels();
    let frames = (seconds * engine.scene().rate_hz()) as usize;
    while sound.len() < frames * channels {
        let mut out = vec![0.0; block.min(frames - sound.len() / channels) * channels];
        engine.render(&[], queue, &mut out);
        sound.extend(out);
        all.extend(std::iter::from_fn(|| engine.take_happening()));
    }
    (all, sound)
}

#[test]
fn a_triggered_bubble_sounds_by_its_closed_form_from_its_very_tick() {
    for rate_hz in [8_000.0, 44_100.0, 48_000.0, 96_000.0, 192_000.0] {
        let mut engine = build(POND, rate_hz);
        let mut queue = Queue::new();
        // In the middle of a cell; the delay puts it between two samples.
        let (at, delay_s) = (1_003, 0.000_217);
        push(&engine, &mut queue, at, trigger("pond", &[0.004, 0.3, 0.15, 0.35, delay_s]));
        let (happened, heard) = listen(&mut engine, &mut queue, 0.2 + at as f64 / rate_hz, 4096);
        let began = at as f64 / rate_hz + delay_s;
        assert_eq!(happened.len(), 1);
        assert!((happened[0].at_s - began).abs() < 1e-12 && happened[0].size == 0.3, "{happened:?}");
        let tone = Tone::bubble(BubbleLaw::VanDenDoel, 0.004, 0.3, 0.15, 0.35);
        let channels = engine.scene().channels();
        // The end comes at e^-7.
        let until = ((began + 7.0 / tone.damping) * rate_hz) as usize;
        let frames = heard.chunks(channels).map(|frame| f64::from(frame[0])).enumerate().take(until);
        for (i, x) in frames {
            let wanted = tone.at(i as f64 / rate_hz - began);
            assert!((x - wanted).abs() < 3e-8, "{rate_hz} Hz, sample {i}: {x} {wanted}");
        }
        assert_eq!(engine.health().refused, 0);
    }
}

#[test]
fn triggers_and_populations_give_the_same_bits_however_blocks_are_cut() {
    let text = POND.replace("[process.drops]", "bed = 0.7\nrise = 0.3\nburst = 1.5\nvoices = 24\n[process.drops]");
    let play = |block: usize| {
        let mut engine = build(&text, 44_100.0);
        let mut queue = Queue::new();
        push(&engine, &mut queue, 100, Gesture::Set { path: "still/value".into(), value: 1.0 });
        for k in 0..40 {
            let name = if k % 3 == 0 { "drops" } else { "pond" };
            push(&engine, &mut queue, 211 * k, trigger(name, &[0.002 + 0.0003 * k as f64]));
        }
        listen(&mut engine, &mut queue, 0.4, block)
    };
    let (events, whole) = play(17_640);
    assert!(events.len() > 300, "{}", events.len());
    for block in [1, 31, 64, 480] {
        let (_, sound) = play(block);
        assert!(whole == sound, "blocks of {block}");
    }
}

#[test]
fn a_trigger_says_no_more_than_its_process_takes_and_what_it_leaves_out_is_as_declared() {
    let engine = build(POND, 48_000.0);
    let names = engine.scene().directory();
    let refused = |gesture: Gesture| gesture.resolve::<()>(names).unwrap_err().what;
    assert_eq!(refused(trigger("pont", &[])), "no process 'pont'; did you mean 'pond'?");
    assert!(refused(trigger("pond", &[0.0; 6])).contains("6 values; a trigger of it says radius_m, amplitude_pa"));
    assert!(refused(trigger("pond", &[f64::NAN])).contains("not a number"));
    assert!(trigger("pond", &[0.0]).resolve::<()>(names).unwrap().clamped, "a radius of 0");
    assert!(!trigger("pond", &[]).resolve::<()>(names).unwrap().clamped);
    let gravel = "[signal.s]\ntype = 'input'\n[process.p]\ntype = 'particles'\ndriven_by = 's'\n\
                  resonances = [{ freq_hz = 900.0, bandwidth_hz = 100.0 }]\n[[tap]]\nof = 'p'\nquantity = 'sound'";
    let engine = build(gravel, 48_000.0);
    let what = trigger("p", &[]).resolve::<()>(engine.scene().directory()).unwrap_err().what;
    assert_eq!(what, "'p' is not triggered by itself; set the signal that it hears");
}

#[test]
fn an_event_of_a_scene_triggers_too() {
    let text = format!(
        "{POND}[[event]]\nat_s = 0.01\ntrigger = 'pond'\nvalues = [0.003, 0.2]\n[[event]]\nat_s = 0.02\ntrigger = 'drops'"
    );
    let def = SceneDef::from_text(&text).unwrap();
    assert_eq!(SceneDef::from_text(&def.to_toml()).unwrap(), def);
    let (happened, _) = listen(&mut build(&text, 48_000.0), &mut Queue::new(), 0.1, 512);
    let times: Vec<f64> = happened.iter().map(|one| one.at_s).collect();
    assert_eq!(times, [0.01, 0.02]);
}

/// Bubbles of a population that hears 1 for so many seconds: their times and radii.
fn population(params: FlowParams, seed: u64, seconds: u64) -> Vec<(f64, f64)> {
    let mut flow = Flow::new(params, BubbleLaw::VanDenDoel, 8, 0, 48_000.0, |of| Rng::new(seed, of));
    let mut all = Vec::new();
    for index in 0..1000 * seconds {
        flow.enter(Cell { index, from: 1.0, to: 1.0 });
        all.extend(flow.events().iter().map(|event| (event.at_s, event.size)));
        let (mut sound, span) = ([0.0; 32], Span { tick: 48 * index, ticks: 32, rate_hz: 48_000.0 });
        flow.render(span, &mut [], &mut sound);
        flow.render(Span { tick: span.tick + 32, ticks: 16, ..span }, &mut [], &mut sound);
    }
    all
}

#[test]
fn radii_of_a_population_follow_their_power_law_gaps_are_those_of_a_poisson_process_and_a_seed_repeats() {
    // The amplitude tells the radius: a = gain (r/2 mm), no depth, no gusts.
    let params = FlowParams {
        rate_hz: 900.0,
        smallest_m: 0.35e-3,
        largest_m: 6e-3,
        size_exponent: 2.2,
        amplitude_exponent: 1.0,
        depth_exponent: 0.0,
        gust: 0.0,
        gain: 1.0,
        ..FlowParams::default()
    };
    let all = population(params, 4, 20);
    assert_eq!(all, population(params, 4, 20), "a seed repeats");
    assert_ne!(all, population(params, 5, 20));
    let count = all.len() as f64;
    assert!((count - 18_000.0).abs() < 5.0 * 18_000f64.sqrt(), "{count}");
    // Chi-square over 20 classes of equal probability: 19 degrees of freedom, 99.9 % below 43.8.
    let [low, high] = [0.35e-3f64, 6e-3].map(|r| r.powf(-1.2));
    let mut classes = [0.0; 20];
    for (_, amplitude) in &all {
        let u = ((2e-3 * amplitude).powf(-1.2) - low) / (high - low);
        classes[((20.0 * u) as usize).min(19)] += 1.0;
    }
    let chi = |classes: &[f64]| classes.iter().map(|n| (n - count / 20.0).powi(2) / (count / 20.0)).sum::<f64>();
    assert!(chi(&classes) < 43.8, "{classes:?}");
    let mut gaps = [0.0; 20];
    for pair in all.windows(2) {
        let u = 1.0 - (-900.0 * (pair[1].0 - pair[0].0)).exp();
        gaps[((20.0 * u) as usize).min(19)] += 1.0;
    }
    assert!(chi(&gaps) < 43.8, "{gaps:?}");
}

#[test]
fn a_population_is_as_loud_as_campbells_theorem_says_and_its_bed_as_loud_as_asked() {
    let power = |params: FlowParams| {
        let mut flow = Flow::new(params, BubbleLaw::VanDenDoel, 256, 0, 48_000.0, |of| Rng::new(11, of));
        let (mut sum, mut count) = (0.0, 0.0);
        for index in 0..30_000 {
            flow.enter(Cell { index, from: 1.0, to: 1.0 });
            for (offset, ticks) in [(0, 32), (32, 16)] {
                let mut sound = [0.0; 32];
                flow.render(Span { tick: 48 * index + offset, ticks, rate_hz: 48_000.0 }, &mut [], &mut sound);
                sum += sound[..ticks].iter().map(|x| x * x).sum::<f64>();
                count += ticks as f64;
            }
        }
        assert!(params.bed > 0.0 || flow.alive() < 256);
        sum / count
    };
    let alone = FlowParams { rate_hz: 900.0, gust: 0.0, attack: 0.0, rise: 0.0, gain: 1.0, ..FlowParams::default() };
    // E[a^2/(4 d)] by a fine sum over the law of radii.
    let mean = (0..20_000)
        .map(|i| {
            let u = (f64::from(i) + 0.5) / 20_000.0;
            let r = 1.0 / (1e3 + u * (1.0 / 6e-3 - 1e3));
            Tone::bubble(BubbleLaw::VanDenDoel, r, r / 2e-3, 0.0, 0.0).energy()
        })
        .sum::<f64>()
        / 20_000.0;
    let wanted = 900.0 * mean / 5.0;
    let bubbles = power(alone);
    assert!((bubbles / wanted - 1.0).abs() < 0.06, "{bubbles} {wanted}");
    let both = power(FlowParams { bed: 1.5, ..alone });
    assert!(((both - bubbles) / (2.25 * wanted) - 1.0).abs() < 0.08, "{both} {bubbles} {wanted}");
}

#[test]
fn water_that_is_too_shallow_holds_no_bubbles() {
    let params = FlowParams { depth_m: 3e-4, ..FlowParams::default() };
    assert_eq!(population(params, 1, 1).len(), 0);
    let shallow = FlowParams { depth_m: 5e-3, depth_exponent: 0.0, gust: 0.0, gain: 1.0, ..FlowParams::default() };
    let all = population(shallow, 1, 4);
    assert!(all.len() > 1000 && all.iter().all(|(_, amplitude)| *amplitude <= 1.0 + 1e-12), "none above 2 mm");
}
