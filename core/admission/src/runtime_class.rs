//! RuntimeClass: a pod gets the overhead and scheduling constraints of its runtime class.

use crate::resources::RUNTIME_CLASSES;
use crate::{Attributes, Denial, PluginContext, amounts, pods, tolerations};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::Node;

const MISMATCH: &str = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";

/// Adds overhead, node selector and tolerations of the runtime class.
pub(crate) fn admit(
    attributes: &Attributes<'_>,
    pod: &mut Node<'static>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    let Some(class) = class_of(attributes, pod, cluster)? else { return Ok(()) };
    if let Some(fixed) = class.find(&["overhead", "podFixed"]) {
        let specified =
            pod.find(&["spec", "overhead"]).filter(|specified| !specified.entries().is_empty());
        if specified.is_some_and(|specified| !amounts::same(Some(specified), Some(fixed))) {
            return Err(Denial::forbidden(MISMATCH));
        }
        pod.map_mut("spec").set("overhead", fixed.clone());
    }
    let Some(scheduling) = class.get("scheduling") else { return Ok(()) };
    for entry in scheduling.get("nodeSelector").map(Node::entries).unwrap_or_default() {
        let (key, required) = (&*entry.key, entry.node.text().unwrap_or_default());
        let specified = pod.find(&["spec", "nodeSelector", key]).and_then(Node::text);
        if let Some(specified) = specified.filter(|specified| *specified != required) {
            return Err(Denial::Forbidden(format!(
                "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {required}; pod.spec.nodeSelector[{key}] = {specified}"
            )));
        }
        pod.map_mut("spec")
            .map_mut("nodeSelector")
            .set(String::from(key), Node::string(String::from(required)));
    }
    let lists =
        [pods::items(pod, &["spec", "tolerations"]), pods::items(scheduling, &["tolerations"])];
    let all: Vec<Node<'static>> = lists.into_iter().flatten().cloned().collect();
    if !all.is_empty() {
        pod.map_mut("spec").set("tolerations", Node::list(tolerations::merged(all)));
    }
    Ok(())
}

/// Refuses an overhead that differs from the runtime class.
pub(crate) fn validate(
    attributes: &Attributes<'_>,
    pod: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    if !attributes.is_on("", "pods") || !attributes.is_create() {
        return Ok(());
    }
    let class = class_of(attributes, pod, cluster)?;
    let fixed = class.as_ref().and_then(|class| class.get("overhead"));
    let specified = pod.find(&["spec", "overhead"]).filter(|specified| !specified.is_null());
    match (fixed, specified) {
        (Some(fixed), specified) if !amounts::same(fixed.get("podFixed"), specified) => {
            Err(Denial::forbidden(MISMATCH))
        }
        (None, Some(_)) => {
            let text = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
            Err(Denial::forbidden(text))
        }
        _ => Ok(()),
    }
}

fn class_of(
    attributes: &Attributes<'_>,
    pod: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<Option<Node<'static>>, Denial> {
    let name = pod.find(&["spec", "runtimeClassName"]).and_then(Node::text);
    let (true, Some(name)) = (attributes.is_on("", "pods") && attributes.is_create(), name) else {
        return Ok(None);
    };
    let missing = || Denial::Forbidden(format!("pod rejected: RuntimeClass \"{name}\" not found"));
    cluster.get(&RUNTIME_CLASSES, "", name).map(Some).ok_or_else(missing)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation::Create;
    use crate::testing::{Fake, attributes, node, text, user};

    const CLASS: &str = "{metadata: {name: vm}, overhead: {podFixed: {memory: 128Mi}},
        scheduling: {nodeSelector: {vm: 'yes'}, tolerations: [{key: vm, operator: Exists}]}}";

    fn admitted(pod: &str) -> (String, Node<'static>) {
        let user = user("u", &[]);
        let cluster = Fake::default().with("node.k8s.io", "runtimeclasses", &[CLASS]);
        let create = attributes(Create, "", "pods", &user, None);
        let mut pod = node(pod);
        let outcome =
            admit(&create, &mut pod, &cluster).and_then(|()| validate(&create, &pod, &cluster));
        (text(outcome), pod)
    }

    #[test]
    fn a_pod_gets_what_its_runtime_needs() {
        let (outcome, pod) = admitted("{spec: {runtimeClassName: vm}}");
        assert_eq!(outcome, "Ok(())");
        assert_eq!(
            pod.get("spec").unwrap().to_json(),
            r#"{"runtimeClassName":"vm","overhead":{"memory":"128Mi"},"nodeSelector":{"vm":"yes"},"tolerations":[{"key":"vm","operator":"Exists"}]}"#
        );
        assert_eq!(admitted("{spec: {}}").0, "Ok(())");
        assert_eq!(
            admitted("{spec: {runtimeClassName: vm, overhead: {memory: 131072Ki}}}").0,
            "Ok(())"
        );
    }

    #[test]
    fn what_does_not_fit_the_runtime_is_refused() {
        assert_eq!(
            admitted("{spec: {runtimeClassName: b}}").0,
            "pod rejected: RuntimeClass \"b\" not found"
        );
        assert_eq!(admitted("{spec: {runtimeClassName: vm, overhead: {memory: 1Mi}}}").0, MISMATCH);
        assert_eq!(
            admitted("{spec: {overhead: {memory: 1Mi}}}").0,
            "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
        );
        assert_eq!(
            admitted("{spec: {runtimeClassName: vm, nodeSelector: {vm: 'no'}}}").0,
            "conflict: runtimeClass.scheduling.nodeSelector[vm] = yes; pod.spec.nodeSelector[vm] = no"
        );
    }
}
