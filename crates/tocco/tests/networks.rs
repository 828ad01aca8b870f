// SPDX-License-Identifier: MIT OR Apache-2.0
//! Networks of masses, springs and dampers against closed forms and against an integrator that knows nothing of modes.

mod common;
use common::{dormand_prince, engine, probe};
use std::fmt::Write as _;
use tocco::param::Tunable;
use tocco::resonator::modal::{Modal, ModalParams};
use tocco::resonator::network::dense::Dense;
use tocco::resonator::network::{Link, Network};
use tocco::resonator::{Motion, Reading, Resonator};
use tocco::rng::Rng;
use tocco::scene::def::BodyForm;
use tocco::{Queue, Scene, SceneDef};

const RATE_HZ: f64 = 48_000.0;

fn link(a: Option<usize>, b: Option<usize>, stiffness_n_m: f64, damping_n_s_m: f64) -> Link {
    Link { between: [a, b], stiffness_n_m, damping_n_s_m }
}

/// A chain held at both ends.
fn chain(n: usize, k: f64, c: f64) -> Vec<Link> {
    let at = |i: usize| (1..=n).contains(&i).then(|| i - 1);
    (0..=n).map(|i| link(at(i), at(i + 1), k, c)).collect()
}

fn text_of(masses: &[f64], links: &[Link]) -> String {
    let mut text = String::from("[body.net]\ntype = \"network\"\nfixed = [\"ground\"]\n[body.net.mass_kg]\n");
    masses.iter().enumerate().for_each(|(i, m)| writeln!(text, "m{i} = {m:e}").unwrap());
    for l in links {
        let [a, b] = l.between.map(|end| end.map_or("ground".to_string(), |i| format!("m{i}")));
        let (k, c) = (l.stiffness_n_m, l.damping_n_s_m);
        writeln!(text, "[[body.net.link]]\nbetween = [\"{a}\", \"{b}\"]\nstiffness_n_m = {k:e}\ndamping_n_s_m = {c:e}")
            .unwrap();
    }
    text
}

/// Accelerations of the masses, link by link, from Newton's law alone; y is x of every mass, then v.
fn newton(masses: &[f64], links: &[Link], y: &[f64], force: &[f64], out: &mut [f64]) {
    let n = masses.len();
    let end = |i: Option<usize>| i.map_or((0.0, 0.0), |i| (y[i], y[n + i]));
    out[..n].copy_from_slice(&y[n..2 * n]);
    out[n..2 * n].copy_from_slice(force);
    for l in links {
        let ((xa, va), (xb, vb)) = (end(l.between[0]), end(l.between[1]));
        let pull = l.stiffness_n_m * (xa - xb) + l.damping_n_s_m * (va - vb);
        l.between[0].into_iter().for_each(|a| out[n + a] -= pull);
        l.between[1].into_iter().for_each(|b| out[n + b] += pull);
    }
    (0..n).for_each(|i| out[n + i] /= masses[i]);
}

