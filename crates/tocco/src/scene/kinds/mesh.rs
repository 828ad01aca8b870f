// SPDX-License-Identifier: MIT OR Apache-2.0
//! The body of any form: its modes were computed before, by `tocco mesh`, and stand in a file that the scene names.
//!
//! **What.** A file holds the modes of a solid: frequencies, decays, and how each moves a few hundred places of the surface. Nothing
//! is solved here, so the same file gives the same bits everywhere.
//!
//! **Law.** A port is the nearest place v of the surface and a direction d, into the body unless the scene says another. With u_k the
//! shape of mode k there, M the mass, c the centre, a_k the axes of inertia and g_k the radii of gyration:
//! - `[mesh.7]  phi = d . u_k` with mass M: the mean square of a shape over the body is 1
//! - `[mesh.8]  phi = d . e_k` and `phi = d . (a_k x (v - c))/g_k`, both with mass M: the body as a whole, to three sides and about three
//!   axes, on a suspension as in [`shape`]
//! - `[mesh.9]  p = phi a D`, D of [radiation.7] with a disc as large as the widest side of the box around it, phi the root of the mean square of
//!   `n . u_k` over the surface, n its normals: what an ear hears
//!
//! **Sources.** ours; the file is described in [`baked`].

pub mod baked;

use super::modal::{TAIL, TAIL_WORDS, with_tail};
use super::*;
use crate::math::PI;
use crate::resonator::modal::{Modal, ModalParams, Tuning, tail};
use crate::resonator::shape::radiation::by_size;
pub use baked::{BakedMesh, BakedMode};
use std::sync::Arc;

/// What the suspension does when the scene says nothing, as for shapes.
const SUSPENSION_HZ: Real = 5.0;
const SUSPENSION_DECAY_S: Real = 0.1;
/// A port farther from the surface than this part of the body's size is a mistake.
const NEAR: Real = 0.2;
/// Motions as a whole.
const RIGID: usize = 6;

/// A number that lies anywhere in space.
const PLACE: KeyType = KeyType::List { of: &METRES, min: 3, max: 6 };
const WANTED: &str = "[x, y, z] in m, or [x, y, z, dx, dy, dz] with a direction";

/// The baked body in scene files.
pub const MESH: Kind = Kind {
    family: "body",
    id: "mesh",
    doc: "A solid of any form, whose modes 'tocco mesh' has computed from its surface and baked into a file.",
    params: PARAMS,
    keys: &[
        must("file", KeyType::Named(Thing::File), "The baked file that 'tocco mesh' wrote, relative to the scene."),
        key(
            "modes",
            KeyType::Integer { min: 1, max: baked::MOST_MODES as i64 },
            "Most modes kept, the lowest, default all of the file.",
        ),
        key(
            "suspension_hz",
            KeyType::Number { unit: "Hz", min: 0.0, max: 100.0 },
            "Frequency at which it swings as a whole, so that it comes back to its place, default 5; 0: it floats away.",
        ),
        key(
            "suspension_decay_s",
            KeyType::Number { unit: "s", min: 1e-3, max: 1e3 },
            "Time in which that swing falls to 1/e, default 0.1.",
        ),
        key(
            "port",
            KeyType::Map { of: &PLACE, min: 0, max: MAX_NODES },
            "Places by name, [x, y, z] in m as in the mesh: the nearest vertex, which moves into the body, or along [dx, dy, dz] if three more numbers follow; default one port \"0\" where the modes move most.",
        ),
        TAIL,
    ],
    rules: &[],
};

/// Its live parameters: those of a modal body that does not morph.
pub const PARAMS: &[Spec] = ModalParams::SPECS.split_at(3).0;

/// Live parameters of a baked body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshParams {
    /// Factor on every mode's frequency; decay times stay.
    pub freq_scale: Real,
    /// Factor on every mode's decay time.
    pub decay_scale: Real,
    /// Random change of the struck place at every strike.
    pub jitter_01: Real,
}

