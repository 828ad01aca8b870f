// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a definition must hold, whether it was read from text or made in code.
//!
//! Ranges come from the tables of [`kinds`](super::kinds); each kind's file adds what only it knows. The reader calls the
//! same checks and adds the line.

use super::def::*;
use super::error::{SceneError, clip};
use super::kinds::*;
use crate::math::Real;
use crate::param::{KeyType, Kind, LawSpec, Params};
use crate::units::plain;
use std::collections::BTreeMap;

/// Nothing, or what is wrong.
pub(super) type Check = Result<(), SceneError>;

/// A place in a scene, to which messages are pinned.
pub(super) struct Spot(pub(super) String);

impl Spot {
    pub(super) fn key(&self, id: &str) -> String {
        match (self.0.is_empty(), id.is_empty()) {
            (true, _) => id.into(),
            (_, true) => self.0.clone(),
            _ => format!("{}.{id}", self.0),
        }
    }

    pub(super) fn within(&self, id: &str) -> Spot {
        Spot(self.key(id))
    }

    pub(super) fn fail<T>(&self, id: &str, what: impl Into<String>) -> Result<T, SceneError> {
        Err(SceneError::new(self.key(id), what))
    }

    fn unless(&self, id: &str, breach: Option<String>) -> Check {
        breach.map_or(Ok(()), |what| self.fail(id, what))
    }

    /// Every live parameter is within its range.
    pub(super) fn params<P: Params>(&self, params: &P) -> Check {
        let mut all = P::SPECS.iter().enumerate();
        all.try_for_each(|(index, spec)| self.unless(spec.id, spec.breach(params.value(index))))
    }

    /// A number is within the range of its key.
    pub(super) fn number(&self, kind: &Kind, id: &str, value: Real) -> Check {
        debug_assert!(kind.takes(id).is_some(), "{} {} declares no {id}", kind.family, kind.id);
        self.unless(id, kind.takes(id).and_then(|takes| takes.breach(value)))
    }

    /// A number of this type, at a place of its own.
    pub(super) fn takes(&self, id: &str, takes: KeyType, value: Real) -> Check {
        self.unless(id, takes.breach(value))
    }

    /// A whole number is within the range of its key.
    pub(super) fn whole(&self, kind: &Kind, id: &str, value: i64) -> Check {
        debug_assert!(kind.takes(id).is_some(), "{} {} declares no {id}", kind.family, kind.id);
        match kind.takes(id) {
            Some(KeyType::Integer { min, max }) if !(min..=max).contains(&value) => {
                self.fail(id, format!("{value} is out of range; wants a whole number from {min} to {max}"))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn count(&self, id: &str, count: usize, most: usize, of: &str) -> Check {
        if count > most { self.fail(id, format!("has {count} {of}; at most {most} are read")) } else { Ok(()) }
    }

    /// Names of ports, each fit to be one and there once.
    pub(super) fn ports<'n>(&self, names: impl ExactSizeIterator<Item = &'n str>) -> Check {
        self.count("port", names.len(), MAX_NODES, "ports")?;
        let mut seen = std::collections::BTreeSet::new();
        for name in names {
            let port = self.within("port");
            check_name(name).or_else(|what| port.fail(&clip(name), what))?;
            if !seen.insert(name) {
                return port.fail(name, format!("the name '{name}' is already taken; choose another"));
            }
        }
        Ok(())
    }

    /// A name of something else in the scene, there and not endless.
    pub(super) fn named(&self, id: &str, name: &str) -> Check {
        if name.is_empty() {
            return self.fail(id, "is empty; say what it names");
        }
        self.text(id, name)
    }

    pub(super) fn text(&self, id: &str, text: &str) -> Check {
        match text.chars().nth(MAX_WORDS) {
            Some(_) => self.fail(id, format!("is longer than {MAX_WORDS} characters; shorten it")),
            None => Ok(()),
        }
    }

    /// Parameters as a law wants them: those of other laws as they are by default, those that it fixes at their value.
    pub(super) fn law<P: Params>(&self, law: &LawSpec, all: &[LawSpec], params: &P) -> Check {
        for (index, spec) in P::SPECS.iter().enumerate() {
            let value = params.value(index);
            if value != spec.default
                && let Some(owner) = all.iter().find(|other| other.word != law.word && other.own.contains(&spec.id))
            {
                return self.fail(spec.id, belongs(owner));
            }
            if law.fixed(spec.id).is_some_and(|fixed| fixed != value) {
                return self.fail(spec.id, refuses(law));
            }
        }
        Ok(())
    }
}

/// What is said of a key that only another law has.
pub(super) fn belongs(owner: &LawSpec) -> String {
    format!("belongs to law = \"{}\"; leave it out or choose that law", owner.word)
}

/// What is said of a key that a law does not have.
pub(super) fn refuses(law: &LawSpec) -> String {
    format!("law = \"{}\" {}", law.word, law.why)
}

/// Says why a name cannot be used.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() {
        return Err("a name must not be empty".into());
    }
    if name.chars().nth(MAX_NAME).is_some() {
        return Err(format!("name '{}' is longer than {MAX_NAME} characters; shorten it", clip(name)));
    }
    let bad = |c: &char| c.is_whitespace() || c.is_control() || NOT_IN_NAMES.contains(*c);
    match name.chars().find(bad) {
        Some(c) => {
            let list: Vec<String> = NOT_IN_NAMES.chars().map(String::from).collect();
            Err(format!(
                "name '{}' holds '{}'; names hold no blanks and none of {}",
                clip(name),
                c.escape_debug(),
                list.join(" ")
            ))
        }
        None if name == "tocco" => Err("the name 'tocco' is reserved; choose another".into()),
        None => Ok(()),
    }
}

