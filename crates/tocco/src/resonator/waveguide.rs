// SPDX-License-Identifier: MIT OR Apache-2.0
//! Strings: a digital waveguide as a labelled black box.
//!
//! **What.** Velocity waves run from the bridge to the nut and back. Unfolded, the string is one loop: K delay cells w_j
//! with the bridge in the middle (a perfect mirror), and all that is lumped, stiffness, loss, the fraction of a sample,
//! at the far end. A port at fraction x of the length sees the loop at two cells, x/2 of the period before and behind
//! the bridge. Its cost does not grow with the number of partials, so it is the body of strings that have more than
//! [`AFFORDABLE`](super::partials::AFFORDABLE); of stiff strings the lumped end moves the nodes, and above the tenth partial
//! the losses fall behind their law.
//!
//! **Law.** e is a port's vector: Lagrange weights (four cells) minus before the bridge, plus behind it; F its force.
//! - `[string.1]  s = dt (e.w + sum over ports of e.e_k F_k/(4 Z))`: compliance `dt e.e_k/(4 Z)`, dt/(2 Z) at a whole cell
//! - `[string.2]  w += sum e_k F_k/(2 Z)`, then every cell moves on by one and the last passes the far end (chain.rs)
//! - `[string.3]  f_n = n f0 sqrt((1 + B n^2)/(1 + B))`: partial 1 is `freq_hz`
//! - `[string.4]  decay rate of partial n = b1 + b3 (f_n/f0)^2`, from Q = pi f/rate at partials 1 and 10
//! - `[string.5]  E = Z h (sum w^2 + stored)`. Proof of passivity: with [string.2] Z h (|w'|^2 - |w|^2) =
//!   Z h (2 e.w F/(2Z) + e.e F^2/(4Z^2)) = F h (e.w + e.e F/(4Z)) = F s for one port, and likewise with the sum for many:
//!   interpolation and its transpose cancel, whatever the weights and however close the ports. Moving on is a
//!   permutation; the far end never returns more than it got ([chain.1] to [chain.3]).
//! - `[string.6]  position = q.w`, `q_(j+1) - q_j = h e_j`, is a function of the state: it cannot drift. A load at rest
//!   has w along q, so the static flexibility is |q|^2/(2 Z h), q less its part along the rest vector of the loop
//!   (x (1-x)/(2 f0 Z) for a flexible string), and no free motion exceeds sqrt(2 E flexibility).
//! - `[string.7]  x' = x + u b/20`, at most half way to the nearer end: where a strike falls that varies by b (`jitter_01` of other bodies), u
//!   even between -1 and 1
//!
//! **Symbols.** Z `impedance_kg_s` kg/s; f0 `freq_hz` Hz; B `inharmonicity`; Q `q`, at partial 10 `q` x `q_tilt`.
//!
//! **Step.** One sample per turn of the line. In sub-steps the incoming waves are held and the outgoing take the mean
//! force: passive, since the mean of F^2 exceeds the square of the mean. The velocity of a port is its mean over the last
//! step. A hit is its impulse held for one sample, booked here as work. Retuning goes by the sample, over one control
//! interval, that of the pitch over four ([bend.1]): it turns the allpasses (which keep their energy), moves the far end of the line, and scales all waves
//! down if the energy would rise (H9); at its end it removes what would stay as a tilt for ever. Ports nearer the far end than its lumped delay sit at its edge; the far end is the nut, or the
//! bridge if the ports lie closer to the nut.
//!
//! **Sources.** Avanzini et al. 2002 section 4.2, Rath 2004; physics.md D.2, F, H7, H9. The loss has one end (H7), and no loss at rest.

mod bend;
mod chain;
mod fit;

use super::{Motion, Reading, Resonator};
use crate::math::{Real, exp};
use crate::param::{Params, Spec, Tunable};
use crate::rng::Rng;
use bend::Moment;
use chain::Chain;
use core::any::Any;
pub(super) use fit::Wanted;
use fit::{BAND, Design};

