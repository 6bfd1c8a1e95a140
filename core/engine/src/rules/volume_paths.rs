//! Files of one volume that stand in one another's way: one overwrites the other, or one is a directory of the other.

use super::pod_notes::tell;
use crate::Verdict;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Bound;
use ratchet_net::Quoted;
use ratchet_object::At;

/// Volumes made of files: the field, what it is called, and the name of what they come from.
const FILES: [(&str, &str, Option<&str>); 3] = [
    ("configMap", "ConfigMap", Some("name")),
    ("secret", "Secret", Some("secretName")),
    ("downwardAPI", "DownwardAPI", None),
];

/// What can be a source of a projected volume. The others are behind feature gates that are off, and the API takes them
/// out before it looks.
const SOURCES: [&str; 4] = ["configMap", "downwardAPI", "secret", "serviceAccountToken"];

/// A file, and where it comes from.
struct File<'a> {
    path: &'a str,
    source: String,
    at: At<'a>,
}

impl<'a> File<'a> {
    fn new(at: At<'a>, source: impl Into<String>) -> Self {
        Self { path: at.text_or_empty().trim_end_matches('/'), source: source.into(), at }
    }

    fn shown(&self) -> String {
        match self.source.as_str() {
            "" => Quoted(self.path).to_string(),
            source => format!("{} ({source})", Quoted(self.path)),
        }
    }
}

/// The files of one volume, found by their paths: comparing each with each would cost too much where there are many.
#[derive(Default)]
struct Files<'a> {
    all: Vec<File<'a>>,
    by_path: BTreeMap<&'a str, Vec<usize>>,
}

impl<'a> Files<'a> {
    /// Adds a file, and tells of those before it that are the same, a directory of it, or below it.
    fn add(&mut self, volume: &str, described: &str, file: File<'a>, verdict: &mut Verdict) {
        // Each pair is told, so that a few thousand files are millions of words; enough is enough.
        if file.path.is_empty() || verdict.unlisted > 0 {
            return;
        }
        for other in self.in_the_way_of(file.path) {
            let Some(other) = self.all.get(other) else { continue };
            let (volume, file_shown, other) = (Quoted(volume), file.shown(), other.shown());
            let text = format!(
                "volume {volume} ({described}): overlapping paths: {file_shown} with {other}"
            );
            tell(verdict, &file.at, text);
        }
        self.by_path.entry(file.path).or_default().push(self.all.len());
        self.all.push(file);
    }

    /// The files that overlap with a path, in their order.
    fn in_the_way_of(&self, path: &'a str) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        let below = format!("{path}/");
        let from = (Bound::Included(&*below), Bound::Unbounded);
        let after = self.by_path.range::<str, _>(from);
        for (_, files) in after.take_while(|(other, _)| other.starts_with(&*below)) {
            found.extend(files);
        }
        let is_above = |other: &str| {
            path.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        if path.bytes().filter(|byte| *byte == b'/').count() < self.by_path.len() {
            let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
            for directory in ends.filter_map(|end| path.get(..end)) {
                found.extend(self.by_path.get(directory).into_iter().flatten());
            }
        } else {
            let above = self.by_path.iter().filter(|(other, _)| is_above(other));
            found.extend(above.flat_map(|(_, files)| files));
        }
        found.sort_unstable();
        found
    }
}

/// Tells of every two files that overlap, volume by volume.
pub(crate) fn warn(volumes: &At<'_>, verdict: &mut Verdict) {
    for volume in volumes.items() {
        let name = volume.field("name").text_or_empty();
        for (field, word, from) in FILES {
            let source = volume.field(field);
            let described = match from {
                Some(from) => format!("{word} {}", Quoted(source.field(from).text_or_empty())),
                None => word.to_string(),
            };
            let mut files = Files::default();
            for file in items(&source, "") {
                files.add(name, &described, file, verdict);
            }
        }
        let mut files = Files::default();
        for source in volume.field("projected").field("sources").items() {
            if !SOURCES.iter().any(|name| source.field(name).is_set()) {
                let text = format!("volume {} (Projected) has no sources provided", Quoted(name));
                tell(verdict, &source, text);
            }
            for file in projected_files(&source) {
                files.add(name, "Projected", file, verdict);
            }
        }
    }
}

/// The files of one source of a projected volume. Of a source that is several things at once, the API reads one.
fn projected_files<'a>(source: &At<'a>) -> Vec<File<'a>> {
    for (field, word, from) in FILES {
        let at = source.field(field);
        if at.field("items").is_set() {
            let described = match from {
                Some(_) => format!("{word} {}", Quoted(at.field("name").text_or_empty())),
                None => word.to_string(),
            };
            return items(&at, &described).collect();
        }
    }
    let token = source.field("serviceAccountToken");
    let file = token.is_set().then(|| File::new(token.field("path"), "ServiceAccountToken"));
    file.into_iter().collect()
}

fn items<'a>(source: &At<'a>, described: &str) -> impl Iterator<Item = File<'a>> {
    let described: String = described.into();
    source.field("items").items().map(move |item| File::new(item.field("path"), described.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the API compares: each with each.
    fn overlap(one: &str, other: &str) -> bool {
        let (one, other) = (format!("{one}/"), format!("{other}/"));
        one.starts_with(&other) || other.starts_with(&one)
    }

    #[test]
    fn files_are_found_as_if_each_were_compared_with_each() {
        let paths = ["a", "a/b", "ab", "a/b/c", "b", "a-b", "a/b", "a.b/c", "b/c/d/e/f/g/h", "b/c"];
        let mut files = Files::default();
        for (index, path) in paths.iter().enumerate() {
            let wanted: Vec<usize> =
                (0..index).filter(|other| overlap(path, paths[*other])).collect();
            assert_eq!(files.in_the_way_of(path), wanted, "{path}");
            files.by_path.entry(path).or_default().push(index);
        }
    }
}
