// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who walks: which foot stands when and where, and what it presses.
//!
//! **What.** A walker stands, starts, walks or runs, turns, climbs, stops, jumps; its speed and habits may be moved at any time and count from
//! the next step on. Or it is nobody, and somebody's sensors say what its feet do.
//!
//! **Law.** v the speed, n steps a second, d the stance's share of a stride (see [`curve`](super::curve)):
//! - `[walker.1]  n = 1.6 sqrt(v)`, d = 0.642 - 0.035 v, stance 2 d/n: walking, up to 2 m/s.
//! - `[walker.2]  stance = 0.52 v^-0.63 s`, step time = stance mean(F): running, above 2 m/s; the feet carry the weight on average.
//! - `[walker.3]  F -> F (1 +- a/2)`, step time (1 +- a/2): left and right differ by the asymmetry a.
//! - `[walker.4]  F -> F + v sd(s) w(s)`: no two steps are alike; sd is 0.067, 0.054, 0.039, 0.043 and 0.075 body weights at s = 0.05, 0.2, 0.47,
//!   0.75 and 0.9, as within one person; w has a new normal value every 0.15 stances and no corner between. The knock varies by 0.115
//!   body weights, the time of a step by 2 %.
//! - `[walker.5]  p = p0 + (v/n) (cos, sin)(heading)`, half a step's width to the foot's side: where it stands.
//! - `[walker.7]  F -> F (1 + (u - u0)/(g T))`, u = sqrt(2 g h): a leap of height h while running, where u0 is the speed with which a running step of
//!   time T leaves the ground; so does the foot that lands, and between the two lies 2 (u - u0)/g more. What is pressed is what is carried.
//! - `[walker.8]  heel = c g`, toe = (1 - c) g: by ear; steps are found in an envelope g [steps.2], feet take turns, and c is the heel's share
//!   [gait.4] of a walking step of 0.3 s.
//! - `[walker.6]  w = prod smoothstep` of the distances to the borders of a ground: how much of a region stands on it.
//!
//! Choices, no data: who starts takes 0.65 s sqrt(1.3/v) from the first move to the first heel strike; who stops brakes with one foot and sets the
//! other softly beside it; at most 0.6 rad are turned with a step, which takes longer by 15 % for each rad while the foot twists on its toe; a
//! dragged foot keeps up to 0.12 body weights on its toe while it swings; a foot that slips slides on for 0.1 s.
//!
//! **Step.** Once a cell; it knows the end of the cell as points do. Nothing depends on the sample rate.
//!
//! **Sources.** De Sena et al. 2009 sections 3.2, 7; [walker.1] Kirtley, Whittle and Jefferson 1985; step-to-step deviations as [gait.1].

use super::curve::{GRAVITY, JumpCurve, RunCurve, STAND_HEEL, WalkCurve, run_contact_s, smoothstep, walk_timing};
use crate::math::{PI, Real, atan2, cos, exp, sin};
use crate::param::{Params, Rate, Scale, Spec};
use crate::rng::Rng;
use crate::signal::GRID_S;
use crate::signal::steps::{StepFinder, StepMark, StepOptions, StepRule};

