// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scene language: what it reads, what it refuses and how it says so.
#![cfg(feature = "text")]
#![allow(clippy::unwrap_used, clippy::expect_used)] // the helpers of these tests, too

use serde_json::{Value, json};
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tocco::math::Real;
use tocco::param::{KeyType, Kind, Scale};
use tocco::rng::Rng;
use tocco::scene::def::*;
use tocco::scene::kinds::{self, KINDS};
use tocco::scene::{SceneDef, schema};

/// Every key of the language once, by hand.
const FULL: &str = r#"version = 1
title = "felt hammer on a small bar"
duration_s = 1.0
rate_hz = 44100
seed = 7

[body.hammer]
type = "mass"
mass_kg = 0.02
gravity_m_s2 = 9.81
position_m = -0.001
velocity_m_s = 1.0

[body.wall]
type = "wall"
position_m = 0.5

[body.bow]
type = "guided"
velocity_m_s = 0.1
position_m = 0.25

[body.bar]
type = "modal"
freq_scale = 2.0
decay_scale = 0.5
jitter_01 = 0.1
modes = [
  { freq_hz = 220.0, decay_s = 0.45, mass_kg = 0.05 },
  { freq_hz = 1990.0, mass_kg = 0.06 },
]
[body.bar.port]
tip = [1.0, 1.0]
middle = [0.7, -1]

[contact.hit]
type = "impact"
between = ["hammer", "bar.tip"]
stiffness = 1.0e9
exponent = 1.5
dissipation_s_m = 0.5
viscous_exponent = 0.5
substeps = 8
exact_wall = false

[contact.felt]
type = "impact"
law = "stulov"
between = ["hammer", "wall"]
hysteresis_01 = 0.3
relaxation_s = 2e-4
[contact.spring]
type = "impact"
law = "linear"
between = ["bow", "bar.middle"]
stiffness = 1e4
[contact.bump]
type = "impact"
law = "power"
between = ["bow", "wall"]
exact_wall = true

[[drive]]
path = "hammer/force_n"
points = [[0.0, 0.0], [0.1, 2.0]]
[[drive]]
path = "bow/velocity_m_s"
noise = { rms = 0.1, mean = 0.2, from_s = 0.5, to_s = 1.5 }
[[drive]]
path = "bar.tip/force_n"
noise = { rms = 1 }
[[drive]]
path = "bar.tip/force_n"
wav = "tap.wav"
gain = 2.0
at_s = 0.25

[[event]]
at_s = 0.5
strike = "hammer"
velocity_m_s = 1.0
[[event]]
at_s = 0.6
hit = "bar.tip"
impulse_n_s = 0.01
[[event]]
at_s = 0.7
set = "hit/stiffness"
value = 1e8

[[tap]]
of = "bar.tip"
[[tap]]
of = "hit"
quantity = "force"
gain = 0.001
channel = 3
[[tap]]
of = "bar"
quantity = "acceleration"
pan_01 = 0.25

[[control]]
name = "hardness"
path = "hit/stiffness"
range = [1.0e6, 1.0e10]
scale = "log"
[[control]]
name = "speed"
path = "bow/velocity_m_s"
range = [0.2, -0.2]
"#;

const SMALL: &str = "[body.ball]\ntype = \"mass\"\n[body.floor]\ntype = \"wall\"\n[contact.hit]\ntype = \"impact\"\nbetween = [\"ball\", \"floor\"]\n";

fn full_def() -> SceneDef {
    let body = |name: &str, form, params: &[Real]| BodyDef { name: name.into(), form, params: params.into() };
    let contact = |name: &str, a: &str, b: &str, law, params: [Real; 5]| ContactDef {
        name: name.into(),
        between: [a.into(), b.into()],
        form: ContactForm::Impact { law, viscous_exponent: None, exact_wall: law == ImpactLaw::Power },
        params: params.into(),
        substeps: Substeps::Auto,
    };
    let mut hit = contact("hit", "hammer", "bar.tip", ImpactLaw::HuntCrossley, [1e9, 1.5, 0.5, 0.0, 1e-4]);
    hit.form = ContactForm::Impact { law: ImpactLaw::HuntCrossley, viscous_exponent: Some(0.5), exact_wall: false };
    hit.substeps = Substeps::Fixed(8);
    SceneDef {
        version: 1,
        title: "felt hammer on a small bar".into(),
        duration: Length::Seconds(1.0),
        rate_hz: 44100.0,
        seed: 7,
        bodies: vec![
            body("hammer", BodyForm::Mass { position_m: -0.001, velocity_m_s: 1.0 }, &[0.02, 9.81]),
            body("wall", BodyForm::Wall { position_m: 0.5 }, &[]),
            body("bow", BodyForm::Guided { position_m: 0.25 }, &[0.1]),
            body(
                "bar",
                BodyForm::Modal {
                    modes: vec![
                        ModeDef { freq_hz: 220.0, decay_s: 0.45, mass_kg: 0.05 },
                        ModeDef { freq_hz: 1990.0, decay_s: Real::INFINITY, mass_kg: 0.06 },
                    ],
                    ports: vec![
                        PortDef { name: "tip".into(), shape: vec![1.0, 1.0] },
                        PortDef { name: "middle".into(), shape: vec![0.7, -1.0] },
                    ],
                },
                &[2.0, 0.5, 0.1],
            ),
        ],
        contacts: vec![
            hit,
            contact("felt", "hammer", "wall", ImpactLaw::Stulov, [1e8, 1.5, 0.0, 0.3, 2e-4]),
            contact("spring", "bow", "bar.middle", ImpactLaw::Linear, [1e4, 1.0, 0.0, 0.0, 1e-4]),
            contact("bump", "bow", "wall", ImpactLaw::Power, [1e8, 1.5, 0.0, 0.0, 1e-4]),
        ],
        drives: vec![
            DriveDef { path: "hammer/force_n".into(), source: Source::Points(vec![[0.0, 0.0], [0.1, 2.0]]) },
            DriveDef {
                path: "bow/velocity_m_s".into(),
                source: Source::Noise { rms: 0.1, mean: 0.2, from_s: 0.5, to_s: 1.5 },
            },
            DriveDef {
                path: "bar.tip/force_n".into(),
                source: Source::Noise { rms: 1.0, mean: 0.0, from_s: 0.0, to_s: Real::INFINITY },
            },
            DriveDef {
                path: "bar.tip/force_n".into(),
                source: Source::Wav { file: "tap.wav".into(), gain: 2.0, at_s: 0.25 },
            },
        ],
        events: vec![
            EventDef { at_s: 0.5, action: Action::Strike { body: "hammer".into(), velocity_m_s: 1.0 } },
            EventDef { at_s: 0.6, action: Action::Hit { site: "bar.tip".into(), impulse_n_s: 0.01 } },
            EventDef { at_s: 0.7, action: Action::Set { path: "hit/stiffness".into(), value: 1e8 } },
        ],
        taps: vec![
            TapDef { of: "bar.tip".into(), quantity: Quantity::Velocity, gain: 1.0, to: TapTo::Channel(0) },
            TapDef { of: "hit".into(), quantity: Quantity::Force, gain: 0.001, to: TapTo::Channel(3) },
            TapDef { of: "bar".into(), quantity: Quantity::Acceleration, gain: 1.0, to: TapTo::Pan(0.25) },
        ],
        controls: vec![
            ControlDef { name: "hardness".into(), path: "hit/stiffness".into(), range: [1e6, 1e10], scale: Scale::Log },
            ControlDef {
                name: "speed".into(),
                path: "bow/velocity_m_s".into(),
                range: [0.2, -0.2],
                scale: Scale::Linear,
            },
        ],
        lines: Default::default(),
    }
}

