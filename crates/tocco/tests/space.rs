// SPDX-License-Identifier: MIT OR Apache-2.0
//! The space around an output: its floor of noise, and the pair of ears or microphones that hears it. [floor.1] [pair.1] to [pair.4]

mod common;
use common::{RATE_HZ, engine};
use std::f64::consts::{PI, SQRT_2, TAU};
use tocco::output::pair::{Pair, PairMake};
use tocco::rng::Rng;
use tocco::texture::fractal::Fractal;
use tocco::{Queue, Scene, SceneDef};

const SOUND_M_S: f64 = 343.2;
const HEAD: PairMake = PairMake::Head { radius_m: 0.0875 };
/// Cardioids at an angle a hand's breadth apart, in one place, and two that hear all around.
const SPREAD: PairMake = PairMake::Microphones { spacing_m: 0.17, angle_deg: 110.0, pattern_01: 0.5 };
const CROSSED: PairMake = PairMake::Microphones { spacing_m: 0.0, angle_deg: 90.0, pattern_01: 0.5 };
const SPACED: PairMake = PairMake::Microphones { spacing_m: 0.4, angle_deg: 0.0, pattern_01: 0.0 };

fn render(text: &str, frames: usize, block: usize) -> Vec<f32> {
    let mut engine = engine(text, RATE_HZ);
    let channels = engine.scene().channels();
    let mut out = vec![0.0; frames * channels];
    out.chunks_mut(block * channels).for_each(|part| {
        engine.render(&[], &mut Queue::new(), part);
    });
    out
}

fn level_db(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, n) = values.fold((0.0, 0.0), |(sum, n), x| (sum + x * x, n + 1.0));
    10.0 * (sum / n).log10()
}

/// A ball at rest, and an output that says more.
fn silent(output: &str, seed: u64) -> String {
    format!(
        "seed = {seed}\n[body.ball]\ntype = \"mass\"\n[[tap]]\nof = \"ball\"\n[output.main]\nchannels = [0, 1]\n{output}\n"
    )
}

#[test]
fn a_floor_has_the_level_and_the_slope_that_are_stated_and_without_one_there_is_silence() {
    assert!(render(&silent("", 1), 4_800, 480).iter().all(|x| *x == 0.0));
    let frames = 480_000;
    for (level, beta) in [(-60.0, 1.0), (-40.0, 0.0), (-75.0, 2.0)] {
        let text = silent(&format!("floor = {{ level_db = {level:?}, beta = {beta:?}, first_hz = 40.0 }}"), 1);
        let sound = render(&text, frames, frames);
        let channel = |c: usize| sound.iter().skip(c).step_by(2).map(|x| f64::from(*x));
        let found = [0, 1].map(|c| level_db(channel(c)));
        println!("level {level} dB, beta {beta}: {found:.2?} dB");
        assert!(found.iter().all(|found| (found - level).abs() < 1.0), "{found:?}");
        // Power in two bands an octave apart, by sums over bins of a long transform: 1/f^beta loses 3 (beta - 1) dB an octave.
        let all: Vec<f64> = channel(0).collect();
        let power = |from_hz: f64, to_hz: f64| {
            let mut sum = 0.0;
            for part in all.chunks_exact(4_800) {
                let (first, last) = ((from_hz / 10.0) as usize, (to_hz / 10.0) as usize);
                for bin in (first..last).step_by(1 + (last - first) / 12) {
                    let turn = TAU * bin as f64 / 4_800.0;
                    let (re, im) = part.iter().enumerate().fold((0.0, 0.0), |(re, im), (i, x)| {
                        let hann = 0.5 - 0.5 * (TAU * i as f64 / 4_800.0).cos();
                        let angle = turn * i as f64;
                        (re + hann * x * angle.cos(), im + hann * x * angle.sin())
                    });
                    sum += (re * re + im * im) * (1 + (last - first) / 12) as f64;
                }
            }
            10.0 * sum.log10()
        };
        let fall = (power(500.0, 1_000.0) - power(4_000.0, 8_000.0)) / 3.0;
        println!("falls by {fall:.2} dB an octave");
        assert!((fall - 10.0 * 2f64.log10() * (beta - 1.0)).abs() < 0.5, "{beta}: {fall}");
        let both = channel(0).zip(channel(1)).map(|(a, b)| a * b).sum::<f64>() / frames as f64;
        assert!(both.abs() < 0.1 * 10f64.powf(0.1 * level), "channels are each other's");
    }
}

#[test]
fn a_floor_is_its_seeds_alone_whatever_the_block() {
    let text = |seed| silent("floor = { level_db = -50.0 }", seed);
    let whole = render(&text(1), 9_600, 9_600);
    assert!([1, 37, 512].iter().all(|block| render(&text(1), 9_600, *block) == whole));
    assert_ne!(render(&text(2), 9_600, 9_600), whole);
}

