// SPDX-License-Identifier: MIT OR Apache-2.0
//! Ice: a sheet on water that gives way under load.
//!
//! **What.** Where it is pressed harder than ever before it cracks, in bursts and with aftershocks; where it has been pressed as hard
//! before it is silent; where it has cracked enough it opens. Each crack is a sharp noise, excites the plate, and far away over a lake is
//! heard as a falling chirp.
//!
//! **Law.** F the load at a place, h thickness; u uniform, n normal:
//! - `[ice.1]  F_y = 0.02 A h^2 (0.85 + 0.3 u)`, A = 3.5 MPa: the first threshold of a place. While F > F_y: a fracture, and
//!   `F_y <- F_y + Exp(step)`. A load that has been borne is borne again (Kaiser). Places are 0.15 m apart.
//! - `[ice.2]  p(W) ~ W^-tau` between two energies: what a fracture takes; the place gives way by `2 W/F`, so that the load does the work 2 W:
//!   one half is taken at once, the other stays in the sheet for what follows.
//! - `[ice.3]  Poisson(aftershocks sqrt(W/10 mJ))` aftershocks, at most W/2, with delays of density (t + 4 ms)^-1.1 up to 0.6 s; none that would
//!   take more than is left in the sheet there.
//! - `[ice.4]  a = sqrt(W/W_max)`: three noises [patter.3], at `5.2 kHz (W/10 mJ)^-0.1 e^(0.3 n)` within 1.5 to 9 kHz, twice that, and 900 Hz
//!   `e^(0.5 n)`, of `12 ms (0.3 + 1.5 a)`; three tones at `f_c e^U(-0.7, 1.9)`, 30 to 150 ms to -60 dB: the plate.
//! - `[ice.5]  B K^3 = c^2 (rho_i K + rho_w)`, `B = E/(12 (1 - nu^2))`, `f_c = c K/(2 pi h)`: coincidence, where waves in ice on water run as
//!   fast as sound in air. 30.8 Hz m.
//! - `[ice.6]  D k^4 = w^2 (rho_i h + rho_w/k)`, D = B h^3: bending waves; after x metres an impulse is `e^(-i k x)/sqrt(k x) e^(-0.004 k x)`,
//!   high notes first. Above k h = 1 they travel on at one speed.
//! - `[ice.7]` a place that has taken `break_j` opens: a splash [splash.1] follows, and no more fractures. Who steps there later steps into
//!   water.
//! - `[ice.8]  F = sum of heel and toes` of each foot that walks on it, where it stands: all feet meet the same places. What stands there from the
//!   start has been borne.
//! - `[ice.9]  dF = K 2 W/F`, at most F, K = k_1 k_2/(k_1 + k_2): what is felt. The force drops by dF, and the foot follows in 20 ms:
//!   `-dF e^(-t/20 ms)`; as much as stays in the sheet, W, rings in the spring K: `sqrt(2 K W)` times a sine of 80 to 220 Hz, 50 to 130 ms to -60 dB,
//!   which with its width lies within 70 to 250 Hz.
//!
//! **Symbols.** E = 9 GPa, nu = 0.33, rho_i = 917, rho_w = 1000 kg/m^3, c = 331 m/s; tau `exponent`; k_1 = 400 kN/m, k_2 = 200 kN/m the elastic
//! and the yielding part of what a foot stands on.
//!
//! **Step.** Once a cell, for the load of its signal at `x_m`, `y_m`, for the feet of up to eight walkers and for up to eight presses by
//! triggers. The chirp's response is made
//! once. Crack lines are grown from the events by whoever draws them, see `ice/cracks.rs`.
//!
//! **Sources.** De Sena et al. 2009 chapters 7 and 8; Visell et al. for fracture underfoot (the frame); Gold's bearing rule and Lundmark (2001), Romeyn et
//! al. (2021) for [ice.5]. The process and its numbers are ours: plausible, not fitted.

pub mod cracks;

use super::bubble::Tone;
use super::drip::poisson;
use super::patter::{Formant, Hit, MOST_HITS, value};
use super::splash::{SplashParams, Thrown};
use super::water::{Birth, Sound, Water};
use super::{Book, Event, Lane, Process, Span, Triggered};
use crate::math::{PI, Real, TAU, cos, exp, ln, pow, sin};
use crate::param::{Params, Scale, Spec, Tunable};
use crate::reserve::Reserve;
use crate::resonator::CONTROL_TICKS;
use crate::rng::Rng;
use crate::signal::{Cell, GRID_S};

