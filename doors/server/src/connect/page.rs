//! Streaming rewrite of links in proxied HTML pages.

use super::decoder::PageDecoder;
use super::rewrite::Prefix;
use crate::app::compute::Compute;
use bytes::Bytes;
use http_body::Frame;
use lol_html::send::{HtmlRewriter, Settings};
use lol_html::{MemorySettings, element};
use ratchet_http::{Body, BodyError};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll};

/// The elements and attributes that contain links.
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

/// The memory limit of the rewriter, which buffers incomplete tags.
const MEMORY_LIMIT: usize = 1 << 20;

/// The number of bytes that are decompressed and rewritten at once: a few compressed bytes may expand to megabytes.
const WINDOW: usize = 8 * 1024;

/// The maximum number of windows in one compute step without output.
const WINDOWS: usize = 4;

/// The rewriter of one page.
pub(super) struct Page {
    decoder: PageDecoder,
    rewriter: HtmlRewriter<'static, Sink>,
    pieces: mpsc::Receiver<Vec<u8>>,
}

type Sink = Box<dyn FnMut(&[u8]) + Send>;

impl Page {
    /// None if the encoding is not supported.
    pub(super) fn new(encoding: &str, prefix: Prefix) -> Option<Self> {
        let decoder = PageDecoder::new(encoding)?;
        let memory = MemorySettings::new().with_max_allowed_memory_usage(MEMORY_LIMIT);
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
        Some(Self { decoder, rewriter: HtmlRewriter::new(settings, sink), pieces })
    }

    /// Wraps the body of the page.
    pub(super) fn rewritten(self, body: Body, compute: Arc<Compute>) -> Body {
        Body::new(RewrittenBody { body, compute, job: Job::Idle(Box::new(self)) })
    }

    /// Rewrites a few windows of the received bytes, until there is output.
    fn step(&mut self) -> io::Result<Step> {
        let mut window = [0; WINDOW];
        for _ in 0..WINDOWS {
            let count = match self.decoder.read(&mut window) {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Ok(Step::NeedsInput);
                }
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

    /// The remaining output at the end.
    fn end(self) -> io::Result<Bytes> {
        self.rewriter.end().map_err(io::Error::other)?;
        Ok(self.pieces.try_iter().flatten().collect())
    }

    fn ready(&self) -> Bytes {
        self.pieces.try_iter().flatten().collect()
    }
}

/// The result of a step.
enum Step {
    /// Output to send; may be empty.
    Ready(Bytes),
    /// More input is needed.
    NeedsInput,
    Ended,
}

type StepFuture = Pin<Box<dyn Future<Output = (Box<Page>, io::Result<Step>)> + Send>>;

enum Job {
    /// Idle until the client reads more.
    Idle(Box<Page>),
    /// Waiting for or running a compute step.
    Running(StepFuture),
    Ended,
}

/// A body that is rewritten while it is read, never ahead of its reader.
struct RewrittenBody {
    body: Body,
    compute: Arc<Compute>,
    job: Job,
}

impl http_body::Body for RewrittenBody {
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
                Job::Idle(page) => {
                    let compute = self.compute.clone();
                    let step_future = async move { compute.step(page, |page| page.step()).await };
                    self.job = Job::Running(Box::pin(step_future));
                    continue;
                }
                Job::Running(mut step_future) => match step_future.as_mut().poll(context) {
                    Poll::Pending => {
                        self.job = Job::Running(step_future);
                        return Poll::Pending;
                    }
                    Poll::Ready((page, step)) => match step.map_err(broken)? {
                        Step::Ready(piece) => {
                            self.job = Job::Idle(page);
                            if piece.is_empty() {
                                continue;
                            }
                            return Poll::Ready(Some(Ok(Frame::data(piece))));
                        }
                        Step::Ended => {
                            let rest = page.end().map_err(broken)?;
                            return Poll::Ready((!rest.is_empty()).then(|| Ok(Frame::data(rest))));
                        }
                        Step::NeedsInput => page,
                    },
                },
            };
            match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Pending => {
                    // The next poll, when there is more input, first repeats a step that finds nothing.
                    self.job = Job::Idle(page);
                    return Poll::Pending;
                }
                Poll::Ready(None) => page.decoder.end(),
                Poll::Ready(Some(frame)) => {
                    if let Ok(piece) = frame?.into_data() {
                        page.decoder.push(piece);
                    }
                }
            }
            self.job = Job::Idle(page);
        }
    }
}
