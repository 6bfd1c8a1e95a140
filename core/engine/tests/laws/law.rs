//! The five laws, each a function over a judge and a case that returns the breach as text.

use crate::laws::case::{Case, DecodedCase, Fill, Judge, Setting, Touch, object, parse};
use crate::laws::sample::{Fault, Sample, ValueKind};
use crate::laws::slot::{InForce, Slot};
use crate::laws::spelling::{reversed, yaml};
use ratchet_engine::{
    ApiConfig, Change, FieldError, Part, RULES, Ratchet, Status, Verdict, warning_headers,
};
use ratchet_net::Quoted;
use ratchet_object::Object;
use serde_json::{Value as Json, json};

/// A law; the error describes the breach.
pub(crate) type Law = fn(&Judge, &Case) -> Result<(), String>;

/// The rules about single values.
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
    let config = case.setting.config();
    let decoded = DecodedCase::of(case, object);
    let verdict = decoded.verdict(judge, &config);
    for (slot, samples) in case.slots().zip(&case.new) {
        if slot.writes != case.part {
            continue;
        }
        let in_force = in_force_for(case, slot, &config);
        for sample in samples.iter().filter(|sample| is_new(case, slot, sample)) {
            let Some(rule) = slot.refused_by(sample, in_force) else { continue };
            if !refuses_value(&verdict, slot, sample, rule) {
                return breach(
                    case,
                    format!("{rule} lets {:?} into {}", sample.text, slot.error_path),
                );
            }
        }
    }
    if !verdict.errors.is_empty() {
        return Ok(());
    }
    let added = added_external_ip(case).filter(|_| config.plugins.deny_external_ips);
    if let Some(added) = added
        && verdict.denial.as_ref().is_none_or(|denial| denial.rule.id != EXTERNAL_IPS)
    {
        return breach(case, format!("{EXTERNAL_IPS} lets {added:?} in"));
    }
    // A significantly changed pod is evaluated like a new one.
    if case.world.pod().as_deref() == Some("") && case.is_significant() && decoded.old.is_some() {
        let touch = Touch::Nothing;
        let as_create = Case { old: None, part: Part::Main, touch, ..case.clone() };
        let as_create = DecodedCase::of(&as_create, object).verdict(judge, &config);
        if as_create.denial.is_some() && verdict.denial.is_none() {
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
    let verdict = DecodedCase::of(case, object).verdict(judge, &case.setting.config());
    let is_storable = case.is_storable();
    for (slot, samples) in case.slots().zip(&case.new) {
        for sample in samples.iter().filter(|sample| is_value_unchanged(case, slot, sample)) {
            let blames = |error: &&FieldError| {
                VALUE_RULES.contains(&error.rule.id)
                    && is_about(error, slot, sample)
                    && (is_storable || covers_unstorable(error, slot))
            };
            if let Some(error) = verdict.errors.iter().find(blames) {
                let text = &sample.text;
                return breach(case, format!("{}: {text:?} was there before", describe(error)));
            }
        }
    }
    if is_storable && case.is_all_unchanged() {
        if let Some(error) = verdict.errors.first() {
            return breach(case, format!("nothing changed, and yet {}", describe(error)));
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
    let config = case.setting.config();
    for (index, slot) in case.slots().enumerate().filter(|(_, slot)| slot.writes == case.part) {
        for (which, sample) in old[index].iter().enumerate() {
            let Some(rule) = slot.refused_by(sample, InForce::STRICTEST) else { continue };
            for repair in [Repair::Remove, Repair::Replace] {
                let new = repaired(case, old, (index, which), rule, repair);
                let repaired_case = Case { new, ..case.clone() };
                let verdict = DecodedCase::of(&repaired_case, object).verdict(judge, &config);
                let refuses = |error: &&FieldError| {
                    error.rule.id == rule && without_indexes(&error.field) == slot.error_path
                };
                if let Some(error) = verdict.errors.iter().find(refuses) {
                    let text = &sample.text;
                    return breach(
                        &repaired_case,
                        format!("{repair:?} of {text:?}: {}", describe(error)),
                    );
                }
                let denial = verdict.denial.filter(|denial| denial.rule.id == EXTERNAL_IPS);
                if repair == Repair::Remove && denial.is_some() {
                    return breach(&repaired_case, "an external IP cannot be removed".into());
                }
            }
        }
    }
    Ok(())
}

/// Warned before refused.
pub(crate) fn law_4(judge: &Judge, case: &Case) -> Result<(), String> {
    let policy_with = |strict_ip| Setting { strict_ip, ..case.setting }.config();
    let decoded = DecodedCase::of(case, object);
    let (strict, loose) = (policy_with(true), policy_with(false));
    let (refusal, warned) = (decoded.verdict(judge, &strict), decoded.verdict(judge, &loose));
    // A change that is refused anyway needs no warning.
    if warned.errors.is_empty() {
        for (slot, samples) in case.slots().zip(&case.new) {
            let Some(warning_path) =
                slot.warning_path.as_ref().filter(|_| slot.writes == case.part)
            else {
                continue;
            };
            for sample in samples {
                let refuses = |error: &&FieldError| {
                    STRICT_RULES.contains(&error.rule.id) && is_about(error, slot, sample)
                };
                let Some(error) = refusal.errors.iter().find(refuses) else { continue };
                let is_warned = warned.warnings.iter().any(|warning| {
                    let (path, message) = warning.text.split_once(": ").unwrap_or_default();
                    warning.rule == error.rule
                        && without_indexes(path) == *warning_path
                        && message.contains(&quoted(&sample.text))
                });
                if !is_warned {
                    return breach(case, format!("nobody warned of {}", describe(error)));
                }
            }
        }
    }
    law_4_of_controllers(judge, case, &loose)
}

/// A controller whose pods the namespace would refuse gets a warning.
fn law_4_of_controllers(judge: &Judge, case: &Case, config: &ApiConfig) -> Result<(), String> {
    let Some(place) = case.world.pod().filter(|place| !place.is_empty()) else { return Ok(()) };
    let decoded = DecodedCase::of(case, object);
    let warned = decoded.verdict(judge, config);
    if case.part != Part::Main || !warned.errors.is_empty() {
        return Ok(());
    }
    let template = case.new_json().pointer(&place).cloned().unwrap_or_default();
    let metadata = json!({ "name": "web", "namespace": "shop" });
    let pod: Json = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"],
    });
    let pod = object(&pod);
    let refusal = judge(&Change::create(&pod).unwrap(), &decoded.facts(), config);
    let is_warned = |text: &str| warned.warnings.iter().any(|warning| warning.text.contains(text));
    match refusal.denial {
        Some(denial) if !is_warned(&denial.text.replacen("violates", "would violate", 1)) => {
            breach(case, format!("nobody warned that the pods will be refused: {}", denial.text))
        }
        _ => Ok(()),
    }
}

/// One verdict.
pub(crate) fn law_5(judge: &Judge, case: &Case) -> Result<(), String> {
    let config = case.setting.config();
    let spellings: [fn(&Json) -> Object<'static>; 4] = [
        object,
        object,
        |value| parse(&yaml(value)),
        |value| parse(&format!("  {}", reversed(value))),
    ];
    let mut first: Option<String> = None;
    for spelling in spellings {
        let decoded = DecodedCase::of(case, spelling);
        let output = output(&decoded.verdict(judge, &config), &decoded.change());
        match &first {
            Some(before) if *before != output => {
                return breach(case, format!("two verdicts:\n{before}\n{output}"));
            }
            _ => first = Some(output),
        }
    }
    Ok(())
}

/// All output of a verdict: status, warnings, audit annotations and metrics.
fn output(verdict: &Verdict, change: &Change<'_>) -> String {
    let status = Status::of(verdict, change);
    let headers = warning_headers(verdict);
    format!("{status:?}\n{headers:?}\n{:?}\n{:?}", verdict.audit, verdict.metrics)
}

/// How a bad value is repaired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repair {
    Remove,
    Replace,
}

