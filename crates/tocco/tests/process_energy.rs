// SPDX-License-Identifier: MIT OR Apache-2.0
//! What processes give to bodies: work in the ledger, never more than they have.

mod common;

use common::{build, happenings};
use tocco::rng::Rng;
use tocco::{Queue, Scene, SceneDef};

#[test]
fn hits_on_bodies_are_work_and_the_ledger_closes() {
    let text = "
[body.plate]
type = 'modal'
modes = [{ freq_hz = 440.0, decay_s = 0.4, mass_kg = 0.1 }, { freq_hz = 2113.0, decay_s = 0.1, mass_kg = 0.05 }]
[signal.shake]
type = 'points'
points = [[0.0, 0.0], [0.1, 1.0], [0.2, 0.0]]
[process.peas]
type = 'particles'
driven_by = 'shake'
on = 'plate'
impulse_n_s = 1e-3
contact_time_s = 2e-4
[[drive]]
path = 'plate/force_n'
points = [[0.0, 0.0], [0.05, 1.0], [0.1, 0.0]]
[[tap]]
of = 'plate'
";
    let mut engine = build(text, 48_000.0, 1);
    let mut last = 0.0;
    let mut heard = 0.0_f32;
    for _ in 0..2_000 {
        let mut out = [0.0; 7];
        engine.render(&[], &mut Queue::new(), &mut out);
        heard = out.iter().fold(heard, |m, x| m.max(x.abs()));
        let margin = engine.energy() - engine.work();
        assert!(margin <= last + 1e-12 * engine.work().abs().max(1e-12), "{margin} after {last}");
        last = margin;
    }
    assert!(heard > 1e-4 && engine.work() > 0.0, "{heard}");
    let health = engine.health();
    assert_eq!((health.refused, health.reset, health.capped), (0, 0, 0));
}

#[test]
fn the_pieces_of_a_broken_glass_never_have_more_than_the_blow_and_gravity_gave() {
    let text = "
[signal.blow]
type = 'points'
points = [[0.0, 0.0], [0.05, 0.0], [0.051, 1.0], [0.2, 0.0]]
[process.glass]
type = 'break'
driven_by = 'blow'
energy_j = 0.4
mass_kg = 0.2
height_m = 0.8
ring_01 = 1.0
pieces = 40
modes = [{ freq_hz = 700.0, decay_s = 0.5, mass_kg = 0.05 }, { freq_hz = 1900.0, decay_s = 0.3, mass_kg = 0.05 }]
[[tap]]
of = 'glass'
quantity = 'sound'
";
    for seed in 0..20 {
        let mut engine = build(text, 48_000.0, seed);
        let probes = ["glass.given", "glass.had", "glass.events"].map(|p| engine.scene().directory().probe(p).unwrap());
        let (events, sound) = happenings(&mut engine, 3.0, 999);
        let [given, had, count] = probes.map(|probe| engine.probe(probe));
        assert!((had - (0.4 + 0.2 * 9.81 * 0.8)).abs() < 1e-9, "{had}");
        assert!(given <= had && given > 0.5 * had, "{given} J of {had} J");
        assert!(events.len() as f64 == count && count > 100.0, "{count}");
        assert!(events.windows(2).all(|pair| pair[0].at_s <= pair[1].at_s), "in order");
        assert!(sound.iter().all(|x| x.is_finite()) && sound.iter().any(|x| *x != 0.0));
        // First it cracks, within 4 ms of the blow; then there is a pause, for 0.8 m take 0.4 s.
        let crack = events.iter().filter(|event| event.at_s < 0.06).count();
        assert_eq!(crack, 40);
    }
}

/// What a scene's processes really did to its bodies, and what they say that they gave and had.
fn given(text: &str, rate_hz: f64, seed: u64, seconds: f64) -> [f64; 3] {
    let mut engine = build(text, rate_hz, seed);
    happenings(&mut engine, seconds, 777);
    let probe = |name: &str| engine.probe(engine.scene().directory().probe(name).unwrap());
    [engine.work(), probe("p.given"), probe("p.had")]
}

