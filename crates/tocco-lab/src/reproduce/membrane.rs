// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figure 8.1 of Avanzini et al. 2003: a circular membrane displaced by one mode, and what a blow on a nodal line does not excite.

use super::{Csv, Outcome};
use crate::plot::{Figure, Look, Panel, Series};
use std::f64::consts::TAU;
use tocco::Queue;
use tocco::engine::Engine;
use tocco::resonator::shape::{MaterialDef, Place, PlaceOn, ShapeDef, Solved, evaluate};
use tocco::scene::{Scene, SceneDef};

const RATE_HZ: f64 = 8_000.0;
const DURATION_S: f64 = 4.0;
const LOWEST_HZ: f64 = 100.0;
/// First zeros of J_1, by which the nodal circle of mode (1,2) is placed.
const ZEROS_OF_J1: [f64; 2] = [3.831_705_970_207_512, 7.015_586_669_815_619];
/// Printed in the caption.
const RATIOS: [(&str, f64); 2] = [("(1,1)", 1.593), ("(1,2)", 2.917)];

fn scene(hit: &str) -> String {
    let circle = ZEROS_OF_J1[0] / ZEROS_OF_J1[1];
    format!(
        "version = 1\ntitle = \"Avanzini 2003 Figure 8.1: a blow on a membrane\"\nduration_s = {DURATION_S:?}\nrate_hz = {RATE_HZ:?}\n\n\
         [body.skin]\ntype = \"shape\"\nshape = \"circular-membrane\"\nradius_m = 0.3\nthickness_m = 0.0002\nfreq_hz = {LOWEST_HZ:?}\n\
         material = {{ density_kg_m3 = 1390.0, young_pa = 4e9, poisson = 0.38, loss_factor = 1e-3 }}\nmodes = 60\n\n\
         [body.skin.port]\nedge = [0.8, 0.0]\ncentre = \"centre\"\nnodal-circle = [{circle:?}, 0.0]\near = [0.75, 0.0]\n\n\
         [[event]]\nat_s = 0.0\nhit = \"skin.{hit}\"\nimpulse_n_s = 0.01\n\n[[tap]]\nof = \"skin.ear\"\n"
    )
}

/// What is heard at the ear after a hit, m/s.
fn heard(hit: &str) -> Result<Vec<f32>, String> {
    let def = SceneDef::from_text(&scene(hit)).map_err(|cause| cause.to_string())?;
    let built = Scene::build(&def, RATE_HZ).map_err(|cause| cause.to_string())?;
    let mut out = vec![0.0; (DURATION_S * RATE_HZ) as usize];
    Engine::new(built).render(&[], &mut Queue::new(), &mut out);
    Ok(out)
}

/// Magnitude at a frequency under a Hann window.
fn level(signal: &[f32], freq_hz: f64) -> f64 {
    let n = signal.len() as f64;
    let (mut re, mut im) = (0.0, 0.0);
    for (i, x) in signal.iter().enumerate() {
        let window = 0.5 - 0.5 * (TAU * i as f64 / n).cos();
        let (sin, cos) = (TAU * freq_hz * i as f64 / RATE_HZ).sin_cos();
        re += f64::from(*x) * window * cos;
        im += f64::from(*x) * window * sin;
    }
    f64::hypot(re, im)
}

/// The strongest frequency within 2 % of `near_hz`, Hz, by golden section after a scan.
fn peak_hz(signal: &[f32], near_hz: f64) -> f64 {
    let at = |i: i32| near_hz * (1.0 + 0.0005 * f64::from(i));
    let best = (-40..=40).max_by(|a, b| level(signal, at(*a)).total_cmp(&level(signal, at(*b)))).unwrap_or(0);
    let (mut low, mut high) = (at(best - 1), at(best + 1));
    for _ in 0..30 {
        let (a, b) = (low + 0.382 * (high - low), low + 0.618 * (high - low));
        if level(signal, a) > level(signal, b) { high = b } else { low = a }
    }
    0.5 * (low + high)
}

fn solve(places: &[PlaceOn]) -> Result<Solved, String> {
    let shape = ShapeDef::new("circular-membrane", MaterialDef::Named("mylar")).ok_or("no circular membrane")?;
    let shape = shape.with("radius_m", 0.3).with("thickness_m", 0.0002).with("freq_hz", LOWEST_HZ);
    evaluate(&shape, places, 24_000.0).map_err(|fault| fault.what)
}

/// Index of the mode nearest to a ratio that moves at the first place: of a pair, the cosine.
fn mode_at(solved: &Solved, ratio: f64) -> usize {
    let off = |i: &usize| (solved.modes[*i].freq_hz / solved.modes[0].freq_hz - ratio).abs();
    let moves = |i: &usize| solved.shapes[0][*i].abs() > 1e-6;
    (0..solved.modes.len()).filter(moves).min_by(|a, b| off(a).total_cmp(&off(b))).unwrap_or(0)
}

/// Rings and spokes of the drawn surface.
const GRID: (usize, usize) = (12, 36);

