// SPDX-License-Identifier: MIT OR Apache-2.0
//! Water in a tank against closed forms, a measured dam break, and the times that the paper shows.

use tocco::fluid::measured::{FRONT_NARROW, FRONT_WIDE, GATE_TIME};
use tocco::fluid::sound::{Kind, Rules, Sound};
use tocco::fluid::watch::{Cluster, Frame, Motion, Watcher};
use tocco::fluid::{Block, GRAVITY_M_S2, Tank, TankDef};

/// The falling block of De Sena et al. 2009, figure 4.1: first contact at 0.3 s.
fn falling(across: u32) -> Tank {
    let spacing_m = 0.2 / f64::from(across);
    let mut tank = Tank::new(TankDef { width_m: 0.6, height_m: 1.2, spacing_m }).unwrap();
    let block = Block { x_m: 0.2, y_m: 0.44, width_m: 0.2, height_m: 0.4 };
    assert_eq!(tank.fill(block), (2 * across * across) as usize);
    tank
}

fn inside(tank: &Tank) -> bool {
    let half = 0.5 * tank.def().spacing_m;
    let [xs, ys] = tank.places();
    let within = |x: &f64, size: f64| *x >= half && *x <= size - half;
    xs.iter().all(|x| within(x, tank.def().width_m)) && ys.iter().all(|y| within(y, tank.def().height_m))
}

fn rms_speed(tank: &Tank) -> f64 {
    let [u, v] = tank.velocities();
    let squares: f64 = u.iter().zip(v).map(|(u, v)| u * u + v * v).sum();
    (squares / tank.len() as f64).sqrt()
}

#[test]
fn a_falling_block_never_leaks_never_has_more_energy_than_at_its_start_and_comes_to_rest() {
    for across in [16, 24, 32] {
        let mut tank = falling(across);
        let start = tank.energy_j_m();
        let rest = 0.5 * 0.1333 * 1000.0 * 9.81 * 0.08;
        let mut least = start;
        for _ in 0..3 * 60 {
            tank.advance(8);
            let energy = tank.energy_j_m();
            assert!(inside(&tank));
            assert!(energy < start, "{across}: {energy} J/m of {start}");
            // Water that was pressed together gives a little back.
            least = least.min(energy);
            assert!(energy - least < 0.008 * start, "{across}: {} came back", (energy - least) / start);
        }
        assert!(tank.energy_j_m() < 1.1 * rest, "{across}: {} J/m, at rest {rest}", tank.energy_j_m());
    }
    let mut tank = falling(24);
    let speeds: Vec<f64> = (0..5)
        .map(|_| {
            tank.advance(960);
            rms_speed(&tank)
        })
        .collect();
    assert!(speeds.windows(2).all(|two| two[1] < two[0]), "{speeds:?}");
    assert!(speeds[4] < 0.01, "{speeds:?}");
}

#[test]
fn a_tank_at_rest_stays_at_rest_and_nothing_collides_in_it() {
    let mut tank = Tank::new(TankDef { width_m: 0.6, height_m: 0.5, spacing_m: 0.2 / 24.0 }).unwrap();
    tank.fill(Block { x_m: 0.0, y_m: 0.0, width_m: 0.6, height_m: 0.4 / 3.0 });
    assert_eq!(tank.len(), 1152);
    let mut watcher = Watcher::new(60).unwrap();
    for k in 0..600 {
        let frame = watcher.frame(&mut tank);
        assert_eq!(frame.collisions, 0, "frame {k}");
        let [u, v] = tank.velocities();
        let most = u.iter().zip(v).map(|(u, v)| (u * u + v * v).sqrt()).fold(0.0, f64::max);
        assert!(k < 60 || most < 0.1, "{most} m/s in frame {k}");
    }
    let level = watcher.level_m(&tank);
    assert!((level / 0.1333 - 1.0).abs() < 0.01, "{level}");
}

