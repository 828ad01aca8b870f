// SPDX-License-Identifier: MIT OR Apache-2.0
//! Playability: a plane of two parameters, coloured by what the rubbing contact does in each cell.
//!
//! Each cell is the scene with both values set before the start, rendered and judged over its last 0.3 s ([`mod@regime`]). A
//! path that a drive moves keeps its gesture: the drive is scaled so that its largest value is the cell's. The result
//! does not depend on the number of threads.

pub mod picture;
pub mod regime;

use crate::atomic_file;
use crate::console::ProgressBar;
use crate::error::{Error, Result, bad};
use crate::library;
use crate::parallel;
use crate::range::{FORM, Range, Values};
use crate::render::{Plan, perform};
use picture::Picture;
use regime::{Finding, Heard, Regime, regime};
use std::fmt::Write as _;
use std::path::Path;
use tocco::engine::{Engine, Health};
use tocco::param::Spec;
use tocco::scene::Scene;
use tocco::scene::def::{BodyForm, ContactDef, ContactForm, Length, Source};
use tocco::scene::kinds::Mobility;

/// More along one axis are a mistake.
const MOST_CELLS: usize = 512;
/// Judged at the end of each cell's sound, s; half of it where it is shorter than twice this.
const WINDOW_S: f64 = 0.3;
/// A gesture is at its height while it is above this share of its largest value.
const HEIGHT: f64 = 0.9;
/// After the last breakpoint of a scene that ends by itself, s.
const AFTER_S: f64 = 1.0;

/// One axis of the plane.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// A live path, or a control's name.
    pub path: String,
    /// First value.
    pub low: f64,
    /// Last value.
    pub high: f64,
    /// How many, at least 1.
    pub count: usize,
    /// Equal ratios instead of equal steps.
    pub log: bool,
}

impl Axis {
    /// Reads what was typed after `option`: [`Range::parse`]. A plane has no place for single values.
    pub fn parse(option: &str, text: &str) -> Result<Self> {
        let wrong = |what: &str| bad(format!("{option} {text}: {what}; write {FORM}"));
        let Range { path, values } = Range::parse(option, text, MOST_CELLS)?;
        match values {
            Values::Listed(_) => wrong("a map needs a range, not single values"),
            Values::Spaced { count: 1, .. } => wrong("a map needs two values or more"),
            Values::Spaced { low, high, .. } if low >= high => wrong("the first value must be below the second"),
            Values::Spaced { low, high, count, log } => Ok(Self { path, low, high, count, log }),
        }
    }

    /// Value of cell `i`; the ends are what was written, to the last digit.
    pub fn value(&self, i: usize) -> f64 {
        let place = i as f64 / (self.count - 1) as f64;
        match i {
            0 => self.low,
            i if i + 1 == self.count => self.high,
            _ if self.log => self.low * tocco::math::pow(self.high / self.low, place),
            _ => self.low + (self.high - self.low) * place,
        }
    }

    /// Place of a value along the axis, 0 to 1 from edge to edge; values stand in the middle of their cells.
    pub fn place(&self, value: f64) -> f64 {
        let part = if self.log {
            tocco::math::ln(value / self.low) / tocco::math::ln(self.high / self.low)
        } else {
            (value - self.low) / (self.high - self.low)
        };
        (0.5 + part * (self.count - 1) as f64) / self.count as f64
    }
}

/// One cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// What it does.
    pub finding: Finding,
    /// "ok", or what the solver complained about.
    pub health: String,
}

/// A whole plane.
#[derive(Clone, Debug)]
pub struct Map {
    /// Horizontal axis with its declaration.
    pub x: (Axis, Spec),
    /// Vertical axis with its declaration.
    pub y: (Axis, Spec),
    /// Rows from low to high y, in each from low to high x.
    pub cells: Vec<Cell>,
    /// Name of the contact.
    pub contact: String,
    /// What a period is, for people.
    pub period: String,
    /// End of the window and its length, s.
    pub window_s: (f64, f64),
}

/// What every cell shares.
struct Ground<'a> {
    plan: Plan,
    contact: &'a ContactDef,
    /// The second partner vibrates.
    listen_to_b: bool,
    frames: usize,
    window: usize,
    /// Indices of the drives on the two axes' paths.
    driven: [Vec<usize>; 2],
}

