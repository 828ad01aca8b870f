// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene with its parts: one scene again, every name with its path in front.
//!
//! Of a part, bodies, contacts, signals, processes, walks, drives, events, taps and controls count; its rate, duration, seed, outputs,
//! `[midi]` and looks do not; a page takes the looks from the part's own scene. An inlet that hears a signal of the scene around it
//! reads that signal and is no inlet any more; what the part itself would have sent there is left out. `energy` is that of the part; `work` is kept for the whole scene only and refused. Random
//! labels are names, so each use of a scene draws its own numbers.

use super::def::*;
use super::error::{SceneError, nearest};
use super::kinds::Mobility;
use crate::gait::sole::Sole;
use crate::gesture::Gesture;
use crate::math::Real;
use crate::process::burst::BurstBy;
use crate::process::particles::CRUSH_S;
use crate::process::tread::TreadBy;
use std::borrow::Cow;

/// Most scenes inside one another.
const DEEPEST: usize = 16;

/// A value that a part is given once it is built.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Given {
    /// Where the scene says so.
    pub place: String,
    /// Path in the whole scene.
    pub path: String,
    /// What becomes of it.
    pub value: GivenValue,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum GivenValue {
    /// This.
    Is(Real),
    /// So many times what it is.
    Times(Real),
}

impl SceneDef {
    /// The scene without parts that says the same: everything inside a part is there under its path. `[control]`
    pub fn whole(&self) -> Result<Cow<'_, SceneDef>, SceneError> {
        Ok(self.whole_and_given()?.0)
    }

    pub(super) fn whole_and_given(&self) -> Result<(Cow<'_, SceneDef>, Vec<Given>), SceneError> {
        if self.parts.is_empty() {
            return Ok((Cow::Borrowed(self), Vec::new()));
        }
        let (def, given) = joined(self, 0)?;
        Ok((Cow::Owned(def), given))
    }
}

fn joined(def: &SceneDef, depth: usize) -> Result<(SceneDef, Vec<Given>), SceneError> {
    let mut all = def.clone();
    let mut given = Vec::new();
    for part in std::mem::take(&mut all.parts) {
        let place = format!("part.{}", part.name);
        let wrong = |key: &str, what: String| SceneError::new(format!("{place}{key}"), what);
        let Some(inside) = &part.inside else {
            let what = "nobody has fetched this scene; a scene that uses others is read with them";
            return Err(wrong(".scene", what.into()));
        };
        if depth == DEEPEST {
            return Err(wrong(".scene", format!("more than {DEEPEST} scenes inside one another")));
        }
        inside.def.check().map_err(|error| wrong(".scene", format!("{}: {error}", part.scene)))?;
        let (mut own, mut inner) = joined(&inside.def, depth + 1)?;
        if let Some(signal) = own.signals.iter().find(|signal| signal.form.reads() == Some("work")) {
            let what = format!(
                "'{}' reads work in signal.{}.of, which is kept for the whole scene only; read energy, of the part or of a body",
                part.scene, signal.name
            );
            return Err(wrong(".scene", what));
        }
        // Its outputs do not count, nor does what would move them.
        leave_alone(&mut own, |path| path.starts_with("output."));
        wear(&mut own, &part, &def.walks, def.rate_hz);
        connect(&mut own, &part).map_err(|(key, what)| wrong(&key, what))?;
        transpose(&own, &part, &place, &mut inner);
        let set = part.set.iter().map(|(path, value)| {
            let place = format!("{place}.set");
            Given { place, path: path.clone(), value: GivenValue::Is(*value) }
        });
        inner.extend(set);
        rename(&mut own, &part);
        let prefixed = |given: Given| Given { path: format!("{}/{}", part.name, given.path), ..given };
        given.extend(inner.into_iter().map(prefixed));
        all.bodies.append(&mut own.bodies);
        all.contacts.append(&mut own.contacts);
        all.signals.append(&mut own.signals);
        all.processes.append(&mut own.processes);
        all.walks.append(&mut own.walks);
        all.drives.append(&mut own.drives);
        all.events.append(&mut own.events);
        all.taps.append(&mut own.taps);
        all.controls.append(&mut own.controls);
    }
    Ok((all, given))
}

/// An inlet that hears a signal of the scene around reads it; that signal's name is marked, so that it gets no prefix.
const OUTER: &str = "\u{0}";

fn connect(own: &mut SceneDef, part: &PartDef) -> Result<(), (String, String)> {
    for (inlet, signal) in &part.signals {
        let inlets = || own.signals.iter().filter(|s| s.form.inlet().is_some()).map(|s| s.name.as_str());
        let Some(index) = own.signals.iter().position(|s| s.name == *inlet && s.form.inlet().is_some()) else {
            let near = nearest(inlet, inlets());
            return Err((format!(".signal.{inlet}"), format!("'{}' has no inlet '{inlet}'{near}", part.scene)));
        };
        let value = format!("{inlet}/value");
        leave_alone(own, |path| path == value);
        own.signals[index].form = ProbeDef { of: format!("{OUTER}{signal}") }.into();
    }
    Ok(())
}

