//! Tests of all case files: each verdict must be exactly the expected one.

mod case_file;

use case_file::{Case, Proposal, Side, Subject, Want, cases};
use ratchet_engine::rules::decoding;
use ratchet_engine::{RULES, Rule, Status, Verdict, judge, pod_security};
use ratchet_object::{Limits, Object, ViolationKind, decode, schema, schema_violations};
use std::collections::BTreeSet;

#[test]
fn every_case_gets_its_verdict() {
    let mut failures: Vec<String> = Vec::new();
    let mut count = 0;
    for case in cases() {
        match case {
            Err(error) => failures.push(error),
            Ok(case) => {
                count += 1;
                let faults = faults(&case);
                failures.extend(faults.into_iter().map(|fault| format!("{}: {fault}", case.name)));
            }
        }
    }
    assert!(failures.is_empty(), "of {count} cases:\n{}", failures.join("\n"));
    assert!(count > 200, "only {count} cases were found");
}

#[test]
fn every_rule_has_a_case_on_both_sides() {
    let cases: Vec<Case> = cases().into_iter().flatten().collect();
    let known: BTreeSet<&str> = rules().map(|rule| rule.id).collect();
    let has = |id: &str, is_side: fn(Side) -> bool| {
        cases.iter().any(|case| case.rule == id && is_side(case.side))
    };
    let mut missing: Vec<String> = Vec::new();
    for id in &known {
        if !has(id, |side| side == Side::Admits) {
            missing.push(format!("{id} has no case that it admits"));
        }
        if !has(id, |side| side != Side::Admits) {
            missing.push(format!("{id} has no case that it refuses or warns about"));
        }
    }
    let strangers = cases.iter().filter(|case| !known.contains(case.rule.as_str()));
    missing.extend(strangers.map(|case| format!("{} is about no rule", case.name)));
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

fn rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().chain(&pod_security::RULES).copied()
}

/// The result of a case, in the terms of a case file.
struct Outcome {
    admits: bool,
    status: Option<Status>,
    rules: Vec<String>,
    warnings: Vec<String>,
    differences: BTreeSet<String>,
    fields: Vec<String>,
    warned_by: BTreeSet<&'static str>,
}

fn faults(case: &Case) -> Vec<String> {
    let outcome = match &case.subject {
        Subject::Text(text) => outcome_of_text(text),
        Subject::Change(proposal) => match outcome_of(proposal) {
            Some(outcome) => outcome,
            None => return vec!["its kind or subresource is not in the table".into()],
        },
    };
    let mut faults = compare(&case.want, &outcome);
    faults.extend(name_mismatch(case, &outcome));
    faults
}

fn outcome_of(proposal: &Proposal) -> Option<Outcome> {
    let change = proposal.change()?;
    let verdict = judge(&change, &proposal.facts(), proposal.config());
    Some(Outcome {
        admits: verdict.admits(),
        status: Status::of(&verdict, &change),
        rules: reporting_rules(&verdict),
        warnings: verdict.warnings.iter().map(|warning| warning.text.clone()).collect(),
        differences: verdict
            .errors
            .iter()
            .filter_map(|error| error.difference)
            .map(|difference| difference.id.to_string())
            .collect(),
        fields: Vec::new(),
        warned_by: verdict
            .warnings
            .iter()
            .flat_map(|warning| {
                [warning.rule.id]
                    .into_iter()
                    .chain(warning.labels.iter().map(|label| label.rule.id))
            })
            .collect(),
    })
}

/// The rules that report anything in the verdict.
fn reporting_rules(verdict: &Verdict) -> Vec<String> {
    let errors = verdict.errors.iter().map(|error| error.rule);
    let denial = verdict.denial.iter().map(|denial| denial.rule);
    let warnings = verdict.warnings.iter().map(|warning| warning.rule);
    let labels = verdict.denial.iter().flat_map(|denial| &denial.labels);
    let labels = labels.chain(verdict.warnings.iter().flat_map(|warning| &warning.labels));
    let rules = errors.chain(denial).chain(warnings).chain(labels.map(|label| label.rule));
    let ids: BTreeSet<&str> = rules.map(|rule| rule.id).collect();
    ids.into_iter().map(String::from).collect()
}

/// The findings of a door about a text, before the engine gets an object.
fn outcome_of_text(text: &str) -> Outcome {
    let mut rules = BTreeSet::new();
    let mut fields = Vec::new();
    match decode(text, Limits::DEFAULT) {
        Err(_) => _ = rules.insert(decoding::UNREADABLE.id),
        Ok(decoded) => {
            for repeated in decoded.repeated {
                rules.insert(decoding::REPEATED_FIELD.id);
                fields.push(repeated.path);
            }
            for object in decoded.documents.into_iter().map(Object::new) {
                if object.api_version().is_empty() || object.kind_name().is_empty() {
                    rules.insert(decoding::UNREADABLE.id);
                } else if is_missing_from_its_group(&object) {
                    rules.insert(decoding::UNKNOWN_KIND.id);
                }
                for violation in schema_violations(&object) {
                    rules.insert(match violation.kind {
                        ViolationKind::Unknown => decoding::UNKNOWN_FIELD.id,
                        ViolationKind::WrongType(_) => decoding::WRONG_TYPE.id,
                    });
                    fields.push(violation.path);
                }
            }
        }
    }
    Outcome {
        admits: rules.is_empty(),
        status: None,
        rules: rules.into_iter().map(String::from).collect(),
        warnings: Vec::new(),
        differences: BTreeSet::new(),
        fields,
        warned_by: BTreeSet::new(),
    }
}

/// Whether the API group exists, but does not have the kind or the version.
fn is_missing_from_its_group(object: &Object<'_>) -> bool {
    let (group, version) =
        object.api_version().rsplit_once('/').unwrap_or(("", object.api_version()));
    schema::KINDS.iter().any(|row| row.group == group)
        && schema::kind(group, version, object.kind_name()).is_none()
}

fn compare(want: &Want, got: &Outcome) -> Vec<String> {
    let mut faults = Vec::new();
    let mut differs = |what: &str, want: String, got: String| {
        if want != got {
            faults.push(format!("{what}\n  wanted {want}\n  got    {got}"));
        }
    };
    let message = got.status.as_ref().map(|status| &status.message);
    differs("status", quoted(want.status.as_ref()), quoted(message));
    if let Some(causes) = want.causes {
        let got = got.status.as_ref().map_or(0, |status| status.causes.len());
        differs("causes", causes.to_string(), got.to_string());
    }
    differs("rules", want.rules.join(" "), got.rules.join(" "));
    differs("warnings", want.warnings.join("\n         "), got.warnings.join("\n         "));
    differs("difference", quoted(want.difference.as_ref()), quoted(got.differences.first()));
    if !want.fields.is_empty() {
        differs("fields", want.fields.join(" "), got.fields.join(" "));
    }
    faults
}

fn quoted(text: Option<&String>) -> String {
    text.map_or("nothing".into(), |text| format!("{text:?}"))
}

/// The contradiction between the file name and the outcome, if any.
fn name_mismatch(case: &Case, outcome: &Outcome) -> Option<String> {
    let mentions = case.want.rules.contains(&case.rule);
    let warned = outcome.warned_by.contains(case.rule.as_str());
    let is_consistent = match case.side {
        Side::Admits => outcome.admits && !mentions,
        Side::Refuses => !outcome.admits && mentions,
        Side::Warns => outcome.admits && warned && mentions,
    };
    (!is_consistent).then(|| format!("is named {:?} but is not so", case.side))
}
