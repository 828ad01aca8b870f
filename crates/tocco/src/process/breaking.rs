// SPDX-License-Identifier: MIT OR Apache-2.0
//! Breaking: a body shatters into pieces that fall, bounce and ring.
//!
//! **What.** A wine glass, a plate, a pot, a branch. The pieces are made beforehand; a blow cracks the body, each piece rings from
//! the crack, flies off, lands and bounces until it lies still.
//!
//! **Law.** Where the signal R passes the threshold, at t0 [process.5], with the energy B = R energy:
//! - `[break.1]  x_i = g_i/sum g`, g_i exponential: the parts of the mass, of a body broken at random places; size
//!   `s_i = x_i^(1/3)`.
//! - `[break.2]  E_i = crack B s_i^2/sum s^2` at `t0 + crack_s u_i`: what the crack leaves ringing in a piece goes with its new
//!   surface.
//! - `[break.3]  K_i = (1 - crack) B x_i`, upwards speed `sqrt(2 K_i/m_i) (2 U - 1)`: the rest throws the pieces about; what goes
//!   sideways is not heard.
//! - Landings by [flight.1] to [flight.3]: `sum of all energies heard <= B + M g z`; the work that is really done, on bodies or pieces, is held to
//!   that by [process.6].
//!
//! **Symbols.** M `mass_kg`, z `height_m`; a piece of size s rings by [fragment.1].
//!
//! **Step.** A cell at a time: every piece whose landing falls into it. What was given and what there was are kept, so that a
//! test may ask.
//!
//! **Sources.** De Sena et al. 2009 section 2.3 (fracture as a cascade of small impacts); Warren and Verbrugge (1984) as quoted there:
//! bouncing and breaking differ by their pulses being many and unequal. The laws of parts are ours.

use super::flight::{Flyer, GRAVITY_M_S2, Ground};
use super::fragment::FragmentMode;
use super::pieces::Pieces;
use super::{Book, Event, Lane, Process, Span, Trigger};
use crate::math::{Real, ln, pow};
use crate::param::{Params, Spec, Tunable};
use crate::rng::Rng;
use crate::signal::{Cell, GRID_S};

crate::params! {
    /// Parameters of breaking.
    pub struct BreakParams {
        energy_j: "J", 0.0 => 1e6, default 0.5, Log, Control, glide 0.02, "Energy of the blow where the signal is 1.";
        mass_kg: "kg", 1e-6 => 1e4, default 0.15, Log, Control, glide 0.02, "Mass of the whole body.";
        height_m: "m", 0.0 => 100.0, default 0.75, Linear, Control, glide 0.02, "How far the pieces fall.";
        crack_01: "1", 0.0 => 1.0, default 0.3, Linear, Control, glide 0.02, "Part of the blow that rings in the pieces at once; the rest throws them about.";
        crack_s: "s", 0.0 => 1.0, default 0.004, Linear, Control, glide 0.02, "Time that the crack takes to run through.";
        restitution_01: "1", 0.0 => 0.95, default 0.35, Linear, Control, glide 0.02, "Speed after a landing over speed before.";
        ring_01: "1", 0.0 => 1.0, default 0.02, Log, Control, glide 0.02, "Part of the energy lost in a landing that rings.";
        slowest_m_s: "m/s", 1e-3 => 10.0, default 0.1, Log, Control, glide 0.02, "Speed below which a piece lies still.";
        contact_time_s: "s", 0.0 => 0.1, default 1e-4, Linear, Control, glide 0.02, "About how long a hit lasts on a piece of full size.";
        freq_scale: "1", 0.05 => 20.0, default 1.0, Log, Control, glide 0.05, "Factor on the frequencies of its pieces.";
        gain: "Pa s/m", 0.0 => 1e12, default 1.0, Log, Control, glide 0.02, "Level of its own sound: Pa at 1 m for 1 m/s of its pieces.";
        threshold: "1", 1e-9 => 1e9, default 0.5, Log, Control, glide 0.0, "It breaks where the signal rises above this.";
    }
}

/// A body in pieces.
#[derive(Clone)]
pub struct Breaking {
    params: BreakParams,
    /// Parts of the mass.
    parts: Vec<Real>,
    /// When each piece rings from the crack, s, and with what, J.
    cracks: Vec<(Real, Real)>,
    flyers: Vec<Flyer>,
    pieces: Pieces,
    trigger: Trigger,
    rng: Rng,
}

impl Breaking {
    /// A body of so many pieces, which ring by themselves or on ports of these inverse masses, 1/kg. `[control]`
    pub fn new(
        params: BreakParams,
        pieces: usize,
        modes: &[FragmentMode],
        ports: &[Real],
        rate_hz: Real,
        mut rng: Rng,
    ) -> Self {
        let shares: Vec<Real> = (0..pieces).map(|_| -ln(1.0 - rng.unit())).collect();
        let sum: Real = shares.iter().sum();
        let parts: Vec<Real> = shares.iter().map(|share| (share / sum).max(1e-6)).collect(); // [break.1]
        let sizes: Vec<Real> = parts.iter().map(|part| pow(*part, 1.0 / 3.0)).collect();
        let mut breaking = Self {
            params,
            cracks: vec![(Real::INFINITY, 0.0); pieces],
            flyers: vec![Flyer::REST; pieces],
            pieces: Pieces::new(&sizes, modes, ports, rate_hz),
            parts,
            trigger: Trigger::default(),
            rng,
        };
        breaking.tune();
        breaking
    }

