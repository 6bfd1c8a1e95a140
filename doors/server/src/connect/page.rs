//! A page on its way through the proxy: its links are rewritten while it passes.

use super::rewrite::Prefix;
use bytes::Bytes;
use flate2::write::{DeflateDecoder, GzDecoder};
use http_body::Frame;
use lol_html::send::{HtmlRewriter, Settings};
use lol_html::{MemorySettings, element};
use ratchet_http::{Body, BodyError};
use std::io::Write;
use std::pin::Pin;
use std::sync::mpsc;
use std::task::{Context, Poll, ready};

/// Where links stand: the elements, and their attributes.
const LINKS: &[(&str, &[&str])] = &[
    ("a", &["href"]),
    ("applet", &["codebase"]),
    ("area", &["href"]),
    ("audio", &["src"]),
    ("base", &["href"]),
    ("blockquote", &["cite"]),
    ("body", &["background"]),
    ("button", &["formaction"]),
    ("command", &["icon"]),
    ("del", &["cite"]),
    ("embed", &["src"]),
    ("form", &["action"]),
    ("frame", &["longdesc", "src"]),
    ("head", &["profile"]),
    ("html", &["manifest"]),
    ("iframe", &["longdesc", "src"]),
    ("img", &["longdesc", "src", "usemap"]),
    ("input", &["src", "usemap", "formaction"]),
    ("ins", &["cite"]),
    ("link", &["href"]),
    ("object", &["classid", "codebase", "data", "usemap"]),
    ("q", &["cite"]),
    ("script", &["src"]),
    ("source", &["src"]),
    ("video", &["poster", "src"]),
];

/// How much of a page may wait for the end of a tag.
const WAITING: usize = 1 << 20;

/// What rewrites one page.
pub(super) struct Page {
    unpack: Unpack,
    rewriter: HtmlRewriter<'static, Sink>,
    pieces: mpsc::Receiver<Vec<u8>>,
}

type Sink = Box<dyn FnMut(&[u8]) + Send>;

/// How the page is packed.
enum Unpack {
    Plain,
    Gzip(GzDecoder<Vec<u8>>),
    Deflate(DeflateDecoder<Vec<u8>>),
}

impl Page {
    /// None if nobody here can unpack it.
    pub(super) fn new(encoding: &str, prefix: Prefix) -> Option<Self> {
        let unpack = match encoding {
            "" => Unpack::Plain,
            "gzip" => Unpack::Gzip(GzDecoder::new(Vec::new())),
            "deflate" => Unpack::Deflate(DeflateDecoder::new(Vec::new())),
            _ => return None,
        };
        let memory = MemorySettings::new().with_max_allowed_memory_usage(WAITING);
        let mut settings = Settings::new_send().with_strict(false).with_memory_settings(memory);
        for (name, attributes) in LINKS {
            let prefix = prefix.clone();
            settings = settings.append_element_content_handler(element!(name, move |element| {
                for attribute in *attributes {
                    if let Some(link) = element.get_attribute(attribute) {
                        element.set_attribute(attribute, &prefix.link(&link))?;
                    }
                }
                Ok(())
            }));
        }
        let (sender, pieces) = mpsc::channel();
        let sink: Sink = Box::new(move |piece: &[u8]| drop(sender.send(piece.to_vec())));
        Some(Self { unpack, rewriter: HtmlRewriter::new(settings, sink), pieces })
    }

    /// The body of the page with its links rewritten.
    pub(super) fn rewritten(self, body: Body) -> Body {
        Body::new(Rewritten { body, page: Some(self) })
    }

    /// Takes one piece in and gives out what is ready.
    fn push(&mut self, piece: &[u8]) -> Result<Bytes, String> {
        let unpacked = match &mut self.unpack {
            Unpack::Plain => None,
            Unpack::Gzip(decoder) => {
                decoder.write_all(piece).map_err(|error| error.to_string())?;
                Some(std::mem::take(decoder.get_mut()))
            }
            Unpack::Deflate(decoder) => {
                decoder.write_all(piece).map_err(|error| error.to_string())?;
                Some(std::mem::take(decoder.get_mut()))
            }
        };
        let piece = unpacked.as_deref().unwrap_or(piece);
        self.rewriter.write(piece).map_err(|error| error.to_string())?;
        Ok(self.ready())
    }

    /// What is left at the end.
    fn end(mut self) -> Result<Bytes, String> {
        let left = match self.unpack {
            Unpack::Plain => Vec::new(),
            Unpack::Gzip(decoder) => decoder.finish().map_err(|error| error.to_string())?,
            Unpack::Deflate(decoder) => decoder.finish().map_err(|error| error.to_string())?,
        };
        self.rewriter.write(&left).map_err(|error| error.to_string())?;
        self.rewriter.end().map_err(|error| error.to_string())?;
        Ok(self.pieces.try_iter().flatten().collect())
    }

    fn ready(&self) -> Bytes {
        self.pieces.try_iter().flatten().collect()
    }
}

/// A page that is rewritten while it is read.
struct Rewritten {
    body: Body,
    page: Option<Page>,
}

impl http_body::Body for Rewritten {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let broken = |why: String| BodyError(format!("a page could not be rewritten: {why}"));
        loop {
            let Some(page) = &mut self.page else { return Poll::Ready(None) };
            let piece = page.ready();
            debug_assert!(piece.is_empty());
            let Some(frame) = ready!(Pin::new(&mut self.body).poll_frame(context)) else {
                let Some(page) = self.page.take() else { return Poll::Ready(None) };
                return Poll::Ready(match page.end() {
                    Ok(rest) if rest.is_empty() => None,
                    rest => Some(rest.map(Frame::data).map_err(broken)),
                });
            };
            let frame = frame?;
            let Some(page) = &mut self.page else { return Poll::Ready(None) };
            let Ok(piece) = frame.into_data() else { continue };
            match page.push(&piece) {
                Ok(ready) if ready.is_empty() => {}
                ready => return Poll::Ready(Some(ready.map(Frame::data).map_err(broken))),
            }
        }
    }
}
