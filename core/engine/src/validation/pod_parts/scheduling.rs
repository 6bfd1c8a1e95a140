//! Validation of scheduling fields: tolerations, gates, topology spread constraints and affinity.

use super::{PodValidationOptions, windows};
use crate::field_errors::{FieldErrors, has, quoted};
use crate::name_format::{self, NameFormat};
use crate::validation::node_selector;
use crate::{format_value, selectors};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::At;

const EFFECTS: [&str; 3] = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
const POLICIES: [&str; 2] = ["Honor", "Ignore"];

pub(super) fn check(
    spec: &At<'_>,
    options: PodValidationOptions<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    for gate in spec.field("readinessGates").items() {
        errs.form(&gate.field("conditionType"), NameFormat::Qualified);
    }
    check_gates(&spec.field("schedulingGates"), errs);
    check_spreading(&spec.field("topologySpreadConstraints"), errs);
    windows::check_host_process(spec, errs);
    windows::check_host_users(spec, errs);
    check_tolerations(&spec.field("tolerations"), errs);
    if has(spec, "affinity") {
        check_affinity(&spec.field("affinity"), options, errs);
    }
    if !has(spec, "os") {
        return;
    }
    let os = spec.field("os");
    if os.is_set() && errs.needs_text(&os.field("name")) {
        // The API reports the path of `os`, not of its name.
        errs.one_of(&os.field("name").with_path(*os.path()), &["linux", "windows"]);
        windows::check_os(spec, errs);
    }
}

fn check_gates(gates: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for gate in gates.items() {
        let text = gate.field("name").text_or_empty();
        errs.form_of(&gate, text, NameFormat::Qualified);
        if !names.insert(text) {
            errs.duplicate(&gate, quoted(text));
        }
    }
}

fn check_spreading(list: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let key = |at: At<'_>| {
        let text = |name| at.field(name).text_or_empty();
        format!("{{{}, {}}}", text("topologyKey"), text("whenUnsatisfiable"))
    };
    let keys: Vec<String> = list.items().map(key).collect();
    let last: BTreeMap<&str, usize> =
        keys.iter().enumerate().map(|(index, key)| (key.as_str(), index)).collect();
    for ((index, at), own_key) in list.items().enumerate().zip(&keys) {
        let skew = at.field("maxSkew");
        if skew.int().unwrap_or_default() <= 0 {
            let formatted = format!("{}", skew.int().unwrap_or_default());
            errs.invalid_as(&skew, formatted, "must be greater than zero");
        }
        let topology = at.field("topologyKey");
        if topology.text_or_empty().is_empty() {
            errs.required(&topology, "can not be empty");
        }
        let action = at.field("whenUnsatisfiable");
        let known = ["DoNotSchedule", "ScheduleAnyway"];
        if !known.contains(&action.text_or_empty()) {
            let formatted =
                format_value::typed_string(action.text_or_empty(), errs.ctx.config.release);
            errs.unsupported(&action, formatted, &known);
        }
        // The API reports every one but the last.
        if last.get(own_key.as_str()).is_some_and(|last| *last > index) {
            let path = at.path().field("{topologyKey, whenUnsatisfiable}");
            errs.duplicate(&at.with_path(path), quoted(own_key));
        }
        let domains = at.field("minDomains");
        if domains.int().is_some_and(|count| count <= 0) {
            errs.invalid(&domains, "must be greater than zero");
        }
        if domains.is_set() && action.text_or_empty() != "DoNotSchedule" {
            let detail = format!(
                "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {}",
                action.text_or_empty()
            );
            errs.invalid(&domains, detail);
        }
        errs.one_of(&at.field("nodeAffinityPolicy"), &POLICIES);
        errs.one_of(&at.field("nodeTaintsPolicy"), &POLICIES);
        check_label_keys(&at.field("matchLabelKeys"), &at.field("labelSelector"), errs);
        selectors::check(&at.field("labelSelector"), errs);
    }
}

