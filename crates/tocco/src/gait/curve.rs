// SPDX-License-Identifier: MIT OR Apache-2.0
//! The force under one foot, in body weights, from touch-down to lift-off.
//!
//! **What.** What a force plate shows: a walking foot has two humps with a knock of the heel before them, a running foot one
//! hump with a knock in its flank. Each other gait is one of these, bent, or a curve of its own.
//!
//! **Law.** s the time since touch-down in lengths of the stance, v the speed, u = clip(v, 0.7, 2.3) - 1.4:
//! - `[gait.1]  F(s)`: cubic Hermite through (0, 0), (t1, F1), (tm, Fm), (t2, F2), (1, 0), with slopes m0, 0, 0, 0, m1; each a polynomial in u.
//! - `[gait.2]  A x^2 exp(1 - x^2)`, x = s/0.0214: the knock of the heel, added to it. A cushion makes it smaller and later.
//! - `[gait.3]  F/Fp = c sin(pi s^a)^b + I exp(-((s - m)/w)^2/2)`: running, Fp = 2.2 + 0.1 (v - 3); the constants between four speeds by
//!   proportion.
//! - `[gait.4]  h(s) = 1 - smoothstep((s - 0.12)/0.54)`: the heel's share; the toe has the rest, so that both are the whole.
//! - `[gait.5]  mean(F) duty 2 = 1`: two feet carry the weight. Bent curves are scaled to it. The fits of force and of timing leave 0.99 to 1.04
//!   from 0.83 m/s on; what is slower is scaled to 0.99.
//! - `[gait.6]  integral (F - 1) dt = v/g`: a jump gives, and a landing takes, the speed of the flight, v = sqrt(2 g h).
//!
//! **Symbols.** F body weights; t1, tm, t2 stances; A body weights; v m/s; h m.
//!
//! **Sources.** [gait.1], [gait.2]: least squares on 600 barefoot steps at 0.68 to 2.25 m/s (Pataky et al. 2008, in PyPI spm1d; no data of
//! it is here); class means within 0.041 to 0.07 body weights. [gait.3]: on 18 running steps at 3.56 to 9.49 m/s (Dorn et al. 2012, same place);
//! Fp after Keller et al. 1996. Choices, no data: [gait.4] (foot flat at 12 to 20 %, heel off at 65 % of stance), stairs, tiptoe,
//! start, stop, jump and the cushion, each said at its line.

use crate::math::{PI, Real, exp, pow, sin};

/// Gravity, m/s^2.
pub const GRAVITY: Real = 9.81;
/// Where the knock of the heel is largest, in stances.
const KNOCK: Real = 0.021_355_420_591_349_802;

/// Least that two walking feet carry, body weights.
const CARRIED: Real = 0.99;

/// 0 below 0, 1 above 1, without corners between.
pub fn smoothstep(x: Real) -> Real {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// A walking step. [gait.1], [gait.2]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WalkCurve {
    /// t1, tm, t2, in stances.
    pub times: [Real; 3],
    /// F1, Fm, F2, in body weights.
    pub forces: [Real; 3],
    /// m0 and m1, body weights per stance.
    pub slopes: [Real; 2],
    /// A, in body weights.
    pub knock: Real,
    /// Where the knock is largest, in stances.
    pub knock_at: Real,
    /// How much of the first load the front of the foot takes, 0 to 1.
    pub front_first: Real,
    /// How little the heel ever has: 1 is walking on tiptoe.
    pub tiptoe: Real,
}

