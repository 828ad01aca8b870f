// SPDX-License-Identifier: MIT OR Apache-2.0
//! Burst: a soft impact as a short noise of force.
//!
//! **What.** A shoe on a carpet, a hand on cloth, a bag set down: nothing hits at one instant, so the force is a burst of noise.
//! Laid on the modes of another body it makes a hard floor sound like wood (De Sena et al. 2009 3.2.1); several may share one body.
//!
//! **Law.** T = 1 ms, h the sample interval:
//! - `[burst.1]  F = I e(t) w(t)`, w white with one-sided density 1 N^2/Hz (variance fs/2), through one pole at `bright_hz`, and
//!   without what lies below 5 Hz.
//! - `[burst.2]  e = c (1 - exp(-t/attack)) exp(-t/decay)`, c such that the integral of e^2 is 1.
//! - `[burst.3]  e(t) = R(t)`: by envelope, the signal itself.
//! - A mode of mass m and shape phi at the port, slower than the burst is bright and narrower than it is short, is given
//!   `I^2 phi^2/(4 m)` on average: the loudness depends neither on the rate nor on the length.
//!
//! **Symbols.** I `impulse_n_s`, times the signal where it passed the threshold.
//!
//! **Step.** The envelope is a difference of two exponentials; a new burst adds to it, as old as it is at the first sample after
//! its beginning, which lies between samples. Several ports share the force.
//!
//! **Sources.** De Sena et al. 2009 section 3.2.1; ours: the normalisation.

use super::{Event, Events, Lane, Process, Span, Trigger, UNHEARD, going_until_s, near_normal};
use crate::math::{Real, TAU, exp};
use crate::param::{Params, Spec, Tunable};
use crate::rng::Rng;
use crate::signal::Cell;

crate::params! {
    /// Parameters of a burst.
    pub struct BurstParams {
        impulse_n_s: "N s", 0.0 => 1e4, default 0.1, Log, Control, glide 0.02, "Strength: a mode of mass m gets its square over 4 m, J.";
        attack_s: "s", 1e-5 => 1.0, default 1e-3, Log, Control, glide 0.02, "Time in which a burst begins.";
        decay_s: "s", 1e-4 => 10.0, default 0.02, Log, Control, glide 0.02, "Time in which it dies away to 1/e.";
        bright_hz: "Hz", 10.0 => 192000.0, default 4000.0, Log, Control, glide 0.02, "Frequency above which its force falls by 6 dB per octave.";
        threshold: "1", 1e-9 => 1e9, default 0.5, Log, Control, glide 0.0, "By event: a burst begins where the signal rises above this.";
    }
}

/// Below this nothing is pushed, Hz.
const LOWEST_HZ: Real = 5.0;
/// The same where an envelope is over, Hz.
const LET_GO_HZ: Real = 100.0;

/// How a signal makes bursts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BurstBy {
    /// One where it rises above the threshold.
    Event,
    /// It is the envelope itself.
    Envelope,
}

crate::words!(BurstBy { Event = "event", Envelope = "envelope" });

/// A noise of force.
#[derive(Clone)]
pub struct Burst {
    params: BurstParams,
    by: BurstBy,
    ports: usize,
    rate_hz: Real,
    trigger: Trigger,
    noise: Rng,
    events: Events,
    cell: Cell,
    /// The two exponentials of [burst.2], how fast they fall, 1/s, and their factors per sample.
    envelope: [Real; 2],
    rates: [Real; 2],
    keep: [Real; 2],
    norm: Real,
    /// Low pass, and what lies below the lowest.
    smooth: [Real; 2],
    follow: [Real; 2],
    /// As the latter, where an envelope is over.
    let_go: Real,
    /// Until when the signal, as an envelope, goes on, s.
    until_s: Real,
}

impl Burst {
    /// A burst on so many ports. `[control]`
    pub fn new(params: BurstParams, by: BurstBy, ports: usize, rate_hz: Real, noise: Rng) -> Self {
        let mut burst = Self {
            params,
            by,
            ports,
            rate_hz,
            trigger: Trigger::default(),
            noise,
            events: Events::default(),
            cell: Cell::default(),
            envelope: [0.0; 2],
            rates: [0.0; 2],
            keep: [0.0; 2],
            norm: 0.0,
            smooth: [0.0; 2],
            follow: [0.0; 2],
            let_go: 0.0,
            until_s: Real::NEG_INFINITY,
        };
        burst.tune();
        burst
    }

    fn tune(&mut self) {
        let (a, d) = (1.0 / self.params.attack_s, 1.0 / self.params.decay_s);
        self.rates = [d, a + d];
        self.keep = self.rates.map(|rate| exp(-rate / self.rate_hz));
        // Integral of (exp(-d t) - exp(-(a + d) t))^2.
        let energy = 0.5 / d - 2.0 / (a + 2.0 * d) + 0.5 / (a + d);
        self.norm = fault!(BURST_ENERGY, 1.0, 1.5) / energy.sqrt(); // [burst.2]
        let follow = |hz: Real| 1.0 - exp(-TAU * hz / self.rate_hz);
        (self.follow, self.let_go) = ([follow(self.params.bright_hz), follow(LOWEST_HZ)], follow(LET_GO_HZ));
    }

    fn is_silent(&self) -> bool {
        let flat = match self.by {
            BurstBy::Event => self.envelope == [0.0; 2],
            BurstBy::Envelope => self.cell.from == 0.0 && self.cell.to == 0.0,
        };
        flat && self.smooth == [0.0; 2]
    }
}

impl Tunable for Burst {
    fn specs(&self) -> &'static [Spec] {
        BurstParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
        self.tune();
    }
}

