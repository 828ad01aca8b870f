// SPDX-License-Identifier: MIT OR Apache-2.0
//! Drives: a parameter or an external force over time, from breakpoints, seeded noise, a recording or sound that
//! comes in.

use super::def::{Source, TimesNoise};
use super::slot::Mapping;
use crate::math::{Real, exp};
use crate::rng::Rng;
use crate::scene::grid::Heard;
use crate::texture::fractal::{DEFAULT_POLES_PER_DECADE, Fractal};
use std::sync::Arc;

/// Sound that comes in: channels of equal length, and the frame that is now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inputs<'a> {
    pub channels: &'a [&'a [f32]],
    pub at: usize,
}

impl Inputs<'_> {
    /// Sample of a channel; silence where there is none, or no number.
    pub fn sample(&self, channel: usize) -> Real {
        let sample = self.channels.get(channel).and_then(|samples| samples.get(self.at));
        sample.map_or(0.0, |sample| if sample.is_finite() { Real::from(*sample) } else { 0.0 })
    }

    /// The frame `frames` later.
    pub fn later(&self, frames: usize) -> Self {
        Self { channels: self.channels, at: self.at + frames }
    }
}

/// A running drive.
#[derive(Clone)]
pub(crate) struct Drive {
    /// Range and law of the control it moves, if its path names one.
    through: Option<Mapping>,
    /// Value before and after the source, in the unit of what it moves: as declared.
    rest: Real,
    source: Running,
    /// What it says is multiplied by exp(sigma x - sigma^2/2).
    times: Option<(Real, Colour)>,
}

#[derive(Clone)]
enum Running {
    Points { points: Vec<[Real; 2]>, at: usize },
    Noise { rms: Real, mean: Real, from_s: Real, to_s: Real, colour: Colour },
    Samples { rate_hz: Real, data: Arc<[f32]>, gain: Real, at_s: Real },
    Input { channel: usize, gain: Real },
    Signal(usize),
}

#[derive(Clone)]
enum Colour {
    White(Rng),
    Fractal(Box<Fractal>),
}

impl Colour {
    /// Of a spectrum 1/f^beta, drawn `rate_hz` times a second. `[control]`
    fn new(beta: Real, first_hz: Real, rate_hz: Real, rng: Rng) -> Self {
        if beta == 0.0 {
            return Colour::White(rng);
        }
        Colour::Fractal(Box::new(Fractal::new(beta, DEFAULT_POLES_PER_DECADE, first_hz, rate_hz, rng)))
    }

    fn draw(&mut self) -> Real {
        match self {
            Colour::White(rng) => rng.normal(),
            Colour::Fractal(noise) => noise.draw(),
        }
    }
}

impl Drive {
    /// A drive whose value is asked for `rate_hz` times a second; `signal` is the number of the signal that it names, if it
    /// names one. `None` for a recording that nobody has loaded. `[control]`
    pub fn new(
        through: Option<Mapping>,
        source: &Source,
        rest: Real,
        rate_hz: Real,
        rng: Rng,
        signal: usize,
    ) -> Option<Self> {
        let source = match source {
            Source::Points(points) => Running::Points { points: points.clone(), at: 0 },
            Source::Noise { rms, mean, from_s, to_s, beta, first_hz } => {
                let colour = Colour::new(*beta, *first_hz, rate_hz, rng);
                Running::Noise { rms: *rms, mean: *mean, from_s: *from_s, to_s: *to_s, colour }
            }
            Source::Samples { rate_hz, data, gain, at_s } => {
                Running::Samples { rate_hz: *rate_hz, data: data.clone(), gain: *gain, at_s: *at_s }
            }
            Source::Input { channel, gain } => Running::Input { channel: *channel, gain: *gain },
            Source::Signal(_) => Running::Signal(signal),
            Source::Wav { .. } => return None,
        };
        Some(Self { through, rest, source, times: None })
    }

    /// The same, multiplied by noise. `[control]`
    pub fn times(mut self, TimesNoise { sigma, beta, first_hz }: TimesNoise, rate_hz: Real, rng: Rng) -> Self {
        self.times = Some((sigma, Colour::new(beta, first_hz, rate_hz, rng)));
        self
    }

    /// Value at a time since the scene began, s, in the unit of the slot it moves. Time never runs backwards. `[audio]`
    pub fn value_or_rest(&mut self, time_s: Real, inputs: Inputs<'_>, signals: &[Heard]) -> Real {
        let said = self.value(time_s, inputs, signals);
        let said = match &mut self.times {
            None => said,
            Some((sigma, colour)) => {
                let by = exp(*sigma * colour.draw() - 0.5 * *sigma * *sigma);
                said.map(|value| value * by)
            }
        };
        match (said, self.through) {
            (None, _) => self.rest,
            (Some(value), None) => value,
            (Some(value), Some(mapping)) => mapping.value(value),
        }
    }

