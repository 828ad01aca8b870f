// SPDX-License-Identifier: MIT OR Apache-2.0
//! A whole front end in one file: it plays a scene by names, by MIDI and by JSON gestures, records takes and writes what
//! was heard. One line of standard input is one thing to do; what goes wrong is answered in one line.
//!
//! ```text
//! cargo run --example front_end -- scenes/bar.toml heard.wav
//! names                                         what can be set, watched and heard
//! take bar.take                                 record from here on: before anything is played
//! {"strike": "hammer", "velocity_m_s": 1.0}     a gesture, as takes and the page write it
//! midi 90 4a 64                                 bytes of a keyboard, in hexadecimal
//! play 0.5                                      half a second passes
//! load scenes/gong.toml                         another scene; `edit FILE` keeps what stays sounding
//! ```
//!
//! Time passes when it is told to, so that a list of lines gives the same sound every time. With a sound card the
//! [`Player`](tocco_live::Player) would go to its callback and call `play` there; all else stays as it is.

use std::fs::File;
use std::io::{self, BufRead, BufWriter, Write};
use tocco::{Document, Gesture};
use tocco_live::midi::voices::voiced;
use tocco_live::midi::{Map, Translator};
use tocco_live::{Error, Result, Session, Setup, When};

/// Frames that are rendered at once; gestures take effect between two blocks.
const BLOCK: usize = 256;

/// What was heard: interleaved samples.
#[derive(Debug)]
pub struct Sound {
    /// Hz
    pub rate_hz: f64,
    /// Channels.
    pub channels: usize,
    /// Full scale is 1.
    pub samples: Vec<f32>,
}

/// A scene that sounds, and a keyboard for it.
struct FrontEnd {
    session: Session,
    translator: Translator,
    /// Scene that the translator speaks to.
    generation: Option<u64>,
    sound: Sound,
}

/// Reads a scene file.
fn read(file: &str) -> Result<Document> {
    let text = std::fs::read_to_string(file).map_err(|e| Error::BadInput(format!("{file}: {e}")))?;
    let scene = Document::read(file, file, text, |_| Err("this front end reads no recordings".into()));
    scene.map_err(|error| Error::BadInput(format!("{file}: {error}")))
}

impl FrontEnd {
    fn open(scene: Document) -> Result<Self> {
        let mut session = Session::open(voiced(scene)?, Setup::default())?;
        session.desk.prepare_with(voiced);
        let translator = Translator::new(Map::of(&session.desk.scene().def));
        let sound = Sound { rate_hz: session.desk.rate_hz(), channels: session.desk.channels(), samples: Vec::new() };
        Ok(Self { session, translator, generation: None, sound })
    }

