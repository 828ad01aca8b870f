// SPDX-License-Identifier: MIT OR Apache-2.0
//! The body by geometry and material: its modes are computed.

use super::modal::{NO_MORPH, TAIL, TAIL_WORDS, check_unmorphed, with_tail};
use super::string::board;
use super::*;
use crate::resonator::bending::Bending;
use crate::resonator::material::{MATERIALS, Material};
use crate::resonator::modal::{Modal, ModalParams, ModeRow, Tuning};
use crate::resonator::partials::Board;
use crate::resonator::shape::radiation::pressures;
use crate::resonator::shape::string::through_board;
use crate::resonator::shape::{
    self, Family, MAX_MODES, MaterialDef, Place, PlaceOn, ShapeDef, Value as Said, locate, wanted,
};

const SHAPE_KEY: Key = Key::must("shape", KeyType::KindOf("shape"), "Which shape; its own keys stand beside it.");
const MATERIAL_KEY: Key = Key::new(
    "material",
    KeyType::Either(&[KeyType::Word(&MATERIAL_NAMES), KeyType::Table(&MATERIAL)]),
    "What it is made of, by name or by a table of properties; required but for cavities, which hold air.",
);
const MODES_KEY: Key =
    Key::new("modes", KeyType::Integer { min: 1, max: MAX_MODES as i64 }, "Most modes kept, the lowest, default 60.");

const fn port_key(doc: &'static str) -> Key {
    Key::new("port", KeyType::Map { of: &KeyType::Place, min: 0, max: MAX_NODES }, doc)
}

pub(super) const MATERIAL_NAMES: [&str; MATERIALS.len()] = {
    let mut names = [""; MATERIALS.len()];
    let mut i = 0;
    while i < names.len() {
        names[i] = MATERIALS[i].id;
        i += 1;
    }
    names
};

/// The body by geometry and material in scene files.
pub const SHAPE: Kind = Kind {
    family: "body",
    id: "shape",
    doc: "A vibrating object by geometry and material: its modes and their shapes are computed.",
    params: ModalParams::SPECS,
    keys: &[
        SHAPE_KEY,
        MATERIAL_KEY,
        MODES_KEY,
        port_key("Places by name; default one port \"0\" at the first place of the shape's list."),
        Key::new("morph", KeyType::Table(&MORPH), "The shape at morph_01 = 1."),
        Key::new(
            "stiffens",
            KeyType::Flag,
            "Large motion stretches it and makes it stiffer: pitch glides, energy flows upwards; strings, membranes and flat plates, default false.",
        ),
        TAIL,
    ],
    rules: &[NO_MORPH, LIMP],
};

/// What is wrong with `stiffening` alone.
const LIMP: Rule =
    Rule::Beside(&["stiffening"], &["stiffens"], "moves nothing without `stiffens = true`; give it or leave this out");

/// The shape that a body morphs into, in scene files.
pub const MORPH: Kind = Kind {
    family: "morph",
    id: "",
    doc: "What a shape becomes at morph_01 = 1, written as `morph` in its body.",
    params: &[],
    keys: &[
        SHAPE_KEY,
        MATERIAL_KEY,
        MODES_KEY,
        port_key("Where the body's ports are on this shape; one that is not named keeps its place."),
    ],
    rules: &[],
};

/// A material written out in a scene instead of named.
pub const MATERIAL: Kind = Kind {
    family: "material",
    id: "",
    doc: "A material of your own, written as a table in place of a name ('tocco describe materials' lists the names).",
    params: &[],
    keys: &[
        Key::must("density_kg_m3", KeyType::Number { unit: "kg/m^3", min: 1.0, max: 3e4 }, "Density."),
        Key::must("young_pa", KeyType::Number { unit: "Pa", min: 1e3, max: 2e12 }, "Young's modulus."),
        Key::new("poisson", KeyType::Number { unit: "1", min: -0.99, max: 0.4999 }, "Poisson's ratio, default 0.3."),
        Key::must(
            "loss_factor",
            KeyType::Number { unit: "1", min: 1e-7, max: 2.0 },
            "Loss factor 1/Q at 1 kHz, with what supports and air take.",
        ),
        Key::new(
            "loss_exponent",
            KeyType::Number { unit: "1", min: -2.0, max: 2.0 },
            "The loss factor grows as frequency to this power, default 0.",
        ),
    ],
    rules: &[],
};

