// SPDX-License-Identifier: MIT OR Apache-2.0
//! Point mass, rigid wall, guided body.

use crate::param::{Key, KeyType, Kind};

const METRES: KeyType = KeyType::Number { unit: "m", min: -1e6, max: 1e6 };

crate::params! {
    /// Parameters of a point mass.
    pub struct MassParams {
        mass_kg: "kg", 1e-9 => 1e9, default 0.01, Log, Control, glide 0.02, "Mass.";
        gravity_m_s2: "m/s^2", -1e4 => 1e4, default 0.0, Linear, Control, glide 0.02, "Acceleration along the positive axis: 9.81 presses the first partner of a contact onto the second.";
    }
}

crate::params! {
    /// Parameters of a guided body.
    pub struct GuidedParams {
        velocity_m_s: "m/s", -1e3 => 1e3, default 0.0, Linear, Sample, glide 0.005, "Prescribed velocity: a hand, a bow, a conveyor.";
    }
}

/// The mass in scene files.
pub const MASS: Kind = Kind {
    family: "body",
    id: "mass",
    doc: "A point mass: a hammer, a ball, a stone.",
    params: MassParams::SPECS,
    keys: &[
        Key { id: "position_m", takes: METRES, required: false, doc: "Initial position, default 0." },
        Key {
            id: "velocity_m_s",
            takes: KeyType::Number { unit: "m/s", min: -1e4, max: 1e4 },
            required: false,
            doc: "Initial velocity, default 0.",
        },
    ],
};

/// The wall in scene files.
pub const WALL: Kind = Kind {
    family: "body",
    id: "wall",
    doc: "A rigid, immovable wall or floor.",
    params: &[],
    keys: &[Key { id: "position_m", takes: METRES, required: false, doc: "Where it stands, default 0." }],
};

/// The guided body in scene files.
pub const GUIDED: Kind = Kind {
    family: "body",
    id: "guided",
    doc: "A body that moves as told, whatever pushes back: a hand, a bow, a conveyor.",
    params: GuidedParams::SPECS,
    keys: &[Key { id: "position_m", takes: METRES, required: false, doc: "Initial position, default 0." }],
};
