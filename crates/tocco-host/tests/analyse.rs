// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco analyse` finds what it should: on synthetic strikes every mode and no other, on real recordings bodies that sound
//! like the object, on bad input one line.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod common;
use common::tocco;
use std::f64::consts::TAU;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tocco::rng::Rng;
use tocco_host::analyse::read::Recording;
use tocco_host::analyse::{Analysis, Options, analyse, mel};
use tocco_host::wav::{Encoding, Format, Info, WavReader, WavWriter};
use tocco_testing::pictures::assert_shipped;
use tocco_testing::skip;

const RATE_HZ: f64 = 48_000.0;

/// A mode of a synthetic strike: Hz (damped), 1/s, amplitude.
#[derive(Clone, Copy, Debug)]
struct True {
    hz: f64,
    sigma: f64,
    amplitude: f64,
}

/// A random struck object: decays shorter the higher the mode, amplitudes within 40 dB, sometimes two modes close together
/// (two to four half-power widths, as the doublets of bells and of plates).
fn object(seed: u64) -> Vec<True> {
    let mut rng = Rng::new(seed, "object");
    let count = 5 + (rng.unit() * 26.0) as usize;
    let mut modes: Vec<True> = Vec::new();
    while modes.len() < count {
        let mut hz = rng.between_log(80.0, 15_000.0);
        let mut sigma = rng.between_log(1.5, 8.0) + hz / rng.between_log(100.0, 1_000.0);
        if rng.unit() < 0.2
            && let Some(other) = modes.last()
        {
            sigma = other.sigma * rng.between_log(0.7, 1.4);
            hz = other.hz + rng.between(2.0, 4.0) * sigma.max(other.sigma) / (0.5 * TAU);
        }
        let clear = |m: &True| (m.hz - hz).abs() > 1.9 * m.sigma.max(sigma) / (0.5 * TAU);
        if modes.iter().all(clear) {
            let sign = if rng.unit() < 0.5 { -1.0 } else { 1.0 };
            modes.push(True { hz, sigma, amplitude: sign * rng.between_log(0.0105, 1.0) });
        }
    }
    modes
}

/// The strike at 0.0333 s, with noise so far below the level of its first tenth of a second.
fn strike(modes: &[True], snr_db: f64, seed: u64, length_s: f64) -> (Vec<f64>, f64) {
    let onset = 1600;
    let mut samples = vec![0.0; (length_s * RATE_HZ) as usize];
    for m in modes {
        for (n, x) in samples[onset..].iter_mut().enumerate() {
            let t = n as f64 / RATE_HZ;
            *x += 0.1 * m.amplitude * (-m.sigma * t).exp() * (TAU * m.hz * t).cos();
        }
    }
    let power = samples[onset..onset + 4800].iter().map(|x| x * x).sum::<f64>() / 4800.0;
    let noise = power.sqrt() * 10_f64.powf(-snr_db / 20.0);
    let mut rng = Rng::new(seed, "noise");
    samples.iter_mut().for_each(|x| *x += noise * rng.normal());
    (samples, noise)
}

fn recording(samples: Vec<f64>) -> Recording {
    Recording { name: "synthetic".into(), rate_hz: RATE_HZ, samples, lossy: false }
}

/// Damped frequency, Hz, and decay rate, 1/s, of what was found.
fn found(analysis: &Analysis) -> Vec<(f64, f64, f64)> {
    let pole = |m: &tocco_host::analyse::Mode| {
        let (omega, sigma) = (TAU * m.freq_hz, 1.0 / m.decay_s);
        ((omega * omega - sigma * sigma).sqrt() / TAU, sigma, m.weights[0])
    };
    analysis.modes.iter().map(pole).collect()
}

