// SPDX-License-Identifier: MIT OR Apache-2.0
//! Frequencies and mode shapes of bodies by geometry: against textbook tables and their own differential equations.

use tocco::math::{PI, Real, TAU, gamma};
use tocco::resonator::eigen::symmetric;
use tocco::resonator::material::Material;
use tocco::resonator::shape::bar::{Support, root, value};
use tocco::resonator::shape::cylinder::mode;
use tocco::resonator::shape::disc::{Rim, disc_roots};
use tocco::resonator::shape::{FAMILIES, MaterialDef, Place, PlaceOn, ShapeDef, Solved, evaluate};

/// 1 kg/m^3 and such a modulus that plates and discs 1 mm thick have D/(rho h) = 1 m^4/s^2.
fn plain(poisson: Real) -> MaterialDef {
    let young_pa = 12e6 * (1.0 - poisson * poisson);
    MaterialDef::Own(Material { density_kg_m3: 1.0, young_pa, poisson, loss_factor: 1e-3, loss_exponent: 0.0 })
}

fn shape(id: &str, poisson: Real, values: &[(&str, Real)]) -> ShapeDef {
    let cavity = FAMILIES.iter().any(|family| family.kind.id == id && !family.solid);
    let def = ShapeDef::new(id, if cavity { MaterialDef::Air } else { plain(poisson) }).unwrap();
    values.iter().fold(def, |def, (key, value)| def.with(key, *value))
}

fn solve(def: &ShapeDef, points: &[Vec<Real>]) -> Solved {
    let port = |p: &Vec<Real>| PlaceOn { name: "p".into(), place: Place::At(p.clone()) };
    let ports: Vec<PlaceOn> = points.iter().map(port).collect();
    evaluate(def, &ports, 1e9).unwrap().held_still()
}

/// Frequencies over the first, or over a unit.
fn freqs(def: &ShapeDef, unit_hz: Real) -> Vec<Real> {
    solve(def, &[]).modes.iter().map(|mode| mode.freq_hz / unit_hz).collect()
}

/// The first values of a list, each within a share of what is wanted.
fn follow(found: &[Real], wanted: &[Real], share: Real) {
    assert!(found.len() >= wanted.len(), "{} modes", found.len());
    for (i, (found, wanted)) in found.iter().zip(wanted).enumerate() {
        assert!((found / wanted - 1.0).abs() <= share, "number {}: {found}, the table says {wanted}", i + 1);
    }
}

/// A list in which pairs stand once.
fn once(mut list: Vec<Real>) -> Vec<Real> {
    list.dedup_by(|a, b| (*a / *b - 1.0).abs() < 1e-9);
    list
}

fn sorted(mut list: Vec<Real>) -> Vec<Real> {
    list.sort_by(Real::total_cmp);
    list
}

/// Numbers whose mean over the unit interval is an integral: nodes and weights, composite Gauss.
fn nodes(panels: usize) -> Vec<(Real, Real)> {
    let (x, w) = ([0.112_701_665_379_258_3, 0.5, 0.887_298_334_620_741_7], [5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0]);
    let n = panels as Real;
    (0..panels).flat_map(|i| (0..3).map(move |k| ((i as Real + x[k]) / n, w[k] / n))).collect()
}

#[test]
fn the_kinds_of_shapes_are_the_families() {
    let kinds: Vec<&str> = tocco::scene::kinds::family("shape").map(|kind| kind.id).collect();
    assert_eq!(kinds, FAMILIES.iter().map(|family| family.kind.id).collect::<Vec<_>>());
}

#[test]
fn the_roots_of_bars_are_those_of_the_table_for_every_support() {
    // Blevins, table 8-1.
    let free = [4.730_040_74, 7.853_204_62, 10.995_607_8, 14.137_165_5, 17.278_759_7];
    let clamped_free = [1.875_104_07, 4.694_091_13, 7.854_757_44, 10.995_540_73, 14.137_168_39];
    for k in 1..=20 {
        let k_ = k as Real;
        let (f, c) = (root(Support::Free, k), root(Support::ClampedFree, k));
        follow(&[f], &[free.get(k - 1).copied().unwrap_or((k_ + 0.5) * PI)], 1e-8);
        follow(&[c], &[clamped_free.get(k - 1).copied().unwrap_or((k_ - 0.5) * PI)], 1e-8);
        assert_eq!(root(Support::Clamped, k), f);
        let hinged = [3.926_602_31, 7.068_582_75, 10.210_176_12, 13.351_768_78, 16.493_361_43];
        let h = root(Support::ClampedHinged, k);
        follow(&[h], &[hinged.get(k - 1).copied().unwrap_or((k_ + 0.25) * PI)], 1e-8);
        assert!((h.tan() - h.tanh()).abs() < 1e-11 && root(Support::HingedFree, k) == h);
        assert_eq!(root(Support::Hinged, k), k_ * PI);
        assert!(
            (f.cos() * f.cosh() - 1.0).abs() < 1e-12 * f.cosh() && (c.cos() * c.cosh() + 1.0).abs() < 1e-12 * c.cosh()
        );
    }
    // A steel bar 30 cm by 5 mm: f = beta^2/(2 pi L^2) sqrt(E t^2/(12 rho)), by hand.
    let steel = Material::named("steel").unwrap().material;
    let bar = ShapeDef::new("bar", MaterialDef::Named("steel")).unwrap();
    let bar = bar.with("length_m", 0.3).with("width_m", 0.03).with("thickness_m", 0.005);
    let by_hand = 22.3733 / (TAU * 0.09) * (steel.young_pa * 25e-6 / (12.0 * steel.density_kg_m3)).sqrt();
    let solved = solve(&bar, &[]);
    follow(&[solved.modes[0].freq_hz, solved.modes[0].mass_kg], &[by_hand, steel.density_kg_m3 * 4.5e-5], 1e-5);
    let decay_s = steel.q(by_hand) / (PI * by_hand); // [shape.2]
    follow(&[solved.modes[0].decay_s], &[decay_s], 1e-5);
}

