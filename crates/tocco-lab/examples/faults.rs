// SPDX-License-Identifier: MIT OR Apache-2.0
//! Tries the tests and `tocco reproduce` on engines that are wrong on purpose (`crates/tocco/src/fault.rs`).
//!
//!     cargo run -p tocco-lab --features faults --example faults               all of it, as ./test --long does
//!     cargo run -p tocco-lab --features faults --example faults -- --list     the table
//!     ... -- FELT_TERM STRING_Q                                               some faults
//!     ... -- --expected                                                       only the test that the table names
//!     ... -- --tests, ... -- --items                                          only the tests, only the items
//!
//! Test binaries are built once. A fault is caught if one of them fails; one that does not end in its time says nothing, on a busy
//! machine, and counts as not noticed. The test that the table names runs first. Only if
//! it does not notice, the rest of its file does, and then the other binaries, the quickest first. All files as one (tests/all.rs) take
//! long: they are run to their end for the first few such faults only. At least 95 % of the faults must be caught by
//! `cargo test -p tocco`; every item of `tocco reproduce` must notice every fault of which the table says so, and each item at
//! least one. The whole list may take an hour once it is built.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tocco::fault::{ALL, Fault};
use tocco_lab::reproduce;

/// Part of the faults that tests must catch.
const CAUGHT: f64 = 0.95;
/// Longest time that anything may take, over what it takes without a fault, and besides, s.
const PATIENCE: (f64, f64) = (6.0, 60.0);
/// Longest time that one test or one file of tests may take, s.
const PATIENCE_WITH_ONE: f64 = 300.0;
/// Longest time that an item may take, s.
const PATIENCE_WITH_ITEM: f64 = 600.0;
/// The binary of most files of tests, and how many faults are tried on all of it.
const MOST: (&str, usize) = ("all", 3);
/// Longest time that the whole list may take, s.
const HOUR: f64 = 3600.0;

type Result<T> = std::result::Result<T, String>;

/// A binary full of tests.
struct Tests {
    name: String,
    program: PathBuf,
    /// What it takes without a fault, s.
    takes_s: f64,
}

/// How something ended.
enum End {
    Well { tests: usize },
    Badly { first: String },
    Never,
}

struct Asked {
    faults: Vec<&'static Fault>,
    expected_only: bool,
    tests: bool,
    items: bool,
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--list"] => list(),
        ["--item", id, folder] => return item(id, Path::new(folder)),
        _ => asked(&words).and_then(|asked| all(&asked)),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(cause) => {
            eprintln!("faults: {cause}");
            ExitCode::from(2)
        }
    }
}

fn list() -> Result<bool> {
    for Fault { name, file, what, test, items } in ALL {
        println!("{name:<18} {file:<34} {what:<58} {:<58} {}", test.join(" "), items.join(" "));
    }
    println!("{} faults", ALL.len());
    Ok(true)
}

/// What a child does: one item, under the fault of its environment.
fn item(id: &str, folder: &Path) -> ExitCode {
    match reproduce::run(id, folder, &mut |text| println!("{text}")) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(cause) => {
            println!("MISSED: {cause}");
            ExitCode::FAILURE
        }
    }
}

fn asked(words: &[String]) -> Result<Asked> {
    let mut asked = Asked { faults: Vec::new(), expected_only: false, tests: true, items: true };
    for word in words {
        match word.as_str() {
            "--expected" => asked.expected_only = true,
            "--tests" => asked.items = false,
            "--items" => asked.tests = false,
            name => match ALL.iter().find(|fault| fault.name == name) {
                Some(fault) => asked.faults.push(fault),
                None => return Err(format!("there is no fault {name}; see --list")),
            },
        }
    }
    if asked.faults.is_empty() {
        asked.faults = ALL.iter().collect();
    }
    Ok(asked)
}

fn all(asked: &Asked) -> Result<bool> {
    let folder = std::env::temp_dir().join(format!("tocco-faults-{}", std::process::id()));
    std::fs::create_dir_all(&folder).map_err(|cause| format!("{}: {cause}", folder.display()))?;
    let built = if asked.tests { build()? } else { Vec::new() };
    let begun = Instant::now();
    let tests = !asked.tests || try_tests(built, asked, &folder)?;
    let items = !asked.items || try_items(asked, &folder)?;
    let took_s = begun.elapsed().as_secs_f64();
    std::fs::remove_dir_all(&folder).map_err(|cause| format!("{}: {cause}", folder.display()))?;
    println!("{} faults took {took_s:.0} s; all of them may take {HOUR} s", asked.faults.len());
    Ok(tests && items && took_s <= HOUR)
}

/// The folder of the engine's crate, where its tests run.
fn engine() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tocco")
}

