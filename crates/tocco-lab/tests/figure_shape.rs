// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws the figure of docs/models/shape.md: the lowest mode shapes of every family. `TOCCO_BLESS=1 cargo test -p
//! tocco-lab --test figure_shape` writes the picture.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::f64::consts::{PI, TAU};
use std::path::PathBuf;
use tocco::resonator::shape::{MaterialDef, Place, PlaceOn, ShapeDef, evaluate};
use tocco_lab::tiles::{CELLS, Sheet, Tile};
use tocco_testing::pictures::assert_shipped;

/// Tiles in a row.
const MODES: usize = 8;

/// How a family is looked at: from a cell (-1 to 1 both ways) to a place, and whether it is a line seen from the side.
type View = fn(f64, f64) -> Option<Vec<f64>>;

fn square(x: f64, y: f64) -> Option<Vec<f64>> {
    Some(vec![0.5 + 0.5 * x, 0.5 + 0.5 * y])
}
fn turn(x: f64, y: f64) -> f64 {
    let turn = y.atan2(x) / TAU;
    turn - turn.floor()
}
fn disc(x: f64, y: f64) -> Option<Vec<f64>> {
    (x.hypot(y) <= 1.0).then(|| vec![x.hypot(y), turn(x, y)])
}
fn room(x: f64, y: f64) -> Option<Vec<f64>> {
    Some(vec![0.5 + 0.5 * x, 0.5 + 0.5 * y, 0.31])
}
/// The plane of a meridian, the pole upwards.
fn meridian(x: f64, y: f64) -> Option<Vec<f64>> {
    (x.hypot(y) <= 1.0).then(|| vec![x.hypot(y), x.abs().atan2(y) / PI, if x < 0.0 { 0.5 } else { 0.0 }])
}
fn along(x: f64, _: f64) -> Option<Vec<f64>> {
    Some(vec![0.5 + 0.5 * x])
}

fn rows() -> Vec<(&'static str, &'static str, View, ShapeDef)> {
    let of = |id: &str, stuff: MaterialDef, word: (&str, &str), values: &[(&str, f64)]| {
        let def = ShapeDef::new(id, stuff).unwrap().with_word(word.0, word.1).with_modes(100);
        values.iter().fold(def, |def, (key, value)| def.with(key, *value))
    };
    let (steel, air, none) = (MaterialDef::Named("steel"), MaterialDef::Air, ("", ""));
    let plate = [("length_m", 0.3), ("width_m", 0.3), ("thickness_m", 2e-3)];
    let round = [("radius_m", 0.15), ("thickness_m", 2e-3)];
    let bar = [("length_m", 0.3), ("width_m", 0.03), ("thickness_m", 2e-3)];
    let wire = [("length_m", 0.65), ("diameter_m", 1e-3), ("freq_hz", 196.0)];
    vec![
        ("string", "from the side", along, of("string", steel, none, &wire)),
        ("bar, free", "from the side", along, of("bar", steel, none, &bar)),
        ("bar, clamped-free", "from the side", along, of("bar", steel, ("support", "clamped-free"), &bar)),
        (
            "rectangular-membrane",
            "3 : 2",
            square,
            of(
                "rectangular-membrane",
                MaterialDef::Named("skin"),
                none,
                &[("length_m", 0.3), ("width_m", 0.2), ("thickness_m", 2e-4), ("freq_hz", 100.0)],
            ),
        ),
        (
            "circular-membrane",
            "one of each pair",
            disc,
            of(
                "circular-membrane",
                MaterialDef::Named("skin"),
                none,
                &[("radius_m", 0.15), ("thickness_m", 2e-4), ("freq_hz", 100.0)],
            ),
        ),
        ("rectangular-plate, free", "square: Chladni's figures", square, of("rectangular-plate", steel, none, &plate)),
        (
            "rectangular-plate",
            "supported, 3 : 2",
            square,
            of(
                "rectangular-plate",
                steel,
                ("edges", "supported"),
                &[("length_m", 0.3), ("width_m", 0.2), ("thickness_m", 2e-3)],
            ),
        ),
        ("circular-plate, free", "one of each pair", disc, of("circular-plate", steel, none, &round)),
        ("circular-plate, clamped", "one of each pair", disc, of("circular-plate", steel, ("edge", "clamped"), &round)),
        (
            "bowl",
            "from above, rim outside",
            disc,
            of(
                "bowl",
                MaterialDef::Named("glass"),
                none,
                &[("radius_m", 0.035), ("height_m", 0.08), ("thickness_m", 1e-3)],
            ),
        ),
        (
            "bell",
            "from below, lip outside",
            disc,
            of("bell", MaterialDef::Named("bronze"), none, &[("freq_hz", 440.0), ("mass_kg", 300.0)]),
        ),
        (
            "cylinder",
            "the wall unrolled, length across",
            square,
            of("cylinder", steel, none, &[("radius_m", 0.05), ("length_m", 0.2), ("thickness_m", 1e-3)]),
        ),
        (
            "box",
            "pressure, a horizontal cut",
            room,
            of("box", air, none, &[("length_m", 4.0), ("width_m", 3.1), ("height_m", 2.3)]),
        ),
        (
            "rounded-box",
            "half round, cut and unfolded",
            room,
            of("rounded-box", air, none, &[("size_m", 1.0), ("roundness_01", 0.5)]),
        ),
        ("sphere", "pressure, a cut through the poles", meridian, of("sphere", air, none, &[("radius_m", 0.5)])),
        (
            "tube, open-closed",
            "pressure, from the side",
            along,
            of("tube", air, ("ends", "open-closed"), &[("length_m", 0.6), ("radius_m", 0.02)]),
        ),
    ]
}

