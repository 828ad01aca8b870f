// SPDX-License-Identifier: MIT OR Apache-2.0
//! `tocco haptic`: what a scene's contacts feel like, for the skin.
//!
//! One solve makes sound and touch: the felt channel is a tap of the contact force that made the sound, through the band of its output.
//! Waveform devices get it as a WAV; phones get an envelope with transients ([`reduce`]), as AHAP or `.haptic` (`haptic/write.rs`).

pub mod reduce;
pub mod write;

use crate::atomic_file::{self, AtomicFile};
use crate::console::{self, ProgressBar};
use crate::error::{Error, Result, bad};
use crate::library;
use crate::render::{self, AUTO_MOST_S, Plan, VERSION};
use crate::wav::{Encoding, Format, WavWriter};
use reduce::Felt;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use tocco::Engine;
use tocco::output::crossover::Band;
use tocco::param::Word;
use tocco::scene::SceneDef;
use tocco::scene::def::{EarDef, Length, OutputDef, ProcessDef, Quantity, TapDef, TapTo};

/// The output that is felt, and its band if it says none, Hz.
pub use tocco::scene::def::{FELT as HAPTIC, FELT_HZ as BAND_HZ};
/// Rate of a WAV file unless another is asked for, Hz.
pub const RATE_HZ: f64 = 8000.0;
/// Nothing is felt above this, Hz.
const HIGHEST_HZ: f64 = 4000.0;

/// What to write.
#[derive(Clone, Debug)]
pub struct Task {
    /// The scene.
    pub plan: Plan,
    /// File whose ending says the format: `.ahap`, `.haptic` or `.wav`.
    pub output: PathBuf,
    /// Rate of a WAV file, Hz.
    pub rate_hz: Option<f64>,
    /// Band instead of the scene's own, Hz.
    pub band_hz: Option<[f64; 2]>,
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Ahap,
    Haptic,
    Wav,
}

impl Form {
    fn of(path: &Path) -> Result<Self> {
        match path.extension().map(|end| end.to_ascii_lowercase()) {
            Some(end) if end == "ahap" => Ok(Form::Ahap),
            Some(end) if end == "haptic" => Ok(Form::Haptic),
            Some(end) if end == "wav" => Ok(Form::Wav),
            _ => bad(format!("-o {}: name a file that ends in .ahap, .haptic or .wav", path.display())),
        }
    }
}

/// A scene that is felt as well as heard.
#[derive(Clone, Debug)]
pub struct Feeling {
    /// The scene with its haptic output.
    pub plan: Plan,
    /// Channels of that output.
    pub channels: Vec<usize>,
    /// What is felt, for people.
    pub words: String,
    /// Unit of each channel.
    pub units: Vec<&'static str>,
    /// So many of its unit are 1 in a channel: 1 over the gains of its taps and its output.
    pub full: f64,
    /// Signals to watch: forces of impacts, counts of a process's events.
    watched: Vec<String>,
}

