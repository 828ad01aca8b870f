// SPDX-License-Identifier: MIT OR Apache-2.0
//! What calls for sound: a sound card, or a thread that keeps its pace and throws the sound away.
//!
//! A [`Device`] borrows the audio half and gives it back when it ends, however it ends. A [`Line`] keeps one running: if
//! the device goes away, the null device takes its place, so that nothing else notices, and the line tries to reconnect.

use super::{Beat, Desk, Player, clock};
use crate::error::{HostError, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tocco::scene::Output;
use tocco::scene::def::{MAIN, SceneDef, TapDef};

/// A lost device is looked for so often.
const AGAIN: Duration = Duration::from_secs(1);
/// A device that ends gives the audio half back within this time, or never.
const FAREWELL: Duration = Duration::from_secs(2);
/// A device that has not called for so long is said to be stuck, and so is a block that takes so long.
const STUCK: Duration = Duration::from_secs(1);
/// The null device does not catch up on more than this: the machine was asleep.
const MOST_BEHIND: Duration = Duration::from_millis(200);

/// Something that calls for sound.
pub trait Device: Send {
    /// Its name, to be shown.
    fn name(&self) -> &str;
    /// Why it no longer calls, if so.
    fn lost(&self) -> Option<String>;
    /// Gaps it has told of, in what is heard and in what comes in.
    fn gaps(&self) -> u64;
    /// Channels it has; `None`: as many as there are.
    fn channels(&self) -> Option<usize> {
        None
    }
    /// The next remark for the player.
    fn remark(&self) -> Option<String> {
        None
    }
    /// How long after its calls their first frame is heard, by its own word; `None`: none has been yet, or ever is.
    fn delay(&self) -> Option<Delay> {
        None
    }
    /// Ends it and gives the audio half back.
    fn stop(self: Box<Self>) -> Option<Player>;
}

/// How long after the calls of a device their first frame is heard, ms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delay {
    /// Over all calls so far.
    pub mean_ms: f64,
    /// The most of them.
    pub most_ms: f64,
}

/// [`Delay`] as it is gathered: calls, their sum and the most, ns.
#[derive(Debug, Default)]
pub struct Delays([AtomicU64; 3]);

impl Delays {
    /// One more call. `[audio]`
    pub fn add(&self, delay: Duration) {
        let ns = delay.as_nanos() as u64;
        self.0[1].fetch_add(ns, Ordering::Relaxed);
        self.0[2].fetch_max(ns, Ordering::Relaxed);
        self.0[0].fetch_add(1, Ordering::Release);
    }

    /// What came of it; `None` before the first. 0 throughout: the device does not know.
    pub fn delay(&self) -> Option<Delay> {
        let calls = self.0[0].load(Ordering::Acquire);
        let [sum, most] = [1, 2].map(|k| self.0[k].load(Ordering::Relaxed));
        (calls > 0).then(|| Delay { mean_ms: 1e-6 * sum as f64 / calls as f64, most_ms: 1e-6 * most as f64 })
    }
}

/// A device, or the audio half back (unless it is lost) and the reason.
pub type Opened<D> = std::result::Result<D, (Option<Box<Player>>, HostError)>;

/// Opens a device for an audio half.
pub trait Opener: Send {
    /// It may take as long as it likes. `[control]`
    fn open(&mut self, player: Player) -> Opened<Box<dyn Device>>;
}

/// The audio half on loan: it goes home when whoever has it lets go.
pub struct Loan {
    player: Option<Player>,
    home: SyncSender<Player>,
}

impl Loan {
    /// A loan, and where it comes home.
    pub fn new(player: Player) -> (Self, Receiver<Player>) {
        let (home, door) = sync_channel(1);
        (Self { player: Some(player), home }, door)
    }

    /// The audio half. `[audio]`
    pub fn player(&mut self) -> Option<&mut Player> {
        self.player.as_mut()
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        if let Some(player) = self.player.take() {
            let _ = self.home.try_send(player);
        }
    }
}

/// Waits for a loan to come home.
pub fn fetch_home(door: &Receiver<Player>) -> Option<Player> {
    door.recv_timeout(FAREWELL).ok()
}

/// Puts frames of `from` channels into frames of `to`: each goes to the channel of its number, as the scene says. `[audio]`
pub fn spread(sound: &[f32], from: usize, into: &mut [f32], to: usize) {
    for (source, target) in sound.chunks_exact(from).zip(into.chunks_exact_mut(to)) {
        target.fill(0.0);
        let both = from.min(to);
        target[..both].copy_from_slice(&source[..both]);
    }
}

