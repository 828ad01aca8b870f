// SPDX-License-Identifier: MIT OR Apache-2.0
//! Meshes from files: OBJ, STL (text and binary), PLY (text and binary of both orders of bytes).
//!
//! Nothing that a file claims is believed before there are bytes for it, and every mistake is one line that says where.

use super::surface::Surface;
use crate::error::{Error, Result, bad};
use std::io::Read;
use std::path::Path;

/// Longest file that is read, bytes.
const MOST_BYTES: u64 = 1 << 30;
/// Most triangles.
pub const MOST_TRIANGLES: usize = 8_000_000;
/// Most corners of one face.
const MOST_CORNERS: usize = 100_000;

/// The triangles of a file, in its own unit.
pub fn read(path: &Path) -> Result<Surface> {
    let file = std::fs::File::open(path).map_err(|e| Error::reading(path, &e))?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|e| Error::reading(path, &e))?;
    if bytes.len() as u64 > MOST_BYTES {
        return bad(format!("cannot read {}: longer than any mesh ({} MiB)", path.display(), MOST_BYTES >> 20));
    }
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase()).unwrap_or_default();
    from_bytes(&bytes, &ending).or_else(|what| bad(format!("{}: {what}", path.display())))
}

/// The triangles of a file's bytes; `ending` is that of its name.
pub fn from_bytes(bytes: &[u8], ending: &str) -> std::result::Result<Surface, String> {
    let surface = match ending {
        "stl" => stl(bytes)?,
        "ply" => ply(bytes)?,
        "obj" => obj(bytes)?,
        _ => return Err("no mesh that is known here; wants a file that ends in .obj, .stl or .ply".into()),
    };
    if surface.triangles.is_empty() {
        return Err("holds no triangle".into());
    }
    Ok(surface)
}

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

fn clip(word: &str) -> String {
    word.chars().take(24).collect()
}

fn number(word: Option<&str>, line: usize) -> std::result::Result<f64, String> {
    let word = word.ok_or_else(|| format!("line {line}: a coordinate is missing"))?;
    match word.parse::<f64>() {
        Ok(x) if x.is_finite() && x.abs() < 1e12 => Ok(x),
        _ => Err(format!("line {line}: '{}' is no coordinate", clip(word))),
    }
}

fn point<'t>(mut words: impl Iterator<Item = &'t str>, line: usize) -> std::result::Result<[f64; 3], String> {
    Ok([number(words.next(), line)?, number(words.next(), line)?, number(words.next(), line)?])
}

/// Adds a face of three corners or more as triangles around its first.
fn face(surface: &mut Surface, corners: &[u32], place: &dyn Fn() -> String) -> std::result::Result<(), String> {
    if let Some(wild) = corners.iter().find(|&&corner| corner as usize >= surface.vertices.len()) {
        let count = surface.vertices.len();
        return Err(format!("{}: a face names corner {wild}, counted from 0, and there are {count}", place()));
    }
    if surface.triangles.len() + corners.len() > MOST_TRIANGLES {
        return Err(format!("more than {MOST_TRIANGLES} triangles; reduce it first"));
    }
    for pair in corners.get(1..).unwrap_or_default().windows(2) {
        surface.triangles.push([corners[0], pair[0], pair[1]]);
    }
    Ok(())
}

fn obj(bytes: &[u8]) -> std::result::Result<Surface, String> {
    let mut surface = Surface::default();
    let mut faces: Vec<(usize, Vec<u32>)> = Vec::new();
    for (index, line) in text(bytes).lines().enumerate() {
        let line_number = index + 1;
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                surface.vertices.push(point(words, line_number)?);
                if surface.vertices.len() > 3 * MOST_TRIANGLES {
                    return Err(format!("more than {} corners; reduce it first", 3 * MOST_TRIANGLES));
                }
            }
            Some("f") => {
                let mut corners = Vec::new();
                for word in words.take_while(|word| !word.starts_with('#')) {
                    let first = word.split('/').next().unwrap_or_default();
                    let wrong = || format!("line {line_number}: '{}' names no corner", clip(word));
                    let at: i64 = first.parse().map_err(|_| wrong())?;
                    // Counted from 1, or back from the last.
                    let at = if at < 0 { surface.vertices.len() as i64 + at } else { at - 1 };
                    corners.push(u32::try_from(at).map_err(|_| wrong())?);
                    if corners.len() > MOST_CORNERS {
                        return Err(format!("line {line_number}: a face of more than {MOST_CORNERS} corners"));
                    }
                }
                if corners.len() < 3 {
                    return Err(format!("line {line_number}: a face needs three corners"));
                }
                faces.push((line_number, corners));
            }
            _ => {}
        }
    }
    for (line, corners) in faces {
        face(&mut surface, &corners, &|| format!("line {line}"))?;
    }
    Ok(surface)
}

