// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the terminal view shows, and what keys do to it. It knows neither a terminal nor a clock.

use crate::live::{Desk, Knob, METERS};
use crate::midi::Learn;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::collections::VecDeque;
use tocco::Gesture;
use tocco::contact::Site;
use tocco::param::{Scale, position, scaled};
use tocco::scene::Output;
use tocco::units::db;

/// Remarks that stay in sight.
const NEWS: usize = 4;
/// Part of the range that an arrow moves; with shift a tenth of it, with control five times as much.
const NUDGE: f64 = 0.02;
/// Impulse of a hit for every m/s of a strike, N s: a hammer of 10 g that is stopped.
const IMPULSE_PER_SPEED: f64 = 0.01;
/// Slowest and fastest strike by key, m/s.
const SPEEDS: [f64; 2] = [1.0 / 64.0, 64.0];
/// A peak is held so long, s, then it falls, dB/s.
const HOLD_S: f64 = 1.5;
const FALL_DB_S: f64 = 20.0;
/// Nothing is shown below, dBFS.
pub const FLOOR_DB: f64 = -60.0;

/// The level of a channel, dBFS.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meter {
    /// Root mean square.
    pub rms_db: f64,
    /// Highest magnitude, held for a while.
    pub hold_db: f64,
    /// Seconds for which it has been held.
    pub held_s: f64,
}

impl Default for Meter {
    fn default() -> Self {
        Self { rms_db: f64::NEG_INFINITY, hold_db: f64::NEG_INFINITY, held_s: 0.0 }
    }
}

impl Meter {
    /// A reading that covers the last `seconds`.
    pub fn hear(&mut self, peak_db: f64, rms_db: f64, seconds: f64) {
        self.rms_db = rms_db;
        self.held_s += seconds;
        if self.held_s > HOLD_S {
            self.hold_db -= FALL_DB_S * seconds;
        }
        if peak_db >= self.hold_db {
            (self.hold_db, self.held_s) = (peak_db, 0.0);
        }
    }
}

/// A value that keys can move.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Control or path: what the desk is told.
    pub path: String,
    /// A named control: the desk wants its position, not its value.
    pub control: bool,
    /// Unit of the value.
    pub unit: &'static str,
    /// Values at both ends.
    pub range: [f64; 2],
    /// Knob law.
    pub scale: Scale,
    /// Where it is, 0 to 1.
    pub position: f64,
}

impl Row {
    /// The value, in its unit.
    pub fn value(&self) -> f64 {
        scaled(self.scale, self.range[0], self.range[1], self.position)
    }

    /// Position of a value.
    fn position_of(&self, value: f64) -> f64 {
        position(self.scale, self.range[0], self.range[1], value)
    }

    fn set(&self) -> Key {
        set(&self.path, if self.control { self.position } else { self.value() })
    }
}

/// A path and its value, or a control and its position.
fn set(path: &str, value: f64) -> Key {
    Key::Gesture(Gesture::Set { path: path.to_owned(), value })
}

/// What a key asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Key {
    /// Something for the desk.
    Gesture(Gesture),
    /// The scene from its beginning.
    Replay,
    /// The next knob moves this; `None`: never mind.
    Learn(Option<Learn>),
    /// The end of playing.
    Quit,
}

