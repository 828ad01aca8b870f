// SPDX-License-Identifier: MIT OR Apache-2.0
//! The vessel: a glass, a jug or a bottle that can be filled.

use super::shape::MATERIAL_NAMES;
use super::*;
use crate::resonator::material::Material;
use crate::resonator::vessel::{Geometry, Heard, PORTS, Vessel, VesselForm, VesselParams};

const SIZE: KeyType = KeyType::Number { unit: "m", min: 1e-3, max: 10.0 };
const NECK: KeyType = KeyType::Number { unit: "m", min: 1e-4, max: 10.0 };
const WALL: KeyType = KeyType::Number { unit: "m", min: 1e-5, max: 1.0 };

/// The vessel in scene files.
pub const VESSEL: Kind = Kind {
    family: "body",
    id: "vessel",
    doc: "A glass, a jug or a bottle: the air in it, its wall, and the water that fills it. Ports: air (at the mouth), rim, eighth (of a turn on), side.",
    params: VesselParams::SPECS,
    keys: &[
        key("form", KeyType::Word(VesselForm::WORDS), "cup (default), open above, or bottle, with a neck."),
        must("radius_m", SIZE, "Radius at the rim of a cup, of the body of a bottle."),
        key(
            "bottom_radius_m",
            SIZE,
            "Radius of the bottom, default that of the rim: less for a glass, a jug or a funnel.",
        ),
        must("height_m", SIZE, "Height, of a bottle without its neck."),
        key("thickness_m", WALL, "Thickness of the wall, default 0.002 m, at most a fifth of the radius."),
        key("material", KeyType::Word(&MATERIAL_NAMES), "What the wall is made of, default glass."),
        key("neck_radius_m", NECK, "Radius of the neck of a bottle."),
        key("neck_length_m", NECK, "Length of the neck of a bottle."),
    ],
    rules: &[
        Rule::Needs { choice: "form", word: "bottle", id: "neck_radius_m" },
        Rule::Needs { choice: "form", word: "bottle", id: "neck_length_m" },
        Rule::Only {
            choice: "form",
            word: "bottle",
            ids: &["neck_radius_m", "neck_length_m"],
            what: "belongs to a bottle; a cup has no neck",
        },
    ],
};

/// A glass, a jug or a bottle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VesselDef {
    /// Live parameters.
    pub params: VesselParams,
    /// Cup or bottle.
    pub form: VesselForm,
    /// m
    pub radius_m: Real,
    /// m; `None`: that of the rim.
    pub bottom_radius_m: Option<Real>,
    /// m
    pub height_m: Real,
    /// m
    pub thickness_m: Real,
    /// Name of the material.
    pub material: &'static str,
    /// Radius and length of the neck of a bottle, m.
    pub neck_m: Option<[Real; 2]>,
}

impl Default for VesselDef {
    fn default() -> Self {
        Self {
            params: VesselParams::default(),
            form: VesselForm::Cup,
            radius_m: 0.035,
            bottom_radius_m: None,
            height_m: 0.15,
            thickness_m: 2e-3,
            material: "glass",
            neck_m: None,
        }
    }
}

impl VesselDef {
    /// Its geometry, if its material has a name.
    pub fn geometry(&self) -> Option<Geometry> {
        Some(Geometry {
            form: self.form,
            radius_m: self.radius_m,
            bottom_m: self.bottom_radius_m.unwrap_or(self.radius_m),
            height_m: self.height_m,
            thickness_m: self.thickness_m,
            neck_m: self.neck_m.unwrap_or([0.01, 0.05]),
            material: Material::named(self.material)?.material,
        })
    }
}

impl BodyKind for VesselDef {
    fn kind(&self) -> &'static Kind {
        &VESSEL
    }
    fn params(&self) -> Vec<(&'static Spec, Real)> {
        listed(&self.params)
    }
    fn ports(&self) -> Vec<&str> {
        PORTS.to_vec()
    }
    fn pitch(&self) -> Option<(&'static Spec, Real)> {
        among(&self.params, "freq_scale")
    }
    fn damping(&self) -> Option<Damping> {
        Damping::scaling(&self.params)
    }
    fn fundamental_hz(&self, port: Option<&str>, _rate_hz: Real, now: &dyn Fn(&str) -> Option<Real>) -> Option<Real> {
        let (geometry, water) = (self.geometry()?, now("water_m3").unwrap_or(self.params.water_m3));
        let freq_hz = match port {
            None | Some("air") => geometry.air(water)[0].0,
            Some(_) => geometry.wall_hz(2) / geometry.load(water).sqrt(),
        };
        Some(freq_hz * now("freq_scale").unwrap_or(1.0))
    }
    fn radiates(&self) -> bool {
        true
    }
    fn words(&self, _rate_hz: Real) -> String {
        let holds = self.geometry().map_or(0.0, |geometry| 1e3 * geometry.capacity_m3());
        format!("{} of {}, holds {} l; places {}", self.form.word(), self.material, short(holds), PORTS.join(", "))
    }
}

