// SPDX-License-Identifier: MIT OR Apache-2.0
//! Plays what happens on a scene whose bodies, hammers and contacts were all built beforehand.
//!
//! **What.** A thing that appears is given a body of its kind from a pool; one that vanishes gives it back, and it rings out. An
//! impact takes a hammer: a mass as heavy as the impact feels, as fast as the surfaces closed, behind a spare contact that is
//! joined to the body at that sample. Each thing of a pair that has a body gets one. Sliding takes a hand that moves at the speed of
//! the sliding under a rough friction contact; rolling a ball, pressed by the normal force, over a profile that passes at
//! the speed of the rolling.
//!
//! **Law.** `[stage.1]` Impacts are chosen by energy, `m v^2/2`, times the pair's weight; what lasts by its power, force times speed,
//! times the weight, and who sounds already counts half as much again. What there is no voice or no budget for is left out and counted.

use crate::pairs::{Pairs, Surface};
use crate::stream::{Event, Motion, What};
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write;
use tocco::contact::Site;
use tocco::theory::WallImpact;
use tocco::{Address, Command, Directory, SceneDef, SceneError};

/// Mass, kg, for which a hardness holds, at 1 m/s.
const HARD_FOR_KG: f64 = 0.05;
/// Times of contact of hardness 0 and 1, s.
const CONTACT_S: [f64; 2] = [0.01, 5e-5];
/// Sub-steps of every blow: a part in a thousand of its rebound, which no game needs, is what more of them would mend.
const SUBSTEPS: u32 = 4;
/// Most sub-steps of anything, and the level below everything at which a body that nobody touches is let be, dB.
const MOST_SUBSTEPS: u32 = 16;
const INAUDIBLE_DB: f64 = -80.0;
/// How long a hammer is kept where it strikes, in times of contact with a wall.
const KEPT: f64 = 3.0;
/// How long something that lasted fades before its voice is free, s.
const FADES_S: f64 = 0.02;
/// What counts more because it sounds already.
const STAYS: f64 = 1.5;
/// Time over which the use of a core is averaged, s, and the part of the budget that is aimed at.
const AVERAGED_S: f64 = 0.25;
const AIM: f64 = 0.85;
/// Seconds of budget that may be saved up.
const SAVED_S: f64 = 0.1;

/// A kind of thing: what its body is, and how many may be there at once.
#[derive(Clone, Debug)]
pub struct Kind {
    /// Name of the kind: letters, digits, dashes.
    pub name: String,
    /// How many bodies are built.
    pub copies: usize,
    /// The table of the body in the scene language.
    pub table: String,
    /// Ports that are struck, in turn; none: the body has one.
    pub touched: Vec<String>,
    /// Port that is heard.
    pub heard: Option<String>,
    /// Gain of its tap.
    pub gain: f64,
    /// What is heard of it: `velocity`, `acceleration` or `position`.
    pub quantity: String,
}

impl Kind {
    /// A kind whose body has this table (`type = "modal" ...`) and one port.
    pub fn from_text(name: &str, copies: usize, table: &str) -> Result<Self, SceneError> {
        SceneDef::from_text(&format!("[body.{name}]\n{table}\n"))?;
        Ok(Self {
            name: name.to_owned(),
            copies,
            table: table.to_owned(),
            touched: Vec::new(),
            heard: None,
            gain: 1.0,
            quantity: "velocity".to_owned(),
        })
    }

    /// Heard so loud.
    pub fn gain(mut self, gain: f64) -> Self {
        self.gain = gain;
        self
    }

    /// Struck at these ports in turn, heard at another.
    pub fn ports(mut self, touched: &[&str], heard: &str) -> Self {
        self.touched = touched.iter().map(|port| (*port).to_owned()).collect();
        self.heard = Some(heard.to_owned());
        self
    }
}

/// How much of a core may be spent on sound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Part of a core.
    pub core: f64,
    /// What one blow costs, s of a core.
    pub impact_s: f64,
    /// What one voice that slides or rolls costs, as a part of a core.
    pub lasting: f64,
}

impl Default for Budget {
    fn default() -> Self {
        Self { core: 0.2, impact_s: 2.5e-4, lasting: 0.05 }
    }
}