#[test]
fn water_in_the_air_falls_as_a_stone_does_and_keeps_its_momentum() {
    let mut tank = Tank::new(TankDef { width_m: 2.0, height_m: 2.0, spacing_m: 0.01 }).unwrap();
    tank.fill(Block { x_m: 0.9, y_m: 1.7, width_m: 0.2, height_m: 0.2 });
    // A hand throws a part of it aside: what happens inside changes nothing for the whole.
    tank.stir([0.95, 1.75], 0.08, [1.5, 0.3]);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let [x, y] = tank.places().map(mean);
    let [u, v] = tank.velocities().map(mean);
    tank.advance(192);
    let t = 0.4;
    let [x1, y1] = tank.places().map(mean);
    let [u1, v1] = tank.velocities().map(mean);
    assert!((x1 - (x + u * t)).abs() < 1e-9 && (u1 - u).abs() < 1e-9);
    // Velocity first, then place: half a step of 1/480 s ahead of the parabola.
    let fall = y + v * t - 0.5 * GRAVITY_M_S2 * t * (t + 1.0 / 480.0);
    assert!((y1 - fall).abs() < 1e-9 && (v1 - (v - GRAVITY_M_S2 * t)).abs() < 1e-9, "{y1} {fall}");
}

#[test]
fn the_front_of_a_broken_dam_is_the_measured_one() {
    let (a, across) = (0.2, 24.0);
    let mut tank = Tank::new(TankDef { width_m: 16.0 * a, height_m: 0.9, spacing_m: a / across }).unwrap();
    assert_eq!(tank.fill(Block { x_m: 0.0, y_m: 0.0, width_m: a, height_m: 2.0 * a }), 1152);
    let mut course = vec![(0.0, 1.0)];
    for _ in 0..450 {
        tank.advance(1);
        let front = tank.places()[0].iter().copied().fold(0.0, f64::max) + 0.5 * a / across;
        let time = tank.time_s() * (2.0 * GRAVITY_M_S2 / a).sqrt();
        assert!(front / a < 1.0 + 2.0 * time + 1e-12, "faster than Ritter's front at {time}");
        course.push((time, front / a));
    }
    let at = |time: f64| {
        let two = course.windows(2).find(|two| two[1].0 >= time).unwrap();
        two[0].1 + (two[1].1 - two[0].1) * (time - two[0].0) / (two[1].0 - two[0].0)
    };
    for (time, front) in FRONT_WIDE.iter().chain(&FRONT_NARROW) {
        let off = at(time - GATE_TIME) / front - 1.0;
        assert!(off.abs() < 0.08, "T {time}: {:.2} %", 100.0 * off);
    }
    // Mean speed from Z = 4 to 6.5.
    let when = |z: f64| course.iter().find(|(_, at)| *at >= z).unwrap().0;
    let slope = 2.5 / (when(6.5) - when(4.0));
    assert!((1.5..1.75).contains(&slope), "{slope}");
}

/// All frames and sounds of so many seconds.
fn told(tank: &mut Tank, frames_hz: u32, seconds: f64) -> Vec<(Frame, Vec<Sound>)> {
    let (mut watcher, mut rules) = (Watcher::new(frames_hz).unwrap(), Rules::new(1));
    let count = (seconds * f64::from(frames_hz)) as usize;
    let frame = |_| {
        let frame = watcher.frame(tank).clone();
        let sounds = rules.sounds(&frame, tank.def().spacing_m, tank.places());
        (frame, sounds)
    };
    (0..count).map(frame).collect()
}

fn bubbles(sounds: &[Sound]) -> impl Iterator<Item = &Sound> {
    sounds.iter().filter(|sound| sound.kind == Kind::Bubble)
}

#[test]
fn the_falling_block_touches_first_bubbles_first_and_rests_where_the_paper_shows_it() {
    for (across, frames_hz) in [(24, 60), (24, 30), (16, 60), (32, 60)] {
        let mut tank = falling(across);
        let told = told(&mut tank, frames_hz, 2.5);
        let count = tank.len() as f64;
        let contact = (2.0 * 0.44 / GRAVITY_M_S2).sqrt();
        let first = told.iter().find(|(frame, _)| frame.collisions > 0).unwrap().0.clone();
        let end = first.start_s + first.length_s;
        assert!((end - contact).abs() < first.length_s, "{across} {frames_hz}: {end}, {contact}");
        let collisions: usize = told.iter().map(|(frame, _)| frame.collisions).sum();
        assert!((3.0..5.0).contains(&(collisions as f64 / count)), "{across} {frames_hz}: {collisions} of {count}");
        let first_bubble = told.iter().find(|(_, sounds)| bubbles(sounds).next().is_some()).unwrap();
        assert!((0.33..0.42).contains(&first_bubble.0.start_s), "{across} {frames_hz}: {}", first_bubble.0.start_s);
        let level = told[told.len() - 1].0.level_m;
        assert!((level / 0.1333 - 1.0).abs() < 0.1, "{across} {frames_hz}: {level}");
    }
}

