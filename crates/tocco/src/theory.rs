// SPDX-License-Identifier: MIT OR Apache-2.0
//! Closed forms for a mass that hits a rigid wall through the Hunt-Crossley law: what every scheme is measured against.
//!
//! # What
//! A mass arrives at a wall, is pushed back by `f = k x^a (1 + mu v)` and leaves, slower. Rebound, depth and duration
//! follow from the incoming speed without any time stepping.
//!
//! # Law
//! - `[theory.1]` `-z - ln(1 - z) = y - ln(1 + y)`, with `y = mu v_in`, `z = -mu v_out` in (0, 1); `E = z/y`
//! - `[theory.2]` `x(v) = [m (a+1)/(k mu^2) (L(y) - L(mu v))]^(1/(a+1))`, `L(u) = u - ln(1 + u)`; the depth is `x(0)`
//! - `[theory.3]` `tau = (m/k)^(1/(a+1)) (a+1)^(-a/(a+1)) mu^((a-1)/(a+1)) (I+ + I-)`
//! - `[theory.4]` elastic: `tau = c_a (m/k)^(1/(a+1)) v^((1-a)/(1+a))`,
//!   `c_a = 2 ((a+1)/2)^(1/(a+1)) sqrt(pi) G(1 + 1/(a+1)) / G(1/2 + 1/(a+1))`
//! - `[theory.5]` the papers' fit: `v_out = -(1/mu) [1 - (1 + y + 2/3 y^2 + 2/9 y^3 + 14/135 y^4) e^(-2y)]`
//! - `[theory.6]` `k = m (tau_1/tau)^(a+1)`, `tau_1` the duration for `m/k = 1`
//!
//! # Symbols
//! m `mass_kg`, k `stiffness` (N/m^a), a `exponent`, mu `dissipation_s_m` (s/m), v_in `velocity_m_s`; E restitution;
//! G the gamma function; `I+`, `I-` the dimensionless times of compression and release.
//!
//! # Step
//! None. The roots are found by Newton on a monotone function; the integrals by 32-point Gauss-Legendre after the
//! substitutions `u = ln(1 + mu v)` and `d = s^(a+1)`, which remove the singular ends: relative error below 1e-10 for
//! y from 0 to 1000.
//!
//! # Sources
//! De Sena et al., NIW deliverable 4.1 (2009), eqs. (2.3) to (2.9); Avanzini, thesis (2001), eq. (5.17). We use the root
//! of (2.6), not the fit (2.7), which is 2 % off at y = 3; the fit is kept for comparison.

use crate::math::{PI, Real, exp, expm1, gamma, ln_1p, pow};

/// Below this y the collision is elastic to ten digits, and the general formula divides by y^2.
const ELASTIC_BELOW: Real = 1e-10;

/// Quadrature nodes per panel.
const NODES: usize = 32;

/// A mass about to hit a rigid wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallImpact {
    /// Mass, kg.
    pub mass_kg: Real,
    /// Stiffness k, N/m^exponent.
    pub stiffness: Real,
    /// Exponent of the compression.
    pub exponent: Real,
    /// mu = lambda/k, s/m.
    pub dissipation_s_m: Real,
    /// Incoming speed, m/s, positive.
    pub velocity_m_s: Real,
}

impl WallImpact {
    /// y = mu v_in, the one number that decides the restitution.
    pub fn y(&self) -> Real {
        self.dissipation_s_m * self.velocity_m_s
    }

    /// Velocity after the contact, m/s, negative.
    pub fn rebound_m_s(&self) -> Real {
        -self.velocity_m_s * restitution(self.y())
    }

    /// The papers' fit of the velocity after the contact, m/s (`[theory.5]`).
    pub fn rebound_fit_m_s(&self) -> Real {
        -self.velocity_m_s * restitution_fit(self.y())
    }

    /// Largest compression, m.
    pub fn max_compression_m(&self) -> Real {
        self.compression_at_m(0.0)
    }