/// Judges every cell of the plane.
pub fn run(whole: &Plan, x: &Axis, y: &Axis, of: Option<&str>, threads: usize) -> Result<Map> {
    let scene = whole.build()?;
    let (x_spec, y_spec) = (usable("--x", whole, &scene, x)?, usable("--y", whole, &scene, y)?);
    if scene.directory().address(&x.path) == scene.directory().address(&y.path) {
        return bad(format!("--y {}: it is the path of --x too; name another", y.path));
    }
    let contact = rubbing(whole, &scene, of)?;
    let seconds = plays_until_s(whole, &scene, contact);
    let mut plan = whole.clone();
    plan.length = Length::Seconds(seconds);
    let frames = (seconds * plan.rate_hz).round().max(1.0) as usize;
    let window = ((WINDOW_S * plan.rate_hz) as usize).min(frames / 2).max(1);
    let rigid = |site: &str| body(&plan, site).is_some_and(|body| body.form.mobility() != Mobility::Vibrating);
    let listen_to_b = !rigid(&contact.between[1]) || rigid(&contact.between[0]);
    let window_s = (seconds, window as f64 / plan.rate_hz);
    let period = period_words(&plan, &scene, &contact.between[usize::from(listen_to_b)]);
    let driven = [x, y].map(|axis| {
        let on_path = |i: &usize| {
            scene.directory().address(&plan.scene.def.drives[*i].path) == scene.directory().address(&axis.path)
        };
        (0..plan.scene.def.drives.len()).filter(on_path).collect()
    });
    let ground = Ground { plan, contact, listen_to_b, frames, window, driven };
    let count = x.count * y.count;
    let bar = ProgressBar::new(count as u64, "cells");
    let cells = parallel::run(count, threads, |index| {
        let cell = cell(&ground, [(x, x.value(index % x.count)), (y, y.value(index / x.count))])?;
        bar.step(cell.finding.regime.name());
        Ok(cell)
    })?;
    let (x, y) = ((x.clone(), x_spec), (y.clone(), y_spec));
    Ok(Map { x, y, cells, contact: contact.name.clone(), period, window_s })
}

fn body<'a>(plan: &'a Plan, site: &str) -> Option<&'a tocco::scene::def::BodyDef> {
    let name = site.split('.').next().unwrap_or(site);
    plan.scene.def.bodies.iter().find(|body| body.name == name)
}

/// The path's declaration, if every value of the axis can be used.
fn usable(option: &str, plan: &Plan, scene: &Scene, axis: &Axis) -> Result<Spec> {
    let wrong = |what: String| Error::BadInput(format!("{option} {}: {what}", axis.path));
    let address = scene.directory().address(&axis.path).map_err(|e| wrong(e.what))?;
    let Some(spec) = scene.directory().spec(address) else { return Err(wrong("no such parameter".into())) };
    for value in [axis.low, axis.high] {
        if !spec.admits(value) {
            let unit = if spec.unit == "1" { String::new() } else { format!(" {}", spec.unit) };
            return Err(wrong(format!("{value:?} is out of range; give {:?} to {:?}{unit}", spec.min, spec.max)));
        }
    }
    for drive in &plan.scene.def.drives {
        if scene.directory().address(&drive.path) == Ok(address) {
            if largest(&drive.source) == 0.0 {
                return Err(wrong("its drive is zero throughout, so it cannot be scaled; remove the drive".into()));
            }
        } else if scene
            .directory()
            .moved_by(&drive.path)
            .iter()
            .any(|path| scene.directory().address(path) == Ok(address))
        {
            let name = &drive.path;
            return Err(wrong(format!("a drive moves it through the control '{name}'; map '{name}' instead")));
        }
    }
    Ok(spec)
}

/// The friction contact that is asked for: by its name, by a site it touches, or the first.
fn rubbing<'a>(plan: &'a Plan, scene: &Scene, of: Option<&str>) -> Result<&'a ContactDef> {
    let mut all = plan.scene.def.contacts.iter().filter(|c| matches!(c.form, ContactForm::Friction(_)));
    let Some(of) = of else {
        return match all.next() {
            Some(contact) => Ok(contact),
            None => bad(format!("{}: nothing rubs here; a map needs a friction contact", plan.scene.origin)),
        };
    };
    let site = scene.directory().site(of).ok();
    let touches = |c: &ContactDef| site.is_some() && c.between.iter().any(|s| scene.directory().site(s).ok() == site);
    match all.clone().find(|c| c.name == of || touches(c)) {
        Some(contact) => Ok(contact),
        None => {
            let known: Vec<&str> = all.map(|c| c.name.as_str()).collect();
            bad(format!("--of {of}: no friction contact of this name or place; there is {}", known.join(", ")))
        }
    }
}

