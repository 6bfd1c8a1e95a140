//! Validation of ControllerRevisions: their data is an object, and does not change.

use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, format_node};
use crate::rules::immutable;
use ratchet_object::{Node, Value};

/// Validates a ControllerRevision.
pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    let data = root.field("data");
    let mut errs = FieldErrors::new(ctx, verdict);
    errs.not_negative(&root.field("revision"));
    let Some(old) = ctx.change.old_root() else {
        return match data.node().map(|node| &node.value) {
            None => errs.required(&data, "data is mandatory"),
            Some(Value::Map(_)) => {}
            Some(_) => errs.required(&data, "data must be a valid JSON object"),
        };
    };
    // The reference compares texts: the order of members counts.
    let text = |node: Option<&Node<'_>>| node.map(Node::to_json);
    if text(data.node()) != text(old.field("data").node()) {
        let formatted = text(data.node()).unwrap_or_else(|| format_node(None));
        immutable::changed(&data, formatted, errs.verdict);
    }
}