#[test]
fn a_slow_mode_beside_modes_a_million_times_as_fast_has_all_its_digits() {
    // Each mass on its own soft spring, neighbours joined by hard ones: all together they move at sqrt(k/m), whatever joins them.
    // Losses in one proportion to the springs leave every mode alone.
    for hard in [1e3, 1e6, 1e9, 1e12] {
        let (k, m) = (100.0, 0.01);
        let masses = vec![m; 5];
        let soft = (0..5).map(|i| link(None, Some(i), k, 1e-9 * k));
        let stiff = (0..4).map(|i| link(Some(i), Some(i + 1), hard * k, 1e-9 * hard * k));
        let network = Network::new(&masses, &soft.chain(stiff).collect::<Vec<_>>());
        let off = network.omega[0] / (k / m).sqrt() - 1.0;
        assert!(off.abs() < 1e-13, "{hard:e}: {off:e}");
        assert!((network.damping[0] / (1e-9 * k / m) - 1.0).abs() < 1e-12, "{hard:e}: {}", network.damping[0]);
        assert!(network.stands_alone(), "{hard:e}");
    }
    // Two slow modes beside fast ones: pairs of masses joined hard, the pairs joined softly.
    let (soft, hard) = (200.0, 2e12);
    let links = [
        link(None, Some(0), soft, 1e-9 * soft),
        link(Some(0), Some(1), hard, 1e-9 * hard),
        link(Some(1), Some(2), soft, 1e-9 * soft),
        link(Some(2), Some(3), hard, 1e-9 * hard),
    ];
    let network = Network::new(&[0.01; 4], &links);
    // Two masses of 2 m on springs: omega^2 = (3 -+ sqrt 5)/2 k/(2 m), to a part in 1e10, which is how much the hard springs give.
    for (i, sign) in [(0, -1.0), (1, 1.0)] {
        let square = 0.5 * (3.0 + sign * 5f64.sqrt()) * soft / 0.02;
        assert!((network.omega[i].powi(2) / square - 1.0).abs() < 3e-10, "{}", network.omega[i].powi(2) / square - 1.0);
    }
    assert!(network.stands_alone());
}

/// Five masses in a ring held at two places: damping in one proportion to the springs, or as it comes.
fn ring(alike: bool) -> (Vec<f64>, Vec<Link>) {
    let masses = vec![0.01, 0.02, 0.005, 0.013, 0.03];
    let springs = [(0, Some(1), 2e5), (1, Some(2), 1e5), (2, Some(3), 3e5), (3, Some(4), 5e4), (4, Some(0), 1e5)];
    let mut links: Vec<Link> = springs.iter().map(|&(a, b, k)| link(Some(a), b, k, 5e-6 * k)).collect();
    links.push(link(None, Some(0), 4e4, 0.2));
    links.push(link(Some(3), None, 2e4, 0.1));
    if !alike {
        (links[1].damping_n_s_m, links[3].damping_n_s_m) = (20.0, 0.0);
        links.push(link(Some(2), None, 0.0, 6.0));
    }
    (masses, links)
}

fn bodies(masses: &[f64], links: &[Link]) -> (Network, Vec<usize>) {
    let network = Network::new(masses, links);
    let all = (0..masses.len()).collect();
    (network, all)
}

fn modal(network: &Network) -> Modal {
    let table: Vec<_> = (0..network.omega.len()).map(|i| (network.freq_hz(i), network.decay_s(i), 1.0)).collect();
    Modal::new(ModalParams::default(), &table, &network.mode_shapes, 1.0 / RATE_HZ, true)
}

#[test]
fn two_masses_and_three_springs_swing_together_and_against_each_other() {
    let (m, k, middle) = (0.01, 1e5, 3e4);
    let links = [link(None, Some(0), k, 0.0), link(Some(0), Some(1), middle, 0.0), link(Some(1), None, k, 0.0)];
    let network = Network::new(&[m, m], &links);
    let exact: [f64; 2] = [(k / m).sqrt(), ((k + 2.0 * middle) / m).sqrt()];
    for (got, exact) in network.omega.iter().zip(exact) {
        assert!((got / exact - 1.0).abs() < 1e-14, "{got} {exact}");
    }
    let phi = |mode: usize| [network.mode_shapes[0][mode], network.mode_shapes[1][mode]];
    assert!((phi(0)[0] - phi(0)[1]).abs() < 1e-13 && (phi(1)[0] + phi(1)[1]).abs() < 1e-13);
    assert!((phi(0)[0].abs() - (0.5 / m).sqrt()).abs() < 1e-13);
}

