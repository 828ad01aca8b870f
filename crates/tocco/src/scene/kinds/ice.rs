// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ice: a sheet that gives way under load.

use super::process::*;
use super::*;
use crate::process::Process;
use crate::process::ice::{ICE_TRIGGER, Ice, IceParams, MOST_WALKERS};

const THICKNESS: KeyType = KeyType::Number { unit: "m", min: 1e-3, max: 10.0 };
const DISTANCE: KeyType = KeyType::Number { unit: "m", min: 0.0, max: 1e4 };

/// Ice in scene files.
pub const ICE: Kind = Kind {
    family: "process",
    id: "ice",
    doc: "A sheet of ice on water that cracks where it is pressed harder than before; its signal is a load, and so is each foot of those who walk on it. A trigger is one press: force_n, x_m, y_m, duration_s.",
    params: IceParams::SPECS,
    keys: &with_common::<3, 6>([
        key("thickness_m", THICKNESS, "Thickness of the ice, default 0.04 m."),
        key("distance_m", DISTANCE, "Also heard through the ice from so far away, as a falling chirp; default 0: not."),
        key(
            "walkers",
            KeyType::Several { of: &KeyType::Named(Thing::Walk), max: MOST_WALKERS },
            "Who walks on it: every foot presses with its weight where it stands, and all meet the same cracks.",
        ),
    ]),
    rules: &[],
};

/// A sheet of ice.
#[derive(Clone, Debug, PartialEq)]
pub struct IceDef {
    /// Live parameters.
    pub params: IceParams,
    /// m
    pub thickness_m: Real,
    /// m; 0: it is not heard from far.
    pub distance_m: Real,
    /// Who walks on it.
    pub walkers: Vec<String>,
}

impl Default for IceDef {
    fn default() -> Self {
        Self { params: IceParams::default(), thickness_m: 0.04, distance_m: 0.0, walkers: Vec::new() }
    }
}

impl ProcessKind for IceDef {
    fn kind(&self) -> &'static Kind {
        &ICE
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn triggers(&self) -> &'static [Spec] {
        ICE_TRIGGER
    }
    fn pushes(&self, _hits: bool) -> bool {
        true
    }
    fn words(&self) -> String {
        let walked = match &self.walkers[..] {
            [] => String::new(),
            all => format!(", walked on by {}", all.join(", ")),
        };
        format!("ice, {} mm{walked}", short(1e3 * self.thickness_m))
    }
    fn walkers(&self) -> &[String] {
        &self.walkers
    }
    fn walkers_mut(&mut self) -> &mut [String] {
        &mut self.walkers
    }
}

impl BuildProcess for IceDef {
    fn check(&self, spot: &Spot, hits: bool) -> Check {
        only_sounds(spot, hits)?;
        spot.params(&self.params)?;
        spot.number(&ICE, "thickness_m", self.thickness_m)?;
        spot.number(&ICE, "distance_m", self.distance_m)?;
        spot.count("walkers", self.walkers.len(), MOST_WALKERS, "walkers")?;
        self.walkers.iter().try_for_each(|walker| spot.named("walkers", walker))?;
        let IceParams { smallest_j, largest_j, .. } = self.params;
        if smallest_j > largest_j {
            let what = format!("{smallest_j} J is above largest_j, {largest_j} J: there is nothing between");
            return spot.fail("smallest_j", what);
        }
        Ok(())
    }
    fn write(&self, out: &mut Toml) {
        out.params(&self.params, &[]);
        out.line(format_args!("thickness_m = {:?}\ndistance_m = {:?}", self.thickness_m, self.distance_m));
        out.texts("walkers", self.walkers.iter().map(String::as_str));
    }
    fn build(&self, context: &mut ProcessContext<'_>) -> Result<Box<dyn Process>, SceneError> {
        let Self { params, thickness_m, distance_m, ref walkers } = *self;
        let ice = Ice::new(params, thickness_m, distance_m, context.rate_hz, |of| context.rng(of));
        Ok(Box::new(ice.walked_on_by(walkers.len())))
    }
    fn structure(&self) -> String {
        format!("{:?} {:?} {:?}", self.thickness_m, self.distance_m, self.walkers)
    }
}

#[cfg(feature = "text")]
impl Read for IceDef {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        let Self { thickness_m, distance_m, .. } = Self::default();
        Ok(Self {
            params: node.params()?,
            thickness_m: node.number_or("thickness_m", thickness_m)?,
            distance_m: node.number_or("distance_m", distance_m)?,
            walkers: node.texts("walkers", "the name of a walk")?,
        })
    }
}
