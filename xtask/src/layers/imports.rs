//! Edges between the files of a crate: which file uses which names that another one defines.

use super::modules::{self, Module, Sources};
use std::collections::{BTreeMap, BTreeSet};

/// The edges of a crate: from a file to a file, the names that the first one uses, each with the line where it does so
/// first.
pub(super) type Edges = BTreeMap<(String, String), BTreeMap<String, usize>>;

/// The roots of crates below `src/`; the modules of each form a tree of their own.
const ROOTS: &[&str] = &["lib.rs", "main.rs"];

/// The most re-exports that are followed from a name to its definition.
const MAX_REEXPORTS: usize = 10;

/// What a path leads to.
enum Found {
    Module(usize),
    /// A name in a module, which defines it as far as this reader sees.
    Item(usize),
}

/// The edges between the files of a crate.
///
/// A re-export is followed to the file that defines the name. Neither `mod child;` nor a mere re-export is an edge: a
/// parent that only hands its children's names on depends on nothing in them.
pub(super) fn of(sources: &Sources) -> Edges {
    let mut edges = Edges::new();
    for root in ROOTS.iter().filter(|root| sources.contains_key(**root)) {
        let modules = modules::of(sources, root);
        for (index, module) in modules.iter().enumerate() {
            let mut add = |found: &Found, name: &str, line: usize| {
                let (Found::Module(target) | Found::Item(target)) = *found;
                if let Some(target) =
                    modules.get(target).filter(|target| target.file != module.file)
                {
                    let names =
                        edges.entry((module.file.clone(), target.file.clone())).or_default();
                    names.entry(name.to_owned()).or_insert(line);
                }
            };
            for import in &module.imports {
                let is_used = match &import.alias {
                    Some(alias) => !import.is_public || module.words.contains(alias),
                    None => !import.is_public,
                };
                let found = resolve(&modules, index, &import.path.segments, 0).filter(|found| {
                    // The paths that begin with a module's name say what of it is used.
                    is_used && (import.alias.is_none() || matches!(found, Found::Item(_)))
                });
                if let (Some(found), Some(name)) = (found, import.path.segments.last()) {
                    add(&found, name, import.path.line);
                }
            }
            for path in &module.paths {
                if let Some(found) = resolve(&modules, index, &path.segments, 0) {
                    let name = item_name(&modules, index, &path.segments);
                    add(&found, name, path.line);
                }
            }
        }
    }
    edges
}

/// The segment of a path that names the item: the first one that is no module.
fn item_name<'p>(modules: &[Module], from: usize, segments: &'p [String]) -> &'p str {
    let is_item = |length: &usize| {
        let path = segments.get(..*length).unwrap_or_default();
        matches!(resolve(modules, from, path, 0), Some(Found::Item(_)))
    };
    let length = (1..=segments.len()).find(is_item).unwrap_or(segments.len());
    segments.get(length - 1).map_or("", String::as_str)
}

/// What a path in a module leads to; none if that is no part of the crate.
fn resolve(modules: &[Module], from: usize, segments: &[String], followed: usize) -> Option<Found> {
    let (first, mut rest) = segments.split_first()?;
    let mut at = from;
    match first.as_str() {
        "crate" => at = 0,
        "self" => {}
        "super" => {
            at = modules.get(at)?.parent?;
            while let Some((_, left)) = rest.split_first().filter(|(next, _)| *next == "super") {
                at = modules.get(at)?.parent?;
                rest = left;
            }
        }
        name => {
            let module = modules.get(at)?;
            let is_imported =
                |name| module.imports.iter().any(|import| import.alias.as_deref() == Some(name));
            if !module.children.contains_key(name) && !is_imported(name) {
                return None;
            }
            rest = segments;
        }
    }
    while let Some((name, left)) = rest.split_first() {
        let module = modules.get(at)?;
        if let Some(child) = module.children.get(name) {
            (at, rest) = (*child, left);
            continue;
        }
        if module.items.contains(name) {
            return Some(Found::Item(at));
        }
        if followed == MAX_REEXPORTS {
            return None;
        }
        if let Some(import) =
            module.imports.iter().find(|import| import.alias.as_ref() == Some(name))
        {
            match resolve(modules, at, &import.path.segments, followed + 1)? {
                Found::Module(target) => (at, rest) = (target, left),
                item @ Found::Item(_) => return Some(item),
            }
            continue;
        }
        return Some(Found::Item(from_globs(modules, at, name, followed).unwrap_or(at)));
    }
    Some(Found::Module(at))
}

/// The module from which `use other::*` brings a name.
fn from_globs(modules: &[Module], at: usize, name: &str, followed: usize) -> Option<usize> {
    let globs = modules.get(at)?.imports.iter().filter(|import| import.alias.is_none());
    let mut sources = globs.filter_map(|import| {
        match resolve(modules, at, &import.path.segments, followed + 1)? {
            Found::Module(source) if source != at => Some(source),
            _ => None,
        }
    });
    sources.find(|source| modules.get(*source).is_some_and(|module| module.items.contains(name)))
}

/// The files of a crate's edges.
pub(super) fn files(edges: &Edges) -> BTreeSet<&str> {
    edges.keys().flat_map(|(from, to)| [from.as_str(), to.as_str()]).collect()
}