/// Young's modulus of lake ice, Pa.
pub const YOUNG_PA: Real = 9e9;
/// Poisson's ratio.
pub const POISSON: Real = 0.33;
const ICE_KG_M3: Real = 917.0;
const WATER_KG_M3: Real = 1000.0;
/// Speed of sound in cold air, m/s.
const AIR_M_S: Real = 331.0;
/// Strength in the rule P = A h^2, Pa.
const BEARING_PA: Real = 3.5e6;
/// Places closer than this are one, m.
pub const SAME_PLACE_M: Real = 0.15;
/// What a foot stands on as a spring, N/m: 400 and 200 kN/m one after the other. [ice.9]
pub const SPRING_N_M: Real = 4e5 * 2e5 / (4e5 + 2e5);
/// How fast a foot follows where the ice has given way, s.
const FOLLOWS_S: Real = 0.02;
/// Most places that a sheet remembers; of those that are whole, the one that was pressed longest ago gives way.
const MOST_PLACES: usize = 256;
/// Most fractures of a load in a cell.
const MOST_AT_ONCE: usize = 24;
/// Most fractures that wait.
const MOST_WAITING: usize = 512;
/// Most presses at once.
const MOST_PRESSES: usize = 8;
/// Most who walk on it.
pub const MOST_WALKERS: usize = 8;
/// A place that nobody has pressed for so many cells is pressed anew.
const ANEW: u64 = 50;
/// Most chirps at once.
const MOST_CHIRPS: usize = 12;
/// Aftershocks: offset and longest delay, s.
const OMORI_S: Real = 4e-3;
const LAST_S: Real = 0.6;
/// Lowest note of a chirp, Hz, where it comes in time; and the longest that one lasts, s.
const LOWEST_HZ: Real = 60.0;
const LONGEST_S: Real = 2.0;
/// Before its first note a chirp is silent for so long, s.
const BEFORE_S: Real = 2e-3;
/// No wave is faster than this, m/s.
const FASTEST_M_S: Real = 1800.0;
/// Part of a chirp over which its end fades.
const FADE: Real = 0.125;

crate::params! {
    /// Parameters of ice.
    pub struct IceParams {
        x_m: "m", -1e4 => 1e4, default 0.0, Linear, Control, glide 0.0, "Where it is pressed, along.";
        y_m: "m", -1e4 => 1e4, default 0.0, Linear, Control, glide 0.0, "Where it is pressed, across.";
        weight_n: "N", 0.0 => 1e6, default 1.0, Log, Control, glide 0.02, "Load where the signal is 1.";
        step_n: "N", 0.1 => 1e5, default 18.0, Log, Control, glide 0.02, "How much more load the next fracture takes, on average.";
        exponent: "1", 1.01 => 4.0, default 1.5, Linear, Control, glide 0.02, "How much rarer large fractures are: their density falls with energy to this power.";
        smallest_j: "J", 1e-9 => 1e3, default 1e-3, Log, Control, glide 0.02, "Energy of the smallest fracture.";
        largest_j: "J", 1e-9 => 1e3, default 0.5, Log, Control, glide 0.02, "Energy of the largest.";
        aftershocks: "1", 0.0 => 10.0, default 0.35, Linear, Control, glide 0.02, "Aftershocks of a fracture of 10 mJ, on average.";
        break_j: "J", 1e-6 => 1e9, default 1e6, Log, Control, glide 0.0, "Energy after which a place opens.";
        plate: "1", 0.0 => 10.0, default 1.0, Linear, Control, glide 0.02, "Level of the plate's tones.";
        chirp: "1", 0.0 => 10.0, default 1.0, Linear, Control, glide 0.02, "Level of what is heard from far, where distance_m is given.";
        gain: "Pa", 0.0 => 1e6, default 0.5, Log, Control, glide 0.02, "Level: amplitude of the largest fracture at 1 m.";
    }
}

/// What a trigger of ice says.
pub const ICE_TRIGGER: &[Spec] = &[
    value("force_n", "N", [0.0, 1e6], 750.0, Scale::Log, "Largest load of the press."),
    value("x_m", "m", [-1e4, 1e4], 0.0, Scale::Linear, "Where, along."),
    value("y_m", "m", [-1e4, 1e4], 0.0, Scale::Linear, "Where, across."),
    value("duration_s", "s", [1e-3, 60.0], 0.5, Scale::Log, "How long it is pressed: half a sine."),
];

