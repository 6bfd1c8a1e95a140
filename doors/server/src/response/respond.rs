//! HTTP responses from replies and errors, with common headers and metrics.

use crate::app::App;
use crate::app::audit::until_end;
use crate::app::guarded_body::{with_guard, with_size_metric};
use crate::app::metrics::{Labels, LongRunningRequest, Metrics};
use crate::app::resource_request::{Content, Reply};
use crate::registry::ServedResource;
use crate::request::{AUDIT_ID, Output, RequestContext, Target, body};
use crate::response::render::{self, Document, Rendered};
use crate::response::{compress, transform};
use crate::status::StatusError;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, WARNING};
use http::{HeaderValue, Method, Response, StatusCode};
use ratchet_http::{Body, empty, full};
use std::sync::Arc;

/// Encodes a `Reply` in the negotiated format, if it can have that form.
pub(crate) async fn reply_response(
    app: &Arc<App>,
    resource: &Arc<ServedResource>,
    reply: Reply,
    output: Output,
    request: &RequestContext<'_>,
) -> Result<Response<Body>, StatusError> {
    transform::check(&reply.content, resource, output, &request.params)?;
    let (content_type, body, is_compressed) = match reply.content {
        Content::Stream(body) => {
            request.audit.set_stream();
            (output.stream_type(), body, false)
        }
        content => {
            let document = Document::new(app, resource, content, output, &request.params);
            if request.audit.wants_response_body() {
                app.compute.run(|| request.audit.set_response_body(&document.pieces())).await;
            }
            let accepts_gzip = compress::accepts_gzip(&request.parts.headers);
            let answer = render::answer(document, output, accepts_gzip).await;
            (answer.content_type, answer.body, answer.is_compressed)
        }
    };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(reply.code).unwrap_or(StatusCode::OK);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    if is_compressed {
        compress::set_gzip_headers(response.headers_mut());
    }
    Ok(response)
}

/// Encodes a `StatusError` as a `Status` object.
pub(crate) fn error_response(error: &StatusError, output: Output) -> Response<Body> {
    let output = Output { media: output.media, ..Output::PLAIN };
    let Rendered { content_type, bytes } = render::encode(&error.to_json(), output);
    let mut response = Response::new(full(bytes));
    *response.status_mut() =
        StatusCode::from_u16(error.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    if let Some(seconds) = error.retry_after() {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// Adds the headers that every response carries, and records its metrics.
pub(crate) fn finish(app: &Arc<App>, request: &RequestContext<'_>, response: &mut Response<Body>) {
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&request.audit_id) {
        headers.insert(AUDIT_ID, id);
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache, private"));
    for text in ratchet_engine::warning_texts(&request.warnings.to_vec()) {
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
        // From bytes: warnings may contain more than ASCII.
        if let Ok(value) = HeaderValue::from_bytes(format!("299 - \"{escaped}\"").as_bytes()) {
            headers.append(WARNING, value);
        }
    }
    let dry_run = match request.params.text("dryRun") {
        "" => "",
        "All" => "All",
        _ => "invalid",
    };
    let is_apply = request.parts.method == Method::PATCH
        && body::content_type(&request.parts.headers).starts_with("application/apply-patch");
    let labels = Labels::of(&request.info, dry_run, is_apply);
    let labels = if is_known(app, request) { labels } else { labels.unknown() };
    let size = exact_body_size(response);
    if request.parts.method == Method::HEAD {
        // Over HTTP/2 the body of a HEAD response is not dropped by anyone else.
        *response.body_mut() = empty();
        if let Some(size) = size.filter(|_| !response.headers().contains_key(CONTENT_LENGTH)) {
            response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(size));
        }
    }
    let code = response.status();
    let is_lasting = Metrics::is_lasting(&labels);
    if !is_lasting || code.as_u16() >= 400 {
        // Response sizes are recorded for plain responses, not for long-running ones.
        app.metrics.request_completed(
            &labels,
            code,
            request.started.elapsed(),
            size.filter(|_| !is_lasting),
        );
        if size.is_none() && !is_lasting && request.parts.method != Method::HEAD {
            let sizes = app.metrics.sizes(&labels);
            let body = std::mem::replace(response.body_mut(), empty());
            *response.body_mut() = with_size_metric(body, sizes);
        }
        return;
    }
    let metrics = app.metrics.clone();
    let long_running = LongRunningRequest { metrics, labels, code, started: request.started };
    match request.audit.tunnel() {
        Some(ends) => until_end(ends, long_running),
        None => {
            let body = std::mem::replace(response.body_mut(), empty());
            *response.body_mut() = with_guard(body, long_running);
        }
    }
}

/// Whether the target exists. Only those are named in metric labels, so that clients cannot create unbounded series.
fn is_known(app: &App, request: &RequestContext<'_>) -> bool {
    match &request.info.target {
        Target::Resource(path) => {
            let resource = request.resource(&app.registry, path);
            resource.is_some_and(|resource| {
                path.subresource.is_empty()
                    || resource.row().subresource(&path.subresource).is_some()
            })
        }
        Target::Path(_) => true,
    }
}

fn exact_body_size(response: &Response<Body>) -> Option<u64> {
    use http_body::Body as _;
    response.body().size_hint().exact()
}
