//! Tests of the laws themselves: each law catches judges that break it.

use crate::laws::case::Judge;
use crate::laws::hold::try_law;
use crate::laws::law::{Law, law_1, law_2, law_3, law_4, law_5};
use ratchet_engine::{ApiConfig, Behavior, Change, Facts, Step, Verdict, Warning, judge};
use std::cell::Cell;

/// Enough changes to catch a broken judge.
const CASES: u32 = 8192;

fn breaks(law: Law, judge: &Judge) {
    assert!(try_law(law, judge, CASES, 0).is_err(), "the law does not notice this judge");
}

/// The same change as a create.
fn as_create<'a>(change: &Change<'a>) -> Change<'a> {
    Change { step: Step::Create { new: change.new_object() }, ..*change }
}

/// A create of the stored object.
fn old_as_create<'a>(change: &Change<'a>) -> Option<Change<'a>> {
    change.old_object().map(|new| Change { step: Step::Create { new }, ..*change })
}

fn is_spelling(rule: &str) -> bool {
    matches!(rule, "RTC-IP-001" | "RTC-IP-002")
}

#[test]
fn a_judge_that_admits_every_update_lets_new_values_slip_in() {
    breaks(law_1, &|change, facts, config| match change.old_object() {
        Some(_) => Verdict::default(),
        None => judge(change, facts, config),
    });
}

#[test]
fn a_judge_that_keeps_a_whole_field_for_one_old_value_lets_new_values_slip_in() {
    breaks(law_1, &|change, facts, config| {
        let mut verdict = judge(change, facts, config);
        if let Some(old) = old_as_create(change) {
            let before = judge(&old, facts, config);
            let was_bad = |rule| before.errors.iter().any(|error| error.rule == rule);
            verdict.errors.retain(|error| !was_bad(error.rule));
        }
        verdict
    });
}

#[test]
fn a_judge_that_takes_every_address_lets_new_values_slip_in() {
    breaks(law_1, &|change, facts, config| {
        let mut verdict = judge(change, facts, config);
        verdict.errors.retain(|error| error.rule.id != "RTC-IP-005");
        verdict
    });
}

#[test]
fn a_judge_that_forgets_the_plugin_lets_external_ips_slip_in() {
    breaks(law_1, &|change, facts, config| {
        let mut verdict = judge(change, facts, config);
        verdict.denial = verdict.denial.filter(|denial| denial.rule.id != "RTC-SVC-001");
        verdict
    });
}

#[test]
fn a_judge_that_never_looks_at_a_pod_again_lets_violations_slip_in() {
    breaks(law_1, &|change, facts, config| {
        let mut verdict = judge(change, facts, config);
        let is_pod_update = change.kind.name == "Pod" && !change.is_create();
        verdict.denial = verdict.denial.filter(|_| !is_pod_update);
        verdict
    });
}

#[test]
fn a_judge_that_no_longer_looks_at_an_invalid_stateful_set_lets_new_values_slip_in() {
    breaks(law_1, &|change, facts, config| {
        let released = ApiConfig { behavior: Behavior::Released, ..config.clone() };
        let is_set = change.kind.name == "StatefulSet";
        judge(change, facts, if is_set { &released } else { config })
    });
}

#[test]
fn a_judge_that_reads_a_list_out_in_full_breaks_what_is_old() {
    breaks(law_2, &|change, facts, config| {
        let mut verdict = judge(change, facts, config);
        let created = judge(&as_create(change), facts, config).errors.into_iter();
        if verdict.errors.iter().any(|error| is_spelling(error.rule.id)) {
            verdict.errors.extend(created.filter(|error| is_spelling(error.rule.id)));
        }
        verdict
    });
}

#[test]
fn a_judge_that_forgets_the_ratchet_breaks_what_is_old() {
    breaks(law_2, &|change, facts, config| judge(&as_create(change), facts, config));
}

