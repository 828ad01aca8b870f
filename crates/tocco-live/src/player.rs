// SPDX-License-Identifier: MIT OR Apache-2.0
//! The audio half: requests in, samples out, reports back. Everything here is `[audio]` unless it says otherwise: no
//! allocation, no lock, no system call but what the clock that was handed in does.

mod pushes;

pub(crate) use pushes::{Pushes, setting};

use crate::Clock;
use crate::echo::Gate;
use crate::governor::Governor;
use crate::limiter::Limiter;
use crate::report::{Ending, Garbage, METERS, OUTPUTS, PROBES, Report, Status};
use rtrb::{Consumer, Producer};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tocco::engine::{START, hashed};
use tocco::scene::{Grip, Happening, Output, Probe, Touch};
use tocco::{Command, Engine, Health, Queue, Timed};

/// Requests that wait at most, in the ring and for their tick.
pub(crate) const REQUESTS: usize = 8192;
/// Frames rendered at once; longer blocks are cut.
pub(crate) const MOST_FRAMES: usize = 4096;
/// Reports that a waiting request may still need.
const REPORTS_EACH: usize = 2;
/// Reports kept free for what is not an answer to a request.
const RESERVE: usize = 64;
/// Marks of a take come so often, s.
const MARK_S: f64 = 0.5;
/// Serial of the commands that the audio half gives itself.
const OWN: u64 = 0;
/// Serial of commands that were pushed on the audio side.
const PUSHED: u64 = u64::MAX;
/// Sound below this is not heard (-100 dBFS) ...
const QUIET: f32 = 1e-5;
/// ... and nothing is in the air any more if it has stayed there for so long, s.
const QUIET_S: f64 = 1.0;

/// What the control half wants.
pub(crate) struct Request {
    /// By which its report is known.
    pub serial: u64,
    /// Tick; 0 or any tick that has passed: the next block boundary.
    pub at: u64,
    pub job: Job,
}

/// What a request is about.
pub(crate) enum Job {
    /// For the engine, at its tick.
    Command(Command),
    /// Another scene, with the outputs that its limiters follow.
    Replace(Command, Box<[Output]>),
    /// Signals to send back from now on.
    Watch(Box<WatchList>),
    /// Energies to show from now on.
    WatchEnergies(Box<EnergyGroups>),
    /// Where parameters stand, to show from now on.
    WatchSettings(Box<Settings>),
    /// The end of a take, not of the sound.
    EndTake,
    /// The end of the sound.
    Stop,
}

/// Groups of bodies whose energy is shown to the control half, about every so many samples.
pub(crate) struct EnergyGroups {
    /// Bodies with the group that each belongs to.
    pub bodies: Vec<(usize, usize)>,
    /// Room for the energy of every body, and of every group.
    pub energies: Vec<f64>,
    pub sums: Vec<f64>,
    /// What was last found, as the bits of a number, per group.
    pub shown: Arc<[AtomicU64]>,
    pub every: u32,
}

/// Where the parameters of the present scene stand, shown to the control half about every so many samples.
pub(crate) struct Settings {
    pub shown: Arc<Shown>,
    pub every: u32,
}

/// Parameters as the audio half last found them.
pub(crate) struct Shown {
    /// The bits of each; NaN: not yet.
    pub values: Box<[AtomicU64]>,
    /// Serial of the last request that they have felt.
    pub serial: AtomicU64,
}

/// Signals to send back, every so many samples; 0: never.
pub(crate) struct WatchList {
    pub probes: [Option<Probe>; PROBES],
    pub every: u32,
}

/// When the audio half was last called and came back, ns by the clock; 0: never.
#[derive(Default)]
pub(crate) struct Pulse {
    pub began_ns: AtomicU64,
    pub ended_ns: AtomicU64,
}

