// SPDX-License-Identifier: MIT OR Apache-2.0
//! Water in a tank, seen from the side: particles that keep their density, 480 sub-steps a second.
//!
//! **What.** A position-based fluid in two dimensions. Each particle is a square of water of side `d`. A step lets all fall freely, then
//! moves those apart that stand too densely; what they moved is their velocity. It runs at control level, frame by frame, never in
//! `Engine::render`: a frame is some milliseconds of work. [`watch`] says what happened in a frame, [`sound`] what of it is heard.
//!
//! **Law.**
//! - `[fluid.1]  W = 7/(4 pi h^2) (1 - q/2)^4 (2 q + 1)`, `grad W = -35/(4 pi h^4) (1 - q/2)^3 r`, q = |r|/h below 2, else 0 (Wendland C2)
//! - `[fluid.2]  C = V sum_j W + sum_walls L(d) - 1`: how much too dense it is at a particle
//! - `[fluid.3]  l = -w max(C, 0)/(|V sum_j grad W + sum L' n|^2 + V^2 sum_j |grad W|^2)`: pressure, which only pushes
//! - `[fluid.4]  dx = V sum_j (l + l_j) grad W + l sum_walls L' n`, at most d/2
//! - `[fluid.5]  v = (x* - x)/dt`, at most 2 sqrt(g y_top), then `v += 0.01 (V sum_j W (v_j - v) - sum_walls L v_t)`: neighbours
//!   share a hundredth, and the water that would stand behind a wall is at rest; v_t is along the wall
//! - `[fluid.6]  L(s) = integral of W beyond a plane at distance s`: what a wall weighs as if water stood behind it
//!
//! **Symbols.** d spacing m; h = 1.3 d smoothing length; V = 1/(sum of W over a full lattice), so that such a lattice has density 1; w = 0.4
//! relaxation; n normal of a wall, inwards; dt = 1/480 s; y_top the highest place from which water came. Masses are 1000 d^2 kg per metre
//! of depth. Positions are those of the tank's own frame: a tank that is tilted has another gravity.
//!
//! **Step.** v += g dt, x* = x + v dt, clamped into the box less d/2; pairs nearer than 2 h + 0.3 d by a grid, once; twice \[fluid.2\] to
//! \[fluid.4\]; then \[fluid.5\]. Only + - x / and square roots, in a fixed order: the same bits on every machine. Walls clamp, so nothing
//! leaks. With w = 0.4 and two turns energy never came above its start (tests); with w = 1, or with one turn, it does.
//!
//! **Sources.** M. Macklin, M. Mueller, Position based fluids, ACM Trans. Graph. 32 (2013); H. Wendland, Adv. Comput. Math. 4 (1995); J. J.
//! Monaghan, J. Comput. Phys. 82 (1989) for the last term of \[fluid.5\]. Compared with J. C. Martin, W. J. Moyce, Phil. Trans. R. Soc. A 244
//! (1952).

mod kernel;
pub mod measured;
mod pairs;
pub mod sound;
pub mod watch;

use crate::hash;
use crate::math::Real;
use kernel::{Kernel, Wall};
use pairs::Pairs;

/// Sub-steps a second.
pub const SUBSTEPS_HZ: u32 = 480;
/// Most particles of a tank.
pub const MOST_PARTICLES: usize = 4096;
/// Acceleration of a tank that stands upright, m/s^2.
pub const GRAVITY_M_S2: Real = 9.81;
/// Density of water, kg/m^3.
pub const DENSITY_KG_M3: Real = 1000.0;

/// Smoothing length over spacing.
const SMOOTHING: Real = 1.3;
/// Relaxation of \[fluid.3\]; more than 2048 particles want less.
const RELAXATION: Real = 0.4;
const RELAXATION_MANY: Real = 0.3;
const MANY: usize = 2048;
/// Turns of \[fluid.2\] to \[fluid.4\] in a step.
const TURNS: usize = 2;
/// Share of the neighbours' velocity in \[fluid.5\].
const SMEAR: Real = 0.01;

/// A tank without water.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TankDef {
    /// Inner width, m.
    pub width_m: Real,
    /// Inner height, m; the lid is shut.
    pub height_m: Real,
    /// Side of the square of water that a particle is, m.
    pub spacing_m: Real,
}

