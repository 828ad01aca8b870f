// SPDX-License-Identifier: MIT OR Apache-2.0
//! The control half: names, checks, answers, takes.

use crate::Setup;
use crate::error::{Error, Result, bad};
use crate::instrument::State;
use crate::player::{EnergyGroups, Job, Player, Pulse, REQUESTS, Request, WatchList};
use crate::report::{Ending, PROBES, READINGS, REPORTS, Report, Status};
use crate::take::{self, Header};
use rtrb::{Consumer, Producer, RingBuffer};
use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tocco::engine::ROOM;
use tocco::param::{Scale, Spec};
use tocco::{Address, Command, Directory, Document, Engine, Gesture};

/// Remarks that wait to be said; older ones are forgotten.
const NEWS: usize = 32;
/// Share of a new reading of the clock: the ear of a device comes in uneven steps, its mean does not.
const CLOCK_SHARE: f64 = 1.0 / 64.0;
/// Energies are read so often, s.
const ENERGIES_S: f64 = 0.005;
/// Sound that came in and waits to be written into a take, s.
const INPUT_TAPE_S: f64 = 5.0;
/// Samples of sound that came in, per line of a take.
const INPUT_LINE: usize = 12_000;

/// What a front end makes of every scene before it is played.
pub type Prepare = fn(Document) -> Result<Document>;

/// When a gesture takes effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    /// At the next block boundary.
    Now,
    /// At this sample, counted from the start.
    Tick(u64),
    /// At this time by the clock that was handed in, ns, to the sample.
    At(f64),
}

/// What became of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The value that was sent; 0 for a gesture without one.
    pub value: f64,
    /// It is not the one that was asked for, which is out of range.
    pub clamped: bool,
}

/// A named control.
#[derive(Clone, Debug, PartialEq)]
pub struct Knob {
    /// Its name: set it as a path, to 0..1.
    pub name: String,
    /// What it moves.
    pub path: String,
    /// Physical range.
    pub range: [f64; 2],
    /// Knob law.
    pub scale: Scale,
    /// Where it stands, 0..1, by the value last sent to what it moves, whoever sent it.
    pub position: f64,
}

/// Gestures so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Sent.
    pub sent: u64,
    /// Took effect.
    pub done: u64,
    /// Not sent: unknown name, wrong kind, not a number.
    pub refused: u64,
    /// Sent with the nearest legal value.
    pub clamped: u64,
    /// Lost: too many at once, or meant for a scene that is no more.
    pub dropped: u64,
    /// Came after their time, and took effect at once.
    pub late: u64,
}

/// The control half.
pub struct Desk {
    header: Header,
    /// The scene that sounds, and its names.
    scene: Document,
    directory: Directory,
    /// Value last sent to each parameter; a control's goes to what it moves, so there is one truth.
    values: Vec<Option<f64>>,
    requests: Producer<Request>,
    reports: Consumer<Report>,
    readings: Consumer<Status>,
    tape: Option<Consumer<f32>>,
    input_tape: Option<Consumer<f32>>,
    /// Channels of sound that came in, as many as playing began with.
    inputs: usize,
    take: Option<take::Writer>,
    /// What a take was written to that has ended, until it is fetched.
    ended_take: Option<Box<dyn Write + Send>>,
    /// Samples that came in and have been fetched, of all channels.
    input_fetched: u64,
    /// Recorded gestures on their way.
    under_way: BTreeMap<u64, Gesture>,
    serial: u64,
    most_parameters: usize,
    counts: Counts,
    status: Status,
    tick: u64,
    /// Frames of the last block.
    block: u64,
    has_clock: bool,
    /// Time of tick 0 by the clock, ns.
    zero_ns: Option<f64>,
    watched: (Vec<String>, f64),
    arrived: Option<(u64, Vec<f64>)>,
    energies: Arc<[AtomicU64]>,
    prepare: Option<Prepare>,
    news: VecDeque<String>,
    /// Scenes so far.
    generation: u64,
    /// What the meters said since [`Desk::levels`].
    levels: Status,
    stopped: Option<Ending>,
    pulse: Arc<Pulse>,
}

