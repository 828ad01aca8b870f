// SPDX-License-Identifier: MIT OR Apache-2.0
//! The audio half: orders in, samples out, reports back. Everything here is `[audio]` unless it says otherwise: no
//! allocation, no lock, no system call but the reading of the clock.

use super::governor::Governor;
use super::limiter::Limiter;
use super::order::{METERS, ORDERS, Order, Report, Scales, Status, Watch, What};
use rtrb::{Consumer, Producer};
use std::sync::atomic::Ordering;
use std::time::Instant;
use tocco::engine::{Command, Engine, START, Timed, hashed};

/// Frames rendered at once; longer blocks are cut.
pub(super) const MOST_FRAMES: usize = 4096;
/// Reports kept free for what is not an answer to an order.
const RESERVE: usize = 64;
/// Serial of the commands that the audio half gives itself.
const OWN: u64 = 0;

/// The audio half. Hand it to whatever calls for sound.
pub struct Player {
    pub(super) engine: Engine,
    pub(super) limiter: Option<Limiter>,
    pub(super) orders: Consumer<Order>,
    pub(super) reports: Producer<Report>,
    pub(super) readings: Producer<Status>,
    pub(super) tape: Option<Producer<f32>>,
    /// What waits for its tick, in order, with serials beside it.
    waiting: Vec<Timed>,
    serials: Vec<u64>,
    watched: Option<Box<Watch>>,
    next_probe: u64,
    scales: Option<Box<Scales>>,
    next_weighing: u64,
    governor: Option<Governor>,
    epoch: Instant,
    reading: Status,
    hash: u64,
    stop_at: Option<u64>,
    stopped: bool,
}

impl Player {
    /// `[control]`
    pub(super) fn new(
        engine: Engine,
        orders: Consumer<Order>,
        reports: Producer<Report>,
        readings: Producer<Status>,
        watch_load: bool,
        epoch: Instant,
    ) -> Self {
        Self {
            engine,
            limiter: None,
            orders,
            reports,
            readings,
            tape: None,
            waiting: Vec::with_capacity(ORDERS + 1),
            serials: Vec::with_capacity(ORDERS + 1),
            watched: None,
            next_probe: 0,
            scales: None,
            next_weighing: 0,
            governor: watch_load.then(Governor::new),
            epoch,
            reading: Status::default(),
            hash: START,
            stop_at: None,
            stopped: false,
        }
    }

    /// Channels of the sound, interleaved.
    pub fn channels(&self) -> usize {
        self.engine.scene().channels()
    }

    /// Samples a second: what the device must run at.
    pub fn rate_hz(&self) -> f64 {
        self.engine.scene().rate_hz()
    }

    /// True after the last sample: from then on there is silence.
    pub fn has_stopped(&self) -> bool {
        self.stopped
    }

    /// Fills a block of interleaved frames.
    pub fn play(&mut self, out: &mut [f32]) {
        let channels = self.channels();
        for block in out.chunks_mut(MOST_FRAMES * channels) {
            self.block(block, channels);
        }
    }

    fn block(&mut self, out: &mut [f32], channels: usize) {
        let began = Instant::now();
        let (tick, frames) = (self.engine.tick(), out.len() / channels);
        self.take_orders(tick);
        let left = self.stop_at.map_or(u64::MAX, |at| at.saturating_sub(tick));
        let frames = frames.min(left.min(MOST_FRAMES as u64) as usize);
        let (out, rest) = out.split_at_mut(frames * channels);
        rest.fill(0.0);
        if self.stopped {
            return;
        }
        let end = tick + frames as u64;
        let due = self.waiting.partition_point(|timed| timed.at < end);
        let health = self.engine.render(&mut self.waiting[..due], out);
        for (timed, serial) in self.waiting.drain(..due).zip(self.serials.drain(..due)) {
            let at = timed.at.max(tick);
            if serial != OWN {
                let _ = self.reports.push(Report::Done { serial, at });
            }
            // There is room: its own report was counted for, and a reserve is kept.
            let _ = match timed.command {
                Command::Replace { scene: Some(scene), .. } => self.reports.push(Report::Retired(scene)),
                Command::Touch { shape, .. } => self.reports.push(Report::Worn(shape)),
                _ => Ok(()),
            };
        }
        if let Some(limiter) = &mut self.limiter {
            self.reading.limited = self.reading.limited.min(limiter.limit(out));
        }
        self.keep(out, channels);
        while self.spare() > RESERVE / 2
            && let Some(scene) = self.engine.retired()
        {
            let _ = self.reports.push(Report::Retired(scene));
        }
        self.send_probes();
        self.weigh();
        self.reading.health = health;
        self.account(began, tick, frames);
        if self.stop_at == Some(end) {
            self.stopped = true;
            let _ = self.reports.push(Report::Stopped { at: end, hash: self.hash });
        }
    }

    /// Room for reports beyond those that waiting orders will need.
    fn spare(&self) -> usize {
        self.reports.slots().saturating_sub(self.waiting.len())
    }

