//! `pods/log`: streams a container's log from its kubelet.

use super::connection::read_error;
use super::log_options::LogOptions;
use super::{Connect, container, node};
use crate::status::{About, StatusError};
use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::BodyExt;
use ratchet_http::{Body, BodyError, empty};
use ratchet_kubelet::{Endpoint, KubeletError, Verification};

/// Handles a log request.
pub(super) async fn answer(connect: &Connect<'_>) -> Result<Response<Body>, StatusError> {
    let Connect { app, resource, path, request, .. } = connect;
    let options = LogOptions::from_params(&request.params)?;
    app.metrics.connections.log_requested(options.is_insecure);
    options.check(&path.name)?;
    let key = resource.cache_key(&path.namespace, &path.name);
    let pod =
        resource.cache.find(&key)?.ok_or_else(|| StatusError::not_found(connect.about()))?.node();
    let container = container::choose(&pod, &options.container)?;
    let node_name = pod.text_at(&["spec", "nodeName"]);
    if node_name.is_empty() {
        let mut nothing = Response::new(empty());
        *nothing.status_mut() = StatusCode::NO_CONTENT;
        return Ok(nothing);
    }
    let kubelet = node::find(app, node_name, connect.about())?.endpoint;
    let verification = if options.is_insecure { Verification::Skipped } else { Verification::Full };
    let uri = format!("/containerLogs/{}/{}/{container}", path.namespace, path.name);
    let query = options.query();
    let uri = if query.is_empty() { uri } else { format!("{uri}?{query}") };
    let log_request = Request::get(&uri).body(empty()).map_err(StatusError::internal)?;
    let log_response = app.backends.kubelets.send(&kubelet, verification, log_request).await;
    let log_response = log_response.map_err(|error| {
        if error.mentions_x509() {
            app.metrics.connections.log_tls_failed();
        }
        unreachable(&kubelet, &uri, &error)
    })?;
    let status = log_response.status();
    if status.is_redirection() {
        let url = url(&kubelet, &uri);
        return Err(StatusError::unclassified(format!("Get \"{url}\": redirects forbidden")));
    }
    if !(200..=206).contains(&status.as_u16()) {
        let about = About { resource: "pods/log", ..connect.about() };
        return Err(response_error(status, log_response.into_body(), about).await);
    }
    request.audit.set_stream();
    let body = log_response.into_body().map_err(|error| BodyError(error.to_string()));
    let mut response = Response::new(connect.counted_body(body.boxed_unsync()));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain"));
    Ok(response)
}

fn url(kubelet: &Endpoint, path: &str) -> String {
    format!("https://{}{path}", kubelet.authority())
}

fn unreachable(kubelet: &Endpoint, path: &str, error: &KubeletError) -> StatusError {
    StatusError::unclassified(format!("Get \"{}\": {error}", url(kubelet, path)))
}

/// The error for a failed response of a kubelet.
async fn response_error<B>(status: StatusCode, body: B, about: About<'_>) -> StatusError
where
    B: http_body::Body<Data = Bytes> + Unpin,
{
    let text = read_error(body).await;
    let text = String::from_utf8_lossy(&text);
    match status.as_u16() {
        500 => StatusError::internal(text),
        400 => StatusError::bad_request(text),
        code => StatusError::of_backend(code, about, &text),
    }
}
