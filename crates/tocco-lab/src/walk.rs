// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco walk`: a floor, somebody who walks on it, and a file.
//!
//! Who walks is the engine's walker, or a record: of a force plate ([`plate`]) or of a microphone ([`listen`]). Either way the four
//! regions of the feet (heel and toe, left and right) press on copies of the floor, each a little higher or lower, and
//! the whole is an ordinary scene.

pub mod listen;
pub mod plate;

use crate::error::{Error, Result, bad};
use crate::library;
use crate::plot::{Figure, Look, Panel, Series};
use crate::render::Plan;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use tocco::gait::curve::walk_timing;
use tocco::gait::sole::WORDS as SOLES;
use tocco::scene::Document;
use tocco::scene::def::{Length, SignalForm};
use tocco::scene::error::nearest;
use tocco::{Engine, Queue};

/// The regions of the feet, in the order of everything here.
pub const REGIONS: [&str; 4] = ["heel_left", "toe_left", "heel_right", "toe_right"];
/// Name of the walker in the scene.
pub const WALKER: &str = "walker";
/// Factors on the pitch of heels and toes, of left and right: the same floor is not the same place.
const TRANSPOSE: [f64; 4] = [0.94 * 0.985, 1.06 * 0.985, 0.94 * 1.015, 1.06 * 1.015];
/// The same where one copy hears a whole foot.
const TRANSPOSE_FOOT: [f64; 2] = [0.985, 1.015];
/// Where left and right are heard.
const PAN: [f64; 2] = [0.42, 0.58];
/// Silence before the first step of a record, and sound after the last, s.
const BEFORE_S: f64 = 0.1;
const AFTER_S: f64 = 1.5;
/// Breakpoints may be off by this much, BW: far below what a plate resolves.
const THIN_BW: f64 = 2e-4;

/// Forces under the regions, one value a millisecond, BW.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Feet {
    /// In the order of [`REGIONS`].
    pub regions: [Vec<f64>; 4],
    /// When a foot comes down, s.
    pub steps: Vec<f64>,
    /// They are an envelope, not a force.
    pub envelope: bool,
}

/// Who walks.
#[derive(Clone, Debug)]
pub enum Who {
    /// The engine's walker.
    Gait {
        /// m/s
        speed_m_s: f64,
        /// How many steps.
        steps: usize,
    },
    /// A record.
    Record(Feet),
    /// Sensors, live: of so many people.
    Live(usize),
}

/// The loudspeakers that a walk is heard on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speakers {
    /// How many woofers there are besides two loudspeakers: none, one for both feet, or one for each, on the channels from 2 on.
    pub woofers: usize,
    /// Where they part, Hz.
    pub cross_hz: f64,
    /// Channel of a transducer under the feet.
    pub underfoot: Option<usize>,
}

impl Default for Speakers {
    fn default() -> Self {
        Self { woofers: 0, cross_hz: 200.0, underfoot: None }
    }
}

/// Band of a transducer under the feet, Hz.
const UNDERFOOT_HZ: [f64; 2] = [40.0, 4000.0];

impl Speakers {
    fn check(&self) -> Result<()> {
        if !(80.0..=400.0).contains(&self.cross_hz) {
            return bad(format!("--cross {}: give 80 to 400 Hz", self.cross_hz));
        }
        match self.underfoot {
            Some(channel) if channel < 2 + self.woofers || channel > 63 => bad(format!(
                "--underfoot {channel}: give a channel from {} to 63; those below are taken",
                2 + self.woofers
            )),
            _ => Ok(()),
        }
    }

    /// Outputs of the scene, and the line by which parts go there. Loudspeakers and woofers part by Linkwitz and Riley's filters of fourth order,
    /// whose sum is flat.
    fn text(&self) -> (String, String) {
        let (mut text, mut to) = (String::from("\n[output.main]\nchannels = [0, 1]\n"), vec!["main"]);
        // Writing to a String cannot fail.
        if self.woofers > 0 {
            let channels: Vec<usize> = (2..2 + self.woofers).collect();
            let cross = self.cross_hz;
            let _ = write!(
                text,
                "highpass_hz = {cross:?}\n\n[output.woofers]\nchannels = {channels:?}\nlowpass_hz = {cross:?}\n"
            );
            to.push("woofers");
        }
        if let Some(channel) = self.underfoot {
            let _ = write!(text, "\n[output.underfoot]\nchannels = [{channel}]\nband_hz = {UNDERFOOT_HZ:?}\n");
            to.push("underfoot");
        }
        let to = if to.len() > 1 { format!("to = {to:?}\n") } else { String::new() };
        (text, to)
    }
}

