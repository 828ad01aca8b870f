// SPDX-License-Identifier: MIT OR Apache-2.0
//! Playing a scene: both halves of `tocco_live` behind one handle.
//!
//! A function marked `[control]` needs the control half, `[audio]` the audio half, `[both]` both. Each half is used by one
//! thread at a time, and the two halves may be used at the same time. `[audio]` functions neither allocate nor lock, and
//! leave no error text.
//!
//! What [`tocco_render`] gives is what a take keeps: before master gain and limiter, as a plain render of the program.
//! [`tocco_heard`] is the same block on its way to the loudspeakers.

use crate::names::gesture;
use crate::shipped::{read_with, text_of};
use crate::{address, answer, answer_numbers, done, fail, free, guarded, hand_out, read, utf8, values};
use std::ffi::{CString, c_char, c_void};
use std::ptr::{addr_of, addr_of_mut, null};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use tocco::scene::{Probe, Recording};
use tocco::{Command, Directory, Document, Gesture, Timed};
use tocco_live::limiter::{CEILING_DBTP, Limiter};
use tocco_live::notes::{Note, NoteEvent, Which};
use tocco_live::take::SharedWriter;
use tocco_live::{Desk, Instrument, METERS, Notes, Player, State, When};

/// Who writes takes.
const PROGRAM: &str = "tocco studio";
/// Signals are only wanted sample by sample, not now and then.
const NEVER_S: f64 = f64::INFINITY;

/// The control half, with what belongs to it.
struct Control {
    desk: Desk,
    take: Option<SharedWriter<Vec<u8>>>,
}

/// The audio half, with what belongs to it.
struct Audio {
    player: Player,
    /// Parameters by number and notes, of the scene that the session began with.
    instrument: Option<(Instrument, Notes)>,
    /// The last block.
    out: Vec<f32>,
    /// Sound that came in for the next block, channel after channel.
    input: Vec<f32>,
    /// Watched signals, a row for each frame of the last block.
    rows: Vec<f64>,
    /// The last block through master gain and limiters, and the same for each channel of the device.
    heard: Vec<f32>,
    device: Vec<f32>,
    /// Master gain at the end of the last block.
    gain: Option<f64>,
    limiter: Limiter,
    /// Largest magnitude and least gain of the limiter of each output, since they were last asked for.
    meters: Vec<[f64; 2]>,
    /// Signals of the scene that are drawn, and their values after each block since they were last asked for: the tick, then each.
    drawn: Vec<Probe>,
    trace: Vec<f64>,
    /// The scene that limiters, meters and traces belong to.
    followed: u64,
}

/// What both halves may look at.
#[derive(Default)]
struct Shared {
    watched: AtomicUsize,
    /// Scenes so far.
    generation: AtomicU64,
    /// Something inside has panicked.
    failed: AtomicBool,
}

/// A scene that is playing.
pub struct Session {
    control: Control,
    audio: Audio,
    shared: Shared,
}

/// Most numbers of a trace that nobody asks for.
const LONGEST_TRACE: usize = 1 << 13;

/// Brings a recording that a scene names: writes where its samples are (one channel, full scale is 1), how many, and their
/// rate, and returns 1; 0 if there is none. The samples are copied before `tocco_open` returns.
pub type Fetch = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        file: *const c_char,
        samples: *mut *const f32,
        count: *mut usize,
        rate_hz: *mut f64,
    ) -> u32,
>;

/// How to play. All zero is: as the program renders.
#[repr(C)]
pub struct Setup {
    /// Samples a second; 0: the scene's own.
    pub rate_hz: f64,
    /// Least number of channels; a mono scene is then heard on the first two. 0: the scene's own.
    pub channels: u32,
    /// Not 0: true peaks are limited to -1 dBTP in what `tocco_play` gives, which delays it by the look-ahead.
    pub limiter: u32,
    /// Not 0: the scene gets the voices that its [midi] table says, and notes can be played.
    pub notes: u32,
    /// Brings recordings; may be null.
    pub fetch: Fetch,
    /// Handed to `fetch`.
    pub user: *mut c_void,
}

/// A contact that has begun or ended.
#[repr(C)]
pub struct Touch {
    /// Tick of the sample.
    pub at: f64,
    /// Sum of force times time of a contact that ends, N s.
    pub impulse_n_s: f64,
    /// Number of the contact, in the order of the scene.
    pub contact: u32,
    /// 1: it begins, 0: it ends.
    pub begins: u32,
}

fn words(error: tocco_live::Error) -> String {
    error.to_string()
}

impl Session {
    fn open(scene: Document, setup: tocco_live::Setup, notes: bool) -> Result<Self, String> {
        if !notes {
            let (desk, player) = tocco_live::open(scene, setup).map_err(words)?;
            return Ok(Self::of(desk, player, None));
        }
        let instrument = Instrument::new(scene, setup.rate_hz).map_err(words)?;
        let (desk, player, notes) = instrument.open(setup).map_err(words)?;
        Ok(Self::of(desk, player, Some((instrument, notes))))
    }

