// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameters, declared once.
//!
//! A *parameter* is a number that may move while sounding. `params!` declares a struct of them with unit, range,
//! default, scale, glide and doc; that one table feeds the Rust fields, scene files, `--set`, OSC, sliders, `describe`,
//! the docs and the fuzz ranges of the tests. Everything else about a node (mode lists, ports, wiring) is *structure*
//! and is described by [`Key`] rows beside the parameters, in one [`Kind`] per node type.

use crate::math::Real;
use crate::units::{plain, short};

/// How a surface should lay out the range. The stored value is always in physical units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps.
    Linear,
    /// Equal ratios; the range is positive.
    Log,
}

/// When a change reaches the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// At control ticks (every 32 samples), glided.
    Control,
    /// Every sample, interpolated: forces and prescribed motion, which would buzz if they stepped.
    Sample,
}

/// One parameter's declaration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spec {
    /// Never changes meaning, never reused.
    pub id: &'static str,
    /// SI unit, "1" for a pure number.
    pub unit: &'static str,
    /// Smallest legal value.
    pub min: Real,
    /// Largest legal value.
    pub max: Real,
    /// Value when the scene says nothing.
    pub default: Real,
    /// Knob law.
    pub scale: Scale,
    /// Control or sample rate.
    pub rate: Rate,
    /// Time over which a live change glides, s.
    pub glide_s: Real,
    /// One sentence for people.
    pub doc: &'static str,
}

impl Spec {
    /// True if the value may be stored as it is.
    pub fn admits(&self, value: Real) -> bool {
        value >= self.min && value <= self.max
    }

    /// What is wrong with a value; `None`: nothing.
    pub fn breach(&self, value: Real) -> Option<String> {
        breach(value, self.unit, self.min, self.max)
    }

    /// Position in `0..1` along the knob to physical value.
    pub fn from_01(&self, position: Real) -> Real {
        scaled(self.scale, self.min, self.max, position)
    }

    /// Physical value to its position along the knob: the inverse of [`Spec::from_01`], ends for values beyond them.
    pub fn to_01(&self, value: Real) -> Real {
        position(self.scale, self.min, self.max, value).clamp(0.0, 1.0)
    }
}

/// Position in `0..1` to a value between `low` and `high` by the given knob law.
pub fn scaled(scale: Scale, low: Real, high: Real, position: Real) -> Real {
    let position = position.clamp(0.0, 1.0);
    match scale {
        Scale::Linear => low + (high - low) * position,
        Scale::Log => low * crate::math::pow(high / low, position),
    }
}

/// The inverse of [`scaled`]: where a value stands between `low` and `high`, 0 at `low` and 1 at `high`, outside for values
/// beyond them. 0 where the law has no answer: a range without width, a value that is not positive on a logarithmic knob.
pub fn position(scale: Scale, low: Real, high: Real, value: Real) -> Real {
    let position = match scale {
        Scale::Linear => (value - low) / (high - low),
        Scale::Log => crate::math::ln(value / low) / crate::math::ln(high / low),
    };
    if position.is_finite() { position } else { 0.0 }
}

/// What a name in a scene stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// A body.
    Body,
    /// A body that is a mass.
    Mass,
    /// A body, or one of its ports: "body" or "body.port".
    Site,
    /// A site, a contact or a process.
    Heard,
    /// A signal, or for a signal that reads the scene a probe: "body.port.velocity".
    Signal,
    /// A contact.
    Contact,
    /// A process.
    Process,
    /// A macro control.
    Control,
    /// A live parameter: "body/param", "contact/param", "body.port/force_n", or a control.
    Path,
    /// A point of a network.
    Point,
    /// A file beside the scene.
    File,
    /// An output.
    Output,
    /// Somebody who walks.
    Walk,
}