impl WalkCurve {
    /// Barefoot on level ground at a speed, m/s.
    pub fn at_speed(v: Real) -> Self {
        let u = v.clamp(0.7, 2.3) - 1.4;
        let two = |c: [Real; 3]| (c[0] * u + c[1]) * u + c[2];
        let curve = Self {
            times: [
                two([0.043_579_254_792_717_6, -0.072_147_957_985_903_91, 0.214_439_851_605_515_93]),
                two([0.035_980_157_206_219_04, 0.014_364_459_029_905_186, 0.468_125_759_981_652_73]),
                two([0.024_386_010_125_938_308, 0.010_925_075_210_105_55, 0.755_499_775_352_667_8]),
            ],
            forces: [
                two([0.256_020_794_434_029_25, 0.373_507_671_184_702_5, 1.176_417_682_612_839_6]),
                two([-0.066_875_243_630_962_49, -0.383_973_605_783_151_2, 0.700_258_789_443_25]),
                two([-0.157_299_970_711_266_58, 0.116_782_080_224_417_94, 1.248_704_560_646_186_8]),
            ]
            .map(|force| fault!(GAIT_HUMPS, force, times 1.1)),
            slopes: [
                10.797_945_201_960_928 + fault!(GAIT_ATTACK, 12.115_358_143_898_515, times - 1.0) * u,
                -3.587_796_781_882_335 - 0.271_607_050_830_205_14 * u,
            ],
            knock: (0.436_668_091_662_225 + fault!(GAIT_ATTACK, 0.517_669_954_314_755, times - 1.0) * u).max(0.0),
            knock_at: KNOCK,
            front_first: 0.0,
            tiptoe: 0.0,
        };
        let carried = curve.mean() * 2.0 * walk_timing(v).1;
        if carried < CARRIED { curve.scaled(CARRIED / carried) } else { curve } // [gait.5]
    }

    /// Under a cushion, 0 to 1, in a stance of so many seconds: the knock falls to 0.3 and comes up to 11 ms later. Choice, within what is
    /// said of shoes (0.3 to 0.6, at 20 to 30 ms).
    pub fn cushioned(mut self, cushion: Real, stance_s: Real) -> Self {
        self.knock *= 1.0 - 0.7 * cushion;
        self.knock_at += 0.011 * cushion / stance_s;
        self
    }

    /// On stairs, so many metres up, or down, with each step; carries the same weight. Choice: up, the humps are 1.05, 0.75 and 1.2, half of the
    /// first load on the front; down 1.45, 0.85 and 0.95, nearly all of it on the front, as is told of steps of 0.17 m.
    pub fn climbing(mut self, climb_m: Real) -> Self {
        let share = (climb_m / 0.17).clamp(-1.0, 1.0);
        if share == 0.0 {
            return self;
        }
        let (forces, knock, front, share) =
            if share > 0.0 { ([1.05, 0.75, 1.2], 0.25, 0.5, share) } else { ([1.45, 0.85, 0.95], 0.6, 0.9, -share) };
        let mean = self.mean();
        for (own, goal) in self.forces.iter_mut().zip(forces) {
            *own += share * (goal - *own);
        }
        self.knock *= 1.0 + share * (knock - 1.0);
        self.front_first = self.front_first.max(share * front);
        self.scaled(mean / self.mean()) // [gait.5]
    }

    /// On tiptoe, 0 to 1: who lands on the front of the foot has no knock (Lieberman et al. 2010), and the heel stays up. Carries the same
    /// weight.
    pub fn on_toes(mut self, tiptoe: Real) -> Self {
        let mean = self.mean();
        self.knock *= 1.0 - tiptoe;
        self.tiptoe = tiptoe;
        self.scaled(mean / self.mean())
    }

    /// So many times the force.
    pub fn scaled(mut self, factor: Real) -> Self {
        self.forces.iter_mut().chain(&mut self.slopes).for_each(|force| *force *= factor);
        self.knock *= factor;
        self
    }

    /// Mean over the stance, body weights. The cubic pieces by Simpson's rule, which is exact for them; the knock by its integral.
    pub fn mean(&self) -> Real {
        let knots = [0.0, self.times[0], self.times[1], self.times[2], 1.0];
        let piece = |i: usize| {
            let (a, b) = (knots[i], knots[i + 1]);
            (b - a) / 6.0 * (self.body(a) + 4.0 * self.body(0.5 * (a + b)) + self.body(b))
        };
        // Integral of x^2 exp(1 - x^2) is e sqrt(pi)/4.
        (0..4).map(piece).sum::<Real>() + self.knock * self.knock_at * exp(1.0) * PI.sqrt() / 4.0
    }

