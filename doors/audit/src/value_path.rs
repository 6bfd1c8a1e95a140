//! Places of values: from the span or the path of a field error to the stored value, its JSON pointer and its steps.

use crate::managed_fields::Segment;
use ratchet_object::{Node, Span, Value};

/// A stored value and the way to it.
pub(crate) struct ValuePath<'a> {
    pub(crate) steps: Vec<Segment<'a>>,
    pub(crate) text: Option<String>,
}

impl<'a> ValuePath<'a> {
    /// The value at a span or, if nothing stands there, at a path as the API server writes it.
    pub(crate) fn find(object: &'a Node<'_>, span: Span, field: &str) -> Option<Self> {
        let mut steps = Vec::new();
        let node = match at_span(object, span, &mut steps) {
            Some(node) => node,
            None => {
                steps.clear();
                at_path(object, field, &mut steps)?
            }
        };
        Some(Self { steps, text: node.text().map(str::to_owned) })
    }

    /// The JSON pointer (RFC 6901).
    pub(crate) fn pointer(&self) -> String {
        pointer(&self.steps)
    }
}

/// The JSON pointer of steps.
pub(crate) fn pointer(steps: &[Segment<'_>]) -> String {
    let mut out = String::new();
    for step in steps {
        out.push('/');
        match step {
            Segment::Member(name) => out.push_str(&name.replace('~', "~0").replace('/', "~1")),
            Segment::Item(index) => out.push_str(&index.to_string()),
        }
    }
    out
}

/// The path of steps as the API server writes it.
pub(crate) fn field(steps: &[Segment<'_>]) -> String {
    let mut out = String::new();
    for step in steps {
        match step {
            Segment::Member(name) if out.is_empty() => out.push_str(name),
            Segment::Member(name) => {
                out.push('.');
                out.push_str(name);
            }
            Segment::Item(index) => out.push_str(&format!("[{index}]")),
        }
    }
    out
}

/// The value at a JSON pointer.
pub(crate) fn at_pointer<'a, 't>(object: &'a Node<'t>, pointer: &str) -> Option<&'a Node<'t>> {
    pointer.split('/').skip(1).try_fold(object, |node, step| match &node.value {
        Value::List(items) => items.get(step.parse::<usize>().ok()?),
        _ => node.get(&step.replace("~1", "/").replace("~0", "~")),
    })
}

/// The steps of a JSON pointer, as far as there are values.
pub(crate) fn steps_of<'a>(object: &'a Node<'_>, pointer: &str) -> Vec<Segment<'a>> {
    let mut steps = Vec::new();
    let mut node = object;
    for step in pointer.split('/').skip(1) {
        let next = match &node.value {
            Value::List(items) => step.parse().ok().and_then(|index: usize| {
                steps.push(Segment::Item(index));
                items.get(index)
            }),
            _ => {
                let name = step.replace("~1", "/").replace("~0", "~");
                let entry = node.entries().iter().find(|entry| entry.key == name.as_str());
                entry.map(|entry| {
                    steps.push(Segment::Member(&entry.key));
                    &entry.node
                })
            }
        };
        let Some(next) = next else { break };
        node = next;
    }
    steps
}

fn at_span<'a, 't>(
    node: &'a Node<'t>,
    span: Span,
    steps: &mut Vec<Segment<'a>>,
) -> Option<&'a Node<'t>> {
    if span.start >= span.end {
        return None;
    }
    if node.span == span {
        return Some(node);
    }
    let holds = |inner: &Node<'_>| inner.span.start <= span.start && span.end <= inner.span.end;
    for entry in node.entries().iter().filter(|entry| holds(&entry.node)) {
        steps.push(Segment::Member(&entry.key));
        if let Some(found) = at_span(&entry.node, span, steps) {
            return Some(found);
        }
        steps.pop();
    }
    for (index, item) in node.items().iter().enumerate().filter(|(_, item)| holds(item)) {
        steps.push(Segment::Item(index));
        if let Some(found) = at_span(item, span, steps) {
            return Some(found);
        }
        steps.pop();
    }
    None
}

fn at_path<'a, 't>(
    object: &'a Node<'t>,
    field: &str,
    steps: &mut Vec<Segment<'a>>,
) -> Option<&'a Node<'t>> {
    let mut node = object;
    for part in field.split('.').filter(|part| !part.is_empty()) {
        let (name, indexes) = part.split_once('[').map_or((part, ""), |(name, rest)| (name, rest));
        if !name.is_empty() {
            let entry = node.entries().iter().find(|entry| entry.key == name)?;
            steps.push(Segment::Member(&entry.key));
            node = &entry.node;
        }
        for index in indexes.split('[').filter(|text| !text.is_empty()) {
            let index: usize = index.trim_end_matches(']').parse().ok()?;
            steps.push(Segment::Item(index));
            node = node.items().get(index)?;
        }
    }
    (!steps.is_empty()).then_some(node)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    #[test]
    fn a_value_is_found_by_span_and_by_path() {
        let text = r#"{"spec": {"a/b": ["x", "10.0.0.01"], "other": "10.0.0.01"}}"#;
        let object = decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
        let span = object.get("spec").unwrap().get("a/b").unwrap().items()[1].span;
        let place = ValuePath::find(&object, span, "").unwrap();
        assert_eq!(
            (place.pointer().as_str(), place.text.as_deref()),
            ("/spec/a~1b/1", Some("10.0.0.01"))
        );
        assert_eq!(at_pointer(&object, "/spec/a~1b/1").and_then(Node::text), Some("10.0.0.01"));
        let place = ValuePath::find(&object, Span::default(), "spec.other").unwrap();
        assert_eq!(place.pointer(), "/spec/other");
        assert!(ValuePath::find(&object, Span::default(), "spec.absent[0]").is_none());
        assert!(ValuePath::find(&object, Span::default(), "").is_none());
    }
}
