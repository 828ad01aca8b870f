// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is heard of the water: hits where it collides, bubbles where it stands deep enough.
//!
//! **What.** The rules by which a frame becomes timed sounds. Every cluster of collisions is one event, the larger the deeper; some of its
//! particles are heard alone. An event is a hit; if the water stands higher than a threshold it is a bubble, too.
//!
//! **Law.**
//! - `[fluid.10]  R = d sqrt(N/pi)` of a cluster of N, `d (0.5 + U)` of a single one; `a = 0.5 min(1, v/3) (min(R, 0.06)/0.02)^0.8 (0.5 + 0.5 U)`
//! - `[fluid.11]  r = 0.16 R (0.6 + 0.8 s) e^(0.25 n)`, from 0.6 to 12 mm and at most 0.4 h; `a = 0.5 min(1, v/3) (r/4 mm)^0.8`
//! - `[fluid.12]  xi = 0.02 + 0.18 s U`, s = min(1, h/0.1 m): the deeper, the more it rises
//! - `[fluid.13]  t = t_frame + U T`, of a bubble `0.3 sqrt(R/g) U` later
//!
//! **Symbols.** v change of velocity m/s; h level m; xi rise of the pitch within 1/decay; U uniform from 0 to 1, n normal: from the seed. At
//! most 24 events a frame: clusters first, the largest first, then of each up to 0.12 N single ones.
//!
//! **Step.** [`Rules::sounds`] of a frame. A frame must be over before it can be heard: played live everything comes one frame later.
//!
//! **Sources.** De Sena et al. 2009, section 4.3.3: impacts first, bubbles only over standing water, pitch inverse to the size of a cluster, size and slope
//! with the level. The paper prints no number; the numbers are ours.

use super::watch::{Cluster, Frame};
use crate::math::{Real, exp, pow};
use crate::rng::Rng;

/// Radii of bubbles, m.
const BUBBLES_M: [Real; 2] = [0.0006, 0.012];
/// Largest radius that makes a hit louder, m.
const LOUDEST_M: Real = 0.06;
/// Share of a cluster's particles that are heard alone.
const ALONE: Real = 0.12;
/// Level at which bubbles are largest and rise most, m.
const DEEP_M: Real = 0.1;

/// Which sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Noise of an impact.
    Hit,
    /// A bubble.
    Bubble,
}

impl Kind {
    /// Its name in tables.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Hit => "hit",
            Kind::Bubble => "bubble",
        }
    }
}

/// One sound, in SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sound {
    /// When, s.
    pub time_s: Real,
    /// Hit or bubble.
    pub kind: Kind,
    /// Radius of what hits, or of the bubble, m.
    pub radius_m: Real,
    /// How loud: 0.5 for a bubble of 4 mm or a hit of 2 cm at 3 m/s and above.
    pub amplitude: Real,
    /// Of a bubble: rise of its pitch within 1/decay, as a fraction.
    pub rise: Real,
    /// Where, m.
    pub at: [Real; 2],
    /// Level of the water then, m.
    pub level_m: Real,
    /// Change of velocity, m/s.
    pub speed_m_s: Real,
    /// Particles of its cluster; 1 for a single one.
    pub particles: usize,
}

/// The rules.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Level above which there are bubbles, m.
    pub level_min_m: Real,
    /// Most events of a frame.
    pub most: usize,
    rng: Rng,
}

impl Rules {
    /// As the paper has it, with what is random from a seed.
    pub fn new(seed: u64) -> Self {
        Self { level_min_m: 0.05, most: 24, rng: Rng::new(seed, "fluid") }
    }

    /// What is heard of a frame, in order of time. `[control]`
    pub fn sounds(&mut self, frame: &Frame, spacing_m: Real, places: [&[Real]; 2]) -> Vec<Sound> {
        let mut sounds = Vec::new();
        let clusters = &frame.clusters[..frame.clusters.len().min(self.most)];
        let mut left = self.most - clusters.len();
        for cluster in clusters {
            self.event(frame, cluster, cluster.radius_m, cluster.at, cluster.particles.len(), &mut sounds);
        }
        for cluster in clusters {
            let alone = ((ALONE * cluster.particles.len() as Real) as usize).min(left);
            left -= alone;
            for _ in 0..alone {
                let which = (self.rng.unit() * cluster.particles.len() as Real) as usize;
                let who = cluster.particles[which.min(cluster.particles.len() - 1)] as usize;
                let radius_m = spacing_m * (0.5 + self.rng.unit()); // [fluid.10]
                self.event(frame, cluster, radius_m, [places[0][who], places[1][who]], 1, &mut sounds);
            }
        }
        crate::order::sort(&mut sounds, |a, b| a.time_s.total_cmp(&b.time_s));
        sounds
    }

    fn event(
        &mut self,
        frame: &Frame,
        cluster: &Cluster,
        radius_m: Real,
        at: [Real; 2],
        particles: usize,
        out: &mut Vec<Sound>,
    ) {
        let (h, v) = (frame.level_m, cluster.speed_m_s);
        let force = 0.5 * (v / 3.0).min(1.0);
        let time_s = frame.start_s + self.rng.unit() * frame.length_s; // [fluid.13]
        let loud = pow(radius_m.min(LOUDEST_M) / 0.02, 0.8);
        let hit = Sound {
            time_s,
            kind: Kind::Hit,
            radius_m,
            amplitude: force * loud * (0.5 + 0.5 * self.rng.unit()), // [fluid.10]
            rise: 0.0,
            at,
            level_m: h,
            speed_m_s: v,
            particles,
        };
        out.push(hit);
        if h > fault!(FLUID_STANDS, self.level_min_m, 0.0) {
            let s = (h / DEEP_M).min(1.0);
            let r = 0.16 * radius_m * (0.6 + fault!(FLUID_SIZE, 0.8, 0.0) * s) * exp(0.25 * self.rng.normal());
            let r = r.clamp(BUBBLES_M[0], BUBBLES_M[1]).min(0.4 * h); // [fluid.11]
            let delay = 0.3 * (radius_m / super::GRAVITY_M_S2).sqrt() * self.rng.unit();
            out.push(Sound {
                time_s: time_s + delay, // [fluid.13]
                kind: Kind::Bubble,
                radius_m: r,
                amplitude: force * pow(r / 0.004, 0.8), // [fluid.11]
                rise: 0.02 + 0.18 * fault!(FLUID_RISE, s, 1.0 - s) * self.rng.unit(), // [fluid.12]
                ..hit
            });
        }
    }
}