#[test]
fn shapes_of_bars_obey_their_equation_and_are_orthonormal_up_to_mode_forty() {
    use Support::*;
    for support in [Free, ClampedFree, Clamped, Hinged, ClampedHinged, HingedFree] {
        for k in [1, 2, 7, 40] {
            let b = root(support, k);
            let h = 0.05 / b;
            for x in [0.13, 0.5, 0.71, 0.93] {
                let at = |i: Real| value(support, b, x + i * h);
                let fourth = (at(-2.0) + at(2.0) - 4.0 * (at(-1.0) + at(1.0)) + 6.0 * at(0.0)) / (h * h * h * h);
                assert!((fourth / (b * b * b * b) - at(0.0)).abs() < 2e-3, "{support:?} {k} {x}");
            }
            // The end of a free bar moves twice as far as the root of its mean square.
            let ends = [value(support, b, 0.0).abs(), value(support, b, 1.0).abs()];
            let wanted = match support {
                Support::Free => [2.0, 2.0],
                Support::ClampedFree | Support::HingedFree => [0.0, 2.0],
                _ => [0.0, 0.0],
            };
            assert!((ends[0] - wanted[0]).abs() < 1e-9 && (ends[1] - wanted[1]).abs() < 1e-9, "{support:?} {ends:?}");
        }
        let nodes = nodes(120);
        for (i, j) in [(1, 1), (1, 2), (3, 3), (3, 7), (39, 40), (40, 40)] {
            let product = |x: Real| value(support, root(support, i), x) * value(support, root(support, j), x);
            let mean: Real = nodes.iter().map(|(x, w)| w * product(*x)).sum();
            assert!((mean - if i == j { 1.0 } else { 0.0 }).abs() < 1e-4, "{support:?} {i} {j}: {mean}");
        }
    }
}

#[test]
fn partials_of_a_stiff_string_follow_the_textbook_and_the_first_has_the_pitch_asked_for() {
    let wire = |freq: &str, value: Real| {
        let wire = ShapeDef::new("string", MaterialDef::Named("steel")).unwrap().with("length_m", 0.65);
        wire.with("diameter_m", 1e-3).with(freq, value)
    };
    let steel = Material::named("steel").unwrap().material;
    let found = freqs(&wire("tension_n", 700.0), 1.0);
    // B = pi^3 E d^4/(64 T L^2), Fletcher and Rossing (2.67).
    let b = PI * PI * PI * steel.young_pa * 1e-12 / (64.0 * 700.0 * 0.65 * 0.65);
    let f0 = (700.0 / (steel.density_kg_m3 * PI * 0.25e-6)).sqrt() / 1.3;
    let wanted: Vec<Real> = (1..=20).map(Real::from).map(|n: Real| n * f0 * (1.0 + b * n * n).sqrt()).collect();
    follow(&found, &wanted, 1e-12);
    follow(&freqs(&wire("freq_hz", 196.0), 1.0), &[196.0], 1e-12);
    let ideal = freqs(&wire("freq_hz", 196.0).with_word("stiffness", "ideal"), 196.0);
    follow(&ideal, &(1..=20).map(Real::from).collect::<Vec<_>>(), 1e-12);
}

