// SPDX-License-Identifier: MIT OR Apache-2.0
//! Events: gestures at a time.

use super::*;
use crate::command::MOST_VALUES;
use crate::gesture::{FASTEST_M_S, LARGEST_N_S};

/// The keys of an event in scene files.
pub const EVENT: Kind = Kind {
    family: "event",
    id: "",
    doc: "A gesture at a time: one of strike, hit, set, join and trigger.",
    params: &[],
    keys: &[
        must("at_s", TIME, "When."),
        key("strike", KeyType::Named(Thing::Mass), "Sets this mass in motion from zero gap; needs velocity_m_s."),
        key(
            "velocity_m_s",
            KeyType::Number { unit: "m/s", min: -FASTEST_M_S, max: FASTEST_M_S },
            "Velocity of the strike.",
        ),
        key("hit", KeyType::Named(Thing::Site), "An ideal impulse at this body or body.port; needs impulse_n_s."),
        key("impulse_n_s", KeyType::Number { unit: "N s", min: -LARGEST_N_S, max: LARGEST_N_S }, "Impulse of the hit."),
        key("set", KeyType::Named(Thing::Path), "Sets the parameter of this path; needs value."),
        key("value", SETTING, "New value, in the unit of the path."),
        key("join", KeyType::Named(Thing::Contact), "This spare contact joins two places, or lets go; needs between."),
        key(
            "between",
            KeyType::List { of: &KeyType::Named(Thing::Site), min: 0, max: 2 },
            "The two places, as in a contact; an empty list: it lets go.",
        ),
        key(
            "trigger",
            KeyType::Named(Thing::Process),
            "One thing happens in this process: a bubble, a drop, a splash.",
        ),
        key(
            "values",
            KeyType::List { of: &ANY, min: 0, max: MOST_VALUES },
            "What, in the order that the process says; what is left out is as declared.",
        ),
    ],
    rules: &[
        Rule::OneOf(&["strike", "hit", "set", "join", "trigger"]),
        Rule::Beside(&["velocity_m_s"], &["strike"], "belongs to an event with strike"),
        Rule::Beside(&["impulse_n_s"], &["hit"], "belongs to an event with hit"),
        Rule::Beside(&["value"], &["set"], "belongs to an event with set"),
        Rule::Beside(&["between"], &["join"], "belongs to an event with join"),
        Rule::Beside(&["join"], &["between"], "needs between"),
        Rule::Beside(&["values"], &["trigger"], "belongs to an event with trigger"),
        Rule::Beside(&["strike"], &["velocity_m_s"], "needs velocity_m_s"),
        Rule::Beside(&["hit"], &["impulse_n_s"], "needs impulse_n_s"),
        Rule::Beside(&["set"], &["value"], "needs value"),
    ],
};

/// A gesture at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct EventDef {
    /// When, s.
    pub at_s: Real,
    /// What: a strike, a hit or a new value.
    pub gesture: Gesture,
}

impl Section for EventDef {
    const KIND: &'static Kind = &EVENT;

    fn check(&self, spot: &Spot) -> Check {
        spot.number(&EVENT, "at_s", self.at_s)?;
        match &self.gesture {
            Gesture::Strike { velocity_m_s, .. } => spot.number(&EVENT, "velocity_m_s", *velocity_m_s),
            Gesture::Hit { impulse_n_s, .. } => spot.number(&EVENT, "impulse_n_s", *impulse_n_s),
            Gesture::Set { value, .. } => spot.number(&EVENT, "value", *value),
            Gesture::Trigger { values, .. } => {
                spot.count("values", values.len(), MOST_VALUES, "values")?;
                values.iter().try_for_each(|value| spot.takes("values", ANY, *value))
            }
            Gesture::Join { contact, between } => {
                spot.named("join", contact)?;
                match between.len() {
                    0 | 2 => between.iter().try_for_each(|site| spot.named("between", site)),
                    count => spot.fail("between", format!("has {count} places; wants two, or none to let go")),
                }
            }
            _ => spot.fail("", "an event is one of strike, hit, set, join and trigger"),
        }
    }

    fn write(&self, out: &mut Toml) {
        out.line(format_args!("\n[[event]]\nat_s = {:?}", self.at_s));
        match &self.gesture {
            Gesture::Strike { body, velocity_m_s } => {
                out.line(format_args!("strike = {}\nvelocity_m_s = {velocity_m_s:?}", quoted(body)));
            }
            Gesture::Hit { site, impulse_n_s } => {
                out.line(format_args!("hit = {}\nimpulse_n_s = {impulse_n_s:?}", quoted(site)));
            }
            Gesture::Set { path, value } => out.line(format_args!("set = {}\nvalue = {value:?}", quoted(path))),
            Gesture::Join { contact, between } => {
                let places: Vec<String> = between.iter().map(|place| quoted(place)).collect();
                out.line(format_args!("join = {}\nbetween = [{}]", quoted(contact), places.join(", ")));
            }
            Gesture::Trigger { process, values } => {
                out.line(format_args!("trigger = {}", quoted(process)));
                if !values.is_empty() {
                    out.line(format_args!("values = {values:?}"));
                }
            }
            // A scene with any other gesture is refused when it is built.
            _ => out.line(format_args!("# left out: a gesture that no event can hold")),
        }
    }

    #[cfg(feature = "text")]
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        let gesture = match node.one_of(&["strike", "hit", "set", "join", "trigger"])? {
            "strike" => Gesture::Strike {
                body: node.needed_text("strike")?,
                velocity_m_s: node.needed_number("velocity_m_s", "strike")?,
            },
            "hit" => {
                Gesture::Hit { site: node.needed_text("hit")?, impulse_n_s: node.needed_number("impulse_n_s", "hit")? }
            }
            "join" => {
                let (place, wanted) = (node.place("between"), "a list of two places, or none to let go");
                let value = node.value("between");
                let places = value.map_or(Ok(&[][..]), |value| list(value, &place, wanted))?;
                let name = |value| text(value, &place, wanted).map(str::to_owned);
                let between = places.iter().map(name).collect::<Result<Vec<String>, _>>()?;
                Gesture::Join { contact: node.needed_text("join")?, between }
            }
            "trigger" => {
                let place = node.place("values");
                let values = match node.value("values") {
                    Some(value) => list(value, &place, "a list of numbers")?,
                    None => &[],
                };
                let values = values.iter().map(|value| number(value, &place, ANY)).collect::<Result<_, _>>()?;
                Gesture::Trigger { process: node.needed_text("trigger")?, values }
            }
            _ => Gesture::Set { path: node.needed_text("set")?, value: node.needed_number("value", "set")? },
        };
        Ok(Self { at_s: node.needed_number("at_s", "an event")?, gesture })
    }
}
