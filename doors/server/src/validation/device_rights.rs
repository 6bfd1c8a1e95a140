//! Rights to devices: admin access needs a label of the namespace, and parts of a claim's status have permissions of
//! their own.

use crate::app::resource_request::ResourceRequest;
use crate::request::body::content_type;
use ratchet_access::{Attributes, Resource, Target, User};
use ratchet_engine::field_validation::{FieldErrors, ValidationContext};
use ratchet_engine::{Change, Part, Verdict};
use ratchet_object::{At, Node};
use std::collections::BTreeSet;

const GROUP: &str = "resource.k8s.io";
const LABEL: &str = "resource.kubernetes.io/admin-access";
const NODE_NAME: &str = "authentication.kubernetes.io/node-name";

/// Adds field errors to the verdict on a claim, or a template of claims; they come before all others.
pub(super) fn check(request: &ResourceRequest<'_>, change: &Change<'_>, verdict: &mut Verdict) {
    if change.kind.group != GROUP {
        return;
    }
    let ctx = ValidationContext { change, config: &request.app.api_config };
    let mut own = Verdict::default();
    let mut errs = FieldErrors::new(&ctx, &mut own);
    let (root, old) = (change.new_root(), change.old_root());
    match (change.kind.name, change.part, old) {
        ("ResourceClaim", Part::Main, None) => {
            check_requests(request, &root.descend(&["spec", "devices", "requests"]), &mut errs);
        }
        ("ResourceClaimTemplate", Part::Main, None) => {
            let requests = root.descend(&["spec", "spec", "devices", "requests"]);
            // Errors name the field as that of a claim.
            let path = root.descend(&["spec", "devices", "requests"]);
            check_requests(request, &requests.with_path(*path.path()), &mut errs);
        }
        ("ResourceClaim", Part::Sub("status"), Some(old)) => {
            check_status(request, &root.field("status"), &old.field("status"), &mut errs);
        }
        _ => return,
    }
    own.errors.append(&mut verdict.errors);
    verdict.errors = own.errors;
}

/// Refuses admin access in a namespace without the label.
fn check_label(request: &ResourceRequest<'_>, at: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let namespaces = request.app.registry.core("namespaces");
    let namespace = namespaces
        .and_then(|resource| resource.cache.get(&request.path.namespace))
        .map(|item| item.read(|node| node.text_at(&["metadata", "labels", LABEL]).to_owned()));
    if namespace.as_deref() != Some("true") {
        let detail = format!(
            "admin access to devices requires the `{LABEL}: true` label on the containing namespace"
        );
        errs.forbidden(at, detail);
    }
}

fn check_requests(request: &ResourceRequest<'_>, list: &At<'_>, errs: &mut FieldErrors<'_, '_>) {
    let mut items = list.items();
    if let Some(at) = items.find(|at| at.descend(&["exactly", "adminAccess"]).is_true()) {
        check_label(request, &at.field("adminAccess"), errs);
    }
}

fn admin_result<'a>(status: &At<'a>) -> Option<At<'a>> {
    let results = status.descend(&["allocation", "devices", "results"]);
    let mut granted = results.items().map(|at| at.field("adminAccess"));
    granted.find(At::is_true)
}

fn check_status(
    request: &ResourceRequest<'_>,
    status: &At<'_>,
    old: &At<'_>,
    errs: &mut FieldErrors<'_, '_>,
) {
    if admin_result(old).is_none()
        && let Some(at) = admin_result(status)
    {
        check_label(request, &at, errs);
    }
    if !request.app.api_config.emulated.since(36) {
        return;
    }
    // The verb of the request: bodies of a PUT have no such type.
    let is_patch = content_type(request.headers).contains("patch");
    let verb = if is_patch { "patch" } else { "update" };
    let is_kept = |name| status.field(name).equals(&old.field(name));
    let row = request.resource.row();
    let target = |subresource| Resource {
        group: row.group,
        version: row.version,
        resource: row.plural,
        subresource,
        ..Resource::default()
    };
    let refusal = |verb: &str, target: Resource<'_>| {
        let attributes = Attributes { user: request.user, verb, target: Target::Resource(target) };
        request.app.authorizer.check(&attributes).err().map(|error| error.message)
    };
    if !(is_kept("allocation") && is_kept("reservedFor"))
        && let Some(why) = refusal(verb, target("binding"))
    {
        let detail = format!(
            "changing status.allocation or status.reservedFor requires resource=\"resourceclaims/binding\", verb=\"{verb}\" permission: {why}"
        );
        errs.forbidden(&status.field("allocation"), detail);
    }
    if !status.field("allocation").is_set() {
        return;
    }
    let mut verbs = vec![format!("arbitrary-node:{verb}")];
    if is_on_node(request.user, &status.field("allocation")) {
        verbs.insert(0, format!("associated-node:{verb}"));
    }
    for driver in changed_drivers(status, old) {
        let (namespace, name) = (request.path.namespace.as_str(), driver.as_str());
        let mut refusals = verbs
            .iter()
            .map(|verb| refusal(verb, Resource { namespace, name, ..target("driver") }));
        let first = refusals.next().flatten();
        if let Some(why) = first.filter(|_| refusals.all(|refusal| refusal.is_some())) {
            let detail = format!(
                "changing status.devices requires resource=\"resourceclaims/driver\", verb=\"[{}]\" permission: {why}",
                verbs.join(" ")
            );
            errs.forbidden(&status.field("devices"), detail);
        }
    }
}

/// The drivers whose reports about devices are new, changed or gone.
fn changed_drivers(status: &At<'_>, old: &At<'_>) -> BTreeSet<String> {
    let key = |at: &At<'_>| {
        ["driver", "pool", "device", "shareID"]
            .map(|name| at.field(name).text_or_empty().to_owned())
    };
    let (devices, before) = (status.field("devices"), old.field("devices"));
    let known: Vec<([String; 4], At<'_>)> = before.items().map(|at| (key(&at), at)).collect();
    let mut gone: BTreeSet<[String; 4]> = known.iter().map(|(key, _)| key.clone()).collect();
    let mut drivers = BTreeSet::new();
    for device in devices.items() {
        let own = key(&device);
        gone.remove(&own);
        let stored = known.iter().find(|(key, _)| *key == own);
        if stored.is_none_or(|(_, stored)| !device.equals(stored)) {
            drivers.insert(device.field("driver").text_or_empty().to_owned());
        }
    }
    drivers.extend(gone.into_iter().map(|[driver, ..]| driver));
    drivers
}

/// Whether a user is a service account on the one node that an allocation names.
fn is_on_node(user: &User, allocation: &At<'_>) -> bool {
    let terms = allocation.descend(&["nodeSelector", "nodeSelectorTerms"]);
    let node = terms.node().map(Node::items).unwrap_or_default();
    let [term] = node else { return false };
    let fields = term.get("matchFields").map(Node::items).unwrap_or_default();
    let [field] = fields else { return false };
    let has_labels = term.get("matchExpressions").is_some_and(|list| !list.items().is_empty());
    let is_name =
        field.text_at(&["key"]) == "metadata.name" && field.text_at(&["operator"]) == "In";
    let values = field.get("values").map(Node::items).unwrap_or_default();
    let [value] = values else { return false };
    !has_labels
        && is_name
        && user.name.starts_with("system:serviceaccount:")
        && value.text().is_some_and(|node| user.extra_value(NODE_NAME) == Some(node))
}
