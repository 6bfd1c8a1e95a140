//! The contract of a store: bytes under keys with revisions.
