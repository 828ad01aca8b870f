// SPDX-License-Identifier: MIT OR Apache-2.0
//! FNV-1a, 64 bits (Fowler, Noll and Vo): by it scenes, takes and golden tables know a text or a sound again. Not for secrets.

/// The hash of nothing.
pub const START: u64 = 0xcbf2_9ce4_8422_2325;

/// One byte more, or, as takes have it, one word more.
const fn step(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x0100_0000_01b3)
}

/// Bytes more: FNV-1a as published.
pub fn bytes(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| step(hash, u64::from(*byte)))
}

/// The hash of a text.
pub fn text(text: &str) -> u64 {
    bytes(START, text.as_bytes())
}

/// One sample more, its 32 bits in one step: the hash of takes, four times as fast as by bytes and another value. `[audio]`
pub fn sample(hash: u64, sample: f32) -> u64 {
    step(hash, u64::from(sample.to_bits()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_bytes_is_the_published_one() {
        for (text, wanted) in [("", START), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)] {
            assert_eq!(super::text(text), wanted, "{text}");
        }
    }

    #[test]
    fn sounds_that_differ_in_one_bit_or_in_their_order_have_different_hashes() {
        let of = |sound: &[f32]| sound.iter().fold(START, |hash, x| sample(hash, *x));
        assert_ne!(of(&[0.5, 0.25]), of(&[0.25, 0.5]));
        assert_ne!(of(&[0.0]), of(&[-0.0]));
        assert_ne!(of(&[0.5]), of(&[f32::from_bits(0.5f32.to_bits() + 1)]));
    }
}