/// Amplitude and delay of a tone that a pair hears on both sides, s.
fn tone(make: PairMake, azimuth_deg: f64, freq_hz: f64) -> [(f64, f64); 2] {
    let mut pair = Pair::new(make, azimuth_deg, SOUND_M_S, RATE_HZ);
    let (mut sums, frames) = ([[0.0; 2]; 2], 48_000);
    let mut lane = [0.0; 32];
    for block in 0..frames / 32 {
        for (i, x) in lane.iter_mut().enumerate() {
            *x = (TAU * freq_hz * (block * 32 + i) as f64 / RATE_HZ).sin();
        }
        pair.hear(&lane);
        if block * 32 < frames / 2 {
            continue;
        }
        for i in 0..32 {
            let turn = TAU * freq_hz * (block * 32 + i) as f64 / RATE_HZ;
            for (sum, lane) in sums.iter_mut().zip(&pair.lanes) {
                sum[0] += lane[i] * turn.sin() * 4.0 / frames as f64;
                sum[1] += lane[i] * turn.cos() * 4.0 / frames as f64;
            }
        }
    }
    sums.map(|[a, b]| (a.hypot(b), -b.atan2(a) / (TAU * freq_hz)))
}

#[test]
fn a_head_hears_one_side_later_and_weaker_as_the_sphere_says() {
    for azimuth in [0.0_f64, 30.0, 60.0, 90.0, 135.0, -45.0] {
        for freq_hz in [200.0, 400.0, 1_000.0, 3_000.0] {
            let found = tone(HEAD, azimuth, freq_hz);
            // Written out again, from the middle of the sphere: the way, and the shade of each ear.
            let expected = [-90.0, 90.0].map(|ear: f64| {
                let apart = (azimuth - ear).abs().min(360.0 - (azimuth - ear).abs());
                let (b, a_c) = (apart * PI / 180.0, 0.0875 / SOUND_M_S);
                let way_s = if apart < 90.0 { -a_c * b.cos() } else { a_c * (b - PI / 2.0) };
                let (k, w) = (1.05 + 0.95 * (apart * 1.2 * PI / 180.0).cos(), TAU * freq_hz * 0.5 * a_c);
                let size = (1.0 + k * k * w * w).sqrt() / (1.0 + w * w).sqrt() / SQRT_2;
                (size, way_s + (w.atan() - (k * w).atan()) / (TAU * freq_hz))
            });
            let later = |pair: &[(f64, f64); 2]| {
                let period = 1.0 / freq_hz;
                let apart = (pair[0].1 - pair[1].1).rem_euclid(period);
                if apart > 0.5 * period { apart - period } else { apart }
            };
            let (off_s, off_db) = (
                later(&found) - later(&expected),
                [0, 1].map(|side| 20.0 * (found[side].0 / expected[side].0).log10().abs()),
            );
            assert!(
                off_s.abs() < 4e-6 && off_db.iter().all(|off| *off < 0.3),
                "{azimuth} {freq_hz}: {off_s:e} {off_db:?}"
            );
        }
    }
    // Woodworth's figure for a source at the side.
    let [left, right] = HEAD.hears(90.0, SOUND_M_S);
    assert!((left.delay_s - right.delay_s - 0.0875 / SOUND_M_S * (1.0 + PI / 2.0)).abs() < 1e-12);
}

#[test]
fn microphones_hear_by_their_distance_and_by_where_they_look() {
    for azimuth in [0.0_f64, 25.0, 70.0, -110.0] {
        let found = tone(SPREAD, azimuth, 500.0);
        let p = azimuth * PI / 180.0;
        let gains = [-1.0, 1.0].map(|side: f64| 0.5 + 0.5 * (p - side * 55.0 * PI / 180.0).cos());
        let scale = 1.0 / (gains[0] * gains[0] + gains[1] * gains[1]).max(0.1).sqrt();
        for side in 0..2 {
            assert!((found[side].0 - scale * gains[side]).abs() < 1e-3, "{azimuth}: {found:?} {gains:?}");
        }
        let later_s = found[0].1 - found[1].1;
        assert!((later_s - 0.17 / SOUND_M_S * p.sin()).abs() < 1e-7, "{azimuth}: {later_s:e}");
    }
}