/// The audio half. Hand it to whatever calls for sound.
pub struct Player {
    pub(crate) engine: Engine,
    pub(crate) limiter: Option<Limiter>,
    pub(crate) requests: Consumer<Request>,
    pub(crate) reports: Producer<Report>,
    pub(crate) readings: Producer<Status>,
    /// Sound that somebody writes to a file, and sound that came in, for a take.
    pub(crate) tape: Option<Producer<f32>>,
    pub(crate) input_tape: Option<Producer<f32>>,
    pub(crate) inputs: usize,
    /// Takes the loudspeaker out of what the microphone hears.
    pub(crate) gate: Option<Gate>,
    /// What waits for its tick.
    pub(crate) queue: Queue,
    /// Outputs of a scene that waits, until it sounds.
    next_outputs: Option<(u64, Box<[Output]>)>,
    watched: Option<Box<WatchList>>,
    next_probe: u64,
    energies: Option<Box<EnergyGroups>>,
    next_energies: u64,
    settings: Option<Box<Settings>>,
    next_settings: u64,
    /// Serial of the last request that was taken.
    taken: u64,
    next_mark: u64,
    governor: Option<Governor>,
    clock: Option<Clock>,
    pub(crate) pulse: Arc<Pulse>,
    pub(crate) pushes: Arc<Pushes>,
    reading: Status,
    hash: u64,
    /// Frames that came in and are missing from the input tape, in all.
    lost_input: u64,
    /// Frames since the sound was last above [`QUIET`].
    pub(crate) quiet: u64,
    /// Levels are measured, and the hash of all sound.
    pub(crate) meters: bool,
    /// Interleaved frames on their way to planes.
    frames: Vec<f32>,
    stop_at: Option<u64>,
    stopped: bool,
}

impl Player {
    /// `[control]`
    pub(crate) fn new(
        engine: Engine,
        requests: Consumer<Request>,
        reports: Producer<Report>,
        readings: Producer<Status>,
        pushes: Arc<Pushes>,
        watch_load: bool,
        clock: Option<Clock>,
    ) -> Self {
        Self {
            inputs: engine.scene().directory().inputs(),
            gate: None,
            frames: vec![0.0; MOST_FRAMES * engine.scene().channels()],
            quiet: 0,
            meters: true,
            engine,
            limiter: None,
            requests,
            reports,
            readings,
            tape: None,
            input_tape: None,
            queue: Queue::with_room(REQUESTS + 1),
            next_outputs: None,
            watched: None,
            next_probe: 0,
            energies: None,
            next_energies: 0,
            settings: None,
            next_settings: 0,
            taken: 0,
            next_mark: 0,
            governor: (watch_load && clock.is_some()).then(Governor::new),
            clock,
            pulse: Arc::default(),
            pushes,
            reading: Status::default(),
            hash: START,
            lost_input: 0,
            stop_at: None,
            stopped: false,
        }
    }

    /// Channels of the sound, interleaved.
    pub fn channels(&self) -> usize {
        self.engine.scene().channels()
    }

    /// Channels of sound that the scene wants to hear; 0: the device need open no input.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// Samples a second: what the device must run at.
    pub fn rate_hz(&self) -> f64 {
        self.engine.scene().rate_hz()
    }

    /// The engine behind it, to look at. Between blocks only.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The next thing that a process has done and nobody has taken yet: [`Engine::take_happening`]. Between blocks only.
    pub fn take_happening(&mut self) -> Option<Happening> {
        self.engine.take_happening()
    }

    /// Notes from here on when contacts begin and end, or no more: [`Engine::watch_touches`]. Between blocks only.
    pub fn watch_touches(&mut self, wanted: bool) {
        self.engine.watch_touches(wanted);
    }

    /// How a contact was held since this was last asked: [`Engine::grip`]. Between blocks only.
    pub fn grip(&mut self, contact: usize) -> Option<Grip> {
        self.engine.grip(contact)
    }

    /// The next contact that has begun or ended and that nobody has taken yet: [`Engine::take_touch`]. Between blocks only.
    pub fn take_touch(&mut self) -> Option<Touch> {
        self.engine.take_touch()
    }

    /// A command of numbers at its sample, from the thread of the sound: a tick that has passed means the start of the next
    /// block. It reaches takes and the desk's values as if the desk had sent it. Handed back if too much waits already, if it
    /// holds memory (a scene, a stream, a touch: those go by the desk), or if a take is being recorded and the desk has not
    /// been polled for so long that it could not be told of. Without a take nobody need poll.
    pub fn push(&mut self, timed: Timed) -> Result<(), Command> {
        let Timed { at, command } = timed;
        let untold = || self.is_recorded() && self.spare() <= RESERVE;
        if of_numbers(&command).is_none() || self.queue.len() >= REQUESTS || untold() {
            return Err(command);
        }
        let at = at.max(self.engine.tick());
        if matches!(command, Command::Hush) {
            self.forget_after(at);
        }
        self.queue.try_push(at, command, PUSHED)
    }

