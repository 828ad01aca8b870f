// SPDX-License-Identifier: MIT OR Apache-2.0
//! Reads bodies by geometry and material.

use super::Lines;
use super::bodies::{NO_MORPH, named_ports};
use super::node::*;
use crate::math::Real;
use crate::param::{KeyType, Kind};
use crate::resonator::material::{DEFAULT_POISSON, MATERIAL, MATERIALS, Material, of_class};
use crate::resonator::shape::{FAMILIES, Family, MORPH, SHAPE, locate, wanted};
use crate::scene::def::*;
use crate::scene::error::{SceneError, nearest};
use crate::scene::tree::{Data, Entry, clip, plain};

pub(super) fn read_shape(entry: &Entry<'_>, at: String, lines: &mut Lines) -> Result<BodyDef, SceneError> {
    let entries = table(&entry.value, &at, "a table")?;
    let (family, node) = open(entries, at, entry.line, &SHAPE)?;
    node.note(lines);
    let figure = read_figure(&node, family, lines)?;
    let ports = read_places(&node, family, lines)?;
    let morph = read_morph(&node, family, &ports, lines)?;
    Ok(BodyDef { name: entry.key.to_string(), form: BodyForm::Shape { figure, ports, morph }, params: node.params()? })
}

/// A table whose keys are those of `kind` and of the shape it names.
fn open<'v, 't>(
    entries: &'v [Entry<'t>],
    at: String,
    line: usize,
    kind: &'static Kind,
) -> Result<(&'static Family, Node<'v, 't>), SceneError> {
    let known = || FAMILIES.iter().map(|family| family.kind.id);
    let Some(named) = entries.iter().find(|entry| entry.key == "shape") else {
        return fail(at, line, format!("needs shape, one of {}", known().collect::<Vec<_>>().join(", ")));
    };
    let place = join(&at, "shape");
    let word = text(&named.value, &place, "text in quotes")?;
    let Some(family) = FAMILIES.iter().find(|family| family.kind.id == word) else {
        return fail(place, named.line, format!("unknown shape '{}'{}", clip(word), nearest(&clip(word), known())));
    };
    Ok((family, Node::open_both(entries, at, line, kind, Some(family.kind))?))
}

fn read_figure(node: &Node<'_, '_>, family: &Family, lines: &mut Lines) -> Result<ShapeDef, SceneError> {
    let read = |key: &crate::param::Key| match key.takes {
        KeyType::Word(_) => Ok(node.word(key.id)?.map(|index| index as Real)),
        _ => node.number(key.id),
    };
    let values: Result<Vec<Option<Real>>, SceneError> = family.kind.keys.iter().map(read).collect();
    let modes = node.whole("modes")?.and_then(|most| u32::try_from(most).ok());
    Ok(ShapeDef { kind: family.kind, values: values?, material: read_material(node, family, lines)?, modes })
}

fn read_material(node: &Node<'_, '_>, family: &Family, lines: &mut Lines) -> Result<Stuff, SceneError> {
    let id = family.kind.id;
    let Some(entry) = node.entry("material") else {
        return if family.solid { node.fail("", format!("a {id} needs material")) } else { Ok(Stuff::Air) };
    };
    if !family.solid {
        return node.fail("material", format!("a {id} is a cavity and holds air; leave it out"));
    }
    let at = node.place("material");
    match &entry.value.data {
        Data::Text(word) => match Material::named(word) {
            Some(found) => Ok(Stuff::Named(found.id)),
            None => {
                let kin = of_class(word);
                let known = MATERIALS.iter().map(|entry| entry.id);
                let what = if kin.is_empty() {
                    format!("no material '{}'{}", clip(word), nearest(&clip(word), known))
                } else {
                    format!("which {}? choose {}", clip(word), kin.join(", "))
                };
                fail(at, entry.line, what)
            }
        },
        Data::Table(entries) => {
            let own = Node::open(entries, at, entry.line, &MATERIAL)?;
            own.note(lines);
            Ok(Stuff::Own(Material {
                density_kg_m3: own.needed_number("density_kg_m3", "a material")?,
                young_pa: own.needed_number("young_pa", "a material")?,
                poisson: own.number_or("poisson", DEFAULT_POISSON)?,
                loss_factor: own.needed_number("loss_factor", "a material")?,
                loss_exponent: own.number_or("loss_exponent", 0.0)?,
            }))
        }
        other => fail(at, entry.line, format!("found {}; wants a name or a table of properties", other.found())),
    }
}

fn read_places(node: &Node<'_, '_>, family: &Family, lines: &mut Lines) -> Result<Vec<PlaceOn>, SceneError> {
    named_ports(node, "a table of name = place", lines, |port, at| {
        let fraction = |data: &Data<'_>| match data {
            Data::Whole(whole) => Some(*whole as Real),
            Data::Number(number) => Some(*number),
            _ => None,
        };
        let wrong = |found: String| {
            let words: Vec<&str> = family.places.iter().map(|(word, _)| *word).collect();
            format!("found {found}; wants {} or one of {}", wanted(family), words.join(", "))
        };
        let place = match &port.value.data {
            Data::Text(word) => Place::Named(clip(word)),
            Data::List(values) => match values.iter().map(|value| fraction(&value.data)).collect() {
                Some(fractions) => Place::At(fractions),
                None => return fail(at, port.line, wrong(port.value.data.found())),
            },
            other => match fraction(other) {
                Some(fraction) => Place::At(vec![fraction]),
                None => return fail(at, port.line, wrong(other.found())),
            },
        };
        if let Place::At(fractions) = &place
            && let Some(wild) = fractions.iter().find(|fraction| !fraction.is_finite())
        {
            return fail(at, port.line, format!("{} is not a finite number; wants {}", plain(*wild), wanted(family)));
        }
        match locate(family, &place) {
            Ok(_) => Ok(PlaceOn { name: port.key.to_string(), place }),
            Err(what) => fail(at, port.line, what),
        }
    })
}

fn read_morph(
    body: &Node<'_, '_>,
    from: &Family,
    ports: &[PlaceOn],
    lines: &mut Lines,
) -> Result<Option<ShapeMorphDef>, SceneError> {
    let Some(entry) = body.entry("morph") else {
        body.none_of(&["morph_01"], NO_MORPH)?;
        return Ok(None);
    };
    let at = body.place("morph");
    let (family, node) = open(table(&entry.value, &at, "a table with the keys of a shape")?, at, entry.line, &MORPH)?;
    node.note(lines);
    let morph = ShapeMorphDef { ports: read_places(&node, family, lines)?, figure: read_figure(&node, family, lines)? };
    let known = || ports.iter().map(|port| port.name.as_str());
    if let Some(stray) = morph.ports.iter().find(|own| !known().any(|name| name == own.name)) {
        let at = join(&node.place("port"), &stray.name);
        let line = lines.get(&at).copied().unwrap_or(node.line);
        return fail(at, line, format!("the body has no such port{}", nearest(&stray.name, known())));
    }
    for port in ports {
        // Two coordinates are not the same place on a disc and on a sheet.
        let own = morph.ports.iter().any(|own| own.name == port.name);
        let read_alike = own || from.axes == family.axes || matches!(port.place, Place::Named(_));
        let found = if read_alike {
            locate(family, &morph.place(port).place).map(|_| ())
        } else {
            Err(format!("wants {}", wanted(family)))
        };
        if let Err(what) = found {
            let what = format!("port {}: {what}; say where it is on this shape in [{}]", port.name, node.place("port"));
            return node.fail("shape", what);
        }
    }
    Ok(Some(morph))
}
