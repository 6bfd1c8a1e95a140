//! Where the fields of all types stand in their rows: every member of every object is looked up.

use super::{TYPES, TypeRow, head};

/// More than twice as many as there are fields, and a power of two.
const SLOTS: usize = 1 << 13;

/// A field: the index of its type, and its place among the fields of it.
#[derive(Clone, Copy)]
struct Place {
    ty: u16,
    field: u16,
}

/// A slot without a field.
const FREE: Place = Place { ty: u16::MAX, field: 0 };

/// The places of all fields by the hash of type and name; one whose slot is taken is in the next one that is free.
static PLACES: [Place; SLOTS] = places(TYPES);

#[expect(clippy::indexing_slicing, reason = "the compiler runs it, and a remainder is in range")]
const fn places(types: &[TypeRow]) -> [Place; SLOTS] {
    let mut slots = [FREE; SLOTS];
    let (mut ty, mut count) = (0, 0);
    while ty < types.len() {
        let mut field = 0;
        while field < types[ty].fields.len() {
            let mut slot = slot_of(ty, types[ty].fields[field].name);
            while slots[slot].ty != FREE.ty {
                slot = (slot + 1) % SLOTS;
            }
            slots[slot] = Place { ty: ty as u16, field: field as u16 };
            field += 1;
        }
        count += field;
        ty += 1;
    }
    assert!(count < SLOTS / 2);
    slots
}

/// The slot of a field; lengths tell names apart that begin with the same letters. The upper bits of a product depend on
/// all bits of what is multiplied.
const fn slot_of(ty: usize, name: &str) -> usize {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let ty = (ty << 16 ^ name.len()) as u64;
    let hash = (head(name) ^ ty.wrapping_mul(ODD)).wrapping_mul(ODD);
    (hash >> (u64::BITS - SLOTS.ilog2())) as usize
}

/// Where among the fields of the type at an index one of this name may be.
pub(super) fn candidates(ty: usize, name: &str) -> impl Iterator<Item = usize> {
    let slots = PLACES.get(slot_of(ty, name)..).unwrap_or_default().iter().chain(&PLACES);
    let taken = slots.take_while(|place| place.ty != FREE.ty);
    taken.filter(move |place| usize::from(place.ty) == ty).map(|place| usize::from(place.field))
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn few_slots_are_looked_at() {
        let distance = |slot: usize, place: &Place| {
            let name = TYPES[usize::from(place.ty)].fields[usize::from(place.field)].name;
            (slot + SLOTS - slot_of(usize::from(place.ty), name)) % SLOTS
        };
        let taken = || PLACES.iter().enumerate().filter(|(_, place)| place.ty != FREE.ty);
        let all: usize = taken().map(|(slot, place)| distance(slot, place)).sum();
        assert!(all < taken().count(), "{all} steps for {} fields", taken().count());
    }
}