#[test]
fn both_channels_together_lose_no_more_than_3_db_in_mono_from_anywhere() {
    let mut noise = Fractal::new(1.0, 2, 20.0, RATE_HZ, Rng::new(1, "mono"));
    let sound: Vec<f64> = (0..192_000).map(|_| noise.draw()).collect();
    let (mut worst, mut best) = (0.0_f64, f64::MIN);
    for make in [HEAD, SPREAD, CROSSED, SPACED] {
        let mono = |azimuth: f64| {
            let mut pair = Pair::new(make, azimuth, SOUND_M_S, RATE_HZ);
            let (mut both, mut sum) = (0.0, 0.0);
            for part in sound.chunks(32) {
                pair.hear(part);
                for i in 0..part.len() {
                    let [l, r] = [pair.lanes[0][i], pair.lanes[1][i]];
                    both += l * l + r * r;
                    sum += 0.5 * (l + r) * (l + r);
                }
            }
            (10.0 * (sum / both).log10(), 10.0 * sum.log10())
        };
        let front = mono(0.0).1;
        for step in -12..=12 {
            let (kept, level) = mono(15.0 * f64::from(step));
            (worst, best) = (worst.min(kept), best.max(kept));
            // Where one channel hears nothing, half of the power is left: 3.01 dB.
            assert!((-3.02..=1e-9).contains(&kept), "{make:?} {}: {kept:.2} dB", 15 * step);
            assert!((level - front).abs() < 3.0 || make != HEAD, "{make:?} {}: {:.2} dB", 15 * step, level - front);
        }
    }
    println!("mono keeps {worst:.2} to {best:.2} dB");
}

/// A bar struck at the start, heard from one side.
fn struck(azimuth: f64, pair: &str) -> String {
    format!(
        "[body.bar]\ntype = \"modal\"\nmodes = [{{ freq_hz = 440.0, decay_s = 0.05, mass_kg = 0.05 }}, {{ freq_hz = 1213.0, decay_s = 0.03, mass_kg = 0.05 }}]\n\
         [[event]]\nat_s = 0.01\nhit = \"bar\"\nimpulse_n_s = 0.02\n[[tap]]\nof = \"bar\"\nazimuth_deg = {azimuth:?}\n[output.main]\nchannels = [0, 1]\npair = {pair}\n"
    )
}

#[test]
fn a_tap_comes_from_where_it_says_with_the_same_bits_for_any_block() {
    for pair in ["{ of = \"head\" }", "{ of = \"microphones\" }"] {
        let right = render(&struck(60.0, pair), 48_000, 48_000);
        let left = render(&struck(-60.0, pair), 48_000, 480);
        assert!(right.chunks(2).zip(left.chunks(2)).all(|(a, b)| a[0] == b[1] && a[1] == b[0]), "mirrored");
        for block in [1, 31, 700] {
            assert!(render(&struck(60.0, pair), 48_000, block) == right, "{pair} {block}");
        }
        let first = |side: usize| right.chunks(2).position(|frame| frame[side].abs() > 1e-5);
        let power = |side: usize| right.iter().skip(side).step_by(2).map(|x| f64::from(x * x)).sum::<f64>();
        assert!(first(1) < first(0) && power(1) > power(0), "{pair}: {:?} {:?}", first(0), first(1));
        assert!(right[2 * 47_000..].iter().all(|x| x.abs() < 1e-6));
    }
}

#[test]
fn floors_and_pairs_that_cannot_be_are_refused_and_what_is_written_is_read_again() {
    let wrong = |text: &str| match SceneDef::from_text(text) {
        Err(error) => error.to_string(),
        Ok(def) => Scene::build(&def, RATE_HZ).err().map(|error| error.to_string()).unwrap_or_default(),
    };
    let head = "[body.ball]\ntype = \"mass\"\n[[tap]]\nof = \"ball\"\n";
    for (rest, why) in [
        ("[output.main]\nchannels = [0]\nfloor = { level_db = 3.0 }", "out of range"),
        ("[output.main]\nchannels = [0]\nfloor = { beta = 1.0 }", "level_db"),
        ("[output.main]\nchannels = [0]\nfloor = { level_db = -60.0, beta = 3.0 }", "out of range"),
        ("[output.main]\nchannels = [0]\npair = { of = \"head\" }", "two channels"),
        ("[output.main]\nchannels = [0, 1]\npair = { of = \"cat\" }", "unknown word"),
        ("[output.main]\nchannels = [0, 1]\npair = { of = \"head\", spacing_m = 0.2 }", "belongs to microphones"),
        ("[output.main]\nchannels = [0, 1]\npair = { of = \"microphones\", radius_m = 0.1 }", "belongs to a head"),
        ("azimuth_deg = 20.0\npan_01 = 0.5", "keep one of"),
        ("azimuth_deg = 200.0", "out of range"),
        ("azimuth_deg = 20.0", "nothing that hears from where"),
        ("azimuth_deg = 20.0\n[output.main]\nchannels = [0, 1]", "nothing that hears from where"),
    ] {
        let found = wrong(&format!("{head}{rest}\n"));
        assert!(found.contains(why), "{rest}: {found}");
    }
    for text in [
        struck(30.0, "{ of = \"head\", radius_m = 0.09 }"),
        struck(30.0, "{ of = \"microphones\", spacing_m = 0.3 }"),
        silent("floor = { level_db = -66.0, beta = 0.5 }", 1),
    ] {
        let def = SceneDef::from_text(&text).unwrap();
        let again = SceneDef::from_text(&def.to_toml()).unwrap();
        assert_eq!((&again.outputs, &again.taps), (&def.outputs, &def.taps));
    }
}
