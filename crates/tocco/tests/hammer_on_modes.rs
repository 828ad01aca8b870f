// SPDX-License-Identifier: MIT OR Apache-2.0
//! A hammer on a vibrating body against an integrator that knows nothing of the engine: Dormand-Prince 5(4) with step
//! control on the continuous equations of Avanzini et al. 2003 (8.14), corrected by C11.

mod common;
use common::{dormand_prince, engine, probe};

#[derive(Clone, Copy)]
struct Case {
    modes: usize,
    k: f64,
    mu: f64,
    a: f64,
    v: f64,
    law: Law,
}

#[derive(Clone, Copy, PartialEq)]
enum Law {
    HuntCrossley,
    ExtendedHertz,
    Stulov,
}

const HAMMER_KG: f64 = 0.01;
const MODE_KG: f64 = 0.05;
const STULOV: (f64, f64) = (0.4, 2e-4);

/// Log-spaced frequencies 220 .. 18000 Hz with decay 0.5/(1 + f/2000), as in physics.md D.7.
fn modes(n: usize) -> Vec<(f64, f64)> {
    (0..n)
        .map(|i| {
            let f = if n == 1 { 220.0 } else { 220.0 * (18_000.0f64 / 220.0).powf(i as f64 / (n - 1) as f64) };
            (f, 0.5 / (1.0 + f / 2_000.0))
        })
        .collect()
}

/// State: hammer position, velocity, felt memory, then (q, p) of every mode.
fn rates(case: &Case, table: &[(f64, f64)], y: &[f64], out: &mut [f64]) {
    let (mut x, mut v) = (y[0], y[1]);
    for pair in y[3..].chunks(2) {
        x -= pair[0];
        v -= pair[1];
    }
    let power = if x > 0.0 { x.powf(case.a) } else { 0.0 };
    // The felt's own surface: below it the partner is in the air and the felt relaxes alone, [impact.3].
    let held = power.max(STULOV.0 * y[2]);
    let f = match case.law {
        Law::HuntCrossley => case.k * power * (1.0 + case.mu * v),
        Law::ExtendedHertz => case.k * power + if x > 0.0 { case.mu * case.k * x.sqrt() * v } else { 0.0 },
        Law::Stulov => case.k * power - case.k * STULOV.0 * y[2],
    };
    let f = if x > 0.0 { f.max(0.0) } else { 0.0 };
    out[0] = y[1];
    out[1] = -f / HAMMER_KG;
    out[2] = if case.law == Law::Stulov { (held - y[2]) / STULOV.1 } else { 0.0 };
    for (i, (freq, decay)) in table.iter().enumerate() {
        let (q, p) = (y[3 + 2 * i], y[4 + 2 * i]);
        let w = std::f64::consts::TAU * freq;
        out[3 + 2 * i] = p;
        out[4 + 2 * i] = -2.0 / decay * p - w * w * q + f / MODE_KG;
    }
}

fn reference(case: &Case, seconds: f64) -> Vec<f64> {
    let table = modes(case.modes);
    let mut y = vec![0.0; 3 + 2 * case.modes];
    y[1] = case.v;
    let scale = |i: usize| match i {
        2 => 1e-16,
        i if i == 0 || (i > 2 && i % 2 == 1) => 1e-15,
        _ => 1e-11,
    };
    dormand_prince(y, seconds, scale, |y, out| rates(case, &table, y, out))
}

