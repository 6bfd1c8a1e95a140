//! The name of a place in an object, built step by step and never by formatting.

use core::fmt;

/// How many steps a path can hold: the deepest place that a rule names has thirteen.
const DEEPEST: usize = 14;

/// One step down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Step<'a> {
    /// Nowhere: pads the unused end of a path.
    #[default]
    End,
    /// A named field: `.spec`.
    Field(&'a str),
    /// An item of a list: `[0]`.
    Index(usize),
    /// An entry of a map with free keys: `[app.kubernetes.io/name]`.
    Key(&'a str),
}

/// `spec.externalIPs[0]`: a place in an object. Copying it costs no allocation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Path<'a> {
    steps: [Step<'a>; DEEPEST],
    len: u8,
}

impl<'a> Path<'a> {
    /// The field `name` below this place.
    #[must_use]
    pub fn field(self, name: &'a str) -> Self {
        self.step(Step::Field(name))
    }

    /// The `index`th item below this place.
    #[must_use]
    pub fn index(self, index: usize) -> Self {
        self.step(Step::Index(index))
    }

    /// The entry `key` below this place.
    #[must_use]
    pub fn key(self, key: &'a str) -> Self {
        self.step(Step::Key(key))
    }

    /// The place `step` below this one. Deeper than any rule looks, the path stays where it is.
    #[must_use]
    pub fn step(mut self, step: Step<'a>) -> Self {
        if let Some(free) = self.steps.get_mut(usize::from(self.len)) {
            *free = step;
            self.len += 1;
        }
        self
    }

    /// Whether no step more fits: what is called deeper may be any place below.
    pub(crate) fn is_full(&self) -> bool {
        usize::from(self.len) == DEEPEST
    }

    /// The steps from the root to here.
    pub fn steps(&self) -> &[Step<'a>] {
        self.steps.get(..usize::from(self.len)).unwrap_or(&[])
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Steps(self.steps()).fmt(f)
    }
}

/// Steps from the root, written as Kubernetes writes a path.
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
        assert_eq!(deep.steps().len(), DEEPEST);
    }
}
