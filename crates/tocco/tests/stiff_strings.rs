// SPDX-License-Identifier: MIT OR Apache-2.0
//! `type = "string"` against a stiff string written in closed form here: nodes, decays, spectrum, partials up to Nyquist, statics;
//! and what it does when it is retuned, pushed about and touched anywhere.

mod common;
use common::{engine, probe};
use std::f64::consts::{PI, TAU};
use tocco::engine::{Command, Engine, Queue, Timed};
use tocco::param::Tunable;
use tocco::resonator::partials::{AFFORDABLE, MOST, Partials};
use tocco::resonator::waveguide::{StringParams, Waveguide};
use tocco::resonator::{Motion, Reading, Resonator};
use tocco::rng::Rng;
use tocco_testing::spectra::{band_db, fourier, partial, peak};

/// A string as the law has it, in closed form.
struct Law {
    freq_hz: f64,
    q: f64,
    q_tilt: f64,
    impedance_kg_s: f64,
    inharmonicity: f64,
}

const D_STRING: Law = Law { freq_hz: 147.0, q: 500.0, q_tilt: 1.0, impedance_kg_s: 0.55, inharmonicity: 5e-4 };

impl Law {
    fn stretch(&self, n: f64) -> f64 {
        n * ((1.0 + self.inharmonicity * n * n) / (1.0 + self.inharmonicity)).sqrt()
    }

    fn hz(&self, n: usize) -> f64 {
        self.freq_hz * self.stretch(n as f64)
    }

    /// b1 + b3 (f/f0)^2 with the given quality factors at partials 1 and 10, 1/s.
    fn decay(&self, n: usize) -> f64 {
        let (one, ten) = (PI * self.freq_hz / self.q, PI * self.hz(10) / (self.q * self.q_tilt));
        let b3 = (ten - one) / (self.stretch(10.0).powi(2) - 1.0);
        one - b3 + b3 * self.stretch(n as f64).powi(2)
    }

    fn below(&self, hz: f64) -> impl Iterator<Item = usize> + '_ {
        (1..).take_while(move |&n| self.hz(n) < hz)
    }

    /// Velocity at `ear` after a blow of 1 mN s at `place`, at the end of every sample.
    fn struck(&self, place: f64, ear: f64, rate_hz: f64, samples: usize) -> Vec<f64> {
        let ideal_hz = self.freq_hz / (1.0 + self.inharmonicity).sqrt();
        let half_mass = self.impedance_kg_s / (4.0 * ideal_hz);
        let mut out = vec![0.0; samples];
        for n in self.below(0.5 * rate_hz) {
            let (w, sigma, n) = (TAU * self.hz(n), self.decay(n), n as f64);
            let size = 1e-3 * (n * PI * place).sin() * (n * PI * ear).sin() / half_mass;
            for (k, v) in out.iter_mut().enumerate() {
                let t = (k + 1) as f64 / rate_hz;
                *v += size * (-sigma * t).exp() * ((w * t).cos() - sigma / w * (w * t).sin());
            }
        }
        out
    }

    /// The same by a scene.
    fn rendered(&self, place: f64, ear: f64, rate_hz: f64, samples: usize) -> Vec<f64> {
        let text = format!(
            "[body.string]\ntype = \"string\"\nfreq_hz = {:?}\nq = {:?}\nq_tilt = {:?}\nimpedance_kg_s = {:?}\n\
             inharmonicity = {:?}\nport = {{ struck = {place:?}, ear = {ear:?} }}\n\
             [[event]]\nat_s = 0.0\nhit = \"string.struck\"\nimpulse_n_s = 1e-3\n[[tap]]\nof = \"string.ear\"\n",
            self.freq_hz, self.q, self.q_tilt, self.impedance_kg_s, self.inharmonicity
        );
        let (rows, health) = probe(&mut engine(&text, rate_hz), &["string.ear.velocity"], samples);
        assert_eq!((health.reset, health.refused), (0, 0));
        rows.into_iter().map(|row| row[0]).collect()
    }
}

fn cents(ratio: f64) -> f64 {
    1200.0 * ratio.log2()
}

/// Level of a frequency under a Hann window, dB.
fn level_db(y: &[f64], hz: f64, rate_hz: f64) -> f64 {
    let hann = |k: usize| (PI * (k as f64 + 0.5) / y.len() as f64).sin().powi(2);
    let (re, im) = fourier((0..y.len()).map(|k| hann(k) * y[k]), TAU * hz / rate_hz);
    20.0 * re.hypot(im).log10()
}

