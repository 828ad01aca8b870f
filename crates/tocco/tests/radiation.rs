// SPDX-License-Identifier: MIT OR Apache-2.0
//! What bodies radiate, beside closed forms of others.

use std::f64::consts::PI;
use tocco::resonator::material::Material;
use tocco::resonator::shape::radiation::{Ear, by_size, hankel_slope, pressures};
use tocco::resonator::shape::{MaterialDef, ShapeDef, evaluate};
use tocco::{Queue, Scene, SceneDef};
use tocco_testing::spectra::band_db;

const RHO: f64 = 1.204;
const C: f64 = 343.2;

/// Radiation efficiency of every mode by what is heard all around: R/(rho c A), R = W (p r/v)^2/(rho c).
fn efficiencies(def: &ShapeDef, area: f64, whole: f64, below_hz: f64) -> Vec<(f64, [i32; 3], f64)> {
    let heard = pressures(def, below_hz, Ear::Around, 2.0).unwrap();
    let solved = evaluate(def, &[], below_hz).unwrap();
    let one = |(mode, p): (&tocco::resonator::shape::ShapeMode, &f64)| {
        let per_velocity = 2.0 * p * 2.0 * PI * mode.freq_hz;
        (mode.freq_hz, mode.numbers, whole * per_velocity * per_velocity / (RHO * C * RHO * C * area))
    };
    solved.modes.iter().zip(&heard.per_mode).skip(solved.rigid).map(one).collect()
}

fn plate(thickness: f64) -> ShapeDef {
    let plate = ShapeDef::new("rectangular-plate", MaterialDef::Named("steel")).unwrap();
    plate.with("length_m", 0.5).with("width_m", 0.4).with("thickness_m", thickness).with_word("edges", "supported")
}

#[test]
fn a_baffled_plate_radiates_as_efficiently_as_wallace_says() {
    let (a, b) = (0.5, 0.4);
    let def = plate(3e-4).with_word("radiates", "baffled").with_modes(40);
    let mut seen = [0; 3];
    for (freq_hz, [m, n, _], efficiency) in efficiencies(&def, a * b, 2.0 * PI, 24_000.0) {
        let (m, n) = (f64::from(m), f64::from(n));
        let k = 2.0 * PI * freq_hz / C;
        if k * a > 0.8 {
            continue; // where Wallace's two terms end
        }
        let (odd_m, odd_n) = (m as i32 % 2 == 1, n as i32 % 2 == 1);
        let x = |m: f64| 1.0 - 8.0 / (m * PI).powi(2);
        let wallace = match (odd_m, odd_n) {
            (true, true) => {
                let second = k * k * a * b / 12.0 * (x(m) * a / b + x(n) * b / a);
                32.0 * k * k * a * b / (m * m * n * n * PI.powi(5)) * (1.0 - second)
            }
            (true, false) => {
                let second = k * k * a * b / 20.0 * (x(m) * a / b + (1.0 - 24.0 / (n * PI).powi(2)) * b / a);
                8.0 * k.powi(4) * a * b.powi(3) / (3.0 * m * m * n * n * PI.powi(5)) * (1.0 - second)
            }
            (false, true) => {
                let second = k * k * a * b / 20.0 * ((1.0 - 24.0 / (m * PI).powi(2)) * a / b + x(n) * b / a);
                8.0 * k.powi(4) * a.powi(3) * b / (3.0 * m * m * n * n * PI.powi(5)) * (1.0 - second)
            }
            (false, false) => continue,
        };
        seen[usize::from(odd_m) + usize::from(odd_n)] += 1;
        let off_db = 10.0 * (efficiency / wallace).log10();
        assert!(off_db.abs() < 1.0, "{m} {n} at {freq_hz} Hz, k a = {}: {efficiency} beside {wallace}", k * a);
    }
    assert!(seen[1] >= 4 && seen[2] >= 4, "{seen:?}");
}

