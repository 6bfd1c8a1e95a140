//! The description of a container by a test.

use std::path::PathBuf;

use crate::Log;

/// A container: its logs and its command.
#[derive(Clone, Debug, Default)]
pub struct Container {
    /// The log of the current instance.
    pub log: Log,
    /// The log of the previous instance.
    pub previous: Option<Log>,
    /// The command, which starts when the container is added, writes to the log, and can be attached to.
    pub command: Vec<String>,
    /// Whether the command runs on a terminal.
    pub tty: bool,
    /// Whether the command's input ends when the first attached client leaves.
    pub stdin_once: bool,
    /// The working directory of commands.
    pub directory: Option<PathBuf>,
    /// Environment variables of commands, in addition to the kubelet's own.
    pub environment: Vec<(String, String)>,
}

impl Container {
    /// A container that runs a command.
    pub fn running<S: Into<String>>(command: impl IntoIterator<Item = S>) -> Self {
        Self { command: command.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// A container with this log.
    pub fn saying(log: impl Into<Log>) -> Self {
        Self { log: log.into(), ..Self::default() }
    }
}
