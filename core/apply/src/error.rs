//! Errors of an apply, with the code, reason and message of the status.

use crate::conflict::{self, Conflict};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Why a configuration was not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ApplyError {
    /// The configuration itself may not be applied: 400 `BadRequest`.
    BadRequest(String),
    /// Others own what it would change: 409 `Conflict`, with a cause `FieldManagerConflict` for each field.
    Conflicts(Vec<Conflict>),
    /// It does not fit the schema, or an object could not be converted: 500 `InternalError`.
    Internal(String),
}

impl ApplyError {
    /// The code of the status.
    #[must_use]
    pub fn code(&self) -> u16 {
        match self {
            Self::BadRequest(_) => 400,
            Self::Conflicts(_) => 409,
            Self::Internal(_) => 500,
        }
    }

    /// The reason of the status.
    #[must_use]
    pub fn reason(&self) -> &'static str {
        match self {
            Self::BadRequest(_) => "BadRequest",
            Self::Conflicts(_) => "Conflict",
            Self::Internal(_) => "InternalError",
        }
    }

    /// The conflicts; the details of the status have nothing but a cause for each.
    #[must_use]
    pub fn conflicts(&self) -> &[Conflict] {
        match self {
            Self::Conflicts(conflicts) => conflicts,
            _ => &[],
        }
    }
}

/// The message of the status.
impl fmt::Display for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadRequest(message) | Self::Internal(message) => f.write_str(message),
            Self::Conflicts(conflicts) => f.write_str(&conflict::message(conflicts)),
        }
    }
}

impl core::error::Error for ApplyError {}
