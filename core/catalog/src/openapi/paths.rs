//! The paths of an OpenAPI document and what may be done there, from the verbs of resources.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::closure::{kind_id, list_id};
use super::machinery::{DELETE_OPTIONS, STATUS};
use super::parameters::{self, NAME, NAMESPACE, PRETTY, PROXY_PATH, Parameter, Parameters};
use crate::resources::{Gvk, Resource, Subresource};

/// A path and what may be done there.
pub(crate) struct PathItem<'k> {
    /// The path, with its variable parts in braces.
    pub(crate) path: String,
    /// What every request there takes.
    pub(crate) parameters: Vec<&'static Parameter>,
    /// What may be done.
    pub(crate) operations: Vec<Operation<'k>>,
}

/// One thing that may be done at a path.
pub(crate) struct Operation<'k> {
    /// The method of HTTP, in lower case.
    pub(crate) method: &'static str,
    /// What it is to Kubernetes.
    pub(crate) action: &'static str,
    /// The kind it is about. kubectl finds the PATCH of a kind by it.
    pub(crate) gvk: Gvk<'k>,
    /// A name that no other operation has.
    pub(crate) id: String,
    /// What it does.
    pub(crate) description: String,
    /// The group and version it belongs to.
    pub(crate) tag: String,
    /// What it takes in the query.
    pub(crate) parameters: Parameters,
    /// What must or may be sent.
    pub(crate) sends: Sends,
    /// The id of what is answered; none for text.
    pub(crate) answers: Option<String>,
    /// The codes of success, each with its name.
    pub(crate) codes: Codes,
}

/// What must or may be sent with a request.
pub(crate) enum Sends {
    /// Nothing.
    Nothing,
    /// Options, that may be left out.
    Options(&'static str),
    /// An object of the definition with this id.
    Object(String),
    /// A patch; strategic merge only for kinds that have a schema.
    Patch { strategic: bool },
}

/// Codes of success, each with its name.
type Codes = &'static [(&'static str, &'static str)];

const OK: Codes = &[("200", "OK")];
const MADE: Codes = &[("200", "OK"), ("201", "Created")];
const MADE_OR_TAKEN: Codes = &[("200", "OK"), ("201", "Created"), ("202", "Accepted")];
const TAKEN: Codes = &[("200", "OK"), ("202", "Accepted")];

/// All paths of a resource.
pub(crate) fn of_resource<'k>(resource: &Resource<'k>) -> Vec<PathItem<'k>> {
    let root = root(resource.group, resource.version);
    let mut shared = Vec::new();
    let mut collection = format!("{root}/{}", resource.plural);
    let mut items = Vec::new();
    if resource.namespaced {
        if resource.allows("list") {
            let everywhere = Site { resource, below: None, suffix: "ForAllNamespaces" };
            let operations = Vec::from([everywhere.list()]);
            let parameters = Vec::from([&PRETTY]);
            items.push(PathItem { path: collection, parameters, operations });
        }
        shared.push(&NAMESPACE);
        collection = format!("{root}/namespaces/{{namespace}}/{}", resource.plural);
    }
    let object = format!("{collection}/{{name}}");
    let site = Site { resource, below: None, suffix: "" };
    items.push(item(collection, &shared, &[], site.on_collection()));
    shared.push(&NAME);
    items.push(item(object.clone(), &shared, &[], site.on_object()));
    for below in resource.subresources {
        let path = format!("{object}/{}", below.name);
        let extra = parameters::of_subresource(below.name);
        let site = Site { resource, below: Some(below), suffix: "" };
        if below.connects() && below.name == "proxy" {
            let deeper = Site { suffix: "WithPath", ..site };
            let path = format!("{path}/{{path}}");
            items.push(item(path, &shared, &[&PROXY_PATH], deeper.on_object()));
        }
        items.push(item(path, &shared, extra, site.on_object()));
    }
    items.retain(|item| !item.operations.is_empty());
    items
}

/// Where the paths of a group and version begin.
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

/// A resource or a subresource, as the place where something is done.
#[derive(Clone, Copy)]
struct Site<'r, 'k> {
    resource: &'r Resource<'k>,
    below: Option<&'r Subresource<'k>>,
    /// What keeps the names of operations apart that are the same otherwise.
    suffix: &'static str,
}

