// SPDX-License-Identifier: MIT OR Apache-2.0
//! The impact contact: two things that push when they touch and never pull.

use super::texture::{AS_PROFILE, TEXTURE, TextureDef};
use super::*;
use crate::interactor::impact::{ImpactLaw, ImpactParams};
use crate::scene::hammer::{CONTACT_TIME, DEFAULT_SPEED_M_S, HARDNESS, HARDNESS_S, STIFFNESS};
use crate::theory::WallImpact;

const MAX_SUBSTEPS: u32 = 64;

/// The impact contact in scene files.
pub const IMPACT: Kind = Kind {
    family: "contact",
    id: "impact",
    doc: "Two things that push when they touch and never pull.",
    params: ImpactParams::SPECS,
    keys: &[
        Key::must("between", BETWEEN, "The two sites; the compression is position(first) - position(second)."),
        SPARE,
        Key::new(
            "law",
            KeyType::Law(ImpactLaw::LAWS),
            "Force law, default hunt-crossley: k x^a (1 + mu v). linear sets the exponent to 1.",
        ),
        Key::new(
            "contact_time_s",
            KeyType::Number { unit: "s", min: 1e-6, max: 1.0 },
            "Instead of stiffness: how long the hammer (the mass in between) would touch a rigid wall.",
        ),
        Key::new(
            "hardness_01",
            KeyType::Number { unit: "1", min: 0.0, max: 1.0 },
            "Instead of stiffness: 0 soft felt (touches for 10 ms), 0.5 hard rubber (0.7 ms), 1 steel (0.05 ms).",
        ),
        Key::new(
            "at_speed_m_s",
            KeyType::Number { unit: "m/s", min: 1e-3, max: 1e3 },
            "Speed at which contact_time_s or hardness_01 holds, default 1; faster blows touch for less.",
        ),
        Key::new(
            "viscous_exponent",
            KeyType::Number { unit: "1", min: 0.0, max: 5.0 },
            "Exponent of the dissipative term, default the elastic one (0.5 with exponent 1.5: extended Hertz); give viscous_loss.",
        ),
        Key::new(
            "substeps",
            KeyType::PowerOfTwo { max: MAX_SUBSTEPS },
            "Fixed number of local sub-steps, a power of two; default automatic.",
        ),
        Key::new(
            "exact_wall",
            KeyType::Flag,
            "Exact rebound at any step, for a mass against a wall or another mass; default false.",
        ),
        Key::new(
            "texture",
            KeyType::Table(&TEXTURE),
            "Height profile that a body carries past: it shifts the compression; default smooth.",
        ),
    ],
    rules: &[
        Rule::AtMostOne(&["stiffness", "contact_time_s", "hardness_01"]),
        Rule::Beside(
            &["at_speed_m_s"],
            &["contact_time_s", "hardness_01"],
            "belongs to contact_time_s or hardness_01; leave it out or give one of them",
        ),
        AS_PROFILE,
    ],
};

/// An impact contact.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImpactDef {
    /// Live parameters.
    pub params: ImpactParams,
    /// Which force law.
    pub law: ImpactLaw,
    /// What the stiffness is meant to do; `None`: the parameter `stiffness` as it is.
    pub hammer: Option<HammerDef>,
    /// Exponent of the dissipative term; `None`: the elastic exponent.
    pub viscous_exponent: Option<Real>,
    /// Local sub-steps.
    pub substeps: Substeps,
    /// Use the exact wall scheme (mass against wall or mass only).
    pub exact_wall: bool,
    /// The height profile that it travels over.
    pub texture: Option<TextureDef>,
}

/// Local sub-steps of a contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Substeps {
    /// By the rule of physics.md H3.
    #[default]
    Auto,
    /// Always so many (a power of two, 1 to 64).
    Fixed(u32),
}

/// A hammer by intention: its stiffness follows when the scene is built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HammerDef {
    /// What is wanted.
    pub intent: Intent,
    /// Speed at which it is wanted, m/s.
    pub at_speed_m_s: Real,
}

/// What a hammer is meant to do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Intent {
    /// Touch a rigid wall for so long, s.
    ContactTime(Real),
    /// Feel so hard, 0 to 1.
    Hardness(Real),
}

