// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a box does: a scene that plays, messages by name, what it has to say. It knows nothing of Pd but its manner of speaking.
//!
//! Every message becomes a [`Gesture`], is checked by [`Gesture::resolve`] as everywhere, and is pushed to its sample. Signal
//! inlets are the scene's own inputs and, behind them, the paths that the box names: each is a drive with `input` that takes the
//! place of the scene's own drive of that path.

use std::collections::VecDeque;
use std::path::Path;
pub use tocco::gesture::OscArg as Arg;
use tocco::scene::def::{DriveDef, Source};
use tocco::{Document, Gesture, Scene, Timed};
use tocco_lab::library;
use tocco_live::midi::{Map, voices};
use tocco_live::notes::{Note, NoteEvent, Which};
use tocco_live::{METERS, Notes, Session, Setup, State, When};

/// Signal inlets that a box may have.
pub const MOST_INPUTS: usize = METERS;
/// Blocks between two looks at notes that may have ended, and between two at all that comes back.
const LOOK_BLOCKS: u32 = 16;
const POLL_BLOCKS: u32 = 256;
/// Channels of the notes of a patch.
const CHANNEL: u8 = 0;

/// What a box has to say.
pub enum News {
    /// A line of the console.
    Line(String),
    /// A line for those who want to see everything.
    Detail(String),
    /// A message that goes out at the right.
    Message(String, Vec<Arg>),
}

/// What a box holds.
pub struct Instance {
    /// The scene as it was asked for, and where to look for it.
    name: String,
    folder: String,
    /// Paths that have a signal inlet.
    driven: Vec<String>,
    session: Session,
    /// From the first note on, when the scene gets its voices: one that plays no notes does not pay for them.
    notes: Option<Notes>,
    voiced: bool,
    /// False: the present rate cannot be played.
    plays: bool,
    touches: bool,
    frames: Vec<f32>,
    blocks: u32,
    news: VecDeque<News>,
}

fn words(error: impl std::fmt::Display) -> String {
    error.to_string()
}

/// The scene that is meant: a file beside the patch or anywhere, or a shipped name; with the inlets that the box wants.
fn document(name: &str, folder: &str, driven: &[String]) -> Result<Document, String> {
    // To the program this is its standard input; Pd would wait for it.
    if name == "-" {
        return Err("name a scene file, or a scene that comes with Tocco".into());
    }
    let beside = Path::new(folder).join(name);
    let beside = [beside.clone(), beside.with_extension("toml")].into_iter().find(|path| path.is_file());
    let found = beside.map_or_else(|| name.to_owned(), |path| path.to_string_lossy().into_owned());
    let mut scene = library::load(&found).map_err(words)?;
    if driven.is_empty() {
        return Ok(scene);
    }
    let built = Scene::build(&scene.def, scene.def.rate_hz).map_err(|error| scene.message(&error))?;
    let first = built.directory().inputs();
    for (at, path) in driven.iter().enumerate() {
        built.directory().address(path).map_err(words)?;
        scene.def.drives.retain(|drive| drive.path != *path);
        let source = Source::Input { channel: first + at, gain: 1.0 };
        scene.def.drives.push(DriveDef { times: None, path: path.clone(), source });
    }
    if first + driven.len() > MOST_INPUTS {
        return Err(format!("{} signal inlets; at most {MOST_INPUTS}", first + driven.len()));
    }
    scene.text = scene.def.to_toml();
    Ok(scene)
}

fn setup(rate_hz: f64, channels: usize, sets: Vec<(String, f64)>) -> Setup {
    Setup {
        rate_hz: Some(rate_hz),
        channels,
        limiter: false,
        look_s: 0.0,
        watch_load: false,
        clock: None,
        sets,
        tape_s: 0.0,
        gate: false,
        meters: false,
    }
}

/// The notes of a scene that has its voices, and plays.
fn notes_of(session: &Session) -> Notes {
    let def = &session.desk.scene().def;
    Notes::new(def, session.player.engine().scene(), &Map::of(def))
}

