//! `Writer`: incremental encoding of a document in any media type.

use super::decode_tree;
use super::document::{AFTER_ITEMS, Document, DocumentContent};
use super::indent::Indenter;
use crate::app::App;
use crate::request::Media;
use bytes::Bytes;
use ratchet_object::proto::{self, ListEncoder};
use ratchet_object::{Node, compare_yaml_keys, to_yaml};
use std::cmp::Ordering;
use std::sync::Arc;

/// Encodes one document. A list is encoded item by item, so that at most one decoded item is in memory.
pub(super) struct Writer {
    document: Document,
    media: Media,
    indenter: Indenter,
    protobuf: Option<Protobuf>,
    stage: Stage,
    /// The next item, where the document is a list.
    next: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Start,
    Items,
    Ended,
}

/// Lengths that must be known before protobuf is written, which is length-prefixed.
struct Protobuf {
    list: Option<ListEncoder>,
    /// The encoded size of the items measured so far.
    items: usize,
    /// A single object, already encoded.
    whole: Vec<u8>,
    is_ready: bool,
}

impl Writer {
    pub(super) fn new(document: Document, media: Media) -> Self {
        let protobuf = (media == Media::Protobuf).then(|| Protobuf {
            list: None,
            items: 0,
            whole: Vec::new(),
            is_ready: false,
        });
        let (indenter, stage) = (Indenter::default(), Stage::Start);
        Self { document, media, indenter, protobuf, stage, next: 0 }
    }

    pub(super) fn app(&self) -> &Arc<App> {
        self.document.app()
    }

    /// The media type after preparation: kinds without a protobuf form fall back to JSON.
    pub(super) fn media(&self) -> Media {
        self.media
    }

    /// Measures about `most` bytes of items; returns whether the writer is ready for the first byte.
    pub(super) fn prepare(&mut self, most: usize) -> bool {
        let Some(protobuf) = self.protobuf.as_mut().filter(|protobuf| !protobuf.is_ready) else {
            return true;
        };
        match measure(&self.document, protobuf, &mut self.next, most) {
            Ok(()) => {}
            Err(proto::ProtoError { .. }) => {
                (self.protobuf, self.next) = (None, 0);
                self.media = Media::Json { pretty: false };
                return true;
            }
        }
        let is_ready = protobuf.is_ready;
        if is_ready {
            self.next = 0;
        }
        is_ready
    }

    /// Encodes until `out` has `most` bytes; returns whether the document is complete.
    pub(super) fn fill(&mut self, out: &mut Vec<u8>, most: usize) -> bool {
        while self.stage != Stage::Ended && out.len() < most {
            self.step(out);
        }
        self.stage == Stage::Ended
    }

    fn step(&mut self, out: &mut Vec<u8>) {
        let item = match &self.document.content {
            DocumentContent::One(_) | DocumentContent::Text(_) => {
                let pieces = match self.media {
                    Media::Protobuf => Vec::new(),
                    _ => self.document.pieces(),
                };
                self.whole(&pieces, out);
                self.stage = Stage::Ended;
                return;
            }
            DocumentContent::Many { .. } if self.stage == Stage::Start => {
                self.start(out);
                self.stage = Stage::Items;
                return;
            }
            DocumentContent::Many { items, .. } => items.get(self.next),
        };
        match item {
            Some(item) if self.media == (Media::Json { pretty: false }) => {
                if self.next > 0 {
                    out.push(b',');
                }
                self.document.write_item(item, out);
                self.next += 1;
            }
            Some(item) => {
                let item = self.document.item(item);
                self.item(&item, out);
                self.next += 1;
            }
            None => {
                self.end(out);
                self.stage = Stage::Ended;
            }
        }
    }

    fn json(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        match self.media {
            Media::Json { pretty: true } => self.indenter.push(piece, out),
            _ => out.extend_from_slice(piece),
        }
    }

