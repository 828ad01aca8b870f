// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco new`: commented scenes to begin with.

use crate::error::{Result, bad};
use tocco::scene::error::nearest;

/// Name, what it is, text.
pub const STARTERS: &[(&str, &str, &str)] = &[
    ("strike", "a hammer strikes a bar", include_str!("starters/strike.toml")),
    ("shape", "a body by geometry and material, a hammer by hardness", include_str!("starters/shape.toml")),
    ("bounce", "a ball falls and bounces to rest", include_str!("starters/bounce.toml")),
    ("two-bodies", "two things that both ring knock together", include_str!("starters/two-bodies.toml")),
    ("cradle", "a row of balls passes a blow along", include_str!("starters/cradle.toml")),
    ("felt", "a felt hammer that hardens with the blow", include_str!("starters/felt.toml")),
    ("bow", "a bow on a string", include_str!("starters/bow.toml")),
    ("rub", "a finger on the rim of a glass", include_str!("starters/rub.toml")),
    ("scrape", "a point on a rough plate", include_str!("starters/scrape.toml")),
    ("roll", "a ball that rolls over a board", include_str!("starters/roll.toml")),
    ("walk", "somebody who walks on a floor", include_str!("starters/walk.toml")),
    ("pour", "water poured into a glass", include_str!("starters/pour.toml")),
    ("melody", "several bars, one mallet each, in stereo", include_str!("starters/melody.toml")),
];

/// The text of a starter scene.
pub fn text(kind: &str) -> Result<&'static str> {
    match STARTERS.iter().find(|(name, ..)| *name == kind) {
        Some((_, _, text)) => Ok(text),
        None => bad(format!("no starter '{kind}'{}", nearest(kind, STARTERS.iter().map(|(name, ..)| *name)))),
    }
}
