//! `Path`: field paths of any depth, which borrow their steps from the walk and are only written where there is an error.

use alloc::string::{String, ToString};
use core::fmt;

/// A field path (`field.Path`): a step, and the path that it continues.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<'p> {
    parent: Option<&'p Self>,
    step: Step<'p>,
}

#[derive(Clone, Copy, Debug)]
enum Step<'p> {
    /// No path at all, written as Go writes it.
    Nil,
    /// Nothing yet: what follows needs no dot.
    Empty,
    /// `.name`
    Child(&'p str),
    /// `.name`, with the dot at the beginning of a path too.
    Dotted(&'p str),
    /// `[key]`
    Key(&'p str),
    /// `[0]`
    Index(usize),
}

impl<'p> Path<'p> {
    /// No path: errors at the root of an object.
    pub(crate) const NIL: Self = Self { parent: None, step: Step::Nil };
    /// The beginning of the paths in messages about values.
    pub(crate) const EMPTY: Self = Self { parent: None, step: Step::Empty };

    /// A path that begins with a name.
    pub(crate) fn root(name: &'p str) -> Self {
        Self { parent: None, step: Step::Child(name) }
    }

    pub(crate) fn child(&'p self, name: &'p str) -> Self {
        Self { parent: Some(self), step: Step::Child(name) }
    }

    pub(crate) fn dotted(&'p self, name: &'p str) -> Self {
        Self { parent: Some(self), step: Step::Dotted(name) }
    }

    pub(crate) fn key(&'p self, key: &'p str) -> Self {
        Self { parent: Some(self), step: Step::Key(key) }
    }

    pub(crate) fn index(&'p self, index: usize) -> Self {
        Self { parent: Some(self), step: Step::Index(index) }
    }

    /// Whether nothing stands before what follows.
    pub(crate) fn is_blank(&self) -> bool {
        matches!(self.step, Step::Nil | Step::Empty)
    }

    /// The path with a relative one behind it.
    pub(crate) fn join(&self, relative: &str) -> String {
        match (self.is_blank(), relative.is_empty()) {
            (_, true) => self.to_string(),
            (true, false) => relative.to_string(),
            (false, false) => alloc::format!("{self}.{relative}"),
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let before = match self.parent {
            Some(parent) if !parent.is_blank() => {
                parent.fmt(f)?;
                true
            }
            _ => false,
        };
        match self.step {
            Step::Nil => f.write_str("<nil>"),
            Step::Empty => Ok(()),
            Step::Child(name) if !before => f.write_str(name),
            Step::Child(name) | Step::Dotted(name) => write!(f, ".{name}"),
            Step::Key(key) => write!(f, "[{key}]"),
            Step::Index(index) => write!(f, "[{index}]"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_in_go() {
        let spec = Path::root("spec");
        let properties = spec.child("properties");
        let key = properties.key("a.b");
        assert_eq!(key.child("items").to_string(), "spec.properties[a.b].items");
        assert_eq!(Path::NIL.to_string(), "<nil>");
        assert_eq!(Path::NIL.child("a").index(0).to_string(), "a[0]");
        assert_eq!(Path::NIL.index(0).to_string(), "[0]");
        assert_eq!(Path::EMPTY.to_string(), "");
        assert_eq!(Path::EMPTY.dotted("a").child("b").to_string(), ".a.b");
        assert_eq!(Path::EMPTY.child("a").dotted("b").to_string(), "a.b");
        assert_eq!(Path::NIL.join("a[0].b"), "a[0].b");
        assert_eq!((Path::NIL.join(""), spec.join("x")), ("<nil>".into(), "spec.x".into()));
    }
}
