// SPDX-License-Identifier: MIT OR Apache-2.0
//! What lies above the last mode: beside the same bodies with four times as many modes.

mod common;
use common::{engine, probe};
use tocco::resonator::modal::tail::{MOST, end_hz, extend};
use tocco::resonator::modal::{Modal, ModalParams, Tuning};
use tocco::resonator::shape::radiation::{Ear, pressures};
use tocco::resonator::shape::{MaterialDef, Place, PlaceOn, ShapeDef, evaluate, onward};
use tocco::resonator::{Motion, Reading, Resonator};
use tocco::rng::Rng;
use tocco::{Engine, Queue, Scene, SceneDef};

const RATE_HZ: f64 = 48_000.0;
/// Places at which a body is touched and heard.
const PLACES: usize = 10;

fn shape(id: &str, material: &'static str, sizes: &[(&str, f64)]) -> ShapeDef {
    let def = ShapeDef::new(id, MaterialDef::Named(material)).unwrap();
    sizes.iter().fold(def, |def, (id, value)| def.with(id, *value))
}

fn bodies() -> Vec<(&'static str, ShapeDef, u32)> {
    let sides = [("length_m", 0.5), ("width_m", 0.4), ("thickness_m", 0.003)];
    let sheet = [("length_m", 0.3), ("width_m", 0.22), ("thickness_m", 0.0015)];
    vec![
        ("supported plate", shape("rectangular-plate", "steel", &sides).with_word("edges", "supported"), 60),
        ("free plate", shape("rectangular-plate", "brass", &sheet), 60),
        ("free disc", shape("circular-plate", "bronze", &[("radius_m", 0.25), ("thickness_m", 0.003)]), 60),
        ("bar", shape("bar", "steel", &[("length_m", 0.9), ("width_m", 0.03), ("thickness_m", 0.006)]), 8),
        ("pipe", shape("cylinder", "steel", &[("radius_m", 0.05), ("length_m", 0.6), ("thickness_m", 0.002)]), 60),
        (
            "membrane",
            shape(
                "rectangular-membrane",
                "mylar",
                &[("length_m", 0.5), ("width_m", 0.4), ("thickness_m", 2e-4), ("freq_hz", 120.0)],
            ),
            60,
        ),
    ]
}

/// A body at places inside it, heard at the same places or by an ear.
fn tuned(def: &ShapeDef, modes: u32, tail: bool, by_ear: bool, seed: u64) -> Tuning {
    let def = def.clone().with_modes(modes);
    let mut rng = Rng::new(seed, "places");
    let axes = tocco::resonator::shape::family(def.kind.id).unwrap().axes.len();
    let place = |i: usize| PlaceOn {
        name: format!("p{i}"),
        place: Place::At((0..axes).map(|_| rng.between(0.15, 0.85)).collect()),
    };
    let places: Vec<PlaceOn> = (0..PLACES).map(place).collect();
    let solved = evaluate(&def, &places, 0.5 * RATE_HZ).unwrap();
    let modes = solved.modes.iter().map(|mode| (mode.freq_hz, mode.decay_s, mode.mass_kg)).collect();
    let mut tuning = Tuning { modes, ports: solved.shapes, rigid: solved.rigid, ..Tuning::default() };
    let onward = onward(&def, &tuning).unwrap();
    if tail {
        extend(&mut tuning, end_hz(RATE_HZ), |like, hz| onward.decay_s(like, hz), &mut Rng::new(seed, "tail")).unwrap();
    }
    if by_ear {
        let ear = pressures(&def, 0.5 * RATE_HZ, Ear::Around, 1.0).unwrap();
        let onward = onward.heard(&tuning, &ear.per_mode, 1.0);
        tuning.hear(ear.per_mode, |hz| onward.reach(hz));
    } else {
        tuning.hear_places();
    }
    tuning
}

