//! A file that is parsed again when its content changes.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// The parsed content of a file as of the last poll. Compared by content, because files are
/// replaced through links whose times say nothing.
#[derive(Debug)]
pub struct Reloading<T> {
    path: PathBuf,
    read: fn(&[u8]) -> Result<T, String>,
    now: RwLock<(Vec<u8>, Arc<T>)>,
}

/// A file that could not be loaded.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct ReloadError {
    path: PathBuf,
    why: String,
}

impl<T> Reloading<T> {
    /// Loads the file for the first time; `read` parses its content.
    pub fn open(
        path: impl Into<PathBuf>,
        read: fn(&[u8]) -> Result<T, String>,
    ) -> Result<Self, ReloadError> {
        let path = path.into();
        let content = load(&path)?;
        let value = read(&content).map_err(|why| ReloadError { path: path.clone(), why })?;
        Ok(Self { path, read, now: RwLock::new((content, Arc::new(value))) })
    }

    /// The last valid value.
    pub fn get(&self) -> Arc<T> {
        Arc::clone(&self.now.read().unwrap_or_else(PoisonError::into_inner).1)
    }

    /// Checks the file, and returns whether its content changed. On an error the old value stays.
    pub fn poll(&self) -> Result<bool, ReloadError> {
        let content = load(&self.path)?;
        if self.now.read().unwrap_or_else(PoisonError::into_inner).0 == content {
            return Ok(false);
        }
        let value =
            (self.read)(&content).map_err(|why| ReloadError { path: self.path.clone(), why })?;
        let mut now = self.now.write().unwrap_or_else(PoisonError::into_inner);
        *now = (content, Arc::new(value));
        Ok(true)
    }
}

fn load(path: &Path) -> Result<Vec<u8>, ReloadError> {
    fs::read(path).map_err(|error| ReloadError { path: path.into(), why: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(content: &[u8]) -> Result<String, String> {
        String::from_utf8(content.to_vec()).map_err(|error| error.to_string())
    }

    #[test]
    fn new_content_is_taken_up_and_bad_content_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(&path, "one").expect("written");
        let file = Reloading::open(&path, text).expect("there");
        assert!(!file.poll().expect("readable"));
        fs::write(&path, "two").expect("written");
        assert!(file.poll().expect("readable"));
        assert_eq!(*file.get(), "two");
        fs::write(&path, b"\xff").expect("written");
        assert!(file.poll().is_err());
        fs::remove_file(&path).expect("removed");
        assert!(file.poll().expect_err("gone").to_string().contains("file: "));
        assert_eq!(*file.get(), "two");
        assert!(Reloading::open(&path, text).is_err());
    }
}
