// SPDX-License-Identifier: MIT OR Apache-2.0
//! Irregularity that is physical: strokes that differ, drives multiplied by noise, strength that varies along the slip. Off unless asked for.

mod common;
use common::{engine, probe};
use tocco::{Queue, Scene, SceneDef};
use tocco_testing::spectra::spectrum;

const RATE_HZ: f64 = 48_000.0;

/// Twelve strokes on a bar that is damped between them.
fn strokes(vary: &str, seed: u64) -> String {
    let mut text = format!(
        "seed = {seed}\n[body.bar]\ntype = \"shape\"\nshape = \"bar\"\nmaterial = \"steel\"\nlength_m = 0.3\nwidth_m = 0.03\nthickness_m = 0.005\n\
         decay_scale = 0.01\nmodes = 12\n[body.bar.port]\nend = [0.95]\near = [0.31]\n[body.mallet]\ntype = \"mass\"\nmass_kg = 0.02\nposition_m = -0.05\n{vary}\n\
         [contact.beat]\ntype = \"impact\"\nbetween = [\"mallet\", \"bar.end\"]\nstiffness = 1e8\ndissipation_s_m = 0.3\n[[tap]]\nof = \"bar.ear\"\n"
    );
    for i in 0..12 {
        text += &format!("[[event]]\nat_s = {}\nstrike = \"mallet\"\nvelocity_m_s = 1.0\n", 0.25 * f64::from(i));
    }
    text
}

/// Level of each of the strokes, dB.
fn levels(text: &str) -> Vec<f64> {
    let mut out = vec![0.0; 3 * 48_000];
    engine(text, RATE_HZ).render(&[], &mut Queue::new(), &mut out);
    let power = |part: &[f32]| part.iter().map(|x| f64::from(x * x)).sum::<f64>();
    out.chunks(12_000).map(|part| 10.0 * power(part).log10()).collect()
}

fn spread(levels: &[f64]) -> f64 {
    let mean = levels.iter().sum::<f64>() / levels.len() as f64;
    (levels.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / levels.len() as f64).sqrt()
}

#[test]
fn strokes_differ_as_asked_by_the_seed_alone_and_not_at_all_by_default() {
    let [none, half, full, again, other] =
        [("", 1), ("vary_01 = 0.5", 1), ("vary_01 = 1.0", 1), ("vary_01 = 1.0", 1), ("vary_01 = 1.0", 2)]
            .map(|(vary, seed)| levels(&strokes(vary, seed)));
    println!("dB: none {:.3}, half {:.2}, full {:.2}", spread(&none), spread(&half), spread(&full));
    // The body still swings a little on its suspension: 0.1 dB without variation.
    assert!(spread(&none) < 0.1 && spread(&half) > 0.3 && spread(&full) > 1.5 * spread(&half));
    assert!((1.0..6.0).contains(&spread(&full)), "{full:?}");
    assert_eq!(full, again);
    assert!(full.iter().zip(&other).any(|(a, b)| (a - b).abs() > 0.5));
}

#[test]
fn strokes_differ_in_angle_and_hardness_and_not_in_their_speed_alone() {
    // How long each touches.
    let felt = |vary: &str| {
        let mut engine = engine(&strokes(vary, 3), RATE_HZ);
        let times: Vec<f64> = (0..12)
            .map(|_| {
                let (rows, _) = probe(&mut engine, &["beat.force"], 240);
                let mut rest = vec![0.0; 12_000 - 240];
                engine.render(&[], &mut Queue::new(), &mut rest);
                rows.iter().filter(|row| row[0] > 0.0).count() as f64
            })
            .collect();
        spread(&times.iter().map(|x| x.ln()).collect::<Vec<_>>())
    };
    let (alike, varied) = (felt(""), felt("vary_01 = 1.0"));
    println!("logarithms of contact times: alike {alike:.3}, varied {varied:.3}");
    // Speed alone would scatter them by 0.2/5; stiffness does by 0.5/2.5.
    assert!(alike < 0.02 && varied > 0.1, "{alike} {varied}");
    // A stroke aslant is slower: the mean of exp(0.2 x) cos(0.35 y) over normal x and y is exp(0.02 - 0.06125), 1.02 without angles.
    let soft = "[body.ball]\ntype = \"mass\"\nmass_kg = 1.0\nvary_01 = 1.0\n[body.wall]\ntype = \"wall\"\n\
                [contact.touch]\ntype = \"impact\"\nbetween = [\"ball\", \"wall\"]\nstiffness = 1.0\n[[tap]]\nof = \"touch\"\nquantity = \"force\"\n";
    let count = 2_000;
    let events: String = (0..count)
        .map(|i| format!("[[event]]\nat_s = {:.3}\nstrike = \"ball\"\nvelocity_m_s = 1.0\n", 0.001 * f64::from(i)))
        .collect();
    let mut engine = engine(&(soft.to_owned() + &events), RATE_HZ);
    let (rows, _) = probe(&mut engine, &["ball.velocity"], 48 * count as usize);
    let mean = rows.iter().skip(10).step_by(48).map(|row| row[0]).sum::<f64>() / f64::from(count);
    println!("mean speed {mean:.4} of 1");
    assert!((mean - (0.02f64 - 0.06125).exp()).abs() < 0.015, "{mean}");
}

