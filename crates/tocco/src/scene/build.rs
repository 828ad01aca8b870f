// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a scene's description to a scene that can sound.

use super::def::{Action, ContactForm, HammerDef, ImpactDef, Intent, Quantity, Source, TapTo};
use super::drive::Drive;
use super::hammer::{CONTACT_TIME, DEFAULT_SPEED_M_S, HARDNESS, HARDNESS_S};
use super::kinds::{Laying, Mobility, Wiring};
use super::{FORCE, Kin, Macro, Reach, Scene, SceneDef, SceneError, Slot, Tap, TapFrom, Target};
use crate::contact::coupled::MAX_CONTACTS;
use crate::contact::world::World;
use crate::contact::{Contact, Site};
use crate::engine::{Command, Timed};
use crate::math::{PI, Real, cos, pow, sin};
use crate::param::{Rate, Scale, Tunable};
use crate::resonator::{CONTROL_TICKS, Motion, Reading, Resonator};
use crate::rng::Rng;
use crate::scene::Address;
use crate::texture::fractal::FIRST;

/// Rates that can be rendered, Hz.
pub const RATES_HZ: (Real, Real) = (8_000.0, 384_000.0);

impl Scene {
    /// Wires a scene for one sample rate. `[control]`
    ///
    /// ```
    /// use tocco::scene::{Scene, SceneDef};
    /// let def = SceneDef::from_text("[body.ball]\ntype = \"mass\"\n[[tap]]\nof = \"bal\"").unwrap();
    /// let error = Scene::build(&def, 48_000.0).err().unwrap();
    /// assert_eq!(error.to_string(), "line 4: tap[0].of: no body 'bal'; did you mean 'ball'?");
    /// ```
    pub fn build(def: &SceneDef, rate_hz: Real) -> Result<Scene, SceneError> {
        build(def, rate_hz).map_err(|mut error| {
            error.line = error.line.or_else(|| def.line_of(&error.at));
            error
        })
    }
}

fn at<T>(place: impl Into<String>, result: Result<T, SceneError>) -> Result<T, SceneError> {
    result.map_err(|error| SceneError { at: place.into(), ..error })
}

fn build(def: &SceneDef, rate_hz: Real) -> Result<Scene, SceneError> {
    if !(RATES_HZ.0..=RATES_HZ.1).contains(&rate_hz) {
        let what = format!("{rate_hz} Hz is out of range; wants {} to {} Hz", RATES_HZ.0, RATES_HZ.1);
        return Err(SceneError::new("rate_hz", what));
    }
    def.check()?;
    let sample_s = 1.0 / rate_hz;
    let mut omitted = Vec::new();
    let mut bodies: Vec<Box<dyn Resonator>> = Vec::new();
    let mut names = Vec::new();
    let mut figures = Vec::new();
    let mut body_forms = Vec::new();
    for body in &def.bodies {
        let (left_out, form) = (omitted.len(), body.form.wired());
        bodies.push(form.build(&mut Wiring { def, name: &body.name, rate_hz, omitted: &mut omitted })?);
        figures.push(form.touched_anywhere(rate_hz));
        let missing = omitted.len() - left_out;
        body_forms.push(fingerprint(&format!("{} {} {missing}", form.kind().id, form.structure())));
        names.push((body.name.clone(), form.ports().into_iter().map(str::to_owned).collect::<Vec<_>>()));
    }

    let mut scene = Scene {
        world: World::new(Vec::new(), Vec::new(), sample_s),
        slots: Vec::new(),
        drives: Vec::new(),
        events: Vec::new(),
        taps: Vec::new(),
        readings: vec![Vec::new(); bodies.len()],
        macros: Vec::new(),
        channels: 1,
        rate_hz,
        title: def.title.clone(),
        duration: def.duration,
        bodies: names,
        contacts: def.contacts.iter().map(|c| c.name.clone()).collect(),
        omitted,
        figures,
        kin: vec![Kin::None; body_forms.len()],
        body_forms,
        contact_forms: def
            .contacts
            .iter()
            .map(|c| fingerprint(&format!("{:?} {} {}", c.between, c.form.kind().id, c.form.laid().structure())))
            .collect(),
        kin_contacts: vec![None; def.contacts.len()],
    };
    let contacts = contacts(def, &scene, &bodies)?;
    scene.world = World::new(bodies, contacts, sample_s);
    if scene.world.largest_cluster() > MAX_CONTACTS {
        let what = format!(
            "{} contacts hang together; at most {MAX_CONTACTS} can be solved at once, split the scene",
            scene.world.largest_cluster()
        );
        return Err(SceneError::new("contact", what));
    }
    slots(def, &mut scene);
    controls(def, &mut scene)?;
    intentions(def, &mut scene);
    drives(def, &mut scene)?;
    events(def, &mut scene)?;
    taps(def, &mut scene)?;
    super::midi::check(def, &scene)?;
    for slot in &mut scene.slots {
        slot.declared = (slot.value, slot.drive.is_some());
    }
    Ok(scene)
}

