//! Field selectors of a resource: which fields its objects can be selected by, and whether an object has them.

use super::ServedResource;
use super::custom::Defined;
use crate::storage::cache::{FieldValues, IndexedField, Item, index_of};
use ratchet_object::selector::FieldSelector;
use std::sync::Arc;

impl ServedResource {
    /// Checks that objects can be selected by these fields; the error is the API server's (400).
    pub(crate) fn check_fields(&self, fields: &FieldSelector) -> Result<(), String> {
        // Most requests select nothing, and need not know what could be selected.
        if fields.is_everything() {
            return Ok(());
        }
        let row = self.row();
        let Some(defined) = self.defined() else {
            return fields.check(row.group, row.version, row.kind);
        };
        let strategy = defined.strategy();
        let terms = fields.terms().iter().map(|term| term.field.as_str());
        let named: Vec<&str> = terms.filter(|field| strategy.is_selectable(field)).collect();
        fields.check_custom(strategy.namespaced, &named)
    }

    /// Whether a stored object has these fields.
    pub(crate) fn has_fields(&self, fields: &FieldSelector, item: &Arc<Item>) -> bool {
        let stored = self.stored();
        match self.defined() {
            _ if fields.is_everything() => true,
            Some(defined) => self.has_defined_fields(defined, fields, item),
            None => item.has_fields(fields, stored.group, stored.kind),
        }
    }

    /// The field by which its objects are indexed.
    pub(crate) fn indexed_field(&self) -> Option<&'static IndexedField> {
        index_of(&self.storage)
    }

    /// Whether an object has fields that the version of a definition names.
    fn has_defined_fields(
        &self,
        defined: &Defined,
        fields: &FieldSelector,
        item: &Arc<Item>,
    ) -> bool {
        item.has_named_fields(fields, defined.serial(), || {
            // An object that cannot be shown cannot be selected either.
            let node = self.serve_local(item).ok()?.node();
            let named = defined.strategy().selectable_fields(&node);
            Some(FieldValues::of_names(defined.serial(), named))
        })
    }
}
