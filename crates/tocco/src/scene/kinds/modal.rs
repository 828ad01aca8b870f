// SPDX-License-Identifier: MIT OR Apache-2.0
//! The bank of modes: a vibrating object written mode by mode.

use super::*;
use crate::resonator::modal::tail;
use crate::resonator::modal::{LINEAR, Modal, ModalParams, ModeRow, Tuning};
use crate::resonator::shape::radiation::by_size;

const MODES: KeyType = KeyType::Tables { of: &MODE, min: 1, max: MAX_LIST };
/// One mode-shape value, in `[body.NAME.port]`.
pub const SHAPE_VALUE: KeyType = KeyType::Number { unit: "1", min: -1e6, max: 1e6 };
const PORTS: KeyType =
    KeyType::Map { of: &KeyType::List { of: &SHAPE_VALUE, min: 1, max: MAX_LIST }, min: 0, max: MAX_NODES };

/// What is wrong with `morph_01` alone.
pub(super) const NO_MORPH: Rule =
    Rule::Beside(&["morph_01"], &["morph"], "moves nothing without a table `morph`; give it one or leave this out");

/// What lies above the last mode.
pub(super) const TAIL: Key = Key::new(
    "tail",
    KeyType::Flag,
    "Goes on above its last mode up to 20 kHz, as densely and with such losses as the list shows, by at most 30 modes that stand for bands of many; default false.",
);
pub(super) const TAIL_WORDS: &str = "; goes on above them up to 20 kHz";

/// The modal body in scene files.
pub const MODAL: Kind = Kind {
    family: "body",
    id: "modal",
    doc: "A vibrating object as a bank of modes with named places.",
    params: LINEAR,
    keys: &[
        Key::must(
            "modes",
            MODES,
            "One table per mode: undamped frequency in Hz (0: rigid motion), time to 1/e in s (left out: lossless), modal mass in kg.",
        ),
        Key::new(
            "port",
            PORTS,
            "Signed mode-shape values at named places, one per mode; default one port \"0\" of all ones.",
        ),
        Key::new(
            "morph",
            KeyType::Table(&TARGET),
            "Another body of the same port names, to which `morph_01` moves this one; without its own port table it keeps the values of this one.",
        ),
        TAIL,
    ],
    rules: &[NO_MORPH],
};

/// One mode of a modal body.
pub const MODE: Kind = Kind {
    family: "mode",
    id: "",
    doc: "One mode of a modal body, written in its list `modes`.",
    params: &[],
    keys: &[
        Key::must(
            "freq_hz",
            KeyType::Number { unit: "Hz", min: 0.0, max: 192_000.0 },
            "Undamped frequency; 0 is a free (rigid) motion.",
        ),
        Key::new(
            "decay_s",
            KeyType::Number { unit: "s", min: 1e-6, max: 1e6 },
            "Time to 1/e of the amplitude; left out: lossless.",
        ),
        Key::must("mass_kg", KeyType::Number { unit: "kg", min: 1e-12, max: 1e12 }, "Modal mass."),
    ],
    rules: &[],
};

/// The other end of a modal body's morph.
pub const TARGET: Kind = Kind {
    family: "target",
    id: "",
    doc: "Another body to which `morph_01` moves a modal body while it sounds, written in its table `morph`.",
    params: &[],
    keys: &[
        Key::must("modes", MODES, "Its modes; the k-th lowest is what the body's k-th lowest becomes."),
        Key::new("port", PORTS, "Its values at the body's places, all of them; default the body's own values."),
    ],
    rules: &[],
};

/// A bank of modes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModalDef {
    /// Live parameters.
    pub params: ModalParams,
    /// The modes.
    pub modes: Vec<ModeDef>,
    /// Named places with one mode-shape value per mode; empty: one port "0" of all ones.
    pub ports: Vec<PortDef>,
    /// What `morph_01` moves it to.
    pub morph: Option<MorphDef>,
    /// It goes on above its last mode.
    pub tail: bool,
}

/// One mode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModeDef {
    /// Undamped frequency, Hz; zero is a free (rigid) motion.
    pub freq_hz: Real,
    /// Time to 1/e of the amplitude, s; infinite is lossless.
    pub decay_s: Real,
    /// Modal mass, kg.
    pub mass_kg: Real,
}

