// SPDX-License-Identifier: MIT OR Apache-2.0
//! Signals: what every kind of them has in common.

use super::*;
use crate::signal::{Operators, SignalParams, Source as SignalSource};

/// One number over time that drives and processes hear.
#[derive(Clone, Debug, PartialEq)]
pub struct SignalDef {
    /// Unique label.
    pub name: String,
    /// Live parameters.
    pub params: SignalParams,
    /// What is done to it, in the order of the page. The outlet is filled in when the scene is built.
    pub operators: Operators,
    /// The vessel whose size stands for the number of `fill`, `spill` or `drain`, which is 0 then.
    pub vessel: Option<String>,
    /// Area of an outlet in the bottom of that vessel, m^2.
    pub outlet_m2: Option<Real>,
    /// Where it comes from.
    pub form: SignalForm,
}

/// What may be asked of every signal's definition.
pub trait SignalKind {
    /// Its declaration.
    fn kind(&self) -> &'static Kind;
    /// What it is, in a line for people.
    fn words(&self) -> String;
    /// The live value of an inlet, if it is one.
    fn inlet(&self) -> Option<Spec> {
        None
    }
    /// The signal or probe that it reads, if it does.
    fn reads(&self) -> Option<&str> {
        None
    }
    /// The same, to rename it.
    fn reads_mut(&mut self) -> Option<&mut String> {
        None
    }
    /// Recordings that it names, with their keys.
    fn recordings_mut(&mut self) -> Vec<(&'static str, &mut Sound)> {
        Vec::new()
    }
}

/// What a scene does with a signal's definition.
pub(in crate::scene) trait BuildSignal: SignalKind {
    /// Everything in it is as declared.
    fn check(&self, spot: &Spot) -> Check;
    /// The keys of its table but for `type` and those of [`SignalDef`].
    fn write(&self, out: &mut Toml);
    /// The source itself; a reading or another signal is found by [`SignalKind::reads`].
    fn build(&self, context: &mut SignalContext<'_>) -> Result<SignalSource, SceneError>;
    /// As for bodies.
    fn structure(&self) -> String;
}

/// What a signal is built with.
pub(in crate::scene) struct SignalContext<'a> {
    pub(in crate::scene) def: &'a SceneDef,
    pub(in crate::scene) name: &'a str,
    pub(in crate::scene) rate_hz: Real,
    /// Channels of input that are asked for, to be filled.
    pub(in crate::scene) input: Option<usize>,
}

impl SignalContext<'_> {
    pub(super) fn spot(&self) -> Spot {
        Spot(format!("signal.{}", self.name))
    }
    pub(super) fn rng(&self) -> Rng {
        Rng::new(self.def.seed, &format!("signal {}", self.name))
    }
}

/// A recording as a scene names it, or in memory.
#[derive(Clone, Debug, PartialEq)]
pub enum Sound {
    /// File as written; a host replaces it by samples before building.
    File(String),
    /// In memory.
    Samples(crate::scene::Recording),
}

impl Sound {
    /// The samples, or what is said of a scene that was built without them.
    pub(super) fn samples(&self) -> Result<&crate::scene::Recording, &'static str> {
        match self {
            Sound::Samples(recording) => Ok(recording),
            Sound::File(_) => {
                Err("nobody has loaded this recording; a scene that names one is read with its recordings")
            }
        }
    }
    pub(super) fn check(&self, spot: &Spot, id: &str) -> Check {
        match self {
            Sound::File(file) => spot.named(id, file),
            Sound::Samples(recording) if !(recording.rate_hz > 0.0 && recording.rate_hz.is_finite()) => {
                spot.fail(id, format!("{} Hz is no rate; wants more than 0 Hz", recording.rate_hz))
            }
            Sound::Samples(_) => Ok(()),
        }
    }
    pub(super) fn write(&self, out: &mut Toml, id: &str) {
        match self {
            Sound::File(file) => out.line(format_args!("{id} = {}", quoted(file))),
            Sound::Samples(recording) => {
                out.line(format_args!("# left out: {id}, {} samples in memory", recording.data.len()));
            }
        }
    }
    /// A short name of what it is, for [`BuildSignal::structure`].
    pub(super) fn structure(&self) -> String {
        match self {
            Sound::File(file) => file.clone(),
            Sound::Samples(recording) => {
                let bits = recording.data.iter().fold(crate::hash::START, |hash, x| crate::hash::sample(hash, *x));
                format!("{} {bits:x}", recording.rate_hz)
            }
        }
    }
}

