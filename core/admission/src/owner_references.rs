//! OwnerReferencesPermissionEnforcement: changing owners needs `delete`, blocking an owner needs its `finalizers`.

use crate::attributes::may;
use crate::{Attributes, Denial, PluginContext, pods};
use alloc::collections::BTreeSet;
use alloc::format;
use ratchet_access::Resource;
use ratchet_object::{Equality, GroupVersionKind, Node, Slot};

/// Refuses owner references that the user is not authorized to set.
pub(crate) fn validate(
    attributes: &Attributes<'_>,
    new: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    let is_status = attributes.is_on_part("", "pods", "status");
    let owners = ["metadata", "ownerReferences"];
    let before = attributes.old.map(|old| pods::items(old, &owners)).unwrap_or_default();
    let after = pods::items(new, &owners);
    let slot = owners.iter().fold(Slot::of_object(new), |slot, name| slot.member(name)).item();
    let differs = |(one, other)| !slot.equal(Some(one), Some(other), Equality::Semantic);
    let is_changed = before.len() != after.len() || before.iter().zip(after).any(differs);
    if is_status || !is_changed || !(attributes.is_create() || attributes.is_update()) {
        return Ok(());
    }
    if !attributes.is_create() {
        let own = Resource {
            group: attributes.group,
            version: attributes.version,
            resource: attributes.resource,
            subresource: attributes.subresource,
            namespace: attributes.namespace,
            name: attributes.name,
            ..Resource::default()
        };
        may(cluster, attributes.user, "delete", own).map_err(|error| {
            Denial::Forbidden(format!(
                "cannot set an ownerRef on a resource you can't delete: {error}, <nil>"
            ))
        })?;
    }
    let blocks =
        |owner: &Node<'_>| owner.get("blockOwnerDeletion").and_then(Node::as_bool) == Some(true);
    let blocked: BTreeSet<&str> =
        before.iter().filter(|owner| blocks(owner)).map(|owner| owner.text_at(&["uid"])).collect();
    let mut blocking = after
        .iter()
        .filter(|owner| blocks(owner) && !blocked.contains(owner.text_at(&["uid"])))
        .peekable();
    let anything = Resource {
        group: "*",
        version: "*",
        resource: "*",
        subresource: "finalizers",
        name: "*",
        ..Resource::default()
    };
    if blocking.peek().is_none() || may(cluster, attributes.user, "update", anything).is_ok() {
        return Ok(());
    }
    blocking.try_for_each(|owner| may_block(attributes, owner, cluster))
}

fn may_block(
    attributes: &Attributes<'_>,
    owner: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    let (api_version, kind) = (owner.text_at(&["apiVersion"]), owner.text_at(&["kind"]));
    let kind_name = GroupVersionKind::from_api_version(api_version, kind);
    let Some(mapping) = cluster.rest_mapping(&kind_name) else {
        return Err(Denial::Forbidden(format!(
            "cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion {api_version} Kind {kind}: no matches for kind \"{kind}\" in version \"{api_version}\""
        )));
    };
    let owner_resource = Resource {
        group: kind_name.group,
        version: kind_name.version,
        resource: &mapping.resource,
        subresource: "finalizers",
        namespace: if mapping.namespaced { attributes.namespace } else { "" },
        name: owner.text_at(&["name"]),
        ..Resource::default()
    };
    may(cluster, attributes.user, "update", owner_resource).map_err(|error| {
        Denial::Forbidden(format!(
            "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: {error}, <nil>"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation::{Create, Update};
    use crate::testing::{Fake, attributes, node, text, user};
    use alloc::string::String;

    const OWNED: &str =
        "{metadata: {ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: u}]}}";
    const HOLDING: &str = "{metadata: {ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: u, blockOwnerDeletion: true}]}}";

    fn outcome(new: &str, old: Option<&str>, cluster: &Fake) -> String {
        let user = user("u", &[]);
        let old = old.map(node);
        let operation = if old.is_some() { Update } else { Create };
        text(validate(&attributes(operation, "", "pods", &user, old.as_ref()), &node(new), cluster))
    }

    #[test]
    fn changing_owners_needs_the_right_to_delete() {
        let nobody = Fake::default();
        assert_eq!(outcome(OWNED, None, &nobody), "Ok(())");
        assert_eq!(outcome(OWNED, Some(OWNED), &nobody), "Ok(())");
        assert!(
            outcome(OWNED, Some("{}"), &nobody)
                .starts_with("cannot set an ownerRef on a resource you can't delete")
        );
        assert_eq!(
            outcome(OWNED, Some("{}"), &Fake::default().allowing("delete pods x")),
            "Ok(())"
        );
    }

    #[test]
    fn holding_an_owner_needs_its_finalizers() {
        assert!(
            outcome(HOLDING, None, &Fake::default())
                .starts_with("cannot set blockOwnerDeletion if")
        );
        assert_eq!(
            outcome(HOLDING, None, &Fake::default().allowing("update replicasets/finalizers r")),
            "Ok(())"
        );
        assert_eq!(
            outcome(HOLDING, None, &Fake::default().allowing("update */finalizers *")),
            "Ok(())"
        );
        let strange = HOLDING.replace("ReplicaSet", "Thing");
        assert!(
            outcome(&strange, None, &Fake::default()).contains("no matches for kind \"Thing\"")
        );
    }
}
