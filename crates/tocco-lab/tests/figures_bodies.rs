// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws the pictures about bodies and materials and checks what their pages say of them.
//! `TOCCO_BLESS=1 cargo test -p tocco-lab --test figures_bodies` writes them.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::PathBuf;
use tocco::resonator::material::{MATERIALS, Material};
use tocco::resonator::shape::{MaterialDef, Place, PlaceOn, ShapeDef, evaluate};
use tocco::scene::def::Length;
use tocco_lab::measure::centroid_hz;
use tocco_lab::plot::{Corner, Figure, Look, Panel, Series};
use tocco_lab::render::{Manner, Plan, Target, to_wav};
use tocco_lab::wav::{Encoding, WavReader};
use tocco_lab::{library, spectrogram};
use tocco_testing::pictures::assert_shipped;

fn docs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn keep(name: &str, bytes: &[u8]) {
    assert_shipped(bytes, &docs().join(name));
}

#[test]
fn material_quality_of_the_four_classes_lies_in_the_ranges_of_the_listeners() {
    let shown = [("rubber", 1), ("oak", 4), ("rosewood", 5), ("ice", 3), ("glass", 2), ("steel", 7), ("bronze", 0)];
    let mut over = Panel::new("over frequency", "frequency, Hz", "Q, powers of ten");
    for (id, colour) in shown {
        let m = Material::named(id).unwrap().material;
        let at = |i: i32| {
            let octaves = f64::from(i) / 10.0;
            (octaves, m.q(62.5 * octaves.exp2()).log10())
        };
        over = over.with(Series::new(id, colour, Look::Line, (0..=80).map(at).collect()));
    }
    over.categories = ["63", "125", "250", "500", "1000", "2000", "4000", "8000", "16000"].map(String::from).to_vec();
    over.legend = Corner::BottomLeft;
    over.x_range = Some((-0.3, 8.3));
    over.y_range = Some((-0.6, 3.6));

    let classes = [("rubber", 5.0, 44.3), ("wood", 14.9, 131.8), ("glass", 189.6, 5000.0), ("metal", 272.8, 5000.0)];
    let mut beside = Panel::new("at 1 to 2 kHz beside Avanzini 2001, table 5.2", "", "Q, powers of ten");
    beside.categories = ["rubber", "wood", "glass", "metal (steel)"].map(String::from).to_vec();
    for (x, (class, least, most)) in classes.into_iter().enumerate() {
        let x = x as f64;
        let range = vec![(x - 0.2, least), (x - 0.2, most)].into_iter().map(|(x, q): (f64, f64)| (x, q.log10()));
        let name = if x == 0.0 { "most listeners say so" } else { "" };
        beside = beside.with(Series::new(name, 1, Look::Line, range.collect()));
        let ours: Vec<_> = MATERIALS.iter().filter(|e| e.class == class).collect();
        assert!(!ours.is_empty());
        let mut data = Vec::new();
        for (i, entry) in ours.iter().enumerate() {
            for hz in [1000.0, 1414.0, 2000.0] {
                let q = entry.material.q(hz);
                assert!((least..=most).contains(&q), "{} {q}", entry.id);
                data.push((x + 0.1 * i as f64, q.log10()));
            }
        }
        beside = beside.with(Series::new(if x == 0.0 { "ours" } else { "" }, 2, Look::Dots, data));
    }
    beside.legend = Corner::BottomRight;
    beside.x_range = Some((-0.6, 3.7));
    beside.y_range = Some((0.5, 3.9));
    let figure = Figure { title: "Materials: quality factor".into(), panels: vec![over, beside] };
    keep("models/material.png", &figure.png().unwrap());
}

/// Renders a shipped scene, for so long or as long as it says; its sound and its picture.
fn render(
    scene: &str,
    sets: &[(&str, f64)],
    seconds: Option<f64>,
    moments: &[(f64, &str)],
) -> (WavReader, Vec<f32>, Vec<u8>) {
    let dir = tempfile::tempdir().unwrap();
    let (sound, picture) = (dir.path().join("a.wav"), dir.path().join("a.png"));
    let mut plan = Plan::new(library::load(scene).unwrap());
    plan.sets = sets.iter().map(|(path, value)| ((*path).to_owned(), *value)).collect();
    plan.length = seconds.map_or(plan.length, Length::Seconds);
    let manner = Manner { encoding: Encoding::Float32, ..Manner::default() };
    to_wav(&plan, &Target::File(sound.clone()), &manner, false).unwrap();
    spectrogram::picture_with(&sound, &picture, moments).unwrap();
    let mut wav = WavReader::open(&sound).unwrap();
    let frames = wav.frames as usize;
    let samples = wav.read(0, frames).unwrap().into_iter().step_by(wav.channels).collect(); // the first channel
    (wav, samples, std::fs::read(&picture).unwrap())
}