#[test]
fn rectangular_membranes_and_supported_plates_have_the_frequencies_of_their_closed_forms() {
    let (a, b) = (0.4, 0.27);
    let squares = |m: i32, n: i32| Real::from(m * m) / (a * a) + Real::from(n * n) / (b * b);
    let all: Vec<Real> = (1..60).flat_map(|m| (1..60).map(move |n| squares(m, n))).collect();
    let all = sorted(all);
    let sides = [("length_m", a), ("width_m", b), ("thickness_m", 1e-3)];
    let skin = shape("rectangular-membrane", 0.3, &sides).with("tension_n_m", 90.0);
    let c = (90.0_f64 / 1e-3).sqrt();
    follow(&freqs(&skin, 1.0), &all[..60].iter().map(|s| 0.5 * c * s.sqrt()).collect::<Vec<_>>(), 1e-12);
    let plate = shape("rectangular-plate", 0.3, &sides).with_word("edges", "supported");
    follow(&freqs(&plate, 1.0), &all[..60].iter().map(|s| 0.5 * PI * s).collect::<Vec<_>>(), 1e-12);
}

#[test]
fn circular_membrane_frequencies_are_the_zeros_of_bessel_functions() {
    let drum = shape("circular-membrane", 0.3, &[("radius_m", 0.2), ("thickness_m", 1e-3), ("freq_hz", 100.0)]);
    let found = once(freqs(&drum.with_modes(80), 100.0 / 2.404_825_557_7));
    // Abramowitz, Stegun, table 9.5.
    let wanted = [
        2.40483, 3.83171, 5.13562, 5.52008, 6.38016, 7.01559, 7.58834, 8.41724, 8.65373, 8.77148, 9.76102, 9.93611,
        10.17347, 11.06471, 11.08637, 11.61984, 11.79153, 12.22509, 12.33860, 13.01520,
    ];
    follow(&found, &wanted, 1e-5);
    // Avanzini et al. 2003 figure 8.1.
    follow(&[found[1] / found[0], found[5] / found[0]], &[1.593, 2.917], 3e-4);
}

#[test]
fn discs_have_the_frequencies_of_leissas_tables() {
    let disc = |word: &str, nu: Real| {
        let disc = shape("circular-plate", nu, &[("radius_m", 1.0), ("thickness_m", 1e-3)]).with_word("edge", word);
        once(freqs(&disc.with_modes(60), 1.0 / TAU))
    };
    // Leissa, table 2.1.
    let clamped =
        [10.2158, 21.26, 34.88, 39.771, 51.04, 60.82, 69.6659, 84.58, 89.104, 90.739, 111.01, 114.2126, 120.08];
    follow(&disc("clamped", 0.3), &clamped, 1e-3);
    // Leissa, table 2.5, nu = 0.33; his own source rounds: 9.084 has since been computed as 9.069 (Itao, Crandall 1979).
    let free = [5.253, 9.084, 12.23, 20.52, 21.6];
    follow(&disc("free", 0.33), &free, 4e-3);
    follow(&disc("free", 0.33), &[5.2620, 9.0689, 12.2439, 20.5131, 21.5272], 1e-4);
    // Leissa, table 2.3: supported, nu = 0.3.
    follow(&disc("supported", 0.3), &[4.977, 13.94, 25.65, 29.76], 1e-2);
    // The frequency equation as he writes it, J_(n+1)/J_n + I_(n+1)/I_n = 2 L/(1 - nu), by power series.
    let series = |n: i32, x: Real, sign: Real| {
        let half = 0.5 * x;
        let mut term = (1..=n).fold(1.0, |product, k| product * half / Real::from(k));
        let mut sum = term;
        for k in 1..200 {
            term *= sign * half * half / (Real::from(k) * Real::from(k + n));
            sum += term;
        }
        sum
    };
    for (n, first) in [(0, 2.0), (1, 3.0), (2, 4.5), (5, 8.0)] {
        for nu in [0.0, 0.3, 0.49] {
            let off = |x: Real| {
                let part = |sign: Real| series(n + 1, x, sign) / series(n, x, sign);
                part(-1.0) + part(1.0) - 2.0 * x / (1.0 - nu)
            };
            let (mut low, mut high) = (first, first);
            while off(low) * off(high) > 0.0 || off(high).abs() > 50.0 {
                (low, high) = (high, high + 0.01);
            }
            for _ in 0..80 {
                let middle = 0.5 * (low + high);
                if off(low) * off(middle) <= 0.0 { high = middle } else { low = middle }
            }
            follow(&disc_roots(Rim::Supported, nu, n, high + 0.5)[..1], &[low], 1e-9);
        }
    }
}

