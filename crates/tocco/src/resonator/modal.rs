// SPDX-License-Identifier: MIT OR Apache-2.0
//! Modal bank: a vibrating object as a sum of damped oscillators.
//!
//! **What.** Every mode is a mass on a spring with a dashpot; a port is a place, given by the signed value of each
//! mode's shape there. The same value weights the force that goes in and the motion that comes out (C19), so the
//! drive-point compliance is a sum of squares and a contact can never be active by context.
//!
//! **Law.** `m (q'' + 2 sigma q' + omega^2 q) = phi F`, position of a port `x = sum phi q`. With p = q' and
//! S(t) the velocity answer to a unit impulse over m, for one step h under a held force:
//! - `[modal.1]  q += qq q + qp p + bq phi F`,  `p += pq q + pp p + bp phi F`
//! - `[modal.2]  qp = S(h)`, `pq = -omega^2 S`, `m bq = integral of S over the step`, `m bp = S`,
//!   `qq = -omega^2 m bq`, `pp = qq - 2 sigma S`
//! - `[modal.3]  free stroke = sum phi (qq q + qp p)`, compliance `L_ij = sum phi_i phi_j bq`
//! - `[modal.4]  any signal of a free mode obeys y[n+1] = T y[n] - D y[n-1]`, `T = 2 + qq + pp`, `D = exp(-2 sigma h)`,
//!   hence also `y[n+2] = (T^2 - D) y[n] - T D y[n-1]`: two samples from one pair
//! - `[modal.5]  d' = a d + b p + g F`, `p' = c d + e p + k F`: the same step in the coordinates of one held port, its
//!   part d of the coming stroke and its velocity p; `c = pq/qq`, `a = 1 + qq + qp c`, `b = qp (pp - qp c)`,
//!   `e = 1 + pp - qp c`, `g = phi^2 (qq bq + qp bp)`, `k = phi^2 bp`
//! - `[modal.6]  d = t + g F`, `p = u + k F`, F the last force; then `t' = a d + b p`, `u' = c d + e p`, and under the coming
//!   force F' the sums of d' and p' are `sum t' + (sum g) F'`, `sum u' + (sum k) F'`: modes are stepped without F'
//!
//! **Symbols.** omega = 2 pi `freq_hz` rad/s (undamped); sigma = 1/`decay_s` 1/s; m `mass_kg` kg; phi: `port` values.
//!
//! **Step.** Exact for a held force, at any frequency below Nyquist and any damping, zero frequency included. Writing
//! the step as a *change* keeps the digits of slow modes (relative error of frequency and decay about 1e-15), and the
//! stroke is then the very number that is added to q. Free modes run in the two-pole form of their velocity where that
//! is accurate: its frequency error is about 1e-16/theta^2 and its rounding noise 1/sin(theta), hence the gate on theta.
//! So does the held form, which a body takes under lasting contact at one port: half the arithmetic of [modal.1], the
//! sums need no weights, and the next stroke does not wait for them: a processor solves the contact while it steps the modes.
//!
//! **Sources.** Avanzini et al. 2003 (8.1)-(8.7), section 8.2.2; Avanzini 2001 (5.6); physics.md D.1, H10. We depart from the papers' bilinear
//! transform, which puts an 18 kHz mode at 12.8 kHz.

mod bank;
mod carry;
mod coefficients;
mod course;
mod forms;
pub mod morph;
mod motion;
mod ports;
mod ring;
pub mod tail;

pub(super) use bank::Pole;
pub use coefficients::step_response;
pub use morph::{ModeRow, Tuning};

use super::kernel::{Path, Row, States};
use super::{LEVELS, Resonator};
use crate::math::Real;
use crate::param::{Params, Spec, Tunable};
use bank::{Bank, Layout};
use coefficients::StepSizes;
use course::Course;
use forms::{Form, FreeForm, HeldForm};
use morph::{Fade, Morph};
use ports::Port;

crate::params! {
    /// Parameters of a modal body.
    pub struct ModalParams {
        freq_scale: "1", 0.125 => 8.0, default 1.0, Log, Control, glide 0.05, "Factor on every mode's frequency; decay times stay.";
        decay_scale: "1", 1e-3 => 1e3, default 1.0, Log, Control, glide 0.02, "Factor on every mode's decay time.";
        jitter_01: "1", 0.0 => 1.0, default 0.0, Linear, Control, glide 0.0, "Random change of the struck place at every strike; grows with mode number.";
        morph_01: "1", 0.0 => 1.0, default 0.0, Linear, Control, glide 0.1, "Way to the body of the table `morph`: 0 is this one, 1 that one.";
        stiffening: "1", 0.0 => 4.0, default 1.0, Linear, Control, glide 0.05, "Of a body that stiffens: factor on the forces of stretching; 1 is what its geometry gives, 0 none.";
    }
}