#[test]
fn a_body_gets_no_more_than_blow_and_gravity_though_pieces_hit_it_all_at_once() {
    // A low mode adds up whatever hits it within half a period: by energies alone 40 hits would do up to 40 times their sum.
    let text = |freq_hz: f64, rest: &str| {
        format!(
            "[body.floor]\ntype = 'modal'\nmodes = [{{ freq_hz = {freq_hz}, decay_s = 0.4, mass_kg = 2.0 }}, {{ freq_hz = {}, decay_s = 0.2, mass_kg = 1.0 }}]\n\
             [signal.blow]\ntype = 'points'\npoints = [[0.0, 0.0], [0.05, 0.0], [0.051, 1.0], [0.2, 0.0]]\n\
             [process.p]\ntype = 'break'\ndriven_by = 'blow'\non = 'floor'\nenergy_j = 1.0\nmass_kg = 0.01\nheight_m = 0.1\npieces = 40\n{rest}\n\
             [[tap]]\nof = 'floor'\n",
            2.3 * freq_hz
        )
    };
    let mut bound = 0;
    for (freq_hz, rest) in [
        (40.0, "crack_01 = 1.0\ncrack_s = 0.001"),
        (172.0, "crack_01 = 0.3"),
        (700.0, "crack_01 = 0.9\ncrack_s = 0.02"),
        (90.0, "crack_01 = 0.1\nring_01 = 1.0\nheight_m = 3.0"),
    ] {
        for (rate_hz, seed) in [(44_100.0, 1), (96_000.0, 2)] {
            let text = text(freq_hz, rest)
                .replace("height_m = 0.1\n", if rest.contains("height") { "" } else { "height_m = 0.1\n" });
            let [work, given, had] = given(&text, rate_hz, seed, 1.5);
            assert!(work > 0.0 && work <= had * (1.0 + 1e-3), "{freq_hz} Hz, {rate_hz}: {work} J of {had} J");
            assert!((given - work).abs() <= 1e-6 * had, "booked {given} J of {work} J");
            bound += usize::from(work > 0.98 * had);
        }
    }
    assert!(bound >= 2, "somewhere the bound is what holds it: {bound}");
}

#[test]
fn a_place_that_is_named_six_times_gets_no_more_than_blow_and_gravity_though_all_hits_fall_on_one_sample() {
    let text = "[body.floor]\ntype = 'modal'\nmodes = [{ freq_hz = 40.0, decay_s = 0.4, mass_kg = 2.0 }]\n\
        [signal.blow]\ntype = 'points'\npoints = [[0.0, 0.0], [0.05, 0.0], [0.051, 1.0], [0.2, 0.0]]\n\
        [process.p]\ntype = 'break'\ndriven_by = 'blow'\non = ['floor', 'floor', 'floor', 'floor', 'floor', 'floor']\nenergy_j = 1.0\n\
        mass_kg = 0.01\nheight_m = 0.1\npieces = 40\ncrack_01 = 1.0\ncrack_s = 0.0\ncontact_time_s = 0.0\n[[tap]]\nof = 'floor'\n";
    for (rate_hz, seed) in [(44_100.0, 1), (96_000.0, 2)] {
        let [work, given, had] = given(text, rate_hz, seed, 0.6);
        assert!(work > 0.9 * had && work <= had * (1.0 + 1e-3), "{rate_hz}: {work} J of {had} J");
        assert!((given - work).abs() <= 1e-6 * had, "booked {given} J of {work} J");
    }
}

