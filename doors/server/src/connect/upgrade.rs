//! HTTP/1.1 upgrade requests to backends.

use crate::status::StatusError;
use http::header::CONNECTION;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::upgrade::Upgraded;
use hyper_util::rt::TokioIo;
use ratchet_http::{Body, BodyError, empty};
use std::fmt::Display;
use tokio::io::{AsyncRead, AsyncWrite};

/// A backend's response to an upgrade request.
pub(crate) enum UpgradeResponse {
    /// 101: the response head and the upgraded connection.
    Upgraded(http::response::Parts, Upgraded),
    /// Any other response.
    NotUpgraded(Response<Incoming>),
}

/// Sends an upgrade request over a dedicated connection.
pub(crate) async fn request<IO>(
    connection: IO,
    (method, path): (Method, &str),
    headers: HeaderMap,
) -> Result<UpgradeResponse, String>
where
    IO: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let failed = |error: &dyn Display| format!("error sending request: {error}");
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .body(empty())
        .map_err(|error| failed(&error))?;
    *request.headers_mut() = headers;
    let builder = http1::Builder::new().title_case_headers(true).clone();
    let handshake = builder.handshake::<_, Body>(TokioIo::new(connection));
    let (mut sender, driver) = handshake.await.map_err(|error| failed(&error))?;
    tokio::spawn(async move {
        if let Err(error) = driver.with_upgrades().await {
            tracing::debug!(%error, "a connection to a backend broke");
        }
    });
    let mut answer = sender.send_request(request).await.map_err(|error| failed(&error))?;
    if answer.status() != StatusCode::SWITCHING_PROTOCOLS {
        return Ok(UpgradeResponse::NotUpgraded(answer));
    }
    let upgraded = hyper::upgrade::on(&mut answer).await.map_err(|error| failed(&error))?;
    Ok(UpgradeResponse::Upgraded(answer.into_parts().0, upgraded))
}

/// The response for a backend that did not upgrade: an error is passed on, a success is invalid.
pub(crate) fn not_upgraded_response(
    answer: Response<Incoming>,
) -> Result<Response<Body>, StatusError> {
    let code = answer.status().as_u16();
    if code < 400 {
        let message = format!("invalid upgrade response: status code {code}");
        return Err(StatusError::unclassified(message));
    }
    let body = |body: Incoming| body.map_err(|error| BodyError(error.to_string())).boxed_unsync();
    let mut response = answer.map(body);
    super::forwarded::remove_hop_by_hop(response.headers_mut());
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    Ok(response)
}

/// The 101 response for the client.
pub(crate) fn switching_response(headers: HeaderMap) -> Response<Body> {
    let mut response = Response::new(empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    *response.headers_mut() = headers;
    response
}
