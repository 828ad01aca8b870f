// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stimulus sets as people meet them: the program, its files, and what an independent reader finds in them.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod common;
use common::{good, tocco};
use std::f64::consts::TAU;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use tocco_testing::pictures::assert_shipped;
use tocco_testing::{skip, struck_bar};

const SCENE: &str = struck_bar!("duration_s = 0.3\n", "{ freq_hz = 440.0, decay_s = 0.05, mass_kg = 0.05 }");

const DESIGN: &str = r#"title = "small set"
scene = "scene.toml"
seed = 3
listeners = 4
block = "size"
repetitions = 2
[[factor]]
name = "size"
list = ["small", "large"]
[factor.set]
"hammer/mass_kg" = [0.005, 0.02]
[[factor]]
name = "pitch_hz"
linear = [300.0, 900.0, 3]
[derived]
decay_s = "20 / (pi * pitch_hz)"
[set]
"body.bar.modes[0].freq_hz" = "pitch_hz"
"body.bar.modes[0].decay_s" = "decay_s"
[level]
lufs = -30.0
[calibration]
lufs = -30.0
db_spl = 65.0
[listening]
answers = ["wood", "steel"]
"#;

fn small() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("scene.toml"), SCENE).unwrap();
    fs::write(dir.path().join("set.toml"), DESIGN).unwrap();
    dir
}

/// Samples of a mono file by an independent reader.
fn samples(path: &Path) -> (Vec<f64>, f64) {
    let mut wav = hound::WavReader::open(path).unwrap();
    let step = 2.0_f64.powi(1 - i32::from(wav.spec().bits_per_sample));
    let rate_hz = f64::from(wav.spec().sample_rate);
    (wav.samples::<i32>().map(|s| f64::from(s.unwrap()) * step).collect(), rate_hz)
}

/// Rows of a table by the names of its columns.
fn table(path: &Path) -> Vec<Vec<(String, String)>> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split('\t').collect();
    let row = |line: &str| names.iter().zip(line.split('\t')).map(|(n, v)| ((*n).to_owned(), v.to_owned())).collect();
    lines.map(row).collect()
}

fn cell<'a>(row: &'a [(String, String)], name: &str) -> &'a str {
    &row.iter().find(|(known, _)| known == name).unwrap().1
}

fn number(row: &[(String, String)], name: &str) -> f64 {
    cell(row, name).parse().unwrap()
}

/// The two coefficients of `y[n] = a y[n-lag] + b y[n-2 lag]` by least squares: one decaying sine obeys it exactly.
fn two_term(y: &[f64], lag: usize) -> (f64, f64) {
    let mut s = [0.0; 5];
    for n in 2 * lag..y.len() {
        let (u, v, w) = (y[n - lag], y[n - 2 * lag], y[n]);
        for (sum, term) in s.iter_mut().zip([u * u, u * v, v * v, u * w, v * w]) {
            *sum += term;
        }
    }
    let det = s[0] * s[2] - s[1] * s[1];
    ((s[3] * s[2] - s[4] * s[1]) / det, (s[0] * s[4] - s[1] * s[3]) / det)
}