#[test]
fn energy_minus_work_never_rises_while_strokes_vary() {
    for seed in 0..20 {
        let mut engine = engine(&strokes("vary_01 = 1.0", seed), RATE_HZ);
        let (rows, health) = probe(&mut engine, &["energy", "work"], 48_000);
        let (mut most, mut before) = (0.0f64, 0.0);
        for row in rows {
            most = most.max(row[0].abs() + row[1].abs());
            assert!(row[0] - row[1] - before <= 1e-12 * most, "seed {seed}: gained {:e}", row[0] - row[1] - before);
            before = row[0] - row[1];
        }
        assert_eq!((health.unconverged, health.reset), (0, 0));
    }
}

/// Bodies that know where they are struck, at a place and heard at another: modes, partials, a loop of waves, the wall of a glass.
const STRUCK: [(&str, &str); 4] = [
    (
        "bar",
        "type = \"shape\"\nshape = \"bar\"\nmaterial = \"steel\"\nlength_m = 0.3\nwidth_m = 0.03\nthickness_m = 0.005\n\
         decay_scale = 0.15\nmodes = 5\nport = { at = [0.25], ear = [0.95] }\n",
    ),
    ("string", "type = \"string\"\nfreq_hz = 200.0\nq = 60.0\nimpedance_kg_s = 5.0\nport = { at = 0.3, ear = 0.06 }\n"),
    ("loop", "type = \"string\"\nfreq_hz = 30.0\nq = 10.0\nimpedance_kg_s = 5.0\nport = { at = 0.3, ear = 0.06 }\n"),
    ("glass", "type = \"vessel\"\nradius_m = 0.1\nheight_m = 0.2\nthickness_m = 0.002\ndecay_scale = 0.2\n"),
];

/// Eight strokes of a needle, a second apart. It touches for so short a time that its speed and hardness are those of the blow as a
/// whole.
fn needled((name, body): (&str, &str), vary: &str, stiffness: f64, seed: u64) -> String {
    let [at, ear] = if name == "glass" { ["rim", "eighth"] } else { ["at", "ear"] };
    let mut text = format!(
        "seed = {seed}\n[body.needle]\ntype = \"mass\"\nmass_kg = 5e-5\nposition_m = -0.05\n{vary}\n\
         [contact.prick]\ntype = \"impact\"\nbetween = [\"needle\", \"it.{at}\"]\nstiffness = {stiffness:?}\ndissipation_s_m = 0.1\n\
         [[tap]]\nof = \"it.{ear}\"\n"
    );
    for i in 0..8 {
        text += &format!("[[event]]\nat_s = {i}.0\nstrike = \"needle\"\nvelocity_m_s = 1.0\n");
    }
    text + "[body.it]\n" + body
}

fn rendered(text: &str) -> Vec<f32> {
    let mut out = vec![0.0; 8 * 48_000];
    engine(text, RATE_HZ).render(&[], &mut Queue::new(), &mut out);
    out
}

