// SPDX-License-Identifier: MIT OR Apache-2.0
//! Walks: what a scene's walker presses, where and when, and what hears it.

mod common;
use common::engine;
use tocco::engine::{Command, Queue, Timed};

/// Values of signals every ms, from a scene that renders at this rate.
fn heard(text: &str, names: &[&str], seconds: f64, rate_hz: f64) -> Vec<Vec<f64>> {
    let mut engine = engine(text, rate_hz);
    let probes: Vec<_> =
        names.iter().map(|name| engine.scene().directory().probe(&format!("{name}.value")).unwrap()).collect();
    let mut all = vec![Vec::new(); names.len()];
    let mut out = vec![0.0; (rate_hz / 1000.0) as usize * engine.scene().channels()];
    for _ in 0..(seconds * 1000.0) as usize {
        engine.render(&[], &mut Queue::new(), &mut out);
        for (list, probe) in all.iter_mut().zip(&probes) {
            list.push(engine.probe(*probe));
        }
    }
    all
}

const REGIONS: [&str; 4] = ["anna.heel_left", "anna.toe_left", "anna.heel_right", "anna.toe_right"];

fn total(regions: &[Vec<f64>], k: usize) -> f64 {
    regions.iter().map(|region| region[k]).sum()
}

/// Cells at which a region or a foot comes down.
fn onsets(force: &[f64]) -> Vec<usize> {
    let mut all = Vec::new();
    let mut last = 0;
    for k in 1..force.len() {
        if force[k - 1] <= 0.02 && force[k] > 0.02 && (all.is_empty() || k > last + 100) {
            all.push(k);
            last = k;
        }
    }
    all
}

#[test]
fn a_walker_steps_at_the_rate_of_its_speed_and_carries_its_weight_on_average() {
    for (speed, steps_hz) in [(0.9, 1.5179), (1.3, 1.8243), (1.8, 2.1466)] {
        let text = format!("[walk.anna]\nspeed_m_s = {speed}\nvariation_01 = 0\nasymmetry_01 = 0\ncushion_01 = 0\n");
        let regions = heard(&text, &REGIONS, 12.0, 48_000.0);
        let left: Vec<f64> = (0..12_000).map(|k| regions[0][k] + regions[1][k]).collect();
        let steps = onsets(&left);
        let stride = (steps[steps.len() - 1] - steps[0]) as f64 / (steps.len() - 1) as f64 / 1000.0;
        assert!((2.0 / stride - steps_hz).abs() < 2e-3, "{speed}: {}", 2.0 / stride);
        let (from, to) = (steps[1], steps[steps.len() - 1]);
        let mean = (from..to).map(|k| total(&regions, k)).sum::<f64>() / (to - from) as f64;
        assert!((0.98..1.05).contains(&mean), "{speed}: {mean} body weights");
    }
}

#[test]
fn heel_and_toe_of_a_walking_foot_are_the_curve_of_its_speed_shared_as_the_page_says() {
    for speed in [0.9, 1.3, 1.8] {
        let text = format!("[walk.anna]\nspeed_m_s = {speed}\nvariation_01 = 0\nasymmetry_01 = 0\ncushion_01 = 0\n");
        let regions = heard(&text, &REGIONS, 5.0, 48_000.0);
        let curve = tocco::gait::curve::WalkCurve::at_speed(speed);
        let (hz, duty) = tocco::gait::curve::walk_timing(speed);
        let stance_ms = 2000.0 * duty / hz;
        let foot: Vec<f64> = (0..5000).map(|k| regions[0][k] + regions[1][k]).collect();
        let down = onsets(&foot)[1];
        // When it came down, between two cells: from one value on the way up to the first hump.
        let at = down + (0.12 * stance_ms) as usize;
        let (mut low, mut high) = (down as f64 - 3.0, down as f64 + 3.0);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if curve.force((at as f64 - middle) / stance_ms) > foot[at] { low = middle } else { high = middle }
        }
        for k in down..down + stance_ms as usize - 2 {
            let s = (k as f64 - low) / stance_ms;
            let (wanted, share) = (curve.force(s), curve.heel_share(s));
            assert!((foot[k] - wanted).abs() < 1e-9, "{speed} m/s, {s}: {} {wanted}", foot[k]);
            assert!((regions[0][k] - share * wanted).abs() < 1e-9, "{speed} m/s, {s}: {}", regions[0][k]);
        }
    }
}

#[test]
fn a_walker_starts_from_both_feet_stops_on_both_and_carries_its_weight_meanwhile() {
    let regions = heard("[walk.anna]\nspeed_m_s = 1.3\nsteps = 6\n", &REGIONS, 8.0, 48_000.0);
    for k in [0, 7_900] {
        assert!((total(&regions, k) - 1.0).abs() < 0.02, "{}", total(&regions, k));
        assert!(regions.iter().all(|region| region[k] > 0.1));
    }
    let mean = |from: usize, to: usize| (from..to).map(|k| total(&regions, k)).sum::<f64>() / (to - from) as f64;
    assert!((mean(0, 1200) - 1.0).abs() < 0.15, "starting {}", mean(0, 1200));
    assert!((mean(0, 7900) - 1.0).abs() < 0.1, "all of it {}", mean(0, 7900));
    // Nothing jumps: the steepest is a heel that comes down.
    for region in &regions {
        let steepest = region.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max);
        assert!(steepest < 0.12, "{steepest} body weights in a ms");
    }
}

