//! The store on a simulated disk: power failures, full disks, and damaged files.

mod clock;
mod concurrent;
mod full;
mod machine;
mod power;
mod rot;
mod slow;

use std::path::Path;
use std::sync::Arc;

use ratchet_store::{Commit, Guard, Query, Revision, Store, StoreError, Write};

use crate::{Embedded, OpenError, Options};
use machine::Machine;

fn open(machine: &Arc<Machine>, verify: bool) -> Result<Embedded, OpenError> {
    let options = Options { cache: 256 << 10, verify, ..Options::default() };
    Embedded::on(
        Box::new(Arc::clone(machine)),
        Path::new("simulated"),
        options,
        crate::FaultInjector::default(),
    )
}

/// The number of power failures of a run; `cargo xtask power` sets it.
fn cuts(short: usize) -> usize {
    let wanted = std::env::var("RATCHET_POWER_CUTS").ok();
    wanted.map_or(short, |text| text.parse().expect("RATCHET_POWER_CUTS is a number"))
}

async fn put(store: &Embedded, key: &str, value: Vec<u8>) -> Result<Revision, StoreError> {
    match store.commit(vec![Write::put(key, Guard::Anything, value)]).await? {
        Commit::Done(revision) => Ok(revision),
        Commit::Refused { .. } => panic!("refused without a guard"),
    }
}

/// All keys with their values.
async fn all(store: &Embedded) -> Result<Vec<(String, Vec<u8>)>, StoreError> {
    let page = store.list(Query::default()).await?;
    Ok(page.records.iter().map(|record| (record.key.to_string(), record.value.to_vec())).collect())
}
