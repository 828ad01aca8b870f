// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco play`: a scene, a device, whoever plays it, and the files that remain.

#[cfg(feature = "audio")]
use super::device::wanted_channels;
use super::device::{Line, OpenNull, Opener, standstill};
use super::reel::Reel;
use super::rehearse::rehearse;
use super::take_file::TakeFile;
use super::{Desk, Player, Setup, Shared, Status};
use crate::console;
use crate::error::{HostError, Result, bad};
use crate::interrupt;
use crate::measure::dbfs;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tocco::Document;
use tocco::scene::def::Length;
use tocco_lab::recording::Recording;

/// The control half looks round so often.
const TURN: Duration = Duration::from_millis(5);
/// Sound that waits to be written, s: a disk may be busy for long.
const TAPE_S: f64 = 20.0;
/// Who has been asked to end waits so long for the device to come to an end of the sound.
const FAREWELL: Duration = Duration::from_millis(700);
/// Whatever else ends is waited for so long when somebody wants to go.
pub(crate) const GOODBYE: Duration = Duration::from_millis(200);
/// A device knows its own latency after so long.
const SETTLED: Duration = Duration::from_millis(500);
/// Frames of a block unless someone asks.
pub const BLOCK: usize = 256;

/// What to play and where.
#[derive(Clone, Debug)]
pub struct Play {
    /// The scene, with its seed.
    pub scene: Document,
    /// Values before the first tick.
    pub sets: Vec<(String, f64)>,
    /// A device's name, `null`, or the default.
    pub device: Option<String>,
    /// As fast as it goes, without a device.
    pub offline: bool,
    /// Frames of a block.
    pub buffer: Option<usize>,
    /// Hz; else the scene's own where the device has it, else the device's.
    pub rate_hz: Option<f64>,
    /// Take to write.
    pub record: Option<PathBuf>,
    /// Sound file to write, 32-bit float.
    pub wav: Option<PathBuf>,
    /// End after so many seconds.
    pub duration_s: Option<f64>,
    /// Limit true peaks.
    pub limiter: bool,
    /// How far limiters look ahead, s.
    pub look_s: f64,
    /// Take the loudspeaker out of what a microphone hears.
    pub gate: bool,
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Go {
    /// Play on.
    On,
    /// The player has had enough.
    Quit,
}

/// What shows the state of things, and may play by the keyboard.
pub trait View {
    /// Called some hundred times a second. The desk is locked meanwhile: be quick.
    fn turn(&mut self, desk: &mut Desk, device: &str, gaps: u64) -> Result<Go>;
    /// Called once after the last turn, before the last words are printed.
    fn end(&mut self) {}
}

/// Whatever else gives gestures: an OSC server, a MIDI port. It runs beside, with the desk.
pub trait Front {
    /// Starts, or says in one line why it cannot.
    fn start(&mut self, desk: &Shared) -> Result<()>;
    /// Ends it, also where it never started; it gives no more gestures after that.
    fn stop(&mut self);
}

/// A line a second.
pub struct Lines {
    next: Instant,
}

impl Default for Lines {
    fn default() -> Self {
        Self { next: Instant::now() + Duration::from_secs(1) }
    }
}

impl View for Lines {
    fn turn(&mut self, desk: &mut Desk, device: &str, gaps: u64) -> Result<Go> {
        while let Some(remark) = desk.news() {
            console::remark(&console::one_line(&remark));
        }
        if Instant::now() >= self.next {
            self.next += Duration::from_secs(1);
            let status = desk.status();
            console::remark(&words(desk, &status, device, gaps));
        }
        Ok(Go::On)
    }
}

/// One line on how it goes.
pub fn words(desk: &Desk, status: &Status, device: &str, gaps: u64) -> String {
    let seconds = status.tick as f64 / desk.rate_hz();
    let peak = status.peak.iter().fold(0.0_f32, |most, x| most.max(*x));
    let level = if peak > 0.0 { dbfs(f64::from(peak)) } else { "silence".into() };
    let mut text = format!("{seconds:7.1} s  {device}  {level:>11}  load {:.0} %", 100.0 * status.mean_load());
    if status.load > 0.0 {
        let _ = write!(text, ", most {:.0} %", 100.0 * status.load);
    }
    if let Some((lasting, own)) = standstill(desk) {
        let what = if own { "a block has taken" } else { "STUCK: not called for" };
        let _ = write!(text, "  {what} {:.1} s so far", lasting.as_secs_f64());
    }
    for (output, gain) in desk.directory().outputs().iter().zip(status.limited).filter(|(_, gain)| *gain < 1.0) {
        let name = if output.written { format!("{} ", output.name) } else { String::new() };
        let _ = write!(text, "  {name}limited {:.1} dB", tocco::units::db(gain));
    }
    let (health, counts) = (status.health, desk.counts());
    let troubles = [
        (status.late_blocks, "blocks late"),
        (gaps, "gaps"),
        (health.unconverged, "unconverged"),
        (health.reset, "reset"),
        (health.capped, "events left out"),
        (health.omitted, "modes past half the rate"),
        (health.refused + counts.refused, "refused"),
        (health.clamped + counts.clamped, "clamped"),
        (counts.dropped, "dropped"),
        (status.lost_frames, "frames not written"),
        (status.lost_input_frames, "frames of input not recorded"),
    ];
    for (count, what) in troubles.into_iter().filter(|(count, _)| *count > 0) {
        let _ = write!(text, "  {count} {what}");
    }
    text
}

/// What to do about a program that was built without sound.
pub const WITH_SOUND: &str =
    "build it with --features 'audio midi', which on Linux needs the packages pkg-config libasound2-dev";

/// Every device, one line each.
pub fn devices() -> String {
    let mut all = vec!["null  keeps time, makes no sound".to_owned()];
    #[cfg(feature = "audio")]
    all.extend(super::card::names());
    if all.len() == 1 {
        let why = if cfg!(feature = "audio") {
            "no sound card here".to_owned()
        } else {
            format!("this build has no sound cards; {WITH_SOUND}")
        };
        all.push(why);
    }
    all.join("\n")
}

/// What opens the device, the rate it runs at and the channels it has.
fn choose(play: &Play) -> Result<(Box<dyn Opener>, Option<f64>, usize)> {
    let frames = play.buffer.unwrap_or(BLOCK);
    if play.offline || play.device.as_deref() == Some("null") {
        return Ok((Box::new(OpenNull { frames }), play.rate_hz, 1));
    }
    #[cfg(feature = "audio")]
    {
        let (device, buffer) = (play.device.as_deref(), play.buffer.map(|n| n as u32));
        let (wished_hz, wanted) = (play.scene.def.rate_hz, wanted_channels(&play.scene.def));
        let card = super::card::Card::find(device, play.rate_hz, wished_hz, wanted, buffer)?;
        let (rate_hz, channels) = (card.rate_hz(), card.channels());
        Ok((Box::new(card), Some(rate_hz), channels.min(2)))
    }
    #[cfg(not(feature = "audio"))]
    Err(HostError::Machine(format!(
        "this build has no sound cards; type 'tocco play SCENE --device null', or {WITH_SOUND}"
    )))
}

/// Plays until the time is up, the view has had enough or Ctrl-C.
pub fn run(play: &Play, view: &mut dyn View, fronts: &mut [Box<dyn Front>]) -> Result<()> {
    let duration_s = match (play.duration_s, play.offline, play.scene.def.duration) {
        (Some(s), _, _) if s > 0.0 && s.is_finite() => Some(s),
        (Some(s), _, _) => return bad(format!("--duration {s}: give seconds above 0")),
        (None, true, Length::Seconds(s)) => Some(s),
        (None, true, Length::Auto) => return bad("--offline needs an end: give --duration"),
        (None, false, _) => None,
    };
    if play.buffer.is_some_and(|frames| !(1..=8192).contains(&frames)) {
        return bad("--buffer: give 1 to 8192 frames");
    }
    let (opener, rate_hz, channels) = choose(play)?;
    if !play.offline {
        rehearse(&play.scene, rate_hz.unwrap_or(play.scene.def.rate_hz))?;
    }
    let setup = Setup {
        rate_hz,
        channels,
        limiter: play.limiter,
        look_s: play.look_s,
        watch_load: !play.offline,
        sets: play.sets.clone(),
        tape_s: if play.wav.is_some() { TAPE_S } else { 0.0 },
        clock: None,
        gate: play.gate && !play.offline,
        meters: true,
    };
    let (desk, player) = super::open(play.scene.clone(), setup)?;
    if !player.engine().scene().omitted().is_empty() {
        console::remark(&format!("left out at this rate: {}", player.engine().scene().omitted().join(", ")));
    }
    let shared = Shared::new(desk);
    let mut files = Files::open(play, &mut shared.lock())?;
    let started = (|| {
        // The view and OSC tell where everything stands, though the scene itself moved it.
        shared.lock().watch_settings()?;
        if let Some(s) = duration_s {
            let mut desk = shared.lock();
            let end = (s * desk.rate_hz()).round().max(1.0) as u64;
            desk.stop_at(end)?;
        }
        console::print_beside();
        interrupt::end_by_myself();
        fronts.iter_mut().try_for_each(|front| front.start(&shared))
    })();
    // Whatever goes wrong from here on, the fronts stop, the view lets go of the terminal, and the files are kept.
    let done = started.and_then(|()| match play.offline {
        true => fast(player, &shared, view, &mut files, play.buffer.unwrap_or(BLOCK), duration_s),
        false => in_time(opener, player, &shared, view, &mut files, play.buffer.unwrap_or(BLOCK)),
    });
    fronts.iter_mut().for_each(|front| front.stop());
    view.end();
    let (ended, done) = match done {
        Ok(ended) => (ended, Ok(())),
        Err(error) => (Ended::Early, Err(error)),
    };
    let mut desk = shared.lock();
    // The last words of a desk that the device may still be busy with.
    let polled = desk.poll();
    let kept = files.finish(&mut desk, ended);
    while let Some(remark) = desk.news() {
        console::remark(&console::one_line(&remark));
    }
    let status = desk.status();
    console::remark(&words(&desk, &status, "ended", 0));
    if kept.is_ok() && done.is_ok() && status.tick > 0 {
        for path in play.record.iter().chain(&play.wav) {
            console::remark(&console::file(path));
        }
    }
    console::settle(GOODBYE);
    if let Ended::Stuck(device) = ended {
        // The device has the audio half, and nobody knows what waiting for it would bring.
        let why = format!("{device} no longer called for sound; what was recorded until then is kept");
        console::error(&HostError::Machine(why));
        interrupt::leave(3, "");
    }
    done.and(Ok(polled?)).and(kept)
}

/// How playing came to its end.
#[derive(Clone, Copy)]
enum Ended {
    /// At a sample that both halves know.
    Well,
    /// Something went wrong before.
    Early,
    /// This device no longer calls, and somebody wants to go.
    Stuck(&'static str),
}

/// Plays as fast as it goes.
fn fast(
    mut player: Player,
    shared: &Shared,
    view: &mut dyn View,
    files: &mut Files,
    frames: usize,
    duration_s: Option<f64>,
) -> Result<Ended> {
    let mut block = vec![0.0; frames * player.channels()];
    let bar = console::ProgressBar::new(duration_s.unwrap_or(0.0).ceil() as u64, "s of sound");
    loop {
        player.play(&[], &mut block);
        let mut desk = shared.lock();
        desk.poll()?;
        bar.at((desk.tick() as f64 / desk.rate_hz()) as u64);
        files.write(&mut desk);
        if turn(&mut desk, view, "offline", 0)? {
            return Ok(Ended::Well);
        }
        drop(desk);
        files.breathe();
    }
}

/// Plays at the pace of a device.
fn in_time(
    opener: Box<dyn Opener>,
    player: Player,
    shared: &Shared,
    view: &mut dyn View,
    files: &mut Files,
    frames: usize,
) -> Result<Ended> {
    let (rate_hz, channels) = (player.rate_hz(), player.channels());
    let mut line = Line::start(opener, player, frames)?;
    console::remark(&format!("{rate_hz} Hz, {channels} channels, {}; Ctrl-C ends", line.name()));
    let mut asked: Option<Instant> = None;
    let mut settled = Some(Instant::now() + SETTLED);
    let mut look = || {
        let mut desk = shared.lock();
        desk.poll()?;
        if settled.is_some_and(|then| Instant::now() >= then) {
            settled = None;
            line.latency().into_iter().for_each(|latency| desk.say(latency));
        }
        files.write(&mut desk);
        if turn(&mut desk, view, line.name(), line.gaps())? {
            return Ok(Some(Ended::Well));
        }
        if interrupt::interrupted() && asked.get_or_insert_with(Instant::now).elapsed() > FAREWELL {
            return Ok(Some(Ended::Stuck(String::leak(line.name().to_owned()))));
        }
        // Not while somebody wants to go: opening and closing devices may take its time.
        if asked.is_none() {
            line.tend(&mut desk)?;
        }
        Ok(None)
    };
    let done = loop {
        std::thread::sleep(TURN);
        match look() {
            Ok(None) => {}
            Ok(Some(ended)) => break Ok(ended),
            Err(error) => break Err(error),
        }
    };
    match done {
        // Closing it would wait for it.
        Ok(Ended::Stuck(_)) => std::mem::forget(line),
        _ => {
            line.latency().into_iter().for_each(|latency| shared.lock().say(latency));
            drop(line.stop());
        }
    }
    done
}

/// One look round; true when the sound has ended. An end that is asked for takes effect at the next block.
fn turn(desk: &mut Desk, view: &mut dyn View, device: &str, gaps: u64) -> Result<bool> {
    if view.turn(desk, device, gaps)? == Go::Quit {
        interrupt::ask();
    }
    if interrupt::interrupted() && desk.stopped().is_none() {
        // The ring may be full, when the device is stuck.
        let _ = desk.stop();
    }
    Ok(desk.stopped().is_some())
}

/// What remains of playing.
struct Files {
    take: Option<TakeFile>,
    sound: Option<Reel>,
    samples: Vec<f32>,
    failed: Option<HostError>,
}

impl Files {
    fn open(play: &Play, desk: &mut Desk) -> Result<Self> {
        let take = play.record.as_deref().map(|path| TakeFile::record(desk, path)).transpose()?;
        let sound = match play.wav.as_deref().map(|path| sound(path, desk)).transpose() {
            Ok(sound) => sound,
            Err(error) => {
                take.into_iter().for_each(TakeFile::discard);
                return Err(error);
            }
        };
        Ok(Self { take, sound, samples: Vec::new(), failed: None })
    }