    /// Does what a line says.
    fn obey(&mut self, line: &str, say: &mut impl Write) -> Result<()> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let desk = &mut self.session.desk;
        match word {
            "" => Ok(()),
            "names" => Ok(self.names(say)?),
            "take" => {
                let out = BufWriter::new(File::create_new(rest)?); // nobody's take is overwritten
                desk.record(Box::new(out), "front_end").inspect_err(|_| drop(std::fs::remove_file(rest)))
            }
            "midi" => self.midi(rest),
            "play" => self.play(rest, say),
            "load" => desk.load(read(rest)?),
            "edit" => desk.edit(read(rest)?),
            _ if line.starts_with('{') => {
                let value = serde_json::from_str(line).map_err(|e| Error::BadInput(format!("not JSON: {e}")))?;
                let gesture = Gesture::from_json(&value, "this line").map_err(Error::BadInput)?;
                let answer = desk.perform(&gesture, When::Now)?;
                if answer.clamped {
                    writeln!(say, "out of range: {} was sent", answer.value)?;
                }
                Ok(())
            }
            _ => Err(Error::BadInput(format!(
                "no command '{word}'; it is one of names, take, midi, play, load, edit, or a gesture as JSON"
            ))),
        }
    }

    /// Everything that has a name, a line each.
    fn names(&self, say: &mut impl Write) -> io::Result<()> {
        let directory = self.session.desk.directory();
        for (path, spec, value) in self.session.desk.paths() {
            writeln!(say, "path {path} = {value} {}, {} to {}: {}", spec.unit, spec.min, spec.max, spec.doc)?;
        }
        for knob in self.session.desk.controls() {
            writeln!(say, "control {} = {:.3}, moves {}", knob.name, knob.position, knob.path)?;
        }
        for mass in directory.masses() {
            writeln!(say, "mass {mass}")?;
        }
        for site in directory.sites() {
            writeln!(say, "site {}", directory.site_name(site))?;
        }
        for signal in directory.signals() {
            writeln!(say, "signal {signal}")?;
        }
        for output in directory.outputs() {
            writeln!(say, "output {} on channels {:?}", output.name, output.channels)?;
        }
        Ok(())
    }

    /// Bytes from a keyboard become gestures, which go the way of all gestures: a take has them too.
    fn midi(&mut self, bytes: &str) -> Result<()> {
        let byte = |text| u8::from_str_radix(text, 16).map_err(|_| Error::BadInput(format!("'{text}' is no byte")));
        let bytes = bytes.split_whitespace().map(byte).collect::<Result<Vec<u8>>>()?;
        let Self { session: Session { desk, .. }, translator, generation, .. } = self;
        if *generation != Some(desk.generation()) {
            translator.exchange(Map::of(&desk.scene().def));
            *generation = Some(desk.generation());
            desk.watch_energies(&translator.bodies())?; // a note goes to the voice that is quietest, which is measured
        }
        translator.set_energies(desk.energies());
        let mut gestures = Vec::new();
        translator.feed(&bytes, desk.tick() as f64 / desk.rate_hz(), &mut gestures);
        gestures.iter().try_for_each(|gesture| desk.perform(gesture, When::Now).map(|_| ()))
    }

    /// Time passes, s.
    fn play(&mut self, seconds: &str, say: &mut impl Write) -> Result<()> {
        let wanted = seconds.parse().ok().filter(|s| (0.0..=3600.0).contains(s));
        let seconds: f64 = wanted.ok_or_else(|| Error::BadInput(format!("play for how many seconds? '{seconds}'")))?;
        let (from, channels) = (self.sound.samples.len(), self.sound.channels);
        let frames = (seconds * self.sound.rate_hz).round() as usize;
        self.sound.samples.resize(from + frames * channels, 0.0);
        let heard = &mut self.sound.samples[from..];
        heard.chunks_mut(BLOCK * channels).try_for_each(|block| self.session.play(&[], block))?;
        let peak = heard.iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        Ok(writeln!(say, "{:.3} s, peak {peak:.4}", self.session.desk.tick() as f64 / self.sound.rate_hz)?)
    }

    /// Completes the take, if there is one.
    fn close(mut self) -> Result<Sound> {
        self.session.desk.end_take()?;
        self.session.player.play(&[], &mut []); // the request is taken at a block boundary; this block has no frames
        self.session.desk.finish()?;
        Ok(self.sound)
    }
}

/// Plays a scene by lines until there are no more; answers go to `say`.
pub fn run(scene: Document, lines: impl BufRead, mut say: impl Write) -> Result<Sound> {
    let mut front_end = FrontEnd::open(scene)?;
    for line in lines.lines() {
        if let Err(error) = front_end.obey(line?.trim(), &mut say) {
            writeln!(say, "{error}")?;
        }
        while let Some(news) = front_end.session.desk.news() {
            writeln!(say, "{news}")?;
        }
    }
    front_end.close()
}

/// Writes a WAV file of 32-bit floats.
fn write_wav(file: &str, sound: &Sound) -> io::Result<()> {
    let (rate, channels) = (sound.rate_hz as u32, sound.channels as u32);
    let bytes = u32::try_from(36 + 4 * sound.samples.len()).map_err(io::Error::other)? - 36;
    let mut out = BufWriter::new(File::create(file)?);
    out.write_all(b"RIFF")?;
    out.write_all(&(36 + bytes).to_le_bytes())?;
    out.write_all(b"WAVEfmt ")?;
    // Length of this part; 3 for floats, and channels; frames a second; bytes a second; bytes of a frame, and bits of a sample.
    for value in [16, 3 + (channels << 16), rate, rate * 4 * channels, 4 * channels + (32 << 16)] {
        out.write_all(&value.to_le_bytes())?;
    }
    out.write_all(b"data")?;
    out.write_all(&bytes.to_le_bytes())?;
    sound.samples.iter().try_for_each(|sample| out.write_all(&sample.to_le_bytes()))?;
    out.flush()
}

fn main() -> std::result::Result<(), String> {
    let mut words = std::env::args().skip(1);
    let scene = words.next().ok_or("usage: front_end SCENE.toml [HEARD.wav]")?;
    let sound = read(&scene).and_then(|scene| run(scene, io::stdin().lock(), io::stdout()));
    let sound = sound.map_err(|error| error.to_string())?;
    match words.next() {
        Some(file) => write_wav(&file, &sound).map_err(|error| format!("{file}: {error}")),
        None => Ok(()),
    }
}
