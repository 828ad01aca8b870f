// SPDX-License-Identifier: MIT OR Apache-2.0
//! Decaying exponentials against signals and against each other: correlations by recursion, inner products in closed
//! form.
//!
//! A basis function is `Re(u n^p e^(s n))`, n = 0 .. N-1, with `s = -sigma + i omega` per sample. Inner products need only
//! `T_p(s) = sum of n^p e^(s n)`:
//! with `w = e^s`, `T0 = (1 - w^N)/(1 - w)`, `T1 = (w T0 - N w^N)/(1 - w)`, `T2 = (w T0 + 2 w T1 - N^2 w^N)/(1 - w)`.

use nalgebra::Complex;
use tocco::math::{cos, exp, expm1, sin};

/// Lanes of the recursions; their order of summation is fixed.
const LANES: usize = 8;
/// An exponential is over when it has fallen by e^-32 (-278 dB).
const OVER: f64 = 32.0;

/// `e^s`.
pub fn cexp(s: Complex<f64>) -> Complex<f64> {
    Complex::new(cos(s.im), sin(s.im)) * exp(s.re)
}

/// `1 - e^s` without cancellation.
fn one_minus_exp(s: Complex<f64>) -> Complex<f64> {
    let half = sin(0.5 * s.im);
    Complex::new(2.0 * half * half * exp(s.re) - expm1(s.re), -exp(s.re) * sin(s.im))
}

/// `T_0`, `T_1` and `T_2` of `s` over `count` samples.
pub fn sums(s: Complex<f64>, count: usize) -> [Complex<f64>; 3] {
    let n = count as f64;
    let (w, d) = (cexp(s), one_minus_exp(s));
    let end = cexp(s * n);
    let t0 = one_minus_exp(s * n) / d;
    let t1 = (w * t0 - end * n) / d;
    [t0, t1, (w * t0 + w * t1 * 2.0 - end * (n * n)) / d]
}

fn lasting(s: Complex<f64>, length: usize) -> usize {
    if s.re < 0.0 { length.min((OVER / -s.re).ceil() as usize) } else { length }
}

struct Lanes {
    re: [f64; LANES],
    im: [f64; LANES],
    step: Complex<f64>,
}

impl Lanes {
    fn new(start: Complex<f64>, s: Complex<f64>) -> Self {
        let at: [Complex<f64>; LANES] = core::array::from_fn(|lane| start * cexp(s * lane as f64));
        Self { re: at.map(|z| z.re), im: at.map(|z| z.im), step: cexp(s * LANES as f64) }
    }

    fn advance(&mut self) {
        for lane in 0..LANES {
            let (re, im) = (self.re[lane], self.im[lane]);
            self.re[lane] = re * self.step.re - im * self.step.im;
            self.im[lane] = re * self.step.im + im * self.step.re;
        }
    }
}

/// `sum of x[n] e^(s n)`.
pub fn correlate(signal: &[f64], s: Complex<f64>) -> Complex<f64> {
    let (eights, rest) = signal[..lasting(s, signal.len())].as_chunks::<LANES>();
    let mut at = Lanes::new(Complex::new(1.0, 0.0), s);
    let (mut re, mut im) = ([0.0; LANES], [0.0; LANES]);
    for x in eights {
        for lane in 0..LANES {
            re[lane] += x[lane] * at.re[lane];
            im[lane] += x[lane] * at.im[lane];
        }
        at.advance();
    }
    for (lane, x) in rest.iter().enumerate() {
        re[lane] += x * at.re[lane];
        im[lane] += x * at.im[lane];
    }
    Complex::new(re.iter().sum(), im.iter().sum())
}

/// `x[n] += Re(c e^(s n))`.
pub fn add(signal: &mut [f64], c: Complex<f64>, s: Complex<f64>) {
    let length = lasting(s, signal.len());
    let (eights, rest) = signal[..length].as_chunks_mut::<LANES>();
    let mut at = Lanes::new(c, s);
    for x in eights {
        for (x, y) in x.iter_mut().zip(at.re) {
            *x += y;
        }
        at.advance();
    }
    for (lane, x) in rest.iter_mut().enumerate() {
        *x += at.re[lane];
    }
}

/// Inner product of `Re(a n^p e^(s n))` and `Re(b n^q e^(t n))`, given `T_(p+q)` of `s + t` and of `s + conj t`.
#[inline]
pub fn inner(a: Complex<f64>, b: Complex<f64>, together: Complex<f64>, apart: Complex<f64>) -> f64 {
    0.5 * (a * b * together + a * b.conj() * apart).re
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_sums_are_the_sums_written_out() {
        for (s, count) in
            [(Complex::new(-0.01, 0.3), 500), (Complex::new(-1e-4, 0.0), 2000), (Complex::new(-0.5, 2.0), 7)]
        {
            let plain = |p: i32| {
                (0..count).map(|n| cexp(s * n as f64) * f64::from(n).powi(p)).fold(Complex::default(), |a, b| a + b)
            };
            let closed = sums(s, count as usize);
            for (closed, p) in closed.into_iter().zip(0..) {
                let plain = plain(p);
                assert!((closed - plain).norm() < 1e-9 * plain.norm(), "{s} {count} {p}: {closed} {plain}");
            }
        }
    }

    #[test]
    fn correlation_and_inner_product_agree_on_a_mode() {
        let (s, c) = (Complex::new(-0.004, 0.21), Complex::new(0.3, -0.8));
        let mut signal = vec![0.0; 3001];
        add(&mut signal, c, s);
        let by_sum = correlate(&signal, s);
        let (together, apart) = (sums(s + s, 3001)[0], sums(s + s.conj(), 3001)[0]);
        for u in [Complex::new(1.0, 0.0), Complex::new(0.0, 1.0)] {
            assert!(((u * by_sum).re - inner(u, c, together, apart)).abs() < 1e-10);
        }
    }
}
