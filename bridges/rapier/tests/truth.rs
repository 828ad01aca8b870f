// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is heard of a world at 60 steps a second against the same motion at 10 000.

use rapier3d::prelude::*;
use tocco_contact_stream::{Event, Motion, Record, Stream, Thresholds, What};
use tocco_rapier::{Ear, tag};

fn floor(world: &mut PhysicsWorld, restitution: Real, friction: Real) {
    let slab = ColliderBuilder::cuboid(20.0, 1.0, 20.0).translation(Vector::new(0.0, -1.0, 0.0));
    world.colliders.insert(slab.restitution(restitution).friction(friction).user_data(tag(0, 0)));
}

fn wall(world: &mut PhysicsWorld, x: Real, restitution: Real) {
    let slab = ColliderBuilder::cuboid(1.0, 5.0, 20.0).translation(Vector::new(x + 1.0, 5.0, 0.0));
    // Slippery whatever touches it: nothing climbs.
    let slab = slab.friction(0.0).friction_combine_rule(CoefficientCombineRule::Min);
    world.colliders.insert(slab.restitution(restitution).user_data(tag(1, 0)));
}

fn add(world: &mut PhysicsWorld, thing: u64, body: RigidBodyBuilder, collider: ColliderBuilder) {
    let body = world.bodies.insert(body.can_sleep(false));
    world.colliders.insert_with_parent(collider.user_data(tag(thing, 0)), body, &mut world.bodies);
}

fn at(x: Real, y: Real) -> RigidBodyBuilder {
    RigidBodyBuilder::dynamic().translation(Vector::new(x, y, 0.0))
}

fn run(setup: &dyn Fn(&mut PhysicsWorld), hz: f64, seconds: f64, mut see: impl FnMut(&[Record])) -> Vec<Event> {
    let mut world = PhysicsWorld::new();
    world.integration_parameters.dt = (1.0 / hz) as Real;
    if hz > 60.0 {
        // An impact's impulse is no guess for the next step: where it is tried again, a box is thrown up by a tenth of its speed.
        world.integration_parameters.warmstart_coefficient = 0.0;
        world.integration_parameters.num_internal_pgs_iterations = 8;
    }
    setup(&mut world);
    let (mut ear, mut events) = (Ear::new(), Vec::new());
    let mut stream = Stream::new(Thresholds::default());
    for step in 0..(seconds * hz).round() as u64 {
        ear.before(&world.bodies, &world.colliders);
        world.step();
        let records = ear.after(world.gravity, &world.narrow_phase, &world.bodies, &world.colliders);
        see(records);
        stream.step(step as f64 / hz, 1.0 / hz, records, &mut events).unwrap();
    }
    assert_eq!(stream.counts().ignored, 0);
    events
}

/// Time, pair, and impulse in N s, speed in m/s, mass in kg.
type Impact = (f64, [u64; 2], [f64; 3]);

fn impacts(events: &[Event]) -> Vec<Impact> {
    let impact = |event: &Event| match event.what {
        What::Impact { impulse_n_s, speed_m_s, mass_kg } => {
            Some((event.at_s, event.pair, [impulse_n_s, speed_m_s, mass_kg]))
        }
        _ => None,
    };
    events.iter().filter_map(impact).collect()
}

const STEP_S: f64 = 1.0 / 60.0;

/// Count exact, the rest as `near_truth` says, the first of them within a step; the others as near as is asked for, as every flight adds its own.
fn compare(name: &str, seconds: f64, within_s: f64, setup: &dyn Fn(&mut PhysicsWorld)) {
    let (coarse, truth) = (impacts(&run(setup, 60.0, seconds, |_| {})), impacts(&run(setup, 1e4, seconds, |_| {})));
    println!("{name}:");
    for i in 0..coarse.len().max(truth.len()) {
        println!("  60 Hz {:?}   10 kHz {:?}", coarse.get(i), truth.get(i));
    }
    assert_eq!(coarse.len(), truth.len(), "{name}");
    assert!(!truth.is_empty(), "{name}");
    near_truth(name, &coarse[..1], &truth[..1], STEP_S);
    near_truth(name, &coarse, &truth, within_s);
}

