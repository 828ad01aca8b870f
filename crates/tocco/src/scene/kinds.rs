// SPDX-License-Identifier: MIT OR Apache-2.0
//! Every kind of thing a scene may hold, in one list: the reader, the schema, `describe` and the docs all look here.

use super::midi::MIDI;
use crate::gesture::{FASTEST_M_S, LARGEST_N_S};
use crate::interactor::friction::FRICTION;
use crate::interactor::impact::IMPACT;
use crate::param::{Key, KeyType, Kind};
use crate::resonator::inertial::{GUIDED, MASS, WALL};
use crate::resonator::material::MATERIAL;
use crate::resonator::modal::MODAL;
use crate::resonator::network::{LINK, NETWORK};
use crate::resonator::shape::{FAMILIES, MORPH, SHAPE as SHAPED};
use crate::resonator::waveguide::STRING;
use crate::texture::TEXTURE;

/// Longest scene text, bytes. The longest list of modes fits twice; a text made to hurt costs the TOML parser eighty
/// times its length in memory, 1.3 GB at this limit.
pub const MAX_TEXT_BYTES: usize = 16 << 20;
/// Longest name of a body, contact, control or port, characters.
pub const MAX_NAME: usize = 64;
/// Longest title, path, site or file name, characters.
pub const MAX_WORDS: usize = 1024;
/// Most bodies, contacts, drives or taps in a scene, and ports on a body.
pub const MAX_NODES: usize = 4096;
/// Most modes on a body, breakpoints in a drive, or events in a scene.
pub const MAX_LIST: usize = 100_000;
/// Most macro controls in a scene: what a plugin exposes for ever.
pub const MAX_CONTROLS: usize = 16;
/// Most channels of a scene.
pub const MAX_CHANNELS: usize = 64;
/// Longest scene, s.
pub const MAX_DURATION_S: f64 = 86_400.0;
/// Characters that no name may hold, besides blanks and control characters: OSC patterns and our own paths use them.
pub const NOT_IN_NAMES: &str = "/.#*,?[]{}";

/// Times of events and breakpoints.
const TIME: KeyType = KeyType::Number { unit: "s", min: 0.0, max: MAX_DURATION_S };
/// Values whose own unit and range depend on the path they go to; checked when the scene is built.
const ANY: KeyType = KeyType::Number { unit: "unit of the path", min: -1e18, max: 1e18 };
/// A factor of either sign.
const GAIN: KeyType = KeyType::Number { unit: "1", min: -1e12, max: 1e12 };

pub(super) const fn key(id: &'static str, takes: KeyType, doc: &'static str) -> Key {
    Key { id, takes, required: false, doc }
}
pub(super) const fn must(id: &'static str, takes: KeyType, doc: &'static str) -> Key {
    Key { id, takes, required: true, doc }
}

/// The top level of a scene.
pub const SCENE: Kind = Kind {
    family: "scene",
    id: "",
    doc: "Things, how they touch, what moves them and what is heard.",
    params: &[],
    keys: &[
        key(
            "version",
            KeyType::Integer { min: 1, max: super::def::VERSION as i64 },
            "Version of the scene language, default 1.",
        ),
        key("title", KeyType::Text, "For people, default empty."),
        key(
            "duration_s",
            KeyType::Form("seconds above 0 up to 86400, or \"auto\""),
            "How long to render; \"auto\" (default): until everything has decayed by 90 dB.",
        ),
        key(
            "rate_hz",
            KeyType::Number { unit: "Hz", min: 8000.0, max: 384_000.0 },
            "Sample rate for rendering, default 48000; live audio runs at the device's rate.",
        ),
        key("seed", KeyType::Integer { min: 0, max: i64::MAX }, "Everything random comes from this, default 1."),
        key("body", KeyType::Form("one table [body.NAME] for each body"), "The things."),
        key("contact", KeyType::Form("one table [contact.NAME] for each contact"), "Which of them touch, and how."),
        key("drive", KeyType::Form("tables [[drive]]"), "Parameters and forces over time."),
        key("event", KeyType::Form("tables [[event]]"), "Gestures at a time."),
        key("tap", KeyType::Form("tables [[tap]]"), "What is heard."),
        key(
            "output",
            KeyType::Form("one table [output.NAME] for each output"),
            "Where it is heard; main unless written.",
        ),
        key("control", KeyType::Form("tables [[control]]"), "Up to 16 named macro controls."),
        key("midi", KeyType::Form("a table [midi]"), "What a MIDI keyboard does; for live playing only."),
    ],
};

