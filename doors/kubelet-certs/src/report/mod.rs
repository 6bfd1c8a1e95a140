//! Report formats, one module each.

mod html;
mod json;
mod markdown;
mod prometheus;
mod remedies;
mod sarif;
mod table;
mod text;

pub(crate) use text::plain;

use crate::judge::AuditedNode;
use crate::{Config, OutputFormat, Summary};
use std::io::{self, Write};

/// Writes the report in the configured format.
pub(crate) fn write(
    config: &Config,
    audited: &[AuditedNode],
    summary: &Summary,
    out: &mut dyn Write,
) -> io::Result<()> {
    match config.output {
        OutputFormat::Table => table::write(config, audited, summary, out),
        OutputFormat::Json => json::write(config, audited, summary, out),
        OutputFormat::Sarif => sarif::write(audited, summary, out),
        OutputFormat::Markdown => markdown::write(config, audited, summary, out),
        OutputFormat::Html => html::write(config, audited, out),
        OutputFormat::Prometheus => prometheus::write(audited, summary, out),
    }
}

#[cfg(test)]
mod tests;