impl Thing {
    /// An example of such a name.
    pub const fn word(self) -> &'static str {
        match self {
            Thing::Body => "body",
            Thing::Mass => "mass",
            Thing::Site => "body.port",
            Thing::Heard => "body.port, contact or process",
            Thing::Signal => "signal",
            Thing::Contact => "contact",
            Thing::Process => "process",
            Thing::Control => "control",
            Thing::Path => "path",
            Thing::Point => "point",
            Thing::File => "file",
            Thing::Output => "output",
            Thing::Walk => "walk",
        }
    }
}

/// Type of a structural key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum KeyType {
    /// A number with unit and range.
    Number {
        /// SI unit.
        unit: &'static str,
        /// Smallest legal value.
        min: Real,
        /// Largest legal value.
        max: Real,
    },
    /// A number between two others, both excluded.
    Inside {
        /// Below every legal value.
        above: Real,
        /// Above every legal value.
        below: Real,
    },
    /// A whole number.
    Integer {
        /// Smallest legal value.
        min: i64,
        /// Largest legal value.
        max: i64,
    },
    /// 1, 2, 4 and so on.
    PowerOfTwo {
        /// Largest legal value, itself a power of two.
        max: u32,
    },
    /// Seconds above 0, or "auto".
    Duration {
        /// Most seconds.
        max_s: Real,
    },
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these force laws, which may bring or forbid other keys.
    Law(&'static [LawSpec]),
    /// The word of a kind of this family, whose own keys stand beside this one.
    KindOf(&'static str),
    /// Free text, which may be empty.
    Text,
    /// The name of something in the scene.
    Named(Thing),
    /// A new name: no blanks, none of the characters of paths.
    Name,
    /// true or false.
    Flag,
    /// A place on a shape: one of its words, a fraction, or a list of fractions.
    Place,
    /// A list.
    List {
        /// What each element is.
        of: &'static KeyType,
        /// Fewest elements.
        min: usize,
        /// Most elements.
        max: usize,
    },
    /// One of something, or a list of them.
    Several {
        /// What each is.
        of: &'static KeyType,
        /// Most.
        max: usize,
    },
    /// A list with one element of each of these types.
    Row(&'static [KeyType]),
    /// A table of new names with a value for each.
    Map {
        /// What each value is.
        of: &'static KeyType,
        /// Fewest entries.
        min: usize,
        /// Most entries.
        max: usize,
    },
    /// A table whose keys are paths.
    Paths {
        /// What each value is.
        of: &'static KeyType,
        /// Most entries.
        max: usize,
    },
    /// A table whose keys are whole numbers from 0.
    Numbered {
        /// What each value is.
        of: &'static KeyType,
        /// Largest key.
        max: u8,
    },
    /// A table of this kind.
    Table(&'static Kind),
    /// Tables of this kind, written `[[key]]` or as a list.
    Tables {
        /// What each is.
        of: &'static Kind,
        /// Fewest tables.
        min: usize,
        /// Most tables.
        max: usize,
    },
    /// Tables `[family.NAME]`, each of a kind of this family.
    Nodes {
        /// The family.
        family: &'static str,
        /// Most tables.
        max: usize,
    },
    /// Any one of these.
    Either(&'static [KeyType]),
}

/// What is wrong with a number that wants a unit and a range: it is outside, or not a number at all.
pub fn breach(value: Real, unit: &str, min: Real, max: Real) -> Option<String> {
    if value.is_finite() && value >= min && value <= max {
        return None;
    }
    let unit = if unit == "1" || unit.contains("path") { String::new() } else { format!(" {unit}") };
    let range = format!("wants a number from {}{unit} to {}{unit}", plain(min), plain(max));
    Some(match value.is_finite() {
        true => format!("{}{unit} is out of range; {range}", plain(value)),
        false => format!("{} is not a finite number; {range}", plain(value)),
    })
}

impl KeyType {
    /// What is wrong with a number here; `None` too for a key that takes none.
    pub fn breach(&self, value: Real) -> Option<String> {
        match self {
            Self::Number { unit, min, max } => breach(value, unit, *min, *max),
            _ => None,
        }
    }

    /// What it takes, in words; `key` is the key's own name.
    pub fn words(&self, key: &str) -> String {
        let unit = |unit: &str| if unit == "1" { String::new() } else { format!(" {unit}") };
        match self {
            Self::Number { unit: u, min, max } => format!("{} to {}{}", short(*min), short(*max), unit(u)),
            Self::Inside { above, below } => {
                format!("number between {} and {}, both excluded", short(*above), short(*below))
            }
            Self::Integer { min, max: i64::MAX } => format!("whole number from {min}"),
            Self::Integer { min, max } => format!("whole number, {min} to {max}"),
            Self::PowerOfTwo { max } => format!("1, 2, 4 ... {max}"),
            Self::Duration { max_s } => format!("seconds above 0 up to {}, or \"auto\"", short(*max_s)),
            Self::Word(words) => words.join(" | "),
            Self::Law(laws) => laws.iter().map(|law| law.word).collect::<Vec<_>>().join(" | "),
            Self::KindOf(family) => format!("the name of a {family}"),
            Self::Text | Self::Named(_) | Self::Name => "text".into(),
            Self::Flag => "true or false".into(),
            Self::Place => "a word, a fraction or a list of fractions".into(),
            Self::Several { of, .. } => format!("{0} or [{0}, ...]", of.brief()),
            Self::Map { of, .. } => format!("table of name = {}", of.brief()),
            Self::Paths { of, .. } => format!("table of \"path\" = {}", of.brief()),
            Self::Tables { of, .. } if of.family == key => format!("tables [[{key}]]"),
            Self::Tables { of, .. } => format!("[{}, ...]", Self::Table(of).brief()),
            Self::Nodes { family, .. } => format!("one table [{family}.NAME] for each"),
            Self::Either(all) => {
                let each = |one: &Self| if matches!(one, Self::Word(_)) { "a name".into() } else { one.words(key) };
                all.iter().map(each).collect::<Vec<String>>().join(", or ")
            }
            Self::List { .. } | Self::Row(_) | Self::Numbered { .. } | Self::Table(_) => self.brief(),
        }
    }

    /// The same as a part of something larger.
    fn brief(&self) -> String {
        match self {
            Self::Number { unit, .. } if *unit == "1" || unit.contains("path") => "number".into(),
            Self::Number { unit, .. } => format!("number in {unit}"),
            Self::Named(thing) => format!("\"{}\"", thing.word()),
            Self::Name => "\"name\"".into(),
            Self::List { of, min, max } if min == max => format!("[{}]", vec![of.brief(); *min].join(", ")),
            Self::List { of, .. } => format!("[{}, ...]", of.brief()),
            Self::Row(all) => format!("[{}]", all.iter().map(Self::brief).collect::<Vec<_>>().join(", ")),
            Self::Numbered { of, .. } => format!("{{ number = {}, ... }}", of.brief()),
            Self::Table(kind) => {
                let ids: Vec<&str> = kind.params.iter().map(|p| p.id).chain(kind.keys.iter().map(|k| k.id)).collect();
                format!("{{ {} }}", ids.join(", "))
            }
            other => other.words(""),
        }
    }
}

/// One force law of a contact, as its own file declares it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LawSpec {
    /// The word after `law =`.
    pub word: &'static str,
    /// What `check` calls it.
    pub title: &'static str,
    /// Parameters that only this law has.
    pub own: &'static [&'static str],
    /// Keys that this law has no use for.
    pub lacks: &'static [&'static str],
    /// Parameters that have one value under this law.
    pub fixes: &'static [(&'static str, Real)],
    /// Why it lacks and fixes them: goes on "law = \"word\" ...".
    pub why: &'static str,
}

