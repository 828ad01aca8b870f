// SPDX-License-Identifier: MIT OR Apache-2.0
//! Several friction contacts on one body, against one contact that does the same.

mod common;
use common::{engine, probe};

/// A bow on a body of three modes, in `parts` contacts that share its normal force, stiffness and damping.
fn bowed(law: &str, parts: usize) -> (Vec<f64>, u64) {
    let share = 1.0 / parts as f64;
    let mut text = String::from(
        "[body.bow]\ntype = \"guided\"\nvelocity_m_s = 0.05\n[body.glass]\ntype = \"modal\"\nmodes = [\
         { freq_hz = 500.0, decay_s = 0.015, mass_kg = 0.003 }, { freq_hz = 1300.0, decay_s = 0.01, mass_kg = 0.003 }, \
         { freq_hz = 1700.0, decay_s = 0.005, mass_kg = 0.003 }]\n[[tap]]\nof = \"glass\"\n",
    );
    for part in 0..parts {
        text += &format!(
            "[contact.rub{part}]\ntype = \"friction\"\nlaw = \"{law}\"\nbetween = [\"bow\", \"glass\"]\n\
             normal_force_n = {:e}\nbristle_stiffness = {:e}\nbristle_damping = {:e}\nviscosity = {:e}\n\
             mu_static = 0.95\nmu_dynamic = 0.15\nbreakaway_01 = 0.2\nstribeck_m_s = 0.1\n",
            1.0 * share,
            1e4 * share,
            1.0 * share,
            0.1 * share
        );
    }
    let (rows, health) = probe(&mut engine(&text, 48_000.0), &["glass.velocity"], 2_400);
    assert_eq!(health.unconverged, 0, "{law} in {parts}");
    (rows.into_iter().map(|row| row[0]).collect(), health.fallbacks)
}

#[test]
fn two_halves_of_a_bow_rub_as_the_whole_does() {
    for law in ["elasto-plastic", "lugre", "dahl", "static", "thermal"] {
        let (whole, _) = bowed(law, 1);
        for parts in [2, 3, 6] {
            let (together, held) = bowed(law, parts);
            let error = whole.iter().zip(&together).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
            println!("{law} in {parts}: {error:.1e} m/s, {held} held");
            assert!(error < 1e-4, "{law} in {parts} parts: {error:e} m/s");
        }
    }
}