pub(crate) fn check_tolerations(list: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    for at in list.items() {
        let (key, operator, value) = (at.field("key"), at.field("operator"), at.field("value"));
        let (effect, text) = (at.field("effect"), operator.text_or_empty());
        let release = errs.ctx.config.release;
        errs.form_if_set(&key, NameFormat::Qualified);
        if key.text_or_empty().is_empty() && text != "Exists" {
            let detail = "operator must be Exists when `key` is empty, which means \"match all values and all keys\"";
            errs.invalid_as(&operator, format_value::typed_string(text, release), detail);
        }
        if at.field("tolerationSeconds").is_set() && effect.text_or_empty() != "NoExecute" {
            let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            errs.invalid_as(
                &effect,
                format_value::typed_string(effect.text_or_empty(), release),
                detail,
            );
        }
        let value_text = value.text_or_empty();
        match text {
            "" | "Equal" => {
                let mut details: Vec<String> = Vec::new();
                name_format::faults(NameFormat::LabelValue, value_text, |detail| {
                    details.push(detail.into_owned());
                });
                if !details.is_empty() {
                    errs.invalid_as(&operator, quoted(value_text), details.join(";"));
                }
            }
            "Exists" if !value_text.is_empty() => {
                let detail = "value must be empty when `operator` is 'Exists'";
                errs.invalid_as(&operator, quoted(value_text), detail);
            }
            "Exists" => {}
            "Lt" | "Gt" => {
                let formatted = format_value::typed_string(text, release);
                errs.unsupported(&operator, formatted, &["Equal", "Exists", "Lt", "Gt"]);
            }
            _ => errs.unsupported(
                &operator,
                format_value::typed_string(text, release),
                &["Equal", "Exists"],
            ),
        }
        errs.one_of(&effect, &EFFECTS);
    }
}

const WEIGHT: &str = "must be in the range 1-100";

const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";
const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

fn check_affinity(
    affinity: &At<'_>,
    options: PodValidationOptions<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    let nodes = affinity.field("nodeAffinity");
    let stored = options.stored.map(|old| old.descend(&["affinity", "nodeAffinity", REQUIRED]));
    let checks_values = !stored.is_some_and(|old| node_selector::has_invalid_value(&old));
    let required = nodes.field(REQUIRED);
    if required.is_set() {
        node_selector::check(&required, checks_values, errs);
    }
    for at in nodes.field(PREFERRED).items() {
        check_weight(&at, errs);
        // A preferred term with such a value matches nothing, and a warning tells of it.
        node_selector::check_term(&at.field("preference"), false, errs);
    }
    for side in ["podAffinity", "podAntiAffinity"] {
        for at in affinity.field(side).field(PREFERRED).items() {
            check_weight(&at, errs);
            check_pod_term(&at.field("podAffinityTerm"), errs);
        }
        for at in affinity.field(side).field(REQUIRED).items() {
            check_pod_term(&at, errs);
        }
    }
}

fn check_weight(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let weight = at.field("weight");
    let number = weight.int().unwrap_or_default();
    if !(1..=100).contains(&number) {
        errs.invalid_as(&weight, format!("{number}"), WEIGHT);
    }
}

fn check_pod_term(term: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    selectors::check(&term.field("labelSelector"), errs);
    selectors::check(&term.field("namespaceSelector"), errs);
    for name in term.field("namespaces").items() {
        errs.form(&name.with_path(term.path().field("namespace")), NameFormat::Label);
    }
    let selector = term.field("labelSelector");
    let lists = ["matchLabelKeys", "mismatchLabelKeys"].map(|name| term.field(name));
    lists.iter().for_each(|list| check_label_keys(list, &selector, errs));
    let [matched, mismatched] = &lists;
    let mismatched: BTreeSet<_> = mismatched.items().map(|key| key.text()).collect();
    for key in matched.items() {
        if mismatched.contains(&key.text()) {
            errs.invalid(&key, "exists in both matchLabelKeys and mismatchLabelKeys");
        }
    }
    let key = term.field("topologyKey");
    if key.text_or_empty().is_empty() {
        errs.required(&key, "can not be empty");
    }
    errs.form(&key, NameFormat::Qualified);
}

/// Checks the keys of labels whose values a pod shares with those that it looks for.
fn check_label_keys(keys: &At<'_>, selector: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !keys.is_empty() && !selector.is_set() {
        return errs.forbidden(keys, "must not be specified when labelSelector is not set");
    }
    keys.items().for_each(|key| errs.form(&key, NameFormat::Qualified));
}
