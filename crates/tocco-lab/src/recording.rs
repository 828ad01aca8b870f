// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that grow while something is played, and what a crash leaves of them.
//!
//! A recording stands beside its target as `NAME.unfinished` until it is complete, whatever happens to the program: only its end,
//! or `tocco recover`, gives it its name. It is valid at every moment that [`Recording::settle`] has been called: the header of a
//! sound says how long it is, and a take is good up to its last mark.

use crate::atomic_file::{self, Place};
use crate::error::{Error, Result};
use crate::wav::{Encoding, Format, Info, UNKNOWN, WavReader, header};
use std::fs::{self, File, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tocco_live::take::{self, MOST_BYTES, Take};

/// What an unfinished recording is called.
const ENDING: &str = ".unfinished";

/// What grows.
enum Content {
    /// Lines; good up to this byte, where the last mark ends. The first is before anything is played.
    Take { good: u64, played: bool },
    /// 32-bit float.
    Sound { format: Format, info: Info, header: u64 },
}

/// A recording in the making. Dropped, it stays where it is.
pub struct Recording {
    target: PathBuf,
    /// `None`: the target is a device or a pipe and is written as it goes.
    part: Option<PathBuf>,
    file: File,
    content: Content,
    /// Bytes written, and how many a take may have.
    length: u64,
    most: u64,
}

impl Recording {
    /// A take that will become `target`.
    pub fn of_take(target: &Path) -> Result<Self> {
        Self::create(target, Content::Take { good: 0, played: false })
    }

    /// A sound that will become `target`, 32-bit float, as long as it gets.
    pub fn of_sound(target: &Path, channels: usize, rate_hz: f64, info: Info) -> Result<Self> {
        let format = Format::new(channels, rate_hz, Encoding::Float32)?;
        let mut sound = Self::create(target, Content::Sound { format, info: info.clone(), header: 0 })?;
        let head = match sound.part {
            Some(_) => header(format, &info, 0, true),
            None => header(format, &info, UNKNOWN, false),
        };
        sound.content = Content::Sound { format, info, header: head.len() as u64 };
        sound.write(&head).map_err(|e| Error::writing(target, &e))?;
        Ok(sound)
    }

    fn create(target: &Path, content: Content) -> Result<Self> {
        let target = match atomic_file::place(target)? {
            Place::Device(file) => {
                return Ok(Self {
                    target: target.to_path_buf(),
                    part: None,
                    file,
                    content,
                    length: 0,
                    most: MOST_BYTES,
                });
            }
            Place::File(target) => target,
        };
        for count in 1.. {
            let mut name = target.file_name().unwrap_or_default().to_owned();
            name.push(ENDING);
            if count > 1 {
                // What a crash has left is nobody's to overwrite.
                name.push(format!("-{count}"));
            }
            let part = target.with_file_name(name);
            match File::options().read(true).write(true).create_new(true).open(&part) {
                Ok(file) => {
                    // Who finds it locked lets it be.
                    let _ = file.try_lock();
                    return Ok(Self { target, part: Some(part), file, content, length: 0, most: MOST_BYTES });
                }
                Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists && count < 1000 => {}
                Err(cause) => return Err(Error::writing(&target, &cause)),
            }
        }
        unreachable!("the loop has no end")
    }

    /// The name it will have.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Appends bytes: lines of a take, the last of them perhaps cut, or samples.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        if matches!(self.content, Content::Take { .. }) && self.length + bytes.len() as u64 > self.most {
            // Nobody could read it: what is good of it so far is kept.
            return Err(io::Error::other(format!("no take is longer than {} MiB", self.most >> 20)));
        }
        let mut rest = bytes;
        let done = loop {
            match self.file.write(rest) {
                _ if rest.is_empty() => break Ok(()),
                Ok(0) => break Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => rest = &rest[count..],
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => break Err(e),
            }
        };
        let from = self.length;
        self.length += (bytes.len() - rest.len()) as u64;
        if let Content::Take { good, played } = &mut self.content {
            let mut at = from;
            for line in bytes[..bytes.len() - rest.len()].split_inclusive(|byte| *byte == b'\n') {
                at += line.len() as u64;
                if line.ends_with(b"\n") && (line.starts_with(take::MARK) || line.starts_with(b"{\"end\"")) {
                    *good = at;
                    *played |= !line.starts_with(FIRST_MARK);
                }
            }
        }
        done
    }

    /// What is written so far is valid and on the disk.
    pub fn settle(&mut self) -> io::Result<()> {
        self.describe()?;
        if self.part.is_some() { self.file.sync_data() } else { Ok(()) }
    }

    /// The header of a sound says how long it is.
    fn describe(&mut self) -> io::Result<()> {
        let (Content::Sound { format, info, header: at }, Some(_)) = (&self.content, &self.part) else { return Ok(()) };
        let frames = self.length.saturating_sub(*at) / format.frame_bytes();
        let head = header(*format, info, frames, true);
        self.file.seek(SeekFrom::Start(0))?;
        self.file.write_all(&head)?;
        self.file.seek(SeekFrom::Start(self.length)).map(|_| ())
    }

    /// It is complete, and takes its name.
    pub fn keep(mut self) -> Result<()> {
        let described = self.describe();
        self.named(described)
    }

    /// It ends here, complete or not: what is good of it is kept, and takes its name. No room on the disk is needed for that.
    /// What holds nothing goes: the name may be that of yesterday's.
    pub fn cut(mut self) -> Result<()> {
        if self.part.is_none() {
            return Ok(());
        }
        if self.is_empty() {
            self.discard();
            return Ok(());
        }
        let cut = match &self.content {
            Content::Take { good, .. } => end_at_mark(&mut self.file, *good),
            Content::Sound { format, header, .. } => {
                let extra = self.length.saturating_sub(*header) % format.frame_bytes();
                self.length -= extra;
                self.file.set_len(self.length).and_then(|()| self.describe())
            }
        };
        self.named(cut)
    }

    fn named(self, done: io::Result<()>) -> Result<()> {
        let settled = done.and_then(|()| match &self.part {
            Some(part) => atomic_file::settle(&self.file, part, &self.target),
            None => Ok(()),
        });
        settled.map_err(|e| Error::writing(&self.target, &e))
    }

    /// There is nothing in it that anybody wants.
    pub fn discard(self) {
        if let Some(part) = &self.part {
            let _ = fs::remove_file(part);
        }
    }

    /// True before the first mark of a take that has any sound, and the first frame of a sound.
    fn is_empty(&self) -> bool {
        match &self.content {
            Content::Take { played, .. } => !played,
            Content::Sound { format, header, .. } => self.length < header + format.frame_bytes(),
        }
    }

    /// What of it is good so far, s of sound; 0 for a take, whose marks say it.
    pub fn seconds(&self) -> f64 {
        match &self.content {
            Content::Take { .. } => 0.0,
            Content::Sound { format, header, .. } => {
                (self.length.saturating_sub(*header) / format.frame_bytes()) as f64 / f64::from(format.rate_hz)
            }
        }
    }
}