/// A body by geometry and material.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapedDef {
    /// Live parameters.
    pub params: ModalParams,
    /// What it is.
    pub geometry: ShapeDef,
    /// Named places; empty: one port "0" at the shape's first place.
    pub ports: Vec<PlaceOn>,
    /// What it becomes at `morph_01` = 1.
    pub morph: Option<ShapeMorphDef>,
    /// Large motion makes it stiffer.
    pub stiffens: bool,
    /// It goes on above its last mode.
    pub tail: bool,
}

/// The shape at the other end of a morph.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeMorphDef {
    /// What it is.
    pub geometry: ShapeDef,
    /// Ports that are elsewhere on it; the others are where the body has them.
    pub ports: Vec<PlaceOn>,
}

impl ShapeMorphDef {
    /// Where on it a port of the body is.
    pub fn place<'a>(&'a self, port: &'a PlaceOn) -> &'a PlaceOn {
        self.ports.iter().find(|own| own.name == port.name).unwrap_or(port)
    }
}

impl ShapedDef {
    /// A body of this geometry and material.
    pub fn new(geometry: ShapeDef) -> Self {
        Self { params: ModalParams::default(), geometry, ports: Vec::new(), morph: None, stiffens: false, tail: false }
    }

    /// A free bar of a named material, m; it bends along its thickness.
    pub fn bar(material: &'static str, length_m: Real, width_m: Real, thickness_m: Real) -> Self {
        let bar = ShapeDef {
            kind: &shape::bar::BAR,
            values: Default::default(),
            material: MaterialDef::Named(material),
            modes: None,
        };
        Self::new(bar.with("length_m", length_m).with("width_m", width_m).with("thickness_m", thickness_m))
    }

    /// With large motion that makes it stiffer.
    pub fn stiffening(self) -> Self {
        Self { stiffens: true, ..self }
    }

    /// With what lies above its last mode.
    pub fn tailed(self) -> Self {
        Self { tail: true, ..self }
    }

    /// With a named place: fractions as the shape counts them.
    pub fn port(self, name: &str, at: &[Real]) -> Self {
        self.placed(name, Place::At(at.to_vec()))
    }

    /// With a named place by the shape's own word for it.
    pub fn port_at(self, name: &str, word: &str) -> Self {
        self.placed(name, Place::Named(word.into()))
    }

    fn placed(mut self, name: &str, place: Place) -> Self {
        self.ports.push(PlaceOn { name: name.into(), place });
        self
    }
}

