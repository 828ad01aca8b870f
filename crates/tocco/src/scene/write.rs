// SPDX-License-Identifier: MIT OR Apache-2.0
//! Writes a scene as TOML.

use super::def::*;
use super::kinds::DEFAULT_FIRST_HZ;
use crate::gesture::Gesture;
use crate::math::Real;
use crate::param::{Params, Scale, Word};
use std::fmt::Write;

impl SceneDef {
    /// The scene as TOML; reading it back gives the same scene. A drive from samples in memory, and a
    /// body or a law of one's own, have no written form: they become comments. `[control]`
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
        let mut parts = Toml(out);
        for body in &self.bodies {
            write_body(&mut parts, body);
        }
        for contact in &self.contacts {
            write_contact(&mut parts, contact);
        }
        let Toml(mut out) = parts;
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
fn key(name: &str) -> String {
    let bare = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { name.to_string() } else { quoted(name) }
}

fn write_unless_zero(out: &mut String, id: &str, value: Real) {
    if value != 0.0 {
        line(out, format_args!("{id} = {value:?}"));
    }
}

/// A scene in the making: what the files of the kinds write to.
#[derive(Default)]
pub(super) struct Toml(pub(super) String);

impl Toml {
    pub(super) fn line(&mut self, args: std::fmt::Arguments<'_>) {
        line(&mut self.0, args);
    }

    pub(super) fn number(&mut self, id: &str, value: Real) {
        self.line(format_args!("{id} = {value:?}"));
    }

    pub(super) fn unless_zero(&mut self, id: &str, value: Real) {
        write_unless_zero(&mut self.0, id, value);
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
            self.line(format_args!("{} = {value}", key(name)));
        }
    }

    pub(super) fn table_unless_empty<T>(&mut self, at: &str, rows: &[T], row: impl Fn(&T) -> (&str, String)) {
        if !rows.is_empty() {
            self.table(at, rows, row);
        }
    }
}

fn write_body(out: &mut Toml, body: &BodyDef) {
    let (at, form) = (format!("body.{}", key(&body.name)), body.form.wired());
    if !form.is_written() {
        return out.line(format_args!("\n# left out: {at}, made in code"));
    }
    out.line(format_args!("\n[{at}]\ntype = \"{}\"", form.kind().id));
    form.write(out, &at);
}

fn write_contact(out: &mut Toml, contact: &ContactDef) {
    let (at, form) = (format!("contact.{}", key(&contact.name)), contact.form.laid());
    if !form.is_written() {
        return out.line(format_args!("\n# left out: {at}, made in code"));
    }
    let [a, b] = &contact.between;
    out.line(format_args!("\n[{at}]\ntype = \"{}\"", form.kind().id));
    out.line(format_args!("between = [{}, {}]", quoted(a), quoted(b)));
    form.write(out);
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
    line(out, format_args!("quantity = \"{}\"", tap.quantity.word()));
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
    line(out, format_args!("\n[midi]\nnotes = \"{}\"", midi.notes.word()));
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