    /// The same of a drive by breakpoints or by a signal, whose value at a time is the same whenever it is asked for. `[audio]`
    pub fn known(&mut self, time_s: Real, signals: &[Heard]) -> Option<Real> {
        let known = match self.source {
            Running::Points { .. } => self.times.is_none(),
            Running::Signal(signal) => self.times.is_none() && signals[signal].signal.has_begun(),
            _ => false,
        };
        known.then(|| self.value_or_rest(time_s, Inputs { channels: &[], at: 0 }, signals))
    }

    /// Fills a lane of samples from a tick on, within a range; false if it does not hear a signal as it is. To the bit what
    /// [`Drive::value_or_rest`] says sample by sample. `[audio]`
    pub fn fill(&self, tick: u64, rate_hz: Real, range: (Real, Real), signals: &[Heard], lane: &mut [Real]) -> bool {
        let (Running::Signal(signal), None, None) = (&self.source, self.through, &self.times) else { return false };
        let (cell, first) = (signals[*signal].signal.cell(), tick as Real);
        for (i, value) in lane.iter_mut().enumerate() {
            *value = cell.at((first + i as Real) / rate_hz).clamp(range.0, range.1);
        }
        true
    }

    /// As the source has it; `None` before its beginning and after its end.
    fn value(&mut self, t: Real, inputs: Inputs<'_>, signals: &[Heard]) -> Option<Real> {
        let value = match &mut self.source {
            Running::Points { points, at } => {
                while *at + 1 < points.len() && points[*at + 1][0] <= t {
                    *at += 1;
                }
                let [t0, v0] = points[*at];
                match points.get(*at + 1) {
                    Some(&[t1, v1]) if t > t0 => fault!(DRIVE_STEPS, v0 + (v1 - v0) * ((t - t0) / (t1 - t0)), v0),
                    _ => v0,
                }
            }
            Running::Noise { rms, mean, from_s, to_s, colour } => {
                if t >= *from_s && t < *to_s {
                    *mean + *rms * colour.draw()
                } else {
                    return None;
                }
            }
            Running::Samples { rate_hz, data, gain, at_s } => {
                let place = (t - *at_s) * *rate_hz;
                if place < 0.0 || place >= data.len() as Real {
                    return None;
                }
                let (first, part) = (place as usize, place - place.trunc());
                let sample = |i: usize| Real::from(data.get(i).copied().unwrap_or(0.0));
                *gain * (sample(first) + fault!(RECORDING_STEPS, part, 0.0) * (sample(first + 1) - sample(first)))
            }
            Running::Input { channel, gain } => *gain * inputs.sample(*channel),
            Running::Signal(signal) => signals[*signal].signal.at(t),
        };
        Some(value)
    }

    /// True if its value certainly stays what it is from one time to another; time has not come to the first yet. A signal is only
    /// known to the end of its cell: who hears one looks again when the next is entered. `[audio]`
    pub fn is_still(&self, from_s: Real, to_s: Real, signals: &[Heard]) -> bool {
        if self.times.is_some() {
            return false;
        }
        match &self.source {
            Running::Points { points, at } => {
                let ahead = points[*at..].windows(2).skip_while(|pair| pair[1][0] <= from_s);
                ahead.take_while(|pair| pair[0][0] < to_s).all(|pair| pair[0][1] == pair[1][1])
            }
            Running::Noise { from_s: begin, to_s: end, .. } => to_s < *begin || from_s >= *end,
            Running::Samples { rate_hz, data, at_s, .. } => {
                to_s < *at_s || from_s >= at_s + data.len() as Real / rate_hz
            }
            Running::Signal(signal) => signals[*signal].signal.cell().stands(),
            Running::Input { .. } => false,
        }
    }

    /// True if it stands until a cell is entered in which a signal moves: it is past its last breakpoint, or hears one that stands in the
    /// present cell. `[audio]`
    pub fn stands(&self, signals: &[Heard]) -> bool {
        let stands = match &self.source {
            Running::Points { points, at } => at + 1 >= points.len(),
            Running::Signal(signal) => signals[*signal].signal.cell().stands(),
            Running::Noise { .. } | Running::Samples { .. } | Running::Input { .. } => false,
        };
        stands && self.times.is_none()
    }

    /// The signal that it hears, if it hears one.
    pub fn hears(&self) -> Option<usize> {
        if let Running::Signal(signal) = self.source { Some(signal) } else { None }
    }

    /// When it last changes, s.
    pub fn ends_s(&self) -> Real {
        match &self.source {
            Running::Points { points, .. } => points.last().map_or(0.0, |p| p[0]),
            Running::Noise { to_s, .. } => {
                if to_s.is_finite() {
                    *to_s
                } else {
                    0.0
                }
            }
            Running::Samples { rate_hz, data, at_s, .. } => at_s + data.len() as Real / rate_hz,
            Running::Input { .. } | Running::Signal(_) => 0.0,
        }
    }
}
