// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco walk`, `tocco analyse --steps` and `tocco shoes` as people run them.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

mod common;
use common::tocco;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tocco::gait::curve::WalkCurve;
use tocco::rng::Rng;

const FLOOR: &str = "[signal.press]\ntype = \"input\"\nmax = 10.0\nunit = \"BW\"\n[signal.press_toe]\ntype = \"input\"\nmax = 10.0\nunit = \"BW\"\n\
    [process.step]\ntype = \"footstep\"\ndriven_by = \"press\"\nbands = [{ freq_hz = 400.0, bandwidth_hz = 500.0 }, { freq_hz = 3000.0, bandwidth_hz = 2000.0, gain = 0.5 }]\n\
    envelope = [0.0, 1.0, 0.6, 0.3, 0.15, 0.05, 0.0]\ndeviation = [0.0, 0.3, 0.2, 0.1, 0.05, 0.0, 0.0]\nframe_s = 0.02\n\
    [[tap]]\nof = \"step\"\nquantity = \"sound\"\n";

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("floor.toml"), FLOOR).unwrap();
    dir
}

fn said(dir: &Path, arguments: &[&str]) -> (bool, String) {
    let out = tocco(dir, arguments);
    (out.status.success(), String::from_utf8_lossy(&out.stderr).into_owned() + &String::from_utf8_lossy(&out.stdout))
}

/// Samples of the first channel, and the rate.
fn sound(path: &Path) -> (Vec<f64>, f64) {
    let mut wav = hound::WavReader::open(path).unwrap();
    let spec = wav.spec();
    let channels = usize::from(spec.channels);
    let samples: Vec<f64> = match spec.sample_format {
        hound::SampleFormat::Float => wav.samples::<f32>().map(|x| f64::from(x.unwrap())).collect(),
        hound::SampleFormat::Int => {
            let full = 2_f64.powi(i32::from(spec.bits_per_sample) - 1);
            wav.samples::<i32>().map(|x| f64::from(x.unwrap()) / full).collect()
        }
    };
    (samples.into_iter().step_by(channels).collect(), f64::from(spec.sample_rate))
}

/// Times at which silence of 0.1 s ends.
fn bursts(samples: &[f64], rate_hz: f64) -> Vec<f64> {
    let mut all = Vec::new();
    let mut quiet = rate_hz as usize;
    for (n, x) in samples.iter().enumerate() {
        if x.abs() > 1e-4 {
            if quiet as f64 > 0.1 * rate_hz {
                all.push(n as f64 / rate_hz);
            }
            quiet = 0;
        } else {
            quiet += 1;
        }
    }
    all
}

#[test]
fn a_walk_has_as_many_steps_as_asked_for_and_the_same_command_gives_the_same_bytes() {
    let dir = folder();
    let typed = [
        "walk",
        "floor.toml",
        "--speed",
        "1.3",
        "--sole",
        "boot",
        "--steps",
        "8",
        "-o",
        "walk.wav",
        "--picture",
        "walk.png",
        "--save",
        "walk.toml",
    ];
    let (good, text) = said(dir.path(), &typed);
    assert!(good && text.contains("8 steps"), "{text}");
    let (samples, rate_hz) = sound(&dir.path().join("walk.wav"));
    let steps = bursts(&samples, rate_hz);
    assert!((8..=10).contains(&steps.len()), "eight, the step off, and the foot set beside the last: {steps:?}");
    let apart: Vec<f64> = steps.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(apart[1..6].iter().all(|s| (s * 1.8243 - 1.0).abs() < 0.12), "{apart:?}");
    let png = std::fs::read(dir.path().join("walk.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG") && png.len() > 10_000);
    // Without a name the picture is called as the sound.
    let unnamed = ["walk", "floor.toml", "--steps", "8", "--sole", "boot", "-o", "other.wav", "--picture"];
    let (good, text) = said(dir.path(), &unnamed);
    assert!(good && std::fs::read(dir.path().join("other.png")).unwrap() == png, "{text}");
    let first = std::fs::read(dir.path().join("walk.wav")).unwrap();
    assert!(said(dir.path(), &typed).0 && std::fs::read(dir.path().join("walk.wav")).unwrap() == first);
    // The scene that it saved makes the same sound.
    assert!(said(dir.path(), &["render", "walk.toml", "-o", "again.wav"]).0);
    assert_eq!(sound(&dir.path().join("again.wav")).0, samples);
}

