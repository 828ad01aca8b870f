// SPDX-License-Identifier: MIT OR Apache-2.0
//! Table 5.2 and Figure 5.7 of Avanzini 2001: which quality factors and decays listeners take for which material, and where the
//! materials of our table fall.

use super::{Csv, Outcome, short};
use crate::plot::{Corner, Figure, Look, Panel, Series};
use std::f64::consts::PI;
use tocco::Queue;
use tocco::engine::Engine;
use tocco::resonator::material::{Material, of_class};
use tocco::scene::{Scene, SceneDef};

/// One row of table 5.2: what it is called there and in our table, q and t_e from and to, and the last printed digit of
/// each t_e.
struct Class {
    paper: &'static str,
    ours: &'static str,
    q: [f64; 2],
    t_e_s: [f64; 2],
    digit_s: [f64; 2],
}

const CLASSES: [Class; 4] = [
    Class { paper: "rubber", ours: "rubber", q: [5.0, 44.3], t_e_s: [8e-4, 1.41e-2], digit_s: [1e-4, 1e-4] },
    Class { paper: "wood", ours: "wood", q: [14.9, 131.8], t_e_s: [2.3e-3, 3.53e-2], digit_s: [1e-4, 1e-4] },
    Class { paper: "glass", ours: "glass", q: [189.6, 5000.0], t_e_s: [4.34e-2, 1.1254], digit_s: [1e-4, 1e-4] },
    Class { paper: "steel", ours: "steel", q: [272.8, 5000.0], t_e_s: [4.34e-2, 1.5915], digit_s: [1e-4, 1e-4] },
];

impl Class {
    /// Members in our table.
    fn members(&self) -> Vec<&'static str> {
        if self.ours == "steel" { vec!["steel"] } else { of_class(self.ours) }
    }

    /// The range of t_e with the glass row put right (C20).
    fn t_e_right_s(&self) -> [f64; 2] {
        if self.paper == "glass" { [self.q[0] / (PI * 2000.0), self.t_e_s[1]] } else { self.t_e_s }
    }
}

/// The five pitches of the experiment, Hz: equal ratios from 1000 to 2000.
fn pitches_hz() -> [f64; 5] {
    std::array::from_fn(|i| 1000.0 * 2f64.powf(i as f64 / 4.0))
}

/// Decay to 1/e of one mode of a material as the engine plays it, s.
fn measured_s(material: &Material, freq_hz: f64) -> Result<f64, String> {
    let decay_s = material.decay_s(freq_hz);
    fall_s(&scene(freq_hz, decay_s), freq_hz, PI * freq_hz * decay_s)
}

/// The same of a body made of a material of this quality and tuned to this pitch: the engine finds the decay itself.
fn made_of_s(q: f64, freq_hz: f64) -> Result<f64, String> {
    let text = format!(
        "version = 1\ntitle = \"one partial of quality {q}\"\nduration_s = 1.0\n\n[body.bar]\ntype = \"shape\"\n\
         shape = \"circular-membrane\"\nradius_m = 0.3\nthickness_m = 0.0002\nfreq_hz = {freq_hz:?}\nmodes = 1\n\
         material = {{ density_kg_m3 = 1390.0, young_pa = 4e9, poisson = 0.38, loss_factor = {:?} }}\n\n\
         [[event]]\nat_s = 0.0\nhit = \"bar\"\nimpulse_n_s = 0.05\n\n[[tap]]\nof = \"bar\"\n",
        1.0 / q
    );
    fall_s(&text, freq_hz, q)
}

/// Time in which a scene of one mode, which should have this pitch and quality, falls to 1/e, s: from the fall of its energy.
fn fall_s(text: &str, freq_hz: f64, q: f64) -> Result<f64, String> {
    // The energy of a damped mode ripples; over whole periods of the damped motion the ripple cancels, so the rate is
    // chosen to fit 32 samples into one.
    let rate_hz = 32.0 * freq_hz * (1.0 - 0.25 / (q * q)).sqrt();
    let def = SceneDef::from_text(text).map_err(|cause| cause.to_string())?;
    let scene = Scene::build(&def, rate_hz).map_err(|cause| cause.to_string())?;
    let probe = scene.directory().probe("energy").map_err(|cause| cause.to_string())?;
    let frames = 32 * (q / PI).ceil().max(2.0) as usize;
    let mut engine = Engine::new(scene);
    engine.watch(&[probe]);
    let (mut out, mut rows) = (vec![0.0; frames + 1], vec![0.0; frames + 1]);
    engine.render_probed(&[], &mut Queue::new(), &mut out, &mut rows);
    match (rows.first(), rows.last()) {
        (Some(&first), Some(&last)) if last > 0.0 => Ok(2.0 * frames as f64 / rate_hz / (first / last).ln()),
        _ => Err(format!("a mode of {freq_hz} Hz fell silent")),
    }
}

