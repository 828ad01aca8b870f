// SPDX-License-Identifier: MIT OR Apache-2.0
//! The string against the stiff-string formula, statics, reciprocity and its own ledger.

use std::f64::consts::{PI, TAU};
mod common;
use common::tick;
use tocco::contact::world::World;
use tocco::contact::{Contact, Law, Site};
use tocco::interactor::impact::{ImpactLaw, ImpactParams};
use tocco::param::Tunable;
use tocco::resonator::inertial::{Mass, MassParams};
use tocco::resonator::modal::{Modal, ModalParams};
use tocco::resonator::waveguide::{StringParams, Waveguide};
use tocco::resonator::{CONTROL_TICKS, Motion, Reading, Resonator};
use tocco::rng::Rng;
use tocco_testing::spectra::{fourier, partial};

const RATES: [f64; 7] = [8e3, 22_050.0, 44_100.0, 48e3, 96e3, 192e3, 384e3];

fn string(freq_hz: f64, q: f64, inharmonicity: f64, places: &[f64], rate_hz: f64) -> Waveguide {
    let params = StringParams { freq_hz, q, inharmonicity, ..StringParams::default() };
    Waveguide::new(params, places, 1.0 / rate_hz)
}

/// Velocity of the last port after a hit at the first, free form.
fn struck(string: &mut Waveguide, samples: usize) -> Vec<f64> {
    string.hit(0, 1e-3);
    string.release();
    let mut reading = [Reading::new(string.ports() - 1, Motion::Velocity)];
    let mut out = Vec::with_capacity(samples + CONTROL_TICKS);
    while out.len() < samples {
        string.ring(CONTROL_TICKS, &mut reading);
        out.extend_from_slice(&reading[0].values);
    }
    out
}

fn cents(ratio: f64) -> f64 {
    1200.0 * ratio.log2()
}

fn stiff_ratio(n: usize, b: f64) -> f64 {
    let n = n as f64;
    n * ((1.0 + b * n * n) / (1.0 + b)).sqrt()
}

/// (error in cents, Q) of the measured partials of a struck string, those below 0.4 of the rate.
fn measured(params: StringParams, rate_hz: f64, partials: &[usize]) -> Vec<(usize, f64, f64)> {
    let period = rate_hz / params.freq_hz;
    let lag = if params.q > 1e3 { 40.0 } else { 6.0 };
    let (window, lag) = ((40.0 * period) as usize, (lag * period) as usize);
    let y = struck(&mut Waveguide::new(params, &[0.1, 0.07], 1.0 / rate_hz), window + lag);
    let fits = |n: &&usize| params.freq_hz * stiff_ratio(**n, params.inharmonicity) <= 0.4 * rate_hz;
    let one = |&n: &usize| {
        let aim = TAU * params.freq_hz * stiff_ratio(n, params.inharmonicity) / rate_hz;
        let (w, decay) = partial(&y, aim, window, lag);
        (n, cents(w / aim), 0.5 * w / decay)
    };
    partials.iter().filter(fits).map(one).collect()
}

#[test]
fn the_first_partial_is_within_a_hundredth_of_a_cent_at_every_rate() {
    for rate_hz in RATES {
        for freq_hz in [30.0, 65.4, 147.0, 440.0, 1046.5, 2093.0, 3199.0, 4000.0] {
            for inharmonicity in [0.0, 3e-4] {
                if freq_hz <= 0.4 * rate_hz {
                    let params = StringParams { freq_hz, inharmonicity, ..StringParams::default() };
                    let (_, off, q) = measured(params, rate_hz, &[1])[0];
                    assert!(off.abs() < 0.01, "{rate_hz} {freq_hz} {inharmonicity}: {off} cents");
                    assert!((q / 500.0 - 1.0).abs() < 0.01, "{rate_hz} {freq_hz} {inharmonicity}: Q {q}");
                }
            }
        }
    }
}

#[test]
fn twenty_partials_follow_the_stiff_string_within_three_cents() {
    let all: Vec<usize> = (1..=20).collect();
    for inharmonicity in [0.0, 1e-5, 5.573_96e-5, 3e-4, 1e-3, 3e-3, 1e-2] {
        for rate_hz in RATES {
            for freq_hz in [30.0, 147.0, 440.0, 987.8, 4000.0] {
                if freq_hz > 0.4 * rate_hz {
                    continue;
                }
                let params = StringParams { freq_hz, inharmonicity, q: 3e3, ..StringParams::default() };
                let string = Waveguide::new(params, &[0.1], 1.0 / rate_hz);
                assert!(string.worst_cents() < 3.0, "{rate_hz} {freq_hz} {inharmonicity}: {}", string.worst_cents());
                if rate_hz == 48e3 || rate_hz == 8e3 {
                    for (n, off, _) in measured(params, rate_hz, &all) {
                        assert!(off.abs() < 3.0, "{rate_hz} {freq_hz} {inharmonicity} partial {n}: {off} cents");
                    }
                }
            }
        }
    }
}

