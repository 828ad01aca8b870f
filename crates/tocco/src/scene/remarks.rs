// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is no mistake and still worth a word: numbers that a model takes otherwise than they read.

use super::def::*;
use crate::gesture::Gesture;
use crate::math::Real;
use crate::output::room::{FIRST_HZ, Room};
use crate::units::short;

/// A room whose decay is off by more than this part is worth a word.
const ROOM_OFF: Real = 0.05;

impl SceneDef {
    /// What is no mistake and still worth a word, a line each. Parts are not looked into: ask [`whole`](Self::whole). `[control]`
    pub fn remarks(&self) -> Vec<String> {
        let mut said = Vec::new();
        for process in &self.processes {
            if let ProcessForm::Drip(drip) = &process.form
                && drip.params.depth_m <= drip.params.diameter_m
            {
                said.push(format!(
                    "process {}: water of {} mm is no deeper than its drops of {} mm: they land and close no bubble",
                    process.name,
                    short(1e3 * drip.params.depth_m),
                    short(1e3 * drip.params.diameter_m)
                ));
            }
        }
        for process in &self.processes {
            let rate_hz = match &process.form {
                ProcessForm::Bubbles(own) => own.params.rate_hz,
                ProcessForm::Patter(own) => own.params.rate_hz,
                ProcessForm::Rain(own) => own.params.rate_hz,
                ProcessForm::Drip(own) => own.params.rate_hz,
                _ => continue,
            };
            if rate_hz == 0.0 && !self.is_raised(&process.name) {
                said.push(format!(
                    "process {}: rate_hz is 0 and nothing in the scene raises it: it sounds only as triggered",
                    process.name
                ));
            }
        }
        for body in &self.bodies {
            let BodyForm::Vessel(vessel) = &body.form else { continue };
            let Some(holds) = vessel.geometry().map(|geometry| geometry.capacity_m3()) else { continue };
            let most = self.most_given(&format!("{}/water_m3", body.name)).max(vessel.params.water_m3);
            if most > holds * (1.0 + 1e-6) {
                said.push(format!(
                    "body {}: {} l are more than the {} l that it holds: it is full then; the rest runs over where a signal has spill = \"{}\" and a process hears it",
                    body.name,
                    short(1e3 * most),
                    short(1e3 * holds),
                    body.name
                ));
            }
        }
        for output in &self.outputs {
            let Some(room) = &output.room else { continue };
            let heard = Room::new(&room.make(output.air), 1, self.rate_hz).heard_over_told();
            let (band, off) = heard
                .iter()
                .map(|one| one - 1.0)
                .enumerate()
                .fold((0, 0.0), |worst: (_, Real), one| if one.1.abs() > worst.1.abs() { one } else { worst });
            if off.abs() > ROOM_OFF {
                said.push(format!(
                    "output {}: its room rings {} % too {} around {} Hz: neighbouring octaves differ by more than its walls can",
                    output.name,
                    (100.0 * off.abs()).round(),
                    if off > 0.0 { "long" } else { "short" },
                    FIRST_HZ * Real::from(1 << band),
                ));
            }
        }
        said
    }

    /// True if something in the scene may raise the rate of a process, or triggers it.
    fn is_raised(&self, process: &str) -> bool {
        let path = format!("{process}/rate_hz");
        let by_event = |event: &EventDef| match &event.gesture {
            Gesture::Set { path: to, .. } => *to == path,
            Gesture::Trigger { process: to, .. } => to == process,
            _ => false,
        };
        self.drives.iter().any(|drive| drive.path == path)
            || self.controls.iter().any(|control| control.path == path || control.also.contains(&path))
            || self.events.iter().any(by_event)
    }

    /// The most that drives and events say of a path, as far as the scene tells.
    fn most_given(&self, path: &str) -> Real {
        let driven = self.drives.iter().filter(|drive| drive.path == path).map(|drive| match &drive.source {
            Source::Points(points) => points.iter().map(|point| point[1]).fold(0.0, Real::max),
            Source::Signal(name) => {
                let own = self.signals.iter().find(|signal| signal.name == *name);
                own.filter(|signal| signal.vessel.is_none()).and_then(|signal| signal.operators.fill).unwrap_or(0.0)
            }
            _ => 0.0,
        });
        let set = self.events.iter().filter_map(|event| match &event.gesture {
            Gesture::Set { path: to, value } if to == path => Some(*value),
            _ => None,
        });
        driven.chain(set).fold(0.0, Real::max)
    }
}