    /// What has been played goes to the files' own threads; a file that ended early is told of.
    fn write(&mut self, desk: &mut Desk) {
        self.samples.clear();
        desk.read_tape(&mut self.samples);
        if let Some(sound) = &self.sound {
            sound.add(&self.samples);
        }
        let news = [self.take.as_ref().and_then(TakeFile::news), self.sound.as_ref().and_then(Reel::news)];
        for line in news.into_iter().flatten() {
            self.failed = Some(HostError::Machine(line.clone()));
            desk.say(line);
        }
    }

    /// Where nothing keeps time, the disks do.
    fn breathe(&self) {
        self.sound.iter().for_each(Reel::breathe);
    }

    /// Completes or cuts the files; those in which there is nothing go.
    fn finish(mut self, desk: &mut Desk, ended: Ended) -> Result<()> {
        self.write(desk);
        let nothing = desk.tick() == 0;
        let take = match (self.take, ended) {
            (Some(take), _) if nothing => {
                take.discard();
                Ok(())
            }
            (Some(take), Ended::Well) => take.finish(desk),
            (Some(take), _) => take.cut(),
            (None, _) => Ok(()),
        };
        let sound = match self.sound {
            Some(sound) if nothing => {
                sound.discard();
                Ok(())
            }
            Some(sound) => sound.keep(),
            None => Ok(()),
        };
        take.and(sound).and(self.failed.map_or(Ok(()), Err))
    }
}

/// The sound file.
fn sound(path: &Path, desk: &Desk) -> Result<Reel> {
    let info = vec![(*b"INAM", desk.scene().title().to_owned()), (*b"ISFT", crate::render::VERSION.to_owned())];
    Reel::start(Recording::of_sound(path, desk.channels(), desk.rate_hz(), info)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Counts its ends, and fails if told to.
    #[derive(Clone)]
    struct Guest {
        ends: Arc<AtomicU32>,
        fails: bool,
    }

    impl Front for Guest {
        fn start(&mut self, _: &Shared) -> Result<()> {
            if self.fails { bad("no such port") } else { Ok(()) }
        }
        fn stop(&mut self) {
            self.ends.fetch_add(1, Ordering::Relaxed);
        }
    }

    impl View for Guest {
        fn turn(&mut self, _: &mut Desk, _: &str, _: u64) -> Result<Go> {
            if self.fails { bad("no terminal") } else { Ok(Go::On) }
        }
        fn end(&mut self) {
            self.ends.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn bar(offline: bool) -> Play {
        Play {
            scene: library::load("bar").unwrap(),
            sets: Vec::new(),
            device: Some("null".into()),
            offline,
            buffer: None,
            rate_hz: None,
            record: None,
            wav: None,
            duration_s: None,
            limiter: true,
            look_s: tocco_live::limiter::LOOK_S,
            gate: true,
        }
    }

    /// Has the desk for itself from a moment on.
    #[cfg(target_os = "linux")]
    struct Holder(PathBuf);

    #[cfg(target_os = "linux")]
    impl Front for Holder {
        fn start(&mut self, desk: &Shared) -> Result<()> {
            let (desk, folder) = (desk.clone(), self.0.clone());
            std::thread::spawn(move || {
                let recorded = folder.join("a.wav.unfinished");
                while std::fs::metadata(&recorded).map_or(0, |meta| meta.len()) < 8 * 30_000 {
                    std::thread::sleep(Duration::from_millis(10));
                }
                let _held = desk.lock();
                std::fs::write(folder.join("held"), "").unwrap();
                std::thread::sleep(Duration::from_secs(10));
            });
            Ok(())
        }
        fn stop(&mut self) {}
    }

    /// This test runs itself as another program, which a signal or a key may end.
    #[cfg(target_os = "linux")]
    #[test]
    fn whoever_holds_the_desk_the_first_ctrl_c_ends_it_as_a_signal_and_as_a_key() {
        use std::io::Write;
        use std::process::{Command, Stdio};
        let own = "live::play::tests::whoever_holds_the_desk_the_first_ctrl_c_ends_it_as_a_signal_and_as_a_key";
        if let Some(folder) = std::env::var_os("TOCCO_HOLD").map(PathBuf::from) {
            interrupt::clean_up_when_interrupted();
            let play = Play { wav: Some(folder.join("a.wav")), ..bar(false) };
            let keys = std::env::var_os("TOCCO_HOLD_KEYS").is_some();
            let mut view: Box<dyn View> =
                if keys { Box::new(crate::tui::Tui::new(None)) } else { Box::<Lines>::default() };
            run(&play, view.as_mut(), &mut [Box::new(Holder(folder))]).unwrap();
            return;
        }
        let program = std::env::current_exe().unwrap();
        for keys in [false, true] {
            let folder = tempfile::tempdir().unwrap();
            let folder = folder.path();
            let mut command = if keys {
                let mut script = Command::new("script");
                let line = format!("stty rows 24 cols 90; exec '{}' --exact {own} --nocapture", program.display());
                script.args(["-qec", &line, "/dev/null"]).env("TOCCO_HOLD_KEYS", "1").env("SHELL", "/bin/sh");
                script
            } else {
                let mut plain = Command::new(&program);
                plain.args(["--exact", own, "--nocapture"]);
                plain
            };
            command.env("TOCCO_HOLD", folder).env("TERM", "xterm-256color");
            command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            let Ok(mut child) = command.spawn() else {
                tocco_testing::skip("Ctrl-C as a key", "'script' (Debian package bsdutils)");
                return;
            };
            let (since, mut stdin) = (Instant::now(), child.stdin.take().unwrap());
            while !folder.join("held").exists() {
                assert!(since.elapsed() < Duration::from_secs(60), "it does not play");
                std::thread::sleep(Duration::from_millis(10));
            }
            let asked = Instant::now();
            if keys {
                stdin.write_all(b"\x03").unwrap();
            } else {
                assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
            }
            while child.try_wait().unwrap().is_none() {
                if asked.elapsed() > Duration::from_secs(2) {
                    let _ = child.kill();
                    panic!("not ended after two seconds, keys: {keys}");
                }
                std::thread::sleep(Duration::from_millis(5));
            }
            let frames = hound::WavReader::open(folder.join("a.wav")).unwrap().duration();
            assert!(frames > 24_000, "{frames} frames, keys: {keys}");
        }
    }

    #[test]
    fn whatever_fails_every_front_is_stopped_and_the_view_ended() {
        for (offline, failing) in [(true, 0), (true, 1), (false, 0), (false, 1)] {
            let play = Play { duration_s: Some(0.1), ..bar(offline) };
            let ends = Arc::new(AtomicU32::new(0));
            let guest = |index| Guest { ends: ends.clone(), fails: index == failing };
            let mut fronts: Vec<Box<dyn Front>> = vec![Box::new(guest(2)), Box::new(guest(0))];
            assert!(run(&play, &mut guest(1), &mut fronts).is_err());
            assert_eq!(ends.load(Ordering::Relaxed), 3, "offline {offline}, {failing} fails");
        }
    }
}
