// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws the figure of every page in docs/models and checks the claim that the page makes about it, and that the page
//! shows it. `TOCCO_BLESS=1 cargo test -p tocco-lab --test figures` writes the pictures.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::f64::consts::{PI, TAU};
use std::path::PathBuf;
use tocco::interactor::friction::{Friction, FrictionLaw, FrictionParams};
use tocco::interactor::{Interactor, Stroke};
use tocco::papers::{Law, Scheme, State, Wall, case_2};
use tocco::resonator::inertial::{Guided, GuidedParams};
use tocco::resonator::modal::{Modal, ModalParams};
use tocco::resonator::partials::Partials;
use tocco::resonator::waveguide::{StringParams, Waveguide};
use tocco::resonator::{CONTROL_TICKS, Motion, Reading, Resonator};
use tocco::rng::Rng;
use tocco::texture::fractal::Fractal;
use tocco::texture::{Surface, Texture, TextureParams};
use tocco::theory::{WallImpact, restitution, restitution_fit};
use tocco::{Engine, Queue, Scene, SceneDef};
use tocco_lab::plot::{Corner, Figure, Look, Panel, Series};
use tocco_testing::pictures::assert_shipped;
use tocco_testing::spectra::partial;

fn draw(name: &str, title: &str, panels: Vec<Panel>) {
    let bytes = Figure { title: title.into(), panels }.png().unwrap();
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/models");
    assert_shipped(&bytes, &docs.join(format!("{name}.png")));
}

/// Renders a scene and returns the signals, one row per sample.
fn run(text: &str, rate_hz: f64, signals: &[&str], frames: usize) -> Vec<Vec<f64>> {
    let scene = SceneDef::from_text(text).and_then(|def| Scene::build(&def, rate_hz));
    let mut engine = Engine::new(scene.unwrap_or_else(|cause| panic!("{cause}\n{text}")));
    let probes: Vec<_> = signals.iter().map(|signal| engine.scene().directory().probe(signal).unwrap()).collect();
    engine.watch(&probes);
    let (mut out, mut rows) = (vec![0.0; frames * engine.scene().channels()], vec![0.0; frames * signals.len()]);
    let health = engine.render_probed(&[], &mut Queue::new(), &mut out, &mut rows);
    assert_eq!((health.unconverged, health.reset), (0, 0), "{text}");
    rows.chunks(signals.len()).map(<[f64]>::to_vec).collect()
}

/// Every n-th of the points.
fn thin(points: &[(f64, f64)], n: usize) -> Vec<(f64, f64)> {
    points.iter().step_by(n).copied().collect()
}

fn line(name: &str, colour: usize, data: Vec<(f64, f64)>) -> Series {
    Series::new(name, colour, Look::Line, data)
}

fn dots(name: &str, colour: usize, data: Vec<(f64, f64)>) -> Series {
    Series::new(name, colour, Look::Dots, data)
}

/// A ball that falls onto a floor.
fn drop_text(dissipation_s_m: f64) -> String {
    format!(
        "body.ball = {{ type = \"mass\", mass_kg = 0.01, position_m = -0.3, gravity_m_s2 = 9.81 }}\n\
         body.floor = {{ type = \"wall\" }}\n[contact.bounce]\ntype = \"impact\"\nbetween = [\"ball\", \"floor\"]\n\
         stiffness = 1e8\ndissipation_s_m = {dissipation_s_m}"
    )
}

#[test]
fn inertial_a_dropped_ball_returns_as_high_as_the_law_of_its_contact_lets_it() {
    let rate_hz = 48_000.0;
    let mut heights = Panel::new("a ball of 10 g dropped from 0.3 m", "time, s", "height, m");
    heights.y_range = Some((0.0, 0.4));
    let mut ledger = Panel::new("the ledger, µ = 0.1 s/m", "time, s", "energy - work, mJ");
    for (mu, colour) in [(0.0, 7), (0.1, 1)] {
        let rows = run(&drop_text(mu), rate_hz, &["ball.position", "energy", "work"], 3 * 48_000);
        let height: Vec<(f64, f64)> = rows.iter().enumerate().map(|(n, r)| (n as f64 / rate_hz, -r[0])).collect();
        let is_top = |w: &&[(f64, f64)]| w[1].1 > w[0].1 && w[1].1 >= w[2].1 && w[1].1 > 0.0;
        let mut expected: f64 = 0.3;
        let mut tops = Vec::new();
        for top in height.windows(3).filter(is_top).map(|w| w[1]) {
            // The ball meets the floor at sqrt(2 g h) and leaves it with the restitution of that speed.
            expected *= restitution(mu * (2.0 * 9.81 * expected).sqrt()).powi(2);
            // That leaves out gravity while they touch: g x over v^2/2, up to 0.2 % of the height in the lowest leaps.
            let allowed = if mu == 0.0 { 1e-8 } else { 3e-3 };
            assert!((top.1 / expected - 1.0).abs() < allowed, "µ {mu}: {top:?} instead of {expected}");
            tops.push((top.0, expected));
        }
        assert!(tops.len() >= 5);
        for pair in rows.windows(2) {
            assert!((pair[1][1] - pair[1][2]) - (pair[0][1] - pair[0][2]) <= 1e-12 * 0.03);
        }
        heights = heights.with(line(&format!("µ = {mu} s/m"), colour, thin(&height, 60)));
        if mu > 0.0 {
            heights = heights.with(Series::new("tops by the closed form", 0, Look::Rings, tops));
            let data: Vec<_> =
                rows.iter().enumerate().map(|(n, r)| (n as f64 / rate_hz, 1e3 * (r[1] - r[2]))).collect();
            ledger = ledger.with(line("", 2, thin(&data, 24)));
        }
    }
    draw("inertial", "Mass and wall: a bouncing ball", vec![heights, ledger]);
}

