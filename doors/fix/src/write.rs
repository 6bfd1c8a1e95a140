//! Replacement of a file by new contents at once, with its permissions, through links.

use std::io::{self, Write};
use std::path::Path;

/// Writes the new text of a file. A reader sees the old file or the new one, never a part of it; a link stays a link, and
/// the file that it names is replaced.
pub(crate) fn replace(path: &Path, old: &[u8], new: &str) -> io::Result<()> {
    let target = path.canonicalize()?;
    let permissions = std::fs::metadata(&target)?.permissions();
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "the file is read-only"));
    }
    let folder = target.parent().unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".ratchet-fix-").tempfile_in(folder)?;
    file.write_all(new.as_bytes())?;
    file.as_file().set_permissions(permissions)?;
    file.as_file().sync_all()?;
    // Whoever wrote the file since it was read must not lose what they wrote.
    if std::fs::read(&target)? != old {
        return Err(io::Error::other("it changed while it was read; run the command again"));
    }
    file.persist(&target).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.yaml");
        std::fs::write(&path, "old").unwrap();
        assert!(replace(&path, b"older", "new").unwrap_err().to_string().contains("changed"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        replace(&path, b"old", "new").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.yaml"), folder.path().join("b.yaml"));
        std::fs::write(&path, "old").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        symlink("a.yaml", &link).unwrap();
        replace(&link, b"old", "new").unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