impl BodyKind for ShapedDef {
    fn kind(&self) -> &'static Kind {
        &SHAPE
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn ports(&self) -> Vec<&str> {
        or_one(self.ports.iter().map(|port| port.name.as_str()).collect())
    }
    fn place(&self, port: usize) -> Option<Vec<Real>> {
        let family = shape::family(self.geometry.kind.id)?;
        let first = || family.places.first().map(|(_, point)| *point);
        let point = self.ports.get(port).map_or_else(first, |port| locate(family, &port.place).ok());
        Some(point.unwrap_or([0.5; 3])[..family.axes.len()].to_vec())
    }
    fn pitch(&self) -> Option<(&'static Spec, Real)> {
        among(&self.params, "freq_scale")
    }
    fn damping(&self) -> Option<Damping> {
        Damping::scaling(&self.params)
    }
    fn absent(&self) -> &'static [&'static str] {
        match (&self.morph, self.stiffens) {
            (Some(_), _) => &["stiffening"],
            (None, true) => &["morph_01"],
            (None, false) => &["morph_01", "stiffening"],
        }
    }
    fn fundamental_hz(&self, port: Option<&str>, rate_hz: Real, now: &dyn Fn(&str) -> Option<Real>) -> Option<Real> {
        let scale = now("freq_scale").unwrap_or(1.0);
        let solved = shape::evaluate(&self.geometry, &self.ports, 0.5 * rate_hz / scale).ok()?;
        let index = self.ports.iter().position(|p| port.is_none_or(|name| name == p.name)).unwrap_or(0);
        let moves = |i: usize| solved.shapes.get(index).is_none_or(|shape| shape[solved.rigid + i] != 0.0);
        solved.bending().iter().enumerate().find(|(i, _)| moves(*i)).map(|(_, mode)| scale * mode.freq_hz)
    }
    fn radiates(&self) -> bool {
        true
    }
    fn radiates_acceleration(&self) -> bool {
        self.geometry.kind.id != shape::cavity::TUBE_KIND.id
    }
    fn has_tail(&self) -> bool {
        self.tail
    }
    fn details(&self) -> Vec<(&'static str, Detail)> {
        let mut all = vec![("shape", Detail::Word(self.geometry.kind.id.into()))];
        if let MaterialDef::Named(material) = self.geometry.material {
            all.push(("material", Detail::Word(material.into())));
        }
        all
    }
    fn words(&self, rate_hz: Real) -> String {
        let mut words = geometry_words(&self.geometry, &self.ports, self.params.freq_scale, rate_hz);
        if let Some(morph) = &self.morph {
            let to = geometry_words(&morph.geometry, &[], self.params.freq_scale, rate_hz);
            let _ = write!(words, "; morphs into {to}");
        }
        if self.stiffens {
            words.push_str("; stiffens when it moves far");
        }
        if self.tail {
            words.push_str(TAIL_WORDS);
        }
        words
    }
}

/// Lowest modes named of a shape.
const NAMED_MODES: usize = 8;

fn geometry_words(geometry: &ShapeDef, ports: &[PlaceOn], scale: Real, rate_hz: Real) -> String {
    let stuff = match geometry.material {
        MaterialDef::Air => "air".into(),
        MaterialDef::Named(id) => id.to_string(),
        MaterialDef::Own(own) => format!("{} kg/m^3, {} Pa", short(own.density_kg_m3), short(own.young_pa)),
    };
    let mut words = format!("{} of {stuff}", geometry.kind.id);
    if let Ok(solved) = shape::evaluate(geometry, ports, 0.5 * rate_hz / scale) {
        let modes = solved.bending();
        let named: Vec<String> = modes.iter().take(NAMED_MODES).map(|mode| short(scale * mode.freq_hz)).collect();
        let more = if modes.len() > NAMED_MODES { " ..." } else { "" };
        let decays = modes.iter().map(|mode| mode.decay_s);
        let (least, most) = (decays.clone().fold(Real::INFINITY, Real::min), decays.fold(0.0, Real::max));
        let highest = modes.last().map_or(0.0, |mode| scale * mode.freq_hz);
        let _ = write!(words, ", {} modes up to {} Hz: {}{more} Hz", modes.len(), short(highest), named.join(", "));
        let _ = write!(words, "; decay {} to {} s", short(least), short(most));
    }
    words + &places_words(ports.iter().map(|port| port.name.as_str()))
}

