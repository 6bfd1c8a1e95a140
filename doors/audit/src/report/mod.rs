//! Report formats, one module each; findings are read from the spool while they are written.

mod html;
mod json;
mod junit;
mod markdown;
mod policy_report;
mod prometheus;
mod sarif;
mod sections;
mod table;
mod totals;
mod yaml;

use crate::collector::Collected;
use crate::{Config, OutputFormat};
use std::io::{self, Write};

/// Writes the report in the configured format.
pub(crate) fn write(config: &Config, audit: &mut Collected, out: &mut dyn Write) -> io::Result<()> {
    match config.output {
        OutputFormat::Table => table::write(config, audit, out),
        OutputFormat::Json => json::write(config, audit, out),
        OutputFormat::Yaml => yaml::write(config, audit, out),
        OutputFormat::Sarif => sarif::write(audit, out),
        OutputFormat::Junit => junit::write(audit, out),
        OutputFormat::Markdown => markdown::write(config, audit, out),
        OutputFormat::Prometheus => prometheus::write(config, audit, out),
        OutputFormat::Html => html::write(config, audit, out),
        OutputFormat::PolicyReport => policy_report::write(config, audit, out),
    }
}
