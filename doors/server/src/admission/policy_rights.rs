//! Who writes a policy or a binding must be allowed to read the parameters that it reads.

use crate::resource_request::ResourceRequest;
use ratchet_access::{Attempt, Resource, Target, User, is_superuser};
use ratchet_engine::writing::{FieldErrors, ValidationContext};
use ratchet_engine::{Change, Part, Verdict};
use ratchet_object::{At, Node};

const GROUP: &str = "admissionregistration.k8s.io";

/// Adds to a verdict on a policy or binding that is well made what its writer may not read.
pub(super) fn check(request: &ResourceRequest<'_>, change: &Change<'_>, verdict: &mut Verdict) {
    let is_meant = change.kind.group == GROUP && change.part == Part::Main;
    if !is_meant || !verdict.problems.is_empty() || is_superuser(request.user) {
        return;
    }
    let (at, said) = match change.kind.name {
        "ValidatingAdmissionPolicy" => ("paramKind", of_policy(request, change)),
        "ValidatingAdmissionPolicyBinding" => ("paramRef", of_binding(request, change)),
        _ => return,
    };
    if let Err(why) = said {
        let ctx = ValidationContext { change, policy: &request.app.policy };
        FieldErrors::new(&ctx, verdict).forbidden(&change.new_root().descend(&["spec", at]), why);
    }
}

/// A field of the spec, if it is there and was not so before.
fn fresh<'a>(change: &Change<'a>, name: &'static str) -> Option<At<'a>> {
    let new = change.new_root().descend(&["spec", name]);
    let old = change.old_root().map(|root| root.descend(&["spec", name]));
    let is_kept = |old: At<'_>| old.is_set() && new.equals(&old);
    (new.is_set() && !old.is_some_and(is_kept)).then_some(new)
}

/// What the kind of parameters is to authorizers: what is not known may be anything.
fn param_resource<'k>(
    request: &'k ResourceRequest<'_>,
    kind: &'k Node<'_>,
) -> (&'k str, &'k str, Option<&'k str>) {
    let written = kind.text_at(&["apiVersion"]);
    let (group, version) = written.split_once('/').unwrap_or(("", written));
    let name = kind.text_at(&["kind"]);
    let mut rows = request.app.registry.rows().iter();
    let row = rows.find(|row| (row.group, row.version, row.kind) == (group, version, name));
    (group, version, row.map(|row| row.plural))
}

fn of_policy(request: &ResourceRequest<'_>, change: &Change<'_>) -> Result<(), String> {
    let Some(kind) = fresh(change, "paramKind").and_then(|at| at.node()) else { return Ok(()) };
    let (group, version, plural) = param_resource(request, kind);
    let target = Resource {
        group,
        version,
        resource: plural.unwrap_or("*"),
        namespace: "*",
        name: "*",
        ..Resource::default()
    };
    if may(request, "get", target) {
        return Ok(());
    }
    let (name, written) = (kind.text_at(&["kind"]), kind.text_at(&["apiVersion"]));
    Err(format!(
        "user {} must have \"get\" permission on all objects of the referenced paramKind (kind={name}, apiVersion={written})",
        shown(request.user)
    ))
}

fn of_binding(request: &ResourceRequest<'_>, change: &Change<'_>) -> Result<(), String> {
    let root = change.new_root();
    let policy_name = root.descend(&["spec", "policyName"]).text_or_empty();
    let old_name = change.old_root().map(|old| old.descend(&["spec", "policyName"]));
    let is_rebound = old_name.is_some_and(|old| old.text_or_empty() != policy_name);
    let wanted = match is_rebound {
        true => Some(root.descend(&["spec", "paramRef"])).filter(At::is_set),
        false => fresh(change, "paramRef"),
    };
    let Some(wanted) = wanted.and_then(|at| at.node()) else { return Ok(()) };
    let policies = request.app.registry.find(GROUP, "v1", "validatingadmissionpolicies");
    let policy = policies.and_then(|resource| resource.cache.get(policy_name)).map(|item| item.node());
    let kind = policy.as_ref().and_then(|policy| policy.find(&["spec", "paramKind"]));
    let known = kind.map(|kind| param_resource(request, kind));
    let (group, version, plural) = known.unwrap_or(("*", "*", None));
    let name = wanted.text_at(&["name"]);
    let verb = if name.is_empty() { "list" } else { "get" };
    let target = Resource {
        group,
        version,
        resource: plural.unwrap_or("*"),
        namespace: wanted.text_at(&["namespace"]),
        name,
        ..Resource::default()
    };
    if may(request, verb, target) {
        return Ok(());
    }
    let user = shown(request.user);
    let all = format!(
        "to determine minimum required permissions and user {user} does not have \"{verb}\" permission for all groups, versions and resources"
    );
    Err(match (&policy, kind) {
        (None, _) => format!("unable to get policy {policy_name} {all}"),
        (Some(_), Some(kind)) if plural.is_none() => {
            let (written, kind) = (kind.text_at(&["apiVersion"]), kind.text_at(&["kind"]));
            format!("unable to resolve paramKind &{{{written} {kind}}} {all}")
        }
        _ => format!(
            "user {user} does not have \"{verb}\" permission on the object referenced by paramRef"
        ),
    })
}

fn may(request: &ResourceRequest<'_>, verb: &str, target: Resource<'_>) -> bool {
    let attempt = Attempt { user: request.user, verb, target: Target::Resource(target) };
    request.app.authorizer.decide(&attempt).is_allowed()
}

/// A user as Go prints the struct behind it.
fn shown(user: &User) -> String {
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
        assert_eq!(shown(&user), "&{alice u [a b] map[k:[v w]]}");
        assert_eq!(shown(&User::default()), "&{  [] map[]}");
    }
}
