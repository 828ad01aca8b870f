// SPDX-License-Identifier: MIT OR Apache-2.0
//! Radiation: the pressure that a vibrating surface gives to an ear, and what that costs it.
//!
//! **What.** A tap says `quantity = "radiated"` and hears the sound pressure at a distance instead of the motion of one
//! point. Neighbouring parts of a surface that move against each other cancel in the air the better the shorter they are
//! beside its wave, and a thin body that is open to both sides cancels around its edge: low modes of small bodies and
//! all modes below coincidence are quiet, by a law that geometry knows.
//!
//! **Law.** Mode by mode, at its own frequency, k = omega/c; a is the acceleration of the modal coordinate, phi its shape:
//! - `[radiation.1]  p = rho a/(2 pi r) D`, `D = |integral of phi exp(i k n.x) dA|`: Rayleigh's integral, a surface in a baffle
//! - `[radiation.2]  D h(y cos t)`, `h(z) = z/sqrt(1 + z^2)`: open to both sides, t from the normal; `y = 4 k s/(3 pi)`, exact for
//!   a small disc of radius s; `y = pi k w/8`, exact for a narrow strip of width w. s is the radius of the body, or a quarter
//!   of a bending wave where that is less: beyond it the next half wave cancels anyway
//! - `[radiation.3]  D = 2 |integral of phi exp(i k z cos t) dz|/(k sin t |H_n'(k R sin t)|)`: a round wall with n waves around,
//!   in an endless rigid cylinder of its radius
//! - `[radiation.4]  D^2` is its mean over all directions unless one is asked for
//! - `[radiation.5]  R = W r^2 p^2/(rho c v^2)`, `sigma = R/(2 m)`: the loss that belongs to it; W = 4 pi, in a baffle 2 pi
//! - `[radiation.6]  p = rho/(4 pi r) S u'`: an open end of a tube, a small source; u' its air's acceleration
//! - `[radiation.7]  1/D^2 = (f/(f_1 A))^2 + k^2/(2 pi A)`, A = pi s^2: a list of modes of which only the size s is known: cells
//!   cancel but for one, whose area falls as 1/f, until they are as large as the wave. Times [radiation.2]
//! - `[radiation.8]  p = rho F/(2 pi r m'')`, m'' = 6.7 kg/m^3 s: the force F of a string on the bridge of a thin board of radius s, below coincidence;
//!   `F = Z omega_n` times the displacement of a partial, less what forces on the string press on it at rest. Times [radiation.2]. Boards of
//!   violins, guitars, cellos and pianos have about this m''
//!
//! **Symbols.** rho 1.204 kg/m^3, c 343.2 m/s; r `distance_m`; m modal mass, v modal velocity; H_n Hankel's function.
//!
//! **Step.** None: a tap that hears radiation is a place of the body that nothing can touch, with one weight per mode, and
//! the tap takes the derivative of its velocity. The phase between modes is that of their motion.
//!
//! **Limits.** A surface larger than 40 wavelengths over 2 pi is not summed up but taken for an endless plate with an edge. D is that of the mode's own frequency: while a hammer forces a mode far above it, the pressure is only
//! roughly right. Round walls are those of bowls, bells and tubes from outside; what the air inside adds is left out. A free plate by
//! [radiation.2] has the right slope and level for its lowest modes and for those above coincidence; between them it is
//! an estimate. A bell's radius is that of a founder's: 600 kg at 1 m across.
//!
//! **Sources.** Rayleigh, *Theory of sound*, section 278; Wallace, J. Acoust. Soc. Am. 51, 946 (1972), for plates in a baffle;
//! Lamb, *Hydrodynamics*, section 108, the mass that a disc moves; Junger, Feit, *Sound, structures, and their
//! interaction* (1986), chapter 6, for cylinders; Cremer, Heckl, *Structure-borne sound* (1988), VI.6, the point-driven plate of [radiation.8].
//! [radiation.7], the m'' of [radiation.8] and the quarter wave of [radiation.2] are ours.

