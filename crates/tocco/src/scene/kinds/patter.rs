// SPDX-License-Identifier: MIT OR Apache-2.0
//! Patter: the noise of drops and splashes that land.

use super::bubbles::sizes_in_order;
use super::process::*;
use super::*;
use crate::process::patter::{PATTER_TRIGGER, Patter, PatterParams};

/// Patter in scene files.
pub const PATTER: Kind = Kind {
    family: "process",
    id: "patter",
    doc: "Short noises of water that lands, without bubbles. A trigger is one landing: radius_m, amplitude_pa, speed_m_s, decay_s, delay_s.",
    params: PatterParams::SPECS,
    keys: &with_common::<0, 3>([]),
    rules: &[],
};

sounds_by_params! {
    /// Landings.
    PatterDef(PatterParams) as PATTER,
    triggers PATTER_TRIGGER,
    words |p| {
        let [small, large] = [p.smallest_m, p.largest_m].map(|m| short(1e3 * m));
        format!("{} landings/s of {small} to {large} mm", short(p.rate_hz))
    },
    check |spot, p| sizes_in_order(spot, p.smallest_m, p.largest_m),
    build |params, context| Box::new(Patter::new(params, context.rate_hz, |of| context.rng(of)))
}
