// SPDX-License-Identifier: MIT OR Apache-2.0
//! Processes: what they do, where, and that nothing about it depends on the rate or on blocks.

mod common;

use common::{build, happenings};
use tocco::process::crumple::{Crumple, CrumpleMake, CrumpleParams, power_law, power_law_mean};
use tocco::process::particles::{Particles, ParticlesParams};
use tocco::process::{MOST_HZ, Process};
use tocco::rng::Rng;
use tocco::signal::Cell;
use tocco::{Gesture, Queue, Scene, SceneDef};

const GRAVEL: &str = "
[signal.press]
type = 'points'
points = [[0.0, 0.0], [0.05, 1.1], [0.2, 0.7], [0.4, 1.2], [0.6, 0.0]]
[process.pebbles]
type = 'particles'
driven_by = 'press'
objects = 64.0
collisions_hz = 12.0
system_decay_s = 0.0123
sound_decay_s = 0.00174
unload = 0.35
spread_db = 5.3
rate_exponent = 0.76
resonances = [{ freq_hz = 2385.0, bandwidth_hz = 1860.0, gain = 0.7 }]
[[tap]]
of = 'pebbles'
quantity = 'sound'
";

#[test]
fn events_come_at_the_same_times_at_every_rate() {
    let crumple = "
[signal.press]
type = 'noise'
rms = 0.5
mean = 1.0
beta = 1.0
[process.paper]
type = 'crumple'
driven_by = 'press'
cluster_01 = 0.3
modes = [{ freq_hz = 900.0, decay_s = 0.002, mass_kg = 0.002 }]
[[tap]]
of = 'paper'
quantity = 'sound'
";
    // Blows as noise gives them: some dozen, each at its own time and of its own strength.
    let blows = |process: &str| {
        format!(
            "[signal.s]\ntype = 'noise'\nrms = 0.4\nmean = 0.5\nbeta = 0.5\n[body.plate]\ntype = 'modal'\n\
             modes = [{{ freq_hz = 900.0, decay_s = 0.02, mass_kg = 0.2 }}]\n[[tap]]\nof = 'plate'\n\
             [process.p]\ndriven_by = 's'\non = 'plate'\n{process}\n"
        )
    };
    let burst = blows("type = 'burst'\nthreshold = 0.6");
    let spread = blows("type = 'spread'\nthreshold = 0.6\nhits = 10.0");
    let broken = blows("type = 'break'\nthreshold = 0.6\nheight_m = 0.05");
    let scatter = blows("type = 'scatter'\nrate_hz = 300.0\nheight_m = 0.02");
    for (text, least) in [(GRAVEL, 50), (crumple, 50), (&burst, 5), (&spread, 50), (&broken, 50), (&scatter, 50)] {
        happens_alike(text, 0.8, least);
    }
}

/// The same happens at 44.1, 48, 96 and 192 kHz, and more than so much.
fn happens_alike(text: &str, seconds: f64, least: usize) {
    let (first, _) = happenings(&mut build(text, 44_100.0, 5), seconds, 441);
    assert!(first.len() > least, "{}: {text}", first.len());
    for rate_hz in [48_000.0, 96_000.0, 192_000.0] {
        let (other, _) = happenings(&mut build(text, rate_hz, 5), seconds, 441);
        let differs = first.iter().zip(&other).position(|(one, other)| one != other);
        assert_eq!(first.len(), other.len(), "{rate_hz} Hz: {text}");
        assert_eq!(differs, None, "{rate_hz} Hz: {text}");
    }
}

#[test]
fn what_is_drawn_for_a_step_is_drawn_at_the_same_time_at_every_rate_though_a_process_falls_asleep_sooner_at_some() {
    // Steps 0.2 s apart. What is heard longest of each process lies at 23 kHz: at 44.1 kHz it does not sound at all, and the process is
    // asleep when the next step comes; at the others it rings on, softly. Whether something is drawn must not depend on that.
    let mut points = vec![[0.0, 0.0]];
    for k in 0..8 {
        let at = 0.1 + 0.5 * f64::from(k);
        points.extend([[at, 0.0], [at + 0.15, 1.0], [at + 0.3, 0.0]]);
    }
    let scene = |process: &str, tap: &str| {
        format!(
            "[signal.s]\ntype = 'points'\npoints = {points:?}\n[body.plate]\ntype = 'modal'\n\
             modes = [{{ freq_hz = 900.0, decay_s = 0.02, mass_kg = 0.2 }}]\n[[tap]]\nof = 'plate'\n{tap}\
             [process.p]\ndriven_by = 's'\n{process}\n"
        )
    };
    let heard = "[[tap]]\nof = 'p'\nquantity = 'sound'\n";
    let high = "{ freq_hz = 23000.0, decay_s = 0.02, mass_kg = 0.01 }";
    let crumple = format!("type = 'crumple'\nunload = 1.0\nevents = 100.0\nmodes = [{high}]\n");
    let particles = "type = 'particles'\nunload = 1.0\nsound_decay_s = 0.001\n\
                     resonances = [{ freq_hz = 23000.0, bandwidth_hz = 20.0, gain = 1.0 }]\n";
    let step = |of: &str| format!("per_step = {{ {of} = [0.5, 2.0], probability_01 = 0.8 }}");
    for (process, of, tap, least) in [
        (crumple.as_str(), "events", heard, 200),
        (particles, "objects", heard, 50),
        ("type = 'burst'\non = 'plate'\nthreshold = 0.6\ndecay_s = 0.03", "threshold", "", 1),
        ("type = 'spread'\non = 'plate'\nthreshold = 0.4\nspread_s = 0.3", "spread_s", "", 50),
        ("type = 'puddle'", "bubbles", heard, 100),
        ("type = 'ice'\nweight_n = 700.0\nx_m = 1.0", "x_m", heard, 50),
    ] {
        happens_alike(&scene(&format!("{process}\n{}", step(of)), tap), 4.3, least);
    }
}

