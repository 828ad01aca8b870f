// SPDX-License-Identifier: MIT OR Apache-2.0
//! From a scene's description to a scene that can sound.

use super::control::{Control, Mapping};
use super::def::{
    BodyForm, ContactDef, ContactForm, HammerDef, ImpactLaw, Intent, MAIN, ModeDef, OutputDef, PlaceOn, PortDef,
    Quantity, ShapeDef, Source, Substeps, TapDef, TapTo, TextureDef,
};
use super::directory::{BodyEntry, Directory, Output};
use super::drive::{Drive, Inputs};
use super::error::nearest;
use super::hammer::{CONTACT_TIME, DEFAULT_SPEED_M_S, HARDNESS, HARDNESS_S};
use super::handover::Lineage;
use super::slot::{FORCE, Slot, Target};
use super::tap::{Tap, TapFrom};
use super::{Runtime, Scene, SceneDef, SceneError, network};
use crate::command::{Address, Timed};
use crate::contact::coupled::MAX_CONTACTS;
use crate::contact::world::World;
use crate::contact::{Contact, Law, PressedBy, Roughness, Site};
use crate::gesture::Gesture;
use crate::hash::text as fingerprint;
use crate::interactor::friction::{self, FrictionParams};
use crate::interactor::impact::ImpactParams;
use crate::math::{PI, Real, cos, pow, sin};
use crate::param::{Rate, Scale, Spec, Tunable};
use crate::resonator::inertial::{Guided, GuidedParams, Mass, MassParams};
use crate::resonator::modal::{Modal, ModalParams, Tuning};
use crate::resonator::shape;
use crate::resonator::waveguide::{DEFAULT_PLACE, HIGHEST, StringParams, Waveguide};
use crate::resonator::{CONTROL_TICKS, Motion, Reading, Resonator};
use crate::rng::Rng;
use crate::texture::fractal::FIRST;
use crate::texture::{Surface, TextureParams};

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
    let sample_s = 1.0 / rate_hz;
    let mut omitted = Vec::new();
    let mut bodies: Vec<Box<dyn Resonator>> = Vec::new();
    let mut directory = Directory::default();
    let mut body_makes = Vec::new();
    for body in &def.bodies {
        let left_out = omitted.len();
        let mut ports = vec!["0".to_string()];
        let mut figure_here = None;
        bodies.push(match &body.form {
            BodyForm::Mass { position_m, velocity_m_s } => {
                Box::new(Mass::new(MassParams::from_values(&body.params), *position_m, *velocity_m_s, sample_s))
            }
            BodyForm::Wall { position_m } => Box::new(Guided::wall(*position_m, sample_s)),
            BodyForm::Guided { position_m } => {
                Box::new(Guided::new(GuidedParams::from_values(&body.params), *position_m, sample_s))
            }
            BodyForm::Modal { modes, ports: places, morph } => {
                if !places.is_empty() {
                    ports = places.iter().map(|p| p.name.clone()).collect();
                }
                let params = ModalParams::from_values(&body.params);
                let kept = audible(def, &body.name, modes, params.freq_scale, rate_hz, &mut omitted)?;
                let touched = def.contacts.iter().any(|c| c.between.iter().any(|s| body_of(s) == body.name));
                match morph {
                    None => {
                        let Tuning { modes, ports } = tuning(modes, places, &kept);
                        Box::new(Modal::new(params, &modes, &ports, sample_s, touched))
                    }
                    Some(to) => {
                        // A mode too high for this rate may come within it: the bank silences what does not fit.
                        let all = |modes: &[ModeDef]| (0..modes.len()).collect::<Vec<_>>();
                        let from = tuning(modes, places, &all(modes));
                        let there = if to.ports.is_empty() { places } else { &to.ports };
                        let to = tuning(&to.modes, there, &all(&to.modes));
                        Box::new(Modal::morphing(params, &from, &to, sample_s, touched))
                    }
                }
            }
            BodyForm::Shape { figure, ports: places, morph } => {
                if !places.is_empty() {
                    ports = places.iter().map(|p| p.name.clone()).collect();
                }
                let params = ModalParams::from_values(&body.params);
                let place = format!("body.{}", body.name);
                let below_hz = 0.5 * rate_hz / params.freq_scale;
                let from = shaped(&place, figure, places, below_hz)?;
                let touched = def.contacts.iter().any(|c| c.between.iter().any(|s| body_of(s) == body.name));
                match morph {
                    None => {
                        figure_here = Some((figure.clone(), below_hz));
                        Box::new(Modal::new(params, &from.modes, &from.ports, sample_s, touched))
                    }
                    Some(to) => {
                        let there: Vec<PlaceOn> = places.iter().map(|port| to.place(port).clone()).collect();
                        let to = shaped(&format!("{place}.morph"), &to.figure, &there, below_hz)?;
                        Box::new(Modal::morphing(params, &from, &to, sample_s, touched))
                    }
                }
            }
            BodyForm::String { ports: places } => {
                let params = StringParams::from_values(&body.params);
                check_pitch(def, &body.name, params.freq_hz, rate_hz, &mut omitted)?;
                let mut fractions = vec![DEFAULT_PLACE];
                if !places.is_empty() {
                    ports = places.iter().map(|p| p.name.clone()).collect();
                    fractions = places.iter().map(|p| p.place).collect();
                }
                Box::new(Waveguide::new(params, &fractions, sample_s))
            }
            BodyForm::Network { masses, .. } => {
                ports = masses.iter().map(|point| point.name.clone()).collect();
                network::build(def, body, rate_hz, &mut omitted)?
            }
        });
        body_makes.push(match &body.form {
            // Where these began does not matter to where they are.
            BodyForm::Mass { .. } => fingerprint("mass"),
            BodyForm::Guided { .. } => fingerprint("guided"),
            form => fingerprint(&format!("{form:?} {}", omitted.len() - left_out)),
        });
        let built = &bodies[bodies.len() - 1];
        directory.add_body(BodyEntry {
            name: body.name.clone(),
            yields: (0..ports.len()).map(|port| built.inverse_mass(port) > 0.0).collect(),
            ports,
            is_mass: matches!(body.form, BodyForm::Mass { .. }),
            slots: 0..0,
            figure: figure_here,
        });
    }

    let contact_makes = def
        .contacts
        .iter()
        .map(|c| fingerprint(&format!("{:?} {:?} {:?} {:?}", c.between, c.form, c.substeps, c.texture)))
        .collect();
    def.contacts.iter().for_each(|contact| directory.add_contact(&contact.name));
    let readings = vec![Vec::new(); bodies.len()];
    let contacts = contacts(def, &directory, &bodies)?;
    let world = World::new(bodies, contacts, sample_s);
    if world.largest_cluster() > MAX_CONTACTS {
        let what = format!(
            "{} contacts hang together; at most {MAX_CONTACTS} can be solved at once, split the scene",
            world.largest_cluster()
        );
        return Err(SceneError::new("contact", what));
    }
    let mut wiring = Wiring {
        def,
        directory,
        runtime: Runtime {
            world,
            slots: Vec::new(),
            drives: Vec::new(),
            events: Vec::new(),
            taps: Vec::new(),
            readings,
            channels: 1,
            rate_hz,
        },
    };
    wiring.slots();
    wiring.controls()?;
    wiring.intentions();
    wiring.drives()?;
    wiring.events()?;
    wiring.outputs()?;
    wiring.taps()?;
    super::midi::check(def, &wiring.directory)?;
    let Wiring { mut directory, mut runtime, .. } = wiring;
    for (index, slot) in runtime.slots.iter_mut().enumerate() {
        slot.declared = (slot.value, slot.drive.is_some());
        directory.declare(index, slot.value);
    }
    let lineage = Lineage::new(body_makes, contact_makes);
    Ok(Scene { directory, runtime, lineage, title: def.title.clone(), duration: def.duration, omitted })
}