/// Cramer-Rao bound on a mode's decay rate, relative, together with its nearest neighbour: information summed over samples.
fn bound(modes: &[True], k: usize, noise: f64) -> f64 {
    let m = modes[k];
    let others = modes.iter().enumerate().filter(|(i, _)| *i != k).map(|(_, o)| *o);
    let near = others.min_by(|a, b| (a.hz - m.hz).abs().total_cmp(&(b.hz - m.hz).abs())).unwrap();
    let mut fisher = nalgebra::DMatrix::<f64>::zeros(8, 8);
    for n in 0..(2.0 * RATE_HZ) as usize {
        let t = n as f64 / RATE_HZ;
        let mut slope = [0.0; 8];
        for (i, m) in [m, near].iter().enumerate() {
            let (fall, turn) = (0.1 * m.amplitude * (-m.sigma * t).exp(), TAU * m.hz * t);
            slope[4 * i] = -t * fall * turn.cos() * m.sigma;
            slope[4 * i + 1] = -t * fall * turn.sin() * m.sigma;
            slope[4 * i + 2] = fall * turn.cos();
            slope[4 * i + 3] = fall * turn.sin();
        }
        for a in 0..8 {
            for b in 0..8 {
                fisher[(a, b)] += slope[a] * slope[b] / (noise * noise);
            }
        }
    }
    fisher.try_inverse().map_or(f64::INFINITY, |inverse| inverse[(0, 0)].sqrt())
}

/// Relative errors of frequency and decay of each mode that was found.
type Errors = Vec<Option<(f64, f64)>>;

/// Pairs true modes with found ones, strongest first; what is left over of the found are ghosts.
fn judge(modes: &[True], analysis: &Analysis) -> (Errors, Vec<(f64, f64, f64)>) {
    let mut rest = found(analysis);
    let mut order: Vec<usize> = (0..modes.len()).collect();
    order.sort_by(|a, b| modes[*b].amplitude.abs().total_cmp(&modes[*a].amplitude.abs()));
    let mut errors = vec![None; modes.len()];
    for k in order {
        let m = modes[k];
        let far = |f: &(f64, f64, f64)| (f.0 - m.hz).abs();
        let near = (0..rest.len()).min_by(|a, b| far(&rest[*a]).total_cmp(&far(&rest[*b])));
        if let Some(i) = near.filter(|&i| far(&rest[i]) < (3e-3 * m.hz).max(m.sigma / TAU)) {
            let f = rest.swap_remove(i);
            errors[k] = Some(((f.0 / m.hz - 1.0).abs(), (f.1 / m.sigma - 1.0).abs()));
        }
    }
    (errors, rest)
}

#[test]
fn at_60_db_every_mode_within_40_db_is_found_with_frequency_to_a_thousandth_decay_to_a_twentieth_and_no_ghosts() {
    let (mut worst_hz, mut worst_decay, mut all) = (0.0_f64, 0.0_f64, 0);
    for seed in 1..=6 {
        let modes = object(seed);
        let (samples, _) = strike(&modes, 60.0, seed, 2.0);
        let analysis = analyse(&[recording(samples)], &Options::default()).unwrap();
        let (errors, ghosts) = judge(&modes, &analysis);
        assert!(ghosts.is_empty(), "object {seed}: ghosts {ghosts:?}");
        for (mode, error) in modes.iter().zip(errors) {
            let (hz, decay) = error.unwrap_or_else(|| panic!("object {seed}: {mode:?} is not found"));
            assert!(hz < 1e-3 && decay < 0.05, "object {seed}: {mode:?} off by {hz} and {decay}");
            (worst_hz, worst_decay, all) = (worst_hz.max(hz), worst_decay.max(decay), all + 1);
        }
    }
    println!("60 dB: {all} modes, worst frequency {worst_hz:.1e}, worst decay {worst_decay:.1e}");
}

#[test]
fn at_20_db_the_same_holds_for_modes_whose_bound_allows_it() {
    let (mut judged, mut worst) = (0, 0.0_f64);
    for seed in 1..=6 {
        let modes = object(seed);
        let (samples, noise) = strike(&modes, 20.0, seed, 2.0);
        let analysis = analyse(&[recording(samples)], &Options::default()).unwrap();
        let (errors, ghosts) = judge(&modes, &analysis);
        assert!(ghosts.is_empty(), "object {seed}: ghosts {ghosts:?}");
        for (k, error) in errors.into_iter().enumerate() {
            let bound = bound(&modes, k, noise);
            if bound <= 0.02 {
                let (hz, decay) =
                    error.unwrap_or_else(|| panic!("object {seed}: {:?}, bound {bound}, is not found", modes[k]));
                assert!(
                    hz < 1e-3 && decay < 0.05,
                    "object {seed}: {:?}, bound {bound}, off by {hz} and {decay}",
                    modes[k]
                );
                (judged, worst) = (judged + 1, worst.max(decay));
            }
        }
    }
    println!("20 dB: {judged} modes judged, worst decay {worst:.1e}");
    assert!(judged >= 20, "{judged}");
}

