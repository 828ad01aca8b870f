// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bodies that bend back: large motion stretches a body, and what is stretched is stiffer.
//!
//! **What.** A bank of modes with one more store of energy: what stretching holds. A string or a skin that swings wide is
//! under more tension and sounds higher until it has calmed down; a sheet of metal hands the energy of its low modes on
//! to its high ones, so that a gong struck hard grows brighter after the blow. Small motion is that of
//! [`modal`](super::modal).
//!
//! **Law.** Modes of 1 kg (q times the root of the modal mass), C their displacement per held unit of force within a step:
//! - `[bending.1]  V = 1/2 sum_k y_k^2`, `y_k = 1/2 q' G_k q`; G_k from the geometry, see `shape/stretch.rs`
//! - `[bending.2]  psi = sqrt(2 V)`, `g = grad V/psi`: `q'' + 2 sigma q' + omega^2 q = phi F - g psi`, `psi' = g' q'`
//! - `[bending.3]  s = (g'd + b'F - alpha psi)/(1 + alpha/2)`, d the free motion of the step, `alpha = g'C g`, `b = phi'C g`;
//!   `psi += s`
//! - `[bending.4]  stroke = phi'd + phi'C phi F - b (psi + s/2)`, so `L = phi'C phi - b b'/(2 + alpha)`
//! - `[bending.5]  g -= lambda e d/|d|^2`, e by how much psi is more than sqrt(2 V): brings psi back, at no cost of energy
//! - `[bending.6]  psi <= gamma E`, `gamma^2 = sum_k |G_k/(omega omega)|^2`: below `gamma^2 E/2 = 1e-12` the body is taken for linear
//!
//! **Symbols.** E energy of the body, J; psi root of twice the stretching energy, sqrt(J); lambda a share per sample.
//!
//! **Step.** The force of stretching is held as contact forces are, `-g (psi + s/2)`. Under a held force the energy of the
//! modes changes by force times displacement less losses, that of stretching by `(psi + s/2) s` with `s = g'dq`: the two
//! cancel, for **any** g and any step. So energy - work never rises, whatever g is; g only decides how accurate the
//! step is. It is read half way through the time for which it is held (second order): a sample, a part of one where
//! alpha exceeds [`LARGEST_ALPHA`], or a few samples where even the highest mode hardly moves in them. Sub-steps that a
//! contact asks for share one g. The stroke is affine in the forces, hence a port like any other.
//!
//! **Sources.** The potential of plates: von Karman (1910); of strings: Kirchhoff, Carrier (1945); of skins: Berger (1955).
//! Scalar auxiliary variables for these: Bilbao, Ducceschi, Zama (2023); the affine port, the reading of g and [bending.5] are ours.

mod lanes;
mod motion;
mod potential;

use super::kernel::{LANES, Line, Path, join};
use super::modal::{ModalParams, ModeRow, Tuning, step_response};
use super::{LEVELS, Motion};
use crate::math::{PI, Real, TAU};
use crate::param::{Params, Spec, Tunable};
use crate::units::{decay_rate, rad_s};
use potential::{Potential, gamma2, layout, potential, scale};

/// Beyond this a step of a whole sample is not accurate.
pub const LARGEST_ALPHA: Real = 0.05;
/// Share of the error of psi that is taken away per sample.
const LAMBDA: Real = 0.03;
/// Most that [bending.5] may add to g, as a part of it.
const LARGEST_CORRECTION: Real = 0.05;
/// [bending.6]: part of the energy that stretching may hold in a body taken for linear.
const NEGLIGIBLE: Real = 1e-12;
/// Parts of a sample in which the age of g is counted: the finest sub-step.
const PARTS: u32 = 1 << (LEVELS - 1);
/// Finest sub-steps that a body asks for itself, for one tension and for a sheet.
const FINEST: [usize; 2] = [4, 2];
/// g is held for at most a period of the highest mode over this, and for at most so many samples.
const PER_PERIOD: Real = 8.0;
const LONGEST: u32 = 4;
/// Values below this are zero.
const FLUSH: Real = 1e-200;

