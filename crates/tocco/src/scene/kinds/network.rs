// SPDX-License-Identifier: MIT OR Apache-2.0
//! The network of masses, springs and dampers.

use super::modal::{ModeDef, audible, hear_by_size};
use super::*;
use crate::resonator::modal::{Modal, ModalParams, Tuning};
use crate::resonator::network::dense::Dense;
use crate::resonator::network::{Link, MAX_JOINED, MAX_MASSES, Network, PARAMS, STRONGEST};

/// A mass in scene files.
pub const MASS_KG: KeyType = KeyType::Number { unit: "kg", min: 1e-9, max: 1e6 };

/// The network in scene files.
pub const NETWORK: Kind = Kind {
    family: "body",
    id: "network",
    doc: "Masses joined by springs and dampers; every mass is a place to touch and to hear.",
    params: PARAMS,
    keys: &[
        Key::must(
            "mass_kg",
            KeyType::Either(&[MASS_KG, KeyType::Map { of: &MASS_KG, min: 1, max: MAX_MASSES }]),
            "The masses, 1e-9 to 1e6 kg, at most 256; each is a port under its name. One number is the mass of all points.",
        ),
        Key::new(
            "points",
            KeyType::List { of: &KeyType::Name, min: 1, max: MAX_MASSES },
            "Names of the masses if mass_kg is one number.",
        ),
        Key::new(
            "fixed",
            KeyType::List { of: &KeyType::Name, min: 0, max: MAX_NODES },
            "Names of points that do not move, default none.",
        ),
        Key::new(
            "link",
            KeyType::Tables { of: &LINK, min: 0, max: MAX_LIST },
            "Springs and dampers; left out: the masses fly alone.",
        ),
    ],
    rules: &[Rule::ForAll {
        id: "mass_kg",
        names: "points",
        alone: "is one mass for all of points; give points, or a table of name = mass in kg",
        both: "stands beside a table of masses, which names them; keep one of the two",
    }],
};

const NOTHING: &str = "joins nothing; give stiffness_n_m, damping_n_s_m or both";

/// One link, or a chain of equal ones.
pub const LINK: Kind = Kind {
    family: "link",
    id: "",
    doc: "A spring and damper between two points of a network, or a chain of equal ones; needs stiffness, damping or both.",
    params: &[],
    keys: &[
        Key::must(
            "between",
            KeyType::List { of: &KeyType::Named(Thing::Point), min: 2, max: MAX_NODES },
            "Two points, masses or fixed; of more, each is joined to the next.",
        ),
        Key::new(
            "stiffness_n_m",
            KeyType::Number { unit: "N/m", min: 0.0, max: 1e12 },
            "Stiffness of each spring, default 0.",
        ),
        Key::new(
            "damping_n_s_m",
            KeyType::Number { unit: "N s/m", min: 0.0, max: 1e9 },
            "Force of each damper over its speed, default 0.",
        ),
    ],
    rules: &[Rule::Some(&["stiffness_n_m", "damping_n_s_m"], NOTHING)],
};

/// Live parameters of a network.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NetworkParams {
    /// Factor on every mode's frequency; decay times stay.
    pub freq_scale: Real,
    /// Factor on every mode's decay time.
    pub decay_scale: Real,
}

impl Default for NetworkParams {
    fn default() -> Self {
        let ModalParams { freq_scale, decay_scale, .. } = ModalParams::default();
        Self { freq_scale, decay_scale }
    }
}

impl NetworkParams {
    /// The same for a bank of modes.
    fn modal(self) -> ModalParams {
        ModalParams { freq_scale: self.freq_scale, decay_scale: self.decay_scale, ..ModalParams::default() }
    }
}

impl Params for NetworkParams {
    const SPECS: &'static [Spec] = PARAMS;
    fn value(&self, index: usize) -> Real {
        self.modal().value(index)
    }
    fn put(&mut self, index: usize, value: Real) {
        let mut all = self.modal();
        all.put(index, value);
        (self.freq_scale, self.decay_scale) = (all.freq_scale, all.decay_scale);
    }
}

/// Masses, springs and dampers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkDef {
    /// Live parameters.
    pub params: NetworkParams,
    /// The masses; each is a port.
    pub masses: Vec<PointDef>,
    /// Names of the points that do not move.
    pub fixed: Vec<String>,
    /// Springs and dampers.
    pub links: Vec<LinkDef>,
}

/// A mass of a network.
#[derive(Clone, Debug, PartialEq)]
pub struct PointDef {
    /// Label, unique within the body.
    pub name: String,
    /// kg
    pub mass_kg: Real,
}