    fn of(desk: Desk, player: Player, instrument: Option<(Instrument, Notes)>) -> Self {
        let outputs = desk.directory().outputs();
        let limiter = Limiter::of_outputs(desk.channels(), desk.rate_hz(), CEILING_DBTP, outputs);
        let meters = vec![[0.0, 1.0]; outputs.len()];
        let (out, input, rows, heard, device, trace) = Default::default();
        let (drawn, gain, followed) = (drawn(desk.directory()), None, 0);
        let audio = Audio {
            player,
            instrument,
            out,
            input,
            rows,
            heard,
            device,
            gain,
            limiter,
            meters,
            drawn,
            trace,
            followed,
        };
        Self { control: Control { desk, take: None }, audio, shared: Shared::default() }
    }
}

impl Control {
    fn perform(&mut self, gesture: &Gesture, at: f64, shared: &Shared) -> Result<(), String> {
        self.desk.perform(gesture, when(at)?).map_err(words)?;
        if matches!(gesture, Gesture::Load(_) | Gesture::Edit(_)) {
            shared.watched.store(0, Ordering::Release);
            shared.generation.store(self.desk.generation(), Ordering::Release);
            self.desk.watch(&[], NEVER_S).map_err(words)?;
        }
        Ok(())
    }

    fn finish_take(&mut self, player: &mut Player) -> Result<(), String> {
        self.desk.end_take().map_err(words)?;
        player.play(&[], &mut []);
        match self.desk.finish().map_err(words)?.and_then(|_| self.take.take()?.fetch()) {
            Some(bytes) => {
                answer(String::from_utf8(bytes).map_err(|error| error.to_string())?);
                Ok(())
            }
            None => Err("no take is being recorded".into()),
        }
    }
}

impl Audio {
    /// Limiters and meters are those of the scene's outputs, traces those of its inlets.
    fn follow_scene(&mut self, desk: &Desk) {
        if self.followed == desk.generation() {
            return;
        }
        self.followed = desk.generation();
        self.drawn = drawn(desk.directory());
        self.trace.clear();
        let outputs = desk.directory().outputs();
        self.limiter.regroup(outputs);
        self.meters = vec![[0.0, 1.0]; outputs.len()];
    }

    fn render(&mut self, frames: usize, watched: usize) {
        self.out.resize(frames * self.player.channels(), 0.0);
        self.rows.resize(frames * watched, 0.0);
        let mut inputs = [&[][..]; METERS];
        let came_in = self.input.chunks_exact(frames.max(1)).zip(&mut inputs).map(|(channel, place)| *place = channel);
        let count = came_in.count();
        self.player.play_probed(&inputs[..count], &mut self.out, &mut self.rows);
        self.input.clear();
        if !self.drawn.is_empty() && self.trace.len() < LONGEST_TRACE {
            let engine = self.player.engine();
            self.trace.push(engine.tick() as f64);
            self.trace.extend(self.drawn.iter().map(|probe| engine.probe(*probe)));
        }
    }

    fn hear(&mut self, desk: &Desk, gain: f64, limits: bool, device_channels: usize) {
        let channels = desk.channels();
        let frames = self.out.len() / channels;
        let before = self.gain.replace(gain).unwrap_or(gain);
        let step = (gain - before) / frames.max(1) as f64;
        self.heard.clear();
        self.heard.extend(self.out.iter().enumerate().map(|(i, sample)| {
            let now = before + step * (i / channels + 1) as f64;
            (f64::from(*sample) * now) as f32
        }));
        if limits {
            self.limiter.limit(&mut self.heard);
            for ([_, least], gain) in self.meters.iter_mut().zip(self.limiter.reductions()) {
                *least = least.min(*gain);
            }
        }
        let outputs = desk.directory().outputs();
        for ([peak, _], output) in self.meters.iter_mut().zip(outputs) {
            for channel in output.channels.iter().filter(|channel| **channel < channels) {
                let samples = self.heard[*channel..].iter().step_by(channels);
                *peak = samples.fold(*peak, |peak, sample| peak.max(f64::from(sample.abs())));
            }
        }
        // One channel that nobody sent anywhere is heard on both sides; everything else where the scene says.
        let spreads = channels == 1 && outputs.iter().all(|output| !output.written);
        self.device.clear();
        self.device.resize(frames * device_channels, 0.0);
        for (channel, samples) in self.device.chunks_exact_mut(frames.max(1)).enumerate() {
            let from = if spreads && channel < 2 { 0 } else { channel };
            if from < channels {
                let of_channel = self.heard[from..].iter().step_by(channels);
                samples.iter_mut().zip(of_channel).for_each(|(cell, sample)| *cell = *sample);
            }
        }
    }
}

/// The signals that a player may press, in the order of the directory's inlets.
fn drawn(directory: &Directory) -> Vec<Probe> {
    let signal = |path: &str| path.strip_suffix("/value").map(|name| format!("{name}.value"));
    directory.inlets().filter_map(|(path, _)| directory.probe(&signal(&path)?).ok()).collect()
}

