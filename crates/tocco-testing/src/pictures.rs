// SPDX-License-Identifier: MIT OR Apache-2.0
//! Pictures of the documents, compared with what is drawn now.

use std::io::Cursor;
use std::path::Path;

/// Levels of 255 by which a channel of a pixel may differ: transforms and elementary functions of another machine differ in
/// their last bits, which is one level of a colour at most. Nothing that a reader could see passes.
const LEVELS: u8 = 2;

/// Width, height, and bytes of the pixels.
fn decoded(picture: &[u8]) -> Result<(u32, u32, Vec<u8>), png::DecodingError> {
    let mut reader = png::Decoder::new(Cursor::new(picture)).read_info()?;
    let mut pixels = vec![0; reader.output_buffer_size().unwrap_or_default()];
    let size = reader.next_frame(&mut pixels)?;
    pixels.truncate(size.buffer_size());
    Ok((size.width, size.height, pixels))
}

/// What is different, in words.
fn difference(drawn: &[u8], shipped: &[u8]) -> Option<String> {
    let read = |picture, whose| decoded(picture).map_err(|cause| format!("the {whose} picture: {cause}"));
    let ((width, height, ours), theirs) = match (read(drawn, "drawn"), read(shipped, "shipped")) {
        (Ok(ours), Ok(theirs)) => (ours, theirs),
        (Err(cause), _) | (_, Err(cause)) => return Some(cause),
    };
    if (width, height, ours.len()) != (theirs.0, theirs.1, theirs.2.len()) {
        return Some(format!("{width} x {height} pixels, and {} x {} are shipped", theirs.0, theirs.1));
    }
    let bytes = (ours.len() / (width * height) as usize).max(1);
    let apart = |(a, b): (&[u8], &[u8])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > LEVELS);
    let other: Vec<usize> = ours
        .chunks(bytes)
        .zip(theirs.2.chunks(bytes))
        .enumerate()
        .filter_map(|(pixel, pair)| apart(pair).then_some(pixel))
        .collect();
    let first = other.first()?;
    let (x, y) = (first % width as usize, first / width as usize);
    Some(format!("{} of {} pixels differ, the first at {x}, {y}", other.len(), width * height))
}

/// Stops the test unless the shipped file shows what is drawn now. `TOCCO_BLESS=1` ships what is drawn.
pub fn assert_shipped(drawn: &[u8], shipped: &Path) {
    if std::env::var_os("TOCCO_BLESS").is_some() {
        std::fs::write(shipped, drawn).unwrap_or_else(|cause| panic!("{}: {cause}", shipped.display()));
    }
    let there = std::fs::read(shipped).unwrap_or_else(|cause| panic!("{}: {cause}", shipped.display()));
    if let Some(words) = difference(drawn, &there) {
        panic!(
            "{} is not what is drawn now: {words}; TOCCO_BLESS=1 writes it anew, then look at it",
            shipped.display()
        );
    }
}

#[cfg(test)]
mod tests {
    use super::difference;

    fn picture(width: u32, height: u32, pixels: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.write_header().unwrap().write_image_data(pixels).unwrap();
        bytes
    }

    #[test]
    fn pictures_are_the_same_by_their_pixels_and_one_other_pixel_is_seen() {
        let grey = vec![128; 12];
        let mut other = grey.clone();
        other[7] = 140;
        assert_eq!(difference(&picture(2, 2, &grey), &picture(2, 2, &grey)), None);
        let words = difference(&picture(2, 2, &other), &picture(2, 2, &grey)).unwrap();
        assert_eq!(words, "1 of 4 pixels differ, the first at 0, 1");
        assert!(difference(&picture(4, 1, &grey), &picture(2, 2, &grey)).is_some());
        assert!(difference(b"no picture", &picture(2, 2, &grey)).is_some());
    }
}