#[test]
fn the_hundred_sounds_of_the_third_paper_ring_at_the_damped_pitch_and_decay_of_their_design() {
    let dir = tempfile::tempdir().unwrap();
    good(dir.path(), &["sweep", "materials-avanzini-2001", "-o", "set"]);
    let rows = table(&dir.path().join("set/manifest.tsv"));
    assert_eq!(rows.len(), 100);
    let mut worst = (0.0_f64, 0.0_f64);
    for (index, row) in rows.iter().enumerate() {
        // Avanzini 2001 section 5.3: equally log-spaced; the first and last are exact.
        let pitch_hz = 1000.0 * 2.0_f64.powf((index / 20) as f64 / 4.0);
        let q = 5.0 * 1000.0_f64.powf((index % 20) as f64 / 19.0);
        assert!((number(row, "pitch_hz") / pitch_hz - 1.0).abs() < 1e-12);
        assert!((number(row, "q") / q - 1.0).abs() < 1e-12);
        let omega = TAU * pitch_hz;
        let (decay_s, damped_hz) = (2.0 * q / omega, pitch_hz * (1.0 - 0.25 / (q * q)).sqrt());
        assert!((number(row, "body.bar.modes[0].mass_kg") * omega * omega / 1e7 - 1.0).abs() < 1e-12, "one stiffness");

        let (y, rate_hz) = samples(&dir.path().join("set").join(cell(row, "file")));
        // The hammer has left after 2.5 ms; five decay times, at most a second, are enough.
        let from = (0.0025 * rate_hz) as usize;
        let to = y.len().min(from + (rate_hz * (5.0 * decay_s).min(1.0)) as usize);
        let (a, b) = two_term(&y[from..to], 1);
        let found_hz = (0.5 * a / (-b).sqrt()).acos() * rate_hz / TAU;
        // A tenth of the decay, and a quarter turn past whole periods, where the fit is best posed.
        let turns = (0.1 * decay_s * pitch_hz).floor() + 0.25;
        let lag = ((turns / pitch_hz * rate_hz).round() as usize).max(1);
        let (_, b) = two_term(&y[from..to], lag);
        let found_s = -2.0 * lag as f64 / rate_hz / (-b).ln();
        worst = (worst.0.max((found_hz / damped_hz - 1.0).abs()), worst.1.max((found_s / decay_s - 1.0).abs()));
    }
    assert!(worst.0 < 1e-3 && worst.1 < 1e-2, "pitch {:e}, decay {:e}", worst.0, worst.1);
    // Avanzini 2001 table 5.2: the ends of the decay times.
    let decays: Vec<f64> = rows.iter().map(|row| number(row, "t_e_s")).collect();
    let (least, most) = (decays.iter().copied().fold(9.0, f64::min), decays.iter().copied().fold(0.0, f64::max));
    assert!((least - 8e-4).abs() < 5e-6 && (most - 1.5915).abs() < 1e-4, "{least} {most}");
}

/// Time for which a mass of 12 g at 2 m/s touches a wall with the law k x^1.5, s: by Runge and Kutta's rule.
fn contact_time_s(stiffness: f64, about_s: f64) -> f64 {
    let force = |x: f64| -stiffness / 0.012 * x.max(0.0).powf(1.5);
    let (mut x, mut v, mut t, h) = (0.0, 2.0, 0.0, about_s / 20_000.0);
    loop {
        let (k1, l1) = (v, force(x));
        let (k2, l2) = (v + 0.5 * h * l1, force(x + 0.5 * h * k1));
        let (k3, l3) = (v + 0.5 * h * l2, force(x + 0.5 * h * k2));
        let (k4, l4) = (v + h * l3, force(x + h * k3));
        x += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        v += h / 6.0 * (l1 + 2.0 * l2 + 2.0 * l3 + l4);
        t += h;
        if x <= 0.0 {
            return t;
        }
    }
}

#[test]
fn the_shorter_the_contact_of_the_hardness_design_the_brighter_its_attack_at_every_pitch() {
    let dir = tempfile::tempdir().unwrap();
    good(dir.path(), &["sweep", "hardness-avanzini-2001", "-o", "set"]);
    let rows = table(&dir.path().join("set/manifest.tsv"));
    assert_eq!(rows.len(), 48);
    let mut heard: Vec<(f64, f64, f64)> = Vec::new();
    for row in &rows {
        let asked_s = number(row, "contact_time_s");
        let lasts_s = contact_time_s(number(row, "stiffness"), asked_s);
        assert!((lasts_s / asked_s - 1.0).abs() < 1e-3, "{lasts_s} s, not {asked_s} s");
        let (y, rate_hz) = samples(&dir.path().join("set").join(cell(row, "file")));
        // Mean frequency of the first 30 ms, by the ratio of the power of the slope to that of the sound.
        let from = y.iter().position(|x| *x != 0.0).unwrap();
        let part = &y[from..from + (0.03 * rate_hz) as usize];
        let slope: f64 = part.windows(2).map(|w| (w[1] - w[0]).powi(2)).sum();
        let mean_hz = (slope / part.iter().map(|x| x * x).sum::<f64>()).sqrt() * rate_hz / TAU;
        heard.push((number(row, "pitch_hz"), asked_s, mean_hz));
    }
    for pitch in [293.7, 415.3, 587.3, 830.6] {
        let mut one: Vec<_> = heard.iter().filter(|(p, ..)| *p == pitch).collect();
        one.sort_by(|a, b| a.1.total_cmp(&b.1));
        assert_eq!(one.len(), 12);
        assert!(one.windows(2).all(|w| w[1].2 < 1.02 * w[0].2), "{one:?}");
        assert!(one[0].2 > 2.0 * one[11].2, "{one:?}");
    }
}