/// Lowest fundamental, Hz: sets the memory of the line.
pub(super) const LOWEST_HZ: Real = 20.0;
/// Waves (m/s) below this are set to zero: far below hearing, far above denormals (1e-308).
const FLUSH: Real = 1e-150;
const TAPS: usize = 4;
/// Time over which the step that a retune makes in a port's velocity is heard, s.
const EASE_S: Real = 0.005;

crate::params! {
    /// Parameters of a string.
    pub struct StringParams {
        freq_hz: "Hz", LOWEST_HZ => 5e3, default 147.0, Log, Control, glide 0.05, "Frequency of the first partial.";
        q: "1", 10.0 => 1e5, default 500.0, Log, Control, glide 0.02, "Quality factor of the first partial: pi times the number of periods to 1/e of the amplitude.";
        q_tilt: "1", 0.2 => 5.0, default 1.0, Log, Control, glide 0.02, "Quality factor of the tenth partial over that of the first: small is dull, large is bright.";
        impedance_kg_s: "kg/s", 1e-3 => 1e3, default 0.55, Log, Control, glide 0.02, "Wave impedance: tension over wave speed.";
        inharmonicity: "1", 0.0 => 1e-2, default 0.0, Linear, Control, glide 0.02, "Stiffness coefficient B: partial n is stretched by the root of 1 + B n^2.";
    }
}

/// Where a string is touched if the scene does not say.
pub const DEFAULT_PLACE: Real = 0.127;

/// How far beside its place a strike may fall, as a part of the length, or of a turn.
pub(super) const BESIDE: Real = 0.05;

/// Where a port of a string is aimed at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim {
    /// Fraction of the length from the bridge.
    pub place: Real,
    /// The last strike fell beside it.
    beside: bool,
}

impl Aim {
    pub(super) fn at(place: Real) -> Self {
        Self { place, beside: false }
    }

    /// Where the next strike falls, if that is elsewhere than the last one did: [string.7].
    pub(super) fn next(&mut self, beside_01: Real, rng: &mut Rng) -> Option<Real> {
        if beside_01 == 0.0 && !self.beside {
            return None;
        }
        self.beside = beside_01 > 0.0;
        let most = 0.5 * self.place.min(1.0 - self.place);
        let off = rng.between(-1.0, 1.0) * BESIDE * beside_01.min(1.0);
        Some(self.place + fault!(STRING_BESIDE, off, 0.0).clamp(-most, most))
    }
}

/// Highest pitch as a part of the sample rate; a string tuned higher plays that.
pub const HIGHEST: Real = BAND;

/// Four neighbouring cells with weights.
#[derive(Clone, Copy, Debug, Default)]
struct Taps {
    first: usize,
    weight: [Real; TAPS],
}

impl Taps {
    /// Lagrange weights at a fractional cell of a line of `cells`; fewer points in a shorter line.
    fn at(place: Real, cells: usize) -> Self {
        let points = TAPS.min(cells);
        let first = (place.floor() as usize).saturating_sub(1).min(cells - points);
        if points == TAPS {
            // The product below, multiplied out: there are two of them per port and sample while the string is retuned.
            let x = place - first as Real;
            let (a, b, c) = (x - 1.0, x - 2.0, x - 3.0);
            let (bc, xa) = (b * c, x * a);
            let weight = [-a * bc * (1.0 / 6.0), 0.5 * (x * bc), -0.5 * (xa * c), xa * b * (1.0 / 6.0)];
            return Self { first, weight };
        }
        let mut weight = [0.0; TAPS];
        for (i, w) in weight[..points].iter_mut().enumerate() {
            *w = 1.0;
            for j in (0..points).filter(|&j| j != i) {
                *w *= (place - (first + j) as Real) / (i as Real - j as Real);
            }
        }
        Self { first, weight }
    }

    fn dot(&self, other: &Self) -> Real {
        let (low, high) = if self.first < other.first { (self, other) } else { (other, self) };
        let apart = high.first - low.first;
        let mut sum = 0.0;
        for i in apart..TAPS {
            sum += low.weight[i] * high.weight[i - apart];
        }
        sum
    }
}

