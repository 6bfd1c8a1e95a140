//! Validation of ConfigMaps and Secrets: keys, size, keys and values by type, and immutability.

use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, quoted};
use crate::name_format::NameFormat;
use crate::rules::{immutable, ineffective_setting, placement};
use crate::{Verdict, Warning};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::{At, Members, decode_base64, go_syntax};

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

/// Keys of a Secret whose values are JSON objects.
const JSON_KEYS: [&str; 2] = [".dockercfg", ".dockerconfigjson"];

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
    let mut others = Members::of(binary.node());
    for (key, at) in data.entries() {
        if others.get(key).is_some() {
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
    // An empty key is none.
    let is_there = |key: &str| has(key) && (kind != "ssh-auth" || !content(root, key).is_empty());
    for key in keys.iter().filter(|key| !is_there(key)) {
        errs.required(&data.key(key), "");
    }
    let Some(key) = keys.first().filter(|key| JSON_KEYS.contains(key) && has(key)) else { return };
    if let Some(fault) = object_fault(&content(root, key)) {
        errs.invalid_as(&data.key(key), "\"<secret contents redacted>\"", fault);
    }
}

/// What a Secret has under a key; `stringData` comes before `data`.
fn content(root: &At<'_>, key: &str) -> String {
    let at = |map| root.field(map).entries().find(|(name, _)| *name == key).map(|(_, at)| at);
    if let Some(text) = at("stringData") {
        return text.text_or_empty().into();
    }
    let encoded = at("data").map_or("", |at| at.text_or_empty());
    String::from_utf8_lossy(&decode_base64(encoded).unwrap_or_default()).into_owned()
}

/// Warns of a certificate and a key that are no PEM, in the words of Go.
pub(super) fn warn(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let root = ctx.change.new_root();
    if root.field("type").text_or_empty() != "kubernetes.io/tls" {
        return;
    }
    let [certificate, key] = ["tls.crt", "tls.key"].map(|key| content(&root, key));
    let (certificates, keys) = (pem_types(&certificate), pem_types(&key));
    let is_key = |kind: &&str| kind.ends_with("PRIVATE KEY");
    let fault = if !certificates.contains(&"CERTIFICATE") {
        match certificates.as_slice() {
            [] => "tls: failed to find any PEM data in certificate input".into(),
            [one] if is_key(one) => "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched".into(),
            all => format!("tls: failed to find \"CERTIFICATE\" PEM block in certificate input after skipping PEM blocks of the following types: [{}]", all.join(" ")),
        }
    } else if !keys.iter().any(is_key) {
        match keys.as_slice() {
            [] => "tls: failed to find any PEM data in key input".into(),
            ["CERTIFICATE"] => {
                "tls: found a certificate rather than a key in the PEM for the private key".into()
            }
            all => format!(
                "tls: failed to find PEM block with type ending in \"PRIVATE KEY\" in key input after skipping PEM blocks of the following types: [{}]",
                all.join(" ")
            ),
        }
    } else {
        String::new()
    };
    if !fault.is_empty() {
        verdict.warn(Warning::new(&ineffective_setting::RULE, &root.field("data"), fault));
    }
}

/// The types of the PEM blocks in a text.
fn pem_types(text: &str) -> Vec<&str> {
    let begins = text.split("-----BEGIN ").skip(1);
    let types = begins.filter_map(|block| {
        let (kind, rest) = block.split_once("-----")?;
        rest.contains(&format!("-----END {kind}-----")).then_some(kind)
    });
    types.collect()
}

/// Why a text is no JSON object, in the words of Go; a null is one.
fn object_fault(text: &str) -> Option<String> {
    let fault = go_syntax::explain_or(text, "");
    if !fault.is_empty() {
        return Some(fault);
    }
    let what = match text.trim_start().chars().next()? {
        '{' | 'n' => return None,
        '[' => "array",
        '"' => "string",
        't' | 'f' => "bool",
        _ => "number",
    };
    Some(format!("json: cannot unmarshal {what} into Go value of type map[string]interface {{}}"))
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