    fn take_orders(&mut self, tick: u64) {
        while self.waiting.len() < ORDERS && self.spare() > RESERVE {
            let Ok(Order { serial, at, what }) = self.orders.pop() else { break };
            let at = at.max(tick);
            match what {
                What::Do(command) => {
                    if matches!(command, Command::Replace { .. } | Command::Hush) {
                        // What was meant for later was meant for what is here now.
                        let stale = self.waiting.partition_point(|timed| timed.at <= tick);
                        self.waiting.truncate(stale);
                        for serial in self.serials.drain(stale..) {
                            let _ = self.reports.push(Report::Dropped { serial });
                        }
                    }
                    self.schedule(serial, at, command);
                }
                What::Watch(watch) => {
                    self.next_probe = tick;
                    if let Some(before) = self.watched.replace(watch) {
                        let _ = self.reports.push(Report::Unwatched(before));
                    }
                }
                What::Weigh(scales) => {
                    self.next_weighing = tick;
                    if let Some(before) = self.scales.replace(scales) {
                        let _ = self.reports.push(Report::Unweighed(before));
                    }
                }
                What::Stop => self.stop_at = Some(self.stop_at.map_or(at, |before| before.min(at))),
            }
        }
    }

    fn schedule(&mut self, serial: u64, at: u64, command: Command) {
        let place = self.waiting.partition_point(|timed| timed.at <= at);
        self.waiting.insert(place, Timed { at, command });
        self.serials.insert(place, serial);
    }

    /// Meters, hash, tape.
    fn keep(&mut self, out: &[f32], channels: usize) {
        for frame in out.chunks_exact(channels) {
            for (channel, sample) in frame.iter().enumerate() {
                self.hash = hashed(self.hash, *sample);
                if channel < METERS {
                    self.reading.peak[channel] = self.reading.peak[channel].max(sample.abs());
                    self.reading.squares[channel] += f64::from(*sample) * f64::from(*sample);
                }
            }
        }
        if let Some(tape) = &mut self.tape {
            match tape.write_chunk(out.len()) {
                Ok(mut room) => {
                    let (first, second) = room.as_mut_slices();
                    first.copy_from_slice(&out[..first.len()]);
                    second.copy_from_slice(&out[first.len()..]);
                    room.commit_all();
                }
                Err(_) => self.reading.lost_frames += (out.len() / channels) as u64,
            }
        }
    }

    fn send_probes(&mut self) {
        let tick = self.engine.tick();
        let Some(watch) = self.watched.as_deref().filter(|watch| watch.every > 0) else { return };
        if tick < self.next_probe || self.spare() <= RESERVE / 2 {
            return;
        }
        self.next_probe = tick + u64::from(watch.every);
        let values = watch.probes.map(|probe| probe.map_or(0.0, |probe| self.engine.probe(probe)));
        let _ = self.reports.push(Report::Probes { at: tick, values });
    }

    /// Energies of groups of bodies, where the control half can read them at any time.
    fn weigh(&mut self) {
        let tick = self.engine.tick();
        let Some(scales) = self.scales.as_deref_mut().filter(|_| tick >= self.next_weighing) else { return };
        self.next_weighing = tick + u64::from(scales.every);
        self.engine.energies(&mut scales.energies);
        scales.sums.fill(0.0);
        for (body, group) in &scales.bodies {
            scales.sums[*group] += scales.energies[*body];
        }
        for (cell, sum) in scales.laid_out.iter().zip(&scales.sums) {
            cell.store(sum.to_bits(), Ordering::Relaxed);
        }
    }

    /// What the block has cost, and what follows from that.
    fn account(&mut self, began: Instant, tick: u64, frames: usize) {
        if frames == 0 {
            return;
        }
        let lasting_s = frames as f64 / self.rate_hz();
        let spent = began.elapsed();
        let load = spent.as_secs_f64() / lasting_s;
        let room = self.spare() > 1 && self.waiting.len() < ORDERS;
        if let Some(grade) = self.governor.as_mut().filter(|_| room).and_then(|g| g.judge(load, lasting_s)) {
            let at = self.engine.tick();
            self.schedule(OWN, at, grade.command());
            let _ = self.reports.push(Report::Shed { at, grade });
        }
        let reading = &mut self.reading;
        (reading.tick, reading.began) = (self.engine.tick(), tick);
        reading.began_ns = began.duration_since(self.epoch).as_nanos() as u64;
        reading.frames += frames as u64;
        reading.spent_ns += spent.as_nanos() as u64;
        reading.budget_ns += (1e9 * lasting_s) as u64;
        if let Some(governor) = &self.governor {
            reading.grade = governor.grade();
            reading.load = reading.load.max(load as f32);
            reading.late_blocks += u64::from(load > 1.0);
        }
        let health = reading.health;
        if self.readings.push(*reading).is_ok() {
            self.reading = Status { health, ..Status::default() };
        }
    }
}
