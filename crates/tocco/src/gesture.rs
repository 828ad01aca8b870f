// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a player does, by name: the one word that scene events, takes, MIDI, OSC, the terminal, pages and plug-ins share.
//!
//! A gesture is said in names and SI units, checked against a scene's [`Directory`] by [`Gesture::resolve`], and becomes
//! the engine's [`Command`]. It has one written form, a line of JSON (`{"strike": "hammer", "velocity_m_s": 1.5}`), and
//! one as an OSC message (`/tocco/strike hammer 1.5`). Both read back to the same gesture, but in OSC a scene goes by its name
//! only, which the receiver looks up, and quality is the receiver's own affair.
//!
//! ```
//! use tocco::{Gesture, Queue, Scene, SceneDef};
//! let text = "body.ball = { type = 'mass', mass_kg = 0.01 }\ntap = [{ of = 'ball' }]";
//! let scene = Scene::build(&SceneDef::from_text(text)?, 48_000.0)?;
//! let strike = Gesture::Strike { body: "ball".into(), velocity_m_s: 1.5 };
//! let mut queue = Queue::new();
//! queue.push(480, strike.resolve(scene.directory())?.command);
//! let typo = Gesture::Strike { body: "bal".into(), velocity_m_s: 1.5 };
//! assert_eq!(typo.resolve::<()>(scene.directory()).unwrap_err().what, "no body 'bal'; did you mean 'ball'?");
//! # Ok::<(), tocco::SceneError>(())
//! ```

use crate::command::{Address, Command, MOST_VALUES};
use crate::math::Real;
use crate::param::Rate;
use crate::scene::{Directory, Document, SceneError};

/// Fastest strike, m/s, either way.
pub const FASTEST_M_S: Real = 1e4;
/// Largest impulse of a hit, N s, either way.
pub const LARGEST_N_S: Real = 1e6;

/// Longest glide that a gesture may ask for, s.
pub const LONGEST_GLIDE_S: Real = 3600.0;
/// Most values of one stream.
pub const LONGEST_STREAM: usize = 1 << 16;

/// Something that a player does.
#[derive(Clone, Debug, PartialEq)]
pub enum Gesture {
    /// A new value for a parameter, external force or control; it glides there.
    Set {
        /// "body/param", "contact/param", "body.port/force_n" or a control's name.
        path: String,
        /// In the unit of the path.
        value: Real,
    },
    /// The same with a glide of its own length.
    Glide {
        /// As for [`Gesture::Set`].
        path: String,
        /// In the unit of the path.
        value: Real,
        /// s, at most [`LONGEST_GLIDE_S`].
        glide_s: Real,
    },
    /// The same without a glide: for what is about to be struck.
    Jump {
        /// As for [`Gesture::Set`].
        path: String,
        /// In the unit of the path.
        value: Real,
    },
    /// A value for every sample from here on, of an external force or another parameter that moves by the sample; after the
    /// last it stays there.
    Stream {
        /// As for [`Gesture::Set`].
        path: String,
        /// In the unit of the path, at most [`LONGEST_STREAM`].
        values: Vec<Real>,
    },
    /// Sets a mass in motion from zero gap.
    Strike {
        /// The mass.
        body: String,
        /// m/s
        velocity_m_s: Real,
    },
    /// An ideal impulse.
    Hit {
        /// "body" or "body.port".
        site: String,
        /// N s
        impulse_n_s: Real,
    },
    /// A port of a shape is touched at another place from here on.
    Touch {
        /// "body" or "body.port".
        site: String,
        /// Where on the shape, as fractions.
        place: Vec<Real>,
    },
    /// A spare contact joins two places from here on, or none.
    Join {
        /// The contact, one that says `spare`.
        contact: String,
        /// Two places, "body" or "body.port", as in `between`; none: it lets go.
        between: Vec<String>,
    },
    /// One thing happens in a process: a bubble, a drop, a splash, with values of its own.
    Trigger {
        /// The process.
        process: String,
        /// In the order that its kind says; what is left out at the end is as declared.
        values: Vec<Real>,
    },
    /// Everything to rest.
    Hush,
    /// Sheds load, or takes it up again; see [`Command::Quality`].
    Quality {
        /// Most sub-steps.
        max_substeps: u32,
        /// dB
        drop_below_db: Real,
    },
    /// Another scene, from its beginning.
    Load(Box<Document>),
    /// An edited scene: time goes on, and what stays keeps sounding.
    Edit(Box<Document>),
}

