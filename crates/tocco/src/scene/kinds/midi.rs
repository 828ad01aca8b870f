// SPDX-License-Identifier: MIT OR Apache-2.0
//! The table `[midi]`: what a keyboard does to a scene. The engine does not read it; hosts that play live do.

use super::*;

/// Most copies of a voice.
pub const MAX_VOICES: i64 = 64;
/// The note that sounds as written unless the scene says another: A4.
pub const DEFAULT_REFERENCE: Real = 69.0;
/// Speeds of the softest and hardest strike unless the scene says others, m/s.
pub const DEFAULT_VELOCITY_M_S: [Real; 2] = [0.1, 4.0];
/// Impulses of the softest and hardest hit unless the scene says others, N s.
pub const DEFAULT_IMPULSE_N_S: [Real; 2] = [1e-3, 4e-2];

/// Where a held key moves a control to, at velocity 1 and 127.
pub const HELD: [Real; 2] = [1.0 / 127.0, 1.0];

/// Controllers above are channel modes.
pub const HIGHEST_CONTROLLER: u8 = 119;

/// The name of a control.
const CONTROL_NAME: KeyType = KeyType::Named(Thing::Control);
/// A note number.
const NOTE: KeyType = KeyType::Integer { min: 0, max: 127 };
/// How hard a touch may be: as in events, and positive because the scale is one of ratios.
pub const STRENGTH: KeyType = KeyType::Number { unit: "m/s or N s", min: 1e-9, max: 1e4 };

/// How long what was let go may ring.
const RELEASE: KeyType = KeyType::Number { unit: "s", min: 1e-3, max: 1e3 };

/// The table in scene files.
pub const MIDI: Kind = Kind {
    family: "midi",
    id: "",
    doc: "What a MIDI keyboard does ('tocco play SCENE --midi PORT').",
    params: &[],
    keys: &[
        must(
            "notes",
            KeyType::Word(Notes::WORDS),
            "What the note number picks: one of several bodies, a port of the body in hit, or the pitch of retune.",
        ),
        key("low", NOTE, "Lowest note that plays, default 0 with pitch, else 60; it picks the first body or port."),
        key("high", NOTE, "Highest note that plays, default 127."),
        key(
            "strike",
            KeyType::Several { of: &KeyType::Named(Thing::Mass), max: MAX_NODES },
            "Masses that notes set in motion.",
        ),
        key(
            "hit",
            KeyType::Several { of: &KeyType::Named(Thing::Site), max: MAX_NODES },
            "Instead of strike: places that get an ideal impulse; with ports, the body.",
        ),
        key(
            "hold",
            KeyType::Several { of: &CONTROL_NAME, max: MAX_NODES },
            "Instead of strike, with bodies: controls that a held key moves, as far as it is pressed hard, and back when it is let go: a squeeze, a shake.",
        ),
        key(
            "velocity_m_s",
            KeyType::List { of: &STRENGTH, min: 2, max: 2 },
            "With strike: speeds at velocity 1 and 127, equal ratios between, default [0.1, 4].",
        ),
        key(
            "impulse_n_s",
            KeyType::List { of: &STRENGTH, min: 2, max: 2 },
            "With hit: impulses at velocity 1 and 127, equal ratios between, default [0.001, 0.04].",
        ),
        key(
            "retune",
            KeyType::Several { of: &KeyType::Named(Thing::Body), max: MAX_NODES },
            "With pitch, needed: bodies that the note tunes (freq_scale, of strings freq_hz).",
        ),
        key(
            "reference",
            KeyType::Number { unit: "1", min: 0.0, max: 127.0 },
            "With pitch: the note at which they sound as written, default 69 (A4).",
        ),
        key(
            "voices",
            KeyType::Integer { min: 1, max: MAX_VOICES },
            "With pitch: copies of everything that hangs together with them, default 1; the quietest is stolen.",
        ),
        key(
            "release_s",
            RELEASE,
            "When a key is let go, what it played decays to 1/e in this time; by default it rings on, as a struck bar does.",
        ),
        key("mpe", KeyType::Flag, "Channels 2 to 16 carry a note each from the start (MPE), default false."),
        key("bend", CONTROL_NAME, "Control that pitch bend moves; default: it bends the pitch of retune."),
        key("pressure", CONTROL_NAME, "Control that aftertouch moves, with MPE for each note alone."),
        key("slide", CONTROL_NAME, "Control that controller 74 moves, with MPE for each note alone."),
        key(
            "cc",
            KeyType::Numbered { of: &CONTROL_NAME, max: HIGHEST_CONTROLLER },
            "Controls that controllers 0 to 119 move.",
        ),
    ],
    rules: &[
        Rule::OneOf(&["strike", "hit", "hold"]),
        Rule::Beside(&["velocity_m_s"], &["strike"], "belongs to strike; leave it out"),
        Rule::Beside(&["impulse_n_s"], &["hit"], "belongs to hit; leave it out"),
        Rule::Needs { choice: "notes", word: "pitch", id: "retune" },
        Rule::Only {
            choice: "notes",
            word: "pitch",
            ids: &["retune", "reference", "voices"],
            what: "belongs to notes = \"pitch\"; leave it out",
        },
        Rule::Needs { choice: "notes", word: "ports", id: "hit" },
        Rule::Only {
            choice: "notes",
            word: "bodies",
            ids: &["hold"],
            what: "belongs to notes = \"bodies\"; leave it out",
        },
        Rule::Narrowed {
            choice: "notes",
            word: "ports",
            id: "hit",
            is: Narrow::Single,
            what: "names several; with notes = \"ports\" it names one body",
        },
    ],
};