impl BuildBody for ShapedDef {
    fn check(&self, spot: &Spot) -> Check {
        spot.params(&self.params)?;
        let from = check_geometry(spot, &self.geometry, &self.ports)?;
        self.check_stiffening(spot)?;
        let Some(morph) = &self.morph else { return check_unmorphed(spot, &self.params) };
        let there = spot.within("morph");
        let to = check_geometry(&there, &morph.geometry, &morph.ports)?;
        let known = || self.ports.iter().map(|port| port.name.as_str());
        if let Some(stray) = morph.ports.iter().find(|own| !known().any(|name| name == own.name)) {
            let what = format!("the body has no such port{}", nearest(&stray.name, known()));
            return there.within("port").fail(&stray.name, what);
        }
        for port in &self.ports {
            // Two coordinates are not the same place on a disc and on a sheet.
            let own = morph.ports.iter().any(|own| own.name == port.name);
            let read_alike = own || from.axes == to.axes || matches!(port.place, Place::Named(_));
            let found = match read_alike {
                true => locate(to, &morph.place(port).place).map(|_| ()),
                false => Err(format!("wants {}", wanted(to))),
            };
            if let Err(what) = found {
                let what =
                    format!("port {}: {what}; say where it is on this shape in [{}]", port.name, there.key("port"));
                return there.fail("shape", what);
            }
        }
        Ok(())
    }
    fn write(&self, out: &mut Toml, at: &str) {
        out.params(&self.params, &[]);
        if self.stiffens {
            out.line(format_args!("stiffens = true"));
        }
        if self.tail {
            out.line(format_args!("tail = true"));
        }
        write_geometry(out, at, &self.geometry, &self.ports);
        if let Some(morph) = &self.morph {
            let at = format!("{at}.morph");
            out.line(format_args!("[{at}]"));
            write_geometry(out, &at, &morph.geometry, &morph.ports);
        }
    }
    fn build(&self, context: &mut BodyContext<'_>) -> Result<Box<dyn Resonator>, SceneError> {
        let (params, sample_s, touched) = (self.params, context.sample_s(), context.has_contact());
        let (spot, below_hz) = (context.spot(), self.below_hz(context.rate_hz));
        if self.stiffens {
            let found = shape::evaluate_stretched(&self.geometry, &self.ports, below_hz);
            let (solved, stretch) = found.or_else(|fault| spot.fail(&fault.key, fault.what))?;
            let from = self.heard(context, &spot, tuning(solved), &self.geometry, below_hz)?;
            return Ok(Box::new(Bending::new(params, &from, &stretch, sample_s, touched)));
        }
        let from = solved(&spot, &self.geometry, &self.ports, below_hz)?;
        let from = self.heard(context, &spot, from, &self.geometry, below_hz)?;
        Ok(Box::new(match &self.morph {
            None => Modal::tuned(params, &from, sample_s, touched),
            Some(to) => {
                let there: Vec<PlaceOn> = self.ports.iter().map(|port| to.place(port).clone()).collect();
                let spot = spot.within("morph");
                let solved = solved(&spot, &to.geometry, &there, below_hz)?;
                let to = self.heard(context, &spot, solved, &to.geometry, below_hz)?;
                Modal::morphing(params, &from, &to, sample_s, touched)
            }
        }))
    }
    fn structure(&self) -> String {
        let tail = if self.tail { " tail" } else { "" };
        format!("{:?} {:?} {:?} {:?}{tail}", self.geometry, self.ports, self.morph, self.stiffens)
    }
    fn touched_anywhere(&self, rate_hz: Real) -> Option<Anywhere> {
        self.morph.is_none().then(|| Anywhere::Shape(self.geometry.clone(), self.below_hz(rate_hz)))
    }
}

impl ShapedDef {
    /// What stiffens is a shape of which it is known how, and stays it.
    fn check_stiffening(&self, spot: &Spot) -> Check {
        if !self.stiffens {
            return match LIMP {
                Rule::Beside(_, _, what) if self.params.stiffening != ModalParams::default().stiffening => {
                    spot.fail("stiffening", what)
                }
                _ => Ok(()),
            };
        }
        if self.morph.is_some() {
            return spot.fail("stiffens", "is not for a body that morphs; leave out one of stiffens, morph");
        }
        if self.geometry.word("theory") == Some("thick") {
            return spot.fail("stiffens", "is for thin bodies, and the theory of this one is that of thick ones; leave out one of stiffens, theory");
        }
        if !shape::may_stiffen(self.geometry.kind) {
            return spot.fail("stiffens", shape::cannot_stiffen(self.geometry.kind));
        }
        Ok(())
    }