#[test]
fn a_walk_is_the_same_at_every_rate_of_rendering() {
    let text = "[walk.anna]\nspeed_m_s = 1.4\n";
    let at = |rate_hz| heard(text, &REGIONS, 3.0, rate_hz);
    assert_eq!(at(48_000.0), at(96_000.0));
    assert_ne!(at(48_000.0), heard("seed = 2\n[walk.anna]\nspeed_m_s = 1.4\n", &REGIONS, 3.0, 48_000.0));
}

#[test]
fn who_runs_has_both_feet_in_the_air_and_lands_with_more_than_twice_the_weight() {
    let regions = heard("[walk.anna]\nspeed_m_s = 3.5\nvariation_01 = 0\n", &REGIONS, 6.0, 48_000.0);
    let aloft = (2000..6000).filter(|k| total(&regions, *k) == 0.0).count();
    let most = (2000..6000).map(|k| total(&regions, k)).fold(0.0, f64::max);
    let mean = (2000..6000).map(|k| total(&regions, k)).sum::<f64>() / 4000.0;
    assert!(aloft > 600, "{aloft} ms");
    assert!(most > 2.0 && most < 3.2 && (mean - 1.0).abs() < 0.05, "{most} {mean}");
}

#[test]
fn a_jump_leaves_the_ground_for_as_long_as_its_height_asks() {
    let text = "[walk.anna]\nspeed_m_s = 0\njump_m = 0.3\n";
    let regions = heard(text, &REGIONS, 3.0, 48_000.0);
    let aloft = (0..3000).filter(|k| total(&regions, *k) == 0.0).count();
    let wanted = 2.0 * (2.0 * 0.3 / 9.81_f64).sqrt() * 1000.0;
    assert!((aloft as f64 - wanted).abs() < 20.0, "{aloft} {wanted}");
    assert!((total(&regions, 2900) - 1.0).abs() < 0.01, "and it stands again, once");
}

#[test]
fn who_leaps_while_running_is_aloft_for_as_long_as_the_height_asks_and_goes_on() {
    let text = "[walk.anna]\nspeed_m_s = 4\nvariation_01 = 0\nasymmetry_01 = 0\n[[event]]\nat_s = 3.0\nset = \"anna/jump_m\"\nvalue = 0.4\n";
    let regions = heard(text, &REGIONS, 8.0, 48_000.0);
    let (mut aloft, mut longest, mut flights) = (0, 0, 0);
    for k in 2000..8000 {
        if total(&regions, k) == 0.0 {
            aloft += 1;
        } else {
            longest = longest.max(aloft);
            flights += usize::from(aloft > 0);
            aloft = 0;
        }
    }
    let wanted = 2.0 * (2.0 * 0.4 / 9.81_f64).sqrt() * 1000.0;
    assert!((longest as f64 - wanted).abs() < 12.0, "{longest} ms aloft, {wanted} ms asked for");
    // One leap among running steps, and what is pressed is what is carried.
    let long = |k: usize| (k..k + 300).all(|k| total(&regions, k) == 0.0);
    assert_eq!((2000..7600).filter(|k| long(*k) && !long(*k - 1)).count(), 1);
    let mean = (2500..7500).map(|k| total(&regions, k)).sum::<f64>() / 5000.0;
    assert!((mean - 1.0).abs() < 0.03 && flights > 12, "{mean}, {flights} flights");
    let most = (2000..8000).map(|k| total(&regions, k)).fold(0.0, f64::max);
    let usual = (5500..8000).map(|k| total(&regions, k)).fold(0.0, f64::max);
    assert!(most > 1.3 * usual, "{most} {usual}");
}

