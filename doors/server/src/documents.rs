//! What the server tells about itself: discovery, OpenAPI, version, health, metrics.

use crate::app::App;
use crate::render::{Rendered, dress};
use crate::request::{Media, Output, Params};
use bytes::Bytes;
use http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_TYPE, ETAG, EXPIRES, IF_NONE_MATCH, LOCATION, VARY,
};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use ratchet_catalog::discovery::{self, Root};
use ratchet_catalog::openapi;
use ratchet_http::health::{Endpoint, HealthQuery};
use ratchet_http::{Body, empty, full};
use ratchet_object::patch::merge_rule;

/// Answers a plain path; none if there is nothing.
pub(crate) fn answer(
    app: &App,
    path: &str,
    params: &Params,
    query: Option<&str>,
    headers: &HeaderMap,
) -> Option<Response<Body>> {
    let rows: Vec<_> = app.registry.rows().to_vec();
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        ["api"] if wants_aggregated(headers) => {
            Some(aggregated(discovery::aggregated(&rows, Root::Core), headers))
        }
        ["apis"] if wants_aggregated(headers) => {
            Some(aggregated(discovery::aggregated(&rows, Root::Groups), headers))
        }
        ["api"] => Some(json(discovery::api_versions(&app.address))),
        ["apis"] => Some(json(discovery::api_group_list(&rows))),
        ["api", version] => discovery::api_resource_list(&rows, "", version).map(json),
        ["apis", group] => discovery::api_group(&rows, group).map(json),
        ["apis", group, version] => discovery::api_resource_list(&rows, group, version).map(json),
        ["version"] => Some(indented(&crate::version::document(&app.policy))),
        ["openapi", "v2"] => Some(openapi_v2(app, headers)),
        ["openapi", "v3"] => Some(openapi_index(app)),
        ["openapi", "v3", rest @ ..] => openapi_v3(app, &rest.join("/"), params, headers),
        ["metrics"] => {
            Some(text(200, ratchet_http::metrics::CONTENT_TYPE, app.metrics.registry.render()))
        }
        [".well-known", "openid-configuration"] => {
            let keys = format!("https://{}/openid/v1/jwks", app.address);
            app.accounts.openid_configuration(&keys).map(json)
        }
        ["openid", "v1", "jwks"] => {
            Some(typed("application/jwk-set+json", app.accounts.json_web_keys()))
        }
        [] => Some(indented(&root(app))),
        [endpoint, check @ ..] => {
            let endpoint = Endpoint::ALL.into_iter().find(|known| known.name() == *endpoint)?;
            let check = (!check.is_empty()).then(|| check.join("/"));
            let (code, body) =
                app.health.render(endpoint, &HealthQuery::parse(query), check.as_deref());
            Some(text(code.as_u16(), "text/plain; charset=utf-8", body))
        }
    }
}

/// Whether a document is registered for GET alone; the others answer whatever the method is.
pub(crate) fn is_get_only(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    matches!(
        parts.as_slice(),
        ["api" | "version"]
            | ["api", _]
            | ["apis", _, _]
            | [".well-known", "openid-configuration"]
            | ["openid", "v1", "jwks"]
    )
}

fn root(app: &App) -> String {
    let mut paths: Vec<String> = vec!["/api".into(), "/api/v1".into(), "/apis".into()];
    for row in app.registry.rows().iter().filter(|row| !row.group.is_empty()) {
        paths.push(format!("/apis/{}", row.group));
        paths.push(format!("/apis/{}/{}", row.group, row.version));
    }
    for path in
        ["/healthz", "/livez", "/metrics", "/openapi/v2", "/openapi/v3", "/readyz", "/version"]
    {
        paths.push(path.into());
    }
    paths.sort();
    paths.dedup();
    let list: Vec<String> = paths.iter().map(|path| format!("\"{path}\"")).collect();
    format!(r#"{{"paths":[{}]}}"#, list.join(","))
}

fn accepts(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|list| list.split(','))
        .map(str::trim)
}

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

fn wants_aggregated(headers: &HeaderMap) -> bool {
    // The first of the list that is served wins; plain JSON in front of it means plain JSON.
    accepts(headers).find_map(|clause| match clause.split(';').count() {
        1 if matches!(clause, "application/json" | "*/*") => Some(false),
        _ => {
            let has = |word: &str| clause.split(';').any(|part| part.trim() == word);
            let is_it =
                has("g=apidiscovery.k8s.io") && has("v=v2") && has("as=APIGroupDiscoveryList");
            is_it.then_some(true)
        }
    }) == Some(true)
}

