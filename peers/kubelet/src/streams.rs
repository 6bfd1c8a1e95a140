//! The streams of one exec or attach, whatever protocol carries them.

use std::io;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::{BufMut, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio_tungstenite::tungstenite::Message;

use crate::outcome::{Outcome, Spelling};
use crate::query::Query;

/// How much is read at once.
const CHUNK: usize = 32 * 1024;

/// What comes from the client.
pub(crate) enum Inlet {
    /// A stream of bytes.
    Plain(Box<dyn AsyncRead + Send + Unpin>),
    /// A channel of a WebSocket.
    Channel(mpsc::Receiver<Bytes>),
}

/// What goes to the client.
pub(crate) enum Outlet {
    /// A stream of bytes.
    Plain(Box<dyn AsyncWrite + Send + Unpin>),
    /// A channel of a WebSocket.
    Channel { number: u8, base64: bool, sender: mpsc::Sender<Message> },
}

/// Which streams a client wants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Wanted {
    pub(crate) stdin: bool,
    pub(crate) stdout: bool,
    pub(crate) stderr: bool,
    pub(crate) tty: bool,
}

/// The streams that a client got.
pub(crate) struct Streams {
    pub(crate) stdin: Option<Inlet>,
    pub(crate) stdout: Option<Outlet>,
    pub(crate) stderr: Option<Outlet>,
    pub(crate) resize: Option<Inlet>,
}

impl Wanted {
    /// Reads the query of exec and attach.
    pub(crate) fn read(query: &Query) -> Option<Self> {
        let tty = query.one("tty");
        let wanted = Self {
            stdin: query.one("input"),
            stdout: query.one("output"),
            stderr: query.one("error") && !tty, // a terminal has one output
            tty,
        };
        (wanted.stdin || wanted.stdout || wanted.stderr).then_some(wanted)
    }
}

impl Inlet {
    /// The next piece; none at the end. Nothing is lost if the future is dropped.
    pub(crate) async fn read(&mut self) -> Option<Bytes> {
        match self {
            Self::Channel(receiver) => receiver.recv().await,
            Self::Plain(reader) => piece(reader).await,
        }
    }
}

/// The next piece of a reader; none at its end or when it fails.
pub(crate) async fn piece(reader: &mut (impl AsyncRead + Unpin + ?Sized)) -> Option<Bytes> {
    let mut buffer = BytesMut::with_capacity(CHUNK);
    match reader.read_buf(&mut buffer).await {
        Ok(0) | Err(_) => None,
        Ok(_) => Some(buffer.freeze()),
    }
}

impl Outlet {
    /// Sends a piece, and waits until there is room for it.
    pub(crate) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(writer) => {
                writer.write_all(bytes).await?;
                writer.flush().await
            }
            Self::Channel { number, base64, sender } => {
                let message = framed(*number, *base64, bytes);
                sender.send(message).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
            }
        }
    }

    /// Says that nothing more will come. A WebSocket has no word for it.
    pub(crate) async fn finish(&mut self) {
        if let Self::Plain(writer) = self {
            let _ = writer.shutdown().await; // who left need not be told
        }
    }

    /// Sends what became of a command, in the protocol's spelling.
    pub(crate) async fn tell(&mut self, outcome: &Outcome, spelling: Spelling) {
        if let Some(words) = outcome.spelled(spelling) {
            let _ = self.write(words.as_bytes()).await; // who left need not be told
        }
        self.finish().await;
    }
}

fn framed(number: u8, base64: bool, bytes: &[u8]) -> Message {
    if base64 {
        let digit = char::from(b'0'.wrapping_add(number));
        return Message::text(format!("{digit}{}", BASE64_STANDARD.encode(bytes)));
    }
    let mut frame = BytesMut::with_capacity(bytes.len() + 1);
    frame.put_u8(number);
    frame.put_slice(bytes);
    Message::Binary(frame.freeze())
}

/// Carries everything from a reader to the client, if the client wants it. The outlet is only borrowed: to drop a
/// stream is to reset it, and kubelets reset none before they have told how it went.
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
        let read = |text| Wanted::read(&Query::read(text));
        let all = Wanted { stdin: true, stdout: true, stderr: true, tty: false };
        assert_eq!(read("input=1&output=1&error=1"), Some(all));
        let terminal = Wanted { stderr: false, tty: true, ..all };
        assert_eq!(read("input=1&output=1&error=1&tty=1"), Some(terminal));
        assert_eq!(read("input=true&tty=1"), None);
    }

    #[test]
    fn frames_begin_with_their_channel() {
        assert_eq!(framed(1, false, b"hi"), Message::binary(&b"\x01hi"[..]));
        assert_eq!(framed(1, true, b"\n"), Message::text("1Cg=="));
    }
}