#[test]
fn what_points_or_a_signal_move_of_a_process_a_walker_or_a_signal_moves_it_alike_at_every_rate() {
    let sound = "[[tap]]\nof = 'p'\nquantity = 'sound'\n";
    let resonances = "resonances = [{ freq_hz = 2000.0, bandwidth_hz = 500.0 }]\n";
    let particles =
        |by: &str| format!("[process.p]\ntype = 'particles'\ndriven_by = '{by}'\nunload = 1.0\n{resonances}");
    let noise = "[signal.s]\ntype = 'noise'\nrms = 0.4\nmean = 0.5\nbeta = 0.5\n";
    let steady = "[signal.s]\ntype = 'points'\npoints = [[0.0, 1.0]]\n";
    let bubbles = "[process.p]\ntype = 'bubbles'\ndriven_by = 's'\nrate_hz = 300.0\n".to_string();
    for (scene, path, range) in [
        (format!("{steady}{bubbles}"), "p/largest_m", [0.002, 0.02]),
        (format!("{steady}{bubbles}"), "p/rate_hz", [100.0, 900.0]),
        (format!("{noise}{}", particles("s")), "p/system_decay_s", [0.01, 0.5]),
        (format!("{noise}{}", particles("s")), "s/gain", [0.1, 2.0]),
    ] {
        let ramp = format!("points = [[0.0, {:?}], [1.0, {:?}]]\n", range[0], range[1]);
        for by in [ramp.as_str(), "from = 'hand'\n"] {
            let hand = format!("[signal.hand]\ntype = 'points'\n{ramp}");
            happens_alike(&format!("{hand}{scene}{sound}[[drive]]\npath = '{path}'\n{by}"), 1.0, 50);
        }
    }
    let walk = format!(
        "[walk.anna]\n{}{sound}[[drive]]\npath = 'anna/speed_m_s'\npoints = [[0.0, 0.8], [3.0, 3.4]]\n",
        particles("anna.heel_left")
    );
    happens_alike(&walk, 3.0, 50);
}

#[test]
fn a_blow_through_a_driven_inlet_is_as_strong_at_every_rate() {
    // A ramp of 2 ms crosses the threshold between two points of the grid: how strong the blow is must not depend on control ticks.
    let text = |by: &str, process: &str| {
        format!(
            "[signal.blow]\ntype = 'input'\n[signal.hand]\ntype = 'points'\npoints = [[0.0, 0.0], [0.2, 0.0], [0.202, 1.0], [0.3, 1.0]]\n\
             [[drive]]\npath = 'blow/value'\n{by}\n[body.plate]\ntype = 'modal'\nmodes = [{{ freq_hz = 900.0, decay_s = 0.02, mass_kg = 0.2 }}]\n\
             [[tap]]\nof = 'plate'\n[process.p]\ndriven_by = 'blow'\non = 'plate'\n{process}\n"
        )
    };
    for by in ["points = [[0.0, 0.0], [0.2, 0.0], [0.202, 1.0], [0.3, 1.0]]", "from = 'hand'"] {
        for process in ["type = 'break'\nthreshold = 0.4", "type = 'spread'\nthreshold = 0.4"] {
            let text = text(by, process);
            let (first, _) = happenings(&mut build(&text, 44_100.0, 5), 0.5, 512);
            assert!(first.len() >= 24, "{}", first.len());
            for rate_hz in [48_000.0, 96_000.0, 192_000.0] {
                let mut engine = build(&text, rate_hz, 5);
                assert_eq!(first, happenings(&mut engine, 0.5, 512).0, "{rate_hz} Hz, {by}, {process}");
                let had = engine.probe(engine.scene().directory().probe("p.had").unwrap());
                // It is heard 1 ms later: in the cell that ends at the half of the ramp.
                let wanted = if process.contains("break") { 0.5 * 0.5 + 0.15 * 9.81 * 0.75 } else { 0.0 };
                assert!((had - wanted).abs() < 1e-9, "{rate_hz} Hz: {had} J, not {wanted} J");
            }
        }
    }
}