#[test]
fn partials_one_and_ten_decay_as_their_quality_factors_say() {
    for (rate_hz, freq_hz) in
        [(48e3, 30.0), (44_100.0, 147.0), (48e3, 440.0), (48e3, 1500.0), (8e3, 147.0), (8e3, 300.0)]
    {
        for inharmonicity in [0.0, 5.573_96e-5, 1e-3] {
            for (q, q_tilt) in
                [(30.0, 1.0), (100.0, 1.0), (500.0, 1.0), (1e4, 1.0), (1e5, 1.0), (500.0, 0.4), (500.0, 5.0)]
            {
                let params = StringParams { freq_hz, q, q_tilt, inharmonicity, ..StringParams::default() };
                for (n, off, got) in measured(params, rate_hz, &[1, 10]) {
                    let asked = if n == 1 { q } else { q * q_tilt };
                    assert!((got / asked - 1.0).abs() < 0.05, "{params:?} {rate_hz} partial {n}: Q {got}");
                    assert!(n > 1 || off.abs() < 1.0, "{params:?} {rate_hz}: {off} cents");
                }
            }
        }
    }
}

#[test]
fn a_partial_with_a_node_where_it_is_struck_does_not_sound() {
    let rate_hz = 48e3;
    let mut struck_at_fifth = string(100.0, 2e3, 0.0, &[0.2, 0.07], rate_hz);
    let y = struck(&mut struck_at_fifth, 9_600);
    let level = |n: f64| {
        let hann = |k: usize| (PI * (k as f64 + 0.5) / 9_600.0).sin().powi(2);
        let (re, im) = fourier((0..9_600).map(|k| hann(k) * y[k]), TAU * 100.0 * n / rate_hz);
        re.hypot(im) / (PI * n * 0.2).sin().abs().max(1e-3) / (PI * n * 0.07).sin().abs()
    };
    for n in [5.0, 10.0] {
        assert!(level(n) * 1e-3 < 5e-3 * level(4.0), "{n}: {} {}", level(n) * 1e-3, level(4.0));
    }
    for n in [1.0, 2.0, 3.0, 6.0, 7.0] {
        let ratio = level(n) / level(4.0);
        assert!((ratio - 1.0).abs() < 0.2, "{n}: {ratio}, mode shapes sin(n pi x) at both places");
    }
}

#[test]
fn a_held_force_bends_the_string_by_its_static_flexibility_and_it_does_not_creep() {
    for x in [0.05, 0.127, 0.5, 0.8] {
        for inharmonicity in [0.0, 1e-4] {
            let mut string = string(200.0, 50.0, inharmonicity, &[x], 48e3);
            let after = [3, 60].map(|seconds| {
                for _ in 0..seconds * 48_000 {
                    string.push(0, 2.0);
                    string.commit();
                }
                string.position(0)
            });
            let flexibility = string.flexibility(0);
            assert!((after[0] / (2.0 * flexibility) - 1.0).abs() < 1e-9, "{x}: {} {flexibility}", after[0]);
            assert!((after[1] / after[0] - 1.0).abs() < 1e-9, "{x}: creeps by {}", after[1] / after[0] - 1.0);
            let flexible = x * (1.0 - x) / (2.0 * 200.0 * 0.55);
            // Loss and stiffness lengthen the loop at zero frequency: 1.4/Q and 0.6 %.
            assert!((flexibility / flexible - 1.0).abs() < 0.035, "{x} {inharmonicity}: {}", flexibility / flexible);
        }
    }
}

#[test]
fn two_places_answer_each_other_alike() {
    for (a, b, inharmonicity) in [(0.1, 0.37, 0.0), (0.123, 0.1231, 1e-4), (0.3, 0.8, 3e-4), (0.9, 0.7, 1e-4)] {
        let mut one = string(441.3, 300.0, inharmonicity, &[a, b], 44_100.0);
        let mut two = string(441.3, 300.0, inharmonicity, &[b, a], 44_100.0);
        let (there, back) = (struck(&mut one, 4_000), struck(&mut two, 4_000));
        let loudest = there.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        for (u, v) in there.iter().zip(&back) {
            assert!((u - v).abs() < 1e-11 * loudest, "{a} {b}: {u} {v}");
        }
    }
}