/// A rectangle of water.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Block {
    /// Left edge, m from the left wall.
    pub x_m: Real,
    /// Lower edge, m above the floor.
    pub y_m: Real,
    /// Width, m.
    pub width_m: Real,
    /// Height, m.
    pub height_m: Real,
}

impl TankDef {
    /// Why such a tank cannot be, if so: one line.
    pub fn check(&self) -> Result<(), String> {
        let Self { width_m, height_m, spacing_m } = *self;
        if !(5e-4..=0.1).contains(&spacing_m) {
            return Err(format!("a spacing of {spacing_m} m; give 0.0005 to 0.1 m"));
        }
        for (what, size) in [("width", width_m), ("height", height_m)] {
            if !(size >= 8.0 * spacing_m && size <= 20.0 && size <= 2000.0 * spacing_m) {
                let (least, most) = (8.0 * spacing_m, (2000.0 * spacing_m).min(20.0));
                return Err(format!("a tank of {what} {size} m; give {least} to {most} m, 8 to 2000 particles"));
            }
        }
        Ok(())
    }
}

/// Water in a tank.
#[derive(Clone, Debug)]
pub struct Tank {
    def: TankDef,
    gravity: [Real; 2],
    kernel: Kernel,
    wall: Wall,
    /// Highest place from which water came, m.
    top: Real,
    place: [Vec<Real>; 2],
    speed: [Vec<Real>; 2],
    /// True of those that were put on the floor.
    resting: Vec<bool>,
    /// Where each would be, and what is needed on the way.
    next: [Vec<Real>; 2],
    lambda: Vec<Real>,
    wall_push: Vec<[Real; 2]>,
    moved: Vec<[Real; 2]>,
    sums: Vec<[Real; 4]>,
    pairs: Pairs,
    steps: u64,
}

impl Tank {
    /// An empty tank, or why it cannot be. `[control]`
    pub fn new(def: TankDef) -> Result<Self, String> {
        def.check()?;
        let smoothing = SMOOTHING * def.spacing_m;
        Ok(Self {
            def,
            gravity: [0.0, -GRAVITY_M_S2],
            kernel: Kernel::new(def.spacing_m, smoothing),
            wall: Wall::new(smoothing),
            top: 0.0,
            place: Default::default(),
            speed: Default::default(),
            resting: Vec::new(),
            next: Default::default(),
            lambda: Vec::new(),
            wall_push: Vec::new(),
            moved: Vec::new(),
            sums: Vec::new(),
            pairs: Pairs::new(2.0 * smoothing + 0.3 * def.spacing_m),
            steps: 0,
        })
    }

    /// The tank.
    pub fn def(&self) -> &TankDef {
        &self.def
    }

    /// How many particles there are.
    pub fn len(&self) -> usize {
        self.place[0].len()
    }

    /// True without water.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Seconds since the start.
    pub fn time_s(&self) -> Real {
        self.steps as Real / Real::from(SUBSTEPS_HZ)
    }

    /// Where the particles are, m from the left wall and above the floor: all x, all y.
    pub fn places(&self) -> [&[Real]; 2] {
        [&self.place[0], &self.place[1]]
    }

    /// Their velocities, m/s.
    pub fn velocities(&self) -> [&[Real]; 2] {
        [&self.speed[0], &self.speed[1]]
    }

    /// Acceleration of free fall in the tank's own frame, m/s^2.
    pub fn gravity(&self) -> [Real; 2] {
        self.gravity
    }

    /// Tilts the tank: acceleration of free fall in its own frame, m/s^2. What is not a number is left alone.
    pub fn tilt(&mut self, gravity: [Real; 2]) {
        if gravity.iter().all(|g| g.is_finite() && g.abs() <= 100.0) {
            self.gravity = gravity;
        }
    }

    /// Puts a block of water in, at rest; how many particles it took. What lies outside the box or on water that is there is left out,
    /// and what exceeds [`MOST_PARTICLES`].
    pub fn fill(&mut self, block: Block) -> usize {
        let d = self.def.spacing_m;
        // Counts stay small whatever is asked for.
        let count = |length: Real| (length / d + 0.5).clamp(0.0, 4096.0) as usize;
        let (before, (columns, rows)) = (self.len(), (count(block.width_m), count(block.height_m)));
        for row in 0..rows {
            for column in 0..columns {
                let at = [block.x_m + (column as Real + 0.5) * d, block.y_m + (row as Real + 0.5) * d];
                self.drop_at(at, [0.0, 0.0], before);
            }
        }
        let on_floor = block.y_m < 0.5 * d;
        self.resting[before..].fill(on_floor);
        self.len() - before
    }

