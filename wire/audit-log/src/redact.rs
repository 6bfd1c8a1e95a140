//! Redaction of secrets and tokens from audit events.
//!
//! It uses allow lists: of an object with secrets only the fields named here are logged, so that a
//! misspelt `Data` does not slip through. It considers the requested resource as well as the kind
//! of a body, for bodies may omit their kind, and lists do.

use ratchet_object::{Entry, Node, Value};

/// The replacement of redacted values.
pub const HIDDEN: &str = "[redacted]";

/// kubectl copies a whole object into this annotation.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// A kind of object that contains secrets.
#[derive(Debug)]
pub(crate) struct Sensitive {
    group: &'static str,
    resource: &'static str,
    subresource: &'static str,
    kind: &'static str,
    /// The fields that may be logged.
    allowed: &'static [&'static str],
    /// A field that is logged in part, and its fields that may be logged.
    partial: Option<(&'static str, &'static [&'static str])>,
}

static SENSITIVE: [Sensitive; 3] = [
    Sensitive {
        group: "",
        resource: "secrets",
        subresource: "",
        kind: "Secret",
        allowed: &[
            "apiVersion",
            "kind",
            "metadata",
            "type",
            "immutable",
            // a delete has options instead of an object
            "dryRun",
            "gracePeriodSeconds",
            "orphanDependents",
            "preconditions",
            "propagationPolicy",
        ],
        partial: None,
    },
    Sensitive {
        group: "",
        resource: "serviceaccounts",
        subresource: "token",
        kind: "TokenRequest",
        allowed: &["apiVersion", "kind", "metadata", "spec", "status"],
        partial: Some(("status", &["expirationTimestamp"])),
    },
    Sensitive {
        group: "authentication.k8s.io",
        resource: "tokenreviews",
        subresource: "",
        kind: "TokenReview",
        allowed: &["apiVersion", "kind", "metadata", "spec", "status"],
        partial: Some(("spec", &["audiences"])),
    },
];

/// The metadata fields that may be logged; fields indented too far end up in the metadata.
const METADATA: &[&str] = &[
    "annotations",
    "continue",
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "finalizers",
    "generateName",
    "generation",
    "labels",
    "managedFields",
    "name",
    "namespace",
    "ownerReferences",
    "remainingItemCount",
    "resourceVersion",
    "selfLink",
    "uid",
];

/// The entry for the resource of a request, if it contains secrets.
pub(crate) fn by_resource(
    group: &str,
    resource: &str,
    subresource: &str,
) -> Option<&'static Sensitive> {
    let requested = (group, resource, subresource);
    SENSITIVE.iter().find(|row| (row.group, row.resource, row.subresource) == requested)
}

