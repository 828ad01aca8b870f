// SPDX-License-Identifier: MIT OR Apache-2.0
//! Water: bubbles, drops and splashes, against closed forms; that nothing depends on blocks; and triggers.

use tocco::process::bubble::{BubbleLaw, Tone};
use tocco::process::flow::{Flow, FlowParams};
use tocco::process::{Process, Span};
use tocco::rng::Rng;
use tocco::scene::Happening;
use tocco::signal::Cell;
use tocco::{Engine, Gesture, Queue, Scene, SceneDef};

const POND: &str = "
[signal.still]
type = 'input'
[process.pond]
type = 'bubbles'
driven_by = 'still'
[process.drops]
type = 'patter'
driven_by = 'still'
[[tap]]
of = 'pond'
quantity = 'sound'
[[tap]]
of = 'drops'
quantity = 'sound'
";

fn build(text: &str, rate_hz: f64) -> Engine {
    let def = SceneDef::from_text(text).unwrap_or_else(|error| panic!("{error}"));
    Engine::new(Scene::build(&def, rate_hz).unwrap_or_else(|error| panic!("{error}")))
}

fn push(engine: &Engine, queue: &mut Queue, at: u64, gesture: Gesture) {
    queue.push(at, gesture.resolve(engine.scene().directory()).unwrap().command);
}

fn trigger(process: &str, values: &[f64]) -> Gesture {
    Gesture::Trigger { process: process.into(), values: values.to_vec() }
}

/// Renders in blocks; what happened and what was heard.
fn listen(engine: &mut Engine, queue: &mut Queue, seconds: f64, block: usize) -> (Vec<Happening>, Vec<f32>) {
    let (mut all, mut sound) = (Vec::new(), Vec::new());
    let channels = engine.scene().channels();
    let frames = (seconds * engine.scene().rate_hz()) as usize;
    while sound.len() < frames * channels {
        let mut out = vec![0.0; block.min(frames - sound.len() / channels) * channels];
        engine.render(&[], queue, &mut out);
        sound.extend(out);
        all.extend(std::iter::from_fn(|| engine.take_happening()));
    }
    (all, sound)
}

#[test]
fn a_triggered_bubble_sounds_by_its_closed_form_from_its_very_tick() {
    for rate_hz in [8_000.0, 44_100.0, 48_000.0, 96_000.0, 192_000.0] {
        let mut engine = build(POND, rate_hz);
        let mut queue = Queue::new();
        // In the middle of a cell; the delay puts it between two samples.
        let (at, delay_s) = (1_003, 0.000_217);
        push(&engine, &mut queue, at, trigger("pond", &[0.004, 0.3, 0.15, 0.35, delay_s]));
        let (happened, heard) = listen(&mut engine, &mut queue, 0.2 + at as f64 / rate_hz, 4096);
        let began = at as f64 / rate_hz + delay_s;
        assert_eq!(happened.len(), 1);
        assert!((happened[0].at_s - began).abs() < 1e-12 && happened[0].size == 0.3, "{happened:?}");
        let tone = Tone::bubble(BubbleLaw::VanDenDoel, 0.004, 0.3, 0.15, 0.35);
        // Van den Doel's bubble, written out: f = 3/r, xi = 0.15, an attack of 0.35 periods.
        let freq_hz = 3.0_f64 / 0.004;
        let damping = 0.043 * freq_hz + 0.0014 * freq_hz.powf(1.5);
        let bubble = |t: f64| {
            let turns = freq_hz * (t + 0.5 * 0.15 * damping * t * t);
            let begun = 1.0 - (-t * freq_hz / 0.35).exp();
            if t < 0.0 { 0.0 } else { 0.3 * begun * (-damping * t).exp() * (std::f64::consts::TAU * turns).sin() }
        };
        let channels = engine.scene().channels();
        // The end comes at e^-7.
        let until = ((began + 7.0 / tone.damping) * rate_hz) as usize;
        let frames = heard.chunks(channels).map(|frame| f64::from(frame[0])).enumerate().take(until);
        for (i, x) in frames {
            let wanted = bubble(i as f64 / rate_hz - began);
            assert!((tone.at(i as f64 / rate_hz - began) - wanted).abs() < 1e-12);
            assert!((x - wanted).abs() < 3e-8, "{rate_hz} Hz, sample {i}: {x} {wanted}");
        }
        assert_eq!(engine.health().refused, 0);
    }
}