/// What the audio half does at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beat {
    /// It has not been called yet.
    Waiting,
    /// It works on a block, since this time by the clock that was handed in, ns.
    Within(u64),
    /// It has done a block, at this time.
    Done(u64),
}

pub(crate) fn open(scene: Document, setup: Setup) -> Result<(Desk, Player)> {
    if scene.def.taps.is_empty() && scene.def.parts.is_empty() {
        return bad(format!("{}: nothing is heard; add a [[tap]]", scene.origin));
    }
    let Setup { rate_hz, channels, limiter, watch_load, clock, sets, tape_s } = setup;
    let rate_hz = rate_hz.unwrap_or(scene.def.rate_hz);
    let mut built = tocco::Scene::build(&scene.def, rate_hz).map_err(|error| Error::BadInput(scene.message(&error)))?;
    built.widen(channels);
    for (path, value) in &sets {
        take::set(&mut built, path, *value)?;
    }
    let (channels, directory, has_clock) = (built.channels(), built.directory().clone(), clock.is_some());
    let header = Header {
        format: Header::FORMAT,
        rate_hz,
        channels,
        ceiling_dbtp: Header::ceiling(limiter),
        sets,
        scene: scene.clone(),
    };
    let (requests, to_player) = RingBuffer::new(REQUESTS);
    let (from_player, reports) = RingBuffer::new(REPORTS);
    let (meters, readings) = RingBuffer::new(READINGS);
    let mut player = Player::new(Engine::new(built), to_player, from_player, meters, watch_load, clock);
    player.limiter = header.limiter(&directory);
    let tape_of = |samples: f64| (samples > 0.0).then(|| RingBuffer::new(samples as usize)).unzip();
    let tape;
    (player.tape, tape) = tape_of(tape_s * rate_hz * channels as f64);
    let input_tape;
    (player.input_tape, input_tape) = tape_of(INPUT_TAPE_S * rate_hz * directory.inputs() as f64);
    let pulse = player.pulse.clone();
    let desk = Desk {
        pulse,
        most_parameters: directory.parameters().max(ROOM),
        inputs: directory.inputs(),
        header,
        scene,
        values: vec![None; directory.parameters()],
        directory,
        requests,
        reports,
        readings,
        tape,
        input_tape,
        take: None,
        ended_take: None,
        input_fetched: 0,
        under_way: BTreeMap::new(),
        serial: 0,
        counts: Counts::default(),
        status: Status::default(),
        tick: 0,
        block: 0,
        has_clock,
        zero_ns: None,
        watched: (Vec::new(), 0.0),
        arrived: None,
        energies: Arc::from([]),
        prepare: None,
        news: VecDeque::new(),
        generation: 0,
        levels: Status::default(),
        stopped: None,
    };
    Ok((desk, player))
}

/// What sounds, and its names.
impl Desk {
    /// Channels of the sound.
    pub fn channels(&self) -> usize {
        self.header.channels
    }

    /// Samples a second.
    pub fn rate_hz(&self) -> f64 {
        self.header.rate_hz
    }

    /// The scene that sounds, as text and as data.
    pub fn scene(&self) -> &Document {
        &self.scene
    }

    /// Its names.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Scenes so far: names are to be learned anew when it changes.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Frames between the engine and the output.
    pub fn latency(&self) -> usize {
        self.header.limiter(&self.directory).map_or(0, |limiter| limiter.latency())
    }

    fn value_of(&self, slot: usize) -> f64 {
        self.values.get(slot).copied().flatten().unwrap_or_else(|| self.directory.declared(slot))
    }