crate::params! {
    /// Live parameters of a walker.
    pub struct WalkParams {
        speed_m_s: "m/s", 0.0 => 10.0, default 1.3, Linear, Control, glide 0.0, "How fast it goes: walks up to 2, runs above, stands below 0.05.";
        asymmetry_01: "1", 0.0 => 1.0, default 0.03, Linear, Control, glide 0.0, "How much stronger and longer the left step is than the right one.";
        variation_01: "1", 0.0 => 1.0, default 1.0, Linear, Control, glide 0.0, "How much steps differ: 1 as in people, 0 not at all.";
        cushion_01: "1", 0.0 => 1.0, default 0.3, Linear, Control, glide 0.0, "How much is taken off the knock of the heel.";
        heading_rad: "rad", -1000.0 => 1000.0, default 0.0, Linear, Control, glide 0.0, "Where it goes, from the direction of x towards y; a path overrides it.";
        climb_m: "m", -0.5 => 0.5, default 0.0, Linear, Control, glide 0.0, "Stairs: so far up, or down, with each step.";
        tiptoe_01: "1", 0.0 => 1.0, default 0.0, Linear, Control, glide 0.0, "How much it goes on its toes.";
        drag_01: "1", 0.0 => 1.0, default 0.0, Linear, Control, glide 0.0, "How much it drags its feet.";
        slip_01: "1", 0.0 => 1.0, default 0.0, Linear, Control, glide 0.0, "How far a foot slides on when it comes down.";
        jump_m: "m", 0.0 => 1.5, default 0.0, Linear, Control, glide 0.0, "A jump of this height, once: from both feet as soon as they stand, a leap from foot to foot while it runs; 0 and up again: another.";
    }
}

/// What a walker says of itself, by the ends of its signals' names; inlets of the same names where others say it.
pub const LANES: [Spec; 10] = [
    lane("heel_left", "BW", 0.0, 10.0, "Force under the left heel."),
    lane("toe_left", "BW", 0.0, 10.0, "Force under the left toes."),
    lane("heel_right", "BW", 0.0, 10.0, "Force under the right heel."),
    lane("toe_right", "BW", 0.0, 10.0, "Force under the right toes."),
    lane("slide_left", "m/s", 0.0, 10.0, "How fast the left foot slides over the ground."),
    lane("slide_right", "m/s", 0.0, 10.0, "How fast the right foot slides over the ground."),
    lane("x_left", "m", -1e6, 1e6, "Where the left heel stands."),
    lane("y_left", "m", -1e6, 1e6, "Where the left heel stands."),
    lane("x_right", "m", -1e6, 1e6, "Where the right heel stands."),
    lane("y_right", "m", -1e6, 1e6, "Where the right heel stands."),
];

const fn lane(id: &'static str, unit: &'static str, min: Real, max: Real, doc: &'static str) -> Spec {
    let (scale, rate) = (Scale::Linear, Rate::Sample);
    Spec { id, unit, min, max, default: 0.0, scale, rate, glide_s: 0.0, doc }
}

/// How many regions there are: the first lanes.
pub const REGIONS: usize = 4;
/// Lanes of the slide of the left foot, and of its place.
const SLIDE: usize = 4;
const PLACE: usize = 6;

/// Parameters of a walker as the rest of the engine counts them: [`WalkParams`], then the inlets.
pub const INLETS: usize = WalkParams::SPECS.len();

/// A rectangle of ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Ground {
    /// Its name.
    pub name: String,
    /// From and to, m; endless where they are.
    pub x_m: [Real; 2],
    /// As `x_m`.
    pub y_m: [Real; 2],
    /// Width of its border, m.
    pub blend_m: Real,
}

impl Ground {
    /// How much of a place lies on it, 0 to 1. [walker.6]
    pub fn weight(&self, x: Real, y: Real) -> Real {
        let side = |at: Real, [from, to]: [Real; 2]| {
            let width = self.blend_m.max(1e-9);
            smoothstep((at - from) / width + 0.5) * smoothstep((to - at) / width + 0.5)
        };
        side(x, self.x_m) * side(y, self.y_m)
    }
}

/// What a walker is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct WalkMake {
    /// True if somebody else says what its feet do.
    pub by_inlets: bool,
    /// True if its steps are found in an envelope that it hears.
    pub by_ear: bool,
    /// True if they are found by the printed pair of thresholds [steps.5].
    pub by_pair: bool,
    /// When it begins to go, s.
    pub begin_s: Real,
    /// Steps until it stops; 0: it goes on.
    pub steps: u32,
    /// Where it stands first, m.
    pub start_m: [Real; 2],
    /// Places that it goes to in turn, m; it stops at the last.
    pub path_m: Vec<[Real; 2]>,
    /// Length of a foot from heel to toes, m, and how far left and right are apart.
    pub foot_m: Real,
    /// As `foot_m`.
    pub width_m: Real,
    /// Which foot goes first: 0 left, 1 right.
    pub first: usize,
    /// Grounds, each with signals of its own.
    pub grounds: Vec<Ground>,
}

