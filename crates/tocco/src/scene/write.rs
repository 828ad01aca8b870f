// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes a scene as TOML.

use super::def::*;
use super::kinds::Section;
use crate::math::Real;
use crate::param::Params;
use std::fmt::Write;

impl SceneDef {
    /// The scene as TOML; reading it back gives the same scene. A drive from samples in memory, and a
    /// body or a law of one's own, have no written form: they become comments. `[control]`
    pub fn to_toml(&self) -> String {
        let mut out = Toml::default();
        out.line(format_args!("version = {}", self.version));
        if !self.title.is_empty() {
            out.line(format_args!("title = {}", quoted(&self.title)));
        }
        match self.duration {
            Length::Auto => out.line(format_args!("duration_s = \"auto\"")),
            Length::Seconds(seconds) => out.number("duration_s", seconds),
        }
        out.number("rate_hz", self.rate_hz);
        out.line(format_args!("seed = {}", self.seed));
        self.bodies.iter().for_each(|body| write_body(&mut out, body));
        self.contacts.iter().for_each(|contact| write_contact(&mut out, contact));
        self.signals.iter().for_each(|signal| signal.write(&mut out));
        self.processes.iter().for_each(|process| process.write(&mut out));
        self.walks.iter().for_each(|walk| walk.write(&mut out));
        self.parts.iter().for_each(|part| part.write(&mut out));
        self.drives.iter().for_each(|drive| drive.write(&mut out));
        self.events.iter().for_each(|event| event.write(&mut out));
        self.outputs.iter().for_each(|output| output.write(&mut out));
        self.taps.iter().for_each(|tap| tap.write(&mut out));
        self.controls.iter().for_each(|control| control.write(&mut out));
        self.midi.iter().for_each(|midi| midi.write(&mut out));
        self.looks.iter().for_each(|look| look.write(&mut out));
        out.0
    }
}

/// A TOML basic string.
pub(super) fn quoted(text: &str) -> String {
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
pub(super) fn bare(name: &str) -> String {
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if plain { name.to_string() } else { quoted(name) }
}

/// A scene in the making: what the files of the kinds write to.
#[derive(Default)]
pub(super) struct Toml(pub(super) String);

impl Toml {
    pub(super) fn line(&mut self, args: std::fmt::Arguments<'_>) {
        // Writing to a String cannot fail.
        let _ = writeln!(self.0, "{args}");
    }

    pub(super) fn number(&mut self, id: &str, value: Real) {
        self.line(format_args!("{id} = {value:?}"));
    }

    pub(super) fn unless(&mut self, id: &str, value: Real, default: Real) {
        if value != default {
            self.number(id, value);
        }
    }

    pub(super) fn unless_zero(&mut self, id: &str, value: Real) {
        self.unless(id, value, 0.0);
    }

    /// One text, or a list of them; nothing if there is none.
    pub(super) fn texts<'n>(&mut self, id: &str, texts: impl Iterator<Item = &'n str>) {
        let all: Vec<String> = texts.map(quoted).collect();
        match all.as_slice() {
            [] => {}
            [one] => self.line(format_args!("{id} = {one}")),
            several => self.line(format_args!("{id} = [{}]", several.join(", "))),
        }
    }

    /// Live parameters; a value equal to a neutral default (0 or 1) is left out.
    pub(super) fn params<P: Params>(&mut self, params: &P, skip: &[&str]) {
        for (index, spec) in P::SPECS.iter().enumerate() {
            let value = params.value(index);
            let neutral = value == spec.default && (value == 0.0 || value == 1.0);
            if !neutral && !skip.contains(&spec.id) {
                self.number(spec.id, value);
            }
        }
    }

    /// A table of names and values.
    pub(super) fn table<T>(&mut self, at: &str, rows: &[T], row: impl Fn(&T) -> (&str, String)) {
        self.line(format_args!("[{at}]"));
        for (name, value) in rows.iter().map(row) {
            self.line(format_args!("{} = {value}", bare(name)));
        }
    }

    pub(super) fn table_unless_empty<T>(&mut self, at: &str, rows: &[T], row: impl Fn(&T) -> (&str, String)) {
        if !rows.is_empty() {
            self.table(at, rows, row);
        }
    }
}

fn write_body(out: &mut Toml, body: &BodyDef) {
    let (at, form) = (format!("body.{}", bare(&body.name)), body.form.definition());
    if !form.is_written() {
        return out.line(format_args!("\n# left out: {at}, made in code"));
    }
    out.line(format_args!("\n[{at}]\ntype = \"{}\"", form.kind().id));
    form.write(out, &at);
}

fn write_contact(out: &mut Toml, contact: &ContactDef) {
    let (at, form) = (format!("contact.{}", bare(&contact.name)), contact.form.definition());
    if !form.is_written() {
        return out.line(format_args!("\n# left out: {at}, made in code"));
    }
    let [a, b] = &contact.between;
    out.line(format_args!("\n[{at}]\ntype = \"{}\"", form.kind().id));
    out.line(format_args!("between = [{}, {}]", quoted(a), quoted(b)));
    if contact.spare {
        out.line(format_args!("spare = true"));
    }
    form.write(out);
}