    /// Pours: a row of water of this width, m, at a place, with a velocity, m/s; how many particles came. Called once a frame it is a
    /// stream, as thick as the water that came before has left.
    pub fn pour(&mut self, at: [Real; 2], width_m: Real, velocity: [Real; 2]) -> usize {
        let d = self.def.spacing_m;
        let count = ((width_m / d).clamp(1.0, 256.0)) as usize;
        let before = self.len();
        for k in 0..count {
            let x = at[0] + (k as Real - 0.5 * (count as Real - 1.0)) * d;
            self.drop_at([x, at[1]], velocity, before);
        }
        self.len() - before
    }

    /// One particle, unless there is no room for it among the first `among`.
    fn drop_at(&mut self, at: [Real; 2], velocity: [Real; 2], among: usize) {
        let d = self.def.spacing_m;
        let inside = |axis: usize, size: Real| at[axis] >= 0.5 * d * 0.999 && at[axis] <= size - 0.5 * d * 0.999;
        let sound = velocity.iter().all(|v| v.is_finite() && v.abs() <= 100.0);
        if self.len() >= MOST_PARTICLES || !inside(0, self.def.width_m) || !inside(1, self.def.height_m) || !sound {
            return;
        }
        let near = |k: usize| {
            let (dx, dy) = (self.place[0][k] - at[0], self.place[1][k] - at[1]);
            dx * dx + dy * dy < 0.8 * 0.8 * d * d
        };
        if (0..among).any(near) {
            return;
        }
        for axis in 0..2 {
            self.place[axis].push(at[axis]);
            self.speed[axis].push(velocity[axis]);
        }
        self.resting.push(false);
        let g = GRAVITY_M_S2;
        let thrown = (velocity[0] * velocity[0] + velocity[1] * velocity[1]) / (2.0 * g);
        self.top = self.top.max(at[1] + 0.5 * d + thrown).min(self.def.height_m.max(self.top));
        for axis in &mut self.next {
            axis.push(0.0);
        }
        self.lambda.push(0.0);
        self.wall_push.push([0.0; 2]);
        self.moved.push([0.0; 2]);
        self.sums.push([0.0; 4]);
    }

    /// A hand that goes through the water: particles within a radius, m, take a velocity, m/s, the nearer the more. How many.
    pub fn stir(&mut self, at: [Real; 2], radius_m: Real, velocity: [Real; 2]) -> usize {
        if !velocity.iter().chain(&at).all(|v| v.is_finite()) || radius_m.is_nan() || radius_m <= 0.0 {
            return 0;
        }
        // Water may fly as high as the tank is.
        self.top = self.top.max(self.def.height_m);
        let mut touched = 0;
        for k in 0..self.len() {
            let (dx, dy) = (self.place[0][k] - at[0], self.place[1][k] - at[1]);
            let share = 1.0 - (dx * dx + dy * dy) / (radius_m * radius_m);
            if share > 0.0 {
                for (speed, hand) in self.speed.iter_mut().zip(velocity) {
                    speed[k] += share * (hand.clamp(-20.0, 20.0) - speed[k]);
                }
                touched += 1;
            }
        }
        touched
    }

    /// Kinetic energy and that of height above the floor, per metre of depth, J/m. Under tilt it is that of the tilted field.
    pub fn energy_j_m(&self) -> Real {
        let mass = DENSITY_KG_M3 * self.def.spacing_m * self.def.spacing_m;
        let mut sum = 0.0;
        for k in 0..self.len() {
            let [x, y] = [self.place[0][k], self.place[1][k]];
            let [u, v] = [self.speed[0][k], self.speed[1][k]];
            sum += 0.5 * (u * u + v * v) - self.gravity[0] * x - self.gravity[1] * y;
        }
        mass * sum
    }

