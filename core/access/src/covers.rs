//! Rule coverage, for escalation checks.

use crate::Rule;
use crate::rule::{holds, url_covers};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

/// The result of a comparison: the missing rules, if any.
pub type Covered = Result<(), Vec<Rule>>;

/// Whether `owned` covers all of `requested`; the error is the missing rules, each with one verb
/// and one resource or path.
pub fn covers(owned: &[Rule], requested: &[Rule]) -> Covered {
    let pieces = requested.iter().flat_map(break_down);
    let missing: Vec<_> =
        pieces.filter(|piece| !owned.iter().any(|own| covers_piece(own, piece))).collect();
    if missing.is_empty() { Ok(()) } else { Err(missing) }
}

/// Breaks a rule down into rules with at most one verb, group, resource, name and path each.
fn break_down(rule: &Rule) -> Vec<Rule> {
    let one = |text: &String| vec![text.clone()];
    let mut pieces = Vec::new();
    for group in &rule.groups {
        for resource in &rule.resources {
            for verb in &rule.verbs {
                let piece = Rule {
                    verbs: one(verb),
                    groups: one(group),
                    resources: one(resource),
                    ..Rule::default()
                };
                if rule.names.is_empty() {
                    pieces.push(piece);
                } else {
                    let named = rule.names.iter();
                    pieces.extend(named.map(|name| Rule { names: one(name), ..piece.clone() }));
                }
            }
        }
    }
    for url in &rule.urls {
        let verbs = rule.verbs.iter();
        pieces.extend(verbs.map(|verb| Rule {
            verbs: one(verb),
            urls: one(url),
            ..Rule::default()
        }));
    }
    pieces
}

fn covers_piece(own: &Rule, piece: &Rule) -> bool {
    let all = |own: &[String], piece: &[String]| piece.iter().all(|item| holds(own, item));
    let has_name = |name: &String| own.names.contains(name);
    all(&own.verbs, &piece.verbs)
        && all(&own.groups, &piece.groups)
        && piece.resources.iter().all(|resource| covers_resource(&own.resources, resource))
        && (own.names.is_empty() || !piece.names.is_empty() && piece.names.iter().all(has_name))
        && piece.urls.iter().all(|url| own.urls.iter().any(|own| url_covers(own, url)))
}

/// `*/log` covers the subresource `log` of every resource.
fn covers_resource(own: &[String], resource: &str) -> bool {
    let subresource = resource.split_once('/').map(|(_, subresource)| subresource);
    let covered_by = |own: &String| {
        subresource.is_some_and(|subresource| own.strip_prefix("*/") == Some(subresource))
    };
    holds(own, resource) || own.iter().any(covered_by)
}

