// SPDX-License-Identifier: MIT OR Apache-2.0
//! What two rubbing things do, heard from their velocities: do they stick, slip once per period, rattle?
//!
//! A slip begins when the relative velocity passes half the speed of the drive and ends when it has fallen below 0.15 of
//! it (physics.md F). Pitch is the first high peak of the normalised square difference function (McLeod and Wyvill 2005)
//! of the body that vibrates; its height, 1 for a perfectly periodic motion, tells a note from a rattle.

use realfft::RealFftPlanner;
use tocco::units::db;

/// Slips per period of the motion that Helmholtz saw lie this near to 1.
const ONE: f64 = 0.05;
/// Vibration below this share of the drive's speed (-60 dB) is no sound.
const SILENT: f64 = 1e-3;
/// The same without a drive, m/s: a billionth is far below hearing for anything of hand size.
const SILENT_M_S: f64 = 1e-9;
/// A motion that repeats itself less well than this is no note.
const CLEAR: f64 = 0.8;
/// A level that falls by this factor (3 dB) from the first half of the window to the second is dying away ...
const FALLING: f64 = 0.7;
/// ... and where nothing slips or sticks anew, by this: a body that rings for 10 s loses 1 % in 0.1 s.
const RINGING: f64 = 0.99;
/// A drive slower than this share of the vibration moves nothing: what the mean of a ringing body leaves over.
const STILL: f64 = 0.02;
/// The first peak of this share of the highest is the period; lower ones belong to partials.
const FIRST_PEAK: f64 = 0.93;
/// Highest pitch looked for, Hz.
const HIGHEST_HZ: f64 = 5e3;

/// What a contact does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Regime {
    /// Nothing vibrates: no force, or steady sliding.
    Silence,
    /// The two move as one.
    Stick,
    /// One slip per period: Helmholtz motion on a string.
    OneSlip,
    /// More slips per period, regular.
    SeveralSlips,
    /// A steady note although the contact slides all the time: a gentle one, at the edge of sticking.
    Sliding,
    /// Irregular, or slower than the period.
    Raucous,
    /// Sounds, but is not kept sounding.
    Decaying,
}

impl Regime {
    /// All, in the order of the legend.
    pub const ALL: [Self; 7] =
        [Self::Silence, Self::Stick, Self::OneSlip, Self::SeveralSlips, Self::Sliding, Self::Raucous, Self::Decaying];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Silence => "silence",
            Self::Stick => "stick",
            Self::OneSlip => "one slip per period",
            Self::SeveralSlips => "several slips",
            Self::Sliding => "note without sticking",
            Self::Raucous => "raucous",
            Self::Decaying => "decaying",
        }
    }
}

/// A window of a contact's motion, one value per sample.
pub struct Heard<'a> {
    /// Velocity of the first partner, m/s.
    pub a: &'a [f64],
    /// Velocity of the second, m/s.
    pub b: &'a [f64],
    /// The second is the one that vibrates, else the first.
    pub listen_to_b: bool,
    /// Hz
    pub rate_hz: f64,
    /// Fundamental of the body that vibrates, Hz; `None`: the measured pitch.
    pub fundamental_hz: Option<f64>,
}

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finding {
    /// What the contact does.
    pub regime: Regime,
    /// Hz; `None`: no note.
    pub pitch_hz: Option<f64>,
    /// Slips in one period of the fundamental; `None`: neither fundamental nor pitch.
    pub slips_per_period: Option<f64>,
    /// Share of the time that the contact slips.
    pub slip_fraction: f64,
    /// Level of the vibration, dB over 1 m/s rms; `None`: silence.
    pub level_db: Option<f64>,
}

fn mean(x: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = x.len().max(1) as f64;
    x.sum::<f64>() / count
}

fn rms(x: &[f64]) -> f64 {
    mean(x.iter().map(|x| x * x)).sqrt()
}