#[test]
fn the_cracks_of_64_pieces_at_once_are_all_heard_though_a_cell_has_room_for_48() {
    let text = "[signal.s]\ntype = 'points'\npoints = [[0.0, 0.0], [0.05, 0.0], [0.051, 1.0]]\n[process.p]\ntype = 'break'\n\
                driven_by = 's'\npieces = 64\ncrack_s = 0.0\ncrack_01 = 1.0\nring_01 = 0.0001\nheight_m = 2.0\n\
                modes = [{ freq_hz = 900.0, decay_s = 0.002, mass_kg = 0.002 }]\n[[tap]]\nof = 'p'\nquantity = 'sound'\n";
    let mut engine = build(text, 48_000.0, 1);
    let (events, _) = happenings(&mut engine, 0.2, 480);
    assert_eq!((events.len(), engine.health().capped), (64, 0));
    let all: f64 = events.iter().map(|event| event.size).sum();
    assert!((all - 0.5).abs() < 1e-9, "{all} J of 0.5 J");
    assert!(events[63].at_s - events[0].at_s <= 1e-3, "the rest comes in the next millisecond");
}

#[test]
fn a_band_of_gravel_is_as_loud_at_every_rate() {
    // Power of a second-order band around the resonance, averaged over seeds.
    let level = |rate_hz: f64| {
        let mut power = 0.0;
        for seed in 0..24 {
            let (_, sound) = happenings(&mut build(GRAVEL, rate_hz, seed), 0.8, 4096);
            let mut band = tocco::process::particles::BandPass::default();
            band.tune(2385.0, 800.0, rate_hz);
            power += sound.iter().map(|x| band.step(f64::from(*x))).map(|y| y * y).sum::<f64>() / rate_hz;
        }
        10.0 * power.log10()
    };
    let first = level(48_000.0);
    for rate_hz in [44_100.0, 96_000.0, 192_000.0] {
        let other = level(rate_hz);
        assert!((other - first).abs() < 1.0, "{rate_hz} Hz: {other} dB against {first} dB");
    }
}

#[test]
fn counts_of_events_vary_as_those_of_a_poisson_process_do() {
    let (mut sum, mut square) = (0.0, 0.0);
    let runs = 2000;
    for seed in 0..runs {
        let params = ParticlesParams { level: 1.0, load: 0.0, ..ParticlesParams::default() };
        let mut particles = Particles::new(params, &[], &[], 48_000.0, |of| Rng::new(seed, of));
        let mut count = 0;
        for index in 0..300 {
            particles.enter(Cell { index, from: 1.0, to: 1.0 });
            count += particles.events().len();
        }
        sum += count as f64;
        square += (count * count) as f64;
    }
    let mean = sum / runs as f64;
    let ratio = (square / runs as f64 - mean * mean) / mean;
    assert!((ratio - 1.0).abs() < 0.1, "variance {ratio} of the mean {mean}");
    // 32 objects with 12 collisions a second each, for 0.3 s; five standard errors are 1 %.
    assert!((mean / (32.0 * 12.0 * 0.3) - 1.0).abs() < 0.02, "{mean}");
}

#[test]
fn the_exponent_of_crumpling_is_recovered_by_maximum_likelihood() {
    for alpha in [1.0, 1.3, 1.45, 1.6, 1.8] {
        let range = [1e-7, 1e-3];
        let mut rng = Rng::new(9, "energies");
        let draws: Vec<f64> = (0..200_000).map(|_| power_law(alpha, range, rng.unit())).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        assert!((mean / power_law_mean(alpha, range) - 1.0).abs() < 0.02, "{alpha}: mean {mean}");
        // Truncated power law: maximise -alpha <ln E> - ln Z(alpha) by bisection on its slope.
        let logs = draws.iter().map(|e| (e / range[0]).ln()).sum::<f64>() / draws.len() as f64;
        let span = (range[1] / range[0]).ln();
        let expected = |a: f64| {
            // Mean of ln(E/E1) under exponent a: of an exponential of rate a - 1 cut at span.
            let q = a - 1.0;
            if q.abs() < 1e-6 { 0.5 * span } else { 1.0 / q - span / ((q * span).exp() - 1.0) }
        };
        let (mut low, mut high) = (0.2, 3.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if expected(middle) > logs { low = middle } else { high = middle }
        }
        assert!((low - alpha).abs() < 0.01, "{alpha}: {low}");
    }
}

#[test]
fn crumpling_makes_as_many_events_however_fast_it_is_crushed() {
    let count = |milliseconds: u64| {
        let mut total = 0;
        for seed in 0..40 {
            let make = CrumpleMake { energy_j: [1e-7, 1e-4], modes: Vec::new(), fragments: 1, ports: Vec::new() };
            let mut crumple = Crumple::new(CrumpleParams::default(), make, 48_000.0, |of| Rng::new(seed, of));
            for index in 0..milliseconds {
                let at = |k: u64| k as f64 / milliseconds as f64;
                crumple.enter(Cell { index, from: at(index), to: at(index + 1) });
                total += crumple.events().len();
            }
        }
        f64::from(total as u32) / 40.0
    };
    for milliseconds in [50, 200, 1000] {
        let mean = count(milliseconds);
        // 300 per unit of rise; five standard errors of 12000 events.
        assert!((mean - 300.0).abs() < 14.0, "{milliseconds} ms: {mean}");
    }
}

