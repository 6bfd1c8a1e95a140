//! A text as its differences from another one, its base: literal bytes, and places of the base to copy from.
//!
//! As in git's packs, but for texts of a few kilobytes that are read far more often than written: one pass over the text
//! finds what stands in the base, first where it would go on after a difference of equal length (a name, a uid, a time),
//! else by eight bytes anywhere. Written by hand, because the crates for it (VCDIFF, zstd with a dictionary) have headers
//! and tables that are larger than such a delta.

/// Texts that are longer are not compared: they are few, and have little in common with others.
const LONGEST: usize = 32 << 10;
/// Shorter texts are not worth the references.
const SHORTEST: usize = 128;
/// A match begins with so many equal bytes.
const BLOCK: usize = 8;
/// A match of fewer bytes is not worth its place: every piece costs a reader as much as some dozens of bytes.
const SHORTEST_COPY: usize = 24;
/// Every so many bytes of the base a block is indexed.
const STEP: usize = 4;
/// The blocks of the index, as a power of two.
const INDEX_BITS: u32 = 11;
/// After so many bytes, a text that has not much of its base in it is given up.
const TRIAL: usize = 512;

/// The differences of a text from a base; none if they would not take a quarter less than the text.
///
/// The form: the length of the text, then in turns a length with so many literal bytes, and a distance from the end of
/// the last copy with the number of bytes to copy from there.
pub(super) fn encode(base: &[u8], text: &[u8]) -> Option<Box<[u8]>> {
    let is_alike = text.len() / 2 <= base.len() && base.len() / 2 <= text.len();
    if !is_alike || !(SHORTEST..=LONGEST).contains(&text.len()) {
        return None;
    }
    let most = text.len() / 4 * 3;
    let index = Index::of(base);
    let mut out = Vec::with_capacity(text.len() / 4);
    push_number(&mut out, text.len());
    // Up to where the text is written, and up to where the base was copied.
    let (mut written, mut copied) = (0, 0);
    let mut at = 0;
    while let Some(block) = block(text, at) {
        let onward = copied + (at - written);
        let Some(found) = index.find(base, block, onward) else {
            at += 1;
            if at > TRIAL && out.len() + (at - written) > at / 4 * 3 || out.len() > most {
                return None;
            }
            continue;
        };
        let literal = text.get(written..at)?;
        let before = common_suffix(literal, base.get(..found)?);
        let (start, from) = (at - before, found - before);
        let length = common_prefix(text.get(start..)?, base.get(from..)?);
        if length < SHORTEST_COPY && start + length < text.len() {
            at += 1;
            continue;
        }
        push_number(&mut out, start - written);
        out.extend_from_slice(text.get(written..start)?);
        push_distance(&mut out, copied, from);
        push_number(&mut out, length);
        (written, copied) = (start + length, from + length);
        at = written;
    }
    push_number(&mut out, text.len() - written);
    out.extend_from_slice(text.get(written..)?);
    (out.len() <= most).then(|| out.into())
}

/// The length of the text that a delta tells.
pub(super) fn length(delta: &[u8]) -> usize {
    Delta(delta).number().unwrap_or_default()
}

/// The pieces of the text that a delta tells, in order.
pub(super) fn pieces<'t>(base: &'t [u8], delta: &'t [u8]) -> Pieces<'t> {
    let mut delta = Delta(delta);
    delta.number();
    Pieces { base, delta, copied: 0, is_copy: false }
}

/// The pieces of a text: of the delta and of the base, in turns.
#[derive(Clone, Debug)]
pub(super) struct Pieces<'t> {
    base: &'t [u8],
    delta: Delta<'t>,
    /// Up to where the base was copied.
    copied: usize,
    /// Whether the next piece is one.
    is_copy: bool,
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t [u8];

    fn next(&mut self) -> Option<&'t [u8]> {
        self.is_copy = !self.is_copy;
        if self.is_copy {
            let length = self.delta.number()?;
            return self.delta.take(length);
        }
        let from = self.delta.place(self.copied)?;
        self.copied = from + self.delta.number()?;
        self.base.get(from..self.copied)
    }
}

/// What is left of a delta.
#[derive(Clone, Debug)]
struct Delta<'t>(&'t [u8]);

impl<'t> Delta<'t> {
    fn take(&mut self, length: usize) -> Option<&'t [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    /// A number in groups of seven bits, the lowest first.
    fn number(&mut self) -> Option<usize> {
        let (mut number, mut shift) = (0, 0);
        while shift <= 28 {
            let (&byte, rest) = self.0.split_first()?;
            self.0 = rest;
            number |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
            shift += 7;
        }
        None
    }

    /// A place that is told by its distance from another one.
    fn place(&mut self, origin: usize) -> Option<usize> {
        let number = self.number()?;
        match number % 2 {
            0 => origin.checked_add(number / 2),
            _ => origin.checked_sub(number / 2),
        }
    }
}

fn push_number(out: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn push_distance(out: &mut Vec<u8>, origin: usize, place: usize) {
    match place.checked_sub(origin) {
        Some(forward) => push_number(out, forward * 2),
        None => push_number(out, (origin - place) * 2 + 1),
    }
}

/// Where blocks of the base stand, the first of each.
struct Index([u16; 1 << INDEX_BITS]);

impl Index {
    fn of(base: &[u8]) -> Self {
        let mut index = Self([0; 1 << INDEX_BITS]);
        for at in (0..base.len()).step_by(STEP) {
            let Some(block) = block(base, at) else { break };
            if let Some(slot @ 0) = index.0.get_mut(Self::slot(block)) {
                // No base is longer than twice the longest text.
                *slot = (at / STEP + 1) as u16;
            }
        }
        index
    }

    fn slot(block: u64) -> usize {
        (block.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - INDEX_BITS)) as usize
    }

    /// A place of the base with these bytes: `onward`, if they are there.
    fn find(&self, base: &[u8], wanted: u64, onward: usize) -> Option<usize> {
        if block(base, onward) == Some(wanted) {
            return Some(onward);
        }
        let known = self.0.get(Self::slot(wanted)).copied().unwrap_or_default();
        let found = usize::from(known).checked_sub(1)? * STEP;
        (block(base, found) == Some(wanted)).then_some(found)
    }
}

fn block(text: &[u8], at: usize) -> Option<u64> {
    text.get(at..)?.first_chunk::<BLOCK>().map(|bytes| u64::from_le_bytes(*bytes))
}

fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.as_chunks::<BLOCK>().0.iter().zip(other.as_chunks::<BLOCK>().0);
    let equal = blocks.take_while(|(one, other)| one == other).count() * BLOCK;
    let rest = one.iter().zip(other).skip(equal);
    equal + rest.take_while(|(one, other)| one == other).count()
}

fn common_suffix(one: &[u8], other: &[u8]) -> usize {
    let pairs = one.iter().rev().zip(other.iter().rev());
    pairs.take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests;
