//! A connection to a backend that is asked to change its protocol, and then only carried.

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

/// What a backend answered to a request for another protocol.
pub(super) enum Answer {
    /// It changed: the head of its answer, and the bare connection.
    Switched(http::response::Parts, Upgraded),
    /// It did not.
    Stayed(Response<Incoming>),
}

/// Asks for another protocol over a connection that is used for nothing else.
pub(super) async fn request<IO>(
    connection: IO,
    (method, path): (Method, &str),
    headers: HeaderMap,
) -> Result<Answer, String>
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
        return Ok(Answer::Stayed(answer));
    }
    let upgraded = hyper::upgrade::on(&mut answer).await.map_err(|error| failed(&error))?;
    Ok(Answer::Switched(answer.into_parts().0, upgraded))
}

/// A backend that did not change its protocol: its complaint is passed on, anything else makes no sense.
pub(super) fn stayed(answer: Response<Incoming>) -> Result<Response<Body>, StatusError> {
    let code = answer.status().as_u16();
    if code < 400 {
        let message = format!("invalid upgrade response: status code {code}");
        return Err(StatusError::unclassified(message));
    }
    let body = |body: Incoming| body.map_err(|error| BodyError(error.to_string())).boxed_unsync();
    let mut response = answer.map(body);
    super::forwarded::drop_hop_headers(response.headers_mut());
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    Ok(response)
}

/// The answer that lets the client change its protocol, too.
pub(super) fn switched(headers: HeaderMap) -> Response<Body> {
    let mut response = Response::new(empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    *response.headers_mut() = headers;
    response
}
