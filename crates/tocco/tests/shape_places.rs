// SPDX-License-Identifier: MIT OR Apache-2.0
//! Where a body is struck: nodal lines, centres, rims and corners as Avanzini et al. 2003 section 8.2.2 describes them; and what is refused.
#![cfg(feature = "text")]

use std::time::{Duration, Instant};
use tocco::math::Real;
use tocco::param::KeyType;
use tocco::resonator::shape::{FAMILIES, MaterialDef, Place, PlaceOn, ShapeDef, Solved, evaluate};
use tocco::rng::Rng;
use tocco::{Engine, Queue, Scene, SceneDef};

fn drum() -> ShapeDef {
    let drum = ShapeDef::new("circular-membrane", MaterialDef::Named("skin")).unwrap();
    drum.with("radius_m", 0.2).with("thickness_m", 2e-4).with("freq_hz", 100.0).with_modes(200)
}

fn room() -> ShapeDef {
    let room = ShapeDef::new("box", MaterialDef::Air).unwrap().with("length_m", 4.0);
    room.with("width_m", 3.1).with("height_m", 2.3).with_modes(500)
}

fn solve(def: &ShapeDef, places: &[Place]) -> Solved {
    let ports: Vec<_> = places.iter().map(|place| PlaceOn { name: "p".into(), place: place.clone() }).collect();
    evaluate(def, &ports, 24_000.0).unwrap().held_still()
}

fn named(word: &str) -> Place {
    Place::Named(word.into())
}

/// Mean frequency of what an ideal blow leaves in a body, weighted by energy: phi^2/m.
fn centroid_hz(solved: &Solved, port: usize) -> Real {
    let energy = |i: usize| solved.shapes[port][i] * solved.shapes[port][i] / solved.modes[i].mass_kg;
    let all: Real = (0..solved.modes.len()).map(energy).sum();
    (0..solved.modes.len()).map(|i| energy(i) * solved.modes[i].freq_hz).sum::<Real>() / all
}

#[test]
fn seven_of_eight_modes_of_a_box_vanish_at_its_centre_and_all_are_struck_at_a_corner() {
    let solved = solve(&room(), &[named("centre"), named("corner")]);
    let moved = |port: usize| solved.shapes[port].iter().filter(|x| **x != 0.0).count();
    assert_eq!(moved(1), 500);
    // Those with three even numbers; near 1/8 of any long list.
    let even = solved.modes.iter().filter(|mode| mode.numbers.iter().all(|n| n % 2 == 0)).count();
    assert_eq!(moved(0), even);
    let share = even as Real / 500.0;
    assert!((0.1..0.16).contains(&share), "{share}");
    // Of the modes below a frequency with 2 x 2 x 2 parities complete, exactly one of eight.
    let block =
        solved.modes.iter().zip(&solved.shapes[0]).filter(|(mode, _)| mode.numbers.iter().all(|n| (1..=2).contains(n)));
    let block: Vec<bool> = block.map(|(_, x)| *x != 0.0).collect();
    assert_eq!((block.len(), block.iter().filter(|moves| **moves).count()), (8, 1));
    // And the most effective place is the boundary: no mode moves more inside than at the corner.
    let inside = solve(&room(), &[Place::At(vec![0.3, 0.4, 0.2])]);
    assert!(inside.shapes[0].iter().zip(&solved.shapes[1]).all(|(a, b)| a.abs() <= b.abs() + 1e-12));
}

#[test]
fn the_centre_of_a_drum_sounds_only_the_modes_without_diameters() {
    let solved = solve(&drum(), &[named("centre"), named("off-centre")]);
    for (i, mode) in solved.modes.iter().enumerate() {
        assert_eq!(solved.shapes[0][i] != 0.0, mode.numbers[0] == 0, "{:?}", mode.numbers);
        // Struck at angle 0, the sine of every pair lies on its nodal line.
        assert!(mode.numbers[2] == 0 || solved.shapes[1][i] == 0.0, "{:?}", mode.numbers);
    }
    assert!(solved.modes.iter().filter(|mode| mode.numbers[0] == 0).count() >= 7);
}