    /// Every live path with its declaration and the value last sent, or declared.
    pub fn paths(&self) -> Vec<(String, Spec, f64)> {
        self.directory.paths_with(|slot| self.value_of(slot))
    }

    /// The named controls.
    pub fn controls(&self) -> Vec<Knob> {
        let knob = |info: tocco::scene::ControlInfo| {
            let position = self.value(&info.name).unwrap_or(0.0);
            Knob { name: info.name, path: info.path, range: info.range, scale: info.scale, position }
        };
        self.directory.controls().into_iter().map(knob).collect()
    }

    /// Declaration behind a path or control.
    pub fn spec(&self, path: &str) -> Result<Spec> {
        let address = self.directory.address(path)?;
        self.directory.spec(address).ok_or_else(|| Error::BadInput(format!("no parameter '{path}'")))
    }

    /// Value last sent to a path or control, whoever sent it and by whatever name, else as declared; `None`: no such path.
    pub fn value(&self, path: &str) -> Option<f64> {
        let address = self.directory.address(path).ok()?;
        self.directory.reading(address, |slot| self.value_of(slot))
    }

    /// What is needed to go on from here elsewhere: the scene that sounds, and what was set in it.
    pub fn state(&self) -> State {
        State { scene: self.scene.clone(), values: self.moved() }
    }

    /// Parameters that were set, with the value last sent, sorted by path: setting them all again, in any order, gives
    /// the same state.
    pub fn moved(&self) -> Vec<(String, f64)> {
        let moved =
            self.values.iter().enumerate().filter_map(|(slot, value)| Some((self.directory.path(slot), (*value)?)));
        let mut all: Vec<(String, f64)> = moved.collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }
}

/// Gestures.
impl Desk {
    /// Does what a player wants, or says in one line why not.
    pub fn perform(&mut self, gesture: &Gesture, when: When) -> Result<Answer> {
        if let Gesture::Load(scene) | Gesture::Edit(scene) = gesture {
            if when != When::Now {
                return self.refuse("another scene comes at the next block boundary, at no other time".into());
            }
            self.exchange(Document::clone(scene), matches!(gesture, Gesture::Edit(_)))?;
            return Ok(Answer { value: 0.0, clamped: false });
        }
        let resolved = match gesture.resolve(&self.directory) {
            Ok(resolved) => resolved,
            Err(error) => return self.refuse(error.what),
        };
        let answer = Answer { value: resolved.value().unwrap_or(0.0), clamped: resolved.clamped };
        let address = match resolved.command {
            Command::Set(address, _) | Command::Jump(address, _) | Command::Glide { address, .. } => Some(address),
            _ => None,
        };
        let recorded = self.take.is_some().then(|| with_value(gesture, answer.value));
        self.send(when, Job::Command(resolved.command), recorded)?;
        self.counts.clamped += u64::from(answer.clamped);
        if let Some(address) = address {
            self.remember(address, answer.value);
        }
        Ok(answer)
    }

    fn remember(&mut self, address: Address, value: f64) {
        let Self { directory, values, .. } = self;
        for (slot, value) in directory.moves(address, value) {
            values[slot] = Some(value);
        }
    }

    /// Sets a parameter, a force or a control at the next block boundary.
    pub fn set(&mut self, path: &str, value: f64) -> Result<Answer> {
        self.perform(&Gesture::Set { path: path.to_owned(), value }, When::Now)
    }

    /// Sets a parameter or a control without a glide at the next block boundary: for what is about to be struck.
    pub fn jump(&mut self, path: &str, value: f64) -> Result<Answer> {
        self.perform(&Gesture::Jump { path: path.to_owned(), value }, When::Now)
    }

    /// Sets a mass in motion from zero gap at the next block boundary, m/s.
    pub fn strike(&mut self, body: &str, velocity_m_s: f64) -> Result<Answer> {
        self.perform(&Gesture::Strike { body: body.to_owned(), velocity_m_s }, When::Now)
    }

