// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bodies and laws from another crate: whatever keeps the promises of [`Resonator`] and
//! [`Interactor`](crate::interactor::Interactor).

use super::*;
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
    /// True if its force is a normal force: nondecreasing in the compression and never negative.
    fn presses(&self) -> bool {
        true
    }
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
    /// Wraps it.
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

impl Wired for OwnBodyDef {
    fn check(&self, spot: &Spot) -> Check {
        if self.1.is_empty() {
            return spot.fail("port", "is empty; a body needs a place to be touched");
        }
        spot.ports(self.1.iter().map(String::as_str))
    }
    fn write(&self, _out: &mut Toml, _at: &str) {}
    fn build(&self, wiring: &mut Wiring<'_>) -> Result<Box<dyn Resonator>, SceneError> {
        let spot = wiring.spot();
        let body = self.0.build(wiring.sample_s()).or_else(|what| spot.fail("", what))?;
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
pub struct OwnLawDef(pub Arc<dyn OwnLaw>);

impl OwnLawDef {
    /// Wraps it.
    pub fn new(law: impl OwnLaw + 'static) -> Self {
        Self(Arc::new(law))
    }
}

impl PartialEq for OwnLawDef {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
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
        self.0.presses()
    }
    fn words(&self, _def: &SceneDef, _contact: &ContactDef) -> String {
        self.0.words()
    }
}

impl Laid for OwnLawDef {
    fn check(&self, _spot: &Spot) -> Check {
        Ok(())
    }
    fn write(&self, _out: &mut Toml) {}
    fn build(&self, laying: &Laying<'_>) -> Result<Contact, SceneError> {
        let law = self.0.build().or_else(|what| laying.spot().fail("", what))?;
        Ok(laying.contact(law, None, false))
    }
    fn structure(&self) -> String {
        format!("{:p} {:?}", Arc::as_ptr(&self.0), self.0)
    }
    fn is_written(&self) -> bool {
        false
    }
}
