// SPDX-License-Identifier: MIT OR Apache-2.0
//! Air in rooms, pipes and bottles.
//!
//! **What.** The air of a cavity with rigid walls. A port is a place where air is pushed in and where pressure is heard.
//!
//! **Law.** Modes of the wave equation with phi the shape of the pressure, mean square 1 over the volume V. A flow U
//! (m^3/s) into the cavity at a place drives `y'' + 2 sigma y' + omega^2 y = phi c U/V`, and p = rho c sum phi y'. So with
//! - `[cavity.1]  force F = rho c U`, `velocity v = p/(rho c)`, hence `F v = U p` is the power, and `m = rho V`
//!
//! the cavity is a modal body like any other: a force of F newtons is the flow F/(rho c) (a piston of area S moving with
//! u = F/(rho c S): what would press with F into a long pipe of its own area), and the velocity times rho c, 413 Pa s/m, is
//! the pressure there. The same phi weights both, so no context can give energy.
//! - `[tube.1]  f = k c/(2 L')` or `(2k-1) c/(4 L')`, `phi = sqrt2 sin` from an open end or `sqrt2 cos` from a closed one,
//!   L' = L + 0.6133 R for each open end: a tube, its plane waves only
//! - `[cavity.2]  f = c/2 sqrt((l/a)^2 + (m/b)^2 + (n/h)^2)`, `phi = product of sqrt2 cos(pi l x)`: a box
//!
//! **Symbols.** c `sound_speed_m_s`, rho `density_kg_m3`; l, m, n half waves, 0 included. The static pressure, 0 Hz, is left
//! out.
//!
//! **Step.** Losses follow `loss_factor` at 1 kHz times (f/1 kHz)^`loss_exponent`; the default exponent -1/2 is that of the
//! viscous and thermal layer at smooth walls.
//!
//! **Sources.** Morse, Ingard, *Theoretical acoustics* (1968), chapter 9; Levine, Schwinger, Physical Review 73, 383 (1948), for the open end; Avanzini et al. 2003 section 8.2.2.

use super::radiation::Surface;
use super::{Family, Fault, Given, LENGTH, Point, Solved, key, must};
use crate::math::{PI, Real, cos, sin};
use crate::param::{Key, KeyType, Kind};
use crate::resonator::material::Material;

/// Air at 20 degrees C: 1.204 kg/m^3, 343.2 m/s; losses of a hard room of ordinary size.
pub(super) const AIR: Material = Material {
    density_kg_m3: 1.204,
    young_pa: 1.204 * 343.2 * 343.2,
    poisson: 0.0,
    loss_factor: 0.01,
    loss_exponent: -0.5,
};
pub(super) const SPEED_M_S: Real = 343.2;

pub(super) const SOUND_SPEED: Key = key(
    "sound_speed_m_s",
    KeyType::Number { unit: "m/s", min: 50.0, max: 5000.0 },
    "Speed of sound, default 343.2: air at 20 degrees C.",
);
pub(super) const DENSITY: Key = key(
    "density_kg_m3",
    KeyType::Number { unit: "kg/m^3", min: 1e-3, max: 1e4 },
    "Density of what fills it, default 1.204: air.",
);
pub(super) const LOSS: Key =
    key("loss_factor", KeyType::Number { unit: "1", min: 1e-6, max: 1.0 }, "Loss factor (1/Q) at 1 kHz, default 0.01.");
pub(super) const LOSS_EXPONENT: Key = key(
    "loss_exponent",
    KeyType::Number { unit: "1", min: -2.0, max: 2.0 },
    "Exponent of the loss factor over frequency, default -0.5: layers at the walls.",
);

/// The box of air in scene files.
pub const BOX_KIND: Kind = Kind {
    family: "shape",
    id: "box",
    doc: "The air in a rectangular room or box; place: fractions of length, width and height.",
    params: &[],
    rules: &[],
    keys: &[
        must("length_m", LENGTH, "Length."),
        must("width_m", LENGTH, "Width."),
        must("height_m", LENGTH, "Height."),
        SOUND_SPEED,
        DENSITY,
        LOSS,
        LOSS_EXPONENT,
    ],
};

/// Places in a box.
pub(super) const BOX_PLACES: &[(&str, Point)] = &[
    ("corner", [0.0, 0.0, 0.0]),
    ("centre", [0.5, 0.5, 0.5]),
    ("wall", [0.0, 0.5, 0.5]),
    ("edge", [0.0, 0.0, 0.5]),
    ("off-centre", [0.42, 0.37, 0.31]),
];

/// The family of boxes.
pub(super) const BOX: Family = Family {
    kind: &BOX_KIND,
    solid: false,
    axes: &["length", "width", "height"],
    places: BOX_PLACES,
    solve: solve_box,
    surface: None,
};

/// The tube in scene files.
pub const TUBE_KIND: Kind = Kind {
    family: "shape",
    id: "tube",
    doc: "The air column of a tube; place: fraction of the length, from the first end.",
    params: &[],
    rules: &[],
    keys: &[
        key("ends", KeyType::Word(Ends::WORDS), "Its first and second end, default open-open."),
        must("length_m", LENGTH, "Length."),
        must("radius_m", super::membrane::RADIUS, "Inner radius, at most half the length."),
        SOUND_SPEED,
        DENSITY,
        LOSS,
        LOSS_EXPONENT,
    ],
};