#[test]
fn a_budget_is_never_exceeded_and_is_used_up_by_a_hungry_process() {
    let params = CrumpleParams { budget_01: 0.5, stiffness_n_m: 1e4, events: 5.0, ..CrumpleParams::default() };
    let make = CrumpleMake { energy_j: [1e-3, 1.0], modes: Vec::new(), fragments: 1, ports: Vec::new() };
    let mut crumple = Crumple::new(params, make, 48_000.0, |of| Rng::new(2, of));
    let mut work = 0.0;
    for index in 0..1000 {
        let at = |k: u64| 100.0 * k as f64 / 1000.0;
        crumple.enter(Cell { index, from: at(index), to: at(index + 1) });
        work = 0.5 * at(index + 1) * at(index + 1) / 1e4;
        assert!(crumple.book().given_j <= 0.5 * work * (1.0 + 1e-12), "{} of {work}", crumple.book().given_j);
    }
    assert!(crumple.book().given_j > 0.4 * work, "{} of {work}", crumple.book().given_j);
}

#[test]
fn an_event_brings_along_as_many_as_it_says_and_counts_vary_as_those_of_clusters_do() {
    // Hawkes: mean rate mu/(1 - nu), and the variance of counts in long windows is 1/(1 - nu)^2 of their mean.
    for (nu, cluster_s) in [(0.0, 0.02), (0.5, 0.02), (0.5, 1e-3), (0.8, 0.006)] {
        let (window, windows, mu) = (2000, 150, 100.0);
        let mut counts = Vec::new();
        for seed in 0..4 {
            let params = CrumpleParams {
                events: mu,
                load: 0.0,
                level: 1.0,
                cluster_01: nu,
                cluster_s,
                ..CrumpleParams::default()
            };
            let make = CrumpleMake { energy_j: [1e-7, 1e-4], modes: Vec::new(), fragments: 1, ports: Vec::new() };
            let mut crumple = Crumple::new(params, make, 48_000.0, |of| Rng::new(seed, of));
            for at in 0..windows {
                let mut count = 0;
                for index in at * window..(at + 1) * window {
                    assert_eq!(crumple.enter(Cell { index, from: 1.0, to: 1.0 }), 0);
                    count += crumple.events().len();
                }
                counts.push(count as f64);
            }
        }
        let mean = counts.iter().sum::<f64>() / counts.len() as f64;
        let variance = counts.iter().map(|count| (count - mean).powi(2)).sum::<f64>() / counts.len() as f64;
        let (wanted, spread) = (2.0 * mu / (1.0 - nu), 1.0 / (1.0 - nu).powi(2));
        // Five standard errors of the mean of 600 windows, and of their variance.
        let error = (wanted * spread / counts.len() as f64).sqrt();
        assert!((mean - wanted).abs() < 5.0 * error, "{nu}, {cluster_s} s: {mean} events instead of {wanted}");
        let ratio = variance / mean;
        assert!(
            (ratio / spread - 1.0).abs() < 5.0 * (2.0 / counts.len() as f64).sqrt(),
            "{nu}: {ratio} instead of {spread}"
        );
    }
}

#[test]
fn an_impulse_keeps_its_momentum_whatever_the_contact_time_and_the_rate() {
    for contact_s in [0.0, 1e-4, 3e-3] {
        for rate_hz in [8_000.0, 44_100.0, 192_000.0] {
            let text = format!(
                "[body.ball]\ntype = 'mass'\nmass_kg = 2.0\n[signal.s]\ntype = 'points'\npoints = [[0.0, 0.0], [0.01, 1.0]]\n\
                 [process.p]\ntype = 'particles'\ndriven_by = 's'\non = 'ball'\nobjects = 1.0\ncollisions_hz = 200.0\nlevel = 0.0\n\
                 energy_exponent = 0.0\nimpulse_n_s = 0.5\ncontact_time_s = {contact_s}\n[[tap]]\nof = 'ball'"
            );
            let mut engine = build(&text, rate_hz, 4);
            let (events, sound) = happenings(&mut engine, 0.6, 333);
            assert!(!events.is_empty());
            let wanted = 0.25 * events.len() as f32;
            let last = sound.last().copied().unwrap();
            assert!(
                (last / wanted - 1.0).abs() < 1e-5,
                "{contact_s} s at {rate_hz} Hz: {last} m/s instead of {wanted}"
            );
        }
    }
}

#[test]
fn the_bits_do_not_depend_on_how_blocks_are_cut() {
    let (events, whole) = happenings(&mut build(GRAVEL, 44_100.0, 3), 0.7, 30_870);
    for block in [1, 17, 64, 480, 4096] {
        let (other, sound) = happenings(&mut build(GRAVEL, 44_100.0, 3), 0.7, block);
        assert!(whole == sound, "blocks of {block}");
        // Of one long block only the last thousand happenings are kept.
        assert_eq!(events.len(), other.len());
    }
}

