// SPDX-License-Identifier: MIT OR Apache-2.0
//! Thin circular plates.
//!
//! **What.** A disc that bends (Kirchhoff), clamped, supported or free at its rim: a cymbal without its bow, a lid, a gong.
//!
//! **Law.** f = L^2/(2 pi R^2) sqrt(D/(rho h)), with w = J_n(L r) + C I_n(L r)/I_n(L) and iota = I_n'(L)/I_n(L):
//! - `[disc.1]  J iota - J' = 0`, `C = -J`: clamped
//! - `[disc.2]  M_J V_I - V_J M_I = 0`, `C = M_J/M_I`: free, where with mu = 1 - nu
//!   `M_J = L^2 J + mu (L J' - n^2 J)`, `M_I = L^2 - mu (L iota - n^2)`,
//!   `V_J = L^3 J' + mu n^2 (L J' - J)`, `V_I = L^3 iota - mu n^2 (L iota - 1)`
//! - `[disc.4]  M_J + J M_I = 0`, `C = -J`: supported, held and free to tilt
//! - `[disc.3]  mean of w^2 = J'^2 + (1 - n^2/L^2) J^2 + C^2 (1 + n^2/L^2 - iota^2) + 2 C (J iota - J')/L`, halved by the
//!   angle where n > 0
//!
//! **Symbols.** L root (lambda), n nodal diameters, J and J' at L, nu `poisson`.
//!
//! **Sources.** Leissa, chapter 2, tables 2.1 and 2.5; Itao, Crandall, J. Applied Mechanics 46 (1979).

use super::bessel::{i_and_slope, j_and_slope, roots};
use super::membrane::{CIRCLE_PLACES, RADIUS, around, rounds};
use super::radiation::{Mount, RADIATES, Surface};
use super::thick::{self, THEORY};
use super::{Family, Fault, Given, HANGS, Point, SWINGS, Solved, THICKNESS, key, must};
use crate::math::{PI, Real, TAU, bessel_j, cos, exp, sin};
use crate::param::{KeyType, Kind};

/// How a disc's rim is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rim {
    /// Not at all.
    #[default]
    Free,
    /// Neither moving nor tilting.
    Clamped,
    /// Not moving, free to tilt.
    Supported,
}

crate::words!(Rim { Free = "free", Clamped = "clamped", Supported = "supported" });

/// The circular plate in scene files.
pub const CIRCULAR_PLATE: Kind = Kind {
    family: "shape",
    id: "circular-plate",
    doc: "A thin circular plate; place: fractions of the radius and of a full turn.",
    params: &[],
    rules: &[],
    keys: &[
        key("edge", KeyType::Word(Rim::WORDS), "How its rim is held, default free."),
        must("radius_m", RADIUS, "Radius."),
        must("thickness_m", THICKNESS, "Thickness, at most a fifth of the radius, four fifths by the thick theory."),
        HANGS,
        SWINGS,
        RADIATES,
        THEORY,
    ],
};

/// The family of circular plates.
pub(super) const FAMILY: Family = Family {
    kind: &CIRCULAR_PLATE,
    solid: true,
    axes: &["radius", "turn"],
    places: CIRCLE_PLACES,
    solve,
    surface: Some(surface),
};

/// Roots with `n` nodal diameters below `most`.
pub fn disc_roots(rim: Rim, poisson: Real, n: i32, most: Real) -> Vec<Real> {
    let from = (0.8 * Real::from(n)).max(1.0);
    roots(|x| edge(rim, poisson, n, x).0, from, most, 0.4)
}

/// What must vanish at the rim, and C.
fn edge(rim: Rim, poisson: Real, n: i32, x: Real) -> (Real, Real) {
    let (j, slope) = j_and_slope(n, x);
    let (_, iota) = i_and_slope(n, x);
    if rim == Rim::Clamped {
        return (j * iota - slope, -j); // [disc.1]
    }
    let (mu, n2) = (fault!(DISC_RIM, 1.0 - poisson, 1.0), Real::from(n) * Real::from(n));
    let m_j = x * x * j + mu * (x * slope - n2 * j);
    let m_i = x * x - mu * (x * iota - n2);
    if rim == Rim::Supported {
        return ((m_j + j * m_i) / (x * x), -j); // [disc.4]
    }
    let v_j = x * x * x * slope + mu * n2 * (x * slope - j);
    let v_i = x * x * x * iota - mu * n2 * (x * iota - 1.0);
    ((m_j * v_i - v_j * m_i) / (x * x * x * x * x), m_j / m_i) // [disc.2]
}