/// A spring and damper between two points of a network, or a chain of equal ones.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkDef {
    /// Two points or more, each joined to the next.
    pub between: Vec<String>,
    /// Of each spring, N/m.
    pub stiffness_n_m: Real,
    /// Of each damper, N s/m.
    pub damping_n_s_m: Real,
}

impl NetworkDef {
    /// A network with no mass yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// With one more mass, kg.
    pub fn mass(mut self, name: &str, mass_kg: Real) -> Self {
        self.masses.push(PointDef { name: name.into(), mass_kg });
        self
    }

    /// With a point that does not move.
    pub fn fixed(mut self, name: &str) -> Self {
        self.fixed.push(name.into());
        self
    }

    /// With a spring, N/m, and a damper, N s/m, between two points, or a chain of equal ones through more.
    pub fn link(mut self, between: &[&str], stiffness_n_m: Real, damping_n_s_m: Real) -> Self {
        let between = between.iter().map(|name| name.to_string()).collect();
        self.links.push(LinkDef { between, stiffness_n_m, damping_n_s_m });
        self
    }

    /// The network in modes, masses in the order given. Errors name the wrong point. `[control]`
    pub fn analyse(&self) -> Result<Network, SceneError> {
        self.analyse_at(&Spot(String::new()))
    }

    fn analyse_at(&self, spot: &Spot) -> Result<Network, SceneError> {
        let links = self.resolve(spot)?;
        let masses: Vec<Real> = self.masses.iter().map(|point| point.mass_kg).collect();
        Ok(Network::new(&masses, &links))
    }

    /// Names to indices, or what is wrong with them.
    fn resolve(&self, spot: &Spot) -> Result<Vec<Link>, SceneError> {
        let Self { masses, fixed, links, .. } = self;
        if masses.is_empty() {
            return spot.fail("mass_kg", "is empty; a network needs a mass");
        }
        if masses.len() > MAX_MASSES {
            return spot.fail("mass_kg", format!("has {} masses; at most {MAX_MASSES}", masses.len()));
        }
        for (index, mass) in masses.iter().enumerate() {
            let at = format!("mass_kg.{}", clip(&mass.name));
            check_name(&mass.name).or_else(|what| spot.fail(&at, what))?;
            spot.takes(&at, MASS_KG, mass.mass_kg)?;
            if masses[..index].iter().any(|other| other.name == mass.name) {
                return spot.fail(&at, format!("the name '{}' is already taken; choose another", mass.name));
            }
        }
        spot.count("fixed", fixed.len(), MAX_NODES, "names")?;
        for (index, name) in fixed.iter().enumerate() {
            let at = format!("fixed[{index}]");
            check_name(name).or_else(|what| spot.fail(&at, what))?;
            let taken = masses.iter().any(|mass| mass.name == *name);
            if taken || fixed[..index].contains(name) {
                let by = if taken { "a mass" } else { "another fixed point" };
                return spot.fail(&at, format!("the name '{name}' is already taken by {by}; choose another"));
            }
        }
        spot.count("link", links.len(), MAX_LIST, "tables")?;
        let mut all = Vec::new();
        for (index, link) in links.iter().enumerate() {
            self.resolve_link(&spot.within(&format!("link[{index}]")), link, &mut all)?;
        }
        Ok(all)
    }

    fn resolve_link(&self, spot: &Spot, link: &LinkDef, all: &mut Vec<Link>) -> Check {
        let Self { masses, fixed, .. } = self;
        let LinkDef { ref between, stiffness_n_m, damping_n_s_m } = *link;
        spot.number(&LINK, "stiffness_n_m", stiffness_n_m)?;
        spot.number(&LINK, "damping_n_s_m", damping_n_s_m)?;
        if stiffness_n_m == 0.0 && damping_n_s_m == 0.0 {
            return spot.fail("", NOTHING);
        }
        spot.count("between", between.len(), MAX_NODES, "points")?;
        let mut points = Vec::new();
        for name in between {
            let mass = masses.iter().position(|mass| mass.name == *name);
            if mass.is_none() && !fixed.contains(name) {
                let known = masses.iter().map(|mass| mass.name.as_str()).chain(fixed.iter().map(String::as_str));
                return spot.fail("between", format!("no point '{}'{}", name.escape_debug(), nearest(name, known)));
            }
            points.push(mass);
        }
        if points.len() < 2 {
            return spot.fail("between", "wants two points or more, each joined to the next");
        }
        for (pair, names) in points.windows(2).zip(between.windows(2)) {
            if names[0] == names[1] {
                return spot.fail("between", format!("'{}' is linked to itself; name two points", names[0]));
            }
            if pair[0].is_none() && pair[1].is_none() {
                let what = format!("'{}' and '{}' are both fixed; one must be a mass", names[0], names[1]);
                return spot.fail("between", what);
            }
            all.push(Link { between: [pair[0], pair[1]], stiffness_n_m, damping_n_s_m });
        }
        Ok(())
    }
}