/// The stored values with one repaired; where the unit of the ratchet is larger than a value, with all of the unit.
fn repaired(
    case: &Case,
    old: &Fill,
    (at, which): (usize, usize),
    rule: &str,
    repair: Repair,
) -> Fill {
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
            match (&sample.fixed, other.value_kind) {
                _ if repair == Repair::Remove => return false,
                (Some(fixed), _) => *sample = Sample::new(fixed.clone(), Fault::Fine, None),
                (None, ValueKind::Search) => {
                    *sample = Sample::new("example.org", Fault::Fine, None);
                }
                (None, ValueKind::Level) => *sample = Sample::new("baseline", Fault::Fine, None),
                (None, _) => return false,
            }
            true
        });
    }
    new
}

/// The settings for this slot: stored search names may have relaxed its validation.
fn in_force_for(case: &Case, slot: &Slot, config: &ApiConfig) -> InForce {
    let in_force = InForce::by(config);
    let stored = case.slots().zip(case.old.iter().flatten());
    let mut names =
        stored.filter(|(other, _)| other.error_path == slot.error_path).flat_map(|row| row.1);
    let relaxed =
        slot.value_kind == ValueKind::Search && names.any(|name| name.fault != Fault::Fine);
    InForce { relaxed_dns: in_force.relaxed_dns || relaxed, ..in_force }
}

