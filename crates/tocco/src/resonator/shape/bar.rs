// SPDX-License-Identifier: MIT OR Apache-2.0
//! Slender bars that bend.
//!
//! **What.** A bar of rectangular section bends in the direction of its thickness (Euler-Bernoulli).
//!
//! **Law.** f = beta^2/(2 pi L^2) sqrt(EI/(rho A)), I/A = t^2/12, with beta the roots of
//! - `[bar.1]  cos b = sech b` (free, clamped-clamped), `cos b = -sech b` (clamped-free), `sin b = 0` (hinged),
//!   `tan b = tanh b` (clamped-hinged, hinged-free)
//! - `[bar.2]  phi = (1+s)/2 e^{-bx} + (1-s)/2 e^{bx} -+ (cos bx - s sin bx)`, whose growing term is written as
//!   `g e^{-b(1-x)}` with g of order 1, so that no digit is lost in any mode
//!
//! **Symbols.** L `length_m`, t `thickness_m`, x fraction of the length from the end that is held better.
//!
//! **Step.** Newton from the asymptotic root, kept between its neighbours: ten digits after three steps.
//!
//! **Sources.** Fletcher, Rossing, chapter 2; Blevins, table 8-1, whose functions have mean square 1 as well. The
//! theory is that of thin bars: shear lowers a mode by 1 % where its half wave is about ten thicknesses long; see `thick`.

use super::radiation::{Mount, RADIATES, Surface};
use super::thick::{self, THEORY};
use super::{Family, Fault, Given, HANGS, LENGTH, Point, SWINGS, Solved, THICKNESS, key, must};
use crate::math::{PI, Real, TAU, cos, exp, sin};
use crate::param::{KeyType, Kind};

/// The bar in scene files.
pub const BAR: Kind = Kind {
    family: "shape",
    id: "bar",
    doc: "A slender bar of rectangular section that bends; place: fraction of the length, from the end that is held better.",
    params: &[],
    rules: &[],
    keys: &[
        key("support", KeyType::Word(Support::WORDS), "How its two ends are held, default free."),
        must("length_m", LENGTH, "Length."),
        must("width_m", LENGTH, "Width, at most the length."),
        must(
            "thickness_m",
            THICKNESS,
            "Thickness, in the direction of the blow; at most a fifth of the length, half of it by the thick theory.",
        ),
        HANGS,
        SWINGS,
        RADIATES,
        THEORY,
    ],
};

/// The family of bars.
pub(super) const FAMILY: Family = Family {
    kind: &BAR,
    solid: true,
    axes: &["the length"],
    places: &[
        ("end", [0.98, 0.0, 0.0]),
        ("start", [0.02, 0.0, 0.0]),
        ("centre", [0.5, 0.0, 0.0]),
        ("quarter", [0.25, 0.0, 0.0]),
        ("third", [1.0 / 3.0, 0.0, 0.0]),
    ],
    solve,
    surface: Some(surface),
};

/// How a bar's ends are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Support {
    /// Both ends free.
    #[default]
    Free,
    /// The first clamped, the other free.
    ClampedFree,
    /// Both clamped.
    Clamped,
    /// Both hinged.
    Hinged,
    /// The first clamped, the other hinged.
    ClampedHinged,
    /// The first hinged, the other free.
    HingedFree,
}

crate::words!(Support {
    Free = "free",
    ClampedFree = "clamped-free",
    Clamped = "clamped-clamped",
    Hinged = "hinged",
    ClampedHinged = "clamped-hinged",
    HingedFree = "hinged-free",
});

/// Root number `k`, from 1, of the frequency equation: [bar.1].
pub fn root(support: Support, k: usize) -> Real {
    let k = k as Real;
    let (mut b, sign) = match support {
        Support::Hinged => return k * PI,
        Support::Free | Support::Clamped => ((k + 0.5) * PI, fault!(BAR_ROOTS, -1.0, 1.0)),
        Support::ClampedFree => ((k - 0.5) * PI, 1.0),
        Support::ClampedHinged | Support::HingedFree => return hinged_root((k + 0.25) * PI),
    };
    let (low, high) = (b - 0.45 * PI, b + 0.45 * PI);
    for _ in 0..40 {
        let small = exp(-b);
        let sech = 2.0 * small / (1.0 + small * small);
        let tanh = (1.0 - small * small) / (1.0 + small * small);
        let step = (cos(b) + sign * sech) / (-sin(b) - sign * sech * tanh);
        let next = (b - step).clamp(low, high);
        let done = (next - b).abs() <= 1e-15 * b;
        b = next;
        if done {
            break;
        }
    }
    b
}

