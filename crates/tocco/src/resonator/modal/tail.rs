// SPDX-License-Identifier: MIT OR Apache-2.0
//! The tail: what lies above the last mode of a list.
//!
//! **What.** A list of modes ends somewhere, a body does not. With a tail it goes on up to the end of hearing by at most 30 modes,
//! each standing for all those of a band: as many as the list leads one to expect, alike in shape and mass, losing as their
//! frequency says.
//!
//! **Law.** N modes are listed, the last at f_N; j is one of the upper half of them, drawn for each band:
//! - `[tail.1]  N(f) = N (f/f_N)^a`, a the slope of ln k over ln f_k in the upper half of the list, 1/2 (a bar) to 3 (a room)
//! - `[tail.2]  m = m_j/n`, `phi = phi_j` where it is touched: a force gives the one mode what it would give to the n of its band
//! - `[tail.3]  phi = phi_j/sqrt(n)` where it is heard: n modes without a common phase are sqrt(n) times as loud as one of them
//! - `[tail.4]  sigma = sigma_j (f/f_j)^s`, s the slope of the list's losses, 0 to 2; a shape takes its material's law and what the air
//!   takes instead
//! - `[tail.5]  D = D_s (D_j/D_s)^u`, u = ln(k_B/k)/ln(k_B/k)_j, 0 to 1: how a shape is heard, from what its list has of D over that of large supported
//!   plates, D_s, at the list's end to D_s itself from coincidence on, where its waves k_B are as long as those of the air; D as in `radiation`
//!
//! **Symbols.** n modes in a band, N(f) at its end less N(f) at its beginning; m kg, sigma 1/s, phi mode-shape values as in [`modal`](super). In [tail.5] j stands for the
//! mean of the upper half.
//!
//! **Step.** None of its own: they are modes of the bank, so they take their energy from whoever touches the body, are booked, damped,
//! retuned and shed like the others, and cost what 30 modes cost. Bands have equal ratios of frequencies, none has less than one
//! mode; where fewer than 30 are left, each band is one mode. The place of a mode within its band and its model j come from the scene's
//! seed and the body's name. Heard and touched values differ, so what taps hear are places of their own behind those that can be touched:
//! passivity asks only that force and motion of a contact have the same weights.
//!
//! **Limits.** Statistics, not modes: levels of octaves are right, single lines are not. A band of many modes sounds as one line that
//! beats with its neighbours, and the first echo from an edge is not in it. A list that is incomplete, as one from a recording may be, has
//! a tail as thin as itself.
//!
//! **Sources.** Weyl's law for the count; Lyon, DeJong, *Theory and application of statistical energy analysis* (1995), chapter 8,
//! for what a force gives to a band of modes. The rest is ours.

use super::{ModeRow, Tuning};
use crate::math::{Real, ln, pow};
use crate::rng::Rng;
use core::fmt;

/// Most modes of a tail.
pub const MOST: usize = 30;
/// Fewest modes that show how a list goes on.
pub const LEAST: usize = 8;
/// Hearing ends here, Hz.
pub const TOP_HZ: Real = 20_000.0;
/// So much of half the rate is used.
const ROOM: Real = 0.95;
/// Powers of frequency by which modes may grow in number, and losses in strength.
const COUNTS: (Real, Real) = (0.5, 3.0);
const LOSSES: (Real, Real) = (0.0, 2.0);

/// What a mode of a tail stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// The listed mode that it is like.
    pub like: usize,
    /// So many modes.
    pub modes: Real,
}

/// Why a list has no tail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoTail {
    /// Too few modes, so many.
    Few(usize),
    /// Nothing lies between the last mode and the end, both in Hz.
    Above([Real; 2]),
}

impl fmt::Display for NoTail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoTail::Few(modes) => write!(f, "{modes} modes show no trend; wants at least {LEAST}, or no tail"),
            NoTail::Above([last_hz, end_hz]) => write!(
                f,
                "no mode is left between the last one, {last_hz:.0} Hz, and the end of a tail, {end_hz:.0} Hz; leave it out or keep fewer modes"
            ),
        }
    }
}

/// Where a tail ends at this rate, Hz.
pub fn end_hz(rate_hz: Real) -> Real {
    TOP_HZ.min(ROOM * 0.5 * rate_hz)
}

/// How many modes lie below a frequency where a list has ended: [tail.1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Count {
    modes: Real,
    last_hz: Real,
    power: Real,
}