/// A named place on a modal body.
#[derive(Clone, Debug, PartialEq)]
pub struct PortDef {
    /// Label, unique within the body.
    pub name: String,
    /// Signed mode-shape value of every mode here.
    pub values: Vec<Real>,
}

/// The body at the other end of a morph.
#[derive(Clone, Debug, PartialEq)]
pub struct MorphDef {
    /// Its modes.
    pub modes: Vec<ModeDef>,
    /// The same places as the body's, in the same order; empty: the body's own values.
    pub ports: Vec<PortDef>,
}

impl ModalDef {
    /// A bank with no mode yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more mode: frequency in Hz, time to 1/e in s, modal mass in kg.
    pub fn mode(mut self, freq_hz: Real, decay_s: Real, mass_kg: Real) -> Self {
        self.modes.push(ModeDef { freq_hz, decay_s, mass_kg });
        self
    }

    /// With what lies above its last mode.
    pub fn tailed(self) -> Self {
        Self { tail: true, ..self }
    }

    /// With a named place: one signed mode-shape value per mode.
    pub fn port(mut self, name: &str, mode_shape: &[Real]) -> Self {
        self.ports.push(PortDef { name: name.into(), values: mode_shape.to_vec() });
        self
    }
}

impl BodyKind for ModalDef {
    fn kind(&self) -> &'static Kind {
        &MODAL
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params).into_iter().take(LINEAR.len()).collect()
    }
    fn ports(&self) -> Vec<&str> {
        or_one(self.ports.iter().map(|port| port.name.as_str()).collect())
    }
    fn pitch(&self) -> Option<(&'static Spec, Real)> {
        among(&self.params, "freq_scale")
    }
    fn damping(&self) -> Option<Damping> {
        Damping::scaling(&self.params)
    }
    fn absent(&self) -> &'static [&'static str] {
        if self.morph.is_none() { &["morph_01"] } else { &[] }
    }
    fn fundamental_hz(&self, port: Option<&str>, _rate_hz: Real, now: &dyn Fn(&str) -> Option<Real>) -> Option<Real> {
        let shape = self.ports.iter().find(|p| port.is_none_or(|name| name == p.name)).map(|p| &p.values);
        let moves = |i: usize| shape.is_none_or(|shape| shape.get(i).is_some_and(|x| *x != 0.0));
        let heard = self.modes.iter().enumerate().filter(|(i, mode)| mode.freq_hz > 0.0 && moves(*i));
        let lowest = heard.map(|(_, mode)| mode.freq_hz).fold(Real::INFINITY, Real::min);
        lowest.is_finite().then(|| lowest * now("freq_scale").unwrap_or(1.0))
    }
    fn radiates(&self) -> bool {
        true
    }
    fn has_tail(&self) -> bool {
        self.tail
    }
    fn words(&self, _rate_hz: Real) -> String {
        let modes = &self.modes;
        let range = |of: &dyn Fn(&ModeDef) -> Real| {
            let values = || modes.iter().map(of).filter(|x| x.is_finite());
            let (low, high) = (values().fold(Real::INFINITY, Real::min), values().fold(0.0, Real::max));
            match (low <= high, low == high) {
                (false, _) => "none".into(),
                (true, true) => short(low),
                (true, false) => format!("{} to {}", short(low), short(high)),
            }
        };
        let to = self.morph.as_ref().map_or_else(String::new, |to| format!("; morphs into {} modes", to.modes.len()));
        let (freqs, decays) = (range(&|mode| mode.freq_hz), range(&|mode| mode.decay_s));
        let places = places_words(self.ports.iter().map(|port| port.name.as_str()));
        let tail = if self.tail { TAIL_WORDS } else { "" };
        format!("{} modes, {freqs} Hz, decay {decays} s{places}{to}{tail}", modes.len())
    }
}

