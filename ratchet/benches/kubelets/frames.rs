//! A minimal HTTP/2 client that costs little CPU time, because the server is what is measured.

use super::flows::Count;
use std::sync::atomic::Ordering;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const WINDOW_UPDATE: u8 = 8;
/// The flag END_STREAM or ACK, depending on the frame type.
const END: u8 = 1;
const END_HEADERS: u8 = 4;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const STREAM: u32 = 1;
/// The windows of Go's client.
const WINDOW: u32 = 4 << 20;
const WINDOW_OF_ALL: u32 = 1 << 30;

/// Size of a read.
const READ: usize = 256 * 1024;
const HEAD: usize = 9;

/// Requests a path and counts the bytes of the answer until the future is dropped.
pub(crate) async fn read(mut io: impl AsyncRead + AsyncWrite + Unpin, path: &str, count: Count) {
    io.write_all(&client_preface(path)).await.unwrap();
    io.flush().await.unwrap();
    let mut buffer = vec![0; READ];
    let mut frames = Frames::default();
    loop {
        let length = io.read(&mut buffer).await.unwrap();
        assert_ne!(length, 0, "the connection ended");
        let received = frames.process(&buffer[..length]);
        count.fetch_add(received, Ordering::Relaxed);
        if !frames.answer.is_empty() {
            io.write_all(&frames.answer).await.unwrap();
            io.flush().await.unwrap();
            frames.answer.clear();
        }
    }
}

/// The preface, settings and request of a client.
fn client_preface(path: &str) -> Vec<u8> {
    let mut settings = vec![0, 2, 0, 0, 0, 0]; // nothing is pushed
    settings.extend([0, 4]);
    settings.extend(WINDOW.to_be_bytes());
    // GET and https are entries of the HPACK static table; path and host are literals.
    let mut headers = vec![0x82, 0x87];
    for (row, text) in [(4, path), (1, "localhost")] {
        assert!(text.len() < 127, "the length of {text} takes more than one byte");
        headers.extend([row, text.len() as u8]);
        headers.extend(text.bytes());
    }
    let mut client_preface = PREFACE.to_vec();
    write_frame(&mut client_preface, SETTINGS, 0, 0, &settings);
    write_frame(&mut client_preface, WINDOW_UPDATE, 0, 0, &WINDOW_OF_ALL.to_be_bytes());
    write_frame(&mut client_preface, HEADERS, END | END_HEADERS, STREAM, &headers);
    client_preface
}

fn write_frame(out: &mut Vec<u8>, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
    out.extend(&(payload.len() as u32).to_be_bytes()[1..]);
    out.extend([kind, flags]);
    out.extend(stream.to_be_bytes());
    out.extend(payload);
}

/// An incremental parser of frames.
#[derive(Default)]
struct Frames {
    /// The received part of the next frame: its header, and its payload unless that is data.
    partial: Vec<u8>,
    /// Remaining bytes of a DATA frame.
    left: usize,
    /// Bytes received since the last window update.
    unacknowledged: usize,
    /// Frames to send.
    answer: Vec<u8>,
}

impl Frames {
    /// Parses a chunk; returns the number of data bytes in it.
    fn process(&mut self, mut piece: &[u8]) -> u64 {
        let mut received = 0;
        while !piece.is_empty() {
            if self.left > 0 {
                let taken = self.left.min(piece.len());
                self.left -= taken;
                received += taken;
                piece = &piece[taken..];
                continue;
            }
            let missing = match self.partial.len() {
                ..HEAD => HEAD - self.partial.len(),
                length => HEAD + self.length() - length,
            };
            let (taken, rest) = piece.split_at(missing.min(piece.len()));
            self.partial.extend(taken);
            piece = rest;
            self.end_frame();
        }
        self.unacknowledged += received;
        if self.unacknowledged > WINDOW as usize / 2 {
            let more = (self.unacknowledged as u32).to_be_bytes();
            write_frame(&mut self.answer, WINDOW_UPDATE, 0, STREAM, &more);
            write_frame(&mut self.answer, WINDOW_UPDATE, 0, 0, &more);
            self.unacknowledged = 0;
        }
        received as u64
    }

    fn length(&self) -> usize {
        self.partial[..3].iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte))
    }

    /// Handles a frame once it is complete, or a DATA frame once its header is.
    fn end_frame(&mut self) {
        if self.partial.len() < HEAD {
            return;
        }
        let (kind, is_answer) = (self.partial[3], self.partial[4] & END != 0);
        if kind == DATA {
            self.left = self.length();
        } else if self.partial.len() < HEAD + self.length() {
            return;
        }
        let payload = &self.partial[HEAD..];
        match kind {
            DATA => assert!(!is_answer, "the stream ended"),
            HEADERS => assert_eq!(payload.first(), Some(&0x88), "the status is not 200"),
            SETTINGS if !is_answer => write_frame(&mut self.answer, SETTINGS, END, 0, &[]),
            PING if !is_answer => write_frame(&mut self.answer, PING, END, 0, payload),
            SETTINGS | PING | WINDOW_UPDATE => {}
            other => panic!("a frame of type {other}"),
        }
        self.partial.clear();
    }
}
