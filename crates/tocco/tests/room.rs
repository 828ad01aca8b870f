// SPDX-License-Identifier: MIT OR Apache-2.0
//! Rooms and distances: what comes of an impulse in them, and how a scene plays in them.

mod common;
use common::engine;
use std::f64::consts::TAU;
use tocco::engine::{Command, Queue, Timed};
use tocco::output::air::Air;
use tocco::output::crossover::Band;
use tocco::output::room::{BANDS, LINES, Room, RoomMake, decay_by_absorption, shortest_s};
use tocco::output::{Space, SpaceMake, WayParams};
use tocco::resonator::CONTROL_TICKS;
use tocco::rng::Rng;
use tocco::{Engine, Scene, SceneDef};
use tocco_testing::decays::{backward_db, octave, t30_s};

const RATES_HZ: [f64; 3] = [44_100.0, 48_000.0, 96_000.0];

fn make(volume_m3: f64, t60_s: [f64; BANDS]) -> RoomMake {
    RoomMake { volume_m3, t60_s, air: Air::default() }
}

/// What a room answers to an impulse in each channel.
fn answer(room: &mut Room, impulse: &[f64], frames: usize) -> Vec<Vec<f64>> {
    let channels = impulse.len();
    let mut all = vec![Vec::new(); channels];
    let (mut heard, mut out) = (vec![[0.0; CONTROL_TICKS]; channels], vec![[0.0; CONTROL_TICKS]; channels]);
    (0..channels).for_each(|c| heard[c][0] = impulse[c]);
    while all[0].len() < frames {
        room.answer(CONTROL_TICKS, &heard, &mut out);
        heard.iter_mut().for_each(|lane| lane[0] = 0.0);
        (0..channels).for_each(|c| all[c].extend_from_slice(&out[c]));
    }
    all
}

fn centre_hz(band: usize) -> f64 {
    125.0 * f64::from(1 << band)
}

fn energy(all: &[Vec<f64>]) -> f64 {
    all.iter().flatten().map(|x| x * x).sum()
}

/// Read decay over wanted decay, from two sources to two listeners, in each band where it can be read: bandwidth times decay above 16
/// (ISO 3382), and at least eight resonances of the lines in the band.
fn decays(volume_m3: f64, t60_s: [f64; BANDS], rate_hz: f64) -> Vec<(usize, f64)> {
    let mut room = Room::new(&make(volume_m3, t60_s), 2, rate_hz);
    let longest_s = t60_s.iter().fold(0.0_f64, |most, t| most.max(*t));
    let mut all = Vec::new();
    for impulse in [[1.0, 0.0], [0.0, 1.0]] {
        all.extend(answer(&mut room, &impulse, (1.2 * longest_s * rate_hz) as usize));
        room.hush();
    }
    let delays_s = room.delays().iter().sum::<usize>() as f64 / rate_hz;
    let is_readable = |band: &usize| centre_hz(*band) / 2f64.sqrt() * delays_s.min(0.5 * t60_s[*band]) > 8.0;
    let read = |band: usize| {
        let heard: Vec<Vec<f64>> = all.iter().map(|x| octave(centre_hz(band), rate_hz, x)).collect();
        (band, t30_s(&backward_db(&heard, rate_hz)) / t60_s[band])
    };
    (0..BANDS).filter(is_readable).map(read).collect()
}

#[test]
fn every_octave_band_dies_within_5_percent_of_its_time_at_every_rate() {
    let rooms = [
        (60.0, [0.5; BANDS]),
        (8.0, [0.3; BANDS]),
        (300.0, [1.8; BANDS]),
        (60.0, [0.9, 0.8, 0.7, 0.6, 0.55, 0.5, 0.4]),
        (500.0, [0.8, 0.9, 1.1, 1.2, 1.1, 0.9, 0.7]),
        (60.0, decay_by_absorption(60.0, &[0.1, 0.14, 0.2, 0.2, 0.2, 0.25, 0.3], Air::default())),
        (200.0, decay_by_absorption(200.0, &[0.3; BANDS], Air::default())),
    ];
    for rate_hz in RATES_HZ {
        for (volume_m3, t60_s) in rooms {
            for (band, read) in decays(volume_m3, t60_s, rate_hz) {
                let off = read - 1.0;
                assert!(off.abs() < 0.05, "{rate_hz} Hz, {volume_m3} m3, {t60_s:?}: band {band} is off by {off:.3}");
            }
        }
    }
}

