// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bodies by geometry and material: nobody has to type a table of modes.
//!
//! **What.** A shape (a bar, a drum, a plate, a glass, a room) and what it is made of become a list of modes with
//! undamped frequency, modal mass and decay, and the signed value of every mode's shape at any place of the body.
//!
//! **Law.** With rho the mass per length, area or volume and phi the shape of a mode over the body:
//! - `[shape.1]  m = integral of rho phi^2 = mass of the body`: shapes are scaled so that the mean of phi^2 is 1
//! - `[shape.2]  decay_s = Q(f)/(pi f)`, Q from the material's loss law
//! - `[shape.3]  f = beta^2/(2 pi L^2) sqrt(EI/(rho A))` for a bar, beta from its ends, see `bar`
//! - `[shape.4]  m = M`, `phi = 1` or the distance from the axis over the radius of gyration: the motions of a free body as
//!   a whole, which hang on a soft suspension of `suspension_hz` and `suspension_decay_s`
//!
//! The other laws stand in the file of their family.
//!
//! **Symbols.** E `young_pa`, nu `poisson`, rho `density_kg_m3`; places are fractions from 0 to 1 of a length, a
//! radius or a full turn.
//!
//! **Step.** None: everything here happens before the first sample. A body of this kind is a [`Modal`](super::modal).
//! Modes at or above half the rate are left out, the lowest are kept. The motions as a whole come before them: a mallet
//! feels the whole bar, and rebounds from it or not. What is heard leaves them out unless a tap asks for them, since their
//! swing is below hearing and larger than all else.
//!
//! **Sources.** Avanzini et al. 2003 section 8.2.2; Fletcher, Rossing, *The physics of musical instruments* (1998), chapters 2, 3 and 21;
//! Leissa, *Vibration of plates* (NASA SP-160, 1969); Blevins, *Formulas for natural frequency and mode shape* (1979).

pub mod bar;
pub mod bessel;
pub mod cavity;
pub mod cylinder;
pub mod disc;
pub mod glass;
pub mod membrane;
pub mod plate;
pub mod radiation;
mod ritz;
pub mod room;
mod stretch;
pub mod string;
pub mod thick;

use super::bending::Stretch;
use super::material::Material;
use super::modal::tail::Count;
use super::modal::{ModeRow, Tuning, tail};
use crate::math::{Real, TAU, exp, ln, pow};
use crate::param::{Key, KeyType, Kind, Word};
use std::collections::BTreeMap;

/// A place on a body: up to three fractions, unused ones 0.
pub type Point = [Real; 3];

/// Modes kept when the scene says nothing.
pub const DEFAULT_MODES: usize = 60;
/// Most modes a shape is asked for.
pub const MAX_MODES: usize = 1000;
/// Shape values below this are zero: what rounding leaves of a nodal line.
const NODAL: Real = 1e-12;

/// One family of shapes.
#[derive(Clone, Copy)]
pub struct Family {
    /// Its name and the keys of its geometry.
    pub kind: &'static Kind,
    /// Made of a material; otherwise filled with air.
    pub solid: bool,
    /// What the coordinates of a place are fractions of.
    pub axes: &'static [&'static str],
    /// Places by name; the first is where a body without ports is touched.
    pub places: &'static [(&'static str, Point)],
    solve: fn(&Given<'_>) -> Result<Solved, Fault>,
    /// What of it moves the air outside, if anything does.
    surface: Option<SurfaceOf>,
}

/// How the surface of a family is found.
type SurfaceOf = fn(&Given<'_>) -> Result<radiation::Surface, Fault>;

/// Every shape, in the order of the documents.
pub const FAMILIES: &[Family] = &[
    string::FAMILY,
    bar::FAMILY,
    membrane::RECTANGULAR,
    membrane::CIRCULAR,
    plate::RECTANGULAR,
    disc::FAMILY,
    glass::FAMILY,
    glass::BELLS,
    cylinder::FAMILY,
    cavity::BOX,
    room::ROUNDED,
    room::SPHERES,
    cavity::TUBE,
];

/// The family of a kind.
pub fn family(id: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| family.kind.id == id)
}

/// What a shape is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MaterialDef {
    /// Air, as the geometry's own keys say.
    Air,
    /// A material of the table.
    Named(&'static str),
    /// A material of one's own.
    Own(Material),
}

/// What a shape's key says.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number, in the key's unit.
    Number(Real),
    /// One of the key's words.
    Word(String),
}