#[derive(Clone, Debug, Default)]
struct Port {
    /// Fraction of the length from the bridge, as declared.
    place: Real,
    before: Taps,
    behind: Taps,
    /// Static displacement per newton for unit impedance, m kg/(N s).
    yields: Real,
    /// e.w of the coming sample, m/s.
    incoming: Real,
    position: Real,
    velocity: Real,
    /// What a retune took from the velocity and the position that are heard: given back over [`EASE_S`], m/s and m.
    eased: Real,
    lagging: Real,
    /// Pushed in this step, N.
    pushed: Real,
    /// Sum over the sub-steps of this sample, N.
    held: Real,
    /// Force of a hit, held for one sample, N.
    struck: Real,
}

/// A string.
#[derive(Clone)]
pub struct Waveguide {
    params: StringParams,
    sample_s: Real,
    design: Design,
    chain: Chain,
    line: Vec<Real>,
    mask: usize,
    head: usize,
    /// Cells in use, and the weight of the last of them: 1, or less while the far end is between two.
    cells: usize,
    part: Real,
    /// What every cell is multiplied by, 1 but while the string is retuned, and the sum of the squares of all cells but the last.
    gain: Real,
    squared: Real,
    /// The string as it is now, as it was when it began to be retuned and as the parameters say; the samples left until it is there, of
    /// so many.
    now: Moment,
    was: Moment,
    goal: Moment,
    left: u32,
    span: u32,
    /// Samples until a string that has been retuned is put in order, unless it is retuned again; how often it has been.
    untidy: u32,
    again: u32,
    /// Where the bridge is, in cells: in the middle, or on its way there.
    middle: Real,
    /// Every port where it is touched, then every port where it was declared, for those that are touched elsewhere.
    ports: Vec<Port>,
    /// How many of them are looked at: half, until one is touched elsewhere.
    live: usize,
    /// Where each port is aimed at.
    aims: Vec<Aim>,
    /// For how many cells, where the bridge was and for which period they were placed last.
    placed: Option<(usize, Real, Real)>,
    /// e_i.e_k, ports x ports; not looked for while nothing pushes, and late then.
    gram: Vec<Real>,
    late: bool,
    /// The far end is the bridge: places count from the nut.
    mirrored: bool,
    steps: u32,
    step: u32,
    /// Length of a step, s, and 1/(4 Z), s/kg.
    dt: Real,
    over_4z: Real,
    struck: bool,
    /// Share of `eased` that is left after a step.
    ease: Real,
    work: Real,
    free: bool,
    quiet: bool,
    /// Energy at the release, J.
    energy_at_release_j: Real,
}

impl Waveguide {
    /// A string at rest with ports at fractions of its length, each in (0, 1). `[control]`
    pub fn new(params: StringParams, places: &[Real], sample_s: Real) -> Self {
        let design = Design::new(wanted(&params, sample_s));
        let memory = ((1.0 / (LOWEST_HZ * sample_s)) as usize + 2 * TAPS).next_power_of_two();
        let nearest = places.iter().fold(1.0, |m: Real, &x| m.min(x));
        let farthest = places.iter().fold(0.0, |m: Real, &x| m.max(x));
        let mut string = Self {
            params,
            sample_s,
            design,
            chain: Chain::default(),
            line: vec![0.0; memory],
            mask: memory - 1,
            head: 0,
            cells: design.delay,
            part: 1.0,
            gain: 1.0,
            squared: 0.0,
            now: Moment::new(&params, design, sample_s),
            was: Moment::new(&params, design, sample_s),
            goal: Moment::new(&params, design, sample_s),
            left: 0,
            span: 1,
            untidy: 0,
            again: 0,
            middle: 0.5 * (design.delay as Real - 1.0),
            ports: [places, places].concat().into_iter().map(|place| Port { place, ..Port::default() }).collect(),
            live: places.len(),
            aims: places.iter().copied().map(Aim::at).collect(),
            placed: None,
            gram: vec![0.0; 4 * places.len() * places.len()],
            late: false,
            mirrored: 1.0 - nearest < farthest,
            steps: 1,
            step: 0,
            dt: sample_s,
            over_4z: 0.25 / params.impedance_kg_s,
            struck: false,
            ease: 0.0,
            work: 0.0,
            free: false,
            quiet: false,
            energy_at_release_j: 0.0,
        };
        string.divide(0);
        string.chain.adopt(&string.design);
        string.place_ports();
        string.find_positions();
        string
    }

