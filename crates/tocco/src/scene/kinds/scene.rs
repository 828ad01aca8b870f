// SPDX-License-Identifier: MIT OR Apache-2.0
//! The scene itself: its limits and its top level.

use super::*;

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

/// The top level of a scene.
pub const SCENE: Kind = Kind {
    family: "scene",
    id: "",
    doc: "Things, how they touch, what moves them and what is heard.",
    params: &[],
    keys: &[
        key(
            "version",
            KeyType::Integer { min: 1, max: crate::scene::def::VERSION as i64 },
            "Version of the scene language, default 1.",
        ),
        key("title", KeyType::Text, "For people, default empty."),
        key(
            "duration_s",
            KeyType::Duration { max_s: MAX_DURATION_S },
            "How long to render; \"auto\" (default): until everything has decayed by 90 dB.",
        ),
        key(
            "rate_hz",
            KeyType::Number { unit: "Hz", min: 8000.0, max: 384_000.0 },
            "Sample rate for rendering, default 48000; live audio runs at the device's rate.",
        ),
        key("seed", KeyType::Integer { min: 0, max: i64::MAX }, "Everything random comes from this, default 1."),
        key("body", KeyType::Nodes { family: "body", max: MAX_NODES }, "The things."),
        key("contact", KeyType::Nodes { family: "contact", max: MAX_NODES }, "Which of them touch, and how."),
        key(
            "signal",
            KeyType::Nodes { family: "signal", max: MAX_NODES },
            "Numbers over time that drives and processes hear.",
        ),
        key("process", KeyType::Nodes { family: "process", max: MAX_NODES }, "What crackles, crunches and rustles."),
        key(
            "walk",
            KeyType::Map { of: &KeyType::Table(&walk::WALK), min: 0, max: MAX_NODES },
            "Who walks: one table [walk.NAME] for each.",
        ),
        key(
            "part",
            KeyType::Map { of: &KeyType::Table(&part::PART), min: 0, max: MAX_NODES },
            "Other scenes inside this one: one table [part.NAME] for each.",
        ),
        key("drive", KeyType::Tables { of: &DRIVE, min: 0, max: MAX_NODES }, "Parameters and forces over time."),
        key("event", KeyType::Tables { of: &EVENT, min: 0, max: MAX_LIST }, "Gestures at a time."),
        key(
            "output",
            KeyType::Map { of: &KeyType::Table(&OUTPUT), min: 0, max: MAX_NODES },
            "Where it is heard: one table [output.NAME] for each; main exists unless it is written.",
        ),
        key("tap", KeyType::Tables { of: &TAP, min: 0, max: MAX_NODES }, "What is heard."),
        key("control", KeyType::Tables { of: &CONTROL, min: 0, max: MAX_CONTROLS }, "Up to 16 named macro controls."),
        key("midi", KeyType::Table(&MIDI), "What a MIDI keyboard does; for live playing only."),
        key(
            "look",
            KeyType::Map { of: &KeyType::Table(&LOOK), min: 0, max: MAX_NODES },
            "How bodies are drawn: one table [look.BODY] for each; nothing of it is heard.",
        ),
    ],
    rules: &[],
};
