// SPDX-License-Identifier: MIT OR Apache-2.0
//! One solve for sound and touch, and files that follow the rules of their formats, which stand here once more.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use serde_json::Value;
use std::path::Path;
use tocco::scene::def::{Length, OutputDef, Quantity, TapDef, TapTo};
use tocco::{Document, Engine, Queue, Scene, SceneDef};
use tocco_lab::haptic::reduce::{Felt, Transient, at};
use tocco_lab::haptic::{self, Task, feel, record, write};
use tocco_lab::library;
use tocco_lab::plot::{Figure, Look, Panel, Series};
use tocco_lab::render::Plan;
use tocco_testing::pictures::assert_shipped;

fn plan(text: &str) -> Plan {
    let none = |file: &str| Err(format!("no {file}"));
    Plan::new(Document::read("test", "test", text.to_owned(), none).unwrap())
}

const STRIKE: &str = "duration_s = 0.4
[body.hammer]
type = 'mass'
mass_kg = 0.02
[body.bar]
type = 'modal'
modes = [{ freq_hz = 300.0, decay_s = 0.3, mass_kg = 0.1 }, { freq_hz = 830.0, decay_s = 0.2, mass_kg = 0.1 }]
[contact.hit]
type = 'impact'
between = ['hammer', 'bar']
stiffness = 1e6
[[event]]
at_s = 0.05
strike = 'hammer'
velocity_m_s = 1.0
[[event]]
at_s = 0.25
strike = 'hammer'
velocity_m_s = 0.5
[[tap]]
of = 'bar'
";

/// What is felt under another name, by which it has no band.
fn unbanded(def: &mut SceneDef) {
    def.outputs.iter_mut().filter(|output| output.name == haptic::HAPTIC).for_each(|output| {
        (output.band, output.name) = (Default::default(), "felt".into());
    });
    let taps = def.taps.iter_mut().flat_map(|tap| &mut tap.outputs);
    taps.filter(|name| *name == haptic::HAPTIC).for_each(|name| *name = "felt".into());
}

#[test]
fn the_felt_channel_is_the_contact_force_that_made_the_sound() {
    let mut feeling = feel(&plan(STRIKE), None).unwrap();
    // Without a band, sample by sample the very force.
    unbanded(&mut feeling.plan.scene.def);
    let scene = feeling.plan.build().unwrap();
    let (width, felt) = (scene.channels(), feeling.channels[0]);
    let probe = scene.directory().probe("hit.force").unwrap();
    let mut engine = Engine::new(scene);
    engine.watch(&[probe]);
    let frames = 19_200;
    let (mut sound, mut forces) = (vec![0.0; width * frames], vec![0.0; frames]);
    engine.render_probed(&[], &mut Queue::new(), &mut sound, &mut forces);
    assert!(forces.iter().any(|force| *force > 10.0));
    for (frame, force) in sound.chunks(width).zip(&forces) {
        assert_eq!(frame[felt].to_bits(), (*force as f32).to_bits());
    }
    // And the sound is that of the scene that nobody feels, bit for bit.
    let heard = SceneDef::from_text(STRIKE).and_then(|def| Scene::build(&def, 48_000.0)).unwrap();
    let mut alone = vec![0.0; frames];
    Engine::new(heard).render(&[], &mut Queue::new(), &mut alone);
    assert!(alone.iter().zip(sound.chunks(width)).all(|(one, frame)| one.to_bits() == frame[0].to_bits()));
    // The force through the band of the output is the felt channel as it is written.
    let feeling = feel(&plan(STRIKE), None).unwrap();
    let recording = record(&feeling, false).unwrap();
    let band = tocco::output::crossover::Band { highpass_hz: Some(40.0), lowpass_hz: Some(800.0) };
    let mut filter = tocco::output::crossover::Crossover::new(band, 1, 48_000.0);
    let mut off = 0.0_f64;
    for (part, got) in forces.chunks(32).zip(recording.channels[0].chunks(32)) {
        let mut lane = [0.0; 32];
        lane[..part.len()].copy_from_slice(part);
        filter.pass(0, part.len(), &mut lane);
        off = lane.iter().zip(got).fold(off, |most, (a, b)| most.max((a - f64::from(*b)).abs()));
    }
    let most = recording.channels[0].iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    assert!(off < 1e-6 * f64::from(most), "{off} N of {most}");
}