impl<'k> Site<'_, 'k> {
    fn allows(&self, verb: &str) -> bool {
        self.below.map_or_else(|| self.resource.allows(verb), |below| below.allows(verb))
    }

    fn gvk(&self) -> Gvk<'k> {
        self.below.map_or_else(|| self.resource.gvk(), Subresource::gvk)
    }

    /// What is acted upon, in words: `the status of a Pod`, or only `a Pod`.
    fn subject(&self) -> String {
        match self.below {
            Some(below) => format!("the {} of a {}", below.name, self.resource.kind),
            None => format!("a {}", self.resource.kind),
        }
    }

    /// The name of an operation: verb, group, version, scope, kind, subresource.
    fn name(&self, verb: &str, between: &str) -> String {
        let Resource { group, version, kind, .. } = self.resource;
        let group: String = group_words(group).map(capital).collect();
        let scope = match self.suffix {
            "ForAllNamespaces" => "",
            _ if self.resource.namespaced => "Namespaced",
            _ => "",
        };
        let below = capital(self.below.map_or("", |below| below.name));
        let version = capital(version);
        format!("{verb}{group}{version}{between}{scope}{kind}{below}{}", self.suffix)
    }

    fn operation(&self, method: &'static str, action: &'static str) -> Operation<'k> {
        let words = group_words(self.resource.group).enumerate();
        let group: String =
            words.map(|(at, word)| if at == 0 { word.into() } else { capital(word) }).collect();
        Operation {
            method,
            action,
            gvk: self.gvk(),
            id: String::new(),
            description: String::new(),
            tag: format!("{group}_{}", self.resource.version),
            parameters: &[],
            sends: Sends::Nothing,
            answers: Some(kind_id(self.gvk())),
            codes: OK,
        }
    }

    fn list(&self) -> Operation<'k> {
        Operation {
            id: self.name("list", ""),
            description: format!("List or watch objects of kind {}", self.resource.kind),
            parameters: parameters::OF_LIST,
            answers: Some(list_id(self.gvk())),
            ..self.operation("get", "list")
        }
    }

    fn create(&self) -> Operation<'k> {
        Operation {
            id: self.name("create", ""),
            description: format!("Create {}", self.subject()),
            parameters: parameters::OF_CHANGE,
            sends: Sends::Object(kind_id(self.gvk())),
            codes: MADE_OR_TAKEN,
            ..self.operation("post", "post")
        }
    }

    fn on_collection(&self) -> Vec<Operation<'k>> {
        let delete = || Operation {
            id: self.name("delete", "Collection"),
            description: format!("Delete objects of kind {}", self.resource.kind),
            parameters: parameters::OF_DELETE_COLLECTION,
            sends: Sends::Options(DELETE_OPTIONS),
            answers: Some(STATUS.into()),
            ..self.operation("delete", "deletecollection")
        };
        let mut operations = Vec::new();
        operations.extend(self.allows("deletecollection").then(delete));
        operations.extend(self.allows("list").then(|| self.list()));
        operations.extend(self.allows("create").then(|| self.create()));
        operations
    }

    fn on_object(&self) -> Vec<Operation<'k>> {
        if self.below.is_some_and(Subresource::connects) {
            return self.connections();
        }
        let mut operations = Vec::new();
        operations.extend(self.allows("delete").then(|| self.delete()));
        operations.extend(self.allows("get").then(|| self.read()));
        operations.extend(self.allows("patch").then(|| self.patch()));
        // Below an object; objects themselves are created in the collection.
        operations.extend((self.below.is_some() && self.allows("create")).then(|| self.create()));
        operations.extend(self.allows("update").then(|| self.replace()));
        operations
    }

    fn read(&self) -> Operation<'k> {
        let plain = self.operation("get", "get");
        let is_log = self.below.is_some_and(|below| below.name == "log");
        Operation {
            id: self.name("read", ""),
            description: format!("Read {}", self.subject()),
            answers: plain.answers.filter(|_| !is_log),
            ..plain
        }
    }

    fn replace(&self) -> Operation<'k> {
        Operation {
            id: self.name("replace", ""),
            description: format!("Replace {}", self.subject()),
            parameters: parameters::OF_CHANGE,
            sends: Sends::Object(kind_id(self.gvk())),
            codes: MADE,
            ..self.operation("put", "put")
        }
    }

    fn patch(&self) -> Operation<'k> {
        let Gvk { group, version, kind } = self.gvk();
        let strategic = ratchet_object::schema::kind(group, version, kind).is_some();
        Operation {
            id: self.name("patch", ""),
            description: format!("Change parts of {}", self.subject()),
            parameters: parameters::OF_PATCH,
            sends: Sends::Patch { strategic },
            codes: MADE,
            ..self.operation("patch", "patch")
        }
    }

    fn delete(&self) -> Operation<'k> {
        Operation {
            id: self.name("delete", ""),
            description: format!("Delete {}", self.subject()),
            parameters: parameters::OF_DELETE,
            sends: Sends::Options(DELETE_OPTIONS),
            answers: Some(STATUS.into()),
            codes: TAKEN,
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
            id: self.name("connect", &capital(method)),
            description: format!("Connect to {}", self.subject()),
            answers: None,
            ..self.operation(method, "connect")
        };
        allowed.map(connection).collect()
    }
}

/// The words of a group by which operations are named: `rbac`, `authorization`.
fn group_words(group: &str) -> impl Iterator<Item = &str> {
    let name = if group.is_empty() { "core" } else { group };
    name.strip_suffix(".k8s.io").unwrap_or(name).split('.')
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}
