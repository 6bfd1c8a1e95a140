//! `DataDir`: where a server keeps its store, and its kubeconfig beside it.

use crate::serve::{STORE_FOLDER, usual_data_dir};
use clap::Args as ClapArgs;
use ratchet_embedded::{Embedded, OpenError, Options, exists};
use std::path::{Path, PathBuf};

/// Flags of a data directory.
#[derive(ClapArgs, Debug)]
pub(super) struct DataDirArgs {
    /// Data directory of the server [default: that of ratchet serve].
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,
}

/// A data directory.
#[derive(Clone, Debug)]
pub(super) struct DataDir(PathBuf);

impl DataDir {
    /// The directory that was given, or the one that a server uses by itself.
    pub(super) fn of(args: DataDirArgs) -> Self {
        let env = |name: &str| std::env::var_os(name).map(PathBuf::from);
        Self(args.data_dir.unwrap_or_else(|| usual_data_dir(env)))
    }

    pub(super) fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// The folder of the store.
    pub(super) fn store(&self) -> PathBuf {
        self.0.join(STORE_FOLDER)
    }

    /// The kubeconfig that a server writes.
    pub(super) fn kubeconfig(&self) -> PathBuf {
        self.0.join("kubeconfig")
    }

    /// Opens a store that is there.
    pub(super) fn open(&self) -> Result<Embedded, OpenError> {
        if !exists(&self.store()) {
            return Err(OpenError::Absent { path: self.store() });
        }
        Embedded::open(&self.store(), Options::default())
    }

    /// Opens the store, an empty one if there is none.
    pub(super) fn open_or_create(&self) -> Result<Embedded, OpenError> {
        Embedded::open(&self.store(), Options::default())
    }
}