#[test]
fn a_floor_that_hears_every_region_by_itself_is_walked_as_any_other() {
    let dir = folder();
    let (well, words) = said(dir.path(), &["walk", "concrete-as-wood", "--steps", "3", "-o", "walk.wav"]);
    assert!(well, "{words}");
    let (samples, _) = sound(&dir.path().join("walk.wav"));
    assert!(samples.iter().any(|x| x.abs() > 0.01));
}

#[test]
fn a_plate_walks_and_a_bad_one_is_answered_in_one_line_with_nothing_written() {
    let dir = folder();
    let curve = WalkCurve::at_speed(1.3);
    let mut text = String::from("time_s,left_N,right_N\n");
    for k in 0..3000 {
        let foot = |late: i32| {
            let t = (k - late).rem_euclid(1100);
            if k >= late && t < 650 { 686.7 * curve.force(f64::from(t) / 650.0) } else { 0.0 }
        };
        text += &format!("{},{},{}\n", f64::from(k) * 1e-3, foot(100), foot(650));
    }
    std::fs::write(dir.path().join("plate.csv"), &text).unwrap();
    let (good, words) = said(dir.path(), &["walk", "floor.toml", "--grf", "plate.csv", "-o", "lab.wav"]);
    assert!(good && words.contains("6 steps"), "{words}");
    let (samples, rate_hz) = sound(&dir.path().join("lab.wav"));
    let found = bursts(&samples, rate_hz);
    assert_eq!(found.len(), 6, "{found:?}");
    // 0.1 s of silence is put before.
    for (found, wanted) in found.iter().zip([0.2, 0.75, 1.3, 1.85, 2.4, 2.95]) {
        assert!((found - wanted).abs() < 0.02, "{found} {wanted}");
    }
    for (bad, wanted) in [
        (text.replace("left_N", "left"), "has no unit"),
        (text.replace("_N", "_BW"), "is the unit right"),
        (text.replace("0.5,", "x,"), "is not a number"),
        (text.replace("\n0.5,", "\n0.4,"), "time must rise"),
        (
            text.lines()
                .enumerate()
                .filter(|(k, _)| !(500..620).contains(k))
                .map(|(_, line)| format!("{line}\n"))
                .collect(),
            "a gap of 0.12",
        ),
        (text.replacen("_N", "_lbf", 1), "unit 'lbf' is not known"),
    ] {
        std::fs::write(dir.path().join("bad.csv"), bad).unwrap();
        let (good, words) = said(dir.path(), &["walk", "floor.toml", "--grf", "bad.csv", "-o", "bad.wav"]);
        assert!(!good && words.contains(wanted) && words.trim().lines().count() == 1, "{words}");
        assert!(!dir.path().join("bad.wav").exists());
    }
    for (typed, wanted) in [
        (["--speed", "-1"], "--speed -1"),
        (["--sole", "boots"], "boot"),
        (["--mass", "0"], "--mass 0"),
        (["--steps", "0"], "--steps 0"),
    ] {
        let (good, words) = said(dir.path(), &[&["walk", "floor.toml", "-o", "bad.wav"][..], &typed[..]].concat());
        assert!(!good && words.contains(wanted) && words.trim().lines().count() == 1, "{words}");
    }
}

