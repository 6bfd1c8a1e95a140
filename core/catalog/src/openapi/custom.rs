//! Paths of resources that are defined at run time: the same operations for all, as the API server describes them.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::closure::kind_id;
use super::machinery::{DELETE_OPTIONS, STATUS};
use super::parameters::{self, NAME, NAMESPACE, PRETTY, Parameter, Parameters};
use super::paths::{Codes, MediaTypes, Operation, PathItem, RequestBody, capitalize, root};
use crate::resources::{Resource, Subresource};

/// The content types of custom resources, which have no protobuf.
static MEDIA: MediaTypes = MediaTypes {
    consumes: &["application/json", "application/yaml"],
    produces: &["application/json", "application/yaml"],
};

const OK: Codes = &[("200", "OK")];
const WRITTEN: Codes = &[("200", "OK"), ("201", "Created")];
const CREATED: Codes = &[("200", "OK"), ("201", "Created"), ("202", "Accepted")];
const DELETED: Codes = &[("200", "OK"), ("202", "Accepted")];

/// All paths of a resource whose lists have the schema `list_id`.
pub(crate) fn of_resource<'k>(resource: &Resource<'k>, list_id: &str) -> Vec<PathItem<'k>> {
    let builder = Builder { resource, list_id, subresource: "" };
    let root = root(resource.group, resource.version);
    let mut collection = format!("{root}/{}", resource.plural);
    let mut items = Vec::new();
    let mut shared: Vec<&'static Parameter> = Vec::new();
    if resource.namespaced {
        // What a single operation has, all operations of the path have.
        let mut list = builder.list("ForAllNamespaces");
        let mut parameters = list.parameters.to_vec();
        parameters.push(&PRETTY);
        list.parameters = &[];
        items.push(PathItem { path: collection, parameters, operations: Vec::from([list]) });
        shared.push(&NAMESPACE);
        collection = format!("{root}/namespaces/{{namespace}}/{}", resource.plural);
    }
    let parameters = |names: &[&'static Parameter]| [names, &[&PRETTY]].concat();
    let object = format!("{collection}/{{name}}");
    let operations = Vec::from([builder.delete_collection(), builder.list(""), builder.create()]);
    items.push(PathItem { path: collection, parameters: parameters(&shared), operations });
    shared.push(&NAME);
    let operations =
        Vec::from([builder.delete(), builder.read(), builder.patch(), builder.replace()]);
    items.push(PathItem { path: object.clone(), parameters: parameters(&shared), operations });
    for Subresource { name, .. } in resource.subresources {
        let below = Builder { subresource: name, ..builder };
        let operations = Vec::from([below.read(), below.patch(), below.replace()]);
        let path = format!("{object}/{name}");
        items.push(PathItem { path, parameters: parameters(&shared), operations });
    }
    items
}

/// Builds the operations of a resource, or of a subresource of it.
#[derive(Clone, Copy)]
struct Builder<'r, 'k> {
    resource: &'r Resource<'k>,
    list_id: &'r str,
    /// Empty for the resource itself.
    subresource: &'static str,
}