pub(super) fn body_of(site: &str) -> &str {
    site.split('.').next().unwrap_or(site)
}

/// The modes of these indices and their values at the places, one place of all ones if none is named.
fn tuning(modes: &[ModeDef], places: &[PortDef], kept: &[usize]) -> Tuning {
    let ports = if places.is_empty() {
        vec![vec![1.0; kept.len()]]
    } else {
        places.iter().map(|p| kept.iter().map(|&i| p.shape[i]).collect()).collect()
    };
    Tuning { modes: kept.iter().map(|&i| (modes[i].freq_hz, modes[i].decay_s, modes[i].mass_kg)).collect(), ports }
}

/// Modes and shape values of a body by geometry and material, with its place in the scene in what may be wrong with it.
fn shaped(place: &str, figure: &ShapeDef, places: &[PlaceOn], below_hz: Real) -> Result<Tuning, SceneError> {
    let solved = shape::evaluate(figure, places, below_hz).map_err(|fault| {
        let dot = if fault.key.is_empty() { "" } else { "." };
        SceneError::new(format!("{place}{dot}{}", fault.key), fault.what)
    })?;
    let modes = solved.modes.iter().map(|m| (m.freq_hz, m.decay_s, m.mass_kg)).collect();
    Ok(Tuning { modes, ports: solved.shapes })
}