/// The parameters of a body that does not stiffen.
pub const LINEAR: &[Spec] = ModalParams::SPECS.split_at(4).0;

/// A vibrating object: a bank of modes, heard and touched at its ports.
#[derive(Clone)]
pub struct Modal {
    params: ModalParams,
    /// The parameters it declares: all, or the first few.
    declared: &'static [Spec],
    /// One sample, s.
    sample_s: Real,
    /// Which build of the vector kernels it runs.
    path: Path,
    /// What vibrates.
    bank: Bank,
    /// How many of its modes are known at every place: all but those of a tail.
    listed: usize,
    /// Where it is heard and touched.
    ports: Vec<Port>,
    /// Coefficients for every size of the step, and which size is taken at present.
    steps: StepSizes,
    /// How every mode moves, written as the form says.
    state: States,
    form: Form,
    /// What the free and the held form need besides the state.
    free: FreeForm,
    held: HeldForm,
    /// What is pushed and known of the step to come.
    coming: ComingStep,
    listener: Listener,
    /// How it gets from one tuning to the next.
    retuning: Retuning,
    /// Nothing touches the body: it is not asked for strokes and compliances until it is attended again.
    released: bool,
}

/// The step to come: the forces held during it, and what is known already of its outcome.
#[derive(Clone)]
struct ComingStep {
    /// At every port, N, and whether anything has been pushed.
    forces_n: Vec<Real>,
    pushed: bool,
    /// All of them together on every mode, N, when they act at several ports.
    on_modes: Row,
    /// Free stroke of every port where it is known, m.
    strokes_m: Vec<Option<Real>>,
    /// The port whose next free stroke every step finds on its way.
    watched: usize,
}

impl ComingStep {
    fn new(ports: usize, chunks: usize) -> Self {
        let (forces_n, strokes_m) = (vec![0.0; ports], vec![None; ports]);
        Self { forces_n, pushed: false, on_modes: Row::zeros(chunks), strokes_m, watched: 0 }
    }

    /// No force acts.
    fn unpush(&mut self) {
        self.forces_n.fill(0.0);
        self.pushed = false;
    }

    /// State or step changed: the strokes are to be asked for anew.
    fn forget_strokes(&mut self) {
        self.strokes_m.iter_mut().for_each(|stroke| *stroke = None);
    }
}

/// The port whose velocity is asked for after every step.
#[derive(Clone)]
struct Listener {
    port: usize,
    /// Its velocity, m/s, if the last step found it on its way.
    velocity: Option<Real>,
}

/// Everything that changes the tuning of a sounding bank.
#[derive(Clone)]
struct Retuning {
    /// The other body to which `morph_01` moves this one.
    morph: Option<Box<Morph>>,
    fade: Fade,
    course: Course,
}

impl Retuning {
    /// The tuning moves, or has moved and its coefficients are not exact yet.
    fn unsettled(&self) -> bool {
        self.fade.on() || self.course.rough
    }
}

impl Modal {
    /// A bank of `(freq_hz, decay_s, mass_kg)` modes with ports given by one shape value per mode. `touched` asks for
    /// the sub-step tables ahead of time. `[control]`
    pub fn new(params: ModalParams, modes: &[ModeRow], ports: &[Vec<Real>], sample_s: Real, touched: bool) -> Self {
        let tuning = Tuning { modes: modes.to_vec(), ports: ports.to_vec(), ..Tuning::default() };
        Self::tuned(params, &tuning, sample_s, touched)
    }

    /// The same with motions as a whole among its modes. `[control]`
    pub fn tuned(params: ModalParams, tuning: &Tuning, sample_s: Real, touched: bool) -> Self {
        let order = Layout::of(&params, tuning, None, sample_s);
        Self::build(params, tuning, None, order, sample_s, touched)
    }

    /// The same with its modes in one run, in the order given, whatever their tuning: for [`Self::retune_each`]. `[control]`
    pub(super) fn in_one_run(params: ModalParams, tuning: &Tuning, sample_s: Real) -> Self {
        Self::build(params, tuning, None, Layout::new(tuning.modes.len(), |_| true), sample_s, false)
    }

    /// A bank that `morph_01` moves between two tunings with the same ports: see [`morph`]. `[control]`
    pub fn morphing(params: ModalParams, from: &Tuning, to: &Tuning, sample_s: Real, touched: bool) -> Self {
        let [from, to] = morph::pair(from, to);
        let order = Layout::of(&params, &from, Some(&to), sample_s);
        Self::build(params, &from, Some(&to), order, sample_s, touched)
    }