/// How many of everything are built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pools {
    /// Hammers.
    pub impacts: usize,
    /// Hands that slide and scrape.
    pub slides: usize,
    /// Balls that roll.
    pub rolls: usize,
    /// What may be spent.
    pub budget: Budget,
}

impl Default for Pools {
    fn default() -> Self {
        Self { impacts: 24, slides: 6, rolls: 4, budget: Budget::default() }
    }
}

/// What was played and what was not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// Blows.
    pub impacts: u64,
    /// Blows without a hammer or beyond the budget.
    pub left_out: u64,
    /// Events of a pair of which neither thing is known, or without sense.
    pub unknown: u64,
    /// Things that found no body of their kind.
    pub without_body: u64,
}

/// A thing of a pair that something is heard of.
type Side = ([u64; 2], usize);

#[derive(Clone, Copy, Debug)]
struct Hammer {
    contact: usize,
    body: usize,
    mass: Address,
    stiffness: Address,
    dissipation: Address,
    /// It is somewhere until then.
    until: u64,
}

#[derive(Clone, Copy, Debug)]
struct Lasting {
    contact: usize,
    /// What moves: a hand, or what carries a profile past.
    moves: usize,
    speed: Address,
    /// What presses: a parameter of the contact, or a force on the ball.
    force: Address,
    /// mu_static, mu_dynamic, roughness of friction; stiffness, dissipation and the ball's mass of rolling.
    values: [Address; 3],
    of: Option<Side>,
    /// A thing of its pair is gone, though another may have its number by now.
    orphaned: bool,
    until: u64,
    joined: bool,
}

/// What was asked of a voice in one step.
#[derive(Clone, Copy, Debug)]
struct Wish {
    side: Side,
    site: Site,
    power: f64,
    surface: Surface,
    motion: Motion,
    force_n: f64,
    speed_m_s: f64,
    mass_kg: f64,
    lasts_s: f64,
    at: u64,
}

/// A pool of bodies of one kind.
#[derive(Clone, Debug, Default)]
struct Shelf {
    names: Vec<String>,
    sites: Vec<Vec<Site>>,
    /// Those that nobody has, the longest unused first.
    free: VecDeque<usize>,
}

/// The things that are there, their bodies, and the voices that excite them.
#[derive(Clone, Debug)]
pub struct Stage {
    kinds: Vec<Kind>,
    shelves: Vec<Shelf>,
    pairs: Pairs,
    pools: Pools,
    rate_hz: f64,
    /// Kind and number of the body of each thing.
    things: BTreeMap<u64, (usize, usize)>,
    hammers: Vec<Hammer>,
    rubs: Vec<Lasting>,
    rolls: Vec<Lasting>,
    /// Tick of the engine at time 0 of the caller.
    origin: f64,
    time_s: Option<f64>,
    saved_s: f64,
    /// Part of a core that was used lately, and what things cost beside what the budget says.
    used: f64,
    dear: f64,
    turn: u64,
    played: Played,
}

