// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests of the lab as one program: built and linked once, and no core waits for the last test of a file.
//! `cargo test -p tocco-lab --test NAME` builds and runs one file alone. By themselves stand the one that counts allocations, and meshes.

#![allow(clippy::duplicate_mod, reason = "files share helpers, each as its own module, so that it is whole alone")]

#[path = "analyse.rs"]
mod analyse;
#[path = "analyse_noise.rs"]
mod analyse_noise;
#[path = "analyse_real.rs"]
mod analyse_real;
#[path = "analyse_struck.rs"]
mod analyse_struck;
#[path = "compare.rs"]
mod compare;
#[path = "extremes.rs"]
mod extremes;
#[path = "figure_bending.rs"]
mod figure_bending;
#[path = "figure_fluid.rs"]
mod figure_fluid;
#[path = "figure_mesh.rs"]
mod figure_mesh;
#[path = "figure_morph.rs"]
mod figure_morph;
#[path = "figure_network.rs"]
mod figure_network;
#[path = "figure_radiation.rs"]
mod figure_radiation;
#[path = "figure_room.rs"]
mod figure_room;
#[path = "figure_shape.rs"]
mod figure_shape;
#[path = "figure_tail.rs"]
mod figure_tail;
#[path = "figures.rs"]
mod figures;
#[path = "figures_bodies.rs"]
mod figures_bodies;
#[path = "figures_processes.rs"]
mod figures_processes;
#[path = "figures_water.rs"]
mod figures_water;
#[path = "floors_real.rs"]
mod floors_real;
#[path = "golden.rs"]
mod golden;
#[path = "haptic.rs"]
mod haptic;
#[path = "map.rs"]
mod map;
#[path = "mutations.rs"]
mod mutations;
#[path = "old_scenes.rs"]
mod old_scenes;
#[path = "reproduce.rs"]
mod reproduce;
#[path = "rubbed.rs"]
mod rubbed;
#[path = "steps.rs"]
mod steps;
#[path = "steps_real.rs"]
mod steps_real;
#[path = "struck.rs"]
mod struck;