#[test]
fn strikes_of_one_object_share_their_modes_and_give_a_port_each() {
    let all = object(3);
    // Each strike misses other modes, as places near a node do.
    let place = |skip: usize| -> Vec<True> {
        all.iter()
            .enumerate()
            .map(|(i, m)| True { amplitude: if i % 4 == skip { 0.0 } else { m.amplitude }, ..*m })
            .collect()
    };
    let strikes: Vec<Recording> =
        [0, 1].map(|skip| recording(strike(&place(skip), 60.0, 9 + skip as u64, 2.0).0)).to_vec();
    let analysis = analyse(&strikes, &Options::default()).unwrap();
    let (errors, ghosts) = judge(&all, &analysis);
    assert!(
        ghosts.is_empty() && errors.iter().all(|e| e.is_some_and(|(hz, decay)| hz < 1e-3 && decay < 0.05)),
        "{errors:?} {ghosts:?}"
    );
    let text = analysis.toml("pot", 0.05);
    let def = tocco::SceneDef::from_text(&text).unwrap();
    assert_eq!(def.events.len(), 2);
    assert!(text.contains("strike1 = [") && text.contains("strike2 = [") && text.contains("ear = ["), "{text}");
    // One file with both strikes says the same.
    let both = [strikes[0].samples.clone(), strikes[1].samples.clone()].concat();
    let together = analyse(&[recording(both)], &Options { strikes: 2, ..Options::default() }).unwrap();
    assert_eq!((together.strikes.len(), together.modes.len()), (2, analysis.modes.len()));
}

#[test]
fn the_body_sounds_like_the_strike_and_the_picture_shows_both() {
    let modes = object(2);
    let strikes = [recording(strike(&modes, 60.0, 4, 2.0).0)];
    let analysis = analyse(&strikes, &Options::default()).unwrap();
    let span = analysis.strikes[0].span;
    let heard = &strikes[0].samples[span.start..span.end];
    let body = analysis.resynthesis(0, heard.len()).unwrap();
    let energy = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    let level_db = 10.0 * (energy(&body) / energy(heard)).log10();
    assert!(level_db.abs() < 0.5, "{level_db}");
    let distance = mel::distance_db(heard, &body, RATE_HZ);
    assert!(distance < 2.0, "{distance}");
    let dir = tempfile::tempdir().unwrap();
    let shipped = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/models/analyse.png");
    let picture = dir.path().join("analyse.png");
    analysis.picture(&strikes, &picture).unwrap();
    assert_shipped(&fs::read(&picture).unwrap(), &shipped);
}

fn write_wav(path: &Path, rate_hz: f64, samples: &[f64]) {
    let format = Format::new(1, rate_hz, Encoding::Int16).unwrap();
    let mut wav =
        WavWriter::new(fs::File::create(path).unwrap(), format, Info::new(), samples.len() as u64, 1).unwrap();
    wav.write(&samples.iter().map(|x| *x as f32).collect::<Vec<_>>()).unwrap();
    wav.finish().unwrap();
}

/// A short strike that is quick to analyse.
fn small() -> Vec<f64> {
    let mode = |hz, sigma, amplitude| True { hz, sigma, amplitude };
    strike(&[mode(440.0, 9.0, 3.0), mode(1217.0, 14.0, -1.5), mode(2950.0, 25.0, 1.0)], 60.0, 5, 0.6).0
}