impl Default for WalkMake {
    fn default() -> Self {
        Self {
            by_inlets: false,
            by_ear: false,
            by_pair: false,
            begin_s: 0.0,
            steps: 0,
            start_m: [0.0; 2],
            path_m: Vec::new(),
            foot_m: 0.18,
            width_m: 0.1,
            first: 0,
            grounds: Vec::new(),
        }
    }
}

/// Below this it stands, m/s.
const STANDS_M_S: Real = 0.05;
/// Above this it runs, m/s; it walks again a tenth below.
const RUNS_M_S: Real = 2.0;
/// Most that is turned with a step, rad.
const TURN_RAD: Real = 0.6;
/// Knots of [walker.4], and their distance in stances.
const KNOTS: usize = 8;
const KNOT: Real = 0.15;
/// Deviations of a step [walker.4].
const DEVIATION: [[Real; 2]; 7] =
    [[0.0, 0.0], [0.05, 0.067], [0.2, 0.054], [0.47, 0.039], [0.75, 0.043], [0.9, 0.075], [1.0, 0.0]];

/// What a foot does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// It stands.
    Stand,
    /// It is in the air, or dragged: since when, how long, how fast it swings, m/s.
    Air { length_s: Real, swing_m_s: Real },
    /// It carries a step.
    Walk { curve: WalkCurve, stance_s: Real },
    /// It carries a running step.
    Run { curve: RunCurve, stance_s: Real },
    /// The body leans, this foot leaves.
    Leave { length_s: Real },
    /// The body leans, this foot stays until it pushes off.
    Stay { curve: WalkCurve, stance_s: Real, length_s: Real },
    /// This foot brakes.
    Brake { curve: WalkCurve, stance_s: Real },
    /// This foot is set beside the other.
    Join { length_s: Real },
    /// Both jump.
    Jump(JumpCurve),
}

#[derive(Clone, Copy, Debug)]
struct Foot {
    phase: Phase,
    begin_s: Real,
    /// Factor on everything.
    gain: Real,
    wobble: [Real; KNOTS],
    place: [Real; 2],
    heading: Real,
    /// How far it twists in this stance, rad, and how fast it slips at first, m/s.
    twist: Real,
    slip: Real,
}

/// What the whole of it does.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Standing,
    Going,
    Stopping { left: u32 },
    Jumping,
}

/// Who listens for steps: the envelope now, the foot that is down since so many cells. [walker.8]
#[derive(Clone, Debug)]
struct Ear {
    finder: StepFinder,
    value: Real,
    foot: Option<usize>,
    age: u32,
}

/// A step that is heard is taken to last so long, s.
const HEARD_S: Real = 0.3;

/// Who walks. All methods `[audio]` but for `new`.
#[derive(Clone, Debug)]
pub struct Walker {
    make: WalkMake,
    params: WalkParams,
    /// What others say.
    inlets: [Real; LANES.len()],
    ear: Ear,
    rng: Rng,
    feet: [Foot; 2],
    mode: Mode,
    running: bool,
    /// When something is decided next, s, and which foot it is about.
    next_s: Real,
    next_foot: usize,
    taken: u32,
    waypoint: usize,
    position: [Real; 2],
    heading: Real,
    jumped: bool,
    /// Of a leap that has not landed: how much harder, and how much farther, m.
    leap: (Real, Real),
    begun: bool,
    hushed: bool,
    now: [Real; LANES.len()],
    then: [Real; LANES.len()],
}

