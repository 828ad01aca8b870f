// SPDX-License-Identifier: MIT OR Apache-2.0
//! The ten numbers of `tocco compare`, on sounds whose numbers are known in closed form; and those of real recordings, measured again
//! where they are.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::f64::consts::TAU;
use std::path::{Path, PathBuf};
use tocco::rng::Rng;
use tocco_lab::compare::describe::{ALL, Described, describe, difference_db};
use tocco_lab::compare::{Beside, Comparison, ENOUGH, lines, read, read_folder, recorded, scenes};
use tocco_lab::parallel;

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/compare/recorded.tsv");
const RATE_HZ: f64 = 48_000.0;

/// A sound of so many seconds by its time, after 50 ms of silence.
fn sound(seconds: f64, at: impl Fn(f64) -> f64) -> Vec<f64> {
    let lead = vec![0.0; (0.05 * RATE_HZ) as usize];
    let rest = (0..(seconds * RATE_HZ) as usize).map(|n| at(n as f64 / RATE_HZ));
    lead.into_iter().chain(rest).collect()
}

fn value(described: &Described, id: &str) -> f64 {
    let index = ALL.iter().position(|descriptor| descriptor.id == id).unwrap();
    described.values[index].unwrap_or_else(|| panic!("no {id}"))
}

fn near(what: &str, found: f64, wanted: f64, within: f64) {
    assert!((found - wanted).abs() <= within, "{what}: {found}, not {wanted}");
}

/// Tones of these frequencies, levels in dB and T60, s.
fn tones(list: &[(f64, f64, f64)], t: f64) -> f64 {
    let one = |(hz, db, t60): &(f64, f64, f64)| 10_f64.powf((db - 60.0 * t / t60) / 20.0) * (TAU * hz * t).sin();
    0.1 * list.iter().map(one).sum::<f64>()
}

#[test]
fn peaks_are_counted_down_to_45_db_and_no_further() {
    let list: Vec<(f64, f64, f64)> = [0.0, -12.0, -24.0, -40.0, -55.0]
        .iter()
        .enumerate()
        .map(|(k, db)| (700.0 + 2100.0 * k as f64, *db, 4.0))
        .collect();
    assert_eq!(value(&describe(&sound(2.0, |t| tones(&list, t)), RATE_HZ), "peaks"), 4.0);
    assert_eq!(value(&describe(&sound(2.0, |t| tones(&list[..2], t)), RATE_HZ), "peaks"), 2.0);
}

#[test]
fn noise_is_as_flat_and_as_high_between_its_modes_as_theory_says() {
    let mut rng = Rng::new(3, "flat");
    let noise: Vec<f64> = (0..48_000).map(|_| 0.05 * rng.normal()).collect();
    // The power of a bin of white noise is distributed exponentially: geometric over arithmetic mean is e to minus Euler's constant.
    let white = sound(0.9, |t| noise[(t * RATE_HZ).round() as usize]);
    near("flatness", value(&describe(&white, RATE_HZ), "flatness"), (-0.577_215_66_f64).exp(), 0.03);
    // A tone in noise: half of the bins are below ln 2 of the mean; the window has a noise bandwidth of 2.0044 bins (Harris 1978).
    // The tone begins at once, and its skirts raise the middle by some tenths of a dB.
    let (tone, sigma, bins) = (0.25, 0.05, (0.37 * RATE_HZ).round());
    let both = sound(0.9, |t| tone * (TAU * 1000.0 * t).sin() + noise[(t * RATE_HZ).round() as usize]);
    let wanted = 10.0 * (4.0 * 2_f64.ln() * sigma * sigma * 2.0044 / (tone * tone * bins)).log10();
    near("between", value(&describe(&both, RATE_HZ), "between_db"), wanted, 1.0);
}

#[test]
fn what_is_high_and_where_the_middle_lies_are_those_of_two_tones() {
    // 1 kHz and 8 kHz, the second 20 dB weaker: a share of 1 in 101.
    let two = sound(1.0, |t| tones(&[(1000.0, 0.0, 9.0), (8000.0, -20.0, 9.0)], t));
    let described = describe(&two, RATE_HZ);
    near("share above 5 kHz", value(&described, "high_db"), -20.04, 0.4);
    near("centroid", value(&described, "centroid_hz"), (1000.0 + 0.01 * 8000.0) / 1.01, 5.0);
}

