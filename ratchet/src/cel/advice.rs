//! Advice on wrong expressions: likely intended names, and alternatives to what is absent.

use super::input::EvaluationInput;
use ratchet_cel::library::{LIBRARIES, Signature};
use ratchet_cel::{EvalError, EvalErrorKind, Issues};
use ratchet_object::Node;
use std::collections::BTreeSet;

/// The variables of every policy.
const VARIABLES: [&str; 7] =
    ["object", "oldObject", "request", "params", "namespaceObject", "authorizer", "variables"];

/// Functions and macros of the language itself, besides the libraries.
const BUILT_IN: [&str; 38] = [
    "all",
    "bool",
    "bytes",
    "contains",
    "double",
    "duration",
    "dyn",
    "endsWith",
    "exists",
    "exists_one",
    "filter",
    "getDate",
    "getDayOfMonth",
    "getDayOfWeek",
    "getDayOfYear",
    "getFullYear",
    "getHours",
    "getMilliseconds",
    "getMinutes",
    "getMonth",
    "getSeconds",
    "has",
    "hasValue",
    "int",
    "map",
    "matches",
    "optFlatMap",
    "optMap",
    "optional.none",
    "optional.of",
    "orValue",
    "size",
    "startsWith",
    "string",
    "timestamp",
    "type",
    "uint",
    "value",
];

/// Operators and literals of other languages, with their CEL counterpart.
const FOREIGN: [(&str, &str); 5] =
    [(" and ", "&&"), (" or ", "||"), (" not ", "!"), ("None", "null"), ("nil", "null")];

/// The names that an expression may use.
pub(super) struct Advice {
    version: (u32, u32),
    /// Names of all fields in the expression's input.
    fields: BTreeSet<String>,
    variables: Vec<String>,
}

impl Advice {
    pub(super) fn new(version: (u32, u32), input: &EvaluationInput) -> Self {
        let mut fields = BTreeSet::new();
        for tree in input.trees() {
            gather(tree, &mut fields);
        }
        Self { version, fields, variables: Vec::new() }
    }

    /// Adds a declared variable.
    pub(super) fn variable(&mut self, name: &str) {
        self.variables.push(name.to_owned());
    }

    /// Lines of advice on an expression that does not compile.
    pub(super) fn on_issues(&self, issues: &Issues) -> Vec<String> {
        let mut lines = Vec::new();
        for issue in &issues.issues {
            let line = self.on_issue(&issue.message, &issues.source);
            lines.extend(line.filter(|line| !lines.contains(line)));
        }
        lines
    }

    fn on_issue(&self, message: &str, source: &str) -> Option<String> {
        if let Some(name) = quoted_after(message, "undeclared reference to '") {
            return self.on_name(name);
        }
        if let Some(name) = quoted_after(message, "undefined field '") {
            let known = self.fields.iter().chain(&self.variables).map(String::as_str);
            return nearest(name, known).map(|meant| format!("did you mean `{meant}`?"));
        }
        if let Some(name) = quoted_after(message, "found no matching overload for '") {
            return Some(self.on_overload(name));
        }
        if message.starts_with("expected type '") && message.contains("but found") {
            return Some(
                "what stands in one list or map must be of one type: wrap them in dyn()".into(),
            );
        }
        if message.contains("Syntax error") || message.contains("token recognition error") {
            let without_comparisons =
                source.replace("==", "").replace("!=", "").replace("<=", "").replace(">=", "");
            if without_comparisons.contains('=') {
                return Some("two values are compared with `==`".into());
            }
            let foreign = FOREIGN.iter().find(|(foreign, _)| source.contains(foreign));
            return foreign
                .map(|(foreign, here)| format!("for `{}` write `{here}`", foreign.trim()));
        }
        None
    }

    /// Advice on an unknown name.
    fn on_name(&self, name: &str) -> Option<String> {
        if self.variables.iter().any(|known| known == name) {
            return Some(format!("write `variables.{name}`"));
        }
        let since = LIBRARIES.iter().filter(|library| library.since > self.version);
        let mut later = since.filter(|library| names_of(library).any(|known| known == name));
        if let Some(library) = later.next() {
            let (major, minor) = library.since;
            return Some(format!("`{name}` is there since Kubernetes {major}.{minor}"));
        }
        if self.fields.contains(name) {
            return Some(format!(
                "`{name}` is a field: write what it belongs to, as in `object.{name}`"
            ));
        }
        let known: Vec<String> = LIBRARIES
            .iter()
            .filter(|one| one.since <= self.version)
            .flat_map(|one| names_of(one))
            .collect();
        let known = known.iter().map(String::as_str);
        let all = VARIABLES.iter().chain(&BUILT_IN).copied().chain(known);
        nearest(name, all).map(|meant| format!("did you mean `{meant}`?"))
    }