#[test]
fn an_inlet_is_heard_within_two_milliseconds() {
    let text = GRAVEL.replace(
        "type = 'points'\npoints = [[0.0, 0.0], [0.05, 1.1], [0.2, 0.7], [0.4, 1.2], [0.6, 0.0]]",
        "type = 'input'\nmax = 3.0",
    );
    // Enough collisions that one comes at once where there is any energy.
    let text =
        text.replace("objects = 64.0", "objects = 1000.0").replace("collisions_hz = 12.0", "collisions_hz = 1000.0");
    for rate_hz in [8_000.0, 44_100.0, 96_000.0] {
        for offset in 0..50 {
            let mut engine = build(&text, rate_hz, 1);
            let at = (0.1 * rate_hz) as u64 + offset;
            let mut queue = Queue::new();
            let set = Gesture::Set { path: "press/value".into(), value: 1.0 };
            queue.push(at, set.resolve(engine.scene().directory()).unwrap().command);
            let mut out = vec![0.0; (0.12 * rate_hz) as usize];
            engine.render(&[], &mut queue, &mut out);
            let first = engine.take_happening().expect("something happens").at_s;
            let late = first - at as f64 / rate_hz;
            assert!((0.0..=0.002).contains(&late), "{rate_hz} Hz, {offset}: {late} s");
        }
    }
}

#[test]
fn what_is_asked_for_beyond_the_most_is_left_out_and_counted() {
    let text =
        GRAVEL.replace("collisions_hz = 12.0", "collisions_hz = 10000.0").replace("objects = 64.0", "objects = 1e5");
    let mut engine = build(&text, 48_000.0, 1);
    let (events, sound) = happenings(&mut engine, 0.5, 480);
    assert!(engine.health().capped > 1000, "{}", engine.health().capped);
    assert!(sound.iter().all(|x| x.is_finite()));
    let most = events.iter().filter(|event| event.at_s < 0.1).count();
    assert!((most as f64) < 1.2 * 0.1 * MOST_HZ, "{most} in 100 ms");
}

#[test]
fn ten_thousand_events_in_a_millisecond_are_held_to_the_declared_rate_and_the_rest_is_counted() {
    let signal = "[signal.s]\ntype = 'points'\npoints = [[0.0, 1.0]]\n[process.p]\ndriven_by = 's'\n";
    let modes =
        "modes = [{ freq_hz = 900.0, decay_s = 0.002, mass_kg = 0.002 }]\n[[tap]]\nof = 'p'\nquantity = 'sound'\n";
    let bands = "resonances = [{ freq_hz = 900.0, bandwidth_hz = 90.0 }]\n[[tap]]\nof = 'p'\nquantity = 'sound'\n";
    for (kind, rest) in [
        // 10 000 a millisecond each: 1e7 a second.
        ("type = 'crumple'\nload = 0.0\nlevel = 10.0\nevents = 1e6\n", modes),
        ("type = 'particles'\nload = 0.0\nlevel = 1.0\nobjects = 1e5\ncollisions_hz = 100.0\n", bands),
    ] {
        let mut engine = build(&format!("{signal}{kind}{rest}"), 48_000.0, 1);
        let (events, sound) = happenings(&mut engine, 0.5, 48);
        let (count, capped) = (events.len() as f64, engine.health().capped as f64);
        // Six standard deviations of a Poisson count at the declared rate.
        assert!((count - 0.5 * MOST_HZ).abs() < 6.0 * (0.5 * MOST_HZ).sqrt(), "{kind}: {count} events in 0.5 s");
        assert!((count + capped - 5e6).abs() < 0.01 * 5e6, "{kind}: {count} and {capped} left out of 5 000 000");
        assert!(sound.iter().all(|x| x.is_finite()) && sound.iter().any(|x| *x != 0.0));
    }
}

#[test]
fn hush_silences_a_process_and_an_edit_lets_it_go_on() {
    let mut engine = build(GRAVEL, 48_000.0, 1);
    let mut queue = Queue::new();
    queue.push(4_800, tocco::Command::Hush);
    let mut out = vec![0.0; 24_000];
    engine.render(&[], &mut queue, &mut out);
    assert!(out[..4_800].iter().any(|x| *x != 0.0));
    assert!(out[4_800..].iter().all(|x| *x == 0.0), "after hush");

    let (_, straight) = happenings(&mut build(GRAVEL, 48_000.0, 1), 0.5, 4096);
    let mut engine = build(GRAVEL, 48_000.0, 1);
    let again = Scene::build(&SceneDef::from_text(GRAVEL).unwrap(), 48_000.0).unwrap();
    let mut queue = Queue::new();
    queue.push(9_700, tocco::Command::Replace { scene: Some(Box::new(again)), adopt: true });
    let mut edited = vec![0.0; 24_000];
    engine.render(&[], &mut queue, &mut edited);
    assert!(straight == edited, "an edit that changes nothing is not heard");
}

