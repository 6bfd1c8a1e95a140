//! Reporting of strict faults during a sloppy parse: one parser serves callers with and without a need for errors.

use crate::AddrReason;

/// A receiver of what a strict parser refuses.
pub(crate) trait Faults<'a> {
    /// Reports a fault, and the rest of the text from there; empty if the position does not matter.
    fn note_at(&mut self, reason: AddrReason, rest: &'a [u8]);

    /// Reports a fault without a position.
    #[inline]
    fn note(&mut self, reason: AddrReason) {
        self.note_at(reason, &[]);
    }

    /// Reports a fault that the sloppy parser refuses, too.
    #[inline]
    fn refuse_at<T>(&mut self, reason: AddrReason, rest: &'a [u8]) -> Option<T> {
        self.note_at(reason, rest);
        None
    }

    /// The same without a position.
    #[inline]
    fn refuse<T>(&mut self, reason: AddrReason) -> Option<T> {
        self.refuse_at(reason, &[])
    }
}

/// Discards all faults.
pub(crate) struct IgnoreFaults;

impl Faults<'_> for IgnoreFaults {
    #[inline]
    fn note_at(&mut self, _: AddrReason, _: &[u8]) {}
}

/// Keeps the first fault: the one that a strict parser, which stops there, reports.
#[derive(Default)]
pub(crate) struct FirstFault<'a>(pub(crate) Option<(AddrReason, &'a [u8])>);

impl<'a> Faults<'a> for FirstFault<'a> {
    fn note_at(&mut self, reason: AddrReason, rest: &'a [u8]) {
        self.0.get_or_insert((reason, rest));
    }
}