/// The displaced membrane, seen from the side and above.
fn picture(title: &str, height: &dyn Fn(usize, usize) -> f64) -> Panel {
    let (rings, spokes) = GRID;
    let (turn, tilt) = (0.6_f64, 0.5_f64);
    let place = |ring: usize, spoke: usize| {
        let (r, angle) = (ring as f64 / rings as f64, TAU * spoke as f64 / spokes as f64 + turn);
        let (x, away) = (r * angle.cos(), r * angle.sin());
        ((x, away * tilt.sin() + 0.3 * height(ring, spoke % spokes) * tilt.cos()), away)
    };
    let most =
        (0..=rings).flat_map(|i| (0..spokes).map(move |j| (i, j))).fold(0.0f64, |m, (i, j)| m.max(height(i, j).abs()));
    let mut cells = Vec::new();
    for ring in 0..rings {
        for spoke in 0..spokes {
            let corners = [(ring, spoke), (ring + 1, spoke), (ring + 1, spoke + 1), (ring, spoke + 1)];
            let depth: f64 = corners.iter().map(|(i, j)| place(*i, *j).1).sum();
            let mean: f64 = corners.iter().map(|(i, j)| height(*i, *j % spokes)).sum::<f64>() / 4.0;
            let data = corners.iter().map(|(i, j)| place(*i, *j).0).collect();
            let share = (10.0 + 80.0 * (mean / most).abs()).round() as u8;
            cells.push((depth, Series::new("", if mean > 0.0 { 1 } else { 2 }, Look::Patch(share), data)));
        }
    }
    cells.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut panel = Panel::new(title, "", "");
    panel.series = cells.into_iter().map(|(_, series)| series).collect();
    panel.bare = true;
    panel.x_range = Some((-1.15, 1.15));
    panel.y_range = Some((-0.95, 0.95));
    panel
}

pub fn compute() -> Result<Outcome, String> {
    let mut out = Outcome {
        csv: Csv::new(&["radius", "turn", "mode_1_1", "mode_1_2"]),
        scene: scene("edge"),
        ..Outcome::default()
    };
    let (rings, spokes) = GRID;
    let spot = |ring: usize, spoke: usize| [ring as f64 / rings as f64, spoke as f64 / spokes as f64];
    let mut places = vec![PlaceOn { name: "first".into(), place: Place::At(vec![0.3, 0.0]) }];
    // The rim itself is held and no place to touch.
    for ring in 0..rings {
        for spoke in 0..spokes {
            places.push(PlaceOn { name: "spot".into(), place: Place::At(spot(ring, spoke).to_vec()) });
        }
    }
    let solved = solve(&places)?;
    let ratio = |mode: usize| solved.modes[mode].freq_hz / solved.modes[0].freq_hz;
    let chosen = RATIOS.map(|(_, printed)| mode_at(&solved, printed));
    let edge = heard("edge")?;
    let lowest_hz = peak_hz(&edge, LOWEST_HZ);
    for ((name, printed), mode) in RATIOS.into_iter().zip(chosen) {
        out.near(format!("frequency of mode {name} over (0,1), computed"), printed, ratio(mode), 5e-4, 4);
        let played = peak_hz(&edge, ratio(mode) * LOWEST_HZ) / lowest_hz;
        out.near(format!("frequency of mode {name} over (0,1), played"), printed, played, 1e-3, 4);
    }
    let decibels = |hit: &[f32], mode: usize| {
        let freq_hz = ratio(mode) * LOWEST_HZ;
        20.0 * (level(hit, freq_hz) / level(&edge, freq_hz)).log10()
    };
    let (centre, circle) = (heard("centre")?, heard("nodal-circle")?);
    for (what, hit, mode) in [
        ("a blow at the centre: mode (1,1), dB under one near the rim", &centre, chosen[0]),
        ("a blow at the centre: mode (1,2), dB", &centre, chosen[1]),
        ("a blow on the nodal circle of (1,2): that mode, dB", &circle, chosen[1]),
    ] {
        let db = decibels(hit, mode);
        out.holds(what, "not excited at all", format!("{db:.0}"), db < -80.0);
    }
    let db = decibels(&circle, chosen[0]);
    out.holds("the same blow: mode (1,1), dB", "excited", format!("{db:.1}"), db > -20.0);
    let height = |mode: usize, ring: usize, spoke: usize| {
        if ring == rings { 0.0 } else { solved.shapes[1 + ring * spokes + spoke][mode] }
    };
    for ring in 0..=rings {
        for spoke in 0..spokes {
            let values = chosen.map(|mode| height(mode, ring, spoke));
            out.csv.row(&[], &[spot(ring, spoke)[0], spot(ring, spoke)[1], values[0], values[1]]);
        }
    }
    let panels = RATIOS.into_iter().zip(chosen).map(|((name, _), mode)| {
        let title = format!("mode {name}, {:.3} times the lowest", ratio(mode));
        picture(&title, &|ring, spoke| height(mode, ring, spoke))
    });
    out.figure =
        Figure { title: "Avanzini 2003 Figure 8.1: modes of a circular membrane".into(), panels: panels.collect() };
    Ok(out)
}
