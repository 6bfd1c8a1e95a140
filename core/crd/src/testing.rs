//! Shorthands for tests.

use crate::errors::ErrorList;
use crate::structural::Structural;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::{Limits, Node, decode};

pub(crate) fn tree(text: &str) -> Node<'static> {
    decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
}

pub(crate) fn schema(text: &str) -> Structural {
    Structural::from_node(&tree(text))
}

pub(crate) fn texts(errors: ErrorList) -> Vec<String> {
    let text =
        |error: &ratchet_engine::FieldError| alloc::format!("{}: {}", error.field, error.message());
    errors.0.iter().map(text).collect()
}