/// What is stretched by large motion, in the modes of a body: G_k of [bending.1] for modes as they are, sqrt(J)/m^2.
#[derive(Clone, Debug, PartialEq)]
pub enum Stretch {
    /// One tension everywhere: one diagonal G, a value per mode.
    Tension(Vec<Real>),
    /// A sheet, whose tension differs from place to place.
    Sheet {
        /// Modes of one number stand together: they are stretched by the same others.
        groups: Vec<u32>,
        /// Each G_k as `(i, j, value)` with i <= j, the others being zero.
        squares: Vec<Vec<(usize, usize, Real)>>,
    },
}

/// Coefficients of one size of the step, a line per chunk of modes: [modal.2].
#[derive(Clone)]
struct Sizes {
    qq: Vec<Line>,
    qp: Vec<Line>,
    pq: Vec<Line>,
    pp: Vec<Line>,
    bq: Vec<Line>,
    bp: Vec<Line>,
    /// Made for the present tuning.
    fresh: bool,
}

/// One mode as the scene has it.
#[derive(Clone, Copy)]
struct Mode {
    slot: usize,
    omega: Real,
    sigma: Real,
    mass: Real,
    rigid: bool,
    /// As in [`modal`](super::modal): what a strike beside the place does.
    rank: Real,
    largest_shape: Real,
}

/// A place: shape values over the root of the modal mass.
#[derive(Clone)]
struct Port {
    heard: Vec<Line>,
    /// What a strike aims at, and what it meets.
    aimed: Vec<Line>,
    touched: Vec<Line>,
    beside: bool,
    force_n: Real,
    /// phi'd of the coming step, and b of [bending.3], where they are known.
    free_m: Option<Real>,
    b: Option<Real>,
}

/// A vibrating object whose stretching is felt.
#[derive(Clone)]
pub struct Bending {
    params: ModalParams,
    sample_s: Real,
    path: Path,
    modes: Vec<Mode>,
    /// How many of them are known at every place: all but those of a tail.
    listed: usize,
    potential: Potential,
    /// gamma^2 of [bending.6] at freq_scale 1.
    gamma2: Real,
    /// omega as it is now, rad/s.
    omega: Vec<Line>,
    sizes: Vec<Sizes>,
    level: usize,
    ports: Vec<Port>,
    /// Modes of 1 kg, and psi.
    q: Vec<Line>,
    p: Vec<Line>,
    psi: Real,
    /// Of [bending.2], and how long it has been held, is held and may be held at most, in parts of a sample.
    g: Vec<Line>,
    age: u32,
    hold: u32,
    longest: u32,
    /// Sub-steps it asks for itself.
    wanted: usize,
    /// Taken for linear: g is zero.
    slack: bool,
    /// Of the coming step: d, g'd and whether they are known; alpha likewise; forces at several ports by mode.
    d: Vec<Line>,
    along: Option<Real>,
    alpha: Option<Real>,
    on_modes: Vec<Line>,
    /// Room for reading g.
    half: [Vec<Line>; 4],
    /// P of [bending.4] at the present level, row by row; not a number where unknown.
    yields: Vec<Real>,
    omitted: usize,
}

fn set(row: &mut [Line], slot: usize, value: Real) {
    row[slot / LANES].0[slot % LANES] = value;
}

fn at(row: &[Line], slot: usize) -> Real {
    row[slot / LANES].0[slot % LANES]
}

