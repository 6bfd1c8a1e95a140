//! Limits of decoding: bytes, depth and number of values.

use crate::depth;

/// Limits on what a text may make the decoder allocate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest document, in bytes.
    pub bytes: usize,
    /// The deepest nesting of values; never more than that of [`Limits::STORED`].
    pub depth: usize,
    /// The most values, including those that aliases repeat.
    pub nodes: usize,
}

impl Limits {
    /// The largest request body that the API takes, and no more values than such an object can use.
    pub const DEFAULT: Self =
        Self { bytes: 3 << 20, depth: depth::MAX_REQUEST_DEPTH, nodes: 1 << 17 };

    /// For lists that this program wrote itself, each item of which was within the limits.
    pub const STORED: Self = Self { bytes: usize::MAX, depth: depth::MAX_DEPTH, nodes: usize::MAX };

    /// The same limits, with the depth capped at the deepest tree there may be.
    pub(crate) fn capped(self) -> Self {
        Self { depth: self.depth.min(depth::MAX_DEPTH), ..self }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
