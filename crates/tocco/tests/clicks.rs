// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ten thousand changes a second of a live parameter make no click.
//!
//! A click is what is heard above 6 kHz and is not there without the changes: every scene below sounds far under 6 kHz, and
//! so does every smooth change of it. Its level is the largest sample of what a steep filter leaves above 6 kHz, against
//! the largest sample of the sound within the 10 ms around it, so that a loud beginning hides nothing. That holds for
//! forces as well: a force that steps would be a true broadband event, an impact nobody asked for, so a force that is *set*
//! is led there smoothly by the engine (its glide); a blow is asked for by `strike`, `hit` or a drive.

mod common;
use common::{RATE_HZ, click_db, engine};
use tocco::engine::{Command, Queue, Timed};
use tocco::rng::Rng;

/// Click levels without and with a storm on a path, dB.
fn storm(text: &str, path: &str, low: f64, high: f64) -> (f64, f64) {
    let render = |stormy: bool| {
        let mut engine = engine(text, RATE_HZ);
        let address = engine.scene().directory().address(path).unwrap();
        let mut rng = Rng::new(1, path);
        let mut commands: Vec<Timed> = Vec::new();
        for i in 0..if stormy { 10_000 } else { 0 } {
            let at = 24_000 + (f64::from(i) * 4.8) as u64;
            commands.push(Timed { at, command: Command::Set(address, rng.between(low, high)) });
        }
        let mut out = vec![0.0; 72_000];
        let health = engine.render(&[], &mut Queue::from(commands), &mut out);
        assert_eq!(health.refused + health.unconverged, 0);
        let heard: Vec<f64> = out[20_000..].iter().map(|x| f64::from(*x)).collect();
        click_db(&heard)
    };
    (render(false), render(true))
}

const BAR: &str = "[body.bar]\ntype = \"modal\"\n\
    modes = [{ freq_hz = 220.0, decay_s = 2.0, mass_kg = 0.05 }, { freq_hz = 530.0, decay_s = 2.0, mass_kg = 0.05 }, { freq_hz = 40.0, decay_s = 1.0, mass_kg = 0.5 }]\n";

/// A bar that a heavy finger holds.
const PRESSED: &str = "[body.hammer]\ntype = \"mass\"\nmass_kg = 0.05\n\
    [contact.press]\ntype = \"impact\"\nbetween = [\"hammer\", \"bar\"]\nlaw = \"linear\"\nstiffness = 1e5\n\
    [[drive]]\npath = \"hammer/force_n\"\npoints = [[0.0, 0.0], [0.1, 20.0], [0.2, 15.0], [0.21, 20.0]]\n";

/// A bar that a hand rubs without squeaking.
const RUBBED: &str = "[body.hand]\ntype = \"guided\"\nvelocity_m_s = 0.3\n\
    [contact.rub]\ntype = \"friction\"\nbetween = [\"hand\", \"bar\"]\nnormal_force_n = 1.0\nmu_static = 0.31\nmu_dynamic = 0.3\n\
    viscosity = 0.1\n[[event]]\nat_s = 0.3\nhit = \"bar\"\nimpulse_n_s = 0.004\n";

/// A bar that was struck and becomes another one, a second with partials up to 3.8 kHz.
const FREE: &str = "[body.bar.morph]\nmodes = [{ freq_hz = 300.0, decay_s = 1.0, mass_kg = 0.02 }, { freq_hz = 900.0, decay_s = 0.6, mass_kg = 0.03 }]\n\
    [[event]]\nat_s = 0.0\nhit = \"bar\"\nimpulse_n_s = 0.02\n";
const HIGH: &str = "[body.high]\ntype = \"modal\"\n\
    modes = [{ freq_hz = 1158.0, decay_s = 1.5, mass_kg = 0.05 }, { freq_hz = 2270.0, decay_s = 1.0, mass_kg = 0.05 }, { freq_hz = 3752.0, decay_s = 0.8, mass_kg = 0.05 }]\n\
    [[event]]\nat_s = 0.0\nhit = \"high\"\nimpulse_n_s = 0.02\n";