#[test]
fn decays_are_read_octave_by_octave_and_not_where_nothing_decays() {
    let decays = [3.0, 2.0, 1.5, 1.0, 0.7, 0.4, 0.2];
    let list: Vec<(f64, f64, f64)> =
        decays.iter().enumerate().map(|(k, t60)| (177.0 * 2_f64.powi(k as i32), 0.0, *t60)).collect();
    let described = describe(&sound(4.0, |t| tones(&list, t)), RATE_HZ);
    for (found, wanted) in described.octaves_s.iter().zip(decays) {
        let found = found.unwrap();
        assert!((found / wanted - 1.0).abs() < 0.08, "{found} s, not {wanted} s");
    }
    near("T60 from 2 to 4 kHz", value(&described, "t60_2k_s"), 0.7, 0.06);
    near("their middle", value(&described, "t60_s"), 1.0, 0.08);
    let steady = describe(&sound(1.0, |t| 0.3 * (TAU * 700.0 * t).sin()), RATE_HZ);
    assert!(steady.octaves_s.iter().all(Option::is_none), "{:?}", steady.octaves_s);
    // The same in noise 40 dB below.
    let mut rng = Rng::new(5, "hiss");
    let mut hissing = sound(4.0, |t| tones(&list, t));
    hissing.iter_mut().for_each(|x| *x += 1e-3 * rng.normal());
    let noisy = describe(&hissing, RATE_HZ).octaves_s[3].unwrap();
    assert!((noisy - 1.0).abs() < 0.12, "{noisy} s");
}

#[test]
fn crest_and_attack_are_those_of_an_exponential_and_of_a_ramp() {
    // Heard until it has fallen by 40 dB: ln 100 times its decay to 1/e, of which the energy is a quarter.
    let struck = describe(&sound(2.0, |t| 0.5 * (-t / 0.2).exp() * (TAU * 900.0 * t).cos()), RATE_HZ);
    near("crest", value(&struck, "crest_db"), 10.0 * (4.0 * 100_f64.ln()).log10(), 0.15);
    assert!(value(&struck, "attack_ms") <= 2.5);
    let ramp =
        |ms: f64| describe(&sound(1.0, |t| (t / (1e-3 * ms)).min(1.0) * 0.5 * (TAU * 3000.0 * t).sin()), RATE_HZ);
    for ms in [50.0, 200.0] {
        near("attack", value(&ramp(ms), "attack_ms"), 0.8 * ms, 0.03 * ms);
    }
    // A square wave has none.
    let square = describe(&sound(1.0, |t| 0.4 * (TAU * 500.0 * t + 0.1).sin().signum()), RATE_HZ);
    near("crest of a square", value(&square, "crest_db"), 0.0, 0.1);
}

#[test]
fn strokes_that_differ_by_6_db_in_one_of_two_bands_are_3_db_apart_and_louder_ones_are_not() {
    let stroke =
        |level: f64, high_db: f64| sound(0.6, move |t| level * tones(&[(500.0, 0.0, 0.4), (4000.0, high_db, 0.4)], t));
    let of = |sound: Vec<f64>| describe(&sound, RATE_HZ).thirds_db;
    // The bands of the two tones, without what their cut ends leave in others.
    let only = |bands: Vec<f64>| [bands[7], bands[16]];
    near("apart", difference_db(&only(of(stroke(1.0, 0.0))), &only(of(stroke(1.0, 6.0)))), 3.0, 0.2);
    near("louder", difference_db(&of(stroke(1.0, 0.0)), &of(stroke(0.3, 0.0))), 0.0, 1e-6);
    let twice = describe(&[stroke(1.0, 0.0), stroke(0.5, 0.0)].concat(), RATE_HZ);
    near("two strokes in a file", value(&twice, "strokes_db"), 0.0, 0.3);
    assert_eq!(describe(&stroke(1.0, 0.0), RATE_HZ).values[9], None);
}

