// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a packet does, and what is answered. No socket here: bytes and a sender in, bytes and a receiver out.

use super::answers::{Answers, Proofs, sender};
use super::files::{self, Folder, ToSave};
use super::methods::{ANSWERS, methods, takes};
use super::pattern::{Pattern, is_pattern};
use super::stream::{Stream, TIMEOUT, USUAL_HZ};
use super::wire::{self, bytes_of, float, number, text};
use crate::console;
use crate::error::{HostError, Result, bad};
use crate::live::building::Building;
use crate::live::{Answer, Desk, Knob, Shared, When, clock};
use rosc::{OscMessage, OscType};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};
use std::net::SocketAddr;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant, SystemTime};
use tocco::Gesture;
use tocco::gesture::OscArg;
use tocco::scene::error::nearest;

/// Everything to rest.
const PANIC: &str = "/tocco/panic";

/// Patterns of a packet, at most; gestures that it may give.
const MOST_PATTERNS: usize = 64;
const MOST_GESTURES: usize = 4096;
/// Places that a packet may touch: where a mode is zero takes its time to find.
const MOST_TOUCHES: usize = 16;
/// Mistakes of a packet that are answered; after so many the rest is not read.
const MOST_ERRORS: usize = 16;
/// Mistakes a second for which the nearest name is looked up, which takes its time.
const MOST_NAMED: u32 = 50;
/// A time tag may lie so far ahead, s.
const FURTHEST_S: f64 = 60.0;
/// Gestures that wait for their time tag, at most: fewer than the audio half has room for, so that others still pass.
const MOST_AHEAD: usize = 4096;
/// Of these, of one sender.
const MOST_AHEAD_EACH: usize = 2048;
/// Messages that wait until the scene that their sender asked for is built, at most, and their bytes.
const MOST_HELD: usize = 1024;
const MOST_HELD_BYTES: usize = 1 << 20;
/// For so long others on the machine of who asked for a scene wait for it, too.
const YOUNG: Duration = Duration::from_secs(2);
/// A scene that is built within this time takes over before the next packet is read.
const QUICK: Duration = Duration::from_millis(20);
/// Bytes of an error message, at most.
const LONGEST_ERROR: usize = 600;
/// A remark on the terminal so often, at most.
const REMARK: Duration = Duration::from_secs(1);

/// The server without its socket.
pub struct Server {
    desk: Shared,
    folder: Option<Folder>,
    /// Names of the scene of this generation.
    names: Vec<String>,
    known: HashSet<String>,
    generation: Option<u64>,
    /// Ticks for which gestures wait, with their senders, and how many each has.
    ahead: BinaryHeap<Reverse<(u64, SocketAddr)>>,
    ahead_of: HashMap<SocketAddr, usize>,
    answers: Answers,
    /// Where the socket is open to others: who has shown to be where he says.
    proofs: Option<Proofs>,
    /// Bytes of the packet at hand that no question has been sent for.
    owed: usize,
    /// A scene on its way to the disk, and who waits for it.
    saving: Option<(SocketAddr, mpsc::Receiver<Result<String>>)>,
    /// How one is brought there.
    save: fn(ToSave) -> Result<String>,
    building: Option<Order>,
    held: VecDeque<Held>,
    /// What was saved so far.
    saved: files::Saved,
    stream: Stream,
    remarked: Option<Instant>,
    withheld: u64,
    named: (Instant, u32),
}

/// A scene that somebody has asked for.
struct Order {
    building: Building,
    from: SocketAddr,
    since: Instant,
    word: String,
    adopt: bool,
}

impl Order {
    /// True for whoever has asked for it and, in the beginning, for others on his machine: many programs have a new port for every
    /// message.
    fn holds(&self, from: SocketAddr) -> bool {
        self.from == from || (self.from.ip() == from.ip() && self.since.elapsed() < YOUNG)
    }
}

