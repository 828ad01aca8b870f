// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco fluid`: water in a tank becomes events, sound and pictures.
//!
//! The water is computed first, frame by frame ([`tocco::fluid`]); what is heard of it becomes a scene with a trigger for every sound, which
//! is rendered like any other. So the sound can be had again, changed and played from its scene file.

use crate::atomic_file::{self, AtomicFile};
use crate::console::ProgressBar;
use crate::error::{Error, Result, bad};
use crate::render::{self, Manner, Plan, Target};
use serde_json::json;
use std::fmt::Write as _;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use tocco::Document;
use tocco::fluid::sound::{Kind, Rules, Sound};
use tocco::fluid::watch::{Frame, Motion, Watcher};
use tocco::fluid::{Block, GRAVITY_M_S2, MOST_PARTICLES, Tank, TankDef};

/// Set-ups by name, and what each is.
pub const SETUPS: [(&str, &str); 3] = [
    ("drop", "a block of water falls into an empty tank (De Sena 2009, figure 4.1)"),
    ("dam", "a column of water is let go at one side of the tank"),
    ("pour", "water is poured into an empty tank for as long as it lasts, less a second"),
];

/// The longest that is computed, s.
const LONGEST_S: f64 = 600.0;
/// What still rings when the water is no longer looked at, s.
const TAIL_S: f64 = 0.6;
/// Least width or height of a picture, pixels.
const PICTURE: f64 = 480.0;
/// Background, wall, and the colours of De Sena et al. 2009, figure 4.1: blue rests, green falls, pink collides.
const COLOURS: [[u8; 3]; 5] = [[255, 255, 255], [120, 120, 120], [38, 98, 196], [46, 160, 80], [232, 82, 160]];
/// Pitch of a splash's noise times radius, m/s, and its time to 1/e at a radius of 3 mm, s: 4 ms at 1 cm.
pub(crate) const SPLASH: [f64; 2] = [16.0, 2.19e-3];

/// What to compute and to write.
#[derive(Clone, Debug)]
pub struct Task {
    /// A name of [`SETUPS`].
    pub setup: String,
    /// WAV file.
    pub output: PathBuf,
    /// Table of sounds, `.csv` or `.json`.
    pub events: Option<PathBuf>,
    /// Animated PNG.
    pub picture: Option<PathBuf>,
    /// Folder for a PNG for each frame.
    pub frames: Option<PathBuf>,
    /// Scene file with a trigger for each sound.
    pub scene: Option<PathBuf>,
    /// Particles across the block or column.
    pub across: u32,
    /// Pictures a second.
    pub frames_hz: u32,
    /// How long, s.
    pub seconds: f64,
    /// Of what is random.
    pub seed: u64,
    /// Level above which there are bubbles, m.
    pub level_min_m: f64,
    /// How far the tank is tilted to the right, degrees.
    pub tilt_deg: f64,
    /// Level of the bed of collisions too many to tell apart, over that of hits and bubbles; 0: none.
    pub bed: f64,
}

impl Task {
    /// The paper's own: 1152 particles, 60 frames a second.
    pub fn new(setup: &str, output: &Path) -> Self {
        Self {
            setup: setup.into(),
            output: output.into(),
            events: None,
            picture: None,
            frames: None,
            scene: None,
            across: 24,
            frames_hz: 60,
            seconds: 2.5,
            seed: 1,
            level_min_m: 0.05,
            tilt_deg: 0.0,
            bed: 1.0,
        }
    }

