//! Claims: which objects hold which address, to find those that spell it differently.

use crate::page::Claim;
use std::collections::HashMap;
use std::net::IpAddr;

/// Who claims which address.
#[derive(Default)]
pub(crate) struct Claims(HashMap<IpAddr, Holders>);

/// The holders of one address. Most spellings are canonical, and of these only what a finding would say is kept.
#[derive(Default)]
struct Holders {
    /// The first two objects that spell it canonically: one of them is not the object of a finding.
    canonical: Vec<Box<str>>,
    odd: Vec<Claim>,
}

impl Claims {
    /// Adds a claim; the order in which they come does not matter.
    pub(crate) fn add(&mut self, claim: Claim) {
        let holders = self.0.entry(claim.address).or_default();
        if !claim.is_canonical() {
            return holders.odd.push(claim);
        }
        let about: Box<str> = claim.about().into();
        let known = holders.canonical.iter_mut().find(|known| is_of(known, &claim));
        match known {
            // An object may hold one address in two of its fields.
            Some(known) => *known = about.min(std::mem::take(known)),
            None => holders.canonical.push(about),
        }
        holders.canonical.sort_unstable();
        holders.canonical.truncate(2);
    }

    /// The claims in spellings that are not canonical whose address another object claims in another one, each with
    /// that claim in words.
    pub(crate) fn in_two_spellings(self) -> Vec<(Claim, String)> {
        let mut found = Vec::new();
        for Holders { canonical, mut odd } in self.0.into_values() {
            odd.sort_by_cached_key(Claim::about);
            let others: Vec<Option<String>> = odd
                .iter()
                .map(|claim| {
                    let canonical = canonical.iter().find(|about| !is_of(about, claim));
                    let differs = |other: &&Claim| {
                        other.spelling != claim.spelling && other.object != claim.object
                    };
                    let other = || odd.iter().find(differs).map(Claim::about);
                    canonical.map(ToString::to_string).or_else(other)
                })
                .collect();
            found
                .extend(odd.into_iter().zip(others).filter_map(|(odd, other)| Some((odd, other?))));
        }
        found.sort_by_cached_key(|(odd, _)| odd.about());
        found
    }
}

/// Whether a claim in words is that of the same object.
fn is_of(about: &str, claim: &Claim) -> bool {
    about.strip_prefix(&claim.object.title()).is_some_and(|rest| rest.starts_with(' '))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::ObjectId;
    use crate::owner::{Owner, OwnerKind};

    fn claim(name: &str, field: &str, spelling: &str) -> Claim {
        Claim {
            address: "10.0.0.1".parse().unwrap(),
            spelling: spelling.into(),
            object: ObjectId { kind: "Service".into(), name: name.into(), ..Default::default() },
            field: field.into(),
            pointer: String::new(),
            owner: Owner { by: OwnerKind::None, name: String::new() },
            parent: None,
        }
    }

    fn found(claims: &[Claim]) -> Vec<String> {
        let mut all = Claims::default();
        claims.iter().cloned().for_each(|claim| all.add(claim));
        all.in_two_spellings()
            .into_iter()
            .map(|(odd, other)| format!("{} - {other}", odd.about()))
            .collect()
    }

    #[test]
    fn every_odd_spelling_is_found_once_in_any_order() {
        let mut claims = vec![
            claim("a", "x", "10.0.0.01"),
            claim("b", "x", "10.0.0.1"),
            claim("c", "x", "10.0.0.1"),
            claim("c", "y", "10.0.0.001"),
        ];
        let wanted = [
            "Service a x \"10.0.0.01\" - Service b x \"10.0.0.1\"",
            "Service c y \"10.0.0.001\" - Service b x \"10.0.0.1\"",
        ];
        for _ in 0..claims.len() {
            assert_eq!(found(&claims), wanted);
            claims.rotate_left(1);
        }
        claims.reverse();
        assert_eq!(found(&claims), wanted);
    }

    #[test]
    fn one_object_and_equal_spellings_are_no_finding() {
        let of_one = [claim("a", "x", "10.0.0.01"), claim("a", "y", "10.0.0.1")];
        assert_eq!(found(&of_one), Vec::<String>::new());
        let equal = [claim("a", "x", "10.0.0.01"), claim("b", "x", "10.0.0.01")];
        assert_eq!(found(&equal), Vec::<String>::new());
        let odd = [claim("a", "x", "10.0.0.01"), claim("b", "x", "10.0.00.1")];
        assert_eq!(found(&odd).len(), 2);
    }
}
