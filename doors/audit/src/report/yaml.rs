//! The JSON report in YAML.

use super::json;
use crate::collector::Collected;
use crate::{Config, VERSION};
use ratchet_formats::{escape_control, write_item, write_members};
use serde_json::{Map, Value};
use std::io::{self, Write};

pub(crate) fn write(config: &Config, audit: &mut Collected, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "version: {VERSION}")?;
    write_some(json::before(config, audit), out)?;
    let mut any = false;
    audit.for_each_finding(|finding, _| {
        if !std::mem::replace(&mut any, true) {
            writeln!(out, "findings:")?;
        }
        let mut lines = Vec::new();
        write_item(&serde_json::to_value(finding)?, 0, &mut lines)?;
        out.write_all(escape_control(&String::from_utf8_lossy(&lines)).as_bytes())
    })?;
    if !any {
        writeln!(out, "findings: []")?;
    }
    write_some(json::after(config, audit), out)
}

fn write_some(members: Vec<(&'static str, Value)>, out: &mut dyn Write) -> io::Result<()> {
    let members: Map<String, Value> =
        members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    let mut lines = Vec::new();
    write_members(&Value::Object(members), 0, &mut lines)?;
    out.write_all(escape_control(&String::from_utf8_lossy(&lines)).as_bytes())
}
