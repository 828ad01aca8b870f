// SPDX-License-Identifier: MIT OR Apache-2.0
//! The friction contact: two things that rub.

use super::texture::{AS_FORCE, TEXTURE, TextureDef};
use super::travel::{TRAVEL, TravelDef};
use super::*;
use crate::contact::PressedBy;
use crate::interactor::friction::{self, Distribution, FrictionLaw, FrictionParams, Strength};

/// The friction contact in scene files.
pub const FRICTION: Kind = Kind {
    family: "contact",
    id: "friction",
    doc: "Two things that rub: they stick, let go, and may sing.",
    params: FrictionParams::SPECS,
    keys: &[
        Key::must("between", BETWEEN, "The two sites; the first, moving faster, drags the second along."),
        SPARE,
        Key::new(
            "law",
            KeyType::Law(FrictionLaw::LAWS),
            "Friction law, default elasto-plastic. dahl ignores mu_static and has no stick-slip; thermal is rosin.",
        ),
        Key::new(
            "normal_from",
            KeyType::Named(Thing::Contact),
            "Name of an impact contact whose force presses the surfaces together, instead of normal_force_n.",
        ),
        Key::new(
            "viscous_exponent",
            KeyType::Number { unit: "1", min: 1.0, max: 3.0 },
            "Exponent n of the viscous force sigma2 |v|^(n-1) v, default 1.",
        ),
        Key::new(
            "texture",
            KeyType::Table(&TEXTURE),
            "Surface read along the travel of this contact, scaled by roughness times the normal force; default smooth.",
        ),
        Key::new(
            "strength",
            KeyType::Table(&STRENGTH),
            "How stiction varies along the slip, by the seed; default it does not.",
        ),
        Key::new(
            "travel",
            KeyType::Table(&TRAVEL),
            "Way along which it takes the port that it rubs, as a finger round a rim does; default it stays.",
        ),
    ],
    rules: &[Rule::AtMostOne(&["normal_from", "normal_force_n"]), AS_FORCE],
};

/// Strength along the slip in scene files: the inline table `strength = { ... }` of a friction contact.
pub const STRENGTH: Kind = Kind {
    family: "strength",
    id: "",
    doc: "Stiction that varies from place to place: drawn anew after every length of plastic slip, around mu_static.",
    params: &[],
    keys: &[
        Key::new(
            "every_m",
            KeyType::Number { unit: "m", min: 1e-7, max: 1.0 },
            "Plastic slip from draw to draw, about the size of a junction; default 5e-5.",
        ),
        Key::new(
            "law",
            KeyType::Word(Distribution::WORDS),
            "Distribution, default weibull; lognormal has the same spread.",
        ),
        Key::new(
            "k",
            KeyType::Number { unit: "1", min: 1.0, max: 100.0 },
            "Shape of the distribution, default 8: stiction varies by 15 %; 3 by 36 %, 30 by 4 %.",
        ),
    ],
    rules: &[],
};

/// Stiction that varies along the slip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrengthDef {
    /// Plastic slip from draw to draw, m.
    pub every_m: Real,
    /// How it is distributed.
    pub distribution: Distribution,
    /// Shape of the distribution.
    pub k: Real,
}

impl Default for StrengthDef {
    fn default() -> Self {
        Self { every_m: 5e-5, distribution: Distribution::Weibull, k: 8.0 }
    }
}

/// A friction contact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrictionDef {
    /// Live parameters.
    pub params: FrictionParams,
    /// Which force law.
    pub law: FrictionLaw,
    /// The impact contact that presses the surfaces together; `None`: the parameter `normal_force_n`.
    pub normal_from: Option<String>,
    /// Exponent of the viscous term; `None`: 1.
    pub viscous_exponent: Option<Real>,
    /// The surface it travels over.
    pub texture: Option<TextureDef>,
    /// How stiction varies along the slip.
    pub strength: Option<StrengthDef>,
    /// The way along which it takes the port that it rubs.
    pub travel: Option<TravelDef>,
}

impl FrictionDef {
    /// Two surfaces pressed together by this force, N.
    pub fn new(normal_force_n: Real) -> Self {
        Self { params: FrictionParams { normal_force_n, ..FrictionParams::default() }, ..Self::default() }
    }

    /// Two surfaces that an impact contact presses together.
    pub fn pressed_by(contact: &str) -> Self {
        Self { normal_from: Some(contact.into()), ..Self::default() }
    }

    /// Under another law.
    pub fn law(self, law: FrictionLaw) -> Self {
        Self { law, ..self }
    }

    /// With coefficients of stiction and of fast sliding.
    pub fn mu(mut self, mu_static: Real, mu_dynamic: Real) -> Self {
        (self.params.mu_static, self.params.mu_dynamic) = (mu_static, mu_dynamic);
        self
    }
}