#[test]
fn triggers_and_populations_give_the_same_bits_however_blocks_are_cut() {
    let text = POND.replace("[process.drops]", "bed = 0.7\nrise = 0.3\nburst = 1.5\nvoices = 24\n[process.drops]");
    let play = |block: usize| {
        let mut engine = build(&text, 44_100.0);
        let mut queue = Queue::new();
        push(&engine, &mut queue, 100, Gesture::Set { path: "still/value".into(), value: 1.0 });
        for k in 0..40 {
            let name = if k % 3 == 0 { "drops" } else { "pond" };
            push(&engine, &mut queue, 211 * k, trigger(name, &[0.002 + 0.0003 * k as f64]));
        }
        listen(&mut engine, &mut queue, 0.4, block)
    };
    let (events, whole) = play(17_640);
    assert!(events.len() > 300, "{}", events.len());
    for block in [1, 31, 64, 480] {
        let (_, sound) = play(block);
        assert!(whole == sound, "blocks of {block}");
    }
}

#[test]
fn a_trigger_says_no_more_than_its_process_takes_and_what_it_leaves_out_is_as_declared() {
    let engine = build(POND, 48_000.0);
    let names = engine.scene().directory();
    let refused = |gesture: Gesture| gesture.resolve::<()>(names).unwrap_err().what;
    assert_eq!(refused(trigger("pont", &[])), "no process 'pont'; did you mean 'pond'?");
    assert!(refused(trigger("pond", &[0.0; 6])).contains("6 values; a trigger of it says radius_m, amplitude_pa"));
    assert!(refused(trigger("pond", &[f64::NAN])).contains("not a number"));
    assert!(trigger("pond", &[0.0]).resolve::<()>(names).unwrap().clamped, "a radius of 0");
    assert!(!trigger("pond", &[]).resolve::<()>(names).unwrap().clamped);
    let gravel = "[signal.s]\ntype = 'input'\n[process.p]\ntype = 'particles'\ndriven_by = 's'\n\
                  resonances = [{ freq_hz = 900.0, bandwidth_hz = 100.0 }]\n[[tap]]\nof = 'p'\nquantity = 'sound'";
    let engine = build(gravel, 48_000.0);
    let what = trigger("p", &[]).resolve::<()>(engine.scene().directory()).unwrap_err().what;
    assert_eq!(what, "'p' is not triggered by itself; set the signal that it hears");
}

#[test]
fn an_event_of_a_scene_triggers_too() {
    let text = format!(
        "{POND}[[event]]\nat_s = 0.01\ntrigger = 'pond'\nvalues = [0.003, 0.2]\n[[event]]\nat_s = 0.02\ntrigger = 'drops'"
    );
    let def = SceneDef::from_text(&text).unwrap();
    assert_eq!(SceneDef::from_text(&def.to_toml()).unwrap().to_toml(), def.to_toml());
    let (happened, _) = listen(&mut build(&text, 48_000.0), &mut Queue::new(), 0.1, 512);
    let times: Vec<f64> = happened.iter().map(|one| one.at_s).collect();
    assert_eq!(times, [0.01, 0.02]);
}

/// Bubbles of a population that hears 1 for so many seconds: their times and radii.
fn population(params: FlowParams, seed: u64, seconds: u64) -> Vec<(f64, f64)> {
    let mut flow = Flow::new(params, BubbleLaw::VanDenDoel, 8, 0, 48_000.0, |of| Rng::new(seed, of));
    let mut all = Vec::new();
    for index in 0..1000 * seconds {
        flow.enter(Cell { index, from: 1.0, to: 1.0 });
        all.extend(flow.events().iter().map(|event| (event.at_s, event.size)));
        let (mut sound, span) = ([0.0; 32], Span { tick: 48 * index, ticks: 32, rate_hz: 48_000.0 });
        flow.render(span, &mut [], &mut sound);
        flow.render(Span { tick: span.tick + 32, ticks: 16, ..span }, &mut [], &mut sound);
    }
    all
}

#[test]
fn radii_of_a_population_follow_their_power_law_gaps_are_those_of_a_poisson_process_and_a_seed_repeats() {
    // The amplitude tells the radius: a = gain (r/2 mm), no depth, no gusts.
    let params = FlowParams {
        rate_hz: 900.0,
        smallest_m: 0.35e-3,
        largest_m: 6e-3,
        size_exponent: 2.2,
        amplitude_exponent: 1.0,
        depth_exponent: 0.0,
        gust: 0.0,
        gain: 1.0,
        ..FlowParams::default()
    };
    let all = population(params, 4, 20);
    assert_eq!(all, population(params, 4, 20), "a seed repeats");
    assert_ne!(all, population(params, 5, 20));
    let count = all.len() as f64;
    assert!((count - 18_000.0).abs() < 5.0 * 18_000f64.sqrt(), "{count}");
    // Chi-square over 20 classes of equal probability: 19 degrees of freedom, 99.9 % below 43.8.
    let [low, high] = [0.35e-3f64, 6e-3].map(|r| r.powf(-1.2));
    let mut classes = [0.0; 20];
    for (_, amplitude) in &all {
        let u = ((2e-3 * amplitude).powf(-1.2) - low) / (high - low);
        classes[((20.0 * u) as usize).min(19)] += 1.0;
    }
    let chi = |classes: &[f64]| classes.iter().map(|n| (n - count / 20.0).powi(2) / (count / 20.0)).sum::<f64>();
    assert!(chi(&classes) < 43.8, "{classes:?}");
    let mut gaps = [0.0; 20];
    for pair in all.windows(2) {
        let u = 1.0 - (-900.0 * (pair[1].0 - pair[0].0)).exp();
        gaps[((20.0 * u) as usize).min(19)] += 1.0;
    }
    assert!(chi(&gaps) < 43.8, "{gaps:?}");
}

