//! Plugins that are off by default: AlwaysPullImages, LimitPodHardAntiAffinityTopology, NamespaceExists, AlwaysDeny.

use crate::limit_ranger::aggregate;
use crate::resources::NAMESPACES;
use crate::{Attributes, Denial, PluginContext, pods};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_net::Quoted;
use ratchet_object::{CONTAINER_LISTS, Node};

/// Sets every image pull policy to `Always`, so that private images are not shared without credentials.
pub(crate) fn admit(
    attributes: &Attributes<'_>,
    pod: &mut Node<'static>,
    _: &dyn PluginContext,
) -> Result<(), Denial> {
    if !applies_to(attributes, pod) {
        return Ok(());
    }
    for list in CONTAINER_LISTS {
        for container in
            pod.find_mut(&["spec", list]).and_then(Node::items_mut).into_iter().flatten()
        {
            container.set("imagePullPolicy", Node::string("Always"));
        }
    }
    for volume in pod.find_mut(&["spec", "volumes"]).and_then(Node::items_mut).into_iter().flatten()
    {
        if let Some(image) = volume.get_mut("image") {
            image.set("pullPolicy", Node::string("Always"));
        }
    }
    Ok(())
}

/// Refuses any other image pull policy.
pub(crate) fn validate(
    attributes: &Attributes<'_>,
    pod: &Node<'_>,
    _: &dyn PluginContext,
) -> Result<(), Denial> {
    if !applies_to(attributes, pod) {
        return Ok(());
    }
    let mut faults = Vec::new();
    let mut look = |path: String, policy: &str| {
        if policy != "Always" {
            let formatted = Quoted(policy);
            faults.push(format!(
                "{path}: Unsupported value: {formatted}: supported values: \"Always\""
            ));
        }
    };
    for list in CONTAINER_LISTS {
        for (at, container) in pod.pod_spec().list(list).iter().enumerate() {
            look(
                format!("spec.{list}[{at}].imagePullPolicy"),
                container.text_at(&["imagePullPolicy"]),
            );
        }
    }
    for (at, volume) in pod.pod_spec().volumes().iter().enumerate() {
        if let Some(image) = volume.get("image") {
            look(format!("spec.volumes[{at}].image.pullPolicy"), image.text_at(&["pullPolicy"]));
        }
    }
    aggregate(faults).map_or(Ok(()), |text| Err(Denial::Forbidden(text)))
}

/// Whether a request is about a pod, unless it is an update without a new image.
fn applies_to(attributes: &Attributes<'_>, pod: &Node<'_>) -> bool {
    let images = |pod: &Node<'_>| -> Vec<String> {
        pod.pod_spec().containers().map(|container| container.text_at(&["image"]).into()).collect()
    };
    let is_written = attributes.is_create() || attributes.is_update();
    let is_known = attributes.old.is_some_and(|old| {
        let old_images = images(old);
        images(pod).iter().all(|image| old_images.contains(image))
    });
    attributes.is_on("", "pods") && is_written && !(attributes.is_update() && is_known)
}

/// Refuses pods whose required anti-affinity has another topology than the node.
pub(crate) fn anti_affinity(
    attributes: &Attributes<'_>,
    pod: &Node<'_>,
    _: &dyn PluginContext,
) -> Result<(), Denial> {
    const HOST: &str = "kubernetes.io/hostname";
    if !attributes.is_on("", "pods") {
        return Ok(());
    }
    let path =
        ["spec", "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"];
    let mut keys = pods::items(pod, &path).iter().map(|term| term.text_at(&["topologyKey"]));
    match keys.find(|key| *key != HOST) {
        Some(key) => Err(Denial::Forbidden(format!(
            "affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey {key} but only key {HOST} is allowed"
        ))),
        None => Ok(()),
    }
}

/// Refuses objects in a namespace that does not exist.
pub(crate) fn namespace_exists(
    attributes: &Attributes<'_>,
    _: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    let name = attributes.namespace;
    let is_namespace = attributes.is_on("", "namespaces");
    if name.is_empty() || is_namespace || cluster.get(&NAMESPACES, "", name).is_some() {
        return Ok(());
    }
    Err(Denial::NotFound { resource: "namespaces", name: name.into() })
}

/// Refuses everything.
pub(crate) fn deny(
    _: &Attributes<'_>,
    _: &mut Node<'static>,
    _: &dyn PluginContext,
) -> Result<(), Denial> {
    Err(Denial::forbidden("admission control is denying all modifications"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation::{Create, Update};
    use crate::testing::{Fake, attributes, node, text, user};

    #[test]
    fn images_are_always_pulled() {
        let user = user("u", &[]);
        let create = attributes(Create, "", "pods", &user, None);
        let mut pod = node("{spec: {containers: [{image: a, imagePullPolicy: Never}]}}");
        assert_eq!(
            text(validate(&create, &pod, &Fake::default())),
            "spec.containers[0].imagePullPolicy: Unsupported value: \"Never\": supported values: \"Always\""
        );
        admit(&create, &mut pod, &Fake::default()).unwrap();
        assert_eq!(text(validate(&create, &pod, &Fake::default())), "Ok(())");
        let old = node("{spec: {containers: [{image: a, imagePullPolicy: Never}]}}");
        let update = attributes(Update, "", "pods", &user, Some(&old));
        assert_eq!(text(validate(&update, &old, &Fake::default())), "Ok(())");
    }

    #[test]
    fn what_is_in_no_namespace_is_refused() {
        let user = user("u", &[]);
        let create = attributes(Create, "", "pods", &user, None);
        let cluster = Fake::default().with("", "namespaces", &["{metadata: {name: ns}}"]);
        assert_eq!(text(namespace_exists(&create, &node("{}"), &cluster)), "Ok(())");
        let missing = Denial::NotFound { resource: "namespaces", name: "ns".into() };
        assert_eq!(namespace_exists(&create, &node("{}"), &Fake::default()), Err(missing));
    }

    #[test]
    fn pods_keep_others_away_from_a_node_at_most() {
        let user = user("u", &[]);
        let outcome = |key: &str| {
            let terms = format!(
                "{{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: {key}}}]}}}}"
            );
            let pod = node(&format!("{{spec: {{affinity: {terms}}}}}"));
            text(anti_affinity(
                &attributes(Create, "", "pods", &user, None),
                &pod,
                &Fake::default(),
            ))
        };
        assert_eq!(outcome("kubernetes.io/hostname"), "Ok(())");
        assert!(
            outcome("zone")
                .contains("has TopologyKey zone but only key kubernetes.io/hostname is allowed")
        );
    }
}
