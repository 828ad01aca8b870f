// SPDX-License-Identifier: MIT OR Apache-2.0
//! Notes with numbers of their own, from the thread of the sound: no bytes, no strings, no allocation.
//!
//! What [`midi`](crate::midi) says by names, for hosts that have typed events: a note has an id, a velocity that is no
//! integer, and a tuning, pressure and brightness of its own; it may be choked, and its end is told. Everything takes effect
//! at its sample ([`Player::push`]). Which voice a note takes depends on the notes alone, never on how blocks are cut:
//! the one that has the key already, else one that was never used, else the one let go first, else the oldest.
//! Hosts that have MIDI messages hand them to [`Notes::midi`]; bends and the pedal that they bring hold for typed notes, too.

mod bytes;

use crate::Player;
use crate::midi::channels::Channels;
use crate::midi::map::{Damper, Key, Knob, Map, Play, Target, Voice, every_damper};
use crate::midi::voices::head;
use tocco::contact::Site;
use tocco::param::{Scale, scaled};
use tocco::scene::def::SceneDef;
use tocco::{Address, Command, Directory, Engine, Scene, Timed, math};

/// A choked note decays to 1/e in this time, s.
const CHOKE_S: f64 = 0.005;
/// A note has ended when the energy of its bodies is this part of the most it had (-90 dB) ...
const ENDED: f64 = 1e-9;
/// ... and it began so long ago, s.
const LEAST_S: f64 = 0.05;

/// Which note: what is `None` means any. What shapes a note without an id means the one whose key is down, not one of that key and
/// channel that still rings from before; where none is down, those that ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Which {
    /// The host's own number.
    pub id: Option<i32>,
    /// Channel.
    pub channel: Option<u8>,
    /// Key, 60 is middle C.
    pub key: Option<u8>,
}

/// A note that sounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Note {
    /// The host's own number.
    pub id: i32,
    /// Channel.
    pub channel: u8,
    /// Key, 60 is middle C.
    pub key: u8,
}

/// What happens to notes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoteEvent {
    /// It begins.
    On {
        /// Which.
        note: Note,
        /// 0 to 1; k/127 is what the MIDI velocity k is.
        velocity_01: f64,
        /// Semitones beside its key.
        tuning: f64,
    },
    /// Its key goes up: it is damped if the scene says in which time, else it rings on.
    Off(Which),
    /// It is silenced at once, within milliseconds, if what rings can be damped; all that is meant, also what rings from before.
    Choke(Which),
    /// Its pitch glides to so many semitones beside its key.
    Tune(Which, f64),
    /// Its pressure, 0 to 1.
    Press(Which, f64),
    /// Its brightness, 0 to 1.
    Brighten(Which, f64),
}

/// What a note sets in motion.
#[derive(Clone, Copy, PartialEq)]
enum Aim {
    Strike(usize),
    Hit(Site),
    /// Held while the key is down.
    Hold(Address),
}

/// A knob of one voice.
#[derive(Clone)]
struct Turn {
    address: Address,
    range: [f64; 2],
    scale: Scale,
}

/// What one note plays: a voice, or a key's own things.
#[derive(Clone, Default)]
struct Place {
    aims: Vec<Aim>,
    tuned: Vec<(Address, f64)>,
    dampers: Vec<(Address, Damper)>,
    /// What damps it, if asked to, though the scene does not damp what is let go.
    chokers: Vec<(Address, Damper)>,
    bodies: Vec<usize>,
    pressure: Vec<Turn>,
    brightness: Vec<Turn>,
}

/// What it plays at present.
#[derive(Clone, Copy, Default)]
struct Sounding {
    /// Stays when it has rung out: its key may still be down.
    note: Option<Note>,
    /// It has rung out, and this was told.
    ended: bool,
    held: bool,
    /// The pedal holds it though its key is up.
    sustained: bool,
    tuning: f64,
    began: u64,
    /// Order in which it was last played or let go.
    turn: u64,
    choked: bool,
    most_j: f64,
}

