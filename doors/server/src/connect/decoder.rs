//! Incremental decompression of proxied pages.

use bytes::{Buf, Bytes};
use flate2::bufread::{DeflateDecoder, GzDecoder};
use std::io::{self, BufRead, Read};

/// The received but unread bytes.
#[derive(Debug, Default)]
pub(super) struct PageInput {
    piece: Bytes,
    has_ended: bool,
}

impl Read for PageInput {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut ready = self.fill_buf()?;
        let count = ready.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for PageInput {
    /// Fails with `WouldBlock` if more input is expected.
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

/// A decoder by content encoding.
pub(super) enum PageDecoder {
    Plain(PageInput),
    Gzip(Box<GzDecoder<PageInput>>),
    Deflate(Box<DeflateDecoder<PageInput>>),
}

impl PageDecoder {
    /// None if the encoding is not supported.
    pub(super) fn new(encoding: &str) -> Option<Self> {
        Some(match encoding {
            "" => Self::Plain(PageInput::default()),
            "gzip" => Self::Gzip(Box::new(GzDecoder::new(PageInput::default()))),
            "deflate" => Self::Deflate(Box::new(DeflateDecoder::new(PageInput::default()))),
            _ => return None,
        })
    }

    fn input(&mut self) -> &mut PageInput {
        match self {
            Self::Plain(input) => input,
            Self::Gzip(decoder) => decoder.get_mut(),
            Self::Deflate(decoder) => decoder.get_mut(),
        }
    }

    /// Sets the next piece of input, after the previous one was read.
    pub(super) fn push(&mut self, piece: Bytes) {
        self.input().piece = piece;
    }

    /// Marks the end of the input.
    pub(super) fn end(&mut self) {
        self.input().has_ended = true;
    }

    /// Reads decompressed bytes; 0 is the end, and `WouldBlock` asks for another piece.
    pub(super) fn read(&mut self, window: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(input) => input.read(window),
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

    fn compress(encoding: &str, text: &[u8]) -> Vec<u8> {
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
            let bytes = compress(encoding, &text);
            let mut decoder = PageDecoder::new(encoding).unwrap();
            let (mut got, mut window, mut at) = (Vec::new(), [0; 7], 0);
            loop {
                match decoder.read(&mut window) {
                    Ok(0) => break,
                    Ok(count) => got.extend_from_slice(&window[..count]),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        match bytes.get(at..(at + 3).min(bytes.len())) {
                            Some(piece) if !piece.is_empty() => {
                                decoder.push(Bytes::copy_from_slice(piece));
                                at += piece.len();
                            }
                            _ => decoder.end(),
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
        let bytes = compress("gzip", b"text");
        for bytes in [bytes.get(..bytes.len() - 3).unwrap(), b"no gzip at all"] {
            let mut decoder = PageDecoder::new("gzip").unwrap();
            decoder.push(Bytes::copy_from_slice(bytes));
            decoder.end();
            let mut window = [0; 64];
            let error = loop {
                match decoder.read(&mut window) {
                    Ok(0) => panic!("{bytes:?} has an end"),
                    Ok(_) => {}
                    Err(error) => break error,
                }
            };
            assert_ne!(error.kind(), io::ErrorKind::WouldBlock);
        }
        assert!(PageDecoder::new("br").is_none());
    }
}