impl Walker {
    /// Somebody who stands. `[control]`
    pub fn new(make: WalkMake, params: WalkParams, rng: Rng) -> Self {
        let foot = Foot {
            phase: Phase::Stand,
            begin_s: 0.0,
            gain: 1.0,
            wobble: [0.0; KNOTS],
            place: make.start_m,
            heading: 0.0,
            twist: 0.0,
            slip: 0.0,
        };
        let heard = StepOptions::default();
        let heard = if make.by_pair { StepOptions { rule: StepRule::Pair, ..heard } } else { heard };
        let mut walker = Self {
            inlets: [0.0; LANES.len()],
            ear: Ear { finder: StepFinder::new(heard), value: 0.0, foot: None, age: 0 },
            rng,
            feet: [foot; 2],
            mode: Mode::Standing,
            running: false,
            next_s: make.begin_s,
            next_foot: make.first.min(1),
            taken: 0,
            waypoint: 0,
            position: make.start_m,
            heading: 0.0,
            jumped: false,
            leap: (1.0, 0.0),
            begun: false,
            hushed: false,
            now: [0.0; LANES.len()],
            then: [0.0; LANES.len()],
            make,
            params,
        };
        walker.heading = walker.wanted_heading();
        for side in 0..2 {
            walker.feet[side].heading = walker.heading;
            walker.feet[side].place = walker.beside(side);
        }
        walker
    }

    /// What it is made of.
    pub fn make(&self) -> &WalkMake {
        &self.make
    }

    /// Parameter `index`, or an inlet after those.
    pub fn get(&self, index: usize) -> Real {
        if index < INLETS { self.params.value(index) } else { self.inlets.get(index - INLETS).copied().unwrap_or(0.0) }
    }

    /// Sets one that is within its range.
    pub fn set(&mut self, index: usize, value: Real) {
        if index < INLETS {
            self.params.put(index, value);
        } else if let Some(inlet) = self.inlets.get_mut(index - INLETS) {
            *inlet = value;
        }
    }

    /// Steps taken so far.
    pub fn steps(&self) -> u32 {
        self.taken
    }

    /// Lane `lane` at both ends of the cell.
    pub fn lane(&self, lane: usize) -> [Real; 2] {
        [self.now[lane], self.then[lane]]
    }

    /// A region of a ground at both ends of the cell.
    pub fn on_ground(&self, ground: usize, region: usize) -> [Real; 2] {
        let Some(ground) = self.make.grounds.get(ground) else { return [0.0; 2] };
        let weight = |lanes: &[Real; LANES.len()]| {
            let (side, toe) = (region / 2, region % 2);
            let (x, y) = (lanes[PLACE + 2 * side], lanes[PLACE + 1 + 2 * side]);
            let ahead = if toe == 1 { self.make.foot_m } else { 0.0 };
            let heading = self.feet[side].heading;
            lanes[region] * ground.weight(x + ahead * cos(heading), y + ahead * sin(heading))
        };
        [weight(&self.now), weight(&self.then)]
    }

    /// Silence: nobody is there any more, and what others said is forgotten.
    pub fn hush(&mut self) {
        self.hushed = true;
        self.inlets = [0.0; LANES.len()];
        self.ear.finder.reset();
        (self.ear.value, self.ear.foot) = (0.0, None);
    }

    /// Hears the next millisecond of an envelope, 0 to 1, and finds the steps in it. [walker.8]
    pub fn listen(&mut self, value: Real) {
        self.ear.value = value.max(0.0);
        self.ear.age = self.ear.age.saturating_add(1);
        if let Some(StepMark::Start(_)) = self.ear.finder.hear(self.ear.value) {
            self.ear.foot = Some(self.ear.foot.map_or(self.make.first.min(1), |foot| 1 - foot));
            self.ear.age = 0;
            self.taken += 1;
        }
    }