use super::bessel::j_and_slope;
use super::cavity::{AIR, SPEED_M_S};
use super::membrane::turned;
use super::{Family, Fault, Given, Key, KeyType, Point, ShapeDef, ShapeMode, Solved, family, key};
use crate::math::{PI, Real, TAU, bessel_j, cos, exp, ln, sin, sinh};
use crate::resonator::modal::ModeRow;

/// How a body stands in the air.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mount {
    /// Both its sides reach the same air.
    #[default]
    Free,
    /// One side is heard: it closes a box, a kettle or a wall.
    Baffled,
}

crate::words!(Mount { Free = "free", Baffled = "baffled" });

/// The key of bodies that radiate.
pub(super) const RADIATES: Key = key(
    "radiates",
    KeyType::Word(Mount::WORDS),
    "How it stands in the air; said, its sound takes its energy, and of a named material only the inner loss is left.",
);

/// The radiating surface of a shape.
#[derive(Clone, Copy, Debug)]
pub(super) enum Surface {
    /// Flat, sides along and across, m.
    Rectangle { sides: [Real; 2], mount: Mount },
    /// Flat and round, m; modes have their diameters first among their numbers.
    Round { radius: Real, mount: Mount },
    /// A narrow flat strip, m.
    Strip { length: Real, width: Real, mount: Mount },
    /// A round wall, m, and which of its modes' numbers counts the waves around.
    Wall { radius: Real, height: Real, around: usize },
    /// Open ends of a tube, and their area, m^2.
    Ends { open: usize, area: Real },
}

/// From where one listens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Ear {
    /// The mean over all directions, as in a room.
    #[default]
    Around,
    /// In one direction, far away: degrees from the normal of a surface or the axis of a wall, and around it.
    Towards([Real; 2]),
}

/// Pressure of every mode at an ear.
#[derive(Clone, Debug, PartialEq)]
pub struct Pressures {
    /// Pa per m/s^2 of the modal coordinate, or per m/s if not `accelerated`; 0 for motions as a whole.
    pub per_mode: Vec<Real>,
    /// Whether the acceleration is heard.
    pub accelerated: bool,
}

/// Bending wavelength in which a free plate is short-circuited.
const QUARTER_WAVE: Real = 0.25;
/// A bell of this mass is 1 m across, kg.
const BELL_KG: Real = 600.0;

/// Radius of a bell, m.
pub(super) fn bell_radius_m(mass_kg: Real) -> Real {
    0.5 * crate::math::pow(mass_kg / BELL_KG, 1.0 / 3.0)
}

/// Wave number in air, rad/m.
fn wave_number(freq_hz: Real) -> Real {
    TAU * freq_hz / SPEED_M_S
}

/// How much of a flat body that is open to both sides is left at an angle to its normal: [radiation.2].
fn open(y: Real, cos_t: Real) -> Real {
    let z = y * cos_t.abs();
    fault!(RADIATION_SHORT, z / (1.0 + z * z).sqrt(), 1.0)
}

/// y of a disc or plate of this radius whose modes have this bending wave number.
fn roundabout(k: Real, radius: Real, bending: Real) -> Real {
    4.0 / (3.0 * PI) * k * radius.min(QUARTER_WAVE * TAU / bending.max(1e-9))
}

/// Nodes in [-1, 1] and weights of Gauss's rule.
pub(super) fn gauss(n: usize) -> Vec<(Real, Real)> {
    let mut rule = Vec::with_capacity(n);
    for i in 0..n {
        let mut x = cos(PI * (i as Real + 0.75) / (n as Real + 0.5));
        let mut slope = 1.0;
        for _ in 0..60 {
            let (mut above, mut here) = (1.0, x);
            for k in 2..=n {
                let k = k as Real;
                (above, here) = (here, ((2.0 * k - 1.0) * x * here - (k - 1.0) * above) / k);
            }
            if n == 1 {
                (above, here) = (1.0, x);
            }
            slope = n as Real * (x * here - above) / (x * x - 1.0);
            let step = here / slope;
            x -= step;
            if step.abs() < 1e-15 {
                break;
            }
        }
        rule.push((x, 2.0 / ((1.0 - x * x) * slope * slope)));
    }
    rule
}

