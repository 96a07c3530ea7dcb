//! The hash of a tool's id: a lookup is part of every call, and ids are short.
//!
//! Seeded like the standard one, since ids may come from another server; shorter, since it need not be more than that.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Makes hashers of one seed.
pub(crate) struct IdHash(u64);

impl Default for IdHash {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0))
    }
}

impl BuildHasher for IdHash {
    type Hasher = IdHasher;

    fn build_hasher(&self) -> IdHasher {
        IdHasher(self.0)
    }
}

/// Eight bytes a step: a product of 128 bits, folded.
pub(crate) struct IdHasher(u64);

impl IdHasher {
    fn add(&mut self, word: u64) {
        const ODD: u128 = 0x9e37_79b9_7f4a_7c15; // 2^64 by the golden ratio
        let product = u128::from(self.0 ^ word) * ODD;
        #[allow(clippy::cast_possible_truncation)] // the two halves
        let (low, high) = (product as u64, (product >> 64) as u64);
        self.0 = low ^ high;
    }
}

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        let length = bytes.len() as u64;
        let Some(last) = bytes.last_chunk::<8>() else {
            return self.add(bytes.iter().fold(length, |all, byte| all << 8 | u64::from(*byte)));
        };
        for word in bytes.as_chunks::<8>().0 {
            self.add(u64::from_le_bytes(*word));
        }
        // Most often it overlaps with the one before.
        self.add(u64::from_le_bytes(*last).wrapping_add(length));
    }

    /// What ends a text: there is only one in an id.
    fn write_u8(&mut self, _: u8) {}

    /// The length of bytes, which is part of what they come to.
    fn write_usize(&mut self, _: usize) {}

    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn ids_that_are_alike_have_hashes_that_are_not() {
        let hash = IdHash::default();
        let ids = (0..4096).map(|n| format!("look_up_{n:04}")).chain((0..64).map(|n| "a".repeat(n)));
        let hashes: Vec<u64> = ids.map(|id| hash.hash_one(id.as_str())).collect();
        // The table takes its place from the low bits, and tells neighbours apart by the seven highest.
        for bits in [|hash: &u64| hash & 0x3FFF, |hash: &u64| hash >> 50] {
            let different = hashes.iter().map(bits).collect::<HashSet<_>>().len();
            assert!(different > 3_500, "{different}"); // some 3,640 where they are spread by chance
        }
        assert_ne!(IdHash::default().hash_one("a"), hash.hash_one("a"));
    }
}
