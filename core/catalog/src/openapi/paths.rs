//! Paths and operations of an OpenAPI document, from the verbs of resources.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::closure::{kind_id, list_id};
use super::machinery::{self, DELETE_OPTIONS, STATUS, WATCH_EVENT};
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
    /// The `x-kubernetes-action`; empty for what is about no kind, such as discovery.
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

/// Those of lists and watches of built-in resources.
static WATCH_MEDIA: MediaTypes = MediaTypes {
    consumes: &["*/*"],
    produces: &[
        "application/json",
        "application/yaml",
        "application/vnd.kubernetes.protobuf",
        "application/json;stream=watch",
        "application/vnd.kubernetes.protobuf;stream=watch",
    ],
};

/// Those of discovery.
static DISCOVERY_MEDIA: MediaTypes = MediaTypes {
    consumes: &["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"],
    produces: &["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"],
};

/// Those of documents about the server.
static JSON_MEDIA: MediaTypes =
    MediaTypes { consumes: &["application/json"], produces: &["application/json"] };

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
    if resource.allows("watch") {
        items.extend(watches(resource, &root));
    }
    items
}

/// The paths below `watch`, which old clients use.
fn watches<'k>(resource: &Resource<'k>, root: &str) -> Vec<PathItem<'k>> {
    let path = format!("{root}/watch");
    let watch = |suffix: &'static str, action: &'static str| {
        let site = OperationTarget { resource, subresource: None, suffix };
        Vec::from([site.watch(action)])
    };
    let item = |path: String, own: &[&'static Parameter], operations| PathItem {
        path,
        parameters: [own, &[&PRETTY], parameters::OF_LIST].concat(),
        operations,
    };
    let plural = resource.plural;
    if !resource.namespaced {
        return Vec::from([
            item(format!("{path}/{plural}"), &[], watch("List", "watchlist")),
            item(format!("{path}/{plural}/{{name}}"), &[&NAME], watch("", "watch")),
        ]);
    }
    let inside = format!("{path}/namespaces/{{namespace}}/{plural}");
    let everywhere = watch("ListForAllNamespaces", "watchlist");
    let own: &[&'static Parameter] = &[&NAMESPACE, &NAME];
    Vec::from([
        item(format!("{path}/{plural}"), &[], everywhere),
        item(inside.clone(), &[&NAMESPACE], watch("List", "watchlist")),
        item(format!("{inside}/{{name}}"), own, watch("", "watch")),
    ])
}

/// The path that lists the resources of a version.
pub(crate) fn of_version<'k>(group: &'k str, version: &'k str) -> PathItem<'k> {
    let (path, words) = (root(group, version), capitalized_words(group));
    let id = format!("get{words}{}APIResources", capitalize(version));
    let tag = format!("{}_{version}", tag_of(group));
    let description = format!("List the resources of {}", path.trim_start_matches("/apis/"));
    document((path, id, description, tag), Some(machinery::API_RESOURCE_LIST), &DISCOVERY_MEDIA)
}

/// The paths of discovery and of other documents, besides those of versions; `groups` are without the core group.
pub(crate) fn of_server<'k>(groups: &[&'k str]) -> Vec<PathItem<'k>> {
    let group = |group: &&'k str| {
        let id = format!("get{}APIGroup", capitalized_words(group));
        let about =
            (format!("/apis/{group}"), id, format!("Describe the group {group}"), tag_of(group));
        document(about, Some(machinery::API_GROUP), &DISCOVERY_MEDIA)
    };
    let mut items: Vec<PathItem<'k>> = groups.iter().map(group).collect();
    for (path, id, description, tag, response_type, media) in DOCUMENTS {
        let about = ((*path).into(), (*id).into(), (*description).into(), (*tag).into());
        items.push(document(about, *response_type, media));
    }
    items
}

/// A document about the server: path, operation id, description, tag, type and content types.
type DocumentRow = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    Option<&'static str>,
    &'static MediaTypes,
);