impl Bending {
    /// A body at rest: its modes and places, and what stretches it. `[control]`
    pub fn new(params: ModalParams, tuning: &Tuning, stretch: &Stretch, sample_s: Real, touched: bool) -> Self {
        let Tuning { modes, ports, rigid, .. } = tuning;
        let (slots, chunks) = layout(modes.len(), stretch);
        let rows = || vec![Line::ZERO; chunks];
        let by_freq = crate::order::ascending(modes.len(), &|i| modes[i].0);
        let mut rank = vec![0.0; modes.len()];
        by_freq.iter().enumerate().for_each(|(at, &i)| rank[i] = (at + 1) as Real / modes.len() as Real);
        let mode = |i: usize| {
            let (freq_hz, decay_s, mass): ModeRow = modes[i];
            let largest_shape = tuning.places().iter().fold(0.0, |most: Real, port| most.max(port[i].abs()));
            let (omega, sigma) = (rad_s(freq_hz), decay_rate(decay_s));
            Mode { slot: slots[i], omega, sigma, mass, rigid: i < *rigid, rank: rank[i], largest_shape }
        };
        let modes: Vec<Mode> = (0..modes.len()).map(mode).collect();
        let port = |shape: &Vec<Real>| {
            let mut heard = rows();
            modes.iter().zip(shape).for_each(|(mode, phi)| set(&mut heard, mode.slot, phi / mode.mass.sqrt()));
            let (aimed, touched) = (heard.clone(), heard.clone());
            Port { heard, aimed, touched, beside: false, force_n: 0.0, free_m: None, b: None }
        };
        let ports: Vec<Port> = ports.iter().map(port).collect();
        let listed = modes.len() - tuning.tail.len();
        let top = modes[..listed].iter().fold(1.0, |top: Real, mode| top.max(mode.omega * params.freq_scale));
        let longest = match stretch {
            Stretch::Tension(_) => 1,
            Stretch::Sheet { .. } => {
                let samples = TAU / (top * sample_s * PER_PERIOD);
                (0..).map(|i| 1 << i).take_while(|&n| n <= LONGEST && Real::from(n) <= samples).last().unwrap_or(1)
            }
        };
        let size = |_| Sizes { qq: rows(), qp: rows(), pq: rows(), pp: rows(), bq: rows(), bp: rows(), fresh: false };
        let mut body = Self {
            params,
            sample_s,
            path: *Path::all().last().unwrap_or(&Path::Baseline),
            gamma2: gamma2(&modes, stretch),
            potential: potential(&modes, chunks, stretch),
            omega: rows(),
            sizes: (0..LEVELS).map(size).collect(),
            level: 0,
            q: rows(),
            p: rows(),
            psi: 0.0,
            g: rows(),
            age: 0,
            hold: 0,
            longest: longest * PARTS,
            wanted: 0,
            slack: true,
            d: rows(),
            along: None,
            alpha: None,
            on_modes: rows(),
            half: [rows(), rows(), rows(), rows()],
            yields: vec![Real::NAN; ports.len() * ports.len()],
            omitted: 0,
            ports,
            modes,
            listed,
        };
        body.retune();
        (0..if touched { LEVELS } else { 2 }).for_each(|level| body.make(level));
        body
    }

    /// Where the parameters want a mode: omega and sigma.
    fn aim(&self, mode: &Mode) -> (Real, Real) {
        let ModalParams { freq_scale, decay_scale, .. } = self.params;
        if mode.rigid { (mode.omega, mode.sigma) } else { (mode.omega * freq_scale, mode.sigma / decay_scale) }
    }

    fn sounds(&self, mode: &Mode) -> bool {
        self.aim(mode).0 * self.sample_s < PI
    }

    /// Follows the parameters; every mode keeps its energy, one that no longer fits below half the rate falls silent.
    fn retune(&mut self) {
        self.omitted = 0;
        for i in 0..self.modes.len() {
            let mode = self.modes[i];
            let (now, then) = (self.aim(&mode).0, at(&self.omega, mode.slot));
            set(&mut self.omega, mode.slot, now);
            if !self.sounds(&mode) {
                self.omitted += 1;
                set(&mut self.q, mode.slot, 0.0);
                set(&mut self.p, mode.slot, 0.0);
            } else if now != then && now > 0.0 {
                let kept = at(&self.q, mode.slot) * (then / now);
                set(&mut self.q, mode.slot, kept);
            }
        }
        self.sizes.iter_mut().for_each(|size| size.fresh = false);
        self.make(0);
        self.make(1);
        self.make(self.level);
        self.make(self.wanted + 1);
        self.forget_size();
        self.age = self.hold;
    }

