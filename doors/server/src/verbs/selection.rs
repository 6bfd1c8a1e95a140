//! `Selection`: the label and field selectors of a list or watch.

use crate::app::resource_request::ResourceRequest;
use crate::registry::ServedResource;
use crate::status::StatusError;
use crate::storage::cache::Item;
use crate::storage::convert;
use ratchet_object::selector::{FieldSelector, LabelSelector};
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
        let checked = request.resource.check_fields(&fields);
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
        (self.labels.is_everything() || item.has_labels(&self.labels))
            && resource.has_fields(&self.fields, item)
    }
}