const MOST: KeyType = KeyType::Number { unit: "unit of the signal times s", min: 0.0, max: 1e18 };
const MOST_OR_VESSEL: KeyType = KeyType::Either(&[MOST, KeyType::Named(Thing::Body)]);
/// Points of the curve of what an outlet lets out.
const OUTLET_POINTS: usize = 256;

/// Keys that every signal has besides those of its kind.
pub(super) const OPERATORS: [Key; 11] = [
    key(
        "radius_m",
        KeyType::Number { unit: "m", min: 1e-6, max: 1e3 },
        "The signal is a way in m that something of this radius rolls; with eccentricity.",
    ),
    key(
        "eccentricity",
        KeyType::Number { unit: "1", min: 0.0, max: 1.0 },
        "How far its heavy side lies from its middle, in radii: the signal becomes the acceleration of that side, m/s^2.",
    ),
    key(
        "curve",
        KeyType::List { of: &KeyType::Row(&[ANY, ANY]), min: 1, max: MAX_LIST },
        "Breakpoints [x, y], x increasing, linear between, held outside.",
    ),
    key(
        "curve_every",
        KeyType::Number { unit: "unit of x", min: 1e-6, max: 1e12 },
        "The curve repeats after so much of x: of a way in m, the circumference of a wheel.",
    ),
    key("rate", KeyType::Flag, "The rate of change per second instead of the value, default false."),
    key(
        "fill",
        MOST_OR_VESSEL,
        "The signal is an inflow per second: it becomes what has been filled in, at most this, or what the vessel of this name holds.",
    ),
    key(
        "spill",
        MOST_OR_VESSEL,
        "The signal is an inflow per second: it becomes what runs over per second, where there is room for this, or in the vessel of this name.",
    ),
    key(
        "drain",
        KeyType::Named(Thing::Body),
        "The signal is an inflow per second: it becomes what runs out of the vessel of this name per second; with outlet_m2.",
    ),
    key(
        "outlet_m2",
        KeyType::Number { unit: "m^2", min: 0.0, max: 100.0 },
        "With fill, spill or drain of a vessel: area of an outlet in its bottom, times its coefficient of discharge, about 0.6 for a hole, 1 for a spout.",
    ),
    key("above", ANY, "The signal becomes 1 when it rises above this, else 0."),
    key("below", ANY, "Only with above: it becomes 0 again below this, default the same."),
];

/// The keys of a kind of signal: its own, then those of all.
pub(super) const fn with_operators<const OWN: usize, const ALL: usize>(own: [Key; OWN]) -> [Key; ALL] {
    let mut all = [OPERATORS[0]; ALL];
    let mut i = 0;
    while i < ALL {
        all[i] = if i < OWN { own[i] } else { OPERATORS[i - OWN] };
        i += 1;
    }
    all
}

/// Rules that hold for every signal.
pub(super) const ROLL: Rule =
    Rule::Beside(&["eccentricity"], &["radius_m"], "belongs to a radius_m; leave it out or give one");
pub(super) const ROLLED: Rule = Rule::Beside(&["radius_m"], &["eccentricity"], "rolls nothing without an eccentricity");
pub(super) const GATE: Rule =
    Rule::Beside(&["below"], &["above"], "belongs to a threshold; leave it out or give above");

pub(super) const EVERY: Rule = Rule::Beside(&["curve_every"], &["curve"], "repeats a curve; give one or leave it out");

