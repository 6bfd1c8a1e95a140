//! The command `ratchet fields`: prints the table of the API's address and network fields.

use crate::command_result::CommandResult;
use ratchet_engine::FIELDS;
use std::io::Write;

pub(crate) fn run(out: &mut dyn Write) -> CommandResult {
    let head = ["#", "KIND", "FIELD", "READ AS", "MAY STAY", "IN RELEASED", "WRITTEN BY"]
        .map(String::from);
    let rows = FIELDS.iter().map(|field| {
        [
            field.number.to_string(),
            field.kind.to_owned(),
            field.path.to_owned(),
            field.class.to_string(),
            field.ratchet.label().to_owned(),
            field.released_ratchet.label().to_owned(),
            field.writer.to_owned(),
        ]
    });
    let table: Vec<[String; 7]> = std::iter::once(head).chain(rows).collect();
    let mut widths = [0; 7];
    for row in &table {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.len().max(*width);
        }
    }
    for row in &table {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}"));
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(0)
}