#[test]
fn a_recording_of_steps_becomes_a_floor_and_walks_on_another() {
    let dir = folder();
    let spec = hound::WavSpec {
        channels: 1,
        sample_rate: 44_100,
        bits_per_sample: 16,
        sample_format: hound::SampleFormat::Int,
    };
    let mut wav = hound::WavWriter::create(dir.path().join("steps.wav"), spec).unwrap();
    let mut rng = Rng::new(7, "steps");
    let mut low = 0.0;
    for n in 0..4 * 44_100 {
        let t = f64::from(n) / 44_100.0;
        let since = (t - 0.2).rem_euclid(0.6);
        let level = if t > 0.2 { (-since / 0.05).exp() } else { 0.0 };
        low += 0.3 * (rng.normal() - low);
        wav.write_sample((8000.0 * (level * low + 1e-4 * rng.normal())) as i16).unwrap();
    }
    wav.finalize().unwrap();
    let (good, words) =
        said(dir.path(), &["analyse", "--steps", "steps.wav", "-o", "made.toml", "--picture", "made.png"]);
    assert!(good && words.contains("7 steps in 1 recordings") && words.contains("tocco walk made.toml"), "{words}");
    assert!(dir.path().join("made.png").is_file());
    let (good, words) = said(dir.path(), &["walk", "made.toml", "--steps", "4", "-o", "made.wav"]);
    assert!(good, "{words}");
    assert!(bursts(&sound(&dir.path().join("made.wav")).0, 48_000.0).len() >= 4);
    let (good, words) = said(dir.path(), &["walk", "floor.toml", "--audio", "steps.wav", "-o", "again.wav"]);
    assert!(good && words.contains("7 steps"), "{words}");
    let (samples, rate_hz) = sound(&dir.path().join("again.wav"));
    assert_eq!(bursts(&samples, rate_hz).len(), 7);
    // Silence holds no step.
    let mut wav = hound::WavWriter::create(dir.path().join("hiss.wav"), spec).unwrap();
    (0..88_200).for_each(|_| wav.write_sample((900.0 * rng.normal()) as i16).unwrap());
    wav.finalize().unwrap();
    for typed in [
        &["analyse", "--steps", "hiss.wav", "-o", "x.toml"][..],
        &["walk", "floor.toml", "--audio", "hiss.wav", "-o", "x.wav"],
    ] {
        let (good, words) = said(dir.path(), typed);
        assert!(!good && words.contains("no step found") && words.trim().lines().count() == 1, "{words}");
    }
}

/// A pseudo terminal: the end that shoes write to, and the name of the port.
#[cfg(target_os = "linux")]
fn pseudo_terminal() -> (std::fs::File, String) {
    use std::os::fd::FromRawFd as _;
    // SAFETY: plain calls; the descriptor is owned by the file from here on.
    unsafe {
        let fd = libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY);
        assert!(fd >= 0 && libc::grantpt(fd) == 0 && libc::unlockpt(fd) == 0);
        let mut name = [0; 128];
        assert_eq!(libc::ptsname_r(fd, name.as_mut_ptr(), name.len()), 0);
        let name = std::ffi::CStr::from_ptr(name.as_ptr()).to_string_lossy().into_owned();
        (std::fs::File::from_raw_fd(fd), name)
    }
}

#[cfg(target_os = "linux")]
#[test]
fn shoes_on_a_port_sound_are_calibrated_and_a_sensor_that_sticks_is_said() {
    let dir = folder();
    let (mut shoes, port) = pseudo_terminal();
    let program = Command::new(env!("CARGO_BIN_EXE_tocco"))
        .args([
            "shoes",
            "floor.toml",
            "--port",
            &port,
            "--device",
            "null",
            "--calibrate",
            "4",
            "--duration",
            "7",
            "--wav",
            "shoes.wav",
        ])
        .current_dir(dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(500));
    let (began, curve, mut rng) = (Instant::now(), WalkCurve::at_speed(1.3), Rng::new(1, "shoes"));
    writeln!(shoes, "# shoes of size 42").unwrap();
    writeln!(shoes, "12 what 3").unwrap();
    while began.elapsed() < Duration::from_millis(6300) {
        let at_s = began.elapsed().as_secs_f64();
        // After 5 s the left heel sticks.
        let reading = |late: f64, toe: bool| {
            let t = (at_s - late).rem_euclid(1.1);
            let s = t / 0.65;
            let force = if at_s > late && s < 1.0 { curve.force(s) } else { 0.0 };
            let heel = curve.heel_share(s.min(1.0));
            20.0 + 300.0 * force * if toe { 1.0 - heel } else { heel }
        };
        let mut row = [reading(0.0, false), reading(0.0, true), reading(0.55, false), reading(0.55, true)]
            .map(|x| x + rng.unit());
        if at_s > 5.0 {
            row[0] = 300.0;
        }
        let line = row.map(|x| format!("{x:.1}")).join(" ");
        writeln!(shoes, "{line}").unwrap();
        std::thread::sleep(Duration::from_millis(4));
    }
    let out = program.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&out.stderr).into_owned() + &String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success(), "{words}");
    for wanted in [
        "shoes of size 42",
        "'12 what 3' is not a reading",
        "one body weight is",
        "sensor heel_left sticks; the foot is lifted",
    ] {
        assert!(words.contains(wanted), "{wanted}: {words}");
    }
    let weight: f64 = words.split("one body weight is ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((weight / 300.0 - 1.0).abs() < 0.15, "{weight}");
    let (samples, rate_hz) = sound(&dir.path().join("shoes.wav"));
    // Guesses of the weight from the first second on; the left heel is lost near the end.
    assert!(bursts(&samples, rate_hz).len() >= 4, "{:?}", bursts(&samples, rate_hz));
}