/// Indices of the modes that this rate can hold.
pub(super) fn audible(
    def: &SceneDef,
    name: &str,
    modes: &[ModeDef],
    scale: Real,
    rate_hz: Real,
    omitted: &mut Vec<String>,
) -> Result<Vec<usize>, SceneError> {
    let mut kept = Vec::new();
    for (index, mode) in modes.iter().enumerate() {
        let freq_hz = mode.freq_hz * scale;
        if freq_hz < 0.5 * rate_hz {
            kept.push(index);
        } else if rate_hz < def.rate_hz {
            omitted.push(format!("{name}: mode {index} ({freq_hz} Hz)"));
        } else {
            let what = format!(
                "{freq_hz} Hz is not below half the rate ({} Hz); lower it, leave the mode out or raise rate_hz",
                0.5 * rate_hz
            );
            return Err(SceneError::new(format!("body.{name}.modes[{index}].freq_hz"), what));
        }
    }
    Ok(kept)
}

/// A string plays at most [`HIGHEST`] of the rate: refused in the scene's own rate, named where another lowers it.
fn check_pitch(
    def: &SceneDef,
    name: &str,
    freq_hz: Real,
    rate_hz: Real,
    omitted: &mut Vec<String>,
) -> Result<(), SceneError> {
    let highest = HIGHEST * rate_hz;
    if freq_hz <= highest {
        return Ok(());
    }
    if rate_hz < def.rate_hz {
        omitted.push(format!("{name}: its pitch ({freq_hz} Hz; it plays at {highest} Hz)"));
        return Ok(());
    }
    let what = format!("{freq_hz} Hz is above {HIGHEST} of the rate ({highest} Hz); lower it or raise rate_hz");
    Err(SceneError::new(format!("body.{name}.freq_hz"), what))
}

