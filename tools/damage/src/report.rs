//! Differences, grouped by kind, field and sort of damage, the worst first.

use crate::answer::Answer;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt;

/// How two answers differ, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// The first server grants what the second refuses.
    WronglyAdmitted,
    /// The first server refuses what the second grants.
    WronglyRefused,
    /// Both refuse, with another code or in other words.
    Words,
    /// Both grant, with other warnings.
    Warnings,
    /// Both grant, and answer with another object.
    Object,
}

impl Difference {
    /// How the answers differ; none if they are equal.
    pub(crate) fn between(first: &Answer, second: &Answer) -> Option<Self> {
        match (first.is_success(), second.is_success()) {
            _ if first == second => None,
            (true, false) => Some(Self::WronglyAdmitted),
            (false, true) => Some(Self::WronglyRefused),
            (false, false) => Some(Self::Words),
            (true, true) if first.warnings != second.warnings => Some(Self::Warnings),
            (true, true) => Some(Self::Object),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::WronglyAdmitted => "wrongly admitted",
            Self::WronglyRefused => "wrongly refused",
            Self::Words => "other words",
            Self::Warnings => "other warnings",
            Self::Object => "another object",
        }
    }
}

/// What was damaged, and how.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Group {
    pub(crate) difference: Difference,
    pub(crate) kind: &'static str,
    /// The field without indexes.
    pub(crate) field: String,
    pub(crate) damage: &'static str,
    /// `create` or `update`.
    pub(crate) verb: &'static str,
}

/// One difference in full.
#[derive(Clone, Debug)]
struct Example {
    path: String,
    value: Value,
    first: Answer,
    second: Answer,
}

/// How many requests were sent, and which of their answers differ.
#[derive(Debug, Default)]
pub struct Report {
    pub(crate) requested: usize,
    /// Bases that the second server refuses, with what it says: nothing that was damaged in them counts for much.
    pub(crate) bad_bases: Vec<String>,
    /// The first example of each group, and how many there are.
    groups: BTreeMap<Group, (usize, Example)>,
}

impl Report {
    /// Notes a difference.
    pub(crate) fn add(
        &mut self,
        group: Group,
        path: String,
        value: Value,
        answers: (Answer, Answer),
    ) {
        let (first, second) = answers;
        let example = Example { path, value, first, second };
        self.groups.entry(group).or_insert((0, example)).0 += 1;
    }

    /// Whether all answers were equal.
    pub fn is_clean(&self) -> bool {
        self.groups.is_empty() && self.bad_bases.is_empty()
    }

    /// How many answers differ.
    fn count(&self) -> usize {
        self.groups.values().map(|(count, _)| count).sum()
    }