#[cfg(target_os = "linux")]
#[test]
fn a_sensor_that_drops_out_under_load_lifts_its_foot_after_half_a_second_and_it_is_said() {
    let dir = folder();
    let (mut shoes, port) = pseudo_terminal();
    let typed = ["shoes", "floor.toml", "--port", &port, "--device", "null", "--duration", "4", "--wav", "silent.wav"];
    let program = Command::new(env!("CARGO_BIN_EXE_tocco"))
        .args(typed)
        .current_dir(dir.path())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(500));
    // Somebody stands on the left heel for a second, in body weights; then the cable is pulled.
    let (began, mut rng) = (Instant::now(), Rng::new(1, "stands"));
    while began.elapsed() < Duration::from_millis(1000) {
        writeln!(shoes, "{:.4} 0 0 0", 0.8 + 0.01 * rng.unit()).unwrap();
        std::thread::sleep(Duration::from_millis(4));
    }
    let out = program.wait_with_output().unwrap();
    let words = String::from_utf8_lossy(&out.stderr).into_owned() + &String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && words.contains("sensor heel_left says nothing; the foot is lifted"), "{words}");
    // Nothing is lost: what sounded is in the file.
    assert!(!bursts(&sound(&dir.path().join("silent.wav")).0, 48_000.0).is_empty());
    drop(shoes);
}

#[test]
fn a_port_that_is_not_there_is_answered_in_one_line() {
    let dir = folder();
    for (port, wanted) in [("/dev/none-such", "no such port"), ("floor.toml", "not a serial port")] {
        let (good, words) =
            said(dir.path(), &["shoes", "floor.toml", "--port", port, "--device", "null", "--duration", "1"]);
        assert!(!good && words.contains(wanted), "{words}");
    }
    let (good, words) = said(dir.path(), &["shoes", "floor.toml", "--port", "/dev/none-such", "--zero", "1,2,3"]);
    assert!(!good && words.contains("--zero 1,2,3: give four numbers"), "{words}");
}

/// Runs `tocco shoes` with OSC on a free port, sends it messages and says what it printed.
fn shoes_by_osc(dir: &Path, more: &[&str], send: impl FnOnce(&dyn Fn(&str, &[f32]))) -> String {
    use std::io::{BufRead as _, BufReader, Read as _};
    let mut program = Command::new(env!("CARGO_BIN_EXE_tocco"))
        .args(["shoes", "floor.toml", "--osc", "0", "--device", "null", "--duration", "4"])
        .args(more)
        .current_dir(dir)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap());
    let mut words = String::new();
    let address = loop {
        let mut line = String::new();
        assert!(lines.read_line(&mut line).unwrap() > 0, "{words}");
        words += &line;
        if let Some((_, address)) = line.split_once("shoes by OSC on ") {
            break address.trim().to_owned();
        }
    };
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    send(&|to: &str, numbers: &[f32]| {
        let args = numbers.iter().map(|x| rosc::OscType::Float(*x)).collect();
        let packet = rosc::OscPacket::Message(rosc::OscMessage { addr: to.into(), args });
        socket.send_to(&rosc::encoder::encode(&packet).unwrap(), &address).unwrap();
    });
    lines.read_to_string(&mut words).unwrap();
    program.stderr.take().unwrap().read_to_string(&mut words).unwrap();
    assert!(program.wait().unwrap().success(), "{words}");
    words
}