    /// With its tail, and a port for every ear that hears what it radiates.
    fn heard(
        &self,
        context: &mut BodyContext<'_>,
        spot: &Spot,
        mut tuning: Tuning,
        geometry: &ShapeDef,
        below_hz: Real,
    ) -> Result<Tuning, SceneError> {
        let onward = shape::onward(geometry, &tuning).or_else(|fault| spot.fail(&fault.key, fault.what))?;
        if self.tail {
            let decay_s = |like: &ModeRow, freq_hz: Real| onward.decay_s(like, freq_hz);
            with_tail(context, spot, &mut tuning, self.params.freq_scale, decay_s)?;
        }
        for (index, tap) in context.ears() {
            let spot = Spot(format!("tap[{index}]"));
            if geometry.kind.id == shape::string::WIRE.id {
                let Board { size_m, distance_m } = board(&spot, &tap.ear)?;
                let heard = through_board(geometry, size_m, distance_m);
                let heard = heard.or_else(|fault| spot.fail("quantity", fault.what))?;
                let listed = tuning.modes.len() - tuning.tail.len();
                let values = tuning.modes[..listed].iter().map(|mode| heard(mode.0)).collect();
                tuning.hear(values, heard);
                continue;
            }
            if tap.ear.size_m.is_some() {
                return spot.fail("size_m", "a shape knows its size; leave it out");
            }
            let found = pressures(geometry, below_hz, tap.ear.ear(), tap.ear.distance_m);
            let found = found.or_else(|fault| spot.fail("quantity", fault.what))?;
            let ear = onward.heard(&tuning, &found.per_mode, tap.ear.distance_m);
            tuning.hear(found.per_mode, |freq_hz| ear.reach(freq_hz));
        }
        if self.tail {
            tuning.hear_places();
        }
        Ok(tuning)
    }

    /// Modes are kept below this, Hz.
    fn below_hz(&self, rate_hz: Real) -> Real {
        0.5 * rate_hz / self.params.freq_scale
    }
}

/// Modes and shape values of a body by geometry and material, with its place in the scene in what may be wrong with it.
fn solved(spot: &Spot, geometry: &ShapeDef, places: &[PlaceOn], below_hz: Real) -> Result<Tuning, SceneError> {
    let solved = shape::evaluate(geometry, places, below_hz).or_else(|fault| spot.fail(&fault.key, fault.what))?;
    Ok(tuning(solved))
}

fn tuning(solved: shape::Solved) -> Tuning {
    let modes = solved.modes.iter().map(|m| (m.freq_hz, m.decay_s, m.mass_kg)).collect();
    Tuning { modes, ports: solved.shapes, rigid: solved.rigid, ..Tuning::default() }
}

