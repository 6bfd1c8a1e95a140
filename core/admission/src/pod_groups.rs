//! PodGroupProtection and PodGroupWorkloadExists: groups of pods stay while they are used, and are made from templates that
//! there are.

use crate::resources::WORKLOADS;
use crate::{Attributes, Denial, PluginContext, pods};
use alloc::format;
use ratchet_net::Quoted;
use ratchet_object::Node;

const GROUP: &str = "scheduling.k8s.io";
const POD_GROUPS: &str = "podgroups";
const FINALIZER: &str = "scheduling.k8s.io/podgroup-protection";

/// Adds the protection finalizer to a new group.
pub(crate) fn protect(
    attributes: &Attributes<'_>,
    group: &mut Node<'static>,
    _: &dyn PluginContext,
) -> Result<(), Denial> {
    if attributes.is_on(GROUP, POD_GROUPS) && attributes.is_create() {
        let finalizers = pods::list_mut(group.map_mut("metadata"), "finalizers");
        if !finalizers.iter().any(|item| item.text() == Some(FINALIZER)) {
            finalizers.push(Node::string(FINALIZER));
        }
    }
    Ok(())
}

/// Refuses a new group whose Workload or template does not exist.
pub(crate) fn validate(
    attributes: &Attributes<'_>,
    group: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    let reference = group.find(&["spec", "podGroupTemplateRef", "workload"]);
    let (true, true, Some(reference)) =
        (attributes.is_on(GROUP, POD_GROUPS), attributes.is_create(), reference)
    else {
        return Ok(());
    };
    let refuse = |why| Err(Denial::forbidden(format!("PodGroup rejected: {why}")));
    let name = reference.text_at(&["workloadName"]);
    let formatted = Quoted(name);
    let Some(workload) = cluster.get(&WORKLOADS, attributes.namespace, name) else {
        return refuse(format!("Workload {formatted} not found"));
    };
    if workload.find(&["metadata", "deletionTimestamp"]).is_some() {
        return refuse(format!("Workload {formatted} is being deleted"));
    }
    let template = reference.text_at(&["podGroupTemplateName"]);
    let templates = workload.find(&["spec", "podGroupTemplates"]).map(Node::items);
    let mut templates = templates.unwrap_or_default().iter();
    if templates.any(|other| other.text_at(&["name"]) == template) {
        return Ok(());
    }
    refuse(format!("PodGroupTemplate {} not found in Workload {formatted}", Quoted(template)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation::{Create, Update};
    use crate::testing::{Fake, attributes, node, text, user};

    #[test]
    fn new_groups_are_protected() {
        let user = user("u", &[]);
        for (operation, wanted) in [(Create, 1), (Update, 0)] {
            let mut group = node("{metadata: {name: a}}");
            let requested = attributes(operation, GROUP, POD_GROUPS, &user, None);
            for _ in 0..2 {
                protect(&requested, &mut group, &Fake::default()).ok().unwrap();
            }
            let finalizers = group.find(&["metadata", "finalizers"]).map(Node::items);
            assert_eq!(finalizers.unwrap_or_default().len(), wanted);
        }
    }

    #[test]
    fn groups_are_made_from_templates_that_there_are() {
        let user = user("u", &[]);
        let cluster = Fake::default().with(
            GROUP,
            "workloads",
            &[
                "{metadata: {namespace: ns, name: w}, spec: {podGroupTemplates: [{name: t}]}}",
                "{metadata: {namespace: ns, name: old, deletionTimestamp: x}}",
            ],
        );
        let outcome = |reference: &str| {
            let group = node(&format!("{{spec: {{podGroupTemplateRef: {reference}}}}}"));
            let requested = attributes(Create, GROUP, POD_GROUPS, &user, None);
            text(validate(&requested, &group, &cluster))
        };
        let of = |workload: &str, template: &str| {
            outcome(&format!(
                "{{workload: {{workloadName: {workload}, podGroupTemplateName: {template}}}}}"
            ))
        };
        assert_eq!(outcome("{}"), of("w", "t"));
        assert!(of("x", "t").contains("PodGroup rejected: Workload \"x\" not found"));
        assert!(of("old", "t").contains("Workload \"old\" is being deleted"));
        let missing = of("w", "u");
        assert!(missing.contains("PodGroupTemplate \"u\" not found in Workload \"w\""));
    }
}