/// One mode of a modal body.
pub const MODE: Kind = Kind {
    family: "mode",
    id: "",
    doc: "One mode of a modal body, written in its list `modes`.",
    params: &[],
    keys: &[
        must(
            "freq_hz",
            KeyType::Number { unit: "Hz", min: 0.0, max: 192_000.0 },
            "Undamped frequency; 0 is a free (rigid) motion.",
        ),
        key(
            "decay_s",
            KeyType::Number { unit: "s", min: 1e-6, max: 1e6 },
            "Time to 1/e of the amplitude; left out: lossless.",
        ),
        must("mass_kg", KeyType::Number { unit: "kg", min: 1e-12, max: 1e12 }, "Modal mass."),
    ],
};

/// One mode-shape value, in `[body.NAME.port]`.
pub const SHAPE: KeyType = KeyType::Number { unit: "1", min: -1e6, max: 1e6 };

/// The other end of a modal body's morph.
pub const TARGET: Kind = Kind {
    family: "target",
    id: "",
    doc: "Another body to which `morph_01` moves a modal body while it sounds, written in its table `morph`.",
    params: &[],
    keys: &[
        must(
            "modes",
            KeyType::Form("array of { freq_hz, decay_s, mass_kg }"),
            "Its modes; the k-th lowest is what the body's k-th lowest becomes.",
        ),
        key(
            "port",
            KeyType::Form("table of name = [one mode-shape value per mode]"),
            "Its values at the body's places, all of them; default the body's own values.",
        ),
    ],
};

/// A drive.
pub const DRIVE: Kind = Kind {
    family: "drive",
    id: "",
    doc: "A parameter or an external force over time, from one of points, noise, wav and input.",
    params: &[],
    keys: &[
        must("path", KeyType::Text, "What it moves: body/param, contact/param, body.port/force_n or a control's name."),
        key(
            "points",
            KeyType::Form("[[time in s, value], ...], times increasing"),
            "Breakpoints, linear between, held outside.",
        ),
        key(
            "noise",
            KeyType::Form("{ rms, mean, from_s, to_s, beta, first_hz }"),
            "Seeded Gaussian noise, white or fractal.",
        ),
        key("wav", KeyType::Text, "A recording: file name, relative to the scene."),
        key(
            "input",
            KeyType::Integer { min: 0, max: MAX_CHANNELS as i64 - 1 },
            "Sound that comes in while it is rendered: channel of the input.",
        ),
        key("gain", GAIN, "Only with wav and input: value of a full-scale sample, in the unit of the path, default 1."),
        key("at_s", TIME, "Only with wav: when the recording starts, default 0."),
    ],
};

/// Where a breakpoint's time and value may lie.
pub const POINT: [KeyType; 2] = [TIME, ANY];

/// First frequency of a fractal noise when the scene says nothing, Hz: a decade below hearing.
pub const DEFAULT_FIRST_HZ: f64 = 2.0;

/// The noise source of a drive.
pub const NOISE: Kind = Kind {
    family: "noise",
    id: "",
    doc: "Seeded Gaussian noise, white or fractal, written as `noise` in a drive.",
    params: &[],
    keys: &[
        must(
            "rms",
            KeyType::Number { unit: "unit of the path", min: 0.0, max: 1e18 },
            "Standard deviation, in the unit of the path.",
        ),
        key("mean", ANY, "Mean, in the unit of the path, default 0."),
        key("from_s", TIME, "Begins, default 0."),
        key("to_s", TIME, "Ends; left out: never."),
        key(
            "beta",
            KeyType::Number { unit: "1", min: 0.0, max: 2.0 },
            "Exponent of the spectrum 1/f^beta: 0 white (default), 1 pink, 2 Brownian.",
        ),
        key(
            "first_hz",
            KeyType::Number { unit: "Hz", min: 1e-3, max: 1e3 },
            "Only with beta: below this frequency the spectrum is flat, default 2; 1e-7 to 1e-2 of the rate.",
        ),
    ],
};

/// An event.
pub const EVENT: Kind = Kind {
    family: "event",
    id: "",
    doc: "A gesture at a time: one of strike, hit and set.",
    params: &[],
    keys: &[
        must("at_s", TIME, "When."),
        key("strike", KeyType::Text, "Sets this mass in motion from zero gap; needs velocity_m_s."),
        key(
            "velocity_m_s",
            KeyType::Number { unit: "m/s", min: -FASTEST_M_S, max: FASTEST_M_S },
            "Velocity of the strike.",
        ),
        key("hit", KeyType::Text, "An ideal impulse at this body or body.port; needs impulse_n_s."),
        key("impulse_n_s", KeyType::Number { unit: "N s", min: -LARGEST_N_S, max: LARGEST_N_S }, "Impulse of the hit."),
        key("set", KeyType::Text, "Sets the parameter of this path; needs value."),
        key("value", ANY, "New value, in the unit of the path."),
    ],
};

