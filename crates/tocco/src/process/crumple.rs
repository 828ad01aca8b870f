// SPDX-License-Identifier: MIT OR Apache-2.0
//! Crumpling: something gives way in many small jumps whose energies follow a power law.
//!
//! **What.** Paper, a can, a bag of crisps, snow, fire. The number of events goes with how far something is crushed, not with
//! how fast; most are tiny, a few are large. Each hits a fragment: one of the process's own, or a port of a body.
//!
//! **Law.** c the crush rate [process.1], R the signal:
//! - `[crumple.1]  lambda = events c + H`: events by [process.2]; H is the cluster term [crumple.5].
//! - `[crumple.2]  p(E) ~ E^-alpha` on [E1, E2]: `E = (E1^q + U (E2^q - E1^q))^(1/q)`, q = 1 - alpha; at alpha = 1
//!   `E1 (E2/E1)^U`; times R^force_to_energy. Mean `(q/(q + 1)) (E2^(q+1) - E1^(q+1))/(E2^q - E1^q)`.
//! - `[crumple.3]  s = 1 - fragmentation U`: the size of the fragment, independent of the energy; the ready-made one whose
//!   size is nearest in ratio sounds.
//! - `[crumple.4]  J = sqrt(2 E/w)`: on a port of inverse mass w; its own fragments by [fragment.2]. A hit lasts T_c s
//!   [process.4].
//! - `[crumple.5]  H <- H exp(-T/tau)` a cell, then `+ nu (exp(T/tau) - 1)/T` per event: real events cluster; each brings nu < 1
//!   more (Hawkes), from the next cell on, held within a cell. The sum over all cells to come is nu exactly; for tau >> T the
//!   step is nu/tau.
//! - `[crumple.6]  sum E <= eta integral R dR/k` over the rises of R: a budget, the work that the signal, a force in N, does on
//!   a spring of stiffness k; an event takes what is left at most, and the work really done, on bodies or fragments, is held to it by [process.6].
//!
//! **Symbols.** alpha `alpha`; nu `cluster_01`, tau `cluster_s`; eta `budget_01`, k `stiffness_n_m`.
//!
//! **Step.** By the cell and by the sample as all processes. Its own fragments sound in Pa at 1 m, `gain` times the sum of
//! their velocities, and are outside the ledger; what it does to bodies is work.
//!
//! **Sources.** De Sena et al. 2009 sections 2.2.3, 3.2; Houle and Sethna (1996): alpha 1.3 to 1.6 for paper, energy independent of size; Kramer
//! and Lobkovsky (1996): 1.0 for mylar, events cluster.

use super::fragment::{FragmentMode, Fragments};
use super::pieces::Pieces;
use super::{Arrivals, Book, Crush, Event, Lane, Process, Span};
use crate::math::{Real, exp, expm1, ln, pow};
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
        first_decay_scale: "1", 0.01 => 100.0, default 1.0, Log, Control, glide 0.05, "Factor on the decay of the first mode of its own fragments.";
    }
}

/// What gives way.
#[derive(Clone)]
pub struct Crumple {
    params: CrumpleParams,
    energy_j: [Real; 2],
    pieces: Pieces,
    arrivals: Arrivals,
    sizes: Rng,
    cluster: Real,
    /// Energy that may still be given, J, and all that could be.
    purse: Real,
    earned: Real,
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
        let own = make.fragments.max(1);
        let sizes: Vec<Real> = (0..own).map(|i| size(params.fragmentation_01, own, i)).collect();
        let mut crumple = Self {
            params,
            energy_j: make.energy_j,
            pieces: Pieces::new(&sizes, &make.modes, &make.ports, rate_hz),
            arrivals: Arrivals::new(rng("times")),
            sizes: rng("sizes"),
            cluster: 0.0,
            purse: 0.0,
            earned: 0.0,
        };
        crumple.tune();
        crumple
    }

    fn tune(&mut self) {
        let CrumpleParams { contact_time_s, freq_scale, first_decay_scale, .. } = self.params;
        self.pieces.tune(contact_time_s, freq_scale, first_decay_scale);
    }
}

/// Size of one of so many fragments: in equal ratios, the smallest first. [crumple.3]
fn size(fragmentation: Real, count: usize, index: usize) -> Real {
    if count > 1 { pow(1.0 - fragmentation, 1.0 - index as Real / (count - 1) as Real) } else { 1.0 }
}