/// Levels of the lines of the first of some strokes up to 4 kHz, within 50 dB of the loudest, in every stroke of `out`, dB without how loud
/// it is as a whole.
fn lines(out: &[f32], first: &[f32]) -> Vec<Vec<f64>> {
    let of = |stroke: &[f32]| {
        let heard: Vec<f64> = stroke[480..12_480].iter().map(|x| f64::from(*x)).collect();
        spectrum(&heard, [20.0, 4_000.0], RATE_HZ)
    };
    let all: Vec<f64> = of(first).into_iter().map(|bin| bin.1).collect();
    let least = 1e-5 * all.iter().copied().fold(0.0, f64::max);
    // 14 Hz to either side.
    let line = |i: &usize| all[*i] > least && all[i - 7..=i + 7].iter().all(|other| *other <= all[*i]);
    let peaks: Vec<usize> = (7..all.len() - 7).filter(line).collect();
    assert!(peaks.len() > 2, "{peaks:?}");
    let one = |stroke: &[f32]| {
        let now = of(stroke);
        let db: Vec<f64> = peaks.iter().map(|&i| 10.0 * now[i].1.log10()).collect();
        let mean = db.iter().sum::<f64>() / db.len() as f64;
        db.iter().map(|x| x - mean).collect()
    };
    out.chunks_exact(48_000).map(one).collect()
}

/// Root mean square over lines of their spread over strokes, dB.
fn unlike(strokes: &[Vec<f64>]) -> f64 {
    let lines = strokes[0].len();
    let square = |k: usize| spread(&strokes.iter().map(|stroke| stroke[k]).collect::<Vec<_>>()).powi(2);
    ((0..lines).map(square).sum::<f64>() / lines as f64).sqrt()
}

#[test]
fn strokes_fall_beside_their_place_on_bars_strings_and_glasses() {
    let mut found = Vec::new();
    for body in STRUCK {
        let text = |vary: &str, stiffness: f64, seed: u64| needled(body, vary, stiffness, seed);
        let plain = rendered(&text("", 1e10, 1));
        let first = &plain[..48_000];
        let alike = unlike(&lines(&plain, first));
        // What hardness does to the spectrum: as much softer and harder as strokes are at most.
        let [soft, hard] = [0.3, 3.5].map(|by| rendered(&text("", by * 1e10, 1)));
        let hardness = unlike(&[lines(&soft, first).remove(0), lines(&hard, first).remove(0)]);
        let full = rendered(&text("vary_01 = 1.0", 1e10, 1));
        let place = unlike(&lines(&full, first));
        println!("{}: alike {alike:.3} dB, soft or hard {hardness:.3} dB, varied {place:.2} dB", body.0);
        found.push((body.0, alike < 0.1 && hardness < 0.2 && place > 0.5));
        assert!(full == rendered(&text("vary_01 = 1.0", 1e10, 1)), "{}: another run differs", body.0);
        assert!(full != rendered(&text("vary_01 = 1.0", 1e10, 2)), "{}: another seed does not", body.0);
        // Without variation again the strokes fall where they are aimed.
        let calm = "[[event]]\nat_s = 4.9\nset = \"needle/vary_01\"\nvalue = 0.0\n";
        let half = rendered(&(text("vary_01 = 1.0", 1e10, 1).replace("[body.it]", &format!("{calm}[body.it]"))));
        let after = unlike(&lines(&[&plain[..48_000], &half[6 * 48_000..]].concat(), first));
        assert!(after < 0.1, "{}: {after}", body.0);
    }
    assert!(found.iter().all(|(_, holds)| *holds), "{found:?}");
}

#[test]
fn energy_minus_work_never_rises_while_strokes_fall_beside_their_place() {
    for (body, seed) in STRUCK.into_iter().zip(1..) {
        let again: String = (0..40)
            .map(|i| {
                let at_s = 0.02 + 0.0131 * f64::from(i);
                format!("[[event]]\nat_s = {at_s:.4}\nstrike = \"needle\"\nvelocity_m_s = 2.0\n")
            })
            .collect();
        let text = needled(body, "vary_01 = 1.0", 1e8, seed).replace("5e-5", "5e-3");
        let text = text.replace("[body.it]", &(again + "[body.it]"));
        let (rows, health) = probe(&mut engine(&text, RATE_HZ), &["energy", "work"], 30_000);
        let (mut most, mut before) = (0.0f64, 0.0);
        for row in rows {
            most = most.max(row[0].abs() + row[1].abs());
            assert!(row[0] - row[1] - before <= 1e-12 * most, "{}: gained {:e}", body.0, row[0] - row[1] - before);
            before = row[0] - row[1];
        }
        assert_eq!((health.unconverged, health.reset), (0, 0));
    }
}