/// Reads and forgets the lines, which differ between texts of the same scene.
fn read(text: &str) -> Result<SceneDef, String> {
    let mut def = SceneDef::from_text(text).map_err(|error| error.to_string())?;
    def.lines.clear();
    Ok(def)
}

/// By name: converting between formats may lose the order of keys.
fn sorted(mut def: SceneDef) -> SceneDef {
    def.bodies.sort_by(|a, b| a.name.cmp(&b.name));
    def.contacts.sort_by(|a, b| a.name.cmp(&b.name));
    for body in &mut def.bodies {
        if let BodyForm::Modal { ports, .. } = &mut body.form {
            ports.sort_by(|a, b| a.name.cmp(&b.name));
        }
    }
    def
}

fn as_json(toml_text: &str) -> Value {
    toml::from_str(toml_text).expect("the sample is TOML")
}

#[test]
fn every_key_of_the_language_reaches_its_field() {
    assert_eq!(read(FULL).unwrap(), full_def());
}

#[test]
fn a_scene_that_says_little_gets_the_documented_defaults() {
    let def = read(SMALL).unwrap();
    assert_eq!((def.version, def.duration, def.rate_hz, def.seed), (1, Length::Auto, 48000.0, 1));
    assert_eq!(def.bodies[0].params, [0.01, 0.0]);
    assert_eq!(def.contacts[0].substeps, Substeps::Auto);
    assert_eq!(read("").unwrap(), SceneDef::default());
    assert_eq!(read("duration_s = \"auto\"\nseed = 2.0").unwrap().seed, 2);
}

#[test]
fn the_same_document_as_json_is_the_same_scene() {
    for text in [FULL, SMALL] {
        let json = as_json(text);
        let wanted = read(text).map(sorted);
        assert_eq!(read(&json.to_string()).map(sorted), wanted);
        assert_eq!(read(&format!(" \n{json:#}")).map(sorted), wanted);
    }
}

#[test]
fn bodies_keep_the_order_of_the_file_and_places_know_their_lines() {
    let def = SceneDef::from_text(FULL).unwrap();
    assert_eq!(def.bodies.iter().map(|b| &*b.name).collect::<Vec<_>>(), ["hammer", "wall", "bow", "bar"]);
    let line_with = |needle: &str| 1 + FULL.lines().position(|line| line.contains(needle)).unwrap();
    for (place, needle) in [
        ("rate_hz", "rate_hz"),
        ("body.hammer", "[body.hammer]"),
        ("body.bar.modes", "modes = ["),
        ("body.bar.modes[1]", "1990"),
        ("body.bar.modes[1].freq_hz", "1990"),
        ("body.bar.port.middle", "middle ="),
        ("contact.hit.between", "\"bar.tip\"]"),
        ("drive[1].noise.rms", "mean = 0.2"),
        ("event[2].set", "set ="),
        ("tap[2].pan_01", "pan_01"),
        ("control[0].path", "path = \"hit/stiffness\""),
    ] {
        assert_eq!(def.line_of(place), Some(line_with(needle)), "{place}");
    }
    assert_eq!(def.line_of("nowhere"), None);
}

