//! Why a cluster could not be read, in words that say what to do.

use thiserror::Error;

/// Why a cluster could not be read.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ClusterError {
    /// The kubeconfig cannot be used.
    #[error("{0}")]
    Kubeconfig(String),
    /// The server could not be reached, or did not answer in time.
    #[error("cannot reach the API server {server}: {why}")]
    Unreachable {
        /// The server's address.
        server: String,
        /// What went wrong.
        why: String,
    },
    /// The server answered and said no.
    #[error("the API server {server} refuses GET {path} ({code}): {message}{}", advice(*code))]
    Refused {
        /// The server's address.
        server: String,
        /// What was asked for.
        path: String,
        /// The HTTP status.
        code: u16,
        /// Its words.
        message: String,
    },
    /// The server answered something that is not what was asked for.
    #[error("the API server {server} answers GET {path} with something else: {why}")]
    Unreadable {
        /// The server's address.
        server: String,
        /// What was asked for.
        path: String,
        /// What is wrong with it.
        why: String,
    },
}

/// What a person can do about a refusal.
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

/// The whole chain of causes on one line, without repeating what a cause says already.
pub(crate) fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut told = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let text = cause.to_string();
        if !told.contains(&text) {
            told.push_str(": ");
            told.push_str(&text);
        }
        next = cause.source();
    }
    told.split_whitespace().collect::<Vec<_>>().join(" ")
}