/// Where slips begin, in samples; `v` runs in the direction of the drive.
fn slips(v: &[f64], speed: f64) -> Vec<usize> {
    let (mut armed, mut at) = (false, Vec::new());
    for (i, v) in v.iter().enumerate() {
        if *v < 0.15 * speed {
            armed = true;
        } else if armed && *v > 0.5 * speed {
            at.push(i);
            armed = false;
        }
    }
    at
}

/// Pitch in Hz and how well the motion repeats itself, 0 to 1.
fn pitch(u: &[f64], rate_hz: f64) -> Option<(f64, f64)> {
    let size = (2 * u.len()).next_power_of_two();
    let mut planner = RealFftPlanner::<f64>::new();
    let (there, back) = (planner.plan_fft_forward(size), planner.plan_fft_inverse(size));
    let (mut time, mut bins) = (there.make_input_vec(), there.make_output_vec());
    time[..u.len()].copy_from_slice(u);
    there.process(&mut time, &mut bins).ok()?;
    for bin in &mut bins {
        *bin = (bin.norm_sqr() / size as f64).into();
    }
    back.process(&mut bins, &mut time).ok()?;
    // Power of what overlaps itself at each lag.
    let mut power = 2.0 * u.iter().map(|x| x * x).sum::<f64>();
    let mut likeness = Vec::with_capacity(u.len() / 2);
    for lag in 0..u.len() / 2 {
        if lag > 0 {
            power -= u[lag - 1] * u[lag - 1] + u[u.len() - lag] * u[u.len() - lag];
        }
        likeness.push(if power > 0.0 { 2.0 * time[lag] / power } else { 0.0 });
    }
    let begin = likeness.iter().position(|x| *x < 0.0)?.max((rate_hz / HIGHEST_HZ) as usize).max(1);
    let is_peak = |&i: &usize| likeness[i] > likeness[i - 1] && likeness[i] >= likeness[i + 1];
    let peaks = || (begin..likeness.len().saturating_sub(1)).filter(is_peak);
    let highest = peaks().map(|i| likeness[i]).fold(0.0, f64::max);
    let at = peaks().find(|&i| likeness[i] > FIRST_PEAK * highest && highest > 0.0)?;
    let (left, middle, right) = (likeness[at - 1], likeness[at], likeness[at + 1]);
    let bend = left - 2.0 * middle + right;
    let shift = if bend < 0.0 { 0.5 * (left - right) / bend } else { 0.0 };
    Some((rate_hz / (at as f64 + shift), middle.min(1.0)))
}

