// SPDX-License-Identifier: MIT OR Apache-2.0
//! Files that appear whole or not at all: written beside the target under a hidden name, renamed when complete,
//! removed on any error. A program that ends at a signal calls [`remove_unfinished`].

use crate::error::{Error, Result, bad, plain};
use std::fs::{self, File, TryLockError};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

/// Unfinished files of this process.
static PENDING: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
static COUNT: AtomicU32 = AtomicU32::new(0);

fn pending() -> std::sync::MutexGuard<'static, Vec<PathBuf>> {
    PENDING.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Removes the unfinished files of this process: for a program that is about to end without dropping them.
pub fn remove_unfinished() {
    for path in pending().iter() {
        let _ = fs::remove_file(path);
    }
}

/// Where a file is to be written.
pub(crate) enum Place {
    /// A device or a pipe: written as it stands, for renaming onto it would replace it.
    Device(File),
    /// An ordinary file, there or not; links are followed, also those that lead to a file which is yet to come.
    File(PathBuf),
}

/// Looks at what a file is to be written to, or says why it cannot be.
pub(crate) fn place(target: &Path) -> Result<Place> {
    let wrong = |cause: &io::Error| Error::writing(target, cause);
    match fs::metadata(target) {
        Ok(meta) if meta.is_dir() => {
            return bad(format!("cannot write {}: it is a folder; name a file in it", target.display()));
        }
        Ok(meta) if !meta.is_file() => {
            return File::options().write(true).open(target).map(Place::Device).map_err(|e| wrong(&e));
        }
        // Renaming asks only for the folder: a file that is protected is asked for itself.
        Ok(_) => drop(File::options().write(true).open(target).map_err(|e| wrong(&e))?),
        Err(cause) if cause.kind() != io::ErrorKind::NotFound => return Err(wrong(&cause)),
        Err(_) => {}
    }
    let mut target = target.to_path_buf();
    // A link stays a link: what it points to is written. The system itself follows at most so many.
    for _ in 0..40 {
        let Ok(to) = fs::read_link(&target) else { break };
        target = target.parent().map_or_else(|| to.clone(), |folder| folder.join(&to));
    }
    match target.file_name() {
        Some(_) => Ok(Place::File(target)),
        None => bad(format!("cannot write '{}': it names no file", target.display())),
    }
}

/// A file that is complete takes its name: what is in it is on the disk before, and whoever might read the old one may read it.
pub(crate) fn settle(file: &File, part: &Path, target: &Path) -> io::Result<()> {
    keep_permissions(file, target)?;
    file.sync_all()?;
    fs::rename(part, target)
}

fn keep_permissions(file: &File, target: &Path) -> io::Result<()> {
    fs::metadata(target).map_or(Ok(()), |before| file.set_permissions(before.permissions()))
}

/// Refuses to write where something is read, or two things to one place, by whatever spelling. What each is comes first:
/// `("the scene", path)`.
pub fn keep_apart(read: &[(&str, &Path)], written: &[(&str, &Path)]) -> Result<()> {
    for (index, (what, path)) in written.iter().enumerate() {
        // A recording goes by another name until it is complete.
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(".unfinished");
        let others = written.iter().chain(read).filter(|(_, other)| is_same(Path::new(&unfinished), other));
        if let Some((also, other)) = others.into_iter().next() {
            let (path, other) = (path.display(), other.display());
            return bad(format!(
                "{what} {path}: {also} {other} is its name in the making; each needs a file of its own"
            ));
        }
        if let Some((of, _)) = read.iter().find(|(_, other)| is_same(path, other)) {
            return bad(format!("{what} {}: that is {of}, which would be lost; name another file", path.display()));
        }
        if let Some((also, _)) = written[..index].iter().find(|(_, other)| is_same(path, other)) {
            return bad(format!("{what} {}: {also} goes there already; each needs a file of its own", path.display()));
        }
    }
    Ok(())
}

/// The same for a folder that is filled: refuses what would be read from it under one of these names.
pub fn keep_folder_apart(read: &[(&str, &Path)], folder: &Path, is_written: impl Fn(&str) -> bool) -> Result<()> {
    for (of, path) in read {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let inside = folder.join(name);
        if is_written(name) && fs::metadata(&inside).is_ok() && is_same(&inside, path) {
            let (inside, folder) = (inside.display(), folder.display());
            return bad(format!("-o {folder}: {inside} is {of}, which would be lost; name another folder"));
        }
    }
    Ok(())
}

