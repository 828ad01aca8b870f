// SPDX-License-Identifier: MIT OR Apache-2.0
//! From bytes to messages with their times, and back. Bundles are walked here, with a bound on their depth; the messages
//! in them are read by `rosc`, after a look at their types: an array inside arrays could exhaust its stack.

use crate::console;
use rosc::{OscMessage, OscPacket, OscType, decoder, encoder};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tocco::gesture::OscArg;

/// Bundles within bundles, at most.
pub const DEEPEST: usize = 8;
/// Messages of a packet, at most.
pub const MOST_MESSAGES: usize = 1024;
/// Bytes of an address or a name, at most; of any text.
pub const LONGEST: usize = 255;
const LONGEST_TEXT: usize = 1023;
/// Arguments of a message, at most.
const MOST_ARGUMENTS: usize = 64;
/// Seconds from 1900, where OSC counts from, to 1970.
const NTP_OFFSET_S: u64 = 2_208_988_800;
const HEAD: &[u8] = b"#bundle\0";

/// Arguments of a gesture as OSC carries them; `number` says how wide numbers are.
pub fn osc_args(args: Vec<OscArg>, number: impl Fn(f64) -> OscType) -> Vec<OscType> {
    let one = |arg| match arg {
        OscArg::Number(value) => number(value),
        OscArg::Text(text) => OscType::String(text),
    };
    args.into_iter().map(one).collect()
}

/// A message as it came; the time is that of the bundle around it, `None`: at once.
pub struct Leaf<'a> {
    /// When it takes effect.
    pub time: Option<SystemTime>,
    /// The bytes of the message.
    pub bytes: &'a [u8],
}

/// The messages of a packet, in order.
pub fn unpack(bytes: &[u8]) -> Result<Vec<Leaf<'_>>, String> {
    let mut leaves = Vec::new();
    walk(bytes, None, 0, &mut leaves)?;
    Ok(leaves)
}

fn walk<'a>(bytes: &'a [u8], time: Option<SystemTime>, depth: usize, leaves: &mut Vec<Leaf<'a>>) -> Result<(), String> {
    let Some(rest) = bytes.strip_prefix(HEAD) else {
        if leaves.len() == MOST_MESSAGES {
            return Err(format!("more than {MOST_MESSAGES} messages in one packet"));
        }
        leaves.push(Leaf { time, bytes });
        return Ok(());
    };
    if depth == DEEPEST {
        return Err(format!("bundles more than {DEEPEST} deep"));
    }
    let (tag, mut rest) = rest.split_first_chunk::<8>().ok_or("a bundle without time tag")?;
    // An inner bundle cannot be earlier than the one around it.
    let time = time_of(u64::from_be_bytes(*tag)).max(time);
    while !rest.is_empty() {
        let (size, after) = rest.split_first_chunk::<4>().ok_or("a bundle that is cut off")?;
        let size = u32::from_be_bytes(*size) as usize;
        if size == 0 || !size.is_multiple_of(4) || size > after.len() {
            return Err("a bundle that is cut off, or sizes that do not fit".into());
        }
        let (inner, after) = after.split_at(size);
        walk(inner, time, depth + 1, leaves)?;
        rest = after;
    }
    Ok(())
}

/// Reads a message.
pub fn message(bytes: &[u8]) -> Result<OscMessage, String> {
    if bytes.first() != Some(&b'/') {
        return Err("not OSC: neither an address that begins with '/' nor a bundle".into());
    }
    let zero = bytes.iter().position(|b| *b == 0).ok_or("an address without end")?;
    if zero > LONGEST {
        return Err(format!("an address longer than {LONGEST} bytes"));
    }
    // What is shown of an address is what it is: no escapes, line ends or marks that turn the writing round.
    if std::str::from_utf8(&bytes[..zero]).is_ok_and(|address| address.contains(console::is_hidden)) {
        return Err("an address with characters that cannot be seen".into());
    }
    let tags = bytes.get((zero / 4 + 1) * 4..).unwrap_or_default();
    if tags.first() != Some(&b',') {
        return Err("a message without types (',f' and the like)".into());
    }
    let count = tags.iter().position(|b| *b == 0).ok_or("types without end")?;
    if count > MOST_ARGUMENTS + 1 {
        return Err(format!("more than {MOST_ARGUMENTS} arguments"));
    }
    if tags[..count].contains(&b'[') {
        return Err("arrays are not taken here; send one value".into());
    }
    match decoder::decode_udp(bytes) {
        Ok(([], OscPacket::Message(message))) => {
            let long = |arg: &OscType| matches!(arg, OscType::String(text) if text.len() > LONGEST_TEXT);
            if message.args.iter().any(long) {
                return Err(format!("a text longer than {LONGEST_TEXT} bytes"));
            }
            Ok(message)
        }
        Ok(_) => Err("bytes after the last argument".into()),
        Err(_) => Err("arguments that do not fit their types".into()),
    }
}

/// The time of a tag; `None`: at once. Seconds are counted from 1900, and from 2036 on when the count has begun anew.
pub fn time_of(tag: u64) -> Option<SystemTime> {
    if tag == 1 {
        return None;
    }
    let (seconds, fraction) = (tag >> 32, tag & 0xffff_ffff);
    let seconds = if seconds < 1 << 31 { seconds + (1 << 32) } else { seconds };
    // Rounded; a second has room for the carry.
    let ns = (fraction * 1_000_000_000 + (1 << 31)) >> 32;
    let after_1900 = Duration::from_secs(seconds) + Duration::from_nanos(ns);
    (UNIX_EPOCH + after_1900).checked_sub(Duration::from_secs(NTP_OFFSET_S))
}