/// The family of tubes.
pub(super) const TUBE: Family = Family {
    kind: &TUBE_KIND,
    solid: false,
    axes: &["the length"],
    places: &[
        ("inside", [0.1, 0.0, 0.0]),
        ("start", [0.0, 0.0, 0.0]),
        ("end", [1.0, 0.0, 0.0]),
        ("centre", [0.5, 0.0, 0.0]),
    ],
    solve: solve_tube,
    surface: Some(ends),
};

/// A tube's two ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Ends {
    #[default]
    Open,
    Half,
    Closed,
}

crate::words!(Ends { Open = "open-open", Half = "open-closed", Closed = "closed-closed" });

/// An open end without flange acts as if so many radii longer, at low frequency.
const OPEN_END: Real = 0.6133;

fn ends(given: &Given<'_>) -> Result<Surface, Fault> {
    let open = match given.word::<Ends>("ends") {
        Ends::Open => 2,
        Ends::Half => 1,
        Ends::Closed => return Err(Fault::new("", "a tube closed at both ends radiates nothing; open an end")),
    };
    let radius = given.need("radius_m")?;
    Ok(Surface::Ends { open, area: PI * radius * radius })
}

fn solve_tube(given: &Given<'_>) -> Result<Solved, Fault> {
    given.thin("radius_m", "length_m", 0.5)?;
    let (length, radius) = (given.need("length_m")?, given.need("radius_m")?);
    let c = given.number("sound_speed_m_s", SPEED_M_S);
    let (open, quarter) = match given.word::<Ends>("ends") {
        Ends::Open => (2.0, false),
        Ends::Half => (1.0, true),
        Ends::Closed => (0.0, false),
    };
    let reach = fault!(TUBE_END, OPEN_END, 0.0) * radius;
    let whole = length + open * reach;
    // Half waves along the tube.
    let half_waves = |k: i32| if quarter { Real::from(k) - 0.5 } else { Real::from(k) };
    let modes: Vec<(Real, [i32; 3])> = (1..=given.most as i32)
        .map(|k| (half_waves(k) * c / (2.0 * whole), [k, 0, 0])) // [tube.1]
        .take_while(|mode| mode.0 < given.below_hz)
        .collect();
    let shape = |numbers: &[i32; 3], at: &Point| {
        let x = PI * half_waves(numbers[0]) / whole;
        let wave = if open > 0.0 { sin(x * (at[0] * length + reach)) } else { cos(x * at[0] * length) };
        core::f64::consts::SQRT_2 * wave
    };
    Ok(given.solved(given.material.density_kg_m3 * PI * radius * radius * whole, &modes, shape))
}

/// What fills a cavity.
pub(super) fn air(given: &Given<'_>) -> Material {
    let density_kg_m3 = given.number("density_kg_m3", AIR.density_kg_m3);
    let speed = given.number("sound_speed_m_s", SPEED_M_S);
    Material {
        density_kg_m3,
        young_pa: density_kg_m3 * speed * speed,
        poisson: 0.0,
        loss_factor: given.number("loss_factor", AIR.loss_factor),
        loss_exponent: given.number("loss_exponent", AIR.loss_exponent),
    }
}

fn solve_box(given: &Given<'_>) -> Result<Solved, Fault> {
    let sides = [given.need("length_m")?, given.need("width_m")?, given.need("height_m")?];
    let c = given.number("sound_speed_m_s", SPEED_M_S);
    let longest = sides.iter().fold(0.0, |m: Real, side| m.max(*side));
    let modes = given.lowest(0.5 * c / longest, |cap| box_modes(c, sides, cap));
    let mass_kg = given.material.density_kg_m3 * sides[0] * sides[1] * sides[2]; // [cavity.1]
    Ok(given.solved(mass_kg, &modes, cosines))
}

/// Modes of a box below a cap.
pub(super) fn box_modes(c: Real, sides: [Real; 3], cap: Real) -> Vec<(Real, [i32; 3])> {
    let freq_hz = |numbers: [i32; 3]| {
        let mut sum = 0.0;
        for (n, side) in numbers.iter().zip(sides) {
            let waves = Real::from(*n) / side;
            sum += waves * waves;
        }
        0.5 * fault!(CAVITY_SOUND, c, times 1.02) * sum.sqrt() // [cavity.2]
    };
    let mut found = Vec::new();
    for l in (0..).take_while(|&l| freq_hz([l, 0, 0]) < cap) {
        for m in (0..).take_while(|&m| freq_hz([l, m, 0]) < cap) {
            found.extend((0..).map(|n| [l, m, n]).map(|n| (freq_hz(n), n)).take_while(|mode| mode.0 < cap));
        }
    }
    found.retain(|(freq_hz, _)| *freq_hz > 0.0);
    found
}

pub(super) fn cosines(numbers: &[i32; 3], at: &Point) -> Real {
    let mut product = 1.0;
    for (n, x) in numbers.iter().zip(at) {
        if *n > 0 {
            product *= core::f64::consts::SQRT_2 * cos(PI * Real::from(*n) * x);
        }
    }
    product
}