fn stl(bytes: &[u8]) -> std::result::Result<Surface, String> {
    let count = bytes.get(80..84).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    // A binary file is as long as it says; many begin with the word of the text form all the same.
    if let Some(count) = count.filter(|&count| bytes.len() as u64 == 84 + 50 * count as u64) {
        if count > MOST_TRIANGLES {
            return Err(format!("{count} triangles; at most {MOST_TRIANGLES} are read, reduce it first"));
        }
        let mut surface = Surface::default();
        for (index, facet) in bytes[84..].chunks_exact(50).enumerate() {
            let first = surface.vertices.len() as u32;
            for corner in facet[12..48].chunks_exact(12) {
                let v: [f64; 3] = std::array::from_fn(|axis| f64::from(f32_at(corner, 4 * axis, false)));
                if v.iter().any(|x| !(x.is_finite() && x.abs() < 1e12)) {
                    return Err(format!("triangle {index}: a coordinate is no number"));
                }
                surface.vertices.push(v);
            }
            surface.triangles.push([first, first + 1, first + 2]);
        }
        return Ok(surface);
    }
    if !text(&bytes[..bytes.len().min(512)]).trim_start().to_lowercase().starts_with("solid") {
        let what = match count {
            Some(count) => format!("it says {count} triangles and has {} bytes, not {}", bytes.len(), 84 + 50 * count),
            None => "it is too short".into(),
        };
        return Err(format!("not an STL file: {what}"));
    }
    let (mut surface, mut corners) = (Surface::default(), 0);
    for (index, line) in text(bytes).lines().enumerate() {
        let mut words = line.split_whitespace();
        match words.next().map(str::to_lowercase).as_deref() {
            Some("vertex") => {
                surface.vertices.push(point(words, index + 1)?);
                corners += 1;
            }
            Some("endfacet" | "endloop") if corners > 0 => {
                let last = surface.vertices.len() as u32;
                let ring: Vec<u32> = (last - corners..last).collect();
                if corners < 3 {
                    return Err(format!("line {}: a facet needs three corners", index + 1));
                }
                face(&mut surface, &ring, &|| format!("line {}", index + 1))?;
                corners = 0;
            }
            _ => {}
        }
        if corners as usize > MOST_CORNERS || surface.vertices.len() > 3 * MOST_TRIANGLES {
            return Err(format!("line {}: too many corners; reduce it first", index + 1));
        }
    }
    if corners > 0 {
        return Err("it ends within a facet".into());
    }
    Ok(surface)
}

fn bytes_at<const N: usize>(bytes: &[u8], at: usize, big: bool) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(&bytes[at..at + N]);
    if big {
        out.reverse();
    }
    out
}

fn f32_at(bytes: &[u8], at: usize, big: bool) -> f32 {
    f32::from_le_bytes(bytes_at(bytes, at, big))
}

/// A number of a PLY file.
#[derive(Clone, Copy, PartialEq)]
enum Type {
    Int(usize, bool),
    Float,
    Double,
}

impl Type {
    fn named(word: &str) -> Option<Self> {
        Some(match word {
            "char" | "int8" => Self::Int(1, true),
            "uchar" | "uint8" => Self::Int(1, false),
            "short" | "int16" => Self::Int(2, true),
            "ushort" | "uint16" => Self::Int(2, false),
            "int" | "int32" => Self::Int(4, true),
            "uint" | "uint32" => Self::Int(4, false),
            "float" | "float32" => Self::Float,
            "double" | "float64" => Self::Double,
            _ => return None,
        })
    }

    fn size(self) -> usize {
        match self {
            Self::Int(size, _) => size,
            Self::Float => 4,
            Self::Double => 8,
        }
    }
}

/// A property: its name, its type, and of a list the type of its length.
struct Property {
    name: String,
    of: Type,
    list: Option<Type>,
}

struct Element {
    name: String,
    count: usize,
    properties: Vec<Property>,
}

/// The numbers of a PLY file, one after the other.
enum Numbers<'b> {
    Words(std::str::SplitAsciiWhitespace<'b>),
    Bytes { bytes: &'b [u8], at: usize, big: bool },
}

impl Numbers<'_> {
    fn next(&mut self, of: Type) -> Option<f64> {
        match self {
            Self::Words(words) => words.next()?.parse().ok(),
            Self::Bytes { bytes, at, big } => {
                let (from, big) = (*at, *big);
                *at = from.checked_add(of.size()).filter(|end| *end <= bytes.len())?;
                Some(match of {
                    Type::Int(1, true) => f64::from(bytes[from] as i8),
                    Type::Int(1, false) => f64::from(bytes[from]),
                    Type::Int(2, true) => f64::from(i16::from_le_bytes(bytes_at(bytes, from, big))),
                    Type::Int(2, false) => f64::from(u16::from_le_bytes(bytes_at(bytes, from, big))),
                    Type::Int(_, true) => f64::from(i32::from_le_bytes(bytes_at(bytes, from, big))),
                    Type::Int(_, false) => f64::from(u32::from_le_bytes(bytes_at(bytes, from, big))),
                    Type::Float => f64::from(f32_at(bytes, from, big)),
                    Type::Double => f64::from_le_bytes(bytes_at(bytes, from, big)),
                })
            }
        }
    }

    fn whole(&mut self, of: Type) -> Option<u32> {
        self.next(of).filter(|x| x.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(x)).map(|x| x as u32)
    }
}