#[test]
fn cylindrical_shells_have_the_frequencies_of_rings_beams_and_published_tables() {
    // L/R = 20, h/R = 0.01, nu = 0.3, one half wave along, 1 to 6 around; Lam and Loy 1995, as often quoted.
    let k = 1e-4 / 12.0;
    let table = [0.016_102, 0.009_387, 0.022_108, 0.042_096, 0.068_008, 0.099_730];
    let found: Vec<Real> = (1..=6).map(|n| mode(PI / 20.0, n, 0.3, k).0).collect();
    follow(&found, &table, 1e-3);
    // A long one is a ring for n > 1, by hand.
    for n in 2..8 {
        let n2 = Real::from(n * n);
        let ring = (k * n2 * (n2 - 1.0) * (n2 - 1.0) / (n2 + 1.0)).sqrt();
        follow(&[mode(1e-4, n, 0.3, k).0], &[ring], 1e-4);
    }
    // With one wave around it is a slender beam, f = pi/2 sqrt(E I/(rho A))/L^2 with I/A = R^2/2.
    let s: Real = 0.02;
    follow(&[mode(s, 1, 0.3, k).0], &[s * s * (0.5_f64 * (1.0 - 0.09)).sqrt()], 2e-3);
    // Its mass: a ring that does not stretch moves around by 1/n of the way outwards, a beam as much to the side.
    for n in 1..6 {
        follow(&[mode(1e-3, n, 0.3, k).1], &[1.0 + 1.0 / Real::from(n * n)], 2e-3);
    }
    // The lowest kept are the lowest there are.
    let tin = shape("cylinder", 0.3, &[("radius_m", 0.05), ("length_m", 0.12), ("thickness_m", 1e-3)]).with_modes(60);
    let found = freqs(&tin, 1.0);
    let unit_hz = (12e6 * (1.0 - 0.09) / (1.0 - 0.09) as Real).sqrt() / (TAU * 0.05);
    let k = 1e-6 / (12.0 * 0.0025);
    let mut all: Vec<Real> = Vec::new();
    for (waves, n) in (1..60).flat_map(|waves| (0..60).map(move |n| (waves, n))) {
        let freq_hz = unit_hz * mode(Real::from(waves) * PI * 0.05 / 0.12, n, 0.3, k).0;
        all.extend(vec![freq_hz; if n == 0 { 1 } else { 2 }]);
    }
    follow(&found, &sorted(all)[..60], 1e-12);
}

#[test]
fn clamped_plates_have_the_frequencies_of_leissas_tables() {
    let plate = |length: Real, modes: u32| {
        let sides = [("length_m", length), ("width_m", 1.0), ("thickness_m", 1e-3)];
        freqs(&shape("rectangular-plate", 0.3, &sides).with_word("edges", "clamped").with_modes(modes), 1.0 / TAU)
    };
    // Leissa, J. Sound Vib. 31 (1973): square, and two to three; upper bounds, as ours are.
    let square = [35.992, 73.413, 73.413, 108.27, 131.64, 132.24];
    follow(&plate(1.0, 6), &square, 1e-3);
    let oblong: Vec<Real> = [27.010, 41.716, 66.143, 66.552, 79.850, 100.85].iter().map(|x| x * 2.25).collect();
    follow(&plate(2.0 / 3.0, 6), &oblong, 1e-3);
    // More modes asked for: more functions, and no mode rises.
    for (few, many) in plate(1.0, 6).iter().zip(plate(1.0, 200)) {
        assert!(many <= few * (1.0 + 1e-9) && many > few * (1.0 - 1e-3), "{few} {many}");
    }
    // A long one is a clamped bar across, but for the stiffness 1 - nu^2 and its ends.
    let long = plate(10.0, 1);
    follow(&long, &[22.3733], 2e-2);
}

#[test]
fn discs_obey_the_plate_equation_and_their_boundary_conditions() {
    for (word, nu) in [("clamped", 0.3), ("free", 0.33), ("free", 0.0), ("supported", 0.3)] {
        let disc = shape("circular-plate", nu, &[("radius_m", 1.0), ("thickness_m", 1e-3)]);
        let disc = disc.with_word("edge", word).with_modes(60);
        let h = 2e-3;
        let edge: Vec<Vec<Real>> = (0..8).map(|i| vec![1.0 - 1e-6 - h * Real::from(i), 0.0]).collect();
        let middle: Vec<Vec<Real>> = (-3..=3).map(|i| vec![0.6 + 4.0 * h * Real::from(i), 0.0]).collect();
        let solved = solve(&disc, &[edge, middle].concat());
        for (k, mode) in solved.modes.iter().enumerate().filter(|(_, mode)| mode.numbers[2] == 0) {
            let at = |i: usize| solved.shapes[i][k];
            let n2 = Real::from(mode.numbers[0] * mode.numbers[0]);
            // One-sided differences of fourth order, against the size of the terms.
            let first = (25.0 * at(0) - 48.0 * at(1) + 36.0 * at(2) - 16.0 * at(3) + 3.0 * at(4)) / (12.0 * h);
            let second = (45.0 * at(0) - 154.0 * at(1) + 214.0 * at(2) - 156.0 * at(3) + 61.0 * at(4) - 10.0 * at(5))
                / (12.0 * h * h);
            let lambda2 = TAU * mode.freq_hz;
            let miss = match word {
                "clamped" => at(0).abs() + first.abs() / lambda2.sqrt(),
                "supported" => at(0).abs() + (second + nu * (first - n2 * at(0))).abs() / lambda2,
                _ => (second + nu * (first - n2 * at(0))).abs() / lambda2,
            };
            assert!(miss < 2e-4, "{word} {:?}: {miss}", mode.numbers);
            // (laplace - lambda^2)(laplace + lambda^2) w = 0: w'' + w'/r - n^2 w/r^2, twice.
            let (r, d) = (0.6, 4.0 * h);
            let w = |i: i32| at((11 + i) as usize);
            let laplace = |i: i32, f: &dyn Fn(i32) -> Real| {
                let r = r + d * Real::from(i);
                (f(i + 1) - 2.0 * f(i) + f(i - 1)) / (d * d) + (f(i + 1) - f(i - 1)) / (2.0 * d * r)
                    - n2 * f(i) / (r * r)
            };
            let twice = laplace(0, &|i| laplace(i, &w));
            assert!((twice / (lambda2 * lambda2) - w(0)).abs() < 4e-3, "{word} {:?}: {twice}", mode.numbers);
        }
    }
}

