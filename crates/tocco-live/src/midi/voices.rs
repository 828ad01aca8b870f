// SPDX-License-Identifier: MIT OR Apache-2.0
//! Polyphony: copies of whatever hangs together with what a note plays.
//!
//! Voice 1 is the scene as written. Voice k has the same bodies, contacts, taps and drives under names with `~k`
//! behind (`bar~2`); what is not in contact with the voice is shared. Controls reach every copy. Events stay with
//! voice 1. The hammer of a copy waits clear of what it strikes until its first note.

use crate::error::{Error, Result};
use std::collections::BTreeSet;
use tocco::Document;
use tocco::scene::SceneError;
use tocco::scene::def::{BodyForm, ContactForm, SceneDef, Source};

/// Stands before the number of a copy; scene files may use it, so a name that has it already is refused.
const MARK: char = '~';

/// A name, site or path of voice `voice`, counted from 0: `bar.tip/force_n` becomes `bar~2.tip/force_n` in voice 1.
pub fn named(text: &str, voice: usize) -> String {
    if voice == 0 {
        return text.to_owned();
    }
    let end = text.find(['.', '/']).unwrap_or(text.len());
    format!("{}{MARK}{}{}", &text[..end], voice + 1, &text[end..])
}

/// The body or contact at the front of a site or path.
pub fn head(text: &str) -> &str {
    text.split(['.', '/']).next().unwrap_or(text)
}

/// The text of the scene with its voices, with the comment it opens with; `None` where that is the scene as it is. Takes
/// and edits speak of the scene that sounds, so its text has the copies as well.
fn written(def: &SceneDef, text: &str) -> std::result::Result<Option<String>, SceneError> {
    let Some(all) = copies(def)? else { return Ok(None) };
    let comment = text.lines().take_while(|line| line.starts_with('#'));
    let mut text: String = comment.map(|line| format!("{line}\n")).collect();
    text.push_str(&all.to_toml());
    Ok(Some(text))
}

/// A scene with its voices, ready to be played; one voice, or no `[midi]`: as it is. [`Desk::prepare_with`] takes it for
/// those that come later.
///
/// [`Desk::prepare_with`]: crate::Desk::prepare_with
pub fn voiced(scene: Document) -> Result<Document> {
    let wrong = |e: SceneError| Error::BadInput(format!("{}: {e}", scene.origin));
    match written(&scene.def, &scene.text).map_err(wrong)? {
        Some(text) => {
            let mut def = SceneDef::from_text(&text).map_err(wrong)?;
            // What is fetched stays fetched.
            def.keep_bodies(&scene.def);
            for (part, fetched) in def.parts.iter_mut().zip(&scene.def.parts) {
                part.inside.clone_from(&fetched.inside);
            }
            Ok(Document { name: scene.name, origin: scene.origin, text, def })
        }
        None => Ok(scene),
    }
}

/// True if the copies are there already: the scene that sounds is played again.
fn has_voices(def: &SceneDef) -> bool {
    let there = |name: &str| def.bodies.iter().any(|body| body.name == name);
    def.midi.as_ref().is_some_and(|midi| {
        !midi.retune.is_empty() && (1..midi.voices).all(|k| midi.retune.iter().all(|name| there(&named(name, k))))
    })
}

/// The scene with as many voices as its `[midi]` table says; `None` where that is the scene as it is.
pub fn copies(def: &SceneDef) -> std::result::Result<Option<SceneDef>, SceneError> {
    let Some(midi) = def.midi.as_ref().filter(|midi| midi.voices > 1) else { return Ok(None) };
    let wrong = |what: String| Err(SceneError::new("midi.voices", what));
    if def.drives.iter().any(|drive| matches!(drive.source, Source::Samples { .. } | Source::Wav { .. })) {
        // A take stores the scene as text, and a recording in memory has none.
        return wrong("a scene with recordings has one voice".into());
    }
    if has_voices(def) {
        return Ok(None);
    }
    let names = def.bodies.iter().map(|body| &body.name).chain(def.contacts.iter().map(|c| &c.name));
    if let Some(name) = names.into_iter().find(|name| name.contains(MARK)) {
        return wrong(format!("'{name}' holds '{MARK}', which marks copies; rename it"));
    }
    let voice = members(def);
    let own = |name: &str| voice.contains(head(name));
    let mut all = def.clone();
    for k in 1..midi.voices {
        let renamed = |text: &str| if own(text) { named(text, k) } else { text.to_owned() };
        for body in def.bodies.iter().filter(|body| own(&body.name)) {
            let mut copy = body.clone();
            copy.name = renamed(&body.name);
            if let (BodyForm::Mass(mass), Some(clear_m)) = (&mut copy.form, clear_of_what_it_strikes(def, &body.name)) {
                mass.position_m = clear_m;
            }
            all.bodies.push(copy);
        }
        for contact in def.contacts.iter().filter(|contact| own(&contact.name)) {
            let mut copy = contact.clone();
            copy.name = renamed(&contact.name);
            copy.between = contact.between.each_ref().map(|site| renamed(site));
            for name in copy.form.names_mut() {
                *name = renamed(name);
            }
            all.contacts.push(copy);
        }
        for drive in def.drives.iter().filter(|drive| drive.path.contains('/') && own(&drive.path)) {
            let mut copy = drive.clone();
            copy.path = renamed(&drive.path);
            all.drives.push(copy);
        }
        for tap in def.taps.iter().filter(|tap| own(&tap.of)) {
            let mut copy = tap.clone();
            copy.of = renamed(&tap.of);
            for by in copy.travel.iter_mut().flat_map(|travel| &mut travel.by) {
                *by = renamed(by);
            }
            all.taps.push(copy);
        }
        for (control, written) in all.controls.iter_mut().zip(&def.controls) {
            control.also.extend(written.paths().filter(|path| own(path)).map(renamed));
        }
    }
    all.lines.clear();
    Ok(Some(all))
}

