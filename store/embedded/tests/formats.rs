//! Files of every format there was, and of one that is yet to come.
//!
//! The files in `formats` were written by the commits in which they came to be: `1-first` by the first version of the
//! store, `1-probed` by the first one that had probed for space on a full disk, which leaves a table behind.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a helper of a test may fail like a test"
)]

use std::fs;
use std::io::Read;
use std::path::Path;

use ratchet_embedded::{Embedded, OpenError, Options, compact, inspect};
use ratchet_store::{Commit, EventKind, Guard, Query, Revision, Store, StoreError, Write};
use redb::{Database, TableDefinition};

const FILES: &[(&str, &[u8])] = &[
    ("1-first", include_bytes!("formats/1-first.redb.gz")),
    ("1-probed", include_bytes!("formats/1-probed.redb.gz")),
];

/// Unpacks a file into a directory of a store.
fn unpack(packed: &[u8], directory: &Path) {
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes).unwrap();
    fs::write(directory.join("state.redb"), bytes).unwrap();
}

fn open(path: &Path) -> Result<Embedded, OpenError> {
    Embedded::open(path, Options { verify: true, ..Options::default() })
}

/// What every file has: keys, values, and the revisions at which they were created and modified.
async fn check_content(store: &Embedded) {
    let records = store.list(Query::default()).await.unwrap().records;
    let found: Vec<(&str, usize, u64, u64)> = records
        .iter()
        .map(|record| (&*record.key, record.value.len(), record.created.0, record.modified.0))
        .collect();
    let wanted = [
        ("/registry/a/1", 3, 1, 2),
        ("/registry/a/2", 3, 2, 7),
        ("/registry/c/large", 5000, 5, 5),
        ("/registry/events/e", 4, 6, 6),
    ];
    assert_eq!(found, wanted);
    assert_eq!((&records[0].value[..], &records[1].value[..]), (&b"uno"[..], &b"due"[..]));
    assert_eq!(store.expiring().await.unwrap().keys.len(), 1);
}

#[tokio::test]
async fn older_files_are_taken_over() {
    for (name, packed) in FILES {
        let dir = tempfile::tempdir().unwrap();
        unpack(packed, dir.path());
        let store = open(dir.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(store.latest().await, Ok(Revision(7)), "{name}");
        check_content(&store).await;
        // History goes on where it was, and ends where it was compacted.
        let past = store.list(Query { at: Some(Revision(6)), ..Query::under("/registry/a/2") });
        assert_eq!(past.await.unwrap().records[0].value, "two", "{name}");
        let forgotten = store.watch("", Revision(3)).await.map(drop);
        assert_eq!(forgotten, Err(StoreError::Compacted { oldest: Revision(4) }), "{name}");
        let mut watch = store.watch("", Revision(6)).await.unwrap();
        let events = watch.next().await.unwrap().events;
        assert_eq!((&*events[0].key, events.len()), ("/registry/a/2", 1), "{name}");
        let done = store.commit(vec![Write::delete("/registry/a/1", Guard::At(Revision(2)))]).await;
        assert_eq!(done, Ok(Commit::Done(Revision(8))), "{name}");
        assert_eq!(watch.next().await.unwrap().events[0].act, EventKind::Deleted, "{name}");
        drop((watch, store));
        let inspection = inspect(dir.path(), &mut |_| Ok(())).unwrap();
        assert_eq!(inspection.problems.reported, [] as [&str; 0], "{name}");
        assert_eq!((inspection.format, inspection.writer), (1, None), "{name}");
    }
}

#[tokio::test]
async fn older_files_are_compacted() {
    for (name, packed) in FILES {
        let dir = tempfile::tempdir().unwrap();
        unpack(packed, dir.path());
        compact(dir.path()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let inspection = inspect(dir.path(), &mut |_| Ok(())).unwrap();
        assert_eq!(inspection.problems.reported, [] as [&str; 0], "{name}");
        assert_eq!((inspection.history, inspection.oldest), (0, Revision(7)), "{name}");
        check_content(&open(dir.path()).unwrap()).await;
    }
}

/// A file whose tables have nothing in common with ours but the head.
fn write_newer(directory: &Path, writer: Option<&str>) {
    let database = Database::create(directory.join("state.redb")).unwrap();
    let transaction = database.begin_write().unwrap();
    let head: TableDefinition<'_, (), (u64, u64, u64, u64, u64)> = TableDefinition::new("head");
    let mix = |checksum: u64, chunk: u64| {
        (checksum ^ chunk).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(29)
    };
    let checksum = [2, 9, 4, 4].into_iter().fold(1, mix);
    transaction.open_table(head).unwrap().insert((), (2, 9, 4, 4, checksum)).unwrap();
    let log: TableDefinition<'_, &str, u64> = TableDefinition::new("log");
    transaction.open_table(log).unwrap().insert("another", 7).unwrap();
    if let Some(writer) = writer {
        let table: TableDefinition<'_, (), &str> = TableDefinition::new("writer");
        transaction.open_table(table).unwrap().insert((), writer).unwrap();
    }
    transaction.commit().unwrap();
}

#[test]
fn a_newer_file_is_refused_with_what_can_read_it() {
    let version = env!("CARGO_PKG_VERSION");
    for (writer, fix) in
        [(Some("ratchet 9.1.0"), "ratchet 9.1.0"), (None, "the version that wrote it")]
    {
        let dir = tempfile::tempdir().unwrap();
        write_newer(dir.path(), writer);
        let file = dir.path().join("state.redb");
        let before = fs::read(&file).unwrap();
        let error = open(dir.path()).expect_err("it is newer").to_string();
        let wanted = format!(
            "{} has format 2, and ratchet {version} reads up to format 1: use {fix} or a newer one",
            file.display()
        );
        assert_eq!(error, wanted);
        assert_eq!(compact(dir.path()).unwrap_err().to_string(), wanted);
        assert_eq!(inspect(dir.path(), &mut |_| Ok(())).unwrap_err().to_string(), wanted);
        let after = fs::read(&file).unwrap();
        assert_eq!(before.len(), after.len(), "it is left as it is");
        let newer = Database::open(&file).unwrap();
        drop(newer);
    }
}

#[tokio::test]
async fn new_files_name_their_writer() {
    let dir = tempfile::tempdir().unwrap();
    drop(open(dir.path()).unwrap());
    let inspection = inspect(dir.path(), &mut |_| Ok(())).unwrap();
    let writer = Some(format!("ratchet {}", env!("CARGO_PKG_VERSION")));
    assert_eq!((inspection.format, inspection.writer), (1, writer));
}
