//! The Markdown report: a table for a comment on a pull request.

use super::format::Report;
use super::text::{remarks, title};
use crate::{CheckedObject, Summary};
use ratchet_formats::{count, markdown_cell as cell};
use std::io::{self, Write};

#[derive(Default)]
pub(crate) struct Markdown {
    any: bool,
}

impl Report for Markdown {
    fn object(&mut self, checked: &CheckedObject, out: &mut dyn Write) -> io::Result<()> {
        for finding in &checked.findings {
            if !std::mem::replace(&mut self.any, true) {
                writeln!(
                    out,
                    "| | place | object | what the API says | fix |\n|---|---|---|---|---|"
                )?;
            }
            let notes: String =
                remarks(finding).map(|note| format!("<br>{}", cell(&note))).collect();
            let fix = match (&finding.fix, &finding.hint) {
                (Some(fix), _) => format!("`{}`", cell(fix)),
                (None, Some(hint)) => cell(hint),
                (None, None) => cell(finding.rule.fix),
            };
            writeln!(
                out,
                "| {} | `{}:{}:{}` | {} | {} ({}){notes} | {fix} |",
                finding.severity.as_str(),
                cell(&checked.file),
                finding.start.line,
                finding.start.column,
                cell(&title(checked)),
                cell(&finding.message),
                finding.rule.id
            )?;
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let Summary { objects, refused, warned, unreadable, .. } = summary;
        let gap = if self.any { "\n" } else { "" };
        writeln!(
            out,
            "{gap}{}, {refused} refused, {warned} with warnings, {unreadable} unreadable.",
            count(*objects, "object")
        )
    }
}
