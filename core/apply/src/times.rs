//! Times of entries: a write that would change nothing else is none.

use crate::entry::{ManagedFieldsEntry, RawEntry, managed_fields};
use alloc::string::ToString;
use ratchet_object::Node;

/// Takes the times of the live object's entries over, if they are all that differs between the entries.
///
/// To be called when the objects are otherwise equal: then a write is left out, and clients that write the same again
/// and again do not wake those who watch.
pub fn keep_times(live: &Node<'_>, entries: &mut [ManagedFieldsEntry]) {
    let old = managed_fields(live).map(Node::items).unwrap_or_default();
    let is_same = |(old, new): (&Node<'_>, &ManagedFieldsEntry)| {
        let old = RawEntry(old);
        old.text("manager") == new.manager
            && old.operation() == Some(new.operation)
            && old.text("apiVersion") == new.api_version
            && old.text("subresource") == new.subresource
            && old.fields() == Some(&new.fields_v1)
    };
    if old.len() == entries.len() && old.iter().zip(entries.iter()).all(is_same) {
        for (old, new) in old.iter().zip(entries) {
            new.time = RawEntry(old).time().map(ToString::to_string);
        }
    }
}
