// SPDX-License-Identifier: MIT OR Apache-2.0
//! Thin cylindrical shells.
//!
//! **What.** A pipe, a tin, a barrel: a wall that bends and stretches, kept round at both ends by thin lids that let it
//! tilt and slide.
//!
//! **Law.** With m half waves along and n waves around, u, v, w along, around and outwards, s = m pi R/L, k = h^2/(12 R^2),
//! Omega^2 = omega^2 R^2 rho (1 - nu^2)/E an eigenvalue of Fluegge's symmetric matrix:
//! - `[cylinder.1]  uu = s^2 + (1-nu)/2 (1+k) n^2`, `uv = -(1+nu)/2 s n`, `uw = -nu s + k (-s^3 + (1-nu)/2 s n^2)`,
//!   `vv = n^2 + (1-nu)/2 (1+3k) s^2`, `vw = n + k (3-nu)/2 s^2 n`, `ww = 1 + k ((s^2 + n^2)^2 - 2 n^2 + 1)`
//! - `[cylinder.2]  phi = 2 sin(m pi x) cos or sin(n angle)`, for n = 0 `sqrt2 sin(m pi x)`; `mass = M (u^2 + v^2 + w^2)/w^2`
//!
//! For s = 0 it is the ring, Omega^2 = k n^2 (n^2-1)^2/(n^2+1). Of the three motions of each m and n the lowest is kept, which
//! bends; for n = 0 the one that breathes. The others move along the wall and lie higher.
//!
//! **Symbols.** R `radius_m`, L `length_m`, h `thickness_m`, M mass of the wall.
//!
//! **Sources.** Fluegge 1934 as in Leissa, *Vibration of shells* (NASA SP-288, 1973), chapter 2.

use super::membrane::{RADIUS, turned};
use super::radiation::{RADIATES, Surface};
use super::{Family, Fault, Given, LENGTH, ShapeMode, Solved, THICKNESS, must};
use crate::math::{PI, Real, TAU, sin};
use crate::param::Kind;
use crate::resonator::eigen::symmetric;

/// The cylindrical shell in scene files.
pub const CYLINDER: Kind = Kind {
    family: "shape",
    id: "cylinder",
    doc: "The wall of a pipe, tin or barrel, kept round at both ends; place: fractions of the length and of a full turn.",
    params: &[],
    rules: &[],
    keys: &[
        must("radius_m", RADIUS, "Radius."),
        must("length_m", LENGTH, "Length."),
        must("thickness_m", THICKNESS, "Thickness of the wall, at most a tenth of the radius."),
        RADIATES,
    ],
};

/// The family of cylindrical shells.
pub(super) const FAMILY: Family = Family {
    kind: &CYLINDER,
    solid: true,
    axes: &["length", "turn"],
    places: &[
        ("off-centre", [0.42, 0.0, 0.0]),
        ("centre", [0.5, 0.0, 0.0]),
        ("quarter", [0.25, 0.0, 0.0]),
        ("end", [0.04, 0.0, 0.0]),
        ("centre-eighth", [0.5, 0.125, 0.0]),
    ],
    solve,
    surface: Some(surface),
};

/// Omega and (u^2 + v^2 + w^2)/w^2 for s, n, nu and k: [cylinder.1].
pub fn mode(s: Real, n: i32, nu: Real, k: Real) -> (Real, Real) {
    let (n_, side) = (Real::from(n), 0.5 * (1.0 - nu));
    let (s2, n2) = (s * s, n_ * n_);
    let uu = s2 + side * (1.0 + k) * n2;
    let uv = -0.5 * (1.0 + nu) * s * n_;
    let uw = -nu * s + k * s * (side * n2 - s2);
    let vv = n2 + side * (1.0 + 3.0 * k) * s2;
    let vw = n_ + 0.5 * k * (3.0 - nu) * s2 * n_;
    let ww = 1.0 + k * ((s2 + n2) * (s2 + n2) - 2.0 * n2 + 1.0);
    let mut outwards = [vec![0.0, 0.0, 1.0]];
    let values = symmetric(vec![uu, uv, uw, uv, vv, vw, uw, vw, ww], 3, &mut outwards);
    let share = |i: usize| outwards[0][i] * outwards[0][i];
    let kept = if n > 0 { 0 } else { (0..3).find(|&i| share(i) >= 0.5).unwrap_or(2) };
    (values[kept].max(0.0).sqrt(), 1.0 / share(kept))
}

fn surface(given: &Given<'_>) -> Result<Surface, Fault> {
    Surface::wall(given, given.need("radius_m")?, given.need("length_m")?, 1)
}

fn solve(given: &Given<'_>) -> Result<Solved, Fault> {
    given.thin("thickness_m", "radius_m", 0.1)?;
    let (radius, length, wall) = (given.need("radius_m")?, given.need("length_m")?, given.need("thickness_m")?);
    let m = given.material;
    let unit_hz = (m.young_pa / (m.density_kg_m3 * (1.0 - m.poisson * m.poisson))).sqrt() / (TAU * radius);
    let k = wall * wall / (fault!(SHELL_BENDING, 12.0, 10.0) * radius * radius);
    let along = |waves: i32| Real::from(waves) * PI * radius / length;
    let at = |waves: i32, n: i32| mode(along(waves), n, m.poisson, k);
    let freq_hz = |waves: i32, n: i32| unit_hz * at(waves, n).0;
    // A longer wave around is a lower ring: beyond the ring at the cap nothing lies below it.
    let ring_hz = |n: i32| unit_hz * mode(0.0, n, m.poisson, k).0;
    let first_hz = (1..40).map(|n| freq_hz(1, n)).fold(freq_hz(1, 0), Real::min);
    let modes = given.lowest(first_hz, |cap| {
        let around = (0..).take_while(|&n| n < 2 || ring_hz(n) < cap);
        let of = |n: i32| {
            let below = (1..).map(move |waves| (freq_hz(waves, n), waves)).take_while(|(freq_hz, _)| *freq_hz < cap);
            let turns = if n == 0 { 0..1 } else { 0..2 };
            below.flat_map(move |(freq_hz, waves)| turns.clone().map(move |turn| (freq_hz, [waves, n, turn])))
        };
        around.flat_map(of).collect()
    });
    let wall_kg = m.density_kg_m3 * wall * TAU * radius * length;
    let row = |&(freq_hz, numbers): &(Real, [i32; 3])| {
        let mass_kg = wall_kg * at(numbers[0], numbers[1]).1; // [cylinder.2]
        ShapeMode { freq_hz, decay_s: 0.0, mass_kg, numbers }
    };
    let value = |numbers: &[i32; 3], at: &[Real; 3]| {
        core::f64::consts::SQRT_2 * sin(Real::from(numbers[0]) * PI * at[0]) * turned(numbers[1], numbers[2], at[1])
    };
    let shape = |at: &[Real; 3]| modes.iter().map(|(_, numbers)| value(numbers, at)).collect();
    Ok(Solved { modes: modes.iter().map(row).collect(), shapes: given.points.iter().map(shape).collect(), rigid: 0 })
}