impl BodyKind for NetworkDef {
    fn kind(&self) -> &'static Kind {
        &NETWORK
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn ports(&self) -> Vec<&str> {
        self.masses.iter().map(|mass| mass.name.as_str()).collect()
    }
    fn pitch(&self) -> Option<(&'static Spec, Real)> {
        among(&self.params, "freq_scale")
    }
    fn damping(&self) -> Option<Damping> {
        Damping::scaling(&self.params)
    }
    fn radiates(&self) -> bool {
        true
    }
    fn fundamental_hz(&self, port: Option<&str>, _rate_hz: Real, now: &dyn Fn(&str) -> Option<Real>) -> Option<Real> {
        let network = self.analyse().ok()?;
        let mass = self.masses.iter().position(|mass| port.is_none_or(|name| name == mass.name))?;
        let moves = |i: &usize| network.omega[*i] > 0.0 && network.mode_shapes[mass][*i] != 0.0;
        let lowest = (0..network.omega.len()).find(moves)?;
        Some(network.freq_hz(lowest) * now("freq_scale").unwrap_or(1.0))
    }
    fn details(&self) -> Vec<(&'static str, Detail)> {
        vec![("links", Detail::Lists(self.links.iter().map(|link| link.between.clone()).collect()))]
    }
    fn words(&self, _rate_hz: Real) -> String {
        let count: usize = self.links.iter().map(|link| link.between.len().saturating_sub(1)).sum();
        let mut words = format!("network of {} masses, {count} links", self.masses.len());
        if let Ok(network) = self.analyse() {
            let high = network.omega.len().saturating_sub(1);
            let rigid = network.omega.iter().filter(|omega| **omega == 0.0).count();
            let (low_hz, high_hz) = (network.freq_hz(rigid.min(high)), network.freq_hz(high));
            let _ = write!(words, ", {} to {} Hz", short(low_hz), short(high_hz));
            if rigid > 0 {
                let _ = write!(words, ", {rigid} rigid");
            }
            if !network.stands_alone() {
                words.push_str(", modes joined by dampers");
            }
        }
        let names: Vec<&str> = self.masses.iter().take(12).map(|mass| mass.name.as_str()).collect();
        let more = if self.masses.len() > names.len() { ", ..." } else { "" };
        format!("{words}; places {}{more}", names.join(", "))
    }
}

impl BuildBody for NetworkDef {
    fn check(&self, spot: &Spot) -> Check {
        spot.params(&self.params)?;
        self.resolve(spot).map(|_| ())
    }
    fn write(&self, out: &mut Toml, at: &str) {
        out.params(&self.params, &[]);
        let names = |list: &[String]| list.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
        if !self.fixed.is_empty() {
            out.line(format_args!("fixed = [{}]", names(&self.fixed)));
        }
        out.table(&format!("{at}.mass_kg"), &self.masses, |mass| (&mass.name, format!("{:?}", mass.mass_kg)));
        for link in &self.links {
            out.line(format_args!("[[{at}.link]]\nbetween = [{}]", names(&link.between)));
            out.unless_zero("stiffness_n_m", link.stiffness_n_m);
            out.unless_zero("damping_n_s_m", link.damping_n_s_m);
        }
    }
    fn build(&self, context: &mut BodyContext<'_>) -> Result<Box<dyn Resonator>, SceneError> {
        let spot = context.spot();
        let network = self.analyse_at(&spot)?;
        let (params, sample_s) = (self.params.modal(), context.sample_s());
        let masses = network.omega.len();
        let mode = |i| ModeDef { freq_hz: network.freq_hz(i), decay_s: network.decay_s(i), mass_kg: 1.0 };
        let modes: Vec<ModeDef> = (0..masses).map(mode).collect();
        let kept = audible(context, &modes, params.freq_scale).or_else(|_| {
            let highest = modes.iter().fold(0.0, |m: Real, mode| m.max(mode.freq_hz)) * params.freq_scale;
            let half = 0.5 * context.rate_hz;
            let what = format!(
                "its highest mode, {highest:.0} Hz, is not below half the rate ({half} Hz); weaken springs, add mass or raise rate_hz"
            );
            spot.fail("", what)
        })?;
        let table = kept.iter().map(|&i| (modes[i].freq_hz, modes[i].decay_s, 1.0)).collect();
        let rows = network.mode_shapes.iter().map(|row| kept.iter().map(|&i| row[i]).collect());
        let mut tuning = Tuning { modes: table, ports: rows.collect(), ..Tuning::default() };
        hear_by_size(context, &mut tuning, kept.len(), &self.ports(), "a network")?;
        if network.stands_alone() || kept.is_empty() {
            return Ok(Box::new(Modal::tuned(params, &tuning, sample_s, context.has_contact()).declaring(PARAMS)));
        }
        let joined = "dampers in unlike proportion to masses and springs join its modes";
        if masses > MAX_JOINED {
            let what = format!(
                "{joined}, for which {masses} masses are too many (at most {MAX_JOINED}); give every spring damping in one proportion to its stiffness"
            );
            return spot.fail("", what);
        }
        let strongest = network.strongest();
        if strongest > STRONGEST {
            let what = format!(
                "{joined} and damp at {strongest:.2e} 1/s, at most {STRONGEST:.0e}: as good as rigid; weaken damping_n_s_m or make one mass of two"
            );
            return spot.fail("", what);
        }
        Ok(Box::new(Dense::heard(params, &network, &kept, tuning.ports, sample_s)))
    }
    fn structure(&self) -> String {
        format!("{:?} {:?} {:?}", self.masses, self.fixed, self.links)
    }
}