#[test]
fn work_at_the_ports_is_never_less_than_the_energy_gained() {
    let mut rng = Rng::new(1, "string");
    for trial in 0..300 {
        let rate_hz = RATES[trial % RATES.len()];
        let params = StringParams {
            freq_hz: rng.between_log(30.0, (0.4 * rate_hz).min(5e3)),
            q: rng.between_log(10.0, 1e5),
            q_tilt: rng.between_log(0.2, 5.0),
            impedance_kg_s: rng.between_log(1e-2, 10.0),
            inharmonicity: if rng.unit() < 0.3 { 0.0 } else { rng.between_log(1e-6, 1e-2) },
        };
        let first = rng.between(0.02, 0.98);
        let places = [first, (first + 1e-4).min(0.99), rng.between(0.02, 0.98)];
        let mut string = Waveguide::new(params, &places, 1.0 / rate_hz);
        let (mut booked, mut ledger, mut scale, mut level) = (0.0, 0.0f64, 1e-300f64, 0);
        for tick in 0..3_000 {
            if tick % 100 == 0 {
                level = (rng.unit() * 7.0) as usize;
                string.divide(level);
            }
            let loud = if tick < 1_500 { 1.0 } else { 0.0 };
            if tick == 700 {
                string.hit(1, 1e-4);
            }
            for _ in 0..1 << level {
                let force = [0, 1, 2].map(|_| loud * rng.between(-1.0, 1.0));
                (0..3).for_each(|p| string.push(p, force[p]));
                (0..3).for_each(|p| booked += force[p] * string.free_stroke(p));
                string.commit();
            }
            let energy = string.energy();
            let now = energy - booked - string.work();
            scale = scale.max(energy + booked.abs());
            assert!(now - ledger < 1e-13 * scale, "{params:?} {places:?} tick {tick}: {}", (now - ledger) / scale);
            ledger = now;
        }
    }
}

#[test]
fn a_string_pushed_the_other_way_moves_the_other_way_exactly() {
    let mut rng = Rng::new(2, "mirror");
    let (mut up, mut down) =
        (string(196.0, 800.0, 1e-4, &[0.11, 0.4], 48e3), string(196.0, 800.0, 1e-4, &[0.11, 0.4], 48e3));
    for _ in 0..5_000 {
        let f = rng.between(-1.0, 1.0);
        up.push(0, f);
        down.push(0, -f);
        up.commit();
        down.commit();
        assert_eq!(up.velocity(1), -down.velocity(1));
        assert_eq!(up.position(0), -down.position(0));
    }
}

#[test]
fn the_free_form_is_the_stepped_form_bit_for_bit_and_the_string_comes_to_rest_at_zero() {
    let make = || {
        let mut s = string(330.0, 40.0, 1e-4, &[0.21, 0.6], 48e3);
        s.hit(0, 1e-3);
        s
    };
    let (mut free, mut stepped) = (make(), make());
    free.release();
    let mut readings = [Reading::new(1, Motion::Position), Reading::new(0, Motion::Velocity)];
    let mut highest = 0.0f64;
    for _ in 0..3_000 {
        free.ring(32, &mut readings);
        for tick in 0..32 {
            stepped.commit();
            assert_eq!(readings[0].values[tick], stepped.position(1));
            assert_eq!(readings[1].values[tick], stepped.velocity(0));
            highest = highest.max(stepped.position(1).abs());
        }
    }
    assert!(stepped.position(1).abs() < 1e-12 * highest, "{} of {highest}", stepped.position(1));
}

#[test]
fn a_free_string_never_leaves_its_range() {
    let mut rng = Rng::new(3, "range");
    for _ in 0..40 {
        let freq_hz = rng.between_log(40.0, 3e3);
        let places = [rng.between(0.02, 0.6), rng.between(0.02, 0.6)];
        let mut s = string(freq_hz, 1e4, rng.between(0.0, 1e-3), &places, 48e3);
        for _ in 0..200 {
            s.push(0, rng.between(-1.0, 1.0));
            s.commit();
        }
        s.release();
        let bound = s.range(1, 1.0).1;
        let mut reading = [Reading::new(1, Motion::Position)];
        let mut highest = 0.0f64;
        for _ in 0..100 {
            s.ring(32, &mut reading);
            highest = reading[0].values.iter().fold(highest, |m, v| m.max(v.abs()));
        }
        assert!(highest <= bound && highest > 0.01 * bound, "{highest} {bound}");
    }
}

