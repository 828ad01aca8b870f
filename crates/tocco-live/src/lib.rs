// SPDX-License-Identifier: MIT OR Apache-2.0
//! Playing a scene live, in two halves, for whoever has a device: a program, a page, a plug-in, a patch.
//!
//! The *control half*, [`Desk`], has names, words and time to spare: it resolves gestures, checks values, answers
//! mistakes, records takes and frees what is no longer needed. The *audio half*, [`Player`], has none of these: it takes
//! requests from a wait-free ring at block boundaries, renders, limits, meters and hands everything that must be freed or
//! written back through another ring. It neither allocates nor locks nor calls the system.
//!
//! There is no device, file, socket or clock here. Sound is asked for by whoever has a device ([`Player::play`]), takes
//! are written to any [`std::io::Write`], and time is a function that is handed in ([`Setup::clock`]). Where both halves
//! live on one thread (an offline renderer, a worklet, a test), [`Session`] holds the two.
//!
//! ```
//! use tocco::Document;
//! use tocco_live::{Session, Setup};
//! let text = "body.bar = { type = 'modal', modes = [{ freq_hz = 440.0, decay_s = 0.5, mass_kg = 0.05 }] }\n\
//!             tap = [{ of = 'bar' }]";
//! let scene = Document::read("bar", "here", text.into(), |_| Err("no recordings here".into()))?;
//! let mut session = Session::open(scene, Setup::default())?;
//! session.desk.hit("bar", 0.01)?;
//! let mut block = vec![0.0; 512 * session.desk.channels()];
//! session.play(&[], &mut block)?;
//! assert!(block.iter().any(|x| *x != 0.0));
//! assert!(session.desk.hit("bra", 1.0).unwrap_err().to_string().contains("did you mean 'bar'?"));
//! # Ok::<(), tocco_live::Error>(())
//! ```

pub mod describe;
mod desk;
mod echo;
mod error;
mod governor;
pub mod instrument;
pub mod limiter;
pub mod midi;
pub mod notes;
pub mod phone;
mod player;
mod report;
pub mod shoes;
mod snapshot;
pub mod take;

pub use desk::{Answer, Beat, Built, Counts, Desk, Knob, Prepare, When, Workshop};
pub use error::{Error, Result};
pub use governor::Grade;
pub use instrument::{Instrument, State};
pub use notes::Notes;
pub use player::Player;
pub use report::{METERS, OUTPUTS, PROBES, Status};
pub use snapshot::Snapshot;

use tocco::Document;

/// Time for the audio half, ns after a moment of the caller's choice. It is called on the audio thread.
pub type Clock = Box<dyn Fn() -> u64 + Send>;

/// Rate, channels and what stands between the engine and the ear.
pub struct Setup {
    /// Rate of the device and so of the engine; `None`: the scene's own, Hz.
    pub rate_hz: Option<f64>,
    /// Least number of channels; a mono scene is then heard on the first two, unless it says where it goes.
    pub channels: usize,
    /// Limit true peaks, each output by itself.
    pub limiter: bool,
    /// How far limiters look ahead, s: so much later everything is heard.
    pub look_s: f64,
    /// Shed load before it is too much, where there is a clock. Off where nobody waits for the sound.
    pub watch_load: bool,
    /// What time it is; without it nothing can be placed by time, and load is not known.
    pub clock: Option<Clock>,
    /// Paths and values before the first tick, without glide.
    pub sets: Vec<(String, f64)>,
    /// Seconds of sound that wait to be written; 0: nobody writes.
    pub tape_s: f64,
    /// Where a scene listens: take what the loudspeaker plays out of what the microphone hears, and say so. Off where sound does not
    /// come from a microphone in the same room.
    pub gate: bool,
    /// Measure levels, and the hash that vouches for takes. Off where nobody looks at them: then no take can be recorded.
    pub meters: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            rate_hz: None,
            channels: 1,
            limiter: true,
            look_s: limiter::LOOK_S,
            watch_load: true,
            clock: None,
            sets: Vec::new(),
            tape_s: 0.0,
            gate: false,
            meters: true,
        }
    }
}

/// The two halves for a scene.
pub fn open(scene: Document, setup: Setup) -> Result<(Desk, Player)> {
    desk::open(scene, setup)
}

/// Both halves on one thread.
pub struct Session {
    /// The control half.
    pub desk: Desk,
    /// The audio half.
    pub player: Player,
}

impl Session {
    /// The two halves for a scene.
    pub fn open(scene: Document, setup: Setup) -> Result<Self> {
        let (desk, player) = open(scene, setup)?;
        Ok(Self { desk, player })
    }

    /// Fills a block of interleaved frames and fetches what comes back.
    pub fn play(&mut self, inputs: &[&[f32]], out: &mut [f32]) -> Result<()> {
        self.player.play(inputs, out);
        self.desk.poll()
    }
}