/// FULL or SMALL with one replacement, and what the reader says.
#[rustfmt::skip]
const REFUSED: &[(&str, &str, &str, &str)] = &[
    // Unknown words and keys.
    (FULL, "stiffness = 1.0e9", "stifness = 1.0e9", "line 39: contact.hit.stifness: unknown key; did you mean 'stiffness'?"),
    (FULL, "seed = 7", "sed = 7", "line 5: sed: unknown key; did you mean 'seed'?"),
    (FULL, "type = \"wall\"", "type = \"wal\"", "line 15: body.wall.type: unknown body type 'wal'; did you mean 'wall'?"),
    (FULL, "type = \"wall\"", "type = \"string\"", "line 15: body.wall.type: unknown body type 'string'; known: mass, wall, guided, modal"),
    (SMALL, "\"impact\"", "\"friction\"", "line 6: contact.hit.type: unknown contact type 'friction'; known: impact"),
    (FULL, "law = \"stulov\"", "law = \"stulow\"", "line 48: contact.felt.law: unknown word 'stulow'; did you mean 'stulov'?"),
    (FULL, "quantity = \"force\"", "quantity = \"power\"", "line 95: tap[1].quantity: unknown word 'power'; known: position, velocity, acceleration, force, compression"),
    (FULL, "freq_hz = 220.0", "freq = 220.0", "line 29: body.bar.modes[0].freq: unknown key; did you mean 'freq_hz'?"),
    (FULL, "rms = 0.1", "RMS = 0.1", "line 68: drive[1].noise.RMS: unknown key; known: rms, mean, from_s, to_s"),
    // Missing keys.
    (FULL, "type = \"guided\"\n", "", "line 18: body.bow: needs type, one of mass, wall, guided, modal"),
    (SMALL, "between = [\"ball\", \"floor\"]", "", "line 5: contact.hit: needs between (the two sites)"),
    (FULL, "at_s = 0.6\n", "", "line 82: event[1]: needs at_s (when)"),
    (FULL, "impulse_n_s = 0.01\n", "", "line 82: event[1]: hit needs impulse_n_s"),
    (FULL, "freq_hz = 1990.0, ", "", "line 30: body.bar.modes[1]: needs freq_hz (undamped frequency)"),
    (FULL, "wav = \"tap.wav\"\n", "", "line 72: drive[3]: needs one of points, noise, wav"),
    (FULL, "strike = \"hammer\"\nvelocity_m_s = 1.0\n", "", "line 78: event[0]: needs one of strike, hit, set"),
    // Wrong types.
    (FULL, "mass_kg = 0.02", "mass_kg = \"heavy\"", "line 9: body.hammer.mass_kg: found the text \"heavy\"; wants a number (kg)"),
    (FULL, "title = \"felt hammer on a small bar\"", "title = 3", "line 2: title: found 3; wants text in quotes"),
    (FULL, "exact_wall = true", "exact_wall = 1", "line 61: contact.bump.exact_wall: found 1; wants true or false"),
    (FULL, "substeps = 8", "substeps = 1.5", "line 43: contact.hit.substeps: found 1.5; wants a whole number"),
    (FULL, "tip = [1.0, 1.0]", "tip = 1.0", "line 33: body.bar.port.tip: found 1; wants a list of one mode-shape value per mode"),
    (SMALL, "[\"ball\", \"floor\"]", "\"ball\"", "line 7: contact.hit.between: found the text \"ball\"; wants two sites, such as [\"hammer\", \"bar.tip\"]"),
    (SMALL, "[\"ball\", \"floor\"]", "[\"ball\"]", "line 7: contact.hit.between: has 1 sites; wants two sites, such as [\"hammer\", \"bar.tip\"]"),
    (SMALL, "[body.floor]\ntype = \"wall\"", "[body]\nfloor = 3", "line 4: body.floor: found 3; wants a table"),
    (FULL, "seed = 7", "seed = 2020-01-01", "line 5: seed: found a date; wants a whole number"),
    // Numbers.
    (FULL, "mass_kg = 0.02", "mass_kg = -0.02", "line 9: body.hammer.mass_kg: -0.02 kg is out of range; wants a number from 1e-9 kg to 1e9 kg"),
    (FULL, "mass_kg = 0.02", "mass_kg = nan", "line 9: body.hammer.mass_kg: NaN is not a finite number; wants a number from 1e-9 kg to 1e9 kg"),
    (FULL, "mass_kg = 0.02", "mass_kg = -inf", "line 9: body.hammer.mass_kg: -inf is not a finite number; wants a number from 1e-9 kg to 1e9 kg"),
    (FULL, "mass_kg = 0.02", "mass_kg = 1e999", "line 9: body.hammer.mass_kg: inf is not a finite number; wants a number from 1e-9 kg to 1e9 kg"),
    (FULL, "to_s = 1.5", "to_s = inf", "line 68: drive[1].noise.to_s: inf is not a finite number; wants a number from 0 s to 86400 s"),
    (FULL, "decay_s = 0.45", "decay_s = 0", "line 29: body.bar.modes[0].decay_s: 0 s is out of range; wants a number from 1e-6 s to 1e6 s"),
    (FULL, "middle = [0.7, -1]", "middle = [0.7, inf]", "line 34: body.bar.port.middle[1]: inf is not a finite number; wants a number from -1e6 to 1e6"),
    (FULL, "rate_hz = 44100", "rate_hz = 4000", "line 4: rate_hz: 4000 Hz is out of range; wants a number from 8000 Hz to 384000 Hz"),
    (FULL, "seed = 7", "seed = -1", "line 5: seed: -1 is out of range; wants a whole number from 0 to 9223372036854775807"),
    (FULL, "duration_s = 1.0", "duration_s = 0", "line 3: duration_s: 0 s is no duration; wants more than 0 s, at most 86400 s, or \"auto\""),
    (FULL, "duration_s = 1.0", "duration_s = 86401", "line 3: duration_s: 86401 s is out of range; wants a number from 0 s to 86400 s"),
    (FULL, "duration_s = 1.0", "duration_s = \"long\"", "line 3: duration_s: found \"long\"; wants seconds or \"auto\""),
    (FULL, "channel = 3", "channel = 64", "line 97: tap[1].channel: 64 is out of range; wants a whole number from 0 to 63"),
    (FULL, "substeps = 8", "substeps = 12", "line 43: contact.hit.substeps: 12 is not a power of two; wants 1, 2, 4, 8, 16, 32 or 64"),
    // Versions.
    (FULL, "version = 1", "version = 2", "line 1: version: written for a newer Tocco (version 2, this one reads up to 1): update"),
    (FULL, "version = 1", "version = 2\nfuture = 1", "line 1: version: written for a newer Tocco (version 2, this one reads up to 1): update"),
    (FULL, "version = 1", "version = 0", "line 1: version: there is no version 0; wants 1"),
    (FULL, "version = 1", "version = -3", "line 1: version: there is no version -3; wants 1"),
    (FULL, "version = 1", "version = \"1\"", "line 1: version: found the text \"1\"; wants a whole number, 1"),
    // Names.
    (FULL, "[body.wall]", "[body.\"a b\"]", "line 14: body.a b: name 'a b' holds ' '; names hold no blanks and none of / . # * , ? [ ] { }"),
    (FULL, "[body.wall]", "[body.\"a\\nb\"]", "line 14: body.a\\nb: name 'a\\nb' holds '\\n'; names hold no blanks and none of / . # * , ? [ ] { }"),
    (FULL, "[body.wall]", "[body.\"\"]", "line 14: body.: a name must not be empty"),
    (FULL, "[body.wall]", "[body.tocco]", "line 14: body.tocco: the name 'tocco' is reserved; choose another"),
    (FULL, "[contact.felt]", "[contact.wall]", "line 46: contact.wall: the name 'wall' is already taken by body.wall; choose another"),
    (FULL, "name = \"speed\"", "name = \"hit\"", "line 109: control[1].name: the name 'hit' is already taken by contact.hit; choose another"),
    (FULL, "name = \"speed\"", "name = \"\"", "line 109: control[1].name: a name must not be empty"),
    (FULL, "tip = [1.0, 1.0]", "\"t.p\" = [1.0, 1.0]", "line 33: body.bar.port.t.p: name 't.p' holds '.'; names hold no blanks and none of / . # * , ? [ ] { }"),
    // Rules between keys.
    (FULL, "tip = [1.0, 1.0]", "tip = [1.0]", "line 33: body.bar.port.tip: has 1 values and the body has 2 modes; wants one value per mode"),
    (FULL, "[0.1, 2.0]]", "[0.0, 2.0]]", "line 65: drive[0].points[1]: 0 s does not come after 0 s; times must increase"),
    (FULL, "[0.1, 2.0]]", "[0.1]]", "line 65: drive[0].points[1]: has 1 numbers; wants [time in s, value]"),
    (FULL, "to_s = 1.5", "to_s = 0.5", "line 68: drive[1].noise.to_s: 0.5 s is not after from_s = 0.5 s"),
    (FULL, "noise = { rms = 1 }", "noise = { rms = 1 }\ngain = 1", "line 72: drive[2].gain: belongs to a drive with wav; leave it out"),
    (FULL, "noise = { rms = 1 }", "noise = { rms = 1 }\nwav = \"a.wav\"", "line 72: drive[2].wav: stands beside noise; keep one of points, noise, wav"),
    (FULL, "strike = \"hammer\"", "strike = \"hammer\"\nhit = \"bar\"", "line 81: event[0].hit: stands beside strike; keep one of strike, hit, set"),
    (FULL, "strike = \"hammer\"", "strike = \"hammer\"\nvalue = 1", "line 81: event[0].value: belongs to an event with set, and this one has strike"),
    (FULL, "channel = 3", "channel = 3\npan_01 = 0.5", "line 98: tap[1].pan_01: stands beside channel; keep one of channel, pan_01"),
    (FULL, "range = [1.0e6, 1.0e10]", "range = [0, 1.0e10]", "line 106: control[0].range: scale = \"log\" needs both ends above 0"),
    (FULL, "range = [0.2, -0.2]", "range = [0.2, 0.2]", "line 111: control[1].range: both ends are 0.2; the control would move nothing"),
    (FULL, "law = \"linear\"", "law = \"linear\"\nexponent = 1.5", "line 55: contact.spring.exponent: law = \"linear\" has exponent 1; leave it out or choose another law"),
    (FULL, "law = \"power\"", "law = \"power\"\ndissipation_s_m = 0.1", "line 60: contact.bump.dissipation_s_m: law = \"power\" has no dissipation; choose law = \"hunt-crossley\""),
    (FULL, "law = \"power\"", "law = \"power\"\nviscous_exponent = 1", "line 60: contact.bump.viscous_exponent: law = \"power\" has no dissipation; choose law = \"hunt-crossley\""),
    (FULL, "law = \"power\"", "law = \"power\"\nrelaxation_s = 1e-3", "line 60: contact.bump.relaxation_s: belongs to law = \"stulov\"; leave it out or choose that law"),
    (FULL, "law = \"stulov\"\n", "", "line 49: contact.felt.hysteresis_01: belongs to law = \"stulov\"; leave it out or choose that law"),
    // Not TOML, not JSON.
    (FULL, "seed = 7", "seed = 7\nseed = 8", "line 6: not TOML: duplicate key"),
    (FULL, "title = \"felt", "title = felt", "line 2: not TOML: missing opening quote, expected `\"`"),
    (FULL, FULL, "{\"seed\": 1,\n\"seed\": 2}", "line 2: key \"seed\" is already on line 1; keep one"),
    (FULL, FULL, "{\"seed\": 1,\n}", "line 2: not JSON: found '}' where a key in quotes should be"),
    (FULL, FULL, "{\"seed\": null}", "line 1: seed: found null; wants a whole number"),
];