#[test]
fn a_number_within_the_range_of_others_is_said_to_be_and_one_outside_too() {
    let many: Vec<(String, Described)> = (0..9)
        .map(|k| {
            let t60 = 0.5 + 0.1 * f64::from(k);
            let hz = 400.0 * (1.0 + 0.05 * f64::from(k));
            (
                format!("a_{k}.wav"),
                describe(&sound(2.0, |t| tones(&[(hz, 0.0, t60), (5.4 * hz, -20.0, t60)], t)), RATE_HZ),
            )
        })
        .collect();
    let beside = Beside::of("nine".into(), &many);
    let one = |t60: f64| describe(&sound(2.0, |t| tones(&[(470.0, 0.0, t60), (2540.0, -20.0, t60)], t)), RATE_HZ);
    let within = |d: &Described, k: usize| lines(d, &beside)[k].within;
    assert_eq!((within(&one(0.9), 8), within(&one(3.0), 8)), (Some(true), Some(false)));
    // Names that differ in the number of the take are strokes of one kind.
    assert!(beside.ranges[9].is_some());
    let comparison = Comparison { name: "one".into(), sound: one(3.0), beside };
    let text = comparison.text();
    assert!(
        ALL.iter().all(|descriptor| text.contains(descriptor.words))
            && text.contains("OUTSIDE")
            && text.contains("within")
    );
    assert_eq!(comparison.json()["descriptors"].as_array().unwrap().len(), 10);
    assert!(comparison.picture().unwrap().starts_with(b"\x89PNG"));
    let silent = describe(&[0.0; 4800], RATE_HZ);
    assert!(silent.values.iter().all(Option::is_none), "{:?}", silent.values);
    for odd in [&[][..], &[0.5], &[0.5; 100]] {
        let described = describe(odd, RATE_HZ);
        assert!(described.values.iter().flatten().all(|x| x.is_finite()), "{:?}", described.values);
    }
}

#[test]
fn every_scene_of_the_map_is_shipped_and_has_recordings_of_its_kind() {
    let rows = recorded::rows();
    for (scene, label) in recorded::SCENES {
        assert!(tocco_lab::library::SHIPPED.iter().any(|(name, _)| name == scene), "{scene}");
        let row = rows.iter().find(|row| row.label == *label).unwrap_or_else(|| panic!("no recordings of {label}"));
        assert!(row.files >= 8, "{label}: {} recordings", row.files);
    }
    for row in &rows {
        let [low, middle, high] = row.parts;
        assert!(low <= middle && middle <= high && row.parts.iter().all(|x| x.is_finite()), "{row:?}");
        assert!(ALL.iter().any(|d| d.id == row.id) || row.id.starts_with("t60_"), "{row:?}");
    }
}

#[test]
fn every_kind_of_eight_recordings_or_more_has_a_scene_or_a_reason_on_the_page() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compare.md")).unwrap();
    let mapped = |label: &str| recorded::SCENES.iter().any(|(_, of)| *of == label);
    let rows = recorded::rows();
    let mut labels: Vec<&str> = rows.iter().filter(|row| row.files >= 8).map(|row| row.label).collect();
    labels.dedup();
    assert!(labels.len() >= 20, "{labels:?}");
    for label in &labels {
        let reason = recorded::WITHOUT.iter().find(|(of, _)| of == label).map(|(_, why)| *why);
        assert!(mapped(label) != reason.is_some(), "{label}: a scene of its kind, or a reason, and not both");
        if let Some(why) = reason {
            assert!(page.contains(&format!("| {label} | {why} |")), "docs/compare.md does not say of {label}: {why}");
        }
    }
    for (label, _) in recorded::WITHOUT {
        assert!(labels.contains(label), "{label} has fewer than eight recordings");
    }
}

