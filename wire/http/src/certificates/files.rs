//! Files of an authority: replaced atomically, and keys readable by their owner only.

use std::fs::DirBuilder;
use std::io::{ErrorKind, Write};
use std::path::Path;

use super::CertificateError;

/// Creates a directory that only its owner may enter.
pub(super) fn make_private_dir(dir: &Path) -> Result<(), CertificateError> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(dir).map_err(|error| CertificateError::File(dir.into(), error))
}

/// The text of a file, or `None` if it does not exist.
pub(super) fn read_if_exists(path: &Path) -> Result<Option<String>, CertificateError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(CertificateError::File(path.into(), error)),
    }
}

/// Writes files; `flush` says whether they must survive a power cut.
#[derive(Clone, Copy, Debug)]
pub(super) struct Writer {
    pub(super) flush: bool,
}

impl Writer {
    /// Writes a secret, readable by its owner only.
    pub(super) fn write_private(self, path: &Path, text: &str) -> Result<(), CertificateError> {
        write(path, text, 0o600, self.flush)
    }

    /// Writes a file that everyone may read.
    pub(super) fn write_public(self, path: &Path, text: &str) -> Result<(), CertificateError> {
        write(path, text, 0o644, self.flush)
    }
}

fn write(path: &Path, text: &str, mode: u32, flush: bool) -> Result<(), CertificateError> {
    let replace = || -> std::io::Result<()> {
        let dir = path.parent().unwrap_or(Path::new("."));
        let mut builder = tempfile::Builder::new();
        builder.prefix(".new-");
        // The mode is set before the first byte is written, so that a secret is never readable.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
        let mut file = builder.tempfile_in(dir)?;
        // Set once more, because the umask may have removed permissions of a public file.
        #[cfg(unix)]
        file.as_file().set_permissions(std::os::unix::fs::PermissionsExt::from_mode(mode))?;
        file.write_all(text.as_bytes())?;
        if flush {
            file.as_file().sync_all()?;
        }
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    replace().map_err(|error| CertificateError::File(path.into(), error))
}