/// Everything in sight.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// Title of the scene.
    pub title: String,
    /// Device, Hz, channels.
    pub device: String,
    /// Sample rate, Hz.
    pub rate_hz: f64,
    /// Seconds played.
    pub seconds: f64,
    /// One per channel, as many as have a meter.
    pub meters: Vec<Meter>,
    /// What each meter is called: by its output where the scene names outputs.
    pub meter_names: Vec<String>,
    /// Mean and largest part of its time that the engine takes.
    pub load: [f64; 2],
    /// What limiters take away, dB, each with the name of its output; empty for the one that every scene has.
    pub limited_db: Vec<(String, f64)>,
    /// What went wrong so far, and how often.
    pub health: Vec<(&'static str, u64)>,
    /// Controls, then live paths.
    pub rows: Vec<Row>,
    /// Which of them.
    pub chosen: usize,
    /// A value that is being typed.
    pub entry: String,
    /// Masses that can be struck.
    pub masses: Vec<String>,
    /// Which of them is struck, by its place among `masses`.
    pub mass: usize,
    /// Places that can be hit.
    pub sites: Vec<String>,
    /// Which of them is hit, by its place among `sites`.
    pub site: usize,
    /// Speed of strikes, m/s; zero before the first look.
    pub speed_m_s: f64,
    /// Remarks, newest last.
    pub news: VecDeque<String>,
    /// Keys in sight.
    pub help: bool,
    /// Someone plays by MIDI, and knobs can be learnt.
    pub can_learn: bool,
    /// The next knob will be learnt.
    pub learning: bool,
    /// Late blocks so far; readings hold those since the last one.
    pub(super) late: u64,
    /// Origin and text of the scene that rows and names belong to.
    pub(super) known: Option<(String, String)>,
}

/// The name of an output that the scene names; empty for the `main` that is there anyway.
fn written_name(output: &Output) -> String {
    if output.written { output.name.clone() } else { String::new() }
}

/// Names of the meters of so many channels.
fn meter_names(outputs: &[Output], channels: usize) -> Vec<String> {
    let plain = |channel: usize| match (channels, channel) {
        (1, _) => "mono".to_owned(),
        (2, 0) => "L".to_owned(),
        (2, _) => "R".to_owned(),
        _ => (channel + 1).to_string(),
    };
    let mut names: Vec<String> = (0..channels).map(plain).collect();
    for output in outputs.iter().filter(|output| output.written) {
        for (place, channel) in output.channels.iter().enumerate() {
            if let Some(name) = names.get_mut(*channel) {
                let several = output.channels.len() > 1;
                *name = if several { format!("{} {}", output.name, place + 1) } else { output.name.clone() };
            }
        }
    }
    names
}

/// In raw mode no signal but a key.
pub fn is_ctrl_c(key: KeyEvent) -> bool {
    key.modifiers.contains(KeyModifiers::CONTROL) && matches!(key.code, KeyCode::Char('c' | 'C'))
}

impl Panel {
    /// A remark in sight; older ones go.
    pub fn tell(&mut self, remark: String) {
        if self.news.len() == NEWS {
            self.news.pop_front();
        }
        self.news.push_back(remark);
    }

    /// Looks at the desk; `seconds` have passed since the last look.
    pub fn read(&mut self, desk: &mut Desk, device: &str, gaps: u64, seconds: f64) {
        let (status, counts) = (desk.status(), desk.counts());
        self.title = desk.scene().title().to_owned();
        (self.device, self.rate_hz) = (device.to_owned(), desk.rate_hz());
        self.seconds = status.tick as f64 / desk.rate_hz();
        self.meters.resize(desk.channels().min(METERS), Meter::default());
        let outputs = desk.directory().outputs();
        self.meter_names = meter_names(outputs, self.meters.len());
        let limited = outputs.iter().zip(status.limited).filter(|(_, gain)| *gain < 1.0);
        self.limited_db = limited.map(|(output, gain)| (written_name(output), db(gain))).collect();
        if status.frames > 0 {
            for (channel, meter) in self.meters.iter_mut().enumerate() {
                meter.hear(db(f64::from(status.peak[channel])), db(status.rms(channel)), seconds);
            }
            self.load = [status.mean_load(), f64::from(status.load)];
        }
        self.late += status.late_blocks;
        let health = status.health;
        self.health = vec![
            ("unconverged", health.unconverged),
            ("refused", health.refused + counts.refused),
            ("reset", health.reset),
            ("xruns", self.late + gaps),
            ("clamped", health.clamped + counts.clamped),
            ("dropped", counts.dropped),
            ("capped", health.capped),
        ];
        if self.speed_m_s == 0.0 {
            self.speed_m_s = 1.0;
        }
        self.learn_names(desk);
        self.read_rows(desk);
    }