    /// Makes the coefficients of one size of the step.
    fn make(&mut self, level: usize) {
        if self.sizes[level].fresh {
            return;
        }
        let h = self.sample_s / (1u32 << level) as Real;
        for i in 0..self.modes.len() {
            let mode = self.modes[i];
            let (omega, sigma) = self.aim(&mode);
            let (s, integral) = if self.sounds(&mode) { step_response(omega, sigma, h) } else { (0.0, 0.0) };
            let qq = -omega * omega * integral;
            let size = &mut self.sizes[level];
            set(&mut size.qq, mode.slot, qq);
            set(&mut size.qp, mode.slot, s);
            set(&mut size.pq, mode.slot, -omega * omega * s);
            set(&mut size.pp, mode.slot, qq - 2.0 * sigma * s);
            set(&mut size.bq, mode.slot, integral);
            set(&mut size.bp, mode.slot, s);
        }
        self.sizes[level].fresh = true;
    }

    /// The state has changed: the coming step is to be found anew.
    fn forget_step(&mut self) {
        self.along = None;
        self.ports.iter_mut().for_each(|port| port.free_m = None);
    }

    /// The size of the step, the places or g have changed.
    fn forget_size(&mut self) {
        self.forget_step();
        self.forget_g();
        self.yields.fill(Real::NAN);
    }

    fn forget_g(&mut self) {
        self.alpha = None;
        self.along = None;
        self.ports.iter_mut().for_each(|port| port.b = None);
    }

    /// V of [bending.1] at `q`: sqrt(2 V), and g into `gradient`.
    fn read(potential: &Potential, path: Path, factor: Real, q: &[Line], moved: &mut [Line], g: &mut [Line]) -> Real {
        match potential {
            Potential::Tension(weights) => {
                let y = lanes::tension(path, weights, q, g);
                scale(g, factor);
                factor * y
            }
            Potential::Sheet(squares) => {
                let root = lanes::sheet(path, squares, q, moved, g).sqrt();
                scale(g, if root > FLUSH { factor / root } else { 0.0 });
                factor * root
            }
        }
    }

    /// Reads g half way through the time for which it will be held, and how fine the steps must be.
    fn renew(&mut self) {
        self.age = 0;
        let Self { potential, path, half, g, q, p, sizes, sample_s, psi, .. } = self;
        let [there, speed, moved, spare] = half;
        let factor = self.params.stiffening;
        // How long it is held follows from how stiff it was when it was read last.
        let hold = if self.wanted > 0 { PARTS >> self.wanted } else { self.longest };
        self.hold = hold;
        if hold > PARTS {
            lanes::drift(*path, q, p, &sizes[0], there, speed);
            for _ in 1..hold / (2 * PARTS) {
                lanes::drift(*path, there, speed, &sizes[0], moved, spare);
                core::mem::swap(there, moved);
                core::mem::swap(speed, spare);
            }
        } else {
            lanes::drift(*path, q, p, &sizes[(2 * PARTS / hold).ilog2() as usize], there, speed);
        }
        let root = Self::read(potential, *path, factor, there, moved, g);
        // `speed` is no longer needed: it becomes the way there.
        for (way, (there, q)) in speed.iter_mut().zip(there.iter().zip(q.iter())) {
            *way = Line(core::array::from_fn(|l| there.0[l] - q.0[l]));
        }
        let error = match potential {
            Potential::Tension(weights) => *psi - factor * lanes::tension(*path, weights, q, moved),
            Potential::Sheet(_) => *psi + lanes::dot(*path, g, speed) - root,
        };
        let way2 = lanes::dot(*path, speed, speed);
        if way2 > FLUSH {
            let samples = hold as Real / PARTS as Real;
            // What hardly moves cannot be corrected: it would be locked where it is.
            let most = LARGEST_CORRECTION * (lanes::dot(*path, g, g) / way2).sqrt();
            let by = (-0.5 * LAMBDA * samples * error / way2).clamp(-most, most); // [bending.5]
            for (g, way) in g.iter_mut().zip(speed.iter()) {
                *g = Line(core::array::from_fn(|l| g.0[l] + by * way.0[l]));
            }
        }
        let alpha = 0.5 * *sample_s * *sample_s * lanes::dot(*path, g, g);
        let finest = FINEST[usize::from(matches!(potential, Potential::Sheet(_)))];
        let fits = |level: &usize| alpha <= LARGEST_ALPHA * (1u64 << (2 * level)) as Real;
        self.wanted = (0..finest).find(fits).unwrap_or(finest);
        if self.wanted > 0 {
            self.hold = PARTS >> self.wanted;
            self.make(self.wanted + 1);
        }
        self.forget_g();
    }