    fn body(&self, s: Real) -> Real {
        let [t1, tm, t2] = self.times;
        let [f1, fm, f2] = self.forces;
        let [m0, m1] = self.slopes;
        let hermite = |a: Real, b: Real, fa: Real, fb: Real, ma: Real, mb: Real| {
            let (h, x) = (b - a, (s - a) / (b - a));
            let (x2, x3) = (x * x, x * x * x);
            (2.0 * x3 - 3.0 * x2 + 1.0) * fa
                + (x3 - 2.0 * x2 + x) * h * ma
                + (3.0 * x2 - 2.0 * x3) * fb
                + (x3 - x2) * h * mb
        };
        if s < t1 {
            hermite(0.0, t1, 0.0, f1, m0, 0.0)
        } else if s < tm {
            hermite(t1, tm, f1, fm, 0.0, 0.0)
        } else if s < t2 {
            hermite(tm, t2, fm, f2, 0.0, 0.0)
        } else {
            hermite(t2, 1.0, f2, 0.0, 0.0, m1)
        }
    }

    /// The whole force at s, body weights.
    pub fn force(&self, s: Real) -> Real {
        if !(0.0..=1.0).contains(&s) {
            return 0.0;
        }
        let x = s / self.knock_at;
        (self.body(s) + self.knock * x * x * exp(1.0 - x * x)).max(0.0)
    }

    /// The heel's share of it. [gait.4]
    pub fn heel_share(&self, s: Real) -> Real {
        let front = self.front_first * exp(-(s / 0.1) * (s / 0.1));
        (1.0 - smoothstep((s - fault!(GAIT_HEEL, 0.12, 0.3)) / 0.54)) * (1.0 - front) * (1.0 - self.tiptoe)
    }
}

/// Timing of walking at a speed, m/s: steps a second, and the stance's share of a stride.
pub fn walk_timing(v: Real) -> (Real, Real) {
    // The ratio of step length to rate is constant; Kirtley, Whittle and Jefferson 1985 for the share.
    (fault!(WALK_RATE, 1.6, 1.76) * v.max(0.05).sqrt(), 0.642 - 0.035 * v.min(3.0))
}

/// A running step. [gait.3]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunCurve {
    /// a, b, c, I, m, w.
    shape: [Real; 6],
    /// Fp, body weights.
    pub peak: Real,
    /// Of the knock.
    knock: Real,
    tiptoe: Real,
}

const RUNS: [(Real, [Real; 6]); 4] = [
    (3.56, [0.828, 1.948, 1.016, 0.190, 0.159, 0.068]),
    (5.2, [0.848, 1.843, 1.013, 0.313, 0.137, 0.063]),
    (7.0, [0.898, 1.853, 1.012, 0.513, 0.167, 0.075]),
    (9.49, [0.979, 1.955, 0.957, 0.544, 0.199, 0.099]),
];

impl RunCurve {
    /// At a speed, m/s.
    pub fn at_speed(v: Real) -> Self {
        let after = RUNS.partition_point(|(speed, _)| *speed <= v);
        let shape = match (after.checked_sub(1).map(|i| RUNS[i]), RUNS.get(after).copied()) {
            (Some((v0, a)), Some((v1, b))) => core::array::from_fn(|i| a[i] + (b[i] - a[i]) * (v - v0) / (v1 - v0)),
            (Some((_, only)), None) | (None, Some((_, only))) => only,
            (None, None) => RUNS[0].1,
        };
        Self { shape, peak: 2.2 + 0.1 * (v - 3.0), knock: 1.0, tiptoe: 0.0 }
    }

