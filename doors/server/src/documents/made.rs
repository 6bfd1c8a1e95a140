//! Documents that are made once and then only sent, or not even that: whoever has them is told so.

use crate::app::App;
use crate::compute::Lazy;
use bytes::Bytes;
use http::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use ratchet_catalog::discovery::{self, Root};
use ratchet_catalog::openapi;
use ratchet_http::{Body, empty, full};
use ratchet_object::patch::merge_rule;
use std::sync::OnceLock;

/// Discovery and OpenAPI. What is served does not change while a server runs.
#[derive(Default)]
pub(crate) struct Documents {
    core: Lazy<Made>,
    groups: Lazy<Made>,
    v2: Lazy<Made>,
    v2_protobuf: Lazy<Made>,
    v3: OnceLock<Vec<Version>>,
}

/// A group and version, and the document about it.
struct Version {
    group: &'static str,
    version: &'static str,
    path: String,
    document: Lazy<Made>,
}

/// A document and its fingerprint.
pub(super) struct Made {
    bytes: Bytes,
    pub(super) hash: String,
}

impl Made {
    fn of(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        let hash = discovery::hash(&bytes);
        Self { bytes, hash }
    }

    /// The document, or 304 for those who have it.
    pub(super) fn answer(&self, content_type: &'static str, headers: &HeaderMap) -> Response<Body> {
        let tag = format!("\"{}\"", self.hash);
        let is_known = knows(headers, &tag);
        let body = if is_known { empty() } else { full(self.bytes.clone()) };
        let mut response = Response::new(body);
        if is_known {
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

/// Whether a client says that it has the document with this tag.
fn knows(headers: &HeaderMap, tag: &str) -> bool {
    let lists = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut tags = lists.flat_map(|list| list.split(',')).map(str::trim);
    tags.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

fn merge(type_id: &str, field: &str) -> Option<(&'static str, &'static str)> {
    merge_rule(type_id, field).map(|rule| (rule.strategy, rule.key))
}

const RULES: Option<openapi::MergeRules<'static>> = Some(&merge);

impl Documents {
    /// Aggregated discovery.
    pub(super) async fn aggregated(&self, app: &App, root: Root) -> &Made {
        let document = match root {
            Root::Core => &self.core,
            Root::Groups => &self.groups,
        };
        let make = || Made::of(discovery::aggregated(app.registry.rows(), root));
        document.get(&app.compute, make).await
    }

    /// OpenAPI 2 in JSON.
    pub(super) async fn v2(&self, app: &App) -> &Made {
        let make = || Made::of(openapi::v2(app.registry.rows(), RULES));
        self.v2.get(&app.compute, make).await
    }

    /// OpenAPI 2 in protobuf.
    pub(super) async fn v2_protobuf(&self, app: &App) -> &Made {
        let make = || Made::of(openapi::v2_proto(app.registry.rows(), RULES));
        self.v2_protobuf.get(&app.compute, make).await
    }

    fn versions(&self, app: &App) -> &[Version] {
        self.v3.get_or_init(|| {
            let all = discovery::group_versions(app.registry.rows()).into_iter();
            let version = |(group, version)| Version {
                group,
                version,
                path: openapi::v3_path(group, version),
                document: Lazy::default(),
            };
            all.map(version).collect()
        })
    }

    /// OpenAPI 3 of one version of a group; none if it is not served.
    pub(super) async fn v3(&self, app: &App, path: &str) -> Option<&Made> {
        let version = self.versions(app).iter().find(|version| version.path == path)?;
        Some(version.made(app).await).filter(|made| !made.bytes.is_empty())
    }

    /// The paths of all documents of OpenAPI 3, with their fingerprints.
    pub(super) async fn v3_index(&self, app: &App) -> String {
        let mut all = Vec::new();
        for version in self.versions(app) {
            let made = version.made(app).await;
            if !made.bytes.is_empty() {
                all.push((version.path.as_str(), made.hash.as_str()));
            }
        }
        openapi::v3_index(all.into_iter())
    }
}

impl Version {
    async fn made(&self, app: &App) -> &Made {
        let make = || {
            let document = openapi::v3(app.registry.rows(), self.group, self.version, RULES);
            Made::of(document.unwrap_or_default())
        };
        self.document.get(&app.compute, make).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_already_is_not_sent_again() {
        let document = Made::of("{}");
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
        assert_eq!(Made::of("[]").answer("application/json", &headers).status(), StatusCode::OK);
    }
}
