// SPDX-License-Identifier: MIT OR Apache-2.0
//! Spheres of air, and what lies between a cube and a sphere.
//!
//! **Law.** With x the zeros of j_n' (rigid wall), P_nm Legendre functions:
//! - `[sphere.1]  f = c x/(2 pi R)`, `phi = j_n(x r) P_nm(cos polar) cos or sin(m azimuth)` over its root mean square, which for
//!   the radial part is `3 (1 - n(n+1)/x^2) j_n(x)^2 / 2` squared; 2n+1 modes to each x
//! - `[between.1]  f = (1-w) f_cube + w f_sphere`, `phi` and the volume likewise (phi scaled to mean square 1 anew), between modes
//!   of the same rank among those of equal symmetry
//!
//! A cube and the sphere within it share three mirror planes. No deformation that keeps them lets modes of the same symmetry
//! cross, so modes are joined by rank within each of the eight symmetries. Exact at both ends; between, against a
//! computation of the body |x|^p + |y|^p + |z|^p = 1, see the page.
//!
//! **Symbols.** w `roundness_01`; a place in the sphere is a fraction of the radius, of half a turn from the pole and of a turn; in
//! between it is a place in the cube, drawn towards the centre as its surface is.
//!
//! **Sources.** Morse, Ingard, section 9.3; Moldover, Mehl, Greenspan, JASA 79, 253 (1986), for the zeros; Rocchesso, Dutilleux,
//! EURASIP J. Applied Signal Processing 2001, 15, for the ear's interest in cubes and spheres.

use super::bessel::{roots, spherical_and_slope};
use super::cavity::{DENSITY, LOSS, LOSS_EXPONENT, SOUND_SPEED, SPEED_M_S, box_modes, cosines};
use super::membrane::RADIUS;
use super::{Family, Fault, Given, LENGTH, Point, ShapeMode, Solved, by_frequency, must};
use crate::math::{PI, Real, TAU, atan2, cos, sin};
use crate::param::{KeyType, Kind};

/// The sphere of air in scene files.
pub const SPHERE: Kind = Kind {
    family: "shape",
    id: "sphere",
    doc: "The air in a sphere; place: fractions of the radius, of half a turn from the pole, and of a turn.",
    params: &[],
    rules: &[],
    keys: &[must("radius_m", RADIUS, "Radius."), SOUND_SPEED, DENSITY, LOSS, LOSS_EXPONENT],
};

/// The cavity between cube and sphere in scene files.
pub const ROUNDED_BOX: Kind = Kind {
    family: "shape",
    id: "rounded-box",
    doc: "The air in a body between cube and sphere; place: fractions of the cube's three edges.",
    params: &[],
    rules: &[],
    keys: &[
        must("size_m", LENGTH, "Edge of the cube, diameter of the sphere."),
        must("roundness_01", KeyType::Number { unit: "1", min: 0.0, max: 1.0 }, "0: a cube; 1: a sphere."),
        SOUND_SPEED,
        DENSITY,
        LOSS,
        LOSS_EXPONENT,
    ],
};

/// The family of spheres.
pub(super) const SPHERES: Family = Family {
    kind: &SPHERE,
    solid: false,
    axes: &["radius", "half turn from the pole", "turn"],
    places: &[
        ("off-centre", [0.7, 0.37, 0.13]),
        ("centre", [0.0, 0.0, 0.0]),
        ("wall", [1.0, 0.5, 0.0]),
        ("pole", [1.0, 0.0, 0.0]),
    ],
    solve: solve_sphere,
    surface: None,
};

/// The family between cube and sphere.
pub(super) const ROUNDED: Family = Family {
    kind: &ROUNDED_BOX,
    solid: false,
    axes: &["length", "width", "height"],
    places: super::cavity::BOX_PLACES,
    solve: solve_rounded,
    surface: None,
};

/// Zeros of j_n' below `most`, without the one at 0.
pub fn sphere_roots(n: i32, most: Real) -> Vec<Real> {
    roots(|x| spherical_and_slope(n, x).1, (0.9 * Real::from(n)).max(1.0), most, 0.5)
}

