//! The Markdown report: a table for a ticket or a comment.

use super::remedies::remedies;
use super::text::{conclusion, day, plain, some, totals};
use crate::judge::AuditedNode;
use crate::{Config, Summary};
use std::io::{self, Write};

pub(crate) fn write(
    config: &Config,
    audited: &[AuditedNode],
    summary: &Summary,
    out: &mut dyn Write,
) -> io::Result<()> {
    if !audited.is_empty() {
        writeln!(
            out,
            "| node | address | common name | issuer | expires | shape | enforcement | findings |"
        )?;
        writeln!(out, "|---|---|---|---|---|---|---|---|")?;
    }
    for one in audited {
        let facts = one.facts.as_ref();
        let names = facts.map(|facts| facts.common_names.join(" + ")).unwrap_or_default();
        let findings: Vec<String> = one
            .findings
            .iter()
            .map(|finding| format!("{} ({})", cell(&finding.message), finding.rule.id))
            .chain(one.evidence.iter().map(|text| cell(text)))
            .collect();
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            cell(one.kubelet.node.as_str()),
            cell(&one.kubelet.endpoint().unwrap_or_default()),
            cell(&names),
            cell(facts.map(|facts| facts.issuer.as_str()).unwrap_or_default()),
            facts.map(|facts| day(facts.not_after)).unwrap_or_default(),
            one.shape.map_or("", |shape| shape.id),
            one.verdict(),
            findings.join("<br>"),
        )?;
    }
    for remedy in remedies(audited) {
        writeln!(
            out,
            "\n**Fix: {}** ({})\n\n{}\n",
            cell(&remedy.title),
            some(&remedy.nodes),
            remedy.meaning
        )?;
        for (at, step) in remedy.steps.iter().enumerate() {
            writeln!(out, "{}. {step}", at + 1)?;
        }
    }
    writeln!(out, "\n{}. {}", totals(summary), conclusion(config, summary))
}

/// Text escaped for a table cell: a bar would end it, and markup would be rendered.
fn cell(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in plain(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '|' | '`' | '*' | '_' | '[' | ']' | '!' => {
                out.push('\\');
                out.push(c);
            }
            other => out.push(other),
        }
    }
    out
}
