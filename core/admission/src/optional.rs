//! AlwaysPullImages, LimitPodHardAntiAffinityTopology, NamespaceExists, AlwaysDeny: off unless asked for.

use crate::limit_ranger::together;
use crate::{Cluster, Denial, Request, pods};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::Node;

/// Makes every start of a container ask the registry, so that images are not shared without their password.
pub(crate) fn admit(
    request: &Request<'_>,
    pod: &mut Node<'static>,
    _: &dyn Cluster,
) -> Result<(), Denial> {
    if !concerns(request, pod) {
        return Ok(());
    }
    for list in pods::LISTS {
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

/// Refuses what would not pull.
pub(crate) fn validate(
    request: &Request<'_>,
    pod: &Node<'_>,
    _: &dyn Cluster,
) -> Result<(), Denial> {
    if !concerns(request, pod) {
        return Ok(());
    }
    let mut faults = Vec::new();
    let mut look = |path: String, policy: &str| {
        if policy != "Always" {
            let shown = ratchet_access::quoted(policy);
            faults
                .push(format!("{path}: Unsupported value: {shown}: supported values: \"Always\""));
        }
    };
    for list in pods::LISTS {
        for (at, container) in pods::containers(pod, list).iter().enumerate() {
            look(
                format!("spec.{list}[{at}].imagePullPolicy"),
                container.text_at(&["imagePullPolicy"]),
            );
        }
    }
    for (at, volume) in pods::items(pod, &["spec", "volumes"]).iter().enumerate() {
        if let Some(image) = volume.get("image") {
            look(format!("spec.volumes[{at}].image.pullPolicy"), image.text_at(&["pullPolicy"]));
        }
    }
    together(faults).map_or(Ok(()), |text| Err(Denial::Forbidden(text)))
}

/// Pods, unless an update brings no new image.
fn concerns(request: &Request<'_>, pod: &Node<'_>) -> bool {
    let images = |pod: &Node<'_>| -> Vec<String> {
        pods::all(pod).map(|container| container.text_at(&["image"]).into()).collect()
    };
    let is_written = request.is_create() || request.is_update();
    let is_known = request.old.is_some_and(|old| {
        let known = images(old);
        images(pod).iter().all(|image| known.contains(image))
    });
    request.is_on("", "pods") && is_written && !(request.is_update() && is_known)
}

/// Refuses pods that keep others away from more than a node.
pub(crate) fn anti_affinity(
    request: &Request<'_>,
    pod: &Node<'_>,
    _: &dyn Cluster,
) -> Result<(), Denial> {
    const HOST: &str = "kubernetes.io/hostname";
    if !request.is_on("", "pods") {
        return Ok(());
    }
    let place =
        ["spec", "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution"];
    let mut keys = pods::items(pod, &place).iter().map(|term| term.text_at(&["topologyKey"]));
    match keys.find(|key| *key != HOST) {
        Some(key) => Err(Denial::Forbidden(format!(
            "affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey {key} but only key {HOST} is allowed"
        ))),
        None => Ok(()),
    }
}

/// Refuses what is in a namespace that does not exist.
pub(crate) fn namespace_exists(
    request: &Request<'_>,
    _: &Node<'_>,
    cluster: &dyn Cluster,
) -> Result<(), Denial> {
    let name = request.namespace;
    let is_it = request.is_on("", "namespaces");
    if name.is_empty() || is_it || cluster.object("", "namespaces", "", name).is_some() {
        return Ok(());
    }
    Err(Denial::NotFound { resource: "namespaces", name: name.into() })
}

/// Refuses everything.
pub(crate) fn deny(_: &Request<'_>, _: &mut Node<'static>, _: &dyn Cluster) -> Result<(), Denial> {
    Err(Denial::forbidden("admission control is denying all modifications"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation::{Create, Update};
    use crate::testing::{Fake, node, request, text, user};

    #[test]
    fn images_are_always_pulled() {
        let user = user("u", &[]);
        let create = request(Create, "", "pods", &user, None);
        let mut pod = node("{spec: {containers: [{image: a, imagePullPolicy: Never}]}}");
        assert_eq!(
            text(validate(&create, &pod, &Fake::default())),
            "spec.containers[0].imagePullPolicy: Unsupported value: \"Never\": supported values: \"Always\""
        );
        admit(&create, &mut pod, &Fake::default()).unwrap();
        assert_eq!(text(validate(&create, &pod, &Fake::default())), "Ok(())");
        let old = node("{spec: {containers: [{image: a, imagePullPolicy: Never}]}}");
        let update = request(Update, "", "pods", &user, Some(&old));
        assert_eq!(text(validate(&update, &old, &Fake::default())), "Ok(())");
    }

    #[test]
    fn what_is_in_no_namespace_is_refused() {
        let user = user("u", &[]);
        let create = request(Create, "", "pods", &user, None);
        let there = Fake::default().with("", "namespaces", &["{metadata: {name: ns}}"]);
        assert_eq!(text(namespace_exists(&create, &node("{}"), &there)), "Ok(())");
        let missing = Denial::NotFound { resource: "namespaces", name: "ns".into() };
        assert_eq!(namespace_exists(&create, &node("{}"), &Fake::default()), Err(missing));
    }

    #[test]
    fn pods_keep_others_away_from_a_node_at_most() {
        let user = user("u", &[]);
        let judged = |key: &str| {
            let terms = format!(
                "{{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{{topologyKey: {key}}}]}}}}"
            );
            let pod = node(&format!("{{spec: {{affinity: {terms}}}}}"));
            text(anti_affinity(&request(Create, "", "pods", &user, None), &pod, &Fake::default()))
        };
        assert_eq!(judged("kubernetes.io/hostname"), "Ok(())");
        assert!(
            judged("zone")
                .contains("has TopologyKey zone but only key kubernetes.io/hostname is allowed")
        );
    }
}
