//! Paths and operations of an OpenAPI document, from the verbs of resources.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::closure::{kind_id, list_id};
use super::machinery::{DELETE_OPTIONS, STATUS};
use super::parameters::{self, NAME, NAMESPACE, PRETTY, PROXY_PATH, Parameter, Parameters};
use crate::resources::{GroupVersionKind, Resource, Subresource};

/// A path and its operations.
pub(crate) struct PathItem<'k> {
    /// The path, with variables in braces.
    pub(crate) path: String,
    /// The parameters of every request to the path.
    pub(crate) parameters: Vec<&'static Parameter>,
    pub(crate) operations: Vec<Operation<'k>>,
}

/// One operation of a path.
pub(crate) struct Operation<'k> {
    /// The HTTP method, in lower case.
    pub(crate) method: &'static str,
    /// The `x-kubernetes-action`.
    pub(crate) action: &'static str,
    /// The kind of the operation. kubectl finds the PATCH of a kind by it.
    pub(crate) gvk: GroupVersionKind<'k>,
    /// The unique operation id.
    pub(crate) id: String,
    pub(crate) description: String,
    /// The group version.
    pub(crate) tag: String,
    /// The query parameters.
    pub(crate) parameters: Parameters,
    pub(crate) request_body: RequestBody,
    /// The id of the response type; `None` for text.
    pub(crate) response_type: Option<String>,
    /// The success codes, each with its name.
    pub(crate) codes: Codes,
    pub(crate) media: &'static MediaTypes,
}

/// The content types of an operation, patches aside.
pub(crate) struct MediaTypes {
    pub(crate) consumes: &'static [&'static str],
    pub(crate) produces: &'static [&'static str],
}

/// Those of built-in resources.
static MEDIA: MediaTypes = MediaTypes {
    consumes: &["*/*"],
    produces: &["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"],
};

/// What an operation expects from its client.
pub(crate) enum RequestBody {
    /// No body.
    Nothing,
    /// Optional options.
    Options(&'static str),
    /// An object of the definition with this id.
    Object(String),
    /// A patch; strategic merge only for kinds that have a schema.
    Patch { strategic: bool },
}

/// Success codes, each with its name.
pub(crate) type Codes = &'static [(&'static str, &'static str)];

const OK: Codes = &[("200", "OK")];
const CREATED: Codes = &[("200", "OK"), ("201", "Created")];
const CREATED_OR_ACCEPTED: Codes = &[("200", "OK"), ("201", "Created"), ("202", "Accepted")];
const ACCEPTED: Codes = &[("200", "OK"), ("202", "Accepted")];

/// All paths of a resource.
pub(crate) fn of_resource<'k>(resource: &Resource<'k>) -> Vec<PathItem<'k>> {
    let root = root(resource.group, resource.version);
    let mut shared = Vec::new();
    let mut collection = format!("{root}/{}", resource.plural);
    let mut items = Vec::new();
    if resource.namespaced {
        if resource.allows("list") {
            let everywhere =
                OperationTarget { resource, subresource: None, suffix: "ForAllNamespaces" };
            let operations = Vec::from([everywhere.list()]);
            let parameters = Vec::from([&PRETTY]);
            items.push(PathItem { path: collection, parameters, operations });
        }
        shared.push(&NAMESPACE);
        collection = format!("{root}/namespaces/{{namespace}}/{}", resource.plural);
    }
    let object = format!("{collection}/{{name}}");
    let site = OperationTarget { resource, subresource: None, suffix: "" };
    items.push(item(collection, &shared, &[], site.on_collection()));
    shared.push(&NAME);
    items.push(item(object.clone(), &shared, &[], site.on_object()));
    for subresource in resource.subresources {
        let path = format!("{object}/{}", subresource.name);
        let extra = parameters::of_subresource(subresource.name);
        let site = OperationTarget { resource, subresource: Some(subresource), suffix: "" };
        if subresource.connects() && subresource.name == "proxy" {
            let deeper = OperationTarget { suffix: "WithPath", ..site };
            let path = format!("{path}/{{path}}");
            items.push(item(path, &shared, &[&PROXY_PATH], deeper.on_object()));
        }
        items.push(item(path, &shared, extra, site.on_object()));
    }
    items.retain(|item| !item.operations.is_empty());
    items
}

/// The root path of a group version.
pub(crate) fn root(group: &str, version: &str) -> String {
    if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") }
}

fn item<'k>(
    path: String,
    shared: &[&'static Parameter],
    extra: &[&'static Parameter],
    operations: Vec<Operation<'k>>,
) -> PathItem<'k> {
    let mut parameters = [shared, extra].concat();
    parameters.push(&PRETTY);
    PathItem { path, parameters, operations }
}

/// A resource or subresource at which operations are defined.
#[derive(Clone, Copy)]
struct OperationTarget<'r, 'k> {
    resource: &'r Resource<'k>,
    subresource: Option<&'static Subresource>,
    /// The suffix that makes operation ids unique.
    suffix: &'static str,
}

