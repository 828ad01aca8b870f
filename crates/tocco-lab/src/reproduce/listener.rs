// SPDX-License-Identifier: MIT OR Apache-2.0
//! Figure 5.6 of Avanzini 2001: what a model listener takes the hundred sounds of the experiment for, as we make them.
//!
//! The 22 listeners cannot be asked again. In their place stands a listener whose rule is written here: it hears pitch and quality
//! of a sound and compares the quality with three borders, each with a spread of one step of the stimuli (the least difference of
//! decay that is heard, after the paper). Its borders are those of Table 5.2, and move with the pitch in the direction that the text
//! says. So what is tried are the sounds: if one of them rang longer or shorter than it was asked to, it would be taken for another
//! material.

use super::blow::{Blow, RATE_HZ, Trace};
use super::{Csv, Outcome};
use crate::plot::{Figure, Look, Panel, Series};
use std::f64::consts::TAU;
use tocco::papers::Law;
use tocco::papers::hammer::Mode;

const MATERIALS: [&str; 4] = ["rubber", "wood", "glass", "steel"];
/// Table 5.2: least and largest quality that more than half of the listeners took for each.
const RANGES: [[f64; 2]; 4] = [[5.0, 44.3], [14.9, 131.8], [189.6, 5000.0], [272.8, 5000.0]];
/// Five pitches and twenty qualities, equally spaced in ratio.
const PITCHES: usize = 5;
const QUALITIES: usize = 20;
/// "The stiffness k_o is given a fixed value": 0.1 kg at 1 kHz, N/m.
const STIFFNESS_N_M: f64 = 0.1 * (TAU * 1000.0) * (TAU * 1000.0);
const DURATION_S: f64 = 0.06;
/// Seconds after the hammer has left that are heard.
const HEARD_S: f64 = 0.02;

fn pitch_hz(i: usize) -> f64 {
    1000.0 * 2f64.powf(i as f64 / (PITCHES - 1) as f64)
}

fn quality(i: usize) -> f64 {
    5.0 * 1000f64.powf(i as f64 / (QUALITIES - 1) as f64)
}

fn blow(freq_hz: f64, q: f64) -> Blow {
    let omega = TAU * freq_hz;
    Blow {
        hammer_kg: 0.01,
        law: Law { stiffness: 3e12, exponent: 2.8, dissipation_s_m: 0.6 },
        velocity_m_s: 1.0,
        start_m: 0.0,
        gravity_m_s2: 0.0,
        modes: vec![Mode { freq_hz, decay_s: 2.0 * q / omega, mass_kg: STIFFNESS_N_M / (omega * omega) }],
        ringing_n_s: 0.0,
    }
}

/// Pitch, Hz, and quality of what rings after the last touch: of a decaying sine every sample follows from the two before it.
fn heard(trace: &Trace) -> Result<(f64, f64), String> {
    let left_s = trace.touches().last().ok_or("the hammer never left")?.to_s;
    let from = (left_s * RATE_HZ) as usize + 2;
    let sound = trace.struck_m_s.get(from..from + (HEARD_S * RATE_HZ) as usize).ok_or("the hammer stays too long")?;
    let (mut aa, mut ab, mut bb, mut ac, mut bc) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for three in sound.windows(3) {
        let [b, a, c] = [three[0], three[1], three[2]];
        aa += a * a;
        ab += a * b;
        bb += b * b;
        ac += a * c;
        bc += b * c;
    }
    let det = aa * bb - ab * ab;
    let (trace_of, product) = ((ac * bb - bc * ab) / det, -(bc * aa - ac * ab) / det);
    let (decay, angle) = (-0.5 * product.ln() * RATE_HZ, (0.5 * trace_of / product.sqrt()).acos() * RATE_HZ);
    let omega = f64::hypot(angle, decay);
    Ok((omega / TAU, 0.5 * omega / decay))
}

