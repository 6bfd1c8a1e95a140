//! `PolicyRule`: which requests a rule of a FlowSchema matches, by subject and by resource or path.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_access::{Attributes, Resource, Target, User};
use ratchet_object::Node;

/// The prefix of service accounts' user names, before `<namespace>:<name>`.
const ACCOUNT_PREFIX: &str = "system:serviceaccount:";

const ALL: &str = "*";

/// `spec.rules[]`: any of the subjects, with any of the resource rules or path rules.
#[derive(Clone, Debug)]
pub(crate) struct PolicyRule {
    subjects: Vec<Subject>,
    resources: Vec<ResourceRule>,
    paths: Vec<PathRule>,
}

#[derive(Clone, Debug)]
enum Subject {
    User(Name),
    Group(Name),
    ServiceAccount { namespace: String, name: Name },
}

/// One name, or all.
#[derive(Clone, Debug)]
enum Name {
    All,
    Exactly(String),
}

/// A list of names, or all.
#[derive(Clone, Debug)]
enum Names {
    All,
    AnyOf(Vec<String>),
}

#[derive(Clone, Debug)]
struct ResourceRule {
    verbs: Names,
    groups: Names,
    resources: Names,
    namespaces: Names,
    has_cluster_scope: bool,
}

#[derive(Clone, Debug)]
struct PathRule {
    verbs: Names,
    urls: Vec<String>,
}

impl PolicyRule {
    /// Parses one of `spec.rules`.
    pub(crate) fn from_node(node: &Node<'_>) -> Self {
        let items = |name: &str| node.get(name).map(Node::items).unwrap_or_default();
        Self {
            subjects: items("subjects").iter().filter_map(Subject::from_node).collect(),
            resources: items("resourceRules").iter().map(ResourceRule::from_node).collect(),
            paths: items("nonResourceRules").iter().map(PathRule::from_node).collect(),
        }
    }

    /// Whether the rule matches a request.
    pub(crate) fn matches(&self, request: &Attributes<'_>) -> bool {
        self.subjects.iter().any(|subject| subject.matches(request.user))
            && match &request.target {
                Target::Resource(resource) => {
                    self.resources.iter().any(|rule| rule.matches(request.verb, resource))
                }
                Target::Path(path) => {
                    self.paths.iter().any(|rule| rule.matches(request.verb, path))
                }
            }
    }
}

impl Subject {
    /// None for a kind that does not exist, which matches nobody.
    fn from_node(node: &Node<'_>) -> Option<Self> {
        Some(match node.text_at(&["kind"]) {
            "User" => Self::User(Name::of(node.get("user")?.text_at(&["name"]))),
            "Group" => Self::Group(Name::of(node.get("group")?.text_at(&["name"]))),
            "ServiceAccount" => {
                let account = node.get("serviceAccount")?;
                Self::ServiceAccount {
                    namespace: account.text_at(&["namespace"]).to_string(),
                    name: Name::of(account.text_at(&["name"])),
                }
            }
            _ => return None,
        })
    }

    fn matches(&self, user: &User) -> bool {
        match self {
            Self::User(name) => name.is(&user.name),
            Self::Group(Name::All) => true,
            Self::Group(Name::Exactly(group)) => user.is_in(group),
            Self::ServiceAccount { namespace, name } => {
                let rest = user.name.strip_prefix(ACCOUNT_PREFIX);
                let rest = rest.and_then(|rest| rest.strip_prefix(namespace.as_str()));
                rest.and_then(|rest| rest.strip_prefix(':')).is_some_and(|own| name.is(own))
            }
        }
    }
}

impl Name {
    fn of(text: &str) -> Self {
        if text == ALL { Self::All } else { Self::Exactly(text.to_string()) }
    }

    fn is(&self, text: &str) -> bool {
        match self {
            Self::All => true,
            Self::Exactly(own) => own == text,
        }
    }
}

impl Names {
    fn of(node: &Node<'_>, member: &str) -> Self {
        let names = texts(node, member);
        match names.as_slice() {
            [only] if only == ALL => Self::All,
            _ => Self::AnyOf(names),
        }
    }

    fn any(&self, is: impl Fn(&str) -> bool) -> bool {
        match self {
            Self::All => true,
            Self::AnyOf(names) => names.iter().any(|name| is(name)),
        }
    }

    fn contain(&self, text: &str) -> bool {
        self.any(|name| name == text)
    }
}

fn texts(node: &Node<'_>, member: &str) -> Vec<String> {
    let items = node.get(member).map(Node::items).unwrap_or_default();
    items.iter().filter_map(Node::text).map(ToString::to_string).collect()
}

impl ResourceRule {
    fn from_node(node: &Node<'_>) -> Self {
        Self {
            verbs: Names::of(node, "verbs"),
            groups: Names::of(node, "apiGroups"),
            resources: Names::of(node, "resources"),
            namespaces: Names::of(node, "namespaces"),
            has_cluster_scope: node.get("clusterScope").and_then(Node::as_bool) == Some(true),
        }
    }

    fn matches(&self, verb: &str, resource: &Resource<'_>) -> bool {
        self.verbs.contain(verb)
            && self.groups.contain(resource.group)
            && self.resources.any(|name| is_resource(name, resource))
            && match resource.namespace {
                "" => self.has_cluster_scope,
                namespace => self.namespaces.contain(namespace),
            }
    }
}

