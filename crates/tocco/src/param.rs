// SPDX-License-Identifier: MIT OR Apache-2.0
//! Parameters, declared once.
//!
//! A *parameter* is a number that may move while sounding. `params!` declares a struct of them with unit, range,
//! default, scale, glide and doc; that one table feeds the Rust fields, scene files, `--set`, OSC, sliders, `describe`,
//! the docs and the fuzz ranges of the tests. Everything else about a node (mode lists, ports, wiring) is *structure*
//! and is described by [`Key`] rows beside the parameters, in one [`Kind`] per node type.

use crate::math::Real;

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
    /// A whole number.
    Integer {
        /// Smallest legal value.
        min: i64,
        /// Largest legal value.
        max: i64,
    },
    /// One of these words.
    Word(&'static [&'static str]),
    /// Free text.
    Text,
    /// true or false.
    Flag,
    /// Anything else; the doc says which form.
    Form(&'static str),
}

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

            /// From values in index order.
            pub fn from_values(values: &[$crate::math::Real]) -> Self {
                let mut all = Self::default();
                for (index, &value) in values.iter().enumerate() { all.write(index, value); }
                all
            }

            /// Present value by index.
            pub fn read(&self, index: usize) -> $crate::math::Real { [ $( self.$field, )* ][index] }

            /// Stores a value by index.
            pub fn write(&mut self, index: usize, value: $crate::math::Real) {
                let slots = [ $( &mut self.$field, )* ];
                if let Some(slot) = slots.into_iter().nth(index) { *slot = value; }
            }
        }

        impl Default for $name {
            fn default() -> Self { Self { $( $field: $default, )* } }
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
        let mut two = Two::from_values(&[0.25]);
        assert_eq!((two.first, two.second), (0.25, 10.0));
        two.write(1, 20.0);
        assert_eq!(two.read(1), 20.0);
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
