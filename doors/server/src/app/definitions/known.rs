//! The definitions that are known, and where they are stored.

use crate::registry::custom::Definition;
use crate::storage::cache::ROOT;
use std::collections::HashMap;
use std::sync::Arc;

/// The name under which definitions are stored.
pub(super) const STORAGE: &str = "customresourcedefinitions.apiextensions.k8s.io";

/// Definitions by name.
pub(super) type Known = HashMap<Arc<str>, Arc<Definition>>;

/// The store key of a definition.
pub(super) fn key(name: &str) -> String {
    format!("{ROOT}{STORAGE}/{name}")
}