/// Frequency of coincidence of a sheet of this thickness, m, and Young's modulus, Pa, Hz. [ice.5]
pub fn coincidence_hz(thickness_m: Real, young_pa: Real) -> Real {
    let b = fault!(ICE_COINCIDENCE, young_pa, times 1.1) / (12.0 * (1.0 - POISSON * POISSON));
    let c2 = AIR_M_S * AIR_M_S;
    let mut k = pow(c2 * WATER_KG_M3 / b, 1.0 / 3.0).max((c2 * ICE_KG_M3 / b).sqrt());
    for _ in 0..60 {
        k -= (b * k * k * k - c2 * (ICE_KG_M3 * k + WATER_KG_M3)) / (3.0 * b * k * k - c2 * ICE_KG_M3);
    }
    fault!(ICE_TONE, AIR_M_S, times 1.05) * k / (TAU * thickness_m)
}

/// Wave number of bending waves, 1/m, at an angular frequency, rad/s. [ice.6]
pub fn wave_number(omega: Real, thickness_m: Real) -> Real {
    let d = fault!(ICE_WAVES, YOUNG_PA, times 0.8) * thickness_m * thickness_m * thickness_m
        / (12.0 * (1.0 - POISSON * POISSON));
    let mut k = pow(omega * omega * ICE_KG_M3 * thickness_m / d, 0.25).max(1e-6);
    for _ in 0..60 {
        k = pow(omega * omega * (ICE_KG_M3 * thickness_m + WATER_KG_M3 / k) / d, 0.25);
    }
    k
}

/// Length over which a sheet of this thickness, m, spreads a load, m.
pub fn characteristic_m(thickness_m: Real) -> Real {
    let d = YOUNG_PA * thickness_m * thickness_m * thickness_m / (12.0 * (1.0 - POISSON * POISSON));
    pow(d / (WATER_KG_M3 * 9.81), 0.25)
}

/// The energy of a fracture for a uniform number. [ice.2]
pub fn energy_of(exponent: Real, [small, large]: [Real; 2], u: Real) -> Real {
    super::patter::radius_of(exponent, [small, large], u)
}

/// Speed at which what is heard of an angular frequency, rad/s, runs through the ice, m/s. [ice.6]
fn group_m_s(omega: Real, thickness_m: Real) -> Real {
    let step = 1e-4 * omega;
    2.0 * step / (wave_number(omega + step, thickness_m) - wave_number(omega - step, thickness_m))
}

/// Wave speed of the fastest, m/s, and the angular frequency, rad/s, from which on all are as fast: where k h is 1 the thin plate ends.
fn fastest(thickness_m: Real) -> (Real, Real) {
    let ends = |omega: Real| {
        wave_number(omega, thickness_m) * thickness_m > 1.0 || group_m_s(omega, thickness_m) > FASTEST_M_S
    };
    let (mut low, mut high) = (TAU, TAU * 1e6);
    for _ in 0..60 {
        let middle = (low * high).sqrt();
        if ends(middle) { high = middle } else { low = middle }
    }
    (group_m_s(low, thickness_m).min(FASTEST_M_S), low)
}

/// How long a chirp lasts, s, and its lowest note, Hz: all of it at any rate. [ice.6]
fn window(thickness_m: Real, distance_m: Real) -> (Real, Real) {
    let first_s = distance_m / fastest(thickness_m).0 - BEFORE_S;
    let lasts_s = |freq_hz: Real| (distance_m / group_m_s(TAU * freq_hz, thickness_m) - first_s) / (1.0 - FADE);
    let mut lowest_hz = LOWEST_HZ;
    while lasts_s(lowest_hz) > LONGEST_S && lowest_hz < 2e4 {
        lowest_hz *= 1.05;
    }
    (lasts_s(lowest_hz).clamp(0.0, LONGEST_S), lowest_hz)
}