fn contacts(def: &SceneDef, directory: &Directory, bodies: &[Box<dyn Resonator>]) -> Result<Vec<Contact>, SceneError> {
    let mut all = Vec::new();
    for contact in &def.contacts {
        let place = format!("contact.{}", contact.name);
        let between = format!("{place}.between");
        let a = at(&between, directory.site(&contact.between[0]))?;
        let b = at(&between, directory.site(&contact.between[1]))?;
        if a.body == b.body {
            let what = format!("'{}' cannot touch itself; name two bodies", body_of(&contact.between[0]));
            return Err(SceneError::new(between, what));
        }
        let still = |site: Site| bodies[site.body].inverse_mass(site.port) == 0.0;
        let is = |site: Site, wanted: fn(&BodyForm) -> bool| wanted(&def.bodies[site.body].form);
        let unyielding = |site| is(site, |f| matches!(f, BodyForm::Wall { .. } | BodyForm::Guided { .. }));
        if unyielding(a) && unyielding(b) {
            let what = "neither partner can yield (wall or guided); one must be a mass or a vibrating body";
            return Err(SceneError::new(between, what));
        }
        let exact = matches!(contact.form, ContactForm::Impact { exact_wall: true, .. });
        if exact {
            let plain = |site| is(site, |f| matches!(f, BodyForm::Mass { .. } | BodyForm::Wall { .. }));
            let alone = |site: Site| {
                still(site)
                    || def.contacts.iter().flat_map(|c| &c.between).filter(|s| directory.site(s) == Ok(site)).count()
                        == 1
            };
            let pair = [a, b].into_iter().all(|site| plain(site) && alone(site));
            at(format!("{place}.exact_wall"), check_exact(contact, pair))?;
            let presses = |c: &ContactDef| matches!(&c.form, ContactForm::Friction { normal_from: Some(from), .. } if *from == contact.name);
            if let Some(other) = def.contacts.iter().find(|c| presses(c)) {
                let what = format!("cannot press '{}' (normal_from); set it to false", other.name);
                return Err(SceneError::new(format!("{place}.exact_wall"), what));
            }
        }
        let law = match &contact.form {
            ContactForm::Impact { law, viscous_exponent, .. } => {
                let params =
                    ImpactParams { stiffness: def.stiffness(contact)?, ..ImpactParams::from_values(&contact.params) };
                Law::Normal(law.build(params, *viscous_exponent))
            }
            ContactForm::Friction { law, viscous_exponent, normal_from } => {
                let params = FrictionParams::from_values(&contact.params);
                if let Some((id, what)) = friction::check(*law, &params) {
                    return Err(SceneError::new(format!("{place}.{id}"), what));
                }
                let pressed_by = match normal_from {
                    None => PressedBy::Parameter,
                    Some(from) => PressedBy::Contact(at(
                        format!("{place}.normal_from"),
                        presser(def, directory, &contact.name, from),
                    )?),
                };
                Law::Tangential { law: law.build(params, *viscous_exponent), pressed_by }
            }
        };
        let substeps = match contact.substeps {
            Substeps::Auto => None,
            Substeps::Fixed(count) => Some(count),
        };
        let rng = Rng::new(def.seed, &contact.name);
        let mut built = Contact::new(a, b, law, substeps, exact, rng);
        if let Some(texture) = &contact.texture {
            let place = format!("{place}.texture.travel_from");
            let travel = texture.travel.as_ref().map(|name| at(place, traveller(def, directory, name))).transpose()?;
            let rng = Rng::new(def.seed, &format!("texture {}", contact.name));
            built.texture =
                Some(Roughness { surface: surface(texture, rng), height_m: texture.height_m, travel, way: 0.0 });
        }
        all.push(built);
    }
    Ok(all)
}

/// `pair`: two masses, or a mass and a wall, that touch nothing else.
fn check_exact(contact: &ContactDef, pair: bool) -> Result<(), SceneError> {
    let wrong = |what: &str| Err(SceneError::new("", format!("{what}; set it to false")));
    if !pair {
        return wrong("is for a mass against a wall or one other mass, each with this contact only");
    }
    if let ContactForm::Impact { law, viscous_exponent, .. } = &contact.form
        && (*law == ImpactLaw::Stulov || viscous_exponent.is_some())
    {
        return wrong("holds for the laws hunt-crossley, power and linear without viscous_exponent");
    }
    if contact.texture.is_some() {
        return wrong("holds for smooth surfaces, and this contact has a texture");
    }
    Ok(())
}

/// Index of the impact contact that presses a friction contact.
fn presser(def: &SceneDef, directory: &Directory, own: &str, from: &str) -> Result<usize, SceneError> {
    let index = directory.contact(from)?;
    match def.contacts[index].form {
        ContactForm::Impact { .. } => Ok(index),
        ContactForm::Friction { .. } => {
            let which = if from == own { "this contact itself" } else { "a friction contact" };
            Err(SceneError::new("", format!("'{from}' is {which}; name an impact contact")))
        }
    }
}

