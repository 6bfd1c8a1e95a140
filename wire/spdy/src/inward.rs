//! What has come for a stream and waits for its reader.

use bytes::{Bytes, BytesMut};
use std::collections::VecDeque;

/// Pieces below this size are gathered: one that is kept as it came keeps the whole buffer that it came in.
const SMALL: usize = 8 << 10;

/// The bytes of one stream that nobody has read yet, in order.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    pieces: VecDeque<Bytes>,
    /// What comes after all of them.
    gathered: BytesMut,
    bytes: usize,
}

impl Inbox {
    /// How many bytes wait.
    pub(crate) fn len(&self) -> usize {
        self.bytes
    }

    pub(crate) fn push(&mut self, piece: Bytes) {
        self.bytes += piece.len();
        if piece.len() < SMALL {
            self.gathered.extend_from_slice(&piece);
            return;
        }
        self.close_gathered();
        self.pieces.push_back(piece);
    }

    /// The first bytes that came, as many as lie together.
    pub(crate) fn pop(&mut self) -> Option<Bytes> {
        if self.pieces.is_empty() {
            self.close_gathered();
        }
        let piece = self.pieces.pop_front()?;
        self.bytes -= piece.len();
        Some(piece)
    }

    fn close_gathered(&mut self) {
        if !self.gathered.is_empty() {
            self.pieces.push_back(self.gathered.split().freeze());
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
        let popped: Vec<_> = std::iter::from_fn(|| inbox.pop()).map(|piece| piece.len()).collect();
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