/// What an impulse becomes on its way through the ice, at most 1 in size, without the time in which nothing has come. [ice.6] `[control]`
pub fn chirp(thickness_m: Real, distance_m: Real, rate_hz: Real) -> Vec<Real> {
    let (lasts_s, lowest_hz) = window(thickness_m, distance_m);
    let count = ((lasts_s * rate_hz) as usize).next_power_of_two().max(1 << 10);
    let (mut re, mut im) = (vec![0.0; count], vec![0.0; count]);
    let bin = rate_hz / count as Real;
    let (fastest, from) = fastest(thickness_m);
    let from_k = wave_number(from, thickness_m);
    let first_s = distance_m / fastest - BEFORE_S;
    let lowest = (lowest_hz / bin).ceil() as usize;
    for i in lowest..(0.45 * count as Real) as usize {
        let omega = TAU * bin * i as Real;
        let k = if omega > from { from_k + (omega - from) / fastest } else { wave_number(omega, thickness_m) };
        let size = exp(-0.004 * k * distance_m) / (k * distance_m).sqrt();
        // A gentle start at the low end, and the way of the fastest taken off.
        let low = ((i - lowest) as Real * bin / lowest_hz).min(1.0);
        let turned = omega * first_s - k * distance_m;
        (re[i], im[i]) = (low * size * cos(turned), low * size * sin(turned));
    }
    transform(&mut re, &mut im);
    // The end fades: what is lower than the lowest would come there.
    let fade = (FADE * count as Real) as usize;
    for (i, x) in re[count - fade..].iter_mut().enumerate() {
        *x *= 1.0 - i as Real / fade as Real;
    }
    let largest = re.iter().fold(1e-30, |most: Real, x| most.max(x.abs()));
    re.iter().map(|x| x / largest).collect()
}

/// Inverse Fourier transform in place, without its factor; the length is a power of two. `[control]`
fn transform(re: &mut [Real], im: &mut [Real]) {
    let n = re.len();
    let bits = n.trailing_zeros();
    for i in 0..n {
        let j = i.reverse_bits() >> (usize::BITS - bits);
        if j > i {
            re.swap(i, j);
            im.swap(i, j);
        }
    }
    let mut half = 1;
    while half < n {
        for k in 0..half {
            let (c, s) = (cos(PI * k as Real / half as Real), sin(PI * k as Real / half as Real));
            for start in (k..n).step_by(2 * half) {
                let (a, b) = (start, start + half);
                let (x, y) = (re[b] * c - im[b] * s, re[b] * s + im[b] * c);
                (re[b], im[b]) = (re[a] - x, im[a] - y);
                (re[a], im[a]) = (re[a] + x, im[a] + y);
            }
        }
        half *= 2;
    }
}

/// A place that has been pressed.
#[derive(Clone, Copy, Debug)]
struct Place {
    at_m: [Real; 2],
    /// Load at which it cracks next, N.
    threshold_n: Real,
    /// Taken so far, J.
    taken_j: Real,
    /// Left in the sheet there for aftershocks, J.
    left_j: Real,
    open: bool,
    /// Cell in which it was last pressed.
    last: u64,
}

/// A press by a trigger.
#[derive(Clone, Copy, Debug)]
struct Press {
    at_s: Real,
    force_n: Real,
    spot: [Real; 2],
    duration_s: Real,
}

/// A foot on the ice: heel and toes, N, and where it stands, m, at the end of the cell.
#[derive(Clone, Copy, Debug, Default)]
struct Foot {
    heel_n: Real,
    toe_n: Real,
    spot: [Real; 2],
}

/// A sheet of ice.
#[derive(Clone)]
pub struct Ice {
    params: IceParams,
    thickness_m: Real,
    tone_hz: Real,
    water: Water,
    rng: Rng,
    places: Reserve<Place>,
    presses: [Option<Press>; MOST_PRESSES],
    /// Left and right of each who walks on it.
    feet: Vec<Foot>,
    begun: bool,
    /// Fractures to come, and those of the present cell.
    waiting: Reserve<Event>,
    events: Reserve<Event>,
    table: Vec<Real>,
    /// How long a chirp lasts, s, and when the last began.
    chirp_s: Real,
    chirped_s: Real,
    /// Chirps that sound: sample of the scene at which each began, and amplitude.
    chirps: [Option<(u64, Real)>; MOST_CHIRPS],
    /// Where a chirp that gave way stood, which dies away, and its factor per sample; and the sample at which the present cell began.
    residue: Real,
    keep: Real,
    now: u64,
    rate_hz: Real,
    book: Book,
    felt: Felt,
}

/// What is felt of it, where somebody feels it. [ice.9]
#[derive(Clone)]
struct Felt {
    /// Somebody does.
    wanted: bool,
    rings: Water,
    /// Drops of the force, N, with their times, s; and what is left of those before, N, with its factor per sample.
    drops: Reserve<(Real, Real)>,
    left_n: Real,
    keep: Real,
    rng: Rng,
}

