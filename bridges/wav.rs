// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the examples of the bridges share: a sound as a file.

/// Writes one channel of 16 bits, its loudest sample just below full scale.
pub fn write(file: &str, rate_hz: u32, sound: &[f32]) -> std::io::Result<()> {
    let most = sound.iter().fold(1e-9f32, |most, x| most.max(x.abs()));
    let bytes: Vec<u8> = sound.iter().flat_map(|x| ((x / most * 0.9 * 32767.0) as i16).to_le_bytes()).collect();
    let mut wav = Vec::from(*b"RIFF");
    wav.extend((36 + bytes.len() as u32).to_le_bytes());
    wav.extend(*b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    wav.extend(rate_hz.to_le_bytes().into_iter().chain((2 * rate_hz).to_le_bytes()).chain([2, 0, 16, 0]));
    wav.extend(b"data".iter().copied().chain((bytes.len() as u32).to_le_bytes()).chain(bytes));
    std::fs::write(file, wav)?;
    println!("{file}: {:.1} s, loudest {most:.3}", sound.len() as f64 / f64::from(rate_hz));
    Ok(())
}
