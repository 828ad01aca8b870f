// SPDX-License-Identifier: MIT OR Apache-2.0
//! Thin rectangular plates.
//!
//! **What.** A plate that bends (Kirchhoff), its four edges supported, clamped or free.
//!
//! **Law.** With D = E h^3/(12 (1 - nu^2)):
//! - `[plate.1]  f = pi/2 sqrt(D/(rho h)) ((m/a)^2 + (n/b)^2)`, `phi = 2 sin(m pi x) sin(n pi y)`, edges supported
//!
//! Free and clamped edges: `ritz`.
//!
//! **Symbols.** h `thickness_m`, a `length_m`, b `width_m`.
//!
//! **Sources.** Leissa, chapter 4; Fletcher, Rossing, chapter 3.

use super::bar::gyration;
use super::membrane::{pairs, sines};
use super::radiation::{Mount, RADIATES, Surface};
use super::thick::{self, THEORY};
use super::{Family, Fault, Given, HANGS, LENGTH, Point, SWINGS, Solved, THICKNESS, key, must};
use crate::math::{PI, Real};
use crate::param::{KeyType, Kind};

/// Places on a rectangle.
pub(super) const RECTANGLE_PLACES: &[(&str, Point)] = &[
    ("off-centre", [0.42, 0.37, 0.0]),
    ("centre", [0.5, 0.5, 0.0]),
    ("corner", [0.02, 0.02, 0.0]),
    ("edge", [0.02, 0.5, 0.0]),
    ("quarter", [0.25, 0.25, 0.0]),
];

/// How a plate's edges are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Edges {
    #[default]
    Free,
    Supported,
    Clamped,
}

crate::words!(Edges { Free = "free", Supported = "supported", Clamped = "clamped" });

/// The rectangular plate in scene files.
pub const RECTANGULAR_PLATE: Kind = Kind {
    family: "shape",
    id: "rectangular-plate",
    doc: "A thin rectangular plate; place: fractions of length and width.",
    params: &[],
    rules: &[],
    keys: &[
        key("edges", KeyType::Word(Edges::WORDS), "How its four edges are held, default free."),
        must("length_m", LENGTH, "Length."),
        must("width_m", LENGTH, "Width."),
        must("thickness_m", THICKNESS, "Thickness, at most a tenth of either side, two fifths by the thick theory."),
        HANGS,
        SWINGS,
        RADIATES,
        THEORY,
    ],
};

/// The family of rectangular plates.
pub(super) const RECTANGULAR: Family = Family {
    kind: &RECTANGULAR_PLATE,
    solid: true,
    axes: &["length", "width"],
    places: RECTANGLE_PLACES,
    solve,
    surface: Some(surface),
};

/// sqrt(D/(rho h)), m^2/s.
pub(super) fn stiffness(given: &Given<'_>) -> Result<Real, Fault> {
    let m = given.material;
    let thickness = given.need("thickness_m")?;
    Ok(thickness
        * (m.young_pa / (12.0 * m.density_kg_m3 * fault!(PLATE_POISSON, 1.0 - m.poisson * m.poisson, 1.0))).sqrt())
}

fn surface(given: &Given<'_>) -> Result<Surface, Fault> {
    let sides = [given.need("length_m")?, given.need("width_m")?];
    Ok(Surface::Rectangle { sides, mount: given.mount(Mount::Free) })
}

fn solve(given: &Given<'_>) -> Result<Solved, Fault> {
    thick::plate(given, solve_thin)
}

fn solve_thin(given: &Given<'_>) -> Result<Solved, Fault> {
    let (a, b, thickness) = (given.need("length_m")?, given.need("width_m")?, given.need("thickness_m")?);
    given.thin("thickness_m", "length_m", given.limit(0.1, 0.4))?;
    given.thin("thickness_m", "width_m", given.limit(0.1, 0.4))?;
    let stiff = stiffness(given)?;
    let mass_kg = given.material.density_kg_m3 * thickness * a * b;
    let edges = given.word::<Edges>("edges");
    if edges == Edges::Clamped {
        return given.held(super::ritz::solve(given, a, b, stiff, mass_kg, true)?);
    }
    if edges == Edges::Free {
        let along = |at: &Point| (at[0] - 0.5) * a / gyration(a, thickness);
        let across = |at: &Point| (at[1] - 0.5) * b / gyration(b, thickness);
        let solved = super::ritz::solve(given, a, b, stiff, mass_kg, false)?;
        return Ok(given.hung(mass_kg, &[&|_| 1.0, &along, &across], solved));
    }
    let freq_hz = |m: i32, n: i32| {
        let (x, y) = (Real::from(m) / a, Real::from(n) / b);
        0.5 * PI * stiff * (x * x + y * y) // [plate.1]
    };
    let modes = given.lowest(freq_hz(1, 1), |cap| pairs(1, freq_hz, cap));
    given.held(given.solved(mass_kg, &modes, sines))
}
