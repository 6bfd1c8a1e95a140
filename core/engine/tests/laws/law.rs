//! The five laws, each as a function over whoever judges: a breach is told in words.

use crate::laws::case::{Case, Fill, Judge, Scene, Setting, Touch, object, read};
use crate::laws::sample::{Fault, Sample, Sort};
use crate::laws::slot::{InForce, Slot};
use crate::laws::spelling::{reversed, yaml};
use ratchet_engine::{
    Change, FieldError, Part, Policy, RULES, Ratchet, Status, Verdict, warning_headers,
};
use ratchet_net::Quoted;
use ratchet_object::Object;
use serde_json::{Value as Json, json};

/// A law.
pub(crate) type Law = fn(&Judge, &Case) -> Result<(), String>;

/// The rules that speak about one value at one place.
const VALUE_RULES: [&str; 8] = [
    "RTC-API-004",
    "RTC-DNS-001",
    "RTC-IP-001",
    "RTC-IP-002",
    "RTC-IP-003",
    "RTC-IP-004",
    "RTC-IP-005",
    "RTC-PSA-019",
];
const IMMUTABLE: &str = "RTC-API-002";
const EXTERNAL_IPS: &str = "RTC-SVC-001";
const STRICT_RULES: [&str; 2] = ["RTC-IP-001", "RTC-IP-002"];

/// Nothing new slips in.
pub(crate) fn law_1(judge: &Judge, case: &Case) -> Result<(), String> {
    let policy = case.setting.policy();
    let scene = Scene::of(case, object);
    let verdict = scene.judged(judge, &policy);
    for (slot, samples) in case.slots().zip(&case.new) {
        if slot.writes != case.part {
            continue;
        }
        let in_force = in_force_for(case, slot, &policy);
        for sample in samples.iter().filter(|sample| is_new(case, slot, sample)) {
            let Some(rule) = slot.refused_by(sample, in_force) else { continue };
            if !answers(&verdict, slot, sample, rule) {
                return breach(case, format!("{rule} lets {:?} into {}", sample.text, slot.told));
            }
        }
    }
    if !verdict.problems.is_empty() {
        return Ok(());
    }
    let added = added_external_ip(case).filter(|_| policy.plugins.deny_external_ips);
    if let Some(added) = added
        && verdict.denial.as_ref().is_none_or(|denial| denial.rule.id != EXTERNAL_IPS)
    {
        return breach(case, format!("{EXTERNAL_IPS} lets {added:?} in"));
    }
    // A pod that changes what runs is looked at as if it were new.
    if case.world.pod().as_deref() == Some("") && case.is_significant() && scene.old.is_some() {
        let touch = Touch::Nothing;
        let fresh = Case { old: None, part: Part::Main, touch, ..case.clone() };
        let fresh = Scene::of(&fresh, object).judged(judge, &policy);
        if fresh.denial.is_some() && verdict.denial.is_none() {
            return breach(case, "a violating pod slips in as an update".into());
        }
    }
    Ok(())
}

/// Nothing old breaks.
pub(crate) fn law_2(judge: &Judge, case: &Case) -> Result<(), String> {
    if case.old.is_none() {
        return Ok(());
    }
    let verdict = Scene::of(case, object).judged(judge, &case.setting.policy());
    let is_storable = case.is_storable();
    for (slot, samples) in case.slots().zip(&case.new) {
        for sample in samples.iter().filter(|sample| is_left(case, slot, sample)) {
            let blames = |problem: &&FieldError| {
                VALUE_RULES.contains(&problem.rule.id)
                    && is_about(problem, slot, sample)
                    && (is_storable || loosens(problem, slot))
            };
            if let Some(problem) = verdict.problems.iter().find(blames) {
                let text = &sample.text;
                return breach(case, format!("{}: {text:?} was there before", said(problem)));
            }
        }
    }
    if is_storable && case.leaves_all() {
        if let Some(problem) = verdict.problems.first() {
            return breach(case, format!("nothing changed, and yet {}", said(problem)));
        }
        if let Some(denial) = verdict.denial.as_ref().filter(|_| !case.is_significant()) {
            return breach(case, format!("nothing of weight changed, and yet {}", denial.text));
        }
    }
    Ok(())
}

/// The way out is always open.
pub(crate) fn law_3(judge: &Judge, case: &Case) -> Result<(), String> {
    let Some(old) = &case.old else { return Ok(()) };
    let policy = case.setting.policy();
    for (index, slot) in case.slots().enumerate().filter(|(_, slot)| slot.writes == case.part) {
        for (which, sample) in old[index].iter().enumerate() {
            let Some(rule) = slot.refused_by(sample, InForce::STRICTEST) else { continue };
            for way in [Way::Remove, Way::Replace] {
                let new = put_right(case, old, (index, which), rule, way);
                let way_out = Case { new, ..case.clone() };
                let verdict = Scene::of(&way_out, object).judged(judge, &policy);
                let refuses = |problem: &&FieldError| {
                    problem.rule.id == rule && place(&problem.field) == slot.told
                };
                if let Some(problem) = verdict.problems.iter().find(refuses) {
                    let text = &sample.text;
                    return breach(&way_out, format!("{way:?} of {text:?}: {}", said(problem)));
                }
                let denial = verdict.denial.filter(|denial| denial.rule.id == EXTERNAL_IPS);
                if way == Way::Remove && denial.is_some() {
                    return breach(&way_out, "an external IP cannot be removed".into());
                }
            }
        }
    }
    Ok(())
}