#[test]
fn rooms_as_people_build_them_die_within_5_percent_in_every_octave_band() {
    let walls =
        |volume_m3: f64, absorption_01: [f64; BANDS]| decay_by_absorption(volume_m3, &absorption_01, Air::default());
    let rooms = [
        // Those of the shipped scenes.
        ("tank", 40.0, [0.4; BANDS]),
        ("walk on gravel", 60.0, [0.4; BANDS]),
        ("garden", 80.0, [0.5; BANDS]),
        ("run", 400.0, [0.6; BANDS]),
        ("stairs", 40.0, [0.7; BANDS]),
        ("two people", 300.0, [0.8; BANDS]),
        // By their times.
        ("living room", 60.0, [0.5, 0.5, 0.45, 0.4, 0.4, 0.4, 0.35]),
        ("classroom", 200.0, [0.8, 0.75, 0.7, 0.65, 0.6, 0.55, 0.45]),
        ("office", 80.0, [0.7, 0.6, 0.5, 0.4, 0.35, 0.35, 0.3]),
        ("bathroom", 12.0, [0.6, 0.8, 1.0, 1.1, 1.0, 0.9, 0.7]),
        ("stairwell", 150.0, [2.0, 2.2, 2.4, 2.2, 1.9, 1.5, 1.0]),
        ("church", 3000.0, [4.0, 4.0, 3.8, 3.5, 3.0, 2.2, 1.3]),
        ("studio", 50.0, [0.35, 0.3, 0.25, 0.25, 0.25, 0.25, 0.22]),
        // By what their walls swallow, as tables of materials have it.
        ("furnished", 60.0, walls(60.0, [0.15, 0.18, 0.22, 0.26, 0.28, 0.3, 0.3])),
        ("acoustic ceiling", 200.0, walls(200.0, [0.15, 0.2, 0.28, 0.32, 0.33, 0.32, 0.32])),
        ("carpet and plasterboard", 60.0, walls(60.0, [0.2, 0.087, 0.08, 0.15, 0.247, 0.277, 0.277])),
        ("bare concrete", 100.0, walls(100.0, [0.01, 0.01, 0.02, 0.02, 0.02, 0.03, 0.03])),
        ("wood", 100.0, walls(100.0, [0.15, 0.11, 0.1, 0.07, 0.06, 0.07, 0.07])),
    ];
    let (mut most, mut count) = (0.0_f64, 0);
    for rate_hz in [44_100.0, 48_000.0] {
        for (name, volume_m3, t60_s) in rooms {
            let text = format!(
                "rate_hz = {rate_hz}\n[body.a]\ntype = 'mass'\n[[tap]]\nof = 'a'\n[output.main]\nchannels = [0, 1]\n\
                 room = {{ volume_m3 = {volume_m3}, t60_s = {t60_s:?} }}\n"
            );
            assert!(SceneDef::from_text(&text).unwrap().remarks().is_empty(), "{name}: nothing is worth a word");
            for (band, read) in decays(volume_m3, t60_s, rate_hz) {
                let off = read - 1.0;
                assert!(off.abs() < 0.05, "{name}, {rate_hz} Hz, {t60_s:?}: band {band} is off by {off:.3}");
                (most, count) = (most.max(off.abs()), count + 1);
            }
        }
    }
    println!("{count} decays, the worst off by {most:.4}");
    assert!(count >= 250, "{count} could be read");
}

#[test]
fn random_rooms_whose_walls_swallow_up_to_a_third_and_whose_bands_differ_by_up_to_a_quarter_die_as_told() {
    let mut rng = Rng::new(7, "rooms");
    let mut all = Vec::new();
    for n in 0..30 {
        let volume_m3 = rng.between_log(10.0, 1000.0);
        let mut t = rng.between_log(4.5, 13.0) * shortest_s(volume_m3, Air::default());
        let t60_s = std::array::from_fn(|_| {
            t = (t * rng.between_log(0.8, 1.25)).clamp(4.5 * shortest_s(volume_m3, Air::default()), 5.0);
            t
        });
        for (band, read) in decays(volume_m3, t60_s, RATES_HZ[n % 3]) {
            let off = (read - 1.0).abs();
            assert!(off < 0.08, "{volume_m3} m3, {t60_s:?}: band {band} is off by {off:.3}");
            all.push(off);
        }
    }
    all.sort_by(f64::total_cmp);
    let part = |share: f64| all[(share * all.len() as f64) as usize];
    println!("median {:.4}, 95 % {:.4}, largest {:.4}", part(0.5), part(0.95), all[all.len() - 1]);
    assert!(part(0.95) < 0.05, "{}", part(0.95));
}

