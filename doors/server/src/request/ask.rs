//! What a request asks for, read from its method and path alone.

use super::percent;
use http::Method;

/// A request to the API, as authorisation and routing see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The verb: `get`, `list`, `watch`, `create`, … or the lower-case method of a plain path.
    pub verb: &'static str,
    /// What it is done to.
    pub target: Target,
}

/// An API object or a plain path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// `/api/v1/…` or `/apis/{group}/{version}/…`.
    Resource(Place),
    /// Anything else.
    Path(String),
}

/// The place of an object or a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// API group.
    pub group: String,
    /// API version.
    pub version: String,
    /// Namespace; empty for cluster-wide requests.
    pub namespace: String,
    /// Plural name.
    pub resource: String,
    /// Object; empty for collections.
    pub name: String,
    /// Part of the object.
    pub subresource: String,
    /// What stands behind the subresource; only proxies know what to do with it.
    pub rest: String,
}

impl Ask {
    /// Reads a request line.
    pub fn read(method: &Method, path: &str, is_watch: bool, named: Option<&str>) -> Self {
        let parts: Vec<String> = path
            .split('/')
            .filter(|part| !part.is_empty())
            .map(|part| percent::decoded(part, false))
            .collect();
        match Place::read(&parts) {
            Some((mut place, old_watch)) => {
                let verb = verb(method, &place, is_watch || old_watch);
                if place.name.is_empty() && matches!(verb, "list" | "watch") {
                    // A list of one name is allowed to whom the name is allowed.
                    place.name = named.unwrap_or_default().to_owned();
                }
                Self { verb, target: Target::Resource(place) }
            }
            None => Self { verb: lower(method), target: Target::Path(path.to_owned()) },
        }
    }
}

impl Ask {
    /// Whether the answer may take as long as it likes: watches, and what is connected to something behind the server.
    pub fn is_long(&self) -> bool {
        let connects = |place: &Place| crate::connect::connects(&place.subresource);
        self.verb == "watch" || matches!(&self.target, Target::Resource(place) if connects(place))
    }
}

impl Place {
    /// The place that the parts of a path name, and whether they begin with the old `watch` prefix.
    fn read(parts: &[String]) -> Option<(Self, bool)> {
        let (group, version, rest) = match parts {
            [api, version, rest @ ..] if api == "api" => ("", version, rest),
            [apis, group, version, rest @ ..] if apis == "apis" => (group.as_str(), version, rest),
            _ => return None,
        };
        let (rest, old_watch) = match rest {
            [watch, more @ ..] if watch == "watch" && !more.is_empty() => (more, true),
            _ => (rest, false),
        };
        let (namespace, rest) = match rest {
            [word, name, more @ ..] if word == "namespaces" => match more.first() {
                // These two are parts of the namespace itself.
                None => (name.as_str(), rest),
                Some(part) if part == "status" || part == "finalize" => (name.as_str(), rest),
                Some(_) => (name.as_str(), more),
            },
            _ => ("", rest),
        };
        let part = |index: usize| rest.get(index).cloned().unwrap_or_default();
        let resource = part(0);
        if resource.is_empty() {
            return None;
        }
        let place = Self {
            group: group.to_owned(),
            version: version.clone(),
            namespace: namespace.to_owned(),
            resource,
            name: part(1),
            subresource: part(2),
            rest: rest.get(3..).unwrap_or_default().join("/"),
        };
        Some((place, old_watch))
    }
}

fn verb(method: &Method, place: &Place, is_watch: bool) -> &'static str {
    let named = !place.name.is_empty();
    match *method {
        Method::POST => "create",
        Method::GET | Method::HEAD if is_watch => "watch",
        Method::GET | Method::HEAD if named => "get",
        Method::GET | Method::HEAD => "list",
        Method::PUT => "update",
        Method::PATCH => "patch",
        Method::DELETE if named => "delete",
        Method::DELETE => "deletecollection",
        _ => lower(method),
    }
}

fn lower(method: &Method) -> &'static str {
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
mod tests {
    use super::*;

    fn place(path: &str) -> (&'static str, Place) {
        match Ask::read(&Method::GET, path, false, None) {
            Ask { verb, target: Target::Resource(place) } => (verb, place),
            other => panic!("{path}: {other:?}"),
        }
    }

    #[test]
    fn objects_and_collections() {
        let (verb, pod) = place("/api/v1/namespaces/shop/pods/web/status");
        assert_eq!((verb, pod.namespace.as_str(), pod.name.as_str()), ("get", "shop", "web"));
        assert_eq!(pod.subresource, "status");
        let (verb, all) = place("/apis/apps/v1/deployments");
        assert_eq!((verb, all.group.as_str(), all.namespace.as_str()), ("list", "apps", ""));
        let (verb, one) = place("/api/v1/nodes/a%2Fb");
        assert_eq!((verb, one.name.as_str()), ("get", "a/b"));
    }

    #[test]
    fn a_namespace_is_in_itself() {
        let (_, one) = place("/api/v1/namespaces/shop");
        assert_eq!((one.resource.as_str(), one.namespace.as_str()), ("namespaces", "shop"));
        let (_, status) = place("/api/v1/namespaces/shop/finalize");
        assert_eq!((status.name.as_str(), status.subresource.as_str()), ("shop", "finalize"));
        let (_, pods) = place("/api/v1/namespaces/shop/pods");
        assert_eq!((pods.resource.as_str(), pods.name.as_str()), ("pods", ""));
    }

    #[test]
    fn short_and_foreign_paths_are_plain() {
        for path in ["/", "/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/healthz"] {
            let ask = Ask::read(&Method::GET, path, false, None);
            assert_eq!(ask.target, Target::Path(path.to_owned()));
        }
    }

    #[test]
    fn old_watches() {
        let (verb, place) = place("/api/v1/watch/namespaces/shop/pods");
        assert_eq!((verb, place.resource.as_str()), ("watch", "pods"));
    }

    #[test]
    fn a_list_of_one_name_counts_as_that_name() {
        let ask = Ask::read(&Method::GET, "/api/v1/secrets", false, Some("x"));
        let Target::Resource(place) = ask.target else { panic!() };
        assert_eq!((ask.verb, place.name.as_str()), ("list", "x"));
    }
}
