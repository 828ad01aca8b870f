// SPDX-License-Identifier: MIT OR Apache-2.0
//! What comes back to the desk from the audio half: values, levels, takes, the end.

use super::*;

impl Desk {
    /// Gestures so far, by what became of them.
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Gestures of a take that were sent and of which nothing has been heard yet.
    pub fn under_way(&self) -> usize {
        self.under_way.len()
    }

    /// Samples played, as last heard of.
    pub fn tick(&self) -> u64 {
        self.tick
    }

    /// Frames of a block, as the device last asked for.
    pub fn block(&self) -> u64 {
        self.block
    }

    /// Records a take from the start on: before the first gesture and the first block. `program` says who writes it.
    pub fn record(&mut self, out: Box<dyn Write + Send>, program: &str) -> Result<()> {
        if self.serial > 0 || self.tick > 0 {
            return bad("a take begins at the beginning; ask for it before playing");
        }
        if !self.meters {
            return bad("a take needs the hash of what was heard, and this setup leaves it out with the meters");
        }
        self.take = Some(take::Writer::new(out, &self.header, program)?);
        self.pushes.recorded.store(true, Ordering::Release);
        Ok(())
    }

    /// Streams signals back, at most [`PROBES`], about every so many seconds (at most once a block); none: no more.
    pub fn watch(&mut self, signals: &[&str], every_s: f64) -> Result<()> {
        if signals.len() > PROBES {
            return self.refuse(format!("{} signals at once; at most {PROBES}", signals.len()));
        }
        let mut probes = [None; PROBES];
        for (place, signal) in probes.iter_mut().zip(signals) {
            match self.directory.probe(signal) {
                Ok(probe) => *place = Some(probe),
                Err(error) => return self.refuse(error.what),
            }
        }
        let ticks = (every_s * self.header.rate_hz).clamp(1.0, 1e9) as u32;
        let every = if signals.is_empty() { 0 } else { ticks };
        self.push(0, Job::Watch(Box::new(WatchList { probes, every })))?;
        self.watched = (signals.iter().map(|signal| (*signal).to_owned()).collect(), every_s);
        self.arrived = None;
        Ok(())
    }

    /// Watched signals with their values, and the tick they hold at; once per arrival.
    pub fn watched_values(&mut self) -> Option<(u64, Vec<(&str, f64)>)> {
        let (at, values) = self.arrived.take()?;
        Some((at, self.watched.0.iter().map(String::as_str).zip(values).collect()))
    }

    /// Shows the energy of groups of bodies from now on, for this scene; none: no more.
    pub fn watch_energies(&mut self, groups: &[Vec<String>]) -> Result<()> {
        let mut bodies = Vec::new();
        for (group, name) in groups.iter().enumerate().flat_map(|(group, names)| names.iter().map(move |n| (group, n)))
        {
            match self.directory.body(name) {
                Ok(body) => bodies.push((body, group)),
                Err(error) => return self.refuse(error.what),
            }
        }
        self.energies = groups.iter().map(|_| AtomicU64::new(0)).collect();
        let all = EnergyGroups {
            energies: vec![0.0; bodies.iter().map(|(body, _)| body + 1).max().unwrap_or(0)],
            sums: vec![0.0; groups.len()],
            bodies,
            shown: self.energies.clone(),
            every: (ENERGIES_S * self.header.rate_hz) as u32,
        };
        self.push(0, Job::WatchEnergies(Box::new(all))).map(|_| ())
    }

