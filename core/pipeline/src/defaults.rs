//! Defaults of a decoded object, and positions for findings about values that only defaults brought.

use alloc::string::ToString;
use ratchet_engine::Verdict;
use ratchet_object::{GroupVersionKind, Node, Object, Span, Value, defaults};

/// Applies the defaults of the object's kind, as the API server does before validation.
pub fn with_defaults(object: Object<'_>) -> Object<'_> {
    let (api_version, kind) = (object.api_version().to_string(), object.kind_name().to_string());
    let gvk = GroupVersionKind::from_api_version(&api_version, &kind);
    let mut node = object.into_node();
    defaults::apply(gvk.group, gvk.version, gvk.kind, &mut node);
    Object::new(node)
}

/// Gives every error and warning about a defaulted value the position of the nearest value in the file.
pub fn locate_defaulted(verdict: &mut Verdict, object: &Object<'_>) {
    for error in &mut verdict.errors {
        locate(&mut error.span, &error.field, object);
    }
    let labels = verdict.denial.iter_mut().flat_map(|denial| &mut denial.labels);
    let warned = verdict.warnings.iter_mut().flat_map(|warning| &mut warning.labels);
    for label in labels.chain(warned) {
        locate(&mut label.span, &label.field, object);
    }
}

fn locate(span: &mut Span, path: &str, object: &Object<'_>) {
    if *span != Span::default() {
        return;
    }
    let mut node = object.node();
    for step in path.split(['.', '[']) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    #[test]
    fn defaults_keep_the_positions_of_the_file() {
        let text = "apiVersion: v1\nkind: Service\nspec:\n  ports: [{port: 80}]\n";
        let mut decoded = decode(text, Limits::DEFAULT).unwrap();
        let object = with_defaults(Object::new(decoded.documents.remove(0)));
        let ports = object.node().find(&["spec", "ports"]).unwrap();
        assert_ne!(ports.span, Span::default());
        let protocol = ports.items()[0].get("protocol").unwrap();
        assert_eq!((protocol.text(), protocol.span), (Some("TCP"), Span::default()));
        let mut span = Span::default();
        locate(&mut span, "spec.ports[0].protocol", &object);
        assert_eq!(span.start, ports.items()[0].span.start);
        let mut known = Span { start: 3, end: 4 };
        locate(&mut known, "spec", &object);
        assert_eq!(known.start, 3);
    }
}
