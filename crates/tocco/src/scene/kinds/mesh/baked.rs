// SPDX-License-Identifier: MIT OR Apache-2.0
//! The file of a baked body: what `tocco mesh` has computed of a solid, as text.
//!
//! TOML (or JSON of the same form). `mesh = 1` is the version. Lists of numbers that are many are base64 of whole numbers, low byte
//! first: `vertices` of signed 16 bits (x, y, z of each vertex, from the centre, in units of `vertex_unit_m`), `normals` of signed 8
//! bits (outwards, 127 is 1), `triangles` of unsigned 16 bits (three vertices each, counter-clockwise from outside), and for each
//! mode `shape` of signed 16 bits (x, y, z of the motion of every vertex, in units of `shape_unit`; the mean square over the body
//! is 1, so the mass of every mode is that of the body).

use crate::math::Real;
#[cfg(feature = "text")]
use crate::scene::error::SceneError;
#[cfg(feature = "text")]
use crate::scene::tree::{Data, Entry, Value, clip, parse};

/// The version of the file.
pub const VERSION: i64 = 1;
/// Most vertices of a baked body.
pub const MOST_VERTICES: usize = 20_000;
/// Most modes of a baked body.
pub const MOST_MODES: usize = 2_000;

/// A body whose modes have been computed.
#[derive(Clone, Debug, PartialEq)]
pub struct BakedMesh {
    /// The file, as it was read; takes carry it.
    pub text: String,
    /// What it was made of, in words: the mesh's file.
    pub source: String,
    /// Its material, in words.
    pub material: String,
    /// kg
    pub mass_kg: Real,
    /// Centre of gravity, m.
    pub centre_m: [Real; 3],
    /// Axes of inertia, unit vectors.
    pub axes: [[Real; 3]; 3],
    /// Radius of gyration about each, m.
    pub gyration_m: [Real; 3],
    /// Places on its surface, m.
    pub vertices_m: Vec<[Real; 3]>,
    /// Unit vectors outwards there.
    pub normals: Vec<[Real; 3]>,
    /// Three vertices each, counter-clockwise from outside.
    pub triangles: Vec<[u16; 3]>,
    /// Modes that bend it, lowest first.
    pub modes: Vec<BakedMode>,
}

/// One mode of a baked body.
#[derive(Clone, Debug, PartialEq)]
pub struct BakedMode {
    /// Undamped frequency, Hz.
    pub freq_hz: Real,
    /// Time to 1/e of the amplitude, s.
    pub decay_s: Real,
    /// How it moves every vertex; the mean square over the body is 1.
    pub shape: Vec<[Real; 3]>,
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes as base64. `[control]`
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let word = part.iter().enumerate().fold(0u32, |word, (k, byte)| word | u32::from(*byte) << (16 - 8 * k));
        for k in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * k)) as usize & 63];
            text.push(if k <= part.len() { digit as char } else { '=' });
        }
    }
    text
}

/// Base64 as bytes; `None`: it is none. `[control]`
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=').as_bytes();
    if !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 {
        return None;
    }
    let value = |digit: u8| match digit {
        b'A'..=b'Z' => Some(u32::from(digit - b'A')),
        b'a'..=b'z' => Some(u32::from(digit - b'a') + 26),
        b'0'..=b'9' => Some(u32::from(digit - b'0') + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let mut bytes = Vec::with_capacity(digits.len() * 3 / 4);
    for part in digits.chunks(4) {
        let mut word = 0;
        for (k, digit) in part.iter().enumerate() {
            word |= value(*digit)? << (18 - 6 * k);
        }
        bytes.extend((0..part.len() - 1).map(|k| (word >> (16 - 8 * k)) as u8));
    }
    Some(bytes)
}

/// A table of the file.
#[cfg(feature = "text")]
struct Table<'v, 't>(&'v [Entry<'t>], usize);

#[cfg(feature = "text")]
fn wrong<T>(line: usize, what: impl Into<String>) -> Result<T, SceneError> {
    Err(SceneError { at: String::new(), line: Some(line), what: what.into() })
}

#[cfg(feature = "text")]
impl<'v, 't> Table<'v, 't> {
    fn of(value: &'v Value<'t>) -> Result<Self, SceneError> {
        match &value.data {
            Data::Table(entries) => Ok(Self(entries, value.line)),
            other => wrong(value.line, format!("found {}; wants a table", other.found())),
        }
    }

    fn get(&self, key: &str) -> Result<&'v Value<'t>, SceneError> {
        match self.0.iter().find(|entry| entry.key == key) {
            Some(entry) => Ok(&entry.value),
            None => wrong(self.1, format!("lacks '{key}'; bake it with 'tocco mesh'")),
        }
    }

    fn text(&self, key: &str) -> Result<&'v str, SceneError> {
        let value = self.get(key)?;
        match &value.data {
            Data::Text(text) => Ok(text),
            other => wrong(value.line, format!("{key}: found {}; wants text", other.found())),
        }
    }

    fn list(&self, key: &str) -> Result<&'v [Value<'t>], SceneError> {
        let value = self.get(key)?;
        match &value.data {
            Data::List(list) => Ok(list),
            other => wrong(value.line, format!("{key}: found {}; wants a list", other.found())),
        }
    }

    fn number(&self, key: &str, range: [Real; 2]) -> Result<Real, SceneError> {
        number(self.get(key)?, key, range)
    }

    fn three(&self, key: &str, range: [Real; 2]) -> Result<[Real; 3], SceneError> {
        three(self.get(key)?, key, range)
    }

    fn bytes(&self, key: &str) -> Result<Vec<u8>, SceneError> {
        let text = self.text(key)?;
        match decode(text) {
            Some(bytes) => Ok(bytes),
            None => wrong(self.get(key)?.line, format!("{key}: '{}' is not base64", clip(text))),
        }
    }
}

