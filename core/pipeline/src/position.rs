//! Positions in a file: of fields that are named by their paths, and of values that only defaults brought.

use ratchet_engine::Verdict;
use ratchet_object::{Entry, Node, Object, Span, Value};

/// Gives every error and warning about a defaulted value the position of the nearest value in the file.
pub(crate) fn locate_defaulted(verdict: &mut Verdict, object: &Object<'_>) {
    for error in &mut verdict.errors {
        locate(&mut error.span, &error.field, object.node());
    }
    let labels = verdict.denial.iter_mut().flat_map(|denial| &mut denial.labels);
    let warned = verdict.warnings.iter_mut().flat_map(|warning| &mut warning.labels);
    for label in labels.chain(warned) {
        locate(&mut label.span, &label.field, object.node());
    }
}

fn locate(span: &mut Span, path: &str, root: &Node<'_>) {
    if *span != Span::default() {
        return;
    }
    let mut node = root;
    for step in path.trim_start_matches('.').split(['.', '[']) {
        let next = match step.strip_suffix(']') {
            Some(index) => index.parse::<usize>().ok().and_then(|at| item(node, at)),
            None => node.get(step),
        };
        match next {
            Some(next) if next.span != Span::default() => node = next,
            _ => break,
        }
    }
    *span = Span { start: node.span.start, end: node.span.start };
}

fn item<'n, 't>(node: &'n Node<'t>, at: usize) -> Option<&'n Node<'t>> {
    match &node.value {
        Value::List(items) => items.get(at),
        _ => None,
    }
}

/// The position of the key that a path names, such as `spec.ports[0].port`. Of keys with dots the longest counts.
pub(crate) fn key_span(root: &Node<'_>, path: &str) -> Option<Span> {
    let (mut node, mut rest, mut found) = (root, path, None);
    while !rest.is_empty() {
        if let Some(index) = rest.strip_prefix('[') {
            let (index, after) = index.split_once(']')?;
            node = item(node, index.parse().ok()?)?;
            (found, rest) = (Some(node.span), after);
        } else {
            rest = rest.strip_prefix('.').unwrap_or(rest);
            let is_next = |entry: &&Entry<'_>| {
                let after = rest.strip_prefix(&*entry.key);
                after.is_some_and(|after| after.is_empty() || after.starts_with(['.', '[']))
            };
            let entry =
                node.entries().iter().filter(is_next).max_by_key(|entry| entry.key.len())?;
            (node, found) = (&entry.node, Some(entry.key_span));
            rest = rest.get(entry.key.len()..)?;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn tree(text: &str) -> Node<'_> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0)
    }

    #[test]
    fn a_value_without_a_position_gets_that_of_the_nearest() {
        let text = "spec:\n  ports: [{port: 80}]\n";
        let mut root = tree(text);
        let ports = root.find_mut(&["spec", "ports"]).unwrap();
        ports.items_mut().unwrap()[0].set("protocol", Node::string("TCP"));
        let mut span = Span::default();
        locate(&mut span, "spec.ports[0].protocol", &root);
        assert_eq!(span.start as usize, text.find("{port").unwrap());
        let mut span = Span::default();
        locate(&mut span, ".spec.replicas", &root);
        assert_eq!(span.start as usize, text.find("ports").unwrap());
        let mut known = Span { start: 3, end: 4 };
        locate(&mut known, "spec", &root);
        assert_eq!(known.start, 3);
    }

    #[test]
    fn keys_are_found_by_their_paths() {
        let text = "{spec: {a.b: {c: 1}, a: {b: 2}, l: [{x: 1}, {w: 2}]}, '': {'': 3}}";
        let root = tree(text);
        let found = |path: &str| {
            key_span(&root, path).and_then(|span| text.get(span.start as usize..span.end as usize))
        };
        assert_eq!(found("spec"), Some("spec"));
        assert_eq!(found("spec.a.b.c"), Some("c"));
        assert_eq!(found("spec.l[1].w"), Some("w"));
        assert_eq!(found("spec.l[1]"), Some("{w: 2}"));
        for absent in ["", "spec.z", "spec.l[2]", "spec.l[x]", "spec.l[", "spec..", "[0]"] {
            assert_eq!(found(absent), None, "{absent}");
        }
        assert_eq!(found("."), Some("''"));
    }
}
