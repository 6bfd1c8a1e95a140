//! Result of a command of the `ratchet` binary.

/// Exit status of a command, or why it could not run.
pub(crate) type CommandResult = Result<u8, Box<dyn std::error::Error>>;