#[test]
fn recordings_that_cannot_be_analysed_get_one_line_and_code_2_and_leave_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    let tone = |gain: f64| -> Vec<f64> {
        (0..24_000).map(|n| (gain * (0.05 * f64::from(n)).sin()).clamp(-0.9, 0.9)).collect()
    };
    let mut rng = Rng::new(2, "hiss");
    write_wav(&here.join("silence.wav"), RATE_HZ, &[0.0; 9600]);
    write_wav(
        &here.join("clipped.wav"),
        RATE_HZ,
        &small().iter().map(|x| (4.0 * x).clamp(-0.9, 0.9)).collect::<Vec<_>>(),
    );
    write_wav(&here.join("tone.wav"), RATE_HZ, &tone(0.5));
    write_wav(&here.join("hiss.wav"), RATE_HZ, &(0..24_000).map(|_| 0.1 * rng.normal()).collect::<Vec<_>>());
    write_wav(&here.join("short.wav"), RATE_HZ, &small()[1600..2600]);
    write_wav(&here.join("slow.wav"), 4_000.0, &small());
    write_wav(&here.join("good.wav"), RATE_HZ, &small());
    write_wav(&here.join("other.wav"), 44_100.0, &small());
    write_wav(&here.join("empty.wav"), RATE_HZ, &[]);
    write_wav(&here.join("one.wav"), RATE_HZ, &[0.5]);
    let stops: Vec<f64> = tone(0.5)[..12_000].iter().copied().chain(std::iter::repeat_n(0.0, 36_000)).collect();
    write_wav(&here.join("stops.wav"), RATE_HZ, &stops);
    let rustle: Vec<f64> = (0..24_000).map(|n| 0.3 * (-f64::from(n) / 4_000.0).exp() * rng.normal()).collect();
    write_wav(&here.join("rustle.wav"), RATE_HZ, &rustle);
    let antiphase: Vec<f32> = small().iter().flat_map(|x| [*x as f32, -*x as f32]).collect();
    let stereo = Format::new(2, RATE_HZ, Encoding::Int16).unwrap();
    let file = fs::File::create(here.join("antiphase.wav")).unwrap();
    let mut wav = WavWriter::new(file, stereo, Info::new(), small().len() as u64, 1).unwrap();
    wav.write(&antiphase).unwrap();
    wav.finish().unwrap();
    fs::write(here.join("text.wav"), "not a sound").unwrap();
    fs::write(here.join("broken.flac"), b"fLaC and nothing that follows").unwrap();
    fs::write(here.join("broken.ogg"), b"OggS and nothing that follows").unwrap();
    let names = || {
        let mut names: Vec<_> = fs::read_dir(here).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    let cases: &[(&str, &[&str])] = &[
        ("silence", &["silence.wav"]),
        ("no sound in it (0 samples)", &["empty.wav"]),
        ("no sound in it (1 samples)", &["one.wav"]),
        ("channels cancel", &["antiphase.wav"]),
        ("no decay (it is as loud until it stops)", &["stops.wav"]),
        ("clipped", &["clipped.wav"]),
        ("no decay", &["tone.wav"]),
        ("no decay", &["hiss.wav"]),
        ("give at least 30", &["short.wav"]),
        ("8 to 384 kHz", &["slow.wav"]),
        ("one rate", &["good.wav", "other.wav"]),
        ("WAV, FLAC or Ogg", &["text.wav"]),
        ("WAV, FLAC or Ogg", &["broken.flac"]),
        ("WAV, FLAC or Ogg", &["broken.ogg"]),
        ("no such file", &["missing.wav"]),
        ("strikes found, not 9", &["good.wav", "--strikes", "9"]),
        ("--modes 0", &["good.wav", "--modes", "0"]),
        ("--min-hz", &["good.wav", "--min-hz", "900", "--max-hz", "100"]),
        ("--mass-kg", &["good.wav", "--mass-kg", "0"]),
    ];
    for (words, arguments) in cases {
        let out = tocco(here, &[&["analyse"], *arguments, &["-o", "body.toml"]].concat());
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{arguments:?}: {error}");
        assert!(error.lines().count() == 1 && error.contains(words), "{arguments:?}: {error}");
        assert_eq!(names(), before, "{arguments:?}");
    }
    // Noise that decays: exponentials fit some of it, and it must be said that it is not modal.
    let noise = tocco(here, &["analyse", "rustle.wav", "-o", "-"]);
    let words = String::from_utf8_lossy(&noise.stderr).into_owned();
    assert!(words.contains("much of it is not modal") || noise.status.code() == Some(2), "{words}");
    let good = fs::read(here.join("good.wav")).unwrap();
    fs::create_dir(here.join("inner")).unwrap();
    for same in ["good.wav", "./good.wav", "inner/../good.wav"] {
        for words in [&["-o", same][..], &["-o", "good.toml", "--picture", same]] {
            let out = tocco(here, &[&["analyse", "good.wav"], words].concat());
            assert_eq!(out.status.code(), Some(2), "{words:?}");
            assert!(fs::read(here.join("good.wav")).unwrap() == good, "{words:?}: the recording is gone");
        }
    }
}