#[test]
fn a_body_that_radiates_loses_what_its_bulk_takes_and_what_it_radiates_and_nothing_twice() {
    let steel = Material::named("steel").unwrap();
    let (bare, held) = (steel.bare(), steel.material);
    let named = |id: &str| ShapeDef::new(id, MaterialDef::Named("steel")).unwrap();
    let free = named("rectangular-plate").with("length_m", 0.5).with("width_m", 0.4).with("thickness_m", 0.01);
    let bar = named("bar").with("length_m", 0.4).with("width_m", 0.03).with("thickness_m", 6e-3);
    let bowl = named("bowl").with("radius_m", 0.06).with("height_m", 0.05).with("thickness_m", 1e-3);
    let bell = named("bell").with("mass_kg", 1.0).with("freq_hz", 1200.0);
    let baffled = |plate: ShapeDef| plate.with_word("radiates", "baffled");
    // The least share of the air that each must have for the test to say something.
    for (def, own, whole, share) in [
        (baffled(plate(2e-3)), bare, 2.0 * PI, 0.5),
        (baffled(ShapeDef { material: MaterialDef::Own(held), ..plate(2e-3) }), held, 2.0 * PI, 0.5),
        (free.with_word("radiates", "free"), bare, 4.0 * PI, 0.5),
        (bar.with_word("radiates", "free"), bare, 4.0 * PI, 0.05),
        (bowl.with_word("radiates", "free"), bare, 4.0 * PI, 0.05),
        (bell.with_word("radiates", "free"), bare, 4.0 * PI, 0.05),
    ] {
        let def = def.with_modes(40);
        let solved = evaluate(&def, &[], 24_000.0).unwrap();
        let found = efficiencies(&def, 0.2, whole, 24_000.0);
        assert_eq!(solved.modes.len() - solved.rigid, found.len());
        let mut most = 0.0f64;
        for (mode, (freq_hz, _, efficiency)) in solved.modes.iter().skip(solved.rigid).zip(found) {
            // R = rho c A times the efficiency, and 1/decay = 1/decay of the bulk + R/(2 m). [radiation.5]
            let air = RHO * C * 0.2 * efficiency / (2.0 * mode.mass_kg);
            let bulk = 1.0 / own.decay_s(freq_hz);
            assert!(
                (1.0 / mode.decay_s / (bulk + air) - 1.0).abs() < 1e-2,
                "{}, {freq_hz} Hz: {} {bulk} {air}",
                def.kind.id,
                mode.decay_s
            );
            most = most.max(air / bulk);
        }
        assert!(most > share, "the air takes {most} of what the bulk of a {} does", def.kind.id);
    }
}

#[test]
fn a_plate_far_above_coincidence_radiates_as_an_endless_one() {
    // Efficiency 1/sqrt(1 - f_c/f) there; 20 mm of steel have f_c near 620 Hz.
    let def = plate(0.02).with_word("radiates", "baffled").with_modes(30);
    let steel = tocco::resonator::material::Material::named("steel").unwrap().material;
    let stiff = 0.02 * (steel.young_pa / (12.0 * steel.density_kg_m3 * (1.0 - steel.poisson.powi(2)))).sqrt();
    let critical_hz = C * C / (2.0 * PI * stiff);
    let rows = efficiencies(&def, 0.2, 2.0 * PI, 96_000.0);
    let high: Vec<_> = rows.iter().filter(|row| row.0 > 6.0 * critical_hz).collect();
    assert!(high.len() > 10);
    for (freq_hz, numbers, efficiency) in high {
        let endless = 1.0 / (1.0 - critical_hz / freq_hz).sqrt();
        assert!((10.0 * (efficiency / endless).log10()).abs() < 0.5, "{numbers:?} {freq_hz}: {efficiency} {endless}");
    }
}

#[test]
fn a_membrane_in_a_kettle_radiates_its_first_mode_as_a_small_source() {
    // Below k R = 0.3 a source of volume V: R = rho omega^2 V^2/(2 pi c); of J_0 over its rms V = pi R^2 2/j.
    let def = ShapeDef::new("circular-membrane", MaterialDef::Named("mylar")).unwrap();
    let def = def.with("radius_m", 0.1).with("thickness_m", 2e-4).with("freq_hz", 100.0).with_modes(8);
    let rows = efficiencies(&def, PI * 0.01, 2.0 * PI, 24_000.0);
    let k = 2.0 * PI * rows[0].0 / C;
    let volume = PI * 0.01 * 2.0 / 2.404_825_557_695_773;
    let small = k * k * volume * volume / (2.0 * PI) / (PI * 0.01);
    assert!((rows[0].2 / small - 1.0).abs() < 0.02, "{} {small}", rows[0].2);
    // A mode with one diameter is a dipole, with two a quadrupole: each order weaker.
    assert!(rows[1].2 < 0.1 * rows[0].2 && rows[3].2 < 0.2 * rows[1].2, "{rows:?}");
}

