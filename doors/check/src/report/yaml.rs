//! The JSON report in YAML.

use super::format::Report;
use super::json;
use crate::{CheckedObject, Config, Summary};
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

/// The members of a map, each on its own line. Texts are quoted as JSON quotes them, which YAML
/// reads the same.
fn write_members(value: &Value, depth: usize, out: &mut dyn Write) -> io::Result<()> {
    let pad = "  ".repeat(depth);
    for (name, member) in value.as_object().into_iter().flatten() {
        match member {
            Value::Array(items) if !items.is_empty() => {
                writeln!(out, "{pad}{name}:")?;
                for item in items {
                    write_item(item, depth, out)?;
                }
            }
            Value::Object(members) if !members.is_empty() => {
                writeln!(out, "{pad}{name}:")?;
                write_members(member, depth + 1, out)?;
            }
            plain => writeln!(out, "{pad}{name}: {plain}")?,
        }
    }
    Ok(())
}

fn write_item(item: &Value, depth: usize, out: &mut dyn Write) -> io::Result<()> {
    let pad = "  ".repeat(depth);
    if !item.is_object() {
        return writeln!(out, "{pad}- {item}");
    }
    let mut lines = Vec::new();
    write_members(item, depth + 1, &mut lines)?;
    let lines = String::from_utf8_lossy(&lines).into_owned();
    let rest = lines.get(pad.len() + 2..).unwrap_or_default();
    write!(out, "{pad}- {rest}")
}