/// Ends a take at the mark that ends at this byte: the mark becomes the last line, in its place.
fn end_at_mark(file: &mut File, good: u64) -> io::Result<()> {
    use std::io::Read;
    file.set_len(good)?;
    let from = good.saturating_sub(LONGEST_MARK);
    let mut tail = vec![0; (good - from) as usize];
    file.seek(SeekFrom::Start(from))?;
    file.read_exact(&mut tail)?;
    let line = tail.strip_suffix(b"\n").unwrap_or(&tail);
    let begin = line.iter().rposition(|byte| *byte == b'\n').map_or(0, |before| before + 1);
    if !line[begin..].starts_with(take::MARK) {
        return Ok(()); // it has an end
    }
    file.seek(SeekFrom::Start(from + begin as u64))?;
    file.write_all(take::MARK_ENDS)
}

/// The mark at the beginning of a take.
const FIRST_MARK: &[u8] = b"{\"mark\":0,";
/// A mark is shorter than this.
const LONGEST_MARK: u64 = 256;

/// Unfinished recordings in a folder, or one itself.
pub fn unfinished(path: &Path) -> Result<Vec<PathBuf>> {
    if fs::metadata(path).map_err(|e| Error::reading(path, &e))?.is_file() {
        return Ok(vec![path.to_path_buf()]);
    }
    let entries = fs::read_dir(path).map_err(|e| Error::reading(path, &e))?.flatten();
    let mut all: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| meant(path).is_some()).collect();
    all.sort();
    Ok(all)
}