impl LawSpec {
    /// A law that takes every parameter but those of other laws.
    pub const fn new(word: &'static str, title: &'static str) -> Self {
        Self { word, title, own: &[], lacks: &[], fixes: &[], why: "" }
    }

    /// The value that this law gives a parameter.
    pub fn fixed(&self, id: &str) -> Option<Real> {
        self.fixes.iter().find(|(known, _)| *known == id).map(|(_, value)| *value)
    }
}

/// Declares which words name the variants of an enum: `words!(Scale { Linear = "linear", Log = "log" })`. A variant without
/// a word does not compile.
#[macro_export]
macro_rules! words {
    ($name:ty { $( $variant:ident = $word:literal ),* $(,)? }) => {
        impl $name {
            /// The words, in the order of the documents.
            pub const WORDS: &'static [&'static str] = &[ $( $word ),* ];
        }
        impl $crate::param::Word for $name {
            fn word(self) -> &'static str {
                match self { $( Self::$variant => $word ),* }
            }
            fn from_word(word: &str) -> Option<Self> {
                match word { $( $word => Some(Self::$variant), )* _ => None }
            }
        }
    };
}

/// Declares the laws of a contact kind as an enum with its registry; the first is the default. A law without a declaration
/// does not compile.
#[macro_export]
macro_rules! laws {
    ($(#[$meta:meta])* pub enum $name:ident { $( $(#[$doc:meta])* $variant:ident = $law:expr, )* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $( $(#[$doc])* $variant, )* }

        impl $name {
            /// All of them, in the order of the documents; the first is the default.
            pub const ALL: &'static [Self] = &[ $( Self::$variant ),* ];
            /// Their declarations, in the same order.
            pub const LAWS: &'static [$crate::param::LawSpec] = &[ $( $law ),* ];
            /// The declaration of this one.
            pub const fn law(self) -> &'static $crate::param::LawSpec {
                match self { $( Self::$variant => { const LAW: $crate::param::LawSpec = $law; &LAW } ),* }
            }
        }
        impl Default for $name {
            fn default() -> Self { Self::ALL[0] }
        }
        impl $crate::param::Word for $name {
            fn word(self) -> &'static str {
                self.law().word
            }
            fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|law| law.law().word == word)
            }
        }
    };
}

