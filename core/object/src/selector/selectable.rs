//! The selectable fields of each kind, with the paths that their values come from.

use crate::{Node, Value};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use ratchet_net::Quoted;

/// A field that objects can be selected by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectableField {
    /// The name in field selectors.
    pub key: &'static str,
    /// Where its value comes from.
    pub source: FieldSource,
}

/// The paths of an object that a field's value comes from, and how it becomes a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldSource {
    /// The string at this path; empty if there is none.
    Text(&'static [&'static str]),
    /// The string at the first of these paths that has one.
    Either(&'static [&'static str], &'static [&'static str]),
    /// The string at the first path, or else at the second path below the first item of a list.
    OrFirstItem(&'static [&'static str], &'static [&'static str], &'static str),
    /// `true` or `false`; absent is `false`.
    Flag(&'static [&'static str]),
    /// An integer; absent is `0`.
    Number(&'static [&'static str]),
    /// Always empty: the API server accepts the name but never fills it in.
    Empty,
}

impl FieldSource {
    /// The value of the field in an object.
    #[must_use]
    pub fn value<'n>(&self, object: &'n Node<'_>) -> Cow<'n, str> {
        match self {
            Self::Text(path) => Cow::Borrowed(object.text_at(path)),
            Self::Either(first, second) => {
                let text = object.text_at(first);
                Cow::Borrowed(if text.is_empty() { object.text_at(second) } else { text })
            }
            Self::OrFirstItem(path, list, name) => {
                let text = object.text_at(path);
                let items = object.find(list).map(Node::items).unwrap_or_default();
                let first = items.first().map_or("", |item| item.text_at(&[name]));
                Cow::Borrowed(if text.is_empty() { first } else { text })
            }
            Self::Flag(path) => {
                let is_set = object.find(path).and_then(Node::as_bool).unwrap_or_default();
                Cow::Borrowed(if is_set { "true" } else { "false" })
            }
            Self::Number(path) => {
                let number = object.find(path).and_then(Node::as_int).unwrap_or_default();
                Cow::Owned(number.to_string())
            }
            Self::Empty => Cow::Borrowed(""),
        }
    }
}

/// The string of a scalar in a custom resource, for its selectable fields; anything else is
/// empty.
#[must_use]
pub fn scalar_text<'n>(node: Option<&'n Node<'_>>) -> Cow<'n, str> {
    match node.map(|node| &node.value) {
        Some(Value::Text(text)) => Cow::Borrowed(text),
        Some(Value::Bool(truth)) => Cow::Borrowed(if *truth { "true" } else { "false" }),
        Some(Value::Int(number)) => Cow::Owned(number.to_string()),
        _ => Cow::Borrowed(""),
    }
}

/// The wording of a kind's error for an unsupported field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wording {
    Plain,
    Job,
    WithKind,
}

struct KindRow {
    group: &'static str,
    kind: &'static str,
    wording: Wording,
    fields: &'static [SelectableField],
}

