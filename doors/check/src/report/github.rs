//! The GitHub report: workflow commands that turn findings into annotations of a pull request.

use super::format::Report;
use super::text::remarks;
use crate::finding::Severity;
use crate::{CheckedObject, Summary};
use ratchet_formats::count;
use std::io::{self, Write};

pub(crate) struct Github;

impl Report for Github {
    fn object(&mut self, checked: &CheckedObject, out: &mut dyn Write) -> io::Result<()> {
        for finding in &checked.findings {
            let command = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "notice",
            };
            let mut text = finding.message.clone();
            let fix = finding.fix.as_ref().map(|fix| format!("write {fix}"));
            for line in fix.into_iter().chain(finding.hint.clone()).chain(remarks(finding)) {
                text.push('\n');
                text.push_str(&line);
            }
            writeln!(
                out,
                "::{command} file={},line={},col={},endLine={},endColumn={},title={}::{}",
                property(&checked.file),
                finding.start.line,
                finding.start.column,
                finding.end.line,
                finding.end.column,
                property(finding.rule.id),
                message(&text)
            )?;
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let Summary { objects, refused, warned, unreadable, .. } = summary;
        writeln!(
            out,
            "ratchet: {}, {refused} refused, {warned} with warnings, {unreadable} unreadable",
            count(*objects, "object")
        )
    }
}

fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
