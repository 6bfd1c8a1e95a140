//! JSON patch, JSON merge patch and strategic merge patch.
//!
//! Each function takes the original object and returns the patched one or an error; the
//! answers are those of kube-apiserver. Decoding the body is the caller's part, as is validating the
//! patched object against its schema.

mod directives;
mod go_text;
mod json_patch;
mod members;
mod merge;
mod merge_keys;
mod operations;
mod pointer;
mod size;
mod strategic;
mod strategic_list;
mod strategic_order;
#[cfg(test)]
mod strategic_tests;

pub use go_text::GoText;
pub use json_patch::{json_patch, json_patch_warnings};
pub use merge::merge_patch;
pub use merge_keys::{MERGE_RULES, MergeRow, MergeRule, merge_rule};
pub use operations::{JsonPatchError, apply_operations, decode_operations};
pub use strategic::strategic_merge;

use alloc::format;
use alloc::string::String;
use core::fmt;

/// Why a patch was not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatchError {
    /// The patch is malformed: 400 BadRequest with this message.
    BadRequest(String),
    /// The patch does not apply: 422 Invalid with a fixed message and empty details. The text is the
    /// cause, which the API server does not disclose.
    Unprocessable(String),
    /// The patch exceeds a limit: 413 RequestEntityTooLarge.
    TooLarge(String),
    /// What the reference server reports as its own failure, though the patch is at fault: 500 with
    /// this message and no reason.
    Internal(String),
}

impl PatchError {
    /// The HTTP status.
    #[must_use]
    pub fn code(&self) -> u16 {
        match self {
            Self::BadRequest(_) => 400,
            Self::Unprocessable(_) => 422,
            Self::TooLarge(_) => 413,
            Self::Internal(_) => 500,
        }
    }

    /// The `reason` of the Status; empty where it has none.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Self::BadRequest(_) => "BadRequest",
            Self::Unprocessable(_) => "Invalid",
            Self::TooLarge(_) => "RequestEntityTooLarge",
            Self::Internal(_) => "",
        }
    }

    /// The `message` of the Status.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::BadRequest(text) | Self::Internal(text) => text.clone(),
            Self::Unprocessable(_) => {
                "the server rejected our request due to an error in our request".into()
            }
            Self::TooLarge(text) => format!("Request entity too large: {text}"),
        }
    }
}

/// For logs: includes the cause that the API server does not disclose.
impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unprocessable(cause) => f.write_str(cause),
            _ => f.write_str(&self.message()),
        }
    }
}

impl core::error::Error for PatchError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_say_what_the_api_says() {
        let rejected = PatchError::Unprocessable("test failed".into());
        assert_eq!((rejected.code(), rejected.reason()), (422, "Invalid"));
        assert!(rejected.message().starts_with("the server rejected our request"));
        assert_eq!(format!("{rejected}"), "test failed");
        let large = PatchError::TooLarge("no".into());
        assert_eq!((large.code(), large.reason()), (413, "RequestEntityTooLarge"));
        assert_eq!(large.message(), "Request entity too large: no");
        assert_eq!(PatchError::Internal("x".into()).reason(), "");
        assert_eq!(PatchError::BadRequest("x".into()).code(), 400);
    }
}
