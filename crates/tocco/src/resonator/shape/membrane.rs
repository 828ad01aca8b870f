// SPDX-License-Identifier: MIT OR Apache-2.0
//! Stretched membranes, held at the edge.
//!
//! **What.** A skin under tension, rectangular or circular, without the load of the air.
//!
//! **Law.** With c = sqrt(T/(rho h)):
//! - `[membrane.1]  f = c/2 sqrt((m/a)^2 + (n/b)^2)`, `phi = 2 sin(m pi x) sin(n pi y)`
//! - `[membrane.2]  f = c j_nk/(2 pi R)`, `phi = J_n(j_nk r) cos or sin(2 pi n angle)` over its root mean square
//!
//! **Symbols.** T `tension_n_m` N/m, or such that the lowest mode has `freq_hz`; h `thickness_m`; a `length_m`,
//! b `width_m`, R `radius_m`; j_nk the k-th zero of J_n.
//!
//! **Step.** Modes with n diameters come in pairs, a cosine and a sine: the angle of the stroke chooses between them.
//!
//! **Sources.** Fletcher, Rossing, chapter 3; Avanzini et al. 2003 figure 8.1.

use super::bessel::roots;
use super::radiation::{Mount, RADIATES, Surface};
use super::{Family, Fault, Given, LENGTH, Point, ShapeMode, Solved, THICKNESS, key, must};
use crate::math::{PI, Real, TAU, bessel_j, cos, sin};
use crate::param::{Key, KeyType, Kind};

const TENSION: Key = key(
    "tension_n_m",
    KeyType::Number { unit: "N/m", min: 1e-3, max: 1e9 },
    "Tension per length of edge; or freq_hz instead.",
);
const PITCH: Key = key(
    "freq_hz",
    KeyType::Number { unit: "Hz", min: 1e-2, max: 1e5 },
    "Frequency of the lowest mode, instead of the tension.",
);

/// The rectangular membrane in scene files.
pub const RECTANGULAR_MEMBRANE: Kind = Kind {
    family: "shape",
    id: "rectangular-membrane",
    doc: "A rectangular skin held at its four edges; place: fractions of length and width.",
    params: &[],
    rules: &[],
    keys: &[
        must("length_m", LENGTH, "Length."),
        must("width_m", LENGTH, "Width."),
        must("thickness_m", THICKNESS, "Thickness."),
        TENSION,
        PITCH,
        RADIATES,
    ],
};

/// The family of rectangular membranes.
pub(super) const RECTANGULAR: Family = Family {
    kind: &RECTANGULAR_MEMBRANE,
    solid: true,
    axes: &["length", "width"],
    places: super::plate::RECTANGLE_PLACES,
    solve: solve_rectangular,
    surface: Some(rectangle),
};

/// Radii of round bodies, m.
pub(super) const RADIUS: KeyType = KeyType::Number { unit: "m", min: 5e-4, max: 50.0 };

/// The circular membrane in scene files.
pub const CIRCULAR_MEMBRANE: Kind = Kind {
    family: "shape",
    id: "circular-membrane",
    doc: "A round skin held at its rim, as on a drum; place: fractions of the radius and of a full turn.",
    params: &[],
    rules: &[],
    keys: &[
        must("radius_m", RADIUS, "Radius."),
        must("thickness_m", THICKNESS, "Thickness."),
        TENSION,
        PITCH,
        RADIATES,
    ],
};

/// Places on a disc; its rim is a finger's breadth inside, since the edge itself may be held.
pub(super) const CIRCLE_PLACES: &[(&str, Point)] = &[
    ("off-centre", [0.4, 0.0, 0.0]),
    ("centre", [0.0, 0.0, 0.0]),
    ("rim", [0.95, 0.0, 0.0]),
    ("half", [0.5, 0.0, 0.0]),
];

/// The family of circular membranes.
pub(super) const CIRCULAR: Family = Family {
    kind: &CIRCULAR_MEMBRANE,
    solid: true,
    axes: &["radius", "turn"],
    places: CIRCLE_PLACES,
    solve: solve_circular,
    surface: Some(circle),
};

/// A skin closes a kettle or a box, unless it says otherwise.
fn rectangle(given: &Given<'_>) -> Result<Surface, Fault> {
    let sides = [given.need("length_m")?, given.need("width_m")?];
    Ok(Surface::Rectangle { sides, mount: given.mount(Mount::Baffled) })
}

fn circle(given: &Given<'_>) -> Result<Surface, Fault> {
    Ok(Surface::Round { radius: given.need("radius_m")?, mount: given.mount(Mount::Baffled) })
}

/// First zero of J_0.
const FIRST_ZERO: Real = 2.404_825_557_695_773;

/// Zeros of J_n below `most`.
pub fn zeros(n: i32, most: Real) -> Vec<Real> {
    roots(|x| bessel_j(n, x), Real::from(n).max(1.0), most, 1.0)
}