/// How badly a number of channels fits: too few for the scene, other than the device's own, mono; the least fits best.
pub fn misfit(channels: usize, wanted: usize, own: usize) -> (usize, bool, bool) {
    (wanted.saturating_sub(channels), channels != own, channels < 2)
}

/// Channels of a device that the outputs and taps of a scene ask for.
pub fn wanted_channels(def: &SceneDef) -> usize {
    let named = def.outputs.iter().flat_map(|output| &output.channels).map(|channel| channel + 1);
    let to_main = |tap: &&TapDef| tap.outputs.is_empty() || tap.outputs.iter().any(|name| name == MAIN);
    named.chain(def.taps.iter().filter(to_main).map(|tap| tap.to.width())).max().unwrap_or(1)
}

/// A line for every output that has a channel which a device lacks.
fn unheard(outputs: &[Output], device: &str, channels: usize) -> Vec<String> {
    let line = |output: &Output| {
        let beyond = output.channels.iter().filter(|channel| **channel >= channels);
        let list: Vec<String> = beyond.map(usize::to_string).collect();
        let all = if list.len() == output.channels.len() { "is not heard" } else { "is not heard in full" };
        (!list.is_empty()).then(|| {
            format!("output '{}' {all}: {device} has {channels} channels, and none {}", output.name, list.join(", "))
        })
    };
    outputs.iter().filter_map(line).collect()
}

/// A device without sound, at the pace of one with.
pub struct Null {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    door: Receiver<Player>,
}

impl Null {
    /// Starts calling for blocks of so many frames. `[control]`
    pub fn start(player: Player, frames: usize) -> Opened<Self> {
        let stop = Arc::new(AtomicBool::new(false));
        let (mut loan, door) = Loan::new(player);
        let ended = stop.clone();
        let run = move || {
            let Some(player) = loan.player() else { return };
            let mut block = vec![0.0; frames * player.channels()];
            let lasting = Duration::from_secs_f64(frames as f64 / player.rate_hz());
            let mut next = Instant::now();
            while !ended.load(Ordering::Relaxed) {
                player.play(&[], &mut block);
                next += lasting;
                let now = Instant::now();
                if now > next + MOST_BEHIND {
                    next = now;
                }
                std::thread::sleep(next.saturating_duration_since(now));
            }
        };
        match std::thread::Builder::new().name("null device".into()).spawn(run) {
            Ok(thread) => Ok(Self { stop, thread: Some(thread), door }),
            Err(e) => Err((
                fetch_home(&door).map(Box::new),
                HostError::Machine(format!("no thread for the null device: {e}")),
            )),
        }
    }
}

impl Device for Null {
    fn name(&self) -> &str {
        "null"
    }
    fn lost(&self) -> Option<String> {
        None
    }
    fn gaps(&self) -> u64 {
        0
    }
    fn stop(mut self: Box<Self>) -> Option<Player> {
        self.stop.store(true, Ordering::Relaxed);
        let player = fetch_home(&self.door);
        self.thread.take().map(JoinHandle::join);
        player
    }
}

/// Opens the null device.
pub struct OpenNull {
    /// Frames of a block.
    pub frames: usize,
}

impl Opener for OpenNull {
    fn open(&mut self, player: Player) -> Opened<Box<dyn Device>> {
        Null::start(player, self.frames).map(|null| Box::new(null) as Box<dyn Device>)
    }
}

/// A device that is kept running. Devices are closed and opened by a thread of their own: that may take long, and whoever looks after
/// the line has the desk.
pub struct Line {
    /// Away while a device is opened.
    opener: Option<Box<dyn Opener>>,
    /// Away while it is changed for another.
    device: Option<Box<dyn Device>>,
    changing: Option<Receiver<Change>>,
    /// Name of what called last.
    name: String,
    frames: usize,
    /// When a lost device is looked for again.
    again: Option<Instant>,
    gaps: u64,
    /// Scene and channels of the device of which it was said what is not heard.
    judged: Option<(u64, Option<usize>)>,
    /// It has been said that nothing comes, and by whose doing: true for a block's own.
    stuck: Option<bool>,
    /// Why the lost device could not be opened again, as last said.
    refusal: String,
}

