// SPDX-License-Identifier: MIT OR Apache-2.0
//! One blow of a hammer, through a scene and the engine: what every item calls "ours".

use std::fmt::Write as _;
use tocco::Queue;
use tocco::engine::Engine;
use tocco::papers::hammer::Mode;
use tocco::papers::{Law, State, Wall};
use tocco::scene::{Scene, SceneDef};
use tocco::theory::WallImpact;

/// The papers' sample rate, Hz.
pub const RATE_HZ: f64 = 44_100.0;

/// What is watched, in the order of a row.
const SIGNALS: [&str; 8] = [
    "hammer.position",
    "hammer.velocity",
    "struck.position",
    "struck.velocity",
    "hit.compression",
    "hit.force",
    "energy",
    "work",
];

/// A mass thrown at a wall or at a modal body.
#[derive(Clone, Debug)]
pub struct Blow {
    pub hammer_kg: f64,
    pub law: Law,
    pub velocity_m_s: f64,
    /// Where the hammer starts, m; 0 is the surface at rest, negative is away from it.
    pub start_m: f64,
    pub gravity_m_s2: f64,
    /// Empty: a rigid wall.
    pub modes: Vec<Mode>,
    /// Impulse that sets the modal body ringing at t = 0, N s.
    pub ringing_n_s: f64,
}

/// What happened, at t = 0, 1/rate, 2/rate, ...; the force is the mean over the sample that ends there.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    pub gravity_m_s2: f64,
    pub time_s: Vec<f64>,
    pub hammer_m: Vec<f64>,
    pub hammer_m_s: Vec<f64>,
    pub struck_m: Vec<f64>,
    pub struck_m_s: Vec<f64>,
    pub compression_m: Vec<f64>,
    pub force_n: Vec<f64>,
    /// Bodies and contact, J.
    pub energy_j: Vec<f64>,
    /// Put in from outside, J.
    pub work_j: Vec<f64>,
}

/// One contact of a trace.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    pub from_s: f64,
    pub to_s: f64,
    /// Closing speed at release, m/s, negative.
    pub out_m_s: f64,
}

impl Blow {
    /// A hammer at the surface of a rigid wall.
    pub fn on_wall(impact: WallImpact) -> Self {
        Self {
            hammer_kg: impact.mass_kg,
            law: Law {
                stiffness: impact.stiffness,
                exponent: impact.exponent,
                dissipation_s_m: impact.dissipation_s_m,
            },
            velocity_m_s: impact.velocity_m_s,
            start_m: 0.0,
            gravity_m_s2: 0.0,
            modes: Vec::new(),
            ringing_n_s: 0.0,
        }
    }

    /// The scene file.
    pub fn scene(&self, title: &str, duration_s: f64) -> String {
        let mut text = format!(
            "version = 1\ntitle = \"{title}\"\nduration_s = {duration_s:?}\nrate_hz = {RATE_HZ:?}\n\n\
             [body.hammer]\ntype = \"mass\"\nmass_kg = {:?}\nposition_m = {:?}\nvelocity_m_s = {:?}\n",
            self.hammer_kg, self.start_m, self.velocity_m_s
        );
        if self.gravity_m_s2 != 0.0 {
            let _ = writeln!(text, "gravity_m_s2 = {:?}", self.gravity_m_s2);
        }
        if self.modes.is_empty() {
            text.push_str("\n[body.struck]\ntype = \"wall\"\n");
        } else {
            text.push_str("\n[body.struck]\ntype = \"modal\"\nmodes = [\n");
            for mode in &self.modes {
                let _ = write!(text, "  {{ freq_hz = {:?}, ", mode.freq_hz);
                if mode.decay_s.is_finite() {
                    let _ = write!(text, "decay_s = {:?}, ", mode.decay_s);
                }
                let _ = writeln!(text, "mass_kg = {:?} }},", mode.mass_kg);
            }
            text.push_str("]\n");
        }
        let _ = write!(
            text,
            "\n[contact.hit]\ntype = \"impact\"\nbetween = [\"hammer\", \"struck\"]\nstiffness = {:?}\nexponent = {:?}\n\
             dissipation_s_m = {:?}\n",
            self.law.stiffness, self.law.exponent, self.law.dissipation_s_m
        );
        if self.ringing_n_s != 0.0 {
            let _ = write!(text, "\n[[event]]\nat_s = 0.0\nhit = \"struck\"\nimpulse_n_s = {:?}\n", self.ringing_n_s);
        }
        let of = if self.modes.is_empty() { "hammer" } else { "struck" };
        let _ = write!(text, "\n[[tap]]\nof = \"{of}\"\nquantity = \"velocity\"\n");
        text
    }

    /// Runs it at the papers' rate.
    pub fn run(&self, duration_s: f64) -> Result<Trace, String> {
        self.run_at(RATE_HZ, duration_s)
    }