#[test]
fn the_budget_of_crumpling_is_kept_on_a_body_too() {
    for (freq_hz, rate_hz) in [(60.0, 44_100.0), (200.0, 48_000.0), (2000.0, 96_000.0)] {
        let text = format!(
            "[body.can]\ntype = 'modal'\nmodes = [{{ freq_hz = {freq_hz}, decay_s = 0.5, mass_kg = 0.2 }}]\n\
             [signal.hand]\ntype = 'points'\npoints = [[0.0, 0.0], [0.5, 10.0]]\n\
             [process.p]\ntype = 'crumple'\ndriven_by = 'hand'\non = 'can'\nevents = 2000.0\nenergy_j = [1e-6, 1e-2]\nbudget_01 = 1.0\n\
             [[tap]]\nof = 'can'\n"
        );
        let [work, given, had] = given(&text, rate_hz, 3, 1.0);
        assert!((had - 0.5 * 100.0 / 1e4).abs() < 1e-6, "{had}");
        assert!(work > 0.01 * had && work <= had * (1.0 + 1e-3), "{freq_hz} Hz: {work} J of {had} J");
        assert!((given - work).abs() <= 1e-6 * had, "booked {given} J of {work} J");
    }
}

#[test]
fn what_several_bodies_share_is_shared_by_the_sample_whatever_the_blocks() {
    let body = |name: &str, freq_hz: f64| {
        format!(
            "[body.{name}]\ntype = 'modal'\nmodes = [{{ freq_hz = {freq_hz}, decay_s = 0.4, mass_kg = 2.0 }}]\n[[tap]]\nof = '{name}'\n"
        )
    };
    let text = format!(
        "{}{}{}[signal.blow]\ntype = 'points'\npoints = [[0.0, 0.0], [0.05, 0.0], [0.051, 1.0], [0.2, 0.0]]\n\
         [process.p]\ntype = 'break'\ndriven_by = 'blow'\non = ['one', 'two', 'three']\nenergy_j = 1.0\nmass_kg = 0.01\nheight_m = 0.1\n\
         pieces = 40\ncrack_01 = 1.0\ncrack_s = 0.002\n",
        body("one", 40.0),
        body("two", 55.0),
        body("three", 72.0)
    );
    let run = |block: usize| {
        let (mut engine, mut sound) = (build(&text, 44_100.0, 1), vec![0.0f32; 20_000]);
        for chunk in sound.chunks_mut(block) {
            engine.render(&[], &mut Queue::new(), chunk);
        }
        let probe = |name: &str| engine.probe(engine.scene().directory().probe(name).unwrap());
        (sound, probe("p.given"), probe("p.had"))
    };
    let whole = run(20_000);
    assert!(whole.1 > 0.95 * whole.2, "the bound is what holds it: {} J of {} J", whole.1, whole.2);
    for block in [1, 17, 64] {
        assert!(run(block) == whole, "blocks of {block}");
    }
}

#[test]
fn an_edit_in_the_middle_of_breaking_gives_no_energy_twice() {
    let text = "[body.floor]\ntype = 'modal'\nmodes = [{ freq_hz = 40.0, decay_s = 0.4, mass_kg = 2.0 }]\n\
        [signal.blow]\ntype = 'points'\npoints = [[0.0, 0.0], [0.05, 0.0], [0.051, 1.0], [0.2, 0.0]]\n\
        [process.p]\ntype = 'break'\ndriven_by = 'blow'\non = 'floor'\nenergy_j = 1.0\nmass_kg = 0.01\nheight_m = 0.1\npieces = 40\n\
        crack_01 = 1.0\ncrack_s = 0.02\n[[tap]]\nof = 'floor'\n";
    let run = |edits: bool| {
        let mut engine = build(text, 48_000.0, 1);
        let mut queue = Queue::new();
        for tick in (2_500..12_000).step_by(100).filter(|_| edits) {
            let again = Scene::build(&SceneDef::from_text(&format!("seed = 1\n{text}")).unwrap(), 48_000.0).unwrap();
            queue.push(tick, tocco::Command::Replace { scene: Some(Box::new(again)), adopt: true });
        }
        let mut sound = vec![0.0; 48_000];
        engine.render(&[], &mut queue, &mut sound);
        let probe = |name: &str| engine.probe(engine.scene().directory().probe(name).unwrap());
        (sound, probe("p.given"), probe("p.had"))
    };
    let (straight, edited) = (run(false), run(true));
    assert!(straight.1 > 0.5 * straight.2, "the bound is what holds it: {} J of {} J", straight.1, straight.2);
    assert!(straight == edited, "{} J, edited {} J, of {} J", straight.1, edited.1, edited.2);
}