/// What octave filters of order 6 would read of a room whose bands were cut with a knife, each frequency dying exactly in the time
/// of its band, over that time.
fn read_of_a_knife(t60_s: [f64; BANDS]) -> [f64; BANDS] {
    let own = |freq_hz: f64| t60_s[(freq_hz / 125.0 * 2f64.sqrt()).log2().floor().clamp(0.0, 6.0) as usize];
    let longest_s = t60_s.iter().fold(0.0_f64, |most, t| most.max(*t));
    std::array::from_fn(|band| {
        let (low, high) = (centre_hz(band) / 2f64.sqrt(), centre_hz(band) * 2f64.sqrt());
        // Weight of a frequency, on an even grid of its logarithm, and its decay, 1/s.
        let part = |i: u32| {
            let freq_hz = 30.0 * 800f64.powf(f64::from(i) / 4000.0);
            let passes = 1.0 / ((1.0 + (freq_hz / high).powi(12)) * (1.0 + (low / freq_hz).powi(12)));
            (passes * freq_hz * own(freq_hz), 2.0 * 1000f64.ln() / own(freq_hz))
        };
        let parts: Vec<(f64, f64)> = (0..=4000).map(part).collect();
        let left = |t: f64| parts.iter().map(|(weight, rate)| weight * (-rate * t).exp()).sum::<f64>();
        let whole = left(0.0);
        let decay = (0..400).map(|i| 1.2 * longest_s * f64::from(i) / 400.0);
        let decay: Vec<(f64, f64)> = decay.map(|t| (t, 10.0 * (left(t) / whole).log10())).collect();
        t30_s(&decay) / t60_s[band]
    })
}

#[test]
fn bands_that_differ_more_than_a_quarter_are_not_read_as_told_whatever_the_room_since_octave_filters_hear_the_neighbours()
 {
    // Where neighbours alternate, the shorter ones are read too long: by 9 % at a ratio of 1.25, 29 % at 1.5, 83 % at 2.
    for (ratio, too_long) in [(1.1, 0.025), (1.25, 0.093), (1.5, 0.288), (2.0, 0.83)] {
        let read = read_of_a_knife(std::array::from_fn(|band| if band % 2 == 0 { 1.0 } else { ratio }));
        assert!((read[2] - 1.0 - too_long).abs() < 0.01, "{ratio}: {read:?}");
        assert!((read[3] - 1.0).abs() < 0.02, "{ratio}: the longer ones are read right: {read:?}");
    }
    // And where they fall steadily: by 2.6 % at 1.25, 12.5 % at 1.5.
    for (ratio, too_long) in [(1.25_f64, 0.026), (1.5, 0.125)] {
        let read = read_of_a_knife(std::array::from_fn(|band| ratio.powi(-(band as i32))));
        assert!((read[3] - 1.0 - too_long).abs() < 0.01, "{ratio}: {read:?}");
    }
}

#[test]
fn walls_by_absorption_give_the_decay_of_sabine_where_they_swallow_little_and_air_takes_the_highs() {
    // Sabine's 0.161 V/A at 20 C; a box of golden edges has 6.472 V^(2/3) of wall.
    let area_m2 = 6.472 * 60f64.powf(2.0 / 3.0) * 0.02;
    let times = decay_by_absorption(60.0, &[0.02; BANDS], Air::default());
    assert!((times[0] / (0.161 * 60.0 / area_m2) - 1.0).abs() < 0.03, "{times:?}");
    assert!(times.windows(2).all(|pair| pair[1] < pair[0]) && times[6] < 0.7 * times[0], "{times:?}");
}