/// A message that waits until its sender's scene is built.
struct Held {
    from: SocketAddr,
    time: Option<SystemTime>,
    bytes: Vec<u8>,
}

/// A packet being read.
struct Visit {
    from: SocketAddr,
    patterns: usize,
    gestures: usize,
    touches: usize,
    errors: usize,
}

impl Visit {
    fn new(from: SocketAddr) -> Self {
        Self { from, patterns: MOST_PATTERNS, gestures: MOST_GESTURES, touches: MOST_TOUCHES, errors: MOST_ERRORS }
    }
}

impl Server {
    /// For a desk; scenes are loaded and saved in the folder.
    pub fn new(desk: &Shared, folder: Option<Folder>) -> Self {
        Self {
            desk: desk.clone(),
            folder,
            names: Vec::new(),
            known: HashSet::new(),
            generation: None,
            ahead: BinaryHeap::new(),
            ahead_of: HashMap::new(),
            answers: Answers::default(),
            proofs: None,
            owed: 0,
            saving: None,
            save: ToSave::write,
            building: None,
            held: VecDeque::new(),
            saved: files::Saved::default(),
            stream: Stream::default(),
            remarked: None,
            withheld: 0,
            named: (Instant::now(), 0),
        }
    }

    /// From now on only who has answered a challenge is answered: the socket is open to others, and what they say of where they
    /// are may be a lie.
    pub fn distrust(&mut self) {
        self.proofs = Some(Proofs::default());
    }

    /// Scenes are brought to the disk in this way instead of by [`ToSave::write`]; it may take as long as it likes.
    pub fn save_with(&mut self, save: fn(ToSave) -> Result<String>) {
        self.save = save;
    }

    /// A packet has come.
    pub fn receive(&mut self, bytes: &[u8], from: SocketAddr) {
        let shared = self.desk.clone();
        let mut desk = shared.lock();
        let mut visit = Visit::new(from);
        let (building, saving) = (self.building.is_some(), self.saving.is_some());
        self.owed = bytes.len();
        match wire::unpack(bytes) {
            Ok(leaves) => {
                for leaf in leaves {
                    self.read(&mut desk, &mut visit, leaf.bytes, leaf.time);
                }
            }
            Err(what) => {
                let error = refuse::<()>(&mut desk, what);
                error.unwrap_or_else(|error| self.fail(&mut desk, &mut visit, &error));
            }
        }
        drop(desk);
        self.owed = 0;
        // Whoever has ordered something waits for it for a moment; nobody waits for what others have ordered.
        if (self.saving.is_some() && !saving) || (self.building.is_some() && !building) {
            self.settle(QUICK);
        }
    }

    /// Tells who waits for it that a scene is on the disk, or why it is not; waits for it so long at most.
    fn tell_saved(&mut self, patience: Duration) {
        let Some((from, done)) = self.saving.take() else { return };
        let done = match done.recv_timeout(patience) {
            Ok(done) => done,
            Err(RecvTimeoutError::Timeout) => {
                self.saving = Some((from, done));
                return;
            }
            Err(RecvTimeoutError::Disconnected) => Err(HostError::Machine("it could not be saved".into())),
        };
        match done {
            Ok(file) => self.reply(from, "/tocco/scene/saved", vec![text(file)]),
            Err(error) => {
                let shared = self.desk.clone();
                let mut desk = shared.lock();
                let words = files::without_folder(self.folder.as_ref(), &error.to_string());
                desk.count_refused();
                self.fail(&mut desk, &mut Visit::new(from), &HostError::BadInput(words));
            }
        }
    }

    /// One message. Those of a sender whose scene is being built wait for it; *panic* waits for nobody.
    fn read(&mut self, desk: &mut Desk, visit: &mut Visit, bytes: &[u8], time: Option<SystemTime>) {
        if visit.errors == 0 {
            // Finding what may have been meant takes time; such a packet has had its share.
            desk.count_refused();
            return;
        }
        let waits = self.building.as_ref().is_some_and(|order| order.holds(visit.from));
        let done = match wire::message(bytes) {
            Ok(message) if waits && message.addr != PANIC => self.hold(desk, visit.from, time, bytes),
            Ok(message) => self.obey(desk, &message, time, visit),
            Err(what) => refuse(desk, what),
        };
        if let Err(error) = done {
            self.fail(desk, visit, &error);
        }
    }

