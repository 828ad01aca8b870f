// SPDX-License-Identifier: MIT OR Apache-2.0
//! The native side of the bit-identity test, raw little-endian numbers on standard output.
//!
//! `native maths`: for each function of `tocco::math` a line `NAME COUNT`, then its doubles.
//! `native keys SCENE`: what a keyboard's bytes mean, a line of JSON for each line `SECONDS BYTE BYTE ...` that comes in.
//! `native dam FRAMES`: doubles of a falling block of water after so many frames, and of its sounds.
//! `native SCENE RATE_HZ FRAMES`: interleaved `f32`; rate 0 is the scene's own.

use std::io::{BufRead, Write};
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
            let def = SceneDef::from_text(&std::fs::read_to_string(scene)?)?;
            let rate_hz: f64 = rate_hz.parse()?;
            let mut engine = Engine::new(Scene::build(&def, if rate_hz == 0.0 { def.rate_hz } else { rate_hz })?);
            let mut samples = vec![0.0f32; frames.parse::<usize>()? * engine.scene().channels()];
            engine.render(&[], &mut Queue::new(), &mut samples);
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