/// Warned before refused.
pub(crate) fn law_4(judge: &Judge, case: &Case) -> Result<(), String> {
    let policy_with = |strict_ip| Setting { strict_ip, ..case.setting }.policy();
    let scene = Scene::of(case, object);
    let (strict, loose) = (policy_with(true), policy_with(false));
    let (refusal, told) = (scene.judged(judge, &strict), scene.judged(judge, &loose));
    // Who is refused anyway need not be warned.
    if told.problems.is_empty() {
        for (slot, samples) in case.slots().zip(&case.new) {
            let Some(warned) = slot.warned.as_ref().filter(|_| slot.writes == case.part) else {
                continue;
            };
            for sample in samples {
                let refuses = |problem: &&FieldError| {
                    STRICT_RULES.contains(&problem.rule.id) && is_about(problem, slot, sample)
                };
                let Some(problem) = refusal.problems.iter().find(refuses) else { continue };
                let is_told = told.warnings.iter().any(|warning| {
                    let (path, words) = warning.text.split_once(": ").unwrap_or_default();
                    warning.rule == problem.rule
                        && place(path) == *warned
                        && words.contains(&shown(&sample.text))
                });
                if !is_told {
                    return breach(case, format!("nobody warned of {}", said(problem)));
                }
            }
        }
    }
    law_4_of_controllers(judge, case, &loose)
}

/// Who writes a controller whose pods the namespace would refuse is warned.
fn law_4_of_controllers(judge: &Judge, case: &Case, policy: &Policy) -> Result<(), String> {
    let Some(place) = case.world.pod().filter(|place| !place.is_empty()) else { return Ok(()) };
    let scene = Scene::of(case, object);
    let told = scene.judged(judge, policy);
    if case.part != Part::Main || !told.problems.is_empty() {
        return Ok(());
    }
    let template = case.new_json().pointer(&place).cloned().unwrap_or_default();
    let metadata = json!({ "name": "web", "namespace": "shop" });
    let pod: Json = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"],
    });
    let pod = object(&pod);
    let refusal = judge(&Change::create(&pod).unwrap(), &scene.facts(), policy);
    let is_told = |text: &str| told.warnings.iter().any(|warning| warning.text.contains(text));
    match refusal.denial {
        Some(denial) if !is_told(&denial.text.replacen("violates", "would violate", 1)) => {
            breach(case, format!("nobody warned that the pods will be refused: {}", denial.text))
        }
        _ => Ok(()),
    }
}

/// One verdict.
pub(crate) fn law_5(judge: &Judge, case: &Case) -> Result<(), String> {
    let policy = case.setting.policy();
    let spellings: [fn(&Json) -> Object<'static>; 4] = [
        object,
        object,
        |value| read(&yaml(value)),
        |value| read(&format!("  {}", reversed(value))),
    ];
    let mut heard: Option<String> = None;
    for spelling in spellings {
        let scene = Scene::of(case, spelling);
        let words = words(&scene.judged(judge, &policy), &scene.change());
        match &heard {
            Some(before) if *before != words => {
                return breach(case, format!("two verdicts:\n{before}\n{words}"));
            }
            _ => heard = Some(words),
        }
    }
    Ok(())
}

/// Everything that anybody is told.
fn words(verdict: &Verdict, change: &Change<'_>) -> String {
    let status = Status::of(verdict, change);
    let headers = warning_headers(verdict);
    format!("{status:?}\n{headers:?}\n{:?}\n{:?}", verdict.audit, verdict.tally)
}

/// How a bad value goes away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Remove,
    Replace,
}

