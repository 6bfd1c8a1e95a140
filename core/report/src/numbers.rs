//! Numbers of a report: objects by their worst state, findings by rule and target, owners by what they have to do.

use crate::finding::{ObjectRef, Owner};
use crate::{Finding, Report, State, StateCount};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

/// Numbers by state, from the worst to the mildest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ByState([u64; State::ALL.len()]);

impl ByState {
    /// The number of a state.
    pub(crate) fn of(&self, state: State) -> u64 {
        self.0.get(state as usize).copied().unwrap_or(0)
    }

    /// The sum of all states.
    pub(crate) fn sum(&self) -> u64 {
        self.0.iter().sum()
    }

    fn add(&mut self, state: State, objects: u64) {
        if let Some(number) = self.0.get_mut(state as usize) {
            *number += objects;
        }
    }
}

/// Objects by their worst state; of one target, or of all.
pub(crate) fn objects_by_state(report: &Report, target: Option<&str>) -> ByState {
    let mut numbers = ByState::default();
    let is_known = |row: &&StateCount| target.is_some_and(|target| row.target == target);
    if report.states.iter().any(|row| is_known(&row)) {
        let rows = report.states.iter().filter(is_known);
        rows.for_each(|row| numbers.add(row.state, row.number));
        return numbers;
    }
    let mut worst: BTreeMap<&ObjectRef, State> = BTreeMap::new();
    let of_target = |finding: &&Finding| target.is_none_or(|target| finding.target == target);
    for finding in report.findings.iter().filter(of_target) {
        let known = worst.entry(&finding.object).or_insert(finding.state);
        *known = (*known).min(finding.state);
    }
    worst.into_values().for_each(|state| numbers.add(state, 1));
    numbers
}

/// The target that the summary speaks of: the last one.
pub(crate) fn main_target(report: &Report) -> Option<&str> {
    report.targets.last().map(String::as_str)
}

/// Findings of one rule, by target.
pub(crate) struct RuleCount<'r> {
    pub(crate) rule: &'r str,
    /// In the order of the targets.
    pub(crate) by_target: Vec<u64>,
    pub(crate) worst: State,
}

/// The targets that counts are given for: those of the report, and those that only findings name.
pub(crate) fn targets(report: &Report) -> Vec<&str> {
    let mut all: Vec<&str> = report.targets.iter().map(String::as_str).collect();
    let named: BTreeSet<&str> = report
        .findings
        .iter()
        .map(|finding| finding.target.as_str())
        .chain(report.counts.iter().map(|count| count.target.as_str()))
        .collect();
    all.extend(named.into_iter().filter(|name| !report.targets.iter().any(|one| one == name)));
    all
}

/// Findings by rule and target; the rule with the worst state and the most findings first.
pub(crate) fn rule_counts<'r>(report: &'r Report, targets: &[&str]) -> Vec<RuleCount<'r>> {
    let mut numbers: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    let mut worst: BTreeMap<&str, State> = BTreeMap::new();
    for finding in &report.findings {
        let known = worst.entry(&finding.rule).or_insert(finding.state);
        *known = (*known).min(finding.state);
        if report.counts.is_empty() {
            *numbers.entry((&finding.rule, &finding.target)).or_default() += 1;
        }
    }
    for count in &report.counts {
        *numbers.entry((&count.rule, &count.target)).or_default() += count.number;
    }
    let rules: BTreeSet<&str> = numbers.keys().map(|(rule, _)| *rule).collect();
    let mut rows: Vec<RuleCount<'_>> = rules
        .into_iter()
        .map(|rule| RuleCount {
            rule,
            by_target: targets
                .iter()
                .map(|target| numbers.get(&(rule, *target)).copied().unwrap_or(0))
                .collect(),
            worst: worst.get(rule).copied().unwrap_or_default(),
        })
        .collect();
    rows.sort_by_key(|row| {
        (row.worst, core::cmp::Reverse(row.by_target.iter().max().copied().unwrap_or(0)), row.rule)
    });
    rows
}