/// Impulses, speeds and masses within 15 %, times as near as is asked for.
fn near_truth(name: &str, coarse: &[Impact], truth: &[Impact], within_s: f64) {
    let (mut worst, mut late_s) = ([0.0_f64; 3], 0.0_f64);
    for ((at_s, pair, found), (when_s, whom, right)) in coarse.iter().zip(truth) {
        assert_eq!(pair, whom, "{name}");
        let off: [f64; 3] = std::array::from_fn(|i| (found[i] / right[i] - 1.0).abs());
        worst = std::array::from_fn(|i| worst[i].max(off[i]));
        late_s = late_s.max((at_s - when_s).abs());
        assert!(off.iter().all(|off| *off < 0.15), "{name} at {when_s} s: N s, m/s, kg {found:?}, not {right:?}");
        assert!((at_s - when_s).abs() < within_s, "{name}: at {at_s}, not {when_s}");
    }
    println!(
        "  impulse, speed, mass off by at most {:.1?} %, time by {:.2} steps",
        worst.map(|off| 100.0 * off),
        late_s / STEP_S
    );
}

/// What is said of the first step in which something pushes.
fn first_touch(setup: &dyn Fn(&mut PhysicsWorld)) -> Vec<Record> {
    let mut first = Vec::new();
    run(setup, 60.0, 1.0, |records| {
        if first.is_empty() {
            first.extend_from_slice(records);
        }
    });
    assert!(!first.is_empty(), "nothing touches");
    first
}

#[track_caller]
fn near(what: &str, found: f64, right: f64, within: f64) {
    assert!((found - right).abs() <= within, "{what}: {found}, not {right} within {within}");
}

#[test]
fn an_impact_feels_all_of_a_ball_and_of_a_box_what_its_corner_lets_it_by_mass_and_inertia() {
    let (radius, density) = (0.05_f64, 1000.0);
    let ball = first_touch(&|world| {
        floor(world, 0.0, 0.5);
        add(world, 7, at(0.0, 0.3), ColliderBuilder::ball(radius as Real).density(density as Real));
    });
    let [Record { mass_kg, .. }] = ball[..] else { panic!("{ball:?}") };
    near("ball", mass_kg, 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3) * density, 1e-3);
    // Half its edges, and how far it is turned around z: flat on four corners, or first on the two of an edge.
    let ([a, b, c], density) = ([0.2_f64, 0.1, 0.05], 500.0);
    for (turned, corners) in [(0.0_f64, 4), (0.3, 2)] {
        let box_on_corners = first_touch(&|world| {
            floor(world, 0.0, 0.5);
            let block = ColliderBuilder::cuboid(a as Real, b as Real, c as Real).density(density as Real);
            // From hardly above: what it turns by in that step is small.
            add(world, 7, at(0.0, 0.16).rotation(Vector::new(0.0, 0.0, turned as Real)), block);
        });
        assert_eq!(box_on_corners.len(), corners, "{box_on_corners:?}");
        let mass = 8.0 * a * b * c * density;
        let inertia = [b * b + c * c, a * a + c * c, a * a + b * b].map(|squares| mass / 3.0 * squares);
        // 1/m and the torque of a unit impulse upwards at the corner, in the box's own axes.
        let (sin, cos) = turned.sin_cos();
        let across = a * cos - b * sin;
        let torque = [c * cos, c * sin, across];
        let yields = torque.iter().zip(inertia).map(|(t, i)| t * t / i).sum::<f64>() + 1.0 / mass;
        box_on_corners.iter().for_each(|record| near("corner", record.mass_kg, 1.0 / yields, 1e-3 / yields));
    }
}

#[test]
fn slip_and_rolling_have_the_speeds_of_the_motion_that_was_set() {
    let moving = |linear: Real, turning: Real| {
        let records = first_touch(&|world: &mut PhysicsWorld| {
            floor(world, 0.0, 0.5);
            let body = at(0.0, 0.1).linvel(Vector::new(linear, 0.0, 0.0)).angvel(Vector::new(0.0, 0.0, turning));
            add(world, 7, body, ColliderBuilder::ball(0.1).friction(0.5).density(1000.0));
        });
        (records[0].slip_m_s, records[0].roll_m_s)
    };
    // A radius of 0.1 m: rolling to the right is turning backwards by ten times the speed.
    for (linear, turning, slip, roll) in
        [(2.0, -20.0, 0.0, 2.0), (2.0, 0.0, 2.0, 0.0), (2.0, -5.0, 1.5, 0.5), (0.0, 9.0, 0.9, 0.9)]
    {
        // Friction of 0.5 changes the speed of a ball by 0.08 m/s in the step in which it is seen, and what it turns by two and a half times that.
        let (slips, rolls) = moving(linear, turning);
        near("slip", slips, slip, 3.5 * 0.082);
        near("roll", rolls, roll, 2.5 * 0.082);
    }
    let block = first_touch(&|world| {
        floor(world, 0.0, 0.2);
        let sliding = at(0.0, 0.1).linvel(Vector::new(3.0, 0.0, 0.0));
        add(world, 7, sliding, ColliderBuilder::cuboid(0.1, 0.1, 0.1).friction(0.2).density(500.0));
    });
    block.iter().for_each(|corner| {
        near("slip of a box", corner.slip_m_s, 3.0, 0.2 * 9.81 / 60.0);
        near("roll of a box", corner.roll_m_s, 0.0, 0.1);
    });
}

