//! DefaultTolerationSeconds, ExtendedResourceToleration, TaintNodesByCondition.

use crate::{Attributes, Denial, PluginContext, amounts, pods};
use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::Node;

const NOT_READY: &str = "node.kubernetes.io/not-ready";
const UNREACHABLE: &str = "node.kubernetes.io/unreachable";

/// How long pods stay on a node that is not ready or unreachable.
const SECONDS: i64 = 300;

/// Adds tolerations of five minutes for nodes that are not ready or unreachable.
pub(crate) fn default_seconds(
    attributes: &Attributes<'_>,
    pod: &mut Node<'static>,
    _: &dyn PluginContext,
) -> Result<(), Denial> {
    if !attributes.is_on("", "pods") || !(attributes.is_create() || attributes.is_update()) {
        return Ok(());
    }
    let bears = |key: &str| {
        pods::items(pod, &["spec", "tolerations"]).iter().any(|toleration| {
            let (own, effect) = (toleration.text_at(&["key"]), toleration.text_at(&["effect"]));
            (own.is_empty() || own == key) && matches!(effect, "" | "NoExecute")
        })
    };
    let missing: Vec<&'static str> =
        [NOT_READY, UNREACHABLE].into_iter().filter(|key| !bears(key)).collect();
    for key in missing {
        let toleration = Node::map([
            ("key", Node::string(key)),
            ("operator", Node::string("Exists")),
            ("effect", Node::string("NoExecute")),
            ("tolerationSeconds", Node::int(SECONDS)),
        ]);
        pods::list_mut(pod.map_mut("spec"), "tolerations").push(toleration);
    }
    Ok(())
}

/// Adds tolerations for the extended resources that a pod requests.
pub(crate) fn extended(
    attributes: &Attributes<'_>,
    pod: &mut Node<'static>,
    _: &dyn PluginContext,
) -> Result<(), Denial> {
    if !attributes.is_on("", "pods") || !(attributes.is_create() || attributes.is_update()) {
        return Ok(());
    }
    let lists = ["containers", "initContainers"];
    let requested = lists.iter().flat_map(|list| pod.pod_spec().list(list)).flat_map(|container| {
        container.find(&["resources", "requests"]).map(Node::entries).unwrap_or_default()
    });
    let names: BTreeSet<String> = requested
        .map(|entry| String::from(&*entry.key))
        .filter(|name| amounts::is_extended(name))
        .collect();
    if names.is_empty() {
        return Ok(());
    }
    let is_such = |other: &&Node<'_>| {
        other.text_at(&["effect"]) == "NoSchedule"
            && other.text_at(&["operator"]) == "Exists"
            && other.text_at(&["value"]).is_empty()
    };
    let tolerations = pods::list_mut(pod.map_mut("spec"), "tolerations");
    let tolerated: BTreeSet<String> =
        tolerations.iter().filter(is_such).map(|other| other.text_at(&["key"]).into()).collect();
    for name in names.difference(&tolerated) {
        tolerations.push(Node::map([
            ("key", Node::string(name.clone())),
            ("operator", Node::string("Exists")),
            ("effect", Node::string("NoSchedule")),
        ]));
    }
    Ok(())
}

/// Taints a new node as not ready.
pub(crate) fn taint(
    attributes: &Attributes<'_>,
    node: &mut Node<'static>,
    _: &dyn PluginContext,
) -> Result<(), Denial> {
    if !attributes.is_on("", "nodes") || !attributes.is_create() {
        return Ok(());
    }
    let is_not_ready_taint = |taint: &Node<'_>| {
        taint.text_at(&["key"]) == NOT_READY && taint.text_at(&["effect"]) == "NoSchedule"
    };
    if !pods::items(node, &["spec", "taints"]).iter().any(is_not_ready_taint) {
        let taint =
            Node::map([("key", Node::string(NOT_READY)), ("effect", Node::string("NoSchedule"))]);
        pods::list_mut(node.map_mut("spec"), "taints").push(taint);
    }
    Ok(())
}

