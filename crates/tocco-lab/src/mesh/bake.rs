// SPDX-License-Identifier: MIT OR Apache-2.0
//! What was found of a solid as text: the file that `type = "mesh"` names, read by `tocco::scene::kinds::mesh::baked`, which says
//! what each key means.

use super::solve::Solved;
use std::fmt::Write as _;
use tocco::resonator::material::Material;
use tocco::scene::kinds::mesh::baked::{VERSION, encode};

/// Ten digits.
fn rounded(x: f64) -> f64 {
    format!("{x:.9e}").parse().unwrap_or(x)
}

/// Whole numbers of so many units, low byte first.
fn whole(values: impl Iterator<Item = f64>, unit: f64) -> String {
    let one = |x: f64| (x / unit).round().clamp(-32767.0, 32767.0) as i16;
    encode(&values.flat_map(|x| one(x).to_le_bytes()).collect::<Vec<u8>>())
}

/// The unit in which 16 bits just hold the largest of these.
fn unit(values: impl Iterator<Item = f64>) -> f64 {
    rounded(values.map(f64::abs).fold(1e-12, f64::max) / 32767.0 * (1.0 + 1e-9))
}

/// The file of a baked body.
pub fn text(solved: &Solved, source: &str, name: &str, material: &Material) -> String {
    let (bulk, surface) = (&solved.bulk, &solved.surface);
    let three = |v: [f64; 3]| format!("{:?}", v.map(rounded));
    let mut text = format!(
        "# Modes of {source}, made by 'tocco mesh'. A scene names this file:\n#   [body.thing]\n#   type = \"mesh\"\n#   file = \"...\"\n\
         # docs/models/mesh.md says what stands here.\n"
    );
    let centre = bulk.centre.map(rounded);
    let from_centre = || surface.vertices.iter().flat_map(move |v| (0..3).map(move |axis| v[axis] - centre[axis]));
    let vertex_unit = unit(from_centre());
    let quoted = serde_json::Value::from(source).to_string();
    let _ = writeln!(text, "mesh = {VERSION}\nsource = {quoted}\nmaterial = \"{name}\"");
    let _ = writeln!(
        text,
        "density_kg_m3 = {:?}\nyoung_pa = {:?}\npoisson = {:?}",
        material.density_kg_m3, material.young_pa, material.poisson
    );
    let _ = writeln!(text, "mass_kg = {:?}\ncentre_m = {}", rounded(solved.mass_kg), three(bulk.centre));
    let axes: Vec<String> = bulk.axes.iter().map(|axis| three(*axis)).collect();
    let _ = writeln!(text, "axes = [{}]\ngyration_m = {}", axes.join(", "), three(bulk.gyration));
    let _ = writeln!(text, "vertex_unit_m = {vertex_unit:?}\nvertices = \"{}\"", whole(from_centre(), vertex_unit));
    let normals = solved.normals.iter().flatten().map(|x| (127.0 * x).round() as i8 as u8);
    let _ = writeln!(text, "normals = \"{}\"", encode(&normals.collect::<Vec<u8>>()));
    let corners = surface.triangles.iter().flatten().flat_map(|&vertex| (vertex as u16).to_le_bytes());
    let _ = writeln!(text, "triangles = \"{}\"", encode(&corners.collect::<Vec<u8>>()));
    for (freq_hz, shape) in solved.freqs_hz.iter().zip(&solved.shapes) {
        let (freq_hz, unit) = (rounded(*freq_hz), unit(shape.iter().flatten().copied()));
        let decay_s = rounded(material.decay_s(freq_hz));
        let _ = writeln!(text, "\n[[modes]]\nfreq_hz = {freq_hz:?}\ndecay_s = {decay_s:?}\nshape_unit = {unit:?}");
        let _ = writeln!(text, "shape = \"{}\"", whole(shape.iter().flatten().copied(), unit));
    }
    text
}