#[test]
fn modal_frequencies_are_exact_where_the_bilinear_transform_is_flat_and_every_damping_follows_its_closed_form() {
    let rate_hz = 44_100.0;
    let text = |mode: &str| {
        format!(
            "body.bar = {{ type = \"modal\", modes = [{mode}] }}\nevent = [{{ at_s = 0.0, hit = \"bar\", impulse_n_s = 1.0 }}]"
        )
    };
    let (mut ours, mut bilinear) = (Vec::new(), Vec::new());
    for freq_hz in [100.0, 1e3, 2e3, 4e3, 6e3, 8e3, 10e3, 12e3, 14e3, 16e3, 18e3, 20e3, 22e3] {
        let rows =
            run(&text(&format!("{{ freq_hz = {freq_hz:e}, mass_kg = 1.0 }}")), rate_hz, &["bar.velocity"], 4_000);
        // A lossless mode obeys y[n+1] + y[n-1] = 2 cos(theta) y[n].
        let sums =
            rows.windows(3).fold((0.0, 0.0), |(a, b), w| (a + (w[0][0] + w[2][0]) * w[1][0], b + w[1][0] * w[1][0]));
        let heard_hz = (0.5 * sums.0 / sums.1).acos() / TAU * rate_hz;
        assert!((heard_hz / freq_hz - 1.0).abs() < 1e-9, "{freq_hz}: {heard_hz}");
        ours.push((freq_hz / 1e3, 1200.0 * (heard_hz / freq_hz).log2()));
        bilinear.push((freq_hz / 1e3, 1200.0 * (rate_hz / PI * (PI * freq_hz / rate_hz).atan() / freq_hz).log2()));
    }
    assert!(bilinear.iter().any(|p| p.0 == 18.0 && (-600.0..-590.0).contains(&p.1)), "{bilinear:?}");
    let pitch =
        Panel { legend: Corner::BottomLeft, ..Panel::new("pitch error at 44.1 kHz", "frequency, kHz", "cents") }
            .with(Series::new("bilinear transform (the papers)", 1, Look::Dashed, bilinear))
            .with(dots("ours, measured", 2, ours));

    let mut damping = Panel::new("a 500 Hz mode after a hit of 1 N s on 1 kg", "time, ms", "velocity, m/s");
    let omega = TAU * 500.0;
    for (name, sigma, colour) in [("1/4 of critical", 0.25, 0), ("critical", 1.0, 1), ("4 times critical", 4.0, 2)] {
        let sigma: f64 = sigma * omega;
        let mode = format!("{{ freq_hz = 500.0, decay_s = {:e}, mass_kg = 1.0 }}", 1.0 / sigma);
        let rows = run(&text(&mode), rate_hz, &["bar.velocity"], 200);
        let closed = |t: f64| {
            let root = (omega * omega - sigma * sigma).abs().sqrt();
            let (even, odd) = if sigma < 0.999 * omega {
                ((root * t).cos(), (root * t).sin() / root)
            } else if sigma > 1.001 * omega {
                ((root * t).cosh(), (root * t).sinh() / root)
            } else {
                (1.0, t)
            };
            (-sigma * t).exp() * (even - sigma * odd)
        };
        let points: Vec<(f64, f64)> = rows.iter().enumerate().map(|(n, r)| ((n + 1) as f64 / rate_hz, r[0])).collect();
        for (t, v) in &points {
            assert!((v - closed(*t)).abs() < 1e-9, "{name} at {t}: {v} {}", closed(*t));
        }
        let fine = (0..=400).map(|i| f64::from(i) * 1e-5).map(|t| (1e3 * t, closed(t))).collect();
        damping = damping.with(line(name, colour, fine));
        let few: Vec<_> = points.iter().take_while(|p| p.0 < 4e-3).map(|p| (1e3 * p.0, p.1)).collect();
        damping = damping.with(dots("", colour, thin(&few, 5)));
    }
    draw("modal", "Modal bank: exact at any frequency and damping", vec![pitch, damping]);
}

