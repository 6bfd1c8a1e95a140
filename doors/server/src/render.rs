//! Answers become bytes: whole objects as they are stored, tables for people, metadata for informers.

use crate::app::App;
use crate::cache::Item;
use crate::call::{Content, List, Reply};
use crate::convert;
use crate::request::{Form, Media, Output, Params};
use crate::served::Served;
use bytes::Bytes;
use ratchet_object::{Limits, Node, decode_json, proto, write_text};
use ratchet_table::{Column, cells, columns};
use std::fmt::Write;

/// How much of each object the rows of a table carry, and whether the columns are still to be told.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    include: Include,
    with_columns: bool,
}

/// What stands beside the cells of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Include {
    Nothing,
    Metadata,
    Object,
}

impl Rows {
    /// Reads `includeObject`.
    pub(crate) fn read(params: &Params) -> Self {
        let include = match params.text("includeObject") {
            "None" => Include::Nothing,
            "Object" => Include::Object,
            _ => Include::Metadata,
        };
        Self { include, with_columns: true }
    }
}

/// The body of an answer: pieces that are sent one after another.
pub(crate) struct Rendered {
    /// The content type.
    pub content_type: &'static str,
    /// The bytes.
    pub pieces: Vec<Bytes>,
}

/// Writes an answer in the form that was asked for; a stream is not rendered here.
pub(crate) fn render(
    app: &App,
    served: Option<&Served>,
    reply: &Reply,
    output: Output,
    params: &Params,
) -> Rendered {
    let pieces = match (&reply.content, served) {
        (Content::Item(item), Some(served)) => object(app, served, item, output, params),
        (Content::List(list), Some(served)) => collection(app, served, list, output, params),
        (Content::Json(text), _) => vec![text.clone().into()],
        _ => Vec::new(),
    };
    dress(pieces, output)
}

/// Puts JSON into the dress that was asked for: indented, YAML, protobuf, or as it is with a newline.
pub(crate) fn dress(mut pieces: Vec<Bytes>, output: Output) -> Rendered {
    let tree = |pieces: &[Bytes]| own(&pieces.concat()).into_owned();
    match output.media {
        Media::Json { pretty: false } => pieces.push(Bytes::from_static(b"\n")),
        Media::Json { pretty: true } => pieces = vec![indented(&tree(&pieces)).into()],
        Media::Yaml => pieces = vec![ratchet_object::to_yaml(&tree(&pieces)).into()],
        Media::Protobuf => match proto::encode(&tree(&pieces)) {
            Ok(bytes) => pieces = vec![bytes.into()],
            // What has no protobuf form is told in JSON; the content type says so.
            Err(_) => return dress(pieces, Output::PLAIN),
        },
    }
    Rendered { content_type: output.content_type(), pieces }
}

/// The tree of JSON that was written here from objects that can be read. A request for which that does not hold ends as
/// a failure of the server, and not with an empty object.
fn own(json: &[u8]) -> Node<'_> {
    let text = std::str::from_utf8(json).unwrap_or_default();
    let decoded = decode_json(text, Limits::STORED).map(|decoded| decoded.documents);
    let node = decoded.map(|mut documents| documents.pop());
    match node {
        Ok(Some(node)) => node,
        Ok(None) => unreachable!("an answer without a document"),
        Err(why) => unreachable!("an answer that cannot be read: {why}"),
    }
}

fn object(app: &App, served: &Served, item: &Item, output: Output, params: &Params) -> Vec<Bytes> {
    match output.form {
        Form::Whole if served.is_converted() => {
            vec![whole(converted(served, item), &served.api_version(), served.row.kind).into()]
        }
        Form::Whole => item.whole(&served.api_version(), served.row.kind).into(),
        Form::Metadata => vec![partial(item, output.meta_version).into()],
        Form::Table => {
            let mut rows = Rows::read(params);
            vec![table_of_one(app, served, item, output, &mut rows).into()]
        }
    }
}

fn converted(served: &Served, item: &Item) -> Node<'static> {
    let mut node = item.node();
    convert::from_stored(&mut node, &served.api_version(), served.row.kind);
    node
}