#[test]
fn loudness_is_matched_no_peak_passes_the_ceiling_and_the_tone_is_the_calibration() {
    let dir = small();
    good(dir.path(), &["sweep", "set.toml", "-o", "out"]);
    let out = dir.path().join("out");
    let measured = |name: &str| {
        let (y, rate_hz) = samples(&out.join(name));
        let mut meter = ebur128::EbuR128::new(1, rate_hz as u32, ebur128::Mode::I | ebur128::Mode::TRUE_PEAK).unwrap();
        meter.add_frames_f64(&y).unwrap();
        // Shorter than a gating block: silence up to 400 ms, as the page says.
        meter.add_frames_f64(&vec![0.0; ((0.4 * rate_hz) as usize).saturating_sub(y.len())]).unwrap();
        (meter.loudness_global().unwrap(), 20.0 * meter.true_peak(0).unwrap().log10())
    };
    let rows = table(&out.join("manifest.tsv"));
    assert_eq!(rows.len(), 12);
    for row in &rows {
        let (lufs, peak) = measured(cell(row, "file"));
        assert!((lufs + 30.0).abs() < 0.02 && peak <= -0.99, "{lufs} {peak}");
        assert!((number(row, "db_spl") - 65.0).abs() < 0.01);
        assert_eq!(number(row, "lowered_db"), 0.0);
    }
    assert!((measured("calibration.wav").0 + 30.0).abs() < 0.05);

    // A loudness that short sounds cannot reach: all are lowered alike, or each alone, and the table says by how much.
    for (over, all) in [("lower-all", true), ("lower-each", false)] {
        let text = DESIGN.replace("lufs = -30.0\n[cal", &format!("lufs = -8.0\nover = \"{over}\"\n[cal"));
        fs::write(dir.path().join("loud.toml"), text).unwrap();
        good(dir.path(), &["sweep", "loud.toml", "-o", "out"]);
        let rows = table(&out.join("manifest.tsv"));
        let levels: Vec<f64> = rows.iter().map(|row| measured(cell(row, "file")).0).collect();
        let spread = levels.iter().copied().fold(-99.0, f64::max) - levels.iter().copied().fold(99.0, f64::min);
        assert_eq!(spread < 0.05, all, "{over}: {levels:?}");
        for row in &rows {
            let (lufs, peak) = measured(cell(row, "file"));
            assert!(peak <= -0.98 && number(row, "lowered_db") > 0.0, "{peak}");
            assert!((lufs + 8.0 + number(row, "lowered_db")).abs() < 0.05);
        }
    }
}