/// A shape as plain data.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeDef {
    /// Its kind, of family "shape".
    pub kind: &'static Kind,
    /// What is said of its geometry, by key of the kind.
    pub values: BTreeMap<String, Value>,
    /// What it is made of.
    pub material: MaterialDef,
    /// Most modes kept; `None`: [`DEFAULT_MODES`].
    pub modes: Option<u32>,
}

impl ShapeDef {
    /// A shape with nothing said about it yet; `None` if there is no such shape.
    ///
    /// ```
    /// use tocco::resonator::shape::{Place, PlaceOn, ShapeDef, MaterialDef, evaluate};
    /// let bar = ShapeDef::new("bar", MaterialDef::Named("steel")).unwrap();
    /// let bar = bar.with("length_m", 0.3).with("width_m", 0.03).with("thickness_m", 0.005);
    /// let port = PlaceOn { name: "end".into(), place: Place::At(vec![0.02]) };
    /// let body = evaluate(&bar, &[port], 24_000.0).unwrap();
    /// assert!((body.bending()[1].freq_hz / body.bending()[0].freq_hz - 2.7565).abs() < 1e-4);
    /// ```
    pub fn new(id: &str, material: MaterialDef) -> Option<Self> {
        Some(Self { kind: family(id)?.kind, values: BTreeMap::new(), material, modes: None })
    }

    /// With a value for one key.
    pub fn with(mut self, id: &str, value: Real) -> Self {
        self.values.insert(id.into(), Value::Number(value));
        self
    }

    /// With a word for one key.
    pub fn with_word(mut self, id: &str, word: &str) -> Self {
        self.values.insert(id.into(), Value::Word(word.into()));
        self
    }

    /// With at most so many modes.
    pub fn with_modes(mut self, most: u32) -> Self {
        self.modes = Some(most);
        self
    }

    /// The number of one key, if given.
    pub fn value(&self, id: &str) -> Option<Real> {
        match self.values.get(id) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    /// The word of one key, if given.
    pub fn word(&self, id: &str) -> Option<&str> {
        match self.values.get(id) {
            Some(Value::Word(word)) => Some(word),
            _ => None,
        }
    }
}

/// A place on a shape, as written.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// By the family's word for it.
    Named(String),
    /// By fractions.
    At(Vec<Real>),
}

/// A named port of a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceOn {
    /// Label, unique within the body.
    pub name: String,
    /// Where it is.
    pub place: Place,
}

/// What is wrong with a shape: the key (may be empty) and what to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// Key of the shape's table.
    pub key: String,
    /// What is wrong.
    pub what: String,
}

impl Fault {
    /// A fault of one key.
    pub fn new(key: impl Into<String>, what: impl Into<String>) -> Self {
        Self { key: key.into(), what: what.into() }
    }
}

/// One mode of a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeMode {
    /// Undamped frequency, Hz.
    pub freq_hz: Real,
    /// Time to 1/e of the amplitude, s.
    pub decay_s: Real,
    /// Modal mass, kg.
    pub mass_kg: Real,
    /// Its numbers: half waves, nodal diameters and circles, as the family counts them.
    pub numbers: [i32; 3],
}

/// A solved shape.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Solved {
    /// Motions of a free body as a whole, then modes, lowest first.
    pub modes: Vec<ShapeMode>,
    /// Shape value of every mode, for each place asked for.
    pub shapes: Vec<Vec<Real>>,
    /// How many motions as a whole there are.
    pub rigid: usize,
}

impl Solved {
    /// The modes that bend the body.
    pub fn bending(&self) -> &[ShapeMode] {
        &self.modes[self.rigid..]
    }

    /// The same without the motions as a whole.
    pub fn held_still(mut self) -> Self {
        self.modes.drain(..self.rigid);
        self.shapes.iter_mut().for_each(|shape| drop(shape.drain(..self.rigid)));
        Self { rigid: 0, ..self }
    }
}

/// What a family is given to solve.
pub(crate) struct Given<'a> {
    def: &'a ShapeDef,
    pub(crate) material: Material,
    /// Keep so many, the lowest.
    pub(crate) most: usize,
    /// Keep those below this frequency, Hz.
    pub(crate) below_hz: Real,
    pub(crate) points: &'a [Point],
}

