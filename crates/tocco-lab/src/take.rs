// SPDX-License-Identifier: MIT OR Apache-2.0
//! Takes as files: read, and rendered offline to what was played, bit for bit.

use crate::atomic_file::AtomicFile;
use crate::console::ProgressBar;
use crate::error::{Error, Result, bad};
use crate::measure::Level;
use crate::render::{Manner, Report, VERSION};
use crate::wav::{Format, WavWriter};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read};
use std::path::Path;
use tocco_live::take::{Header, MOST_BYTES, Replay, Take, spoiled};

/// Reads a take.
pub fn read(path: &Path) -> Result<Take> {
    let wrong = |e: std::io::Error| Error::reading(path, &e);
    let mut file = BufReader::new(File::open(path).map_err(wrong)?);
    let long = || bad(format!("cannot read {}: longer than any take ({} MiB)", path.display(), MOST_BYTES >> 20));
    if file.get_ref().metadata().map_err(wrong)?.len() > MOST_BYTES {
        return long();
    }
    // A device has no length, and perhaps no end: what does not begin as a take is not read on.
    if file
        .fill_buf()
        .map_err(wrong)?
        .first()
        .is_some_and(|first| !matches!(first, b'{' | b' ' | b'\t' | b'\r' | b'\n'))
    {
        return bad(format!(
            "cannot read {}: not a take; record one with 'tocco play SCENE --record FILE'",
            path.display()
        ));
    }
    let mut text = String::new();
    file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(wrong)?;
    if text.len() as u64 > MOST_BYTES {
        return long();
    }
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
    format.check_length(take.ticks as f64)?;
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
