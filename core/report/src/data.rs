//! The data block: all findings as rows of numbers into a table of texts, which the page's script reads.

use crate::escape::push_json;
use crate::finding::{ObjectRef, Owner};
use crate::{Finding, Report, State, Subject};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

/// The findings in the order of the page: the worst first, then by owner, object and field.
pub(crate) fn sorted(report: &Report) -> Vec<&Finding> {
    let mut findings: Vec<&Finding> = report.findings.iter().collect();
    findings.sort_by(|a, b| key(a).cmp(&key(b)));
    findings
}

/// Everything of a finding, so that equal input in another order gives equal bytes.
fn key(finding: &Finding) -> impl Ord + '_ {
    let Finding { object, owner, field, value, fix, hint, rule, state, message, location, target } =
        finding;
    let place = location.as_ref().map(|place| {
        let excerpt = place
            .excerpt
            .as_ref()
            .map(|excerpt| (&excerpt.text, excerpt.marked.start, excerpt.marked.end));
        (&place.file, place.line, place.column, excerpt)
    });
    ((state, owner, object, field), (target, rule, value, fix), (hint, message, place))
}

/// Ids of findings for links; the same finding has the same one in every report.
pub(crate) fn ids(findings: &[&Finding]) -> Vec<String> {
    let mut seen: BTreeMap<u64, u64> = BTreeMap::new();
    findings
        .iter()
        .map(|finding| {
            let object = &finding.object;
            let mut hash = Fnv::default();
            for text in [
                &object.api_version,
                &object.kind,
                &object.namespace,
                &object.name,
                &finding.field,
                &finding.rule,
                &finding.target,
                &finding.message,
            ] {
                hash.add(text);
            }
            let times = seen.entry(hash.0).or_default();
            *times += 1;
            match *times {
                1 => format!("{:012x}", hash.0 & 0xffff_ffff_ffff),
                more => format!("{:012x}-{more}", hash.0 & 0xffff_ffff_ffff),
            }
        })
        .collect()
}

/// FNV-1a; ids need no more.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    fn add(&mut self, text: &str) {
        for byte in text.bytes().chain([0xff]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// Texts, each once.
#[derive(Default)]
struct Texts<'r> {
    numbers: BTreeMap<&'r str, usize>,
    all: Vec<&'r str>,
}

impl<'r> Texts<'r> {
    fn number(&mut self, text: &'r str) -> usize {
        let all = &mut self.all;
        *self.numbers.entry(text).or_insert_with(|| {
            all.push(text);
            all.len() - 1
        })
    }

    /// The number of a text, or -1 if there is none.
    fn optional(&mut self, text: Option<&'r str>) -> i64 {
        text.map_or(-1, |text| i64::try_from(self.number(text)).unwrap_or(-1))
    }
}

