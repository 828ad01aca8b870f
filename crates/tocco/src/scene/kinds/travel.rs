// SPDX-License-Identifier: MIT OR Apache-2.0
//! The way of a place that travels, written in the table `travel` of a friction contact or a tap.

use super::*;
use crate::contact::travel::{AtEnd, Track, Travel};

/// A way in scene files: the inline table `travel = { ... }`.
pub const TRAVEL: Kind = Kind {
    family: "travel",
    id: "",
    doc: "The way of a place that travels over a body: a finger round a rim, an ear along a plate.",
    params: &[],
    keys: &[
        Key::new(
            "along",
            KeyType::List { of: &KeyType::Text, min: 2, max: MAX_KNOTS },
            "Ports of the body in the order in which they are passed; ten to a wave are enough, the first once more at the end closes a round.",
        ),
        Key::new(
            "from",
            KeyType::List { of: &FRACTION, min: 1, max: 3 },
            "Instead of along, on a shape, a mesh, a string or a vessel: where the way begins, as fractions of the body; of a vessel, of a turn round its rim.",
        ),
        Key::new(
            "to",
            KeyType::List { of: &FRACTION, min: 1, max: 3 },
            "Where it ends, straight on in those fractions.",
        ),
        Key::must("length_m", LENGTH, "Length of the way from its beginning to its end."),
        Key::new("then", KeyType::Word(AtEnd::WORDS), "What comes after the end, default back."),
        Key::new(
            "by",
            KeyType::Named(Thing::Body),
            "Guided body whose way it is; default, of a contact, the way that it slides. A tap needs it, and may name a mass.",
        ),
    ],
    rules: &[
        Rule::OneOf(&["along", "from"]),
        Rule::Beside(&["from"], &["to"], "needs to: where the way ends"),
        Rule::Beside(&["to"], &["from"], "needs from: where the way begins"),
    ],
};

/// Most knots that a scene names.
const MAX_KNOTS: usize = 128;
/// Legs of a way between two places.
const LEGS: usize = 128;
const FRACTION: KeyType = KeyType::Number { unit: "1", min: 0.0, max: 1.0 };
const LENGTH: KeyType = KeyType::Number { unit: "m", min: 1e-4, max: 1e4 };

/// Somebody carries a tap,
pub(super) const CARRIED: Rule = Rule::Within { id: "travel", needs: &["by"], lacks: &[], what: "the way of a tap" };
/// and it hears ports.
pub(super) const OVER_PORTS: Rule =
    Rule::Within { id: "travel", needs: &[], lacks: &["from", "to"], what: LEADS_ALONG };
/// Said of another way.
pub(super) const LEADS_ALONG: &str = "the way of a tap leads along ports; name them in along";

/// What a way leads over.
#[derive(Clone, Debug, PartialEq)]
pub enum Way {
    /// Ports by name.
    Along(Vec<String>),
    /// From one place to another, as fractions of the body.
    Between(Vec<Real>, Vec<Real>),
}

/// The way of a place that travels.
#[derive(Clone, Debug, PartialEq)]
pub struct TravelDef {
    /// What it leads over.
    pub way: Way,
    /// Its length, m.
    pub length_m: Real,
    /// What comes after its end.
    pub then: AtEnd,
    /// Whose way it is; `None`: that which the contact slides.
    pub by: Option<String>,
}

impl TravelDef {
    pub(super) fn check(&self, spot: &Spot) -> Check {
        let spot = spot.within("travel");
        spot.number(&TRAVEL, "length_m", self.length_m)?;
        match &self.way {
            Way::Along(ports) => {
                if ports.len() < 2 {
                    return spot.fail("along", format!("has {} ports; wants at least 2", ports.len()));
                }
                spot.count("along", ports.len(), MAX_KNOTS, "ports")?;
                ports.iter().try_for_each(|port| spot.named("along", port))?;
            }
            Way::Between(from, to) => {
                for (id, place) in [("from", from), ("to", to)] {
                    if place.is_empty() || place.len() > 3 {
                        return spot.fail(id, format!("has {} numbers; wants 1 to 3 fractions", place.len()));
                    }
                    place.iter().try_for_each(|fraction| spot.takes(id, FRACTION, *fraction))?;
                }
                if from.len() != to.len() {
                    return spot.fail("to", format!("has {} numbers, and from has {}", to.len(), from.len()));
                }
            }
        }
        self.by.as_ref().map_or(Ok(()), |by| spot.named("by", by))
    }

    pub(super) fn write(&self, out: &mut Toml) {
        let mut text = match &self.way {
            Way::Along(ports) => {
                let ports: Vec<String> = ports.iter().map(|port| quoted(port)).collect();
                format!("along = [{}]", ports.join(", "))
            }
            Way::Between(from, to) => format!("from = {from:?}, to = {to:?}"),
        };
        let _ = write!(text, ", length_m = {:?}, then = \"{}\"", self.length_m, self.then.word());
        if let Some(by) = &self.by {
            let _ = write!(text, ", by = {}", quoted(by));
        }
        out.line(format_args!("travel = {{ {text} }}"));
    }

