//! A page on its way through the proxy: its links are rewritten while it passes.

use super::rewrite::Prefix;
use super::unpack::Unpack;
use crate::compute::Compute;
use bytes::Bytes;
use http_body::Frame;
use lol_html::send::{HtmlRewriter, Settings};
use lol_html::{MemorySettings, element};
use ratchet_http::{Body, BodyError};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll};

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

/// How much of a page is unpacked and rewritten at once: a few bytes of a packed page may stand for megabytes.
const WINDOW: usize = 8 * 1024;

/// How many windows are looked at in one turn while nothing comes out.
const WINDOWS: usize = 4;

/// What rewrites one page.
pub(super) struct Page {
    unpack: Unpack,
    rewriter: HtmlRewriter<'static, Sink>,
    pieces: mpsc::Receiver<Vec<u8>>,
}

type Sink = Box<dyn FnMut(&[u8]) + Send>;

impl Page {
    /// None if nobody here can unpack it.
    pub(super) fn new(encoding: &str, prefix: Prefix) -> Option<Self> {
        let unpack = Unpack::new(encoding)?;
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
    pub(super) fn rewritten(self, body: Body, compute: Arc<Compute>) -> Body {
        Body::new(Rewritten { body, compute, job: Job::Waits(Box::new(self)) })
    }

    /// Rewrites a few windows of what has come, until there is something to send.
    fn step(&mut self) -> io::Result<Step> {
        let mut window = [0; WINDOW];
        for _ in 0..WINDOWS {
            let count = match self.unpack.read(&mut window) {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(Step::Hungry),
                Err(error) => return Err(error),
            };
            if count == 0 {
                return Ok(Step::Ended);
            }
            let window = window.get(..count).unwrap_or_default();
            self.rewriter.write(window).map_err(io::Error::other)?;
            let ready = self.ready();
            if !ready.is_empty() {
                return Ok(Step::Ready(ready));
            }
        }
        Ok(Step::Ready(Bytes::new()))
    }

    /// What is left at the end.
    fn end(self) -> io::Result<Bytes> {
        self.rewriter.end().map_err(io::Error::other)?;
        Ok(self.pieces.try_iter().flatten().collect())
    }

    fn ready(&self) -> Bytes {
        self.pieces.try_iter().flatten().collect()
    }
}

/// What a window led to.
enum Step {
    /// This can be sent; it may be nothing.
    Ready(Bytes),
    /// The backend must send more first.
    Hungry,
    Ended,
}

type Turn = Pin<Box<dyn Future<Output = (Box<Page>, io::Result<Step>)> + Send>>;

enum Job {
    /// Until the client takes more.
    Waits(Box<Page>),
    /// Its turn has come, or will.
    Runs(Turn),
    Ended,
}

/// A page that is rewritten while it is read, and never ahead of its reader.
struct Rewritten {
    body: Body,
    compute: Arc<Compute>,
    job: Job,
}

impl http_body::Body for Rewritten {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let broken = |why: io::Error| BodyError(format!("a page could not be rewritten: {why}"));
        loop {
            let mut page = match std::mem::replace(&mut self.job, Job::Ended) {
                Job::Ended => return Poll::Ready(None),
                Job::Waits(page) => {
                    let compute = self.compute.clone();
                    let turn = async move { compute.step(page, |page| page.step()).await };
                    self.job = Job::Runs(Box::pin(turn));
                    continue;
                }
                Job::Runs(mut turn) => match turn.as_mut().poll(context) {
                    Poll::Pending => {
                        self.job = Job::Runs(turn);
                        return Poll::Pending;
                    }
                    Poll::Ready((page, step)) => match step.map_err(broken)? {
                        Step::Ready(piece) => {
                            self.job = Job::Waits(page);
                            if piece.is_empty() {
                                continue;
                            }
                            return Poll::Ready(Some(Ok(Frame::data(piece))));
                        }
                        Step::Ended => {
                            let rest = page.end().map_err(broken)?;
                            return Poll::Ready((!rest.is_empty()).then(|| Ok(Frame::data(rest))));
                        }
                        Step::Hungry => page,
                    },
                },
            };
            match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Pending => {
                    // Asking again costs a turn that finds nothing, and happens when there is more.
                    self.job = Job::Waits(page);
                    return Poll::Pending;
                }
                Poll::Ready(None) => page.unpack.end(),
                Poll::Ready(Some(frame)) => {
                    if let Ok(piece) = frame?.into_data() {
                        page.unpack.push(piece);
                    }
                }
            }
            self.job = Job::Waits(page);
        }
    }
}
