//! A container as a test describes it.

use std::path::PathBuf;

use crate::Log;

/// What a container has said, and what runs in it.
#[derive(Clone, Debug, Default)]
pub struct Container {
    /// What it has said.
    pub log: Log,
    /// What the container before it said.
    pub previous: Option<Log>,
    /// What runs in it; it starts when the container is added, writes to the log, and can be attached to.
    pub command: Vec<String>,
    /// Whether the command runs on a terminal.
    pub tty: bool,
    /// Whether the command's input ends when the first who attached to it leaves.
    pub stdin_once: bool,
    /// Where commands run.
    pub directory: Option<PathBuf>,
    /// What commands find in their environment, besides the kubelet's own.
    pub environment: Vec<(String, String)>,
}

impl Container {
    /// A container that runs a command.
    pub fn running<S: Into<String>>(command: impl IntoIterator<Item = S>) -> Self {
        Self { command: command.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// A container that has said this.
    pub fn saying(log: impl Into<Log>) -> Self {
        Self { log: log.into(), ..Self::default() }
    }
}
