//! Trait of a report format, which is written object by object.

use crate::{CheckedObject, Summary};
use std::io::{self, Write};

/// An output format; objects are written as they come, so that no report holds them all.
pub(crate) trait Report {
    /// Writes what precedes the first object.
    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// Writes one object with its findings.
    fn object(&mut self, checked: &CheckedObject, out: &mut dyn Write) -> io::Result<()>;

    /// Writes what follows the last object.
    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()>;
}
