//! An answer before it is written: an object, a text, or a list whose items are written one by one.

use super::{Rows, converted, partial, table_of_one, whole, write_columns, write_row};
use crate::app::App;
use crate::cache::Item;
use crate::resource_request::{Content, List};
use crate::request::{Form, Output, Params};
use crate::registry::ServedResource;
use bytes::Bytes;
use ratchet_table::columns;
use std::fmt::Write;
use std::sync::Arc;

/// What is to be written, and in which form.
pub(crate) struct Document {
    app: Arc<App>,
    resource: Arc<ServedResource>,
    output: Output,
    rows: Rows,
    pub(super) content: Shape,
}

/// What a document holds.
pub(super) enum Shape {
    /// One object.
    One(Arc<Item>),
    /// JSON that is no stored object.
    Text(Bytes),
    /// Objects below a head that is JSON by itself.
    Many { head: String, items: Vec<Arc<Item>> },
}

impl Document {
    /// An answer; a stream is not written here and is nothing.
    pub(crate) fn new(
        app: &Arc<App>,
        resource: &Arc<ServedResource>,
        content: Content,
        output: Output,
        params: &Params,
    ) -> Self {
        let content = match content {
            Content::Item(item) => Shape::One(item),
            Content::Json(text) => Shape::Text(text.into()),
            Content::List(list) => {
                Shape::Many { head: head(resource, &list, output), items: list.items }
            }
            Content::Stream(_) => Shape::Text(Bytes::new()),
        };
        let (app, resource, rows) = (app.clone(), resource.clone(), Rows::from_params(params));
        Self { app, resource, output, rows, content }
    }

    pub(super) fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// How many bytes are read to write it.
    pub(super) fn size(&self) -> usize {
        match &self.content {
            Shape::One(item) => item.body.len(),
            Shape::Text(text) => text.len(),
            Shape::Many { head, items } => {
                head.len() + items.iter().map(|item| item.body.len() + 1).sum::<usize>()
            }
        }
    }

    /// Whether it is sent as it is stored.
    pub(super) fn is_stored(&self) -> bool {
        let is_text = matches!(self.content, Shape::Text(_));
        is_text || (self.output.form == Form::Whole && !self.resource.is_converted())
    }

    /// Version and kind of a list.
    pub(super) fn list_kind(&self) -> (String, String) {
        list_kind(&self.resource, self.output)
    }

    /// The name under which a list has its items.
    pub(super) fn items_name(&self) -> &'static str {
        if self.output.form == Form::Table { "rows" } else { "items" }
    }

    /// All of it as compact JSON.
    pub(crate) fn pieces(&self) -> Vec<Bytes> {
        match &self.content {
            Shape::One(item) => self.one(item),
            Shape::Text(text) => vec![text.clone()],
            Shape::Many { head, items } => {
                let mut pieces = Vec::with_capacity(items.len() * 2 + 2);
                pieces.push(self.before_items(head).into());
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        pieces.push(Bytes::from_static(b","));
                    }
                    pieces.push(self.item(item));
                }
                pieces.push(Bytes::from_static(AFTER_ITEMS));
                pieces
            }
        }
    }

    /// The head of a list up to its first item.
    pub(super) fn before_items(&self, head: &str) -> String {
        let open = head.strip_suffix('}').unwrap_or(head);
        format!(r#"{open},"{}":["#, self.items_name())
    }

    /// An object that is answered by itself.
    pub(super) fn one(&self, item: &Item) -> Vec<Bytes> {
        let Self { app, resource, output, .. } = self;
        match output.form {
            Form::Whole if resource.is_converted() => {
                vec![whole(converted(resource, item), &resource.api_version(), resource.row.kind).into()]
            }
            Form::Whole => item.whole(&resource.api_version(), resource.row.kind).into(),
            Form::Metadata => vec![partial(item, output.meta_version).into()],
            Form::Table => {
                let mut rows = self.rows;
                vec![table_of_one(app, resource, item, *output, &mut rows).into()]
            }
        }
    }

    /// An object as it stands in a list.
    pub(super) fn item(&self, item: &Item) -> Bytes {
        let Self { app, resource, output, rows, .. } = self;
        match output.form {
            Form::Whole if resource.is_converted() => converted(resource, item).to_json().into(),
            Form::Whole => item.body.clone(),
            Form::Metadata => partial(item, output.meta_version).into(),
            Form::Table => {
                let mut row = String::new();
                write_row(&mut row, app, resource, item, rows.include, output.meta_version);
                row.into()
            }
        }
    }
}

/// What follows the last item of a list.
pub(super) const AFTER_ITEMS: &[u8] = b"]}";

fn list_kind(resource: &ServedResource, output: Output) -> (String, String) {
    let meta = || format!("meta.k8s.io/{}", output.meta_version);
    match output.form {
        Form::Whole => (resource.api_version(), format!("{}List", resource.row.kind)),
        Form::Metadata => (meta(), "PartialObjectMetadataList".to_owned()),
        Form::Table => (meta(), "Table".to_owned()),
    }
}

/// What a list says about itself, as an object without items.
fn head(resource: &ServedResource, list: &List, output: Output) -> String {
    let (version, kind) = list_kind(resource, output);
    let mut head = format!(
        r#"{{"kind":"{kind}","apiVersion":"{version}","metadata":{{"resourceVersion":"{}""#,
        list.revision
    );
    if !list.next.is_empty() {
        let _ = write!(head, r#","continue":"{}""#, list.next);
    }
    if let Some(remaining) = list.remaining {
        let _ = write!(head, r#","remainingItemCount":{remaining}"#);
    }
    head.push('}');
    if output.form == Form::Table {
        head.push_str(r#","columnDefinitions":"#);
        write_columns(&mut head, columns(resource.row.group, resource.row.kind));
    }
    head.push('}');
    head
}
