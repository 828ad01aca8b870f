// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws the pictures about bodies and materials and checks what their pages say of them.
//! `TOCCO_BLESS=1 cargo test -p tocco-host --test figures_bodies` writes them; otherwise they are thrown away.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::path::PathBuf;
use tocco::resonator::material::{MATERIALS, Material};
use tocco_host::plot::{Corner, Figure, Look, Panel, Series};

fn docs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

fn keep(name: &str, bytes: &[u8]) {
    let path = docs().join(name);
    if std::env::var_os("TOCCO_BLESS").is_some() {
        std::fs::write(&path, bytes).unwrap();
    }
    assert!(path.is_file(), "{name} is missing: run once with TOCCO_BLESS=1");
}

#[test]
fn material_quality_of_the_four_classes_lies_in_the_ranges_of_the_listeners() {
    let shown = [("rubber", 1), ("oak", 4), ("rosewood", 5), ("ice", 3), ("glass", 2), ("steel", 7), ("bronze", 0)];
    let mut over = Panel::new("over frequency", "frequency, Hz", "Q, powers of ten");
    for (id, colour) in shown {
        let m = Material::named(id).unwrap().material;
        let at = |i: i32| {
            let octaves = f64::from(i) / 10.0;
            (octaves, m.q(62.5 * octaves.exp2()).log10())
        };
        over = over.with(Series::new(id, colour, Look::Line, (0..=80).map(at).collect()));
    }
    over.categories = ["63", "125", "250", "500", "1000", "2000", "4000", "8000", "16000"].map(String::from).to_vec();
    over.legend = Corner::BottomLeft;
    over.x_range = Some((-0.3, 8.3));
    over.y_range = Some((-0.6, 3.6));

    let classes = [("rubber", 5.0, 44.3), ("wood", 14.9, 131.8), ("glass", 189.6, 5000.0), ("metal", 272.8, 5000.0)];
    let mut beside = Panel::new("at 1 to 2 kHz beside 003 table 5.2", "", "Q, powers of ten");
    beside.categories = ["rubber", "wood", "glass", "metal"].map(String::from).to_vec();
    for (x, (class, least, most)) in classes.into_iter().enumerate() {
        let x = x as f64;
        let range = vec![(x - 0.2, least), (x - 0.2, most)].into_iter().map(|(x, q): (f64, f64)| (x, q.log10()));
        let name = if x == 0.0 { "most listeners say so" } else { "" };
        beside = beside.with(Series::new(name, 1, Look::Line, range.collect()));
        let ours: Vec<_> = MATERIALS.iter().filter(|e| e.class == class).collect();
        assert!(!ours.is_empty());
        let mut data = Vec::new();
        for (i, entry) in ours.iter().enumerate() {
            for hz in [1000.0, 1414.0, 2000.0] {
                let q = entry.material.q(hz);
                assert!((least..=most).contains(&q), "{} {q}", entry.id);
                data.push((x + 0.1 * i as f64, q.log10()));
            }
        }
        beside = beside.with(Series::new(if x == 0.0 { "ours" } else { "" }, 2, Look::Dots, data));
    }
    beside.legend = Corner::BottomRight;
    beside.x_range = Some((-0.6, 3.7));
    beside.y_range = Some((0.5, 3.9));
    let figure = Figure { title: "Materials: quality factor".into(), panels: vec![over, beside] };
    keep("models/material.png", &figure.png().unwrap());
}