#[test]
fn what_cannot_be_a_process_is_refused_in_one_line() {
    let refused = |text: &str| match SceneDef::from_text(text) {
        Ok(def) => Scene::build(&def, 48_000.0).err().expect("is refused").to_string(),
        Err(error) => error.to_string(),
    };
    let signal = "[signal.s]\ntype = 'input'\n[body.w]\ntype = 'wall'\n[body.a]\ntype = 'mass'\n[[tap]]\nof = 'a'\n";
    let particles = "[process.p]\ntype = 'particles'\ndriven_by = 's'\n";
    let crumple = "[process.p]\ntype = 'crumple'\ndriven_by = 's'\n";
    for (text, said) in [
        (format!("{crumple}on = 'a'\nalpha = 0.0"), "wants a number from 0.01 to 5"),
        (format!("{crumple}on = 'a'\nalpha = -1.0"), "wants a number from 0.01 to 5"),
        (format!("{crumple}on = 'a'\nenergy_j = [1e-3, 1e-3]"), "0.001 J is not above 0.001 J"),
        (crumple.to_string(), "needs modes"),
        (format!("{particles}on = 'w'"), "'w' does not yield to a hit"),
        (format!("{particles}on = 'b'"), "no body 'b'"),
        (particles.to_string(), "needs resonances"),
        (
            format!("{particles}resonances = [{{ freq_hz = 30000.0, bandwidth_hz = 100.0 }}]"),
            "30000 Hz is not below half the rate",
        ),
        ("[process.p]\ntype = 'particles'\ndriven_by = 't'\non = 'a'".into(), "no signal 't'; known: s"),
        (
            "[process.p]\ntype = 'scatter'\ndriven_by = 's'\non = 'a'\nbodies = 'a'".into(),
            "'a' cannot fall; name a mass with gravity_m_s2 and a contact to land on",
        ),
        ("[process.p]\ntype = 'scatter'\ndriven_by = 's'\non = 'a'\nbodies = ['b']".into(), "no body 'b'"),
        (
            format!("{particles}on = 'a'\n[[tap]]\nof = 'p'\nquantity = 'sound'"),
            "hits bodies and has no sound of its own",
        ),
        (
            format!("{particles}resonances = [{{ freq_hz = 300.0, bandwidth_hz = 100.0 }}]\n[[tap]]\nof = 'p'"),
            "its quantity is sound",
        ),
    ] {
        let error = refused(&format!("{signal}{text}"));
        assert!(error.contains(said) && !error.contains('\n'), "{text}\n{error}");
    }
}

#[test]
fn a_burst_gives_modes_the_energy_of_the_closed_form() {
    // I^2/(4 m) each, for modes far below the bright end of a burst that is short against their decay.
    let modes: Vec<String> = (0..40)
        .map(|i| format!("{{ freq_hz = {}, decay_s = 50.0, mass_kg = 0.5 }}", 300.0 + 97.0 * f64::from(i)))
        .collect();
    let text = format!(
        "[body.wood]\ntype = 'modal'\nmodes = [{}]\n[signal.blow]\ntype = 'points'\n\
         points = [[0.0, 0.0], [0.01, 0.0], [0.011, 1.0], [0.1, 1.0], [0.11, 0.0]]\n[process.p]\ntype = 'burst'\n\
         driven_by = 'blow'\non = 'wood'\nimpulse_n_s = 0.1\nattack_s = 1e-4\ndecay_s = 0.01\nbright_hz = 100000.0\n\
         [[tap]]\nof = 'wood'",
        modes.join(", ")
    );
    let runs = 300;
    for rate_hz in [44_100.0, 96_000.0] {
        let mut sum = 0.0;
        for seed in 0..runs {
            let mut engine = build(&text, rate_hz, seed);
            happenings(&mut engine, 0.12, 4096);
            sum += engine.energy() / runs as f64;
        }
        let wanted = 40.0 * 0.1 * 0.1 / (4.0 * 0.5);
        assert!((sum / wanted - 1.0).abs() < 0.03, "{rate_hz} Hz: {sum} J instead of {wanted} J");
    }
}

#[test]
fn several_bursts_share_one_body_and_an_envelope_gives_what_its_square_says() {
    // Each heel and toe its own noise on the modes of one piece of wood: energies add. By envelope: I^2/(4 m) times the
    // integral of its square, here of a triangle of 40 ms: 0.04/3 s.
    let modes: Vec<String> = (0..40)
        .map(|i| format!("{{ freq_hz = {}, decay_s = 50.0, mass_kg = 0.5 }}", 300.0 + 97.0 * f64::from(i)))
        .collect();
    let body = format!("[body.wood]\ntype = 'modal'\nmodes = [{}]\n[[tap]]\nof = 'wood'\n", modes.join(", "));
    let signal = "[signal.blow]\ntype = 'points'\npoints = [[0.0, 0.0], [0.01, 0.0], [0.03, 1.0], [0.05, 0.0]]\n";
    let burst = |name: &str, by: &str| {
        format!(
            "[process.{name}]\ntype = 'burst'\ndriven_by = 'blow'\nby = '{by}'\non = 'wood'\nimpulse_n_s = 0.1\nattack_s = 1e-4\n\
             decay_s = 0.01\nbright_hz = 100000.0\nthreshold = 0.999\n"
        )
    };
    let mean = |processes: &str| {
        let runs = 600;
        let energy = |seed| {
            let mut engine = build(&format!("{body}{signal}{processes}"), 96_000.0, seed);
            happenings(&mut engine, 0.12, 4096);
            engine.energy()
        };
        (0..runs).map(energy).sum::<f64>() / runs as f64
    };
    let one = 40.0 * 0.1 * 0.1 / (4.0 * 0.5);
    for (processes, wanted) in
        [(burst("heel", "event") + &burst("toe", "event"), 2.0 * one), (burst("heel", "envelope"), one * 0.04 / 3.0)]
    {
        let found = mean(&processes);
        assert!((found / wanted - 1.0).abs() < 0.04, "{processes}: {found} J instead of {wanted} J");
    }
}