#[test]
fn on_stairs_and_on_tiptoe_the_front_of_the_foot_comes_down_first_and_the_weight_is_carried() {
    let walk = |extra: &str| {
        let text = format!("[walk.anna]\nspeed_m_s = 0.9\nvariation_01 = 0\nasymmetry_01 = 0\ncushion_01 = 0\n{extra}");
        heard(&text, &REGIONS, 9.0, 48_000.0)
    };
    // Of the second full step of the left foot: what heel and toe have in its first 40 ms, the most of its first half and of its second, and
    // the mean of all that stands over whole strides.
    let told = |regions: &[Vec<f64>]| {
        let left: Vec<f64> = (0..9000).map(|k| regions[0][k] + regions[1][k]).collect();
        let down = onsets(&left);
        let (from, last) = (down[1], down[down.len() - 1]);
        let sum = |lane: usize| regions[lane][from..from + 40].iter().sum::<f64>();
        let most = |from: usize, to: usize| left[from..to].iter().copied().fold(0.0, f64::max);
        let mean = (from..last).map(|k| total(regions, k)).sum::<f64>() / (last - from) as f64;
        (sum(0), sum(1), most(from + 60, from + 350), most(from + 450, from + 780), mean)
    };
    let [level, up, down, toes] =
        ["", "climb_m = 0.17\n", "climb_m = -0.17\n", "tiptoe_01 = 1\n"].map(|extra| told(&walk(extra)));
    assert!(level.1 < 1e-9 && level.0 > 5.0, "on level ground the heel comes first: {level:?}");
    assert!(up.1 > 0.2 * up.0 && down.1 > 2.0 * down.0, "{up:?} {down:?}");
    assert!(toes.0 == 0.0 && toes.1 > 1.0, "on tiptoe no heel ever: {toes:?}");
    assert!(
        down.2 > 1.25 * level.2 && down.3 < level.3,
        "down, it lands harder than it pushes off: {down:?} {level:?}"
    );
    assert!(up.3 > up.2, "up, it pushes off harder than it lands: {up:?}");
    for (_, _, _, _, mean) in [level, up, down, toes] {
        assert!((mean - level.4).abs() < 0.01 && (0.98..1.04).contains(&mean), "{mean} body weights");
    }
}

#[test]
fn a_path_is_walked_from_place_to_place_and_turning_twists_the_foot() {
    let text = "[walk.anna]\nspeed_m_s = 1.3\npath_m = [[4.0, 0.0], [4.0, 4.0]]\n";
    let names = ["anna.x_left", "anna.y_left", "anna.slide_left", "anna.slide_right", "anna.x_right", "anna.y_right"];
    let found = heard(text, &names, 12.0, 48_000.0);
    let end = |lane: usize| found[lane][11_900];
    assert!((end(0) - 4.0).abs() < 0.6 && (end(1) - 4.0).abs() < 0.6, "{} {}", end(0), end(1));
    let corner = (0..12_000).any(|k| (found[0][k] - 4.0).abs() < 0.6 && found[1][k].abs() < 0.6);
    assert!(corner, "it went by the corner");
    assert!(found[2].iter().chain(&found[3]).any(|slide| *slide > 0.1));
    let straight = heard("[walk.anna]\n", &names, 6.0, 48_000.0);
    assert!(straight[2].iter().chain(&straight[3]).all(|slide| *slide == 0.0));
}

#[test]
fn dragged_feet_press_and_slide_while_they_swing_and_slipping_ones_when_they_land() {
    let names = ["anna.toe_left", "anna.heel_left", "anna.slide_left"];
    let sliding = |extra: &str| {
        let found = heard(&format!("[walk.anna]\nvariation_01 = 0\n{extra}"), &names, 6.0, 48_000.0);
        (2000..6000).filter(|k| found[2][*k] > 0.1 && found[0][*k] + found[1][*k] > 0.0).count()
    };
    assert_eq!(sliding(""), 0);
    assert!(sliding("drag_01 = 1\n") > 500 && sliding("slip_01 = 0.5\n") > 100);
}

#[test]
fn grounds_share_a_foot_by_where_it_stands() {
    let text = "[walk.anna]\nspeed_m_s = 1.2\n[walk.anna.ground.grass]\nx_m = [-10.0, 3.0]\n[walk.anna.ground.stone]\nx_m = [3.0, 50.0]\n";
    let mut names = REGIONS.to_vec();
    let on: Vec<String> = ["grass", "stone"]
        .iter()
        .flat_map(|ground| REGIONS.map(|region| region.replace("anna.", &format!("anna.{ground}."))))
        .collect();
    names.extend(on.iter().map(String::as_str));
    let found = heard(text, &names, 8.0, 48_000.0);
    for region in 0..4 {
        for (k, all) in found[region].iter().enumerate().take(8000) {
            let (grass, stone) = (found[4 + region][k], found[8 + region][k]);
            assert!((grass + stone - all).abs() < 1e-9, "{k}: {grass} {stone} {all}");
        }
        assert!(
            found[4 + region][..2000].iter().any(|x| *x > 0.3) && found[8 + region][..1500].iter().all(|x| *x == 0.0)
        );
        assert!(found[8 + region][6000..].iter().any(|x| *x > 0.3));
    }
}