    /// An ideal impulse at a place at the next block boundary, N s.
    pub fn hit(&mut self, site: &str, impulse_n_s: f64) -> Result<Answer> {
        self.perform(&Gesture::Hit { site: site.to_owned(), impulse_n_s }, When::Now)
    }

    /// Touches a port at another place of its values, given by fractions, from now on.
    pub fn touch(&mut self, site: &str, place: &[f64]) -> Result<()> {
        self.perform(&Gesture::Touch { site: site.to_owned(), place: place.to_vec() }, When::Now).map(|_| ())
    }

    /// The same with the mode-shape values that [`Directory::values_at`] gives for this place of this very scene: for a control
    /// half that has no time to solve, because it shares its thread with the sound.
    pub fn touch_solved(&mut self, site: &str, place: &[f64], values: Box<[f64]>, when: When) -> Result<()> {
        let found = match self.directory.site(site) {
            Ok(found) => found,
            Err(error) => return self.refuse(error.what),
        };
        let gesture = || Gesture::Touch { site: site.to_owned(), place: place.to_vec() };
        let recorded = self.take.is_some().then(gesture);
        self.send(when, Job::Command(Command::Touch { site: found, values }), recorded)
    }

    /// Everything to rest, now; what was scheduled is forgotten.
    pub fn hush(&mut self) -> Result<()> {
        self.perform(&Gesture::Hush, When::Now).map(|_| ())
    }

    /// Another scene, from its beginning, at the next block boundary.
    pub fn load(&mut self, scene: Document) -> Result<()> {
        self.exchange(scene, false)
    }

    /// The scene has been edited: what stays keeps sounding.
    pub fn edit(&mut self, scene: Document) -> Result<()> {
        self.exchange(scene, true)
    }

    /// From now on every scene that comes goes through this first.
    pub fn prepare_with(&mut self, prepare: Prepare) {
        self.prepare = Some(prepare);
    }

    /// What builds scenes for this desk, wherever there is time for it: whoever shares the desk need not wait meanwhile.
    pub fn workshop(&self) -> Workshop {
        Workshop { rate_hz: self.header.rate_hz, channels: self.header.channels, prepare: self.prepare }
    }

    fn exchange(&mut self, scene: Document, adopt: bool) -> Result<()> {
        let built = self.workshop().build(scene).inspect_err(|_| self.counts.refused += 1)?;
        self.take_over(built, adopt)
    }

    /// A scene that was built takes over at the next block boundary: from its beginning, or, if it is the present one edited
    /// (`adopt`), with what stays sounding on.
    pub fn take_over(&mut self, Built { scene, built }: Built, adopt: bool) -> Result<()> {
        let directory = built.directory().clone();
        let (count, most) = (directory.parameters(), self.most_parameters);
        if count > most {
            return self.refuse(format!("{}: {count} parameters; at most {most} while playing", scene.origin));
        }
        if directory.inputs() > self.inputs {
            return self.refuse(format!(
                "{}: listens to more than playing began with; stop, and play this scene first",
                scene.origin
            ));
        }
        if self.requests.slots() < 2 {
            // The scene and the signals that are watched in it go together, or not at all.
            self.counts.dropped += 1;
            return Err(full());
        }
        let gesture = self.take.is_some().then(|| {
            let scene = Box::new(scene.clone());
            if adopt { Gesture::Edit(scene) } else { Gesture::Load(scene) }
        });
        let command = Command::Replace { scene: Some(built), adopt };
        self.send(When::Now, Job::Replace(command, directory.outputs().into()), gesture)?;
        let moved = if adopt { self.moved() } else { Vec::new() };
        (self.scene, self.values) = (scene, vec![None; directory.parameters()]);
        self.directory = directory;
        self.generation += 1;
        for (path, value) in moved {
            if let Ok(address) = self.directory.address(&path) {
                self.remember(address, value);
            }
        }
        let (signals, every_s) = std::mem::take(&mut self.watched);
        let known: Vec<&str> = signals.iter().map(String::as_str).filter(|s| self.directory.probe(s).is_ok()).collect();
        self.watch(&known, every_s)
    }
}

