// SPDX-License-Identifier: MIT OR Apache-2.0
//! Crumpling: something gives way in many small jumps.

use super::process::*;
use super::*;
use crate::process::Process;
use crate::process::crumple::{Crumple, CrumpleMake, CrumpleParams};
use crate::process::fragment::{FragmentMode, MOST_FRAGMENTS};

const ENERGY: KeyType = KeyType::Number { unit: "J", min: 1e-15, max: 1e6 };
pub(super) const MOST_MODES: usize = 64;

/// Crumpling in scene files.
pub const CRUMPLE: Kind = Kind {
    family: "process",
    id: "crumple",
    doc: "Something gives way in many small jumps whose energies follow a power law: paper, a can, crisps, fire, snow.",
    params: CrumpleParams::SPECS,
    keys: &with_common::<3, 6>([
        key(
            "energy_j",
            KeyType::List { of: &ENERGY, min: 2, max: 2 },
            "Smallest and largest energy of an event, J, default [1e-7, 1e-4].",
        ),
        key(
            "modes",
            KeyType::Tables { of: &FRAGMENT_MODE, min: 0, max: MOST_MODES },
            "Modes of a fragment of full size; needed unless it hits bodies.",
        ),
        key(
            "fragments",
            KeyType::Integer { min: 1, max: MOST_FRAGMENTS as i64 },
            "Fragments of its own, of sizes in equal ratios, default 12.",
        ),
    ]),
    rules: &[],
};

/// One mode of a fragment.
pub const FRAGMENT_MODE: Kind = Kind {
    family: "fragment-mode",
    id: "",
    doc: "One mode of a fragment of full size, written in the list `modes` of a process.",
    params: &[],
    keys: &[
        must("freq_hz", KeyType::Number { unit: "Hz", min: 1.0, max: 192_000.0 }, "Undamped frequency."),
        must("decay_s", KeyType::Number { unit: "s", min: 1e-6, max: 1e3 }, "Time to 1/e of the amplitude."),
        must("mass_kg", KeyType::Number { unit: "kg", min: 1e-12, max: 1e12 }, "Modal mass."),
    ],
    rules: &[],
};

/// Something that gives way.
#[derive(Clone, Debug, PartialEq)]
pub struct CrumpleDef {
    /// Live parameters.
    pub params: CrumpleParams,
    /// Smallest and largest energy of an event, J.
    pub energy_j: [Real; 2],
    /// Modes of a fragment of full size, unless it hits bodies.
    pub modes: Vec<FragmentMode>,
    /// Fragments of its own.
    pub fragments: usize,
}

impl Default for CrumpleDef {
    fn default() -> Self {
        Self { params: CrumpleParams::default(), energy_j: [1e-7, 1e-4], modes: Vec::new(), fragments: 12 }
    }
}

/// Modes of fragments, each within its range.
pub(super) fn check_fragment_modes(spot: &Spot, modes: &[FragmentMode], hits: bool) -> Check {
    match (hits, modes.len()) {
        (true, 1..) => return spot.fail("modes", "belong to a process that sounds by itself; leave them or `on` out"),
        (false, 0) => return spot.fail("", "needs modes: what a fragment sounds like; or `on`: what it hits"),
        _ => {}
    }
    spot.count("modes", modes.len(), MOST_MODES, "modes")?;
    for (index, mode) in modes.iter().enumerate() {
        for (id, value) in [("freq_hz", mode.freq_hz), ("decay_s", mode.decay_s), ("mass_kg", mode.mass_kg)] {
            let takes = FRAGMENT_MODE.takes(id).unwrap_or(GAIN);
            spot.takes(&format!("modes[{index}].{id}"), takes, value)?;
        }
    }
    Ok(())
}

/// Those that this rate can hold.
pub(super) fn audible_modes(
    context: &mut ProcessContext<'_>,
    modes: &[FragmentMode],
    freq_scale: Real,
) -> Result<Vec<FragmentMode>, SceneError> {
    let mut kept = Vec::new();
    for (index, mode) in modes.iter().enumerate() {
        if context.audible(&format!("modes[{index}].freq_hz"), mode.freq_hz * freq_scale)? {
            kept.push(*mode);
        }
    }
    Ok(kept)
}

/// Writes them.
pub(super) fn write_fragment_modes(out: &mut Toml, modes: &[FragmentMode]) {
    if modes.is_empty() {
        return;
    }
    let one = |m: &FragmentMode| {
        format!("{{ freq_hz = {:?}, decay_s = {:?}, mass_kg = {:?} }}", m.freq_hz, m.decay_s, m.mass_kg)
    };
    let all: Vec<String> = modes.iter().map(one).collect();
    out.line(format_args!("modes = [{}]", all.join(", ")));
}

/// Reads them.
#[cfg(feature = "text")]
pub(super) fn read_fragment_modes(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Vec<FragmentMode>, SceneError> {
    read_tables(node, "modes", &FRAGMENT_MODE, MOST_MODES, lines, |table| {
        Ok(FragmentMode {
            freq_hz: table.needed_number("freq_hz", "a mode")?,
            decay_s: table.needed_number("decay_s", "a mode")?,
            mass_kg: table.needed_number("mass_kg", "a mode")?,
        })
    })
}

impl ProcessKind for CrumpleDef {
    fn kind(&self) -> &'static Kind {
        &CRUMPLE
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn words(&self) -> String {
        let [low, high] = self.energy_j;
        format!("crumples, {} events per unit, {} to {} J", short(self.params.events), short(low), short(high))
    }
}

impl BuildProcess for CrumpleDef {
    fn check(&self, spot: &Spot, hits: bool) -> Check {
        spot.params(&self.params)?;
        self.energy_j.iter().try_for_each(|energy| spot.takes("energy_j", ENERGY, *energy))?;
        let [low, high] = self.energy_j;
        if high <= low {
            return spot.fail(
                "energy_j",
                format!("{} J is not above {} J; give [smallest, largest]", plain(high), plain(low)),
            );
        }
        spot.whole(&CRUMPLE, "fragments", i64::try_from(self.fragments).unwrap_or(-1))?;
        check_fragment_modes(spot, &self.modes, hits)
    }
    fn write(&self, out: &mut Toml) {
        out.params(&self.params, &[]);
        out.line(format_args!("energy_j = {:?}", self.energy_j));
        write_fragment_modes(out, &self.modes);
        if self.fragments != Self::default().fragments {
            out.line(format_args!("fragments = {}", self.fragments));
        }
    }
    fn build(&self, context: &mut ProcessContext<'_>) -> Result<Box<dyn Process>, SceneError> {
        let modes = audible_modes(context, &self.modes, self.params.freq_scale)?;
        let (energy_j, fragments, ports) = (self.energy_j, self.fragments, context.ports.clone());
        let make = CrumpleMake { energy_j, modes, fragments, ports };
        Ok(Box::new(Crumple::new(self.params, make, context.rate_hz, |of| context.rng(of))))
    }
    fn structure(&self) -> String {
        format!("{:?} {:?} {}", self.energy_j, self.modes, self.fragments)
    }
}

#[cfg(feature = "text")]
impl Read for CrumpleDef {
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        let default = Self::default();
        Ok(Self {
            params: node.params()?,
            energy_j: node.numbers("energy_j", ENERGY, "[smallest, largest] in J")?.unwrap_or(default.energy_j),
            modes: read_fragment_modes(node, lines)?,
            fragments: node.count("fragments")?.unwrap_or(default.fragments),
        })
    }
}
