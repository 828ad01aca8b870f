// SPDX-License-Identifier: MIT OR Apache-2.0
//! A microphone that hears the loudspeaker: it is said and gated out, and a clap is still heard.

#![allow(clippy::unwrap_used, reason = "a test may stop at the first surprise")]

use std::collections::VecDeque;
use tocco::Document;
use tocco::rng::Rng;
use tocco_live::{Session, Setup};

/// A floor that follows the microphone.
const LISTENS: &str = "title = 'a floor that listens'\n[signal.press]\ntype = 'follow'\ninput = 0\nmost = 0.3\n\
    [process.stones]\ntype = 'particles'\ndriven_by = 'press'\nobjects = 80.0\ncollisions_hz = 20.0\nload = 1.0\nlevel = 20.0\n\
    system_decay_s = 0.05\nsound_decay_s = 0.002\ngain = 1.0\nresonances = [{ freq_hz = 900.0, bandwidth_hz = 900.0, gain = 1.0 }]\n\
    [[tap]]\nof = 'stones'\nquantity = 'sound'\ngain = 0.5\n";
const RATE_HZ: usize = 48_000;
const BLOCK: usize = 240;

/// A room: what is played comes back 1.5 times as loud, 40 ms later.
struct Around {
    session: Session,
    way: VecDeque<f32>,
    rng: Rng,
    said: Vec<String>,
}

impl Around {
    fn new(gate: bool) -> Self {
        let scene = Document::read("floor", "here", LISTENS.into(), |_| Err("no recordings here".into())).unwrap();
        let setup = Setup { rate_hz: Some(RATE_HZ as f64), watch_load: false, gate, ..Setup::default() };
        let session = Session::open(scene, setup).unwrap();
        let way = std::iter::repeat_n(0.0, RATE_HZ * 40 / 1000).collect();
        Self { session, way, rng: Rng::new(1, "clap"), said: Vec::new() }
    }

    /// So many seconds; somebody claps for the first 30 ms, if so. The loudest of the last half second.
    fn passes(&mut self, seconds: f64, claps: bool) -> f32 {
        let (blocks, mut loudest) = ((seconds * RATE_HZ as f64) as usize / BLOCK, 0.0_f32);
        for block in 0..blocks {
            let clap = claps && block * BLOCK < RATE_HZ * 30 / 1000;
            let heard: Vec<f32> = (0..BLOCK)
                .map(|_| self.way.pop_front().unwrap() + if clap { self.rng.between(-0.5, 0.5) as f32 } else { 0.0 })
                .collect();
            let channels = self.session.desk.channels();
            let mut out = vec![0.0; BLOCK * channels];
            self.session.play(&[&heard], &mut out).unwrap();
            self.way.extend(out.chunks(channels).map(|frame| (1.5 * frame[0]).clamp(-1.0, 1.0)));
            self.said.extend(std::iter::from_fn(|| self.session.desk.news()));
            if (blocks - block) * BLOCK <= RATE_HZ / 2 {
                loudest = out.iter().fold(loudest, |most, x| most.max(x.abs()));
            }
        }
        loudest
    }
}

#[test]
fn a_scene_that_hears_its_loudspeaker_says_so_and_the_gate_ends_the_circle() {
    let mut open = Around::new(false);
    assert!(open.passes(0.6, false) < 1e-4, "silence");
    assert!(open.passes(8.0, true) > 1e-2, "without the gate it goes round and round");
    assert!(open.said.is_empty(), "{:?}", open.said);
    let mut gated = Around::new(true);
    gated.passes(0.6, false);
    gated.passes(8.0, true);
    let said = gated
        .said
        .iter()
        .find(|line| line.contains("hears the loudspeaker"))
        .unwrap_or_else(|| panic!("{:?}", gated.said));
    let ms: f64 = said.split("loudspeaker, ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((35.0..60.0).contains(&ms), "{said}");
    assert!(gated.passes(4.0, false) < 1e-3, "the circle has ended");
    // A clap is still heard, and does not go round.
    assert!(gated.passes(0.3, true) > 1e-3, "a clap is heard");
    assert!(gated.passes(5.0, false) < 1e-3, "and ends");
}

#[test]
fn what_is_not_the_loudspeaker_is_let_through_to_the_bit() {
    let scene = |gate| {
        let scene = Document::read("floor", "here", LISTENS.into(), |_| Err("no recordings here".into())).unwrap();
        Session::open(scene, Setup { rate_hz: Some(RATE_HZ as f64), watch_load: false, gate, ..Setup::default() })
            .unwrap()
    };
    let play = |mut session: Session| {
        let (mut rng, mut all) = (Rng::new(2, "steps"), Vec::new());
        for block in 0..1200 {
            let level = if block % 100 < 12 { 0.3 } else { 1e-3 };
            let heard: Vec<f32> = (0..BLOCK).map(|_| (level * rng.normal()) as f32).collect();
            let mut out = vec![0.0; BLOCK * session.desk.channels()];
            session.play(&[&heard], &mut out).unwrap();
            all.extend(out);
        }
        assert_eq!(session.desk.news(), None);
        all
    };
    let (gated, open) = (play(scene(true)), play(scene(false)));
    assert!(gated == open && open.iter().any(|x| x.abs() > 1e-3));
}