fn ply(bytes: &[u8]) -> std::result::Result<Surface, String> {
    let (form, elements, body) = ply_header(bytes)?;
    let mut numbers = match form.as_str() {
        "ascii" => Numbers::Words(
            std::str::from_utf8(&bytes[body..]).map_err(|_| "not text after its header")?.split_ascii_whitespace(),
        ),
        "binary_little_endian" => Numbers::Bytes { bytes, at: body, big: false },
        "binary_big_endian" => Numbers::Bytes { bytes, at: body, big: true },
        other => return Err(format!("of the unknown format '{}'", clip(other))),
    };
    let mut surface = Surface::default();
    for element in &elements {
        let axis = |property: &Property| ["x", "y", "z"].iter().position(|name| property.name == *name);
        if element.name == "vertex" && element.properties.iter().filter_map(axis).count() < 3 {
            return Err("its vertices lack x, y or z".into());
        }
        // A row takes a byte at least: no count is believed beyond what is there.
        if element.count > bytes.len() && !element.properties.is_empty() {
            return Err(format!(
                "it says {} of '{}' and is {} bytes long",
                element.count,
                clip(&element.name),
                bytes.len()
            ));
        }
        if element.properties.is_empty() {
            continue;
        }
        for row in 0..element.count {
            let place = || format!("{} {row}", clip(&element.name));
            let ends = || format!("{}: the file ends, or holds what is no number", place());
            let mut at = [0.0; 3];
            for property in &element.properties {
                let Some(length) = property.list else {
                    let value = numbers.next(property.of).ok_or_else(ends)?;
                    if let Some(axis) = axis(property) {
                        at[axis] = value;
                    }
                    continue;
                };
                let length = numbers.whole(length).ok_or_else(ends)? as usize;
                let is_face = element.name == "face" && matches!(&*property.name, "vertex_indices" | "vertex_index");
                if !is_face {
                    (0..length).try_for_each(|_| numbers.next(property.of).map(drop)).ok_or_else(ends)?;
                    continue;
                }
                if !(3..=MOST_CORNERS).contains(&length) {
                    return Err(format!("{}: a face of {length} corners", place()));
                }
                let corners: Option<Vec<u32>> = (0..length).map(|_| numbers.whole(property.of)).collect();
                face(&mut surface, &corners.ok_or_else(ends)?, &place)?;
            }
            if element.name == "vertex" {
                if at.iter().any(|x| !(x.is_finite() && x.abs() < 1e12)) {
                    return Err(format!("{}: a coordinate is no number", place()));
                }
                surface.vertices.push(at);
            }
        }
    }
    Ok(surface)
}

/// Format, elements and where the numbers begin.
fn ply_header(bytes: &[u8]) -> std::result::Result<(String, Vec<Element>, usize), String> {
    let (mut form, mut elements, mut at) = (None, Vec::<Element>::new(), 0);
    for index in 0..10_000 {
        let rest = &bytes[at..];
        let end = rest.iter().position(|b| *b == b'\n').ok_or("its header does not end")?;
        let line = text(&rest[..end]).trim_end().to_owned();
        at += end + 1;
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        let wrong = || format!("line {}: '{}' is not understood", index + 1, clip(&line));
        match words[..] {
            _ if index == 0 => {
                if line != "ply" {
                    return Err("not a PLY file: it does not begin with 'ply'".into());
                }
            }
            ["end_header"] => return Ok((form.ok_or("its header names no format")?, elements, at)),
            ["format", word, _] => form = Some(word.to_owned()),
            ["element", name, count] => {
                let count = count.parse().map_err(|_| wrong())?;
                elements.push(Element { name: name.to_owned(), count, properties: Vec::new() });
            }
            ["property", "list", length, of, name] => {
                let list = Type::named(length).filter(|t| matches!(t, Type::Int(..)));
                let (Some(list), Some(of), Some(element)) = (list, Type::named(of), elements.last_mut()) else {
                    return Err(wrong());
                };
                element.properties.push(Property { name: name.to_owned(), of, list: Some(list) });
            }
            ["property", of, name] => {
                let (Some(of), Some(element)) = (Type::named(of), elements.last_mut()) else { return Err(wrong()) };
                element.properties.push(Property { name: name.to_owned(), of, list: None });
            }
            ["comment" | "obj_info", ..] | [] => {}
            _ => return Err(wrong()),
        }
    }
    Err("its header does not end".into())
}
