//! Work on the file of a store that no server uses: built from records, inspected, compacted.

mod build;
mod compact;
mod draft;
mod inspect;

pub use build::Builder;
pub use compact::{FileSizes, compact};
pub use inspect::{Inspection, Problems, inspect};

use std::path::Path;

use crate::directory::{Directory, Medium};
use crate::engine::Engine;
use crate::error::OpenError;
use crate::injected::FaultInjector;

/// Bytes of the file cached in memory.
const CACHE: usize = 32 << 20;

/// Whether there is a store in the directory.
pub fn exists(path: &Path) -> bool {
    Directory::has_store(path)
}

/// Opens the file of an existing store, and locks its directory.
fn open(path: &Path, verify: bool) -> Result<Engine, OpenError> {
    if !Directory::has_store(path) {
        return Err(OpenError::Absent { path: path.to_owned() });
    }
    let medium: Box<dyn Medium> = Box::new(Directory::take(path, true)?);
    Engine::open(medium, CACHE, verify, FaultInjector::default())
}