#[test]
fn a_stroke_without_variation_has_the_stiffness_that_was_set() {
    // Varied, then not: the second half is what it would have been alone, by the level of its strokes.
    let set = "[[event]]\nat_s = 1.4\nset = \"mallet/vary_01\"\nvalue = 0.0\n";
    let (mixed, plain) = (levels(&(strokes("vary_01 = 1.0", 1) + set)), levels(&strokes("", 1)));
    for (a, b) in mixed[7..].iter().zip(&plain[7..]) {
        assert!((a - b).abs() < 0.1, "{mixed:?} {plain:?}");
    }
}

#[test]
fn a_parameter_beside_the_stiffness_leaves_varied_strokes_as_they_are() {
    let set = |at: usize| {
        format!("[[event]]\nat_s = {}\nset = \"beat/dissipation_s_m\"\nvalue = 0.3\n", 0.2 + 0.25 * at as f64)
    };
    let again: String = (0..11).map(set).collect();
    let (touched, left) = (levels(&(strokes("vary_01 = 1.0", 1) + &again)), levels(&strokes("vary_01 = 1.0", 1)));
    assert!(touched.iter().zip(&left).all(|(a, b)| (a - b).abs() < 1e-3), "{touched:?} {left:?}");
}

#[test]
fn a_drive_times_noise_keeps_its_mean_and_its_sign_and_has_the_spread_of_its_logarithm() {
    let text = "[body.m]\ntype = \"mass\"\nmass_kg = 1e6\n[[tap]]\nof = \"m\"\n[[drive]]\npath = \"m/force_n\"\npoints = [[0.0, 2.0]]\n\
         times_noise = { sigma = 0.4 }\n";
    let mut engine = engine(text, RATE_HZ);
    let (rows, _) = probe(&mut engine, &["m.velocity"], 48_000);
    // Force is mass times the change of velocity.
    let forces: Vec<f64> = rows.windows(2).map(|pair| 1e6 * RATE_HZ * (pair[1][0] - pair[0][0])).collect();
    let n = forces.len() as f64;
    let mean = forces.iter().sum::<f64>() / n;
    assert!(forces.iter().all(|f| *f > 0.0));
    let logs: Vec<f64> = forces.iter().map(|f| f.ln()).collect();
    let (middle, wide) = (logs.iter().sum::<f64>() / n, spread(&logs));
    println!("mean {mean:.4} of 2, log {middle:.4}, its spread {wide:.4}");
    assert!((mean / 2.0 - 1.0).abs() < 0.01 && (wide / 0.4 - 1.0).abs() < 0.02);
    assert!((middle - (2f64.ln() - 0.08)).abs() < 0.01);
}

#[test]
fn times_noise_beside_noise_is_refused_and_what_is_written_is_read_again() {
    let head = "[body.m]\ntype = \"mass\"\nmass_kg = 1.0\n[[tap]]\nof = \"m\"\n[[drive]]\npath = \"m/force_n\"\n";
    let wrong =
        SceneDef::from_text(&format!("{head}noise = {{ rms = 1.0 }}\ntimes_noise = {{ sigma = 0.4 }}\n")).unwrap_err();
    assert!(wrong.to_string().contains("times_noise"), "{wrong}");
    let far = format!("{head}points = [[0.0, 1.0]]\ntimes_noise = {{ sigma = 2.5 }}\n");
    assert!(SceneDef::from_text(&far).unwrap_err().to_string().contains("0 to 2"));
    let right =
        SceneDef::from_text(&format!("{head}points = [[0.0, 1.0]]\ntimes_noise = {{ sigma = 0.4, beta = 1.0 }}\n"))
            .unwrap();
    assert_eq!(SceneDef::from_text(&right.to_toml()).unwrap().drives, right.drives);
    Scene::build(&right, RATE_HZ).unwrap();
}