    fn check(&self) -> Result<()> {
        let known = SETUPS.iter().map(|(name, _)| *name);
        if !known.clone().any(|name| name == self.setup) {
            let all = known.clone().collect::<Vec<_>>().join(", ");
            let near = tocco::scene::error::nearest(&self.setup, known);
            return bad(format!("no set-up '{}'{near}; there are {all}", self.setup));
        }
        if !(4..=45).contains(&self.across) {
            return bad(format!("--across {}: give 4 to 45 particles; a block has 2 N x N of them", self.across));
        }
        if !(self.seconds > 0.0 && self.seconds <= LONGEST_S) {
            return bad(format!("--duration {}: give seconds above 0, at most {LONGEST_S}", self.seconds));
        }
        if !(self.level_min_m >= 0.0 && self.level_min_m <= 10.0) {
            return bad(format!("--bubbles-above {}: give a level from 0 to 10 m", self.level_min_m));
        }
        if !(-60.0..=60.0).contains(&self.tilt_deg) {
            return bad(format!("--tilt {}: give degrees from -60 to 60", self.tilt_deg));
        }
        if !(0.0..=100.0).contains(&self.bed) {
            return bad(format!("--bed {}: give a level from 0 to 100", self.bed));
        }
        let ends =
            |path: &Path, all: &[&str]| path.extension().is_some_and(|end| all.iter().any(|other| end == *other));
        for (option, path, all) in [
            ("-o", Some(&self.output), &["wav"][..]),
            ("--events", self.events.as_ref(), &["csv", "json"]),
            ("--picture", self.picture.as_ref(), &["png"]),
            ("--scene", self.scene.as_ref(), &["toml"]),
        ] {
            if let Some(path) = path.filter(|path| !ends(path, all)) {
                return bad(format!("{option} {}: name a file that ends in .{}", path.display(), all.join(" or .")));
            }
        }
        Ok(())
    }
}

/// Water, a frame at a time.
pub struct Course {
    /// The tank.
    pub tank: Tank,
    watcher: Watcher,
    rules: Rules,
    poured_until_s: f64,
}

impl Course {
    /// A set-up at its start.
    pub fn new(task: &Task) -> Result<Self> {
        let wrong = Error::BadInput;
        let spacing_m = 0.2 / f64::from(task.across);
        let (width_m, height_m, block) = match task.setup.as_str() {
            "dam" => (0.8, 0.6, Some(Block { x_m: 0.0, y_m: 0.0, width_m: 0.2, height_m: 0.4 })),
            "pour" => (0.3, 0.6, None),
            _ => (0.6, 1.2, Some(Block { x_m: 0.2, y_m: 0.44, width_m: 0.2, height_m: 0.4 })),
        };
        let mut tank = Tank::new(TankDef { width_m, height_m, spacing_m }).map_err(wrong)?;
        if let Some(block) = block {
            tank.fill(block);
        }
        let angle = task.tilt_deg.to_radians();
        // An upright tank has exactly the gravity of one.
        if task.tilt_deg != 0.0 {
            tank.tilt([GRAVITY_M_S2 * tocco::math::sin(angle), -GRAVITY_M_S2 * tocco::math::cos(angle)]);
        }
        let watcher = Watcher::new(task.frames_hz).map_err(|what| Error::BadInput(format!("--fps: {what}")))?;
        let mut rules = Rules::new(task.seed);
        rules.level_min_m = task.level_min_m;
        let poured_until_s = if task.setup == "pour" { (task.seconds - 1.0).max(0.5 * task.seconds) } else { 0.0 };
        Ok(Self { tank, watcher, rules, poured_until_s })
    }

    /// The next frame, and what is heard of it.
    pub fn frame(&mut self) -> (Frame, Vec<Sound>) {
        let tank = &mut self.tank;
        if tank.time_s() < self.poured_until_s && tank.len() < MOST_PARTICLES {
            let TankDef { width_m, height_m, spacing_m } = *tank.def();
            tank.pour([0.5 * width_m, height_m - 2.0 * spacing_m], 0.03, [0.0, -1.0]);
        }
        let frame = self.watcher.frame(tank).clone();
        let sounds = self.rules.sounds(&frame, tank.def().spacing_m, tank.places());
        (frame, sounds)
    }
}

/// Bands of the bed, Hz, each with its share of the amplitude.
const BED: [[f64; 3]; 2] = [[300.0, 2600.0, 0.970], [2500.0, 7000.0, 0.243]];
/// Most points of the bed's signal.
const MOST_POINTS: usize = 4000;

/// What is too dense to be heard one by one: how loud it is over time, the root of the collisions over their most, and at 1, Pa.
pub struct Crowd {
    points: Vec<[f64; 2]>,
    gain_pa: f64,
}