#[test]
fn the_mean_of_all_directions_is_that_of_the_single_ones() {
    let disc = ShapeDef::new("circular-plate", MaterialDef::Named("steel")).unwrap();
    let disc = disc.with("radius_m", 0.2).with("thickness_m", 2e-3).with_modes(12);
    let bowl = ShapeDef::new("bowl", MaterialDef::Named("glass")).unwrap();
    let bowl = bowl.with("radius_m", 0.05).with("height_m", 0.08).with("thickness_m", 2e-3).with_modes(8);
    let bar = ShapeDef::new("bar", MaterialDef::Named("steel")).unwrap();
    let bar = bar.with("length_m", 0.4).with("width_m", 0.03).with("thickness_m", 6e-3).with_modes(8);
    for def in [disc, bowl, bar, plate(2e-3).with_modes(12)] {
        let around = pressures(&def, 20_000.0, Ear::Around, 1.0).unwrap().per_mode;
        let (mut sums, mut weights) = (vec![0.0; around.len()], 0.0);
        // A plain sum over the sphere, of another kind than the rule under test.
        let (tilts, turns) = (60, 48);
        for i in 0..tilts {
            let tilt = 180.0 * (f64::from(i) + 0.5) / f64::from(tilts);
            for j in 0..turns {
                let turn = 360.0 * (f64::from(j) + 0.31) / f64::from(turns);
                let weight = tilt.to_radians().sin();
                let here = pressures(&def, 20_000.0, Ear::Towards([tilt, turn]), 1.0).unwrap().per_mode;
                sums.iter_mut().zip(here).for_each(|(sum, p)| *sum += weight * p * p);
                weights += weight;
            }
        }
        for (k, (sum, around)) in sums.iter().zip(&around).enumerate() {
            let rms = (sum / weights).sqrt();
            assert!((rms - around).abs() <= 0.02 * around, "{} mode {k}: {rms} {around}", def.kind.id);
        }
    }
}

#[test]
fn hankel_functions_are_those_of_the_tables() {
    // Abramowitz, Stegun, table 9.1: J_0'(2) = -J_1(2), Y_0'(2) = -Y_1(2) = 0.10703; J_1(2) = 0.57672.
    assert!((hankel_slope(0, 2.0) - 0.576_724_807_8_f64.hypot(0.107_032_431_5)).abs() < 1e-8);
    // J_2' = J_1 - J_2, Y_2' = Y_1 - Y_2 at 2: J_2(2) = 0.35283, Y_2(2) = -0.61741.
    let (j, y) = (0.576_724_807_8 - 0.352_834_028_6_f64, -0.107_032_431_5 + 0.617_408_104_2_f64);
    assert!((hankel_slope(2, 2.0) - j.hypot(y)).abs() < 1e-8);
    // Far out |H'|^2 is 2/(pi x), near the axis n! 2^n/(pi x^(n+1)).
    assert!((hankel_slope(3, 300.0) / (2.0 / (PI * 300.0)).sqrt() - 1.0).abs() < 1e-4);
    assert!((hankel_slope(3, 0.01) / (48.0 / (PI * 1e-8)) - 1.0).abs() < 1e-4);
}

#[test]
fn a_small_free_disc_is_the_dipole_of_lamb() {
    // Its rigid motion: p = omega k cos t (8/3) rho s^3 v/(4 pi r). The rule for sizes has the same limit: see [radiation.2].
    let (s, freq_hz) = (0.01, 200.0);
    let k = 2.0 * PI * freq_hz / C;
    let lamb = k * 8.0 / 3.0 * RHO * s * s * s / (4.0 * PI) * 0.5; // cos t = 1/2, per acceleration at 1 m
    let ours = by_size(s, freq_hz, freq_hz, 1.0);
    let quarter = (0.5 * PI / 2.0_f64).min(1.0); // a quarter of the bending wave is less than the radius
    assert!((ours / (lamb * quarter) - 1.0).abs() < 0.01, "{ours} {lamb}");
}