/// What is heard of modes between two frequencies after a blow, J per kg of whatever: over all pairs of places, or by the ear.
fn energy(tuning: &Tuning, from_hz: f64, to_hz: f64, by_ear: bool) -> f64 {
    let mut sum = 0.0;
    for (i, &(freq_hz, decay_s, mass_kg)) in tuning.modes.iter().enumerate().skip(tuning.rigid) {
        if !(from_hz..to_hz).contains(&freq_hz) {
            continue;
        }
        for touched in 0..PLACES {
            for heard in PLACES..tuning.ports.len() {
                let v = tuning.ports[touched][i] * tuning.ports[heard][i] / mass_kg;
                let a = if by_ear { v * freq_hz } else { v };
                sum += a * a * decay_s / 4.0;
            }
        }
    }
    sum
}

/// Levels of octaves above a list of N with a tail over those of 4 N modes, dB, as far as these go.
fn octaves(def: &ShapeDef, modes: u32, by_ear: bool) -> Vec<f64> {
    let seeds = if by_ear { 1..=1 } else { 1..=3 };
    let with: Vec<Tuning> = seeds.clone().map(|seed| tuned(def, modes, true, by_ear, seed)).collect();
    let many: Vec<Tuning> = seeds.map(|seed| tuned(def, 4 * modes, false, by_ear, seed)).collect();
    let last = |tuning: &Tuning| tuning.modes[tuning.modes.len() - tuning.tail.len() - 1].0;
    let (mut from_hz, end, mut levels) = (last(&with[0]) * 1.0001, last(&many[0]).min(end_hz(RATE_HZ)), Vec::new());
    while from_hz * 1.4 < end {
        let to_hz = (2.0 * from_hz).min(end);
        let sum = |all: &[Tuning]| all.iter().map(|tuning| energy(tuning, from_hz, to_hz, by_ear)).sum::<f64>();
        levels.push(10.0 * (sum(&with) / sum(&many)).log10());
        from_hz = to_hz;
    }
    levels
}

#[test]
fn a_list_with_a_tail_is_heard_as_one_of_four_times_as_many_modes_within_3_db_per_octave() {
    for (name, def, modes) in bodies() {
        let levels = octaves(&def, modes, false);
        println!("{name}: {levels:.1?} dB");
        assert!(!levels.is_empty() && levels.iter().all(|db| db.abs() <= 3.0), "{name}: {levels:?}");
    }
}

#[test]
fn what_a_tail_radiates_goes_on_within_4_db_per_octave_of_bodies_with_free_edges_within_10() {
    for (name, def, modes) in bodies() {
        let def = if name == "membrane" { def } else { def.with_word("radiates", "free") };
        // Summing up the shapes of free plates is dear.
        let levels = octaves(&def, if name == "free plate" { 30 } else { modes }, true);
        println!("{name}: {levels:.1?} dB");
        // Free edges radiate up to 20 dB less than supported ones far below coincidence, and as much from it on; between them is an estimate.
        let most = if name.starts_with("free") || name == "bar" { 10.0 } else { 4.0 };
        assert!(levels.iter().all(|db: &f64| db.abs() <= most), "{name}: {levels:?}");
    }
}

/// A ball on a thin plate.
fn ball(modes: usize, tail: bool) -> String {
    format!(
        "[body.ball]\ntype = \"mass\"\nmass_kg = 0.002\nposition_m = -1e-6\nvelocity_m_s = 1.0\n[body.plate]\ntype = \"shape\"\n\
         shape = \"rectangular-plate\"\nedges = \"supported\"\nlength_m = 0.4\nwidth_m = 0.3\nthickness_m = 0.001\nmaterial = \"steel\"\n\
         modes = {modes}\n{}[body.plate.port]\nhere = [0.42, 0.37]\nthere = [0.2, 0.7]\n[contact.hit]\ntype = \"impact\"\n\
         between = [\"ball\", \"plate.here\"]\nstiffness = 1e8\n[[tap]]\nof = \"plate.there\"\n",
        if tail { "tail = true\n" } else { "" }
    )
}