#[test]
fn bars_of_seven_materials_cut_to_one_pitch_ring_longer_from_rubber_to_bronze() {
    let moments = ["rubber", "acrylic", "oak", "marble", "glass", "steel", "bronze"];
    let moments: Vec<(f64, &str)> = moments.into_iter().enumerate().map(|(i, id)| (0.1 + 0.9 * i as f64, id)).collect();
    let (_, samples, picture) = render("seven-materials", &[], None, &moments);
    let mut before = 0.0;
    for (i, (at_s, id)) in moments.into_iter().enumerate() {
        let from = (at_s * 48_000.0) as usize;
        // Peak level over 5 ms, 10 ms after the blow and later: how long until it has fallen by 10 dB.
        let level = |at: usize| samples[at..at + 240].iter().fold(0.0_f32, |m, x| m.max(x.abs()));
        let first = level(from + 240);
        let fallen = (0..).map(|n| 240 * n).find(|n| level(from + 240 + n) < 0.316 * first).unwrap();
        let fallen_s = fallen as f64 / 48_000.0;
        let wanted_s = Material::named(id).unwrap().material.decay_s(440.0) * 10f64.sqrt().ln();
        assert!(fallen_s >= before, "{id}: {fallen_s} s after {before} s");
        // The upper partials, which die first, hasten the first fall.
        assert!(i < 4 || (0.6..1.1).contains(&(fallen_s / wanted_s)), "{id}: {fallen_s} s beside {wanted_s} s");
        before = fallen_s;
    }
    keep("body-materials.png", &picture);
}

#[test]
fn a_bar_is_the_brighter_the_harder_its_hammer() {
    let mut data = Vec::new();
    for i in 0..=8 {
        let share = 0.125 * f64::from(i);
        // The control of the scene runs from hardness 0.2 to 1.
        let (mut wav, ..) = render("steel-bar", &[("hardness", share)], Some(1.4), &[]);
        data.push((0.2 + 0.8 * share, centroid_hz(&mut wav).unwrap() / 1e3));
    }
    for pair in data.windows(2) {
        assert!(pair[1].1 > pair[0].1, "{data:?}");
    }
    let panel = Panel::new("steel bar of 30 cm struck at its end", "hardness_01", "spectral centroid, kHz")
        .with(Series::new("", 2, Look::DottedLine, data));
    keep("body-hardness.png", &Figure { title: "Harder is brighter".into(), panels: vec![panel] }.png().unwrap());
}

#[test]
fn a_centre_stroke_moves_only_the_round_modes_of_a_drum_and_a_rim_shot_the_high_ones_most() {
    let drum = ShapeDef::new("circular-membrane", MaterialDef::Named("skin")).unwrap();
    let drum = drum.with("radius_m", 0.22).with("thickness_m", 4e-4).with("freq_hz", 105.0).with_modes(40);
    let spots = [("centre", 0.0, 0), ("half way", 0.5, 2), ("rim", 0.95, 1)];
    let places = spots.map(|(name, r, _)| PlaceOn { name: name.into(), place: Place::At(vec![r, 0.0]) });
    let solved = evaluate(&drum, &places, 24_000.0).unwrap().held_still();
    let weight = |place: usize, mode: usize| solved.shapes[place][mode].powi(2);
    let moved = (0..solved.modes.len()).filter(|mode| weight(0, *mode) > 0.0).count();
    assert!(moved <= 4, "the centre moves {moved} of {} modes", solved.modes.len());
    // The rim favours high modes: the mean frequency of what it moves is the highest.
    let mean = |place: usize| {
        let sum: f64 = (0..solved.modes.len()).map(|mode| weight(place, mode)).sum();
        (0..solved.modes.len()).map(|mode| weight(place, mode) * solved.modes[mode].freq_hz).sum::<f64>() / sum
    };
    assert!(mean(2) > mean(1) && mean(2) > mean(0), "{} {} {}", mean(0), mean(1), mean(2));
    let mut panels = Vec::new();
    for (index, (name, _, colour)) in spots.into_iter().enumerate() {
        let mut panel = Panel::new(format!("struck at: {name}"), "frequency, Hz", "share of the blow, dB");
        let most = (0..solved.modes.len()).map(|mode| weight(index, mode)).fold(0.0, f64::max);
        for (mode, row) in solved.modes.iter().enumerate().filter(|(mode, _)| weight(index, *mode) > 1e-4 * most) {
            let db = 10.0 * (weight(index, mode) / most).log10();
            panel.series.push(Series::new("", colour, Look::Line, vec![(row.freq_hz, -45.0), (row.freq_hz, db)]));
        }
        panel.x_range = Some((80.0, 560.0));
        panel.y_range = Some((-42.0, 3.0));
        panels.push(panel);
    }
    let title = "A frame drum of 44 cm: the place chooses the modes".into();
    keep("body-places.png", &Figure { title, panels }.png().unwrap());
}