#[test]
fn an_open_end_is_a_small_source_of_what_its_air_moves() {
    // A tube open at one end, as an oscillator of its quarter wave: p = rho c phi y' inside has amplitude 1 Pa at the closed
    // end, so the air at the open end moves with 1/(rho c) m/s, and p outside is rho S omega u/(4 pi r).
    let tube = ShapeDef::new("tube", MaterialDef::Air).unwrap().with("length_m", 0.5).with("radius_m", 0.01);
    let tube = tube.with_word("ends", "open-closed").with_modes(3);
    let heard = pressures(&tube, 20_000.0, Ear::Around, 2.0).unwrap();
    assert!(!heard.accelerated);
    for (mode, p) in evaluate(&tube, &[], 20_000.0).unwrap().modes.iter().zip(&heard.per_mode) {
        let y_rate = 1.0 / (RHO * C * 2.0_f64.sqrt()); // phi is sqrt2 at the closed end
        let outside = RHO * PI * 1e-4 * 2.0 * PI * mode.freq_hz / (RHO * C) / (4.0 * PI * 2.0);
        // The closed form has u = p/(rho c) at the end; ours has the modes' own.
        assert!((p * y_rate / outside - 1.0).abs() < 1e-9, "{} {outside}", p * y_rate);
    }
}

/// A struck plate that loses energy by nothing but its sound.
const RINGING: &str = r#"
version = 1
duration_s = 2.0
[body.drum]
type = "shape"
shape = "circular-membrane"
radius_m = 0.15
thickness_m = 2.0e-4
freq_hz = 150.0
material = { density_kg_m3 = 1400.0, young_pa = 3.5e9, loss_factor = 1.0e-7 }
radiates = "baffled"
modes = 1
[[event]]
at_s = 0.0
hit = "drum"
impulse_n_s = 0.01
[[tap]]
of = "drum"
quantity = "radiated"
distance_m = 3.0
"#;

/// A light tube that loses energy by nothing but its sound, heard on all sides.
const TUBE: &str = r#"
version = 1
duration_s = 2.0
[body.drum]
type = "shape"
shape = "cylinder"
radius_m = 0.08
length_m = 0.6
thickness_m = 0.004
material = { density_kg_m3 = 150.0, young_pa = 2.0e9, loss_factor = 1.0e-7 }
radiates = "free"
modes = 1
[[event]]
at_s = 0.0
hit = "drum"
impulse_n_s = 0.01
[[tap]]
of = "drum"
quantity = "radiated"
distance_m = 3.0
"#;

#[test]
fn what_the_ear_receives_is_what_the_body_loses() {
    received_is_lost(RINGING, 2.0 * PI, 0.2);
}

#[test]
fn what_the_ear_receives_of_a_round_wall_is_what_it_loses() {
    received_is_lost(TUBE, 4.0 * PI, 0.05);
}

#[test]
fn what_the_ear_receives_of_a_free_plate_a_free_bar_a_bowl_and_a_bell_is_what_they_lose() {
    let wall = "shape = \"cylinder\"\nradius_m = 0.08\nlength_m = 0.6\nthickness_m = 0.004";
    // As stiff as the lightest of ceramics, so that their waves in the air are short enough to be heard.
    let body = |shape: &str| TUBE.replace(wall, shape).replace("young_pa = 2.0e9", "young_pa = 2.0e10");
    for (shape, seconds) in [
        ("shape = \"rectangular-plate\"\nlength_m = 0.4\nwidth_m = 0.3\nthickness_m = 0.02", 0.3),
        ("shape = \"bar\"\nlength_m = 0.4\nwidth_m = 0.05\nthickness_m = 0.02", 1.0),
        ("shape = \"bowl\"\nradius_m = 0.08\nheight_m = 0.1\nthickness_m = 0.004", 0.3),
        ("shape = \"bell\"\nfreq_hz = 4000.0\nmass_kg = 0.05", 1.0),
    ] {
        assert_ne!(body(shape), TUBE);
        received_is_lost(&body(shape), 4.0 * PI, seconds);
    }
}