/// Force against compression during one throw of 10 g at a wall: (compression, mean force) at the middle of each step.
fn blow(law: &str, velocity_m_s: f64, rate_hz: f64, frames: usize) -> (Vec<(f64, f64)>, f64, f64) {
    let text = format!(
        "body.ball = {{ type = \"mass\", mass_kg = 0.01, position_m = -1e-6, velocity_m_s = {velocity_m_s} }}\n\
         body.wall = {{ type = \"wall\" }}\n[contact.hit]\ntype = \"impact\"\nbetween = [\"ball\", \"wall\"]\nsubsteps = 1\n{law}"
    );
    let rows = run(&text, rate_hz, &["ball.position", "hit.force", "ball.velocity"], frames);
    let mut before = -1e-6;
    let (mut loop_of, mut area) = (Vec::new(), 0.0);
    for row in &rows {
        area += row[1] * (row[0] - before);
        if row[1] > 0.0 {
            loop_of.push((0.5 * (before + row[0]), row[1]));
        }
        before = row[0];
    }
    let out = rows.last().unwrap()[2];
    (loop_of, area, 0.5 * 0.01 * (velocity_m_s * velocity_m_s - out * out))
}

#[test]
fn impact_the_area_of_the_loop_is_the_energy_lost_and_felt_hit_faster_is_harder() {
    let (k, v) = (1e8, 1.0);
    let mut loops =
        Panel { legend: Corner::TopLeft, ..Panel::new("Hunt-Crossley, 10 g at 1 m/s", "compression, mm", "force, N") };
    for (mu, colour) in [(0.0, 0), (0.3, 2), (1.0, 1)] {
        let law = format!("stiffness = {k:e}\ndissipation_s_m = {mu}");
        let (points, area, lost) = blow(&law, v, 192_000.0, 400);
        assert!((area - lost).abs() < 1e-12, "µ {mu}: {area} {lost}");
        assert!(points.iter().all(|p| p.1 >= 0.0));
        let exact = WallImpact { mass_kg: 0.01, stiffness: k, exponent: 1.5, dissipation_s_m: mu, velocity_m_s: v };
        let back = exact.rebound_m_s();
        // The compression changes fast with the speed at both ends.
        let eased = |t: f64| t * t * t * (10.0 - 15.0 * t + 6.0 * t * t);
        let path = (0..=200).map(|i| v + (back - v) * eased(f64::from(i) / 200.0)).map(|speed| {
            let x = exact.compression_at_m(speed);
            (1e3 * x, k * x.powf(1.5) * (1.0 + mu * speed))
        });
        let path: Vec<_> = path.collect();
        let most = path.iter().fold(0.0, |m: f64, p| m.max(p.1));
        let ours = points.iter().fold(0.0, |m: f64, p| m.max(p.1));
        assert!((ours / most - 1.0).abs() < 2e-3, "µ {mu}: {ours} {most}");
        loops = loops.with(line(&format!("µ = {mu} s/m"), colour, path));
        let points: Vec<_> = points.iter().map(|p| (1e3 * p.0, p.1)).collect();
        loops = loops.with(dots("", colour, thin(&points, 3)));
    }
    let mut felt = Panel {
        legend: Corner::TopLeft,
        ..Panel::new("Stulov felt, a = 2.3, ε = 0.6, τ = 0.3 ms", "compression, mm", "force, N")
    };
    let mut secants = Vec::new();
    for (v, colour) in [(0.25, 0), (1.0, 2), (4.0, 1)] {
        let law = "law = \"stulov\"\nstiffness = 3e9\nexponent = 2.3\nhysteresis_01 = 0.6\nrelaxation_s = 3e-4";
        let (points, area, lost) = blow(law, v, 192_000.0, 1_500);
        assert!(lost > 0.0 && area > 0.0 && points.iter().all(|p| p.1 >= 0.0));
        let deepest = points.iter().fold((0.0, 0.0), |m: (f64, f64), p| if p.0 > m.0 { *p } else { m });
        secants.push(deepest.1 / deepest.0.powf(2.3));
        let scaled = points.iter().map(|p| (1e3 * p.0, p.1)).collect();
        felt = felt.with(line(&format!("{v} m/s"), colour, scaled));
    }
    assert!(secants[0] < secants[1] && secants[1] < secants[2], "{secants:?}");
    draw("impact", "Impact: force against compression (lines: closed form, dots: ours)", vec![loops, felt]);
}

const SAMPLES: [(&str, f64); 9] = [
    ("1/4", 0.25),
    ("1/2", 0.5),
    ("1", 1.0),
    ("2", 2.0),
    ("4", 4.0),
    ("8", 8.0),
    ("16", 16.0),
    ("32", 32.0),
    ("64", 64.0),
];