#[test]
fn only_impacts_are_heard_until_water_stands_and_bubbles_grow_and_rise_with_its_level() {
    let mut tank = falling(24);
    let told = told(&mut tank, 60, 2.5);
    let mut before = 0;
    for (frame, sounds) in &told {
        let end = frame.start_s + frame.length_s;
        let hits: Vec<&Sound> = sounds.iter().filter(|sound| sound.kind == Kind::Hit).collect();
        assert!(hits.len() <= 24 && (hits.is_empty() == (frame.collisions == 0)));
        assert!(hits.iter().all(|hit| (frame.start_s..end).contains(&hit.time_s)));
        assert!(sounds.windows(2).all(|two| two[0].time_s <= two[1].time_s));
        let standing = frame.level_m > 0.05;
        assert_eq!(bubbles(sounds).count(), if standing { hits.len() } else { 0 });
        assert!(bubbles(sounds).all(|b| (0.0006..=0.012).contains(&b.radius_m) && b.radius_m <= 0.4 * b.level_m));
        before += if standing { 0 } else { hits.len() };
    }
    assert!(before > 20, "{before} impacts before the first bubble");
    let all: Vec<&Sound> = told.iter().flat_map(|(_, sounds)| bubbles(sounds)).collect();
    let rise: Vec<(f64, f64)> = all.iter().map(|sound| (sound.level_m, sound.rise)).collect();
    let rho = rank_correlation(&rise);
    assert!(rho > 0.0, "slope against level: {rho} of {} bubbles", rise.len());
    // Beyond 0.1 m nothing grows any more; below it does, by more than chance.
    let mean = |low: f64, high: f64| {
        let within: Vec<f64> = rise.iter().filter(|(h, _)| *h > low && *h <= high).map(|(_, rise)| *rise).collect();
        (within.iter().sum::<f64>() / within.len() as f64, within.len())
    };
    let ((shallow, few), (deep, many)) = (mean(0.05, 0.07), mean(0.1, 1.0));
    assert!(few > 10 && many > 100 && shallow + 0.01 < deep, "{shallow} of {few}, {deep} of {many}");
    // The closed form's mean: 0.02 + 0.09 s, each draw spread by 0.18/sqrt(12).
    assert!((deep - 0.11).abs() < 4.0 * 0.052 / (many as f64).sqrt(), "{deep}");
}

#[test]
fn size_rise_and_pitch_of_bubbles_follow_their_law_at_every_level() {
    let (d, radius_m) = (0.01, 0.02);
    let at = [0.1, 0.05];
    let cluster = Cluster { particles: (0..4).collect(), radius_m, speed_m_s: 1.5, at };
    for level_m in [0.04, 0.06, 0.08, 0.1, 0.3] {
        let frame = Frame {
            start_s: 1.0,
            length_s: 1.0 / 60.0,
            level_m,
            clusters: vec![cluster.clone()],
            collisions: 4,
            ..Frame::default()
        };
        let heard: Vec<Sound> =
            (0..2000).flat_map(|seed| Rules::new(seed).sounds(&frame, d, [&[0.1; 4], &[0.05; 4]])).collect();
        if level_m < 0.05 {
            assert!(bubbles(&heard).next().is_none());
            continue;
        }
        let s = (level_m / 0.1_f64).min(1.0);
        let count = bubbles(&heard).count() as f64;
        assert_eq!(count, 2000.0);
        let mean = |of: &dyn Fn(&Sound) -> f64| bubbles(&heard).map(of).sum::<f64>() / count;
        // Four standard errors of the draws.
        let size = mean(&|b| (b.radius_m / (0.16 * radius_m)).ln()) - (0.6 + 0.8 * s).ln();
        assert!(size.abs() < 4.0 * 0.25 / count.sqrt(), "{level_m}: {size}");
        let rise = mean(&|b| b.rise) - (0.02 + 0.09 * s);
        assert!(rise.abs() < 4.0 * 0.18 * s / (12.0 * count).sqrt(), "{level_m}: {rise}");
        assert!(bubbles(&heard).all(|b| (b.amplitude - 0.25 * (b.radius_m / 0.004).powf(0.8)).abs() < 1e-12));
    }
}

