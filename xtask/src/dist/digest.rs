//! SHA-256 digests, and the file `SHA256SUMS` that lists them.

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The SHA-256 of bytes in hexadecimal digits.
pub(super) fn sha256(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// A file of the release.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Listed {
    /// The path below the release's folder, with slashes.
    pub(super) path: String,
    pub(super) size: usize,
    pub(super) sha256: String,
}

/// All files below a folder, sorted by path.
pub(super) fn list(folder: &Path) -> Result<Vec<Listed>> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        let path = folder.join(&below);
        let entries = std::fs::read_dir(&path);
        for entry in entries.with_context(|| format!("cannot read {}", path.display()))? {
            let entry = entry?;
            let below = below.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                folders.push(below);
                continue;
            }
            let bytes = std::fs::read(entry.path())
                .with_context(|| format!("cannot read {}", entry.path().display()))?;
            let path = below.to_string_lossy().replace('\\', "/");
            files.push(Listed { path, size: bytes.len(), sha256: sha256(&bytes) });
        }
    }
    files.sort();
    Ok(files)
}

/// The text of `SHA256SUMS`, which `sha256sum --check` reads.
pub(super) fn sums(files: &[Listed]) -> String {
    files.iter().map(|file| format!("{}  {}\n", file.sha256, file.path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The SHA-256 of nothing, and of `abc`, from FIPS 180-2.
    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn digests_are_those_of_the_standard() {
        assert_eq!(sha256(b""), EMPTY);
        assert_eq!(sha256(b"abc"), ABC);
    }

    #[test]
    fn the_sums_of_a_folder_are_what_sha256sum_checks() {
        let folder = super::super::tests::Folder::new("digest");
        std::fs::create_dir(folder.0.join("man")).unwrap();
        std::fs::write(folder.0.join("man/b.1"), "abc").unwrap();
        std::fs::write(folder.0.join("a"), "").unwrap();
        let files = list(&folder.0).unwrap();
        assert_eq!(sums(&files), format!("{EMPTY}  a\n{ABC}  man/b.1\n"));
        let sizes: Vec<usize> = files.iter().map(|file| file.size).collect();
        assert_eq!(sizes, [0, 3]);
        assert!(list(&folder.0.join("absent")).is_err());
    }
}