#[test]
fn feet_that_others_move_say_what_they_are_told_live_by_drives_and_by_streams() {
    let text =
        "[walk.anna]\nsource = \"inlets\"\n[[drive]]\npath = \"anna/toe_right\"\npoints = [[0.0, 0.0], [1.0, 1.0]]\n";
    let mut engine = engine(text, 48_000.0);
    let directory = engine.scene().directory().clone();
    let address = |path: &str| directory.address(path).unwrap();
    let stream: Box<[f64]> = (0..4800).map(|i| f64::from(i) / 4800.0).collect();
    let mut queue = Queue::from([
        Timed { at: 4800, command: Command::Set(address("anna/heel_left"), 0.7) },
        Timed { at: 9600, command: Command::Stream { address: address("anna/heel_right"), values: Some(stream) } },
    ]);
    let mut out = vec![0.0; 4800];
    let read = |engine: &tocco::Engine, name: &str| engine.probe(directory.probe(name).unwrap());
    engine.render(&[], &mut queue, &mut out);
    assert_eq!(read(&engine, "anna.heel_left.value"), 0.0);
    engine.render(&[], &mut queue, &mut out);
    assert_eq!(read(&engine, "anna.heel_left.value"), 0.7);
    engine.render(&[], &mut queue, &mut out);
    let streamed = read(&engine, "anna.heel_right.value");
    assert!((streamed - 1.0).abs() < 0.03, "{streamed}");
    let driven = read(&engine, "anna.toe_right.value");
    assert!((driven - 0.3).abs() < 0.005, "{driven}");
    assert_eq!(engine.health().refused, 0);
    let inlets: Vec<String> = directory.inlets().map(|(path, _)| path).collect();
    assert!(inlets.contains(&"anna/heel_left".to_owned()) && inlets.contains(&"anna/y_right".to_owned()));
}

#[test]
fn two_steps_of_a_walk_differ_and_left_and_right_differ_by_the_asymmetry() {
    let walk = |extra: &str| heard(&format!("[walk.anna]\n{extra}"), &REGIONS, 7.0, 48_000.0);
    let stances = |regions: &[Vec<f64>], side: usize| {
        let foot: Vec<f64> = (0..7000).map(|k| regions[2 * side][k] + regions[2 * side + 1][k]).collect();
        let from = onsets(&foot);
        from.iter().filter(|k| **k + 700 < 7000).map(|k| foot[*k..*k + 640].to_vec()).collect::<Vec<_>>()
    };
    let apart = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let (same, varied) = (walk("variation_01 = 0\nasymmetry_01 = 0\n"), walk("asymmetry_01 = 0\n"));
    let steps = stances(&same, 0);
    // The grid may meet them a part of a millisecond earlier or later.
    assert!(steps.len() >= 4 && apart(&steps[1], &steps[2]) < 0.05, "{}", apart(&steps[1], &steps[2]));
    let steps = stances(&varied, 0);
    assert!(apart(&steps[1], &steps[2]) > 0.06, "{}", apart(&steps[1], &steps[2]));
    // In the middle of the stance, too, where no knock reaches.
    let middle = |steps: &[Vec<f64>]| {
        steps.windows(2).map(|two| apart(&two[0][200..400], &two[1][200..400])).fold(0.0, f64::max)
    };
    assert!(middle(&stances(&same, 0)[1..]) < 0.015 && middle(&steps[1..]) > 0.03, "{}", middle(&steps[1..]));
    // As nobody says otherwise: 3 %.
    let lame = walk("variation_01 = 0\n");
    let sum = |side: usize| stances(&lame, side)[1].iter().sum::<f64>();
    assert!((sum(0) / sum(1) - 1.03).abs() < 0.005, "{}", sum(0) / sum(1));
    // The left step takes 1.03 times as long as the right one, of 548 ms.
    let down = [0, 1]
        .map(|side: usize| onsets(&(0..7000).map(|k| lame[2 * side][k] + lame[2 * side + 1][k]).collect::<Vec<f64>>()));
    let [left, right] = [down[0][1], down[1].iter().copied().find(|k| *k > down[0][1]).unwrap()];
    let again = down[0][2];
    let longer = (right - left) as f64 - (again - right) as f64;
    assert!((longer - 0.03 * 548.2).abs() < 3.0, "{left} {right} {again}");
}

#[test]
fn steps_of_one_person_differ_by_as_much_as_measured_steps_do() {
    // 140 strides of the left foot, each over its own stance; sd of the force at four places. [walker.4]
    let text = "[walk.anna]\nspeed_m_s = 1.3\nasymmetry_01 = 0\ncushion_01 = 0.3\n";
    let regions = heard(text, &REGIONS, 160.0, 8_000.0);
    let foot: Vec<f64> = (0..160_000).map(|k| regions[0][k] + regions[1][k]).collect();
    let from = onsets(&foot);
    let places = [(0.2, 0.054), (0.47, 0.039), (0.75, 0.043), (0.9, 0.075)];
    let mut found: [Vec<f64>; 4] = Default::default();
    for down in &from[2..from.len() - 2] {
        let stance = foot[*down..].iter().take_while(|x| **x > 0.0).count() as f64;
        for (found, (s, _)) in found.iter_mut().zip(places) {
            let place = *down as f64 + s * stance;
            let (k, part) = (place as usize, place.fract());
            found.push(foot[k] + part * (foot[k + 1] - foot[k]));
        }
    }
    for (found, (s, wanted)) in found.iter().zip(places) {
        let mean = found.iter().sum::<f64>() / found.len() as f64;
        let sd = (found.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / found.len() as f64).sqrt();
        // 140 steps tell it to 6 %; between two knots of 0.15 stances it is up to 0.3 less.
        assert!(
            found.len() > 130 && (0.65..1.2).contains(&(sd / wanted)),
            "{} steps, at {s}: {sd} {wanted}",
            found.len()
        );
    }
}