fn scene(freq_hz: f64, decay_s: f64) -> String {
    format!(
        "version = 1\ntitle = \"one partial of a material\"\nduration_s = 1.0\n\n[body.bar]\ntype = \"modal\"\n\
         modes = [{{ freq_hz = {freq_hz:?}, decay_s = {decay_s:e}, mass_kg = 0.1 }}]\n\n\
         [[event]]\nat_s = 0.0\nhit = \"bar\"\nimpulse_n_s = 0.05\n\n[[tap]]\nof = \"bar\"\n"
    )
}

/// Every measured point: class, material, pitch, q, t_e.
struct Point {
    class: usize,
    id: &'static str,
    freq_hz: f64,
    q: f64,
    t_e_s: f64,
}

fn points() -> Result<Vec<Point>, String> {
    let mut all = Vec::new();
    for (class, row) in CLASSES.iter().enumerate() {
        for id in row.members() {
            let Some(entry) = Material::named(id) else { return Err(format!("no material {id}")) };
            for freq_hz in pitches_hz() {
                let t_e_s = measured_s(&entry.material, freq_hz)?;
                all.push(Point { class, id, freq_hz, q: PI * freq_hz * t_e_s, t_e_s });
            }
        }
    }
    Ok(all)
}

fn span(values: impl Iterator<Item = f64> + Clone) -> [f64; 2] {
    [values.clone().fold(f64::INFINITY, f64::min), values.fold(f64::NEG_INFINITY, f64::max)]
}

fn words(range: [f64; 2]) -> String {
    format!("{} to {}", short(range[0]), short(range[1]))
}

fn example() -> String {
    Material::named("oak").map_or(String::new(), |entry| scene(1000.0, entry.material.decay_s(1000.0)))
}

const LIMITS: &str = "the table is of answers of 22 listeners, whom no program replaces; compared are the materials of our \
                      table, played by the engine, with the ranges those listeners gave";

pub fn table_5_2() -> Result<Outcome, String> {
    let mut out = Outcome {
        csv: Csv::new(&["class", "material", "freq_hz", "q", "t_e_s"]),
        qualitative: Some(LIMITS.into()),
        scene: example(),
        ..Outcome::default()
    };
    let points = points()?;
    for p in &points {
        out.csv.row(&[CLASSES[p.class].paper, p.id], &[p.freq_hz, p.q, p.t_e_s]);
    }
    let mut panel = Panel::new("five pitches from 1 to 2 kHz", "", "q, powers of ten");
    panel.categories = CLASSES.iter().map(|class| class.paper.to_string()).collect();
    for (index, class) in CLASSES.iter().enumerate() {
        let own = || points.iter().filter(move |p| p.class == index);
        let members = class.members().join(", ");
        let (q, t) = (span(own().map(|p| p.q)), span(own().map(|p| p.t_e_s)));
        let inside = |range: [f64; 2], paper: [f64; 2]| range[0] >= paper[0] && range[1] <= paper[1];
        out.holds(format!("{}: q of {members}", class.paper), words(class.q), words(q), inside(q, class.q));
        let paper = class.t_e_right_s();
        out.holds(format!("{}: t_e, s", class.paper), words(paper), words(t), inside(t, paper));
        let x = index as f64;
        let name = |text: &str| if index == 0 { text.to_string() } else { String::new() };
        let range = class.q.map(|q| (x - 0.15, q.log10())).to_vec();
        panel.series.push(Series::new(name("more than half of the listeners"), 1, Look::DottedLine, range));
        let dots = own().map(|p| (x + 0.15, p.q.log10())).collect();
        panel.series.push(Series::new(name("our materials, played"), 2, Look::Dots, dots));
    }
    // The ends of every range, played: a body of that quality at the one of the five pitches to which the printed t_e belongs.
    for class in &CLASSES {
        for (end, which) in ["lower", "upper"].into_iter().enumerate() {
            let (q, wanted) = (class.q[end], class.t_e_right_s()[end]);
            let off = |f: &f64| (q / (PI * f) - wanted).abs();
            let Some(freq_hz) = pitches_hz().into_iter().min_by(|a, b| off(a).total_cmp(&off(b))) else { continue };
            let what = format!("{}: {which} t_e, q {q} at {freq_hz:.0} Hz as it sounds, s", class.paper);
            out.near(what, wanted, made_of_s(q, freq_hz)?, class.digit_s[end], 4);
        }
    }
    out.notes.push(
        "the lower t_e of glass, 4.34e-2 s, is steel's (q 272.8 at 2 kHz); with q 189.6 it is 3.02e-2 s at 2 kHz (C20)"
            .into(),
    );
    panel.legend = Corner::BottomRight;
    panel.x_range = Some((-0.6, 3.6));
    panel.y_range = Some((0.5, 4.0));
    out.figure = Figure {
        title: "Avanzini 2001 Table 5.2: quality factors that listeners take for a material".into(),
        panels: vec![panel],
    };
    Ok(out)
}

