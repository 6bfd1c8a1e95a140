//! Steps of a field path, and the texts in which paths are written.

use std::fmt;

/// A step of a field path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step<'t> {
    /// A member by its name.
    Name(&'t str),
    /// A member whose name is computed.
    Any,
    /// An item of a list.
    Item,
}

/// A path that source code names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldPath<'t> {
    pub(super) steps: Vec<Step<'t>>,
    pub(super) line: usize,
    /// Whether it is a text such as `spec.ports[*].port`, where lists need no brackets and a key may stand in them.
    pub(super) is_text: bool,
    /// The kind that is named right before it.
    pub(super) kind: Option<&'t str>,
}

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.steps.iter().enumerate() {
            let dot = if index == 0 { "" } else { "." };
            match step {
                Step::Name(name) => write!(f, "{dot}{name}")?,
                Step::Any => write!(f, "{dot}*")?,
                Step::Item => f.write_str("[]")?,
            }
        }
        Ok(())
    }
}

/// The fields with which the paths of whole objects begin.
const ROOTS: &[&str] = &["metadata", "spec", "status"];

/// Whether a path that begins so is one of a whole object, wherever it stands.
pub(super) fn is_root(name: &str) -> bool {
    ROOTS.contains(&name)
}

/// The steps of a text such as `spec.ports[*].port` or `metadata.annotations[key]`; none if it is no such path.
pub(super) fn steps_of(text: &str) -> Option<Vec<Step<'_>>> {
    let (mut steps, mut rest) = (Vec::new(), text);
    loop {
        let length = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (name, mut left) = rest.split_at(length);
        if name.is_empty() {
            return None;
        }
        steps.push(Step::Name(name));
        while let Some(inside) = left.strip_prefix('[') {
            let (key, after) = inside.split_once(']')?;
            steps.push(if matches!(key, "" | "*") { Step::Item } else { Step::Any });
            left = after;
        }
        if left.is_empty() {
            let is_path =
                steps.len() > 1 && matches!(steps.first(), Some(Step::Name(name)) if is_root(name));
            return is_path.then_some(steps);
        }
        rest = left.strip_prefix('.')?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_a_path_if_it_begins_at_an_object() {
        let name = Step::Name;
        assert_eq!(
            steps_of("spec.ports[*].port"),
            Some(vec![name("spec"), name("ports"), Step::Item, name("port")])
        );
        let keyed = Some(vec![name("metadata"), name("labels"), Step::Any]);
        assert_eq!(steps_of("metadata.labels[a.b/c]"), keyed);
        for text in [
            "spec",
            "spec.",
            "spec.a b",
            "ports.port",
            "spec: x",
            "spec.a[",
            "",
            "status.x, status.y",
        ] {
            assert_eq!(steps_of(text), None, "{text}");
        }
    }

    #[test]
    fn a_path_is_displayed_with_dots_and_brackets() {
        let steps = vec![Step::Name("a"), Step::Item, Step::Name("b"), Step::Any];
        let path = FieldPath { steps, line: 1, is_text: false, kind: None };
        assert_eq!(path.to_string(), "a[].b.*");
    }
}
