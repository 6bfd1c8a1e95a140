//! `TemporaryDir`: the files of a server that keeps nothing, which go with it, or with the next one if it is killed.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use tempfile::TempDir;

/// The beginning of the names of such directories.
const PREFIX: &str = "ratchet-";
/// The file in it that the server holds locked as long as it runs.
const LOCK: &str = "server.lock";
/// What the file is called until it is locked: a directory with an unlocked file is nobody's.
const UNLOCKED: &str = "server.lock.new";
/// The most entries that are looked at, and the most directories that are removed, by one server: a start is quick.
const MAX_ENTRIES: usize = 10_000;
const MAX_REMOVED: usize = 100;

/// A directory of a running server.
#[derive(Debug)]
pub(super) struct TemporaryDir {
    dir: TempDir,
    /// Released by the kernel, however the server ends.
    _lock: File,
}

impl TemporaryDir {
    /// Makes a directory that nobody else may enter, for keys are in it.
    pub(super) fn new() -> io::Result<Self> {
        Self::within(&std::env::temp_dir())
    }

    fn within(parent: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX).permissions(Permissions::from_mode(0o700));
        let dir = builder.tempdir_in(parent)?;
        let unlocked = dir.path().join(UNLOCKED);
        let lock = File::create_new(&unlocked)?;
        lock.lock()?;
        fs::rename(&unlocked, dir.path().join(LOCK))?;
        Ok(Self { dir, _lock: lock })
    }

    /// The path of the directory.
    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Removes what killed servers left beside it, while this one starts.
    pub(super) fn remove_others(&self) {
        let (Some(parent), Ok(own)) = (self.path().parent(), fs::symlink_metadata(self.path()))
        else {
            return;
        };
        let (parent, uid) = (parent.to_owned(), own.uid());
        std::thread::spawn(move || remove_abandoned(&parent, uid));
    }

    /// Removes the directory.
    pub(super) fn close(self) -> io::Result<()> {
        self.dir.close()
    }
}

/// Removes the directories of servers of this user that do not run any more; returns how many.
fn remove_abandoned(parent: &Path, uid: u32) -> usize {
    let Ok(entries) = fs::read_dir(parent) else { return 0 };
    let named = entries
        .take(MAX_ENTRIES)
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX)));
    let removed = named.filter(|entry| remove_if_abandoned(&entry.path(), uid).unwrap_or(false));
    removed.take(MAX_REMOVED).count()
}

fn remove_if_abandoned(dir: &Path, uid: u32) -> io::Result<bool> {
    let found = fs::symlink_metadata(dir)?;
    let is_own = found.is_dir() && found.uid() == uid && found.mode() & 0o077 == 0;
    if !is_own || !fs::symlink_metadata(dir.join(LOCK))?.is_file() {
        return Ok(false);
    }
    let lock = File::open(dir.join(LOCK))?;
    if lock.try_lock().is_err() {
        return Ok(false);
    }
    fs::remove_dir_all(dir)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_dead_server_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let running = TemporaryDir::within(folder.path()).unwrap();
        let killed = TemporaryDir::within(folder.path()).unwrap();
        // A process that is killed closes its files and removes nothing.
        let TemporaryDir { dir, _lock: lock } = killed;
        let left = dir.keep();
        drop(lock);
        fs::create_dir(left.join("pki")).unwrap();
        fs::write(left.join("pki").join("ca.key"), "key").unwrap();
        let names = ["ratchet-notes", "other"].map(|name| folder.path().join(name));
        for name in &names {
            fs::create_dir(name).unwrap();
            fs::set_permissions(name, Permissions::from_mode(0o700)).unwrap();
        }
        fs::write(names[1].join(LOCK), "").unwrap();
        std::os::unix::fs::symlink(&names[1], folder.path().join("ratchet-link")).unwrap();
        let uid = fs::metadata(folder.path()).unwrap().uid();
        assert_eq!(remove_abandoned(folder.path(), uid + 1), 0, "those of others");
        assert_eq!(remove_abandoned(folder.path(), uid), 1);
        assert!(!left.exists() && running.path().exists());
        assert!(names.iter().all(|name| name.exists()));
        let path = running.path().to_owned();
        running.close().unwrap();
        assert!(!path.exists());
    }
}
