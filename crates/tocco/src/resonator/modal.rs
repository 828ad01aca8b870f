// SPDX-License-Identifier: MIT OR Apache-2.0
//! Modal bank.

use crate::param::{Key, KeyType, Kind};

crate::params! {
    /// Parameters of a modal body.
    pub struct ModalParams {
        freq_scale: "1", 0.125 => 8.0, default 1.0, Log, Control, glide 0.02, "Factor on every mode's frequency: smaller objects sound higher.";
        decay_scale: "1", 1e-3 => 1e3, default 1.0, Log, Control, glide 0.02, "Factor on every mode's decay time.";
        jitter_01: "1", 0.0 => 1.0, default 0.0, Linear, Control, glide 0.0, "Random change of the struck place at every strike; grows with mode number.";
    }
}

/// The modal body in scene files.
pub const MODAL: Kind = Kind {
    family: "body",
    id: "modal",
    doc: "A vibrating object as a bank of modes with named places.",
    params: ModalParams::SPECS,
    keys: &[
        Key {
            id: "modes",
            takes: KeyType::Form("array of { freq_hz, decay_s, mass_kg }"),
            required: true,
            doc: "One table per mode: undamped frequency in Hz (0: rigid motion), time to 1/e in s (left out: lossless), modal mass in kg.",
        },
        Key {
            id: "port",
            takes: KeyType::Form("table of name = [one mode-shape value per mode]"),
            required: false,
            doc: "Signed mode-shape values at named places; default one port \"0\" of all ones.",
        },
    ],
};
