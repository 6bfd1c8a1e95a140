//! Non-resource paths: discovery, OpenAPI, version, health, metrics, OpenID configuration.

use crate::app::App;
use crate::app::documents::not_modified;
use crate::request::{Media, Output, Params};
use crate::response::render::{Rendered, encode};
use bytes::Bytes;
use http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, EXPIRES, LOCATION};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use ratchet_catalog::discovery::{self, Root};
use ratchet_http::health::{Endpoint, HealthQuery};
use ratchet_http::{Body, empty, full};

/// Serves a non-resource path; none if it does not exist.
pub(crate) async fn answer(
    app: &App,
    path: &str,
    params: &Params,
    query: Option<&str>,
    headers: &HeaderMap,
) -> Option<Response<Body>> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        ["api"] if wants_aggregated(headers) => Some(aggregated(app, Root::Core, headers).await),
        ["apis"] if wants_aggregated(headers) => Some(aggregated(app, Root::Groups, headers).await),
        ["api"] => Some(json(discovery::api_versions(&app.address))),
        ["apis"] => {
            let groups = app.documents.group_list(app.document_source()).await;
            Some(typed("application/json", groups))
        }
        ["api", version] => {
            app.documents.resource_list(&app.document_source(), "", version).map(json)
        }
        ["apis", group] => app.documents.group(&app.document_source(), group).map(json),
        ["apis", group, version] => {
            app.documents.resource_list(&app.document_source(), group, version).map(json)
        }
        ["version"] => Some(indented(&crate::app::version::document(
            &app.api_config,
            app.reported_version.as_deref(),
        ))),
        ["openapi", "v2"] => Some(openapi_v2(app, headers).await),
        ["openapi", "v3"] => {
            let index = app.documents.v3_index(app.document_source()).await;
            Some(text(200, "text/plain; charset=utf-8", index))
        }
        ["openapi", "v3", rest @ ..] => openapi_v3(app, &rest.join("/"), params, headers).await,
        ["metrics"] => {
            let metrics = app.compute.run(|| app.metrics.registry.render()).await;
            Some(text(200, ratchet_http::metrics::CONTENT_TYPE, metrics))
        }
        ["metrics", "slis"] => {
            Some(text(200, ratchet_http::metrics::CONTENT_TYPE, app.health.metrics()))
        }
        ["debug", "api_priority_and_fairness", page] => {
            let has_details = !params.text("includeRequestDetails").is_empty();
            let dump = app.flow_control.as_ref()?.dump(page, has_details)?;
            Some(text(200, "text/plain; charset=utf-8", dump))
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

/// Whether the path only accepts GET; the others accept every method.
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
    for row in app.registry.now().rows().iter().filter(|row| !row.group.is_empty()) {
        paths.push(format!("/apis/{}", row.group));
        paths.push(format!("/apis/{}/{}", row.group, row.version));
    }
    for service in app.aggregator.services.now().remote() {
        paths.push(format!("/apis/{}", service.group));
        paths.push(format!("/apis/{}/{}", service.group, service.version));
    }
    for path in
        ["/healthz", "/livez", "/metrics", "/openapi/v2", "/openapi/v3", "/readyz", "/version"]
    {
        paths.push(path.into());
    }
    paths.push("/metrics/slis".into());
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
    // The first served media type of the list wins, so plain JSON before it means plain JSON.
    accepts(headers).find_map(|clause| match clause.split(';').count() {
        1 if matches!(clause, "application/json" | "*/*") => Some(false),
        _ => {
            let has = |parameter: &str| clause.split(';').any(|part| part.trim() == parameter);
            let is_aggregated =
                has("g=apidiscovery.k8s.io") && has("v=v2") && has("as=APIGroupDiscoveryList");
            is_aggregated.then_some(true)
        }
    }) == Some(true)
}

async fn aggregated(app: &App, root: Root, headers: &HeaderMap) -> Response<Body> {
    let document = app.documents.aggregated(app.document_source(), root).await;
    let mut response = document.answer(AGGREGATED, headers);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public"));
    response
}

async fn openapi_v3(
    app: &App,
    path: &str,
    params: &Params,
    headers: &HeaderMap,
) -> Option<Response<Body>> {
    const JSON: &str = "application/json";
    let requested_hash = params.text("hash");
    let document = match app.aggregator.converted_openapi(path) {
        Some(converted) => converted,
        None => {
            // Clients ask again and again for what they have.
            if requested_hash.is_empty() {
                let known = app.documents.known_v3_hash(&app.document_source(), path);
                if let Some(response) = known.and_then(|hash| not_modified(&hash, JSON, headers)) {
                    return Some(response);
                }
            }
            app.documents.v3(app.document_source(), path).await?
        }
    };
    let hash = &document.hash;
    if !requested_hash.is_empty() && requested_hash != hash {
        let mut response = text(301, "text/plain; charset=utf-8", String::new());
        if let Ok(location) = HeaderValue::from_str(&format!("/openapi/v3/{path}?hash={hash}")) {
            response.headers_mut().insert(LOCATION, location);
        }
        return Some(response);
    }
    let mut response = document.answer(JSON, headers);
    let headers = response.headers_mut();
    if !requested_hash.is_empty() {
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

async fn openapi_v2(app: &App, headers: &HeaderMap) -> Response<Body> {
    const PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
    let wants_protobuf = accepts(headers).next().is_some_and(|first| first.contains("protobuf"));
    match wants_protobuf {
        true => app.documents.v2_protobuf(app.document_source()).await.answer(PROTOBUF, headers),
        false => app.documents.v2(app.document_source()).await.answer("application/json", headers),
    }
}

/// An indented JSON response.
fn indented(body: &str) -> Response<Body> {
    let output = Output { media: Media::Json { pretty: true }, ..Output::PLAIN };
    let Rendered { content_type, bytes } = encode(body, output);
    typed(content_type, bytes)
}

fn json(body: String) -> Response<Body> {
    text(200, "application/json", body)
}

fn typed(content_type: &'static str, body: impl Into<Bytes>) -> Response<Body> {
    let mut response = Response::new(full(body));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// A response with a given status code and text.
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
}
