// SPDX-License-Identifier: MIT OR Apache-2.0
//! Gestures as JSON: the lines of a take without their ticks, and what pages and the program say to each other.

use super::Gesture;
use crate::math::Real;
use crate::scene::def::{PartDef, SignalDef, Sound, Source};
use crate::scene::{Document, Recording, SceneDef};
use serde_json::{Value, json};

impl Gesture {
    /// The gesture as a JSON object. `[control]`
    pub fn to_json(&self) -> Value {
        match self {
            Gesture::Set { path, value } => json!({ "set": path, "value": value }),
            Gesture::Glide { path, value, glide_s } => json!({ "set": path, "value": value, "glide_s": glide_s }),
            Gesture::Stream { path, values } => json!({ "stream": path, "values": values }),
            Gesture::Jump { path, value } => json!({ "jump": path, "value": value }),
            Gesture::Strike { body, velocity_m_s } => json!({ "strike": body, "velocity_m_s": velocity_m_s }),
            Gesture::Hit { site, impulse_n_s } => json!({ "hit": site, "impulse_n_s": impulse_n_s }),
            Gesture::Touch { site, place } => json!({ "touch": site, "place": place }),
            Gesture::Join { contact, between } => json!({ "join": contact, "between": between }),
            Gesture::Trigger { process, values } => json!({ "trigger": process, "values": values }),
            Gesture::Hush => json!({ "hush": true }),
            Gesture::Quality { max_substeps, drop_below_db } => {
                json!({ "quality": { "max_substeps": max_substeps, "drop_below_db": drop_below_db } })
            }
            Gesture::Load(scene) => json!({ "scene": scene.to_json(), "adopt": false }),
            Gesture::Edit(scene) => json!({ "scene": scene.to_json(), "adopt": true }),
        }
    }

    /// Reads it back; other keys (`at`) are passed over. `origin` is how messages call a scene that it holds. `[control]`
    pub fn from_json(value: &Value, origin: &str) -> Result<Self, String> {
        let number = |key: &str| {
            let number = value.get(key).and_then(Value::as_f64);
            number.ok_or_else(|| format!("'{key}' is missing or not a number"))
        };
        let word = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let numbers = |key: &str| {
            let list = value.get(key).and_then(Value::as_array).ok_or_else(|| format!("'{key}' is no list"))?;
            let list: Option<Vec<Real>> = list.iter().map(Value::as_f64).collect();
            list.ok_or_else(|| format!("'{key}' holds what is not a number"))
        };
        if let Some(path) = word("set") {
            Ok(match value.get("glide_s") {
                None => Gesture::Set { path, value: number("value")? },
                Some(_) => Gesture::Glide { path, value: number("value")?, glide_s: number("glide_s")? },
            })
        } else if let Some(path) = word("stream") {
            Ok(Gesture::Stream { path, values: numbers("values")? })
        } else if let Some(path) = word("jump") {
            Ok(Gesture::Jump { path, value: number("value")? })
        } else if let Some(body) = word("strike") {
            Ok(Gesture::Strike { body, velocity_m_s: number("velocity_m_s")? })
        } else if let Some(site) = word("hit") {
            Ok(Gesture::Hit { site, impulse_n_s: number("impulse_n_s")? })
        } else if let Some(site) = word("touch") {
            Ok(Gesture::Touch { site, place: numbers("place")? })
        } else if let Some(contact) = word("join") {
            let places = value.get("between").and_then(Value::as_array).ok_or("'between' is no list")?;
            let places: Option<Vec<String>> = places.iter().map(|place| place.as_str().map(str::to_owned)).collect();
            Ok(Gesture::Join { contact, between: places.ok_or("'between' holds what is not a name")? })
        } else if let Some(process) = word("trigger") {
            let values = if value.get("values").is_some() { numbers("values")? } else { Vec::new() };
            Ok(Gesture::Trigger { process, values })
        } else if value.get("hush") == Some(&Value::Bool(true)) {
            Ok(Gesture::Hush)
        } else if let Some(quality) = value.get("quality") {
            let most = quality.get("max_substeps").and_then(Value::as_u64).and_then(|most| u32::try_from(most).ok());
            let below = quality.get("drop_below_db").and_then(Value::as_f64);
            let (max_substeps, drop_below_db) = most.zip(below).ok_or("'quality' is broken")?;
            Ok(Gesture::Quality { max_substeps, drop_below_db })
        } else if let Some(scene) = value.get("scene").filter(|scene| scene.is_object()) {
            let scene = Box::new(Document::from_json(scene, origin)?);
            let adopt = value.get("adopt") == Some(&Value::Bool(true));
            Ok(if adopt { Gesture::Edit(scene) } else { Gesture::Load(scene) })
        } else {
            Err("no known gesture; it is one of set, jump, stream, strike, hit, touch, join, trigger, hush, quality, scene"
                .into())
        }
    }
}

