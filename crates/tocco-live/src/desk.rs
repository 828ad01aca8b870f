// SPDX-License-Identifier: MIT OR Apache-2.0
//! The control half: names, checks, answers, takes.

mod back;

use crate::Setup;
use crate::echo;
use crate::error::{Error, Result, bad};
use crate::instrument::State;
use crate::midi::Map;
use crate::notes::Notes;
use crate::player::{
    EnergyGroups, Job, MOST_FRAMES, Player, Pulse, Pushes, REQUESTS, Request, Settings, Shown, WatchList, setting,
};
use crate::report::{Ending, METERS, PROBES, READINGS, REPORTS, Report, Status};
use crate::take::{self, Header};
use rtrb::{Consumer, Producer, RingBuffer};
use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tocco::contact::Site;
use tocco::engine::ROOM;
use tocco::param::{Scale, Spec};
use tocco::{Address, Command, Directory, Document, Engine, Gesture};

/// Remarks that wait to be said; older ones are forgotten.
const NEWS: usize = 32;
/// Share of a new reading of the clock: the ear of a device comes in uneven steps, its mean does not.
const CLOCK_SHARE: f64 = 1.0 / 64.0;
/// Energies are read so often, s.
const ENERGIES_S: f64 = 0.005;
/// Where parameters stand is read so often, s.
const SETTINGS_S: f64 = 0.04;
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
    /// Where it stands, 0..1, by where what it moves stands, whoever moved that.
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
    pub(crate) values: Vec<Option<f64>>,
    /// Serial of the request by which that was sent.
    sent_by: Vec<u64>,
    /// Where parameters stand, if anybody wants to know.
    settings: Option<Arc<Shown>>,
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
    meters: bool,
    stopped: Option<Ending>,
    pulse: Arc<Pulse>,
    pushes: Arc<Pushes>,
    /// Hears whether the microphone hears the loudspeaker.
    listener: Option<echo::Listener>,
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
    let Setup { rate_hz, channels, limiter, look_s, watch_load, clock, sets, tape_s, gate, meters } = setup;
    if channels > METERS {
        return bad(format!("{channels} channels; at most {METERS}"));
    }
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
        look_s,
        sets,
        scene: scene.clone(),
    };
    let (requests, to_player) = RingBuffer::new(REQUESTS);
    let (from_player, reports) = RingBuffer::new(REPORTS);
    let (told, readings) = RingBuffer::new(READINGS);
    let most_parameters = directory.parameters().max(ROOM);
    let pushes = Arc::new(Pushes::new(most_parameters));
    let mut player = Player::new(Engine::new(built), to_player, from_player, told, pushes.clone(), watch_load, clock);
    player.meters = meters;
    player.limiter = header.limiter(&directory);
    let tape_of = |samples: f64| (samples > 0.0).then(|| RingBuffer::new(samples as usize)).unzip();
    let tape;
    (player.tape, tape) = tape_of(tape_s * rate_hz * channels as f64);
    let input_tape;
    (player.input_tape, input_tape) = tape_of(INPUT_TAPE_S * rate_hz * directory.inputs() as f64);
    let pulse = player.pulse.clone();
    let listening = gate && directory.inputs() > 0;
    let listener;
    (player.gate, listener) = listening.then(|| echo::gate(rate_hz, directory.inputs(), MOST_FRAMES)).unzip();
    let mut desk = Desk {
        listener,
        pulse,
        pushes,
        most_parameters,
        inputs: directory.inputs(),
        header,
        scene,
        values: vec![None; directory.parameters()],
        sent_by: vec![0; directory.parameters()],
        settings: None,
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
        meters,
    };
    // What was set before the first tick is part of the state, too.
    let set: Vec<(Address, f64)> =
        desk.header.sets.iter().filter_map(|(path, x)| Some((desk.directory.address(path).ok()?, *x))).collect();
    set.into_iter().for_each(|(address, value)| desk.remember(address, value));
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
        let sent = || self.values.get(slot).copied().flatten().unwrap_or_else(|| self.directory.declared(slot));
        self.told(slot).unwrap_or_else(sent)
    }

    /// Where the audio half found a parameter, unless something is on its way there.
    fn told(&self, slot: usize) -> Option<f64> {
        let shown = self.settings.as_ref()?;
        let felt = shown.serial.load(Ordering::Acquire);
        let value = f64::from_bits(shown.values.get(slot)?.load(Ordering::Relaxed));
        (felt >= *self.sent_by.get(slot)? && value.is_finite()).then_some(value)
    }

    /// Every live path with its declaration and where it stands: by the value last sent, or declared; with
    /// [`Desk::watch_settings`] whoever moved it.
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

    /// Value last sent to a path or control, whoever sent it and by whatever name, else as declared; with [`Desk::watch_settings`]
    /// where it stands. `None`: no such path.
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
        let Self { directory, values, sent_by, serial, .. } = self;
        for (slot, value) in directory.moves(address, value) {
            // What was pushed for a scene that is no more may have a number that this one lacks.
            if slot < values.len() {
                (values[slot], sent_by[slot]) = (Some(value), *serial);
            }
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
        self.hear_pushes();
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
        if self.requests.slots() < 3 {
            // The scene and what is watched in it go together, or not at all.
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
        self.sent_by = vec![0; directory.parameters()];
        self.directory = directory;
        self.generation += 1;
        if self.settings.is_some() {
            self.watch_settings()?;
        }
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

    /// Its notes, for whoever plays it from the thread of the sound once it has taken over.
    pub fn notes(&self) -> Notes {
        Notes::new(&self.scene.def, &self.built, &Map::of(&self.scene.def))
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
        Command::Join { contact, between } => {
            let contact = directory.contact_name(*contact)?.to_owned();
            let sites = between.iter().flatten();
            let place = |site: &Site| directory.body_name(site.body).map(|_| directory.site_name(*site));
            Gesture::Join { contact, between: sites.map(place).collect::<Option<_>>()? }
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

fn full() -> Error {
    Error::Busy(format!("{REQUESTS} requests wait already; slow down, or is the device stuck?"))
}