/// What comes in.
impl Instance {
    /// A scene by name or file, and paths that get a signal inlet.
    pub fn new(args: &[Arg], folder: &str, rate_hz: f64) -> Result<Self, String> {
        let mut all = args.iter().map(|arg| match arg {
            Arg::Text(text) => Ok(text.clone()),
            Arg::Number(x) => Err(format!("a scene or a path is wanted, not the number {x}")),
        });
        let none = "name a scene, as in [tocco~ bar]: a file beside the patch, or one that comes with Tocco";
        let name = all.next().unwrap_or_else(|| Err(none.into()))?;
        let driven = all.collect::<Result<Vec<String>, String>>()?;
        let scene = document(&name, folder, &driven)?;
        let rate_hz = if rate_hz > 0.0 { rate_hz } else { scene.def.rate_hz };
        let session = Session::open(scene, setup(rate_hz, 1, Vec::new())).map_err(words)?;
        let (folder, news, frames) = (folder.to_owned(), VecDeque::new(), Vec::new());
        Ok(Self {
            name,
            folder,
            driven,
            session,
            notes: None,
            voiced: false,
            plays: true,
            touches: false,
            frames,
            blocks: 0,
            news,
        })
    }

    /// Outlets for signals.
    pub fn channels(&self) -> usize {
        self.session.player.channels()
    }

    /// Inlets for signals.
    pub fn inputs(&self) -> usize {
        self.session.player.inputs()
    }

    /// Signals will run at this rate in blocks of this size. Another rate than before: the scene begins anew, with what was set.
    pub fn prepare(&mut self, rate_hz: f64, block: usize) -> Result<(), String> {
        self.frames.resize(block * self.channels(), 0.0);
        if rate_hz == self.session.player.rate_hz() {
            self.plays = true;
            return Ok(());
        }
        self.plays = false;
        self.session.desk.poll().map_err(words)?;
        let State { scene, values } = self.session.desk.state();
        // The outlets stay, though the scene that plays now may have fewer channels than the first.
        self.session = Session::open(scene, setup(rate_hz, self.channels(), values)).map_err(words)?;
        if self.voiced {
            self.session.desk.prepare_with(voices::voiced);
            let next = notes_of(&self.session);
            self.follow_with(Some(next));
        }
        self.session.player.watch_touches(self.touches);
        self.plays = true;
        Ok(())
    }

    /// A message, so many samples after the start of the next block.
    pub fn message(&mut self, name: &str, args: &[Arg], after: u64) -> Result<(), String> {
        use Arg::{Number, Text};
        let at = self.session.player.engine().tick() + after;
        match (name, args) {
            ("load", [Text(scene)]) => self.exchange(scene.clone(), false),
            ("reload", []) => self.exchange(self.name.clone(), true),
            ("load", _) => Err("load takes the name of a scene".into()),
            ("describe", []) => {
                self.session.desk.poll().map_err(words)?;
                self.describe();
                Ok(())
            }
            ("get", [Text(path)]) => {
                self.session.desk.poll().map_err(words)?;
                self.session.desk.spec(path).map_err(words)?;
                let value = self.session.desk.value(path).unwrap_or(0.0);
                self.news.push_back(News::Message(path.clone(), vec![Number(value)]));
                Ok(())
            }
            ("get", _) => Err("get takes a path".into()),
            ("touches", [Number(on)]) => {
                self.touches = *on != 0.0;
                self.session.player.watch_touches(self.touches);
                Ok(())
            }
            ("note" | "choke" | "tune" | "press" | "brighten", numbers) => self.note(name, numbers, at),
            ("set", [Text(path), rest @ ..]) => self.perform(path, rest, at),
            ("strike" | "hit" | "jump" | "touch" | "stream" | "trigger" | "panic", args) => {
                self.perform(&format!("tocco/{name}"), args, at)
            }
            (path, args) => self.perform(path, args, at),
        }
    }

    /// A list, as `[oscparse]` makes it of an OSC message: the words of its address, then its arguments.
    pub fn list(&mut self, args: &[Arg], after: u64) -> Result<(), String> {
        let word = |arg: &Arg| match arg {
            Arg::Text(text) => Some(text.clone()),
            Arg::Number(_) => None,
        };
        let all: Vec<String> = args.iter().map_while(word).collect();
        match all.as_slice() {
            [] => Err("a list begins with the words of a path, as hit stiffness 1e7".into()),
            [first, method, ..] if first == "tocco" => self.message(method, &args[2..], after),
            _ => {
                let at = self.session.player.engine().tick() + after;
                self.perform(&all.join("/"), &args[all.len()..], at)
            }
        }
    }

