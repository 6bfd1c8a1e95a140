//! The streams of one exec or attach, independent of the protocol.

use std::io;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::{BufMut, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;

use crate::outcome::{Outcome, StatusFormat};
use crate::query::Query;

/// Size of a read.
const CHUNK: usize = 32 * 1024;

/// A stream from the client.
pub(crate) enum Inlet {
    /// A stream of bytes.
    Plain(Box<dyn AsyncRead + Send + Unpin>),
    /// A channel of a WebSocket.
    Channel(mpsc::Receiver<Bytes>),
}

/// A stream to the client.
pub(crate) enum Outlet {
    /// A stream of bytes.
    Plain(Box<dyn AsyncWrite + Send + Unpin>),
    /// A channel of a WebSocket.
    Channel { number: u8, base64: bool, sender: mpsc::Sender<Message> },
}

/// The streams that a client requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct StreamOptions {
    pub(crate) stdin: bool,
    pub(crate) stdout: bool,
    pub(crate) stderr: bool,
    pub(crate) tty: bool,
}

/// The open streams of a client.
pub(crate) struct Streams {
    pub(crate) stdin: Option<Inlet>,
    pub(crate) stdout: Option<Outlet>,
    pub(crate) stderr: Option<Outlet>,
    pub(crate) resize: Option<Inlet>,
}

impl StreamOptions {
    /// Parses the query of exec and attach; `None` without any stream.
    pub(crate) fn parse(query: &Query) -> Option<Self> {
        let tty = query.one("tty");
        let options = Self {
            stdin: query.one("input"),
            stdout: query.one("output"),
            stderr: query.one("error") && !tty, // a terminal has one output
            tty,
        };
        (options.stdin || options.stdout || options.stderr).then_some(options)
    }
}

impl Inlet {
    /// The next chunk; `None` at the end. Cancel safe.
    pub(crate) async fn read(&mut self) -> Option<Bytes> {
        match self {
            Self::Channel(receiver) => receiver.recv().await,
            Self::Plain(reader) => piece(reader).await,
        }
    }
}

/// The next chunk of a reader; `None` at its end or on an error.
pub(crate) async fn piece(reader: &mut (impl AsyncRead + Unpin + ?Sized)) -> Option<Bytes> {
    let mut buffer = BytesMut::with_capacity(CHUNK);
    match reader.read_buf(&mut buffer).await {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(buffer.freeze()),
    }
}

impl Outlet {
    /// Sends a chunk, and waits until there is room for it.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(writer) => {
                writer.write_all(bytes).await?;
                writer.flush().await
            }
            Self::Channel { number, base64, sender } => {
                let message = encode_frame(*number, *base64, bytes);
                sender.send(message).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
            }
        }
    }

    /// Ends the stream; a WebSocket channel cannot be ended.
    pub(crate) async fn finish(&mut self) {
        if let Self::Plain(writer) = self {
            let _ = writer.shutdown().await; // the client may have left
        }
    }

    /// Sends the outcome of a command in the protocol's format.
    pub(crate) async fn write_status(&mut self, outcome: &Outcome, format: StatusFormat) {
        if let Some(text) = outcome.encode(format) {
            let _ = self.write(text.as_bytes()).await; // the client may have left
        }
        self.finish().await;
    }
}

fn encode_frame(number: u8, base64: bool, bytes: &[u8]) -> Message {
    if base64 {
        let digit = char::from(b'0'.wrapping_add(number));
        return Message::text(format!("{digit}{}", BASE64_STANDARD.encode(bytes)));
    }
    let mut frame = BytesMut::with_capacity(bytes.len() + 1);
    frame.put_u8(number);
    frame.put_slice(bytes);
    Message::Binary(frame.freeze())
}

/// Copies a reader to the client, if the client requested it. The outlet is only borrowed: dropping a stream resets it,
/// and kubelets reset none before they have sent the outcome.
pub(crate) async fn carry(reader: Option<impl AsyncRead + Unpin>, outlet: Option<&mut Outlet>) {
    let (Some(mut reader), Some(outlet)) = (reader, outlet) else { return };
    while let Some(bytes) = piece(&mut reader).await {
        if outlet.write(&bytes).await.is_err() {
            return;
        }
    }
    outlet.finish().await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_wanted_by_a_one() {
        let parse = |text| StreamOptions::parse(&Query::parse(text));
        let all = StreamOptions { stdin: true, stdout: true, stderr: true, tty: false };
        assert_eq!(parse("input=1&output=1&error=1"), Some(all));
        let terminal = StreamOptions { stderr: false, tty: true, ..all };
        assert_eq!(parse("input=1&output=1&error=1&tty=1"), Some(terminal));
        assert_eq!(parse("input=true&tty=1"), None);
    }

    #[test]
    fn frames_begin_with_their_channel() {
        assert_eq!(encode_frame(1, false, b"hi"), Message::binary(&b"\x01hi"[..]));
        assert_eq!(encode_frame(1, true, b"\n"), Message::text("1Cg=="));
    }
}
