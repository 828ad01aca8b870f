// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene to play hard: twenty bars of a hundred modes, a hammer to each, struck at random under a storm of parameters.

use crate::error::Result;
use crate::library;
use crate::live::{self, Desk, Player, Setup};
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use tocco::Document;
use tocco::rng::Rng;
use tocco_lab::bench::{Section, Table, TemporaryFolder};

/// Bars, and hammers.
pub const HAMMERS: usize = 20;
/// Modes of a bar.
const MODES: usize = 100;
/// Frames of a block.
pub const BLOCK: usize = 64;
/// Hz
pub const RATE_HZ: f64 = 48_000.0;

/// 2000 modes and 20 hammers.
pub fn scene() -> Result<Document> {
    let mut text = String::from("title = \"2000 modes, 20 hammers\"\n");
    for bar in 0..HAMMERS {
        let lowest = 110.0 * 2_f64.powf(bar as f64 / 7.0);
        let mode = |i: usize| {
            let freq_hz = lowest * (1.0 + 0.37 * i as f64) * (1.0 + 0.001 * (i * i % 7) as f64);
            let freq_hz = if freq_hz > 20_000.0 { 300.0 + freq_hz % 19_000.0 } else { freq_hz };
            format!("{{ freq_hz = {freq_hz:?}, decay_s = {:?}, mass_kg = 0.1 }}, ", 300.0 / (freq_hz + 200.0))
        };
        let modes: String = (0..MODES).map(mode).collect();
        let _ = write!(
            text,
            "[body.hammer{bar}]\ntype = \"mass\"\nmass_kg = 0.02\nposition_m = -0.01\n\
             [body.bar{bar}]\ntype = \"modal\"\nmodes = [{modes}]\n\
             [contact.hit{bar}]\ntype = \"impact\"\nbetween = [\"hammer{bar}\", \"bar{bar}\"]\nstiffness = 1e8\n\
             dissipation_s_m = 0.3\n[[tap]]\nof = \"bar{bar}\"\ngain = 0.05\npan_01 = {:?}\n",
            bar as f64 / (HAMMERS - 1) as f64
        );
    }
    library::from_text("demanding", "the demanding scene", text, None)
}

/// Both halves for it, without a governor, so that nothing is shed.
pub fn open() -> Result<(Desk, Player)> {
    live::open(scene()?, Setup { rate_hz: Some(RATE_HZ), watch_load: false, ..Setup::default() })
}

/// What one player does: ten thousand changes and a hundred strikes a second.
pub struct Storm {
    rng: Rng,
    kinds: u64,
    sets: f64,
    strikes: f64,
}

impl Default for Storm {
    fn default() -> Self {
        Self { rng: Rng::new(1, "storm"), kinds: 3, sets: 0.0, strikes: 0.0 }
    }
}

impl Storm {
    /// Not only contacts and hammers: one of the bars is pushed and all its modes retuned, without a pause.
    pub fn of_everything() -> Self {
        Self { kinds: 6, ..Self::default() }
    }

    /// The gestures of the next so many seconds.
    pub fn blow(&mut self, desk: &mut Desk, seconds: f64) -> Result<()> {
        self.sets += 10_000.0 * seconds;
        self.strikes += 100.0 * seconds;
        while self.strikes >= 1.0 {
            self.strikes -= 1.0;
            let hammer = self.rng.bits() % HAMMERS as u64;
            desk.strike(&format!("hammer{hammer}"), self.rng.between(0.2, 3.0))?;
        }
        while self.sets >= 1.0 {
            self.sets -= 1.0;
            let bar = self.rng.bits() % HAMMERS as u64;
            match self.rng.bits() % self.kinds {
                0 => desk.set(&format!("hit{bar}/stiffness"), self.rng.between_log(1e7, 1e9))?,
                1 => desk.set(&format!("hit{bar}/dissipation_s_m"), self.rng.between(0.0, 1.0))?,
                2 => desk.set(&format!("hammer{bar}/mass_kg"), self.rng.between(0.01, 0.03))?,
                3 => desk.set("bar0/force_n", self.rng.between(-1.0, 1.0))?,
                4 => desk.set("bar0/freq_scale", self.rng.between(0.9, 1.0))?,
                _ => desk.set("bar0/decay_scale", self.rng.between(0.5, 2.0))?,
            };
        }
        Ok(desk.poll()?)
    }
}

/// Parts of their time that blocks took.
pub struct Loads {
    sorted: Vec<f64>,
}

impl Loads {
    /// From times.
    pub fn new(times: &[Duration]) -> Self {
        let mut sorted: Vec<f64> = times.iter().map(|t| t.as_secs_f64() * RATE_HZ / BLOCK as f64).collect();
        sorted.sort_by(f64::total_cmp);
        Self { sorted }
    }

    /// Part of the time that so many of the blocks (0..1) stayed below.
    pub fn at(&self, share: f64) -> f64 {
        let index = (share * self.sorted.len() as f64).ceil() as usize;
        self.sorted.get(index.clamp(1, self.sorted.len().max(1)) - 1).copied().unwrap_or(0.0)
    }

    /// A line per range.
    pub fn histogram(&self) -> String {
        let bounds = [0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 1.0, f64::INFINITY];
        let mut text = String::new();
        let mut low = 0.0;
        for high in bounds {
            let count = self.sorted.iter().filter(|load| **load > low && **load <= high).count();
            let _ = writeln!(text, "  {:3.0} to {:3.0} % of the time: {count} blocks", 100.0 * low, 100.0 * high);
            low = high;
        }
        text
    }
}

/// Plays so many seconds as fast as it goes; what each block took.
pub fn measure(seconds: f64) -> Result<Loads> {
    let (mut desk, mut player) = open()?;
    let mut storm = Storm::default();
    let block_s = BLOCK as f64 / RATE_HZ;
    let mut out = vec![0.0; BLOCK * desk.channels()];
    let mut times = Vec::new();
    for _ in 0..(seconds / block_s) as usize {
        storm.blow(&mut desk, block_s)?;
        let began = Instant::now();
        player.play(&[], &mut out);
        times.push(began.elapsed());
    }
    Ok(Loads::new(&times))
}

/// What the table says of it.
pub const SECTION: Section = Section { name: "live", measure: table };

/// Blocks of 64 samples at 48 kHz under ten thousand changes and a hundred strikes a second.
fn table(table: &mut Table, _: &TemporaryFolder) -> Result<()> {
    table.heading("live, blocks of 64 samples, part of their time", ["median", "99.9 %", "most", "goal"])?;
    let loads = measure(30.0)?;
    let percent = |share: f64| format!("{:.0} %", 100.0 * loads.at(share));
    let columns = [percent(0.5), percent(0.999), percent(1.0), "<= 50 %".into()];
    table.figure("2000 modes, 20 hammers at random", columns, loads.at(0.999) <= 0.5)
}