impl BuildBody for ModalDef {
    fn check(&self, spot: &Spot) -> Check {
        spot.params(&self.params)?;
        if self.params.stiffening != ModalParams::default().stiffening {
            return spot.fail("stiffening", "is for shapes that stiffen, and this is a bank of modes; leave it at 1");
        }
        check_bank(spot, &self.modes, &self.ports)?;
        let Some(to) = &self.morph else { return check_unmorphed(spot, &self.params) };
        let there = spot.within("morph");
        check_bank(&there, &to.modes, &to.ports)?;
        if to.ports.is_empty() {
            if !self.ports.is_empty() && to.modes.len() != self.modes.len() {
                let (own, body) = (to.modes.len(), self.modes.len());
                return there
                    .fail("modes", format!("has {own} modes and the body has {body}; needs its own port table"));
            }
            return Ok(());
        }
        let names = self.ports();
        if let Some(stranger) = to.ports.iter().find(|port| !names.contains(&&*port.name)) {
            let near = nearest(&stranger.name, names.iter().copied());
            return there.within("port").fail(&stranger.name, format!("the body has no such place{near}"));
        }
        if let Some(missing) = names.iter().find(|name| to.ports.iter().all(|port| port.name != **name)) {
            return there.fail("port", format!("lacks the body's place '{missing}'"));
        }
        match names.iter().zip(&to.ports).find(|(name, port)| port.name != **name) {
            Some((name, _)) => {
                there.fail("port", format!("has the body's places in another order; '{name}' comes first"))
            }
            None => Ok(()),
        }
    }
    fn write(&self, out: &mut Toml, at: &str) {
        out.params(&self.params, &[]);
        if self.tail {
            out.line(format_args!("tail = true"));
        }
        write_bank(out, at, &self.modes, &self.ports);
        if let Some(morph) = &self.morph {
            let at = format!("{at}.morph");
            out.line(format_args!("[{at}]"));
            write_bank(out, &at, &morph.modes, &morph.ports);
        }
    }
    fn build(&self, context: &mut BodyContext<'_>) -> Result<Box<dyn Resonator>, SceneError> {
        let (params, sample_s, touched) = (self.params, context.sample_s(), context.has_contact());
        let kept = audible(context, &self.modes, params.freq_scale)?;
        Ok(Box::new(match &self.morph {
            None => {
                Modal::tuned(params, &self.heard(context, tuning(&self.modes, &self.ports, &kept))?, sample_s, touched)
            }
            Some(to) => {
                // A mode too high for this rate may come within it: the bank silences what does not fit.
                let all = |modes: &[ModeDef]| (0..modes.len()).collect::<Vec<_>>();
                let from = self.heard(context, tuning(&self.modes, &self.ports, &all(&self.modes)))?;
                let there = if to.ports.is_empty() { &self.ports } else { &to.ports };
                let to = self.heard(context, tuning(&to.modes, there, &all(&to.modes)))?;
                Modal::morphing(params, &from, &to, sample_s, touched)
            }
        }))
    }
    fn structure(&self) -> String {
        let tail = if self.tail { " tail" } else { "" };
        format!("{:?} {:?} {:?}{tail}", self.modes, self.ports, self.morph)
    }
}

impl ModalDef {
    /// With its tail, and a port for every ear that hears what it radiates, by its size and how it moves at the place named.
    fn heard(&self, context: &mut BodyContext<'_>, mut tuning: Tuning) -> Result<Tuning, SceneError> {
        let listed = tuning.modes.len();
        if self.tail {
            let (spot, decay_s) = (context.spot(), tail::decays(&tuning));
            with_tail(context, &spot, &mut tuning, self.params.freq_scale, decay_s)?;
        }
        hear_by_size(context, &mut tuning, listed, &BodyKind::ports(self), "a modal body")?;
        if self.tail {
            tuning.hear_places();
        }
        Ok(tuning)
    }
}