    /// True if nothing waits, the scene's own gestures are over, and what came out has stayed below -100 dBFS for a second:
    /// a host may stop asking for sound until the next gesture. What is driven for ever, softly, is quiet, too.
    pub fn is_quiet(&self) -> bool {
        let begun = self.engine.tick() - self.engine.began();
        self.stopped
            || self.queue.is_empty()
                && self.requests.is_empty()
                && begun >= self.engine.scene().last_cue()
                && self.quiet as f64 >= QUIET_S * self.rate_hz()
    }

    /// As [`Player::play`], a slice for each channel; the shortest tells how many frames there are. Channels beyond those of
    /// the scene are silent, those that are missing are not heard.
    pub fn play_planar(&mut self, inputs: &[&[f32]], out: &mut [&mut [f32]]) {
        let (channels, frames) = (self.channels(), out.iter().map(|channel| channel.len()).min().unwrap_or(0));
        if frames == 0 {
            return self.play(inputs, &mut []);
        }
        let mut room = std::mem::take(&mut self.frames); // an empty one holds no memory
        let mut from = 0;
        while from < frames {
            let count = (frames - from).min(MOST_FRAMES);
            let block = &mut room[..count * channels];
            self.block(&part(inputs, from, count)[..inputs.len().min(METERS)], block, &mut [], channels);
            for (channel, plane) in out.iter_mut().enumerate() {
                let plane = &mut plane[from..from + count];
                match channel < channels {
                    true => {
                        plane.iter_mut().zip(block[channel..].iter().step_by(channels)).for_each(|(to, x)| *to = *x)
                    }
                    false => plane.fill(0.0),
                }
            }
            from += count;
        }
        self.frames = room;
    }

    /// True after the last sample: from then on there is silence.
    pub fn has_stopped(&self) -> bool {
        self.stopped
    }

    /// Fills a block of interleaved frames; `inputs` are channels of sound that came in, none or as long as the block. A
    /// block of no frames only takes what waits in the ring.
    pub fn play(&mut self, inputs: &[&[f32]], out: &mut [f32]) {
        self.play_probed(inputs, out, &mut []);
    }

    /// As [`Player::play`], and writes the signals that are watched after every sample: a row for each frame, which holds
    /// as many of them, in their order, as the room for rows allows. The engine then steps sample by sample.
    pub fn play_probed(&mut self, inputs: &[&[f32]], out: &mut [f32], mut rows: &mut [f64]) {
        let channels = self.channels();
        if out.is_empty() {
            self.take_requests(self.engine.tick());
        }
        let width = rows.len() / (out.len() / channels).max(1);
        let mut from = 0;
        for block in out.chunks_mut(MOST_FRAMES * channels) {
            let frames = block.len() / channels;
            let (now, later) = rows.split_at_mut(frames * width);
            match inputs {
                [] => self.block(&[], block, now, channels),
                _ => self.block(&part(inputs, from, frames)[..inputs.len().min(METERS)], block, now, channels),
            }
            (rows, from) = (later, from + frames);
        }
    }

    fn block(&mut self, inputs: &[&[f32]], out: &mut [f32], rows: &mut [f64], channels: usize) {
        let Some(mut gate) = self.gate.take() else { return self.gated_block(inputs, out, rows, channels) };
        // What is heard, recorded and rendered again is what the gate lets through.
        let mut passed: [&[f32]; METERS] = [&[]; METERS];
        let frames = out.len() / channels;
        let mut count = 0;
        for (place, lane) in passed.iter_mut().zip(gate.pass(inputs, frames)) {
            (*place, count) = (lane, count + 1);
        }
        self.gated_block(&passed[..count], out, rows, channels);
        gate.note(out, channels, inputs);
        self.gate = Some(gate);
    }

