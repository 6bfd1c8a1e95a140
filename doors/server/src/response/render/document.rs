//! `Document`: a response before encoding; an object, a text, or a list whose items are encoded one by one.

use super::columns::{table_of_text, write_columns};
use super::{Rows, converted, partial, table_of_one, whole, write_row};
use crate::app::App;
use crate::app::resource_request::{Content, List};
use crate::registry::ServedResource;
use crate::request::{Form, Output, Params};
use crate::response::transform::metadata_of;
use crate::storage::cache::Item;
use bytes::Bytes;
use std::fmt::Write;
use std::sync::Arc;

/// The content of a response and its format.
pub(crate) struct Document {
    app: Arc<App>,
    resource: Arc<ServedResource>,
    output: Output,
    rows: Rows,
    /// Whether the items of a list are written as they are kept.
    writes_kept: bool,
    pub(super) content: DocumentContent,
}

/// What a response is written from.
pub(super) enum DocumentContent {
    /// One object.
    One(Arc<Item>),
    /// JSON that is not a stored object.
    Text(Bytes),
    /// A list: its object without items, and the items.
    Many { head: String, items: Vec<Arc<Item>> },
}

impl Document {
    /// Wraps the content of a reply; a stream is handled elsewhere and becomes empty.
    pub(crate) fn new(
        app: &Arc<App>,
        resource: &Arc<ServedResource>,
        content: Content,
        output: Output,
        params: &Params,
    ) -> Self {
        let content = match content {
            Content::Item(item) => DocumentContent::One(item),
            Content::Json(text) => {
                let rows = Rows::from_params(params);
                let transformed = match output.form {
                    Form::Whole => None,
                    Form::Table => table_of_text(&text, output, rows, app.seconds()),
                    Form::Metadata | Form::MetadataList => metadata_of(&text, output.meta_version),
                };
                DocumentContent::Text(transformed.unwrap_or(text).into())
            }
            // Go has no list there where it put nothing into it.
            Content::List(list) if list.items.is_empty() && output.form == Form::MetadataList => {
                let head = head(resource, &list, output);
                let open = head.strip_suffix('}').unwrap_or(&head);
                DocumentContent::Text(format!(r#"{open},"items":null}}"#).into())
            }
            Content::List(list) => {
                DocumentContent::Many { head: head(resource, &list, output), items: list.items }
            }
            Content::Stream(_) => DocumentContent::Text(Bytes::new()),
        };
        let writes_kept = output.form == Form::Whole
            && !resource.is_converted()
            && !resource.list_form().has_typed_items;
        let (app, resource, rows) = (app.clone(), resource.clone(), Rows::from_params(params));
        Self { app, resource, output, rows, writes_kept, content }
    }

    pub(super) fn app(&self) -> &Arc<App> {
        &self.app
    }

    /// The number of source bytes.
    pub(super) fn size(&self) -> usize {
        match &self.content {
            DocumentContent::One(item) => item.size(),
            DocumentContent::Text(text) => text.len(),
            DocumentContent::Many { head, items } => {
                head.len() + items.iter().map(|item| item.size() + 1).sum::<usize>()
            }
        }
    }

    /// Whether the stored bytes are sent unchanged.
    pub(super) fn is_stored(&self) -> bool {
        let is_text = matches!(self.content, DocumentContent::Text(_));
        is_text || (self.output.form == Form::Whole && !self.resource.is_converted())
    }

    /// Whether the document is a list.
    pub(super) fn is_list(&self) -> bool {
        matches!(self.content, DocumentContent::Many { .. })
    }

    /// `apiVersion` and `kind` of the list.
    pub(super) fn list_kind(&self) -> (String, String) {
        list_kind(&self.resource, self.output)
    }

    /// The field of the list's items.
    pub(super) fn items_name(&self) -> &'static str {
        if self.output.form == Form::Table { "rows" } else { "items" }
    }

    /// The whole document as compact JSON.
    pub(crate) fn pieces(&self) -> Vec<Bytes> {
        match &self.content {
            DocumentContent::One(item) => self.one(item),
            DocumentContent::Text(text) => vec![text.clone()],
            DocumentContent::Many { head, items } => {
                let mut pieces = Vec::with_capacity(items.len() * 2 + 2);
                pieces.push(self.before_items(head).into());
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        pieces.push(Bytes::from_static(b","));
                    }
                    match self.output.form == Form::Whole && self.has_typed_items() {
                        true => pieces.extend(self.whole_item(item)),
                        false => pieces.push(self.item(item)),
                    }
                }
                pieces.push(Bytes::from_static(AFTER_ITEMS));
                pieces
            }
        }
    }

    /// The list up to its first item.
    pub(super) fn before_items(&self, head: &str) -> String {
        let open = head.strip_suffix('}').unwrap_or(head);
        format!(r#"{open},"{}":["#, self.items_name())
    }

    /// Encodes a single object.
    pub(super) fn one(&self, item: &Item) -> Vec<Bytes> {
        let Self { app, resource, output, .. } = self;
        match output.form {
            Form::Whole if resource.is_converted() => {
                vec![
                    whole(converted(resource, item), &resource.api_version(), resource.row().kind)
                        .into(),
                ]
            }
            Form::Whole => item.whole(&resource.api_version(), resource.row().kind).into(),
            Form::Metadata | Form::MetadataList => {
                vec![partial(item, *output).into()]
            }
            Form::Table => {
                let mut rows = self.rows;
                vec![table_of_one(app, resource, item, *output, &mut rows).into()]
            }
        }
    }

    /// Whether items have their kinds and versions in lists, too.
    fn has_typed_items(&self) -> bool {
        self.resource.list_form().has_typed_items
    }

    /// An item with its kind and version.
    fn whole_item(&self, item: &Item) -> [Bytes; 2] {
        item.whole(&self.resource.api_version(), self.resource.row().kind)
    }

    /// Appends an item of a list.
    pub(super) fn write_item(&self, item: &Item, out: &mut Vec<u8>) {
        match self.writes_kept {
            true => item.write_body(out),
            false => out.extend_from_slice(&self.item(item)),
        }
    }

    /// Encodes an item of a list.
    pub(super) fn item(&self, item: &Item) -> Bytes {
        let Self { app, resource, output, rows, .. } = self;
        match output.form {
            Form::Whole if resource.is_converted() => converted(resource, item).to_json().into(),
            Form::Whole if self.has_typed_items() => self.whole_item(item).concat().into(),
            Form::Whole => item.body(),
            Form::Metadata | Form::MetadataList => partial(item, *output).into(),
            Form::Table => {
                let mut row = String::new();
                write_row(&mut row, app, resource, item, rows.include, *output);
                row.into()
            }
        }
    }
}

