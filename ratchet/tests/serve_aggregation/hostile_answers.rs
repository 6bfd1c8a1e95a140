//! Answers of extension servers that mean no good: without end, without haste, without sense.

use super::flunders::Body;
use bytes::Bytes;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::Response;
use hyper::body::Frame;
use hyper::header::CONTENT_TYPE;
use std::convert::Infallible;
use std::sync::LazyLock;
use std::time::Duration;

/// The forms of such a server: whatever it is asked for, or its OpenAPI documents alone.
pub(crate) const FORMS: [&str; 12] = [
    "endless",
    "drip",
    "silent",
    "garbage",
    "deep",
    "many",
    "openapi-endless",
    "openapi-drip",
    "openapi-silent",
    "openapi-garbage",
    "openapi-deep",
    "openapi-many",
];

/// A document of many definitions.
static MANY: LazyLock<Bytes> = LazyLock::new(|| {
    let members: Vec<String> = (0..400_000).map(|at| format!("\"d{at}\":{{}}")).collect();
    format!("{{\"definitions\":{{{}}}}}", members.join(",")).into()
});

/// The answer of this form; none if it is not hostile.
pub(crate) async fn answer(form: &str, path: &str) -> Option<Response<Body>> {
    let of_openapi = form.strip_prefix("openapi-");
    let (code, body): (u16, Body) = match of_openapi.unwrap_or(form) {
        _ if of_openapi.is_some() && !path.starts_with("/openapi/") => {
            (200, full(b"{\"kind\":\"APIResourceList\",\"resources\":[]}".to_vec()))
        }
        "endless" => (200, stream(Duration::ZERO, Bytes::from(vec![b' '; 64 << 10]))),
        "drip" => (200, stream(Duration::from_millis(200), Bytes::from_static(b" "))),
        "silent" => std::future::pending().await,
        "garbage" => (200, full(b"{\"paths\":{\"\xff\xfe".to_vec())),
        "deep" => (200, full(vec![b'['; 1 << 20])),
        // It has OpenAPI v2 only, which is converted.
        "many" if path.starts_with("/openapi/v3") => (404, full(Vec::new())),
        "many" => (200, Full::new(MANY.clone()).boxed()),
        _ => return None,
    };
    let response = Response::builder().status(code).header(CONTENT_TYPE, "application/json");
    Some(response.body(body).unwrap())
}

fn full(bytes: Vec<u8>) -> Body {
    Full::new(Bytes::from(bytes)).boxed()
}

/// One piece after another, for ever.
fn stream(pause: Duration, piece: Bytes) -> Body {
    let stream = futures_util::stream::unfold(piece, move |piece| async move {
        tokio::time::sleep(pause).await;
        Some((Ok::<_, Infallible>(Frame::data(piece.clone())), piece))
    });
    BodyExt::boxed(StreamBody::new(Box::pin(stream)))
}