    /// Hash of every position and velocity, by which two machines compare bits.
    pub fn hash(&self) -> u64 {
        let all = self.place.iter().chain(&self.speed).flatten();
        all.fold(hash::START, |hash, x| hash::bytes(hash, &x.to_bits().to_le_bytes()))
    }

    /// Goes on by so many sub-steps of 1/480 s. `[control]`
    pub fn advance(&mut self, substeps: u32) {
        for _ in 0..substeps {
            self.step();
        }
    }

    /// Pairs of neighbours as they stand now; for whoever looks at the water.
    fn neighbours(&mut self) -> &Pairs {
        self.pairs.find(&self.place, [self.def.width_m, self.def.height_m]);
        &self.pairs
    }

    fn step(&mut self) {
        let (dt, d) = (1.0 / Real::from(SUBSTEPS_HZ), self.def.spacing_m);
        let size = [self.def.width_m, self.def.height_m];
        let count = self.len();
        for (axis, size) in size.into_iter().enumerate() {
            for k in 0..count {
                self.speed[axis][k] += fault!(FLUID_FALL, self.gravity[axis], times 0.7) * dt;
                let x = self.place[axis][k] + self.speed[axis][k] * dt;
                self.next[axis][k] = x.clamp(0.5 * d, size - 0.5 * d);
            }
        }
        self.pairs.find(&self.next, size);
        let relaxation = fault!(FLUID_PRESSURE, if count > MANY { RELAXATION_MANY } else { RELAXATION }, times 0.1);
        for _ in 0..TURNS {
            self.pairs.weigh(&self.next, &self.kernel, &mut self.sums);
            for k in 0..count {
                let [mut density, squares, mut gx, mut gy] = self.sums[k];
                let mut push = [0.0; 2];
                for axis in 0..2 {
                    let x = self.next[axis][k];
                    // [fluid.6]: both walls of this axis, where they are near.
                    for (distance, normal) in [(x, 1.0), (size[axis] - x, -1.0)] {
                        if let Some((weight, slope)) = self.wall.at(distance) {
                            density += weight;
                            push[axis] += slope * normal;
                        }
                    }
                }
                gx += push[0];
                gy += push[1];
                self.wall_push[k] = push;
                let excess = density - 1.0; // [fluid.2]
                let stiffness = gx * gx + gy * gy + squares + self.kernel.least;
                self.lambda[k] = if excess > 0.0 { -relaxation * excess / stiffness } else { 0.0 }; // [fluid.3]
            }
            self.pairs.push(&self.lambda, &mut self.moved);
            for k in 0..count {
                let mut by: [Real; 2] =
                    core::array::from_fn(|axis| self.moved[k][axis] + self.lambda[k] * self.wall_push[k][axis]); // [fluid.4]
                let way = by[0] * by[0] + by[1] * by[1];
                if way > 0.25 * d * d {
                    let share = 0.5 * d / way.sqrt();
                    by = by.map(|x| x * share);
                }
                for axis in 0..2 {
                    self.next[axis][k] = (self.next[axis][k] + by[axis]).clamp(0.5 * d, size[axis] - 0.5 * d);
                }
            }
        }
        let most = 2.0 * (GRAVITY_M_S2 * self.top).sqrt();
        for k in 0..count {
            // [fluid.5]
            let mut speed: [Real; 2] = core::array::from_fn(|axis| (self.next[axis][k] - self.place[axis][k]) / dt);
            let square = speed[0] * speed[0] + speed[1] * speed[1];
            if square > most * most {
                let share = most / square.sqrt();
                speed = speed.map(|v| v * share);
            }
            for (axis, speed) in speed.into_iter().enumerate() {
                self.speed[axis][k] = speed;
                self.place[axis][k] = self.next[axis][k];
            }
        }
        self.pairs.smear(&self.speed, &mut self.moved);
        for k in 0..count {
            for axis in 0..2 {
                // Along this axis run the walls that stand across the other.
                let across = self.place[1 - axis][k];
                let near = |distance: Real| self.wall.at(distance).map_or(0.0, |(weight, _)| weight);
                let walls = near(across) + near(size[1 - axis] - across);
                let along = self.moved[k][axis] - fault!(SLIPPERY_WALLS, walls, 0.0) * self.speed[axis][k];
                self.speed[axis][k] += SMEAR * along; // [fluid.5]
            }
        }
        self.steps += 1;
    }
}
