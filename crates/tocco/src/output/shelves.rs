// SPDX-License-Identifier: MIT OR Apache-2.0
//! A chain of shelves: a filter of the second order at each border between octave bands, tuned together so that every band has the
//! gain that is asked for.
//!
//! **Law.** With `W = tan(pi f/rate)` and a border at `K = tan(pi f_k/rate)`, of gain g below it and 1 above:
//! - `[shelf.1]  |H|^2 = (W^4 + K^4 g)/(W^4 + K^4/g)`
//! - `[shelf.2]  H = (s^2 + sqrt 2 q s + q^2)/(s^2 + sqrt 2 p s + p^2)`, `q = K g^(1/4)`, `p = K g^(-1/4)`, `s = (1 - 1/z)/(1 + 1/z)`
//! - `[shelf.3]  sum over k of ln|H_k(f_b)| + ln g_0 = ln G_b` for all bands b: as many equations as gains
//!
//! **Symbols.** G_b wanted gain of band b; f_b its centre Hz; g_0 gain of the whole.
//!
//! **Step.** [shelf.3] is solved by Newton's method in the logarithms of the gains, in a fixed number of steps that go for more and more of
//! what is wanted: for small losses it is nearly linear.
//!
//! **Sources.** Jot, Proc. ICMC 1997 (shelves whose decibels add), Valimaki, Liski, IEEE Signal Processing Letters 24, 176 (2017) (gains
//! of neighbours solved together).

use crate::math::{PI, Real, exp, ln, tan};

/// Most bands of a chain.
pub const MOST_BANDS: usize = 7;
/// Newton steps, and how many of them go for the whole.
const ROUNDS: usize = 12;
const SETTLING: usize = 4;
/// Newton steps from nearby.
const NEARLY: usize = 3;
/// Most that a shelf may raise or lower, as a logarithm: 70 dB.
const STEEPEST: Real = 8.0;

/// One value for each band.
pub type Bands = [Real; MOST_BANDS];

/// Where bands and borders lie on the axis of a rate.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Bands that are below what the rate can carry.
    pub bands: usize,
    /// Fourth powers of the warped centres.
    centres: Bands,
    /// Warped borders, one fewer than bands.
    borders: Bands,
    rate_hz: Real,
}

/// A section: b0, b1, b2, a1, a2.
pub type Section = [Real; 5];
/// A section that changes nothing.
pub const THROUGH: Section = [1.0, 0.0, 0.0, 0.0, 0.0];

/// A chain for one set of gains: a factor, and a section for each border.
#[derive(Clone, Copy, Debug, Default)]
pub struct Chain {
    /// Gain of the whole.
    pub gain: Real,
    /// Logarithms of the gains of the shelves.
    logs: Bands,
}

impl Layout {
    /// Octave bands from the first centre, as many as wanted and the rate can carry. `[control]`
    pub fn octaves(first_hz: Real, wanted: usize, rate_hz: Real) -> Self {
        let mut layout = Self { bands: 1, centres: [0.0; MOST_BANDS], borders: [0.0; MOST_BANDS], rate_hz };
        let mut centre_hz = first_hz;
        for band in 0..wanted.min(MOST_BANDS) {
            if band > 0 && centre_hz > 0.4 * rate_hz {
                break;
            }
            layout.bands = band + 1;
            layout.centres[band] = fourth(layout.warped(centre_hz));
            layout.borders[band] = layout.warped(centre_hz * core::f64::consts::SQRT_2);
            centre_hz *= 2.0;
        }
        layout
    }

    fn warped(&self, freq_hz: Real) -> Real {
        tan(PI * (freq_hz / self.rate_hz).min(0.499))
    }

    /// The chain whose gain in each band has this logarithm. `[audio]`
    pub fn chain(&self, wanted: &Bands) -> Chain {
        let part = |round: usize| ((round + 1) as Real / (ROUNDS - SETTLING) as Real).min(1.0);
        self.newton([0.0; MOST_BANDS], wanted, (0..ROUNDS).map(part))
    }

    /// The same from a chain that is nearly so. `[audio]`
    pub fn follow(&self, chain: &Chain, wanted: &Bands) -> Chain {
        self.newton(chain.logs, wanted, (0..NEARLY).map(|_| 1.0))
    }