/// A block on a spring, dragged by a belt: it sticks and slips about five times a second.
fn dragged(strength: &str, seed: u64) -> String {
    format!(
        "seed = {seed}\n[body.belt]\ntype = \"guided\"\nvelocity_m_s = 0.02\n[body.block]\ntype = \"modal\"\n\
         modes = [{{ freq_hz = 20.0, decay_s = 0.3, mass_kg = 0.1 }}]\n[contact.rub]\ntype = \"friction\"\nbetween = [\"belt\", \"block\"]\n\
         normal_force_n = 10.0\nmu_static = 0.6\nmu_dynamic = 0.3\nstribeck_m_s = 0.01\nbristle_stiffness = 1e5\nbristle_damping = 10.0\n{strength}\n\
         [[tap]]\nof = \"block\"\n"
    )
}

/// Times at which the block begins to slip, s.
fn slips(text: &str, seconds: f64) -> Vec<f64> {
    let mut engine = engine(text, 8_000.0);
    let (rows, health) = probe(&mut engine, &["block.velocity"], (seconds * 8_000.0) as usize);
    assert_eq!((health.unconverged, health.reset), (0, 0));
    let fast: Vec<bool> = rows.iter().map(|row| row[0] < -0.02).collect();
    let begins = (1..fast.len()).filter(|&i| fast[i] && !fast[i - 1]).map(|i| i as f64 / 8_000.0);
    let mut found: Vec<f64> = Vec::new();
    for at in begins {
        if found.last().is_none_or(|last| at - last > 0.03) {
            found.push(at);
        }
    }
    found
}

#[test]
fn slips_come_unevenly_where_strength_varies_and_go_on_for_ever() {
    let intervals = |strength: &str, seed: u64| {
        let times = slips(&dragged(strength, seed), 30.0);
        let all: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).skip(2).collect();
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        (all.len(), spread(&all) / mean, all.last().copied(), times.last().copied().unwrap_or(0.0))
    };
    let (even, varied) = (intervals("", 1), intervals("strength = {}", 1));
    let (again, other) = (intervals("strength = {}", 1), intervals("strength = { law = \"lognormal\", k = 8.0 }", 2));
    println!("without {even:?}, varied {varied:?}, lognormal {other:?}");
    assert!(even.1 < 0.01, "{even:?}");
    for found in [varied, other] {
        assert!((0.05..0.35).contains(&found.1), "{found:?}");
        assert!(found.0 as f64 > 0.7 * even.0 as f64 && (found.0 as f64) < 1.3 * even.0 as f64, "{found:?} {even:?}");
        assert!(found.3 > 29.0, "it stalled: {found:?}");
    }
    assert_eq!(varied, again);
    assert_ne!(varied.2, other.2);
}

#[test]
fn energy_minus_work_never_rises_while_strength_varies() {
    for seed in 0..12 {
        let k = 1.0 + f64::from(seed as u32);
        let text = dragged(&format!("strength = {{ every_m = 2e-6, k = {k:?} }}"), seed);
        let mut engine = engine(&text, RATE_HZ);
        let (rows, health) = probe(&mut engine, &["energy", "work"], 48_000);
        let (mut most, mut before) = (0.0f64, 0.0);
        for row in rows {
            most = most.max(row[0].abs() + row[1].abs());
            assert!(row[0] - row[1] - before <= 1e-12 * most, "seed {seed}: gained {:e}", row[0] - row[1] - before);
            before = row[0] - row[1];
        }
        assert_eq!((health.unconverged, health.reset), (0, 0));
    }
}

#[test]
fn strength_that_varies_has_the_same_bits_for_any_block_and_is_refused_where_there_is_no_stiction() {
    let text = dragged("strength = { every_m = 1e-5, k = 4.0 }", 3);
    let render = |block: usize| {
        let (mut engine, mut out) = (engine(&text, RATE_HZ), vec![0.0; 48_000]);
        out.chunks_mut(block).for_each(|part| {
            engine.render(&[], &mut Queue::new(), part);
        });
        out
    };
    let whole = render(48_000);
    assert!([1, 31, 512].iter().all(|block| render(*block) == whole));
    let def = SceneDef::from_text(&text).unwrap();
    assert_eq!(SceneDef::from_text(&def.to_toml()).unwrap().contacts, def.contacts);
    for law in ["dahl", "thermal"] {
        let wrong = SceneDef::from_text(&dragged(&format!("law = \"{law}\"\nstrength = {{}}"), 1)).unwrap_err();
        assert!(wrong.to_string().contains("no stiction"), "{wrong}");
    }
}
