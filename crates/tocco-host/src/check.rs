// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco check`: reads and builds a scene, then says what will sound.

use crate::error::Result;
use crate::live::rehearse;
use crate::render::{AUTO_MOST_S, Plan};
use crate::wav::Encoding;
use serde_json::json;
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use tocco::Gesture;
use tocco::param::Word;
use tocco::scene::def::{Length, MidiDef, Notes, Source, TapTo};
pub use tocco::units::short;

/// Sound after the last that a scene does by itself in which something should be heard, s, and how long that is looked for.
const HEARD_WITHIN_S: f64 = 20.0;
const PATIENCE: Duration = Duration::from_secs(2);
/// Samples of the files that `tocco render` writes if nobody asks for others: what is too faint for them is silent.
const USUAL: Encoding = Encoding::Int24;

/// What is said of a scene, as lines for people or as JSON for programs.
pub struct Report {
    name: String,
    title: String,
    render: serde_json::Value,
    /// What it is about, its name, and words.
    lines: Vec<(&'static str, String, String)>,
}

impl Report {
    fn line(&mut self, what: &'static str, name: impl Into<String>, words: impl Into<String>) {
        self.lines.push((what, name.into(), words.into()));
    }

    /// For people.
    pub fn text(&self) -> String {
        let shown = crate::console::one_line;
        let mut text = format!("{}: {}\n", shown(&self.name), shown(&self.title));
        for (what, name, words) in &self.lines {
            let head = if name.is_empty() { (*what).to_owned() } else { format!("{what} {name}") };
            // Writing to a String cannot fail.
            let _ = writeln!(text, "  {head:<18} {words}");
        }
        text.push_str("The scene is sound.\n");
        text
    }