#[test]
fn partials_with_a_node_where_the_string_is_struck_are_forty_decibels_down_up_to_the_twentieth() {
    for (inharmonicity, rate_hz) in [(5e-4, 44_100.0), (5e-4, 48_000.0), (1e-4, 48_000.0), (0.0, 48_000.0)] {
        // Long enough a ring to tell a node from its neighbours: Q 5000.
        let law = Law { inharmonicity, q: 5e3, ..D_STRING };
        let y = law.rendered(0.25, 0.07, rate_hz, (0.5 * rate_hz) as usize);
        let level = |n: usize| level_db(&y, law.hz(n), rate_hz);
        for n in [4, 8, 12, 16, 20] {
            let neighbours = 0.5 * (level(n - 1) + level(n + 1));
            let down = neighbours - level(n);
            println!("B {inharmonicity} at {rate_hz} Hz: partial {n} is {down:.0} dB down");
            assert!(down > 40.0, "B {inharmonicity}, partial {n}: {down} dB");
        }
    }
}

#[test]
fn sixty_partials_decay_within_a_tenth_of_the_law() {
    for (inharmonicity, rate_hz) in [(5e-4, 48_000.0), (5.57e-5, 44_100.0), (0.0, 44_100.0)] {
        let law = Law { inharmonicity, ..D_STRING };
        let period = rate_hz / law.freq_hz;
        // Near the bridge no partial up to the sixtieth has a node.
        let y = law.rendered(0.0113, 0.0127, rate_hz, (60.0 * period) as usize);
        let mut worst = 0.0f64;
        for n in law.below(0.45 * rate_hz).take(60) {
            // A partial is followed for some four times its decay time, four periods at least.
            let window = (4.0 * rate_hz / law.decay(n)).clamp(4.0 * period, 40.0 * period) as usize;
            let aim = TAU * law.hz(n) / rate_hz;
            let (_, decay) = partial(&y, aim, window, window / 4);
            let off = decay * rate_hz / law.decay(n) - 1.0;
            worst = worst.max(off.abs());
            assert!(off.abs() < 0.1, "B {inharmonicity}, partial {n}: decay off by {:.1} %", 100.0 * off);
        }
        println!("B {inharmonicity} at {rate_hz} Hz: decays within {:.2} %", 100.0 * worst);
    }
}

#[test]
fn the_spectrum_up_to_ten_kilohertz_is_that_of_the_same_string_in_closed_form_within_two_decibels() {
    for (place, inharmonicity) in [(0.25, 5e-4), (0.12, 5e-4), (0.12, 5e-5), (0.12, 0.0)] {
        let (rate_hz, law) = (48_000.0, Law { inharmonicity, ..D_STRING });
        let samples = (0.1 * rate_hz) as usize;
        let (ours, theirs) = (law.rendered(place, 0.07, rate_hz, samples), law.struck(place, 0.07, rate_hz, samples));
        let mut worst = 0.0f64;
        for third in 0..28 {
            let low_hz = 20.0 * 2f64.powf(f64::from(third) / 3.0) * 147.0 / 40.0 * 0.7;
            let band = [low_hz, low_hz * 2f64.powf(1.0 / 3.0)];
            if band[1] < 10_000.0 {
                let off = band_db(&ours, band, rate_hz) - band_db(&theirs, band, rate_hz);
                worst = worst.max(off.abs());
                assert!(off.abs() < 2.0, "B {inharmonicity}, {band:.0?} Hz: {off} dB");
            }
        }
        for n in law.below(10_000.0).filter(|&n| (n as f64 * PI * place).sin().abs() > 0.1) {
            let off = level_db(&ours, law.hz(n), rate_hz) - level_db(&theirs, law.hz(n), rate_hz);
            assert!(off.abs() < 2.0, "B {inharmonicity}, partial {n}: {off} dB");
        }
        println!("struck at {place}, B {inharmonicity}: thirds of an octave up to 10 kHz within {worst:.2} dB");
    }
}