    /// Worst error of a fitted partial against [string.3], cents.
    pub fn worst_cents(&self) -> Real {
        self.design.cents
    }

    /// Largest distance of a port from the near end, as a fraction of the length, that the present tuning can place;
    /// ports beyond it sit there. The near end is the bridge unless the ports lie closer to the nut.
    pub fn reach(&self) -> Real {
        (self.now.reach - 1.0) / self.now.period
    }

    /// Allpass pairs in use.
    pub fn pairs(&self) -> usize {
        self.design.count
    }

    #[inline]
    fn cell(&self, index: usize) -> usize {
        (self.head + index) & self.mask
    }

    #[inline]
    fn read(&self, taps: &Taps) -> Real {
        let (start, [a, b, c, d]) = (self.cell(taps.first), taps.weight);
        let sum = |w: &[Real; TAPS]| (a * w[0] + b * w[1]) + (c * w[2] + d * w[3]);
        self.gain
            * match self.line[start..].first_chunk() {
                Some(cells) => sum(cells),
                None => sum(&core::array::from_fn(|i| self.line[(start + i) & self.mask])),
            }
    }

    /// The transpose of reading.
    #[inline]
    fn add(&mut self, taps: &Taps, wave: Real) {
        let (start, mask) = (self.cell(taps.first), self.mask);
        let wave = wave / self.gain;
        if self.left > 0 {
            for (i, weight) in taps.weight.into_iter().enumerate().filter(|(i, _)| taps.first + i + 1 < self.cells) {
                let (cell, by) = (self.line[(start + i) & mask], weight * wave);
                self.squared += by * (cell + cell + by);
            }
        }
        if let Some(cells) = self.line[start..].first_chunk_mut::<TAPS>() {
            for (cell, weight) in cells.iter_mut().zip(taps.weight) {
                *cell += weight * wave;
            }
        } else {
            for (i, weight) in taps.weight.into_iter().enumerate() {
                self.line[(start + i) & mask] += weight * wave;
            }
        }
    }

    /// Puts the ports where the present tuning has them, unless they are there.
    fn place_ports(&mut self) {
        self.over_4z = 0.25 / self.now.impedance;
        // No port reaches into a cell that counts in part only: what it does there would not be its work.
        let whole = if self.part < 1.0 { self.cells - 1 } else { self.cells };
        let middle = self.middle.min((whole - 1) as Real);
        if self.placed == Some((whole, middle, self.now.period)) {
            return self.read_ports();
        }
        self.placed = Some((whole, middle, self.now.period));
        for port in &mut self.ports[..self.live] {
            let place = if self.mirrored { 1.0 - port.place } else { port.place };
            let away = (0.5 * place * self.now.period).min(middle).min((whole - 1) as Real - middle);
            port.before = Taps::at(middle - away, whole);
            port.behind = Taps::at(middle + away, whole);
        }
        for i in 0..self.live {
            let Port { before, behind, .. } = self.ports[i];
            self.ports[i].incoming = self.read(&behind) - self.read(&before);
        }
        self.late = true;
        if !self.free || self.struck {
            self.find_products();
        }
    }

    /// Products of the ports' vectors, unless they are those of where the ports are.
    fn find_products(&mut self) {
        if !core::mem::take(&mut self.late) {
            return;
        }
        for i in 0..self.live {
            for k in 0..=i {
                let (a, b) = (&self.ports[i], &self.ports[k]);
                let own = a.before.dot(&b.before) + a.behind.dot(&b.behind);
                let product = own - a.before.dot(&b.behind) - a.behind.dot(&b.before);
                self.gram[i * self.ports.len() + k] = product;
                self.gram[k * self.ports.len() + i] = product;
            }
        }
    }

