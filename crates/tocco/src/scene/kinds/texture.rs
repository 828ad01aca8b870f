// SPDX-License-Identifier: MIT OR Apache-2.0
//! The rough surface of a contact, written in its table `texture`.

use super::*;
use crate::texture::fractal::{DEFAULT_POLES_PER_DECADE, MAX_POLES_PER_DECADE};
use crate::texture::{DEFAULT_GRAIN_M, DEFAULT_LONGEST_M, LONGEST_GRAINS, Surface, TextureParams};

/// A fractal surface in scene files: the inline table `texture = { ... }` of a contact.
pub const TEXTURE: Kind = Kind {
    family: "texture",
    id: "fractal",
    doc: "A rough surface, met as the contact travels: silent at rest, an octave higher at twice the speed.",
    params: TextureParams::SPECS,
    keys: &[
        Key::new(
            "grain_m",
            KeyType::Number { unit: "m", min: 1e-7, max: 1e-2 },
            "Finest detail, about the size of the place that touches; default 1e-5.",
        ),
        Key::new(
            "longest_m",
            KeyType::Number { unit: "m", min: 1e-5, max: 1e3 },
            "Longest wave of the surface, 100 to 1e7 grains; default 0.01.",
        ),
        Key::new(
            "poles_per_decade",
            KeyType::Integer { min: 1, max: MAX_POLES_PER_DECADE as i64 },
            "Density of the filter behind the spectrum; default 2, which no more can be heard to better.",
        ),
        Key::new(
            "height_m",
            KeyType::Number { unit: "m", min: 0.0, max: 1.0 },
            "On an impact contact, where it is needed: standard deviation of the height.",
        ),
        Key::new(
            "travel_from",
            KeyType::Named(Thing::Body),
            "On an impact contact, where it is needed: guided body or mass whose motion carries the profile past.",
        ),
    ],
    rules: &[],
};

/// Keys of a height profile.
const PROFILE: &[&str] = &["height_m", "travel_from"];

/// On an impact contact a texture is a height profile.
pub(super) const AS_PROFILE: Rule =
    Rule::Within { id: "texture", needs: PROFILE, lacks: &[], what: "the texture of an impact contact" };

/// On a friction contact it is read along the contact's own travel.
pub(super) const AS_FORCE: Rule = Rule::Within {
    id: "texture",
    needs: &[],
    lacks: PROFILE,
    what: "belongs to an impact contact; friction meets its surface along its own travel, scaled by roughness",
};

/// A rough surface. On a friction contact it is read along the contact's own travel and scaled by `roughness`; on an
/// impact contact it is a height profile that a body's motion carries past.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureDef {
    /// Exponent of the spectrum 1/f^beta, 0 to 2.
    pub beta: Real,
    /// Finest detail, m.
    pub grain_m: Real,
    /// Longest wave, m.
    pub longest_m: Real,
    /// Density of the filter behind the spectrum.
    pub poles_per_decade: u32,
    /// Standard deviation of the height, m; 0 on a friction contact.
    pub height_m: Real,
    /// Body whose position is the travel; `None` on a friction contact.
    pub travel: Option<String>,
}

impl Default for TextureDef {
    fn default() -> Self {
        Self {
            beta: TextureParams::default().beta,
            grain_m: DEFAULT_GRAIN_M,
            longest_m: DEFAULT_LONGEST_M,
            poles_per_decade: DEFAULT_POLES_PER_DECADE,
            height_m: 0.0,
            travel: None,
        }
    }
}

impl TextureDef {
    fn params(&self) -> TextureParams {
        TextureParams { beta: self.beta }
    }

