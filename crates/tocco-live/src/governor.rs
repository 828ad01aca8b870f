// SPDX-License-Identifier: MIT OR Apache-2.0
//! How much the audio half may spend: it sheds load before a block comes late, and takes it up again when there is room.
//!
//! The engine has no clock, so the time that a block took, over the time that it lasts, is told by whoever has one. A
//! change is an ordinary timed command, and a take records it.

use tocco::{Command, Gesture};

/// A step of the ladder, 0 the best.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grade(u8);

/// Most sub-steps, and how far below everything modes are silenced, dB. Sub-steps go first: fewer of them soften the
/// hardest blows a little, while silenced modes are gone.
const LADDER: [(u32, f64); 5] = [(64, -300.0), (8, -300.0), (4, -90.0), (2, -70.0), (1, -50.0)];

impl Grade {
    /// All sub-steps, all modes.
    pub const FULL: Grade = Grade(0);

    /// Most sub-steps.
    pub fn max_substeps(self) -> u32 {
        LADDER[usize::from(self.0)].0
    }

    /// Modes so far below everything are silenced, dB; -300: none.
    pub fn drop_below_db(self) -> f64 {
        LADDER[usize::from(self.0)].1
    }

    /// The command that brings it about.
    pub(crate) fn command(self) -> Command {
        Command::Quality { max_substeps: self.max_substeps(), drop_below_db: self.drop_below_db() }
    }

    /// The same as a gesture, for takes.
    pub(crate) fn gesture(self) -> Gesture {
        Gesture::Quality { max_substeps: self.max_substeps(), drop_below_db: self.drop_below_db() }
    }
}

/// Part of a block's time beyond which load is shed: what is left over must hold what the system does besides.
const HIGH: f64 = 0.7;
/// Below this part for [`CALM_S`], one step is taken back.
const LOW: f64 = 0.4;
/// s
const CALM_S: f64 = 2.0;
/// Blocks in a row above [`HIGH`] that ask for a step: one alone is the system's doing, not ours.
const INSIST: u32 = 3;
/// After a step the effect is awaited so long, s.
const PATIENCE_S: f64 = 0.05;

/// Chooses the grade from how much of their time blocks took.
#[derive(Clone, Debug)]
pub(crate) struct Governor {
    grade: Grade,
    insisting: u32,
    calm_s: f64,
    since_s: f64,
}

impl Governor {
    pub fn new() -> Self {
        Self { grade: Grade::FULL, insisting: 0, calm_s: 0.0, since_s: 0.0 }
    }

    pub fn grade(&self) -> Grade {
        self.grade
    }

    /// A block of `lasting_s` took this part of its time. A new grade, if it is time for one. `[audio]`
    pub fn judge(&mut self, load: f64, lasting_s: f64) -> Option<Grade> {
        self.since_s += lasting_s;
        self.insisting = if load > HIGH { self.insisting + 1 } else { 0 };
        self.calm_s = if load < LOW { self.calm_s + lasting_s } else { 0.0 };
        let now = usize::from(self.grade.0);
        let wanted = if self.insisting >= INSIST && self.since_s > PATIENCE_S {
            (now + 1).min(LADDER.len() - 1)
        } else if self.calm_s > CALM_S {
            now.saturating_sub(1)
        } else {
            now
        };
        if wanted == now {
            return None;
        }
        (self.grade, self.insisting, self.calm_s, self.since_s) = (Grade(wanted as u8), 0, 0.0, 0.0);
        Some(self.grade)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_is_shed_when_blocks_insist_and_taken_up_when_it_is_calm() {
        let mut governor = Governor::new();
        let block_s = 64.0 / 48_000.0;
        assert_eq!(governor.judge(5.0, block_s), None, "one late block is the system's");
        let steps: Vec<_> = (0..1000).filter_map(|_| governor.judge(0.9, block_s)).collect();
        assert_eq!(steps.len(), LADDER.len() - 1);
        assert_eq!(governor.grade().max_substeps(), 1);
        for _ in 0..10_000 {
            assert_eq!(governor.judge(0.5, block_s), None, "in between nothing changes");
        }
        let mut seconds = 0.0;
        while governor.grade() != Grade::FULL {
            governor.judge(0.1, block_s);
            seconds += block_s;
        }
        assert!((7.9..8.2).contains(&seconds), "{seconds}");
    }
}
