// SPDX-License-Identifier: MIT OR Apache-2.0
//! Walks: somebody's feet, as signals.

use super::*;
use crate::gait::sole::{Sole, WORDS as SOLES};
use crate::gait::walker::{Ground, LANES, REGIONS, WalkMake, WalkParams, weight_n};

/// The keys of a walk in scene files.
pub const WALK: Kind = Kind {
    family: "walk",
    id: "",
    doc: "Somebody who walks: NAME.heel_left, .toe_left, .heel_right, .toe_right are signals in body weights; .slide_left, .x_left, .y_left and the same of the right foot tell the rest.",
    params: WalkParams::SPECS,
    keys: &[
        key(
            "source",
            KeyType::Word(WalkSource::WORDS),
            "gait (default): by its parameters; inlets: by NAME/heel_left and so on, set live, by drives or by streams; envelope: by steps that are found in the signal `of`.",
        ),
        key(
            "of",
            KeyType::Named(Thing::Signal),
            "With source = \"envelope\": the signal in which steps are found, 0 to 1: a follow of a microphone.",
        ),
        key(
            "steps_by",
            KeyType::Word(StepsBy::WORDS),
            "With source = \"envelope\": rising (default): a step stands out of what still rings; pair: the printed pair of thresholds.",
        ),
        key(
            "mass_kg",
            KeyType::Number { unit: "kg", min: 0.1, max: 1e4 },
            "How heavy it is, default 70: solid floors are pressed with it.",
        ),
        key(
            "sole",
            KeyType::Word(SOLES),
            "What it wears: changes every floor that hears it; left out: as the floors say.",
        ),
        key(
            "excite_by",
            KeyType::Word(ExciteBy::WORDS),
            "force (default): floors sound as the force changes; envelope: they follow it, as the envelope of a microphone.",
        ),
        key("begin_s", TIME, "When it begins to go, default 0."),
        key(
            "steps",
            KeyType::Integer { min: 0, max: 1_000_000 },
            "After so many steps it stops; 0 (default): it goes on.",
        ),
        key("first", KeyType::Word(FirstFoot::WORDS), "The foot that goes first, default left."),
        key("start_m", PAIR, "Where it stands first, [x, y], default [0, 0]."),
        key(
            "path_m",
            KeyType::List { of: &PAIR, min: 1, max: MAX_NODES },
            "Places that it goes to in turn, [x, y]; it stops at the last.",
        ),
        key("foot_m", KeyType::Number { unit: "m", min: 0.0, max: 10.0 }, "From heel to toes, default 0.18."),
        key(
            "width_m",
            KeyType::Number { unit: "m", min: 0.0, max: 10.0 },
            "How far left and right are apart, default 0.1.",
        ),
        key(
            "ground",
            KeyType::Map { of: &KeyType::Table(&GROUND), min: 0, max: MOST_GROUNDS },
            "Floors by place: what stands on GROUND is also the signals NAME.GROUND.heel_left and so on.",
        ),
    ],
    rules: &[
        Rule::Needs { choice: "source", word: "envelope", id: "of" },
        Rule::Only {
            choice: "source",
            word: "envelope",
            ids: &["of", "steps_by"],
            what: "belongs to source = \"envelope\"; leave it out",
        },
    ],
};

/// The keys of a ground in scene files.
pub const GROUND: Kind = Kind {
    family: "ground",
    id: "",
    doc: "A rectangle of ground, written as [walk.NAME.ground.GROUND].",
    params: &[],
    keys: &[
        key("x_m", PAIR, "From and to, m; left out: everywhere."),
        key("y_m", PAIR, "From and to, m; left out: everywhere."),
        key("blend_m", KeyType::Number { unit: "m", min: 0.0, max: 1e3 }, "Width of its border, default 0.05."),
    ],
    rules: &[],
};

const PAIR: KeyType = KeyType::Row(&[METRES, METRES]);
/// Most grounds of one walk.
const MOST_GROUNDS: usize = 64;
/// Width of a border unless it is said, m.
const BLEND_M: Real = 0.05;
const EVERYWHERE: [Real; 2] = [Real::NEG_INFINITY, Real::INFINITY];

/// Who says what the feet do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkSource {
    /// Its own parameters.
    Gait,
    /// Somebody else.
    Inlets,
    /// Steps that are heard.
    Envelope,
}
crate::words!(WalkSource { Gait = "gait", Inlets = "inlets", Envelope = "envelope" });

/// How steps are found by ear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepsBy {
    /// By what stands out of what still rings.
    Rising,
    /// By the printed pair of thresholds.
    Pair,
}
crate::words!(StepsBy { Rising = "rising", Pair = "pair" });

/// What makes a floor sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExciteBy {
    /// That the force changes.
    Force,
    /// The signal itself, an envelope.
    Envelope,
}
crate::words!(ExciteBy { Force = "force", Envelope = "envelope" });

