//! Decoding of JSON and YAML text into trees, as Kubernetes reads them, with the position of every error.

use crate::{Node, Span, depth, json, yaml, yaml_plain};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// The formats of text that are decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// JSON values, one after another.
    Json,
    /// YAML 1.1 as Kubernetes reads it.
    Yaml,
}

impl Format {
    /// The likely format of a text: JSON begins with a brace or a bracket.
    pub fn guess(text: &str) -> Self {
        let begins = text.trim_start_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
        if begins.starts_with(['{', '[']) { Self::Json } else { Self::Yaml }
    }
}

/// Limits on what a text may make the decoder allocate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest document, in bytes.
    pub bytes: usize,
    /// The deepest nesting of values; never more than that of [`Limits::STORED`].
    pub depth: usize,
    /// The most values, including those that aliases repeat.
    pub nodes: usize,
}

impl Limits {
    /// The largest request body that the API takes, and no more values than such an object can use.
    pub const DEFAULT: Self =
        Self { bytes: 3 << 20, depth: depth::MAX_REQUEST_DEPTH, nodes: 1 << 17 };

    /// For lists that this program wrote itself, each item of which was within the limits.
    pub const STORED: Self = Self { bytes: usize::MAX, depth: depth::MAX_DEPTH, nodes: usize::MAX };

    /// The same limits, with the depth capped at the deepest tree there may be.
    pub(crate) fn capped(self) -> Self {
        Self { depth: self.depth.min(depth::MAX_DEPTH), ..self }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// Reports at most so many duplicate members; nobody reads more.
pub(crate) const MAX_REPEATED: usize = 100;

/// Truncates a path for display: a key may have a hundred thousand letters.
pub(crate) fn readable(mut path: String) -> String {
    const MAX_LEN: usize = 1000;
    if path.len() > MAX_LEN {
        let end = (0..=MAX_LEN).rev().find(|&at| path.is_char_boundary(at)).unwrap_or(0);
        path.truncate(end);
        path.push('…');
        path.shrink_to_fit();
    }
    path
}

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

/// Decodes one document of a stream (or, in JSON, several values one after another).
pub fn decode(text: &str, limits: Limits) -> Result<Decoded<'_>, DecodeError> {
    let limits = limits.capped();
    // Nearly every manifest is plain; any other is parsed again from its beginning.
    decode_by(text, limits, |text| {
        yaml_plain::parse(text, limits).map_or_else(|| yaml::parse(text, limits), Ok)
    })
}

/// Decodes JSON only: one value, or several one after another.
pub fn decode_json(text: &str, limits: Limits) -> Result<Decoded<'_>, DecodeError> {
    let limits = limits.capped();
    if text.len() > limits.bytes {
        let message = alloc::format!("the document is larger than {} bytes", limits.bytes);
        return Err(DecodeError::new(message, 0));
    }
    json::parse(text, limits)
}

/// [`decode`] without its fast path, for benches and fuzzing to compare with.
#[doc(hidden)]
pub fn decode_without_shortcut(text: &str, limits: Limits) -> Result<Decoded<'_>, DecodeError> {
    let limits = limits.capped();
    decode_by(text, limits, |text| yaml::parse(text, limits))
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
        // YAML flow collections look like JSON; what only YAML can parse is YAML.
        Format::Json => json::parse(text, limits)
            .or_else(|json_error| yaml::parse(text, limits).map_err(|_| json_error)),
    }
}