    /// Masses and places, once per scene.
    fn learn_names(&mut self, desk: &mut Desk) {
        let scene = (desk.scene().origin.clone(), desk.scene().text.clone());
        if self.known.as_ref() == Some(&scene) {
            return;
        }
        self.known = Some(scene);
        let directory = desk.directory();
        self.masses = directory.masses().filter(|name| is_original(name)).map(str::to_owned).collect();
        let rings = |site: &Site| directory.yields(*site) && !directory.is_mass(site.body);
        let own = |site: &Site| directory.body_name(site.body).is_some_and(is_original);
        self.sites = directory.sites().filter(rings).filter(own).map(|site| directory.site_name(site)).collect();
        (self.mass, self.site, self.chosen) = (0, 0, 0);
    }

    fn read_rows(&mut self, desk: &Desk) {
        let mut rows = Vec::new();
        let paths = desk.paths();
        let controls = desk.controls();
        // What a control moves is in sight once, as that control.
        let behind: Vec<String> = controls.iter().map(|knob| knob.path.clone()).collect();
        for Knob { name, path, range, scale, position } in controls {
            let behind = paths.iter().find(|(known, ..)| *known == path);
            let unit = behind.map_or("", |(_, spec, _)| spec.unit);
            rows.push(Row { path: name, control: true, unit, range, scale, position });
        }
        for (path, spec, value) in paths {
            if behind.contains(&path) || !is_original(path.split(['.', '/']).next().unwrap_or_default()) {
                continue;
            }
            let range = [spec.min, spec.max];
            let mut row = Row { path, control: false, unit: spec.unit, range, scale: spec.scale, position: 0.0 };
            row.position = row.position_of(value).clamp(0.0, 1.0);
            rows.push(row);
        }
        self.rows = rows;
        self.chosen = self.chosen.min(self.rows.len().saturating_sub(1));
    }

    /// What a key does: to the panel itself, and what it asks of the desk.
    pub fn key(&mut self, key: KeyEvent) -> Option<Key> {
        let held = key.modifiers;
        if is_ctrl_c(key) {
            return Some(Key::Quit);
        }
        if !self.entry.is_empty() {
            return self.type_on(key.code);
        }
        let step = match (held.contains(KeyModifiers::SHIFT), held.contains(KeyModifiers::CONTROL)) {
            (true, _) => 0.1 * NUDGE,
            (_, true) => 5.0 * NUDGE,
            _ => NUDGE,
        };
        let last = self.rows.len().saturating_sub(1);
        match key.code {
            KeyCode::Char('q') => return Some(Key::Quit),
            KeyCode::Esc if self.help => self.help = false,
            KeyCode::Esc if self.learning => return self.learn_none(),
            KeyCode::Char('?') => self.help = !self.help,
            KeyCode::Up => self.chosen = self.chosen.saturating_sub(1),
            KeyCode::Down => self.chosen = (self.chosen + 1).min(last),
            KeyCode::PageUp => self.chosen = self.chosen.saturating_sub(10),
            KeyCode::PageDown => self.chosen = (self.chosen + 10).min(last),
            KeyCode::Home => self.chosen = 0,
            KeyCode::End => self.chosen = last,
            KeyCode::Left => return self.move_by(-step),
            KeyCode::Right => return self.move_by(step),
            KeyCode::Tab => self.mass = (self.mass + 1) % self.masses.len().max(1),
            KeyCode::BackTab => self.site = (self.site + 1) % self.sites.len().max(1),
            KeyCode::Char('<') => self.speed_m_s = (0.5 * self.speed_m_s).max(SPEEDS[0]),
            KeyCode::Char('>') => self.speed_m_s = (2.0 * self.speed_m_s).min(SPEEDS[1]),
            KeyCode::Char(' ') | KeyCode::Enter => match self.masses.get(self.mass) {
                Some(mass) => {
                    return Some(Key::Gesture(Gesture::Strike { body: mass.clone(), velocity_m_s: self.speed_m_s }));
                }
                None => self.tell("no mass to strike in this scene; h hits".into()),
            },
            KeyCode::Char('h') => match self.sites.get(self.site) {
                Some(site) => {
                    return Some(Key::Gesture(Gesture::Hit {
                        site: site.clone(),
                        impulse_n_s: IMPULSE_PER_SPEED * self.speed_m_s,
                    }));
                }
                None => self.tell("nothing here yields to a hit".into()),
            },
            KeyCode::Char('p') => return Some(Key::Gesture(Gesture::Hush)),
            KeyCode::Char('r') => return Some(Key::Replay),
            KeyCode::Char('l') if self.learning => return self.learn_none(),
            KeyCode::Char('l') => return self.learn(),
            KeyCode::Char(c) if c.is_ascii_digit() || c == '.' || c == '-' => self.entry.push(c),
            _ => {}
        }
        None
    }