impl Felt {
    fn new(rate_hz: Real, rng: Rng) -> Self {
        let (rings, drops) = (Water::new(64, 1, rate_hz), Reserve::of(MOST_WAITING));
        Self { wanted: false, rings, drops, left_n: 0.0, keep: exp(-1.0 / (FOLLOWS_S * rate_hz)), rng }
    }

    /// A fracture under a load, N. `[audio]`
    fn fracture(&mut self, at_s: Real, energy: Real, force_n: Real) -> u64 {
        if !self.wanted {
            return 0;
        }
        let (pitch, last) = (self.rng.unit(), self.rng.between(0.05, 0.13));
        let tone = Tone {
            amplitude: (2.0 * SPRING_N_M * energy).sqrt(),
            freq_hz: 80.0 + 140.0 * pitch,
            damping: 6.908 / last,
            rise_rate: 0.0,
            attack_s: 0.0,
        };
        let room = self.drops.len() < MOST_WAITING;
        if room {
            let drop_n = fault!(ICE_FELT, 2.0, 1.0) * (SPRING_N_M * energy / force_n).min(0.5 * force_n);
            self.drops.push((at_s, drop_n));
        }
        u64::from(!self.rings.add(Birth { at_s, sound: Sound::Tone(tone) })) + u64::from(!room)
    }

    /// A new cell: what has been felt is forgotten. `[audio]`
    fn begin(&mut self, cell: Cell, rate_hz: Real) {
        self.rings.begin(cell);
        let first = (cell.index as Real * rate_hz / 1000.0) as u64;
        self.drops.retain(|(at_s, _)| (at_s * rate_hz).ceil() as u64 >= first);
        if self.left_n.abs() < 1e-9 {
            self.left_n = 0.0;
        }
    }

    /// Adds a stretch. `[audio]`
    fn render(&mut self, span: Span, force: &mut Lane) {
        self.rings.render(span, force);
        let mut fresh = [0.0; CONTROL_TICKS];
        for &(at_s, drop_n) in self.drops.iter() {
            let first = (at_s * span.rate_hz).ceil();
            let Some(at) = (first as u64).checked_sub(span.tick).filter(|at| *at < span.ticks as u64) else { continue };
            // As if it had dropped between the samples.
            let late = first - at_s * span.rate_hz;
            fresh[at as usize] += drop_n * (1.0 - late * (1.0 - self.keep));
        }
        for (out, fresh) in force.iter_mut().zip(fresh).take(span.ticks) {
            self.left_n = self.left_n * self.keep + fresh;
            *out -= self.left_n;
        }
    }

    fn is_awake(&self) -> bool {
        self.rings.is_awake() || !self.drops.is_empty() || self.left_n != 0.0
    }

    fn reset(&mut self) {
        self.rings.reset();
        self.drops.clear();
        self.left_n = 0.0;
    }
}

impl Ice {
    /// A sheet of a thickness, m, heard here and, if `distance_m` is above 0, from so far away. `[control]`
    pub fn new(
        params: IceParams,
        thickness_m: Real,
        distance_m: Real,
        rate_hz: Real,
        rng: impl Fn(&str) -> Rng,
    ) -> Self {
        Self {
            params,
            thickness_m,
            tone_hz: coincidence_hz(thickness_m, YOUNG_PA),
            water: Water::new(128, MOST_HITS, rate_hz),
            rng: rng("fractures"),
            places: Reserve::of(MOST_PLACES),
            presses: [None; MOST_PRESSES],
            feet: Vec::new(),
            begun: false,
            waiting: Reserve::of(MOST_WAITING),
            events: Reserve::of(MOST_WAITING),
            table: if distance_m > 0.0 { chirp(thickness_m, distance_m, rate_hz) } else { Vec::new() },
            chirp_s: window(thickness_m, distance_m).0,
            chirped_s: Real::NEG_INFINITY,
            chirps: [None; MOST_CHIRPS],
            residue: 0.0,
            keep: exp(-1.0 / (1e-3 * rate_hz)),
            now: 0,
            rate_hz,
            book: Book::default(),
            felt: Felt::new(rate_hz, rng("felt")),
        }
    }

    /// With so many who walk on it. `[control]`
    pub fn walked_on_by(mut self, walkers: usize) -> Self {
        self.feet = vec![Foot::default(); 2 * walkers.min(MOST_WALKERS)];
        self
    }