    /// What comes in at every port in the coming sample, and what a newton does there.
    fn read_ports(&mut self) {
        self.over_4z = 0.25 / self.now.impedance;
        for i in 0..self.live {
            self.ports[i].incoming = self.read(&self.ports[i].behind) - self.read(&self.ports[i].before);
        }
    }

    /// Reads the positions of the ports from the waves, and how far the ports yield.
    fn find_positions(&mut self) {
        let (cells, rest) = (self.cells, self.now.design.rest_period());
        for i in 0..self.live {
            let Port { before, behind, .. } = self.ports[i];
            // q of [string.6] in units of h, and its part along the rest vector taken out.
            let (mut q, mut square, mut along, mut position) = (0.0, 0.0, 0.0, 0.0);
            for j in before.first..(behind.first + TAPS).min(cells) {
                let w = self.gain * self.line[(self.head + j) & self.mask];
                square += q * q;
                along += q;
                position += q * w;
                let weight =
                    |t: &Taps| if (t.first..t.first + TAPS).contains(&j) { t.weight[j - t.first] } else { 0.0 };
                q += weight(&behind) - weight(&before);
            }
            let port = &mut self.ports[i];
            port.yields = 0.5 * self.sample_s * (square - along * along / rest);
            port.position = self.sample_s * position;
        }
    }

    /// From now on a port is touched at another place.
    fn touch(&mut self, port: usize, place: Real) {
        let all = self.ports();
        if self.live == all {
            // From now on every port is heard where it was declared.
            self.live = 2 * all;
            let (touched, heard) = self.ports.split_at_mut(all);
            heard.iter_mut().zip(&*touched).for_each(|(heard, port)| {
                *heard = Port { pushed: 0.0, held: 0.0, struck: 0.0, ..port.clone() };
            });
        }
        (self.ports[port].place, self.placed) = (place, None);
        self.place_ports();
        self.find_positions();
    }

    /// A port where it is heard.
    fn heard(&self, port: usize) -> &Port {
        &self.ports[self.live - self.ports.len() / 2 + port]
    }

    /// Stroke of a port in this step under everything pushed, m: [string.1].
    #[inline]
    fn stroke(&self, port: usize) -> Real {
        let row = &self.gram[port * self.ports.len()..];
        let mut push = 0.0;
        for (p, product) in self.ports[..self.live].iter().zip(row) {
            push += product * (p.pushed + p.struck);
        }
        self.dt * (self.ports[port].incoming + self.over_4z * push)
    }

    #[inline]
    fn advance(&mut self) {
        let dt = self.dt;
        for i in 0..self.live {
            let stroke = self.stroke(i);
            let port = &mut self.ports[i];
            port.position += stroke;
            port.velocity = stroke / dt + port.eased;
            (port.eased, port.lagging) = (port.eased * self.ease, port.lagging * self.ease);
            if self.struck {
                self.work += port.struck * stroke;
            }
        }
        for port in &mut self.ports[..self.live] {
            port.held += port.pushed + port.struck;
            port.pushed = 0.0;
        }
        self.step += 1;
        if self.step < self.steps {
            return;
        }
        self.step = 0;
        let share = 0.5 / (self.now.impedance * Real::from(self.steps));
        for i in 0..self.live {
            let held = self.ports[i].held;
            if held != 0.0 {
                let (wave, before, behind) = (held * share, self.ports[i].before, self.ports[i].behind);
                self.add(&before, -wave); // [string.2]
                self.add(&behind, wave);
            }
            (self.ports[i].held, self.ports[i].struck) = (0.0, 0.0);
        }
        self.struck = false;
        let mut arriving = self.line[self.cell(self.cells - 1)];
        let before = self.line[self.cell(self.cells - 2)];
        if self.part < 1.0 {
            arriving = before + self.part * (arriving - before);
        }
        self.head = self.head.wrapping_sub(1) & self.mask;
        let entering = self.chain.pass(self.gain * arriving) / self.gain;
        self.line[self.head] = entering;
        if self.left > 0 {
            self.squared += (entering - before) * (entering + before);
        }
        for i in 0..self.live {
            let incoming = self.read(&self.ports[i].behind) - self.read(&self.ports[i].before);
            self.ports[i].incoming = incoming;
        }
        if self.moving() {
            self.bend();
        }
    }