#[test]
fn the_free_square_plate_is_within_a_ten_thousandth_of_the_converged_table_and_below_leissas_upper_bounds() {
    let plate = shape("rectangular-plate", 0.3, &[("length_m", 1.0), ("width_m", 1.0), ("thickness_m", 1e-3)]);
    let found = freqs(&plate.clone().with_modes(20), 1.0 / TAU);
    // Hurlebaus, Gaul, Wang, J. Sound Vib. 244, 747 (2001), an exact series: from memory, and what an independent Ritz
    // computation gives (13.4682, 19.5961, 24.2702, 34.8009, 61.0932, 63.6861, 69.2654, 77.1717).
    let wanted = [13.468, 19.596, 24.270, 34.801, 34.801, 61.093, 61.093, 63.687, 69.265, 77.172];
    follow(&found, &wanted, 1e-4);
    // NAFEMS FV12, as two manuals quote it: 10 m by 10 m by 50 mm, 200 GPa, 0.3, 8000 kg/m^3; Hz to four digits.
    let unit = TAU * 100.0 / (200e9 * 0.05 * 0.05 / (12.0 * 8000.0 * 0.91_f64)).sqrt();
    follow(&found, &[1.622, 2.360, 2.922].map(|freq_hz| freq_hz * unit), 3e-4);
    // Apaipong, Sompornjaroensuk 2015, table A1, as quoted: over the first.
    let ratios: Vec<Real> = found[1..4].iter().map(|freq| freq / found[0]).collect();
    follow(&ratios, &[1.456, 1.803, 2.584], 1e-3);
    // Leissa's upper bounds; the first four read, to four digits, in code_aster's V2.03.001.
    for (found, leissa) in found.iter().zip([13.489, 19.789, 24.432, 35.024, 35.024, 61.526]) {
        assert!(*found < leissa && *found > 0.989 * leissa, "{found} {leissa}");
    }
    // A larger basis moves the first twenty by less than the stated 0.05 %, and the last of sixty by less than 1 %.
    let large = freqs(&plate.clone().with_modes(400), 1.0 / TAU);
    follow(&found, &large[..20], 5e-4);
    follow(&freqs(&plate.clone().with_modes(60), 1.0 / TAU), &large[..60], 1e-2);
    follow(&freqs(&plate.clone().with_modes(200), 1.0 / TAU), &large[..200], 1e-2);
    // As many modes as the key promises: the lowest stay where they are, the last lie where Weyl's law has them.
    let all = freqs(&plate.clone().with_modes(1000), 1.0 / TAU);
    assert_eq!(all.len(), 1000);
    follow(&all[..20], &large[..20], 5e-4);
    follow(&all[..300], &large[..300], 1e-2);
    let weyl = (all[999] / (4.0 * PI) + all[999].sqrt() / PI) / 1000.0;
    assert!((weyl - 1.0).abs() < 0.05, "{weyl}");
    // A tenfold long plate bends as a bar, a little stiffer for its width: between E and E/(1 - nu^2).
    let long = shape("rectangular-plate", 0.3, &[("length_m", 10.0), ("width_m", 1.0), ("thickness_m", 1e-3)]);
    let first = freqs(&long.with_modes(30), 22.3733 / (TAU * 100.0))[0];
    assert!(first > (1.0_f64 - 0.09).sqrt() * 0.999 && first < 1.0, "{first}");
}