/// Appends the data block as JSON.
pub(crate) fn push_data(out: &mut String, report: &Report) {
    let findings = sorted(report);
    let mut texts = Texts::default();
    let mut objects: BTreeMap<&ObjectRef, usize> = BTreeMap::new();
    let mut owners: BTreeMap<&Owner, usize> = BTreeMap::new();
    let (mut object_rows, mut owner_rows) = (String::new(), String::new());
    let mut rows = String::new();
    for (finding, id) in findings.iter().zip(ids(&findings)) {
        let object = &finding.object;
        let next = objects.len();
        let object_number = *objects.entry(object).or_insert(next);
        if object_number == next {
            let comma = if next > 0 { ",\n" } else { "" };
            let _ = write!(
                object_rows,
                "{comma}[{},{},{},{}]",
                texts.number(&object.api_version),
                texts.number(&object.kind),
                texts.number(&object.namespace),
                texts.number(&object.name)
            );
        }
        let next = owners.len();
        let owner_number = *owners.entry(&finding.owner).or_insert(next);
        if owner_number == next {
            let comma = if next > 0 { ",\n" } else { "" };
            let title = texts.number(finding.owner.kind.title());
            let _ = write!(owner_rows, "{comma}[{title},{}]", texts.number(&finding.owner.name));
        }
        let comma = if rows.is_empty() { "" } else { ",\n" };
        let _ = write!(
            rows,
            "{comma}[\"{id}\",{object_number},{owner_number},{},{},{},{},{},{},{},{}",
            texts.number(&finding.field),
            texts.optional(finding.value.as_deref()),
            texts.optional(finding.fix.as_deref()),
            texts.optional(finding.hint.as_deref()),
            texts.number(&finding.rule),
            finding.state as usize,
            texts.number(&finding.message),
            texts.number(&finding.target),
        );
        if let Some(place) = &finding.location {
            let _ = write!(rows, ",{},{},{}", texts.number(&place.file), place.line, place.column);
            if let Some(excerpt) = &place.excerpt {
                let (start, end) = (excerpt.marked.start, excerpt.marked.end);
                let _ = write!(
                    rows,
                    ",{},{},{}",
                    texts.number(&excerpt.text),
                    utf16_offset(&excerpt.text, start),
                    utf16_offset(&excerpt.text, end)
                );
            }
        }
        rows.push(']');
    }
    out.push_str("{\"subject\":");
    push_json(out, subject(report.subject));
    out.push_str(",\n\"states\":[");
    for (at, state) in State::ALL.into_iter().enumerate() {
        push_texts(out, at > 0, &[state.as_str(), state.title(), state.meaning()]);
    }
    out.push_str("],\n\"rules\":[");
    let mut rules: Vec<_> = report.rules.iter().collect();
    rules.sort();
    rules.dedup_by(|a, b| a.id == b.id);
    for (at, rule) in rules.into_iter().enumerate() {
        push_texts(out, at > 0, &[&rule.id, &rule.title, &rule.demands, &rule.fix]);
    }
    out.push_str("],\n\"texts\":[");
    for (at, text) in texts.all.iter().enumerate() {
        if at > 0 {
            out.push_str(",\n");
        }
        push_json(out, text);
    }
    for (name, part) in [("objects", object_rows), ("owners", owner_rows), ("findings", rows)] {
        let _ = write!(out, "],\n\"{name}\":[{part}");
    }
    out.push_str("]}");
}

fn push_texts(out: &mut String, follows: bool, texts: &[&str]) {
    out.push_str(if follows { ",\n[" } else { "[" });
    for (at, text) in texts.iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        push_json(out, text);
    }
    out.push(']');
}

/// The name of a subject in the data.
pub(crate) fn subject(subject: Subject) -> &'static str {
    match subject {
        Subject::Cluster => "cluster",
        Subject::Manifests => "manifests",
        Subject::Kubelets => "kubelets",
    }
}

/// An offset in bytes as the script counts: in units of UTF-16.
fn utf16_offset(text: &str, bytes: usize) -> usize {
    text.char_indices().take_while(|(at, _)| *at < bytes).map(|(_, c)| c.len_utf16()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn equal_findings_get_different_ids_and_any_order_the_same_bytes() {
        let one = Finding { field: "a".into(), ..Finding::default() };
        let two = Finding { field: "b".into(), ..Finding::default() };
        let report = |findings| Report { findings, ..Report::default() };
        let of = |report: &Report| {
            let mut out = String::new();
            push_data(&mut out, report);
            out
        };
        let first = report(vec![one.clone(), two.clone(), one.clone()]);
        let second = report(vec![two, one.clone(), one]);
        assert_eq!(of(&first), of(&second));
        let mut all = ids(&sorted(&first));
        all.dedup();
        assert_eq!(all.len(), 3, "{all:?}");
    }

    #[test]
    fn offsets_count_units_of_utf16() {
        assert_eq!(utf16_offset("é😀x", 2), 1);
        assert_eq!(utf16_offset("é😀x", 6), 3);
        assert_eq!(utf16_offset("é", 99), 1);
    }
}