#[test]
fn a_set_is_the_same_for_any_number_of_threads_goes_on_where_it_stopped_and_follows_its_design() {
    let dir = small();
    let here = dir.path();
    good(here, &["sweep", "set.toml", "-o", "one", "--jobs", "1"]);
    good(here, &["sweep", "set.toml", "-o", "two", "--jobs", "2"]);
    let mut files: Vec<String> =
        fs::read_dir(here.join("one")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    assert_eq!(files.len(), 24 + 7, "{files:?}");
    for name in files.iter().filter(|name| *name != ".levels.tsv") {
        assert!(
            fs::read(here.join("one").join(name)).unwrap() == fs::read(here.join("two").join(name)).unwrap(),
            "{name}"
        );
    }
    // Stopped in the middle: some files are missing, one is cut short, the journal has a torn line.
    let one = here.join("one");
    let before = fs::read(one.join("set-004.wav")).unwrap();
    fs::remove_file(one.join("set-002.wav")).unwrap();
    fs::remove_file(one.join("set-003.json")).unwrap();
    fs::write(one.join("set-004.wav"), &before[..999]).unwrap();
    // One has a bit turned over and its size kept; a killed run has left an unfinished file.
    let mut turned = fs::read(one.join("set-005.wav")).unwrap();
    *turned.last_mut().unwrap() ^= 1;
    fs::write(one.join("set-005.wav"), turned).unwrap();
    fs::write(one.join(".tocco-4294967294-0.part"), &before[..99]).unwrap();
    fs::remove_file(one.join("manifest.tsv")).unwrap();
    let journal = fs::read_to_string(one.join(".levels.tsv")).unwrap();
    fs::write(one.join(".levels.tsv"), &journal[..journal.len() / 2]).unwrap();
    assert!(good(here, &["sweep", "set.toml", "-o", "one"]).contains("12 files, 8 of them from before"));
    assert!(!cfg!(target_os = "linux") || !one.join(".tocco-4294967294-0.part").exists());
    for name in files.iter().filter(|name| *name != ".levels.tsv") {
        assert!(fs::read(one.join(name)).unwrap() == fs::read(here.join("two").join(name)).unwrap(), "{name}");
    }
    // Another level of one factor: only the sounds it touches are made again.
    fs::write(here.join("set.toml"), DESIGN.replace("[0.005, 0.02]", "[0.005, 0.03]")).unwrap();
    assert!(good(here, &["sweep", "set.toml", "-o", "one"]).contains("12 files, 6 of them from before"));
    fs::write(here.join("set.toml"), DESIGN.replace("seed = 3", "seed = 4")).unwrap();
    good(here, &["sweep", "set.toml", "-o", "one"]);
    assert!(good(here, &["sweep", "set.toml", "-o", "one"]).contains("12 files, 12 of them from before"));
}

#[test]
fn sounds_written_before_one_that_lowers_all_are_lowered_with_it() {
    let dir = small();
    let here = dir.path();
    // Only the third and the sixth condition pass the ceiling.
    fs::write(here.join("set.toml"), DESIGN.replace("lufs = -30.0\n[cal", "lufs = -23.0\n[cal")).unwrap();
    for (folder, jobs) in [("one", "1"), ("two", "2"), ("stopped", "2")] {
        good(here, &["sweep", "set.toml", "-o", folder, "--jobs", jobs]);
        let rows = table(&here.join(folder).join("manifest.tsv"));
        let lowered: Vec<f64> = rows.iter().map(|row| number(row, "lowered_db")).collect();
        assert!(lowered[0] > 1.0 && lowered.iter().all(|x| *x == lowered[0]), "{lowered:?}");
    }
    // Stopped before the loud one was met: one sound is there at its own level.
    let stopped = here.join("stopped");
    fs::write(here.join("set.toml"), DESIGN.replace("lufs = -30.0\n[cal", "lufs = -23.0\nover = \"lower-each\"\n[cal"))
        .unwrap();
    good(here, &["sweep", "set.toml", "-o", "stopped"]);
    fs::write(here.join("set.toml"), DESIGN.replace("lufs = -30.0\n[cal", "lufs = -23.0\n[cal")).unwrap();
    let journal = fs::read_to_string(stopped.join(".levels.tsv")).unwrap();
    fs::write(stopped.join(".levels.tsv"), journal.lines().next().unwrap().to_owned() + "\n").unwrap();
    good(here, &["sweep", "set.toml", "-o", "stopped", "--jobs", "1"]);
    for row in table(&here.join("one/manifest.tsv")) {
        let [one, two, stopped] = ["one", "two", "stopped"].map(|f| fs::read(here.join(f).join(cell(&row, "file"))));
        let one = one.unwrap();
        assert!(one == two.unwrap() && one == stopped.unwrap(), "{}", cell(&row, "file"));
    }
}

#[test]
fn every_bar_of_the_design_in_the_documents_has_the_quality_that_its_row_says() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/stimulus-sets.md");
    let page = fs::read_to_string(page).unwrap();
    let block = page.split("## The design file").nth(1).unwrap().split("\n\nEvery combination").next().unwrap();
    let lines = block.lines().filter_map(|line| line.strip_prefix("    ").or(line.is_empty().then_some("")));
    let design = lines.collect::<Vec<_>>().join("\n");
    // As it stands, but for fewer of its sounds.
    let fewer = design.replace("repetitions = 2", "repetitions = 1").replace("1e13, 5]", "1e13, 2]");
    assert_ne!(design, fewer);
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("set.toml"), fewer).unwrap();
    good(dir.path(), &["sweep", "set.toml", "-o", "out"]);
    let rows = table(&dir.path().join("out/manifest.tsv"));
    assert_eq!(rows.len(), 8);
    for row in &rows {
        let (freq_hz, q) = (number(row, "freq_hz"), number(row, "q"));
        let decay_s = 2.0 * q / (TAU * freq_hz);
        assert!((number(row, "t_e_s") / decay_s - 1.0).abs() < 1e-12, "{row:?}");
        let side = dir.path().join("out").join(cell(row, "file").replace(".wav", ".json"));
        let side: serde_json::Value = serde_json::from_str(&fs::read_to_string(side).unwrap()).unwrap();
        // All that rings has it, and not the first of many modes.
        for mode in side["modes"]["bar"].as_array().unwrap() {
            assert!((mode["freq_hz"].as_f64().unwrap() / freq_hz - 1.0).abs() < 1e-9, "{mode}");
            assert!((mode["q"].as_f64().unwrap() / q - 1.0).abs() < 1e-9, "{mode}");
        }
    }
}