impl Stage {
    /// The stage and the scene that it plays on. A mistake in a kind's table is the scene's own.
    pub fn new(kinds: &[Kind], pairs: Pairs, pools: Pools, rate_hz: f64) -> Result<(Self, SceneDef), SceneError> {
        let wrong = |what: &str| Err(SceneError::new("kind", what));
        let mut first = None;
        let mut text = format!("rate_hz = {rate_hz:?}\n");
        for kind in kinds {
            let plain = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
            if !plain(&kind.name) || kind.name.starts_with("stage-") || !kind.gain.is_finite() {
                return wrong(
                    "a kind has a name of letters, digits and dashes that does not begin with stage-, and a gain that is a number",
                );
            }
            for copy in 0..kind.copies {
                let name = format!("{}-{copy}", kind.name);
                let at = |port: Option<&String>| port.map_or(name.clone(), |port| format!("{name}.{port}"));
                first.get_or_insert(at(kind.touched.first()));
                let _ = writeln!(text, "[body.{name}]\n{}", kind.table);
                let (heard, gain, quantity) = (at(kind.heard.as_ref()), kind.gain, &kind.quantity);
                let _ = writeln!(text, "[[tap]]\nof = \"{heard}\"\ngain = {gain:?}\nquantity = \"{quantity}\"");
            }
        }
        let Some(first) = first else { return wrong("a stage needs a kind with at least one copy") };
        for i in 0..pools.impacts {
            let _ = writeln!(
                text,
                "[body.stage-hammer-{i}]\ntype = \"mass\"\nposition_m = -1.0\n\
                 [contact.stage-knock-{i}]\ntype = \"impact\"\nbetween = [\"stage-hammer-{i}\", \"{first}\"]\nspare = true\nsubsteps = {SUBSTEPS}"
            );
        }
        for i in 0..pools.slides {
            let _ = writeln!(
                text,
                "[body.stage-hand-{i}]\ntype = \"guided\"\n\
                 [contact.stage-rub-{i}]\ntype = \"friction\"\nbetween = [\"stage-hand-{i}\", \"{first}\"]\nspare = true\n\
                 normal_force_n = 0.0\nstribeck_m_s = 0.02\nbristle_stiffness = 5.0e6\nbristle_damping = 20.0\nviscosity = 1.0\n\
                 roughness = 0.3\ntexture = {{ beta = 0.6, grain_m = 1.5e-5, longest_m = 0.005 }}"
            );
        }
        for i in 0..pools.rolls {
            let _ = writeln!(
                text,
                "[body.stage-way-{i}]\ntype = \"guided\"\n[body.stage-ball-{i}]\ntype = \"mass\"\nposition_m = -1.0\n\
                 [contact.stage-roll-{i}]\ntype = \"impact\"\nbetween = [\"stage-ball-{i}\", \"{first}\"]\nspare = true\nsubsteps = {SUBSTEPS}\n\
                 texture = {{ beta = 1.2, grain_m = 1.0e-3, longest_m = 0.2, height_m = 5.0e-6, travel_from = \"stage-way-{i}\" }}"
            );
        }
        let def = SceneDef::from_text(&text)?;
        let shelf = |kind: &Kind| Shelf {
            names: (0..kind.copies).map(|copy| format!("{}-{copy}", kind.name)).collect(),
            sites: Vec::new(),
            free: (0..kind.copies).collect(),
        };
        let stage = Self {
            shelves: kinds.iter().map(shelf).collect(),
            kinds: kinds.to_vec(),
            pairs,
            pools,
            rate_hz,
            things: BTreeMap::new(),
            hammers: Vec::new(),
            rubs: Vec::new(),
            rolls: Vec::new(),
            origin: 0.0,
            time_s: None,
            saved_s: SAVED_S * pools.budget.core,
            used: 0.0,
            dear: 1.0,
            turn: 0,
            played: Played::default(),
        };
        Ok((stage, def))
    }

    /// Looks up the scene's names once it is built; before that nothing is played.
    pub fn wire(&mut self, names: &Directory) -> Result<(), SceneError> {
        for (kind, shelf) in self.kinds.iter().zip(&mut self.shelves) {
            let place = |name: &String, port: &String| names.site(&format!("{name}.{port}"));
            let places = |name: &String| match &kind.touched[..] {
                [] => Ok(vec![names.site(name)?]),
                ports => ports.iter().map(|port| place(name, port)).collect(),
            };
            shelf.sites = shelf.names.iter().map(places).collect::<Result<_, SceneError>>()?;
        }
        let address = |name: &str, i: usize, id: &str| names.address(&format!("stage-{name}-{i}/{id}"));
        let hammer = |i: usize| {
            Ok(Hammer {
                contact: names.contact(&format!("stage-knock-{i}"))?,
                body: names.body(&format!("stage-hammer-{i}"))?,
                mass: address("hammer", i, "mass_kg")?,
                stiffness: address("knock", i, "stiffness")?,
                dissipation: address("knock", i, "dissipation_s_m")?,
                until: 0,
            })
        };
        let rub = |i: usize| {
            Ok(Lasting {
                contact: names.contact(&format!("stage-rub-{i}"))?,
                moves: names.body(&format!("stage-hand-{i}"))?,
                speed: address("hand", i, "velocity_m_s")?,
                force: address("rub", i, "normal_force_n")?,
                values: [
                    address("rub", i, "mu_static")?,
                    address("rub", i, "mu_dynamic")?,
                    address("rub", i, "roughness")?,
                ],
                of: None,
                orphaned: false,
                until: 0,
                joined: false,
            })
        };
        let roll = |i: usize| {
            Ok(Lasting {
                contact: names.contact(&format!("stage-roll-{i}"))?,
                moves: names.body(&format!("stage-ball-{i}"))?,
                speed: address("way", i, "velocity_m_s")?,
                force: address("ball", i, "force_n")?,
                values: [
                    address("roll", i, "stiffness")?,
                    address("roll", i, "dissipation_s_m")?,
                    address("ball", i, "mass_kg")?,
                ],
                of: None,
                orphaned: false,
                until: 0,
                joined: false,
            })
        };
        let Pools { impacts, slides, rolls, .. } = self.pools;
        self.hammers = (0..impacts).map(hammer).collect::<Result<_, SceneError>>()?;
        self.rubs = (0..slides).map(rub).collect::<Result<_, SceneError>>()?;
        self.rolls = (0..rolls).map(roll).collect::<Result<_, SceneError>>()?;
        Ok(())
    }