#[test]
fn a_sole_touches_for_as_long_as_the_table_says() {
    let wanted = [
        ("stiletto", [0.586, 0.488, 0.425]),
        ("leather-heel", [1.731, 1.441, 1.254]),
        ("hard-rubber", [4.419, 3.679, 3.203]),
        ("boot", [4.042, 3.365, 2.929]),
        ("sneaker", [8.140, 5.998, 4.760]),
        ("barefoot", [17.226, 12.006, 9.138]),
        ("sock", [26.620, 17.975, 13.355]),
    ];
    for (word, times_ms) in wanted {
        let sole = tocco::gait::sole::Sole::named(word).unwrap();
        for (velocity_m_s, wanted_ms) in [0.2, 0.5, 1.0].into_iter().zip(times_ms) {
            let tocco::gait::sole::Sole { mass_kg, stiffness, exponent, dissipation_s_m, .. } = *sole;
            let wall = tocco::theory::WallImpact { mass_kg, stiffness, exponent, dissipation_s_m, velocity_m_s };
            // The table is that of a blow without losses; with them it takes a little longer.
            let elastic_ms = tocco::theory::WallImpact { dissipation_s_m: 0.0, ..wall }.contact_time_s() * 1000.0;
            assert!((elastic_ms / wanted_ms - 1.0).abs() < 0.01, "{word} {velocity_m_s}: {elastic_ms} {wanted_ms}");
            let closed_ms = wall.contact_time_s() * 1000.0;
            // [sole.1], played by the engine: how long it touches a wall; samples are whole.
            let text = format!(
                "[body.wall]\ntype = 'wall'\n[body.shoe]\ntype = 'mass'\nmass_kg = {}\nvelocity_m_s = {velocity_m_s}\n[contact.sole]\n\
                 type = 'impact'\nbetween = ['shoe', 'wall']\nstiffness = {}\nexponent = {}\ndissipation_s_m = {}\n[[tap]]\nof = 'shoe'\n",
                sole.mass_kg, sole.stiffness, sole.exponent, sole.dissipation_s_m
            );
            let mut engine = engine(&text, 192_000.0);
            let (rows, _) = common::probe(&mut engine, &["sole.force"], 12_000);
            let touching = rows.iter().filter(|row| row[0] > 0.0).count() as f64 / 192.0;
            assert!(
                (touching - closed_ms).abs() < 0.01 * closed_ms + 0.011,
                "{word} {velocity_m_s}: {touching} {closed_ms}"
            );
        }
        assert!((sole.contact_s * 1000.0 / times_ms[1] - 1.0).abs() < 0.01);
    }
}

const SOLID: &str = "[body.shoe]\ntype = 'mass'\nmass_kg = 0.15\nposition_m = -1.0\n[body.floor]\ntype = 'modal'\n\
    modes = [{ freq_hz = 172.0, decay_s = 0.02, mass_kg = 10.0 }, { freq_hz = 720.0, decay_s = 0.012, mass_kg = 2.0 }]\n\
    [contact.sole]\ntype = 'impact'\nbetween = ['shoe', 'floor']\nstiffness = 5e7\ndissipation_s_m = 3.0\n\
    [process.foot]\ntype = 'tread'\ndriven_by = 'press'\non = 'shoe'\nhold_s = 1000.0\n[[tap]]\nof = 'floor'\n";

#[test]
fn a_tread_strikes_as_the_load_rises_presses_and_lets_go() {
    let press = "[signal.press]\ntype = 'points'\npoints = [[0.0, 0.0], [0.1, 0.0], [0.15, 1.0], [0.4, 1.0], [0.45, 0.0], [0.6, 0.0]]\n";
    let mut engine = engine(&format!("{press}{SOLID}"), 48_000.0);
    let (rows, health) = common::probe(&mut engine, &["sole.force", "shoe.velocity"], 28_800);
    let at = |s: f64| &rows[(s * 48_000.0) as usize];
    assert_eq!(at(0.095)[0], 0.0);
    // 20 body weights a second: the speed of the default. [tread.1]
    let fastest = rows[4800..5000].iter().map(|row| row[1]).fold(0.0, f64::max);
    assert!((fastest - 0.5).abs() < 0.05, "{fastest} m/s");
    // Then it carries the weight. [tread.2]
    assert!((at(0.39)[0] / 686.7 - 1.0).abs() < 0.01, "{} N", at(0.39)[0]);
    assert!(at(0.55)[0] == 0.0 && health.unconverged == 0);
    let happened = std::iter::from_fn(|| engine.take_happening()).count();
    assert_eq!(happened, 1);
    // Who stands there from the first does not come down.
    let standing = "[signal.press]\ntype = 'points'\npoints = [[0.0, 0.5]]\n";
    let mut engine = common::engine(&format!("{standing}{SOLID}"), 48_000.0);
    engine.render(&[], &mut Queue::new(), &mut [0.0; 9600]);
    assert_eq!((engine.work(), engine.take_happening()), (0.0, None));
}

