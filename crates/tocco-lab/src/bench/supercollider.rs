// SPDX-License-Identifier: MIT OR Apache-2.0
//! SuperCollider's `Klank` in scsynth's non-real-time mode (`f32`, blocks of 64).
//!
//! The synth definition and the score are written here in their binary forms ("Synth Definition File Format" version 2
//! and "Non-Realtime Synthesis" of the SuperCollider documentation), because sclang wants a display.

use super::bank::{Mode, RATE_HZ};
use super::peers::{Measure, child_cpu_s};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Length of a run, s, and modes at once: about a second of work. Several synths of the same bank share the run, so
/// that writing the output file, which the empty run does too, stays small beside them.
const SECONDS: u32 = 60;
const MODES_AT_ONCE: usize = 512;

/// Writes the scores; each measurement is a run with synths net of a run without.
pub fn prepare(modes: &[Mode], dir: &Path) -> Result<Measure, String> {
    let synths = MODES_AT_ONCE.div_ceil(modes.len());
    let full = write(modes, synths, &dir.join(format!("{}.osc", modes.len())))?;
    let empty = write(modes, 0, &dir.join("empty.osc"))?;
    let wav = dir.join("klank.wav");
    let perform = move |score: &Path| {
        let mut scsynth = Command::new("scsynth");
        scsynth.arg("-N").arg(score).arg("_").arg(&wav);
        scsynth.args([&RATE_HZ.to_string(), "WAV", "int16", "-o", "1", "-i", "0", "-z", "64"]);
        child_cpu_s(&mut scsynth)
    };
    let samples = f64::from(SECONDS) * RATE_HZ * synths as f64;
    Ok(Box::new(move || Ok((perform(&full)? - perform(&empty)?) * 1e9 / samples)))
}

fn write(modes: &[Mode], synths: usize, file: &Path) -> Result<PathBuf, String> {
    let mut start = vec![message("/d_recv", &[Osc::Blob(&definition(modes))])];
    for id in 0..synths {
        start.push(message("/s_new", &[Osc::Text("klank"), Osc::Int(1000 + id as i32), Osc::Int(0), Osc::Int(0)]));
    }
    let end = [message("/c_set", &[Osc::Int(0), Osc::Int(0)])];
    let score = [bundle(0, &start), bundle(SECONDS, &end)].concat();
    std::fs::write(file, score).map_err(|e| format!("{}: {e}", file.display()))?;
    Ok(file.to_path_buf())
}

/// `Out.ar(0, Klank.ar(..., Impulse.ar(0)))` as a definition file.
fn definition(modes: &[Mode]) -> Vec<u8> {
    let mut constants = vec![0.0, 1.0];
    let mut partials = Vec::new();
    for m in modes {
        for value in [m.freq_hz, m.gain, m.t60_s()] {
            partials.push((-1, constants.len() as i32));
            constants.push(value as f32);
        }
    }
    let (zero, one) = ((-1, 0), (-1, 1));
    let klank = [vec![(0, 0), one, zero, one], partials].concat();

    let mut def = b"SCgf".to_vec();
    def.extend(2i32.to_be_bytes());
    def.extend(1i16.to_be_bytes());
    def.extend(short_text("klank"));
    def.extend((constants.len() as i32).to_be_bytes());
    def.extend(constants.iter().flat_map(|c| c.to_be_bytes()));
    def.extend([0; 8]); // no parameters, no parameter names
    def.extend(3i32.to_be_bytes());
    def.extend(ugen("Impulse", &[zero, zero], 1));
    def.extend(ugen("Klank", &klank, 1));
    def.extend(ugen("Out", &[zero, (1, 0)], 0));
    def.extend(0i16.to_be_bytes()); // no variants
    def
}

/// A unit generator at audio rate; inputs are (unit, output), unit -1 for a constant.
fn ugen(name: &str, inputs: &[(i32, i32)], outputs: usize) -> Vec<u8> {
    const AUDIO: u8 = 2;
    let mut unit = short_text(name);
    unit.push(AUDIO);
    unit.extend((inputs.len() as i32).to_be_bytes());
    unit.extend((outputs as i32).to_be_bytes());
    unit.extend(0i16.to_be_bytes());
    unit.extend(inputs.iter().flat_map(|(unit, output)| [unit.to_be_bytes(), output.to_be_bytes()].concat()));
    unit.extend(vec![AUDIO; outputs]);
    unit
}

fn short_text(text: &str) -> Vec<u8> {
    [&[text.len() as u8], text.as_bytes()].concat()
}

enum Osc<'a> {
    Int(i32),
    Text(&'a str),
    Blob(&'a [u8]),
}

fn message(address: &str, arguments: &[Osc]) -> Vec<u8> {
    let (mut tags, mut body) = (String::from(","), Vec::new());
    for argument in arguments {
        match argument {
            Osc::Int(i) => {
                tags.push('i');
                body.extend(i.to_be_bytes());
            }
            Osc::Text(text) => {
                tags.push('s');
                body.extend(osc_text(text));
            }
            Osc::Blob(bytes) => {
                tags.push('b');
                body.extend((bytes.len() as i32).to_be_bytes());
                body.extend(*bytes);
                body.resize(body.len().next_multiple_of(4), 0);
            }
        }
    }
    [osc_text(address), osc_text(&tags), body].concat()
}

/// Ended by at least one zero and filled up to four bytes.
fn osc_text(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((bytes.len() + 1).next_multiple_of(4), 0);
    bytes
}

/// A bundle at a whole second, preceded by its length as a score wants it.
fn bundle(at_s: u32, messages: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = osc_text("#bundle");
    bytes.extend(at_s.to_be_bytes());
    bytes.extend([0; 4]);
    for message in messages {
        bytes.extend((message.len() as i32).to_be_bytes());
        bytes.extend(message);
    }
    [&(bytes.len() as i32).to_be_bytes(), bytes.as_slice()].concat()
}