    /// Time 0 of the caller is this tick of the engine: where it is now, and a step later if sound is made while the game steps.
    pub fn begin_at(&mut self, tick: u64) {
        self.origin = tick as f64;
    }

    /// A thing of a kind is there. False if it is already, or no body of that kind is left: then it makes no sound.
    pub fn appear(&mut self, thing: u64, kind: usize) -> bool {
        let known = self.things.contains_key(&thing);
        let body = self.shelves.get_mut(kind).filter(|_| !known).and_then(|shelf| shelf.free.pop_front());
        self.played.without_body += u64::from(body.is_none() && !known);
        body.is_some_and(|body| self.things.insert(thing, (kind, body)).is_none())
    }

    /// A thing is gone: what excites it stops at the next [`Stage::play`], and its body rings out. False if it was not there.
    pub fn vanish(&mut self, thing: u64) -> bool {
        let Some((kind, body)) = self.things.remove(&thing) else { return false };
        self.shelves[kind].free.push_back(body);
        for voice in self.rubs.iter_mut().chain(&mut self.rolls) {
            voice.orphaned |= voice.of.is_some_and(|(pair, _)| pair.contains(&thing));
        }
        true
    }

    /// What was played so far.
    pub fn played(&self) -> Played {
        self.played
    }

    /// Sound took so much of a core for so long a time: the budget is kept by what things cost here.
    pub fn measured(&mut self, spent_s: f64, lasted_s: f64) {
        let used = spent_s / lasted_s;
        if used.is_finite() && used >= 0.0 && lasted_s > 0.0 {
            self.used += (used.min(10.0) - self.used) * (lasted_s / AVERAGED_S).min(1.0);
            let over = self.used / (AIM * self.pools.budget.core.max(1e-6));
            // Soon dearer, slowly cheaper.
            self.dear = (self.dear * (1.0 + (over - 1.0).clamp(-0.02, 0.1))).clamp(0.1, 100.0);
        }
    }

    /// Plays what happened in a step that ends at this time; commands go to `sink` with their ticks.
    pub fn play(&mut self, end_s: f64, events: &[Event], mut sink: impl FnMut(u64, Command)) {
        if !end_s.is_finite() || self.hammers.len() + self.rubs.len() + self.rolls.len() == 0 {
            return;
        }
        if self.time_s.is_none() {
            // What has died away is let be: a pool would ring for minutes at levels that nobody hears.
            sink(0, Command::Quality { max_substeps: MOST_SUBSTEPS, drop_below_db: INAUDIBLE_DB });
        }
        let lasted_s = self.time_s.map_or(0.0, |before| (end_s - before).clamp(0.0, 1.0));
        self.time_s = Some(end_s);
        let now = self.tick(end_s - lasted_s);
        let Budget { core, lasting, .. } = self.pools.budget;
        let sounding = self.rubs.iter().chain(&self.rolls).filter(|voice| voice.of.is_some()).count();
        let spared = core - self.dear * lasting * sounding as f64;
        self.saved_s = (self.saved_s + lasted_s * spared.max(0.0)).min(SAVED_S * core);
        self.play_impacts(events, &mut sink);
        self.play_lasting(events, now, &mut sink);
    }