impl Default for MeshParams {
    fn default() -> Self {
        let ModalParams { freq_scale, decay_scale, jitter_01, .. } = ModalParams::default();
        Self { freq_scale, decay_scale, jitter_01 }
    }
}

impl MeshParams {
    /// The same for a bank of modes.
    fn modal(self) -> ModalParams {
        let Self { freq_scale, decay_scale, jitter_01 } = self;
        ModalParams { freq_scale, decay_scale, jitter_01, ..ModalParams::default() }
    }
}

impl Params for MeshParams {
    const SPECS: &'static [Spec] = PARAMS;
    fn value(&self, index: usize) -> Real {
        self.modal().value(index)
    }
    fn put(&mut self, index: usize, value: Real) {
        let mut all = self.modal();
        all.put(index, value);
        (self.freq_scale, self.decay_scale, self.jitter_01) = (all.freq_scale, all.decay_scale, all.jitter_01);
    }
}

/// A body whose modes stand in a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshDef {
    /// Live parameters.
    pub params: MeshParams,
    /// The file as the scene names it.
    pub file: String,
    /// What it holds; a host fetches it before the scene is built.
    pub mesh: Option<Arc<BakedMesh>>,
    /// Most modes kept; `None`: all.
    pub modes: Option<u32>,
    /// Hz; `None`: 5.
    pub suspension_hz: Option<Real>,
    /// s; `None`: 0.1.
    pub suspension_decay_s: Option<Real>,
    /// Named places; empty: one port "0" where the modes move most.
    pub ports: Vec<MeshPortDef>,
    /// It goes on above its last mode.
    pub tail: bool,
}

/// A named place on a baked body.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshPortDef {
    /// Label, unique within the body.
    pub name: String,
    /// Place, m, and if three more numbers follow the direction in which the port moves.
    pub at: Vec<Real>,
}