#[test]
fn a_chain_of_equal_masses_has_the_frequencies_of_its_closed_form() {
    let (m, k) = (0.002, 3e5);
    for n in [1, 2, 5, 24, 64] {
        let network = Network::new(&vec![m; n], &chain(n, k, 1e-6 * k));
        for (i, got) in network.omega.iter().enumerate() {
            let exact = 2.0 * f64::sqrt(k / m) * ((i + 1) as f64 * std::f64::consts::PI / (2 * (n + 1)) as f64).sin();
            assert!((got / exact - 1.0).abs() < 1e-12, "{n}: mode {i}: {got} {exact}");
            // Springs damped alike: D = (c/k) omega^2.
            assert!((network.decay_s(i) * 1e-6 * exact * exact / 2.0 - 1.0).abs() < 1e-11, "{n}: mode {i}");
        }
        assert!(network.stands_alone());
    }
}

#[test]
fn what_no_spring_holds_has_one_rigid_mode_of_zero_exactly() {
    let links = [link(Some(0), Some(1), 1e5, 0.3), link(Some(1), Some(2), 2e5, 0.1), link(Some(3), Some(2), 0.0, 0.5)];
    let network = Network::new(&[0.01, 0.03, 0.02, 0.5], &links);
    assert_eq!(network.omega.iter().filter(|omega| **omega == 0.0).count(), 2, "{:?}", network.omega);
    // Struck, the whole keeps its momentum: it flies at J / (sum of masses), however it shakes.
    let text = format!(
        "{}[[event]]\nat_s = 0.0\nhit = \"net.m0\"\nimpulse_n_s = 0.01\n",
        text_of(&[0.01, 0.03, 0.02, 0.5], &links)
    );
    let (rows, _) = probe(
        &mut engine(&text, RATE_HZ),
        &["net.m0.velocity", "net.m1.velocity", "net.m2.velocity", "net.m3.velocity"],
        4_800,
    );
    for row in rows {
        let momentum: f64 = row.iter().zip([0.01, 0.03, 0.02, 0.5]).map(|(v, m)| v * m).sum();
        assert!((momentum / 0.01 - 1.0).abs() < 1e-11, "{momentum}");
    }
}

#[test]
fn two_masses_on_a_damper_alone_lose_their_difference_and_nothing_else() {
    let network = Network::new(&[0.01, 0.04], &[link(Some(0), Some(1), 0.0, 0.5)]);
    assert!(network.stands_alone() && network.omega == [0.0, 0.0]);
    let mut body = modal(&network);
    body.hit(0, 0.01);
    (0..480).for_each(|_| body.commit());
    let (rate, t) = (0.5 * (1.0 / 0.01 + 1.0 / 0.04), 480.0 / RATE_HZ);
    let difference = (0.01 / 0.01) * f64::exp(-rate * t);
    assert!((body.velocity(0) - body.velocity(1) - difference).abs() < 1e-12);
    assert!((0.01 * body.velocity(0) + 0.04 * body.velocity(1) - 0.01).abs() < 1e-15);
}

#[test]
fn modes_of_one_frequency_are_turned_so_that_a_damper_takes_from_one_of_them() {
    // Two equal oscillators, joined by a damper only: their frequencies are one, their sum is undamped.
    let links = [link(None, Some(0), 1e5, 0.0), link(None, Some(1), 1e5, 0.0), link(Some(0), Some(1), 0.0, 0.2)];
    let network = Network::new(&[0.01, 0.01], &links);
    assert!(network.stands_alone());
    let mut rates = [2.0 / network.decay_s(0), 2.0 / network.decay_s(1)];
    rates.sort_by(f64::total_cmp);
    assert!(rates[0].abs() < 1e-13 && (rates[1] / (2.0 * 0.2 / 0.01) - 1.0).abs() < 1e-13, "{rates:?}");
}

