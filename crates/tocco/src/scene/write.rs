// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes a scene as TOML.

use super::def::*;
use super::hammer::DEFAULT_SPEED_M_S;
use super::kinds::{DEFAULT_FIRST_HZ, ROSIN, family};
use crate::gesture::Gesture;
use crate::math::Real;
use crate::param::{KeyType, Scale};
use crate::resonator::material::Material;
use crate::texture::fractal::DEFAULT_POLES_PER_DECADE;
use std::fmt::Write;

impl SceneDef {
    /// The scene as TOML; reading it back gives the same scene. A drive from samples in memory has no written form: it
    /// becomes a comment. `[control]`
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        line(&mut out, format_args!("version = {}", self.version));
        if !self.title.is_empty() {
            line(&mut out, format_args!("title = {}", quoted(&self.title)));
        }
        match self.duration {
            Length::Auto => line(&mut out, format_args!("duration_s = \"auto\"")),
            Length::Seconds(seconds) => line(&mut out, format_args!("duration_s = {seconds:?}")),
        }
        line(&mut out, format_args!("rate_hz = {:?}", self.rate_hz));
        line(&mut out, format_args!("seed = {}", self.seed));
        for body in &self.bodies {
            write_body(&mut out, body);
        }
        for contact in &self.contacts {
            write_contact(&mut out, contact);
        }
        for drive in &self.drives {
            write_drive(&mut out, drive);
        }
        for event in &self.events {
            write_event(&mut out, event);
        }
        for output in &self.outputs {
            write_output(&mut out, output);
        }
        for tap in &self.taps {
            write_tap(&mut out, tap);
        }
        for control in &self.controls {
            line(&mut out, format_args!("\n[[control]]\nname = {}", quoted(&control.name)));
            let paths: Vec<String> = control.paths().map(quoted).collect();
            let paths = if control.also.is_empty() { paths.concat() } else { format!("[{}]", paths.join(", ")) };
            line(&mut out, format_args!("path = {paths}"));
            line(&mut out, format_args!("range = {:?}", control.range));
            if control.scale == Scale::Log {
                line(&mut out, format_args!("scale = \"log\""));
            }
        }
        if let Some(midi) = &self.midi {
            write_midi(&mut out, midi);
        }
        out
    }
}

fn line(out: &mut String, args: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{args}");
}

/// A TOML basic string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A key, in quotes only if it needs them.
fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { name.to_string() } else { quoted(name) }
}

/// Live parameters of a kind; a value equal to a neutral default (0 or 1) is left out.
fn write_params(out: &mut String, family_name: &str, id: &str, values: &[Real], skip: &[&str]) {
    let specs = family(family_name).find(|kind| kind.id == id).map_or(&[][..], |kind| kind.params);
    for (spec, &value) in specs.iter().zip(values) {
        let neutral = value == spec.default && (value == 0.0 || value == 1.0);
        if !neutral && !skip.contains(&spec.id) {
            line(out, format_args!("{} = {value:?}", spec.id));
        }
    }
}

fn write_unless_zero(out: &mut String, id: &str, value: Real) {
    if value != 0.0 {
        line(out, format_args!("{id} = {value:?}"));
    }
}