#[test]
fn in_every_shipped_scene_the_felt_force_is_that_of_its_contacts_and_processes_and_the_sound_stays_what_it_is() {
    let (mut scenes, mut felt_ones, mut parts, mut by_processes) = (0, 0, 0, 0);
    for (name, _) in library::SHIPPED {
        let plan = Plan::new(library::load(name).unwrap());
        let whole = plan.scene.def.whole().unwrap();
        let names: Vec<String> = whole.contacts.iter().map(|c| c.name.clone()).collect();
        let pushing: Vec<String> = whole
            .processes
            .iter()
            .filter(|process| process.form.pushes(!process.on.is_empty()))
            .map(|process| process.name.clone())
            .collect();
        let none = names.is_empty() && pushing.is_empty();
        if none || plan.scene.def.outputs.iter().any(|output| output.name == haptic::HAPTIC) {
            continue;
        }
        let mut feeling = feel(&plan, None).unwrap_or_else(|e| panic!("{name}: {e}"));
        unbanded(&mut feeling.plan.scene.def);
        assert_eq!(feeling.units[0], "N", "{name}");
        // The force of each process on a channel of its own.
        let own = feeling.plan.build().unwrap().channels();
        if !pushing.is_empty() {
            let channels: Vec<usize> = (own..own + pushing.len()).collect();
            let mut each = OutputDef::new("each", &channels);
            each.limiter = false;
            feeling.plan.scene.def.outputs.push(each);
            let felt = feeling.plan.scene.def.taps.iter().find(|tap| tap.quantity == Quantity::Force).unwrap().clone();
            let one = |(k, of): (usize, &String)| {
                let (of, outputs, to) = (of.clone(), vec!["each".to_owned()], TapTo::Channel(k));
                TapDef { of, outputs, to, quantity: Quantity::Force, gain: 1.0, ..felt.clone() }
            };
            feeling.plan.scene.def.taps.extend(pushing.iter().enumerate().map(one));
        }
        let scene = feeling.plan.build().unwrap();
        let (width, felt, frames) = (scene.channels(), feeling.channels[0], plan.rate_hz as usize);
        let probe = |name: &String| scene.directory().probe(&format!("{name}.force")).unwrap();
        let probes: Vec<_> = names.iter().map(probe).collect();
        let mut engine = Engine::new(scene);
        engine.watch(&probes);
        let (mut sound, mut forces) = (vec![0.0; width * frames], vec![0.0; probes.len() * frames]);
        engine.render_probed(&[], &mut Queue::new(), &mut sound, &mut forces);
        let pushed =
            sound.chunks(width).map(|frame| frame[own..own + pushing.len()].iter().map(|x| f64::from(*x)).sum());
        let pushed: Vec<f64> = pushed.collect();
        let touched = |i: usize| forces[i * probes.len()..(i + 1) * probes.len()].iter().sum::<f64>();
        let sums: Vec<f64> = pushed.iter().enumerate().map(|(i, pushed)| pushed + touched(i)).collect();
        let most = forces.iter().chain(&pushed).fold(0.0_f64, |most, x| most.max(x.abs()));
        for (i, (frame, sum)) in sound.chunks(width).zip(&sums).enumerate() {
            assert!((f64::from(frame[felt]) - sum).abs() <= 1e-6 * most, "{name}, sample {i}: {} {sum}", frame[felt]);
        }
        let alone = plan.build().unwrap();
        let channels = alone.channels();
        let mut heard = vec![0.0_f32; channels * 9_600];
        Engine::new(alone).render(&[], &mut Queue::new(), &mut heard);
        let same = |(one, both): (&[f32], &[f32])| one.iter().zip(both).all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(heard.chunks(channels).zip(sound.chunks(width)).all(same), "{name}: the sound");
        scenes += 1;
        felt_ones += usize::from(most > 0.0);
        parts += usize::from(most > 0.0 && !names.is_empty() && names.iter().all(|name| name.contains('/')));
        by_processes += usize::from(names.is_empty() && pushed.iter().any(|force| *force != 0.0));
    }
    assert!(
        scenes > 60 && felt_ones + 20 > scenes && parts >= 4 && by_processes >= 5,
        "{scenes} scenes, {felt_ones} felt, {parts} by parts, {by_processes} by processes alone"
    );
}