    /// On the front of the foot, 0 to 1, and under a cushion, 0 to 1.
    pub fn softened(mut self, tiptoe: Real, cushion: Real) -> Self {
        self.knock = (1.0 - tiptoe) * (1.0 - 0.5 * cushion);
        self.tiptoe = tiptoe;
        self
    }

    /// The whole force at s, body weights.
    pub fn force(&self, s: Real) -> Real {
        if !(s > 0.0 && s < 1.0) {
            return 0.0;
        }
        let [a, b, c, i, m, w] = self.shape;
        let x = (s - m) / w;
        let hump = c * pow(sin(PI * pow(s, a)).max(0.0), b);
        // The fitted bell does not vanish at touch-down; here it begins there.
        let knock = self.knock * i * exp(-0.5 * x * x) * (s / 0.03).min(1.0);
        self.peak * (hump + knock)
    }

    /// Mean over the stance, body weights.
    pub fn mean(&self) -> Real {
        let n = 64;
        (0..n).map(|k| self.force((k as Real + 0.5) / n as Real)).sum::<Real>() / n as Real
    }

    /// The heel's share. Choice: the foot is flat earlier than in walking.
    pub fn heel_share(&self, s: Real) -> Real {
        (1.0 - smoothstep((s - 0.05) / 0.4)) * (1.0 - self.tiptoe)
    }
}

/// How long a running foot stands at a speed, s: 0.26 s at 3 m/s, 0.13 s at 9.
pub fn run_contact_s(v: Real) -> Real {
    fault!(RUN_CONTACT, 0.52, 0.65) * pow(v.max(0.5), -0.63)
}

/// A jump from both feet, in total body weights: choice, but for its impulse. [gait.6]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JumpCurve {
    /// Strength of push and landing.
    push: Real,
    land: Real,
    /// Time in the air, s.
    pub flight_s: Real,
}

/// How long the push of a jump and the landing take, s.
pub const PUSH_S: Real = 0.6;
/// As [`PUSH_S`].
pub const LAND_S: Real = 0.5;

impl JumpCurve {
    /// A jump of a height, m.
    pub fn new(height_m: Real) -> Self {
        let speed = (fault!(JUMP_SPEED, 2.0, 2.5) * GRAVITY * height_m.max(0.0)).sqrt();
        let solve = |length_s: Real, base: fn(Real) -> Real, shape: fn(Real) -> Real| {
            let (n, mut missing, mut gives) = (500, speed / GRAVITY, 0.0);
            for k in 0..n {
                let t = (k as Real + 0.5) * length_s / n as Real;
                missing -= (base(t) - 1.0) * length_s / n as Real;
                gives += shape(t) * length_s / n as Real;
            }
            (missing / gives).max(0.0)
        };
        Self {
            push: solve(PUSH_S, push_base, push_shape),
            land: solve(LAND_S, land_base, land_shape),
            flight_s: 2.0 * speed / GRAVITY,
        }
    }

    /// Force of both feet and the heels' share, so many seconds after the push began.
    pub fn force(&self, t: Real) -> (Real, Real) {
        let landed = t - PUSH_S - self.flight_s;
        if t < PUSH_S {
            let w = smoothstep((t / PUSH_S - 0.35) / 0.5);
            ((push_base(t) + self.push * push_shape(t)).max(0.0), STAND_HEEL * (1.0 - w))
        } else if landed < 0.0 {
            (0.0, 0.0)
        } else {
            let down = smoothstep((landed - 0.02) / 0.04);
            ((land_base(landed) + self.land * land_shape(landed)).max(0.0), STAND_HEEL * down)
        }
    }

    /// How long all of it takes, s.
    pub fn length_s(&self) -> Real {
        PUSH_S + self.flight_s + LAND_S
    }
}

/// The heel's share of who stands. Choice.
pub const STAND_HEEL: Real = 0.55;