    /// Load at which a place cracks next, N; `None` if it has never been pressed.
    pub fn threshold_n(&self, spot: [Real; 2]) -> Option<Real> {
        self.places.iter().find(|place| near(place.at_m, spot)).map(|place| place.threshold_n)
    }

    /// True where the ice has opened.
    pub fn is_open(&self, spot: [Real; 2]) -> bool {
        self.places.iter().any(|place| near(place.at_m, spot) && place.open)
    }

    /// The place of a load, new if it has never been pressed. [ice.1]
    fn place(&mut self, spot: [Real; 2], index: u64) -> usize {
        if let Some(own) = self.places.iter().position(|place| near(place.at_m, spot)) {
            return own;
        }
        let first = 0.02 * BEARING_PA * self.thickness_m * self.thickness_m * (0.85 + 0.3 * self.rng.unit());
        let new = Place { at_m: spot, threshold_n: first, taken_j: 0.0, left_j: 0.0, open: false, last: index };
        if self.places.len() < MOST_PLACES {
            self.places.push(new);
            return self.places.len() - 1;
        }
        // A hole stays a hole: only if there is nothing else, the oldest of them closes.
        let oldest = (0..self.places.len()).min_by_key(|i| (self.places[*i].open, self.places[*i].last)).unwrap_or(0);
        self.places[oldest] = new;
        oldest
    }

    /// A load presses a place during a cell. Returns how many fractures were left out.
    fn press(&mut self, cell: Cell, spot: [Real; 2], force_n: Real) -> u64 {
        if force_n <= 0.0 {
            return 0;
        }
        let (p, index) = (self.params, self.place(spot, cell.index));
        let anew = cell.index > self.places[index].last + ANEW;
        self.places[index].last = cell.index;
        if fault!(ICE_DONE, self.places[index].open, false) {
            return if anew { self.splash(cell.from_s()) } else { 0 };
        }
        self.places[index].threshold_n *= fault!(ICE_FORGETS, 1.0, 0.99);
        let range = [p.smallest_j, p.largest_j.max(p.smallest_j)];
        let (mut count, mut beyond) = (0, 0);
        while !fault!(ICE_DONE, self.places[index].open, false) && force_n > self.places[index].threshold_n {
            let at_s = cell.from_s() + GRID_S * self.rng.unit();
            let energy = energy_of(fault!(ICE_EXPONENT, p.exponent, times 1.2), range, self.rng.unit()); // [ice.2]
            self.places[index].threshold_n -= p.step_n * ln(1.0 - self.rng.unit());
            count += 1;
            if count > MOST_AT_ONCE {
                // A blow that would break more: about so many are left out, and what it has borne is borne.
                beyond += 1 + ((force_n - self.places[index].threshold_n) / p.step_n).clamp(0.0, 1e9) as u64;
                self.places[index].threshold_n = self.places[index].threshold_n.max(force_n);
                break;
            }
            let way_m = 2.0 * energy / force_n; // [ice.2]
            self.book.had_j += force_n * way_m;
            self.places[index].left_j += force_n * way_m - energy;
            beyond += self.fracture(at_s, energy, index, force_n);
            for _ in 0..poisson(&mut self.rng, p.aftershocks * (energy / 0.01).sqrt()) {
                let late = omori(self.rng.unit()); // [ice.3]
                let u = self.rng.unit();
                if 0.5 * energy > range[0] {
                    let small = energy_of(p.exponent, [range[0], 0.5 * energy], u);
                    if fault!(ICE_SPENDS, small <= self.places[index].left_j, true) {
                        self.places[index].left_j -= small;
                        beyond += self.fracture(at_s + late, small, index, force_n);
                    }
                }
            }
            if self.places[index].taken_j > p.break_j {
                self.places[index].open = true; // [ice.7]
                beyond += self.splash(at_s + 0.03);
            }
        }
        beyond
    }

    /// A leg goes into the water below. [ice.7]
    fn splash(&mut self, at_s: Real) -> u64 {
        let splash = SplashParams { gain: self.params.gain, ..SplashParams::default() };
        let Self { water, rng, .. } = self;
        let mut full = 0;
        Thrown::new(4.0, 0.3, 2.0).fall(at_s, &splash, rng, |birth| full += u64::from(!water.add(birth)));
        full
    }