    /// Enters cell `index`.
    pub fn enter(&mut self, index: u64) {
        self.now = if self.begun { self.then } else { self.lanes(index as Real * GRID_S) };
        if core::mem::replace(&mut self.begun, true) && self.stays() {
            return;
        }
        self.then = self.lanes((index + 1) as Real * GRID_S);
    }

    /// True if it stands, and does not want to do anything else: it presses as it did.
    pub(crate) fn stays(&self) -> bool {
        let of_itself = !(self.make.by_inlets || self.make.by_ear || self.hushed);
        let rests = |foot: &Foot| foot.phase == Phase::Stand && foot.slip == 0.0;
        of_itself
            && self.mode == Mode::Standing
            && self.feet.iter().all(rests)
            && !(self.wants_to_go() || self.jumped || self.params.jump_m > 0.0)
    }

    fn lanes(&mut self, t: Real) -> [Real; LANES.len()] {
        if self.make.by_inlets {
            return self.inlets;
        }
        if self.make.by_ear {
            let mut lanes = [0.0; LANES.len()];
            if let Some(side) = self.ear.foot {
                let age_s = Real::from(self.ear.age) * GRID_S;
                let share = WalkCurve::at_speed(1.3).heel_share((age_s / HEARD_S).min(1.0));
                lanes[2 * side] = share * self.ear.value;
                lanes[2 * side + 1] = (1.0 - share) * self.ear.value;
            }
            return lanes;
        }
        if self.hushed {
            return [0.0; LANES.len()];
        }
        self.decide(t);
        let mut lanes = [0.0; LANES.len()];
        for (side, foot) in self.feet.iter().enumerate() {
            let [heel, toe, slide] = foot.press(t, &self.params);
            (lanes[2 * side], lanes[2 * side + 1], lanes[SLIDE + side]) = (heel, toe, slide);
            (lanes[PLACE + 2 * side], lanes[PLACE + 1 + 2 * side]) = (foot.place[0], foot.place[1]);
        }
        lanes
    }

    fn wants_to_go(&self) -> bool {
        let done = self.make.steps > 0 && self.taken >= self.make.steps;
        let arrived = !self.make.path_m.is_empty() && self.waypoint >= self.make.path_m.len();
        self.params.speed_m_s >= STANDS_M_S && !done && !arrived
    }

    fn wants_to_jump(&self) -> bool {
        self.params.jump_m > 0.0 && !self.jumped
    }

    fn decide(&mut self, t: Real) {
        self.jumped &= self.params.jump_m > 0.0;
        // Several decisions may fall into one cell, never many.
        for _ in 0..8 {
            self.land(t);
            if t < self.next_s {
                return;
            }
            match self.mode {
                Mode::Standing if self.wants_to_jump() => self.jump(t),
                Mode::Standing if self.wants_to_go() => self.start(t),
                Mode::Standing => return,
                Mode::Jumping => self.stand(),
                Mode::Going if self.wants_to_go() && (self.running || !self.wants_to_jump()) => self.step(),
                Mode::Going => self.stop(),
                Mode::Stopping { left: 0 } => self.stand(),
                Mode::Stopping { .. } => self.join(),
            }
        }
    }

    /// A stance that is over leaves the foot in the air.
    fn land(&mut self, t: Real) {
        let swing_m_s = 2.0 * self.params.speed_m_s;
        for foot in &mut self.feet {
            if let Some(end_s) = foot.ends_s().filter(|end_s| *end_s <= t) {
                (foot.phase, foot.begin_s) = (Phase::Air { length_s: 0.5, swing_m_s }, end_s);
            }
        }
    }

    fn stand(&mut self) {
        self.mode = Mode::Standing;
        for foot in &mut self.feet {
            (foot.phase, foot.begin_s) = (Phase::Stand, self.next_s);
        }
    }

