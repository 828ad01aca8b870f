// SPDX-License-Identifier: MIT OR Apache-2.0
//! Impact laws.

use crate::param::{Key, KeyType, Kind};

crate::params! {
    /// Parameters of an impact contact.
    pub struct ImpactParams {
        stiffness: "N/m^exponent", 1.0 => 1e15, default 1e8, Log, Control, glide 0.02, "Contact stiffness k.";
        exponent: "1", 1.0 => 5.0, default 1.5, Linear, Control, glide 0.02, "Exponent of the compression: 1.5 for two spheres (Hertz), 1.5 to 3.5 for felt.";
        dissipation_s_m: "s/m", 0.0 => 1e3, default 0.0, Linear, Control, glide 0.02, "mu = lambda/k: larger means a deader rebound.";
        hysteresis_01: "1", 0.0 => 0.999, default 0.0, Linear, Control, glide 0.02, "Stulov felt: share of the stiffness that relaxes.";
        relaxation_s: "s", 1e-7 => 10.0, default 1e-4, Log, Control, glide 0.02, "Stulov felt: time of the relaxation.";
    }
}

/// The impact contact in scene files.
pub const IMPACT: Kind = Kind {
    family: "contact",
    id: "impact",
    doc: "Two things that push when they touch and never pull.",
    params: ImpactParams::SPECS,
    keys: &[
        Key {
            id: "between",
            takes: KeyType::Form("[\"body\" or \"body.port\", the same]"),
            required: true,
            doc: "The two sites; the compression is position(first) - position(second).",
        },
        Key {
            id: "law",
            takes: KeyType::Word(&["hunt-crossley", "power", "linear", "stulov"]),
            required: false,
            doc: "Force law, default hunt-crossley: k x^a (1 + mu v). linear sets the exponent to 1.",
        },
        Key {
            id: "viscous_exponent",
            takes: KeyType::Number { unit: "1", min: 0.0, max: 5.0 },
            required: false,
            doc: "Exponent of the dissipative term, default the elastic one (0.5 with exponent 1.5: extended Hertz).",
        },
        Key {
            id: "substeps",
            takes: KeyType::Integer { min: 1, max: 64 },
            required: false,
            doc: "Fixed number of local sub-steps, a power of two; default automatic.",
        },
        Key {
            id: "exact_wall",
            takes: KeyType::Flag,
            required: false,
            doc: "Exact rebound at any step, for a mass against a wall or another mass; default false.",
        },
    ],
};