/// Largest relative error of the rebound over eight start phases, for each contact time of `SAMPLES`.
fn rebound_errors(extra: &str) -> Vec<f64> {
    let rate_hz = 44_100.0;
    let one = |samples: f64| {
        let wall = WallImpact { mass_kg: 0.01, stiffness: 1e9, exponent: 1.5, dissipation_s_m: 0.5, velocity_m_s: 1.0 };
        let wall = wall.lasting(samples / rate_hz);
        let error = |phase: i32| {
            let start_m = -(f64::from(phase) / 8.0 + 1.0) / rate_hz;
            let text = format!(
                "body.ball = {{ type = \"mass\", mass_kg = 0.01, position_m = {start_m:e}, velocity_m_s = 1.0 }}\n\
                 body.wall = {{ type = \"wall\" }}\n[contact.hit]\ntype = \"impact\"\nbetween = [\"ball\", \"wall\"]\n\
                 stiffness = {:e}\ndissipation_s_m = 0.5\n{extra}",
                wall.stiffness
            );
            let rows = run(&text, rate_hz, &["ball.velocity"], 40 + (3.0 * samples) as usize);
            (rows.last().unwrap()[0] / wall.rebound_m_s() - 1.0).abs()
        };
        (0..8).map(error).fold(0.0, f64::max)
    };
    SAMPLES.iter().map(|(_, samples)| one(*samples)).collect()
}

/// In decades of per cent; rounding is drawn at its usual size.
fn decades(errors: &[f64]) -> Vec<(f64, f64)> {
    errors.iter().enumerate().map(|(i, e)| (i as f64, (100.0 * e.max(1e-15)).log10())).collect()
}

fn by_samples(title: &str, y_label: &str) -> Panel {
    let categories = SAMPLES.map(|(name, _)| name.into()).to_vec();
    let x_range = Some((-0.4, SAMPLES.len() as f64 - 0.6));
    Panel { categories, x_range, ..Panel::new(title, "contact time, samples", y_label) }
}

#[test]
fn contact_sub_steps_keep_the_rebound_and_a_chain_of_balls_is_solved_as_one() {
    let (one, four, auto) = (rebound_errors("substeps = 1"), rebound_errors("substeps = 4"), rebound_errors(""));
    for ((_, samples), error) in SAMPLES.iter().zip(&auto) {
        assert!(*error <= if *samples >= 1.0 { 2.5e-3 } else { 2e-2 }, "{samples}: {error}");
    }
    assert!(one[2] > 0.1 && one[2] > 50.0 * auto[2]);
    let errors = by_samples("rebound off a wall, worst of 8 start phases", "error, log10 of %")
        .with(Series::new("1 step per sample", 1, Look::DottedLine, decades(&one)))
        .with(Series::new("4 sub-steps", 7, Look::DottedLine, decades(&four)))
        .with(Series::new("automatic (default)", 2, Look::DottedLine, decades(&auto)));

    // Five balls that touch; the first arrives at 1 m/s.
    let mut text = String::new();
    for i in 0..5 {
        let v = if i == 0 { 1.0 } else { 0.0 };
        text += &format!("body.b{i} = {{ type = \"mass\", mass_kg = 0.05, velocity_m_s = {v:?} }}\n");
    }
    for i in 0..4 {
        text +=
            &format!("contact.c{i} = {{ type = \"impact\", between = [\"b{i}\", \"b{}\"], stiffness = 1e9 }}\n", i + 1);
    }
    let signals = ["b0.velocity", "b1.velocity", "b2.velocity", "b3.velocity", "b4.velocity", "energy"];
    let rows = run(&text, 192_000.0, &signals, 200);
    let mut chain = Panel::new("five balls in one island", "time, ms", "velocity, m/s");
    (chain.x_range, chain.y_range) = (Some((0.0, 0.7)), Some((-0.1, 1.5)));
    for (n, row) in rows.iter().enumerate() {
        let momentum: f64 = row[..5].iter().sum();
        assert!((momentum - 1.0).abs() < 1e-12, "sample {n}: {momentum}");
        assert!((row[5] - 0.025).abs() < 1e-12, "sample {n}: {}", row[5]);
    }
    for (ball, colour) in [0, 6, 2, 5, 1].into_iter().enumerate() {
        let data = rows.iter().enumerate().map(|(n, r)| ((n + 1) as f64 / 192.0, r[ball])).collect();
        chain = chain.with(line(&format!("ball {}", ball + 1), colour, data));
    }
    draw("contact", "Contacts: sub-steps, and several at once", vec![errors, chain]);
}

