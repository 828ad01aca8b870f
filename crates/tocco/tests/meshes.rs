// SPDX-License-Identifier: MIT OR Apache-2.0
//! Baked bodies: they yield with their exact mass and inertia, ring with the modes of their file, and travel with takes; broken
//! files and places are told in a line.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod common;
use common::probe;
use tocco::scene::kinds::mesh::baked::encode;
use tocco::scene::{Fetch, Recording};
use tocco::{Document, Engine, Scene};

const SIDES: [f64; 3] = [0.2, 0.1, 0.05];
const MASS: f64 = 2.0;
const CENTRE: [f64; 3] = [0.5, -0.25, 0.125];

/// A box of eight vertices with two modes: the first moves every vertex by `bend` along x.
fn baked(bend: f64) -> String {
    let corner = |k: usize, axis: usize| if k >> axis & 1 == 1 { 0.5 } else { -0.5 };
    let whole = |values: Vec<f64>, unit: f64| {
        encode(&values.iter().flat_map(|x| ((x / unit).round() as i16).to_le_bytes()).collect::<Vec<u8>>())
    };
    let all = || (0..8).flat_map(|k| (0..3).map(move |axis| (k, axis)));
    let vertices = whole(all().map(|(k, axis)| corner(k, axis) * SIDES[axis]).collect(), 1e-4);
    let normals: Vec<u8> = all().map(|(k, axis)| (2.0 * corner(k, axis) * 73.0) as i8 as u8).collect();
    let shape = whole(all().map(|(_, axis)| if axis == 0 { 1.0 } else { 0.0 }).collect(), 1e-3);
    let gyration: Vec<String> = [(1, 2), (0, 2), (0, 1)]
        .iter()
        .map(|&(a, b): &(usize, usize)| format!("{:?}", ((SIDES[a].powi(2) + SIDES[b].powi(2)) / 12.0).sqrt()))
        .collect();
    let mode = |hz: f64| {
        format!("[[modes]]\nfreq_hz = {hz}\ndecay_s = 0.5\nshape_unit = {}\nshape = \"{shape}\"\n", 1e-3 * bend)
    };
    let corners: Vec<u8> = [0u16, 1, 2].iter().flat_map(|v| v.to_le_bytes()).collect();
    format!(
        "mesh = 1\nsource = \"box.stl\"\nmaterial = \"steel\"\nmass_kg = {MASS}\ncentre_m = {CENTRE:?}\n\
         axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\ngyration_m = [{}]\nvertex_unit_m = 1e-4\nvertices = \"{vertices}\"\n\
         normals = \"{}\"\ntriangles = \"{}\"\n{}{}",
        gyration.join(", "),
        encode(&normals),
        encode(&corners),
        mode(1000.0),
        mode(30_000.0)
    )
}

/// One baked body, whatever it is called.
struct Shelf(String);

impl Fetch for Shelf {
    fn recording(&mut self, file: &str) -> Result<Recording, String> {
        Err(format!("no {file} here"))
    }
    fn body(&mut self, file: &str) -> Result<String, String> {
        if file == "box.toml" { Ok(self.0.clone()) } else { Err(format!("no {file} here")) }
    }
}

fn read(text: &str, file: String) -> Result<Document, String> {
    Document::read_with("test", "here", text.to_owned(), Shelf(file)).map_err(|error| error.to_string())
}