impl Sounding {
    /// A note whose end was not told yet.
    fn going_on(&self) -> Option<Note> {
        self.note.filter(|_| !self.ended)
    }

    /// Held by its key or by the pedal.
    fn is_down(&self) -> bool {
        self.held || self.sustained
    }
}

/// Notes that have ended and nobody has heard of, at most so many.
struct Ended {
    notes: Vec<Note>,
    most: usize,
}

impl Clone for Ended {
    /// With as much room.
    fn clone(&self) -> Self {
        let mut copy = Self::with_room(self.most);
        copy.notes.extend_from_slice(&self.notes);
        copy
    }
}

impl Ended {
    fn with_room(most: usize) -> Self {
        Self { notes: Vec::with_capacity(most), most }
    }

    /// False if there is no room for it.
    fn push(&mut self, note: Note) -> bool {
        let room = self.notes.len() < self.most;
        if room {
            self.notes.push(note);
        }
        room
    }
}

/// The notes of an instrument. All `[audio]` but [`Notes::new`], and a copy, which goes with a snapshot of what they play.
#[derive(Clone)]
pub struct Notes {
    low: u8,
    high: u8,
    strength: [f64; 2],
    reference: f64,
    release_s: Option<f64>,
    by_pitch: bool,
    rate_hz: f64,
    places: Vec<Place>,
    sounding: Vec<Sounding>,
    energies: Vec<f64>,
    ended: Ended,
    turns: u64,
    channels: Channels,
    wheels: bytes::Wheels,
}

impl Notes {
    /// For a scene with its voices, and its map. `[control]`
    pub fn new(def: &SceneDef, scene: &Scene, map: &Map) -> Self {
        let directory = scene.directory();
        let all = every_damper(def, scene);
        let mut places: Vec<Place> = match &map.play {
            Play::Pitch(voices) => voices.iter().map(|voice| of_voice(directory, voice)).collect(),
            Play::Each(keys) => keys.iter().map(|key| of_key(def, directory, key)).collect(),
        };
        for (index, place) in places.iter_mut().enumerate() {
            let own = |name: &str| directory.body(name).is_ok_and(|body| place.bodies.contains(&body));
            place.chokers = resolved(directory, all.iter().filter(|(name, _)| own(name)).map(|(_, damper)| damper));
            place.pressure = turns(directory, map.pressure.as_ref(), index);
            place.brightness = turns(directory, map.slide.as_ref(), index);
        }
        let bodies = places.iter().flat_map(|place| &place.bodies).max().map_or(0, |last| last + 1);
        Self {
            low: map.notes[0],
            high: map.notes[1],
            strength: map.strength,
            reference: map.reference,
            release_s: map.release_s,
            by_pitch: matches!(map.play, Play::Pitch(_)),
            rate_hz: scene.rate_hz(),
            sounding: vec![Sounding::default(); places.len()],
            energies: vec![0.0; bodies],
            ended: Ended::with_room(places.len()),
            places,
            turns: 0,
            channels: Channels::new(map.mpe),
            wheels: bytes::Wheels::new(directory, map),
        }
    }

    /// Does what an event says, at its sample. False if something of it found no room in the queue, or is no number; a key that
    /// plays nothing here is passed over.
    pub fn play(&mut self, event: NoteEvent, at: u64, player: &mut Player) -> bool {
        let mut taken = true;
        let known = self.commands(event, at, |command| taken &= player.push(Timed { at, command }).is_ok());
        known && taken
    }

