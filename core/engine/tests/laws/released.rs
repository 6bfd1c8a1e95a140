//! Tests that released Kubernetes breaks the second law exactly in the fields that the table lists.

use crate::laws::case::{Case, Fill, Setting, Touch};
use crate::laws::law::{law_1, law_2};
use crate::laws::sample::{Families, Fault, Sample, one_of_each};
use crate::laws::slot::Slot;
use crate::laws::world::{WORLDS, World};
use ratchet_engine::{Behavior, FIELDS, Field, Part, Plugins, Ratchet, judge};
use ratchet_object::{KINDS, Kind};
use std::collections::BTreeSet;

/// The releases with the strict gate.
const MINORS: std::ops::RangeInclusive<u8> = 33..=37;

/// A field of a kind, written through a part.
type WrittenField = (&'static str, Part, u8);

fn setting(minor: u8, behavior: Behavior) -> Setting {
    let plugins = Plugins { pod_security: false, ..Plugins::default() };
    Setting { minor, behavior, strict_ip: true, relaxed_dns: true, plugins, level: None }
}

/// Updates through every part that leave one badly spelled value in one slot.
fn updates(minor: u8, behavior: Behavior) -> Vec<(WrittenField, Case)> {
    let mut all = Vec::new();
    for world in WORLDS.iter() {
        for (index, slot) in world.slots.iter().enumerate() {
            let Some(field) = slot.field.filter(|field| field.ratchet != Ratchet::Never) else {
                continue;
            };
            for part in world.parts() {
                for sample in misspelled(slot) {
                    let fill = only(world, index, &[sample]);
                    let case = Case {
                        world,
                        part,
                        old: Some(fill.clone()),
                        new: fill,
                        quirks: Vec::new(),
                        touch: Touch::Label,
                        setting: setting(minor, behavior),
                    };
                    all.push(((world.kind.name, part, field.number), case));
                }
            }
        }
    }
    all
}

fn misspelled(slot: &Slot) -> Vec<Sample> {
    let families = if slot.is_pair { Families::V4 } else { slot.families };
    let all = one_of_each(slot.value_kind, families).into_iter();
    let is_misspelled = |fault| matches!(fault, Fault::Zeros | Fault::Mapped | Fault::HostBits);
    all.filter(|sample| is_misspelled(sample.fault)).collect()
}

fn only(world: &World, index: usize, samples: &[Sample]) -> Fill {
    let mut fill = vec![Vec::new(); world.slots.len()];
    fill[index] = samples.to_vec();
    fill
}

/// The parts through which the API validates a spec.
fn validated_parts(kind: &'static Kind<'static>) -> Vec<Part> {
    let subs = ["ephemeralcontainers", "resize", "scale"];
    let subs = kind.subresources.iter().filter(|name| subs.contains(name));
    std::iter::once(Part::Main).chain(subs.map(|name| Part::Sub(name))).collect()
}

fn holds_field(kind: &Kind<'_>, field: &Field) -> bool {
    kind.name == field.kind || (field.kind == "Pod" && kind.pod.is_some())
}

/// The fields that freeze in released Kubernetes according to the table.
fn expected_frozen() -> BTreeSet<WrittenField> {
    let rows = FIELDS
        .iter()
        .filter(|row| row.released_ratchet == Ratchet::Never && row.ratchet != Ratchet::Never);
    rows.flat_map(|row| KINDS.iter().map(move |kind| (kind, row)))
        .filter(|(kind, row)| holds_field(kind, row) && kind.name != "StatefulSet")
        .flat_map(|(kind, row)| {
            validated_parts(kind).into_iter().map(move |part| (kind.name, part, row.number))
        })
        .collect()
}

/// The fields whose unchanged value freezes the object.
fn frozen(minor: u8, behavior: Behavior) -> BTreeSet<WrittenField> {
    let updates = updates(minor, behavior).into_iter();
    updates.filter(|(_, case)| law_2(&judge, case).is_err()).map(|(place, _)| place).collect()
}

#[test]
fn every_release_freezes_what_the_table_says_and_nothing_else() {
    for minor in MINORS {
        assert_eq!(frozen(minor, Behavior::Released), expected_frozen(), "1.{minor}");
    }
}

#[test]
fn the_proposal_freezes_nothing() {
    for minor in MINORS {
        assert_eq!(frozen(minor, Behavior::Proposal), BTreeSet::new(), "1.{minor}");
    }
}

/// The kinds that admit a second badly spelled value beside a stored one.
fn kinds_with_second_value(minor: u8, behavior: Behavior) -> BTreeSet<&'static str> {
    let mut broken = BTreeSet::new();
    for (place, mut case) in updates(minor, behavior) {
        let slot = case.world.slots.iter().position(|slot| {
            slot.field.is_some_and(|field| field.number == place.2) && slot.most() == 3
        });
        let Some(slot) = slot.filter(|slot| case.world.slots[*slot].writes == case.part) else {
            continue;
        };
        let other = misspelled(&case.world.slots[slot]).pop().unwrap();
        case.new[slot].push(Sample { text: other.text.replace(".1.", ".001."), ..other });
        if law_1(&judge, &case).is_err() {
            broken.insert(place.0);
        }
    }
    broken
}

#[test]
fn new_values_join_old_ones_in_an_invalid_stateful_set_of_a_release_and_in_nothing_else() {
    for minor in MINORS {
        let released = kinds_with_second_value(minor, Behavior::Released);
        assert_eq!(released, BTreeSet::from(["StatefulSet"]), "1.{minor}");
        assert_eq!(
            kinds_with_second_value(minor, Behavior::Proposal),
            BTreeSet::new(),
            "1.{minor}"
        );
    }
}