/// Modes with their numbers, lowest first.
fn by_frequency(modes: &mut Vec<(Real, [i32; 3])>) {
    crate::order::sort(modes, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
}

impl Given<'_> {
    pub(crate) fn number(&self, id: &str, default: Real) -> Real {
        self.def.value(id).unwrap_or(default)
    }

    /// A number that the kind requires.
    pub(crate) fn need(&self, id: &str) -> Result<Real, Fault> {
        self.def.value(id).ok_or_else(|| Fault::new("", format!("a {} needs {id}", self.def.kind.id)))
    }

    /// The choice that a word makes.
    pub(crate) fn word<W: Word + Default>(&self, id: &str) -> W {
        self.def.word(id).and_then(W::from_word).unwrap_or_default()
    }

    pub(crate) fn value(&self, id: &str) -> Option<Real> {
        self.def.value(id)
    }

    /// Refuses a ratio of two lengths where the theory of thin bodies ends.
    pub(crate) fn thin(&self, thin: &str, long: &str, most: Real) -> Result<(), Fault> {
        let (a, b) = (self.need(thin)?, self.need(long)?);
        if a <= most * b {
            return Ok(());
        }
        let what =
            format!("{a} m is more than {most} of {long} = {b} m, where the theory ends; wants at most {}", most * b);
        Err(Fault::new(thin, what))
    }

    /// The lowest modes out of `list(cap)`, every mode below a frequency with its numbers; `first_hz`: about the lowest.
    pub(crate) fn lowest(&self, first_hz: Real, list: impl Fn(Real) -> Vec<(Real, [i32; 3])>) -> Vec<(Real, [i32; 3])> {
        let mut cap = (1.01 * first_hz).min(self.below_hz);
        loop {
            let mut found = list(cap);
            if found.len() >= self.most || cap >= self.below_hz {
                by_frequency(&mut found);
                found.truncate(self.most);
                return found;
            }
            cap = (1.4 * cap).min(self.below_hz);
        }
    }

    /// A solved shape whose modes all have the mass of the body: [shape.1].
    pub(crate) fn solved(
        &self,
        mass_kg: Real,
        modes: &[(Real, [i32; 3])],
        value: impl Fn(&[i32; 3], &Point) -> Real,
    ) -> Solved {
        let row = |&(freq_hz, numbers): &(Real, [i32; 3])| ShapeMode { freq_hz, decay_s: 0.0, mass_kg, numbers };
        let at = |point: &Point| modes.iter().map(|(_, numbers)| value(numbers, point)).collect();
        Solved { modes: modes.iter().map(row).collect(), shapes: self.points.iter().map(at).collect(), rigid: 0 }
    }

    /// A free body with its motions as a whole, each given by what it does at a place: [shape.4].
    pub(crate) fn hung(&self, mass_kg: Real, motions: &[&dyn Fn(&Point) -> Real], mut solved: Solved) -> Solved {
        let freq_hz = fault!(SUSPENSION, self.number("suspension_hz", SUSPENSION_HZ), times 1.5);
        let decay_s = self.number("suspension_decay_s", SUSPENSION_DECAY_S);
        let whole_kg = fault!(RIGID_MASS, mass_kg, times 0.5);
        let mode = |k: usize| ShapeMode { freq_hz, decay_s, mass_kg: whole_kg, numbers: [0, 0, k as i32] };
        solved.modes.splice(0..0, (0..motions.len()).map(mode));
        for (shape, point) in solved.shapes.iter_mut().zip(self.points) {
            shape.splice(0..0, motions.iter().map(|motion| motion(point)));
        }
        solved.rigid = motions.len();
        solved
    }

    /// A body that is held somewhere has no suspension.
    pub(crate) fn held(&self, solved: Solved) -> Result<Solved, Fault> {
        match ["suspension_hz", "suspension_decay_s"].into_iter().find(|id| self.def.value(id).is_some()) {
            Some(id) => Err(Fault::new(id, "belongs to a free body, and this one is held; leave it out")),
            None => Ok(solved),
        }
    }
}

/// The fractions of a place on a family; an error names the range or the known words.
pub fn locate(family: &Family, place: &Place) -> Result<Point, String> {
    match place {
        Place::Named(word) => match family.places.iter().find(|(known, _)| known == word) {
            Some((_, point)) => Ok(*point),
            None => {
                let known: Vec<&str> = family.places.iter().map(|(known, _)| *known).collect();
                let what = format!("a {} has no place '{word}'; wants one of {}", family.kind.id, known.join(", "));
                Err(format!("{what}, or {}", wanted(family)))
            }
        },
        Place::At(fractions) => {
            if fractions.len() != family.axes.len() {
                return Err(format!("has {} coordinates; wants {}", fractions.len(), wanted(family)));
            }
            let mut point = [0.0; 3];
            for (to, &fraction) in point.iter_mut().zip(fractions) {
                if !(0.0..=1.0).contains(&fraction) {
                    return Err(format!("{fraction} is outside the body; wants {}", wanted(family)));
                }
                *to = fraction;
            }
            Ok(point)
        }
    }
}