/// What to walk on and how.
#[derive(Clone, Debug)]
pub struct Walk {
    /// A scene with an inlet `press`, or with one for each region (`heel_left` and so on): a file or a shipped name.
    pub floor: String,
    /// Who walks.
    pub who: Who,
    /// kg
    pub mass_kg: f64,
    /// One of the soles, if any.
    pub sole: Option<String>,
    /// Of everything random, if not the floor's own.
    pub seed: Option<u64>,
    /// What it is heard on.
    pub speakers: Speakers,
}

/// Files that a floor is read from; none for one that is shipped. `[control]`
pub fn files_of(floor: &str) -> Vec<PathBuf> {
    let files = Path::new(floor).is_file().then(|| library::load_noting(floor).map(|(_, files)| files));
    files.and_then(Result::ok).unwrap_or_default()
}

impl Walk {
    /// Refuses what cannot be meant, in one line.
    pub fn check(&self) -> Result<()> {
        if !(self.mass_kg >= 0.1 && self.mass_kg <= 1e4) {
            return bad(format!("--mass {}: give 0.1 to 10000 kg", self.mass_kg));
        }
        if let Some(sole) = self.sole.as_deref().filter(|sole| !SOLES.contains(sole)) {
            return bad(format!("--sole '{sole}': no such sole{}", nearest(sole, SOLES.iter().copied())));
        }
        self.speakers.check()?;
        if let Who::Gait { speed_m_s, steps } = self.who {
            if !(0.05..=10.0).contains(&speed_m_s) {
                return bad(format!("--speed {speed_m_s}: give 0.05 to 10 m/s; above 2 is running"));
            }
            if !(1..=100_000).contains(&steps) {
                return bad(format!("--steps {steps}: give 1 to 100000"));
            }
        }
        match self.who {
            Who::Live(people) if !(1..=64).contains(&people) => bad(format!("--people {people}: give 1 to 64")),
            _ => Ok(()),
        }
    }

    /// How long it takes, s.
    fn seconds(&self) -> Option<f64> {
        match &self.who {
            Who::Gait { speed_m_s, steps } => {
                let hz = if *speed_m_s > 2.0 { 2.4 } else { walk_timing(*speed_m_s).0 };
                Some(1.2 + (*steps as f64 + 1.0) / hz + AFTER_S)
            }
            Who::Record(feet) => Some(BEFORE_S + feet.regions[0].len() as f64 * 1e-3 + AFTER_S),
            Who::Live(_) => None,
        }
    }

    /// The floor as a scene: a shipped floor may be called without its first word.
    fn called(&self) -> String {
        let shipped = |name: &str| library::SHIPPED.iter().any(|(known, _)| *known == name);
        let whole = format!("floor-{}", self.floor);
        if !Path::new(&self.floor).exists() && !shipped(&self.floor) && shipped(&whole) {
            whole
        } else {
            self.floor.clone()
        }
    }