impl Process for Burst {
    fn enter(&mut self, cell: Cell) -> u64 {
        self.events.begin(cell);
        let before = core::mem::replace(&mut self.cell, cell);
        if self.envelope[0] < 1e-9 {
            self.envelope = [0.0; 2];
        }
        if cell.from != 0.0 || cell.to != 0.0 {
            self.until_s = going_until_s(cell);
        }
        let over = before.from == 0.0 && before.to == 0.0;
        let flat = if self.by == BurstBy::Event { self.envelope == [0.0; 2] } else { over };
        let least = if self.by == BurstBy::Event { 1e-12 } else { 1e-9 * (1.0 + self.params.impulse_n_s) };
        if flat && self.smooth.iter().all(|x| x.abs() < least) {
            self.smooth = [0.0; 2];
        }
        if cell.index == 0 && cell.from > self.params.threshold {
            self.trigger.spend(); // who stands there from the start does not come down
        }
        if self.by == BurstBy::Event
            && let Some(at_s) = self.trigger.passes(cell, self.params.threshold)
        {
            self.events.push(Event { at_s, size: cell.to, place: 0 });
        }
        0
    }

    fn events(&self) -> &[Event] {
        self.events.all()
    }

    fn render(&mut self, span: Span, forces: &mut [Lane], _sound: &mut Lane) {
        let mut next = self.events.due(span);
        let (scale, share) = ((0.5 * span.rate_hz).sqrt() * self.params.impulse_n_s, 1.0 / self.ports.max(1) as Real);
        for i in 0..span.ticks {
            let size = match self.by {
                BurstBy::Event => self.norm * (self.envelope[0] - self.envelope[1]),
                // [burst.3]
                BurstBy::Envelope => self.cell.at((span.tick + i as u64) as Real / span.rate_hz),
            };
            self.envelope[0] *= self.keep[0];
            self.envelope[1] *= self.keep[1];
            // One that begins on the way to the next sample is that much old there.
            while let Some((event, at, fraction)) = next
                && at == i
            {
                let age_s = (1.0 - fault!(BURST_ON_THE_SAMPLE, fraction, 0.0)) / span.rate_hz;
                for (part, rate) in self.envelope.iter_mut().zip(self.rates) {
                    *part += event.size * exp(-rate * age_s);
                }
                next = self.events.due(span);
            }
            let noise = if size == 0.0 { 0.0 } else { scale * size * near_normal(&mut self.noise) }; // [burst.1]
            self.smooth[0] += self.follow[0] * (noise - self.smooth[0]);
            // An envelope that is over takes what lies below the lowest with it, or its tail would outlast it by a second.
            let lowest = if size == 0.0 && self.by == BurstBy::Envelope { self.let_go } else { self.follow[1] };
            self.smooth[1] += lowest * (self.smooth[0] - self.smooth[1]);
            let force = share * (self.smooth[0] - self.smooth[1]);
            forces.iter_mut().for_each(|lane| lane[i] = force);
        }
    }

    fn rests(&self, value: Real) -> bool {
        let nothing = match self.by {
            BurstBy::Event => self.trigger.rests(value, self.params.threshold),
            BurstBy::Envelope => value == 0.0,
        };
        nothing && !self.is_awake()
    }

    fn is_awake(&self) -> bool {
        self.events.wait() || !self.is_silent()
    }

    fn heard_until_s(&self) -> Real {
        let smooth_s = 1.0 / (TAU * self.params.bright_hz);
        match self.by {
            BurstBy::Event => self.events.last_s() + UNHEARD * (self.params.decay_s + smooth_s),
            BurstBy::Envelope => self.until_s + UNHEARD * smooth_s,
        }
    }

    fn reset(&mut self) {
        self.events.clear();
        (self.envelope, self.smooth, self.cell) = ([0.0; 2], [0.0; 2], Cell::default());
        self.until_s = Real::NEG_INFINITY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_begins_between_samples_when_its_signal_passes_the_threshold() {
        let params = BurstParams { attack_s: 2e-4, decay_s: 3e-3, ..BurstParams::default() };
        let cases: [(Real, Real); 5] =
            [(8_000.0, 0.0), (8_000.0, 0.31), (44_100.0, 0.07), (48_000.0, 0.555), (48_000.0, 0.999)];
        for (rate_hz, part) in cases {
            let mut burst = Burst::new(params, BurstBy::Event, 1, rate_hz, Rng::new(1, "burst"));
            // It passes a half after 4 ms and a part.
            let to = 0.5 / part.max(1e-9);
            let (signal, began_s) = (|k: u64| if k > 4 { to } else { 0.0 }, 4e-3 + 1e-3 * part);
            let (mut tick, mut index) = (0_u64, 0);
            while tick < (0.012 * rate_hz) as u64 {
                if tick >= (index as Real * 1e-3 * rate_hz) as u64 {
                    burst.enter(Cell { index, from: signal(index), to: signal(index + 1) });
                    index += 1;
                }
                burst.render(
                    Span { tick, ticks: 1, rate_hz },
                    &mut [[0.0; crate::resonator::CONTROL_TICKS]],
                    &mut [0.0; 32],
                );
                tick += 1;
                // What the next sample will see, against the closed form [burst.2] at that time.
                let t = tick as Real / rate_hz - began_s;
                let wanted = if t > 0.0 { (1.0 - exp(-t / params.attack_s)) * exp(-t / params.decay_s) } else { 0.0 };
                let own = (burst.envelope[0] - burst.envelope[1]) / to;
                assert!((own - wanted).abs() < 1e-7, "{rate_hz} Hz, {part}: {own} not {wanted} after {t} s");
            }
        }
    }
}