#[test]
fn retuning_a_sounding_string_adds_no_energy_no_click_and_ends_in_tune() {
    for (from_hz, to_hz, inharmonicity) in
        [(147.0, 147.0, 5e-5), (110.0, 440.0, 1e-4), (440.0, 110.0, 1e-4), (1800.0, 2000.0, 1e-3), (60.0, 900.0, 3e-4)]
    {
        let rate_hz = 48e3;
        let mut s = string(from_hz, 2e3, inharmonicity, &[0.13, 0.21], rate_hz);
        // A soft stroke, half a period long: little above the first few partials.
        let stroke = (0.5 * rate_hz / from_hz) as usize;
        for k in 0..stroke {
            s.push(0, (PI * k as f64 / stroke as f64).sin().powi(2));
            s.commit();
        }
        s.release();
        let mut reading = [Reading::new(1, Motion::Velocity)];
        let (mut loudest, mut step, mut last) = (0.0f64, 0.0f64, f64::NAN);
        let mut listen = |s: &mut Waveguide| {
            s.ring(32, &mut reading);
            let (mut l, mut d) = (0.0f64, 0.0f64);
            for &v in &reading[0].values {
                l = l.max(v.abs());
                d = if last.is_nan() { 0.0 } else { d.max((v - last).abs()) };
                last = v;
            }
            (l, d)
        };
        for _ in 0..((0.03 * rate_hz) as usize / 32) {
            let (l, d) = listen(&mut s);
            (loudest, step) = (loudest.max(l), step.max(d));
        }
        for tick in 0..=300 {
            let at = f64::from(tick) / 300.0;
            let vibrato = 1.0 + 0.02 * (TAU * 6.0 * at).sin() * (1.0 - at);
            let before = s.energy();
            s.set(0, from_hz * (to_hz / from_hz).powf(at) * vibrato);
            assert!(s.energy() <= before * (1.0 + 1e-12), "{from_hz} {to_hz}: {} {before}", s.energy());
            let (l, d) = listen(&mut s);
            assert!(l < 1.5 * loudest, "{from_hz} {to_hz}: {l} after {loudest}");
            assert!(d < 1.0 * loudest, "{from_hz} {to_hz} tick {tick}: a step of {d}, the signal is {loudest}, {step}");
        }
        s.set(0, to_hz);
        assert!(s.worst_cents() < 5.0, "{from_hz} {to_hz}: {} cents with {} pairs", s.worst_cents(), s.pairs());
        s.reset();
        s.attend();
        let period = rate_hz / to_hz;
        let (window, lag) = ((40.0 * period) as usize, (6.0 * period) as usize);
        let y = struck(&mut s, window + lag);
        let (w, _) = partial(&y, TAU * to_hz / rate_hz, window, lag);
        let off = cents(w * rate_hz / (TAU * to_hz));
        assert!(off.abs() < 0.1, "{from_hz} {to_hz}: {off} cents");
    }
}

fn mass(mass_kg: f64, position_m: f64, velocity_m_s: f64, rate_hz: f64) -> Box<Mass> {
    let params = MassParams { mass_kg, ..MassParams::default() };
    Box::new(Mass::new(params, position_m, velocity_m_s, 1.0 / rate_hz))
}

fn touch(a: (usize, usize), b: (usize, usize), law: ImpactLaw, params: ImpactParams, substeps: Option<u32>) -> Contact {
    let site = |(body, port)| Site { body, port };
    Contact::new(site(a), site(b), Law::Normal(law.build(params, None)), substeps, false, Rng::new(1, "touch"))
}

#[test]
fn a_hard_mass_on_a_long_string_is_braked_exponentially() {
    // Before the first echo the string is a dashpot of 2 Z: v = v0 exp(-2 Z t/m).
    for rate_hz in [44_100.0, 192e3] {
        let (m, z) = (0.005, 1.5);
        let params = StringParams { freq_hz: 20.0, impedance_kg_s: z, ..StringParams::default() };
        let hard = ImpactParams { stiffness: 1e7, exponent: 1.0, ..ImpactParams::default() };
        let contact = touch((0, 0), (1, 0), ImpactLaw::Power, hard, None);
        let string = Box::new(Waveguide::new(params, &[0.5], 1.0 / rate_hz));
        let mut world = World::new(vec![mass(m, 0.0, 2.0, rate_hz), string], vec![contact], 1.0 / rate_hz);
        let ticks = (2e-3 * rate_hz) as u64;
        (0..ticks).for_each(|at| tick(&mut world, at));
        let t = ticks as f64 / rate_hz;
        let ratio = world.bodies[0].velocity(0) / (2.0 * (-2.0 * z * t / m).exp());
        assert!((ratio - 1.0).abs() < 2e-3, "{rate_hz}: {ratio}");
        assert_eq!(world.health.unconverged, 0);
    }
}