    fn start(&mut self, t: Real) {
        let v = self.params.speed_m_s;
        let length_s = 0.65 * (1.3 / v.clamp(0.3, 3.0)).sqrt();
        let (hz, duty) = walk_timing(v.min(RUNS_M_S));
        let (curve, stance_s) = (WalkCurve::at_speed(v), 2.0 * duty / hz);
        let (goes, stays) = (self.next_foot, 1 - self.next_foot);
        self.feet[goes].phase = Phase::Leave { length_s };
        self.feet[stays].phase = Phase::Stay { curve, stance_s, length_s };
        self.feet.iter_mut().for_each(|foot| (foot.begin_s, foot.slip, foot.twist) = (t, 0.0, 0.0));
        (self.mode, self.next_s) = (Mode::Going, t + length_s);
    }

    fn jump(&mut self, t: Real) {
        let curve = JumpCurve::new(self.params.jump_m);
        self.jumped = true;
        for foot in &mut self.feet {
            (foot.phase, foot.begin_s, foot.slip, foot.twist) = (Phase::Jump(curve), t, 0.0, 0.0);
        }
        (self.mode, self.next_s) = (Mode::Jumping, t + curve.length_s());
    }

    /// The foot whose turn it is comes down where it belongs; the numbers of its stance are drawn.
    fn come_down(&mut self, length_m: Real) -> usize {
        let side = self.next_foot;
        let turn = self.turn();
        self.heading += turn;
        self.position[0] += length_m * cos(self.heading);
        self.position[1] += length_m * sin(self.heading);
        let (variation, asymmetry) = (self.params.variation_01, self.params.asymmetry_01);
        let sign = if side == 0 { 0.5 } else { -0.5 };
        // The foot on the outside of a turn carries more of it.
        let outside = 0.1 * turn * if side == 0 { -1.0 } else { 1.0 };
        let gain = 1.0 + sign * asymmetry + outside;
        let wobble = core::array::from_fn(|_| fault!(WALK_ALIKE, variation, 0.0) * self.rng.normal());
        let slip = self.params.slip_01 * self.params.speed_m_s;
        let (place, heading, begin_s) = (self.beside(side), self.heading, self.next_s);
        let foot = &mut self.feet[side];
        (foot.gain, foot.wobble, foot.slip, foot.twist) = (gain, wobble, slip, turn.abs());
        (foot.place, foot.heading, foot.begin_s) = (place, heading, begin_s);
        self.next_foot = 1 - side;
        self.taken += 1;
        if let Some([x, y]) = self.make.path_m.get(self.waypoint) {
            let (dx, dy) = (x - self.position[0], y - self.position[1]);
            // There, or past it.
            let ahead = dx * cos(self.heading) + dy * sin(self.heading);
            if ahead < 0.5 * length_m && (dx * dx + dy * dy).sqrt() < 2.0 * length_m {
                self.waypoint += 1;
            }
        }
        side
    }

    fn step(&mut self) {
        let v = self.params.speed_m_s;
        self.running = v > if self.running { 0.9 * RUNS_M_S } else { RUNS_M_S };
        let WalkParams { cushion_01, climb_m, tiptoe_01, variation_01, .. } = self.params;
        let (mut force, farther_m) = core::mem::replace(&mut self.leap, (1.0, 0.0));
        let mut air_s = 0.0;
        let (phase, step_s) = if self.running {
            let curve = RunCurve::at_speed(v).softened(tiptoe_01, cushion_01);
            let stance_s = run_contact_s(v);
            let step_s = stance_s * curve.mean(); // [walker.2]
            if self.wants_to_jump() {
                self.jumped = true;
                let rise_s = (2.0 * self.params.jump_m / GRAVITY).sqrt() - 0.5 * (step_s - stance_s); // [walker.7]
                air_s = 2.0 * rise_s.max(0.0);
                let harder = 1.0 + 0.5 * air_s / step_s;
                force *= harder;
                self.leap = (harder, v * air_s);
            }
            (Phase::Run { curve, stance_s }, step_s)
        } else {
            let (hz, duty) = walk_timing(v);
            let stance_s = 2.0 * duty / hz; // [walker.1]
            let mut curve = WalkCurve::at_speed(v).cushioned(cushion_01, stance_s);
            curve.knock = (curve.knock + 0.115 * variation_01 * (1.0 - 0.7 * cushion_01) * self.rng.normal()).max(0.0);
            (Phase::Walk { curve: curve.climbing(climb_m).on_toes(tiptoe_01), stance_s }, 1.0 / hz)
        };
        let side = self.come_down(v * step_s + farther_m);
        (self.feet[side].phase, self.feet[side].gain) = (phase, force * self.feet[side].gain);
        let sign = if side == 0 { 0.5 } else { -0.5 };
        let twist = 0.15 * self.feet[side].twist;
        let jitter = (0.02 * variation_01 * self.rng.normal()).clamp(-0.06, 0.06);
        let asymmetry = fault!(WALK_EVEN, self.params.asymmetry_01, 0.0);
        self.next_s += air_s + step_s * (1.0 + sign * asymmetry + jitter + twist); // [walker.3]
    }