    /// Runs it at any rate.
    pub fn run_at(&self, rate_hz: f64, duration_s: f64) -> Result<Trace, String> {
        let def = SceneDef::from_text(&self.scene("", duration_s)).map_err(|cause| cause.to_string())?;
        let scene = Scene::build(&def, rate_hz).map_err(|cause| cause.to_string())?;
        let probes = SIGNALS
            .iter()
            .map(|signal| scene.directory().probe(signal))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|cause| cause.to_string())?;
        let frames = (duration_s * rate_hz).ceil() as usize;
        let mut out = vec![0.0; frames * scene.channels()];
        let mut rows = vec![0.0; frames * SIGNALS.len()];
        let mut engine = Engine::new(scene);
        engine.watch(&probes);
        let energy_j = engine.energy();
        let health = engine.render_probed(&[], &mut Queue::new(), &mut out, &mut rows);
        if health.unconverged > 0 {
            return Err(format!("{} contact steps did not converge", health.unconverged));
        }
        let start = [self.start_m, self.velocity_m_s, 0.0, 0.0, self.start_m, 0.0, energy_j, 0.0];
        let column =
            |i: usize| std::iter::once(start[i]).chain(rows.iter().skip(i).step_by(SIGNALS.len()).copied()).collect();
        Ok(Trace {
            gravity_m_s2: self.gravity_m_s2,
            time_s: (0..=frames).map(|n| n as f64 / rate_hz).collect(),
            hammer_m: column(0),
            hammer_m_s: column(1),
            struck_m: column(2),
            struck_m_s: column(3),
            compression_m: column(4),
            force_n: column(5),
            energy_j: column(6),
            work_j: column(7),
        })
    }

    /// Runs it until the contact with a wall is over: twice as long as it lasts.
    pub fn run_contact(&self, rate_hz: f64) -> Result<Trace, String> {
        let impact = WallImpact {
            mass_kg: self.hammer_kg,
            stiffness: self.law.stiffness,
            exponent: self.law.exponent,
            dissipation_s_m: self.law.dissipation_s_m,
            velocity_m_s: self.velocity_m_s,
        };
        self.run_at(rate_hz, 2.0 * impact.contact_time_s() - self.start_m / self.velocity_m_s + 4.0 / rate_hz)
    }
}

impl Trace {
    /// The samples of one of the papers' schemes.
    pub fn of_scheme(wall: &Wall, states: &[State]) -> Self {
        let column = |pick: fn(&State) -> f64| states.iter().map(pick).collect::<Vec<f64>>();
        let still = vec![0.0; states.len()];
        Self {
            gravity_m_s2: wall.gravity_m_s2,
            time_s: (0..states.len()).map(|n| n as f64 * wall.dt_s).collect(),
            hammer_m: column(|s| s.x_m),
            hammer_m_s: column(|s| s.v_m_s),
            struck_m: still.clone(),
            struck_m_s: still.clone(),
            compression_m: column(|s| s.x_m),
            force_n: column(|s| s.f_n),
            energy_j: states.iter().map(|s| wall.energy_j(*s)).collect(),
            work_j: states.iter().map(|s| wall.mass_kg * wall.gravity_m_s2 * s.x_m).collect(),
        }
    }

    /// Closing speed at a sample, m/s.
    fn closing_m_s(&self, n: usize) -> f64 {
        self.hammer_m_s[n] - self.struck_m_s[n]
    }

    /// Every contact that has ended. Touch and release are placed inside their sample by free flight.
    pub fn touches(&self) -> Vec<Touch> {
        let mut found = Vec::new();
        let mut open: Option<f64> = None;
        let g = self.gravity_m_s2;
        for n in 1..self.time_s.len() {
            let (before, after) = (self.compression_m[n - 1], self.compression_m[n]);
            if open.is_none() && (self.force_n[n] > 0.0 || after > 0.0) {
                let v = self.closing_m_s(n - 1);
                let at_surface = (v * v - 2.0 * g * before.min(0.0)).max(0.0).sqrt();
                let wait = if before < 0.0 && v + at_surface > 0.0 { -2.0 * before / (v + at_surface) } else { 0.0 };
                open = Some(self.time_s[n - 1] + wait.min(self.time_s[n] - self.time_s[n - 1]));
            }
            if after <= 0.0
                && let Some(from_s) = open.take()
            {
                let v = self.closing_m_s(n);
                let at_surface = (v * v - 2.0 * g * after).max(0.0).sqrt();
                let since = if v < 0.0 { 2.0 * after / (v - at_surface) } else { 0.0 };
                found.push(Touch { from_s, to_s: (self.time_s[n] - since).max(from_s), out_m_s: -at_surface });
            }
        }
        found
    }

    /// The first contact, which must exist.
    pub fn touch(&self) -> Result<Touch, String> {
        self.touches().first().copied().ok_or_else(|| "the hammer never left the contact".into())
    }

    /// Largest sampled compression, m.
    pub fn depth_m(&self) -> f64 {
        self.compression_m.iter().copied().fold(0.0, f64::max)
    }

    /// Largest rise of energy - work in one sample, as a share of the energy at the start.
    pub fn worst_growth(&self) -> f64 {
        let net = |n: usize| self.energy_j[n] - self.work_j[n];
        let first = self.energy_j.iter().copied().fold(0.0, f64::max);
        (1..self.time_s.len()).map(|n| (net(n) - net(n - 1)) / first).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Pairs of two columns for a chart, each in its own unit.
    pub fn pairs(x: &[f64], x_unit: f64, y: &[f64], y_unit: f64) -> Vec<(f64, f64)> {
        x.iter().zip(y).map(|(x, y)| (x / x_unit, y / y_unit)).collect()
    }
}
