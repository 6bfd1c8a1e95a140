//! Discovery of input files: those that are named, and the manifests in directories.

use std::io;
use std::path::{Path, PathBuf};

/// Extensions of manifests in a directory; a file that is named may have any.
const ENDINGS: [&str; 3] = ["yaml", "yml", "json"];

/// Whether a path means standard input.
pub fn is_stdin(path: &Path) -> bool {
    ["-", "/dev/stdin"].iter().any(|name| path.as_os_str() == *name)
}

/// A file to read, or a path that cannot be read.
#[derive(Debug)]
pub enum Source {
    /// A file and its size.
    File(PathBuf, u64),
    /// A path that cannot be read, and why.
    Failed(PathBuf, io::Error),
}

/// Calls `found` for every file that `inputs` name; the entries of a directory come sorted by name.
pub fn walk(inputs: &[PathBuf], recursive: bool, found: &mut impl FnMut(Source)) {
    for input in inputs {
        match std::fs::metadata(input) {
            Err(error) => found(Source::Failed(input.clone(), error)),
            Ok(facts) if facts.is_dir() => walk_folder(input, recursive, found),
            Ok(facts) if facts.is_file() => found(Source::File(input.clone(), facts.len())),
            Ok(_) => found(Source::Failed(input.clone(), io::Error::other("not a regular file"))),
        }
    }
}

fn walk_folder(folder: &Path, recursive: bool, found: &mut impl FnMut(Source)) {
    let entries: io::Result<Vec<std::fs::DirEntry>> =
        std::fs::read_dir(folder).and_then(Iterator::collect);
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => return found(Source::Failed(folder.to_path_buf(), error)),
    };
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
        let facts = match std::fs::metadata(&path) {
            Ok(facts) => facts,
            // A dangling link is an error only if it is named like a manifest.
            Err(error) if is_manifest(&path) => {
                found(Source::Failed(path, error));
                continue;
            }
            Err(_) => continue,
        };
        if facts.is_dir() {
            // Links to directories are not followed: they may form cycles.
            if recursive && !is_hidden && !is_link {
                walk_folder(&path, recursive, found);
            }
        } else if facts.is_file() && is_manifest(&path) {
            found(Source::File(path, facts.len()));
        }
    }
}

/// Whether a file in a directory has the extension of a manifest.
fn is_manifest(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| ENDINGS.iter().any(|known| known.eq_ignore_ascii_case(ending)))
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
            });
            names
        };
        assert_eq!(list(false), ["a.json", "b.yaml"]);
        assert_eq!(list(true), ["a.json", "b.yaml", "deep/c.yml"]);
        let mut failed = 0;
        let inputs = ["no/such/place".into(), root.path().join("a.json")];
        walk(&inputs, false, &mut |source| {
            failed += u32::from(matches!(source, Source::Failed(..)));
        });
        assert_eq!(failed, 1);
    }
}
