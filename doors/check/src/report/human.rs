//! The human report: source line, underlined value, the API server's message, and the fix.

use super::format::Report;
use super::text::title;
use crate::finding::{Severity, SourceLocation};
use crate::{CheckedObject, Config, Finding, Outcome, Summary};
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use ratchet_formats::{count, visible};
use std::io::{self, Write};

pub(crate) struct Human {
    renderer: Renderer,
    release: String,
}

impl Human {
    pub(crate) fn new(config: &Config) -> Self {
        let renderer = if config.colour { Renderer::styled() } else { Renderer::plain() };
        let config = &config.api_config;
        let emulated = if config.emulated == config.release {
            String::new()
        } else {
            format!(" emulating {}", config.emulated)
        };
        let release =
            format!("Kubernetes {}{emulated}, behavior {}", config.release, config.behavior);
        Self { renderer, release }
    }

    fn render_finding(&self, finding: &Finding, file: &str) -> String {
        let level = match finding.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let title = level.primary_title(finding.message.as_str()).id(finding.rule.id);
        let label = match &finding.fix {
            Some(fix) => format!("write `{fix}`"),
            None => finding.hint.as_ref().unwrap_or(&finding.label).clone(),
        };
        let (line, column) = (finding.start.line as usize, finding.start.column as usize);
        let before = finding.source.get(..finding.marked.start).unwrap_or_default();
        // Of a long line the finding has only a part, whose columns are not those of the file.
        let is_whole = before.chars().count() + 1 == column && !finding.source.trim().is_empty();
        let mut group: Group<'_> = if is_whole {
            let mark = AnnotationKind::Primary.span(finding.marked.clone()).label(label);
            let snippet = Snippet::source(finding.source.as_str()).line_start(line);
            title.element(snippet.path(visible(file)).annotation(mark))
        } else {
            let place = Origin::path(visible(file)).line(line).char_column(column);
            let group = title.element(place);
            match finding.source.get(finding.marked.clone()).filter(|text| !text.is_empty()) {
                Some(text) => group.element(Level::NOTE.message(format!("at `{text}`: {label}"))),
                None => group,
            }
        };
        if let Some(label) =
            finding.policy.as_ref().and_then(|decision| decision.expression.as_ref())
        {
            group = group.element(expression_snippet(label));
        }
        for note in &finding.notes {
            group = group.element(Level::NOTE.message(note.as_str()));
        }
        if finding.fix.is_none() && finding.hint.is_none() {
            group = group.element(Level::HELP.message(finding.rule.fix));
        }
        self.renderer.render(&[group])
    }
}

/// The source line of a policy's expression; of a long line only the part around it.
fn expression_snippet(label: &SourceLocation) -> Snippet<'_, annotate_snippets::Annotation<'_>> {
    let mark = AnnotationKind::Context.span(label.marked.clone()).label(label.field.as_str());
    let snippet = Snippet::source(label.source.as_str()).line_start(label.start.line as usize);
    snippet.path(visible(&label.file)).annotation(mark)
}

impl Report for Human {
    fn object(&mut self, checked: &CheckedObject, out: &mut dyn Write) -> io::Result<()> {
        for finding in &checked.findings {
            writeln!(out, "{}\n", self.render_finding(finding, &checked.file))?;
        }
        match &checked.outcome {
            Outcome::Refused { message } => {
                writeln!(
                    out,
                    "{}:{}: {} refused: {message}\n",
                    visible(&checked.file),
                    checked.line,
                    title(checked)
                )
            }
            _ => Ok(()),
        }
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let Summary { objects, refused, warned, unreadable, skipped, suppressed, .. } = summary;
        let admitted = objects - refused - warned;
        let objects = count(*objects, "object");
        write!(out, "{objects}: {refused} refused, {warned} with warnings, {admitted} clean")?;
        for (number, what) in [(unreadable, "unreadable"), (skipped, "skipped")] {
            if *number > 0 {
                write!(out, ", {number} {what}")?;
            }
        }
        if *suppressed > 0 {
            write!(out, ", {} suppressed", count(*suppressed, "finding"))?;
        }
        writeln!(out, " ({})", self.release)
    }
}
