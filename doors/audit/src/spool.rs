//! The spool: findings in a file, so that memory does not grow with them, and an order by which they are read again.

use crate::page::OwnedFinding;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};

/// Where a finding comes in the report: source, page of it, number in the page.
pub(crate) type Position = (u32, u32, u32);

/// Findings in a temporary file.
pub(crate) struct Spool {
    file: BufWriter<File>,
    length: u64,
    rows: Vec<(Position, u64, u32)>,
    line: Vec<u8>,
}

impl Spool {
    pub(crate) fn new() -> io::Result<Self> {
        let file = BufWriter::with_capacity(1 << 16, tempfile::tempfile()?);
        Ok(Self { file, length: 0, rows: Vec::new(), line: Vec::new() })
    }

    /// Appends a finding.
    pub(crate) fn push(&mut self, position: Position, finding: &OwnedFinding) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, finding)?;
        self.file.write_all(&self.line)?;
        let size = u32::try_from(self.line.len()).map_err(io::Error::other)?;
        self.rows.push((position, self.length, size));
        self.length += u64::from(size);
        Ok(())
    }

    /// Ends the writing.
    pub(crate) fn finish(mut self) -> io::Result<Spooled> {
        self.file.flush()?;
        let file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        self.rows.sort_unstable();
        Ok(Spooled { file, rows: self.rows })
    }
}

/// The findings in order.
pub(crate) struct Spooled {
    file: File,
    rows: Vec<(Position, u64, u32)>,
}

impl Spooled {
    /// Removes the findings for which `removed` is true, in their order.
    pub(crate) fn remove(&mut self, removed: &[bool]) {
        let mut removed = removed.iter();
        self.rows.retain(|_| removed.next() != Some(&true));
    }

    /// Calls `each` with every finding, in order.
    pub(crate) fn for_each(
        &self,
        each: impl FnMut(OwnedFinding) -> io::Result<()>,
    ) -> io::Result<()> {
        self.read(self.rows.iter(), each)
    }

    /// Calls `each` with the findings of these numbers.
    pub(crate) fn for_some(
        &self,
        numbers: &[usize],
        each: impl FnMut(OwnedFinding) -> io::Result<()>,
    ) -> io::Result<()> {
        self.read(numbers.iter().filter_map(|number| self.rows.get(*number)), each)
    }

    fn read<'r>(
        &self,
        rows: impl Iterator<Item = &'r (Position, u64, u32)>,
        mut each: impl FnMut(OwnedFinding) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut file = &self.file;
        let mut buffer = Vec::new();
        let mut at = u64::MAX;
        for (_, offset, size) in rows {
            if at != *offset {
                file.seek(SeekFrom::Start(*offset))?;
            }
            buffer.resize(*size as usize, 0);
            file.read_exact(&mut buffer)?;
            at = offset + u64::from(*size);
            each(serde_json::from_slice(&buffer)?)?;
        }
        Ok(())
    }
}
