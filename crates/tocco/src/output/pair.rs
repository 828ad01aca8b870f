// SPDX-License-Identifier: MIT OR Apache-2.0
//! A pair of ears, or of microphones: what stands to one side is heard there sooner, and louder.
//!
//! **What.** A tap that says from where it is heard reaches the two channels of its output as it would reach the ears of a head, or two
//! microphones: each later by its way, and weakened by what lies in it or by the way it faces.
//!
//! **Law.** With p the azimuth, positive to the right, and b the angle between the source and an ear, which sits at 90 degrees to its side:
//! - `[pair.1]  t = -(a/c) cos b` where |b| < pi/2, else `(a/c) (|b| - pi/2)`: way to an ear on a sphere, seen from its middle
//! - `[pair.2]  H = (1 + j k w a/(2 c))/(1 + j w a/(2 c))`, `k = 1.05 + 0.95 cos(1.2 b)`: what a sphere shades, or reflects to its own side
//! - `[pair.3]  t = -/+ (d/(2 c)) sin p`, `g = 1 - q + q cos(p -/+ e/2)`: microphones d apart, e between their axes
//! - `[pair.4]  g_l^2 + g_r^2 = 1`, of a head where nothing is shaded yet: both channels together have the power of the tap
//!
//! **Symbols.** a `radius_m` m; d `spacing_m` m; e `angle_deg`; q `pattern_01`, 0 hears all around, 0.5 a cardioid; c speed of sound; upper signs
//! are the right one's.
//!
//! **Step.** Ways are those of far sources. What comes first comes without delay but for one sample; the rest by Lagrange's polynomial through
//! four samples, 0.1 dB flat to a fifth of the rate. [pair.2] goes through the bilinear map. Mono: as no gain is negative, the sum
//! of both channels has between half and all of twice their power wherever they do not differ by half a wave: a single tone may cancel,
//! as it does between real microphones, and a broad sound loses 3 dB at most.
//!
//! **Sources.** Woodworth, *Experimental psychology* (1938), from memory; Brown, Duda, IEEE Trans. Speech Audio Proc. 6, 476 (1998), (1), (2), (7), from memory:
//! the angle at which the shade is deepest is 150 degrees, its least value 0.1.

use crate::math::{PI, Real, cos, sin};
use crate::resonator::CONTROL_TICKS;

/// What hears.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairMake {
    /// Two ears on a sphere of this radius, m.
    Head {
        /// m
        radius_m: Real,
    },
    /// Two microphones.
    Microphones {
        /// From one to the other, m.
        spacing_m: Real,
        /// Between their axes, degrees.
        angle_deg: Real,
        /// 0 hears all around, 0.5 is a cardioid.
        pattern_01: Real,
    },
}

/// What one of the pair hears of a source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ear {
    /// Later than the middle of the pair, s.
    pub delay_s: Real,
    /// Factor where nothing is shaded.
    pub gain: Real,
    /// k of [pair.2], and a/(2 c), s; none for a microphone.
    pub shade: Option<(Real, Real)>,
}

impl PairMake {
    /// What left and right hear of a source at an azimuth. `[control]`
    pub fn hears(&self, azimuth_deg: Real, sound_m_s: Real) -> [Ear; 2] {
        let azimuth = azimuth_deg * PI / 180.0;
        match *self {
            PairMake::Head { radius_m } => [-1.0, 1.0].map(|side| {
                let mut angle = (azimuth - side * 0.5 * PI).abs();
                if angle > PI {
                    angle = 2.0 * PI - angle;
                }
                // [pair.1]
                let way_m = if angle < 0.5 * PI { -radius_m * cos(angle) } else { radius_m * (angle - 0.5 * PI) };
                let k = 1.05 + 0.95 * cos(fault!(PAIR_SHADE, 1.2, 0.0) * angle); // [pair.2]
                let delay_s = fault!(PAIR_WAY, way_m, times 0.5) / sound_m_s;
                Ear { delay_s, gain: 0.5_f64.sqrt(), shade: Some((k, 0.5 * radius_m / sound_m_s)) }
            }),
            PairMake::Microphones { spacing_m, angle_deg, pattern_01 } => {
                let axis = 0.5 * angle_deg * PI / 180.0;
                let both = [-1.0, 1.0].map(|side| {
                    let gain = 1.0 - pattern_01 + pattern_01 * cos(azimuth - side * axis); // [pair.3]
                    (-side * 0.5 * spacing_m * sin(azimuth) / sound_m_s, gain)
                });
                // [pair.4]; what faces away from everything is not made loud.
                let power: Real = both.iter().map(|(_, gain)| gain * gain).sum();
                let scale = 1.0 / power.max(0.1).sqrt();
                both.map(|(delay_s, gain)| Ear { delay_s, gain: scale * gain, shade: None })
            }
        }
    }
}