/// What became of a change: the device that calls now, and why it is not the one that was wanted.
struct Change {
    opener: Option<Box<dyn Opener>>,
    done: Result<Box<dyn Device>>,
    /// The lost device was wanted.
    back: bool,
    refusal: Option<String>,
}

fn gone() -> HostError {
    HostError::Machine("the device went away and took the sound with it; start again".into())
}

/// How long nothing has come out of the audio half, if that is too long: its own doing, or the device's.
pub fn standstill(desk: &Desk) -> Option<(Duration, bool)> {
    let since = |ns: u64| Duration::from_nanos(clock::now_ns().saturating_sub(ns));
    let (lasting, own) = match desk.beat() {
        Beat::Waiting => return None,
        Beat::Within(began) => (since(began), true),
        Beat::Done(ended) => (since(ended), false),
    };
    (lasting > STUCK && desk.stopped().is_none()).then_some((lasting, own))
}

impl Line {
    /// Opens the device. `frames`: block of the null device where that has to step in. `[control]`
    pub fn start(mut opener: Box<dyn Opener>, player: Player, frames: usize) -> Result<Self> {
        let device = opener.open(player).map_err(|(_, error)| error)?;
        Ok(Self {
            opener: Some(opener),
            name: device.name().to_owned(),
            device: Some(device),
            changing: None,
            frames,
            again: None,
            gaps: 0,
            judged: None,
            stuck: None,
            refusal: String::new(),
        })
    }

    /// Name of what calls at present, or did before the change that is under way.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One line on what the device itself adds between a block and its sound; `None`: nothing is heard of it.
    pub fn latency(&self) -> Option<String> {
        let Delay { mean_ms, most_ms } = self.device.as_ref()?.delay()?;
        let name = self.name();
        Some(if most_ms > 0.0 {
            format!(
                "latency: {name} plays a block {mean_ms:.1} ms after its call, at most {most_ms:.1} ms, by its own clock"
            )
        } else {
            format!("latency: {name} does not say how long after its call it plays a block")
        })
    }

    /// Gaps so far that devices have told of.
    pub fn gaps(&self) -> u64 {
        self.gaps + self.device.as_ref().map_or(0, |device| device.gaps())
    }

    /// Looks after the device; remarks go to the desk. Call it often: it does not wait for any device.
    pub fn tend(&mut self, desk: &mut Desk) -> Result<()> {
        if let Some(changing) = &self.changing {
            match changing.try_recv() {
                Ok(change) => self.settle(change, desk)?,
                Err(TryRecvError::Disconnected) => return Err(gone()),
                Err(TryRecvError::Empty) => {}
            }
        } else if let Some(why) = self.device.as_ref().and_then(|device| device.lost()) {
            desk.say(format!("{}: {why}; playing on in silence, and trying to reconnect", self.name()));
            self.change(false)?;
        } else if self.again.is_some_and(|again| Instant::now() >= again) {
            self.change(true)?;
        }
        self.remark(desk);
        self.watch(desk);
        Ok(())
    }

    /// Begins to change the device for the null device or, if that is wanted, for the one that was lost.
    fn change(&mut self, back: bool) -> Result<()> {
        self.gaps = self.gaps();
        let (device, mut opener, frames) = (self.device.take(), self.opener.take(), self.frames);
        let (tell, told) = sync_channel(1);
        let run = move || {
            let mut refusal = None;
            let done = device.and_then(|device| device.stop()).ok_or_else(gone).and_then(|player| {
                let player = match opener.as_mut() {
                    Some(opener) if back => match opener.open(player) {
                        Ok(device) => return Ok(device),
                        Err((Some(player), error)) => {
                            refusal = Some(error.to_string());
                            *player
                        }
                        Err((None, error)) => return Err(error),
                    },
                    _ => player,
                };
                let null = Null::start(player, frames).map_err(|(_, error)| error)?;
                Ok(Box::new(null) as Box<dyn Device>)
            });
            let _ = tell.send(Change { opener, done, back, refusal });
        };
        let thread = std::thread::Builder::new().name("device".into()).spawn(run);
        thread.map_err(|e| HostError::Machine(format!("no thread to open a device: {e}")))?;
        self.changing = Some(told);
        Ok(())
    }

