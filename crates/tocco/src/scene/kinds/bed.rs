// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bed: noise of what is too dense to hear one by one, as a process of its own.

use super::process::*;
use super::*;
use crate::process::bed::{BedParams, Noise};

/// A bed in scene files.
pub const BED: Kind = Kind {
    family: "process",
    id: "bed",
    doc: "Noise in a band, which comes in grains: what is too dense to hear one by one, as loud as its signal says.",
    params: BedParams::SPECS,
    keys: &with_common::<0, 3>([]),
    rules: &[],
};

sounds_by_params! {
    /// A bed.
    BedDef(BedParams) as BED,
    triggers &[],
    words |p| format!("noise from {} to {} Hz", short(p.low_hz), short(p.high_hz)),
    check |spot, &BedParams { low_hz, high_hz, .. }| {
        if low_hz <= high_hz {
            return Ok(());
        }
        spot.fail("low_hz", format!("{low_hz} Hz is above high_hz, {high_hz} Hz: there is nothing between"))
    },
    build |params, context| Box::new(Noise::new(params, context.rate_hz, context.rng("bed")))
}
