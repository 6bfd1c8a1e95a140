//! Takes out what nobody may read in a log: the contents of Secrets, and tokens.
//!
//! It works by what may stay: of an object that holds secrets only the members named here are told, so that a misspelt
//! `Data` does not slip through. It looks at what was asked for as well as at what a body calls itself, for bodies may
//! leave out their kind, and lists do.

use ratchet_object::{Entry, Node, Value};

/// What stands in place of what is hidden.
pub const HIDDEN: &str = "[redacted]";

/// kubectl copies a whole object into this annotation.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// An object that holds secrets.
#[derive(Debug)]
pub(crate) struct Sensitive {
    group: &'static str,
    resource: &'static str,
    subresource: &'static str,
    kind: &'static str,
    /// What may be told of the object.
    keep: &'static [&'static str],
    /// A member that is told in part, and what may be told of it.
    inside: Option<(&'static str, &'static [&'static str])>,
}

static SENSITIVE: [Sensitive; 3] = [
    Sensitive {
        group: "",
        resource: "secrets",
        subresource: "",
        kind: "Secret",
        keep: &[
            "apiVersion",
            "kind",
            "metadata",
            "type",
            "immutable",
            // a delete brings options in place of an object
            "dryRun",
            "gracePeriodSeconds",
            "orphanDependents",
            "preconditions",
            "propagationPolicy",
        ],
        inside: None,
    },
    Sensitive {
        group: "",
        resource: "serviceaccounts",
        subresource: "token",
        kind: "TokenRequest",
        keep: &["apiVersion", "kind", "metadata", "spec", "status"],
        inside: Some(("status", &["expirationTimestamp"])),
    },
    Sensitive {
        group: "authentication.k8s.io",
        resource: "tokenreviews",
        subresource: "",
        kind: "TokenReview",
        keep: &["apiVersion", "kind", "metadata", "spec", "status"],
        inside: Some(("spec", &["audiences"])),
    },
];

/// What may be told of the metadata of such an object; what is indented too far ends up there.
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

/// The row of what a request is about, if that holds secrets.
pub(crate) fn by_resource(
    group: &str,
    resource: &str,
    subresource: &str,
) -> Option<&'static Sensitive> {
    let asked = (group, resource, subresource);
    SENSITIVE.iter().find(|row| (row.group, row.resource, row.subresource) == asked)
}

