//! One request over HTTP/2, its answer read with as little work as possible: the server is what is measured.

use super::flows::Count;
use std::sync::atomic::Ordering;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;
/// A stream or a block of headers ends here, or somebody heard us: which, the type tells.
const END: u8 = 1;
const END_HEADERS: u8 = 4;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const STREAM: u32 = 1;
/// The windows of Go's client.
const WINDOW: u32 = 4 << 20;
const WINDOW_OF_ALL: u32 = 1 << 30;

/// How much is read at once.
const READ: usize = 256 * 1024;
const HEAD: usize = 9;

/// Asks for a path, and counts what the answer brings until its reader is dropped.
pub(crate) async fn read(mut io: impl AsyncRead + AsyncWrite + Unpin, path: &str, count: Count) {
    io.write_all(&question(path)).await.unwrap();
    io.flush().await.unwrap();
    let mut buffer = vec![0; READ];
    let mut frames = Frames::default();
    loop {
        let length = io.read(&mut buffer).await.unwrap();
        assert_ne!(length, 0, "the connection ended");
        let came = frames.take(&buffer[..length]);
        count.fetch_add(came, Ordering::Relaxed);
        if !frames.answer.is_empty() {
            io.write_all(&frames.answer).await.unwrap();
            io.flush().await.unwrap();
            frames.answer.clear();
        }
    }
}

/// Everything that a client says before it is answered.
fn question(path: &str) -> Vec<u8> {
    let mut settings = vec![0, 2, 0, 0, 0, 0]; // nothing is pushed
    settings.extend([0, 4]);
    settings.extend(WINDOW.to_be_bytes());
    // GET and https are rows of the table of HPACK; a path and a host are written out.
    let mut headers = vec![0x82, 0x87];
    for (row, text) in [(4, path), (1, "localhost")] {
        assert!(text.len() < 127, "the length of {text} takes more than one byte");
        headers.extend([row, text.len() as u8]);
        headers.extend(text.bytes());
    }
    let mut question = PREFACE.to_vec();
    put(&mut question, SETTINGS, 0, 0, &settings);
    put(&mut question, WINDOW_UPDATE, 0, 0, &WINDOW_OF_ALL.to_be_bytes());
    put(&mut question, HEADERS, END | END_HEADERS, STREAM, &headers);
    question
}

fn put(out: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    out.extend(&(payload.len() as u32).to_be_bytes()[1..]);
    out.extend([kind, flags]);
    out.extend(stream.to_be_bytes());
    out.extend(payload);
}

/// Frames as they come, in pieces of any size.
#[derive(Default)]
struct Frames {
    /// The head of the next frame, as far as it has come, and its payload unless that is data.
    begun: Vec<u8>,
    /// What is left of a frame of data.
    left: usize,
    /// What has come since the windows were opened again.
    unopened: usize,
    /// What is to be sent.
    answer: Vec<u8>,
}

impl Frames {
    /// How many bytes of data were in a piece.
    fn take(&mut self, mut piece: &[u8]) -> u64 {
        let mut came = 0;
        while !piece.is_empty() {
            if self.left > 0 {
                let taken = self.left.min(piece.len());
                self.left -= taken;
                came += taken;
                piece = &piece[taken..];
                continue;
            }
            let missing = match self.begun.len() {
                ..HEAD => HEAD - self.begun.len(),
                length => HEAD + self.length() - length,
            };
            let (taken, rest) = piece.split_at(missing.min(piece.len()));
            self.begun.extend(taken);
            piece = rest;
            self.end_frame();
        }
        self.unopened += came;
        if self.unopened > WINDOW as usize / 2 {
            let more = (self.unopened as u32).to_be_bytes();
            put(&mut self.answer, WINDOW_UPDATE, 0, STREAM, &more);
            put(&mut self.answer, WINDOW_UPDATE, 0, 0, &more);
            self.unopened = 0;
        }
        came as u64
    }

    fn length(&self) -> usize {
        self.begun[..3].iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte))
    }

    /// Looks at a frame if it is whole, or at its head if that is all one needs.
    fn end_frame(&mut self) {
        if self.begun.len() < HEAD {
            return;
        }
        let (kind, is_answer) = (self.begun[3], self.begun[4] & END != 0);
        if kind == DATA {
            self.left = self.length();
        } else if self.begun.len() < HEAD + self.length() {
            return;
        }
        let payload = &self.begun[HEAD..];
        match kind {
            DATA => assert!(!is_answer, "the stream ended"),
            HEADERS => assert_eq!(payload.first(), Some(&0x88), "the status is not 200"),
            SETTINGS if !is_answer => put(&mut self.answer, SETTINGS, END, 0, &[]),
            PING if !is_answer => put(&mut self.answer, PING, END, 0, payload),
            SETTINGS | PING | WINDOW_UPDATE => {}
            other => panic!("a frame of type {other}"),
        }
        self.begun.clear();
    }
}