/// True if both names lead to one ordinary file, or would.
fn is_same(one: &Path, other: &Path) -> bool {
    match (fs::metadata(one), fs::metadata(other)) {
        (Ok(one), Ok(other)) if !one.is_file() || !other.is_file() => return false,
        #[cfg(unix)]
        (Ok(one), Ok(other)) => {
            use std::os::unix::fs::MetadataExt;
            return (one.dev(), one.ino()) == (other.dev(), other.ino());
        }
        _ => {}
    }
    let real = |path: &Path| {
        let Ok(Place::File(path)) = place(path) else { return path.to_path_buf() };
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        path.canonicalize().ok().or_else(|| Some(folder.canonicalize().ok()?.join(path.file_name()?))).unwrap_or(path)
    };
    real(one) == real(other)
}

/// A file in the making.
#[derive(Debug)]
pub struct AtomicFile {
    target: PathBuf,
    /// `None`: the target is a device or a pipe and is written directly.
    part: Option<PathBuf>,
    file: File,
}

impl AtomicFile {
    /// Begins a file that will become `target`.
    pub fn create(target: &Path) -> Result<Self> {
        let target = match place(target)? {
            Place::Device(file) => return Ok(Self { target: target.to_path_buf(), part: None, file }),
            Place::File(target) => target,
        };
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let part = target.with_file_name(format!(".tocco-{}-{count}.part", std::process::id()));
            pending().push(part.clone());
            match File::options().read(true).write(true).create_new(true).open(&part) {
                Ok(file) => {
                    // Who finds it locked lets it be; where files cannot be locked its age must do.
                    let _ = file.try_lock();
                    return Ok(Self { target, part: Some(part), file });
                }
                Err(cause) => {
                    pending().retain(|p| *p != part);
                    // A killed process of the same number may have left one.
                    if cause.kind() != io::ErrorKind::AlreadyExists {
                        return Err(Error::writing(&target, &cause));
                    }
                }
            }
        }
    }

    /// The name it will have.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// True if earlier bytes can be rewritten (a regular file).
    pub fn can_seek(&self) -> bool {
        self.part.is_some()
    }

    /// The file is complete: it takes its name.
    pub fn keep(self) -> Result<()> {
        self.keep_by(settle)
    }

    /// The same without waiting for the disk: for what is checked before it is trusted, as the power may fail.
    pub fn keep_soon(self) -> Result<()> {
        self.keep_by(|file, part, target| keep_permissions(file, target).and_then(|()| fs::rename(part, target)))
    }

    fn keep_by(mut self, settle: fn(&File, &Path, &Path) -> io::Result<()>) -> Result<()> {
        self.file.flush().map_err(|e| Error::writing(&self.target, &e))?;
        if let Some(part) = self.part.take() {
            let renamed = settle(&self.file, &part, &self.target);
            if renamed.is_err() {
                let _ = fs::remove_file(&part);
            }
            pending().retain(|p| *p != part);
            renamed.map_err(|e| Error::writing(&self.target, &e))?;
        }
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some(part) = self.part.take() {
            let _ = fs::remove_file(&part);
            pending().retain(|p| *p != part);
        }
    }
}

/// Writes a whole small file at once.
pub fn write(target: &Path, bytes: &[u8]) -> Result<()> {
    let mut file = AtomicFile::create(target)?;
    file.write_all(bytes).map_err(|e| Error::writing(target, &e))?;
    file.keep()
}

/// Makes a folder and its parents.
pub fn create_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|e| match e.kind() {
        io::ErrorKind::AlreadyExists | io::ErrorKind::NotADirectory => {
            Error::BadInput(format!("cannot make folder {}: a file has that name; name another", path.display()))
        }
        io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            Error::BadInput(format!("cannot make folder {}: {}; name another", path.display(), plain(&e)))
        }
        _ => Error::writing(path, &e),
    })
}

