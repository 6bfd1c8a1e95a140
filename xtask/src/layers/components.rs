//! Circles in a graph of files: strongly connected components, and the shortest way round.

use super::imports::{Edges, files};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The components of more than one file, the largest first.
pub(super) fn of(edges: &Edges) -> Vec<BTreeSet<&str>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        files(edges).into_iter().map(|file| (file, reached_from(edges, file))).collect();
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for (file, others) in &reached {
        let returns = |other: &&&str| reached.get(**other).is_some_and(|back| back.contains(file));
        let component: BTreeSet<&str> = others.iter().filter(returns).copied().collect();
        if component.len() > 1 && seen.insert(component.clone()) {
            found.push(component);
        }
    }
    found.sort_by_key(|component| std::cmp::Reverse(component.len()));
    found
}

fn targets<'e>(edges: &'e Edges, file: &str) -> impl Iterator<Item = &'e str> {
    edges.keys().filter(move |(from, _)| from == file).map(|(_, to)| to.as_str())
}

fn reached_from<'e>(edges: &'e Edges, file: &str) -> BTreeSet<&'e str> {
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = targets(edges, file).collect();
    while let Some(next) = open.pop() {
        if reached.insert(next) {
            open.extend(targets(edges, next));
        }
    }
    reached
}

/// The shortest way from a file back to itself, with the file at both ends; empty if there is none.
pub(super) fn shortest_circle<'e>(edges: &'e Edges, file: &'e str) -> Vec<&'e str> {
    let mut ways = VecDeque::from([vec![file]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for next in way.last().into_iter().flat_map(|last| targets(edges, last)) {
            let longer = || way.iter().copied().chain([next]).collect();
            if next == file {
                return longer();
            }
            if seen.insert(next) {
                ways.push_back(longer());
            }
        }
    }
    Vec::new()
}
