// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bed: what is too dense to hear one by one.
//!
//! **What.** Under the bubbles that are drawn one by one lie thousands that nobody could tell apart: noise in a band, which comes in
//! grains. It is a level of its own, which may be 0. A band of noise alone can pass for water: whoever studies bubbles turns it off.
//!
//! **Law.** T = 1 ms:
//! - `[bed.1]  S <- e^(-T/4 ms) S + sum w/(lambda 4 ms)`: a shot process of `grains` a second, weights w exponential, mean 1.
//! - `[bed.2]  y = L sqrt(S) LP_2 HP_1 x/g`: x white, HP of first order at f_1, LP a Butterworth of second order at f_2; g makes the
//!   root mean square L where S is 1.
//! - `[bed.3]  L = gain R`: as a process of its own, R its signal, at least 0.
//!
//! **Step.** S once a cell, its root runs straight through the cell; the filters by the sample.
//!
//! **Sources.** Ours.

use super::{Event, Lane, Process, Span, going_until_s, near_normal};
use crate::math::{PI, Real, TAU, cos, exp, ln, tan};
use crate::param::{Params, Spec, Tunable};
use crate::rng::Rng;
use crate::signal::{Cell, GRID_S};

crate::params! {
    /// Parameters of a bed by itself.
    pub struct BedParams {
        low_hz: "Hz", 1.0 => 2e4, default 700.0, Log, Control, glide 0.02, "Lower end.";
        high_hz: "Hz", 1.0 => 1.92e5, default 6000.0, Log, Control, glide 0.02, "Upper end.";
        grains_hz: "1/s", 0.0 => 2e4, default 1200.0, Log, Control, glide 0.02, "Grains in a second; 0: it is smooth.";
        gain: "Pa", 0.0 => 1e6, default 0.05, Log, Control, glide 0.02, "Level: root mean square at 1 m where the signal is 1; 0: none.";
    }
}

/// Most bands of a bed.
const MOST_BANDS: usize = 2;
/// Points of a mean over all frequencies.
const POINTS: usize = 128;
/// How long a grain lasts, s.
const GRAIN_S: Real = 4e-3;

/// The half turns at which the mean is taken are cubes of these: more of them where bands lie.
fn point(i: usize) -> Real {
    (i as Real + 0.5) / POINTS as Real
}

/// A high-pass of first and a low-pass of second order.
#[derive(Clone, Copy, Debug, Default)]
struct Filter {
    /// Follow of the low end.
    low: Real,
    b: Real,
    a: [Real; 2],
    /// 1 over its gain for white noise.
    norm: Real,
    slow: Real,
    x: [Real; 2],
    y: [Real; 2],
}

impl Filter {
    fn tune(&mut self, low_hz: Real, high_hz: Real, rate_hz: Real, cosines: &[Real]) {
        let high = (high_hz / rate_hz).min(0.49);
        self.low = 1.0 - exp(-TAU * (low_hz / rate_hz).min(0.49));
        let k = tan(PI * high);
        let scale = 1.0 / (1.0 + core::f64::consts::SQRT_2 * k + k * k);
        self.b = k * k * scale;
        self.a = [2.0 * (k * k - 1.0) * scale, (1.0 - core::f64::consts::SQRT_2 * k + k * k) * scale];
        // The mean of the squared gain over all frequencies.
        let squared = |(i, &c): (usize, &Real)| {
            let u = point(i);
            let keep = 1.0 - self.low;
            let high_pass = keep * keep * 2.0 * (1.0 - c) / (1.0 + keep * keep - 2.0 * keep * c);
            let [a1, a2] = self.a;
            let below = 1.0 + a1 * a1 + a2 * a2 + 2.0 * a1 * (1.0 + a2) * c + 2.0 * a2 * (2.0 * c * c - 1.0);
            let low_pass = self.b * self.b * 4.0 * (1.0 + c) * (1.0 + c) / below;
            3.0 * u * u * high_pass * low_pass
        };
        let mean = cosines.iter().enumerate().map(squared).sum::<Real>() / POINTS as Real;
        self.norm = if mean > 0.0 { 1.0 / mean.sqrt() } else { 0.0 };
    }