#[test]
fn every_flat_body_has_orthonormal_shapes() {
    let sides = [("length_m", 0.4), ("width_m", 0.3), ("thickness_m", 1e-3)];
    let round = [("radius_m", 0.3), ("thickness_m", 1e-3)];
    let bodies = [
        (shape("rectangular-membrane", 0.3, &sides).with("freq_hz", 100.0), false),
        (shape("rectangular-plate", 0.3, &sides), false),
        (shape("rectangular-plate", 0.3, &sides).with_word("edges", "supported"), false),
        (shape("rectangular-plate", 0.3, &sides).with_word("edges", "clamped"), false),
        (shape("circular-membrane", 0.3, &round).with("freq_hz", 100.0), true),
        (shape("circular-plate", 0.33, &round), true),
        (shape("circular-plate", 0.33, &round).with_word("edge", "clamped"), true),
        (shape("circular-plate", 0.33, &round).with_word("edge", "supported"), true),
    ];
    for (def, is_round) in bodies {
        let (x, y) = (nodes(10), nodes(29));
        let points: Vec<Vec<Real>> = x.iter().flat_map(|a| y.iter().map(move |b| vec![a.0, b.0])).collect();
        let weights: Vec<Real> =
            x.iter().flat_map(|a| y.iter().map(move |b| a.1 * b.1 * if is_round { 2.0 * a.0 } else { 1.0 })).collect();
        let solved = solve(&def.clone().with_modes(24), &points);
        for i in 0..24 {
            for j in 0..=i {
                let mean: Real =
                    solved.shapes.iter().zip(&weights).map(|(shape, weight)| weight * shape[i] * shape[j]).sum();
                let wanted = if i == j { 1.0 } else { 0.0 };
                assert!((mean - wanted).abs() < 2e-3, "{} {i} {j}: {mean}", def.kind.id);
            }
        }
    }
}

#[test]
fn cavities_have_the_frequencies_of_their_closed_forms_and_tables() {
    let (a, b, h) = (0.7, 0.5, 0.31);
    let room = shape("box", 0.3, &[("length_m", a), ("width_m", b), ("height_m", h)]);
    let mut wanted = Vec::new();
    for l in 0..30 {
        for m in 0..30 {
            for n in 0..30 {
                let square = |n: i32, side: Real| Real::from(n * n) / (side * side);
                wanted.push(171.6 * (square(l, a) + square(m, b) + square(n, h)).sqrt());
            }
        }
    }
    follow(&freqs(&room, 1.0), &sorted(wanted)[1..61], 1e-12);
    // ka of a rigid sphere, Moldover, Mehl, Greenspan (1986), each with its 2n + 1 modes.
    let ball = shape("sphere", 0.3, &[("radius_m", 0.2)]);
    let table =
        [(2.0816, 3), (3.3421, 5), (4.4934, 1), (4.5141, 7), (5.6467, 9), (5.9404, 3), (6.7565, 11), (7.2899, 5)];
    let wanted: Vec<Real> = table.iter().flat_map(|&(ka, count)| vec![ka; count]).collect();
    follow(&freqs(&ball, 343.2 / (TAU * 0.2)), &wanted, 2e-5);
    // An open end reaches 0.6133 radii further.
    let tube = |word: &str| {
        let tube = shape("tube", 0.3, &[("length_m", 0.6), ("radius_m", 0.02)]).with_word("ends", word);
        freqs(&tube, 343.2)
    };
    let (one, two) = (0.6 + 0.012266, 0.6 + 2.0 * 0.012266);
    let list = |f: &dyn Fn(Real) -> Real| (1..=20).map(|k| f(Real::from(k))).collect::<Vec<_>>();
    follow(&tube("open-open"), &list(&|k| k / (2.0 * two)), 1e-12);
    follow(&tube("open-closed"), &list(&|k| (2.0 * k - 1.0) / (4.0 * one)), 1e-12);
    follow(&tube("closed-closed"), &list(&|k| k / 1.2), 1e-12);
}

#[test]
fn modes_of_the_sphere_obey_the_wave_equation_and_do_not_cross_its_wall() {
    let ball = shape("sphere", 0.3, &[("radius_m", 1.0)]);
    let polar = |p: [Real; 3]| {
        let across = p[0].hypot(p[1]);
        let turn = p[1].atan2(p[0]) / TAU;
        vec![p[0].hypot(p[1]).hypot(p[2]), across.atan2(p[2]) / PI, turn - turn.floor()]
    };
    let (centre, h) = ([0.31, -0.42, 0.27], 0.01);
    let mut points = vec![polar(centre)];
    for axis in 0..3 {
        for side in [-h, h] {
            let mut p = centre;
            p[axis] += side;
            points.push(polar(p));
        }
    }
    points.extend([0.0, 1.0, 2.0].map(|i| vec![1.0 - 0.001 * i, 0.37, 0.13]));
    let solved = solve(&ball.with_modes(60), &points);
    for (k, mode) in solved.modes.iter().enumerate() {
        let at = |i: usize| solved.shapes[i][k];
        let laplace = ((1..7).map(at).sum::<Real>() - 6.0 * at(0)) / (h * h);
        let wave = TAU * mode.freq_hz / 343.2;
        assert!((laplace / (wave * wave) + at(0)).abs() < 2e-3, "{:?}", mode.numbers);
        let slope = (3.0 * at(7) - 4.0 * at(8) + at(9)) / 0.002;
        assert!(slope.abs() < 1e-3 * wave * wave, "{:?}: {slope}", mode.numbers);
    }
}

