// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws the figure of docs/models/radiation.md and checks its claims. `TOCCO_BLESS=1 cargo test -p tocco-lab --test
//! figure_radiation` writes the picture.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::f64::consts::PI;
use std::path::PathBuf;
use tocco::resonator::shape::radiation::{Ear, pressures};
use tocco::resonator::shape::{MaterialDef, ShapeDef, evaluate};
use tocco::{Engine, Queue, Scene, SceneDef};
use tocco_lab::plot::{Corner, Figure, Look, Panel, Series};
use tocco_testing::pictures::assert_shipped;

const AIR: (f64, f64) = (1.204, 343.2);

/// log10 of frequency and level of the efficiency of every mode of the plate, dB.
fn efficiencies(mount: &str, whole: f64) -> Vec<(f64, f64)> {
    let plate = ShapeDef::new("rectangular-plate", MaterialDef::Named("steel")).unwrap();
    let plate = plate.with("length_m", 0.5).with("width_m", 0.4).with("thickness_m", 0.003).with_modes(120);
    let plate = plate.with_word("edges", "supported").with_word("radiates", mount);
    let heard = pressures(&plate, 24_000.0, Ear::Around, 1.0).unwrap().per_mode;
    let modes = evaluate(&plate, &[], 24_000.0).unwrap().modes;
    let level = |(mode, p): (&tocco::resonator::shape::ShapeMode, &f64)| {
        let per_velocity = p * 2.0 * PI * mode.freq_hz / (AIR.0 * AIR.1);
        (mode.freq_hz.log10(), 10.0 * (whole * per_velocity * per_velocity / 0.2).log10())
    };
    modes.iter().zip(&heard).map(level).collect()
}

/// log10 of frequency and level of a struck bar heard by one quantity, third octaves over their loudest, dB.
fn spectrum(quantity: &str) -> Vec<(f64, f64)> {
    let text = format!(
        "[body.bar]\ntype = \"shape\"\nshape = \"bar\"\nlength_m = 0.3\nwidth_m = 0.03\nthickness_m = 0.006\nmaterial = \"steel\"\n\
         [body.hammer]\ntype = \"mass\"\nmass_kg = 0.02\n[contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"bar\"]\n\
         hardness_01 = 0.8\nat_speed_m_s = 1.0\n[[event]]\nat_s = 0.0\nstrike = \"hammer\"\nvelocity_m_s = 1.0\n\
         [[tap]]\nof = \"bar\"\nquantity = \"{quantity}\"\n"
    );
    let def = SceneDef::from_text(&text).unwrap();
    let mut engine = Engine::new(Scene::build(&def, 48_000.0).unwrap());
    let mut out = vec![0.0_f32; 16_384];
    engine.render(&[], &mut Queue::new(), &mut out);
    let mut rows = Vec::new();
    for band in 0..22 {
        let centre_hz = 125.0 * 2.0_f64.powf(f64::from(band) / 3.0);
        let (low, high) = (centre_hz / 2.0_f64.powf(1.0 / 6.0), centre_hz * 2.0_f64.powf(1.0 / 6.0));
        let lines = 6;
        let mut power = 1e-30;
        for line in 0..lines {
            let freq_hz = low + (high - low) * (f64::from(line) + 0.5) / f64::from(lines);
            let (mut re, mut im) = (0.0, 0.0);
            for (i, x) in out.iter().enumerate() {
                let window = 0.5 + 0.5 * (PI * i as f64 / out.len() as f64).cos();
                let phase = 2.0 * PI * freq_hz / 48_000.0 * i as f64;
                re += window * f64::from(*x) * phase.cos();
                im += window * f64::from(*x) * phase.sin();
            }
            power += re * re + im * im;
        }
        rows.push((centre_hz.log10(), 10.0 * power.log10()));
    }
    let loudest = rows.iter().fold(f64::NEG_INFINITY, |most, row| most.max(row.1));
    rows.into_iter().map(|(x, y)| (x, y - loudest)).collect()
}

#[test]
fn radiation_plates_are_quiet_below_coincidence_and_bars_heard_by_it_are_brighter() {
    let (baffled, free) = (efficiencies("baffled", 2.0 * PI), efficiencies("free", 4.0 * PI));
    // One side of a baffled plate, two of a free one; below 500 Hz the edge still cancels.
    for (closed, open) in baffled.iter().zip(&free).filter(|(closed, _)| closed.0 < 500.0_f64.log10()) {
        assert!(open.1 < closed.1, "{closed:?} {open:?}");
    }
    let steel = tocco::resonator::material::Material::named("steel").unwrap().material;
    let stiff = 0.003 * (steel.young_pa / (12.0 * steel.density_kg_m3 * (1.0 - steel.poisson.powi(2)))).sqrt();
    let critical_hz = AIR.1 * AIR.1 / (2.0 * PI * stiff);
    let endless = |i: i32| {
        let freq_hz = critical_hz * (1.05 + 0.05 * f64::from(i));
        (freq_hz.log10(), -5.0 * (1.0 - critical_hz / freq_hz).log10())
    };
    let mut plates = Panel {
        legend: Corner::BottomRight,
        ..Panel::new("radiation efficiency of a steel plate", "log10 of frequency in Hz", "dB")
    };
    plates.y_range = Some((-60.0, 10.0));
    plates = plates.with(Series::new("in a baffle", 1, Look::Dots, baffled));
    plates = plates.with(Series::new("free", 2, Look::Dots, free));
    plates = plates.with(Series::new("an endless plate", 0, Look::Dashed, (0..30).map(endless).collect()));

    let (moving, heard) = (spectrum("velocity"), spectrum("radiated"));
    let high = |rows: &[(f64, f64)]| {
        rows.iter().filter(|row| row.0 > 4000.0_f64.log10()).map(|row| row.1).fold(-99.0, f64::max)
    };
    let low = |rows: &[(f64, f64)]| {
        rows.iter().filter(|row| row.0 < 700.0_f64.log10()).map(|row| row.1).fold(-99.0, f64::max)
    };
    assert!(high(&heard) - low(&heard) > high(&moving) - low(&moving) + 10.0);
    let mut bars =
        Panel { legend: Corner::BottomRight, ..Panel::new("a struck bar", "log10 of frequency in Hz", "dB") };
    bars.y_range = Some((-60.0, 0.0));
    bars = bars.with(Series::new("velocity of its end", 1, Look::Line, moving));
    bars = bars.with(Series::new("radiated", 2, Look::Line, heard));
    let figure = Figure { title: "What reaches an ear".into(), panels: vec![plates, bars] };
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/models/radiation.png");
    assert_shipped(&figure.png().unwrap(), &docs);
}
