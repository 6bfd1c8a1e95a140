//! The Markdown report: totals, a table for each owner's findings, and what could not be seen.

use super::totals::totals;
use crate::Config;
use crate::collector::Collected;
use ratchet_formats::{markdown_cell as cell, visible};
use std::io::{self, Write};

pub(crate) fn write(config: &Config, audit: &mut Collected, out: &mut dyn Write) -> io::Result<()> {
    for line in totals(config, audit) {
        writeln!(out, "- {line}")?;
    }
    let mut any = false;
    audit.for_each_finding(|finding, counts| {
        if !std::mem::replace(&mut any, true) {
            writeln!(
                out,
                "\n| state | object | field | value | write | what the API says | owner | target |\n|---|---|---|---|---|---|---|---|"
            )?;
        }
        let value = finding.value.as_deref().unwrap_or_default();
        let write = finding.canonical.as_deref().or(finding.hint.as_deref()).unwrap_or_default();
        writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} ({}) | {} | {} |",
            finding.state.as_str(),
            cell(&visible(&finding.object.title())),
            cell(&visible(&finding.field)),
            cell(&visible(value)),
            cell(&visible(write)),
            cell(&visible(&finding.message)),
            finding.rule,
            cell(&visible(&counts.owner.title())),
            finding.target,
        )
    })?;
    for missing in &audit.missing {
        writeln!(out, "\nNot seen: {}", cell(&visible(&missing.sentence())))?;
    }
    for why in &audit.inventory.unreadable {
        writeln!(out, "\nCannot be read: {}", cell(&visible(why)))?;
    }
    Ok(())
}
