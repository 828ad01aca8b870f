// SPDX-License-Identifier: MIT OR Apache-2.0
//! Playing a scene: a `tocco_live::Session` for a worklet, or for a worker that renders.
//!
//! What [`tocco_render`] gives is what a take keeps: before master gain and limiter, as a plain render of the program.
//! [`tocco_heard`] is the same block on its way to the loudspeakers.

use crate::names::gesture;
use crate::{NUMBERS, TEXT, address, done, free, hand_out, read, utf8, values};
use tocco::gait::walker::LANES;
use tocco::scene::Probe;
use tocco::{Directory, Document, Gesture};
use tocco_live::limiter::{CEILING_DBTP, Limiter};
use tocco_live::take::SharedWriter;
use tocco_live::{Setup, When};

/// Who writes takes.
const PROGRAM: &str = "tocco studio";
/// Signals are only wanted sample by sample, not now and then.
const NEVER_S: f64 = f64::INFINITY;

/// A scene that is playing.
pub struct Session {
    live: tocco_live::Session,
    take: Option<SharedWriter<Vec<u8>>>,
    /// The last block.
    out: Vec<f32>,
    /// Sound that came in for the next block, channel after channel.
    input: Vec<f32>,
    /// Watched signals, a row for each frame of the last block.
    rows: Vec<f64>,
    watched: usize,
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
}

/// Most numbers of a trace that nobody asks for.
const LONGEST_TRACE: usize = 1 << 13;

impl Session {
    fn open(scene: Document, rate_hz: f64) -> Result<Self, String> {
        let rate_hz = (rate_hz != 0.0).then_some(rate_hz);
        // No clock: worklets have none finer than a millisecond, so load is not watched and nothing is placed by time. No
        // limiter here: it comes after the master gain.
        let setup = Setup { rate_hz, limiter: false, ..Setup::default() };
        let live = tocco_live::Session::open(scene, setup).map_err(|error| error.to_string())?;
        let outputs = live.desk.directory().outputs();
        let limiter = Limiter::of_outputs(live.desk.channels(), live.desk.rate_hz(), CEILING_DBTP, outputs);
        let meters = vec![[0.0, 1.0]; outputs.len()];
        let (out, input, rows, heard, device, trace) = Default::default();
        let drawn = drawn(live.desk.directory());
        let (take, watched, gain) = (None, 0, None);
        Ok(Self { live, take, out, input, rows, watched, heard, device, gain, limiter, meters, drawn, trace })
    }

    /// Limiters and meters are those of the scene's outputs, traces those of its inlets.
    fn follow_scene(&mut self) {
        self.drawn = drawn(self.live.desk.directory());
        self.trace.clear();
        let outputs = self.live.desk.directory().outputs();
        self.limiter.regroup(outputs);
        self.meters = vec![[0.0, 1.0]; outputs.len()];
    }