/// What a note number picks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notes {
    /// One of several masses or places.
    Bodies,
    /// A port of one body.
    Ports,
    /// The pitch of a voice.
    Pitch,
}

crate::words!(Notes { Bodies = "bodies", Ports = "ports", Pitch = "pitch" });

/// What a keyboard does.
#[derive(Clone, Debug, PartialEq)]
pub struct MidiDef {
    /// What a note number picks.
    pub notes: Notes,
    /// Lowest note that plays.
    pub low: u8,
    /// Highest note that plays.
    pub high: u8,
    /// Masses; empty: `hit`.
    pub strike: Vec<String>,
    /// Places.
    pub hit: Vec<String>,
    /// Controls that held keys move, instead of both.
    pub hold: Vec<String>,
    /// At velocity 1 and 127: m/s of strikes, N s of hits.
    pub strength: [Real; 2],
    /// Bodies that a note tunes.
    pub retune: Vec<String>,
    /// The note at which they sound as written.
    pub reference: Real,
    /// Copies of the voice.
    pub voices: usize,
    /// Time to 1/e of what a key let go of, s; `None`: it rings on.
    pub release_s: Option<Real>,
    /// A note for each channel from the start.
    pub mpe: bool,
    /// Control that pitch bend moves.
    pub bend: Option<String>,
    /// Control that aftertouch moves.
    pub pressure: Option<String>,
    /// Control that controller 74 moves.
    pub slide: Option<String>,
    /// Controllers and their controls, by number.
    pub cc: Vec<(u8, String)>,
}

impl MidiDef {
    /// A keyboard that strikes these masses one by one, from middle C on.
    pub fn striking(masses: Vec<String>) -> Self {
        Self {
            notes: Notes::Bodies,
            low: 60,
            high: 127,
            strike: masses,
            hit: Vec::new(),
            hold: Vec::new(),
            strength: DEFAULT_VELOCITY_M_S,
            retune: Vec::new(),
            reference: DEFAULT_REFERENCE,
            voices: 1,
            release_s: None,
            mpe: false,
            bend: None,
            pressure: None,
            slide: None,
            cc: Vec::new(),
        }
    }
}

