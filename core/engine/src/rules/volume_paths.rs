//! Warnings about overlapping file paths in a volume: one file overwrites another, or is a directory of another.

use super::ineffective_setting::warn_text;
use crate::Verdict;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::Bound;
use ratchet_net::Quoted;
use ratchet_object::At;

/// Volumes made of files: the field, its name in messages, and the field that names the source object.
const FILES: [(&str, &str, Option<&str>); 3] = [
    ("configMap", "ConfigMap", Some("name")),
    ("secret", "Secret", Some("secretName")),
    ("downwardAPI", "DownwardAPI", None),
];

/// Sources of a projected volume. The others are behind feature gates that are off, and the API drops them before it
/// checks.
const SOURCES: [&str; 4] = ["configMap", "downwardAPI", "secret", "serviceAccountToken"];

/// A file path, and its source.
struct File<'a> {
    path: &'a str,
    source: String,
    at: At<'a>,
}

impl<'a> File<'a> {
    fn new(at: At<'a>, source: impl Into<String>) -> Self {
        Self { path: at.text_or_empty().trim_end_matches('/'), source: source.into(), at }
    }

    fn display(&self) -> String {
        match self.source.as_str() {
            "" => Quoted(self.path).to_string(),
            source => format!("{} ({source})", Quoted(self.path)),
        }
    }
}

/// The files of one volume, indexed by path: comparing all pairs costs too much where there are many.
#[derive(Default)]
struct Files<'a> {
    all: Vec<File<'a>>,
    by_path: BTreeMap<&'a str, Vec<usize>>,
}

impl<'a> Files<'a> {
    /// Adds a file, and warns about earlier ones that are the same, a directory of it, or below it.
    fn add(&mut self, volume: &str, description: &str, file: File<'a>, verdict: &mut Verdict) {
        // Each pair is a warning, so that a few thousand files give millions; stop once the verdict is full.
        if file.path.is_empty() || verdict.unlisted > 0 {
            return;
        }
        for other in self.overlapping(file.path) {
            let Some(other) = self.all.get(other) else { continue };
            let (volume, file_text, other) = (Quoted(volume), file.display(), other.display());
            let text = format!(
                "volume {volume} ({description}): overlapping paths: {file_text} with {other}"
            );
            warn_text(verdict, &file.at, text);
        }
        self.by_path.entry(file.path).or_default().push(self.all.len());
        self.all.push(file);
    }

    /// The files that overlap with a path, in order.
    fn overlapping(&self, path: &'a str) -> Vec<usize> {
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

/// Warns about every two files that overlap, volume by volume.
pub(crate) fn warn(volumes: &At<'_>, verdict: &mut Verdict) {
    for volume in volumes.items() {
        let name = volume.field("name").text_or_empty();
        for (field, kind, from) in FILES {
            let source = volume.field(field);
            let description = match from {
                Some(from) => format!("{kind} {}", Quoted(source.field(from).text_or_empty())),
                None => kind.to_string(),
            };
            let mut files = Files::default();
            for file in items(&source, "") {
                files.add(name, &description, file, verdict);
            }
        }
        let mut files = Files::default();
        for source in volume.field("projected").field("sources").items() {
            if !SOURCES.iter().any(|name| source.field(name).is_set()) {
                let text = format!("volume {} (Projected) has no sources provided", Quoted(name));
                warn_text(verdict, &source, text);
            }
            for file in projected_files(&source) {
                files.add(name, "Projected", file, verdict);
            }
        }
    }
}

/// The files of one source of a projected volume. Of a source with several types at once, the API reads one.
fn projected_files<'a>(source: &At<'a>) -> Vec<File<'a>> {
    for (field, kind, from) in FILES {
        let at = source.field(field);
        if at.field("items").is_set() {
            let description = match from {
                Some(_) => format!("{kind} {}", Quoted(at.field("name").text_or_empty())),
                None => kind.to_string(),
            };
            return items(&at, &description).collect();
        }
    }
    let token = source.field("serviceAccountToken");
    let file = token.is_set().then(|| File::new(token.field("path"), "ServiceAccountToken"));
    file.into_iter().collect()
}

fn items<'a>(source: &At<'a>, description: &str) -> impl Iterator<Item = File<'a>> {
    let description: String = description.into();
    source
        .field("items")
        .items()
        .map(move |item| File::new(item.field("path"), description.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The comparison of the API, for one pair.
    fn overlap(one: &str, other: &str) -> bool {
        let (one, other) = (format!("{one}/"), format!("{other}/"));
        one.starts_with(&other) || other.starts_with(&one)
    }

    #[test]
    fn files_are_found_as_if_each_were_compared_with_each() {
        let paths = ["a", "a/b", "ab", "a/b/c", "b", "a-b", "a/b", "a.b/c", "b/c/d/e/f/g/h", "b/c"];
        let mut files = Files::default();
        for (index, path) in paths.iter().enumerate() {
            let expected: Vec<usize> =
                (0..index).filter(|other| overlap(path, paths[*other])).collect();
            assert_eq!(files.overlapping(path), expected, "{path}");
            files.by_path.entry(path).or_default().push(index);
        }
    }
}
