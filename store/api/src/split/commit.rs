//! A commit across stores: guards first, then what is put, then the first write's store, then what is deleted.

use std::collections::BTreeMap;

use super::{Line, Split};
use crate::{Commit, Guard, Operation, StoreError, Write};

/// Writes that undo what was put into a store.
type Undo = (Line, Vec<Write>);

/// Commits writes of one or more stores.
pub(super) async fn commit(split: &Split, writes: Vec<Write>) -> Result<Commit, StoreError> {
    let first = writes.first().map_or(Line(0), |write| split.line_of(&write.key));
    let mut by_line: BTreeMap<Line, Vec<Write>> = BTreeMap::new();
    for write in writes {
        by_line.entry(split.line_of(&write.key)).or_default().push(write);
    }
    let main = by_line.remove(&first).unwrap_or_default();
    if by_line.is_empty() {
        return split.store(first).commit(main).await;
    }
    let mut undo = Vec::new();
    for (line, writes) in &by_line {
        match prepare(split, *line, writes).await {
            Ok(Prepared::Done(writes)) => undo.push((*line, writes)),
            Ok(Prepared::Refused(refused)) => {
                take_back(split, undo).await;
                return Ok(refused);
            }
            Err(error) => {
                take_back(split, undo).await;
                return Err(error);
            }
        }
    }
    match split.store(first).commit(main).await {
        Ok(done @ Commit::Done(_)) => {
            delete(split, by_line).await;
            Ok(done)
        }
        Ok(refused @ Commit::Refused { .. }) => {
            take_back(split, undo).await;
            Ok(refused)
        }
        // It may have happened: then what was put belongs to it.
        Err(error @ StoreError::Broken(_)) => Err(error),
        Err(error) => {
            take_back(split, undo).await;
            Err(error)
        }
    }
}

/// What came of the part of a commit that is another store's.
enum Prepared {
    /// It is there; with the writes that take it back.
    Done(Vec<Write>),
    Refused(Commit),
}

/// Checks the guards of a store, and puts what is to be put there.
async fn prepare(split: &Split, line: Line, writes: &[Write]) -> Result<Prepared, StoreError> {
    let store = split.store(line);
    let mut before = Vec::new();
    for write in writes {
        if matches!(write.act, Operation::Put { .. }) && write.guard != Guard::Absent {
            before.extend(store.get(&write.key).await?);
        }
    }
    let prepared = writes.iter().cloned().map(|mut write| {
        if write.act == Operation::Delete {
            write.act = Operation::Keep;
        }
        write
    });
    match store.commit(prepared.collect()).await? {
        refused @ Commit::Refused { .. } => Ok(Prepared::Refused(refused)),
        Commit::Done(revision) => {
            let puts = writes.iter().filter(|write| matches!(write.act, Operation::Put { .. }));
            let undo = |write: &Write| {
                let guard = Guard::At(revision);
                match before.iter().find(|record| record.key == write.key) {
                    Some(record) => Write::put(&write.key, guard, record.value.clone()),
                    None => Write::delete(&write.key, guard),
                }
            };
            Ok(Prepared::Done(puts.map(undo).collect()))
        }
    }
}

/// Takes back what was put. What somebody else has changed since is theirs; what fails stays, and is there for nobody.
async fn take_back(split: &Split, undo: Vec<Undo>) {
    for (line, writes) in undo {
        for write in writes {
            let _ = split.store(line).commit(vec![write]).await;
        }
    }
}

/// Deletes what is to be deleted in other stores. The commit has happened: what fails here stays, and is there for nobody.
async fn delete(split: &Split, by_line: BTreeMap<Line, Vec<Write>>) {
    for (line, writes) in by_line {
        let deletes: Vec<Write> =
            writes.into_iter().filter(|write| write.act == Operation::Delete).collect();
        if !deletes.is_empty() {
            let _ = split.store(line).commit(deletes).await;
        }
    }
}