    fn gated_block(&mut self, inputs: &[&[f32]], out: &mut [f32], rows: &mut [f64], channels: usize) {
        let began_ns = self.now_ns();
        self.pulse.began_ns.store(began_ns, Ordering::Release);
        let (tick, frames) = (self.engine.tick(), out.len() / channels);
        let width = rows.len() / frames.max(1);
        self.take_requests(tick);
        let left = self.stop_at.map_or(u64::MAX, |at| at.saturating_sub(tick));
        let frames = frames.min(left.min(MOST_FRAMES as u64) as usize);
        let (out, rest) = out.split_at_mut(frames * channels);
        rest.fill(0.0);
        rows[frames * width..].fill(0.0);
        if self.stopped {
            self.pulse.ended_ns.store(began_ns, Ordering::Release);
            return;
        }
        let (end, recorded) = (tick + frames as u64, self.is_recorded());
        let mut directory = self.engine.scene().directory();
        for pending in self.queue.iter().take_while(|pending| pending.timed.at < end) {
            // What comes behind another scene is meant for that one.
            if let Command::Replace { scene: Some(scene), .. } = &pending.timed.command {
                self.pushes.forget();
                directory = scene.directory();
            }
            // There is room: a request is only taken when its reports have some, and a reserve is kept.
            let at = pending.timed.at.max(tick);
            match pending.serial {
                OWN => {}
                PUSHED if !recorded => self.pushes.keep(directory, &pending.timed.command),
                PUSHED => {
                    if let Some(command) = of_numbers(&pending.timed.command) {
                        let _ = self.reports.push(Report::Pushed { at, command });
                    }
                }
                serial => {
                    let _ = self.reports.push(Report::Done { serial, at });
                }
            }
        }
        let health = self.render(inputs, out, &mut rows[..frames * width]);
        self.hand_back_spent();
        self.limit(out, tick, end);
        self.keep(inputs, out, channels);
        while self.spare() > RESERVE / 2
            && let Some(scene) = self.engine.retired()
        {
            let _ = self.reports.push(Report::Freed(Garbage::Scene(scene)));
        }
        self.send_probes();
        self.read_energies();
        self.read_settings();
        if recorded && end >= self.next_mark && self.spare() > RESERVE / 2 {
            self.next_mark = end + (MARK_S * self.rate_hz()) as u64;
            let _ = self.reports.push(Report::Mark(self.ending(end)));
        }
        self.reading.health = health;
        self.account(began_ns, tick, frames);
        if self.stop_at == Some(end) {
            self.stopped = true;
            let _ = self.reports.push(Report::Stopped(self.ending(end)));
        }
    }

    fn render(&mut self, inputs: &[&[f32]], out: &mut [f32], rows: &mut [f64]) -> Health {
        if rows.is_empty() {
            return self.engine.render(inputs, &mut self.queue, out);
        }
        // A block cut into single frames gives the same samples, and the engine can be looked at after each.
        let channels = self.channels();
        let width = rows.len() / (out.len() / channels);
        let frames = out.chunks_exact_mut(channels).zip(rows.chunks_exact_mut(width));
        for (at, (frame, row)) in frames.enumerate() {
            self.engine.render(&part(inputs, at, 1)[..inputs.len()], &mut self.queue, frame);
            let probes = self.watched.as_deref().map_or(&[][..], |list| &list.probes);
            for (column, cell) in row.iter_mut().enumerate() {
                *cell = probes.get(column).copied().flatten().map_or(0.0, |probe| self.engine.probe(probe));
            }
        }
        self.engine.health()
    }

    fn ending(&self, at: u64) -> Ending {
        Ending { at, hash: self.hash, lost_input: self.lost_input }
    }

    fn is_recorded(&self) -> bool {
        self.pushes.recorded.load(Ordering::Acquire)
    }

    fn now_ns(&self) -> u64 {
        self.clock.as_ref().map_or(0, |clock| clock())
    }

    /// Room for reports beyond those that waiting requests will need: what became of each, and what it leaves to be freed.
    fn spare(&self) -> usize {
        let outputs = usize::from(self.next_outputs.is_some());
        self.reports.slots().saturating_sub(REPORTS_EACH * self.queue.len() + outputs)
    }

    /// What commands leave to be freed goes back.
    fn hand_back_spent(&mut self) {
        while let Some(command) = self.queue.spent() {
            let _ = self.reports.push(Report::Freed(Garbage::Command(command)));
        }
    }