#[test]
fn every_partial_up_to_half_the_rate_is_within_a_tenth_of_a_cent() {
    for (freq_hz, inharmonicity, rate_hz) in
        [(147.0, 0.0, 44_100.0), (147.0, 5e-4, 48_000.0), (440.0, 1e-3, 48_000.0), (1_046.5, 1e-2, 96_000.0)]
    {
        let law = Law { freq_hz, inharmonicity, q: 2e4, q_tilt: 5.0, ..D_STRING };
        let period = rate_hz / freq_hz;
        let y = law.rendered(0.0063, 0.0071, rate_hz, (100.0 * period) as usize);
        let (mut worst, mut highest) = (0.0f64, 0);
        for n in law.below(0.49 * rate_hz) {
            let aim = TAU * law.hz(n) / rate_hz;
            let (w, _) = partial(&y, aim, (80.0 * period) as usize, (15.0 * period) as usize);
            (worst, highest) = (worst.max(cents(w / aim).abs()), n);
            assert!(
                cents(w / aim).abs() < 0.1,
                "{freq_hz} Hz, B {inharmonicity}, partial {n}: {} cents",
                cents(w / aim)
            );
        }
        println!("{freq_hz} Hz, B {inharmonicity}: {highest} partials within {worst:.4} cents");
    }
}

fn drawn(rng: &mut Rng, rate_hz: f64) -> StringParams {
    StringParams {
        freq_hz: rng.between_log(20.0, (0.4 * rate_hz).min(5e3)),
        q: rng.between_log(10.0, 1e5),
        q_tilt: rng.between_log(0.2, 5.0),
        impedance_kg_s: rng.between_log(1e-2, 10.0),
        inharmonicity: if rng.unit() < 0.3 { 0.0 } else { rng.between_log(1e-6, 1e-2) },
    }
}

#[test]
fn whatever_is_set_and_pushed_the_string_gains_no_more_than_the_work_at_its_ports() {
    let mut rng = Rng::new(1, "partials");
    for trial in 0..60 {
        let rate_hz = [8e3, 44_100.0, 48e3, 96e3][trial % 4];
        let places = [rng.between(0.02, 0.98), rng.between(0.02, 0.98)];
        let mut string = Partials::new(drawn(&mut rng, rate_hz), &places, 1.0 / rate_hz, true);
        let mut scale = 1e-300f64;
        for round in 0..40 {
            let (index, before) = ((rng.unit() * 5.0) as usize, string.energy());
            string.set(index, StringParams::SPECS[index].from_01(rng.unit()));
            assert!(string.energy() <= before * (1.0 + 1e-12), "{trial} {round}: {} {before}", string.energy());
            let level = (rng.unit() * 7.0) as usize;
            string.divide(level);
            let (mut ledger, mut booked) = (string.energy(), 0.0);
            for _ in 0..40 << level.min(2) {
                let force = [0, 1].map(|_| if round % 3 == 0 { rng.between(-1.0, 1.0) } else { 0.0 });
                (0..2).for_each(|p| string.push(p, force[p]));
                (0..2).for_each(|p| booked += force[p] * string.free_stroke(p));
                string.commit();
                let now = string.energy() - booked;
                scale = scale.max(string.energy() + booked.abs());
                assert!(now <= ledger + 1e-13 * scale, "{trial} {round}: {}", (now - ledger) / scale);
                ledger = now;
            }
            assert!((0..2).all(|p| string.position(p).is_finite() && string.compliance(p, p) >= 0.0));
        }
    }
}

