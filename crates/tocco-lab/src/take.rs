// SPDX-License-Identifier: MIT OR Apache-2.0
//! Takes as files: read, and rendered offline to what was played, bit for bit.

use crate::atomic_file::AtomicFile;
use crate::console::ProgressBar;
use crate::error::{Error, Result, bad};
use crate::measure::Level;
use crate::render::{Manner, Report, VERSION};
use crate::wav::{Format, WavWriter};
use std::io::BufWriter;
use std::path::Path;
use tocco_live::take::{Header, MOST_BYTES, Replay, Take, spoiled};

/// Reads a take.
pub fn read(path: &Path) -> Result<Take> {
    let size = std::fs::metadata(path).map_err(|e| Error::reading(path, &e))?.len();
    if size > MOST_BYTES {
        return bad(format!("cannot read {}: longer than any take ({} MiB)", path.display(), MOST_BYTES >> 20));
    }
    let text = std::fs::read_to_string(path).map_err(|e| Error::reading(path, &e))?;
    Ok(Take::from_text(&text, &path.display().to_string())?)
}

/// Frames rendered per call; the sound does not depend on it.
const BLOCK: usize = 4096;

/// Renders a take to a WAV file. An unfaithful rendering is written all the same, and is an error.
pub fn to_wav(take: &Take, target: &Path, manner: &Manner) -> Result<Report> {
    let Header { rate_hz, channels, .. } = take.header;
    if manner.normalise_dbfs.is_some() || manner.gain_db != 0.0 {
        return bad("a take is rendered as it was played: leave --normalise and --gain-db out");
    }
    let format = Format::new(channels, rate_hz, manner.encoding)?;
    let info = vec![(*b"INAM", take.header.scene.title().to_owned()), (*b"ISFT", VERSION.to_owned())];
    format.check_length(&info, take.ticks as f64)?;
    let mut replay = Replay::new(take)?;
    let wrong = |e: std::io::Error| Error::writing(target, &e);
    let file = BufWriter::new(AtomicFile::create(target)?);
    let mut wav = WavWriter::new(file, format, info, take.ticks, take.header.scene.def.seed).map_err(wrong)?;
    let bar = ProgressBar::new((take.ticks as f64 / rate_hz).ceil() as u64, "s of sound");
    let (mut out, mut level, mut frames) = (vec![0.0; BLOCK * channels], Level::default(), 0);
    loop {
        let rendered = replay.render(&mut out);
        if rendered == 0 {
            break;
        }
        level.add(&out[..rendered * channels]);
        wav.write(&out[..rendered * channels]).map_err(wrong)?;
        frames += rendered as u64;
        bar.at((frames as f64 / rate_hz) as u64);
    }
    let over = wav.over();
    let (out, _) = wav.finish().map_err(wrong)?;
    out.into_inner().map_err(|e| wrong(e.into_error()))?.keep()?;
    if !replay.is_faithful() && take.lost_input > 0 {
        return Err(Error::Missed(format!("{}: rendered, but {}", target.display(), spoiled(take.lost_input))));
    }
    if !replay.is_faithful() {
        return Err(Error::Missed(format!(
            "{}: rendered, but not as it was played; was the take made by {VERSION}?",
            target.display()
        )));
    }
    let (health, omitted) = (replay.engine().health(), replay.engine().scene().omitted().to_vec());
    Ok(Report { frames, rate_hz, channels, level, over, health, cut: false, omitted })
}
