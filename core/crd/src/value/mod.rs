//! Validation of values against schemas, in the words of kube-openapi's validator.

mod correlation;
mod effort;
mod enumeration;
mod finding;
mod number;
mod object;
mod types;

pub(crate) use correlation::{Correlation, MapList, deep_equal};

use crate::errors::ErrorList;
use crate::path::Path;
use crate::structural::{Checks, Structural};
use alloc::vec::Vec;
use effort::{Effort, VALUE, search_work};
use finding::{Code, Finding, Listed};
use ratchet_cel::Regex;
use ratchet_object::{Node, Value};

/// Where values come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The object of a request.
    Request,
    /// The default of a schema: whether a number-or-string is one is not checked there.
    Default,
}

/// Checks a value against a schema. Errors are reported below `prefix`; with a correlation, those at values that did not
/// change are not reported.
pub(crate) fn validate(
    schema: &Structural,
    value: &Node<'_>,
    prefix: &Path<'_>,
    origin: Origin,
    correlation: Option<Correlation<'_>>,
    errors: &mut ErrorList,
) {
    let mut validator = Validator::new(origin);
    validator.value(schema, value, &Path::EMPTY, correlation);
    match validator.effort.is_exhausted() {
        true => errors.forbidden(prefix, value.span, TOO_MUCH_WORK),
        false => finding::report(validator.findings, prefix, errors),
    }
}

/// What is said of an object that is too large for its schema. The reference would check it, however long that takes.
const TOO_MUCH_WORK: &str = "the object takes too much work to validate against its schema";

/// A validation: what was found so far.
struct Validator {
    origin: Origin,
    findings: Vec<Finding>,
    effort: Effort,
}

impl Validator {
    fn new(origin: Origin) -> Self {
        Self { origin, findings: Vec::new(), effort: Effort::default() }
    }

    /// Checks a value; returns how many checks it passed, by which the best of several alternatives is chosen.
    fn value(
        &mut self,
        schema: &Structural,
        node: &Node<'_>,
        path: &Path<'_>,
        correlation: Option<Correlation<'_>>,
    ) -> u32 {
        // One value may meet many alternatives, and one schema many values.
        if !self.effort.spend(VALUE) {
            self.findings.push(Finding::unlisted());
            return 0;
        }
        let (before, room) = (self.findings.len(), self.effort.room());
        let passed = self.checks(schema, node, path, correlation);
        // What did not change may stay as it is.
        if self.findings.len() > before
            && correlation.is_some_and(|correlation| correlation.is_unchanged())
        {
            self.findings.truncate(before);
            self.effort.set_room(room);
        }
        passed
    }

    fn checks(
        &mut self,
        schema: &Structural,
        node: &Node<'_>,
        path: &Path<'_>,
        correlation: Option<Correlation<'_>>,
    ) -> u32 {
        let checks = schema.checks.as_deref();
        let types = self.types(schema);
        if node.is_null() {
            let passed = self.null_type(types, schema, node, path);
            if let Some(checks) = checks {
                self.enumeration(checks, node, path);
            }
            return passed;
        }
        // One for the whole, and one each for junctors and enumerations, which always apply.
        let mut passed = 3;
        let format = checks.map(|checks| &*checks.format_name).unwrap_or_default();
        if !types.is_empty() || !format.is_empty() {
            passed += 1 + self.value_type(types, format, node, path);
        }
        passed += 1;
        if let Some(checks) = checks {
            passed += self.junctors(checks, node, path);
        }
        match &node.value {
            Value::Text(text) => {
                passed += 1;
                if let Some(checks) = checks {
                    self.text(checks, text, node, path);
                    passed += u32::from(checks.format.is_some());
                }
            }
            Value::Int(_) | Value::Float(_) => {
                passed += 2;
                self.number(schema, node, path);
            }
            Value::List(items) => {
                passed += 2 + self.list(schema, items, node, path, correlation);
            }
            _ => {}
        }
        if let Some(checks) = checks {
            self.enumeration(checks, node, path);
        }
        if let Value::Map(entries) = &node.value {
            passed += 1 + self.object(schema, entries, node, path, correlation);
        }
        passed
    }

    fn push(
        &mut self,
        code: Code,
        path: &Path<'_>,
        node: &Node<'_>,
        value: alloc::string::String,
        message: alloc::string::String,
    ) {
        use alloc::string::ToString;
        let name = path.to_string();
        let listed = Listed { code, name, value, message, span: node.span };
        let finding = match self.effort.take_room(listed.size()) {
            true => Finding::listed(listed),
            false => Finding::unlisted(),
        };
        self.findings.push(finding);
    }

    fn text(&mut self, checks: &Checks, text: &str, node: &Node<'_>, path: &Path<'_>) {
        use crate::errors::quoted;
        let length = || i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
        // Of these only the first violation is reported.
        if let Some(most) = checks.max_length.filter(|most| length() > *most) {
            let message = alloc::format!("{path} in body should be at most {most} chars long");
            self.push(Code::TooLong(most), path, node, quoted(text), message);
        } else if let Some(least) = checks.min_length.filter(|least| length() < *least) {
            let message = alloc::format!("{path} in body should be at least {least} chars long");
            self.push(Code::Invalid, path, node, quoted(text), message);
        } else if let Some((pattern, _)) =
            checks.pattern.as_ref().filter(|(_, regex)| !self.matches(regex, text))
        {
            let message = alloc::format!("{path} in body should match '{pattern}'");
            self.push(Code::Invalid, path, node, quoted(text), message);
        }
        if checks.format.is_some_and(|format| !(format.check)(text)) {
            let name = &checks.format_name;
            let message = alloc::format!("{path} in body must be of type {name}: {}", quoted(text));
            self.push(Code::Type, path, node, quoted(text), message);
        }
    }