fn when(at: f64) -> Result<When, String> {
    match at {
        at if at.is_nan() => Err("the tick is not a number".into()),
        at if at > 0.0 => Ok(When::Tick(at as u64)),
        _ => Ok(When::Now),
    }
}

/// What both halves share; an error where there is no session, or none that can be used.
///
/// # Safety
/// `session` is alive, or null.
unsafe fn alive<'a>(session: *const Session) -> Result<&'a Shared, String> {
    if session.is_null() {
        return Err("there is no session: the address is null".into());
    }
    // SAFETY: alive by contract; what is shared is only borrowed shared.
    let shared = unsafe { &*addr_of!((*session).shared) };
    match shared.failed.load(Ordering::Acquire) {
        true => Err("this session has failed, and is closed; free it and begin anew".into()),
        false => Ok(shared),
    }
}

/// Runs what a call does with the halves that it needs; what panics closes the session.
///
/// # Safety
/// `session` is alive, or null.
unsafe fn within<T>(session: *const Session, run: impl FnOnce(&Shared) -> Result<T, String>) -> Result<T, String> {
    // SAFETY: the caller's promise is ours.
    let shared = unsafe { alive(session) }?;
    let mut finished = false;
    let result = guarded(|| {
        let result = run(shared);
        finished = true;
        result
    });
    if !finished {
        shared.failed.store(true, Ordering::Release);
    }
    result
}

/// # Safety
/// `session` is alive or null, and nobody else uses the control half during the call.
unsafe fn control<T>(
    session: *mut Session,
    otherwise: T,
    run: impl FnOnce(&mut Control, &Shared) -> Result<T, String>,
) -> T {
    // SAFETY: the control half is exclusive by contract, and another field than the audio half.
    let result = unsafe { within(session, |shared| run(&mut *addr_of_mut!((*session).control), shared)) };
    result.unwrap_or_else(|why| {
        fail(why);
        otherwise
    })
}

/// The same for the audio half; no text is left, as that allocates.
///
/// # Safety
/// `session` is alive or null, and nobody else uses the audio half during the call.
unsafe fn audio<T>(session: *mut Session, otherwise: T, run: impl FnOnce(&mut Audio, &Shared) -> Option<T>) -> T {
    if session.is_null() {
        return otherwise;
    }
    // SAFETY: alive by contract; the audio half is exclusive by contract, and another field than the control half.
    let (shared, half) = unsafe { (&*addr_of!((*session).shared), &mut *addr_of_mut!((*session).audio)) };
    if shared.failed.load(Ordering::Acquire) {
        return otherwise;
    }
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(half, shared))) {
        Ok(result) => result.unwrap_or(otherwise),
        Err(_) => {
            shared.failed.store(true, Ordering::Release);
            otherwise
        }
    }
}

/// # Safety
/// `session` is alive or null, and nobody else uses it during the call.
unsafe fn both<T>(
    session: *mut Session,
    otherwise: T,
    run: impl FnOnce(&mut Control, &mut Audio, &Shared) -> Result<T, String>,
) -> T {
    // SAFETY: exclusive by contract; the halves are two fields.
    let result = unsafe {
        within(session, |shared| {
            run(&mut *addr_of_mut!((*session).control), &mut *addr_of_mut!((*session).audio), shared)
        })
    };
    result.unwrap_or_else(|why| {
        fail(why);
        otherwise
    })
}

/// Begins to play a scene from TOML or JSON at `rate_hz`, or at the scene's own rate if that is 0; null on error.
///
/// # Safety
/// `text` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_load(text: *const c_char, len: usize, rate_hz: f64) -> *mut Session {
    // SAFETY: the caller's promise is ours.
    let text = unsafe { utf8(text, len) };
    // No clock: worklets have none finer than a millisecond, so load is not watched and nothing is placed by time. No
    // limiter here: it comes after the master gain.
    let rate_hz = (rate_hz != 0.0).then_some(rate_hz);
    let setup = tocco_live::Setup { rate_hz, limiter: false, ..tocco_live::Setup::default() };
    hand_out(|| Session::open(read(text?)?, setup, false))
}

/// Begins to play a scene from TOML or JSON; null on error. `setup` may be null: as the program renders. The names of shipped
/// scenes are known as parts.
///
/// # Safety
/// `text` points to `len` bytes; `setup` is null or points to a setup whose `fetch` keeps its promises.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_open(text: *const c_char, len: usize, setup: *const Setup) -> *mut Session {
    // SAFETY: the caller's promise is ours.
    let (text, setup) = unsafe { (utf8(text, len), setup.as_ref()) };
    hand_out(|| {
        let fetch = setup.and_then(|setup| Some((setup.fetch?, setup.user)));
        let mut bring = |file: &str| {
            let Some((fetch, user)) = fetch else { return Err(format!("{file}: no recordings can be had here")) };
            let name = CString::new(file).map_err(|_| format!("{file:?}: no name of a file"))?;
            let (mut samples, mut count, mut rate_hz) = (null(), 0, 0.0);
            // SAFETY: by contract it writes where its samples are, or returns 0.
            let found = unsafe { fetch(user, name.as_ptr(), &raw mut samples, &raw mut count, &raw mut rate_hz) };
            if found == 0 || !(rate_hz.is_finite() && rate_hz > 0.0) || (samples.is_null() && count > 0) {
                return Err(format!("{file}: there is no such recording"));
            }
            // SAFETY: as above.
            Ok(Recording { rate_hz, data: unsafe { values(samples, count) }.into() })
        };
        let scene = read_with(text?, &mut bring)?;
        Session::open(scene, live(setup), setup.is_some_and(|setup| setup.notes != 0))
    })
}