#[test]
fn rolling_gives_no_more_than_the_last_landing_left_and_what_is_beyond_the_most_is_not_put_off() {
    let text = "[signal.pour]\ntype = 'points'\npoints = [[0.0, 1.0], [0.5, 1.0], [0.501, 0.0]]\n[process.p]\ntype = 'scatter'\ndriven_by = 'pour'\n\
                rate_hz = 40.0\nmass_kg = 0.01\nheight_m = 0.1\nring_01 = 1.0\nrolls_hz = 8000.0\nroll_s = 1.0\nfew = 40\n\
                modes = [{ freq_hz = 900.0, decay_s = 0.02, mass_kg = 0.01 }]\n[[tap]]\nof = 'p'\nquantity = 'sound'\n";
    for seed in 0..5 {
        let [_, given, had] = given(text, 48_000.0, seed, 6.0);
        assert!(given > 0.0 && given <= had * (1.0 + 1e-9), "{given} J of {had} J");
    }
    // Far more landings than may be: they are left out, and it ends soon after the last was let go.
    let flood = text.replace("rate_hz = 40.0", "rate_hz = 10000.0").replace("rolls_hz = 8000.0", "rolls_hz = 0.0");
    let flood = flood.replace("few = 40", "few = 0").replace("ring_01 = 1.0", "ring_01 = 0.1");
    let mut engine = build(&flood, 48_000.0, 1);
    let (events, _) = happenings(&mut engine, 6.0, 4800);
    let last = events.last().unwrap().at_s;
    assert!(engine.health().capped > 1000 && last < 4.0, "{last} s, {}", engine.health().capped);
}

#[test]
fn a_second_blow_does_not_take_the_rest_of_the_first_away() {
    let text = "[body.block]\ntype = 'mass'\nmass_kg = 2.0\n[signal.s]\ntype = 'points'\n\
                points = [[0.0, 0.0], [0.1, 0.0], [0.101, 1.0], [0.105, 0.0], [0.11, 0.0], [0.111, 1.0], [0.115, 0.0]]\n\
                [process.p]\ntype = 'spread'\ndriven_by = 's'\non = 'block'\nmomentum_n_s = 3.0\nhits = 24.0\nspread_s = 0.05\n\
                [[tap]]\nof = 'block'\n";
    let mut engine = build(text, 48_000.0, 1);
    let (events, sound) = happenings(&mut engine, 0.4, 512);
    assert_eq!(events.len(), 48);
    let last = f64::from(sound[sound.len() - 1]);
    assert!((last - 3.0).abs() < 1e-4, "{last} m/s instead of 3");
}

