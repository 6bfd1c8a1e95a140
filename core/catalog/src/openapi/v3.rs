//! OpenAPI version 3: one document for each group version, and an index of them.

use alloc::format;
use alloc::string::String;

use super::closure::Closure;
use super::definitions::{Dialect, write_kind};
use super::parameters::Parameter;
use super::paths::{Operation, PathItem, RequestBody, root};
use super::types::{Leaf, reference};
use super::{MergeRules, Published, all_paths, machinery, patch_types};
use crate::json::Json;

const SCHEMAS: &str = "#/components/schemas/";

const DIALECT: Dialect = Dialect { reference_prefix: SCHEMAS, wraps_references: true, write_leaf };

/// The response to `GET /openapi/v3`, from the path of each document (see [`path_of`]) and its hash
/// (see [`crate::discovery::hash`]).
#[must_use]
pub fn index<'p>(documents: impl Iterator<Item = (&'p str, &'p str)>) -> String {
    Json::document(|json| {
        json.key("paths").object(|json| {
            for (path, hash) in documents {
                let url = format!("/openapi/v3/{path}?hash={hash}");
                json.key(path).object(|json| json.pair("serverRelativeURL", &url));
            }
        });
    })
}

/// The path of the document of a group version in the index, such as `api/v1`.
#[must_use]
pub fn path_of(group: &str, version: &str) -> String {
    root(group, version).trim_start_matches('/').into()
}

/// The response to `GET /openapi/v3/{path}` for the resources of a group version.
///
/// Without merge rules, strategic merge patches are not offered.
#[must_use]
pub fn document(published: &[Published<'_, '_>], rules: Option<MergeRules<'_>>) -> String {
    let is_custom = published.iter().all(|published| published.schemas.is_some());
    let (title, version) = match is_custom {
        true => ("Kubernetes CRD Swagger", "v0.1.0"),
        false => ("Kubernetes", "unversioned"),
    };
    Json::document(|json| {
        json.pair("openapi", "3.0.0");
        json.key("info").object(|json| {
            json.pair("title", title);
            json.pair("version", version);
        });
        json.key("paths").object(|json| {
            for item in all_paths(published) {
                json.key(&item.path).object(|json| write_path(json, &item, rules.is_some()));
            }
        });
        json.key("components").object(|json| {
            json.key("schemas").object(|json| {
                Closure::of(published).each(rules, |id, definition| {
                    json.key(id).object(|json| DIALECT.write(json, definition));
                });
            });
            if !is_custom {
                write_security(json);
            }
        });
    })
}

fn write_security(json: &mut Json) {
    json.key("securitySchemes").object(|json| {
        json.key("BearerToken").object(|json| {
            json.pair("type", "apiKey");
            json.pair("description", "Bearer Token authentication");
            json.pair("name", "authorization");
            json.pair("in", "header");
        });
    });
}

fn write_path(json: &mut Json, item: &PathItem<'_>, strategic: bool) {
    if !item.parameters.is_empty() {
        json.key("parameters").list(|json| {
            item.parameters.iter().for_each(|parameter| write_parameter(json, parameter));
        });
    }
    for operation in &item.operations {
        json.key(operation.method).object(|json| write_operation(json, operation, strategic));
    }
}

fn write_parameter(json: &mut Json, parameter: &Parameter) {
    json.object(|json| {
        json.pair("name", parameter.name);
        json.pair("in", parameter.location());
        json.pair("description", parameter.description);
        if parameter.in_path {
            json.key("required").flag(true);
        }
        json.key("schema").object(|json| {
            json.pair("type", parameter.ty);
            json.key("uniqueItems").flag(true);
        });
    });
}

fn write_operation(json: &mut Json, operation: &Operation<'_>, strategic: bool) {
    json.texts("tags", &[&operation.tag]);
    json.pair("description", &operation.description);
    json.pair("operationId", &operation.id);
    if !operation.parameters.is_empty() {
        json.key("parameters").list(|json| {
            operation.parameters.iter().for_each(|parameter| write_parameter(json, parameter));
        });
    }
    match &operation.request_body {
        RequestBody::Nothing => (),
        RequestBody::Options(id) => write_request(json, operation.media.consumes, id, false),
        RequestBody::Object(id) => write_request(json, operation.media.consumes, id, true),
        RequestBody::Patch { strategic: fitting } => {
            write_request(json, &patch_types(strategic && *fitting), machinery::PATCH, true);
        }
    }
    json.key("responses").object(|json| {
        for (code, name) in operation.codes {
            json.key(code).object(|json| {
                json.pair("description", name);
                write_response(json, operation);
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

fn write_request(json: &mut Json, types: &[&str], id: &str, required: bool) {
    json.key("requestBody").object(|json| {
        json.key("content").object(|json| types.iter().for_each(|ty| write_content(json, ty, id)));
        if required {
            json.key("required").flag(true);
        }
    });
}

fn write_content(json: &mut Json, ty: &str, id: &str) {
    json.key(ty).object(|json| {
        json.key("schema").object(|json| json.pair("$ref", &reference(SCHEMAS, id)));
    });
}

fn write_response(json: &mut Json, operation: &Operation<'_>) {
    json.key("content").object(|json| match &operation.response_type {
        Some(id) => operation.media.produces.iter().for_each(|ty| write_content(json, ty, id)),
        None => json.key("*/*").object(|json| {
            json.key("schema").object(|json| json.pair("type", "string"));
        }),
    });
}

fn write_leaf(json: &mut Json, leaf: &Leaf) {
    json.pair_if_any("format", leaf.format);
    if leaf.one_of.is_empty() {
        json.pair_if_any("type", leaf.ty);
    } else {
        json.key("oneOf").list(|json| {
            leaf.one_of.iter().for_each(|ty| json.object(|json| json.pair("type", ty)));
        });
    }
}
