//! Files of dumps: those that are named, and those in directories, told apart by their first bytes.

use ratchet_manifests::is_stdin;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file by its first bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// YAML or JSON.
    Manifests,
    /// A tar archive of such files.
    Tar,
    /// The same, gzipped.
    GzippedTar,
    /// An archive of a store.
    Store,
}

/// Endings of manifests in directories and archives; a file that is named may have any.
const MANIFESTS: [&str; 3] = ["yaml", "yml", "json"];
/// Endings of archives in directories that cannot be opened.
const ARCHIVES: [&str; 3] = ["gz", "tgz", "tar"];

/// The size of the head of a tar archive.
const HEAD: u64 = 512;

/// The files of some inputs.
#[derive(Default)]
pub(crate) struct Files {
    pub(crate) found: Vec<(PathBuf, Format)>,
    /// What stands in directories and cannot be read.
    pub(crate) unreadable: Vec<String>,
    /// Copies of inputs that can be read once only, with their names.
    copies: Vec<(NamedTempFile, String)>,
}

impl Files {
    /// Finds the files that `inputs` name; an input that is not there is an error.
    pub(crate) fn find(inputs: &[PathBuf]) -> Result<Self, String> {
        let mut files = Self::default();
        for input in inputs {
            let failed = |error: io::Error| format!("{}: {error}", input.display());
            if is_stdin(input) {
                files.copy(&mut io::stdin().lock(), "standard input")?;
                continue;
            }
            let facts = std::fs::metadata(input).map_err(failed)?;
            if facts.is_dir() {
                files.folder(input);
            } else if facts.is_file() {
                let format = format(input).map_err(failed)?;
                files.found.push((input.clone(), format.unwrap_or(Format::Manifests)));
            } else {
                let mut pipe = File::open(input).map_err(failed)?;
                files.copy(&mut pipe, &input.display().to_string())?;
            }
        }
        Ok(files)
    }

    /// A message with the name of an input instead of that of its copy.
    pub(crate) fn named(&self, message: &str) -> String {
        self.copies.iter().fold(message.to_owned(), |text, (copy, name)| {
            text.replace(&*copy.path().to_string_lossy(), name)
        })
    }

    /// Copies a stream, because it is read twice.
    fn copy(&mut self, input: &mut impl Read, name: &str) -> Result<(), String> {
        let failed = |error: io::Error| format!("{name}: {error}");
        let mut file = NamedTempFile::new().map_err(failed)?;
        io::copy(input, &mut file).map_err(failed)?;
        let format = format(file.path()).map_err(failed)?.unwrap_or(Format::Manifests);
        self.found.push((file.path().to_owned(), format));
        self.copies.push((file, name.to_owned()));
        Ok(())
    }

    /// The files below a directory, sorted by name.
    fn folder(&mut self, folder: &Path) {
        let entries: io::Result<Vec<std::fs::DirEntry>> =
            std::fs::read_dir(folder).and_then(Iterator::collect);
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                return self.unreadable.push(format!("{}: {error}", folder.display()));
            }
        };
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            let facts = std::fs::metadata(&path);
            // Links to directories are not followed: they may form circles.
            if facts.as_ref().is_ok_and(std::fs::Metadata::is_dir) {
                if !is_link {
                    self.folder(&path);
                }
                continue;
            }
            // A pipe would be waited for.
            if facts.as_ref().is_ok_and(|facts| !facts.is_file()) {
                continue;
            }
            match facts.and_then(|_| format(&path)) {
                Ok(Some(format)) => self.found.push((path, format)),
                Ok(None) if has_ending(&path, &MANIFESTS) => {
                    self.found.push((path, Format::Manifests));
                }
                Err(error) if has_ending(&path, &MANIFESTS) || has_ending(&path, &ARCHIVES) => {
                    self.unreadable.push(format!("{}: {error}", path.display()));
                }
                Ok(None) | Err(_) => {}
            }
        }
    }
}

/// Whether a path is named like a manifest.
pub(crate) fn is_manifest(path: &Path) -> bool {
    has_ending(path, &MANIFESTS)
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    endings.iter().any(|known| known.eq_ignore_ascii_case(ending))
}

/// The format by the first bytes; `None` if they do not say.
fn format(path: &Path) -> io::Result<Option<Format>> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    Ok(match head.as_slice() {
        [0x1f, 0x8b, ..] => Some(Format::GzippedTar),
        head if head.starts_with(b"ratchet\0") => Some(Format::Store),
        head if head.get(257..262) == Some(b"ustar") => Some(Format::Tar),
        _ => None,
    })
}