fn solve_circular(given: &Given<'_>) -> Result<Solved, Fault> {
    given.thin("thickness_m", "radius_m", 0.05)?;
    let (radius, thickness) = (given.need("radius_m")?, given.need("thickness_m")?);
    let unit_hz = speed(given, FIRST_ZERO / (TAU * radius))? / (TAU * radius); // [membrane.2]
    let list = |cap: Real| {
        rounds(
            |n| Real::from(n) < cap / unit_hz,
            |n| zeros(n, cap / unit_hz),
            |x| fault!(MEMBRANE_RATIOS, x, FIRST_ZERO + 0.98 * (x - FIRST_ZERO)) * unit_hz,
        )
    };
    let modes = given.lowest(FIRST_ZERO * unit_hz, list);
    let mass_kg = given.material.density_kg_m3 * thickness * PI * radius * radius;
    let radial = |n: i32, freq_hz: Real| {
        let x = freq_hz / unit_hz;
        let scale = fault!(MEMBRANE_SCALE, 1.0, 1.1) / bessel_j(n + 1, x).abs();
        move |r: Real| scale * bessel_j(n, x * r)
    };
    Ok(around(given, mass_kg, &modes, radial))
}

/// Modes of a round body from the roots for each number of diameters; each with diameters twice, as cosine and sine.
/// Numbers: diameters, circle from 1, and 0 or 1 for cosine or sine.
pub(super) fn rounds(
    more: impl Fn(i32) -> bool,
    roots: impl Fn(i32) -> Vec<Real>,
    freq_hz: impl Fn(Real) -> Real,
) -> Vec<(Real, [i32; 3])> {
    let mut found = Vec::new();
    for n in (0..).take_while(|&n| more(n)) {
        for (circle, x) in roots(n).into_iter().enumerate() {
            let turns = if n == 0 { 0..1 } else { 0..2 };
            found.extend(turns.map(|turn| (freq_hz(x), [n, circle as i32 + 1, turn])));
        }
    }
    found
}

/// A round body whose shapes are `radial(n, freq_hz)` times the cosine or sine of the angle.
pub(super) fn around<F: Fn(Real) -> Real>(
    given: &Given<'_>,
    mass_kg: Real,
    modes: &[(Real, [i32; 3])],
    radial: impl Fn(i32, Real) -> F,
) -> Solved {
    let mut shapes = vec![Vec::new(); given.points.len()];
    for &(freq_hz, numbers) in modes {
        let along = radial(numbers[0], freq_hz);
        for (shape, at) in shapes.iter_mut().zip(given.points) {
            shape.push(along(at[0]) * turned(numbers[0], numbers[2], at[1]));
        }
    }
    let row = |&(freq_hz, numbers): &(Real, [i32; 3])| ShapeMode { freq_hz, decay_s: 0.0, mass_kg, numbers };
    Solved { modes: modes.iter().map(row).collect(), shapes, rigid: 0 }
}

/// Cosine or sine of n times the angle, a fraction of a turn; mean square 1.
pub(super) fn turned(n: i32, sine: i32, turn: Real) -> Real {
    let angle = TAU * Real::from(n) * turn;
    match (n, sine) {
        (0, _) => 1.0,
        (_, 0) => core::f64::consts::SQRT_2 * cos(angle),
        _ => core::f64::consts::SQRT_2 * sin(angle),
    }
}

/// Speed of waves from the tension, or from the lowest frequency, which is `lowest` waves per second at 1 m/s.
fn speed(given: &Given<'_>, lowest: Real) -> Result<Real, Fault> {
    let surface = given.material.density_kg_m3 * given.need("thickness_m")?;
    match (given.value("tension_n_m"), given.value("freq_hz")) {
        (Some(tension), None) => Ok((tension / surface).sqrt()),
        (None, Some(freq_hz)) => Ok(freq_hz / lowest),
        (Some(_), Some(_)) => Err(Fault::new("freq_hz", "stands beside tension_n_m; keep one of tension_n_m, freq_hz")),
        (None, None) => Err(Fault::new("", "needs one of tension_n_m, freq_hz")),
    }
}

fn solve_rectangular(given: &Given<'_>) -> Result<Solved, Fault> {
    let (a, b, thickness) = (given.need("length_m")?, given.need("width_m")?, given.need("thickness_m")?);
    given.thin("thickness_m", "length_m", 0.05)?;
    given.thin("thickness_m", "width_m", 0.05)?;
    let waves = |m: i32, n: i32| {
        let (x, y) = (Real::from(m) / a, Real::from(n) / b);
        0.5 * (x * x + y * y).sqrt() // [membrane.1]
    };
    let c = speed(given, waves(1, 1))?;
    let modes = given.lowest(c * waves(1, 1), |cap| pairs(1, |m, n| c * waves(m, n), cap));
    let mass_kg = given.material.density_kg_m3 * thickness * a * b;
    Ok(given.solved(mass_kg, &modes, sines))
}

/// Every pair of numbers from `first` whose frequency, growing with both, lies below a cap.
pub(super) fn pairs(first: i32, freq_hz: impl Fn(i32, i32) -> Real, cap: Real) -> Vec<(Real, [i32; 3])> {
    let row =
        |m: i32| (first..).map(move |n| (m, n)).map(|(m, n)| (freq_hz(m, n), [m, n, 0])).take_while(|f| f.0 < cap);
    (first..).take_while(|&m| freq_hz(m, first) < cap).flat_map(row).collect()
}

/// Half waves along both sides, mean square 1.
pub(super) fn sines(numbers: &[i32; 3], at: &Point) -> Real {
    2.0 * sin(PI * Real::from(numbers[0]) * at[0]) * sin(PI * Real::from(numbers[1]) * at[1])
}