/// Modes of a sphere below a cap; numbers: n, m (negative: sine), zero from 1.
fn sphere_modes(unit_hz: Real, cap: Real) -> Vec<(Real, [i32; 3])> {
    let mut found = Vec::new();
    for n in (0..).take_while(|&n| 0.9 * Real::from(n) < cap / unit_hz) {
        for (k, x) in sphere_roots(n, cap / unit_hz).into_iter().enumerate() {
            found.extend((-n..=n).map(|m| (x * unit_hz, [n, m, k as i32 + 1]))); // [sphere.1]
        }
    }
    found
}

/// A spherical harmonic with mean square 1: cosines for m >= 0, sines below.
fn harmonic(n: i32, m: i32, polar: Real, azimuth: Real) -> Real {
    let (order, c, s) = (m.abs(), cos(polar), sin(polar));
    // Legendre functions normalised as they climb, first along m = n, then in n.
    let mut here = 1.0;
    for k in 1..=order {
        let k = Real::from(k);
        here *= -s * ((2.0 * k + 1.0) / (2.0 * k)).sqrt();
    }
    let mut below = 0.0;
    for l in order + 1..=n {
        let (l, m) = (Real::from(l), Real::from(order));
        let up = ((4.0 * l * l - 1.0) / (l * l - m * m)).sqrt();
        let down = (((l - 1.0) * (l - 1.0) - m * m) / (4.0 * (l - 1.0) * (l - 1.0) - 1.0)).sqrt();
        (below, here) = (here, up * (c * here - down * below));
    }
    let angle = Real::from(order) * azimuth;
    match m {
        0 => here,
        1.. => core::f64::consts::SQRT_2 * here * cos(angle),
        _ => core::f64::consts::SQRT_2 * here * sin(angle),
    }
}

/// Shape of a mode of the sphere with root `x`, at a fraction of the radius.
fn sphere_value(numbers: [i32; 3], x: Real, radius: Real, polar: Real, azimuth: Real) -> Real {
    let n = Real::from(numbers[0]);
    let edge = spherical_and_slope(numbers[0], x).0;
    let square = 1.5 * (1.0 - n * (n + 1.0) / (x * x)) * edge * edge;
    spherical_and_slope(numbers[0], x * radius).0 / square.sqrt() * harmonic(numbers[0], numbers[1], polar, azimuth)
}

fn solve_sphere(given: &Given<'_>) -> Result<Solved, Fault> {
    let radius = given.need("radius_m")?;
    let unit_hz = given.number("sound_speed_m_s", SPEED_M_S) / (TAU * radius);
    let modes = given.lowest(2.0 * unit_hz, |cap| sphere_modes(unit_hz, cap));
    let mass_kg = given.material.density_kg_m3 * 4.0 / 3.0 * PI * radius * radius * radius;
    let mut shapes = vec![Vec::new(); given.points.len()];
    for &(freq_hz, numbers) in &modes {
        for (shape, at) in shapes.iter_mut().zip(given.points) {
            shape.push(sphere_value(numbers, freq_hz / unit_hz, at[0], PI * at[1], TAU * at[2]));
        }
    }
    let row = |&(freq_hz, numbers): &(Real, [i32; 3])| ShapeMode { freq_hz, decay_s: 0.0, mass_kg, numbers };
    Ok(Solved { modes: modes.iter().map(row).collect(), shapes, rigid: 0 })
}

/// Which of the eight symmetries a mode of the box or the sphere has: a bit for each axis along which it is odd.
fn box_class(numbers: &[i32; 3]) -> usize {
    numbers.iter().enumerate().map(|(axis, n)| ((n % 2) as usize) << axis).sum()
}
fn sphere_class(numbers: &[i32; 3]) -> usize {
    let [n, m, _] = *numbers;
    let (odd, sine) = (m.rem_euclid(2), i32::from(m < 0));
    ((odd + sine) % 2 + 2 * sine + 4 * ((n - m.abs()) % 2)) as usize
}

/// How far a mode of the cube may lie below its partner in the sphere, at most.
const APART: Real = 2.0;

/// Pairs of partners, cube first, as ((frequency, numbers), (frequency, numbers)), each list below a cap.
type Pair = ((Real, [i32; 3]), (Real, [i32; 3]));