/// Removes what killed runs have left in a folder: unfinished files that nobody holds locked. Where files cannot be locked,
/// those that nobody has written to for an hour.
pub fn remove_leftovers(folder: &Path) {
    let listed = fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in listed {
        let name = entry.file_name();
        let parts = name.to_str().and_then(|name| name.strip_prefix(".tocco-")?.strip_suffix(".part")?.split_once('-'));
        let Some((Ok(_), Ok(_))) = parts.map(|(id, count)| (id.parse::<u32>(), count.parse::<u64>())) else {
            continue;
        };
        let old =
            || entry.metadata().and_then(|meta| meta.modified()).is_ok_and(|at| at.elapsed().is_ok_and(|t| t > HOUR));
        let held = File::options().write(true).open(entry.path()).map(|file| file.try_lock());
        let left = match held {
            Ok(Ok(())) => true,
            Ok(Err(TryLockError::WouldBlock)) => false,
            Ok(Err(TryLockError::Error(_))) | Err(_) => old(),
        };
        if left {
            let _ = fs::remove_file(entry.path());
        }
    }
}

const HOUR: std::time::Duration = std::time::Duration::from_secs(3600);

/// The good lines of a journal, and the journal to go on with. Each ends with a hash of what it says: what is torn or was changed is
/// skipped and stays alone, and what it told of is done again.
pub fn journal(path: &Path) -> Result<(Vec<String>, Mutex<File>)> {
    let wrong = |cause: io::Error| Error::writing(path, &cause);
    let text = fs::read(path).unwrap_or_default();
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    let good = |line: &str| {
        let (line, told) = line.rsplit_once('\t')?;
        (u64::from_str_radix(told, 16) == Ok(hash(line.as_bytes()))).then(|| line.to_owned())
    };
    let lines = String::from_utf8_lossy(&text[..whole]).lines().filter_map(good).collect();
    let mut file = File::options().create(true).append(true).open(path).map_err(wrong)?;
    if whole < text.len() {
        file.write_all(b"\n").map_err(wrong)?;
    }
    Ok((lines, Mutex::new(file)))
}

/// Appends a line to a [`journal`].
pub fn append_line(journal: &Mutex<File>, path: &Path, line: &str) -> Result<()> {
    let mut file = journal.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let line = format!("{line}\t{:016x}\n", hash(line.as_bytes()));
    file.write_all(line.as_bytes()).map_err(|e| Error::writing(path, &e))
}

/// Hash of what is in a file, by which a damaged one is known; `None` if it cannot be read.
pub fn file_hash(path: &Path) -> Option<u64> {
    fs::read(path).ok().map(|bytes| hash(&bytes))
}

