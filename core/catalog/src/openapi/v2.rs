//! OpenAPI version 2 in JSON: one document for all resources.

use alloc::string::String;

use super::closure::Closure;
use super::definitions::{Dialect, write_kind};
use super::parameters::{self, Parameter};
use super::paths::{Operation, PathItem, RequestBody};
use super::types::{Leaf, reference};
use super::{MergeRules, Published, machinery, patch_types, server_paths};
use crate::json::Json;

/// The prefix of references to definitions.
pub(super) const DEFINITIONS: &str = "#/definitions/";
/// The prefix of references to parameters.
pub(super) const PARAMETERS: &str = "#/parameters/";

const DIALECT: Dialect =
    Dialect { reference_prefix: DEFINITIONS, wraps_references: false, write_leaf };

/// What some resources add to the document: members without the braces around them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct V2Parts {
    /// Members of `paths`.
    pub paths: String,
    /// Members of `definitions`.
    pub definitions: String,
}

/// What stands around the parts of a document, with commas between them: before the paths, between paths and
/// definitions, and after these.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct V2Frame {
    /// Before the paths.
    pub start: String,
    /// Between paths and definitions.
    pub between: &'static str,
    /// After the definitions.
    pub end: String,
}

/// The frame of the response to `GET /openapi/v2` for clients that accept JSON.
#[must_use]
pub fn frame() -> V2Frame {
    let mut start = Json::document(|json| {
        json.pair("swagger", "2.0");
        json.key("info").object(|json| {
            json.pair("title", "Kubernetes");
            json.pair("version", "unversioned");
        });
        json.key("paths").object(|_| ());
    });
    start.truncate(start.len() - "}}".len());
    let end = Json::members(|json| {
        json.key("parameters").object(|json| {
            for parameter in parameters::ALL {
                json.key(parameter.name).object(|json| write_parameter(json, parameter));
            }
        });
        write_security(json);
    });
    V2Frame { start, between: "},\"definitions\":{", end: alloc::format!("}},{end}}}") }
}

/// What these resources add to the document. Resources that are defined at run time have no definitions but their own;
/// the others they need come with the built-in ones.
///
/// Without merge rules, strategic merge patches are not offered.
#[must_use]
pub fn parts(published: &[Published<'_, '_>], rules: Option<MergeRules<'_>>) -> V2Parts {
    let paths = Json::members(|json| {
        for item in server_paths(published) {
            json.key(&item.path).object(|json| write_path(json, &item, rules.is_some()));
        }
    });
    let definitions = Json::members(|json| {
        definitions_of(published).each(rules, |id, definition| {
            json.key(id).object(|json| DIALECT.write(json, definition));
        });
    });
    V2Parts { paths, definitions }
}

/// The definitions that resources bring along.
pub(super) fn definitions_of<'r, 'k>(published: &[Published<'r, 'k>]) -> Closure<'r, 'k> {
    match published.iter().all(|published| published.schemas.is_some()) {
        true => Closure::of_custom(published),
        false => Closure::of(published).with_server(),
    }
}

fn write_security(json: &mut Json) {
    json.key("securityDefinitions").object(|json| {
        json.key("BearerToken").object(|json| {
            json.pair("description", "Bearer Token authentication");
            json.pair("type", "apiKey");
            json.pair("name", "authorization");
            json.pair("in", "header");
        });
    });
    json.key("security").list(|json| json.object(|json| json.key("BearerToken").list(|_| ())));
}

fn write_parameter(json: &mut Json, parameter: &Parameter) {
    json.pair("type", parameter.ty);
    json.key("uniqueItems").flag(true);
    json.pair("description", parameter.description);
    json.pair("name", parameter.name);
    json.pair("in", parameter.location());
    if parameter.in_path {
        json.key("required").flag(true);
    }
}

fn write_references(json: &mut Json, parameters: &[&Parameter]) {
    for parameter in parameters {
        json.object(|json| json.pair("$ref", &reference(PARAMETERS, parameter.name)));
    }
}

fn write_path(json: &mut Json, item: &PathItem<'_>, strategic: bool) {
    for operation in &item.operations {
        json.key(operation.method).object(|json| write_operation(json, operation, strategic));
    }
    if !item.parameters.is_empty() {
        json.key("parameters").list(|json| write_references(json, &item.parameters));
    }
}

fn write_operation(json: &mut Json, operation: &Operation<'_>, strategic: bool) {
    json.pair("description", &operation.description);
    match operation.request_body {
        RequestBody::Patch { strategic: fitting } => {
            json.texts("consumes", &patch_types(strategic && fitting));
        }
        _ => json.texts("consumes", operation.media.consumes),
    }
    match operation.response_type {
        Some(_) => json.texts("produces", operation.media.produces),
        None => json.texts("produces", &["*/*"]),
    }
    json.texts("schemes", &["https"]);
    json.texts("tags", &[&operation.tag]);
    json.pair("operationId", &operation.id);
    json.key("parameters").list(|json| {
        write_body(json, &operation.request_body);
        write_references(json, operation.parameters);
    });
    json.key("responses").object(|json| {
        for (code, name) in operation.codes {
            json.key(code).object(|json| {
                json.pair("description", name);
                json.key("schema").object(|json| match &operation.response_type {
                    Some(id) => json.pair("$ref", &reference(DEFINITIONS, id)),
                    None => json.pair("type", "string"),
                });
            });
        }
        json.key("401").object(|json| json.pair("description", "Unauthorized"));
    });
    if !operation.action.is_empty() {
        json.pair("x-kubernetes-action", operation.action);
        json.key("x-kubernetes-group-version-kind");
        write_kind(json, &operation.gvk.into());
    }
}

/// The id of the request body, and whether it is required.
pub(super) fn body_of(request_body: &RequestBody) -> Option<(&str, bool)> {
    match request_body {
        RequestBody::Nothing => None,
        RequestBody::Options(id) => Some((id, false)),
        RequestBody::Object(id) => Some((id, true)),
        RequestBody::Patch { .. } => Some((machinery::PATCH, true)),
    }
}

fn write_body(json: &mut Json, request_body: &RequestBody) {
    let Some((id, required)) = body_of(request_body) else { return };
    json.object(|json| {
        json.pair("name", "body");
        json.pair("in", "body");
        if required {
            json.key("required").flag(true);
        }
        json.key("schema").object(|json| json.pair("$ref", &reference(DEFINITIONS, id)));
    });
}

fn write_leaf(json: &mut Json, leaf: &Leaf) {
    json.pair_if_any("type", leaf.ty);
    json.pair_if_any("format", leaf.format);
}
