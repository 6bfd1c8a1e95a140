//! StorageObjectInUseProtection and PersistentVolumeClaimResize: finalizers on new storage, checks of claim expansion.

use crate::resources::STORAGE_CLASSES;
use crate::{Attributes, Denial, PluginContext, pods};
use core::cmp::Ordering;
use ratchet_object::{Node, Quantity};

/// The deprecated annotation with the storage class of a claim.
pub(crate) const CLASS_ANNOTATION: &str = "volume.beta.kubernetes.io/storage-class";

/// The protected resources: group, resource, finalizer, first release.
const PROTECTED: &[(&str, &str, &str, u8)] = &[
    ("", "persistentvolumeclaims", "kubernetes.io/pvc-protection", 0),
    ("", "persistentvolumes", "kubernetes.io/pv-protection", 0),
    ("storage.k8s.io", "volumeattributesclasses", "kubernetes.io/vac-protection", 34),
];

/// Adds the protection finalizers to new volumes and claims.
pub(crate) fn protect(
    attributes: &Attributes<'_>,
    node: &mut Node<'static>,
    _: &dyn PluginContext,
) -> Result<(), Denial> {
    let row = PROTECTED.iter().find(|(group, resource, _, since)| {
        attributes.is_on(group, resource) && attributes.is_create() && attributes.minor >= *since
    });
    let Some((_, _, finalizer, _)) = row else { return Ok(()) };
    let finalizers = pods::list_mut(node.map_mut("metadata"), "finalizers");
    if !finalizers.iter().any(|item| item.text() == Some(finalizer)) {
        finalizers.push(Node::string(*finalizer));
    }
    Ok(())
}

/// The class of a claim; empty if it has none.
pub(crate) fn class_of<'n>(claim: &'n Node<'_>) -> &'n str {
    claim
        .metadata()
        .annotation(CLASS_ANNOTATION)
        .unwrap_or_else(|| claim.text_at(&["spec", "storageClassName"]))
}

/// Refuses the expansion of claims that cannot be expanded.
pub(crate) fn resize(
    attributes: &Attributes<'_>,
    claim: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    let (true, Some(old)) =
        (attributes.is_on("", "persistentvolumeclaims") && attributes.is_update(), attributes.old)
    else {
        return Ok(());
    };
    let size = |claim: &Node<'_>| {
        let storage = claim.find(&["spec", "resources", "requests", "storage"]);
        storage.and_then(Quantity::of).unwrap_or(Quantity::whole(0))
    };
    if size(claim).compare(size(old)) != Ordering::Greater {
        return Ok(());
    }
    if old.text_at(&["status", "phase"]) != "Bound" {
        return Err(Denial::forbidden("Only bound persistent volume claims can be expanded"));
    }
    let name = class_of(claim);
    let grows = !name.is_empty() && name == class_of(old) && {
        let class = cluster.get(&STORAGE_CLASSES, "", name);
        class.and_then(|class| class.get("allowVolumeExpansion").and_then(Node::as_bool))
            == Some(true)
    };
    if grows {
        return Ok(());
    }
    Err(Denial::forbidden(
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation::{Create, Update};
    use crate::testing::{Fake, attributes, node, text, user};

    #[test]
    fn new_storage_is_held_once() {
        let user = user("u", &[]);
        for (group, resource, finalizer, _) in PROTECTED {
            let mut created = node("{metadata: {name: a}}");
            let create = attributes(Create, group, resource, &user, None);
            protect(&create, &mut created, &Fake::default()).unwrap();
            protect(&create, &mut created, &Fake::default()).unwrap();
            let finalizers = pods::items(&created, &["metadata", "finalizers"]);
            assert_eq!(finalizers, [Node::string(*finalizer)]);
        }
        let mut pod = node("{metadata: {name: a}}");
        protect(&attributes(Create, "", "pods", &user, None), &mut pod, &Fake::default()).unwrap();
        assert_eq!(pod.find(&["metadata", "finalizers"]), None);
    }

    #[test]
    fn claims_grow_only_where_their_class_lets_them() {
        let user = user("u", &[]);
        let cluster = Fake::default().with(
            "storage.k8s.io",
            "storageclasses",
            &["{metadata: {name: grows}, allowVolumeExpansion: true}", "{metadata: {name: fixed}}"],
        );
        let claim = |class: &str, size: &str, phase: &str| {
            node(&alloc::format!(
                "{{spec: {{storageClassName: {class}, resources: {{requests: {{storage: {size}}}}}}}, status: {{phase: {phase}}}}}"
            ))
        };
        let outcome = |class: &str, size: &str, phase: &str| {
            let old = claim(class, "1Gi", phase);
            let update = attributes(Update, "", "persistentvolumeclaims", &user, Some(&old));
            text(resize(&update, &claim(class, size, phase), &cluster))
        };
        assert_eq!(outcome("grows", "2Gi", "Bound"), "Ok(())");
        assert_eq!(outcome("fixed", "1024Mi", "Pending"), "Ok(())");
        assert_eq!(
            outcome("grows", "2Gi", "Pending"),
            "Only bound persistent volume claims can be expanded"
        );
        assert!(
            outcome("fixed", "2Gi", "Bound")
                .starts_with("only dynamically provisioned pvc can be resized")
        );
    }
}