/// What builds scenes for a desk, on any thread.
#[derive(Clone, Copy, Debug)]
pub struct Workshop {
    rate_hz: f64,
    channels: usize,
    prepare: Option<Prepare>,
}

/// A scene that is ready to take over.
pub struct Built {
    scene: Document,
    built: Box<tocco::Scene>,
}

impl Workshop {
    /// Samples a second that scenes are built for.
    pub fn rate_hz(&self) -> f64 {
        self.rate_hz
    }

    /// Builds a scene, which may take long.
    pub fn build(&self, scene: Document) -> Result<Built> {
        let scene = match self.prepare {
            Some(prepare) => prepare(scene)?,
            None => scene,
        };
        let built = take::build(&scene, self.rate_hz, self.channels)?;
        Ok(Built { scene, built: Box::new(built) })
    }
}

impl Built {
    /// The scene as text and as data.
    pub fn scene(&self) -> &Document {
        &self.scene
    }
}

/// The gesture with the value that was sent.
fn with_value(gesture: &Gesture, sent: f64) -> Gesture {
    let mut gesture = gesture.clone();
    match &mut gesture {
        Gesture::Set { path, value } | Gesture::Jump { path, value } | Gesture::Glide { path, value, .. } => {
            if let Some(plain) = path.strip_prefix('/') {
                *path = plain.to_owned();
            }
            *value = sent;
        }
        Gesture::Strike { velocity_m_s: value, .. } | Gesture::Hit { impulse_n_s: value, .. } => *value = sent,
        _ => {}
    }
    gesture
}

/// A command of numbers as the gesture that it came from; `None` for what has no name here.
fn named(directory: &Directory, command: &Command) -> Option<Gesture> {
    let path = |address: &Address| match *address {
        Address::Slot(slot) => (slot < directory.parameters()).then(|| directory.path(slot)),
        Address::Control(index) => directory.control_name(index).map(str::to_owned),
    };
    Some(match command {
        Command::Set(address, value) => Gesture::Set { path: path(address)?, value: *value },
        Command::Jump(address, value) => Gesture::Jump { path: path(address)?, value: *value },
        Command::Glide { address, value, glide_s } => {
            Gesture::Glide { path: path(address)?, value: *value, glide_s: *glide_s }
        }
        Command::Strike { body, velocity_m_s } => {
            Gesture::Strike { body: directory.body_name(*body)?.to_owned(), velocity_m_s: *velocity_m_s }
        }
        Command::Hit { site, impulse_n_s } => {
            directory.body_name(site.body)?;
            Gesture::Hit { site: directory.site_name(*site), impulse_n_s: *impulse_n_s }
        }
        Command::Trigger { process, values } => {
            let name = directory.process_names().nth(*process)?.to_owned();
            Gesture::Trigger { process: name, values: values[..directory.triggers(*process).len()].to_vec() }
        }
        Command::Quality { max_substeps, drop_below_db } => {
            Gesture::Quality { max_substeps: *max_substeps, drop_below_db: *drop_below_db }
        }
        Command::Hush => Gesture::Hush,
        Command::Replace { .. } | Command::Touch { .. } | Command::Stream { .. } => return None,
    })
}

/// What comes back.
impl Desk {
    /// Gestures so far, by what became of them.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Gestures of a take that were sent and of which nothing has been heard yet.
    pub fn under_way(&self) -> usize {
        self.under_way.len()
    }

    /// Samples played, as last heard of.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Frames of a block, as the device last asked for.
    pub fn block(&self) -> u64 {
        self.block
    }

