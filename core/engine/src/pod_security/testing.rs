//! What the tests of this folder share: objects and policies in a line.

use super::Configuration;
use crate::Release;
use crate::policy::{Behavior, Policy};
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::{Limits, Object, decode};

/// The object that a text spells, in JSON or in YAML.
pub(super) fn object(text: &str) -> Object<'_> {
    let decoded = decode(text, Limits::DEFAULT).unwrap_or_else(|fault| panic!("{fault}: {text}"));
    Object::new(decoded.documents.into_iter().next().unwrap())
}

/// Release 1.`minor`.
pub(super) fn release(minor: u8) -> Release {
    Release::new(minor).unwrap()
}

/// The defaults of release 1.`minor`, as released.
pub(super) fn policy(minor: u8) -> Policy {
    Policy::of(release(minor), Behavior::Released)
}

/// The defaults of the reference release with a configuration.
pub(super) fn configured(pod_security: Configuration) -> Policy {
    Policy { pod_security, ..policy(36) }
}

/// Texts that own themselves.
pub(super) fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).into()).collect()
}