#[test]
fn balls_that_are_dropped_bounce_as_often_and_as_hard_as_at_ten_thousand_steps_a_second() {
    // Until well after the last bounce above the slowest.
    for (height, restitution, seconds) in
        [(0.5, 0.5, 1.0), (1.0, 0.3, 0.9), (1.0, 0.5, 1.3), (2.0, 0.4, 1.6), (0.3, 0.6, 1.1)]
    {
        compare(&format!("ball from {height} m, restitution {restitution}"), seconds, 2.0 * STEP_S, &|world| {
            floor(world, restitution, 0.5);
            add(world, 7, at(0.0, height + 0.05), ColliderBuilder::ball(0.05).restitution(restitution).density(1000.0));
        });
    }
}

#[test]
fn a_box_that_lands_flat_gives_one_blow_and_rests() {
    for (height, seconds) in [(0.1, 0.4), (0.3, 0.5), (0.5, 0.6), (1.0, 0.7), (2.0, 0.9)] {
        compare(&format!("box from {height} m"), seconds, STEP_S, &|world| {
            floor(world, 0.0, 0.5);
            add(
                world,
                7,
                at(0.0, height + 0.1),
                ColliderBuilder::cuboid(0.1, 0.1, 0.1).restitution(0.0).density(500.0),
            );
        });
    }
}

#[test]
fn a_tilted_box_strikes_first_with_its_edge_as_hard_as_in_finer_steps() {
    for turned in [0.2, 0.4, 0.6] {
        let setup = |world: &mut PhysicsWorld| {
            floor(world, 0.0, 0.5);
            let block = ColliderBuilder::cuboid(0.2, 0.1, 0.05).restitution(0.0).density(500.0);
            add(world, 7, at(0.0, 0.8).rotation(Vector::new(0.0, 0.0, turned)), block);
        };
        // What it does after that is another fall in finer steps.
        let first = |hz: f64| impacts(&run(&setup, hz, 0.6, |_| {}))[..1].to_vec();
        let name = format!("box turned by {turned}");
        let (coarse, truth) = (first(60.0), first(1e4));
        println!("{name}:\n  60 Hz {coarse:?}   10 kHz {truth:?}");
        // Where the edge is seen only when it is inside, it has been for up to two steps.
        near_truth(&name, &coarse, &truth, 2.0 * STEP_S);
    }
}

#[test]
fn a_box_that_slides_into_a_wall_strikes_it_once_and_slides_until_then() {
    let setup = |world: &mut PhysicsWorld| {
        floor(world, 0.0, 0.2);
        wall(world, 1.0, 0.0);
        let block = ColliderBuilder::cuboid(0.1, 0.1, 0.1).friction(0.2).restitution(0.0).density(500.0);
        add(world, 7, at(0.0, 0.1).linvel(Vector::new(3.0, 0.0, 0.0)), block);
    };
    compare("sliding box", 0.6, STEP_S, &setup);
    let events = run(&setup, 60.0, 0.25, |_| {});
    let slides = |event: &Event| matches!(event.what, What::Goes { motion: Motion::Slide | Motion::Scrape, .. });
    let rolls = |event: &Event| matches!(event.what, What::Goes { motion: Motion::Roll, .. });
    assert!(events.iter().filter(|e| slides(e)).count() >= 10 && !events.iter().any(rolls), "{events:?}");
}

