//! Version of the file's format: older files are brought up to it when they are opened, newer ones are refused.
//!
//! The row of the table `head` has the same type in every format, so that every version of the program can tell which
//! format a file has. What a new format adds goes into other tables.

use redb::{
    Database, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition, TableError,
    WriteTransaction,
};

use crate::error::EngineError;
use crate::rows::{EXPIRY, FORMAT, HEAD, HISTORY, Head, LOG, NEWEST};

/// The program that gave the file its format; absent in files that were written before there was a second version.
const WRITER: TableDefinition<'_, (), &str> = TableDefinition::new("writer");

/// This program, as it is named in a file.
const PROGRAM: &str = concat!("ratchet ", env!("CARGO_PKG_VERSION"));

/// Rewrites the tables of one format into those of the next.
type Upgrade = fn(&WriteTransaction) -> Result<(), EngineError>;

/// The upgrades by the format that they start from. Format 1 is the first, so there is none yet.
const UPGRADES: &[(u64, Upgrade)] = &[];

/// The format of a file, and who wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Format {
    pub(crate) version: u64,
    pub(crate) writer: Option<String>,
}

impl Format {
    /// Reads the format, and nothing else of the file.
    pub(crate) fn of(database: &Database) -> Result<Self, EngineError> {
        Self::of_snapshot(&database.begin_read()?)
    }

    pub(crate) fn of_snapshot(snapshot: &ReadTransaction) -> Result<Self, EngineError> {
        let version = head_of(snapshot)?.format;
        // A newer program may keep the table in another way.
        let writer = snapshot.open_table(WRITER).ok();
        let writer = writer.and_then(|table| table.get(()).ok().flatten());
        Ok(Self { version, writer: writer.map(|row| row.value().to_owned()) })
    }

    /// Whether only a newer program can read the file.
    pub(crate) fn is_newer(&self) -> bool {
        self.version > FORMAT
    }
}

/// Makes a transaction durable in two phases, so that a torn header can never be mistaken for a valid one.
pub(crate) fn set_durable(transaction: &mut WriteTransaction) {
    transaction.set_two_phase_commit(true);
    transaction.set_quick_repair(true);
}

/// Creates the tables in a new file.
pub(crate) fn create_tables(database: &Database) -> Result<(), EngineError> {
    let mut transaction = database.begin_write()?;
    set_durable(&mut transaction);
    transaction.open_table(NEWEST)?;
    transaction.open_table(HISTORY)?;
    transaction.open_table(LOG)?;
    transaction.open_table(EXPIRY)?;
    transaction.open_table(HEAD)?.insert((), Head::EMPTY.encode())?;
    sign(&transaction)?;
    Ok(transaction.commit()?)
}

/// The head row of a snapshot.
pub(crate) fn head_of(transaction: &ReadTransaction) -> Result<Head, EngineError> {
    let table = match transaction.open_table(HEAD) {
        Err(TableError::TableDoesNotExist(_)) => {
            return Err(EngineError::Damaged("there is no store in it".to_owned()));
        }
        table => table?,
    };
    let row = table.get(())?.map(|row| row.value());
    row.and_then(Head::decode)
        .ok_or_else(|| EngineError::Damaged("its head is unreadable".to_owned()))
}

/// Names this program as the one that gave the file its format.
fn sign(transaction: &WriteTransaction) -> Result<(), EngineError> {
    transaction.open_table(WRITER)?.insert((), PROGRAM)?;
    Ok(())
}

/// Brings a file up to this program's format.
pub(crate) fn upgrade(database: &Database, found: u64) -> Result<(), EngineError> {
    upgrade_with(database, found, FORMAT, UPGRADES)
}

/// Runs the upgrades in one transaction, so that a crash leaves the old format or the new one.
fn upgrade_with(
    database: &Database,
    found: u64,
    wanted: u64,
    upgrades: &[(u64, Upgrade)],
) -> Result<(), EngineError> {
    if found == wanted {
        return Ok(());
    }
    let mut transaction = database.begin_write()?;
    set_durable(&mut transaction);
    for format in found..wanted {
        let Some((_, upgrade)) = upgrades.iter().find(|(from, _)| *from == format) else {
            let why = format!("it has format {format}, which no version has written");
            return Err(EngineError::Damaged(why));
        };
        upgrade(&transaction)?;
    }
    let mut table = transaction.open_table(HEAD)?;
    let head = table.get(())?.and_then(|row| Head::decode(row.value()));
    let head = head.ok_or_else(|| EngineError::Damaged("its head is unreadable".to_owned()))?;
    table.insert((), Head { format: wanted, ..head }.encode())?;
    drop(table);
    sign(&transaction)?;
    Ok(transaction.commit()?)
}

#[cfg(test)]
mod tests {
    use redb::backends::InMemoryBackend;

    use super::*;

    const NEW: TableDefinition<'_, u64, u64> = TableDefinition::new("new");

    fn database() -> Database {
        let database = Database::builder().create_with_backend(InMemoryBackend::new()).unwrap();
        create_tables(&database).unwrap();
        database
    }

    fn note(transaction: &WriteTransaction, number: u64) -> Result<(), EngineError> {
        let mut table = transaction.open_table(NEW)?;
        let before = table.last()?.map_or(0, |(row, _)| row.value());
        table.insert(number, before)?;
        Ok(())
    }

    #[test]
    fn upgrades_run_in_order_and_once() {
        let database = database();
        let upgrades: &[(u64, Upgrade)] = &[(2, |rows| note(rows, 2)), (1, |rows| note(rows, 1))];
        upgrade_with(&database, 1, 3, upgrades).unwrap();
        let found = Format::of(&database).unwrap();
        assert_eq!(found, Format { version: 3, writer: Some(PROGRAM.to_owned()) });
        assert!(found.is_newer(), "this version would refuse it");
        upgrade_with(&database, 3, 3, upgrades).unwrap();
        let snapshot = database.begin_read().unwrap();
        let rows = snapshot.open_table(NEW).unwrap();
        let rows: Vec<(u64, u64)> = rows
            .iter()
            .unwrap()
            .map(|row| row.map(|(number, before)| (number.value(), before.value())).unwrap())
            .collect();
        assert_eq!(rows, [(1, 0), (2, 1)]);
    }

    #[test]
    fn an_upgrade_that_fails_leaves_the_old_format() {
        let database = database();
        let upgrades: &[(u64, Upgrade)] =
            &[(1, |rows| note(rows, 1)), (2, |_| Err(EngineError::Damaged("no room".to_owned())))];
        upgrade_with(&database, 1, 3, upgrades).unwrap_err();
        assert_eq!(Format::of(&database).unwrap().version, 1);
        let snapshot = database.begin_read().unwrap();
        assert!(snapshot.open_table(NEW).is_err(), "nothing of the first step is there");
    }

    #[test]
    fn a_format_that_never_was_is_damage() {
        let error = upgrade_with(&database(), 0, 1, &[(1, |_| Ok(()))]).unwrap_err();
        let EngineError::Damaged(why) = error else { panic!("{error:?}") };
        assert_eq!(why, "it has format 0, which no version has written");
    }
}
