//! The channels of `v5.channel.k8s.io`: their numbers, and the demultiplexer of a client's messages.

use bytes::{Buf, Bytes};

/// Input of the process.
pub(super) const STDIN: u8 = 0;
pub(super) const STDOUT: u8 = 1;
pub(super) const STDERR: u8 = 2;
/// The final `Status`.
pub(super) const ERROR: u8 = 3;
/// Terminal size.
const RESIZE: u8 = 4;
/// Close signal; the next byte is the channel.
const END: u8 = 255;

/// The requested streams.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Streams {
    pub(crate) stdin: bool,
    pub(crate) stdout: bool,
    pub(crate) stderr: bool,
    pub(crate) tty: bool,
}

impl Streams {
    /// The channel of the empty first message that tells the client that it is connected.
    pub(super) fn first_channel(self) -> u8 {
        match self {
            Self { stdout: true, .. } => STDOUT,
            Self { stderr: true, .. } => STDERR,
            _ => ERROR,
        }
    }

    /// The streams to open at the kubelet, in its order.
    pub(super) fn wanted(self) -> [(&'static str, bool); 4] {
        [
            ("stdin", self.stdin),
            ("stdout", self.stdout),
            // A terminal has one output.
            ("stderr", self.stderr && !self.tty),
            ("resize", self.tty),
        ]
    }
}

/// A decoded piece of a message.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum ClientMessage {
    Stdin(Bytes),
    Resize(Bytes),
    EndOfStdin,
}

/// A protocol error.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct InvalidMessage;

/// The demultiplexer of channel messages.
#[derive(Debug, Default)]
pub(super) struct Demultiplexer {
    channel: Option<u8>,
    /// The channel in a close signal.
    ending: Vec<u8>,
}

impl Demultiplexer {
    /// Decodes a piece of a message; `last` ends the message.
    pub(super) fn decode(
        &mut self,
        mut bytes: Bytes,
        last: bool,
    ) -> Result<Option<ClientMessage>, InvalidMessage> {
        if self.channel.is_none() {
            self.channel = bytes.try_get_u8().ok();
        }
        let channel = self.channel;
        if channel == Some(END) {
            if self.ending.len() + bytes.len() > 1 {
                return Err(InvalidMessage);
            }
            self.ending.extend(bytes.iter());
        }
        if last {
            self.channel = None;
        }
        Ok(match channel {
            Some(STDIN) if !bytes.is_empty() => Some(ClientMessage::Stdin(bytes)),
            Some(RESIZE) if !bytes.is_empty() => Some(ClientMessage::Resize(bytes)),
            Some(END) if last => match std::mem::take(&mut self.ending).first() {
                Some(&STDIN) => Some(ClientMessage::EndOfStdin),
                // The other channels end with the process.
                Some(..=RESIZE) => None,
                _ => return Err(InvalidMessage),
            },
            // Messages on other channels are ignored.
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(messages: &[&'static [u8]]) -> Vec<Result<Option<ClientMessage>, InvalidMessage>> {
        let mut demultiplexer = Demultiplexer::default();
        messages
            .iter()
            .map(|message| demultiplexer.decode(Bytes::from_static(message), true))
            .collect()
    }

    #[test]
    fn messages_are_sorted_by_their_first_byte() {
        let size = b"{\"Width\":80,\"Height\":24}";
        let resize: &[u8] = b"\x04{\"Width\":80,\"Height\":24}";
        assert_eq!(
            decode(&[b"\0abc", resize, b"\xff\0", b"\xff\x04", b"\xff\x02"]),
            [
                Ok(Some(ClientMessage::Stdin(Bytes::from_static(b"abc")))),
                Ok(Some(ClientMessage::Resize(Bytes::from_static(size)))),
                Ok(Some(ClientMessage::EndOfStdin)),
                Ok(None),
                Ok(None),
            ]
        );
    }

    #[test]
    fn what_nobody_listens_to_is_dropped() {
        assert!(
            decode(&[b"", b"\0", b"\x01out", b"\x02err", b"\x03", b"\x05x", b"\xfe"])
                .iter()
                .all(|decoded| *decoded == Ok(None))
        );
    }

    #[test]
    fn an_end_names_one_channel_that_there_is() {
        for message in [&b"\xff"[..], b"\xff\x05", b"\xff\xff", b"\xff\0\0"] {
            assert_eq!(decode(&[message]), [Err(InvalidMessage)], "{message:?}");
        }
    }

    #[test]
    fn a_message_may_come_in_pieces() {
        let mut demultiplexer = Demultiplexer::default();
        let mut decode =
            |bytes: &'static [u8], last| demultiplexer.decode(Bytes::from_static(bytes), last);
        assert_eq!(decode(b"", false), Ok(None));
        assert_eq!(decode(b"\0", false), Ok(None));
        assert_eq!(
            decode(b"\x04a", false),
            Ok(Some(ClientMessage::Stdin(Bytes::from_static(b"\x04a"))))
        );
        assert_eq!(decode(b"b", true), Ok(Some(ClientMessage::Stdin(Bytes::from_static(b"b")))));
        assert_eq!(decode(b"\xff", false), Ok(None));
        assert_eq!(decode(b"\0", false), Ok(None));
        assert_eq!(decode(b"", true), Ok(Some(ClientMessage::EndOfStdin)));
        assert_eq!(decode(b"\xff", false), Ok(None));
        assert_eq!(decode(b"\0", false), Ok(None));
        assert_eq!(decode(b"\0", false), Err(InvalidMessage));
    }

    #[test]
    fn the_first_that_a_client_hears() {
        let streams = |stdout, stderr| Streams { stdin: true, stdout, stderr, tty: false };
        let first_channel = |stdout, stderr| streams(stdout, stderr).first_channel();
        assert_eq!(
            [first_channel(true, true), first_channel(false, true), first_channel(false, false)],
            [1, 2, 3]
        );
    }

    #[test]
    fn a_terminal_has_no_stderr_but_a_size() {
        let names = |streams: Streams| -> Vec<_> {
            streams.wanted().into_iter().filter(|row| row.1).map(|row| row.0).collect()
        };
        let all = Streams { stdin: true, stdout: true, stderr: true, tty: false };
        assert_eq!(names(all), ["stdin", "stdout", "stderr"]);
        assert_eq!(names(Streams { tty: true, ..all }), ["stdin", "stdout", "resize"]);
    }
}
