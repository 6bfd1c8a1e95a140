//! Messages of 403 responses.

use crate::{Attributes, Target};
use alloc::format;
use alloc::string::String;
use ratchet_net::Quoted;

/// The message of the 403: `pods "x" is forbidden: User …`, with the authorizer's reason at the
/// end. The details of the Status are the group, the resource as kind, and the name.
pub fn forbidden_message(attributes: &Attributes<'_>, reason: &str) -> String {
    let mut message = sentence(attributes);
    if !reason.is_empty() {
        message = format!("{message}: {reason}");
    }
    let (resource, name) = match &attributes.target {
        Target::Path(_) => return format!("forbidden: {message}"),
        Target::Resource(target) if target.group.is_empty() => {
            (target.resource.into(), target.name)
        }
        Target::Resource(target) => (format!("{}.{}", target.resource, target.group), target.name),
    };
    match name {
        "" => format!("{resource} is forbidden: {message}"),
        name => format!("{resource} {} is forbidden: {message}", Quoted(name)),
    }
}

/// The sentence about the attempt: `User "alice" cannot list resource "pods" in API group "" …`,
/// with HTML characters escaped.
fn sentence(attributes: &Attributes<'_>) -> String {
    let (user, verb) = (Quoted(&attributes.user.name), attributes.verb);
    let message = match &attributes.target {
        Target::Path(path) => format!("User {user} cannot {verb} path {}", Quoted(path)),
        Target::Resource(target) => {
            let resource = match target.subresource {
                "" => target.resource.into(),
                subresource => format!("{}/{subresource}", target.resource),
            };
            let resource = Quoted(&resource);
            let group = Quoted(target.group);
            let scope = match target.namespace {
                "" => "at the cluster scope".into(),
                namespace => format!("in the namespace {}", Quoted(namespace)),
            };
            format!("User {user} cannot {verb} resource {resource} in API group {group} {scope}")
        }
    };
    message.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Resource, User};

    fn message(verb: &str, target: Target<'_>, reason: &str) -> String {
        let user = User { name: "alice".into(), ..User::default() };
        forbidden_message(&Attributes { user: &user, verb, target }, reason)
    }

    #[test]
    fn the_message_names_resource_and_place() {
        let pods = Resource { resource: "pods", version: "v1", ..Resource::default() };
        assert_eq!(
            message("list", Target::Resource(Resource { namespace: "k", ..pods }), ""),
            r#"pods is forbidden: User "alice" cannot list resource "pods" in API group "" in the namespace "k""#
        );
        let log = Resource { subresource: "log", namespace: "k", name: "x", ..pods };
        assert_eq!(
            message("get", Target::Resource(log), "because"),
            r#"pods "x" is forbidden: User "alice" cannot get resource "pods/log" in API group "" in the namespace "k": because"#
        );
        let apps = Resource { group: "apps", resource: "deployments", ..pods };
        assert_eq!(
            message("watch", Target::Resource(apps), ""),
            r#"deployments.apps is forbidden: User "alice" cannot watch resource "deployments" in API group "apps" at the cluster scope"#
        );
    }

    #[test]
    fn paths_have_no_resource_and_nothing_is_html() {
        assert_eq!(
            message("get", Target::Path("/metrics?<b>&"), ""),
            r#"forbidden: User "alice" cannot get path "/metrics?&lt;b&gt;&amp;""#
        );
    }
}