/// A choice that scene files make by a word.
pub trait Word: Copy {
    /// The word for this one.
    fn word(self) -> &'static str;
    /// The choice of this word.
    fn from_word(word: &str) -> Option<Self>;
}

words!(Scale { Linear = "linear", Log = "log" });

/// One structural key of a node: set in the scene file, fixed while sounding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Key {
    /// The key as written in the file.
    pub id: &'static str,
    /// What it takes.
    pub takes: KeyType,
    /// Must be present.
    pub required: bool,
    /// One sentence for people, with the default.
    pub doc: &'static str,
}

impl Key {
    /// A key that may be left out.
    pub const fn new(id: &'static str, takes: KeyType, doc: &'static str) -> Self {
        Self { id, takes, required: false, doc }
    }

    /// A key that must be there.
    pub const fn must(id: &'static str, takes: KeyType, doc: &'static str) -> Self {
        Self { id, takes, required: true, doc }
    }
}

/// A rule between the keys of one table, for the reader and for the schema.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Exactly one of these.
    OneOf(&'static [&'static str]),
    /// One of these, or none.
    AtMostOne(&'static [&'static str]),
    /// At least one of these; otherwise it says this.
    Some(&'static [&'static str], &'static str),
    /// The first ones stand only beside one of the second; otherwise it says this.
    Beside(&'static [&'static str], &'static [&'static str], &'static str),
    /// The key must be there if a word is chosen.
    Needs {
        /// Key of the word.
        choice: &'static str,
        /// The word.
        word: &'static str,
        /// What must be there.
        id: &'static str,
    },
    /// Keys that only one word of a choice allows; otherwise it says this.
    Only {
        /// Key of the word.
        choice: &'static str,
        /// The word.
        word: &'static str,
        /// The keys.
        ids: &'static [&'static str],
        /// What it says.
        what: &'static str,
    },
    /// If a word is chosen, a list holds numbers above 0, or a name stands alone; otherwise it says this.
    Narrowed {
        /// Key of the word.
        choice: &'static str,
        /// The word.
        word: &'static str,
        /// The key.
        id: &'static str,
        /// What it is then.
        is: Narrow,
        /// What it says.
        what: &'static str,
    },
    /// Keys of an inner table that are needed here, or have no meaning here.
    Within {
        /// Key of the inner table.
        id: &'static str,
        /// Keys that it must have.
        needs: &'static [&'static str],
        /// Keys that it must not have.
        lacks: &'static [&'static str],
        /// Of a key that is missing: what needs it. Of one without meaning: what it says.
        what: &'static str,
    },
    /// One number for all of `names`, or a table of name = number without it.
    ForAll {
        /// Key of the number or the table.
        id: &'static str,
        /// Key of the names.
        names: &'static str,
        /// Said of a number without names.
        alone: &'static str,
        /// Said of names beside a table.
        both: &'static str,
    },
}