#[test]
fn a_ball_rebounds_from_a_plate_with_a_tail_as_from_one_with_all_its_modes() {
    // Of a thin plate 60 modes are too stiff and take too little from the ball.
    let rebound = |modes, tail| probe(&mut engine(&ball(modes, tail), RATE_HZ), &["ball.velocity"], 96).0[95][0];
    let (all, few, tail) = (rebound(760, false), rebound(60, false), rebound(60, true));
    println!("rebound {all:.3} m/s of 1 with all modes, {few:.3} with 60, {tail:.3} with 60 and a tail");
    assert!((tail - all).abs() < 0.1 && (tail - all).abs() < 0.5 * (few - all).abs(), "{all} {few} {tail}");
}

#[test]
fn energy_minus_work_never_rises_in_200_random_bodies_with_tails() {
    let mut worst = 0.0f64;
    for system in 0..200 {
        let mut rng = Rng::new(system, "tails");
        let (modes, stiffness) = (8 + rng.bits() % 60, rng.between_log(1e4, 1e10));
        let stiffens = if rng.unit() < 0.3 { "stiffens = true\n" } else { "" };
        let ear = if rng.unit() < 0.5 { "quantity = \"radiated\"\n" } else { "" };
        let text = format!(
            "seed = {system}\n[body.ball]\ntype = \"mass\"\nmass_kg = {:e}\nposition_m = -1e-6\nvelocity_m_s = {:e}\n[body.plate]\n\
             type = \"shape\"\nshape = \"rectangular-plate\"\nedges = \"supported\"\nlength_m = 0.4\nwidth_m = 0.3\n\
             thickness_m = {:e}\nmaterial = \"steel\"\nradiates = \"baffled\"\nmodes = {modes}\ntail = true\n{stiffens}\
             [contact.hit]\ntype = \"impact\"\nbetween = [\"ball\", \"plate\"]\nstiffness = {stiffness:e}\n\
             [[event]]\nat_s = 0.002\nhit = \"plate\"\nimpulse_n_s = 1e-3\n[[tap]]\nof = \"plate\"\n{ear}",
            rng.between_log(1e-4, 0.1),
            rng.between_log(0.01, 5.0),
            rng.between_log(5e-4, 3e-3),
        );
        let mut engine = engine(&text, RATE_HZ);
        let (rows, health) = probe(&mut engine, &["energy", "work"], 300);
        assert_eq!(health.unconverged, 0, "{text}");
        let mut before = rows[0][0] - rows[0][1];
        for row in &rows {
            let ledger = row[0] - row[1];
            worst = worst.max((ledger - before) / (row[0].abs() + row[1].abs()));
            before = ledger;
        }
    }
    println!("largest rise {worst:.1e}");
    assert!(worst <= 1e-14, "{worst:e}");
}

#[test]
fn taps_hear_a_tail_at_the_root_of_what_it_stands_for_and_a_hit_moves_all_of_it() {
    let text = |tail: &str| {
        format!(
            "seed = 5\n[body.plate]\ntype = \"shape\"\nshape = \"rectangular-plate\"\nedges = \"supported\"\nlength_m = 0.5\n\
             width_m = 0.4\nthickness_m = 0.003\nmaterial = \"steel\"\nmodes = 40\n{tail}[body.plate.port]\nhere = [0.42, 0.37]\n\
             there = [0.2, 0.7]\n[[event]]\nat_s = 0.0\nhit = \"plate.here\"\nimpulse_n_s = 0.01\n[[tap]]\nof = \"plate.there\"\n"
        )
    };
    let render = |text: &str| {
        let mut out = vec![0.0_f32; 48_000];
        engine(text, RATE_HZ).render(&[], &mut Queue::new(), &mut out);
        out
    };
    let (with, without) = (render(&text("tail = true\n")), render(&text("")));
    let heard: f64 = with.iter().zip(&without).map(|(a, b)| f64::from(a - b).powi(2)).sum::<f64>() / RATE_HZ;
    // The same tail by hand.
    let def = bodies().swap_remove(0).1.with_modes(40);
    let places =
        [[0.42, 0.37], [0.2, 0.7]].map(|at| PlaceOn { name: format!("{at:?}"), place: Place::At(at.to_vec()) });
    let solved = evaluate(&def, &places, 0.5 * RATE_HZ).unwrap();
    let modes = solved.modes.iter().map(|mode| (mode.freq_hz, mode.decay_s, mode.mass_kg)).collect();
    let mut tuning = Tuning { modes, ports: solved.shapes, ..Tuning::default() };
    let onward = onward(&def, &tuning).unwrap();
    extend(&mut tuning, 20_000.0, |like, hz| onward.decay_s(like, hz), &mut Rng::new(5, "plate tail")).unwrap();
    let one = |i: usize| {
        let (_, decay_s, mass_kg) = tuning.modes[40 + i];
        let v = 0.01 * tuning.ports[0][40 + i] * tuning.ports[1][40 + i] / (mass_kg * tuning.tail[i].modes.sqrt());
        v * v * decay_s / 4.0
    };
    let wanted: f64 = (0..tuning.tail.len()).map(one).sum();
    assert!((heard / wanted - 1.0).abs() < 0.1, "{heard:e} {wanted:e}");
}