#[test]
fn turning_the_stroke_moves_energy_between_the_two_of_a_pair_and_keeps_their_sum() {
    let places = [0.0, 0.1, 0.33].map(|turn| Place::At(vec![0.6, turn]));
    let solved = solve(&drum(), &places);
    for i in (0..solved.modes.len() - 1).filter(|&i| solved.modes[i].numbers[2] == 0 && solved.modes[i].numbers[0] > 0)
    {
        let sum = |port: usize| {
            let [a, b] = [solved.shapes[port][i], solved.shapes[port][i + 1]];
            a * a + b * b
        };
        assert_eq!(solved.modes[i].freq_hz, solved.modes[i + 1].freq_hz);
        assert!((sum(1) - sum(0)).abs() < 1e-9 && (sum(2) - sum(0)).abs() < 1e-9);
    }
}

#[test]
fn energy_moves_up_in_the_spectrum_towards_the_rim_of_a_drum_and_the_edges_of_skins_and_strings() {
    let towards = [0.0, 0.5, 0.8, 0.9, 0.97].map(|r| Place::At(vec![r, 0.0]));
    let solved = solve(&drum(), &towards);
    let rim: Vec<Real> = (1..towards.len()).map(|port| centroid_hz(&solved, port)).collect();
    assert!(rim.is_sorted() && rim[3] > 1.1 * rim[0], "{rim:?}");
    let string =
        ShapeDef::new("string", MaterialDef::Named("steel")).unwrap().with("length_m", 0.65).with("diameter_m", 1e-3);
    let string = string.with("freq_hz", 196.0).with_modes(40);
    let solved = solve(&string, &[0.5, 0.2, 0.01].map(|x| Place::At(vec![x])));
    assert!((0..2).all(|port| centroid_hz(&solved, 2) > 1.2 * centroid_hz(&solved, port)));
}

#[test]
fn a_clamped_bar_sounds_its_higher_partials_near_the_fixed_end_and_the_lower_ones_at_the_free_end() {
    let bar = ShapeDef::new("bar", MaterialDef::Named("steel")).unwrap().with_word("support", "clamped-free");
    let bar = bar.with("length_m", 0.2).with("width_m", 0.01).with("thickness_m", 0.001);
    let solved = solve(&bar, &[0.02, 0.1, 0.3, 1.0].map(|x| Place::At(vec![x])));
    let second = |port: usize| (solved.shapes[port][1] / solved.shapes[port][0]).abs();
    let high = |port: usize| (solved.shapes[port][5] / solved.shapes[port][0]).abs();
    assert!(second(0) > 5.0 && high(0) > 60.0, "{} {}", second(0), high(0));
    assert!(second(0) > second(1) && second(1) > second(2) && second(2) > second(3));
    assert!((second(3) - 1.0).abs() < 1e-9 && (high(3) - 1.0).abs() < 1e-9);
}

#[test]
fn a_stroke_on_a_nodal_line_leaves_its_mode_silent_in_the_engine_too() {
    let scene = |place: &str| {
        format!(
            "rate_hz = 48000\n[body.bar]\ntype = \"shape\"\nshape = \"bar\"\nsupport = \"hinged\"\nlength_m = 0.3\nwidth_m = 0.02\n\
             thickness_m = 0.004\nmaterial = \"steel\"\nmodes = 2\n[body.bar.port]\nhere = {place}\near = 0.25\n\
             [[event]]\nat_s = 0\nhit = \"bar.here\"\nimpulse_n_s = 0.01\n[[tap]]\nof = \"bar.ear\""
        )
    };
    let crossings = |text: &str| {
        let def = SceneDef::from_text(text).unwrap();
        let mut engine = Engine::new(Scene::build(&def, 48_000.0).unwrap());
        let mut out = vec![0.0; 4800];
        engine.render(&[], &mut Queue::new(), &mut out);
        out.windows(2).filter(|w| w[0].signum() != w[1].signum()).count() as Real / 0.2
    };
    let bar = ShapeDef::new("bar", MaterialDef::Named("steel")).unwrap().with_word("support", "hinged");
    let bar = bar.with("length_m", 0.3).with("width_m", 0.02).with("thickness_m", 0.004).with_modes(2);
    let first_hz = solve(&bar, &[]).modes[0].freq_hz;
    assert!((crossings(&scene("\"centre\"")) / first_hz - 1.0).abs() < 0.03);
    assert!((crossings(&scene("0.27")) / first_hz - 1.0).abs() > 0.2);
}

