//! `GroupVersionDocuments`: what is published of one group version.

use super::recent::RecentDocuments;
use super::{HashedDocument, Parts, RULES};
use crate::app::compute::{Compute, Lazy};
use crate::registry::ServedResource;
use crate::storage::cache::Item;
use ratchet_catalog::openapi::{self, CustomSchemas, Published};
use ratchet_catalog::{Resource, TERMINATING_VERBS, discovery};
use ratchet_crd::{OpenApi, PublishedSchemas};
use std::sync::Arc;

/// What documents of a resource are built from.
pub(super) struct SourceResource {
    pub(super) resource: Arc<ServedResource>,
    /// Its definition; none if it is built in.
    pub(super) definition: Option<Arc<Item>>,
    /// Whether its definition is being deleted.
    pub(super) is_terminating: bool,
}

impl SourceResource {
    /// The catalog row, without what cannot be done any more.
    fn row(&self) -> Resource<'_> {
        let row = self.resource.row();
        match self.is_terminating {
            true => Resource { verbs: TERMINATING_VERBS, ..row },
            false => row,
        }
    }

    /// Built-in resources stand first, in the order of the table; the others are sorted by name.
    pub(super) fn order(&self) -> Option<String> {
        let row = self.resource.row();
        row.is_defined().then(|| row.plural.to_owned())
    }
}

/// Discovery and OpenAPI of one group version, each built when it is first asked for.
pub(super) struct GroupVersionDocuments {
    pub(super) group: String,
    pub(super) version: String,
    /// The path of the OpenAPI v3 document.
    pub(super) path: String,
    resources: Vec<SourceResource>,
    discovery: Lazy<String>,
    v2: Lazy<Parts>,
    v2_protobuf: Lazy<Parts>,
    /// The OpenAPI v3 document, if all resources are built in. Those of a thousand definitions would take much memory:
    /// of these only the recent ones are kept, apart from here.
    v3: Lazy<Arc<HashedDocument>>,
    v3_hash: Lazy<String>,
    /// One makes the document while others wait for it.
    making: tokio::sync::Mutex<()>,
}

impl GroupVersionDocuments {
    pub(super) fn new(group: &str, version: &str, resources: Vec<SourceResource>) -> Self {
        Self {
            group: group.to_owned(),
            version: version.to_owned(),
            path: openapi::v3_path(group, version),
            resources,
            discovery: Lazy::default(),
            v2: Lazy::default(),
            v2_protobuf: Lazy::default(),
            v3: Lazy::default(),
            v3_hash: Lazy::default(),
            making: tokio::sync::Mutex::default(),
        }
    }

    /// Whether these resources are those that the documents are about.
    pub(super) fn is_about(&self, resources: &[SourceResource]) -> bool {
        let is_same = |(one, other): (&SourceResource, &SourceResource)| {
            let revision = |of: &SourceResource| of.definition.as_ref().map(|item| item.revision);
            // Somebody may ask after a definition was written and before its resources are replaced.
            revision(one) == revision(other) && Arc::ptr_eq(&one.resource, &other.resource)
        };
        self.resources.len() == resources.len() && self.resources.iter().zip(resources).all(is_same)
    }

    /// The catalog rows.
    pub(super) fn rows(&self) -> impl Iterator<Item = Resource<'_>> {
        self.resources.iter().map(SourceResource::row)
    }

    /// Whether a resource is defined at run time.
    pub(super) fn has_custom(&self) -> bool {
        self.rows().any(|row| row.is_defined())
    }

    /// The version in aggregated discovery.
    pub(super) async fn discovery(&self, compute: &Compute) -> &str {
        let make = || {
            let rows: Vec<_> = self.rows().collect();
            discovery::aggregated_version(&self.version, &rows.iter().collect::<Vec<_>>())
        };
        self.discovery.get(compute, make).await
    }

    /// What the defined resources add to OpenAPI v2 in JSON.
    pub(super) async fn v2(&self, compute: &Compute) -> &Parts {
        let make = || {
            let published = self.custom(OpenApi::V2);
            let openapi::V2Parts { paths, definitions } =
                openapi::v2_parts(&borrowed(&published), RULES);
            Parts::of(paths, definitions)
        };
        self.v2.get(compute, make).await
    }

    /// The same in protobuf.
    pub(super) async fn v2_protobuf(&self, compute: &Compute) -> &Parts {
        let make = || {
            let published = self.custom(OpenApi::V2);
            let parts = openapi::v2_proto_parts(&borrowed(&published), RULES);
            Parts::of(parts.paths, parts.definitions)
        };
        self.v2_protobuf.get(compute, make).await
    }

    /// The OpenAPI v3 document; `recent` are those of custom resources that were asked for lately.
    pub(super) async fn v3(
        self: &Arc<Self>,
        compute: &Compute,
        recent: &RecentDocuments,
    ) -> Arc<HashedDocument> {
        if !self.has_custom() {
            return self.v3.get(compute, || self.make_v3()).await.clone();
        }
        if let Some(document) = recent.get(self) {
            return document;
        }
        let _making = self.making.lock().await;
        if let Some(document) = recent.get(self) {
            return document;
        }
        let document = compute.run(|| self.make_v3()).await;
        self.v3_hash.get(compute, || document.hash.clone()).await;
        recent.put(self, &document);
        document
    }

    /// The hash of the OpenAPI v3 document, if it is known without making the document.
    pub(super) fn known_v3_hash(&self) -> Option<&str> {
        self.v3_hash.known().map(String::as_str)
    }

    /// The hash of the OpenAPI v3 document.
    pub(super) async fn v3_hash(&self, compute: &Compute) -> String {
        if !self.has_custom() {
            return self.v3.get(compute, || self.make_v3()).await.hash.clone();
        }
        self.v3_hash.get(compute, || self.make_v3().hash.clone()).await.clone()
    }

    fn make_v3(&self) -> Arc<HashedDocument> {
        let published: Vec<_> = self.resources.iter().map(|of| publish(of, OpenApi::V3)).collect();
        Arc::new(HashedDocument::of(openapi::v3(&borrowed(&published), RULES)))
    }

    fn custom(&self, open_api: OpenApi) -> Vec<(Resource<'_>, Option<CustomSchemas>)> {
        let custom = self.resources.iter().filter(|of| of.resource.row().is_defined());
        let published = custom.map(|of| publish(of, open_api));
        // A definition that has just gone publishes nothing.
        published.filter(|(_, schemas)| schemas.is_some()).collect()
    }
}

/// A resource and its schemas, if it is defined at run time.
fn publish<'s>(of: &'s SourceResource, open_api: OpenApi) -> (Resource<'s>, Option<CustomSchemas>) {
    let row = of.resource.row();
    if !row.is_defined() {
        return (row, None);
    }
    let schemas = of.definition.as_ref().and_then(|definition| {
        definition.read(|node| PublishedSchemas::of(node, row.version, open_api))
    });
    let schemas = schemas.map(|PublishedSchemas { object, list_name, list, .. }| CustomSchemas {
        object,
        list_id: list_name,
        list,
    });
    (row, schemas)
}

fn borrowed<'r, 'k>(
    published: &'r [(Resource<'k>, Option<CustomSchemas>)],
) -> Vec<Published<'r, 'k>> {
    let of = |(resource, schemas): &'r (Resource<'k>, Option<CustomSchemas>)| Published {
        resource,
        schemas: schemas.as_ref(),
    };
    published.iter().map(of).collect()
}
