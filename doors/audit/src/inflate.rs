//! Gzipped input with a limit: a small file that unpacks to very much more than any backup is refused.

use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, BufReader, Read};

/// What every file may unpack to.
const ALWAYS: u64 = 256 << 20;
/// How many times its own size a larger one may unpack to; backups reach thirty.
const MOST_TIMES: u64 = 200;

/// The unpacked bytes of a gzipped file.
pub(crate) struct Inflate {
    input: MultiGzDecoder<BufReader<File>>,
    left: u64,
}

impl Inflate {
    pub(crate) fn new(file: File) -> io::Result<Self> {
        let left = file.metadata()?.len().saturating_mul(MOST_TIMES).max(ALWAYS);
        let input = MultiGzDecoder::new(BufReader::with_capacity(1 << 16, file));
        Ok(Self { input, left })
    }
}

impl Read for Inflate {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let size = self.input.read(buffer)?;
        self.left = self.left.checked_sub(size as u64).ok_or_else(|| {
            io::Error::other(format!(
                "it unpacks to more than {MOST_TIMES} times its size, which no backup does; unpack it to look at it"
            ))
        })?;
        Ok(size)
    }
}