#[test]
fn a_sidecar_tells_every_quantity_and_its_scene_gives_the_same_sound_again() {
    let dir = small();
    let here = dir.path();
    good(here, &["sweep", "set.toml", "-o", "out"]);
    let side: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(here.join("out/set-005.json")).unwrap()).unwrap();
    assert_eq!(side["factors"]["size"], "large");
    assert_eq!(side["factors"]["pitch_hz"], 600.0);
    assert_eq!(side["parameters"]["hammer/mass_kg"]["value"], 0.02);
    assert_eq!(side["parameters"]["hammer/mass_kg"]["unit"], "kg");
    let mode = &side["modes"]["bar"][0];
    assert!((mode["freq_hz"].as_f64().unwrap() - 600.0).abs() < 1e-9);
    assert!((mode["q"].as_f64().unwrap() - 20.0).abs() < 1e-9);
    assert!((mode["damped_freq_hz"].as_f64().unwrap() - 600.0 * (1.0 - 1.0 / 1600.0_f64).sqrt()).abs() < 1e-9);
    for key in ["program", "seed", "rate_hz", "duration_s", "level", "health", "order", "repetition", "key"] {
        assert!(!side[key].is_null(), "{key}");
    }
    // The scene inside, with its live values and gain, is the sound.
    fs::write(here.join("again.toml"), side["scene_text"].as_str().unwrap()).unwrap();
    let gain = format!("--gain-db={}", side["level"]["gain_db"]);
    good(here, &["render", "again.toml", "-o", "again.wav", "--set", "hammer/mass_kg=0.02", &gain]);
    assert_eq!(samples(&here.join("again.wav")).0, samples(&here.join("out/set-005.wav")).0);
}

#[test]
fn orders_are_seeded_differ_between_listeners_and_keep_blocks_together() {
    let dir = small();
    good(dir.path(), &["sweep", "set.toml", "-o", "out"]);
    let sizes: Vec<(String, String)> = table(&dir.path().join("out/manifest.tsv"))
        .iter()
        .map(|row| (cell(row, "file").to_owned(), cell(row, "size").to_owned()))
        .collect();
    let orders = table(&dir.path().join("out/order.tsv"));
    assert_eq!(orders.len(), 4 * 12);
    let heard: Vec<Vec<&str>> =
        orders.chunks(12).map(|rows| rows.iter().map(|row| cell(row, "file")).collect()).collect();
    for order in &heard {
        let size = |file: &&str| sizes.iter().find(|(known, _)| known == file).unwrap().1.clone();
        let blocks: Vec<String> = order.iter().map(size).collect();
        assert_eq!(blocks.windows(2).filter(|w| w[0] != w[1]).count(), 1, "{blocks:?}");
        let mut sorted = order.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 12);
    }
    assert!(heard.windows(2).all(|w| w[0] != w[1]));
}