/// The name that an unfinished recording was to have.
fn meant(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let (wanted, count) = name.rsplit_once(ENDING)?;
    let counted = count.is_empty() || count.strip_prefix('-').is_some_and(|count| count.parse::<u32>().is_ok());
    (counted && !wanted.is_empty()).then(|| path.with_file_name(wanted))
}

/// What became of an unfinished recording.
#[derive(Debug, PartialEq, Eq)]
pub enum Mended {
    /// It is being recorded: let it be.
    Alive,
    /// What is in it, in words, and where that is now (or would be).
    Kept(String, PathBuf),
    /// It was left before anything was recorded: it is gone (or would be).
    Empty,
    /// There is nothing to mend.
    Whole,
}

/// Looks at an unfinished recording and, unless only asked to look, mends it: what is good of it takes its name, or another where
/// that is taken.
pub fn mend(path: &Path, look: bool) -> Result<Mended> {
    use std::io::Read;
    let wrong = |e: io::Error| Error::reading(path, &e);
    let mut file = File::options().read(true).write(!look).open(path).map_err(wrong)?;
    if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        return Ok(Mended::Alive);
    }
    let mut first = [0; 4];
    let sound = file.read_exact(&mut first).is_ok() && matches!(&first, b"RIFF" | b"RF64");
    let Some(name) = meant(path) else {
        // Somebody's own file: what is whole is let alone, and nothing is taken away.
        return mend_in_place(path, &mut file, sound, look);
    };
    if !sound && is_empty(&mut file).map_err(wrong)? {
        if !look {
            fs::remove_file(path).map_err(|e| Error::writing(path, &e))?;
        }
        return Ok(Mended::Empty);
    }
    let target = free_name(&name);
    let words = if sound { mend_sound(path, &mut file, look)? } else { mend_take(path, &mut file, look)? };
    if !look {
        atomic_file::settle(&file, path, &target).map_err(|e| Error::writing(&target, &e))?;
    }
    Ok(Mended::Kept(words, target))
}

/// Mends a recording that has its name already: cut off while it was copied, or by hand.
fn mend_in_place(path: &Path, file: &mut File, sound: bool, look: bool) -> Result<Mended> {
    let whole = if sound {
        WavReader::open(path).is_ok_and(|wav| {
            let end = wav.data_at() + wav.frames * wav.frame_bytes();
            // A chunk of odd length is followed by a byte.
            fs::metadata(path).is_ok_and(|file| file.len() == end || (end % 2 == 1 && file.len() == end + 1))
        })
    } else {
        crate::take::read(path).is_ok()
    };
    if whole {
        return Ok(Mended::Whole);
    }
    let words = if sound { mend_sound(path, file, look)? } else { mend_take(path, file, look)? };
    Ok(Mended::Kept(words, path.to_path_buf()))
}

/// True of a file without a byte, and of a take that was left before anything was played: its scene at most.
fn is_empty(file: &mut File) -> io::Result<bool> {
    use std::io::Read;
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).count();
    let (begun, length) = (take::BEGINS, take::BEGINS.len().min(bytes.len()));
    Ok(bytes[..length] == begun[..length] && lines <= 1)
}

/// True of a whole line at which a take may end.
fn is_end(line: &[u8]) -> bool {
    line.ends_with(b"\n") && (line.starts_with(take::MARK) || line.starts_with(b"{\"end\""))
}