    /// The report as JSON.
    pub fn to_json(&self) -> Value {
        let groups = self.groups.iter().map(|(group, (count, example))| {
            json!({
                "difference": group.difference.name(),
                "kind": group.kind,
                "field": group.field,
                "damage": group.damage,
                "verb": group.verb,
                "count": count,
                "path": example.path,
                "value": example.value,
                "first": example.first.to_json(),
                "second": example.second.to_json(),
            })
        });
        json!({
            "requested": self.requested,
            "differ": self.count(),
            "badBases": self.bad_bases,
            "groups": groups.collect::<Vec<_>>(),
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for base in &self.bad_bases {
            writeln!(out, "base refused: {base}")?;
        }
        for (group, (count, example)) in &self.groups {
            let Group { difference, kind, field, damage, verb } = group;
            writeln!(out, "{}: {verb} {kind} {field}: {damage} ({count})", difference.name())?;
            writeln!(out, "  {} = {}", example.path, short(&example.value.to_string()))?;
            let parts = if *difference == Difference::Object {
                changed(&example.first.body, &example.second.body, "")
            } else {
                let part = |answer: &Answer| {
                    let message = answer.message().unwrap_or_default();
                    format!("{} {} {:?}", answer.code, short(message), answer.warnings)
                };
                vec![(String::new(), part(&example.first), part(&example.second))]
            };
            for (path, first, second) in parts {
                writeln!(
                    out,
                    "  {path} first:  {}\n  {path} second: {}",
                    short(&first),
                    short(&second)
                )?;
            }
        }
        let equal = self.requested - self.count();
        writeln!(out, "{equal} equal, {} differ in {} groups", self.count(), self.groups.len())
    }
}

/// The members where two values differ, as JSON pointers with both values.
fn changed(first: &Value, second: &Value, path: &str) -> Vec<(String, String, String)> {
    match (first, second) {
        _ if first == second => Vec::new(),
        (Value::Object(a), Value::Object(b)) => {
            let more = b.keys().filter(|key| !a.contains_key(*key));
            let pair =
                |key| (a.get(key).unwrap_or(&Value::Null), b.get(key).unwrap_or(&Value::Null));
            let parts = a.keys().chain(more).map(|key| (pair(key), format!("{path}/{key}")));
            parts.flat_map(|((a, b), path)| changed(a, b, &path)).collect()
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            let parts = a.iter().zip(b).enumerate();
            parts.flat_map(|(index, (a, b))| changed(a, b, &format!("{path}/{index}"))).collect()
        }
        _ => vec![(path.to_owned(), first.to_string(), second.to_string())],
    }
}

/// The beginning of a text.
fn short(text: &str) -> String {
    const LONGEST: usize = 1500;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    format!("{}…", text.chars().take(LONGEST).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(code: u16, warnings: &[&str], body: Value) -> Answer {
        Answer { code, warnings: warnings.iter().map(|&text| text.to_owned()).collect(), body }
    }

    #[test]
    fn answers_differ_in_one_of_five_ways() {
        let good = answer(201, &[], json!({"a": 1}));
        let bad = answer(422, &[], json!({"message": "no"}));
        let between = |a: &Answer, b: &Answer| Difference::between(a, b);
        assert_eq!(between(&good, &good), None);
        assert_eq!(between(&good, &bad), Some(Difference::WronglyAdmitted));
        assert_eq!(between(&bad, &good), Some(Difference::WronglyRefused));
        let worse = answer(400, &[], json!({"message": "no"}));
        assert_eq!(between(&bad, &worse), Some(Difference::Words));
        let warned = answer(201, &["299 - \"x\""], json!({"a": 1}));
        assert_eq!(between(&good, &warned), Some(Difference::Warnings));
        let other = answer(201, &[], json!({"a": 2}));
        assert_eq!(between(&good, &other), Some(Difference::Object));
    }

    #[test]
    fn the_worst_is_told_first_and_equal_groups_once() {
        let (good, bad) = (answer(201, &[], json!({})), answer(422, &[], json!({"message": "no"})));
        let mut report = Report { requested: 5, ..Report::default() };
        let mut add = |difference, first: &Answer, second: &Answer| {
            let group = Group {
                difference,
                kind: "Pod",
                field: "spec.a[]".to_owned(),
                damage: "a null",
                verb: "create",
            };
            report.add(group, "spec.a[0]".to_owned(), Value::Null, (first.clone(), second.clone()));
        };
        add(Difference::WronglyRefused, &bad, &good);
        add(Difference::WronglyAdmitted, &good, &bad);
        add(Difference::WronglyAdmitted, &good, &bad);
        let text = report.to_string();
        assert!(text.starts_with("wrongly admitted: create Pod spec.a[]: a null (2)\n"), "{text}");
        assert!(text.ends_with("2 equal, 3 differ in 2 groups\n"), "{text}");
        assert!(!report.is_clean());
    }

    #[test]
    fn objects_are_compared_member_by_member() {
        let parts = changed(&json!({"a": [1, {"b": 2}]}), &json!({"a": [1, {"b": 3}], "c": 4}), "");
        let paths: Vec<_> = parts.iter().map(|(path, ..)| path.as_str()).collect();
        assert_eq!(paths, ["/a/1/b", "/c"]);
    }
}