    /// Advice on a function with the wrong arguments.
    fn on_overload(&self, name: &str) -> String {
        let libraries = LIBRARIES.iter().filter(|library| library.since <= self.version);
        let rows = libraries.flat_map(|library| library.overloads.iter());
        let own: Vec<&str> = rows
            .filter(|row| Signature::parse(row.signature).is_some_and(|own| own.name == name))
            .map(|row| row.signature.strip_prefix("fn ").unwrap_or(row.signature))
            .collect();
        // Operators have internal names that nobody writes.
        if own.is_empty() || name.starts_with(['_', '@', '!', '-']) {
            return "the types do not fit: convert with int(), double(), string() or dyn()".into();
        }
        format!("it is called so: {}", own.join(", "))
    }

    /// Lines of advice on an expression that fails.
    pub(super) fn on_error(&self, error: &EvalError) -> Vec<String> {
        let message = error.message.as_str();
        if error.kind == EvalErrorKind::OverBudget {
            return vec![
                "look at less: bound lists and texts, and do not nest all(), exists() or map()"
                    .into(),
            ];
        }
        if message.contains("authorizer") {
            return vec![
                "nobody knows here who may do what: a policy that asks is tried on a server".into(),
            ];
        }
        if let Some((_, key)) = message.rsplit_once("no such key: ") {
            let known = self.fields.iter().map(String::as_str).filter(|known| *known != key);
            let mut lines: Vec<String> = Vec::new();
            lines.extend(nearest(key, known).map(|meant| format!("did you mean `{meant}`?")));
            lines.push(format!(
                "what may be absent is asked for with `has(….{key})`, or read with `….?{key}.orValue(…)`"
            ));
            return lines;
        }
        if message.contains("no such overload") {
            return vec!["a value is of another type than the expression needs, or null: `type(…)` tells its type".into()];
        }
        Vec::new()
    }
}

fn names_of(library: &ratchet_cel::library::Library) -> impl Iterator<Item = String> {
    let rows = library.overloads.iter();
    let names: BTreeSet<String> =
        rows.filter_map(|row| Signature::parse(row.signature)).map(|own| own.name).collect();
    names.into_iter()
}

fn gather(node: &Node<'_>, names: &mut BTreeSet<String>) {
    for entry in node.entries() {
        names.insert(entry.key.clone().into_owned());
        gather(&entry.node, names);
    }
    for item in node.items() {
        gather(item, names);
    }
}

/// The text between `mark` and the next quote.
fn quoted_after<'m>(message: &'m str, mark: &str) -> Option<&'m str> {
    let (_, rest) = message.split_once(mark)?;
    rest.split_once('\'').map(|(name, _)| name)
}

/// The known name nearest to a misspelled one.
fn nearest<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let allowed = (name.chars().count() / 3).clamp(1, 3);
    let candidates = known.map(|one| (distance(&name.to_lowercase(), &one.to_lowercase()), one));
    candidates.filter(|(distance, _)| *distance <= allowed).min().map(|(_, one)| one)
}

/// The Levenshtein distance of two words.
fn distance(one: &str, other: &str) -> usize {
    let chars: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=chars.len()).collect();
    for (index, c) in one.chars().enumerate() {
        let mut next = vec![index + 1];
        for (column, (wanted, window)) in chars.iter().zip(row.windows(2)).enumerate() {
            let (diagonal, above) = (window.first().copied(), window.last().copied());
            let left = next.get(column).copied().unwrap_or(usize::MAX - 1);
            let changed = diagonal.unwrap_or(0) + usize::from(*wanted != c);
            next.push(changed.min(above.unwrap_or(0) + 1).min(left + 1));
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_differ_are_counted() {
        for (one, other, expected) in
            [("", "", 0), ("a", "", 1), ("replcas", "replicas", 1), ("abc", "cba", 2)]
        {
            assert_eq!(distance(one, other), expected, "{one} {other}");
            assert_eq!(distance(other, one), expected, "{other} {one}");
        }
        assert_eq!(nearest("startWith", BUILT_IN.iter().copied()), Some("startsWith"));
        assert_eq!(nearest("frobnicate", BUILT_IN.iter().copied()), None);
    }

    #[test]
    fn quoted_names_are_found() {
        let message = "undeclared reference to 'nope' (in container '')";
        assert_eq!(quoted_after(message, "undeclared reference to '"), Some("nope"));
        assert_eq!(quoted_after(message, "undefined field '"), None);
    }
}