    #[inline]
    fn step(&mut self, noise: Real) -> Real {
        self.slow += self.low * (noise - self.slow);
        let x = noise - self.slow;
        let y = self.b * (x + 2.0 * self.x[0] + self.x[1]) - self.a[0] * self.y[0] - self.a[1] * self.y[1];
        (self.x, self.y) = ([x, self.x[0]], [y, self.y[0]]);
        y * self.norm
    }
}

/// Noise in one or two bands. [bed.2]
#[derive(Clone, Debug)]
pub struct Bed {
    filters: [Filter; MOST_BANDS],
    weights: [Real; MOST_BANDS],
    count: usize,
    /// Band ends that were asked for last.
    ends: [[Real; 2]; MOST_BANDS],
    rate_hz: Real,
    /// Of the angles of [`point`].
    cosines: Vec<Real>,
    rng: Rng,
    noise: Rng,
    shot: Real,
    cell: Cell,
    /// Amplitude of each band at both ends of the cell.
    amplitude: [[Real; 2]; MOST_BANDS],
}

impl Bed {
    /// Bands `[low_hz, high_hz, weight]`, at most two. `[control]`
    pub fn new(bands: &[[Real; 3]], rate_hz: Real, rng: Rng) -> Self {
        let mut noise = rng.clone();
        noise.bits();
        let mut bed = Self {
            filters: [Filter::default(); MOST_BANDS],
            weights: [0.0; MOST_BANDS],
            count: bands.len().min(MOST_BANDS),
            ends: [[0.0; 2]; MOST_BANDS],
            rate_hz,
            cosines: (0..POINTS).map(|i| cos(PI * point(i) * point(i) * point(i))).collect(),
            rng,
            noise,
            shot: 1.0,
            cell: Cell::default(),
            amplitude: [[0.0; 2]; MOST_BANDS],
        };
        for (index, [low, high, weight]) in bands.iter().take(MOST_BANDS).enumerate() {
            bed.weights[index] = *weight;
            bed.retune(index, *low, *high);
        }
        bed
    }

    /// Other ends of a band, Hz. `[audio]`
    pub fn retune(&mut self, band: usize, low_hz: Real, high_hz: Real) {
        if band < self.count && self.ends[band] != [low_hz, high_hz] {
            self.ends[band] = [low_hz, high_hz];
            self.filters[band].tune(low_hz, high_hz.max(low_hz), self.rate_hz, &self.cosines);
        }
    }

    /// A new cell: the level of each band, Pa, at its end; `grains_hz` 0: it does not come in grains. `[audio]`
    pub fn enter(&mut self, cell: Cell, levels: [Real; MOST_BANDS], grains_hz: Real) {
        self.cell = cell;
        let silent = levels.iter().all(|level| *level == 0.0);
        if silent && !self.is_awake() {
            return;
        }
        let root = if grains_hz > 0.0 {
            let mut ahead = grains_hz * GRID_S;
            let mut weight = 0.0;
            // Poisson by its gaps; the mean is at most 20 in a cell.
            loop {
                ahead += ln(1.0 - self.rng.unit());
                if ahead <= 0.0 {
                    break;
                }
                weight -= ln(1.0 - self.rng.unit());
            }
            let keep = exp(-GRID_S / GRAIN_S);
            self.shot = keep * self.shot + (1.0 - keep) * weight / (grains_hz * GRID_S); // [bed.1]
            self.shot.sqrt()
        } else {
            1.0
        };
        for (band, amplitude) in self.amplitude.iter_mut().enumerate() {
            *amplitude = [amplitude[1], self.weights[band] * levels[band] * root];
        }
        if silent && self.amplitude == [[0.0; 2]; MOST_BANDS] {
            // Nothing but the ringing of filters is left, which is shorter than a cell.
            self.rest();
        }
    }

    fn rest(&mut self) {
        for filter in &mut self.filters {
            (filter.x, filter.y, filter.slow) = ([0.0; 2], [0.0; 2], 0.0);
        }
    }