/// One ear while it hears.
#[derive(Clone, Copy, Debug)]
struct Path {
    /// Whole samples, and the weights of the four from there on.
    back: usize,
    weights: [Real; 4],
    gain: Real,
    /// Of [pair.2]: b0, b1, a1, and the last value in and out.
    filter: [Real; 3],
    state: [Real; 2],
}

/// Values of the filter below this are set to 0.
const FLUSH: Real = 1e-100;

impl Path {
    fn new(ear: &Ear, first_s: Real, rate_hz: Real) -> Self {
        let samples = 1.0 + (ear.delay_s - first_s) * rate_hz;
        let back = samples as usize - 1;
        let d = samples - back as Real;
        let (a, b, c) = (d - 1.0, d - 2.0, d - 3.0);
        let weights = [-a * b * c / 6.0, d * b * c / 2.0, -d * a * c / 2.0, d * a * b / 6.0];
        let filter = ear.shade.map_or([1.0, 0.0, 0.0], |(k, slow_s)| {
            let t = 2.0 * rate_hz * slow_s;
            [(1.0 + k * t) / (1.0 + t), (1.0 - k * t) / (1.0 + t), (1.0 - t) / (1.0 + t)]
        });
        Self { back, weights, gain: ear.gain, filter, state: [0.0; 2] }
    }
}

/// The pair as it hears one tap.
#[derive(Clone, Debug)]
pub struct Pair {
    made: (PairMake, Real),
    paths: [Path; 2],
    /// The last samples of the tap, in a ring.
    line: Vec<Real>,
    at: usize,
    /// Samples of silence so far.
    silent: usize,
    /// What the two hear of the present block.
    pub lanes: [[Real; CONTROL_TICKS]; 2],
}

impl Pair {
    /// For a source at an azimuth. The only allocation. `[control]`
    pub fn new(make: PairMake, azimuth_deg: Real, sound_m_s: Real, rate_hz: Real) -> Self {
        let ears = make.hears(azimuth_deg, sound_m_s);
        let first_s = ears[0].delay_s.min(ears[1].delay_s);
        let paths = ears.map(|ear| Path::new(&ear, first_s, rate_hz));
        let longest = paths[0].back.max(paths[1].back) + 4;
        Self {
            made: (make, azimuth_deg),
            paths,
            line: vec![0.0; longest.next_power_of_two()],
            at: 0,
            silent: longest,
            lanes: [[0.0; CONTROL_TICKS]; 2],
        }
    }

    /// True if the two are made alike and hear the same place.
    pub fn is_like(&self, other: &Pair) -> bool {
        self.made == other.made
    }

    /// True if it answers silence with silence. `[audio]`
    pub fn rests(&self) -> bool {
        self.silent >= self.line.len() && self.paths.iter().all(|path| path.state == [0.0; 2])
    }

    /// Hears a stretch of samples. `[audio]`
    pub fn hear(&mut self, sound: &[Real]) {
        let Self { paths, line, at, silent, lanes, .. } = self;
        let mask = line.len() - 1;
        for (i, x) in sound.iter().enumerate() {
            let x = if x.is_finite() { *x } else { 0.0 };
            line[*at & mask] = x;
            *silent = if x == 0.0 { silent.saturating_add(1) } else { 0 };
            for (path, lane) in paths.iter_mut().zip(lanes.iter_mut()) {
                let from = at.wrapping_sub(path.back);
                let heard = |k: usize| path.weights[k] * line[from.wrapping_sub(k) & mask];
                let x = (heard(0) + heard(1)) + (heard(2) + heard(3));
                let [b0, b1, a1] = path.filter;
                let y = (b0 * x + b1 * path.state[0]) - a1 * path.state[1];
                path.state = [x, y];
                lane[i] = path.gain * y;
            }
            *at = at.wrapping_add(1);
        }
        for path in paths {
            path.state = path.state.map(|s| if s.abs() < FLUSH { 0.0 } else { s });
        }
    }
}