/// The fragment whose size is nearest in ratio; they stand in equal ratios, the smallest first.
fn nearest(fragments: &Fragments, size: Real) -> usize {
    let last = fragments.count().saturating_sub(1);
    let smallest = fragments.size(0);
    if smallest >= 1.0 {
        return last;
    }
    ((1.0 - ln(size) / ln(smallest)) * last as Real).round().clamp(0.0, last as Real) as usize
}

/// An energy between two, by a power law. [crumple.2]
pub fn power_law(alpha: Real, [low, high]: [Real; 2], unit: Real) -> Real {
    let q = 1.0 - fault!(CRUMPLE_EXPONENT, alpha, alpha + 0.2);
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
        let before = self.params.fragmentation_01;
        self.params.put(index, value);
        let (now, own) = (self.params.fragmentation_01, self.pieces.fragments().map_or(0, Fragments::count));
        if now != before {
            self.pieces.resize(|i| size(now, own, i));
        }
        self.tune();
    }
}

impl Process for Crumple {
    fn enter(&mut self, cell: Cell) -> u64 {
        let p = self.params;
        let crush = Crush { load: p.load, unload: p.unload, level: p.level }.rate(cell);
        if crush == 0.0 && self.cluster == 0.0 && !self.is_awake() {
            self.pieces.events.begin(cell);
            return 0;
        }
        self.pieces.begin(cell, p.gain);
        self.cluster *= exp(-GRID_S / p.cluster_s);
        let rate = p.events * crush + self.cluster; // [crumple.1]
        let held = 0.5 * (cell.from + cell.to).max(0.0);
        // Work of the signal until a time in the cell. [crumple.6]
        let low = cell.from.max(0.0);
        let work = |value: Real| 0.5 * (value.max(low) + low) * (value.max(low) - low) / p.stiffness_n_m;
        let all = if p.budget_01 > 0.0 { work(cell.to) } else { 0.0 };
        self.earned += p.budget_01 * all;
        self.pieces.book.had_j += all;
        let mut earned = 0.0;
        let scale = p.energy_scale * if p.force_to_energy > 0.0 { pow(held, p.force_to_energy) } else { 1.0 };
        let more = p.cluster_01 * expm1(GRID_S / p.cluster_s) / GRID_S; // [crumple.5]
        let Self { arrivals, sizes, pieces, energy_j, purse, cluster, .. } = self;
        let beyond = arrivals.draw(cell, rate, |at_s| {
            let mut energy = scale * power_law(p.alpha, *energy_j, sizes.unit());
            if p.budget_01 > 0.0 {
                // It fills as the signal rises: filled at once it would beat with the grid.
                let now = p.budget_01 * work(cell.at(at_s)).min(all);
                *purse += now - core::mem::replace(&mut earned, now);
                energy = energy.min(*purse);
                *purse -= fault!(CRUMPLE_BUDGET, energy, times 0.5);
            }
            let unit = sizes.unit();
            let place = match pieces.fragments() {
                Some(fragments) => nearest(fragments, 1.0 - p.fragmentation_01 * unit), // [crumple.3]
                None => (unit * pieces.count() as Real) as usize,
            };
            *cluster += more;
            let room = pieces.events.push(Event { at_s, size: energy, place });
            pieces.book.given_j += if room { energy } else { 0.0 };
            room
        });
        self.purse += p.budget_01 * all - earned;
        beyond
    }

    fn events(&self) -> &[Event] {
        self.pieces.events.all()
    }

    fn render(&mut self, span: Span, forces: &mut [Lane], sound: &mut Lane) {
        self.pieces.render(span, self.params.gain, self.may_give_j(), forces, sound); // [crumple.4]
    }

    fn rests(&self, value: Real) -> bool {
        self.cluster == 0.0 && self.params.level * value.max(0.0) == 0.0 && !self.is_awake()
    }

    fn is_awake(&self) -> bool {
        self.pieces.is_awake()
    }

    fn heard_until_s(&self) -> Real {
        self.pieces.heard_until_s()
    }

    fn reset(&mut self) {
        self.pieces.reset();
        (self.cluster, self.purse) = (0.0, 0.0);
    }

    fn book(&self) -> Book {
        self.pieces.book
    }