/// Beyond this a Hankel function is taken by its limit.
const FAR: Real = 60.0;

/// |H_n'(x)| for x > 0; infinite where it is too large to say.
pub fn hankel_slope(n: i32, x: Real) -> Real {
    if x > FAR {
        let m = Real::from(n) / x;
        return if m < 1.0 { (2.0 / (PI * x) * (1.0 - m * m).sqrt()).sqrt() } else { Real::INFINITY }; // Debye
    }
    let (y0, y1) = neumann(x);
    let (mut here, mut next) = (y0, y1);
    for k in 1..=n {
        (here, next) = (next, 2.0 * Real::from(k) / x * next - here);
    }
    let slope = Real::from(n) / x * here - next;
    let own = j_and_slope(n, x).1;
    let square = own * own + slope * slope;
    if square.is_finite() { square.sqrt() } else { Real::INFINITY }
}

/// Y_0 and Y_1 by Neumann's integrals.
fn neumann(x: Real) -> (Real, Real) {
    const STEPS: usize = 256;
    // Turning part: Simpson's rule, well over ten steps a wave.
    let (mut y0, mut y1) = (0.0, 0.0);
    let turns = STEPS + 16 * x as usize;
    let rule = |i: usize, n: usize| if i == 0 || i == n { 1.0 } else { 2.0 + 2.0 * (i % 2) as Real };
    for i in 0..=turns {
        let t = PI * i as Real / turns as Real;
        let w = rule(i, turns) / (3.0 * turns as Real);
        y0 += w * sin(x * sin(t));
        y1 += w * sin(x * sin(t) - t);
    }
    // Creeping part: the integrand is over where x sinh t = 40.
    let last = ln(40.0 / x + (1600.0 / (x * x) + 1.0).sqrt());
    let steps = 4 * STEPS;
    for i in 0..=steps {
        let t = last * i as Real / steps as Real;
        let w = rule(i, steps) * last / (3.0 * steps as Real * PI);
        let fall = exp(-x * sinh(t));
        y0 -= 2.0 * w * fall;
        y1 -= 2.0 * w * sinh(t) * fall;
    }
    (y0, y1)
}

/// Directions over which a mean is taken, enough for a source so many wavelengths over 2 pi large.
fn directions(size: Real) -> usize {
    ((6.0 + 0.35 * size) as usize).min(64)
}

/// Root of the mean square over latitude and longitude of the half space before a surface, of which a quarter is enough for even
/// squares; `at` is told a latitude once for all longitudes.
fn mean<D: Fn(Real) -> Real>(size: Real, at: impl Fn(Real) -> D) -> Real {
    let rule = gauss(directions(size));
    let mut sum = 0.0;
    for (x, w) in &rule {
        let (alpha, weight) = (0.25 * PI * (1.0 + x), 0.25 * PI * w);
        let d = at(alpha);
        for (y, v) in &rule {
            let value = d(0.25 * PI * (1.0 + y));
            sum += weight * cos(alpha) * 0.25 * PI * v * value * value;
        }
    }
    (sum / (0.5 * PI)).sqrt()
}

/// A body is resolved up to so many wavelengths over 2 pi; larger ones radiate as an endless plate with an edge.
const RESOLVED: Real = 40.0;
/// Root of the mean square of the cosine over a half space.
const MEAN_COSINE: Real = 0.577;

/// D of a surface many waves large in a baffle, all around, by its efficiency e: `D^2 = 2 pi A e/k^2`. Above coincidence
/// `1/sqrt(1 - m^2)`, m = k_B/k; below it what an edge of length P leaves (Leppington, Broadbent, Heron 1982); between them no
/// more than the root of the size.
fn large(k: Real, bending: Real, area: Real, edge: Real) -> Real {
    let (m, most) = (bending / k, 0.5 * (k * area.sqrt()).sqrt());
    let efficiency = if m < 1.0 {
        1.0 / (1.0 - m * m).sqrt()
    } else {
        let over = m * m - 1.0;
        edge / (TAU * m * k * area * over.sqrt()) * (ln((m + 1.0) / (m - 1.0)) + 2.0 * m / over)
    };
    (TAU * area * if efficiency < most { efficiency } else { most }).sqrt() / k
}

