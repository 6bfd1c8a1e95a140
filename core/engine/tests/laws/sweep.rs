//! An exhaustive sweep over every slot and every setting, which covers every field, kind and rule.

use crate::laws::case::{Case, DecodedCase, Setting, Touch, object};
use crate::laws::law::{Law, law_1, law_2, law_3, law_4, law_5};
use crate::laws::quirk::QUIRKS;
use crate::laws::sample::one_of_each;
use crate::laws::world::{WORLDS, World};
use ratchet_engine::pod_security::Exemptions;
use ratchet_engine::{
    Behavior, Change, Existing, FIELDS, Facts, Part, Plugins, RULES, Verdict, judge,
};
use ratchet_object::KINDS;
use serde_json::json;
use std::collections::BTreeSet;

/// Rules that doors report before the engine runs.
const DOOR_RULES: [&str; 5] =
    ["RTC-API-007", "RTC-API-008", "RTC-API-009", "RTC-API-010", "RTC-API-011"];

/// Rules without a ratchet and outside the laws, which have case files only.
const CASE_FILE_RULES: [&str; 4] = ["RTC-API-012", "RTC-API-013", "RTC-API-014", "RTC-API-015"];

#[test]
fn every_kind_has_a_world_and_every_world_lets_its_object_in() {
    for kind in KINDS {
        assert!(WORLDS.iter().any(|world| world.kind == kind), "{} has no world", kind.name);
    }
    for world in WORLDS.iter() {
        for setting in settings() {
            let case = case(world, setting);
            let verdict = DecodedCase::of(&case, object).verdict(&judge, &setting.config());
            assert!(verdict.admits(), "{case:?}\n{verdict:?}");
        }
    }
}

#[test]
fn every_field_of_the_table_has_a_slot_in_every_kind_that_holds_it() {
    for field in FIELDS {
        let holds = |kind: &str, has_pod: bool| {
            let is_spec = field.path.starts_with("spec");
            kind == field.kind || (field.kind == "Pod" && is_spec && has_pod)
        };
        for kind in KINDS.iter().filter(|kind| holds(kind.name, kind.pod.is_some())) {
            let slots = WORLDS.iter().filter(|world| world.kind == kind).flat_map(|w| &w.slots);
            let mut of_field =
                slots.filter(|slot| slot.field.is_some_and(|row| row.number == field.number));
            let found = of_field.any(|slot| slot.place().ends_with(field.path));
            assert!(found, "{} of {} has no slot", field.path, kind.name);
        }
    }
}

#[test]
fn every_rule_that_the_engine_reports_fires() {
    let mut fired = BTreeSet::new();
    for case in cases() {
        collect(
            &DecodedCase::of(&case, object).verdict(&judge, &case.setting.config()),
            &mut fired,
        );
    }
    for verdict in raised_namespaces() {
        collect(&verdict, &mut fired);
    }
    let silent: Vec<&str> = RULES
        .iter()
        .map(|rule| rule.id)
        .filter(|id| {
            !fired.contains(id) && !DOOR_RULES.contains(id) && !CASE_FILE_RULES.contains(id)
        })
        .collect();
    assert_eq!(silent, [""; 0], "rules that no generated change reaches");
}

#[test]
fn every_law_holds_over_the_sweep() {
    let laws: [Law; 5] = [law_1, law_2, law_3, law_4, law_5];
    // A stride that reaches every world, value and update in turn.
    for case in cases().iter().step_by(13) {
        for law in laws {
            if let Err(breach) = law(&judge, case) {
                panic!("{breach}");
            }
        }
    }
}

fn collect(verdict: &Verdict, fired: &mut BTreeSet<&'static str>) {
    fired.extend(verdict.errors.iter().map(|error| error.rule.id));
    fired.extend(verdict.warnings.iter().map(|warning| warning.rule.id));
    if let Some(denial) = &verdict.denial {
        fired.insert(denial.rule.id);
        // A pod with a host process violates another rule, too: it is on the network of its host.
        fired.extend(denial.labels.iter().map(|label| label.rule.id));
    }
}

fn settings() -> impl Iterator<Item = Setting> {
    [(33, false), (34, true), (36, true)].into_iter().flat_map(|(minor, strict_ip)| {
        [None, Some("baseline"), Some("restricted")].into_iter().map(move |level| {
            let plugins = Plugins { deny_external_ips: strict_ip, ..Plugins::default() };
            let relaxed_dns = minor != 34;
            let behavior = Behavior::Proposal;
            Setting { minor, behavior, strict_ip, relaxed_dns, plugins, level }
        })
    })
}

/// A create of the unmodified object.
fn case(world: &'static World, setting: Setting) -> Case {
    Case {
        world,
        part: Part::Main,
        old: None,
        new: vec![Vec::new(); world.slots.len()],
        quirks: Vec::new(),
        touch: Touch::Nothing,
        setting,
    }
}

/// Every value in every slot and every setting of every object.
fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for (world, setting) in WORLDS.iter().flat_map(|world| settings().map(move |s| (world, s))) {
        let empty = case(world, setting);
        for (index, slot) in world.slots.iter().enumerate().filter(|_| setting.level.is_none()) {
            for sample in one_of_each(slot.value_kind, slot.families) {
                let mut full = Case { part: slot.writes, ..empty.clone() };
                full.new[index] = vec![sample];
                all.extend(changes(&empty, &full));
            }
        }
        let quirks = || (0..QUIRKS.len()).filter(|index| QUIRKS[*index].suits(world));
        let several: Vec<usize> = quirks().take(5).collect();
        for quirks in quirks().map(|quirk| vec![quirk]).chain([several]) {
            let quirky = Case { quirks, ..empty.clone() };
            all.extend(changes(&quirky, &quirky));
        }
    }
    all
}

/// Changes that create, add, keep (also while something else changes) and remove a value.
fn changes(empty: &Case, full: &Case) -> Vec<Case> {
    let update = |old: &Case, new: &Case, touch| {
        let (old, new) = (Some(old.new.clone()), new.new.clone());
        Case { old, new, touch, ..full.clone() }
    };
    let touches = [Touch::Nothing, Touch::Label, Touch::Annotation, Touch::Image];
    let mut all: Vec<Case> = touches.map(|touch| update(full, full, touch)).into();
    if empty.new != full.new {
        all.push(update(empty, full, Touch::Nothing));
        all.push(update(full, empty, Touch::Nothing));
    }
    if full.part == Part::Main {
        all.push(full.clone());
    }
    all
}

/// Verdicts on a namespace whose raised level its pods violate, exempt and not.
fn raised_namespaces() -> Vec<Verdict> {
    let world = WORLDS.iter().find(|world| world.kind.name == "Namespace").unwrap();
    let setting = settings().next().unwrap();
    let (old, mut new) = (case(world, setting), case(world, setting));
    new.new[0]
        .extend(one_of_each(world.slots[0].value_kind, world.slots[0].families).into_iter().nth(1));
    let (old, new) = (object(&old.new_json()), object(&new.new_json()));
    let pod = object(&json!({ "metadata": { "name": "p" }, "spec": { "hostPID": true } }));
    let existing_pods = Existing::Pods { pods: vec![&pod], budget: 9 };
    let facts = Facts { existing_pods, ..Facts::default() };
    let (config, mut exempting) = (setting.config(), setting.config());
    let namespaces = vec!["web".to_owned()];
    exempting.pod_security.exemptions = Exemptions { namespaces, ..Exemptions::default() };
    let change = Change::update(&old, &new).unwrap();
    [config, exempting].iter().map(|config| judge(&change, &facts, config)).collect()
}
