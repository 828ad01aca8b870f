// SPDX-License-Identifier: MIT OR Apache-2.0
//! The control half: names, checks, answers, takes.

use super::Setup;
use super::order::{ORDERS, Order, PROBES, READINGS, REPORTS, Report, Scales, Status, Watch, What};
use super::player::Player;
use super::take::{self, Deed, Header};
use crate::error::{HostError, Result, bad};
use crate::library::Loaded;
use rtrb::{Consumer, Producer, RingBuffer};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime};
use tocco::engine::{Command, Engine};
use tocco::param::{Scale, Spec};
use tocco::scene::{Address, Scene};

/// Parameters for which every engine has room.
const MOST_PARAMETERS: usize = 4096;
/// Fastest strike, m/s, and largest impulse, N s: as in scene files.
const FASTEST: f64 = 1e4;
/// Remarks that wait to be said; older ones are forgotten.
const NEWS: usize = 32;
/// Share of a new reading of the clock: the ear of a device comes in uneven steps, its mean does not.
const CLOCK_SHARE: f64 = 1.0 / 64.0;

/// Energies are weighed so often, s.
const WEIGH_S: f64 = 0.005;

/// What a front end makes of every scene before it is played.
pub type Prepare = fn(Loaded) -> Result<Loaded>;

/// When an order takes effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum When {
    /// At the next block boundary.
    Now,
    /// At this sample, counted from the start.
    Tick(u64),
    /// At this time, to the sample.
    At(SystemTime),
}

/// What became of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The value that was sent.
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
    /// Where it was last set to, 0..1.
    pub position: Option<f64>,
}

/// Orders so far.
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
    /// The scene that sounds: its text, and a twin that is never played, for its names.
    scene: Loaded,
    twin: Scene,
    addresses: HashMap<String, Address>,
    /// Last value sent, by path.
    values: HashMap<String, f64>,
    orders: Producer<Order>,
    reports: Consumer<Report>,
    readings: Consumer<Status>,
    tape: Option<Consumer<f32>>,
    take: Option<take::Writer>,
    /// Recorded orders on their way.
    under_way: BTreeMap<u64, Deed>,
    serial: u64,
    most_slots: usize,
    counts: Counts,
    status: Status,
    tick: u64,
    /// Frames of the last block.
    block: u64,
    epoch: (Instant, SystemTime),
    /// Time of tick 0, ns after the epoch.
    zero_ns: Option<f64>,
    watched: (Vec<String>, f64),
    heard: Option<(u64, Vec<f64>)>,
    weights: Arc<[AtomicU64]>,
    prepare: Option<Prepare>,
    news: VecDeque<String>,
    /// Scenes so far, and what the meters said since [`Desk::levels`].
    generation: u64,
    levels: Status,
    stopped: Option<(u64, u64)>,
}