    fn take_requests(&mut self, tick: u64) {
        while self.queue.len() < REQUESTS && self.spare() > RESERVE {
            let Ok(Request { serial, at, job }) = self.requests.pop() else { break };
            let at = at.max(tick);
            self.taken = serial;
            match job {
                Job::Command(command) => {
                    if matches!(command, Command::Hush) {
                        self.forget_after(at);
                    }
                    self.schedule(serial, at, command);
                }
                Job::Replace(command, outputs) => {
                    self.forget_after(at);
                    self.schedule(serial, at, command);
                    if let Some((_, before)) = self.next_outputs.replace((at, outputs)) {
                        let _ = self.reports.push(Report::Freed(Garbage::Outputs(before)));
                    }
                }
                Job::Watch(list) => {
                    self.next_probe = tick;
                    if let Some(before) = self.watched.replace(list) {
                        let _ = self.reports.push(Report::Freed(Garbage::WatchList(before)));
                    }
                }
                Job::WatchEnergies(groups) => {
                    self.next_energies = tick;
                    if let Some(before) = self.energies.replace(groups) {
                        let _ = self.reports.push(Report::Freed(Garbage::EnergyGroups(before)));
                    }
                }
                Job::WatchSettings(settings) => {
                    self.next_settings = tick;
                    if let Some(before) = self.settings.replace(settings) {
                        let _ = self.reports.push(Report::Freed(Garbage::Settings(before)));
                    }
                }
                Job::EndTake => {
                    let _ = self.reports.push(Report::TakeEnded(self.ending(tick)));
                }
                Job::Stop => self.stop_at = Some(self.stop_at.map_or(at, |before| before.min(at))),
            }
        }
    }

    /// What was meant for later was meant for what is here until this tick.
    fn forget_after(&mut self, tick: u64) {
        let Self { queue, reports, .. } = self;
        queue.forget_after(tick, |serial| {
            if serial != OWN && serial != PUSHED {
                let _ = reports.push(Report::Dropped { serial });
            }
        });
        // Until it is handed back it takes up room of what is to come.
        self.hand_back_spent();
    }

    fn schedule(&mut self, serial: u64, at: u64, command: Command) {
        if let Err(command) = self.queue.try_push(at, command, serial) {
            let _ = self.reports.push(Report::Freed(Garbage::Command(command)));
            if serial != OWN {
                let _ = self.reports.push(Report::Dropped { serial });
            }
        }
    }

    /// Limits what was rendered from `tick` to `end`; the outputs of a scene that begins here from its first frame on.
    fn limit(&mut self, out: &mut [f32], tick: u64, end: u64) {
        let begins = self.next_outputs.take_if(|(at, _)| *at < end);
        if let Some(limiter) = &mut self.limiter {
            match &begins {
                Some((at, outputs)) => limiter.limit_and_regroup(out, (at - tick) as usize, outputs),
                None => {
                    limiter.limit(out);
                }
            }
            for (least, gain) in self.reading.limited.iter_mut().zip(limiter.reductions().iter().take(OUTPUTS)) {
                *least = least.min(*gain);
            }
        }
        if let Some((_, outputs)) = begins {
            let _ = self.reports.push(Report::Freed(Garbage::Outputs(outputs)));
        }
    }

