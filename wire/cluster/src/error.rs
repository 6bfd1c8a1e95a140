//! Errors of cluster access, with advice for users.

use std::time::Duration;
use thiserror::Error;

/// Why a request to the cluster failed.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ClusterError {
    /// The kubeconfig cannot be used.
    #[error("{0}")]
    Kubeconfig(String),
    /// The server could not be reached, or did not respond in time.
    #[error("cannot reach the API server {server}: {why}")]
    Unreachable {
        /// The server's URL.
        server: String,
        /// The cause.
        why: String,
    },
    /// The server responded with an error.
    #[error("the API server {server} refuses GET {path} ({code}): {message}{}", advice(*code))]
    Refused {
        /// The server's URL.
        server: String,
        /// The requested path.
        path: String,
        /// The HTTP status.
        code: u16,
        /// The message of the server.
        message: String,
        /// How long the server wants to be left alone.
        retry_after: Option<Duration>,
    },
    /// The response is not valid for the request.
    #[error("the API server {server} answers GET {path} with something else: {why}")]
    Unreadable {
        /// The server's URL.
        server: String,
        /// The requested path.
        path: String,
        /// The reason.
        why: String,
    },
}

impl ClusterError {
    /// Whether the same request may succeed later: the server is busy or starting, or the connection broke.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Refused { code, .. } => matches!(code, 429 | 500 | 502 | 503 | 504),
            Self::Unreachable { .. } => true,
            Self::Kubeconfig(_) | Self::Unreadable { .. } => false,
        }
    }
}

/// Advice for the user about an error status.
fn advice(code: u16) -> &'static str {
    match code {
        401 => {
            "; the kubeconfig's credentials are not, or no longer, accepted: log in again, or choose others with --context or --user"
        }
        403 => {
            "; choose another user with --context or --user, or have this one allowed to `get` and `list` it"
        }
        _ => "",
    }
}

/// The whole chain of causes on one line, without repeating a cause that a message already
/// contains.
pub(crate) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut message = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !message.contains(&text) {
            message.push_str(": ");
            message.push_str(&text);
        }
        next = cause.source();
    }
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}
