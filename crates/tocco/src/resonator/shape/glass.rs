// SPDX-License-Identifier: MIT OR Apache-2.0
//! Wineglasses, bowls and bells: walls that bend around a rim.
//!
//! **What.** A cup whose rim goes oval, three-cornered and so on, n waves around, without stretching. Documented
//! approximations: a glass by French's energy argument, a bell by the partials that founders tune.
//!
//! **Law.**
//! - `[glass.1]  f_n = 1/(2 pi) sqrt(E/(12 rho)) h/R^2 sqrt(((n^2-1)^2 + b^4 (R/H)^4)/(1 + 1/n^2))`, n = 2, 3, ...,
//!   b = 1.8751 the clamped-free root: French rounds b^4 = 12.36 to 12, whence his `(3E/5rho)^(1/2) (h/R^2) (1 + 4/3 (R/H)^4)^(1/2)` for n = 2
//! - `[glass.2]  phi = sqrt2 cos or sin(n angle) times the clamped-free bar's shape of the height`, `m = M (1 + 1/n^2)`: the
//!   wall also moves along itself, 1/n of the way
//! - `[glass.3]  k^2 = R^2/2 + H^2/12`: radius of gyration of the wall, an open cylinder, about a horizontal axis through
//!   its middle; of a bell, whose R and H nobody gives, that of one as high as it is wide
//! - `[bell.1]  f/f_prime = 1/2, 1, 6/5, 3/2, 2, 5/2, 8/3, 3, 4, 16/3, 20/3, 8`, with 2, 2, 3, 3, 4, 4, 2, 5, 6, 7, 8, 9 waves around
//!   and 0, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1 nodal circles: hum, prime, tierce, quint, nominal, ...
//!
//! **Symbols.** R `radius_m`, H `height_m`, h `thickness_m`, M mass of the wall. Each mode comes as a pair, cosine and sine.
//!
//! **Sources.** French, American Journal of Physics 51, 688 (1983), from memory, as is "within a few per cent for the
//! first modes of real glasses"; the law was read in the code beside *The Sound of Water* (Bagad et al. 2024), the same
//! for n = 2; above, theirs raises b with n. Bells: hum to nominal as Simpson tuned them, read on the Keltek Trust's
//! page of bell tuning; the names and ratios up to 20/3 in the data of Harrison, MacConnachie, J. Acoust. Soc. Am. 156
//! (2024), whose measured bell is within 4 %; Rossing, Perrin, Applied Acoustics 20, 41 (1987), abstract. From memory:
//! 8, and the waves and circles of Fletcher, Rossing, table 21.1.

use super::bar::{Support, root, value};
use super::membrane::{RADIUS, turned};
use super::radiation::{RADIATES, Surface, bell_radius_m};
use super::{Family, Fault, Given, HANGS, LENGTH, Point, SWINGS, ShapeMode, Solved, THICKNESS, must};
use crate::math::{Real, TAU, cos, sin};
use crate::param::{KeyType, Kind};

/// The bowl or wineglass in scene files.
pub const BOWL: Kind = Kind {
    family: "shape",
    id: "bowl",
    doc: "A bowl or wineglass, empty, by its rim's modes; place: fractions of the height, rim = 1, and of a full turn.",
    params: &[],
    rules: &[],
    keys: &[
        must("radius_m", RADIUS, "Radius of the rim."),
        must("height_m", LENGTH, "Height of the bowl, without the stem; at least a third of the radius."),
        must("thickness_m", THICKNESS, "Thickness of the wall, at most a fifth of the radius."),
        HANGS,
        SWINGS,
        RADIATES,
    ],
};

/// The bell in scene files.
pub const BELL: Kind = Kind {
    family: "shape",
    id: "bell",
    doc: "A church bell tuned by its founder: twelve pairs of partials; place: fractions of the height, lip = 1, and of a full turn.",
    params: &[],
    rules: &[],
    keys: &[
        must(
            "freq_hz",
            KeyType::Number { unit: "Hz", min: 1e-2, max: 1e5 },
            "Frequency of the prime, an octave above the hum and below the nominal.",
        ),
        must("mass_kg", KeyType::Number { unit: "kg", min: 1e-3, max: 1e6 }, "Mass of the bell."),
        HANGS,
        SWINGS,
        RADIATES,
    ],
};

/// Places on cups; a quarter of the oval is an eighth of a turn.
const PLACES: &[(&str, Point)] = &[
    ("rim", [1.0, 0.0, 0.0]),
    ("side", [0.6, 0.0, 0.0]),
    ("rim-eighth", [1.0, 0.125, 0.0]),
    ("rim-quarter", [1.0, 0.25, 0.0]),
];
const LIP_PLACES: &[(&str, Point)] = &[
    ("lip", [1.0, 0.0, 0.0]),
    ("waist", [0.5, 0.0, 0.0]),
    ("lip-eighth", [1.0, 0.125, 0.0]),
    ("lip-quarter", [1.0, 0.25, 0.0]),
];