fn simulate(case: &Case, frames: usize) -> f64 {
    let list: Vec<String> = modes(case.modes)
        .iter()
        .map(|(f, d)| format!("{{ freq_hz = {f:e}, decay_s = {d:e}, mass_kg = {MODE_KG} }}"))
        .collect();
    let law = match case.law {
        Law::HuntCrossley => format!("dissipation_s_m = {:e}", case.mu),
        Law::ExtendedHertz => format!("dissipation_s_m = {:e}\nviscous_exponent = 0.5", case.mu),
        Law::Stulov => format!("law = \"stulov\"\nhysteresis_01 = {}\nrelaxation_s = {:e}", STULOV.0, STULOV.1),
    };
    let text = format!(
        "[body.hammer]\ntype = \"mass\"\nmass_kg = {HAMMER_KG}\nvelocity_m_s = {:e}\n[body.bar]\ntype = \"modal\"\nmodes = [{}]\n\
         [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"bar\"]\nstiffness = {:e}\nexponent = {:e}\n{law}\n",
        case.v,
        list.join(", "),
        case.k,
        case.a
    );
    let (rows, health) = probe(&mut engine(&text, 44_100.0), &["hammer.velocity"], frames);
    assert_eq!(health.unconverged, 0);
    rows.last().unwrap()[0]
}

#[test]
fn the_independent_integrator_reproduces_the_projects_reference_values() {
    // reference.json D_regression.hammer_modal.
    let soft = Case { modes: 3, k: 1.5e8, mu: 0.6, a: 2.3, v: 1.0, law: Law::HuntCrossley };
    let one = Case { modes: 1, k: 1e9, mu: 0.5, a: 1.5, v: 1.0, law: Law::HuntCrossley };
    assert!((reference(&soft, 1_200.0 / 44_100.0)[1] + 0.553_233_681_76).abs() < 1e-7);
    assert!((reference(&one, 1_200.0 / 44_100.0)[1] + 0.457_400_678_27).abs() < 1e-7);
}

#[test]
fn the_hammer_leaves_a_vibrating_body_with_the_speed_of_the_continuous_equations() {
    let base = Case { modes: 1, k: 1e9, mu: 0.5, a: 1.5, v: 1.0, law: Law::HuntCrossley };
    let cases = [
        base,
        Case { modes: 3, k: 1.5e8, mu: 0.6, a: 2.3, ..base },
        Case { modes: 3, ..base },
        Case { modes: 16, ..base },
        Case { modes: 64, k: 1.5e11, mu: 0.6, a: 2.8, ..base },
        Case { modes: 64, ..base },
        Case { modes: 1, mu: 2e-4, law: Law::ExtendedHertz, ..base },
        Case { modes: 3, k: 1.5e8, mu: 1e-5, law: Law::ExtendedHertz, ..base },
        Case { modes: 1, k: 1e6, mu: 0.1, law: Law::ExtendedHertz, ..base },
        Case { modes: 3, k: 1e7, mu: 0.1, law: Law::ExtendedHertz, ..base },
        Case { modes: 1, k: 1e8, mu: 0.1, law: Law::ExtendedHertz, ..base },
        Case { modes: 1, k: 1e9, mu: 0.1, law: Law::ExtendedHertz, ..base },
        Case { modes: 1, k: 1e8, law: Law::Stulov, ..base },
        Case { modes: 3, k: 1e8, a: 2.3, law: Law::Stulov, ..base },
    ];
    for case in cases {
        let exact = reference(&case, 1_200.0 / 44_100.0)[1];
        let got = simulate(&case, 1_200);
        let error = (got - exact).abs() / case.v;
        println!(
            "{} modes, k {:e}, exponent {}: {got:.6} m/s, continuous {exact:.6} m/s, off by {:.3} %",
            case.modes,
            case.k,
            case.a,
            100.0 * error
        );
        assert!(error <= 1e-3, "{} modes, k {:e}: {got} {exact}", case.modes, case.k);
    }
}

#[test]
fn a_linear_felt_under_a_sudden_load_relaxes_as_its_closed_form_says() {
    // [impact.3] with a = 1 against a wall, mass pressed by a constant force: at rest k x (1 - eps) = F.
    let text = "[body.hammer]\ntype = \"mass\"\nmass_kg = 0.01\n[body.wall]\ntype = \"wall\"\n\
         [contact.felt]\ntype = \"impact\"\nbetween = [\"hammer\", \"wall\"]\nlaw = \"stulov\"\nexponent = 1.0\nstiffness = 1e5\nhysteresis_01 = 0.5\nrelaxation_s = 1e-3\n\
         [[drive]]\npath = \"hammer/force_n\"\npoints = [[0.0, 5.0]]\n";
    let (rows, _) = probe(&mut engine(text, 48_000.0), &["felt.compression"], 48_000);
    assert!((rows.last().unwrap()[0] - 5.0 / (1e5 * 0.5)).abs() < 1e-12);
}