#[test]
fn a_population_is_as_loud_as_campbells_theorem_says_and_its_bed_as_loud_as_asked() {
    let power = |params: FlowParams| {
        let mut flow = Flow::new(params, BubbleLaw::VanDenDoel, 256, 0, 48_000.0, |of| Rng::new(11, of));
        let (mut sum, mut count) = (0.0, 0.0);
        for index in 0..30_000 {
            flow.enter(Cell { index, from: 1.0, to: 1.0 });
            for (offset, ticks) in [(0, 32), (32, 16)] {
                let mut sound = [0.0; 32];
                flow.render(Span { tick: 48 * index + offset, ticks, rate_hz: 48_000.0 }, &mut [], &mut sound);
                sum += sound[..ticks].iter().map(|x| x * x).sum::<f64>();
                count += ticks as f64;
            }
        }
        assert!(params.bed > 0.0 || flow.alive() < 256);
        sum / count
    };
    let alone = FlowParams { rate_hz: 900.0, gust: 0.0, attack: 0.0, rise: 0.0, gain: 1.0, ..FlowParams::default() };
    // E[a^2/(4 d)] by a fine sum over the law of radii.
    let mean = (0..20_000)
        .map(|i| {
            let u = (f64::from(i) + 0.5) / 20_000.0;
            let r = 1.0 / (1e3 + u * (1.0 / 6e-3 - 1e3));
            Tone::bubble(BubbleLaw::VanDenDoel, r, r / 2e-3, 0.0, 0.0).energy()
        })
        .sum::<f64>()
        / 20_000.0;
    let wanted = 900.0 * mean / 5.0;
    let bubbles = power(alone);
    assert!((bubbles / wanted - 1.0).abs() < 0.06, "{bubbles} {wanted}");
    let both = power(FlowParams { bed: 1.5, ..alone });
    assert!(((both - bubbles) / (2.25 * wanted) - 1.0).abs() < 0.08, "{both} {bubbles} {wanted}");
}

#[test]
fn how_many_bubbles_how_large_and_how_deep_is_said_by_signals() {
    // Amplitude tells the radius: a = r/2 mm. The rate follows one signal, the largest radius and the depth another each.
    let text = "[signal.flow]\ntype = 'points'\npoints = [[0.0, 0.5], [2.0, 0.5], [2.001, 2.0]]\n\
                [signal.size]\ntype = 'points'\npoints = [[0.0, 0.006], [4.0, 0.006], [4.001, 0.002]]\n\
                [signal.deep]\ntype = 'points'\npoints = [[0.0, 1.0], [6.0, 1.0], [6.001, 0.003], [8.0, 0.003], [8.001, 0.0]]\n\
                [process.p]\ntype = 'bubbles'\ndriven_by = 'flow'\nrate_hz = 400.0\nsmallest_m = 0.0005\nlargest_m = 0.006\nsize_exponent = 1.0\n\
                amplitude_exponent = 1.0\ndepth_exponent = 0.0\ngust = 0.0\ngain = 1.0\n\
                [[drive]]\npath = 'p/largest_m'\nfrom = 'size'\n[[drive]]\npath = 'p/depth_m'\nfrom = 'deep'\n[[tap]]\nof = 'p'\nquantity = 'sound'";
    let (all, _) = listen(&mut build(text, 16_000.0), &mut Queue::new(), 10.0, 400);
    // From a little after each change on.
    let radii = |from: f64, to: f64| -> Vec<f64> {
        all.iter().filter(|one| (from..to).contains(&one.at_s)).map(|one| 2e-3 * one.size).collect()
    };
    let largest = |radii: &[f64]| radii.iter().copied().fold(0.0, f64::max);
    for (from, to, rate, most) in
        [(0.1, 2.0, 200.0, 6e-3), (2.1, 4.0, 800.0, 6e-3), (4.1, 6.0, 800.0, 2e-3), (6.1, 8.0, 800.0, 1.2e-3)]
    {
        let own = radii(from, to);
        let wanted = rate * (to - from);
        assert!((own.len() as f64 - wanted).abs() < 5.0 * wanted.sqrt(), "{from}: {} of {wanted}", own.len());
        assert!(largest(&own) <= most * (1.0 + 1e-9) && largest(&own) > 0.9 * most, "{from}: {}", largest(&own));
    }
    assert_eq!(radii(8.1, 10.0).len(), 0, "where there is no water");
}