/// A scene of one shape.
fn scene(keys: &str) -> String {
    format!("[body.x]\ntype = \"shape\"\n{keys}\n[[tap]]\nof = \"x\"\n")
}

#[test]
fn what_cannot_be_is_refused_in_one_line_with_its_place_and_what_to_do() {
    let bar = "shape = \"bar\"\nlength_m = 0.3\nwidth_m = 0.03\nthickness_m = 0.005\nmaterial = \"steel\"";
    let drum = "shape = \"circular-membrane\"\nradius_m = 0.2\nthickness_m = 2e-4\nmaterial = \"skin\"";
    for (keys, said) in [
        (
            bar.replace("= 0.3\n", "= 0\n"),
            "line 4: body.x.length_m: 0 m is out of range; wants a number from 0.001 m to 100 m",
        ),
        (
            bar.replace("= 0.3\n", "= -1\n"),
            "line 4: body.x.length_m: -1 m is out of range; wants a number from 0.001 m to 100 m",
        ),
        (
            bar.replace("0.005", "0.5"),
            "line 6: body.x.thickness_m: 0.5 m is more than 0.2 of length_m = 0.3 m, where the theory ends; wants at most 0.06",
        ),
        (bar.replace("\"bar\"", "\"baar\""), "line 3: body.x.shape: unknown shape 'baar'; did you mean 'bar'?"),
        (bar.replace("length_m", "lenght_m"), "line 4: body.x.lenght_m: unknown key; did you mean 'length_m'?"),
        (bar.replace("steel", "steeel"), "line 7: body.x.material: no material 'steeel'; did you mean 'steel'?"),
        (
            bar.replace("steel", "wood"),
            "line 7: body.x.material: which wood? choose spruce, pine, maple, oak, rosewood",
        ),
        (
            bar.replace("\"steel\"", "{ density_kg_m3 = 1e5, young_pa = 1e9, loss_factor = 0.01 }"),
            "line 7: body.x.material.density_kg_m3: 100000 kg/m^3 is out of range; wants a number from 1 kg/m^3 to 30000 kg/m^3",
        ),
        (
            bar.replace("\"steel\"", "{ density_kg_m3 = 1e3, young_pa = 1e9, loss_facto = 0.01 }"),
            "line 7: body.x.material.loss_facto: unknown key; did you mean 'loss_factor'?",
        ),
        (bar.replace("material = \"steel\"", ""), "line 1: body.x: a bar needs material"),
        (
            bar.replace("\"bar\"", "\"bar\"\nsupport = \"fre\""),
            "line 4: body.x.support: unknown word 'fre'; did you mean 'free'?",
        ),
        (
            format!("{bar}\n[body.x.port]\nend = 1.2"),
            "line 9: body.x.port.end: 1.2 is outside the body; wants a fraction of the length, 0 to 1",
        ),
        (
            format!("{bar}\n[body.x.port]\nend = [0.1, 0.2]"),
            "line 9: body.x.port.end: has 2 coordinates; wants a fraction of the length, 0 to 1",
        ),
        (
            format!("{bar}\n[body.x.port]\nend = \"rim\""),
            "line 9: body.x.port.end: a bar has no place 'rim'; wants one of end, start, centre, quarter, third, or a fraction of \
             the length, 0 to 1",
        ),
        (
            format!("{bar}\nsupport = \"hinged\"\n[body.x.port]\nend = 0"),
            "line 10: body.x.port.end: no mode moves there (a fixed edge, or a nodal line of all); move it",
        ),
        (
            bar.replace("0.3\n", "0.002\n").replace("0.03", "0.001").replace("0.005", "0.0004"),
            "line 1: body.x: no mode lies below 24000 Hz; make it larger or raise rate_hz",
        ),
        (drum.into(), "line 1: body.x: needs one of tension_n_m, freq_hz"),
        (
            format!("{drum}\nfreq_hz = 100\ntension_n_m = 10"),
            "line 7: body.x.freq_hz: stands beside tension_n_m; keep one of tension_n_m, freq_hz",
        ),
        (
            "shape = \"sphere\"\nradius_m = 1\nmaterial = \"steel\"".into(),
            "line 5: body.x.material: a sphere is a cavity and holds air; leave it out",
        ),
        (
            format!("{bar}\n[body.x.port]\na = 0.1\n[body.x.morph]\nshape = \"sphere\"\nradius_m = 1"),
            "line 11: body.x.morph.shape: port a: wants fractions of [radius, half turn from the pole, turn], each 0 to 1; \
             say where it is on this shape in [body.x.morph.port]",
        ),
    ] {
        let answer = SceneDef::from_text(&scene(&keys)).and_then(|def| Scene::build(&def, 48_000.0).map(|_| ()));
        assert_eq!(answer.unwrap_err().to_string(), said, "{keys}");
    }
}

