//! Where the built-in kinds and the fields of all types stand in their tables: requests look them up by the dozen.

use super::{KINDS, KindRow, TYPES, TypeRow, head};

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

/// More than twice as many as there are fields, and a power of two.
const PLACES: usize = 1 << 13;

/// A field: the index of its type, and its place among the fields of it.
#[derive(Clone, Copy)]
struct FieldIndex {
    ty: u16,
    field: u16,
}

/// A slot without a field.
const NO_FIELD: FieldIndex = FieldIndex { ty: u16::MAX, field: 0 };

/// The places of all fields by the hash of type and name; one whose slot is taken is in the next one that is free.
static FIELDS: [FieldIndex; PLACES] = places(TYPES);

#[expect(clippy::indexing_slicing, reason = "the compiler runs it, and a remainder is in range")]
const fn places(types: &[TypeRow]) -> [FieldIndex; PLACES] {
    let mut slots = [NO_FIELD; PLACES];
    let (mut ty, mut count) = (0, 0);
    while ty < types.len() {
        let mut field = 0;
        while field < types[ty].fields.len() {
            let mut slot = place_of(ty, types[ty].fields[field].name);
            while slots[slot].ty != NO_FIELD.ty {
                slot = (slot + 1) % PLACES;
            }
            slots[slot] = FieldIndex { ty: ty as u16, field: field as u16 };
            field += 1;
        }
        count += field;
        ty += 1;
    }
    assert!(count < PLACES / 2);
    slots
}

/// The slot of a field; lengths tell names apart that begin with the same letters. The upper bits of a product depend on
/// all bits of what is multiplied.
const fn place_of(ty: usize, name: &str) -> usize {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let ty = (ty << 16 ^ name.len()) as u64;
    let hash = (head(name) ^ ty.wrapping_mul(ODD)).wrapping_mul(ODD);
    (hash >> (u64::BITS - PLACES.ilog2())) as usize
}

/// Where among the fields of the type at an index one of this name may be.
pub(super) fn fields(ty: usize, name: &str) -> impl Iterator<Item = usize> {
    let slots = FIELDS.get(place_of(ty, name)..).unwrap_or_default().iter().chain(&FIELDS);
    let taken = slots.take_while(|place| place.ty != NO_FIELD.ty);
    taken.filter(move |place| usize::from(place.ty) == ty).map(|place| usize::from(place.field))
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

    #[test]
    fn every_field_is_found_and_nothing_else() {
        for ty in TYPES {
            for (position, field) in ty.fields.iter().enumerate() {
                assert_eq!(ty.position(field.name), Some(position), "{}.{}", ty.name, field.name);
            }
            for name in ["", "nothing", "Metadata", "terminationMessage"] {
                assert_eq!(ty.position(name), None, "{}.{name}", ty.name);
            }
        }
    }

    #[test]
    fn few_places_are_looked_at() {
        let distance = |slot: usize, place: &FieldIndex| {
            let name = TYPES[usize::from(place.ty)].fields[usize::from(place.field)].name;
            (slot + PLACES - place_of(usize::from(place.ty), name)) % PLACES
        };
        let taken = || FIELDS.iter().enumerate().filter(|(_, place)| place.ty != NO_FIELD.ty);
        let all: usize = taken().map(|(slot, place)| distance(slot, place)).sum();
        assert!(all < taken().count(), "{all} steps for {} fields", taken().count());
    }
}
