// SPDX-License-Identifier: MIT OR Apache-2.0
//! What must not change the sound: the host's block size, the threads around, the vector width, a stranger in the room.

mod common;
use common::{engine, probe};
use tocco::engine::{Command, Queue, Timed};
use tocco::{Engine, Scene, SceneDef};

/// Something of everything: contacts that open, close, sleep and wake, sub-steps, drives, noise, events,
/// retuning, a bowed string, a rough surface scraped and one rolled over, friction pressed by a bouncing ball.
const BUSY: &str = r#"
seed = 7
[body.hammer]
type = "mass"
mass_kg = 0.02
velocity_m_s = 1.0
position_m = -0.002
[body.ball]
type = "mass"
mass_kg = 0.01
gravity_m_s2 = 9.81
position_m = -0.003
[body.hand]
type = "guided"
position_m = -0.02
[body.bar]
type = "modal"
jitter_01 = 0.3
modes = [{ freq_hz = 40.0, decay_s = 0.4, mass_kg = 0.1 }, { freq_hz = 440.0, decay_s = 0.3, mass_kg = 0.05 }, { freq_hz = 1213.0, decay_s = 0.2, mass_kg = 0.04 }, { freq_hz = 2377.0, decay_s = 0.1, mass_kg = 0.03 }, { freq_hz = 9000.0, decay_s = 0.02, mass_kg = 0.03 }]
[body.bar.port]
tip = [1.0, 1.0, 1.0, 1.0, 1.0]
middle = [1.0, -0.6, 0.1, 0.5, -0.9]
[body.plate]
type = "modal"
modes = [{ freq_hz = 310.0, decay_s = 0.3, mass_kg = 0.05 }, { freq_hz = 777.0, decay_s = 0.2, mass_kg = 0.04 }]
[contact.hit]
type = "impact"
between = ["hammer", "bar.tip"]
stiffness = 1e9
dissipation_s_m = 0.2
[contact.drop]
type = "impact"
between = ["ball", "bar.middle"]
stiffness = 1e10
exponent = 1.7
dissipation_s_m = 0.1
[contact.press]
type = "impact"
law = "stulov"
between = ["hand", "hammer"]
stiffness = 1e6
hysteresis_01 = 0.3
relaxation_s = 1e-3
[body.bow]
type = "guided"
velocity_m_s = 0.1
[body.string]
type = "string"
freq_hz = 147.0
inharmonicity = 5e-5
[body.string.port]
bow_point = 0.13
finger = 0.4
[contact.rub]
type = "friction"
between = ["bow", "string.bow_point"]
normal_force_n = 1.1
[contact.touch]
type = "friction"
law = "static"
between = ["ball", "string.finger"]
normal_from = "drop"
[contact.scrape]
type = "friction"
between = ["hand", "plate"]
normal_force_n = 0.2
roughness = 0.1
texture = { beta = 1.2 }
[contact.roll]
type = "impact"
between = ["ball", "plate"]
stiffness = 1e7
dissipation_s_m = 0.2
texture = { height_m = 1e-6, travel_from = "bow" }
[[drive]]
path = "hand/velocity_m_s"
points = [[0.0, 0.0], [0.08, 0.0], [0.1, 0.4], [0.2, 0.0], [0.3, -0.2]]
[[drive]]
path = "plate/force_n"
noise = { rms = 0.1, from_s = 0.05, to_s = 0.1 }
[[drive]]
path = "hit/stiffness"
points = [[0.0, 1e9], [0.3, 1e7]]
[[event]]
at_s = 0.0333
hit = "plate"
impulse_n_s = 0.01
[[event]]
at_s = 0.12345
strike = "hammer"
velocity_m_s = 0.7
[[tap]]
of = "bar.tip"
pan_01 = 0.2
[[tap]]
of = "bar.middle"
quantity = "acceleration"
gain = 0.001
channel = 1
[[tap]]
of = "plate"
quantity = "position"
gain = 1000.0
[[tap]]
of = "drop"
quantity = "force"
gain = 0.01
channel = 1
[[tap]]
of = "string.bow_point"
[[tap]]
of = "scrape"
quantity = "force"
channel = 1
"#;