fn live(setup: Option<&Setup>) -> tocco_live::Setup {
    tocco_live::Setup {
        rate_hz: setup.map(|setup| setup.rate_hz).filter(|rate_hz| *rate_hz != 0.0),
        channels: setup.map_or(1, |setup| setup.channels.max(1) as usize),
        limiter: setup.is_some_and(|setup| setup.limiter != 0),
        ..tocco_live::Setup::default()
    }
}

/// Goes on from a state ([`tocco_state`]); null on error. Its recordings are in it; notes cannot be played.
///
/// # Safety
/// As for [`tocco_open`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_open_state(text: *const c_char, len: usize, setup: *const Setup) -> *mut Session {
    // SAFETY: the caller's promise is ours.
    let (text, setup) = unsafe { (utf8(text, len), setup.as_ref()) };
    hand_out(|| {
        let state = State::from_text(text?, "state").map_err(words)?;
        let (desk, player) = state.open(live(setup)).map_err(words)?;
        Ok(Session::of(desk, player, None))
    })
}

/// Answers with the text of a scene that comes with the library. 1 or, on error, 0.
///
/// # Safety
/// `name` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_shipped(name: *const c_char, len: usize) -> u32 {
    // SAFETY: the caller's promise is ours.
    let name = unsafe { utf8(name, len) };
    done(|| {
        answer(text_of(name?)?.to_owned());
        Ok(())
    })
}

/// Ends a session.
///
/// # Safety
/// `session` came from this library and has not been freed; null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_free(session: *mut Session) {
    // SAFETY: the caller's promise is ours.
    unsafe { free(session) }
}

/// Channels of the sound. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_channels(session: *mut Session) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe { audio(session, 0, |half, _| Some(half.player.channels() as u32)) }
}

/// Channels of sound that the scene listens to. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_inputs(session: *mut Session) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe { audio(session, 0, |half, _| Some(half.player.inputs() as u32)) }
}

/// Samples a second. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_rate_hz(session: *mut Session) -> f64 {
    // SAFETY: the caller's promises are ours.
    unsafe { audio(session, 0.0, |half, _| Some(half.player.rate_hz())) }
}

/// Samples rendered so far. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_tick(session: *mut Session) -> f64 {
    // SAFETY: the caller's promises are ours.
    unsafe { audio(session, 0.0, |half, _| Some(half.player.engine().tick() as f64)) }
}

/// Does what a line says (`{"strike": "hammer", "velocity_m_s": 1.0}`: the form of takes and of the program) at a tick. 1
/// or, on error, 0. `[control]`
///
/// # Safety
/// `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_gesture(session: *mut Session, line: *const c_char, len: usize, at: f64) -> u32 {
    // SAFETY: the caller's promise is ours.
    let line = unsafe { utf8(line, len) };
    // SAFETY: the caller's promises are ours.
    unsafe { control(session, 0, |half, shared| half.perform(&gesture(line?)?, at, shared).map(|()| 1)) }
}

/// Sets a parameter, a force or a control at a tick; it glides as declared. 1 or, on error, 0. `[control]`
///
/// # Safety
/// `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_set(session: *mut Session, path: *const c_char, len: usize, value: f64, at: f64) -> u32 {
    // SAFETY: the caller's promise is ours.
    let path = unsafe { utf8(path, len) };
    // SAFETY: the caller's promises are ours.
    unsafe {
        control(session, 0, |half, shared| {
            let path = path?.to_owned();
            half.perform(&Gesture::Set { path, value }, at, shared).map(|()| 1)
        })
    }
}

/// The same without a glide: for what is about to be struck. `[control]`
///
/// # Safety
/// `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_jump(
    session: *mut Session,
    path: *const c_char,
    len: usize,
    value: f64,
    at: f64,
) -> u32 {
    // SAFETY: the caller's promise is ours.
    let path = unsafe { utf8(path, len) };
    // SAFETY: the caller's promises are ours.
    unsafe {
        control(session, 0, |half, shared| {
            let path = path?.to_owned();
            half.perform(&Gesture::Jump { path, value }, at, shared).map(|()| 1)
        })
    }
}