/// FNV-1a, 64 bits.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

pub(super) fn body_of(site: &str) -> &str {
    site.split('.').next().unwrap_or(site)
}

fn contacts(def: &SceneDef, scene: &Scene, bodies: &[Box<dyn Resonator>]) -> Result<Vec<Contact>, SceneError> {
    let mut all = Vec::new();
    for contact in &def.contacts {
        let between = format!("contact.{}.between", contact.name);
        let a = at(&between, scene.site(&contact.between[0]))?;
        let b = at(&between, scene.site(&contact.between[1]))?;
        if a.body == b.body {
            let what = format!("'{}' cannot touch itself; name two bodies", body_of(&contact.between[0]));
            return Err(SceneError::new(between, what));
        }
        let stiff = |site: Site| matches!(def.bodies[site.body].form.mobility(), Mobility::Fixed | Mobility::Guided);
        if stiff(a) && stiff(b) {
            let what = "neither partner can yield (wall or guided); one must be a mass or a vibrating body";
            return Err(SceneError::new(between, what));
        }
        all.push(contact.form.laid().build(&Laying { def, scene, bodies, contact, a, b })?);
    }
    Ok(all)
}

fn slots(def: &SceneDef, scene: &mut Scene) {
    let slot = |target, spec: crate::param::Spec, value| Slot {
        target,
        spec,
        value,
        goal: value,
        step: 0.0,
        bend: 0.0,
        left: 0,
        drive: None,
        declared: (value, false),
        lane: [0.0; CONTROL_TICKS],
    };
    for (body, node) in scene.world.bodies.iter().enumerate() {
        let absent = def.bodies[body].form.absent();
        for (param, spec) in node.specs().iter().enumerate() {
            // A body without another end has no way there.
            if !absent.contains(&spec.id) {
                scene.slots.push(slot(Target::Body { body, param }, *spec, node.get(param)));
            }
        }
        for port in 0..node.ports() {
            if node.inverse_mass(port) > 0.0 {
                scene.slots.push(slot(Target::Force(Site { body, port }), FORCE, 0.0));
            }
        }
    }
    for (contact, node) in scene.world.contacts.iter().enumerate() {
        for (param, spec) in node.law.specs().iter().enumerate() {
            // What another contact presses with is nobody's to set.
            if node.normal_from.is_none() || spec.id != "normal_force_n" {
                scene.slots.push(slot(Target::Contact { contact, param }, *spec, node.law.get(param)));
            }
        }
        if let Some(roughness) = &node.texture {
            for (param, spec) in roughness.surface.specs().iter().enumerate() {
                let value = roughness.surface.get(param);
                scene.slots.push(slot(Target::Surface { contact, param }, *spec, value));
            }
        }
    }
}

/// A control of a hammer's hardness, as the path and range of its stiffness.
fn hardness(def: &SceneDef, index: usize, path: &str) -> Result<Option<(String, [Real; 2])>, SceneError> {
    let control = &def.controls[index];
    let Some(name) = path.strip_suffix("/hardness_01") else { return Ok(None) };
    let Some(contact) = def.contacts.iter().find(|contact| contact.name == name) else { return Ok(None) };
    let ContactForm::Impact(ImpactDef { hammer, .. }) = &contact.form else { return Ok(None) };
    let wrong = |id: &str, what: &str| Err(SceneError::new(format!("control[{index}].{id}"), what));
    if control.scale == Scale::Log {
        return wrong("scale", "hardness is a logarithmic scale itself; leave it out");
    }
    if !control.range.iter().all(|end| (0.0..=1.0).contains(end)) {
        return wrong("range", "leaves what hardness_01 takes: 0 to 1");
    }
    let at_speed_m_s = hammer.map_or(DEFAULT_SPEED_M_S, |hammer| hammer.at_speed_m_s);
    let mut range = [0.0; 2];
    for (end, hardness) in range.iter_mut().zip(control.range) {
        let hammer = HammerDef { intent: Intent::Hardness(hardness), at_speed_m_s };
        *end = at(format!("control[{index}].path"), def.stiffness_for(contact, hammer))?;
    }
    Ok(Some((format!("{name}/stiffness"), range)))
}