fn mend_sound(path: &Path, file: &mut File, look: bool) -> Result<String> {
    let wav = WavReader::open(path)?;
    let format = Format::new(wav.channels, wav.rate_hz, Encoding::Float32)?;
    let length = fs::metadata(path).map_err(|e| Error::reading(path, &e))?.len();
    let frames = length.saturating_sub(wav.data_at()) / format.frame_bytes();
    let head = header(format, &wav.info, frames, true);
    if head.len() as u64 != wav.data_at() || !wav.is_float32() {
        return Err(Error::BadInput(format!("{}: not a sound that 'tocco play' left", path.display())));
    }
    if !look {
        let done = file.set_len(wav.data_at() + frames * format.frame_bytes());
        let done = done.and_then(|()| file.seek(SeekFrom::Start(0))).and_then(|_| file.write_all(&head));
        done.map_err(|e| Error::writing(path, &e))?;
    }
    Ok(format!("{:.2} s of sound", frames as f64 / wav.rate_hz))
}

fn mend_take(path: &Path, file: &mut File, look: bool) -> Result<String> {
    use std::io::Read;
    let wrong = |e: io::Error| Error::reading(path, &e);
    let broken = |what: &str| Error::BadInput(format!("{}: {what}", path.display()));
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0)).map_err(wrong)?;
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(wrong)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(broken("longer than any take"));
    }
    let mut at = 0;
    let mut good = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        at += line.len();
        if is_end(line) {
            good = at;
        }
    }
    if good == 0 {
        return Err(broken("no mark in it up to which it would be good; it stays as it is"));
    }
    bytes.truncate(good);
    let text = String::from_utf8(bytes).map_err(|_| broken("not a take"))?;
    let mut lines = text.trim_end().rsplitn(2, '\n');
    let (last, before) = (lines.next().unwrap_or_default(), lines.next().unwrap_or_default());
    let ends = String::from_utf8_lossy(take::MARK_ENDS);
    let last = last.strip_prefix("{\"mark\":").map_or_else(|| last.to_owned(), |rest| format!("{ends}{rest}"));
    let take = Take::from_text(&format!("{before}\n{last}\n"), &path.display().to_string())?;
    if !look {
        end_at_mark(file, good as u64).map_err(|e| Error::writing(path, &e))?;
    }
    let (seconds, gestures) = (take.ticks as f64 / take.header.rate_hz, take.entries.len());
    Ok(format!("a take of {seconds:.2} s, {gestures} gestures"))
}