#[test]
fn a_bad_design_is_one_line_with_its_line_number_and_the_nearest_word() {
    let dir = small();
    let here = dir.path();
    let cases: &[(&str, &str, &str)] = &[
        ("listeners = 4", "listners = 4", "bad.toml:4: listners: unknown key; did you mean 'listeners'?"),
        ("scene = \"scene.toml\"", "scene = \"seen.toml\"", "bad.toml:2: scene: cannot read seen.toml"),
        ("scene = \"scene.toml\"\n", "", "needs scene"),
        (
            "linear = [300.0, 900.0, 3]",
            "linaer = [300.0, 900.0, 3]",
            "bad.toml:14: factor[1].linaer: unknown key; did you mean 'linear'?",
        ),
        ("linear = [300.0, 900.0, 3]", "log = [-1, 2, 3]", "log needs both ends above 0"),
        ("linear = [300.0, 900.0, 3]", "linear = [300.0, 900.0]", "three numbers"),
        ("linear = [300.0, 900.0, 3]", "linear = [300.0, 900.0, 2000000]", "count"),
        ("linear = [300.0, 900.0, 3]", "linear = [300.0, 900.0, 90000]", "more than 100000"),
        (
            "linear = [300.0, 900.0, 3]",
            "linear = [300.0, 30000.0, 3]",
            "bad.toml:18: set.body.bar.modes[0].freq_hz: scene.toml:6: body.bar.modes[0].freq_hz: 30000 Hz is not below half",
        ),
        ("[0.005, 0.02]", "[0.005]", "bad.toml:11: factor[0].set.hammer/mass_kg: has 1 values for 2 levels"),
        ("\"hammer/mass_kg\"", "\"hammer/mass\"", "did you mean 'hammer/mass_kg'?"),
        ("[0.005, 0.02]", "[0.005, -2]", "out of range"),
        (
            "\"pitch_hz\"\n\"body",
            "\"picth_hz\"\n\"body",
            "bad.toml:18: set.body.bar.modes[0].freq_hz: unknown name 'picth_hz'; did you mean 'pitch_hz'?",
        ),
        ("20 / (pi * pitch_hz)", "20 / (pi * size)", "'size' has words for levels"),
        ("20 / (pi * pitch_hz)", "20 / (pitch_hz - 300)", "bad.toml:16: derived.decay_s: the formula gives inf at"),
        ("modes[0].freq_hz", "modes[3].freq_hz", "there is no [3]"),
        ("modes[0].freq_hz", "modes[0].frq_hz", "did you mean 'freq_hz'?"),
        ("body.bar.modes[0].freq_hz", "body.bra.modes[0].freq_hz", "did you mean 'bar'?"),
        ("lufs = -30.0\n[cal", "lufs = 9\n[cal", "bad.toml:21: level.lufs: found 9; wants a number from -100 to 0"),
        ("db_spl = 65.0\n", "", "needs lufs and db_spl"),
        ("answers = [\"wood\", \"steel\"]", "answers = [\"wood\"]", "two to nine"),
        ("block = \"size\"", "block = \"sise\"", "did you mean 'size'?"),
        ("repetitions = 2", "repetitions = 0", "whole number from 1"),
        ("name = \"pitch_hz\"", "name = \"size\"", "is taken"),
    ];
    for (from, to, words) in cases {
        assert!(DESIGN.contains(from), "{from}");
        fs::write(here.join("bad.toml"), DESIGN.replacen(from, to, 1)).unwrap();
        let out = tocco(here, &["sweep", "bad.toml", "-o", "nothing"]);
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{from}: {error}");
        assert_eq!(error.trim_end().lines().count(), 1, "{error}");
        assert!(error.contains(words), "{from} -> {to}: {error}");
        assert!(!here.join("nothing").exists(), "{from}: nothing is left behind");
    }
    fs::write(
        here.join("mute.toml"),
        SCENE
            .replace("strike = \"hammer\"", "hit = \"bar\"")
            .replace("velocity_m_s", "impulse_n_s")
            .replace("1.0", "0.0"),
    )
    .unwrap();
    fs::write(here.join("bad.toml"), DESIGN.replace("scene.toml", "mute.toml")).unwrap();
    let silent = tocco(here, &["sweep", "bad.toml", "-o", "silent"]);
    assert!(silent.status.code() == Some(2) && String::from_utf8_lossy(&silent.stderr).contains("silent"));
    for (arguments, words) in [
        (&["sweep", "set.toml", "-o", "x", "--rate", "48000"][..], "--rate does not go with a design; write rate_hz"),
        (&["sweep", "scene.toml", "-o", "x"], "nothing to sweep over"),
        (&["sweep", "materials-avanzini-2002", "-o", "x"], "did you mean 'materials-avanzini-2001'?"),
        (&["answers", ".", "x.tsv", "-o", "y"], "no set.json here"),
    ] {
        let out = tocco(here, arguments);
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(2) && error.contains(words), "{arguments:?}: {error}");
    }
}

/// Answers of listeners who name the material by the quality factor alone, each with limits of its own around these.
const LIMITS: [f64; 3] = [20.0, 150.0, 1000.0];
const WORDS: [&str; 4] = ["rubber", "wood", "glass", "steel"];