    fn tune(&mut self) {
        self.pieces.tune(self.params.contact_time_s, self.params.freq_scale, 1.0);
    }

    fn shatter(&mut self, at_s: Real, strength: Real) {
        let p = self.params;
        let blow = p.energy_j * strength;
        self.pieces.book.had_j += blow + p.mass_kg * GRAVITY_M_S2 * p.height_m;
        let surfaces: Real = self.parts.iter().map(|part| pow(*part, 2.0 / 3.0)).sum();
        for (i, part) in self.parts.iter().enumerate() {
            let ringing = fault!(BREAK_ENERGY, p.crack_01 * blow, times 3.0) * pow(*part, 2.0 / 3.0) / surfaces; // [break.2]
            self.cracks[i] = (at_s + p.crack_s * self.rng.unit(), ringing);
            let mass = p.mass_kg * part;
            let speed = (2.0 * (1.0 - p.crack_01) * blow * part / mass).sqrt() * (2.0 * self.rng.unit() - 1.0); // [break.3]
            self.flyers[i] = Flyer::thrown(mass, self.cracks[i].0, p.height_m, speed);
        }
    }
}

impl Tunable for Breaking {
    fn specs(&self) -> &'static [Spec] {
        BreakParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
        self.tune();
    }
}

impl Process for Breaking {
    fn enter(&mut self, cell: Cell) -> u64 {
        self.pieces.begin(cell, self.params.gain);
        if let Some(at_s) = self.trigger.passes(cell, self.params.threshold) {
            self.shatter(at_s, cell.to);
        }
        let end = cell.from_s() + GRID_S;
        let p = self.params;
        let ground = Ground { restitution: p.restitution_01, ring: p.ring_01, slowest: p.slowest_m_s };
        for i in 0..self.parts.len() {
            let place = i % self.pieces.count();
            // Where more come at once than there is room for, the rest waits for the next cell: no energy is lost.
            if self.cracks[i].0 < end && self.pieces.events.has_room() {
                let (at_s, energy) = core::mem::replace(&mut self.cracks[i], (Real::INFINITY, 0.0));
                self.pieces.hit(cell, at_s, energy, place);
            }
            while self.flyers[i].lands_s < end && self.pieces.events.has_room() {
                let at_s = self.flyers[i].lands_s;
                let energy = self.flyers[i].land(ground);
                self.pieces.hit(cell, at_s, energy, place);
            }
        }
        0
    }

    fn events(&self) -> &[Event] {
        self.pieces.events.all()
    }

    fn render(&mut self, span: Span, forces: &mut [Lane], sound: &mut Lane) {
        self.pieces.render(span, self.params.gain, self.may_give_j(), forces, sound);
    }

    fn is_awake(&self) -> bool {
        self.pieces.is_awake()
    }

    fn heard_until_s(&self) -> Real {
        self.pieces.heard_until_s()
    }

    fn reset(&mut self) {
        self.pieces.reset();
        self.cracks.fill((Real::INFINITY, 0.0));
        self.flyers.fill(Flyer::REST);
    }

    fn book(&self) -> Book {
        self.pieces.book
    }

    fn may_give_j(&self) -> Real {
        self.pieces.book.had_j
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::fragment::Fragments;
    use crate::resonator::CONTROL_TICKS;

    #[test]
    fn its_pieces_never_have_more_than_blow_and_gravity_gave_though_landings_add_up_as_motion_does() {
        // Slow modes without losses: whatever hits a piece within half a second pushes it the same way.
        for (freq_hz, pieces, rate_hz) in [(0.2, 2, 48_000.0), (0.5, 6, 44_100.0), (30.0, 40, 48_000.0)] {
            let params = BreakParams {
                energy_j: 0.2,
                mass_kg: 0.2,
                height_m: 0.3,
                ring_01: 1.0,
                restitution_01: 0.8,
                contact_time_s: 0.0,
                ..BreakParams::default()
            };
            let modes = [FragmentMode { freq_hz, decay_s: 1e3, mass_kg: 0.05 }];
            let mut breaking = Breaking::new(params, pieces, &modes, &[], rate_hz, Rng::new(2, "break"));
            let (mut tick, mut most) = (0, 0.0);
            for index in 0..1500 {
                let at = |k: u64| if k > 10 { 1.0 } else { 0.0 };
                assert_eq!(breaking.enter(Cell { index, from: at(index), to: at(index + 1) }), 0);
                let end = ((index + 1) as Real * GRID_S * rate_hz).ceil() as u64;
                while tick < end {
                    let ticks = (end - tick).min(CONTROL_TICKS as u64);
                    let span = Span { tick, ticks: ticks as usize, rate_hz };
                    breaking.render(span, &mut [], &mut [0.0; CONTROL_TICKS]);
                    tick += ticks;
                }
                let energy = breaking.pieces.fragments().map_or(0.0, Fragments::energy);
                let had = breaking.book().had_j.max(1e-9);
                assert!(energy <= had * (1.0 + 1e-9), "{freq_hz} Hz: {energy} J of {had} J");
                most = Real::max(most, energy / had);
            }
            assert!(most > 0.3, "{freq_hz} Hz: {most} of what there was");
        }
    }
}