/// A gesture that a scene understands.
#[derive(Clone, Debug)]
pub struct Resolved<S> {
    /// What the engine is to do. Whoever builds scenes puts one into [`Command::Replace`].
    pub command: Command<S>,
    /// The value that it carries is not the one asked for, which is out of range.
    pub clamped: bool,
}

impl<S> Resolved<S> {
    /// The value that the command carries, if it carries one.
    pub fn value(&self) -> Option<Real> {
        match self.command {
            Command::Set(_, value) | Command::Jump(_, value) | Command::Glide { value, .. } => Some(value),
            Command::Strike { velocity_m_s: value, .. } | Command::Hit { impulse_n_s: value, .. } => Some(value),
            _ => None,
        }
    }
}

impl Gesture {
    /// Names to indices. Unknown names, things that cannot be done and values that are no numbers are refused with one
    /// line; a value out of range is clamped, and that is said. `[control]`
    pub fn resolve<S>(&self, directory: &Directory) -> Result<Resolved<S>, SceneError> {
        fn refuse<T>(what: String) -> Result<T, SceneError> {
            Err(SceneError::new("", what))
        }
        let within = |value: Real, min: Real, max: Real, of: &str| {
            if value.is_nan() { refuse(format!("{of}: not a number")) } else { Ok(value.clamp(min, max)) }
        };
        let mut clamped = false;
        let (command, asked) = match self {
            Gesture::Set { path, value } | Gesture::Jump { path, value } => {
                let address = directory.address(path)?;
                let Some(spec) = directory.spec(address) else { return refuse(format!("no parameter '{path}'")) };
                let held = within(*value, spec.min, spec.max, path)?;
                let glides = matches!(self, Gesture::Set { .. });
                (if glides { Command::Set(address, held) } else { Command::Jump(address, held) }, Some(*value))
            }
            Gesture::Glide { path, value, glide_s } => {
                let address = directory.address(path)?;
                let Some(spec) = directory.spec(address) else { return refuse(format!("no parameter '{path}'")) };
                let held = within(*value, spec.min, spec.max, path)?;
                let glide_s = within(*glide_s, 0.0, LONGEST_GLIDE_S, path)?;
                (Command::Glide { address, value: held, glide_s }, Some(*value))
            }
            Gesture::Stream { path, values } => {
                let address = directory.address(path)?;
                let spec = directory.spec(address).filter(|spec| spec.rate == Rate::Sample);
                let Some(spec) = spec.filter(|_| matches!(address, Address::Slot(_))) else {
                    return refuse(format!("'{path}' does not move by the sample; stream a force, or set it"));
                };
                if values.is_empty() || values.len() > LONGEST_STREAM {
                    return refuse(format!("{path}: {} values; a stream has 1 to {LONGEST_STREAM}", values.len()));
                }
                if values.iter().any(|value| value.is_nan()) {
                    return refuse(format!("{path}: not a number"));
                }
                clamped = values.iter().any(|value| !spec.admits(*value));
                let values = values.iter().map(|value| value.clamp(spec.min, spec.max)).collect();
                (Command::Stream { address, values: Some(values) }, None)
            }
            Gesture::Strike { body, velocity_m_s } => {
                let index = directory.body(body)?;
                if !directory.is_mass(index) {
                    return refuse(format!("'{body}' is not a mass; strike a mass, or hit a port"));
                }
                let held = within(*velocity_m_s, -FASTEST_M_S, FASTEST_M_S, body)?;
                (Command::Strike { body: index, velocity_m_s: held }, Some(*velocity_m_s))
            }
            Gesture::Hit { site, impulse_n_s } => {
                let found = directory.site(site)?;
                if !directory.yields(found) {
                    return refuse(format!("'{site}' cannot move; hit a body that yields"));
                }
                let held = within(*impulse_n_s, -LARGEST_N_S, LARGEST_N_S, site)?;
                (Command::Hit { site: found, impulse_n_s: held }, Some(*impulse_n_s))
            }
            Gesture::Touch { site, place } => {
                if place.iter().any(|fraction| fraction.is_nan()) {
                    return refuse(format!("{site}: not a number"));
                }
                let found = directory.site(site)?;
                let values = directory.values_at(found, place)?.into();
                (Command::Touch { site: found, values }, None)
            }
            Gesture::Join { contact, between } => {
                let index = directory.contact(contact)?;
                if !directory.is_spare(index) {
                    return refuse(format!(
                        "'{contact}' stays where it is; say spare = true of a contact that is joined live"
                    ));
                }
                let between = match &between[..] {
                    [] => None,
                    [a, b] => Some([directory.site(a)?, directory.site(b)?]),
                    _ => return refuse(format!("{contact}: {} places; it joins two, or none", between.len())),
                };
                if let Some([a, b]) = between {
                    if a.body == b.body {
                        return refuse(format!("{contact}: a body cannot touch itself; name two bodies"));
                    }
                    if !directory.yields(a) && !directory.yields(b) {
                        return refuse(format!(
                            "{contact}: neither partner can yield; one must be a mass or a vibrating body"
                        ));
                    }
                }
                (Command::Join { contact: index, between }, None)
            }
            Gesture::Trigger { process, values } => {
                let index = directory.process(process)?;
                let takes = directory.triggers(index);
                if takes.is_empty() {
                    return refuse(format!("'{process}' is not triggered by itself; set the signal that it hears"));
                }
                if values.len() > takes.len() {
                    let all = takes.iter().map(|spec| spec.id).collect::<Vec<_>>().join(", ");
                    return refuse(format!("{process}: {} values; a trigger of it says {all}", values.len()));
                }
                let mut all = [0.0; MOST_VALUES];
                for (at, (cell, spec)) in all.iter_mut().zip(takes).enumerate() {
                    let asked = values.get(at).copied().unwrap_or(spec.default);
                    *cell = within(asked, spec.min, spec.max, process)?;
                    clamped |= *cell != asked;
                }
                (Command::Trigger { process: index, values: all }, None)
            }
            Gesture::Hush => (Command::Hush, None),
            Gesture::Quality { max_substeps, drop_below_db } => {
                (Command::Quality { max_substeps: *max_substeps, drop_below_db: *drop_below_db }, None)
            }
            Gesture::Load(_) => (Command::Replace { scene: None, adopt: false }, None),
            Gesture::Edit(_) => (Command::Replace { scene: None, adopt: true }, None),
        };
        let mut resolved = Resolved { command, clamped };
        resolved.clamped |= resolved.value() != asked;
        Ok(resolved)
    }

