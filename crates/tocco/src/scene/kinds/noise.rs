// SPDX-License-Identifier: MIT OR Apache-2.0
//! The signal of seeded noise.

use super::signal::*;
use super::*;
use crate::signal::noise::{HIGHEST_HZ, Noise, NoiseSpec};
use crate::signal::{SignalParams, Source as SignalSource};

/// Where frequencies of a signal may lie: 1000 values a second hold 500 Hz, and fractal noise a hundredth of that.
const FIRST_HZ: KeyType = KeyType::Number { unit: "Hz", min: 1e-3, max: 10.0 };
const LAST_HZ: KeyType = KeyType::Number { unit: "Hz", min: 0.01, max: HIGHEST_HZ };

/// Noise as a signal in scene files; the keys mean what they mean in a drive.
pub const SIGNAL_NOISE: Kind = Kind {
    family: "signal",
    id: "noise",
    doc: "A signal of seeded Gaussian noise, 1/f^beta between two frequencies: a hand that trembles, a wind.",
    params: SignalParams::SPECS,
    keys: &with_operators::<7, 18>([
        must("rms", KeyType::Number { unit: "1", min: 0.0, max: 1e18 }, "Standard deviation."),
        key("mean", ANY, "Mean, default 0; its value before and after."),
        key("from_s", TIME, "Begins, default 0."),
        key("to_s", TIME, "Ends; left out: never."),
        key(
            "beta",
            KeyType::Number { unit: "1", min: 0.0, max: 2.0 },
            "Exponent of the spectrum 1/f^beta: 0 white (default), 1 pink, 2 Brownian.",
        ),
        key("first_hz", FIRST_HZ, "Only with beta: below this frequency the spectrum is flat, default 2."),
        key(
            "last_hz",
            LAST_HZ,
            "Above this frequency it falls by 12 dB per octave; default 500: as far as a signal goes.",
        ),
    ]),
    rules: &[
        Rule::Beside(&["first_hz"], &["beta"], "belongs to fractal noise; leave it out or give beta"),
        ROLL,
        ROLLED,
        GATE,
        EVERY,
    ],
};

impl SignalKind for NoiseSpec {
    fn kind(&self) -> &'static Kind {
        &SIGNAL_NOISE
    }
    fn words(&self) -> String {
        format!("noise of {} around {}, 1/f^{}", short(self.rms), short(self.mean), short(self.beta))
    }
}

impl BuildSignal for NoiseSpec {
    fn check(&self, spot: &Spot) -> Check {
        let all = [("rms", self.rms), ("mean", self.mean), ("from_s", self.from_s), ("beta", self.beta)];
        let more = [("first_hz", self.first_hz), ("last_hz", self.last_hz)];
        all.into_iter().chain(more).try_for_each(|(id, value)| spot.number(&SIGNAL_NOISE, id, value))?;
        if self.to_s != Real::INFINITY {
            spot.number(&SIGNAL_NOISE, "to_s", self.to_s)?;
        }
        if self.to_s <= self.from_s {
            let (to, from) = (plain(self.to_s), plain(self.from_s));
            return spot.fail("to_s", format!("{to} s is not after from_s = {from} s"));
        }
        Ok(())
    }
    fn write(&self, out: &mut Toml) {
        out.number("rms", self.rms);
        out.unless_zero("mean", self.mean);
        out.unless_zero("from_s", self.from_s);
        out.unless("to_s", self.to_s, Real::INFINITY);
        if self.beta != 0.0 || self.first_hz != DEFAULT_FIRST_HZ {
            out.number("beta", self.beta);
            out.unless("first_hz", self.first_hz, DEFAULT_FIRST_HZ);
        }
        out.unless("last_hz", self.last_hz, HIGHEST_HZ);
    }
    fn build(&self, context: &mut SignalContext<'_>) -> Result<SignalSource, SceneError> {
        Ok(SignalSource::Noise(Box::new(Noise::new(*self, context.rng()))))
    }
    fn structure(&self) -> String {
        format!("{self:?}")
    }
}

#[cfg(feature = "text")]
impl Read for NoiseSpec {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self {
            rms: node.needed_number("rms", "noise")?,
            mean: node.number_or("mean", 0.0)?,
            from_s: node.number_or("from_s", 0.0)?,
            to_s: node.number_or("to_s", Real::INFINITY)?,
            beta: node.number_or("beta", 0.0)?,
            first_hz: node.number_or("first_hz", DEFAULT_FIRST_HZ)?,
            last_hz: node.number_or("last_hz", HIGHEST_HZ)?,
        })
    }
}
