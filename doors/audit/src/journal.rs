//! The journal of a live audit: a line for each page that was judged, from which an interrupted audit goes on.

use crate::page::Page;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

/// The version of the format.
const VERSION: &str = "ratchet.audit.journal/v2";

/// What an audit must have in common with its journal.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Head {
    version: String,
    pub(crate) server: String,
    /// Targets with everything that decides about verdicts.
    pub(crate) targets: Vec<String>,
}

impl Head {
    pub(crate) fn new(server: &str, targets: Vec<String>) -> Self {
        Self { version: VERSION.to_owned(), server: server.to_owned(), targets }
    }
}

/// A page that was judged.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Line {
    /// The plural name of the resource, with its group.
    pub(crate) resource: String,
    /// The number of the page.
    pub(crate) number: u32,
    /// The token of the next page; empty after the last.
    pub(crate) next: String,
    /// The namespace and name of the last object that was judged, from which the list goes on if the token expires.
    pub(crate) last: String,
    pub(crate) page: Page,
}

/// How far the list of a resource has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Pages that were judged.
    pub(crate) pages: u32,
    /// The token of the next page; `None` after the last.
    pub(crate) next: Option<String>,
    /// The last object that was judged.
    pub(crate) last: String,
}

/// A journal that is being written.
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens a journal and reads what it has; an incomplete last line is dropped.
    pub(crate) fn open(
        path: &Path,
        head: &Head,
        mut each: impl FnMut(Line) -> io::Result<()>,
    ) -> Result<(Self, BTreeMap<String, Progress>), String> {
        let failed = |why: &dyn std::fmt::Display| format!("--resume {}: {why}", path.display());
        let mut progress = BTreeMap::new();
        let mut length = 0;
        match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed(&error)),
            Ok(file) => {
                let mut input = BufReader::new(file);
                let mut text = String::new();
                let mut number = 0u64;
                loop {
                    text.clear();
                    let size = input.read_line(&mut text).map_err(|error| failed(&error))?;
                    if !text.ends_with('\n') {
                        break;
                    }
                    number += 1;
                    if number == 1 {
                        check(&text, head).map_err(|why| failed(&why))?;
                    } else {
                        let line: Line = serde_json::from_str(&text)
                            .map_err(|error| failed(&format!("line {number}: {error}")))?;
                        let next = Some(line.next.clone()).filter(|next| !next.is_empty());
                        let row =
                            Progress { pages: line.number + 1, next, last: line.last.clone() };
                        progress.insert(line.resource.clone(), row);
                        each(line).map_err(|error| failed(&error))?;
                    }
                    length += size as u64;
                }
            }
        }
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(path);
        let mut file = file.map_err(|error| failed(&error))?;
        file.set_len(length).map_err(|error| failed(&error))?;
        io::Seek::seek(&mut file, io::SeekFrom::End(0)).map_err(|error| failed(&error))?;
        let mut journal = Self { path: path.to_owned(), file };
        if length == 0 {
            journal.write(head)?;
        }
        Ok((journal, progress))
    }

    /// Appends a page.
    pub(crate) fn push(&mut self, line: &Line) -> Result<(), String> {
        self.write(line)
    }

    fn write(&mut self, value: &impl Serialize) -> Result<(), String> {
        let mut text = serde_json::to_vec(value).map_err(|error| self.failed(&error))?;
        text.push(b'\n');
        self.file.write_all(&text).map_err(|error| self.failed(&error))
    }

    /// Removes the journal of an audit that is complete.
    pub(crate) fn remove(self) -> Result<(), String> {
        std::fs::remove_file(&self.path).map_err(|error| self.failed(&error))
    }

    fn failed(&self, why: &dyn std::fmt::Display) -> String {
        format!("--resume {}: {why}", self.path.display())
    }
}

fn check(text: &str, head: &Head) -> Result<(), String> {
    let found: Head = serde_json::from_str(text)
        .map_err(|_| "no journal of `ratchet audit`: name another file".to_owned())?;
    if found != *head {
        return Err(format!(
            "it belongs to an audit of {} for {}, this one is of {} for {}: name another file, or remove it",
            found.server,
            found.targets.join(", "),
            head.server,
            head.targets.join(", ")
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_line_is_dropped_and_another_audit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let head = Head::new("https://a", vec!["1.36".into()]);
        let line = |number: u32, next: &str| Line {
            resource: "pods".into(),
            number,
            next: next.into(),
            last: "a/b".into(),
            page: Page { objects: 3, ..Page::default() },
        };
        let (mut journal, progress) = Journal::open(&path, &head, |_| Ok(())).unwrap();
        assert!(progress.is_empty());
        journal.push(&line(0, "token")).unwrap();
        journal.push(&line(1, "")).unwrap();
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, &whole[..whole.len() - 3]).unwrap();
        let mut objects = 0;
        let (mut journal, progress) = Journal::open(&path, &head, |line| {
            objects += line.page.objects;
            Ok(())
        })
        .unwrap();
        let wanted = Progress { pages: 1, next: Some("token".into()), last: "a/b".into() };
        assert_eq!((objects, progress.get("pods")), (3, Some(&wanted)));
        journal.push(&line(1, "")).unwrap();
        let (journal, progress) = Journal::open(&path, &head, |_| Ok(())).unwrap();
        let wanted = Progress { pages: 2, next: None, last: "a/b".into() };
        assert_eq!(progress.get("pods"), Some(&wanted));
        journal.remove().unwrap();
        assert!(!path.exists());
        let (_journal, _) = Journal::open(&path, &head, |_| Ok(())).unwrap();
        let other = Head::new("https://b", vec!["1.36".into()]);
        assert!(
            Journal::open(&path, &other, |_| Ok(())).is_err_and(|why| why.contains("https://a"))
        );
        std::fs::write(&path, "hello\n").unwrap();
        assert!(Journal::open(&path, &head, |_| Ok(())).is_err());
    }
}
