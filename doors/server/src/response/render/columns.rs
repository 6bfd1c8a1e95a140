//! Column definitions, cells and the Scale as a table, in JSON.

use super::{Include, Rows};
use crate::registry::{ColumnDefinition, ServedResource, printer_columns};
use crate::request::Output;
use ratchet_object::{Limits, Node, decode_json, write_text};
use ratchet_table::cells;
use std::fmt::Write;

/// Writes the column definitions of a resource.
pub(super) fn write_columns(out: &mut String, resource: &ServedResource) {
    let mut before = '[';
    resource.for_each_column(|column| write_next(out, &mut before, &column));
    out.push(']');
}

/// Writes the column definitions of a kind that has a printer.
fn write_printer_columns(out: &mut String, group: &str, kind: &str) {
    let mut before = '[';
    printer_columns(group, kind).for_each(|column| write_next(out, &mut before, &column));
    out.push(']');
}

/// Writes an item of a list; every table has columns.
fn write_next(out: &mut String, before: &mut char, column: &ColumnDefinition<'_>) {
    out.push(std::mem::replace(before, ','));
    write_column(out, column);
}

fn write_column(out: &mut String, column: &ColumnDefinition<'_>) {
    for (before, text) in [
        (r#"{"name":"#, column.name),
        (r#","type":"#, column.column_type),
        (r#","format":"#, column.format),
        (r#","description":"#, column.description),
    ] {
        out.push_str(before);
        // Writing to a String cannot fail.
        let _ = write_text(out, text);
    }
    let _ = write!(out, r#","priority":{}}}"#, column.priority);
}

/// Writes the cells of an object, in the order of the columns. `now` is the Unix time in seconds.
pub(super) fn write_cells(out: &mut String, resource: &ServedResource, node: &Node<'_>, now: i64) {
    write_values(out, &resource.cells(node, now));
}

fn write_values(out: &mut String, cells: &[Node<'_>]) {
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        cell.write_json(out);
    }
}

/// A Scale, which is not stored, as a table; `None` if the text is something else.
pub(super) fn table_of_scale(text: &str, output: Output, rows: Rows, now: i64) -> Option<String> {
    let decoded = decode_json(text, Limits::STORED).ok()?;
    let scale = decoded.documents.first()?;
    if (scale.text_at(&["apiVersion"]), scale.text_at(&["kind"])) != ("autoscaling/v1", "Scale") {
        return None;
    }
    let version = scale.text_at(&["metadata", "resourceVersion"]);
    let meta_version = output.meta_version;
    let mut out = format!(
        r#"{{"kind":"Table","apiVersion":"meta.k8s.io/{meta_version}","metadata":{{"resourceVersion":"{version}"}},"columnDefinitions":"#
    );
    write_printer_columns(&mut out, "autoscaling", "Scale");
    out.push_str(r#","rows":[{"cells":["#);
    write_values(&mut out, &cells("autoscaling", "Scale", scale, now));
    out.push(']');
    match (rows.include, scale.get("metadata")) {
        (Include::Nothing, _) | (Include::Metadata, None) => {}
        (Include::Metadata, Some(metadata)) => {
            let _ = write!(
                out,
                r#","object":{{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/{meta_version}","metadata":{metadata}}}"#
            );
        }
        (Include::Object, _) => {
            let _ = write!(out, r#","object":{text}"#);
        }
    }
    out.push_str("}]}");
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_a_table_and_nothing_else_is() {
        let scale = r#"{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"a","resourceVersion":"7","creationTimestamp":"1970-01-01T00:00:00Z"},"spec":{"replicas":3},"status":{"replicas":2}}"#;
        let rows = |include| Rows { include, with_columns: true };
        let table = table_of_scale(scale, Output::PLAIN, rows(Include::Metadata), 5).unwrap();
        let table = decode_json(&table, Limits::STORED).unwrap().documents.remove(0).into_owned();
        let row = &table.get("rows").unwrap().items()[0];
        assert_eq!(row.get("cells").unwrap().to_json(), r#"["a",3,2,"5s"]"#);
        assert_eq!(row.text_at(&["object", "kind"]), "PartialObjectMetadata");
        let whole = table_of_scale(scale, Output::PLAIN, rows(Include::Object), 5).unwrap();
        assert!(whole.ends_with(&format!(r#","object":{scale}}}]}}"#)));
        let status = r#"{"kind":"Status","apiVersion":"v1"}"#;
        assert!(table_of_scale(status, Output::PLAIN, rows(Include::Nothing), 5).is_none());
    }
}