/// The entry for the kind of a body; the version does not matter.
fn by_kind(node: &Node<'_>) -> Option<&'static Sensitive> {
    let kind = node.text_at(&["kind"]);
    SENSITIVE.iter().find(|row| row.kind == kind || kind.strip_suffix("List") == Some(row.kind))
}

/// Redacts a request body.
pub(crate) fn request(node: &mut Node<'_>, requested: Option<&'static Sensitive>) {
    match (requested, &mut node.value) {
        // A JSON patch: any value that it writes or tests may be the secret.
        (Some(_), Value::List(operations)) => operations.iter_mut().for_each(redact_operation),
        (Some(row), _) => redact(node, row),
        (None, _) => redact_nested(node),
    }
}

/// Redacts a response body, whose kind can be trusted.
pub(crate) fn response(node: &mut Node<'_>, requested: Option<&'static Sensitive>) {
    let Some(row) = requested else { return redact_nested(node) };
    let kind = node.text_at(&["kind"]);
    if kind == "Status" {
        redact_message(node);
    } else if kind == "Table" || kind.ends_with("List") {
        redact_items(node, row);
    } else {
        redact(node, row);
    }
}

/// Redacts objects with secrets at any depth.
fn redact_nested(node: &mut Node<'_>) {
    if let Some(row) = by_kind(node) {
        let is_one = node.text_at(&["kind"]) == row.kind;
        return if is_one { redact(node, row) } else { redact_items(node, row) };
    }
    match &mut node.value {
        Value::Map(entries) => entries.iter_mut().for_each(|entry| redact_nested(&mut entry.node)),
        Value::List(items) => items.iter_mut().for_each(redact_nested),
        _ => {}
    }
}

fn redact(node: &mut Node<'_>, row: &Sensitive) {
    redact_except(node, row.allowed);
    if let Some(metadata) = node.get_mut("metadata") {
        redact_except(metadata, METADATA);
        if let Some(annotations) = metadata.get_mut("annotations") {
            redact_unless_map(annotations);
            annotations.get_mut(LAST_APPLIED).into_iter().for_each(redact_value);
        }
    }
    if let Some((name, allowed)) = row.partial
        && let Some(member) = node.get_mut(name)
    {
        redact_except(member, allowed);
    }
}

/// Redacts every field but these; a value that should be a map and is not is redacted whole.
fn redact_except(node: &mut Node<'_>, allowed: &[&str]) {
    redact_unless_map(node);
    let entries = node.entries_mut().into_iter().flatten();
    entries.filter(|entry| !allowed.contains(&&*entry.key)).for_each(redact_entry);
}

/// Redacts the objects of a list, or of the rows of a table.
fn redact_items(node: &mut Node<'_>, row: &Sensitive) {
    const ALLOWED: [&str; 6] =
        ["apiVersion", "kind", "metadata", "items", "rows", "columnDefinitions"];
    for entry in node.entries_mut().into_iter().flatten() {
        match &*entry.key {
            "items" => each(&mut entry.node, |item| redact(item, row)),
            "rows" => each(&mut entry.node, |line| {
                if let Some(object) = line.get_mut("object") {
                    redact(object, row);
                }
            }),
            name if ALLOWED.contains(&name) => {}
            _ => redact_entry(entry),
        }
    }
}

fn each(list: &mut Node<'_>, change: impl FnMut(&mut Node<'_>)) {
    match &mut list.value {
        Value::List(items) => items.iter_mut().for_each(change),
        _ => redact_value(list),
    }
}

fn redact_operation(operation: &mut Node<'_>) {
    redact_except(operation, &["op", "path", "from"]);
}

/// Redacts the message of an error, which may quote the request; code and reason stay.
pub(crate) fn redact_message(status: &mut Node<'_>) {
    let quotes = matches!(status.get("code").and_then(Node::as_int), Some(400 | 422));
    if !quotes {
        return;
    }
    if let Some(message) = status.get_mut("message") {
        redact_value(message);
    }
    if let Some(causes) = status.find_mut(&["details", "causes"]) {
        each(causes, |cause| {
            if let Some(message) = cause.get_mut("message") {
                redact_value(message);
            }
        });
    }
}

/// The keys of a map are logged, for they show what was changed; its values are not.
fn redact_entry(entry: &mut Entry<'_>) {
    match &mut entry.node.value {
        Value::Map(inner) => inner.iter_mut().for_each(|entry| redact_value(&mut entry.node)),
        _ => redact_value(&mut entry.node),
    }
}

fn redact_unless_map(node: &mut Node<'_>) {
    if !matches!(node.value, Value::Map(_)) {
        redact_value(node);
    }
}

fn redact_value(node: &mut Node<'_>) {
    if !node.is_null() {
        node.value = Value::Text(HIDDEN.into());
    }
}

/// URL parameters with a token, in lower case.
const TOKEN_PARAMETERS: [&str; 9] = [
    "access_token",
    "authorization",
    "bearer",
    "bearer_token",
    "client_secret",
    "id_token",
    "password",
    "refresh_token",
    "token",
];

/// A URI without tokens in its query.
pub(crate) fn uri(uri: &str) -> String {
    let Some((path, query)) = uri.split_once('?') else { return uri.to_owned() };
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _)) if is_token_parameter(name) => format!("{name}={HIDDEN}"),
        _ => pair.to_owned(),
    });
    format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"))
}

fn is_token_parameter(name: &str) -> bool {
    let mut bytes = name.bytes();
    let mut plain = String::new();
    while let Some(byte) = bytes.next() {
        let byte = match byte {
            b'%' => {
                let mut digit = || bytes.next().and_then(|byte| char::from(byte).to_digit(16));
                match (digit(), digit()) {
                    (Some(high), Some(low)) => (high * 16 + low) as u8,
                    // An invalid escape could name anything.
                    _ => return true,
                }
            }
            other => other,
        };
        plain.push(char::from(byte).to_ascii_lowercase());
    }
    TOKEN_PARAMETERS.contains(&plain.as_str())
}

#[cfg(test)]
mod tests;