/// The same hash of bytes about to be written.
pub fn hash(bytes: &[u8]) -> u64 {
    // As Fowler, Noll and Vo, but by words of eight bytes in four lanes that do not wait for one another, each folded so
    // that high bits reach the low ones.
    let mix = |hash: u64, word: [u8; 8]| {
        let hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^ hash >> 29
    };
    let mut lanes = [1, 2, 3, 4].map(|lane| tocco::hash::START ^ lane);
    let (rounds, rest) = bytes.as_chunks::<32>();
    for round in rounds {
        let (words, _) = round.as_chunks::<8>();
        for lane in 0..4 {
            lanes[lane] = mix(lanes[lane], words[lane]);
        }
    }
    let mut hash = lanes.iter().fold(bytes.len() as u64, |hash, lane| mix(hash, lane.to_le_bytes()));
    for word in rest.chunks(8) {
        let mut last = [0; 8];
        last[..word.len()].copy_from_slice(word);
        hash = mix(hash, last);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_kept_leaves_nothing_and_the_old_one_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        write(&path, b"old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        drop(file);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
        write(&path, b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
    }

    #[test]
    fn what_a_killed_run_left_goes_and_what_a_living_one_writes_stays() {
        let dir = tempfile::tempdir().unwrap();
        let own = AtomicFile::create(&dir.path().join("a.wav")).unwrap();
        let (left, other) = (dir.path().join(".tocco-1-0.part"), dir.path().join(".tocco-notes.part"));
        fs::write(&left, b"x").unwrap();
        fs::write(&other, b"x").unwrap();
        remove_leftovers(dir.path());
        assert!(!left.exists() && other.exists());
        own.keep().unwrap();
        assert!(dir.path().join("a.wav").exists());
    }

    #[test]
    fn an_unfinished_file_of_the_same_number_is_stepped_over() {
        let dir = tempfile::tempdir().unwrap();
        let next = COUNT.load(Ordering::Relaxed);
        for count in next..next + 50 {
            fs::write(dir.path().join(format!(".tocco-{}-{count}.part", std::process::id())), b"x").unwrap();
        }
        write(&dir.path().join("a.txt"), b"new").unwrap();
        assert_eq!(fs::read(dir.path().join("a.txt")).unwrap(), b"new");
    }

    #[test]
    fn a_torn_line_of_a_journal_is_skipped_and_spoils_no_other() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let (_, file) = journal(&path).unwrap();
        ["one", "two"].iter().for_each(|line| append_line(&file, &path, line).unwrap());
        fs::write(&path, fs::read_to_string(&path).unwrap() + "thr").unwrap();
        let (lines, file) = journal(&path).unwrap();
        assert_eq!(lines, ["one", "two"]);
        append_line(&file, &path, "four").unwrap();
        assert_eq!(journal(&path).unwrap().0, ["one", "two", "four"]);
        // Nor is a line believed that was changed.
        fs::write(&path, fs::read_to_string(&path).unwrap().replace("two", "ten")).unwrap();
        assert_eq!(journal(&path).unwrap().0, ["one", "four"]);
    }

    #[test]
    fn one_bit_anywhere_changes_what_is_said_of_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let (path, mut bytes) = (dir.path().join("a"), (0..999u32).map(|i| (i * i) as u8).collect::<Vec<_>>());
        let mut seen = std::collections::HashSet::new();
        for bit in 0..bytes.len() * 8 {
            bytes[bit / 8] ^= 1 << (bit % 8);
            fs::write(&path, &bytes).unwrap();
            assert!(seen.insert(file_hash(&path).unwrap()), "bit {bit}");
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_written_through_and_stays_a_device() {
        write(Path::new("/dev/null"), b"x").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[cfg(unix)]
    #[test]
    fn permissions_stay_and_a_link_to_a_file_that_is_yet_to_come_leads_there() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        write(&at("a"), b"old").unwrap();
        fs::set_permissions(at("a"), fs::Permissions::from_mode(0o640)).unwrap();
        write(&at("a"), b"new").unwrap();
        assert_eq!(fs::metadata(at("a")).unwrap().permissions().mode() & 0o777, 0o640);
        fs::create_dir(at("there")).unwrap();
        symlink("there/b", at("one")).unwrap();
        symlink("one", at("two")).unwrap();
        write(&at("two"), b"x").unwrap();
        assert_eq!(fs::read(at("there/b")).unwrap(), b"x");
        assert!(
            fs::symlink_metadata(at("one")).unwrap().is_symlink()
                && fs::symlink_metadata(at("two")).unwrap().is_symlink()
        );
        symlink("nowhere/b", at("three")).unwrap();
        assert!(write(&at("three"), b"x").is_err_and(|e| e.to_string().contains("folder does not exist")));
        symlink("round", at("round")).unwrap();
        assert!(write(&at("round"), b"x").is_err());
    }

    #[cfg(unix)]
    #[test]
    fn what_is_read_is_not_written_by_whatever_name() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        write(&at("a"), b"old").unwrap();
        std::os::unix::fs::symlink("a", at("link")).unwrap();
        fs::hard_link(at("a"), at("hard")).unwrap();
        for name in ["a", "./a", "link", "hard"] {
            let said = keep_apart(&[("the scene", &at("a"))], &[("-o", &at(name))]).unwrap_err().to_string();
            assert!(said.contains("that is the scene"), "{said}");
        }
        // Neither is there yet.
        let said = keep_apart(&[], &[("-o", &at("b")), ("--probe", &dir.path().join("./b"))]).unwrap_err().to_string();
        assert!(said.contains("-o goes there already"), "{said}");
        let null = Path::new("/dev/null");
        assert!(keep_apart(&[("the scene", &at("a"))], &[("-o", null), ("--probe", null), ("x", &at("b"))]).is_ok());
    }
}