/// The scene with an output that is felt: its own `[output.haptic]`, or one with a channel each for the force of all contacts and of all processes
/// that have one, and for the pressure of processes that only sound; parts included.
pub fn feel(plan: &Plan, band_hz: Option<[f64; 2]>) -> Result<Feeling> {
    let mut plan = plan.clone();
    let channels = plan.build()?.channels();
    let mut def: SceneDef = plan.scene.def.clone();
    let whole = plan.scene.def.whole().map_err(|e| library::wrong(&plan.scene, &e))?;
    let impacts = whole.contacts.iter().filter(|contact| contact.form.kind().id == "impact");
    let forces = impacts.map(|contact| format!("{}.force", contact.name));
    let counts = whole.processes.iter().map(|process| format!("{}.events", process.name));
    let watched: Vec<String> = forces.chain(counts).collect();
    let to_it = |tap: &&TapDef| tap.outputs.iter().any(|name| name == HAPTIC);
    let (words, mut units);
    let mut full = 1.0;
    if def.taps.iter().any(|tap| to_it(&tap)) {
        let felt: Vec<&TapDef> = def.taps.iter().filter(to_it).collect();
        let names = felt.iter().map(|tap| format!("{} of {}", tap.quantity.word(), tap.of));
        words = names.collect::<Vec<_>>().join(", ");
        // What is summed of unlike taps, or shared among channels, is a part of full scale and no quantity any more.
        let alike = |tap: &&TapDef| tap.quantity == felt[0].quantity && tap.gain.abs() == felt[0].gain.abs();
        let one = felt.iter().all(alike) && felt.iter().all(|tap| matches!(tap.to, TapTo::Channel(_)));
        units = vec![if one && felt[0].gain != 0.0 { unit_of(felt[0].quantity) } else { "of full scale" }];
        full = if one && felt[0].gain != 0.0 { 1.0 / felt[0].gain.abs() } else { 1.0 };
    } else {
        let Everything { taps, words: said, units: own } = everything(&whole);
        if taps.is_empty() {
            return bad(format!(
                "{}: there is nothing to feel: neither a contact nor a process; add a [contact.NAME], or tap a body's acceleration to an [output.haptic]",
                plan.scene.origin
            ));
        }
        (words, units) = (said, own);
        def.outputs.retain(|output| output.name != HAPTIC);
        let channels: Vec<usize> = (channels..channels + units.len()).collect();
        def.outputs.push(OutputDef { limiter: false, ..OutputDef::new(HAPTIC, &channels) });
        def.taps.extend(taps);
    }
    let Some(output) = def.outputs.iter_mut().find(|output| output.name == HAPTIC) else {
        return bad(format!("{}: a tap goes to 'haptic', and there is no [output.haptic]", plan.scene.origin));
    };
    output.band = match band_hz {
        Some([low, high]) => Band { highpass_hz: Some(low), lowpass_hz: Some(high) },
        None => output.band(),
    };
    full /= output.gain.abs();
    let channels = output.channels.clone();
    units.resize(channels.len(), units[0]);
    plan.scene.def = def;
    let full = if units[0] == "of full scale" { 1.0 } else { full };
    Ok(Feeling { plan, channels, words, units, full, watched })
}

fn unit_of(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Force => "N",
        Quantity::Acceleration => "m/s2",
        Quantity::Velocity => "m/s",
        Quantity::Sound | Quantity::Radiated => "Pa",
        Quantity::Position | Quantity::Compression => "m",
    }
}

/// All there is to feel: taps, words for them, and the unit of each channel.
struct Everything {
    taps: Vec<TapDef>,
    words: String,
    units: Vec<&'static str>,
}

/// Two units cannot be summed: each quantity has its own channel.
fn everything(whole: &SceneDef) -> Everything {
    let pushes = |process: &&ProcessDef| process.form.pushes(!process.on.is_empty());
    let contacts = whole.contacts.iter().map(|contact| contact.name.clone());
    let pushing = whole.processes.iter().filter(pushes).map(|process| process.name.clone());
    let forces: Vec<String> = contacts.chain(pushing).collect();
    // Ice that is felt need not be heard with the skin, too; what falls through water to the bottom is both.
    let only_heard = |process: &&ProcessDef| {
        let hits = !process.on.is_empty();
        process.form.sounds(hits) && (hits || !pushes(process))
    };
    let sounds: Vec<String> = whole.processes.iter().filter(only_heard).map(|process| process.name.clone()).collect();
    let mut all = Everything { taps: Vec::new(), words: String::new(), units: Vec::new() };
    for (quantity, names) in [(Quantity::Force, forces), (Quantity::Sound, sounds)] {
        if names.is_empty() {
            continue;
        }
        let word = if quantity == Quantity::Sound { "pressure" } else { quantity.word() };
        let more = if all.words.is_empty() { "" } else { ", " };
        all.words += &format!("{more}{word} of {}", few(&names.iter().map(String::as_str).collect::<Vec<_>>()));
        let to = TapTo::Channel(all.units.len());
        all.units.push(unit_of(quantity));
        all.taps.extend(names.into_iter().map(|of| TapDef {
            of,
            quantity,
            gain: 1.0,
            whole: false,
            outputs: vec![HAPTIC.into()],
            to,
            ear: EarDef::default(),
            travel: None,
        }));
    }
    all
}

fn few(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [one] => (*one).into(),
        [first, second] => format!("{first} and {second}"),
        [first, second, ..] => format!("{first}, {second} and {} more", names.len() - 2),
    }
}

