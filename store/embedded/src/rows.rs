//! Layout of the tables, and the encoding of log rows.
//!
//! Values are stored once, in the log, in the order of commits: a commit appends, a watch reads on.
//! `NEWEST` and `HISTORY` are small rows that point into it, so that counting and lookups never
//! touch values.

use std::sync::Arc;

use bytes::Bytes;
use ratchet_store::{Event, EventKind, Record, Revision};
use redb::TableDefinition;

/// The position of a log row: revision, and index of the write in its commit.
pub(crate) type LogPosition = (u64, u32);

/// Key → (position of its value, created, expiry in milliseconds since 1970 or 0).
pub(crate) const NEWEST: TableDefinition<'_, &str, (LogPosition, u64, u64)> =
    TableDefinition::new("newest");
/// (Key, revision at which the value was replaced or deleted) → position of that value.
pub(crate) const HISTORY: TableDefinition<'_, (&str, u64), LogPosition> =
    TableDefinition::new("history");
/// All events that are not compacted, and the current values.
pub(crate) const LOG: TableDefinition<'_, LogPosition, &[u8]> = TableDefinition::new("log");
/// (Expiry, key): keys that the store deletes by itself.
pub(crate) const EXPIRY: TableDefinition<'_, (u64, &str), ()> = TableDefinition::new("expiry");
/// The numbers of the store as a whole, and their checksum: one row, of this type in every format.
pub(crate) const HEAD: TableDefinition<'_, (), (u64, u64, u64, u64, u64)> =
    TableDefinition::new("head");

/// The probe for free space, written and removed again: normally empty.
pub(crate) const PROBE: TableDefinition<'_, (), &[u8]> = TableDefinition::new("trial");

/// The format that this version writes: the layout above.
pub(crate) const FORMAT: u64 = 1;

/// The numbers of the store as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// The version of the file's format.
    pub(crate) format: u64,
    /// The latest revision.
    pub(crate) latest: u64,
    /// The oldest available revision.
    pub(crate) oldest: u64,
    /// The revision up to which compacted rows have been removed.
    pub(crate) swept: u64,
}

impl Head {
    /// The head of an empty store.
    pub(crate) const EMPTY: Self = Self { format: FORMAT, latest: 0, oldest: 0, swept: 0 };

    /// Encodes the row.
    pub(crate) fn encode(self) -> (u64, u64, u64, u64, u64) {
        (self.format, self.latest, self.oldest, self.swept, self.checksum())
    }

    /// Decodes the row; `None` if it is damaged.
    pub(crate) fn decode(
        (format, latest, oldest, swept, checksum): (u64, u64, u64, u64, u64),
    ) -> Option<Self> {
        let head = Self { format, latest, oldest, swept };
        (head.checksum() == checksum).then_some(head)
    }

    fn checksum(self) -> u64 {
        [self.format, self.latest, self.oldest, self.swept].into_iter().fold(1, mix)
    }
}

/// One row of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) key: Arc<str>,
    /// `None` if the key was deleted.
    pub(crate) put: Option<(Bytes, Revision)>,
    /// The row whose value this one replaced.
    pub(crate) before: Option<LogPosition>,
}

impl Row {
    /// Encodes the row for `position`.
    pub(crate) fn encode(&self, position: LogPosition) -> Vec<u8> {
        let (value, created) = match &self.put {
            Some((value, created)) => (value.as_ref(), created.0),
            None => (&[][..], 0),
        };
        let (revision, index) = self.before.unwrap_or((0, 0));
        let mut out = Vec::with_capacity(33 + self.key.len() + value.len());
        out.extend([0; 8]); // the seal, when the rest is known
        out.push(u8::from(self.put.is_some()));
        out.extend(created.to_le_bytes());
        out.extend(revision.to_le_bytes());
        out.extend(index.to_le_bytes());
        out.extend((self.key.len() as u32).to_le_bytes()); // keys are shorter than LONGEST_KEY
        out.extend(self.key.as_bytes());
        out.extend(value);
        if let Some((checksum, body_bytes)) = out.split_first_chunk_mut() {
            *checksum = row_checksum(position, body_bytes).to_le_bytes();
        }
        out
    }