#[test]
fn every_refusal_names_the_place_the_line_and_what_to_do() {
    let mut misses = Vec::new();
    for (sample, from, to, expected) in REFUSED {
        assert!(sample.contains(from), "{from}");
        let said = match read(&sample.replacen(from, to, 1)) {
            Ok(_) => "accepted".to_string(),
            Err(said) => said,
        };
        if said != *expected {
            misses.push(format!("{to}\n  wanted {expected}\n  said   {said}"));
        }
    }
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}

#[test]
fn more_than_the_stated_limits_is_refused_with_the_limit() {
    let refused = |text: String, expected: &str| assert_eq!(read(&text).unwrap_err(), expected);
    let many = |count: usize, each: &dyn Fn(usize) -> String| (0..count).map(each).collect::<String>();
    refused(
        many(4097, &|i| format!("body.b{i}.type = \"wall\"\n")),
        "line 1: body: has 4097 tables; at most 4096 are read",
    );
    refused(
        many(4097, &|i| format!("contact.b{i}.type = \"impact\"\n")),
        "line 1: contact: has 4097 tables; at most 4096 are read",
    );
    refused(
        many(17, &|i| format!("[[control]]\nname = \"c{i}\"\npath = \"a/b\"\nrange = [0, 1]\n")),
        "line 1: control: has 17 tables; at most 16 are read",
    );
    refused(many(100_001, &|_| "[[event]]\n".into()), "line 1: event: has 100001 tables; at most 100000 are read");
    let mode = "{ freq_hz = 1, mass_kg = 1 },".repeat(100_001);
    refused(
        format!("[body.x]\ntype = \"modal\"\nmodes = [{mode}]"),
        "line 3: body.x.modes: has 100001 modes; at most 100000 are read",
    );
    let points = many(100_001, &|i| format!("[{i},0],"));
    refused(
        format!("[[drive]]\npath = \"x/y\"\npoints = [{points}]"),
        "line 3: drive[0].points: has 100001 points; at most 100000 are read",
    );
    refused(
        format!("[body.{}]\ntype = \"wall\"", "x".repeat(65)),
        &format!("line 1: body.{0}...: name '{0}...' is longer than 64 characters; shorten it", "x".repeat(48)),
    );
    refused(format!("title = \"{}\"", "x".repeat(1025)), "line 1: title: is longer than 1024 characters; shorten it");
    refused(
        " ".repeat(kinds::MAX_TEXT_BYTES + 1),
        &format!("the scene is {} bytes long; at most {} are read", kinds::MAX_TEXT_BYTES + 1, kinds::MAX_TEXT_BYTES),
    );
    // Just inside.
    let mode = "{ freq_hz = 1, mass_kg = 1 },".repeat(100_000);
    assert!(read(&format!("[body.x]\ntype = \"modal\"\nmodes = [{mode}]")).is_ok());
    assert!(read(&many(4096, &|i| format!("body.b{i}.type = \"wall\"\n"))).is_ok());
}