fn commands(scene: &Scene) -> Vec<Timed> {
    let set =
        |at, path: &str, value| Timed { at, command: Command::Set(scene.directory().address(path).unwrap(), value) };
    vec![
        set(777, "bar/freq_scale", 1.3),
        set(1_000, "ball/force_n", -0.05),
        set(1_001, "drop/dissipation_s_m", 1.0),
        set(2_002, "rub/normal_force_n", 1.5),
        set(3_001, "string/freq_hz", 160.0),
        Timed {
            at: 5_003,
            command: Command::Hit { site: scene.directory().site("bar.middle").unwrap(), impulse_n_s: 0.02 },
        },
        Timed {
            at: 7_777,
            command: Command::Strike { body: scene.directory().body("ball").unwrap(), velocity_m_s: 0.5 },
        },
        Timed { at: 9_000, command: Command::Quality { max_substeps: 4, drop_below_db: -60.0 } },
        set(9_100, "ball/force_n", 0.0),
    ]
}

const FRAMES: usize = 16_000;

fn render(text: &str, block: usize) -> Vec<u32> {
    let mut engine = engine(text, 44_100.0);
    let mut queue = Queue::from(commands(engine.scene()));
    let mut sound = vec![0.0f32; FRAMES * engine.scene().channels()];
    let width = engine.scene().channels();
    for chunk in sound.chunks_mut(block * width) {
        engine.render(&[], &mut queue, chunk);
    }
    assert!(sound.iter().any(|x| x.abs() > 1e-3) && sound.iter().all(|x| x.is_finite()));
    sound.iter().map(|x| x.to_bits()).collect()
}

#[test]
fn any_host_block_size_gives_the_same_bits() {
    let whole = render(BUSY, FRAMES);
    for block in [1, 17, 64, 480, 4_096] {
        assert!(render(BUSY, block) == whole, "blocks of {block}");
    }
}

#[test]
fn watching_probes_changes_no_bit() {
    let plain = {
        let mut engine = engine(BUSY, 44_100.0);
        let mut out = vec![0.0; 8_000];
        engine.render(&[], &mut Queue::new(), &mut out);
        out
    };
    let mut watched = engine(BUSY, 44_100.0);
    let probes =
        ["energy", "work", "bar.tip.position", "rub.force"].map(|s| watched.scene().directory().probe(s).unwrap());
    watched.watch(&probes);
    let (mut out, mut rows) = (vec![0.0; 8_000], vec![0.0; 16_000]);
    watched.render_probed(&[], &mut Queue::new(), &mut out, &mut rows);
    assert!(plain == out);
}

/// A hammer strikes a free bar, which swings as a whole and is retuned as it rings, and both fly apart: the contact sleeps.
const APART: &str = r#"
[body.hammer]
type = "mass"
mass_kg = 0.01
[body.bar]
type = "shape"
shape = "bar"
material = "rosewood"
length_m = 0.25
width_m = 0.04
thickness_m = 0.008
[body.bar.port]
end = 0.0
off = 0.3
[contact.hit]
type = "impact"
between = ["hammer", "bar.end"]
stiffness = 1e7
[[event]]
at_s = 0.001
strike = "hammer"
velocity_m_s = 1.0
[[event]]
at_s = 0.05
set = "bar/freq_scale"
value = 1.2
[[tap]]
of = "bar.off"
"#;

#[test]
fn watched_signals_have_the_same_bits_by_the_block_as_sample_by_sample_and_change_no_sample() {
    for text in [BUSY, APART] {
        let (mut stepped, mut whole) = (engine(text, 44_100.0), engine(text, 44_100.0));
        let directory = whole.scene().directory().clone();
        let signals: Vec<_> = directory.signals().into_iter().filter(|s| s != "energy" && s != "work").collect();
        let probes: Vec<_> = signals.iter().map(|signal| directory.probe(signal).unwrap()).collect();
        let (width, channels) = (probes.len(), whole.scene().channels());
        whole.watch(&probes);
        let mut rows = vec![0.0; 8_000 * width];
        let mut out = vec![0.0; 8_000 * channels];
        // Blocks of any size, and signals chosen anew on the way.
        for (block, rows) in out.chunks_mut(801 * channels).zip(rows.chunks_mut(801 * width)) {
            whole.render_probed(&[], &mut Queue::new(), block, rows);
            whole.watch(&probes);
        }
        let mut frame = vec![0.0; channels];
        for (sample, (row, heard)) in rows.chunks(width).zip(out.chunks(channels)).enumerate() {
            stepped.render(&[], &mut Queue::new(), &mut frame);
            assert!(frame == heard, "sample {sample}");
            for ((value, probe), signal) in row.iter().zip(&probes).zip(&signals) {
                let now = stepped.probe(*probe);
                assert!(value.to_bits() == now.to_bits(), "{signal}, sample {sample}: {value:e} {now:e}");
            }
        }
        let column = |signal: &str| {
            let at = signals.iter().position(|s| s == signal).unwrap();
            rows.iter().skip(at).step_by(width).copied().collect::<Vec<f64>>()
        };
        let apart = column("hit.compression");
        assert!(
            apart.iter().any(|x| *x > 0.0) && apart.windows(2).filter(|x| x[0] != x[1] && x[1] < -1e-4).count() > 100
        );
    }
}