    /// Decodes a row; `None` if these are not the bytes that were written at `position`.
    pub(crate) fn decode(position: LogPosition, bytes: &[u8]) -> Option<Self> {
        let (checksum, body_bytes) = bytes.split_first_chunk()?;
        if u64::from_le_bytes(*checksum) != row_checksum(position, body_bytes) {
            return None;
        }
        let (put, rest) = body_bytes.split_first()?;
        let (created, rest) = rest.split_first_chunk()?;
        let (revision, rest) = rest.split_first_chunk()?;
        let (index, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (key, value) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        let before = (u64::from_le_bytes(*revision), u32::from_le_bytes(*index));
        let created = Revision(u64::from_le_bytes(*created));
        Some(Self {
            key: std::str::from_utf8(key).ok()?.into(),
            put: (*put != 0).then(|| (Bytes::copy_from_slice(value), created)),
            before: (before.0 != 0).then_some(before),
        })
    }

    /// The number of bytes of its value.
    pub(crate) fn size(&self) -> usize {
        self.put.as_ref().map_or(0, |(value, _)| value.len())
    }

    /// The row as an event of a watch.
    pub(crate) fn into_event(self, revision: u64) -> Event {
        let act = match self.put {
            Some((value, created)) => EventKind::Put { value, created },
            None => EventKind::Deleted,
        };
        Event { key: self.key, revision: Revision(revision), act }
    }

    /// The row as a record of a list; `None` for a deletion.
    pub(crate) fn into_record(self, revision: u64) -> Option<Record> {
        let (value, created) = self.put?;
        Some(Record { key: self.key, value, created, modified: Revision(revision) })
    }
}

/// A checksum over a row and its position: redb checks its own only after a crash, and a damaged
/// value, or a pointer to the wrong row, must not be served.
fn row_checksum((revision, index): LogPosition, bytes: &[u8]) -> u64 {
    let start = mix(mix(0x9e37_79b9_7f4a_7c15, revision), u64::from(index));
    let (chunks, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    let body =
        chunks.iter().fold(start, |checksum, chunk| mix(checksum, u64::from_le_bytes(*chunk)));
    mix(mix(body, u64::from_le_bytes(last)), bytes.len() as u64)
}

/// Both steps are reversible, so two inputs that differ in one word never collide.
fn mix(checksum: u64, chunk: u64) -> u64 {
    (checksum ^ chunk).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn row(key: &str, value: Option<Vec<u8>>, before: Option<LogPosition>) -> Row {
        Row { key: key.into(), put: value.map(|bytes| (bytes.into(), Revision(7))), before }
    }

    proptest! {
        #[test]
        fn a_row_reads_as_it_was_written(
            key in ".{0,40}",
            value in proptest::option::of(proptest::collection::vec(any::<u8>(), 0..80)),
            before in proptest::option::of((1..u64::MAX, any::<u32>())),
        ) {
            let row = row(&key, value, before);
            prop_assert_eq!(Row::decode((9, 1), &row.encode((9, 1))), Some(row));
        }

        #[test]
        fn a_changed_row_is_noticed(
            value in proptest::collection::vec(any::<u8>(), 0..80), at in any::<u16>(), bit in 0..8u8,
        ) {
            let mut bytes = row("/a/b", Some(value), None).encode((9, 1));
            let at = usize::from(at) % bytes.len();
            bytes[at] ^= 1 << bit;
            prop_assert_eq!(Row::decode((9, 1), &bytes), None);
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            prop_assert_eq!(Row::decode((1, 0), &bytes), None);
        }
    }

    #[test]
    fn a_changed_head_is_noticed() {
        let row = Head { latest: 9, oldest: 4, swept: 2, ..Head::EMPTY }.encode();
        assert_eq!(Head::decode(row).map(|head| head.latest), Some(9));
        assert_eq!(Head::decode((row.0, 8, row.2, row.3, row.4)), None);
        assert_eq!(Head::decode((row.0, row.1, row.3, row.2, row.4)), None);
    }

    #[test]
    fn a_row_of_another_place_is_noticed() {
        let bytes = row("/a", Some(b"x".to_vec()), None).encode((9, 1));
        assert_eq!(Row::decode((9, 2), &bytes), None);
        assert_eq!(Row::decode((8, 1), &bytes), None);
        assert_eq!(Row::decode((9, 1), &bytes[..bytes.len() - 1]), None);
    }
}