    fn farthest(&self, port: usize, energy: Real) -> Real {
        (2.0 * energy * self.flexibility(port)).sqrt()
    }
}

/// Every partial is retuned at every value of these: they follow at every fourth control tick.
pub(super) fn pace(param: usize) -> u64 {
    match StringParams::SPECS[param].id {
        "freq_hz" => 4,
        "q" | "q_tilt" | "inharmonicity" => 8,
        _ => 1,
    }
}

/// Control intervals in which a value is followed: pitch never rests between two of them.
pub(super) fn intervals(param: usize) -> u32 {
    if StringParams::SPECS[param].id == "freq_hz" { 4 } else { 1 }
}

fn period(params: &StringParams, sample_s: Real) -> Real {
    (1.0 / (params.freq_hz * sample_s)).max(1.0 / BAND)
}

pub(super) fn wanted(params: &StringParams, sample_s: Real) -> Wanted {
    Wanted {
        period: fault!(STRING_FLAT, period(params, sample_s), period(params, sample_s) / 0.97),
        inharmonicity: fault!(STRING_STIFFNESS, params.inharmonicity, times 0.5),
        q: fault!(STRING_Q, params.q, times 0.4),
        q_tilt: params.q_tilt,
    }
}

impl Tunable for Waveguide {
    fn specs(&self) -> &'static [Spec] {
        StringParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        if self.params.value(index) == value {
            return;
        }
        self.params.put(index, value);
        self.retune(intervals(index));
    }
}

impl Resonator for Waveguide {
    fn pace(&self, param: usize) -> u64 {
        pace(param)
    }

    fn ports(&self) -> usize {
        self.ports.len() / 2
    }

    fn attend(&mut self) {
        (self.free, self.quiet) = (false, false);
        self.find_products();
    }

    fn release(&mut self) {
        self.divide(0);
        self.energy_at_release_j = self.energy();
        self.free = true;
    }

    fn divide(&mut self, level: usize) {
        (self.steps, self.step) = (1 << level, 0);
        self.dt = self.sample_s / Real::from(self.steps);
        self.ease = exp(-self.dt / EASE_S);
    }

    fn free_stroke(&mut self, port: usize) -> Real {
        self.stroke(port)
    }

    fn compliance(&self, to: usize, from: usize) -> Real {
        self.dt * self.over_4z * self.gram[to * self.ports.len() + from]
    }

    fn push(&mut self, port: usize, force_n: Real) {
        self.ports[port].pushed += force_n;
    }

    fn unpush(&mut self) {
        self.ports.iter_mut().for_each(|port| port.pushed = 0.0);
    }

    fn commit(&mut self) {
        self.advance();
    }

    fn ring(&mut self, ticks: usize, readings: &mut [Reading]) {
        if self.quiet {
            readings.iter_mut().for_each(|r| r.values[..ticks].fill(0.0));
            return;
        }
        for tick in 0..ticks {
            self.advance();
            for reading in readings.iter_mut() {
                let port = self.heard(reading.port);
                reading.values[tick] = match reading.motion {
                    Motion::Position => port.position + port.lagging,
                    Motion::Velocity => port.velocity,
                };
            }
        }
    }

    fn position(&self, port: usize) -> Real {
        self.heard(port).position + self.heard(port).lagging
    }

    fn velocity(&self, port: usize) -> Real {
        self.heard(port).velocity
    }

    fn touched(&self, port: usize, motion: Motion) -> Real {
        let port = &self.ports[port];
        if motion == Motion::Position { port.position + port.lagging } else { port.velocity }
    }

