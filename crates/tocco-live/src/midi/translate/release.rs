// SPDX-License-Identifier: MIT OR Apache-2.0
//! Keys that go up, and the pedal that holds what they played.

use super::{Gesture, Sounding, Translator};
use crate::midi::map::{Damper, Play, Target};

/// A damper goes up before a blow.
pub(super) fn lifted(damper: &Damper) -> Gesture {
    Gesture::Jump { path: damper.path.clone(), value: damper.declared }
}

impl Translator {
    /// Keys of a channel and note go up; what no pedal holds is damped.
    pub(super) fn let_go(&mut self, which: impl Fn(u8, u8) -> bool, gestures: &mut Vec<Gesture>) {
        for index in 0..self.voices.len() {
            let Some(voice) = self.voices[index].filter(|v| v.held && which(v.channel, v.note)) else { continue };
            let sustained = self.channels.pedal(voice.channel);
            self.voices[index] = Some(Sounding { held: false, sustained, ..voice });
            if !sustained {
                self.damp_voice(index, gestures);
            }
        }
        let up: Vec<(u8, u8)> = self.down.keys().filter(|(c, n)| which(*c, *n)).copied().collect();
        for key in up {
            match self.channels.pedal(key.0) {
                true => drop(self.down.insert(key, true)),
                false => self.damp_key(key, gestures),
            }
        }
    }

    /// A pedal has gone up: what only it held is damped.
    pub(super) fn lift_pedal(&mut self, gestures: &mut Vec<Gesture>) {
        for index in 0..self.voices.len() {
            let Some(voice) = self.voices[index].filter(|v| v.sustained && !self.channels.pedal(v.channel)) else {
                continue;
            };
            self.voices[index] = Some(Sounding { sustained: false, ..voice });
            self.damp_voice(index, gestures);
        }
        let held = self.down.iter().filter(|((channel, _), by_pedal)| **by_pedal && !self.channels.pedal(*channel));
        let up: Vec<(u8, u8)> = held.map(|(key, _)| *key).collect();
        up.into_iter().for_each(|key| self.damp_key(key, gestures));
    }

    fn damp_voice(&self, index: usize, gestures: &mut Vec<Gesture>) {
        let (Some(release_s), Some(Some(voice)), Play::Pitch(voices)) =
            (self.map.release_s, self.voices.get(index), &self.map.play)
        else {
            return;
        };
        let ratio = self.ratio(voice);
        let dampers = voices[index].dampers.iter();
        gestures.extend(
            dampers.map(|damper| Gesture::Set { path: damper.path.clone(), value: damper.value(release_s, ratio) }),
        );
    }

    /// A key's own thing is damped, unless another key that is down rings it.
    fn damp_key(&mut self, key: (u8, u8), gestures: &mut Vec<Gesture>) {
        self.down.remove(&key);
        let Play::Each(keys) = &self.map.play else { return };
        // What was held goes back, unless another key still holds it.
        let held = |note: u8| {
            let key = note.checked_sub(self.map.notes[0]).and_then(|index| keys.get(usize::from(index)));
            key.and_then(|key| if let Target::Hold(control) = &key.target { Some(control) } else { None })
        };
        if let Some(control) = held(key.1)
            && !self.down.keys().any(|(_, note)| held(*note) == Some(control))
        {
            gestures.push(Gesture::Set { path: control.clone(), value: 0.0 });
        }
        let Some(release_s) = self.map.release_s else { return };
        let of = |note: u8| -> &[Damper] {
            let key = note.checked_sub(self.map.notes[0]).and_then(|index| keys.get(usize::from(index)));
            key.map_or(&[], |key| &key.dampers)
        };
        let rung = |damper: &&Damper| self.down.keys().any(|(_, note)| of(*note).contains(damper));
        let free = of(key.1).iter().filter(|damper| !rung(damper));
        gestures
            .extend(free.map(|damper| Gesture::Set { path: damper.path.clone(), value: damper.value(release_s, 1.0) }));
    }
}