    fn tick(&self, at_s: f64) -> u64 {
        (self.origin + at_s * self.rate_hz).round().max(0.0) as u64
    }

    /// Sites of the things of a pair that have a body, at the port whose turn it is.
    fn sides(&self, pair: [u64; 2], turn: u64) -> impl Iterator<Item = (usize, Site)> {
        pair.into_iter().enumerate().filter_map(move |(side, thing)| {
            let (kind, body) = *self.things.get(&thing)?;
            let sites = self.shelves[kind].sites.get(body)?;
            Some((side, sites[(turn.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) as usize % sites.len()]))
        })
    }

    fn play_impacts(&mut self, events: &[Event], sink: &mut impl FnMut(u64, Command)) {
        let mut blows = Vec::new();
        for event in events {
            let What::Impact { speed_m_s, mass_kg, .. } = event.what else { continue };
            if !(event.at_s.is_finite() && speed_m_s.is_finite() && mass_kg.is_finite() && mass_kg > 0.0) {
                self.played.unknown += 1;
                continue;
            }
            let surface = self.pairs.of(event.materials);
            let energy = 0.5 * mass_kg * speed_m_s * speed_m_s * surface.weight; // [stage.1]
            self.turn += 1;
            let before = blows.len();
            blows.extend(self.sides(event.pair, self.turn).map(|(_, site)| (energy, event, surface, site)));
            self.played.unknown += u64::from(blows.len() == before);
        }
        blows.sort_by(|a, b| b.0.total_cmp(&a.0));
        for (_, event, surface, site) in blows {
            let What::Impact { speed_m_s, mass_kg, .. } = event.what else { continue };
            let cost_s = self.dear * self.pools.budget.impact_s;
            let tick = self.tick(event.at_s);
            let free = self.hammers.iter().position(|hammer| hammer.until <= tick);
            let Some(voice) = free.filter(|_| cost_s <= self.saved_s) else {
                self.played.left_out += 1;
                continue;
            };
            self.saved_s -= cost_s;
            self.played.impacts += 1;
            let hammer = &mut self.hammers[voice];
            let stiffness = stiffness(surface.hardness_01);
            let dissipation_s_m = surface.dissipation_s_m;
            let blow = WallImpact { mass_kg, stiffness, exponent: 1.5, dissipation_s_m: 0.0, velocity_m_s: speed_m_s };
            hammer.until = tick + (KEPT * blow.contact_time_s() * self.rate_hz) as u64 + 32;
            let hammer_site = Site { body: hammer.body, port: 0 };
            sink(tick, Command::Join { contact: hammer.contact, between: Some([hammer_site, site]) });
            sink(tick, Command::Jump(hammer.mass, mass_kg));
            sink(tick, Command::Jump(hammer.stiffness, stiffness));
            sink(tick, Command::Jump(hammer.dissipation, dissipation_s_m));
            sink(tick, Command::Strike { body: hammer.body, velocity_m_s: speed_m_s });
            sink(hammer.until, Command::Join { contact: hammer.contact, between: None });
        }
    }

    fn play_lasting(&mut self, events: &[Event], now: u64, sink: &mut impl FnMut(u64, Command)) {
        let (mut rubs, mut rolls) = (Vec::new(), Vec::new());
        for event in events {
            let What::Goes { motion, force_n, speed_m_s, mass_kg, lasts_s, .. } = event.what else { continue };
            if ![event.at_s, force_n, speed_m_s, mass_kg, lasts_s].iter().all(|x| x.is_finite()) {
                self.played.unknown += 1;
                continue;
            }
            let list = match motion {
                Motion::Rest => continue,
                Motion::Roll => &mut rolls,
                Motion::Slide | Motion::Scrape => &mut rubs,
            };
            let surface = self.pairs.of(event.materials);
            let (power, at) = (force_n * speed_m_s * surface.weight, self.tick(event.at_s));
            // One place for as long as it lasts.
            let turn = event.pair[0] ^ event.pair[1].rotate_left(17);
            for (side, site) in self.sides(event.pair, turn) {
                let side = (event.pair, side);
                list.push(Wish { side, site, power, surface, motion, force_n, speed_m_s, mass_kg, lasts_s, at });
            }
        }
        let Budget { core, lasting, .. } = self.pools.budget;
        let most = (0.5 * core / (self.dear * lasting).max(1e-9)) as usize;
        let fades = (FADES_S * self.rate_hz) as u64;
        let rubbing = settle(&mut self.rubs, rubs, most, now, fades, sink, false);
        settle(&mut self.rolls, rolls, most.saturating_sub(rubbing), now, fades, sink, true);
    }
}

