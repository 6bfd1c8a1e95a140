//! The selection of controllers by the `--controllers` flag: `*`, `name`, `-name`.

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
    /// Parses the flag; `canonical_name` knows the names and aliases of controllers.
    pub(crate) fn parse_names(
        text: &str,
        canonical_name: fn(&str) -> Option<&'static str>,
    ) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Self::none());
        }
        let entries: Result<_, _> =
            text.split(',').map(|entry| Entry::parse(entry, canonical_name)).collect();
        Ok(Self { entries: entries? })
    }

    /// Selects no controller.
    pub fn none() -> Self {
        Self { entries: Vec::new() }
    }

    /// Whether the controller of this name is selected.
    pub(crate) fn enables(&self, name: &str, on_by_default: bool) -> bool {
        let chosen = self.entries.iter().find_map(|entry| match entry {
            Entry::On(on) if *on == name => Some(true),
            Entry::Off(off) if *off == name => Some(false),
            _ => None,
        });
        chosen.unwrap_or_else(|| self.entries.contains(&Entry::Default) && on_by_default)
    }
}

/// Selects all controllers that are on by default.
impl Default for Selection {
    fn default() -> Self {
        Self { entries: vec![Entry::Default] }
    }
}

impl Entry {
    fn parse(text: &str, canonical_name: fn(&str) -> Option<&'static str>) -> Result<Self, String> {
        if text == "*" {
            return Ok(Self::Default);
        }
        let (make, name): (fn(_) -> _, _) = match text.strip_prefix('-') {
            Some(name) => (Self::Off, name),
            None => (Self::On, text),
        };
        let unknown = || format!("{name:?} is not in the list of known controllers");
        canonical_name(name).map(make).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CONTROLLERS;

    fn chosen(text: &str) -> Vec<&'static str> {
        let selection = Selection::parse(text).expect("reads");
        CONTROLLERS.iter().filter(|row| row.is_enabled(&selection)).map(|row| row.name).collect()
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