#[test]
fn any_dimensions_in_range_give_finite_modes_in_order_or_one_line_soon() {
    let mut rng = Rng::new(1, "shapes");
    let (mut solved, mut refused) = (0, 0);
    for case in 0..1200 {
        let family = &FAMILIES[case % FAMILIES.len()];
        let stuff = if family.solid {
            MaterialDef::Named(["steel", "rubber", "glass", "skin"][case / 12 % 4])
        } else {
            MaterialDef::Air
        };
        let mut def = ShapeDef::new(family.kind.id, stuff).unwrap().with_modes(1 + rng.bits() as u32 % 100);
        for key in family.kind.keys {
            let value = match key.takes {
                KeyType::Word(words) => {
                    def = def.with_word(key.id, words[rng.bits() as usize % words.len()]);
                    continue;
                }
                // Every third case stays near things of the hand.
                KeyType::Number { min, max, .. } if case % 3 == 0 && min > 0.0 => {
                    rng.between_log((30.0 * min).min(max), (0.03 * max).max(min))
                }
                KeyType::Number { min, max, .. } if min > 0.0 => rng.between_log(min, max),
                KeyType::Number { min, max, .. } => rng.between(min, max),
                _ => panic!("{}", key.id),
            };
            let either = matches!(key.id, "freq_hz" | "tension_n" | "tension_n_m") && !key.required;
            if key.required || !either || (key.id == "freq_hz") == (case % 2 == 0) {
                def = def.with(key.id, value);
            }
        }
        let place = Place::At(family.axes.iter().map(|_| rng.unit()).collect());
        let begun = Instant::now();
        match evaluate(&def, &[PlaceOn { name: "p".into(), place }], 24_000.0) {
            Ok(body) => {
                let body = body.held_still();
                solved += 1;
                assert!(body.modes.is_sorted_by(|a, b| a.freq_hz <= b.freq_hz), "{def:?}");
                assert!(
                    body.modes
                        .iter()
                        .all(|m| m.freq_hz > 0.0 && m.freq_hz < 24_000.0 && m.mass_kg > 0.0 && m.decay_s > 0.0)
                );
                assert!(body.shapes[0].iter().all(|x| x.abs() < 1e3), "{def:?}");
            }
            Err(fault) => {
                refused += 1;
                assert!(!fault.what.is_empty() && fault.what.len() < 300 && !fault.what.contains('\n'), "{fault:?}");
            }
        }
        assert!(begun.elapsed() < Duration::from_secs(3), "{:?} {def:?}", begun.elapsed());
    }
    assert!(solved > 300 && refused > 50, "{solved} {refused}");
}
