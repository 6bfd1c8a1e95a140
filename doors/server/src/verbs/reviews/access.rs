//! SubjectAccessReview, SelfSubjectAccessReview and LocalSubjectAccessReview.

use super::fields::{ValidationErrors, extra_of, texts};
use super::selectors::{self, Selectors};
use crate::access::authorize::Authorizer;
use crate::app::resource_request::ResourceRequest;
use crate::status::StatusError;
use ratchet_access::{Attributes, Decision, Resource, Target, User};
use ratchet_object::{Node, Value};

const EMPTY_METADATA: &str = "must be empty";
const LOCAL_METADATA: &str = "must be empty except for namespace";

/// Validates an access review and returns its status.
pub(super) fn answer(
    request: &ResourceRequest<'_>,
    review: &Node<'_>,
) -> Result<Node<'static>, StatusError> {
    let kind = request.resource.row().kind;
    let errors = validate(kind, review);
    if !errors.is_empty() {
        // The reference names no kind here: its decoded object has none.
        let group = request.resource.row().group;
        return Err(StatusError::invalid_object("", group, "", errors.into_causes()));
    }
    let subject = match kind {
        "SelfSubjectAccessReview" => request.user.clone(),
        _ => subject(review),
    };
    Ok(review_status(&request.app.authorizer, review, &subject))
}

/// Validates an access review.
fn validate(kind: &str, review: &Node<'_>) -> ValidationErrors {
    let empty = Node::empty_map();
    let spec = review.get("spec").unwrap_or(&empty);
    let mut errors = ValidationErrors::default();
    let resource = present_field(spec, "resourceAttributes");
    let path = present_field(spec, "nonResourceAttributes");
    match (resource, path) {
        (Some(_), Some(path)) => {
            let detail = "cannot be specified in combination with resourceAttributes";
            errors.invalid("spec.nonResourceAttributes", &format_path_attributes(path), detail);
        }
        (None, None) => {
            let detail =
                "exactly one of nonResourceAttributes or resourceAttributes must be specified";
            errors.invalid("spec.resourceAttributes", "null", detail);
        }
        _ => {}
    }
    let is_nobody = spec.text_at(&["user"]).is_empty() && texts(spec.get("groups")).is_empty();
    if kind != "SelfSubjectAccessReview" && is_nobody {
        errors.invalid("spec.user", "\"\"", "at least one of user or group must be specified");
    }
    if let Some(resource) = resource {
        selectors::validate(resource, &mut errors);
    }
    let is_local = kind == "LocalSubjectAccessReview";
    let metadata = review.get("metadata").unwrap_or(&empty);
    let stated = stated_metadata(metadata);
    if stated.entries().iter().any(|entry| !(is_local && entry.key == "namespace")) {
        let detail = if is_local { LOCAL_METADATA } else { EMPTY_METADATA };
        errors.invalid("metadata", &stated.to_json(), detail);
    }
    if is_local {
        let namespace = resource.map(|resource| resource.text_at(&["namespace"]));
        if let Some(other) = namespace.filter(|one| *one != metadata.text_at(&["namespace"])) {
            let quoted = ratchet_net::Quoted(other).to_string();
            let field = "spec.resourceAttributes.namespace";
            errors.invalid(field, &quoted, "must match metadata.namespace");
        }
        if let Some(path) = path {
            let detail = "disallowed on this kind of request";
            errors.invalid("spec.nonResourceAttributes", &format_path_attributes(path), detail);
        }
    }
    errors
}

/// The metadata fields that a client can set, in the order of the reference's output.
const METADATA: [&str; 9] = [
    "name",
    "generateName",
    "namespace",
    "resourceVersion",
    "generation",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
];

/// The non-empty metadata fields.
fn stated_metadata(metadata: &Node<'_>) -> Node<'static> {
    let is_empty = |node: &Node<'_>| match &node.value {
        Value::Null => true,
        Value::Text(text) => text.is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        _ => node.as_int() == Some(0),
    };
    let mut stated = Node::empty_map();
    for name in METADATA {
        let Some(member) = metadata.get(name).filter(|member| !is_empty(member)) else { continue };
        let mut member = member.clone().into_owned();
        if let Value::Map(entries) = &mut member.value {
            entries.sort_by(|one, other| one.key.cmp(&other.key));
        }
        stated.set(name, member);
    }
    stated
}

/// A field that is present and not null.
fn present_field<'n, 't>(node: &'n Node<'t>, name: &str) -> Option<&'n Node<'t>> {
    node.get(name).filter(|member| !member.is_null())
}

/// Non-resource attributes as the reference prints its internal type.
fn format_path_attributes(path: &Node<'_>) -> String {
    let text = |name: &str| Node::string(path.text_at(&[name]).to_owned());
    Node::map([("Path", text("path")), ("Verb", text("verb"))]).to_json()
}

