// SPDX-License-Identifier: MIT OR Apache-2.0
//! The shipped scenes that rub, roll, bounce and sing do what their physics says: the three demonstrations of Avanzini et al. 2003
//! section 8.4.2, and the rest of the gestures. Levels and endings are checked by the table of shipped sounds.

use tocco::scene::def::{Length, Source};
use tocco::{Engine, Health, Queue, Scene, SceneDef};
use tocco_testing::spectra::{band_db, centroid_hz, level_db, loudest_hz, spectrum};

/// One performance of a scene.
struct Take {
    rate_hz: f64,
    /// Channel after channel.
    heard: Vec<Vec<f64>>,
    /// One list per asked signal.
    probed: Vec<Vec<f64>>,
    health: Health,
}

impl Take {
    fn span<'a>(&self, y: &'a [f64], from_s: f64, to_s: f64) -> &'a [f64] {
        &y[(from_s * self.rate_hz) as usize..(to_s * self.rate_hz) as usize]
    }
    fn left(&self, from_s: f64, to_s: f64) -> &[f64] {
        self.span(&self.heard[0], from_s, to_s)
    }
    fn signal(&self, which: usize, from_s: f64, to_s: f64) -> &[f64] {
        self.span(&self.probed[which], from_s, to_s)
    }
}

