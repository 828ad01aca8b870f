// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scene language: what it reads, what it refuses and how it says so.
#![cfg(feature = "text")]
#![allow(clippy::unwrap_used, clippy::expect_used)] // the helpers of these tests, too

mod draw;
mod draw_contacts;
mod refused;
mod samples;
mod spoil;
mod validate;

use draw::draw_scene;
use refused::REFUSED;
use samples::{FULL, RUBBED, SMALL, full_def, rubbed_def};
use serde_json::Value;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tocco::rng::Rng;
use tocco::scene::def::*;
use tocco::scene::kinds;
use tocco::scene::{Scene, SceneDef, schema};
use validate::breach;

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
        match &mut body.form {
            BodyForm::Modal(ModalDef { ports, morph, .. }) => {
                ports.sort_by(|a, b| a.name.cmp(&b.name));
                if let Some(morph) = morph {
                    morph.ports.sort_by(|a, b| a.name.cmp(&b.name));
                }
            }
            BodyForm::Shape(ShapedDef { ports, .. }) => ports.sort_by(|a, b| a.name.cmp(&b.name)),
            BodyForm::String(StringDef { ports, .. }) => ports.sort_by(|a, b| a.name.cmp(&b.name)),
            _ => {}
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
    assert_eq!(read(RUBBED).unwrap(), rubbed_def());
}

#[test]
fn a_scene_that_says_little_gets_the_documented_defaults() {
    let def = read(SMALL).unwrap();
    assert_eq!((def.version, def.duration, def.rate_hz, def.seed), (1, Length::Auto, 48000.0, 1));
    assert_eq!(def.bodies[0].form, MassDef::new(0.01).into());
    let ContactForm::Impact(hit) = &def.contacts[0].form else { panic!("an impact") };
    assert_eq!((hit.substeps, hit.law), (Substeps::Auto, ImpactLaw::HuntCrossley));
    assert_eq!(read("").unwrap(), SceneDef::default());
    assert_eq!(read("duration_s = \"auto\"\nseed = 2.0").unwrap().seed, 2);
}

#[test]
fn the_same_document_as_json_is_the_same_scene() {
    for text in [FULL, SMALL, RUBBED] {
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

#[test]
fn a_written_scene_reads_back_as_itself_to_the_last_bit() {
    for def in [full_def(), rubbed_def()] {
        assert_eq!(read(&def.to_toml()).unwrap(), def);
    }
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
    let drives = vec![DriveDef { times: None, path: "a\nb".into(), source }];
    let text = SceneDef { drives, ..SceneDef::default() }.to_toml();
    assert_eq!(read(&text).unwrap().drives, []);
    assert!(text.contains("# left out: a drive of \"a\\u000Ab\" by 3 samples in memory"), "{text}");
}

// ---- scenes made in code

#[test]
fn a_random_scene_made_in_code_passes_the_check_and_one_wild_number_makes_it_fail_without_a_panic() {
    let mut rng = Rng::new(5, "spoilt");
    let mut spoilt = 0;
    for case in 0..cases(1500) {
        let mut def = draw_scene(&mut rng);
        assert_eq!(def.check(), Ok(()), "case {case}");
        if spoil::spoil(&mut rng, &mut def) {
            spoilt += 1;
            let said = def.check().expect_err("a number out of range").to_string();
            assert_eq!(Scene::build(&def, 48_000.0).err().unwrap().to_string(), said, "case {case}");
            assert!(said.starts_with("body.") || said.starts_with("contact."), "{said}");
        }
    }
    assert!(spoilt > 1000, "{spoilt}");
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
    samples.extend([RUBBED.into(), as_json(RUBBED).to_string()]);
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
    for text in [FULL, SMALL, RUBBED, ""] {
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
    "there is no body",
    "one value per mode",
    "the body has no such place",
    "lacks the body's place",
    "needs its own port table",
    "times must increase",
    "is not after",
    "both ends are",
    "not TOML",
    "not JSON",
    "is already on line",
    "is below mu_dynamic",
    "the longest wave",
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
