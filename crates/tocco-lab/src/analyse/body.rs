// SPDX-License-Identifier: MIT OR Apache-2.0
//! The analysis as a scene that sounds like the recording.
//!
//! A recording does not say how heavy the object is, nor how a mode's weight is divided between the place that was struck
//! and the ear. All modes get one mass, and of each weight the ear and the strike take the square root, so that both
//! keep half the range in dB. A hit at a strike's port, heard at the port `ear`, then gives each mode the velocity
//! `phi_strike phi_ear J/m`, times the tap's gain its amplitude in the recording.
//!
//! After a hit all modes move in phase, but they do not reach a microphone so. Where several modes overlap, their phases
//! decide whether they add or cancel: a body that lost them would be up to 26 dB too loud. So what is heard is velocity at the
//! port `ear` and, a quarter of a period later, position at the port `ear-lag`: together any phase.

use super::{Analysis, Mode};
use crate::error::{Error, Result};
use std::fmt::Write as _;
use tocco::Gesture;
use tocco::math::{TAU, cos, exp, log10, pow, sin};
use tocco::scene::def::{BodyDef, EarDef, EventDef, Length, ModalDef, ModeDef, PortDef, Quantity, TapDef, TapTo};
use tocco::{Engine, Queue, Scene, SceneDef};

/// Port that is heard.
pub const EAR: &str = "ear";
/// Port whose position is heard.
pub const LAG: &str = "ear-lag";
/// Impulse of the strongest strike over the modal mass, m/s: a lively stroke.
const SPEED_M_S: f64 = 1.0;
/// Between two strikes in the scene at most, s.
const WAIT_S: f64 = 3.0;

/// Significant digits in the scene: modes that nearly cancel need them.
const DIGITS: i32 = 7;

/// To so many significant digits.
fn rounded(value: f64, digits: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let unit = pow(10.0, f64::from(digits) - 1.0 - log10(value.abs()).floor());
    (value * unit).round() / unit
}

/// Name of the port of a strike.
pub fn port(strike: usize) -> String {
    format!("strike{}", strike + 1)
}

impl Mode {
    /// Decay rate, 1/s, and damped frequency, rad/s.
    pub fn rates(&self) -> (f64, f64) {
        let (sigma, omega) = (1.0 / self.decay_s, TAU * self.freq_hz);
        // A pole of the fit is underdamped; the guard is for bodies made by hand.
        (sigma, (omega * omega - sigma * sigma).max(1e-6 * omega * omega).sqrt())
    }
}

impl Analysis {
    /// The scene: the body `name` with a port per strike, hits one after the other, and a tap at their level.
    pub fn scene(&self, name: &str, mass_kg: f64) -> SceneDef {
        let largest = |k: usize| self.modes[k].weights.iter().fold(0.0, |m: f64, w| m.max(w.abs()));
        let all = || 0..self.modes.len();
        let level = |j: usize| all().map(|k| self.modes[k].weights[j].powi(2)).sum::<f64>().sqrt().max(1e-30);
        let loudest = (0..self.strikes.len()).map(level).fold(0.0, f64::max);
        // Full range: the product of both shapes is 1 for the strongest mode of the strike that has it.
        let gain = all().map(largest).fold(0.0, f64::max).max(1e-30);
        let shape: Vec<f64> = all().map(|k| (largest(k) / gain).sqrt()).collect();
        let rates: Vec<(f64, f64)> = self.modes.iter().map(|m| m.rates()).collect();
        let fastest = rates.iter().map(|(_, omega)| *omega).fold(0.0, f64::max);
        // e^(-sigma t)(a (cos - sigma/omega sin) + b sin) is velocity and position after a hit; a and b make it cos with a turn,
        // one sample early, as the engine reads at the end of a step.
        let heard = |k: usize| {
            let ((sigma, omega), early_s) = (rates[k], 1.0 / self.rate_hz);
            let (turn, grown) = (self.modes[k].turn_rad - omega * early_s, exp(sigma * early_s) * shape[k]);
            let a = grown * cos(turn);
            (rounded(a, DIGITS), rounded((a * sigma / omega - grown * sin(turn)) * omega / fastest, DIGITS))
        };
        let (ear, lag): (Vec<f64>, Vec<f64>) = all().map(heard).unzip();
        let modes = self.modes.iter().map(|mode| ModeDef {
            freq_hz: rounded(mode.freq_hz, DIGITS + 2),
            decay_s: rounded(mode.decay_s, DIGITS),
            mass_kg,
        });
        let mut ports = Vec::new();
        let mut events = Vec::new();
        let mut at_s = 0.0;
        for (j, strike) in self.strikes.iter().enumerate() {
            let force = level(j) / loudest;
            let place = |k: usize| match shape[k] > 0.0 {
                true => rounded(self.modes[k].weights[j] / (gain * shape[k] * force), DIGITS),
                false => 0.0,
            };
            ports.push(PortDef { name: port(j), values: all().map(place).collect() });
            let impulse_n_s = rounded(force * SPEED_M_S * mass_kg, DIGITS);
            events.push(EventDef { at_s, gesture: Gesture::Hit { site: format!("{name}.{}", port(j)), impulse_n_s } });
            let length_s = (strike.span.end - strike.span.start) as f64 / self.rate_hz;
            at_s = rounded(at_s + length_s.min(WAIT_S) + 0.1, 4);
        }
        ports.push(PortDef { name: EAR.into(), values: ear });
        ports.push(PortDef { name: LAG.into(), values: lag });
        let tap = |port: &str, quantity: Quantity, gain: f64| TapDef {
            of: format!("{name}.{port}"),
            quantity,
            gain: rounded(gain / SPEED_M_S, DIGITS),
            whole: false,
            outputs: Vec::new(),
            to: TapTo::Channel(0),
            ear: EarDef::default(),
            travel: None,
        };
        SceneDef {
            title: format!("{name}, from a recording"),
            duration: Length::Auto,
            rate_hz: self.rate_hz,
            bodies: vec![BodyDef {
                name: name.into(),
                form: ModalDef { modes: modes.collect(), ports, ..ModalDef::new() }.into(),
            }],
            events,
            taps: vec![tap(EAR, Quantity::Velocity, gain), tap(LAG, Quantity::Position, gain * fastest)],
            ..SceneDef::default()
        }
    }

