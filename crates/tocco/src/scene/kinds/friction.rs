// SPDX-License-Identifier: MIT OR Apache-2.0
//! The friction contact: two things that rub.

use super::texture::{AS_FORCE, TEXTURE, TextureDef};
use super::*;
use crate::contact::PressedBy;
use crate::interactor::friction::{self, FrictionLaw, FrictionParams};

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
    ],
    rules: &[Rule::AtMostOne(&["normal_from", "normal_force_n"]), AS_FORCE],
};

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
        self.normal_from.as_deref().into_iter().collect()
    }
    fn names_mut(&mut self) -> Vec<&mut String> {
        self.normal_from.iter_mut().collect()
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
        self.texture.as_ref().map_or(Ok(()), |texture| texture.check(spot, &AS_FORCE))
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
    }
    fn build(&self, context: &ContactContext<'_>) -> Result<Contact, SceneError> {
        let pressed_by = match &self.normal_from {
            None => PressedBy::Parameter,
            Some(from) => PressedBy::Contact(context.presser(from)?),
        };
        let law = self.law.build(self.params, self.viscous_exponent);
        let mut built = context.contact(Law::Tangential { law, pressed_by }, None, false);
        built.texture = self.texture.as_ref().map(|texture| texture.build(context)).transpose()?;
        Ok(built)
    }
    fn structure(&self) -> String {
        let Self { params: _, law, normal_from, viscous_exponent, texture } = self;
        format!("{law:?} {normal_from:?} {viscous_exponent:?} {texture:?}")
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
        })
    }
}
