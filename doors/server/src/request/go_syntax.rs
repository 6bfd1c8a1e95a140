//! JSON syntax errors with the messages of Go's `encoding/json`, which clients know.

pub(crate) use ratchet_object::go_syntax::{explain, explain_or, not_an_object};
