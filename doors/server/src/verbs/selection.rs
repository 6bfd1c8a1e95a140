//! `Selection`: the label and field selectors of a list or watch.

use crate::app::resource_request::ResourceRequest;
use crate::registry::ServedResource;
use crate::status::StatusError;
use crate::storage::cache::Item;
use crate::storage::convert;
use ratchet_crd::Strategy;
use ratchet_object::selector::{FieldSelector, FieldTerm, LabelSelector};
use std::borrow::Cow;
use std::sync::Arc;

/// The selectors of a list or watch.
pub(crate) struct Selection {
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Selection {
    /// Parses the selectors of a query.
    pub(crate) fn parse(request: &ResourceRequest<'_>) -> Result<Self, StatusError> {
        let labels = LabelSelector::parse(request.params.text("labelSelector"));
        let labels = labels.map_err(|why| StatusError::bad_request(why.to_string()))?;
        let fields = FieldSelector::parse(request.params.text("fieldSelector"));
        let fields = fields.map_err(|why| StatusError::bad_request(why.to_string()))?;
        let row = request.resource.row();
        let custom = request.resource.object_type();
        let custom = if fields.is_everything() { None } else { custom.custom() };
        let checked = match custom {
            Some((_, strategy)) => check_custom(&fields, strategy),
            None => fields.check(row.group, row.version, row.kind),
        };
        checked.map_err(|why| StatusError::bad_request(why.to_string()))?;
        // Objects are selected as they are stored, which another version may name differently.
        let fields = fields.renamed(|name| convert::stored_field(name, row.group, row.kind));
        Ok(Self { labels, fields })
    }

    /// Whether every object matches.
    pub(crate) fn is_everything(&self) -> bool {
        self.labels.is_everything() && self.fields.is_everything()
    }

    /// Whether an object matches.
    pub(crate) fn matches(&self, resource: &ServedResource, item: &Arc<Item>) -> bool {
        let row = resource.stored();
        (self.labels.is_everything() || item.has_labels(&self.labels))
            && (self.fields.is_everything()
                || match resource.object_type().custom() {
                    Some((_, strategy)) => self.matches_custom(resource, strategy, item),
                    None => item.has_fields(&self.fields, row.group, row.kind),
                })
    }

    /// Whether the fields of a custom object match, which its version may name.
    fn matches_custom(
        &self,
        resource: &ServedResource,
        strategy: &Strategy,
        item: &Arc<Item>,
    ) -> bool {
        let is_in_key = |term: &FieldTerm| term.field.starts_with("metadata.");
        if self.fields.terms().iter().all(is_in_key) {
            return item.has_fields(&self.fields, "", "");
        }
        // An object that cannot be shown cannot be selected either.
        let Ok(served) = resource.serve_local(item) else { return false };
        let node = served.node();
        let named: Vec<(&str, String)> = strategy.selectable_fields(&node).collect();
        self.fields.matches_by(|field| match field {
            "metadata.name" => Cow::Borrowed(node.text_at(&["metadata", "name"])),
            "metadata.namespace" => Cow::Borrowed(node.text_at(&["metadata", "namespace"])),
            field => {
                let found = named.iter().find(|(name, _)| *name == field);
                found.map_or(Cow::Borrowed(""), |(_, value)| Cow::Borrowed(value.as_str()))
            }
        })
    }
}

/// Checks that a custom resource supports these fields.
fn check_custom(fields: &FieldSelector, strategy: &Strategy) -> Result<(), String> {
    let terms = fields.terms().iter().map(|term| term.field.as_str());
    let named: Vec<&str> = terms.filter(|field| strategy.is_selectable(field)).collect();
    fields.check_custom(strategy.namespaced, &named)
}