/// The normal distribution.
fn below(x: f64) -> f64 {
    // Abramowitz and Stegun 26.2.17, to 1e-7.
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let tail =
        t * (0.319_381_53 + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
    let less = tail * (-0.5 * x * x).exp() / TAU.sqrt();
    if x < 0.0 { less } else { 1.0 - less }
}

/// What part of the listeners takes a sound of this pitch and quality for each material.
fn chosen(freq_hz: f64, q: f64) -> [f64; 4] {
    let spread = 1000f64.ln() / (QUALITIES - 1) as f64;
    let between = |low: f64, high: f64| (low * high).sqrt();
    // Half octaves above the middle of the experiment, at its ends -1 and 1.
    let high = 2.0 * (freq_hz / 2f64.sqrt() / 1000.0).log2();
    // "Rubber and glass tend to be preferred at high pitches, wood and steel at low ones": by a little more than half of the overlap.
    let overlap = 0.55 * (RANGES[0][1] / RANGES[1][0]).ln();
    let soft = q.ln() - between(RANGES[1][0], RANGES[0][1]).ln() - overlap * high;
    let hard = below((q.ln() - between(RANGES[1][1], RANGES[2][0]).ln()) / spread);
    let wood = below(soft / spread);
    // Glass and steel differ by pitch, and steel a little by its longer decay.
    let steel = below(-0.6 * high + 0.2 * (q / 1000.0).ln());
    [(1.0 - hard) * (1.0 - wood), (1.0 - hard) * wood, hard * (1.0 - steel), hard * steel]
}

pub fn compute() -> Result<Outcome, String> {
    let mut out = Outcome {
        csv: Csv::new(&["freq_hz", "q", "heard_hz", "heard_q", "rubber", "wood", "glass", "steel"]),
        scene: blow(1000.0, 44.3).scene("Avanzini 2001 Figure 5.6: one of the hundred sounds", 0.5),
        qualitative: Some("the figure is of 22 listeners and prints no numbers; ours is a listener by rule, with the borders of Table 5.2, who hears our sounds".into()),
        ..Outcome::default()
    };
    let mut answers = vec![[[0.0; 4]; PITCHES]; QUALITIES];
    let (mut pitch_off, mut quality_off) = (0.0f64, 0.0f64);
    for (row, answers) in answers.iter_mut().enumerate() {
        for (column, answer) in answers.iter_mut().enumerate() {
            let (freq_hz, q) = (pitch_hz(column), quality(row));
            let (heard_hz, heard_q) = heard(&blow(freq_hz, q).run(DURATION_S)?)?;
            pitch_off = pitch_off.max(100.0 * (heard_hz / freq_hz - 1.0).abs());
            quality_off = quality_off.max(100.0 * (heard_q / q - 1.0).abs());
            *answer = chosen(heard_hz, heard_q);
            out.csv.row(&[], &[&[freq_hz, q, heard_hz, heard_q][..], &answer[..]].concat());
        }
    }
    out.near("pitch heard, farthest from the one asked for, %", 0.0, pitch_off, 0.1, 4);
    out.near("quality heard, farthest from the one asked for, %", 0.0, quality_off, 0.5, 4);
    let most = |row: usize, material: usize| answers[row].iter().map(|a| a[material]).fold(0.0, f64::max);
    for (material, name) in MATERIALS.into_iter().enumerate() {
        let taken: Vec<f64> = (0..QUALITIES).filter(|&row| most(row, material) > 0.5).map(quality).collect();
        for (end, got, wanted) in
            [("least", taken.first(), RANGES[material][0]), ("largest", taken.last(), RANGES[material][1])]
        {
            let got = got.copied().unwrap_or(0.0);
            out.within_percent(format!("{name}: {end} q of sounds that more than half take for it"), wanted, got, 1.0);
        }
    }
    let mean = |material: usize| {
        let all = (0..QUALITIES).flat_map(|row| answers[row].iter().map(move |a| (quality(row).ln(), a[material])));
        let (sum, weight) = all.fold((0.0, 0.0), |(s, w), (q, part)| (s + part * q, w + part));
        (sum / weight).exp()
    };
    let means: [f64; 4] = std::array::from_fn(mean);
    out.holds(
        "mean q of what is taken for each",
        "increasing: rubber, wood, glass, steel",
        means.map(super::short).join(", "),
        means.windows(2).all(|pair| pair[0] < pair[1]),
    );
    // Answers go in stripes: they spread far more with the quality than with the pitch.
    let spread = |along: &[f64]| {
        let mean = along.iter().sum::<f64>() / along.len() as f64;
        along.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / along.len() as f64
    };
    let both = |material: usize| {
        let at = |row: usize, column: usize| answers[row][column][material];
        let down = |column: usize| spread(&(0..QUALITIES).map(|row| at(row, column)).collect::<Vec<_>>());
        let across = |row: usize| spread(&(0..PITCHES).map(|column| at(row, column)).collect::<Vec<_>>());
        let by_quality = (0..PITCHES).map(down).sum::<f64>() / PITCHES as f64;
        (by_quality, (0..QUALITIES).map(across).sum::<f64>() / QUALITIES as f64)
    };
    let parts = (0..MATERIALS.len()).map(both);
    let (by_quality, by_pitch) = parts.fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    out.holds(
        "variance of answers along quality and along pitch",
        "q is the most significant cue: horizontal stripes",
        format!("{by_quality:.3} and {by_pitch:.3}"),
        by_quality > 5.0 * by_pitch,
    );
    let agreed = |pair: [usize; 2]| {
        let all = answers.iter().flatten().filter(|a| a[pair[0]] + a[pair[1]] > 0.5);
        let (sum, count) = all.fold((0.0, 0.0), |(s, n), a| (s + a[pair[0]].max(a[pair[1]]), n + 1.0));
        sum / count
    };
    let (soft, hard) = (agreed([0, 1]), agreed([2, 3]));
    out.holds(
        "mean agreement on rubber or wood, on glass or steel",
        "the first better delimited, the second overlapping",
        format!("{:.0} % and {:.0} %", 100.0 * soft, 100.0 * hard),
        soft > hard + 0.05,
    );
    out.notes.push("rule: quality against borders at the middle of the overlaps of Table 5.2 (25.7, 158), spread one step (1.44 in q); the first moves with pitch by 0.55 of its overlap, glass and steel part by pitch (0.6 spreads at the ends) and by 0.2 spreads per e of q".into());
    out.notes
        .push("hammer 10 g, k 3e12, α 2.8, µ 0.6 s/m at 1 m/s; one partial of fixed stiffness, 0.1 kg at 1 kHz".into());
    let panels = MATERIALS.into_iter().enumerate().map(|(material, name)| {
        let mut panel = Panel::new(name, "pitch, Hz", "q, powers of ten");
        for (row, answers) in answers.iter().enumerate() {
            for (column, answer) in answers.iter().enumerate() {
                let (x, y, half) = (column as f64, quality(row).log10(), 0.5 * 3.0 / (QUALITIES - 1) as f64);
                let corners = vec![(x - 0.5, y - half), (x + 0.5, y - half), (x + 0.5, y + half), (x - 0.5, y + half)];
                let share = (100.0 * answer[material]).round() as u8;
                panel.series.push(Series::new("", 2, Look::Patch(share), corners));
            }
        }
        panel.categories = (0..PITCHES).map(|i| format!("{:.0}", pitch_hz(i))).collect();
        panel.x_range = Some((-0.5, PITCHES as f64 - 0.5));
        panel.y_range = Some((0.6, 3.8));
        panel
    });
    out.figure = Figure {
        title: "Avanzini 2001 Figure 5.6: what a model listener takes our sounds for".into(),
        panels: panels.collect(),
    };
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pitch_and_quality_of_a_decaying_sine_are_heard_to_six_digits() {
        for q in [5.0, 44.3, 5000.0] {
            let (omega, decay) = (TAU * 1500.0, 0.5 * TAU * 1500.0 / q);
            let angle = (omega * omega - decay * decay).sqrt();
            let at = |n: usize| n as f64 / RATE_HZ;
            let frames = (DURATION_S * RATE_HZ) as usize;
            let mut trace = Trace { time_s: (0..frames).map(at).collect(), ..Trace::default() };
            trace.struck_m_s = (0..frames).map(|n| (-decay * at(n)).exp() * (angle * at(n)).cos()).collect();
            (trace.hammer_m_s, trace.force_n) = (vec![-1.0; frames], vec![0.0; frames]);
            trace.compression_m = (0..frames).map(|n| if n == 1 { 1e-6 } else { -1e-6 }).collect();
            let (freq_hz, heard_q) = heard(&trace).unwrap();
            assert!((freq_hz / 1500.0 - 1.0).abs() < 1e-6 && (heard_q / q - 1.0).abs() < 1e-6, "{freq_hz} {heard_q}");
        }
    }

    #[test]
    fn on_sounds_that_are_as_asked_for_the_listener_has_the_ranges_of_the_table() {
        for (material, range) in RANGES.iter().enumerate() {
            let most = |q: f64| (0..PITCHES).map(|i| chosen(pitch_hz(i), q)[material]).fold(0.0, f64::max);
            let taken: Vec<f64> = (0..QUALITIES).map(quality).filter(|q| most(*q) > 0.5).collect();
            let near = |got: Option<&f64>, wanted: f64| got.is_some_and(|got| (got / wanted - 1.0).abs() < 0.01);
            assert!(near(taken.first(), range[0]) && near(taken.last(), range[1]), "{} {taken:?}", MATERIALS[material]);
        }
        assert!((chosen(1200.0, 100.0).iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}
