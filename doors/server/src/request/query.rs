//! `Params`: the decoded query parameters of a request.

use super::percent;
use ratchet_object::selector::{FieldSelector, LabelSelector};

/// Query parameters in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Params(Vec<(String, String)>);

impl Params {
    /// Parses a query string. As in the reference, a pair with a semicolon or an invalid escape is dropped: two
    /// programs could split it differently.
    pub(crate) fn parse(query: Option<&str>) -> Self {
        let pairs = query.unwrap_or_default().split('&');
        let pairs = pairs.filter(|pair| !pair.is_empty() && !pair.contains(';'));
        Self(
            pairs
                .filter_map(|pair| {
                    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                    Some((percent::query(name)?, percent::query(value)?))
                })
                .collect(),
        )
    }

    /// Parameters that come from elsewhere.
    pub(crate) fn from_pairs(pairs: Vec<(String, String)>) -> Self {
        Self(pairs)
    }

    /// The first value of `name`.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The first value of `name`; empty if there is none.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }

    /// All values of `name`.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Parses a boolean parameter: present and neither `0` nor `false`.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value != "0" && !value.eq_ignore_ascii_case("false"))
    }

    /// The single name that the field selector of a list or watch selects, if the options are valid.
    pub(crate) fn selected_name(&self) -> Option<String> {
        // Parsed exactly like the list does: a value may contain an escaped comma and something like another term.
        let selector = FieldSelector::parse(self.text("fieldSelector")).ok()?;
        let name = selector.exact("metadata.name")?;
        LabelSelector::parse(self.text("labelSelector")).ok()?;
        for number in ["limit", "timeoutSeconds"] {
            self.get(number).map_or(Ok(0), str::parse::<i64>).ok()?;
        }
        let is_name = !name.is_empty() && !matches!(name, "." | "..") && !name.contains(['/', '%']);
        is_name.then(|| name.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded_and_kept_in_order() {
        let params =
            Params::parse(Some("labelSelector=a%20in%20(b)&dryRun=All&dryRun=x&&watch&c=1+2"));
        assert_eq!(params.get("labelSelector"), Some("a in (b)"));
        assert_eq!(params.all("dryRun").collect::<Vec<_>>(), ["All", "x"]);
        assert!(params.flag("watch") && !params.flag("limit"));
        assert_eq!(params.text("c"), "1 2");
        assert!(!Params::parse(Some("watch=false")).flag("watch"));
    }

    #[test]
    fn a_pair_that_two_would_read_differently_is_none() {
        let params = Params::parse(Some("watch=true;x=1&a=%zz&b%=1&c=%3B&d=1;&e=5"));
        for name in ["watch", "x", "a", "b%", "b", "d"] {
            assert_eq!(params.get(name), None, "{name}");
        }
        assert_eq!((params.get("c"), params.get("e")), (Some(";"), Some("5")));
    }

    #[test]
    fn a_list_of_one_name_names_it() {
        for (query, name) in [
            ("fieldSelector=metadata.name=x", Some("x")),
            ("fieldSelector=metadata.name%3D%3Dx,metadata.namespace=a", Some("x")),
            ("fieldSelector=metadata.name!=x", None),
            ("fieldSelector=metadata.namespace!=a%5C,metadata.name=x", None),
            ("fieldSelector=metadata.name=a/b", None),
            ("fieldSelector=metadata.name=..", None),
            ("fieldSelector=metadata.name=x&limit=all", None),
            ("fieldSelector=metadata.name=x&timeoutSeconds=", None),
            ("fieldSelector=metadata.name=x&labelSelector=a=(", None),
            ("fieldSelector=metadata.name=x&limit=5&labelSelector=a", Some("x")),
            ("fieldSelector=metadata.name=x;", None),
        ] {
            assert_eq!(Params::parse(Some(query)).selected_name().as_deref(), name, "{query}");
        }
    }
}