fn write_body(out: &mut String, body: &BodyDef) {
    let id = match &body.form {
        BodyForm::Mass { .. } => "mass",
        BodyForm::Wall { .. } => "wall",
        BodyForm::Guided { .. } => "guided",
        BodyForm::Modal { .. } => "modal",
        BodyForm::String { .. } => "string",
        BodyForm::Network { .. } => "network",
        BodyForm::Shape { .. } => "shape",
    };
    let name = key(&body.name);
    line(out, format_args!("\n[body.{name}]\ntype = \"{id}\""));
    write_params(out, "body", id, &body.params, &[]);
    match &body.form {
        BodyForm::Mass { position_m, velocity_m_s } => {
            write_unless_zero(out, "position_m", *position_m);
            write_unless_zero(out, "velocity_m_s", *velocity_m_s);
        }
        BodyForm::Wall { position_m } | BodyForm::Guided { position_m } => {
            write_unless_zero(out, "position_m", *position_m);
        }
        BodyForm::Modal { modes, ports, morph } => {
            write_bank(out, &format!("body.{name}"), modes, ports);
            if let Some(morph) = morph {
                line(out, format_args!("[body.{name}.morph]"));
                write_bank(out, &format!("body.{name}.morph"), &morph.modes, &morph.ports);
            }
        }
        BodyForm::Shape { figure, ports, morph } => {
            write_figure(out, figure);
            write_places(out, &format!("body.{name}"), ports);
            if let Some(morph) = morph {
                line(out, format_args!("[body.{name}.morph]"));
                write_figure(out, &morph.figure);
                write_places(out, &format!("body.{name}.morph"), &morph.ports);
            }
        }
        BodyForm::String { ports } => {
            if !ports.is_empty() {
                line(out, format_args!("[body.{name}.port]"));
            }
            for port in ports {
                line(out, format_args!("{} = {:?}", key(&port.name), port.place));
            }
        }
        BodyForm::Network { masses, fixed, links } => {
            let names = |list: &[String]| list.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
            if !fixed.is_empty() {
                line(out, format_args!("fixed = [{}]", names(fixed)));
            }
            line(out, format_args!("[body.{name}.mass_kg]"));
            for mass in masses {
                line(out, format_args!("{} = {:?}", key(&mass.name), mass.mass_kg));
            }
            for link in links {
                line(out, format_args!("[[body.{name}.link]]\nbetween = [{}]", names(&link.between)));
                write_unless_zero(out, "stiffness_n_m", link.stiffness_n_m);
                write_unless_zero(out, "damping_n_s_m", link.damping_n_s_m);
            }
        }
    }
}

/// Modes and places of a table that has just been opened.
fn write_bank(out: &mut String, place: &str, modes: &[ModeDef], ports: &[PortDef]) {
    line(out, format_args!("modes = ["));
    for mode in modes {
        let decay = if mode.decay_s.is_finite() { format!("decay_s = {:?}, ", mode.decay_s) } else { String::new() };
        let (freq_hz, mass_kg) = (mode.freq_hz, mode.mass_kg);
        line(out, format_args!("    {{ freq_hz = {freq_hz:?}, {decay}mass_kg = {mass_kg:?} }},"));
    }
    line(out, format_args!("]"));
    if !ports.is_empty() {
        line(out, format_args!("[{place}.port]"));
    }
    for port in ports {
        line(out, format_args!("{} = {:?}", key(&port.name), port.shape));
    }
}

fn write_places(out: &mut String, of: &str, ports: &[PlaceOn]) {
    if !ports.is_empty() {
        line(out, format_args!("[{of}.port]"));
    }
    for port in ports {
        match &port.place {
            Place::Named(word) => line(out, format_args!("{} = {}", key(&port.name), quoted(word))),
            Place::At(at) => line(out, format_args!("{} = {at:?}", key(&port.name))),
        }
    }
}

fn write_figure(out: &mut String, figure: &ShapeDef) {
    line(out, format_args!("shape = \"{}\"", figure.kind.id));
    for (key, value) in figure.kind.keys.iter().zip(&figure.values) {
        match (key.takes, value) {
            (_, None) => {}
            (KeyType::Word(words), Some(index)) => {
                line(out, format_args!("{} = \"{}\"", key.id, words.get(*index as usize).unwrap_or(&"")));
            }
            (_, Some(value)) => line(out, format_args!("{} = {value:?}", key.id)),
        }
    }
    match figure.material {
        Stuff::Air => {}
        Stuff::Named(id) => line(out, format_args!("material = \"{id}\"")),
        Stuff::Own(Material { density_kg_m3, young_pa, poisson, loss_factor, loss_exponent }) => {
            let _ = write!(out, "material = {{ density_kg_m3 = {density_kg_m3:?}, young_pa = {young_pa:?}");
            let _ = write!(out, ", poisson = {poisson:?}, loss_factor = {loss_factor:?}");
            line(out, format_args!(", loss_exponent = {loss_exponent:?} }}"));
        }
    }
    if let Some(modes) = figure.modes {
        line(out, format_args!("modes = {modes}"));
    }
}

/// The word of a key's list.
fn word(family_name: &str, kind_id: &str, id: &str, index: usize) -> &'static str {
    let kind = family(family_name).find(|kind| kind.id == kind_id);
    let takes = kind.and_then(|kind| kind.keys.iter().find(|key| key.id == id)).map(|key| key.takes);
    match takes {
        Some(KeyType::Word(words)) => words[index],
        _ => "",
    }
}

