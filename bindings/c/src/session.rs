// SPDX-License-Identifier: MIT OR Apache-2.0
//! Playing a scene: both halves of `tocco_live` behind one handle.
//!
//! A function marked `[control]` needs the control half, `[audio]` the audio half, `[both]` both. Each half is used by one
//! thread at a time, and the two halves may be used at the same time. `[audio]` functions neither allocate nor lock, and
//! leave no error text.
//!
//! What [`tocco_render`] gives is what a take keeps: before master gain and limiter, as a plain render of the program.
//! [`tocco_heard`] is the same block on its way to the loudspeakers.

mod control;
mod look;
mod notes;
mod play;

pub use control::*;
pub use look::*;
pub use notes::*;
pub use play::*;

use crate::names::gesture;
use crate::shipped::{read_with, text_of};
use crate::{address, answer, answer_numbers, done, fail, free, guarded, hand_out, read, utf8, values};
use std::ffi::{CString, c_char, c_void};
use std::ptr::{addr_of, addr_of_mut, null, null_mut};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use tocco::scene::{Probe, Recording};
use tocco::{Command, Directory, Document, Gesture, Timed};
use tocco_live::describe::traced;
use tocco_live::limiter::{CEILING_DBTP, Limiter};
use tocco_live::notes::{Note, NoteEvent, Which};
use tocco_live::take::SharedWriter;
use tocco_live::{Desk, Instrument, METERS, Notes, Player, State, When};

/// Who writes takes: the page, or a program that has the library.
const PROGRAM: &str = if cfg!(target_family = "wasm") { "tocco studio" } else { "tocco as a C library" };
/// Signals are only wanted sample by sample, not now and then.
const NEVER_S: f64 = f64::INFINITY;

/// The control half, with what belongs to it.
struct Control {
    desk: Desk,
    /// What the caller brings to scenes, now and later.
    bringer: Bringer,
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
/// rate, and returns 1; 0 if there is none. Of a baked body (`type = "mesh"`) it brings the text, a byte a sample, at any rate. What it
/// brings is copied before the function that asks for it returns.
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
    /// Not 0: the scene gets the voices that its `[midi]` table says, and notes can be played.
    pub notes: u32,
    /// Brings recordings and baked bodies; may be null. `tocco_replace` asks it, too, on the thread that calls that.
    pub fetch: Fetch,
    /// Handed to `fetch`.
    pub user: *mut c_void,
}

/// Brings what a scene names, as a setup says.
#[derive(Clone, Copy)]
pub(crate) struct Bringer {
    fetch: Fetch,
    user: *mut c_void,
}

impl Bringer {
    /// Brings nothing.
    const NONE: Self = Self { fetch: None, user: null_mut() };

    pub(crate) fn of(setup: Option<&Setup>) -> Self {
        setup.map_or(Self::NONE, |setup| Self { fetch: setup.fetch, user: setup.user })
    }

    /// A scene from its text, or one line that says what is wrong.
    ///
    /// # Safety
    /// `fetch` keeps its promises.
    pub(crate) unsafe fn read(self, text: &str) -> Result<Document, String> {
        let Some(fetch) = self.fetch else { return read(text) };
        let mut bring = |file: &str| {
            let name = CString::new(file).map_err(|_| format!("{file:?}: no name of a file"))?;
            let (mut samples, mut count, mut rate_hz) = (null(), 0, 0.0);
            // SAFETY: by contract it writes where its samples are, or returns 0.
            let found = unsafe { fetch(self.user, name.as_ptr(), &raw mut samples, &raw mut count, &raw mut rate_hz) };
            if found == 0 || !(rate_hz.is_finite() && rate_hz > 0.0) || (samples.is_null() && count > 0) {
                return Err(format!("{file}: there is no such recording"));
            }
            // SAFETY: as above.
            Ok(Recording { rate_hz, data: unsafe { values(samples, count) }.into() })
        };
        read_with(text, &mut bring)
    }
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
    fn open(scene: Document, setup: tocco_live::Setup, notes: bool, bringer: Bringer) -> Result<Self, String> {
        if !notes {
            let (desk, player) = tocco_live::open(scene, setup).map_err(words)?;
            return Ok(Self::of(desk, player, None, bringer));
        }
        let instrument = Instrument::new(scene, setup.rate_hz).map_err(words)?;
        let (desk, player, notes) = instrument.open(setup).map_err(words)?;
        Ok(Self::of(desk, player, Some((instrument, notes)), bringer))
    }

    fn of(desk: Desk, player: Player, instrument: Option<(Instrument, Notes)>, bringer: Bringer) -> Self {
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
        Self { control: Control { desk, bringer, take: None }, audio, shared: Shared::default() }
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

    fn render(&mut self, frames: usize, watched: usize) -> Result<(), String> {
        lay_out(&mut self.out, frames, self.player.channels())?;
        lay_out(&mut self.rows, frames, watched)?;
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
        Ok(())
    }

    fn hear(&mut self, desk: &Desk, gain: f64, limits: bool, device_channels: usize) -> Result<(), String> {
        let channels = desk.channels();
        let frames = self.out.len() / channels;
        self.device.clear();
        lay_out(&mut self.device, frames, device_channels)?;
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
        for (channel, samples) in self.device.chunks_exact_mut(frames.max(1)).enumerate() {
            let from = if spreads && channel < 2 { 0 } else { channel };
            if from < channels {
                let of_channel = self.heard[from..].iter().step_by(channels);
                samples.iter_mut().zip(of_channel).for_each(|(cell, sample)| *cell = *sample);
            }
        }
        Ok(())
    }
}

/// Makes a block this long, what is new as zeros; an error where there is no memory for it.
fn lay_out<T: Clone + Default>(block: &mut Vec<T>, frames: usize, channels: usize) -> Result<(), String> {
    let count = frames.saturating_mul(channels);
    let room = block.try_reserve_exact(count.saturating_sub(block.len()));
    room.map_err(|_| format!("no memory for {frames} frames of {channels} channels"))?;
    block.resize(count, T::default());
    Ok(())
}

/// The signals of [`traced`], in its order.
fn drawn(directory: &Directory) -> Vec<Probe> {
    traced(directory).iter().filter_map(|name| directory.probe(name).ok()).collect()
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

    /// Which notes have ended; with another scene, all.
    fn follow(&mut self, shared: &Shared) {
        let Some((_, notes)) = &mut self.instrument else { return };
        match shared.generation.load(Ordering::Acquire) {
            0 => notes.follow(self.player.engine()),
            _ => notes.end_all(),
        }
    }
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
