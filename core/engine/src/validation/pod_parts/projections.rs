//! Validation of projected volumes and of the files of the downward API.

use super::environment;
use super::files::{check_item, check_mode};
use super::paths::check_not_reserved;
use crate::field_errors::{FieldErrors, quoted};
use alloc::collections::BTreeSet;
use ratchet_object::At;

const SOURCES: [&str; 6] = [
    "secret",
    "configMap",
    "downwardAPI",
    "serviceAccountToken",
    "clusterTrustBundle",
    "podCertificate",
];
const REPEATED: &str = "conflicting duplicate paths";
const SHORTEST_TOKEN: i64 = 600;
const LONGEST_TOKEN: i64 = 1 << 32;

/// Checks the sources of a projected volume.
pub(super) fn check(volume: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut paths: BTreeSet<&str> = BTreeSet::new();
    for source in volume.field("sources").items() {
        for name in ["secret", "configMap"] {
            check_keys(volume, &source.field(name), &mut paths, errs);
        }
        let files = source.field("downwardAPI");
        for file in files.field("items").items() {
            check_file(&file.with_path(*files.path()), errs);
            let path = file.field("path").text_or_empty();
            check_repeated(volume, path, path, &mut paths, errs);
        }
        let token = source.field("serviceAccountToken");
        if token.is_set() {
            check_token(volume, &token, errs);
        }
        if SOURCES.iter().filter(|name| source.field(name).is_set()).count() > 1 {
            errs.forbidden(&source, "may not specify more than 1 volume type per source");
        }
    }
}

fn check_keys<'a>(
    volume: &At<'_>,
    source: &At<'a>,
    paths: &mut BTreeSet<&'a str>,
    errs: &mut FieldErrors<'_, '_>,
) {
    if !source.is_set() {
        return;
    }
    let name = source.field("name");
    errs.needs_text(&name);
    for item in source.field("items").items() {
        check_item(&item, errs);
        let path = item.field("path").text_or_empty();
        check_repeated(volume, path, name.text_or_empty(), paths, errs);
    }
}

/// Checks that a path is not yet among `paths`; the API reports `reported` instead of the path.
fn check_repeated<'a>(
    volume: &At<'_>,
    path: &'a str,
    reported: &str,
    paths: &mut BTreeSet<&'a str>,
    errs: &mut FieldErrors<'_, '_>,
) {
    if !path.is_empty() && !paths.insert(path) {
        errs.invalid_as(volume, quoted(reported), REPEATED);
    }
}

fn check_token(volume: &At<'_>, token: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let seconds = token.field("expirationSeconds");
    if seconds.int().is_some_and(|seconds| seconds < SHORTEST_TOKEN) {
        errs.invalid(&seconds, "may not specify a duration less than 10 minutes");
    }
    if seconds.int().is_some_and(|seconds| seconds > LONGEST_TOKEN) {
        errs.invalid(&seconds, "may not specify a duration larger than 2^32 seconds");
    }
    // The API reports the path of the volume here, not of the token.
    let path = token.field("path").with_path(volume.path().field("path"));
    if errs.needs_text(&path) {
        check_not_reserved(&path, path.text_or_empty(), errs);
    }
}

/// Checks the files of `source`; the API leaves their list and number out of the path.
pub(super) fn check_files(source: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    for file in source.field("items").items() {
        check_file(&file.with_path(*source.path()), errs);
    }
}

fn check_file(file: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let path = file.field("path");
    errs.needs_text(&path);
    check_not_reserved(&path, path.text_or_empty(), errs);
    let (field, resource) = (file.field("fieldRef"), file.field("resourceFieldRef"));
    match (field.is_set(), resource.is_set()) {
        (true, both) => {
            environment::check_field(&field, &environment::FILE_FIELDS, errs);
            if both {
                let detail = "fieldRef and resourceFieldRef can not be specified simultaneously";
                errs.invalid_as(file, quoted("resource"), detail);
            }
        }
        (false, true) => environment::check_resource(&resource, true, errs),
        (false, false) => {
            errs.required(file, "one of fieldRef and resourceFieldRef is required");
        }
    }
    check_mode(&file.field("mode"), errs);
}