/// What coordinates a family takes, in words.
pub fn wanted(family: &Family) -> String {
    match family.axes {
        [one] => format!("a fraction of {one}, 0 to 1"),
        axes => format!("fractions of [{}], each 0 to 1", axes.join(", ")),
    }
}

/// What a family is given to solve.
fn given<'a>(family: &Family, def: &'a ShapeDef, below_hz: Real, points: &'a [Point]) -> Result<Given<'a>, Fault> {
    let most = def.modes.map_or(DEFAULT_MODES, |most| most as usize);
    let mut given = Given { def, material: cavity::AIR, most, below_hz, points };
    given.material = match def.material {
        MaterialDef::Air if family.solid => return Err(Fault::new("", format!("a {} needs material", def.kind.id))),
        MaterialDef::Air => cavity::air(&given),
        MaterialDef::Own(material) => material,
        MaterialDef::Named(id) => match Material::named(id) {
            // What it gives to the air is computed where it says how it stands in it.
            Some(entry) if def.word("radiates").is_some() => entry.bare(),
            Some(entry) => entry.material,
            None => return Err(Fault::new("material", format!("no material '{id}'"))),
        },
    };
    Ok(given)
}

/// Modes below `below_hz` and their shape values at the places; without places, at the family's first one. `[control]`
pub fn evaluate(def: &ShapeDef, places: &[PlaceOn], below_hz: Real) -> Result<Solved, Fault> {
    Ok(solve(def, places, below_hz, false)?.0)
}

/// The same with what stretches it when it moves far. `[control]`
pub fn evaluate_stretched(def: &ShapeDef, places: &[PlaceOn], below_hz: Real) -> Result<(Solved, Stretch), Fault> {
    let (solved, stretch) = solve(def, places, below_hz, true)?;
    stretch.map(|stretch| (solved, stretch)).ok_or_else(|| Fault::new("stiffens", stretch::not_for(def.kind.id)))
}

/// What is known of a shape above its list of modes: [tail.5].
#[derive(Clone, Copy)]
pub struct Onward {
    material: Material,
    surface: Option<radiation::Surface>,
    count: Option<Count>,
    /// What the upper half of the list has of D over its trend, and how slow its waves are.
    excess: Real,
    slowness: Real,
}

/// How a shape whose list of modes is this one goes on. `[control]`
pub fn onward(def: &ShapeDef, tuning: &Tuning) -> Result<Onward, Fault> {
    let family = family(def.kind.id).ok_or_else(|| Fault::new("shape", "unknown shape"))?;
    let given = given(family, def, Real::INFINITY, &[])?;
    let surface = family.surface.map(|surface| surface(&given)).transpose()?;
    let material = given.material;
    let mut onward = Onward { material, surface, count: tail::count(tuning), excess: 1.0, slowness: 1.0 };
    if let Some(mount) = def.word("radiates") {
        let lost = |mode: &ModeRow| (1.0 / mode.1 - 1.0 / material.decay_s(mode.0)).max(0.0);
        onward.note(tuning, |i| radiation::reach_of_loss(lost(&tuning.modes[i]), &tuning.modes[i], mount == "baffled"));
    }
    Ok(onward)
}

impl Onward {
    /// The same for an ear so far away, m, that hears the listed modes by these values. `[control]`
    pub fn heard(mut self, tuning: &Tuning, values: &[Real], distance_m: Real) -> Self {
        self.note(tuning, |i| TAU * distance_m * values[i] / cavity::AIR.density_kg_m3); // [radiation.1]
        self
    }

    /// Finds what the list has over its trend from D of each of its modes.
    fn note(&mut self, tuning: &Tuning, d: impl Fn(usize) -> Real) {
        let (Some(surface), Some(count)) = (&self.surface, &self.count) else { return };
        let last = tuning.modes.len() - tuning.tail.len();
        let upper = (tuning.rigid + last) / 2..last;
        let (mut square, mut slow) = (0.0, 0.0);
        for i in upper.clone() {
            let (freq_hz, number) = (tuning.modes[i].0, count.below(tuning.modes[i].0));
            let over = d(i) / surface.trend(freq_hz, number);
            square += over * over / upper.len() as Real;
            slow += ln(surface.slowness(freq_hz, number)) / upper.len() as Real;
        }
        (self.excess, self.slowness) = (square.sqrt().clamp(1e-6, 1e6), exp(slow));
    }