/// Merges two lists: tolerations that another one covers are dropped.
pub(crate) fn merged(all: Vec<Node<'static>>) -> Vec<Node<'static>> {
    let mut merged: Vec<Node<'static>> = Vec::new();
    for (at, toleration) in all.iter().enumerate() {
        let later = all.iter().skip(at + 1);
        let is_redundant = merged.iter().any(|other| covers(other, toleration))
            || later.into_iter().any(|other| other != toleration && covers(other, toleration));
        if !is_redundant {
            merged.push(toleration.clone());
        }
    }
    merged
}

/// Whether `wide` tolerates everything that `narrow` does.
fn covers(wide: &Node<'_>, narrow: &Node<'_>) -> bool {
    if wide == narrow {
        return true;
    }
    fn of<'n>(node: &'n Node<'_>, name: &str) -> &'n str {
        node.text_at(&[name])
    }
    let seconds = |node: &Node<'_>| node.get("tolerationSeconds").and_then(Node::as_int);
    let exists = of(wide, "operator") == "Exists";
    if of(narrow, "key") != of(wide, "key") && !(of(wide, "key").is_empty() && exists) {
        return false;
    }
    if of(narrow, "effect") != of(wide, "effect") && !of(wide, "effect").is_empty() {
        return false;
    }
    if of(wide, "effect") == "NoExecute"
        && let Some(most) = seconds(wide)
        && seconds(narrow).is_none_or(|own| own > most)
    {
        return false;
    }
    match of(wide, "operator") {
        "Exists" => true,
        "Equal" | "" => {
            of(narrow, "operator") == "Equal" && of(narrow, "value") == of(wide, "value")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation::Create;
    use crate::testing::{Fake, attributes, node, user};

    fn keys(pod: &Node<'_>) -> Vec<String> {
        pods::items(pod, &["spec", "tolerations"])
            .iter()
            .map(|item| item.text_at(&["key"]).into())
            .collect()
    }

    #[test]
    fn pods_stay_five_minutes_unless_they_say_otherwise() {
        let user = user("u", &[]);
        let admitted = |text: &str| {
            let mut pod = node(text);
            default_seconds(
                &attributes(Create, "", "pods", &user, None),
                &mut pod,
                &Fake::default(),
            )
            .unwrap();
            keys(&pod)
        };
        assert_eq!(admitted("{spec: {}}"), [NOT_READY, UNREACHABLE]);
        let some = "{spec: {tolerations: [{key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute}]}}";
        assert_eq!(admitted(some), [NOT_READY, UNREACHABLE]);
        assert_eq!(admitted("{spec: {tolerations: [{operator: Exists}]}}"), [""]);
        let other = "{spec: {tolerations: [{operator: Exists, effect: NoSchedule}]}}";
        assert_eq!(admitted(other), ["", NOT_READY, UNREACHABLE]);
    }

    #[test]
    fn devices_are_borne() {
        let user = user("u", &[]);
        let mut pod =
            node("{spec: {containers: [{resources: {requests: {example.com/gpu: 1, cpu: 1}}}]}}");
        let create = attributes(Create, "", "pods", &user, None);
        extended(&create, &mut pod, &Fake::default()).unwrap();
        extended(&create, &mut pod, &Fake::default()).unwrap();
        assert_eq!(keys(&pod), ["example.com/gpu"]);
    }

    #[test]
    fn new_nodes_are_not_ready_once() {
        let user = user("u", &[]);
        let mut created = node("{metadata: {name: n1}}");
        let create = attributes(Create, "", "nodes", &user, None);
        taint(&create, &mut created, &Fake::default()).unwrap();
        taint(&create, &mut created, &Fake::default()).unwrap();
        assert_eq!(
            created.get("spec").unwrap().to_json(),
            r#"{"taints":[{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}]}"#
        );
    }

    #[test]
    fn the_wider_toleration_stays() {
        let list = |text: &str| node(text).items().to_vec();
        let all = "[{key: a, operator: Equal, value: b, effect: NoSchedule}, {key: a, operator: Exists}, {key: c, operator: Exists}]";
        let merged_list = merged(list(all));
        assert_eq!(merged_list.len(), 2);
        assert_eq!(merged_list[0].text_at(&["operator"]), "Exists");
        let seconds = "[{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 5}, {key: a, operator: Exists, effect: NoExecute}]";
        assert_eq!(merged(list(seconds)).len(), 1);
    }
}
