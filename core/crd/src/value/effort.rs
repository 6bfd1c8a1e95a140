//! `Effort`: what a validation may cost in steps and in texts of errors, whatever the schema and the value are.

/// The most steps of one validation: some seconds, where ordinary objects take thousands of steps. Tests have less
/// patience.
const MAX_STEPS: u64 = if cfg!(test) { 1 << 22 } else { 1 << 28 };

/// The most bytes of the texts of errors, which a schema may make as long as itself and a value as many as itself.
const MAX_TEXTS: usize = 8 << 20;

/// The steps that one value takes, with one schema.
pub(super) const VALUE: u64 = 16;

/// What is left for a validation.
#[derive(Debug)]
pub(super) struct Effort {
    steps: u64,
    texts: usize,
    is_exhausted: bool,
}

impl Default for Effort {
    fn default() -> Self {
        Self { steps: MAX_STEPS, texts: MAX_TEXTS, is_exhausted: false }
    }
}

impl Effort {
    /// Takes steps; fails if there are not as many left, and from then on.
    pub(super) fn spend(&mut self, steps: u64) -> bool {
        match self.steps.checked_sub(steps).filter(|_| !self.is_exhausted) {
            Some(left) => self.steps = left,
            None => self.is_exhausted = true,
        }
        !self.is_exhausted
    }

    /// Whether more steps were needed than there were.
    pub(super) fn is_exhausted(&self) -> bool {
        self.is_exhausted
    }

    /// The bytes that are left for texts.
    pub(super) fn room(&self) -> usize {
        self.texts
    }

    /// Gives back what texts took that are dropped.
    pub(super) fn set_room(&mut self, room: usize) {
        self.texts = room;
    }

    /// Takes room for a text, if there is as much.
    pub(super) fn take_room(&mut self, size: usize) -> bool {
        let left = self.texts.checked_sub(size);
        self.texts = left.unwrap_or(self.texts);
        left.is_some()
    }

    /// The steps that were taken.
    #[cfg(test)]
    pub(super) fn spent(&self) -> u64 {
        MAX_STEPS - self.steps
    }
}

/// The steps of a search: for each byte of the text at worst every state of the pattern is looked at.
pub(super) fn search_work(pattern_memory: usize, text: usize) -> u64 {
    let weight = 1 + u64::try_from(pattern_memory).unwrap_or(u64::MAX) / 4096;
    u64::try_from(text).unwrap_or(u64::MAX).saturating_mul(weight).saturating_mul(4)
}