    fn hold(&mut self, desk: &mut Desk, from: SocketAddr, time: Option<SystemTime>, bytes: &[u8]) -> Result<()> {
        let waiting: usize = self.held.iter().map(|held| held.bytes.len()).sum();
        if self.held.len() == MOST_HELD || waiting + bytes.len() > MOST_HELD_BYTES {
            return refuse(desk, format!("the scene is being built, and {} messages wait already", self.held.len()));
        }
        self.held.push_back(Held { from, time, bytes: bytes.to_vec() });
        Ok(())
    }

    /// Who has saved is told; a scene that has been built takes over, and what waited for it is done. Waits for each so long at most.
    pub fn settle(&mut self, patience: Duration) {
        self.tell_saved(patience);
        let Some(done) = self.building.as_ref().and_then(|order| order.building.ready(patience)) else { return };
        let Some(Order { from, word, adopt, .. }) = self.building.take() else { return };
        let shared = self.desk.clone();
        let mut desk = shared.lock();
        let title = done.as_ref().map(|built| built.scene().title().to_owned()).unwrap_or_default();
        let done = match done {
            Ok(built) => desk.take_over(built, adopt).map_err(HostError::from),
            Err(error) => refuse(&mut desk, files::without_folder(self.folder.as_ref(), &error.to_string())),
        };
        match done {
            Ok(()) => {
                self.forget_ahead();
                let what = if adopt { "/tocco/scene/edited" } else { "/tocco/scene/loaded" };
                self.reply(from, what, vec![text(word), text(console::one_line(&title))]);
            }
            Err(error) => self.fail(&mut desk, &mut Visit::new(from), &error),
        }
        // One of these may order a scene in its turn; then the rest waits on.
        let mut visit = Visit::new(from);
        for _ in 0..self.held.len() {
            let Some(held) = self.held.pop_front() else { break };
            if visit.from != held.from {
                visit = Visit::new(held.from);
            }
            self.read(&mut desk, &mut visit, &held.bytes, held.time);
        }
    }

    fn forget_ahead(&mut self) {
        self.ahead.clear();
        self.ahead_of.clear();
    }

    /// What is due: streams, forgotten subscribers. Call it often.
    pub fn turn(&mut self) {
        if self.building.is_some() || self.saving.is_some() {
            self.settle(Duration::ZERO);
        }
        if self.stream.is_empty() {
            return;
        }
        let shared = self.desk.clone();
        let mut desk = shared.lock();
        let answers = &mut self.answers;
        self.stream.turn(&mut desk, Instant::now(), &mut |to, bytes| answers.push(to, bytes));
    }

    /// The next answer to send.
    pub fn answer(&mut self) -> Option<(SocketAddr, Vec<u8>)> {
        self.answers.pop()
    }

    /// True if something waits to be sent or will have to be soon.
    pub fn is_busy(&self) -> bool {
        !self.answers.is_empty() || !self.stream.is_empty() || self.building.is_some() || self.saving.is_some()
    }

    fn reply(&mut self, to: SocketAddr, address: &str, args: Vec<OscType>) {
        // Whoever has not shown to be where he says gets a short question back, and nothing else.
        if self.is_proved(to) {
            self.answers.push(to, bytes_of(address, args));
        }
    }

    /// True if he may be answered. Else he is asked for a number now and then, for no packet that is shorter than the question.
    fn is_proved(&mut self, of: SocketAddr) -> bool {
        let Some(proofs) = &mut self.proofs else { return true };
        let question = bytes_of("/tocco/who", vec![OscType::Long(0)]);
        match proofs.judge(of, self.owed >= question.len()) {
            Ok(()) => true,
            Err(None) => false,
            Err(Some(number)) => {
                self.owed -= question.len();
                self.answers.ask(of, bytes_of("/tocco/who", vec![OscType::Long(number)]));
                false
            }
        }
    }

