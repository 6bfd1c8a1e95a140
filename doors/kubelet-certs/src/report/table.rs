//! The table report for people: one line per node, then findings and fixes.

use super::remedies::remedies;
use super::text::{conclusion, day, plain, short, some, totals};
use crate::judge::{AuditedNode, Outcome, span};
use crate::{Config, Summary, Weight};
use ratchet_formats::count;
use std::io::{self, Write};

const HEAD: [&str; 7] =
    ["NODE", "ADDRESS", "COMMON NAME", "ISSUER", "EXPIRES", "SHAPE", "ENFORCEMENT"];

/// The maximum column width, so that one long name does not push the others off the screen.
const WIDEST: usize = 44;

pub(crate) fn write(
    config: &Config,
    audited: &[AuditedNode],
    summary: &Summary,
    out: &mut dyn Write,
) -> io::Result<()> {
    let style = Style { is_on: config.colour };
    if !audited.is_empty() {
        rows(config, audited, style, out)?;
        writeln!(out)?;
    }
    for one in audited.iter().filter(|one| !one.findings.is_empty()) {
        details(one, style, out)?;
    }
    for remedy in remedies(audited) {
        writeln!(
            out,
            "{} [{}: {}]",
            style.bold(&format!("Fix: {}", remedy.title)),
            count(remedy.nodes.len() as u64, "node"),
            some(&remedy.nodes)
        )?;
        writeln!(out, "  {}", remedy.meaning)?;
        for step in remedy.steps {
            writeln!(out, "  - {step}")?;
        }
        writeln!(out)?;
    }
    let all = totals(summary);
    writeln!(out, "{}", style.bold(&all))?;
    writeln!(out, "{}", conclusion(config, summary))
}

fn rows(
    config: &Config,
    audited: &[AuditedNode],
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let cells: Vec<[String; 7]> = audited.iter().map(|one| row(config, one)).collect();
    let width = |at: usize| {
        let all = cells.iter().filter_map(|row| row.get(at)).map(String::len);
        all.chain(HEAD.get(at).map(|head| head.len())).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let line = |row: &[String; 7]| -> String {
        let padded = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    writeln!(out, "{}", style.bold(&line(&HEAD.map(str::to_owned))))?;
    for (one, row) in audited.iter().zip(&cells) {
        let written = line(row);
        let verdict = row.last().map_or(0, String::len);
        let (before, verdict) =
            written.split_at_checked(written.len() - verdict).unwrap_or((&written, ""));
        writeln!(out, "{before}{}", style.outcome(one.outcome, verdict))?;
    }
    Ok(())
}

fn row(config: &Config, one: &AuditedNode) -> [String; 7] {
    let cell = |text: &str| match short(text, WIDEST) {
        text if text.is_empty() => "-".to_owned(),
        text => text,
    };
    let facts = one.facts.as_ref();
    let names = facts.map(|facts| facts.common_names.join(" + ")).unwrap_or_default();
    let expires = facts.map(|facts| {
        let left = facts.not_after.saturating_sub(config.now);
        let left = if left < 0 { "expired".to_owned() } else { span(left) };
        format!("{} ({left})", day(facts.not_after))
    });
    [
        plain(one.kubelet.node.as_str()),
        cell(&one.kubelet.endpoint().unwrap_or_default()),
        cell(&names),
        cell(facts.map(|facts| facts.issuer.as_str()).unwrap_or_default()),
        cell(&expires.unwrap_or_default()),
        one.shape.map_or("-", |shape| shape.id).to_owned(),
        one.verdict(),
    ]
}

fn details(one: &AuditedNode, style: Style, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", style.bold(&plain(one.kubelet.node.as_str())))?;
    for finding in &one.findings {
        let weight = match finding.rule.weight {
            Weight::Fails => style.paint(RED, "fails"),
            Weight::Unknown => style.paint(YELLOW, "unknown"),
            Weight::Warns => style.paint(YELLOW, "warning"),
        };
        writeln!(out, "  {weight}[{}]: {}", finding.rule.id, short(&finding.message, 600))?;
    }
    match &one.today {
        Some(Ok(())) => writeln!(out, "  today: the API server's verification passes")?,
        Some(Err(why)) => {
            writeln!(out, "  today: the API server's verification fails: {}", short(why, 300))?;
        }
        None => {}
    }
    for text in &one.evidence {
        writeln!(out, "  evidence: {}", short(text, 400))?;
    }
    writeln!(out)
}

const RED: &str = "31";
const GREEN: &str = "32";
const YELLOW: &str = "33";

/// ANSI styling, if it is enabled.
#[derive(Clone, Copy)]
struct Style {
    is_on: bool,
}

impl Style {
    fn paint(self, code: &str, text: &str) -> String {
        if self.is_on && !text.is_empty() {
            format!("\u{1b}[{code}m{text}\u{1b}[0m")
        } else {
            text.to_owned()
        }
    }

    fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    fn outcome(self, outcome: Outcome, text: &str) -> String {
        let code = match outcome {
            Outcome::Passes => GREEN,
            Outcome::WouldFail => RED,
            Outcome::Unknown => YELLOW,
        };
        self.paint(code, text)
    }
}