#[test]
fn a_tail_is_the_same_at_every_rate_that_holds_it_and_costs_at_most_thirty_modes() {
    let modes = |rate_hz: f64| {
        let def = SceneDef::from_text(&ball(60, true)).unwrap();
        Scene::build(&def, rate_hz).unwrap().modes().swap_remove(0).1
    };
    assert_eq!(modes(44_100.0), modes(96_000.0));
    assert_eq!(modes(48_000.0).len(), 60 + MOST);
    assert!(modes(48_000.0).last().unwrap().freq_hz < 20_000.0);
}

#[test]
fn a_tail_above_half_the_rate_is_one_clear_line_and_left_out_at_lower_rates() {
    let built = |text: &str, rate_hz| SceneDef::from_text(text).and_then(|def| Scene::build(&def, rate_hz));
    let full = ball(950, true).replace("[body.plate]", "[body.plate]\nfreq_scale = 1.0");
    let error = built(&full, 48_000.0).err().unwrap().to_string();
    assert!(error.contains("tail: no mode is left between the last one") && !error.contains('\n'), "{error}");
    let error = built(&ball(7, true), 48_000.0).err().unwrap().to_string();
    assert!(error.contains("7 modes show no trend"), "{error}");
    // Written for 48 kHz and played at 8 kHz, where its list ends just below half the rate.
    let low = built(&ball(200, true), 8_000.0).unwrap();
    assert!(low.omitted().iter().any(|what| what == "plate: its tail"), "{:?}", low.omitted());
    let mut out = vec![0.0; 800];
    Engine::new(low).render(&[], &mut Queue::new(), &mut out);
    assert!(out.iter().any(|x| *x != 0.0));
}

#[test]
fn a_body_with_a_tail_gives_the_same_bits_for_any_block_size() {
    let render = |block: usize| {
        let (mut engine, mut all) = (engine(&ball(60, true), RATE_HZ), Vec::new());
        while all.len() < 4_800 {
            let mut out = vec![0.0_f32; block.min(4_800 - all.len())];
            engine.render(&[], &mut Queue::new(), &mut out);
            all.extend(out.iter().map(|x| x.to_bits()));
        }
        all
    };
    let whole = render(4_800);
    assert!([1, 7, 64, 509].iter().all(|&block| render(block) == whole));
}

#[test]
fn a_body_with_a_tail_is_touched_elsewhere_by_its_listed_modes() {
    let def = bodies().swap_remove(0).1;
    let tuning = tuned(&def, 60, true, false, 1);
    let mut body = Modal::tuned(ModalParams::default(), &tuning, 1.0 / RATE_HZ, true);
    let elsewhere: Vec<f64> = tuning.ports[1][..60].to_vec();
    assert!(!body.touch_at(0, &tuning.ports[1]) && body.touch_at(0, &elsewhere));
    body.hit(0, 0.01);
    let mut readings = [Reading::new(2 * PLACES - 1, Motion::Velocity)];
    body.release();
    body.ring(32, &mut readings);
    assert!(readings[0].values.iter().any(|v| *v != 0.0));
}