#[test]
fn exact_the_wall_scheme_errs_by_rounding_only() {
    let (auto, exact) = (rebound_errors(""), rebound_errors("exact_wall = true"));
    assert!(exact.iter().all(|e| *e < 1e-10), "{exact:?}");
    let errors = by_samples("rebound off a wall, worst of 8 start phases", "error, log10 of %")
        .with(Series::new("default", 2, Look::DottedLine, decades(&auto)))
        .with(Series::new("exact_wall = true", 3, Look::DottedLine, decades(&exact)));
    draw("exact", "The exact wall scheme", vec![Panel { legend: Corner::Left, ..errors }]);
}

#[test]
fn theory_the_papers_fit_leaves_the_root_and_only_a_linear_contact_has_a_duration_of_its_own() {
    let grid: Vec<f64> = (1..=300).map(|i| f64::from(i) * 0.02).collect();
    let off = |y: f64| (restitution_fit(y) / restitution(y) - 1.0).abs();
    assert!((0.015..0.025).contains(&off(3.0)) && off(0.5) < 1e-3, "{} {}", off(3.0), off(0.5));
    let rebound = Panel::new("restitution off a wall", "y = µ v", "speed out / speed in")
        .with(line("the root", 0, grid.iter().map(|&y| (y, restitution(y))).collect()))
        .with(Series::new("the papers' fit", 1, Look::Dashed, grid.iter().map(|&y| (y, restitution_fit(y))).collect()));
    let mut duration = Panel::new("contact time, elastic, 1 ms at 1 m/s", "speed, m/s", "contact time, ms");
    duration.y_range = Some((0.0, 4.0));
    for (a, colour) in [(1.0, 0), (1.5, 2), (2.3, 1), (3.5, 3)] {
        let wall = WallImpact { mass_kg: 0.01, stiffness: 1.0, exponent: a, dissipation_s_m: 0.0, velocity_m_s: 1.0 };
        let wall = wall.lasting(1e-3);
        let at = |v: f64| WallImpact { velocity_m_s: v, ..wall }.contact_time_s();
        let slope = (at(4.0) / at(1.0)).ln() / 4.0_f64.ln();
        assert!((slope - (1.0 - a) / (1.0 + a)).abs() < 1e-9, "{a}: {slope}");
        let speeds = (1..=200).map(|i| f64::from(i) * 0.02);
        duration = duration.with(line(&format!("exponent {a}"), colour, speeds.map(|v| (v, 1e3 * at(v))).collect()));
    }
    draw("theory", "Closed forms for a mass on a wall", vec![rebound, duration]);
}

/// Energy over initial energy after each sample of one collision by a paper's scheme.
fn energies(scheme: Scheme, wall: &Wall, velocity_m_s: f64, samples: usize) -> Vec<(f64, f64)> {
    let mut state = State::arriving(velocity_m_s);
    let first = wall.energy_j(state);
    let mut path = vec![(0.0, 1.0)];
    for n in 1..=samples {
        state = scheme.step(wall, state);
        path.push((n as f64, wall.energy_j(state) / first));
    }
    path
}

fn our_energies(wall: &Wall, velocity_m_s: f64, samples: usize) -> Vec<(f64, f64)> {
    let law = wall.law;
    let text = format!(
        "body.ball = {{ type = \"mass\", mass_kg = {:e}, velocity_m_s = {velocity_m_s:e} }}\nbody.wall = {{ type = \"wall\" }}\n\
         [contact.hit]\ntype = \"impact\"\nbetween = [\"ball\", \"wall\"]\nstiffness = {:e}\nexponent = {:e}\n\
         dissipation_s_m = {:e}",
        wall.mass_kg, law.stiffness, law.exponent, law.dissipation_s_m
    );
    let first = 0.5 * wall.mass_kg * velocity_m_s * velocity_m_s;
    let rows = run(&text, 1.0 / wall.dt_s, &["energy"], samples);
    let path = rows.iter().enumerate().map(|(n, r)| ((n + 1) as f64, r[0] / first));
    [(0.0, 1.0)].into_iter().chain(path).collect()
}