#[test]
fn a_bell_is_heard_as_a_round_wall_of_its_size_beside_it_and_not_along_its_axis() {
    // A founder's bell of 600 kg is 1 m across, one of 0.6 kg a tenth of that.
    let bell = |mass: f64, freq_hz: f64| {
        let bell = ShapeDef::new("bell", MaterialDef::Named("bronze")).unwrap().with_modes(12);
        bell.with("mass_kg", mass).with("freq_hz", freq_hz)
    };
    let (large, small) = (bell(600.0, 300.0), bell(0.6, 3000.0));
    let heard = |def: &ShapeDef, ear: Ear, distance: f64| pressures(def, 90_000.0, ear, distance).unwrap();
    let (near, far) = (heard(&large, Ear::Around, 2.0), heard(&large, Ear::Around, 20.0));
    assert!(near.accelerated && near.per_mode.iter().all(|p| p.is_finite()));
    // It swings as a whole, too, which is not heard.
    let rings = || near.per_mode.iter().enumerate().filter(|(_, p)| **p > 0.0).map(|(mode, _)| mode);
    assert!(rings().count() >= 8, "{:?}", near.per_mode);
    for mode in rings() {
        let (near, far) = (near.per_mode[mode], far.per_mode[mode]);
        assert!((near / far - 10.0).abs() < 1e-9, "{near} {far}");
    }
    // Ten times as small and ten times as high: the same waves beside it, so the same pressure per area, a hundredth.
    let of_small = heard(&small, Ear::Around, 2.0).per_mode;
    for mode in rings() {
        let (large, small) = (near.per_mode[mode], of_small[mode]);
        assert!((small / large * 100.0 - 1.0).abs() < 0.02, "mode {mode}: {large} {small}");
    }
    // Along its axis the waves around cancel; beside it they do not.
    let (axis, side) = (heard(&large, Ear::Towards([1.0, 0.0]), 2.0), heard(&large, Ear::Towards([90.0, 0.0]), 2.0));
    let loud = |p: &[f64]| p.iter().map(|p| p * p).sum::<f64>();
    assert!(loud(&axis.per_mode) < 1e-3 * loud(&side.per_mode));
}

/// Of a scene of one body, heard into a solid angle for so long.
fn received_is_lost(text: &str, angle: f64, seconds: f64) {
    let def = SceneDef::from_text(text).unwrap();
    let rate = 48_000.0;
    let mut engine = tocco::Engine::new(Scene::build(&def, rate).unwrap());
    let mut hear = |seconds: f64| {
        let mut out = vec![0.0_f32; (seconds * rate) as usize];
        engine.render(&[], &mut Queue::new(), &mut out);
        let sum: f64 = out.iter().map(|p| f64::from(*p) * f64::from(*p)).sum();
        angle * 9.0 / (RHO * C) * sum / rate
    };
    hear(0.01); // the hit itself is an acceleration without bound
    let received = hear(seconds);
    // At first it holds J^2 phi^2/(2 m).
    let solved = evaluate(&tocco_shape(&def), &[], 24_000.0).unwrap();
    let first = &solved.modes[solved.rigid];
    let (m, phi, fall) = (first.mass_kg, solved.shapes[0][solved.rigid], 2.0 / first.decay_s);
    let began = 1e-4 * phi * phi / (2.0 * m);
    let lost = began * ((-0.01 * fall).exp() - (-(0.01 + seconds) * fall).exp());
    assert!(lost > 0.1 * began, "{lost} of {began}");
    // A tap takes the difference of two samples for the derivative: sin(x)/x of it, x half a sample's angle.
    let half = PI * first.freq_hz / rate;
    let taken = lost * (half.sin() / half).powi(2);
    assert!((received / taken - 1.0).abs() < 0.01, "{received} J of {taken}, {} Hz", first.freq_hz);
}

fn tocco_shape(def: &SceneDef) -> ShapeDef {
    match &def.bodies[0].form {
        tocco::scene::def::BodyForm::Shape(shape) => shape.geometry.clone(),
        _ => unreachable!("the body is a shape"),
    }
}