    /// The same for whoever has an engine without a player: the commands of an event. False if something of it is no number.
    pub fn commands(&mut self, event: NoteEvent, at: u64, mut send: impl FnMut(Command)) -> bool {
        match event {
            NoteEvent::On { velocity_01, tuning, .. } if velocity_01.is_finite() && tuning.is_finite() => {
                self.strike(event, at, &mut send);
            }
            NoteEvent::Off(which) => self.let_up(which, &mut send),
            NoteEvent::Choke(which) => self.each(which, |notes, index| {
                notes.turns += 1;
                let ratio = notes.ratio(index);
                for (address, damper) in &notes.places[index].chokers {
                    send(Command::Set(*address, damper.value(CHOKE_S, ratio)));
                }
                let sounding = &mut notes.sounding[index];
                (sounding.held, sounding.sustained, sounding.choked) = (false, false, true);
                sounding.turn = notes.turns;
                notes.let_go(index, &mut send);
            }),
            NoteEvent::Tune(which, semitones) if semitones.is_finite() => self.each_meant(which, |notes, index| {
                notes.sounding[index].tuning = semitones;
                notes.tune(index, &mut send);
            }),
            NoteEvent::Press(which, x) if x.is_finite() => self.each_meant(which, |notes, index| {
                notes.places[index].pressure.iter().for_each(|turn| send(turn.command(x)));
            }),
            NoteEvent::Brighten(which, x) if x.is_finite() => self.each_meant(which, |notes, index| {
                notes.places[index].brightness.iter().for_each(|turn| send(turn.command(x)));
            }),
            _ => return false,
        }
        true
    }

    /// Notes that sound, also those that only ring on.
    pub fn sounding(&self) -> impl Iterator<Item = Note> {
        self.sounding.iter().filter_map(Sounding::going_on)
    }

    /// Looks which notes have rung out: after a block.
    pub fn follow(&mut self, engine: &Engine) {
        if self.sounding().next().is_none() {
            return;
        }
        engine.energies(&mut self.energies);
        let least = (LEAST_S * self.rate_hz) as u64;
        for (place, sounding) in self.places.iter().zip(&mut self.sounding) {
            let Some(note) = sounding.going_on() else { continue };
            let energy: f64 = place.bodies.iter().map(|body| self.energies[*body]).sum();
            sounding.most_j = sounding.most_j.max(energy);
            let holds = sounding.is_down() && place.aims.iter().any(|aim| matches!(aim, Aim::Hold(_)));
            let over = !holds && engine.tick() >= sounding.began.saturating_add(least);
            if over && energy <= ENDED * sounding.most_j && self.ended.push(note) {
                sounding.ended = true;
            }
        }
    }

    /// What they played is gone, as with another scene: all of them have ended.
    pub fn end_all(&mut self) {
        for sounding in &mut self.sounding {
            sounding.ended |= sounding.going_on().is_some_and(|note| self.ended.push(note));
        }
    }

    /// The next note that has ended: rung out, or its voice was taken by another.
    pub fn ended(&mut self) -> Option<Note> {
        self.ended.notes.pop()
    }

    /// What plays a key; `None`: nothing does.
    fn choose(&self, note: Note) -> Option<usize> {
        if !(self.low..=self.high).contains(&note.key) {
            return None;
        }
        if !self.by_pitch {
            return Some(usize::from(note.key - self.low)).filter(|index| *index < self.places.len());
        }
        let same = |sounding: &Sounding| sounding.note.is_some_and(|n| (n.channel, n.key) == (note.channel, note.key));
        // Whether a note has ended is looked at once a block, so it must not matter here: `turn` and `held` do.
        let order = |sounding: &Sounding| (sounding.held, sounding.turn);
        let all = self.sounding.iter().enumerate();
        let again = self.sounding.iter().position(|sounding| same(sounding) && sounding.held);
        again.or_else(|| all.min_by_key(|(_, sounding)| order(sounding)).map(|(index, _)| index))
    }