    /// The scene as text, and the folder in which the floor is found.
    pub fn scene(&self) -> Result<(String, Option<PathBuf>)> {
        self.check()?;
        let called = self.called();
        let floor = library::load(&called)?;
        let has =
            |name: &str| floor.def.signals.iter().any(|s| s.name == name && matches!(s.form, SignalForm::Inlet(_)));
        // One scene for all of both feet, whose parts share something.
        let whole = REGIONS.into_iter().all(has);
        if !has("press") && !whole {
            return bad(format!(
                "{}: not a floor; it has no inlet 'press' ([signal.press] with type = \"input\") for a foot to press",
                self.floor
            ));
        }
        let path = Path::new(&called);
        let file = path.is_file();
        let part = match path.file_name() {
            Some(name) if file => name.to_string_lossy().into_owned(),
            _ => called.clone(),
        };
        let folder = file.then(|| match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
            _ => PathBuf::from("."),
        });
        let mut text = format!("title = \"Steps on {}\"\n", part.replace(['"', '\\'], "'"));
        if let Some(seconds) = self.seconds() {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "duration_s = {:.3}", seconds);
        }
        if let Some(seed) = self.seed {
            let _ = writeln!(text, "seed = {seed}");
        }
        let (outputs, to) = self.speakers.text();
        let _ = write!(text, "rate_hz = {:?}\n{outputs}", floor.def.rate_hz);
        let quoted = format!("\"{}\"", part.replace('\\', "\\\\").replace('"', "\\\""));
        let people = if let Who::Live(people) = self.who { people.max(1) } else { 1 };
        for person in 0..people {
            let (walker, before) = (walker_name(person), part_prefix(person));
            let _ = writeln!(text, "\n[walk.{walker}]\nmass_kg = {:?}", self.mass_kg);
            if let Some(sole) = &self.sole {
                let _ = writeln!(text, "sole = \"{sole}\"");
            }
            match &self.who {
                Who::Gait { speed_m_s, steps } => {
                    let _ = writeln!(text, "speed_m_s = {speed_m_s:?}\nsteps = {steps}");
                }
                Who::Record(Feet { envelope: true, .. }) => {
                    text.push_str("source = \"inlets\"\nexcite_by = \"envelope\"\n");
                }
                Who::Record(_) | Who::Live(_) => text.push_str("source = \"inlets\"\n"),
            }
            if !has("press") {
                let _ = write!(text, "\n[part.{before}floor]\nscene = {quoted}\n{to}");
                for region in REGIONS {
                    let _ = writeln!(text, "signal.{region} = \"{walker}.{region}\"");
                }
            } else if has("press_toe") {
                for (side, (foot, transpose)) in ["left", "right"].into_iter().zip(TRANSPOSE_FOOT).enumerate() {
                    let pan = PAN[side];
                    let _ = write!(
                        text,
                        "\n[part.{before}{foot}]\nscene = {quoted}\ntranspose = {transpose:?}\npan_01 = {pan:?}\n{to}signal.press = \"{walker}.heel_{foot}\"\n\
                         signal.press_toe = \"{walker}.toe_{foot}\"\n"
                    );
                }
            } else {
                for (k, (region, transpose)) in REGIONS.into_iter().zip(TRANSPOSE).enumerate() {
                    let pan = PAN[k / 2];
                    let _ = write!(
                        text,
                        "\n[part.{before}{region}]\nscene = {quoted}\ntranspose = {transpose:?}\npan_01 = {pan:?}\n{to}signal.press = \"{walker}.{region}\"\n"
                    );
                }
            }
        }
        if let Who::Record(feet) = &self.who {
            for (region, values) in REGIONS.into_iter().zip(&feet.regions) {
                let points = thinned(values);
                let points: Vec<String> =
                    points.iter().map(|(k, x)| format!("[{:.3}, {x:.5}]", BEFORE_S + 1e-3 * *k as f64)).collect();
                let _ = write!(text, "\n[[drive]]\npath = \"{WALKER}/{region}\"\npoints = [{}]\n", points.join(", "));
            }
        }
        Ok((text, folder))
    }

    /// The scene, ready to render.
    pub fn document(&self) -> Result<Document> {
        let (text, folder) = self.scene()?;
        library::from_text("walk", "this walk", text, folder.as_deref())
    }
}

/// Name of a person in the scene, the first of them 0.
pub fn walker_name(person: usize) -> String {
    if person == 0 { WALKER.into() } else { format!("{WALKER}-{}", person + 1) }
}

/// What stands before the names of the parts on which a person walks.
pub fn part_prefix(person: usize) -> String {
    if person == 0 { String::new() } else { format!("{}-", person + 1) }
}

/// As few breakpoints as keep a curve within [`THIN_BW`], by Douglas and Peucker.
fn thinned(values: &[f64]) -> Vec<(usize, f64)> {
    let Some(last) = values.len().checked_sub(1) else { return vec![(0, 0.0)] };
    let mut keep = vec![false; values.len()];
    (keep[0], keep[last]) = (true, true);
    let mut open = vec![(0, last)];
    while let Some((from, to)) = open.pop() {
        let slope = (values[to] - values[from]) / (to - from).max(1) as f64;
        let off = |k: usize| (values[k] - values[from] - slope * (k - from) as f64).abs();
        let Some(worst) = (from + 1..to).max_by(|a, b| off(*a).total_cmp(&off(*b))) else { continue };
        // Long stretches are cut in any case: a stretch of a thousand is looked through once, not a thousand times.
        if off(worst) > THIN_BW {
            keep[worst] = true;
            open.extend([(from, worst), (worst, to)]);
        }
    }
    (0..values.len()).filter(|k| keep[*k]).map(|k| (k, values[k])).collect()
}