/// Everything that the table names is there and is what it should be.
pub(in crate::scene) fn check_names(def: &SceneDef, directory: &Directory) -> Result<(), SceneError> {
    let Some(midi) = &def.midi else { return Ok(()) };
    let wrong = |id: &str, what: String| Err(SceneError::new(format!("midi.{id}"), what));
    let body = |id: &str, name: &String| match def.bodies.iter().find(|body| body.name == *name) {
        Some(body) => Ok(body),
        None => {
            let near = nearest(name, def.bodies.iter().map(|body| body.name.as_str()));
            Err(SceneError::new(format!("midi.{id}"), format!("no body '{name}'{near}")))
        }
    };
    for name in &midi.strike {
        if body("strike", name)?.form.mobility() != Mobility::Free {
            return wrong("strike", format!("'{name}' is not a mass; strike a mass, or hit a port"));
        }
    }
    for site in &midi.hit {
        if midi.notes == Notes::Ports {
            body("hit", site)?;
            continue;
        }
        match directory.site(site) {
            Ok(found) if directory.yields(found) => {}
            Ok(_) => return wrong("hit", format!("'{site}' cannot move; hit a body that yields")),
            Err(error) => return wrong("hit", error.what),
        }
    }
    for name in &midi.retune {
        if body("retune", name)?.form.pitch().is_none() {
            return wrong("retune", format!("'{name}' has no pitch; name a modal body, shape, network or string"));
        }
    }
    if midi.release_s.is_some() {
        let damps = |path: &str| {
            let (name, id) = path.rsplit_once('/').unwrap_or((path, ""));
            def.bodies.iter().any(|body| body.name == name && body.form.damping().is_some_and(|by| by.spec.id == id))
        };
        if let Some(control) = def.controls.iter().find(|control| control.paths().any(damps)) {
            let what = format!("control '{}' moves what a release damps; leave one of them out", control.name);
            return wrong("release_s", what);
        }
    }
    let place = |number: &u8| format!("cc.{number}");
    let named = [("bend", &midi.bend), ("pressure", &midi.pressure), ("slide", &midi.slide)];
    let named = named.into_iter().filter_map(|(id, name)| Some((id.to_string(), name.as_ref()?)));
    let named = named.chain(midi.hold.iter().map(|name| ("hold".to_string(), name)));
    for (id, name) in named.chain(midi.cc.iter().map(|(number, name)| (place(number), name))) {
        if !def.controls.iter().any(|control| control.name == *name) {
            let near = nearest(name, def.controls.iter().map(|control| control.name.as_str()));
            return wrong(&id, format!("no control '{name}'{near}"));
        }
    }
    Ok(())
}

impl Section for MidiDef {
    const KIND: &'static Kind = &MIDI;

    fn check(&self, spot: &Spot) -> Check {
        let strength = if self.strike.is_empty() { "impulse_n_s" } else { "velocity_m_s" };
        self.strength.iter().try_for_each(|value| spot.takes(strength, STRENGTH, *value))?;
        spot.number(&MIDI, "reference", self.reference)?;
        self.release_s.map_or(Ok(()), |release_s| spot.number(&MIDI, "release_s", release_s))?;
        spot.whole(&MIDI, "voices", i64::try_from(self.voices).unwrap_or(-1))?;
        spot.whole(&MIDI, "low", i64::from(self.low))?;
        spot.whole(&MIDI, "high", i64::from(self.high))?;
        if self.low > self.high {
            return spot.fail("high", format!("{} is below low = {}; no note would play", self.high, self.low));
        }
        for (id, names) in
            [("strike", &self.strike), ("hit", &self.hit), ("hold", &self.hold), ("retune", &self.retune)]
        {
            spot.count(id, names.len(), MAX_NODES, "names")?;
            names.iter().try_for_each(|name| spot.named(id, name))?;
        }
        let mut played = self.strike.iter().chain(&self.hit).chain(&self.retune);
        if let (true, Some(name)) = (self.voices > 1, played.find(|name| name.contains('/'))) {
            return spot.fail("voices", format!("'{name}' belongs to a part, which has one voice; leave voices out"));
        }
        match self.cc.iter().find(|(number, _)| *number > HIGHEST_CONTROLLER) {
            Some((number, _)) => {
                spot.fail("cc", format!("'{number}' is no controller; wants 0 to {HIGHEST_CONTROLLER}"))
            }
            None => Ok(()),
        }
    }