/// The row of what a body calls itself; the version does not matter.
fn by_kind(node: &Node<'_>) -> Option<&'static Sensitive> {
    let kind = node.text_at(&["kind"]);
    SENSITIVE.iter().find(|row| row.kind == kind || kind.strip_suffix("List") == Some(row.kind))
}

/// A body that was sent.
pub(crate) fn request(node: &mut Node<'_>, asked: Option<&'static Sensitive>) {
    match (asked, &mut node.value) {
        // A JSON patch: whatever it writes or compares with may be the secret.
        (Some(_), Value::List(operations)) => operations.iter_mut().for_each(hide_operation),
        (Some(row), _) => hide(node, row),
        (None, _) => search(node),
    }
}

/// A body that was answered; what we answer can be believed about its kind.
pub(crate) fn response(node: &mut Node<'_>, asked: Option<&'static Sensitive>) {
    let Some(row) = asked else { return search(node) };
    let kind = node.text_at(&["kind"]);
    if kind == "Status" {
        hide_words(node);
    } else if kind == "Table" || kind.ends_with("List") {
        hide_each(node, row);
    } else {
        hide(node, row);
    }
}

/// Looks for objects that hold secrets, however deep they stand.
fn search(node: &mut Node<'_>) {
    if let Some(row) = by_kind(node) {
        let is_one = node.text_at(&["kind"]) == row.kind;
        return if is_one { hide(node, row) } else { hide_each(node, row) };
    }
    match &mut node.value {
        Value::Map(entries) => entries.iter_mut().for_each(|entry| search(&mut entry.node)),
        Value::List(items) => items.iter_mut().for_each(search),
        _ => {}
    }
}

fn hide(node: &mut Node<'_>, row: &Sensitive) {
    keep_only(node, row.keep);
    if let Some(metadata) = node.get_mut("metadata") {
        keep_only(metadata, METADATA);
        if let Some(annotations) = metadata.get_mut("annotations") {
            hide_unless_map(annotations);
            annotations.get_mut(LAST_APPLIED).into_iter().for_each(hide_value);
        }
    }
    if let Some((name, keep)) = row.inside
        && let Some(member) = node.get_mut(name)
    {
        keep_only(member, keep);
    }
}

/// Hides every member but these; what should be a map and is not is hidden whole.
fn keep_only(node: &mut Node<'_>, keep: &[&str]) {
    hide_unless_map(node);
    let entries = node.entries_mut().into_iter().flatten();
    entries.filter(|entry| !keep.contains(&&*entry.key)).for_each(hide_entry);
}

/// The objects of a list, or of the rows of a table.
fn hide_each(node: &mut Node<'_>, row: &Sensitive) {
    const KEEP: [&str; 6] =
        ["apiVersion", "kind", "metadata", "items", "rows", "columnDefinitions"];
    for entry in node.entries_mut().into_iter().flatten() {
        match &*entry.key {
            "items" => each(&mut entry.node, |item| hide(item, row)),
            "rows" => each(&mut entry.node, |line| {
                if let Some(object) = line.get_mut("object") {
                    hide(object, row);
                }
            }),
            name if KEEP.contains(&name) => {}
            _ => hide_entry(entry),
        }
    }
}

fn each(list: &mut Node<'_>, change: impl FnMut(&mut Node<'_>)) {
    match &mut list.value {
        Value::List(items) => items.iter_mut().for_each(change),
        _ => hide_value(list),
    }
}

fn hide_operation(operation: &mut Node<'_>) {
    keep_only(operation, &["op", "path", "from"]);
}

/// The words of a refusal may quote what was refused; that it was refused, and why in one word, stays.
pub(crate) fn hide_words(status: &mut Node<'_>) {
    let quotes = matches!(status.get("code").and_then(Node::as_int), Some(400 | 422));
    if !quotes {
        return;
    }
    if let Some(message) = status.get_mut("message") {
        hide_value(message);
    }
    if let Some(causes) = status.find_mut(&["details", "causes"]) {
        each(causes, |cause| {
            if let Some(message) = cause.get_mut("message") {
                hide_value(message);
            }
        });
    }
}

/// The names in a map are told, for they say what was changed; its values are not.
fn hide_entry(entry: &mut Entry<'_>) {
    match &mut entry.node.value {
        Value::Map(inner) => inner.iter_mut().for_each(|entry| hide_value(&mut entry.node)),
        _ => hide_value(&mut entry.node),
    }
}

fn hide_unless_map(node: &mut Node<'_>) {
    if !matches!(node.value, Value::Map(_)) {
        hide_value(node);
    }
}

fn hide_value(node: &mut Node<'_>) {
    if !node.is_null() {
        node.value = Value::Text(HIDDEN.into());
    }
}

/// Parameters of a URL that carry a token, in small letters.
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

/// A URI without the tokens that its query may carry.
pub(crate) fn uri(uri: &str) -> String {
    let Some((path, query)) = uri.split_once('?') else { return uri.to_owned() };
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _)) if names_token(name) => format!("{name}={HIDDEN}"),
        _ => pair.to_owned(),
    });
    format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"))
}

fn names_token(name: &str) -> bool {
    let mut bytes = name.bytes();
    let mut plain = String::new();
    while let Some(byte) = bytes.next() {
        let byte = match byte {
            b'%' => {
                let mut digit = || bytes.next().and_then(|byte| char::from(byte).to_digit(16));
                match (digit(), digit()) {
                    (Some(high), Some(low)) => (high * 16 + low) as u8,
                    // Nobody can tell what this names.
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
