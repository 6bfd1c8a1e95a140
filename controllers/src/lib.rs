//! The small loops that a server needs.
