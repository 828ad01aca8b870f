// SPDX-License-Identifier: MIT OR Apache-2.0
//! Sound that comes in, on its way from the thread of the input to that of the output: whole frames, so that no channel takes
//! the place of another, and none that are older than they must be.

use super::METERS;
use rtrb::{Consumer, Producer, RingBuffer};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Where the input writes.
pub struct InputWriter {
    ring: Producer<f32>,
    /// Channels of the input, and how many of them go on.
    width: usize,
    channels: usize,
    /// Most frames that came at once.
    block: Arc<AtomicUsize>,
}

/// Where the output reads.
pub struct InputReader {
    ring: Consumer<f32>,
    channels: usize,
    block: Arc<AtomicUsize>,
    /// Samples of the present block, a vector per channel.
    samples: Vec<Vec<f32>>,
}

/// A way for the first `channels` of an input of `width` channels, with room for so many frames; at most `block` are read at
/// once. `[control]`
pub fn input_ring(width: usize, channels: usize, frames: usize, block: usize) -> (InputWriter, InputReader) {
    let channels = channels.min(width).min(METERS);
    let (into, out) = RingBuffer::new(frames * channels);
    let most = Arc::new(AtomicUsize::new(0));
    (
        InputWriter { ring: into, width: width.max(1), channels, block: most.clone() },
        InputReader { ring: out, channels, block: most, samples: vec![vec![0.0; block]; channels] },
    )
}

impl InputWriter {
    /// Interleaved frames that came in; those that find no room are lost, each as a whole. `[audio]`
    pub fn write(&mut self, samples: &[f32]) {
        self.block.fetch_max(samples.len() / self.width, Ordering::Relaxed);
        for frame in samples.chunks_exact(self.width) {
            let Ok(mut room) = self.ring.write_chunk(self.channels) else { return };
            let (first, second) = room.as_mut_slices();
            first.copy_from_slice(&frame[..first.len()]);
            second.copy_from_slice(&frame[first.len()..self.channels]);
            room.commit_all();
        }
    }
}

impl InputReader {
    /// Forgets what is older than the next `frames` and one block of the slower side: sound that waits longer comes late for
    /// ever. Before the first read for a block of the output. `[audio]`
    pub fn catch_up(&mut self, frames: usize) {
        let most = frames + frames.max(self.block.load(Ordering::Relaxed));
        let old = (self.ring.slots() / self.channels.max(1)).saturating_sub(most);
        if let Ok(chunk) = self.ring.read_chunk(old * self.channels) {
            chunk.commit_all();
        }
    }

    /// The next frames of every channel; silence where nothing has come. `[audio]`
    pub fn read(&mut self, frames: usize) -> ([&[f32]; METERS], usize) {
        let there = frames.min(self.ring.slots() / self.channels.max(1));
        if let Ok(chunk) = self.ring.read_chunk(there * self.channels) {
            let (first, second) = chunk.as_slices();
            for (i, sample) in first.iter().chain(second).enumerate() {
                self.samples[i % self.channels][i / self.channels] = *sample;
            }
            chunk.commit_all();
        }
        let mut parts: [&[f32]; METERS] = [&[]; METERS];
        for (part, samples) in parts.iter_mut().zip(&mut self.samples) {
            samples[there..frames].fill(0.0);
            *part = &samples[..frames];
        }
        (parts, self.channels)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames from `from` on: the sample says its frame and its channel.
    fn frames(from: usize, count: usize, width: usize) -> Vec<f32> {
        (from..from + count).flat_map(|frame| (0..width).map(move |channel| (10 * frame + channel) as f32)).collect()
    }

    #[test]
    fn a_full_or_empty_ring_never_puts_a_channel_in_the_place_of_another() {
        // Room for five frames of three channels, blocks of four: frames are lost and missing all the time.
        let (mut writer, mut reader) = input_ring(4, 3, 5, 8);
        let mut at = 0;
        for round in 0..1_000 {
            let (come, asked) = (1 + round * 7 % 5, 1 + round * 5 % 4);
            writer.write(&frames(at, come, 4));
            at += come;
            let (parts, channels) = reader.read(asked);
            assert_eq!(channels, 3);
            for (first, (second, third)) in parts[0].iter().zip(parts[1].iter().zip(parts[2])) {
                let silent = *first == 0.0 && *second == 0.0 && *third == 0.0;
                assert!(silent || (second - first == 1.0 && third - first == 2.0), "round {round}");
            }
        }
    }

    #[test]
    fn what_has_waited_for_longer_than_a_block_is_forgotten_and_the_newest_is_kept() {
        let (mut writer, mut reader) = input_ring(2, 2, 10_000, 64);
        // The output was away while blocks of 100 frames came in.
        for block in 0..50 {
            writer.write(&frames(100 * block, 100, 2));
        }
        reader.catch_up(64);
        let (parts, _) = reader.read(64);
        assert_eq!(parts[0][0], 10.0 * (5_000.0 - 64.0 - 100.0), "as late as the larger of both blocks");
        assert_eq!(parts[1][63] - parts[0][63], 1.0);
        // A block of the output that is read in parts is not cut between them.
        writer.write(&frames(5_000, 100, 2));
        reader.catch_up(192);
        let heard: Vec<f32> = (0..3).flat_map(|_| reader.read(64).0[0].to_vec()).collect();
        assert!(heard.iter().zip(heard.iter().skip(1)).all(|(one, next)| next - one == 10.0));
    }

    #[test]
    fn where_both_sides_keep_step_nothing_is_forgotten() {
        for (come, asked) in [(64, 256), (256, 64), (100, 64), (64, 64)] {
            let (mut writer, mut reader) = input_ring(1, 1, 4_096, 256);
            let (mut at, mut heard) = (1, Vec::<f32>::new());
            for step in 0..100_000 {
                if step % come == 0 {
                    writer.write(&frames(at, come, 1));
                    at += come;
                }
                if step % asked == asked - 1 {
                    reader.catch_up(asked);
                    heard.extend(reader.read(asked).0[0].iter().filter(|sample| **sample != 0.0));
                }
            }
            let steady = heard.iter().zip(heard.iter().skip(1)).all(|(one, next)| next - one == 10.0);
            assert!(steady, "{come} come, {asked} asked");
        }
    }
}