    /// A change has been made.
    fn settle(&mut self, change: Change, desk: &mut Desk) -> Result<()> {
        let Change { opener, done, back, refusal } = change;
        let device = done?;
        (self.changing, self.opener) = (None, opener);
        self.name = device.name().to_owned();
        self.device = Some(device);
        self.again = None;
        match refusal {
            // Most often it is not there yet; one that is there and cannot be had, as at another rate, is told of.
            Some(why) if why != self.refusal => {
                desk.say(format!("{why}; still trying"));
                self.refusal = why;
            }
            None if back => {
                desk.say(format!("{}: reconnected", self.name));
                self.refusal = String::new();
                return Ok(());
            }
            _ => {}
        }
        self.again = Some(Instant::now() + AGAIN);
        Ok(())
    }

    /// Tells when nothing comes any more, and when it comes again.
    fn watch(&mut self, desk: &mut Desk) {
        let now = standstill(desk).map(|(_, own)| own);
        match (self.stuck, now) {
            _ if self.stuck == now => {}
            (_, Some(true)) => desk.say("a block takes longer than a second: the scene is too much".into()),
            (_, Some(false)) => {
                desk.say(format!("{} no longer calls for sound; Ctrl-C ends, and recordings are kept", self.name()));
            }
            (Some(false), None) => desk.say(format!("{} calls again", self.name())),
            (_, None) => desk.say("blocks come again".into()),
        }
        self.stuck = now;
    }

    /// What the device tells of, and what it has no channel for.
    fn remark(&mut self, desk: &mut Desk) {
        let Some(device) = &self.device else { return };
        while let Some(remark) = device.remark() {
            desk.say(remark);
        }
        let now = Some((desk.generation(), device.channels()));
        if self.judged != now {
            self.judged = now;
            let lines = device.channels().map(|most| unheard(desk.directory().outputs(), device.name(), most));
            lines.into_iter().flatten().for_each(|line| desk.say(line));
        }
    }

