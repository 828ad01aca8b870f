// SPDX-License-Identifier: MIT OR Apache-2.0
//! Puddles: water that a foot presses aside.

use super::process::*;
use super::*;
use crate::process::puddle::{Puddle, PuddleParams};

/// Puddle in scene files.
pub const PUDDLE: Kind = Kind {
    family: "process",
    id: "puddle",
    doc: "Water that a foot, a hand or a wheel presses aside: slaps, bubbles, drops that fall back; its signal is a load, 1 for a whole foot.",
    params: PuddleParams::SPECS,
    keys: &with_common::<0, 3>([]),
    rules: &[],
};

sounds_by_params! {
    /// Puddles: water that a foot presses aside.
    PuddleDef(PuddleParams) as PUDDLE,
    triggers &[],
    words |p| format!("puddle of {} mm", short(1e3 * p.depth_m)),
    check |_, _| Ok(()),
    build |params, context| Box::new(Puddle::new(params, context.rate_hz, |of| context.rng(of)))
}
