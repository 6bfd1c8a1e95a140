//! Error of protobuf decoding and encoding, with the path of the field.

use crate::path::readable;
use alloc::format;
use alloc::string::String;
use core::fmt;

/// A body that cannot be decoded, or a tree that cannot be encoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtoError {
    /// The field path, such as `spec.ports[0].port`; empty for the whole body.
    pub path: String,
    /// What is wrong.
    pub message: String,
}

impl ProtoError {
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { path: String::new(), message: message.into() }
    }

    /// Prefixes the path with a field name.
    pub(super) fn below(self, name: &str) -> Self {
        self.at(name.into())
    }

    /// Prefixes the path with a list index.
    pub(super) fn item(self, index: usize) -> Self {
        self.at(format!("[{index}]"))
    }

    /// Prefixes the path with a map key.
    pub(super) fn key(self, key: &str) -> Self {
        self.at(format!("[{key}]"))
    }

    fn at(self, mut before: String) -> Self {
        if !self.path.is_empty() && !self.path.starts_with('[') {
            before.push('.');
        }
        Self { path: readable(before + &self.path), ..self }
    }
}

impl fmt::Display for ProtoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon = if self.path.is_empty() { "" } else { ": " };
        write!(f, "protobuf: {}{colon}{}", self.path, self.message)
    }
}

impl core::error::Error for ProtoError {}

/// The result of decoding or encoding.
pub(super) type ProtoResult<T> = Result<T, ProtoError>;