impl Crowd {
    /// Of the collisions of frames, each from a time, s, of so many a second; `bed` times as loud as the sounds.
    pub fn new(bed: f64, frames_hz: f64, frames: &[(f64, usize)], sounds: &[Sound]) -> Option<Self> {
        let group = frames.len().div_ceil(MOST_POINTS).max(1);
        let mean = |part: &[(f64, usize)]| part.iter().map(|frame| frame.1 as f64).sum::<f64>() / part.len() as f64;
        let counts: Vec<(f64, f64)> = frames.chunks(group).map(|part| (part[0].0, mean(part))).collect();
        let peak = counts.iter().map(|frame| frame.1).fold(0.0, f64::max);
        if bed == 0.0 || peak == 0.0 {
            return None;
        }
        let length_s = group as f64 / frames_hz;
        let points = counts.iter().map(|(start_s, count)| [start_s + length_s, (count / peak).sqrt()]).collect();
        let area_s: f64 = counts.iter().map(|(_, count)| count / peak * length_s).sum();
        let energy: f64 = sounds.iter().map(energy).sum();
        Some(Self { points, gain_pa: bed * (energy / area_s).sqrt() })
    }

    fn text(&self) -> String {
        let points: Vec<String> = self.points.iter().map(|[t, x]| format!("[{t:.4}, {x:.4}]")).collect();
        let mut text = format!("\n[signal.crowd]\ntype = \"points\"\npoints = [{}]\n", points.join(", "));
        for (name, [low, high, share]) in ["low", "high"].into_iter().zip(BED) {
            let gain = share * self.gain_pa;
            let _ = write!(
                text,
                "\n[process.bed_{name}]\ntype = \"bed\"\ndriven_by = \"crowd\"\nlow_hz = {low:?}\nhigh_hz = {high:?}\ngain = {gain:.6}\n\
                 \n[[tap]]\nof = \"bed_{name}\"\nquantity = \"sound\"\ngain = 0.2\n"
            );
        }
        text
    }
}

/// Energy of a sound at 1 m, Pa^2 s, on average.
fn energy(sound: &Sound) -> f64 {
    let square = 0.25 * sound.amplitude * sound.amplitude;
    match sound.kind {
        // Two bands of noise, the second 0.6 as loud and 0.7 as long.
        Kind::Hit => square * SPLASH[1] * (sound.radius_m / 3e-3).sqrt() * (1.0 + 0.36 * 0.7),
        Kind::Bubble => square / tocco::process::bubble::damping(freq_hz(sound)),
    }
}

/// A scene with a trigger for every sound.
pub fn scene(title: &str, seconds: f64, seed: u64, sounds: &[Sound], crowd: Option<&Crowd>) -> String {
    let mut text = format!(
        "# Made by 'tocco fluid': every hit and every bubble of water that was computed beforehand.\n\nversion = 1\n\
         title = \"{title}\"\nduration_s = {seconds:?}\nseed = {seed}\n\n\
         [signal.still]\ntype = \"points\"\npoints = [[0.0, 0.0]]\n\n\
         [process.hits]\ntype = \"patter\"\ndriven_by = \"still\"\nrate_hz = 0.0\n\n\
         [process.bubbles]\ntype = \"bubbles\"\ndriven_by = \"still\"\nrate_hz = 0.0\n\n\
         [[tap]]\nof = \"hits\"\nquantity = \"sound\"\ngain = 0.2\n\n\
         [[tap]]\nof = \"bubbles\"\nquantity = \"sound\"\ngain = 0.2\n"
    );
    text += &crowd.map_or(String::new(), Crowd::text);
    for sound in sounds {
        let (process, values) = match sound.kind {
            Kind::Hit => {
                ("hits", format!("[{:?}, {:?}, {:?}, {:?}]", sound.radius_m, sound.amplitude, SPLASH[0], SPLASH[1]))
            }
            Kind::Bubble => ("bubbles", format!("[{:?}, {:?}, {:?}]", sound.radius_m, sound.amplitude, sound.rise)),
        };
        let _ = write!(text, "\n[[event]]\nat_s = {:?}\ntrigger = \"{process}\"\nvalues = {values}\n", sound.time_s);
    }
    text
}

/// Pitch of a sound, Hz: a bubble's at its start, the middle of a hit's lower band.
pub fn freq_hz(sound: &Sound) -> f64 {
    match sound.kind {
        Kind::Hit => (SPLASH[0] / sound.radius_m).clamp(350.0, 7000.0),
        Kind::Bubble => 3.0 / sound.radius_m,
    }
}

const COLUMNS: &str = "time_s,kind,radius_m,freq_hz,amplitude_pa,rise,speed_m_s,level_m,particles,x_m,y_m";