#[test]
fn a_ball_that_rolls_into_a_wall_strikes_it_once_and_rolls_until_then() {
    let setup = |world: &mut PhysicsWorld| {
        floor(world, 0.0, 0.8);
        wall(world, 1.0, 0.0);
        let ball = ColliderBuilder::ball(0.1).friction(0.8).restitution(0.0).density(1000.0);
        let rolling = at(0.0, 0.1).linvel(Vector::new(2.0, 0.0, 0.0)).angvel(Vector::new(0.0, 0.0, -20.0));
        add(world, 7, rolling, ball);
    };
    compare("rolling ball", 0.65, STEP_S, &setup);
    let events = run(&setup, 60.0, 0.4, |_| {});
    let motions: Vec<Motion> = events
        .iter()
        .filter_map(|e| if let What::Goes { motion, .. } = e.what { Some(motion) } else { None })
        .collect();
    assert!(motions.len() >= 15 && motions.iter().all(|m| *m == Motion::Roll), "{motions:?}");
}

#[test]
fn what_rests_is_held_up_by_its_weight_and_makes_no_impacts() {
    let setup = |world: &mut PhysicsWorld| {
        floor(world, 0.0, 0.5);
        for i in 0..3 {
            let block = ColliderBuilder::cuboid(0.1, 0.1, 0.1).density(500.0);
            add(world, 7 + i, at(0.0, 0.1 + 0.2 * i as Real), block);
        }
    };
    let mut held = Vec::new();
    let events = run(&setup, 60.0, 3.0, |records| {
        held.push(records.iter().filter(|r| r.pair.contains(&0)).map(|r| r.impulse_n_s).sum::<f64>());
    });
    assert_eq!(impacts(&events), []);
    let mean = held[60..].iter().sum::<f64>() / (held.len() - 60) as f64;
    let weight = 3.0 * 4.0 * 9.81 / 60.0; // three of 4 kg, in one step
    assert!((mean / weight - 1.0).abs() < 0.05, "{mean} N s a step, not {weight}");
}

/// Largest distance of two distributions (Kolmogorov and Smirnov).
fn distance(mut a: Vec<f64>, mut b: Vec<f64>) -> f64 {
    a.sort_by(f64::total_cmp);
    b.sort_by(f64::total_cmp);
    let below = |all: &[f64], x: f64| all.partition_point(|y| *y <= x) as f64 / all.len() as f64;
    a.iter().chain(&b).map(|x| (below(&a, *x) - below(&b, *x)).abs()).fold(0.0, f64::max)
}

#[test]
fn two_hundred_things_have_the_impulses_of_the_same_fall_in_finer_steps() {
    // Chaos makes each fall its own; what is compared is the distribution. Bounds set before: distance of the two at most 0.2,
    // sums of all impulses within 25 %.
    let setup = |world: &mut PhysicsWorld| {
        floor(world, 0.2, 0.5);
        for (i, [x, z]) in [[4.0, 0.0], [-4.0, 0.0], [0.0, 4.0], [0.0, -4.0]].into_iter().enumerate() {
            let half = if i < 2 { [1.0, 3.0, 5.0] } else { [5.0, 3.0, 1.0] };
            let slab = ColliderBuilder::cuboid(half[0], half[1], half[2]).translation(Vector::new(x, 3.0, z));
            world.colliders.insert(slab.user_data(tag(1 + i as u64, 0)));
        }
        for i in 0..200u64 {
            let (column, layer) = (i % 25, i / 25);
            let place = Vector::new(
                (column % 5) as Real - 2.0 + 0.03 * (i * 7 % 11) as Real,
                0.5 + 0.6 * layer as Real,
                (column / 5) as Real - 2.0 + 0.03 * (i * 5 % 13) as Real,
            );
            let collider =
                if i.is_multiple_of(2) { ColliderBuilder::ball(0.12) } else { ColliderBuilder::cuboid(0.1, 0.1, 0.1) };
            let body = RigidBodyBuilder::dynamic().translation(place);
            add(world, 100 + i, body, collider.restitution(0.3).friction(0.5).density(800.0));
        }
    };
    let of =
        |hz: f64| -> Vec<f64> { impacts(&run(&setup, hz, 1.2, |_| {})).iter().map(|(_, _, [j, ..])| *j).collect() };
    let (coarse, fine) = (of(60.0), of(1e4));
    let (sum, right) = (coarse.iter().sum::<f64>(), fine.iter().sum::<f64>());
    let far = distance(coarse.clone(), fine.clone());
    println!(
        "{} impacts, {} in finer steps; sums {sum:.1} and {right:.1} N s; distance {far:.3}",
        coarse.len(),
        fine.len()
    );
    assert!(far <= 0.2, "{far}");
    assert!((sum / right - 1.0).abs() < 0.25, "{sum} {right}");
}