impl ImpactDef {
    /// A contact of the default law and this stiffness, N/m^exponent.
    pub fn new(stiffness: Real) -> Self {
        Self { params: ImpactParams { stiffness, ..ImpactParams::default() }, ..Self::default() }
    }

    /// A hammer that feels so hard, 0 felt to 1 steel, at 1 m/s.
    pub fn hardness(hardness_01: Real) -> Self {
        Self::intending(Intent::Hardness(hardness_01))
    }

    /// A hammer that would touch a rigid wall for so long, s, at 1 m/s.
    pub fn contact_time(contact_time_s: Real) -> Self {
        Self::intending(Intent::ContactTime(contact_time_s))
    }

    fn intending(intent: Intent) -> Self {
        Self { hammer: Some(HammerDef { intent, at_speed_m_s: DEFAULT_SPEED_M_S }), ..Self::default() }
    }

    /// Under another law, with the parameters that it fixes.
    pub fn law(mut self, law: ImpactLaw) -> Self {
        self.law = law;
        for (index, spec) in ImpactParams::SPECS.iter().enumerate() {
            if let Some(fixed) = law.law().fixed(spec.id) {
                self.params.put(index, fixed);
            }
        }
        self
    }

    /// Losing energy: mu of the law, s/m.
    pub fn dissipation(mut self, dissipation_s_m: Real) -> Self {
        self.params.dissipation_s_m = dissipation_s_m;
        self
    }
}

impl ContactKind for ImpactDef {
    fn kind(&self) -> &'static Kind {
        &IMPACT
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        let mut all = listed(&self.params);
        all.retain(|(spec, _)| self.viscous_exponent.is_some() || spec.id != "viscous_loss");
        all
    }
    fn presses(&self) -> bool {
        true
    }
    fn names(&self) -> Vec<&str> {
        self.texture.iter().filter_map(|texture| texture.travel.as_deref()).collect()
    }
    fn names_mut(&mut self) -> Vec<&mut String> {
        self.texture.iter_mut().filter_map(|texture| texture.travel.as_mut()).collect()
    }
    fn stand_ins(&self, def: &SceneDef, contact: &ContactDef) -> Vec<StandIn> {
        let soft = self.stood_for(def, contact, HARDNESS.id, 0.0);
        // A contact without a hammer has none.
        let Some(Ok((of, soft))) = soft else { return Vec::new() };
        let hard = soft * pow(HARDNESS_S[0] / HARDNESS_S[1], self.params.exponent + 1.0); // [intent.2], one integral for both ends
        if !STIFFNESS.admits(hard) {
            return Vec::new();
        }
        let all = [(HARDNESS, None), (CONTACT_TIME, Some(HARDNESS_S))];
        all.map(|(spec, ends)| StandIn { spec, of, range: [soft, hard], ends }).into()
    }
    fn stood_for(
        &self,
        def: &SceneDef,
        contact: &ContactDef,
        id: &str,
        value: Real,
    ) -> Option<Result<(&'static str, Real), SceneError>> {
        if id != HARDNESS.id {
            return None;
        }
        if !HARDNESS.admits(value) {
            return Some(Err(SceneError::new("range", "leaves what hardness_01 takes: 0 to 1")));
        }
        let at_speed_m_s = self.hammer.map_or(DEFAULT_SPEED_M_S, |hammer| hammer.at_speed_m_s);
        let hammer = HammerDef { intent: Intent::Hardness(value), at_speed_m_s };
        Some(def.stiffness_for(contact, hammer).map(|value| (STIFFNESS.id, value)))
    }
    fn words(&self, def: &SceneDef, contact: &ContactDef) -> String {
        // A scene that cannot have this stiffness has been refused by then.
        let stiffness = def.stiffness(contact).unwrap_or(self.params.stiffness);
        let (law, exponent) = (self.law.law(), self.params.exponent);
        let mut words = format!("{}, stiffness {}, exponent {}", law.title, short(stiffness), short(exponent));
        let losses = if law.own.is_empty() { &["dissipation_s_m"] } else { law.own };
        for id in losses.iter().filter(|id| law.fixed(id).is_none()) {
            let Some((spec, value)) = among(&self.params, id) else { continue };
            let name = id.split('_').next().unwrap_or(id);
            let _ = write!(words, ", {name} {}{}", short(value), unit_words(spec.unit));
        }
        match self.hammer {
            Some(HammerDef { intent: Intent::ContactTime(tau), at_speed_m_s }) => {
                let _ = write!(words, ", made to touch for {} ms at {} m/s", short(1e3 * tau), short(at_speed_m_s));
            }
            Some(HammerDef { intent: Intent::Hardness(hardness), at_speed_m_s }) => {
                let _ = write!(words, ", hardness {} at {} m/s", short(hardness), short(at_speed_m_s));
            }
            None => {}
        }
        if self.exact_wall {
            words.push_str(", exact wall");
        }
        if let Some(exponent) = self.viscous_exponent {
            let _ = write!(words, ", viscous exponent {}", short(exponent));
            if self.params.viscous_loss > 0.0 {
                let _ = write!(words, " with {} N s/m^{}", short(self.params.viscous_loss), short(exponent + 1.0));
            }
        }
        if let Some(texture) = &self.texture {
            words.push_str(&texture.words());
        }
        if let Some((mass_kg, speed)) = struck(def, &contact.between) {
            let (velocity_m_s, dissipation_s_m) = (speed, 0.0);
            let touch_s = WallImpact { mass_kg, stiffness, exponent, dissipation_s_m, velocity_m_s }.contact_time_s();
            let _ = write!(words, "; touches for about {} ms at {} m/s", short(1e3 * touch_s), short(speed));
        }
        words
    }
}

