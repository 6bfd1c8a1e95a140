//! Result of decoding a text: its documents with their duplicate members, or the error.

use crate::{Node, Span};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// Reports at most so many duplicate members; nobody reads more.
pub(crate) const MAX_REPEATED: usize = 100;

/// The documents of a text.
#[derive(Clone, Debug, Default)]
pub struct Decoded<'t> {
    /// The documents in order; none for an empty text.
    pub documents: Vec<Node<'t>>,
    /// Duplicate members; the last one counts.
    pub repeated: Vec<Repeated>,
}

/// A duplicate member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// The path of the member.
    pub path: String,
    /// The span of the repeated key.
    pub span: Span,
}

/// A syntax error, or a limit that was exceeded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// What is wrong.
    pub message: String,
    /// The byte offset at which decoding stopped.
    pub offset: u32,
}

impl DecodeError {
    pub(crate) fn new(message: impl Into<String>, offset: usize) -> Self {
        Self { message: message.into(), offset: Span::new(offset, offset).start }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for DecodeError {}