    /// Decay time of a mode like another one at a frequency: the material's own, and what the air takes ([radiation.5]).
    pub fn decay_s(&self, like: &ModeRow, freq_hz: Real) -> Real {
        let inner = |freq_hz: Real| 1.0 / self.material.decay_s(freq_hz);
        let outer = (1.0 / like.1 - inner(like.0)).max(0.0);
        let louder = freq_hz * self.reach(freq_hz) / (like.0 * self.reach(like.0));
        1.0 / (inner(freq_hz) + outer * if louder.is_finite() { louder * louder } else { 1.0 })
    }

    /// How well modes reach an ear at a frequency, in any unit: [tail.5].
    pub fn reach(&self, freq_hz: Real) -> Real {
        let (Some(surface), Some(count)) = (&self.surface, &self.count) else { return 1.0 };
        let number = count.below(freq_hz);
        let slow = ln(surface.slowness(freq_hz, number));
        let left = if self.slowness > 1.0 { (slow / ln(self.slowness)).clamp(0.0, 1.0) } else { 1.0 };
        surface.trend(freq_hz, number) * pow(self.excess, left)
    }
}

/// True if large motion of this shape can be asked for. `[control]`
pub fn may_stiffen(kind: &Kind) -> bool {
    stretch::law(kind.id).is_some()
}

/// Why a shape cannot be asked to stiffen. `[control]`
pub fn cannot_stiffen(kind: &Kind) -> String {
    stretch::not_for(kind.id)
}

fn solve(
    def: &ShapeDef,
    places: &[PlaceOn],
    below_hz: Real,
    stretched: bool,
) -> Result<(Solved, Option<Stretch>), Fault> {
    let family = family(def.kind.id).ok_or_else(|| Fault::new("shape", "unknown shape"))?;
    let mut points = Vec::new();
    for port in places {
        points.push(locate(family, &port.place).map_err(|what| Fault::new(format!("port.{}", port.name), what))?);
    }
    if points.is_empty() {
        points.extend(family.places.first().map(|(_, point)| *point));
    }
    let given = given(family, def, below_hz, &points)?;
    let mut solved = (family.solve)(&given)?;
    for mode in &mut solved.modes[solved.rigid..] {
        mode.decay_s = given.material.decay_s(mode.freq_hz); // [shape.2]
    }
    radiation::damp(family, &given, &mut solved)?;
    solved.shapes.iter_mut().flatten().filter(|value| value.abs() < NODAL).for_each(|value| *value = 0.0);
    let Some(last) = solved.bending().last() else {
        let what = format!("no mode lies below {below_hz} Hz; make it larger or raise rate_hz");
        return Err(Fault::new("", what));
    };
    if !last.freq_hz.is_finite() || solved.shapes.iter().flatten().any(|value| !value.is_finite()) {
        return Err(Fault::new("", "its modes cannot be computed; choose less extreme dimensions"));
    }
    for (port, shape) in places.iter().zip(&solved.shapes) {
        if shape.iter().all(|value| *value == 0.0) {
            let what = "no mode moves there (a fixed edge, or a nodal line of all); move it";
            return Err(Fault::new(format!("port.{}", port.name), what));
        }
    }
    let law = stretch::law(def.kind.id).filter(|_| stretched);
    let stretch = law.map(|law| law(&given, &solved)).transpose()?;
    Ok((solved, stretch))
}

const fn key(id: &'static str, takes: KeyType, doc: &'static str) -> Key {
    Key::new(id, takes, doc)
}
const fn must(id: &'static str, takes: KeyType, doc: &'static str) -> Key {
    Key::must(id, takes, doc)
}

/// What the suspension of a free body does when the scene says nothing: well below hearing, and soon at rest.
const SUSPENSION_HZ: Real = 5.0;
const SUSPENSION_DECAY_S: Real = 0.1;
const HANGS: Key = key(
    "suspension_hz",
    KeyType::Number { unit: "Hz", min: 0.0, max: 100.0 },
    "Of a free body: frequency at which it swings as a whole, so that it comes back to its place, default 5; 0: it floats away.",
);
const SWINGS: Key = key(
    "suspension_decay_s",
    KeyType::Number { unit: "s", min: 1e-3, max: 1e3 },
    "Of a free body: time in which that swing falls to 1/e, default 0.1.",
);

/// Lengths of bodies and rooms, m.
const LENGTH: KeyType = KeyType::Number { unit: "m", min: 1e-3, max: 100.0 };
/// Thickness of walls, skins and wires, m.
const THICKNESS: KeyType = KeyType::Number { unit: "m", min: 1e-6, max: 1.0 };