/// Mass and speed of the first partner that is a mass with a known speed: its own, or that of its first strike.
fn struck(def: &SceneDef, between: &[String; 2]) -> Option<(Real, Real)> {
    between.iter().find_map(|site| {
        let body = def.bodies.iter().find(|body| body.name == *site)?;
        let BodyForm::Mass(mass) = &body.form else { return None };
        let speed = def.first_strike(site).map_or(mass.velocity_m_s.abs(), Real::abs);
        (speed > 0.0).then_some((mass.params.mass_kg, speed))
    })
}

impl BuildContact for ImpactDef {
    fn check(&self, spot: &Spot) -> Check {
        spot.params(&self.params)?;
        let law = self.law.law();
        spot.law(law, ImpactLaw::LAWS, &self.params)?;
        if let Some(exponent) = self.viscous_exponent {
            if law.lacks.contains(&"viscous_exponent") {
                return spot.fail("viscous_exponent", refuses(law));
            }
            spot.number(&IMPACT, "viscous_exponent", exponent)?;
        } else if self.params.viscous_loss != 0.0 {
            return spot.fail("viscous_loss", "needs viscous_exponent; without it the loss is dissipation_s_m");
        }
        if self.params.viscous_loss != 0.0 && self.params.dissipation_s_m != 0.0 {
            return spot
                .fail("viscous_loss", "stands beside dissipation_s_m; keep one of viscous_loss, dissipation_s_m");
        }
        if let Some(HammerDef { intent, at_speed_m_s }) = self.hammer {
            let (id, value) = match intent {
                Intent::ContactTime(tau) => ("contact_time_s", tau),
                Intent::Hardness(hardness) => ("hardness_01", hardness),
            };
            spot.number(&IMPACT, id, value)?;
            spot.number(&IMPACT, "at_speed_m_s", at_speed_m_s)?;
            if self.params.stiffness != ImpactParams::default().stiffness {
                return spot.fail(id, "stands beside stiffness; keep one of stiffness, contact_time_s, hardness_01");
            }
        }
        if let Substeps::Fixed(count) = self.substeps
            && !(count.is_power_of_two() && count <= MAX_SUBSTEPS)
        {
            return spot.fail("substeps", not_a_power_of_two(i64::from(count), MAX_SUBSTEPS));
        }
        self.texture.as_ref().map_or(Ok(()), |texture| texture.check(spot, &AS_PROFILE))
    }
    fn write(&self, out: &mut Toml) {
        let law = self.law.law();
        if self.law != ImpactLaw::default() {
            out.line(format_args!("law = \"{}\"", law.word));
        }
        let mut skip = left_out(law, ImpactLaw::LAWS);
        if let Some(hammer) = self.hammer {
            skip.push("stiffness");
            match hammer.intent {
                Intent::ContactTime(tau) => out.number("contact_time_s", tau),
                Intent::Hardness(hardness) => out.number("hardness_01", hardness),
            }
            if hammer.at_speed_m_s != DEFAULT_SPEED_M_S {
                out.number("at_speed_m_s", hammer.at_speed_m_s);
            }
        }
        out.params(&self.params, &skip);
        if let Some(exponent) = self.viscous_exponent {
            out.number("viscous_exponent", exponent);
        }
        if self.exact_wall {
            out.line(format_args!("exact_wall = true"));
        }
        if let Substeps::Fixed(count) = self.substeps {
            out.line(format_args!("substeps = {count}"));
        }
        if let Some(texture) = &self.texture {
            texture.write(out);
        }
    }
    fn build(&self, context: &ContactContext<'_>) -> Result<Contact, SceneError> {
        if self.exact_wall {
            self.check_exact(context)?;
        }
        let params = ImpactParams { stiffness: context.def.stiffness(context.contact)?, ..self.params };
        let law = Law::Normal(self.law.build(params, self.viscous_exponent));
        let substeps = match self.substeps {
            Substeps::Auto => None,
            Substeps::Fixed(count) => Some(count),
        };
        let mut built = context.contact(law, substeps, self.exact_wall);
        built.texture = self.texture.as_ref().map(|texture| texture.build(context)).transpose()?;
        Ok(built)
    }
    fn structure(&self) -> String {
        let Self { params: _, law, hammer, viscous_exponent, substeps, exact_wall, texture } = self;
        format!("{law:?} {viscous_exponent:?} {exact_wall:?} {hammer:?} {substeps:?} {texture:?}")
    }
}

