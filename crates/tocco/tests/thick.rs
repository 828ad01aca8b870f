// SPDX-License-Identifier: MIT OR Apache-2.0
//! Thick bars and plates beside published formulas and tables, and beside Ritz's method on Timoshenko's energies.

use std::f64::consts::PI;
use tocco::resonator::eigen::vectors;
use tocco::resonator::material::Material;
use tocco::resonator::shape::bar::Support;
use tocco::resonator::shape::{MaterialDef, Place, PlaceOn, ShapeDef, evaluate};
use tocco::{Scene, SceneDef};

const STEEL: Material =
    Material { density_kg_m3: 7800.0, young_pa: 2e11, poisson: 0.3, loss_factor: 1e-3, loss_exponent: 0.0 };
const SUPPORTS: [(&str, Support); 6] = [
    ("free", Support::Free),
    ("clamped-free", Support::ClampedFree),
    ("clamped-clamped", Support::Clamped),
    ("hinged", Support::Hinged),
    ("clamped-hinged", Support::ClampedHinged),
    ("hinged-free", Support::HingedFree),
];

fn bar(support: &str, theory: &str, thickness_m: f64, modes: u32) -> ShapeDef {
    let bar = ShapeDef::new("bar", MaterialDef::Own(STEEL)).unwrap().with_word("support", support);
    let bar = bar.with_word("theory", theory).with_modes(modes);
    bar.with("length_m", 1.0).with("width_m", 0.02).with("thickness_m", thickness_m)
}

fn freqs(def: &ShapeDef) -> Vec<f64> {
    evaluate(def, &[], 1e9).unwrap().bending().iter().map(|mode| mode.freq_hz).collect()
}

#[test]
fn a_thick_free_bar_has_the_first_mode_of_the_standard_for_measuring_moduli() {
    // ASTM E1876, the factor T1 on the square of the thin bar's frequency, after Goens 1931; nu = 0.3.
    for ratio in [0.05, 0.1, 0.15, 0.2] {
        let (x2, nu): (f64, f64) = (ratio * ratio, 0.3);
        let bent = 8.340 * (1.0 + 0.2023 * nu + 2.173 * nu * nu) * x2 * x2;
        let t1 = 1.0 + 6.585 * (1.0 + 0.0752 * nu + 0.8109 * nu * nu) * x2
            - 0.868 * x2 * x2
            - bent / (1.0 + 6.338 * (1.0 + 0.1408 * nu + 1.536 * nu * nu) * x2);
        let (thin, thick) = (freqs(&bar("free", "thin", ratio, 1))[0], freqs(&bar("free", "thick", ratio, 1))[0]);
        let off = thick / thin * t1.sqrt() - 1.0;
        assert!(off.abs() < 2e-3, "{ratio}: {off}");
    }
}

/// Orthonormal Legendre polynomials over a length of 1 with their slopes.
fn legendre(degree: usize, at: f64) -> Vec<(f64, f64)> {
    let x = 2.0 * at - 1.0;
    let (mut p, mut slope) = (vec![1.0, x], vec![0.0, 1.0]);
    for n in 2..=degree {
        let k = n as f64;
        p.push(((2.0 * k - 1.0) * x * p[n - 1] - (k - 1.0) * p[n - 2]) / k);
        slope.push(k * p[n - 1] + x * slope[n - 1]);
    }
    let scaled = |n: usize| (2.0 * n as f64 + 1.0).sqrt();
    (0..=degree).map(|n| (scaled(n) * p[n], 2.0 * scaled(n) * slope[n])).collect()
}