#[test]
fn a_bed_by_itself_is_as_loud_as_its_signal_says_and_0_is_none() {
    let rms = |gain: f64, level: f64| {
        let text = format!(
            "[signal.s]\ntype = 'points'\npoints = [[0.0, {level:?}]]\n[process.p]\ntype = 'bed'\ndriven_by = 's'\ngain = {gain:?}\n\
             low_hz = 300.0\nhigh_hz = 2600.0\n[[tap]]\nof = 'p'\nquantity = 'sound'"
        );
        let (_, heard) = listen(&mut build(&text, 48_000.0), &mut Queue::new(), 4.0, 512);
        (heard.iter().map(|x| f64::from(x * x)).sum::<f64>() / heard.len() as f64).sqrt()
    };
    for (gain, level) in [(0.2, 1.0), (0.2, 0.5), (0.05, 2.0)] {
        let got = rms(gain, level);
        assert!((got / (gain * level) - 1.0).abs() < 0.06, "{gain} {level}: {got}");
    }
    assert_eq!(rms(0.0, 1.0), 0.0);
    assert_eq!(rms(0.2, -1.0), 0.0);
}

#[test]
fn water_that_is_too_shallow_holds_no_bubbles() {
    let params = FlowParams { depth_m: 3e-4, ..FlowParams::default() };
    assert_eq!(population(params, 1, 1).len(), 0);
    let shallow = FlowParams { depth_m: 5e-3, depth_exponent: 0.0, gust: 0.0, gain: 1.0, ..FlowParams::default() };
    let all = population(shallow, 1, 4);
    assert!(all.len() > 1000 && all.iter().all(|(_, amplitude)| *amplitude <= 1.0 + 1e-12), "none above 2 mm");
}

#[test]
fn drops_close_bubbles_surely_between_the_heights_of_the_table_and_when_it_says() {
    use tocco::process::drip::{closes_after, surely_closes};
    // Diameter in mm, lowest and highest fall in m, time in ms.
    for (mm, low, high, closes_ms) in [
        (2.0, 0.1978, 0.3925, 7.86),
        (3.0, 0.1105, 0.2005, 14.43),
        (4.0, 0.0731, 0.1245, 22.22),
        (5.0, 0.0530, 0.0861, 28.73),
    ] {
        let edge = |mut out: f64, mut inside: f64| {
            for _ in 0..50 {
                let middle = 0.5 * (out + inside);
                if surely_closes(1e-3 * mm, middle) { inside = middle } else { out = middle }
            }
            inside
        };
        let middle = 0.5 * (low + high);
        assert!(surely_closes(1e-3 * mm, middle));
        for (got, wanted) in
            [(edge(1e-3, middle), low), (edge(2.0, middle), high), (1e3 * closes_after(1e-3 * mm), closes_ms)]
        {
            assert!((got / wanted - 1.0).abs() < 0.01, "{mm} mm: {got} {wanted}");
        }
    }
}

#[test]
fn a_splash_is_the_one_of_the_table() {
    use tocco::process::splash::Thrown;
    // Mass, height; speed, radius, Weber number, when the cavity closes, its pitch.
    for (mass, height, speed, radius, weber, closes, freq_hz) in [
        (5e-5, 0.5, 3.1321, 2.2868e-3, 615.19, 0.027163, 4373.0),
        (0.001, 0.5, 3.1321, 6.2072e-3, 1669.9, 0.045278, 1611.0),
        (0.05, 0.5, 3.1321, 22.868e-3, 6151.9, 0.086906, 437.30),
        (0.5, 0.5, 3.1321, 49.267e-3, 13253.8, 0.12756, 202.98),
        (0.05, 2.0, 6.2642, 22.868e-3, 24607.4, 0.086906, 437.30),
    ] {
        let thrown = Thrown::new(mass, height, 10.0);
        let pitch = BubbleLaw::VanDenDoel.freq_hz(thrown.cavity_m());
        let got = [thrown.speed_m_s, thrown.radius_m, thrown.weber(), thrown.closes_after(), pitch];
        for (got, wanted) in got.into_iter().zip([speed, radius, weber, closes, freq_hz]) {
            assert!((got / wanted - 1.0).abs() < 0.01, "{mass} kg: {got} {wanted}");
        }
        // Droplets: mean of 2 v (0.1 + 0.75 u^1.6)/g.
        let mean = 2.0 * speed * (0.1 + 0.75 / 2.6) / 9.81;
        assert!((thrown.mean_flight_s() / mean - 1.0).abs() < 0.01);
    }
}

