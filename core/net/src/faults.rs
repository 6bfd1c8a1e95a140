//! What a strict reader refuses, noted while a text is read: one reader serves those who ask why and those who do not.

use crate::AddrReason;

/// Who is told what a strict reader refuses.
pub(crate) trait Faults<'a> {
    /// Something wrong, and the rest of the text from there; empty if the place does not matter.
    fn note_at(&mut self, reason: AddrReason, rest: &'a [u8]);

    /// Something wrong, wherever it stands.
    #[inline]
    fn note(&mut self, reason: AddrReason) {
        self.note_at(reason, &[]);
    }

    /// Something that a sloppy reader refuses, too.
    #[inline]
    fn refuse_at<T>(&mut self, reason: AddrReason, rest: &'a [u8]) -> Option<T> {
        self.note_at(reason, rest);
        None
    }

    /// The same, wherever it stands.
    #[inline]
    fn refuse<T>(&mut self, reason: AddrReason) -> Option<T> {
        self.refuse_at(reason, &[])
    }
}

/// Nobody asks why.
pub(crate) struct Unasked;

impl Faults<'_> for Unasked {
    #[inline]
    fn note_at(&mut self, _: AddrReason, _: &[u8]) {}
}

/// The first fault: the one that a strict reader, which stops there, tells.
#[derive(Default)]
pub(crate) struct First<'a>(pub(crate) Option<(AddrReason, &'a [u8])>);

impl<'a> Faults<'a> for First<'a> {
    fn note_at(&mut self, reason: AddrReason, rest: &'a [u8]) {
        self.0.get_or_insert((reason, rest));
    }
}