fn dot(a: [Real; 3], b: [Real; 3]) -> Real {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: [Real; 3], b: [Real; 3]) -> [Real; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

impl BakedMesh {
    /// Sides of the box around its vertices, m.
    fn sides_m(&self) -> [Real; 3] {
        let ends = |axis: usize| {
            let all = self.vertices_m.iter().map(|v| v[axis]);
            all.clone().fold(Real::NEG_INFINITY, Real::max) - all.fold(Real::INFINITY, Real::min)
        };
        [ends(0), ends(1), ends(2)]
    }

    /// Length of the diagonal of that box, m.
    fn size_m(&self) -> Real {
        let sides = self.sides_m();
        dot(sides, sides).sqrt()
    }

    /// Radius of a disc as large as the widest side of that box, m: [mesh.9].
    fn radius_m(&self) -> Real {
        let [a, b, c] = self.sides_m();
        ((a * b).max(b * c).max(c * a) / PI).sqrt()
    }

    /// How much of a mode's motion is across the surface.
    fn across(&self, mode: &BakedMode) -> Real {
        let squares = mode.shape.iter().zip(&self.normals).map(|(u, n)| dot(*u, *n) * dot(*u, *n));
        (squares.sum::<Real>() / self.normals.len().max(1) as Real).sqrt()
    }

    /// The vertex where its modes move most along the normal.
    fn liveliest(&self) -> usize {
        let moves = |vertex: usize| -> Real {
            let along = |mode: &BakedMode| dot(mode.shape[vertex], self.normals[vertex]);
            self.modes.iter().map(|mode| along(mode) * along(mode)).sum()
        };
        let all = (0..self.vertices_m.len()).map(|vertex| (vertex, moves(vertex)));
        all.fold((0, -1.0), |best, one| if one.1 > best.1 { one } else { best }).0
    }

    /// The vertex and unit direction of a place, or what is wrong with it.
    fn locate(&self, at: &[Real]) -> Result<(usize, [Real; 3]), String> {
        let (&[x, y, z], rest) = at.split_first_chunk::<3>().ok_or_else(|| format!("wants {WANTED}"))?;
        let far = |v: &[Real; 3]| {
            let way = [v[0] - x, v[1] - y, v[2] - z];
            dot(way, way).sqrt()
        };
        let all = self.vertices_m.iter().map(far).enumerate();
        let (vertex, way) = all.fold((0, Real::INFINITY), |best, one| if one.1 < best.1 { one } else { best });
        let size = self.size_m();
        if way > NEAR * size {
            let [a, b, c] = self.vertices_m[vertex].map(short);
            return Err(format!("{} m beside the body, whose nearest place is [{a}, {b}, {c}] m", short(way)));
        }
        let direction = match *rest {
            [] => self.normals[vertex].map(|n| -n),
            [a, b, c] => [a, b, c],
            _ => return Err(format!("has {} numbers; wants {WANTED}", at.len())),
        };
        let length = dot(direction, direction).sqrt();
        if !(length > 0.0 && length.is_finite()) {
            return Err(format!("a direction without length; wants {WANTED}"));
        }
        Ok((vertex, direction.map(|x| x / length)))
    }

    /// What every motion does at a vertex along a direction: as a whole [mesh.8], then the first modes [mesh.7].
    fn values(&self, vertex: usize, along: [Real; 3], modes: usize) -> Vec<Real> {
        let from = self.vertices_m[vertex];
        let arm: [Real; 3] = std::array::from_fn(|axis| from[axis] - self.centre_m[axis]);
        let turn =
            |k: usize| dot(along, cross(self.axes[k], arm)) / fault!(MESH_GYRATION, self.gyration_m[k], times 2.0); // [mesh.8]
        let whole = along.into_iter().chain((0..3).map(turn));
        whole.chain(self.modes[..modes].iter().map(|mode| dot(along, mode.shape[vertex]))).collect() // [mesh.7]
    }
}

impl MeshDef {
    /// A body of this file.
    pub fn new(file: &str) -> Self {
        Self { file: file.into(), ..Self::default() }
    }

    /// With a named place: three coordinates, m, and perhaps a direction.
    pub fn port(mut self, name: &str, at: &[Real]) -> Self {
        self.ports.push(MeshPortDef { name: name.into(), at: at.to_vec() });
        self
    }

    /// Modes below a frequency that are kept.
    fn kept(&self, mesh: &BakedMesh, below_hz: Real) -> usize {
        let most = self.modes.map_or(usize::MAX, |most| most as usize);
        mesh.modes.iter().take(most).take_while(|mode| mode.freq_hz < below_hz).count()
    }

    /// Values of every motion at a place, as a port there would have them. `[control]`
    pub(in crate::scene) fn values_at(&self, at: &[Real], below_hz: Real) -> Result<Vec<Real>, String> {
        let mesh = self.mesh.as_ref().ok_or("its baked file was not fetched")?;
        let (vertex, along) = mesh.locate(at)?;
        Ok(mesh.values(vertex, along, self.kept(mesh, below_hz)))
    }

    fn tuning(&self, spot: &Spot, below_hz: Real) -> Result<Tuning, SceneError> {
        let Some(mesh) = &self.mesh else {
            return spot.fail("file", format!("{} was not fetched; a host brings what a scene names", self.file));
        };
        let kept = self.kept(mesh, below_hz);
        if kept == 0 {
            let lowest = mesh.modes.first().map_or(0.0, |mode| mode.freq_hz);
            let what = format!("its lowest mode, {} Hz, is not below {} Hz", short(lowest), short(below_hz));
            return spot.fail("file", what + "; raise rate_hz, or bake a larger body");
        }
        let mut ports = Vec::new();
        for port in &self.ports {
            let (vertex, along) = mesh.locate(&port.at).or_else(|what| spot.within("port").fail(&port.name, what))?;
            ports.push(mesh.values(vertex, along, kept));
        }
        if ports.is_empty() {
            let vertex = mesh.liveliest();
            ports.push(mesh.values(vertex, mesh.normals[vertex].map(|n| -n), kept));
        }
        let freq_hz = self.suspension_hz.unwrap_or(SUSPENSION_HZ);
        let decay_s = self.suspension_decay_s.unwrap_or(SUSPENSION_DECAY_S);
        let whole = [(freq_hz, decay_s, mesh.mass_kg); RIGID];
        let modes = mesh.modes[..kept].iter().map(|mode| (mode.freq_hz, mode.decay_s, mesh.mass_kg));
        Ok(Tuning { modes: whole.into_iter().chain(modes).collect(), ports, rigid: RIGID, ..Tuning::default() })
    }

    /// With its tail, and a port for every ear that hears what it radiates: [mesh.9].
    fn heard(&self, context: &mut BodyContext<'_>, mut tuning: Tuning) -> Result<Tuning, SceneError> {
        if self.tail {
            let (spot, decay_s) = (context.spot(), tail::decays(&tuning));
            with_tail(context, &spot, &mut tuning, self.params.freq_scale, decay_s)?;
        }
        let Some(mesh) = &self.mesh else { return Ok(tuning) };
        let modes = &mesh.modes[..self.kept(mesh, self.below_hz(context.rate_hz))];
        let lowest_hz = modes.first().map_or(1.0, |mode| mode.freq_hz);
        for (index, tap) in context.ears() {
            if tap.ear.direction_deg.is_some() {
                return Spot(format!("tap[{index}]"))
                    .fail("direction_deg", "only shapes know directions; leave it out");
            }
            let size_m = tap.ear.size_m.unwrap_or_else(|| mesh.radius_m());
            let reach = |hz: Real| by_size(size_m, lowest_hz, hz, tap.ear.distance_m);
            let each = modes.iter().map(|mode| mesh.across(mode) * reach(mode.freq_hz));
            tuning.hear([0.0; RIGID].into_iter().chain(each).collect(), reach);
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

impl BodyKind for MeshDef {
    fn kind(&self) -> &'static Kind {
        &MESH
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn ports(&self) -> Vec<&str> {
        or_one(self.ports.iter().map(|port| port.name.as_str()).collect())
    }
    fn place(&self, port: usize) -> Option<Vec<Real>> {
        let mesh = self.mesh.as_ref()?;
        let vertex = match self.ports.get(port) {
            Some(port) => mesh.locate(&port.at).ok()?.0,
            None => mesh.liveliest(),
        };
        Some(mesh.vertices_m[vertex].to_vec())
    }
    fn pitch(&self) -> Option<(&'static Spec, Real)> {
        among(&self.params, "freq_scale")
    }
    fn damping(&self) -> Option<Damping> {
        Damping::scaling(&self.params)
    }
    fn fundamental_hz(&self, _port: Option<&str>, _rate_hz: Real, now: &dyn Fn(&str) -> Option<Real>) -> Option<Real> {
        Some(self.mesh.as_ref()?.modes.first()?.freq_hz * now("freq_scale").unwrap_or(1.0))
    }
    fn radiates(&self) -> bool {
        true
    }
    fn has_tail(&self) -> bool {
        self.tail
    }
    fn details(&self) -> Vec<(&'static str, Detail)> {
        let mut all = vec![("file", Detail::Word(self.file.clone()))];
        if let Some(mesh) = &self.mesh {
            // To a micrometre: they are drawn.
            let places = mesh.vertices_m.iter().map(|place| place.map(|x| (1e6 * x).round() / 1e6)).collect();
            all.push(("material", Detail::Word(mesh.material.clone())));
            all.push(("vertices_m", Detail::Places(places)));
            all.push(("triangles", Detail::Triples(mesh.triangles.clone())));
        }
        all
    }
    fn baked_mut(&mut self) -> Option<(&str, &mut Option<Arc<BakedMesh>>)> {
        Some((&self.file, &mut self.mesh))
    }
    fn words(&self, rate_hz: Real) -> String {
        let places = places_words(self.ports.iter().map(|port| port.name.as_str()));
        let Some(mesh) = &self.mesh else { return format!("{}{places}", self.file) };
        let (kept, scale) = (self.kept(mesh, self.below_hz(rate_hz)), self.params.freq_scale);
        let named: Vec<String> = mesh.modes[..kept].iter().take(8).map(|mode| short(scale * mode.freq_hz)).collect();
        let more = if kept > 8 { " ..." } else { "" };
        let (source, material) = (&mesh.source, &mesh.material);
        let heavy = short(mesh.mass_kg);
        let tail = if self.tail { TAIL_WORDS } else { "" };
        format!("{source} of {material}, {heavy} kg, {kept} modes: {}{more} Hz{places}{tail}", named.join(", "))
    }
}

impl BuildBody for MeshDef {
    fn check(&self, spot: &Spot) -> Check {
        spot.params(&self.params)?;
        spot.named("file", &self.file)?;
        if let Some(modes) = self.modes {
            spot.whole(&MESH, "modes", i64::from(modes))?;
        }
        for (id, value) in [("suspension_hz", self.suspension_hz), ("suspension_decay_s", self.suspension_decay_s)] {
            value.map_or(Ok(()), |value| spot.number(&MESH, id, value))?;
        }
        spot.ports(self.ports.iter().map(|port| port.name.as_str()))?;
        for port in &self.ports {
            let spot = spot.within("port");
            if port.at.len() != 3 && port.at.len() != 6 {
                return spot.fail(&port.name, format!("has {} numbers; wants {WANTED}", port.at.len()));
            }
            if let Some(what) = port.at.iter().find_map(|x| METRES.breach(*x)) {
                return spot.fail(&port.name, what);
            }
        }
        Ok(())
    }
    fn write(&self, out: &mut Toml, at: &str) {
        out.params(&self.params, &[]);
        out.line(format_args!("file = {}", quoted(&self.file)));
        if let Some(modes) = self.modes {
            out.line(format_args!("modes = {modes}"));
        }
        if self.tail {
            out.line(format_args!("tail = true"));
        }
        for (id, value) in [("suspension_hz", self.suspension_hz), ("suspension_decay_s", self.suspension_decay_s)] {
            if let Some(value) = value {
                out.number(id, value);
            }
        }
        out.table_unless_empty(&format!("{at}.port"), &self.ports, |port| (&port.name, format!("{:?}", port.at)));
    }
    fn build(&self, context: &mut BodyContext<'_>) -> Result<Box<dyn Resonator>, SceneError> {
        let tuning = self.tuning(&context.spot(), self.below_hz(context.rate_hz))?;
        let tuning = self.heard(context, tuning)?;
        let (sample_s, touched) = (context.sample_s(), context.has_contact());
        Ok(Box::new(Modal::tuned(self.params.modal(), &tuning, sample_s, touched).declaring(PARAMS)))
    }
    fn structure(&self) -> String {
        let baked = self.mesh.as_ref().map_or(0, |mesh| crate::hash::text(&mesh.text));
        let hung = (self.suspension_hz, self.suspension_decay_s);
        let tail = if self.tail { " tail" } else { "" };
        format!("{baked:016x} {:?} {hung:?} {:?}{tail}", self.modes, self.ports)
    }
    fn touched_anywhere(&self, rate_hz: Real) -> Option<Anywhere> {
        Some(Anywhere::Mesh(Box::new(self.clone()), self.below_hz(rate_hz)))
    }
}

#[cfg(feature = "text")]
impl Read for MeshDef {
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        let ports = named_ports(node, "a table of name = place", lines, |port, at| {
            let values = list(&port.value, &at, WANTED)?;
            let place: Result<Vec<Real>, SceneError> = values.iter().map(|value| number(value, &at, METRES)).collect();
            Ok(MeshPortDef { name: port.key.to_string(), at: place? })
        })?;
        Ok(Self {
            params: node.params()?,
            file: node.needed_text("file")?,
            mesh: None,
            modes: node.whole("modes")?.and_then(|most| u32::try_from(most).ok()),
            suspension_hz: node.number("suspension_hz")?,
            suspension_decay_s: node.number("suspension_decay_s")?,
            ports,
            tail: node.flag("tail")?.unwrap_or(false),
        })
    }
}