#[test]
fn droplets_of_a_splash_fly_as_long_as_the_table_says() {
    use tocco::process::splash::{SplashParams, Thrown};
    use tocco::process::water::{Birth, Sound};
    // Neither crown nor foam: what lands after the cavity of a body in no water are droplets, as loud as 0.1 of how high they flew.
    let params = SplashParams { gain: 1.0, ..SplashParams::default() };
    // The table's are means of a sample, and so are ours: 0.24 and 0.485 s; the mean of the law is known better.
    for (height, table) in [(0.5, 0.24), (2.0, 0.485)] {
        let thrown = Thrown::new(0.05, height, 0.0);
        let (mut sum, mut count) = (0.0, 0);
        for seed in 0..300 {
            let mut births: Vec<Birth> = Vec::new();
            thrown.fall(0.0, &params, &mut Rng::new(seed, "test"), |birth| births.push(birth));
            // The slap comes first, then 6 + 20 landings of the crown; whatever follows is a droplet, with its bubble or without.
            let droplets = births[27..].iter().filter(|birth| matches!(birth.sound, Sound::Hit(_)));
            droplets.for_each(|birth| (sum, count) = (sum + birth.at_s, count + 1));
        }
        // 46 each: the mean of 13 800 is known to 0.6 %.
        let mean = sum / f64::from(count);
        assert!(count > 10_000 && (mean / table - 1.0).abs() < 0.05, "{height} m: {mean} s of {count}");
        assert!((mean / thrown.mean_flight_s() - 1.0).abs() < 0.02, "{mean} {}", thrown.mean_flight_s());
    }
}

#[test]
fn a_flat_body_meets_more_water_and_sinks_as_its_weight_and_drag_let_it() {
    use tocco::process::splash::Thrown;
    // A slate of 0.3 kg and 2700 kg/m^3, 0.02 m^2, thrown flat into 0.4 m of water: C = 1.2.
    let slate = Thrown::new(0.3, 0.5, 0.4).of(0.02, 2700.0);
    assert!((slate.radius_m / (0.02_f64 / std::f64::consts::PI).sqrt() - 1.0).abs() < 1e-12);
    let (impulse, after_s) = slate.bottom(1.2);
    // m v' = m g (1 - rho/rho_b) - rho C A v^2/2, by small steps of time.
    let (mut v, mut x, mut t, dt) = (slate.speed_m_s, 0.0, 0.0, 1e-6);
    while x < 0.4 {
        v += dt * (9.81 * (1.0 - 998.0 / 2700.0) - 998.0 * 1.2 * 0.02 / (2.0 * 0.3) * v * v);
        x += dt * v;
        t += dt;
    }
    assert!((impulse / (0.3 * v) - 1.0).abs() < 2e-3, "{impulse} N s, {} N s", 0.3 * v);
    assert!((after_s / t - 1.0).abs() < 1e-2, "{after_s} s, {t} s");
    // A ball as heavy as water is what it was; one of stone is smaller, and what is lighter than water comes to rest before a deep bottom.
    let ball = Thrown::new(0.05, 0.5, 0.3);
    assert_eq!(ball.of(0.0, 998.0), ball);
    assert!((Thrown::new(0.05, 0.5, 0.3).of(0.0, 8.0 * 998.0).radius_m / ball.radius_m - 0.5).abs() < 1e-9);
    assert_eq!(Thrown::new(0.05, 0.5, 5.0).of(0.0, 300.0).bottom(0.5), (0.0, f64::INFINITY));
    // On a floor, by the scene: the momentum that is left, when it is said to come.
    let text = "[signal.s]\ntype = 'points'\npoints = [[0.0, 0.0], [0.01, 0.0], [0.011, 1.0]]\n[body.floor]\ntype = 'mass'\nmass_kg = 1.0\n\
                [process.p]\ndriven_by = 's'\ntype = 'splash'\non = 'floor'\nmass_kg = 0.3\nheight_m = 0.5\ndepth_m = 0.4\narea_m2 = 0.02\n\
                density_kg_m3 = 2700.0\ndrag = 1.2\n[[tap]]\nof = 'floor'";
    let (_, heard) = listen(&mut build(text, 48_000.0), &mut Queue::new(), 2.0, 512);
    let last = f64::from(heard[heard.len() - 1]);
    assert!((last / impulse - 1.0).abs() < 1e-3, "{last} {impulse}");
    let first = heard.iter().position(|v| *v != 0.0).unwrap() as f64 / 48_000.0;
    assert!((first - 0.0105 - after_s).abs() < 1.1e-3, "{first} s, not {}", 0.0105 + after_s);
}