impl<'k> OperationTarget<'_, 'k> {
    fn allows(&self, verb: &str) -> bool {
        self.subresource
            .map_or_else(|| self.resource.allows(verb), |subresource| subresource.allows(verb))
    }

    fn gvk(&self) -> GroupVersionKind<'k> {
        self.subresource.map_or_else(|| self.resource.gvk(), |below| below.gvk(self.resource))
    }

    /// The object of the operation in words: `the status of a Pod`, or only `a Pod`.
    fn subject(&self) -> String {
        match self.subresource {
            Some(subresource) => format!("the {} of a {}", subresource.name, self.resource.kind),
            None => format!("a {}", self.resource.kind),
        }
    }

    /// The operation id: verb, group, version, scope, kind, subresource.
    fn name(&self, verb: &str, between: &str) -> String {
        let Resource { group, version, kind, .. } = self.resource;
        let group: String = group_words(group).map(capitalize).collect();
        let scope = match self.suffix {
            "ForAllNamespaces" => "",
            _ if self.resource.namespaced => "Namespaced",
            _ => "",
        };
        let subresource = capitalize(self.subresource.map_or("", |subresource| subresource.name));
        let version = capitalize(version);
        format!("{verb}{group}{version}{between}{scope}{kind}{subresource}{}", self.suffix)
    }

    fn operation(&self, method: &'static str, action: &'static str) -> Operation<'k> {
        let words = group_words(self.resource.group).enumerate();
        let group: String =
            words.map(|(at, word)| if at == 0 { word.into() } else { capitalize(word) }).collect();
        Operation {
            method,
            action,
            gvk: self.gvk(),
            id: String::new(),
            description: String::new(),
            tag: format!("{group}_{}", self.resource.version),
            parameters: &[],
            request_body: RequestBody::Nothing,
            response_type: Some(kind_id(self.gvk())),
            codes: OK,
            media: &MEDIA,
        }
    }

    fn list(&self) -> Operation<'k> {
        Operation {
            id: self.name("list", ""),
            description: format!("List or watch objects of kind {}", self.resource.kind),
            parameters: parameters::OF_LIST,
            response_type: Some(list_id(self.gvk())),
            ..self.operation("get", "list")
        }
    }

    fn create(&self) -> Operation<'k> {
        Operation {
            id: self.name("create", ""),
            description: format!("Create {}", self.subject()),
            parameters: parameters::OF_CHANGE,
            request_body: RequestBody::Object(kind_id(self.gvk())),
            codes: CREATED_OR_ACCEPTED,
            ..self.operation("post", "post")
        }
    }

    fn on_collection(&self) -> Vec<Operation<'k>> {
        let delete = || Operation {
            id: self.name("delete", "Collection"),
            description: format!("Delete objects of kind {}", self.resource.kind),
            parameters: parameters::OF_DELETE_COLLECTION,
            request_body: RequestBody::Options(DELETE_OPTIONS),
            response_type: Some(STATUS.into()),
            ..self.operation("delete", "deletecollection")
        };
        let mut operations = Vec::new();
        operations.extend(self.allows("deletecollection").then(delete));
        operations.extend(self.allows("list").then(|| self.list()));
        operations.extend(self.allows("create").then(|| self.create()));
        operations
    }

    fn on_object(&self) -> Vec<Operation<'k>> {
        if self.subresource.is_some_and(Subresource::connects) {
            return self.connections();
        }
        let mut operations = Vec::new();
        operations.extend(self.allows("delete").then(|| self.delete()));
        operations.extend(self.allows("get").then(|| self.read()));
        operations.extend(self.allows("patch").then(|| self.patch()));
        // Below an object; objects themselves are created in the collection.
        operations
            .extend((self.subresource.is_some() && self.allows("create")).then(|| self.create()));
        operations.extend(self.allows("update").then(|| self.replace()));
        operations
    }

    fn read(&self) -> Operation<'k> {
        let plain = self.operation("get", "get");
        let is_log = self.subresource.is_some_and(|subresource| subresource.name == "log");
        Operation {
            id: self.name("read", ""),
            description: format!("Read {}", self.subject()),
            response_type: plain.response_type.filter(|_| !is_log),
            ..plain
        }
    }

    fn replace(&self) -> Operation<'k> {
        Operation {
            id: self.name("replace", ""),
            description: format!("Replace {}", self.subject()),
            parameters: parameters::OF_CHANGE,
            request_body: RequestBody::Object(kind_id(self.gvk())),
            codes: CREATED,
            ..self.operation("put", "put")
        }
    }

    fn patch(&self) -> Operation<'k> {
        let GroupVersionKind { group, version, kind } = self.gvk();
        let strategic = ratchet_object::schema::kind(group, version, kind).is_some();
        Operation {
            id: self.name("patch", ""),
            description: format!("Change parts of {}", self.subject()),
            parameters: parameters::OF_PATCH,
            request_body: RequestBody::Patch { strategic },
            codes: CREATED,
            ..self.operation("patch", "patch")
        }
    }

    fn delete(&self) -> Operation<'k> {
        Operation {
            id: self.name("delete", ""),
            description: format!("Delete {}", self.subject()),
            parameters: parameters::OF_DELETE,
            request_body: RequestBody::Options(DELETE_OPTIONS),
            response_type: Some(STATUS.into()),
            codes: ACCEPTED,
            ..self.operation("delete", "delete")
        }
    }

    fn connections(&self) -> Vec<Operation<'k>> {
        const METHODS: [(&str, &str); 5] = [
            ("delete", "delete"),
            ("get", "get"),
            ("patch", "patch"),
            ("create", "post"),
            ("update", "put"),
        ];
        let allowed = METHODS.into_iter().filter(|(verb, _)| self.allows(verb));
        let connection = |(_, method): (_, &'static str)| Operation {
            id: self.name("connect", &capitalize(method)),
            description: format!("Connect to {}", self.subject()),
            response_type: None,
            ..self.operation(method, "connect")
        };
        allowed.map(connection).collect()
    }
}

/// The words of a group in operation ids: `rbac`, `authorization`.
fn group_words(group: &str) -> impl Iterator<Item = &str> {
    let name = if group.is_empty() { "core" } else { group };
    name.strip_suffix(".k8s.io").unwrap_or(name).split('.')
}

pub(crate) fn capitalize(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}
