// SPDX-License-Identifier: MIT OR Apache-2.0
//! What bodies and contacts are built with.

use super::tap::TapDef;
use super::*;

/// What a body is built with.
pub(in crate::scene) struct BodyContext<'a> {
    pub(in crate::scene) def: &'a SceneDef,
    pub(in crate::scene) name: &'a str,
    pub(in crate::scene) rate_hz: Real,
    /// What this rate cannot hold, for people.
    pub(in crate::scene) omitted: &'a mut Vec<String>,
}

impl BodyContext<'_> {
    pub(super) fn sample_s(&self) -> Real {
        1.0 / self.rate_hz
    }
    pub(super) fn spot(&self) -> Spot {
        Spot(format!("body.{}", self.name))
    }
    /// Taps that hear what it radiates, with their places in the scene.
    pub(super) fn ears(&self) -> impl Iterator<Item = (usize, &TapDef)> {
        self.def.taps.iter().enumerate().filter(|(_, tap)| tap.hears_radiation_of(self.name))
    }
    /// True if a contact is laid at it, or may be.
    pub(super) fn has_contact(&self) -> bool {
        let at = |site: &String| super::super::build::body_of(site) == self.name;
        self.def.contacts.iter().any(|contact| contact.spare || contact.between.iter().any(at))
    }
}

/// What a contact is built with.
pub(in crate::scene) struct ContactContext<'a> {
    pub(in crate::scene) def: &'a SceneDef,
    pub(in crate::scene) directory: &'a Directory,
    pub(in crate::scene) bodies: &'a [Box<dyn Resonator>],
    pub(in crate::scene) contact: &'a ContactDef,
    pub(in crate::scene) a: Site,
    pub(in crate::scene) b: Site,
}

impl ContactContext<'_> {
    pub(super) fn spot(&self) -> Spot {
        Spot(format!("contact.{}", self.contact.name))
    }
    pub(super) fn sites(&self) -> [Site; 2] {
        [self.a, self.b]
    }
    pub(super) fn contact(&self, law: Law, substeps: Option<u32>, exact: bool) -> Contact {
        let rng = Rng::new(self.def.seed, &self.contact.name);
        Contact::new(self.a, self.b, law, substeps, exact, rng)
    }
    pub(super) fn is_rigid(&self, site: Site) -> bool {
        matches!(self.def.bodies[site.body].form.mobility(), Mobility::Free | Mobility::Fixed)
    }
    /// Nothing else touches there, or nothing could move it.
    pub(super) fn is_alone(&self, site: Site) -> bool {
        if self.def.contacts.iter().any(|contact| contact.spare) {
            return false;
        }
        let all = self.def.contacts.iter().flat_map(|contact| &contact.between);
        self.bodies[site.body].inverse_mass(site.port) == 0.0
            || all.filter(|named| self.directory.site(named) == Ok(site)).count() == 1
    }
    /// Index of the contact that presses this one.
    pub(super) fn presser(&self, from: &str) -> Result<usize, SceneError> {
        let spot = self.spot();
        let index = self.directory.contact(from).or_else(|error| spot.fail("normal_from", error.what))?;
        if self.def.contacts[index].form.presses() {
            return Ok(index);
        }
        let which = if from == self.contact.name { "this contact itself" } else { "a friction contact" };
        spot.fail("normal_from", format!("'{from}' is {which}; name an impact contact"))
    }
    /// Index of the body whose position moves a profile.
    pub(super) fn traveller(&self, name: &str) -> Result<usize, SceneError> {
        let spot = self.spot().within("texture");
        let index = self.directory.body(name).or_else(|error| spot.fail("travel_from", error.what))?;
        match self.def.bodies[index].form.mobility() {
            Mobility::Guided | Mobility::Free => Ok(index),
            Mobility::Fixed | Mobility::Vibrating => {
                spot.fail("travel_from", format!("'{name}' does not travel; name a guided body or a mass"))
            }
        }
    }
}