#[test]
fn what_hears_the_scene_an_inlet_or_a_sound_does_as_much_at_every_rate() {
    // Not the same events, for what is heard as it comes depends on the rate; as many of them, and as large.
    let process = "[process.p]\ntype = 'crumple'\ndriven_by = 's'\nevents = 400.0\nunload = 1.0\nforce_to_energy = 1.0\n\
                   modes = [{ freq_hz = 900.0, decay_s = 0.002, mass_kg = 0.002 }]\n[[tap]]\nof = 'p'\nquantity = 'sound'\n";
    let probe = "[body.ball]\ntype = 'mass'\nmass_kg = 0.1\nvelocity_m_s = 1.0\n[body.spring]\ntype = 'modal'\n\
                 modes = [{ freq_hz = 6.0, decay_s = 0.4, mass_kg = 0.3 }]\n[[event]]\nat_s = 0.05\nhit = 'spring'\nimpulse_n_s = 0.3\n\
                 [signal.s]\ntype = 'probe'\nof = 'spring.velocity'\ncurve = [[-1.0, 1.0], [0.0, 0.0], [1.0, 1.0]]\n";
    let inlet = "[signal.s]\ntype = 'input'\n";
    let follow = "[signal.s]\ntype = 'follow'\ninput = 0\nmost = 1.0\nfall_s = 0.02\nrise_s = 0.002\n";
    for (name, signal) in [("probe", probe), ("inlet", inlet), ("follow", follow)] {
        let measure = |rate_hz: f64| {
            let (mut count, mut size, runs) = (0.0, 0.0, 40);
            for seed in 0..runs {
                let mut engine = build(&format!("{signal}{process}"), rate_hz, seed);
                let frames = (0.6 * rate_hz) as usize;
                let wave = |i: usize| {
                    let t = i as f64 / rate_hz;
                    let swells = (1.0 - (t / 0.15 - 1.0).abs()).max(0.0) + (1.0 - (t / 0.05 - 8.0).abs()).max(0.0);
                    (swells * (std::f64::consts::TAU * 700.0 * t).sin()) as f32
                };
                let heard: Vec<f32> = (0..frames).map(wave).collect();
                let mut queue = Queue::new();
                if name == "inlet" {
                    for (at_s, value) in [(0.05, 0.7), (0.2, 0.2), (0.35, 1.0)] {
                        let set = Gesture::Glide { path: "s/value".into(), value, glide_s: 0.06 };
                        let command = set.resolve(engine.scene().directory()).unwrap().command;
                        queue.push((at_s * rate_hz) as u64, command);
                    }
                }
                let (mut at, block) = (0, rate_hz as usize / 100);
                while at < frames {
                    let end = (at + block).min(frames);
                    engine.render(&[&heard[at..end]], &mut queue, &mut vec![0.0; end - at]);
                    at = end;
                    while let Some(happening) = engine.take_happening() {
                        count += 1.0 / runs as f64;
                        size += happening.size / runs as f64;
                    }
                }
            }
            (count, size)
        };
        let first = measure(48_000.0);
        assert!(first.0 > 100.0, "{name}: {} events", first.0);
        for rate_hz in [44_100.0, 96_000.0] {
            let other = measure(rate_hz);
            // Six standard errors of two Poisson counts; a power law's sums scatter more.
            let within = 6.0 * (2.0 * first.0 / 40.0).sqrt();
            assert!((other.0 - first.0).abs() < within, "{name} at {rate_hz} Hz: {} events, {}", other.0, first.0);
            assert!((other.1 / first.1 - 1.0).abs() < 0.35, "{name} at {rate_hz} Hz: {} J, {}", other.1, first.1);
        }
    }
}

#[test]
fn a_spread_impact_brings_one_momentum_however_many_places_it_meets() {
    for (hits, spread_s) in [(1.0, 0.0), (24.0, 0.03), (256.0, 0.001), (200.0, 0.3)] {
        let text = format!(
            "[body.ball]\ntype = 'mass'\nmass_kg = 2.0\n[signal.blow]\ntype = 'points'\npoints = [[0.0, 0.0], [0.01, 0.0], [0.011, 1.0]]\n\
             [process.sole]\ntype = 'spread'\ndriven_by = 'blow'\non = 'ball'\nmomentum_n_s = 3.0\nhits = {hits}\nspread_s = {spread_s}\n[[tap]]\nof = 'ball'"
        );
        let (events, sound) = happenings(&mut build(&text, 48_000.0, 7), 0.6, 100);
        assert_eq!(events.len() as f64, hits);
        let last = sound.last().copied().unwrap();
        assert!((last - 1.5).abs() < 1e-5, "{hits} hits in {spread_s} s: {last} m/s instead of 1.5");
        let (first, end) = (events[0].at_s, events[events.len() - 1].at_s);
        assert!(end - first <= spread_s + 0.02, "{first} to {end}");
    }
}