/// Where a mass waits for its first note, m, if it would lie on what it strikes: there the two do not sleep, and voices that nobody plays
/// would cost as much as those that sound. A stroke begins at the contact wherever the mass is. `None`: it stays where it is written.
fn clear_of_what_it_strikes(def: &SceneDef, name: &str) -> Option<f64> {
    const ASIDE_M: f64 = 1.0;
    let (midi, body) = (def.midi.as_ref()?, def.bodies.iter().find(|body| body.name == name)?);
    let BodyForm::Mass(mass) = &body.form else { return None };
    let lies = (mass.position_m, mass.velocity_m_s, mass.params.gravity_m_s2) == (0.0, 0.0, 0.0);
    let mut met = def.contacts.iter().filter(|c| c.between.iter().any(|site| head(site) == name));
    let (contact, other) = (met.next()?, met.next());
    let plain = matches!(&contact.form, ContactForm::Impact(impact) if impact.texture.is_none()) && !contact.spare;
    let named = def.contacts.iter().any(|c| c.form.names().contains(&contact.name.as_str()));
    let watched = def.taps.iter().any(|tap| head(&tap.of) == name) || def.drives.iter().any(|d| head(&d.path) == name);
    let is = |side: usize, all: &[String]| all.iter().any(|one| head(one) == head(&contact.between[side]));
    let side = [0, 1].into_iter().find(|side| is(*side, &midi.strike) && is(1 - side, &midi.retune))?;
    let stays = !lies || other.is_some() || !plain || named || watched || head(&contact.between[side]) != name;
    // Compression is the place of the first less that of the second.
    (!stays).then_some(if side == 0 { -ASIDE_M } else { ASIDE_M })
}

