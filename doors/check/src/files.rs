//! Which files a check reads: those that are named, and the manifests in directories.

use std::io;
use std::path::{Path, PathBuf};

/// The endings that a file in a directory must have; a file that is named may have any.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// A text to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A file and its size.
    File(PathBuf, u64),
    /// Standard input.
    Stdin,
}

/// Calls `found` for every text that `inputs` name, directories in the order of their names.
pub(crate) fn walk(
    inputs: &[PathBuf],
    recursive: bool,
    found: &mut impl FnMut(Source),
) -> Result<(), (PathBuf, io::Error)> {
    for input in inputs {
        if input.as_os_str() == "-" {
            found(Source::Stdin);
            continue;
        }
        let facts = std::fs::metadata(input).map_err(|error| (input.clone(), error))?;
        if facts.is_dir() {
            walk_folder(input, recursive, found)?;
        } else {
            found(Source::File(input.clone(), facts.len()));
        }
    }
    Ok(())
}

fn walk_folder(
    folder: &Path,
    recursive: bool,
    found: &mut impl FnMut(Source),
) -> Result<(), (PathBuf, io::Error)> {
    let failed = |error| (folder.to_path_buf(), error);
    let mut entries: Vec<std::fs::DirEntry> =
        std::fs::read_dir(folder).and_then(Iterator::collect).map_err(failed)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // A link that leads nowhere, or round in circles, is not a manifest.
        let Ok(facts) = std::fs::metadata(&path) else { continue };
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        if facts.is_dir() {
            if recursive && !is_hidden && !is_link {
                walk_folder(&path, recursive, found)?;
            }
        } else if path
            .extension()
            .and_then(|ending| ending.to_str())
            .is_some_and(|ending| ENDINGS.contains(&ending))
        {
            found(Source::File(path, facts.len()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_give_their_manifests_in_order() {
        let root = tempfile::tempdir().unwrap();
        let file = |name: &str| std::fs::write(root.path().join(name), "a").unwrap();
        std::fs::create_dir_all(root.path().join("deep/.git")).unwrap();
        for name in ["b.yaml", "a.json", "notes.txt", "deep/c.yml", "deep/.git/d.yaml"] {
            file(name);
        }
        let list = |recursive| {
            let mut names = Vec::new();
            walk(&[root.path().into()], recursive, &mut |source| {
                if let Source::File(path, _) = source {
                    names.push(path.strip_prefix(root.path()).unwrap().display().to_string());
                }
            })
            .unwrap();
            names
        };
        assert_eq!(list(false), ["a.json", "b.yaml"]);
        assert_eq!(list(true), ["a.json", "b.yaml", "deep/c.yml"]);
        assert!(walk(&["no/such/place".into()], false, &mut |_| ()).is_err());
    }
}
