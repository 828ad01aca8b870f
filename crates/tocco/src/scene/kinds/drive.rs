// SPDX-License-Identifier: MIT OR Apache-2.0
//! Drives: a parameter or an external force over time.

use super::signal::increasing;
#[cfg(feature = "text")]
use super::signal::read_points;
use super::*;
use std::sync::Arc;

/// The keys of a drive in scene files.
pub const DRIVE: Kind = Kind {
    family: "drive",
    id: "",
    doc: "A parameter or an external force over time, from one of points, noise, wav, input and a signal.",
    params: &[],
    keys: &[
        must(
            "path",
            KeyType::Named(Thing::Path),
            "What it moves: body/param, contact/param, body.port/force_n or a control's name.",
        ),
        key(
            "points",
            KeyType::List { of: &KeyType::Row(&POINT), min: 1, max: MAX_LIST },
            "Breakpoints [time in s, value], times increasing, linear between, held outside.",
        ),
        key("noise", KeyType::Table(&NOISE), "Seeded Gaussian noise, white or fractal."),
        key("wav", KeyType::Named(Thing::File), "A recording: file name, relative to the scene."),
        key(
            "input",
            KeyType::Integer { min: 0, max: MAX_CHANNELS as i64 - 1 },
            "Sound that comes in while it is rendered: channel of the input.",
        ),
        key("from", KeyType::Named(Thing::Signal), "A signal of the scene, in the unit of the path."),
        key("gain", GAIN, "Only with wav and input: value of a full-scale sample, in the unit of the path, default 1."),
        key("at_s", TIME, "Only with wav: when the recording starts, default 0."),
        key(
            "times_noise",
            KeyType::Table(&TIMES_NOISE),
            "Multiplies all that by seeded noise of mean 1 that never changes its sign; not with noise.",
        ),
    ],
    rules: &[
        Rule::OneOf(&["points", "noise", "wav", "input", "from"]),
        Rule::Beside(&["at_s"], &["wav"], "belongs to a drive with wav; leave it out"),
        Rule::Beside(&["gain"], &["wav", "input"], "belongs to a drive with wav or input; leave it out"),
        Rule::Beside(
            &["times_noise"],
            &["points", "wav", "input", "from"],
            "belongs to a drive with points, wav, input or from; leave it out",
        ),
    ],
};

/// Where a breakpoint's time and value may lie.
pub const POINT: [KeyType; 2] = [TIME, ANY];

/// First frequency of a fractal noise when the scene says nothing, Hz: a decade below hearing.
pub const DEFAULT_FIRST_HZ: f64 = 2.0;

/// The noise source of a drive.
pub const NOISE: Kind = Kind {
    family: "noise",
    id: "",
    doc: "Seeded Gaussian noise, white or fractal, written as `noise` in a drive.",
    params: &[],
    keys: &[
        must(
            "rms",
            KeyType::Number { unit: "unit of the path", min: 0.0, max: 1e18 },
            "Standard deviation, in the unit of the path.",
        ),
        key("mean", ANY, "Mean, in the unit of the path, default 0."),
        key("from_s", TIME, "Begins, default 0."),
        key("to_s", TIME, "Ends; left out: never."),
        key(
            "beta",
            KeyType::Number { unit: "1", min: 0.0, max: 2.0 },
            "Exponent of the spectrum 1/f^beta: 0 white (default), 1 pink, 2 Brownian.",
        ),
        key(
            "first_hz",
            KeyType::Number { unit: "Hz", min: 1e-3, max: 1e3 },
            "Only with beta: below this frequency the spectrum is flat, default 2; 1e-7 to 1e-2 of the rate.",
        ),
    ],
    rules: &[Rule::Beside(&["first_hz"], &["beta"], "belongs to fractal noise; leave it out or give beta")],
};

/// The noise by which a drive is multiplied.
pub const TIMES_NOISE: Kind = Kind {
    family: "times-noise",
    id: "",
    doc: "Seeded noise by which what a drive says is multiplied, written as `times_noise` in it: exp(sigma x - sigma^2/2), x Gaussian.",
    params: &[],
    keys: &[
        must(
            "sigma",
            KeyType::Number { unit: "1", min: 0.0, max: 2.0 },
            "Standard deviation of the logarithm: 0.4 is now two thirds, now half as much again.",
        ),
        key(
            "beta",
            KeyType::Number { unit: "1", min: 0.0, max: 2.0 },
            "Exponent of the spectrum 1/f^beta of x: 0 white (default), 1 pink, 2 Brownian.",
        ),
        key(
            "first_hz",
            KeyType::Number { unit: "Hz", min: 1e-3, max: 1e3 },
            "Only with beta: below this frequency the spectrum is flat, default 2; 1e-7 to 1e-2 of the rate.",
        ),
    ],
    rules: &[Rule::Beside(&["first_hz"], &["beta"], "belongs to fractal noise; leave it out or give beta")],
};

