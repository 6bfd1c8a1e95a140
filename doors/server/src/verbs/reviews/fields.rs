//! Fields of a review: typed values, and `ValidationErrors` that name a field.

use ratchet_engine::StatusCause;
use ratchet_object::Node;

/// Validation errors of a review.
#[derive(Default)]
pub(super) struct ValidationErrors(Vec<StatusCause>);

impl ValidationErrors {
    fn add(&mut self, reason: &'static str, field: &str, message: String) {
        self.0.push(StatusCause { reason, message, field: field.into() });
    }

    pub(super) fn invalid(&mut self, field: &str, value: &str, detail: &str) {
        self.add("FieldValueInvalid", field, format!("Invalid value: {value}: {detail}"));
    }

    pub(super) fn required(&mut self, field: &str, detail: &str) {
        self.add("FieldValueRequired", field, format!("Required value: {detail}"));
    }

    pub(super) fn forbidden(&mut self, field: &str, detail: &str) {
        self.add("FieldValueForbidden", field, format!("Forbidden: {detail}"));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn into_causes(self) -> Vec<StatusCause> {
        self.0
    }
}

/// The texts of a list.
pub(super) fn texts(node: Option<&Node<'_>>) -> Vec<String> {
    let items = node.map(Node::items).unwrap_or_default();
    items.iter().filter_map(Node::text).map(str::to_owned).collect()
}

/// The extra values of a user.
pub(super) fn extra_of(node: Option<&Node<'_>>) -> Vec<(String, Vec<String>)> {
    let entries = node.map(Node::entries).unwrap_or_default();
    entries.iter().map(|entry| (entry.key.to_string(), texts(Some(&entry.node)))).collect()
}