#[test]
fn a_glide_over_two_octaves_adds_no_energy_and_no_step_and_ends_in_tune() {
    let rate_hz = 48e3;
    for (from_hz, to_hz, inharmonicity) in [(110.0, 440.0, 1e-4), (440.0, 110.0, 1e-4), (147.0, 40.0, 0.0)] {
        let params = StringParams { freq_hz: from_hz, inharmonicity, q: 2e3, ..StringParams::default() };
        let mut s = Partials::new(params, &[0.13, 0.21], 1.0 / rate_hz, true);
        let stroke = (0.5 * rate_hz / from_hz) as usize;
        for k in 0..stroke {
            s.push(0, (PI * k as f64 / stroke as f64).sin().powi(2));
            s.commit();
        }
        s.release();
        let mut reading = [Reading::new(1, Motion::Velocity)];
        let mut heard = Vec::new();
        for _ in 0..100 {
            s.ring(32, &mut reading);
            heard.extend_from_slice(&reading[0].values);
        }
        let (loudest, mut last) = (peak(&heard), heard[heard.len() - 1]);
        for tick in 0..=300 {
            let before = s.energy();
            s.set(0, from_hz * f64::powf(to_hz / from_hz, f64::from(tick) / 300.0));
            assert!(s.energy() <= before * (1.0 + 1e-12), "{} {before}", s.energy());
            s.ring(32, &mut reading);
            // With its energy kept and its mass less, a string that is shortened to a quarter moves twice as fast.
            let bound = loudest * (to_hz / from_hz).max(1.0).sqrt() * 1.1;
            for &v in &reading[0].values {
                assert!(
                    v.abs() < bound && (v - last).abs() < 0.5 * bound,
                    "{from_hz} {to_hz} {tick}: {last}, then {v}"
                );
                last = v;
            }
        }
        s.reset();
        s.attend();
        s.hit(0, 1e-3);
        s.release();
        let period = rate_hz / to_hz;
        let mut y = Vec::new();
        while y.len() < (50.0 * period) as usize {
            s.ring(32, &mut reading);
            y.extend_from_slice(&reading[0].values);
        }
        let (w, _) = partial(&y, TAU * to_hz / rate_hz, (40.0 * period) as usize, (6.0 * period) as usize);
        let off = cents(w * rate_hz / (TAU * to_hz));
        assert!(off.abs() < 0.01, "{from_hz} {to_hz}: {off} cents");
    }
}

#[test]
fn a_held_force_bends_the_stiff_string_as_its_statics_say_and_it_does_not_creep() {
    for x in [0.1, 0.3, 0.5, 0.8] {
        let params = StringParams { freq_hz: 200.0, q: 50.0, ..StringParams::default() };
        let mut string = Partials::new(params, &[x], 1.0 / 48e3, true);
        let after = [3, 30].map(|seconds| {
            for _ in 0..seconds * 48_000 {
                string.push(0, 2.0);
                string.commit();
            }
            string.position(0)
        });
        assert!((after[1] / after[0] - 1.0).abs() < 1e-9, "{x}: creeps by {}", after[1] / after[0] - 1.0);
        assert!((after[0] / (2.0 * string.flexibility(0)) - 1.0).abs() < 1e-9, "{x}");
        // x (1 - x) L/T, T/L = 2 f0 Z; what the missing partials would yield is 0.1/118 of L/T.
        let flexible = x * (1.0 - x) / (2.0 * 200.0 * 0.55);
        assert!((string.flexibility(0) / flexible - 1.0).abs() < 0.01, "{x}: {}", string.flexibility(0) / flexible);
    }
}

#[test]
fn a_free_string_never_leaves_its_range_and_places_answer_each_other_alike() {
    let mut rng = Rng::new(3, "range");
    for _ in 0..40 {
        let params = StringParams { freq_hz: rng.between_log(40.0, 3e3), q: 1e4, ..drawn(&mut rng, 48e3) };
        let places = [rng.between(0.02, 0.98), rng.between(0.02, 0.98)];
        let mut s = Partials::new(params, &places, 1.0 / 48e3, true);
        assert_eq!(s.compliance(0, 1), s.compliance(1, 0));
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
            highest = highest.max(peak(&reading[0].values));
        }
        assert!(highest <= bound && highest > 0.01 * bound, "{highest} {bound}");
    }
}

/// A string of partials, or one that has too many of them.
const STRINGS: [&str; 2] = ["freq_hz = 147.0\ninharmonicity = 5e-4", "freq_hz = 30.0"];

fn hammered(string: &str, place: f64) -> Engine {
    engine(
        &format!(
            "[body.hammer]\ntype = 'mass'\nmass_kg = 0.005\nposition_m = -1.0\n[body.string]\ntype = 'string'\n{string}\n\
             [body.string.port]\nstruck = {place:?}\near = 0.07\n[contact.felt]\ntype = 'impact'\n\
             between = ['hammer', 'string.struck']\nstiffness = 1e8\nexponent = 2.3\n[[tap]]\nof = 'string.ear'\n"
        ),
        48_000.0,
    )
}

