// SPDX-License-Identifier: MIT OR Apache-2.0
//! Bodies.

pub mod inertial;
pub mod modal;
