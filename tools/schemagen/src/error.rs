//! Error of the generator.

/// Whatever stops the generator: a schema it cannot read, or a closed pipe.
pub(crate) type Error = Box<dyn std::error::Error>;
