// SPDX-License-Identifier: MIT OR Apache-2.0
//! Watched signals, noted by the sample while whole stretches are rendered.
//!
//! What belongs to a contact is noted as its island is stepped. What belongs to a body is one more reading of it, beside
//! those of the taps: filled by the sample where an island steps the body, by the block where it rings free. A contact that
//! sleeps has the compression that its two places say.

use super::directory::Probe;
use super::runtime::Runtime;
use super::tap::TapFrom;
use crate::contact::world::{World, stored};
use crate::contact::{Contact, Site};
use crate::math::Real;
use crate::resonator::{CONTROL_TICKS, Motion, Reading};

impl World {
    /// A signal as it stands now.
    pub(crate) fn signal(&self, probe: Probe) -> Real {
        match probe {
            Probe::Position(site) => self.bodies[site.body].position(site.port),
            Probe::Velocity(site) => self.bodies[site.body].velocity(site.port),
            Probe::Force(contact) => self.contacts[contact].force,
            Probe::Compression(contact) => self.compression(contact),
            Probe::Iterations(contact) => Real::from(self.contacts[contact].iterations),
            Probe::Substeps(contact) => Real::from(self.contacts[contact].substeps()),
            Probe::BodyEnergy(body) => self.bodies[body].energy(),
            Probe::Energy => self.energy(),
            Probe::Work => self.work(),
            Probe::PartEnergy { bodies: [from, to], contacts: [first, end] } => {
                let bodies: Real = self.bodies[from..to].iter().map(|body| body.energy()).sum();
                bodies + self.contacts[first..end].iter().map(stored).sum::<Real>()
            }
            // Not of the world: see Runtime::read.
            Probe::Signal(_) | Probe::Events(_) | Probe::Given(_) | Probe::Had(_) => 0.0,
        }
    }
}

/// One watched signal.
#[derive(Clone)]
pub(crate) struct Watch {
    probe: Probe,
    /// The places that it may have to be read from: body, and which of its readings.
    places: [Option<(usize, usize)>; 2],
    /// Values of the present stretch, of what is not read from places.
    lane: [Real; CONTROL_TICKS],
}

impl Watch {
    /// The contact to which it belongs.
    fn contact(&self) -> Option<usize> {
        match self.probe {
            Probe::Force(contact) | Probe::Compression(contact) => Some(contact),
            Probe::Iterations(contact) | Probe::Substeps(contact) => Some(contact),
            _ => None,
        }
    }

    /// True if it is read, by the sample, from a body of an island that a sleeping contact touches.
    pub fn reads_sleepers(&self, world: &World, island: usize) -> bool {
        let asleep = self.contact().is_some_and(|contact| !world.contacts[contact].awake);
        asleep && self.read_places(world).into_iter().flatten().any(|(body, _)| world.steps_body(island, body))
    }

    /// Notes sample `i` of a contact that is awake, if it is the one that it belongs to.
    pub fn note(&mut self, index: usize, contact: &Contact, i: usize) {
        if self.contact() == Some(index) {
            self.lane[i] = match self.probe {
                Probe::Force(_) => contact.force,
                Probe::Compression(_) => contact.compression,
                Probe::Iterations(_) => Real::from(contact.iterations),
                _ => Real::from(contact.substeps()),
            };
        }
    }

    /// The places that it is read from at present: those of a body, or of a contact that sleeps.
    fn read_places(&self, world: &World) -> [Option<(usize, usize)>; 2] {
        match self.probe {
            Probe::Compression(contact) if world.contacts[contact].awake => [None; 2],
            _ => self.places,
        }
    }
}