    /// For programs.
    pub fn json(&self) -> String {
        let row = |(what, name, words): &(&str, String, String)| json!({ "what": what, "name": name, "words": words });
        let rows: Vec<_> = self.lines.iter().map(row).collect();
        let all = json!({ "ok": true, "scene": self.name, "title": self.title, "render": self.render, "lines": rows });
        format!("{all:#}\n")
    }
}

/// The loudest sample of a scene by itself if that leaves nothing in a file as `tocco render` writes it, as far as can be told in a moment;
/// `None` where something is heard.
fn silence(plan: &Plan) -> Result<Option<f64>> {
    let mut engine = tocco::Engine::new(plan.build()?);
    let (channels, inputs) = (engine.scene().channels(), engine.scene().directory().inputs());
    // What the scene does late is looked for, too.
    let heard_within = HEARD_WITHIN_S + engine.scene().last_cue() as f64 / plan.rate_hz;
    let seconds = match plan.length {
        Length::Auto => heard_within.min(AUTO_MOST_S),
        Length::Seconds(s) => s.min(heard_within),
    };
    let (quiet, began, mut peak) = ([0.0_f32; 256], Instant::now(), 0.0_f64);
    let mut out = vec![0.0; 256 * channels];
    for _ in 0..(seconds * plan.rate_hz / 256.0).ceil() as usize {
        engine.render(&vec![&quiet[..]; inputs], &mut tocco::Queue::new(), &mut out);
        peak = out.iter().fold(peak, |most, x| most.max(f64::from(x.abs())));
        if peak >= USUAL.faintest() || began.elapsed() > PATIENCE {
            return Ok(None);
        }
    }
    Ok(Some(peak))
}

/// Lists bodies, contacts, walks, gestures, taps and controls, and what is odd about them. Errors are the scene's.
pub fn report(plan: &Plan) -> Result<Report> {
    let scene = plan.build()?;
    plan.hears()?;
    let whole = plan.scene.def.whole().map_err(|error| crate::library::wrong(&plan.scene, &error))?;
    let def = &*whole;
    let seconds = match plan.length {
        Length::Auto => serde_json::Value::Null,
        Length::Seconds(s) => s.into(),
    };
    let mut text = Report {
        name: plan.scene.name.clone(),
        title: plan.scene.title().to_owned(),
        render: json!({ "seconds": seconds, "channels": scene.channels(), "rate_hz": plan.rate_hz, "seed": def.seed }),
        lines: Vec::new(),
    };
    let length = match plan.length {
        Length::Auto => format!("until it has decayed by 90 dB, at most {AUTO_MOST_S} s"),
        Length::Seconds(s) => format!("{} s", short(s)),
    };
    text.line(
        "render",
        "",
        format!("{length}, {} channel(s), {} Hz, seed {}", scene.channels(), plan.rate_hz, def.seed),
    );
    for body in &def.bodies {
        text.line("body", &body.name, body.form.words(plan.rate_hz));
    }
    for contact in &def.contacts {
        text.line(
            "contact",
            &contact.name,
            format!("{} on {}: {}", contact.between[0], contact.between[1], contact.form.words(def, contact)),
        );
    }
    for walk in &def.walks {
        text.line("walk", &walk.name, walk.words());
    }
    for signal in &def.signals {
        text.line("signal", &signal.name, signal.form.words());
    }
    for process in &def.processes {
        let on = if process.on.is_empty() { String::new() } else { format!(" on {}", process.on.join(", ")) };
        let words = format!("{}{on}, driven by {}", process.form.words(), process.driven_by);
        text.line("process", &process.name, words);
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
        text.line("drive", &drive.path, format!("{words}{times}"));
    }
    let most_events = 12;
    for event in def.events.iter().take(most_events) {
        let words = match &event.gesture {
            Gesture::Strike { body, velocity_m_s } => format!("strike {body} at {} m/s", short(*velocity_m_s)),
            Gesture::Hit { site, impulse_n_s } => format!("hit {site} with {} N s", short(*impulse_n_s)),
            Gesture::Set { path, value } => format!("set {path} to {}", short(*value)),
            _ => continue, // no event holds another
        };
        text.line("at", format!("{} s", short(event.at_s)), words);
    }
    if def.events.len() > most_events {
        text.line("", "", format!("and {} more events", def.events.len() - most_events));
    }
    for tap in &def.taps {
        let quantity = tap.quantity.word();
        let to = match tap.to {
            TapTo::Channel(channel) => format!("channel {channel}"),
            TapTo::Pan(pan) => format!("pan {}", short(pan)),
            TapTo::From(azimuth) => format!("from {} degrees", short(azimuth)),
        };
        let at = if tap.outputs.is_empty() { String::new() } else { format!(" of {}", tap.outputs.join(" and ")) };
        text.line("tap", &tap.of, format!("{quantity} times {} to {to}{at}", short(tap.gain)));
    }
    for output in &def.outputs {
        let channels: Vec<String> = output.channels.iter().map(usize::to_string).collect();
        let limiter = if output.limiter { "" } else { ", not limited" };
        let words = format!("channels {} of the device, times {}{limiter}", channels.join(", "), short(output.gain));
        text.line("output", &output.name, words);
    }
    for control in &def.controls {
        let [low, high] = control.range;
        let paths: Vec<&str> = control.paths().collect();
        text.line(
            "control",
            &control.name,
            format!("{} from {} to {}, {:?}", paths.join(" and "), short(low), short(high), control.scale)
                .to_lowercase(),
        );
    }
    if let Some(midi) = &def.midi {
        text.line("midi", "", midi_words(midi));
    }
    for omitted in scene.omitted() {
        text.line("left out", "", format!("{omitted}: too high for {} Hz", plan.rate_hz));
    }
    for remark in def.remarks() {
        text.line("remark", "", remark);
    }
    if let Some(peak) = silence(plan)? {
        let last_s = scene.last_cue() as f64 / plan.rate_hz;
        let why = match (scene.directory().inputs(), &def.midi) {
            (0, None) if matches!(plan.length, Length::Seconds(s) if s < last_s) => {
                "nothing will sound: it ends before anything happens; give it a longer duration_s"
            }
            (0, None) if peak > 0.0 => {
                "nothing will sound: all of it is less than half a step of a file of 24 bits; raise the taps' gain"
            }
            (0, None) => {
                "nothing will sound: nothing strikes, drives or falls, or no tap hears it; add an [[event]] or a [[drive]]"
            }
            (0, Some(_)) => "nothing will sound by itself: it waits for notes",
            _ => "nothing will sound by itself: it waits for what comes in",
        };
        text.line("remark", "", why);
    }
    let cost = rehearse::cost(&plan.scene, plan.rate_hz)?;
    if cost.shed > rehearse::TOO_MUCH {
        let words =
            format!("{:.0} times the time there is at its beginning: it can be rendered, not played live", cost.full);
        text.line("cost", "", words);
    } else if cost.full > 0.7 {
        let words = format!(
            "{:.0} % of the time there is at its beginning: load will be shed when it is played",
            100.0 * cost.full
        );
        text.line("cost", "", words);
    }
    Ok(text)
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