#[test]
fn a_probed_velocity_is_the_rate_of_the_probed_position_after_the_hammer_has_left() {
    let text = "[body.hammer]\ntype = \"mass\"\nvelocity_m_s = 1.0\n[body.bar]\ntype = \"modal\"\n\
                modes = [{ freq_hz = 440.0, decay_s = 0.1, mass_kg = 1.0 }]\n\
                [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"bar\"]\nstiffness = 1e7\n[[tap]]\nof = \"bar\"";
    let (rows, _) = probe(&mut engine(text, 48_000.0), &["bar.position", "bar.velocity"], 4_800);
    let fastest = rows.iter().map(|row| row[1].abs()).fold(0.0, f64::max);
    for w in rows.windows(3).skip(100) {
        // Central difference of a 440 Hz sine at 48 kHz: 5e-4 short.
        let rate = 0.5 * (w[2][0] - w[0][0]) * 48_000.0;
        assert!((rate - w[1][1]).abs() < 1e-3 * fastest, "{rate} beside {}", w[1][1]);
    }
}

/// Velocity and duration of a felt hammer's contact with a wall, by integrating [impact.3] as it stands.
fn felt_on_wall(k: f64, a: f64, eps: f64, tau: f64, kg: f64) -> f64 {
    let rates = |y: &[f64], out: &mut [f64]| {
        let power = if y[0] > 0.0 { y[0].powf(a) } else { 0.0 };
        let f = if y[0] > 0.0 { (k * (power - eps * y[2])).max(0.0) } else { 0.0 };
        (out[0], out[1], out[2]) = (y[1], -f / kg, (power.max(eps * y[2]) - y[2]) / tau);
    };
    let scale = |i: usize| [1e-12, 1e-9, 1e-22][i];
    dormand_prince(vec![0.0, 1.0, 0.0], 0.02, scale, rates)[1]
}

#[test]
fn felt_rebounds_as_its_law_says_however_fast_it_relaxes() {
    let piano = (15_500.0 * 1000f64.powf(3.7), 3.7, 0.9928, 8.3e-3);
    let soft = (1e8, 2.5, 0.4, 0.01);
    let mut off = Vec::new();
    for (k, a, eps, kg) in [piano, soft] {
        for tau in (0..=24).map(|i| 1e-6 * 10f64.powf(f64::from(i) / 6.0)) {
            let exact = felt_on_wall(k, a, eps, tau, kg);
            let text = format!(
                "[body.hammer]\ntype = \"mass\"\nmass_kg = {kg:e}\nvelocity_m_s = 1.0\n[body.wall]\ntype = \"wall\"\n\
                 [contact.felt]\ntype = \"impact\"\nbetween = [\"hammer\", \"wall\"]\nlaw = \"stulov\"\nstiffness = {k:e}\n\
                 exponent = {a:e}\nhysteresis_01 = {eps:e}\nrelaxation_s = {tau:e}\n"
            );
            for rate_hz in [44_100.0, 96_000.0] {
                let frames = (0.02 * rate_hz) as usize;
                let (rows, health) = probe(&mut engine(&text, rate_hz), &["hammer.velocity"], frames);
                let got = rows.last().unwrap()[0];
                println!(
                    "exponent {a}, relaxing in {:.2} us, {rate_hz} Hz: {got:.5}, its law {exact:.5}, off by {:+.3} % of it",
                    1e6 * tau,
                    100.0 * (got / exact - 1.0)
                );
                if (got / exact - 1.0).abs() >= 2e-3 {
                    off.push(format!("{a} {tau:e} {rate_hz}: {got}, not {exact}"));
                }
                assert_eq!(health.unconverged, 0);
            }
        }
    }
    assert!(off.is_empty(), "{off:#?}");
}