#[test]
fn a_spread_impact_meets_all_its_places_in_the_order_in_which_they_are_written() {
    let body = |n: usize| {
        format!(
            "[body.b{n}]\ntype = 'mass'\nmass_kg = 1.0\n[output.o{n}]\nchannels = [{n}]\n[[tap]]\nof = 'b{n}'\nto = ['o{n}']\n"
        )
    };
    let text = format!(
        "{}[signal.blow]\ntype = 'points'\npoints = [[0.0, 0.0], [0.01, 0.0], [0.011, 1.0]]\n[process.sole]\ntype = 'spread'\n\
         driven_by = 'blow'\non = ['b3', 'b1', 'b4', 'b0', 'b2']\nmomentum_n_s = 3.0\nhits = 100.0\nspread_s = 0.1\n",
        (0..5).map(body).collect::<String>()
    );
    let (events, sound) = happenings(&mut build(&text, 48_000.0, 7), 0.3, 100);
    assert_eq!((events.len(), sound.len() % 5), (100, 0));
    // Of each body when it is pushed first and last, and how fast it is in the end.
    let pushed = |body: usize| {
        let speeds: Vec<f32> = sound.iter().skip(body).step_by(5).copied().collect();
        let last = speeds[speeds.len() - 1];
        (speeds.iter().position(|v| *v > 0.0).unwrap(), speeds.iter().position(|v| *v == last).unwrap(), last)
    };
    let order = [3, 1, 4, 0, 2].map(pushed);
    // A meeting lasts about 1 ms.
    assert!(order.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].0 + 96), "{order:?}");
    assert!(order.iter().all(|(from, to, _)| to - from > 480), "each of them several times: {order:?}");
    assert!((order.iter().map(|(_, _, speed)| speed).sum::<f32>() - 3.0).abs() < 1e-4, "{order:?}");
}

/// The force under a walking foot as breakpoints, body weights: heel, middle and toe of a step at a speed, m/s, that lasts so
/// long, s. Quadratics in the speed, fitted to 600 steps on a force plate.
fn step(speed_m_s: f64, stance_s: f64) -> Vec<[f64; 2]> {
    let at = |[c2, c1, c0]: [f64; 3]| {
        let u = speed_m_s - 1.4;
        c0 + u * (c1 + u * c2)
    };
    let knots = [
        [at([0.04358, -0.07215, 0.21444]), at([0.25602, 0.37351, 1.17642])],
        [at([0.03598, 0.01436, 0.46813]), at([-0.06688, -0.38397, 0.70026])],
        [at([0.02439, 0.01093, 0.75550]), at([-0.15730, 0.11678, 1.24870])],
    ];
    let [a, b, c] = knots.map(|[t, force]| [0.05 + t * stance_s, force]);
    vec![[0.0, 0.0], [0.05, 0.0], a, b, c, [0.05 + stance_s, 0.0]]
}

#[test]
fn a_step_crumples_snow_as_often_however_fast_it_is_made_and_at_the_same_times_at_every_rate() {
    let text = |points: &[[f64; 2]]| {
        format!(
            "[signal.foot]\ntype = 'points'\npoints = {points:?}\n[process.snow]\ntype = 'crumple'\ndriven_by = 'foot'\nevents = 298.0\n\
             modes = [{{ freq_hz = 385.0, decay_s = 0.0078, mass_kg = 0.002 }}]\n[[tap]]\nof = 'snow'\nquantity = 'sound'"
        )
    };
    for (speed, stance) in [(0.9, 0.8044), (1.3, 0.654), (1.8, 0.5395), (1.3, 0.3)] {
        let points = step(speed, stance);
        let rise: f64 = points.windows(2).map(|pair| (pair[1][1] - pair[0][1]).max(0.0)).sum();
        let runs = 30;
        let mut count = 0;
        for seed in 0..runs {
            count += happenings(&mut build(&text(&points), 8_000.0, seed), 1.0, 1000).0.len();
        }
        let (mean, wanted) = (count as f64 / runs as f64, 298.0 * rise);
        // Five standard errors of a Poisson count.
        assert!(
            (mean - wanted).abs() < 5.0 * (wanted / runs as f64).sqrt(),
            "{speed} m/s, {stance} s: {mean} of {wanted}"
        );
        let (first, _) = happenings(&mut build(&text(&points), 44_100.0, 3), 1.0, 512);
        for rate_hz in [48_000.0, 96_000.0, 192_000.0] {
            assert_eq!(first, happenings(&mut build(&text(&points), rate_hz, 3), 1.0, 512).0, "{rate_hz} Hz");
        }
    }
}
