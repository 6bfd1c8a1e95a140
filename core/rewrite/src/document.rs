//! The rewrite of one document: candidates, decisions, replacements, and the proof of them all together.

use crate::candidate::Candidate;
use crate::decide::{Choices, Decision, decide};
use crate::edits::{Edit, ObjectRef, RefusedEdit, SourceKind};
use crate::proof::{self, Replacements, denotes_same};
use crate::reason::Reason;
use crate::template::{Masked, is_placeholder};
use crate::token::{self, Replacement};
use crate::{fields, values};
use alloc::borrow::ToOwned;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::rc::Rc;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_object::{Decoded, Limits, LineColumn, Node, Value, decode};

/// Manifests in files may be larger than what the API takes at once: lists are.
const LIMITS: Limits = Limits { bytes: 256 << 20, depth: Limits::DEFAULT.depth, nodes: 1 << 24 };

/// What becomes of a document.
pub(crate) enum DocumentEdits {
    /// It cannot be parsed.
    Unreadable { message: String, offset: usize },
    /// It is passed over on purpose.
    Skipped(String),
    /// Edits that were proven, each with its offset, and values that stay.
    Proven {
        edits: Vec<(Replacement, usize, Edit)>,
        refused: Vec<(usize, RefusedEdit)>,
        excepted: usize,
    },
}

/// Positions are set by the caller, who knows the file.
const NOWHERE: LineColumn = LineColumn { line: 0, column: 0 };

/// A value with its decision, before the proof.
struct Planned<'n> {
    candidates: Vec<Candidate<'n>>,
    new: String,
    ways: Vec<Replacement>,
}

/// Rewrites a document.
pub(crate) fn rewrite(text: &str, source: SourceKind, choices: &Choices) -> DocumentEdits {
    let nothing = DocumentEdits::Proven { edits: Vec::new(), refused: Vec::new(), excepted: 0 };
    if text.trim().is_empty() {
        return nothing;
    }
    let mut masked = None;
    let decoded = match decode(text, LIMITS) {
        Ok(decoded) => decoded,
        Err(error) => {
            masked = Masked::of(text);
            let Some(masked) = &masked else {
                let (message, offset) = (error.message, error.offset as usize);
                return DocumentEdits::Unreadable { message, offset };
            };
            match decode(&masked.text, LIMITS) {
                Ok(decoded) => decoded,
                Err(_) => {
                    let why = "a template whose text around its actions is not YAML";
                    return DocumentEdits::Skipped(why.to_owned());
                }
            }
        }
    };
    let mut candidates = Vec::new();
    for node in &decoded.documents {
        if fields::is_object(node) {
            fields::collect(node, &mut candidates);
        } else if values::is_json_patch(node) {
            values::collect_json_patch(node, &mut candidates);
        } else if source == SourceKind::Values {
            values::collect(node, &[], ObjectRef::default(), &mut candidates);
        }
    }
    let is_literal = |candidate: &Candidate<'_>| {
        let (start, end) = (candidate.span.start as usize, candidate.span.end as usize);
        !is_placeholder(candidate.text)
            && masked.as_ref().is_none_or(|masked| !masked.overlaps(start, end))
    };
    candidates.retain(is_literal);
    if candidates.is_empty() {
        return nothing;
    }
    Document { text, decoded: &decoded, is_template: masked.is_some(), choices }.rewrite(candidates)
}

struct Document<'d, 'n> {
    text: &'d str,
    decoded: &'d Decoded<'n>,
    is_template: bool,
    choices: &'d Choices,
}

