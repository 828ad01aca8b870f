// SPDX-License-Identifier: MIT OR Apache-2.0
//! Thick bars and plates: shear and rotary inertia.
//!
//! **What.** A thin bar keeps its sections square to its axis, a thick one shears, and its sections turn with a mass of their own. Both
//! lower its modes, the higher the more: a bar a fifth as thick as long by 11 % in the first and 25 % in the second. `theory = "thick"`
//! asks for it (Timoshenko, of plates Mindlin); the limit of thin bodies is that of `"thin"`, which stays the default.
//!
//! **Law.** W the deflection, P the slope of the sections, r^2 = t^2/12, K = kappa G, kappa = 5/6, w = rho omega^2/K, e = rho omega^2/E:
//! - `[thick.1]  rho^2 r^2/K omega^4 - rho (1 + r^2 k^2 (1 + E/K)) omega^2 + E r^2 k^4 = 0`, the lower branch; beside the wave k stands the
//!   end field a, `a^2 = k^2 - w - e`; `W = cos k x`, `P = (k^2 - w)/k^2 W'` and `W = cosh a x`, `P = (a^2 + w)/a^2 W'`
//! - `[thick.2]  tan k l = -X tanh a l` (even), `tanh a l/X` (odd), X = Z k/a: free ends, l half the length;
//!   `-tanh a l/Y`, `Y tanh a l`, Y = Z a/k: clamped ones; Z = (k^2 - w)/(a^2 + w). With one hinge: the odd modes of twice the length
//! - `[thick.3]  2 sech a L + (Z + 1/Z) cos k L + (a/k - k/a) tanh a L sin k L = 0`: clamped and free
//! - `[thick.4]  m = M (1 + r^2 mean P^2/mean W^2)`: sections that turn weigh as well
//! - `[thick.5]  E -> E/(1 - nu^2)`, `k^2 = omega_thin sqrt(rho h/D)`: a plate, whose thin modes tell the wave number of each
//!
//! **Symbols.** t, h `thickness_m`, L `length_m`, G = E/(2 (1 + nu)).
//!
//! **Step.** [thick.2] and [thick.3] are solved for the angle k L, which lies in its own quarter for each mode: a fixed point, halved
//! towards, at most 200 steps. Where the wave is shorter than about twice the thickness the end field becomes a wave, too (a^2 < 0); there a is
//! held at its limit, and modes go on along the branch.
//!
//! **Limits.** Bars bend in one direction; they neither twist nor stretch. [thick.5] is exact where edges are supported and an estimate elsewhere.
//! Beyond the limits of the keys (bars half as thick as long, plates two fifths of a side) the theory ends.
//!
//! **Sources.** Timoshenko 1921; Mindlin 1951; Huang, J. Applied Mechanics 28 (1961), for the ends, derived here anew; Wang, J. Sound Vib. 190
//! (1996), that [thick.5] is exact for supported edges. kappa = 5/6: Reissner 1945.

use super::bar::Support;
use super::{Fault, Given, Key, KeyType, Point, ShapeMode, Solved, key};
use crate::math::{PI, Real, TAU, atan, atan2, cos, exp, gauss_panels, sin};

/// Which theory of bending a bar or plate is computed by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theory {
    /// Sections stay square to the axis.
    #[default]
    Thin,
    /// They shear, and turn with a mass of their own.
    Thick,
}

crate::words!(Theory { Thin = "thin", Thick = "thick" });

/// The key of bars and plates.
pub(super) const THEORY: Key = key(
    "theory",
    KeyType::Word(Theory::WORDS),
    "Theory of bending: thin (default), or thick, with shear and rotary inertia, which lower the modes of thick bodies and allow thicker ones.",
);

/// Shear over a section.
const KAPPA: Real = 5.0 / 6.0;
/// Least a^2 in units of k^2.
const LEAST: Real = 1e-6;

impl Given<'_> {
    /// True if the body is computed as a thick one.
    pub(super) fn is_thick(&self) -> bool {
        self.word::<Theory>("theory") == Theory::Thick
    }

    /// The limit of a ratio that thin bodies keep, or that of thick ones.
    pub(super) fn limit(&self, thin: Real, thick: Real) -> Real {
        if self.is_thick() { thick } else { thin }
    }
}

/// How waves run in a thick body.
#[derive(Clone, Copy, Debug)]
struct Medium {
    /// kg/m^3, Pa, Pa, m^2
    rho: Real,
    young: Real,
    shear: Real,
    r2: Real,
}

/// A wave and the end field beside it.
#[derive(Clone, Copy, Debug)]
struct Waves {
    omega: Real,
    k: Real,
    a: Real,
    /// w and Z.
    w: Real,
    z: Real,
}

