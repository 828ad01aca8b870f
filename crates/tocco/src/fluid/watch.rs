// SPDX-License-Identifier: MIT OR Apache-2.0
//! What happened to the water in a frame: who collided, in which clusters, what flies, where its surfaces are, how deep it stands.
//!
//! **What.** The analysis of the particles between two pictures: from velocities and neighbours alone, without a mesh.
//!
//! **Law.**
//! - `[fluid.7]  a particle collides if u0 < -0.3 m/s and u1 - u0 + g T > 0.6 m/s`: it fell, and something stopped it
//! - `[fluid.8]  h = median over bins of (fallen particles slower than 1 m/s) d^2/width`: level at the start of the frame
//! - `[fluid.9]  n = V sum grad W`: a top where n_y h < -0.25 and |n_y| > 2 |n_x|, an underside where it is above 0.25
//!
//! **Symbols.** u0, u1 velocities upwards at the start and end of the frame, m/s; T its length s; d spacing m; bins are 4 d wide; fallen is
//! who has collided once, or was put on the floor; h in \[fluid.9\] the smoothing length.
//!
//! **Step.** [`Watcher::frame`] takes u0, lets the tank go on, compares. Colliding particles nearer than 2 d are one cluster, by union of
//! sets; a drop has no neighbour within 2 d and is higher than 2 d; a lump in the air is a group of 2 to 39.
//!
//! **Sources.** De Sena et al. 2009, section 4.3.3 (features), whose thresholds are not printed; these are ours.

use super::{SUBSTEPS_HZ, Tank};
use crate::math::Real;

/// Slower than this, m/s, is not falling.
const FALLING_M_S: Real = 0.3;
/// Change of velocity that is a collision, m/s.
const STOPPED_M_S: Real = 0.6;
/// Fallen water faster than this, m/s, does not stand.
const STANDING_M_S: Real = 1.0;
/// Neighbours of clusters and drops are nearer than so many spacings.
const NEAR: Real = 2.0;
/// Width of a bin of the level, spacings.
const BIN: Real = 4.0;
/// A group of so many is no lump in the air any more.
const LUMP: u32 = 40;
/// Least gradient of a surface, per smoothing length.
const SURFACE: Real = 0.25;

/// How a particle moves: the three colours of the paper's figure 4.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// Not falling: blue.
    Resting,
    /// Falling: green.
    Falling,
    /// Collided in this frame: pink.
    Colliding,
}

/// Particles that collided together.
#[derive(Clone, Debug, PartialEq)]
pub struct Cluster {
    /// Who, in rising order.
    pub particles: Vec<u32>,
    /// Radius of a disc of as much water, m.
    pub radius_m: Real,
    /// Mean change of velocity, m/s.
    pub speed_m_s: Real,
    /// Where, m.
    pub at: [Real; 2],
}

/// What happened in a frame.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Start, s.
    pub start_s: Real,
    /// Length, s.
    pub length_s: Real,
    /// Level of the water at the start, m.
    pub level_m: Real,
    /// Clusters of collisions, the largest first.
    pub clusters: Vec<Cluster>,
    /// Particles that collided.
    pub collisions: usize,
    /// Drops in the air, of one particle.
    pub drops: usize,
    /// Lumps in the air, of 2 to 39 particles.
    pub lumps: usize,
    /// Particles of a horizontal surface with air above.
    pub tops: usize,
    /// Particles of a horizontal surface with air below.
    pub undersides: usize,
    /// How each moves.
    pub motion: Vec<Motion>,
}

/// Watches a tank frame by frame.
#[derive(Clone, Debug)]
pub struct Watcher {
    substeps: u32,
    fallen: Vec<bool>,
    before: Vec<Real>,
    sums: Vec<[Real; 4]>,
    groups: Groups,
    frame: Frame,
}

impl Watcher {
    /// So many frames a second, a divisor of 480 from 10 to 120; or why not.
    pub fn new(frames_hz: u32) -> Result<Self, String> {
        if !(10..=120).contains(&frames_hz) || !SUBSTEPS_HZ.is_multiple_of(frames_hz) {
            return Err(format!(
                "{frames_hz} frames a second; give 10, 12, 15, 16, 20, 24, 30, 32, 40, 48, 60, 80, 96 or 120"
            ));
        }
        Ok(Self {
            substeps: SUBSTEPS_HZ / frames_hz,
            fallen: Vec::new(),
            before: Vec::new(),
            sums: Vec::new(),
            groups: Groups::default(),
            frame: Frame::default(),
        })
    }

    /// Sub-steps of a frame.
    pub fn substeps(&self) -> u32 {
        self.substeps
    }

