//! Discovery and OpenAPI documents, built once and served with `ETag`s.

use crate::app::compute::{Compute, Lazy};
use crate::registry::Resources;
use arc_swap::ArcSwap;
use bytes::Bytes;
use http::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use ratchet_catalog::discovery::{self, Root};
use ratchet_catalog::{Resource, openapi};
use ratchet_http::{Body, empty, full};
use ratchet_object::patch::merge_rule;
use std::sync::{Arc, OnceLock};

/// Discovery and OpenAPI documents, as of the last change of the served resources.
#[derive(Default)]
pub(crate) struct Documents(ArcSwap<DocumentSet>);

/// The documents of one generation of served resources, each built when it is first asked for.
#[derive(Default)]
struct DocumentSet {
    generation: u64,
    core: Lazy<Arc<HashedDocument>>,
    groups: Lazy<Arc<HashedDocument>>,
    v2: Lazy<Arc<HashedDocument>>,
    v2_protobuf: Lazy<Arc<HashedDocument>>,
    v3: OnceLock<Vec<Version>>,
}

/// What documents are built from, and where.
#[derive(Clone)]
pub(crate) struct DocumentSource<'a> {
    /// The served resources.
    pub(crate) served: Arc<Resources>,
    /// The scheduler of CPU-bound work.
    pub(crate) compute: &'a Compute,
}

/// A group version and its OpenAPI v3 document.
struct Version {
    group: String,
    version: String,
    path: String,
    document: Lazy<Arc<HashedDocument>>,
}

/// A document and its hash.
pub(crate) struct HashedDocument {
    bytes: Bytes,
    pub(crate) hash: String,
}

impl HashedDocument {
    /// Hashes a document.
    pub(crate) fn of(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        let hash = discovery::hash(&bytes);
        Self { bytes, hash }
    }

    /// The document, or 304 if `If-None-Match` names its hash.
    pub(crate) fn answer(&self, content_type: &'static str, headers: &HeaderMap) -> Response<Body> {
        let tag = format!("\"{}\"", self.hash);
        let not_modified = matches_tag(headers, &tag);
        let body = if not_modified { empty() } else { full(self.bytes.clone()) };
        let mut response = Response::new(body);
        if not_modified {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            headers.insert(ETAG, tag);
        }
        headers.insert(VARY, HeaderValue::from_static("Accept"));
        response
    }
}

/// Whether `If-None-Match` contains the tag.
fn matches_tag(headers: &HeaderMap, tag: &str) -> bool {
    let lists = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = lists.flat_map(|list| list.split(',')).map(str::trim);
    tags.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

fn merge(type_id: &str, field: &str) -> Option<(&'static str, &'static str)> {
    merge_rule(type_id, field).map(|rule| (rule.strategy, rule.key))
}

const RULES: Option<openapi::MergeRules<'static>> = Some(&merge);

impl DocumentSource<'_> {
    /// Builds something from the catalog rows.
    fn of_rows<R>(&self, make: impl FnOnce(&[&Resource<'_>]) -> R) -> R {
        let rows = self.served.rows();
        make(&rows.iter().collect::<Vec<_>>())
    }

    /// Builds a document from the catalog rows.
    fn document<B: Into<Bytes>>(
        &self,
        make: impl FnOnce(&[&Resource<'_>]) -> B,
    ) -> Arc<HashedDocument> {
        Arc::new(HashedDocument::of(self.of_rows(make)))
    }
}

impl Documents {
    /// The documents of the resources that are served now.
    fn of(&self, source: &DocumentSource<'_>) -> Arc<DocumentSet> {
        let known = self.0.load_full();
        let generation = source.served.generation();
        if known.generation == generation {
            return known;
        }
        let new = Arc::new(DocumentSet { generation, ..DocumentSet::default() });
        self.0.store(new.clone());
        new
    }

    /// Aggregated discovery.
    pub(crate) async fn aggregated(
        &self,
        source: DocumentSource<'_>,
        root: Root,
    ) -> Arc<HashedDocument> {
        let set = self.of(&source);
        let document = match root {
            Root::Core => &set.core,
            Root::Groups => &set.groups,
        };
        let make = || source.document(|rows| discovery::aggregated(rows, root));
        document.get(source.compute, make).await.clone()
    }

    /// OpenAPI v2 in JSON.
    pub(crate) async fn v2(&self, source: DocumentSource<'_>) -> Arc<HashedDocument> {
        let make = || source.document(|rows| openapi::v2(rows, RULES));
        self.of(&source).v2.get(source.compute, make).await.clone()
    }

    /// OpenAPI v2 in protobuf.
    pub(crate) async fn v2_protobuf(&self, source: DocumentSource<'_>) -> Arc<HashedDocument> {
        let make = || source.document(|rows| openapi::v2_proto(rows, RULES));
        self.of(&source).v2_protobuf.get(source.compute, make).await.clone()
    }

    /// OpenAPI v3 of one group version; none if it is not served.
    pub(crate) async fn v3(
        &self,
        source: DocumentSource<'_>,
        path: &str,
    ) -> Option<Arc<HashedDocument>> {
        let set = self.of(&source);
        let version = set.versions(&source).iter().find(|version| version.path == path)?;
        Some(version.document(&source).await).filter(|document| !document.bytes.is_empty())
    }

    /// The index of all OpenAPI v3 documents, with their hashes.
    pub(crate) async fn v3_index(&self, source: DocumentSource<'_>) -> String {
        let mut all = Vec::new();
        let set = self.of(&source);
        for version in set.versions(&source) {
            let document = version.document(&source).await;
            if !document.bytes.is_empty() {
                all.push((version.path.as_str(), document.hash.clone()));
            }
        }
        openapi::v3_index(all.iter().map(|(path, hash)| (*path, hash.as_str())))
    }
}

impl DocumentSet {
    fn versions(&self, source: &DocumentSource<'_>) -> &[Version] {
        self.v3.get_or_init(|| {
            let version = |(group, version): (&str, &str)| Version {
                group: group.to_owned(),
                version: version.to_owned(),
                path: openapi::v3_path(group, version),
                document: Lazy::default(),
            };
            source
                .of_rows(|rows| discovery::group_versions(rows).into_iter().map(version).collect())
        })
    }
}

impl Version {
    async fn document(&self, source: &DocumentSource<'_>) -> Arc<HashedDocument> {
        let make = || {
            source.document(|rows| {
                openapi::v3(rows, &self.group, &self.version, RULES).unwrap_or_default()
            })
        };
        self.document.get(source.compute, make).await.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_already_is_not_sent_again() {
        let document = HashedDocument::of("{}");
        let first = document.answer("application/json", &HeaderMap::new());
        assert_eq!(first.status(), StatusCode::OK);
        let tag = first.headers().get(ETAG).unwrap().to_str().unwrap().to_owned();
        for (known, code) in [
            (tag.clone(), 304),
            (format!("\"x\", {tag}"), 304),
            (format!("W/{tag}"), 304),
            ("*".to_owned(), 304),
            ("\"x\"".to_owned(), 200),
            (tag.replace('"', ""), 200),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(IF_NONE_MATCH, HeaderValue::from_str(&known).unwrap());
            let again = document.answer("application/json", &headers);
            assert_eq!(again.status().as_u16(), code, "{known}");
            assert_eq!(again.headers().get(ETAG).unwrap().to_str().unwrap(), tag);
        }
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, HeaderValue::from_str(&tag).unwrap());
        assert_eq!(
            HashedDocument::of("[]").answer("application/json", &headers).status(),
            StatusCode::OK
        );
    }
}
