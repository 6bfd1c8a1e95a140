//! Pruning of defaults: whether it would take something away.

use crate::structural::Structural;
use crate::value::deep_equal;
use ratchet_object::Node;

/// Whether a default of a schema has fields that are not specified.
pub(super) fn has_unpruned(schema: &Structural) -> bool {
    let own = schema.default.as_deref().is_some_and(|default| is_unpruned(schema, default));
    own || schema.items().is_some_and(has_unpruned)
        || schema.additional_properties().is_some_and(has_unpruned)
        || schema.properties().any(|(_, property)| has_unpruned(property))
}

/// Whether a default has fields that its schema does not specify.
pub(super) fn is_unpruned(schema: &Structural, default: &Node<'static>) -> bool {
    let mut pruned = default.clone();
    schema.prune_as(&mut pruned, schema.embedded_resource);
    !deep_equal(&pruned, default)
}
