//! Field selectors: terms such as `metadata.name=x`, all of which must match.

use super::selectable::{SelectableField, selectable, unsupported_field};
use crate::Node;
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Terms on fields. No terms match everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSelector {
    terms: Vec<FieldTerm>,
}

/// One term on one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldTerm {
    /// The name of the field.
    pub field: String,
    /// The operator.
    pub op: FieldOp,
    /// The value, unescaped.
    pub value: String,
}

/// The operators of field selectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldOp {
    /// `=` or `==`.
    Equals,
    /// `!=`.
    NotEquals,
}

/// The longer operator is tried first.
const OPERATORS: [(&str, FieldOp); 3] =
    [("!=", FieldOp::NotEquals), ("==", FieldOp::Equals), ("=", FieldOp::Equals)];

impl FieldSelector {
    /// Parses a selector; the error is the API server's message.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut parts = split(text);
        parts.sort_unstable();
        let mut terms = Vec::new();
        for part in parts.into_iter().filter(|part| !part.is_empty()) {
            let Some((field, op, value)) = split_term(part) else {
                return Err(format!("invalid selector: '{text}'; can't understand '{part}'"));
            };
            terms.push(FieldTerm { field: field.into(), op, value: unescape(value)? });
        }
        Ok(Self { terms })
    }

    /// The selector with other names of the fields, such as those of the version in which objects are stored.
    #[must_use]
    pub fn renamed(mut self, rename: impl Fn(&str) -> Option<String>) -> Self {
        for term in &mut self.terms {
            if let Some(name) = rename(&term.field) {
                term.field = name;
            }
        }
        self
    }

    /// The terms, in text order.
    #[must_use]
    pub fn terms(&self) -> &[FieldTerm] {
        &self.terms
    }

    /// Whether every object matches.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.terms.is_empty()
    }

    /// The value that a field must have, if a term requires one.
    #[must_use]
    pub fn exact(&self, field: &str) -> Option<&str> {
        let is_exact = |term: &&FieldTerm| term.field == field && term.op == FieldOp::Equals;
        self.terms.iter().find(is_exact).map(|term| term.value.as_str())
    }

    /// Checks that a built-in kind supports these fields; the error is the API server's (400).
    pub fn check(&self, group: &str, version: &str, kind: &str) -> Result<(), String> {
        let fields = selectable(group, kind);
        let is_known = |term: &&FieldTerm| fields.iter().any(|field| field.key == term.field);
        match self.terms.iter().find(|term| !is_known(term)) {
            None => Ok(()),
            Some(term) => Err(unsupported_field(group, version, kind, &term.field)),
        }
    }

    /// Checks that a custom resource supports these fields; `extra` are the selectable fields of its
    /// definition, without the leading dot.
    pub fn check_custom(&self, namespaced: bool, extra: &[&str]) -> Result<(), String> {
        let is_known = |term: &&FieldTerm| match term.field.as_str() {
            "metadata.name" => true,
            "metadata.namespace" => namespaced,
            other => extra.contains(&other),
        };
        match self.terms.iter().find(|term| !is_known(term)) {
            None => Ok(()),
            Some(term) => Err(format!("field label not supported: {}", term.field)),
        }
    }

    /// Whether an object matches all terms; a field that is not among `fields` is the empty string.
    #[must_use]
    pub fn matches(&self, object: &Node<'_>, fields: &[SelectableField]) -> bool {
        self.matches_by(|name| {
            let field = fields.iter().find(|field| field.key == name);
            field.map_or(Cow::Borrowed(""), |field| field.source.value(object))
        })
    }

    /// Whether the fields that `value_of` returns match all terms.
    pub fn matches_by<'v>(&self, value_of: impl Fn(&str) -> Cow<'v, str>) -> bool {
        self.terms.iter().all(|term| {
            let is_same = value_of(&term.field) == term.value;
            is_same == (term.op == FieldOp::Equals)
        })
    }
}

/// Formats the selector in the syntax that is parsed.
impl fmt::Display for FieldSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut before = "";
        for FieldTerm { field, op, value } in &self.terms {
            let op = if *op == FieldOp::Equals { "=" } else { "!=" };
            write!(f, "{before}{field}{op}")?;
            for letter in value.chars() {
                f.write_str(if matches!(letter, '\\' | ',' | '=') { "\\" } else { "" })?;
                write!(f, "{letter}")?;
            }
            before = ",";
        }
        Ok(())
    }
}

/// The terms between commas; an escaped comma does not separate.
fn split(text: &str) -> Vec<&str> {
    let mut in_escape = false;
    let is_end = |letter: char| {
        let was_escaped = core::mem::take(&mut in_escape);
        in_escape = !was_escaped && letter == '\\';
        !was_escaped && letter == ','
    };
    text.split(is_end).collect()
}

fn split_term(part: &str) -> Option<(&str, FieldOp, &str)> {
    part.char_indices().find_map(|(at, _)| {
        let (field, rest) = part.split_at_checked(at)?;
        OPERATORS.iter().find_map(|(symbol, op)| Some((field, *op, rest.strip_prefix(symbol)?)))
    })
}

