//! The bytes of a page as its backend wrote them, unpacked no faster than they are read.

use bytes::{Buf, Bytes};
use flate2::bufread::{DeflateDecoder, GzDecoder};
use std::io::{self, BufRead, Read};

/// What a backend sent and nobody has read yet.
#[derive(Debug, Default)]
pub(super) struct Feed {
    piece: Bytes,
    has_ended: bool,
}

impl Read for Feed {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut ready = self.fill_buf()?;
        let count = ready.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Feed {
    /// Fails with `WouldBlock` where more is to come.
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self.piece.is_empty() && !self.has_ended {
            true => Err(io::ErrorKind::WouldBlock.into()),
            false => Ok(&self.piece),
        }
    }

    fn consume(&mut self, count: usize) {
        self.piece.advance(count.min(self.piece.len()));
    }
}

/// How a page is packed.
pub(super) enum Unpack {
    Plain(Feed),
    Gzip(Box<GzDecoder<Feed>>),
    Deflate(Box<DeflateDecoder<Feed>>),
}

impl Unpack {
    /// None if nobody here can unpack it.
    pub(super) fn new(encoding: &str) -> Option<Self> {
        Some(match encoding {
            "" => Self::Plain(Feed::default()),
            "gzip" => Self::Gzip(Box::new(GzDecoder::new(Feed::default()))),
            "deflate" => Self::Deflate(Box::new(DeflateDecoder::new(Feed::default()))),
            _ => return None,
        })
    }

    fn feed(&mut self) -> &mut Feed {
        match self {
            Self::Plain(feed) => feed,
            Self::Gzip(decoder) => decoder.get_mut(),
            Self::Deflate(decoder) => decoder.get_mut(),
        }
    }

    /// Takes the next piece; only when the last one was read.
    pub(super) fn push(&mut self, piece: Bytes) {
        self.feed().piece = piece;
    }

    /// Nothing more is to come.
    pub(super) fn end(&mut self) {
        self.feed().has_ended = true;
    }

    /// Fills a window with what comes next; 0 is the end, and `WouldBlock` asks for another piece.
    pub(super) fn read(&mut self, window: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(feed) => feed.read(window),
            Self::Gzip(decoder) => decoder.read(window),
            Self::Deflate(decoder) => decoder.read(window),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder};
    use std::io::Write;

    fn packed(encoding: &str, text: &[u8]) -> Vec<u8> {
        match encoding {
            "gzip" => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
                encoder.write_all(text).unwrap();
                encoder.finish().unwrap()
            }
            "deflate" => {
                let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
                encoder.write_all(text).unwrap();
                encoder.finish().unwrap()
            }
            _ => text.to_vec(),
        }
    }

    #[test]
    fn torn_anywhere_and_read_through_small_windows() {
        let text: Vec<u8> =
            (0..5000_u32).flat_map(|number| number.to_string().into_bytes()).collect();
        for encoding in ["", "gzip", "deflate"] {
            let bytes = packed(encoding, &text);
            let mut unpack = Unpack::new(encoding).unwrap();
            let (mut got, mut window, mut at) = (Vec::new(), [0; 7], 0);
            loop {
                match unpack.read(&mut window) {
                    Ok(0) => break,
                    Ok(count) => got.extend_from_slice(&window[..count]),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        match bytes.get(at..(at + 3).min(bytes.len())) {
                            Some(piece) if !piece.is_empty() => {
                                unpack.push(Bytes::copy_from_slice(piece));
                                at += piece.len();
                            }
                            _ => unpack.end(),
                        }
                    }
                    Err(error) => panic!("{encoding}: {error}"),
                }
            }
            assert!(got == text, "{encoding}: {} of {} bytes", got.len(), text.len());
        }
    }

    #[test]
    fn what_breaks_off_or_is_not_packed_is_an_error() {
        let bytes = packed("gzip", b"text");
        for bytes in [bytes.get(..bytes.len() - 3).unwrap(), b"no gzip at all"] {
            let mut unpack = Unpack::new("gzip").unwrap();
            unpack.push(Bytes::copy_from_slice(bytes));
            unpack.end();
            let mut window = [0; 64];
            let error = loop {
                match unpack.read(&mut window) {
                    Ok(0) => panic!("{bytes:?} has an end"),
                    Ok(_) => {}
                    Err(error) => break error,
                }
            };
            assert_ne!(error.kind(), io::ErrorKind::WouldBlock);
        }
        assert!(Unpack::new("br").is_none());
    }
}
