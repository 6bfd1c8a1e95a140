//! The channels of `v5.channel.k8s.io`: which there are, and which one a message is for.

use bytes::{Buf, Bytes};

/// What the client says to the process.
pub(super) const STDIN: u8 = 0;
pub(super) const STDOUT: u8 = 1;
pub(super) const STDERR: u8 = 2;
/// How it ended.
pub(super) const ERROR: u8 = 3;
/// How large the client's terminal is.
const RESIZE: u8 = 4;
/// Says that a channel ends, which is named by the next byte.
const END: u8 = 255;

/// The streams that a client asked for.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Streams {
    pub(crate) stdin: bool,
    pub(crate) stdout: bool,
    pub(crate) stderr: bool,
    pub(crate) tty: bool,
}

impl Streams {
    /// The channel on which an empty message tells the client that all is set up: the first that it hears.
    pub(super) fn greeting(self) -> u8 {
        match self {
            Self { stdout: true, .. } => STDOUT,
            Self { stderr: true, .. } => STDERR,
            _ => ERROR,
        }
    }

    /// The streams that a kubelet is asked for, in the order in which it wants them.
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

/// What a piece of a message means.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) enum Meaning {
    Stdin(Bytes),
    Resize(Bytes),
    EndOfStdin,
}

/// Nothing that follows can be trusted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Nonsense;

/// Which channel the message at hand is for.
#[derive(Debug, Default)]
pub(super) struct Sorter {
    channel: Option<u8>,
    /// The channels that end, according to the message at hand.
    ending: Vec<u8>,
}

impl Sorter {
    /// Sorts a piece of a message; with `last` the message is whole.
    pub(super) fn sort(
        &mut self,
        mut bytes: Bytes,
        last: bool,
    ) -> Result<Option<Meaning>, Nonsense> {
        if self.channel.is_none() {
            self.channel = bytes.try_get_u8().ok();
        }
        let channel = self.channel;
        if channel == Some(END) {
            if self.ending.len() + bytes.len() > 1 {
                return Err(Nonsense);
            }
            self.ending.extend(bytes.iter());
        }
        if last {
            self.channel = None;
        }
        Ok(match channel {
            Some(STDIN) if !bytes.is_empty() => Some(Meaning::Stdin(bytes)),
            Some(RESIZE) if !bytes.is_empty() => Some(Meaning::Resize(bytes)),
            Some(END) if last => match std::mem::take(&mut self.ending).first() {
                Some(&STDIN) => Some(Meaning::EndOfStdin),
                // The others end when the process does.
                Some(..=RESIZE) => None,
                _ => return Err(Nonsense),
            },
            // Clients do not speak on the other channels, and nobody listens if they do.
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sort(messages: &[&'static [u8]]) -> Vec<Result<Option<Meaning>, Nonsense>> {
        let mut sorter = Sorter::default();
        messages.iter().map(|message| sorter.sort(Bytes::from_static(message), true)).collect()
    }

    #[test]
    fn messages_are_sorted_by_their_first_byte() {
        let size = b"{\"Width\":80,\"Height\":24}";
        let resize: &[u8] = b"\x04{\"Width\":80,\"Height\":24}";
        assert_eq!(
            sort(&[b"\0abc", resize, b"\xff\0", b"\xff\x04", b"\xff\x02"]),
            [
                Ok(Some(Meaning::Stdin(Bytes::from_static(b"abc")))),
                Ok(Some(Meaning::Resize(Bytes::from_static(size)))),
                Ok(Some(Meaning::EndOfStdin)),
                Ok(None),
                Ok(None),
            ]
        );
    }

    #[test]
    fn what_nobody_listens_to_is_dropped() {
        assert!(
            sort(&[b"", b"\0", b"\x01out", b"\x02err", b"\x03", b"\x05x", b"\xfe"])
                .iter()
                .all(|sorted| *sorted == Ok(None))
        );
    }

    #[test]
    fn an_end_names_one_channel_that_there_is() {
        for message in [&b"\xff"[..], b"\xff\x05", b"\xff\xff", b"\xff\0\0"] {
            assert_eq!(sort(&[message]), [Err(Nonsense)], "{message:?}");
        }
    }

    #[test]
    fn a_message_may_come_in_pieces() {
        let mut sorter = Sorter::default();
        let mut sort = |bytes: &'static [u8], last| sorter.sort(Bytes::from_static(bytes), last);
        assert_eq!(sort(b"", false), Ok(None));
        assert_eq!(sort(b"\0", false), Ok(None));
        assert_eq!(sort(b"\x04a", false), Ok(Some(Meaning::Stdin(Bytes::from_static(b"\x04a")))));
        assert_eq!(sort(b"b", true), Ok(Some(Meaning::Stdin(Bytes::from_static(b"b")))));
        assert_eq!(sort(b"\xff", false), Ok(None));
        assert_eq!(sort(b"\0", false), Ok(None));
        assert_eq!(sort(b"", true), Ok(Some(Meaning::EndOfStdin)));
        assert_eq!(sort(b"\xff", false), Ok(None));
        assert_eq!(sort(b"\0", false), Ok(None));
        assert_eq!(sort(b"\0", false), Err(Nonsense));
    }

    #[test]
    fn the_first_that_a_client_hears() {
        let streams = |stdout, stderr| Streams { stdin: true, stdout, stderr, tty: false };
        let greeting = |stdout, stderr| streams(stdout, stderr).greeting();
        assert_eq!(
            [greeting(true, true), greeting(false, true), greeting(false, false)],
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