/// The root of tan b = tanh b near its limit for high modes: [bar.1].
fn hinged_root(mut b: Real) -> Real {
    for _ in 0..8 {
        let small = exp(-2.0 * b);
        let tanh = (1.0 - small) / (1.0 + small);
        let (s, c) = (sin(b), cos(b));
        b -= (s - c * tanh) / (c + s * tanh - c * (1.0 - tanh * tanh));
    }
    b
}

/// Shape of the mode with root `b` at the fraction `x` of the length; mean square 1: [bar.2].
pub fn value(support: Support, b: Real, x: Real) -> Real {
    // A hinged and free bar is a free and hinged one seen from its other end.
    let x = if support == Support::HingedFree { 1.0 - x } else { x };
    let (s, c) = (sin(b * x), cos(b * x));
    if support == Support::Hinged {
        return core::f64::consts::SQRT_2 * s;
    }
    let (e, sin_b, cos_b) = (exp(-b), sin(b), cos(b));
    let (sigma, grow) = match support {
        Support::ClampedFree => {
            let below = 1.0 + e * e + 2.0 * e * cos_b;
            ((1.0 - e * e - 2.0 * e * sin_b) / below, (e + cos_b + sin_b) / below)
        }
        _ => {
            let below = 1.0 - e * e - 2.0 * e * sin_b;
            ((1.0 + e * e - 2.0 * e * cos_b) / below, (cos_b - sin_b - e) / below)
        }
    };
    let bent = 0.5 * (1.0 + sigma) * exp(-b * x) + grow * exp(-b * (1.0 - x));
    let wave = c - sigma * s;
    if matches!(support, Support::Free | Support::HingedFree) { bent + wave } else { bent - wave }
}

fn surface(given: &Given<'_>) -> Result<Surface, Fault> {
    let (length, width) = (given.need("length_m")?, given.need("width_m")?);
    Ok(Surface::Strip { length, width, mount: given.mount(Mount::Free) })
}

fn solve(given: &Given<'_>) -> Result<Solved, Fault> {
    given.thin("thickness_m", "length_m", given.limit(0.2, 0.5))?;
    given.thin("width_m", "length_m", 1.0)?;
    let (length, width, thickness) = (given.need("length_m")?, given.need("width_m")?, given.need("thickness_m")?);
    let support = given.word::<Support>("support");
    let m = given.material;
    let speed = thickness * (m.young_pa / (fault!(BAR_SECTION, 12.0, 10.0) * m.density_kg_m3)).sqrt();
    let freq_hz = |b: Real| b * b * speed / (TAU * length * length); // [shape.3]
    let modes: Vec<(Real, [i32; 3])> = (1..=given.most)
        .map(|k| (freq_hz(root(support, k)), [k as i32, 0, 0]))
        .take_while(|(freq_hz, _)| *freq_hz < given.below_hz)
        .collect();
    let mass_kg = m.density_kg_m3 * length * width * thickness;
    let shape = |numbers: &[i32; 3], at: &Point| value(support, root(support, numbers[0] as usize), at[0]);
    let solved = match given.is_thick() {
        true => thick::bar(given, support, length, mass_kg)?,
        false => given.solved(mass_kg, &modes, shape),
    };
    let turned = |at: &Point| (at[0] - 0.5) * length / gyration(length, thickness);
    let swung = |at: &Point| at[0] * length / gyration(2.0 * length, thickness);
    match support {
        Support::Free => Ok(given.hung(mass_kg, &[&|_| 1.0, &turned], solved)),
        Support::HingedFree => Ok(given.hung(mass_kg, &[&swung], solved)),
        Support::ClampedFree | Support::Clamped | Support::Hinged | Support::ClampedHinged => given.held(solved),
    }
}

/// Radius of gyration of a rectangle about its centre, m, of one half as long about its end: [shape.4].
pub(super) fn gyration(length: Real, thickness: Real) -> Real {
    ((length * length + thickness * thickness) / fault!(RIGID_INERTIA, 12.0, 6.0)).sqrt()
}