/// What `tocco compare --scenes` counts: no scene of the map falls below the goal, and the page has what each has today.
#[test]
fn every_scene_of_the_map_has_seven_of_its_numbers_within_those_of_its_kind() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/compare.md")).unwrap();
    let all = scenes(&[]).unwrap();
    assert_eq!(all.len(), recorded::SCENES.len());
    let (mut missed, mut unsaid) = (Vec::new(), Vec::new());
    for comparison in &all {
        let lines = lines(&comparison.sound, &comparison.beside);
        let judged = lines.iter().filter(|line| line.within.is_some()).count();
        let within = lines.iter().filter(|line| line.within == Some(true)).count();
        let (scene, kind) = (&comparison.name, &comparison.beside.name);
        let outside: Vec<String> = lines
            .iter()
            .filter(|line| line.within == Some(false))
            .map(|line| format!("{} {:?}, not {:?}", ALL[line.index].id, line.value, line.range))
            .collect();
        println!("{scene} beside {kind}: {within} of {judged}; {outside:?}");
        if within < ENOUGH {
            missed.push(format!("{scene}: {within} of {judged}; {outside:?}"));
        }
        let row = format!("| `{scene}` | {kind} | {within} of {judged} |");
        if !page.contains(&row) {
            unsaid.push(row);
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(unsaid.is_empty(), "docs/compare.md says something else: {unsaid:#?}");
}

/// A label as the table has it, measured again.
fn measured(label: &str, sounds: &[(String, Described)]) -> String {
    recorded::written(&[(label.to_owned(), Beside::of(label.to_owned(), sounds))])
}

/// Measures a label again and holds it against the table.
fn as_in_the_table(label: &str, sounds: &[(String, Described)]) {
    let again = measured(label, sounds);
    println!("{again}");
    let number = |text: &str| text.parse::<f64>().unwrap();
    for line in again.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let row = recorded::rows().into_iter().find(|row| row.label == label && row.id == cells[2]);
        let row = row.unwrap_or_else(|| panic!("not in the table: {line}"));
        assert_eq!(row.files, sounds.len(), "{label}");
        for (part, cell) in row.parts.iter().zip(&cells[3..]) {
            // One peak more or less, or one part in a hundred: an edge may fall on the other side of a last digit.
            let room = if row.id == "peaks" { 1.0 } else { 0.01 * part.abs().max(1e-4) };
            assert!((part - number(cell)).abs() <= room, "{row:?} beside {line}");
        }
    }
}

/// The folder TOCCO_RECORDINGS has a folder for each label (VSCO-2 Community Edition, as the table's head says).
#[test]
fn recordings_that_are_here_give_the_table_again() {
    let Some(root) = std::env::var_os("TOCCO_RECORDINGS") else {
        println!("not tried: TOCCO_RECORDINGS names no folder of recordings");
        return;
    };
    let of_debian = |label: &str| recorded::sources().iter().any(|source| source.label == label);
    let mut labels: Vec<&str> =
        recorded::rows().iter().map(|row| row.label).filter(|label| !of_debian(label)).collect();
    labels.dedup();
    for label in labels {
        as_in_the_table(label, &read_folder(&Path::new(&root).join(label)).unwrap());
    }
}

/// Every file whose path begins so, in order of their names.
fn files_of(begins: &str) -> Vec<PathBuf> {
    let (folder, begin) = begins.rsplit_once('/').unwrap();
    let is_one = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with(begin) && !name.ends_with(".xml")
    };
    let listed = std::fs::read_dir(folder).into_iter().flatten();
    let mut files: Vec<PathBuf> = listed.map(|entry| entry.unwrap().path()).filter(is_one).collect();
    files.sort();
    files
}

/// Kinds in Debian's packages, which `./test` installs. `TOCCO_BLESS=1` writes their rows anew.
#[test]
fn recordings_of_packages_give_the_table_again() {
    let (sources, is_blessed) = (recorded::sources(), std::env::var_os("TOCCO_BLESS").is_some());
    let mut table = std::fs::read_to_string(TABLE).unwrap();
    for of_one in sources.chunk_by(|a, b| a.label == b.label) {
        let found: Vec<Vec<PathBuf>> = of_one.iter().map(|source| files_of(source.begins)).collect();
        if let Some(missing) = found.iter().position(Vec::is_empty) {
            let package = of_one[missing].package;
            tocco_testing::skip(of_one[0].label, &format!("Debian's package {package}"));
            continue;
        }
        let files = found.concat();
        let sounds = parallel::run(files.len(), parallel::cores(), |index| read(&files[index])).unwrap();
        let label = of_one[0].label;
        if is_blessed {
            let others = table.lines().filter(|line| line.split('\t').next() != Some(label));
            table = others.map(|line| format!("{line}\n")).collect::<String>() + &measured(label, &sounds);
        } else {
            as_in_the_table(label, &sounds);
        }
    }
    if is_blessed {
        std::fs::write(TABLE, table).unwrap();
    }
}