/// How a [`Rule::Narrowed`] narrows what a key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrow {
    /// Every number of the list is above 0.
    Positive,
    /// One name, not several.
    Single,
}

/// Everything there is to know about a kind of node: feeds the reader, `describe`, the schema and the docs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// "body", "contact", "texture", "drive", "event", "tap", "control", "scene".
    pub family: &'static str,
    /// The word after `type =`; empty for families without types.
    pub id: &'static str,
    /// One sentence.
    pub doc: &'static str,
    /// Live parameters.
    pub params: &'static [Spec],
    /// Structural keys (`type` is implied).
    pub keys: &'static [Key],
    /// Rules between them.
    pub rules: &'static [Rule],
}

impl Kind {
    /// A kind with nothing in it, to be filled in.
    pub const NONE: Kind = Kind { family: "", id: "", doc: "", params: &[], keys: &[], rules: &[] };

    /// What a key takes.
    pub fn takes(&self, id: &str) -> Option<KeyType> {
        self.keys.iter().find(|key| key.id == id).map(|key| key.takes)
    }
}

/// A table of live parameters with their values, as [`params!`](crate::params) makes it.
pub trait Params: Copy + Default {
    /// The declarations, in index order.
    const SPECS: &'static [Spec];
    /// Value by index.
    fn value(&self, index: usize) -> Real;
    /// Stores a value by index.
    fn put(&mut self, index: usize, value: Real);

    /// Value by name.
    fn named(&self, id: &str) -> Option<Real> {
        Self::SPECS.iter().position(|spec| spec.id == id).map(|index| self.value(index))
    }
}

/// The declaration with this id; a constant of one that is missing does not compile.
pub const fn declared(specs: &[Spec], id: &str) -> Spec {
    let mut index = 0;
    while !same(specs[index].id.as_bytes(), id.as_bytes()) {
        index += 1;
    }
    specs[index]
}

const fn same(a: &[u8], b: &[u8]) -> bool {
    match (a.split_first(), b.split_first()) {
        (None, None) => true,
        (Some((x, a)), Some((y, b))) => *x == *y && same(a, b),
        _ => false,
    }
}

/// A node with parameters.
pub trait Tunable {
    /// The declarations, in index order.
    fn specs(&self) -> &'static [Spec];
    /// Present value of parameter `index`.
    fn get(&self, index: usize) -> Real;
    /// Stores a value that is already inside the range, and refreshes what depends on it. `[audio]`
    fn set(&mut self, index: usize, value: Real);
}

