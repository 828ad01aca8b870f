// SPDX-License-Identifier: MIT OR Apache-2.0
//! Strings of round wire, as modes.
//!
//! **What.** A wire between two hinges, with or without the stiffness of its material; `type = "string"` can be retuned
//! far and has its own law of loss, this one takes its partials from wire and tension.
//!
//! **Law.**
//! - `[wire.1]  f_n = n/(2L) sqrt((T + n^2 pi^2 E I/L^2)/mu)`, `phi = sqrt2 sin(n pi x)`; I = pi d^4/64, mu = rho pi d^2/4
//!
//! the same as f_n = n f_0 sqrt(1 + B n^2) with B = pi^2 E I/(T L^2).
//!
//! **Symbols.** L `length_m`, d `diameter_m`, T `tension_n`, or such that the first partial has `freq_hz`.
//!
//! **Sources.** Fletcher, Rossing, section 2.18 (B of hinged ends).

use super::radiation::board;
use super::{Family, Fault, Given, LENGTH, Point, ShapeDef, Solved, THICKNESS, key, must};
use crate::math::{PI, Real, TAU, sin};
use crate::param::{KeyType, Kind};

/// Whether a wire resists bending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Bending {
    #[default]
    Stiff,
    Ideal,
}

crate::words!(Bending { Stiff = "stiff", Ideal = "ideal" });

/// The string by wire and tension in scene files.
pub const WIRE: Kind = Kind {
    family: "shape",
    id: "string",
    doc: "A string of round wire between two hinges; place: fraction of the length.",
    params: &[],
    rules: &[],
    keys: &[
        key("stiffness", KeyType::Word(Bending::WORDS), "Whether the wire resists bending, default stiff."),
        must("length_m", LENGTH, "Length."),
        must("diameter_m", THICKNESS, "Diameter of the wire, at most a fiftieth of the length."),
        key("tension_n", KeyType::Number { unit: "N", min: 1e-6, max: 1e7 }, "Tension; or freq_hz instead."),
        key(
            "freq_hz",
            KeyType::Number { unit: "Hz", min: 1e-2, max: 1e5 },
            "Frequency of the first partial, instead of the tension.",
        ),
    ],
};

/// The family of strings.
pub(super) const FAMILY: Family = Family {
    kind: &WIRE,
    solid: true,
    axes: &["the length"],
    places: &[
        ("seventh", [1.0 / 7.0, 0.0, 0.0]),
        ("centre", [0.5, 0.0, 0.0]),
        ("quarter", [0.25, 0.0, 0.0]),
        ("third", [1.0 / 3.0, 0.0, 0.0]),
        ("bridge", [0.02, 0.0, 0.0]),
        ("nut", [0.98, 0.0, 0.0]),
    ],
    solve,
    surface: None,
};

/// A wire between its hinges.
struct Wire {
    /// m
    length: Real,
    /// kg/m
    mu: Real,
    /// N
    tension: Real,
    /// Newtons that bending adds to it in the first partial.
    bending: Real,
}

fn wire(given: &Given<'_>) -> Result<Wire, Fault> {
    given.thin("diameter_m", "length_m", 0.02)?;
    let (length, diameter) = (given.need("length_m")?, given.need("diameter_m")?);
    let area = 0.25 * PI * diameter * diameter;
    let mu = given.material.density_kg_m3 * area;
    let bending = match given.word::<Bending>("stiffness") {
        Bending::Stiff => PI * PI * given.material.young_pa * area * diameter * diameter / (16.0 * length * length),
        Bending::Ideal => 0.0,
    };
    let tension = match (given.value("tension_n"), given.value("freq_hz")) {
        (Some(tension), None) => tension,
        (None, Some(freq_hz)) => 4.0 * length * length * mu * freq_hz * freq_hz - bending,
        (Some(_), Some(_)) => {
            return Err(Fault::new("freq_hz", "stands beside tension_n; keep one of tension_n, freq_hz"));
        }
        (None, None) => return Err(Fault::new("", "needs one of tension_n, freq_hz")),
    };
    if tension <= 0.0 {
        let lowest = (bending / mu).sqrt() / (2.0 * length);
        let what = format!("a wire this stiff cannot sound below {lowest:.3} Hz; raise it or take a thinner wire");
        return Err(Fault::new("freq_hz", what));
    }
    Ok(Wire { length, mu, tension, bending })
}

/// Pa at an ear so far away, m, per m/s^2 of a partial at a frequency, Hz, on the bridge of a board of a radius, m: [radiation.8] of the
/// wave impedance of the wire at rest. `[control]`
pub fn through_board(def: &ShapeDef, size_m: Real, distance_m: Real) -> Result<impl Fn(Real) -> Real + use<>, Fault> {
    let Wire { mu, tension, .. } = wire(&super::given(&FAMILY, def, Real::INFINITY, &[])?)?;
    let impedance = (tension * mu).sqrt();
    // A shape of sqrt2 sin.
    let heard = move |hz: Real| -core::f64::consts::SQRT_2 * impedance / (TAU * hz) * board(size_m, hz, distance_m);
    Ok(heard)
}

fn solve(given: &Given<'_>) -> Result<Solved, Fault> {
    let Wire { length, mu, tension, bending } = wire(given)?;
    let freq_hz = |n: i32| {
        let n = Real::from(n);
        n * ((tension + n * n * bending) / mu).sqrt() / (2.0 * length) // [wire.1]
    };
    let modes: Vec<(Real, [i32; 3])> =
        (1..=given.most as i32).map(|n| (freq_hz(n), [n, 0, 0])).take_while(|mode| mode.0 < given.below_hz).collect();
    let shape = |numbers: &[i32; 3], at: &Point| core::f64::consts::SQRT_2 * sin(PI * Real::from(numbers[0]) * at[0]);
    Ok(given.solved(mu * length, &modes, shape))
}