/// Which foot goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstFoot {
    /// The left one.
    Left,
    /// The right one.
    Right,
}
crate::words!(FirstFoot { Left = "left", Right = "right" });

/// Somebody who walks.
#[derive(Clone, Debug, PartialEq)]
pub struct WalkDef {
    /// Unique label.
    pub name: String,
    /// Live parameters.
    pub params: WalkParams,
    /// What it is made of.
    pub make: WalkMake,
    /// The signal in which its steps are found, where it walks by ear.
    pub of: Option<String>,
    /// How heavy it is, kg.
    pub mass_kg: Real,
    /// What it wears.
    pub sole: Option<&'static Sole>,
    /// What makes floors sound.
    pub excite_by: ExciteBy,
}

impl WalkDef {
    /// Somebody of 70 kg who walks at 1.3 m/s.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            params: WalkParams::default(),
            make: WalkMake::default(),
            of: None,
            mass_kg: 70.0,
            sole: None,
            excite_by: ExciteBy::Force,
        }
    }

    /// Names of its signals, in the order of their numbers: lanes, then the regions of every ground.
    pub fn signals(&self) -> Vec<String> {
        let own = LANES.iter().map(|lane| format!("{}.{}", self.name, lane.id));
        let region = |ground: &Ground, region: usize| format!("{}.{}.{}", self.name, ground.name, LANES[region].id);
        let grounds = self.make.grounds.iter().flat_map(|ground| (0..REGIONS).map(move |r| region(ground, r)));
        own.chain(grounds).collect()
    }

    /// Its weight, N.
    pub fn weight_n(&self) -> Real {
        weight_n(self.mass_kg)
    }

    /// What it is, in a line for people.
    pub fn words(&self) -> String {
        let wears = self.sole.map_or(String::new(), |sole| format!(", {}", sole.word));
        if let Some(of) = &self.of {
            return format!("walks as steps are heard in {of}, {} kg{wears}", short(self.mass_kg));
        }
        match self.make.by_inlets {
            true => format!("feet set from outside, {} kg{wears}", short(self.mass_kg)),
            false => format!("walks, {} m/s, {} kg{wears}", short(self.params.speed_m_s), short(self.mass_kg)),
        }
    }

    /// What distinguishes it from others but for live parameters.
    pub(in crate::scene) fn structure(&self) -> String {
        format!("{:?} {:?}", self.make, self.of)
    }
}

impl Section for WalkDef {
    const KIND: &'static Kind = &WALK;

    fn check(&self, spot: &Spot) -> Check {
        spot.params(&self.params)?;
        self.of.as_ref().map_or(Ok(()), |of| spot.named("of", of))?;
        if self.of.is_some() != self.make.by_ear || (self.make.by_ear && self.make.by_inlets) {
            return spot.fail("of", "is the signal of who walks by ear, and nobody else");
        }
        if self.make.by_pair && !self.make.by_ear {
            return spot.fail("steps_by", "is for who walks by ear, and nobody else");
        }
        spot.number(&WALK, "mass_kg", self.mass_kg)?;
        spot.number(&WALK, "begin_s", self.make.begin_s)?;
        spot.number(&WALK, "foot_m", self.make.foot_m)?;
        spot.number(&WALK, "width_m", self.make.width_m)?;
        spot.whole(&WALK, "steps", i64::from(self.make.steps))?;
        self.make.start_m.iter().try_for_each(|m| spot.takes("start_m", METRES, *m))?;
        spot.count("path_m", self.make.path_m.len(), MAX_NODES, "places")?;
        self.make.path_m.iter().flatten().try_for_each(|m| spot.takes("path_m", METRES, *m))?;
        spot.count("ground", self.make.grounds.len(), MOST_GROUNDS, "grounds")?;
        for (index, ground) in self.make.grounds.iter().enumerate() {
            let spot = spot.within(&format!("ground.{}", clip(&ground.name)));
            check_name(&ground.name).or_else(|what| spot.fail("", what))?;
            if self.make.grounds[..index].iter().any(|other| other.name == ground.name) {
                return spot.fail("", format!("the name '{}' is already taken; choose another", ground.name));
            }
            spot.number(&GROUND, "blend_m", ground.blend_m)?;
            for (id, [from, to]) in [("x_m", ground.x_m), ("y_m", ground.y_m)] {
                for end in [from, to].iter().filter(|end| end.is_finite() || end.is_nan()) {
                    spot.takes(id, METRES, *end)?;
                }
                if from >= to {
                    return spot.fail(id, format!("{} m is not beyond {} m; give [from, to]", plain(to), plain(from)));
                }
            }
        }
        Ok(())
    }

