// SPDX-License-Identifier: MIT OR Apache-2.0
//! Drips: drops that fall into water.

use super::process::*;
use super::*;
use crate::process::drip::{DRIP_TRIGGER, Drip, DripParams};

/// Drip in scene files.
pub const DRIP: Kind = Kind {
    family: "process",
    id: "drip",
    doc: "Drops that fall into water: a tap, a cave. A trigger is one drop: diameter_m, height_m, depth_m, delay_s.",
    params: DripParams::SPECS,
    keys: &with_common::<0, 3>([]),
    rules: &[],
};

sounds_by_params! {
    /// Drips: drops that fall into water.
    DripDef(DripParams) as DRIP,
    triggers DRIP_TRIGGER,
    words |p| {
        format!("drops of {} mm from {} m, {}/s", short(1e3 * p.diameter_m), short(p.height_m), short(p.rate_hz))
    },
    check |_, _| Ok(()),
    build |params, context| Box::new(Drip::new(params, context.rate_hz, |of| context.rng(of)))
}
