// SPDX-License-Identifier: MIT OR Apache-2.0
//! Who hears what when: seeded orders of presentation, one per listener.
//!
//! The listening page draws the same orders in a browser, so the generator is one of 32 bits (the SplitMix step with
//! Steele and Vigna's 32-bit mixing constants) and the shuffle uses only products below 2^53.

/// A small random source that JavaScript repeats exactly.
struct Draw(u32);

impl Draw {
    fn new(seed: u64, listener: u32) -> Self {
        let mut draw = Self((seed as u32) ^ ((seed >> 32) as u32));
        draw.0 = draw.next() ^ listener;
        draw
    }

    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9);
        let mut z = self.0;
        z = (z ^ (z >> 16)).wrapping_mul(0x21f0_aaad);
        z = (z ^ (z >> 15)).wrapping_mul(0x735a_2d97);
        z ^ (z >> 15)
    }

    /// Fisher and Yates' shuffle.
    fn shuffle<T>(&mut self, items: &mut [T]) {
        for i in (1..items.len()).rev() {
            let j = (u64::from(self.next()) * (i as u64 + 1)) >> 32;
            items.swap(i, j as usize);
        }
    }
}

/// The order in which `listener` (from 1) hears sounds whose blocks are given: blocks in random order, sounds in random
/// order within their block. The same seed and listener give the same order.
pub fn order(blocks: &[usize], seed: u64, listener: u32) -> Vec<usize> {
    let mut draw = Draw::new(seed, listener);
    let count = blocks.iter().max().map_or(0, |most| most + 1);
    let mut turns: Vec<usize> = (0..count).collect();
    draw.shuffle(&mut turns);
    let mut all = Vec::with_capacity(blocks.len());
    for turn in turns {
        let mut within: Vec<usize> = (0..blocks.len()).filter(|&i| blocks[i] == turn).collect();
        draw.shuffle(&mut within);
        all.append(&mut within);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_is_a_permutation_that_keeps_blocks_together_and_depends_on_seed_and_listener() {
        let blocks: Vec<usize> = (0..60).map(|i| i / 20).collect();
        let first = order(&blocks, 7, 1);
        let mut sorted = first.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..60).collect::<Vec<_>>());
        let turns: Vec<usize> = first.iter().map(|&i| blocks[i]).collect();
        assert_eq!(turns.windows(2).filter(|w| w[0] != w[1]).count(), 2);
        assert_eq!(first, order(&blocks, 7, 1));
        assert_ne!(first, order(&blocks, 7, 2));
        assert_ne!(first, order(&blocks, 8, 1));
    }

    #[test]
    fn every_sound_is_equally_likely_to_come_first() {
        // 6 sounds, 6000 listeners: expected 1000 each, standard deviation 29; five of them.
        let mut firsts = [0; 6];
        for listener in 1..=6000 {
            firsts[order(&[0; 6], 1, listener)[0]] += 1;
        }
        assert!(firsts.iter().all(|&n: &i32| (n - 1000).abs() < 145), "{firsts:?}");
    }
}