impl Document<'_, '_> {
    fn rewrite(&self, candidates: Vec<Candidate<'_>>) -> DocumentEdits {
        let mut refused = Vec::new();
        let mut excepted = 0;
        let mut planned: Vec<Planned<'_>> = Vec::new();
        let mut by_place: BTreeMap<(u32, u32), Vec<Candidate<'_>>> = BTreeMap::new();
        let mut taken = Taken::new(&candidates, self.choices);
        for candidate in candidates {
            by_place.entry(proof::key(candidate.span)).or_default().push(candidate);
        }
        for candidates in by_place.into_values() {
            match self.plan(&candidates, &mut taken) {
                Ok(None) => {}
                Ok(Some(_)) if candidates.iter().any(|one| one.exceptions.cover(one.rule())) => {
                    excepted += 1;
                }
                Ok(Some((new, ways))) => planned.push(Planned { candidates, new, ways }),
                Err(reason) => {
                    let Some(first) = candidates.first() else { continue };
                    match first.exceptions.cover(first.rule()) {
                        true => excepted += 1,
                        false => refused.push(refuse(first, reason)),
                    }
                }
            }
        }
        let edits = self.prove(planned, &mut refused);
        refused.sort_by_key(|(at, _)| *at);
        DocumentEdits::Proven { edits, refused, excepted }
    }