/// Adds a port for every ear, by the size of a body and how it moves at the place named, of which so many modes are listed: [radiation.7].
pub(super) fn hear_by_size(
    context: &BodyContext<'_>,
    tuning: &mut Tuning,
    listed: usize,
    ports: &[&str],
    who: &str,
) -> Check {
    let lowest_hz = tuning.modes.iter().map(|mode| mode.0).filter(|hz| *hz > 0.0).fold(Real::INFINITY, Real::min);
    for (index, tap) in context.ears() {
        let spot = Spot(format!("tap[{index}]"));
        if tap.ear.direction_deg.is_some() {
            return spot.fail("direction_deg", "only shapes know directions; leave it out");
        }
        let Some(size_m) = tap.ear.size_m else {
            return spot.fail("", format!("{who} needs size_m, the radius of a disc of its size, to radiate"));
        };
        let port = tap.of.split_once('.').map_or("0", |(_, port)| port);
        let at = ports.iter().position(|name| *name == port).unwrap_or(0);
        let reach = |hz: Real| by_size(size_m, lowest_hz, hz, tap.ear.distance_m);
        let pressure = |(&(hz, ..), shape): (&ModeRow, &Real)| if hz > 0.0 { shape * reach(hz) } else { 0.0 };
        let ear = tuning.modes[..listed].iter().zip(&tuning.ports[at]).map(pressure).collect();
        tuning.hear(ear, reach);
    }
    Ok(())
}

/// Goes on above a list, if this rate holds anything of it.
pub(super) fn with_tail(
    context: &mut BodyContext<'_>,
    spot: &Spot,
    tuning: &mut Tuning,
    freq_scale: Real,
    decay_s: impl Fn(&ModeRow, Real) -> Real,
) -> Result<(), SceneError> {
    let end_hz = tail::end_hz(context.rate_hz) / freq_scale;
    let mut rng = Rng::new(context.def.seed, &format!("{} tail", context.name));
    match tail::extend(tuning, end_hz, decay_s, &mut rng) {
        // A rate below the scene's own leaves no room for it, or too few modes to go on from.
        Err(_) if context.rate_hz < context.def.rate_hz => {
            context.omitted.push(format!("{}: its tail", context.name));
            Ok(())
        }
        Err(why) => spot.fail("tail", why.to_string()),
        Ok(()) => Ok(()),
    }
}

/// A body without another end stays at this one.
pub(super) fn check_unmorphed(spot: &Spot, params: &ModalParams) -> Check {
    match NO_MORPH {
        Rule::Beside(_, _, what) if params.morph_01 != 0.0 => spot.fail("morph_01", what),
        _ => Ok(()),
    }
}

fn check_bank(spot: &Spot, modes: &[ModeDef], ports: &[PortDef]) -> Check {
    if modes.is_empty() {
        return spot.fail("modes", "is empty; a modal body needs a mode");
    }
    spot.count("modes", modes.len(), MAX_LIST, "modes")?;
    for (index, mode) in modes.iter().enumerate() {
        let in_range = |id, value| match MODE.takes(id).and_then(|takes| takes.breach(value)) {
            Some(what) => spot.fail(&format!("modes[{index}].{id}"), what),
            None => Ok(()),
        };
        in_range("freq_hz", mode.freq_hz)?;
        in_range("mass_kg", mode.mass_kg)?;
        if mode.decay_s != Real::INFINITY {
            in_range("decay_s", mode.decay_s)?;
        }
    }
    spot.ports(ports.iter().map(|port| port.name.as_str()))?;
    for port in ports {
        let spot = spot.within("port");
        if port.values.len() != modes.len() {
            let (has, modes) = (port.values.len(), modes.len());
            let what = format!("has {has} values and the body has {modes} modes; wants one value per mode");
            return spot.fail(&port.name, what);
        }
        let wild = port.values.iter().enumerate().find_map(|(i, value)| Some((i, SHAPE_VALUE.breach(*value)?)));
        if let Some((index, what)) = wild {
            return spot.fail(&format!("{}[{index}]", port.name), what);
        }
    }
    Ok(())
}

/// Modes and places of a table that has just been opened.
fn write_bank(out: &mut Toml, at: &str, modes: &[ModeDef], ports: &[PortDef]) {
    out.line(format_args!("modes = ["));
    for ModeDef { freq_hz, decay_s, mass_kg } in modes {
        let decay = if decay_s.is_finite() { format!("decay_s = {decay_s:?}, ") } else { String::new() };
        out.line(format_args!("    {{ freq_hz = {freq_hz:?}, {decay}mass_kg = {mass_kg:?} }},"));
    }
    out.line(format_args!("]"));
    out.table_unless_empty(&format!("{at}.port"), ports, |port| (&port.name, format!("{:?}", port.values)));
}