fn controls(def: &SceneDef, scene: &mut Scene) -> Result<(), SceneError> {
    for (index, control) in def.controls.iter().enumerate() {
        let place = format!("control[{index}].path");
        let mut reach: Vec<Reach> = Vec::new();
        for named in control.paths() {
            let (path, range, scale) = match hardness(def, index, named)? {
                Some((path, range)) => (path, range, Scale::Log),
                None => (named.to_string(), control.range, control.scale),
            };
            let Address::Slot(slot) = at(&place, scene.address(&path))? else {
                return Err(SceneError::new(place, "names another control; name a parameter"));
            };
            if reach.iter().any(|other| other.slot == slot) {
                return Err(SceneError::new(place, format!("names {named} twice; keep one")));
            }
            let spec = scene.slots[slot].spec;
            if !range.iter().all(|value| spec.admits(*value)) {
                let what = format!("leaves what {named} takes: {:e} to {:e} {}", spec.min, spec.max, spec.unit);
                return Err(SceneError::new(format!("control[{index}].range"), what));
            }
            reach.push(Reach { slot, range, scale, ends: None });
        }
        scene.macros.push(Macro { name: control.name.clone(), reach, own: None });
    }
    Ok(())
}

/// What a hammer intends may be set like any parameter: `NAME/hardness_01` and `NAME/contact_time_s` stand for its stiffness.
fn intentions(def: &SceneDef, scene: &mut Scene) {
    for contact in &def.contacts {
        let ContactForm::Impact(ImpactDef { hammer, params, .. }) = &contact.form else { continue };
        let at_speed_m_s = hammer.map_or(DEFAULT_SPEED_M_S, |hammer| hammer.at_speed_m_s);
        let felt = HammerDef { intent: Intent::Hardness(0.0), at_speed_m_s };
        let path = format!("{}/stiffness", contact.name);
        // A contact without a hammer has no such parameter.
        let (Ok(soft), Ok(Address::Slot(slot))) = (def.stiffness_for(contact, felt), scene.address(&path)) else {
            continue;
        };
        let hard = soft * pow(HARDNESS_S[0] / HARDNESS_S[1], params.exponent + 1.0); // [intent.2], one integral for both ends
        if !scene.slots[slot].spec.admits(hard) {
            continue;
        }
        for (own, ends) in [(HARDNESS, None), (CONTACT_TIME, Some(HARDNESS_S))] {
            let reach = vec![Reach { slot, range: [soft, hard], scale: Scale::Log, ends }];
            scene.macros.push(Macro { name: format!("{}/{}", contact.name, own.id), reach, own: Some(own) });
        }
    }
}

fn drives(def: &SceneDef, scene: &mut Scene) -> Result<(), SceneError> {
    for (index, drive) in def.drives.iter().enumerate() {
        let place = format!("drive[{index}].path");
        let address = at(&place, scene.address(&drive.path))?;
        let moves: Vec<(usize, Option<Reach>)> = match address {
            Address::Slot(slot) => vec![(slot, None)],
            Address::Control(control) => scene.macros[control].reach.iter().map(|r| (r.slot, Some(*r))).collect(),
        };
        if moves.iter().any(|(slot, _)| scene.slots[*slot].drive.is_some()) {
            return Err(SceneError::new(place, "is driven twice; keep one drive per parameter"));
        }
        let spec = at(&place, scene.spec(address).ok_or_else(|| SceneError::new("", "unknown")))?;
        if let Source::Points(points) = &drive.source {
            if points.is_empty() {
                return Err(SceneError::new(
                    format!("drive[{index}].points"),
                    "is empty; give at least one [t, value]",
                ));
            }
            if let Some(point) = points.iter().position(|[_, value]| !spec.admits(*value)) {
                let what = format!(
                    "{} is out of range; {} takes {:e} to {:e} {}",
                    points[point][1], drive.path, spec.min, spec.max, spec.unit
                );
                return Err(SceneError::new(format!("drive[{index}].points[{point}]"), what));
            }
        }
        for (slot, through) in moves {
            let sampled = scene.slots[slot].spec.rate == Rate::Sample;
            let asked_hz = if sampled { scene.rate_hz } else { scene.rate_hz / CONTROL_TICKS as Real };
            if let Source::Noise { beta, first_hz, .. } = &drive.source {
                // Another rate than the scene's own holds it to its range instead.
                let own_hz = def.rate_hz * asked_hz / scene.rate_hz;
                if *beta != 0.0 && !FIRST.contains(&(first_hz / own_hz)) {
                    let (least, most) = (FIRST.start() * own_hz, FIRST.end() * own_hz);
                    let what = format!("{first_hz} Hz is out of range; {} takes {least} to {most} Hz", drive.path);
                    return Err(SceneError::new(format!("drive[{index}].noise.first_hz"), what));
                }
            }
            let number = scene.drives.len();
            scene.slots[slot].drive = Some(number);
            let rng = Rng::new(def.seed, &format!("drive {}", drive.path));
            let rest = scene.slots[slot].value;
            scene.drives.push(Drive::new(through, &drive.source, rest, asked_hz, rng));
            match scene.slots[slot].target {
                Target::Force(Site { body, .. }) | Target::Body { body, .. } if sampled => scene.world.lean(body, true),
                _ => {}
            }
            let law = matches!(scene.slots[slot].target, Target::Contact { .. });
            if !sampled || (law && matches!(drive.source, Source::Points(_))) {
                // What is driven from the start begins at the drive's first value, not at the default.
                let spec = scene.slots[slot].spec;
                let first = scene.driven(number, 0.0).clamp(spec.min, spec.max);
                scene.write_slot(slot, first);
                (scene.slots[slot].value, scene.slots[slot].goal) = (first, first);
            }
        }
    }
    Ok(())
}