#[test]
fn papers_their_schemes_make_energy_where_ours_only_loses_it() {
    let (wall, velocity) = case_2();
    let hard = Wall { law: Law { stiffness: 8.5e10, ..wall.law }, ..wall };
    let schemes = [(Scheme::Am1, 1), (Scheme::Verlet, 2), (Scheme::Heun, 3), (Scheme::Rk4, 4)];
    let mut panels = Vec::new();
    let cases = [
        (wall, "contact of 5.9 samples (Table 2.1 b)", (-0.32, 0.08)),
        (hard, "contact of about 1 sample", (-0.5, 6.5)),
    ];
    for (wall, title, range) in cases {
        let mut panel = Panel::new(title, "samples", "energy / initial energy, log10");
        panel.y_range = Some(range);
        let decades = |path: &[(f64, f64)]| path.iter().map(|p| (p.0, p.1.log10())).collect();
        for (scheme, colour) in schemes {
            let path = energies(scheme, &wall, velocity, 9);
            panel = panel.with(Series::new(scheme.name(), colour, Look::DottedLine, decades(&path)));
        }
        let ours = our_energies(&wall, velocity, 9);
        assert!(ours.windows(2).all(|w| w[1].1 <= w[0].1 + 1e-12), "{ours:?}");
        panels.push(panel.with(Series::new("ours", 0, Look::DottedLine, decades(&ours))));
    }
    let most = |wall: &Wall| energies(Scheme::Am1, wall, velocity, 9).iter().fold(0.0, |m: f64, p| m.max(p.1));
    assert!(most(&hard) > 1.5, "{}", most(&hard));
    draw("papers", "Energy during one collision with a wall, 44.1 kHz", panels);
}

#[test]
fn fractal_the_spectrum_is_a_straight_line_where_the_printed_signs_give_none() {
    let rate_hz = 44_100.0;
    let places: Vec<f64> = (0..=120).map(|i| 20.0 * 1e3_f64.powf(f64::from(i) / 120.0)).collect();
    let db = |power: f64| 10.0 * power.log10();
    let mut levels =
        Panel { legend: Corner::BottomLeft, ..Panel::new("power, 0 dB at 1 kHz", "log10 of frequency in Hz", "dB") };
    let mut misses = Panel {
        legend: Corner::TopLeft,
        ..Panel::new("deviation from the straight line", "log10 of frequency in Hz", "dB")
    };
    misses.y_range = Some((-0.3, 0.3));
    for (beta, colour) in [(0.0, 7), (0.5, 3), (1.0, 2), (1.5, 5), (2.0, 1)] {
        let noise = Fractal::new(beta, 2, 2.0, rate_hz, Rng::new(1, "figure"));
        let level = |f: f64| db(noise.power(f / rate_hz) / noise.power(1e3 / rate_hz));
        let curve: Vec<_> = places.iter().map(|&f| (f.log10(), level(f))).collect();
        let straight = |f: f64| -beta * db(f / 1e3);
        let mean = places.iter().map(|&f| level(f) - straight(f)).sum::<f64>() / places.len() as f64;
        let miss: Vec<_> = places.iter().map(|&f| (f.log10(), level(f) - straight(f) - mean)).collect();
        assert!(miss.iter().all(|m| m.1.abs() < 0.16), "beta {beta}: {miss:?}");
        levels = levels.with(line(&format!("beta = {beta}"), colour, curve));
        misses = misses.with(line(&format!("beta = {beta}"), colour, miss));
    }
    // Poles at -r and zeros at -r, as (8.26), (8.29) and (2.29) print them.
    let noise = Fractal::new(1.0, 2, 20.0, rate_hz, Rng::new(1, "figure"));
    let printed = |f: f64| {
        let away = |root: f64| 1.0 + root * root + 2.0 * root * (TAU * f / rate_hz).cos();
        let last = noise.poles().len() - 1;
        noise.zeros().iter().zip(noise.poles()).take(last).fold(1.0, |p, (&b, &a)| p * away(b) / away(a))
    };
    let curve: Vec<_> = places.iter().map(|&f| (f.log10(), db(printed(f) / printed(1e3)))).collect();
    assert!(curve[0].1.abs() < 1.0, "where the slope should give 17 dB: {:?}", curve[0]);
    levels = levels.with(Series::new("beta = 1, signs as printed", 0, Look::Dashed, curve));
    draw("fractal", "Fractal noise, 20 Hz to 20 kHz at 44.1 kHz", vec![levels, misses]);
}

#[test]
fn texture_twice_the_speed_reads_the_same_surface_in_half_the_time() {
    let surface = |beta| Surface::new(TextureParams { beta }, 1e-5, 0.01, 2, Rng::new(3, "figure"));
    let mut profiles = Panel::new("height along 1 mm, grain 10 µm", "travel, mm", "height, standard deviations");
    profiles.y_range = Some((-4.5, 4.5));
    for (beta, colour) in [(0.0, 7), (1.0, 2), (2.0, 1)] {
        let mut surface = surface(beta);
        let heights = (0..=1000).map(|i| f64::from(i) * 1e-6).map(|u| (1e3 * u, surface.height(u))).collect();
        profiles = profiles.with(Series::new(
            format!("beta = {beta}"),
            colour,
            if beta == 0.0 { Look::Thin } else { Look::Line },
            heights,
        ));
    }
    let read = |speed: f64| {
        let mut surface = surface(1.5);
        (0..=2400).map(|n| f64::from(n) / 48_000.0).map(|t| (1e3 * t, surface.height(speed * t))).collect::<Vec<_>>()
    };
    let (slow, fast) = (read(0.02), read(0.04));
    for n in 0..=1200 {
        assert_eq!(slow[2 * n].1.to_bits(), fast[n].1.to_bits(), "sample {n}");
    }
    let mut times = Panel::new("the same surface, beta = 1.5, over time", "time, ms", "height, standard deviations");
    times.x_range = Some((0.0, 25.0));
    times = times.with(line("at 20 mm/s", 0, slow)).with(line("at 40 mm/s", 1, fast));
    draw("texture", "A surface, read where the contact is", vec![profiles, times]);
}

