//! Validation of probes and lifecycle handlers.

use crate::field_errors::FieldErrors;
use crate::name_format::NameFormat;
use alloc::format;
use alloc::string::ToString;
use ratchet_object::At;

const HANDLERS: [&str; 5] = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];
const COUNTS: [&str; 5] = [
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
];

pub(super) fn check(probe: &At<'_>, name: &str, grace: i64, errs: &mut FieldErrors<'_, '_>) {
    if !probe.is_set() {
        return;
    }
    check_handler(probe, grace, errs);
    for name in COUNTS {
        errs.not_negative(&probe.field(name));
    }
    let seconds = probe.field("terminationGracePeriodSeconds");
    if seconds.int().is_some_and(|seconds| seconds <= 0) {
        errs.invalid(&seconds, "must be greater than 0");
    }
    let successes = probe.field("successThreshold");
    // Unset and zero are replaced by the default, which is one.
    if name == "readinessProbe" {
        if seconds.is_set() {
            errs.invalid(&seconds, "must not be set for readinessProbes");
        }
    } else if !matches!(successes.int().unwrap_or(1), 0 | 1) {
        errs.invalid(&successes, "must be 1");
    }
}

pub(super) fn check_handler(at: &At<'_>, grace: i64, errs: &mut FieldErrors<'_, '_>) {
    let mut found = false;
    for name in HANDLERS {
        let handler = at.field(name);
        if !handler.is_set() {
            continue;
        }
        if found {
            errs.forbidden(&handler, "may not specify more than 1 handler type");
            continue;
        }
        found = true;
        check_one(name, &handler, grace, errs);
    }
    if !found {
        errs.required(at, "must specify a handler type");
    }
}

fn check_one(name: &str, handler: &At<'_>, grace: i64, errs: &mut FieldErrors<'_, '_>) {
    match name {
        "exec" if handler.field("command").is_empty() => {
            errs.required(&handler.field("command"), "");
        }
        "httpGet" => {
            // The path and the scheme have defaults.
            errs.port(&handler.field("port"));
            errs.one_of(&handler.field("scheme"), &["HTTP", "HTTPS"]);
            let headers = handler.field("httpHeaders");
            for header in headers.items() {
                let at = header.field("name").with_path(*headers.path());
                errs.form(&at, NameFormat::Header);
            }
        }
        "tcpSocket" => errs.port(&handler.field("port")),
        "grpc" => errs.port_number(&handler.field("port")),
        "sleep" => {
            let seconds = handler.field("seconds").int().unwrap_or_default();
            if !(0..=grace).contains(&seconds) {
                let detail = format!(
                    "must be non-negative and less than terminationGracePeriodSeconds ({grace})"
                );
                errs.invalid_as(handler, seconds.to_string(), detail);
            }
        }
        _ => {}
    }
}