fn tiles(view: View, def: &ShapeDef) -> Vec<Tile> {
    let side = CELLS as f64;
    let at = |i: usize| 2.0 * (i as f64 + 0.5) / side - 1.0;
    let line = def.kind.id == "string" || def.kind.id == "bar" || def.kind.id == "tube";
    let rows = if line { 1 } else { CELLS };
    let places: Vec<Option<Vec<f64>>> = (0..rows * CELLS).map(|i| view(at(i % CELLS), -at(i / CELLS))).collect();
    let ports: Vec<PlaceOn> =
        places.iter().flatten().map(|p| PlaceOn { name: "p".into(), place: Place::At(p.clone()) }).collect();
    let solved = evaluate(def, &ports, 24_000.0).unwrap().held_still();
    let mut tiles = Vec::new();
    let mut before_hz = 0.0;
    for (k, mode) in solved.modes.iter().enumerate() {
        let most = solved.shapes.iter().map(|shape| shape[k].abs()).fold(0.0, f64::max);
        let both = [1.0, -1.0].iter().all(|sign| solved.shapes.iter().any(|shape| sign * shape[k] > 0.05 * most));
        // One of each pair, and what this view can show.
        if (!both && !tiles.is_empty()) || mode.freq_hz < 1.000_001 * before_hz || most < 1e-6 || tiles.len() == MODES {
            continue;
        }
        before_hz = mode.freq_hz;
        let mut values = solved.shapes.iter().map(|shape| shape[k] / most);
        let field: Vec<Option<f64>> = places.iter().map(|place| place.as_ref().and_then(|_| values.next())).collect();
        let cells = if line {
            let height = |i: usize| field[i].unwrap_or(0.0);
            let cell = |i: usize| {
                let (x, y) = (i % CELLS, -at(i / CELLS));
                ((y - 0.6 * height(x)).abs() < 0.09).then(|| height(x))
            };
            (0..CELLS * CELLS).map(cell).collect()
        } else {
            field
        };
        tiles.push(Tile { caption: format!("{:.0} Hz", mode.freq_hz), cells });
    }
    tiles
}

#[test]
fn shape_every_family_shows_eight_modes_of_different_pitch() {
    let mut sheet = Sheet { title: "The lowest modes of every shape".into(), rows: Vec::new() };
    for (name, words, view, def) in rows() {
        let row = tiles(view, &def);
        assert_eq!(row.len(), MODES, "{name}");
        sheet.rows.push(([name.into(), words.into()], row));
    }
    let bytes = sheet.png().unwrap();
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/models/shape.png");
    assert_shipped(&bytes, &docs);
}