/// The end of a list after its last item.
pub(super) const AFTER_ITEMS: &[u8] = b"]}";

fn list_kind(resource: &ServedResource, output: Output) -> (String, String) {
    let meta = || format!("meta.k8s.io/{}", output.meta_version);
    match output.form {
        Form::Whole => (resource.api_version(), resource.list_kind()),
        Form::Metadata | Form::MetadataList => (meta(), "PartialObjectMetadataList".to_owned()),
        Form::Table => (meta(), "Table".to_owned()),
    }
}

/// The list object without items.
fn head(resource: &ServedResource, list: &List, output: Output) -> String {
    let (version, kind) = list_kind(resource, output);
    let mut head = format!(
        r#"{{"kind":"{kind}","apiVersion":"{version}","metadata":{{"resourceVersion":"{}""#,
        list.revision
    );
    let always_continues = output.form == Form::Whole && resource.list_form().always_continues;
    if always_continues || !list.next.is_empty() {
        let _ = write!(head, r#","continue":"{}""#, list.next);
    }
    if let Some(remaining) = list.remaining {
        let _ = write!(head, r#","remainingItemCount":{remaining}"#);
    }
    head.push('}');
    if output.form == Form::Table {
        head.push_str(r#","columnDefinitions":"#);
        write_columns(&mut head, resource);
    }
    head.push('}');
    head
}