    fn begin(
        &mut self,
        index: usize,
        note: Note,
        velocity_01: f64,
        tuning: f64,
        at: u64,
        send: &mut dyn FnMut(Command),
    ) {
        let before = self.sounding[index];
        if let Some(old) = before.going_on().filter(|old| *old != note) {
            self.ended.push(old);
        }
        self.turns += 1;
        self.sounding[index] =
            Sounding { note: Some(note), held: true, tuning, began: at, turn: self.turns, ..Sounding::default() };
        let ratio = self.ratio(index);
        let place = &self.places[index];
        for (address, declared) in &place.tuned {
            send(Command::Jump(*address, declared * ratio));
        }
        let lifted = if before.choked { &place.chokers } else { &place.dampers };
        for (address, damper) in lifted {
            send(Command::Jump(*address, damper.declared));
        }
        let [soft, hard] = self.strength;
        let strength = soft * math::pow(hard / soft, midi_velocity(velocity_01) / 126.0);
        for aim in &place.aims {
            send(match *aim {
                Aim::Strike(body) => Command::Strike { body, velocity_m_s: strength },
                Aim::Hit(site) => Command::Hit { site, impulse_n_s: strength },
                Aim::Hold(address) => Command::Set(address, strength),
            });
        }
    }

    /// The pitch of a note glides to where it belongs.
    fn tune(&self, index: usize, send: &mut dyn FnMut(Command)) {
        let ratio = self.ratio(index);
        for (address, declared) in &self.places[index].tuned {
            send(Command::Set(*address, declared * ratio));
        }
    }

    /// Neither a key nor a pedal holds it any longer.
    fn release(&self, index: usize, send: &mut dyn FnMut(Command)) {
        self.let_go(index, send);
        self.damp(index, send);
    }

    /// What was held goes back, unless another key still holds it.
    fn let_go(&self, index: usize, send: &mut dyn FnMut(Command)) {
        let others = || self.places.iter().zip(&self.sounding).filter(|(_, sounding)| sounding.is_down());
        for aim in &self.places[index].aims {
            if let Aim::Hold(address) = aim
                && !others().any(|(place, _)| place.aims.contains(aim))
            {
                send(Command::Set(*address, 0.0));
            }
        }
    }

    /// Damps what is let go, unless another key that is down rings it.
    fn damp(&self, index: usize, send: &mut dyn FnMut(Command)) {
        let Some(release_s) = self.release_s else { return };
        let ratio = self.ratio(index);
        let others = || self.places.iter().zip(&self.sounding).filter(|(_, sounding)| sounding.is_down());
        for (address, damper) in &self.places[index].dampers {
            if !others().any(|(place, _)| place.dampers.iter().any(|(other, _)| other == address)) {
                send(Command::Set(*address, damper.value(release_s, ratio)));
            }
        }
    }

    /// Pitch over the one declared; 1 where keys have things of their own.
    fn ratio(&self, index: usize) -> f64 {
        let Sounding { note: Some(note), tuning, .. } = self.sounding[index] else { return 1.0 };
        if !self.by_pitch {
            return 1.0;
        }
        let bend = if self.wheels.bend.is_some() { 0.0 } else { self.channels.semitones(note.channel) };
        math::pow(2.0, (f64::from(note.key) - self.reference + tuning + bend) / 12.0)
    }

    /// Those that are shaped: what rings of a key that is down again is not.
    fn each_meant(&mut self, which: Which, mut act: impl FnMut(&mut Self, usize)) {
        self.each(which, |notes, index| {
            let Sounding { note: Some(note), held, .. } = notes.sounding[index] else { return };
            let same = |other: &Note| (other.channel, other.key) == (note.channel, note.key);
            let again = || notes.sounding.iter().any(|other| other.held && other.note.as_ref().is_some_and(same));
            if held || which.id.is_some() || !again() {
                act(notes, index);
            }
        });
    }

    fn each(&mut self, which: Which, mut act: impl FnMut(&mut Self, usize)) {
        for index in 0..self.sounding.len() {
            if self.sounding[index].note.is_some_and(|note| which.means(note)) {
                act(self, index);
            }
        }
    }
}

impl Which {
    fn means(self, note: Note) -> bool {
        self.id.is_none_or(|id| id == note.id)
            && self.channel.is_none_or(|channel| channel == note.channel)
            && self.key.is_none_or(|key| key == note.key)
    }
}