/// A tap.
pub const TAP: Kind = Kind {
    family: "tap",
    id: "",
    doc: "What is heard.",
    params: &[],
    keys: &[
        must("of", KeyType::Text, "A body, body.port or contact."),
        key(
            "quantity",
            KeyType::Word(&["position", "velocity", "acceleration", "force", "compression"]),
            "What to listen to, default velocity.",
        ),
        key("gain", GAIN, "Factor from SI units to full scale, default 1."),
        key("to", KeyType::Form("\"output\" or [\"output\", ...]"), "Outputs it goes to, default main."),
        key(
            "channel",
            KeyType::Integer { min: 0, max: MAX_CHANNELS as i64 - 1 },
            "Where it goes, counted within the output, default 0.",
        ),
        key(
            "pan_01",
            KeyType::Number { unit: "1", min: 0.0, max: 1.0 },
            "Instead of channel: between channels 0 and 1 of the output at constant power.",
        ),
    ],
};

/// An output.
pub const OUTPUT: Kind = Kind {
    family: "output",
    id: "",
    doc: "Where sound goes: channels of the device, limited together when played live, apart from other outputs.",
    params: &[],
    keys: &[
        must(
            "channels",
            KeyType::Form("[channel of the device, ...]"),
            "Channels of the device, from 0, in the order in which taps count them; no two outputs share one.",
        ),
        key("gain", GAIN, "Factor on all that goes there, default 1."),
        key("limiter", KeyType::Flag, "Limit its peaks when played live, default true."),
    ],
};

/// A macro control.
pub const CONTROL: Kind = Kind {
    family: "control",
    id: "",
    doc: "A named macro control, 0 to 1 outside, a physical range inside: what a player, a plugin or a MIDI map sees.",
    params: &[],
    keys: &[
        must("name", KeyType::Text, "Unique name."),
        must(
            "path",
            KeyType::Form("\"path\" or [\"path\", ...]"),
            "What it moves: body/param or contact/param, or several of them alike.",
        ),
        must("range", KeyType::Form("[value at 0, value at 1]"), "Physical values at both ends."),
        key("scale", KeyType::Word(&["linear", "log"]), "Knob law, default linear; log needs a positive range."),
    ],
};

/// The ends of a control's range.
pub const RANGE: KeyType = ANY;

/// Parameters of friction that only the law "thermal" has.
pub const ROSIN: [&str; 3] = ["heat_capacity_j_k", "conduction_w_k", "advection_w_s_m_k"];

/// Every kind, in the order of a scene file.
pub const KINDS: &[Kind] = &with_shapes::<{ FIRST.len() + FAMILIES.len() + REST.len() }>();

/// The kinds before and after those of shapes.
const FIRST: [Kind; 13] =
    [SCENE, MASS, WALL, GUIDED, MODAL, MODE, TARGET, STRING, SHAPED, MORPH, MATERIAL, NETWORK, LINK];
const REST: [Kind; 10] = [IMPACT, FRICTION, TEXTURE, DRIVE, NOISE, EVENT, OUTPUT, TAP, CONTROL, MIDI];

const fn with_shapes<const COUNT: usize>() -> [Kind; COUNT] {
    let mut all = [SCENE; COUNT];
    let mut i = 0;
    while i < COUNT {
        all[i] = if i < FIRST.len() {
            FIRST[i]
        } else if i < FIRST.len() + FAMILIES.len() {
            *FAMILIES[i - FIRST.len()].kind
        } else {
            REST[i - FIRST.len() - FAMILIES.len()]
        };
        i += 1;
    }
    all
}

/// The kinds of one family, in order.
pub fn family(name: &str) -> impl Iterator<Item = &'static Kind> + Clone {
    KINDS.iter().filter(move |kind| kind.family == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_and_every_key_within_a_kind_has_its_own_name() {
        for (i, kind) in KINDS.iter().enumerate() {
            assert!(
                KINDS[..i].iter().all(|k| (k.family, k.id) != (kind.family, kind.id)),
                "{} {}",
                kind.family,
                kind.id
            );
            let ids: Vec<&str> = kind.params.iter().map(|p| p.id).chain(kind.keys.iter().map(|k| k.id)).collect();
            for (j, id) in ids.iter().enumerate() {
                assert!(!ids[..j].contains(id), "{} {}: {id}", kind.family, kind.id);
            }
        }
    }
}