/// What is felt of one process, without a band, and how fast the mass that it hits goes.
fn felt_by_a_mass(process: &str) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let text = format!(
        "duration_s = 2.0\nseed = 3\n[signal.s]\ntype = 'points'\npoints = [[0.0, 0.0], [0.1, 0.0], [0.6, 1.0], [1.0, 1.0], [1.2, 0.0]]\n\
         [body.block]\ntype = 'mass'\nmass_kg = 0.3\n[process.p]\ndriven_by = 's'\non = 'block'\n{process}\n[[tap]]\nof = 'block'\n"
    );
    let mut feeling = feel(&plan(&text), None).unwrap();
    assert_eq!((feeling.words.as_str(), feeling.units[0]), ("force of p", "N"));
    unbanded(&mut feeling.plan.scene.def);
    let scene = feeling.plan.build().unwrap();
    let (width, felt) = (scene.channels(), feeling.channels[0]);
    let probe = scene.directory().probe("block.velocity").unwrap();
    let mut engine = Engine::new(scene);
    engine.watch(&[probe]);
    let (mut force, mut speed, mut sizes) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..200 {
        let (mut sound, mut speeds) = (vec![0.0; width * 480], vec![0.0; 480]);
        engine.render_probed(&[], &mut Queue::new(), &mut sound, &mut speeds);
        force.extend(sound.chunks(width).map(|frame| f64::from(frame[felt])));
        speed.extend(speeds);
        sizes.extend(std::iter::from_fn(|| engine.take_happening()).map(|one| one.size));
    }
    (force, speed, sizes)
}

#[test]
fn the_felt_force_of_a_process_is_what_moves_the_body_it_hits_and_brings_the_momentum_of_its_drops() {
    let rain = "type = 'rain'\nrate_hz = 300.0";
    // Of one that has only so much to give, it is what it really gave.
    let crumple = "type = 'crumple'\nevents = 2000.0\nenergy_j = [1e-6, 1e-4]\nbudget_01 = 1.0\nstiffness_n_m = 100.0";
    for (process, drops) in [(rain, true), (crumple, false)] {
        let (force, speed, sizes) = felt_by_a_mass(process);
        let most = speed.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        assert!(sizes.len() > 20 && most > 0.0, "{process}: {} events, {most} m/s", sizes.len());
        let mut brought = 0.0;
        for (i, (force, speed)) in force.iter().zip(&speed).enumerate() {
            brought += force / 48_000.0;
            assert!((brought - 0.3 * speed).abs() < 1e-6 * 0.3 * most, "{process}, sample {i}: {brought} {speed}");
        }
        let momentum: f64 = sizes.iter().sum();
        assert!(!drops || (brought / momentum - 1.0).abs() < 1e-6, "{brought} of {momentum} N s");
    }
}

#[test]
fn what_has_no_common_unit_has_a_channel_each_and_as_one_each_counts_alike() {
    let text = format!(
        "{STRIKE}[signal.rain]\ntype = 'points'\npoints = [[0.0, 1.0]]\n[process.drops]\ntype = 'patter'\ndriven_by = 'rain'\n"
    );
    let feeling = feel(&plan(&text), None).unwrap();
    assert_eq!((&feeling.units[..], &feeling.channels[..]), (&["N", "Pa"][..], &[1, 2][..]));
    assert_eq!(feeling.words, "force of hit, pressure of drops");
    let recording = record(&feeling, false).unwrap();
    let peaks = recording.peaks();
    assert!(peaks[0] > 1.0 && peaks[1] > 0.0 && peaks[1] < peaks[0]);
    let mixed = recording.mixed();
    for (i, x) in mixed.iter().enumerate() {
        let wanted = f64::from(recording.channels[0][i]) / peaks[0] + f64::from(recording.channels[1][i]) / peaks[1];
        assert!((x - wanted).abs() < 1e-12);
    }
    // Nothing that a contact touches is felt twice.
    let text = STRIKE.replace("[[tap]]", "[signal.rain]\ntype = 'points'\npoints = [[0.0, 1.0]]\n[process.drops]\ntype = 'rain'\ndriven_by = 'rain'\non = 'bar'\n[[tap]]");
    assert_eq!(feel(&plan(&text), None).unwrap().units, ["N"]);
}