#[test]
fn nesting_ten_thousand_deep_is_refused_without_overflowing_a_small_stack() {
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(10_000), close.repeat(10_000));
    let texts = [
        format!("seed = {}", deep("[", "]")),
        format!("seed = {}", deep("{a=", "}")),
        format!("seed = {}", "[".repeat(10_000)),
        format!("{}x = 1", "a.".repeat(10_000)),
        format!("[{}x]", "a.".repeat(10_000)),
        format!("{{\"seed\": {}}}", deep("[", "]")),
        deep("{\"a\":", "}"),
        "{\"a\":".repeat(10_000),
    ];
    let work = move || texts.iter().for_each(|text| drop(read(text).unwrap_err()));
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
}

// ---- writing

/// Inside the range, now and then at its ends.
fn draw(rng: &mut Rng, min: Real, max: Real) -> Real {
    match rng.bits() % 8 {
        0 => min,
        1 => max,
        2 if min <= 0.0 && max >= 0.0 => 0.0,
        3 if min <= 1.0 && max >= 1.0 => 1.0,
        4 if min > 0.0 => rng.between_log(min, max).clamp(min, max),
        _ => rng.between(min, max).clamp(min, max),
    }
}

fn coin(rng: &mut Rng) -> bool {
    rng.unit() < 0.5
}

fn draw_key(rng: &mut Rng, kind: &Kind, id: &str) -> Real {
    match kind.keys.iter().find(|key| key.id == id).unwrap().takes {
        KeyType::Number { min, max, .. } => draw(rng, min, max),
        _ => panic!("{id} is not a number"),
    }
}

fn draw_params(rng: &mut Rng, family: &str, id: &str) -> Vec<Real> {
    let kind = KINDS.iter().find(|kind| (kind.family, kind.id) == (family, id)).unwrap();
    kind.params.iter().map(|spec| draw(rng, spec.min, spec.max)).collect()
}

fn draw_text(rng: &mut Rng, alphabet: &str) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    (0..1 + rng.bits() % 12).map(|_| letters[rng.bits() as usize % letters.len()]).collect()
}

const LETTERS: &str = "abcXYZ019_-'\"\\=\u{e9}\u{1f514}:@&$";

