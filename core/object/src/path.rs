//! Field paths, built step by step and never by formatting.

use alloc::string::String;
use alloc::vec::Vec;
use core::{fmt, iter};

/// The most steps that a path holds: the deepest field that a rule names has thirteen.
const MAX_STEPS: usize = 14;

/// One step down from a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step<'a> {
    /// A named field: `.spec`.
    Field(&'a str),
    /// An item of a list: `[0]`.
    Index(usize),
    /// An entry of a map with free keys: `[app.kubernetes.io/name]`.
    Key(&'a str),
}

/// The most items of lists in a path: the deepest field that a rule names has four.
const MAX_INDEXES: usize = 5;

/// A field path such as `spec.externalIPs[0]`. Copying it costs no allocation, and every step of a rule copies one: it is
/// packed, with the numbers of items apart from names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Path<'a> {
    /// The name of each step; empty for an item.
    names: [&'a str; MAX_STEPS],
    /// The numbers of the items, in their order.
    indexes: [u32; MAX_INDEXES],
    /// A bit for each step that is an item.
    items: u16,
    /// A bit for each step that is a free key.
    keys: u16,
    len: u8,
    /// Whether a step did not fit.
    is_closed: bool,
}

impl<'a> Path<'a> {
    /// The path of the field `name` below this one.
    #[must_use]
    pub fn field(mut self, name: &'a str) -> Self {
        self.push(name);
        self
    }

    /// The path of the `index`th item below this one.
    #[must_use]
    pub fn index(mut self, index: usize) -> Self {
        let (at, is_full) = (self.items.count_ones() as usize, self.is_full());
        let free = self.indexes.get_mut(at).filter(|_| !is_full);
        match free.zip(u32::try_from(index).ok()) {
            Some((free, index)) => *free = index,
            None => self.is_closed = true,
        }
        if let Some(bit) = self.push("") {
            self.items |= bit;
        }
        self
    }

    /// The path of the entry `key` below this one.
    #[must_use]
    pub fn key(mut self, key: &'a str) -> Self {
        if let Some(bit) = self.push(key) {
            self.keys |= bit;
        }
        self
    }

    /// Adds a step and returns its bit. A full path stays as it is: no rule looks that deep.
    pub(crate) fn push(&mut self, name: &'a str) -> Option<u16> {
        let free = self.names.get_mut(usize::from(self.len)).filter(|_| !self.is_closed);
        let Some(free) = free else {
            self.is_closed = true;
            return None;
        };
        *free = name;
        self.len += 1;
        Some(1 << (self.len - 1))
    }

    /// Whether no further step fits, so that this path may stand for any value below it.
    pub(crate) fn is_full(&self) -> bool {
        self.is_closed || usize::from(self.len) == MAX_STEPS
    }

    /// The steps from the root.
    pub fn steps(&self) -> impl Iterator<Item = Step<'a>> + use<'a> {
        let Self { names, indexes, items, keys, len, .. } = *self;
        let mut indexes = indexes.into_iter();
        names.into_iter().take(usize::from(len)).enumerate().map(move |(at, name)| {
            if items >> at & 1 == 1 {
                Step::Index(indexes.next().unwrap_or_default() as usize)
            } else if keys >> at & 1 == 1 {
                Step::Key(name)
            } else {
                Step::Field(name)
            }
        })
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_steps(self.steps(), f)
    }
}

/// Steps from the root, displayed as Kubernetes formats a field path.
pub(crate) struct Steps<'s, 'a>(pub(crate) &'s [Step<'a>]);

impl fmt::Display for Steps<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_steps(self.0.iter().copied(), f)
    }
}

/// A step below others, as a decoder goes down: it costs nothing until it is displayed.
#[derive(Clone, Copy)]
pub(crate) struct Trail<'p> {
    pub(crate) parent: Option<&'p Self>,
    pub(crate) step: Step<'p>,
}

impl fmt::Display for Trail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut steps: Vec<_> =
            iter::successors(Some(self), |trail| trail.parent).map(|trail| trail.step).collect();
        steps.reverse();
        write_steps(steps.into_iter(), f)
    }
}

fn write_steps<'a>(
    steps: impl Iterator<Item = Step<'a>>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    for (depth, step) in steps.enumerate() {
        match step {
            Step::Field(name) if depth == 0 => f.write_str(name)?,
            Step::Field(name) => write!(f, ".{name}")?,
            Step::Index(index) => write!(f, "[{index}]")?,
            Step::Key(key) => write!(f, "[{key}]")?,
        }
    }
    Ok(())
}

/// Truncates a path for display: a key may have a hundred thousand letters.
pub(crate) fn readable(mut path: String) -> String {
    const MAX_LEN: usize = 1000;
    if path.len() > MAX_LEN {
        let end = (0..=MAX_LEN).rev().find(|&at| path.is_char_boundary(at)).unwrap_or(0);
        path.truncate(end);
        path.push('…');
        path.shrink_to_fit();
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn a_path_reads_as_kubernetes_writes_it() {
        let path = Path::default().field("spec").field("subsets").index(2).field("ip");
        assert_eq!(path.to_string(), "spec.subsets[2].ip");
        let key = Path::default().field("metadata").field("annotations").key("a.b/c");
        assert_eq!(key.to_string(), "metadata.annotations[a.b/c]");
    }

    #[test]
    fn a_path_deeper_than_any_rule_stops_growing() {
        let deep = (0..40).fold(Path::default(), |path, _| path.field("a"));
        assert!(deep.is_full() && deep.steps().count() == MAX_STEPS);
        let lists = (0..40).fold(Path::default(), Path::index);
        assert!(lists.is_full() && lists.steps().count() == MAX_INDEXES);
        assert_eq!(lists.field("a").key("b").to_string(), "[0][1][2][3][4]");
        let mixed = (0..40).fold(Path::default(), |path, index| path.field("a").index(index));
        assert_eq!(mixed.to_string(), "a[0].a[1].a[2].a[3].a[4].a");
    }
}