/// A geometry says what its family wants, and its ports are on it.
fn check_geometry(spot: &Spot, geometry: &ShapeDef, ports: &[PlaceOn]) -> Result<&'static Family, SceneError> {
    let kind = geometry.kind;
    let Some(family) = shape::family(kind.id).filter(|family| family.kind == kind) else {
        return spot.fail("shape", format!("unknown shape '{}'", kind.id));
    };
    for (id, said) in &geometry.values {
        let Some(takes) = kind.takes(id) else {
            let near = nearest(&clip(id), kind.keys.iter().map(|key| key.id));
            return spot.fail(&clip(id), format!("unknown key{near}"));
        };
        match (takes, said) {
            (KeyType::Word(words), Said::Word(word)) if words.contains(&word.as_str()) => {}
            (KeyType::Word(words), Said::Word(word)) => {
                let near = nearest(&clip(word), words.iter().copied());
                return spot.fail(id, format!("unknown word '{}'{near}", clip(word)));
            }
            (KeyType::Word(words), Said::Number(number)) => {
                return spot.fail(id, format!("found {}; wants one of {}", plain(*number), words.join(", ")));
            }
            (_, Said::Word(word)) => {
                return spot.fail(id, format!("found the text \"{}\"; wants a number", clip(word)));
            }
            (takes, Said::Number(number)) => spot.takes(id, takes, *number)?,
        }
    }
    if let Some(key) = kind.keys.iter().find(|key| key.required && !geometry.values.contains_key(key.id)) {
        return spot.fail("", needs(key));
    }
    if let Some(modes) = geometry.modes {
        spot.whole(&SHAPE, "modes", i64::from(modes))?;
    }
    match geometry.material {
        MaterialDef::Air if family.solid => return spot.fail("", format!("a {} needs material", kind.id)),
        MaterialDef::Air => {}
        _ if !family.solid => {
            return spot.fail("material", format!("a {} is a cavity and holds air; leave it out", kind.id));
        }
        MaterialDef::Named(id) if Material::named(id).is_none() => return spot.fail("material", no_material(id)),
        MaterialDef::Named(_) => {}
        MaterialDef::Own(own) => {
            let spot = spot.within("material");
            for (id, value) in properties(&own) {
                spot.number(&MATERIAL, id, value)?;
            }
        }
    }
    spot.ports(ports.iter().map(|port| port.name.as_str()))?;
    match ports.iter().find_map(|port| Some((port, locate(family, &port.place).err()?))) {
        Some((port, what)) => spot.within("port").fail(&port.name, what),
        None => Ok(family),
    }
}

fn properties(own: &Material) -> [(&'static str, Real); 5] {
    let Material { density_kg_m3, young_pa, poisson, loss_factor, loss_exponent } = *own;
    [
        ("density_kg_m3", density_kg_m3),
        ("young_pa", young_pa),
        ("poisson", poisson),
        ("loss_factor", loss_factor),
        ("loss_exponent", loss_exponent),
    ]
}

fn no_material(word: &str) -> String {
    let kin = crate::resonator::material::of_class(word);
    match kin.is_empty() {
        true => format!("no material '{}'{}", clip(word), nearest(&clip(word), MATERIAL_NAMES)),
        false => format!("which {}? choose {}", clip(word), kin.join(", ")),
    }
}

fn write_geometry(out: &mut Toml, at: &str, geometry: &ShapeDef, ports: &[PlaceOn]) {
    out.line(format_args!("shape = \"{}\"", geometry.kind.id));
    for key in geometry.kind.keys {
        match geometry.values.get(key.id) {
            None => {}
            Some(Said::Word(word)) => out.line(format_args!("{} = {}", key.id, quoted(word))),
            Some(Said::Number(value)) => out.line(format_args!("{} = {value:?}", key.id)),
        }
    }
    match geometry.material {
        MaterialDef::Air => {}
        MaterialDef::Named(id) => out.line(format_args!("material = \"{id}\"")),
        MaterialDef::Own(own) => {
            let all: Vec<String> = properties(&own).iter().map(|(id, value)| format!("{id} = {value:?}")).collect();
            out.line(format_args!("material = {{ {} }}", all.join(", ")));
        }
    }
    if let Some(modes) = geometry.modes {
        out.line(format_args!("modes = {modes}"));
    }
    out.table_unless_empty(&format!("{at}.port"), ports, |port| {
        let place = match &port.place {
            Place::Named(word) => quoted(word),
            Place::At(at) => format!("{at:?}"),
        };
        (&port.name, place)
    });
}

#[cfg(feature = "text")]
impl Read for ShapedDef {
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        let (geometry, ports) = read_geometry(node, lines)?;
        let morph = match node.entry("morph") {
            None => None,
            Some(entry) => {
                let at = node.place("morph");
                let entries = table(&entry.value, &at, "a table with the keys of a shape")?;
                let node = Node::open(entries, at, entry.line, &MORPH)?;
                node.note(lines);
                let (geometry, ports) = read_geometry(&node, lines)?;
                Some(ShapeMorphDef { geometry, ports })
            }
        };
        let (stiffens, tail) = (node.flag("stiffens")?.unwrap_or(false), node.flag("tail")?.unwrap_or(false));
        Ok(Self { params: node.params()?, geometry, ports, morph, stiffens, tail })
    }
}