/// The family of bowls.
pub(super) const FAMILY: Family = Family {
    kind: &BOWL,
    solid: true,
    axes: &["height", "turn"],
    places: PLACES,
    solve: solve_bowl,
    surface: Some(bowl),
};
/// The family of bells.
pub(super) const BELLS: Family = Family {
    kind: &BELL,
    solid: true,
    axes: &["height", "turn"],
    places: LIP_PLACES,
    solve: solve_bell,
    surface: Some(bell),
};

/// Ratio to the prime, waves around, nodal circles: [bell.1].
pub const PARTIALS: [(Real, i32, i32); 12] = [
    (0.5, 2, 0),
    (1.0, 2, 1),
    (1.2, 3, 1),
    (1.5, 3, 1),
    (2.0, 4, 1),
    (2.5, 4, 1),
    (8.0 / 3.0, 2, 2),
    (3.0, 5, 1),
    (4.0, 6, 1),
    (16.0 / 3.0, 7, 1),
    (20.0 / 3.0, 8, 1),
    (8.0, 9, 1),
];

/// Modes as (frequency, waves around, circles), each made a pair.
fn cup(given: &Given<'_>, wall_kg: Real, list: impl Iterator<Item = (Real, i32, i32)>) -> Solved {
    let mut solved = Solved { shapes: vec![Vec::new(); given.points.len()], ..Solved::default() };
    for (freq_hz, n, circles) in list.take_while(|(freq_hz, ..)| *freq_hz < given.below_hz) {
        let b = root(Support::ClampedFree, circles as usize + 1);
        let mass_kg = wall_kg * (1.0 + fault!(GLASS_MASS, 1.0, 0.0) / Real::from(n * n));
        for sine in 0..2 {
            if solved.modes.len() == given.most {
                return solved;
            }
            solved.modes.push(ShapeMode { freq_hz, decay_s: 0.0, mass_kg, numbers: [n, circles, sine] });
            for (shape, at) in solved.shapes.iter_mut().zip(given.points) {
                shape.push(turned(n, sine, at[1]) * value(Support::ClampedFree, b, at[0])); // [glass.2]
            }
        }
    }
    solved
}

fn bowl(given: &Given<'_>) -> Result<Surface, Fault> {
    Surface::wall(given, given.need("radius_m")?, given.need("height_m")?, 0)
}

fn bell(given: &Given<'_>) -> Result<Surface, Fault> {
    let radius = bell_radius_m(given.need("mass_kg")?);
    Surface::wall(given, radius, 2.0 * radius, 0) // as high as wide
}

fn solve_bowl(given: &Given<'_>) -> Result<Solved, Fault> {
    given.thin("thickness_m", "radius_m", 0.2)?;
    given.thin("radius_m", "height_m", 3.0)?;
    let (radius, height, wall) = (given.need("radius_m")?, given.need("height_m")?, given.need("thickness_m")?);
    let m = given.material;
    let unit_hz = wall * (m.young_pa / (12.0 * m.density_kg_m3)).sqrt() / (TAU * radius * radius);
    let low = root(Support::ClampedFree, 1) * radius / height;
    let upright = low * low * low * low;
    let freq_hz = |n: i32| {
        let square = Real::from(n) * Real::from(n);
        unit_hz * (((square - 1.0) * (square - fault!(GLASS_PITCH, 1.0, 0.0)) + upright) / (1.0 + 1.0 / square)).sqrt() // [glass.1]
    };
    let wall_kg = m.density_kg_m3 * wall * TAU * radius * height;
    let solved = cup(given, wall_kg, (2..2 + given.most as i32).map(|n| (freq_hz(n), n, 0)));
    Ok(swinging(given, wall_kg, height / (radius * radius / 2.0 + height * height / 12.0).sqrt(), solved))
}

fn solve_bell(given: &Given<'_>) -> Result<Solved, Fault> {
    let (prime_hz, mass_kg) = (given.need("freq_hz")?, given.need("mass_kg")?);
    let solved = cup(given, mass_kg, PARTIALS.iter().map(|&(ratio, n, circles)| (ratio * prime_hz, n, circles)));
    Ok(swinging(given, mass_kg, (24.0_f64 / 5.0).sqrt(), solved))
}

/// A cup with its motions as a whole, as far as its wall moves outwards in them: to two sides, and about two axes;
/// `slender`: height over the radius of gyration. [glass.3]
fn swinging(given: &Given<'_>, mass_kg: Real, slender: Real, solved: Solved) -> Solved {
    let [one, other] = [cos, sin].map(|of| move |at: &Point| of(TAU * at[1]));
    let turning = |at: &Point| (at[0] - 0.5) * slender;
    let (about, across) = (|at: &Point| turning(at) * one(at), |at: &Point| turning(at) * other(at));
    given.hung(mass_kg, &[&one, &other, &about, &across], solved)
}