/// A tree without kind and version as an object with them.
pub(crate) fn whole(mut node: Node<'static>, api_version: &str, kind: &str) -> String {
    node.remove("kind");
    node.remove("apiVersion");
    let body = node.to_json();
    let rest = body.get(1..).unwrap_or_default();
    let comma = if rest == "}" { "" } else { "," };
    format!(r#"{{"kind":"{kind}","apiVersion":"{api_version}"{comma}{rest}"#)
}

/// The metadata of an object, as an object of its own.
pub(crate) fn partial(item: &Item, meta_version: &str) -> String {
    let metadata = item.node().remove("metadata").unwrap_or_else(Node::empty_map);
    format!(
        r#"{{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/{meta_version}","metadata":{metadata}}}"#
    )
}

fn collection(
    app: &App,
    served: &Served,
    list: &List,
    output: Output,
    params: &Params,
) -> Vec<Bytes> {
    let mut start = String::with_capacity(256);
    let (kind, version, items) = match output.form {
        Form::Whole => (format!("{}List", served.row.kind), served.api_version(), "items"),
        Form::Metadata => {
            let version = format!("meta.k8s.io/{}", output.meta_version);
            ("PartialObjectMetadataList".to_owned(), version, "items")
        }
        Form::Table => ("Table".to_owned(), format!("meta.k8s.io/{}", output.meta_version), "rows"),
    };
    let _ = write!(
        start,
        r#"{{"kind":"{kind}","apiVersion":"{version}","metadata":{{"resourceVersion":"{}""#,
        list.revision
    );
    if !list.next.is_empty() {
        let _ = write!(start, r#","continue":"{}""#, list.next);
    }
    if let Some(remaining) = list.remaining {
        let _ = write!(start, r#","remainingItemCount":{remaining}"#);
    }
    start.push_str("},");
    if output.form == Form::Table {
        start.push_str(r#""columnDefinitions":"#);
        write_columns(&mut start, columns(served.row.group, served.row.kind));
        start.push(',');
    }
    let _ = write!(start, r#""{items}":["#);
    let mut pieces = Vec::with_capacity(list.items.len() * 2 + 2);
    pieces.push(start.into());
    let rows = Rows::read(params);
    for (index, item) in list.items.iter().enumerate() {
        if index > 0 {
            pieces.push(Bytes::from_static(b","));
        }
        match output.form {
            Form::Whole if served.is_converted() => {
                pieces.push(converted(served, item).to_json().into());
            }
            Form::Whole => pieces.push(item.body.clone()),
            Form::Metadata => pieces.push(partial(item, output.meta_version).into()),
            Form::Table => {
                let mut row = String::new();
                write_row(&mut row, app, served, item, rows.include, output.meta_version);
                pieces.push(row.into());
            }
        }
    }
    pieces.push(Bytes::from_static(b"]}"));
    pieces
}

/// A table with one row.
pub(crate) fn table_of_one(
    app: &App,
    served: &Served,
    item: &Item,
    output: Output,
    rows: &mut Rows,
) -> String {
    let mut out = format!(
        r#"{{"kind":"Table","apiVersion":"meta.k8s.io/{}","metadata":{{"resourceVersion":"{}"}},"columnDefinitions":"#,
        output.meta_version, item.revision
    );
    if rows.with_columns {
        write_columns(&mut out, columns(served.row.group, served.row.kind));
        rows.with_columns = false;
    } else {
        out.push_str("null");
    }
    out.push_str(r#","rows":["#);
    write_row(&mut out, app, served, item, rows.include, output.meta_version);
    out.push_str("]}");
    out
}

fn write_columns(out: &mut String, columns: &[Column]) {
    out.push('[');
    for (index, column) in columns.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        let _ = write!(
            out,
            r#"{{"name":"{}","type":"{}","format":"{}","description":"#,
            column.name, column.kind, column.format
        );
        let _ = write_text(out, column.description);
        let _ = write!(out, r#","priority":{}}}"#, column.priority);
    }
    out.push(']');
}

fn write_row(
    out: &mut String,
    app: &App,
    served: &Served,
    item: &Item,
    include: Include,
    meta_version: &str,
) {
    let node = if served.is_converted() { converted(served, item) } else { item.node() };
    out.push_str(r#"{"cells":["#);
    for (index, cell) in
        cells(served.row.group, served.row.kind, &node, app.seconds()).iter().enumerate()
    {
        if index > 0 {
            out.push(',');
        }
        cell.write_json(out);
    }
    out.push(']');
    match include {
        Include::Nothing => {}
        Include::Metadata => {
            out.push_str(r#","object":"#);
            out.push_str(&partial(item, meta_version));
        }
        Include::Object => {
            out.push_str(r#","object":"#);
            out.push_str(&whole(node, &served.api_version(), served.row.kind));
        }
    }
    out.push('}');
}

/// JSON for people: indented by two spaces, without a newline at the end.
fn indented(node: &Node<'_>) -> String {
    let mut out = String::new();
    indent(&mut out, node, 0);
    out
}

fn indent(out: &mut String, node: &Node<'_>, depth: usize) {
    let newline = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    if !node.items().is_empty() {
        out.push('[');
        for (index, item) in node.items().iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            newline(out, depth + 1);
            indent(out, item, depth + 1);
        }
        newline(out, depth);
        out.push(']');
    } else if !node.entries().is_empty() {
        out.push('{');
        for (index, entry) in node.entries().iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            newline(out, depth + 1);
            let _ = write_text(out, &entry.key);
            out.push_str(": ");
            indent(out, &entry.node, depth + 1);
        }
        newline(out, depth);
        out.push('}');
    } else {
        node.write_json(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(text: &str) -> Node<'static> {
        decode_json(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    #[test]
    fn people_get_two_spaces() {
        let text = indented(&node(r#"{"a":[1,{"b":"<"}],"c":{},"d":[]}"#));
        let wanted = "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"\\u003c\"\n    }\n  ],\n  \"c\": {},\n  \"d\": []\n}";
        assert_eq!(text, wanted);
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_no_empty_object() {
        let deep = format!("{}{}", "[".repeat(400), "]".repeat(400));
        for broken in ["", "{", &deep] {
            for media in [Media::Json { pretty: true }, Media::Yaml, Media::Protobuf] {
                let output = Output { media, ..Output::PLAIN };
                let pieces = vec![Bytes::copy_from_slice(broken.as_bytes())];
                assert!(std::panic::catch_unwind(|| dress(pieces, output)).is_err(), "{broken}");
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
    fn json_is_put_into_the_dress_that_was_asked_for() {
        let dressed = |media| {
            let json = Bytes::from_static(br#"{"kind":"Status","apiVersion":"v1","code":404}"#);
            let Rendered { content_type, pieces } =
                dress(vec![json], Output { media, ..Output::PLAIN });
            (content_type, String::from_utf8(pieces.concat()).unwrap())
        };
        let (kind, text) = dressed(Media::Json { pretty: false });
        assert!(kind == "application/json" && text.ends_with("}\n"));
        let (kind, text) = dressed(Media::Yaml);
        assert!(kind == "application/yaml" && text.contains("code: 404\n"), "{text}");
    }
}