/// What was felt, at the rate of the rendering.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Hz
    pub rate_hz: f64,
    /// A list for each channel of the output, in its unit.
    pub channels: Vec<Vec<f32>>,
    /// Those units.
    pub units: Vec<&'static str>,
    /// Times at which something closed or happened, s.
    pub onsets: Vec<f64>,
    /// An automatic length that ran into its limit.
    pub cut: bool,
}

impl Recording {
    /// All channels as one. Those of unlike units are first brought to the same largest value.
    pub fn mixed(&self) -> Vec<f64> {
        let alike = self.units.windows(2).all(|two| two[0] == two[1]);
        let scale = |peak: f64| if alike || peak == 0.0 { 1.0 } else { 1.0 / peak };
        let scales: Vec<f64> = self.peaks().into_iter().map(scale).collect();
        let frames = self.channels.first().map_or(0, Vec::len);
        let sum = |i: usize| self.channels.iter().zip(&scales).map(|(channel, k)| k * f64::from(channel[i])).sum();
        (0..frames).map(sum).collect()
    }

    /// The largest value of each channel.
    pub fn peaks(&self) -> Vec<f64> {
        let peak = |channel: &Vec<f32>| f64::from(channel.iter().fold(0.0_f32, |most, x| most.max(x.abs())));
        self.channels.iter().map(peak).collect()
    }
}

/// Renders what is felt.
pub fn record(feeling: &Feeling, show: bool) -> Result<Recording> {
    let plan = &feeling.plan;
    let scene = plan.build()?;
    let width = scene.channels();
    let probe = |signal: &String| scene.directory().probe(signal).map_err(|e| library::wrong(&plan.scene, &e));
    let probes = feeling.watched.iter().map(probe).collect::<Result<Vec<_>>>()?;
    let longest = match plan.length {
        Length::Seconds(seconds) => seconds,
        Length::Auto => AUTO_MOST_S,
    };
    let bar = show.then(|| ProgressBar::new(longest.ceil() as u64, "s of touch"));
    let mut engine = Engine::new(scene);
    engine.watch(&probes);
    let (mut channels, mut onsets) = (vec![Vec::new(); feeling.channels.len()], Vec::new());
    let (mut before, mut frame) = (vec![0.0; probes.len()], 0u64);
    let mut advance = |seconds: f64| bar.iter().for_each(|bar| bar.at(seconds as u64));
    let outcome = render::perform(plan, &mut engine, probes.len(), &mut advance, &mut |block, rows| {
        for (samples, channel) in channels.iter_mut().zip(&feeling.channels) {
            samples.extend(block.iter().skip(*channel).step_by(width));
        }
        for row in rows.chunks_exact(probes.len().max(1)) {
            frame += 1;
            for ((now, before), signal) in row.iter().zip(&mut before).zip(&feeling.watched) {
                let closes = signal.ends_with(".force") && *before == 0.0 && *now != 0.0;
                let happens = signal.ends_with(".events") && *now > *before;
                if closes || happens {
                    onsets.push(frame as f64 / plan.rate_hz);
                }
                *before = *now;
            }
        }
        Ok(())
    })?;
    onsets.dedup();
    Ok(Recording { rate_hz: plan.rate_hz, channels, units: feeling.units.clone(), onsets, cut: outcome.cut })
}

