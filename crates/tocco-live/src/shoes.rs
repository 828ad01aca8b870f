// SPDX-License-Identifier: MIT OR Apache-2.0
//! Shoes with sensors: raw readings become forces in body weights, and a guess of what a step will reach.
//!
//! Four sensors: heel and toe, left and right. Their zero is the 5th percentile of what they read, their scale such that the 95th
//! percentile of heel and toe together is 1.2 body weights while the foot stands. How hard a step will be is told from its first
//! 3.5 ms, and once more for the end of its first 10 ms, by the last reading from which a word still comes there in time:
//! `F1 = a + b F(window)`, with a and b of each foot learned step by step (recursive least squares, what is old counts 2 % less with every step). A sensor that sticks or falls silent lifts its foot after half a second.
//!
//! No port, socket or clock: readings and their times come in, what is to be done comes out.

/// The sensors, in their order.
pub const SENSORS: [&str; 4] = ["heel_left", "toe_left", "heel_right", "toe_right"];
/// Below this a foot is lifted, BW.
const LIFTED_BW: f64 = 0.02;
/// It is up for so long before a step counts as new, s.
const UP_S: f64 = 0.08;
/// A sensor that says nothing, or the same under load, is not believed after so long, s.
const PATIENCE_S: f64 = 0.5;
/// The first peak is known so long after contact, s.
const PEAK_S: f64 = 0.25;
/// Windows of the attack, s, and what a and b are to begin with: means over 600 steps of ten people on a force plate.
const WINDOWS: [(f64, [f64; 2]); 2] = [(0.0035, [1.047, 0.812]), (0.010, [1.000, 0.394])];
/// A word takes at most so long until all that sounds has heard it, s: a block of 64 samples, two milliseconds of the grid, and what the limiter
/// looks ahead.
const WAY_S: f64 = 0.0039;
/// Guesses are held to these, BW.
const GUESSES: (f64, f64) = (0.7, 1.8);
/// What 95 % of standing stays below, BW.
const HEAVY_BW: f64 = 1.2;
/// Readings kept for calibration.
const MOST_READINGS: usize = 65_536;

/// What is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// A region presses, BW.
    Force(usize, f64),
    /// The step of a foot (0 left, 1 right) will reach so much, BW; true if that is the last word.
    Expect(usize, f64, bool),
    /// A sensor is not believed any more; why.
    Lost(usize, &'static str),
    /// A sensor is believed again.
    Back(usize),
}

/// Zero and scale of four sensors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Reading of a lifted foot.
    pub zero: [f64; 4],
    /// Body weights per unit of reading.
    pub per_unit: [f64; 4],
}

impl Scale {
    /// Readings in body weights.
    pub const PLAIN: Self = Self { zero: [0.0; 4], per_unit: [1.0; 4] };

    /// From readings of a walk; `None` if a foot never moved.
    pub fn from_walk(readings: &[[f64; 4]]) -> Option<Self> {
        let percentile = |mut all: Vec<f64>, share: f64| -> Option<f64> {
            all.retain(|x| x.is_finite());
            all.sort_by(f64::total_cmp);
            all.get(((all.len().max(1) - 1) as f64 * share) as usize).copied()
        };
        let mut scale = Self::PLAIN;
        for k in 0..4 {
            scale.zero[k] = percentile(readings.iter().map(|r| r[k]).collect(), 0.05)?;
        }
        for foot in 0..2 {
            let sum = |r: &[f64; 4]| r[2 * foot] - scale.zero[2 * foot] + r[2 * foot + 1] - scale.zero[2 * foot + 1];
            let most = readings.iter().map(sum).fold(0.0, f64::max);
            // Only while it stands.
            let standing: Vec<f64> = readings.iter().map(sum).filter(|x| *x > 0.2 * most).collect();
            let heavy = percentile(standing, 0.95).filter(|heavy| *heavy > 0.0)?;
            scale.per_unit[2 * foot] = HEAVY_BW / heavy;
            scale.per_unit[2 * foot + 1] = HEAVY_BW / heavy;
        }
        Some(scale)
    }

    fn force(&self, sensor: usize, reading: f64) -> f64 {
        let force = (reading - self.zero[sensor]) * self.per_unit[sensor];
        if force.is_finite() && force > LIFTED_BW { force.min(10.0) } else { 0.0 }
    }
}

/// `y = a + b x`, learned pair by pair.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// a and b.
    pub terms: [f64; 2],
    /// Covariance: xx, xy, yy.
    doubt: [f64; 3],
}

impl Line {
    /// What counts of the old with every new pair.
    const KEEP: f64 = 0.98;