#[test]
fn feet_by_number_place_and_force_walk_for_two_people_and_take_no_scale() {
    let dir = folder();
    let step = |send: &dyn Fn(&str, &[f32]), foot: f32, x: f32| {
        // 0.3 s on 70 kg: 1.1 body weights.
        for k in 0..30 {
            let force = 755.0 * (std::f32::consts::PI * k as f32 / 30.0).sin();
            send("/foot", &[foot, x, 0.5, force]);
            std::thread::sleep(Duration::from_millis(10));
        }
        send("/foot", &[foot, x, 0.5, 0.0]);
        std::thread::sleep(Duration::from_millis(400));
    };
    let typed = ["--people", "2", "--wav", "two.wav", "--record", "two.jsonl"];
    let words = shoes_by_osc(dir.path(), &typed, |send| {
        step(send, 0.0, 1.0);
        step(send, 3.0, 2.0);
        send("/foot", &[4.0, 0.0, 0.0, 700.0]);
    });
    assert!(words.contains("/foot 4: 2 people have feet 0 to 3; give --people"), "{words}");
    assert!(words.matches("latency: ").count() == 2 && words.contains("reading to block"), "{words}");
    let take = std::fs::read_to_string(dir.path().join("two.jsonl")).unwrap();
    for path in ["walker/heel_left", "walker/x_left", "walker-2/heel_right", "walker-2/toe_right", "walker-2/x_right"] {
        assert!(take.contains(path), "{path} is not in the take");
    }
    assert!(!take.contains("walker-2/x_left"), "a foot that nobody moved");
    let (samples, rate_hz) = sound(&dir.path().join("two.wav"));
    assert_eq!(bursts(&samples, rate_hz).len(), 2, "{:?}", bursts(&samples, rate_hz));
    // A scale is for readings of sensors.
    for scale in [["--weight", "300"], ["--zero", "1,2,3,4"], ["--calibrate", "1"]] {
        let words =
            shoes_by_osc(dir.path(), &[&scale[..], &["--wav", "none.wav"]].concat(), |send| step(send, 0.0, 1.0));
        assert!(words.contains("/foot gives N, and needs no scale"), "{words}");
        assert!(bursts(&sound(&dir.path().join("none.wav")).0, 48_000.0).is_empty());
    }
    let (good, words) = said(dir.path(), &["shoes", "floor.toml", "--osc", "0", "--speakers", "3.1"]);
    assert!(!good && words.contains("--speakers 3.1: give 2.1, one woofer, or 2.2"), "{words}");
}

#[test]
fn a_foot_by_number_that_sticks_or_falls_silent_is_lifted_after_half_a_second_and_it_is_said() {
    let dir = folder();
    let words = shoes_by_osc(dir.path(), &["--record", "feet.jsonl"], |send| {
        // The left one says exactly the same for a second and a half; the right one, which trembles as feet do, has had enough after 0.3 s.
        for k in 0..150 {
            send("/foot", &[0.0, 1.0, 0.5, 700.0]);
            if k < 30 {
                send("/foot", &[1.0, 1.0, 0.5, 600.0 + (k % 3) as f32]);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        // It moves again, and is believed.
        for k in 0..20 {
            send("/foot", &[0.0, 1.0, 0.5, 650.0 + (k % 3) as f32]);
            std::thread::sleep(Duration::from_millis(10));
        }
        send("/foot", &[0.0, 1.0, 0.5, 0.0]);
    });
    for wanted in ["foot 0 sticks; it is lifted", "foot 1 says nothing; it is lifted"] {
        assert_eq!(words.matches(wanted).count(), 1, "{wanted}: {words}");
    }
    let take = std::fs::read_to_string(dir.path().join("feet.jsonl")).unwrap();
    // Heel and toe of the left foot together: it stands, is lifted, stands again, and is lifted.
    let (mut parts, mut stood) = ([0.0; 2], Vec::new());
    for row in take.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()) {
        let part = ["walker/heel_left", "walker/toe_left"].iter().position(|path| row["set"] == *path);
        if let (Some(part), Some(value)) = (part, row["value"].as_f64()) {
            parts[part] = value;
            stood.push(parts[0] + parts[1] > 0.3);
        }
    }
    stood.dedup();
    assert_eq!(stood.strip_prefix(&[false]).unwrap_or(&stood), [true, false, true, false]);
}
