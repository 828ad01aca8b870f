// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bodies by geometry: against textbook tables, their own differential equations, and what the papers say about places.

use tocco::math::{PI, Real, TAU};
use tocco::resonator::material::Material;
use tocco::resonator::shape::{Place, PlaceOn, ShapeDef, Solved, Stuff, evaluate};

/// Density 1, and a modulus of 12 (1 - nu^2): a plate 1 m thick would have D/(rho h) = 1.
fn plain(poisson: Real) -> Stuff {
    let young_pa = 12e6 * (1.0 - poisson * poisson);
    Stuff::Own(Material { density_kg_m3: 1.0, young_pa, poisson, loss_factor: 1e-3, loss_exponent: 0.0 })
}

fn at(points: &[&[Real]]) -> Vec<PlaceOn> {
    points.iter().map(|p| PlaceOn { name: "p".into(), place: Place::At(p.to_vec()) }).collect()
}

fn solve(def: &ShapeDef, points: &[&[Real]]) -> Solved {
    evaluate(def, &at(points), 1e9).unwrap()
}

fn close(found: Real, wanted: Real, share: Real, what: &str) {
    assert!((found / wanted - 1.0).abs() <= share, "{what}: {found}, wanted {wanted}");
}

#[test]
fn circular_membrane_ratios_are_those_of_the_zeros_of_bessel_functions() {
    let drum = ShapeDef::new("circular-membrane", plain(0.3)).unwrap();
    let drum = drum.with("radius_m", 0.2).with("thickness_m", 1e-3).with("freq_hz", 100.0).with_modes(60);
    let solved = solve(&drum, &[&[0.3, 0.1]]);
    // Fletcher, Rossing, fig. 3.6; 000 figure 8.1: (1,1) 1.593 and (1,2) 2.917.
    let wanted = [1.0, 1.593, 2.136, 2.296, 2.653, 2.917, 3.156, 3.5, 3.598, 3.647, 4.06, 4.154];
    let mut ratios: Vec<Real> = solved.modes.iter().map(|m| m.freq_hz / solved.modes[0].freq_hz).collect();
    ratios.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    for (found, wanted) in ratios.iter().zip(wanted) {
        close(*found, wanted, 4e-4, "ratio");
    }
    println!("{ratios:?}");
}

#[test]
fn free_plate() {
    for modes in [20, 60, 200] {
        let plate = ShapeDef::new("rectangular-plate", plain(0.3)).unwrap();
        let plate = plate.with("length_m", 1.0).with("width_m", 1.0).with("thickness_m", 1e-3).with_modes(modes);
        let begun = std::time::Instant::now();
        let solved = solve(&plate, &[&[0.3, 0.1]]);
        println!("{modes} {:?}", begun.elapsed());
        let l: Vec<Real> = solved.modes.iter().map(|m| m.freq_hz * TAU).collect();
        println!("{:.4?}", &l[..10]);
        println!("{:.4?} {:.3} {:.3}", l[19], l[l.len() / 2], l[l.len() - 1]);
    }
    for (word, nu) in [("free", 0.33), ("clamped", 0.3)] {
        let plate = ShapeDef::new("circular-plate", plain(nu)).unwrap();
        let plate = plate.with("radius_m", 1.0).with_word("edge", word).with("thickness_m", 1e-3).with_modes(200);
        let begun = std::time::Instant::now();
        let solved = solve(&plate, &[&[0.3, 0.1]]);
        println!("{word} {:?}", begun.elapsed());
        let l: Vec<Real> = solved.modes.iter().map(|m| m.freq_hz * TAU).collect();
        println!("{:.4?}", &l[..20]);
    }
    let _ = PI;
}