#[test]
fn what_finds_no_room_is_counted_whether_it_was_triggered_or_not() {
    let text = "[signal.s]\ntype = 'input'\n[body.floor]\ntype = 'mass'\nmass_kg = 1.0\n[process.p]\ndriven_by = 's'\ntype = 'splash'\non = 'floor'\n\
                [[tap]]\nof = 'floor'";
    let mut engine = build(text, 16_000.0);
    let mut queue = Queue::new();
    // Eight bodies may be on their way to the bottom; one more, and its births still find room.
    for _ in 0..9 {
        push(&engine, &mut queue, 160, trigger("p", &[0.05, 0.01, 0.02]));
    }
    listen(&mut engine, &mut queue, 0.1, 512);
    assert_eq!((engine.health().refused, engine.health().capped), (0, 1));
    // A hundred large splashes at once are more than can wait.
    for _ in 0..100 {
        push(&engine, &mut queue, 3200, trigger("p", &[1.0, 2.0, 3.0]));
    }
    listen(&mut engine, &mut queue, 0.2, 512);
    assert!(engine.health().capped > 1000, "{}", engine.health().capped);
}

/// Everything that a process says about one trigger: (time, amplitude), and what is heard.
fn triggered(text: &str, values: &[f64], seconds: f64) -> (Vec<Happening>, Vec<f32>) {
    let text = format!(
        "[signal.s]\ntype = 'input'\n[process.p]\ndriven_by = 's'\n{text}\n[[tap]]\nof = 'p'\nquantity = 'sound'"
    );
    let mut engine = build(&text, 48_000.0);
    let mut queue = Queue::new();
    push(&engine, &mut queue, 480, trigger("p", values));
    let heard = listen(&mut engine, &mut queue, seconds, 512);
    assert_eq!((engine.health().refused, engine.health().capped), (0, 0), "{text}");
    heard
}

#[test]
fn a_drop_into_water_no_deeper_than_itself_only_lands_and_one_into_deep_water_rings() {
    let drip = "type = 'drip'\nrate_hz = 0.0\nspray = 0.0";
    let (shallow, _) = triggered(drip, &[0.004, 0.1, 0.003], 0.5);
    assert_eq!(shallow.len(), 1, "{shallow:?}");
    let (deep, sound) = triggered(drip, &[0.004, 0.1, 0.1], 0.5);
    assert!(deep.len() >= 2 && (deep[0].at_s - 0.01).abs() < 1e-9, "{deep:?}");
    // 4 mm from 0.1 m closes surely, after 22.2 ms give or take 6 % n.
    let bubble = deep.iter().find(|one| one.size == 0.2).expect("a bubble of full gain");
    assert!((bubble.at_s - 0.01 - 0.0222).abs() < 0.006, "{bubble:?}");
    assert!(sound.iter().any(|x| x.abs() > 0.1));
}

#[test]
fn no_bubble_of_a_drop_is_wider_than_the_water_is_deep() {
    use tocco::process::drip::Drop;
    use tocco::process::water::Sound;
    let mut rng = tocco::rng::Rng::new(3, "drops");
    for depth_m in [0.009, 0.02, 1.0] {
        let drop = Drop { diameter_m: 0.008, height_m: 0.4, depth_m };
        let mut lowest = f64::INFINITY;
        for _ in 0..400 {
            drop.fall(0.0, 0.55, 1.0, 1.0, &mut rng, |birth| {
                if let Sound::Tone(tone) = birth.sound {
                    lowest = lowest.min(tone.freq_hz);
                }
            });
        }
        // At most 0.4 of the depth, and by its own size 0.55 of the drop, e^(0.12 n).
        let (by_depth, by_size) = (3.0 / (0.4 * depth_m), 3.0 / (0.55 * 0.008));
        assert!(lowest >= by_depth * (1.0 - 1e-12), "{depth_m} m: {lowest} {by_depth}");
        if by_depth > by_size {
            assert!((lowest / by_depth - 1.0).abs() < 1e-9, "{depth_m} m: {lowest} {by_depth}");
        }
    }
}

#[test]
fn a_splash_has_three_parts_and_shallow_water_lacks_the_cavity() {
    let splash = "type = 'splash'\nspray = 0.0\ngain = 1.0";
    let (deep, _) = triggered(splash, &[0.05, 0.5, 1.0], 2.0);
    let (shallow, _) = triggered(splash, &[0.05, 0.5, 0.01], 2.0);
    let cavity = |all: &[Happening]| all.iter().any(|one| (one.at_s - 0.01 - 0.0869).abs() < 1e-4);
    assert!(cavity(&deep) && !cavity(&shallow), "the bubble behind it closes after 87 ms");
    let late = |all: &[Happening]| all.iter().filter(|one| one.at_s > 0.3).count();
    assert!(late(&deep) > 5 && late(&shallow) > 3, "droplets come down");
    assert!(deep.len() > shallow.len() + 30, "foam: {} {}", deep.len(), shallow.len());
}