    /// Ends the device and gives the audio half back, unless that is lost or on its way to another device.
    pub fn stop(mut self) -> Option<Player> {
        self.device.take().and_then(|device| device.stop())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;
    use crate::live::{self, Setup, rehearse};
    use std::sync::Mutex;
    use tocco::Document;

    #[test]
    fn every_channel_goes_to_the_one_of_its_number_and_to_no_other() {
        let mut out = [9.0; 6];
        spread(&[1.0, 2.0], 1, &mut out, 3);
        assert_eq!(out, [1.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
        spread(&[1.0, 2.0, 3.0, 4.0], 2, &mut out, 3);
        assert_eq!(out, [1.0, 2.0, 0.0, 3.0, 4.0, 0.0]);
        spread(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], 4, &mut out[..2], 1);
        assert_eq!(out[..2], [1.0, 5.0]);
    }

    #[test]
    fn what_a_device_adds_is_the_mean_and_the_most_of_its_calls() {
        let delays = Delays::default();
        assert_eq!(delays.delay(), None, "it has not called yet");
        [2, 3, 7].into_iter().for_each(|ms| delays.add(Duration::from_millis(ms)));
        let Delay { mean_ms, most_ms } = delays.delay().unwrap();
        assert!((mean_ms - 4.0).abs() < 1e-9 && (most_ms - 7.0).abs() < 1e-9, "{mean_ms} {most_ms}");
    }

    /// A device that is unplugged when told, and can be plugged in again.
    struct Flaky {
        inner: Null,
        there: Arc<AtomicBool>,
        remarks: Mutex<Vec<String>>,
    }

    impl Device for Flaky {
        fn name(&self) -> &str {
            "flaky"
        }
        fn lost(&self) -> Option<String> {
            (!self.there.load(Ordering::Relaxed)).then(|| "unplugged".into())
        }
        fn gaps(&self) -> u64 {
            1
        }
        fn channels(&self) -> Option<usize> {
            Some(2)
        }
        fn remark(&self) -> Option<String> {
            self.remarks.lock().unwrap().pop()
        }
        fn stop(self: Box<Self>) -> Option<Player> {
            Box::new(self.inner).stop()
        }
    }

    struct OpenFlaky(Arc<AtomicBool>);

    impl Opener for OpenFlaky {
        fn open(&mut self, player: Player) -> Opened<Box<dyn Device>> {
            if !self.0.load(Ordering::Relaxed) {
                return Err((Some(Box::new(player)), HostError::Machine("not there".into())));
            }
            let inner = Null::start(player, 64).map_err(|(_, e)| e).unwrap();
            let remarks = Mutex::new(vec!["a microphone is missing".into()]);
            Ok(Box::new(Flaky { inner, there: self.0.clone(), remarks }))
        }
    }

    #[test]
    fn an_unplugged_device_is_replaced_by_silence_and_comes_back_when_it_is_plugged_in() {
        let (mut desk, player) = live::open(library::load("bar").unwrap(), Setup::default()).unwrap();
        let there = Arc::new(AtomicBool::new(true));
        let mut line = Line::start(Box::new(OpenFlaky(there.clone())), player, 64).unwrap();
        let until = |line: &mut Line, desk: &mut Desk, name: &str| {
            let since = Instant::now();
            while line.name() != name {
                assert!(since.elapsed() < Duration::from_secs(20), "no {name}");
                std::thread::sleep(Duration::from_millis(10));
                desk.poll().unwrap();
                line.tend(desk).unwrap();
            }
        };
        until(&mut line, &mut desk, "flaky");
        line.tend(&mut desk).unwrap();
        assert_eq!(desk.news().unwrap(), "a microphone is missing");
        there.store(false, Ordering::Relaxed);
        until(&mut line, &mut desk, "null");
        assert!(desk.news().unwrap().contains("unplugged"));
        let before = desk.tick();
        std::thread::sleep(Duration::from_millis(1500));
        line.tend(&mut desk).unwrap();
        desk.poll().unwrap();
        assert!(desk.tick() > before && line.name() == "null", "it plays on");
        there.store(true, Ordering::Relaxed);
        until(&mut line, &mut desk, "flaky");
        assert_eq!(line.gaps(), 2);
        assert!(line.stop().is_some());
    }

    /// A device that takes its time to be closed, and to be opened again.
    struct Slow(Flaky);

    impl Device for Slow {
        fn name(&self) -> &str {
            "slow"
        }
        fn lost(&self) -> Option<String> {
            self.0.lost()
        }
        fn gaps(&self) -> u64 {
            0
        }
        fn stop(self: Box<Self>) -> Option<Player> {
            std::thread::sleep(Duration::from_secs(1));
            Box::new(self.0).stop()
        }
    }

    struct OpenSlow(Arc<AtomicBool>, u32);

    impl Opener for OpenSlow {
        fn open(&mut self, player: Player) -> Opened<Box<dyn Device>> {
            self.1 += 1;
            std::thread::sleep(Duration::from_secs(if self.1 > 1 { 3 } else { 0 }));
            let inner = Null::start(player, 64).map_err(|(_, e)| e).unwrap();
            Ok(Box::new(Slow(Flaky { inner, there: self.0.clone(), remarks: Mutex::default() })))
        }
    }

    #[test]
    fn while_a_slow_device_is_closed_and_opened_the_desk_is_everybodys() {
        let (desk, player) = live::open(library::load("bar").unwrap(), Setup::default()).unwrap();
        let desk = live::Shared::new(desk);
        let there = Arc::new(AtomicBool::new(true));
        let mut line = Line::start(Box::new(OpenSlow(there.clone(), 0)), player, 64).unwrap();
        there.store(false, Ordering::Relaxed);
        let (own, back) = (desk.clone(), Arc::new(AtomicBool::new(false)));
        let seen = back.clone();
        // As `tocco play` does it.
        let turns = std::thread::spawn(move || {
            let (since, mut away) = (Instant::now(), false);
            while since.elapsed() < Duration::from_secs(60) {
                let mut desk = own.lock();
                desk.poll().unwrap();
                line.tend(&mut desk).unwrap();
                drop(desk);
                if line.name() == "null" {
                    away = true;
                    there.store(true, Ordering::Relaxed);
                }
                if away && line.name() == "slow" {
                    seen.store(true, Ordering::Relaxed);
                    return;
                }
                std::thread::sleep(Duration::from_millis(5));
            }
        });
        let mut longest = Duration::ZERO;
        while !turns.is_finished() {
            let asked = Instant::now();
            // It is heard when there is a device; here it only needs the desk.
            let _ = desk.lock().hush();
            longest = longest.max(asked.elapsed());
            std::thread::sleep(Duration::from_millis(20));
        }
        turns.join().unwrap();
        assert!(back.load(Ordering::Relaxed), "it came back");
        // A loaded machine has its own delays; a device of this kind would hold the desk for seconds.
        assert!(longest < Duration::from_millis(500), "{longest:?}");
    }

    /// A device that calls for one block, and no more.
    struct Hangs(Receiver<Player>);

    impl Device for Hangs {
        fn name(&self) -> &str {
            "hangs"
        }
        fn lost(&self) -> Option<String> {
            None
        }
        fn gaps(&self) -> u64 {
            0
        }
        fn stop(self: Box<Self>) -> Option<Player> {
            fetch_home(&self.0)
        }
    }

    /// Opens it for a block of so many frames.
    struct OpenHangs(usize);

    impl Opener for OpenHangs {
        fn open(&mut self, player: Player) -> Opened<Box<dyn Device>> {
            let (mut loan, door) = Loan::new(player);
            let frames = self.0;
            std::thread::spawn(move || {
                let player = loan.player().unwrap();
                player.play(&[], &mut vec![0.0; frames * player.channels()]);
                std::thread::sleep(Duration::from_secs(60));
            });
            Ok(Box::new(Hangs(door)))
        }
    }

    #[test]
    fn a_device_that_hangs_after_a_block_that_overran_is_told_of() {
        let scene = library::from_text("crowd", "crowd", tocco_testing::crowd(256), None).unwrap();
        // A block of two seconds, by what its first samples take.
        let frames = (2.0 * 48_000.0 / rehearse::cost(&scene, 48_000.0).unwrap().full).ceil() as usize;
        let (mut desk, player) = live::open(scene, Setup::default()).unwrap();
        let mut line = Line::start(Box::new(OpenHangs(frames)), player, 64).unwrap();
        let since = Instant::now();
        let mut until = |line: &mut Line, words: &str, resting: bool| loop {
            assert!(since.elapsed() < Duration::from_secs(60), "nothing is said of it: {words}");
            std::thread::sleep(Duration::from_millis(10));
            desk.poll().unwrap();
            // Not looked at between the end of the block and the hang.
            if resting && !matches!(standstill(&desk), Some((_, false))) {
                continue;
            }
            line.tend(&mut desk).unwrap();
            if std::iter::from_fn(|| desk.news()).any(|said| said.contains(words)) {
                break;
            }
        };
        until(&mut line, "a block takes longer than a second", false);
        until(&mut line, "hangs no longer calls for sound", true);
    }

    const HAPTIC: &str = "body.bar = { type = 'modal', modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }] }\n\
        output.haptic = { channels = [1, 4] }\noutput.far = { channels = [6] }\n\
        tap = [{ of = 'bar' }, { of = 'bar', to = 'haptic' }, { of = 'bar', to = 'far' }]";

    fn haptic() -> Document {
        Document::read("haptic", "here", HAPTIC.into(), |_| Err("none".into())).unwrap()
    }

    #[test]
    fn an_output_without_a_channel_on_the_device_is_named_once_for_every_scene() {
        let setup = Setup { channels: 2, ..Setup::default() };
        let (mut desk, player) = live::open(haptic(), setup).unwrap();
        let mut line = Line::start(Box::new(OpenFlaky(Arc::new(AtomicBool::new(true)))), player, 64).unwrap();
        let mut said = |desk: &mut Desk| {
            for _ in 0..3 {
                line.tend(desk).unwrap();
            }
            std::iter::from_fn(|| desk.news()).filter(|line| line.contains("output")).collect::<Vec<_>>()
        };
        let lines = [
            "output 'haptic' is not heard in full: flaky has 2 channels, and none 4",
            "output 'far' is not heard: flaky has 2 channels, and none 6",
        ];
        assert_eq!(said(&mut desk), lines);
        desk.load(library::load("bar").unwrap()).unwrap();
        assert!(said(&mut desk).is_empty());
        desk.load(haptic()).unwrap();
        assert_eq!(said(&mut desk), lines);
    }

    #[test]
    fn of_the_ways_to_run_a_device_one_with_enough_channels_is_taken_else_the_widest() {
        let taken = |offers: &[usize], wanted, own| *offers.iter().min_by_key(|n| misfit(**n, wanted, own)).unwrap();
        assert_eq!(wanted_channels(&haptic().def), 7);
        assert_eq!(taken(&[1, 2, 4, 8], 7, 2), 8);
        assert_eq!(taken(&[1, 2, 4], 7, 2), 4);
        assert_eq!(wanted_channels(&library::load("bar").unwrap().def), 1);
        assert_eq!(taken(&[1, 2, 4, 8], 1, 2), 2);
        assert_eq!(taken(&[1, 2, 4, 8], 1, 8), 8, "the device's own, where that is enough");
    }
}