/// The sounds as a table.
fn csv(sounds: &[Sound]) -> String {
    let mut text = format!("{COLUMNS}\n");
    for s in sounds {
        let _ = writeln!(
            text,
            "{:?},{},{:?},{:?},{:?},{:?},{:?},{:?},{},{:?},{:?}",
            s.time_s,
            s.kind.word(),
            s.radius_m,
            freq_hz(s),
            s.amplitude,
            s.rise,
            s.speed_m_s,
            s.level_m,
            s.particles,
            s.at[0],
            s.at[1]
        );
    }
    text
}

/// The sounds as JSON, with what each frame was.
fn json(task: &Task, frames: &[Told], sounds: &[Sound]) -> String {
    let sound = |s: &Sound| {
        json!({
            "time_s": s.time_s, "kind": s.kind.word(), "radius_m": s.radius_m, "freq_hz": freq_hz(s),
            "amplitude_pa": s.amplitude, "rise": s.rise, "speed_m_s": s.speed_m_s, "level_m": s.level_m,
            "particles": s.particles, "x_m": s.at[0], "y_m": s.at[1],
        })
    };
    let frame = |f: &Told| {
        json!({
            "start_s": f.start_s, "collisions": f.collisions, "clusters": f.clusters, "level_m": f.level_m,
            "drops": f.drops, "lumps": f.lumps, "tops": f.tops, "undersides": f.undersides,
        })
    };
    let whole = json!({
        "setup": task.setup, "seed": task.seed, "frames_hz": task.frames_hz,
        "frames": frames.iter().map(frame).collect::<Vec<_>>(),
        "sounds": sounds.iter().map(sound).collect::<Vec<_>>(),
    });
    // A tree of strings and finite numbers is always text.
    serde_json::to_string_pretty(&whole).unwrap_or_default() + "\n"
}

/// What is kept of a frame.
struct Told {
    start_s: f64,
    collisions: usize,
    clusters: usize,
    level_m: f64,
    drops: usize,
    lumps: usize,
    tops: usize,
    undersides: usize,
}

/// Pictures of a tank, each pixel a number of [`COLOURS`].
struct Canvas {
    width: usize,
    height: usize,
    scale: f64,
}

impl Canvas {
    fn new(def: &TankDef) -> Self {
        let scale = PICTURE / def.width_m.min(def.height_m);
        let size = |m: f64| (m * scale) as usize + 8;
        Self { width: size(def.width_m), height: size(def.height_m), scale }
    }

    fn draw(&self, tank: &Tank, motion: &[Motion]) -> Vec<u8> {
        let mut pixels = vec![0u8; self.width * self.height];
        for y in 0..self.height {
            for x in 0..self.width {
                if x < 4 || y < 4 || x >= self.width - 4 || y >= self.height - 4 {
                    pixels[y * self.width + x] = 1;
                }
            }
        }
        let radius = 0.52 * tank.def().spacing_m * self.scale;
        let [xs, ys] = tank.places();
        for ((x, y), motion) in xs.iter().zip(ys).zip(motion) {
            let colour = match motion {
                Motion::Resting => 2,
                Motion::Falling => 3,
                Motion::Colliding => 4,
            };
            let (cx, cy) = (4.0 + x * self.scale, self.height as f64 - 4.0 - y * self.scale);
            let from = |c: f64| (c - radius).max(0.0) as usize;
            for row in from(cy)..((cy + radius) as usize + 1).min(self.height) {
                for column in from(cx)..((cx + radius) as usize + 1).min(self.width) {
                    let (dx, dy) = (column as f64 + 0.5 - cx, row as f64 + 0.5 - cy);
                    if dx * dx + dy * dy <= radius * radius {
                        pixels[row * self.width + column] = colour;
                    }
                }
            }
        }
        pixels
    }

    fn encoder<W: Write>(&self, out: W) -> png::Encoder<'static, W> {
        let mut encoder = png::Encoder::new(out, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_palette(COLOURS.concat());
        encoder
    }
}

/// The picture of a tank at one moment, as the bytes of a PNG file.
pub fn picture(tank: &Tank, motion: &[Motion]) -> std::result::Result<Vec<u8>, String> {
    let canvas = Canvas::new(tank.def());
    let mut bytes = Vec::new();
    let mut writer = canvas.encoder(&mut bytes).write_header().map_err(|e| e.to_string())?;
    writer.write_image_data(&canvas.draw(tank, motion)).map_err(|e| e.to_string())?;
    writer.finish().map_err(|e| e.to_string())?;
    Ok(bytes)
}

