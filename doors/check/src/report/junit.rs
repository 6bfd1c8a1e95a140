//! JUnit XML, for test reports: a suite a file, a case an object.

use super::{Report, title};
use crate::finding::Severity;
use crate::{Judged, Outcome, Summary};
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

    fn object(&mut self, judged: &Judged, out: &mut dyn Write) -> io::Result<()> {
        if self.suite.as_deref() != Some(&*judged.file) {
            if self.suite.replace(Arc::clone(&judged.file)).is_some() {
                writeln!(out, "  </testsuite>")?;
            }
            writeln!(out, "  <testsuite name=\"{}\">", escaped(&judged.file))?;
        }
        let (file, line, name) = (escaped(&judged.file), judged.line, escaped(&title(judged)));
        write!(
            out,
            "    <testcase classname=\"{file}\" name=\"{name}\" file=\"{file}\" line=\"{line}\">"
        )?;
        let told: Vec<String> = judged
            .findings
            .iter()
            .map(|finding| {
                let place =
                    format!("{}:{}:{}", judged.file, finding.start.line, finding.start.column);
                let told = finding.policy.as_ref().and_then(|ruling| ruling.told());
                format!(
                    "{} {}: {place}: {}{}",
                    finding.severity.word(),
                    finding.rule.id,
                    finding.message,
                    told.map(|told| format!(" ({told})")).unwrap_or_default()
                )
            })
            .collect();
        let text = escaped(&told.join("\n"));
        let is_error = judged.findings.iter().any(|finding| finding.severity == Severity::Error);
        match &judged.outcome {
            Outcome::Refused { message } => {
                write!(out, "<failure message=\"{}\">{text}</failure>", escaped(message))?;
            }
            Outcome::Unreadable => write!(out, "<error message=\"unreadable\">{text}</error>")?,
            Outcome::Skipped { why } => write!(out, "<skipped message=\"{}\"/>", escaped(why))?,
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

/// Text as XML holds it; what XML cannot hold at all becomes a question mark.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push(' '),
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('?'),
            other => out.push(other),
        }
    }
    out
}