#[test]
fn air_blown_into_a_box_raises_the_pressure_that_the_wave_equation_says() {
    use tocco::resonator::Resonator;
    use tocco::resonator::modal::{Modal, ModalParams};
    // A puff of V m^3 at one end of a long narrow box sends a plane wave of flow V/t both ways off the closed end: the pressure
    // rho c U/A, U = V/t, passes the middle at L/(2c). F = rho c U, v = p/(rho c) [cavity.1].
    let (length, side, c, rho) = (2.0, 0.02, 343.2, 1.204);
    let duct = shape("box", 0.3, &[("length_m", length), ("width_m", side), ("height_m", side), ("loss_factor", 1e-6)]);
    let solved = solve(&duct.with_modes(60), &[vec![0.0, 0.5, 0.5], vec![0.5, 0.5, 0.5]]);
    let table: Vec<_> = solved.modes.iter().map(|m| (m.freq_hz, m.decay_s, m.mass_kg)).collect();
    follow(&[table[0].2], &[rho * length * side * side], 1e-12);
    let h = 1.0 / 96_000.0;
    let mut body = Modal::new(ModalParams::default(), &table, &solved.shapes, h, true);
    body.attend();
    let (flow, blown_s) = (1e-5, 1e-3);
    let mut pressure = Vec::new();
    for tick in 0..(0.0035 / h) as usize {
        let t = tick as Real * h;
        // A raised cosine, so that sixty modes can follow it.
        let shape = if t < blown_s { 0.5 * (1.0 - (TAU * t / blown_s).cos()) } else { 0.0 };
        body.push(0, rho * c * flow * shape);
        body.commit();
        pressure.push(rho * c * body.velocity(1));
    }
    // The static part, which is left out, is a slow ramp to rho c^2 V_puff/V; add it back.
    let ramp = rho * c * c / (length * side * side);
    let mut blown = 0.0;
    let heard: Vec<Real> = (0..pressure.len())
        .map(|tick| {
            let t = tick as Real * h;
            blown += if t < blown_s { 0.5 * flow * h * (1.0 - (TAU * t / blown_s).cos()) } else { 0.0 };
            pressure[tick] + ramp * blown
        })
        .collect();
    let peak = heard.iter().copied().fold(0.0, Real::max);
    follow(&[peak], &[rho * c * flow / (side * side)], 0.01);
    let when = heard.iter().position(|p| *p == peak).unwrap() as Real * h;
    follow(&[when], &[length / (2.0 * c) + 0.5 * blown_s], 0.01);
}

/// Frequencies k of the cavity |x|^p + |y|^p + |z|^p < 1, by Ritz with monomials, whose integrals are Dirichlet's.
fn superball(p: Real, degree: usize) -> Vec<Real> {
    let integral = |a: usize, b: usize, c: usize| {
        let g = |n: usize| gamma((n as Real + 1.0) / p);
        g(a) * g(b) * g(c) / (p * p * p * gamma(1.0 + ((a + b + c) as Real + 3.0) / p))
    };
    let mut found = Vec::new();
    for class in 0..8 {
        let odd = [class & 1, class >> 1 & 1, class >> 2 & 1];
        let mut basis = Vec::new();
        for a in (odd[0]..=degree).step_by(2) {
            for b in (odd[1]..=degree - a.min(degree)).step_by(2) {
                basis.extend((odd[2]..=(degree - a).saturating_sub(b)).step_by(2).map(|c| [a, b, c]));
            }
        }
        let n = basis.len();
        let (mut mass, mut stiff) = (vec![0.0; n * n], vec![0.0; n * n]);
        for (i, u) in basis.iter().enumerate() {
            for (j, v) in basis.iter().enumerate() {
                let s: [usize; 3] = std::array::from_fn(|axis| u[axis] + v[axis]);
                mass[i * n + j] = integral(s[0], s[1], s[2]);
                for axis in 0..3 {
                    if u[axis] * v[axis] > 0 {
                        let mut t = s;
                        t[axis] -= 2;
                        stiff[i * n + j] += (u[axis] * v[axis]) as Real * integral(t[0], t[1], t[2]);
                    }
                }
            }
        }
        // Cholesky of the mass, then the matrix of the stiffness between its columns.
        for j in 0..n {
            for i in j..n {
                let sum: Real = (0..j).map(|k| mass[i * n + k] * mass[j * n + k]).sum();
                let rest = mass[i * n + j] - sum;
                mass[i * n + j] = if i == j { rest.sqrt() } else { rest / mass[j * n + j] };
            }
        }
        for _ in 0..2 {
            for column in 0..n {
                for i in 0..n {
                    let sum: Real = (0..i).map(|k| mass[i * n + k] * stiff[k * n + column]).sum();
                    stiff[i * n + column] = (stiff[i * n + column] - sum) / mass[i * n + i];
                }
            }
            stiff = (0..n * n).map(|i| stiff[(i % n) * n + i / n]).collect();
        }
        found.extend(symmetric(stiff, n, &mut []).iter().map(|square| square.max(0.0).sqrt()));
    }
    sorted(found)[1..].to_vec()
}