const STRING: &str = "[body.string]\ntype = \"string\"\nfreq_hz = 147.0\nq = 2000.0\nq_tilt = 0.2\n\
    [[drive]]\npath = \"string/force_n\"\npoints = [[0.0, 0.0], [0.1, 1.0], [0.11, 0.0]]\n";

/// Masses on springs, joined to one system by an unlike damper.
const NETWORK: &str = "[body.net]\ntype = \"network\"\nmass_kg = { a = 0.05, b = 0.02 }\nfixed = [\"o\"]\n\
    [[body.net.link]]\nbetween = [\"o\", \"a\"]\nstiffness_n_m = 1e5\n\
    [[body.net.link]]\nbetween = [\"a\", \"b\"]\nstiffness_n_m = 3e5\ndamping_n_s_m = 0.02\n\
    [[event]]\nat_s = 0.0\nhit = \"net.a\"\nimpulse_n_s = 0.02\n";

#[test]
fn ten_thousand_changes_a_second_make_no_click() {
    let (pressed, rubbed, free) = (format!("{BAR}{PRESSED}"), format!("{BAR}{RUBBED}"), format!("{BAR}{FREE}"));
    let cases = [
        (&*pressed, "bar", "press/stiffness", 8e4, 1.2e5),
        (&pressed, "bar", "press/dissipation_s_m", 0.0, 1.0),
        (&pressed, "bar", "hammer/mass_kg", 0.04, 0.06),
        (&pressed, "bar", "hammer/gravity_m_s2", 0.0, 20.0),
        (&pressed, "bar", "hammer/force_n", 18.0, 22.0),
        (&pressed, "bar", "bar/force_n", -5.0, 5.0),
        (&pressed, "bar", "bar/freq_scale", 0.8, 1.2),
        (&pressed, "bar", "bar/decay_scale", 0.5, 2.0),
        (&rubbed, "bar", "rub/normal_force_n", 0.5, 1.5),
        (&rubbed, "bar", "hand/velocity_m_s", 0.2, 0.4),
        (&rubbed, "bar", "rub/mu_dynamic", 0.25, 0.3),
        (&rubbed, "bar", "rub/bristle_stiffness", 5e3, 2e4),
        (&rubbed, "bar", "rub/viscosity", 0.05, 0.15),
        (&free, "bar", "bar/freq_scale", 0.5, 1.2),
        (&free, "bar", "bar/decay_scale", 0.1, 10.0),
        (&free, "bar", "bar/morph_01", 0.0, 1.0),
        (&free, "bar", "bar/force_n", -1.0, 1.0),
        (HIGH, "high", "high/freq_scale", 0.5, 1.2),
        (HIGH, "high", "high/decay_scale", 0.1, 10.0),
        (STRING, "string", "string/freq_hz", 140.0, 155.0),
        (STRING, "string", "string/q", 1_000.0, 3_000.0),
        (STRING, "string", "string/q_tilt", 0.2, 0.3),
        (STRING, "string", "string/impedance_kg_s", 0.5, 0.6),
        (STRING, "string", "string/inharmonicity", 0.0, 1e-5),
        (STRING, "string", "string/force_n", -0.5, 0.5),
        (NETWORK, "net.b", "net/freq_scale", 0.5, 1.2),
        (NETWORK, "net.b", "net/decay_scale", 0.5, 2.0),
    ];
    let mut loud = String::new();
    for (text, of, path, low, high) in cases {
        for quantity in ["position", "velocity", "acceleration"] {
            let text = format!("{text}[[tap]]\nof = \"{of}\"\nquantity = \"{quantity}\"\n");
            let (still, stormy) = storm(&text, path, low, high);
            println!("{path:24} {quantity:12} {still:7.1} dB at rest, {stormy:7.1} dB in the storm");
            // The figure is -60 dB; the rest is margin. Acceleration of a string comes nearest: it is the slope of a wave.
            if stormy > -64.0 {
                loud += &format!("{path} {quantity} {stormy:.1} dB; ");
            }
        }
    }
    assert!(loud.is_empty(), "{loud}");
}
