// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scatter: objects fall on a surface, bounce, roll and come to rest.

use super::crumple::*;
use super::process::*;
use super::*;
use crate::process::Process;
use crate::process::fragment::{FragmentMode, MOST_FRAGMENTS};
use crate::process::scatter::{MOST_FEW, Scatter, ScatterMake, ScatterParams};

const SIZE: KeyType = KeyType::Number { unit: "1", min: 0.01, max: 100.0 };

/// Scattering in scene files.
pub const SCATTER: Kind = Kind {
    family: "process",
    id: "scatter",
    doc: "Many objects fall on a surface, bounce, roll and come to rest: gravel, coins, marbles, popcorn.",
    params: ScatterParams::SPECS,
    keys: &with_common::<4, 7>([
        key(
            "modes",
            KeyType::Tables { of: &FRAGMENT_MODE, min: 0, max: MOST_MODES },
            "Modes of an object of size 1, which rings where it lands; needed unless it hits bodies.",
        ),
        key("sizes", KeyType::List { of: &SIZE, min: 2, max: 2 }, "Sizes of its own objects, default [0.8, 1.25]."),
        key(
            "objects",
            KeyType::Integer { min: 1, max: MOST_FRAGMENTS as i64 },
            "Different objects of its own, of sizes in equal ratios, default 12.",
        ),
        key(
            "few",
            KeyType::Integer { min: 0, max: MOST_FEW as i64 },
            "Objects on their way that are followed one by one, default 24; the rest is a bed of landings.",
        ),
    ]),
    rules: &[],
};

/// Objects that fall.
#[derive(Clone, Debug, PartialEq)]
pub struct ScatterDef {
    /// Live parameters.
    pub params: ScatterParams,
    /// Modes of an object of size 1, unless it hits bodies.
    pub modes: Vec<FragmentMode>,
    /// Smallest and largest size.
    pub sizes: [Real; 2],
    /// Different objects of its own.
    pub objects: usize,
    /// Objects that are followed one by one.
    pub few: usize,
}

impl Default for ScatterDef {
    fn default() -> Self {
        Self { params: ScatterParams::default(), modes: Vec::new(), sizes: [0.8, 1.25], objects: 12, few: 24 }
    }
}

impl ProcessKind for ScatterDef {
    fn kind(&self) -> &'static Kind {
        &SCATTER
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn words(&self) -> String {
        let p = &self.params;
        format!("{} objects a second of {} kg fall {} m", short(p.rate_hz), short(p.mass_kg), short(p.height_m))
    }
}

impl BuildProcess for ScatterDef {
    fn check(&self, spot: &Spot, hits: bool) -> Check {
        spot.params(&self.params)?;
        self.sizes.iter().try_for_each(|size| spot.takes("sizes", SIZE, *size))?;
        if self.sizes[1] < self.sizes[0] {
            return spot.fail(
                "sizes",
                format!("{} is below {}; give [smallest, largest]", plain(self.sizes[1]), plain(self.sizes[0])),
            );
        }
        for (id, count) in [("objects", self.objects), ("few", self.few)] {
            spot.whole(&SCATTER, id, i64::try_from(count).unwrap_or(-1))?;
        }
        check_fragment_modes(spot, &self.modes, hits)
    }
    fn write(&self, out: &mut Toml) {
        let default = Self::default();
        out.params(&self.params, &[]);
        write_fragment_modes(out, &self.modes);
        if self.sizes != default.sizes {
            out.line(format_args!("sizes = {:?}", self.sizes));
        }
        for (id, count, usual) in [("objects", self.objects, default.objects), ("few", self.few, default.few)] {
            if count != usual {
                out.line(format_args!("{id} = {count}"));
            }
        }
    }
    fn build(&self, context: &mut ProcessContext<'_>) -> Result<Box<dyn Process>, SceneError> {
        let modes = audible_modes(context, &self.modes, self.params.freq_scale)?;
        let (few, sizes, objects, ports) = (self.few, self.sizes, self.objects, context.ports.clone());
        let make = ScatterMake { few, sizes, objects, modes, ports };
        Ok(Box::new(Scatter::new(self.params, &make, context.rate_hz, |of| context.rng(of))))
    }
    fn structure(&self) -> String {
        format!("{:?} {:?} {} {}", self.modes, self.sizes, self.objects, self.few)
    }
}

#[cfg(feature = "text")]
impl Read for ScatterDef {
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        let default = Self::default();
        Ok(Self {
            params: node.params()?,
            modes: read_fragment_modes(node, lines)?,
            sizes: node.numbers("sizes", SIZE, "[smallest, largest]")?.unwrap_or(default.sizes),
            objects: node.count("objects")?.unwrap_or(default.objects),
            few: node.count("few")?.unwrap_or(default.few),
        })
    }
}