#[test]
fn hammers_on_strings_never_gain_energy() {
    let mut rng = Rng::new(5, "hammers");
    for trial in 0..200 {
        let rate_hz = [44_100.0, 48e3, 96e3, 8e3][trial % 4];
        let mut draw = |places: &[f64]| {
            let params = StringParams {
                freq_hz: rng.between_log(30.0, 2e3),
                q: rng.between_log(20.0, 1e4),
                impedance_kg_s: rng.between_log(0.05, 10.0),
                inharmonicity: rng.between_log(1e-6, 1e-3),
                ..StringParams::default()
            };
            Box::new(Waveguide::new(params, places, 1.0 / rate_hz))
        };
        let (one, two) = (draw(&[0.12, 0.1207, 0.4]), draw(&[0.3]));
        let mut contacts = Vec::new();
        for (a, b) in [((0, 0), (2, 0)), ((1, 0), (2, 1)), ((2, 2), (3, 0))] {
            let law = [ImpactLaw::HuntCrossley, ImpactLaw::Power, ImpactLaw::Stulov][(rng.unit() * 3.0) as usize];
            let params = ImpactParams {
                stiffness: rng.between_log(1e4, 1e11),
                exponent: rng.between(1.0, 3.5),
                dissipation_s_m: rng.between(0.0, 3.0),
                hysteresis_01: rng.between(0.1, 0.9),
                relaxation_s: rng.between_log(1e-6, 1e-3),
                ..ImpactParams::default()
            };
            contacts.push(touch(a, b, law, params, [None, Some(1), Some(8)][trial % 3]));
        }
        let hammer =
            |rng: &mut Rng| mass(rng.between_log(1e-4, 0.1), -1e-4 * rng.unit(), rng.between_log(0.1, 10.0), rate_hz);
        let (first, second) = (hammer(&mut rng), hammer(&mut rng));
        let mut world = World::new(vec![first, second, one, two], contacts, 1.0 / rate_hz);
        let mut ledger = world.energy() - world.work();
        let mut scale = world.energy();
        for at in 0..2_000 {
            if at == 900 {
                world.hit(Site { body: 2, port: 1 }, 1e-3);
            }
            if at % 32 == 0 && at > 1_200 {
                world.tune_body(2, 0, 40.0 + at as f64 * 0.1);
            }
            tick(&mut world, at);
            let now = world.energy() - world.work();
            scale = scale.max(world.energy() + world.work().abs());
            assert!(now - ledger < 1e-12 * scale, "trial {trial} tick {at}: {}", (now - ledger) / scale);
            ledger = now;
        }
        assert!(world.health.solves > 0 && world.health.reset == 0);
    }
}

#[test]
fn a_felt_hammer_leaves_the_string_as_it_leaves_the_same_string_made_of_modes() {
    let (rate_hz, freq_hz, z, x) = (192e3, 220.0, 3.0, 0.123);
    let felt = ImpactParams { stiffness: 2e9, exponent: 2.5, ..ImpactParams::default() };
    let run = |string: Box<dyn Resonator>| {
        let contact = touch((0, 0), (1, 0), ImpactLaw::Power, felt, Some(2));
        let mut world = World::new(vec![mass(8e-3, 0.0, 2.0, rate_hz), string], vec![contact], 1.0 / rate_hz);
        let (mut longest, mut hardest) = (0, 0.0f64);
        for at in 0..1_200 {
            tick(&mut world, at);
            hardest = hardest.max(world.contacts[0].force);
            longest = if world.contacts[0].force > 0.0 { at } else { longest };
        }
        (world.bodies[0].velocity(0), hardest, longest as f64)
    };
    // Fixed ends: mass Z/(2 f0), modes sin(n pi x), modal mass half of it.
    let params = StringParams { freq_hz, impedance_kg_s: z, q: 1e5, ..StringParams::default() };
    let modes: Vec<_> = (1..400).map(|n| (freq_hz * f64::from(n), f64::INFINITY, z / (4.0 * freq_hz))).collect();
    let shape: Vec<f64> = (1..400).map(|n| (PI * f64::from(n) * x).sin()).collect();
    let modal = Modal::new(ModalParams::default(), &modes, &[shape], 1.0 / rate_hz, true);
    let by_modes = run(Box::new(modal));
    let by_waves = run(Box::new(Waveguide::new(params, &[x], 1.0 / rate_hz)));
    assert!(by_waves.2 > 200.0, "in touch for {} samples", by_waves.2);
    assert!((by_waves.0 - by_modes.0).abs() < 0.01, "leaves at {} m/s and {} m/s", by_waves.0, by_modes.0);
    assert!((by_waves.1 / by_modes.1 - 1.0).abs() < 0.01, "{} N and {} N", by_waves.1, by_modes.1);
    assert!((by_waves.2 / by_modes.2 - 1.0).abs() < 0.01, "{} and {} samples", by_waves.2, by_modes.2);
}