#[test]
fn without_losses_the_lines_keep_their_energy_to_rounding() {
    for (volume_m3, channels) in [(30.0, 1), (30.0, 2), (400.0, 5)] {
        let mut room = Room::new(&make(volume_m3, [0.6; BANDS]), channels, 48_000.0).without_losses();
        let impulse: Vec<f64> = (0..channels).map(|c| 1.0 - 0.3 * c as f64).collect();
        let brought: f64 = impulse.iter().map(|x| x * x).sum();
        answer(&mut room, &impulse, 200_000);
        assert!((room.energy() / brought - 1.0).abs() < 1e-11, "{}", room.energy());
    }
}

#[test]
fn no_frequency_goes_round_any_line_without_loss_whatever_is_asked_for() {
    let mut rng = Rng::new(3, "loops");
    for n in 0..150 {
        let volume_m3 = rng.between_log(1.0, 1e4);
        let rate_hz = [8_000.0, 22_050.0, 48_000.0, 192_000.0, 384_000.0][n % 5];
        let mut t = rng.between_log(0.03, 20.0);
        let t60_s = std::array::from_fn(|_| {
            t = (t * rng.between_log(0.4, 2.5)).clamp(0.03, 20.0);
            t
        });
        let room = Room::new(&make(volume_m3, t60_s), 2, rate_hz);
        for line in 0..LINES {
            for i in 0..=2_000 {
                let freq_hz = 0.5 * rate_hz * f64::from(i) / 2_000.0;
                let gain = room.loop_gain(line, freq_hz);
                assert!(gain < 1.0, "{volume_m3} m3 {t60_s:?}: line {line} passes {freq_hz} Hz by {gain}");
            }
        }
        let mut lengths = room.delays().to_vec();
        lengths.dedup();
        assert_eq!(lengths.len(), LINES, "{lengths:?}");
    }
}

#[test]
fn an_impulse_gets_no_more_energy_out_of_a_room_than_it_brought_in_any_octave_band() {
    let mut rng = Rng::new(5, "energies");
    let mut most: f64 = 0.0;
    for n in 0..24 {
        let volume_m3 = rng.between_log(2.0, 5e3);
        let t60_s = [rng.between_log(1.2, 12.0) * shortest_s(volume_m3, Air::default()); BANDS];
        let (rate_hz, half) = (RATES_HZ[n % 2], 0.5_f64.sqrt());
        let mut impulse = vec![0.0; (1.2 * t60_s[0] * rate_hz) as usize];
        impulse[0] = 1.0;
        for side in [[1.0, 0.0], [half, half], [half, -half]] {
            let all = answer(&mut Room::new(&make(volume_m3, t60_s), 2, rate_hz), &side, impulse.len());
            assert!(energy(&all) < 1.0, "{volume_m3} m3 {t60_s:?}: {}", energy(&all));
            for band in 0..BANDS {
                let heard: Vec<Vec<f64>> = all.iter().map(|x| octave(centre_hz(band), rate_hz, x)).collect();
                let gain = energy(&heard) / energy(&[octave(centre_hz(band), rate_hz, &impulse)]);
                most = most.max(gain);
                assert!(gain < 1.0, "{volume_m3} m3 {t60_s:?} {side:?}: band {band} gains {gain}");
            }
        }
    }
    println!("most energy out of an octave band: {most:.3} of what came in");
}

#[test]
fn the_two_sides_of_a_room_have_little_in_common_above_500_hz() {
    for volume_m3 in [30.0, 60.0, 300.0] {
        let all = answer(&mut Room::new(&make(volume_m3, [0.6; BANDS]), 2, 48_000.0), &[1.0, 1.0], 30_000);
        for band in 3..BANDS {
            let [left, right] = [0, 1].map(|c| octave(centre_hz(band), 48_000.0, &all[c]));
            let norm = (left.iter().map(|x| x * x).sum::<f64>() * right.iter().map(|x| x * x).sum::<f64>()).sqrt();
            let product =
                |lag: usize, a: &[f64], b: &[f64]| -> f64 { a[lag..].iter().zip(b).map(|(x, y)| x * y).sum() };
            // As between ears: the largest within a millisecond of lag.
            let most = (0..48).map(|lag| product(lag, &left, &right).abs().max(product(lag, &right, &left).abs()));
            let common = most.fold(0.0, f64::max) / norm;
            assert!(common < 0.3, "{volume_m3} m3: {common} at {} Hz", centre_hz(band));
        }
    }
}