    /// The scene as text, with what was found and what was lost in the comment that opens it.
    pub fn toml(&self, name: &str, mass_kg: f64) -> String {
        let mut text =
            String::from("# A body from a recording, by 'tocco analyse'. Each hit below is one recorded strike.\n");
        for (j, strike) in self.strikes.iter().enumerate() {
            // Writing to a String cannot fail.
            let _ = writeln!(
                text,
                "# {}: {}, at {:.4} s, {:.2} s long; residual {:.1} dB",
                port(j),
                crate::console::one_line(&strike.file),
                strike.span.onset as f64 / self.rate_hz,
                (strike.span.end - strike.span.start) as f64 / self.rate_hz,
                strike.residual_db
            );
        }
        if self.filling > 0 {
            let _ = writeln!(
                text,
                "# {} of the modes fill in for what is not modal: they need not be the object's.",
                self.filling
            );
        }
        text.push_str(
            "# Kept: frequency, decay, amplitude and phase of every mode. Two taps make one sound: velocity at 'ear' and,\n\
             # a quarter of a period later, position at 'ear-lag'. Lost: what does not decay exponentially (the knock of the\n\
             # hammer, noise, a gliding pitch).\n\
             # The mass is a guess that changes nothing here; it matters once something touches the body.\n\n",
        );
        text.push_str(&self.scene(name, mass_kg).to_toml());
        text
    }

    /// What the body sounds like when it is hit as in one strike, at the recording's rate; begins with the hit.
    pub fn resynthesis(&self, strike: usize, samples: usize) -> Result<Vec<f64>> {
        let mut def = self.scene("body", 0.05);
        let hit = def.events.swap_remove(strike.min(def.events.len() - 1));
        def.events = vec![EventDef { at_s: 0.0, ..hit }];
        let scene = Scene::build(&def, self.rate_hz)
            .map_err(|e| Error::Machine(format!("the body does not build: {e}; please report this recording")))?;
        let mut out = vec![0.0; samples];
        Engine::new(scene).render(&[], &mut Queue::new(), &mut out);
        Ok(out.into_iter().map(f64::from).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Strike;
    use super::*;
    use crate::analyse::onset::Span;

    fn two_strikes() -> Analysis {
        let mode = |freq_hz: f64, decay_s: f64, weights: [f64; 2]| Mode {
            freq_hz,
            decay_s,
            weights: weights.to_vec(),
            turn_rad: 0.002 * freq_hz,
        };
        let span = Span { onset: 0, start: 0, end: 48_000 };
        let strike = |file: &str| Strike { file: file.into(), span, residual_db: -40.0, others: 0 };
        Analysis {
            rate_hz: 48_000.0,
            modes: vec![
                mode(440.0, 0.5, [0.3, 0.02]),
                mode(1250.0, 0.2, [-0.1, 0.05]),
                mode(3_000.0, 0.1, [0.0, 0.01]),
            ],
            strikes: vec![strike("a.wav"), strike("b\n.wav")],
            filling: 0,
        }
    }

    #[test]
    fn the_scene_reads_back_and_rings_at_the_recorded_amplitudes() {
        let analysis = two_strikes();
        let text = analysis.toml("pot", 0.05);
        let def = SceneDef::from_text(&text).unwrap();
        assert_eq!(SceneDef { lines: Default::default(), ..def }, analysis.scene("pot", 0.05));
        for strike in 0..2 {
            let sound = analysis.resynthesis(strike, 2000).unwrap();
            for n in [0, 37, 500, 1900] {
                let t = n as f64 / 48_000.0;
                let ring = |m: &Mode| {
                    let (sigma, omega) = m.rates();
                    m.weights[strike] * (-sigma * t).exp() * (omega * t + m.turn_rad).cos()
                };
                let right: f64 = analysis.modes.iter().map(ring).sum();
                assert!((sound[n] - right).abs() < 3e-5, "{strike} {n}: {} {right}", sound[n]);
            }
        }
    }
}