fn solve_rounded(given: &Given<'_>) -> Result<Solved, Fault> {
    let (size, w) = (given.need("size_m")?, given.need("roundness_01")?);
    let c = given.number("sound_speed_m_s", SPEED_M_S);
    let unit_hz = c / (PI * size);
    let pairs = |cap: Real| -> Vec<Pair> {
        let mut cube = box_modes(c, [size; 3], APART * cap);
        let mut ball = sphere_modes(unit_hz, APART * cap);
        by_frequency(&mut cube);
        by_frequency(&mut ball);
        let of = |class: usize| {
            let cube = cube.iter().filter(move |mode| box_class(&mode.1) == class);
            cube.zip(ball.iter().filter(move |mode| sphere_class(&mode.1) == class)).map(|(a, b)| (*a, *b))
        };
        (0..8).flat_map(of).collect()
    };
    let between = |pair: &Pair| (1.0 - w) * pair.0.0 + w * pair.1.0; // [between.1]
    let mut cap = (1.4 * 2.1 * unit_hz).min(given.below_hz);
    let mut kept = loop {
        let mut found = pairs(cap);
        found.retain(|pair| between(pair) < cap);
        if found.len() >= given.most || cap >= given.below_hz {
            break found;
        }
        cap = (1.4 * cap).min(given.below_hz);
    };
    crate::order::sort(&mut kept, |a, b| between(a).total_cmp(&between(b)).then(a.0.1.cmp(&b.0.1)));
    kept.truncate(given.most);
    let volume = size * size * size * ((1.0 - w) + w * PI / 6.0);
    let mass_kg = given.material.density_kg_m3 * volume;
    let mut solved = Solved { shapes: vec![Vec::new(); given.points.len()], ..Solved::default() };
    for pair in &kept {
        let (cube, ball) = (pair.0.1, pair.1.1);
        let ball_at = |at: &Point| in_ball(ball, pair.1.0 / unit_hz, at);
        let overlap = if w > 0.0 && w < 1.0 { overlap(|at| cosines(&cube, at), ball_at) } else { 0.0 };
        let sign = if overlap < 0.0 { -1.0 } else { 1.0 };
        let scale = 1.0 / ((1.0 - w) * (1.0 - w) + w * w + 2.0 * w * (1.0 - w) * overlap.abs()).sqrt();
        solved.modes.push(ShapeMode { freq_hz: between(pair), decay_s: 0.0, mass_kg, numbers: cube });
        for (shape, at) in solved.shapes.iter_mut().zip(given.points) {
            let of_ball = if w > 0.0 { w * sign * ball_at(at) } else { 0.0 };
            shape.push(scale * ((1.0 - w) * cosines(&cube, at) + of_ball));
        }
    }
    Ok(solved)
}

/// The sphere's shape at a place of the cube around it, drawn in so that faces become the sphere.
fn in_ball(numbers: [i32; 3], x: Real, at: &Point) -> Real {
    let [u, v, w] = at.map(|fraction| 2.0 * fraction - 1.0);
    let radius = u.abs().max(v.abs()).max(w.abs());
    sphere_value(numbers, x, radius, atan2((u * u + v * v).sqrt(), w), atan2(v, u))
}

/// Mean product of two shapes of equal symmetry over the cube, by three Gauss points along each half edge.
fn overlap(a: impl Fn(&Point) -> Real, b: impl Fn(&Point) -> Real) -> Real {
    const GAUSS: [(Real, Real); 3] =
        [(0.112_701_665_379_258_3, 5.0 / 18.0), (0.5, 8.0 / 18.0), (0.887_298_334_620_741_7, 5.0 / 18.0)];
    let mut sum = 0.0;
    for (x, wx) in GAUSS {
        for (y, wy) in GAUSS {
            for (z, wz) in GAUSS {
                let at = [0.5 + 0.5 * x, 0.5 + 0.5 * y, 0.5 + 0.5 * z];
                sum += wx * wy * wz * a(&at) * b(&at);
            }
        }
    }
    sum.clamp(-1.0, 1.0)
}