#[test]
fn distance_weakens_by_1_over_r_and_by_the_loss_of_air_of_iso_9613() {
    for rate_hz in RATES_HZ {
        for (distance_m, allowed_db) in
            [(0.5, 0.01), (3.0, 0.1), (10.0, 0.2), (30.0, 0.4), (100.0, 1.0), (1000.0, 99.0)]
        {
            let make = SpaceMake {
                room: None,
                way: Some(WayParams { distance_m }),
                air: Air::default(),
                band: Band::default(),
                floor: None,
            };
            let mut space = Space::new(&make, &[0], rate_hz);
            let mut heard = Vec::new();
            for block in 0..200 {
                let mut mix = [0.0; CONTROL_TICKS];
                mix[0] = f64::from(u8::from(block == 0));
                space.pass(CONTROL_TICKS, 1, &mut mix);
                heard.extend(mix);
            }
            for freq_hz in [100.0, 500.0, 1000.0, 1414.0, 2000.0, 2828.0, 4000.0, 5657.0, 8000.0] {
                let angle = TAU * freq_hz / rate_hz;
                let (re, im) = heard.iter().enumerate().fold((0.0, 0.0), |(re, im), (n, x)| {
                    (re + x * (angle * n as f64).cos(), im + x * (angle * n as f64).sin())
                });
                let level_db = 10.0 * (re * re + im * im).log10();
                let air_db = Air::default().loss_db_m(freq_hz) * (distance_m - 1.0).max(0.0);
                let off_db = level_db + 20.0 * distance_m.log10() + air_db;
                assert!(off_db - air_db < 0.5, "{distance_m} m, {freq_hz} Hz: no louder than without air");
                assert!(off_db.abs() < allowed_db, "{rate_hz} Hz, {distance_m} m, {freq_hz} Hz: off by {off_db} dB");
            }
        }
    }
}

/// A bar that is hit, and its output.
fn scene(output: &str) -> String {
    format!(
        r#"
        body.bar = {{ type = "modal", modes = [{{ freq_hz = 440.0, decay_s = 0.02, mass_kg = 0.05 }}, {{ freq_hz = 2213.0, decay_s = 0.01, mass_kg = 0.05 }}] }}
        event = [{{ at_s = 0.0, hit = "bar", impulse_n_s = 0.01 }}]
        tap = [{{ of = "bar", pan_01 = 0.3 }}]
        [output.main]
        channels = [0, 1]
        {output}
        "#
    )
}

const HALL: &str = "room = { volume_m3 = 60.0, t60_s = 0.5, wet_01 = 0.5 }\ndistance_m = 3.0";

fn build(text: &str) -> Scene {
    Scene::build(&SceneDef::from_text(text).unwrap_or_else(|e| panic!("{e}\n{text}")), 48_000.0).unwrap()
}

fn rendered(engine: &mut Engine, queue: &mut Queue, frames: usize, block: usize) -> Vec<f32> {
    let mut out = vec![0.0; 2 * frames];
    for part in out.chunks_mut(2 * block) {
        engine.render(&[], queue, part);
    }
    out
}

fn loudest(sound: &[f32]) -> f64 {
    sound.iter().fold(0.0, |most, x| most.max(f64::from(x.abs())))
}

#[test]
fn a_scene_in_a_room_gives_the_same_bits_in_blocks_of_any_size_and_rings_after_its_bodies() {
    let commands = |engine: &Engine| {
        let address = |path: &str| engine.scene().directory().address(path).unwrap();
        Queue::from(vec![
            Timed { at: 1_001, command: Command::Set(address("output.main/wet_01"), 0.9) },
            Timed { at: 2_345, command: Command::Set(address("/output.main/distance_m"), 7.0) },
            Timed { at: 6_000, command: Command::adopt(build(&scene(HALL).replace("0.3 }", "0.6 }"))) },
        ])
    };
    let play = |block: usize| {
        let mut engine = engine(&scene(HALL), 48_000.0);
        let mut queue = commands(&engine);
        rendered(&mut engine, &mut queue, 12_000, block)
    };
    let whole = play(12_000);
    for block in [1, 7, 64, 480] {
        assert!(play(block) == whole, "blocks of {block}");
    }
    let dry = rendered(&mut engine(&scene(""), 48_000.0), &mut Queue::new(), 12_000, 12_000);
    // After 0.15 s: nearly 20 dB of the room's 60 in half a second are over, and 65 dB of the bar's.
    let late = |sound: &[f32]| loudest(&sound[2 * 7_200..]) / loudest(sound);
    assert!(late(&dry) < 1e-3 && late(&whole) > 1e-2, "{} {}", late(&dry), late(&whole));
}