    /// A mistake: answered, and remarked on now and then.
    fn fail(&mut self, desk: &mut Desk, visit: &mut Visit, error: &HostError) {
        let mut line = console::one_line(&error.to_string());
        if line.len() > LONGEST_ERROR {
            let end = (0..=LONGEST_ERROR).rev().find(|end| line.is_char_boundary(*end)).unwrap_or(0);
            line.truncate(end);
            line.push_str(" ...");
        }
        visit.errors = visit.errors.saturating_sub(1);
        self.reply(visit.from, "/tocco/error", vec![text(line.as_str())]);
        let now = Instant::now();
        if self.remarked.is_some_and(|last| now < last + REMARK) {
            self.withheld += 1;
            return;
        }
        let more = if self.withheld > 0 { format!(" ({} more before)", self.withheld) } else { String::new() };
        desk.say(format!("OSC from {}: {line}{more}", visit.from));
        (self.remarked, self.withheld) = (Some(now), 0);
    }

    fn obey(
        &mut self,
        desk: &mut Desk,
        message: &OscMessage,
        time: Option<SystemTime>,
        visit: &mut Visit,
    ) -> Result<()> {
        let Some(address) = message.addr.strip_prefix('/') else { return refuse(desk, "no address".into()) };
        if address.split('/').any(str::is_empty) {
            return refuse(desk, format!("'{}': a part of the address is empty", message.addr));
        }
        self.learn(desk);
        if !is_pattern(address) {
            return self.call(desk, address, message, time, visit);
        }
        if visit.patterns == 0 {
            return refuse(desk, format!("'{}': more than {MOST_PATTERNS} patterns in one packet", message.addr));
        }
        visit.patterns -= 1;
        let pattern = match Pattern::new(address) {
            Ok(pattern) => pattern,
            Err(what) => return refuse(desk, format!("'{}': {what}", message.addr)),
        };
        let all = methods().map(|(method, _)| method).chain(self.names.iter().map(String::as_str));
        let meant: Vec<String> = all.filter(|name| pattern.matches(name)).map(str::to_owned).collect();
        if meant.is_empty() {
            return refuse(desk, format!("'{}' matches nothing; /tocco/describe lists all", message.addr));
        }
        // A method that happens to match but takes other arguments is not meant.
        let fit = |name: &&String| takes(name).is_none() || fits(name, &message.args);
        let one = meant.len() == 1;
        let mut done = Ok(());
        for name in meant.iter().filter(|name| one || fit(name)) {
            done = self.call(desk, name, message, time, visit).and(done);
        }
        done
    }

    /// Names of the scene, whenever there is another one.
    fn learn(&mut self, desk: &Desk) {
        if self.generation != Some(desk.generation()) {
            self.generation = Some(desk.generation());
            self.names = desk.paths().into_iter().map(|(path, _, _)| path).collect();
            self.names.extend(desk.controls().into_iter().map(|knob| knob.name));
            self.known = self.names.iter().cloned().collect();
        }
    }