    /// Meters, hash, tapes.
    fn keep(&mut self, inputs: &[&[f32]], out: &[f32], channels: usize) {
        let is_quiet = |sample: &f32| sample.abs() < QUIET;
        self.quiet = match out.iter().rposition(|sample| !is_quiet(sample)) {
            Some(last) => ((out.len() - 1 - last) / channels) as u64,
            None => self.quiet + (out.len() / channels) as u64,
        };
        if self.meters {
            self.hash = out.iter().fold(self.hash, |hash, sample| hashed(hash, *sample));
            self.reading.meter(out, channels);
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
        if let Some(tape) = &mut self.input_tape {
            let frames = out.len() / channels;
            if tape.slots() < frames * self.inputs {
                self.reading.lost_input_frames += frames as u64;
                self.lost_input += frames as u64;
                return;
            }
            for frame in 0..frames {
                for channel in 0..self.inputs {
                    let sample = inputs.get(channel).and_then(|samples| samples.get(frame));
                    let _ = tape.push(sample.copied().unwrap_or(0.0));
                }
            }
        }
    }

    fn send_probes(&mut self) {
        let tick = self.engine.tick();
        let Some(list) = self.watched.as_deref().filter(|list| list.every > 0) else { return };
        if tick < self.next_probe || self.spare() <= RESERVE / 2 {
            return;
        }
        self.next_probe = tick + u64::from(list.every);
        let values = list.probes.map(|probe| probe.map_or(0.0, |probe| self.engine.probe(probe)));
        let _ = self.reports.push(Report::Probes { at: tick, values });
    }

    /// Time has gone back: what is told now and then is told from here on.
    pub(crate) fn begin_anew(&mut self) {
        let tick = self.engine.tick();
        (self.next_probe, self.next_energies, self.next_settings, self.next_mark) = (tick, tick, tick, tick);
    }

    /// Energies of groups of bodies, where the control half can read them at any time.
    fn read_energies(&mut self) {
        let tick = self.engine.tick();
        let Some(groups) = self.energies.as_deref_mut().filter(|_| tick >= self.next_energies) else { return };
        self.next_energies = tick + u64::from(groups.every);
        self.engine.energies(&mut groups.energies);
        groups.sums.fill(0.0);
        for (body, group) in &groups.bodies {
            groups.sums[*group] += groups.energies[*body];
        }
        for (cell, sum) in groups.shown.iter().zip(&groups.sums) {
            cell.store(sum.to_bits(), Ordering::Relaxed);
        }
    }

    /// Where every parameter stands, whoever moved it, where the control half can read it at any time.
    fn read_settings(&mut self) {
        let tick = self.engine.tick();
        let Some(settings) = self.settings.as_deref().filter(|_| tick >= self.next_settings) else { return };
        self.next_settings = tick + u64::from(settings.every);
        for (slot, cell) in settings.shown.values.iter().enumerate() {
            cell.store(self.engine.setting(slot).unwrap_or(f64::NAN).to_bits(), Ordering::Relaxed);
        }
        settings.shown.serial.store(self.taken, Ordering::Release);
    }

    /// What the block has cost, and what follows from that.
    fn account(&mut self, began_ns: u64, tick: u64, frames: usize) {
        if frames == 0 {
            self.pulse.ended_ns.store(began_ns, Ordering::Release);
            return;
        }
        let lasting_s = frames as f64 / self.rate_hz();
        let ended_ns = self.now_ns();
        self.pulse.ended_ns.store(ended_ns, Ordering::Release);
        let spent_ns = ended_ns.saturating_sub(began_ns);
        let load = 1e-9 * spent_ns as f64 / lasting_s;
        let room = self.spare() > REPORTS_EACH && self.queue.len() < REQUESTS;
        if let Some(grade) = self.governor.as_mut().filter(|_| room).and_then(|g| g.judge(load, lasting_s)) {
            let at = self.engine.tick();
            self.schedule(OWN, at, grade.command());
            let _ = self.reports.push(Report::Shed { at, grade });
        }
        let reading = &mut self.reading;
        (reading.tick, reading.began, reading.began_ns) = (self.engine.tick(), tick, began_ns);
        reading.frames += frames as u64;
        reading.spent_ns += spent_ns;
        reading.budget_ns += (1e9 * lasting_s) as u64;
        if let Some(governor) = &self.governor {
            reading.grade = governor.grade();
            reading.load = reading.load.max(load as f32);
            reading.late_blocks += u64::from(load > 1.0);
        }
        // Where nobody looks at the meters a reading now and then is enough.
        if !self.meters && reading.frames < MOST_FRAMES as u64 {
            return;
        }
        let health = reading.health;
        if self.readings.push(*reading).is_ok() {
            self.reading = Status { health, ..Status::default() };
        }
    }
}

/// A copy of a command that holds nothing that must be freed; `None` for the others.
fn of_numbers(command: &Command) -> Option<Command> {
    Some(match *command {
        Command::Set(address, value) => Command::Set(address, value),
        Command::Jump(address, value) => Command::Jump(address, value),
        Command::Glide { address, value, glide_s } => Command::Glide { address, value, glide_s },
        Command::Strike { body, velocity_m_s } => Command::Strike { body, velocity_m_s },
        Command::Hit { site, impulse_n_s } => Command::Hit { site, impulse_n_s },
        Command::Join { contact, between } => Command::Join { contact, between },
        Command::Trigger { process, values } => Command::Trigger { process, values },
        Command::Quality { max_substeps, drop_below_db } => Command::Quality { max_substeps, drop_below_db },
        Command::Hush => Command::Hush,
        Command::Replace { .. } | Command::Touch { .. } | Command::Stream { .. } => return None,
    })
}

/// So many frames of every channel; nothing of a channel that is too short.
fn part<'a>(inputs: &[&'a [f32]], from: usize, frames: usize) -> [&'a [f32]; METERS] {
    let mut parts: [&[f32]; METERS] = [&[]; METERS];
    for (part, whole) in parts.iter_mut().zip(inputs) {
        *part = whole.get(from..from + frames).unwrap_or(&[]);
    }
    parts
}
