//! The JUnit XML report: one test suite per file, one test case per object.

use super::format::Report;
use super::text::title;
use crate::finding::Severity;
use crate::{CheckedObject, Outcome, Summary};
use ratchet_formats::xml_escape as escape;
use std::io::{self, Write};
use std::sync::Arc;

#[derive(Default)]
pub(crate) struct Junit {
    suite: Option<Arc<str>>,
}

impl Report for Junit {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ratchet check\">"
        )
    }

    fn object(&mut self, checked: &CheckedObject, out: &mut dyn Write) -> io::Result<()> {
        if self.suite.as_deref() != Some(&*checked.file) {
            if self.suite.replace(Arc::clone(&checked.file)).is_some() {
                writeln!(out, "  </testsuite>")?;
            }
            writeln!(out, "  <testsuite name=\"{}\">", escape(&checked.file))?;
        }
        let (file, line, name) = (escape(&checked.file), checked.line, escape(&title(checked)));
        write!(
            out,
            "    <testcase classname=\"{file}\" name=\"{name}\" file=\"{file}\" line=\"{line}\">"
        )?;
        let lines: Vec<String> = checked
            .findings
            .iter()
            .map(|finding| {
                let place =
                    format!("{}:{}:{}", checked.file, finding.start.line, finding.start.column);
                let location =
                    finding.policy.as_ref().and_then(|decision| decision.describe_location());
                format!(
                    "{} {}: {place}: {}{}",
                    finding.severity.as_str(),
                    finding.rule.id,
                    finding.message,
                    location.map(|location| format!(" ({location})")).unwrap_or_default()
                )
            })
            .collect();
        let text = escape(&lines.join("\n"));
        let is_error = checked.findings.iter().any(|finding| finding.severity == Severity::Error);
        match &checked.outcome {
            Outcome::Refused { message } => {
                write!(out, "<failure message=\"{}\">{text}</failure>", escape(message))?;
            }
            Outcome::Unreadable => write!(out, "<error message=\"unreadable\">{text}</error>")?,
            Outcome::Skipped { why } => write!(out, "<skipped message=\"{}\"/>", escape(why))?,
            Outcome::Warned if !is_error => write!(out, "<system-out>{text}</system-out>")?,
            Outcome::Warned | Outcome::Admitted => {}
        }
        writeln!(out, "</testcase>")
    }

    fn end(&mut self, _: &Summary, out: &mut dyn Write) -> io::Result<()> {
        if self.suite.is_some() {
            writeln!(out, "  </testsuite>")?;
        }
        writeln!(out, "</testsuites>")
    }
}