    /// Records a take from the start on: before the first gesture and the first block. `program` says who writes it.
    pub fn record(&mut self, out: Box<dyn Write + Send>, program: &str) -> Result<()> {
        if self.serial > 0 || self.tick > 0 {
            return bad("a take begins at the beginning; ask for it before playing");
        }
        self.take = Some(take::Writer::new(out, &self.header, program)?);
        Ok(())
    }

    /// Streams signals back, at most [`PROBES`], about every so many seconds (at most once a block); none: no more.
    pub fn watch(&mut self, signals: &[&str], every_s: f64) -> Result<()> {
        if signals.len() > PROBES {
            return self.refuse(format!("{} signals at once; at most {PROBES}", signals.len()));
        }
        let mut probes = [None; PROBES];
        for (place, signal) in probes.iter_mut().zip(signals) {
            match self.directory.probe(signal) {
                Ok(probe) => *place = Some(probe),
                Err(error) => return self.refuse(error.what),
            }
        }
        let ticks = (every_s * self.header.rate_hz).clamp(1.0, 1e9) as u32;
        let every = if signals.is_empty() { 0 } else { ticks };
        self.push(0, Job::Watch(Box::new(WatchList { probes, every })))?;
        self.watched = (signals.iter().map(|signal| (*signal).to_owned()).collect(), every_s);
        self.arrived = None;
        Ok(())
    }

    /// Watched signals with their values, and the tick they hold at; once per arrival.
    pub fn watched_values(&mut self) -> Option<(u64, Vec<(&str, f64)>)> {
        let (at, values) = self.arrived.take()?;
        Some((at, self.watched.0.iter().map(String::as_str).zip(values).collect()))
    }

    /// Shows the energy of groups of bodies from now on, for this scene; none: no more.
    pub fn watch_energies(&mut self, groups: &[Vec<String>]) -> Result<()> {
        let mut bodies = Vec::new();
        for (group, name) in groups.iter().enumerate().flat_map(|(group, names)| names.iter().map(move |n| (group, n)))
        {
            match self.directory.body(name) {
                Ok(body) => bodies.push((body, group)),
                Err(error) => return self.refuse(error.what),
            }
        }
        self.energies = groups.iter().map(|_| AtomicU64::new(0)).collect();
        let all = EnergyGroups {
            energies: vec![0.0; bodies.iter().map(|(body, _)| body + 1).max().unwrap_or(0)],
            sums: vec![0.0; groups.len()],
            bodies,
            shown: self.energies.clone(),
            every: (ENERGIES_S * self.header.rate_hz) as u32,
        };
        self.push(0, Job::WatchEnergies(Box::new(all))).map(|_| ())
    }

