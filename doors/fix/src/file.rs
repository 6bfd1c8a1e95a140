//! The fix of one file: read, rewritten, and written where that is wanted.

use crate::Config;
use crate::write::replace;
use ratchet_rewrite::{Edit, RefusedEdit, Rewritten, SourceKind, rewrite, unified_diff};
use std::path::Path;

/// A value that was rewritten, without references to other threads.
pub(crate) struct FileEdit {
    pub(crate) place: ValuePlace,
    pub(crate) fields: Vec<String>,
    pub(crate) old: String,
    pub(crate) new: String,
}

/// A value that stays.
pub(crate) struct FileRefused {
    pub(crate) place: ValuePlace,
    pub(crate) field: String,
    pub(crate) value: String,
    /// The reason's permanent name.
    pub(crate) reason: &'static str,
    pub(crate) message: String,
    /// The flag that decides.
    pub(crate) flag: Option<&'static str>,
}

/// Where a value stands.
pub(crate) struct ValuePlace {
    pub(crate) line: u32,
    pub(crate) column: u32,
    pub(crate) kind: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) rule: &'static str,
}

/// What became of a file.
#[derive(Default)]
pub(crate) struct FileResult {
    /// The file's name as it was given.
    pub(crate) file: String,
    pub(crate) edits: Vec<FileEdit>,
    pub(crate) refused: Vec<FileRefused>,
    /// Lines and reasons of documents that were passed over.
    pub(crate) skipped: Vec<(u32, String)>,
    /// Positions and messages of what cannot be read or written.
    pub(crate) failed: Vec<(u32, u32, String)>,
    pub(crate) excepted: u64,
    /// The unified diff; empty if nothing changes.
    pub(crate) diff: String,
    /// The new text of standard input.
    pub(crate) text: Option<String>,
}

impl FileResult {
    pub(crate) fn failed(file: &str, why: String) -> Self {
        Self { file: file.to_owned(), failed: vec![(0, 0, why)], ..Self::default() }
    }
}

/// Fixes a file, and writes it where that is wanted.
pub(crate) fn fix_file(path: &Path, config: &Config) -> FileResult {
    let name = path.to_string_lossy();
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) => return FileResult::failed(&name, format!("cannot read it: {error}")),
    };
    let mut result = fix_bytes(&name, &bytes, config);
    if let Some(text) = result.text.take().filter(|_| config.write)
        && let Err(error) = replace(path, &bytes, &text)
    {
        // What was not written was not fixed.
        result = FileResult::failed(&name, format!("cannot write it: {error}"));
    }
    result
}

/// Fixes the contents of a file or of standard input.
pub(crate) fn fix_bytes(name: &str, bytes: &[u8], config: &Config) -> FileResult {
    let Ok(text) = core::str::from_utf8(bytes) else {
        return FileResult::failed(name, "it is not UTF-8".to_owned());
    };
    let file_name = Path::new(name).file_name().map(|name| name.to_string_lossy());
    let kind = file_name.map_or(SourceKind::Manifest, |name| SourceKind::of_name(&name));
    let Rewritten { text: new, edits, refused, skipped, unreadable, excepted } =
        rewrite(text, kind, &config.choices);
    let position = |start: ratchet_object::LineColumn| (start.line, start.column);
    FileResult {
        file: name.to_owned(),
        diff: new.as_deref().map(|new| unified_diff(name, text, new)).unwrap_or_default(),
        text: new,
        edits: edits.into_iter().map(file_edit).collect(),
        refused: refused.into_iter().map(file_refused).collect(),
        skipped: skipped.into_iter().map(|one| (one.line, one.why)).collect(),
        failed: unreadable
            .into_iter()
            .map(|one| (position(one.start).0, position(one.start).1, one.message))
            .collect(),
        excepted: excepted as u64,
    }
}

fn file_edit(edit: Edit) -> FileEdit {
    let Edit { start, object, fields, rule, old, new } = edit;
    FileEdit { place: place(start, &object, rule), fields, old, new }
}

fn file_refused(refused: RefusedEdit) -> FileRefused {
    let RefusedEdit { start, object, field, rule, value, reason } = refused;
    FileRefused {
        place: place(start, &object, rule),
        field,
        value,
        reason: reason.as_str(),
        message: reason.to_string(),
        flag: reason.flag(),
    }
}

fn place(
    start: ratchet_object::LineColumn,
    object: &ratchet_rewrite::ObjectRef,
    rule: &'static str,
) -> ValuePlace {
    ValuePlace {
        line: start.line,
        column: start.column,
        kind: object.kind.clone(),
        namespace: object.namespace.clone(),
        name: object.name.clone(),
        rule,
    }
}