#[test]
fn a_body_that_is_thrown_splashes_as_one_that_fell_until_it_was_as_fast() {
    // 2 m/s from 0.3 m, by the process's own keys, by a trigger, and let fall from 0.3 + 2^2/(2 g) m.
    let fallen = 0.3 + 4.0 / (2.0 * 9.81);
    let splash = |keys: &str| format!("type = 'splash'\ngain = 1.0\n{keys}");
    let (fell, falls) = triggered(&splash(""), &[0.15, fallen, 1.0], 1.0);
    let (thrown, sounds) = triggered(&splash(""), &[0.15, 0.3, 1.0, 0.0, 2.0], 1.0);
    assert!(fell.len() > 40 && fell.len() == thrown.len(), "{} {}", fell.len(), thrown.len());
    let off = falls.iter().zip(&sounds).fold(0.0_f32, |most, (a, b)| most.max((a - b).abs()));
    let loudest = falls.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
    assert!(off < 1e-4 * loudest, "{off} of {loudest}");
    let (slow, _) = triggered(&splash(""), &[0.15, 0.3, 1.0], 1.0);
    assert_ne!(slow, thrown, "it was only let go");
    // The momentum at the bottom of no water is all of it: m sqrt(v^2 + 2 g H).
    let text = "[signal.s]\ntype = 'points'\npoints = [[0.0, 0.0], [0.01, 0.0], [0.011, 1.0]]\n[body.floor]\ntype = 'mass'\nmass_kg = 1.0\n\
                [process.p]\ndriven_by = 's'\ntype = 'splash'\non = 'floor'\nmass_kg = 0.05\nheight_m = 0.3\nspeed_m_s = 2.0\ndepth_m = 0.0\n[[tap]]\nof = 'floor'";
    let (_, heard) = listen(&mut build(text, 48_000.0), &mut Queue::new(), 0.5, 512);
    let (last, wanted) = (f64::from(heard[heard.len() - 1]), 0.05 * (4.0f64 + 2.0 * 9.81 * 0.3).sqrt());
    assert!((last / wanted - 1.0).abs() < 1e-3, "{last} {wanted}");
}

#[test]
fn a_stone_in_a_puddle_hits_the_bottom_with_what_drag_leaves_of_its_momentum() {
    // A floor so heavy that it hardly rings: 1 kg of free mass takes the whole impulse.
    let text = "[signal.s]\ntype = 'input'\n[body.floor]\ntype = 'mass'\nmass_kg = 1.0\n[process.p]\ndriven_by = 's'\ntype = 'splash'\non = 'floor'\n\
                [[tap]]\nof = 'p'\nquantity = 'sound'\n[[tap]]\nof = 'floor'\nchannel = 1";
    let mut engine = build(text, 48_000.0);
    let mut queue = Queue::new();
    push(&engine, &mut queue, 480, trigger("p", &[0.05, 0.5, 0.02]));
    let (_, heard) = listen(&mut engine, &mut queue, 1.0, 512);
    // v e^(-3 C d/(8 R)), C = 0.5.
    let wanted = 0.05 * 3.1321 * (-3.0f64 * 0.5 * 0.02 / (8.0 * 22.868e-3)).exp();
    let last = f64::from(heard[heard.len() - 1]);
    assert!((last / wanted - 1.0).abs() < 1e-3, "{last} {wanted}");
    assert!((engine.energy() - engine.work()).abs() < 1e-9, "{} {}", engine.energy(), engine.work());
    assert!(heard.iter().step_by(2).any(|x| x.abs() > 0.05), "and it is heard");
}

#[test]
fn a_foot_makes_as_much_of_a_puddle_as_it_presses_and_nothing_where_there_is_no_water() {
    let step = |depth: f64, load: f64| {
        let text = format!(
            "[signal.s]\ntype = 'points'\npoints = [[0.0, 0.0], [0.15, {load:?}], [0.6, {load:?}], [0.7, 0.0]]\n[process.p]\ntype = 'puddle'\n\
             driven_by = 's'\ndepth_m = {depth:?}\nunload = 0.0\n[[tap]]\nof = 'p'\nquantity = 'sound'"
        );
        let mut count = 0;
        for seed in 0..6 {
            let mut def = SceneDef::from_text(&text).unwrap();
            def.seed = seed;
            let mut engine = Engine::new(Scene::build(&def, 48_000.0).unwrap());
            count += listen(&mut engine, &mut Queue::new(), 1.5, 512).0.len();
        }
        count as f64 / 6.0
    };
    // 60 slaps, 260 bubbles, 55 drops; five standard errors.
    let whole = step(0.02, 1.0);
    assert!((whole - 375.0).abs() < 5.0 * (375.0f64 / 6.0).sqrt(), "{whole}");
    let half = step(0.02, 0.5);
    assert!((half - 187.5).abs() < 5.0 * (187.5f64 / 6.0).sqrt(), "{half}");
    assert_eq!(step(0.0, 1.0), 0.0);
    let thin = step(0.002, 1.0);
    assert!(thin < 230.0 && thin > 100.0, "no bubbles above half the depth: {thin}");
}