fn draw_scene(rng: &mut Rng) -> SceneDef {
    let mut serial = 0;
    let mut name = |rng: &mut Rng| {
        serial += 1;
        format!("{}{serial}", draw_text(rng, LETTERS))
    };
    let path = |rng: &mut Rng| draw_text(rng, "ab/._\"\\\n\t\u{7f}\u{1} \u{e9}");
    let some = |rng: &mut Rng| 0..rng.bits() % 4;
    let time = |rng: &mut Rng| draw(rng, 0.0, kinds::MAX_DURATION_S);
    let bodies = some(rng)
        .map(|_| {
            let position_m = draw_key(rng, &tocco::resonator::inertial::WALL, "position_m");
            let (id, form) = match rng.bits() % 4 {
                0 => {
                    let velocity_m_s = draw_key(rng, &tocco::resonator::inertial::MASS, "velocity_m_s");
                    ("mass", BodyForm::Mass { position_m, velocity_m_s })
                }
                1 => ("wall", BodyForm::Wall { position_m }),
                2 => ("guided", BodyForm::Guided { position_m }),
                _ => {
                    let modes: Vec<ModeDef> = (0..1 + rng.bits() % 5)
                        .map(|i| ModeDef {
                            freq_hz: draw_key(rng, &kinds::MODE, "freq_hz"),
                            decay_s: if i == 1 { Real::INFINITY } else { draw_key(rng, &kinds::MODE, "decay_s") },
                            mass_kg: draw_key(rng, &kinds::MODE, "mass_kg"),
                        })
                        .collect();
                    let shape = |rng: &mut Rng| modes.iter().map(|_| draw(rng, -1e6, 1e6)).collect();
                    let ports = some(rng).map(|_| PortDef { name: name(rng), shape: shape(rng) }).collect();
                    ("modal", BodyForm::Modal { modes, ports })
                }
            };
            BodyDef { name: name(rng), form, params: draw_params(rng, "body", id) }
        })
        .collect();
    let contacts = some(rng)
        .map(|_| {
            let laws = [ImpactLaw::HuntCrossley, ImpactLaw::Power, ImpactLaw::Linear, ImpactLaw::Stulov];
            let law = laws[rng.bits() as usize % 4];
            let mut params = draw_params(rng, "contact", "impact");
            let mut viscous_exponent = coin(rng).then(|| draw(rng, 0.0, 5.0));
            if law != ImpactLaw::Stulov {
                (params[3], params[4]) = (0.0, 1e-4);
            }
            if law == ImpactLaw::Power {
                params[2] = 0.0;
                viscous_exponent = None;
            }
            if law == ImpactLaw::Linear {
                params[1] = 1.0;
            }
            ContactDef {
                name: name(rng),
                between: [path(rng), path(rng)],
                form: ContactForm::Impact { law, viscous_exponent, exact_wall: coin(rng) },
                params,
                substeps: match rng.bits() % 8 {
                    7 => Substeps::Auto,
                    shift => Substeps::Fixed(1 << shift),
                },
            }
        })
        .collect();
    let drives = some(rng)
        .map(|_| DriveDef {
            path: path(rng),
            source: match rng.bits() % 3 {
                0 => {
                    let mut t = 0.0;
                    let point = |_| {
                        t += 0.001 + rng.unit();
                        [t, draw(rng, -1e18, 1e18)]
                    };
                    Source::Points((0..5).map(point).collect())
                }
                1 => {
                    let from_s = draw(rng, 0.0, 80_000.0);
                    let to_s = if coin(rng) { Real::INFINITY } else { from_s + draw(rng, 0.1, 10.0) };
                    Source::Noise { rms: draw(rng, 0.0, 1e18), mean: draw(rng, -1e18, 1e18), from_s, to_s }
                }
                _ => Source::Wav { file: path(rng), gain: draw(rng, -1e12, 1e12), at_s: time(rng) },
            },
        })
        .collect();
    let events = some(rng)
        .map(|_| EventDef {
            at_s: time(rng),
            action: match rng.bits() % 3 {
                0 => Action::Strike { body: path(rng), velocity_m_s: draw(rng, -1e4, 1e4) },
                1 => Action::Hit { site: path(rng), impulse_n_s: draw(rng, -1e6, 1e6) },
                _ => Action::Set { path: path(rng), value: draw(rng, -1e18, 1e18) },
            },
        })
        .collect();
    let quantities =
        [Quantity::Position, Quantity::Velocity, Quantity::Acceleration, Quantity::Force, Quantity::Compression];
    let taps = some(rng)
        .map(|_| TapDef {
            of: path(rng),
            quantity: quantities[rng.bits() as usize % 5],
            gain: draw(rng, -1e12, 1e12),
            to: if coin(rng) { TapTo::Pan(rng.unit()) } else { TapTo::Channel(rng.bits() as usize % 64) },
        })
        .collect();
    let controls = some(rng)
        .map(|_| {
            let scale = if coin(rng) { Scale::Log } else { Scale::Linear };
            let low = if scale == Scale::Log { 1e-9 } else { -1e17 };
            ControlDef { name: name(rng), path: path(rng), range: [draw(rng, low, 1e17), 2e17], scale }
        })
        .collect();
    SceneDef {
        version: 1,
        title: if coin(rng) { String::new() } else { path(rng) },
        duration: if coin(rng) { Length::Auto } else { Length::Seconds(draw(rng, 1e-9, 86_400.0)) },
        rate_hz: draw(rng, 8000.0, 384_000.0),
        seed: rng.bits() >> (1 + rng.bits() % 63),
        bodies,
        contacts,
        drives,
        events,
        taps,
        controls,
        lines: Default::default(),
    }
}

#[test]
fn a_written_scene_reads_back_as_itself_to_the_last_bit() {
    assert_eq!(read(&full_def().to_toml()).unwrap(), full_def());
    let mut rng = Rng::new(1, "scenes");
    for case in 0..cases(2000) {
        let def = draw_scene(&mut rng);
        let text = def.to_toml();
        assert_eq!(read(&text), Ok(def), "case {case}:\n{text}");
    }
}

#[test]
fn samples_in_memory_are_written_as_a_comment() {
    let source = Source::Samples { rate_hz: 48000.0, data: vec![0.0; 3].into(), gain: 1.0, at_s: 0.0 };
    let drives = vec![DriveDef { path: "a\nb".into(), source }];
    let text = SceneDef { drives, ..SceneDef::default() }.to_toml();
    assert_eq!(read(&text).unwrap().drives, []);
    assert!(text.contains("# left out: a drive of \"a\\u000Ab\" by 3 samples in memory"), "{text}");
}

// ---- bad input

/// A hundred times more when TOCCO_LONG is set.
fn cases(usual: usize) -> usize {
    if std::env::var_os("TOCCO_LONG").is_some() { 100 * usual } else { usual }
}