    /// What it is about: a path, a body or a site; empty for what concerns everything.
    pub fn about(&self) -> &str {
        match self {
            Gesture::Set { path, .. }
            | Gesture::Glide { path, .. }
            | Gesture::Jump { path, .. }
            | Gesture::Stream { path, .. } => path.strip_prefix('/').unwrap_or(path),
            Gesture::Strike { body, .. } => body,
            Gesture::Hit { site, .. } | Gesture::Touch { site, .. } => site,
            Gesture::Join { contact, .. } => contact,
            Gesture::Trigger { process, .. } => process,
            Gesture::Hush | Gesture::Quality { .. } => "",
            Gesture::Load(scene) | Gesture::Edit(scene) => &scene.name,
        }
    }
}

/// An argument of an OSC message, as far as gestures go: its types of number are one here.
#[derive(Clone, Debug, PartialEq)]
pub enum OscArg {
    /// f, d, i, h, T or F.
    Number(Real),
    /// s
    Text(String),
}

/// Addresses of gestures that are no paths, without the first slash, and what each takes.
pub const OSC_METHODS: [(&str, &str); 8] = [
    ("tocco/strike", "the name of a mass and a speed in m/s (s f)"),
    ("tocco/hit", "a place, body or body.port, and an impulse in N s (s f)"),
    ("tocco/touch", "a place, body.port of a shape, and where on the shape it is from now on, as fractions (s f...)"),
    ("tocco/jump", "a path and the value that it takes without a glide (s f)"),
    ("tocco/stream", "a path that moves by the sample, as body.port/force_n, and a value for every sample (s f...)"),
    ("tocco/join", "the name of a spare contact and the two places that it joins, none to let go (s s s)"),
    ("tocco/trigger", "the name of a process and what happens in it, in the order that its kind says (s f...)"),
    ("tocco/panic", "nothing"),
];