#[test]
fn engines_side_by_side_in_threads_give_the_same_bits_as_one_alone() {
    let alone = render(BUSY, 64);
    let results: Vec<_> = std::thread::scope(|scope| {
        let handles: Vec<_> = (0..4).map(|_| scope.spawn(|| render(BUSY, 64))).collect();
        handles.into_iter().map(|h| h.join().unwrap()).collect()
    });
    assert!(results.iter().all(|r| *r == alone));
}

#[test]
fn a_body_that_nothing_touches_changes_no_bit_of_the_others() {
    let stranger = "[body.stranger]\ntype = \"modal\"\nmodes = [{ freq_hz = 555.0, mass_kg = 1.0 }]\n[body.hammer]";
    let with = BUSY.replacen("[body.hammer]", stranger, 1);
    assert!(render(&with, 64) == render(BUSY, 64));
}

#[test]
fn a_second_tap_changes_no_bit_of_the_first() {
    let text = "[body.bar]\ntype = \"modal\"\nmodes = [{ freq_hz = 440.0, decay_s = 0.3, mass_kg = 0.05 }, { freq_hz = 30.0, decay_s = 0.3, mass_kg = 0.05 }]\n\
         [body.bar.port]\na = [1.0, 0.5]\nb = [0.3, 0.1]\n[[event]]\nat_s = 0.001\nhit = \"bar.a\"\nimpulse_n_s = 0.01\n[[tap]]\nof = \"bar.a\"\n";
    let two = format!("{text}[[tap]]\nof = \"bar.b\"\nchannel = 1\n");
    let (mut one_out, mut two_out) = (vec![0.0; 5_000], vec![0.0; 10_000]);
    engine(text, 48_000.0).render(&[], &mut Queue::new(), &mut one_out);
    engine(&two, 48_000.0).render(&[], &mut Queue::new(), &mut two_out);
    assert!(two_out.chunks(2).map(|frame| frame[0]).eq(one_out.iter().copied()));
}

#[test]
fn pitch_and_decay_are_the_same_at_every_rate() {
    let text = "[body.bar]\ntype = \"modal\"\nmodes = [{ freq_hz = 441.0, decay_s = 0.2, mass_kg = 1.0 }]\n[[event]]\nat_s = 0.0\nhit = \"bar\"\nimpulse_n_s = 1.0\n[[tap]]\nof = \"bar\"\n";
    let at = |rate_hz: f64| {
        let mut out = vec![0.0; (0.3 * rate_hz) as usize];
        engine(text, rate_hz).render(&[], &mut Queue::new(), &mut out);
        // Sample k holds the velocity at (k + 1)/rate: 0.1 s and 0.2 s fall on samples at these rates.
        [0.1, 0.2].map(|t| out[(t * rate_hz).round() as usize - 1])
    };
    let base = at(44_100.0);
    for rate_hz in [8_000.0, 48_000.0, 96_000.0, 384_000.0] {
        for (a, b) in at(rate_hz).iter().zip(base) {
            assert!((a - b).abs() < 1e-7, "{rate_hz}: {a} {b}");
        }
    }
}

#[test]
fn a_replaced_scene_starts_at_its_own_beginning_and_the_old_one_comes_back() {
    let second = SceneDef::from_text(BUSY).unwrap();
    let mut engine: Engine = engine(BUSY, 44_100.0);
    let mut out = vec![0.0; 2 * 1_000];
    let mut swap = Queue::new();
    swap.push(320, Command::replace(Scene::build(&second, 44_100.0).unwrap()));
    engine.render(&[], &mut swap, &mut out);
    let mut fresh = vec![0.0; 2 * 680];
    common::engine(BUSY, 44_100.0).render(&[], &mut Queue::new(), &mut fresh);
    // The old scene rings out for 10 ms.
    assert!(out[2 * (320 + 441)..] == fresh[2 * 441..]);
    assert!(out[2 * 320..] != fresh[..]);
    assert!(swap.is_empty() && swap.spent().is_none(), "the command is done, and holds no scene");
    assert!(engine.retired().is_some_and(|old| old.title().is_empty()) && engine.retired().is_none());
}

