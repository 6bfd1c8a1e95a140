//! The report of a fix: a diff with notes for people, or one JSON document.

use crate::file::{FileEdit, FileRefused, FileResult, ValuePlace};
use crate::{Config, OutputFormat, Summary};
use ratchet_formats::count;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Writes the report as results come in.
pub(crate) struct Report<'c> {
    config: &'c Config,
    is_first: bool,
}

impl<'c> Report<'c> {
    pub(crate) fn begin(config: &'c Config, out: &mut dyn Write) -> io::Result<Self> {
        if config.output == OutputFormat::Json {
            write!(out, "{{\n\"version\": \"ratchet.fix/v1\",\n\"files\": [")?;
        }
        Ok(Self { config, is_first: true })
    }

    /// Writes what became of a file; a file with nothing to tell is not written.
    pub(crate) fn file(
        &mut self,
        result: &FileResult,
        out: &mut dyn Write,
        notes: &mut dyn Write,
    ) -> io::Result<()> {
        for (line, why) in &result.skipped {
            let _ = writeln!(notes, "note: {}:{line}: skipped: {why}", result.file);
        }
        for (line, column, why) in &result.failed {
            let _ = match line {
                0 => writeln!(notes, "error: {}: {why}", result.file),
                _ => writeln!(notes, "error: {}:{line}:{column}: {why}", result.file),
            };
        }
        match self.config.output {
            OutputFormat::Diff => {
                for refused in &result.refused {
                    let _ = write_refused(&result.file, refused, notes);
                }
                self.diff(result, out)
            }
            OutputFormat::Json => {
                let has_news = [result.edits.len(), result.refused.len(), result.failed.len()];
                if has_news.iter().all(|count| *count == 0) {
                    return Ok(());
                }
                let comma = if std::mem::take(&mut self.is_first) { "" } else { "," };
                write!(out, "{comma}\n{}", file_json(result))
            }
        }
    }

    fn diff(&self, result: &FileResult, out: &mut dyn Write) -> io::Result<()> {
        if !self.config.colour {
            return out.write_all(result.diff.as_bytes());
        }
        for line in result.diff.split_inclusive('\n') {
            let colour = match line.as_bytes() {
                [b'-', b'-', b'-', ..] | [b'+', b'+', b'+', ..] => "1",
                [b'@', ..] => "36",
                [b'-', ..] => "31",
                [b'+', ..] => "32",
                _ => "0",
            };
            let text = line.strip_suffix('\n').unwrap_or(line);
            writeln!(out, "\x1b[{colour}m{text}\x1b[0m")?;
        }
        Ok(())
    }

    pub(crate) fn end(
        self,
        summary: &Summary,
        out: &mut dyn Write,
        notes: &mut dyn Write,
    ) -> io::Result<()> {
        if self.config.output == OutputFormat::Json {
            let summary = json!({
                "files": summary.files,
                "changed": summary.changed,
                "edits": summary.edits,
                "refused": summary.refused,
                "excepted": summary.excepted,
                "skipped": summary.skipped,
                "failed": summary.failed,
                "written": summary.written,
            });
            return write!(out, "\n],\n\"summary\": {summary}\n}}\n");
        }
        let Summary { files, changed, edits, refused, failed, .. } = summary;
        let done = if summary.written { "rewritten" } else { "to rewrite" };
        writeln!(
            notes,
            "{}: {} {done} in {}, {refused} refused, {}",
            count(*files, "file"),
            count(*edits, "value"),
            count(*changed, "file"),
            count(*failed, "error")
        )
    }
}

fn write_refused(file: &str, refused: &FileRefused, notes: &mut dyn Write) -> io::Result<()> {
    let FileRefused { place, field, value, message, .. } = refused;
    let ValuePlace { line, column, .. } = place;
    let object = describe(place);
    writeln!(notes, "refused: {file}:{line}:{column}: {object}{field}: {value:?}: {message}")
}

fn describe(place: &ValuePlace) -> String {
    let ValuePlace { kind, namespace, name, .. } = place;
    match (kind.as_str(), namespace.as_str()) {
        ("", _) => String::new(),
        (kind, "") => format!("{kind} {name} "),
        (kind, namespace) => format!("{kind} {namespace}/{name} "),
    }
}

fn file_json(result: &FileResult) -> Value {
    let edits = result.edits.iter().map(|edit| {
        let FileEdit { place, fields, old, new } = edit;
        place_json(place, json!({"fields": fields, "value": old, "canonical": new}))
    });
    let refused = result.refused.iter().map(|refused| {
        let FileRefused { place, field, value, reason, message, flag } = refused;
        let about = json!({
            "field": field,
            "value": value,
            "reason": reason,
            "message": message,
            "flag": flag,
        });
        place_json(place, about)
    });
    let failed = result
        .failed
        .iter()
        .map(|(line, column, message)| json!({"line": line, "column": column, "message": message}));
    json!({
        "file": result.file,
        "edits": edits.collect::<Vec<_>>(),
        "refused": refused.collect::<Vec<_>>(),
        "errors": failed.collect::<Vec<_>>(),
    })
}

/// Where a value stands, followed by what is said about it.
fn place_json(place: &ValuePlace, about: Value) -> Value {
    let ValuePlace { line, column, kind, namespace, name, rule } = place;
    let object = json!({"kind": kind, "namespace": namespace, "name": name});
    let mut all = json!({"line": line, "column": column, "object": object, "rule": rule});
    if let (Some(all), Value::Object(about)) = (all.as_object_mut(), about) {
        all.extend(about);
    }
    all
}
