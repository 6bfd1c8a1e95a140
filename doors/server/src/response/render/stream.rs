//! Response bodies: small ones are encoded at once, large ones in chunks while the client reads.

use super::document::Document;
use super::writer::Writer;
use crate::app::App;
use crate::app::compute::SMALL;
use crate::request::{Media, Output};
use crate::response::compress;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body::Frame;
use ratchet_http::{Body, BodyError, chunks, full};
use std::io::Write;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

/// The number of bytes that are encoded in one compute step.
const CHUNK: usize = 64 * 1024;

/// An encoded response.
pub(crate) struct Answer {
    /// The `Content-Type` of the response.
    pub content_type: &'static str,
    /// The encoded body, whole or streamed.
    pub body: Body,
    /// Whether the body is gzip-compressed.
    pub is_compressed: bool,
}

/// Encodes a document in the negotiated format.
pub(crate) async fn answer(document: Document, output: Output, accepts_gzip: bool) -> Answer {
    let size = document.size();
    let may_compress = accepts_gzip && size > compress::THRESHOLD;
    // A long list is written while it is read: its items are put together from what they share.
    let is_at_once = document.is_stored() && (size <= SMALL || !document.is_list());
    if output.media == (Media::Json { pretty: false }) && is_at_once && !may_compress {
        let mut pieces = document.pieces();
        pieces.push(Bytes::from_static(b"\n"));
        let (content_type, body) = (output.content_type(), chunks(pieces));
        return Answer { content_type, body, is_compressed: false };
    }
    let mut writer = Writer::new(document, output.media);
    let content_type = |writer: &Writer| Output { media: writer.media(), ..output }.content_type();
    let mut first = Vec::new();
    if size <= SMALL {
        while !writer.prepare(usize::MAX) {}
        writer.fill(&mut first, usize::MAX);
        return Answer {
            content_type: content_type(&writer),
            body: full(first),
            is_compressed: false,
        };
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
    // Encoded before the response head is sent, to know whether the body is large enough for compression.
    let fill =
        |(writer, first): &mut (Writer, Vec<u8>)| writer.fill(first, compress::THRESHOLD + 1);
    let ((writer, first), ended) = app.compute.step((writer, first), fill).await;
    let is_compressed = accepts_gzip && first.len() > compress::THRESHOLD;
    if ended && !is_compressed {
        return Answer { content_type, body: full(first), is_compressed };
    }
    let encoder = is_compressed.then(|| GzEncoder::new(Vec::new(), Compression::new(1)));
    let encoder_state =
        Box::new(ChunkEncoder { writer, ahead: first, ended, encoder, done: false });
    let body = Body::new(Rendering { app, job: Job::Idle(encoder_state) });
    Answer { content_type, body, is_compressed }
}

/// Encodes the document in pieces, with optional compression.
struct ChunkEncoder {
    writer: Writer,
    /// Encoded but not yet returned bytes.
    ahead: Vec<u8>,
    /// Whether everything is encoded.
    ended: bool,
    encoder: Option<GzEncoder<Vec<u8>>>,
    /// Whether everything is returned.
    done: bool,
}

impl ChunkEncoder {
    /// The next piece; none at the end.
    fn next(&mut self) -> Option<Bytes> {
        while !self.done {
            let mut piece = std::mem::take(&mut self.ahead);
            if piece.is_empty() && !self.ended {
                // One item more than the limit.
                piece.reserve_exact(CHUNK + 4096);
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
            let compressed = match self.done {
                true => self.encoder.take().and_then(|encoder| encoder.finish().ok())?,
                false => std::mem::take(encoder.get_mut()),
            };
            if !compressed.is_empty() {
                return Some(compressed.into());
            }
        }
        None
    }
}

type StepFuture = Pin<Box<dyn Future<Output = (Box<ChunkEncoder>, Option<Bytes>)> + Send>>;

enum Job {
    /// Idle until the client reads more.
    Idle(Box<ChunkEncoder>),
    /// Waiting for or running a compute step.
    Running(StepFuture),
    Ended,
}

/// A body that is encoded one chunk at a time, never ahead of its reader.
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
                Job::Running(step) => {
                    let (encoder_state, piece) = ready!(step.as_mut().poll(context));
                    self.job = if piece.is_some() { Job::Idle(encoder_state) } else { Job::Ended };
                    return Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))));
                }
                Job::Ended => return Poll::Ready(None),
                Job::Idle(_) => {}
            }
            let app = self.app.clone();
            if let Job::Idle(encoder_state) = std::mem::replace(&mut self.job, Job::Ended) {
                self.job = Job::Running(Box::pin(async move {
                    app.compute.step(encoder_state, |encoder_state| encoder_state.next()).await
                }));
            }
        }
    }
}
