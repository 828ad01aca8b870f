// SPDX-License-Identifier: MIT OR Apache-2.0
//! Crumpling: something gives way in many small jumps whose energies follow a power law.
//!
//! **What.** Paper, a can, a bag of crisps, snow, fire. The number of events goes with how far something is crushed, not with
//! how fast; most are tiny, a few are large. Each hits a fragment: one of the process's own, or a port of a body.
//!
//! **Law.** c the crush rate [process.1], R the signal:
//! - `[crumple.1]  lambda = events c + H`: events by [process.2]; H is the cluster term [crumple.6].
//! - `[crumple.2]  p(E) ~ E^-alpha` on [E1, E2]: `E = (E1^q + U (E2^q - E1^q))^(1/q)`, q = 1 - alpha; at alpha = 1
//!   `E1 (E2/E1)^U`; times R^force_to_energy. Mean `(q/(q + 1)) (E2^(q+1) - E1^(q+1))/(E2^q - E1^q)`.
//! - `[crumple.3]  s = 1 - fragmentation U`: the size of the fragment, independent of the energy; the ready-made one whose
//!   size is nearest in ratio sounds.
//! - `[crumple.4]  f/s, t s, m s^3`: frequencies, decays and masses of a fragment's modes; contact time T_c s [process.4].
//! - `[crumple.5]  J = sqrt(2 E/sum_i (1/m_i))`: the impulse that gives a fragment at rest the energy E, if it is short; a
//!   longer one gives less, never more. On a port, 1/m is its inverse mass.
//! - `[crumple.6]  H <- H exp(-T/tau) + nu/tau` per event: real events cluster; each brings nu < 1 more (Hawkes), held within a
//!   cell.
//! - `[crumple.7]  sum E <= eta integral R dR/k` over the rises of R: a budget, the work that the signal, a force in N, does on
//!   a spring of stiffness k; an event takes what is left at most.
//! - `[crumple.8]  z <- p z + F h/m`, `p = exp((-sigma + i omega) h)`, `v = Re z - (sigma/omega) Im z`: the velocity of a mode.
//!
//! **Symbols.** alpha `alpha`; nu `cluster_01`, tau `cluster_s`; eta `budget_01`, k `stiffness_n_m`.
//!
//! **Step.** By the cell and by the sample as all processes. Its own fragments sound in Pa at 1 m, `gain` times the sum of
//! their velocities, and are outside the ledger; what it does to bodies is work.
//!
//! **Sources.** 002 sections 2.2.3, 3.2; Houle and Sethna (1996): alpha 1.3 to 1.6 for paper, energy independent of size; Kramer
//! and Lobkovsky (1996): 1.0 for mylar, events cluster.

use super::{Arrivals, Crush, Event, Events, Lane, Process, Pulse, Span};
use crate::math::{Real, TAU, cos, exp, ln, pow, sin};
use crate::param::{Params, Spec, Tunable};
use crate::rng::Rng;
use crate::signal::{Cell, GRID_S};

crate::params! {
    /// Parameters of crumpling.
    pub struct CrumpleParams {
        events: "1", 0.0 => 1e6, default 300.0, Linear, Control, glide 0.02, "Events per unit of rise of the signal, whatever its speed.";
        alpha: "1", 0.01 => 5.0, default 1.45, Linear, Control, glide 0.02, "Exponent of the power law of energies: paper 1.3 to 1.6, mylar 1, peeling 1.8.";
        energy_scale: "1", 0.0 => 1e12, default 1.0, Linear, Control, glide 0.02, "Factor on all energies.";
        fragmentation_01: "1", 0.0 => 0.95, default 0.5, Linear, Control, glide 0.02, "How much smaller than the whole a fragment may be.";
        load: "1", 0.0 => 1e6, default 1.0, Linear, Control, glide 0.02, "Crushing per rise of the signal.";
        unload: "1", 0.0 => 1e6, default 0.0, Linear, Control, glide 0.02, "Crushing per fall of the signal.";
        level: "1/s", 0.0 => 1e6, default 0.0, Linear, Control, glide 0.02, "Crushing per second while the signal is 1: a fire crackles by itself.";
        force_to_energy: "1", 0.0 => 4.0, default 0.0, Linear, Control, glide 0.02, "Energies go with the signal to this power.";
        cluster_01: "1", 0.0 => 0.95, default 0.0, Linear, Control, glide 0.02, "Events that an event brings along, on average.";
        cluster_s: "s", 1e-3 => 10.0, default 0.02, Log, Control, glide 0.02, "Time within which they come.";
        budget_01: "1", 0.0 => 1.0, default 0.0, Linear, Control, glide 0.0, "Part of the work of the signal, a force in N, that events may have; 0: no limit.";
        stiffness_n_m: "N/m", 1e-3 => 1e12, default 1e4, Log, Control, glide 0.02, "With a budget: stiffness of what is crushed, over which the signal does work.";
        freq_scale: "1", 0.05 => 20.0, default 1.0, Log, Control, glide 0.05, "Factor on the frequencies of its own fragments.";
        contact_time_s: "s", 0.0 => 0.1, default 2e-4, Linear, Control, glide 0.02, "About how long an event pushes a fragment of full size.";
        gain: "Pa s/m", 0.0 => 1e12, default 100.0, Log, Control, glide 0.02, "Level of its own sound: Pa at 1 m for 1 m/s of its fragments.";
    }
}