#[test]
fn a_string_touched_elsewhere_sounds_as_one_whose_port_is_there() {
    for string in STRINGS {
        let sound = |built: f64, touch: Option<f64>| {
            let mut engine = hammered(string, built);
            let site = engine.scene().directory().site("string.struck").unwrap();
            let values = touch.map(|place| engine.scene().directory().values_at(site, &[place]).unwrap().into());
            let mut commands: Vec<Timed> =
                values.into_iter().map(|values| Timed { at: 7, command: Command::Touch { site, values } }).collect();
            commands.push(Timed { at: 10, command: Command::Strike { body: 0, velocity_m_s: 1.0 } });
            commands.push(Timed { at: 7_000, command: Command::Hit { site, impulse_n_s: 1e-3 } });
            let mut out = vec![0.0_f32; 9_600];
            let health = engine.render(&[], &mut Queue::from(commands), &mut out);
            assert_eq!((health.refused, health.unconverged), (0, 0));
            out
        };
        for place in [0.05, 0.25, 0.41] {
            let (moved, built) = (sound(0.3, Some(place)), sound(place, None));
            assert!(peak(&built) > 1e-3);
            assert_eq!(moved, built, "{string} {place}");
        }
        assert_ne!(sound(0.3, Some(0.25)), sound(0.3, None));
    }
}

#[test]
fn a_touch_that_runs_along_a_sounding_string_makes_no_energy_and_is_not_heard_where_nothing_moved() {
    for string in STRINGS {
        let mut engine = hammered(string, 0.3);
        let directory = engine.scene().directory().clone();
        let site = directory.site("string.struck").unwrap();
        let mut queue = Queue::from([Timed { at: 0, command: Command::Strike { body: 0, velocity_m_s: 2.0 } }]);
        for i in 1..200u64 {
            let place = 0.5 + 0.49 * (i as f64 * 0.7).sin();
            queue.push(i, Command::Touch { site, values: directory.values_at(site, &[place]).unwrap().into() });
        }
        let mut before = f64::INFINITY;
        for tick in 0..600 {
            engine.render(&[], &mut queue, &mut [0.0; 1]);
            let balance = engine.energy() - engine.work();
            assert!(tick == 0 || balance <= before + 1e-12, "tick {tick}: {before} J, then {balance} J");
            before = balance;
        }
        for (place, words) in
            [(vec![0.0], "not on the string"), (vec![f64::NAN], "finite"), (vec![0.1, 0.2], "one fraction")]
        {
            let said = directory.values_at(site, &place).unwrap_err().to_string();
            assert!(said.contains(words), "{place:?}: {said}");
        }
    }
    // What is heard is the port's own place, which a touch elsewhere leaves alone.
    let (params, mut reading) =
        (StringParams { freq_hz: 30.0, ..StringParams::default() }, [Reading::new(0, Motion::Velocity)]);
    let make = |waves: bool| -> Box<dyn Resonator> {
        match waves {
            true => Box::new(Waveguide::new(params, &[0.3], 1.0 / 48e3)),
            false => Box::new(Partials::new(params, &[0.3], 1.0 / 48e3, true)),
        }
    };
    for waves in [false, true] {
        let (mut still, mut moved) = (make(waves), make(waves));
        for (touch, s) in [(false, &mut still), (true, &mut moved)] {
            s.hit(0, 1e-3);
            (0..500).for_each(|_| s.commit());
            assert!(!touch || s.touch_at(0, &[0.4]));
            s.release();
        }
        for _ in 0..50 {
            still.ring(32, &mut reading);
            let heard = reading[0].values;
            moved.ring(32, &mut reading);
            for (a, b) in heard.iter().zip(&reading[0].values) {
                assert!((a - b).abs() < 1e-9, "{waves}: {a} {b}");
            }
        }
    }
}

#[test]
fn a_string_is_made_of_partials_where_they_are_few_enough() {
    let count = |freq_hz: f64, inharmonicity: f64, rate_hz: f64| {
        let params = StringParams { freq_hz, inharmonicity, ..StringParams::default() };
        Partials::count(&params, 1.0 / rate_hz, 10 * MOST)
    };
    assert_eq!(count(147.0, 0.0, 44_100.0), 149);
    assert!(
        count(147.0, 5e-4, 48e3) < 90 && count(47.0, 0.0, 48e3) <= AFFORDABLE && count(46.0, 0.0, 48e3) > AFFORDABLE
    );
    assert!(count(20.0, 1e-4, 48e3) <= AFFORDABLE, "{}", count(20.0, 1e-4, 48e3));
}
