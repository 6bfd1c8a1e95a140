//! How the store is laid out in tables, and how one row of its log is spelled.
//!
//! Values stand once, in the log, in the order in which they came: a commit appends, a watch reads on. `NEWEST` and
//! `HISTORY` are small rows that point into it, so that counting and finding never touch values.

use std::sync::Arc;

use bytes::Bytes;
use ratchet_store::{Event, Happened, Record, Revision};
use redb::TableDefinition;

/// Where a row of the log stands: revision, and which write of its commit.
pub(crate) type Place = (u64, u32);

/// Key → (place of its value, created, when it expires in milliseconds since 1970 or 0).
pub(crate) const NEWEST: TableDefinition<'_, &str, (Place, u64, u64)> =
    TableDefinition::new("newest");
/// (Key, revision at which the value was replaced or deleted) → place of that value.
pub(crate) const HISTORY: TableDefinition<'_, (&str, u64), Place> = TableDefinition::new("history");
/// Everything that happened and is not forgotten, and the values that live.
pub(crate) const LOG: TableDefinition<'_, Place, &[u8]> = TableDefinition::new("log");
/// (When, key): what the store deletes by itself.
pub(crate) const EXPIRY: TableDefinition<'_, (u64, &str), ()> = TableDefinition::new("expiry");
/// The few numbers of the store as a whole, and their seal: one row.
pub(crate) const HEAD: TableDefinition<'_, (), (u64, u64, u64, u64, u64)> =
    TableDefinition::new("head");

/// What is written to see whether there is room, and taken out again: nothing as a rule.
pub(crate) const TRIAL: TableDefinition<'_, (), &[u8]> = TableDefinition::new("trial");

/// The layout above; a file with a higher number was written by a newer Ratchet.
pub(crate) const FORMAT: u64 = 1;

/// The few numbers of the store as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    /// See [`FORMAT`].
    pub(crate) format: u64,
    /// The newest revision.
    pub(crate) latest: u64,
    /// The oldest revision that may be asked for.
    pub(crate) oldest: u64,
    /// Up to where rows that nobody may ask for have been removed.
    pub(crate) swept: u64,
}

impl Head {
    /// The head of an empty store.
    pub(crate) const EMPTY: Self = Self { format: FORMAT, latest: 0, oldest: 0, swept: 0 };

    /// The row.
    pub(crate) fn write(self) -> (u64, u64, u64, u64, u64) {
        (self.format, self.latest, self.oldest, self.swept, self.seal())
    }

    /// Reads the row; `None` if it is not what was written.
    pub(crate) fn read(
        (format, latest, oldest, swept, seal): (u64, u64, u64, u64, u64),
    ) -> Option<Self> {
        let head = Self { format, latest, oldest, swept };
        (head.seal() == seal).then_some(head)
    }

    fn seal(self) -> u64 {
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
    pub(crate) before: Option<Place>,
}

impl Row {
    /// The bytes of the row that stands at `place`.
    pub(crate) fn write(&self, place: Place) -> Vec<u8> {
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
        if let Some((seal, sealed)) = out.split_first_chunk_mut() {
            *seal = seal_of(place, sealed).to_le_bytes();
        }
        out
    }

    /// Reads a row; `None` if these are not the bytes that were written to `place`.
    pub(crate) fn read(place: Place, bytes: &[u8]) -> Option<Self> {
        let (seal, sealed) = bytes.split_first_chunk()?;
        if u64::from_le_bytes(*seal) != seal_of(place, sealed) {
            return None;
        }
        let (put, rest) = sealed.split_first()?;
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

    /// What a watch tells of it.
    pub(crate) fn into_event(self, revision: u64) -> Event {
        let act = match self.put {
            Some((value, created)) => Happened::Put { value, created },
            None => Happened::Deleted,
        };
        Event { key: self.key, revision: Revision(revision), act }
    }

    /// What a list shows of it; `None` for a deletion.
    pub(crate) fn into_record(self, revision: u64) -> Option<Record> {
        let (value, created) = self.put?;
        Some(Record { key: self.key, value, created, modified: Revision(revision) })
    }
}

/// A checksum over a row and its place: redb checks its own only after a crash, and a value that rotted on the disk, or
/// a pointer that leads to the wrong row, must not be served.
fn seal_of((revision, index): Place, bytes: &[u8]) -> u64 {
    let start = mix(mix(0x9e37_79b9_7f4a_7c15, revision), u64::from(index));
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    for (to, from) in last.iter_mut().zip(rest) {
        *to = *from;
    }
    let body = words.iter().fold(start, |seal, word| mix(seal, u64::from_le_bytes(*word)));
    mix(mix(body, u64::from_le_bytes(last)), bytes.len() as u64)
}

/// Both steps can be undone, so two inputs that differ in one word never meet.
fn mix(seal: u64, word: u64) -> u64 {
    (seal ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn row(key: &str, value: Option<Vec<u8>>, before: Option<Place>) -> Row {
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
            prop_assert_eq!(Row::read((9, 1), &row.write((9, 1))), Some(row));
        }

        #[test]
        fn a_changed_row_is_noticed(
            value in proptest::collection::vec(any::<u8>(), 0..80), at in any::<u16>(), bit in 0..8u8,
        ) {
            let mut bytes = row("/a/b", Some(value), None).write((9, 1));
            let at = usize::from(at) % bytes.len();
            bytes[at] ^= 1 << bit;
            prop_assert_eq!(Row::read((9, 1), &bytes), None);
        }

        #[test]
        fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            prop_assert_eq!(Row::read((1, 0), &bytes), None);
        }
    }

    #[test]
    fn a_changed_head_is_noticed() {
        let row = Head { latest: 9, oldest: 4, swept: 2, ..Head::EMPTY }.write();
        assert_eq!(Head::read(row).map(|head| head.latest), Some(9));
        assert_eq!(Head::read((row.0, 8, row.2, row.3, row.4)), None);
        assert_eq!(Head::read((row.0, row.1, row.3, row.2, row.4)), None);
    }

    #[test]
    fn a_row_of_another_place_is_noticed() {
        let bytes = row("/a", Some(b"x".to_vec()), None).write((9, 1));
        assert_eq!(Row::read((9, 2), &bytes), None);
        assert_eq!(Row::read((8, 1), &bytes), None);
        assert_eq!(Row::read((9, 1), &bytes[..bytes.len() - 1]), None);
    }
}
