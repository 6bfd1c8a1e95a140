//! `Encoder`: the bytes of an archive, record by record.

use sha2::{Digest, Sha256};

use super::{END, Header, MAGIC, RECORD, VERSION};
use crate::Record;

/// Appends the bytes of an archive to buffers, and hashes them.
#[derive(Debug)]
pub(super) struct Encoder {
    hash: Sha256,
    records: u64,
}

impl Encoder {
    /// Begins an archive.
    pub(super) fn begin(header: Header, out: &mut Vec<u8>) -> Self {
        let mut encoder = Self { hash: Sha256::new(), records: 0 };
        encoder.append(out, |out| {
            out.extend(MAGIC);
            out.extend(VERSION.to_le_bytes());
            out.extend(header.revision.0.to_le_bytes());
            out.extend(header.taken.to_le_bytes());
        });
        encoder
    }

    /// Adds a record; the keys must ascend.
    pub(super) fn record(&mut self, record: &Record, expires: Option<u64>, out: &mut Vec<u8>) {
        self.records += 1;
        self.append(out, |out| {
            out.push(RECORD);
            for bytes in [record.key.as_bytes(), &record.value] {
                out.extend((bytes.len() as u32).to_le_bytes()); // stores refuse longer ones
                out.extend(bytes);
            }
            for number in [record.created.0, record.modified.0, expires.unwrap_or(0)] {
                out.extend(number.to_le_bytes());
            }
        });
    }

    /// Ends the archive with its hash.
    pub(super) fn finish(mut self, out: &mut Vec<u8>) {
        let records = self.records;
        self.append(out, |out| {
            out.push(END);
            out.extend(records.to_le_bytes());
        });
        out.extend(self.hash.finalize());
    }

    fn append(&mut self, out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
        let start = out.len();
        write(out);
        self.hash.update(out.get(start..).unwrap_or_default());
    }
}
