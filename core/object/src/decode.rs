//! Decoding of JSON and YAML text into trees, as Kubernetes reads them, with the position of every error.

use crate::{DecodeError, Decoded, Limits, json, yaml, yaml_plain};

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