    /// Compression at which the mass has this velocity, m (`[theory.2]`); zero outside `v_out..=v_in`.
    pub fn compression_at_m(&self, velocity_m_s: Real) -> Real {
        let (v, mu) = (velocity_m_s, self.dissipation_s_m);
        // The kinetic energy lost to spring and damper, per mass.
        let given_up = if self.y() < ELASTIC_BELOW {
            0.5 * (self.velocity_m_s * self.velocity_m_s - v * v)
        } else if mu * v <= -1.0 {
            0.0
        } else {
            (less_ln_1p(self.y()) - less_ln_1p(mu * v)) / (mu * mu)
        };
        let n = self.exponent + 1.0;
        pow((self.mass_kg * n / self.stiffness * given_up).max(0.0), 1.0 / n)
    }

    /// Duration of the contact, s (`[theory.3]`, `[theory.4]`).
    pub fn contact_time_s(&self) -> Real {
        let n = self.exponent + 1.0;
        if self.y() < ELASTIC_BELOW {
            let p = 1.0 / n;
            let c = 2.0 * pow(0.5 * n, p) * PI.sqrt() * gamma(1.0 + p) / gamma(0.5 + p);
            return c * pow(self.mass_kg / self.stiffness, p) * pow(self.velocity_m_s, (2.0 - n) * p);
        }
        let pair = Pair::of(self.y());
        self.time_unit_s() * (pair.closing(self.exponent, pair.u_in) + pair.opening(self.exponent, -pair.u_out))
    }

    /// Time since the start of the contact at which the mass has this velocity, s; the contact's two ends outside
    /// `v_out..=v_in`.
    pub fn time_at_s(&self, velocity_m_s: Real) -> Real {
        // An elastic collision has no logarithm to substitute; the smallest y that has one is it to ten digits.
        let this = if self.y() < ELASTIC_BELOW {
            Self { dissipation_s_m: ELASTIC_BELOW / self.velocity_m_s, ..*self }
        } else {
            *self
        };
        let pair = Pair::of(this.y());
        let u = if this.dissipation_s_m * velocity_m_s <= -1.0 {
            pair.u_out
        } else {
            ln_1p(this.dissipation_s_m * velocity_m_s).clamp(pair.u_out, pair.u_in)
        };
        if u >= 0.0 {
            this.time_unit_s() * pair.closing(this.exponent, pair.u_in - u)
        } else {
            this.contact_time_s() - this.time_unit_s() * pair.opening(this.exponent, u - pair.u_out)
        }
    }

    /// The factor before the integrals of `[theory.3]`, s.
    fn time_unit_s(&self) -> Real {
        let (a, n) = (self.exponent, self.exponent + 1.0);
        pow(self.mass_kg / self.stiffness, 1.0 / n) * pow(n, -a / n) * pow(self.dissipation_s_m, (a - 1.0) / n)
    }

    /// The same impact with the stiffness that makes the contact last this long (`[theory.6]`).
    pub fn lasting(self, contact_time_s: Real) -> Self {
        let tau_1 = Self { stiffness: self.mass_kg, ..self }.contact_time_s();
        Self { stiffness: self.mass_kg * pow(tau_1 / contact_time_s, self.exponent + 1.0), ..self }
    }
}

/// Restitution coefficient E = |v_out|/v_in as a function of y = mu v_in >= 0 (`[theory.1]`).
pub fn restitution(y: Real) -> Real {
    if y == 0.0 { 1.0 } else { Pair::of(y).z / y }
}

/// The papers' fit of the restitution (`[theory.5]`): error 5.5e-4 % at y = 0.3, 0.23 % at 1, at most 2.045 % (y = 3).
pub fn restitution_fit(y: Real) -> Real {
    let b_less_1_over_y = 1.0 + y * (2.0 / 3.0 + y * (2.0 / 9.0 + y * (14.0 / 135.0)));
    if y == 0.0 { 1.0 } else { -expm1(-2.0 * y) / y - b_less_1_over_y * exp(-2.0 * y) }
}

/// Both ends of a collision in dimensionless form: y in, z = -mu v_out out.
struct Pair {
    y: Real,
    z: Real,
    /// 1 - z, kept apart because z is 1 to rounding beyond y = 37.
    w: Real,
    /// ln(1 + y)
    u_in: Real,
    /// ln(1 - z)
    u_out: Real,
}