/// Names of the bodies and contacts of a voice: everything reached by contacts from what is played or tuned.
fn members(def: &SceneDef) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let Some(midi) = &def.midi else { return found };
    found.extend(midi.strike.iter().chain(&midi.hit).chain(&midi.retune).map(|name| head(name).to_owned()));
    loop {
        let before = found.len();
        for contact in &def.contacts {
            let mut touches: Vec<&str> = contact.between.iter().map(|site| head(site)).collect();
            touches.extend(contact.form.names());
            if found.contains(&contact.name) || touches.iter().any(|name| found.contains(*name)) {
                found.insert(contact.name.clone());
                found.extend(touches.into_iter().map(str::to_owned));
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tocco::engine::{Command, Engine, Queue, Timed};
    use tocco::scene::Scene;

    const SCENE: &str = r#"
        body.hammer = { type = "mass", mass_kg = 0.01 }
        body.bar = { type = "modal", modes = [{ freq_hz = 220.0, decay_s = 0.5, mass_kg = 0.05 }], port = { tip = [1.0], end = [0.5] } }
        body.bell = { type = "modal", modes = [{ freq_hz = 500.0, decay_s = 0.5, mass_kg = 0.05 }] }
        contact.hit = { type = "impact", between = ["hammer", "bar.tip"], stiffness = 1e8 }
        drive = [{ path = "bar.end/force_n", points = [[0.0, 0.0], [1.0, 0.1]] }]
        tap = [{ of = "bar.end", gain = 2.0 }, { of = "bell" }]
        control = [{ name = "hard", path = "hit/stiffness", range = [1e6, 1e10], scale = "log" }, { name = "big", path = "bell/freq_scale", range = [0.5, 2.0] }]
        [midi]
        notes = "pitch"
        strike = "hammer"
        retune = "bar"
        voices = 3
    "#;

    fn read(text: &str) -> SceneDef {
        SceneDef::from_text(text).unwrap()
    }

    #[test]
    fn what_hangs_together_is_copied_and_the_rest_is_shared() {
        let def = copies(&read(SCENE)).unwrap().unwrap();
        let names: Vec<&str> = def.bodies.iter().map(|body| body.name.as_str()).collect();
        assert_eq!(names, ["hammer", "bar", "bell", "hammer~2", "bar~2", "hammer~3", "bar~3"]);
        assert_eq!(def.contacts[2].between, ["hammer~3", "bar~3.tip"]);
        assert_eq!((def.contacts[2].name.as_str(), def.drives[2].path.as_str()), ("hit~3", "bar~3.end/force_n"));
        let taps: Vec<&str> = def.taps.iter().map(|tap| tap.of.as_str()).collect();
        assert_eq!(taps, ["bar.end", "bell", "bar~2.end", "bar~3.end"]);
        assert_eq!(def.controls[0].also, ["hit~2/stiffness", "hit~3/stiffness"]);
        assert!(def.controls[1].also.is_empty());
    }

    #[test]
    fn every_voice_sounds_as_the_scene_does_and_its_text_is_what_sounds() {
        let mut one = read(SCENE);
        let mut voices = copies(&one).unwrap().unwrap();
        assert_eq!(read(&written(&one, SCENE).unwrap().unwrap()).bodies, voices.bodies);
        (one.drives, voices.drives) = (Vec::new(), Vec::new());
        let sound = |def: &SceneDef, hammer: &str| {
            let scene = Scene::build(def, 48_000.0).unwrap();
            let body = scene.directory().body(hammer).unwrap();
            let mut engine = Engine::new(scene);
            let mut out = vec![0.0_f32; 4800];
            let mut queue = Queue::from([Timed { at: 0, command: Command::Strike { body, velocity_m_s: 1.0 } }]);
            engine.render(&[], &mut queue, &mut out);
            out
        };
        let first = sound(&one, "hammer");
        assert!(first.iter().any(|x| x.abs() > 1e-3));
        for hammer in ["hammer", "hammer~2", "hammer~3"] {
            assert_eq!(first, sound(&voices, hammer), "{hammer}");
        }
    }

    #[test]
    fn voices_that_nobody_plays_rest() {
        let mut def = copies(&read(&SCENE.replace("decay_s = 0.5", "decay_s = 0.002"))).unwrap().unwrap();
        def.drives.clear();
        let scene = Scene::build(&def, 48_000.0).unwrap();
        let body = scene.directory().body("hammer").unwrap();
        let mut engine = Engine::new(scene);
        let mut queue = Queue::from([Timed { at: 0, command: Command::Strike { body, velocity_m_s: 1.0 } }]);
        engine.render(&[], &mut queue, &mut vec![0.0; 48_000]);
        assert!(engine.rests(), "the first has rung out, the others were never struck");
    }

    #[test]
    fn a_hammer_waits_on_its_own_side_and_one_that_does_more_than_strike_stays_where_it_is_written() {
        let (lies, hit) = ("mass_kg = 0.01 }", "between = [\"hammer\", \"bar.tip\"]");
        for (from, to, wanted_m) in [
            (lies, lies, -1.0),
            (hit, "between = [\"bar.tip\", \"hammer\"]", 1.0),
            (lies, "mass_kg = 0.01, position_m = -0.02 }", -0.02),
            (lies, "mass_kg = 0.01, gravity_m_s2 = -9.81 }", 0.0),
            (lies, "mass_kg = 0.01, velocity_m_s = 1.0 }", 0.0),
            ("{ of = \"bell\" }", "{ of = \"hammer\", quantity = \"position\" }", 0.0),
            ("bar.end/force_n", "hammer/force_n", 0.0),
            (
                "contact.hit",
                "contact.felt = { type = \"impact\", between = [\"hammer\", \"bell\"], stiffness = 1e4 }\ncontact.hit",
                0.0,
            ),
        ] {
            let text = SCENE.replace(from, to);
            assert!(text != SCENE || from == to, "{from}");
            let def = copies(&read(&text)).unwrap().unwrap();
            let place_m = |name: &str| match &def.bodies.iter().find(|body| body.name == name).unwrap().form {
                BodyForm::Mass(mass) => mass.position_m,
                _ => f64::NAN,
            };
            assert_eq!([place_m("hammer~2"), place_m("hammer~3")], [wanted_m; 2], "{to}");
            let written_m = if wanted_m.abs() == 1.0 { 0.0 } else { wanted_m };
            assert_eq!(place_m("hammer"), written_m, "{to}: the first is the scene as written");
        }
    }

    #[test]
    fn one_voice_is_the_scene_itself_and_a_name_that_holds_the_mark_is_refused() {
        assert_eq!(copies(&read(&SCENE.replace("voices = 3", "voices = 1"))), Ok(None));
        let mut marked = read(SCENE);
        marked.bodies[2].name = "be~2".into();
        assert!(copies(&marked).unwrap_err().to_string().contains("marks copies"));
    }
}
