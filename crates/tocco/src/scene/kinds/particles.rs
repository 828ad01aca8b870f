// SPDX-License-Identifier: MIT OR Apache-2.0
//! Particles: many small things that collide.

use super::process::*;
use super::*;
use crate::process::Process;
use crate::process::particles::{MOST_RESONANCES, Particles, ParticlesParams, Resonance};

/// Particles in scene files.
pub const PARTICLES: Kind = Kind {
    family: "process",
    id: "particles",
    doc: "Many small things that collide inside or under something: a maraca, gravel, leaves, jingles.",
    params: ParticlesParams::SPECS,
    keys: &with_common::<1, 4>([key(
        "resonances",
        KeyType::Tables { of: &RESONANCE, min: 0, max: MOST_RESONANCES },
        "What a collision sounds like: one to six bands; needed unless it hits bodies.",
    )]),
    rules: &[],
};

/// One resonance of particles.
pub const RESONANCE: Kind = Kind {
    family: "resonance",
    id: "",
    doc: "One resonance of the sound of a collision, written in the list `resonances` of particles.",
    params: &[],
    keys: &[
        must("freq_hz", KeyType::Number { unit: "Hz", min: 1.0, max: 192_000.0 }, "Middle of the band."),
        must(
            "bandwidth_hz",
            KeyType::Number { unit: "Hz", min: 0.1, max: 192_000.0 },
            "Width of the band, between its points 3 dB down.",
        ),
        key("gain", GAIN, "Factor, default 1."),
    ],
    rules: &[],
};

/// Things that collide.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParticlesDef {
    /// Live parameters.
    pub params: ParticlesParams,
    /// What a collision sounds like, unless it hits bodies.
    pub resonances: Vec<Resonance>,
}

impl ProcessKind for ParticlesDef {
    fn kind(&self) -> &'static Kind {
        &PARTICLES
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn words(&self) -> String {
        format!("{} particles", short(self.params.objects))
    }
}

impl BuildProcess for ParticlesDef {
    fn check(&self, spot: &Spot, hits: bool) -> Check {
        spot.params(&self.params)?;
        match (hits, self.resonances.len()) {
            (true, 1..) => {
                return spot.fail("resonances", "belong to a process that sounds by itself; leave them or `on` out");
            }
            (false, 0) => {
                return spot.fail("", "needs resonances: what a collision sounds like; or `on`: what it hits");
            }
            _ => {}
        }
        spot.count("resonances", self.resonances.len(), MOST_RESONANCES, "resonances")?;
        for (index, Resonance { freq_hz, bandwidth_hz, gain }) in self.resonances.iter().enumerate() {
            for (id, value) in [("freq_hz", freq_hz), ("bandwidth_hz", bandwidth_hz), ("gain", gain)] {
                let takes = RESONANCE.takes(id).unwrap_or(GAIN);
                spot.takes(&format!("resonances[{index}].{id}"), takes, *value)?;
            }
        }
        Ok(())
    }
    fn write(&self, out: &mut Toml) {
        out.params(&self.params, &[]);
        if !self.resonances.is_empty() {
            let one = |r: &Resonance| {
                format!("{{ freq_hz = {:?}, bandwidth_hz = {:?}, gain = {:?} }}", r.freq_hz, r.bandwidth_hz, r.gain)
            };
            let all: Vec<String> = self.resonances.iter().map(one).collect();
            out.line(format_args!("resonances = [{}]", all.join(", ")));
        }
    }
    fn build(&self, context: &mut ProcessContext<'_>) -> Result<Box<dyn Process>, SceneError> {
        let mut kept = Vec::new();
        for (index, resonance) in self.resonances.iter().enumerate() {
            let freq_hz = resonance.freq_hz * self.params.freq_scale;
            if context.audible(&format!("resonances[{index}].freq_hz"), freq_hz)? {
                kept.push(*resonance);
            }
        }
        Ok(Box::new(Particles::new(self.params, &kept, &context.ports, context.rate_hz, |of| context.rng(of))))
    }
    fn structure(&self) -> String {
        format!("{:?}", self.resonances)
    }
}

#[cfg(feature = "text")]
impl Read for ParticlesDef {
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        let resonances = read_tables(node, "resonances", &RESONANCE, MOST_RESONANCES, lines, |table| {
            Ok(Resonance {
                freq_hz: table.needed_number("freq_hz", "a resonance")?,
                bandwidth_hz: table.needed_number("bandwidth_hz", "a resonance")?,
                gain: table.number_or("gain", 1.0)?,
            })
        })?;
        Ok(Self { params: node.params()?, resonances })
    }
}