/// An owner with the number of its objects by their worst state.
pub(crate) struct OwnerCount<'r> {
    pub(crate) owner: &'r Owner,
    pub(crate) objects: ByState,
}

/// Owners by what they have to do: the most frozen objects first, then the most refused ones, and so on.
pub(crate) fn owner_counts(report: &Report) -> Vec<OwnerCount<'_>> {
    let mut worst: BTreeMap<(&Owner, &ObjectRef), State> = BTreeMap::new();
    for finding in &report.findings {
        let known = worst.entry((&finding.owner, &finding.object)).or_insert(finding.state);
        *known = (*known).min(finding.state);
    }
    let mut owners: BTreeMap<&Owner, ByState> = BTreeMap::new();
    for ((owner, _), state) in worst {
        owners.entry(owner).or_default().add(state, 1);
    }
    let mut rows: Vec<OwnerCount<'_>> =
        owners.into_iter().map(|(owner, objects)| OwnerCount { owner, objects }).collect();
    rows.sort_by_key(|row| (core::cmp::Reverse(row.objects), row.owner));
    rows
}

/// `1 object`, `12,345 objects`.
pub(crate) fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{} {noun}s", grouped(number)) }
}

/// `12,345`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Count, OwnerKind};
    use alloc::vec;

    fn finding(name: &str, target: &str, rule: &str, state: State) -> Finding {
        Finding {
            object: ObjectRef { name: name.into(), ..ObjectRef::default() },
            owner: Owner { kind: OwnerKind::Manager, name: name.into() },
            rule: rule.into(),
            state,
            target: target.into(),
            ..Finding::default()
        }
    }

    fn report() -> Report {
        Report {
            targets: vec!["1.35".into(), "1.36".into()],
            findings: vec![
                finding("a", "1.35", "R-1", State::Warns),
                finding("a", "1.36", "R-1", State::Frozen),
                finding("a", "1.36", "R-2", State::Warns),
                finding("b", "1.36", "R-2", State::Warns),
            ],
            ..Report::default()
        }
    }

    #[test]
    fn an_object_counts_once_by_its_worst_state() {
        let report = report();
        let numbers = objects_by_state(&report, Some("1.36"));
        assert_eq!((numbers.of(State::Frozen), numbers.of(State::Warns), numbers.sum()), (1, 1, 2));
        assert_eq!(objects_by_state(&report, Some("1.35")).sum(), 1);
        assert_eq!(objects_by_state(&report, None).of(State::Frozen), 1);
        // Where not all findings are there, their objects were counted elsewhere.
        let states =
            vec![StateCount { target: "1.36".into(), state: State::Frozen, number: 70_000 }];
        let report = Report { states, omitted: 60_000, ..report };
        assert_eq!(objects_by_state(&report, Some("1.36")).of(State::Frozen), 70_000);
        assert_eq!(objects_by_state(&report, Some("1.35")).of(State::Warns), 1);
    }

    #[test]
    fn rules_are_counted_by_target_unless_counts_are_given() {
        let mut report = report();
        let rows = rule_counts(&report, &targets(&report));
        let rows: Vec<_> = rows.iter().map(|row| (row.rule, row.by_target.clone())).collect();
        assert_eq!(rows, [("R-1", vec![1, 1]), ("R-2", vec![0, 2])]);
        report.counts = vec![Count { rule: "R-9".into(), target: "1.37".into(), number: 7 }];
        assert_eq!(targets(&report), ["1.35", "1.36", "1.37"]);
        let rows = rule_counts(&report, &targets(&report));
        assert_eq!(rows.first().map(|row| row.by_target.clone()), Some(vec![0, 0, 7]));
    }

    #[test]
    fn owners_with_frozen_objects_come_first() {
        let report = report();
        let owners: Vec<&str> =
            owner_counts(&report).iter().map(|row| row.owner.name.as_str()).collect();
        assert_eq!(owners, ["a", "b"]);
    }

    #[test]
    fn numbers_are_grouped() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (12_345_678, "12,345,678")]
        {
            assert_eq!(grouped(number), text);
        }
        assert_eq!(count(1, "object"), "1 object");
    }
}