/// Merges rules that differ only by verb.
pub(crate) fn compact(pieces: Vec<Rule>) -> Vec<Rule> {
    let mut compacted: Vec<Rule> = Vec::new();
    for piece in pieces {
        let same = |rule: &&mut Rule| {
            piece.urls.is_empty()
                && (&rule.groups, &rule.resources, &rule.names, &rule.urls)
                    == (&piece.groups, &piece.resources, &piece.names, &piece.urls)
        };
        match compacted.iter_mut().find(same) {
            Some(rule) => rule.verbs.extend(piece.verbs),
            None => compacted.push(piece),
        }
    }
    compacted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Attributes, Resource, Target, User};
    use alloc::string::ToString;
    use proptest::prelude::*;

    fn some(words: &'static [&'static str], least: usize) -> impl Strategy<Value = Vec<String>> {
        let word = prop::sample::select(words).prop_map(ToString::to_string);
        prop::collection::vec(word, least..3)
    }

    fn rules() -> impl Strategy<Value = Vec<Rule>> {
        let resource = (
            some(&["get", "list", "*"], 1),
            some(&["", "apps", "*"], 1),
            some(&["pods", "pods/log", "*/log", "*"], 1),
            some(&["a", "b"], 0),
        );
        let resource = resource.prop_map(|(verbs, groups, resources, names)| Rule {
            verbs,
            groups,
            resources,
            names,
            urls: Vec::new(),
        });
        let url = (some(&["get", "*"], 1), some(&["/a", "/a/b", "/a/*", "*"], 1))
            .prop_map(|(verbs, urls)| Rule { verbs, urls, ..Rule::default() });
        prop::collection::vec(prop_oneof![3 => resource, 1 => url], 0..4)
    }

    fn attempts(user: &User) -> Vec<Attributes<'_>> {
        let mut attempts = Vec::new();
        for verb in ["get", "list", "delete"] {
            for group in ["", "apps", "batch"] {
                for (resource, subresource) in [("pods", ""), ("pods", "log"), ("jobs", "log")] {
                    for name in ["", "a", "b", "c"] {
                        let rest = Resource::default();
                        let target = Resource { group, resource, subresource, name, ..rest };
                        attempts.push(Attributes { user, verb, target: Target::Resource(target) });
                    }
                }
            }
            for path in ["/a", "/a/b", "/a/b/c", "/c"] {
                attempts.push(Attributes { user, verb, target: Target::Path(path) });
            }
        }
        attempts
    }

    proptest! {
        #[test]
        fn every_list_covers_itself(rules in rules()) {
            prop_assert_eq!(covers(&rules, &rules), Ok(()));
        }

        #[test]
        fn more_rules_cover_no_less(owned in rules(), more in rules(), wanted in rules()) {
            let all: Vec<_> = owned.iter().chain(&more).cloned().collect();
            if covers(&owned, &wanted).is_ok() {
                prop_assert_eq!(covers(&all, &wanted), Ok(()));
            }
            prop_assert_eq!(covers(&all, &owned), Ok(()));
        }

        #[test]
        fn covering_is_transitive(a in rules(), b in rules(), c in rules()) {
            if covers(&a, &b).is_ok() && covers(&b, &c).is_ok() {
                prop_assert_eq!(covers(&a, &c), Ok(()));
            }
        }

        #[test]
        fn what_is_missing_added_covers(owned in rules(), wanted in rules()) {
            if let Err(missing) = covers(&owned, &wanted) {
                let all: Vec<_> = owned.iter().chain(&missing).cloned().collect();
                prop_assert_eq!(covers(&all, &wanted), Ok(()));
                prop_assert_eq!(covers(&compact(missing.clone()), &missing), Ok(()));
            }
        }

        #[test]
        fn covered_rules_allow_nothing_more(owned in rules(), wanted in rules()) {
            prop_assume!(covers(&owned, &wanted).is_ok());
            let user = User::default();
            for attributes in attempts(&user) {
                let allowed = |rules: &[Rule]| rules.iter().any(|rule| rule.allows(&attributes));
                prop_assert!(!allowed(&wanted) || allowed(&owned), "{attributes:?}");
            }
        }
    }

    #[test]
    fn stars_are_not_covered_by_their_parts() {
        let rule = |verb: &str, resource: &str| Rule {
            verbs: vec![verb.into()],
            groups: vec!["".into()],
            resources: vec![resource.into()],
            ..Rule::default()
        };
        assert!(covers(&[rule("*", "pods")], &[rule("get", "pods")]).is_ok());
        assert!(covers(&[rule("get", "pods")], &[rule("*", "pods")]).is_err());
        assert!(covers(&[rule("get", "*/log")], &[rule("get", "pods/log")]).is_ok());
        assert!(covers(&[rule("get", "pods/log")], &[rule("get", "*/log")]).is_err());
        let missing = covers(&[], &[rule("get", "pods"), rule("list", "pods")]).unwrap_err();
        let compacted = compact(missing);
        assert_eq!(compacted.len(), 1);
        assert_eq!(compacted[0].verbs, ["get", "list"]);
    }
}
