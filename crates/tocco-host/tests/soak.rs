// SPDX-License-Identifier: MIT OR Apache-2.0
//! Twenty seconds, or ten minutes with TOCCO_LONG, of 2000 modes and 20 hammers under a storm: of ten thousand blocks at most one takes
//! much longer than the others by our doing.
//!
//! The callback's *own* time is the processor time of its thread. The wall clock has in it whatever else the machine did
//! meanwhile; where a block is late by the wall clock, the system's counters say who had the processor. All are read
//! around the callback, by the device of this test: the audio half itself asks for none of them.
//!
//! The processor time of a thread still holds what is done on its back: interrupts, and on a virtual machine whatever the
//! machine below does without telling. But a take gives the same arithmetic again, block by block. A block that took
//! longer than it lasts is ours if it does so again; else it was not the block.
#![cfg(target_os = "linux")]

use std::path::Path;
use std::time::{Duration, Instant};
use tocco_host::bench::live::{BLOCK, Loads, RATE_HZ, Storm, open};
use tocco_host::live::take_file::TakeFile;
use tocco_live::take::Replay;

/// Processor time of this thread.
fn own_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// How often another thread has taken the place of this one.
fn displacements() -> i64 {
    // SAFETY: all zeros is a valid rusage, and the pointer is to a live one.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_THREAD, &mut usage);
        usage
    };
    usage.ru_nivcsw
}

struct Block {
    own: Duration,
    wall: Duration,
    displaced: bool,
}

/// Longest block, in blocks of the middle length: a storm changes what a block costs, but within bounds. Blocks in which nothing
/// touches are as short as they can be, so the ratio is that of hammers on many bodies at once to hammers on few.
const LONGEST_BLOCK: f64 = 12.0;

/// Gestures that reach the engine per second of sound, at least; 10 000 where nothing stalls.
const GESTURES: f64 = 1_000.0;

fn seconds() -> f64 {
    if std::env::var_os("TOCCO_LONG").is_some() { 600.0 } else { 20.0 }
}

fn lasting() -> Duration {
    Duration::from_secs_f64(BLOCK as f64 / RATE_HZ)
}

/// One soak, at the pace of a device, with a take of it.
fn soak(seconds: f64, take: &Path) -> Vec<Block> {
    let (mut desk, mut player) = open().unwrap();
    let take = TakeFile::record(&mut desk, take).unwrap();
    let count = (seconds * RATE_HZ) as usize / BLOCK;
    desk.stop_at((count * BLOCK) as u64).unwrap();
    let audio = std::thread::spawn(move || {
        let mut out = vec![0.0; BLOCK * player.channels()];
        let mut blocks = Vec::with_capacity(count);
        let mut next = Instant::now();
        for _ in 0..count {
            let (before, began, spent) = (displacements(), Instant::now(), own_time());
            player.play(&[], &mut out);
            let (own, wall, after) = (own_time() - spent, began.elapsed(), displacements());
            blocks.push(Block { own, wall, displaced: after > before });
            next = (next + lasting()).max(Instant::now() - Duration::from_millis(50));
            std::thread::sleep(next.saturating_duration_since(Instant::now()));
        }
        blocks
    });
    // So many gestures per second of sound: what a stalled machine does not play is not asked for either, and what a stalled
    // player did not ask for is not made up for.
    let (mut storm, mut ordered) = (Storm::of_everything(), 0);
    while !audio.is_finished() {
        std::thread::sleep(Duration::from_millis(2));
        let played = desk.tick();
        storm.blow(&mut desk, ((played - ordered) as f64 / RATE_HZ).min(0.005)).unwrap();
        ordered = played;
    }
    let blocks = audio.join().unwrap();
    desk.poll().unwrap();
    take.finish(&mut desk).unwrap();
    let (status, counts) = (desk.status(), desk.counts());
    println!("{count} blocks of {BLOCK} samples, {} gestures", counts.done);
    assert!(counts.done > (GESTURES * seconds) as u64 && counts.refused == 0, "{counts:?}");
    assert_eq!(status.health.unconverged + status.health.reset + status.health.refused, 0);
    blocks
}

/// The same blocks again, from the take, which must give the same bits; and how many gestures each had.
fn again(take: &Path) -> (Vec<Duration>, Vec<usize>) {
    let take = tocco_host::take::read(take).unwrap();
    let mut gestures = vec![0; (take.ticks as usize).div_ceil(BLOCK)];
    take.entries.iter().for_each(|entry| gestures[entry.at as usize / BLOCK] += 1);
    let mut replay = Replay::new(&take).unwrap();
    let mut out = vec![0.0; BLOCK * take.header.channels];
    let mut times = Vec::new();
    loop {
        let spent = own_time();
        if replay.render(&mut out) == 0 {
            break;
        }
        times.push(own_time() - spent);
    }
    assert!(replay.is_faithful(), "the take gives what was played");
    (times, gestures)
}

fn show(what: &str, loads: &Loads) {
    let [half, most, nearly, worst] = [0.5, 0.999, 0.9999, 1.0].map(|share| 100.0 * loads.at(share));
    println!("{what}: median {half:.1} %, 99.9 % {most:.1} %, 99.99 % {nearly:.1} %, most {worst:.1} %");
    print!("{}", loads.histogram());
}

#[test]
fn no_block_of_64_samples_takes_much_longer_than_the_others_by_our_doing_under_a_storm() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("soak.jsonl");
    let blocks = soak(seconds(), &path);
    let (repeated, gestures) = again(&path);
    assert_eq!(blocks.len(), repeated.len());
    let ours: Vec<Duration> = blocks.iter().zip(&repeated).map(|(block, again)| block.own.min(*again)).collect();
    let times = |of: fn(&Block) -> Duration| Loads::new(&blocks.iter().map(of).collect::<Vec<_>>());
    let (own, once_more) = (times(|block| block.own), Loads::new(&ours));
    show("own time, that of the thread", &own);
    show("the same, less what a second rendering of the block does not take", &once_more);
    show("by the wall clock", &times(|block| block.wall));
    let late: Vec<(&Block, bool)> = blocks
        .iter()
        .zip(&ours)
        .filter(|(block, _)| block.wall > lasting())
        .map(|(b, o)| (b, *o > lasting()))
        .collect();
    let count = |which: fn(&&(&Block, bool)) -> bool| late.iter().filter(which).count();
    let by_us = count(|(_, ours)| *ours);
    let displaced = count(|(block, ours)| !ours && block.displaced);
    println!(
        "{} blocks late by the wall clock: {by_us} by us, {displaced} because another thread took the processor, {} because of \
         interrupts or the machine below",
        late.len(),
        late.len() - by_us - displaced
    );
    for (index, time) in ours.iter().enumerate().filter(|(_, time)| **time > lasting()).take(10) {
        println!("block {index}: {time:?} with {} gestures", gestures[index]);
    }
    println!("most gestures of a block: {:?}", gestures.iter().max());
    // How long a block takes depends on the machine, and is the bench's to say; that none takes much longer than the others is
    // ours.
    let (most, middle) = (once_more.at(0.9999), once_more.at(0.5));
    assert!(
        most < LONGEST_BLOCK * middle,
        "99.99 % of the blocks take at most {LONGEST_BLOCK} times the time of the middle one"
    );
}
