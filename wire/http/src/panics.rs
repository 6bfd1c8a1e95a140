//! Panic handler for requests: a panic becomes a 500 response and does not end a shared connection.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll};

use http::header::{CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Response, StatusCode};

use crate::body::{Body, full};

/// Runs a request, and responds in its place when it panics.
pub(crate) struct CatchPanic<F>(pub(crate) Pin<Box<F>>);

impl<F: Future<Output = Response<Body>>> Future for CatchPanic<F> {
    type Output = Response<Body>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Response<Body>> {
        // The future is not polled again after a panic, so that its inconsistent state is not
        // visible.
        catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(context))).unwrap_or_else(|_| {
            tracing::error!("a request caused a panic");
            Poll::Ready(panic_response())
        })
    }
}

fn panic_response() -> Response<Body> {
    const TEXT: &str = "This request caused apiserver to panic. Look in the logs for details.\n";
    let mut response = Response::new(full(TEXT));
    *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::empty;

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        let calm = CatchPanic(Box::pin(async { Response::new(empty()) })).await;
        assert_eq!(calm.status(), StatusCode::OK);
        let wild = CatchPanic(Box::pin(async { panic!("as this test wants") })).await;
        assert_eq!(wild.status(), StatusCode::INTERNAL_SERVER_ERROR);
    }
}