impl Count {
    /// Of frequencies in ascending order, Hz; `None` if they are too few. `[control]`
    pub fn of(freqs_hz: &[Real]) -> Option<Self> {
        let all = freqs_hz.len();
        let &last_hz = freqs_hz.last().filter(|_| all >= LEAST)?;
        let upper = (all / 2..all).map(|k| (ln(freqs_hz[k]), ln(k as Real + 0.5)));
        let fitted = slope(upper).unwrap_or(COUNTS.1).clamp(COUNTS.0, COUNTS.1);
        let power = fault!(TAIL_COUNT, fitted, fitted + 1.0);
        Some(Self { modes: all as Real, last_hz, power })
    }

    /// Modes below a frequency, Hz.
    pub fn below(&self, freq_hz: Real) -> Real {
        self.modes * pow(freq_hz / self.last_hz, self.power)
    }

    /// Frequency below which there are so many, Hz.
    fn at(&self, modes: Real) -> Real {
        self.last_hz * pow(modes / self.modes, 1.0 / self.power)
    }
}

/// Slope of the straight line through points; `None` if they lie above each other.
fn slope(points: impl Iterator<Item = (Real, Real)> + Clone) -> Option<Real> {
    let count = points.clone().count() as Real;
    let (x, y) = points.clone().fold((0.0, 0.0), |sum, point| (sum.0 + point.0 / count, sum.1 + point.1 / count));
    let (mut xx, mut xy) = (0.0, 0.0);
    for point in points {
        xx += (point.0 - x) * (point.0 - x);
        xy += (point.0 - x) * (point.1 - y);
    }
    (xx > 1e-12).then(|| xy / xx)
}

/// Modes that sound, lowest first.
fn ascending(tuning: &Tuning) -> Vec<usize> {
    let mut order = crate::order::ascending(tuning.modes.len(), &|i| tuning.modes[i].0);
    order.retain(|&i| i >= tuning.rigid && tuning.modes[i].0 > 0.0);
    order
}

/// How the count of a list goes on. `[control]`
pub fn count(tuning: &Tuning) -> Option<Count> {
    let freqs_hz: Vec<Real> = ascending(tuning).iter().map(|&i| tuning.modes[i].0).collect();
    Count::of(&freqs_hz)
}

/// Decay time of a mode like another one at a frequency, where only the list is known: [tail.4]. `[control]`
pub fn decays(tuning: &Tuning) -> impl Fn(&ModeRow, Real) -> Real + use<> {
    let order = ascending(tuning);
    let rows = order[order.len() / 2..].iter().map(|&i| tuning.modes[i]).filter(|mode| mode.1.is_finite());
    let upper: Vec<(Real, Real)> = rows.map(|(freq_hz, decay_s, _)| (ln(freq_hz), -ln(decay_s))).collect();
    let power = slope(upper.iter().copied()).unwrap_or(LOSSES.0).clamp(LOSSES.0, LOSSES.1);
    move |like: &ModeRow, freq_hz: Real| like.1 * pow(like.0 / freq_hz, power)
}

/// Goes on above a list of modes and its places up to a frequency, Hz; `decay_s` tells the decay of a mode like another one at a
/// frequency. `[control]`
pub fn extend(
    tuning: &mut Tuning,
    end_hz: Real,
    decay_s: impl Fn(&ModeRow, Real) -> Real,
    rng: &mut Rng,
) -> Result<(), NoTail> {
    let order = ascending(tuning);
    let Some(count) = count(tuning) else { return Err(NoTail::Few(order.len())) };
    let (mut begin, end) = (count.modes, count.below(end_hz));
    let bands = (end - begin).clamp(0.0, MOST as Real) as usize;
    if bands == 0 {
        return Err(NoTail::Above([count.last_hz, end_hz]));
    }
    let mut likes = order[order.len() - (order.len() / 2).min(MOST)..].to_vec();
    for i in (1..likes.len()).rev() {
        likes.swap(i, rng.between(0.0, i as Real + 1.0) as usize);
    }
    for (band, &like) in (0..bands).zip(likes.iter().cycle()) {
        let after = (bands - 1 - band) as Real;
        let begin_hz = count.at(begin);
        let even = count.below(begin_hz * pow(end_hz / begin_hz, 1.0 / (after + 1.0)));
        let next = if after == 0.0 { end } else { even.max(begin + 1.0).min(end - after) };
        let (modes, from) = (next - begin, tuning.modes[like]);
        let freq_hz = count.at(begin + modes * rng.between(0.1, 0.9));
        let mass_kg = fault!(TAIL_MASS, from.2 / modes, from.2); // [tail.2]
        tuning.modes.push((freq_hz, decay_s(&from, freq_hz), mass_kg));
        for port in &mut tuning.ports {
            let value = port[like];
            port.push(value);
        }
        tuning.tail.push(Band { like, modes });
        begin = next;
    }
    Ok(())
}