/// A name and numbers, as arguments.
fn text_and_numbers(text: &str, numbers: &[Real]) -> Vec<OscArg> {
    core::iter::once(OscArg::Text(text.to_owned())).chain(numbers.iter().map(|x| OscArg::Number(*x))).collect()
}

impl Gesture {
    /// The gesture as an OSC address and its arguments; `None` for what is the receiver's own affair (quality). A scene goes
    /// by its name.
    pub fn to_osc(&self) -> Option<(String, Vec<OscArg>)> {
        let text = |text: &String| OscArg::Text(text.clone());
        let (method, args) = match self {
            Gesture::Set { path, value } => return Some((format!("/{path}"), vec![OscArg::Number(*value)])),
            Gesture::Glide { path, value, glide_s } => {
                return Some((format!("/{path}"), vec![OscArg::Number(*value), OscArg::Number(*glide_s)]));
            }
            Gesture::Jump { path, value } => ("jump", vec![text(path), OscArg::Number(*value)]),
            Gesture::Stream { path, values } => ("stream", text_and_numbers(path, values)),
            Gesture::Strike { body, velocity_m_s } => ("strike", vec![text(body), OscArg::Number(*velocity_m_s)]),
            Gesture::Hit { site, impulse_n_s } => ("hit", vec![text(site), OscArg::Number(*impulse_n_s)]),
            Gesture::Touch { site, place } => ("touch", text_and_numbers(site, place)),
            Gesture::Join { contact, between } => {
                ("join", core::iter::once(contact).chain(between).map(text).collect())
            }
            Gesture::Trigger { process, values } => ("trigger", text_and_numbers(process, values)),
            Gesture::Hush => ("panic", Vec::new()),
            Gesture::Load(scene) => ("scene/load", vec![text(&scene.name)]),
            Gesture::Edit(scene) => ("scene/edit", vec![text(&scene.name)]),
            Gesture::Quality { .. } => return None,
        };
        Some((format!("/tocco/{method}"), args))
    }

    /// The gesture of an OSC message, or what is wrong with it; `None` for an address that is no gesture's (all others
    /// that begin with `/tocco/`).
    pub fn from_osc(address: &str, args: &[OscArg]) -> Option<Result<Self, String>> {
        use OscArg::{Number, Text};
        let address = address.strip_prefix('/').unwrap_or(address);
        if !address.starts_with("tocco/") {
            return Some(match args {
                [Number(value)] => Ok(Gesture::Set { path: address.to_owned(), value: *value }),
                [Number(value), Number(glide_s)] => {
                    Ok(Gesture::Glide { path: address.to_owned(), value: *value, glide_s: *glide_s })
                }
                [Text(text)] => Err(format!("/{address}: takes a number, not the text '{text}'")),
                _ => Err(format!(
                    "/{address}: takes one number, or two with a glide in seconds, not {} values",
                    args.len()
                )),
            });
        }
        let (method, takes) = OSC_METHODS.iter().find(|(method, _)| *method == address)?;
        let gesture = match (&method["tocco/".len()..], args) {
            ("strike", [Text(body), Number(v)]) => Gesture::Strike { body: body.clone(), velocity_m_s: *v },
            ("hit", [Text(site), Number(j)]) => Gesture::Hit { site: site.clone(), impulse_n_s: *j },
            ("jump", [Text(path), Number(value)]) => Gesture::Jump { path: path.clone(), value: *value },
            ("touch" | "stream" | "trigger", [Text(name), numbers @ ..])
                if !numbers.is_empty() || address == "tocco/trigger" =>
            {
                let number = |arg: &OscArg| match arg {
                    Number(number) => Some(*number),
                    Text(_) => None,
                };
                match (address, numbers.iter().map(number).collect::<Option<Vec<Real>>>()) {
                    ("tocco/stream", Some(values)) => Gesture::Stream { path: name.clone(), values },
                    ("tocco/trigger", Some(values)) => Gesture::Trigger { process: name.clone(), values },
                    (_, Some(place)) if place.len() <= 3 => Gesture::Touch { site: name.clone(), place },
                    _ => return Some(Err(format!("/{method} takes {takes}"))),
                }
            }
            ("join", [Text(contact)]) => Gesture::Join { contact: contact.clone(), between: Vec::new() },
            ("join", [Text(contact), Text(a), Text(b)]) => {
                Gesture::Join { contact: contact.clone(), between: vec![a.clone(), b.clone()] }
            }
            ("panic", []) => Gesture::Hush,
            _ => return Some(Err(format!("/{method} takes {takes}"))),
        };
        Some(Ok(gesture))
    }
}

