//! Compression of header blocks: one zlib stream in each direction for the whole session.

use crate::spdy::dictionary;
use bytes::{BufMut, BytesMut};
use flate2::{Decompress, FlushDecompress, Status};

/// The maximum length of a stored deflate block.
const STORED: usize = 0xffff;

/// Inflates the blocks of the peer.
pub(crate) struct Inflater {
    /// Created with the first block: an end that only receives data needs no window.
    state: Option<Decompress>,
    limit: usize,
}

impl std::fmt::Debug for Inflater {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inflater").field("limit", &self.limit).finish_non_exhaustive()
    }
}

impl Inflater {
    pub(crate) fn new(limit: usize) -> Self {
        Self { state: None, limit }
    }

    /// The inflated block; `None` if it is invalid or too large. Then the session is lost, for the
    /// next block builds on this one.
    pub(crate) fn inflate(&mut self, packed: &[u8]) -> Option<Vec<u8>> {
        let state = self.state.get_or_insert_with(|| Decompress::new(true));
        let mut block = Vec::with_capacity(1024.min(self.limit + 1));
        let start = state.total_in();
        loop {
            let consumed = usize::try_from(state.total_in() - start).ok()?;
            let rest = packed.get(consumed..)?;
            match state.decompress_vec(rest, &mut block, FlushDecompress::Sync) {
                Err(why) if why.needs_dictionary() == Some(dictionary::CHECKSUM) => {
                    state.set_dictionary(&dictionary::BYTES).ok()?;
                    continue;
                }
                Ok(Status::Ok | Status::BufError) => {}
                // The end of the zlib stream is not allowed within a session.
                Ok(Status::StreamEnd) | Err(_) => return None,
            }
            let consumed = usize::try_from(state.total_in() - start).ok()?;
            if block.len() > self.limit {
                return None;
            }
            if block.len() < block.capacity() {
                // All output has been produced.
                return (consumed == packed.len()).then_some(block);
            }
            block.reserve(block.len().min(self.limit + 1 - block.len()).max(1));
        }
    }
}

/// Writes blocks as stored deflate blocks.
#[derive(Debug, Default)]
pub(crate) struct Packer {
    begun: bool,
}

impl Packer {
    /// Appends `block` to `packed`.
    pub(crate) fn pack(&mut self, block: &[u8], packed: &mut BytesMut) {
        if !self.begun {
            self.begun = true;
            // Deflate with a window of 32 KiB, and a dictionary.
            packed.put_slice(&[0x78, 0xbb]);
            packed.put_u32(dictionary::CHECKSUM);
        }
        block.chunks(STORED).for_each(|piece| put_stored_block(piece, packed));
        // Go flushes a block when an empty one follows, and treats a missing one as an error.
        put_stored_block(&[], packed);
    }
}

fn put_stored_block(piece: &[u8], packed: &mut BytesMut) {
    let length = u16::try_from(piece.len()).unwrap_or(u16::MAX);
    packed.put_u8(0);
    packed.put_u16_le(length);
    packed.put_u16_le(!length);
    packed.put_slice(piece);
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compress, Compression, FlushCompress};
    use proptest::prelude::*;

    /// A peer that compresses, as Go does.
    struct Peer(Compress);

    impl Peer {
        fn new() -> Self {
            let mut state = Compress::new(Compression::best(), true);
            state.set_dictionary(&dictionary::BYTES).unwrap();
            Self(state)
        }

        fn pack(&mut self, block: &[u8]) -> Vec<u8> {
            let mut packed = Vec::with_capacity(block.len() * 2 + 100);
            self.0.compress_vec(block, &mut packed, FlushCompress::Sync).unwrap();
            packed
        }
    }

    fn packed(packer: &mut Packer, block: &[u8]) -> BytesMut {
        let mut packed = BytesMut::new();
        packer.pack(block, &mut packed);
        packed
    }

    #[test]
    fn compressed_blocks_build_on_each_other() {
        let (mut peer, mut inflater) = (Peer::new(), Inflater::new(1 << 16));
        let long = vec![b'x'; 1 << 16];
        for block in
            [&b"streamtype error accept-encoding"[..], b"streamtype stdin", b"", &long, b"z"]
        {
            assert_eq!(inflater.inflate(&peer.pack(block)).as_deref(), Some(block));
        }
    }

    #[test]
    fn what_is_too_large_or_no_block_is_refused() {
        let (mut peer, mut inflater) = (Peer::new(), Inflater::new(1 << 10));
        assert!(inflater.inflate(&peer.pack(&[b'x'; 1 << 10])).is_some());
        assert_eq!(inflater.inflate(&peer.pack(&[b'x'; 1025])), None);
        assert_eq!(inflater.inflate(&peer.pack(&vec![b'x'; 1 << 20])), None);
        assert_eq!(Inflater::new(1 << 10).inflate(b"nonsense"), None);
        let other = [0x78, 0xbb, 1, 2, 3, 4];
        assert_eq!(Inflater::new(1 << 10).inflate(&other), None, "another dictionary");
    }

    #[test]
    fn blocks_are_stored_and_flushed() {
        let mut packer = Packer::default();
        let begin = b"\x78\xbb\xe3\xc6\xa7\xc2\0\x01\0\xfe\xffa\0\0\0\xff\xff";
        assert_eq!(packed(&mut packer, b"a")[..], begin[..]);
        assert_eq!(packed(&mut packer, b"b")[..], b"\0\x01\0\xfe\xffb\0\0\0\xff\xff"[..]);
    }

    #[test]
    fn a_stream_that_ends_is_refused() {
        let mut state = Compress::new(Compression::best(), true);
        let mut packed = Vec::with_capacity(100);
        state.compress_vec(b"abc", &mut packed, FlushCompress::Finish).unwrap();
        assert_eq!(Inflater::new(1 << 10).inflate(&packed), None);
    }

    proptest! {
        #[test]
        fn what_is_packed_is_inflated(blocks in proptest::collection::vec(any::<Vec<u8>>(), 0..5), long in 0usize..150_000) {
            let (mut packer, mut inflater) = (Packer::default(), Inflater::new(1 << 20));
            for block in blocks.iter().cloned().chain([vec![7; long]]) {
                let packed = packed(&mut packer, &block);
                prop_assert_eq!(inflater.inflate(&packed), Some(block));
            }
        }

        #[test]
        fn anything_is_inflated_or_refused(packed: Vec<u8>) {
            let _ = Inflater::new(1 << 10).inflate(&packed);
            let mut packed = packed;
            packed.splice(..0, [0x78, 0xbb, 0xe3, 0xc6, 0xa7, 0xc2]);
            let _ = Inflater::new(1 << 10).inflate(&packed);
        }
    }
}