    fn type_on(&mut self, code: KeyCode) -> Option<Key> {
        match code {
            KeyCode::Esc => self.entry.clear(),
            KeyCode::Backspace => drop(self.entry.pop()),
            KeyCode::Char(c) if (c.is_ascii_digit() || ".-+eE".contains(c)) && self.entry.len() < 24 => {
                self.entry.push(c);
            }
            KeyCode::Enter => {
                let typed = std::mem::take(&mut self.entry);
                let value = typed.parse::<f64>().ok().filter(|value| value.is_finite());
                match (value, self.rows.get_mut(self.chosen)) {
                    (Some(value), Some(row)) => {
                        let position = row.position_of(value);
                        // The desk answers for paths; a control's position says nothing about its unit.
                        let outside = row.control && !(-1e-9..=1.0 + 1e-9).contains(&position);
                        let (range, unit) = (row.range, row.unit);
                        row.position = position.clamp(0.0, 1.0);
                        let act = if row.control { row.set() } else { set(&row.path, value) };
                        if outside {
                            self.tell(format!("{typed} is out of range: {} to {} {unit}", range[0], range[1]));
                        }
                        return Some(act);
                    }
                    (None, _) => self.tell(format!("'{typed}' is not a number")),
                    (_, None) => self.tell("nothing here can be moved".into()),
                }
            }
            _ => {}
        }
        None
    }

    fn move_by(&mut self, step: f64) -> Option<Key> {
        let row = self.rows.get_mut(self.chosen)?;
        row.position = (row.position + step).clamp(0.0, 1.0);
        Some(row.set())
    }

    fn learn(&mut self) -> Option<Key> {
        if !self.can_learn {
            self.tell("no MIDI to learn from; start with --midi PORT".into());
            return None;
        }
        let row = self.rows.get(self.chosen)?;
        let range = (!row.control).then_some((row.range, row.scale));
        let mass = self.masses.get(self.mass).cloned();
        self.learning = true;
        self.tell(format!("move a knob for {}, or press a key for {}", row.path, mass.as_deref().unwrap_or("nothing")));
        let row = &self.rows[self.chosen];
        Some(Key::Learn(Some(Learn { path: row.path.clone(), range, mass })))
    }

    fn learn_none(&mut self) -> Option<Key> {
        self.learning = false;
        Some(Key::Learn(None))
    }
}