#[cfg(feature = "text")]
fn read_geometry(node: &Node<'_, '_>, lines: &mut Lines) -> Result<(ShapeDef, Vec<PlaceOn>), SceneError> {
    let family = node.beside.and_then(|kind| shape::family(kind.id));
    let Some(family) = family else { return node.fail("shape", "unknown shape") };
    let mut geometry = ShapeDef {
        kind: family.kind,
        values: Default::default(),
        material: read_material(node, family, lines)?,
        modes: node.whole("modes")?.and_then(|most| u32::try_from(most).ok()),
    };
    for key in family.kind.keys {
        let said = match key.takes {
            KeyType::Word(_) => node.known_word(key.id)?.map(|word| Said::Word(word.into())),
            _ => node.number(key.id)?.map(Said::Number),
        };
        geometry.values.extend(said.map(|said| (key.id.to_string(), said)));
    }
    Ok((geometry, read_places(node, family, lines)?))
}

#[cfg(feature = "text")]
fn read_material(node: &Node<'_, '_>, family: &Family, lines: &mut Lines) -> Result<MaterialDef, SceneError> {
    let Some(entry) = node.entry("material") else { return Ok(MaterialDef::Air) };
    if !family.solid {
        return node.fail("material", format!("a {} is a cavity and holds air; leave it out", family.kind.id));
    }
    let at = node.place("material");
    match &entry.value.data {
        Data::Text(word) => match Material::named(word) {
            Some(found) => Ok(MaterialDef::Named(found.id)),
            None => fail(at, entry.line, no_material(word)),
        },
        Data::Table(entries) => {
            let own = Node::open(entries, at, entry.line, &MATERIAL)?;
            own.note(lines);
            Ok(MaterialDef::Own(Material {
                density_kg_m3: own.needed_number("density_kg_m3", "a material")?,
                young_pa: own.needed_number("young_pa", "a material")?,
                poisson: own.number_or("poisson", crate::resonator::material::DEFAULT_POISSON)?,
                loss_factor: own.needed_number("loss_factor", "a material")?,
                loss_exponent: own.number_or("loss_exponent", 0.0)?,
            }))
        }
        other => fail(at, entry.line, format!("found {}; wants a name or a table of properties", other.found())),
    }
}

#[cfg(feature = "text")]
fn read_places(node: &Node<'_, '_>, family: &Family, lines: &mut Lines) -> Result<Vec<PlaceOn>, SceneError> {
    named_ports(node, "a table of name = place", lines, |port, at| {
        let fraction = |data: &Data<'_>| match data {
            Data::Whole(whole) => Some(*whole as Real),
            Data::Number(number) => Some(*number),
            _ => None,
        };
        let wrong = |found: String| {
            let words: Vec<&str> = family.places.iter().map(|(word, _)| *word).collect();
            format!("found {found}; wants {} or one of {}", wanted(family), words.join(", "))
        };
        let place = match &port.value.data {
            Data::Text(word) => Place::Named(clip(word)),
            Data::List(values) => match values.iter().map(|value| fraction(&value.data)).collect() {
                Some(fractions) => Place::At(fractions),
                None => return fail(at, port.line, wrong(port.value.data.found())),
            },
            other => match fraction(other) {
                Some(fraction) => Place::At(vec![fraction]),
                None => return fail(at, port.line, wrong(other.found())),
            },
        };
        Ok(PlaceOn { name: port.key.to_string(), place })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_material_of_the_table_keeps_to_the_ranges_of_a_written_one() {
        for entry in MATERIALS {
            for (id, value) in properties(&entry.material) {
                let takes = MATERIAL.takes(id).unwrap();
                assert_eq!(takes.breach(value), None, "{} {id}", entry.id);
            }
        }
    }
}
