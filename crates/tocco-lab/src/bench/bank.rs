// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bank of modes that everybody renders, and the plain loop that is the unit of the benchmark.

use std::f64::consts::{PI, TAU};

/// Rate of every benchmark, Hz.
pub const RATE_HZ: f64 = 48_000.0;

/// One mode of the bank.
#[derive(Clone, Copy)]
pub struct Mode {
    /// Frequency, Hz.
    pub freq_hz: f64,
    /// Time to 1/e of the amplitude, s.
    pub decay_s: f64,
    /// Weight at the pickup.
    pub gain: f64,
}

/// Logarithmic from 200 to 8000 Hz. No two decays or gains are equal, or compilers of peers would share the arithmetic
/// of modes; they ring so long (10 to 20 s) that no peer meets a subnormal number within its run.
pub fn modes(count: usize) -> Vec<Mode> {
    let along = |i: usize| i as f64 / count.max(2).saturating_sub(1) as f64;
    (0..count)
        .map(|i| Mode {
            freq_hz: 200.0 * 40f64.powf(along(i)),
            decay_s: 20.0 - 10.0 * along(i),
            gain: (1.0 - 0.5 * along(i)) / count as f64,
        })
        .collect()
}

/// A bank as one would first write it from the papers (Avanzini et al. 2003 (8.7)): displacement and velocity of every mode in `f64`, one
/// sample after the other, one mode after the other. It is the same bank as the engine's, which must be able to take a
/// force at any sample; a loop over two-pole filters, which cannot, is about a quarter faster on some machines.
pub struct Plain {
    modes: Vec<State>,
}

struct State {
    q: f64,
    p: f64,
    step: [[f64; 2]; 2],
    gain: f64,
}

impl Plain {
    /// A bank that has just received an impulse.
    pub fn new(modes: &[Mode]) -> Self {
        let resonator = |m: &Mode| {
            let (sigma, omega, h) = (1.0 / m.decay_s, TAU * m.freq_hz, 1.0 / RATE_HZ);
            let damped = (omega * omega - sigma * sigma).sqrt();
            let (c, s) = ((-sigma * h).exp() * (damped * h).cos(), (-sigma * h).exp() * (damped * h).sin() / damped);
            let step = [[c + sigma * s, s], [-omega * omega * s, c - sigma * s]];
            State { q: 0.0, p: 1.0, step, gain: m.gain }
        };
        Self { modes: modes.iter().map(resonator).collect() }
    }

    /// The next samples.
    #[inline(never)]
    pub fn render(&mut self, out: &mut [f32]) {
        for sample in out {
            let mut sum = 0.0;
            for m in &mut self.modes {
                let [[qq, qp], [pq, pp]] = m.step;
                (m.q, m.p) = (qq * m.q + qp * m.p, pq * m.q + pp * m.p);
                sum += m.gain * m.p;
            }
            *sample = sum as f32;
        }
    }
}

/// The same bank as a loop over two-pole filters, `y[n] = T y[n-1] - D y[n-2]`: it rings, and can take no force.
pub struct TwoPoles {
    modes: Vec<Filter>,
}

struct Filter {
    now: f64,
    before: f64,
    trace: f64,
    det: f64,
    gain: f64,
}

impl TwoPoles {
    /// A bank that has just received an impulse.
    pub fn new(modes: &[Mode]) -> Self {
        let filter = |m: &Mode| {
            let (sigma, omega, h) = (1.0 / m.decay_s, TAU * m.freq_hz, 1.0 / RATE_HZ);
            let (loss, angle) = ((-sigma * h).exp(), (omega * omega - sigma * sigma).sqrt() * h);
            Filter { now: 1.0, before: 0.0, trace: 2.0 * loss * angle.cos(), det: loss * loss, gain: m.gain }
        };
        Self { modes: modes.iter().map(filter).collect() }
    }

    /// The next samples.
    #[inline(never)]
    pub fn render(&mut self, out: &mut [f32]) {
        for sample in out {
            let mut sum = 0.0;
            for m in &mut self.modes {
                (m.now, m.before) = (m.trace * m.now - m.det * m.before, m.now);
                sum += m.gain * m.now;
            }
            *sample = sum as f32;
        }
    }
}

impl Mode {
    /// Time to -60 dB, s: `ln(1000)` time constants.
    pub fn t60_s(&self) -> f64 {
        self.decay_s * 1000f64.ln()
    }
    /// Quality factor `pi f t_e`.
    pub fn q(&self) -> f64 {
        PI * self.freq_hz * self.decay_s
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_pole_loop_rings_at_the_frequency_and_decay_of_its_mode() {
        let mode = Mode { freq_hz: 480.0, decay_s: 1.0, gain: 1.0 };
        let mut out = [0.0; 9700];
        TwoPoles::new(&[mode]).render(&mut out);
        for i in [0, 30, 77] {
            assert!((out[i + 9600] - out[i] * (-0.2f32).exp()).abs() < 1e-3, "{} {}", out[i], out[i + 9600]);
        }
    }

    #[test]
    fn the_plain_loop_rings_at_the_frequency_and_decay_of_its_mode() {
        let mode = Mode { freq_hz: 480.0, decay_s: 1.0, gain: 1.0 };
        let mut out = [0.0; 9700];
        Plain::new(&[mode]).render(&mut out);
        // 480 Hz is 100 samples a period; 0.2 s later the amplitude has fallen by e^-0.2.
        for i in [0, 30, 77] {
            assert!((out[i + 9600] - out[i] * (-0.2f32).exp()).abs() < 1e-4, "{} {}", out[i], out[i + 9600]);
        }
    }
}