/// Index of the body whose position moves a profile.
fn traveller(def: &SceneDef, directory: &Directory, name: &str) -> Result<usize, SceneError> {
    let index = directory.body(name)?;
    match def.bodies[index].form {
        BodyForm::Guided { .. } | BodyForm::Mass { .. } => Ok(index),
        _ => Err(SceneError::new("", format!("'{name}' does not travel; name a guided body or a mass"))),
    }
}

fn surface(texture: &TextureDef, rng: Rng) -> Surface {
    let params = TextureParams { beta: texture.beta };
    Surface::new(params, texture.grain_m, texture.longest_m, texture.poles_per_decade, rng)
}

/// A scene on its way from a description to a wired world: what stands is used by what comes next.
struct Wiring<'d> {
    def: &'d SceneDef,
    directory: Directory,
    runtime: Runtime,
}

impl Wiring<'_> {
    /// A slot for every live parameter, in the order of the scene.
    fn slots(&mut self) {
        let Self { def, directory, runtime: Runtime { world, slots, .. } } = self;
        let mut add = |target, spec: Spec, value| {
            directory.add_parameter(target, spec, value);
            slots.push(Slot::new(target, spec, value));
        };
        for (body, node) in world.bodies.iter().enumerate() {
            let form = &def.bodies[body].form;
            let still = matches!(form, BodyForm::Modal { morph: None, .. } | BodyForm::Shape { morph: None, .. });
            for (param, spec) in node.specs().iter().enumerate() {
                // A body without another end has no way there.
                if !(still && spec.id == "morph_01") {
                    add(Target::Body { body, param }, *spec, node.get(param));
                }
            }
            for port in (0..node.ports()).filter(|port| node.inverse_mass(*port) > 0.0) {
                add(Target::Force(Site { body, port }), FORCE, 0.0);
            }
        }
        for (contact, node) in world.contacts.iter().enumerate() {
            for (param, spec) in node.law.specs().iter().enumerate() {
                // What another contact presses with is nobody's to set.
                if node.law.presser().is_none() || spec.id != "normal_force_n" {
                    add(Target::Contact { contact, param }, *spec, node.law.get(param));
                }
            }
            if let Some(roughness) = &node.texture {
                for (param, spec) in roughness.surface.specs().iter().enumerate() {
                    add(Target::Surface { contact, param }, *spec, roughness.surface.get(param));
                }
            }
        }
    }

    /// A control of a hammer's hardness, as the path and range of its stiffness.
    fn hardness(&self, index: usize, path: &str) -> Result<Option<(String, [Real; 2])>, SceneError> {
        let (def, control) = (self.def, &self.def.controls[index]);
        let Some(name) = path.strip_suffix("/hardness_01") else { return Ok(None) };
        let Some(contact) = def.contacts.iter().find(|contact| contact.name == name) else { return Ok(None) };
        let ContactForm::Impact { hammer, .. } = &contact.form else { return Ok(None) };
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

    fn controls(&mut self) -> Result<(), SceneError> {
        for (index, control) in self.def.controls.iter().enumerate() {
            let place = format!("control[{index}].path");
            let mut moves: Vec<Mapping> = Vec::new();
            for named in control.paths() {
                let (path, range, scale) = match self.hardness(index, named)? {
                    Some((path, range)) => (path, range, Scale::Log),
                    None => (named.to_string(), control.range, control.scale),
                };
                let Address::Slot(slot) = at(&place, self.directory.address(&path))? else {
                    return Err(SceneError::new(place, "names another control; name a parameter"));
                };
                if moves.iter().any(|other| other.slot == slot) {
                    return Err(SceneError::new(place, format!("names {named} twice; keep one")));
                }
                let spec = self.runtime.slots[slot].spec;
                if !range.iter().all(|value| spec.admits(*value)) {
                    let what = format!("leaves what {named} takes: {:e} to {:e} {}", spec.min, spec.max, spec.unit);
                    return Err(SceneError::new(format!("control[{index}].range"), what));
                }
                moves.push(Mapping { slot, range, scale, knob_ends: None });
            }
            self.directory.add_control(Control { name: control.name.clone(), moves, stands_for: None });
        }
        Ok(())
    }

    /// What a hammer intends may be set like any parameter: `NAME/hardness_01` and `NAME/contact_time_s` stand for its
    /// stiffness.
    fn intentions(&mut self) {
        for contact in &self.def.contacts {
            let ContactForm::Impact { hammer, .. } = &contact.form else { continue };
            let at_speed_m_s = hammer.map_or(DEFAULT_SPEED_M_S, |hammer| hammer.at_speed_m_s);
            let felt = HammerDef { intent: Intent::Hardness(0.0), at_speed_m_s };
            let stiffness = self.directory.address(&format!("{}/stiffness", contact.name));
            // A contact without a hammer has no such parameter.
            let (Ok(soft), Ok(Address::Slot(slot))) = (self.def.stiffness_for(contact, felt), stiffness) else {
                continue;
            };
            let exponent = ImpactParams::from_values(&contact.params).exponent;
            let hard = soft * pow(HARDNESS_S[0] / HARDNESS_S[1], exponent + 1.0); // [intent.2], one integral for both ends
            if !self.runtime.slots[slot].spec.admits(hard) {
                continue;
            }
            for (spec, knob_ends) in [(HARDNESS, None), (CONTACT_TIME, Some(HARDNESS_S))] {
                let moves = vec![Mapping { slot, range: [soft, hard], scale: Scale::Log, knob_ends }];
                let name = format!("{}/{}", contact.name, spec.id);
                self.directory.add_control(Control { name, moves, stands_for: Some(spec) });
            }
        }
    }

    fn drives(&mut self) -> Result<(), SceneError> {
        let def = self.def;
        for (index, drive) in def.drives.iter().enumerate() {
            let place = format!("drive[{index}].path");
            let address = at(&place, self.directory.address(&drive.path))?;
            let moves: Vec<(usize, Option<Mapping>)> = match address {
                Address::Slot(slot) => vec![(slot, None)],
                Address::Control(control) => {
                    self.directory.control_entries()[control].moves.iter().map(|m| (m.slot, Some(*m))).collect()
                }
            };
            if moves.iter().any(|(slot, _)| self.runtime.slots[*slot].drive.is_some()) {
                return Err(SceneError::new(place, "is driven twice; keep one drive per parameter"));
            }
            let spec = at(&place, self.directory.spec(address).ok_or_else(|| SceneError::new("", "unknown")))?;
            if let Source::Points(points) = &drive.source {
                check_points(points, index, &drive.path, &spec)?;
            }
            if let Source::Input { channel, .. } = drive.source {
                self.directory.ask_for_input(channel);
            }
            for (slot, through) in moves {
                self.drive(index, slot, through)?;
            }
        }
        Ok(())
    }

    fn drive(&mut self, index: usize, slot: usize, through: Option<Mapping>) -> Result<(), SceneError> {
        let drive = &self.def.drives[index];
        let rate_hz = self.runtime.rate_hz;
        let Slot { spec, target, value: rest, .. } = self.runtime.slots[slot];
        let sampled = spec.rate == Rate::Sample;
        let asked_hz = if sampled { rate_hz } else { rate_hz / CONTROL_TICKS as Real };
        if let Source::Noise { beta, first_hz, .. } = &drive.source {
            // Another rate than the scene's own holds it to its range instead.
            let own_hz = self.def.rate_hz * asked_hz / rate_hz;
            if *beta != 0.0 && !FIRST.contains(&(first_hz / own_hz)) {
                let (least, most) = (FIRST.start() * own_hz, FIRST.end() * own_hz);
                let what = format!("{first_hz} Hz is out of range; {} takes {least} to {most} Hz", drive.path);
                return Err(SceneError::new(format!("drive[{index}].noise.first_hz"), what));
            }
        }
        let rng = Rng::new(self.def.seed, &format!("drive {}", drive.path));
        let Some(running) = Drive::new(through, &drive.source, rest, asked_hz, rng) else {
            let what = "nobody has loaded this recording; a scene that names one is read with its recordings";
            return Err(SceneError::new(format!("drive[{index}].wav"), what));
        };
        let number = self.runtime.drives.len();
        self.runtime.drives.push(running);
        self.runtime.slots[slot].drive = Some(number);
        match target {
            Target::Force(Site { body, .. }) | Target::Body { body, .. } if sampled => {
                self.runtime.world.lean(body, true);
            }
            _ => {}
        }
        let law = matches!(target, Target::Contact { .. });
        if !sampled || (law && matches!(drive.source, Source::Points(_))) {
            // What is driven from the start begins at the drive's first value, not at the default.
            let first = self.runtime.next_value(slot, 0.0, Inputs { channels: &[], at: 0 });
            self.runtime.write_slot(slot, first);
            (self.runtime.slots[slot].value, self.runtime.slots[slot].goal) = (first, first);
        }
        Ok(())
    }

    fn events(&mut self) -> Result<(), SceneError> {
        for (index, event) in self.def.events.iter().enumerate() {
            let (verb, amount) = match &event.gesture {
                Gesture::Set { .. } => ("set", "value"),
                Gesture::Strike { .. } => ("strike", "velocity_m_s"),
                Gesture::Hit { .. } => ("hit", "impulse_n_s"),
                _ => {
                    let what = "an event is one of strike, hit and set";
                    return Err(SceneError::new(format!("event[{index}]"), what));
                }
            };
            let resolved = at(format!("event[{index}].{verb}"), event.gesture.resolve(&self.directory))?;
            if resolved.clamped {
                let (about, held) = (event.gesture.about(), resolved.value().unwrap_or(0.0));
                let what = format!("is out of range; {about} takes no more than {held:e}");
                return Err(SceneError::new(format!("event[{index}].{amount}"), what));
            }
            let at = (event.at_s * self.runtime.rate_hz).round() as u64;
            self.runtime.events.push(Timed { at, command: resolved.command });
        }
        self.runtime.events.sort_by_key(|timed| timed.at);
        Ok(())
    }

    /// Outputs as the scene says; `main` is there unless only others are wanted.
    fn outputs(&mut self) -> Result<(), SceneError> {
        let to_main = |tap: &&TapDef| tap.outputs.is_empty() || tap.outputs.iter().any(|name| name == MAIN);
        let widest = self.def.taps.iter().filter(to_main).map(|tap| tap.to.width()).max();
        if !self.def.outputs.iter().any(|output| output.name == MAIN)
            && (widest.is_some() || self.def.outputs.is_empty())
        {
            let channels = (0..widest.unwrap_or(1)).collect();
            self.directory.add_output(Output { name: MAIN.into(), channels, limiter: true, written: false });
        }
        for OutputDef { name, channels, limiter, .. } in &self.def.outputs {
            let (name, channels) = (name.clone(), channels.clone());
            self.directory.add_output(Output { name, channels, limiter: *limiter, written: true });
        }
        let outputs = self.directory.outputs();
        for (index, output) in outputs.iter().enumerate() {
            for (place, channel) in output.channels.iter().enumerate() {
                let taken = |other: &Output| other.channels.contains(channel);
                let twice = output.channels[..place].contains(channel);
                if let Some(other) = outputs[..index].iter().find(|other| taken(other)).or(twice.then_some(output)) {
                    let what = format!(
                        "channel {channel} belongs to output '{}' already; an output has its channels to itself",
                        other.name
                    );
                    return Err(SceneError::new(format!("output.{}.channels", output.name), what));
                }
            }
        }
        let channels = outputs.iter().flat_map(|output| &output.channels).map(|channel| channel + 1).max();
        self.runtime.channels = channels.unwrap_or(1);
        Ok(())
    }

    fn taps(&mut self) -> Result<(), SceneError> {
        for (index, tap) in self.def.taps.iter().enumerate() {
            let from = self.tap_from(index, tap)?;
            let last = match from {
                TapFrom::Body { body, differentiate: true, .. } => {
                    let port = self.directory.site(&tap.of).map_or(0, |site| site.port);
                    self.runtime.world.bodies[body].velocity(port)
                }
                _ => 0.0,
            };
            let main = [MAIN.to_owned()];
            let outputs = if tap.outputs.is_empty() { &main[..] } else { &tap.outputs };
            for name in outputs {
                let place = format!("tap[{index}].to");
                let all = self.directory.outputs();
                let Some(output) = all.iter().find(|output| output.name == *name) else {
                    let near = nearest(name, all.iter().map(|output| output.name.as_str()));
                    return Err(SceneError::new(place, format!("no output '{name}'{near}")));
                };
                if tap.to.width() > output.channels.len() {
                    let what = format!(
                        "output '{name}' has {} channels, and this tap needs {}",
                        output.channels.len(),
                        tap.to.width()
                    );
                    return Err(SceneError::new(place, what));
                }
                let written = self.def.outputs.iter().find(|output| output.name == *name);
                let gain = tap.gain * written.map_or(1.0, |output| output.gain);
                let to = match tap.to {
                    TapTo::Channel(channel) => [(output.channels[channel], gain), (output.channels[channel], 0.0)],
                    TapTo::Pan(pan) => {
                        let angle = 0.5 * PI * pan;
                        [(output.channels[0], gain * cos(angle)), (output.channels[1], gain * sin(angle))]
                    }
                };
                let lane = [0.0; CONTROL_TICKS];
                self.runtime.taps.push(Tap { from, to, gains_before: [0.0; 2], fade_left: 0, last, lane });
            }
        }
        Ok(())
    }

    fn tap_from(&mut self, index: usize, tap: &TapDef) -> Result<TapFrom, SceneError> {
        let Runtime { world, readings, .. } = &mut self.runtime;
        let contact = self.directory.contact_entries().iter().position(|contact| contact.name == tap.of);
        let wrong_quantity = |what: String| Err(SceneError::new(format!("tap[{index}].quantity"), what));
        let motion = match (contact, tap.quantity) {
            (Some(contact), Quantity::Force | Quantity::Compression) => {
                world.contacts[contact].watched |= tap.quantity == Quantity::Compression;
                return Ok(TapFrom::Contact { contact, quantity: tap.quantity });
            }
            (Some(_), _) => {
                return wrong_quantity(format!("'{}' is a contact: its quantities are force and compression", tap.of));
            }
            (None, Quantity::Position) => Motion::Position,
            (None, Quantity::Velocity | Quantity::Acceleration) => Motion::Velocity,
            (None, Quantity::Force | Quantity::Compression) => {
                at(format!("tap[{index}].of"), self.directory.site(&tap.of))?;
                return wrong_quantity("is a quantity of contacts; name a contact in `of`".into());
            }
        };
        let site = at(format!("tap[{index}].of"), self.directory.site(&tap.of))?;
        let readings = &mut readings[site.body];
        let known = readings.iter().position(|r| r.port == site.port && r.motion == motion);
        let reading = known.unwrap_or_else(|| {
            readings.push(Reading::new(site.port, motion));
            readings.len() - 1
        });
        if motion == Motion::Velocity {
            world.bodies[site.body].listen(site.port);
        }
        let differentiate = tap.quantity == Quantity::Acceleration;
        Ok(TapFrom::Body { body: site.body, index: reading, differentiate })
    }
}

fn check_points(points: &[[Real; 2]], index: usize, path: &str, spec: &Spec) -> Result<(), SceneError> {
    if points.is_empty() {
        return Err(SceneError::new(format!("drive[{index}].points"), "is empty; give at least one [t, value]"));
    }
    match points.iter().position(|[_, value]| !spec.admits(*value)) {
        Some(point) => {
            let (min, max, unit) = (spec.min, spec.max, spec.unit);
            let what = format!("{} is out of range; {path} takes {min:e} to {max:e} {unit}", points[point][1]);
            Err(SceneError::new(format!("drive[{index}].points[{point}]"), what))
        }
        None => Ok(()),
    }
}