impl Pair {
    /// The root of `[theory.1]`.
    fn of(y: Real) -> Self {
        let c = less_ln_1p(y);
        let (z, w, u_out) = if y < 1e-3 {
            let z = y - y * y * (2.0 / 3.0 - y * (4.0 / 9.0 - y * (44.0 / 135.0 - y * (104.0 / 405.0))));
            (z, 1.0 - z, ln_1p(-z))
        } else if y < 1.0 {
            // L(-z) is convex and rising: Newton lands right of the root once and then falls to it.
            let mut z = (y - y * y * (2.0 / 3.0 - y * (4.0 / 9.0))).min(0.7);
            for _ in 0..50 {
                let by = (less_ln_1p(-z) - c) * (1.0 - z) / z;
                z = (z - by).clamp(1e-4, 0.999);
                if by.abs() <= 1e-16 * z {
                    break;
                }
            }
            (z, 1.0 - z, ln_1p(-z))
        } else {
            // ln w = w - 1 - c contracts by w < 0.41.
            let mut w = exp(-1.0 - c);
            for _ in 0..100 {
                let next = exp(w - 1.0 - c);
                let by = next - w;
                w += by / (1.0 - next);
                if by.abs() <= 1e-17 * w {
                    break;
                }
            }
            (1.0 - w, w, w - 1.0 - c)
        };
        Self { y, z, w, u_in: ln_1p(y), u_out }
    }

    /// Dimensionless time from first touch until `u` has fallen by `fall`.
    fn closing(&self, exponent: Real, fall: Real) -> Real {
        // y (1 - e^-d) - (e^-d - 1 + d): the second is half the first at most, so nothing cancels.
        panel(exponent, fall, |d| -self.y * expm1(-d) - exp_less_1p(-d))
    }

    /// Dimensionless time from `rise` above the last value of `u` until release.
    fn opening(&self, exponent: Real, rise: Real) -> Real {
        panel(exponent, rise, |e| {
            if self.y < 1.0 {
                self.z * expm1(e) - exp_less_1p(e)
            } else if e < 1.0 {
                e - self.w * expm1(e)
            } else {
                e - exp(e + self.u_out) + self.w
            }
        })
    }
}

/// Integral of `(a+1) s^a phi(s^(a+1))^(-a/(a+1))` from 0 to `end^(1/(a+1))`.
fn panel(exponent: Real, end: Real, phi: impl Fn(Real) -> Real) -> Real {
    if end <= 0.0 {
        return 0.0;
    }
    let n = exponent + 1.0;
    let last = pow(end, 1.0 / n);
    // Release at large y ends in a layer of width 1 in u; a second panel keeps its error below 1e-10.
    let split = if end > 8.0 { pow(end - 6.0, 1.0 / n) } else { 0.0 };
    let integrand = |s: Real| {
        let d = pow(s, n);
        n * pow(s, exponent) * pow(phi(d), -exponent / n)
    };
    gauss_legendre(0.0, split, integrand) + gauss_legendre(split, last, integrand)
}

/// Positive nodes of Gauss-Legendre quadrature and their weights.
type Nodes = [(Real, Real); NODES / 2];

/// Roots of the Legendre polynomial of degree 32; a test finds them by Newton.
const ROOTS: Nodes = [
    (0.997_263_861_849_481_6, 0.007_018_610_009_470_136),
    (0.985_611_511_545_268_4, 0.016_274_394_730_905_71),
    (0.964_762_255_587_506_4, 0.025_392_065_309_262_14),
    (0.934_906_075_937_739_7, 0.034_273_862_913_021_41),
    (0.896_321_155_766_052_1, 0.042_835_898_022_226_704),
    (0.849_367_613_732_57, 0.050_998_059_262_376_154),
    (0.794_483_795_967_942_4, 0.058_684_093_478_535_58),
    (0.732_182_118_740_289_7, 0.065_822_222_776_361_95),
    (0.663_044_266_930_215_2, 0.072_345_794_108_848_62),
    (0.587_715_757_240_762_3, 0.078_193_895_787_070_44),
    (0.506_899_908_932_229_4, 0.083_311_924_226_946_72),
    (0.421_351_276_130_635_33, 0.087_652_093_004_403_74),
    (0.331_868_602_282_127_67, 0.091_173_878_695_763_9),
    (0.239_287_362_252_137_06, 0.093_844_399_080_804_54),
    (0.144_471_961_582_796_5, 0.095_638_720_079_274_85),
    (0.048_307_665_687_738_324, 0.096_540_088_514_727_85),
];