    /// Everything about the coming step that does not depend on its forces.
    fn prepare(&mut self) -> (Real, Real) {
        if self.along.is_none() && !self.slack && self.age >= self.hold {
            self.renew();
        }
        let size = &self.sizes[self.level];
        let alpha = match self.alpha {
            Some(alpha) => alpha,
            None if self.slack => 0.0,
            None => lanes::dot3(self.path, &self.g, &self.g, &size.bq),
        };
        let along = match self.along {
            Some(along) => along,
            None => lanes::predict(self.path, &self.q, &self.p, size, &self.g, &mut self.d),
        };
        (self.alpha, self.along) = (Some(alpha), Some(along));
        (alpha, along)
    }

    /// b of [bending.3] of a port.
    fn turned(&self, port: usize) -> Real {
        let known = self.ports[port].b;
        known.unwrap_or_else(|| match self.slack {
            true => 0.0,
            false => lanes::dot3(self.path, &self.ports[port].touched, &self.sizes[self.level].bq, &self.g),
        })
    }

    /// P of [bending.4].
    fn plain(&self, to: usize, from: usize) -> Real {
        let known = self.yields[to * self.ports.len() + from];
        match known.is_nan() {
            false => known,
            true => {
                let bq = &self.sizes[self.level].bq;
                lanes::dot3(self.path, &self.ports[to.min(from)].touched, &self.ports[to.max(from)].touched, bq)
            }
        }
    }

    /// Keeps b and P of a port that is asked for.
    fn remember(&mut self, port: usize) {
        self.ports[port].b = Some(self.turned(port));
        for other in 0..self.ports.len() {
            if other == port || self.ports[other].b.is_some() {
                let plain = self.plain(port, other);
                self.yields[port * self.ports.len() + other] = plain;
                self.yields[other * self.ports.len() + port] = plain;
            }
        }
    }

    /// s of [bending.3] under what is pushed.
    fn stretched(&mut self) -> Real {
        let (alpha, along) = self.prepare();
        let mut s = along - alpha * self.psi;
        for port in 0..self.ports.len() {
            if self.ports[port].force_n != 0.0 {
                s += self.turned(port) * self.ports[port].force_n;
            }
        }
        s / (1.0 + 0.5 * alpha)
    }

    fn modal_energy(&self) -> Real {
        let mut sum = [0.0; LANES];
        for ((q, p), omega) in self.q.iter().zip(&self.p).zip(&self.omega) {
            for (l, sum) in sum.iter_mut().enumerate() {
                let wq = omega.0[l] * q.0[l];
                *sum += p.0[l] * p.0[l] + wq * wq;
            }
        }
        0.5 * join(&sum)
    }

    /// Position or velocity in the motions of the body as a whole alone.
    fn as_a_whole(&self, port: usize, row: &[Line]) -> Real {
        let rigid = self.modes.iter().filter(|mode| mode.rigid);
        rigid.map(|mode| at(&self.ports[port].heard, mode.slot) * at(row, mode.slot)).sum()
    }

    fn row(&self, motion: Motion) -> &[Line] {
        if motion == Motion::Position { &self.q } else { &self.p }
    }

    /// It moves, or is about to, by more than [bending.6] leaves out.
    /// True if nothing moves and nothing is stretched.
    fn rests(&self) -> bool {
        let still = |rows: &[Line]| rows.iter().all(|row| row.0.iter().all(|x| *x == 0.0));
        self.psi == 0.0 && still(&self.q) && still(&self.p)
    }

