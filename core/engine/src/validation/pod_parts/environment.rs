//! Validation of a container's environment: variable names and value sources.

use super::paths::check_no_backsteps;
use crate::field_errors::{FieldErrors, has, quoted};
use crate::name_format::NameFormat;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::ToString;
use core::cell::LazyCell;
use ratchet_object::{At, Quantity};

const SOURCES: [&str; 5] =
    ["fieldRef", "resourceFieldRef", "configMapKeyRef", "secretKeyRef", "fileKeyRef"];
const NO_SOURCE: &str = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`";
const NO_OLD_SOURCE: &str =
    "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`";
const ONE_SOURCE: &str = "may not have more than one field specified at a time";

/// Fields of a pod that a variable can refer to.
const FIELDS: [&str; 9] = [
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
    "spec.nodeName",
    "spec.serviceAccountName",
    "status.hostIP",
    "status.hostIPs",
    "status.podIP",
    "status.podIPs",
];

/// Known fields of a pod that a variable cannot refer to.
const OTHER_FIELDS: [&str; 5] = [
    "metadata.annotations",
    "metadata.labels",
    "spec.restartPolicy",
    "spec.schedulerName",
    "status.phase",
];

/// Fields of a pod that a file can show.
pub(super) const FILE_FIELDS: [&str; 5] = [
    "metadata.annotations",
    "metadata.labels",
    "metadata.name",
    "metadata.namespace",
    "metadata.uid",
];

/// Divisors of amounts of bytes.
const DIVISORS: [&str; 13] =
    ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

const RESOURCES: [&str; 6] = [
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
];

pub(super) fn check(container: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    if !has(container, "env") && !has(container, "envFrom") {
        return;
    }
    for variable in container.field("env").items() {
        errs.needs_form(&variable.field("name"), NameFormat::Variable);
        if has(&variable, "valueFrom") {
            check_source(&variable, errs);
        }
    }
    let list = container.field("envFrom");
    for source in list.items() {
        errs.form_if_set(&source.field("prefix"), NameFormat::Variable);
        let references = ["configMapRef", "secretRef"].map(|name| source.field(name));
        let count = references.iter().filter(|at| at.is_set()).count();
        for reference in references.iter().filter(|at| at.is_set()) {
            let name = reference.field("name");
            // The API takes the name for the beginning of one, which may end with a dash.
            if errs.needs_text(&name) {
                errs.prefix_form(&name, NameFormat::Subdomain);
            }
        }
        match count {
            0 => {
                let detail = "must specify one of: `configMapRef` or `secretRef`";
                errs.invalid_as(&list, "\"\"", detail);
            }
            1 => {}
            _ => errs.invalid_as(&list, "\"\"", ONE_SOURCE),
        }
    }
}

fn check_source(variable: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let from = variable.field("valueFrom");
    if !from.is_set() {
        return;
    }
    let mut count = 0;
    for name in SOURCES {
        let source = from.field(name);
        if source.is_set() {
            count += 1;
            check_one(name, &source, errs);
        }
    }
    let has_value = !variable.field("value").text_or_empty().is_empty();
    match count {
        0 if errs.ctx.config.release.since(35) => errs.invalid_as(&from, "\"\"", NO_SOURCE),
        0 => errs.invalid_as(&from, "\"\"", NO_OLD_SOURCE),
        _ if has_value => {
            errs.invalid_as(&from, "\"\"", "may not be specified when `value` is not empty");
        }
        1 => {}
        _ => errs.invalid_as(&from, "\"\"", ONE_SOURCE),
    }
}

fn check_one(name: &str, source: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    match name {
        "fieldRef" => check_field(source, &FIELDS, errs),
        "resourceFieldRef" => check_resource(source, false, errs),
        "configMapKeyRef" | "secretKeyRef" => {
            errs.form(&source.field("name"), NameFormat::Subdomain);
            errs.needs_form(&source.field("key"), NameFormat::ConfigKey);
        }
        "fileKeyRef" => {
            errs.needs_form(&source.field("key"), NameFormat::Variable);
            errs.needs_form(&source.field("volumeName"), NameFormat::Label);
            let path = source.field("path");
            if errs.needs_text(&path) {
                check_no_backsteps(&path, path.text_or_empty(), errs);
            }
        }
        _ => {}
    }
}