/// One mode of a fragment of full size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FragmentMode {
    /// Hz
    pub freq_hz: Real,
    /// Time to 1/e, s.
    pub decay_s: Real,
    /// kg
    pub mass_kg: Real,
}

/// A mode that is hit and rings. [crumple.8]
#[derive(Clone, Copy, Debug, Default)]
struct Ringing {
    p: [Real; 2],
    z: [Real; 2],
    /// h/m, 0 past Nyquist.
    push: Real,
    /// sigma/omega
    lag: Real,
}

impl Ringing {
    fn tune(&mut self, mode: FragmentMode, size: Real, freq_scale: Real, rate_hz: Real) {
        let omega0 = TAU * mode.freq_hz * freq_scale / size;
        let sigma = 1.0 / (mode.decay_s * size);
        let omega = (omega0 * omega0 - sigma * sigma).max(1e-6 * omega0 * omega0).sqrt();
        let keep = exp(-sigma / rate_hz);
        self.p = [keep * cos(omega / rate_hz), keep * sin(omega / rate_hz)];
        self.lag = sigma / omega;
        let heard = omega0 < 0.5 * TAU * rate_hz;
        self.push = if heard { 1.0 / (rate_hz * mode.mass_kg * size * size * size) } else { 0.0 };
    }

    #[inline]
    fn step(&mut self, force: Real) -> Real {
        let [a, b] = self.z;
        self.z = [self.p[0] * a - self.p[1] * b + force * self.push, self.p[1] * a + self.p[0] * b];
        self.z[0] - self.lag * self.z[1]
    }
}

/// A fragment, ready to be hit.
#[derive(Clone, Debug)]
struct Fragment {
    size: Real,
    modes: Vec<Ringing>,
    pulse: Pulse,
    awake: bool,
}

/// What gives way.
pub struct Crumple {
    params: CrumpleParams,
    energy_j: [Real; 2],
    modes: Vec<FragmentMode>,
    fragments: Vec<Fragment>,
    /// Inverse masses of the ports that are hit, 1/kg, and their forces.
    ports: Vec<(Real, Pulse)>,
    rate_hz: Real,
    arrivals: Arrivals,
    sizes: Rng,
    events: Events,
    cluster: Real,
    /// Energy that may still be given, J.
    purse: Real,
    given: Real,
}

/// What crumpling is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct CrumpleMake {
    /// E1 and E2, J.
    pub energy_j: [Real; 2],
    /// Modes of a fragment of full size.
    pub modes: Vec<FragmentMode>,
    /// Fragments of its own.
    pub fragments: usize,
    /// Inverse masses of the ports that are hit instead, 1/kg.
    pub ports: Vec<Real>,
}

