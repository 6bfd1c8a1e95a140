//! JSON values as YAML, member by member, so that a report can be written as it comes.

use serde_json::Value;
use std::io::{self, Write};

/// Writes the members of a map, each on its own line. Texts are quoted as JSON quotes them, which YAML reads the same.
pub fn write_members(value: &Value, depth: usize, out: &mut dyn Write) -> io::Result<()> {
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

/// Writes an item of a list.
pub fn write_item(item: &Value, depth: usize, out: &mut dyn Write) -> io::Result<()> {
    let pad = "  ".repeat(depth);
    if item.as_object().is_none_or(serde_json::Map::is_empty) {
        return writeln!(out, "{pad}- {item}");
    }
    let mut lines = Vec::new();
    write_members(item, depth + 1, &mut lines)?;
    let lines = String::from_utf8_lossy(&lines).into_owned();
    let rest = lines.get(pad.len() + 2..).unwrap_or_default();
    write!(out, "{pad}- {rest}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lists_of_maps_are_indented_below_their_name() {
        let mut out = Vec::new();
        let value = json!({"a": [{"b": 1, "c": ["x"]}, {}], "d": {"e": null}, "f": []});
        write_members(&value, 0, &mut out).unwrap();
        let wanted = "a:\n- b: 1\n  c:\n  - \"x\"\n- {}\nd:\n  e: null\nf: []\n";
        assert_eq!(String::from_utf8(out).unwrap(), wanted);
    }
}
