//! A document is written in the dress that was asked for, a little at a time.

use super::document::{AFTER_ITEMS, Document, Shape};
use super::indent::Indenter;
use super::tree;
use crate::app::App;
use crate::request::Media;
use bytes::Bytes;
use ratchet_object::proto::{self, ListEncoder};
use ratchet_object::{Node, to_yaml};
use std::sync::Arc;

/// Writes one document. A list is written item by item, and no more than an item is ever held.
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

/// What is known before a document is written in protobuf, which says its length first.
struct Protobuf {
    list: Option<ListEncoder>,
    /// How many bytes the items have that were looked at.
    items: usize,
    /// An object that was written already.
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

    /// The dress, once the document is prepared: what has no protobuf form is told in JSON.
    pub(super) fn media(&self) -> Media {
        self.media
    }

    /// Learns what must be known before the first byte, from about so many bytes; whether that is all.
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

    /// Writes until `out` has so many bytes; whether the document is at its end.
    pub(super) fn fill(&mut self, out: &mut Vec<u8>, most: usize) -> bool {
        while self.stage != Stage::Ended && out.len() < most {
            self.step(out);
        }
        self.stage == Stage::Ended
    }

    fn step(&mut self, out: &mut Vec<u8>) {
        let item = match &self.document.content {
            Shape::One(_) | Shape::Text(_) => {
                let pieces = match self.media {
                    Media::Protobuf => Vec::new(),
                    _ => self.document.pieces(),
                };
                self.whole(&pieces, out);
                self.stage = Stage::Ended;
                return;
            }
            Shape::Many { .. } if self.stage == Stage::Start => {
                self.start(out);
                self.stage = Stage::Items;
                return;
            }
            Shape::Many { items, .. } => items.get(self.next).map(|item| self.document.item(item)),
        };
        match item {
            Some(item) => {
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
            Media::Yaml => out.extend_from_slice(to_yaml(&tree(&pieces.concat())).as_bytes()),
            Media::Protobuf => {
                out.extend(self.protobuf.take().map(|protobuf| protobuf.whole).unwrap_or_default());
            }
        }
    }

    fn start(&mut self, out: &mut Vec<u8>) {
        let Shape::Many { head, items } = &self.document.content else { return };
        match self.media {
            Media::Json { .. } => {
                let before = self.document.before_items(head);
                self.json(before.as_bytes(), out);
            }
            Media::Yaml => {
                out.extend_from_slice(to_yaml(&tree(head.as_bytes())).as_bytes());
                out.extend_from_slice(self.document.items_name().as_bytes());
                let none: &[u8] = if items.is_empty() { b": []\n" } else { b":\n" };
                out.extend_from_slice(none);
            }
            Media::Protobuf => {
                let Some(Protobuf { list: Some(list), items, .. }) = &self.protobuf else { return };
                let head = tree(head.as_bytes());
                // It was written once before: what can be wrong with it was found then.
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
            // A list of one is written as its item stands among others.
            Media::Yaml => {
                out.extend_from_slice(to_yaml(&Node::list(vec![tree(item)])).as_bytes());
            }
            Media::Protobuf => {
                let Some(Protobuf { list: Some(list), .. }) = &self.protobuf else { return };
                out.extend(list.item(&tree(item)).unwrap_or_default());
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
            Media::Yaml => {}
            Media::Protobuf => out.extend(ListEncoder::END),
        }
    }
}

/// Looks at items from `next` on until about so many bytes were read, and adds up how long they will be.
fn measure(
    document: &Document,
    protobuf: &mut Protobuf,
    next: &mut usize,
    most: usize,
) -> Result<(), proto::ProtoError> {
    let Shape::Many { head, items } = &document.content else {
        protobuf.whole = proto::encode(&tree(&document.pieces().concat()))?;
        protobuf.is_ready = true;
        return Ok(());
    };
    if protobuf.list.is_none() {
        let (version, kind) = document.list_kind();
        let list = ListEncoder::new(&version, &kind)?;
        list.start(tree(head.as_bytes()).get("metadata"), 0)?;
        protobuf.list = Some(list);
    }
    let Some(list) = &protobuf.list else { return Ok(()) };
    let mut read = 0;
    while read < most
        && let Some(item) = items.get(*next)
    {
        let json = document.item(item);
        protobuf.items += list.item(&tree(&json))?.len();
        read += json.len();
        *next += 1;
    }
    protobuf.is_ready = *next == items.len();
    Ok(())
}