#[test]
fn a_modal_body_morphs_with_its_tail_and_gains_nothing() {
    let modes = |scale: f64| {
        let one = |k: i32| format!("{{ freq_hz = {}, decay_s = 0.1, mass_kg = 0.05 }}", scale * 100.0 * f64::from(k));
        (1..=20).map(one).collect::<Vec<_>>().join(", ")
    };
    let text = format!(
        "[body.a]\ntype = \"modal\"\ntail = true\nmodes = [{}]\nmorph.modes = [{}]\n[[event]]\nat_s = 0.0\nhit = \"a\"\nimpulse_n_s = 0.1\n\
         [[drive]]\npath = \"a/morph_01\"\npoints = [[0.0, 0.0], [0.1, 1.0]]\n[[tap]]\nof = \"a\"\nquantity = \"radiated\"\nsize_m = 0.1\n\
         [[tap]]\nof = \"a\"\n",
        modes(1.0),
        modes(1.3)
    );
    let mut engine = engine(&text, RATE_HZ);
    assert_eq!(engine.scene().modes()[0].1.len(), 20 + MOST);
    let (rows, _) = probe(&mut engine, &["energy", "work"], 9_600);
    let ledger: Vec<f64> = rows.iter().map(|row| row[0] - row[1]).collect();
    assert!(ledger.windows(2).all(|pair| pair[1] - pair[0] <= 1e-13 * rows[10][0].abs()), "{:e}", rows[10][0]);
}

/// Says to this test, run once more under valgrind, what it is to render: listed modes, a tail or none, and how many samples.
const COUNTED: &str = "TOCCO_COUNTED_TAIL";

fn render_what_is_counted(what: &str) {
    let [listed, tail, samples] = what.split(' ').collect::<Vec<_>>()[..] else { panic!("{what}") };
    let modes = |k: usize| format!("{{ freq_hz = {}.0, decay_s = 5.0, mass_kg = 1.0 }},\n", 100 + 90 * k);
    let text = format!(
        "[body.plate]\ntype = \"modal\"\ntail = {tail}\nmodes = [\n{}]\n[[event]]\nat_s = 0.0\nhit = \"plate\"\nimpulse_n_s = 1.0\n[[tap]]\n\
         of = \"plate\"\n",
        (0..listed.parse().unwrap()).map(modes).collect::<String>()
    );
    let mut out = vec![0.0_f32; samples.parse().unwrap()];
    engine(&text, RATE_HZ).render(&[], &mut Queue::new(), &mut out);
    assert!(out.iter().any(|x| *x != 0.0));
}

#[test]
fn what_a_tail_costs_is_what_thirty_more_modes_cost() {
    if let Ok(what) = std::env::var(COUNTED) {
        return render_what_is_counted(&what);
    }
    if !std::process::Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success()) {
        return tocco_testing::skip("instructions of a tail", "valgrind");
    }
    let instructions = |what: &str, samples: usize| -> f64 {
        let mut valgrind = std::process::Command::new("valgrind");
        valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]).arg(std::env::current_exe().unwrap());
        valgrind.arg("what_a_tail_costs_is_what_thirty").env(COUNTED, format!("{what} {samples}"));
        let output = valgrind.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        let count = said.split("Collected :").nth(1).and_then(|rest| rest.split_whitespace().next());
        count.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("no count in {said}"))
    };
    // What building costs is in both.
    let a_sample = |what: &str| (instructions(what, 48_000) - instructions(what, 24_000)) / 24_000.0;
    let [bare, tail, listed] = ["50 false", "50 true", "80 false"].map(a_sample);
    let updates = 30.0 * (tail - bare) / (listed - bare);
    println!(
        "{bare:.0} instructions a sample for 50 modes, {tail:.0} with a tail, {listed:.0} for 80: {updates:.1} mode updates"
    );
    assert!(tail > bare && (tail / listed - 1.0).abs() < 0.05, "{bare} {tail} {listed}");
}