pub fn figure_5_7() -> Result<Outcome, String> {
    let mut out = Outcome {
        csv: Csv::new(&["class", "material", "freq_hz", "q_over_omega_s", "t_e_s"]),
        qualitative: Some(LIMITS.into()),
        scene: example(),
        ..Outcome::default()
    };
    let points = points()?;
    let over_omega = |p: &Point| {
        let stated = Material::named(p.id).map_or(0.0, |entry| entry.material.q(p.freq_hz));
        stated / (2.0 * PI * p.freq_hz)
    };
    let mut plane =
        Panel::new("the plane of the figure", "q/ω, powers of ten of a second", "t_e, powers of ten of a second");
    let mut pitch = Panel::new("the same over pitch", "frequency, Hz", "t_e, powers of ten of a second");
    let mut worst = 0.0f64;
    for (index, class) in CLASSES.iter().enumerate() {
        let colour = [1, 4, 2, 7][index];
        let t = class.t_e_right_s().map(f64::log10);
        // Along the line t_e = 2 q/ω the corners of the range in q/ω are half those in t_e.
        let x = class.t_e_right_s().map(|t| (0.5 * t).log10());
        let frame = vec![(x[0], t[0]), (x[1], t[0]), (x[1], t[1]), (x[0], t[1]), (x[0], t[0])];
        plane.series.push(Series::new(format!("{}, table 5.2", class.paper), colour, Look::Line, frame));
        for end in 0..2 {
            let line = pitches_hz().into_iter().enumerate().map(|(i, f)| (i as f64, (class.q[end] / (PI * f)).log10()));
            let name = if end == 0 { format!("{}, table 5.2", class.paper) } else { String::new() };
            let look = if end == 0 { Look::Line } else { Look::Dashed };
            pitch.series.push(Series::new(name, colour, look, line.collect()));
        }
        let own = || points.iter().filter(move |p| p.class == index);
        let dots = own().map(|p| (over_omega(p).log10(), p.t_e_s.log10())).collect();
        plane.series.push(Series::new(if index == 0 { "our materials" } else { "" }, colour, Look::Dots, dots));
        let dots = own().map(|p| ((p.freq_hz / 1000.0).log2() * 4.0, p.t_e_s.log10())).collect();
        pitch.series.push(Series::new("", colour, Look::Dots, dots));
        for p in own() {
            out.csv.row(&[class.paper, p.id], &[p.freq_hz, over_omega(p), p.t_e_s]);
            worst = worst.max((p.t_e_s / (2.0 * over_omega(p)) - 1.0).abs());
        }
    }
    out.holds(
        "every sound on the line t_e = 2 q/ω",
        "a single partial has no other choice",
        format!("off by {:.3} % at most", 100.0 * worst),
        worst < 1e-3,
    );
    let t = |index: usize| span(points.iter().filter(|p| p.class == index).map(|p| p.t_e_s));
    let (rubber, wood, glass, steel) = (t(0), t(1), t(2), t(3));
    out.holds(
        "low and high q well apart",
        "rubber, wood | glass, steel",
        format!("up to {} s | from {} s", short(rubber[1].max(wood[1])), short(glass[0].min(steel[0]))),
        glass[0].min(steel[0]) > 2.0 * rubber[1].max(wood[1]),
    );
    out.holds(
        "rubber and wood told apart",
        "better discriminated",
        format!("{} | {}", words(rubber), words(wood)),
        rubber[1] < wood[0],
    );
    out.holds(
        "glass and steel",
        "largely overlapping",
        format!("{} | {}", words(glass), words(steel)),
        glass[0] < steel[1] && steel[0] < glass[1],
    );
    out.notes.push(
        "right: the plane of Wildes and Richards, where a material (one q) is a falling line; solid the lower q of table \
         5.2, dashed the upper"
            .into(),
    );
    plane.legend = Corner::BottomRight;
    plane.x_range = Some((-3.7, 0.3));
    plane.y_range = Some((-3.4, 0.6));
    pitch.categories = pitches_hz().iter().map(|f| format!("{f:.0}")).collect();
    pitch.x_range = Some((-0.3, 4.3));
    pitch.y_range = Some((-3.4, 0.6));
    pitch.legend = Corner::BottomLeft;
    pitch.series.iter_mut().for_each(|series| series.name.clear());
    out.figure = Figure {
        title: "Avanzini 2001 Figure 5.7: materials on the q/ω, t_e plane".into(),
        panels: vec![plane, pitch],
    };
    Ok(out)
}
