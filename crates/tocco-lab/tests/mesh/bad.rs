// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is mended, reduced or refused, and what readers make of files good and broken.

use super::solids::{cuboid, sphere, swept, turned};
use super::{STEEL, errors, solved};
use tocco::rng::Rng;
use tocco_lab::mesh::Task;
use tocco_lab::mesh::read::from_bytes;
use tocco_lab::mesh::solve::{Options, solve};
use tocco_lab::mesh::surface::Surface;

fn refused(surface: Surface, cells: Option<usize>) -> String {
    let options = Options { cells, modes: 6, ..Options::default() };
    solve(surface, &STEEL, &options, &|_| ()).map(drop).unwrap_err().to_string()
}

#[test]
fn a_tenth_of_the_triangles_missing_some_turned_over_or_all_inside_out_change_no_mode() {
    let whole = solved(sphere(0.05, 3), Some(10), 20);
    assert_eq!(whole.report.mended.holes, 0);
    let mut rng = Rng::new(3, "holes");
    let mut torn = sphere(0.05, 3);
    torn.triangles.retain(|_| rng.between(0.0, 1.0) > 0.1);
    let torn = solved(torn, Some(10), 20);
    assert!(torn.report.mended.holes > 50, "{:?}", torn.report.mended);
    assert!(errors(&torn.freqs_hz, &whole.freqs_hz)[1] < 0.01, "{:?}", torn.freqs_hz);
    assert!((torn.mass_kg / whole.mass_kg - 1.0).abs() < 0.01);
    let mut inside_out = sphere(0.05, 3);
    inside_out.triangles.iter_mut().for_each(|triangle| triangle.swap(0, 1));
    assert!(errors(&solved(inside_out, Some(10), 20).freqs_hz, &whole.freqs_hz)[1] < 1e-6);
    let mut mixed = sphere(0.05, 3);
    mixed.triangles.iter_mut().step_by(3).for_each(|triangle| triangle.swap(0, 1));
    let mixed = solved(mixed, Some(10), 20);
    assert!(mixed.report.mended.turned > 100);
    assert!(errors(&mixed.freqs_hz, &whole.freqs_hz)[1] < 1e-6);
}

/// Two surfaces as one.
fn both(one: &Surface, other: &Surface) -> Surface {
    let mut all = one.clone();
    let first = all.vertices.len() as u32;
    all.triangles.extend(other.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + first)));
    all.vertices.extend(&other.vertices);
    all
}

fn over(mut surface: Surface, turn: impl Fn(usize) -> bool) -> Surface {
    surface.triangles.iter_mut().enumerate().filter(|(t, _)| turn(*t)).for_each(|(_, triangle)| triangle.swap(0, 1));
    surface
}

#[test]
fn a_triangle_turned_over_leaves_cavities_hollow_and_what_overlaps_full() {
    let (outer, cavity) = (cuboid([0.06; 3]), over(cuboid([0.03; 3]), |_| true));
    let hollow = solved(both(&outer, &cavity), Some(16), 6);
    assert!((hollow.mass_kg / (7800.0 * (0.06f64.powi(3) - 0.03f64.powi(3))) - 1.0).abs() < 0.01);
    let (shifted, bar) = (cuboid([0.06, 0.02, 0.02]), cuboid([0.1, 0.02, 0.02]));
    let mut aside = shifted.clone();
    aside.vertices.iter_mut().for_each(|v| v[0] += 0.04);
    let longer = solved(both(&shifted, &aside), Some(20), 6);
    assert!((longer.mass_kg / solved(bar, Some(20), 6).mass_kg - 1.0).abs() < 0.01);
    for (name, whole, sound, cells) in
        [("cavity", both(&outer, &cavity), hollow, 16), ("overlap", both(&shifted, &aside), longer, 20)]
    {
        for turned in [0, 5, 13, 20] {
            let found = solved(over(whole.clone(), |t| t == turned), Some(cells), 6);
            assert_eq!((found.report.mended.turned, found.report.mended.parity), (1, false), "{name}");
            assert!((found.mass_kg / sound.mass_kg - 1.0).abs() < 1e-9, "{name}: {} kg", found.mass_kg);
            assert!(errors(&found.freqs_hz, &sound.freqs_hz)[1] < 1e-6, "{name}: {:?}", found.freqs_hz);
        }
    }
}

