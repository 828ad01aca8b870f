// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sound that comes in, named outputs, planar blocks, and commands that are done when they are done.

mod common;
use common::engine;
use tocco::rng::Rng;
use tocco::scene::def::Source;
use tocco::{Command, Engine, Queue, Scene, SceneDef};

const RATE_HZ: f64 = 48_000.0;
const FRAMES: usize = 4_800;

/// A bar that a microphone pushes.
const HEARING: &str = r#"
    body.bar = { type = "modal", modes = [{ freq_hz = 440.0, decay_s = 0.1, mass_kg = 0.05 }, { freq_hz = 1213.0, decay_s = 0.05, mass_kg = 0.05 }] }
    drive = [{ path = "bar/force_n", input = 1, gain = 2.0 }]
    tap = [{ of = "bar" }]
"#;

fn noise(label: &str) -> Vec<f32> {
    let mut rng = Rng::new(1, label);
    (0..FRAMES).map(|_| rng.between(-1.0, 1.0) as f32).collect()
}

fn hear(inputs: &[&[f32]], block: usize) -> Vec<f32> {
    let mut engine = engine(HEARING, RATE_HZ);
    let (mut queue, mut out) = (Queue::new(), vec![0.0; FRAMES]);
    for (index, part) in out.chunks_mut(block).enumerate() {
        let from = index * block;
        let of = |channel: &&[f32]| from.min(channel.len())..(from + part.len()).min(channel.len());
        let now: Vec<&[f32]> = inputs.iter().map(|channel| &channel[of(channel)]).collect();
        engine.render(&now, &mut queue, part);
    }
    out
}

#[test]
fn a_body_pushed_by_an_input_moves_as_one_pushed_by_a_recording_of_it_in_blocks_of_any_size() {
    let (silence, noise) = (vec![0.0; FRAMES], noise("microphone"));
    let live = hear(&[&silence, &noise], FRAMES);
    let mut def = SceneDef::from_text(HEARING).unwrap();
    def.drives[0].source = Source::Samples { rate_hz: RATE_HZ, data: noise.clone().into(), gain: 2.0, at_s: 0.0 };
    let mut recorded = vec![0.0; FRAMES];
    Engine::new(Scene::build(&def, RATE_HZ).unwrap()).render(&[], &mut Queue::new(), &mut recorded);
    let peak = live.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    assert!(peak > 1e-4);
    for (a, b) in live.iter().zip(&recorded) {
        assert!((a - b).abs() < 1e-5 * peak, "{a} {b}");
    }
    for block in [1, 7, 64, 480] {
        assert!(hear(&[&silence, &noise], block) == live, "blocks of {block}");
    }
    let scene = Scene::build(&SceneDef::from_text(HEARING).unwrap(), RATE_HZ).unwrap();
    assert_eq!(scene.directory().inputs(), 2, "what a device must open");
}

#[test]
fn no_input_a_short_one_and_one_that_is_no_number_are_silence() {
    let wild = vec![f32::NAN; FRAMES];
    for inputs in [&[][..], &[&wild[..]], &[&wild[..], &wild[..]]] {
        assert!(hear(inputs, FRAMES).iter().all(|x| *x == 0.0));
    }
    let (short, mut padded) = ([1.0; 8], [0.0; FRAMES]);
    padded[..8].fill(1.0);
    let heard = hear(&[&[], &short], FRAMES);
    assert!(heard.iter().any(|x| *x != 0.0) && heard == hear(&[&[0.0; FRAMES], &padded], FRAMES));
}

/// Three taps; `main` as written or not.
fn outputs(more: &str) -> String {
    format!(
        r#"
        body.bar = {{ type = "modal", modes = [{{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }}] }}
        body.bell = {{ type = "modal", modes = [{{ freq_hz = 700.0, decay_s = 0.5, mass_kg = 0.05 }}] }}
        event = [{{ at_s = 0.0, hit = "bar", impulse_n_s = 0.01 }}, {{ at_s = 0.0, hit = "bell", impulse_n_s = 0.02 }}]
        {more}
        "#
    )
}

fn render(text: &str) -> (Vec<f32>, usize) {
    let mut engine = engine(text, RATE_HZ);
    let channels = engine.scene().channels();
    let mut out = vec![0.0; FRAMES * channels];
    engine.render(&[], &mut Queue::new(), &mut out);
    (out, channels)
}

fn channel((sound, channels): &(Vec<f32>, usize), channel: usize) -> Vec<f32> {
    sound.iter().skip(channel).step_by(*channels).copied().collect()
}