#[cfg(feature = "text")]
mod json;

#[cfg(test)]
mod tests {
    use super::*;

    fn every() -> Vec<Gesture> {
        vec![
            Gesture::Set { path: "hit/stiffness".into(), value: 1024.0 },
            Gesture::Glide { path: "hit/stiffness".into(), value: 2048.0, glide_s: 0.7 },
            Gesture::Stream { path: "bar.tip/force_n".into(), values: vec![0.1, -0.25, 0.0] },
            Gesture::Jump { path: "bar/freq_scale".into(), value: 0.1 },
            Gesture::Strike { body: "hammer".into(), velocity_m_s: -1.5 },
            Gesture::Hit { site: "bar.tip".into(), impulse_n_s: 0.25 },
            Gesture::Touch { site: "bar.tip".into(), place: vec![0.25, 0.5] },
            Gesture::Join { contact: "knock".into(), between: vec!["stone".into(), "bar.tip".into()] },
            Gesture::Join { contact: "knock".into(), between: Vec::new() },
            Gesture::Trigger { process: "pond".into(), values: vec![0.002, 0.1] },
            Gesture::Trigger { process: "pond".into(), values: Vec::new() },
            Gesture::Hush,
        ]
    }

    #[test]
    fn a_gesture_survives_the_way_to_osc_and_back() {
        for gesture in every() {
            let (address, args) = gesture.to_osc().unwrap();
            assert_eq!(Gesture::from_osc(&address, &args), Some(Ok(gesture)));
        }
        assert_eq!(Gesture::Quality { max_substeps: 1, drop_below_db: 0.0 }.to_osc(), None);
        assert_eq!(Gesture::from_osc("/tocco/describe", &[]), None, "not a gesture");
        let wrong = Gesture::from_osc("/tocco/strike", &[OscArg::Number(1.0)]).unwrap().unwrap_err();
        assert!(wrong.contains("name of a mass"), "{wrong}");
    }

    #[test]
    #[cfg(feature = "text")]
    fn a_gesture_survives_the_way_to_json_and_back() {
        for gesture in every().into_iter().chain([Gesture::Quality { max_substeps: 4, drop_below_db: -90.0 }]) {
            assert_eq!(Gesture::from_json(&gesture.to_json(), "here"), Ok(gesture));
        }
        let text = "body.ball.type = 'mass'\n";
        let def = crate::SceneDef::from_text(text).unwrap();
        let scene = Document { name: "ball".into(), origin: "here".into(), text: text.into(), def };
        for gesture in [Gesture::Load(Box::new(scene.clone())), Gesture::Edit(Box::new(scene))] {
            assert_eq!(Gesture::from_json(&gesture.to_json(), "here"), Ok(gesture));
        }
        let wrong = Gesture::from_json(&serde_json::json!({ "strike": "ball" }), "here").unwrap_err();
        assert_eq!(wrong, "'velocity_m_s' is missing or not a number");
        let touch = serde_json::json!({ "touch": "bar", "place": [0.2, "x", 0.5] });
        assert_eq!(Gesture::from_json(&touch, "here").unwrap_err(), "'place' holds what is not a number");
        let text = "body.a.type = 'mass'\ndrive = [{ path = 'a/force_n', wav = 'x.wav' }]";
        for (data, drive) in [("[0, null]", 0), ("[0, 1e60]", 0), ("[0]", 1), ("[\"a\"]", 0)] {
            let data: serde_json::Value = serde_json::from_str(data).unwrap();
            let recordings = serde_json::json!([{ "drive": drive, "rate_hz": 48000, "data": data }]);
            let scene = serde_json::json!({ "scene": { "text": text, "seed": 1, "recordings": recordings } });
            let wrong = Gesture::from_json(&scene, "here").unwrap_err();
            assert_eq!(wrong, "scene: a recording is broken", "{data}");
        }
    }
}