#[test]
fn between_cube_and_sphere_both_ends_are_exact_and_the_middle_is_near_a_rounded_body() {
    let c = 343.2;
    let body = |w: Real| shape("rounded-box", 0.3, &[("size_m", 0.4), ("roundness_01", w)]).with_modes(60);
    let cube = shape("box", 0.3, &[("length_m", 0.4), ("width_m", 0.4), ("height_m", 0.4)]).with_modes(60);
    let ball = shape("sphere", 0.3, &[("radius_m", 0.2)]).with_modes(60);
    follow(&freqs(&body(0.0), 1.0), &freqs(&cube, 1.0), 1e-12);
    follow(&freqs(&body(1.0), 1.0), &freqs(&ball, 1.0), 1e-12);
    // The computation knows both ends as well.
    let unit_hz = c / (TAU * 0.2);
    follow(&superball(2.0, 10)[..20], &freqs(&ball, unit_hz)[..20], 1e-3);
    // p = 4 has the volume of w = 0.398.
    let volume = 8.0 * gamma(1.25) * gamma(1.25) * gamma(1.25) / gamma(1.75);
    let w = (8.0 - volume) / (8.0 - 4.0 / 3.0 * PI);
    let (ours, theirs) = (freqs(&body(w), unit_hz), superball(4.0, 10));
    let worst = ours.iter().zip(&theirs).take(20).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, Real::max);
    println!("{w} {worst} {:.3?} {:.3?}", &ours[..20], &theirs[..20]);
    assert!(worst < 0.05, "{worst}");
    // Shapes stay scaled and continuous.
    for pair in [0.0, 0.25, 0.5, 0.75, 1.0].windows(2) {
        let [a, b] = [body(pair[0]), body(pair[1])].map(|def| freqs(&def, 1.0));
        assert!(a.iter().zip(&b).all(|(a, b)| (b / a - 1.0).abs() < 0.3));
    }
}

#[test]
fn glasses_follow_french_and_bells_their_founders() {
    // French (1983): f = 1/(2 pi) sqrt(3 E/(5 rho)) h/R^2 sqrt(1 + 4/3 (R/H)^4).
    let glass = Material::named("glass").unwrap().material;
    let bowl = ShapeDef::new("bowl", MaterialDef::Named("glass")).unwrap();
    let bowl = bowl.with("radius_m", 0.035).with("height_m", 0.08).with("thickness_m", 1e-3);
    let french = (0.6 * glass.young_pa / glass.density_kg_m3).sqrt() * 1e-3 / (TAU * 0.035 * 0.035)
        * (1.0 + 4.0 / 3.0 * (0.035_f64 / 0.08).powi(4)).sqrt();
    let found = solve(&bowl, &[]);
    follow(&[found.modes[0].freq_hz], &[french], 1e-3);
    let ring = |n: Real| (n * n - 1.0) / (1.0 + 1.0 / (n * n)).sqrt();
    // High modes do not feel the stem: the ring's law.
    let ratio = found.modes[12].freq_hz / found.modes[10].freq_hz;
    follow(&[ratio], &[ring(8.0) / ring(7.0)], 1e-3);
    follow(&[found.modes[0].mass_kg], &[1.25 * glass.density_kg_m3 * 1e-3 * TAU * 0.035 * 0.08], 1e-12);
    let bell =
        ShapeDef::new("bell", MaterialDef::Named("bronze")).unwrap().with("freq_hz", 440.0).with("mass_kg", 300.0);
    let partials = [0.5, 1.0, 1.2, 1.5, 2.0, 2.5, 2.667, 3.0, 4.0, 5.333, 6.667, 8.0];
    let found = once(freqs(&bell, 440.0));
    follow(&found, &partials, 2e-4);
    // A bell of the Westerkerk, its deciem not measured: Harrison, MacConnachie, J. Acoust. Soc. Am. 156 (2024), data.
    follow(&found[..5], &[0.497, 1.0, 1.194, 1.5, 1.992], 0.04);
    follow(&found[6..], &[2.588, 2.986, 4.129, 5.381, 6.721], 0.04);
}
