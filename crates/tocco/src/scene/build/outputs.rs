// SPDX-License-Identifier: MIT OR Apache-2.0
//! What is heard of a scene: outputs and taps.

use super::*;

impl Assembly<'_> {
    /// Outputs as the scene says; `main` is there unless only others are wanted.
    pub(super) fn outputs(&mut self) -> Result<(), SceneError> {
        let to_main = |tap: &&TapDef| tap.outputs.is_empty() || tap.outputs.iter().any(|name| name == MAIN);
        let widest = self.def.taps.iter().filter(to_main).map(|tap| tap.to.width()).max();
        if !self.def.outputs.iter().any(|output| output.name == MAIN)
            && (widest.is_some() || self.def.outputs.is_empty())
        {
            let channels = (0..widest.unwrap_or(1)).collect();
            self.directory.add_output(Output { name: MAIN.into(), channels, limiter: true, written: false });
        }
        for OutputDef { name, channels, limiter, .. } in &self.def.outputs {
            let (name, channels) = (name.clone(), channels.clone());
            self.directory.add_output(Output { name, channels, limiter: *limiter, written: true });
        }
        let outputs = self.directory.outputs();
        for (index, output) in outputs.iter().enumerate() {
            for (place, channel) in output.channels.iter().enumerate() {
                let taken = |other: &Output| other.channels.contains(channel);
                let twice = output.channels[..place].contains(channel);
                if let Some(other) = outputs[..index].iter().find(|other| taken(other)).or(twice.then_some(output)) {
                    let what = format!(
                        "channel {channel} belongs to output '{}' already; an output has its channels to itself",
                        other.name
                    );
                    return Err(SceneError::new(format!("output.{}.channels", output.name), what));
                }
            }
        }
        let channels = outputs.iter().flat_map(|output| &output.channels).map(|channel| channel + 1).max();
        self.runtime.channels = channels.unwrap_or(1);
        let rate_hz = self.runtime.rate_hz;
        let space = |output: &Output| {
            let written = self.def.outputs.iter().find(|written| written.name == output.name)?;
            written.space(self.def.seed).map(|make| Space::new(&make, &output.channels, rate_hz))
        };
        self.runtime.spaces = outputs.iter().map(space).collect();
        if self.runtime.spaces.iter().any(Option::is_some) {
            self.runtime.bus = vec![0.0; CONTROL_TICKS * self.runtime.channels];
        }
        Ok(())
    }

    pub(super) fn taps(&mut self) -> Result<(), SceneError> {
        for (index, tap) in self.def.taps.iter().enumerate() {
            let from = self.tap_from(index, tap)?;
            let last = match from {
                TapFrom::Body { body, index, .. } if tap.quantity == Quantity::Radiated => {
                    self.runtime.readings[body][index].of(self.runtime.world.bodies[body].as_ref())
                }
                TapFrom::Body { body, differentiate: true, .. } => {
                    let port = self.directory.site(&tap.of).map_or(0, |site| site.port);
                    self.runtime.world.bodies[body].velocity(port)
                }
                _ => 0.0,
            };
            let carried = self.carried(index, tap, from)?;
            let main = [MAIN.to_owned()];
            let outputs = if tap.outputs.is_empty() { &main[..] } else { &tap.outputs };
            for name in outputs {
                let place = format!("tap[{index}].to");
                let all = self.directory.outputs();
                let Some(output) = all.iter().find(|output| output.name == *name) else {
                    let near = nearest(name, all.iter().map(|output| output.name.as_str()));
                    return Err(SceneError::new(place, format!("no output '{name}'{near}")));
                };
                let mono = matches!(tap.to, TapTo::Pan(_)) && output.channels.len() == 1;
                if tap.to.width() > output.channels.len() && !mono {
                    let what = format!(
                        "output '{name}' has {} channels, and this tap needs {}",
                        output.channels.len(),
                        tap.to.width()
                    );
                    return Err(SceneError::new(place, what));
                }
                let written = self.def.outputs.iter().find(|output| output.name == *name);
                let gain = fault!(TAP_GAIN, tap.gain * written.map_or(1.0, |output| output.gain), times 0.9);
                let mut pair = None;
                let to = match tap.to {
                    TapTo::Channel(channel) => [(output.channels[channel], gain), (output.channels[channel], 0.0)],
                    TapTo::From(azimuth_deg) => {
                        let Some((make, air)) = written.and_then(|output| output.pair.zip(Some(output.air))) else {
                            let what = format!(
                                "output '{name}' has nothing that hears from where; give it pair = {{ of = \"head\" }}"
                            );
                            return Err(SceneError::new(format!("tap[{index}].azimuth_deg"), what));
                        };
                        let rate_hz = self.runtime.rate_hz;
                        pair = Some(Box::new(Pair::new(make, azimuth_deg, air.sound_speed_m_s(), rate_hz)));
                        [(output.channels[0], gain), (output.channels[1], gain)]
                    }
                    TapTo::Pan(pan) => {
                        let angle = 0.5 * PI * pan;
                        // One channel has the mean of both.
                        let (gain, second) = if mono { (0.5 * gain, 0) } else { (gain, 1) };
                        [
                            (output.channels[0], gain * cos(angle)),
                            (output.channels[second], fault!(TAP_PAN, gain, times 0.8) * sin(angle)),
                        ]
                    }
                };
                let lane = [0.0; CONTROL_TICKS];
                let carried = carried.clone();
                self.runtime.taps.push(Tap {
                    from,
                    carried,
                    pair,
                    to,
                    gains_before: [0.0; 2],
                    fade_left: 0,
                    last,
                    lane,
                });
            }
        }
        Ok(())
    }

    pub(super) fn tap_from(&mut self, index: usize, tap: &TapDef) -> Result<TapFrom, SceneError> {
        if let Ok(process) = self.directory.process(&tap.of) {
            let ProcessDef { form, on, .. } = &self.def.processes[process];
            match tap.quantity {
                Quantity::Force if form.pushes(!on.is_empty()) => {
                    let acting = &mut self.runtime.grid.processes[process];
                    if acting.forces.is_empty() {
                        acting.forces.push([0.0; CONTROL_TICKS]);
                        acting.feel();
                    }
                    return Ok(TapFrom::Push(process));
                }
                Quantity::Sound => {}
                other => {
                    let what = match other {
                        Quantity::Force => format!(
                            "'{}' has no force of its own: it hits nothing; its quantity is sound, or give it `on`",
                            tap.of
                        ),
                        _ => format!("'{}' is a process: its quantity is sound, or force where it hits bodies", tap.of),
                    };
                    return Err(SceneError::new(format!("tap[{index}].quantity"), what));
                }
            }
            if !form.sounds(!on.is_empty()) {
                let what = format!("'{}' hits bodies and has no sound of its own; listen to what it hits", tap.of);
                return Err(SceneError::new(format!("tap[{index}].of"), what));
            }
            return Ok(TapFrom::Process(process));
        }
        if tap.quantity == Quantity::Radiated {
            return self.ear(index, tap);
        }
        let contact = self.directory.contact_entries().iter().position(|contact| contact.name == tap.of);
        let Runtime { world, readings, .. } = &mut self.runtime;
        let wrong_quantity = |what: String| Err(SceneError::new(format!("tap[{index}].quantity"), what));
        let motion = match (contact, tap.quantity) {
            (Some(contact), Quantity::Force | Quantity::Compression) => {
                world.contacts[contact].watched |= tap.quantity == Quantity::Compression;
                return Ok(TapFrom::Contact { contact, quantity: tap.quantity });
            }
            (Some(_), _) => {
                return wrong_quantity(format!("'{}' is a contact: its quantities are force and compression", tap.of));
            }
            (None, Quantity::Position) => Motion::Position,
            (None, Quantity::Velocity | Quantity::Acceleration) => Motion::Velocity,
            (None, Quantity::Force | Quantity::Compression) => {
                at(format!("tap[{index}].of"), self.directory.site(&tap.of))?;
                return wrong_quantity("is a quantity of contacts; name a contact in `of`".into());
            }
            (None, Quantity::Sound | Quantity::Radiated) => {
                at(format!("tap[{index}].of"), self.directory.site(&tap.of))?;
                return wrong_quantity("is a quantity of processes; name a process in `of`".into());
            }
        };
        let mut site = at(format!("tap[{index}].of"), self.directory.site(&tap.of))?;
        site.port += heard_after(self.def, site.body);
        let reading = reading_of(&mut readings[site.body], site.port, motion, tap.whole);
        if motion == Motion::Velocity {
            world.bodies[site.body].listen(site.port);
        }
        let differentiate = tap.quantity == Quantity::Acceleration;
        Ok(TapFrom::Body { body: site.body, index: reading, differentiate })
    }

    /// The way of a tap whose place travels.
    fn carried(&mut self, index: usize, tap: &TapDef, from: TapFrom) -> Result<Option<Box<Carried>>, SceneError> {
        let Some((travel, Way::Along(ports))) = tap.travel.as_ref().map(|travel| (travel, &travel.way)) else {
            return Ok(None);
        };
        let wrong = |id: &str, what: String| Err(SceneError::new(format!("tap[{index}].travel.{id}"), what));
        let (TapFrom::Body { body, .. }, Some(by)) = (from, &travel.by) else {
            return wrong("by", "who carries the place is not said".into());
        };
        let by = at(format!("tap[{index}].travel.by"), self.directory.body(by))?;
        if !matches!(self.def.bodies[by].form.mobility(), Mobility::Guided | Mobility::Free) {
            return wrong("by", "does not travel; name a guided body or a mass".into());
        }
        let known = self.def.bodies[body].form.ports();
        let motion = if tap.quantity == Quantity::Position { Motion::Position } else { Motion::Velocity };
        let mut knots = Vec::new();
        for port in ports {
            let Some(port) = known.iter().position(|known| known == port) else {
                return wrong("along", format!("no port '{port}'{}", nearest(port, known.iter().copied())));
            };
            let port = port + heard_after(self.def, body);
            knots.push(reading_of(&mut self.runtime.readings[body], port, motion, tap.whole));
        }
        let track = travel.track(knots.len(), knots.first() == knots.last());
        let way = reading_of(&mut self.runtime.readings[by], 0, Motion::Position, true);
        Ok(Some(Box::new(Carried { track, knots, by: (by, way) })))
    }

    /// What a body radiates is heard at a place of its own, behind those that scenes can name.
    fn ear(&mut self, index: usize, tap: &TapDef) -> Result<TapFrom, SceneError> {
        let name = body_of(&tap.of);
        let body = at(format!("tap[{index}].of"), self.directory.body(name))?;
        let form = &self.def.bodies[body].form;
        if !form.radiates() {
            let what = format!("a body of type {} has no surface that is known; listen to its motion", form.kind().id);
            return Err(SceneError::new(format!("tap[{index}].quantity"), what));
        }
        let ears = self.def.taps[..index].iter().filter(|other| other.hears_radiation_of(name));
        let mut reading = Reading::new(form.ports().len() + ears.count(), Motion::Velocity);
        reading.whole = false;
        self.runtime.world.bodies[body].listen(reading.port);
        let readings = &mut self.runtime.readings[body];
        readings.push(reading);
        Ok(TapFrom::Body { body, index: readings.len() - 1, differentiate: form.radiates_acceleration() })
    }
}

/// Of a body with a tail: how far behind the places of a body that are touched those lie where it is heard.
fn heard_after(def: &SceneDef, body: usize) -> usize {
    let body = &def.bodies[body];
    let ears = def.taps.iter().filter(|tap| tap.hears_radiation_of(&body.name)).count();
    if body.form.has_tail() { body.form.ports().len() + ears } else { 0 }
}

/// The reading of a port, which is there afterwards.
fn reading_of(readings: &mut Vec<Reading>, port: usize, motion: Motion, whole: bool) -> usize {
    let known = readings.iter().position(|r| r.port == port && r.motion == motion && r.whole == whole);
    known.unwrap_or_else(|| {
        let mut reading = Reading::new(port, motion);
        reading.whole = whole;
        readings.push(reading);
        readings.len() - 1
    })
}