#[test]
fn of_two_strikes_in_a_file_the_first_is_used_and_it_is_said() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    write_wav(&here.join("twice.wav"), RATE_HZ, &[small(), small()].concat());
    let out = tocco(here, &["analyse", "twice.wav", "-o", "pot.toml"]);
    let words = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "{words}");
    assert!(words.contains("3 modes") && words.contains("2 strikes") && words.contains("--strikes 2"), "{words}");
    let both = tocco(here, &["analyse", "twice.wav", "-o", "pot.toml", "--strikes", "2"]);
    assert!(both.status.success() && !String::from_utf8_lossy(&both.stdout).contains("this one is used"));
}

#[test]
fn an_offset_of_the_converter_is_no_part_of_the_sound() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    let shifted: Vec<f64> = small().iter().map(|x| 0.5 * x + 0.2).collect();
    write_wav(&here.join("offset.wav"), RATE_HZ, &shifted);
    let out = tocco(here, &["analyse", "offset.wav", "-o", "pot.toml"]);
    let words = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    let level: f64 = words.split("level ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!(out.status.success() && words.contains("3 modes") && level.abs() < 0.5, "{words}");
}

#[test]
fn the_signs_of_the_modes_differ_between_strikes_as_the_places_do() {
    let mut rng = Rng::new(11, "signs");
    for object in 0..5 {
        let modes: Vec<(f64, f64)> = (0..7)
            .map(|k| (300.0 * (1.0 + 1.7 * f64::from(k)) * rng.between(0.9, 1.1), rng.between(0.05, 0.3)))
            .collect();
        let turns: Vec<f64> = modes.iter().map(|_| rng.between(0.0, TAU)).collect();
        let strike = |signs: &[f64], at_s: f64| Recording {
            name: "x".into(),
            rate_hz: RATE_HZ,
            samples: (0..24_000)
                .map(|n| {
                    let t = f64::from(n) / RATE_HZ - at_s;
                    let one = |k: usize| signs[k] * (-t / modes[k].1).exp() * (TAU * modes[k].0 * t + turns[k]).cos();
                    if t < 0.0 { 0.0 } else { 0.1 * (0..modes.len()).map(one).sum::<f64>() }
                })
                .collect(),
            lossy: false,
        };
        let signs: Vec<Vec<f64>> = (0..3)
            .map(|_| modes.iter().map(|_| rng.between(0.4, 1.0) * if rng.unit() < 0.5 { -1.0 } else { 1.0 }).collect())
            .collect();
        // Counted from moments that are no whole samples apart.
        let takes = [strike(&signs[0], 0.05), strike(&signs[1], 0.1001), strike(&signs[2], 0.020_033)];
        let found = analyse(&takes, &Options::default()).unwrap();
        assert_eq!(found.modes.len(), modes.len(), "object {object}");
        for j in 1..3 {
            let ours: Vec<bool> = found.modes.iter().map(|m| m.weights[j] * m.weights[0] > 0.0).collect();
            let true_ones: Vec<bool> = (0..modes.len()).map(|k| signs[j][k] * signs[0][k] > 0.0).collect();
            assert_eq!(ours, true_ones, "object {object}, strike {j}");
        }
    }
}

