//! Test fixtures of this module: objects and policies.

use super::Configuration;
use crate::Release;
use crate::config::{ApiConfig, Behavior};
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::{Limits, Object, decode};

/// Parses an object from JSON or YAML.
pub(super) fn object(text: &str) -> Object<'_> {
    let decoded = decode(text, Limits::DEFAULT).unwrap_or_else(|fault| panic!("{fault}: {text}"));
    Object::new(decoded.documents.into_iter().next().unwrap())
}

pub(super) fn release(minor: u8) -> Release {
    Release::new(minor).unwrap()
}

/// The defaults of release 1.`minor`, as released.
pub(super) fn config(minor: u8) -> ApiConfig {
    ApiConfig::of(release(minor), Behavior::Released)
}

/// The defaults of the reference release with a configuration.
pub(super) fn configured(pod_security: Configuration) -> ApiConfig {
    ApiConfig { pod_security, ..config(36) }
}

/// Owned strings.
pub(super) fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).into()).collect()
}
