// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shipped scenes with random damage: each is refused in one line or renders to finite sound, and nothing panics.
//! `TOCCO_LONG` set: a hundred times as many.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use tocco::engine::Engine;
use tocco::rng::Rng;
use tocco::scene::def::Length;
use tocco_lab::library::{self, SHIPPED};
use tocco_lab::render::{Plan, perform};

const WORDS: &[&str] = &[
    "0",
    "-1",
    "1e-300",
    "1e300",
    "nan",
    "inf",
    "-inf",
    "1e9",
    "1e-9",
    "0.5",
    "4096",
    "\"\"",
    "[]",
    "{}",
    "true",
    "\"auto\"",
    "=",
    "\n",
    "[body.hammer]",
    "[[tap]]",
    "law = \"stulov\"",
    "law = \"power\"",
    "exact_wall = true",
    "substeps = 64",
    "gravity_m_s2 = 9.81",
    "exponent = 5.0",
    "viscous_exponent = 0.0",
    "stiffness = 1e15",
    "jitter_01 = 1.0",
    "type = \"wall\"",
    "type = \"guided\"",
];

/// One to four edits: a word for a word, a line doubled, dropped or inserted, a byte changed.
fn damage(text: &str, rng: &mut Rng) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..1 + rng.bits() % 4 {
        let at = (rng.bits() % lines.len() as u64) as usize;
        let word = WORDS[(rng.bits() % WORDS.len() as u64) as usize];
        match rng.bits() % 6 {
            0 => lines.insert(at, word.to_owned()),
            1 if lines.len() > 1 => drop(lines.remove(at)),
            2 => lines.insert(at, lines[at].clone()),
            3 => {
                let mut bytes = lines[at].clone().into_bytes();
                if !bytes.is_empty() {
                    let i = (rng.bits() % bytes.len() as u64) as usize;
                    bytes[i] = rng.bits() as u8;
                }
                lines[at] = String::from_utf8_lossy(&bytes).into_owned();
            }
            _ => {
                let numbers: Vec<&str> =
                    lines[at].split([' ', ',', '[', ']']).filter(|w| w.parse::<f64>().is_ok()).collect();
                if !numbers.is_empty() {
                    let old = numbers[(rng.bits() % numbers.len() as u64) as usize].to_owned();
                    lines[at] = lines[at].replacen(&old, word, 1);
                }
            }
        }
    }
    lines.join("\n")
}

#[test]
fn a_damaged_scene_is_refused_in_one_line_or_renders_finite_sound() {
    let rounds = if std::env::var_os("TOCCO_LONG").is_some() { 60_000 } else { 600 };
    let (mut refused, mut rendered) = (0, 0);
    for round in 0..rounds {
        let mut rng = Rng::new(round, "mutations");
        let (name, text) = SHIPPED[(round as usize) % SHIPPED.len()];
        let text = damage(text, &mut rng);
        let plan = library::from_text(name, name, text.clone(), None).map(|scene| {
            let mut plan = Plan::new(scene);
            plan.length = Length::Seconds(0.12);
            plan
        });
        match plan.and_then(|plan| Ok((plan.build()?, plan))) {
            Err(error) => {
                refused += 1;
                assert_eq!(error.code(), 2, "{error}");
                assert!(error.to_string().starts_with(name), "{error}");
                assert!(error.to_string().lines().count() == 1, "{error}");
            }
            Ok((scene, plan)) => {
                rendered += 1;
                let done = perform(&plan, &mut Engine::new(scene), 0, &mut |_| {}, &mut |_, _| Ok(())).unwrap();
                assert!(
                    done.level.not_finite == 0 && done.health.reset == 0,
                    "{name}, round {round}: {done:?}\n{text}"
                );
            }
        }
    }
    assert!(refused > rounds / 20 && rendered > rounds / 20, "{refused} refused, {rendered} rendered");
}