    /// The new text of a value and the ways to write it; none if it stays as it is.
    fn plan(
        &self,
        candidates: &[Candidate<'_>],
        taken: &mut Taken,
    ) -> Result<Option<(String, Vec<Replacement>)>, Reason> {
        let Some(first) = candidates.first() else { return Ok(None) };
        let new = match decision(first, self.choices) {
            Decision::Unchanged => return Ok(None),
            Decision::Refused(Reason::Unreadable { .. }) if !first.is_api_field => return Ok(None),
            Decision::Refused(Reason::Unreadable { .. }) if first.text.contains('\n') => {
                return Err(Reason::SeveralLines);
            }
            Decision::Refused(reason) => return Err(reason),
            Decision::Rewrite(new) => new,
        };
        let wanted = Decision::Rewrite(new.clone());
        let other = candidates.iter().find(|other| decision(other, self.choices) != wanted);
        if let Some(other) = other {
            return Err(Reason::Shared { field: other.field.clone() });
        }
        if let Some(field) = self.other_use(candidates) {
            return Err(Reason::Shared { field });
        }
        let same = |one: &Candidate<'_>| denotes_same(one.class, meant(one), &new, self.choices);
        if !candidates.iter().all(same) {
            return Err(Reason::NotEqual);
        }
        let range = first.span.start as usize..first.span.end as usize;
        let ways = token::replacements(self.text, range, first.text, &new);
        if ways.is_empty() {
            return Err(Reason::SeveralLines);
        }
        if candidates.iter().any(|one| !taken.take(one, &new)) {
            return Err(Reason::Duplicate { canonical: new });
        }
        Ok(Some((new, ways)))
    }

    /// A use of an anchored value that is none of the candidates.
    fn other_use(&self, candidates: &[Candidate<'_>]) -> Option<String> {
        if !self.text.contains('*') {
            return None;
        }
        let place = candidates.first().map(|one| proof::key(one.span))?;
        let mut uses = Vec::new();
        for node in &self.decoded.documents {
            find_uses(node, place, &mut String::new(), &mut uses);
        }
        if uses.len() == candidates.len() {
            return None;
        }
        let known: BTreeSet<&str> = candidates.iter().map(|one| one.field.as_str()).collect();
        let is_known = |path: &String| known.iter().any(|field| path.ends_with(field));
        let other = uses.iter().find(|path| !is_known(path)).or(uses.first());
        Some(other.cloned().unwrap_or_default())
    }

    /// The edits that can be proven, all together; the others are refused.
    fn prove(
        &self,
        mut planned: Vec<Planned<'_>>,
        refused: &mut Vec<(usize, RefusedEdit)>,
    ) -> Vec<(Replacement, usize, Edit)> {
        if planned.is_empty() {
            return Vec::new();
        }
        if !self.holds(&planned.iter().collect::<Vec<_>>()) {
            let mut proven: Vec<Planned<'_>> = Vec::new();
            for mut one in planned {
                let ways = one.ways.len();
                while !one.ways.is_empty() && !self.holds(&[&one]) {
                    one.ways.remove(0);
                }
                match one.ways.is_empty() {
                    true if ways > 0 => {
                        refused.extend(
                            one.candidates.first().map(|first| refuse(first, Reason::OtherChanges)),
                        );
                    }
                    _ => proven.push(one),
                }
            }
            if !self.holds(&proven.iter().collect::<Vec<_>>()) {
                let reasons = proven.iter().filter_map(|one| one.candidates.first());
                refused.extend(reasons.map(|first| refuse(first, Reason::OtherChanges)));
                proven.clear();
            }
            planned = proven;
        }
        planned.into_iter().filter_map(edit).collect()
    }

    /// Whether the document with these edits, each in its first way, differs in their values alone.
    fn holds(&self, planned: &[&Planned<'_>]) -> bool {
        let mut replacements = Vec::new();
        let mut expected = Replacements::new();
        for one in planned {
            let (Some(first), Some(way)) = (one.candidates.first(), one.ways.first()) else {
                return false;
            };
            replacements.push(way.clone());
            expected.insert(proof::key(first.span), (first.text, &one.new));
        }
        let new = token::apply(self.text, &replacements);
        let new = match self.is_template {
            true => Masked::of(&new).map(|masked| masked.text).unwrap_or_default(),
            false => new,
        };
        let decoded = decode(&new, LIMITS);
        decoded.is_ok_and(|decoded| proof::differ_only_by(self.decoded, &decoded, &expected))
    }
}

/// The values of a list: where each stands and what it is.
type ListValues = Vec<((u32, u32), String)>;

/// The addresses of lists in which each may stand once.
struct Taken {
    lists: BTreeMap<(u32, u32), ListValues>,
}

impl Taken {
    fn new(candidates: &[Candidate<'_>], choices: &Choices) -> Self {
        let mut lists: BTreeMap<(u32, u32), ListValues> = BTreeMap::new();
        for one in candidates.iter().filter(|one| decision(one, choices) == Decision::Unchanged) {
            if let Some(list) = one.unique_in {
                let value = (proof::key(one.span), one.text.to_owned());
                lists.entry(proof::key(list)).or_default().push(value);
            }
        }
        Self { lists }
    }

    /// Whether the canonical form is free in the list of a value; then it is taken.
    fn take(&mut self, one: &Candidate<'_>, new: &str) -> bool {
        let Some(list) = one.unique_in else { return true };
        let place = proof::key(one.span);
        let list = self.lists.entry(proof::key(list)).or_default();
        let is_free = list.iter().all(|(other, text)| text != new || *other == place);
        if is_free {
            list.push((place, new.to_owned()));
        }
        is_free
    }
}

/// The text that the API looks at: it passes over blanks around source ranges.
fn meant<'n>(candidate: &Candidate<'n>) -> &'n str {
    match candidate.field.contains("loadBalancerSourceRanges") {
        true => candidate.text.trim(),
        false => candidate.text,
    }
}

fn decision(candidate: &Candidate<'_>, choices: &Choices) -> Decision {
    decide(candidate.class, meant(candidate), choices)
}

fn refuse(candidate: &Candidate<'_>, reason: Reason) -> (usize, RefusedEdit) {
    let refused = RefusedEdit {
        start: NOWHERE,
        object: Rc::clone(&candidate.object),
        field: candidate.field.clone(),
        rule: candidate.rule(),
        value: candidate.text.to_owned(),
        reason,
    };
    (candidate.span.start as usize, refused)
}

fn edit(planned: Planned<'_>) -> Option<(Replacement, usize, Edit)> {
    let Planned { candidates, new, ways } = planned;
    let first = candidates.first()?;
    let edit = Edit {
        start: NOWHERE,
        object: Rc::clone(&first.object),
        fields: candidates.iter().map(|one| one.field.clone()).collect(),
        rule: first.rule(),
        old: first.text.to_owned(),
        new,
    };
    Some((ways.into_iter().next()?, first.span.start as usize, edit))
}

/// The paths at which the value of a place is used.
fn find_uses(node: &Node<'_>, place: (u32, u32), path: &mut String, uses: &mut Vec<String>) {
    let length = path.len();
    match &node.value {
        Value::List(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push_str(&format!("[{index}]"));
                find_uses(item, place, path, uses);
                path.truncate(length);
            }
        }
        Value::Map(entries) => {
            for entry in entries {
                if length > 0 {
                    path.push('.');
                }
                path.push_str(&entry.key);
                find_uses(&entry.node, place, path, uses);
                path.truncate(length);
            }
        }
        _ if proof::key(node.span) == place => uses.push(path.to_string()),
        _ => {}
    }
}
