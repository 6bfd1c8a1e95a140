//! Validation of StorageVersions: in which version each API server stores a resource.

use crate::context::ValidationContext;
use crate::field_errors::{FieldErrors, format_node, quoted};
use crate::name_format::{self, NameFormat};
use crate::rules::values;
use crate::{Cause, FieldError, Verdict};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::At;

const NO_VERSION: &str = "an apiVersion is a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')";
const NONE_IN_COMMON: &str = "should be nil if servers do not agree on the same encoding version, or if there is no server reporting the supported versions yet";

/// Validates the status of a StorageVersion; the spec is empty.
pub(super) fn validate_status(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let status = ctx.change.new_root().field("status");
    let servers = status.field("storageVersions");
    let mut errs = FieldErrors::new(ctx, verdict);
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for server in servers.items() {
        let id = server.field("apiServerID");
        if !seen.insert(id.text_or_empty()) {
            errs.duplicate(&id, quoted(id.text_or_empty()));
        }
        check_server(&server, &mut errs);
    }
    check_common(&status.field("commonEncodingVersion"), &servers, &mut errs);
    check_conditions(&status, &mut errs);
}

fn check_server(server: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    errs.form(&server.field("apiServerID"), NameFormat::Subdomain);
    let encoding = server.field("encodingVersion");
    check_version(&encoding, errs);
    let decodable = server.field("decodableVersions");
    decodable.items().for_each(|at| check_version(&at, errs));
    let texts: Vec<&str> = decodable.items().map(|at| at.text_or_empty()).collect();
    let known: BTreeSet<&str> = texts.iter().copied().collect();
    let text = encoding.text_or_empty();
    if !known.contains(text) {
        errs.invalid(&decodable, format!("decodableVersions must include encodingVersion {text}"));
    }
    for at in server.field("servedVersions").items() {
        check_version(&at, errs);
        let text = at.text_or_empty();
        if !known.contains(text) {
            errs.verdict.add_errors(1, || {
                let all = texts.join(" ");
                let detail = format!(
                    "individual served version : {text} must be included in decodableVersions : [{all}]"
                );
                let error = FieldError::new(&values::RULE, Cause::Invalid, &at, detail);
                error.with_value(format_node(at.node()))
            });
        }
    }
}

/// Checks a group and a version; all that is wrong is one error.
fn check_version(at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let text = at.text_or_empty();
    let mut faults: Vec<String> = Vec::new();
    let mut check = |part: &str, text: &str, format| match text {
        "" => faults.push(format!("{part} part: must be non-empty")),
        _ => name_format::faults(format, text, |fault| {
            faults.push(format!("{part} part: {fault}"));
        }),
    };
    match text.split_once('/') {
        None => check("version", text, NameFormat::Label1035),
        Some((_, version)) if version.contains('/') => faults.push(NO_VERSION.into()),
        Some((group, version)) => {
            check("group", group, NameFormat::Subdomain);
            check("version", version, NameFormat::Label1035);
        }
    }
    if !faults.is_empty() {
        errs.invalid_as(at, quoted(text), faults.join(","));
    }
}

/// Checks the version in which all servers store, if they agree.
fn check_common(at: &At<'_>, servers: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut versions = servers.items().map(|at| at.field("encodingVersion").text_or_empty());
    let first = versions.next();
    let common = first.filter(|first| versions.all(|version| version == *first));
    match common {
        None if at.is_set() => errs.invalid(at, NONE_IN_COMMON),
        Some(common) if !at.is_set() => {
            let detail = format!("the common encoding version is {common}");
            errs.invalid_as(at, format_node(None), detail);
        }
        Some(common) if at.text_or_empty() != common => {
            errs.invalid(at, format!("the actual common encoding version is {common}"));
        }
        _ => {}
    }
}

/// Checks the conditions; errors name them as items of the status itself.
fn check_conditions(status: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for (index, condition) in status.field("conditions").items().enumerate() {
        let path = status.path().index(index);
        let [kind, is_met, reason, message] = ["type", "status", "reason", "message"]
            .map(|name| condition.field(name).with_path(path.field(name)));
        if let Some(first) = seen.insert(kind.text_or_empty(), index) {
            let detail = format!(
                "the type of the condition is not unique, it also appears in conditions[{first}]"
            );
            errs.invalid_as(&kind, quoted(kind.text_or_empty()), detail);
        }
        errs.form(&kind, NameFormat::Qualified);
        errs.form(&is_met, NameFormat::Qualified);
        errs.needs_text(&reason);
        errs.needs_text(&message);
    }
}