/// Frequencies, Hz, and `phi^2/m` at a place, 1/kg over the mass of the bar, of a bar of length 1 by Ritz; ends are held by stiff springs.
fn by_ritz(support: Support, thickness: f64, at: f64) -> Vec<(f64, f64)> {
    const DEGREE: usize = 22;
    let (n, r) = (DEGREE + 1, thickness / 12.0_f64.sqrt());
    let shear = 5.0 / 6.0 * STEEL.young_pa / 2.6;
    let mut matrix = vec![0.0; 4 * n * n];
    let mut add = |deflection: &[f64], turning: &[f64], weight: f64| {
        let row: Vec<f64> = deflection.iter().copied().chain(turning.iter().map(|x| x / r)).collect();
        for (i, a) in row.iter().enumerate() {
            for (j, b) in row.iter().enumerate() {
                matrix[i * 2 * n + j] += weight * a * b;
            }
        }
    };
    // Gauss's rule by the library's own function would be no other way: a fine midpoint rule in the angle, which is Gauss-Chebyshev.
    let none = vec![0.0; n];
    let steps = 4000;
    for step in 0..steps {
        let angle = PI * (f64::from(step) + 0.5) / f64::from(steps);
        let weight = 0.5 * angle.sin() * PI / f64::from(steps);
        let p = legendre(DEGREE, 0.5 - 0.5 * angle.cos());
        let values: Vec<f64> = p.iter().map(|p| -p.0).collect();
        let slopes: Vec<f64> = p.iter().map(|p| p.1).collect();
        add(&none, &slopes, weight * STEEL.young_pa * r * r);
        add(&slopes, &values, weight * shear);
    }
    let held = match support {
        Support::Free => [[false, false], [false, false]],
        Support::ClampedFree => [[true, true], [false, false]],
        Support::Clamped => [[true, true], [true, true]],
        Support::Hinged => [[true, false], [true, false]],
        Support::ClampedHinged => [[true, true], [true, false]],
        Support::HingedFree => [[true, false], [false, false]],
    };
    for (end, [place, tilt]) in held.into_iter().enumerate() {
        let values: Vec<f64> = legendre(DEGREE, end as f64).iter().map(|p| p.0).collect();
        let stiff = 1e5 * STEEL.young_pa;
        if place {
            add(&values, &none, stiff);
        }
        if tilt {
            add(&none, &values, stiff * r * r);
        }
    }
    let (values, columns) = vectors(&matrix, 2 * n);
    let here: Vec<f64> = legendre(DEGREE, at).iter().map(|p| p.0).collect();
    let one = |(value, column): (&f64, &Vec<f64>)| {
        let phi: f64 = column[..n].iter().zip(&here).map(|(c, p)| c * p).sum();
        ((value.max(0.0) / STEEL.density_kg_m3).sqrt() / (2.0 * PI), phi * phi)
    };
    values.iter().zip(&columns).map(one).collect()
}

#[test]
fn thick_bars_have_the_frequencies_and_weights_that_ritz_finds_for_timoshenkos_energies() {
    for (word, support) in SUPPORTS {
        for thickness in [0.05, 0.2, 0.4] {
            let at = 0.27;
            let place = PlaceOn { name: "here".into(), place: Place::At(vec![at]) };
            let found = evaluate(&bar(word, "thick", thickness, 4), &[place], 1e9).unwrap();
            let mass = STEEL.density_kg_m3 * 0.02 * thickness;
            let wanted: Vec<_> = by_ritz(support, thickness, at).into_iter().filter(|row| row.0 > 1.0).collect();
            for (i, mode) in found.bending().iter().enumerate() {
                // Past the cut-off the end field is a wave: beyond the theory as it is solved here.
                if PI * mode.freq_hz * thickness
                    > 0.8 * (3.0 * 5.0 / 6.0 * STEEL.young_pa / 2.6 / STEEL.density_kg_m3).sqrt()
                {
                    continue;
                }
                let off = mode.freq_hz / wanted[i].0 - 1.0;
                assert!(off.abs() < 1e-3, "{word} {thickness} mode {i}: {} {}", mode.freq_hz, wanted[i].0);
                let weight = found.shapes[0][found.rigid + i].powi(2) / mode.mass_kg * mass;
                assert!((weight - wanted[i].1).abs() < 5e-3, "{word} {thickness} mode {i}: {weight} {}", wanted[i].1);
            }
        }
    }
}