#[test]
fn energy_minus_work_never_rises_in_random_scenes_with_processes() {
    let mut rng = Rng::new(14, "scenes");
    let (mut worked, mut several) = (0, 0);
    for scene in 0..3000 {
        let modes: Vec<String> = (0..1 + rng.bits() % 6)
            .map(|_| {
                let (f, d, m) =
                    (rng.between_log(50.0, 12_000.0), rng.between_log(0.002, 2.0), rng.between_log(1e-3, 2.0));
                format!("{{ freq_hz = {f}, decay_s = {d}, mass_kg = {m} }}")
            })
            .collect();
        // Besides the plate: a string, a block that may lie on it, a second plate that may touch the first, in any company.
        let (mut others, mut on) = (String::new(), vec!["'plate'"]);
        if rng.unit() < 0.4 {
            others += &format!(
                "[body.string]\ntype = 'string'\nfreq_hz = {}\nq = {}\nimpedance_kg_s = {}\n[body.string.port]\nhere = {}\n",
                rng.between_log(40.0, 1500.0),
                rng.between_log(20.0, 2000.0),
                rng.between_log(0.05, 20.0),
                rng.between(0.05, 0.5)
            );
            on.push("'string.here'");
        }
        if rng.unit() < 0.4 {
            others += &format!("[body.block]\ntype = 'mass'\nmass_kg = {}\n", rng.between_log(1e-3, 5.0));
            if rng.unit() < 0.5 {
                others += "gravity_m_s2 = 9.81\n[contact.lies]\ntype = 'impact'\nbetween = ['block', 'plate']\nstiffness = 1e6\ndissipation_s_m = 0.5\n";
            }
            on.push("'block'");
        }
        if rng.unit() < 0.4 {
            let (f, d, m) = (rng.between_log(50.0, 5000.0), rng.between_log(0.005, 2.0), rng.between_log(1e-3, 2.0));
            others +=
                &format!("[body.other]\ntype = 'modal'\nmodes = [{{ freq_hz = {f}, decay_s = {d}, mass_kg = {m} }}]\n");
            match rng.bits() % 3 {
                0 => others += "[contact.meet]\ntype = 'impact'\nbetween = ['other', 'plate']\nstiffness = 1e7\n",
                1 => others += "[contact.rub]\ntype = 'friction'\nbetween = ['other', 'plate']\nnormal_force_n = 1.0\n",
                _ => {}
            }
            on.push("'other'");
        }
        let falls = if rng.unit() < 0.5 { "bodies = 'ball'\n" } else { "" };
        let has_ball = rng.unit() < 0.5;
        let arm = rng.bits() % 10;
        let process = match arm {
            9 => format!(
                "type = 'bed'\ngain = {}\ngrains_hz = {}",
                rng.between_log(1e-3, 10.0),
                rng.between_log(1.0, 1e4)
            ),
            8 => format!(
                "type = 'break'\nenergy_j = {}\nmass_kg = {}\nheight_m = {}\ncrack_01 = {}\ncrack_s = {}\npieces = {}\nthreshold = 0.1\ncontact_time_s = {}",
                rng.between_log(1e-3, 100.0),
                rng.between_log(1e-3, 10.0),
                rng.between(0.0, 0.01),
                rng.unit(),
                rng.between(0.0, 0.01),
                2 + rng.bits() % 63,
                rng.between(0.0, 2e-3)
            ),
            5 => format!(
                "type = 'bubbles'\nrate_hz = {}\nbed = {}\nburst = {}\nforce_n_pa = {}",
                rng.between_log(10.0, 1e4),
                rng.between(0.0, 3.0),
                rng.between(0.0, 5.0),
                rng.between_log(1e-3, 10.0)
            ),
            6 => format!(
                "type = 'rain'\nrate_hz = {}\ncontact_time_s = {}",
                rng.between_log(10.0, 1e4),
                rng.between(0.0, 2e-3)
            ),
            7 => format!(
                "type = 'splash'\nmass_kg = {}\nheight_m = {}\ndepth_m = {}\nthreshold = 0.1",
                rng.between_log(1e-3, 10.0),
                rng.between(0.0, 2.0),
                rng.between(0.0, 0.02)
            ),
            0 => format!(
                "type = 'particles'\nobjects = {}\ncollisions_hz = {}\nimpulse_n_s = {}\ncontact_time_s = {}\nlevel = 5.0",
                rng.between_log(1.0, 1000.0),
                rng.between_log(1.0, 1000.0),
                rng.between_log(1e-6, 0.1),
                rng.between(0.0, 2e-3)
            ),
            1 => format!(
                "type = 'crumple'\nevents = {}\nalpha = {}\nenergy_j = [1e-9, {}]\ncontact_time_s = {}\ncluster_01 = {}\nbudget_01 = {}",
                rng.between_log(10.0, 1e4),
                rng.between(0.5, 2.5),
                rng.between_log(1e-8, 1.0),
                rng.between(0.0, 2e-3),
                rng.between(0.0, 0.9),
                if scene % 2 == 0 { rng.unit() } else { 0.0 }
            ),
            2 => format!(
                "type = 'burst'\nimpulse_n_s = {}\ndecay_s = {}\nbright_hz = {}\nby = '{}'",
                rng.between_log(1e-4, 10.0),
                rng.between_log(1e-3, 0.3),
                rng.between_log(100.0, 2e4),
                if rng.unit() < 0.5 { "event" } else { "envelope" }
            ),
            3 => format!(
                "type = 'spread'\nmomentum_n_s = {}\nhits = {}\nspread_s = {}\ncontact_time_s = {}",
                rng.between_log(1e-3, 100.0),
                rng.between(1.0, 256.0).floor(),
                rng.between(0.0, 0.05),
                rng.between(0.0, 5e-3)
            ),
            _ => format!(
                "type = 'scatter'\nrate_hz = {}\nmass_kg = {}\nheight_m = {}\nfew = {}\n{}",
                rng.between_log(10.0, 3000.0),
                rng.between_log(1e-4, 1.0),
                rng.between(0.0, 0.02),
                rng.bits() % 64,
                if has_ball { falls } else { "" }
            ),
        };
        // Half of them have a ball on the body that is hit, so that contacts and hits meet.
        let ball = if has_ball {
            "[body.ball]\ntype = 'mass'\nmass_kg = 0.01\ngravity_m_s2 = 9.81\n[contact.bounce]\ntype = 'impact'\nbetween = ['ball', 'plate']\nstiffness = 1e7\ndissipation_s_m = 0.3\n"
        } else {
            ""
        };
        // A bed only sounds; beside it somebody hits.
        let where_it_hits = match arm {
            9 => "".into(),
            _ => format!("on = [{}]\n", on.join(", ")),
        };
        let ball = if arm == 9 {
            format!(
                "{ball}[process.q]\ntype = 'burst'\ndriven_by = 's'\non = [{}]\nimpulse_n_s = 0.1\n[[tap]]\nof = 'p'\nquantity = 'sound'\n",
                on.join(", ")
            )
        } else {
            ball.to_owned()
        };
        let text = format!(
            "seed = {scene}\n[body.plate]\ntype = 'modal'\nmodes = [{}]\n{ball}[signal.s]\ntype = 'noise'\nrms = 1.0\nmean = 0.5\nbeta = 1.0\n\
             {others}[process.p]\ndriven_by = 's'\n{where_it_hits}{process}\n[[tap]]\nof = 'plate'",
            modes.join(", ")
        );
        let rate_hz = [44_100.0, 48_000.0, 96_000.0][rng.bits() as usize % 3];
        let mut engine = build(&text, rate_hz, scene);
        let (mut last, mut most) = (0.0_f64, 0.0_f64);
        // Most are short; some last until things that fall have landed.
        let blocks = if scene % 20 == 0 { (0.12 * rate_hz / 37.0) as usize } else { 60 };
        for block in 0..blocks {
            let mut out = [0.0; 37];
            engine.render(&[], &mut Queue::new(), &mut out);
            let margin = engine.energy() - engine.work();
            most = most.max(engine.work().abs()).max(engine.energy());
            assert!(
                margin <= last + 1e-11 * most.max(1e-30),
                "scene {scene}, block {block}: {margin} after {last}\n{text}"
            );
            last = last.min(margin);
        }
        assert_eq!(engine.health().reset, 0, "{text}");
        worked += usize::from(engine.work() > 0.0);
        several += usize::from(engine.work() > 0.0 && on.len() > 1);
    }
    assert!(worked > 2000 && several > 1000, "{worked} of 3000 did something, {several} of them to several bodies");
}