#[test]
fn blows_are_transients_at_their_times_and_the_envelope_is_the_force() {
    let recording = record(&feel(&plan(STRIKE), None).unwrap(), false).unwrap();
    let felt = Felt::of(&recording);
    let times: Vec<f64> = felt.transients.iter().map(|blow| blow.time_s).collect();
    assert_eq!(times.len(), 2, "{times:?}");
    assert!((times[0] - 0.05).abs() < 0.001 && (times[1] - 0.25).abs() < 0.001, "{times:?}");
    // Half the speed, about half the force.
    let ratio = felt.transients[1].amplitude / felt.transients[0].amplitude;
    assert!((0.3..0.7).contains(&ratio), "{ratio}");
    let most = felt.amplitude.iter().fold(0.0_f64, |most, point| most.max(point.1));
    assert!(most == 1.0 && at(&felt.amplitude, 0.03) < 1e-6 && at(&felt.amplitude, 0.0525) > 0.5);
}

#[test]
fn the_page_shows_a_force_its_band_its_envelope_and_its_transients() {
    let mut raw = feel(&plan(STRIKE), None).unwrap();
    unbanded(&mut raw.plan.scene.def);
    let (force, banded) = (record(&raw, false).unwrap(), record(&feel(&plan(STRIKE), None).unwrap(), false).unwrap());
    let felt = Felt::of(&banded);
    let wave = |recording: &haptic::Recording| -> Vec<(f64, f64)> {
        let samples = recording.channels[0].iter().enumerate();
        samples
            .map(|(i, x)| (i as f64 / recording.rate_hz, f64::from(*x)))
            .filter(|(t, _)| (0.03..0.32).contains(t))
            .collect()
    };
    // The page: blows at 0.05 and 0.25 s; the force pushes, what is felt of it swings, the envelope has a peak at each transient.
    let (pushed, swung) = (wave(&force), wave(&banded));
    assert!(pushed.iter().all(|(_, x)| *x >= 0.0) && swung.iter().any(|(_, x)| *x < -1.0));
    assert_eq!(felt.transients.len(), 2);
    let line = |name: &str, colour: usize, data: Vec<(f64, f64)>| Series::new(name, colour, Look::Line, data);
    let shown = |points: &[(f64, f64)]| points.iter().copied().filter(|(t, _)| (0.03..0.32).contains(t)).collect();
    let blows = felt.transients.iter().map(|blow| (blow.time_s, blow.amplitude)).collect();
    let panels = vec![
        Panel::new("the contact's force", "time, s", "N").with(line("", 1, pushed)),
        Panel::new("from 40 to 800 Hz", "time, s", "N").with(line("", 2, swung)),
        Panel::new("for a phone", "time, s", "of the largest")
            .with(line("envelope", 2, shown(&felt.amplitude)))
            .with(line("pitch", 3, shown(&felt.frequency)))
            .with(Series::new("transients", 4, Look::Dots, blows)),
    ];
    let bytes = Figure { title: "A bar struck twice, for the skin".into(), panels }.png().unwrap();
    assert_shipped(&bytes, &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/haptics.png"));
}

/// Number of a key, from 0 to 1 where `share` says so.
fn number(of: &Value, key: &str, share: bool) -> f64 {
    let x = of[key].as_f64().unwrap_or_else(|| panic!("{key} in {of}"));
    assert!(!share || (0.0..=1.0).contains(&x), "{key} {x}");
    x
}

/// The rules of AHAP.
fn check_ahap(text: &str, seconds: f64) -> (usize, usize, usize) {
    let whole: Value = serde_json::from_str(text).unwrap();
    assert_eq!(number(&whole, "Version", false), 1.0);
    let (mut continuous, mut transient, mut curves) = (Vec::new(), 0, Vec::<(String, f64, Vec<(f64, f64)>)>::new());
    for item in whole["Pattern"].as_array().unwrap() {
        let item = item.as_object().unwrap();
        assert_eq!(item.len(), 1);
        let (kind, inside) = item.iter().next().unwrap();
        let time = number(inside, "Time", false);
        assert!(time >= 0.0 && time <= seconds + 1e-3);
        match kind.as_str() {
            "Event" => {
                for parameter in inside["EventParameters"].as_array().unwrap() {
                    assert!(
                        ["HapticIntensity", "HapticSharpness"].contains(&parameter["ParameterID"].as_str().unwrap())
                    );
                    number(parameter, "ParameterValue", true);
                }
                match inside["EventType"].as_str().unwrap() {
                    "HapticContinuous" => {
                        let length = number(inside, "EventDuration", false);
                        assert!(length > 0.0 && length <= 30.0, "{length} s");
                        // Sharpness curves add: the base is 0. Intensity curves multiply: the base is 1.
                        assert_eq!(number(&inside["EventParameters"][0], "ParameterValue", true), 1.0);
                        assert_eq!(number(&inside["EventParameters"][1], "ParameterValue", true), 0.0);
                        continuous.push((time, length));
                    }
                    "HapticTransient" => transient += 1,
                    other => panic!("{other}"),
                }
            }
            "ParameterCurve" => {
                let id = inside["ParameterID"].as_str().unwrap().to_owned();
                assert!(["HapticIntensityControl", "HapticSharpnessControl"].contains(&id.as_str()));
                let points = inside["ParameterCurveControlPoints"].as_array().unwrap();
                assert!((1..=16).contains(&points.len()), "{} points", points.len());
                let points: Vec<(f64, f64)> =
                    points.iter().map(|p| (number(p, "Time", false), number(p, "ParameterValue", true))).collect();
                assert_eq!(points[0].0, 0.0, "times are counted from the curve's own");
                assert!(points.windows(2).all(|two| two[0].0 < two[1].0), "{points:?}");
                curves.push((id, time, points));
            }
            other => panic!("{other}"),
        }
    }
    // Continuous events follow one another without a gap, to the end.
    assert_eq!(continuous[0].0, 0.0);
    assert!(continuous.windows(2).all(|two| (two[0].0 + two[0].1 - two[1].0).abs() < 1e-3));
    let (last, length) = continuous[continuous.len() - 1];
    assert!((last + length - seconds).abs() < 1e-3);
    // Each curve begins with the last point of the one before.
    for id in ["HapticIntensityControl", "HapticSharpnessControl"] {
        let own: Vec<_> = curves.iter().filter(|curve| curve.0 == id).collect();
        for two in own.windows(2) {
            let (time, value) = two[0].2[two[0].2.len() - 1];
            assert!((two[0].1 + time - two[1].1).abs() < 2e-4 && value == two[1].2[0].1, "{two:?}");
        }
        assert!(!own.is_empty() && own[0].1 == 0.0);
    }
    (continuous.len(), transient, curves.len())
}

/// The rules of .haptic 1.0.0.
fn check_haptic(text: &str, seconds: f64) -> (usize, usize) {
    let whole: Value = serde_json::from_str(text).unwrap();
    let version = &whole["version"];
    assert_eq!([&version["major"], &version["minor"], &version["patch"]], [1, 0, 0]);
    let signals = whole["signals"].as_object().unwrap();
    assert!(signals.len() == 1 && signals.contains_key("continuous"));
    let envelopes = &whole["signals"]["continuous"]["envelopes"];
    let (mut emphases, mut count) = (0, 0);
    for (list, key) in [(&envelopes["amplitude"], "amplitude"), (&envelopes["frequency"], "frequency")] {
        let points = list.as_array().unwrap();
        assert!(!points.is_empty());
        let mut last = -1.0;
        for point in points {
            let (time, value) = (number(point, "time", false), number(point, key, true));
            assert!(time > last && time <= seconds + 1e-3, "{time} after {last}");
            last = time;
            if let Some(emphasis) = point.get("emphasis") {
                assert_eq!(key, "amplitude");
                assert!(number(emphasis, "amplitude", true) >= value);
                number(emphasis, "frequency", true);
                emphases += 1;
            }
        }
        count += points.len();
    }
    (emphases, count)
}

/// Something that goes up and down by 0.5 so many times.
fn zigzag(seconds: f64, points: usize) -> Felt {
    let step = seconds / (points - 1) as f64;
    let amplitude = (0..points).map(|k| (k as f64 * step, if k % 2 == 0 { 0.25 } else { 1.0 })).collect();
    Felt { seconds, amplitude, frequency: vec![(0.0, 0.5), (seconds, 0.5)], transients: Vec::new() }
}

#[test]
fn thirty_one_seconds_are_two_events_and_seventeen_points_are_two_curves() {
    let (text, _) = write::ahap(&zigzag(30.0, 16), "");
    assert_eq!(check_ahap(&text, 30.0), (1, 0, 2));
    // A sample or two more are no second event, which would have no length.
    for more in [1.0 / 48_000.0, 2.0 / 48_000.0] {
        let (text, _) = write::ahap(&zigzag(30.0 + more, 16), "");
        assert_eq!(check_ahap(&text, 30.0 + more), (1, 0, 2));
    }
    let (text, _) = write::ahap(&zigzag(31.0, 16), "");
    assert_eq!(check_ahap(&text, 31.0), (2, 0, 2));
    let (text, points) = write::ahap(&zigzag(30.0, 17), "");
    assert_eq!((check_ahap(&text, 30.0), points), ((1, 0, 3), 17 + 2));
    // 16 points, then 15 more with each curve.
    let (text, _) = write::ahap(&zigzag(65.0, 46), "");
    assert_eq!(check_ahap(&text, 65.0), (3, 0, 4));
    check_haptic(&write::haptic(&zigzag(31.0, 46), "").0, 31.0);
}

#[test]
fn a_transient_stands_on_the_envelope_and_the_rest_steps_back() {
    let mut felt = zigzag(1.0, 2);
    felt.amplitude = (0..=200).map(|k| (0.005 * f64::from(k), 0.64)).collect();
    felt.transients = vec![Transient { time_s: 0.5, amplitude: 0.36, frequency: 0.7 }];
    let (text, _) = write::ahap(&felt, "");
    assert_eq!(check_ahap(&text, 1.0).1, 1);
    // Intensity is the root of the amplitude: 0.8, and 0.64 beside the transient, whose own is 0.6.
    for value in ["0.8", "0.64", "0.6"] {
        assert!(text.contains(&format!("\"ParameterValue\": {value}")), "{value}");
    }
    let (text, _) = write::haptic(&felt, "");
    assert_eq!(check_haptic(&text, 1.0).0, 1);
    assert!(
        text.contains("\"amplitude\": 0.64,\n              \"frequency\": 0.7"),
        "not below what it stands on\n{text}"
    );
}

#[test]
fn every_shipped_scene_with_a_contact_or_a_process_makes_files_that_follow_the_rules() {
    let (mut count, mut still) = (0, Vec::new());
    for (name, _) in library::SHIPPED {
        let mut plan = Plan::new(library::load(name).unwrap());
        {
            let whole = plan.scene.def.whole().unwrap();
            if whole.contacts.is_empty() && whole.processes.is_empty() {
                continue;
            }
        }
        // Its own length, or what of it is cheap.
        plan.length = Length::Seconds(match plan.length {
            Length::Seconds(own) => own.min(1.6),
            Length::Auto => 1.6,
        });
        let feeling = feel(&plan, None).unwrap_or_else(|e| panic!("{name}: {e}"));
        let recording = record(&feeling, false).unwrap_or_else(|e| panic!("{name}: {e}"));
        let felt = Felt::of(&recording);
        assert!(recording.channels[0].iter().all(|x| x.is_finite()), "{name}");
        still.extend(recording.peaks().iter().all(|peak| *peak == 0.0).then_some(*name));
        check_ahap(&write::ahap(&felt, name).0, felt.seconds);
        let (emphases, _) = check_haptic(&write::haptic(&felt, name).0, felt.seconds);
        assert!(emphases <= felt.transients.len(), "{name}");
        count += 1;
    }
    assert!(count > 40, "{count}");
    // A few are played by hand alone, or begin later.
    assert!(still.len() <= 12, "nothing is felt of {still:?}");
}

#[test]
fn a_scene_says_for_itself_what_is_felt_and_in_which_band() {
    let text = format!(
        "{STRIKE}[output.haptic]\nchannels = [2]\nband_hz = [20.0, 2000.0]\n[[tap]]\nof = 'bar'\nquantity = 'acceleration'\nto = ['haptic']\n"
    );
    let feeling = feel(&plan(&text), None).unwrap();
    assert_eq!(
        (feeling.words.as_str(), &feeling.units[..], &feeling.channels[..]),
        ("acceleration of bar", &["m/s2"][..], &[2][..])
    );
    let band = feeling.plan.scene.def.outputs[0].band;
    assert_eq!((band.highpass_hz, band.lowpass_hz), (Some(20.0), Some(2000.0)));
    let dir = tempfile::tempdir().unwrap();
    let output = dir.path().join("felt.wav");
    let task = Task { plan: plan(&text), output: output.clone(), rate_hz: Some(4000.0), band_hz: None };
    let said = haptic::run(&task).unwrap();
    assert!(
        said.contains("acceleration of bar") && said.contains("from 20 to 2000 Hz; 4000 Hz, full scale is"),
        "{said}"
    );
    let mut wav = hound::WavReader::open(&output).unwrap();
    assert_eq!((wav.spec().sample_rate, wav.spec().channels, wav.duration()), (4000, 1, 1600));
    let most = wav.samples::<i32>().map(|x| x.unwrap().abs()).max().unwrap();
    assert!(most > 5_000_000 && most < 8_388_607, "{most}");
}

#[test]
fn what_is_printed_in_newtons_is_the_force_whatever_the_gains() {
    let dir = tempfile::tempdir().unwrap();
    let said = |gain: f64, output_gain: f64, more: &str| {
        let text = format!(
            "{STRIKE}[output.haptic]\nchannels = [2]\ngain = {output_gain:?}\n[[tap]]\nof = 'hit'\nquantity = 'force'\nto = ['haptic']\ngain = {gain:?}\n{more}"
        );
        let output = dir.path().join("felt.wav");
        haptic::run(&Task { plan: plan(&text), output, rate_hz: None, band_hz: None }).unwrap()
    };
    let plain = said(1.0, 1.0, "");
    let newtons =
        |said: &str| -> f64 { said.split("largest ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap() };
    assert!(newtons(&plain) > 0.0 && plain.contains(" N from 40 to 800 Hz"), "{plain}");
    for (gain, output_gain) in [(0.01, 1.0), (1.0, 0.5), (0.02, 0.25)] {
        let quiet = said(gain, output_gain, "");
        assert!((newtons(&quiet) / newtons(&plain) - 1.0).abs() < 0.02, "{quiet}, not as {plain}");
        assert!(quiet.contains("full scale is") && quiet.trim_end().ends_with(" N"), "{quiet}");
    }
    // Two that are added with unlike gains are no force.
    let both = said(0.01, 1.0, "[[tap]]\nof = 'hit'\nquantity = 'force'\nto = ['haptic']\ngain = 0.02\n");
    assert!(both.contains("of full scale") && !both.contains(" N "), "{both}");
}

#[test]
fn what_cannot_be_felt_is_refused_in_one_line() {
    let task =
        |text: &str, output: &str| Task { plan: plan(text), output: output.into(), rate_hz: None, band_hz: None };
    let refused = |task: &Task| {
        let said = haptic::run(task).unwrap_err().to_string();
        assert!(!said.contains('\n') && !Path::new(&task.output).exists(), "{said}");
        said
    };
    let nothing = "duration_s = 0.1\n[body.a]\ntype = 'mass'\n[[tap]]\nof = 'a'\n";
    assert!(refused(&task(nothing, "x.ahap")).contains("there is nothing to feel"));
    let still = &STRIKE[..STRIKE.find("[[event]]").unwrap()].replace("0.4", "0.1");
    assert!(refused(&task(still, "x.ahap")).contains("force of hit stays 0"));
    assert!(refused(&task(STRIKE, "x.mp3")).contains(".ahap, .haptic or .wav"));
    assert!(refused(&Task { rate_hz: Some(12.5), ..task(STRIKE, "x.wav") }).contains("--rate 12.5"));
    assert!(refused(&Task { rate_hz: Some(8000.0), ..task(STRIKE, "x.ahap") }).contains("--rate is that of a WAV"));
    assert!(refused(&Task { band_hz: Some([900.0, 40.0]), ..task(STRIKE, "x.wav") }).contains("--band 900..40"));
    assert!(refused(&Task { band_hz: Some([40.0, 9000.0]), ..task(STRIKE, "x.wav") }).contains("from 1 to 4000"));
}