#[test]
fn by_envelope_a_tread_strikes_with_its_first_peak_presses_with_it_and_lets_go() {
    // A burst as a microphone hears it: up within 3 ms, then down to nothing by 0.4 s, whatever `hold_s`.
    let of = |peak: f64| {
        let press = format!(
            "[signal.press]\ntype = 'points'\npoints = [[0.0, 0.0], [0.1, 0.0], [0.103, {peak}], [0.4, 0.0], [0.6, 0.0]]\n"
        );
        let solid = SOLID.replace("hold_s = 1000.0", "hold_s = 0.001\nby = 'envelope'");
        let mut engine = engine(&format!("{press}{solid}"), 48_000.0);
        let (rows, health) = common::probe(&mut engine, &["sole.force", "shoe.velocity"], 28_800);
        assert_eq!((health.unconverged, health.reset), (0, 0));
        let happened: Vec<_> = std::iter::from_fn(|| engine.take_happening()).collect();
        (rows, happened)
    };
    for peak in [1.0, 0.5, 0.1] {
        let (rows, happened) = of(peak);
        let at = |s: f64| &rows[(s * 48_000.0) as usize];
        // [tread.3]: 0.5 m/s where the envelope reaches 1, struck between 3 and 4 ms after it rose.
        let [blow] = happened[..] else { panic!("{happened:?}") };
        assert!((blow.size - 0.5 * peak).abs() < 1e-9 && (0.103..0.105).contains(&blow.at_s), "{blow:?}");
        let fastest = rows[..4996].iter().map(|row| row[1]).fold(0.0, f64::max);
        assert!((fastest / (0.5 * peak) - 1.0).abs() < 0.1, "{peak}: {fastest} m/s");
        assert!(rows[..(0.1029 * 48e3) as usize].iter().all(|row| row[0] == 0.0), "nothing is pressed before the blow");
        // Then the press is the envelope, long after hold_s.
        let wanted = 686.7 * peak * (0.4 - 0.25) / (0.4 - 0.103);
        assert!((at(0.25)[0] / wanted - 1.0).abs() < 0.02, "{peak}: {} N, {wanted} N", at(0.25)[0]);
        assert_eq!(at(0.55)[0], 0.0);
    }
}

#[test]
fn energy_minus_work_never_rises_while_somebody_walks_on_something_solid() {
    for seed in 0..6 {
        let text = format!(
            "seed = {seed}\n[walk.anna]\nspeed_m_s = {}\n[signal.press]\ntype = 'probe'\nof = 'anna.heel_left'\n{SOLID}",
            1.0 + 0.5 * f64::from(seed)
        );
        let by = ["force", "envelope"][seed as usize % 2];
        let mut engine = engine(&text.replace("hold_s = 1000.0", &format!("hold_s = 0.06\nby = '{by}'")), 48_000.0);
        let (mut last, mut most) = (0.0_f64, 0.0_f64);
        for _ in 0..4000 {
            engine.render(&[], &mut Queue::new(), &mut [0.0; 37]);
            let margin = engine.energy() - engine.work();
            most = most.max(engine.work().abs()).max(engine.energy());
            assert!(margin <= last + 1e-11 * most.max(1e-30), "{margin} after {last}");
            last = last.min(margin);
        }
        assert!(engine.work() > 0.0 && engine.health().reset == 0);
    }
}