impl SignalDef {
    pub(in crate::scene) fn check(&self, spot: &Spot) -> Check {
        spot.params(&self.params)?;
        let kind = self.form.kind();
        if let Some([radius, eccentricity]) = self.operators.roll {
            spot.number(kind, "radius_m", radius)?;
            spot.number(kind, "eccentricity", eccentricity)?;
        }
        let given: Vec<&str> = self.fillings().into_iter().filter_map(|(id, value)| value.map(|_| id)).collect();
        for (id, value) in self.fillings() {
            value.map_or(Ok(()), |value| spot.takes(id, MOST, value))?;
        }
        if let [_, second, ..] = given[..] {
            return spot.fail(second, "it is one or the other: make another signal for what runs over or out");
        }
        self.vessel.as_ref().map_or(Ok(()), |name| spot.named(given.first().copied().unwrap_or("fill"), name))?;
        if let Some(area) = self.outlet_m2 {
            spot.number(kind, "outlet_m2", area)?;
            if self.vessel.is_none() {
                return spot.fail("outlet_m2", "is in the bottom of a vessel; name one in fill, spill or drain");
            }
        } else if self.operators.drain.is_some() {
            return spot.fail("drain", "nothing runs out without an outlet; give outlet_m2");
        }
        increasing(spot, "curve", &self.operators.curve, [ANY, ANY], "")?;
        if let Some(every) = self.operators.every {
            spot.number(kind, "curve_every", every)?;
            match (self.operators.curve.first(), self.operators.curve.last()) {
                (Some([first, _]), Some([last, _])) if last - first < every => {}
                (Some(_), _) => {
                    return spot.fail("curve_every", format!("{} is no more than the curve is long", plain(every)));
                }
                _ => return spot.fail("curve_every", "repeats a curve; give one or leave it out"),
            }
        }
        if let Some([above, below]) = self.operators.gate {
            spot.number(kind, "above", above)?;
            spot.number(kind, "below", below)?;
            if below > above {
                return spot.fail("below", format!("{} is higher than above = {}", plain(below), plain(above)));
            }
        }
        self.form.definition().check(spot)
    }

    pub(in crate::scene) fn write(&self, out: &mut Toml) {
        let form = self.form.definition();
        out.line(format_args!("\n[signal.{}]\ntype = \"{}\"", bare(&self.name), form.kind().id));
        form.write(out);
        out.params(&self.params, &[]);
        if let Some([radius, eccentricity]) = self.operators.roll {
            out.number("radius_m", radius);
            out.number("eccentricity", eccentricity);
        }
        if !self.operators.curve.is_empty() {
            out.line(format_args!("curve = {:?}", self.operators.curve));
        }
        self.operators.every.into_iter().for_each(|every| out.number("curve_every", every));
        if self.operators.rate {
            out.line(format_args!("rate = true"));
        }
        for (id, value) in self.fillings() {
            match (&self.vessel, value) {
                (Some(vessel), Some(_)) => out.line(format_args!("{id} = {}", quoted(vessel))),
                (None, Some(value)) => out.number(id, value),
                (_, None) => {}
            }
        }
        self.outlet_m2.into_iter().for_each(|area| out.number("outlet_m2", area));
        if let Some([above, below]) = self.operators.gate {
            out.number("above", above);
            out.unless("below", below, above);
        }
    }

    /// What distinguishes it from others but for live parameters, with the operators that it runs with.
    pub(in crate::scene) fn structure(&self, operators: &Operators) -> String {
        format!("{} {operators:?} {}", self.form.kind().id, self.form.definition().structure())
    }

