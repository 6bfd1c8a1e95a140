//! For people: the line of the file, the place underlined, what the API says, and the way out.

use super::{Report, title};
use crate::finding::Severity;
use crate::{Config, Finding, Judged, Outcome, Summary};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use std::io::{self, Write};

pub(crate) struct Human {
    renderer: Renderer,
    release: String,
}

impl Human {
    pub(crate) fn new(config: &Config) -> Self {
        let renderer = if config.colour { Renderer::styled() } else { Renderer::plain() };
        let policy = &config.policy;
        let emulated = if policy.emulated == policy.release {
            String::new()
        } else {
            format!(" emulating {}", policy.emulated)
        };
        let release =
            format!("Kubernetes {}{emulated}, behavior {}", policy.release, policy.behavior);
        Self { renderer, release }
    }

    fn show(&self, finding: &Finding, file: &str) -> String {
        let level = match finding.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let title = level.primary_title(finding.message.as_str()).id(finding.rule.id);
        let label = match &finding.fix {
            Some(fix) => format!("write `{fix}`"),
            None => finding.label.clone(),
        };
        let mut group: Group<'_> = if finding.source.is_empty() {
            title.element(Level::NOTE.message(format!("in {file}")))
        } else {
            let mark = AnnotationKind::Primary.span(finding.marked.clone()).label(label);
            let snippet =
                Snippet::source(finding.source.as_str()).line_start(finding.start.line as usize);
            title.element(snippet.path(file).annotation(mark))
        };
        for note in &finding.notes {
            group = group.element(Level::NOTE.message(note.as_str()));
        }
        if finding.fix.is_none() {
            group = group.element(Level::HELP.message(finding.rule.fix));
        }
        self.renderer.render(&[group])
    }
}

impl Report for Human {
    fn object(&mut self, judged: &Judged, out: &mut dyn Write) -> io::Result<()> {
        for finding in &judged.findings {
            writeln!(out, "{}\n", self.show(finding, &judged.file))?;
        }
        match &judged.outcome {
            Outcome::Refused { message } => {
                writeln!(
                    out,
                    "{}:{}: {} refused: {message}\n",
                    judged.file,
                    judged.line,
                    title(judged)
                )
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let Summary { objects, refused, warned, unreadable, skipped, suppressed, .. } = summary;
        let admitted = objects - refused - warned;
        let noun = if *objects == 1 { "object" } else { "objects" };
        write!(
            out,
            "{objects} {noun}: {refused} refused, {warned} with warnings, {admitted} clean"
        )?;
        for (count, what) in
            [(unreadable, "unreadable"), (skipped, "skipped"), (suppressed, "findings suppressed")]
        {
            if *count > 0 {
                write!(out, ", {count} {what}")?;
            }
        }
        writeln!(out, " ({})", self.release)
    }
}
