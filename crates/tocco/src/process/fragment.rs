// SPDX-License-Identifier: MIT OR Apache-2.0
//! Fragments: small bodies of a process's own, ready to be hit.
//!
//! **What.** Pieces of paper, glass or stone in ready-made sizes. They ring and are heard; they touch nothing, so they are
//! outside the ledger. A hit gives one that is at rest what it says and no more; hits on one that rings add up as motion does, and
//! where a process has only so much to give, its pushes are held so that all of them together never give more [process.6].
//!
//! **Law.** s the size of a fragment, 1 the whole:
//! - `[fragment.1]  f/s, t s, m s^3`: frequencies, decays and masses of its modes: of one material, alike in shape.
//! - `[fragment.2]  J = sqrt(2 E/sum_i (1/m_i))`: the impulse that gives it the energy E, at rest and if it is short; a longer one
//!   gives less, never more.
//! - `[fragment.3]  z <- p z + F h/m`, `p = exp((-sigma + i omega) h)`, `v = Re z - (sigma/omega) Im z`: the velocity of a mode; in the
//!   sample of a push half of it, so that a mode which comes to rest has gone nowhere.
//!
//! **Step.** By the sample, for those that are awake.
//!
//! **Sources.** De Sena et al. 2009 section 2.2.3 (fragments and their pitch); Houle and Sethna (1996).

use super::{Events, Lane, Pulse, Span, impulse_of};
use crate::math::{Real, TAU, cos, exp, sin};
use crate::resonator::CONTROL_TICKS;

/// Most fragments of a process.
pub const MOST_FRAGMENTS: usize = 64;

/// One mode of a fragment of full size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FragmentMode {
    /// Hz
    pub freq_hz: Real,
    /// Time to 1/e, s.
    pub decay_s: Real,
    /// kg
    pub mass_kg: Real,
}

/// A mode that is hit and rings.
#[derive(Clone, Copy, Debug, Default)]
struct Ringing {
    p: [Real; 2],
    z: [Real; 2],
    /// h/m, 0 past Nyquist.
    push: Real,
    /// sigma/omega
    lag: Real,
}

impl Ringing {
    fn tune(&mut self, mode: FragmentMode, size: Real, freq_scale: Real, decay_scale: Real, rate_hz: Real) {
        let omega0 = TAU * mode.freq_hz * freq_scale / size; // [fragment.1]
        let sigma = 1.0 / (mode.decay_s * decay_scale * size);
        let omega = (omega0 * omega0 - sigma * sigma).max(1e-6 * omega0 * omega0).sqrt();
        let keep = exp(-sigma / rate_hz);
        self.p = [keep * cos(omega / rate_hz), keep * sin(omega / rate_hz)];
        self.lag = sigma / omega;
        let heard = omega0 < 0.5 * TAU * rate_hz;
        self.push = if heard { 1.0 / (rate_hz * mode.mass_kg * size * size * size) } else { 0.0 };
    }

    /// How fast it will be at the next sample if nothing pushes it, m/s; 0 past Nyquist.
    fn free(&self) -> Real {
        let [a, b] = self.z;
        let z = [self.p[0] * a - self.p[1] * b, self.p[1] * a + self.p[0] * b];
        if self.push > 0.0 { z[0] - self.lag * z[1] } else { 0.0 }
    }

    /// J
    fn energy(&self, rate_hz: Real) -> Real {
        let ([a, b], lag) = (self.z, self.lag);
        let v = a - lag * b;
        if self.push > 0.0 { 0.5 * (v * v + (1.0 + lag * lag) * b * b) / (self.push * rate_hz) } else { 0.0 }
    }

    #[inline]
    fn step(&mut self, force: Real) -> Real {
        let ([a, b], pushed) = (self.z, force * self.push); // [fragment.3]
        self.z = [self.p[0] * a - self.p[1] * b + pushed, self.p[1] * a + self.p[0] * b];
        self.z[0] - self.lag * self.z[1] - 0.5 * pushed
    }
}

#[derive(Clone, Debug)]
struct Fragment {
    size: Real,
    /// sum_i 1/m_i, 1/kg
    inverse_mass: Real,
    modes: Vec<Ringing>,
    pulse: Pulse,
    awake: bool,
}