    /// Adds a stretch within the cell. `[audio]`
    pub fn render(&mut self, span: Span, sound: &mut Lane) {
        if !self.is_awake() {
            return;
        }
        for (i, out) in sound[..span.ticks].iter_mut().enumerate() {
            let time_s = (span.tick + i as u64) as Real / span.rate_hz;
            let part = (time_s / GRID_S - self.cell.index as Real).clamp(0.0, 1.0);
            let noise = near_normal(&mut self.noise);
            for band in 0..self.count {
                let [from, to] = self.amplitude[band];
                let level = from + (to - from) * part;
                *out += level * self.filters[band].step(noise);
            }
        }
    }

    /// True while it sounds.
    pub fn is_awake(&self) -> bool {
        self.amplitude != [[0.0; 2]; MOST_BANDS]
    }

    /// Until when it is heard as far as is known, s. [process.7]
    pub fn heard_until_s(&self) -> Real {
        if self.is_awake() { going_until_s(self.cell) } else { Real::NEG_INFINITY }
    }

    /// Silence. `[audio]`
    pub fn reset(&mut self) {
        self.amplitude = [[0.0; 2]; MOST_BANDS];
        self.rest();
    }
}

/// A bed that follows a signal. [bed.3]
#[derive(Clone)]
pub struct Noise {
    params: BedParams,
    bed: Bed,
}

impl Noise {
    /// A bed with its random stream. `[control]`
    pub fn new(params: BedParams, rate_hz: Real, rng: Rng) -> Self {
        Self { params, bed: Bed::new(&[[params.low_hz, params.high_hz, 1.0]], rate_hz, rng) }
    }
}

impl Tunable for Noise {
    fn specs(&self) -> &'static [Spec] {
        BedParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
    }
}

impl Process for Noise {
    fn enter(&mut self, cell: Cell) -> u64 {
        let p = self.params;
        self.bed.retune(0, p.low_hz, p.high_hz);
        self.bed.enter(cell, [p.gain * cell.to.max(0.0), 0.0], p.grains_hz);
        0
    }

    fn events(&self) -> &[Event] {
        &[]
    }

    fn render(&mut self, span: Span, _forces: &mut [Lane], sound: &mut Lane) {
        self.bed.render(span, sound);
    }

    fn is_awake(&self) -> bool {
        self.bed.is_awake()
    }

    fn heard_until_s(&self) -> Real {
        self.bed.heard_until_s()
    }

    fn reset(&mut self) {
        self.bed.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bed_has_the_level_that_is_asked_for_at_every_rate_and_0_is_silence() {
        for rate_hz in [16_000.0, 48_000.0, 192_000.0] {
            for (low, high) in [(700.0, 6000.0), (150.0, 700.0)] {
                let mut bed = Bed::new(&[[low, high, 1.0]], rate_hz, Rng::new(3, "bed"));
                let per_cell = (rate_hz / 1000.0) as usize;
                let (mut sum, mut count, mut tick) = (0.0, 0.0, 0);
                for index in 0..20_000 {
                    bed.enter(Cell { index, from: 1.0, to: 1.0 }, [0.3, 0.0], 1200.0);
                    let mut done = 0;
                    while done < per_cell {
                        let ticks = (per_cell - done).min(32);
                        let mut lane = [0.0; 32];
                        bed.render(Span { tick, ticks, rate_hz }, &mut lane);
                        sum += lane[..ticks].iter().map(|x| x * x).sum::<Real>();
                        count += ticks as Real;
                        (done, tick) = (done + ticks, tick + ticks as u64);
                    }
                }
                let rms = (sum / count).sqrt();
                assert!((rms / 0.3 - 1.0).abs() < 0.05, "{rate_hz} Hz, {low} to {high} Hz: {rms}");
                for index in 20_000..20_002 {
                    bed.enter(Cell { index, from: 0.0, to: 0.0 }, [0.0; 2], 1200.0);
                }
                assert!(!bed.is_awake());
            }
        }
    }
}