    fn whole(&mut self, pieces: &[Bytes], out: &mut Vec<u8>) {
        match self.media {
            Media::Json { pretty } => {
                for piece in pieces {
                    self.json(piece, out);
                }
                if !pretty {
                    out.push(b'\n');
                }
            }
            Media::Yaml => {
                out.extend_from_slice(to_yaml(&decode_tree(&pieces.concat())).as_bytes());
            }
            Media::Protobuf => {
                out.extend(self.protobuf.take().map(|protobuf| protobuf.whole).unwrap_or_default());
            }
        }
    }

    fn start(&mut self, out: &mut Vec<u8>) {
        let DocumentContent::Many { head, items } = &self.document.content else { return };
        match self.media {
            Media::Json { .. } => {
                let before = self.document.before_items(head);
                self.json(before.as_bytes(), out);
            }
            Media::Yaml => {
                let name = self.document.items_name();
                out.extend_from_slice(yaml_beside(head, name, Ordering::Less).as_bytes());
                out.extend_from_slice(name.as_bytes());
                let none: &[u8] = if items.is_empty() { b": []\n" } else { b":\n" };
                out.extend_from_slice(none);
            }
            Media::Protobuf => {
                let Some(Protobuf { list: Some(list), items, .. }) = &self.protobuf else { return };
                let head = decode_tree(head.as_bytes());
                // It was encoded once in `measure`, so it cannot fail here.
                out.extend(list.start(head.get("metadata"), *items).unwrap_or_default());
            }
        }
    }

    fn item(&mut self, item: &[u8], out: &mut Vec<u8>) {
        match self.media {
            Media::Json { .. } => {
                if self.next > 0 {
                    self.json(b",", out);
                }
                self.json(item, out);
            }
            // A list of one item has the same encoding as the item in a longer list.
            Media::Yaml => {
                out.extend_from_slice(to_yaml(&Node::list(vec![decode_tree(item)])).as_bytes());
            }
            Media::Protobuf => {
                let Some(Protobuf { list: Some(list), .. }) = &self.protobuf else { return };
                out.extend(list.item(&decode_tree(item)).unwrap_or_default());
            }
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        match self.media {
            Media::Json { pretty } => {
                self.json(AFTER_ITEMS, out);
                if !pretty {
                    out.push(b'\n');
                }
            }
            Media::Yaml => {
                let DocumentContent::Many { head, .. } = &self.document.content else { return };
                let after = yaml_beside(head, self.document.items_name(), Ordering::Greater);
                out.extend_from_slice(after.as_bytes());
            }
            Media::Protobuf => out.extend(ListEncoder::END),
        }
    }
}

/// The members of a list that stand before or after its items in YAML, where keys are sorted.
fn yaml_beside(head: &str, items_name: &str, side: Ordering) -> String {
    let mut head = decode_tree(head.as_bytes());
    if let Some(entries) = head.entries_mut() {
        entries.retain(|entry| compare_yaml_keys(&entry.key, items_name) == side);
    }
    if head.entries().is_empty() { String::new() } else { to_yaml(&head) }
}

/// Adds up the encoded sizes of items from `next` on, until about `most` source bytes were read.
fn measure(
    document: &Document,
    protobuf: &mut Protobuf,
    next: &mut usize,
    most: usize,
) -> Result<(), proto::ProtoError> {
    let DocumentContent::Many { head, items } = &document.content else {
        protobuf.whole = proto::encode(&decode_tree(&document.pieces().concat()))?;
        protobuf.is_ready = true;
        return Ok(());
    };
    if protobuf.list.is_none() {
        let (version, kind) = document.list_kind();
        let list = ListEncoder::new(&version, &kind)?;
        list.start(decode_tree(head.as_bytes()).get("metadata"), 0)?;
        protobuf.list = Some(list);
    }
    let Some(list) = &protobuf.list else { return Ok(()) };
    let mut read = 0;
    while read < most
        && let Some(item) = items.get(*next)
    {
        let json = document.item(item);
        protobuf.items += list.item(&decode_tree(&json))?.len();
        read += json.len();
        *next += 1;
    }
    protobuf.is_ready = *next == items.len();
    Ok(())
}