/// The first line of what is wrong with a scene.
fn refused(change: (&str, &str)) -> String {
    let text = RINGING.replace(change.0, change.1);
    assert_ne!(text, RINGING, "nothing changed");
    let built = SceneDef::from_text(&text).and_then(|def| Scene::build(&def, 48_000.0));
    built.err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn what_cannot_radiate_is_refused_with_the_reason() {
    assert!(refused(("distance_m = 3.0", "size_m = 0.1")).contains("knows its size"));
    assert!(refused(("quantity = \"radiated\"", "quantity = \"velocity\"")).contains("belongs to what is radiated"));
    assert!(refused(("radiates = \"baffled\"", "radiates = \"loud\"")).contains("free"));
    let string = "shape = \"string\"\nlength_m = 1.0\ndiameter_m = 1e-3";
    let text = RINGING.replace("shape = \"circular-membrane\"\nradius_m = 0.15\nthickness_m = 2.0e-4", string);
    let text = text.replace("radiates = \"baffled\"\n", "");
    let refused = |text: &str| match SceneDef::from_text(text).and_then(|def| Scene::build(&def, 48_000.0)) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    };
    assert!(refused(&text).contains("a string needs size_m"), "{}", refused(&text));
    let aside = text.replace("distance_m = 3.0", "size_m = 0.2\ndirection_deg = [0.0, 0.0]");
    assert!(refused(&aside).contains("all around"), "{}", refused(&aside));
    assert_eq!(refused(&text.replace("distance_m = 3.0", "size_m = 0.2")), "");
    let net = "[body.net]\ntype = \"network\"\nmass_kg = { a = 0.01 }\nfixed = [\"wall\"]\n[[body.net.link]]\nbetween = [\"wall\", \"a\"]\n\
               stiffness_n_m = 1e4\n[[tap]]\nof = \"net.a\"\nquantity = \"radiated\"\n";
    assert!(refused(net).contains("a network needs size_m"), "{}", refused(net));
}