#[test]
fn the_ranges_drawn_from_synthetic_listeners_are_their_thresholds() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    // By the name it once had, too.
    assert_eq!(
        tocco(here, &["scenes", "materials-003"]).stdout,
        tocco(here, &["scenes", "materials-avanzini-2001"]).stdout
    );
    let design = tocco(here, &["scenes", "materials-avanzini-2001"]).stdout;
    // Short and coarse: what is tested is the counting.
    let text = String::from_utf8(design).unwrap().replace("bits = 24", "bits = 16\nduration_s = 0.05\nrate_hz = 8000");
    fs::write(here.join("set.toml"), text).unwrap();
    good(here, &["sweep", "set.toml", "-o", "set"]);
    let rows = table(&here.join("set/manifest.tsv"));
    let q_of = |file: &str| number(rows.iter().find(|row| cell(row, "file") == file).unwrap(), "q");
    let (mut page, mut typed) = (Vec::new(), String::from("listener\ttrial\tanswer\n"));
    for row in table(&here.join("set/order.tsv")) {
        let (listener, trial, file) = (cell(&row, "listener"), cell(&row, "trial"), cell(&row, "file"));
        // Limits spread evenly in log q around the middle one: half the listeners stand below it, half above.
        let lean = 1.6_f64.powf((listener.parse::<f64>().unwrap() - 11.5) / 11.0);
        let answer = WORDS[LIMITS.iter().filter(|limit| q_of(file) > **limit * lean).count()];
        if listener.parse::<u32>().unwrap() <= 20 {
            page.push(format!("{listener}\t{trial}\t{file}\t{answer}\n"));
        } else {
            typed.push_str(&format!("{listener}\t{trial}\t{answer}\n"));
        }
    }
    fs::write(here.join("answers-1.tsv"), format!("listener\ttrial\tfile\tanswer\n{}", page.concat())).unwrap();
    fs::write(here.join("typed.tsv"), typed).unwrap();
    let said = good(here, &["answers", "set", "answers-1.tsv", "typed.tsv", "-o", "drawn"]);
    assert!(said.contains("22 listeners, 2200 answers"), "{said}");
    for name in ["proportions.png", "ranges.png"] {
        assert!(fs::metadata(here.join("drawn").join(name)).unwrap().len() > 10_000);
    }
    // The limits fall between levels; the table must name the levels on either side.
    let levels: Vec<f64> = (0..20).map(|i| 5.0 * 1000.0_f64.powf(f64::from(i) / 19.0)).collect();
    let ranges = fs::read_to_string(here.join("drawn/ranges.csv")).unwrap();
    for (i, word) in WORDS.iter().enumerate() {
        let line = ranges.lines().find(|line| line.starts_with(word)).unwrap();
        let cells: Vec<f64> = line.split(',').skip(1).map(|cell| cell.parse().unwrap()).collect();
        let above = if i == 0 { 0.0 } else { LIMITS[i - 1] };
        let below = if i == 3 { f64::INFINITY } else { LIMITS[i] };
        let inside: Vec<f64> = levels.iter().copied().filter(|q| *q > above && *q <= below).collect();
        let (low, high) = (inside[0], *inside.last().unwrap());
        assert!((cells[3] / low - 1.0).abs() < 1e-9 && (cells[4] / high - 1.0).abs() < 1e-9, "{line}: {low} {high}");
        assert_eq!(cells[0] as usize, 5 * inside.len());
        // t_e = q / (pi f) over pitches of 1 to 2 kHz.
        let (least, most) = (low / (std::f64::consts::PI * 2000.0), high / (std::f64::consts::PI * 1000.0));
        assert!((cells[5] / least - 1.0).abs() < 1e-9 && (cells[6] / most - 1.0).abs() < 1e-9, "{line}");
    }
    // Where all agree the proportion is 1, and every row sums to 1.
    let proportions = fs::read_to_string(here.join("drawn/proportions.csv")).unwrap();
    assert_eq!(proportions.lines().count(), 101);
    for line in proportions.lines().skip(1) {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        assert!((cells[4..].iter().sum::<f64>() - 1.0).abs() < 1e-3 && cells[3] == 22.0, "{line}");
    }

    the_picture_of_the_documents(here, &q_of);
    for (from, to, words) in [
        ("\twood\n", "\twod\n", "'wod' is no answer; did you mean 'wood'?"),
        ("listener\ttrial\tfile", "who\ttrial\tfile", "has no column 'listener'"),
        ("set-001.wav", "sat-001.wav", "is no sound of this set"),
    ] {
        let text = fs::read_to_string(here.join("answers-1.tsv")).unwrap();
        assert!(text.contains(from), "{from}");
        fs::write(here.join("bad.tsv"), text.replacen(from, to, 1)).unwrap();
        let out = tocco(here, &["answers", "set", "bad.tsv", "-o", "none"]);
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(2) && error.contains(words) && error.contains("bad.tsv:"), "{error}");
        assert!(!here.join("none").exists());
    }
    let twice = tocco(here, &["answers", "set", "typed.tsv", "typed.tsv", "-o", "none"]);
    assert!(String::from_utf8_lossy(&twice.stderr).contains("has answered"));
}