/// Reads, insists on a one-line answer within a second, and on the schema accepting what the reader accepts.
fn survives(text: &str) -> bool {
    let begun = Instant::now();
    let answer = SceneDef::from_text(text);
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(1), "{took:?} for\n{text}");
    match answer {
        Ok(def) => {
            assert_eq!(read(&def.to_toml()), read(text), "{text}");
            let document =
                if text.trim_start().starts_with('{') { serde_json::from_str(text).unwrap() } else { as_json(text) };
            assert_eq!(breach(SCHEMA.get_or_init(schema::schema), &document), None, "{text}");
            true
        }
        Err(error) => {
            let said = error.to_string();
            assert!(!said.chars().any(char::is_control), "{said:?} for\n{text}");
            assert!(said.len() < 600, "{said}");
            false
        }
    }
}

static SCHEMA: OnceLock<Value> = OnceLock::new();

fn mutate(rng: &mut Rng, text: &str) -> String {
    let pick = |rng: &mut Rng, n: usize| rng.bits() as usize % n.max(1);
    match rng.bits() % 5 {
        0 => {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..1 + rng.bits() % 4 {
                let at = pick(rng, bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << (rng.bits() % 8);
                }
            }
            String::from_utf8_lossy(&bytes).into_owned()
        }
        1 => {
            let mut lines: Vec<&str> = text.lines().collect();
            for _ in 0..1 + rng.bits() % 3 {
                let (from, to) = (pick(rng, lines.len()), pick(rng, lines.len()));
                match rng.bits() % 3 {
                    0 if !lines.is_empty() => drop(lines.remove(from)),
                    1 if !lines.is_empty() => lines.insert(to, lines[from]),
                    _ if !lines.is_empty() => lines.swap(from, to),
                    _ => {}
                }
            }
            lines.join("\n")
        }
        2 => {
            let mut tokens: Vec<&str> = text.split_inclusive([' ', '\n', ',', '=', '"', '[', ']', '.']).collect();
            for _ in 0..1 + rng.bits() % 3 {
                let (a, b) = (pick(rng, tokens.len()), pick(rng, tokens.len()));
                if !tokens.is_empty() {
                    tokens.swap(a, b);
                }
            }
            tokens.concat()
        }
        3 => {
            // Another number: the mutation that reaches furthest.
            let numbers =
                ["0", "-1", "1", "2", "64", "1e-3", "1e9", "1e18", "1e308", "1e999", "nan", "inf", "-0.0", "9e99"];
            let starts: Vec<usize> = text.match_indices("= ").map(|(at, _)| at + 2).collect();
            let Some(&at) = starts.get(pick(rng, starts.len())) else { return text.into() };
            let end = text[at..].find(['\n', ',', '}']).map_or(text.len(), |n| at + n);
            format!("{}{}{}", &text[..at], numbers[pick(rng, numbers.len())], &text[end..])
        }
        _ => {
            let end = (0..=pick(rng, text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            text[..end].to_string()
        }
    }
}

const PIECES: &[u8] = b"{}[]\"'=,.:\\\n #ab01e-_+tx";

#[test]
fn random_bytes_never_panic_the_reader() {
    let mut rng = Rng::new(2, "bytes");
    for case in 0..cases(3000) {
        let mut bytes: Vec<u8> = (0..rng.bits() % 200).map(|_| rng.bits() as u8).collect();
        if case % 3 == 0 {
            bytes.insert(0, b'{');
        }
        if case % 2 == 0 {
            bytes.iter_mut().for_each(|byte| *byte = PIECES[usize::from(*byte) % PIECES.len()]);
        }
        survives(&String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn mutilated_scenes_are_read_or_refused_in_one_line() {
    let mut rng = Rng::new(3, "mutants");
    let mut samples = vec![FULL.to_string(), SMALL.into(), as_json(FULL).to_string(), format!("{:#}", as_json(FULL))];
    samples.extend((0..8).map(|_| draw_scene(&mut rng).to_toml()));
    let mut accepted = 0;
    let total = cases(6000);
    for case in 0..total {
        let mut text = samples[case % samples.len()].clone();
        for _ in 0..1 + case % 2 {
            text = mutate(&mut rng, &text);
        }
        accepted += usize::from(survives(&text));
    }
    // The mutations must reach both sides of the fence.
    assert!(accepted > total / 20 && accepted < total - total / 5, "{accepted} of {total} accepted");
}

// ---- schema

/// What a document breaks in a schema: the keywords our schema uses, and a panic on any other.
///
/// Written for this test because the validators on crates.io take minutes to build.
fn breach(schema: &Value, document: &Value) -> Option<String> {
    let rules = schema.as_object().expect("a schema is an object");
    let holds = |schema: &Value| breach(schema, document).is_none();
    let count = |schemas: &Value| schemas.as_array().unwrap().iter().filter(|schema| holds(schema)).count();
    let below = |limit: &Value, n: usize| (n as u64) < limit.as_u64().unwrap();
    let above = |limit: &Value, n: usize| (n as u64) > limit.as_u64().unwrap();
    let equal = |a: &Value, b: &Value| a == b || (a.is_number() && a.as_f64() == b.as_f64());
    let (number, text) = (document.as_f64(), document.as_str());
    let (list, table) = (document.as_array(), document.as_object());
    for (keyword, rule) in rules {
        let broken = match keyword.as_str() {
            "$schema" | "title" | "description" | "default" | "then" | "else" => None,
            "type" => {
                let fits = match rule.as_str().unwrap() {
                    "object" => table.is_some(),
                    "array" => list.is_some(),
                    "string" => text.is_some(),
                    "boolean" => document.is_boolean(),
                    "number" => number.is_some(),
                    "integer" => number.is_some_and(|n| n == n.trunc()),
                    other => panic!("type {other}"),
                };
                (!fits).then(|| format!("is not of type {rule}"))
            }
            "const" => (!equal(rule, document)).then(|| format!("is not {rule}")),
            "enum" => (!rule.as_array().unwrap().iter().any(|v| equal(v, document))).then(|| format!("not in {rule}")),
            "minimum" => number.filter(|n| *n < rule.as_f64().unwrap()).map(|n| format!("{n} < {rule}")),
            "maximum" => number.filter(|n| *n > rule.as_f64().unwrap()).map(|n| format!("{n} > {rule}")),
            "exclusiveMinimum" => number.filter(|n| *n <= rule.as_f64().unwrap()).map(|n| format!("{n} <= {rule}")),
            "minLength" => text.filter(|t| below(rule, t.chars().count())).map(|_| "too short".into()),
            "maxLength" => text.filter(|t| above(rule, t.chars().count())).map(|_| "too long".into()),
            "pattern" => {
                assert_eq!(rule, r"^[^\s/.#*,?\[\]{}]+$", "teach this test the new pattern");
                let bad =
                    |t: &&str| t.is_empty() || t.contains(|c: char| c.is_whitespace() || "/.*,?[]{}#".contains(c));
                text.filter(bad).map(|t| format!("{t} is no name"))
            }
            "minItems" => list.filter(|l| below(rule, l.len())).map(|_| "too few".into()),
            "maxItems" => list.filter(|l| above(rule, l.len())).map(|_| "too many".into()),
            "maxProperties" => table.filter(|t| above(rule, t.len())).map(|_| "too many".into()),
            "items" => list.and_then(|l| l.iter().find_map(|item| breach(rule, item))),
            "prefixItems" => {
                list.and_then(|l| l.iter().zip(rule.as_array().unwrap()).find_map(|(item, rule)| breach(rule, item)))
            }
            "required" => {
                let missing = |id: &&Value| table.is_some_and(|t| !t.contains_key(id.as_str().unwrap()));
                rule.as_array().unwrap().iter().find(missing).map(|id| format!("lacks {id}"))
            }
            "properties" => table.and_then(|t| {
                let found = t.iter().filter_map(|(id, value)| Some((id, breach(rule.get(id)?, value)?)));
                found.map(|(id, said)| format!("{id}: {said}")).next()
            }),
            "additionalProperties" => table.and_then(|t| {
                let known = |id: &String| rules.get("properties").is_some_and(|p| p.get(id).is_some());
                let mut others = t.iter().filter(|(id, _)| !known(id));
                match rule {
                    Value::Bool(_) => others.next().map(|(id, _)| format!("{id} is unknown")),
                    rule => others.find_map(|(id, value)| Some(format!("{id}: {}", breach(rule, value)?))),
                }
            }),
            "propertyNames" => table.and_then(|t| t.keys().find_map(|id| breach(rule, &json!(id)))),
            "dependentRequired" => table.and_then(|t| {
                let lacks =
                    |ids: &Value| ids.as_array().unwrap().iter().any(|id| !t.contains_key(id.as_str().unwrap()));
                let broken = |(id, ids): &(&String, &Value)| t.contains_key(*id) && lacks(ids);
                rule.as_object().unwrap().iter().find(broken).map(|(id, ids)| format!("{id} without {ids}"))
            }),
            "not" => holds(rule).then(|| "holds what it must not".into()),
            "oneOf" => (count(rule) != 1).then(|| format!("{} of oneOf hold", count(rule))),
            "anyOf" => (count(rule) == 0).then(|| "none of anyOf holds".into()),
            "allOf" => rule.as_array().unwrap().iter().find_map(|schema| breach(schema, document)),
            "if" => rules.get(if holds(rule) { "then" } else { "else" }).and_then(|rule| breach(rule, document)),
            other => panic!("this test does not know the keyword {other}"),
        };
        if broken.is_some() {
            return broken;
        }
    }
    None
}

#[test]
fn the_shipped_schema_is_the_one_the_kinds_generate() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/tocco.schema.json");
    if std::env::var_os("TOCCO_BLESS").is_some() {
        std::fs::write(file, schema::schema_text()).unwrap();
    }
    let shipped = std::fs::read_to_string(file).unwrap_or_default();
    let advice = "scenes/tocco.schema.json is out of date: TOCCO_BLESS=1 cargo test -p tocco --test scene_text schema";
    assert!(shipped == schema::schema_text(), "{advice}");
}

#[test]
fn the_schema_accepts_good_scenes() {
    let schema = schema::schema();
    for text in [FULL, SMALL, ""] {
        assert_eq!(breach(&schema, &as_json(text)), None, "{text}");
    }
    let mut rng = Rng::new(4, "schema");
    for _ in 0..cases(500) {
        let text = draw_scene(&mut rng).to_toml();
        assert_eq!(breach(&schema, &as_json(&text)), None, "{text}");
    }
}

/// Refusals that compare values with each other or concern what JSON cannot say (dates, inf, nan): the reader's alone.
const BEYOND_SCHEMA: &[&str] = &[
    "already taken",
    "one value per mode",
    "times must increase",
    "is not after",
    "both ends are",
    "not TOML",
    "not JSON",
    "is already on line",
    "a date",
    "not a finite number",
];

#[test]
fn the_schema_refuses_what_the_reader_refuses_where_a_schema_can() {
    let schema = schema::schema();
    let mut refused = 0;
    for (sample, from, to, said) in REFUSED {
        let text = sample.replacen(from, to, 1);
        if BEYOND_SCHEMA.iter().any(|beyond| said.contains(beyond)) {
            continue;
        }
        let document = if text.starts_with('{') { serde_json::from_str(&text).unwrap() } else { as_json(&text) };
        assert!(breach(&schema, &document).is_some(), "the schema accepts what the reader refuses: {said}");
        refused += 1;
    }
    assert!(refused > 50, "{refused}");
}
