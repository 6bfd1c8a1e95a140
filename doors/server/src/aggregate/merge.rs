//! Documents of this server together with those of extension servers: discovery and OpenAPI.

use super::openapi;
use super::order::{self, Ranked};
use crate::app::App;
use crate::app::aggregator::documents::Parts;
use crate::app::documents::HashedDocument;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use http::{HeaderMap, HeaderValue, Response};
use http_body_util::BodyExt;
use ratchet_http::{Body, full};
use ratchet_object::{Limits, Node, decode_json};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::Arc;

/// A document that extension servers have a part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Joint<'p> {
    /// `/apis`, in either form.
    Groups,
    /// `/apis/{group}`.
    Group(&'p str),
    /// `/openapi/v2`, in either encoding.
    V2,
    /// `/openapi/v3`: the index.
    V3,
}

/// Whether extension servers have a part in the document of this path.
pub(crate) fn joint<'p>(app: &App, path: &'p str) -> Option<Joint<'p>> {
    let set = app.aggregator.services.now();
    if !set.has_remote() {
        return None;
    }
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        ["apis"] => Some(Joint::Groups),
        ["apis", group] if set.remote().any(|service| service.group == *group) => {
            Some(Joint::Group(group))
        }
        ["openapi", "v2"] => Some(Joint::V2),
        ["openapi", "v3"] => Some(Joint::V3),
        _ => None,
    }
}

/// The headers with which this server's own document is asked for: of a joint one the client knows another already.
pub(crate) fn own_headers<'h>(
    joint: Option<Joint<'_>>,
    headers: &'h HeaderMap,
) -> Cow<'h, HeaderMap> {
    if joint.is_none() {
        return Cow::Borrowed(headers);
    }
    let mut headers = headers.clone();
    headers.remove(IF_NONE_MATCH);
    Cow::Owned(headers)
}

/// The document of this path, from this server's own.
pub(crate) async fn merge(
    app: &App,
    joint: Joint<'_>,
    headers: &HeaderMap,
    own: Option<Response<Body>>,
) -> Option<Response<Body>> {
    if let Joint::Group(group) = joint {
        return Some(json(api_group(app, group)?));
    }
    let own = own?;
    let content_type = own.headers().get(CONTENT_TYPE)?.to_str().ok()?.to_owned();
    let is_aggregated = content_type.contains("as=APIGroupDiscoveryList");
    let is_protobuf = content_type.contains("protobuf");
    let etag = own.headers().get(ETAG).and_then(|tag| tag.to_str().ok()).unwrap_or("").to_owned();
    let name = match joint {
        Joint::Groups if is_aggregated => "discovery",
        Joint::Groups => return Some(json(group_list(app))),
        Joint::V2 if is_protobuf => "v2 protobuf",
        Joint::V2 => "v2",
        Joint::V3 => return Some(index(app, own, &content_type).await),
        Joint::Group(_) => return None,
    };
    let generation = app.aggregator.remote_documents.now().0;
    let revision = app.aggregator.services.cache.now().revision;
    let source = format!("{etag} {generation} {revision}");
    let document = match app.aggregator.merged.get(name, &source) {
        Some(document) => document,
        None => {
            let bytes = own.into_body().collect().await.ok()?.to_bytes();
            let make = || {
                let merged = match name {
                    "discovery" => aggregated(app, &bytes).map(Bytes::from),
                    "v2" => specification(app, &bytes).map(Bytes::from),
                    _ => specification_protobuf(app, &bytes).map(Bytes::from),
                };
                Arc::new(HashedDocument::of(merged.unwrap_or_else(|| bytes.clone())))
            };
            let document = app.compute.run(make).await;
            app.aggregator.merged.put(name, source, &document);
            document
        }
    };
    let mut response = document.answer("application/json", headers);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_str(&content_type).ok()?);
    if is_aggregated {
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public"));
    }
    Some(response)
}

fn json(node: Node<'static>) -> Response<Body> {
    let mut response = Response::new(full(node.to_json() + "\n"));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn version(group: &str, version: &str) -> Node<'static> {
    Node::map([
        ("groupVersion", Node::string(format!("{group}/{version}"))),
        ("version", Node::string(version.to_owned())),
    ])
}

fn write_group(group: &str, versions: &[Ranked]) -> Vec<(&'static str, Node<'static>)> {
    let list = versions.iter().map(|one| version(group, &one.version)).collect();
    let mut members =
        vec![("name", Node::string(group.to_owned())), ("versions", Node::list(list))];
    if let Some(first) = versions.first() {
        members.push(("preferredVersion", version(group, &first.version)));
    }
    members
}

/// An APIGroupList of all groups.
fn group_list(app: &App) -> Node<'static> {
    let groups = order::by_group(order::ranked(app)).into_iter();
    let groups = groups.filter(|(group, _)| !group.is_empty());
    let groups = groups.map(|(group, versions)| Node::map(write_group(&group, &versions)));
    Node::map([
        ("kind", Node::string("APIGroupList")),
        ("apiVersion", Node::string("v1")),
        ("groups", Node::list(groups.collect())),
    ])
}

