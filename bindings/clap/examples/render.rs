// SPDX-License-Identifier: MIT OR Apache-2.0
//! render FILE SCENE SECONDS [NOTES] writes what the plug-in in FILE plays at 48 kHz in blocks of 512 to standard output, 32-bit floats,
//! left and right. NOTES is a file of lines: a sample and the three bytes of a MIDI message; notes are sent as CLAP notes.

#[path = "../hosting.rs"]
mod hosting;

use clack_host::prelude::*;
use hosting::{Doing, blockwise, plugin_of, preset};
use std::error::Error;
use std::io::Write;
use std::path::Path;

const BLOCK: usize = 512;
const RATE: f64 = 48_000.0;

fn doing(line: &str) -> Result<(usize, Doing), Box<dyn Error>> {
    let numbers = line.split_whitespace().map(str::parse).collect::<Result<Vec<usize>, _>>()?;
    let [at, status, key, value] = numbers[..] else { return Err(format!("{line}: not four numbers").into()) };
    let doing = match status >> 4 {
        9 => Doing::On(key as u16, value as f64 / 127.0),
        8 => Doing::Off(key as u16),
        _ => Doing::Midi([status as u8, key as u8, value as u8]),
    };
    Ok((at, doing))
}

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().collect();
    let [_, file, scene, seconds, notes @ ..] = &args[..] else {
        return Err("usage: render FILE SCENE SECONDS [NOTES]".into());
    };
    let mut events = Vec::new();
    for file in notes {
        events.extend(std::fs::read_to_string(file)?.lines().map(doing).collect::<Result<Vec<_>, _>>()?);
    }
    let mut plugin = plugin_of(Path::new(file))?;
    if !preset(&mut plugin, scene) {
        return Err(format!("no preset {scene}").into());
    }
    let config = PluginAudioConfiguration { sample_rate: RATE, min_frames_count: 1, max_frames_count: BLOCK as u32 };
    let mut processor = plugin.activate(|_, _| (), config)?.start_processing()?;
    let (mut out, mut bytes) = (std::io::stdout().lock(), Vec::with_capacity(8 * BLOCK));
    let frames = (seconds.parse::<f64>()? * RATE).round() as usize;
    for from in (0..frames).step_by(BLOCK) {
        let now = events.iter().filter(|(at, _)| (from..from + BLOCK).contains(at));
        let now: Vec<(usize, Doing)> = now.map(|(at, doing)| (at - from, doing.clone())).collect();
        let [one, two] = blockwise(&mut processor, BLOCK.min(frames - from), &[BLOCK], &now)?;
        bytes.clear();
        for (left, right) in one.iter().zip(&two) {
            bytes.extend_from_slice(&left.to_le_bytes());
            bytes.extend_from_slice(&right.to_le_bytes());
        }
        out.write_all(&bytes)?;
    }
    plugin.deactivate(processor.stop_processing());
    Ok(())
}
