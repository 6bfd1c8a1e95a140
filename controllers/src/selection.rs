//! The selection of controllers by the `--controllers` flag: `*`, `name`, `-name`.

use crate::{CONTROLLERS, Row};

/// The parsed `--controllers` flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
    Default,
    On(&'static str),
    Off(&'static str),
}

impl Selection {
    /// Parses `*,-namespace-controller`: `*` selects all that are on by default, a name selects, a
    /// name after `-` deselects; the first mention counts. An empty text selects nothing.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::none());
        }
        let entries: Result<_, _> = text.split(',').map(Entry::parse).collect();
        Ok(Self { entries: entries? })
    }

    /// Selects no controller.
    pub fn none() -> Self {
        Self { entries: Vec::new() }
    }

    /// Whether the controller is selected.
    pub fn holds(&self, row: &Row) -> bool {
        let chosen = self.entries.iter().find_map(|entry| match entry {
            Entry::On(name) if *name == row.name => Some(true),
            Entry::Off(name) if *name == row.name => Some(false),
            _ => None,
        });
        chosen.unwrap_or_else(|| self.entries.contains(&Entry::Default) && row.on_by_default)
    }
}

/// Selects all controllers that are on by default.
impl Default for Selection {
    fn default() -> Self {
        Self { entries: vec![Entry::Default] }
    }
}

impl Entry {
    fn parse(text: &str) -> Result<Self, String> {
        if text == "*" {
            return Ok(Self::Default);
        }
        let (make, name): (fn(_) -> _, _) = match text.strip_prefix('-') {
            Some(name) => (Self::Off, name),
            None => (Self::On, text),
        };
        let known = |row: &&Row| row.name == name || row.aliases.contains(&name);
        let row = CONTROLLERS.iter().find(known);
        let unknown = || format!("{name:?} is not in the list of known controllers");
        row.map(|row| make(row.name)).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(text: &str) -> Vec<&'static str> {
        let selection = Selection::parse(text).expect("reads");
        CONTROLLERS.iter().filter(|row| selection.holds(row)).map(|row| row.name).collect()
    }

    #[test]
    fn stars_names_and_aliases() {
        let (namespace, roles) = ("namespace-controller", "clusterrole-aggregation-controller");
        let all: Vec<_> =
            CONTROLLERS.iter().filter(|row| row.on_by_default).map(|row| row.name).collect();
        let others: Vec<_> = all.iter().copied().filter(|name| *name != namespace).collect();
        let cases: &[(&str, &[&str])] = &[
            ("*", &all),
            ("", &[]),
            (namespace, &[namespace]),
            ("namespace", &[namespace]),
            ("*,-namespace-controller", &others),
            ("-namespace,*", &others),
            ("-namespace", &[]),
            ("namespace,-namespace", &[namespace]),
            ("clusterrole-aggregation", &[roles]),
        ];
        for (text, expected) in cases {
            assert_eq!(&chosen(text), expected, "{text}");
        }
        assert_eq!(Selection::default(), Selection::parse("*").expect("reads"));
    }

    #[test]
    fn unknown_names_are_refused() {
        for (text, name) in
            [("foo", "foo"), ("*,-foo", "foo"), ("*,", ""), ("--namespace", "-namespace")]
        {
            let expected = format!("\"{name}\" is not in the list of known controllers");
            assert_eq!(Selection::parse(text), Err(expected), "{text}");
        }
    }
}
