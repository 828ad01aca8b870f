// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenes: bodies and contacts wired at run time.

pub mod def;
pub mod error;
pub mod kinds;
#[cfg(feature = "text")]
pub mod text;
#[cfg(feature = "text")]
mod tree;
mod write;

pub use def::SceneDef;
pub use error::SceneError;
