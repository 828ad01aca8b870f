// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tests of the engine as one program: built and linked once, and no core waits for the last test of a file.
//! `cargo test -p tocco --test NAME` builds and runs one file alone. By themselves stand those that count allocations, and scenes as text.

#![allow(clippy::duplicate_mod, reason = "files share helpers, each as its own module, so that it is whole alone")]

#[path = "bending.rs"]
mod bending;
#[path = "bowing.rs"]
mod bowing;
#[path = "clicks.rs"]
mod clicks;
#[path = "convergence.rs"]
mod convergence;
#[path = "demonstrations.rs"]
mod demonstrations;
#[path = "floors.rs"]
mod floors;
#[path = "fluid.rs"]
mod fluid;
#[path = "friction.rs"]
mod friction;
#[path = "friction_together.rs"]
mod friction_together;
#[path = "glides.rs"]
mod glides;
#[path = "guided.rs"]
mod guided;
#[path = "hammer_on_modes.rs"]
mod hammer_on_modes;
#[path = "hammers.rs"]
mod hammers;
#[path = "handover.rs"]
mod handover;
#[path = "ice.rs"]
mod ice;
#[path = "inputs_outputs.rs"]
mod inputs_outputs;
#[path = "invariance.rs"]
mod invariance;
#[path = "irregular.rs"]
mod irregular;
#[path = "jumps.rs"]
mod jumps;
#[path = "landings.rs"]
mod landings;
#[path = "layers.rs"]
mod layers;
#[path = "looking.rs"]
mod looking;
#[path = "materials.rs"]
mod materials;
#[path = "meshes.rs"]
mod meshes;
#[path = "morphing.rs"]
mod morphing;
#[path = "networks.rs"]
mod networks;
#[path = "papers.rs"]
mod papers;
#[path = "parts.rs"]
mod parts;
#[path = "passivity.rs"]
mod passivity;
#[path = "process_energy.rs"]
mod process_energy;
#[path = "processes.rs"]
mod processes;
#[path = "radiation.rs"]
mod radiation;
#[path = "rebound.rs"]
mod rebound;
#[path = "rest.rs"]
mod rest;
#[path = "rigid.rs"]
mod rigid;
#[path = "roles.rs"]
mod roles;
#[path = "room.rs"]
mod room;
#[path = "scene_build.rs"]
mod scene_build;
#[path = "scene_code.rs"]
mod scene_code;
#[path = "shape_places.rs"]
mod shape_places;
#[path = "shapes.rs"]
mod shapes;
#[path = "signals.rs"]
mod signals;
#[path = "space.rs"]
mod space;
#[path = "stiff_strings.rs"]
mod stiff_strings;
#[path = "strings.rs"]
mod strings;
#[path = "subsample.rs"]
mod subsample;
#[path = "tail.rs"]
mod tail;
#[path = "thick.rs"]
mod thick;
#[path = "touch.rs"]
mod touch;
#[path = "touches.rs"]
mod touches;
#[path = "travel.rs"]
mod travel;
#[path = "vessel.rs"]
mod vessel;
#[path = "walking.rs"]
mod walking;
#[path = "water.rs"]
mod water;
