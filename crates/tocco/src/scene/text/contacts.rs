// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads contacts.

use super::Lines;
use super::node::*;
use crate::interactor::friction::{FrictionParams, check};
use crate::math::Real;
use crate::scene::def::*;
use crate::scene::error::SceneError;
use crate::scene::hammer::DEFAULT_SPEED_M_S;
use crate::scene::kinds::ROSIN;
use crate::scene::tree::{Entry, plain};
use crate::texture::fractal::DEFAULT_POLES_PER_DECADE;
use crate::texture::{DEFAULT_GRAIN_M, DEFAULT_LONGEST_M, LONGEST_GRAINS, TEXTURE};

pub(super) fn read_contact(entry: &Entry<'_>, at: String, lines: &mut Lines) -> Result<ContactDef, SceneError> {
    let kind = kind_of("contact", &at, entry)?;
    let node = Node::open(table(&entry.value, &at, "a table")?, at, entry.line, kind)?;
    node.note(lines);
    let between = read_between(&node)?;
    let mut params = node.params()?;
    let form = match kind.id {
        "friction" => read_friction(&node, &params)?,
        _ => read_impact(&node, &mut params)?,
    };
    let texture = read_texture(&node, lines)?;
    let substeps = match node.whole("substeps")? {
        None => Substeps::Auto,
        Some(count) => match u32::try_from(count) {
            Ok(count) if count.is_power_of_two() => Substeps::Fixed(count),
            _ => {
                return node.fail("substeps", format!("{count} is not a power of two; wants 1, 2, 4, 8, 16, 32 or 64"));
            }
        },
    };
    Ok(ContactDef { name: entry.key.to_string(), between, form, params, substeps, texture })
}

fn read_between(node: &Node<'_, '_>) -> Result<[String; 2], SceneError> {
    let at = node.place("between");
    let wanted = "two sites, such as [\"hammer\", \"bar.tip\"]";
    let Some(value) = node.value("between") else { return node.fail("", format!("needs between: {wanted}")) };
    let sites = list(value, &at, wanted)?;
    let [a, b] = sites else {
        return node.fail("between", format!("has {} sites; wants {wanted}", sites.len()));
    };
    let site = |value, index: usize| match text(value, &format!("{at}[{index}]"), "\"body\" or \"body.port\"")? {
        "" => node.fail("between", format!("holds an empty text; wants {wanted}")),
        site => Ok(site.to_string()),
    };
    Ok([site(a, 0)?, site(b, 1)?])
}

fn read_friction(node: &Node<'_, '_>, params: &[Real]) -> Result<ContactForm, SceneError> {
    let law = match node.word("law")? {
        Some(1) => FrictionLaw::LuGre,
        Some(2) => FrictionLaw::Dahl,
        Some(3) => FrictionLaw::Static,
        Some(4) => FrictionLaw::Thermal,
        _ => FrictionLaw::ElastoPlastic,
    };
    if law != FrictionLaw::Thermal {
        node.none_of(&ROSIN, "belongs to law = \"thermal\"; leave it out or choose that law")?;
    }
    if let Some((id, what)) = check(law, &FrictionParams::from_values(params)) {
        let what = if node.entry(id).is_some() { what } else { format!("{id} = {what}") };
        return node.fail(id, what);
    }
    let normal_from = node.entry("normal_from").map(|_| node.needed_text("normal_from")).transpose()?;
    if normal_from.is_some() {
        node.none_of(&["normal_force_n"], "stands beside normal_from; keep one of normal_force_n, normal_from")?;
    }
    Ok(ContactForm::Friction { law, normal_from, viscous_exponent: node.number("viscous_exponent")? })
}

