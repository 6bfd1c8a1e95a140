//! What a client may ask to have made of an answer: a table, or the metadata of an object or a list.

use crate::app::resource_request::Content;
use crate::registry::ServedResource;
use crate::request::{Form, Output, Params};
use crate::status::StatusError;
use ratchet_net::Quoted;
use ratchet_object::{Limits, Node, decode_json};

/// Refuses an answer that cannot have the negotiated form. The request has done its work by then, as in the reference.
pub(super) fn check(
    content: &Content,
    resource: &ServedResource,
    output: Output,
    params: &Params,
) -> Result<(), StatusError> {
    match output.form {
        Form::Whole => Ok(()),
        Form::Table => check_options(params),
        Form::Metadata | Form::MetadataList => check_shape(content, resource, output.form),
    }
}

fn check_options(params: &Params) -> Result<(), StatusError> {
    let include = params.text("includeObject");
    if matches!(include, "" | "Metadata" | "Object" | "None") {
        return Ok(());
    }
    let (quoted, allowed) = (Quoted(include), "must be 'Metadata', 'Object', 'None', or empty");
    Err(StatusError::bad_request(format!(
        "Unable to convert to Table as requested: includeObject: Invalid value: {quoted}: {allowed}"
    )))
}

fn check_shape(
    content: &Content,
    resource: &ServedResource,
    form: Form,
) -> Result<(), StatusError> {
    let row = resource.row();
    let (is_list, group, kind) = match content {
        Content::Item(_) => (false, row.group.to_owned(), row.kind.to_owned()),
        Content::List(_) => (true, row.group.to_owned(), resource.list_kind()),
        Content::Json(text) => match named(text) {
            Some((group, kind)) => (kind.ends_with("List"), group, kind),
            None => return Ok(()),
        },
        Content::Stream(_) => return Ok(()),
    };
    let go_type = resource.go_type(is_list);
    if go_type.is_some() && (form, is_list) == (Form::MetadataList, false) {
        // Go's type of custom objects is one of lists, too, and finds out that it is none.
        return Err(StatusError::unclassified("content is not a list"));
    }
    let type_name = match go_type {
        Some(name) => name.to_owned(),
        None => format!("*{}.{kind}", package(&group)),
    };
    match (form, is_list) {
        (Form::Metadata, true) => Err(StatusError::not_transformable(format!(
            "you requested PartialObjectMetadata, but the requested object is a list ({type_name})"
        ))),
        (Form::MetadataList, false) => Err(StatusError::not_transformable(format!(
            "you requested PartialObjectMetadataList, but the requested object is not a list ({type_name})"
        ))),
        _ => Ok(()),
    }
}

/// Group and kind of a document; none if it is a Status, which is never transformed.
fn named(text: &str) -> Option<(String, String)> {
    let decoded = decode_json(text, Limits::STORED).ok()?;
    let document = decoded.documents.first()?;
    let (version, kind) = (document.text_at(&["apiVersion"]), document.text_at(&["kind"]));
    let group = version.rsplit_once('/').map_or("", |(group, _)| group);
    (kind != "Status").then(|| (group.to_owned(), kind.to_owned()))
}

/// The Go package of a group's internal types, which messages name.
fn package(group: &str) -> &str {
    match group {
        "" | "events.k8s.io" => "core",
        "internal.apiserver.k8s.io" => "apiserverinternal",
        group => group.split('.').next().unwrap_or(group),
    }
}

/// The metadata of a document that is not a stored object; none if it is a Status.
pub(super) fn metadata_of(text: &str, meta_version: &str) -> Option<String> {
    let decoded = decode_json(text, Limits::STORED).ok()?;
    let document = decoded.documents.first()?;
    let kind = document.text_at(&["kind"]);
    if kind == "Status" {
        return None;
    }
    let partial = |node: &Node<'_>| {
        let empty = Node::empty_map();
        let metadata = node.get("metadata").unwrap_or(&empty);
        format!(
            r#"{{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/{meta_version}","metadata":{metadata}}}"#
        )
    };
    if !kind.ends_with("List") {
        return Some(partial(document));
    }
    let items = document.get("items").map(Node::items).unwrap_or_default();
    let items: Vec<String> = items.iter().map(partial).collect();
    let empty = Node::empty_map();
    let metadata = document.get("metadata").unwrap_or(&empty);
    Some(format!(
        r#"{{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/{meta_version}","metadata":{metadata},"items":[{}]}}"#,
        items.join(",")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_know_what_to_include() {
        let check = |query| check_options(&Params::parse(Some(query)));
        assert!(check("").is_ok() && check("includeObject=Object").is_ok());
        assert_eq!(
            check("includeObject=all").unwrap_err().message,
            "Unable to convert to Table as requested: includeObject: Invalid value: \"all\": must be 'Metadata', 'Object', 'None', or empty"
        );
    }

    #[test]
    fn documents_have_metadata_and_statuses_stay() {
        let review = r#"{"kind":"TokenReview","apiVersion":"authentication.k8s.io/v1","metadata":{"name":"a"},"spec":{}}"#;
        assert_eq!(
            metadata_of(review, "v1").unwrap(),
            r#"{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"a"}}"#
        );
        let list = r#"{"kind":"ComponentStatusList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a"}}]}"#;
        assert_eq!(
            metadata_of(list, "v1beta1").unwrap(),
            r#"{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1beta1","metadata":{},"items":[{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1beta1","metadata":{"name":"a"}}]}"#
        );
        assert_eq!(metadata_of(r#"{"kind":"Status","apiVersion":"v1"}"#, "v1"), None);
        assert_eq!(named(review).unwrap().0, "authentication.k8s.io");
    }

    #[test]
    fn packages_of_internal_types() {
        for (group, wanted) in [
            ("", "core"),
            ("events.k8s.io", "core"),
            ("rbac.authorization.k8s.io", "rbac"),
            ("internal.apiserver.k8s.io", "apiserverinternal"),
        ] {
            assert_eq!(package(group), wanted);
        }
    }
}