fn struck(at: &str, more: &str) -> String {
    format!(
        "[body.ball]\ntype = \"mass\"\nmass_kg = 0.3\n[body.box]\ntype = \"mesh\"\nfile = \"box.toml\"\n{more}\n\
         [body.box.port]\nhit = {at}\n[contact.hit]\ntype = \"impact\"\nbetween = [\"ball\", \"box.hit\"]\nstiffness = 1e9\n\
         [[event]]\nat_s = 0.0\nstrike = \"ball\"\nvelocity_m_s = 1.0\n[[tap]]\nof = \"box.hit\"\n"
    )
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[test]
fn a_baked_body_yields_with_its_exact_mass_and_inertia_wherever_and_however_it_is_struck() {
    for (corner, along) in [
        ([0.5, 0.5, 0.5], [1.0, 0.0, 0.0]),
        ([0.5, -0.5, 0.5], [0.0, 0.0, -2.0]),
        ([-0.5, -0.5, -0.5], [0.3, -0.5, 0.8]),
        ([-0.5, 0.5, -0.5], [0.0, 1.0, 0.0]),
    ] {
        let arm: [f64; 3] = std::array::from_fn(|axis| corner[axis] * SIDES[axis]);
        let length = along.iter().map(|x: &f64| x * x).sum::<f64>().sqrt();
        let torque = cross(arm, along.map(|x| x / length));
        let inertia = |a: usize, b: usize| MASS * (SIDES[a].powi(2) + SIDES[b].powi(2)) / 12.0;
        let inertias = [inertia(1, 2), inertia(0, 2), inertia(0, 1)];
        let yields = 1.0 / MASS + (0..3).map(|k| torque[k] * torque[k] / inertias[k]).sum::<f64>();
        let (ball, body) = (0.3, 1.0 / yields);
        let wanted = (ball - body) / (ball + body);
        // A little beside the corner: the nearest vertex counts.
        let at: Vec<f64> = (0..3).map(|axis| CENTRE[axis] + 1.05 * arm[axis]).chain(along).collect();
        let text = struck(&format!("{at:?}"), "suspension_hz = 0\nsuspension_decay_s = 1000");
        let document = read(&text, baked(1e-9)).unwrap();
        let mut engine = Engine::new(Scene::build(&document.def, 48_000.0).unwrap());
        let (rows, _) = probe(&mut engine, &["ball.velocity"], 480);
        let out = rows.last().unwrap()[0];
        assert!((out - wanted).abs() < 1e-3, "{corner:?} {along:?}: {out}, not {wanted}");
    }
}

#[test]
fn a_port_without_a_direction_moves_into_the_body_and_one_without_a_name_is_where_it_moves_most() {
    let document = read(&struck("[0.6, -0.2, 0.15]", ""), baked(1.0)).unwrap();
    let scene = Scene::build(&document.def, 48_000.0).unwrap();
    let site = scene.directory().site("box.hit").unwrap();
    let values = scene.directory().values_at(site, &[0.6, -0.2, 0.15]).unwrap();
    // Six motions as a whole, and of two modes the one below half the rate.
    assert_eq!(values.len(), 7);
    let inward = -1.0 / 3f64.sqrt();
    assert!((values[0] - inward).abs() < 1e-9 && (values[6] - inward).abs() < 1e-9, "{values:?}");
    assert_eq!(scene.directory().values_at(site, &[0.6, -0.2, 0.15, 0.0, 2.0, 0.0]).unwrap()[1], 1.0);
    let text = "[body.box]\ntype = \"mesh\"\nfile = \"box.toml\"\n[[tap]]\nof = \"box\"\n";
    assert!(Scene::build(&read(text, baked(1.0)).unwrap().def, 48_000.0).is_ok());
}

#[test]
fn modes_are_known_all_over_the_surface_in_any_direction_for_whoever_draws_it() {
    let document = read(&struck("[0.6, -0.2, 0.15]", ""), baked(0.7)).unwrap();
    let scene = Scene::build(&document.def, 48_000.0).unwrap();
    let body = document.def.bodies.iter().position(|body| body.name == "box").unwrap();
    let corners =
        (0..8).map(|k| [0, 1, 2].map(|axis| CENTRE[axis] + SIDES[axis] * if k >> axis & 1 == 1 { 0.5 } else { -0.5 }));
    let ways = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    let places: Vec<Vec<f64>> = corners.flat_map(|at| ways.map(|way| [at, way].concat())).collect();
    let all = scene.directory().values_over(body, &places).unwrap();
    for (place, values) in places.iter().zip(&all) {
        // Six motions as a whole; then the mode that moves all of it along x.
        let wanted = if place[3] == 1.0 { 0.7 } else { 0.0 };
        assert!(values.len() == 7 && (values[6] - wanted).abs() < 1e-9, "{place:?}: {values:?}");
    }
    assert!(scene.directory().values_over(body, &[vec![9.0, 9.0, 9.0]]).is_err());
}

#[test]
fn a_take_carries_the_baked_body_and_gives_the_same_bits_without_the_file() {
    let sound = |document: &Document| -> Vec<f32> {
        let mut engine = Engine::new(Scene::build(&document.def, 48_000.0).unwrap());
        let mut out = vec![0.0; 4800];
        engine.render(&[], &mut tocco::Queue::new(), &mut out);
        out
    };
    let document = read(&struck("[0.6, -0.2, 0.15]", "modes = 1"), baked(1.0)).unwrap();
    let value = document.to_json();
    let again = Document::from_json(&value, "take").unwrap();
    assert_eq!(again.def.bodies, document.def.bodies);
    let heard = sound(&document);
    assert_eq!(sound(&again), heard);
    assert!(heard.iter().any(|x| x.abs() > 1e-3));
    let mut without = value.clone();
    without.as_object_mut().unwrap().remove("bodies");
    assert!(Document::from_json(&without, "take").unwrap_err().contains("'box.toml' is missing"));
}

#[test]
fn broken_files_and_places_are_refused_in_one_line_that_says_where() {
    let good = struck("[0.6, -0.2, 0.15]", "");
    let whole = baked(1.0);
    for (from, to, said) in [
        ("mesh = 1", "mesh = 2", "version 2"),
        ("mesh = 1", "", "lacks 'mesh'"),
        ("mass_kg = 2", "mass_kg = -2", "mass_kg: -2 is out of range"),
        ("freq_hz = 1000", "freq_hz = 40000", "in the order of their frequencies"),
        ("freq_hz = 1000", "freq_hz = \"low\"", "wants a number"),
        ("vertices = \"", "vertices = \"*", "is not base64"),
        ("vertices = \"", "vertices = \"AAAAAAAA", "normals: 24 bytes; wants 27"),
        ("triangles = \"AAAB", "triangles = \"AA8B", "names a vertex that is not there"),
        ("axes = [[1, 0, 0],", "axes = [", "axes: 2 of them"),
        ("mesh = 1", "mesh = [", "not TOML"),
    ] {
        assert!(whole.contains(from), "{from}");
        let error = read(&good, whole.replacen(from, to, 1)).unwrap_err();
        assert!(error.contains(said) && error.contains("box.toml:") && !error.contains('\n'), "{from}: {error}");
    }
    let missing = read(&good.replace("box.toml", "bowl.toml"), whole.clone()).unwrap_err();
    assert!(missing.contains("body.box.file") && missing.contains("no bowl.toml here"), "{missing}");
    for (at, said) in [
        ("[1.5, -0.2, 0.15]", "beside the body, whose nearest place is [0.6, -0.2, 0.15] m"),
        ("[0.6, -0.2, 0.15, 0, 0, 0]", "a direction without length"),
    ] {
        let document = read(&struck(at, ""), whole.clone()).unwrap();
        let error = Scene::build(&document.def, 48_000.0).map(drop).unwrap_err().to_string();
        assert!(error.contains("body.box.port.hit") && error.contains(said), "{error}");
    }
    assert!(read(&struck("[0.6, -0.2]", ""), whole.clone()).unwrap_err().contains("has 2 numbers"));
    let document = read(&good, whole.replace("freq_hz = 1000", "freq_hz = 25000")).unwrap();
    let error = Scene::build(&document.def, 48_000.0).map(drop).unwrap_err().to_string();
    assert!(error.contains("its lowest mode, 25000 Hz, is not below 24000 Hz"), "{error}");
}

#[test]
fn what_a_baked_body_radiates_follows_from_its_size() {
    let text = struck("[0.6, -0.2, 0.15]", "modes = 1")
        + "quantity = \"acceleration\"\n[[tap]]\nof = \"box\"\nquantity = \"radiated\"\ndistance_m = 2.0\nchannel = 1\n";
    let render = |text: &str| {
        let mut engine = Engine::new(Scene::build(&read(text, baked(1.0)).unwrap().def, 48_000.0).unwrap());
        let mut out = vec![0.0; 2 * 4800];
        engine.render(&[], &mut tocco::Queue::new(), &mut out);
        out
    };
    // Its one mode moves along x; the normals are diagonals, and the widest side is 0.2 m by 0.1 m.
    let radius = (0.2 * 0.1 / std::f64::consts::PI).sqrt();
    let wanted = tocco::resonator::shape::radiation::by_size(radius, 1000.0, 1000.0, 2.0);
    let out = render(&text);
    let (moved, heard) = out
        .chunks(2)
        .fold((0.0, 0.0), |(a, p), frame| (a + f64::from(frame[0]).powi(2), p + f64::from(frame[1]).powi(2)));
    assert!(((heard / moved).sqrt() / wanted - 1.0).abs() < 1e-4, "{} {wanted}", (heard / moved).sqrt());
    let told = read(&text.replace("distance_m = 2.0", "direction_deg = [0.0, 0.0]"), baked(1.0)).unwrap();
    let error = Scene::build(&told.def, 48_000.0).err().unwrap().to_string();
    assert!(error.contains("only shapes know directions"), "{error}");
}

#[test]
fn what_lies_above_the_modes_of_a_baked_body_rings_too_where_it_is_asked_for() {
    let spanner = format!("{}/../../scenes/bodies/spanner.toml", env!("CARGO_MANIFEST_DIR"));
    let file = std::fs::read_to_string(spanner).unwrap();
    // Power from 12 to 18 kHz while it rings; the last of twelve modes lies at 10.8 kHz.
    let high = |more: &str| {
        let document = read(&struck("[0.0, 0.0, 0.0]", more), file.clone()).unwrap();
        let mut engine = Engine::new(Scene::build(&document.def, 48_000.0).unwrap());
        let mut out = [0.0; 4096];
        engine.render(&[], &mut tocco::Queue::new(), &mut out);
        let power = |hz: f64| {
            let (mut re, mut im) = (0.0, 0.0);
            for (n, x) in out[240..].iter().enumerate() {
                let t = n as f64 / (out.len() - 240) as f64;
                let x = f64::from(*x) * (0.5 - 0.5 * (std::f64::consts::TAU * t).cos());
                let angle = std::f64::consts::TAU * hz * n as f64 / 48_000.0;
                (re, im) = (re + x * angle.cos(), im + x * angle.sin());
            }
            re * re + im * im
        };
        (0..240).map(|k| power(12_000.0 + 25.0 * f64::from(k))).sum::<f64>()
    };
    let (without, with) = (high("modes = 12"), high("modes = 12\ntail = true"));
    assert!(with > 100.0 * without && without > 0.0, "{with} {without}");
}