/// Sets a mass in motion from zero gap at a tick, m/s. 1 or, on error, 0. `[control]`
///
/// # Safety
/// `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_strike(
    session: *mut Session,
    path: *const c_char,
    len: usize,
    value: f64,
    at: f64,
) -> u32 {
    // SAFETY: the caller's promise is ours.
    let path = unsafe { utf8(path, len) };
    // SAFETY: the caller's promises are ours.
    unsafe {
        control(session, 0, |half, shared| {
            let path = path?.to_owned();
            half.perform(&Gesture::Strike { body: path, velocity_m_s: value }, at, shared).map(|()| 1)
        })
    }
}

/// An ideal impulse at a body or body.port at a tick, N s. 1 or, on error, 0. `[control]`
///
/// # Safety
/// `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_hit(session: *mut Session, path: *const c_char, len: usize, value: f64, at: f64) -> u32 {
    // SAFETY: the caller's promise is ours.
    let path = unsafe { utf8(path, len) };
    // SAFETY: the caller's promises are ours.
    unsafe {
        control(session, 0, |half, shared| {
            let path = path?.to_owned();
            half.perform(&Gesture::Hit { site: path, impulse_n_s: value }, at, shared).map(|()| 1)
        })
    }
}

/// Value last sent to a path or control, else as declared; NaN if there is none such. `[control]`
///
/// # Safety
/// `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_value(session: *mut Session, path: *const c_char, len: usize) -> f64 {
    // SAFETY: the caller's promise is ours.
    let path = unsafe { utf8(path, len) };
    // SAFETY: the caller's promises are ours.
    unsafe {
        control(session, f64::NAN, |half, _| {
            let path = path?;
            half.desk.spec(path).map_err(words)?;
            half.desk.value(path).ok_or_else(|| format!("no parameter '{path}'"))
        })
    }
}

/// The same as [`tocco_gesture`] for a touch whose place [`tocco_shape_at`](crate::names::tocco_shape_at) has solved elsewhere, from
/// the names of this very scene at this rate: nothing to solve where the sound is made. `[control]`
///
/// # Safety
/// `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_touch(
    session: *mut Session,
    line: *const c_char,
    len: usize,
    shape: *const f64,
    count: usize,
    at: f64,
) -> u32 {
    // SAFETY: the caller's promises are ours.
    let (line, shape) = unsafe { (utf8(line, len), values(shape, count)) };
    // SAFETY: the caller's promises are ours.
    unsafe {
        control(session, 0, |half, _| match gesture(line?)? {
            Gesture::Touch { site, place } => {
                half.desk.touch_solved(&site, &place, shape.into(), when(at)?).map_err(words).map(|()| 1)
            }
            _ => Err("only a touch has a place".into()),
        })
    }
}

/// Another scene from the next block on, from its beginning or, if `edits` is not 0, as an edit: what stays keeps sounding.
/// Signals must be watched anew; notes and parameters by number end. 1 or, on error, 0 and the old scene plays on. `[control]`
///
/// # Safety
/// `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_replace(session: *mut Session, text: *const c_char, len: usize, edits: u32) -> u32 {
    // SAFETY: the caller's promise is ours.
    let text = unsafe { utf8(text, len) };
    // SAFETY: the caller's promises are ours.
    unsafe {
        control(session, 0, |half, shared| {
            let scene = Box::new(read(text?)?);
            let gesture = if edits == 0 { Gesture::Load(scene) } else { Gesture::Edit(scene) };
            half.perform(&gesture, 0.0, shared).map(|()| 1)
        })
    }
}

/// Fetches what has come back from the audio half: frees what is no longer needed, writes the take. Call it often where two
/// threads play. 1 or, on error, 0. `[control]`
///
/// # Safety
/// `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_poll(session: *mut Session) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe { control(session, 0, |half, _| half.desk.poll().map_err(words).map(|()| 1)) }
}

/// Answers with the state: scene and what was set in it, as text for [`tocco_open_state`]. 1 or, on error, 0. `[control]`
///
/// # Safety
/// `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_state(session: *mut Session) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        control(session, 0, |half, _| {
            half.desk.poll().map_err(words)?;
            answer(half.desk.state().to_text());
            Ok(1)
        })
    }
}

/// Frames between the engine and what [`tocco_play`] gives: the look-ahead of the limiter. `[control]`
///
/// # Safety
/// `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_latency(session: *mut Session) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe { control(session, 0, |half, _| Ok(half.desk.latency() as u32)) }
}

/// Fills a block of interleaved frames. `inputs` are `input_channels` channels of sound that came in, each as long as the block;
/// none is null and 0. 1, or 0 and nothing is written. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_play(
    session: *mut Session,
    inputs: *const *const f32,
    input_channels: usize,
    out: *mut f32,
    frames: usize,
) -> u32 {
    if frames == 0 || out.is_null() {
        return u32::from(frames == 0);
    }
    // SAFETY: the caller's promises are ours.
    unsafe {
        audio(session, 0, |half, _| {
            let mut room = [&[][..]; METERS];
            let inputs = planes(inputs, input_channels, frames, &mut room);
            let out = std::slice::from_raw_parts_mut(out, frames * half.player.channels());
            half.player.play(inputs, out);
            half.follow();
            Some(1)
        })
    }
}

