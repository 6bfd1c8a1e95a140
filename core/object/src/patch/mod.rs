//! The ways to change an object by telling only the difference.
