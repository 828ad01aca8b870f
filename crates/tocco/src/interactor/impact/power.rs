// SPDX-License-Identifier: MIT OR Apache-2.0
//! Powers of the compression and their means over a stroke, without cancellation: what every impact law is made of.

use crate::math::{Real, expm1, ln_1p, pow};

/// A power of the compression, with closed forms for the exponents people use: a general `pow` costs ten times more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Power {
    /// x^1.5, Hertz: by far the most used
    Hertz,
    /// x^n
    Whole(u32),
    /// x^(n/2), n odd
    Half(u32),
    /// x^a
    Any(Real),
}

impl Power {
    pub fn new(a: Real) -> Self {
        let twice = 2.0 * a;
        if twice == 3.0 {
            Power::Hertz
        } else if (1.0..=10.0).contains(&twice) && twice == twice.trunc() {
            let n = twice as u32;
            if n.is_multiple_of(2) { Power::Whole(n / 2) } else { Power::Half(n) }
        } else {
            Power::Any(a)
        }
    }

    pub fn exponent(self) -> Real {
        match self {
            Power::Hertz => 1.5,
            Power::Whole(n) => n as Real,
            Power::Half(n) => 0.5 * n as Real,
            Power::Any(a) => a,
        }
    }

    /// [x]^a
    pub fn of(self, x: Real) -> Real {
        if x <= 0.0 {
            return 0.0;
        }
        match self {
            Power::Hertz => x * x.sqrt(),
            Power::Whole(n) => whole(x, n),
            Power::Half(n) => whole(x.sqrt(), n),
            Power::Any(a) => pow(x, a),
        }
    }

    /// Mean of [x]^a over the stroke from x to y = x + s, its derivative by s, and [y]^a; `start` is [x]^a if known.
    #[inline]
    pub fn mean(self, x: Real, s: Real, start: Option<Real>) -> (Real, Real, Real) {
        let y = x + s;
        let a = self.exponent();
        if y <= 0.0 && x <= 0.0 {
            return (0.0, 0.0, 0.0);
        }
        if x <= 0.0 {
            let end = self.of(y);
            let mean = end * y / ((a + 1.0) * s);
            return (mean, (end - mean) / s, end);
        }
        if y <= 0.0 {
            let mean = -self.of(x) * x / ((a + 1.0) * s);
            return (mean, -mean / s, 0.0);
        }
        if self == Power::Hertz {
            return hertz_mean(x, y, x.sqrt());
        }
        let r = s / x;
        let (mean, end) = match self {
            Power::Hertz => (0.0, 0.0),
            // Divided difference of a whole power: sum of y^(n-i) x^i, no cancellation.
            Power::Whole(n) => (divided(y, x, n) / (a + 1.0), whole(y, n)),
            Power::Half(n) => {
                let (u, w) = (x.sqrt(), y.sqrt());
                (divided(w, u, n + 1) / ((w + u) * (a + 1.0)), whole(w, n))
            }
            // y^(a+1) = x^(a+1) (1 + grown): one logarithm and one exponential, no cancellation; beyond r = 1e3 the plain
            // difference has none either, and x may be next to nothing.
            Power::Any(a) if r > 1e3 => {
                let end = self.of(y);
                ((end * y - start.unwrap_or_else(|| self.of(x)) * x) / ((a + 1.0) * s), end)
            }
            Power::Any(a) => {
                let grown = expm1((a + 1.0) * ln_1p(r));
                let start = start.unwrap_or_else(|| self.of(x));
                (start * grown / ((a + 1.0) * r), start * (1.0 + grown) / (1.0 + r))
            }
        };
        let slope = if r.abs() > 1e-6 { (end - mean) / s } else { 0.5 * a * end / y };
        (mean, slope, end)
    }
}

/// [`Power::mean`] of x^1.5 for x, y > 0, given u = sqrt x. With w = sqrt y the mean is (w^5 - u^5)/(w^2 - u^2)/2.5, the
/// common factor taken out, and its derivative likewise: no cancellation, and two divisions that need not wait for each
/// other.
#[inline(always)]
pub(super) fn hertz_mean(x: Real, y: Real, u: Real) -> (Real, Real, Real) {
    let w = y.sqrt();
    let (sum, roots) = (x * (x + y) + y * y + u * w * (x + y), w + u);
    let rise = (2.0 * w * (x + 2.0 * y) + u * (x + 3.0 * y)) * roots - sum;
    (fault!(HERTZ_MEAN, 0.4, 0.41) * sum / roots, 0.2 * rise / (w * roots * roots), y * w)
}

fn whole(x: Real, n: u32) -> Real {
    (0..n).fold(1.0, |power, _| power * x)
}

/// (y^(n+1) - x^(n+1)) / (y - x) as a sum of positive terms.
fn divided(y: Real, x: Real, n: u32) -> Real {
    let (mut sum, mut power) = (1.0, 1.0);
    for _ in 0..n {
        power *= x;
        sum = sum * y + power;
    }
    sum
}