/// Nodes over a length that holds waves in the body and in the air, their wave numbers added.
fn nodes(waves: Real) -> usize {
    ((8.0 + 0.35 * waves) as usize).min(120)
}

/// The modes of a surface with their shapes at its nodes.
struct Sampled {
    solved: Solved,
    rules: [Vec<(Real, Real)>; 2],
}

impl Given<'_> {
    /// How the body stands in the air, if it says so.
    pub(super) fn mount(&self, default: Mount) -> Mount {
        if self.def.word("radiates").is_some() { self.word("radiates") } else { default }
    }
}

impl Surface {
    /// A round wall, of which only the outside is heard.
    pub(super) fn wall(given: &Given<'_>, radius: Real, height: Real, around: usize) -> Result<Self, Fault> {
        match given.mount(Mount::Free) {
            Mount::Free => Ok(Surface::Wall { radius, height, around }),
            Mount::Baffled => Err(Fault::new("radiates", "a round wall has no other side to be baffled; say \"free\"")),
        }
    }

    /// Where the shapes of modes must be known, for modes up to a frequency and so many of them.
    fn rules(&self, modes: usize, highest_hz: Real) -> [Vec<(Real, Real)>; 2] {
        let (k, many) = (wave_number(highest_hz), modes as Real);
        let flat = |area: Real| (4.0 * PI * many / area).sqrt(); // Weyl: the wave number of the last mode
        match *self {
            Surface::Rectangle { sides: [a, b], .. } => {
                let bending = flat(a * b);
                [gauss(nodes((bending + k) * a)), gauss(nodes((bending + k) * b))]
            }
            Surface::Round { radius, .. } => {
                [gauss(nodes((2.0 * flat(PI * radius * radius) + k) * radius)), Vec::new()]
            }
            Surface::Strip { length, .. } => [gauss(nodes(PI * many + k * length)), Vec::new()],
            Surface::Wall { height, .. } => [gauss(nodes(PI * many.min(40.0) + k * height)), Vec::new()],
            Surface::Ends { .. } => [Vec::new(), Vec::new()],
        }
    }

    /// Those places as fractions.
    fn points(&self, rules: &[Vec<(Real, Real)>; 2]) -> Vec<Point> {
        let at = |x: Real| 0.5 + 0.5 * x;
        match self {
            Surface::Rectangle { .. } => {
                rules[0].iter().flat_map(|x| rules[1].iter().map(move |y| [at(x.0), at(y.0), 0.0])).collect()
            }
            _ => rules[0].iter().map(|x| [at(x.0), 0.0, 0.0]).collect(),
        }
    }
}

impl Sampled {
    /// Shape of a mode along the radius or the height, without its turning part.
    fn profile(&self, mode: usize, around: usize) -> Vec<Real> {
        // A sine is nowhere at angle 0: its cosine stands before it.
        let numbers = self.solved.modes[mode].numbers;
        let of = if numbers[2] == 1 && numbers[around] > 0 { mode - 1 } else { mode };
        let scale = if numbers[around] > 0 { core::f64::consts::FRAC_1_SQRT_2 } else { 1.0 };
        self.solved.shapes.iter().map(|shape| scale * shape[of]).collect()
    }