/// The noise by which a drive is multiplied: exp(sigma x - sigma^2/2), x Gaussian.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimesNoise {
    /// Standard deviation of the logarithm.
    pub sigma: Real,
    /// Exponent of the spectrum 1/f^beta of x, 0 (white) to 2 (Brownian).
    pub beta: Real,
    /// Frequency below which that is flat, Hz; of no account to white noise.
    pub first_hz: Real,
}

/// A parameter or an external force over time.
#[derive(Clone, Debug, PartialEq)]
pub struct DriveDef {
    /// "body/param", "contact/param", "body.port/force_n" or a control's name.
    pub path: String,
    /// Where the values come from.
    pub source: Source,
    /// Noise by which they are multiplied.
    pub times: Option<TimesNoise>,
}

impl DriveDef {
    /// A path moved by a source.
    pub fn new(path: impl Into<String>, source: Source) -> Self {
        Self { path: path.into(), source, times: None }
    }
}

/// Source of a drive.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Breakpoints `[t in s, value]`, linear between, held outside.
    Points(Vec<[Real; 2]>),
    /// Seeded Gaussian noise.
    Noise {
        /// Standard deviation, in the parameter's unit.
        rms: Real,
        /// Mean, in the parameter's unit.
        mean: Real,
        /// Begins, s.
        from_s: Real,
        /// Ends, s.
        to_s: Real,
        /// Exponent of the spectrum 1/f^beta, 0 (white) to 2 (Brownian).
        beta: Real,
        /// Frequency below which the spectrum is flat, Hz; of no account to white noise.
        first_hz: Real,
    },
    /// A recording named in the scene; a host replaces it by `Samples` before building.
    Wav {
        /// File as written.
        file: String,
        /// Value of a full-scale sample, in the parameter's unit.
        gain: Real,
        /// When it starts, s.
        at_s: Real,
    },
    /// Sound that comes in while it is rendered.
    Input {
        /// Channel of the input.
        channel: usize,
        /// Value of a full-scale sample, in the parameter's unit.
        gain: Real,
    },
    /// A signal of the scene, by its name.
    Signal(String),
    /// A recording in memory.
    Samples {
        /// Its rate, Hz.
        rate_hz: Real,
        /// Its samples, one channel.
        data: Arc<[f32]>,
        /// Value of a full-scale sample, in the parameter's unit.
        gain: Real,
        /// When it starts, s.
        at_s: Real,
    },
}

impl Section for DriveDef {
    const KIND: &'static Kind = &DRIVE;

    fn check(&self, spot: &Spot) -> Check {
        spot.named("path", &self.path)?;
        if let Some(TimesNoise { sigma, beta, first_hz }) = self.times {
            if matches!(self.source, Source::Noise { .. }) {
                return spot.fail("times_noise", "belongs to a drive with points, wav, input or from; leave it out");
            }
            let spot = spot.within("times_noise");
            for (id, value) in [("sigma", sigma), ("beta", beta), ("first_hz", first_hz)] {
                spot.number(&TIMES_NOISE, id, value)?;
            }
        }
        match &self.source {
            Source::Points(points) => {
                if points.is_empty() {
                    return spot.fail("points", "is empty; wants at least one [time in s, value]");
                }
                increasing(spot, "points", points, POINT, "s")?;
            }
            Source::Signal(name) => spot.named("from", name)?,
            Source::Noise { rms, mean, from_s, to_s, beta, first_hz } => {
                let spot = spot.within("noise");
                for (id, value) in
                    [("rms", rms), ("mean", mean), ("from_s", from_s), ("beta", beta), ("first_hz", first_hz)]
                {
                    spot.number(&NOISE, id, *value)?;
                }
                if *to_s != Real::INFINITY {
                    spot.number(&NOISE, "to_s", *to_s)?;
                }
                if to_s <= from_s {
                    return spot.fail("to_s", format!("{} s is not after from_s = {} s", plain(*to_s), plain(*from_s)));
                }
            }
            Source::Wav { file, gain, at_s } => {
                spot.named("wav", file)?;
                spot.number(&DRIVE, "gain", *gain)?;
                spot.number(&DRIVE, "at_s", *at_s)?;
            }
            Source::Input { channel, gain } => {
                spot.whole(&DRIVE, "input", i64::try_from(*channel).unwrap_or(-1))?;
                spot.number(&DRIVE, "gain", *gain)?;
            }
            Source::Samples { rate_hz, data, gain, at_s } => {
                spot.number(&DRIVE, "gain", *gain)?;
                spot.number(&DRIVE, "at_s", *at_s)?;
                if !(*rate_hz > 0.0 && rate_hz.is_finite()) {
                    return spot.fail("samples", format!("{rate_hz} Hz is no rate; wants more than 0 Hz"));
                }
                if let Some(wild) = data.iter().position(|x| !x.is_finite()) {
                    return spot.fail("samples", format!("sample {wild} is not a finite number"));
                }
            }
        }
        Ok(())
    }

