//! `Choices`: decisions drawn from an input, first from its own bytes, then from numbers that follow from them.

/// A source of decisions that never runs dry and always decides alike for the same input.
#[derive(Clone, Debug)]
pub struct Choices<'a> {
    bytes: &'a [u8],
    state: u64,
}

impl<'a> Choices<'a> {
    /// Decisions that read the input byte by byte, so that an engine can steer each of them.
    pub fn new(input: &'a [u8]) -> Self {
        Self { bytes: input, ..Self::hashed(input) }
    }

    /// Decisions that look at the input as a whole, for inputs whose bytes mean something else.
    pub fn hashed(input: &[u8]) -> Self {
        // FNV-1a; the offset basis is not zero, and the state never becomes zero.
        let state = input.iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self { bytes: &[], state: state | 1 }
    }

    /// A number below `end`, or zero if `end` is.
    pub fn below(&mut self, end: usize) -> usize {
        let drawn = match end {
            0 | 1 => return 0,
            2..=256 => u64::from(self.byte()),
            _ => u64::from(self.byte()) << 8 | u64::from(self.byte()),
        };
        usize::try_from(drawn).unwrap_or_default() % end
    }

    /// One time in `n`.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of `all`, if there is any.
    pub fn pick<'s, T>(&mut self, all: &'s [T]) -> Option<&'s T> {
        all.get(self.below(all.len()))
    }

    fn byte(&mut self) -> u8 {
        match self.bytes.split_first() {
            Some((first, rest)) => {
                self.bytes = rest;
                *first
            }
            None => {
                // xorshift64.
                self.state ^= self.state << 13;
                self.state ^= self.state >> 7;
                self.state ^= self.state << 17;
                u8::try_from(self.state >> 24 & 0xff).unwrap_or_default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Choices;

    #[test]
    fn the_same_input_decides_alike_and_never_runs_dry() {
        let drawn = |input: &[u8]| {
            let mut choices = Choices::new(input);
            (0..64).map(|_| choices.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(drawn(b"abc"), drawn(b"abc"));
        assert_ne!(drawn(b"abc"), drawn(b"abd"));
        assert!(drawn(b"").iter().any(|number| *number != 0));
    }

    #[test]
    fn numbers_stay_below_their_end() {
        let mut choices = Choices::new(b"xyz");
        for end in (0..3000).chain([usize::MAX]) {
            assert!(choices.below(end) < end.max(1));
        }
        assert_eq!(choices.pick::<u8>(&[]), None);
    }
}