    /// |integral of phi exp(i (u x + v y)) dA| over a rectangle about its middle, with the sign of its larger part, for one u
    /// and any v.
    fn rectangle(&self, mode: usize, sides: [Real; 2], u: Real) -> impl Fn(Real) -> Real + '_ {
        let [xs, ys] = &self.rules;
        let wave = move |k: Real, side: Real, rule: &[(Real, Real)]| -> Vec<(Real, Real)> {
            rule.iter()
                .map(|(x, w)| {
                    let (phase, weight) = (0.5 * k * side * x, 0.5 * side * w);
                    (weight * cos(phase), weight * sin(phase))
                })
                .collect()
        };
        let along = wave(u, sides[0], xs);
        let mut rows = vec![(0.0, 0.0); ys.len()];
        for (row, (c, s)) in self.solved.shapes.chunks_exact(ys.len()).zip(along) {
            for (shape, (re, im)) in row.iter().zip(&mut rows) {
                *re += shape[mode] * c;
                *im += shape[mode] * s;
            }
        }
        move |v: Real| {
            let (mut re, mut im) = (0.0, 0.0);
            for ((p, q), (c, s)) in rows.iter().zip(wave(v, sides[1], ys)) {
                re += p * c - q * s;
                im += p * s + q * c;
            }
            signed(re, im)
        }
    }

    /// The same over a length, of a profile.
    fn line(&self, profile: &[Real], length: Real, k: Real) -> Real {
        let (mut re, mut im) = (0.0, 0.0);
        for (value, (x, w)) in profile.iter().zip(&self.rules[0]) {
            let phase = 0.5 * k * length * x;
            re += 0.5 * length * w * value * cos(phase);
            im += 0.5 * length * w * value * sin(phase);
        }
        signed(re, im)
    }

    /// The same over a disc, but for the turning part: 2 pi integral of profile J_n(s r) r dr.
    fn disc(&self, profile: &[Real], n: i32, radius: Real, s: Real) -> Real {
        let mut sum = 0.0;
        for (value, (x, w)) in profile.iter().zip(&self.rules[0]) {
            let r = 0.5 * (1.0 + x) * radius;
            sum += 0.5 * radius * w * value * r * bessel_j(n, s * r);
        }
        TAU * sum
    }

    /// D of any of these modes: beyond those summed up like one of the last of them, as the mean of many goes on.
    fn reach_any(&self, surface: &Surface, modes: &[ShapeMode], mode: usize, ear: Ear) -> Real {
        let summed = self.solved.modes.len();
        if mode < summed {
            return self.reach(surface, mode, ear);
        }
        let trend = |i: usize| surface.trend(modes[i].freq_hz, (i - self.solved.rigid + 1) as Real);
        let like = summed - 1 - (mode - summed) % TELLING.min(summed - self.solved.rigid);
        self.reach(surface, like, ear) * trend(mode) / trend(like)
    }

    /// D of a mode as an ear hears it, never negative where it is a mean: [radiation.1] to [radiation.4].
    fn reach(&self, surface: &Surface, mode: usize, ear: Ear) -> Real {
        let ShapeMode { freq_hz, numbers, .. } = self.solved.modes[mode];
        let k = wave_number(freq_hz);
        let rank = (mode - self.solved.rigid + 1) as Real;
        let (tilt, turn) = match ear {
            Ear::Towards([tilt, turn]) => (tilt.to_radians(), turn.to_radians()),
            Ear::Around => (0.0, 0.0),
        };
        let around = ear == Ear::Around;
        match *surface {
            Surface::Rectangle { sides, mount } => {
                let area = sides[0] * sides[1];
                let y = roundabout(k, (area / PI).sqrt(), (4.0 * PI * rank / area).sqrt());
                let side = |cos_t: Real| if mount == Mount::Free { open(y, cos_t) } else { 1.0 };
                if !around {
                    let s = k * sin(tilt);
                    return side(cos(tilt)) * self.rectangle(mode, sides, s * cos(turn))(s * sin(turn));
                }
                let size = k * sides[0].max(sides[1]);
                if size > RESOLVED {
                    let bending = (4.0 * PI * rank / area).sqrt();
                    return side(MEAN_COSINE) * large(k, bending, area, 2.0 * (sides[0] + sides[1]));
                }
                mean(size, |alpha| {
                    let across = self.rectangle(mode, sides, k * sin(alpha));
                    move |beta| side(cos(alpha) * cos(beta)) * across(k * cos(alpha) * sin(beta))
                })
            }
            Surface::Strip { length, width, mount } => {
                let (y, profile) = (PI * k * width / 8.0, self.profile(mode, 1));
                let side = |cos_t: Real| if mount == Mount::Free { open(y, cos_t) } else { 1.0 };
                let d = |along: Real| width * self.line(&profile, length, k * along);
                if !around {
                    return side(cos(tilt)) * d(sin(tilt) * cos(turn));
                }
                mean(k * length, |alpha| {
                    let d = d(sin(alpha));
                    move |beta| d * side(cos(alpha) * cos(beta))
                })
            }
            Surface::Round { radius, mount } => {
                let (n, profile) = (numbers[0], self.profile(mode, 0));
                let y = roundabout(k, radius, 2.0 * rank.sqrt() / radius);
                let side = |cos_t: Real| if mount == Mount::Free { open(y, cos_t) } else { 1.0 };
                let d = |t: Real| side(cos(t)) * self.disc(&profile, n, radius, k * sin(t));
                if !around {
                    return d(tilt) * turned(n, numbers[2], turn / TAU);
                }
                if k * radius > RESOLVED {
                    let (bending, area) = (2.0 * rank.sqrt() / radius, PI * radius * radius);
                    return side(MEAN_COSINE) * large(k, bending, area, TAU * radius);
                }
                let rule = gauss(2 * directions(k * radius));
                let sum: Real = rule
                    .iter()
                    .map(|(x, w)| {
                        let t = 0.25 * PI * (1.0 + x);
                        0.25 * PI * w * sin(t) * d(t) * d(t)
                    })
                    .sum();
                sum.sqrt()
            }
            Surface::Wall { radius, height, around: waves } => {
                let (n, profile) = (numbers[waves], self.profile(mode, waves));
                let d = |t: Real| {
                    let s = sin(t).abs().max(1e-6);
                    2.0 * self.line(&profile, height, k * cos(t)) / (k * s * hankel_slope(n, k * radius * s)) // [radiation.3]
                };
                if !around {
                    return d(tilt) * turned(n, numbers[2], turn / TAU);
                }
                let rule = gauss(directions(k * height.max(2.0 * radius)).min(24));
                let sum: Real = rule
                    .iter()
                    .map(|(x, w)| {
                        let t = 0.25 * PI * (1.0 + x);
                        0.25 * PI * w * sin(t) * d(t) * d(t)
                    })
                    .sum();
                sum.sqrt()
            }
            Surface::Ends { .. } => 0.0,
        }
    }
}