#[cfg(feature = "text")]
impl Read for NetworkDef {
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        let (masses, fixed) = (read_masses(node, lines)?, read_names(node, "fixed", lines)?);
        let mut links = Vec::new();
        for link in nodes(node, &LINK, MAX_LIST, lines)? {
            link.obey()?;
            let (at, mut between) = (link.place("between"), Vec::new());
            if let Some(entry) = link.entry("between") {
                let points = list(&entry.value, &at, "a list of points, each joined to the next")?;
                check_count(&at, entry.line, points.len(), MAX_NODES, "points")?;
                for (index, value) in points.iter().enumerate() {
                    between.push(text(value, &format!("{at}[{index}]"), "the name of a point in quotes")?.to_string());
                }
            }
            let stiffness_n_m = link.number_or("stiffness_n_m", 0.0)?;
            let damping_n_s_m = link.number_or("damping_n_s_m", 0.0)?;
            links.push(LinkDef { between, stiffness_n_m, damping_n_s_m });
        }
        Ok(Self { params: node.params()?, masses, fixed, links })
    }
}

/// A table of masses, or names in `points` that all have one mass.
#[cfg(feature = "text")]
fn read_masses(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Vec<PointDef>, SceneError> {
    let Some(entry) = node.entry("mass_kg") else { return Ok(Vec::new()) };
    let at = node.place("mass_kg");
    if let Data::Number(_) | Data::Whole(_) = entry.value.data {
        let mass_kg = number(&entry.value, &at, MASS_KG)?;
        let names = read_names(node, "points", lines)?;
        return Ok(names.into_iter().map(|name| PointDef { name, mass_kg }).collect());
    }
    let mut masses = Vec::new();
    for point in table(&entry.value, &at, "a mass in kg, or a table of name = mass in kg")? {
        let at = join(&at, &point.key);
        if let Err(what) = check_name(&point.key) {
            return fail(at, point.line, what);
        }
        let mass_kg = number(&point.value, &at, MASS_KG)?;
        lines.insert(at, point.line);
        masses.push(PointDef { name: point.key.to_string(), mass_kg });
    }
    Ok(masses)
}

#[cfg(feature = "text")]
fn read_names(node: &Node<'_, '_>, id: &str, lines: &mut Lines) -> Result<Vec<String>, SceneError> {
    let Some(entry) = node.entry(id) else { return Ok(Vec::new()) };
    let at = node.place(id);
    let names = list(&entry.value, &at, "a list of names")?;
    check_count(&at, entry.line, names.len(), MAX_NODES, "names")?;
    let read = |(index, value): (usize, &Value<'_>)| {
        let at = format!("{at}[{index}]");
        let name = text(value, &at, "a name in quotes")?;
        if let Err(what) = check_name(name) {
            return fail(at, value.line, what);
        }
        lines.insert(at, value.line);
        Ok(name.to_string())
    };
    names.iter().enumerate().map(read).collect()
}