fn read_texture(contact: &Node<'_, '_>, lines: &mut Lines) -> Result<Option<TextureDef>, SceneError> {
    let Some(entry) = contact.entry("texture") else { return Ok(None) };
    let at = contact.place("texture");
    let entries = table(&entry.value, &at, "a table such as { beta = 1.5, grain_m = 1e-5 }")?;
    if entries.iter().any(|entry| entry.key == "type") {
        kind_of("texture", &at, entry)?;
    }
    let node = Node::open(entries, at, entry.line, &TEXTURE)?;
    node.note(lines);
    let grain_m = node.number_or("grain_m", DEFAULT_GRAIN_M)?;
    let longest_m = node.number_or("longest_m", DEFAULT_LONGEST_M)?;
    let grains = longest_m / grain_m;
    // A product of decimal fractions may miss the border by rounding.
    if !(LONGEST_GRAINS.start() * (1.0 - 1e-9)..=LONGEST_GRAINS.end() * (1.0 + 1e-9)).contains(&grains) {
        let id = if node.entry("longest_m").is_some() { "longest_m" } else { "grain_m" };
        let (least, most) = (plain(LONGEST_GRAINS.start().round()), plain(LONGEST_GRAINS.end().round()));
        let what = format!(
            "the longest wave, {} m, is {} grains of {} m; wants {least} to {most}",
            plain(longest_m),
            plain((1e3 * grains).round() / 1e3),
            plain(grain_m)
        );
        return node.fail(id, what);
    }
    let (mut height_m, mut travel) = (0.0, None);
    if contact.kind.id == "impact" {
        let own = "the texture of an impact contact";
        height_m = node.needed_number("height_m", own)?;
        if node.entry("travel_from").is_none() {
            return node.fail("", format!("{own} needs travel_from"));
        }
        travel = Some(node.needed_text("travel_from")?);
    } else {
        let what = "belongs to an impact contact; friction meets its surface along its own travel, scaled by roughness";
        node.none_of(&["height_m", "travel_from"], what)?;
    }
    let poles_per_decade = node.whole("poles_per_decade")?.and_then(|count| u32::try_from(count).ok());
    Ok(Some(TextureDef {
        beta: node.params()?.first().copied().unwrap_or_default(),
        grain_m,
        longest_m,
        poles_per_decade: poles_per_decade.unwrap_or(DEFAULT_POLES_PER_DECADE),
        height_m,
        travel,
    }))
}

/// At most one of stiffness, contact_time_s and hardness_01.
fn read_hammer(node: &Node<'_, '_>) -> Result<Option<HammerDef>, SceneError> {
    let ways = ["stiffness", "contact_time_s", "hardness_01"];
    let wanted = if ways.iter().any(|id| node.entry(id).is_some()) { node.one_of(&ways)? } else { "stiffness" };
    let intent = match wanted {
        "contact_time_s" => Intent::ContactTime(node.needed_number(wanted, "a hammer")?),
        "hardness_01" => Intent::Hardness(node.needed_number(wanted, "a hammer")?),
        _ => {
            node.none_of(
                &["at_speed_m_s"],
                "belongs to contact_time_s or hardness_01; leave it out or give one of them",
            )?;
            return Ok(None);
        }
    };
    Ok(Some(HammerDef { intent, at_speed_m_s: node.number_or("at_speed_m_s", DEFAULT_SPEED_M_S)? }))
}

fn read_impact(node: &Node<'_, '_>, params: &mut [Real]) -> Result<ContactForm, SceneError> {
    let law = match node.word("law")? {
        Some(1) => ImpactLaw::Power,
        Some(2) => ImpactLaw::Linear,
        Some(3) => ImpactLaw::Stulov,
        _ => ImpactLaw::HuntCrossley,
    };
    let index = |id: &str| node.kind.params.iter().position(|spec| spec.id == id).unwrap_or_default();
    if law != ImpactLaw::Stulov {
        node.none_of(
            &["hysteresis_01", "relaxation_s"],
            "belongs to law = \"stulov\"; leave it out or choose that law",
        )?;
    }
    if let ImpactLaw::Power | ImpactLaw::Stulov = law {
        let what = format!(
            "law = \"{}\" has no viscous loss; choose law = \"hunt-crossley\"",
            if law == ImpactLaw::Power { "power" } else { "stulov" }
        );
        if params[index("dissipation_s_m")] != 0.0 {
            return node.fail("dissipation_s_m", what);
        }
        node.none_of(&["viscous_exponent"], &what)?;
    }
    if law == ImpactLaw::Linear {
        let exponent = &mut params[index("exponent")];
        if node.entry("exponent").is_some() && *exponent != 1.0 {
            return node.fail("exponent", "law = \"linear\" has exponent 1; leave it out or choose another law");
        }
        *exponent = 1.0;
    }
    Ok(ContactForm::Impact {
        hammer: read_hammer(node)?,
        law,
        viscous_exponent: node.number("viscous_exponent")?,
        exact_wall: node.flag("exact_wall")?.unwrap_or(false),
    })
}
