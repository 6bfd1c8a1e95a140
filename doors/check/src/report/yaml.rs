//! The JSON report in YAML.

use super::format::Report;
use super::json;
use crate::{CheckedObject, Config, Summary};
use ratchet_formats::{write_item, write_members};
use serde_json::Value;
use std::io::{self, Write};

pub(crate) struct Yaml {
    head: Value,
    any: bool,
}

impl Yaml {
    pub(crate) fn new(config: &Config) -> Self {
        Self { head: json::head(config), any: false }
    }
}

impl Report for Yaml {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "version: {}\npolicy:", json::VERSION)?;
        write_members(&self.head, 1, out)
    }

    fn object(&mut self, checked: &CheckedObject, out: &mut dyn Write) -> io::Result<()> {
        if !json::is_worth_a_row(checked) {
            return Ok(());
        }
        if !std::mem::replace(&mut self.any, true) {
            writeln!(out, "objects:")?;
        }
        write_item(&json::object(checked), 0, out)
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        if !self.any {
            writeln!(out, "objects: []")?;
        }
        writeln!(out, "summary:")?;
        write_members(&json::summary(summary), 1, out)
    }
}
