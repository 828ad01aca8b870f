// SPDX-License-Identifier: MIT OR Apache-2.0
//! What the physics tests share: scenes from text, probed runs, an independent restitution.
#![allow(dead_code, reason = "each test file uses its part")]

use tocco::contact::world::World;
use tocco::scene::Happening;
use tocco::{Engine, Health, Queue, Scene, SceneDef};
use tocco_testing::spectra::peak;

/// Rate of the tests that listen.
pub const RATE_HZ: f64 = 48_000.0;
/// All partials of the scenes that are listened to for clicks stay under 4.6 kHz: what is heard above this comes from changes.
pub const CUT_HZ: f64 = 6_000.0;

pub fn engine(text: &str, rate_hz: f64) -> Engine {
    let def = SceneDef::from_text(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    Engine::new(Scene::build(&def, rate_hz).unwrap_or_else(|e| panic!("{e}\n{text}")))
}

/// A scene with a seed of its own.
pub fn build(text: &str, rate_hz: f64, seed: u64) -> Engine {
    let mut def = SceneDef::from_text(text).unwrap();
    def.seed = seed;
    Engine::new(Scene::build(&def, rate_hz).unwrap())
}

/// What happens in so many seconds, and what is heard.
pub fn happenings(engine: &mut Engine, seconds: f64, block: usize) -> (Vec<Happening>, Vec<f32>) {
    let (mut all, mut sound) = (Vec::new(), Vec::new());
    let frames = (seconds * engine.scene().rate_hz()) as usize;
    let channels = engine.scene().channels();
    while sound.len() < frames * channels {
        let mut out = vec![0.0; block.min(frames - sound.len() / channels) * channels];
        engine.render(&[], &mut Queue::new(), &mut out);
        sound.extend(out);
        all.extend(std::iter::from_fn(|| engine.take_happening()));
    }
    (all, sound)
}

/// One sample of a world that no engine drives.
pub fn tick(world: &mut World, at: u64) {
    for island in 0..world.islands() {
        world.step(island, at);
    }
    for body in 0..world.bodies.len() {
        if !world.in_island(body) {
            world.bodies[body].ring(1, &mut []);
        }
    }
    if at % 32 == 31 {
        world.control();
    }
}

/// Renders `frames` with the given signals; one row per frame.
pub fn probe(engine: &mut Engine, signals: &[&str], frames: usize) -> (Vec<Vec<f64>>, Health) {
    let probes: Vec<_> =
        signals.iter().map(|s| engine.scene().directory().probe(s).unwrap_or_else(|e| panic!("{e}"))).collect();
    engine.watch(&probes);
    let mut out = vec![0.0; frames * engine.scene().channels()];
    let mut rows = vec![0.0; frames * signals.len()];
    let health = engine.render_probed(&[], &mut Queue::new(), &mut out, &mut rows);
    (rows.chunks(signals.len()).map(<[f64]>::to_vec).collect(), health)
}

/// |v_out|/v_in of Hunt-Crossley against a wall, y = mu v_in: root of w - ln w = (1+y) - ln(1+y) in (0, 1), by bisection.
pub fn restitution(y: f64) -> f64 {
    if y < 1e-9 {
        return 1.0 - 2.0 / 3.0 * y;
    }
    let target = y - y.ln_1p();
    // In z = 1 - w: -z - ln(1 - z) = target.
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..200 {
        let z: f64 = 0.5 * (low + high);
        if -z - (-z).ln_1p() < target { low = z } else { high = z }
    }
    0.5 * (low + high) / y
}

/// Contact time of an elastic wall collision; with losses it is a little longer.
pub fn contact_time(m: f64, k: f64, a: f64, v: f64) -> f64 {
    3.2 * (m / k).powf(1.0 / (a + 1.0)) * v.powf((1.0 - a) / (1.0 + a))
}

/// Stiffness for a contact of about `tau` seconds.
pub fn stiffness(m: f64, tau: f64, a: f64, v: f64) -> f64 {
    m * (3.2 * v.powf((1.0 - a) / (1.0 + a)) / tau).powf(a + 1.0)
}

/// Dormand-Prince 5(4), the textbook tableau: the state after `seconds`, error per step below 1e-10 of each value and
/// below `scale` of its index.
pub fn dormand_prince(
    mut y: Vec<f64>,
    seconds: f64,
    scale: impl Fn(usize) -> f64,
    rates: impl Fn(&[f64], &mut [f64]),
) -> Vec<f64> {
    const C: [[f64; 6]; 6] = [
        [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
        [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
        [19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0, 0.0, 0.0],
        [9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0, 0.0],
        [35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
    ];
    const E: [f64; 7] =
        [71.0 / 57600.0, 0.0, -71.0 / 16695.0, 71.0 / 1920.0, -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0];
    let n = y.len();
    let mut k = vec![vec![0.0; n]; 7];
    let (mut t, mut h) = (0.0, 1e-9);
    let (mut stage, mut next) = (vec![0.0; n], vec![0.0; n]);
    while t < seconds {
        h = f64::min(h, seconds - t);
        rates(&y, &mut k[0]);
        for s in 0..6 {
            for i in 0..n {
                stage[i] = y[i] + h * (0..=s).map(|j| C[s][j] * k[j][i]).sum::<f64>();
            }
            if s == 5 {
                next.copy_from_slice(&stage);
            }
            rates(&stage, &mut k[s + 1]);
        }
        let mut error = 0.0f64;
        for i in 0..n {
            let wrong = (h * (0..7).map(|j| E[j] * k[j][i]).sum::<f64>()).abs();
            error = error.max(wrong / (scale(i) + 1e-10 * next[i].abs()));
        }
        if error <= 1.0 {
            t += h;
            y.copy_from_slice(&next);
        }
        h *= (0.9 * error.max(1e-10).powf(-0.2)).clamp(0.2, 5.0);
        h = h.min(1e-5);
    }
    y
}

/// What is left above the cut: a linear-phase filter of 511 taps (Blackman-Harris: 92 dB down from 5.6 kHz on).
fn splash(signal: &[f64]) -> Vec<f64> {
    let (n, cut) = (511usize, CUT_HZ / RATE_HZ);
    let tap = |i: usize| {
        let k = i as f64 - (n / 2) as f64;
        let sinc = if k == 0.0 {
            1.0 - 2.0 * cut
        } else {
            -(std::f64::consts::TAU * cut * k).sin() / (std::f64::consts::PI * k)
        };
        let turn = std::f64::consts::TAU * i as f64 / (n - 1) as f64;
        sinc * (0.35875 - 0.48829 * turn.cos() + 0.14128 * (2.0 * turn).cos() - 0.01168 * (3.0 * turn).cos())
    };
    let taps: Vec<f64> = (0..n).map(tap).collect();
    signal.windows(n).map(|window| window.iter().zip(&taps).map(|(x, h)| x * h).sum()).collect()
}

/// Peak above [`CUT_HZ`] against the peak of the signal around it (10 ms), dB, at worst, from 0.05 s on.
pub fn click_db(signal: &[f64]) -> f64 {
    let from = (0.05 * RATE_HZ) as usize;
    let residual = splash(&signal[from..]);
    let mut worst = f64::NEG_INFINITY;
    for (at, part) in residual.chunks(480).enumerate() {
        let around = &signal[from + at * 480..(from + at * 480 + 511 + part.len()).min(signal.len())];
        worst = worst.max(20.0 * (peak(part) / peak(around)).log10());
    }
    worst
}