    /// Newton steps for [shelf.3], each for a part of what is wanted.
    fn newton(&self, mut u: Bands, wanted: &Bands, parts: impl Iterator<Item = Real>) -> Chain {
        let n = self.bands;
        for part in parts {
            let terms: [(Real, Real); MOST_BANDS] =
                core::array::from_fn(|k| if k + 1 < n { self.terms(k, u[k]) } else { (0.0, 0.0) });
            // [shelf.3]: what is missing in each band, and how each unknown would mend it.
            let mut rows = [[0.0; MOST_BANDS + 1]; MOST_BANDS];
            for band in 0..n {
                let at = self.centres[band];
                rows[band][n] = part * wanted[band] - u[n - 1];
                rows[band][n - 1] = 1.0;
                for (k, &(above, below)) in terms.iter().enumerate().take(n - 1) {
                    rows[band][n] -= 0.5 * ln((at + above) / (at + below)); // [shelf.1]
                    rows[band][k] = 0.5 * (above / (at + above) + below / (at + below));
                }
            }
            let change = solve(&mut rows, n);
            for k in 0..n {
                u[k] = (u[k] + change[k]).clamp(-STEEPEST, STEEPEST);
            }
        }
        Chain { gain: exp(u[n - 1]), logs: u }
    }

    /// K^4 g and K^4/g of border k.
    fn terms(&self, k: usize, log: Real) -> (Real, Real) {
        (fourth(self.borders[k]) * exp(log), fourth(self.borders[k]) * exp(-log))
    }

    /// Section k of a chain; there is one fewer than bands. `[audio]`
    pub fn section(&self, chain: &Chain, k: usize) -> Section {
        let root = exp(0.25 * chain.logs[k]);
        // [shelf.2]
        let polynomial = |q: Real| {
            let (slope, square) = (core::f64::consts::SQRT_2 * q, q * q);
            [1.0 + slope + square, 2.0 * (square - 1.0), 1.0 - slope + square]
        };
        let (up, down) = (polynomial(self.borders[k] * root), polynomial(self.borders[k] / root));
        [up[0] / down[0], up[1] / down[0], up[2] / down[0], down[1] / down[0], down[2] / down[0]]
    }

    /// Logarithm of a chain's gain at a frequency. `[control]`
    pub fn log_gain(&self, chain: &Chain, freq_hz: Real) -> Real {
        let at = fourth(self.warped(freq_hz));
        let shelf = |k: usize| {
            let (above, below) = self.terms(k, chain.logs[k]);
            0.5 * ln((at + above) / (at + below))
        };
        (0..self.bands - 1).map(shelf).sum::<Real>() + chain.logs[self.bands - 1]
    }
}

fn fourth(x: Real) -> Real {
    (x * x) * (x * x)
}

/// Solves n equations by elimination with pivots; a row without one is left at 0.
fn solve(rows: &mut [[Real; MOST_BANDS + 1]; MOST_BANDS], n: usize) -> Bands {
    for column in 0..n {
        let mut pivot = column;
        for row in column + 1..n {
            if rows[row][column].abs() > rows[pivot][column].abs() {
                pivot = row;
            }
        }
        rows.swap(column, pivot);
        let lead = rows[column];
        for row in rows.iter_mut().take(n).skip(column + 1) {
            let factor = if lead[column] == 0.0 { 0.0 } else { row[column] / lead[column] };
            row.iter_mut().zip(lead).for_each(|(cell, above)| *cell -= factor * above);
        }
    }
    let mut x = [0.0; MOST_BANDS];
    for row in (0..n).rev() {
        let known: Real = (row + 1..n).map(|column| rows[row][column] * x[column]).sum();
        x[row] = if rows[row][row] == 0.0 { 0.0 } else { (rows[row][n] - known) / rows[row][row] };
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{TAU, cos, sin};

    #[test]
    fn the_sections_of_a_chain_have_the_gain_that_is_asked_for_in_every_band() {
        for rate_hz in [16_000.0, 44_100.0, 96_000.0] {
            let layout = Layout::octaves(125.0, MOST_BANDS, rate_hz);
            for wanted in [
                [-0.1; MOST_BANDS],
                [-0.2, -0.3, -0.25, -0.4, -0.5, -0.45, -0.8],
                [-2.0, -1.5, -1.0, -1.0, -1.2, -1.8, -2.4],
            ] {
                let chain = layout.chain(&wanted);
                for (band, wanted) in wanted.iter().enumerate().take(layout.bands) {
                    let freq_hz = 125.0 * Real::from(1 << band);
                    assert!((layout.log_gain(&chain, freq_hz) - wanted).abs() < 1e-9, "{rate_hz} {band}"); // [shelf.3]
                    // The same from the sections themselves: [shelf.1] is the gain of [shelf.2].
                    let (c, s) = (cos(TAU * freq_hz / rate_hz), sin(TAU * freq_hz / rate_hz));
                    let size = |a: Real, b: Real, d: Real| {
                        let (re, im) = (a + b * c + d * (c * c - s * s), b * s + 2.0 * d * s * c);
                        (re * re + im * im).sqrt()
                    };
                    let gain = (0..layout.bands - 1).fold(chain.gain, |gain, k| {
                        let [b0, b1, b2, a1, a2] = layout.section(&chain, k);
                        gain * size(b0, b1, b2) / size(1.0, a1, a2)
                    });
                    assert!((ln(gain) - wanted).abs() < 1e-9, "{rate_hz} {band}: {gain}");
                }
            }
        }
    }
}