/// Stiffness of a blow so hard, N/m^1.5.
fn stiffness(hardness_01: f64) -> f64 {
    let contact_s = CONTACT_S[0] * (CONTACT_S[1] / CONTACT_S[0]).powf(hardness_01);
    let unit =
        WallImpact { mass_kg: HARD_FOR_KG, stiffness: 1.0, exponent: 1.5, dissipation_s_m: 0.0, velocity_m_s: 1.0 };
    (unit.contact_time_s() / contact_s).powf(2.5)
}

/// Gives voices to the loudest of what lasts, and takes them from what has ended. Returns how many sound.
fn settle(
    voices: &mut [Lasting],
    mut wishes: Vec<Wish>,
    most: usize,
    now: u64,
    fades: u64,
    sink: &mut impl FnMut(u64, Command),
    rolls: bool,
) -> usize {
    let glide = |address, value, glide_s| Command::Glide { address, value, glide_s };
    for wish in &mut wishes {
        let stays = voices.iter().any(|voice| voice.of == Some(wish.side) && !voice.orphaned);
        wish.power *= if stays { STAYS } else { 1.0 };
    }
    wishes.sort_by(|a, b| b.power.total_cmp(&a.power));
    // One on each body: a floor on which everything slides is heard of the loudest.
    let mut bodies = Vec::new();
    wishes.retain(|wish| {
        let new = !bodies.contains(&wish.site.body);
        bodies.push(wish.site.body);
        new
    });
    wishes.truncate(most.min(voices.len()));
    for voice in voices.iter_mut() {
        let wanted = voice.of.is_some_and(|side| wishes.iter().any(|wish| wish.side == side));
        if voice.of.is_some() && (!wanted || voice.orphaned) {
            (voice.of, voice.orphaned, voice.until) = (None, false, now + fades);
            sink(now, glide(voice.force, 0.0, 0.01));
            sink(now, glide(voice.speed, 0.0, 0.01));
        } else if voice.of.is_none() && voice.joined && voice.until <= now {
            voice.joined = false;
            sink(now, Command::Join { contact: voice.contact, between: None });
        }
    }
    for wish in wishes {
        let own = voices.iter().position(|voice| voice.of == Some(wish.side));
        let free = || voices.iter().position(|voice| voice.of.is_none() && !voice.joined);
        let Some(index) = own.or_else(free) else { continue };
        let (voice, at) = (&mut voices[index], wish.at.max(now));
        if own.is_none() {
            (voice.of, voice.joined) = (Some(wish.side), true);
            let first = Site { body: voice.moves, port: 0 };
            sink(at, Command::Join { contact: voice.contact, between: Some([first, wish.site]) });
            let Surface { hardness_01, dissipation_s_m, mu_static, mu_dynamic, roughness, .. } = wish.surface;
            let values = if rolls {
                [stiffness(hardness_01), dissipation_s_m, wish.mass_kg]
            } else {
                let rough = if wish.motion == Motion::Scrape { roughness } else { 0.5 * roughness };
                [mu_static, mu_dynamic, rough]
            };
            for (address, value) in voice.values.into_iter().zip(values) {
                sink(at, Command::Jump(address, value));
            }
            if rolls {
                sink(at, Command::Strike { body: voice.moves, velocity_m_s: 0.0 });
            }
        }
        sink(at, glide(voice.force, wish.force_n, wish.lasts_s));
        sink(at, glide(voice.speed, wish.speed_m_s, wish.lasts_s));
    }
    voices.iter().filter(|voice| voice.of.is_some()).count()
}