#[test]
fn thin_bodies_of_the_thick_theory_are_those_of_the_thin_one() {
    for (word, _) in SUPPORTS {
        let (thin, thick) = (freqs(&bar(word, "thin", 1e-4, 6)), freqs(&bar(word, "thick", 1e-4, 6)));
        for (thin, thick) in thin.iter().zip(thick) {
            assert!((thick / thin - 1.0).abs() < 1e-5, "{word}: {thin} {thick}");
        }
        let sides = |theory: &str| bar(word, theory, 1e-4, 6);
        let place = [PlaceOn { name: "here".into(), place: Place::At(vec![0.31]) }];
        let [thin, thick] = ["thin", "thick"].map(|theory| evaluate(&sides(theory), &place, 1e9).unwrap());
        for (a, b) in thin.shapes[0].iter().zip(&thick.shapes[0]) {
            assert!((a.abs() - b.abs()).abs() < 1e-4, "{word}: {a} {b}");
        }
    }
    let disc = |theory: &str| {
        let disc = ShapeDef::new("circular-plate", MaterialDef::Own(STEEL)).unwrap().with_word("theory", theory);
        freqs(&disc.with("radius_m", 0.5).with("thickness_m", 1e-4).with_modes(10))
    };
    assert!(disc("thin").iter().zip(disc("thick")).all(|(thin, thick)| (thick / thin - 1.0).abs() < 1e-5));
}

#[test]
fn a_thick_supported_plate_has_the_frequencies_of_the_solid_one() {
    // Srinivas, Rao, Rao, J. Sound Vib. 12, 187 (1970), square, h/a = 0.1, nu = 0.3, as Reddy quotes: omega h sqrt(rho/G), three-dimensional.
    let wanted = [(1, 1, 0.0932), (1, 2, 0.2226), (2, 2, 0.3421), (1, 3, 0.4171), (2, 3, 0.5239)];
    let plate = |theory: &str| {
        let plate =
            ShapeDef::new("rectangular-plate", MaterialDef::Own(STEEL)).unwrap().with_word("edges", "supported");
        let plate = plate.with("length_m", 1.0).with("width_m", 1.0).with("thickness_m", 0.1).with_modes(12);
        evaluate(&plate.with_word("theory", theory), &[], 1e6).unwrap()
    };
    let (thin, thick) = (plate("thin"), plate("thick"));
    let unit = 2.0 * PI * 0.1 * (STEEL.density_kg_m3 * 2.6 / STEEL.young_pa).sqrt();
    for (m, n, wanted) in wanted {
        let of = |solved: &tocco::resonator::shape::Solved| {
            unit * solved.modes.iter().find(|mode| mode.numbers[..2] == [m, n]).unwrap().freq_hz
        };
        assert!((of(&thick) / wanted - 1.0).abs() < 0.01, "{m} {n}: {} {wanted}", of(&thick));
        assert!(of(&thin) > 1.02 * wanted, "{m} {n}: {}", of(&thin));
    }
}

#[test]
fn thick_bodies_of_any_legal_size_have_finite_ascending_modes_and_thicker_ones_are_refused() {
    for (word, _) in SUPPORTS {
        for thickness in [1e-6, 1e-3, 0.1, 0.3, 0.5] {
            let place = [PlaceOn { name: "here".into(), place: Place::At(vec![0.9]) }];
            let solved = evaluate(&bar(word, "thick", thickness, 60), &place, 1e9).unwrap();
            let modes = solved.bending();
            assert!(modes.windows(2).all(|pair| pair[0].freq_hz < pair[1].freq_hz), "{word} {thickness}");
            assert!(modes.iter().all(|mode| mode.mass_kg.is_finite() && mode.mass_kg > 0.0), "{word} {thickness}");
            assert!(solved.shapes[0].iter().all(|x| x.abs() < 5.0), "{word} {thickness}");
        }
    }
    let text = |thickness: f64, more: &str| {
        format!(
            "[body.bar]\ntype = \"shape\"\nshape = \"bar\"\nlength_m = 0.2\nwidth_m = 0.05\nthickness_m = {thickness}\nmaterial = \"oak\"\n{more}\
             [[event]]\nat_s = 0.0\nhit = \"bar\"\nimpulse_n_s = 0.01\n[[tap]]\nof = \"bar\"\n"
        )
    };
    let built = |text: &str| SceneDef::from_text(text).and_then(|def| Scene::build(&def, 48_000.0)).map(|_| ());
    let error = built(&text(0.06, "")).unwrap_err().to_string();
    assert!(error.contains("where the theory ends"), "{error}");
    assert!(built(&text(0.06, "theory = \"thick\"\n")).is_ok());
    let error = built(&text(0.11, "theory = \"thick\"\n")).unwrap_err().to_string();
    assert!(error.contains("0.5 of length_m"), "{error}");
}