/// Forces and level of a walk as a picture.
pub fn picture(plan: &Plan) -> Result<Figure> {
    let Length::Seconds(seconds) = plan.length else { return bad("--picture needs a walk that ends") };
    let scene = plan.build()?;
    let (channels, rate_hz) = (scene.channels(), plan.rate_hz);
    let find = |region: &str| scene.directory().probe(&format!("{WALKER}.{region}.value"));
    let probes: Vec<_> = REGIONS
        .iter()
        .map(|region| find(region))
        .collect::<std::result::Result<_, _>>()
        .map_err(|e| Error::Machine(e.to_string()))?;
    let mut engine = Engine::new(scene);
    let mut forces = vec![Vec::new(); REGIONS.len()];
    let mut level = Vec::new();
    let mut queue = Queue::new();
    let frames = (rate_hz * 5e-3) as usize;
    let mut out = vec![0.0; frames * channels];
    for block in 0..(seconds / 5e-3) as usize {
        engine.render(&[], &mut queue, &mut out);
        let at_s = 5e-3 * (block + 1) as f64;
        for (series, probe) in forces.iter_mut().zip(&probes) {
            series.push((at_s, engine.probe(*probe)));
        }
        let power = out.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>() / out.len() as f64;
        level.push((at_s, (10.0 * power.max(1e-12).log10()).max(-90.0)));
    }
    let mut force = Panel::new("force under the feet", "time, s", "body weights");
    for (k, (region, data)) in REGIONS.iter().zip(forces).enumerate() {
        force = force.with(Series::new(region.replace('_', " "), [2, 6, 1, 5][k], Look::Line, data));
    }
    let sound = Panel::new("sound, every 5 ms", "time, s", "level, dB of full scale").with(Series::new(
        "",
        0,
        Look::Thin,
        level,
    ));
    Ok(Figure { title: plan.scene.title().to_owned(), panels: vec![force, sound] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_curve_is_as_near_as_promised() {
        let values: Vec<f64> = (0..2000).map(|k| (f64::from(k) * 0.01).sin().max(0.0)).collect();
        let points = thinned(&values);
        assert!(points.len() < 400, "{}", points.len());
        for pair in points.windows(2) {
            let [(a, x), (b, y)] = [pair[0], pair[1]];
            for (k, value) in values.iter().enumerate().take(b + 1).skip(a) {
                let line = x + (y - x) * (k - a) as f64 / (b - a) as f64;
                assert!((line - value).abs() <= THIN_BW);
            }
        }
        assert_eq!(thinned(&[]), [(0, 0.0)]);
    }

    #[test]
    fn left_and_right_differ_by_three_percent_in_pitch_and_heel_and_toe_by_more() {
        let walk = Walk {
            floor: "gravel".into(),
            who: Who::Gait { speed_m_s: 1.3, steps: 4 },
            mass_kg: 70.0,
            sole: None,
            seed: None,
            speakers: Speakers::default(),
        };
        let document = walk.document().unwrap();
        let part = |name: &str| document.def.parts.iter().find(|part| part.name == name).unwrap().transpose;
        for region in ["heel", "toe"] {
            let [left, right] = ["left", "right"].map(|side| part(&format!("{region}_{side}")));
            assert!((right / left - 1.015 / 0.985).abs() < 1e-12, "{region}: {left} {right}");
            assert!(
                ((left * right).sqrt() / (1.015_f64 * 0.985).sqrt() - if region == "heel" { 0.94 } else { 1.06 }).abs()
                    < 1e-9
            );
        }
    }

    #[test]
    fn speakers_on_shoes_part_at_their_crossover_and_sum_to_what_two_would_play() {
        let heard = |speakers: Speakers| {
            let who = Who::Gait { speed_m_s: 1.3, steps: 2 };
            let floor = "concrete".into();
            let walk = Walk { floor, who, mass_kg: 70.0, sole: None, seed: Some(3), speakers };
            let plan = Plan::new(walk.document().unwrap());
            let scene = plan.build().unwrap();
            let channels = scene.channels();
            let mut out = vec![0.0_f32; channels * 96_000];
            tocco::Engine::new(scene).render(&[], &mut tocco::Queue::new(), &mut out);
            (out, channels)
        };
        let energy = |(out, channels): &(Vec<f32>, usize), of: &[usize]| {
            let sum = |frame: &[f32]| of.iter().map(|k| f64::from(frame[*k])).sum::<f64>();
            out.chunks(*channels).map(|frame| sum(frame).powi(2)).sum::<f64>()
        };
        let plain = heard(Speakers::default());
        let four = heard(Speakers { woofers: 2, underfoot: Some(5), ..Speakers::default() });
        let three = heard(Speakers { woofers: 1, ..Speakers::default() });
        assert_eq!([plain.1, four.1, three.1], [2, 6, 3]);
        // Linkwitz-Riley: what both play is all-pass, so the energy of a loudspeaker and its woofer together stays.
        for side in 0..2 {
            let ratio = energy(&four, &[side, side + 2]) / energy(&plain, &[side]);
            assert!((ratio - 1.0).abs() < 0.01, "side {side}: {ratio}");
            assert!(energy(&four, &[side + 2]) > 0.0 && energy(&four, &[side]) < energy(&plain, &[side]));
        }
        assert!(energy(&four, &[4]) == 0.0 && energy(&four, &[5]) > 0.0);
        // One woofer has both: half their sum.
        let low = energy(&four, &[2, 3]) / 4.0;
        assert!((energy(&three, &[2]) / low - 1.0).abs() < 1e-4, "{} {low}", energy(&three, &[2]));
        let wrong = |speakers: Speakers| speakers.check().unwrap_err().to_string();
        assert!(wrong(Speakers { cross_hz: 50.0, ..Speakers::default() }).contains("80 to 400 Hz"));
        assert!(wrong(Speakers { woofers: 2, underfoot: Some(3), ..Speakers::default() }).contains("from 4 to 63"));
    }

    #[test]
    fn a_floor_with_an_inlet_for_each_region_is_one_scene_under_both_feet() {
        for who in [Who::Gait { speed_m_s: 1.3, steps: 3 }, Who::Live(2)] {
            let (people, walked) = if let Who::Live(people) = who { (people, false) } else { (1, true) };
            let floor = "concrete-as-wood".into();
            let walk = Walk { floor, who, mass_kg: 70.0, sole: None, seed: None, speakers: Speakers::default() };
            let (text, _) = walk.scene().unwrap();
            assert_eq!(text.matches("[part.").count(), people, "{text}");
            let document = walk.document().unwrap();
            let mut engine = Engine::new(tocco::Scene::build(&document.def, 48_000.0).unwrap());
            let mut out = vec![0.0; 3 * 48_000 * engine.scene().channels()];
            engine.render(&[], &mut Queue::new(), &mut out);
            assert_eq!(out.iter().any(|x| x.abs() > 0.01), walked);
        }
    }

    #[test]
    fn what_cannot_be_walked_is_refused_in_one_line() {
        let walk = |who: Who| Walk {
            floor: "bar".into(),
            who,
            mass_kg: 70.0,
            sole: None,
            seed: None,
            speakers: Speakers::default(),
        };
        let said = |walk: &Walk| walk.scene().unwrap_err().to_string();
        for (speed_m_s, steps) in [(-1.0, 5), (f64::NAN, 5), (30.0, 5), (1.3, 0)] {
            let line = said(&walk(Who::Gait { speed_m_s, steps }));
            assert!(line.starts_with("--s") && !line.contains('\n'), "{line}");
        }
        let mut other = walk(Who::Live(1));
        assert!(said(&other).contains("not a floor"), "{}", said(&other));
        other.sole = Some("boots".into());
        assert!(said(&other).contains("boot"), "{}", said(&other));
        (other.sole, other.mass_kg) = (None, 0.0);
        assert!(said(&other).starts_with("--mass"));
    }
}
