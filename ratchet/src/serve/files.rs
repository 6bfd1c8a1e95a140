//! The data directory and atomic writes of its files, with secrets readable by their owner only.

use ratchet_server::go_io_error;
use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// The folder of the store in a data directory.
pub(crate) const STORE_FOLDER: &str = "store";

/// The default data directory; `env` looks up environment variables.
pub(crate) fn usual_data_dir(env: impl Fn(&str) -> Option<PathBuf>) -> PathBuf {
    // A relative path would depend on the working directory.
    let absolute = |name: &str| env(name).filter(|path| path.is_absolute());
    match (absolute("XDG_STATE_HOME"), absolute("HOME")) {
        (Some(state), _) => state.join("ratchet"),
        (None, Some(home)) => home.join(".local/state/ratchet"),
        (None, None) => PathBuf::from("ratchet-data"),
    }
}

/// Creates the data directory if it is absent, accessible to its owner only.
pub(crate) fn make_data_dir(dir: &Path) -> Result<(), String> {
    DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(|why| {
        format!("cannot use {} as data directory: {}", dir.display(), go_io_error(&why))
    })
}

/// Writes files; `flush` says whether they must survive a power cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Writer {
    pub(crate) flush: bool,
}

impl Writer {
    /// Writes a file with mode 0600.
    pub(crate) fn write_private(self, path: &Path, content: &[u8]) -> Result<(), String> {
        write(path, content, 0o600, self.flush)
    }

    /// Writes a file with mode 0644.
    pub(crate) fn write_public(self, path: &Path, content: &[u8]) -> Result<(), String> {
        write(path, content, 0o644, self.flush)
    }
}

fn write(path: &Path, content: &[u8], mode: u32, flush: bool) -> Result<(), String> {
    // Unchanged content is not written: a server on a full disk can still start to serve reads.
    if is_current(path, content, mode) {
        return Ok(());
    }
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".new");
    let temporary = path.with_file_name(name);
    let replace = || -> std::io::Result<()> {
        // The leftover of an interrupted start may have another mode.
        match std::fs::remove_file(&temporary) {
            Err(why) if why.kind() != std::io::ErrorKind::NotFound => return Err(why),
            _ => {}
        }
        let mut file =
            OpenOptions::new().write(true).create_new(true).mode(mode).open(&temporary)?;
        file.write_all(content)?;
        if flush {
            file.sync_all()?;
        }
        std::fs::rename(&temporary, path)
    };
    replace().map_err(|why| format!("cannot write {}: {}", path.display(), go_io_error(&why)))
}

fn is_current(path: &Path, content: &[u8], mode: u32) -> bool {
    let has_mode =
        std::fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o777 == mode);
    has_mode && std::fs::read(path).is_ok_and(|existing| existing == content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn the_data_directory_is_where_state_is_kept() {
        let of = |state: Option<&str>, home: Option<&str>| {
            let env = |name: &str| match name {
                "XDG_STATE_HOME" => state.map(PathBuf::from),
                _ => home.map(PathBuf::from),
            };
            usual_data_dir(env).display().to_string()
        };
        assert_eq!(of(Some("/s"), Some("/h")), "/s/ratchet");
        assert_eq!(of(None, Some("/h")), "/h/.local/state/ratchet");
        assert_eq!(of(Some("relative"), Some("/h")), "/h/.local/state/ratchet");
        assert_eq!(of(None, None), "ratchet-data");
    }

    #[test]
    fn files_are_replaced_with_their_mode() {
        let dir = tempfile::tempdir().unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let secret = dir.path().join("secret");
        let writer = Writer { flush: true };
        writer.write_private(&secret, b"one").unwrap();
        writer.write_private(&secret, b"two").unwrap();
        let file = |path: &Path| std::fs::metadata(path).unwrap().ino();
        let before = file(&secret);
        writer.write_private(&secret, b"two").unwrap();
        assert_eq!(file(&secret), before, "what stands there is left alone");
        std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o644)).unwrap();
        writer.write_private(&secret, b"two").unwrap();
        assert_eq!((std::fs::read(&secret).unwrap(), mode(&secret)), (b"two".to_vec(), 0o600));
        std::fs::write(dir.path().join("open.new"), "left behind").unwrap();
        writer.write_public(&dir.path().join("open"), b"three").unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
        let refused = writer.write_public(&secret.join("below"), b"").unwrap_err();
        assert!(refused.ends_with("secret/below: not a directory"), "{refused}");
    }

    #[test]
    fn a_data_directory_that_cannot_be_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        make_data_dir(&dir.path().join("a/b")).unwrap();
        std::fs::write(dir.path().join("file"), "").unwrap();
        for (path, why) in [("file", "file exists"), ("file/below", "not a directory")] {
            let path = dir.path().join(path);
            let words = format!("cannot use {} as data directory: {why}", path.display());
            assert_eq!(make_data_dir(&path), Err(words));
        }
    }
}
