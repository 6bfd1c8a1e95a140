//! Shuffle sharding: a flow is dealt a hand of queues by its hash, so that two flows seldom share all of theirs.

use crate::priority_level::MAX_HAND;

/// The hash of a flow. `seed` is random in each process, so that nobody can choose a name for its queues.
pub fn flow_hash(seed: u64, schema: &str, distinguisher: &str) -> u64 {
    let mut hash = mix(seed);
    for text in [schema, distinguisher] {
        for byte in text.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        // Where one text ends is part of the hash.
        hash = mix(hash ^ u64::try_from(text.len()).unwrap_or(u64::MAX));
    }
    hash
}

/// Spreads every bit over all others.
fn mix(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// A hand of different cards.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hand {
    cards: [usize; MAX_HAND],
    size: usize,
}

impl Hand {
    /// Deals `size` cards of a deck; every hash deals one hand, and all hands are equally likely.
    pub(crate) fn deal(mut hash: u64, deck: usize, size: usize) -> Self {
        let mut cards = [0; MAX_HAND];
        let size = size.min(MAX_HAND).min(deck);
        for dealt in 0..size {
            let left = u64::try_from(deck - dealt).unwrap_or(1).max(1);
            let mut card = usize::try_from(hash % left).unwrap_or_default();
            hash /= left;
            // The card is counted among those that are left: skip the ones that were dealt, lowest first.
            let (known, rest) = cards.split_at_mut(dealt);
            for lower in known.iter() {
                if card >= *lower {
                    card += 1;
                }
            }
            let at = known.partition_point(|other| *other < card);
            if let Some(new) = rest.first_mut() {
                *new = card;
            }
            if let Some(moved) = cards.get_mut(at..=dealt) {
                moved.rotate_right(1);
            }
        }
        Self { cards, size }
    }

    /// The cards, beginning with one of them in turn.
    pub(crate) fn beginning_at(&self, turn: usize) -> impl Iterator<Item = usize> + '_ {
        let cards = self.cards.get(..self.size).unwrap_or_default();
        let first = turn.checked_rem(cards.len()).unwrap_or_default();
        cards.iter().cycle().skip(first).take(cards.len()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::collections::{BTreeMap, BTreeSet};
    use alloc::vec::Vec;
    use proptest::prelude::*;

    #[test]
    fn every_hand_is_dealt_equally_often() {
        let mut hands: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        // 5 · 4 · 3 ordered ways to deal, six of them for each hand.
        for hash in 0..60 {
            *hands.entry(Hand::deal(hash, 5, 3).beginning_at(0).collect()).or_default() += 1;
        }
        assert_eq!(hands.len(), 10);
        assert!(hands.values().all(|count| *count == 6), "{hands:?}");
    }

    #[test]
    fn the_ends_of_names_matter() {
        let hashes = [flow_hash(1, "ab", "c"), flow_hash(1, "a", "bc"), flow_hash(2, "ab", "c")];
        assert_eq!(hashes.iter().collect::<BTreeSet<_>>().len(), 3);
        assert_eq!(flow_hash(1, "ab", "c"), flow_hash(1, "ab", "c"));
    }

    proptest! {
        #[test]
        fn a_hand_has_different_cards_of_the_deck(hash: u64, deck in 1_usize..300, size in 1_usize..=15, turn: usize) {
            let size = size.min(deck);
            let cards: BTreeSet<_> = Hand::deal(hash, deck, size).beginning_at(turn).collect();
            prop_assert_eq!(cards.len(), size);
            prop_assert!(cards.iter().all(|card| *card < deck));
        }
    }
}