    /// Begins with these.
    pub fn new(terms: [f64; 2]) -> Self {
        Self { terms, doubt: [1.0, 0.0, 1.0] }
    }

    /// y for an x.
    pub fn guess(&self, x: f64) -> f64 {
        (self.terms[0] + self.terms[1] * x).clamp(GUESSES.0, GUESSES.1)
    }

    /// A pair was seen.
    pub fn learn(&mut self, x: f64, y: f64) {
        let [p, q, r] = self.doubt;
        let (u, v) = (p + q * x, q + r * x);
        let gain = 1.0 / (Self::KEEP + u + v * x);
        let error = y - self.terms[0] - self.terms[1] * x;
        self.terms = [self.terms[0] + gain * u * error, self.terms[1] + gain * v * error];
        // Held, so that standing about forgets nothing for good.
        self.doubt = [p - gain * u * u, q - gain * u * v, r - gain * v * v].map(|x| (x / Self::KEEP).clamp(-1e3, 1e3));
    }
}

/// A step under way.
#[derive(Clone, Copy, Debug)]
struct Contact {
    began_s: f64,
    /// Force where each window ended.
    early: [Option<f64>; 2],
    most: f64,
    learned: bool,
}

/// A foot.
#[derive(Clone, Debug)]
struct Foot {
    contact: Option<Contact>,
    up_since_s: f64,
    lines: [Line; 2],
    /// Force and time of the last reading, and of the last one at another time.
    last: (f64, f64),
    before: (f64, f64),
}

/// A sensor.
#[derive(Clone, Copy, Debug)]
struct Sensor {
    reading: f64,
    heard_s: f64,
    /// Since when it reads the same.
    same_s: f64,
    force: f64,
    lost: bool,
}

/// Four sensors of one person.
#[derive(Clone, Debug)]
pub struct Shoes {
    scale: Scale,
    sensors: [Sensor; 4],
    feet: [Foot; 2],
    readings: Vec<[f64; 4]>,
}

impl Shoes {
    /// Nobody stands yet.
    pub fn new(scale: Scale) -> Self {
        let sensor = Sensor { reading: f64::NAN, heard_s: f64::NEG_INFINITY, same_s: 0.0, force: 0.0, lost: false };
        let lines = WINDOWS.map(|(_, terms)| Line::new(terms));
        let foot = Foot { contact: None, up_since_s: f64::NEG_INFINITY, lines, last: (0.0, 0.0), before: (0.0, 0.0) };
        Self { scale, sensors: [sensor; 4], feet: [foot.clone(), foot], readings: Vec::new() }
    }

    /// Zero and scale now.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Another zero and scale.
    pub fn set_scale(&mut self, scale: Scale) {
        self.scale = scale;
    }

    /// Zero and scale of everything that was heard so far; `None` if a foot never moved.
    pub fn calibrate(&mut self) -> Option<Scale> {
        let scale = Scale::from_walk(&self.readings)?;
        self.readings = Vec::new();
        self.scale = scale;
        Some(scale)
    }

    /// The same for now, while more is to come: nothing is forgotten.
    pub fn guess_scale(&mut self) {
        if let Some(scale) = Scale::from_walk(&self.readings) {
            self.scale = scale;
        }
    }

    /// What a foot's attack tells now: a and b of both windows.
    pub fn lines(&self, foot: usize) -> [Line; 2] {
        self.feet[foot].lines
    }

    /// One reading of one sensor at a time, s.
    pub fn hear(&mut self, at_s: f64, sensor: usize, reading: f64, out: &mut Vec<Said>) {
        let Some(own) = self.sensors.get_mut(sensor) else { return };
        if !reading.is_finite() {
            return;
        }
        if reading != own.reading || own.heard_s == f64::NEG_INFINITY {
            (own.reading, own.same_s) = (reading, at_s);
            if core::mem::take(&mut own.lost) {
                out.push(Said::Back(sensor));
            }
        }
        own.heard_s = at_s;
        let force = if own.lost { 0.0 } else { self.scale.force(sensor, reading) };
        if force != own.force {
            own.force = force;
            out.push(Said::Force(sensor, force));
        }
        if self.readings.len() < MOST_READINGS && sensor == 3 {
            self.readings.push(self.sensors.map(|s| if s.reading.is_nan() { 0.0 } else { s.reading }));
        }
        self.step(sensor / 2, at_s, out);
    }