/// The APIGroup of one group.
fn api_group(app: &App, group: &str) -> Option<Node<'static>> {
    let mut ranked = order::ranked(app);
    ranked.retain(|one| one.group == group);
    let (_, versions) = order::by_group(ranked).into_iter().next()?;
    let start = [("kind", Node::string("APIGroup")), ("apiVersion", Node::string("v1"))];
    Some(Node::map(start.into_iter().chain(write_group(group, &versions))))
}

fn decode(bytes: &[u8]) -> Option<Node<'_>> {
    let text = std::str::from_utf8(bytes).ok()?;
    Some(decode_json(text, Limits::STORED).ok()?.documents.remove(0))
}

/// Aggregated discovery with the versions of extension servers.
fn aggregated(app: &App, own: &[u8]) -> Option<String> {
    let mut document = decode(own)?.into_owned();
    let mut groups = document.remove("items")?.items().to_vec();
    let set = app.aggregator.services.now();
    let documents = app.aggregator.remote_documents.now();
    for (name, extension) in &documents.1 {
        let Some(service) = set.get(name).filter(|service| service.remote.is_some()) else {
            continue;
        };
        let is_own = |group: &Node<'_>| group.text_at(&["metadata", "name"]) == service.group;
        if !groups.iter().any(is_own) {
            let metadata = Node::map([("name", Node::string(service.group.clone()))]);
            let versions = Node::list(Vec::new());
            groups.push(Node::map([("metadata", metadata), ("versions", versions)]));
        }
        let group = groups.iter_mut().find(|group| is_own(group));
        let versions = group.and_then(|group| group.get_mut("versions")?.items_mut())?;
        versions.retain(|one| one.text_at(&["version"]) != service.version);
        versions.push(extension.entry.clone());
    }
    let ranked = order::by_group(order::ranked(app));
    let places: HashMap<(&str, &str), usize> = ranked
        .iter()
        .flat_map(|(group, versions)| versions.iter().enumerate().map(move |one| (group, one)))
        .map(|(group, (place, one))| ((group.as_str(), one.version.as_str()), place))
        .collect();
    for group in &mut groups {
        let name = group.text_at(&["metadata", "name"]).to_owned();
        if let Some(versions) = group.get_mut("versions").and_then(Node::items_mut) {
            versions.sort_by_key(|one| {
                places.get(&(name.as_str(), one.text_at(&["version"]))).copied()
            });
        }
    }
    let priority = |name: &str| {
        let versions = ranked.iter().find(|(group, _)| group == name).map(|(_, versions)| versions);
        versions.and_then(|all| all.iter().map(|one| one.group_priority).max()).unwrap_or(0)
    };
    groups.sort_by_cached_key(|group| {
        let name = group.text_at(&["metadata", "name"]).to_owned();
        (Reverse(priority(&name)), name)
    });
    document.set("items", Node::list(groups));
    Some(document.to_json() + "\n")
}

/// OpenAPI v2 with the paths of extension servers.
fn specification(app: &App, own: &[u8]) -> Option<String> {
    let documents = app.aggregator.remote_documents.now();
    let parts: Vec<Arc<Parts<String>>> =
        documents.1.values().map(|extension| extension.v2.json.clone()).collect();
    openapi::join_json(std::str::from_utf8(own).ok()?, parts.iter().map(Arc::as_ref))
}

fn specification_protobuf(app: &App, own: &Bytes) -> Option<Vec<u8>> {
    let documents = app.aggregator.remote_documents.now();
    let parts: Vec<Arc<Parts<Bytes>>> =
        documents.1.values().map(|extension| extension.v2.protobuf.clone()).collect();
    openapi::join_protobuf(own, parts.iter().map(Arc::as_ref))
}

/// The index of OpenAPI v3 with the documents of extension servers.
async fn index(app: &App, own: Response<Body>, content_type: &str) -> Response<Body> {
    let bytes = own
        .into_body()
        .collect()
        .await
        .map(http_body_util::Collected::to_bytes)
        .unwrap_or_default();
    let documents = app.aggregator.remote_documents.now();
    let text = decode(&bytes).map_or_else(String::new, |mut index| {
        let paths = index.map_mut("paths");
        for (path, url) in documents.1.values().flat_map(|extension| &extension.v3) {
            let url = Node::string(url.clone());
            paths.set(path.clone(), Node::map([("serverRelativeURL", url)]));
        }
        if let Some(entries) = paths.entries_mut() {
            entries.sort_by(|one, other| one.key.cmp(&other.key));
        }
        index.to_json()
    });
    let mut response = Response::new(full(text));
    if let Ok(content_type) = HeaderValue::from_str(content_type) {
        response.headers_mut().insert(CONTENT_TYPE, content_type);
    }
    response
}