fn write_contact(out: &mut String, contact: &ContactDef) {
    let (id, law, exponent) = match &contact.form {
        ContactForm::Impact { law, viscous_exponent, .. } => ("impact", *law as usize, viscous_exponent),
        ContactForm::Friction { law, viscous_exponent, .. } => ("friction", *law as usize, viscous_exponent),
    };
    let [a, b] = &contact.between;
    line(out, format_args!("\n[contact.{}]\ntype = \"{id}\"", key(&contact.name)));
    line(out, format_args!("between = [{}, {}]", quoted(a), quoted(b)));
    if law != 0 {
        line(out, format_args!("law = \"{}\"", word("contact", id, "law", law)));
    }
    let mut skip: Vec<&str> = Vec::new();
    match &contact.form {
        ContactForm::Impact { law, hammer, .. } => {
            skip.extend(match law {
                ImpactLaw::Stulov => &["dissipation_s_m"][..],
                ImpactLaw::Power => &["hysteresis_01", "relaxation_s", "dissipation_s_m"],
                ImpactLaw::Linear => &["hysteresis_01", "relaxation_s", "exponent"],
                ImpactLaw::HuntCrossley => &["hysteresis_01", "relaxation_s"],
            });
            if let Some(hammer) = hammer {
                skip.push("stiffness");
                match hammer.intent {
                    Intent::ContactTime(tau) => line(out, format_args!("contact_time_s = {tau:?}")),
                    Intent::Hardness(hardness) => line(out, format_args!("hardness_01 = {hardness:?}")),
                }
                if hammer.at_speed_m_s != DEFAULT_SPEED_M_S {
                    line(out, format_args!("at_speed_m_s = {:?}", hammer.at_speed_m_s));
                }
            }
        }
        ContactForm::Friction { law, normal_from, .. } => {
            if *law != FrictionLaw::Thermal {
                skip.extend(ROSIN);
            }
            if let Some(from) = normal_from {
                skip.push("normal_force_n");
                line(out, format_args!("normal_from = {}", quoted(from)));
            }
        }
    }
    write_params(out, "contact", id, &contact.params, &skip);
    if let Some(exponent) = exponent {
        line(out, format_args!("viscous_exponent = {exponent:?}"));
    }
    if let ContactForm::Impact { exact_wall: true, .. } = contact.form {
        line(out, format_args!("exact_wall = true"));
    }
    if let Substeps::Fixed(count) = contact.substeps {
        line(out, format_args!("substeps = {count}"));
    }
    if let Some(t) = &contact.texture {
        let _ =
            write!(out, "texture = {{ beta = {:?}, grain_m = {:?}, longest_m = {:?}", t.beta, t.grain_m, t.longest_m);
        if t.poles_per_decade != DEFAULT_POLES_PER_DECADE {
            let _ = write!(out, ", poles_per_decade = {}", t.poles_per_decade);
        }
        if let Some(travel) = &t.travel {
            let _ = write!(out, ", height_m = {:?}, travel_from = {}", t.height_m, quoted(travel));
        }
        line(out, format_args!(" }}"));
    }
}

fn write_drive(out: &mut String, drive: &DriveDef) {
    let path = quoted(&drive.path);
    match &drive.source {
        Source::Points(points) => {
            line(out, format_args!("\n[[drive]]\npath = {path}\npoints = {points:?}"));
        }
        Source::Noise { rms, mean, from_s, to_s, beta, first_hz } => {
            let _ = write!(out, "\n[[drive]]\npath = {path}\nnoise = {{ rms = {rms:?}");
            let fractal = *beta != 0.0 || *first_hz != DEFAULT_FIRST_HZ;
            for (id, value, said) in [
                ("mean", mean, *mean != 0.0),
                ("from_s", from_s, *from_s != 0.0),
                ("beta", beta, fractal),
                ("first_hz", first_hz, *first_hz != DEFAULT_FIRST_HZ),
            ] {
                if said {
                    let _ = write!(out, ", {id} = {value:?}");
                }
            }
            if to_s.is_finite() {
                let _ = write!(out, ", to_s = {to_s:?}");
            }
            line(out, format_args!(" }}"));
        }
        Source::Wav { file, gain, at_s } => {
            line(out, format_args!("\n[[drive]]\npath = {path}\nwav = {}\ngain = {gain:?}", quoted(file)));
            write_unless_zero(out, "at_s", *at_s);
        }
        Source::Input { channel, gain } => {
            line(out, format_args!("\n[[drive]]\npath = {path}\ninput = {channel}\ngain = {gain:?}"));
        }
        Source::Samples { data, .. } => {
            line(out, format_args!("\n# left out: a drive of {path} by {} samples in memory", data.len()));
        }
    }
}

