//! Field paths, built step by step and never by formatting.

use alloc::string::String;
use core::fmt;

/// The most steps that a path holds: the deepest field that a rule names has thirteen.
const MAX_STEPS: usize = 14;

/// One step down from a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Step<'a> {
    /// Padding at the unused end of a path.
    #[default]
    End,
    /// A named field: `.spec`.
    Field(&'a str),
    /// An item of a list: `[0]`.
    Index(usize),
    /// An entry of a map with free keys: `[app.kubernetes.io/name]`.
    Key(&'a str),
}

/// A field path such as `spec.externalIPs[0]`. Copying it costs no allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Path<'a> {
    steps: [Step<'a>; MAX_STEPS],
    len: u8,
}

impl<'a> Path<'a> {
    /// The path of the field `name` below this one.
    #[must_use]
    pub fn field(self, name: &'a str) -> Self {
        self.step(Step::Field(name))
    }

    /// The path of the `index`th item below this one.
    #[must_use]
    pub fn index(self, index: usize) -> Self {
        self.step(Step::Index(index))
    }

    /// The path of the entry `key` below this one.
    #[must_use]
    pub fn key(self, key: &'a str) -> Self {
        self.step(Step::Key(key))
    }

    /// The path one `step` further down. A full path stays as it is: no rule looks that deep.
    #[must_use]
    pub fn step(mut self, step: Step<'a>) -> Self {
        if let Some(free) = self.steps.get_mut(usize::from(self.len)) {
            *free = step;
            self.len += 1;
        }
        self
    }

    /// Whether no further step fits, so that this path may stand for any value below it.
    pub(crate) fn is_full(&self) -> bool {
        usize::from(self.len) == MAX_STEPS
    }

    /// The steps from the root.
    pub fn steps(&self) -> &[Step<'a>] {
        self.steps.get(..usize::from(self.len)).unwrap_or(&[])
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Steps(self.steps()).fmt(f)
    }
}

/// Steps from the root, displayed as Kubernetes formats a field path.
pub(crate) struct Steps<'s, 'a>(pub(crate) &'s [Step<'a>]);

impl fmt::Display for Steps<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (depth, step) in self.0.iter().enumerate() {
            match step {
                Step::End => {}
                Step::Field(name) if depth == 0 => f.write_str(name)?,
                Step::Field(name) => write!(f, ".{name}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) => write!(f, "[{key}]")?,
            }
        }
        Ok(())
    }
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
        let deep = (0..40).fold(Path::default(), Path::index);
        assert_eq!(deep.steps().len(), MAX_STEPS);
    }
}