/// As [`tocco_play`], a plane for each of `channels` channels; at most 64. Planes beyond those of the scene are silent. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_play_planar(
    session: *mut Session,
    inputs: *const *const f32,
    input_channels: usize,
    out: *const *mut f32,
    channels: usize,
    frames: usize,
) -> u32 {
    if frames == 0 || out.is_null() || channels == 0 || channels > METERS {
        return 0;
    }
    // SAFETY: the caller's promises are ours.
    unsafe {
        audio(session, 0, |half, _| {
            let mut room = [&[][..]; METERS];
            let inputs = planes(inputs, input_channels, frames, &mut room);
            let mut out_room: [&mut [f32]; METERS] = std::array::from_fn(|_| &mut [][..]);
            for (place, plane) in out_room.iter_mut().zip(values(out, channels)) {
                *place = std::slice::from_raw_parts_mut(*plane, frames);
            }
            half.player.play_planar(inputs, &mut out_room[..channels]);
            half.follow();
            Some(1)
        })
    }
}

/// 1 if nothing waits, the scene's own gestures are over and the sound has stayed below -100 dBFS for a second. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_is_quiet(session: *mut Session) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe { audio(session, 1, |half, _| Some(u32::from(half.player.is_quiet()))) }
}

/// Number of a parameter or control by its path, for [`tocco_param_set`]: the same in every scene and version. 0: there is none. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_param_id(session: *mut Session, path: *const c_char, len: usize) -> u32 {
    // SAFETY: the caller's promise is ours.
    let path = unsafe { utf8(path, len) };
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, 0, |_, half, _| {
            let (instrument, _) = half.instrument.as_ref().ok_or(NO_NOTES)?;
            instrument.find(path?).map(|parameter| parameter.id).map_err(words)
        })
    }
}

/// Sets a parameter by its number at its sample; out of range is clamped. 1, or 0 if there is none such, no room, or a NaN. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_param_set(session: *mut Session, id: u32, value: f64, at: f64) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        audio(session, 0, |half, shared| {
            let (instrument, _) = half.instrument(shared)?;
            let parameter = instrument.parameter(id).filter(|_| !value.is_nan() && !at.is_nan())?;
            let value = value.clamp(parameter.spec.min, parameter.spec.max);
            let timed = Timed { at: at.max(0.0) as u64, command: Command::Set(parameter.address, value) };
            half.player.push(timed).ok().map(|()| 1)
        })
    }
}

/// A note begins at its sample: the caller's own number, channel 0 to 15, key 0 to 127, velocity 0 to 1, semitones beside
/// the key. 1, or 0 if it cannot be played. Needs `notes` in the setup. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_note_on(
    session: *mut Session,
    id: i32,
    channel: u32,
    key: u32,
    velocity: f64,
    tuning: f64,
    at: f64,
) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        audio(session, 0, |half, shared| {
            let note = Note { id, channel: u8::try_from(channel).ok()?, key: u8::try_from(key).ok()? };
            half.note(shared, NoteEvent::On { note, velocity_01: velocity, tuning }, at)
        })
    }
}

/// Its key goes up, at its sample: it is damped if the scene says in which time. -1 means any id, channel or key. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_note_off(session: *mut Session, id: i32, channel: i32, key: i32, at: f64) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        audio(session, 0, |half, shared| {
            let which = which(id, channel, key);
            half.note(shared, NoteEvent::Off(which), at)
        })
    }
}

/// It is silenced within milliseconds. -1 means any id, channel or key. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_note_choke(session: *mut Session, id: i32, channel: i32, key: i32, at: f64) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        audio(session, 0, |half, shared| {
            let which = which(id, channel, key);
            half.note(shared, NoteEvent::Choke(which), at)
        })
    }
}

/// Its pitch glides to so many semitones beside its key. -1 means any id, channel or key. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_note_tune(
    session: *mut Session,
    id: i32,
    channel: i32,
    key: i32,
    value: f64,
    at: f64,
) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        audio(session, 0, |half, shared| {
            let which = which(id, channel, key);
            half.note(shared, NoteEvent::Tune(which, value), at)
        })
    }
}

/// Its pressure, 0 to 1. -1 means any id, channel or key. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_note_press(
    session: *mut Session,
    id: i32,
    channel: i32,
    key: i32,
    value: f64,
    at: f64,
) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        audio(session, 0, |half, shared| {
            let which = which(id, channel, key);
            half.note(shared, NoteEvent::Press(which, value), at)
        })
    }
}

/// Its brightness, 0 to 1. -1 means any id, channel or key. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_note_brighten(
    session: *mut Session,
    id: i32,
    channel: i32,
    key: i32,
    value: f64,
    at: f64,
) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        audio(session, 0, |half, shared| {
            let which = which(id, channel, key);
            half.note(shared, NoteEvent::Brighten(which, value), at)
        })
    }
}

