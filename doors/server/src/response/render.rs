//! Encoding of responses: whole objects, tables and partial metadata in every media type.

mod bookmark;
mod columns;
mod document;
mod indent;
mod stream;
mod writer;

pub(crate) use document::Document;
pub(crate) use stream::answer;

use crate::app::App;
use crate::registry::ServedResource;
use crate::request::{Media, Output, Params};
use crate::storage::cache::Item;
pub(crate) use bookmark::table_of_bookmark;
use bytes::Bytes;
use columns::{write_cells, write_columns};
use indent::indented;
use ratchet_object::{Limits, Node, decode_json, proto};

/// Options of table rows: the included object, and whether column definitions are still to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    include: Include,
    with_columns: bool,
}

/// `includeObject`: the object in a table row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Include {
    Nothing,
    Metadata,
    Object,
}

impl Rows {
    /// Parses `includeObject`.
    pub(crate) fn from_params(params: &Params) -> Self {
        let include = match params.text("includeObject") {
            "None" => Include::Nothing,
            "Object" => Include::Object,
            _ => Include::Metadata,
        };
        Self { include, with_columns: true }
    }
}

/// A small encoded document.
pub(crate) struct Rendered {
    /// The `Content-Type` of the response.
    pub content_type: &'static str,
    /// The encoded body.
    pub bytes: Bytes,
}

/// Encodes JSON in the negotiated media type: compact with a newline, indented, YAML or protobuf.
pub(crate) fn encode(json: &str, output: Output) -> Rendered {
    let bytes = match output.media {
        Media::Json { pretty: false } => format!("{json}\n").into(),
        Media::Json { pretty: true } => indented(json).into(),
        Media::Yaml => ratchet_object::to_yaml(&decode_tree(json.as_bytes())).into(),
        Media::Protobuf => match proto::encode(&decode_tree(json.as_bytes())) {
            Ok(bytes) => bytes.into(),
            // Kinds without a protobuf form fall back to JSON, also in the content type.
            Err(_) => return encode(json, Output::PLAIN),
        },
    };
    Rendered { content_type: output.content_type(), bytes }
}

/// Decodes JSON that this module encoded. Cannot fail; if it does, the request panics rather than return an empty
/// object.
fn decode_tree(json: &[u8]) -> Node<'_> {
    let text = std::str::from_utf8(json).unwrap_or_default();
    let decoded = decode_json(text, Limits::STORED).map(|decoded| decoded.documents);
    match decoded.map(|mut documents| documents.pop()) {
        Ok(Some(node)) => node,
        Ok(None) => unreachable!("an answer without a document"),
        Err(why) => unreachable!("an answer that cannot be read: {why}"),
    }
}

fn converted(resource: &ServedResource, item: &Item) -> Node<'static> {
    let mut node = item.node();
    resource.convert_stored(&mut node);
    node
}

/// Encodes a node as an object with `kind` and `apiVersion` first.
pub(crate) fn whole(mut node: Node<'static>, api_version: &str, kind: &str) -> String {
    node.remove("kind");
    node.remove("apiVersion");
    let body = node.to_json();
    let rest = body.get(1..).unwrap_or_default();
    let comma = if rest == "}" { "" } else { "," };
    format!(r#"{{"kind":"{kind}","apiVersion":"{api_version}"{comma}{rest}"#)
}

/// Encodes a `PartialObjectMetadata`.
pub(crate) fn partial(item: &Item, output: Output) -> String {
    let metadata = item.metadata(output.has_owners);
    let parts = [
        r#"{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/"#,
        output.meta_version,
        r#"","metadata":"#,
        std::str::from_utf8(&metadata).unwrap_or_default(),
        "}",
    ];
    parts.concat()
}

/// Encodes a `Table` with one row.
pub(crate) fn table_of_one(
    app: &App,
    resource: &ServedResource,
    item: &Item,
    output: Output,
    rows: &mut Rows,
) -> String {
    let mut out = format!(
        r#"{{"kind":"Table","apiVersion":"meta.k8s.io/{}","metadata":{{"resourceVersion":"{}"}},"columnDefinitions":"#,
        output.meta_version, item.revision
    );
    if rows.with_columns {
        write_columns(&mut out, resource);
        rows.with_columns = false;
    } else {
        out.push_str("null");
    }
    out.push_str(r#","rows":["#);
    write_row(&mut out, app, resource, item, rows.include, output);
    out.push_str("]}");
    out
}

fn write_row(
    out: &mut String,
    app: &App,
    resource: &ServedResource,
    item: &Item,
    include: Include,
    output: Output,
) {
    let mut write_row_cells = |node: &Node<'_>| {
        out.push_str(r#"{"cells":["#);
        write_cells(out, resource, node, app.seconds());
        out.push(']');
    };
    match resource.is_converted() {
        true => write_row_cells(&converted(resource, item)),
        false => item.read(write_row_cells),
    }
    match include {
        Include::Nothing => out.push_str(r#","object":null"#),
        Include::Metadata => {
            out.push_str(r#","object":"#);
            out.push_str(&partial(item, output));
        }
        Include::Object => {
            out.push_str(r#","object":"#);
            let node = converted(resource, item);
            out.push_str(&whole(node, &resource.api_version(), resource.row().kind));
        }
    }
    out.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str) -> Node<'static> {
        decode_json(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_no_empty_object() {
        let deep = format!("{}{}", "[".repeat(400), "]".repeat(400));
        for broken in ["", "{", &deep] {
            for media in [Media::Yaml, Media::Protobuf] {
                let output = Output { media, ..Output::PLAIN };
                assert!(std::panic::catch_unwind(|| encode(broken, output)).is_err(), "{broken}");
            }
        }
    }

    #[test]
    fn kind_and_version_come_first() {
        let text = whole(node(r#"{"spec":{},"kind":"Old","apiVersion":"v0"}"#), "v1", "Pod");
        assert_eq!(text, r#"{"kind":"Pod","apiVersion":"v1","spec":{}}"#);
        assert_eq!(whole(Node::empty_map(), "v1", "Pod"), r#"{"kind":"Pod","apiVersion":"v1"}"#);
    }

    #[test]
    fn json_becomes_the_encoding_that_was_asked_for() {
        let encoded = |media| {
            let json = r#"{"kind":"Status","apiVersion":"v1","code":404}"#;
            let Rendered { content_type, bytes } = encode(json, Output { media, ..Output::PLAIN });
            (content_type, String::from_utf8(bytes.to_vec()).unwrap())
        };
        let (kind, text) = encoded(Media::Json { pretty: false });
        assert!(kind == "application/json" && text.ends_with("}\n"));
        let (kind, text) = encoded(Media::Yaml);
        assert!(kind == "application/yaml" && text.contains("code: 404\n"), "{text}");
    }
}