/// The modes of these indices and their values at the places, one place of all ones if none is named.
fn tuning(modes: &[ModeDef], places: &[PortDef], kept: &[usize]) -> Tuning {
    let ports = if places.is_empty() {
        vec![vec![1.0; kept.len()]]
    } else {
        places.iter().map(|p| kept.iter().map(|&i| p.values[i]).collect()).collect()
    };
    Tuning {
        modes: kept.iter().map(|&i| (modes[i].freq_hz, modes[i].decay_s, modes[i].mass_kg)).collect(),
        ports,
        ..Tuning::default()
    }
}

/// Indices of the modes that this rate can hold.
pub(super) fn audible(context: &mut BodyContext<'_>, modes: &[ModeDef], scale: Real) -> Result<Vec<usize>, SceneError> {
    let (rate_hz, mut kept) = (context.rate_hz, Vec::new());
    for (index, mode) in modes.iter().enumerate() {
        let freq_hz = mode.freq_hz * scale;
        if freq_hz < 0.5 * rate_hz {
            kept.push(index);
        } else if rate_hz < context.def.rate_hz {
            context.omitted.push(format!("{}: mode {index} ({freq_hz} Hz)", context.name));
        } else {
            let half = 0.5 * rate_hz;
            let what = format!(
                "{freq_hz} Hz is not below half the rate ({half} Hz); lower it, leave the mode out or raise rate_hz"
            );
            return context.spot().fail(&format!("modes[{index}].freq_hz"), what);
        }
    }
    Ok(kept)
}

#[cfg(feature = "text")]
impl Read for ModalDef {
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        let modes = read_modes(node, lines)?;
        let ports = read_ports(node, lines)?;
        let morph = match node.entry("morph") {
            None => None,
            Some(entry) => {
                let at = node.place("morph");
                let to = Node::open(table(&entry.value, &at, "a table { modes, port }")?, at, entry.line, &TARGET)?;
                to.note(lines);
                let (modes, mut there) = (read_modes(&to, lines)?, read_ports(&to, lines)?);
                if there.is_empty() && to.entry("port").is_some() {
                    return to
                        .fail("port", format!("lacks the body's place '{}'", ports.first().map_or("0", |p| &p.name)));
                }
                let place = |port: &PortDef| ports.iter().position(|own| own.name == port.name);
                crate::order::sort(&mut there, |a, b| place(a).cmp(&place(b)));
                Some(MorphDef { modes, ports: there })
            }
        };
        Ok(Self { params: node.params()?, modes, ports, morph, tail: node.flag("tail")?.unwrap_or(false) })
    }
}

#[cfg(feature = "text")]
fn read_modes(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Vec<ModeDef>, SceneError> {
    let Some(entry) = node.entry("modes") else { return Ok(Vec::new()) };
    let at = node.place("modes");
    let values = list(&entry.value, &at, "a list of { freq_hz, decay_s, mass_kg }")?;
    check_count(&at, entry.line, values.len(), MAX_LIST, "modes")?;
    let read = |(index, value): (usize, &Value<'_>)| {
        let at = format!("{at}[{index}]");
        lines.insert(at.clone(), value.line);
        let mode = Node::open(table(value, &at, "{ freq_hz, decay_s, mass_kg }")?, at, value.line, &MODE)?;
        Ok(ModeDef {
            freq_hz: mode.needed_number("freq_hz", "a mode")?,
            decay_s: mode.number_or("decay_s", Real::INFINITY)?,
            mass_kg: mode.needed_number("mass_kg", "a mode")?,
        })
    };
    values.iter().enumerate().map(read).collect()
}

#[cfg(feature = "text")]
fn read_ports(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Vec<PortDef>, SceneError> {
    named_ports(node, "a table of name = [one value per mode]", lines, |port, at| {
        let values = list(&port.value, &at, "a list of one mode-shape value per mode")?;
        let value = |(index, value)| number(value, &format!("{at}[{index}]"), SHAPE_VALUE);
        let shape: Result<Vec<Real>, SceneError> = values.iter().enumerate().map(value).collect();
        Ok(PortDef { name: port.key.to_string(), values: shape? })
    })
}