#[test]
fn waveguide_twenty_partials_follow_the_stiff_string() {
    let waves = |params, sample_s| -> Box<dyn Resonator> { Box::new(Waveguide::new(params, &[0.13, 0.07], sample_s)) };
    string_of("waveguide", "String as a loop of waves", &waves, [3.0, f64::INFINITY]);
}

#[test]
fn partials_follow_the_stiff_string_and_its_losses() {
    let modes =
        |params, sample_s| -> Box<dyn Resonator> { Box::new(Partials::new(params, &[0.13, 0.07], sample_s, true)) };
    string_of("partials", "String as its partials", &modes, [0.1, 0.01]);
}

/// Twenty partials of a string within these cents, and this part of the quality factor, of the law.
fn string_of(
    name: &str,
    title: &str,
    make: &dyn Fn(StringParams, f64) -> Box<dyn Resonator>,
    [cents_off, quality_off]: [f64; 2],
) {
    let (rate_hz, freq_hz) = (48_000.0, 147.0);
    let mut pitch = Panel {
        legend: Corner::TopLeft,
        ..Panel::new("partials of a 147 Hz string", "partial", "cents above the harmonic")
    };
    let mut quality = Panel::new("quality factor, q = 500, B = 5.57e-5", "partial", "Q");
    quality.y_range = Some((0.0, 1400.0));
    for (b, colour) in [(5.573_96e-5, 2), (3e-4, 1)] {
        let stiff = |n: f64| n * ((1.0 + b * n * n) / (1.0 + b)).sqrt();
        let cents = |ratio: f64, n: f64| 1200.0 * (ratio / n).log2();
        let law = (10..=200).map(|i| f64::from(i) / 10.0).map(|n| (n, cents(stiff(n), n))).collect();
        let mut points = Vec::new();
        for (q_tilt, q_colour) in [(1.0, 0), (2.0, 3)] {
            let params = StringParams { freq_hz, inharmonicity: b, q: 500.0, q_tilt, ..StringParams::default() };
            let mut string = make(params, 1.0 / rate_hz);
            let period = rate_hz / freq_hz;
            let (window, lag) = ((40.0 * period) as usize, (6.0 * period) as usize);
            string.hit(0, 1e-3);
            string.release();
            let mut heard = Vec::new();
            let mut reading = [Reading::new(1, Motion::Velocity)];
            while heard.len() < window + lag {
                string.ring(CONTROL_TICKS, &mut reading);
                heard.extend_from_slice(&reading[0].values);
            }
            let mut qualities = Vec::new();
            for n in (1..=20).map(f64::from) {
                let aim = TAU * freq_hz * stiff(n) / rate_hz;
                let (w, decay) = partial(&heard, aim, window, lag);
                let off = 1200.0 * (w / aim).log2();
                assert!(off.abs() < cents_off, "B {b}, partial {n}: {off} cents");
                if q_tilt == 1.0 {
                    points.push((n, cents(w / aim * stiff(n), n)));
                }
                qualities.push((n, 0.5 * w / decay));
            }
            if colour == 2 {
                for (place, q) in [(0, 500.0), (9, 500.0 * q_tilt)] {
                    assert!((qualities[place].1 / q - 1.0).abs() < 0.05, "{:?}", qualities[place]);
                }
                // The rates of partials 1 and 10 fix b1 and b3.
                let rate = |n: f64, q: f64| stiff(n) / q;
                let (first, tenth) = (rate(1.0, 500.0), rate(10.0, 500.0 * q_tilt));
                let b3 = (tenth - first) / (stiff(10.0).powi(2) - 1.0);
                let wanted = |n: f64| stiff(n) / (first - b3 + b3 * stiff(n).powi(2));
                for &(n, q) in &qualities {
                    assert!((q / wanted(n) - 1.0).abs() < quality_off, "partial {n}: {q}, wanted {}", wanted(n));
                }
                let law = (10..=200).map(|i| f64::from(i) / 10.0).map(|n| (n, wanted(n))).collect();
                quality = quality.with(line(&format!("q_tilt = {q_tilt}"), q_colour, law));
                quality = quality.with(dots("", q_colour, qualities));
            }
        }
        pitch = pitch.with(line(&format!("B = {b:.2e}"), colour, law)).with(dots("", colour, points));
    }
    draw(name, &format!("{title} (lines: the law, dots: measured)"), vec![pitch, quality]);
}