    fn build(
        params: ModalParams,
        tuning: &Tuning,
        target: Option<&Tuning>,
        order: Layout,
        sample_s: Real,
        touched: bool,
    ) -> Self {
        let Tuning { modes, ports, rigid, .. } = tuning;
        let (chunks, two_pole_chunks) = (order.chunks(), order.two_pole_chunks);
        let shapes: Vec<Row> = ports.iter().map(|port| order.row(port)).collect();
        let before = if target.is_some() { shapes.clone() } else { Vec::new() };
        let mut body = Self {
            params,
            declared: LINEAR,
            sample_s,
            path: *Path::all().last().unwrap_or(&Path::Baseline),
            bank: Bank::new(modes, tuning.places(), *rigid, &order),
            listed: modes.len() - tuning.tail.len(),
            ports: shapes.into_iter().map(Port::new).collect(),
            steps: StepSizes::new(sample_s, chunks, ports.len()),
            state: States::zeros(chunks),
            form: Form::ATTENDED,
            free: FreeForm::new(chunks, two_pole_chunks, ports.len()),
            held: HeldForm::new(chunks, two_pole_chunks, ports.len()),
            coming: ComingStep::new(ports.len(), chunks),
            listener: Listener { port: 0, velocity: None },
            retuning: Retuning {
                morph: target.map(|to| Box::new(Morph::new((modes, ports), to, &order))),
                fade: Fade::new(ports.len(), before),
                course: Course::new(chunks),
            },
            released: false,
        };
        (0..body.bank.modes.len()).for_each(|i| body.blend(i));
        body.place_touches();
        body.arrive();
        body.listen(0);
        let needed = if touched { LEVELS } else { 1 };
        (0..needed).rev().for_each(|level| body.refresh(level));
        body
    }

    /// The same bank with the first few parameters only, for bodies to which the others mean nothing. `[control]`
    pub fn declaring(self, declared: &'static [Spec]) -> Self {
        Self { declared, ..self }
    }
}

impl Tunable for Modal {
    fn specs(&self) -> &'static [Spec] {
        self.declared
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        let (before, mut wanted) = (self.params, self.params);
        if before.value(index) == value {
            return;
        }
        wanted.put(index, value);
        let scaled = (wanted.freq_scale, wanted.decay_scale) != (before.freq_scale, before.decay_scale);
        if scaled || (wanted.morph_01 != before.morph_01 && self.retuning.morph.is_some()) {
            self.retune(wanted);
        } else {
            self.params = wanted;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    pub const RATE_HZ: Real = 48_000.0;

    pub fn body(modes: &[(Real, Real, Real)]) -> Modal {
        Modal::new(ModalParams::default(), modes, &[vec![1.0; modes.len()]], 1.0 / RATE_HZ, true)
    }

    /// Displacement and velocity of a free damped oscillator at time t, unit mass, in closed form by complex roots.
    pub fn decay(omega: Real, sigma: Real, q: Real, p: Real, t: Real) -> (Real, Real) {
        let d = omega * omega - sigma * sigma;
        if d > 0.0 {
            let w = d.sqrt();
            let (u, e) = ((p + sigma * q) / w, (-sigma * t).exp());
            let x = e * (q * (w * t).cos() + u * (w * t).sin());
            (x, -sigma * x + e * w * (u * (w * t).cos() - q * (w * t).sin()))
        } else {
            let (r2, r1) = (-sigma - (-d).sqrt(), -omega * omega / (sigma + (-d).sqrt()));
            let a = (p - r2 * q) / (r1 - r2);
            let b = q - a;
            (a * (r1 * t).exp() + b * (r2 * t).exp(), a * r1 * (r1 * t).exp() + b * r2 * (r2 * t).exp())
        }
    }

    #[test]
    fn retuning_a_sounding_body_never_raises_its_energy() {
        let mut rng = Rng::new(1, "retune");
        let modes: Vec<_> = (1..40).map(|i| (100.0 * f64::from(i), 0.3, 0.01)).collect();
        let mut body = body(&modes);
        body.hit(0, 0.01);
        body.release();
        for _ in 0..500 {
            body.ring(32, &mut []);
            let before = body.energy();
            let index = usize::from(rng.unit() < 0.5);
            body.set(index, rng.between_log(0.2, 5.0));
            assert!(body.energy() <= before * (1.0 + 1e-12), "{} {before}", body.energy());
        }
    }
}