/// What a scene says by itself of these paths is not said any more.
fn leave_alone(own: &mut SceneDef, is_one: impl Fn(&str) -> bool) {
    own.drives.retain(|drive| !is_one(&drive.path));
    own.events.retain(|event| !matches!(&event.gesture, Gesture::Set { path, .. } if is_one(path)));
    for control in &mut own.controls {
        control.also.retain(|path| !is_one(path));
        if is_one(&control.path) && !control.also.is_empty() {
            control.path = control.also.remove(0);
        }
    }
    own.controls.retain(|control| !is_one(&control.path));
}

/// Water moved, or snow crushed, per second by a foot that stands, where it is stirred by the envelope of a step, 1/s.
const STIRRED_HZ: Real = 3.0;

/// What a walker wears, weighs and how it excites: a floor that hears one of its regions is made for it.
///
/// On solid ground the impact contact called `sole` and the mass that it moves become the sole's [sole.1]; grains by [sole.2] to
/// [sole.4], heard as far up as the sole lets them be, as a burst is [sole.6]; what is soft scrapes little loose and cracks little
/// [sole.5]; water is pressed aside by [sole.2] and breaks by [sole.6]; what treads and what presses ice weighs what the walker weighs.
///
/// Nothing is made to ring beyond nine tenths of half the rate.
fn wear(own: &mut SceneDef, part: &PartDef, walks: &[WalkDef], rate_hz: Real) {
    let heard = part.signals.iter().find_map(|(_, signal)| {
        let walk =
            walks.iter().find(|walk| signal.strip_prefix(&walk.name).is_some_and(|rest| rest.starts_with('.')))?;
        Some((walk, signal.rsplit('.').next()?.starts_with("toe")))
    });
    let Some((walk, toe)) = heard else { return };
    let last = |name: &str| name.rsplit('/').next().unwrap_or(name) == "sole";
    if let Some(sole) = walk.sole {
        for contact in own.contacts.iter_mut().filter(|contact| last(&contact.name)) {
            let ContactForm::Impact(impact) = &mut contact.form else { continue };
            (impact.params.stiffness, impact.params.exponent) = (sole.stiffness, sole.exponent);
            impact.params.dissipation_s_m = sole.dissipation_s_m;
            impact.hammer = None;
            let hammer = contact.between[0].split('.').next().unwrap_or("");
            for body in own.bodies.iter_mut().filter(|body| body.name == hammer) {
                if let BodyForm::Mass(mass) = &mut body.form {
                    mass.params.mass_kg = sole.mass_kg;
                }
            }
        }
    }
    let solid = own.contacts.iter().any(|contact| last(&contact.name));
    let loose = walk.sole.filter(|_| solid).map_or(1.0, Sole::scrapes);
    for process in &mut own.processes {
        let (pitch, grains) = walk.sole.map_or((1.0, 1.0), |sole| (sole.pitch(toe), sole.grains(toe)));
        let contact_s = walk.sole.map_or(0.0, |sole| sole.contact_s);
        let brighter = |scale: Real, highest_hz: Real| {
            let most = (0.45 * rate_hz / (scale * highest_hz)).max(1.0);
            (scale * pitch.min(most)).clamp(0.05, 20.0)
        };
        match &mut process.form {
            ProcessForm::Particles(def) => {
                def.params.objects = (def.params.objects * grains).clamp(1.0, 1e5); // [sole.2]
                let highest = def.resonances.iter().map(|r| r.freq_hz).fold(0.0, Real::max);
                def.params.freq_scale = brighter(def.params.freq_scale, highest); // [sole.3]
                def.params.rise_s = (def.params.rise_s + contact_s).min(10.0); // [sole.4]
                def.params.gain *= loose; // [sole.5]
                if let Some(sole) = walk.sole {
                    def.params.lowpass_hz = sole.heard_to_hz(def.params.lowpass_hz).clamp(20.0, 192_000.0); // [sole.6]
                }
                if walk.excite_by == ExciteBy::Envelope {
                    // The energy follows the signal: in balance it is the signal itself.
                    (def.params.load, def.params.unload) = (0.0, 0.0);
                    def.params.level = CRUSH_S / def.params.system_decay_s;
                }
            }
            ProcessForm::Crumple(def) => {
                let highest = def.modes.iter().map(|mode| mode.freq_hz).fold(0.0, Real::max);
                def.params.freq_scale = brighter(def.params.freq_scale, highest);
                def.params.gain *= loose; // [sole.5]
                if let Some(sole) = walk.sole {
                    def.params.contact_time_s = (def.params.contact_time_s / sole.quick()).min(0.1); // [sole.6]
                }
                if walk.excite_by == ExciteBy::Envelope {
                    def.params.level = STIRRED_HZ * def.params.load;
                    (def.params.load, def.params.unload) = (0.0, 0.0);
                }
            }
            ProcessForm::Burst(def) => {
                if let Some(sole) = walk.sole {
                    def.params.bright_hz = (def.params.bright_hz * sole.quick()).clamp(10.0, 192_000.0); // [sole.6]
                    def.params.impulse_n_s *= loose;
                }
                if walk.excite_by == ExciteBy::Envelope {
                    def.by = BurstBy::Envelope;
                }
            }
            ProcessForm::Footstep(def) => {
                let highest = def.make.bands.iter().map(|band| band.freq_hz).fold(0.0, Real::max);
                def.params.freq_scale = brighter(def.params.freq_scale, highest); // [sole.3]
                if let Some(sole) = walk.sole {
                    def.make.bands.iter_mut().for_each(|band| band.gain *= sole.band_gain(band.freq_hz)); // [sole.6]
                }
            }
            ProcessForm::Puddle(def) => {
                if let Some(sole) = walk.sole {
                    // Much water is as loud as so many drops are together [sole.2]; what is quick breaks it finer [sole.6].
                    def.params.gain *= grains.sqrt();
                    def.params.freq_scale = (def.params.freq_scale * sole.quick().sqrt()).clamp(0.05, 20.0);
                    def.params.spread_s = (def.params.spread_s + contact_s).min(10.0); // [sole.4]
                }
                if walk.excite_by == ExciteBy::Envelope {
                    // As much as a step moves by its force, over as long as it stands.
                    (def.params.load, def.params.unload, def.params.level) = (0.0, 0.0, STIRRED_HZ);
                }
            }
            ProcessForm::Ice(def) => {
                def.params.gain *= loose; // [sole.5]
                def.params.weight_n = walk.weight_n();
            }
            ProcessForm::Tread(def) => {
                def.params.weight_n = walk.weight_n();
                if walk.excite_by == ExciteBy::Envelope {
                    def.by = TreadBy::Envelope;
                }
            }
            _ => {}
        }
    }
}

