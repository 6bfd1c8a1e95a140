//! Warnings about unrecognized formats in the schemas of CustomResourceDefinitions, which have no effect.

use crate::Verdict;
use crate::context::ValidationContext;
use crate::rules::ineffective_setting::warn_text;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;
use ratchet_net::Quoted;
use ratchet_object::At;

/// String formats without their dashes, which do not count, and the first release that supports each.
const TEXTS: [(&str, u8); 26] = [
    ("bsonobjectid", 0),
    ("uri", 0),
    ("email", 0),
    ("hostname", 0),
    ("ipv4", 0),
    ("ipv6", 0),
    ("cidr", 0),
    ("mac", 0),
    ("uuid", 0),
    ("uuid3", 0),
    ("uuid4", 0),
    ("uuid5", 0),
    ("isbn", 0),
    ("isbn10", 0),
    ("isbn13", 0),
    ("creditcard", 0),
    ("ssn", 0),
    ("hexcolor", 0),
    ("rgbcolor", 0),
    ("byte", 0),
    ("password", 0),
    ("date", 0),
    ("duration", 0),
    ("datetime", 0),
    ("k8sshortname", 34),
    ("k8slongname", 34),
];

/// Keywords of a schema that hold schemas: as lists, as maps, or as single values.
const LISTS: [&str; 4] = ["items", "allOf", "anyOf", "oneOf"];
const MAPS: [&str; 4] = ["properties", "patternProperties", "definitions", "dependencies"];
const SINGLE: [&str; 4] = ["items", "not", "additionalProperties", "additionalItems"];

/// Warns about unrecognized formats that are not stored already.
pub(super) fn warn(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    // A format is recognized once every release that may have to read the object knows it.
    let release = ctx.config.emulated.minor().saturating_sub(1);
    let stored = ctx.change.old_root().map(|old| unknown(&old, release)).unwrap_or_default();
    let stored: BTreeSet<&str> = stored.iter().map(At::text_or_empty).collect();
    for at in unknown(&ctx.change.new_root(), release) {
        let text = at.text_or_empty();
        if !stored.contains(text) {
            warn_text(verdict, &at, format!("unrecognized format {}", Quoted(text)));
        }
    }
}

/// The unrecognized formats of a definition, version by version. Schemas have unbounded depth: no recursion.
fn unknown<'a>(root: &At<'a>, release: u8) -> Vec<At<'a>> {
    let mut found = Vec::new();
    for version in root.field("spec").field("versions").items() {
        let mut queue = alloc::vec![version.field("schema").field("openAPIV3Schema")];
        while let Some(schema) = queue.pop() {
            let at = schema.field("format");
            let format = at.text_or_empty();
            if !format.is_empty()
                && !is_known(schema.field("type").text_or_empty(), format, release)
            {
                found.push(at);
            }
            let start = queue.len();
            LISTS.iter().for_each(|name| queue.extend(schema.field(name).items()));
            MAPS.iter().for_each(|name| {
                queue.extend(schema.field(name).entries().map(|(_, at)| at));
            });
            let single = SINGLE.iter().map(|name| schema.field(name));
            queue.extend(single.filter(|at| at.entries().len() > 0));
            queue.get_mut(start..).unwrap_or_default().reverse();
        }
    }
    found
}

fn is_known(kind: &str, format: &str, release: u8) -> bool {
    match kind {
        "" | "string" => {
            let bare = format.replace('-', "");
            TEXTS.iter().any(|(known, since)| *known == bare && *since <= release)
        }
        "integer" => matches!(format, "int32" | "int64"),
        "number" => matches!(format, "float" | "double"),
        _ => false,
    }
}