impl Fragment {
    /// Its force in the next sample, N, held to what may still be given, J, and the work that it does. [process.6]
    fn hold(&self, force: Real, left_j: Real, rate_hz: Real) -> (Real, Real) {
        if force == 0.0 {
            return (0.0, 0.0);
        }
        let (speed, push) = self.modes.iter().fold((0.0, 0.0), |(v, push), mode| (v + mode.free(), push + mode.push));
        let work = |force: Real| force * (speed + 0.5 * push * force) / rate_hz;
        let left = fault!(FRAGMENTS_HOLD, left_j.max(0.0), Real::INFINITY);
        let held = if force > 0.0 && work(force) > left {
            // Without cancellation, whichever way it moves.
            let root = (speed * speed + 2.0 * push * left * rate_hz).sqrt();
            let most = if speed > 0.0 { 2.0 * left * rate_hz / (root + speed) } else { (root - speed) / push };
            most.clamp(0.0, force)
        } else {
            force
        };
        (held, work(held))
    }
}

/// The fragments of a process.
#[derive(Clone, Debug)]
pub struct Fragments {
    modes: Vec<FragmentMode>,
    all: Vec<Fragment>,
    rate_hz: Real,
    /// The longest decay of all, s.
    longest_s: Real,
    /// Work really done on them since the start, J, where that is bounded.
    spent_j: Real,
}

impl Fragments {
    /// Fragments of these sizes, at most [`MOST_FRAGMENTS`]. `[control]`
    pub fn new(sizes: &[Real], modes: &[FragmentMode], rate_hz: Real) -> Self {
        let fragment = |size: &Real| Fragment {
            size: *size,
            inverse_mass: modes.iter().map(|mode| 1.0 / (mode.mass_kg * size * size * size)).sum(),
            modes: vec![Ringing::default(); modes.len()],
            pulse: Pulse::new(0.0, rate_hz),
            awake: false,
        };
        let all = sizes.iter().take(MOST_FRAGMENTS).map(fragment).collect();
        Self { modes: modes.to_vec(), all, rate_hz, longest_s: 0.0, spent_j: 0.0 }
    }

    /// How many.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Size of one; 1 is the whole.
    pub fn size(&self, fragment: usize) -> Real {
        self.all.get(fragment).map_or(1.0, |fragment| fragment.size)
    }

    /// Other sizes, by their numbers; what rings keeps its energy. They are tuned anew by whoever says so. `[audio]`
    pub fn resize(&mut self, size: impl Fn(usize) -> Real) {
        for (index, fragment) in self.all.iter_mut().enumerate() {
            let ratio = fragment.size / size(index);
            let cubed = ratio * ratio * ratio;
            fragment.size = size(index);
            fragment.inverse_mass *= cubed;
            fragment.modes.iter_mut().flat_map(|mode| &mut mode.z).for_each(|z| *z *= cubed.sqrt());
        }
    }

    /// Contact time of a fragment of full size, s, the factor on all frequencies, and the one on the decay of the first mode. `[audio]`
    pub fn tune(&mut self, contact_s: Real, freq_scale: Real, first_decay_scale: Real) {
        self.longest_s = 0.0;
        for fragment in &mut self.all {
            fragment.pulse.set(contact_s * fragment.size, self.rate_hz);
            for (index, (ringing, mode)) in fragment.modes.iter_mut().zip(&self.modes).enumerate() {
                let decay_scale = if index == 0 { first_decay_scale } else { 1.0 };
                ringing.tune(*mode, fragment.size, freq_scale, decay_scale, self.rate_hz);
                self.longest_s = self.longest_s.max(mode.decay_s * decay_scale * fragment.size);
            }
        }
    }

    /// The longest decay of all their modes, s: also of those that a rate is too low for.
    pub fn longest_s(&self) -> Real {
        self.longest_s
    }

    /// Energy of all of them, J.
    pub fn energy(&self) -> Real {
        let own = |fragment: &Fragment| fragment.modes.iter().map(|mode| mode.energy(self.rate_hz)).sum::<Real>();
        self.all.iter().map(own).sum()
    }