impl Turn {
    fn command(&self, x: f64) -> Command {
        Command::Set(self.address, scaled(self.scale, self.range[0], self.range[1], x))
    }
}

/// Steps of MIDI above the softest: k/127 gives k - 1 to the last bit, also from hosts that keep velocities in 32 bits.
fn midi_velocity(velocity_01: f64) -> f64 {
    let steps = velocity_01.clamp(0.0, 1.0) * 127.0;
    let whole = steps.round();
    (if (steps - whole).abs() < 1e-5 { whole } else { steps } - 1.0).max(0.0)
}

fn resolved<'a>(directory: &Directory, dampers: impl Iterator<Item = &'a Damper>) -> Vec<(Address, Damper)> {
    dampers.filter_map(|damper| Some((directory.address(&damper.path).ok()?, damper.clone()))).collect()
}

fn aim(directory: &Directory, target: &Target) -> Option<Aim> {
    match target {
        Target::Strike(mass) => directory.body(mass).ok().map(Aim::Strike),
        Target::Hit(site) => directory.site(site).ok().map(Aim::Hit),
        Target::Hold(control) => directory.address(control).ok().map(Aim::Hold),
    }
}

fn of_voice(directory: &Directory, voice: &Voice) -> Place {
    let tuned = voice.tuned.iter().filter_map(|t| Some((directory.address(&t.path).ok()?, t.declared)));
    Place {
        aims: voice.targets.iter().filter_map(|target| aim(directory, target)).collect(),
        tuned: tuned.collect(),
        dampers: resolved(directory, voice.dampers.iter()),
        bodies: voice.bodies.iter().filter_map(|name| directory.body(name).ok()).collect(),
        ..Place::default()
    }
}

fn of_key(def: &SceneDef, directory: &Directory, key: &Key) -> Place {
    // What rings: the body that is hit, or all that the mass may touch; a mass that flies off says nothing.
    let names: Vec<&str> = match &key.target {
        Target::Hit(site) => vec![head(site)],
        Target::Hold(_) => Vec::new(),
        Target::Strike(mass) => {
            let sides = def.contacts.iter().map(|contact| contact.between.each_ref().map(|site| head(site)));
            sides.filter(|sides| sides.contains(&mass.as_str())).flatten().filter(|name| name != mass).collect()
        }
    };
    Place {
        aims: aim(directory, &key.target).into_iter().collect(),
        dampers: resolved(directory, key.dampers.iter()),
        bodies: names.into_iter().filter_map(|name| directory.body(name).ok()).collect(),
        ..Place::default()
    }
}

/// What a knob moves in one place; without voices, the knob itself.
fn turns(directory: &Directory, knob: Option<&Knob>, place: usize) -> Vec<Turn> {
    let Some(knob) = knob else { return Vec::new() };
    match knob.voices.get(place) {
        Some(own) => {
            let turn = |own: &crate::midi::map::Own| {
                Some(Turn { address: directory.address(&own.path).ok()?, range: own.range, scale: own.scale })
            };
            own.iter().filter_map(turn).collect()
        }
        None => {
            let (range, scale) = knob.range.unwrap_or(([0.0, 1.0], Scale::Linear));
            directory.address(&knob.path).ok().map(|address| Turn { address, range, scale }).into_iter().collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::midi_velocity;

    #[test]
    fn a_velocity_of_k_in_127_is_the_midi_velocity_k_to_the_last_bit() {
        for k in 1..=127_u8 {
            assert_eq!(midi_velocity(f64::from(k) / 127.0), f64::from(k - 1), "{k}");
            assert_eq!(midi_velocity(f64::from(f32::from(k) / 127.0)), f64::from(k - 1), "{k} in 32 bits");
        }
        assert_eq!((midi_velocity(0.0), midi_velocity(7.0)), (0.0, 126.0));
    }
}