impl ImpactDef {
    /// The exact scheme is for two masses, or a mass and a wall, that touch nothing else, under a plain law.
    fn check_exact(&self, context: &ContactContext<'_>) -> Check {
        let wrong = |what: &str| context.spot().fail("exact_wall", format!("{what}; set it to false"));
        if context.contact.spare {
            return wrong("is for two bodies that are always the same, and this contact is spare");
        }
        if !context.sites().into_iter().all(|site| context.is_rigid(site) && context.is_alone(site)) {
            return wrong("is for a mass against a wall or one other mass, each with this contact only");
        }
        if !self.law.is_power_spring() || self.viscous_exponent.is_some() {
            return wrong("holds for the laws hunt-crossley, power and linear without viscous_exponent");
        }
        if self.texture.is_some() {
            return wrong("holds for smooth surfaces, and this contact has a texture");
        }
        let own = context.contact.name.as_str();
        match context.def.contacts.iter().find(|c| !c.form.presses() && c.form.names().contains(&own)) {
            Some(other) => wrong(&format!("cannot press '{}' (normal_from)", other.name)),
            None => Ok(()),
        }
    }
}

#[cfg(feature = "text")]
impl Read for ImpactDef {
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        let law: ImpactLaw = node.word("law")?.unwrap_or_default();
        let mut params: ImpactParams = node.params()?;
        for (index, spec) in ImpactParams::SPECS.iter().enumerate() {
            if let Some(fixed) = law.law().fixed(spec.id).filter(|_| node.entry(spec.id).is_none()) {
                params.put(index, fixed);
            }
        }
        let at_speed_m_s = node.number_or("at_speed_m_s", DEFAULT_SPEED_M_S)?;
        let time = node.number("contact_time_s")?.map(Intent::ContactTime);
        let intent = time.or(node.number("hardness_01")?.map(Intent::Hardness));
        Ok(Self {
            params,
            law,
            hammer: intent.map(|intent| HammerDef { intent, at_speed_m_s }),
            viscous_exponent: node.number("viscous_exponent")?,
            substeps: node.power_of_two("substeps")?.map_or(Substeps::Auto, Substeps::Fixed),
            exact_wall: node.flag("exact_wall")?.unwrap_or(false),
            texture: super::texture::read_texture(node, lines)?,
        })
    }
}
