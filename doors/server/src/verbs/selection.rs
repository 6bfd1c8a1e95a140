//! `Selection`: the label and field selectors of a list or watch.

use crate::app::resource_request::ResourceRequest;
use crate::registry::ServedResource;
use crate::request::ResourcePath;
use crate::status::StatusError;
use crate::storage::cache::{Item, Scope};
use crate::storage::convert;
use ratchet_object::selector::{FieldSelector, FieldTerm, LabelSelector};
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

    /// Whether objects must be converted before they are selected: a webhook may give them other labels and fields.
    pub(crate) fn reads_converted(&self, resource: &ServedResource) -> bool {
        let is_in_key = |term: &FieldTerm| term.field.starts_with("metadata.");
        let is_by_key = self.labels.is_everything() && self.fields.terms().iter().all(is_in_key);
        !is_by_key && resource.has_conversion_webhook()
    }

    /// Converts objects, and leaves those that match then.
    pub(crate) async fn select_converted(
        &self,
        resource: &ServedResource,
        items: Vec<Arc<Item>>,
    ) -> Result<Vec<Arc<Item>>, StatusError> {
        let mut served = resource.serve(items).await?;
        served.retain(|item| self.matches(resource, item));
        Ok(served)
    }

    /// The part of a resource that path and selectors leave.
    pub(crate) fn scope(&self, resource: &ServedResource, path: &ResourcePath) -> Scope {
        let is_namespaced = resource.row().namespaced;
        let namespace = match path.namespace.as_str() {
            _ if !is_namespaced => "",
            "" => self.fields.exact("metadata.namespace").unwrap_or_default(),
            namespace => namespace,
        };
        // What is no namespace selects nothing, but is no part of a key either.
        let namespace = if namespace.contains('/') { "" } else { namespace };
        let name = Some(path.name.as_str()).filter(|name| !name.is_empty());
        let prefix = if namespace.is_empty() { String::new() } else { format!("{namespace}/") };
        let indexed = resource.indexed_field().and_then(|row| self.fields.exact(row.field));
        match (name.or_else(|| self.fields.exact("metadata.name")), indexed) {
            (Some(name), _) if name.contains('/') || name.is_empty() => Scope::Prefix { prefix },
            (Some(name), _) if is_namespaced && prefix.is_empty() => {
                Scope::Name { name: name.to_owned() }
            }
            (Some(name), _) => Scope::Object { key: format!("{prefix}{name}") },
            (None, Some(value)) => Scope::Index { value: value.to_owned(), prefix },
            (None, None) => Scope::Prefix { prefix },
        }
    }

    /// Whether an object matches.
    pub(crate) fn matches(&self, resource: &ServedResource, item: &Arc<Item>) -> bool {
        (self.labels.is_everything() || item.has_labels(&self.labels))
            && resource.has_fields(&self.fields, item)
    }
}