#[test]
fn an_output_that_stands_at_1_m_without_the_rooms_answer_sounds_as_one_that_says_nothing() {
    let dry = rendered(&mut engine(&scene(""), 48_000.0), &mut Queue::new(), 4_000, 64);
    for output in ["distance_m = 1.0", "room = { volume_m3 = 60.0, t60_s = 0.5, wet_01 = 0.0 }"] {
        assert!(rendered(&mut engine(&scene(output), 48_000.0), &mut Queue::new(), 4_000, 64) == dry, "{output}");
    }
    let far = rendered(&mut engine(&scene("distance_m = 2.0"), 48_000.0), &mut Queue::new(), 4_000, 64);
    assert!((loudest(&far[400..]) / loudest(&dry[400..]) - 0.5).abs() < 1e-3);
}

#[test]
fn what_is_left_in_the_filters_of_air_ends_in_zeros_and_not_in_numbers_that_cost_much() {
    let make = SpaceMake {
        room: None,
        way: Some(WayParams { distance_m: 300.0 }),
        air: Air::default(),
        band: Band::default(),
        floor: None,
    };
    let mut space = Space::new(&make, &[0], 48_000.0);
    let mut heard = 0.0;
    for block in 0..3000 {
        let mut mix = [0.0; CONTROL_TICKS];
        mix[0] = if block == 0 { 1.0 } else { 0.0 };
        space.pass(CONTROL_TICKS, 1, &mut mix);
        assert!(mix.iter().all(|x| *x == 0.0 || x.abs() > f64::MIN_POSITIVE), "{block}: {mix:?}");
        heard = mix.iter().fold(0.0, |most, x| x.abs().max(most));
    }
    assert_eq!(heard, 0.0);
}

#[test]
fn wet_and_distance_are_set_driven_and_controlled_while_it_sounds() {
    let text = scene(HALL) + "[[control]]\nname = \"far\"\npath = \"output.main/distance_m\"\nrange = [1.0, 10.0]\n";
    let mut set = engine(&text, 48_000.0);
    let directory = set.scene().directory().clone();
    let slot = |path: &str| directory.paths().into_iter().find(|p| p.0 == path).unwrap();
    assert_eq!((slot("output.main/wet_01").2, slot("output.main/distance_m").2), (0.5, 3.0));
    assert!(
        directory.address("output.mani/wet_01").unwrap_err().to_string().contains("did you mean 'output.main/wet_01'")
    );
    // Set before anything sounds, it is as if the scene had said so.
    let mut queue = Queue::from(vec![
        Timed { at: 0, command: Command::Jump(directory.address("output.main/wet_01").unwrap(), 0.2) },
        Timed { at: 0, command: Command::Jump(directory.address("far").unwrap(), 1.0) },
    ]);
    let heard = rendered(&mut set, &mut queue, 4_000, 64);
    let said = scene(&HALL.replace("wet_01 = 0.5", "wet_01 = 0.2").replace("distance_m = 3.0", "distance_m = 10.0"));
    assert!(heard == rendered(&mut engine(&said, 48_000.0), &mut Queue::new(), 4_000, 64));
    let driven = scene(HALL) + "[[drive]]\npath = \"output.main/wet_01\"\npoints = [[0.0, 1.0]]\n";
    let wet = rendered(&mut engine(&driven, 48_000.0), &mut Queue::new(), 4_000, 64);
    assert!(wet[..40].iter().all(|x| *x == 0.0) && loudest(&wet) > 0.0, "no direct sound");
}

