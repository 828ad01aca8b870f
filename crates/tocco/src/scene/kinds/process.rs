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
    /// What is drawn anew for every step.
    pub per_step: PerStepDef,
    /// What it is.
    pub form: ProcessForm,
}

/// What is drawn anew for every step of a signal: factors on parameters, and whether it is heard at all.
#[derive(Clone, Debug, PartialEq)]
pub struct PerStepDef {
    /// Ids of parameters, each with the range of its factor.
    pub factors: Vec<(String, [Real; 2])>,
    /// In so many of the steps it is heard, 0 to 1.
    pub probability_01: Real,
}

impl Default for PerStepDef {
    fn default() -> Self {
        Self { factors: Vec::new(), probability_01: 1.0 }
    }
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
    /// True if it has a force, which can be felt; `hits` says whether it has bodies to hit.
    fn pushes(&self, hits: bool) -> bool {
        hits && !self.strikes()
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
    /// Walks of the scene whose feet it hears besides its signal: of each foot heel, toes, x and y.
    fn walkers(&self) -> &[String] {
        &[]
    }
    /// As [`ProcessKind::walkers`], to be renamed.
    fn walkers_mut(&mut self) -> &mut [String] {
        &mut []
    }
    /// True if it strikes the one mass that it is on.
    fn strikes(&self) -> bool {
        false
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
const COMMON: [Key; 3] = [
    must("driven_by", KeyType::Named(Thing::Signal), "The signal that it hears."),
    key("on", SITES, "Places that it hits, which is work; without them it sounds by itself and is tapped by its name."),
    key(
        "per_step",
        KeyType::Paths { of: &KeyType::Either(&[PROBABILITY, KeyType::Row(&[FACTOR, FACTOR])]), max: 64 },
        "Drawn anew for every step of the signal: { parameter = [least, most] } are factors; probability_01 = how often it is heard.",
    ),
];

const PROBABILITY: KeyType = KeyType::Number { unit: "1", min: 0.0, max: 1.0 };
const FACTOR: KeyType = KeyType::Number { unit: "1", min: 0.0, max: 1e3 };
/// The one key of `per_step` that is no parameter.
const HEARD: &str = "probability_01";

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

/// The definition of a kind of process that sounds by itself and is nothing but its live parameters: `triggers` what a trigger says, `words` what
/// it is, `check` what its parameters must hold beside their ranges, `build` the process.
macro_rules! sounds_by_params {
    ($(#[$meta:meta])* $def:ident($params:ident) as $kind:ident, triggers $triggers:expr, words $words:expr, check $check:expr, build $build:expr) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $def {
            /// Live parameters.
            pub params: $params,
        }

        impl ProcessKind for $def {
            fn kind(&self) -> &'static Kind {
                &$kind
            }
            fn params(&self) -> Vec<(&'static Spec, Real)> {
                listed(&self.params)
            }
            fn triggers(&self) -> &'static [Spec] {
                $triggers
            }
            fn words(&self) -> String {
                let words: fn(&$params) -> String = $words;
                words(&self.params)
            }
        }

        impl BuildProcess for $def {
            fn check(&self, spot: &Spot, hits: bool) -> Check {
                if hits {
                    return spot.fail("on", ONLY_SOUNDS);
                }
                spot.params(&self.params)?;
                let check: fn(&Spot, &$params) -> Check = $check;
                check(spot, &self.params)
            }
            fn write(&self, out: &mut Toml) {
                out.params(&self.params, &[]);
            }
            fn build(&self, context: &mut ProcessContext<'_>) -> Result<Box<dyn crate::process::Process>, SceneError> {
                let build: fn($params, &ProcessContext<'_>) -> Box<dyn crate::process::Process> = $build;
                Ok(build(self.params, context))
            }
            fn structure(&self) -> String {
                String::new()
            }
        }

        #[cfg(feature = "text")]
        impl Read for $def {
            fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
                Ok(Self { params: node.params()? })
            }
        }
    };
}
pub(super) use sounds_by_params;

/// What is said of a process that only sounds by itself and is given bodies.
pub(super) const ONLY_SOUNDS: &str = "it only sounds by itself; leave `on` out";

/// What is wrong with a process that only sounds by itself and is given bodies.
pub(super) fn only_sounds(spot: &Spot, hits: bool) -> Check {
    if hits { spot.fail("on", ONLY_SOUNDS) } else { Ok(()) }
}

impl ProcessDef {
    pub(in crate::scene) fn check(&self, spot: &Spot) -> Check {
        spot.named("driven_by", &self.driven_by)?;
        spot.count("on", self.on.len(), MAX_NODES, "places")?;
        self.on.iter().try_for_each(|site| spot.named("on", site))?;
        let step = spot.within("per_step");
        step.takes(HEARD, PROBABILITY, self.per_step.probability_01)?;
        let params = self.form.params();
        for (id, [low, high]) in &self.per_step.factors {
            if !params.iter().any(|(spec, _)| spec.id == id) {
                let near = nearest(id, params.iter().map(|(spec, _)| spec.id).chain([HEARD]));
                return step.fail(&clip(id), format!("is no parameter of this process{near}"));
            }
            step.takes(id, FACTOR, *low)?;
            step.takes(id, FACTOR, *high)?;
            if low > high {
                let what = format!("{} is more than {}; give [least, most]", plain(*low), plain(*high));
                return step.fail(id, what);
            }
        }
        self.form.definition().check(spot, !self.on.is_empty())
    }

    pub(in crate::scene) fn write(&self, out: &mut Toml) {
        let form = self.form.definition();
        out.line(format_args!("\n[process.{}]\ntype = \"{}\"", bare(&self.name), form.kind().id));
        out.line(format_args!("driven_by = {}", quoted(&self.driven_by)));
        out.texts("on", self.on.iter().map(String::as_str));
        let PerStepDef { factors, probability_01 } = &self.per_step;
        let mut drawn: Vec<String> = factors.iter().map(|(id, range)| format!("{} = {range:?}", bare(id))).collect();
        if *probability_01 != 1.0 {
            drawn.push(format!("{HEARD} = {probability_01:?}"));
        }
        if !drawn.is_empty() {
            out.line(format_args!("per_step = {{ {} }}", drawn.join(", ")));
        }
        form.write(out);
    }

    /// What distinguishes it from others but for live parameters.
    pub(in crate::scene) fn structure(&self) -> String {
        let (kind, made) = (self.form.kind().id, self.form.definition().structure());
        format!("{kind} {:?} {:?} {made}", self.on, self.per_step)
    }

    #[cfg(feature = "text")]
    pub(in crate::scene) fn read(name: &str, node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self {
            name: name.to_owned(),
            driven_by: node.needed_text("driven_by")?,
            on: node.texts("on", "a place in quotes")?,
            per_step: read_per_step(node)?,
            form: read_process(node, lines)?,
        })
    }
}

#[cfg(feature = "text")]
fn read_per_step(node: &Node<'_, '_>) -> Result<PerStepDef, SceneError> {
    let mut step = PerStepDef::default();
    let Some(value) = node.value("per_step") else { return Ok(step) };
    let at = node.place("per_step");
    let entries = table(value, &at, "a table of parameter = [least, most]")?;
    check_count(&at, value.line, entries.len(), 64, "entries")?;
    for entry in entries {
        let at = join(&at, &entry.key);
        match &*entry.key {
            HEARD => step.probability_01 = number(&entry.value, &at, PROBABILITY)?,
            id => step.factors.push((id.to_owned(), numbers(&entry.value, &at, [FACTOR; 2], "[least, most]")?)),
        }
    }
    Ok(step)
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