    fn call(
        &mut self,
        desk: &mut Desk,
        address: &str,
        message: &OscMessage,
        time: Option<SystemTime>,
        visit: &mut Visit,
    ) -> Result<()> {
        if ANSWERS.contains(&address) {
            desk.count_refused();
            return Ok(());
        }
        let takes = takes(address);
        if takes.is_none() && address.starts_with("tocco/") && !self.known.contains(address) {
            return refuse(
                desk,
                format!("no method '/{address}'{}", nearest(address, methods().map(|(name, _)| name))),
            );
        }
        if let Some(takes) = takes {
            if !fits(address, &message.args) {
                return refuse(desk, format!("/{address} takes {takes}"));
            }
            let long = |arg: &OscType| matches!(arg, OscType::String(name) if name.len() > wire::LONGEST);
            if message.args.iter().any(long) {
                return refuse(desk, format!("/{address}: a name longer than {} bytes", wire::LONGEST));
            }
        }
        let args = match gesture_args(&message.args) {
            Ok(args) => args,
            Err(what) => return refuse(desk, format!("/{address}: {what}")),
        };
        match Gesture::from_osc(address, &args) {
            Some(Ok(gesture)) => self.perform(desk, &gesture, time, visit),
            Some(Err(what)) => refuse(desk, what),
            None => self.method(desk, &address["tocco/".len()..], message, time, visit),
        }
    }

    /// A gesture: it takes effect at its time tag, if it has one.
    fn perform(
        &mut self,
        desk: &mut Desk,
        gesture: &Gesture,
        time: Option<SystemTime>,
        visit: &mut Visit,
    ) -> Result<()> {
        match gesture {
            Gesture::Set { path, .. } | Gesture::Glide { path, .. }
                if !self.known.contains(path) && !self.may_name() =>
            {
                return refuse(desk, format!("no parameter '{path}'"));
            }
            Gesture::Touch { .. } if visit.touches == 0 => {
                return refuse(desk, format!("/tocco/touch: more than {MOST_TOUCHES} in one packet"));
            }
            Gesture::Touch { .. } => visit.touches -= 1,
            Gesture::Hush => {
                at_once(desk, "tocco/panic", time)?;
                desk.perform(gesture, When::Now)?;
                self.forget_ahead();
                self.reply(visit.from, "/tocco/hushed", vec![]);
                return Ok(());
            }
            _ => {}
        }
        let when = self.when(desk, time, visit)?;
        let answer = desk.perform(gesture, when)?;
        self.clamped(visit.from, gesture.about(), answer);
        Ok(())
    }

    /// True while there is time to look for what may have been meant.
    fn may_name(&mut self) -> bool {
        if self.named.0.elapsed() > Duration::from_secs(1) {
            self.named = (Instant::now(), 0);
        }
        self.named.1 += 1;
        self.named.1 <= MOST_NAMED
    }

    /// The tick of a time tag, one of those that may wait.
    fn when(&mut self, desk: &mut Desk, time: Option<SystemTime>, visit: &mut Visit) -> Result<When> {
        if visit.gestures == 0 {
            return refuse(desk, format!("more than {MOST_GESTURES} gestures in one packet"));
        }
        visit.gestures -= 1;
        let Some(tick) = time.and_then(|time| clock::tick_of(desk, time)) else { return Ok(When::Now) };
        let now = desk.tick();
        while let Some(Reverse((_, of))) = pop_due(&mut self.ahead, now) {
            if let Some(count) = self.ahead_of.get_mut(&of) {
                *count -= 1;
            }
        }
        self.ahead_of.retain(|_, count| *count > 0);
        if tick > now {
            let ahead_s = (tick - now) as f64 / desk.rate_hz();
            if ahead_s > FURTHEST_S {
                return refuse(
                    desk,
                    format!("a time tag {ahead_s:.0} s ahead; at most {FURTHEST_S:.0} s: do the clocks agree?"),
                );
            }
            let of = sender(visit.from);
            let (all, own) = (self.ahead.len(), self.ahead_of.get(&of).copied().unwrap_or(0));
            if all == MOST_AHEAD || own == MOST_AHEAD_EACH {
                let count = if own == MOST_AHEAD_EACH { own } else { all };
                return refuse(desk, format!("{count} gestures wait for their time already; send later ones later"));
            }
            self.ahead.push(Reverse((tick, of)));
            *self.ahead_of.entry(of).or_default() += 1;
        }
        Ok(When::Tick(tick))
    }

