//! Which controllers run: `*`, `name`, `-name`.

use crate::{CONTROLLERS, Row};

/// A choice of controllers, as the flag `--controllers` spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    words: Vec<Word>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Word {
    Default,
    On(&'static str),
    Off(&'static str),
}

impl Selection {
    /// Reads `*,-namespace-controller`: `*` are all that are on by default, a name is on, a name
    /// behind `-` is off; what is named first counts. An empty text is none at all.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::none());
        }
        let words: Result<_, _> = text.split(',').map(Word::parse).collect();
        Ok(Self { words: words? })
    }

    /// No controller at all.
    pub fn none() -> Self {
        Self { words: Vec::new() }
    }

    /// Whether the controller shall run.
    pub fn holds(&self, row: &Row) -> bool {
        let chosen = self.words.iter().find_map(|word| match word {
            Word::On(name) if *name == row.name => Some(true),
            Word::Off(name) if *name == row.name => Some(false),
            _ => None,
        });
        chosen.unwrap_or_else(|| self.words.contains(&Word::Default) && row.on_by_default)
    }
}

/// All that are on by default.
impl Default for Selection {
    fn default() -> Self {
        Self { words: vec![Word::Default] }
    }
}

impl Word {
    fn parse(word: &str) -> Result<Self, String> {
        if word == "*" {
            return Ok(Self::Default);
        }
        let (make, name): (fn(_) -> _, _) = match word.strip_prefix('-') {
            Some(name) => (Self::Off, name),
            None => (Self::On, word),
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