/// Computes, writes, and says in a line what happened.
pub fn run(task: &Task) -> Result<String> {
    task.check()?;
    let mut course = Course::new(task)?;
    let count = (task.seconds * f64::from(task.frames_hz)).round().max(1.0) as u32;
    let canvas = Canvas::new(course.tank.def());
    if let Some(folder) = &task.frames {
        atomic_file::create_folder(folder)?;
    }
    let wrong = |e: png::EncodingError| Error::Machine(format!("--picture: {e}"));
    let mut film_file = task.picture.as_deref().map(AtomicFile::create).transpose()?;
    let mut film = match &mut film_file {
        Some(file) => {
            let mut encoder = canvas.encoder(BufWriter::new(file));
            encoder.set_animated(count, 0).map_err(wrong)?;
            encoder.set_frame_delay(1, task.frames_hz as u16).map_err(wrong)?;
            Some(encoder.write_header().map_err(wrong)?)
        }
        None => None,
    };
    let bar = ProgressBar::new(u64::from(count), "frames of water");
    let (mut told, mut sounds) = (Vec::new(), Vec::new());
    for k in 0..count {
        let (frame, heard) = course.frame();
        if film.is_some() || task.frames.is_some() {
            let pixels = canvas.draw(&course.tank, &frame.motion);
            if let Some(film) = &mut film {
                film.write_image_data(&pixels).map_err(wrong)?;
            }
            if let Some(folder) = &task.frames {
                let bytes = picture(&course.tank, &frame.motion).map_err(Error::Machine)?;
                atomic_file::write(&folder.join(format!("frame-{k:05}.png")), &bytes)?;
            }
        }
        sounds.extend(heard);
        told.push(Told {
            start_s: frame.start_s,
            collisions: frame.collisions,
            clusters: frame.clusters.len(),
            level_m: frame.level_m,
            drops: frame.drops,
            lumps: frame.lumps,
            tops: frame.tops,
            undersides: frame.undersides,
        });
        bar.at(u64::from(k) + 1);
    }
    drop(bar);
    sounds.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
    film.map_or(Ok(()), |film| film.finish().map_err(wrong))?;
    film_file.map_or(Ok(()), AtomicFile::keep)?;
    let title = SETUPS.iter().find(|(name, _)| *name == task.setup).map_or("", |(_, what)| what);
    let frames: Vec<(f64, usize)> = told.iter().map(|frame| (frame.start_s, frame.collisions)).collect();
    let crowd = Crowd::new(task.bed, f64::from(task.frames_hz), &frames, &sounds);
    let text = scene(title, task.seconds + TAIL_S, task.seed, &sounds, crowd.as_ref());
    if let Some(path) = &task.scene {
        atomic_file::write(path, text.as_bytes())?;
    }
    if let Some(path) = &task.events {
        let json_wanted = path.extension().is_some_and(|end| end == "json");
        let table = if json_wanted { json(task, &told, &sounds) } else { csv(&sounds) };
        atomic_file::write(path, table.as_bytes())?;
    }
    let none = |file: &str| Err(format!("{file}: water holds no recordings"));
    let document =
        Document::read("fluid", "the water's scene", text, none).map_err(|e| Error::Machine(e.to_string()))?;
    let report = render::to_wav(&Plan::new(document), &Target::File(task.output.clone()), &Manner::default(), true)?;
    let first =
        |kind: Kind| sounds.iter().find(|s| s.kind == kind).map_or("none".into(), |s| format!("{:.3} s", s.time_s));
    let (collisions, clusters) = told.iter().fold((0, 0), |(a, b), f| (a + f.collisions, b + f.clusters));
    let hits = sounds.iter().filter(|s| s.kind == Kind::Hit).count();
    Ok(format!(
        "{}: {:.3} s, peak {}, {} particles, {collisions} collisions in {clusters} clusters, {hits} hits (first {}), {} bubbles (first {}), level {:.3} m at the end",
        crate::console::file(&task.output),
        report.seconds(),
        crate::measure::dbfs(report.level.peak),
        course.tank.len(),
        first(Kind::Hit),
        sounds.len() - hits,
        first(Kind::Bubble),
        course.watcher.level_m(&course.tank),
    ))
}