    fn perform(&mut self, address: &str, args: &[Arg], at: u64) -> Result<(), String> {
        let gesture = Gesture::from_osc(address, args).unwrap_or_else(|| Err(format!("no message '{address}'")))?;
        let resolved = gesture.resolve(self.session.desk.directory()).map_err(|error| error.what)?;
        if resolved.clamped {
            let value = resolved.value().map_or_else(String::new, |value| format!("; {value} is taken"));
            self.news.push_back(News::Detail(format!("tocco~: {}: out of range{value}", gesture.about())));
        }
        let Err(command) = self.session.player.push(Timed { at, command: resolved.command }) else { return Ok(()) };
        // There was no room until what has come back is fetched, or the command holds memory and goes by the desk.
        self.session.desk.poll().map_err(words)?;
        if self.session.player.push(Timed { at, command }).is_err() {
            self.session.desk.perform(&gesture, When::Tick(at)).map_err(words)?;
            self.session.player.play(&[], &mut []);
        }
        Ok(())
    }

    fn note(&mut self, name: &str, args: &[Arg], at: u64) -> Result<(), String> {
        let takes = match name {
            "note" => "a key, a velocity from 0 to 127 and, if wanted, a tuning in semitones",
            "tune" => "a key and semitones beside it",
            "choke" => "a key",
            _ => "a key and a number from 0 to 1",
        };
        let wrong = || format!("{name} takes {takes}");
        let number = |arg: &Arg| match arg {
            Arg::Number(x) => Ok(*x),
            Arg::Text(_) => Err(wrong()),
        };
        let numbers = args.iter().map(number).collect::<Result<Vec<f64>, String>>()?;
        if numbers.iter().any(|x| !x.is_finite()) {
            return Err(format!("{name}: not a number"));
        }
        let key = *numbers.first().ok_or_else(wrong)?;
        if !(0.0..=127.0).contains(&key) {
            return Err(format!("{name}: key {key}; wants 0 to 127"));
        }
        // Between two keys: the nearest, and the rest is its tuning.
        let (nearest, beside) = (key.round(), key - key.round());
        let key = nearest as u8;
        let which = Which { key: Some(key), ..Which::default() };
        let event = match (name, &numbers[1..]) {
            ("note", [velocity]) if *velocity <= 0.0 => NoteEvent::Off(which),
            ("note", [velocity, rest @ ..]) if rest.len() < 2 => NoteEvent::On {
                note: Note { id: i32::from(key), channel: CHANNEL, key },
                velocity_01: velocity.min(127.0) / 127.0,
                tuning: beside + rest.first().copied().unwrap_or(0.0),
            },
            ("choke", []) => NoteEvent::Choke(which),
            ("tune", [semitones]) => NoteEvent::Tune(which, *semitones),
            ("press", [x]) => NoteEvent::Press(which, x.clamp(0.0, 1.0)),
            ("brighten", [x]) => NoteEvent::Brighten(which, x.clamp(0.0, 1.0)),
            _ => return Err(wrong()),
        };
        if self.notes.is_none() {
            self.give_voices()?;
        }
        let taken = self.notes.as_mut().is_some_and(|notes| notes.play(event, at, &mut self.session.player));
        self.tell_ended();
        if taken {
            return Ok(());
        }
        self.session.desk.poll().map_err(words)?;
        Err("too much at once: a part of this note was lost".into())
    }

    /// Another scene at the start of the next block; if it is the present one edited, what stays sounds on.
    fn exchange(&mut self, name: String, edited: bool) -> Result<(), String> {
        let scene = document(&name, &self.folder, &self.driven)?;
        self.session.desk.poll().map_err(words)?;
        self.take_over(scene, edited)?;
        self.name = name;
        Ok(())
    }