/// First the knees give way, at the end the toes leave.
fn push_base(t: Real) -> Real {
    let u = t / PUSH_S;
    let dip = if u < 0.4 { 0.5 * pow(sin(PI * u / 0.4), 2.0) } else { 0.0 };
    (1.0 - dip) * (1.0 - smoothstep((u - 0.92) / 0.08))
}

fn push_shape(t: Real) -> Real {
    let w = (t / PUSH_S - 0.3) / 0.7;
    if w > 0.0 { sin(PI * pow(w, 1.3)).max(0.0) } else { 0.0 }
}

fn land_base(t: Real) -> Real {
    smoothstep(t / 0.03)
}

/// The toes, the heels, and the knees that take the rest.
fn land_shape(t: Real) -> Real {
    let bell = |at: Real, width: Real| exp(-0.5 * ((t - at) / width) * ((t - at) / width));
    let slow = t / 0.12 * exp(1.0 - t / 0.12) * (1.0 - smoothstep((t - 0.35) / 0.15));
    (0.4 * bell(0.015, 0.006) + bell(0.05, 0.018)) * (t / 0.01).min(1.0) + 0.25 * slow
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: [Real; 14] = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99];

    #[test]
    fn walking_steps_have_the_values_of_the_fit_at_three_speeds() {
        let rows: [(Real, Real, Real, [Real; 14]); 3] = [
            (
                0.9,
                0.8044,
                1.5179,
                [
                    0.1335, 0.2748, 0.2669, 0.5253, 0.9589, 1.0376, 0.9222, 0.8840, 0.9945, 1.1234, 1.0750, 0.5420,
                    0.2344, 0.0374,
                ],
            ),
            (
                1.3,
                0.6540,
                1.8243,
                [
                    0.2784, 0.5666, 0.4592, 0.7756, 1.1290, 1.0451, 0.8122, 0.7561, 0.9586, 1.1884, 1.1488, 0.5734,
                    0.2459, 0.0388,
                ],
            ),
            (
                1.8,
                0.5395,
                2.1466,
                [
                    0.4594, 0.9309, 0.6973, 1.0845, 1.3651, 1.1047, 0.6923, 0.5468, 0.8196, 1.1759, 1.2072, 0.6131,
                    0.2615, 0.0405,
                ],
            ),
        ];
        for (v, stance_s, steps_hz, wanted) in rows {
            let curve = WalkCurve::at_speed(v);
            for (s, wanted) in AT.into_iter().zip(wanted) {
                assert!((curve.force(s) - wanted).abs() < 1e-4, "{v} {s}: {} {wanted}", curve.force(s));
            }
            let (hz, duty) = walk_timing(v);
            assert!((hz - steps_hz).abs() < 1e-4 && (2.0 * duty / hz - stance_s).abs() < 1e-4);
        }
    }

    #[test]
    fn heel_and_toe_are_the_whole_and_peak_where_the_page_says() {
        let curve = WalkCurve::at_speed(1.3);
        let (mut heel, mut toe) = ((0.0, 0.0), (0.0, 0.0));
        for k in 0..=10_000 {
            let s = Real::from(k) / 10_000.0;
            let (all, own) = (curve.force(s), curve.force(s) * curve.heel_share(s));
            if own > heel.0 {
                heel = (own, s);
            }
            if all - own > toe.0 {
                toe = (all - own, s);
            }
        }
        assert!((heel.0 - 1.064).abs() < 1e-3 && (heel.1 - 0.192).abs() < 2e-3, "{heel:?}");
        assert!((toe.0 - 1.235).abs() < 1e-3 && (toe.1 - 0.755).abs() < 2e-3, "{toe:?}");
    }

    #[test]
    fn two_walking_feet_carry_the_weight_whatever_the_gait() {
        for k in 0..=12 {
            let v = 0.7 + 0.1 * Real::from(k);
            let curve = WalkCurve::at_speed(v);
            let fine: Real =
                (0..20_000).map(|k| curve.force((Real::from(k) + 0.5) / 20_000.0)).sum::<Real>() / 20_000.0;
            assert!((fine - curve.mean()).abs() < 1e-6, "{fine} {}", curve.mean());
            let carried = curve.mean() * 2.0 * walk_timing(v).1;
            assert!((0.99 - 1e-12..1.04).contains(&carried), "{v}: {carried}");
            for bent in [curve.climbing(0.17), curve.climbing(-0.17), curve.on_toes(1.0), curve.climbing(0.08)] {
                assert!((bent.mean() / curve.mean() - 1.0).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn stairs_down_land_hard_and_on_the_front_stairs_up_push_off_and_tiptoe_has_neither_knock_nor_heel() {
        let level = WalkCurve::at_speed(0.9);
        let (up, down, toes) = (level.climbing(0.17), level.climbing(-0.17), level.on_toes(1.0));
        let most = |curve: &WalkCurve, from: Real, to: Real| {
            (0..=500).map(|k| curve.force(from + (to - from) * Real::from(k) / 500.0)).fold(0.0, Real::max)
        };
        assert!(most(&down, 0.1, 0.4) > 1.25 * most(&level, 0.1, 0.4));
        assert!(most(&down, 0.6, 0.9) < 0.95 * most(&level, 0.6, 0.9));
        assert!(most(&up, 0.6, 0.9) > most(&up, 0.1, 0.4));
        assert!(down.heel_share(0.01) < 0.15 && up.heel_share(0.01) < 0.55 && level.heel_share(0.01) == 1.0);
        assert_eq!((toes.knock, toes.heel_share(0.05)), (0.0, 0.0));
    }

    #[test]
    fn running_has_the_means_of_the_fits_and_a_step_time_that_carries_the_weight() {
        for (v, mean) in [(3.56, 0.557), (5.2, 0.579), (7.0, 0.619), (9.49, 0.609)] {
            let curve = RunCurve::at_speed(v);
            // The means are those of the measured curves; a fit leaves up to 1.2 % of the peak.
            assert!((curve.mean() / curve.peak - mean).abs() < 0.012, "{v}: {}", curve.mean() / curve.peak);
        }
        let step_s = run_contact_s(3.0) * RunCurve::at_speed(3.0).mean();
        assert!((step_s - 0.32).abs() < 0.01, "{step_s}");
        assert!((run_contact_s(3.0) - 0.26).abs() < 0.005 && (run_contact_s(9.0) - 0.13).abs() < 0.005);
        let soft = RunCurve::at_speed(3.0).softened(1.0, 0.0);
        assert!(soft.force(0.15) < RunCurve::at_speed(3.0).force(0.15) && soft.heel_share(0.0) == 0.0);
    }

    #[test]
    fn a_jump_gives_and_its_landing_takes_exactly_the_speed_of_the_flight() {
        for height_m in [0.1, 0.3, 0.5] {
            let jump = JumpCurve::new(height_m);
            let speed = (2.0 * GRAVITY * height_m).sqrt();
            let impulse = |from: Real, to: Real| {
                let n = 200_000;
                let at = |k: i32| from + (to - from) * (Real::from(k) + 0.5) / Real::from(n);
                (0..n).map(|k| (jump.force(at(k)).0 - 1.0) * (to - from) / Real::from(n)).sum::<Real>() * GRAVITY
            };
            assert!((impulse(0.0, PUSH_S) / speed - 1.0).abs() < 0.01);
            let landed = PUSH_S + jump.flight_s;
            assert!((impulse(landed, jump.length_s()) / speed - 1.0).abs() < 0.01);
            assert!((impulse(0.0, jump.length_s())).abs() < 0.02 * speed, "at rest again");
            let most = |from: Real, to: Real| {
                (0..1000).map(|k| jump.force(from + (to - from) * Real::from(k) / 1000.0).0).fold(0.0, Real::max)
            };
            assert!(most(landed, jump.length_s()) > most(0.0, PUSH_S), "it lands harder than it pushes");
        }
    }
}
