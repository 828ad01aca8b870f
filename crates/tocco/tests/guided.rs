// SPDX-License-Identifier: MIT OR Apache-2.0
//! Hands that move while they are watched, far from what they will touch, or between two strikes.

mod common;
use common::{engine, probe};
use tocco::engine::{Command, Queue, Timed};

#[test]
fn a_hand_that_starts_in_the_middle_of_a_block_meets_its_partner_at_the_surface() {
    // Still until tick 482, then 10 m/s: 1.6 mm before the next control tick, far past the partner.
    let text = "[body.hand]\ntype = \"guided\"\nposition_m = -0.0002\n[body.ball]\ntype = \"mass\"\nmass_kg = 0.01\n\
         [contact.push]\ntype = \"impact\"\nbetween = [\"hand\", \"ball\"]\nstiffness = 1e9\n\
         [[drive]]\npath = \"hand/velocity_m_s\"\npoints = [[0.0, 0.0], [0.01004, 0.0], [0.01005, 10.0]]\n";
    let (rows, _) = probe(&mut engine(text, 48_000.0), &["energy", "work", "push.compression"], 900);
    for pair in rows.windows(2) {
        assert!(pair[1][0] - pair[1][1] <= pair[0][0] - pair[0][1] + 1e-12, "energy out of nothing: {pair:?}");
        assert!(pair[1][2] < 4e-4, "it was let through: {} m", pair[1][2]);
    }
    assert!(rows.last().unwrap()[0] > 0.1, "it was pushed");
}

#[test]
fn a_hand_set_in_motion_by_a_command_is_met_too() {
    let text = "[body.hand]\ntype = \"guided\"\nposition_m = -0.01\n[body.ball]\ntype = \"mass\"\nmass_kg = 0.01\n\
         [contact.push]\ntype = \"impact\"\nbetween = [\"hand\", \"ball\"]\nstiffness = 1e9\n";
    let mut engine = engine(text, 48_000.0);
    let probes = ["energy", "work"].map(|s| engine.scene().directory().probe(s).unwrap());
    engine.watch(&probes);
    let address = engine.scene().directory().address("hand/velocity_m_s").unwrap();
    let commands = [Timed { at: 100, command: Command::Set(address, 20.0) }];
    let (mut out, mut rows) = (vec![0.0; 600], vec![0.0; 1_200]);
    engine.render_probed(&[], &mut Queue::from(commands), &mut out, &mut rows);
    let ledger: Vec<f64> = rows.chunks(2).map(|row| row[0] - row[1]).collect();
    assert!(ledger.windows(2).all(|pair| pair[1] <= pair[0] + 1e-12));
    assert!(engine.energy() > 1.0);
}

#[test]
fn the_velocity_of_a_driven_hand_is_heard_sample_by_sample() {
    let text = "[body.hand]\ntype = \"guided\"\n[[drive]]\npath = \"hand/velocity_m_s\"\npoints = [[0.0, 0.0], [1.0, 1.0]]\n[[tap]]\nof = \"hand\"\n";
    let mut out = vec![0.0; 4_800];
    engine(text, 48_000.0).render(&[], &mut Queue::new(), &mut out);
    for (tick, value) in out.iter().enumerate() {
        assert!((f64::from(*value) - tick as f64 / 48_000.0).abs() < 1e-7, "sample {tick}: {value}");
    }
}

#[test]
fn the_touched_place_returns_to_the_declared_one_when_jitter_is_turned_off() {
    let text = "[body.hammer]\ntype = \"mass\"\nmass_kg = 0.01\n[body.bar]\ntype = \"modal\"\njitter_01 = 1.0\n\
         modes = [{ freq_hz = 300.0, decay_s = 0.02, mass_kg = 0.05 }, { freq_hz = 900.0, decay_s = 0.02, mass_kg = 0.05 }]\n\
         [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"bar\"]\nstiffness = 1e7\ndissipation_s_m = 0.5\n[[tap]]\nof = \"bar\"\n\
         [[event]]\nat_s = 0.0\nstrike = \"hammer\"\nvelocity_m_s = 1.0\n[[event]]\nat_s = 0.1\nset = \"bar/jitter_01\"\nvalue = 0.0\n\
         [[event]]\nat_s = 0.2\nstrike = \"hammer\"\nvelocity_m_s = 1.0\n[[drive]]\npath = \"hammer/force_n\"\npoints = [[0.0, 0.0], [0.2, 0.0], [0.201, 5.0]]\n";
    let still = text.replace("jitter_01 = 1.0", "jitter_01 = 0.0");
    let render = |text: &str| {
        let mut out = vec![0.0; 24_000];
        engine(text, 48_000.0).render(&[], &mut Queue::new(), &mut out);
        out
    };
    let (jittered, plain) = (render(text), render(&still));
    let apart = |from: usize, to: usize| {
        jittered[from..to].iter().zip(&plain[from..to]).fold(0.0f32, |m, (a, b)| m.max((a - b).abs()))
    };
    assert!(apart(0, 4_000) > 1e-4, "the first strike is displaced: {}", apart(0, 4_000));
    assert!(apart(9_600, 24_000) < 1e-5, "the second is not: {}", apart(9_600, 24_000));
}

#[test]
fn commands_beyond_reason_are_held_to_it_and_nothing_panics() {
    let text = "[body.a]\ntype = \"mass\"\n[body.b]\ntype = \"mass\"\n[body.bar]\ntype = \"modal\"\nmodes = [{ freq_hz = 300.0, decay_s = 0.1, mass_kg = 0.05 }]\n\
         [contact.one]\ntype = \"impact\"\nbetween = [\"a\", \"bar\"]\nstiffness = 1e20\nexponent = 5.0\n[contact.two]\ntype = \"impact\"\nbetween = [\"b\", \"bar\"]\nstiffness = 1e20\n[[tap]]\nof = \"bar\"\n";
    let mut engine = engine(text, 48_000.0);
    let site = engine.scene().directory().site("bar").unwrap();
    let commands = [
        Timed { at: 0, command: Command::Strike { body: 0, velocity_m_s: 1e250 } },
        Timed { at: 10, command: Command::Strike { body: 1, velocity_m_s: f64::NAN } },
        Timed { at: 20, command: Command::Hit { site, impulse_n_s: f64::NEG_INFINITY } },
        Timed { at: 30, command: Command::Strike { body: 99, velocity_m_s: 1.0 } },
        Timed { at: 40, command: Command::Strike { body: 2, velocity_m_s: 1.0 } },
    ];
    let mut out = vec![0.0; 4_800];
    let health = engine.render(&[], &mut Queue::from(commands), &mut out);
    assert!(out.iter().all(|x| x.is_finite()));
    assert_eq!((health.refused, health.clamped), (3, 2));
}

#[test]
fn a_parameter_driven_by_noise_keeps_its_declared_value_outside_the_noise() {
    let text = "[body.ball]\ntype = \"mass\"\nmass_kg = 0.5\nvelocity_m_s = 1.0\n[[drive]]\npath = \"ball/mass_kg\"\nnoise = { rms = 0.01, mean = 0.5, from_s = 0.1, to_s = 0.2 }\n";
    let (rows, _) = probe(&mut engine(text, 48_000.0), &["energy"], 2_000);
    assert!(rows.iter().all(|row| (row[0] - 0.25).abs() < 1e-12));
}