impl Surface {
    /// Wave number in the body if so many modes lie below, and area, edge and radius of what radiates; `None` of an opening.
    fn extent(&self, count: Real) -> Option<[Real; 4]> {
        let flat = |area: Real, edge: Real| Some([(4.0 * PI * count / area).sqrt(), area, edge, (area / PI).sqrt()]);
        match *self {
            Surface::Rectangle { sides: [a, b], .. } => flat(a * b, 2.0 * (a + b)),
            Surface::Round { radius, .. } => flat(PI * radius * radius, TAU * radius),
            Surface::Wall { radius, height, .. } => flat(TAU * radius * height, 2.0 * TAU * radius),
            Surface::Strip { length, width, .. } => {
                Some([PI * count / length, length * width, 2.0 * (length + width), 0.0])
            }
            Surface::Ends { .. } => None,
        }
    }

    /// D of a mode at a frequency as it is in the mean of many, all around, if so many modes lie below it; edges are supported.
    pub(super) fn trend(&self, freq_hz: Real, count: Real) -> Real {
        let Some([bending, area, edge, radius]) = self.extent(count) else { return freq_hz }; // [radiation.6]
        let k = wave_number(freq_hz);
        let side = match *self {
            Surface::Rectangle { mount: Mount::Free, .. } | Surface::Round { mount: Mount::Free, .. } => {
                open(roundabout(k, radius, bending), MEAN_COSINE)
            }
            Surface::Strip { width, mount: Mount::Free, .. } => open(PI * k * width / 8.0, MEAN_COSINE),
            _ => 1.0,
        };
        side * large(k, bending, area, edge)
    }

    /// How much slower than sound its waves are: 1 at coincidence.
    pub(super) fn slowness(&self, freq_hz: Real, count: Real) -> Real {
        self.extent(count).map_or(1.0, |[bending, ..]| bending / wave_number(freq_hz))
    }
}