    fn write(&self, out: &mut Toml) {
        let at = format!("walk.{}", bare(&self.name));
        let (make, rest) = (&self.make, WalkMake::default());
        out.line(format_args!("\n[{at}]"));
        if make.by_inlets {
            out.line(format_args!("source = \"inlets\""));
        }
        if let Some(of) = &self.of {
            out.line(format_args!("source = \"envelope\"\nof = {}", quoted(of)));
        }
        if make.by_pair {
            out.line(format_args!("steps_by = \"pair\""));
        }
        out.params(&self.params, &["cushion_01"]);
        out.number("cushion_01", self.params.cushion_01);
        out.number("mass_kg", self.mass_kg);
        if let Some(sole) = self.sole {
            out.line(format_args!("sole = {}", quoted(sole.word)));
        }
        if self.excite_by != ExciteBy::Force {
            out.line(format_args!("excite_by = {}", quoted(self.excite_by.word())));
        }
        out.unless("begin_s", make.begin_s, rest.begin_s);
        if make.steps > 0 {
            out.line(format_args!("steps = {}", make.steps));
        }
        if make.first != rest.first {
            out.line(format_args!("first = \"right\""));
        }
        if make.start_m != rest.start_m {
            out.line(format_args!("start_m = {:?}", make.start_m));
        }
        if !make.path_m.is_empty() {
            out.line(format_args!("path_m = {:?}", make.path_m));
        }
        out.unless("foot_m", make.foot_m, rest.foot_m);
        out.unless("width_m", make.width_m, rest.width_m);
        for ground in &make.grounds {
            out.line(format_args!("[{at}.ground.{}]", bare(&ground.name)));
            for (id, ends) in [("x_m", ground.x_m), ("y_m", ground.y_m)] {
                if ends.iter().all(|end| end.is_finite()) {
                    out.line(format_args!("{id} = {ends:?}"));
                }
            }
            out.unless("blend_m", ground.blend_m, BLEND_M);
        }
    }

    #[cfg(feature = "text")]
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        let rest = WalkMake::default();
        let sole = node.known_word("sole")?.and_then(Sole::named);
        let mut params: WalkParams = node.params()?;
        if let (None, Some(sole)) = (node.entry("cushion_01"), sole) {
            params.cushion_01 = sole.cushion_01;
        }
        let path_m = match node.value("path_m") {
            None => Vec::new(),
            Some(value) => {
                let at = node.place("path_m");
                let places = list(value, &at, "a list of places [x, y]")?;
                check_count(&at, value.line, places.len(), MAX_NODES, "places")?;
                let place = |(i, value)| numbers(value, &format!("{at}[{i}]"), [METRES; 2], "[x, y]");
                places.iter().enumerate().map(place).collect::<Result<_, _>>()?
            }
        };
        let steps = node.count("steps")?.unwrap_or(0);
        let make = WalkMake {
            by_inlets: node.word("source")? == Some(WalkSource::Inlets),
            by_ear: node.word("source")? == Some(WalkSource::Envelope),
            by_pair: node.word("steps_by")? == Some(StepsBy::Pair),
            begin_s: node.number_or("begin_s", rest.begin_s)?,
            steps: u32::try_from(steps).unwrap_or(u32::MAX),
            start_m: node.numbers("start_m", METRES, "[x, y]")?.unwrap_or(rest.start_m),
            path_m,
            foot_m: node.number_or("foot_m", rest.foot_m)?,
            width_m: node.number_or("width_m", rest.width_m)?,
            first: usize::from(node.word("first")? == Some(FirstFoot::Right)),
            grounds: read_grounds(node, lines)?,
        };
        Ok(Self {
            // The name stands before the table.
            name: String::new(),
            params,
            make,
            of: node.text("of")?.map(ToOwned::to_owned),
            mass_kg: node.number_or("mass_kg", 70.0)?,
            sole,
            excite_by: node.word("excite_by")?.unwrap_or(ExciteBy::Force),
        })
    }
}

#[cfg(feature = "text")]
fn read_grounds(walk: &Node<'_, '_>, lines: &mut Lines) -> Result<Vec<Ground>, SceneError> {
    let Some(value) = walk.value("ground") else { return Ok(Vec::new()) };
    let at = walk.place("ground");
    let entries = table(value, &at, "tables [walk.NAME.ground.GROUND]")?;
    check_count(&at, value.line, entries.len(), MOST_GROUNDS, "tables")?;
    let one = |entry: &crate::scene::tree::Entry<'_>| {
        let at = join(&at, &entry.key);
        lines.insert(at.clone(), entry.line);
        let node = Node::open(table(&entry.value, &at, "a table")?, at, entry.line, &GROUND)?;
        Ok(Ground {
            name: entry.key.to_string(),
            x_m: node.numbers("x_m", METRES, "[from, to]")?.unwrap_or(EVERYWHERE),
            y_m: node.numbers("y_m", METRES, "[from, to]")?.unwrap_or(EVERYWHERE),
            blend_m: node.number_or("blend_m", BLEND_M)?,
        })
    };
    entries.iter().map(one).collect()
}