#[test]
fn friction_slides_on_its_curve_and_sticks_and_slips_on_a_belt() {
    let dt = 1.0 / 44_100.0;
    let belt = |v: f64| Guided::new(GuidedParams { velocity_m_s: v }, 0.0, dt);
    let mut curve = Panel::new("steady sliding, 1 N, µ 0.8 and 0.3, 0.1 m/s", "speed, m/s", "force, N");
    curve.y_range = Some((0.0, 0.9));
    let p = FrictionParams::default();
    let stribeck = |v: f64| 0.3 + 0.5 * (-(v / p.stribeck_m_s).powi(2)).exp();
    let grid = (0..=200).map(|i| f64::from(i) * 0.002);
    curve = curve.with(line("[friction.1]", 7, grid.map(|v| (v, stribeck(v))).collect()));
    for (name, law, colour, look) in [
        ("elasto-plastic", FrictionLaw::ElastoPlastic, 2, Look::Dots),
        ("lugre", FrictionLaw::LuGre, 1, Look::Rings),
        ("dahl", FrictionLaw::Dahl, 3, Look::Crosses),
        ("thermal", FrictionLaw::Thermal, 4, Look::DottedLine),
    ] {
        let steady = |v: f64| {
            let mut friction = Friction::new(law, p, None);
            let mut force = 0.0;
            for _ in 0..44_100 {
                friction.prepare(0.0, dt);
                let found = friction.resolve(0.0, v * dt, 0.0, dt, v * dt);
                friction.commit(Stroke { from: 0.0, by: found.stroke, dt }, found.force);
                force = found.force;
            }
            force
        };
        let points: Vec<(f64, f64)> = (1..=20).map(|i| f64::from(i) * 0.02).map(|v| (v, steady(v))).collect();
        if matches!(law, FrictionLaw::ElastoPlastic | FrictionLaw::LuGre) {
            assert!(points.iter().all(|p| (p.1 - stribeck(p.0)).abs() < 1e-6), "{points:?}");
        }
        curve = curve.with(Series::new(name, colour, look, points));
    }

    // physics.md E.6: 0.1 kg on 200 N/m, on a belt of 20 mm/s.
    let params = FrictionParams {
        normal_force_n: 1.0,
        mu_static: 0.5,
        mu_dynamic: 0.2,
        stribeck_m_s: 0.01,
        bristle_stiffness: 1e4,
        bristle_damping: 10.0,
        viscosity: 0.1,
        ..Default::default()
    };
    let mut motion = Panel::new("0.1 kg on a spring of 200 N/m, belt at 20 mm/s", "time, s", "position, mm");
    motion.y_range = Some((-1.0, 4.0));
    for (name, law, colour) in [
        ("elasto-plastic", FrictionLaw::ElastoPlastic, 2),
        ("lugre", FrictionLaw::LuGre, 1),
        ("dahl", FrictionLaw::Dahl, 3),
    ] {
        let mut friction = Friction::new(law, params, None);
        let freq_hz = 2000.0_f64.sqrt() / TAU;
        let mut block = Modal::new(ModalParams::default(), &[(freq_hz, 20.0, 0.1)], &[vec![1.0]], dt, false);
        let mut belt = belt(0.02);
        block.attend();
        belt.attend();
        let (mut path, mut slips, mut armed, mut last) = (Vec::new(), Vec::new(), false, 0.0);
        for n in 0..3 * 44_100 {
            friction.prepare(0.0, dt);
            let s0 = belt.free_stroke(0) - block.free_stroke(0);
            let found = friction.resolve(0.0, s0, block.compliance(0, 0), dt, last);
            assert!(found.converged);
            block.push(0, found.force);
            belt.push(0, -found.force);
            friction.commit(Stroke { from: 0.0, by: found.stroke, dt }, found.force);
            block.commit();
            belt.commit();
            last = found.stroke;
            let v = found.stroke / dt;
            if armed && v > 0.01 {
                slips.push(f64::from(n) * dt);
                armed = false;
            } else if v < 0.003 {
                armed = true;
            }
            path.push((f64::from(n) * dt, 1e3 * block.position(0)));
        }
        match law {
            FrictionLaw::Dahl => assert_eq!(slips.len(), 1, "Dahl's law has no falling part"),
            _ => {
                let period = (slips[12] - slips[0]) / 12.0;
                let expected = if law == FrictionLaw::LuGre { 0.23414 } else { 0.23788 };
                assert!((period / expected - 1.0).abs() < 1e-3, "{name}: {period} s");
            }
        }
        motion = motion.with(line(name, colour, thin(&path, 50)));
    }
    draw("friction", "Friction: the steady curve, and stick-slip", vec![curve, motion]);
}