    fn may_give_j(&self) -> Real {
        if self.params.budget_01 > 0.0 { self.earned } else { Real::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resonator::CONTROL_TICKS;

    /// Runs crumpling through a force that rises to 10 N in half a second: the most that its fragments had at any time, over what it may have
    /// given until then.
    fn crushed(freq_hz: Real, events: Real, rate_hz: Real) -> Real {
        let params = CrumpleParams { events, budget_01: 1.0, contact_time_s: 0.0, ..CrumpleParams::default() };
        let modes = vec![FragmentMode { freq_hz, decay_s: 1e3, mass_kg: 0.01 }];
        let make = CrumpleMake { energy_j: [1e-5, 1.0], modes, fragments: 3, ports: Vec::new() };
        let mut crumple = Crumple::new(params, make, rate_hz, |of| Rng::new(4, of));
        let (mut tick, mut most) = (0, 0.0);
        let energy = |crumple: &Crumple| crumple.pieces.fragments().map_or(0.0, Fragments::energy);
        for index in 0..600 {
            let at = |k: u64| (0.02 * k as Real).min(10.0);
            crumple.enter(Cell { index, from: at(index), to: at(index + 1) });
            let end = ((index + 1) as Real * GRID_S * rate_hz).ceil() as u64;
            while tick < end {
                let ticks = (end - tick).min(CONTROL_TICKS as u64);
                let span = Span { tick, ticks: ticks as usize, rate_hz };
                crumple.render(span, &mut [], &mut [0.0; CONTROL_TICKS]);
                tick += ticks;
                most = Real::max(most, energy(&crumple) / crumple.may_give_j());
            }
        }
        most
    }

    #[test]
    fn its_own_fragments_never_have_more_than_the_work_of_the_signal_though_hits_add_up_as_motion_does() {
        for freq_hz in [60.0, 1000.0, 2000.0] {
            for events in [50.0, 2000.0] {
                let most = crushed(freq_hz, events, 48_000.0);
                assert!(most <= 1.0 + 1e-9, "{freq_hz} Hz, {events}: {most} of what there was");
                assert!(most > 0.9, "{freq_hz} Hz, {events}: {most}, the bound was never met");
            }
        }
    }

    #[test]
    fn a_budget_fills_as_the_signal_rises_and_does_not_beat_with_the_grid() {
        // A hungry process takes what there is at every event: what each has goes with the time since the one before, not with the grid.
        let params = CrumpleParams { events: 500.0, budget_01: 1.0, ..CrumpleParams::default() };
        let make = CrumpleMake { energy_j: [1.0, 2.0], modes: Vec::new(), fragments: 1, ports: Vec::new() };
        let mut crumple = Crumple::new(params, make, 48_000.0, |of| Rng::new(4, of));
        let (mut last, mut count) = (0.0_f64, 0);
        let (low, rate) = (5.0, 20.0);
        for index in 0..1000 {
            let at = |k: u64| low + rate * GRID_S * k as Real;
            crumple.enter(Cell { index, from: at(index), to: at(index + 1) });
            for event in crumple.events() {
                let [was, now] = [last, event.at_s].map(|at_s| low + rate * at_s);
                let work = 0.5 * (now * now - was * was) / params.stiffness_n_m;
                assert!((event.size - work).abs() < 1e-12, "{} J of {work} J", event.size);
                (last, count) = (event.at_s, count + 1);
            }
        }
        assert!(count > 5000, "{count}");
    }

    #[test]
    fn fragments_become_smaller_live_and_keep_their_energy() {
        let at = CrumpleParams::SPECS.iter().position(|spec| spec.id == "fragmentation_01").unwrap();
        let make = |fragmentation_01: Real| {
            let params = CrumpleParams { fragmentation_01, ..CrumpleParams::default() };
            let modes = vec![FragmentMode { freq_hz: 300.0, decay_s: 1e3, mass_kg: 0.01 }];
            let make = CrumpleMake { energy_j: [1e-5, 1e-3], modes, fragments: 5, ports: Vec::new() };
            Crumple::new(params, make, 48_000.0, |of| Rng::new(4, of))
        };
        let mut crumple = make(0.2);
        crumple.enter(Cell { index: 0, from: 0.0, to: 1.0 });
        crumple.render(Span { tick: 0, ticks: 32, rate_hz: 48_000.0 }, &mut [], &mut [0.0; CONTROL_TICKS]);
        let own = |crumple: &Crumple| crumple.pieces.fragments().unwrap().clone();
        let before = own(&crumple).energy();
        crumple.set(at, 0.7);
        let (set, made) = (own(&crumple), own(&make(0.7)));
        for i in 0..5 {
            assert!((set.size(i) / made.size(i) - 1.0).abs() < 1e-12, "{i}: {} not {}", set.size(i), made.size(i));
        }
        assert!(before > 0.0 && (set.energy() / before - 1.0).abs() < 1e-9, "{} J of {before} J", set.energy());
    }
}