fn aggregated(body: String, headers: &HeaderMap) -> Response<Body> {
    let tag = discovery::etag(&body);
    let known =
        headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok()) == Some(tag.as_str());
    let mut response = match known {
        true => text(304, AGGREGATED, String::new()),
        false => text(200, AGGREGATED, body),
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    headers.insert(VARY, HeaderValue::from_static("Accept"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("public"));
    response
}

fn merge(type_id: &str, field: &str) -> Option<(&'static str, &'static str)> {
    merge_rule(type_id, field).map(|rule| (rule.strategy, rule.key))
}

const RULES: Option<openapi::MergeRules<'static>> = Some(&merge);

/// The group-versions and the hashes of their documents; made when first asked for.
fn hashes(app: &App) -> &[(String, String)] {
    app.openapi_hashes.get_or_init(|| {
        let rows = app.registry.rows();
        let documents =
            discovery::group_versions(rows).into_iter().filter_map(|(group, version)| {
                let document = openapi::v3(rows, group, version, RULES)?;
                Some((openapi::v3_path(group, version), discovery::hash(document.as_bytes())))
            });
        documents.collect()
    })
}

fn openapi_index(app: &App) -> Response<Body> {
    let hashes = hashes(app).iter().map(|(path, hash)| (path.as_str(), hash.as_str()));
    text(200, "text/plain; charset=utf-8", openapi::v3_index(hashes))
}

fn openapi_v3(
    app: &App,
    path: &str,
    params: &Params,
    headers: &HeaderMap,
) -> Option<Response<Body>> {
    let (group, version) = match path.split('/').collect::<Vec<_>>().as_slice() {
        ["api", version] => ("", (*version).to_owned()),
        ["apis", group, version] => (*group, (*version).to_owned()),
        _ => return None,
    };
    let document = openapi::v3(app.registry.rows(), group, &version, RULES)?;
    let hash = discovery::hash(document.as_bytes());
    let asked = params.text("hash");
    if !asked.is_empty() && asked != hash {
        let mut response = text(301, "text/plain; charset=utf-8", String::new());
        if let Ok(location) = HeaderValue::from_str(&format!("/openapi/v3/{path}?hash={hash}")) {
            response.headers_mut().insert(LOCATION, location);
        }
        return Some(response);
    }
    let tag = format!("\"{hash}\"");
    let known =
        headers.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok()) == Some(tag.as_str());
    let mut response = match known {
        true => text(304, "application/json", String::new()),
        false => json(document),
    };
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    headers.insert(VARY, HeaderValue::from_static("Accept"));
    if !asked.is_empty() {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, immutable"));
        let year = jiff::Timestamp::now()
            .checked_add(jiff::SignedDuration::from_hours(365 * 24))
            .unwrap_or(jiff::Timestamp::MAX);
        let expires = year.strftime("%a, %d %b %Y %H:%M:%S GMT").to_string();
        if let Ok(expires) = HeaderValue::from_str(&expires) {
            headers.insert(EXPIRES, expires);
        }
    }
    Some(response)
}

fn openapi_v2(app: &App, headers: &HeaderMap) -> Response<Body> {
    let wants_protobuf = accepts(headers).next().is_some_and(|first| first.contains("protobuf"));
    if wants_protobuf {
        let bytes = openapi::v2_proto(app.registry.rows(), RULES);
        return typed("application/com.github.proto-openapi.spec.v2.v1.0+protobuf", bytes);
    }
    json(openapi::v2(app.registry.rows(), RULES))
}

/// A document that is written for people, whoever asks for it.
fn indented(body: &str) -> Response<Body> {
    let output = Output { media: Media::Json { pretty: true }, ..Output::PLAIN };
    let Rendered { content_type, pieces } = dress(vec![body.to_owned().into()], output);
    typed(content_type, pieces.concat())
}

fn json(body: String) -> Response<Body> {
    text(200, "application/json", body)
}

fn typed(content_type: &'static str, body: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(full(body));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// A plain answer.
pub(crate) fn text(code: u16, content_type: &'static str, body: String) -> Response<Body> {
    let body = if body.is_empty() { empty() } else { full(body) };
    let mut response = Response::new(body);
    *response.status_mut() =
        StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_form_of_discovery_that_is_known_wins() {
        let wants = |accept: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, HeaderValue::from_static(accept));
            wants_aggregated(&headers)
        };
        assert!(wants(AGGREGATED));
        assert!(wants(
            "application/json; g=apidiscovery.k8s.io; v=v2; as=APIGroupDiscoveryList, application/json"
        ));
        assert!(!wants("application/json"));
        assert!(!wants(
            "application/json,application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
        ));
        assert!(!wants("application/json;g=apidiscovery.k8s.io;v=v9;as=APIGroupDiscoveryList"));
        assert!(!wants_aggregated(&HeaderMap::new()));
    }

    #[test]
    fn what_is_known_already_is_not_sent_again() {
        let first = aggregated("{}".into(), &HeaderMap::new());
        assert_eq!(first.status(), StatusCode::OK);
        let mut headers = HeaderMap::new();
        headers.insert(IF_NONE_MATCH, first.headers().get(ETAG).unwrap().clone());
        assert_eq!(aggregated("{}".into(), &headers).status(), StatusCode::NOT_MODIFIED);
        assert_eq!(aggregated("[]".into(), &headers).status(), StatusCode::OK);
    }
}