fn unescape(value: &str) -> Result<String, String> {
    let mut out = String::with_capacity(value.len());
    let mut letters = value.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some(escaped @ ('\\' | ',' | '=')) => out.push(escaped),
                other => {
                    let other = other.map(String::from).unwrap_or_default();
                    return Err(format!(
                        "invalid field selector: invalid escape sequence: \\{other}"
                    ));
                }
            },
            ',' | '=' => {
                let code = u32::from(letter);
                return Err(format!(
                    "invalid field selector: unescaped character in value: {code}"
                ));
            }
            plain => out.push(plain),
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, decode};
    use alloc::format;
    use alloc::string::ToString;
    use proptest::prelude::*;

    #[test]
    fn selectors_are_read() {
        for (text, formatted) in [
            ("", ""),
            (",,", ""),
            ("b!=2,a=1", "a=1,b!=2"),
            ("a==1", "a=1"),
            ("a=", "a="),
            ("=", "="),
            (r"a=b\,c\=d\\", r"a=b\,c\=d\\"),
            ("a!b=c", "a!b=c"),
        ] {
            let result = FieldSelector::parse(text).map(|selector| selector.to_string());
            assert_eq!(result.as_deref(), Ok(formatted), "{text}");
        }
        let escaped = FieldSelector::parse(r"a=b\,c").unwrap();
        assert_eq!(escaped.exact("a"), Some("b,c"));
        assert_eq!(FieldSelector::parse("a!=b").unwrap().exact("a"), None);
    }

    #[test]
    fn what_is_no_selector_is_refused_in_the_apis_words() {
        for (text, error) in [
            (
                "metadata.name>1",
                "invalid selector: 'metadata.name>1'; can't understand 'metadata.name>1'",
            ),
            ("a=1,b", "invalid selector: 'a=1,b'; can't understand 'b'"),
            (r"a=\x", r"invalid field selector: invalid escape sequence: \x"),
            (r"a=\", r"invalid field selector: invalid escape sequence: \"),
            ("a=b=c", "invalid field selector: unescaped character in value: 61"),
        ] {
            assert_eq!(FieldSelector::parse(text), Err(error.into()), "{text}");
        }
    }

    #[test]
    fn unknown_fields_are_refused_in_the_words_of_the_kind() {
        let check = |text: &str, group: &str, version: &str, kind: &str| {
            FieldSelector::parse(text).unwrap().check(group, version, kind)
        };
        assert_eq!(check("metadata.name=x,spec.host=n,status.podIPs=", "", "v1", "Pod"), Ok(()));
        assert_eq!(check("foo=x", "", "v1", "Pod"), Err("field label not supported: foo".into()));
        assert_eq!(
            check("metadata.namespace=x", "", "v1", "Node"),
            Err("field label not supported: metadata.namespace".into())
        );
        assert_eq!(
            check("foo=x", "batch", "v1", "Job"),
            Err("field label \"foo\" not supported for Job".into())
        );
        assert_eq!(
            check("foo=x", "resource.k8s.io", "v1", "ResourceSlice"),
            Err("field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: foo".into())
        );
        assert_eq!(
            check("foo=x", "apps", "v1", "Deployment"),
            Err("\"foo\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"".into())
        );
        assert_eq!(check("regarding.name=x", "events.k8s.io", "v1", "Event"), Ok(()));
        assert!(check("involvedObject.name=x", "events.k8s.io", "v1", "Event").is_err());
        let custom = FieldSelector::parse("spec.color=x").unwrap();
        assert!(custom.check_custom(true, &["spec.color"]).is_ok());
        assert_eq!(
            custom.check_custom(true, &[]),
            Err("field label not supported: spec.color".into())
        );
        let namespace_term = FieldSelector::parse("metadata.namespace=x").unwrap();
        assert!(
            namespace_term.check_custom(true, &[]).is_ok()
                && namespace_term.check_custom(false, &[]).is_err()
        );
    }

    #[test]
    fn objects_are_matched() {
        let holds = |text: &str, group: &str, kind: &str, object: &str| {
            let object = decode(object, Limits::DEFAULT).unwrap().documents.remove(0);
            FieldSelector::parse(text).unwrap().matches(&object, selectable(group, kind))
        };
        let pod = "{metadata: {name: p}, spec: {nodeName: m, serviceAccount: s}, status: {podIPs: [{ip: 1.2.3.4}]}}";
        for text in [
            "",
            "metadata.name=p",
            "spec.nodeName=m",
            "spec.host=m",
            "spec.nodeName!=",
            "spec.hostNetwork=false",
            "spec.serviceAccountName=s",
            "status.podIP=1.2.3.4",
            "status.phase=",
            "status.podIPs!=1.2.3.4",
        ] {
            assert!(holds(text, "", "Pod", pod), "{text}");
        }
        for text in
            ["metadata.name=q", "spec.nodeName=", "spec.hostNetwork=true", "status.phase=Running"]
        {
            assert!(!holds(text, "", "Pod", pod), "{text}");
        }
        assert!(holds("spec.unschedulable=true", "", "Node", "{spec: {unschedulable: true}}"));
        assert!(holds("status.successful=0", "batch", "Job", "{spec: {}}"));
        assert!(holds("status.successful=2", "batch", "Job", "{status: {succeeded: 2}}"));
        assert!(holds("source=a", "", "Event", "{source: {component: a}, reportingComponent: b}"));
        assert!(holds("source=b", "", "Event", "{source: {}, reportingComponent: b}"));
        assert!(holds("type=Opaque", "", "Secret", "{type: Opaque}"));
    }

    proptest! {
        #[test]
        fn anything_is_read_or_refused(text in r"[ab!=,\\é]{0,12}") {
            if let Ok(selector) = FieldSelector::parse(&text) {
                let formatted = selector.to_string();
                let again = FieldSelector::parse(&formatted).unwrap();
                prop_assert_eq!(again.terms().len(), selector.terms().len());
                // A field with a backslash before a comma cannot be expressed.
                if !text.contains('\\') {
                    // Terms are in text order, and a text may be spelled in two ways.
                    let sorted = |selector: &FieldSelector| {
                        let mut terms: Vec<String> =
                            selector.terms().iter().map(|term| format!("{term:?}")).collect();
                        terms.sort();
                        terms
                    };
                    prop_assert_eq!(sorted(&again), sorted(&selector));
                }
            }
        }
    }
}