    fn write(&self, out: &mut Toml) {
        out.line(format_args!("\n[midi]\nnotes = \"{}\"", self.notes.word()));
        out.line(format_args!("low = {}\nhigh = {}", self.low, self.high));
        for (id, names) in
            [("strike", &self.strike), ("hit", &self.hit), ("hold", &self.hold), ("retune", &self.retune)]
        {
            out.texts(id, names.iter().map(String::as_str));
        }
        let strength = if self.strike.is_empty() { "impulse_n_s" } else { "velocity_m_s" };
        if self.hold.is_empty() {
            out.line(format_args!("{strength} = {:?}", self.strength));
        }
        if self.notes == Notes::Pitch {
            out.line(format_args!("reference = {:?}\nvoices = {}", self.reference, self.voices));
        }
        if let Some(release_s) = self.release_s {
            out.line(format_args!("release_s = {release_s:?}"));
        }
        if self.mpe {
            out.line(format_args!("mpe = true"));
        }
        for (id, name) in [("bend", &self.bend), ("pressure", &self.pressure), ("slide", &self.slide)] {
            if let Some(name) = name {
                out.line(format_args!("{id} = {}", quoted(name)));
            }
        }
        if !self.cc.is_empty() {
            let all: Vec<String> =
                self.cc.iter().map(|(number, name)| format!("\"{number}\" = {}", quoted(name))).collect();
            out.line(format_args!("cc = {{ {} }}", all.join(", ")));
        }
    }

    #[cfg(feature = "text")]
    fn read(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Self, SceneError> {
        let notes = node.word("notes")?.unwrap_or(Notes::Pitch);
        if notes == Notes::Ports {
            node.none_of(&["strike"], "belongs to bodies or pitch; with notes = \"ports\" the ports are hit")?;
        }
        let (strength, default) = match node.one_of(&["strike", "hit", "hold"])? {
            "strike" => ("velocity_m_s", DEFAULT_VELOCITY_M_S),
            "hold" => ("velocity_m_s", HELD),
            _ => ("impulse_n_s", DEFAULT_IMPULSE_N_S),
        };
        let note = |id, default| -> Result<u8, SceneError> {
            Ok(node.whole(id)?.and_then(|note| u8::try_from(note).ok()).unwrap_or(default))
        };
        let names = |id| node.texts(id, "a name in quotes");
        let control = |id| node.entry(id).map(|_| node.needed_text(id)).transpose();
        Ok(Self {
            notes,
            low: note("low", if notes == Notes::Pitch { 0 } else { 60 })?,
            high: note("high", 127)?,
            strike: names("strike")?,
            hit: names("hit")?,
            hold: names("hold")?,
            strength: node.numbers(strength, STRENGTH, "[softest, hardest]")?.unwrap_or(default),
            retune: names("retune")?,
            reference: node.number_or("reference", DEFAULT_REFERENCE)?,
            voices: node.count("voices")?.unwrap_or(1),
            release_s: node.number("release_s")?,
            mpe: node.flag("mpe")?.unwrap_or(false),
            bend: control("bend")?,
            pressure: control("pressure")?,
            slide: control("slide")?,
            cc: controllers(node, lines)?,
        })
    }
}

#[cfg(feature = "text")]
fn controllers(node: &Node<'_, '_>, lines: &mut Lines) -> Result<Vec<(u8, String)>, SceneError> {
    let Some(value) = node.value("cc") else { return Ok(Vec::new()) };
    let place = node.place("cc");
    let mut all = Vec::new();
    for entry in table(value, &place, "a table of number = \"control\"")? {
        let at = join(&place, &entry.key);
        lines.insert(at.clone(), entry.line);
        let Some(number) = (0..=HIGHEST_CONTROLLER).find(|number| number.to_string() == entry.key) else {
            let what = format!("'{}' is no controller; wants 0 to {HIGHEST_CONTROLLER}", clip(&entry.key));
            return fail(at, entry.line, what);
        };
        match text(&entry.value, &at, "a control's name in quotes")? {
            "" => return fail(at, entry.line, "is empty; say what it names"),
            name => all.push((number, name.to_string())),
        }
    }
    crate::order::sort(&mut all, |a, b| a.0.cmp(&b.0));
    match all.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        Some(pair) => node.fail("cc", format!("names controller {} twice; keep one", pair[0].0)),
        None => Ok(all),
    }
}