    /// The feet that walk on it. [ice.8]
    fn walked(&mut self, cell: Cell) -> u64 {
        let (mut beyond, begun) = (0, core::mem::replace(&mut self.begun, true));
        for index in 0..self.feet.len() {
            let Foot { heel_n, toe_n, spot } = self.feet[index];
            let force_n = heel_n + toe_n;
            if !begun && force_n > 0.0 {
                let place = self.place(spot, cell.index);
                let borne = force_n - self.params.step_n * ln(1.0 - self.rng.unit());
                self.places[place].threshold_n = self.places[place].threshold_n.max(borne);
            }
            beyond += self.press(cell, spot, force_n);
        }
        beyond
    }

    /// One fracture under a load, N: what is heard and felt of it. [ice.4]
    fn fracture(&mut self, at_s: Real, energy: Real, place: usize, force_n: Real) -> u64 {
        if self.waiting.len() >= MOST_WAITING {
            return 1;
        }
        self.waiting.push(Event { at_s, size: energy, place });
        self.places[place].taken_j += energy;
        self.book.given_j += energy;
        let p = self.params;
        let a = (energy / p.largest_j.max(p.smallest_j)).sqrt();
        let decay_s = 0.012 * (0.3 + 1.5 * a);
        let high = (5200.0 * pow(energy / 0.01, -0.1) * exp(0.3 * self.rng.normal())).clamp(1500.0, 9000.0);
        let low = 900.0 * exp(0.5 * self.rng.normal());
        let band = |freq_hz: Real, bandwidth_hz: Real, gain: Real| Formant {
            freq_hz,
            bandwidth_hz,
            gain,
            decay_s,
            glide: 0.0,
        };
        let seed = self.rng.bits();
        let sharp = [band(high, 1.1 * high, 1.0), band(2.0 * high, 2.0 * high, 0.6)];
        let dull = [band(low, 900.0, 0.5), Formant::default()];
        let mut full = self.felt.fracture(at_s, energy, force_n);
        for (formants, seed) in [(sharp, seed), (dull, !seed)] {
            let hit = Hit { amplitude: a * p.gain, formants, seed };
            full += u64::from(!self.water.add(Birth { at_s, sound: Sound::Hit(hit) }));
        }
        for _ in 0..3 {
            let (pitch, last, loud) = (self.rng.between(-0.7, 1.9), self.rng.between(0.03, 0.15), self.rng.unit());
            let tone = Tone {
                amplitude: 0.12 * a * loud * p.plate * p.gain,
                freq_hz: self.tone_hz * exp(pitch),
                damping: 6.908 / last,
                rise_rate: 0.0,
                attack_s: 0.0,
            };
            full += u64::from(!self.water.add(Birth { at_s, sound: Sound::Tone(tone) }));
        }
        if !self.table.is_empty() && a > 0.2 {
            let began = (at_s * self.rate_hz).ceil() as u64;
            self.chirped_s = self.chirped_s.max(at_s);
            let oldest = |slot: &Option<(u64, Real)>| slot.map_or(0, |(began, _)| 1 + began);
            if let Some(slot) = self.chirps.iter_mut().min_by_key(|slot| oldest(slot)) {
                if let Some((began, amplitude)) = slot {
                    let at = self.now.checked_sub(*began).and_then(|at| self.table.get(at as usize));
                    self.residue += *amplitude * at.copied().unwrap_or(0.0);
                }
                *slot = Some((began, a * p.chirp * p.gain));
            }
        }
        full
    }
}

fn near(a: [Real; 2], b: [Real; 2]) -> bool {
    let (x, y) = (a[0] - b[0], a[1] - b[1]);
    x * x + y * y < fault!(ICE_PLACE, SAME_PLACE_M * SAME_PLACE_M, times 0.25)
}

/// Delay of an aftershock, s. [ice.3]
fn omori(u: Real) -> Real {
    let (from, to) = (pow(OMORI_S, -0.1), pow(OMORI_S + LAST_S, -0.1));
    pow(from + u * (to - from), -10.0) - OMORI_S
}

impl Tunable for Ice {
    fn specs(&self) -> &'static [Spec] {
        IceParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
    }
}

