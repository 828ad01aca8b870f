// SPDX-License-Identifier: MIT OR Apache-2.0
//! What copies of a running engine need: lists with the room that was made beforehand, and boxes whose contents can be copied.

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

/// Makes `Box<dyn Trait>` a thing that can be copied, state and all: what implements the trait derives `Clone`.
macro_rules! copied {
    ($role:ident, $copy:ident, $what:literal) => {
        #[doc = concat!($what, " that can be copied, state and all: what derives `Clone` is one. `[control]`")]
        pub trait $copy {
            /// The copy.
            fn duplicate(&self) -> Box<dyn $role>;
        }

        impl<T: $role + Clone + 'static> $copy for T {
            fn duplicate(&self) -> Box<dyn $role> {
                Box::new(self.clone())
            }
        }

        impl Clone for Box<dyn $role> {
            fn clone(&self) -> Self {
                (**self).duplicate()
            }
        }
    };
}
pub(crate) use copied;