    /// Hits fragments with the energies, J, of the events of a stretch and adds their sound, `gain` times their velocity. All work
    /// since the start is held to `most_j`, J. `[audio]`
    pub fn render(&mut self, span: Span, events: &mut Events, gain: Real, most_j: Real, sound: &mut Lane) {
        let mut impulses = [[0.0; CONTROL_TICKS]; MOST_FRAGMENTS];
        for (fragment, lane) in self.all.iter_mut().zip(&mut impulses) {
            if fragment.awake {
                fragment.pulse.begin(&mut lane[..span.ticks]);
            }
        }
        while let Some((event, at, fraction)) = events.due(span) {
            if let (Some(fragment), Some(lane)) = (self.all.get_mut(event.place), impulses.get_mut(event.place)) {
                let impulse = impulse_of(event.size, fragment.inverse_mass); // [fragment.2]
                fragment.pulse.add(&mut lane[..span.ticks], at, fraction, impulse);
                fragment.awake = true;
            }
        }
        let awake = |(fragment, _): &(&mut Fragment, &Lane)| fragment.awake;
        if most_j == Real::INFINITY {
            for (fragment, lane) in self.all.iter_mut().zip(&impulses).filter(awake) {
                for (impulse, out) in lane[..span.ticks].iter().zip(sound.iter_mut()) {
                    let force = fragment.pulse.force(*impulse, span.rate_hz);
                    *out += gain * fragment.modes.iter_mut().map(|mode| mode.step(force)).sum::<Real>();
                }
            }
            return;
        }
        // What one takes is lost to the others: sample by sample, or the host's block size would be heard.
        let Self { all, spent_j, .. } = self;
        for (i, out) in sound[..span.ticks].iter_mut().enumerate() {
            for (fragment, lane) in all.iter_mut().zip(&impulses).filter(awake) {
                let force = fragment.pulse.force(lane[i], span.rate_hz);
                let (force, work) = fragment.hold(force, most_j - *spent_j, span.rate_hz);
                *spent_j += work;
                *out += gain * fragment.modes.iter_mut().map(|mode| mode.step(force)).sum::<Real>();
            }
        }
    }

    /// What has nothing left to say, in sound of this gain, falls asleep. `[audio]`
    pub fn settle(&mut self, gain: Real) {
        let quiet = |mode: &Ringing| gain * (mode.z[0].abs() + mode.z[1].abs()) < 1e-12;
        for fragment in self.all.iter_mut().filter(|fragment| fragment.awake) {
            fragment.pulse.settle();
            if !fragment.pulse.is_awake() && fragment.modes.iter().all(quiet) {
                fragment.modes.iter_mut().for_each(|mode| mode.z = [0.0; 2]);
                fragment.awake = false;
            }
        }
    }

    /// True while one sounds.
    pub fn is_awake(&self) -> bool {
        self.all.iter().any(|fragment| fragment.awake)
    }

    /// Back to rest. `[audio]`
    pub fn reset(&mut self) {
        for fragment in &mut self.all {
            fragment.pulse.reset();
            fragment.modes.iter_mut().for_each(|mode| mode.z = [0.0; 2]);
            fragment.awake = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Event;
    use super::*;

    #[test]
    fn a_hit_gives_a_fragment_the_energy_it_says_if_it_is_short_and_less_if_it_is_long() {
        let modes = [
            FragmentMode { freq_hz: 300.0, decay_s: 1e3, mass_kg: 0.02 },
            FragmentMode { freq_hz: 800.0, decay_s: 1e3, mass_kg: 0.01 },
        ];
        for (contact_s, least, most) in [(0.0, 0.99, 1.001), (1e-3, 0.1, 0.95)] {
            let mut fragments = Fragments::new(&[0.5], &modes, 192_000.0);
            fragments.tune(contact_s, 1.0, 1.0);
            let mut events = Events::default();
            events.push(Event { at_s: 0.0, size: 0.3, place: 0 });
            let mut lane = [0.0; CONTROL_TICKS];
            for k in 0..200 {
                let span = Span { tick: 32 * k, ticks: 32, rate_hz: 192_000.0 };
                fragments.render(span, &mut events, 1.0, Real::INFINITY, &mut lane);
            }
            // The energy of a mode that rings is m |z|^2/2 where it is hardly damped.
            let mass = |i: usize| modes[i].mass_kg / 8.0;
            let of = |(i, mode): (usize, &Ringing)| 0.5 * mass(i) * (mode.z[0] * mode.z[0] + mode.z[1] * mode.z[1]);
            let energy: Real = fragments.all[0].modes.iter().enumerate().map(of).sum();
            assert!((fragments.energy() / energy - 1.0).abs() < 1e-6, "{} J, {energy} J", fragments.energy());
            assert!((least..=most).contains(&(energy / 0.3)), "{contact_s} s: {energy} J of 0.3 J");
        }
    }
}
