// SPDX-License-Identifier: MIT OR Apache-2.0
//! Many independent jobs on all cores, results in order: the same whatever the number of threads.

use crate::error::{Error, Result};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Who is told how many of how many jobs are done, from any thread; an error stops the rest.
pub type Told<'a> = &'a (dyn Fn(usize, usize) -> Result<()> + Sync);

/// Nobody wants to know.
pub const NOBODY: Told<'static> = &|_, _| Ok(());

/// Cores at hand.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Does `work(0..count)` on `threads` threads. After an error no new job begins; the first in order is returned.
pub fn run<T: Send>(count: usize, threads: usize, work: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>> {
    run_with(count, threads, |(): &mut (), index| work(index))
}

/// The same with tools that each thread makes for itself and keeps from job to job.
pub fn run_with<T: Send, K: Default>(
    count: usize,
    threads: usize,
    work: impl Fn(&mut K, usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let (next, stop) = (AtomicUsize::new(0), AtomicBool::new(false));
    let worker = || {
        let (mut done, mut tools) = (Vec::new(), K::default());
        while !stop.load(Ordering::Relaxed) {
            let index = next.fetch_add(1, Ordering::Relaxed);
            if index >= count {
                break;
            }
            let result = work(&mut tools, index);
            if result.is_err() {
                stop.store(true, Ordering::Relaxed);
            }
            done.push((index, result));
        }
        done
    };
    let mut all = std::thread::scope(|scope| {
        let hands: Vec<_> = (0..threads.clamp(1, count.max(1))).map(|_| scope.spawn(worker)).collect();
        let mut all = Vec::with_capacity(count);
        for hand in hands {
            match hand.join() {
                Ok(done) => all.extend(done),
                Err(_) => {
                    return Err(Error::Machine("a worker thread broke down; please report this scene".into()));
                }
            }
        }
        Ok(all)
    })?;
    all.sort_by_key(|(index, _)| *index);
    all.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_for_any_number_of_threads() {
        for threads in [0, 1, 3, 64] {
            assert_eq!(run(20, threads, |i| Ok(i * i)).unwrap(), (0..20).map(|i| i * i).collect::<Vec<_>>());
        }
        assert!(run(0, 4, |_| Ok(())).unwrap().is_empty());
    }

    #[test]
    fn the_first_error_in_order_is_the_one_reported() {
        let work = |i: usize| if i >= 3 { Err(Error::BadInput(format!("{i}"))) } else { Ok(i) };
        assert_eq!(run(9, 1, work), Err(Error::BadInput("3".into())));
    }
}