/// The user that a review is about.
fn subject(review: &Node<'_>) -> User {
    let text = |name: &str| review.text_at(&["spec", name]).to_owned();
    User {
        name: text("user"),
        uid: text("uid"),
        groups: texts(review.find(&["spec", "groups"])),
        extra: extra_of(review.find(&["spec", "extra"])),
    }
}

fn review_status(authorizer: &Authorizer, review: &Node<'_>, user: &User) -> Node<'static> {
    let empty = Node::empty_map();
    let spec = review.get("spec").unwrap_or(&empty);
    let Some(resource) = present_field(spec, "resourceAttributes") else {
        let path = spec.get("nonResourceAttributes").unwrap_or(&empty);
        let target = Target::Path(path.text_at(&["path"]));
        let attributes = Attributes { user, verb: path.text_at(&["verb"]), target };
        return status(&authorizer.decide(&attributes), &[]);
    };
    let Selectors { fields, ignored } = selectors::parse(resource);
    let version = match resource.text_at(&["version"]) {
        "" => "*",
        version => version,
    };
    let target = Target::Resource(Resource {
        group: resource.text_at(&["group"]),
        version,
        resource: resource.text_at(&["resource"]),
        subresource: resource.text_at(&["subresource"]),
        namespace: resource.text_at(&["namespace"]),
        name: resource.text_at(&["name"]),
        field_selector: &fields,
    });
    let attributes = Attributes { user, verb: resource.text_at(&["verb"]), target };
    status(&authorizer.decide(&attributes), &ignored)
}

fn status(decision: &Decision, ignored: &[&str]) -> Node<'static> {
    let mut status = Node::map([("allowed", Node::bool(decision.is_allowed()))]);
    if matches!(decision, Decision::Deny { .. }) {
        status.set("denied", Node::bool(true));
    }
    if !decision.reason().is_empty() {
        status.set("reason", Node::string(decision.reason().to_owned()));
    }
    if !ignored.is_empty() {
        status.set("evaluationError", Node::string(ignored.join("; ")));
    }
    status
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn errors(kind: &str, review: &str) -> Vec<String> {
        let node = decode(review, Limits::DEFAULT).unwrap().documents.remove(0).into_owned();
        let causes = validate(kind, &node).into_causes();
        causes.into_iter().map(|cause| format!("{}: {}", cause.field, cause.message)).collect()
    }

    #[test]
    fn a_question_is_about_somebody_and_one_thing() {
        let both = "{spec: {user: u, resourceAttributes: {}, nonResourceAttributes: {path: /x, verb: get}}}";
        let combined = r#"spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}: cannot be specified in combination with resourceAttributes"#;
        assert_eq!(errors("SubjectAccessReview", both), [combined]);
        assert_eq!(errors("SelfSubjectAccessReview", both), [combined]);
        let neither = "spec.resourceAttributes: Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified";
        let nobody =
            "spec.user: Invalid value: \"\": at least one of user or group must be specified";
        assert_eq!(errors("SubjectAccessReview", "{}"), [neither, nobody]);
        assert_eq!(errors("SelfSubjectAccessReview", "{spec: {}}"), [neither]);
        let groups = "{spec: {groups: [g], resourceAttributes: {}}}";
        assert!(errors("SubjectAccessReview", groups).is_empty());
        let named = "{metadata: {name: x}, spec: {user: u, resourceAttributes: {}}}";
        let metadata = r#"metadata: Invalid value: {"name":"x"}: must be empty"#;
        assert_eq!(errors("SubjectAccessReview", named), [metadata]);
        assert_eq!(errors("SelfSubjectAccessReview", named), [metadata]);
        let silent = "{metadata: {name: '', labels: {}, finalizers: []}, spec: {user: u, resourceAttributes: {}}}";
        assert!(errors("SubjectAccessReview", silent).is_empty());
    }

    #[test]
    fn a_local_question_stays_in_its_namespace() {
        let local = |text: &str| errors("LocalSubjectAccessReview", text);
        let own = "{metadata: {namespace: a}, spec: {user: u, resourceAttributes: {namespace: a}}}";
        assert!(local(own).is_empty());
        for (namespace, quoted) in [("namespace: b", "\"b\""), ("name: x", "\"\"")] {
            let text = format!(
                "{{metadata: {{namespace: a}}, spec: {{user: u, resourceAttributes: {{{namespace}}}}}}}"
            );
            assert_eq!(
                local(&text),
                [format!(
                    "spec.resourceAttributes.namespace: Invalid value: {quoted}: must match metadata.namespace"
                )]
            );
        }
        assert_eq!(
            local(
                "{metadata: {namespace: a, labels: {x: z}}, spec: {user: u, nonResourceAttributes: {path: /healthz}}}"
            ),
            [
                r#"metadata: Invalid value: {"namespace":"a","labels":{"x":"z"}}: must be empty except for namespace"#,
                r#"spec.nonResourceAttributes: Invalid value: {"Path":"/healthz","Verb":""}: disallowed on this kind of request"#,
            ]
        );
    }
}
