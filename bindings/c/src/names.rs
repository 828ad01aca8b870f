// SPDX-License-Identifier: MIT OR Apache-2.0
//! A scene's names on the page, where there is time: is the text right, what is in the scene, what is a place made of?

use crate::session::{Bringer, Setup};
use crate::{answer, answer_numbers, done, free, hand_out, read, utf8, values};
use std::ffi::c_char;
use tocco::{Directory, Document, Gesture, Scene};
use tocco_live::describe;
use tocco_live::midi::voices;

/// The directory of a scene, and the scene in words.
pub struct Names {
    directory: Directory,
    description: String,
    scene: Scene,
}

/// The names of a scene from TOML or JSON as it is played at `rate_hz`, or at the scene's own rate if that is 0; null on
/// error.
///
/// # Safety
/// `text` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_names(text: *const c_char, len: usize, rate_hz: f64) -> *mut Names {
    // SAFETY: the caller's promise is ours.
    let text = unsafe { utf8(text, len) };
    hand_out(|| Names::of(&read(text?)?, rate_hz))
}

/// The same of a scene as [`tocco_open`](crate::session::tocco_open) plays it with this setup: at its rate, with what its `fetch` brings,
/// with voices if it has notes. `setup` may be null.
///
/// # Safety
/// `text` points to `len` bytes; `setup` is null or points to a setup whose `fetch` keeps its promises during the call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_names_with(text: *const c_char, len: usize, setup: *const Setup) -> *mut Names {
    // SAFETY: the caller's promises are ours.
    let (text, setup) = unsafe { (utf8(text, len), setup.as_ref()) };
    hand_out(|| {
        // SAFETY: `fetch` keeps its promises by contract.
        let mut scene = unsafe { Bringer::of(setup).read(text?) }?;
        if setup.is_some_and(|setup| setup.notes != 0) {
            scene = voices::voiced(scene).map_err(|error| error.to_string())?;
        }
        Names::of(&scene, setup.map_or(0.0, |setup| setup.rate_hz))
    })
}

impl Names {
    /// At a rate, or at the scene's own if that is 0.
    fn of(scene: &Document, rate_hz: f64) -> Result<Self, String> {
        let rate_hz = if rate_hz == 0.0 { scene.def.rate_hz } else { rate_hz };
        let built = Scene::build(&scene.def, rate_hz).map_err(|mut error| {
            error.line = error.line.or_else(|| scene.def.line_of(&error.at));
            error.to_string()
        })?;
        let description = describe::scene(&scene.def, &built).to_string();
        Ok(Self { directory: built.directory().clone(), description, scene: built })
    }
}

/// Gives the names back.
///
/// # Safety
/// `names` came from [`tocco_names`] and has not been freed; null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_names_free(names: *mut Names) {
    // SAFETY: the caller's promise is ours.
    unsafe { free(names) }
}

/// The names, or an error where there are none, as of a scene that was wrong.
///
/// # Safety
/// `names` is alive, or null.
unsafe fn alive<'a>(names: *const Names) -> Result<&'a Names, String> {
    // SAFETY: the caller's promise is ours.
    unsafe { names.as_ref() }.ok_or_else(|| "there are no names: the address is null".into())
}

/// Answers with the scene as JSON: bodies, contacts, paths, controls, signals, outputs, inputs. 1 or, on error, 0.
///
/// # Safety
/// `names` is alive, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_describe(names: *const Names) -> u32 {
    // SAFETY: the caller's promise is ours.
    let names = unsafe { alive(names) };
    done(|| {
        answer(names?.description.clone());
        Ok(())
    })
}

/// Answers with the shape values of the modes at the place that a touch names (`{"touch": "bar.tip", "place": [0.3]}`),
/// for [`tocco_touch`](crate::session::tocco_touch) in another instance. 1 or, on error, 0.
///
/// # Safety
/// `names` is alive, or null; `line` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_shape_at(names: *const Names, line: *const c_char, len: usize) -> u32 {
    // SAFETY: the caller's promises are ours.
    let (names, line) = unsafe { (alive(names), utf8(line, len)) };
    done(|| {
        let names = names?;
        let Gesture::Touch { site, place } = gesture(line?)? else { return Err("only a touch has a place".into()) };
        let shape = names.directory.site(&site).and_then(|site| names.directory.values_at(site, &place));
        answer_numbers(shape.map_err(|error| error.to_string())?);
        Ok(())
    })
}

/// Answers with the values of all modes' shapes at places of a body, one place after the other; `axes` of the `count` numbers say
/// where a place is, as fractions. 1 or, on error, 0.
///
/// # Safety
/// `names` is alive, or null; `places` points to `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_shapes(
    names: *const Names,
    body: u32,
    axes: usize,
    places: *const f64,
    count: usize,
) -> u32 {
    // SAFETY: the caller's promises are ours.
    let (names, places) = unsafe { (alive(names), values(places, count)) };
    done(|| {
        let places: Vec<Vec<f64>> = places.chunks_exact(axes.max(1)).map(<[f64]>::to_vec).collect();
        let shapes = names?.directory.values_over(body as usize, &places).map_err(|error| error.to_string())?;
        answer_numbers(shapes.concat());
        Ok(())
    })
}

/// Answers with the values of all modes' shapes at every port of a body, one port after the other; nothing of a body without modes.
/// 1 or, on error, 0.
///
/// # Safety
/// `names` is alive, or null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_port_shapes(names: *const Names, body: u32) -> u32 {
    // SAFETY: the caller's promise is ours.
    let names = unsafe { alive(names) };
    done(|| {
        answer_numbers(names?.scene.port_shapes(body as usize).concat());
        Ok(())
    })
}

/// Answers with what a value of a path or control does: number and value of each parameter that it moves. 1 or, on error, 0.
///
/// # Safety
/// `names` is alive, or null; `path` points to `len` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_moves(names: *const Names, path: *const c_char, len: usize, value: f64) -> u32 {
    // SAFETY: the caller's promises are ours.
    let (names, path) = unsafe { (alive(names), utf8(path, len)) };
    done(|| {
        let names = names?;
        let address = names.directory.address(path?).map_err(|error| error.to_string())?;
        answer_numbers(names.directory.moves(address, value).flat_map(|(slot, value)| [slot as f64, value]).collect());
        Ok(())
    })
}

/// Answers with the value of every path and then of every control, in the order of [`tocco_describe`], given where every parameter
/// stands ([`tocco_settings`](crate::session::tocco_settings)). 1 or, on error, 0.
///
/// # Safety
/// `names` is alive, or null; `settings` points to `count` numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_readings(names: *const Names, settings: *const f64, count: usize) -> u32 {
    // SAFETY: the caller's promises are ours.
    let (names, settings) = unsafe { (alive(names), values(settings, count)) };
    done(|| {
        let directory = &names?.directory;
        if count != directory.parameters() {
            return Err(format!("{count} settings for {} parameters", directory.parameters()));
        }
        let of = |slot: usize| settings[slot];
        let paths = directory.paths_with(of).into_iter().map(|(_, _, value)| value);
        let controls = directory.controls().into_iter().map(|control| {
            let address = directory.address(&control.name).ok();
            address.and_then(|address| directory.reading(address, of)).unwrap_or(f64::NAN)
        });
        answer_numbers(paths.chain(controls).collect());
        Ok(())
    })
}

/// A gesture in the one written form it has.
pub(crate) fn gesture(line: &str) -> Result<Gesture, String> {
    let value = serde_json::from_str(line).map_err(|error| format!("not a gesture: {error}"))?;
    Gesture::from_json(&value, "scene")
}
