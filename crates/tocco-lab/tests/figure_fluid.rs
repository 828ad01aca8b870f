// SPDX-License-Identifier: MIT OR Apache-2.0
//! Draws the figure of docs/models/fluid.md, and what `tocco fluid` writes.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::fs;
use std::path::{Path, PathBuf};
use tocco::fluid::watch::{Frame, Motion};
use tocco_lab::fluid::{Course, Task, run};
use tocco_lab::plot::{Figure, Look, Panel, Series};
use tocco_testing::pictures::assert_shipped;

fn panel(course: &Course, frame: &Frame) -> Panel {
    let [xs, ys] = course.tank.places();
    let of = |wanted: Motion| -> Vec<(f64, f64)> {
        let all = xs.iter().zip(ys).zip(&frame.motion);
        all.filter(|(_, motion)| **motion == wanted).map(|((x, y), _)| (*x, *y)).collect()
    };
    let title = format!("{:.2} s", frame.start_s + frame.length_s);
    let mut panel = Panel::new(&title, "m", "m")
        .with(Series::new("rests", 2, Look::Dots, of(Motion::Resting)))
        .with(Series::new("falls", 3, Look::Dots, of(Motion::Falling)))
        .with(Series::new("collides", 4, Look::Dots, of(Motion::Colliding)));
    (panel.x_range, panel.y_range) = (Some((0.0, 0.6)), Some((0.0, 0.9)));
    panel
}

#[test]
fn a_block_of_water_in_three_moments() {
    let mut course = Course::new(&Task::new("drop", Path::new(""))).unwrap();
    let mut panels = Vec::new();
    for k in 1..=150 {
        let (frame, _) = course.frame();
        if [21, 30, 150].contains(&k) {
            panels.push(panel(&course, &frame));
        }
        // The page: it has touched, it fills up, it rests.
        assert!(k != 21 || frame.collisions > 100);
        assert!(k != 150 || frame.motion.iter().filter(|m| **m == Motion::Resting).count() > 1000);
    }
    let bytes = Figure { title: "A block of water falls into an empty tank".into(), panels }.png().unwrap();
    let docs = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/models");
    assert_shipped(&bytes, &docs.join("fluid.png"));
}

#[test]
fn water_becomes_sound_tables_pictures_and_a_scene_that_sounds_the_same() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    let task = Task {
        events: Some(at("drop.csv")),
        picture: Some(at("drop.png")),
        frames: Some(at("frames")),
        scene: Some(at("drop.toml")),
        across: 8,
        seconds: 0.6,
        ..Task::new("drop", &at("drop.wav"))
    };
    let said = run(&task).unwrap();
    assert!(said.contains("128 particles") && said.contains("first 0.3"), "{said}");
    // A row for each sound, in order; impacts first.
    let table = fs::read_to_string(at("drop.csv")).unwrap();
    let mut rows = table.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let head = rows.next().unwrap();
    assert!(head[..2] == ["time_s", "kind"] && head.len() == 11);
    let rows: Vec<(f64, String)> = rows.map(|row| (row[0].parse().unwrap(), row[1].into())).collect();
    assert!(rows.len() > 20 && rows.windows(2).all(|two| two[0].0 <= two[1].0));
    let first_bubble = rows.iter().position(|(_, kind)| kind == "bubble").unwrap();
    assert!(rows[..first_bubble].len() > 5 && rows[first_bubble].0 > rows[0].0 + 0.03);
    // The animated picture has a frame for each of the 36, and so has the folder.
    let decoder = png::Decoder::new(std::io::BufReader::new(fs::File::open(at("drop.png")).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    assert_eq!(reader.info().animation_control().unwrap().num_frames, 36);
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    // The paper's three colours are in it: blue rests, green falls, pink collides.
    let palette = reader.info().palette.clone().unwrap().into_owned();
    let number = |colour: [u8; 3]| palette.chunks(3).position(|own| own == colour).unwrap() as u8;
    let colours = [[38, 98, 196], [46, 160, 80], [232, 82, 160]].map(number);
    let mut shown = [0; 3];
    for _ in 0..36 {
        let frame = reader.next_frame(&mut pixels).unwrap();
        for (count, colour) in shown.iter_mut().zip(colours) {
            *count += pixels[..frame.buffer_size()].iter().filter(|pixel| **pixel == colour).count();
        }
    }
    assert!(shown.iter().all(|count| *count > 50), "{shown:?} pixels");
    assert_eq!(fs::read_dir(at("frames")).unwrap().count(), 36);
    // The scene is the sound.
    let again = at("again.wav");
    let plan = tocco_lab::render::Plan::new(tocco_lab::library::load(at("drop.toml").to_str().unwrap()).unwrap());
    let target = tocco_lab::render::Target::File(again.clone());
    tocco_lab::render::to_wav(&plan, &target, &Default::default(), false).unwrap();
    let samples = |path: &Path| -> Vec<i32> {
        hound::WavReader::open(path).unwrap().samples::<i32>().map(Result::unwrap).collect()
    };
    let (one, two) = (samples(&at("drop.wav")), samples(&again));
    assert!(one == two && one.iter().any(|x| x.abs() > 100_000));
    // Nothing sounds before the frame in which it touches, the 18th, on a grid of 1 ms.
    let before = (0.283 * 48_000.0) as usize;
    assert!(one[..before].iter().all(|x| *x == 0));
    // The same water twice is the same file; JSON holds as many sounds.
    let json = Task { events: Some(at("drop.json")), picture: None, frames: None, scene: None, ..task };
    run(&json).unwrap();
    let told: serde_json::Value = serde_json::from_str(&fs::read_to_string(at("drop.json")).unwrap()).unwrap();
    assert_eq!(told["sounds"].as_array().unwrap().len(), rows.len());
    assert_eq!(told["frames"].as_array().unwrap().len(), 36);
    assert_eq!(samples(&at("drop.wav")), one);
}

#[test]
fn wrong_orders_for_water_are_refused_in_one_line() {
    let task = |change: fn(&mut Task)| {
        let mut task = Task::new("drop", Path::new("x.wav"));
        change(&mut task);
        let said = run(&task).unwrap_err().to_string();
        assert!(!said.contains('\n') && !Path::new("x.wav").exists(), "{said}");
        said
    };
    assert!(task(|t| t.setup = "dan".into()).contains("did you mean 'dam'?"));
    assert!(task(|t| t.across = 2).contains("--across 2"));
    assert!(task(|t| t.frames_hz = 50).contains("50 frames a second; give 10"));
    assert!(task(|t| t.seconds = f64::NAN).contains("--duration NaN"));
    assert!(task(|t| t.output = "x.mp3".into()).contains("ends in .wav"));
    assert!(task(|t| t.events = Some("x.txt".into())).contains("--events x.txt"));
    assert!(task(|t| t.tilt_deg = 90.0).contains("--tilt 90"));
    assert!(task(|t| t.level_min_m = -1.0).contains("--bubbles-above -1"));
}