#[test]
fn a_room_goes_on_ringing_over_a_live_edit_fades_where_it_is_made_otherwise_and_is_silent_when_hushed() {
    let plain = rendered(&mut engine(&scene(HALL), 48_000.0), &mut Queue::new(), 12_000, 64);
    let edit = |after: &str| {
        let after = build(&(scene(after) + "[body.more]\ntype = \"mass\"\n"));
        let mut queue = Queue::from([Timed { at: 6_000, command: Command::adopt(after) }]);
        rendered(&mut engine(&scene(HALL), 48_000.0), &mut queue, 12_000, 64)
    };
    assert!(edit(HALL) == plain, "a body more is no reason for a room to fall silent");
    for other in ["", &HALL.replace("0.5,", "0.9,"), &HALL.replace("60.0", "90.0"), "distance_m = 2.0"] {
        let heard = edit(other);
        assert!(heard[..12_000] == plain[..12_000]);
        // It fades in 10 ms and does not jump.
        assert!(loudest(&heard[2 * 6_500..]) < 0.2 * loudest(&plain[2 * 6_500..]), "{other}");
        let step = |sound: &[f32]| loudest(&sound.windows(3).map(|w| w[2] - w[0]).collect::<Vec<f32>>());
        assert!(step(&heard[11_900..13_100]) <= 1.5 * step(&plain[11_900..13_100]), "{other}");
    }
    let mut queue = Queue::from([Timed { at: 6_000, command: Command::Hush }]);
    let hushed = rendered(&mut engine(&scene(HALL), 48_000.0), &mut queue, 12_000, 64);
    assert!(hushed[12_000..].iter().all(|x| *x == 0.0) && loudest(&plain[12_000..]) > 0.0);
}

#[test]
fn what_is_no_number_does_not_stay_in_a_room() {
    let make = SpaceMake {
        room: Some((make(60.0, [0.3; BANDS]), Default::default())),
        way: Some(WayParams { distance_m: 5.0 }),
        air: Air::default(),
        band: Band::default(),
        floor: None,
    };
    let mut space = Space::new(&make, &[0, 1], 48_000.0);
    for wild in [f64::NAN, f64::INFINITY, 1e300, 1.0] {
        let mut mix = [wild; 2 * CONTROL_TICKS];
        space.pass(CONTROL_TICKS, 2, &mut mix);
        assert!(mix.iter().all(|x| x.is_finite()), "{wild}");
    }
    // And nothing becomes so small that processors stumble over it.
    let mut mix = [0.0; 2 * CONTROL_TICKS];
    for _ in 0..48_000 * 30 / CONTROL_TICKS {
        mix.fill(0.0);
        space.pass(CONTROL_TICKS, 2, &mut mix);
    }
    assert!(mix.iter().all(|x| *x == 0.0), "{mix:?}");
}

#[test]
fn a_room_that_cannot_be_is_refused_in_one_line() {
    for (output, said) in [
        ("room = { volume_m3 = 60.0, t60_s = 0.03 }", "is less than walls around 60 m3 can do"),
        ("room = { volume_m3 = 60.0, t60_s = [0.5, 0.5, 0.5, 0.1, 0.5, 0.5] }", "in one octave is too steep"),
        ("room = { volume_m3 = 60.0, t60_s = [0.5, 0.5] }", "has 2 values; give one, 6 or 7"),
        ("room = { volume_m3 = 60.0, t60_s = 0.5, absorption_01 = 0.2 }", "keep one of t60_s, absorption_01"),
        ("room = { volume_m3 = 60.0 }", "needs one of t60_s, absorption_01"),
        ("room = { t60_s = 0.5 }", "volume_m3"),
        ("room = { volume_m3 = 0.0, t60_s = 0.5 }", "is out of range"),
        ("room = { volume_m3 = 60.0, absorption_01 = 1.0 }", "is out of range"),
        ("room = { volume_m3 = 60.0, t60_s = 0.5, wet = 0.1 }", "wet_01"),
        ("distance_m = 0.0", "is out of range"),
        ("humidity_01 = 0.4", "belongs to an output with a room, a distance or a pair"),
    ] {
        let error =
            SceneDef::from_text(&scene(output)).err().unwrap_or_else(|| panic!("{output} was read")).to_string();
        assert!(error.contains(said) && !error.contains('\n'), "{output}: {error}");
    }
}

#[test]
fn a_room_whose_octaves_differ_more_than_walls_can_is_remarked_on() {
    let text = "[body.a]\ntype = 'mass'\n[[tap]]\nof = 'a'\n[output.main]\nchannels = [0, 1]\n\
                room = { volume_m3 = 60.0, t60_s = [0.4, 0.95, 0.4, 0.95, 0.4, 0.95, 0.4] }\n";
    let said = SceneDef::from_text(text).unwrap().remarks();
    assert!(said.len() == 1 && said[0].starts_with("output main: its room rings "), "{said:?}");
}