    fn take_over(&mut self, scene: Document, edited: bool) -> Result<(), String> {
        let built = self.session.desk.workshop().build(scene).map_err(words)?;
        let next = self.voiced.then(|| built.notes());
        if let Some(notes) = self.notes.as_mut().filter(|_| edited) {
            let now = self.session.player.engine().tick();
            notes.play(NoteEvent::Off(Which::default()), now, &mut self.session.player);
        }
        self.session.desk.take_over(built, edited).map_err(words)?;
        // It is at its place in the queue before anything that comes after it.
        self.session.player.play(&[], &mut []);
        self.follow_with(next);
        Ok(())
    }

    /// Other notes in place of these, which have all ended.
    fn follow_with(&mut self, next: Option<Notes>) {
        self.tell_ended();
        if let Some(notes) = &mut self.notes {
            notes.end_all();
        }
        self.tell_ended();
        self.notes = next;
    }

    fn tell_ended(&mut self) {
        while let Some(note) = self.notes.as_mut().and_then(Notes::ended) {
            self.news.push_back(News::Message("ended".into(), vec![Arg::Number(f64::from(note.key))]));
        }
    }

    /// The scene with its voices takes over from itself: what sounds is its first voice and goes on.
    fn give_voices(&mut self) -> Result<(), String> {
        self.voiced = true;
        self.session.desk.prepare_with(voices::voiced);
        self.session.desk.poll().map_err(words)?;
        let voiced = voices::voiced(self.session.desk.scene().clone()).map_err(words)?;
        if voiced.text == self.session.desk.scene().text {
            self.notes = Some(notes_of(&self.session));
            return Ok(());
        }
        self.take_over(voiced, true)
    }

    fn describe(&mut self) {
        let desk = &self.session.desk;
        let mut lines = vec![format!("tocco~: {}", desk.scene().origin)];
        lines.extend(
            desk.controls().iter().map(|c| format!("  {} {:.4}  0 to 1, moves {}", c.name, c.position, c.path)),
        );
        lines.extend(desk.paths().iter().map(|(path, spec, value)| {
            format!("  {path} {value}  {:e} to {:e} {}: {}", spec.min, spec.max, spec.unit, spec.doc)
        }));
        self.news.extend(lines.into_iter().map(News::Line));
    }
}

/// What goes out.
impl Instance {
    /// Makes a block; true if there is something to say. It allocates nothing.
    pub fn play(&mut self, inputs: &[&[f32]], block: usize) -> bool {
        let samples = (block * self.session.player.channels()).min(self.frames.len());
        let frames = &mut self.frames[..samples];
        if !self.plays {
            frames.fill(0.0);
            return false;
        }
        self.session.player.play(inputs, frames);
        self.blocks = (self.blocks + 1) % POLL_BLOCKS;
        let looks = self.notes.is_some() && self.blocks.is_multiple_of(LOOK_BLOCKS);
        looks || self.touches || self.blocks == 0
    }

    /// The block that was made, of one channel.
    pub fn copy(&self, channel: usize, to: &mut [f32]) {
        match self.channels() {
            1 => to.copy_from_slice(&self.frames[..to.len()]),
            channels => {
                let frames = self.frames.chunks_exact(channels);
                to.iter_mut().zip(frames).for_each(|(to, frame)| *to = frame[channel]);
            }
        }
    }

    /// Fetches what comes back, between blocks.
    pub fn poll(&mut self) -> Result<(), String> {
        let Self { session, notes, news, blocks, .. } = self;
        if *blocks == 0 {
            session.desk.poll().map_err(words)?;
        }
        while let Some(line) = session.desk.news() {
            news.push_back(News::Line(format!("tocco~: {line}")));
        }
        while let Some(touch) = session.player.take_touch() {
            let contact = session.desk.directory().contact_name(touch.contact).unwrap_or_default().to_owned();
            let begins = f64::from(u8::from(touch.begins));
            let values = vec![Arg::Text(contact), Arg::Number(begins), Arg::Number(touch.impulse_n_s)];
            news.push_back(News::Message("touch".into(), values));
        }
        if let Some(notes) = notes {
            notes.follow(session.player.engine());
        }
        self.tell_ended();
        Ok(())
    }

    /// The next thing that it has to say.
    pub fn news(&mut self) -> Option<News> {
        self.news.pop_front()
    }
}
