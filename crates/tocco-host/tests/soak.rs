// SPDX-License-Identifier: MIT OR Apache-2.0
//! A minute, or ten with TOCCO_LONG, of 2000 modes and 20 hammers under a storm: no block is late by our doing.
//!
//! The callback's *own* time is the processor time of its thread. The wall clock has in it whatever else the machine did
//! meanwhile; where a block is late by the wall clock, the system's own counters say who had the processor. Both are
//! measured around the callback, by the device of this test: the audio half itself asks for neither.
#![cfg(target_os = "linux")]

use std::time::{Duration, Instant};
use tocco_host::bench::live::{BLOCK, Loads, RATE_HZ, Storm, open};

/// Processor time of this thread.
fn own_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is to a live timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// What the system counts for this thread: how often another took its place, how often it gave way itself, how often a
/// page had to be found.
fn counters() -> [i64; 3] {
    // SAFETY: all zeros is a valid rusage, and the pointer is to a live one.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_THREAD, &mut usage);
        usage
    };
    [usage.ru_nivcsw, usage.ru_nvcsw, usage.ru_minflt + usage.ru_majflt]
}

#[derive(Clone, Copy)]
struct Block {
    own: Duration,
    wall: Duration,
    counters: [i64; 3],
}

/// One soak, at the pace of a device.
fn soak(seconds: f64) -> Vec<Block> {
    let (mut desk, mut player) = open().unwrap();
    let count = (seconds * RATE_HZ) as usize / BLOCK;
    let lasting = Duration::from_secs_f64(BLOCK as f64 / RATE_HZ);
    let audio = std::thread::spawn(move || {
        let mut out = vec![0.0; BLOCK * player.channels()];
        let mut blocks = Vec::with_capacity(count);
        let mut next = Instant::now();
        for _ in 0..count {
            let (before, began, spent) = (counters(), Instant::now(), own_time());
            player.play(&mut out);
            let (own, wall, after) = (own_time() - spent, began.elapsed(), counters());
            let counters = std::array::from_fn(|i| after[i] - before[i]);
            blocks.push(Block { own, wall, counters });
            next = (next + lasting).max(Instant::now() - Duration::from_millis(50));
            std::thread::sleep(next.saturating_duration_since(Instant::now()));
        }
        blocks
    });
    let mut storm = Storm::default();
    while !audio.is_finished() {
        std::thread::sleep(Duration::from_millis(2));
        storm.blow(&mut desk, 0.002).unwrap();
    }
    let blocks = audio.join().unwrap();
    desk.poll().unwrap();
    let (status, counts) = (desk.status(), desk.counts());
    println!("{count} blocks of {BLOCK} samples, {} orders", counts.done);
    assert!(counts.done > (1_000.0 * seconds) as u64 && counts.refused == 0, "{counts:?}");
    assert_eq!(status.health.unconverged + status.health.reset + status.health.refused, 0);
    blocks
}

fn show(what: &str, loads: &Loads) {
    let [half, most, nearly, worst] = [0.5, 0.999, 0.9999, 1.0].map(|share| 100.0 * loads.at(share));
    println!("{what}: median {half:.1} %, 99.9 % {most:.1} %, 99.99 % {nearly:.1} %, most {worst:.1} %");
    print!("{}", loads.histogram());
}

#[test]
fn blocks_of_64_samples_take_less_of_our_time_than_they_last_under_a_storm() {
    let blocks = soak(if std::env::var_os("TOCCO_LONG").is_some() { 600.0 } else { 60.0 });
    let times = |of: fn(&Block) -> Duration| Loads::new(&blocks.iter().map(of).collect::<Vec<_>>());
    let (own, wall) = (times(|block| block.own), times(|block| block.wall));
    show("our own time", &own);
    show("by the wall clock", &wall);
    let lasting = Duration::from_secs_f64(BLOCK as f64 / RATE_HZ);
    let late: Vec<&Block> = blocks.iter().filter(|block| block.wall > lasting).collect();
    let ours = late.iter().filter(|block| block.own > lasting).count();
    let displaced = late.iter().filter(|block| block.own <= lasting && block.counters[0] > 0).count();
    println!(
        "{} blocks late by the wall clock: {ours} by our own time, {displaced} because another thread took the processor, {} \
         because the machine under this one did",
        late.len(),
        late.len() - ours - displaced
    );
    for block in blocks.iter().filter(|b| b.own > lasting.mul_f64(0.5)).take(40) {
        println!("own {:?} wall {:?} {:?}", block.own, block.wall, block.counters);
    }
    assert!(own.at(0.9999) < 1.0, "99.99 % of the blocks take less of our time than they last");
}