    pub(super) fn words(&self) -> String {
        let by = self.by.as_ref().map_or("as it slides".into(), |by| format!("carried by {by}"));
        format!(", travels {} m {by}, then {}", short(self.length_m), self.then.word())
    }

    /// The line over so many knots.
    pub(in crate::scene) fn track(&self, knots: usize, meets: bool) -> Track {
        Track::new(self.length_m, knots, self.then, meets)
    }

    /// The way of a contact.
    pub(super) fn build(&self, context: &ContactContext<'_>) -> Result<Box<Travel>, SceneError> {
        let spot = context.spot().within("travel");
        if context.contact.spare {
            return spot.fail("", "a spare contact is nowhere until it is joined; leave out one of travel, spare");
        }
        let ports_of = |site: &Site| context.def.bodies[site.body].form.ports();
        let anywhere = |site: &Site| context.directory.body_entries()[site.body].anywhere.is_some();
        let mut partners = [context.b, context.a].into_iter();
        let (site, knots) = match &self.way {
            Way::Along(ports) => {
                let has = |site: &Site| ports.iter().all(|port| ports_of(site).contains(&port.as_str()));
                let Some(site) = partners.find(has) else {
                    let known = [context.b, context.a].iter().flat_map(ports_of).collect::<Vec<_>>();
                    let stray = ports.iter().find(|port| !known.contains(&port.as_str()));
                    let near = stray.map_or(String::new(), |port| nearest(port, known.iter().copied()));
                    return spot.fail("along", format!("neither partner has all of these ports{near}"));
                };
                let body = &context.bodies[site.body];
                let mut values = vec![0.0; body.mode_motions(&mut [])];
                let values = |port: &String| {
                    let index = ports_of(&site).iter().position(|known| known == port).unwrap_or(0);
                    values.fill(0.0);
                    body.mode_shape(index, &mut values);
                    values.clone()
                };
                (site, ports.iter().map(values).collect::<Vec<_>>())
            }
            Way::Between(from, to) => {
                let Some(site) = partners.find(anywhere) else {
                    return spot.fail("from", "neither partner is touched anywhere; name ports in along");
                };
                let values = context.directory.values_along(site, from, to, LEGS);
                (site, values.or_else(|error| spot.fail("from", error.what))?)
            }
        };
        let name = &context.def.bodies[site.body].name;
        if knots.iter().flatten().all(|value| *value == 0.0)
            || !context.bodies[site.body].clone().touch_at(site.port, &knots[0])
        {
            let what = format!("'{name}' cannot be touched elsewhere: it morphs, or its modes are not known there");
            return spot.fail("", what);
        }
        for other in context.def.contacts.iter().filter(|other| other.name != context.contact.name) {
            let there = other.between.iter().any(|named| context.directory.site(named) == Ok(site));
            if there && matches!(&other.form, ContactForm::Friction(rub) if rub.travel.is_some()) {
                let what =
                    format!("{} takes the same port of '{name}' along; give one of them a port of its own", other.name);
                return spot.fail("", what);
            }
        }
        let by = self.by.as_ref().map(|by| {
            let index = context.directory.body(by).or_else(|error| spot.fail("by", error.what))?;
            match context.def.bodies[index].form.mobility() {
                Mobility::Guided => Ok(index),
                _ => spot.fail("by", format!("'{by}' is not guided; name a guided body")),
            }
        });
        let meets = knots.first().zip(knots.last()).is_some_and(|(first, last)| {
            let largest = knots.iter().flatten().fold(0.0, |most: Real, value| most.max(value.abs()));
            first.iter().zip(last).all(|(a, b)| (a - b).abs() <= 1e-9 * largest)
        });
        Ok(Box::new(Travel::new(site, self.track(knots.len(), meets), knots, by.transpose()?)))
    }
}

/// The way of a contact or a tap, if it has one.
#[cfg(feature = "text")]
pub(super) fn read_travel(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Option<TravelDef>, SceneError> {
    if node.entry("travel").is_none() {
        return Ok(None);
    }
    let own = node.within("travel", &TRAVEL, "a table such as { along = [\"a\", \"b\"], length_m = 0.2 }", lines)?;
    let place = |id: &str| match own.value(id) {
        None => Ok(Vec::new()),
        Some(value) => {
            let at = own.place(id);
            list(value, &at, "a list of fractions")?.iter().map(|each| number(each, &at, FRACTION)).collect()
        }
    };
    let way = match own.entry("along") {
        Some(_) => Way::Along(own.texts("along", "a port's name in quotes")?),
        None => Way::Between(place("from")?, place("to")?),
    };
    Ok(Some(TravelDef {
        way,
        length_m: own.needed_number("length_m", "a way")?,
        then: own.word("then")?.unwrap_or_default(),
        by: own.entry("by").map(|_| own.needed_text("by")).transpose()?,
    }))
}
