//! `Xorshift`: random numbers of generated trees, the same for a seed every time.

/// A generator of numbers (xorshift64); its state is never zero.
pub(crate) struct Xorshift(pub(crate) u64);

impl Xorshift {
    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) % end
    }
}
