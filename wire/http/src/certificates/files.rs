//! Files of an authority: replaced whole or not at all, and keys that nobody else may read.

use std::fs::DirBuilder;
use std::io::{ErrorKind, Write};
use std::path::Path;

use super::CertificateError;

/// Makes a folder that only its owner may enter.
pub(super) fn make_private_dir(dir: &Path) -> Result<(), CertificateError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(|error| CertificateError::File(dir.into(), error))
}

/// The text of a file, or nothing when there is none.
pub(super) fn read_if_there(path: &Path) -> Result<Option<String>, CertificateError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(CertificateError::File(path.into(), error)),
    }
}

/// Writes a secret, readable by its owner only.
pub(super) fn write_private(path: &Path, text: &str) -> Result<(), CertificateError> {
    write(path, text, 0o600)
}

/// Writes what everyone may read.
pub(super) fn write_public(path: &Path, text: &str) -> Result<(), CertificateError> {
    write(path, text, 0o644)
}

fn write(path: &Path, text: &str, mode: u32) -> Result<(), CertificateError> {
    let place = || -> std::io::Result<()> {
        let dir = path.parent().unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".new-");
        // The mode stands before the first byte does, so that a secret is at no moment readable.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
        let mut file = builder.tempfile_in(dir)?;
        // Once more, for the umask may have taken from what everyone may read.
        #[cfg(unix)]
        file.as_file().set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    place().map_err(|error| CertificateError::File(path.into(), error))
}
