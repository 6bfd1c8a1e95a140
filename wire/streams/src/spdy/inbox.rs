//! Received data of a stream that waits for its reader.

use bytes::{Bytes, BytesMut};
use std::collections::VecDeque;

/// Chunks below this size are merged: a chunk kept as received retains its whole receive buffer.
const SMALL: usize = 8 << 10;

/// The unread bytes of one stream, in order.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    chunks: VecDeque<Bytes>,
    /// The merged small chunks after all others.
    merged: BytesMut,
    bytes: usize,
}

impl Inbox {
    /// The number of unread bytes.
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    pub(crate) fn push(&mut self, chunk: Bytes) {
        self.bytes += chunk.len();
        if chunk.len() < SMALL {
            self.merged.extend_from_slice(&chunk);
            return;
        }
        self.flush_merged();
        self.chunks.push_back(chunk);
    }

    /// The first unread bytes, as far as they are contiguous.
    pub(crate) fn pop(&mut self) -> Option<Bytes> {
        if self.chunks.is_empty() {
            self.flush_merged();
        }
        let chunk = self.chunks.pop_front()?;
        self.bytes -= chunk.len();
        Some(chunk)
    }

    fn flush_merged(&mut self) {
        if !self.merged.is_empty() {
            self.chunks.push_back(self.merged.split().freeze());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_pieces_become_one() {
        let mut inbox = Inbox::default();
        inbox.push(Bytes::from_static(b"a"));
        inbox.push(Bytes::from_static(b"b"));
        inbox.push(Bytes::from(vec![b'c'; SMALL]));
        inbox.push(Bytes::from_static(b"d"));
        let popped: Vec<_> = std::iter::from_fn(|| inbox.pop()).map(|chunk| chunk.len()).collect();
        assert_eq!((popped, inbox.len()), (vec![2, SMALL, 1], 0));
    }

    proptest! {
        #[test]
        fn nothing_is_lost(steps in proptest::collection::vec((any::<u8>(), 0usize..20_000, any::<bool>()), 0..30)) {
            let (mut inbox, mut put, mut got) = (Inbox::default(), Vec::new(), Vec::new());
            for (byte, length, pop) in steps {
                put.extend(std::iter::repeat_n(byte, length));
                inbox.push(Bytes::from(vec![byte; length]));
                if pop {
                    got.extend(inbox.pop().unwrap_or_default());
                }
                prop_assert_eq!(inbox.len(), put.len() - got.len());
            }
            got.extend(std::iter::from_fn(|| inbox.pop()).flatten());
            prop_assert_eq!(put, got);
        }
    }
}