/// Names of bodies, contacts and controls with the place of each: a name means one thing.
#[derive(Default)]
pub(super) struct Names(BTreeMap<String, String>);

impl Names {
    pub(super) fn add(&mut self, name: &str, at: &str) -> Check {
        check_name(name).map_err(|what| SceneError::new(at, what))?;
        match self.0.insert(name.to_string(), at.to_string()) {
            None => Ok(()),
            Some(first) => {
                Err(SceneError::new(at, format!("the name '{name}' is already taken by {first}; choose another")))
            }
        }
    }
}

impl SceneDef {
    /// Everything that can be said of the scene's parts before they meet: ranges, counts, names, lengths of lists. What
    /// [`SceneDef::from_text`] gives has passed; [`Scene::build`](super::Scene::build) asks again, for scenes made in code.
    /// `[control]`
    pub fn check(&self) -> Result<(), SceneError> {
        let root = Spot(String::new());
        if self.version != VERSION {
            return root.fail("version", format!("there is no version {}; wants {VERSION}", self.version));
        }
        root.text("title", &self.title)?;
        root.number(&SCENE, "rate_hz", self.rate_hz)?;
        if let Length::Seconds(seconds) = self.duration
            && !(seconds > 0.0 && seconds <= MAX_DURATION_S)
        {
            let what = format!("{} s is no duration; wants more than 0 s, at most {MAX_DURATION_S} s", plain(seconds));
            return root.fail("duration_s", what);
        }
        for (id, count, most) in [
            ("body", self.bodies.len(), MAX_NODES),
            ("contact", self.contacts.len(), MAX_NODES),
            ("signal", self.signals.len(), MAX_NODES),
            ("process", self.processes.len(), MAX_NODES),
            ("drive", self.drives.len(), MAX_NODES),
            ("event", self.events.len(), MAX_LIST),
            ("output", self.outputs.len(), MAX_NODES),
            ("tap", self.taps.len(), MAX_NODES),
            ("control", self.controls.len(), MAX_CONTROLS),
        ] {
            root.count(id, count, most, "tables")?;
        }
        let mut names = Names::default();
        for body in &self.bodies {
            let spot = Spot(format!("body.{}", clip(&body.name)));
            names.add(&body.name, &spot.0)?;
            body.form.definition().check(&spot)?;
        }
        for contact in &self.contacts {
            let spot = Spot(format!("contact.{}", clip(&contact.name)));
            names.add(&contact.name, &spot.0)?;
            contact.between.iter().try_for_each(|site| spot.named("between", site))?;
            contact.form.definition().check(&spot)?;
        }
        for signal in &self.signals {
            let spot = Spot(format!("signal.{}", clip(&signal.name)));
            names.add(&signal.name, &spot.0)?;
            signal.check(&spot)?;
        }
        for process in &self.processes {
            let spot = Spot(format!("process.{}", clip(&process.name)));
            names.add(&process.name, &spot.0)?;
            process.check(&spot)?;
        }
        root.count("walk", self.walks.len(), MAX_NODES, "tables")?;
        for walk in &self.walks {
            let spot = Spot(format!("walk.{}", clip(&walk.name)));
            names.add(&walk.name, &spot.0)?;
            walk.check(&spot)?;
        }
        root.count("part", self.parts.len(), MAX_NODES, "tables")?;
        for part in &self.parts {
            let spot = Spot(format!("part.{}", clip(&part.name)));
            names.add(&part.name, &spot.0)?;
            part.check(&spot)?;
        }
        for (index, control) in self.controls.iter().enumerate() {
            names.add(&control.name, &format!("control[{index}].name"))?;
        }
        let mut outputs = Names::default();
        for output in &self.outputs {
            let spot = Spot(format!("output.{}", clip(&output.name)));
            outputs.add(&output.name, &spot.0)?;
            output.check(&spot)?;
        }
        check_all(&self.controls)?;
        check_all(&self.drives)?;
        check_all(&self.events)?;
        check_all(&self.taps)?;
        root.count("look", self.looks.len(), MAX_NODES, "tables")?;
        let mut looks = Names::default();
        for look in &self.looks {
            let spot = Spot(format!("look.{}", clip(&look.name)));
            looks.add(&look.name, &spot.0)?;
            look.check(&spot)?;
            look.check_names(self)?;
        }
        self.midi.as_ref().map_or(Ok(()), |midi| midi.check(&Spot("midi".into())))
    }
}

fn check_all<P: Section>(sections: &[P]) -> Check {
    let spot = |index| Spot(format!("{}[{index}]", P::KIND.family));
    sections.iter().enumerate().try_for_each(|(index, section)| section.check(&spot(index)))
}