    fn clamped(&mut self, to: SocketAddr, name: &str, answer: Answer) {
        if answer.clamped {
            self.reply(to, "/tocco/clamped", vec![text(name), float(answer.value)]);
        }
    }

    fn method(
        &mut self,
        desk: &mut Desk,
        method: &str,
        message: &OscMessage,
        time: Option<SystemTime>,
        visit: &mut Visit,
    ) -> Result<()> {
        let (from, args) = (visit.from, message.args.as_slice());
        at_once(desk, &format!("tocco/{method}"), time)?;
        let word = match args {
            [OscType::String(word)] => word.as_str(),
            _ => "",
        };
        match method {
            "ping" => self.reply(from, "/tocco/pong", args.to_vec()),
            "describe" => self.describe(desk, from, word)?,
            "subscribe" => self.subscribe(desk, from, args)?,
            "unsubscribe" => {
                self.stream.remove(desk, from)?;
                self.reply(from, "/tocco/unsubscribed", vec![]);
            }
            "who" => {
                // A number that is wrong is not answered: it may be anybody's.
                if let (Some(proofs), [OscType::Long(number)]) = (&mut self.proofs, args) {
                    proofs.prove(from, *number);
                }
            }
            "scene/load" | "scene/edit" => {
                if self.building.is_some() {
                    return refuse(desk, format!("/tocco/{method}: another scene is being built; try again"));
                }
                // Reading and building may take long: the desk is others' meanwhile.
                let (folder, name) = (self.folder.clone(), word.to_owned());
                let building = Building::start(desk.workshop(), move || files::load(folder.as_ref(), &name))?;
                let adopt = method == "scene/edit";
                self.building = Some(Order { building, from, since: Instant::now(), word: word.to_owned(), adopt });
            }
            _ => {
                if self.saving.is_some() {
                    return refuse(desk, format!("/tocco/{method}: another scene is being written; try again"));
                }
                let text = counted(desk, |desk| {
                    let text = files::to_save(self.folder.as_ref(), word, desk, &mut self.saved);
                    text.map_err(|e| HostError::BadInput(files::without_folder(self.folder.as_ref(), &e.to_string())))
                })?;
                // A disk may take long: the desk is others' meanwhile.
                let ((send, done), save) = (mpsc::channel(), self.save);
                let writing =
                    std::thread::Builder::new().name("saving".into()).spawn(move || drop(send.send(save(text))));
                writing.map_err(|e| HostError::Machine(format!("no thread to save: {e}")))?;
                self.saving = Some((from, done));
            }
        }
        Ok(())
    }

    /// The table, a message a row.
    fn describe(&mut self, desk: &mut Desk, to: SocketAddr, wanted: &str) -> Result<()> {
        let pattern = match Pattern::new(if wanted.is_empty() { "*" } else { wanted }) {
            Ok(pattern) => pattern,
            Err(what) => return refuse(desk, format!("/tocco/describe '{wanted}': {what}")),
        };
        let meant = |path: &str| wanted.is_empty() || pattern.matches(path);
        let mut rows: Vec<Vec<OscType>> = Vec::new();
        let paths = desk.paths();
        for (path, spec, value) in paths.iter().filter(|(path, _, _)| meant(path)) {
            let mut row = vec![text(format!("/{path}")), text(spec.unit)];
            row.extend([spec.min, spec.max, spec.default, *value].map(float));
            row.push(text(spec.doc));
            rows.push(row);
        }
        for Knob { name, path, range, scale, position } in desk.controls().into_iter().filter(|knob| meant(&knob.name))
        {
            let found = paths.iter().find(|(known, _, _)| *known == path);
            let now = found.map_or(range[0], |(_, _, value)| *value);
            let stands = tocco::param::position(scale, range[0], range[1], now).clamp(0.0, 1.0);
            let mut row = vec![text(format!("/{name}")), text("1")];
            row.extend([0.0, 1.0, stands, position].map(float));
            row.push(text(format!("Control of {path}, from {:e} to {:e}", range[0], range[1])));
            rows.push(row);
        }
        if !self.answers.has_room(to, methods().count() + rows.len() + 1) {
            return refuse(desk, "too many answers wait already; ask again later, or with a pattern".into());
        }
        let mut count = rows.len() as i32;
        for (method, takes) in methods().filter(|(method, _)| meant(method)) {
            self.reply(to, "/tocco/describe/method", vec![text(format!("/{method}")), text(takes)]);
            count += 1;
        }
        rows.into_iter().for_each(|row| self.reply(to, "/tocco/describe/path", row));
        self.reply(to, "/tocco/describe/end", vec![OscType::Int(count)]);
        Ok(())
    }