impl Process for Ice {
    fn enter(&mut self, cell: Cell) -> u64 {
        self.water.begin(cell);
        self.felt.begin(cell, self.rate_hz);
        let (from_s, end_s) = (cell.from_s(), (cell.index + 1) as Real * GRID_S);
        self.waiting.retain(|event| event.at_s >= from_s);
        self.now = (cell.index as Real * self.rate_hz / 1000.0) as u64;
        for slot in &mut self.chirps {
            slot.take_if(|(began, _)| *began + (self.table.len() as u64) < self.now);
        }
        if self.residue.abs() < 1e-12 {
            self.residue = 0.0;
        }
        let p = self.params;
        let mut beyond = self.press(cell, [p.x_m, p.y_m], p.weight_n * cell.from.max(cell.to));
        beyond += self.walked(cell);
        for index in 0..MOST_PRESSES {
            let Some(Press { at_s, force_n, spot, duration_s }) = self.presses[index] else { continue };
            let part = (end_s - at_s) / duration_s;
            beyond += self.press(cell, spot, force_n * sin(PI * part.clamp(0.0, 1.0)));
            if part >= 1.0 {
                self.presses[index] = None;
            }
        }
        self.waiting.sort_unstable_by(|a, b| a.at_s.total_cmp(&b.at_s));
        self.events.clear();
        self.events.extend(self.waiting.iter().take_while(|event| event.at_s < end_s));
        self.water.settle();
        self.felt.rings.settle();
        beyond
    }

    fn hear(&mut self, number: usize, cell: Cell) {
        let Some(foot) = self.feet.get_mut(number / 4) else { return };
        match number % 4 {
            0 => foot.heel_n = cell.to,
            1 => foot.toe_n = cell.to,
            2 => foot.spot[0] = cell.to,
            _ => foot.spot[1] = cell.to,
        }
    }

    fn events(&self) -> &[Event] {
        &self.events
    }

    fn trigger(&mut self, at_s: Real, values: &[Real]) -> Triggered {
        let &[force_n, x_m, y_m, duration_s, ..] = values else { return Triggered::Refused };
        let Some(slot) = self.presses.iter_mut().find(|slot| slot.is_none()) else { return Triggered::Refused };
        *slot = Some(Press { at_s, force_n, spot: [x_m, y_m], duration_s });
        Triggered::Later
    }

    fn spot(&self, place: usize) -> [Real; 2] {
        self.places.get(place).map_or([0.0; 2], |place| place.at_m)
    }

    fn feel(&mut self, wanted: bool) {
        self.felt.wanted = wanted;
    }

    fn render(&mut self, span: Span, forces: &mut [Lane], sound: &mut Lane) {
        self.water.render(span, sound);
        if let Some(force) = forces.first_mut() {
            self.felt.render(span, force);
        }
        for (began, amplitude) in self.chirps.iter().flatten() {
            for (i, out) in sound[..span.ticks].iter_mut().enumerate() {
                let Some(at) = (span.tick + i as u64).checked_sub(*began) else { continue };
                *out += amplitude * self.table.get(at as usize).copied().unwrap_or(0.0);
            }
        }
        if self.residue != 0.0 {
            for out in &mut sound[..span.ticks] {
                *out += self.residue;
                self.residue *= self.keep;
            }
        }
    }

    fn rests(&self, value: Real) -> bool {
        let (p, force_n) = (&self.params, self.params.weight_n * value);
        // A place that bears what stands on it goes on doing so; where it is new or open, something may happen.
        let bears = |place: &Place| !place.open && force_n <= place.threshold_n;
        let place = self.places.iter().find(|place| near(place.at_m, [p.x_m, p.y_m]));
        let borne = force_n <= 0.0 || place.is_some_and(bears);
        let alone = self.feet.is_empty() && self.presses.iter().all(Option::is_none);
        borne && alone && self.waiting.is_empty() && !self.is_awake()
    }

    fn is_awake(&self) -> bool {
        self.water.is_awake() || self.felt.is_awake() || self.residue != 0.0 || self.chirps.iter().any(Option::is_some)
    }

    fn heard_until_s(&self) -> Real {
        // What is felt is left out: whether somebody feels it must not be heard.
        self.water.heard_until_s().max(self.chirped_s + self.chirp_s)
    }

    fn reset(&mut self) {
        self.water.reset();
        self.felt.reset();
        self.waiting.clear();
        self.events.clear();
        (self.presses, self.chirps, self.residue) = ([None; MOST_PRESSES], [None; MOST_CHIRPS], 0.0);
        self.chirped_s = Real::NEG_INFINITY;
    }

    fn book(&self) -> Book {
        self.book
    }
}