    fn tighten(&mut self) {
        if self.slack {
            (self.slack, self.age, self.hold) = (false, 0, 0);
            self.forget_g();
        }
    }
}

impl Tunable for Bending {
    fn specs(&self) -> &'static [Spec] {
        ModalParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        let before = self.params;
        if before.value(index) == value {
            return;
        }
        self.params.put(index, value);
        let ModalParams { freq_scale, decay_scale, stiffening, .. } = self.params;
        if stiffening < before.stiffening {
            // What no longer pulls is let go; what pulls more takes its energy from the motion, by [bending.5].
            self.psi *= stiffening / before.stiffening;
        }
        // What is at rest goes on as if it had always been so: when it is looked at next does not change.
        let (age, rests) = (self.age, self.rests());
        if (freq_scale, decay_scale) != (before.freq_scale, before.decay_scale) {
            self.retune();
        }
        if rests {
            self.age = age;
        } else {
            self.tighten();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resonator::Resonator;
    use crate::resonator::shape::{MaterialDef, ShapeDef, evaluate_stretched};

    /// A disc of 40 modes and a skin of 30, struck so hard that they are stretched.
    fn bodies() -> [Bending; 2] {
        let made = |id: &str, material, keys: &[(&str, Real)], modes: u32, impulse_n_s: Real| {
            let def = ShapeDef::new(id, MaterialDef::Named(material)).unwrap().with_modes(modes);
            let def = keys.iter().fold(def, |def, (key, value)| def.with(key, *value));
            let (solved, stretch) = evaluate_stretched(&def, &[], 20_000.0).unwrap();
            let modes = solved.modes.iter().map(|m| (m.freq_hz, m.decay_s, m.mass_kg)).collect();
            let tuning = Tuning { modes, ports: solved.shapes, rigid: solved.rigid, ..Tuning::default() };
            let mut body = Bending::new(ModalParams::default(), &tuning, &stretch, 1.0 / 48_000.0, true);
            body.hit(0, impulse_n_s);
            body
        };
        // 0.3 m/s of a kilogram of steel, 3 m/s of 35 g of skin: some of their thickness.
        [
            made("circular-plate", "steel", &[("radius_m", 0.2), ("thickness_m", 0.001)], 40, 0.3),
            made(
                "circular-membrane",
                "mylar",
                &[("radius_m", 0.2), ("thickness_m", 2e-4), ("freq_hz", 100.0)],
                30,
                0.1,
            ),
        ]
    }

    #[test]
    fn every_build_of_the_loops_gives_the_same_bits() {
        for body in bodies() {
            let run = |path: Path| {
                let mut body = body.clone();
                body.path = path;
                let mut heard = Vec::new();
                for step in 0..2_000 {
                    body.push(0, if step % 100 == 0 { 50.0 } else { 0.0 });
                    heard.push(body.free_stroke(0).to_bits());
                    body.commit();
                    heard.push(body.velocity(0).to_bits());
                }
                (heard, body.energy().to_bits())
            };
            let all = Path::all();
            let first = run(all[0]);
            assert!(all.len() > 1 && all.iter().all(|path| run(*path) == first));
        }
    }

    #[test]
    fn a_struck_disc_is_stretched_by_what_its_potential_says() {
        for mut body in bodies() {
            let mut worst: Real = 0.0;
            let mut most: Real = 0.0;
            for i in 0..4_800 {
                body.ring(1, &mut []);
                let mut room = [vec![Line::ZERO; body.q.len()], vec![Line::ZERO; body.q.len()]];
                let [moved, g] = &mut room;
                let root = Bending::read(&body.potential, body.path, 1.0, &body.q, moved, g);
                most = most.max(root);
                // A hit without duration leaves rest in no direction of its own; 5 ms later that is forgotten.
                if i >= 240 {
                    worst = worst.max((body.psi - root).abs());
                }
            }
            assert!(most > 0.0 && worst < 0.03 * most, "psi is off by {worst} of {most}");
        }
    }
}