    fn subscribe(&mut self, desk: &mut Desk, from: SocketAddr, args: &[OscType]) -> Result<()> {
        let rate = args.first().and_then(|first| number(first).ok());
        let signals = args[usize::from(rate.is_some())..].iter().filter_map(|arg| match arg {
            OscType::String(signal) => Some(signal.clone()),
            _ => None,
        });
        let signals: Vec<String> = signals.collect();
        // A stream goes only to who has shown to be where he says; his next question is answered.
        if !self.is_proved(from) {
            return Ok(());
        }
        let kept = counted(desk, |desk| self.stream.add(desk, from, rate.unwrap_or(USUAL_HZ), signals))?;
        self.reply(from, "/tocco/subscribed", vec![float(kept), float(TIMEOUT.as_secs_f64())]);
        Ok(())
    }
}

/// The first that waits, if its time has come.
fn pop_due(ahead: &mut BinaryHeap<Reverse<(u64, SocketAddr)>>, now: u64) -> Option<Reverse<(u64, SocketAddr)>> {
    ahead.peek().is_some_and(|Reverse((first, _))| *first <= now).then(|| ahead.pop()).flatten()
}

fn refuse<T>(desk: &mut Desk, what: String) -> Result<T> {
    desk.count_refused();
    bad(what)
}

/// Does what does not count its own mistakes.
fn counted<T>(desk: &mut Desk, act: impl FnOnce(&mut Desk) -> Result<T>) -> Result<T> {
    act(desk).inspect_err(|_| desk.count_refused())
}

/// What acts at once is not sent for later.
fn at_once(desk: &mut Desk, address: &str, time: Option<SystemTime>) -> Result<()> {
    if time.and_then(|time| clock::tick_of(desk, time)).is_some_and(|tick| tick > desk.tick()) {
        return refuse(desk, format!("/{address} acts at once; send it without a time that is to come"));
    }
    Ok(())
}

/// Arguments as gestures take them.
pub fn gesture_args(args: &[OscType]) -> std::result::Result<Vec<OscArg>, String> {
    let one = |arg: &OscType| match arg {
        OscType::String(text) => Ok(OscArg::Text(text.clone())),
        other => number(other).map(OscArg::Number),
    };
    args.iter().map(one).collect()
}

/// True if a method takes these arguments.
fn fits(method: &str, args: &[OscType]) -> bool {
    let is_text = |arg: &OscType| matches!(arg, OscType::String(_));
    let is_number = |arg: &OscType| number(arg).is_ok();
    match (method, args) {
        ("tocco/scene/load" | "tocco/scene/edit" | "tocco/scene/save", [name]) => is_text(name),
        ("tocco/describe", args) => args.is_empty() || (args.len() == 1 && is_text(&args[0])),
        ("tocco/ping", args) => args.len() <= 8 && args.iter().all(|arg| is_text(arg) || is_number(arg)),
        ("tocco/subscribe", args) => args.iter().skip(usize::from(args.first().is_some_and(is_number))).all(is_text),
        ("tocco/unsubscribe", args) => args.is_empty(),
        ("tocco/who", args) => matches!(args, [OscType::Long(_)]),
        _ => gesture_args(args).is_ok_and(|args| matches!(Gesture::from_osc(method, &args), Some(Ok(_)))),
    }
}