/// Largest magnitude that a drive reaches; of noise its rms.
fn largest(source: &Source) -> f64 {
    match source {
        Source::Points(points) => points.iter().map(|p| p[1].abs()).fold(0.0, f64::max),
        Source::Noise { rms, .. } => *rms,
        Source::Wav { gain, .. } | Source::Input { gain, .. } => gain.abs(),
        Source::Signal(_) => 1.0,
        Source::Samples { data, gain, .. } => data.iter().map(|x| (gain * f64::from(*x)).abs()).fold(0.0, f64::max),
    }
}

/// End of the sound that is judged, s: where the gesture at this contact last is at its height, or where the scene ends.
fn plays_until_s(plan: &Plan, scene: &Scene, contact: &ContactDef) -> f64 {
    let end = match plan.length {
        Length::Seconds(s) => s,
        Length::Auto => scene.last_cue() as f64 / plan.rate_hz + AFTER_S,
    };
    let concerns = |path: &str| {
        let near = |path: &str| {
            let node = path.trim_start_matches('/').split(['/', '.']).next().unwrap_or_default();
            node == contact.name || contact.between.iter().any(|site| site.split('.').next() == Some(node))
        };
        near(path) || scene.directory().moved_by(path).iter().any(|path| near(path))
    };
    let mut until = end;
    for drive in plan.scene.def.drives.iter().filter(|drive| concerns(&drive.path)) {
        let Source::Points(points) = &drive.source else { continue };
        let high = |p: &[f64; 2]| p[1].abs() >= HEIGHT * largest(&drive.source);
        if let Some(last) = points.iter().rposition(high).filter(|last| last + 1 < points.len()) {
            until = until.min(points[last][0]);
        }
    }
    if until > 0.0 { until } else { end }
}

/// Fundamental of the body at a site, Hz, with the values that the scene has now.
fn fundamental_hz(plan: &Plan, scene: &Scene, site: &str) -> Option<f64> {
    let body = body(plan, site)?;
    let now = |id: &str| {
        let wanted = format!("{}/{id}", body.name);
        scene.paths().into_iter().find(|(path, ..)| *path == wanted).map(|(_, _, value)| value)
    };
    let port = site.split_once('.').map(|(_, port)| port);
    body.form.fundamental_hz(port, plan.rate_hz, &now)
}

fn period_words(plan: &Plan, scene: &Scene, site: &str) -> String {
    match (fundamental_hz(plan, scene, site), body(plan, site).map(|b| &b.form)) {
        (Some(hz), Some(BodyForm::String(_))) => format!("period: the string's, {} Hz", picture::short(hz)),
        (Some(hz), _) => format!("period: of {site}'s lowest mode, {} Hz", picture::short(hz)),
        _ => "period: of the measured pitch".into(),
    }
}

/// Scales the drives of these indices to `value`, or sets the path where there are none.
fn place(plan: &mut Plan, driven: &[usize], path: &str, value: f64) {
    for &index in driven {
        let source = &mut plan.scene.def.drives[index].source;
        let factor = value / largest(source);
        match source {
            Source::Points(points) => points.iter_mut().for_each(|p| p[1] *= factor),
            Source::Noise { rms, mean, .. } => (*rms, *mean) = (*rms * factor, *mean * factor),
            Source::Wav { gain, .. } | Source::Samples { gain, .. } | Source::Input { gain, .. } => *gain *= factor,
            // What a signal does is not known before it sounds: the axis takes its place.
            Source::Signal(_) => *source = Source::Points(vec![[0.0, value]]),
        }
    }
    if driven.is_empty() {
        plan.sets.push((path.to_owned(), value));
    }
}

