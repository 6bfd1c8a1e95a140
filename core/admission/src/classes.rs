//! DefaultStorageClass and DefaultIngressClass: objects without a class get the one that is marked as default.

use crate::{Attributes, Denial, PluginContext};
use alloc::string::String;
use core::cmp::Ordering;
use ratchet_object::{GroupVersionResource, Node};

const STORAGE_ANNOTATIONS: &[&str] = &[
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
];
const INGRESS_ANNOTATIONS: &[&str] = &["ingressclass.kubernetes.io/is-default-class"];

/// Sets the default storage class of a claim.
pub(crate) fn storage(
    attributes: &Attributes<'_>,
    claim: &mut Node<'static>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    let is_new = attributes.is_on("", "persistentvolumeclaims") && attributes.is_create();
    let has_class = claim.metadata().annotation(crate::storage::CLASS_ANNOTATION).is_some()
        || claim.find(&["spec", "storageClassName"]).is_some_and(|class| !class.is_null());
    if is_new && !has_class {
        let class =
            default_class(cluster, ("storage.k8s.io", "storageclasses"), STORAGE_ANNOTATIONS);
        set(claim, "storageClassName", class);
    }
    Ok(())
}

/// Sets the default ingress class of an ingress.
pub(crate) fn ingress(
    attributes: &Attributes<'_>,
    ingress: &mut Node<'static>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    let is_new = attributes.is_on("networking.k8s.io", "ingresses") && attributes.is_create();
    let has_class = ingress.metadata().annotation("kubernetes.io/ingress.class").is_some()
        || ingress.find(&["spec", "ingressClassName"]).is_some_and(|class| !class.is_null());
    if is_new && !has_class {
        let class =
            default_class(cluster, ("networking.k8s.io", "ingressclasses"), INGRESS_ANNOTATIONS);
        set(ingress, "ingressClassName", class);
    }
    Ok(())
}

fn set(object: &mut Node<'static>, member: &'static str, class: Option<Node<'static>>) {
    if let Some(class) = class {
        let name = String::from(class.metadata().name());
        object.map_mut("spec").set(member, Node::string(name));
    }
}

/// The class with a default annotation; of several the newest, and of those the first by name.
fn default_class(
    cluster: &dyn PluginContext,
    (group, resource): (&str, &str),
    annotations: &[&str],
) -> Option<Node<'static>> {
    let is_marked = |class: &Node<'_>| {
        annotations.iter().any(|annotation| class.metadata().annotation(annotation) == Some("true"))
    };
    cluster
        .list(&GroupVersionResource::any_version(group, resource), "", usize::MAX)
        .into_iter()
        .filter(is_marked)
        .min_by(by_age)
}

fn by_age(one: &Node<'_>, other: &Node<'_>) -> Ordering {
    fn created<'n>(class: &'n Node<'_>) -> &'n str {
        class.metadata().creation_timestamp()
    }
    let name = |class: &Node<'_>| String::from(class.metadata().name());
    created(other).cmp(created(one)).then_with(|| name(one).cmp(&name(other)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation::Create;
    use crate::testing::{Fake, attributes, node, user};

    fn class(name: &str, created: &str, annotation: &str) -> String {
        alloc::format!(
            "{{metadata: {{name: {name}, creationTimestamp: '{created}', annotations: {{{annotation}: 'true'}}}}}}"
        )
    }

    #[test]
    fn a_claim_gets_the_newest_default() {
        let user = user("u", &[]);
        let [old, new] = [
            class("old", "2020-01-01T00:00:00Z", STORAGE_ANNOTATIONS[0]),
            class("new", "2021-01-01T00:00:00Z", STORAGE_ANNOTATIONS[1]),
        ];
        let cluster = Fake::default().with(
            "storage.k8s.io",
            "storageclasses",
            &[&old, &new, "{metadata: {name: plain}}"],
        );
        let class_of = |text: &str| {
            let mut claim = node(text);
            let create = attributes(Create, "", "persistentvolumeclaims", &user, None);
            storage(&create, &mut claim, &cluster).unwrap();
            claim.find(&["spec", "storageClassName"]).and_then(Node::text).map(String::from)
        };
        assert_eq!(class_of("{spec: {}}").as_deref(), Some("new"));
        assert_eq!(class_of("{spec: {storageClassName: ''}}").as_deref(), Some(""));
        assert_eq!(
            class_of(
                "{metadata: {annotations: {volume.beta.kubernetes.io/storage-class: a}}, spec: {}}"
            ),
            None
        );
    }

    #[test]
    fn an_ingress_gets_the_default_if_there_is_one() {
        let user = user("u", &[]);
        let create = attributes(Create, "networking.k8s.io", "ingresses", &user, None);
        let marked = class("a", "", INGRESS_ANNOTATIONS[0]);
        let cluster = Fake::default().with("networking.k8s.io", "ingressclasses", &[&marked]);
        let mut one = node("{spec: {}}");
        ingress(&create, &mut one, &Fake::default()).unwrap();
        assert_eq!(one.to_json(), r#"{"spec":{}}"#);
        ingress(&create, &mut one, &cluster).unwrap();
        assert_eq!(one.to_json(), r#"{"spec":{"ingressClassName":"a"}}"#);
        let mut annotated =
            node("{metadata: {annotations: {kubernetes.io/ingress.class: b}}, spec: {}}");
        ingress(&create, &mut annotated, &cluster).unwrap();
        assert_eq!(annotated.find(&["spec", "ingressClassName"]), None);
    }
}