/// Whether `name` is the resource, or `resource/subresource` if the request has one.
fn is_resource(name: &str, resource: &Resource<'_>) -> bool {
    match resource.subresource {
        "" => name == resource.resource,
        subresource => {
            let rest = name.strip_prefix(resource.resource);
            rest.and_then(|rest| rest.strip_prefix('/')) == Some(subresource)
        }
    }
}

impl PathRule {
    fn from_node(node: &Node<'_>) -> Self {
        Self { verbs: Names::of(node, "verbs"), urls: texts(node, "nonResourceURLs") }
    }

    fn matches(&self, verb: &str, path: &str) -> bool {
        self.verbs.contain(verb) && self.urls.iter().any(|url| is_below(url, path))
    }
}

/// Whether a path is `url` or below it; a `*` at the end of `url` changes nothing, and alone means every path.
fn is_below(url: &str, path: &str) -> bool {
    if url == ALL || url == path {
        return true;
    }
    let prefix = url.strip_suffix('*').unwrap_or(url);
    let prefix = prefix.strip_suffix('/').unwrap_or(prefix);
    path.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::borrow::ToOwned;
    use ratchet_object::{Limits, decode};

    fn rule(text: &str) -> PolicyRule {
        let node = decode(text, Limits::DEFAULT).expect("YAML").documents.remove(0);
        PolicyRule::from_node(&node)
    }

    fn user(name: &str, groups: &[&str]) -> User {
        let groups = groups.iter().map(|group| (*group).to_owned()).collect();
        User { name: name.into(), groups, ..User::default() }
    }

    #[test]
    fn subjects_are_users_groups_and_service_accounts() {
        let any = "nonResourceRules: [{verbs: ['*'], nonResourceURLs: ['*']}]";
        let cases = [
            ("{kind: User, user: {name: ann}}", "ann", &[][..], true),
            ("{kind: User, user: {name: ann}}", "bob", &[], false),
            ("{kind: User, user: {name: '*'}}", "bob", &[], true),
            ("{kind: Group, group: {name: g}}", "ann", &["f", "g"], true),
            ("{kind: Group, group: {name: g}}", "ann", &["f"], false),
            ("{kind: Group, group: {name: '*'}}", "ann", &[], true),
            ("{kind: Group}", "ann", &["g"], false),
            (
                "{kind: ServiceAccount, serviceAccount: {namespace: ns, name: '*'}}",
                "system:serviceaccount:ns:a",
                &[],
                true,
            ),
            (
                "{kind: ServiceAccount, serviceAccount: {namespace: ns, name: '*'}}",
                "system:serviceaccount:nsx:a",
                &[],
                false,
            ),
            (
                "{kind: ServiceAccount, serviceAccount: {namespace: ns, name: b}}",
                "system:serviceaccount:ns:a",
                &[],
                false,
            ),
            ("{kind: Robot, user: {name: ann}}", "ann", &[], false),
        ];
        for (subject, name, groups, is_matched) in cases {
            let rule = rule(&alloc::format!("{{subjects: [{subject}], {any}}}"));
            let user = user(name, groups);
            let request = Attributes { user: &user, verb: "get", target: Target::Path("/x") };
            assert_eq!(rule.matches(&request), is_matched, "{subject} {name}");
        }
    }

    #[test]
    fn resources_have_verbs_groups_subresources_and_scopes() {
        let rule = rule(
            "{subjects: [{kind: User, user: {name: '*'}}], resourceRules: [{verbs: [get, list], apiGroups: [''], resources: [pods, nodes/status], namespaces: [a]}, {verbs: ['*'], apiGroups: ['*'], resources: [leases], namespaces: ['*'], clusterScope: true}]}",
        );
        let user = user("ann", &[]);
        let cases = [
            ("get", "", "pods", "", "a", true),
            ("watch", "", "pods", "", "a", false),
            ("get", "apps", "pods", "", "a", false),
            ("get", "", "pods", "status", "a", false),
            ("get", "", "nodes", "status", "a", true),
            ("get", "", "nodes", "", "a", false),
            ("get", "", "pods", "", "b", false),
            ("get", "", "pods", "", "", false),
            ("delete", "coordination.k8s.io", "leases", "", "", true),
            ("delete", "coordination.k8s.io", "leases", "", "b", true),
        ];
        for (verb, group, resource, subresource, namespace, is_matched) in cases {
            let target =
                Resource { group, resource, subresource, namespace, ..Resource::default() };
            let request = Attributes { user: &user, verb, target: Target::Resource(target) };
            assert_eq!(rule.matches(&request), is_matched, "{verb} {target:?}");
        }
        let path = Attributes { user: &user, verb: "get", target: Target::Path("/pods") };
        assert!(!rule.matches(&path));
    }

    #[test]
    fn a_path_matches_what_is_below_it() {
        let cases = [
            ("*", "/x", true),
            ("/livez", "/livez", true),
            ("/livez", "/livez/ping", true),
            ("/livez", "/livezebra", false),
            ("/apis/*", "/apis/a", true),
            ("/apis/*", "/apis", false),
            ("/apis/", "/apis/a", true),
        ];
        for (url, path, is_matched) in cases {
            assert_eq!(is_below(url, path), is_matched, "{url} {path}");
        }
    }
}