impl Document {
    /// Name, seed, text, recordings and baked bodies. `[control]`
    pub fn to_json(&self) -> Value {
        let recording = |(drive, source): (usize, &Source)| match source {
            Source::Samples { rate_hz, data, .. } => {
                Some(json!({ "drive": drive, "rate_hz": rate_hz, "data": &**data }))
            }
            _ => None,
        };
        let sources = self.def.drives.iter().map(|drive| &drive.source).enumerate();
        let mut recordings: Vec<Value> = sources.filter_map(recording).collect();
        let mut object = json!({ "name": self.name, "seed": self.def.seed, "text": self.text });
        let mut def = self.def.clone();
        for signal in &mut def.signals {
            for (key, sound) in signal.form.recordings_mut() {
                if let Sound::Samples(Recording { rate_hz, data }) = sound {
                    let (signal, data) = (&signal.name, &**data);
                    recordings.push(json!({ "signal": signal, "key": key, "rate_hz": rate_hz, "data": data }));
                }
            }
        }
        if !recordings.is_empty() {
            object["recordings"] = recordings.into();
        }
        let mut bodies = serde_json::Map::new();
        for body in &mut def.bodies {
            if let Some((file, Some(mesh))) = body.form.baked_mut() {
                bodies.insert(file.to_owned(), mesh.text.clone().into());
            }
        }
        if !bodies.is_empty() {
            object["bodies"] = bodies.into();
        }
        let inside = |part: &PartDef| Some((part.name.clone(), part.inside.as_ref()?.to_json()));
        let parts: serde_json::Map<String, Value> = self.def.parts.iter().filter_map(inside).collect();
        if !parts.is_empty() {
            object["parts"] = parts.into();
        }
        object
    }

    /// Reads it back. `[control]`
    pub fn from_json(value: &Value, origin: &str) -> Result<Self, String> {
        let broken = |what: &str| format!("scene: {what}");
        let text = value.get("text").and_then(Value::as_str).ok_or_else(|| broken("no text"))?.to_owned();
        let name = value.get("name").and_then(Value::as_str).unwrap_or("scene").to_owned();
        let mut def = SceneDef::from_text(&text).map_err(|error| broken(&error.to_string()))?;
        def.seed = value.get("seed").and_then(Value::as_u64).ok_or_else(|| broken("no seed"))?;
        let recordings = value.get("recordings").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        for recording in recordings {
            if let Some(name) = recording.get("signal").and_then(Value::as_str) {
                let found = def.signals.iter_mut().find(|signal| signal.name == name);
                let key = recording.get("key").and_then(Value::as_str).unwrap_or("recording");
                let sounds = found.into_iter().flat_map(|signal| signal.form.recordings_mut());
                let sound = sounds.into_iter().find(|(own, _)| *own == key).map(|(_, sound)| sound);
                let Some((recording, sound)) = read_recording(recording).zip(sound) else {
                    return Err(broken("a recording is broken"));
                };
                *sound = Sound::Samples(recording);
                continue;
            }
            let drive = recording.get("drive").and_then(Value::as_u64);
            let drive = drive.and_then(|index| def.drives.get_mut(usize::try_from(index).ok()?));
            let Some((Recording { rate_hz, data }, drive)) = read_recording(recording).zip(drive) else {
                return Err(broken("a recording is broken"));
            };
            let Source::Wav { gain, at_s, .. } = drive.source else {
                return Err(broken("a recording belongs to a drive that reads none"));
            };
            drive.source = Source::Samples { rate_hz, data, gain, at_s };
        }
        if def.drives.iter().any(|drive| matches!(drive.source, Source::Wav { .. })) {
            return Err(broken("a recording is missing"));
        }
        let missing = |signal: &mut SignalDef| {
            signal.form.recordings_mut().into_iter().any(|(_, sound)| matches!(sound, Sound::File(_)))
        };
        if def.signals.iter_mut().any(missing) {
            return Err(broken("a recording is missing"));
        }
        let bodies = value.get("bodies");
        let body = |file: &str| bodies.and_then(|bodies| bodies.get(file)).and_then(Value::as_str).map(str::to_owned);
        let fetched = def.fetch_bodies(|file| body(file).ok_or_else(|| format!("the baked body '{file}' is missing")));
        fetched.map_err(|error| broken(&error.to_string()))?;
        for part in &mut def.parts {
            let inside = value.get("parts").and_then(|parts| parts.get(&part.name));
            let inside = inside.ok_or_else(|| broken(&format!("its part '{}' is missing", part.name)))?;
            part.inside = Some(Box::new(Self::from_json(inside, origin)?));
        }
        Ok(Self { name, origin: origin.to_owned(), text, def })
    }
}

fn read_recording(value: &Value) -> Option<Recording> {
    let data = value.get("data")?.as_array()?;
    let data = data.iter().map(|x| x.as_f64().map(|x| x as f32).filter(|x| x.is_finite())).collect::<Option<_>>()?;
    let rate_hz: Real = value.get("rate_hz")?.as_f64()?;
    Some(Recording { rate_hz, data })
}