    fn stop(&mut self) {
        let v = self.params.speed_m_s.max(0.7);
        let (hz, duty) = walk_timing(v.min(RUNS_M_S));
        let stance_s = 2.0 * duty / hz;
        let curve = WalkCurve::at_speed(v).cushioned(self.params.cushion_01, stance_s);
        let curve = curve.climbing(self.params.climb_m).on_toes(self.params.tiptoe_01);
        let side = self.come_down(0.7 * v / hz);
        self.feet[side].phase = Phase::Brake { curve, stance_s };
        self.mode = Mode::Stopping { left: 1 };
        self.next_s += 1.2 / hz;
    }

    fn join(&mut self) {
        let side = self.come_down(0.0);
        let length_s = 0.35;
        self.feet[side].phase = Phase::Join { length_s };
        self.mode = Mode::Stopping { left: 0 };
        self.next_s += 2.0 * length_s;
    }

    fn wanted_heading(&self) -> Real {
        match self.make.path_m.get(self.waypoint) {
            Some([x, y]) => atan2(y - self.position[1], x - self.position[0]),
            None if self.make.path_m.is_empty() => self.params.heading_rad,
            None => self.heading,
        }
    }

    /// How far it turns with the next step, rad.
    fn turn(&self) -> Real {
        let away = self.wanted_heading() - self.heading;
        let around = away - 2.0 * PI * (away / (2.0 * PI)).round();
        around.clamp(-TURN_RAD, TURN_RAD)
    }

    /// Where a foot stands beside the way. [walker.5]
    fn beside(&self, side: usize) -> [Real; 2] {
        let off = if side == 0 { 0.5 } else { -0.5 } * self.make.width_m;
        [self.position[0] - off * sin(self.heading), self.position[1] + off * cos(self.heading)]
    }
}

impl Foot {
    /// When its stance is over, s, if it ends by itself.
    fn ends_s(&self) -> Option<Real> {
        let length_s = match self.phase {
            Phase::Walk { stance_s, .. } | Phase::Run { stance_s, .. } => stance_s,
            Phase::Leave { length_s } => length_s,
            Phase::Stay { curve: _, stance_s, length_s } => length_s + (1.0 - Self::opposite(stance_s)) * stance_s,
            Phase::Stand | Phase::Air { .. } | Phase::Brake { .. } | Phase::Join { .. } | Phase::Jump(_) => {
                return None;
            }
        };
        Some(self.begin_s + length_s)
    }

    /// Where in a stance the other foot comes down.
    fn opposite(stance_s: Real) -> Real {
        (0.8 + 0.02 / stance_s).min(0.9)
    }