    /// Energy of each group of [`Desk::watch_energies`], J, as last found.
    pub fn energies(&self) -> impl Iterator<Item = f64> + '_ {
        self.energies.iter().map(|cell| f64::from_bits(cell.load(Ordering::Relaxed)))
    }

    /// From now on [`Desk::paths`], [`Desk::controls`] and [`Desk::value`] tell where everything stands, though the scene's own drives
    /// and events moved it.
    pub fn watch_settings(&mut self) -> Result<()> {
        let values = (0..self.directory.parameters()).map(|_| AtomicU64::new(f64::NAN.to_bits())).collect();
        let shown = Arc::new(Shown { values, serial: AtomicU64::new(0) });
        self.settings = Some(shown.clone());
        let every = (SETTINGS_S * self.header.rate_hz) as u32;
        self.push(0, Job::WatchSettings(Box::new(Settings { shown, every }))).map(|_| ())
    }

    /// True while a take is being recorded.
    pub fn is_recording(&self) -> bool {
        self.take.is_some()
    }

    /// Ends the sound at the next block boundary.
    pub fn stop(&mut self) -> Result<()> {
        self.stop_at(0)
    }

    /// Ends the sound before this tick.
    pub fn stop_at(&mut self, tick: u64) -> Result<()> {
        self.push(tick, Job::Stop).map(|_| ())
    }

    /// Ticks played and the hash of their samples, once the audio half has stopped.
    pub fn stopped(&self) -> Option<(u64, u64)> {
        self.stopped.map(|ending| (ending.at, ending.hash))
    }

    /// Ends the take at the next block boundary; the sound goes on. [`Desk::finish`] has it once the audio half has passed
    /// that boundary.
    pub fn end_take(&mut self) -> Result<()> {
        self.push(0, Job::EndTake).map(|_| ())
    }

    /// Completes the take, if there is one, and gives back what it was written to; after [`Desk::stopped`], or
    /// [`Desk::end_take`]. A take that lacks sound which came in says so in its last line, and in a remark.
    pub fn finish(&mut self) -> Result<Option<Box<dyn Write + Send>>> {
        self.poll()?;
        if let Some(ending) = self.stopped {
            self.complete_take(ending);
        }
        match self.take {
            Some(_) => Err(Error::Busy("the sound did not stop; the take is not complete".into())),
            None => Ok(self.ended_take.take()),
        }
    }

    pub(super) fn complete_take(&mut self, Ending { at, hash, lost_input }: Ending) {
        self.write_input(0, at * self.inputs as u64);
        self.under_way.clear();
        self.pushes.recorded.store(false, Ordering::Release);
        if let Some(take) = self.take.take() {
            match take.finish(at, hash, lost_input) {
                Ok(out) => self.ended_take = Some(out),
                Err(error) => self.give_up_take(&error),
            }
            if lost_input > 0 {
                self.say(take::spoiled(lost_input));
            }
        }
    }

    /// Writes to the take, if there is one. One that cannot be written ends alone: the sound goes on.
    pub(super) fn note(&mut self, write: impl FnOnce(&mut take::Writer) -> Result<()>) {
        if let Some(Err(error)) = self.take.as_mut().map(write) {
            self.give_up_take(&error);
        }
    }

    pub(super) fn give_up_take(&mut self, error: &Error) {
        self.take = None;
        self.under_way.clear();
        self.pushes.recorded.store(false, Ordering::Release);
        self.say(format!("{error}; the sound goes on"));
    }

    /// Moves sound that came in, no further than this sample, into the take, if more than so many samples wait; without a
    /// take it is dropped.
    pub(super) fn write_input(&mut self, more_than: usize, until: u64) {
        while let Some(tape) = &mut self.input_tape
            && tape.slots() > more_than
            && self.input_fetched < until
        {
            let count = until.saturating_sub(self.input_fetched).min(tape.slots().min(INPUT_LINE) as u64);
            let Ok(chunk) = tape.read_chunk(count as usize) else { break };
            let (first, second) = chunk.as_slices();
            let samples = if self.take.is_some() { [first, second].concat() } else { Vec::new() };
            chunk.commit_all();
            self.input_fetched += count;
            self.note(|take| take.add_input(&samples));
        }
    }

    /// Fetches what has come back: frees retired scenes, writes the take, reads the meters. Call it often.
    pub fn poll(&mut self) -> Result<()> {
        if let Some(remark) = self.listener.as_mut().and_then(echo::Listener::turn) {
            self.say(remark);
        }
        while let Ok(reading) = self.readings.pop() {
            (self.tick, self.block) = (reading.tick, reading.tick - reading.began);
            if self.has_clock {
                let zero_ns = reading.began_ns as f64 - reading.began as f64 * 1e9 / self.header.rate_hz;
                let before = self.zero_ns.unwrap_or(zero_ns);
                self.zero_ns = Some(before + CLOCK_SHARE * (zero_ns - before));
            }
            self.status = self.status.and(&reading);
            self.levels = self.levels.and(&reading);
        }
        while let Ok(report) = self.reports.pop() {
            match report {
                Report::Done { serial, at } => {
                    self.counts.done += 1;
                    if let Some(gesture) = self.under_way.remove(&serial) {
                        self.note(|take| take.add(at, &gesture));
                    }
                }
                Report::Pushed { at, command } => {
                    if let Some((address, value)) = setting(&self.directory, &command) {
                        self.remember(address, value);
                    }
                    if let Some(gesture) = named(&self.directory, &command).filter(|_| self.take.is_some()) {
                        self.note(|take| take.add(at, &gesture));
                    }
                }
                Report::Dropped { serial } => {
                    self.counts.dropped += 1;
                    self.under_way.remove(&serial);
                }
                Report::Shed { at, grade } => {
                    self.note(|take| take.add(at, &grade.gesture()));
                    let (most, below) = (grade.max_substeps(), grade.drop_below_db());
                    let modes =
                        if below > -300.0 { format!(", modes {below} dB below all silenced") } else { String::new() };
                    self.say(format!("load: at most {most} sub-steps{modes}"));
                }
                Report::Freed(_) => {}
                Report::Probes { at, values } => self.arrived = Some((at, values.to_vec())),
                Report::Mark(Ending { at, hash, lost_input }) => {
                    self.write_input(0, at * self.inputs as u64);
                    self.note(|take| take.mark(at, hash, lost_input));
                }
                Report::TakeEnded(ending) => self.complete_take(ending),
                Report::Stopped(ending) => self.stopped = Some(ending),
            }
        }
        self.write_input(INPUT_LINE, u64::MAX);
        self.hear_pushes();
        Ok(())
    }

    /// What was pushed on the audio side since this was last asked; later than all that is reported.
    pub(super) fn hear_pushes(&mut self) {
        let pushes = self.pushes.clone();
        for (slot, value) in pushes.take() {
            self.remember(Address::Slot(slot), value);
        }
    }

    /// What the audio half does at this moment, also while it is at it; only where there is a clock.
    pub fn beat(&self) -> Beat {
        let ended = self.pulse.ended_ns.load(Ordering::Acquire);
        match self.pulse.began_ns.load(Ordering::Acquire) {
            0 => Beat::Waiting,
            began if began > ended => Beat::Within(began),
            _ => Beat::Done(ended),
        }
    }

    /// Meters and load since the last call.
    pub fn status(&mut self) -> Status {
        let now = self.status;
        let health = now.health;
        self.status = Status { health, tick: now.tick, grade: now.grade, ..Status::default() };
        now
    }

    /// Meters since the last call: a second pair of eyes, for front ends that stream them.
    pub fn levels(&mut self) -> Status {
        std::mem::take(&mut self.levels)
    }

    /// A front end has refused something before it came here.
    pub fn count_refused(&mut self) {
        self.counts.refused += 1;
    }

    /// Moves the samples that wait for a file into `into`.
    pub fn read_tape(&mut self, into: &mut Vec<f32>) {
        let Some(tape) = &mut self.tape else { return };
        if let Ok(chunk) = tape.read_chunk(tape.slots()) {
            let (first, second) = chunk.as_slices();
            into.extend_from_slice(first);
            into.extend_from_slice(second);
            chunk.commit_all();
        }
    }

    /// A remark for whoever shows remarks.
    pub fn say(&mut self, text: String) {
        if self.news.len() == NEWS {
            self.news.pop_front();
        }
        self.news.push_back(text);
    }

    /// The next remark: load that was shed, a device that went away.
    pub fn news(&mut self) -> Option<String> {
        self.news.pop_front()
    }

    /// Tick of a time by the clock that was handed in, ns, as the device has kept it so far; `None` before the first
    /// block, and where there is no clock.
    pub fn tick_at(&self, clock_ns: f64) -> Option<u64> {
        Some(((clock_ns - self.zero_ns?) * 1e-9 * self.header.rate_hz).round().max(0.0) as u64)
    }

    pub(super) fn refuse<T>(&mut self, what: String) -> Result<T> {
        self.counts.refused += 1;
        bad(what)
    }

    pub(super) fn send(&mut self, when: When, job: Job, recorded: Option<Gesture>) -> Result<()> {
        let at = match when {
            When::Now => 0,
            When::Tick(tick) => tick,
            When::At(_) if !self.has_clock => {
                return self.refuse("nothing can be placed by time: there is no clock; name a tick".into());
            }
            When::At(ns) => self.tick_at(ns).unwrap_or(0),
        };
        self.counts.late += u64::from(when != When::Now && at < self.tick);
        let serial = self.push(at, job)?;
        self.counts.sent += 1;
        if let Some(gesture) = recorded {
            self.under_way.insert(serial, gesture);
        }
        Ok(())
    }

    pub(super) fn push(&mut self, at: u64, job: Job) -> Result<u64> {
        self.serial += 1;
        let serial = self.serial;
        if self.requests.push(Request { serial, at, job }).is_err() {
            self.counts.dropped += 1;
            return Err(full());
        }
        Ok(serial)
    }
}
