// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco check`: reads and builds a scene, then says what will sound.

use crate::error::Result;
use crate::live::rehearse;
use crate::render::{AUTO_MOST_S, Plan};
use std::fmt::Write as _;
use tocco::Gesture;
use tocco::param::Word;
use tocco::scene::def::{Length, MidiDef, Notes, Source, TapTo};
pub use tocco::units::short;

/// A text that lists bodies, contacts, walks, gestures, taps and controls. Errors are the scene's.
pub fn report(plan: &Plan) -> Result<String> {
    let scene = plan.build()?;
    plan.hears()?;
    let whole = plan.scene.def.whole().map_err(|error| crate::library::wrong(&plan.scene, &error))?;
    let def = &*whole;
    let shown = crate::console::one_line;
    let mut text = format!("{}: {}\n", shown(&plan.scene.name), shown(plan.scene.title()));
    let length = match plan.length {
        Length::Auto => format!("until it has decayed by 90 dB, at most {AUTO_MOST_S} s"),
        Length::Seconds(s) => format!("{} s", short(s)),
    };
    line(
        &mut text,
        "render",
        &format!("{length}, {} channel(s), {} Hz, seed {}", scene.channels(), plan.rate_hz, def.seed),
    );
    for body in &def.bodies {
        line(&mut text, &format!("body {}", body.name), &body.form.words(plan.rate_hz));
    }
    for contact in &def.contacts {
        line(
            &mut text,
            &format!("contact {}", contact.name),
            &format!("{} on {}: {}", contact.between[0], contact.between[1], contact.form.words(def, contact)),
        );
    }
    for walk in &def.walks {
        line(&mut text, &format!("walk {}", walk.name), &walk.words());
    }
    for signal in &def.signals {
        line(&mut text, &format!("signal {}", signal.name), &signal.form.words());
    }
    for process in &def.processes {
        let on = if process.on.is_empty() { String::new() } else { format!(" on {}", process.on.join(", ")) };
        let words = format!("{}{on}, driven by {}", process.form.words(), process.driven_by);
        line(&mut text, &format!("process {}", process.name), &words);
    }
    for drive in &def.drives {
        let words = match &drive.source {
            Source::Points(points) => {
                format!("{} points until {} s", points.len(), short(points.last().map_or(0.0, |p| p[0])))
            }
            Source::Noise { rms, beta, .. } if *beta != 0.0 => {
                format!("noise 1/f^{}, rms {}", short(*beta), short(*rms))
            }
            Source::Noise { rms, .. } => format!("noise, rms {}", short(*rms)),
            Source::Wav { file, .. } => file.clone(),
            Source::Input { channel, .. } => format!("sound from input {channel}"),
            Source::Signal(name) => format!("signal {name}"),
            Source::Samples { rate_hz, data, .. } => format!("recording of {} s", short(data.len() as f64 / rate_hz)),
        };
        let times = drive.times.map_or(String::new(), |times| format!(", times noise of {}", short(times.sigma)));
        line(&mut text, &format!("drive {}", drive.path), &format!("{words}{times}"));
    }
    let most_events = 12;
    for event in def.events.iter().take(most_events) {
        let words = match &event.gesture {
            Gesture::Strike { body, velocity_m_s } => format!("strike {body} at {} m/s", short(*velocity_m_s)),
            Gesture::Hit { site, impulse_n_s } => format!("hit {site} with {} N s", short(*impulse_n_s)),
            Gesture::Set { path, value } => format!("set {path} to {}", short(*value)),
            _ => continue, // no event holds another
        };
        line(&mut text, &format!("at {} s", short(event.at_s)), &words);
    }
    if def.events.len() > most_events {
        line(&mut text, "", &format!("and {} more events", def.events.len() - most_events));
    }
    for tap in &def.taps {
        let quantity = tap.quantity.word();
        let to = match tap.to {
            TapTo::Channel(channel) => format!("channel {channel}"),
            TapTo::Pan(pan) => format!("pan {}", short(pan)),
        };
        let at = if tap.outputs.is_empty() { String::new() } else { format!(" of {}", tap.outputs.join(" and ")) };
        line(&mut text, &format!("tap {}", tap.of), &format!("{quantity} times {} to {to}{at}", short(tap.gain)));
    }
    for output in &def.outputs {
        let channels: Vec<String> = output.channels.iter().map(usize::to_string).collect();
        let limiter = if output.limiter { "" } else { ", not limited" };
        let words = format!("channels {} of the device, times {}{limiter}", channels.join(", "), short(output.gain));
        line(&mut text, &format!("output {}", output.name), &words);
    }
    for control in &def.controls {
        let [low, high] = control.range;
        let paths: Vec<&str> = control.paths().collect();
        line(
            &mut text,
            &format!("control {}", control.name),
            &format!("{} from {} to {}, {:?}", paths.join(" and "), short(low), short(high), control.scale)
                .to_lowercase(),
        );
    }
    if let Some(midi) = &def.midi {
        line(&mut text, "midi", &midi_words(midi));
    }
    for omitted in scene.omitted() {
        line(&mut text, "left out", &format!("{omitted}: too high for {} Hz", plan.rate_hz));
    }
    for remark in def.remarks() {
        line(&mut text, "remark", &remark);
    }
    let cost = rehearse::cost(&plan.scene, plan.rate_hz)?;
    if cost.shed > rehearse::TOO_MUCH {
        let words =
            format!("{:.0} times the time there is at its beginning: it can be rendered, not played live", cost.full);
        line(&mut text, "cost", &words);
    } else if cost.full > 0.7 {
        let words = format!(
            "{:.0} % of the time there is at its beginning: load will be shed when it is played",
            100.0 * cost.full
        );
        line(&mut text, "cost", &words);
    }
    text.push_str("The scene is sound.\n");
    Ok(text)
}

fn line(text: &mut String, head: &str, words: &str) {
    let _ = writeln!(text, "  {head:<18} {words}");
}

fn midi_words(midi: &MidiDef) -> String {
    if !midi.hold.is_empty() {
        return format!("notes from {} on move {} while they are held", midi.low, midi.hold.join(", "));
    }
    let (verb, names, unit) = match midi.strike.is_empty() {
        true => ("hit", &midi.hit, "N s"),
        false => ("strike", &midi.strike, "m/s"),
    };
    let [soft, hard] = midi.strength.map(short);
    let (low, high) = (midi.low, midi.high);
    let mut words = format!("notes {low} to {high} {verb} {} with {soft} to {hard} {unit}", names.join(", "));
    if midi.notes == Notes::Pitch {
        let _ = write!(words, "; they tune {}, voices: {}", midi.retune.join(", "), midi.voices);
    }
    words
}
