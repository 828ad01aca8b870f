// SPDX-License-Identifier: MIT OR Apache-2.0
//! Scenes: bodies and contacts wired at run time.

pub mod def;
pub mod error;

pub use def::SceneDef;
pub use error::SceneError;