/// That of docs/stimulus-sets.md: limits near 25, 150 and 900, moved by some doubt at every sound.
fn the_picture_of_the_documents(here: &Path, q_of: &dyn Fn(&str) -> f64) {
    let mut state = 1_u64;
    let mut unit = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let mut answers = String::from("listener\ttrial\tanswer\n");
    for row in table(&here.join("set/order.tsv")) {
        let (listener, trial, file) = (cell(&row, "listener"), cell(&row, "trial"), cell(&row, "file"));
        let lean = 4.0_f64.powf(unit() + unit() + unit() - 1.5);
        let answer = WORDS[[25.0, 150.0, 900.0].iter().filter(|limit| q_of(file) > **limit * lean).count()];
        answers.push_str(&format!("{listener}\t{trial}\t{answer}\n"));
    }
    fs::write(here.join("doubtful.tsv"), answers).unwrap();
    good(here, &["answers", "set", "doubtful.tsv", "-o", "doubtful"]);
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/stimulus-sets.png");
    assert_shipped(&fs::read(here.join("doubtful/proportions.png")).unwrap(), &shipped);
}

/// Where Chromium and Node are, or what is missing.
fn browser() -> Result<String, &'static str> {
    let found = |name: &str| {
        let out = Command::new(name).arg("--version").stdin(Stdio::null()).output();
        out.is_ok_and(|out| out.status.success())
    };
    if !found("node") {
        return Err("node (Debian package nodejs)");
    }
    let name = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| found(name));
    name.map(str::to_owned).ok_or("chromium (Debian package chromium)")
}

#[test]
fn a_listener_runs_the_page_with_the_keyboard_and_the_answers_are_read_back() {
    let browser = match browser() {
        Ok(browser) => browser,
        Err(missing) => return skip("the listening page in a browser", missing),
    };
    let dir = small();
    let here = dir.path();
    fs::write(here.join("set.toml"), format!("{DESIGN}pause_s = 0.0\n")).unwrap();
    good(here, &["sweep", "set.toml", "-o", "out"]);
    let page = fs::read_to_string(here.join("out/listen.html")).unwrap();
    assert!(!page.contains("http:") && !page.contains("https:"), "the page asks nothing of the network");
    let work = here.join("work");
    fs::create_dir(&work).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/listen.mjs");
    let run = Command::new("node").arg(script).arg(browser).arg(here.join("out")).arg(&work).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    let seen: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(seen["strangers"].as_array().unwrap().len(), 0, "{seen}");
    assert_eq!(seen["rows"], 12, "one line of the sheet per sound");
    // The browser draws the orders of order.tsv.
    let orders = table(&here.join("out/order.tsv"));
    for (listener, rows) in orders.chunks(12).enumerate() {
        let files: Vec<&str> = rows.iter().map(|row| cell(row, "file")).collect();
        assert_eq!(seen["orders"][listener], serde_json::json!(files));
    }
    let answers = table(&work.join("answers-1.tsv"));
    assert_eq!(answers.len(), 12);
    for (trial, row) in answers.iter().enumerate() {
        assert_eq!(cell(row, "file"), cell(&orders[trial], "file"));
        let pressed = if trial == 11 { 0 } else { trial % 2 };
        assert_eq!(cell(row, "answer"), ["wood", "steel"][pressed]);
        assert_eq!(cell(row, "plays"), if trial == 5 { "2" } else { "1" }, "heard again after the reload");
    }
    let said = good(here, &["answers", "out", "work/answers-1.tsv", "-o", "drawn"]);
    assert!(said.contains("1 listener, 12 answers"), "{said}");
}