/// Declares a plain struct of parameters with its table.
///
/// `params! { /// doc  pub struct Name { field: unit "m", min..=max, default d, Log, Control, glide 0.02, "doc"; ... } }`
#[macro_export]
macro_rules! params {
    ($(#[$meta:meta])* pub struct $name:ident { $(
        $field:ident : $unit:literal, $min:expr => $max:expr, default $default:expr, $scale:ident, $rate:ident, glide $glide:expr, $doc:literal;
    )* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct $name { $( #[doc = $doc] pub $field: $crate::math::Real, )* }

        impl $name {
            /// The declarations, in index order.
            pub const SPECS: &'static [$crate::param::Spec] = &[ $( $crate::param::Spec {
                id: stringify!($field), unit: $unit, min: $min, max: $max, default: $default,
                scale: $crate::param::Scale::$scale, rate: $crate::param::Rate::$rate, glide_s: $glide, doc: $doc,
            }, )* ];
        }

        impl Default for $name {
            fn default() -> Self { Self { $( $field: $default, )* } }
        }

        impl $crate::param::Params for $name {
            const SPECS: &'static [$crate::param::Spec] = $name::SPECS;
            fn value(&self, index: usize) -> $crate::math::Real { [ $( self.$field, )* ][index] }
            fn put(&mut self, index: usize, value: $crate::math::Real) {
                let slots = [ $( &mut self.$field, )* ];
                if let Some(slot) = slots.into_iter().nth(index) { *slot = value; }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    crate::params! {
        /// A test table.
        pub struct Two {
            first: "m", 0.0 => 1.0, default 0.5, Linear, Control, glide 0.02, "First.";
            second: "N", 1.0 => 100.0, default 10.0, Log, Sample, glide 0.0, "Second.";
        }
    }

    #[test]
    fn a_declared_table_reads_and_writes_by_index_and_by_field() {
        let mut two = Two { first: 0.25, ..Two::default() };
        assert_eq!((two.first, two.second), (0.25, 10.0));
        two.put(1, 20.0);
        assert_eq!((two.value(1), two.second), (20.0, 20.0));
        assert_eq!(Two::SPECS[1].id, "second");
        assert!((Two::SPECS[1].from_01(0.5) - 10.0).abs() < 1e-12);
        assert!(!Two::SPECS[0].admits(Real::NAN));
    }

    #[test]
    fn a_knob_returns_to_the_position_that_its_value_came_from() {
        for (scale, low, high) in
            [(Scale::Linear, 0.0, 1.0), (Scale::Linear, 5.0, -3.0), (Scale::Log, 1e-9, 1e14), (Scale::Log, 4.0, 0.25)]
        {
            for step in 0..=1000 {
                let at = f64::from(step) / 1000.0;
                let value = scaled(scale, low, high, at);
                let back = position(scale, low, high, value);
                assert!((back - at).abs() < 1e-13, "{scale:?} {low} {high}: {at} became {back}");
                let again = scaled(scale, low, high, back);
                assert!((again - value).abs() <= 1e-12 * value.abs(), "{scale:?} {low} {high}: {value} became {again}");
            }
            assert_eq!([low, high].map(|end| position(scale, low, high, end)), [0.0, 1.0]);
        }
        for spec in Two::SPECS {
            assert_eq!([spec.min, spec.max].map(|end| spec.to_01(end)), [0.0, 1.0]);
            assert_eq!([spec.min - 5.0, spec.max + 5.0].map(|beyond| spec.to_01(beyond)), [0.0, 1.0]);
            assert!((spec.to_01(spec.from_01(0.3)) - 0.3).abs() < 1e-15);
        }
        assert!((position(Scale::Log, 1.0, 100.0, 1000.0) - 1.5).abs() < 1e-14, "beyond the end");
        assert_eq!(position(Scale::Linear, 2.0, 2.0, 3.0), 0.0);
        assert_eq!([0.0, -1.0, Real::NAN].map(|value| position(Scale::Log, 1.0, 10.0, value)), [0.0; 3]);
    }
}
