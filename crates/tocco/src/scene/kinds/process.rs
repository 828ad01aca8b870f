// SPDX-License-Identifier: MIT OR Apache-2.0
//! Processes: what every kind of them has in common.

use super::*;
use crate::process::Process;

/// Something that crackles, crunches or rustles as a signal says.
#[derive(Clone, Debug, PartialEq)]
pub struct ProcessDef {
    /// Unique label.
    pub name: String,
    /// The signal that it hears.
    pub driven_by: String,
    /// Sites that it hits; empty: it sounds by itself.
    pub on: Vec<String>,
    /// What it is.
    pub form: ProcessForm,
}

/// What may be asked of every process's definition.
pub trait ProcessKind {
    /// Its declaration.
    fn kind(&self) -> &'static Kind;
    /// Its live parameters with their values, in the order of the declaration.
    fn params(&self) -> Vec<(&'static Spec, Real)>;
    /// What a trigger of it says, in order, at most [`MOST_VALUES`](crate::command::MOST_VALUES); none: it takes no triggers.
    fn triggers(&self) -> &'static [Spec] {
        &[]
    }
    /// True if it sounds by itself; `hits` says whether it has bodies to hit.
    fn sounds(&self, hits: bool) -> bool {
        !hits
    }
    /// What it is, in a line for people.
    fn words(&self) -> String;
    /// Masses of the scene that it lets fall.
    fn masses(&self) -> &[String] {
        &[]
    }
    /// As [`ProcessKind::masses`], to be renamed.
    fn masses_mut(&mut self) -> &mut [String] {
        &mut []
    }
}

/// What a scene does with a process's definition.
pub(in crate::scene) trait BuildProcess: ProcessKind {
    /// Everything in it is as declared; `hits` says whether it has bodies to hit.
    fn check(&self, spot: &Spot, hits: bool) -> Check;
    /// The keys of its table but for `type`, `driven_by` and `on`.
    fn write(&self, out: &mut Toml);
    /// The process itself.
    fn build(&self, context: &mut ProcessContext<'_>) -> Result<Box<dyn Process>, SceneError>;
    /// As for bodies.
    fn structure(&self) -> String;
}

/// What a process is built with.
pub(in crate::scene) struct ProcessContext<'a> {
    pub(in crate::scene) def: &'a SceneDef,
    pub(in crate::scene) name: &'a str,
    pub(in crate::scene) rate_hz: Real,
    /// Inverse masses of the sites that it hits, 1/kg.
    pub(in crate::scene) ports: Vec<Real>,
    /// The masses that it lets fall, kg.
    pub(in crate::scene) masses: Vec<Real>,
    /// What this rate cannot hold, for people.
    pub(in crate::scene) omitted: &'a mut Vec<String>,
}

impl ProcessContext<'_> {
    /// A random stream of this process.
    pub(super) fn rng(&self, of: &str) -> Rng {
        Rng::new(self.def.seed, &format!("process {} {of}", self.name))
    }

    /// A frequency that must lie below half the rate: refused in the scene's own, named where another lowers it.
    pub(super) fn audible(&mut self, id: &str, freq_hz: Real) -> Result<bool, SceneError> {
        let half = 0.5 * self.rate_hz;
        if freq_hz < half {
            return Ok(true);
        }
        if self.rate_hz < self.def.rate_hz {
            self.omitted.push(format!("{}: {id} ({freq_hz} Hz)", self.name));
            return Ok(false);
        }
        let what = format!("{freq_hz} Hz is not below half the rate ({half} Hz); lower it or raise rate_hz");
        Spot(format!("process.{}", self.name)).fail(id, what)
    }
}

const SITES: KeyType = KeyType::Several { of: &KeyType::Named(Thing::Site), max: MAX_NODES };

/// Keys that every process has besides those of its kind.
const COMMON: [Key; 2] = [
    must("driven_by", KeyType::Named(Thing::Signal), "The signal that it hears."),
    key("on", SITES, "Places that it hits, which is work; without them it sounds by itself and is tapped by its name."),
];

/// Rule of a process that only hits bodies.
pub(super) const NEEDS_ON: Rule = Rule::Some(&["on"], WITHOUT_ON);
const WITHOUT_ON: &str = "needs on: the places that it hits";

/// What is wrong with a process that only hits bodies and has none.
pub(super) fn needs_on(spot: &Spot, hits: bool) -> Check {
    if hits { Ok(()) } else { spot.fail("", WITHOUT_ON) }
}

/// The keys of a kind of process: those of all, then its own.
pub(super) const fn with_common<const OWN: usize, const ALL: usize>(own: [Key; OWN]) -> [Key; ALL] {
    let mut all = [COMMON[0]; ALL];
    let mut i = 0;
    while i < ALL {
        all[i] = if i < COMMON.len() { COMMON[i] } else { own[i - COMMON.len()] };
        i += 1;
    }
    all
}

impl ProcessDef {
    pub(in crate::scene) fn check(&self, spot: &Spot) -> Check {
        spot.named("driven_by", &self.driven_by)?;
        spot.count("on", self.on.len(), MAX_NODES, "places")?;
        self.on.iter().try_for_each(|site| spot.named("on", site))?;
        self.form.definition().check(spot, !self.on.is_empty())
    }

    pub(in crate::scene) fn write(&self, out: &mut Toml) {
        let form = self.form.definition();
        out.line(format_args!("\n[process.{}]\ntype = \"{}\"", bare(&self.name), form.kind().id));
        out.line(format_args!("driven_by = {}", quoted(&self.driven_by)));
        out.texts("on", self.on.iter().map(String::as_str));
        form.write(out);
    }

    /// What distinguishes it from others but for live parameters.
    pub(in crate::scene) fn structure(&self) -> String {
        format!("{} {:?} {}", self.form.kind().id, self.on, self.form.definition().structure())
    }

    #[cfg(feature = "text")]
    pub(in crate::scene) fn read(name: &str, node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self {
            name: name.to_owned(),
            driven_by: node.needed_text("driven_by")?,
            on: node.texts("on", "a place in quotes")?,
            form: read_process(node, lines)?,
        })
    }
}

/// The tables of a list, each opened as a kind and read.
#[cfg(feature = "text")]
pub(super) fn read_tables<T>(
    node: &Node<'_, '_>,
    id: &str,
    kind: &'static Kind,
    most: usize,
    lines: &mut Lines,
    read: impl Fn(&Node<'_, '_>) -> Result<T, SceneError>,
) -> Result<Vec<T>, SceneError> {
    let Some(entry) = node.entry(id) else { return Ok(Vec::new()) };
    let (at, wanted) = (node.place(id), KeyType::Table(kind).words(id));
    let values = list(&entry.value, &at, &format!("a list of {wanted}"))?;
    check_count(&at, entry.line, values.len(), most, "tables")?;
    let one = |(index, value): (usize, &Value<'_>)| {
        let at = format!("{at}[{index}]");
        lines.insert(at.clone(), value.line);
        read(&Node::open(table(value, &at, &wanted)?, at, value.line, kind)?)
    };
    values.iter().enumerate().map(one).collect()
}