#[cfg(feature = "text")]
fn number(value: &Value<'_>, key: &str, [min, max]: [Real; 2]) -> Result<Real, SceneError> {
    let number = match value.data {
        Data::Whole(whole) => whole as Real,
        Data::Number(number) => number,
        ref other => return wrong(value.line, format!("{key}: found {}; wants a number", other.found())),
    };
    match crate::param::breach(number, "1", min, max) {
        Some(what) => wrong(value.line, format!("{key}: {what}")),
        None => Ok(number),
    }
}

#[cfg(feature = "text")]
fn three(value: &Value<'_>, key: &str, range: [Real; 2]) -> Result<[Real; 3], SceneError> {
    match &value.data {
        Data::List(list) if list.len() == 3 => {
            let mut three = [0.0; 3];
            for (to, from) in three.iter_mut().zip(list) {
                *to = number(from, key, range)?;
            }
            Ok(three)
        }
        other => wrong(value.line, format!("{key}: found {}; wants three numbers", other.found())),
    }
}

/// Threes of whole numbers, low byte first.
#[cfg(feature = "text")]
fn threes(bytes: &[u8], unit: Real) -> Vec<[Real; 3]> {
    let one = |b: &[u8]| unit * Real::from(i16::from_le_bytes([b[0], b[1]]));
    bytes.chunks_exact(6).map(|b| [one(&b[..2]), one(&b[2..4]), one(&b[4..])]).collect()
}

#[cfg(feature = "text")]
impl BakedMesh {
    /// Reads the file of a baked body. `[control]`
    pub fn from_text(text: &str) -> Result<Self, SceneError> {
        if text.len() > crate::scene::kinds::MAX_TEXT_BYTES {
            return wrong(1, "longer than any baked body");
        }
        let root = parse(text)?;
        let root = Table::of(&root)?;
        let any = [-1e6, 1e6];
        let version = root.number("mesh", [1.0, 1e9])?;
        if version != VERSION as Real {
            return wrong(root.get("mesh")?.line, format!("version {version}; this program reads {VERSION}"));
        }
        let axes = root.list("axes")?;
        let [a, b, c] = axes else {
            return wrong(root.get("axes")?.line, format!("axes: {} of them; wants three", axes.len()));
        };
        let axes = [three(a, "axes", [-1.0, 1.0])?, three(b, "axes", [-1.0, 1.0])?, three(c, "axes", [-1.0, 1.0])?];
        let centre_m = root.three("centre_m", any)?;
        let unit_m = root.number("vertex_unit_m", [1e-15, 1e6])?;
        let vertices = threes(&root.bytes("vertices")?, unit_m);
        let count = vertices.len();
        let line = root.get("vertices")?.line;
        if count == 0 || count > MOST_VERTICES {
            return wrong(line, format!("vertices: {count} of them; wants 1 to {MOST_VERTICES}"));
        }
        let vertices_m = vertices.iter().map(|v| std::array::from_fn(|axis| v[axis] + centre_m[axis])).collect();
        let normals = root.bytes("normals")?;
        if normals.len() != 3 * count {
            return wrong(root.get("normals")?.line, format!("normals: {} bytes; wants {}", normals.len(), 3 * count));
        }
        let normal = |b: &[u8]| {
            let n: [Real; 3] = std::array::from_fn(|axis| Real::from(b[axis] as i8));
            let length = (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]).sqrt();
            if length > 0.0 { n.map(|x| x / length) } else { [0.0, 0.0, 1.0] }
        };
        let normals = normals.chunks_exact(3).map(normal).collect();
        let triangles = root.bytes("triangles")?;
        let corner = |b: &[u8]| u16::from_le_bytes([b[0], b[1]]);
        let triangles: Vec<[u16; 3]> =
            triangles.chunks_exact(6).map(|b| [corner(&b[..2]), corner(&b[2..4]), corner(&b[4..])]).collect();
        if triangles.iter().flatten().any(|&vertex| usize::from(vertex) >= count) {
            return wrong(root.get("triangles")?.line, "triangles: one names a vertex that is not there");
        }
        let listed = root.list("modes")?;
        if listed.is_empty() || listed.len() > MOST_MODES {
            let what = format!("modes: {} of them; wants 1 to {MOST_MODES}", listed.len());
            return wrong(root.get("modes")?.line, what);
        }
        let mut modes: Vec<BakedMode> = Vec::with_capacity(listed.len());
        for value in listed {
            let mode = Table::of(value)?;
            let shape = threes(&mode.bytes("shape")?, mode.number("shape_unit", [0.0, 1e6])?);
            if shape.len() != count {
                return wrong(value.line, format!("shape: of {} vertices; wants {count}", shape.len()));
            }
            let freq_hz = mode.number("freq_hz", [1e-3, 1e9])?;
            if modes.last().is_some_and(|last| last.freq_hz > freq_hz) {
                return wrong(value.line, "freq_hz: modes stand in the order of their frequencies");
            }
            modes.push(BakedMode { freq_hz, decay_s: mode.number("decay_s", [1e-6, 1e6])?, shape });
        }
        Ok(Self {
            text: text.to_owned(),
            source: clip(root.text("source")?),
            material: clip(root.text("material")?),
            mass_kg: root.number("mass_kg", [1e-12, 1e12])?,
            centre_m,
            axes,
            gyration_m: root.three("gyration_m", [1e-9, 1e6])?,
            vertices_m,
            normals,
            triangles,
            modes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_that_of_rfc_4648() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
        }
        for broken in ["Z", "Zg", "Zg=", "Z===", "Zm9v====", "Zm9*"] {
            assert_eq!(decode(broken), None, "{broken}");
        }
    }
}