    fn fillings(&self) -> [(&'static str, Option<Real>); 3] {
        let Operators { fill, spill, drain, .. } = self.operators;
        [("fill", fill), ("spill", spill), ("drain", drain)]
    }

    /// Its operators, with what the vessel that it names holds and lets out. [signal.8]
    pub(in crate::scene) fn operators(&self, def: &SceneDef) -> Result<Operators, SceneError> {
        let Some(name) = &self.vessel else { return Ok(self.operators.clone()) };
        let vessel = |body: &crate::scene::def::BodyDef| match &body.form {
            BodyForm::Vessel(vessel) => vessel.geometry(),
            _ => None,
        };
        let Some(geometry) = def.bodies.iter().find(|body| body.name == *name).and_then(vessel) else {
            let id = self.fillings().iter().find(|(_, value)| value.is_some()).map_or("fill", |(id, _)| id);
            let vessels = def.bodies.iter().filter(|body| vessel(body).is_some()).map(|body| body.name.as_str());
            let what = format!("there is no vessel '{}'{}", clip(name), nearest(name, vessels));
            return Err(SceneError::new(format!("signal.{}.{id}", self.name), what));
        };
        let holds = geometry.capacity_m3();
        let point = |i: usize| {
            let part = i as Real / OUTLET_POINTS as Real;
            let water = holds * part * part;
            let speed = (2.0 * crate::process::flight::GRAVITY_M_S2 * geometry.level_m(water)).sqrt();
            [water, self.outlet_m2.unwrap_or(0.0) * speed]
        };
        let outlet = if self.outlet_m2.is_some() { (0..=OUTLET_POINTS).map(point).collect() } else { Vec::new() };
        let Operators { fill, spill, drain, .. } = self.operators;
        let [fill, spill, drain] = [fill, spill, drain].map(|given| given.map(|_| holds));
        Ok(Operators { fill, spill, drain, outlet, ..self.operators.clone() })
    }

    #[cfg(feature = "text")]
    pub(in crate::scene) fn read(name: &str, node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        let pair = |first: &str, second: Option<Real>| -> Result<Option<[Real; 2]>, SceneError> {
            Ok(node.number(first)?.map(|first| [first, second.unwrap_or(first)]))
        };
        let mut vessel = None;
        let mut most = |id: &str| -> Result<Option<Real>, SceneError> {
            match node.value(id) {
                Some(value) if matches!(value.data, Data::Text(_)) || id == "drain" => {
                    vessel = Some(text(value, &node.place(id), "the name of a vessel")?.to_owned());
                    Ok(Some(0.0))
                }
                Some(value) => Ok(Some(number(value, &node.place(id), MOST)?)),
                None => Ok(None),
            }
        };
        let [fill, spill, drain] = [most("fill")?, most("spill")?, most("drain")?];
        let operators = Operators {
            roll: pair("radius_m", node.number("eccentricity")?)?,
            curve: read_points(node, "curve", [ANY, ANY], "[x, y]")?,
            every: node.number("curve_every")?,
            rate: node.flag("rate")?.unwrap_or(false),
            fill,
            spill,
            drain,
            outlet: Vec::new(),
            gate: pair("above", node.number("below")?)?,
        };
        let (params, outlet_m2) = (node.params()?, node.number("outlet_m2")?);
        Ok(Self { name: name.to_owned(), params, operators, vessel, outlet_m2, form: read_signal(node, lines)? })
    }
}

/// Breakpoints whose first numbers increase, each within its range.
pub(super) fn increasing(spot: &Spot, id: &str, points: &[[Real; 2]], takes: [KeyType; 2], unit: &str) -> Check {
    spot.count(id, points.len(), MAX_LIST, "points")?;
    for (index, point) in points.iter().enumerate() {
        let at = format!("{id}[{index}]");
        takes.iter().zip(point).try_for_each(|(takes, value)| spot.takes(&at, *takes, *value))?;
        let before = index.checked_sub(1).map(|before| points[before][0]);
        if let Some(before) = before.filter(|before| *before >= point[0]) {
            let (now, before) = (plain(point[0]), plain(before));
            let what = if unit == "s" { "times must increase" } else { "they must increase" };
            let unit = unit_words(if unit.is_empty() { "1" } else { unit });
            return spot.fail(&at, format!("{now}{unit} does not come after {before}{unit}; {what}"));
        }
    }
    Ok(())
}

/// A list of pairs of numbers; empty if the key is not there.
#[cfg(feature = "text")]
pub(super) fn read_points(
    node: &Node<'_, '_>,
    id: &str,
    takes: [KeyType; 2],
    wanted: &str,
) -> Result<Vec<[Real; 2]>, SceneError> {
    let Some(value) = node.value(id) else { return Ok(Vec::new()) };
    let at = node.place(id);
    let values = list(value, &at, &format!("a list of {wanted}"))?;
    check_count(&at, value.line, values.len(), MAX_LIST, "points")?;
    let point = |(index, value)| numbers(value, &format!("{at}[{index}]"), takes, wanted);
    values.iter().enumerate().map(point).collect()
}
