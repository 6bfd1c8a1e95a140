//! The body of an answer: small ones at once, large ones while they are sent, as fast as their client reads.

use super::document::Document;
use super::writer::Writer;
use crate::app::App;
use crate::compress;
use crate::compute::SMALL;
use crate::request::{Media, Output};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body::Frame;
use ratchet_http::{Body, BodyError, chunks, full};
use std::io::Write;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

/// How much is written in one turn.
const CHUNK: usize = 64 * 1024;

/// An answer that can be sent.
pub(crate) struct Answer {
    /// The content type.
    pub content_type: &'static str,
    /// The bytes.
    pub body: Body,
    /// Whether they are packed.
    pub is_packed: bool,
}

/// Writes an answer in the dress that was asked for.
pub(crate) async fn answer(document: Document, output: Output, accepts_gzip: bool) -> Answer {
    let size = document.size();
    let packs = accepts_gzip && size > compress::THRESHOLD;
    if output.media == (Media::Json { pretty: false }) && document.is_stored() && !packs {
        let mut pieces = document.pieces();
        pieces.push(Bytes::from_static(b"\n"));
        let (content_type, body) = (output.content_type(), chunks(pieces));
        return Answer { content_type, body, is_packed: false };
    }
    let mut writer = Writer::new(document, output.media);
    let content_type = |writer: &Writer| Output { media: writer.media(), ..output }.content_type();
    let mut first = Vec::new();
    if size <= SMALL {
        while !writer.prepare(usize::MAX) {}
        writer.fill(&mut first, usize::MAX);
        return Answer { content_type: content_type(&writer), body: full(first), is_packed: false };
    }
    let app = writer.app().clone();
    loop {
        let (state, is_prepared) = app.compute.step(writer, |writer| writer.prepare(CHUNK)).await;
        writer = state;
        if is_prepared {
            break;
        }
    }
    let content_type = content_type(&writer);
    // So much is written before the head of the answer is: then it is known whether there is enough to be packed.
    let fill = |(writer, first): &mut (Writer, Vec<u8>)| writer.fill(first, compress::THRESHOLD + 1);
    let ((writer, first), ended) = app.compute.step((writer, first), fill).await;
    let is_packed = accepts_gzip && first.len() > compress::THRESHOLD;
    if ended && !is_packed {
        return Answer { content_type, body: full(first), is_packed };
    }
    let encoder = is_packed.then(|| GzEncoder::new(Vec::new(), Compression::new(1)));
    let packer = Box::new(Packer { writer, ahead: first, ended, encoder, done: false });
    let body = Body::new(Rendering { app, job: Job::Waits(packer) });
    Answer { content_type, body, is_packed }
}

/// What is written, packed where that was asked for.
struct Packer {
    writer: Writer,
    /// What was written and not yet given out.
    ahead: Vec<u8>,
    /// Whether everything was written.
    ended: bool,
    encoder: Option<GzEncoder<Vec<u8>>>,
    /// Whether everything was given out.
    done: bool,
}

impl Packer {
    /// The next piece; none at the end.
    fn next(&mut self) -> Option<Bytes> {
        while !self.done {
            let mut piece = std::mem::take(&mut self.ahead);
            if piece.is_empty() && !self.ended {
                self.ended = self.writer.fill(&mut piece, CHUNK);
            }
            self.done = self.ended;
            let Some(encoder) = &mut self.encoder else {
                if piece.is_empty() {
                    continue;
                }
                return Some(piece.into());
            };
            // Writing to memory cannot fail.
            let _ = encoder.write_all(&piece);
            let packed = match self.done {
                true => self.encoder.take().and_then(|encoder| encoder.finish().ok())?,
                false => std::mem::take(encoder.get_mut()),
            };
            if !packed.is_empty() {
                return Some(packed.into());
            }
        }
        None
    }
}

type Turn = Pin<Box<dyn Future<Output = (Box<Packer>, Option<Bytes>)> + Send>>;

enum Job {
    /// Until the client takes more.
    Waits(Box<Packer>),
    /// Its turn has come, or will.
    Runs(Turn),
    Ended,
}

/// A body that is written while it is read, a chunk at a time, and never ahead of its reader.
struct Rendering {
    app: Arc<App>,
    job: Job,
}

impl http_body::Body for Rendering {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        loop {
            match &mut self.job {
                Job::Runs(turn) => {
                    let (packer, piece) = ready!(turn.as_mut().poll(context));
                    self.job = if piece.is_some() { Job::Waits(packer) } else { Job::Ended };
                    return Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))));
                }
                Job::Ended => return Poll::Ready(None),
                Job::Waits(_) => {}
            }
            let app = self.app.clone();
            if let Job::Waits(packer) = std::mem::replace(&mut self.job, Job::Ended) {
                self.job = Job::Runs(Box::pin(async move {
                    app.compute.step(packer, |packer| packer.next()).await
                }));
            }
        }
    }
}