/// Spearman's; ties share their mean rank.
fn rank_correlation(points: &[(f64, f64)]) -> f64 {
    let ranks = |values: Vec<f64>| -> Vec<f64> {
        let below = |x: &f64| values.iter().filter(|y| *y < x).count() as f64;
        let ties = |x: &f64| values.iter().filter(|y| *y == x).count() as f64;
        let half = 0.5 * values.len() as f64;
        values.iter().map(|x| below(x) + 0.5 * ties(x) - half).collect()
    };
    let (a, b) = (ranks(points.iter().map(|p| p.0).collect()), ranks(points.iter().map(|p| p.1).collect()));
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    product(&a, &b) / (product(&a, &a) * product(&b, &b)).sqrt()
}

#[test]
fn a_cluster_is_what_hangs_together_and_its_hit_has_the_radius_of_its_water() {
    let d = 0.01;
    let mut tank = Tank::new(TankDef { width_m: 0.8, height_m: 0.6, spacing_m: d }).unwrap();
    // Two blocks far apart and a drop between them, from one height.
    for x_m in [0.1, 0.6] {
        tank.fill(Block { x_m, y_m: 0.2, width_m: 0.08, height_m: 0.04 });
    }
    tank.fill(Block { x_m: 0.4, y_m: 0.4, width_m: d, height_m: d });
    let mut watcher = Watcher::new(60).unwrap();
    let mut rules = Rules::new(7);
    let mut drops = 0;
    loop {
        let frame = watcher.frame(&mut tank).clone();
        drops = drops.max(frame.drops);
        assert!(tank.time_s() < 0.3, "nothing collided");
        if frame.collisions > 0 {
            assert_eq!(frame.clusters.len(), 2);
            let [one, other] = &frame.clusters[..] else { unreachable!() };
            assert_eq!(one.particles.len(), other.particles.len());
            assert!((one.radius_m - d * (one.particles.len() as f64 / std::f64::consts::PI).sqrt()).abs() < 1e-15);
            let fell = (2.0 * GRAVITY_M_S2 * 0.2).sqrt();
            assert!(one.speed_m_s > 0.3 * fell && one.speed_m_s < 1.5 * fell, "{} m/s", one.speed_m_s);
            let sounds = rules.sounds(&frame, d, tank.places());
            assert!(sounds.iter().any(|sound| sound.radius_m == one.radius_m));
            assert!(frame.motion.iter().filter(|m| **m == Motion::Colliding).count() == frame.collisions);
            assert_eq!(frame.motion[tank.len() - 1], Motion::Falling, "the drop is still on its way");
            break;
        }
        assert!(frame.motion.iter().all(|m| *m == Motion::Falling) || tank.time_s() < 0.05);
    }
    assert_eq!(drops, 1);
}

#[test]
fn interfaces_are_seen_above_and_below_a_block_in_the_air_and_only_above_one_on_the_floor() {
    let mut tank = falling(24);
    let mut watcher = Watcher::new(60).unwrap();
    let frame = watcher.frame(&mut tank);
    // 24 particles wide; those at the corners look aside.
    assert!(
        (18..=24).contains(&frame.tops) && (18..=24).contains(&frame.undersides),
        "{} {}",
        frame.tops,
        frame.undersides
    );
    let mut tank = Tank::new(TankDef { width_m: 0.2, height_m: 0.3, spacing_m: 0.01 }).unwrap();
    tank.fill(Block { x_m: 0.0, y_m: 0.0, width_m: 0.2, height_m: 0.1 });
    let mut watcher = Watcher::new(60).unwrap();
    let frame = watcher.frame(&mut tank);
    assert!((16..=24).contains(&frame.tops), "{}", frame.tops);
}