#[test]
fn ten_thousand_loose_shells_one_of_which_disagrees_with_itself_are_mended_at_once() {
    let mut shells = Surface::default();
    let one = cuboid([0.001; 3]);
    for n in 0..20_000_u32 {
        shells.triangles.extend(one.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + 8 * n)));
        shells.vertices.extend(one.vertices.iter().map(|v| [v[0] + 0.002 * f64::from(n), v[1], v[2]]));
    }
    let shells = over(shells, |t| t % 2 == 0 && t < 100_000);
    let started = std::time::Instant::now();
    let (mended, report) = shells.mended();
    // A look at all of them for each takes minutes.
    assert!(started.elapsed().as_secs_f64() < 20.0, "{:?}", started.elapsed());
    assert!(report.turned > 10_000 && (mended.bulk().unwrap().volume / 2e-5 - 1.0).abs() < 1e-6, "{report:?}");
}

#[test]
fn the_progress_of_a_solve_rises_in_many_steps_to_all_of_it() {
    let told = std::sync::Mutex::new(Vec::new());
    let options = Options { cells: Some(12), modes: 20, threads: 1, ..Options::default() };
    solve(cuboid([0.05; 3]), &STEEL, &options, &|share| told.lock().unwrap().push(share)).unwrap();
    let told = told.into_inner().unwrap();
    assert!(told.is_sorted() && told[0] > 0.0 && told.last() == Some(&1.0), "{told:?}");
    let widest = told.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    assert!(told.len() > 20 && widest < 0.3, "{widest}: {told:?}");
}

#[test]
fn solids_that_overlap_are_one_and_those_that_do_not_touch_are_refused() {
    let bar = solved(cuboid([0.2, 0.02, 0.02]), Some(40), 12);
    let mut both = cuboid([0.12, 0.02, 0.02]);
    let other = cuboid([0.12, 0.02, 0.02]);
    both.triangles.extend(other.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + 8)));
    both.vertices.extend(other.vertices.iter().map(|v| [v[0] + 0.08, v[1], v[2]]));
    let joined = solved(both.clone(), Some(40), 12);
    assert!(errors(&joined.freqs_hz, &bar.freqs_hz)[1] < 0.01, "{:?} {:?}", joined.freqs_hz, bar.freqs_hz);
    assert!((joined.mass_kg / bar.mass_kg - 1.0).abs() < 0.01, "{}", joined.mass_kg);
    both.vertices[8..].iter_mut().for_each(|v| v[0] += 0.1);
    assert!(refused(both, Some(60)).contains("2 bodies that do not touch"));
}

#[test]
fn what_has_no_volume_or_walls_too_thin_for_any_grid_is_refused_with_the_reason() {
    let mut sheet = cuboid([0.1, 0.1, 0.01]);
    sheet.triangles.truncate(2);
    assert!(refused(sheet, None).contains("encloses no volume"));
    let flat = cuboid([0.1, 0.1, 0.0]);
    assert!(refused(flat, None).contains("encloses no volume"));
    // A can of 0.1 mm.
    let can = swept(&[[0.0333, 0.0], [0.0334, 0.0], [0.0334, 0.1], [0.0333, 0.1]], 90);
    let error = refused(can.clone(), None);
    assert!(error.contains("walls are about 0.1") && error.contains("unknowns, more than 150000"), "{error}");
    let error = refused(cuboid([0.2, 0.1, 0.005]), Some(20));
    assert!(error.contains("less than 2 cells across") && error.contains("--cells 80"), "{error}");
}

#[test]
fn a_surface_finer_than_the_grid_is_reduced_and_its_modes_stay() {
    let coarse = solved(sphere(0.05, 5), Some(8), 12);
    let fine = solved(sphere(0.05, 7), Some(8), 12);
    let [before, after] = fine.report.triangles;
    assert!(before == 327_680 && after < 100_000, "{before} {after}");
    assert!(errors(&fine.freqs_hz, &coarse.freqs_hz)[1] < 0.01);
    assert!((fine.mass_kg / (7800.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.05f64.powi(3)) - 1.0).abs() < 1e-3);
    assert!(fine.surface.vertices.len() <= 200);
    // So is one whose triangles disagree, a few or all.
    let one_over = solved(over(sphere(0.05, 7), |t| t == 1000), Some(8), 12);
    assert_eq!((one_over.report.mended.turned, one_over.report.triangles[1]), (1, after));
    assert!(errors(&one_over.freqs_hz, &fine.freqs_hz)[1] < 1e-6);
    let anyhow = both(&over(sphere(0.05, 7), |t| t % 2 == 0), &over(sphere(0.025, 5), |t| t % 3 == 0));
    let anyhow = solved(anyhow, Some(8), 12);
    assert!(anyhow.report.mended.parity && anyhow.report.triangles[1] < 120_000, "{:?}", anyhow.report);
    assert!((anyhow.mass_kg / fine.mass_kg - 0.875).abs() < 0.01, "{} of {} kg", anyhow.mass_kg, fine.mass_kg);
}