/// Checks that the files of variables are in volumes that begin empty.
pub(super) fn check_file_volumes(spec: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let begin_empty = LazyCell::new(|| {
        let mut volumes: BTreeMap<&str, bool> = BTreeMap::new();
        for volume in spec.field("volumes").items() {
            let is_empty = volume.field("emptyDir").is_set();
            // The first of several volumes of one name counts.
            volumes.entry(volume.field("name").text_or_empty()).or_insert(is_empty);
        }
        volumes
    });
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        let list = spec.field(list);
        let variables = list.items().filter(|container| has(container, "env"));
        for variable in variables.flat_map(|container| container.field("env").items()) {
            let source = variable.field("valueFrom").field("fileKeyRef");
            if !source.is_set() {
                continue;
            }
            let name = source.field("volumeName");
            let text = name.text_or_empty();
            match begin_empty.get(text) {
                None => errs.not_found(&name, text),
                Some(false) => {
                    errs.invalid_as(
                        &name,
                        quoted(text),
                        "referenced volume must be of type emptyDir",
                    );
                }
                Some(true) => {}
            }
        }
    }
}

/// Checks a reference to a resource of a container; one of a file names its container.
pub(super) fn check_resource(source: &At<'_>, in_file: bool, errs: &mut FieldErrors<'_, '_>) {
    let (container, resource) = (source.field("containerName"), source.field("resource"));
    let text = resource.text_or_empty();
    let is_page = text.starts_with("limits.hugepages-") || text.starts_with("requests.hugepages-");
    if in_file && container.text_or_empty().is_empty() {
        errs.required(&container, "");
    } else if text.is_empty() {
        errs.required(&resource, "");
    } else if !RESOURCES.contains(&text) && !is_page {
        errs.unsupported(&resource, quoted(text), &RESOURCES);
    }
    check_divisor(&source.field("divisor"), text, is_page, errs);
}

fn check_divisor(divisor: &At<'_>, resource: &str, is_page: bool, errs: &mut FieldErrors<'_, '_>) {
    let Some(amount) = Quantity::at(divisor).filter(|amount| !amount.is_zero()) else { return };
    let name = match resource {
        "limits.cpu" | "requests.cpu" => "cpu",
        "limits.memory" | "requests.memory" => "memory",
        "limits.ephemeral-storage" | "requests.ephemeral-storage" => "local ephemeral storage",
        _ if is_page => "hugepages",
        _ => return,
    };
    let text = amount.to_string();
    let (is_known, listed) = match name {
        "cpu" => (matches!(text.as_str(), "1m" | "1"), "1m and 1".into()),
        _ => (DIVISORS.contains(&text.as_str()), DIVISORS.join(", ")),
    };
    if !is_known {
        let detail =
            format!("only divisor's values {listed} are supported with the {name} resource");
        errs.invalid_as(divisor, quoted(resource), detail);
    }
}

/// Checks a reference to a field of the pod, one of `fields` or a label or annotation.
pub(super) fn check_field(source: &At<'_>, fields: &[&str], errs: &mut FieldErrors<'_, '_>) {
    let (version, path) = (source.field("apiVersion"), source.field("fieldPath"));
    let text = path.text_or_empty();
    if text.is_empty() {
        return errs.required(&path, "");
    }
    // An unset version has a default.
    if !matches!(version.text_or_empty(), "" | "v1") {
        let version = version.text_or_empty();
        let detail = format!("error converting fieldPath: unsupported pod version: {version}");
        return errs.invalid(&path, detail);
    }
    let subscript = text
        .split_once("['")
        .and_then(|(field, key)| Some((field, key.strip_suffix("']")?)))
        .filter(|(field, _)| !field.is_empty());
    let known = if text == "spec.host" { "spec.nodeName" } else { text };
    match subscript {
        Some(("metadata.annotations", key)) => {
            let key = key.to_ascii_lowercase();
            errs.form_of(source, &key, NameFormat::Qualified);
        }
        Some(("metadata.labels", key)) => errs.form_of(source, key, NameFormat::Qualified),
        Some(_) => {
            let detail = format!(
                "error converting fieldPath: field label does not support subscript: {text}"
            );
            errs.invalid(&path, detail);
        }
        None if fields.contains(&known) => {}
        None if FIELDS.contains(&known) || OTHER_FIELDS.contains(&known) => {
            errs.unsupported(&path, quoted(known), fields);
        }
        None => {
            let detail = format!("error converting fieldPath: field label not supported: {text}");
            errs.invalid(&path, detail);
        }
    }
}