    fn perform(&mut self, gesture: &Gesture, at: f64) -> Result<(), String> {
        self.live.desk.perform(gesture, when(at)).map_err(|error| error.to_string())?;
        if matches!(gesture, Gesture::Load(_) | Gesture::Edit(_)) {
            self.follow_scene();
            self.watched = 0;
            self.live.desk.watch(&[], NEVER_S).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    fn render(&mut self, frames: usize) {
        let channels = self.live.desk.channels();
        self.out.resize(frames * channels, 0.0);
        self.rows.resize(frames * self.watched, 0.0);
        let mut inputs = [&[][..]; tocco_live::METERS];
        let came_in = self.input.chunks_exact(frames.max(1)).zip(&mut inputs).map(|(channel, place)| *place = channel);
        let count = came_in.count();
        self.live.player.play_probed(&inputs[..count], &mut self.out, &mut self.rows);
        self.input.clear();
        if !self.drawn.is_empty() && self.trace.len() < LONGEST_TRACE {
            let engine = self.live.player.engine();
            self.trace.push(engine.tick() as f64);
            self.trace.extend(self.drawn.iter().map(|probe| engine.probe(*probe)));
        }
    }

    fn hear(&mut self, gain: f64, limits: bool, device_channels: usize) {
        let channels = self.live.desk.channels();
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
        let outputs = self.live.desk.directory().outputs();
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

    fn finish_take(&mut self) -> Result<(), String> {
        let tocco_live::Session { desk, player } = &mut self.live;
        desk.end_take().map_err(|error| error.to_string())?;
        player.play(&[], &mut []);
        match desk.finish().map_err(|error| error.to_string())?.and_then(|_| self.take.take()?.fetch()) {
            Some(bytes) => {
                TEXT.set(String::from_utf8(bytes).map_err(|error| error.to_string())?);
                Ok(())
            }
            None => Err("no take is being recorded".into()),
        }
    }
}

/// The signals of [`traced`], in its order.
fn drawn(directory: &Directory) -> Vec<Probe> {
    traced(directory).iter().filter_map(|name| directory.probe(name).ok()).collect()
}

/// Names of the signals that a page draws without watching them sample by sample: what a player may press, and what walkers do.
pub(crate) fn traced(directory: &Directory) -> Vec<String> {
    let signal = |path: &str| path.strip_suffix("/value").map(|name| format!("{name}.value"));
    let inlets = directory.inlets().filter_map(|(path, _)| signal(&path));
    // Ten lanes of each: a walker is who has a place.
    let signals = directory.signals();
    let walkers = signals.iter().filter_map(|name| name.strip_suffix(".x_left.value")).map(str::to_owned);
    let lanes = walkers.flat_map(|walker| LANES.map(|lane| format!("{walker}.{}.value", lane.id)));
    inlets.chain(lanes).filter(|name| directory.probe(name).is_ok()).collect()
}

fn when(at: f64) -> When {
    if at > 0.0 { When::Tick(at as u64) } else { When::Now }
}

/// Begins to play a scene from TOML or JSON at `rate_hz`, or at the scene's own rate if that is 0; null on error.
///
/// # Safety
/// `text` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_load(text: *const u8, len: usize, rate_hz: f64) -> *mut Session {
    // SAFETY: the caller's promise is ours.
    hand_out(unsafe { utf8(text, len) }.and_then(read).and_then(|scene| Session::open(scene, rate_hz)))
}

/// Ends a session.
///
/// # Safety
/// `session` came from [`tocco_load`] and has not been freed; null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_free(session: *mut Session) {
    // SAFETY: the caller's promise is ours.
    unsafe { free(session) }
}

/// Channels of the sound.
///
/// # Safety
/// `session` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_channels(session: *const Session) -> u32 {
    // SAFETY: alive by contract.
    unsafe { &*session }.live.desk.channels() as u32
}

/// Channels of sound that the scene listens to.
///
/// # Safety
/// `session` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_inputs(session: *const Session) -> u32 {
    // SAFETY: alive by contract.
    unsafe { &*session }.live.player.inputs() as u32
}

/// Samples a second.
///
/// # Safety
/// `session` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_rate_hz(session: *const Session) -> f64 {
    // SAFETY: alive by contract.
    unsafe { &*session }.live.desk.rate_hz()
}

/// Samples rendered so far.
///
/// # Safety
/// `session` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_tick(session: *const Session) -> f64 {
    // SAFETY: alive by contract.
    unsafe { &*session }.live.player.engine().tick() as f64
}

/// Does what a line says (`{"strike": "hammer", "velocity_m_s": 1.0}`: the form of takes and of the program) at a tick. 1
/// or, on error, 0.
///
/// # Safety
/// `session` is alive and used by nobody else during the call; `line` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_gesture(session: *mut Session, line: *const u8, len: usize, at: f64) -> u32 {
    // SAFETY: alive and exclusive by contract; the promise about `line` is the caller's.
    let (session, line) = unsafe { (&mut *session, utf8(line, len)) };
    done(line.and_then(gesture).and_then(|gesture| session.perform(&gesture, at)))
}