#[test]
fn a_piano_hammer_touches_for_sixty_six_samples() {
    let text = format!(
        "[body.hammer]\ntype = \"mass\"\nmass_kg = 8.3e-3\nvelocity_m_s = 1.0\n[body.wall]\ntype = \"wall\"\n\
         [contact.felt]\ntype = \"impact\"\nbetween = [\"hammer\", \"wall\"]\nlaw = \"stulov\"\nstiffness = {:e}\n\
         exponent = 3.7\nhysteresis_01 = 0.9928\nrelaxation_s = 2.58e-6\n",
        15_500.0 * 1000f64.powf(3.7)
    );
    let (rows, _) = probe(&mut engine(&text, 44_100.0), &["felt.force"], 900);
    let lasts = rows.iter().filter(|row| row[0] > 0.0).count();
    assert!((65..=67).contains(&lasts), "{lasts}");
}

#[test]
fn a_loss_with_an_exponent_of_its_own_brakes_as_its_law_says_with_the_steps_that_the_rule_chooses() {
    let mut worst: f64 = 0.0;
    for (k, c) in [(1e6, 1e5), (1e7, 1e6), (1e8, 1e5), (1e8, 1e3), (1e9, 3e4), (1e5, 2e4), (1e6, 3.0)] {
        for (b, v) in [0.5, 1.0, 0.25].into_iter().flat_map(|b| [0.1, 1.0, 5.0].map(|v| (b, v))) {
            let rates = |y: &[f64], out: &mut [f64]| {
                let f = if y[0] > 0.0 { (k * y[0].powf(1.5) + c * y[0].powf(b) * y[1]).max(0.0) } else { 0.0 };
                (out[0], out[1]) = (y[1], -f / HAMMER_KG);
            };
            let exact = dormand_prince(vec![0.0, v], 0.05, |i| [1e-13, 1e-10][i], rates)[1];
            let text = format!(
                "[body.hammer]\ntype = \"mass\"\nmass_kg = {HAMMER_KG}\nvelocity_m_s = {v}\n[body.wall]\ntype = \"wall\"\n\
                 [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"wall\"]\nstiffness = {k:e}\n\
                 viscous_exponent = {b}\nviscous_loss = {c:e}\n"
            );
            let (rows, health) = probe(&mut engine(&text, 48_000.0), &["hammer.velocity"], 2_400);
            let off = (rows.last().unwrap()[0] - exact).abs() / v;
            assert!(off < 1e-3 && health.unconverged == 0, "{k:e} {c:e} {b} {v}: off by {off}");
            worst = worst.max(off);
        }
    }
    println!("off by at most {:.3} % of the speed", 100.0 * worst);
}

#[test]
fn an_old_file_keeps_the_meaning_of_its_loss_and_a_new_one_says_it_in_its_own_unit() {
    let text = |loss: &str| {
        format!(
            "[body.hammer]\ntype = \"mass\"\nmass_kg = 0.01\nvelocity_m_s = 1.0\n[body.wall]\ntype = \"wall\"\n\
             [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"wall\"]\nstiffness = 1048576.0\n{loss}\n"
        )
    };
    let run = |loss: &str| probe(&mut engine(&text(loss), 48_000.0), &["hammer.velocity"], 480).0;
    let (old, new) =
        ("viscous_exponent = 0.5\ndissipation_s_m = 0.125", "viscous_exponent = 0.5\nviscous_loss = 131072");
    assert_eq!(run(old), run(new));
    for (loss, said) in [
        ("viscous_loss = 1.0", "contact.hit.viscous_loss: needs viscous_exponent"),
        (
            "viscous_exponent = 0.5\nviscous_loss = 1\ndissipation_s_m = 1",
            "viscous_loss: stands beside dissipation_s_m",
        ),
    ] {
        let error = tocco::SceneDef::from_text(&text(loss)).unwrap_err().to_string();
        assert!(error.contains(said) && error.starts_with("line "), "{error}");
    }
}