    /// Forces under heel and toes, body weights, and how fast it slides, m/s.
    fn press(&self, t: Real, params: &WalkParams) -> [Real; 3] {
        let since = t - self.begin_s;
        let split = |force: Real, heel_share: Real| {
            let heel = force * heel_share;
            [heel, force - heel]
        };
        let step = |force: Real, share: Real, s: Real| split(self.wobbled(force, s), share);
        let ([heel, toe], s) = match self.phase {
            Phase::Stand => (split(0.5, STAND_HEEL), 1.0),
            Phase::Air { length_s, swing_m_s } => {
                // Dragged, it weighs a little on its toes, all the way.
                let s = since / length_s;
                let window = smoothstep(s / 0.2) * (1.0 - smoothstep((s - 0.7) / 0.3));
                let force = 0.12 * params.drag_01 * window;
                return [0.0, force, params.drag_01 * swing_m_s * window];
            }
            Phase::Walk { curve, stance_s } => {
                let s = since / stance_s;
                (step(self.gain * curve.force(s), curve.heel_share(s), s), s)
            }
            Phase::Run { curve, stance_s } => {
                let s = since / stance_s;
                (step(self.gain * curve.force(s), curve.heel_share(s), s), s)
            }
            Phase::Leave { length_s } => {
                let s = since / length_s;
                // A little more weight first, then none.
                let force = 0.5 * (1.0 + 0.3 * smoothstep(s / 0.2)) * (1.0 - smoothstep((s - 0.2) / 0.35));
                (split(force, STAND_HEEL * (1.0 - smoothstep(s / 0.4))), 1.0)
            }
            Phase::Stay { curve, stance_s, length_s } => {
                let s = Self::opposite(stance_s) + (since - length_s) / stance_s;
                let lean = 0.5 - 0.15 * smoothstep(since / (0.2 * length_s));
                let force = lean + (1.0 - lean) * smoothstep((since / length_s - 0.2) / 0.35);
                let share = smoothstep((s - 0.45) / 0.3);
                let force = force + share * (curve.force(s) - force);
                (split(force, STAND_HEEL * (1.0 - share)), 1.0)
            }
            Phase::Brake { curve, stance_s } => {
                let s = since / stance_s;
                let down = smoothstep((s - 0.8) / 0.9);
                // After its first hump it keeps the weight, then half of it.
                let held = if s < curve.times[0] {
                    curve.force(s)
                } else {
                    1.0 + (curve.forces[0] - 1.0) * exp(-(s - curve.times[0]) / 0.15)
                };
                let flat = smoothstep((s - 0.12) / 0.4);
                (split(held * (1.0 - 0.5 * down), curve.heel_share(0.0) * (1.0 - flat) + STAND_HEEL * flat), s)
            }
            Phase::Join { length_s } => {
                let s = since / length_s;
                (split(0.5 * smoothstep(s), STAND_HEEL * smoothstep((s - 0.1) / 0.4)), 1.0)
            }
            Phase::Jump(curve) => {
                let (force, share) = curve.force(since);
                (split(0.5 * force, share), 1.0)
            }
        };
        let slip = self.slip * exp(-since.max(0.0) / 0.1);
        // Twisting on the toes between half and nine tenths of the stance: 0.1 m from their middle.
        let x = (s - 0.5) / 0.4;
        let twist = if (0.0..1.0).contains(&x) { self.twist * 0.1 * PI / 2.0 * sin(PI * x) / 0.25 } else { 0.0 };
        [heel, toe, if heel + toe > 0.0 { slip + twist } else { 0.0 }]
    }

    /// A step's force as it is this time. [walker.4]
    fn wobbled(&self, force: Real, s: Real) -> Real {
        let place = (s / KNOT).clamp(0.0, (KNOTS - 1) as Real - 1e-9);
        let (knot, part) = (place as usize, smoothstep(place - place.floor()));
        let own = self.wobble[knot] + (self.wobble[knot + 1] - self.wobble[knot]) * part;
        (force + own * crate::signal::breakpoints(&DEVIATION, s)).max(0.0)
    }
}

/// Weight of a mass, N.
pub fn weight_n(mass_kg: Real) -> Real {
    mass_kg * GRAVITY
}