/// Everything that has a pitch.
fn transpose(own: &SceneDef, part: &PartDef, place: &str, given: &mut Vec<Given>) {
    if part.transpose == 1.0 {
        return;
    }
    let mut add = |node: &str, id: &str| {
        let (place, path) = (format!("{place}.transpose"), format!("{node}/{id}"));
        given.push(Given {
            place,
            path,
            value: GivenValue::Times(fault!(TRANSPOSE, part.transpose, part.transpose.sqrt())),
        });
    };
    for body in own.bodies.iter().filter(|body| body.form.mobility() == Mobility::Vibrating) {
        body.form.pitch().into_iter().for_each(|(spec, _)| add(&body.name, spec.id));
    }
    for process in &own.processes {
        let tuned = process.form.params().into_iter().any(|(spec, _)| spec.id == "freq_scale");
        tuned.then(|| add(&process.name, "freq_scale"));
    }
}

/// Puts the path before every name.
fn rename(own: &mut SceneDef, part: &PartDef) {
    let prefixed = |name: &mut String| match name.strip_prefix(OUTER) {
        Some(outer) => *name = outer.to_owned(),
        None => *name = format!("{}/{name}", part.name),
    };
    for body in &mut own.bodies {
        prefixed(&mut body.name);
    }
    for contact in &mut own.contacts {
        prefixed(&mut contact.name);
        contact.between.iter_mut().for_each(prefixed);
        contact.form.names_mut().into_iter().for_each(prefixed);
    }
    for signal in &mut own.signals {
        prefixed(&mut signal.name);
        signal.form.reads_mut().into_iter().for_each(prefixed);
        signal.vessel.iter_mut().for_each(prefixed);
    }
    for process in &mut own.processes {
        prefixed(&mut process.name);
        prefixed(&mut process.driven_by);
        process.on.iter_mut().for_each(prefixed);
        process.form.masses_mut().iter_mut().for_each(prefixed);
        process.form.walkers_mut().iter_mut().for_each(prefixed);
    }
    for walk in &mut own.walks {
        prefixed(&mut walk.name);
        walk.of.iter_mut().for_each(prefixed);
    }
    for drive in &mut own.drives {
        prefixed(&mut drive.path);
        if let Source::Signal(name) = &mut drive.source {
            prefixed(name);
        }
    }
    for event in &mut own.events {
        match &mut event.gesture {
            Gesture::Set { path: name, .. }
            | Gesture::Strike { body: name, .. }
            | Gesture::Hit { site: name, .. }
            | Gesture::Trigger { process: name, .. } => prefixed(name),
            Gesture::Join { contact, between } => {
                prefixed(contact);
                between.iter_mut().for_each(prefixed);
            }
            _ => {}
        }
    }
    for tap in &mut own.taps {
        prefixed(&mut tap.of);
        tap.travel.iter_mut().flat_map(|travel| &mut travel.by).for_each(prefixed);
        tap.outputs.clone_from(&part.outputs);
        tap.gain *= part.gain;
        if let Some(pan) = part.pan_01 {
            tap.to = TapTo::Pan(pan);
        }
    }
    for control in &mut own.controls {
        prefixed(&mut control.name);
        prefixed(&mut control.path);
        control.also.iter_mut().for_each(prefixed);
    }
}
