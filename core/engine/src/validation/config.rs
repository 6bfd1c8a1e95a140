//! Validation of ConfigMaps and Secrets: keys, size, required keys by type, and immutability.

use crate::Verdict;
use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::NameFormat;
use crate::rules::{immutable, placement};
use ratchet_object::At;

const MOST_BYTES: usize = 1024 * 1024;
const ONCE_SET: &str = "field is immutable when `immutable` is set";
const TYPE: &str = "kubernetes.io/";

/// Required keys of a Secret, by type.
const REQUIRED: [(&str, &[&str]); 5] = [
    ("dockercfg", &[".dockercfg"]),
    ("dockerconfigjson", &[".dockerconfigjson"]),
    ("ssh-auth", &["ssh-privatekey"]),
    ("tls", &["tls.crt", "tls.key"]),
    ("basic-auth", &["username", "password"]),
];

pub(super) fn validate(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let (root, old) = (ctx.change.new_root(), ctx.change.old_root());
    let is_secret = ctx.change.kind.name == "Secret";
    if let Some(old) = old.filter(|old| old.field("immutable").is_true()) {
        check_immutable(&root, &old, is_secret, verdict);
    }
    let mut errs = FieldErrors::new(ctx, verdict);
    if is_secret {
        let data = root.field("data");
        let size = check_keys(&data, true, &mut errs) + sum(&root.field("stringData"));
        for (key, at) in root.field("stringData").entries() {
            // The server moves these into `data`.
            errs.form_of(&at.with_path(data.path().key(key)), key, NameFormat::ConfigKey);
        }
        check_type(&root, &mut errs);
        if size > MOST_BYTES {
            placement::too_long(&data, MOST_BYTES, verdict);
        }
        return;
    }
    let (data, binary) = (root.field("data"), root.field("binaryData"));
    let size = check_keys(&data, false, &mut errs) + check_keys(&binary, true, &mut errs);
    for (key, at) in data.entries() {
        if binary.entries().any(|(other, _)| other == key) {
            errs.invalid_as(&at, quoted(key), "duplicate of key present in binaryData");
        }
    }
    if size > MOST_BYTES {
        let at = root.with_path(root.path().field(""));
        placement::too_long(&at, MOST_BYTES, verdict);
    }
}

fn check_keys(data: &At<'_>, is_encoded: bool, errs: &mut FieldErrors<'_, '_>) -> usize {
    let mut size = 0;
    for (key, at) in data.entries() {
        errs.form_of(&at, key, NameFormat::ConfigKey);
        let text = at.text_or_empty();
        size += if is_encoded { decoded_len(text) } else { text.len() };
    }
    size
}

fn sum(data: &At<'_>) -> usize {
    data.entries().map(|(_, at)| at.text_or_empty().len()).sum()
}

/// The decoded length of a base64 string.
fn decoded_len(text: &str) -> usize {
    let padding = text.len() - text.trim_end_matches('=').len();
    (text.len() / 4 * 3).saturating_sub(padding)
}

fn check_type(root: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let Some(kind) = root.field("type").text_or_empty().strip_prefix(TYPE) else { return };
    let data = root.field("data");
    let strings = root.field("stringData");
    let has =
        |key: &str| [&data, &strings].iter().any(|map| map.entries().any(|(name, _)| name == key));
    if kind == "service-account-token" {
        let key = "kubernetes.io/service-account.name";
        let at = root.field("metadata").field("annotations").key(key);
        if at.text_or_empty().is_empty() {
            errs.required(&at, "");
        }
    }
    let Some((_, keys)) = REQUIRED.iter().find(|row| row.0 == kind) else { return };
    if kind == "basic-auth" && keys.iter().any(|key| has(key)) {
        return;
    }
    for key in keys.iter().filter(|key| !has(key)) {
        errs.required(&data.key(key), "");
    }
}

fn check_immutable(root: &At<'_>, old: &At<'_>, is_secret: bool, verdict: &mut Verdict) {
    if !root.field("immutable").is_true() {
        immutable::forbidden(&root.field("immutable"), ONCE_SET, verdict);
    }
    for name in ["data", "binaryData"] {
        if is_secret && name == "binaryData" {
            continue;
        }
        let at = root.field(name);
        if !at.equals(&old.field(name)) {
            immutable::forbidden(&at, ONCE_SET, verdict);
        }
    }
}