impl Crumple {
    /// Crumpling with its random streams. `[control]`
    pub fn new(params: CrumpleParams, make: CrumpleMake, rate_hz: Real, rng: impl Fn(&str) -> Rng) -> Self {
        let own = if make.ports.is_empty() { make.fragments.max(1) } else { 0 };
        let smallest = 1.0 - params.fragmentation_01;
        let size = |i: usize| if own > 1 { pow(smallest, 1.0 - i as Real / (own - 1) as Real) } else { 1.0 };
        let count = make.modes.len();
        let fragment = |i: usize| Fragment {
            size: size(i),
            modes: vec![Ringing::default(); count],
            pulse: Pulse::new(0.0, rate_hz),
            awake: false,
        };
        let mut crumple = Self {
            params,
            energy_j: make.energy_j,
            modes: make.modes,
            fragments: (0..own).map(fragment).collect(),
            ports: make.ports.into_iter().map(|inverse| (inverse, Pulse::new(0.0, rate_hz))).collect(),
            rate_hz,
            arrivals: Arrivals::new(rng("times")),
            sizes: rng("sizes"),
            events: Events::default(),
            cluster: 0.0,
            purse: 0.0,
            given: 0.0,
        };
        crumple.tune();
        crumple
    }

    /// Energy that its events were given so far, J.
    pub fn given(&self) -> Real {
        self.given
    }

    fn tune(&mut self) {
        let (contact_s, freq_scale, rate_hz) = (self.params.contact_time_s, self.params.freq_scale, self.rate_hz);
        for fragment in &mut self.fragments {
            fragment.pulse.set(contact_s * fragment.size, rate_hz);
            for (ringing, mode) in fragment.modes.iter_mut().zip(&self.modes) {
                ringing.tune(*mode, fragment.size, freq_scale, rate_hz); // [crumple.4]
            }
        }
        for (_, pulse) in &mut self.ports {
            pulse.set(contact_s, rate_hz);
        }
    }

    /// The impulse that gives this energy at this place, N s. [crumple.5]
    fn impulse(&self, place: usize, energy: Real) -> Real {
        let inverse = match self.fragments.get(place) {
            Some(fragment) => {
                let cube = fragment.size * fragment.size * fragment.size;
                self.modes.iter().map(|mode| 1.0 / (mode.mass_kg * cube)).sum()
            }
            None => self.ports.get(place).map_or(0.0, |port| port.0),
        };
        if inverse > 0.0 { (2.0 * energy / inverse).sqrt() } else { 0.0 }
    }

    /// What has nothing left to say falls asleep.
    fn settle(&mut self) {
        let gain = self.params.gain;
        let quiet = |mode: &Ringing| gain * (mode.z[0].abs() + mode.z[1].abs()) < 1e-12;
        for fragment in self.fragments.iter_mut().filter(|fragment| fragment.awake) {
            fragment.pulse.settle();
            if !fragment.pulse.is_awake() && fragment.modes.iter().all(quiet) {
                fragment.modes.iter_mut().for_each(|mode| mode.z = [0.0; 2]);
                fragment.awake = false;
            }
        }
        self.ports.iter_mut().for_each(|(_, pulse)| pulse.settle());
    }

    fn hit_ports(&mut self, span: Span, forces: &mut [Lane]) {
        for ((_, pulse), lane) in self.ports.iter_mut().zip(forces.iter_mut()) {
            pulse.begin(&mut lane[..span.ticks]);
        }
        while let Some((event, at, fraction)) = self.events.due(span) {
            let impulse = self.impulse(event.place, event.size);
            if let (Some((_, pulse)), Some(lane)) = (self.ports.get_mut(event.place), forces.get_mut(event.place)) {
                pulse.add(&mut lane[..span.ticks], at, fraction, impulse);
            }
        }
        for ((_, pulse), lane) in self.ports.iter_mut().zip(forces) {
            lane[..span.ticks].iter_mut().for_each(|cell| *cell = pulse.force(*cell, span.rate_hz));
        }
    }
}

/// The fragment whose size is nearest in ratio; they stand in equal ratios, the smallest first.
fn nearest(fragments: &[Fragment], size: Real) -> usize {
    let last = fragments.len().saturating_sub(1);
    let smallest = fragments.first().map_or(1.0, |fragment| fragment.size);
    if smallest >= 1.0 {
        return last;
    }
    ((1.0 - ln(size) / ln(smallest)) * last as Real).round().clamp(0.0, last as Real) as usize
}

/// An energy between two, by a power law. [crumple.2]
pub fn power_law(alpha: Real, [low, high]: [Real; 2], unit: Real) -> Real {
    let q = 1.0 - alpha;
    if q.abs() < 1e-9 {
        return low * pow(high / low, unit);
    }
    // In units of the lower end, so that no power leaves what numbers can hold.
    low * pow(1.0 + unit * (pow(high / low, q) - 1.0), 1.0 / q)
}

