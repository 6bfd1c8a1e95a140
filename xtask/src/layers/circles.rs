//! Circles of files in one crate: the check against those that are known, and the listing that shows where to cut.

use super::components;
use super::imports::{self, Edges};
use super::modules::Sources;
use crate::violation::{Violation, line_where};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The most files that may use each other in a circle.
const LARGEST: usize = 3;

/// The circles of a crate that are tolerated until they are cut.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Known {
    /// The files in them, by their paths below `src/`.
    known: BTreeSet<String>,
}

/// Reports every circle with a file that is not known, and every known file that stands in no circle.
pub(super) fn check(
    crate_name: &str,
    folder: &str,
    sources: &Sources,
    known: &Known,
    layers: (&str, &str),
) -> Vec<Violation> {
    let edges = imports::of(sources);
    let mut found = Vec::new();
    let mut circular = BTreeSet::new();
    for component in components::of(&edges).iter().filter(|component| component.len() > LARGEST) {
        circular.extend(component.iter().copied());
        let new: Vec<&str> =
            component.iter().copied().filter(|file| !known.known.contains(*file)).collect();
        if let Some(first) = new.first() {
            found.push(violation(folder, &edges, component, &new, first));
        }
    }
    let (file, text) = layers;
    for stale in known.known.iter().filter(|file| !circular.contains(file.as_str())) {
        let what = format!(
            "{stale} of {crate_name} stands in no circle of more than {LARGEST} files; delete it here"
        );
        found.push(Violation::new(file, line_of(text, crate_name, stale), what));
    }
    found
}

fn violation(
    folder: &str,
    edges: &Edges,
    component: &BTreeSet<&str>,
    new: &[&str],
    first: &str,
) -> Violation {
    let circle = components::shortest_circle(edges, first);
    let steps: Vec<(&str, &str)> =
        circle.iter().copied().zip(circle.iter().copied().skip(1)).collect();
    let names = |from: &str, to: &str| edges.get(&(from.to_owned(), to.to_owned()));
    let way: Vec<String> = steps
        .iter()
        .map(|(from, to)| {
            format!("{from} -> {to} ({})", names(from, to).map(joined).unwrap_or_default())
        })
        .collect();
    let line = steps.first().and_then(|(from, to)| names(from, to)?.values().copied().min());
    let what = format!(
        "{} files use each other in a circle: {}; new in it: {}; the shortest way round: {}; move what both sides \
         need into a file of its own (`cargo xtask layers --circles` lists all imports)",
        component.len(),
        component.iter().copied().collect::<Vec<_>>().join(", "),
        new.join(", "),
        way.join(", "),
    );
    Violation::new(format!("{folder}/src/{first}"), line.unwrap_or(1), what)
}

fn joined(names: &std::collections::BTreeMap<String, usize>) -> String {
    names.keys().map(String::as_str).collect::<Vec<_>>().join(", ")
}

fn line_of(text: &str, crate_name: &str, file: &str) -> usize {
    let header = line_where(text, |line| line.trim() == format!("[circles.{crate_name}]"));
    let rest: Vec<&str> = text.lines().skip(header).collect();
    let index = rest.iter().position(|line| line.contains(&format!("\"{file}\"")));
    index.map_or(header, |index| header + index + 1)
}

/// The components of a crate, the largest first, and the edges of the largest one.
pub(super) fn listing(crate_name: &str, sources: &Sources) -> String {
    let edges = imports::of(sources);
    let components = components::of(&edges);
    let mut out = String::new();
    for (index, component) in components.iter().enumerate() {
        let files: Vec<&str> = component.iter().copied().collect();
        let _ = writeln!(out, "{crate_name}: {} files: {}", files.len(), files.join(", "));
        let is_inside = |file: &str| component.contains(file);
        let inside = edges.iter().filter(|((from, to), _)| is_inside(from) && is_inside(to));
        for ((from, to), names) in inside.filter(|_| index == 0) {
            let _ = writeln!(out, "    {from} -> {to}: {}", joined(names));
        }
    }
    out
}

#[cfg(test)]
mod tests;