#[test]
fn a_network_under_impulse_and_held_force_moves_as_newtons_law_says_to_nine_digits() {
    for alike in [true, false] {
        let (masses, links) = ring(alike);
        assert_eq!(Network::new(&masses, &links).stands_alone(), alike);
        let n = masses.len();
        let text = format!(
            "{}[[event]]\nat_s = 0.0\nhit = \"net.m1\"\nimpulse_n_s = 0.01\n[[drive]]\npath = \"net.m4/force_n\"\npoints = [[0.0, 3.0]]\n",
            text_of(&masses, &links)
        );
        let signals: Vec<String> =
            (0..n).map(|i| format!("net.m{i}.position")).chain((0..n).map(|i| format!("net.m{i}.velocity"))).collect();
        let names: Vec<&str> = signals.iter().map(String::as_str).collect();
        let (rows, _) = probe(&mut engine(&text, RATE_HZ), &names, 960);
        for frames in [1, 17, 240, 960] {
            let mut start = vec![0.0; 2 * n];
            start[n + 1] = 0.01 / masses[1];
            let force = [0.0, 0.0, 0.0, 0.0, 3.0];
            let scale = |i: usize| if i < n { 1e-15 } else { 1e-11 };
            let exact = dormand_prince(start, frames as f64 / RATE_HZ, scale, |y, out| {
                newton(&masses, &links, y, &force, out);
            });
            for i in 0..2 * n {
                let size = if i < n { 1e-4 } else { 1.0 };
                let error = (rows[frames - 1][i] - exact[i]).abs() / size;
                assert!(error < 1e-9, "{alike} {frames}: {} {} {}", signals[i], rows[frames - 1][i], exact[i]);
            }
        }
    }
}

#[test]
fn a_hammer_on_a_network_agrees_with_direct_integration_to_a_millionth_and_better_the_finer_the_step() {
    let (hammer, k, v) = (0.02, 2e4, 1.0);
    for alike in [true, false] {
        let (masses, links) = ring(alike);
        let n = masses.len();
        let frames = 240;
        let mut start = vec![0.0; 2 * n + 2];
        start[2 * n + 1] = v;
        let scale = |i: usize| if i < n || i == 2 * n { 1e-15 } else { 1e-11 };
        let exact = dormand_prince(start, frames as f64 / RATE_HZ, scale, |y, out| {
            let f = k * (y[2 * n] - y[2]).max(0.0);
            let mut force = vec![0.0; n];
            force[2] = f;
            newton(&masses, &links, y, &force, out);
            (out[2 * n], out[2 * n + 1]) = (y[2 * n + 1], -f / hammer);
        });
        let mut last = f64::INFINITY;
        for substeps in [1, 2, 4, 8, 16, 32, 64] {
            let text = format!(
                "{}[body.hammer]\ntype = \"mass\"\nmass_kg = {hammer}\nvelocity_m_s = {v}\n[contact.hit]\ntype = \"impact\"\nlaw = \"linear\"\nbetween = [\"hammer\", \"net.m2\"]\nstiffness = {k}\nsubsteps = {substeps}\n",
                text_of(&masses, &links)
            );
            let signals = ["hammer.velocity", "net.m0.velocity", "net.m2.velocity", "net.m4.velocity"];
            let (rows, _) = probe(&mut engine(&text, RATE_HZ), &signals, frames);
            let wanted = [exact[2 * n + 1], exact[n], exact[n + 2], exact[n + 4]];
            let got = rows.last().unwrap();
            let error = got.iter().zip(wanted).fold(0.0f64, |m, (g, w)| m.max((g - w).abs())) / v;
            println!("alike {alike}, {substeps} sub-steps: off by {error:.2e}");
            assert!(error < 5e-3 && error < 0.5 * last, "{substeps}: {error} {last}");
            last = error;
        }
        assert!(last < 1e-6, "{last}");
    }
}