#[test]
fn who_gives_a_million_triangles_is_told_to_how_many_they_were_reduced() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("ball.stl"), folder.path().join("ball.toml"));
    let fine = sphere(0.05, 8);
    assert_eq!(fine.triangles.len(), 1_310_720);
    std::fs::write(&input, stl(&fine, true)).unwrap();
    let options = Options { modes: 6, cells: Some(8), vertices: 60, threads: 2 };
    let task = Task { input, material: "steel".into(), unit: Some("m".into()), output, options };
    let said = tocco_lab::mesh::run(&task).unwrap();
    assert!(said.contains("ball.stl: 1310720 triangles") && said.contains("; reduced to "), "{said}");
}

#[test]
fn a_long_thin_bar_of_twelve_triangles_has_places_for_ports_all_along() {
    let found = solved(turned(cuboid([0.3, 0.03, 0.01]), [0.1, 0.0, 0.2]), None, 6);
    let (kept, (low, high)) = (&found.surface.vertices, found.surface.bounds());
    for k in 0..=20 {
        let at: [f64; 3] = std::array::from_fn(|axis| low[axis] + (high[axis] - low[axis]) * f64::from(k) / 20.0);
        let near = kept.iter().map(|v| (v[0] - at[0]).hypot(v[1] - at[1]).hypot(v[2] - at[2])).fold(1.0, f64::min);
        assert!(near < 0.03, "{k}: {near}");
    }
}

fn obj(surface: &Surface) -> Vec<u8> {
    let mut text = String::from("# a box\no box\n");
    surface.vertices.iter().for_each(|[x, y, z]| text += &format!("v {x} {y} {z}\n"));
    text += "vn 0 0 1\n";
    surface.triangles.iter().for_each(|[a, b, c]| text += &format!("f {}/1/1 {}//1 {}\n", a + 1, b + 1, c + 1));
    text.into_bytes()
}

fn stl(surface: &Surface, binary: bool) -> Vec<u8> {
    let corners = |t: &[u32; 3]| t.map(|v| surface.vertices[v as usize]);
    if binary {
        let mut bytes = b"solid but binary".to_vec();
        bytes.resize(80, b' ');
        bytes.extend((surface.triangles.len() as u32).to_le_bytes());
        for triangle in &surface.triangles {
            bytes.extend([0u8; 12]);
            corners(triangle).iter().flatten().for_each(|x| bytes.extend((*x as f32).to_le_bytes()));
            bytes.extend([0u8; 2]);
        }
        return bytes;
    }
    let mut text = String::from("solid box\n");
    for triangle in &surface.triangles {
        text += " facet normal 0 0 0\n  outer loop\n";
        corners(triangle).iter().for_each(|[x, y, z]| text += &format!("   vertex {x:e} {y} {z}\n"));
        text += "  endloop\n endfacet\n";
    }
    (text + "endsolid box\n").into_bytes()
}

fn ply(surface: &Surface, form: &str) -> Vec<u8> {
    let (vertices, faces) = (surface.vertices.len(), surface.triangles.len());
    let mut bytes = format!(
        "ply\nformat {form} 1.0\ncomment made here\nelement vertex {vertices}\nproperty double x\nproperty double y\n\
         property uchar red\nproperty float z\nelement face {faces}\nproperty list uchar int vertex_indices\n\
         property list uchar float texcoord\nend_header\n"
    )
    .into_bytes();
    let put = |bytes: &mut Vec<u8>, mut number: Vec<u8>| {
        if form == "binary_big_endian" {
            number.reverse();
        }
        bytes.extend(number);
    };
    for [x, y, z] in &surface.vertices {
        if form == "ascii" {
            bytes.extend(format!("{x} {y} 255 {z}\n").into_bytes());
            continue;
        }
        put(&mut bytes, x.to_le_bytes().to_vec());
        put(&mut bytes, y.to_le_bytes().to_vec());
        bytes.push(255);
        put(&mut bytes, (*z as f32).to_le_bytes().to_vec());
    }
    for triangle in &surface.triangles {
        if form == "ascii" {
            bytes.extend(format!("3 {} {} {} 1 0.5\n", triangle[0], triangle[1], triangle[2]).into_bytes());
            continue;
        }
        bytes.push(3);
        triangle.iter().for_each(|v| put(&mut bytes, v.to_le_bytes().to_vec()));
        bytes.push(1);
        put(&mut bytes, 0.5f32.to_le_bytes().to_vec());
    }
    bytes
}