/// Copies that polyphony made stay out of sight: what moves the first of them is a control, or nothing.
fn is_original(name: &str) -> bool {
    !name.contains('~')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{library, live};

    fn press(panel: &mut Panel, code: KeyCode) -> Option<Key> {
        panel.key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    fn type_in(panel: &mut Panel, text: &str) -> Option<Key> {
        for c in text.chars() {
            assert_eq!(press(panel, KeyCode::Char(c)), None, "{c}");
        }
        press(panel, KeyCode::Enter)
    }

    /// A panel that has looked at a scene with a hammer, a bar and a control.
    fn panel() -> (Panel, Desk, live::Player) {
        let text = "body.hammer = { type = \"mass\", mass_kg = 0.01 }\n\
            body.bar = { type = \"modal\", modes = [{ freq_hz = 220.0, decay_s = 0.5, mass_kg = 0.05 }] }\n\
            contact.hit = { type = \"impact\", between = [\"hammer\", \"bar\"], stiffness = 1e8 }\n\
            tap = [{ of = \"bar\" }]\n\
            control = [{ name = \"hard\", path = \"hit/stiffness\", range = [1e6, 1e10], scale = \"log\" }]\n";
        let scene = library::from_text("test", "test", text.to_owned(), None).unwrap();
        let (mut desk, player) = live::open(scene, live::Setup::default()).unwrap();
        let mut panel = Panel::default();
        panel.read(&mut desk, "null", 0, 0.04);
        (panel, desk, player)
    }

    #[test]
    fn a_control_shows_the_value_that_the_scene_declares_and_arrows_move_it_in_equal_ratios() {
        let (mut panel, ..) = panel();
        assert_eq!((panel.rows[0].path.as_str(), panel.rows[0].unit), ("hard", "N/m^exponent"));
        assert!((panel.rows[0].position - 0.5).abs() < 1e-12 && (panel.rows[0].value() / 1e8 - 1.0).abs() < 1e-9);
        let Some(Key::Gesture(Gesture::Set { path, value: position })) = press(&mut panel, KeyCode::Right) else {
            panic!()
        };
        assert!(path == "hard" && (position - 0.52).abs() < 1e-12);
        let fine = panel.key(KeyEvent::new(KeyCode::Left, KeyModifiers::SHIFT));
        let Some(Key::Gesture(Gesture::Set { value: position, .. })) = fine else { panic!() };
        assert!((position - 0.518).abs() < 1e-12, "{position}");
        for _ in 0..100 {
            press(&mut panel, KeyCode::Right);
        }
        assert_eq!(panel.rows[0].position, 1.0);
    }

    #[test]
    fn rows_follow_whoever_moves_them_the_scenes_own_drive_and_event_a_hand_and_another_scene() {
        let scene = |event: f64| {
            let text = format!(
                "body.hammer = {{ type = \"mass\", mass_kg = 0.01, position_m = -1.0 }}\n\
                 body.bar = {{ type = \"modal\", modes = [{{ freq_hz = 220.0, decay_s = 0.5, mass_kg = 0.05 }}] }}\n\
                 contact.hit = {{ type = \"impact\", between = [\"hammer\", \"bar\"], stiffness = 1e8 }}\n\
                 tap = [{{ of = \"bar\" }}]\n\
                 drive = [{{ path = \"bar/decay_scale\", points = [[0.0, 1.0], [0.1, 3.0]] }}]\n\
                 event = [{{ at_s = 0.05, set = \"hit/stiffness\", value = {event:?} }}]\n\
                 control = [{{ name = \"hard\", path = \"hit/stiffness\", range = [1e6, 1e10], scale = \"log\" }}]\n"
            );
            library::from_text("test", "test", text, None).unwrap()
        };
        let setup = live::Setup { watch_load: false, ..live::Setup::default() };
        let (mut desk, mut player) = live::open(scene(1e9), setup).unwrap();
        desk.watch_settings().unwrap();
        let mut block = vec![0.0; 4800 * player.channels()];
        let mut panel = Panel::default();
        let mut stands = |desk: &mut Desk, player: &mut live::Player, blocks: usize| {
            (0..blocks).for_each(|_| player.play(&[], &mut block));
            desk.poll().unwrap();
            panel.read(desk, "null", 0, 0.04);
            let row = |path: &str| panel.rows.iter().find(|row| row.path == path).unwrap().value();
            [row("hard"), row("bar/decay_scale")]
        };
        let near = |found: [f64; 2], wanted: [f64; 2]| {
            assert!(found.iter().zip(wanted).all(|(a, b)| (a / b - 1.0).abs() < 1e-6), "{found:?}, not {wanted:?}");
        };
        near(stands(&mut desk, &mut player, 0), [1e8, 1.0]);
        near(stands(&mut desk, &mut player, 2), [1e9, 3.0]);
        // A hand is believed at once, and stays believed when it was felt.
        desk.set("hard", 0.5).unwrap();
        near(stands(&mut desk, &mut player, 0), [1e8, 3.0]);
        near(stands(&mut desk, &mut player, 1), [1e8, 3.0]);
        // Another scene, from its beginning: nothing of the one before is told of it.
        desk.load(scene(1e7)).unwrap();
        near(stands(&mut desk, &mut player, 0), [1e8, 1.0]);
        near(stands(&mut desk, &mut player, 2), [1e7, 3.0]);
        // What was sent is what is kept; what the scene did by itself it will do again.
        assert!(desk.moved().is_empty(), "{:?}", desk.moved());
    }

    #[test]
    fn rows_of_one_hammer_agree_under_all_its_names_whether_the_scene_a_hand_osc_or_midi_moves_it() {
        let text = "body.hammer = { type = \"mass\", mass_kg = 0.01, position_m = -1.0 }\n\
            body.bar = { type = \"modal\", modes = [{ freq_hz = 220.0, decay_s = 0.5, mass_kg = 0.05 }] }\n\
            contact.hit = { type = \"impact\", between = [\"hammer\", \"bar\"], hardness_01 = 0.5 }\n\
            tap = [{ of = \"bar\" }]\n\
            event = [{ at_s = 0.05, set = \"hit/hardness_01\", value = 0.25 }]\n\
            control = [{ name = \"hard\", path = \"hit/stiffness\", range = [1e5, 1e10], scale = \"log\" }]\n\
            midi = { strike = [\"hammer\"], notes = \"pitch\", retune = [\"bar\"], cc = { \"1\" = \"hard\" } }\n";
        let scene = library::from_text("test", "test", text.to_owned(), None).unwrap();
        let setup = live::Setup { watch_load: false, ..live::Setup::default() };
        let (mut desk, mut player) = live::open(scene, setup).unwrap();
        desk.watch_settings().unwrap();
        let translator = tocco_live::midi::Translator::new(tocco_live::midi::Map::of(&desk.scene().def));
        let mut ear = crate::midi::Ear::new(&mut desk, std::sync::Arc::new(std::sync::Mutex::new(translator)));
        let shared = live::Shared::new(desk);
        let mut server = crate::osc::Server::new(&shared, None);
        let mut block = vec![0.0; 4800 * player.channels()];
        let mut panel = Panel::default();
        // The stiffness, and the other two names by what they mean: 10 ms for the softest, 50 us for the hardest.
        let mut stands = |who: &str| {
            (0..3).for_each(|_| player.play(&[], &mut block));
            let mut desk = shared.lock();
            desk.poll().unwrap();
            panel.read(&mut desk, "null", 0, 0.04);
            let row = |path: &str| panel.rows.iter().find(|row| row.path == path).unwrap().value();
            let [stiffness, hardness, time_s] = ["hard", "hit/hardness_01", "hit/contact_time_s"].map(row);
            let felt = desk.value("hit/stiffness").unwrap(); // in sight as the control
            assert!((felt / stiffness - 1.0).abs() < 1e-6, "{who}: {felt} and {stiffness}");
            assert!(
                (time_s / (0.01 * 0.005_f64.powf(hardness)) - 1.0).abs() < 1e-6,
                "{who}: {hardness} and {time_s} s"
            );
            (stiffness, hardness)
        };
        let (soft, hardness) = stands("the scene");
        assert!((hardness - 0.25).abs() < 1e-6, "{hardness}");
        let wire = |value| crate::osc::wire::bytes_of("/hit/hardness_01", vec![rosc::OscType::Double(value)]);
        server.receive(&wire(0.75), "127.0.0.1:9".parse().unwrap());
        let (hard, hardness) = stands("OSC");
        assert!((hardness - 0.75).abs() < 1e-6 && hard > 10.0 * soft, "{hardness}: {soft} and {hard}");
        // In equal ratios of stiffness: from these two follows what any other feels like.
        let feels = |stiffness: f64| 0.25 + 0.5 * (stiffness / soft).ln() / (hard / soft).ln();
        for (number, value) in [(1_u8, 0_u8), (1, 127), (1, 64)] {
            ear.hear(&mut shared.lock(), 0, &[0xb0, number, value], 0.0);
            let (stiffness, hardness) = stands("MIDI");
            let wanted = 1e5 * 1e5_f64.powf(f64::from(value) / 127.0);
            assert!((stiffness / wanted - 1.0).abs() < 1e-6, "{stiffness}, not {wanted}");
            assert!((hardness - feels(stiffness).clamp(0.0, 1.0)).abs() < 1e-6, "{hardness}, not {}", feels(stiffness));
        }
        shared.lock().set("hit/contact_time_s", 1e-3).unwrap();
        let (stiffness, hardness) = stands("a hand");
        assert!(
            (hardness - feels(stiffness)).abs() < 1e-6 && (0.01 * 0.005_f64.powf(hardness) / 1e-3 - 1.0).abs() < 1e-6
        );
    }

    #[test]
    fn a_typed_value_is_in_the_unit_of_the_row_and_escape_forgets_it() {
        let (mut panel, ..) = panel();
        let Some(Key::Gesture(Gesture::Set { path, value: position })) = type_in(&mut panel, "1e7") else { panic!() };
        assert!(path == "hard" && (position - 0.25).abs() < 1e-12);
        let row = panel.rows.iter().position(|row| row.path == "bar/freq_scale").unwrap();
        for _ in 0..row {
            press(&mut panel, KeyCode::Down);
        }
        assert_eq!(type_in(&mut panel, "2.5"), Some(set("bar/freq_scale", 2.5)));
        press(&mut panel, KeyCode::Char('9'));
        assert_eq!((press(&mut panel, KeyCode::Esc), panel.entry.as_str()), (None, ""));
        assert_eq!(type_in(&mut panel, "1.2.3"), None);
        assert!(panel.news.back().unwrap().contains("not a number"));
        assert!(
            matches!(press(&mut panel, KeyCode::Enter), Some(Key::Gesture(Gesture::Strike { .. }))),
            "enter strikes again"
        );
    }

    #[test]
    fn keys_strike_hit_silence_replay_and_quit_and_what_they_ask_the_desk_understands() {
        let (mut panel, mut desk, mut player) = panel();
        assert_eq!(
            press(&mut panel, KeyCode::Char(' ')),
            Some(Key::Gesture(Gesture::Strike { body: "hammer".into(), velocity_m_s: 1.0 }))
        );
        press(&mut panel, KeyCode::Char('>'));
        assert_eq!(
            press(&mut panel, KeyCode::Char('h')),
            Some(Key::Gesture(Gesture::Hit { site: "bar".into(), impulse_n_s: 0.02 }))
        );
        assert_eq!(press(&mut panel, KeyCode::Char('p')), Some(Key::Gesture(Gesture::Hush)));
        assert_eq!(press(&mut panel, KeyCode::Char('r')), Some(Key::Replay));
        assert_eq!(press(&mut panel, KeyCode::Char('q')), Some(Key::Quit));
        assert_eq!(panel.key(KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL)), Some(Key::Quit));
        desk.strike("hammer", 1.0).unwrap();
        desk.hit("bar", 0.02).unwrap();
        let mut block = vec![0.0; 2048];
        player.play(&[], &mut block);
        desk.poll().unwrap();
        panel.read(&mut desk, "null", 3, 0.04);
        assert!(panel.meters[0].hold_db > -60.0 && panel.seconds > 0.04);
        assert!(panel.health.contains(&("xruns", 3)) && panel.health.contains(&("refused", 0)));
    }

    #[test]
    fn without_midi_there_is_nothing_to_learn_from_and_with_it_the_chosen_row_is_named() {
        let (mut panel, ..) = panel();
        assert_eq!(press(&mut panel, KeyCode::Char('l')), None);
        assert!(panel.news.back().unwrap().contains("--midi"));
        panel.can_learn = true;
        let wanted = Learn { path: "hard".into(), range: None, mass: Some("hammer".into()) };
        assert_eq!(press(&mut panel, KeyCode::Char('l')), Some(Key::Learn(Some(wanted))));
        assert_eq!(press(&mut panel, KeyCode::Esc), Some(Key::Learn(None)));
    }

    #[test]
    fn a_peak_is_held_and_then_falls_to_what_is_there() {
        let mut meter = Meter::default();
        meter.hear(-6.0, -12.0, 0.1);
        for _ in 0..14 {
            meter.hear(-30.0, -40.0, 0.1);
        }
        assert_eq!(meter.hold_db, -6.0);
        for _ in 0..30 {
            meter.hear(-30.0, -40.0, 0.1);
        }
        assert!((meter.hold_db + 30.0).abs() < 2.5, "{meter:?}");
    }

    #[test]
    fn meters_and_limiters_carry_the_names_of_the_outputs_that_the_scene_names() {
        let text = "body.bar = { type = 'modal', modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }] }\n\
            event = [{ at_s = 0.0, hit = 'bar', impulse_n_s = 1.0 }]\n\
            output.main.channels = [0, 2]\noutput.haptic.channels = [3]\n\
            tap = [{ of = 'bar', gain = 1e-6 }, { of = 'bar', to = 'haptic' }]";
        let scene = library::from_text("test", "test", text.to_owned(), None).unwrap();
        let setup = live::Setup { watch_load: false, ..live::Setup::default() };
        let (mut desk, mut player) = live::open(scene, setup).unwrap();
        player.play(&[], &mut vec![0.0; 4 * 4_800]);
        desk.poll().unwrap();
        let mut panel = Panel::default();
        panel.read(&mut desk, "null", 0, 0.1);
        assert_eq!(panel.meter_names, ["main 1", "2", "main 2", "haptic"]);
        let [(name, db)] = &panel.limited_db[..] else { panic!("{:?}", panel.limited_db) };
        assert!(name == "haptic" && *db < -6.0, "the loud output alone is turned down: {db} dB");
        assert!(panel.meters[3].hold_db > -2.0 && panel.meters[0].hold_db < -60.0);
    }

    #[test]
    fn any_keys_in_any_order_do_no_harm() {
        let (mut panel, ..) = panel();
        let mut rng = tocco::rng::Rng::new(1, "keys");
        let codes = [KeyCode::Up, KeyCode::Down, KeyCode::Left, KeyCode::Right, KeyCode::Enter, KeyCode::Esc];
        let more = [KeyCode::Tab, KeyCode::BackTab, KeyCode::Backspace, KeyCode::PageDown, KeyCode::End, KeyCode::F(1)];
        for _ in 0..20_000 {
            let pick = rng.bits();
            let code = match pick % 3 {
                0 => codes[(pick >> 8) as usize % codes.len()],
                1 => more[(pick >> 8) as usize % more.len()],
                _ => KeyCode::Char(char::from(32 + ((pick >> 8) % 95) as u8)),
            };
            if let Some(Key::Gesture(Gesture::Set { value, .. })) = press(&mut panel, code) {
                assert!(value.is_finite());
            }
        }
        let mut empty = Panel::default();
        for code in codes.into_iter().chain(more) {
            press(&mut empty, code);
        }
        type_in(&mut empty, "1");
    }
}
