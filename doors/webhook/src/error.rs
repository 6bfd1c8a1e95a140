//! `ReviewError`: why a review got no verdict.

use crate::request::{API_VERSION, KIND, MAX_REVIEW_BYTES};

/// Why a review got no verdict. The API server treats it by the failure policy of its configuration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReviewError {
    /// The body is larger than any review.
    #[error("the review is larger than {MAX_REVIEW_BYTES} bytes")]
    TooLarge,
    /// The body is not UTF-8.
    #[error("the review is not UTF-8")]
    NotUtf8,
    /// The body is not one JSON object.
    #[error("the review is not JSON: {0}")]
    Syntax(String),
    /// The body is another object.
    #[error("expected kind {KIND}, found {0:?}")]
    OtherKind(String),
    /// The review has a version that is not spoken here.
    #[error(
        "unsupported version {0:?} of {KIND}: {API_VERSION} is supported, so admissionReviewVersions must have v1"
    )]
    UnsupportedVersion(String),
    /// A field that must be set is not.
    #[error("{0}: required value")]
    Missing(&'static str),
    /// A field has a value of another type.
    #[error("{field}: expected {expected}, found {found}")]
    WrongType {
        /// The field.
        field: &'static str,
        /// The JSON type of the field.
        expected: &'static str,
        /// The JSON type of the value.
        found: &'static str,
    },
    /// The operation is none of the API's.
    #[error("request.operation: unknown operation {0:?}")]
    UnknownOperation(String),
    /// The object is not of the kind that the request names, or one of its values has another type.
    #[error("{field}: {why}")]
    Undecodable {
        /// The field, `request.object` or `request.oldObject`.
        field: &'static str,
        /// The reason, as the API server words it.
        why: String,
    },
}

impl ReviewError {
    /// The HTTP status code.
    pub fn code(&self) -> u16 {
        match self {
            Self::TooLarge => 413,
            _ => 400,
        }
    }
}