#[test]
fn jitter_makes_every_strike_different_and_every_seed_repeatable() {
    let text = |seed: u32| {
        format!(
            "seed = {seed}\n[body.hammer]\ntype = \"mass\"\nmass_kg = 0.01\n[body.bar]\ntype = \"modal\"\njitter_01 = 0.5\n\
         modes = [{{ freq_hz = 300.0, decay_s = 0.01, mass_kg = 0.05 }}, {{ freq_hz = 3000.0, decay_s = 0.01, mass_kg = 0.05 }}]\n\
         [contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"bar\"]\nstiffness = 1e8\n[[tap]]\nof = \"bar\"\n\
         [[event]]\nat_s = 0.0\nstrike = \"hammer\"\nvelocity_m_s = 1.0\n[[event]]\nat_s = 0.25\nstrike = \"hammer\"\nvelocity_m_s = 1.0\n[[event]]\nat_s = 0.375\nstrike = \"hammer\"\nvelocity_m_s = 1.0\n"
        )
    };
    let run = |seed| {
        let mut out = vec![0.0; 24_000];
        engine(&text(seed), 48_000.0).render(&[], &mut Queue::new(), &mut out);
        out
    };
    let one = run(1);
    assert!(one == run(1) && one != run(2));
    let apart = |from: usize| one[..4_000].iter().zip(&one[from..]).fold(0.0f32, |m, (a, b)| m.max((a - b).abs()));
    let difference = apart(12_000).max(apart(18_000));
    let peak = one[..4_000].iter().fold(0.0f32, |m, a| m.max(a.abs()));
    assert!(difference > 0.01 * peak, "{difference} of {peak}");
}

#[test]
fn a_glass_that_is_rubbed_after_a_long_rest_sounds_as_one_whose_friction_never_slept() {
    let text = "[body.bow]\ntype = 'guided'\nvelocity_m_s = 0.1\n[body.glass]\ntype = 'modal'\nmodes = [{ freq_hz = 440.0, mass_kg = 0.01 }]\n\
        [contact.rub]\ntype = 'friction'\nbetween = ['bow', 'glass']\n[[tap]]\nof = 'glass'\n\
        [[drive]]\npath = 'rub/normal_force_n'\npoints = [[0.05, 0.0], [0.06, 1.0]]\n";
    // What is heard, however softly, must be known by the sample: such a contact never sleeps.
    let wakeful = format!("{text}[[tap]]\nof = 'rub'\nquantity = 'compression'\ngain = 0.0\n");
    let [slept, awake] = [text, &wakeful].map(|text| {
        let mut out = vec![0.0; 4_800];
        engine(text, 48_000.0).render(&[], &mut Queue::new(), &mut out);
        out
    });
    // Until one of the two has counted its 64 steps to the held form.
    assert!(slept[2_400..2_460] == awake[2_400..2_460] && slept[..2_400].iter().all(|x| *x == 0.0));
    let loudest = awake.iter().fold(0.0f32, |most, x| most.max(x.abs()));
    assert!(loudest > 1e-3 && slept.iter().zip(&awake).all(|(a, b)| (a - b).abs() < 1e-5 * loudest));
}

#[test]
fn a_body_tuned_by_its_scale_rings_at_that_multiple_and_dies_in_that_time() {
    for (freq_scale, decay_scale) in [(1.0, 1.0), (1.5, 0.5), (0.5, 2.0)] {
        let text = format!(
            "[body.bar]\ntype = \"modal\"\nfreq_scale = {freq_scale:?}\ndecay_scale = {decay_scale:?}\n\
             modes = [{{ freq_hz = 200.0, decay_s = 0.5, mass_kg = 0.05 }}]\n\
             [[event]]\nat_s = 0.0\nhit = \"bar\"\nimpulse_n_s = 0.01\n[[tap]]\nof = \"bar\"\n"
        );
        let (rows, _) = probe(&mut engine(&text, 48_000.0), &["bar.velocity", "energy"], 48_000);
        let up = (1..48_000).filter(|&n| rows[n - 1][0] < 0.0 && rows[n][0] >= 0.0).count() as f64;
        assert!((up - 200.0 * freq_scale).abs() <= 1.0, "{freq_scale}: {up} periods in a second");
        let decay_s = 2.0 / (rows[0][1] / rows[47_999][1]).ln();
        assert!((decay_s / (0.5 * decay_scale) - 1.0).abs() < 5e-3, "{decay_scale}: {decay_s}");
    }
}
