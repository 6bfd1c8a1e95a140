//! `Reader`: the records of an archive, checked as they are read.

use std::io::{self, Read};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::{
    ArchiveError, ArchivedRecord, END, Header, MAGIC, MAX_KEY, MAX_VALUE, RECORD, VERSION,
};
use crate::{Record, Revision};

/// Reads an archive. What it returned counts only once [`Reader::next_record`] has returned `None`: the hash
/// stands at the end.
///
/// ```
/// use ratchet_store::archive::{ArchiveError, Reader};
///
/// assert!(matches!(Reader::open(&b"hello, world"[..]), Err(ArchiveError::NotAnArchive)));
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    input: R,
    hash: Sha256,
    /// The number of bytes read.
    at: u64,
    header: Header,
    records: u64,
    last: Option<Arc<str>>,
    is_done: bool,
}

impl<R: Read> Reader<R> {
    /// Reads the header.
    pub fn open(input: R) -> Result<Self, ArchiveError> {
        let header = Header { revision: Revision(0), taken: 0 };
        let mut reader = Self {
            input,
            hash: Sha256::new(),
            at: 0,
            header,
            records: 0,
            last: None,
            is_done: false,
        };
        let magic: [u8; 8] = match reader.array() {
            Err(ArchiveError::CutShort { .. }) => return Err(ArchiveError::NotAnArchive),
            magic => magic?,
        };
        if magic != *MAGIC {
            return Err(ArchiveError::NotAnArchive);
        }
        match reader.u32()? {
            VERSION => {}
            0 => return Err(reader.damaged("it has no version")),
            found => return Err(ArchiveError::Newer { found }),
        }
        let (revision, taken) = (Revision(reader.u64()?), reader.u64()?);
        Ok(Self { header: Header { revision, taken }, ..reader })
    }

    /// What the archive says of itself.
    pub fn header(&self) -> Header {
        self.header
    }

    /// The number of records read.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The number of bytes read.
    pub fn bytes(&self) -> u64 {
        self.at
    }

    /// The next record in the order of keys; `None` after the last, if the hash is right.
    pub fn next_record(&mut self) -> Result<Option<ArchivedRecord>, ArchiveError> {
        if self.is_done {
            return Ok(None);
        }
        match self.array()? {
            [RECORD] => self.record().map(Some),
            [END] => self.end().map(|()| None),
            _ => Err(self.damaged("there is no record")),
        }
    }

    fn record(&mut self) -> Result<ArchivedRecord, ArchiveError> {
        let key = self.text(MAX_KEY, "a key is too long")?;
        let key = String::from_utf8(key).map_err(|_| self.damaged("a key is no text"))?;
        let value = self.text(MAX_VALUE, "a value is too long")?;
        let (created, modified) = (Revision(self.u64()?), Revision(self.u64()?));
        let expires = self.u64()?;
        if self.last.as_deref().is_some_and(|last| last >= key.as_str()) {
            return Err(self.damaged("its keys are not in order"));
        }
        if created.0 == 0 || created > modified || modified > self.header.revision {
            return Err(self.damaged("revisions contradict each other"));
        }
        let key: Arc<str> = key.into();
        self.last = Some(Arc::clone(&key));
        self.records += 1;
        let record = Record { key, value: value.into(), created, modified };
        Ok(ArchivedRecord { record, expires: (expires != 0).then_some(expires) })
    }

    fn end(&mut self) -> Result<(), ArchiveError> {
        if self.u64()? != self.records {
            return Err(self.damaged("it has another number of records than it says"));
        }
        let expected: [u8; 32] = self.hash.clone().finalize().into();
        if self.array::<32>()? != expected {
            return Err(self.damaged("its SHA-256 does not match"));
        }
        let mut beyond = [0];
        match read_full(&mut self.input, &mut beyond).map_err(ArchiveError::Unreadable)? {
            0 => {}
            _ => return Err(self.damaged("there is something behind its end")),
        }
        self.is_done = true;
        Ok(())
    }

    fn text(&mut self, longest: u32, why: &'static str) -> Result<Vec<u8>, ArchiveError> {
        let length = self.u32()?;
        if length > longest {
            return Err(self.damaged(why));
        }
        let mut bytes = vec![0; length as usize];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn u32(&mut self) -> Result<u32, ArchiveError> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, ArchiveError> {
        self.array().map(u64::from_le_bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ArchiveError> {
        let mut bytes = [0; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), ArchiveError> {
        let read = read_full(&mut self.input, bytes).map_err(ArchiveError::Unreadable)?;
        self.at += read as u64;
        if read < bytes.len() {
            return Err(ArchiveError::CutShort { bytes: self.at });
        }
        self.hash.update(bytes);
        Ok(())
    }

    fn damaged(&self, why: &'static str) -> ArchiveError {
        ArchiveError::Damaged { at: self.at, why }
    }
}

/// Reads until the buffer is full or the input ends; returns the number of bytes.
fn read_full(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match input.read(rest) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