#[test]
fn nothing_is_drawn_anew_while_a_step_sounds_and_everything_400_ms_after_it() {
    // Each event of a crumpling that has one energy tells the factor that holds.
    let text = |gap: f64, extra: &str| {
        let mut points = vec![[0.0, 0.0]];
        for k in 0..8 {
            let at = 0.1 + f64::from(k) * (0.3 + gap);
            points.extend([[at, 0.0], [at + 0.15, 1.0], [at + 0.3, 0.0]]);
        }
        format!(
            "[signal.press]\ntype = 'points'\npoints = {points:?}\n[process.p]\ntype = 'crumple'\ndriven_by = 'press'\nunload = 1.0\nevents = 200.0\n\
             energy_j = [1e-6, 1.0000001e-6]\nper_step = {{ energy_scale = [0.5, 2.0]{extra} }}\n\
             modes = [{{ freq_hz = 2000.0, decay_s = 0.002, mass_kg = 0.01 }}]\n[[tap]]\nof = 'p'\nquantity = 'sound'\n"
        )
    };
    let factors = |text: &str, gap: f64| {
        let mut engine = engine(text, 48_000.0);
        let mut steps: Vec<Vec<f64>> = vec![Vec::new(); 8];
        for _ in 0..((0.3 + gap) * 8.0 * 100.0) as usize + 10 {
            engine.render(&[], &mut Queue::new(), &mut [0.0; 480]);
            while let Some(event) = engine.take_happening() {
                steps[((event.at_s - 0.1) / (0.3 + gap)) as usize].push(event.size / 1e-6);
            }
        }
        steps
    };
    for gap in [0.5, 0.2] {
        let steps = factors(&text(gap, ""), gap);
        let mut seen: Vec<f64> = Vec::new();
        for step in &steps {
            assert!(step.len() > 100 && step.iter().all(|f| (f / step[0] - 1.0).abs() < 1e-6), "one factor in a step");
            assert!((0.5..2.0).contains(&step[0]));
            assert!(seen.iter().all(|other| (other - step[0]).abs() > 1e-9), "{gap}: {} again after {seen:?}", step[0]);
            seen.push(step[0]);
        }
        assert_eq!(steps, factors(&text(gap, ""), gap), "the same seed draws the same");
    }
    // What still sounds when the next step comes keeps its factor: fragments that ring for more than a second, 0.2 s apart.
    let long = text(0.2, "").replace("decay_s = 0.002", "decay_s = 0.3");
    let steps = factors(&long, 0.2);
    assert!(steps.iter().all(|step| step.len() > 100 && (step[0] / steps[0][0] - 1.0).abs() < 1e-6), "it sounds on");
    // Steps that follow each other within 60 ms are one.
    let steps = factors(&text(0.02, ""), 0.02);
    assert!(steps.iter().all(|step| (step[0] / steps[0][0] - 1.0).abs() < 1e-6));
    let half = factors(&text(0.5, ", probability_01 = 0.5"), 0.5);
    let silent = half.iter().filter(|step| step.is_empty()).count();
    assert!((1..8).contains(&silent), "{silent} of 8");
}

#[test]
fn what_is_drawn_for_a_step_stays_for_400_ms_after_it_and_is_drawn_anew_then_without_another_step() {
    // A step that ends at 0.4 s, at 0.009, where it stays; then it only falls, a little after 0.2 s and a little after 0.6 s. A fall crushes,
    // and each event tells the factor that holds.
    let text = "[signal.press]\ntype = 'points'\npoints = [[0.0, 0.0], [0.1, 0.0], [0.25, 0.05], [0.4, 0.009], [0.6, 0.009], [0.61, 0.006], \
                [1.0, 0.006], [1.01, 0.003], [2.0, 0.003]]\n[process.p]\ntype = 'crumple'\ndriven_by = 'press'\nunload = 1.0\nevents = 20000.0\n\
                energy_j = [1e-6, 1.0000001e-6]\nper_step = { energy_scale = [0.5, 2.0] }\n\
                modes = [{ freq_hz = 2000.0, decay_s = 0.002, mass_kg = 0.01 }]\n[[tap]]\nof = 'p'\nquantity = 'sound'\n";
    for seed in 0..3 {
        let mut engine = engine(&format!("seed = {seed}\n{text}"), 48_000.0);
        let mut found: [Vec<f64>; 3] = Default::default();
        for _ in 0..150 {
            engine.render(&[], &mut Queue::new(), &mut [0.0; 480]);
            while let Some(event) = engine.take_happening() {
                found[[0.5, 0.9].iter().filter(|from_s| event.at_s > **from_s).count()].push(event.size / 1e-6);
            }
        }
        let [step, soon, late] = &found;
        assert!(step.len() > 500 && soon.len() > 20 && late.len() > 20, "{} {} {}", step.len(), soon.len(), late.len());
        let is = |all: &[f64], factor: f64| all.iter().all(|one| (one / factor - 1.0).abs() < 1e-6);
        assert!(is(step, step[0]) && is(soon, step[0]), "200 ms after it nothing is drawn: {} {}", step[0], soon[0]);
        assert!(is(late, late[0]) && (late[0] - step[0]).abs() > 1e-9, "600 ms after it has been: {}", late[0]);
    }
}

#[test]
fn a_walk_with_bad_numbers_is_refused_in_one_clear_line() {
    for (text, what) in [
        ("speed_m_s = -1.0", "walk.anna.speed_m_s: -1 m/s is out of range"),
        ("sole = 'slippers'", "walk.anna.sole"),
        ("source = 'plate'", "walk.anna.source"),
        ("path_m = [[1.0]]", "walk.anna.path_m[0]"),
        ("ground.a = { x_m = [2.0, 1.0] }", "walk.anna.ground.a.x_m"),
        ("mass_kg = 0.0", "walk.anna.mass_kg"),
    ] {
        let error = tocco::SceneDef::from_text(&format!("[walk.anna]\n{text}\n")).unwrap_err().to_string();
        assert!(error.contains(what) && !error.contains('\n'), "{error}");
    }
    let on = "[signal.s]\ntype = 'input'\n[body.floor]\ntype = 'modal'\nmodes = [{ freq_hz = 100.0, mass_kg = 1.0 }]\n[process.p]\ntype = 'tread'\ndriven_by = 's'\non = 'floor'\n";
    let error = tocco::Scene::build(&tocco::SceneDef::from_text(on).unwrap(), 48_000.0).err().unwrap().to_string();
    assert!(error.contains("must name one mass"), "{error}");
}