/// The id of the next note that has ended, in `id`: rung out, or its voice was taken. 1, or 0 if there is none. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_note_ended(session: *mut Session, id: *mut i32) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        audio(session, 0, |half, _| {
            let ended = half.instrument.as_mut()?.1.ended()?;
            *id.as_mut()? = ended.id;
            Some(1)
        })
    }
}

/// Notes from here on when contacts begin and end, or no more if `wanted` is 0. 1, or 0. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_watch_touches(session: *mut Session, wanted: u32) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        audio(session, 0, |half, _| {
            half.player.watch_touches(wanted != 0);
            Some(1)
        })
    }
}

/// The next contact that has begun or ended, in `touch`; the last thousand are kept. 1, or 0 if there is none. `[audio]`
///
/// # Safety
/// `session` is alive, or null. The audio half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_next_touch(session: *mut Session, touch: *mut Touch) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        audio(session, 0, |half, _| {
            let place = touch.as_mut()?;
            let found = half.player.take_touch()?;
            let (contact, begins) = (found.contact as u32, u32::from(found.begins));
            *place = Touch { at: found.at as f64, impulse_n_s: found.impulse_n_s, contact, begins };
            Some(1)
        })
    }
}

/// Room for the sound that comes in during the next block: `frames` samples for each channel that the scene listens to,
/// channel after channel, zeroed; null if there is none. It is heard by the next render only. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_input(session: *mut Session, frames: usize) -> *const f32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, null(), |_, half, _| {
            half.input.clear();
            half.input.resize(frames * half.player.inputs(), 0.0);
            Ok(address(&half.input))
        })
    }
}

/// The next `frames` frames, interleaved; valid until the next render. What did not come by [`tocco_input`], with the same
/// number of frames, is silence. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_render(session: *mut Session, frames: usize) -> *const f32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, null(), |desk, half, shared| {
            half.follow_scene(&desk.desk);
            half.render(frames, shared.watched.load(Ordering::Acquire));
            half.follow();
            // There is no other thread to free what is no longer needed, and to write the take, which memory alone can refuse.
            let _ = desk.desk.poll();
            Ok(address(&half.out))
        })
    }
}

/// The last block as it is heard: through a master gain, reached by its end, and, if `limits` is not 0, the true-peak
/// limiters of the outputs (delayed by their look-ahead). One block of samples for each of the device's `channels`, channel
/// after channel; channels that the device lacks are dropped. Valid until the next call. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_heard(session: *mut Session, gain: f64, limits: u32, channels: usize) -> *const f32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, null(), |desk, half, _| {
            half.follow_scene(&desk.desk);
            half.hear(&desk.desk, gain, limits != 0, channels);
            Ok(address(&half.device))
        })
    }
}

/// Answers with two numbers for each output, since the last call: largest magnitude, and least gain of its limiter. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_meters(session: *mut Session) {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, (), |desk, half, _| {
            half.follow_scene(&desk.desk);
            answer_numbers(half.meters.as_flattened().to_vec());
            half.meters.fill([0.0, 1.0]);
            Ok(())
        })
    }
}

/// Answers with the values of the scene's inlets, as their signals are, after each block since the last call: the tick, then one
/// number for each inlet. What a scene's drive says is among them, and what a player does. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_trace(session: *mut Session) {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, (), |desk, half, _| {
            half.follow_scene(&desk.desk);
            answer_numbers(half.trace.clone());
            half.trace.clear();
            Ok(())
        })
    }
}

/// Answers with what the scene's processes have done since the last call, the last thousand at most: three numbers each, its tick
/// with a fraction, the number of the process and how strong it was, in the unit of the process. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_happened(session: *mut Session) {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, (), |_, half, _| {
            let player = &mut half.player;
            let (began, rate_hz) = (player.engine().began() as f64, player.rate_hz());
            let mut numbers = Vec::new();
            while let Some(happening) = player.take_happening() {
                numbers.extend([began + happening.at_s * rate_hz, happening.process as f64, happening.size]);
            }
            answer_numbers(numbers);
            Ok(())
        })
    }
}

/// Watches these signals (one name per line) from the next render on, none of them if one is unknown. 1 or, on error, 0. `[control]`
///
/// # Safety
/// `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_watch(session: *mut Session, names: *const c_char, len: usize) -> u32 {
    // SAFETY: the caller's promise is ours.
    let names = unsafe { utf8(names, len) };
    // SAFETY: the caller's promises are ours.
    unsafe {
        control(session, 0, |half, shared| {
            let names: Vec<&str> = names?.lines().filter(|name| !name.is_empty()).collect();
            half.desk.watch(&names, NEVER_S).map_err(words)?;
            shared.watched.store(names.len(), Ordering::Release);
            Ok(1)
        })
    }
}

/// Watched signals of the last render, a row for each frame; null if there are none. Valid until the next render. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_probes(session: *mut Session) -> *const f64 {
    // SAFETY: the caller's promises are ours.
    unsafe { both(session, null(), |_, half, _| Ok(address(&half.rows))) }
}