pub(super) fn open(scene: Loaded, setup: &Setup) -> Result<(Desk, Player)> {
    if scene.def.taps.is_empty() {
        return bad(format!("{}: nothing is heard; add a [[tap]]", scene.origin));
    }
    let rate_hz = setup.rate_hz.unwrap_or(scene.def.rate_hz);
    let own = Scene::build(&scene.def, rate_hz).map_err(|e| scene.wrong(&e))?.channels();
    let header = Header {
        rate_hz,
        channels: own.max(setup.channels),
        ceiling_dbtp: Header::ceiling(setup.limiter),
        sets: setup.sets.clone(),
        scene: scene.clone(),
    };
    let engine = Engine::new(header.build()?);
    let twin = header.build()?;
    let (orders, to_player) = RingBuffer::new(ORDERS);
    let (from_player, reports) = RingBuffer::new(REPORTS);
    let (meters, readings) = RingBuffer::new(READINGS);
    let epoch = (Instant::now(), SystemTime::now());
    let mut player = Player::new(engine, to_player, from_player, meters, setup.watch_load, epoch.0);
    player.limiter = header.limiter();
    let mut tape = None;
    if setup.tape_s > 0.0 {
        let (write, read) = RingBuffer::new((setup.tape_s * rate_hz) as usize * header.channels);
        (player.tape, tape) = (Some(write), Some(read));
    }
    let mut desk = Desk {
        most_slots: twin.paths().len().max(MOST_PARAMETERS),
        header,
        scene,
        twin,
        addresses: HashMap::new(),
        values: HashMap::new(),
        orders,
        reports,
        readings,
        tape,
        take: None,
        under_way: BTreeMap::new(),
        serial: 0,
        counts: Counts::default(),
        status: Status::default(),
        tick: 0,
        block: 0,
        epoch,
        zero_ns: None,
        watched: (Vec::new(), 0.0),
        heard: None,
        weights: Arc::from([]),
        prepare: None,
        news: VecDeque::new(),
        generation: 0,
        levels: Status::default(),
        stopped: None,
    };
    desk.learn();
    Ok((desk, player))
}

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
    pub fn scene(&self) -> &Loaded {
        &self.scene
    }

    /// Frames between the engine and the output.
    pub fn latency(&self) -> usize {
        self.header.limiter().map_or(0, |limiter| limiter.latency())
    }

    /// Every live path with its declaration and the value last sent, or declared.
    pub fn paths(&self) -> Vec<(String, Spec, f64)> {
        let last = |path: &str, declared| self.values.get(path).copied().unwrap_or(declared);
        self.twin.paths().into_iter().map(|(path, spec, value)| (path.clone(), spec, last(&path, value))).collect()
    }

    /// The named controls.
    pub fn controls(&self) -> Vec<Knob> {
        let knob = |(name, path, range, scale)| {
            let position = self.values.get(&name).copied();
            Knob { name, path, range, scale, position }
        };
        self.twin.controls().into_iter().map(knob).collect()
    }

    /// Names of the masses: what can be struck.
    pub fn masses(&mut self) -> Vec<String> {
        let names: Vec<String> = self.scene.def.bodies.iter().map(|body| body.name.clone()).collect();
        names.into_iter().filter(|name| self.twin.body(name).is_ok_and(|body| self.twin.is_mass(body))).collect()
    }

    /// Every signal that can be watched.
    pub fn signals(&self) -> Vec<String> {
        self.twin.signals()
    }

    /// Declaration behind a path or control.
    pub fn spec(&self, path: &str) -> Result<Spec> {
        let address = self.twin.address(path).map_err(|e| HostError::BadInput(e.what))?;
        self.twin.spec(address).ok_or_else(|| HostError::BadInput(format!("no parameter '{path}'")))
    }

    /// Value last sent to a path or control, else as declared; `None`: no such path.
    pub fn value(&self, path: &str) -> Option<f64> {
        let path = path.strip_prefix('/').unwrap_or(path);
        let declared = || self.twin.paths().into_iter().find(|(known, _, _)| known == path).map(|(_, _, value)| value);
        self.values.get(path).copied().or_else(declared)
    }

    /// Orders so far.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Samples played, as last heard of.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Frames of a block, as the device last asked for.
    pub fn block(&self) -> u64 {
        self.block
    }

    /// Records a take from the start on: before the first order and the first block.
    pub fn record(&mut self, path: &Path) -> Result<()> {
        if self.serial > 0 || self.tick > 0 {
            return bad("a take begins at the beginning; ask for it before playing");
        }
        self.take = Some(take::Writer::create(path, &self.header)?);
        Ok(())
    }

    /// Sets a parameter, a force or a control at the next block boundary.
    pub fn set(&mut self, path: &str, value: f64) -> Result<Answer> {
        self.set_at(path, value, When::Now)
    }

    /// Sets a parameter, a force or a control.
    pub fn set_at(&mut self, path: &str, value: f64, when: When) -> Result<Answer> {
        self.move_to(path, value, when, true)
    }

    /// Sets a parameter or a control without a glide at the next block boundary: for what is about to be struck.
    pub fn jump(&mut self, path: &str, value: f64) -> Result<Answer> {
        self.jump_at(path, value, When::Now)
    }

    /// Sets a parameter or a control without a glide.
    pub fn jump_at(&mut self, path: &str, value: f64, when: When) -> Result<Answer> {
        self.move_to(path, value, when, false)
    }

    fn move_to(&mut self, path: &str, value: f64, when: When, glides: bool) -> Result<Answer> {
        let path = path.strip_prefix('/').unwrap_or(path);
        let address = match self.addresses.get(path) {
            Some(address) => *address,
            None => match self.twin.address(path) {
                Ok(address) => address,
                Err(error) => return self.refuse(error.what),
            },
        };
        let spec = self.twin.spec(address);
        let (min, max) = spec.map_or((0.0, 1.0), |spec| (spec.min, spec.max));
        let answer = self.within(value, min, max, path)?;
        let (command, deed) = match glides {
            true => (Command::Set(address, answer.value), Deed::Set(path.to_owned(), answer.value)),
            false => (Command::Jump(address, answer.value), Deed::Jump(path.to_owned(), answer.value)),
        };
        self.send(when, command, deed)?;
        match self.values.get_mut(path) {
            Some(last) => *last = answer.value,
            None => drop(self.values.insert(path.to_owned(), answer.value)),
        }
        Ok(answer)
    }

    /// Sets a mass in motion from zero gap at the next block boundary, m/s.
    pub fn strike(&mut self, body: &str, velocity_m_s: f64) -> Result<Answer> {
        self.strike_at(body, velocity_m_s, When::Now)
    }

    /// Sets a mass in motion from zero gap, m/s.
    pub fn strike_at(&mut self, body: &str, velocity_m_s: f64, when: When) -> Result<Answer> {
        let index = match self.twin.body(body) {
            Ok(index) => index,
            Err(error) => return self.refuse(error.what),
        };
        if !self.twin.is_mass(index) {
            return self.refuse(format!("'{body}' is not a mass; strike a mass, or hit a port"));
        }
        let answer = self.within(velocity_m_s, -FASTEST, FASTEST, body)?;
        let command = Command::Strike { body: index, velocity_m_s: answer.value };
        self.send(when, command, Deed::Strike(body.to_owned(), answer.value))?;
        Ok(answer)
    }

    /// An ideal impulse at a place at the next block boundary, N s.
    pub fn hit(&mut self, site: &str, impulse_n_s: f64) -> Result<Answer> {
        self.hit_at(site, impulse_n_s, When::Now)
    }

    /// An ideal impulse at a place, N s.
    pub fn hit_at(&mut self, site: &str, impulse_n_s: f64, when: When) -> Result<Answer> {
        let found = match self.twin.site(site) {
            Ok(found) => found,
            Err(error) => return self.refuse(error.what),
        };
        if !self.twin.yields(found) {
            return self.refuse(format!("'{site}' cannot move; hit a body that yields"));
        }
        let answer = self.within(impulse_n_s, -FASTEST, FASTEST, site)?;
        let command = Command::Hit { site: found, impulse_n_s: answer.value };
        self.send(when, command, Deed::Hit(site.to_owned(), answer.value))?;
        Ok(answer)
    }

    /// Touches a port at another place of its shape, given by fractions, from now on.
    pub fn touch(&mut self, site: &str, place: &[f64]) -> Result<()> {
        self.touch_at(site, place, When::Now)
    }

    /// Touches a port at another place of its shape, given by fractions, from then on.
    pub fn touch_at(&mut self, site: &str, place: &[f64], when: When) -> Result<()> {
        if place.iter().any(|fraction| fraction.is_nan()) {
            return self.refuse(format!("{site}: not a number"));
        }
        let found = self.twin.site(site).and_then(|found| Ok((found, self.twin.shape_at(found, place)?)));
        match found {
            Ok((found, shape)) => {
                let command = Command::Touch { site: found, shape: shape.into() };
                self.send(when, command, Deed::Touch(site.to_owned(), place.to_vec()))
            }
            Err(error) => self.refuse(error.what),
        }
    }

    /// Everything to rest, now; what was scheduled is forgotten.
    pub fn panic(&mut self) -> Result<()> {
        self.send(When::Now, Command::Hush, Deed::Hush)
    }

    /// Another scene, from its beginning, at the next block boundary.
    pub fn load(&mut self, scene: Loaded) -> Result<()> {
        self.exchange(scene, false)
    }

    /// The scene has been edited: what stays keeps sounding.
    pub fn edit(&mut self, scene: Loaded) -> Result<()> {
        self.exchange(scene, true)
    }

    /// From now on every scene that comes goes through this first.
    pub fn prepare_with(&mut self, prepare: Prepare) {
        self.prepare = Some(prepare);
    }

    fn exchange(&mut self, scene: Loaded, adopt: bool) -> Result<()> {
        let scene = self.prepare.map_or(Ok(scene.clone()), |prepare| prepare(scene));
        let scene = scene.inspect_err(|_| self.counts.refused += 1)?;
        let built = take::build(&scene, self.header.rate_hz, self.header.channels)
            .and_then(|built| Ok((built, take::build(&scene, self.header.rate_hz, self.header.channels)?)));
        let (new, twin) = match built {
            Ok(both) => both,
            Err(error) => {
                self.counts.refused += 1;
                return Err(error);
            }
        };
        let count = twin.paths().len();
        if count > self.most_slots {
            let most = self.most_slots;
            return self.refuse(format!("{}: {count} parameters; at most {most} while playing", scene.origin));
        }
        let command = Command::Replace { scene: Some(Box::new(new)), adopt };
        self.send(When::Now, command, Deed::Scene(Box::new(scene.clone()), adopt))?;
        (self.scene, self.twin) = (scene, twin);
        self.generation += 1;
        if !adopt {
            self.values.clear();
        }
        self.learn();
        let (signals, every_s) = std::mem::take(&mut self.watched);
        let known: Vec<&str> = signals.iter().map(String::as_str).filter(|s| self.twin.probe(s).is_ok()).collect();
        self.watch(&known, every_s)
    }

    /// Names to addresses, once per scene.
    fn learn(&mut self) {
        let paths = self.twin.paths().into_iter().map(|(path, _, _)| path);
        let names = paths.chain(self.twin.controls().into_iter().map(|(name, ..)| name));
        self.addresses =
            names.filter_map(|name| Some((self.twin.address(&name).ok()?, name))).map(|(a, n)| (n, a)).collect();
        let addresses = &self.addresses;
        self.values.retain(|path, _| addresses.contains_key(path));
    }

    /// Streams signals back, at most [`PROBES`], about every so many seconds (at most once a block); none: no more.
    pub fn watch(&mut self, signals: &[&str], every_s: f64) -> Result<()> {
        if signals.len() > PROBES {
            return self.refuse(format!("{} signals at once; at most {PROBES}", signals.len()));
        }
        let mut probes = [None; PROBES];
        for (place, signal) in probes.iter_mut().zip(signals) {
            match self.twin.probe(signal) {
                Ok(probe) => *place = Some(probe),
                Err(error) => return self.refuse(error.what),
            }
        }
        let ticks = (every_s * self.header.rate_hz).clamp(1.0, 1e9) as u32;
        let every = if signals.is_empty() { 0 } else { ticks };
        self.push(0, What::Watch(Box::new(Watch { probes, every })))?;
        self.watched = (signals.iter().map(|signal| (*signal).to_owned()).collect(), every_s);
        self.heard = None;
        Ok(())
    }

    /// Watched signals with their values, and the tick they hold at; once per arrival.
    pub fn heard(&mut self) -> Option<(u64, Vec<(&str, f64)>)> {
        let (at, values) = self.heard.take()?;
        Some((at, self.watched.0.iter().map(String::as_str).zip(values).collect()))
    }

    /// Lays out the energy of groups of bodies from now on, for this scene; none: no more.
    pub fn weigh(&mut self, groups: &[Vec<String>]) -> Result<()> {
        let mut bodies = Vec::new();
        for (group, name) in groups.iter().enumerate().flat_map(|(group, names)| names.iter().map(move |n| (group, n)))
        {
            match self.twin.body(name) {
                Ok(body) => bodies.push((body, group)),
                Err(error) => return self.refuse(error.what),
            }
        }
        self.weights = groups.iter().map(|_| AtomicU64::new(0)).collect();
        let scales = Scales {
            energies: vec![0.0; bodies.iter().map(|(body, _)| body + 1).max().unwrap_or(0)],
            sums: vec![0.0; groups.len()],
            bodies,
            laid_out: self.weights.clone(),
            every: (WEIGH_S * self.header.rate_hz) as u32,
        };
        self.push(0, What::Weigh(Box::new(scales))).map(|_| ())
    }

    /// Energy of each group of [`Desk::weigh`], J, as last found.
    pub fn weights(&self) -> impl Iterator<Item = f64> + '_ {
        self.weights.iter().map(|cell| f64::from_bits(cell.load(Ordering::Relaxed)))
    }

    /// Ends the sound at the next block boundary.
    pub fn stop(&mut self) -> Result<()> {
        self.stop_at(0)
    }

    /// Ends the sound before this tick.
    pub fn stop_at(&mut self, tick: u64) -> Result<()> {
        self.push(tick, What::Stop).map(|_| ())
    }

    /// Ticks played and the hash of their samples, once the audio half has stopped.
    pub fn stopped(&self) -> Option<(u64, u64)> {
        self.stopped
    }

    /// Completes the take, if there is one; after [`Desk::stopped`].
    pub fn finish(&mut self) -> Result<()> {
        self.poll()?;
        let Some(take) = self.take.take() else { return Ok(()) };
        match self.stopped {
            Some((ticks, hash)) => take.finish(ticks, hash),
            None => Err(HostError::Machine("the sound did not stop; the take is not complete".into())),
        }
    }

    /// Fetches what has come back: frees retired scenes, writes the take, reads the meters. Call it often.
    pub fn poll(&mut self) -> Result<()> {
        while let Ok(reading) = self.readings.pop() {
            (self.tick, self.block) = (reading.tick, reading.tick - reading.began);
            let zero_ns = reading.began_ns as f64 - reading.began as f64 * 1e9 / self.header.rate_hz;
            let before = self.zero_ns.unwrap_or(zero_ns);
            self.zero_ns = Some(before + CLOCK_SHARE * (zero_ns - before));
            self.status = self.status.and(&reading);
            self.levels = self.levels.and(&reading);
        }
        while let Ok(report) = self.reports.pop() {
            match report {
                Report::Done { serial, at } => {
                    self.counts.done += 1;
                    if let (Some(deed), Some(take)) = (self.under_way.remove(&serial), &mut self.take) {
                        take.add(at, &deed)?;
                    }
                }
                Report::Dropped { serial } => {
                    self.counts.dropped += 1;
                    self.under_way.remove(&serial);
                }
                Report::Shed { at, grade } => {
                    if let Some(take) = &mut self.take {
                        take.add(at, &Deed::of_grade(grade))?;
                    }
                    let (most, below) = (grade.max_substeps(), grade.drop_below_db());
                    let modes =
                        if below > -300.0 { format!(", modes {below} dB below all silenced") } else { String::new() };
                    self.say(format!("load: at most {most} sub-steps{modes}"));
                }
                Report::Retired(_) | Report::Unwatched(_) | Report::Unweighed(_) | Report::Worn(_) => {}
                Report::Probes { at, values } => self.heard = Some((at, values.to_vec())),
                Report::Stopped { at, hash } => self.stopped = Some((at, hash)),
            }
        }
        Ok(())
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

    /// Scenes so far: names are to be learned anew when it changes.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Paths and controls that were set, with the value last sent, sorted.
    pub fn moved(&self) -> Vec<(String, f64)> {
        let mut all: Vec<(String, f64)> = self.values.iter().map(|(path, value)| (path.clone(), *value)).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }

    /// A front end has refused something before it came here.
    pub fn count_refused(&mut self) {
        self.counts.refused += 1;
    }

    /// Moves the samples that wait for a file into `into`.
    pub fn fetch(&mut self, into: &mut Vec<f32>) {
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

    /// Tick of a time, by the device's clock as heard so far; `None` before the first block.
    pub fn tick_of(&self, time: SystemTime) -> Option<u64> {
        let ns = match time.duration_since(self.epoch.1) {
            Ok(after) => after.as_nanos() as f64,
            Err(before) => -(before.duration().as_nanos() as f64),
        };
        Some(((ns - self.zero_ns?) * 1e-9 * self.header.rate_hz).round().max(0.0) as u64)
    }

    fn refuse<T>(&mut self, what: String) -> Result<T> {
        self.counts.refused += 1;
        bad(what)
    }

    fn within(&mut self, value: f64, min: f64, max: f64, of: &str) -> Result<Answer> {
        if value.is_nan() {
            return self.refuse(format!("{of}: not a number"));
        }
        let held = value.clamp(min, max);
        self.counts.clamped += u64::from(held != value);
        Ok(Answer { value: held, clamped: held != value })
    }

    fn send(&mut self, when: When, command: Command, deed: Deed) -> Result<()> {
        let at = match when {
            When::Now => 0,
            When::Tick(tick) => tick,
            When::At(time) => self.tick_of(time).unwrap_or(0),
        };
        self.counts.late += u64::from(when != When::Now && at < self.tick);
        let serial = self.push(at, What::Do(command))?;
        self.counts.sent += 1;
        if self.take.is_some() {
            self.under_way.insert(serial, deed);
        }
        Ok(())
    }

    fn push(&mut self, at: u64, what: What) -> Result<u64> {
        self.serial += 1;
        let serial = self.serial;
        if self.orders.push(Order { serial, at, what }).is_err() {
            self.counts.dropped += 1;
            return Err(HostError::Machine(format!(
                "{ORDERS} orders wait already; slow down, or is the device stuck?"
            )));
        }
        Ok(serial)
    }
}