fn write_event(out: &mut String, event: &EventDef) {
    line(out, format_args!("\n[[event]]\nat_s = {:?}", event.at_s));
    match &event.gesture {
        Gesture::Strike { body, velocity_m_s } => {
            line(out, format_args!("strike = {}\nvelocity_m_s = {velocity_m_s:?}", quoted(body)));
        }
        Gesture::Hit { site, impulse_n_s } => {
            line(out, format_args!("hit = {}\nimpulse_n_s = {impulse_n_s:?}", quoted(site)));
        }
        Gesture::Set { path, value } => line(out, format_args!("set = {}\nvalue = {value:?}", quoted(path))),
        // A scene with any other gesture is refused when it is built.
        _ => line(out, format_args!("# left out: a gesture that no event can hold")),
    }
}

fn write_output(out: &mut String, output: &OutputDef) {
    line(out, format_args!("\n[output.{}]\nchannels = {:?}", key(&output.name), output.channels));
    if output.gain != 1.0 {
        line(out, format_args!("gain = {:?}", output.gain));
    }
    if !output.limiter {
        line(out, format_args!("limiter = false"));
    }
}

fn write_tap(out: &mut String, tap: &TapDef) {
    line(out, format_args!("\n[[tap]]\nof = {}", quoted(&tap.of)));
    line(out, format_args!("quantity = \"{}\"", word("tap", "", "quantity", tap.quantity as usize)));
    if tap.gain != 1.0 {
        line(out, format_args!("gain = {:?}", tap.gain));
    }
    let outputs: Vec<String> = tap.outputs.iter().map(|name| quoted(name)).collect();
    match outputs.as_slice() {
        [] => {}
        [one] => line(out, format_args!("to = {one}")),
        several => line(out, format_args!("to = [{}]", several.join(", "))),
    }
    match tap.to {
        TapTo::Channel(0) => {}
        TapTo::Channel(channel) => line(out, format_args!("channel = {channel}")),
        TapTo::Pan(pan) => line(out, format_args!("pan_01 = {pan:?}")),
    }
}

fn write_midi(out: &mut String, midi: &MidiDef) {
    line(out, format_args!("\n[midi]\nnotes = \"{}\"", word("midi", "", "notes", midi.notes as usize)));
    line(out, format_args!("low = {}\nhigh = {}", midi.low, midi.high));
    for (id, names) in [("strike", &midi.strike), ("hit", &midi.hit), ("retune", &midi.retune)] {
        let list: Vec<String> = names.iter().map(|name| quoted(name)).collect();
        match list.len() {
            0 => {}
            1 => line(out, format_args!("{id} = {}", list[0])),
            _ => line(out, format_args!("{id} = [{}]", list.join(", "))),
        }
    }
    let strength = if midi.strike.is_empty() { "impulse_n_s" } else { "velocity_m_s" };
    line(out, format_args!("{strength} = {:?}", midi.strength));
    if midi.notes == Notes::Pitch {
        line(out, format_args!("reference = {:?}\nvoices = {}", midi.reference, midi.voices));
    }
    if let Some(release_s) = midi.release_s {
        line(out, format_args!("release_s = {release_s:?}"));
    }
    if midi.mpe {
        line(out, format_args!("mpe = true"));
    }
    for (id, name) in [("bend", &midi.bend), ("pressure", &midi.pressure), ("slide", &midi.slide)] {
        if let Some(name) = name {
            line(out, format_args!("{id} = {}", quoted(name)));
        }
    }
    if !midi.cc.is_empty() {
        let all: Vec<String> =
            midi.cc.iter().map(|(number, name)| format!("\"{number}\" = {}", quoted(name))).collect();
        line(out, format_args!("cc = {{ {} }}", all.join(", ")));
    }
}