/// D of a mode that loses so much to the air, 1/s: [radiation.5] turned round.
pub(super) fn reach_of_loss(rate: Real, mode: &ModeRow, baffled: bool) -> Real {
    let whole = if baffled { TAU } else { 2.0 * TAU };
    let per_velocity = (2.0 * mode.2 * rate * AIR.density_kg_m3 * SPEED_M_S / whole).sqrt();
    per_velocity / (mode.0 * AIR.density_kg_m3)
}

/// Length of a complex number with the sign of its larger part.
fn signed(re: Real, im: Real) -> Real {
    let most = if re.abs() >= im.abs() { re } else { im };
    (re * re + im * im).sqrt() * if most < 0.0 { -1.0 } else { 1.0 }
}

/// Most modes of a plate that is solved by Ritz whose shapes are summed up.
const SUMMED: usize = 400;
/// So many of them tell how the others are heard.
const TELLING: usize = 30;

/// True if the shapes of a body are dear.
fn solved_by_ritz(def: &ShapeDef) -> bool {
    def.kind.id == super::plate::RECTANGULAR_PLATE.id && def.word("edges") != Some("supported")
}

/// A shape's surface with its modes sampled on it; `None`: it has none that reaches the air outside.
fn sampled(
    family: &Family,
    given: &Given<'_>,
    modes: usize,
    highest_hz: Real,
) -> Result<Option<(Surface, Sampled)>, Fault> {
    let Some(surface) = family.surface else { return Ok(None) };
    let surface = surface(given)?;
    let most = if solved_by_ritz(given.def) { given.most.min(SUMMED) } else { given.most };
    let rules = surface.rules(modes.min(most), highest_hz);
    let points = surface.points(&rules);
    let solved = (family.solve)(&Given { points: &points, most, ..*given })?;
    Ok(Some((surface, Sampled { solved, rules })))
}

/// Adds what a body that says how it stands in the air loses to its own sound: [radiation.5].
pub(super) fn damp(family: &Family, given: &Given<'_>, solved: &mut Solved) -> Result<(), Fault> {
    let Some(mount) = given.def.word("radiates") else { return Ok(()) };
    let highest = solved.bending().last().map_or(0.0, |mode| mode.freq_hz);
    let Some((surface, sampled)) = sampled(family, given, solved.modes.len(), highest)? else { return Ok(()) };
    let whole = if mount == "baffled" { TAU } else { 2.0 * TAU };
    for index in solved.rigid..solved.modes.len() {
        let d = sampled.reach_any(&surface, &solved.modes, index, Ear::Around);
        let mode = &mut solved.modes[index];
        let per_velocity = TAU * mode.freq_hz * AIR.density_kg_m3 * d / TAU; // p r / v
        let resistance = whole * per_velocity * per_velocity / (AIR.density_kg_m3 * SPEED_M_S);
        let rate = fault!(RADIATION_LOSS, 0.5 * resistance / mode.mass_kg, times 0.5);
        mode.decay_s = 1.0 / (1.0 / mode.decay_s + rate);
    }
    Ok(())
}

/// Pressure of every mode of a shape below a frequency at an ear so far away, m. `[control]`
pub fn pressures(def: &ShapeDef, below_hz: Real, ear: Ear, distance_m: Real) -> Result<Pressures, Fault> {
    let family = family(def.kind.id).ok_or_else(|| Fault::new("shape", "unknown shape"))?;
    let given = super::given(family, def, below_hz, &[])?;
    let first: Vec<Point> = family.places.first().map(|(_, point)| *point).into_iter().collect();
    let modes = (family.solve)(&Given { points: &first, ..given })?;
    let highest = modes.bending().last().map_or(0.0, |mode| mode.freq_hz);
    let Some((surface, sampled)) = sampled(family, &given, modes.modes.len(), highest)? else {
        return Err(Fault::new("", silence(def.kind.id)));
    };
    let rho = AIR.density_kg_m3;
    let per_mode = (0..modes.modes.len()).map(|index| match surface {
        _ if index < modes.rigid => 0.0,
        // At an open end the shape of the pressure is a wave's node: u' = -c phi' y', and phi' = sqrt2 omega/c. [radiation.6]
        Surface::Ends { open, area } => {
            let omega = TAU * modes.modes[index].freq_hz;
            mouth(area, distance_m) * core::f64::consts::SQRT_2 * omega * (open as Real).sqrt()
        }
        _ => {
            let d = sampled.reach_any(&surface, &modes.modes, index, ear);
            rho / (TAU * distance_m) * fault!(RADIATION, d, times 1.5) // [radiation.1]
        }
    });
    Ok(Pressures { per_mode: per_mode.collect(), accelerated: !matches!(surface, Surface::Ends { .. }) })
}