    /// Looks for sensors that stick or are silent. Call it some hundred times a second.
    pub fn turn(&mut self, at_s: f64, out: &mut Vec<Said>) {
        for k in 0..4 {
            let sensor = &mut self.sensors[k];
            if sensor.lost || sensor.force == 0.0 {
                continue;
            }
            let why = if at_s - sensor.heard_s > PATIENCE_S {
                "says nothing"
            } else if at_s - sensor.same_s > PATIENCE_S {
                "sticks"
            } else {
                continue;
            };
            (sensor.lost, sensor.force) = (true, 0.0);
            out.push(Said::Force(k, 0.0));
            out.push(Said::Lost(k, why));
            self.step(k / 2, at_s, out);
        }
    }

    /// Follows the step of a foot.
    fn step(&mut self, foot: usize, at_s: f64, out: &mut Vec<Said>) {
        let force = self.sensors[2 * foot].force + self.sensors[2 * foot + 1].force;
        let own = &mut self.feet[foot];
        let last = core::mem::replace(&mut own.last, (force, at_s));
        if at_s > last.1 {
            own.before = last;
        }
        let (before, before_s) = own.before;
        if force == 0.0 {
            if own.contact.take().is_some() || last.0 > 0.0 {
                own.up_since_s = at_s;
            }
            return;
        }
        let Some(contact) = &mut own.contact else {
            if at_s - own.up_since_s >= UP_S || own.up_since_s == f64::NEG_INFINITY {
                own.contact = Some(Contact { began_s: at_s, early: [None; 2], most: force, learned: false });
            }
            return;
        };
        let age = at_s - contact.began_s;
        for (k, (window, _)) in WINDOWS.iter().enumerate() {
            let (is_last, between_s) = (k + 1 == WINDOWS.len(), (at_s - before_s).max(1e-9));
            let due = if is_last { age + between_s + WAY_S > *window } else { age >= *window };
            if contact.early[k].is_none() && age > 0.0 && due {
                // Where the window ends: between the last reading and this one, or as far on as it has risen since.
                let end_s = contact.began_s + window;
                let part = ((end_s - before_s) / between_s).clamp(0.0, 8.0);
                let x = before + (force - before) * part;
                contact.early[k] = Some(x);
                out.push(Said::Expect(foot, own.lines[k].guess(x), is_last));
            }
        }
        if age <= PEAK_S {
            contact.most = contact.most.max(force);
        } else if !contact.learned {
            contact.learned = true;
            for (line, early) in own.lines.iter_mut().zip(contact.early) {
                if let Some(x) = early {
                    line.learn(x, contact.most);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tocco::gait::curve::WalkCurve;
    use tocco::rng::Rng;

    /// Readings of a walk at 1 kHz, sensor by sensor, scaled as an own shoe would.
    fn walk(shoes: &mut Shoes, rng: &mut Rng, steps: usize, zero: f64, unit: f64) -> Vec<(f64, Said)> {
        let mut all = Vec::new();
        let stride_s = 1.1;
        let speeds: Vec<f64> = (0..steps).map(|_| rng.between(0.9, 1.7)).collect();
        for k in 0..(steps as f64 * 550.0) as usize {
            let at_s = 1e-3 * k as f64;
            let mut out = Vec::new();
            for foot in 0..2 {
                let t = at_s - 0.55 * foot as f64;
                let stride = (t / stride_s).floor();
                let s = (t - stride * stride_s) / 0.65;
                let speed = speeds[((2.0 * stride.max(0.0)) as usize + foot).min(steps - 1)];
                let curve = WalkCurve::at_speed(speed);
                let force = if t >= 0.0 && s < 1.0 { curve.force(s) } else { 0.0 };
                let heel = curve.heel_share(s.clamp(0.0, 1.0)) * force;
                for (sensor, value) in [(2 * foot, heel), (2 * foot + 1, force - heel)] {
                    shoes.hear(at_s, sensor, zero + unit * value + 0.001 * unit * rng.unit(), &mut out);
                }
            }
            shoes.turn(at_s, &mut out);
            all.extend(out.into_iter().map(|said| (at_s, said)));
        }
        all
    }

    #[test]
    fn raw_readings_of_a_walk_tell_their_own_zero_and_weight() {
        let mut shoes = Shoes::new(Scale::PLAIN);
        walk(&mut shoes, &mut Rng::new(1, "walk"), 20, 37.0, 410.0);
        let scale = shoes.calibrate().unwrap();
        for k in 0..4 {
            assert!((scale.zero[k] - 37.2).abs() < 1.0, "{scale:?}");
            assert!((scale.per_unit[k] * 410.0 - 1.0).abs() < 0.12, "{scale:?}");
        }
        assert!(Scale::from_walk(&[[5.0; 4]; 100]).is_none());
    }

    #[test]
    fn a_step_is_foreseen_at_once_and_better_after_ten_milliseconds_and_twenty_steps() {
        let mut shoes = Shoes::new(Scale::PLAIN);
        let mut rng = Rng::new(2, "walk");
        let said = walk(&mut shoes, &mut rng, 60, 0.0, 1.0);
        let lasts: Vec<&(f64, Said)> = said.iter().filter(|(_, s)| matches!(s, Said::Expect(_, _, true))).collect();
        assert_eq!(lasts.len(), 60, "one last word for every step");
        // From the last reading, at 1 kHz, that is not too late: 6 ms after the first that feels the contact, which is itself up to 2 ms later.
        for (foot, at_s) in lasts.iter().map(|(at_s, said)| (matches!(said, Said::Expect(1, ..)), at_s)) {
            let stride_s = 1.1;
            let since_s = (at_s - if foot { 0.55 } else { 0.0 }).rem_euclid(stride_s);
            assert!(since_s < 0.009, "{since_s}");
        }
        let firsts = said.iter().filter(|(_, s)| matches!(s, Said::Expect(_, _, false))).count();
        assert_eq!(firsts, 60);
        // The curves of speeds between 0.9 and 1.7 m/s are one family: after 20 steps the guess is as near as 600 measured
        // steps allow after 20 of their own, 0.062 BW.
        let peaks: Vec<f64> = peaks(&said);
        let late: Vec<f64> = lasts[24..]
            .iter()
            .zip(&peaks[24..])
            .map(|((_, said), peak)| {
                let Said::Expect(_, guess, _) = said else { panic!() };
                guess - peak
            })
            .collect();
        let rms = (late.iter().map(|e| e * e).sum::<f64>() / late.len() as f64).sqrt();
        assert!(rms < 0.062, "{rms}");
    }

    /// The largest force of every step, in the order of their last words.
    fn peaks(said: &[(f64, Said)]) -> Vec<f64> {
        let mut forces = [0.0; 4];
        let mut open: Vec<(usize, f64, usize)> = Vec::new();
        let mut all = Vec::new();
        for (at_s, said) in said {
            match said {
                Said::Force(k, force) => forces[*k] = *force,
                Said::Expect(foot, _, true) => {
                    open.push((*foot, *at_s, all.len()));
                    all.push(0.0_f64);
                }
                _ => {}
            }
            for (foot, from, index) in &open {
                if at_s - from <= PEAK_S - 0.01 {
                    all[*index] = all[*index].max(forces[2 * foot] + forces[2 * foot + 1]);
                }
            }
        }
        all
    }

    #[test]
    fn a_line_is_learned_and_guesses_stay_within_reason() {
        let mut line = Line::new([1.047, 0.812]);
        let mut rng = Rng::new(3, "line");
        for _ in 0..400 {
            let x = rng.between(0.1, 0.9);
            line.learn(x, 0.9 + 0.5 * x);
        }
        assert!((line.terms[0] - 0.9).abs() < 0.01 && (line.terms[1] - 0.5).abs() < 0.01, "{:?}", line.terms);
        assert_eq!((line.guess(50.0), line.guess(-50.0)), (1.8, 0.7));
        for _ in 0..100_000 {
            line.learn(0.5, 1.15);
        }
        assert!(line.terms.iter().all(|x| x.is_finite()) && (line.guess(0.5) - 1.15).abs() < 1e-6);
    }

    #[test]
    fn a_sensor_that_sticks_or_falls_silent_lifts_its_foot_after_half_a_second() {
        for silent in [false, true] {
            let mut shoes = Shoes::new(Scale::PLAIN);
            let (mut lifted, mut back) = (None, None);
            for k in 0..2000 {
                let (at_s, mut out) = (1e-3 * f64::from(k), Vec::new());
                let value = 0.5 + if (200..1500).contains(&k) { 0.0 } else { 1e-3 * f64::from(k % 7) };
                if !(silent && (200..1500).contains(&k)) {
                    shoes.hear(at_s, 0, value, &mut out);
                }
                shoes.turn(at_s, &mut out);
                for said in out {
                    match said {
                        Said::Lost(0, why) => lifted = Some((at_s, why)),
                        Said::Back(0) => back = Some(at_s),
                        Said::Force(0, force) if lifted.is_some() && back.is_none() => assert_eq!(force, 0.0),
                        _ => {}
                    }
                }
            }
            let (at_s, why) = lifted.unwrap();
            assert!((at_s - 0.7).abs() < 0.005, "{at_s}");
            assert_eq!(why, if silent { "says nothing" } else { "sticks" });
            assert!((back.unwrap() - 1.5).abs() < 0.005);
        }
    }
}
