// SPDX-License-Identifier: MIT OR Apache-2.0
//! Splashes: bodies thrown into water.

use super::process::*;
use super::*;
use crate::process::Process;
use crate::process::splash::{SPLASH_TRIGGER, Splash, SplashParams};

/// Splash in scene files.
pub const SPLASH: Kind = Kind {
    family: "process",
    id: "splash",
    doc: "Bodies thrown into water, where the signal rises above the threshold: impact, cavity, droplets; `on`: the bottom that they hit in the end. A trigger is one splash: mass_kg, height_m, depth_m, delay_s, speed_m_s.",
    params: SplashParams::SPECS,
    keys: &with_common::<0, 3>([]),
    rules: &[],
};

/// Splashes: bodies thrown into water.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SplashDef {
    /// Live parameters.
    pub params: SplashParams,
}

impl ProcessKind for SplashDef {
    fn kind(&self) -> &'static Kind {
        &SPLASH
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn triggers(&self) -> &'static [Spec] {
        SPLASH_TRIGGER
    }
    fn sounds(&self, _hits: bool) -> bool {
        true
    }
    fn words(&self) -> String {
        let p = &self.params;
        let falls = format!("splash of {} kg from {} m", short(p.mass_kg), short(p.height_m));
        if p.speed_m_s > 0.0 { format!("{falls}, thrown at {} m/s", short(p.speed_m_s)) } else { falls }
    }
}

impl BuildProcess for SplashDef {
    fn check(&self, spot: &Spot, _hits: bool) -> Check {
        spot.params(&self.params)
    }
    fn write(&self, out: &mut Toml) {
        out.params(&self.params, &[]);
    }
    fn build(&self, context: &mut ProcessContext<'_>) -> Result<Box<dyn Process>, SceneError> {
        Ok(Box::new(Splash::new(self.params, &context.ports, context.rate_hz, |of| context.rng(of))))
    }
    fn structure(&self) -> String {
        String::new()
    }
}

#[cfg(feature = "text")]
impl Read for SplashDef {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self { params: node.params()? })
    }
}