fn forms(surface: &Surface) -> Vec<(&'static str, Vec<u8>)> {
    let forms = ["ascii", "binary_little_endian", "binary_big_endian"];
    let mut all = vec![("obj", obj(surface)), ("stl", stl(surface, false)), ("stl", stl(surface, true))];
    all.extend(forms.iter().map(|form| ("ply", ply(surface, form))));
    all
}

#[test]
fn every_format_gives_the_same_solid() {
    // Lengths that 32 bits hold.
    let body = cuboid([0.5, 0.25, 0.125]);
    let volume = 0.5 * 0.25 * 0.125;
    for (ending, bytes) in forms(&body) {
        let read = from_bytes(&bytes, ending).unwrap();
        assert_eq!(read.triangles.len(), 12, "{ending}");
        let (mended, report) = read.mended();
        assert_eq!((mended.vertices.len(), report.holes), (8, 0), "{ending}");
        assert!((mended.bulk().unwrap().volume / volume - 1.0).abs() < 1e-12, "{ending}");
    }
    let polygons = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf -4 -3 -2 -1 # a square\n";
    assert_eq!(from_bytes(polygons, "obj").unwrap().triangles, [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn files_that_are_broken_anywhere_are_refused_in_a_line_and_never_stop_the_program() {
    for (ending, text, said) in [
        ("obj", "v 0 0\nf 1 2 3", "line 1: a coordinate is missing"),
        ("obj", "v 0 0 nan\n", "line 1: 'nan' is no coordinate"),
        ("obj", "v 0 0 0\nf 1 2 3", "line 2: a face names corner 1"),
        ("obj", "v 0 0 0\nf 1 -9 1", "names no corner"),
        ("obj", "", "holds no triangle"),
        ("stl", "hello", "not an STL file"),
        ("stl", "solid x\nfacet\nvertex 1 2 3\n", "ends within a facet"),
        ("ply", "plyx\n", "does not begin with 'ply'"),
        (
            "ply",
            "ply\nformat ascii 1.0\nelement vertex 99999999999\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n",
            "and is",
        ),
        ("ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n", "lack x, y or z"),
        ("ply", "ply\nformat wild 1.0\nend_header\n", "unknown format 'wild'"),
        ("ply", "ply\nformat ascii 1.0\n", "header does not end"),
        ("step", "", "ends in .obj, .stl or .ply"),
    ] {
        let error = from_bytes(text.as_bytes(), ending).unwrap_err();
        assert!(error.contains(said) && !error.contains('\n'), "{text}: {error}");
    }
    let mut rng = Rng::new(7, "fuzz");
    let rounds = if std::env::var_os("TOCCO_LONG").is_some() { 200_000 } else { 4_000 };
    for (ending, bytes) in forms(&cuboid([0.5, 0.25, 0.125])) {
        for _ in 0..rounds / 6 {
            let mut bytes = bytes.clone();
            let below = |rng: &mut Rng, n: usize| (rng.between(0.0, n as f64) as usize).min(n - 1);
            for _ in 0..=below(&mut rng, 4) {
                let at = below(&mut rng, bytes.len());
                match below(&mut rng, 3) {
                    0 => bytes[at] = below(&mut rng, 256) as u8,
                    1 => bytes.truncate(at.max(1)),
                    _ => bytes.insert(at, b"0123456789 -\n"[below(&mut rng, 13)]),
                }
            }
            match from_bytes(&bytes, ending) {
                Ok(surface) => drop(surface.mended()),
                Err(error) => assert!(!error.contains('\n') && error.len() < 300, "{error}"),
            }
        }
    }
}