#[test]
fn a_tap_goes_to_the_channels_of_the_outputs_that_it_names_and_main_is_what_it_was() {
    let plain = render(&outputs(r#"tap = [{ of = "bar" }, { of = "bell", channel = 1 }]"#));
    let named = render(&outputs(
        r#"
        output.main = { channels = [2, 0] }
        output.far = { channels = [4], gain = 0.5, limiter = false }
        tap = [{ of = "bar", to = ["main", "far"] }, { of = "bell", channel = 1, to = "main" }]"#,
    ));
    assert_eq!((plain.1, named.1), (2, 5));
    assert!(channel(&named, 2) == channel(&plain, 0), "the first channel of main is the device's third");
    assert!(channel(&named, 0) == channel(&plain, 1));
    let half: Vec<f32> = channel(&plain, 0).iter().map(|x| 0.5 * x).collect();
    assert!(channel(&named, 4) == half);
    assert!([1, 3].iter().all(|unused| channel(&named, *unused).iter().all(|x| *x == 0.0)));
    let text = outputs(
        r#"output.main = { channels = [0, 1] }
        tap = [{ of = "bar" }, { of = "bell", channel = 1 }]"#,
    );
    assert!(render(&text) == plain, "writing what is there anyway changes nothing");
    let directory = engine(&text, RATE_HZ).scene().directory().clone();
    assert!(directory.outputs()[0].written && directory.outputs()[0].limiter);
}

#[test]
fn an_output_called_haptic_has_the_band_of_the_skin_unless_it_says_another() {
    let felt = |name: &str, band: &str| {
        let keys = format!("output.{name} = {{ channels = [0]{band} }}\ntap = [{{ of = \"bar\", to = \"{name}\" }}]");
        render(&outputs(&keys)).0
    };
    let all = felt("far", "");
    let skin = felt("haptic", "");
    assert!(skin == felt("far", ", band_hz = [40.0, 800.0]") && skin != all, "40 to 800 Hz by default");
    assert!(felt("haptic", ", band_hz = [20.0, 4000.0]") == felt("far", ", band_hz = [20.0, 4000.0]"));
    assert!(
        felt("haptic", ", highpass_hz = 40.0") == felt("far", ", highpass_hz = 40.0"),
        "one end is said: the other is open"
    );
}

#[test]
fn a_tap_is_heard_with_its_gain_and_a_panned_one_with_the_same_power_on_both_sides_together() {
    const BAR: &str = r#"
        body.bar = { type = "modal", modes = [{ freq_hz = 440.0, decay_s = 0.1, mass_kg = 0.05 }] }
        event = [{ at_s = 0.0, hit = "bar", impulse_n_s = 0.01 }]
    "#;
    for (pan_01, gain) in [(0.0, 0.5), (0.25, 1.0), (0.5, 3.0), (0.8, 1.0)] {
        let mut engine =
            engine(&format!("{BAR}tap = [{{ of = \"bar\", pan_01 = {pan_01:?}, gain = {gain:?} }}]"), RATE_HZ);
        let velocity = engine.scene().directory().probe("bar.velocity").unwrap();
        engine.watch(&[velocity]);
        let (mut out, mut rows) = (vec![0.0; 2 * FRAMES], vec![0.0; FRAMES]);
        engine.render_probed(&[], &mut Queue::new(), &mut out, &mut rows);
        let (right, left) = (pan_01 * std::f64::consts::FRAC_PI_2).sin_cos();
        for (frame, v) in out.chunks(2).zip(&rows) {
            let off =
                [(frame[0], left), (frame[1], right)].map(|(heard, share)| (f64::from(heard) - gain * share * v).abs());
            assert!(off[0].max(off[1]) < 1e-7 * gain, "{pan_01} {gain}: {frame:?} {v}");
        }
        assert!(rows.iter().any(|v| v.abs() > 0.1));
    }
}

#[test]
fn a_mono_scene_is_heard_on_two_channels_unless_it_says_where_it_goes() {
    let free = SceneDef::from_text(&outputs(r#"tap = [{ of = "bar" }]"#)).unwrap();
    let written = SceneDef::from_text(&outputs("output.main.channels = [0]\n tap = [{ of = \"bar\" }]")).unwrap();
    let heard = |def: &SceneDef| {
        let mut scene = Scene::build(def, RATE_HZ).unwrap();
        scene.widen(2);
        let mut out = vec![0.0; 2 * FRAMES];
        Engine::new(scene).render(&[], &mut Queue::new(), &mut out);
        (out, 2)
    };
    let (free, written) = (heard(&free), heard(&written));
    assert!(channel(&free, 0) == channel(&free, 1) && channel(&free, 0).iter().any(|x| *x != 0.0));
    assert!(channel(&written, 0) == channel(&free, 0) && channel(&written, 1).iter().all(|x| *x == 0.0));
}

#[test]
fn mistakes_about_outputs_and_inputs_are_named_with_their_place() {
    for (more, wanted) in [
        (r#"tap = [{ of = "bar", to = "man" }]"#, "tap[0].to: no output 'man'; did you mean 'main'?"),
        ("output.a.channels = [0]\ntap = [{ of = 'bar' }]", "channel 0 belongs to output 'main' already"),
        ("output.a.channels = [1, 1]\ntap = [{ of = 'bar', to = 'a' }]", "channel 1 belongs to output 'a' already"),
        (
            "output.a.channels = [1]\ntap = [{ of = 'bar', to = 'a', channel = 1 }]",
            "has 1 channels, and this tap needs 2",
        ),
        ("output.a.channels = []\ntap = [{ of = 'bar', to = 'a' }]", "output.a.channels"),
        ("output.a = { channels = [64] }", "output.a.channels"),
        ("output.a = { channel = [1] }", "did you mean 'channels'?"),
        ("drive = [{ path = 'bar/force_n', input = 64 }]", "drive[0].input: 64 is out of range"),
        ("drive = [{ path = 'bar/force_n', input = 0, at_s = 1 }]", "belongs to a drive with wav"),
    ] {
        let text = outputs(more);
        let said = match SceneDef::from_text(&text).and_then(|def| Scene::build(&def, RATE_HZ)) {
            Ok(_) => panic!("{more} is taken"),
            Err(error) => error.to_string(),
        };
        assert!(said.contains(wanted), "{said}");
    }
}

#[test]
fn a_planar_block_holds_the_samples_of_the_interleaved_one() {
    let text = outputs(r#"tap = [{ of = "bar" }, { of = "bell", channel = 1 }]"#);
    let plain = render(&text);
    let mut engine = engine(&text, RATE_HZ);
    let (mut left, mut right) = (vec![0.0; FRAMES], vec![0.0; FRAMES]);
    let mut queue = Queue::new();
    for at in (0..FRAMES).step_by(160) {
        engine.render_planar(&[], &mut queue, &mut [&mut left[at..at + 160], &mut right[at..at + 160]]);
    }
    assert!(left == channel(&plain, 0) && right == channel(&plain, 1));
}

#[test]
fn a_queue_that_is_handed_to_every_block_applies_each_command_once() {
    let text = outputs(r#"tap = [{ of = "bar" }]"#).replace("event =", "#");
    let mut engine = engine(&text, RATE_HZ);
    let directory = engine.scene().directory().clone();
    let (site, scale) = (directory.site("bar").unwrap(), directory.address("bar/freq_scale").unwrap());
    let mut queue = Queue::new();
    queue.push(0, Command::Hit { site, impulse_n_s: 0.01 });
    queue.push(0, Command::Set(scale, 2.0));
    queue.push(9_600, Command::Set(scale, 0.5));
    let (mut block, mut before) = (vec![0.0; 480], f64::INFINITY);
    for index in 0..60 {
        engine.render(&[], &mut queue, &mut block);
        let value = engine.scene().paths().into_iter().find(|(path, ..)| path == "bar/freq_scale").unwrap().2;
        if index == 19 {
            assert_eq!(value, 2.0);
        }
        assert!(index < 30 || value == 0.5, "block {index}: a past value came back: {value}");
        assert!(index < 30 || engine.energy() <= before, "block {index}: a past hit came back");
        before = engine.energy();
    }
    assert!(queue.is_empty());
}

#[test]
fn an_event_may_hit_as_hard_as_a_file_may_say_and_nothing_is_clamped_without_a_word() {
    let text = outputs("tap = [{ of = 'bar' }]").replace("impulse_n_s = 0.01", "impulse_n_s = 9e5");
    let mut engine = engine(&text, RATE_HZ);
    let health = engine.render(&[], &mut Queue::new(), &mut [0.0; 64]);
    assert_eq!((health.clamped, health.refused), (0, 0));
    assert!((engine.energy() / (0.5 * 9e5 * 9e5 / 0.05) - 1.0).abs() < 0.1);
}

#[test]
fn a_recording_that_nobody_has_loaded_is_an_error_and_not_silence() {
    let text = HEARING.replace("input = 1", "wav = \"hum.wav\"");
    let def = SceneDef::from_text(&text).unwrap();
    let said = Scene::build(&def, RATE_HZ).err().unwrap().to_string();
    assert!(said.contains("drive[0].wav") && said.contains("loaded"), "{said}");
    let mut def = def;
    let missing = def.fetch_recordings(|file| Err(format!("there is no {file} here"))).unwrap_err().to_string();
    assert_eq!(missing, "drive[0].wav: there is no hum.wav here");
}