/// What is heard of a body through half a second, hit at its port `here`.
fn hit(body: &str, tap: &str) -> Vec<f64> {
    let text = format!(
        "{body}[[event]]\nat_s = 0.0\nhit = \"it.here\"\nimpulse_n_s = 0.002\n[[tap]]\nof = \"it.here\"\nquantity = \"radiated\"\n\
         distance_m = 2.0\n{tap}"
    );
    let def = SceneDef::from_text(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let scene = Scene::build(&def, 48_000.0).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut out = vec![0.0_f32; 24_000];
    tocco::Engine::new(scene).render(&[], &mut Queue::new(), &mut out);
    out[96..].iter().map(|p| f64::from(*p)).collect()
}

#[test]
fn a_string_by_its_wire_radiates_the_partials_of_the_same_string_by_its_pitch() {
    // A steel wire: mu = rho pi d^2/4, Z = sqrt(T mu), B = pi^2 E I/(T L^2). Both lose so little that half a second says nothing of it.
    let (length, d) = (0.65_f64, 4e-4_f64);
    let steel = Material::named("steel").unwrap().material;
    let mu = steel.density_kg_m3 * PI * d * d / 4.0;
    let bends = PI * PI * steel.young_pa * PI * d.powi(4) / 64.0 / (length * length);
    let tension = 4.0 * length * length * mu * 220.0 * 220.0 - bends;
    let (impedance, b) = ((tension * mu).sqrt(), bends / tension);
    let lossless =
        format!("{{ density_kg_m3 = {:?}, young_pa = {:?}, loss_factor = 1e-5 }}", steel.density_kg_m3, steel.young_pa);
    let wire = format!(
        "[body.it]\ntype = \"shape\"\nshape = \"string\"\nlength_m = {length}\ndiameter_m = {d:?}\nfreq_hz = 220.0\nmaterial = {lossless}\n\
         modes = 100\nport = {{ here = 0.3 }}\n"
    );
    let pitch = format!(
        "[body.it]\ntype = \"string\"\nfreq_hz = 220.0\nq = 1e5\nq_tilt = 5.0\nimpedance_kg_s = {impedance:?}\ninharmonicity = {b:?}\n\
         port = {{ here = 0.3 }}\n"
    );
    let heard = hit(&pitch, "size_m = 0.2\n");
    // A blow this soft stretches it by nothing.
    for body in [wire.clone(), wire + "stiffens = true\nstiffening = 0.0\n"] {
        let other = hit(&body, "size_m = 0.2\n");
        for n in (1..=30).filter(|n| n % 10 != 0) {
            let n = f64::from(n);
            let at = 220.0 * n * ((1.0 + b * n * n) / (1.0 + b)).sqrt();
            let level = |out: &[f64]| band_db(out, [at - 40.0, at + 40.0], 48_000.0);
            let off = level(&other) - level(&heard);
            assert!(off.abs() < 0.5, "partial {n}: {off} dB");
        }
        // By the same sign: heard together they are louder, not gone.
        let both: Vec<f64> = heard.iter().zip(&other).map(|(a, b)| a + b).collect();
        let louder = band_db(&both, [180.0, 260.0], 48_000.0) - band_db(&heard, [180.0, 260.0], 48_000.0);
        assert!((louder - 6.0).abs() < 0.5, "{louder}");
    }
}

#[test]
fn a_network_radiates_as_the_list_of_its_modes_does_whether_or_not_dampers_join_them() {
    // Two masses and three springs: sum and difference, each as heavy as both where either mass moves by 1.
    let net = |more: &str| {
        format!(
            "[body.it]\ntype = \"network\"\nmass_kg = {{ here = 0.01, there = 0.01 }}\nfixed = [\"wall\"]\n[[body.it.link]]\n\
             between = [\"wall\", \"here\", \"there\", \"wall\"]\nstiffness_n_m = 1e5\ndamping_n_s_m = 1e-2\n{more}"
        )
    };
    let root = |k: f64| (k / 0.01).sqrt() / (2.0 * PI);
    let modal = format!(
        "[body.it]\ntype = \"modal\"\nmodes = [{{ freq_hz = {:?}, decay_s = 2.0, mass_kg = 0.02 }}, {{ freq_hz = {:?}, decay_s = 0.6667, mass_kg = 0.02 }}]\n\
         port = {{ here = [1.0, 1.0] }}\n",
        root(1e5),
        root(3e5)
    );
    let wanted = hit(&modal, "size_m = 0.3\n");
    let joined = "[[body.it.link]]\nbetween = [\"wall\", \"here\"]\ndamping_n_s_m = 1e-4\n";
    for more in ["", joined] {
        let heard = hit(&net(more), "size_m = 0.3\n");
        for at in [root(1e5), root(3e5)] {
            let [a, b] = [&heard, &wanted].map(|out| band_db(out, [at - 40.0, at + 40.0], 48_000.0));
            assert!((a - b).abs() < 0.2, "{more}{at} Hz: {a} {b}");
        }
    }
}

#[test]
fn a_string_is_heard_by_its_force_on_the_bridge() {
    // A blow at a place sends half of it to either end, and each end takes it twice as it turns: the bridge feels all of it, once, less
    // the 0.7 of it that a force held at 0.3 of the length presses on it at rest, which is no sound.
    // On a board of 100 m nothing cancels around an edge.
    let text = "[body.string]\ntype = \"string\"\nfreq_hz = 110.0\nq = 1e4\nimpedance_kg_s = 0.3\nport.here = 0.3\n\
                [[event]]\nat_s = 0.0\nhit = \"string.here\"\nimpulse_n_s = 0.02\n\
                [[tap]]\nof = \"string\"\nquantity = \"radiated\"\nsize_m = 100.0\ndistance_m = 2.0\n";
    let def = SceneDef::from_text(text).unwrap_or_else(|error| panic!("{error}"));
    let mut out = vec![0.0_f32; 48_000];
    tocco::Engine::new(Scene::build(&def, 48_000.0).unwrap()).render(&[], &mut Queue::new(), &mut out);
    let half = (48_000.0 / 220.0) as usize;
    let felt: f64 = out[..half].iter().map(|p| f64::from(*p)).sum::<f64>() / 48_000.0;
    let wanted = RHO / (2.0 * PI * 2.0 * 6.7 * 100.0) * 0.02 * 0.3;
    assert!((felt.abs() / wanted - 1.0).abs() < 0.01, "{felt:e} {wanted:e}");
    // It comes when the wave has gone 0.3 of the length.
    let at = (10..half).max_by(|a, b| out[*a].abs().total_cmp(&out[*b].abs())).unwrap() as f64;
    assert!((at - 0.3 * 48_000.0 / 220.0).abs() < 3.0, "{at}");
    let refused = |from: &str, to: &str| {
        let def = SceneDef::from_text(&text.replace(from, to)).unwrap();
        Scene::build(&def, 48_000.0).err().unwrap().to_string()
    };
    assert!(refused("size_m = 100.0\n", "").contains("needs size_m"));
    assert!(refused("freq_hz = 110.0", "freq_hz = 30.0").contains("is a loop"));
}

#[test]
fn energy_minus_work_never_rises_in_wires_and_networks_that_are_heard() {
    let wire = "[body.it]\ntype = \"shape\"\nshape = \"string\"\nlength_m = 0.65\ndiameter_m = 4e-4\nfreq_hz = 110.0\nmaterial = \"steel\"\n\
                modes = 40\nstiffens = true\nport = { here = 0.3 }\n";
    let joined = "[body.it]\ntype = \"network\"\nmass_kg = { here = 0.01, there = 0.02 }\nfixed = [\"wall\"]\n[[body.it.link]]\n\
                  between = [\"wall\", \"here\", \"there\", \"wall\"]\nstiffness_n_m = 1e5\n[[body.it.link]]\nbetween = [\"wall\", \"here\"]\n\
                  damping_n_s_m = 0.5\n";
    for body in [wire, joined] {
        let strokes: String = (0..10)
            .map(|i| format!("[[event]]\nat_s = {:.2}\nstrike = \"stick\"\nvelocity_m_s = 3.0\n", 0.02 * f64::from(i)))
            .collect();
        let text = format!(
            "[body.stick]\ntype = \"mass\"\nmass_kg = 0.005\nposition_m = -0.01\nvary_01 = 1.0\n{body}[contact.beat]\ntype = \"impact\"\n\
             between = [\"stick\", \"it.here\"]\nstiffness = 1e8\n{strokes}[[tap]]\nof = \"it.here\"\nquantity = \"radiated\"\nsize_m = 0.3\n"
        );
        let def = SceneDef::from_text(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let mut engine = tocco::Engine::new(Scene::build(&def, 48_000.0).unwrap());
        let probes = ["energy", "work"].map(|name| engine.scene().directory().probe(name).unwrap());
        engine.watch(&probes);
        let (mut out, mut ledger) = (vec![0.0; 12_000], vec![0.0; 24_000]);
        let health = engine.render_probed(&[], &mut Queue::new(), &mut out, &mut ledger);
        let (mut most, mut before) = (0.0f64, 0.0);
        for row in ledger.chunks_exact(2) {
            most = most.max(row[0].abs() + row[1].abs());
            assert!(row[0] - row[1] - before <= 1e-12 * most, "gained {:e}", row[0] - row[1] - before);
            before = row[0] - row[1];
        }
        assert!(out.iter().any(|p| *p != 0.0) && (health.unconverged, health.reset) == (0, 0), "{health:?}");
    }
}

/// Says to this test, run once more under valgrind, what it is to render: a quantity, and how many samples.
const COUNTED: &str = "TOCCO_COUNTED";

fn render_what_is_counted(what: &str) {
    let (quantity, samples) = what.split_once(' ').unwrap();
    let heard = if quantity == "radiated" { "size_m = 0.2\n" } else { "" };
    let modes = |k: usize| format!("{{ freq_hz = {}.0, decay_s = 5.0, mass_kg = 1.0 }},\n", 100 + 90 * k);
    let text = format!(
        "[body.bell]\ntype = \"modal\"\nmodes = [\n{}]\n[[event]]\nat_s = 0.0\nhit = \"bell\"\nimpulse_n_s = 1.0\n\
         [[tap]]\nof = \"bell\"\nquantity = \"{quantity}\"\n{heard}",
        (0..100).map(modes).collect::<String>()
    );
    let def = SceneDef::from_text(&text).unwrap_or_else(|error| panic!("{error}"));
    let mut out = vec![0.0_f32; samples.parse().unwrap()];
    tocco::Engine::new(Scene::build(&def, 48_000.0).unwrap()).render(&[], &mut Queue::new(), &mut out);
    assert!(out.iter().any(|x| *x != 0.0));
}

#[test]
fn what_is_radiated_costs_at_most_a_tenth_more_instructions_per_mode() {
    if let Ok(what) = std::env::var(COUNTED) {
        return render_what_is_counted(&what);
    }
    if !std::process::Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return tocco_testing::skip("instructions of what is radiated", "valgrind");
    }
    let instructions = |quantity: &str, samples: usize| -> f64 {
        let mut valgrind = std::process::Command::new("valgrind");
        valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(std::env::current_exe().unwrap());
        valgrind.arg("what_is_radiated_costs_at_most_a_tenth_more").env(COUNTED, format!("{quantity} {samples}"));
        let output = valgrind.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        let count = said.split("Collected :").nth(1).and_then(|rest| rest.split_whitespace().next());
        count.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("no count in {said}"))
    };
    // What building costs is in both.
    let per_mode =
        |quantity: &str| (instructions(quantity, 48_000) - instructions(quantity, 24_000)) / (24_000.0 * 100.0);
    let (moves, radiates) = (per_mode("velocity"), per_mode("radiated"));
    println!("{moves:.2} instructions per mode and sample by velocity, {radiates:.2} by radiation");
    assert!(radiates > 1.0 && radiates <= 1.1 * moves, "{radiates} beside {moves}");
}