    fn write(&self, out: &mut Toml) {
        let path = quoted(&self.path);
        match &self.source {
            Source::Points(points) => {
                out.line(format_args!("\n[[drive]]\npath = {path}\npoints = {points:?}"));
            }
            Source::Noise { rms, mean, from_s, to_s, beta, first_hz } => {
                let _ = write!(out.0, "\n[[drive]]\npath = {path}\nnoise = {{ rms = {rms:?}");
                let fractal = *beta != 0.0 || *first_hz != DEFAULT_FIRST_HZ;
                for (id, value, said) in [
                    ("mean", mean, *mean != 0.0),
                    ("from_s", from_s, *from_s != 0.0),
                    ("beta", beta, fractal),
                    ("first_hz", first_hz, *first_hz != DEFAULT_FIRST_HZ),
                ] {
                    if said {
                        let _ = write!(out.0, ", {id} = {value:?}");
                    }
                }
                if to_s.is_finite() {
                    let _ = write!(out.0, ", to_s = {to_s:?}");
                }
                out.line(format_args!(" }}"));
            }
            Source::Wav { file, gain, at_s } => {
                out.line(format_args!("\n[[drive]]\npath = {path}\nwav = {}\ngain = {gain:?}", quoted(file)));
                out.unless("at_s", *at_s, 0.0);
            }
            Source::Input { channel, gain } => {
                out.line(format_args!("\n[[drive]]\npath = {path}\ninput = {channel}\ngain = {gain:?}"));
            }
            Source::Signal(name) => {
                out.line(format_args!("\n[[drive]]\npath = {path}\nfrom = {}", quoted(name)));
            }
            Source::Samples { data, .. } => {
                out.line(format_args!("\n# left out: a drive of {path} by {} samples in memory", data.len()));
                return;
            }
        }
        if let Some(TimesNoise { sigma, beta, first_hz }) = self.times {
            let _ = write!(out.0, "times_noise = {{ sigma = {sigma:?}");
            if beta != 0.0 || first_hz != DEFAULT_FIRST_HZ {
                let _ = write!(out.0, ", beta = {beta:?}, first_hz = {first_hz:?}");
            }
            out.line(format_args!(" }}"));
        }
    }

    #[cfg(feature = "text")]
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        let source = match node.one_of(&["points", "noise", "wav", "input", "from"])? {
            "points" => Source::Points(read_points(node, "points", POINT, "[time in s, value]")?),
            "from" => Source::Signal(node.needed_text("from")?),
            "noise" => read_noise(node, lines)?,
            "input" => Source::Input { channel: node.count("input")?.unwrap_or(0), gain: node.number_or("gain", 1.0)? },
            _ => Source::Wav {
                file: node.needed_text("wav")?,
                gain: node.number_or("gain", 1.0)?,
                at_s: node.number_or("at_s", 0.0)?,
            },
        };
        let times = match node.value("times_noise") {
            None => None,
            Some(_) => {
                let node = node.within("times_noise", &TIMES_NOISE, "{ sigma, beta, first_hz }", lines)?;
                Some(TimesNoise {
                    sigma: node.needed_number("sigma", "times_noise")?,
                    beta: node.number_or("beta", 0.0)?,
                    first_hz: node.number_or("first_hz", DEFAULT_FIRST_HZ)?,
                })
            }
        };
        Ok(Self { path: node.needed_text("path")?, source, times })
    }
}

#[cfg(feature = "text")]
fn read_noise(drive: &Node<'_, '_>, lines: &mut Lines) -> Result<Source, SceneError> {
    let node = drive.within("noise", &NOISE, "{ rms, mean, from_s, to_s, beta, first_hz }", lines)?;
    Ok(Source::Noise {
        rms: node.needed_number("rms", "noise")?,
        mean: node.number_or("mean", 0.0)?,
        from_s: node.number_or("from_s", 0.0)?,
        to_s: node.number_or("to_s", Real::INFINITY)?,
        beta: node.number_or("beta", 0.0)?,
        first_hz: node.number_or("first_hz", DEFAULT_FIRST_HZ)?,
    })
}