impl Tuning {
    /// Modes without those of its tail.
    fn listed(&self) -> usize {
        self.modes.len() - self.tail.len()
    }

    /// Adds a port that is only heard, by its values of the listed modes; `law` tells how they change with frequency, Hz: [tail.3].
    /// `[control]`
    pub fn hear(&mut self, mut values: Vec<Real>, law: impl Fn(Real) -> Real) {
        for (band, mode) in self.tail.iter().zip(&self.modes[self.listed()..]) {
            let onward = law(mode.0) / law(self.modes[band.like].0);
            let phases = fault!(TAIL_PHASE, band.modes.sqrt(), 1.0);
            values.push(if onward.is_finite() { values[band.like] * onward / phases } else { 0.0 });
        }
        self.ports.push(values);
        self.ears += 1;
    }

    /// Adds for every place a port at which it is heard. `[control]`
    pub fn hear_places(&mut self) {
        for port in 0..self.places().len() {
            self.hear(self.ports[port][..self.listed()].to_vec(), |_| 1.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So many modes whose frequencies follow a power of their number, all alike.
    fn list(modes: usize, power: Real) -> Tuning {
        let row = |k: usize| (100.0 * pow(k as Real + 0.5, 1.0 / power), 0.1, 0.2);
        Tuning { modes: (0..modes).map(row).collect(), ports: vec![vec![1.0; modes]], ..Tuning::default() }
    }

    #[test]
    fn a_list_that_grows_by_a_power_goes_on_with_it() {
        for power in [0.5, 1.0, 2.0, 3.0] {
            let count = count(&list(64, power)).unwrap();
            assert!((count.power - power).abs() < 1e-9, "{power}: {}", count.power);
            let four = count.below(100.0 * pow(256.0, 1.0 / power));
            assert!((four / 256.0 - 1.0).abs() < 0.01, "{power}: {four}");
            assert!((count.below(count.at(100.0)) - 100.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_tail_has_at_most_thirty_modes_for_all_that_are_missing_and_gives_each_band_its_share() {
        for (modes, power, end_hz) in
            [(64, 1.0, 20_000.0), (8, 0.5, 20_000.0), (60, 1.0, 7_000.0), (400, 3.0, 20_000.0)]
        {
            let mut tuning = list(modes, power);
            let count = count(&tuning).unwrap();
            extend(&mut tuning, end_hz, |like, _| like.1, &mut Rng::new(1, "tail")).unwrap();
            let (tail, missing) = (&tuning.modes[modes..], count.below(end_hz) - count.modes);
            assert!(tail.len() <= MOST && tail.len() == (missing as usize).min(MOST), "{}", tail.len());
            assert!(tail.windows(2).all(|pair| pair[0].0 < pair[1].0) && tail.iter().all(|mode| mode.0 < end_hz));
            assert!(tail[0].0 > tuning.modes[modes - 1].0 && tuning.tail.iter().all(|band| band.modes > 0.999));
            // The conductance of a dense spectrum is the sum of phi^2/m.
            let (had, has) = (modes as Real / 0.2, tuning.modes.iter().map(|mode| 1.0 / mode.2).sum::<Real>());
            assert!(((has - had) * 0.2 / missing - 1.0).abs() < 1e-9, "{has} {had}");
        }
    }

    #[test]
    fn losses_of_a_list_go_on_with_their_slope() {
        let mut tuning = list(40, 1.0);
        tuning.modes.iter_mut().for_each(|mode| mode.1 = pow(mode.0, -0.6));
        let decay_s = decays(&tuning);
        assert!((decay_s(&tuning.modes[30], 9_000.0) * pow(9_000.0, 0.6) - 1.0).abs() < 1e-9);
        tuning.modes.iter_mut().for_each(|mode| mode.1 = Real::INFINITY);
        assert_eq!(decays(&tuning)(&tuning.modes[30], 9_000.0), Real::INFINITY);
    }

    #[test]
    fn too_short_a_list_and_one_that_leaves_no_room_have_no_tail_and_say_why() {
        let mut rng = Rng::new(1, "tail");
        let few = extend(&mut list(7, 1.0), 20_000.0, |like, _| like.1, &mut rng).unwrap_err();
        assert_eq!(few.to_string(), "7 modes show no trend; wants at least 8, or no tail");
        let above = extend(&mut list(64, 1.0), 6_000.0, |like, _| like.1, &mut rng).unwrap_err();
        let what = "no mode is left between the last one, 6350 Hz, and the end of a tail, 6000 Hz; leave it out or keep fewer modes";
        assert_eq!(above.to_string(), what);
    }
}