    /// Whether a text matches; it does not once there was too much work.
    fn matches(&mut self, regex: &Regex, text: &str) -> bool {
        self.effort.spend(search_work(regex.memory_usage(), text.len())) && regex.is_match(text)
    }

    fn list(
        &mut self,
        schema: &Structural,
        items: &[Node<'_>],
        node: &Node<'_>,
        path: &Path<'_>,
        correlation: Option<Correlation<'_>>,
    ) -> u32 {
        let mut passed = 0;
        if let Some(item_schema) = schema.items() {
            let old = correlation.and_then(|correlation| correlation.old_items());
            for (index, item) in items.iter().enumerate() {
                let correlation = old.as_ref().and_then(|old| {
                    Some(Correlation { new: item, old: old.get(item)?, schema: item_schema })
                });
                passed += self.value(item_schema, item, &path.index(index), correlation);
            }
        }
        let Some(checks) = schema.checks.as_deref() else { return passed };
        let count = i64::try_from(items.len()).unwrap_or(i64::MAX);
        let value = || alloc::format!("{count}");
        if let Some(least) = checks.min_items.filter(|least| count < *least) {
            let message = alloc::format!("{path} in body should have at least {least} items");
            self.push(Code::Invalid, path, node, value(), message);
        }
        if let Some(most) = checks.max_items.filter(|most| count > *most) {
            let message = alloc::format!("{path} in body should have at most {most} items");
            self.push(Code::TooMany(most), path, node, value(), message);
        }
        passed
    }

    /// Checks `anyOf`, `oneOf`, `allOf` and `not`.
    fn junctors(&mut self, checks: &Checks, node: &Node<'_>, path: &Path<'_>) -> u32 {
        let mut passed = 0;
        if !checks.any_of.is_empty() {
            let mut best: Option<(u32, Vec<Finding>)> = None;
            let mut has_passed = false;
            for schema in &checks.any_of {
                let (count, findings) = self.alternative(schema, node, path);
                if findings.is_empty() {
                    passed += count;
                    has_passed = true;
                    break;
                }
                if best.as_ref().is_none_or(|(most, _)| count > *most) {
                    best = Some((count, findings));
                }
            }
            if !has_passed {
                self.composite(path, node, "must validate at least one schema (anyOf)");
                passed += self.keep(best);
            }
        }
        if !checks.one_of.is_empty() {
            passed += self.one_of(&checks.one_of, node, path);
        }
        if !checks.all_of.is_empty() {
            let mut valid = 0;
            for schema in &checks.all_of {
                let before = self.findings.len();
                passed += self.value(schema, node, path, None);
                valid += usize::from(self.findings.len() == before);
            }
            if valid == 0 {
                self.composite(path, node, "must validate all the schemas (allOf). None validated");
            } else if valid < checks.all_of.len() {
                self.composite(path, node, "must validate all the schemas (allOf)");
            }
        }
        if let Some(schema) = checks.not.as_deref()
            && self.alternative(schema, node, path).1.is_empty()
        {
            self.composite(path, node, "must not validate the schema (not)");
        }
        passed
    }

    fn one_of(&mut self, schemas: &[Structural], node: &Node<'_>, path: &Path<'_>) -> u32 {
        let mut best: Option<(u32, Vec<Finding>)> = None;
        let mut first = None;
        let mut valid = 0_usize;
        for schema in schemas {
            let (count, findings) = self.alternative(schema, node, path);
            if findings.is_empty() {
                valid += 1;
                best = None;
                first = first.or(Some(count));
            } else if valid == 0 && best.as_ref().is_none_or(|(most, _)| count > *most) {
                best = Some((count, findings));
            }
        }
        match valid {
            1 => return first.unwrap_or_default(),
            0 => {
                let text = "must validate one and only one schema (oneOf). Found none valid";
                self.composite(path, node, text);
            }
            more => {
                let text = alloc::format!(
                    "must validate one and only one schema (oneOf). Found {more} valid alternatives"
                );
                self.composite(path, node, &text);
            }
        }
        self.keep(best)
    }

    /// Checks an alternative apart: how many checks passed, and what was found.
    fn alternative(
        &mut self,
        schema: &Structural,
        node: &Node<'_>,
        path: &Path<'_>,
    ) -> (u32, Vec<Finding>) {
        let (before, room) = (self.findings.len(), self.effort.room());
        let passed = self.value(schema, node, path, None);
        self.effort.set_room(room);
        (passed, self.findings.split_off(before))
    }

    fn keep(&mut self, best: Option<(u32, Vec<Finding>)>) -> u32 {
        let Some((passed, findings)) = best else { return 0 };
        let size = findings.iter().map(Finding::size).sum();
        self.effort.take_room(size);
        self.findings.extend(findings);
        passed
    }

    /// An error about a junctor, which has no field of its own.
    fn composite(&mut self, path: &Path<'_>, node: &Node<'_>, text: &str) {
        use alloc::string::ToString;
        let message = alloc::format!("{} {text}", crate::errors::quoted(&path.to_string()));
        self.push(Code::Composite, path, node, "\"\"".into(), message);
    }
}

#[cfg(test)]
mod hostile_tests;
#[cfg(test)]
mod tests;
