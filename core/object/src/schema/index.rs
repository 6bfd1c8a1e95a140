//! Where the built-in kinds stand in their table: requests look them up by the dozen.

use super::{KINDS, KindRow, head};

/// More than twice as many as there are kinds, and a power of two.
const SLOTS: usize = 1024;

/// A slot without a kind.
const FREE: u16 = u16::MAX;

/// The rows of [`KINDS`] by the hash of their names; one whose slot is taken is in the next one that is free.
static INDEX: [u16; SLOTS] = index();

#[expect(clippy::indexing_slicing, reason = "the compiler runs it, and a remainder is in range")]
const fn index() -> [u16; SLOTS] {
    assert!(KINDS.len() < SLOTS / 2);
    let mut slots = [FREE; SLOTS];
    let (mut rest, mut row) = (KINDS, 0);
    while let Some((first, others)) = rest.split_first() {
        let mut slot = slot_of(first.group, first.version, first.kind);
        while slots[slot] != FREE {
            slot = (slot + 1) % SLOTS;
        }
        slots[slot] = row;
        (rest, row) = (others, row + 1);
    }
    slots
}

/// The slot of a name; lengths tell names apart that begin with the same letters.
const fn slot_of(group: &str, version: &str, kind: &str) -> usize {
    let lengths = (group.len() << 16) ^ (version.len() << 8) ^ kind.len();
    let hash = mix(mix(mix(lengths as u64, head(group)), head(version)), head(kind));
    (hash >> 32) as usize % SLOTS
}

const fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31)
}

/// Finds a kind by its exact name.
pub(super) fn find(group: &str, version: &str, kind: &str) -> Option<&'static KindRow> {
    let is_it = |row: &&KindRow| (row.kind, row.version, row.group) == (kind, version, group);
    taken_from(slot_of(group, version, kind)).find(is_it)
}

/// The kinds of a slot and of those after it, up to one that is free.
fn taken_from(slot: usize) -> impl Iterator<Item = &'static KindRow> {
    let slots = INDEX.get(slot..).unwrap_or_default().iter().chain(&INDEX);
    slots.map_while(|row| KINDS.get(usize::from(*row)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_and_nothing_else() {
        for row in KINDS {
            assert_eq!(find(row.group, row.version, row.kind), Some(row));
            assert_eq!(find(row.group, row.version, "Nothing"), None);
            assert_eq!(find("nowhere", row.version, row.kind), None);
            assert_eq!(find(row.group, "v0", row.kind), None);
        }
        assert_eq!(find("", "", ""), None);
    }

    #[test]
    fn few_slots_are_looked_at() {
        let steps = |row: &KindRow| taken_from(slot_of(row.group, row.version, row.kind)).count();
        let all: usize = KINDS.iter().map(steps).sum();
        assert!(all < 3 * KINDS.len(), "{all} slots for {} kinds", KINDS.len());
    }
}