fn cell(ground: &Ground<'_>, values: [(&Axis, f64); 2]) -> Result<Cell> {
    let mut plan = ground.plan.clone();
    for ((axis, value), driven) in values.into_iter().zip(&ground.driven) {
        place(&mut plan, driven, &axis.path, value);
    }
    let scene = plan.build()?;
    let [a, b] = &ground.contact.between;
    let probe =
        |site: &str| scene.directory().probe(&format!("{site}.velocity")).map_err(|e| library::wrong(&plan.scene, &e));
    let probes = [probe(a)?, probe(b)?];
    let fundamental_hz = fundamental_hz(&plan, &scene, if ground.listen_to_b { b } else { a });
    let mut engine = Engine::new(scene);
    engine.watch(&probes);
    let (mut of_a, mut of_b) = (Vec::with_capacity(ground.window), Vec::with_capacity(ground.window));
    let mut done = 0;
    let outcome = perform(&plan, &mut engine, probes.len(), &mut |_| (), &mut |_, rows| {
        for row in rows.chunks_exact(probes.len()) {
            if done >= ground.frames - ground.window {
                of_a.push(row[0]);
                of_b.push(row[1]);
            }
            done += 1;
        }
        Ok(())
    })?;
    let (listen_to_b, rate_hz) = (ground.listen_to_b, plan.rate_hz);
    let finding = regime(&Heard { a: &of_a, b: &of_b, listen_to_b, rate_hz, fundamental_hz });
    Ok(Cell { finding, health: health_words(&outcome.health) })
}

fn health_words(health: &Health) -> String {
    let counts = [("unconverged", health.unconverged), ("clamped", health.clamped), ("reset", health.reset)];
    let words: Vec<String> = counts.iter().filter(|(_, n)| *n > 0).map(|(what, n)| format!("{n} {what}")).collect();
    if words.is_empty() { "ok".into() } else { words.join(" ") }
}

impl Map {
    /// Share of the cells in a regime.
    pub fn share(&self, regime: Regime) -> f64 {
        let count = self.cells.iter().filter(|cell| cell.finding.regime == regime).count();
        count as f64 / self.cells.len().max(1) as f64
    }

    /// One line: the share of each regime that occurs.
    pub fn summary(&self) -> String {
        let present = Regime::ALL.into_iter().filter(|regime| self.share(*regime) > 0.0);
        let shares: Vec<String> =
            present.map(|regime| format!("{} {:.1} %", regime.name(), 100.0 * self.share(regime))).collect();
        format!("{} cells at '{}': {}; {}", self.cells.len(), self.contact, shares.join(", "), self.period)
    }

    /// The table: one row per cell; level in dB over 1 m/s rms of the body that vibrates; empty: there is none.
    pub fn csv(&self) -> String {
        let (x, y) = (&self.x.0, &self.y.0);
        let tail = "regime,pitch_hz,slips_per_period,slip_fraction,level_db,health";
        let mut table = format!("{},{},{tail}\n", x.path, y.path);
        for (index, cell) in self.cells.iter().enumerate() {
            let found = &cell.finding;
            let number = |value: Option<f64>| value.map(|v| format!("{v:.4}")).unwrap_or_default();
            let _ = writeln!(
                table,
                "{:?},{:?},{},{},{},{:.4},{},{}",
                x.value(index % x.count),
                y.value(index / x.count),
                found.regime.name(),
                number(found.pitch_hz),
                number(found.slips_per_period),
                found.slip_fraction,
                number(found.level_db),
                cell.health
            );
        }
        table
    }

    /// Writes the picture to `path` and the table beside it, whose name comes back.
    pub fn write(&self, title: &str, path: &Path) -> Result<std::path::PathBuf> {
        let table = path.with_extension("csv");
        let png = Picture { map: self, title }.png().map_err(Error::Machine)?;
        atomic_file::write(path, &png)?;
        atomic_file::write(&table, self.csv().as_bytes())?;
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_hits_its_ends_and_its_values_stand_in_the_middle_of_their_cells() {
        let axis = Axis::parse("--x", "/rub/normal_force_n=0.1..10, 3, log").unwrap();
        assert_eq!((axis.path.as_str(), axis.value(0), axis.value(2)), ("rub/normal_force_n", 0.1, 10.0));
        assert!((axis.value(1) - 1.0).abs() < 1e-12 && (axis.place(1.0) - 0.5).abs() < 1e-12);
        let axis = Axis::parse("--y", "bow/velocity_m_s=-1..1").unwrap();
        assert_eq!((axis.count, axis.value(23), axis.log), (crate::range::COUNT, 1.0, false));
        assert!((axis.place(-1.0) - 0.5 / 24.0).abs() < 1e-12);
    }

    #[test]
    fn a_malformed_axis_is_answered_with_the_form_to_write() {
        for text in
            ["a", "a=1", "a=1..x", "a=2..1", "a=0..1,log", "a=0..1,1", "a=0..1,9999", "a=0..1,cubic", "a=0..nan"]
        {
            let error = Axis::parse("--x", text).unwrap_err();
            assert!(error.code() == 2 && error.to_string().contains("PATH=low..high"), "{error}");
        }
    }
}