/// Scale, C and I_n(L) e^-L of the shape with mean square 1, for the root `x`.
fn scaled(rim: Rim, poisson: Real, n: i32, x: Real) -> (Real, Real, Real) {
    let (j, slope) = j_and_slope(n, x);
    let (i, iota) = i_and_slope(n, x);
    let (_, c) = edge(rim, poisson, n, x);
    let bend = Real::from(n) * Real::from(n) / (x * x);
    let square =
        slope * slope + (1.0 - bend) * j * j + c * c * (1.0 + bend - iota * iota) + 2.0 * c * (j * iota - slope) / x; // [disc.3]
    (1.0 / square.sqrt(), c, i)
}

/// Shape along the radius, mean square 1 over the disc, for the root `x`.
fn radial(rim: Rim, poisson: Real, n: i32, x: Real) -> impl Fn(Real) -> Real {
    let (scale, c, i) = scaled(rim, poisson, n, x);
    move |r: Real| {
        let grown = if r > 0.0 {
            i_and_slope(n, x * r).0 / i * exp(-x * (1.0 - r))
        } else if n == 0 {
            exp(-x) / i
        } else {
            0.0
        };
        scale * (bessel_j(n, x * r) + c * grown)
    }
}

fn surface(given: &Given<'_>) -> Result<Surface, Fault> {
    Ok(Surface::Round { radius: given.need("radius_m")?, mount: given.mount(Mount::Free) })
}

/// The same with its slope and curvature along the radius, a fraction of it above 0.
pub(super) fn radial_curve(rim: Rim, poisson: Real, n: i32, x: Real) -> impl Fn(Real) -> [Real; 3] {
    let (scale, c, i) = scaled(rim, poisson, n, x);
    let n2 = Real::from(n) * Real::from(n);
    move |r: Real| {
        let z = x * r;
        let ((j, j1), (grown, iota)) = (j_and_slope(n, z), i_and_slope(n, z));
        let grown = c * grown / i * exp(-x * (1.0 - r));
        // Bessel's equations give the curvature.
        let (j2, i2) = (-j1 / z - (1.0 - n2 / (z * z)) * j, -iota / z + (1.0 + n2 / (z * z)));
        [scale * (j + grown), scale * x * (j1 + grown * iota), scale * x * x * (j2 + grown * i2)]
    }
}

fn solve(given: &Given<'_>) -> Result<Solved, Fault> {
    thick::plate(given, solve_thin)
}

fn solve_thin(given: &Given<'_>) -> Result<Solved, Fault> {
    given.thin("thickness_m", "radius_m", given.limit(0.2, 0.8))?;
    let (radius, thickness) = (given.need("radius_m")?, given.need("thickness_m")?);
    let (rim, nu) = (given.word::<Rim>("edge"), given.material.poisson);
    let stiff = super::plate::stiffness(given)?;
    let unit_hz = stiff / (TAU * radius * radius);
    let root = |cap: Real| (cap / unit_hz).sqrt();
    let modes = given.lowest(4.0 * unit_hz, |cap| {
        rounds(|n| 0.8 * Real::from(n) < root(cap), |n| disc_roots(rim, nu, n, root(cap)), |x| x * x * unit_hz)
    });
    let mass_kg = given.material.density_kg_m3 * thickness * PI * radius * radius;
    let solved = around(given, mass_kg, &modes, |n, freq_hz| radial(rim, nu, n, root(freq_hz)));
    if rim != Rim::Free {
        return given.held(solved);
    }
    let gyration = (radius * radius / 4.0 + thickness * thickness / 12.0).sqrt();
    let [along, across] = [cos, sin].map(|of| move |at: &Point| at[0] * radius * of(TAU * at[1]) / gyration);
    Ok(given.hung(mass_kg, &[&|_| 1.0, &along, &across], solved))
}