/// The same for a touch whose place [`tocco_shape_at`](crate::names::tocco_shape_at) has solved elsewhere, from the names of
/// this very scene at this rate: nothing to solve where the sound is made.
///
/// # Safety
/// As for [`tocco_gesture`]; `shape` points to `count` doubles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_touch(
    session: *mut Session,
    line: *const u8,
    len: usize,
    shape: *const f64,
    count: usize,
    at: f64,
) -> u32 {
    // SAFETY: alive and exclusive by contract; the other promises are the caller's.
    let (session, line, shape) = unsafe { (&mut *session, utf8(line, len), values(shape, count)) };
    done(line.and_then(gesture).and_then(|gesture| match gesture {
        Gesture::Touch { site, place } => {
            let touched = session.live.desk.touch_solved(&site, &place, shape.into(), when(at));
            touched.map_err(|error| error.to_string())
        }
        _ => Err("only a touch has a place".into()),
    }))
}

/// Another scene from the next block on, from its beginning or, if `edits` is not 0, as an edit: what stays keeps sounding.
/// Signals must be watched anew. 1 or, on error, 0 and the old scene plays on.
///
/// # Safety
/// As for [`tocco_gesture`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_replace(session: *mut Session, text: *const u8, len: usize, edits: u32) -> u32 {
    // SAFETY: alive and exclusive by contract; the promise about `text` is the caller's.
    let (session, text) = unsafe { (&mut *session, utf8(text, len)) };
    done(text.and_then(read).and_then(|scene| {
        let scene = Box::new(scene);
        session.perform(&if edits == 0 { Gesture::Load(scene) } else { Gesture::Edit(scene) }, 0.0)
    }))
}

/// Room for the sound that comes in during the next block: `frames` samples for each channel that the scene listens to,
/// channel after channel, zeroed; null if there is none. It is heard by the next render only.
///
/// # Safety
/// `session` is alive and used by nobody else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_input(session: *mut Session, frames: usize) -> *const f32 {
    // SAFETY: alive and exclusive by contract.
    let session = unsafe { &mut *session };
    session.input.clear();
    session.input.resize(frames * session.live.player.inputs(), 0.0);
    address(&session.input)
}

/// The next `frames` frames, interleaved; valid until the next render. What did not come by [`tocco_input`], with the same
/// number of frames, is silence.
///
/// # Safety
/// `session` is alive and used by nobody else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_render(session: *mut Session, frames: usize) -> *const f32 {
    // SAFETY: alive and exclusive by contract.
    let session = unsafe { &mut *session };
    session.render(frames);
    // There is no other thread to free what is no longer needed, and to write the take, which memory alone can refuse.
    let _ = session.live.desk.poll();
    address(&session.out)
}

/// The last block as it is heard: through a master gain, reached by its end, and, if `limits` is not 0, the true-peak
/// limiters of the outputs (delayed by their look-ahead). One block of samples for each of the device's `channels`, channel
/// after channel; channels that the device lacks are dropped. Valid until the next call.
///
/// # Safety
/// `session` is alive and used by nobody else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_heard(session: *mut Session, gain: f64, limits: u32, channels: usize) -> *const f32 {
    // SAFETY: alive and exclusive by contract.
    let session = unsafe { &mut *session };
    session.hear(gain, limits != 0, channels);
    address(&session.device)
}

/// Answers with two numbers for each output, since the last call: largest magnitude, and least gain of its limiter.
///
/// # Safety
/// `session` is alive and used by nobody else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_meters(session: *mut Session) {
    // SAFETY: alive and exclusive by contract.
    let session = unsafe { &mut *session };
    NUMBERS.set(session.meters.as_flattened().to_vec());
    session.meters.fill([0.0, 1.0]);
}

/// Answers with the values of the scene's inlets, as their signals are, after each block since the last call: the tick, then one
/// number for each inlet. What a scene's drive says is among them, and what a player does.
///
/// # Safety
/// `session` is alive and used by nobody else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_trace(session: *mut Session) {
    // SAFETY: alive and exclusive by contract.
    let session = unsafe { &mut *session };
    NUMBERS.set(session.trace.clone());
    session.trace.clear();
}

