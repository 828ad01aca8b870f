// SPDX-License-Identifier: MIT OR Apache-2.0
//! Walking: one force under each part of each foot, and where every step is.
//!
//! **What.** [`curve`] has the forces, [`sole`] what is worn, [`walker`] who walks: on the grid of signals, in body weights, from speed, path and
//! habit. What the ground makes of it is for processes and contacts.
//!
//! **Law.** See [`curve`] and [`walker`].
//!
//! **Sources.** De Sena et al. 2009 chapters 3, 5 and 7.

pub mod curve;
pub mod sole;
pub mod walker;