#[test]
fn a_judge_that_forgets_only_search_names_breaks_what_is_old() {
    breaks(law_2, &|change, facts, config| {
        let mut verdict = judge(change, facts, config);
        let created = judge(&as_create(change), facts, config).errors.into_iter();
        verdict.errors.extend(created.filter(|error| error.rule.id == "RTC-DNS-001"));
        verdict
    });
}

#[test]
fn a_judge_that_looks_at_every_update_of_a_pod_breaks_what_is_old() {
    breaks(law_2, &|change, facts, config| {
        let mut verdict = judge(change, facts, config);
        if change.kind.name == "Pod" && verdict.errors.is_empty() {
            verdict.denial = judge(&as_create(change), facts, config).denial;
        }
        verdict
    });
}

#[test]
fn a_judge_that_refuses_any_change_of_a_bad_field_closes_the_way_out() {
    breaks(law_3, &|change, facts, config| {
        let mut verdict = judge(change, facts, config);
        if let Some(old) = old_as_create(change).filter(|_| change.old_root().is_some()) {
            let before = judge(&old, facts, config).errors.into_iter();
            let after = judge(&as_create(change), facts, config).errors;
            let is_gone = |field: &str| after.iter().all(|error| error.field != field);
            verdict
                .errors
                .extend(before.filter(|error| is_spelling(error.rule.id) && is_gone(&error.field)));
        }
        verdict
    });
}

#[test]
fn a_judge_that_denies_every_external_ip_closes_the_way_out() {
    breaks(law_3, &|change, facts, config| {
        let mut verdict = judge(change, facts, config);
        if change.kind.name == "Service" && verdict.admits() {
            verdict.denial = judge(&as_create(change), facts, config).denial;
        }
        verdict
    });
}

#[test]
fn a_judge_that_says_nothing_while_the_gate_is_off_warns_nobody() {
    breaks(law_4, &|change, facts, config| {
        let mut verdict = judge(change, facts, config);
        verdict.warnings.retain(|_| config.strict_ip());
        verdict
    });
}

#[test]
fn a_judge_that_warns_of_addresses_only_does_not_warn_of_networks() {
    breaks(law_4, &|change, facts, config| {
        let mut verdict = judge(change, facts, config);
        verdict.warnings.retain(|warning| warning.rule.id != "RTC-IP-002");
        verdict
    });
}

#[test]
fn a_judge_that_warns_of_other_rules_only_does_not_warn_of_doomed_pods() {
    breaks(law_4, &|change, facts, config| {
        let mut verdict = judge(change, facts, config);
        verdict.warnings.retain(|warning| !warning.text.starts_with("would violate"));
        verdict
    });
}

fn with_warning(mut verdict: Verdict, change: &Change<'_>, text: String) -> Verdict {
    verdict.warn(Warning::new(ratchet_engine::RULES[0], &change.new_root(), text));
    verdict
}

#[test]
fn a_judge_of_two_minds_gives_two_verdicts() {
    let calls = Cell::new(0_u32);
    breaks(law_5, &move |change: &Change<'_>, facts: &Facts<'_>, config: &ApiConfig| {
        calls.set(calls.get() + 1);
        let verdict = judge(change, facts, config);
        if calls.get().is_multiple_of(2) {
            verdict
        } else {
            with_warning(verdict, change, "odd".into())
        }
    });
}

#[test]
fn a_judge_that_sees_the_order_of_members_gives_two_verdicts() {
    breaks(law_5, &|change, facts, config| {
        let members = change.new_object().node().entries().iter();
        let names: Vec<&str> = members.map(|entry| entry.key.as_ref()).collect();
        with_warning(judge(change, facts, config), change, names.join(" "))
    });
}

#[test]
fn a_judge_that_sees_where_a_member_stands_gives_two_verdicts() {
    breaks(law_5, &|change, facts, config| {
        let place = format!("{:?}", change.new_root().field("metadata").span());
        with_warning(judge(change, facts, config), change, place)
    });
}