impl Medium {
    fn of(given: &Given<'_>, plate: bool) -> Result<Self, Fault> {
        let (m, t) = (given.material, given.need("thickness_m")?);
        let stiffer = if plate { 1.0 - m.poisson * m.poisson } else { 1.0 };
        Ok(Self {
            rho: m.density_kg_m3,
            young: m.young_pa / stiffer,
            shear: fault!(THICK_SHEAR, KAPPA, times 2.0) * m.young_pa / (2.0 * (1.0 + m.poisson)),
            r2: t * t / 12.0,
        })
    }

    /// The wave of a wave number: [thick.1].
    fn wave(&self, k: Real) -> Waves {
        let (k2, Self { rho, young, shear, r2 }) = (k * k, *self);
        let (first, last) = (rho * rho * r2 / shear, young * r2 * k2 * k2);
        let middle = rho * (1.0 + r2 * k2 * (1.0 + young / shear));
        let omega2 = 2.0 * last / (middle + (middle * middle - 4.0 * first * last).max(0.0).sqrt());
        let (w, e) = (rho * omega2 / shear, rho * omega2 / young);
        let a2 = (k2 - w - e).max(LEAST * k2);
        Waves { omega: omega2.sqrt(), k, a: a2.sqrt(), w, z: (k2 - w) / (a2 + w) }
    }

    /// k^2 of a frequency, rad/s.
    fn k2(&self, omega: Real) -> Real {
        let o2 = self.rho * omega * omega;
        let (w, e) = (o2 / self.shear, o2 / self.young);
        0.5 * (w + e + ((w - e) * (w - e) + 4.0 * o2 / (self.young * self.r2)).sqrt())
    }
}

/// tanh for x >= 0.
fn tanh(x: Real) -> Real {
    let small = exp(-2.0 * x);
    (1.0 - small) / (1.0 + small)
}

/// A mode of a thick bar of a length, m.
struct Bent {
    support: Support,
    length: Real,
    waves: Waves,
    /// Even about its middle, where that is a choice.
    even: bool,
}

impl Bent {
    /// Mode number `n`, from 1.
    fn new(medium: &Medium, support: Support, length: Real, n: usize) -> Self {
        let (count, even) = (n as Real, n % 2 == 1);
        let mut angle = match support {
            Support::Hinged => count * PI,
            Support::Free | Support::Clamped => (count + 0.5) * PI,
            Support::ClampedFree => (count - 0.5) * PI,
            Support::ClampedHinged | Support::HingedFree => (count + 0.25) * PI,
        };
        for _ in 0..200 {
            let next = ends(support, &medium.wave(angle / length), length, n);
            let done = (next - angle).abs() <= 1e-14 * angle;
            angle = 0.5 * (angle + next);
            if done {
                break;
            }
        }
        Self { support, length, waves: medium.wave(angle / length), even }
    }

    /// Wave and end field at a fraction of the length, each with its slope.
    fn parts(&self, at: Real) -> [(Real, Real); 2] {
        let (Waves { k, a, z, .. }, length) = (self.waves, self.length);
        let wave = |even: bool, x: Real| {
            let (s, c) = (sin(k * x), cos(k * x));
            if even { (c, -k * s) } else { (s, k * c) }
        };
        // cosh or sinh over its value at the end.
        let field = |even: bool, x: Real, end: Real| {
            let sign = if even { 1.0 } else { -1.0 };
            let (up, down, whole) = (exp(a * (x - end)), sign * exp(-a * (x + end)), 1.0 + sign * exp(-2.0 * a * end));
            ((up + down) / whole, a * (up - down) / whole)
        };
        let both = |even: bool, x: Real, end: Real, free: bool| {
            let share = wave(even, end).0 * if free { z } else { -1.0 };
            let (value, slope) = field(even, x, end);
            [wave(even, x), (share * value, share * slope)]
        };
        let (half, x) = (0.5 * length, at * length);
        match self.support {
            Support::Hinged => [wave(false, x), (0.0, 0.0)],
            Support::Free => both(self.even, x - half, half, true),
            Support::Clamped => both(self.even, x - half, half, false),
            Support::HingedFree => both(false, x, length, true),
            Support::ClampedHinged => both(false, length - x, length, false),
            Support::ClampedFree => {
                let y = z * a / k;
                let (s, c, small) = (sin(k * length), cos(k * length), exp(-a * length));
                let sech = 2.0 * small / (1.0 + small * small);
                let below = k * c * sech + a / y;
                let q = -(k * s * sech + a * tanh(a * length)) / below;
                let grown = 2.0 * (k * (y * c - s) + a * small) / ((1.0 + small * small) * below);
                let (near, far) = (0.5 * (q - y) * exp(-a * x), 0.5 * grown * exp(-a * (length - x)));
                let (even, odd) = (wave(true, x), wave(false, x));
                [(q * even.0 + odd.0, q * even.1 + odd.1), (-near - far, a * (near - far))]
            }
        }
    }

