//! Bytes become trees, the way Kubernetes reads them; what cannot be read says where and why.

use crate::{Node, Span, depth, json, yaml, yaml_plain};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON, one value after another.
    Json,
    /// YAML 1.1 as Kubernetes reads it.
    Yaml,
}

impl Format {
    /// What a text looks like: JSON begins with a brace or a bracket.
    pub fn guess(text: &str) -> Self {
        let begins = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
        if begins.starts_with(['{', '[']) { Self::Json } else { Self::Yaml }
    }
}

/// How much a text may ask of us before it is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one document.
    pub bytes: usize,
    /// Values inside values; no reader goes beyond those of [`Limits::STORED`].
    pub depth: usize,
    /// Values in all, those that aliases repeat included.
    pub nodes: usize,
}

impl Limits {
    /// As large as the API takes a request, and no more values than such an object can use.
    pub const DEFAULT: Self = Self { bytes: 3 << 20, depth: depth::SENT, nodes: 1 << 17 };

    /// For what this program wrote itself: lists of objects, each of which was within the limits.
    pub const STORED: Self = Self { bytes: usize::MAX, depth: depth::DEEPEST, nodes: usize::MAX };

    /// The same limits, within what any tree may be.
    pub(crate) fn capped(self) -> Self {
        Self { depth: self.depth.min(depth::DEEPEST), ..self }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// So many members that were written twice are reported; nobody reads more.
pub(crate) const MOST_REPEATED: usize = 100;

/// A path that a person can read: what a key of a hundred thousand letters adds is cut off.
pub(crate) fn readable(mut path: String) -> String {
    const LONGEST: usize = 1000;
    if path.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|&at| path.is_char_boundary(at)).unwrap_or(0);
        path.truncate(end);
        path.push('…');
        path.shrink_to_fit();
    }
    path
}

/// What a text held.
#[derive(Clone, Debug, Default)]
pub struct Decoded<'t> {
    /// The documents in it; an empty text has none.
    pub documents: Vec<Node<'t>>,
    /// Members that were written twice; the last one counts.
    pub repeated: Vec<Repeated>,
}

/// A member that was written twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// Its path.
    pub path: String,
    /// Where it was written again.
    pub span: Span,
}

/// Why a text cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError {
    /// What is wrong there.
    pub message: String,
    /// The byte at which reading stopped.
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

/// Reads one document of a stream (or, in JSON, several values one after another).
pub fn decode(text: &str, limits: Limits) -> Result<Decoded<'_>, DecodeError> {
    let limits = limits.capped();
    // Nearly every manifest is plain; what is not is read from its beginning again.
    decode_by(text, limits, |text| {
        yaml_plain::read(text, limits).map_or_else(|| yaml::read(text, limits), Ok)
    })
}

/// Reads JSON only: one value, or several one after another.
pub fn decode_json(text: &str, limits: Limits) -> Result<Decoded<'_>, DecodeError> {
    let limits = limits.capped();
    if text.len() > limits.bytes {
        let message = alloc::format!("the document is larger than {} bytes", limits.bytes);
        return Err(DecodeError::new(message, 0));
    }
    json::read(text, limits)
}

/// The same as [`decode`] without its shortcut, for benches and fuzzing to compare it with.
#[doc(hidden)]
pub fn decode_without_shortcut(text: &str, limits: Limits) -> Result<Decoded<'_>, DecodeError> {
    let limits = limits.capped();
    decode_by(text, limits, |text| yaml::read(text, limits))
}

fn decode_by<'t>(
    text: &'t str,
    limits: Limits,
    read_yaml: impl Fn(&'t str) -> Result<Decoded<'t>, DecodeError>,
) -> Result<Decoded<'t>, DecodeError> {
    if text.len() > limits.bytes {
        let message = alloc::format!("the document is larger than {} bytes", limits.bytes);
        return Err(DecodeError::new(message, 0));
    }
    match Format::guess(text) {
        Format::Yaml => read_yaml(text),
        // YAML's own braces look like JSON; what only YAML can read is YAML.
        Format::Json => json::read(text, limits)
            .or_else(|as_json| yaml::read(text, limits).map_err(|_| as_json)),
    }
}