fn events(def: &SceneDef, scene: &mut Scene) -> Result<(), SceneError> {
    for (index, event) in def.events.iter().enumerate() {
        let place = |key: &str| format!("event[{index}].{key}");
        let command = match &event.action {
            Action::Strike { body, velocity_m_s } => {
                let index = at(place("strike"), scene.body(body))?;
                if scene.world.bodies[index].as_mass().is_none() {
                    let what = format!("'{body}' is not a mass; strike a mass, or hit a port");
                    return Err(SceneError::new(place("strike"), what));
                }
                Command::Strike { body: index, velocity_m_s: *velocity_m_s }
            }
            Action::Hit { site, impulse_n_s } => {
                let found = at(place("hit"), scene.site(site))?;
                if scene.world.bodies[found.body].inverse_mass(found.port) == 0.0 {
                    return Err(SceneError::new(place("hit"), format!("'{site}' cannot move; hit a body that yields")));
                }
                Command::Hit { site: found, impulse_n_s: *impulse_n_s }
            }
            Action::Set { path, value } => {
                let address = at(place("set"), scene.address(path))?;
                let spec = at(place("set"), scene.spec(address).ok_or_else(|| SceneError::new("", "unknown")))?;
                if !spec.admits(*value) {
                    let what =
                        format!("{value} is out of range; {path} takes {:e} to {:e} {}", spec.min, spec.max, spec.unit);
                    return Err(SceneError::new(place("value"), what));
                }
                Command::Set(address, *value)
            }
        };
        scene.events.push(Timed { at: (event.at_s * scene.rate_hz).round() as u64, command });
    }
    scene.events.sort_by_key(|timed| timed.at);
    Ok(())
}

fn taps(def: &SceneDef, scene: &mut Scene) -> Result<(), SceneError> {
    for (index, tap) in def.taps.iter().enumerate() {
        let place = format!("tap[{index}].of");
        let contact = scene.contacts.iter().position(|name| *name == tap.of);
        let from = match (contact, tap.quantity) {
            (Some(contact), Quantity::Force | Quantity::Compression) => {
                scene.world.contacts[contact].watched |= tap.quantity == Quantity::Compression;
                TapFrom::Contact { contact, quantity: tap.quantity }
            }
            (Some(_), _) => {
                let what = format!("'{}' is a contact: its quantities are force and compression", tap.of);
                return Err(SceneError::new(format!("tap[{index}].quantity"), what));
            }
            (None, quantity) => {
                let site = at(&place, scene.site(&tap.of))?;
                let motion = match quantity {
                    Quantity::Position => Motion::Position,
                    Quantity::Velocity | Quantity::Acceleration => Motion::Velocity,
                    Quantity::Force | Quantity::Compression => {
                        let what = "is a quantity of contacts; name a contact in `of`";
                        return Err(SceneError::new(format!("tap[{index}].quantity"), what));
                    }
                };
                let readings = &mut scene.readings[site.body];
                let known = readings.iter().position(|r| r.port == site.port && r.motion == motion);
                let reading = known.unwrap_or_else(|| {
                    readings.push(Reading::new(site.port, motion));
                    readings.len() - 1
                });
                if motion == Motion::Velocity {
                    scene.world.bodies[site.body].listen(site.port);
                }
                let differentiate = quantity == Quantity::Acceleration;
                TapFrom::Body { body: site.body, index: reading, differentiate }
            }
        };
        let to = match tap.to {
            TapTo::Channel(channel) => [(channel, tap.gain), (channel, 0.0)],
            TapTo::Pan(pan) => {
                let angle = 0.5 * PI * pan;
                [(0, tap.gain * cos(angle)), (1, tap.gain * sin(angle))]
            }
        };
        scene.channels = to.iter().fold(scene.channels, |most, (channel, _)| most.max(channel + 1));
        let before = match from {
            TapFrom::Body { body, differentiate: true, .. } => {
                let port = scene.site(&tap.of).map_or(0, |site| site.port);
                scene.world.bodies[body].velocity(port)
            }
            _ => 0.0,
        };
        scene.taps.push(Tap { from, to, was: [0.0; 2], fade: 0, before, lane: [0.0; CONTROL_TICKS] });
    }
    Ok(())
}