const fn text(key: &'static str, path: &'static [&'static str]) -> SelectableField {
    SelectableField { key, source: FieldSource::Text(path) }
}

const fn field(key: &'static str, source: FieldSource) -> SelectableField {
    SelectableField { key, source }
}

const fn kind(
    group: &'static str,
    kind: &'static str,
    wording: Wording,
    fields: &'static [SelectableField],
) -> KindRow {
    KindRow { group, kind, wording, fields }
}

const NAME: SelectableField = text("metadata.name", &["metadata", "name"]);
const NAMESPACE: SelectableField = text("metadata.namespace", &["metadata", "namespace"]);

/// The fields of every kind that is not in [`ROWS`]; the namespace of a cluster-scoped object is
/// empty.
static DEFAULT_FIELDS: &[SelectableField] = &[NAME, NAMESPACE];

/// The kinds with fields of their own.
static ROWS: &[KindRow] = &[
    kind("", "Event", Wording::Plain, EVENT),
    kind("", "Namespace", Wording::Plain, &[NAME, text("status.phase", &["status", "phase"])]),
    kind(
        "",
        "Node",
        Wording::Plain,
        &[NAME, field("spec.unschedulable", FieldSource::Flag(&["spec", "unschedulable"]))],
    ),
    kind("", "Pod", Wording::Plain, POD),
    kind(
        "",
        "ReplicationController",
        Wording::Plain,
        &[NAME, NAMESPACE, field("status.replicas", FieldSource::Number(&["status", "replicas"]))],
    ),
    kind("", "Secret", Wording::Plain, &[NAME, NAMESPACE, text("type", &["type"])]),
    kind(
        "",
        "Service",
        Wording::Plain,
        &[
            NAME,
            NAMESPACE,
            text("spec.clusterIP", &["spec", "clusterIP"]),
            text("spec.type", &["spec", "type"]),
        ],
    ),
    kind(
        "batch",
        "Job",
        Wording::Job,
        &[
            NAME,
            NAMESPACE,
            field("status.successful", FieldSource::Number(&["status", "succeeded"])),
        ],
    ),
    kind("certificates.k8s.io", "CertificateSigningRequest", Wording::Plain, &[NAME, SIGNER]),
    kind("certificates.k8s.io", "ClusterTrustBundle", Wording::Plain, &[NAME, SIGNER]),
    kind(
        "certificates.k8s.io",
        "PodCertificateRequest",
        Wording::Plain,
        &[NAME, SIGNER, text("spec.podName", &["spec", "podName"]), NODE_NAME],
    ),
    kind("events.k8s.io", "Event", Wording::Plain, NEW_EVENT),
    kind(
        "resource.k8s.io",
        "ResourceSlice",
        Wording::WithKind,
        &[NAME, NODE_NAME, text("spec.driver", &["spec", "driver"])],
    ),
];

const SIGNER: SelectableField = text("spec.signerName", &["spec", "signerName"]);
const NODE_NAME: SelectableField = text("spec.nodeName", &["spec", "nodeName"]);

static POD: &[SelectableField] = &[
    NAME,
    NAMESPACE,
    NODE_NAME,
    // The name that old clients use.
    text("spec.host", &["spec", "nodeName"]),
    text("spec.restartPolicy", &["spec", "restartPolicy"]),
    text("spec.schedulerName", &["spec", "schedulerName"]),
    field(
        "spec.serviceAccountName",
        FieldSource::Either(&["spec", "serviceAccountName"], &["spec", "serviceAccount"]),
    ),
    field("spec.hostNetwork", FieldSource::Flag(&["spec", "hostNetwork"])),
    text("status.phase", &["status", "phase"]),
    field(
        "status.podIP",
        FieldSource::OrFirstItem(&["status", "podIP"], &["status", "podIPs"], "ip"),
    ),
    field("status.podIPs", FieldSource::Empty),
    text("status.nominatedNodeName", &["status", "nominatedNodeName"]),
];

static EVENT: &[SelectableField] = &[
    NAME,
    NAMESPACE,
    text("involvedObject.kind", &["involvedObject", "kind"]),
    text("involvedObject.namespace", &["involvedObject", "namespace"]),
    text("involvedObject.name", &["involvedObject", "name"]),
    text("involvedObject.uid", &["involvedObject", "uid"]),
    text("involvedObject.apiVersion", &["involvedObject", "apiVersion"]),
    text("involvedObject.resourceVersion", &["involvedObject", "resourceVersion"]),
    text("involvedObject.fieldPath", &["involvedObject", "fieldPath"]),
    text("reason", &["reason"]),
    text("reportingComponent", &["reportingComponent"]),
    field("source", FieldSource::Either(&["source", "component"], &["reportingComponent"])),
    text("type", &["type"]),
];

static NEW_EVENT: &[SelectableField] = &[
    NAME,
    NAMESPACE,
    text("regarding.kind", &["regarding", "kind"]),
    text("regarding.namespace", &["regarding", "namespace"]),
    text("regarding.name", &["regarding", "name"]),
    text("regarding.uid", &["regarding", "uid"]),
    text("regarding.apiVersion", &["regarding", "apiVersion"]),
    text("regarding.resourceVersion", &["regarding", "resourceVersion"]),
    text("regarding.fieldPath", &["regarding", "fieldPath"]),
    text("reason", &["reason"]),
    text("reportingController", &["reportingController"]),
    text("type", &["type"]),
];

fn row(group: &str, kind: &str) -> Option<&'static KindRow> {
    ROWS.iter().find(|row| row.group == group && row.kind == kind)
}

/// The fields that objects of a built-in kind can be selected by; the group is empty for core.
#[must_use]
pub fn selectable(group: &str, kind: &str) -> &'static [SelectableField] {
    row(group, kind).map_or(DEFAULT_FIELDS, |row| row.fields)
}

/// The API server's error for a field that a kind does not support.
pub(super) fn unsupported_field(group: &str, version: &str, kind: &str, field: &str) -> String {
    match row(group, kind).map(|row| row.wording) {
        None => format!(
            "{} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
            Quoted(field)
        ),
        Some(Wording::Plain) => format!("field label not supported: {field}"),
        Some(Wording::Job) => format!("field label {} not supported for Job", Quoted(field)),
        Some(Wording::WithKind) => {
            format!("field label not supported for {group}/{version}, Kind={kind}: {field}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema;

    #[test]
    fn rows_speak_about_kinds_and_fields_that_exist() {
        for row in ROWS {
            let found = schema::KINDS
                .iter()
                .filter(|kind| kind.group == row.group && kind.kind == row.kind)
                .map(|kind| schema::type_of(kind.ty))
                .inspect(|ty| row.fields.iter().for_each(|field| exists(ty, field)));
            assert!(found.count() > 0, "{}", row.kind);
        }
    }

    fn exists(ty: &'static schema::TypeRow, field: &SelectableField) {
        let paths: &[&[&str]] = match field.source {
            FieldSource::Text(path) | FieldSource::Flag(path) | FieldSource::Number(path) => {
                &[path]
            }
            FieldSource::Either(one, other) | FieldSource::OrFirstItem(one, other, _) => {
                &[one, other]
            }
            FieldSource::Empty => &[],
        };
        for path in paths {
            path.iter().fold(ty, |ty, name| match ty.field(name).expect(name).shape {
                schema::Shape::Object(type_index) => schema::type_of(type_index),
                _ => ty,
            });
        }
    }

    #[test]
    fn kinds_without_a_row_have_names_and_namespaces() {
        assert_eq!(selectable("apps", "Deployment"), DEFAULT_FIELDS);
        assert_eq!(selectable("", "Node").len(), 2);
    }

    #[test]
    fn scalars_of_custom_resources() {
        assert_eq!(scalar_text(Some(&Node::int(3))), "3");
        assert_eq!(scalar_text(Some(&Node::bool(true))), "true");
        assert_eq!(scalar_text(Some(&Node::string("x"))), "x");
        assert_eq!(scalar_text(None), "");
    }
}
