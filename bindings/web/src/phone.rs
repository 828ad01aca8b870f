// SPDX-License-Identifier: MIT OR Apache-2.0
//! What a phone feels, for a page: readings in, steps and scrapes out.

use crate::{answer_numbers, free};
use tocco_live::phone::{DELAY_S, Felt, Phone, step};

/// A phone that has felt nothing yet.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_phone() -> *mut Phone {
    Box::into_raw(Box::default())
}

/// Gives it back.
///
/// # Safety
/// `phone` came from [`tocco_phone`] and has not been freed; null is allowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_phone_free(phone: *mut Phone) {
    // SAFETY: the caller's promise is ours.
    unsafe { free(phone) }
}

/// A reading: its time, s, and the acceleration with gravity, m/s^2. Answers with what was felt, four numbers each: 0, time s, foot (0 left, 1 right)
/// and force BW of a step; 1, time s, speed m/s and 0 of a scrape.
///
/// # Safety
/// `phone` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_phone_feel(phone: *mut Phone, at_s: f64, x: f64, y: f64, z: f64) {
    // SAFETY: alive by contract.
    let felt = unsafe { &mut *phone }.feel(at_s, [x, y, z]);
    let numbers = |felt: Felt| match felt {
        Felt::Step(at_s, foot, force_bw) => [0.0, at_s, foot as f64, force_bw],
        Felt::Scrape(at_s, speed_m_s) => [1.0, at_s, speed_m_s, 0.0],
    };
    answer_numbers(felt.into_iter().flat_map(numbers).collect());
}

/// Answers with the tone of the last readings: its frequency, Hz, and its amplitude, 0 to 1.
///
/// # Safety
/// `phone` is alive.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tocco_phone_tone(phone: *const Phone) {
    // SAFETY: alive by contract.
    answer_numbers(unsafe { &*phone }.tone().to_vec());
}

/// Answers with what a foot presses in a step of so many body weights, four numbers a glide: after s, for s, heel BW, toe BW.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_phone_step(force_bw: f64) {
    answer_numbers(step(force_bw).concat());
}

/// How much later than the foot a step is found, s.
#[unsafe(no_mangle)]
pub extern "C" fn tocco_phone_delay_s() -> f64 {
    DELAY_S
}
