// SPDX-License-Identifier: MIT OR Apache-2.0
//! Opening and steering: what the control half does.

use super::*;

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
    hand_out(|| Session::open(read(text?)?, setup, false, Bringer::NONE))
}

/// Begins to play a scene from TOML or JSON; null on error. `setup` may be null: as the program renders. The names of shipped
/// scenes are known as parts.
///
/// # Safety
/// `text` points to `len` bytes; `setup` is null or points to a setup whose `fetch` keeps its promises as long as the session lives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_open(text: *const c_char, len: usize, setup: *const Setup) -> *mut Session {
    // SAFETY: the caller's promise is ours.
    let (text, setup) = unsafe { (utf8(text, len), setup.as_ref()) };
    hand_out(|| {
        let bringer = Bringer::of(setup);
        // SAFETY: `fetch` keeps its promises by contract.
        let scene = unsafe { bringer.read(text?) }?;
        Session::open(scene, live(setup), setup.is_some_and(|setup| setup.notes != 0), bringer)
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

/// Goes on from a state ([`tocco_state`]); null on error. Its recordings are in it; `fetch` is for scenes that replace it.
///
/// # Safety
/// As for [`tocco_open`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_open_state(text: *const c_char, len: usize, setup: *const Setup) -> *mut Session {
    // SAFETY: the caller's promise is ours.
    let (text, setup) = unsafe { (utf8(text, len), setup.as_ref()) };
    hand_out(|| {
        let State { scene, values } = State::from_text(text?, "state").map_err(words)?;
        let live = tocco_live::Setup { sets: values, ..live(setup) };
        Session::open(scene, live, setup.is_some_and(|setup| setup.notes != 0), Bringer::of(setup))
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

/// Performs the gesture that is made of a path.
///
/// # Safety
/// As for the functions below.
unsafe fn perform(
    session: *mut Session,
    (path, len): (*const c_char, usize),
    at: f64,
    gesture: impl FnOnce(String) -> Gesture,
) -> u32 {
    // SAFETY: the caller's promise is ours.
    let path = unsafe { utf8(path, len) };
    // SAFETY: the caller's promises are ours.
    unsafe { control(session, 0, |half, shared| half.perform(&gesture(path?.to_owned()), at, shared).map(|()| 1)) }
}

/// Sets a parameter, a force or a control at a tick; it glides as declared. 1 or, on error, 0. `[control]`
///
/// # Safety
/// `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_set(session: *mut Session, path: *const c_char, len: usize, value: f64, at: f64) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe { perform(session, (path, len), at, |path| Gesture::Set { path, value }) }
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
    // SAFETY: the caller's promises are ours.
    unsafe { perform(session, (path, len), at, |path| Gesture::Jump { path, value }) }
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
    // SAFETY: the caller's promises are ours.
    unsafe { perform(session, (path, len), at, |path| Gesture::Strike { body: path, velocity_m_s: value }) }
}

/// An ideal impulse at a body or body.port at a tick, N s. 1 or, on error, 0. `[control]`
///
/// # Safety
/// `session` is alive, or null. The control half is used by nobody else during the call. Addresses point to what their lengths say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_hit(session: *mut Session, path: *const c_char, len: usize, value: f64, at: f64) -> u32 {
    // SAFETY: the caller's promises are ours.
    unsafe { perform(session, (path, len), at, |path| Gesture::Hit { site: path, impulse_n_s: value }) }
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
/// Signals must be watched anew; notes end, which is told, and parameters by number. It may have fewer channels than the first, not more.
/// What it names is brought by the `fetch` that the session was opened with. 1 or, on error, 0 and the old scene plays on. `[control]`
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
            // SAFETY: `fetch` keeps its promises as long as the session, by the contract of `tocco_open`.
            let scene = Box::new(half.bringer.read(text?)?);
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