    /// Lets the tank go on by a frame, and says what happened in it. `[control]`
    pub fn frame(&mut self, tank: &mut Tank) -> &Frame {
        let count = tank.len();
        // Whatever was poured since is new; who is gone took all with it.
        self.fallen.truncate(count);
        self.fallen.extend_from_slice(&tank.resting[self.fallen.len()..]);
        let gravity = tank.gravity();
        let g = (gravity[0] * gravity[0] + gravity[1] * gravity[1]).sqrt();
        let up = if g > 0.0 { gravity.map(|a| -a / g) } else { [0.0, 1.0] };
        let upwards = |tank: &Tank, k: usize| up[0] * tank.speed[0][k] + up[1] * tank.speed[1][k];
        let frame = &mut self.frame;
        frame.start_s = tank.time_s();
        frame.length_s = Real::from(self.substeps) / Real::from(SUBSTEPS_HZ);
        frame.level_m = level(tank, &self.fallen, up);
        self.before.clear();
        self.before.extend((0..count).map(|k| upwards(tank, k)));
        tank.advance(self.substeps);

        frame.motion.clear();
        let fall = g * frame.length_s;
        let jump = |tank: &Tank, before: &[Real], k: usize| upwards(tank, k) - before[k] + fall;
        for k in 0..count {
            let collides = self.before[k] < -FALLING_M_S && jump(tank, &self.before, k) > STOPPED_M_S; // [fluid.7]
            self.fallen[k] |= collides;
            frame.motion.push(match upwards(tank, k) {
                _ if collides => Motion::Colliding,
                u if u < -FALLING_M_S => Motion::Falling,
                _ => Motion::Resting,
            });
        }
        let near = (NEAR * tank.def.spacing_m) * (NEAR * tank.def.spacing_m);
        let (place, kernel, h) = (tank.place.clone(), tank.kernel, super::SMOOTHING * tank.def.spacing_m);
        let pairs = tank.neighbours();

        // Clusters of those that collided.
        let collides = |k: usize| self.frame.motion[k] == Motion::Colliding;
        self.groups.start(count);
        pairs.each(&place, |one, other, [dx, dy]| {
            if dx * dx + dy * dy < near && collides(one) && collides(other) {
                self.groups.join(one, other);
            }
        });
        let mut number = vec![usize::MAX; count];
        let mut clusters: Vec<Cluster> = Vec::new();
        for k in (0..count).filter(|k| collides(*k)) {
            let root = self.groups.root(k);
            if number[root] == usize::MAX {
                number[root] = clusters.len();
                clusters.push(Cluster { particles: Vec::new(), radius_m: 0.0, speed_m_s: 0.0, at: [0.0; 2] });
            }
            let cluster = &mut clusters[number[root]];
            cluster.particles.push(k as u32);
            cluster.at[0] += place[0][k];
            cluster.at[1] += place[1][k];
        }
        // Everything, by what hangs together.
        let mut lonely = vec![true; count];
        self.groups.start(count);
        pairs.each(&place, |one, other, [dx, dy]| {
            if dx * dx + dy * dy < near {
                self.groups.join(one, other);
                (lonely[one], lonely[other]) = (false, false);
            }
        });
        let frame = &mut self.frame;
        let high = NEAR * tank.def.spacing_m;
        frame.drops = (0..count).filter(|k| lonely[*k] && place[1][*k] > high).count();
        let lump = |k: usize| self.groups.parent[k] as usize == k && (2..LUMP).contains(&self.groups.size[k]);
        frame.lumps = (0..count).filter(|k| lump(*k)).count();
        for cluster in &mut clusters {
            let size = cluster.particles.len() as Real;
            cluster.radius_m = tank.def.spacing_m * (size / crate::math::PI).sqrt();
            cluster.at = cluster.at.map(|x| x / size);
            let jumps = cluster.particles.iter().map(|k| jump(tank, &self.before, *k as usize));
            cluster.speed_m_s = jumps.sum::<Real>() / size;
        }
        crate::order::sort(&mut clusters, |a, b| {
            b.particles.len().cmp(&a.particles.len()).then(a.particles[0].cmp(&b.particles[0]))
        });
        frame.collisions = clusters.iter().map(|cluster| cluster.particles.len()).sum();
        frame.clusters = clusters;

        self.sums.resize(count, [0.0; 4]);
        tank.pairs.weigh(&place, &kernel, &mut self.sums);
        (frame.tops, frame.undersides) = (0, 0);
        for [_, _, nx, ny] in &self.sums {
            // [fluid.9]
            if ny.abs() * h > SURFACE && ny.abs() > 2.0 * nx.abs() {
                *(if *ny < 0.0 { &mut frame.tops } else { &mut frame.undersides }) += 1;
            }
        }
        frame
    }

    /// Level of the water as it stands now, m.
    pub fn level_m(&self, tank: &Tank) -> Real {
        let fallen: Vec<bool> = self.fallen.iter().copied().chain(core::iter::repeat(false)).take(tank.len()).collect();
        level(tank, &fallen, [0.0, 1.0])
    }
}

/// `[fluid.8]`
fn level(tank: &Tank, fallen: &[bool], up: [Real; 2]) -> Real {
    let d = tank.def.spacing_m;
    let bins = ((tank.def.width_m / (BIN * d) + 0.5) as usize).max(1);
    let width = tank.def.width_m / bins as Real;
    let mut counts = vec![0u32; bins];
    for (k, _) in fallen.iter().enumerate().filter(|(_, fallen)| **fallen) {
        if (up[0] * tank.speed[0][k] + up[1] * tank.speed[1][k]).abs() < STANDING_M_S {
            counts[((tank.place[0][k] / width) as usize).min(bins - 1)] += 1;
        }
    }
    counts.sort_unstable();
    let middle = 0.5 * Real::from(counts[(bins - 1) / 2] + counts[bins / 2]);
    middle * d * d / width // [fluid.8]
}

/// Sets that are joined.
#[derive(Clone, Debug, Default)]
struct Groups {
    parent: Vec<u32>,
    size: Vec<u32>,
}

impl Groups {
    fn start(&mut self, count: usize) {
        self.parent.clear();
        self.parent.extend(0..count as u32);
        self.size.clear();
        self.size.resize(count, 1);
    }

    fn root(&mut self, of: usize) -> usize {
        let mut at = of;
        while self.parent[at] as usize != at {
            self.parent[at] = self.parent[self.parent[at] as usize];
            at = self.parent[at] as usize;
        }
        at
    }

    fn join(&mut self, one: usize, other: usize) {
        let (a, b) = (self.root(one), self.root(other));
        if a != b {
            let (low, high) = (a.min(b), a.max(b));
            self.parent[high] = low as u32;
            self.size[low] += self.size[high];
        }
    }
}