    fn energy(&self) -> Real {
        self.now.impedance * self.sample_s * self.squares() // [string.5]
    }

    fn work(&self) -> Real {
        self.work
    }

    /// The mass of the piece of string that a wave covers both ways in one sample.
    fn inverse_mass(&self, _port: usize) -> Real {
        0.5 / (self.now.impedance * self.sample_s)
    }

    fn flexibility(&self, port: usize) -> Real {
        self.ports[port].yields / self.now.impedance // [string.6]
    }

    fn range(&self, port: usize, _seconds: Real) -> (Real, Real) {
        let struck = self.ports.iter().any(|p| p.struck != 0.0);
        let energy = if self.free { self.energy_at_release_j } else { self.energy() };
        let far = if struck { Real::INFINITY } else { self.farthest(port, energy) };
        (-far, far)
    }

    fn hit(&mut self, port: usize, impulse_n_s: Real) -> bool {
        self.find_products();
        self.ports[port].struck += impulse_n_s / self.sample_s;
        (self.struck, self.quiet) = (true, false);
        true
    }

    /// The shape is one number: the fraction of the length from the bridge.
    fn touch_at(&mut self, port: usize, shape: &[Real]) -> bool {
        let [place] = *shape else { return false };
        if port >= self.ports() || !(place > 0.0 && place < 1.0) {
            return false;
        }
        self.aims[port] = Aim::at(place);
        self.touch(port, place);
        true
    }

    fn restrike(&mut self, port: usize, more_01: Real, rng: &mut Rng) {
        if let Some(place) = self.aims.get_mut(port).and_then(|aim| aim.next(more_01, rng)) {
            self.touch(port, place);
        }
    }

    fn settle(&mut self) -> bool {
        // What is not a number has gone round the whole string by the time its first cell comes by.
        if !(self.line[self.head] + self.chain.loudest()).is_finite() {
            return false;
        }
        let loud = self.struck || self.line[self.head].abs() >= FLUSH || self.chain.loudest() >= FLUSH;
        if !loud && !self.quiet && (0..self.cells).all(|j| self.line[self.cell(j)].abs() < FLUSH) {
            self.reset();
            self.quiet = self.free;
        }
        true
    }

    fn reset(&mut self) {
        self.line.fill(0.0);
        self.chain.clear();
        for port in &mut self.ports {
            (port.incoming, port.position, port.velocity, port.eased, port.lagging) = (0.0, 0.0, 0.0, 0.0, 0.0);
            (port.pushed, port.held, port.struck) = (0.0, 0.0, 0.0);
        }
        (self.step, self.struck, self.quiet) = (0, false, false);
        self.snap();
    }

    /// A string is what it is between its ports: with other ports it goes on as it is.
    fn inherit(&mut self, old: &dyn Resonator) -> bool {
        let Some(old) = (old as &dyn Any).downcast_ref::<Self>() else { return false };
        if old.mirrored != self.mirrored || old.line.len() != self.line.len() {
            return false;
        }
        let wanted = self.params;
        (self.params, self.design, self.chain) = (old.params, old.design, old.chain.clone());
        self.line.copy_from_slice(&old.line);
        (self.head, self.cells, self.part) = (old.head, old.cells, old.part);
        (self.gain, self.squared, self.span) = (old.gain, old.squared, old.span);
        (self.now, self.was, self.left, self.middle) = (old.now, old.was, old.left, old.middle);
        (self.goal, self.untidy, self.again) = (old.goal, old.untidy, old.again);
        self.placed = None;
        for index in 0..StringParams::SPECS.len() {
            self.set(index, wanted.value(index));
        }
        self.place_ports();
        self.find_positions();
        true
    }

    fn moving(&mut self) -> bool {
        self.left > 0 || self.untidy > 0 || self.middle != self.centre()
    }

    fn omitted(&self) -> usize {
        usize::from(self.params.freq_hz * self.sample_s > BAND)
    }
}