/// Builds the test binaries of the engine with all faults in them.
fn build() -> Result<Vec<Tests>> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["test", "--quiet", "--package", "tocco", "--features", "faults", "--lib", "--tests", "--no-run"])
        .arg("--message-format=json")
        .current_dir(engine())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|cause| format!("cargo: {cause}"))?;
    if !output.status.success() {
        return Err("the tests cannot be built".into());
    }
    let mut found = Vec::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<serde_json::Value>(line) else { continue };
        let (Some(program), Some(true)) = (message["executable"].as_str(), message["profile"]["test"].as_bool()) else {
            continue;
        };
        let library = message["target"]["kind"][0] == "lib";
        let name = if library { "lib" } else { message["target"]["name"].as_str().unwrap_or("") };
        found.push(Tests { name: name.into(), program: program.into(), takes_s: 0.0 });
    }
    if found.is_empty() { Err("no test binary was found".into()) } else { Ok(found) }
}

/// Runs a program to its end, or to the end of patience, and reads what it said.
fn run(command: &mut Command, log: &Path, patience_s: f64) -> Result<(Option<bool>, String)> {
    let file = || File::create(log).and_then(|file| Ok((file.try_clone()?, file)));
    let (out, err) = file().map_err(|cause| format!("{}: {cause}", log.display()))?;
    let mut child = command.stdin(Stdio::null()).stdout(out).stderr(err).spawn().map_err(|cause| cause.to_string())?;
    let begun = Instant::now();
    let ended = loop {
        if let Some(status) = child.try_wait().map_err(|cause| cause.to_string())? {
            break Some(status.success());
        }
        if begun.elapsed().as_secs_f64() > patience_s {
            child.kill().and_then(|()| child.wait()).map_err(|cause| cause.to_string())?;
            break None;
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    let said = std::fs::read(log).map_err(|cause| format!("{}: {cause}", log.display()))?;
    Ok((ended, String::from_utf8_lossy(&said).into_owned()))
}

impl Tests {
    /// Runs the tests whose names hold `part`, under a fault, one after the other.
    fn run(&self, part: &str, fault: &str, folder: &Path, patience_s: f64) -> Result<End> {
        self.run_on(1, part, fault, folder, patience_s)
    }

    /// The same on several threads.
    fn run_on(&self, threads: usize, part: &str, fault: &str, folder: &Path, patience_s: f64) -> Result<End> {
        let mut command = Command::new(&self.program);
        if !part.is_empty() {
            command.arg(part);
        }
        command
            .arg(format!("--test-threads={threads}"))
            .current_dir(engine())
            .env("TOCCO_FAULT", fault)
            .env("PROPTEST_DISABLE_FAILURE_PERSISTENCE", "1")
            .env_remove("TOCCO_LONG")
            .env_remove("TOCCO_BLESS");
        let log = folder.join(format!("{fault}-{}.log", self.name));
        let (ended, said) = run(&mut command, &log, patience_s)?;
        let failed = |line: &str| Some(line.strip_prefix("test ")?.split_once(" ... FAILED")?.0.to_string());
        Ok(match ended {
            None => End::Never,
            Some(false) => {
                End::Badly { first: said.lines().find_map(failed).unwrap_or_else(|| "it breaks off".into()) }
            }
            Some(true) => {
                let count = |line: &str| line.strip_prefix("running ")?.split(' ').next()?.parse().ok();
                End::Well { tests: said.lines().find_map(count).unwrap_or(0) }
            }
        })
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Work on every one of a list, on all cores; answers in the order of the list.
fn side_by_side<T: Sync, R: Send>(list: &[T], work: impl Fn(&T) -> Result<R> + Sync) -> Result<Vec<R>> {
    let (next, done) = (Mutex::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..cores() {
            scope.spawn(|| {
                loop {
                    let index = {
                        let Ok(mut next) = next.lock() else { return };
                        *next += 1;
                        *next - 1
                    };
                    let Some(one) = list.get(index) else { return };
                    let answer = work(one);
                    if let Ok(mut done) = done.lock() {
                        done.push((index, answer));
                    }
                }
            });
        }
    });
    let mut done = done.into_inner().map_err(|cause| cause.to_string())?;
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, answer)| answer).collect()
}

/// Who caught a fault, in words; `None`: nobody. `whole`: how many were tried on all of the largest binary.
fn caught(
    fault: &Fault,
    tests: &[Tests],
    expected_only: bool,
    whole: &AtomicUsize,
    folder: &Path,
) -> Result<Option<String>> {
    let [place, part] = fault.test;
    let named = |name: &str| tests.iter().find(|tests| tests.name == name);
    // A file without a binary of its own is a module of the one that has most files.
    let (expected, file) = match named(place) {
        Some(tests) => (tests, String::new()),
        None => match named(MOST.0) {
            Some(tests) => (tests, format!("{place}::")),
            None => return Err(format!("{}: there are no tests '{place}'", fault.name)),
        },
    };
    let endless = |name: &str| println!("{:<18} {name} does not end, which says nothing", fault.name);
    match expected.run(&format!("{file}{part}"), fault.name, folder, PATIENCE_WITH_ONE)? {
        End::Badly { first } => return Ok(Some(format!("{place} {first}"))),
        End::Never => endless(place),
        End::Well { tests: 0 } => return Err(format!("{}: {place} has no test '{part}'", fault.name)),
        End::Well { .. } => {}
    }
    if expected_only {
        return Ok(None);
    }
    let by_others = |tests: &Tests, filter: &str, patience_s: f64| {
        Ok::<_, String>(match tests.run(filter, fault.name, folder, patience_s)? {
            End::Badly { first } => Some(format!("{} {first} (not {place} {part})", tests.name)),
            End::Never => {
                endless(&tests.name);
                None
            }
            End::Well { .. } => None,
        })
    };
    if !file.is_empty()
        && let Some(by) = by_others(expected, &file, PATIENCE_WITH_ONE)?
    {
        return Ok(Some(by));
    }
    for tests in tests {
        if tests.name == MOST.0 && whole.fetch_add(1, Ordering::Relaxed) >= MOST.1 {
            println!("{:<18} is not tried on all of '{}'", fault.name, tests.name);
            continue;
        }
        if let Some(by) = by_others(tests, "", PATIENCE.0 * tests.takes_s + PATIENCE.1)? {
            return Ok(Some(by));
        }
    }
    Ok(None)
}

fn try_tests(mut tests: Vec<Tests>, asked: &Asked, folder: &Path) -> Result<bool> {
    // Without a fault everything passes, and each takes its time: the largest on all cores, the others side by side.
    if !asked.expected_only {
        let alone = |tests: &Tests, threads: usize| {
            let begun = Instant::now();
            match tests.run_on(threads, "", "", folder, HOUR)? {
                End::Well { .. } => Ok(begun.elapsed().as_secs_f64() * threads as f64),
                End::Badly { first } => Err(format!("without a fault {} {first} fails", tests.name)),
                End::Never => Err(format!("without a fault {} hangs", tests.name)),
            }
        };
        // The largest comes last, after those it would have kept waiting.
        tests.sort_by_key(|tests| tests.name == MOST.0);
        let others = tests.iter().filter(|tests| tests.name != MOST.0).count();
        let mut takes = side_by_side(&tests[..others], |tests| alone(tests, 1))?;
        for most in &tests[others..] {
            takes.push(alone(most, cores())?);
        }
        tests.iter_mut().zip(takes).for_each(|(tests, takes_s)| tests.takes_s = takes_s);
        tests.sort_by(|a, b| a.takes_s.total_cmp(&b.takes_s));
        println!("{} test binaries, {:.0} s together", tests.len(), tests.iter().map(|t| t.takes_s).sum::<f64>());
    }
    let whole = AtomicUsize::new(0);
    let all = side_by_side(&asked.faults, |fault| {
        let by = caught(fault, &tests, asked.expected_only, &whole, folder)?;
        println!("{:<18} {}", fault.name, by.as_deref().unwrap_or("NOT CAUGHT"));
        Ok(by.is_some())
    })?;
    let count = all.iter().filter(|caught| **caught).count();
    println!("caught by the tests: {count} of {}", all.len());
    Ok(count as f64 >= CAUGHT * all.len() as f64)
}

fn try_items(asked: &Asked, folder: &Path) -> Result<bool> {
    let myself = std::env::current_exe().map_err(|cause| cause.to_string())?;
    let whole = asked.faults.len() == ALL.len();
    let mut pairs: Vec<(&str, &str)> = asked
        .faults
        .iter()
        .flat_map(|fault| fault.items.iter().map(|item| (reproduce::id_of(item).unwrap_or(item), fault.name)))
        .collect();
    pairs.extend(reproduce::items().iter().filter(|_| whole).map(|(id, _)| (*id, "")));
    for (item, fault) in &pairs {
        if !reproduce::items().iter().any(|(id, _)| id == item) {
            return Err(format!("{fault}: there is no item {item}"));
        }
    }
    let right = side_by_side(&pairs, |(item, fault)| {
        let mut command = Command::new(&myself);
        let out = folder.join(format!("{item}-{fault}"));
        command.args(["--item", item]).arg(&out).env("TOCCO_FAULT", fault);
        let (ended, said) = run(&mut command, &folder.join(format!("{item}-{fault}.log")), PATIENCE_WITH_ITEM)?;
        let right = ended == Some(fault.is_empty());
        if fault.is_empty() && !right {
            println!("{item:<18} without a fault\n{said}");
        } else if !fault.is_empty() {
            let word = match ended {
                None => "DOES NOT END",
                Some(true) => "NOT NOTICED",
                Some(false) => "noticed",
            };
            println!("{item:<18} {fault:<18} {word}");
        }
        Ok(right)
    })?;
    let idle: Vec<&str> = reproduce::items()
        .iter()
        .map(|(id, _)| *id)
        .filter(|id| !ALL.iter().flat_map(|fault| fault.items).any(|item| reproduce::id_of(item) == Some(*id)))
        .collect();
    if !idle.is_empty() {
        println!("items without a fault of their own: {}", idle.join(", "));
    }
    println!("items: {} of {} as they should be", right.iter().filter(|right| **right).count(), right.len());
    Ok(right.into_iter().all(|right| right) && idle.is_empty())
}
