// SPDX-License-Identifier: MIT OR Apache-2.0
//! Lists that are filled while sound is made: their room is made beforehand, and a copy has as much.

use std::ops::{Deref, DerefMut};

/// A list with room that was made beforehand. What `Vec::clone` leaves out, room that is not filled, a copy of an engine needs, or it
/// would allocate where it must not, or find no room where there was some.
#[derive(Debug)]
pub struct Reserve<T>(Vec<T>);

impl<T> Reserve<T> {
    /// Empty, with room for so many. `[control]`
    pub fn of(room: usize) -> Self {
        Self(Vec::with_capacity(room))
    }
}

impl<T> Default for Reserve<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Clone> Clone for Reserve<T> {
    fn clone(&self) -> Self {
        let mut copy = Vec::with_capacity(self.0.capacity());
        copy.extend_from_slice(&self.0);
        Self(copy)
    }
}

impl<T> Deref for Reserve<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T> DerefMut for Reserve<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}