/// Names the regime of a window.
pub fn regime(heard: &Heard<'_>) -> Finding {
    let (to_a, to_b) = (mean(heard.a.iter().copied()), mean(heard.b.iter().copied()));
    let drive = if to_a.abs() >= to_b.abs() { to_a } else { -to_b };
    let speed = drive.abs();
    let v: Vec<f64> = heard.a.iter().zip(heard.b).map(|(a, b)| (a - b) * drive.signum()).collect();
    let (body, offset) = if heard.listen_to_b { (heard.b, to_b) } else { (heard.a, to_a) };
    let u: Vec<f64> = body.iter().map(|x| x - offset).collect();
    let level = rms(&u);
    let driven = speed > STILL * level;
    let slipping = |v: &&f64| driven && **v > 0.5 * speed;
    let slip_fraction = v.iter().filter(slipping).count() as f64 / v.len().max(1) as f64;
    let mut finding = Finding {
        regime: Regime::Silence,
        pitch_hz: None,
        slips_per_period: None,
        slip_fraction,
        level_db: (level > 0.0).then(|| db(level)),
    };
    let together = speed > 0.0 && mean(v.iter().map(|v| v.abs())) < 0.15 * speed;
    if level <= SILENT_M_S.max(SILENT * speed) {
        finding.regime = if together { Regime::Stick } else { Regime::Silence };
        return finding;
    }
    let note = pitch(&u, heard.rate_hz).filter(|(_, clear)| *clear >= CLEAR);
    finding.pitch_hz = note.map(|(hz, _)| hz);
    let at = if driven { slips(&v, speed) } else { Vec::new() };
    finding.slips_per_period = heard.fundamental_hz.or(finding.pitch_hz).map(|hz| {
        let per_second = match (at.first(), at.last()) {
            (Some(first), Some(last)) if at.len() > 2 => (at.len() - 1) as f64 / (last - first) as f64 * heard.rate_hz,
            _ => at.len() as f64 / v.len() as f64 * heard.rate_hz,
        };
        per_second / hz
    });
    let (early, late) = u.split_at(u.len() / 2);
    let dies = rms(late) < rms(early) * if at.is_empty() { RINGING } else { FALLING };
    finding.regime = match finding.slips_per_period {
        _ if at.is_empty() && together => Regime::Stick,
        per if dies && per.is_none_or(|n| n < 1.0 - ONE) => Regime::Decaying,
        Some(n) if note.is_some() && (n - 1.0).abs() <= ONE => Regime::OneSlip,
        Some(n) if note.is_some() && n > 1.0 => Regime::SeveralSlips,
        _ if note.is_some() && at.is_empty() => Regime::Sliding,
        _ => Regime::Raucous,
    };
    finding
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    const RATE_HZ: f64 = 48_000.0;
    const BOW: f64 = 0.1;

    fn hear(string: impl Fn(f64) -> f64, bow: f64) -> Finding {
        let b: Vec<f64> = (0..14_400).map(|i| string(f64::from(i) / RATE_HZ)).collect();
        let a = vec![bow; b.len()];
        regime(&Heard { a: &a, b: &b, listen_to_b: true, rate_hz: RATE_HZ, fundamental_hz: Some(150.0) })
    }

    /// Sticks at the bow's speed, slips back for a share of each period.
    fn helmholtz(t: f64, hz: f64, share: f64, bow: f64) -> f64 {
        if (t * hz).fract() < share { -bow * (1.0 - share) / share } else { bow }
    }

    #[test]
    fn the_ideal_motion_slips_once_per_period_in_either_direction() {
        for bow in [BOW, -BOW] {
            let found = hear(|t| helmholtz(t, 150.0, 0.125, bow), bow);
            assert_eq!(found.regime, Regime::OneSlip, "{found:?}");
            assert!((found.slip_fraction - 0.125).abs() < 0.003, "{found:?}");
            assert!((found.pitch_hz.unwrap() / 150.0 - 1.0).abs() < 1e-3, "{found:?}");
        }
    }

    #[test]
    fn twice_the_slips_noise_decay_stick_and_sliding_have_their_names() {
        assert_eq!(hear(|t| helmholtz(t, 300.0, 0.2, BOW), BOW).regime, Regime::SeveralSlips);
        let mut rng = tocco::rng::Rng::new(1, "noise");
        let noise: Vec<f64> = (0..14_400).map(|_| 0.2 * rng.normal()).collect();
        assert_eq!(hear(|t| noise[(t * RATE_HZ).round() as usize], BOW).regime, Regime::Raucous);
        let dying = |t: f64| 0.05 * (-20.0 * t).exp() * (TAU * 150.0 * t).sin();
        assert_eq!(hear(dying, 0.0).regime, Regime::Decaying);
        assert_eq!(hear(|t| 0.03 * (TAU * 150.0 * t).sin(), BOW).regime, Regime::Sliding);
        let ringing = |t: f64| 0.01 * (-t).exp() * (TAU * 150.0 * t).sin();
        assert_eq!(hear(ringing, BOW).regime, Regime::Decaying, "under a bow that only slides");
        assert_eq!(hear(|_| BOW, BOW).regime, Regime::Stick);
        assert_eq!(hear(|_| 0.0, BOW).regime, Regime::Silence);
        assert_eq!(hear(|_| 0.0, 0.0), Finding { slip_fraction: 0.0, ..hear(|_| 0.0, BOW) });
    }
}
