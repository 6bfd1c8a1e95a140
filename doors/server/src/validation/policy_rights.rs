//! Authorization of policy parameters: the writer of a policy or binding must be able to read its parameters.

use crate::app::resource_request::ResourceRequest;
use ratchet_access::{Attributes, Resource, Target, User, is_superuser};
use ratchet_engine::field_validation::{FieldErrors, ValidationContext};
use ratchet_engine::{Change, Part, Verdict};
use ratchet_object::{At, Node};

const GROUP: &str = "admissionregistration.k8s.io";

/// Adds a field error to the verdict on a valid policy or binding whose writer may not read its parameters.
pub(super) fn check(request: &ResourceRequest<'_>, change: &Change<'_>, verdict: &mut Verdict) {
    let applies = change.kind.group == GROUP && change.part == Part::Main;
    if !applies || !verdict.errors.is_empty() || is_superuser(request.user) {
        return;
    }
    let (at, result) = match change.kind.name {
        "ValidatingAdmissionPolicy" | "MutatingAdmissionPolicy" => {
            ("paramKind", of_policy(request, change))
        }
        "ValidatingAdmissionPolicyBinding" => {
            ("paramRef", of_binding(request, change, "validatingadmissionpolicies"))
        }
        "MutatingAdmissionPolicyBinding" => {
            ("paramRef", of_binding(request, change, "mutatingadmissionpolicies"))
        }
        _ => return,
    };
    if let Err(why) = result {
        let ctx = ValidationContext { change, config: &request.app.api_config };
        FieldErrors::new(&ctx, verdict).forbidden(&change.new_root().descend(&["spec", at]), why);
    }
}

/// A field of the spec, if it is set and new or changed.
fn changed_field<'a>(change: &Change<'a>, name: &'static str) -> Option<At<'a>> {
    let new = change.new_root().descend(&["spec", name]);
    let old = change.old_root().map(|root| root.descend(&["spec", name]));
    let is_unchanged = |old: At<'_>| old.is_set() && new.equals(&old);
    (new.is_set() && !old.is_some_and(is_unchanged)).then_some(new)
}

/// Group, version and plural of a parameter kind; no plural if the kind is unknown.
fn param_resource<'k>(
    request: &ResourceRequest<'_>,
    kind: &'k Node<'_>,
) -> (&'k str, &'k str, Option<String>) {
    let api_version = kind.text_at(&["apiVersion"]);
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    let name = kind.text_at(&["kind"]);
    let served = request.app.registry.now();
    let resource = served.of_kind(group, version, name);
    (group, version, resource.map(|resource| resource.row().plural.to_owned()))
}

fn of_policy(request: &ResourceRequest<'_>, change: &Change<'_>) -> Result<(), String> {
    let Some(kind) = changed_field(change, "paramKind").and_then(|at| at.node()) else {
        return Ok(());
    };
    let (group, version, plural) = param_resource(request, kind);
    let target = Resource {
        group,
        version,
        resource: plural.as_deref().unwrap_or("*"),
        namespace: "*",
        name: "*",
        ..Resource::default()
    };
    if is_allowed(request, "get", target) {
        return Ok(());
    }
    let (name, api_version) = (kind.text_at(&["kind"]), kind.text_at(&["apiVersion"]));
    Err(format!(
        "user {} must have \"get\" permission on all objects of the referenced paramKind (kind={name}, apiVersion={api_version})",
        go_format(request.user)
    ))
}

fn of_binding(
    request: &ResourceRequest<'_>,
    change: &Change<'_>,
    policies: &str,
) -> Result<(), String> {
    let root = change.new_root();
    let policy_name = root.descend(&["spec", "policyName"]).text_or_empty();
    let old_name = change.old_root().map(|old| old.descend(&["spec", "policyName"]));
    let is_rebound = old_name.is_some_and(|old| old.text_or_empty() != policy_name);
    let wanted = match is_rebound {
        true => Some(root.descend(&["spec", "paramRef"])).filter(At::is_set),
        false => changed_field(change, "paramRef"),
    };
    let Some(wanted) = wanted.and_then(|at| at.node()) else { return Ok(()) };
    let is_mutating = policies == "mutatingadmissionpolicies";
    let policies = request.app.registry.find(GROUP, "v1", policies);
    let policy =
        policies.and_then(|resource| resource.cache.get(policy_name)).map(|item| item.node());
    let kind = policy.as_ref().and_then(|policy| policy.find(&["spec", "paramKind"]));
    let known = kind.map(|kind| param_resource(request, kind));
    let (group, version, plural) = known.unwrap_or(("*", "*", None));
    let name = wanted.text_at(&["name"]);
    let verb = if name.is_empty() { "list" } else { "get" };
    let target = Resource {
        group,
        version,
        resource: plural.as_deref().unwrap_or("*"),
        namespace: wanted.text_at(&["namespace"]),
        name,
        ..Resource::default()
    };
    if is_allowed(request, verb, target) {
        return Ok(());
    }
    let user = go_format(request.user);
    let all = format!(
        "to determine minimum required permissions and user {user} does not have \"{verb}\" permission for all groups, versions and resources"
    );
    Err(match (&policy, kind) {
        (None, _) => format!("unable to get policy {policy_name} {all}"),
        (Some(_), Some(kind)) if plural.is_none() => {
            let (api_version, kind) = (kind.text_at(&["apiVersion"]), kind.text_at(&["kind"]));
            format!("unable to resolve paramKind &{{{api_version} {kind}}} {all}")
        }
        // The reference mixes up user and verb here.
        _ if is_mutating => format!(
            "user {verb} does not have \"{user}\" permission on the object referenced by paramRef"
        ),
        _ => format!(
            "user {user} does not have \"{verb}\" permission on the object referenced by paramRef"
        ),
    })
}

fn is_allowed(request: &ResourceRequest<'_>, verb: &str, target: Resource<'_>) -> bool {
    let attributes = Attributes { user: request.user, verb, target: Target::Resource(target) };
    request.app.authorizer.decide(&attributes).is_allowed()
}

/// A user as Go's `%v` prints the struct.
fn go_format(user: &User) -> String {
    let mut extra: Vec<String> =
        user.extra.iter().map(|(key, values)| format!("{key}:[{}]", values.join(" "))).collect();
    extra.sort();
    let groups = user.groups.join(" ");
    format!("&{{{} {} [{groups}] map[{}]}}", user.name, user.uid, extra.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_looks_as_in_go() {
        let user = User {
            name: "alice".into(),
            uid: "u".into(),
            groups: vec!["a".into(), "b".into()],
            extra: vec![("k".into(), vec!["v".into(), "w".into()])],
        };
        assert_eq!(go_format(&user), "&{alice u [a b] map[k:[v w]]}");
        assert_eq!(go_format(&User::default()), "&{  [] map[]}");
    }
}
