// SPDX-License-Identifier: MIT OR Apache-2.0
//! A running session as it stands: taken, and gone back to as often as wanted. What follows is the same, bit for bit.

use crate::error::bad;
use crate::limiter::Limiter;
use crate::{Desk, Player, Result, Session};
use tocco::engine::Queue;
use tocco::{Engine, Health};

/// Everything that sounds and waits, and the values that were set. Whoever plays by [`Notes`](crate::Notes) keeps a copy of those with it:
/// which voice comes next is theirs to know.
#[derive(Clone)]
pub struct Snapshot {
    sound: Sound,
    values: Vec<Option<f64>>,
    generation: u64,
}

/// The audio half of a snapshot.
#[derive(Clone)]
pub(crate) struct Sound {
    pub engine: Engine,
    pub limiter: Option<Limiter>,
    pub queue: Queue,
    pub quiet: u64,
}

impl Snapshot {
    /// Samples that had been played.
    pub fn tick(&self) -> u64 {
        self.sound.engine.tick()
    }

    /// Counts of the engine then.
    pub fn health(&self) -> Health {
        self.sound.engine.health()
    }
}

impl Session {
    /// The session as it stands. It allocates: between blocks of somebody who has the time.
    pub fn snapshot(&mut self) -> Result<Snapshot> {
        self.desk.poll()?;
        Ok(Snapshot {
            sound: self.player.sound(),
            values: self.desk.values.clone(),
            generation: self.desk.generation(),
        })
    }

    /// Goes back to a snapshot of this session, and of the scene that sounds now. Not while a take is recorded: it would not be what
    /// was heard.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<()> {
        self.desk.may_go_back(snapshot.generation)?;
        self.player.exchange(&mut snapshot.sound.clone());
        self.desk.poll()?;
        self.desk.values.clone_from(&snapshot.values);
        Ok(())
    }
}

impl Desk {
    fn may_go_back(&self, generation: u64) -> Result<()> {
        if self.is_recording() {
            return bad("a take is being recorded, and time does not go back in it; end it first");
        }
        if self.generation() != generation {
            return bad("the snapshot is of another scene; take one of this");
        }
        Ok(())
    }
}

impl Player {
    fn sound(&self) -> Sound {
        Sound {
            engine: self.engine.clone(),
            limiter: self.limiter.clone(),
            queue: self.queue.clone(),
            quiet: self.quiet,
        }
    }

    /// Takes the place of what sounds, which is then in `other`. `[audio]`
    fn exchange(&mut self, other: &mut Sound) {
        core::mem::swap(&mut self.engine, &mut other.engine);
        core::mem::swap(&mut self.limiter, &mut other.limiter);
        core::mem::swap(&mut self.queue, &mut other.queue);
        core::mem::swap(&mut self.quiet, &mut other.quiet);
        self.begin_anew();
    }
}