/// The name itself, or one like it that nobody has.
fn free_name(path: &Path) -> PathBuf {
    let part = |part: Option<&std::ffi::OsStr>| part.unwrap_or_default().to_string_lossy().into_owned();
    let (stem, ending) = (part(path.file_stem()), part(path.extension()));
    let ending = if ending.is_empty() { ending } else { format!(".{ending}") };
    let other = |count: u32| match count {
        0 => path.to_path_buf(),
        1 => path.with_file_name(format!("{stem}-recovered{ending}")),
        _ => path.with_file_name(format!("{stem}-recovered-{count}{ending}")),
    };
    (0..u32::MAX).map(other).find(|path| fs::symlink_metadata(path).is_err()).unwrap_or_else(|| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wav::WavWriter;

    fn sound(target: &Path) -> Recording {
        Recording::of_sound(target, 2, 48_000.0, vec![(*b"INAM", "x".into())]).unwrap()
    }

    fn bytes(samples: &[f32]) -> Vec<u8> {
        samples.iter().flat_map(|sample| sample.to_le_bytes()).collect()
    }

    fn frames(path: &Path) -> u32 {
        hound::WavReader::open(path).unwrap().duration()
    }

    #[test]
    fn what_was_left_before_anything_was_recorded_is_removed_and_what_is_not_ours_stays() {
        let dir = tempfile::tempdir().unwrap();
        let part = dir.path().join("a.jsonl.unfinished");
        for (left, gone) in [
            ("", true),
            ("{\"ta", true),
            ("{\"take\":2,\"program\":\"x\"}\n", true),
            ("{\"take\":2,\"program\":\"x\"}\n{\"at\":0}\n", false),
            ("{\"mine\":1}", false),
            ("mine", false),
        ] {
            fs::write(&part, left).unwrap();
            assert_eq!(mend(&part, true).is_ok(), gone, "{left}");
            assert!(part.exists());
            assert_eq!(mend(&part, false).ok(), gone.then_some(Mended::Empty), "{left}");
            assert_eq!(part.exists(), !gone, "{left}");
        }
    }

    #[test]
    fn a_sound_is_valid_whenever_it_is_settled_and_a_cut_one_keeps_its_whole_frames() {
        let dir = tempfile::tempdir().unwrap();
        let (target, part) = (dir.path().join("a.wav"), dir.path().join("a.wav.unfinished"));
        let mut wav = sound(&target);
        assert_eq!(frames(&part), 0);
        for round in 1..4 {
            wav.write(&bytes(&[0.5; 200])).unwrap();
            wav.settle().unwrap();
            assert_eq!(frames(&part), 100 * round);
        }
        wav.write(&bytes(&[0.5; 3])).unwrap();
        wav.cut().unwrap();
        assert!(!part.exists());
        assert_eq!(frames(&target), 301);
    }

    #[test]
    fn what_a_crash_left_is_listed_then_mended_and_overwrites_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let target = dir.path().join("a.wav");
        fs::write(&target, "mine").unwrap();
        let mut wav = sound(&target);
        wav.write(&bytes(&[0.5; 201])).unwrap();
        let left = unfinished(dir.path()).unwrap();
        assert_eq!(left, [dir.path().join("a.wav.unfinished")]);
        assert_eq!(mend(&left[0], true).unwrap(), Mended::Alive);
        let mut other = sound(&target);
        assert_eq!(unfinished(dir.path()).unwrap().len(), 2, "each has a file of its own");
        other.write(b"x").unwrap();
        other.discard();
        drop(wav);
        let kept = Mended::Kept("0.00 s of sound".into(), dir.path().join("a-recovered.wav"));
        assert_eq!(mend(&left[0], true).unwrap(), kept);
        assert!(left[0].exists());
        assert_eq!(mend(&left[0], false).unwrap(), kept);
        assert_eq!(frames(&dir.path().join("a-recovered.wav")), 100);
        assert_eq!(fs::read(&target).unwrap(), b"mine");
        assert!(unfinished(dir.path()).unwrap().is_empty());
    }

    #[test]
    fn what_is_no_recording_is_refused_and_stays() {
        let dir = tempfile::tempdir().unwrap();
        for (name, content) in [("a.unfinished", &b"notes"[..]), ("b.unfinished-3", b"RIFF"), ("c.unfinished", b"mine")]
        {
            fs::write(dir.path().join(name), content).unwrap();
            assert!(mend(&dir.path().join(name), false).is_err());
            assert_eq!(fs::read(dir.path().join(name)).unwrap(), content);
        }
        fs::write(dir.path().join("d.unfinished-x"), b"").unwrap();
        assert_eq!(unfinished(dir.path()).unwrap().len(), 3);
    }

    #[test]
    fn nobodys_own_file_is_taken_away_or_renamed() {
        let dir = tempfile::tempdir().unwrap();
        let mut whole = sound(&dir.path().join("p.wav"));
        whole.write(&bytes(&[0.5; 8])).unwrap();
        whole.keep().unwrap();
        let before = fs::read(dir.path().join("p.wav")).unwrap();
        assert_eq!(mend(&dir.path().join("p.wav"), false).unwrap(), Mended::Whole);
        assert_eq!(fs::read(dir.path().join("p.wav")).unwrap(), before);
        // Neither a note that begins as a take does, nor an empty file, nor a take without a mark goes.
        let played = "{\"take\":1}\n{\"at\":0,\"set\":\"x\"}\n";
        for (name, content) in
            [("mine.txt", "{\"ta"), ("empty", ""), ("old.jsonl", played), ("old.jsonl.unfinished", played)]
        {
            let path = dir.path().join(name);
            fs::write(&path, content).unwrap();
            assert!(mend(&path, false).is_err(), "{name}");
            assert_eq!(fs::read_to_string(&path).unwrap(), content, "{name}");
        }
        // Cut off by hand it is mended where it is.
        fs::write(dir.path().join("p.wav"), &before[..before.len() - 3]).unwrap();
        assert!(
            matches!(mend(&dir.path().join("p.wav"), false).unwrap(), Mended::Kept(_, path) if path.ends_with("p.wav"))
        );
        assert_eq!(frames(&dir.path().join("p.wav")), 3);
    }

    #[test]
    fn a_sound_of_another_encoding_is_whole_or_none_of_ours() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("p.wav");
        let samples = vec![0.25; 101];
        for encoding in [Encoding::Int16, Encoding::Int24] {
            let format = Format::new(1, 48_000.0, encoding).unwrap();
            let mut wav = WavWriter::new(Vec::new(), format, Info::new(), 101, 1).unwrap();
            wav.write(&samples).unwrap();
            let (plain, head) = wav.finish().unwrap();
            let mut plain = [head.clone(), plain[head.len()..].to_vec()].concat();
            // With room in front of the samples, as `tocco play` leaves it, and more than it: a header of ours would fit.
            let ours = header(Format::new(1, 48_000.0, Encoding::Float32).unwrap(), &Info::new(), 0, true).len();
            let room = ours - head.len() - 8;
            let junk = [b"JUNK".to_vec(), (room as u32).to_le_bytes().to_vec(), vec![0; room]].concat();
            plain.splice(12..12, junk);
            fs::write(&path, &plain).unwrap();
            assert_eq!(WavReader::open(&path).unwrap().data_at(), ours as u64);
            assert_eq!(mend(&path, false).unwrap(), Mended::Whole);
            plain.truncate(plain.len() - 9);
            fs::write(&path, &plain).unwrap();
            assert!(mend(&path, false).is_err());
            assert_eq!(fs::read(&path).unwrap(), plain);
        }
    }

    #[test]
    fn a_recording_that_is_cut_before_it_holds_anything_takes_nobodys_name() {
        let dir = tempfile::tempdir().unwrap();
        for (name, part) in [("a.wav", "a.wav.unfinished"), ("a.jsonl", "a.jsonl.unfinished")] {
            let (target, part) = (dir.path().join(name), dir.path().join(part));
            fs::write(&target, "yesterday's").unwrap();
            let mut empty = if name.ends_with("wav") { sound(&target) } else { Recording::of_take(&target).unwrap() };
            if name.ends_with("wav") {
                empty.write(b"abc").unwrap();
            } else {
                // As the desk begins a take.
                let (mut desk, _) = tocco_live::open(crate::library::load("bar").unwrap(), Default::default()).unwrap();
                let memory = take::SharedWriter::new(Vec::new());
                desk.record(Box::new(memory.clone()), "test").unwrap();
                drop(desk);
                let begun = memory.fetch().unwrap();
                assert!(begun.ends_with(b"}\n") && begun.windows(8).any(|word| word == take::MARK));
                empty.write(&begun).unwrap();
            }
            empty.cut().unwrap();
            assert_eq!(fs::read(&target).unwrap(), b"yesterday's", "{name}");
            assert!(!part.exists());
        }
    }

    #[test]
    fn a_take_that_grows_past_what_can_be_read_ends_where_it_is_good() {
        let dir = tempfile::tempdir().unwrap();
        let mut take = Recording::of_take(&dir.path().join("a.jsonl")).unwrap();
        take.most = 4096;
        let mark = b"{\"mark\":{\"ticks\":64}}\n";
        let line = [b'x'; 99].iter().chain(b"\n").copied().collect::<Vec<u8>>();
        let mut count = 0;
        while take.write(&line).and_then(|()| take.write(mark)).is_ok() {
            count += 1;
        }
        let said = take.write(&line).unwrap_err().to_string();
        assert!(count == 4096 / (100 + mark.len()) && said.contains("no take is longer"), "{count} {said}");
        take.cut().unwrap();
        let kept = fs::read(dir.path().join("a.jsonl")).unwrap();
        assert!(
            kept.len() <= 4096 && kept.ends_with(b"{\"end\" :{\"ticks\":64}}\n"),
            "{}",
            String::from_utf8_lossy(&kept)
        );
    }
}
