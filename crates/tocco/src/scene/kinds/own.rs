// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bodies and laws from another crate: whatever keeps the promises of [`Resonator`] and
//! [`Interactor`](crate::interactor::Interactor).

use super::*;
use crate::contact::PressedBy;
use std::fmt::Debug;
use std::sync::Arc;

/// A body of one's own, as a scene made in code holds it. It has no written form: [`SceneDef::to_toml`] leaves a comment.
pub trait OwnBody: Debug + Send + Sync {
    /// Names of its places, at least one, in the order of the resonator's ports.
    fn ports(&self) -> Vec<String> {
        vec!["0".into()]
    }
    /// The body itself, for this sample interval, s; an error says what is wrong with it. `[control]`
    fn build(&self, sample_s: Real) -> Result<Box<dyn Resonator>, String>;
    /// What it is, for people.
    fn words(&self) -> String {
        format!("{self:?}")
    }
}

/// A law of one's own, as a scene made in code holds it. It has no written form: [`SceneDef::to_toml`] leaves a comment.
pub trait OwnLaw: Debug + Send + Sync {
    /// The law itself; an error says what is wrong with it. `[control]`
    fn build(&self) -> Result<Law, String>;
    /// What it is, for people.
    fn words(&self) -> String {
        format!("{self:?}")
    }
}

const OWN_BODY: Kind = Kind { family: "body", id: "own", doc: "A body made in code.", ..Kind::NONE };
const OWN_LAW: Kind = Kind { family: "contact", id: "own", doc: "A contact made in code.", ..Kind::NONE };

/// A body of one's own in a scene; equal to itself and its clones alone.
#[derive(Clone, Debug)]
pub struct OwnBodyDef(pub Arc<dyn OwnBody>, Vec<String>);

impl OwnBodyDef {
    /// For [`SceneDef::body`].
    pub fn new(body: impl OwnBody + 'static) -> Self {
        let ports = body.ports();
        Self(Arc::new(body), ports)
    }
}

impl PartialEq for OwnBodyDef {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl BodyKind for OwnBodyDef {
    fn kind(&self) -> &'static Kind {
        &OWN_BODY
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        Vec::new()
    }
    fn ports(&self) -> Vec<&str> {
        self.1.iter().map(String::as_str).collect()
    }
    fn words(&self, _rate_hz: Real) -> String {
        self.0.words()
    }
}

impl BuildBody for OwnBodyDef {
    fn check(&self, spot: &Spot) -> Check {
        if self.1.is_empty() {
            return spot.fail("port", "is empty; a body needs a place to be touched");
        }
        spot.ports(self.1.iter().map(String::as_str))
    }
    fn write(&self, _out: &mut Toml, _at: &str) {}
    fn build(&self, context: &mut BodyContext<'_>) -> Result<Box<dyn Resonator>, SceneError> {
        let spot = context.spot();
        let body = self.0.build(context.sample_s()).or_else(|what| spot.fail("", what))?;
        match body.ports() == self.1.len() {
            true => Ok(body),
            false => spot.fail("port", format!("names {} places and the body has {}", self.1.len(), body.ports())),
        }
    }
    fn structure(&self) -> String {
        format!("{:p} {:?}", Arc::as_ptr(&self.0), self.0)
    }
    fn is_written(&self) -> bool {
        false
    }
}

/// A law of one's own in a scene; equal to itself and its clones alone.
#[derive(Clone, Debug)]
pub struct OwnLawDef {
    law: Arc<dyn OwnLaw>,
    normal_from: Option<String>,
}

impl OwnLawDef {
    /// For [`SceneDef::contact`].
    pub fn new(law: impl OwnLaw + 'static) -> Self {
        Self { law: Arc::new(law), normal_from: None }
    }

    /// A law along the surface, pressed by the force of another contact instead of a parameter of its own.
    pub fn pressed_by(self, contact: &str) -> Self {
        Self { normal_from: Some(contact.into()), ..self }
    }
}

impl PartialEq for OwnLawDef {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.law, &other.law) && self.normal_from == other.normal_from
    }
}

impl ContactKind for OwnLawDef {
    fn kind(&self) -> &'static Kind {
        &OWN_LAW
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        Vec::new()
    }
    fn presses(&self) -> bool {
        matches!(self.law.build(), Ok(Law::Normal(_)))
    }
    fn names(&self) -> Vec<&str> {
        self.normal_from.iter().map(String::as_str).collect()
    }
    fn names_mut(&mut self) -> Vec<&mut String> {
        self.normal_from.iter_mut().collect()
    }
    fn words(&self, _def: &SceneDef, _contact: &ContactDef) -> String {
        self.law.words()
    }
}

impl BuildContact for OwnLawDef {
    fn check(&self, _spot: &Spot) -> Check {
        Ok(())
    }
    fn write(&self, _out: &mut Toml) {}
    fn build(&self, context: &ContactContext<'_>) -> Result<Contact, SceneError> {
        let wrong = |what: &str| context.spot().fail("", what);
        let mut law = self.law.build().or_else(|what| context.spot().fail("", what))?;
        match (&mut law, &self.normal_from) {
            (Law::Tangential { pressed_by, .. }, Some(name)) => {
                *pressed_by = PressedBy::Contact(context.presser(name)?);
            }
            (Law::Tangential { pressed_by: PressedBy::Contact(_), .. }, None) => {
                return wrong("is pressed by a contact that it does not name; say which with OwnLawDef::pressed_by");
            }
            (_, Some(_)) => return wrong("does not act along the surface; nothing presses it"),
            (_, None) => {}
        }
        Ok(context.contact(law, None, false))
    }
    fn structure(&self) -> String {
        format!("{:p} {self:?}", Arc::as_ptr(&self.law))
    }
    fn is_written(&self) -> bool {
        false
    }
}