#[test]
fn who_walks_by_ear_takes_the_steps_that_a_microphone_hears_one_foot_after_the_other() {
    let text = "[signal.mic]\ntype = 'follow'\ninput = 0\nmost = 0.5\n[walk.anna]\nsource = 'envelope'\nof = 'mic'\n";
    let def = tocco::SceneDef::from_text(text).unwrap();
    assert!(def.to_toml().contains("source = \"envelope\"\nof = \"mic\""), "{}", def.to_toml());
    assert_eq!(tocco::SceneDef::from_text(&def.to_toml()).unwrap().to_toml(), def.to_toml());
    let mut engine = engine(text, 48_000.0);
    // Bursts that begin at these times and die in 60 ms, as steps in a recording, over a little hiss.
    let starts = [0.2, 0.76, 1.31, 1.87, 2.4];
    let mut rng = tocco::rng::Rng::new(1, "mic");
    let sound: Vec<f32> = (0..144_000)
        .map(|n| {
            let t = f64::from(n) / 48_000.0;
            let level: f64 = starts.iter().filter(|s| t >= **s).map(|s| (-(t - s) / 0.06_f64).exp()).sum();
            ((0.3 * level + 1e-4) * rng.normal()) as f32
        })
        .collect();
    let lanes = ["heel_left", "toe_left", "heel_right", "toe_right"]
        .map(|lane| engine.scene().directory().probe(&format!("anna.{lane}.value")).unwrap());
    let mut rows: Vec<[f64; 4]> = Vec::new();
    for block in sound.chunks(480) {
        engine.render(&[block], &mut Queue::new(), &mut [0.0; 480]);
        rows.push(lanes.map(|probe| engine.probe(probe)));
    }
    for (k, start) in starts.iter().enumerate() {
        let own = 2 * (k % 2);
        let sum = |lane: usize, from: f64, to: f64| {
            rows[(100.0 * (start + from)) as usize..(100.0 * (start + to)) as usize]
                .iter()
                .map(|row| row[lane])
                .sum::<f64>()
        };
        assert!(sum(own, 0.02, 0.15) > 0.5, "step {k}: heel {}", sum(own, 0.02, 0.15));
        assert!(sum(own + 1, 0.02, 0.3) > 0.0, "step {k}: toe");
        assert_eq!(sum(2 - own, 0.03, 0.4) + sum(3 - own, 0.03, 0.4), 0.0, "step {k}: the other foot is in the air");
    }
    assert!(rows[..18].iter().flatten().all(|x| *x == 0.0), "nobody walks before the first step");
    // The printed pair of thresholds hears a step only after the last has fallen silent: of bursts that die in 0.3 s every other one is lost.
    let starts_by = |rule: &str| {
        let mut engine = common::engine(&format!("{text}{rule}"), 48_000.0);
        let mut rng = tocco::rng::Rng::new(2, "mic");
        let feet = ["heel_left", "heel_right"]
            .map(|lane| engine.scene().directory().probe(&format!("anna.{lane}.value")).unwrap());
        let (mut last, mut count) = ([0.0; 2], 0);
        for k in 0..300 {
            let sound: Vec<f32> = (0..480)
                .map(|n| {
                    ((-((f64::from(480 * k + n) / 48_000.0 - 0.2).rem_euclid(0.55) / 0.3)).exp() * 0.3 * rng.normal())
                        as f32
                })
                .collect();
            engine.render(&[&sound], &mut Queue::new(), &mut [0.0; 480]);
            let now = feet.map(|probe| engine.probe(probe));
            count += (0..2).filter(|foot| last[*foot] == 0.0 && now[*foot] > 0.0).count();
            last = now;
        }
        count
    };
    assert!(
        starts_by("") >= 5 && starts_by("steps_by = 'pair'\n") <= 2,
        "{} {}",
        starts_by(""),
        starts_by("steps_by = 'pair'\n")
    );
    let pair = tocco::SceneDef::from_text(&format!("{text}steps_by = 'pair'\n")).unwrap().to_toml();
    assert!(pair.contains("steps_by = \"pair\""), "{pair}");
    for (wrong, what) in [
        ("[walk.anna]\nsteps_by = 'pair'\n", "belongs to source"),
        ("[walk.anna]\nsource = 'envelope'\n", "of"),
        ("[walk.anna]\nof = 'mic'\n", "belongs to source"),
        ("[walk.anna]\nsource = 'envelope'\nof = 'mike'\n", "walk.anna.of"),
    ] {
        let built = tocco::SceneDef::from_text(wrong).and_then(|def| tocco::Scene::build(&def, 48_000.0).map(|_| ()));
        let error = built.unwrap_err().to_string();
        assert!(error.contains(what) && !error.contains('\n'), "{error}");
    }
}