    /// Energy of each group of [`Desk::watch_energies`], J, as last found.
    pub fn energies(&self) -> impl Iterator<Item = f64> + '_ {
        self.energies.iter().map(|cell| f64::from_bits(cell.load(Ordering::Relaxed)))
    }

    /// Ends the sound at the next block boundary.
    pub fn stop(&mut self) -> Result<()> {
        self.stop_at(0)
    }

    /// Ends the sound before this tick.
    pub fn stop_at(&mut self, tick: u64) -> Result<()> {
        self.push(tick, Job::Stop).map(|_| ())
    }

    /// Ticks played and the hash of their samples, once the audio half has stopped.
    pub fn stopped(&self) -> Option<(u64, u64)> {
        self.stopped.map(|ending| (ending.at, ending.hash))
    }

    /// Ends the take at the next block boundary; the sound goes on. [`Desk::finish`] has it once the audio half has passed
    /// that boundary.
    pub fn end_take(&mut self) -> Result<()> {
        self.push(0, Job::EndTake).map(|_| ())
    }

    /// Completes the take, if there is one, and gives back what it was written to; after [`Desk::stopped`], or
    /// [`Desk::end_take`]. A take that lacks sound which came in says so in its last line, and in a remark.
    pub fn finish(&mut self) -> Result<Option<Box<dyn Write + Send>>> {
        self.poll()?;
        if let Some(ending) = self.stopped {
            self.complete_take(ending);
        }
        match self.take {
            Some(_) => Err(Error::Busy("the sound did not stop; the take is not complete".into())),
            None => Ok(self.ended_take.take()),
        }
    }

    fn complete_take(&mut self, Ending { at, hash, lost_input }: Ending) {
        self.write_input(0, at * self.inputs as u64);
        self.under_way.clear();
        if let Some(take) = self.take.take() {
            match take.finish(at, hash, lost_input) {
                Ok(out) => self.ended_take = Some(out),
                Err(error) => self.give_up_take(&error),
            }
            if lost_input > 0 {
                self.say(take::spoiled(lost_input));
            }
        }
    }

    /// Writes to the take, if there is one. One that cannot be written ends alone: the sound goes on.
    fn note(&mut self, write: impl FnOnce(&mut take::Writer) -> Result<()>) {
        if let Some(Err(error)) = self.take.as_mut().map(write) {
            self.give_up_take(&error);
        }
    }

    fn give_up_take(&mut self, error: &Error) {
        self.take = None;
        self.under_way.clear();
        self.say(format!("{error}; the sound goes on"));
    }

    /// Moves sound that came in, no further than this sample, into the take, if more than so many samples wait; without a
    /// take it is dropped.
    fn write_input(&mut self, more_than: usize, until: u64) {
        while let Some(tape) = &mut self.input_tape
            && tape.slots() > more_than
            && self.input_fetched < until
        {
            let count = until.saturating_sub(self.input_fetched).min(tape.slots().min(INPUT_LINE) as u64);
            let Ok(chunk) = tape.read_chunk(count as usize) else { break };
            let (first, second) = chunk.as_slices();
            let samples = if self.take.is_some() { [first, second].concat() } else { Vec::new() };
            chunk.commit_all();
            self.input_fetched += count;
            self.note(|take| take.add_input(&samples));
        }
    }

    /// Fetches what has come back: frees retired scenes, writes the take, reads the meters. Call it often.
    pub fn poll(&mut self) -> Result<()> {
        while let Ok(reading) = self.readings.pop() {
            (self.tick, self.block) = (reading.tick, reading.tick - reading.began);
            if self.has_clock {
                let zero_ns = reading.began_ns as f64 - reading.began as f64 * 1e9 / self.header.rate_hz;
                let before = self.zero_ns.unwrap_or(zero_ns);
                self.zero_ns = Some(before + CLOCK_SHARE * (zero_ns - before));
            }
            self.status = self.status.and(&reading);
            self.levels = self.levels.and(&reading);
        }
        while let Ok(report) = self.reports.pop() {
            match report {
                Report::Done { serial, at } => {
                    self.counts.done += 1;
                    if let Some(gesture) = self.under_way.remove(&serial) {
                        self.note(|take| take.add(at, &gesture));
                    }
                }
                Report::Pushed { at, command } => {
                    if let Command::Set(address, value)
                    | Command::Jump(address, value)
                    | Command::Glide { address, value, .. } = command
                    {
                        // The engine holds what it is given within its range.
                        let spec = self.directory.spec(address);
                        self.remember(address, spec.map_or(value, |spec| value.clamp(spec.min, spec.max)));
                    }
                    if let Some(gesture) = named(&self.directory, &command).filter(|_| self.take.is_some()) {
                        self.note(|take| take.add(at, &gesture));
                    }
                }
                Report::Dropped { serial } => {
                    self.counts.dropped += 1;
                    self.under_way.remove(&serial);
                }
                Report::Shed { at, grade } => {
                    self.note(|take| take.add(at, &grade.gesture()));
                    let (most, below) = (grade.max_substeps(), grade.drop_below_db());
                    let modes =
                        if below > -300.0 { format!(", modes {below} dB below all silenced") } else { String::new() };
                    self.say(format!("load: at most {most} sub-steps{modes}"));
                }
                Report::Freed(_) => {}
                Report::Probes { at, values } => self.arrived = Some((at, values.to_vec())),
                Report::Mark(Ending { at, hash, lost_input }) => {
                    self.write_input(0, at * self.inputs as u64);
                    self.note(|take| take.mark(at, hash, lost_input));
                }
                Report::TakeEnded(ending) => self.complete_take(ending),
                Report::Stopped(ending) => self.stopped = Some(ending),
            }
        }
        self.write_input(INPUT_LINE, u64::MAX);
        Ok(())
    }

    /// What the audio half does at this moment, also while it is at it; only where there is a clock.
    pub fn beat(&self) -> Beat {
        let ended = self.pulse.ended_ns.load(Ordering::Acquire);
        match self.pulse.began_ns.load(Ordering::Acquire) {
            0 => Beat::Waiting,
            began if began > ended => Beat::Within(began),
            _ => Beat::Done(ended),
        }
    }

    /// Meters and load since the last call.
    pub fn status(&mut self) -> Status {
        let now = self.status;
        let health = now.health;
        self.status = Status { health, tick: now.tick, grade: now.grade, ..Status::default() };
        now
    }

    /// Meters since the last call: a second pair of eyes, for front ends that stream them.
    pub fn levels(&mut self) -> Status {
        std::mem::take(&mut self.levels)
    }

    /// A front end has refused something before it came here.
    pub fn count_refused(&mut self) {
        self.counts.refused += 1;
    }

    /// Moves the samples that wait for a file into `into`.
    pub fn read_tape(&mut self, into: &mut Vec<f32>) {
        let Some(tape) = &mut self.tape else { return };
        if let Ok(chunk) = tape.read_chunk(tape.slots()) {
            let (first, second) = chunk.as_slices();
            into.extend_from_slice(first);
            into.extend_from_slice(second);
            chunk.commit_all();
        }
    }

    /// A remark for whoever shows remarks.
    pub fn say(&mut self, text: String) {
        if self.news.len() == NEWS {
            self.news.pop_front();
        }
        self.news.push_back(text);
    }

    /// The next remark: load that was shed, a device that went away.
    pub fn news(&mut self) -> Option<String> {
        self.news.pop_front()
    }

    /// Tick of a time by the clock that was handed in, ns, as the device has kept it so far; `None` before the first
    /// block, and where there is no clock.
    pub fn tick_at(&self, clock_ns: f64) -> Option<u64> {
        Some(((clock_ns - self.zero_ns?) * 1e-9 * self.header.rate_hz).round().max(0.0) as u64)
    }

    fn refuse<T>(&mut self, what: String) -> Result<T> {
        self.counts.refused += 1;
        bad(what)
    }

    fn send(&mut self, when: When, job: Job, recorded: Option<Gesture>) -> Result<()> {
        let at = match when {
            When::Now => 0,
            When::Tick(tick) => tick,
            When::At(_) if !self.has_clock => {
                return self.refuse("nothing can be placed by time: there is no clock; name a tick".into());
            }
            When::At(ns) => self.tick_at(ns).unwrap_or(0),
        };
        self.counts.late += u64::from(when != When::Now && at < self.tick);
        let serial = self.push(at, job)?;
        self.counts.sent += 1;
        if let Some(gesture) = recorded {
            self.under_way.insert(serial, gesture);
        }
        Ok(())
    }

    fn push(&mut self, at: u64, job: Job) -> Result<u64> {
        self.serial += 1;
        let serial = self.serial;
        if self.requests.push(Request { serial, at, job }).is_err() {
            self.counts.dropped += 1;
            return Err(full());
        }
        Ok(serial)
    }
}

fn full() -> Error {
    Error::Busy(format!("{REQUESTS} requests wait already; slow down, or is the device stuck?"))
}