#[test]
fn the_surface_of_a_tilted_tank_stands_across_gravity() {
    let mut tank = Tank::new(TankDef { width_m: 0.5, height_m: 0.5, spacing_m: 0.01 }).unwrap();
    tank.fill(Block { x_m: 0.0, y_m: 0.0, width_m: 0.5, height_m: 0.2 });
    let slope = 0.3;
    let g = GRAVITY_M_S2 / f64::sqrt(1.0 + slope * slope);
    tank.tilt([slope * g, -g]);
    tank.advance(480 * 8);
    let [xs, ys] = tank.places();
    // Highest particle of each bin of 5 cm, and a line through them.
    let tops: Vec<(f64, f64)> = (0..10)
        .map(|bin| {
            let here = |x: f64| (x / 0.05) as usize == bin;
            let top = xs.iter().zip(ys).filter(|(x, _)| here(**x)).map(|(_, y)| *y).fold(0.0, f64::max);
            (0.05 * f64::from(bin as u32) + 0.025, top)
        })
        .collect();
    let mean = |of: &dyn Fn(&(f64, f64)) -> f64| tops.iter().map(of).sum::<f64>() / 10.0;
    let (mx, my) = (mean(&|p| p.0), mean(&|p| p.1));
    let fitted = tops.iter().map(|(x, y)| (x - mx) * (y - my)).sum::<f64>()
        / tops.iter().map(|(x, _)| (x - mx) * (x - mx)).sum::<f64>();
    assert!((fitted / slope - 1.0).abs() < 0.1, "{fitted}");
}

#[test]
fn the_same_water_gives_the_same_bits_however_it_is_called_and_one_bit_more_gives_others() {
    let (mut one, mut other) = (falling(16), falling(16));
    one.advance(400);
    (0..100).for_each(|_| other.advance(4));
    assert_eq!(one.hash(), other.hash());
    let mut nudged = falling(16);
    nudged.stir([0.3, 0.6], 0.01, [1e-12, 0.0]);
    nudged.advance(400);
    assert_ne!(one.hash(), nudged.hash());
    // Looking changes nothing.
    let mut watched = falling(16);
    let mut watcher = Watcher::new(60).unwrap();
    (0..50).for_each(|_| drop(watcher.frame(&mut watched).clone()));
    assert_eq!(one.hash(), watched.hash());
}

#[test]
fn poured_water_fills_the_tank_and_bubbles_once_it_stands() {
    let mut tank = Tank::new(TankDef { width_m: 0.3, height_m: 0.5, spacing_m: 0.01 }).unwrap();
    let (mut watcher, mut rules) = (Watcher::new(60).unwrap(), Rules::new(3));
    let (mut poured, mut heard) = (0, Vec::new());
    for _ in 0..300 {
        poured += tank.pour([0.15, 0.45], 0.04, [0.0, -0.8]);
        let frame = watcher.frame(&mut tank).clone();
        heard.extend(rules.sounds(&frame, 0.01, tank.places()));
        assert!(inside(&tank));
    }
    assert!(poured == tank.len() && poured > 300, "{poured}");
    assert!(
        bubbles(&heard).count() > 10 && heard.iter().find(|s| s.kind == Kind::Bubble).unwrap().time_s > heard[0].time_s
    );
}

#[test]
fn what_cannot_be_is_refused_in_one_line_and_nonsense_moves_nothing() {
    let tank = |width_m, height_m, spacing_m| Tank::new(TankDef { width_m, height_m, spacing_m }).map(|_| ());
    for (wrong, said) in [
        (tank(0.6, 1.2, 0.0), "a spacing of 0 m; give 0.0005 to 0.1 m"),
        (tank(f64::NAN, 1.2, 0.01), "a tank of width NaN m; give 0.08 to 20 m, 8 to 2000 particles"),
        (tank(0.6, 0.05, 0.01), "a tank of height 0.05 m; give 0.08 to 20 m, 8 to 2000 particles"),
    ] {
        assert_eq!(wrong.unwrap_err(), said);
    }
    assert!(Watcher::new(50).unwrap_err().starts_with("50 frames a second; give 10, 12"));
    let mut tank = falling(16);
    tank.tilt([f64::NAN, 1.0]);
    assert_eq!(tank.stir([0.3, 0.6], f64::NAN, [1.0, 1.0]), 0);
    assert_eq!(tank.pour([f64::NAN, 0.2], 0.1, [0.0, 0.0]), 0);
    assert_eq!(tank.fill(Block { x_m: 0.2, y_m: 0.44, width_m: 0.2, height_m: 0.4 }), 0, "there is water already");
    let mut full = Tank::new(TankDef { width_m: 2.0, height_m: 2.0, spacing_m: 0.01 }).unwrap();
    let block = Block { x_m: 0.0, y_m: 0.0, width_m: f64::INFINITY, height_m: 2.0 };
    assert_eq!(full.fill(block), tocco::fluid::MOST_PARTICLES);
    tank.advance(480);
    assert!(inside(&tank));
}
