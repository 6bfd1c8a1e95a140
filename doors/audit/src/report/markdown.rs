//! The Markdown report: totals, a table of findings, what is known beside them, and what could not be seen.

use super::sections::{ABOUT_MANIFEST, sections};
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
    for section in sections(config, audit) {
        writeln!(out, "\n**{}**\n", cell(&visible(&section.title)))?;
        for row in section.rows.iter().chain(&section.more()) {
            writeln!(out, "- {}", cell(&visible(row)))?;
        }
        if let Some(text) = &section.manifest {
            writeln!(out, "\n{ABOUT_MANIFEST}\n\n```yaml\n{text}```")?;
        }
    }
    for missing in &audit.missing {
        writeln!(out, "\nNot seen: {}", cell(&visible(&missing.sentence())))?;
    }
    for why in audit.inventory.unreadable.rows() {
        writeln!(out, "\nCannot be read: {}", cell(&visible(why)))?;
    }
    Ok(())
}
