//! The query of a request: names and values, decoded.

use super::percent;

/// The parameters of a request, in their order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Params(Vec<(String, String)>);

impl Params {
    /// Reads what stands after the `?`.
    pub(crate) fn read(query: Option<&str>) -> Self {
        let pairs = query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        Self(
            pairs
                .map(|pair| {
                    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
                    (percent::decoded(name, true), percent::decoded(value, true))
                })
                .collect(),
        )
    }

    /// The first value of `name`.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// The first value of `name`, empty if there is none.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.get(name).unwrap_or_default()
    }

    /// All values of `name`.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Whether `name` says yes, as the API reads truth in a query: present and neither `0` nor `false`.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value != "0" && !value.eq_ignore_ascii_case("false"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded_and_kept_in_order() {
        let params =
            Params::read(Some("labelSelector=a%20in%20(b)&dryRun=All&dryRun=x&watch&c=1+2%zz"));
        assert_eq!(params.get("labelSelector"), Some("a in (b)"));
        assert_eq!(params.all("dryRun").collect::<Vec<_>>(), ["All", "x"]);
        assert!(params.flag("watch") && !params.flag("limit"));
        assert_eq!(params.text("c"), "1 2%zz");
        assert!(!Params::read(Some("watch=false")).flag("watch"));
    }
}