/// Answers with what the scene's processes have done since the last call, the last thousand at most: five numbers each, its tick
/// with a fraction, the number of the process, how strong it was, in the unit of the process, and where, m, if it knows places.
///
/// # Safety
/// `session` is alive and used by nobody else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_happened(session: *mut Session) {
    // SAFETY: alive and exclusive by contract.
    let player = &mut unsafe { &mut *session }.live.player;
    let (began, rate_hz) = (player.engine().began() as f64, player.rate_hz());
    let mut numbers = Vec::new();
    while let Some(happening) = player.take_happening() {
        let [x, y] = happening.spot_m;
        numbers.extend([began + happening.at_s * rate_hz, happening.process as f64, happening.size, x, y]);
    }
    NUMBERS.set(numbers);
}

/// Watches these signals (one name per line) from the next render on, none of them if one is unknown. 1 or, on error, 0.
///
/// # Safety
/// As for [`tocco_gesture`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_watch(session: *mut Session, names: *const u8, len: usize) -> u32 {
    // SAFETY: alive and exclusive by contract; the promise about `names` is the caller's.
    let (session, names) = unsafe { (&mut *session, utf8(names, len)) };
    done(names.and_then(|names| {
        let names: Vec<&str> = names.lines().filter(|name| !name.is_empty()).collect();
        session.live.desk.watch(&names, NEVER_S).map_err(|error| error.to_string())?;
        session.watched = names.len();
        Ok(())
    }))
}

/// Watched signals of the last render, a row for each frame; null if there are none. Valid until the next render.
///
/// # Safety
/// `session` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_probes(session: *const Session) -> *const f64 {
    // SAFETY: alive by contract.
    address(&unsafe { &*session }.rows)
}

/// Answers with the energy of every body, then of every law, J.
///
/// # Safety
/// `session` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_energies(session: *const Session) {
    // SAFETY: alive by contract.
    let live = &unsafe { &*session }.live;
    let def = &live.desk.scene().def;
    let mut energies = vec![0.0; def.bodies.len() + def.contacts.len()];
    live.player.engine().energies(&mut energies);
    NUMBERS.set(energies);
}

/// Answers with the energy of every mode of a body, J.
///
/// # Safety
/// `session` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_modes(session: *const Session, body: u32) {
    // SAFETY: alive by contract.
    let engine = unsafe { &*session }.live.player.engine();
    let mut energies = vec![0.0; engine.mode_energies(body as usize, &mut [])];
    engine.mode_energies(body as usize, &mut energies);
    NUMBERS.set(energies);
}

/// Answers with unconverged solves, refused or clamped values, resets, and events left out beyond the most, since the start.
///
/// # Safety
/// `session` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_health(session: *const Session) {
    // SAFETY: alive by contract.
    let live = &unsafe { &*session }.live;
    let health = live.player.engine().health();
    let clamped = live.desk.counts().clamped + health.clamped;
    let counts = [health.unconverged, health.refused + clamped, health.reset, health.capped];
    NUMBERS.set(counts.map(|n| n as f64).to_vec());
}

/// Records a take, which must be asked for before anything else. 1 or, on error, 0.
///
/// # Safety
/// `session` is alive and used by nobody else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_record(session: *mut Session) -> u32 {
    // SAFETY: alive and exclusive by contract.
    let session = unsafe { &mut *session };
    let take = SharedWriter::new(Vec::new());
    session.take = Some(take.clone());
    done(session.live.desk.record(Box::new(take), PROGRAM).map_err(|error| error.to_string()))
}

/// Ends the take, after the frames rendered so far, and answers with its text; the sound goes on. 1 or, on error, 0.
///
/// # Safety
/// `session` is alive and used by nobody else during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_take(session: *mut Session) -> u32 {
    // SAFETY: alive and exclusive by contract.
    done(unsafe { &mut *session }.finish_take())
}