/// Its mean. [crumple.2]
pub fn power_law_mean(alpha: Real, [low, high]: [Real; 2]) -> Real {
    let (q, ratio) = (1.0 - alpha, high / low);
    let moment = |p: Real| if p.abs() < 1e-9 { ln(ratio) } else { (pow(ratio, p) - 1.0) / p };
    low * moment(q + 1.0) / moment(q)
}

impl Tunable for Crumple {
    fn specs(&self) -> &'static [Spec] {
        CrumpleParams::SPECS
    }
    fn get(&self, index: usize) -> Real {
        self.params.value(index)
    }
    fn set(&mut self, index: usize, value: Real) {
        self.params.put(index, value);
        self.tune();
    }
}

impl Process for Crumple {
    fn enter(&mut self, cell: Cell) -> u64 {
        self.settle();
        let p = self.params;
        let crush = Crush { load: p.load, unload: p.unload, level: p.level }.rate(cell);
        self.cluster *= exp(-GRID_S / p.cluster_s);
        let rate = p.events * crush + self.cluster; // [crumple.1]
        let held = 0.5 * (cell.from + cell.to).max(0.0);
        if p.budget_01 > 0.0 && cell.to > cell.from {
            self.purse += p.budget_01 * held * (cell.to - cell.from) / p.stiffness_n_m; // [crumple.7]
        }
        let scale = p.energy_scale * if p.force_to_energy > 0.0 { pow(held, p.force_to_energy) } else { 1.0 };
        let Self { arrivals, sizes, events, fragments, ports, energy_j, purse, given, cluster, .. } = self;
        events.begin(cell);
        arrivals.draw(cell, rate, |at_s| {
            let mut energy = scale * power_law(p.alpha, *energy_j, sizes.unit());
            if p.budget_01 > 0.0 {
                energy = energy.min(*purse);
                *purse -= energy;
            }
            let unit = sizes.unit();
            let place = match ports.is_empty() {
                true => nearest(fragments, 1.0 - p.fragmentation_01 * unit), // [crumple.3]
                false => (unit * ports.len() as Real) as usize,
            };
            *given += energy;
            *cluster += p.cluster_01 / p.cluster_s; // [crumple.6]
            events.push(Event { at_s, size: energy, place })
        })
    }

    fn events(&self) -> &[Event] {
        self.events.all()
    }

    fn render(&mut self, span: Span, forces: &mut [Lane], sound: &mut Lane) {
        if !self.ports.is_empty() {
            return self.hit_ports(span, forces);
        }
        let mut impulses = [[0.0; crate::resonator::CONTROL_TICKS]; MOST_FRAGMENTS];
        for (fragment, lane) in self.fragments.iter_mut().zip(&mut impulses) {
            if fragment.awake {
                fragment.pulse.begin(&mut lane[..span.ticks]);
            }
        }
        while let Some((event, at, fraction)) = self.events.due(span) {
            let impulse = self.impulse(event.place, event.size);
            if let (Some(fragment), Some(lane)) = (self.fragments.get_mut(event.place), impulses.get_mut(event.place)) {
                fragment.pulse.add(&mut lane[..span.ticks], at, fraction, impulse);
                fragment.awake = true;
            }
        }
        let gain = self.params.gain;
        for (fragment, lane) in self.fragments.iter_mut().zip(&impulses) {
            if !fragment.awake {
                continue;
            }
            for (impulse, out) in lane[..span.ticks].iter().zip(sound.iter_mut()) {
                let force = fragment.pulse.force(*impulse, span.rate_hz);
                *out += gain * fragment.modes.iter_mut().map(|mode| mode.step(force)).sum::<Real>();
            }
        }
    }

    fn is_awake(&self) -> bool {
        self.events.wait()
            || self.fragments.iter().any(|fragment| fragment.awake)
            || self.ports.iter().any(|(_, pulse)| pulse.is_awake())
    }

    fn reset(&mut self) {
        self.events.clear();
        (self.cluster, self.purse) = (0.0, 0.0);
        self.ports.iter_mut().for_each(|(_, pulse)| pulse.reset());
        for fragment in &mut self.fragments {
            fragment.pulse.reset();
            fragment.modes.iter_mut().for_each(|mode| mode.z = [0.0; 2]);
            fragment.awake = false;
        }
    }
}

/// Most fragments of its own.
pub const MOST_FRAGMENTS: usize = 32;