/// Whether a value is new, by the ratchet of its slot.
fn is_new(case: &Case, slot: &Slot, sample: &Sample) -> bool {
    match slot.ratchet() {
        Ratchet::WholeField => !case.is_group_unchanged(&slot.group),
        _ => !case.stored_values(&slot.group).contains(&sample.text.as_str()),
    }
}

/// Whether a value is unchanged, by the ratchet of its slot.
fn is_value_unchanged(case: &Case, slot: &Slot, sample: &Sample) -> bool {
    match slot.ratchet() {
        Ratchet::ByValue => {
            let rows = case.slots().zip(case.old.iter().flatten());
            let mut stored =
                rows.filter(|(other, _)| other.error_path == slot.error_path).flat_map(|row| row.1);
            stored.any(|stored| stored.text == sample.text)
        }
        _ => case.is_group_unchanged(&slot.group),
    }
}

/// Whether the ratchet of the rule or field also covers values that could never have been stored.
fn covers_unstorable(error: &FieldError, slot: &Slot) -> bool {
    match slot.ratchet() {
        Ratchet::WholeField => true,
        Ratchet::ByValue => error.rule.ratchet == Ratchet::ByValue,
        _ => false,
    }
}

/// What cluster IPs and their families say together: the allocator's errors, which are reported alone.
const CLUSTER_IPS: &str = "RTC-SVC-003";

/// Whether the verdict refuses the value: by the rule, as a change of an immutable field, or by an error that the API
/// reports alone.
fn refuses_value(verdict: &Verdict, slot: &Slot, sample: &Sample, rule: &str) -> bool {
    verdict.errors.iter().any(|error| {
        let at = without_indexes(&error.field);
        (error.rule.id == rule && is_about(error, slot, sample))
            || (error.rule.id == IMMUTABLE
                && (at == slot.error_path || is_above(&at, &slot.error_path)))
            || (!VALUE_RULES.contains(&error.rule.id) && is_above(&at, &slot.error_path))
            || slot.shadow.is_some_and(|shadow| {
                at == shadow || is_above(&at, shadow) || error.rule.id == CLUSTER_IPS
            })
    })
}

fn is_above(at: &str, path: &str) -> bool {
    path.strip_prefix(at).is_some_and(|rest| rest.starts_with(['.', '[']))
}

/// Whether an error is about this value in this slot.
fn is_about(error: &FieldError, slot: &Slot, sample: &Sample) -> bool {
    let quotes_it = error.value.as_deref() == Some(quoted(&sample.text).as_str());
    // Errors about names quote them without their final dot, or label by label.
    without_indexes(&error.field) == slot.error_path && (quotes_it || slot.field.is_none())
}

fn quoted(text: &str) -> String {
    Quoted(text).to_string()
}

fn added_external_ip(case: &Case) -> Option<&str> {
    let (slot, samples) = case
        .slots()
        .zip(&case.new)
        .find(|(slot, _)| slot.field.is_some_and(|row| row.path == "spec.externalIPs[]"))?;
    let stored = case.stored_values(&slot.group);
    let mut texts = samples.iter().map(|sample| sample.text.as_str());
    texts.find(|text| case.part == Part::Main && !stored.contains(text))
}

/// A path with `[]` for every index.
pub(crate) fn without_indexes(field: &str) -> String {
    let mut pieces = field.split('[');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (index, rest) = piece.split_once(']').unwrap_or((piece, ""));
        let is_index = index.bytes().all(|byte| byte.is_ascii_digit());
        out.push_str(&if is_index { format!("[]{rest}") } else { format!("[{piece}") });
    }
    out
}

fn describe(error: &FieldError) -> String {
    assert!(RULES.contains(&error.rule), "{} is not registered", error.rule.id);
    format!("{} refuses {}: {}", error.rule.id, error.field, error.message())
}

fn breach(case: &Case, description: String) -> Result<(), String> {
    Err(format!("{description}\n{case:?}"))
}