/// The tag of a time after 1970.
pub fn tag_of(time: SystemTime) -> u64 {
    let after = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = (after.as_secs() + NTP_OFFSET_S) & 0xffff_ffff;
    (seconds << 32) | ((u64::from(after.subsec_nanos()) << 32) / 1_000_000_000)
}

/// A message as bytes.
pub fn bytes_of(address: &str, args: Vec<OscType>) -> Vec<u8> {
    let packet = OscPacket::Message(OscMessage { addr: address.to_owned(), args });
    // Writing to memory cannot fail.
    encoder::encode(&packet).unwrap_or_default()
}

/// Messages in a bundle.
pub fn bundle(tag: u64, messages: &[Vec<u8>]) -> Vec<u8> {
    let mut out = HEAD.to_vec();
    out.extend(tag.to_be_bytes());
    for message in messages {
        out.extend((message.len() as u32).to_be_bytes());
        out.extend(message);
    }
    out
}

/// A number where one is meant.
pub fn number(arg: &OscType) -> Result<f64, String> {
    Ok(match arg {
        OscType::Float(x) => f64::from(*x),
        OscType::Double(x) => *x,
        OscType::Int(x) => f64::from(*x),
        OscType::Long(x) => *x as f64,
        OscType::Bool(x) => f64::from(u8::from(*x)),
        OscType::String(text) => return Err(format!("takes a number, not the text '{text}'")),
        _ => return Err("takes a number: f, d, i, h, T or F".into()),
    })
}

/// A number for programs that read 32 bits only; what is larger than any of these becomes the largest.
pub fn float(value: f64) -> OscType {
    OscType::Float(value.clamp(f64::from(f32::MIN), f64::from(f32::MAX)) as f32)
}

/// A text.
pub fn text(text: impl Into<String>) -> OscType {
    OscType::String(text.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use rosc::{OscBundle, OscTime};

    #[test]
    fn a_time_survives_the_way_to_a_tag_and_back_to_the_nanosecond_and_past_2036() {
        for seconds in [0, 1, 1_700_000_000, 2_085_978_495, 2_085_978_496, 3_000_000_000] {
            for ns in [0, 1, 20_833, 499_999_999, 999_999_999] {
                let time = UNIX_EPOCH + Duration::new(seconds, ns);
                assert_eq!(time_of(tag_of(time)), Some(time));
            }
        }
        assert_eq!(time_of(1), None);
        // rosc reads the same time, to its rounding.
        let tag = tag_of(UNIX_EPOCH + Duration::new(1_700_000_000, 123_456_789));
        assert_eq!((tag >> 32, (tag & 0xffff_ffff) / 43), (1_700_000_000 + NTP_OFFSET_S, 530_242_871 / 43));
    }

    #[test]
    fn bundles_that_another_encoder_wrote_are_walked_in_order_and_never_earlier_than_what_is_around() {
        let inner = |name: &str| OscPacket::Message(OscMessage { addr: name.into(), args: vec![OscType::Float(1.0)] });
        let at = |tag: u64| OscTime { seconds: (tag >> 32) as u32, fractional: tag as u32 };
        let (early, late) = (3_900_000_000 << 32, 3_900_000_001 << 32);
        let nested = OscPacket::Bundle(OscBundle { timetag: at(early), content: vec![inner("/b")] });
        let outer = OscBundle { timetag: at(late), content: vec![inner("/a"), nested, inner("/c")] };
        let bytes = encoder::encode(&OscPacket::Bundle(outer)).unwrap();
        let leaves = unpack(&bytes).unwrap();
        let names: Vec<String> = leaves.iter().map(|leaf| message(leaf.bytes).unwrap().addr).collect();
        assert_eq!(names, ["/a", "/b", "/c"]);
        assert!(leaves.iter().all(|leaf| leaf.time == time_of(late)));
        for cut in 1..bytes.len() {
            assert!(
                unpack(&bytes[..cut]).is_ok_and(|l| l.len() < 3 || l.iter().any(|l| message(l.bytes).is_err()))
                    || unpack(&bytes[..cut]).is_err()
            );
        }
    }

    #[test]
    fn depth_arrays_lengths_and_missing_types_are_refused_before_they_are_read() {
        let mut deep = bytes_of("/a", vec![]);
        for _ in 0..3_000 {
            deep = bundle(1, &[deep]);
        }
        assert!(unpack(&deep).is_err_and(|e| e.contains("deep")));
        let arrays = format!("/a\0\0,{}{}\0", "[".repeat(9), "]".repeat(9));
        assert!(message(arrays.as_bytes()).is_err_and(|e| e.contains("arrays")));
        assert!(message(b"/a\0\0").is_err_and(|e| e.contains("types")));
        assert!(message(format!("/{}\0\0\0,\0\0\0", "a".repeat(400)).as_bytes()).is_err_and(|e| e.contains("255")));
        assert!(message(&bytes_of("/a", vec![text("x".repeat(1030))])).is_err_and(|e| e.contains("1023")));
    }
}