    /// `rule`: what its contact makes of it.
    pub(super) fn check(&self, spot: &Spot, rule: &Rule) -> Check {
        let spot = spot.within("texture");
        spot.params(&self.params())?;
        let numbers = [("grain_m", self.grain_m), ("longest_m", self.longest_m), ("height_m", self.height_m)];
        numbers.into_iter().try_for_each(|(id, value)| spot.number(&TEXTURE, id, value))?;
        spot.whole(&TEXTURE, "poles_per_decade", i64::from(self.poles_per_decade))?;
        let grains = self.longest_m / self.grain_m;
        // A product of decimal fractions may miss the border by rounding.
        if !(LONGEST_GRAINS.start() * (1.0 - 1e-9)..=LONGEST_GRAINS.end() * (1.0 + 1e-9)).contains(&grains) {
            let (least, most) = (plain(LONGEST_GRAINS.start().round()), plain(LONGEST_GRAINS.end().round()));
            let what = format!(
                "the longest wave, {} m, is {} grains of {} m; wants {least} to {most}",
                plain(self.longest_m),
                plain((1e3 * grains).round() / 1e3),
                plain(self.grain_m)
            );
            // Said of the one that is not as it is by default.
            let id = if self.longest_m == DEFAULT_LONGEST_M { "grain_m" } else { "longest_m" };
            return spot.fail(id, what);
        }
        match (rule, &self.travel) {
            (Rule::Within { lacks: [], what, .. }, None) => spot.fail("", format!("{what} needs travel_from")),
            (Rule::Within { lacks: [], .. }, Some(travel)) => spot.named("travel_from", travel),
            (Rule::Within { what, .. }, Some(_)) => spot.fail("travel_from", *what),
            (Rule::Within { what, .. }, None) if self.height_m != 0.0 => spot.fail("height_m", *what),
            _ => Ok(()),
        }
    }

    pub(super) fn write(&self, out: &mut Toml) {
        let mut text =
            format!("beta = {:?}, grain_m = {:?}, longest_m = {:?}", self.beta, self.grain_m, self.longest_m);
        if self.poles_per_decade != DEFAULT_POLES_PER_DECADE {
            let _ = write!(text, ", poles_per_decade = {}", self.poles_per_decade);
        }
        if let Some(travel) = &self.travel {
            let _ = write!(text, ", height_m = {:?}, travel_from = {}", self.height_m, quoted(travel));
        }
        out.line(format_args!("texture = {{ {text} }}"));
    }

    /// The surface of a contact, and the body that carries it past.
    pub(super) fn build(&self, context: &ContactContext<'_>) -> Result<Roughness, SceneError> {
        let name = &context.contact.name;
        let rng = Rng::new(context.def.seed, &format!("texture {name}"));
        let surface = Surface::new(self.params(), self.grain_m, self.longest_m, self.poles_per_decade, rng);
        let travel = self.travel.as_ref().map(|body| context.traveller(body)).transpose()?;
        Ok(Roughness { surface, height_m: self.height_m, travel, way: 0.0, left_at: 0.0 })
    }

    pub(super) fn words(&self) -> String {
        let mut words = format!(", texture 1/f^{}", short(self.beta));
        if let Some(travel) = &self.travel {
            let _ = write!(words, ", {} m high, carried by {travel}", short(self.height_m));
        }
        words
    }
}

/// The texture of a contact, if it has one.
#[cfg(feature = "text")]
pub(super) fn read_texture(contact: &Node<'_, '_>, lines: &mut Lines) -> Result<Option<TextureDef>, SceneError> {
    let Some(entry) = contact.entry("texture") else { return Ok(None) };
    let at = contact.place("texture");
    let entries = table(&entry.value, &at, "a table such as { beta = 1.5, grain_m = 1e-5 }")?;
    if entries.iter().any(|entry| entry.key == "type") {
        kind_of("texture", &at, entry)?;
    }
    let node = Node::open(entries, at, entry.line, &TEXTURE)?;
    node.note(lines);
    let poles_per_decade = node.whole("poles_per_decade")?.and_then(|count| u32::try_from(count).ok());
    let params: TextureParams = node.params()?;
    let travel = node.entry("travel_from").map(|_| node.needed_text("travel_from")).transpose()?;
    Ok(Some(TextureDef {
        beta: params.beta,
        grain_m: node.number_or("grain_m", DEFAULT_GRAIN_M)?,
        longest_m: node.number_or("longest_m", DEFAULT_LONGEST_M)?,
        poles_per_decade: poles_per_decade.unwrap_or(DEFAULT_POLES_PER_DECADE),
        height_m: node.number_or("height_m", 0.0)?,
        travel,
    }))
}