#[test]
fn the_dense_step_of_a_network_whose_modes_stand_alone_is_the_modal_one() {
    let (masses, links) = ring(true);
    let (network, all) = bodies(&masses, &links);
    for level in [0, 3, 6] {
        let mut one = modal(&network);
        let mut other = Dense::new(ModalParams::default(), &network, &all, 1.0 / RATE_HZ);
        for body in [&mut one as &mut dyn Resonator, &mut other] {
            body.divide(level);
            body.hit(0, 0.01);
        }
        for _ in 0..200 {
            for to in 0..5 {
                assert!((one.free_stroke(to) - other.free_stroke(to)).abs() < 1e-17);
                for from in 0..5 {
                    let (a, b) = (one.compliance(to, from), other.compliance(to, from));
                    assert!((a - b).abs() < 1e-13 * one.compliance(to, to), "{to} {from}: {a:e} {b:e}");
                }
            }
            for body in [&mut one as &mut dyn Resonator, &mut other] {
                body.push(3, 2.0);
                body.commit();
            }
            assert!((one.position(2) - other.position(2)).abs() < 1e-15);
            assert!((one.energy() / other.energy() - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn a_joined_network_does_its_ports_work_and_its_block_is_its_steps() {
    let (masses, links) = ring(false);
    let (network, all) = bodies(&masses, &links);
    let make = || {
        let mut body = Dense::new(ModalParams::default(), &network, &all, 1.0 / RATE_HZ);
        body.hit(0, 0.01);
        body
    };
    let mut body = make();
    for _ in 0..100 {
        let before = body.energy();
        body.push(2, -3.0);
        let stroke = body.free_stroke(2);
        let from = body.position(2);
        body.commit();
        assert!((body.position(2) - from - stroke).abs() < 1e-18);
        assert!(body.energy() - before <= -3.0 * stroke + 1e-16);
    }
    let (mut free, mut stepped) = (make(), make());
    free.release();
    let mut readings = [Reading::new(1, Motion::Position), Reading::new(4, Motion::Velocity)];
    free.ring(20, &mut readings);
    for tick in 0..20 {
        stepped.commit();
        assert_eq!(readings[0].values[tick], stepped.position(1));
        assert_eq!(readings[1].values[tick], stepped.velocity(4));
    }
}

#[test]
fn a_retune_of_a_joined_network_never_raises_its_energy() {
    let (masses, links) = ring(false);
    let (network, all) = bodies(&masses, &links);
    let mut body = Dense::new(ModalParams::default(), &network, &all, 1.0 / RATE_HZ);
    body.hit(0, 0.01);
    let mut rng = Rng::new(1, "retune");
    for _ in 0..200 {
        (0..8).for_each(|_| body.commit());
        let before = body.energy();
        let index = usize::from(rng.unit() < 0.5);
        let low = if index == 0 { 0.125 } else { 1e-3 };
        body.set(index, rng.between_log(low, 1.0 / low));
        assert!(body.energy() <= before * (1.0 + 1e-12), "{} {before}", body.energy());
        let after = body.energy();
        body.commit();
        assert!(body.energy() <= after * (1.0 + 1e-12), "{} {after}", body.energy());
    }
}

/// One to twelve masses in a random web, struck by one to three hammers, perhaps pressed.
fn web(rng: &mut Rng) -> String {
    let n = 1 + (rng.unit() * 12.0) as usize;
    let pick = |rng: &mut Rng| (rng.unit() * n as f64) as usize;
    let masses: Vec<f64> = (0..n).map(|_| rng.between_log(1e-3, 1.0)).collect();
    let mut links = Vec::new();
    let alike = rng.unit() < 0.4;
    let ratio = rng.between_log(1e-8, 1e-4);
    for _ in 0..1 + 2 * n {
        let (a, b) = (pick(rng), pick(rng));
        let b = if a == b { None } else { Some(b) };
        let k = if !alike && rng.unit() < 0.1 { 0.0 } else { rng.between_log(1e2, 3e6) };
        let c = match (alike, rng.unit() < 0.3) {
            (true, _) => ratio * k,
            (false, true) if k > 0.0 => 0.0,
            _ => rng.between_log(1e-3, 1e3),
        };
        links.push(link(Some(a), b, k, c));
    }
    let mut text = text_of(&masses, &links);
    for i in 0..1 + (rng.unit() * 3.0) as usize {
        let (m, v, port) = (rng.between_log(1e-3, 0.3), rng.between_log(0.01, 10.0), pick(rng));
        let (k, a, mu) = (rng.between_log(1e4, 1e11), rng.between(1.0, 3.0), rng.between(0.0, 2.0));
        write!(
            text,
            "[body.h{i}]\ntype = \"mass\"\nmass_kg = {m:e}\nvelocity_m_s = {v:e}\nposition_m = {:e}\n\
             [contact.c{i}]\ntype = \"impact\"\nbetween = [\"h{i}\", \"net.m{port}\"]\nstiffness = {k:e}\nexponent = {a:e}\ndissipation_s_m = {mu:e}\n",
            -rng.between(0.0, 1e-4)
        )
        .unwrap();
    }
    if rng.unit() < 0.3 {
        let force = rng.between(-20.0, 20.0);
        write!(text, "[[drive]]\npath = \"net.m{}/force_n\"\npoints = [[0.0, {force:e}]]\n", pick(rng)).unwrap();
    }
    text
}

#[test]
fn energy_minus_work_never_rises_in_500_random_networks_in_contact() {
    let mut rng = Rng::new(4, "networks");
    let (mut joined, mut touched) = (0, 0);
    for run in 0..500 {
        let text = web(&mut rng);
        let def = SceneDef::from_text(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let BodyForm::Network(network) = &def.bodies[0].form else { panic!("a network") };
        let network = network.analyse().unwrap();
        joined += usize::from(!network.stands_alone());
        let mut engine = engine(&text, 96_000.0);
        let (rows, health) = probe(&mut engine, &["energy", "work", "c0.force"], 400);
        let (mut before, mut scale) = (f64::INFINITY, 1e-300f64);
        for row in &rows {
            scale = scale.max(row[0].abs() + row[1].abs());
            let ledger = row[0] - row[1];
            assert!(ledger - before <= 1e-12 * scale, "run {run}: {:e}\n{text}", (ledger - before) / scale);
            before = ledger;
        }
        touched += usize::from(rows.iter().any(|row| row[2] > 0.0));
        assert_eq!((health.unconverged, health.reset), (0, 0), "{text}");
    }
    assert!(joined > 150 && touched > 400, "{joined} {touched}");
}

#[test]
fn a_joined_network_that_is_retuned_in_contact_gains_nothing() {
    let (masses, links) = ring(false);
    for stiffness in ["1e5", "1e9"] {
        let text = format!(
            "{}[body.hammer]\ntype = \"mass\"\nmass_kg = 0.01\nvelocity_m_s = 1.0\nposition_m = -1e-3\n[contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"net.m2\"]\nstiffness = {stiffness}\n\
             [[drive]]\npath = \"hammer/force_n\"\npoints = [[0.0, 5.0]]\n\
             [[drive]]\npath = \"net/freq_scale\"\npoints = [[0.0, 1.0], [0.01, 1.4], [0.02, 0.6], [0.03, 1.0], [0.031, 0.5]]\n\
             [[drive]]\npath = \"net/decay_scale\"\npoints = [[0.0, 1.0], [0.005, 3.0], [0.02, 0.2]]\n[[tap]]\nof = \"net.m4\"\n",
            text_of(&masses, &links)
        );
        let mut engine = engine(&text, 48_000.0);
        let (rows, health) = probe(&mut engine, &["energy", "work", "hit.force"], 2_400);
        let (mut before, mut scale) = (f64::INFINITY, 1e-300f64);
        for (sample, row) in rows.iter().enumerate() {
            scale = scale.max(row[0].abs() + row[1].abs());
            let ledger = row[0] - row[1];
            assert!(ledger - before <= 1e-12 * scale, "{stiffness}, {sample}: {:e}", (ledger - before) / scale);
            before = ledger;
        }
        assert!(rows.iter().any(|row| row[2] > 0.0));
        assert_eq!((health.unconverged, health.reset), (0, 0));
    }
}

#[test]
fn blocks_of_any_size_give_the_same_bits() {
    for alike in [true, false] {
        let (masses, links) = ring(alike);
        let text = format!(
            "{}[body.hammer]\ntype = \"mass\"\nmass_kg = 0.01\nvelocity_m_s = 1.0\nposition_m = -1e-3\n[contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"net.m2\"]\nstiffness = 1e8\n\
             [[event]]\nat_s = 0.01\nset = \"net/freq_scale\"\nvalue = 1.3\n[[event]]\nat_s = 0.02\nset = \"net/decay_scale\"\nvalue = 0.5\n\
             [[event]]\nat_s = 0.0301\nstrike = \"hammer\"\nvelocity_m_s = 2.0\n[[tap]]\nof = \"net.m4\"\n",
            text_of(&masses, &links)
        );
        let render = |block: usize| {
            let mut engine = engine(&text, RATE_HZ);
            let mut out = vec![0.0f32; 4_800];
            out.chunks_mut(block).for_each(|part| {
                engine.render(&[], &mut Queue::new(), part);
            });
            out.iter().map(|x| x.to_bits()).collect::<Vec<_>>()
        };
        let whole = render(4_800);
        assert!(whole.iter().any(|bits| *bits != 0));
        for block in [1, 13, 32, 100, 1_024] {
            assert!(render(block) == whole, "{alike} {block}");
        }
    }
}

#[test]
fn a_network_that_cannot_be_is_refused_in_one_line_that_says_why() {
    let head = "[body.net]\ntype = \"network\"\n";
    let built = |text: &str| {
        let def = SceneDef::from_text(text)?;
        Scene::build(&def, def.rate_hz).map(|_| ())
    };
    let link = |between: &str, more: &str| {
        format!(
            "{head}mass_kg = {{ left = 0.01, right = 0.01 }}\nfixed = [\"floor\", \"wall\"]\n[[body.net.link]]\nbetween = {between}\n{more}"
        )
    };
    let spring = "stiffness_n_m = 1e4";
    for (text, said) in [
        (
            link("[\"left\", \"rigth\"]", spring),
            "line 6: body.net.link[0].between: no point 'rigth'; did you mean 'right'?",
        ),
        (
            link("[\"left\", \"left\"]", spring),
            "line 6: body.net.link[0].between: 'left' is linked to itself; name two points",
        ),
        (
            link("[\"floor\", \"wall\"]", spring),
            "line 6: body.net.link[0].between: 'floor' and 'wall' are both fixed; one must be a mass",
        ),
        (
            link("[\"left\"]", spring),
            "line 6: body.net.link[0].between: wants two points or more, each joined to the next",
        ),
        (
            link("\"left\"", spring),
            "line 6: body.net.link[0].between: found the text \"left\"; wants a list of points, each joined to the next",
        ),
        (
            link("[\"left\", \"right\"]", ""),
            "line 5: body.net.link[0]: joins nothing; give stiffness_n_m, damping_n_s_m or both",
        ),
        (
            link("[\"left\", \"right\"]", "stiffness_n_m = -1.0"),
            "line 7: body.net.link[0].stiffness_n_m: -1 N/m is out of range; wants a number from 0 N/m to 1e12 N/m",
        ),
        (
            link("[\"left\", \"right\"]", "stifness_n_m = 1.0"),
            "line 7: body.net.link[0].stifness_n_m: unknown key; did you mean 'stiffness_n_m'?",
        ),
        (
            link("[\"left\", \"floor\"]", "stiffness_n_m = 1e9"),
            "line 1: body.net: its highest mode, 50329 Hz, is not below half the rate (24000 Hz); weaken springs, add mass or raise rate_hz",
        ),
        (
            link(
                "[\"left\", \"right\", \"floor\"]",
                "stiffness_n_m = 1e5\ndamping_n_s_m = 1.0\n[[body.net.link]]\nbetween = [\"left\", \"wall\"]\ndamping_n_s_m = 1e6",
            ),
            "line 1: body.net: dampers in unlike proportion to masses and springs join its modes and damp at 1.00e8 1/s, at most 1e7: as good as rigid; weaken damping_n_s_m or make one mass of two",
        ),
        (format!("{head}mass_kg = {{}}\n"), "line 3: body.net.mass_kg: is empty; a network needs a mass"),
        (head.to_string(), "line 1: body.net: needs mass_kg (the masses, 1e-9 to 1e6 kg, at most 256)"),
        (
            format!("{head}mass_kg = {{ a = 0.0 }}\n"),
            "line 3: body.net.mass_kg.a: 0 kg is out of range; wants a number from 1e-9 kg to 1e6 kg",
        ),
        (
            format!("{head}mass_kg = {{ a = 1.0 }}\nfixed = [\"b\", \"a\"]\n"),
            "line 4: body.net.fixed[1]: the name 'a' is already taken by a mass; choose another",
        ),
        (
            format!("{head}mass_kg = {{ a = 1.0 }}\nfixed = [\"b\", \"b\"]\n"),
            "line 4: body.net.fixed[1]: the name 'b' is already taken by another fixed point; choose another",
        ),
    ] {
        assert_eq!(built(&text).unwrap_err().to_string(), said, "{text}");
    }
    let many = |n: usize, spoilt: &str| {
        let names: Vec<String> = (0..n).map(|i| format!("m{i}")).collect();
        let masses: Vec<String> = names.iter().map(|name| format!("{name} = 0.1")).collect();
        let quoted: Vec<String> = names.iter().map(|name| format!("\"{name}\"")).collect();
        format!(
            "{head}fixed = [\"floor\"]\nmass_kg = {{ {} }}\n[[body.net.link]]\nbetween = [\"floor\", {}]\nstiffness_n_m = 1e6\ndamping_n_s_m = 1.0\n{spoilt}",
            masses.join(", "),
            quoted.join(", ")
        )
    };
    assert_eq!(built(&many(65, "")), Ok(()));
    let spoilt = "[[body.net.link]]\nbetween = [\"floor\", \"m1\"]\ndamping_n_s_m = 1.0\n";
    assert!(built(&many(65, spoilt)).unwrap_err().to_string().contains("65 masses are too many (at most 64)"));
    assert!(built(&many(257, "")).unwrap_err().to_string().ends_with("has 257 masses; at most 256"));
}

#[test]
fn a_mode_that_a_lower_rate_cannot_hold_is_left_out_by_name() {
    for damping in ["", "[[body.net.link]]\nbetween = [\"floor\", \"a\"]\ndamping_n_s_m = 3.0\n"] {
        let text = format!(
            "[body.net]\ntype = \"network\"\nmass_kg = {{ a = 0.01, b = 0.01 }}\nfixed = [\"floor\"]\n\
             [[body.net.link]]\nbetween = [\"floor\", \"a\", \"b\"]\nstiffness_n_m = 4e7\n{damping}"
        );
        let def = SceneDef::from_text(&text).unwrap();
        assert_eq!(Scene::build(&def, 48_000.0).unwrap().omitted().len(), 0);
        let low = Scene::build(&def, 22_050.0).unwrap();
        // (3 + sqrt 5)/2 and its partner under the root: 16287 and 6221 Hz.
        assert_eq!(low.omitted().len(), 1);
        assert!(low.omitted()[0].starts_with("net: mode 1 (16286."), "{:?}", low.omitted());
    }
}

#[test]
fn a_written_network_is_read_back_as_it_was() {
    let (masses, links) = ring(false);
    let text = format!(
        "{}\n[[body.net.link]]\nbetween = [\"m0\", \"m3\", \"m1\"]\nstiffness_n_m = 1.5\n",
        text_of(&masses, &links)
    );
    let def = SceneDef::from_text(&text).unwrap();
    let mut again = SceneDef::from_text(&def.to_toml()).unwrap();
    again.lines.clone_from(&def.lines);
    assert_eq!(again, def);
}
