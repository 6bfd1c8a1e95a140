//! Kinds as files define them: built-in ones, those of CustomResourceDefinitions, and guesses for the rest.

use super::PolicySet;
use crate::definitions::CustomKind;
use ratchet_object::{GroupVersionKind, Node, Scope, find};

impl PolicySet {
    /// Whether a kind is namespaced; `None` for an unknown kind.
    pub(crate) fn is_namespaced(&self, kind: &GroupVersionKind<'_>) -> Option<bool> {
        let api_version = api_version(kind);
        if let Some(row) = find(&api_version, kind.kind) {
            return Some(row.scope == Scope::Namespaced);
        }
        if let Some(custom) = self.custom(kind.group, kind.kind) {
            return Some(custom.namespaced);
        }
        let mut own = self.parameters.iter().filter(|node| is_of(node, kind)).peekable();
        own.peek()?;
        Some(own.any(|node| !node.text_at(&["metadata", "namespace"]).is_empty()))
    }

    /// The resource name of a kind; guessed if no file defines the kind.
    pub(crate) fn plural(&self, kind: &GroupVersionKind<'_>) -> String {
        if let Some(row) = find(&api_version(kind), kind.kind) {
            return row.plural.to_owned();
        }
        let custom = self.custom(kind.group, kind.kind).map(|row| row.plural.clone());
        custom.unwrap_or_else(|| plural_of(kind.kind))
    }

    /// A custom kind, if a file defines it.
    pub(crate) fn custom(&self, group: &str, kind: &str) -> Option<&CustomKind> {
        self.custom_kinds.iter().find(|row| row.group == group && row.kind == kind)
    }
}

fn api_version(kind: &GroupVersionKind<'_>) -> String {
    match kind.group {
        "" => kind.version.to_owned(),
        group => format!("{group}/{}", kind.version),
    }
}

/// Whether an object is of a kind.
pub(crate) fn is_of(node: &Node<'_>, kind: &GroupVersionKind<'_>) -> bool {
    kind_of(node) == *kind
}

/// The resource name of a custom kind, guessed as kubectl guesses it.
pub fn plural_of(kind: &str) -> String {
    let kind = kind.to_lowercase();
    match kind.strip_suffix('y') {
        Some(stem) => format!("{stem}ies"),
        None if kind.ends_with('s') => format!("{kind}es"),
        None => format!("{kind}s"),
    }
}

/// The kind that an object names.
pub(super) fn kind_of<'n>(node: &'n Node<'_>) -> GroupVersionKind<'n> {
    GroupVersionKind::from_api_version(node.text_at(&["apiVersion"]), node.text_at(&["kind"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_guessed_as_kubectl_guesses_them() {
        for (kind, plural) in [("Widget", "widgets"), ("Policy", "policies"), ("Glass", "glasses")]
        {
            assert_eq!(plural_of(kind), plural);
        }
    }
}
