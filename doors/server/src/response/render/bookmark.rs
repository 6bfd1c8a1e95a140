//! Bookmarks of watches whose events are tables.

use super::columns::{write_cells, write_columns};
use super::{Include, Rows, whole};
use crate::registry::ServedResource;
use crate::request::Output;
use ratchet_object::Node;
use std::fmt::Write;

/// A bookmark as a table: one row of an object that has nothing but its metadata. A client that asked for no objects
/// gets the metadata of the bookmark that ends the initial events: nothing else tells them apart.
pub(crate) fn table_of_bookmark(
    resource: &ServedResource,
    metadata: Node<'static>,
    output: Output,
    rows: &mut Rows,
    now: i64,
) -> String {
    let meta_version = output.meta_version;
    let revision = metadata.text_at(&["resourceVersion"]).to_owned();
    let ends_initial_events = metadata.get("annotations").is_some();
    let node = Node::map([("metadata", metadata)]);
    let mut out = format!(
        r#"{{"kind":"Table","apiVersion":"meta.k8s.io/{meta_version}","metadata":{{"resourceVersion":"{revision}"}},"columnDefinitions":"#
    );
    match std::mem::take(&mut rows.with_columns) {
        true => write_columns(&mut out, resource),
        false => out.push_str("null"),
    }
    out.push_str(r#","rows":[{"cells":["#);
    write_cells(&mut out, resource, &node, now);
    out.push(']');
    match rows.include {
        Include::Nothing if !ends_initial_events => {}
        Include::Nothing | Include::Metadata => {
            let metadata = node.get("metadata").map(Node::to_json).unwrap_or_default();
            // Writing to a String cannot fail.
            let _ = write!(
                out,
                r#","object":{{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/{meta_version}","metadata":{metadata}}}"#
            );
        }
        Include::Object => {
            let object = whole(node, &resource.api_version(), resource.row().kind);
            let _ = write!(out, r#","object":{object}"#);
        }
    }
    out.push_str("}]}");
    out
}
