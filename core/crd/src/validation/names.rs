//! Validation of names.

use crate::errors::{ErrorList, quoted};
use crate::names::label_faults;
use crate::path::Path;
use ratchet_object::Node;

/// Checks `names` or `acceptedNames`; empty names are checked elsewhere.
pub(super) fn validate(names: &Node<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let span = names.span;
    let text = |name: &str| names.text_at(&[name]);
    for name in ["plural", "singular"] {
        if !text(name).is_empty()
            && let Some(faults) = label_faults(text(name))
        {
            errors.invalid(&path.child(name), span, quoted(text(name)), faults);
        }
    }
    for name in ["kind", "listKind"] {
        if !text(name).is_empty()
            && let Some(faults) = label_faults(&text(name).to_lowercase())
        {
            let detail =
                alloc::format!("may have mixed case, but should otherwise match: {faults}");
            errors.invalid(&path.child(name), span, quoted(text(name)), detail);
        }
    }
    each(names, "shortNames", path, errors);
    if !text("kind").is_empty() && text("kind") == text("listKind") {
        let detail = "kind and listKind may not be the same";
        errors.invalid(&path.child("listKind"), span, quoted(text("listKind")), detail);
    }
    each(names, "categories", path, errors);
}

fn each(names: &Node<'_>, list: &str, path: &Path<'_>, errors: &mut ErrorList) {
    let path = path.child(list);
    let items = names.get(list).map(Node::items).unwrap_or_default();
    for (index, item) in items.iter().enumerate() {
        let text = item.text().unwrap_or_default();
        if let Some(faults) = label_faults(text) {
            errors.invalid(&path.index(index), item.span, quoted(text), faults);
        }
    }
}