/// Pa at an ear per m/s^2 of the air in an opening: [radiation.6]. `[control]`
pub fn mouth(area_m2: Real, distance_m: Real) -> Real {
    AIR.density_kg_m3 / (4.0 * PI * distance_m) * area_m2
}

/// kg/m^3: mass per area of a sounding board over its radius.
const BOARD: Real = 6.7;

/// Pa at an ear per m/s^2 of the mean radius at the lip of a wall that breathes at a frequency as [vessel.8] says: [radiation.3] with no
/// waves around and the square of an upright's first bending along the height. `[control]`
pub fn breath(radius_m: Real, height_m: Real, freq_hz: Real, distance_m: Real) -> Real {
    let (k, along) = (wave_number(freq_hz), gauss(24));
    let bent = |x: Real| {
        let b = 1.875_104 * x;
        let (up, down) = (exp(b), exp(-b));
        0.5 * (0.5 * (up + down) - cos(b) - 0.734_096 * (0.5 * (up - down) - sin(b)))
    };
    let d = |t: Real| {
        let (s, (mut re, mut im)) = (sin(t).abs().max(1e-6), (0.0, 0.0));
        for (x, w) in &along {
            let (height, phase) = (bent(0.5 + 0.5 * x), 0.5 * k * height_m * cos(t) * x);
            re += 0.5 * height_m * w * height * height * cos(phase);
            im += 0.5 * height_m * w * height * height * sin(phase);
        }
        2.0 * (re * re + im * im).sqrt() / (k * s * hankel_slope(0, k * radius_m * s))
    };
    let squares = gauss(12).into_iter().map(|(x, w)| {
        let t = 0.25 * PI * (1.0 + x);
        0.25 * PI * w * sin(t) * d(t) * d(t)
    });
    AIR.density_kg_m3 / (TAU * distance_m) * squares.sum::<Real>().sqrt()
}

/// Pa at an ear per newton of a string on the bridge of a board of a radius: [radiation.8]. `[control]`
pub fn board(size_m: Real, freq_hz: Real, distance_m: Real) -> Real {
    let y = roundabout(wave_number(freq_hz), size_m, 0.0);
    AIR.density_kg_m3 / (TAU * distance_m * BOARD * size_m) * open(y, MEAN_COSINE)
}

/// Why nothing is heard of a shape outside itself.
fn silence(id: &str) -> String {
    match id {
        "string" => "a string moves too little air to be heard but through the board it rests on".into(),
        _ => format!("a {id} is closed: nothing of it is radiated; listen inside with quantity = \"velocity\""),
    }
}

/// Pa at an ear per m/s^2 of a mode of which only the size of its body, a radius, is known, times its shape at the place
/// listened to: [radiation.7]. `[control]`
pub fn by_size(size_m: Real, lowest_hz: Real, freq_hz: Real, distance_m: Real) -> Real {
    let (k, area) = (wave_number(freq_hz), PI * size_m * size_m);
    let cells = freq_hz / (lowest_hz * area);
    let d = 1.0 / (cells * cells + k * k / (TAU * area)).sqrt();
    let bending = 2.0 * (freq_hz / lowest_hz).sqrt() / size_m;
    AIR.density_kg_m3 / (TAU * distance_m) * d * open(roundabout(k, size_m, bending), 0.5)
}