/// Renders a scene and writes what is felt; a line for the reader comes back.
pub fn run(task: &Task) -> Result<String> {
    let form = Form::of(&task.output)?;
    let rate_hz = task.rate_hz.unwrap_or(RATE_HZ);
    if form != Form::Wav && task.rate_hz.is_some() {
        return bad("--rate is that of a WAV file; AHAP and .haptic have none");
    }
    if !(1000.0..=192_000.0).contains(&rate_hz) || rate_hz.fract() != 0.0 {
        return bad(format!("--rate {rate_hz}: give a whole number of Hz from 1000 to 192000"));
    }
    if let Some([low, high]) = task.band_hz
        && !(low >= 1.0 && high <= HIGHEST_HZ && low < high)
    {
        return bad(format!("--band {low}..{high}: give LOW..HIGH in Hz, from 1 to {HIGHEST_HZ}"));
    }
    let feeling = feel(&task.plan, task.band_hz)?;
    let recording = record(&feeling, true)?;
    let peaks = recording.peaks();
    if peaks.iter().all(|peak| *peak == 0.0) {
        let origin = &task.plan.scene.origin;
        return bad(format!("{origin}: nothing is felt: {} stays 0; does anything strike or rub?", feeling.words));
    }
    let seconds = recording.channels[0].len() as f64 / recording.rate_hz;
    let band = feeling.plan.scene.def.outputs.iter().find(|output| output.name == HAPTIC).map(|output| output.band);
    let edges = band.map_or([None, None], |band| [band.highpass_hz, band.lowpass_hz]);
    let edge = |hz: Option<f64>, open: &str| hz.map_or(open.to_owned(), |hz| hz.to_string());
    let (low, high) = (edge(edges[0], "0"), edge(edges[1], "every"));
    let name = console::file(&task.output);
    let listed = |values: &[f64]| {
        let each = values.iter().zip(&feeling.units).map(|(x, unit)| format!("{} {unit}", short(*x * feeling.full)));
        each.collect::<Vec<_>>().join(", ")
    };
    let mut said =
        format!("{name}: {seconds:.3} s, {}, largest {} from {low} to {high} Hz", feeling.words, listed(&peaks));
    match form {
        Form::Wav => {
            let full = wav(&task.output, &feeling, &recording, rate_hz)?;
            said += &format!("; {rate_hz} Hz, full scale is {}", listed(&full));
        }
        Form::Ahap | Form::Haptic => {
            let felt = Felt::of(&recording);
            let title = task.plan.scene.title();
            let (text, points) = match form {
                Form::Ahap => write::ahap(&felt, title),
                _ => write::haptic(&felt, title),
            };
            atomic_file::write(&task.output, text.as_bytes())?;
            said += &format!("; {points} points, {} transients", felt.transients.len());
        }
    }
    if recording.cut {
        said +=
            &format!("\nstill moving after {AUTO_MOST_S} s, where an automatic length ends; give --duration for more");
    }
    Ok(said)
}

/// Three digits are enough for people.
fn short(x: f64) -> String {
    if (0.01..1000.0).contains(&x.abs()) {
        format!("{:.*}", if x.abs() < 10.0 { 2 } else { 1 }, x)
    } else {
        format!("{x:.2e}")
    }
}

/// Writes a WAV whose full scale is 1 dB above the largest value of its unit, and says what full scale is for each channel.
fn wav(path: &Path, feeling: &Feeling, recording: &Recording, rate_hz: f64) -> Result<Vec<f64>> {
    let (peaks, units) = (recording.peaks(), &feeling.units);
    let largest = |unit: &&str| {
        let alike = peaks.iter().zip(units).filter(|(_, own)| *own == unit);
        alike.fold(0.0_f64, |most, (peak, _)| most.max(*peak))
    };
    let full: Vec<f64> = units.iter().map(|unit| largest(unit).max(1e-30) * tocco::units::gain(1.0)).collect();
    let lists: Vec<Vec<f64>> = recording
        .channels
        .iter()
        .zip(&full)
        .map(|(channel, full)| {
            let samples: Vec<f64> = channel.iter().map(|x| f64::from(*x) / full).collect();
            reduce::resample(&samples, recording.rate_hz, rate_hz)
        })
        .collect();
    let frames = lists[0].len();
    let format = Format::new(lists.len(), rate_hz, Encoding::Int24)?;
    let scales: Vec<String> =
        full.iter().zip(units).map(|(full, unit)| format!("{:e} {unit}", full * feeling.full)).collect();
    let comment = format!("{}; full scale is {}", feeling.words, scales.join(", "));
    let info =
        vec![(*b"INAM", feeling.plan.scene.title().to_owned()), (*b"ISFT", VERSION.to_owned()), (*b"ICMT", comment)];
    format.check_length(frames as f64)?;
    let wrong = |cause: std::io::Error| Error::writing(path, &cause);
    let file = BufWriter::new(AtomicFile::create(path)?);
    let mut wav = WavWriter::new(file, format, info, frames as u64, 1).map_err(wrong)?;
    let samples: Vec<f32> = (0..frames).flat_map(|i| lists.iter().map(move |list| list[i] as f32)).collect();
    wav.write(&samples).map_err(wrong)?;
    let (file, _) = wav.finish().map_err(wrong)?;
    file.into_inner().map_err(|e| wrong(e.into_error()))?.keep()?;
    Ok(full)
}
