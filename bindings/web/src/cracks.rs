// SPDX-License-Identifier: MIT OR Apache-2.0
//! Crack lines of a sheet of ice for a page's worker: fed with what happened in the scene, it answers with what has grown.

use crate::{answer_numbers, free, hand_out, read, utf8};
use std::ffi::c_char;
use tocco::process::ice::cracks::Cracks;
use tocco::rng::Rng;
use tocco::scene::def::ProcessForm;

/// A sheet, and how much of each line has been told.
pub struct Sheet {
    cracks: Cracks,
    told: Vec<usize>,
}

impl Sheet {
    /// The sheet of a process of a scene: the same lines as the program draws for the same fractures.
    fn of(scene: &str, process: &str) -> Result<Self, String> {
        let document = read(scene)?;
        let def = document.def.whole().map_err(|error| error.to_string())?;
        let form = def.processes.iter().find(|own| own.name == process).map(|own| &own.form);
        let Some(ProcessForm::Ice(ice)) = form else { return Err(format!("'{process}' is no ice")) };
        let rng = Rng::new(def.seed, &format!("cracks {process}"));
        Ok(Self { cracks: Cracks::new(ice.thickness_m, rng), told: Vec::new() })
    }

    /// Pieces that have grown since the last call: x0, y0, x1, y1 of each, m.
    fn grown(&mut self) -> Vec<f64> {
        let mut pieces = Vec::new();
        self.told.resize(self.cracks.lines().len(), 1);
        for (line, told) in self.cracks.lines().iter().zip(&mut self.told) {
            for pair in line.points[*told - 1..].windows(2) {
                pieces.extend([pair[0][0], pair[0][1], pair[1][0], pair[1][1]]);
            }
            *told = line.points.len();
        }
        pieces
    }
}

/// The sheet of ice of a process, of a scene's text and the process's name, which stand one after the other; null on error.
///
/// # Safety
/// `text` points to `scene + name` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_cracks(text: *const c_char, scene: usize, name: usize) -> *mut Sheet {
    // SAFETY: the caller's promise is ours.
    hand_out(|| match unsafe { utf8(text, scene + name) }? {
        text if text.is_char_boundary(scene) => Sheet::of(&text[..scene], &text[scene..]),
        _ => Err("the scene ends within a letter".into()),
    })
}

/// Gives the sheet back.
///
/// # Safety
/// `sheet` came from [`tocco_cracks`] and has not been freed; null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_cracks_free(sheet: *mut Sheet) {
    // SAFETY: the caller's promise is ours.
    unsafe { free(sheet) }
}

/// A fracture at a place, m, took this energy, J.
///
/// # Safety
/// `sheet` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_cracks_fracture(sheet: *mut Sheet, x_m: f64, y_m: f64, energy_j: f64) {
    // SAFETY: alive by contract.
    unsafe { &mut *sheet }.cracks.fracture([x_m, y_m], energy_j);
}

/// Answers with the pieces of line that have grown since the last call, four numbers each: x0, y0, x1, y1, m.
///
/// # Safety
/// `sheet` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_cracks_grown(sheet: *mut Sheet) {
    // SAFETY: alive by contract.
    answer_numbers(unsafe { &mut *sheet }.grown());
}