/// Integral over `[from, to]` by Gauss-Legendre quadrature.
fn gauss_legendre(from: Real, to: Real, f: impl Fn(Real) -> Real) -> Real {
    if to <= from {
        return 0.0;
    }
    let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
    let sum: Real = ROOTS.iter().map(|(x, weight)| weight * (f(middle - half * x) + f(middle + half * x))).sum();
    half * sum
}

/// `L(u) = u - ln(1 + u)` without cancellation.
fn less_ln_1p(u: Real) -> Real {
    if u.abs() > 0.1 {
        return u - ln_1p(u);
    }
    // u^2/2 - u^3/3 + ...; 16 terms reach 1e-17 at 0.1.
    let mut sum = 0.0;
    for j in (2..=18).rev() {
        sum = 1.0 / Real::from(j) - u * sum;
    }
    u * u * sum
}

/// `e^u - 1 - u` without cancellation.
fn exp_less_1p(u: Real) -> Real {
    if u.abs() > 0.5 {
        return expm1(u) - u;
    }
    // u^2/2! + u^3/3! + ...; 14 terms reach 1e-17 at 0.5.
    let mut sum = 1.0;
    for j in (3..=16).rev() {
        sum = 1.0 + u / Real::from(j) * sum;
    }
    0.5 * u * u * sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::cos;

    fn close(got: Real, want: Real, tolerance: Real, what: &str) {
        assert!((got / want - 1.0).abs() <= tolerance, "{what}: {got} instead of {want}");
    }

    /// y, E from the principal Lambert branch with 40 digits.
    const RESTITUTION: [(Real, Real); 18] = [
        (1e-4, 0.999_933_337_777_451_9),
        (1e-3, 0.999_333_777_452_093_8),
        (0.01, 0.993_377_454_398_769_5),
        (0.03, 0.980_391_402_984_922_2),
        (0.1, 0.937_475_579_949_904_6),
        (0.3, 0.832_869_792_265_601_4),
        (0.5, 0.748_434_931_597_434_1),
        (0.6, 0.711_950_179_577_866_2),
        (1.0, 0.593_624_260_040_040_1),
        (1.2, 0.546_854_050_657_291_9),
        (1.8, 0.438_849_425_629_571_7),
        (2.0, 0.410_719_686_061_039_5),
        (2.4, 0.362_872_318_508_325_2),
        (3.0, 0.306_896_798_290_962_1),
        (5.0, 0.196_980_245_280_518_9),
        (10.0, 0.099_981_624_752_943_9),
        (20.0, 0.049_999_999_203_831_1),
        (50.0, 0.02),
    ];

    /// name, m, k, mu, a, v_in, tau, v_out, x_max: 40-digit quadrature, cross-checked by an eighth-order integration.
    #[allow(clippy::type_complexity, reason = "a row of the table, in the order of its heading")]
    const CONTACTS: [(&str, Real, Real, Real, Real, Real, Real, Real, Real); 17] = [
        ("T2.1a", 0.01, 1e7, 0.1, 1.1, 0.3, 0.0001738643043335119, -0.2941174208954766, 1.668440633210757e-05),
        ("T2.1b", 0.01, 1e9, 0.5, 1.5, 1.0, 0.00013289823592586644, -0.7484349315974341, 3.892573778223969e-05),
        ("2.1 v2", 0.01, 1e9, 0.5, 1.5, 2.0, 0.00012045760566132272, -1.1872485200800802, 6.234075350230487e-05),
        ("2.1 v3", 0.01, 1e9, 0.5, 1.5, 3.0, 0.0001158154775952473, -1.4632237680460456, 8.062665374913566e-05),
        ("2.1 v4", 0.01, 1e9, 0.5, 1.5, 4.0, 0.00011405371798050464, -1.6428787442441577, 9.593225500343982e-05),
        ("2.4", 0.01, 1e6, 0.5, 1.6, 0.3, 0.0036046070148228, -0.2727047224047607, 0.0003539506036067248),
        ("5.1 v1", 0.01, 1.5e11, 0.6, 2.8, 1.0, 0.0011724016013000265, -0.7119501795778662, 0.00037048335530155213),
        ("5.1 v2", 0.01, 1.5e11, 0.6, 2.8, 2.0, 0.000919713781237591, -1.0937081013145835, 0.000501735597355192),
        ("5.1 v3", 0.01, 1.5e11, 0.6, 2.8, 3.0, 0.0008231325590925085, -1.3165482768887153, 0.0005917391540629882),
        ("5.1 v4", 0.01, 1.5e11, 0.6, 2.8, 4.0, 0.0007758552634149938, -1.451489274033301, 0.0006614465548287046),
        (
            "5.4 low",
            0.01,
            0.01 / 6e-12,
            0.01,
            2.8,
            1.0,
            0.0035028453560946595,
            -0.9933774543987673,
            0.0013166773190589637,
        ),
        (
            "5.4 high",
            0.01,
            0.01 / 3e-10,
            1.0,
            2.8,
            1.0,
            0.011362129625760223,
            -0.5936242600400401,
            0.003247397995403483,
        ),
        ("5.4 mid", 0.01, 0.01 / 3e-10, 0.6, 2.8, 1.0, 0.010726254991745112, -0.7119501795778662, 0.003389537283773123),
        ("linear", 0.01, 1e6, 0.5, 1.0, 1.0, 0.0003166389384991653, -0.7484349315974341, 8.696431079096096e-05),
        ("Hertz", 0.001, 1e10, 0.05, 1.5, 2.0, 1.779749270627667e-05, -1.87495115989981, 1.1707454456571096e-05),
        ("elastic", 0.01, 1e9, 0.0, 1.5, 1.0, 0.00012811349348246866, -1.0, 4.352752816480618e-05),
        ("y = 20", 0.01, 1e8, 5.0, 2.0, 4.0, 0.003294627461967735, -0.19999999681532457, 0.0005881621742763231),
    ];

    fn contact(row: usize) -> WallImpact {
        let (_, mass_kg, stiffness, dissipation_s_m, exponent, velocity_m_s, ..) = CONTACTS[row];
        WallImpact { mass_kg, stiffness, exponent, dissipation_s_m, velocity_m_s }
    }

    #[test]
    fn the_nodes_are_roots_of_the_legendre_polynomial_with_its_weights() {
        for (i, (node, weight)) in ROOTS.iter().enumerate() {
            let n = NODES as Real;
            let (mut x, mut slope) = (cos(PI * (i as Real + 0.75) / (n + 0.5)), 1.0);
            for _ in 0..8 {
                let (mut before, mut here) = (1.0, x);
                for j in 2..=NODES {
                    let j = j as Real;
                    (before, here) = (here, ((2.0 * j - 1.0) * x * here - (j - 1.0) * before) / j);
                }
                slope = n * (x * here - before) / (x * x - 1.0);
                x -= here / slope;
            }
            assert_eq!((*node, *weight), (x, 2.0 / ((1.0 - x * x) * slope * slope)), "node {i}");
        }
    }

    #[test]
    fn restitution_is_the_lambert_root_at_every_tabulated_y() {
        for (y, e) in RESTITUTION {
            // The table's own rounding is 1.5e-14 at small y.
            close(restitution(y), e, 5e-14, &format!("theory.1, y = {y}"));
        }
    }

    #[test]
    fn restitution_falls_without_a_seam_from_one_to_the_terminal_velocity() {
        let mut before = 1.0;
        for i in 0..=4000 {
            let y = pow(10.0, -8.0 + 11.0 * Real::from(i) / 4000.0);
            let e = restitution(y);
            assert!(e <= before && e > 0.0 && e * y < 1.0 + 1e-15, "{y}: {e} after {before}");
            before = e;
        }
        for seam in [1e-3, 1.0] {
            let slope = (restitution(seam * 1.000_001) - restitution(seam)) / (1e-6 * seam);
            let across = (restitution(seam) - restitution(seam * 0.999_999)) / (1e-6 * seam);
            assert!((slope - across).abs() < 1e-5 * slope.abs().max(0.1), "{seam}: {slope} {across}");
        }
    }

    #[test]
    fn rebound_depth_and_duration_are_those_of_forty_digit_quadrature() {
        for (row, &(name, .., tau, v_out, x_max)) in CONTACTS.iter().enumerate() {
            let impact = contact(row);
            close(impact.rebound_m_s(), v_out, 1e-13, name);
            close(impact.max_compression_m(), x_max, 1e-13, name);
            close(impact.contact_time_s(), tau, 2e-11, name);
        }
    }

    #[test]
    fn elastic_contact_time_constants_are_the_gamma_function_s() {
        for (a, c) in [(1.0, PI), (1.5, 3.218065), (2.0, 3.210196), (2.3, 3.188128), (2.8, 3.139452), (3.5, 3.064205)] {
            let impact =
                WallImpact { mass_kg: 1.0, stiffness: 1.0, exponent: a, dissipation_s_m: 0.0, velocity_m_s: 1.0 };
            close(impact.contact_time_s(), c, 2e-7, "theory.4");
            close(WallImpact { dissipation_s_m: 1e-9, ..impact }.contact_time_s(), c, 2e-7, "theory.3 near y = 0");
        }
    }

    #[test]
    fn duration_has_no_seam_between_the_elastic_and_the_general_formula() {
        let at = |mu| WallImpact { dissipation_s_m: mu, ..contact(1) }.contact_time_s();
        close(at(1.001e-10), at(0.999e-10), 1e-10, "theory.3 against theory.4");
        close(at(1.000_001), at(0.999_999), 2e-6, "the two forms of the opening");
    }

    #[test]
    fn a_dead_collision_lasts_as_long_as_the_return_at_terminal_speed() {
        // y -> infinity: release happens at v = -1/mu over the whole depth, compression takes no time beside it.
        for y in [300.0, 1000.0, 5000.0] {
            let impact = WallImpact { dissipation_s_m: y, velocity_m_s: 1.0, ..contact(16) };
            let terminal = impact.max_compression_m() * y;
            let ratio = impact.contact_time_s() / terminal;
            assert!(ratio > 1.0 && ratio < 1.0 + 3.0 * crate::math::ln(y) / y, "{y}: {ratio}");
        }
    }

    #[test]
    fn the_papers_fit_errs_as_their_figure_shows() {
        for (y, percent, digits) in [(0.3, 5.5e-4, 5e-6), (0.5, 1.25e-2, 5e-5), (1.0, 0.23, 5e-3), (2.0, 1.44, 5e-3)] {
            let error = 100.0 * (restitution_fit(y) / restitution(y) - 1.0);
            assert!((error - percent).abs() <= digits, "theory.5, y = {y}: {error} %");
        }
        let error = |y| 100.0 * (restitution_fit(y) / restitution(y) - 1.0);
        let worst = (1..1000).map(|i| 0.01 * Real::from(i)).max_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap();
        assert!((worst - 3.0).abs() < 0.05 && (error(worst) - 2.045).abs() < 1e-3, "{worst}: {}", error(worst));
    }

    #[test]
    fn the_stiffness_for_a_wanted_duration_gives_that_duration() {
        for row in 0..CONTACTS.len() {
            for tau in [1e-5, 1e-3, 0.1] {
                close(contact(row).lasting(tau).contact_time_s(), tau, 1e-12, "theory.6");
            }
        }
    }

    #[test]
    fn velocity_position_and_time_along_the_contact_belong_together() {
        // dx/dt = v, checked by a central difference along the trajectory in both halves and for the elastic case.
        for row in [0, 1, 6, 15, 16] {
            let impact = contact(row);
            let (fast, slow) = (impact.velocity_m_s, impact.rebound_m_s());
            for share in [0.2, 0.4, 0.6, 0.8] {
                let v = slow + share * (fast - slow);
                let dv = 1e-5 * (fast - slow);
                let dx = impact.compression_at_m(v + dv) - impact.compression_at_m(v - dv);
                let dt = impact.time_at_s(v + dv) - impact.time_at_s(v - dv);
                assert!((dx / dt - v).abs() < 1e-4 * fast, "{} at {v}: {}", CONTACTS[row].0, dx / dt);
            }
            assert!(impact.time_at_s(fast) == 0.0);
            // At y = 20 the mass leaves within 2e-8 of its terminal speed: time is ill-conditioned in v there.
            close(impact.time_at_s(slow), impact.contact_time_s(), if row == 16 { 1e-3 } else { 1e-9 }, "the end");
        }
    }
}