impl Runtime {
    /// Watches these signals, and no others. `[control]`
    pub fn watch(&mut self, probes: impl Iterator<Item = Probe>) {
        for (body, readings) in self.readings.iter_mut().enumerate() {
            let tapped = self.taps.iter().map(|tap| match tap.from {
                TapFrom::Body { body: of, index, .. } if of == body => index + 1,
                _ => 0,
            });
            readings.truncate(tapped.max().unwrap_or(0));
        }
        self.watches.clear();
        self.read_anew();
        for probe in probes {
            let places = match probe {
                Probe::Position(site) => [Some(self.reading(site, Motion::Position, false)), None],
                Probe::Velocity(site) => [Some(self.reading(site, Motion::Velocity, false)), None],
                Probe::Compression(contact) => {
                    let (a, b) = (self.world.contacts[contact].a, self.world.contacts[contact].b);
                    [a, b].map(|site| Some(self.reading(site, Motion::Position, true)))
                }
                _ => [None; 2],
            };
            self.watches.push(Watch { probe, places, lane: [0.0; CONTROL_TICKS] });
        }
    }

    /// The reading that tells how a place moves, made if there is none yet.
    fn reading(&mut self, Site { body, port }: Site, motion: Motion, of_sleepers: bool) -> (usize, usize) {
        let (readings, all) = (&mut self.readings[body], !self.world.bodies[body].moves_as_a_whole());
        let tells = |r: &Reading| r.port == port && r.motion == motion && (r.whole || all) && !r.of_sleepers;
        let index = readings.iter().position(tells).unwrap_or_else(|| {
            let mut reading = Reading::new(port, motion);
            reading.of_sleepers = of_sleepers;
            readings.push(reading);
            readings.len() - 1
        });
        (body, index)
    }

    /// True if something is watched that can be read only after every body has taken the same sample.
    pub fn watches_everything(&self) -> bool {
        self.watches.iter().any(|watch| {
            matches!(watch.probe, Probe::Energy | Probe::Work | Probe::BodyEnergy(_) | Probe::PartEnergy { .. })
        })
    }

    /// Before a stretch: contacts that no island steps in it keep what they have. `[audio]`
    pub fn begin_watching(&mut self) {
        let Self { watches, world, .. } = self;
        for watch in watches.iter_mut().filter(|watch| watch.contact().is_some()) {
            if watch.read_places(world) == [None; 2] {
                watch.lane.fill(world.signal(watch.probe));
            }
        }
    }

    /// Notes sample `i` of what an island has just stepped. `[audio]`
    pub fn note(&mut self, island: usize, i: usize) {
        let Self { watches, world, readings, .. } = self;
        for watch in watches {
            let Some(contact) = watch.contact() else { continue };
            if world.contacts[contact].awake {
                if world.steps_contact(island, contact) {
                    watch.lane[i] = world.signal(watch.probe);
                }
                continue;
            }
            for (body, index) in watch.read_places(world).into_iter().flatten() {
                let reading = &mut readings[body][index];
                if reading.of_sleepers && world.steps_body(island, body) {
                    reading.values[i] = world.bodies[body].position(reading.port);
                }
            }
        }
    }

    /// Writes the signals of a stretch, a row for each of its samples, as far as there is room. `[audio]`
    pub fn write_watched(&self, ticks: usize, rows: &mut [Real]) {
        let width = self.watches.len();
        for (column, watch) in self.watches.iter().enumerate() {
            let cells = rows.iter_mut().skip(column).step_by(width).take(ticks);
            let at = |(body, index): (usize, usize)| &self.readings[body][index].values;
            match watch.read_places(&self.world) {
                [Some(a), Some(b)] => {
                    let height = watch.contact().map_or(0.0, |contact| self.world.contacts[contact].height());
                    let distances = at(a).iter().zip(at(b)).map(|(a, b)| a - b + height); // [contact.2]
                    cells.zip(distances).for_each(|(cell, distance)| *cell = distance);
                }
                [Some(place), _] => cells.zip(at(place)).for_each(|(cell, value)| *cell = *value),
                _ if watch.contact().is_some() => cells.zip(&watch.lane).for_each(|(cell, value)| *cell = *value),
                _ => cells.for_each(|cell| *cell = self.read(watch.probe)),
            }
        }
    }
}