#[test]
fn a_bow_with_static_friction_slips_once_per_period() {
    // Set C of physics.md F with the closed solution of E.7; ramp 30 ms.
    let (rate_hz, beta, bow, load) = (44_100.0, 38.0 / 300.0, 0.1, 1.1);
    let mut string = string(147.0, 500.0, 5.573_96e-5, &[beta], rate_hz);
    let h = 1.0 / rate_hz;
    let (mut sticking, mut armed, mut slips, mut slipping) = (true, true, 0, 0);
    let (from, to) = (30_870, 44_100);
    for k in 0..to {
        let v_bow = bow * (f64::from(k) / (0.03 * rate_hz)).min(1.0);
        let (v0, yields) = (v_bow - string.free_stroke(0) / h, string.compliance(0, 0) / h);
        let curve = |v: f64| load * (0.3 + 0.5 * (-(v / 0.1f64).powi(2)).exp());
        let mut v = 0.0;
        let held = v0.abs() <= yields * load * if sticking { 0.8 } else { 0.3 };
        if !held {
            let mut speed = (v0.abs() - yields * 0.3 * load).max(0.0);
            for _ in 0..50 {
                speed = (v0.abs() - yields * curve(speed)).max(0.0);
            }
            v = speed.copysign(v0);
        }
        sticking = v == 0.0;
        string.push(0, (v0 - v) / yields);
        string.commit();
        if k >= from {
            slipping += i32::from(v.abs() > 0.5 * bow);
            slips += i32::from(armed && v.abs() > 0.5 * bow);
            armed = if v.abs() > 0.5 * bow { false } else { armed || v.abs() < 0.15 * bow };
        }
    }
    let periods = f64::from(to - from) / 300.0;
    let (rate, fraction) = (f64::from(slips) / periods, f64::from(slipping) / f64::from(to - from));
    assert!((rate - 1.0).abs() < 0.05, "{rate} slips per period");
    assert!(fraction > 0.5 * beta && fraction < 1.5 * beta, "{} beta", fraction / beta);
}

#[test]
fn any_parameter_may_jump_anywhere_while_the_string_is_pushed_about() {
    let mut rng = Rng::new(7, "jumps");
    let rate_hz = 48e3;
    let mut s = Waveguide::new(StringParams::default(), &[0.1, 0.45, 0.93], 1.0 / rate_hz);
    for round in 0..1_500 {
        let index = (rng.unit() * StringParams::SPECS.len() as f64) as usize;
        let spec = StringParams::SPECS[index];
        let before = s.energy();
        s.set(index, if rng.unit() < 0.2 { spec.from_01(rng.unit().round()) } else { spec.from_01(rng.unit()) });
        assert!(s.energy() <= before * (1.0 + 1e-12), "{round} {}: {} {before}", spec.id, s.energy());
        let (mut ledger, mut booked) = (s.energy(), 0.0);
        for k in 0..32 {
            let force = if round % 3 == 0 { rng.between(-1.0, 1.0) } else { 0.0 };
            s.push(round % 2, force);
            booked += force * s.free_stroke(round % 2);
            s.commit();
            let now = s.energy() - booked;
            assert!(now <= ledger + 1e-13 * (s.energy() + booked.abs() + before), "{round} {k}: {}", now - ledger);
            ledger = now;
        }
        assert!((0..3).all(|p| s.position(p).is_finite() && s.compliance(p, p) >= 0.0));
    }
}