/// The stored values with one put right; where more than the one value is the unit of the
/// ratchet, all that stand in the unit.
fn put_right(case: &Case, old: &Fill, (at, which): (usize, usize), rule: &str, way: Way) -> Fill {
    let slot = &case.world.slots[at];
    let by_value = STRICT_RULES.contains(&rule) && slot.ratchet() == Ratchet::ByValue;
    let by_list = slot.ratchet() == Ratchet::ByList && case.is_storable();
    let mut new = old.clone();
    for (index, other) in case.world.slots.iter().enumerate() {
        let mut position = 0;
        new[index].retain_mut(|sample| {
            let is_it = index == at && position == which;
            position += 1;
            let is_bad = || other.refused_by(sample, InForce::STRICTEST).is_some();
            let is_unit = !by_value && !by_list && other.group == slot.group && is_bad();
            if !is_it && !is_unit {
                return true;
            }
            match (&sample.fixed, other.sort) {
                _ if way == Way::Remove => return false,
                (Some(fixed), _) => *sample = Sample::new(fixed.clone(), Fault::Fine, None),
                (None, Sort::Search) => *sample = Sample::new("example.org", Fault::Fine, None),
                (None, Sort::Level) => *sample = Sample::new("baseline", Fault::Fine, None),
                (None, _) => return false,
            }
            true
        });
    }
    new
}

/// What is in force for this list: search names that are stored may have loosened it.
fn in_force_for(case: &Case, slot: &Slot, policy: &Policy) -> InForce {
    let in_force = InForce::by(policy);
    let stored = case.slots().zip(case.old.iter().flatten());
    let mut names = stored.filter(|(other, _)| other.told == slot.told).flat_map(|row| row.1);
    let loosened = slot.sort == Sort::Search && names.any(|name| name.fault != Fault::Fine);
    InForce { relaxed_dns: in_force.relaxed_dns || loosened, ..in_force }
}

/// Whether a value was not there before, as the form of the ratchet counts.
fn is_new(case: &Case, slot: &Slot, sample: &Sample) -> bool {
    match slot.ratchet() {
        Ratchet::WholeField => !case.leaves(&slot.group),
        _ => !case.kept(&slot.group).contains(&sample.text.as_str()),
    }
}

/// Whether a value was left as it was, as the form of the ratchet counts.
fn is_left(case: &Case, slot: &Slot, sample: &Sample) -> bool {
    match slot.ratchet() {
        Ratchet::ByValue => {
            let rows = case.slots().zip(case.old.iter().flatten());
            let mut stored =
                rows.filter(|(other, _)| other.told == slot.told).flat_map(|row| row.1);
            stored.any(|stored| stored.text == sample.text)
        }
        _ => case.leaves(&slot.group),
    }
}

/// Whether the rule, or the unit of the field, forgives what could never have been stored.
fn loosens(problem: &FieldError, slot: &Slot) -> bool {
    match slot.ratchet() {
        Ratchet::WholeField => true,
        Ratchet::ByValue => problem.rule.ratchet == Ratchet::ByValue,
        _ => false,
    }
}

/// Whether the verdict refuses the value: by the rule, by a rule that forbids any change there, or
/// by a problem that the API tells alone.
fn answers(verdict: &Verdict, slot: &Slot, sample: &Sample, rule: &str) -> bool {
    verdict.problems.iter().any(|problem| {
        let at = place(&problem.field);
        (problem.rule.id == rule && is_about(problem, slot, sample))
            || (problem.rule.id == IMMUTABLE && (at == slot.told || is_above(&at, &slot.told)))
            || (!VALUE_RULES.contains(&problem.rule.id) && is_above(&at, &slot.told))
            || slot.shadow.is_some_and(|shadow| at == shadow || is_above(&at, shadow))
    })
}

fn is_above(at: &str, told: &str) -> bool {
    told.strip_prefix(at).is_some_and(|rest| rest.starts_with(['.', '[']))
}

/// Whether a problem is about this value in this place.
fn is_about(problem: &FieldError, slot: &Slot, sample: &Sample) -> bool {
    let names_it = problem.value.as_deref() == Some(shown(&sample.text).as_str());
    // Names are shown without their final dot, or label by label.
    place(&problem.field) == slot.told && (names_it || slot.field.is_none())
}

fn shown(text: &str) -> String {
    Quoted(text).to_string()
}

fn added_external_ip(case: &Case) -> Option<&str> {
    let (slot, samples) = case
        .slots()
        .zip(&case.new)
        .find(|(slot, _)| slot.field.is_some_and(|row| row.path == "spec.externalIPs[]"))?;
    let kept = case.kept(&slot.group);
    let mut texts = samples.iter().map(|sample| sample.text.as_str());
    texts.find(|text| case.part == Part::Main && !kept.contains(text))
}

/// A field with `[]` for every index.
pub(crate) fn place(field: &str) -> String {
    let mut pieces = field.split('[');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (index, rest) = piece.split_once(']').unwrap_or((piece, ""));
        let is_index = index.bytes().all(|byte| byte.is_ascii_digit());
        out.push_str(&if is_index { format!("[]{rest}") } else { format!("[{piece}") });
    }
    out
}

fn said(problem: &FieldError) -> String {
    assert!(RULES.contains(&problem.rule), "{} is not registered", problem.rule.id);
    format!("{} refuses {}: {}", problem.rule.id, problem.field, problem.message())
}

fn breach(case: &Case, what: String) -> Result<(), String> {
    Err(format!("{what}\n{case:?}"))
}