impl ContactKind for FrictionDef {
    fn kind(&self) -> &'static Kind {
        &FRICTION
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn names(&self) -> Vec<&str> {
        let by = self.travel.as_ref().and_then(|travel| travel.by.as_deref());
        self.normal_from.as_deref().into_iter().chain(by).collect()
    }
    fn names_mut(&mut self) -> Vec<&mut String> {
        let by = self.travel.iter_mut().flat_map(|travel| &mut travel.by);
        self.normal_from.iter_mut().chain(by).collect()
    }
    fn words(&self, _def: &SceneDef, _contact: &ContactDef) -> String {
        let p = &self.params;
        let pressed = match &self.normal_from {
            Some(from) => format!("{from} presses"),
            None => format!("{} N press", short(p.normal_force_n)),
        };
        let title = self.law.law().title;
        let mut words = format!("{title}, {pressed}, mu {} to {}", short(p.mu_static), short(p.mu_dynamic));
        if let Some(exponent) = self.viscous_exponent {
            let _ = write!(words, ", viscous exponent {}", short(exponent));
        }
        if let Some(texture) = &self.texture {
            words.push_str(&texture.words());
        }
        if let Some(StrengthDef { every_m, k, .. }) = &self.strength {
            let _ = write!(words, ", strength drawn every {} m, k {}", short(*every_m), short(*k));
        }
        if let Some(travel) = &self.travel {
            words.push_str(&travel.words());
        }
        words
    }
}

impl BuildContact for FrictionDef {
    fn check(&self, spot: &Spot) -> Check {
        spot.params(&self.params)?;
        spot.law(self.law.law(), FrictionLaw::LAWS, &self.params)?;
        if let Some((id, what)) = friction::check(self.law, &self.params) {
            return spot.fail(id, what);
        }
        if let Some(exponent) = self.viscous_exponent {
            spot.number(&FRICTION, "viscous_exponent", exponent)?;
        }
        if let Some(from) = &self.normal_from {
            spot.named("normal_from", from)?;
            if self.params.normal_force_n != FrictionParams::default().normal_force_n {
                return spot
                    .fail("normal_force_n", "stands beside normal_from; keep one of normal_from, normal_force_n");
            }
        }
        self.texture.as_ref().map_or(Ok(()), |texture| texture.check(spot, &AS_FORCE))?;
        if let Some(strength) = &self.strength {
            let spot = spot.within("strength");
            if !self.law.holds() {
                return spot.fail(
                    "",
                    format!("law = \"{}\" knows no stiction that could vary; leave it out", self.law.word()),
                );
            }
            spot.number(&STRENGTH, "every_m", strength.every_m)?;
            spot.number(&STRENGTH, "k", strength.k)?;
        }
        self.travel.as_ref().map_or(Ok(()), |travel| travel.check(spot))
    }
    fn write(&self, out: &mut Toml) {
        let law = self.law.law();
        if self.law != FrictionLaw::default() {
            out.line(format_args!("law = \"{}\"", law.word));
        }
        let mut skip = left_out(law, FrictionLaw::LAWS);
        if let Some(from) = &self.normal_from {
            skip.push("normal_force_n");
            out.line(format_args!("normal_from = {}", quoted(from)));
        }
        out.params(&self.params, &skip);
        if let Some(exponent) = self.viscous_exponent {
            out.number("viscous_exponent", exponent);
        }
        if let Some(texture) = &self.texture {
            texture.write(out);
        }
        if let Some(StrengthDef { every_m, distribution, k }) = &self.strength {
            let law = distribution.word();
            out.line(format_args!("strength = {{ every_m = {every_m:?}, law = \"{law}\", k = {k:?} }}"));
        }
        if let Some(travel) = &self.travel {
            travel.write(out);
        }
    }
    fn build(&self, context: &ContactContext<'_>) -> Result<Contact, SceneError> {
        let pressed_by = match &self.normal_from {
            None => PressedBy::Parameter,
            Some(from) => PressedBy::Contact(context.presser(from)?),
        };
        let law = match &self.strength {
            None => self.law.build(self.params, self.viscous_exponent),
            Some(StrengthDef { every_m, distribution, k }) => {
                let rng = Rng::new(context.def.seed, &format!("strength {}", context.contact.name));
                let strength = Strength::new(*every_m, *distribution, *k, rng);
                self.law.build_varied(self.params, self.viscous_exponent, strength)
            }
        };
        let mut built = context.contact(Law::Tangential { law, pressed_by }, None, false);
        built.texture = self.texture.as_ref().map(|texture| texture.build(context)).transpose()?;
        built.travel = self.travel.as_ref().map(|travel| travel.build(context)).transpose()?;
        Ok(built)
    }
    fn structure(&self) -> String {
        let Self { params: _, law, normal_from, viscous_exponent, texture, strength, travel } = self;
        format!("{law:?} {normal_from:?} {viscous_exponent:?} {texture:?} {strength:?} {travel:?}")
    }
}

#[cfg(feature = "text")]
impl Read for FrictionDef {
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        Ok(Self {
            params: node.params()?,
            law: node.word("law")?.unwrap_or_default(),
            normal_from: node.entry("normal_from").map(|_| node.needed_text("normal_from")).transpose()?,
            viscous_exponent: node.number("viscous_exponent")?,
            texture: super::texture::read_texture(node, lines)?,
            strength: read_strength(node, lines)?,
            travel: super::travel::read_travel(node, lines)?,
        })
    }
}

#[cfg(feature = "text")]
fn read_strength(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Option<StrengthDef>, SceneError> {
    if node.entry("strength").is_none() {
        return Ok(None);
    }
    let own = node.within("strength", &STRENGTH, "a table such as { every_m = 5e-5, k = 8 }", lines)?;
    let StrengthDef { every_m, distribution, k } = StrengthDef::default();
    Ok(Some(StrengthDef {
        every_m: own.number_or("every_m", every_m)?,
        distribution: own.word("law")?.unwrap_or(distribution),
        k: own.number_or("k", k)?,
    }))
}