static DOCUMENTS: &[DocumentRow] = &[
    (
        "/.well-known/openid-configuration",
        "getServiceAccountIssuerOpenIDConfiguration",
        "Describe the issuer of service account tokens",
        "WellKnown",
        None,
        &JSON_MEDIA,
    ),
    (
        "/api",
        "getCoreAPIVersions",
        "List the versions of the core group",
        "core",
        Some(machinery::API_VERSIONS),
        &DISCOVERY_MEDIA,
    ),
    (
        "/apis",
        "getAPIVersions",
        "List the groups and their versions",
        "apis",
        Some(machinery::API_GROUP_LIST),
        &DISCOVERY_MEDIA,
    ),
    (
        "/openid/v1/jwks",
        "getServiceAccountIssuerOpenIDKeyset",
        "List the public keys of service account tokens",
        "openid",
        None,
        &JSON_MEDIA,
    ),
    (
        "/version",
        "getCodeVersion",
        "Describe the version of the server",
        "version",
        Some(machinery::VERSION_INFO),
        &JSON_MEDIA,
    ),
];

/// A path that is read as a whole, with a slash at its end.
fn document<'k>(
    (path, id, description, tag): (String, String, String, String),
    response_type: Option<&'static str>,
    media: &'static MediaTypes,
) -> PathItem<'k> {
    let operation = Operation {
        method: "get",
        action: "",
        gvk: GroupVersionKind { group: "", version: "", kind: "" },
        id,
        description,
        tag,
        parameters: &[],
        request_body: RequestBody::Nothing,
        response_type: response_type.map(Into::into),
        codes: OK,
        media,
    };
    PathItem { path: path + "/", parameters: Vec::new(), operations: Vec::from([operation]) }
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
        let group = capitalized_words(group);
        let scope = match self.suffix {
            "ForAllNamespaces" | "ListForAllNamespaces" => "",
            _ if self.resource.namespaced => "Namespaced",
            _ => "",
        };
        let subresource = capitalize(self.subresource.map_or("", |subresource| subresource.name));
        let version = capitalize(version);
        format!("{verb}{group}{version}{between}{scope}{kind}{subresource}{}", self.suffix)
    }

    fn operation(&self, method: &'static str, action: &'static str) -> Operation<'k> {
        let group = tag_of(self.resource.group);
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
            media: &WATCH_MEDIA,
            ..self.operation("get", "list")
        }
    }

    fn watch(&self, action: &'static str) -> Operation<'k> {
        let what = if action == "watch" { "an object" } else { "objects" };
        Operation {
            id: self.name("watch", ""),
            description: format!(
                "Watch {what} of kind {}. Deprecated: list with the parameter watch instead",
                self.resource.kind
            ),
            response_type: Some(WATCH_EVENT.into()),
            media: &WATCH_MEDIA,
            ..self.operation("get", action)
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
        /// Verbs and methods; a proxy passes on two methods that no verb stands for.
        const METHODS: [(&str, &str); 7] = [
            ("delete", "delete"),
            ("get", "get"),
            ("proxy", "head"),
            ("proxy", "options"),
            ("patch", "patch"),
            ("create", "post"),
            ("update", "put"),
        ];
        let is_proxy = self.subresource.is_some_and(|subresource| subresource.name == "proxy");
        let is_allowed = |(verb, _): &(&str, &str)| match *verb {
            "proxy" => is_proxy,
            verb => self.allows(verb),
        };
        let allowed = METHODS.into_iter().filter(is_allowed);
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

/// The words of a group, joined with capitals.
fn capitalized_words(group: &str) -> String {
    group_words(group).map(capitalize).collect()
}

/// The words of a group, joined with capitals but for the first.
fn tag_of(group: &str) -> String {
    let words = group_words(group).enumerate();
    words.map(|(at, word)| if at == 0 { word.into() } else { capitalize(word) }).collect()
}

pub(crate) fn capitalize(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}