impl BuildBody for VesselDef {
    fn check(&self, spot: &Spot) -> Check {
        spot.params(&self.params)?;
        for (id, value) in [("radius_m", self.radius_m), ("height_m", self.height_m), ("thickness_m", self.thickness_m)]
        {
            spot.number(&VESSEL, id, value)?;
        }
        if let Some(bottom) = self.bottom_radius_m {
            spot.number(&VESSEL, "bottom_radius_m", bottom)?;
        }
        if self.thickness_m > 0.2 * self.radius_m {
            let what = format!("{} m is more than a fifth of the radius: no thin wall", self.thickness_m);
            return spot.fail("thickness_m", what);
        }
        if Material::named(self.material).is_none() {
            return spot.fail("material", format!("no material '{}'", clip(self.material)));
        }
        match (self.form, self.neck_m) {
            (VesselForm::Cup, Some(_)) => spot.fail("neck_radius_m", "belongs to a bottle; a cup has no neck"),
            (VesselForm::Bottle, None) => spot.fail("", "needs neck_radius_m and neck_length_m"),
            (VesselForm::Bottle, Some([radius, length])) => {
                spot.number(&VESSEL, "neck_radius_m", radius)?;
                spot.number(&VESSEL, "neck_length_m", length)?;
                if radius > self.radius_m {
                    let what = format!("{radius} m is wider than the bottle, {} m", self.radius_m);
                    return spot.fail("neck_radius_m", what);
                }
                Ok(())
            }
            (VesselForm::Cup, None) => Ok(()),
        }
    }
    fn write(&self, out: &mut Toml, _at: &str) {
        out.params(&self.params, &[]);
        out.line(format_args!("form = \"{}\"", self.form.word()));
        out.number("radius_m", self.radius_m);
        if let Some(bottom) = self.bottom_radius_m {
            out.number("bottom_radius_m", bottom);
        }
        out.number("height_m", self.height_m);
        out.number("thickness_m", self.thickness_m);
        out.line(format_args!("material = \"{}\"", self.material));
        if let Some([radius, length]) = self.neck_m {
            out.number("neck_radius_m", radius);
            out.number("neck_length_m", length);
        }
    }
    fn build(&self, context: &mut BodyContext<'_>) -> Result<Box<dyn Resonator>, SceneError> {
        let Some(geometry) = self.geometry() else {
            return context.spot().fail("material", format!("no material '{}'", clip(self.material)));
        };
        let mut ears = Vec::new();
        for (index, tap) in context.ears() {
            let spot = Spot(format!("tap[{index}]"));
            if tap.ear.direction_deg.is_some() {
                return spot.fail("direction_deg", "only shapes know directions; leave it out");
            }
            if tap.ear.size_m.is_some() {
                return spot.fail("size_m", "a vessel knows its size; leave it out");
            }
            let port = tap.of.split_once('.').map_or("air", |(_, port)| port);
            ears.push((if port == "air" { Heard::Mouth } else { Heard::Wall }, tap.ear.distance_m));
        }
        let (sample_s, touched) = (context.sample_s(), context.has_contact());
        Ok(Box::new(Vessel::new(self.params, geometry, &ears, sample_s, touched)))
    }
    fn structure(&self) -> String {
        format!("{:?}", Self { params: VesselParams::default(), ..*self })
    }
    fn touched_anywhere(&self, _rate_hz: Real) -> Option<Anywhere> {
        Some(Anywhere::Turn)
    }
}

#[cfg(feature = "text")]
impl Read for VesselDef {
    fn read(node: &Node<'_, '_>, _lines: &mut Lines) -> Result<Self, SceneError> {
        let Self { radius_m, height_m, thickness_m, material, .. } = Self::default();
        let word = node.known_word("material")?.and_then(|word| MATERIAL_NAMES.iter().find(|name| **name == word));
        Ok(Self {
            params: node.params()?,
            form: node.word("form")?.unwrap_or_default(),
            radius_m: node.number_or("radius_m", radius_m)?,
            bottom_radius_m: node.number("bottom_radius_m")?,
            height_m: node.number_or("height_m", height_m)?,
            thickness_m: node.number_or("thickness_m", thickness_m)?,
            material: word.copied().unwrap_or(material),
            neck_m: node
                .number("neck_radius_m")?
                .zip(node.number("neck_length_m")?)
                .map(|(radius, length)| [radius, length]),
        })
    }
}
