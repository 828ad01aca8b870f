// SPDX-License-Identifier: MIT OR Apache-2.0
//! The native side of the bit-identity test, raw little-endian numbers on standard output.
//!
//! `native maths`: for each function of `tocco::math` a line `NAME COUNT`, then its doubles.
//! `native keys SCENE`: what a keyboard's bytes mean, a line of JSON for each line `SECONDS BYTE BYTE ...` that comes in.
//! `native dam FRAMES`: doubles of a falling block of water after so many frames, and of its sounds.
//! `native SCENE RATE_HZ FRAMES`: interleaved `f32`; rate 0 is the scene's own. Sound for its inputs comes in as `f32`, channel after
//! channel; nothing is silence.

use std::io::{BufRead, Read, Write};
use tocco::Queue;
use tocco::engine::Engine;
use tocco::scene::{Scene, SceneDef};
use tocco_live::midi::{Map, Translator, voices};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut out = std::io::stdout().lock();
    match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["maths"] => {
            for (index, (name, _)) in tocco_web::maths::FUNCTIONS.iter().enumerate() {
                let values = tocco_web::maths::values(index);
                writeln!(out, "{name} {}", values.len())?;
                out.write_all(&values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())?;
            }
        }
        ["keys", scene] => {
            let def = SceneDef::from_text(&std::fs::read_to_string(scene)?)?;
            let mut translator = Translator::new(Map::of(&voices::copies(&def)?.unwrap_or(def)));
            for line in std::io::stdin().lock().lines() {
                let line = line?;
                let mut words = line.split(' ');
                let now_s: f64 = words.next().unwrap_or_default().parse()?;
                let bytes = words.map(str::parse).collect::<Result<Vec<u8>, _>>()?;
                let mut gestures = Vec::new();
                translator.feed(&bytes, now_s, &mut gestures);
                writeln!(out, "{}", tocco_web::keys::lines(&mut gestures))?;
            }
        }
        ["dam", frames] => {
            let values = tocco_web::tank::dam(frames.parse()?);
            out.write_all(&values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())?;
        }
        [scene, rate_hz, frames] => {
            let def = tocco_web::shipped::read(&std::fs::read_to_string(scene)?)?.def;
            let rate_hz: f64 = rate_hz.parse()?;
            let mut engine = Engine::new(Scene::build(&def, if rate_hz == 0.0 { def.rate_hz } else { rate_hz })?);
            let frames: usize = frames.parse()?;
            let mut samples = vec![0.0f32; frames * engine.scene().channels()];
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes)?;
            let heard: Vec<f32> = bytes.as_chunks().0.iter().map(|sample| f32::from_le_bytes(*sample)).collect();
            let inputs: Vec<&[f32]> = heard.chunks(frames.max(1)).collect();
            engine.render(&inputs, &mut Queue::new(), &mut samples);
            out.write_all(&samples.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>())?;
        }
        _ => {
            return Err(
                "usage: native maths | native keys SCENE | native dam FRAMES | native SCENE RATE_HZ FRAMES".into()
            );
        }
    }
    Ok(())
}