fn shipped(name: &str) -> SceneDef {
    let path = format!("{}/../../scenes/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    SceneDef::from_text(&text).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The gesture on `path` made so many times larger.
fn exaggerated(mut def: SceneDef, path: &str, times: f64) -> SceneDef {
    let drive = def.drives.iter_mut().find(|drive| drive.path == path).unwrap_or_else(|| panic!("no drive on {path}"));
    let Source::Points(points) = &mut drive.source else { panic!("{path} is not a curve") };
    points.iter_mut().for_each(|point| point[1] *= times);
    def
}

fn perform(def: &SceneDef, signals: &[&str]) -> Take {
    let Length::Seconds(duration_s) = def.duration else { panic!("{} has no length", def.title) };
    let scene = Scene::build(def, def.rate_hz).unwrap_or_else(|e| panic!("{}: {e}", def.title));
    let probes: Vec<_> = signals.iter().map(|s| scene.directory().probe(s).unwrap_or_else(|e| panic!("{e}"))).collect();
    let (channels, frames) = (scene.channels(), (duration_s * def.rate_hz) as usize);
    let mut engine = Engine::new(scene);
    engine.watch(&probes);
    let mut out = vec![0.0_f32; frames * channels];
    let mut rows = vec![0.0; frames * signals.len()];
    let health = engine.render_probed(&[], &mut Queue::new(), &mut out, &mut rows);
    let heard = (0..channels).map(|c| out.iter().skip(c).step_by(channels).map(|&x| f64::from(x)).collect()).collect();
    let probed = (0..signals.len()).map(|s| rows.iter().skip(s).step_by(signals.len()).copied().collect()).collect();
    Take { rate_hz: def.rate_hz, heard, probed, health }
}

/// Times at which a contact closes, s.
fn touches_s(force: &[f64], rate_hz: f64) -> Vec<f64> {
    (1..force.len()).filter(|&n| force[n] > 0.0 && force[n - 1] <= 0.0).map(|n| n as f64 / rate_hz).collect()
}

/// Slips per period and the share of time in slip, as physics.md F counts them.
fn slips(take: &Take, from_s: f64, to_s: f64, period_s: f64) -> (f64, f64) {
    let (bow, string) = (take.signal(0, from_s, to_s), take.signal(1, from_s, to_s));
    let (mut count, mut slipping, mut samples) = (0, false, 0);
    for (bow, string) in bow.iter().zip(string) {
        let slip = (bow - string) / bow;
        if !slipping && slip > 0.5 {
            (count, slipping) = (count + 1, true);
        } else if slip < 0.15 {
            slipping = false;
        }
        samples += usize::from(slip > 0.5);
    }
    (f64::from(count) * period_s / (to_s - from_s), samples as f64 / bow.len() as f64)
}

#[test]
fn a_coaxed_wineglass_sings_at_its_own_frequency_and_a_clumsy_finger_leaves_it_silent() {
    let take = perform(&shipped("wineglass"), &[]);
    let song = take.left(2.0, 4.0);
    let pitch = loudest_hz(&song[..12_000], [100.0, 6000.0], take.rate_hz);
    assert!((pitch / 737.0 - 1.0).abs() < 0.02, "sings at {pitch} Hz");
    let level = level_db(song);
    assert!(level > -30.0, "{level} dBFS");
    for (gesture, path, times) in [
        ("hurried", "finger/velocity_m_s", 2.0),
        ("timid", "rub/normal_force_n", 0.2),
        ("creeping", "finger/velocity_m_s", 0.05),
    ] {
        let clumsy = perform(&exaggerated(shipped("wineglass"), path, times), &[]);
        let loudest = level_db(clumsy.left(2.0, 4.0)) - level;
        assert!(loudest < -30.0, "a {gesture} finger reaches {loudest} dB of the song");
    }
}

#[test]
fn a_brake_squeals_only_when_the_wheel_has_become_slow() {
    let take = perform(&shipped("brake"), &[]);
    // The louder of two modes of the rim, between which the squeal jumps.
    let squeal = |from_s: f64, to_s: f64| {
        let mode = |hz: f64| band_db(take.left(from_s, to_s), [hz - 50.0, hz + 50.0], take.rate_hz);
        mode(2140.0).max(mode(3390.0))
    };
    let (rolling, braking, stopping) = (squeal(0.6, 1.0), squeal(2.2, 2.6), squeal(4.2, 4.6));
    assert!(stopping > rolling + 20.0, "rolling {rolling} dB, stopping {stopping} dB");
    assert!(stopping > braking + 20.0, "braking {braking} dB, stopping {stopping} dB");
    let rise = [2.9, 3.2, 3.45].map(|from_s| squeal(from_s, from_s + 0.15));
    assert!(rise.is_sorted(), "{rise:?}");
}

#[test]
fn a_squeaking_door_glides_with_the_speed_of_its_hinges() {
    let take = perform(&shipped("door-squeak"), &["left-rub.force", "right-rub.force"]);
    let pitch = |y: &[f64]| loudest_hz(y, [100.0, 1500.0], take.rate_hz);
    // Of the force, whose loudest partial is its first; of what is heard any of the first few is, from moment to moment.
    let heard = [0.3, 0.65, 1.0].map(|from_s| pitch(take.signal(0, from_s, from_s + 0.1)));
    assert!(heard[1] > 1.2 * heard[0] && heard[2] > 1.2 * heard[1], "rises {heard:?}");
    let back = pitch(take.signal(0, 1.35, 1.45));
    assert!(back < heard[2] / 1.2, "falls back to {back}");
    let right = [1.75, 2.1].map(|from_s| pitch(take.signal(1, from_s, from_s + 0.1)));
    assert!(right[1] < right[0] / 1.2, "the other shutter falls {right:?}");
}

#[test]
fn a_bowed_cello_and_violin_slip_once_per_period() {
    for (name, beta, from_s, to_s, freq_hz) in
        [("cello", 0.1267, 0.6, 2.1, 147.0), ("cello", 0.1267, 4.6, 5.2, 147.0), ("violin", 0.11, 1.4, 2.8, 440.0)]
    {
        let take = perform(&shipped(name), &["bow.velocity", "string.bow_point.velocity"]);
        let (per_period, share) = slips(&take, from_s, to_s, 1.0 / freq_hz);
        assert!((per_period - 1.0).abs() < 0.05, "{name}: {per_period} slips per period");
        assert!((0.5..1.5).contains(&(share / beta)), "{name}: slips for {} beta", share / beta);
    }
}

#[test]
fn a_faster_ball_makes_more_micro_impacts() {
    let take = perform(&shipped("rolling"), &["roll.force"]);
    let per_s =
        |from_s: f64, to_s: f64| touches_s(take.signal(0, from_s, to_s), take.rate_hz).len() as f64 / (to_s - from_s);
    let (creeping, slow, fast) = (per_s(4.2, 4.8), per_s(3.0, 3.6), per_s(1.5, 2.5));
    assert!(fast > 1.5 * slow && slow > 1.5 * creeping, "{creeping}, {slow}, {fast} per second");
    let loud = level_db(take.left(1.5, 2.5)) - level_db(take.left(4.2, 4.8));
    assert!(loud > 10.0, "{loud} dB louder when fast");
}

#[test]
fn what_lies_under_its_own_weight_begins_without_a_thump() {
    for (name, moves_s) in [("brake", 0.4), ("rolling", 0.2), ("rattle", 0.3), ("coin", 0.05)] {
        let take = perform(&shipped(name), &[]);
        let peak = |y: &[f64]| y.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        for y in &take.heard {
            let before = 20.0 * (peak(take.span(y, 0.0, moves_s)) / peak(y)).log10();
            assert!(before < -40.0, "{name}: {before:.1} dB of its peak before anything moves");
        }
        let Length::Seconds(end_s) = shipped(name).duration else { panic!("{name} has no length") };
        for drive in &shipped(name).drives {
            let Source::Points(points) = &drive.source else { continue };
            let last_s = points.iter().map(|point| point[0]).fold(0.0, f64::max);
            assert!(last_s <= end_s, "{name}: {} is still moved when the scene ends", drive.path);
        }
    }
}

#[test]
fn a_dropped_coin_rattles_faster_and_softer_until_it_rests() {
    let take = perform(&shipped("coin"), &["left.force", "right.force"]);
    let mut touches: Vec<f64> = take.probed.iter().flat_map(|force| touches_s(force, take.rate_hz)).collect();
    touches.sort_by(f64::total_cmp);
    let landed = touches.iter().copied().find(|&t| t > 0.06).unwrap();
    let within = |from_s: f64, to_s: f64| touches.iter().filter(|&&t| t >= from_s && t < to_s).count();
    let counts = [0, 1, 2].map(|n| within(landed + 0.4 * f64::from(n), landed + 0.4 * f64::from(n + 1)));
    assert!(counts.is_sorted_by(|a, b| a < b), "touches in successive 0.4 s: {counts:?}");
    let hardest = |from_s: f64, to_s: f64| {
        take.probed.iter().flat_map(|f| take.span(f, from_s, to_s)).fold(0.0_f64, |most, f| most.max(*f))
    };
    let forces = [0, 1, 2].map(|n| hardest(landed + 0.4 * f64::from(n), landed + 0.4 * f64::from(n + 1)));
    assert!(forces.is_sorted_by(|a, b| a > b), "{forces:?} N");
    let weight = take.probed.iter().map(|force| *force.last().unwrap()).sum::<f64>();
    assert!((weight / 0.073575 - 1.0).abs() < 0.02, "rests with {weight} N");
}

#[test]
fn a_rubbed_bowl_grows_slowly_and_keeps_its_pitch() {
    let take = perform(&shipped("singing-bowl"), &[]);
    let level = [1.3, 1.7, 2.1, 5.0].map(|from_s| level_db(take.left(from_s, from_s + 0.3)));
    assert!(level.is_sorted() && level[3] > level[0] + 10.0, "{level:?} dBFS");
    let pitch = loudest_hz(take.left(4.8, 5.2), [60.0, 2000.0], take.rate_hz);
    assert!((pitch / 186.0 - 1.0).abs() < 0.02, "{pitch} Hz");
}

#[test]
fn a_board_creaks_in_ticks_that_come_sooner_as_the_foot_moves_faster() {
    let take = perform(&shipped("creak"), &["rub.force"]);
    let ticks = |from_s: f64, to_s: f64| {
        let force = take.signal(0, from_s, to_s);
        let (mut most, mut ticks) = (0.0_f64, 0);
        for &f in force {
            most = most.max(f);
            if f < 0.7 * most {
                (most, ticks) = (f, ticks + 1);
            }
        }
        f64::from(ticks) / (to_s - from_s)
    };
    let (slow, fast) = (ticks(0.4, 0.8), ticks(1.3, 1.6));
    assert!(slow > 3.0 && fast > 3.0 * slow, "{slow} and {fast} ticks per second");
}

#[test]
fn a_scrape_is_brighter_when_faster_and_silent_at_rest() {
    let take = perform(&shipped("scrape"), &[]);
    let bright =
        |from_s: f64, to_s: f64| centroid_hz(&spectrum(take.left(from_s, to_s), [100.0, 8000.0], take.rate_hz));
    let (slow, fast) = (bright(2.9, 3.1), bright(3.7, 3.9));
    assert!(fast > 1.3 * slow, "{slow} Hz slow, {fast} Hz fast");
    let rest = level_db(take.left(1.7, 1.8)) - level_db(take.left(0.6, 0.9));
    // The plate and the room ring on, as they do in recordings.
    assert!(rest < -15.0, "{rest} dB at rest");
}

#[test]
fn chalk_shrieks_when_pressed_slowly_and_only_scratches_when_quick() {
    let take = perform(&shipped("chalk"), &[]);
    let shriek = |from_s: f64, to_s: f64| band_db(take.left(from_s, to_s), [2380.0, 2580.0], take.rate_hz);
    let (quick, pressed) = (shriek(0.5, 0.7), shriek(2.4, 2.6));
    assert!(pressed > quick + 25.0, "quick {quick} dB, pressed {pressed} dB");
}

#[test]
fn a_harder_hammer_stroke_is_brighter_as_felt_stiffens() {
    let take = perform(&shipped("hammered-string"), &["low.near.velocity"]);
    let bright =
        |from_s: f64| centroid_hz(&spectrum(take.signal(0, from_s, from_s + 0.1), [60.0, 6000.0], take.rate_hz));
    let (soft, hard) = (bright(0.1), bright(1.7));
    assert!(hard > 1.15 * soft, "{soft} Hz soft, {hard} Hz hard");
}

#[test]
fn wind_needs_no_contact_and_rises_in_gusts() {
    let def = shipped("wind");
    assert!(def.contacts.is_empty());
    let take = perform(&def, &[]);
    let level = [1.0, 2.4, 4.0, 6.0].map(|from_s| level_db(take.left(from_s, from_s + 0.4)));
    assert!(level[1] > level[0] + 4.0 && level[1] > level[2] + 4.0 && level[3] > level[2] + 4.0, "{level:?} dBFS");
}

#[test]
fn no_demonstration_misses_a_solve_or_gains_energy() {
    for name in [
        "brake",
        "wineglass",
        "door-squeak",
        "cello",
        "violin",
        "chalk",
        "creak",
        "singing-bowl",
        "scrape",
        "rolling",
        "coin",
        "hammered-string",
        "wind",
    ] {
        let take = perform(&shipped(name), &["energy", "work"]);
        let health = &take.health;
        assert_eq!(
            (health.unconverged, health.refused, health.clamped, health.reset),
            (0, 0, 0, 0),
            "{name}: {health:?}"
        );
        let ledger: Vec<f64> = take.probed[0].iter().zip(&take.probed[1]).map(|(e, w)| e - w).collect();
        let size = take.probed[0].iter().chain(&take.probed[1]).fold(0.0_f64, |most, x| most.max(x.abs()));
        let rise = ledger.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0_f64, f64::max);
        assert!(rise <= 1e-12 * size, "{name}: gains {rise} J of {size} J");
    }
}
