//! Helpers for tests: objects as text in, one line of cells out.

use crate::cells;
use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_object::{Limits, Node, decode};

/// The first second of 2026.
pub(crate) const NOW: i64 = 1_767_225_600;

/// A document as a tree.
pub(crate) fn tree(text: &str) -> Node<'static> {
    decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
}

/// The cells of an object as one line. One without metadata is called `a` and is five minutes old.
pub(crate) fn line(group: &str, kind: &str, text: &str) -> String {
    let mut object = tree(text);
    if object.get("metadata").is_none() {
        object.set("metadata", tree("{name: a, creationTimestamp: '2025-12-31T23:55:00Z'}"));
    }
    let plain = |cell: &Node<'_>| cell.text().map_or_else(|| cell.to_string(), ToOwned::to_owned);
    let cells: Vec<String> = cells(group, kind, &object, NOW).iter().map(plain).collect();
    cells.join(" | ")
}
