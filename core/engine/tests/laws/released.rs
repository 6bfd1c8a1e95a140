//! Released Kubernetes breaks the second law, in the fields that the table says and nowhere else.

use crate::laws::case::{Case, Fill, Setting, Touch};
use crate::laws::law::{law_1, law_2};
use crate::laws::sample::{Families, Fault, Sample, one_of_each};
use crate::laws::slot::Slot;
use crate::laws::world::{WORLDS, World};
use ratchet_engine::{Behavior, FIELDS, Field, Part, Plugins, Ratchet, judge};
use ratchet_object::{KINDS, Kind};
use std::collections::BTreeSet;

/// Every release that can be strict.
const MINORS: std::ops::RangeInclusive<u8> = 33..=37;

/// A field of a kind, written through a part.
type Place = (&'static str, Part, u8);

fn setting(minor: u8, behavior: Behavior) -> Setting {
    let plugins = Plugins { deny_external_ips: false, pod_security: false };
    Setting { minor, behavior, strict_ip: true, relaxed_dns: true, plugins, level: None }
}

/// An update through every part that leaves one badly spelled value in one place.
fn updates(minor: u8, behavior: Behavior) -> Vec<(Place, Case)> {
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
    let all = one_of_each(slot.sort, families).into_iter();
    let is_misspelled = |fault| matches!(fault, Fault::Zeros | Fault::Mapped | Fault::HostBits);
    all.filter(|sample| is_misspelled(sample.fault)).collect()
}

fn only(world: &World, index: usize, samples: &[Sample]) -> Fill {
    let mut fill = vec![Vec::new(); world.slots.len()];
    fill[index] = samples.to_vec();
    fill
}

/// The parts through which the API looks at a field of a spec.
fn looked_at(kind: &'static Kind<'static>) -> Vec<Part> {
    let subs = ["ephemeralcontainers", "resize", "scale"];
    let subs = kind.subresources.iter().filter(|name| subs.contains(name));
    std::iter::once(Part::Main).chain(subs.map(|name| Part::Sub(name))).collect()
}

fn holds_field(kind: &Kind<'_>, field: &Field) -> bool {
    kind.name == field.kind || (field.kind == "Pod" && kind.pod.is_some())
}

/// Where the table says that released Kubernetes forgets what is stored.
fn forgotten() -> BTreeSet<Place> {
    let rows = FIELDS
        .iter()
        .filter(|row| row.released_ratchet == Ratchet::Never && row.ratchet != Ratchet::Never);
    rows.flat_map(|row| KINDS.iter().map(move |kind| (kind, row)))
        .filter(|(kind, row)| holds_field(kind, row) && kind.name != "StatefulSet")
        .flat_map(|(kind, row)| {
            looked_at(kind).into_iter().map(move |part| (kind.name, part, row.number))
        })
        .collect()
}

/// Where a value that is left as it was freezes the object.
fn frozen(minor: u8, behavior: Behavior) -> BTreeSet<Place> {
    let updates = updates(minor, behavior).into_iter();
    updates.filter(|(_, case)| law_2(&judge, case).is_err()).map(|(place, _)| place).collect()
}

#[test]
fn every_release_freezes_what_the_table_says_and_nothing_else() {
    for minor in MINORS {
        assert_eq!(frozen(minor, Behavior::Released), forgotten(), "1.{minor}");
    }
}

#[test]
fn the_proposal_freezes_nothing() {
    for minor in MINORS {
        assert_eq!(frozen(minor, Behavior::Proposal), BTreeSet::new(), "1.{minor}");
    }
}

/// A second badly spelled value joins the first one.
fn joined(minor: u8, behavior: Behavior) -> BTreeSet<&'static str> {
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
        let released = joined(minor, Behavior::Released);
        assert_eq!(released, BTreeSet::from(["StatefulSet"]), "1.{minor}");
        assert_eq!(joined(minor, Behavior::Proposal), BTreeSet::new(), "1.{minor}");
    }
}
