//! `ReportError`: why a command ends without its report.

use std::{fmt, io};

/// An error that ends a command before its report is complete.
#[derive(Debug)]
pub enum ReportError {
    /// An input or option cannot be used; the text says what to do.
    Setup(String),
    /// The output could not be written.
    Output(io::Error),
}

impl fmt::Display for ReportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setup(why) => f.write_str(why),
            Self::Output(error) => write!(f, "cannot write the output: {error}"),
        }
    }
}

impl std::error::Error for ReportError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Setup(_) => None,
            Self::Output(error) => Some(error),
        }
    }
}