    /// Means of W^2 and of r^2 P^2 over the length.
    fn means(&self, r2: Real, n: usize) -> (Real, Real) {
        let Waves { k, a, w, .. } = self.waves;
        let (of_wave, of_field) = ((k * k - w) / (k * k), (a * a + w) / (a * a));
        let (mut deflection, mut turning) = (0.0, 0.0);
        for (at, weight) in gauss_panels(0.0, 1.0, n + 2) {
            let [wave, field] = self.parts(at);
            let (value, slope) = (wave.0 + field.0, of_wave * wave.1 + of_field * field.1);
            deflection += weight * value * value;
            turning += weight * r2 * slope * slope;
        }
        (deflection, turning)
    }
}

/// k L of mode `n` by its ends, for the end field of a wave: [thick.2], [thick.3].
fn ends(support: Support, waves: &Waves, length: Real, n: usize) -> Real {
    let (count, &Waves { k, a, z, .. }) = (n as Real, waves);
    let (x, y) = (z * k / a, z * a / k);
    let symmetric = |even: Real, odd: Real| {
        let end = tanh(0.5 * a * length);
        if n % 2 == 1 { (count + 1.0) * PI - 2.0 * atan(even * end) } else { count * PI + 2.0 * atan(odd * end) }
    };
    match support {
        Support::Hinged => count * PI,
        Support::Free => symmetric(x, 1.0 / x),
        Support::Clamped => symmetric(1.0 / y, y),
        Support::ClampedHinged => count * PI + atan(y * tanh(a * length)),
        Support::HingedFree => count * PI + atan(tanh(a * length) / x),
        Support::ClampedFree => {
            let small = exp(-a * length);
            let sech = 2.0 * small / (1.0 + small * small);
            let (p, q) = (z + 1.0 / z, (a / k - k / a) * tanh(a * length));
            let size = (p * p + q * q).sqrt();
            let cosine = (-2.0 * sech / size).clamp(-1.0, 1.0);
            let turn = atan2((1.0 - cosine * cosine).sqrt(), cosine);
            atan2(q, p) + if n % 2 == 1 { (count - 1.0) * PI + turn } else { count * PI - turn }
        }
    }
}

/// Modes of a thick bar of this mass, kg, that bends.
pub(super) fn bar(given: &Given<'_>, support: Support, length: Real, mass_kg: Real) -> Result<Solved, Fault> {
    let medium = Medium::of(given, false)?;
    let mut solved = Solved { shapes: vec![Vec::new(); given.points.len()], ..Solved::default() };
    for n in 1..=given.most {
        let bent = Bent::new(&medium, support, length, n);
        let freq_hz = bent.waves.omega / TAU;
        if freq_hz >= given.below_hz {
            break;
        }
        let (deflection, turning) = bent.means(medium.r2, n);
        let mass_kg = mass_kg * (1.0 + turning / deflection); // [thick.4]
        solved.modes.push(ShapeMode { freq_hz, decay_s: 0.0, mass_kg, numbers: [n as i32, 0, 0] });
        let value = |at: &Point| {
            let [wave, field] = bent.parts(at[0]);
            (wave.0 + field.0) / deflection.sqrt()
        };
        solved.shapes.iter_mut().zip(given.points).for_each(|(shape, at)| shape.push(value(at)));
    }
    Ok(solved)
}

/// Modes of a plate, thick if it says so, from those of a thin one: [thick.5].
pub(super) fn plate(given: &Given<'_>, thin: fn(&Given<'_>) -> Result<Solved, Fault>) -> Result<Solved, Fault> {
    if !given.is_thick() {
        return thin(given);
    }
    let (medium, stiff) = (Medium::of(given, true)?, super::plate::stiffness(given)?);
    let below_hz = stiff * medium.k2(TAU * given.below_hz) / TAU;
    let mut solved = thin(&Given { below_hz, ..*given })?;
    for mode in &mut solved.modes[solved.rigid..] {
        let waves = medium.wave((TAU * mode.freq_hz / stiff).sqrt());
        let turn = (waves.k * waves.k - waves.w) / waves.k;
        mode.freq_hz = waves.omega / TAU;
        mode.mass_kg *= 1.0 + medium.r2 * turn * turn; // [thick.4]
    }
    Ok(solved)
}