impl<'k> Builder<'_, 'k> {
    /// The operation id: verb, group, version, scope, kind, subresource.
    fn id(&self, verb: &str, scope: &str, suffix: &str) -> String {
        let Resource { group, version, kind, .. } = self.resource;
        let group = words(group.strip_suffix(".k8s.io").unwrap_or(group), true);
        let (version, below) = (words(version, true), capitalize(self.subresource));
        format!("{verb}{group}{version}{scope}{kind}{below}{suffix}")
    }

    fn scope(&self) -> &'static str {
        if self.resource.namespaced { "Namespaced" } else { "" }
    }

    /// The description: verb, subresource, article and kind.
    fn description(&self, verb: &str, article: &str) -> String {
        let kind = self.resource.kind;
        match self.subresource {
            "" => format!("{verb} {article}{kind}"),
            below => format!("{verb} {below} of {article}{kind}"),
        }
    }

    fn article(&self) -> &'static str {
        match self.resource.kind.starts_with(['A', 'E', 'I', 'O', 'U', 'a', 'e', 'i', 'o', 'u']) {
            true => "an ",
            false => "a ",
        }
    }

    /// The id of the schema of what is sent and received.
    fn schema_id(&self) -> String {
        let below = self.resource.subresource(self.subresource);
        kind_id(below.map_or_else(|| self.resource.gvk(), |below| below.gvk(self.resource)))
    }

    fn operation(&self, method: &'static str, verb: &str, article: &str) -> Operation<'k> {
        let Resource { group, version, .. } = self.resource;
        let group = words(group.strip_suffix(".k8s.io").unwrap_or(group), false);
        Operation {
            method,
            action: method,
            // Also of the scale, whose own kind is another.
            gvk: self.resource.gvk(),
            id: self.id(verb, self.scope(), ""),
            description: self.description(verb, article),
            tag: format!("{group}_{}", words(version, false)),
            parameters: &[],
            request_body: RequestBody::Nothing,
            response_type: Some(self.schema_id()),
            codes: OK,
            media: &MEDIA,
        }
    }

    fn list(&self, suffix: &str) -> Operation<'k> {
        let scope = if suffix.is_empty() { self.scope() } else { "" };
        Operation {
            action: "list",
            id: self.id("list", scope, suffix),
            parameters: parameters::OF_LIST,
            response_type: Some(self.list_id.into()),
            ..self.operation("get", "list", "objects of kind ")
        }
    }

    fn delete_collection(&self) -> Operation<'k> {
        Operation {
            action: "deletecollection",
            id: self.id("delete", &format!("Collection{}", self.scope()), ""),
            description: format!("delete collection of {}", self.resource.kind),
            parameters: parameters::OF_LIST,
            response_type: Some(STATUS.into()),
            ..self.operation("delete", "delete", "")
        }
    }

    fn create(&self) -> Operation<'k> {
        self.write("post", "create", self.article(), CREATED)
    }

    fn replace(&self) -> Operation<'k> {
        self.write("put", "replace", "the specified ", WRITTEN)
    }

    fn write(
        &self,
        method: &'static str,
        verb: &str,
        article: &str,
        codes: Codes,
    ) -> Operation<'k> {
        Operation {
            parameters: parameters::OF_CHANGE,
            request_body: RequestBody::Object(self.schema_id()),
            codes,
            ..self.operation(method, verb, article)
        }
    }

    fn read(&self) -> Operation<'k> {
        const GET: Parameters = &[&parameters::RESOURCE_VERSION];
        Operation { parameters: GET, ..self.operation("get", "read", "the specified ") }
    }

    fn patch(&self) -> Operation<'k> {
        Operation {
            description: self.description("partially update", "the specified "),
            parameters: parameters::OF_PATCH,
            request_body: RequestBody::Patch { strategic: false },
            ..self.operation("patch", "patch", "")
        }
    }

    fn delete(&self) -> Operation<'k> {
        Operation {
            parameters: parameters::OF_DELETE,
            request_body: RequestBody::Options(DELETE_OPTIONS),
            response_type: Some(STATUS.into()),
            codes: DELETED,
            ..self.operation("delete", "delete", self.article())
        }
    }
}

/// A name in camel case: what is neither letter, digit nor underscore is left out, and the next letter is upper case.
fn words(name: &str, capitalized: bool) -> String {
    let mut is_upper = capitalized;
    let mut out = String::with_capacity(name.len());
    for (index, letter) in name.char_indices() {
        if letter.is_alphabetic() || letter == '_' || (index > 0 && letter.is_ascii_digit()) {
            out.push(if is_upper { letter.to_ascii_uppercase() } else { letter });
            is_upper = false;
        } else {
            is_upper = true;
        }
    }
    out
}