/// Answers with the energy of every body, then of every law, J. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_energies(session: *mut Session) {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, (), |desk, half, _| {
            let def = &desk.desk.scene().def;
            let mut energies = vec![0.0; def.bodies.len() + def.contacts.len()];
            half.player.engine().energies(&mut energies);
            answer_numbers(energies);
            Ok(())
        })
    }
}

/// Answers with the energy of every mode of a body, J. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_modes(session: *mut Session, body: u32) {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, (), |_, half, _| {
            let engine = half.player.engine();
            let mut energies = vec![0.0; engine.mode_energies(body as usize, &mut [])];
            engine.mode_energies(body as usize, &mut energies);
            answer_numbers(energies);
            Ok(())
        })
    }
}

/// Answers with unconverged solves, refused or clamped values, resets, and events left out beyond the most, since the start. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_health(session: *mut Session) {
    // SAFETY: the caller's promises are ours.
    unsafe {
        both(session, (), |desk, half, _| {
            let health = half.player.engine().health();
            let clamped = desk.desk.counts().clamped + health.clamped;
            let counts = [health.unconverged, health.refused + clamped, health.reset, health.capped];
            answer_numbers(counts.map(|n| n as f64).to_vec());
            Ok(())
        })
    }
}

/// Records a take, which must be asked for before anything else. 1 or, on error, 0. `[control]`
///
/// # Safety
/// `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_record(session: *mut Session) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe {
        control(session, 0, |half, _| {
            let take = SharedWriter::new(Vec::new());
            half.take = Some(take.clone());
            half.desk.record(Box::new(take), PROGRAM).map_err(words).map(|()| 1)
        })
    }
}

/// Ends the take, after the frames rendered so far, and answers with its text; the sound goes on. 1 or, on error, 0. `[both]`
///
/// # Safety
/// `session` is alive, or null. Nobody else uses the session during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_take(session: *mut Session) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe { both(session, 0, |desk, half, _| desk.finish_take(&mut half.player).map(|()| 1)) }
}

const NO_NOTES: &str = "notes and numbers of parameters need a setup with notes";

impl Audio {
    /// Parameters by number and notes, as long as the scene is the one that they belong to.
    fn instrument(&self, shared: &Shared) -> Option<&(Instrument, Notes)> {
        self.instrument.as_ref().filter(|_| shared.generation.load(Ordering::Acquire) == 0)
    }

    fn note(&mut self, shared: &Shared, event: NoteEvent, at: f64) -> Option<u32> {
        self.instrument(shared).filter(|_| !at.is_nan())?;
        let (_, notes) = self.instrument.as_mut()?;
        notes.play(event, at.max(0.0) as u64, &mut self.player).then_some(1)
    }

    /// Which notes have ended.
    fn follow(&mut self) {
        if let Some((_, notes)) = &mut self.instrument {
            notes.follow(self.player.engine());
        }
    }
}

fn which(id: i32, channel: i32, key: i32) -> Which {
    let id = (id != -1).then_some(id);
    Which { id, channel: u8::try_from(channel).ok(), key: u8::try_from(key).ok() }
}

/// Channels of sound that came in; a null one is silence.
///
/// # Safety
/// `inputs` points to `count` addresses, each null or of `frames` samples.
unsafe fn planes<'a, 'r>(
    inputs: *const *const f32,
    count: usize,
    frames: usize,
    room: &'r mut [&'a [f32]; METERS],
) -> &'r [&'a [f32]] {
    let count = if inputs.is_null() { 0 } else { count.min(METERS) };
    // SAFETY: the caller's promise is ours.
    let all = unsafe { values(inputs, count) };
    for (place, plane) in room.iter_mut().zip(all).filter(|(_, plane)| !plane.is_null()) {
        // SAFETY: the caller's promise is ours.
        *place = unsafe { values(*plane, frames) };
    }
    &room[..count]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{tocco_error, tocco_error_len};

    #[test]
    fn what_panics_inside_is_an_error_and_closes_the_session_alone() {
        let text = "body.a = { type = 'mass' }\ntap = [{ of = 'a' }]\n";
        // SAFETY: the text is alive during the calls, and each session is freed once.
        unsafe {
            let open = || tocco_load(text.as_ptr().cast(), text.len(), 0.0);
            let (broken, whole) = (open(), open());
            assert_eq!(control(broken, 7, |_, _| -> Result<u32, String> { panic!("on purpose") }), 7);
            let said = values(tocco_error().cast::<u8>(), tocco_error_len());
            assert_eq!(said, b"a fault inside the library: on purpose");
            assert_eq!(tocco_poll(broken), 0);
            let mut out = [1.0_f32; 16];
            assert_eq!(tocco_play(broken, null(), 0, out.as_mut_ptr(), 16), 0);
            assert_eq!(tocco_play(whole, null(), 0, out.as_mut_ptr(), 16), 1);
            assert_eq!(audio(whole, 9, |_, _| -> Option<u32> { panic!("on purpose") }), 9);
            assert_eq!(tocco_play(whole, null(), 0, out.as_mut_ptr(), 16), 0);
            tocco_free(broken);
            tocco_free(whole);
        }
    }
}
