//! The table for people: findings by owner, what is known beside them, and what could not be seen.

use super::sections::{ABOUT_MANIFEST, MOST_ROWS, Section, sections};
use super::totals::totals;
use crate::collector::Collected;
use crate::{Config, Finding, Operation, State};
use ratchet_formats::{count, visible};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// The most findings whose text is kept while the table is put in order.
const MOST_LINES: usize = 5000;

pub(crate) fn write(config: &Config, audit: &mut Collected, out: &mut dyn Write) -> io::Result<()> {
    let mut by_owner: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut lines = 0;
    let mut new = std::collections::HashSet::new();
    if let Some(changes) = &audit.changes {
        new.extend(changes.new.iter().cloned());
    }
    audit.for_each_finding(|finding, _| {
        let rows = by_owner.entry(finding.owner).or_default();
        if rows.len() < MOST_ROWS && lines < MOST_LINES {
            rows.push(row(config, finding, new.contains(&finding.fingerprint)));
            lines += 1;
        }
        Ok(())
    })?;
    let mut order: Vec<usize> = by_owner.keys().copied().collect();
    let weight = |number: &usize| {
        audit.owners.names.get(*number).map_or((0, 0, 0, String::new()), |counts| {
            let title = counts.owner.title();
            (u64::MAX - counts.frozen, u64::MAX - counts.refused, u64::MAX - counts.warned, title)
        })
    };
    order.sort_by_cached_key(weight);
    for number in order {
        let Some(counts) = audit.owners.names.get(number) else { continue };
        let rows = by_owner.remove(&number).unwrap_or_default();
        writeln!(
            out,
            "{}: {} in {}",
            visible(&counts.owner.title()),
            count(counts.findings, "finding"),
            count(counts.objects, "object")
        )?;
        for line in &rows {
            writeln!(out, "  {line}")?;
        }
        let omitted = counts.findings.saturating_sub(rows.len() as u64);
        if omitted > 0 {
            writeln!(out, "  and {omitted} more: -o json has them all")?;
        }
        writeln!(out)?;
    }
    for section in sections(config, audit) {
        write_section(&section, out)?;
    }
    for missing in &audit.missing {
        writeln!(out, "Not seen: {}", visible(&missing.sentence()))?;
    }
    for line in totals(config, audit) {
        writeln!(out, "{line}")?;
    }
    if audit.summary.suppressed > 0 {
        writeln!(out, "{} of the baseline", count(audit.summary.suppressed, "finding"))?;
    }
    Ok(())
}

/// Writes what is known beside the findings.
fn write_section(section: &Section, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}:", visible(&section.title))?;
    for row in section.rows.iter().chain(&section.more()) {
        writeln!(out, "  {}", visible(row))?;
    }
    if let Some(text) = &section.manifest {
        writeln!(out, "  {ABOUT_MANIFEST}")?;
        for line in text.lines() {
            writeln!(out, "    {line}")?;
        }
    }
    writeln!(out)
}

fn row(config: &Config, finding: &Finding, is_new: bool) -> String {
    let state = match finding.state {
        State::Frozen => "FROZEN",
        State::RefusedOnCreate => "REFUSED",
        State::Warns => "WARNS",
    };
    let state = match (config.colour, finding.state) {
        (false, _) => state.to_owned(),
        (true, State::Warns) => format!("\u{1b}[33m{state}\u{1b}[0m"),
        (true, _) => format!("\u{1b}[31m{state}\u{1b}[0m"),
    };
    let target = match config.targets.len() {
        1 => String::new(),
        _ => format!(" [{}]", finding.target),
    };
    let field = if finding.field.is_empty() { "" } else { " " };
    let mut text = format!(
        "{state}{target} {}{field}{}: {} ({})",
        visible(&finding.object.title()),
        visible(&finding.field),
        visible(&finding.message),
        finding.rule
    );
    if let Some(canonical) = &finding.canonical {
        text.push_str(&format!("; write {}", visible(canonical)));
    }
    let later = finding.refuses.iter().filter(|operation| **operation != Operation::Create);
    let later: Vec<&str> = later.map(|operation| operation.as_str()).collect();
    if !later.is_empty() {
        text.push_str(&format!("; refused: {}", later.join(", ")));
    }
    if is_new {
        text.push_str("; new");
    }
    text
}