#[test]
fn rain_on_a_body_hands_over_the_momentum_of_its_drops_and_is_booked() {
    let text = "[signal.s]\ntype = 'points'\npoints = [[0.0, 1.0]]\n[body.tray]\ntype = 'mass'\nmass_kg = 2.0\n[process.p]\ntype = 'rain'\ndriven_by = 's'\n\
                on = 'tray'\nrate_hz = 400.0\n[[tap]]\nof = 'tray'";
    let mut engine = build(text, 48_000.0);
    let (drops, heard) = listen(&mut engine, &mut Queue::new(), 2.0, 480);
    assert!((drops.len() as f64 - 800.0).abs() < 150.0, "{}", drops.len());
    let momentum: f64 = drops.iter().filter(|drop| drop.at_s < 1.99).map(|drop| drop.size).sum();
    let last = 2.0 * f64::from(heard[heard.len() - 1]);
    assert!(last > momentum && last < 1.02 * momentum, "{last} {momentum}");
    let gained = engine.energy() - engine.work();
    assert!(gained.abs() < 1e-9 * engine.work(), "{gained}");
    // A drop of 2 mm falls at 6.5 m/s (Gunn and Kinzer) and weighs 4.2 mg.
    let (falls, momentum) = (tocco::process::rain::falls_at(2e-3), tocco::process::rain::momentum_of(2e-3));
    assert!((momentum / (4.18e-6 * falls) - 1.0).abs() < 1e-3, "{momentum}");
    assert!((falls - 6.5).abs() < 0.1, "{falls}");
}

#[test]
fn what_cannot_be_water_or_ice_is_refused_in_one_line() {
    let signal =
        "[signal.s]\ntype = 'input'\n[body.a]\ntype = 'mass'\n[[tap]]\nof = 'a'\n[process.p]\ndriven_by = 's'\n";
    for (text, said) in [
        ("type = 'bubbles'\nsmallest_m = 0.0", "wants a number from 1.5e-4 m"),
        ("type = 'bubbles'\nlargest_m = 0.2", "to 0.15"),
        ("type = 'bubbles'\nsmallest_m = 0.01\nlargest_m = 0.005", "there is nothing between"),
        ("type = 'bubbles'\nvoices = 0", "whole number from 1 to 256"),
        ("type = 'bubbles'\nlaw = 'mine'", "van-den-doel"),
        ("type = 'patter'\non = 'a'", "it only sounds by itself"),
        ("type = 'rain'\non = 'a'\nsurface = 'ground'", "surface"),
        ("type = 'rain'\nnear_m = 20.0", "there is no rain between"),
        ("type = 'drip'\ndiameter_m = 0.0", "wants a number from 5e-4"),
        ("type = 'splash'\nmass_kg = 0.0", "wants a number from"),
        ("type = 'ice'\nthickness_m = 0.0", "0.001"),
        ("type = 'ice'\nsmallest_j = 1.0", "there is nothing between"),
        ("type = 'bed'\nlow_hz = 9000.0", "there is nothing between"),
        ("type = 'bed'\non = 'a'", "it only sounds by itself"),
    ] {
        let error = match SceneDef::from_text(&format!("{signal}{text}")) {
            Ok(def) => Scene::build(&def, 48_000.0).err().unwrap_or_else(|| panic!("{text} is refused")).to_string(),
            Err(error) => error.to_string(),
        };
        assert!(error.contains(said) && !error.contains('\n'), "{text}: {error}");
    }
}

#[test]
fn a_population_of_nobody_is_remarked_on_unless_something_raises_it() {
    let text = |kind: &str, more: &str| {
        format!(
            "[signal.s]\ntype = 'input'\n[process.p]\ntype = '{kind}'\ndriven_by = 's'\nrate_hz = 0.0\n{more}\n[[tap]]\nof = 'p'\nquantity = 'sound'\n"
        )
    };
    let said = |text: &str| SceneDef::from_text(text).unwrap().remarks();
    for kind in ["bubbles", "patter", "rain", "drip"] {
        let nobody = said(&text(kind, ""));
        assert_eq!(
            nobody,
            ["process p: rate_hz is 0 and nothing in the scene raises it: it sounds only as triggered"],
            "{kind}"
        );
        for raised in [
            "[[drive]]\npath = 'p/rate_hz'\nfrom = 's'",
            "[[control]]\nname = 'rate'\npath = 'p/rate_hz'\nrange = [0.0, 10.0]",
            "[[event]]\nat_s = 0.1\nset = 'p/rate_hz'\nvalue = 5.0",
            "[[event]]\nat_s = 0.1\ntrigger = 'p'",
        ] {
            assert!(said(&text(kind, raised)).is_empty(), "{kind}: {raised}");
        }
    }
}
