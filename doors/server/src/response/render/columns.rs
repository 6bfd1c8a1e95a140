//! Column definitions, cells and the Scale as a table, in JSON.

use super::{Include, Rows, whole};
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

/// Kinds that are not stored and have tables: group, version, kind.
const UNSTORED: &[(&str, &str, &str)] =
    &[("autoscaling", "autoscaling/v1", "Scale"), ("", "v1", "ComponentStatus")];

/// A document that is not stored, or a list of such, as a table; `None` if it has none.
pub(super) fn table_of_text(text: &str, output: Output, rows: Rows, now: i64) -> Option<String> {
    let decoded = decode_json(text, Limits::STORED).ok()?;
    let document = decoded.documents.first()?;
    let (version, kind) = (document.text_at(&["apiVersion"]), document.text_at(&["kind"]));
    let (group, _, kind) = *UNSTORED.iter().find(|(_, row_version, row_kind)| {
        version == *row_version && kind.strip_suffix("List").unwrap_or(kind) == *row_kind
    })?;
    let objects = match document.get("items") {
        Some(items) => items.items(),
        None => std::slice::from_ref(document),
    };
    let revision = document.text_at(&["metadata", "resourceVersion"]);
    let meta_version = output.meta_version;
    let mut out = format!(
        r#"{{"kind":"Table","apiVersion":"meta.k8s.io/{meta_version}","metadata":{{"resourceVersion":"{revision}"}},"columnDefinitions":"#
    );
    write_printer_columns(&mut out, group, kind);
    out.push_str(r#","rows":["#);
    for (index, object) in objects.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(r#"{"cells":["#);
        write_values(&mut out, &cells(group, kind, object, now));
        out.push(']');
        match (rows.include, object.get("metadata")) {
            (Include::Nothing, _) | (Include::Metadata, None) => {}
            (Include::Metadata, Some(metadata)) => {
                let _ = write!(
                    out,
                    r#","object":{{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/{meta_version}","metadata":{metadata}}}"#
                );
            }
            (Include::Object, _) => {
                let object = whole(object.clone().into_owned(), version, kind);
                let _ = write!(out, r#","object":{object}"#);
            }
        }
        out.push('}');
    }
    out.push_str("]}");
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_is_a_table_and_a_status_is_none() {
        let scale = r#"{"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"a","resourceVersion":"7","creationTimestamp":"1970-01-01T00:00:00Z"},"spec":{"replicas":3},"status":{"replicas":2}}"#;
        let rows = |include| Rows { include, with_columns: true };
        let table = table_of_text(scale, Output::PLAIN, rows(Include::Metadata), 5).unwrap();
        let table = decode_json(&table, Limits::STORED).unwrap().documents.remove(0).into_owned();
        let row = &table.get("rows").unwrap().items()[0];
        assert_eq!(row.get("cells").unwrap().to_json(), r#"["a",3,2,"5s"]"#);
        assert_eq!(row.text_at(&["object", "kind"]), "PartialObjectMetadata");
        let whole = table_of_text(scale, Output::PLAIN, rows(Include::Object), 5).unwrap();
        assert!(whole.ends_with(&format!(r#","object":{scale}}}]}}"#)));
        let list = r#"{"kind":"ComponentStatusList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a"}},{"metadata":{"name":"b"}}]}"#;
        let table = table_of_text(list, Output::PLAIN, rows(Include::Nothing), 5).unwrap();
        assert!(table.ends_with(
            r#""rows":[{"cells":["a","Unknown","",""]},{"cells":["b","Unknown","",""]}]}"#
        ));
        let status = r#"{"kind":"Status","apiVersion":"v1"}"#;
        assert!(table_of_text(status, Output::PLAIN, rows(Include::Nothing), 5).is_none());
    }
}