#[test]
fn no_mode_is_outside_the_frequencies_asked_for() {
    let options = Options { min_hz: 430.0, max_hz: 1300.0, ..Options::default() };
    for (options, count) in
        [(options, 2), (Options { min_hz: 460.0, ..options }, 1), (Options { max_hz: 1200.0, ..options }, 1)]
    {
        let analysis = analyse(&[recording(small())], &options).unwrap();
        let inside = |m: &tocco_host::analyse::Mode| (options.min_hz..=options.max_hz).contains(&m.freq_hz);
        assert!(analysis.modes.iter().all(inside), "{:?}", analysis.modes);
        assert!(analysis.modes.len() >= count, "{:?}", analysis.modes);
    }
}

#[test]
fn a_body_takes_a_hammer_and_answers_at_a_sensible_level() {
    let analysis = analyse(&[recording(small())], &Options::default()).unwrap();
    let mut text = analysis.toml("pot", 0.05);
    let hits = text.find("[[event]]").unwrap();
    let taps = text.find("[[tap]]").unwrap();
    let hammer = "[body.hammer]\ntype = \"mass\"\nmass_kg = 0.01\n[contact.knock]\ntype = \"impact\"\n\
                  between = [\"hammer\", \"pot.strike1\"]\nhardness_01 = 0.6\nat_speed_m_s = 2.0\n\
                  [[event]]\nat_s = 0.0\nstrike = \"hammer\"\nvelocity_m_s = 2.0\n";
    text.replace_range(hits..taps, hammer);
    let def = tocco::SceneDef::from_text(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let mut sound = vec![0.0_f32; 24_000];
    tocco::Engine::new(tocco::Scene::build(&def, RATE_HZ).unwrap()).render(&mut [], &mut sound);
    let peak = |x: &mut dyn Iterator<Item = f64>| x.fold(0.0, |m: f64, x| m.max(x.abs()));
    let ratio = peak(&mut sound.iter().map(|x| f64::from(*x))) / peak(&mut small().into_iter());
    // 10 g at 2 m/s carry 0.02 to 0.04 N s; the hit that stands for the recorded strike is 0.05 N s.
    assert!((0.1..1.5).contains(&ratio), "{ratio}");
}

#[test]
fn wav_flac_and_ogg_give_scenes_that_render_at_the_level_of_the_recording() {
    let dir = tempfile::tempdir().unwrap();
    let here = dir.path();
    write_wav(&here.join("pot.wav"), RATE_HZ, &small());
    let mut kinds = vec!["wav"];
    for (kind, program, arguments) in [
        ("flac", "flac", ["--silent", "-f", "-o", "pot.flac", "pot.wav"]),
        ("ogg", "oggenc", ["--quiet", "-q9", "-o", "pot.ogg", "pot.wav"]),
    ] {
        match Command::new(program).args(arguments).current_dir(here).status() {
            Ok(status) if status.success() => kinds.push(kind),
            _ => skip(&format!("recordings of the kind {kind}"), &format!("the program '{program}'")),
        }
    }
    for kind in kinds {
        let (recording, scene) = (format!("pot.{kind}"), format!("{kind}.toml"));
        let out = tocco(here, &["analyse", &recording, "-o", &scene, "--picture", "pot.png"]);
        let words = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(out.status.success() && words.contains("residual"), "{kind}: {out:?}");
        assert!(words.contains("3 modes"), "{kind}: {words}");
        let out = tocco(here, &["render", &scene, "-o", "again.wav"]);
        assert!(out.status.success(), "{out:?}");
        let peak = |name: &str| {
            let mut wav = WavReader::open(&here.join(name)).unwrap();
            wav.read_mono(0, 48_000).unwrap().iter().fold(0.0, |m: f32, x| m.max(x.abs()))
        };
        let ratio = peak("again.wav") / peak("pot.wav");
        assert!((0.9..1.1).contains(&ratio), "{kind}: {ratio}");
    }
    assert!(fs::read(here.join("pot.png")).unwrap().starts_with(b"\x89PNG"));
}
