//! `RequestInfo`: verb and target of a request, parsed once and used for both authorization and routing.

use super::{Params, percent};
use http::{Method, Uri};

/// The path of which an archive of the store is got.
pub const BACKUP_PATH: &str = "/ratchet/backup";

/// Verb, target and field selector of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestInfo {
    /// The verb: `get`, `list`, `watch`, `create`, … or the lower-case method of a non-resource path. Empty for
    /// methods that resources do not have.
    pub verb: &'static str,
    /// The resource or the non-resource path that the request is about.
    pub target: Target,
    /// The field selector for authorizers; empty where the verb has none.
    pub field_selector: String,
}

/// A resource path or a non-resource path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// `/api/v1/…` or `/apis/{group}/{version}/…`.
    Resource(ResourcePath),
    /// Any other path, percent-decoded.
    Path(String),
}

/// The parsed path of an object or a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResourcePath {
    /// API group.
    pub group: String,
    /// API version.
    pub version: String,
    /// Namespace; empty for cluster-wide requests. A Namespace counts as being in itself.
    pub namespace: String,
    /// Whether the path has a `namespaces/{name}` prefix before the resource; false for a Namespace itself.
    pub in_namespace: bool,
    /// Plural name.
    pub resource: String,
    /// The object's name; empty for collections.
    pub name: String,
    /// Whether the path itself names an object, not only a field selector.
    pub is_item: bool,
    /// The subresource, such as `status`; empty for the object itself.
    pub subresource: String,
    /// The path after the subresource; only proxies have one.
    pub rest: String,
    /// The verb at the beginning of the path.
    pub path_verb: Option<PathVerb>,
}

/// A deprecated verb in front of the resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathVerb {
    /// `/api/v1/watch/…`, which is still served.
    Watch,
    /// `/api/v1/proxy/…`, which is no longer served but still has its own verb for authorization.
    Proxy,
}

const PATH_VERBS: [(&str, PathVerb); 2] = [("watch", PathVerb::Watch), ("proxy", PathVerb::Proxy)];

/// The subresources of a Namespace; any other segment after its name is a resource in it.
const NAMESPACE_PARTS: [&str; 2] = ["status", "finalize"];

/// Subresources that connect to a kubelet, a pod, a Service or a node.
const CONNECT_SUBRESOURCES: [&str; 5] = ["attach", "exec", "log", "portforward", "proxy"];

/// Whether a subresource is a connect subresource, whose requests may be long-running.
pub(crate) fn connects(subresource: &str) -> bool {
    CONNECT_SUBRESOURCES.contains(&subresource)
}

/// A path with an invalid percent escape; it is rejected before authentication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InvalidPath;

impl RequestInfo {
    /// Parses a request line.
    pub(crate) fn parse(method: &Method, uri: &Uri, params: &Params) -> Result<Self, InvalidPath> {
        let Some(decoded) = percent::path(uri.path()) else {
            return Err(InvalidPath);
        };
        let Some(mut path) = ResourcePath::parse(&decoded) else {
            let target = Target::Path(decoded.into_owned());
            return Ok(Self {
                verb: lower_case_method(method),
                target,
                field_selector: String::new(),
            });
        };
        let verb = verb(method, &path, params);
        let by_method = path.path_verb.is_none();
        if by_method && !path.is_item && matches!(verb, "list" | "watch") {
            // A list of a single name is authorized with that name.
            path.name = params.selected_name().unwrap_or_default();
        }
        let selects = by_method && matches!(verb, "list" | "watch" | "deletecollection");
        let field_selector = if selects { params.text("fieldSelector") } else { "" };
        let field_selector = field_selector.to_owned();
        Ok(Self { verb, target: Target::Resource(path), field_selector })
    }

    /// The placeholder for a request that cannot be parsed.
    pub(crate) fn nothing() -> Self {
        Self { verb: "", target: Target::Path(String::new()), field_selector: String::new() }
    }

    /// Whether the request is long-running: a watch, a connection to a backend, or a backup.
    pub fn is_long(&self) -> bool {
        match &self.target {
            Target::Resource(path) => self.verb == "watch" || connects(&path.subresource),
            Target::Path(path) => path == BACKUP_PATH,
        }
    }
}

impl ResourcePath {
    /// Parses a decoded path; none if it is not a resource path. Empty segments count, except at the ends.
    fn parse(path: &str) -> Option<Self> {
        // A path that begins with two slashes matches nothing.
        let segments: Vec<&str> = match path.starts_with("//") {
            true => Vec::new(),
            false => segments(path.trim_matches('/')),
        };
        let (group, version, rest) = match segments.as_slice() {
            ["api", version, rest @ ..] => ("", *version, rest),
            ["apis", group, version, rest @ ..] => (*group, *version, rest),
            _ => return None,
        };
        let (first, more) = rest.split_first()?;
        let known = PATH_VERBS.iter().find(|(verb, _)| verb == first);
        let (path_verb, rest) = match known {
            Some((_, verb)) if !more.is_empty() => (Some(*verb), more),
            // Alone it is a resource name, and there is no such resource.
            _ => (None, rest),
        };
        let (namespace, in_namespace, rest) = match rest {
            ["namespaces", name] => (*name, false, rest),
            ["namespaces", name, part, ..] if NAMESPACE_PARTS.contains(part) => {
                (*name, false, rest)
            }
            ["namespaces", name, more @ ..] => (*name, true, more),
            _ => ("", false, rest),
        };
        let part = |index: usize| rest.get(index).copied().unwrap_or_default().to_owned();
        let name = part(1);
        let has_parts = path_verb != Some(PathVerb::Proxy);
        Some(Self {
            group: group.to_owned(),
            version: version.to_owned(),
            namespace: namespace.to_owned(),
            in_namespace,
            resource: part(0),
            is_item: rest.len() > 1,
            name,
            subresource: if has_parts { part(2) } else { String::new() },
            rest: rest.get(3..).unwrap_or_default().join("/"),
            path_verb,
        })
    }
}

/// The parts of a path between its slashes. Every request has one: this takes a third of the time of `split`.
fn segments(path: &str) -> Vec<&str> {
    let mut segments = Vec::with_capacity(8);
    let mut start = 0;
    for slash in memchr::memchr_iter(b'/', path.as_bytes()) {
        segments.extend(path.get(start..slash));
        start = slash + 1;
    }
    segments.extend(path.get(start..));
    segments
}

fn verb(method: &Method, path: &ResourcePath, params: &Params) -> &'static str {
    let is_named = !path.name.is_empty();
    match (path.path_verb, method) {
        (Some(PathVerb::Watch), _) => "watch",
        (Some(PathVerb::Proxy), _) => "proxy",
        (None, &Method::POST) => "create",
        (None, &Method::GET | &Method::HEAD) if is_named => "get",
        (None, &Method::GET | &Method::HEAD) if params.flag("watch") => "watch",
        (None, &Method::GET | &Method::HEAD) => "list",
        (None, &Method::PUT) => "update",
        (None, &Method::PATCH) => "patch",
        (None, &Method::DELETE) if is_named => "delete",
        (None, &Method::DELETE) => "deletecollection",
        _ => "",
    }
}

fn lower_case_method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "get",
        Method::HEAD => "head",
        Method::POST => "post",
        Method::PUT => "put",
        Method::PATCH => "patch",
        Method::DELETE => "delete",
        Method::OPTIONS => "options",
        Method::CONNECT => "connect",
        Method::TRACE => "trace",
        _ => "other",
    }
}

#[cfg(test)]
mod tests;
