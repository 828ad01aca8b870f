// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ten thousand changes a second of a live parameter make no click: nothing above -60 dB of the signal where neither the
//! sound nor a smooth change of it has anything.

mod common;
use common::engine;
use tocco::engine::{Command, Timed};
use tocco::rng::Rng;

const RATE_HZ: f64 = 48_000.0;

/// Largest output of the eighth difference over 2^8 (1 at half the rate, -110 dB at 3 kHz) over the largest sample, dB.
fn click_db(sound: &[f32]) -> f64 {
    let mut rest: Vec<f64> = sound.iter().map(|x| f64::from(*x)).collect();
    let peak = rest.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    for _ in 0..8 {
        rest = rest.windows(2).map(|w| 0.5 * (w[1] - w[0])).collect();
    }
    20.0 * (rest.iter().fold(1e-30_f64, |most, x| most.max(x.abs())) / peak).log10()
}

/// Click levels without and with a storm on a path, dB.
fn storm(text: &str, path: &str, low: f64, high: f64) -> (f64, f64) {
    let render = |stormy: bool| {
        let mut engine = engine(text, RATE_HZ);
        let address = engine.scene().address(path).unwrap();
        let mut rng = Rng::new(1, path);
        let mut commands: Vec<Timed> = Vec::new();
        for i in 0..if stormy { 10_000 } else { 0 } {
            let at = 24_000 + (f64::from(i) * 4.8) as u64;
            commands.push(Timed { at, command: Command::Set(address, rng.between(low, high)) });
        }
        let mut out = vec![0.0; 72_000];
        let health = engine.render(&mut commands, &mut out);
        assert_eq!(health.refused + health.unconverged, 0);
        click_db(&out[20_000..])
    };
    (render(false), render(true))
}

const PRESSED: &str = "[body.hammer]\ntype = \"mass\"\nmass_kg = 0.05\n[body.bar]\ntype = \"modal\"\n\
    modes = [{ freq_hz = 220.0, decay_s = 2.0, mass_kg = 0.05 }, { freq_hz = 530.0, decay_s = 2.0, mass_kg = 0.05 }]\n\
    [contact.press]\ntype = \"impact\"\nbetween = [\"hammer\", \"bar\"]\nlaw = \"linear\"\nstiffness = 1e5\n\
    [[drive]]\npath = \"hammer/force_n\"\npoints = [[0.0, 0.0], [0.1, 20.0], [0.2, 15.0], [0.21, 20.0]]\n[[tap]]\nof = \"bar\"\n";

const RUBBED: &str = "[body.hand]\ntype = \"guided\"\nvelocity_m_s = 0.3\n[body.bar]\ntype = \"modal\"\n\
    modes = [{ freq_hz = 220.0, decay_s = 2.0, mass_kg = 0.05 }, { freq_hz = 530.0, decay_s = 2.0, mass_kg = 0.05 }]\n\
    [contact.rub]\ntype = \"friction\"\nbetween = [\"hand\", \"bar\"]\nnormal_force_n = 1.0\nmu_static = 0.4\nmu_dynamic = 0.3\n\
    viscosity = 1.0\n[[event]]\nat_s = 0.3\nhit = \"bar\"\nimpulse_n_s = 0.001\n[[tap]]\nof = \"bar\"\n";

const STRING: &str = "[body.string]\ntype = \"string\"\nfreq_hz = 147.0\nq = 2000.0\nq_tilt = 0.3\n\
    [[drive]]\npath = \"string/force_n\"\npoints = [[0.0, 0.0], [0.1, 1.0], [0.11, 0.0]]\n[[tap]]\nof = \"string\"\n";

#[test]
fn ten_thousand_changes_a_second_make_no_click() {
    let cases = [
        (PRESSED, "press/stiffness", 8e4, 1.2e5),
        (PRESSED, "press/dissipation_s_m", 0.0, 1.0),
        (PRESSED, "hammer/mass_kg", 0.04, 0.06),
        (PRESSED, "hammer/force_n", 10.0, 30.0),
        (RUBBED, "rub/normal_force_n", 0.5, 1.5),
        (RUBBED, "hand/velocity_m_s", 0.2, 0.4),
        (RUBBED, "rub/mu_dynamic", 0.25, 0.35),
        (STRING, "string/freq_hz", 140.0, 155.0),
        (STRING, "string/q", 1_000.0, 3_000.0),
        (STRING, "string/impedance_kg_s", 0.5, 0.6),
    ];
    let mut loud = String::new();
    for (text, path, low, high) in cases {
        let (still, stormy) = storm(text, path, low, high);
        println!("{path:24} {still:7.1} dB at rest, {stormy:7.1} dB in the storm");
        if stormy > -60.0 {
            loud += &format!("{path} {stormy:.1} dB; ");
        }
    }
    assert!(loud.is_empty(), "{loud}");
}
