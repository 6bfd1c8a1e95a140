//! Priority: resolves the priority class of a pod or a group of pods, and allows one global default class.

use crate::resources::PRIORITY_CLASSES;
use crate::{Attributes, Denial, PluginContext};
use alloc::format;
use alloc::string::String;
use ratchet_object::Node;

const GROUP: &str = "scheduling.k8s.io";
const CLASSES: &str = "priorityclasses";

/// Resolves the class of a new pod; an update keeps the resolved priority.
pub(crate) fn admit(
    attributes: &Attributes<'_>,
    pod: &mut Node<'static>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    if attributes.is_on(GROUP, "podgroups") && attributes.is_create() {
        return resolve_group(pod, cluster);
    }
    if !attributes.is_on("", "pods") {
        return Ok(());
    }
    if let (true, Some(old)) = (attributes.is_update(), attributes.old) {
        for name in ["priority", "preemptionPolicy"] {
            if pod.find(&["spec", name]).is_none()
                && let Some(resolved) = old.find(&["spec", name])
            {
                pod.map_mut("spec").set(name, resolved.clone().into_owned());
            }
        }
        return Ok(());
    }
    if attributes.is_create() { resolve(pod, cluster) } else { Ok(()) }
}

/// The class that an object names, or else the default, if there is one.
fn class_of(
    object: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<Option<Node<'static>>, Denial> {
    match object.text_at(&["spec", "priorityClassName"]) {
        "" => Ok(default_class(cluster)),
        name => {
            let class = cluster.get(&PRIORITY_CLASSES, "", name);
            let missing =
                || Denial::Forbidden(format!("no PriorityClass with name {name} was found"));
            Ok(Some(class.ok_or_else(missing)?))
        }
    }
}

/// Resolves the class of a new group of pods.
fn resolve_group(group: &mut Node<'static>, cluster: &dyn PluginContext) -> Result<(), Denial> {
    let class = class_of(group, cluster)?;
    let value = class.as_ref().map_or(0, value_of);
    let spec = group.map_mut("spec");
    if let Some(specified) =
        spec.get("priority").and_then(Node::as_int).filter(|specified| *specified != value)
    {
        return Err(Denial::Forbidden(format!(
            "priority set in the pod group ({specified}) must match the priority computed ({value}) based on the priority class set in the spec"
        )));
    }
    spec.set("priority", Node::int(value));
    if let Some(class) = &class {
        spec.set("priorityClassName", Node::string(String::from(class.metadata().name())));
    }
    Ok(())
}

fn resolve(pod: &mut Node<'static>, cluster: &dyn PluginContext) -> Result<(), Denial> {
    let class = class_of(pod, cluster)?;
    let value = class.as_ref().map_or(0, value_of);
    let policy = match &class {
        Some(class) => String::from(class.text_at(&["preemptionPolicy"])),
        None => "PreemptLowerPriority".into(),
    };
    let spec = pod.map_mut("spec");
    if let Some(class) = &class {
        spec.set("priorityClassName", Node::string(String::from(class.metadata().name())));
    }
    if let Some(specified) =
        spec.get("priority").and_then(Node::as_int).filter(|specified| *specified != value)
    {
        return Err(Denial::Forbidden(format!(
            "the integer value of priority ({specified}) must not be provided in pod spec; priority admission controller computed {value} from the given PriorityClass name"
        )));
    }
    spec.set("priority", Node::int(value));
    if policy.is_empty() {
        return Ok(());
    }
    if let Some(specified) =
        spec.get("preemptionPolicy").and_then(Node::text).filter(|specified| *specified != policy)
    {
        return Err(Denial::Forbidden(format!(
            "the string value of PreemptionPolicy ({specified}) must not be provided in pod spec; priority admission controller computed {policy} from the given PriorityClass name"
        )));
    }
    spec.set("preemptionPolicy", Node::string(policy));
    Ok(())
}

/// Refuses a second global default class.
pub(crate) fn validate(
    attributes: &Attributes<'_>,
    class: &Node<'_>,
    cluster: &dyn PluginContext,
) -> Result<(), Denial> {
    let is_written = attributes.is_create() || attributes.is_update();
    if !attributes.is_on(GROUP, CLASSES) || !is_written || !is_default(class) {
        return Ok(());
    }
    let Some(other) = default_class(cluster) else { return Ok(()) };
    let name = other.metadata().name();
    if attributes.is_update() && name == class.metadata().name() {
        return Ok(());
    }
    let text =
        format!("PriorityClass {name} is already marked as default. Only one default can exist");
    Err(Denial::Forbidden(text))
}

fn is_default(class: &Node<'_>) -> bool {
    class.get("globalDefault").and_then(Node::as_bool) == Some(true)
}

fn value_of(class: &Node<'_>) -> i64 {
    class.get("value").and_then(Node::as_int).unwrap_or(0)
}

/// The global default class; the lowest if a race created several.
fn default_class(cluster: &dyn PluginContext) -> Option<Node<'static>> {
    cluster
        .list_naming(&PRIORITY_CLASSES, "", "globalDefault")
        .into_iter()
        .filter(is_default)
        .min_by_key(value_of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Operation::{Create, Update};
    use crate::testing::{Fake, attributes, node, text, user};

    fn cluster() -> Fake {
        Fake::default().with(
            GROUP,
            CLASSES,
            &["{metadata: {name: high}, value: 1000, preemptionPolicy: Never}"],
        )
    }

    fn admitted(pod: &str, cluster: &Fake) -> (String, Node<'static>) {
        let user = user("u", &[]);
        let mut pod = node(pod);
        let outcome = text(admit(&attributes(Create, "", "pods", &user, None), &mut pod, cluster));
        (outcome, pod)
    }

    #[test]
    fn the_class_of_a_group_becomes_a_number() {
        let user = user("u", &[]);
        let resolved = |spec: &str| {
            let mut group = node(&format!("{{spec: {spec}}}"));
            let requested = attributes(Create, GROUP, "podgroups", &user, None);
            (text(admit(&requested, &mut group, &cluster())), group.to_json())
        };
        let (_, group) = resolved("{priorityClassName: high}");
        assert_eq!(group, r#"{"spec":{"priorityClassName":"high","priority":1000}}"#);
        assert_eq!(resolved("{}").1, r#"{"spec":{"priority":0}}"#);
        assert!(resolved("{priorityClassName: x}").0.contains("no PriorityClass with name x"));
        let refused = resolved("{priority: 7}").0;
        assert!(refused.contains("priority set in the pod group (7) must match the priority computed (0) based on the priority class set in the spec"));
    }

    #[test]
    fn a_class_becomes_a_number() {
        let (_, pod) = admitted("{spec: {priorityClassName: high}}", &cluster());
        assert_eq!(
            pod.to_json(),
            r#"{"spec":{"priorityClassName":"high","priority":1000,"preemptionPolicy":"Never"}}"#
        );
        let (_, pod) = admitted("{spec: {}}", &cluster());
        assert_eq!(
            pod.to_json(),
            r#"{"spec":{"priority":0,"preemptionPolicy":"PreemptLowerPriority"}}"#
        );
    }

    #[test]
    fn the_class_for_everybody_is_taken_where_none_is_named() {
        let cluster = cluster().with(
            GROUP,
            CLASSES,
            &["{metadata: {name: all}, value: 7, globalDefault: true}"],
        );
        let (_, pod) = admitted("{spec: {}}", &cluster);
        assert_eq!(pod.to_json(), r#"{"spec":{"priorityClassName":"all","priority":7}}"#);
    }

    #[test]
    fn what_does_not_fit_the_class_is_refused() {
        assert_eq!(
            admitted("{spec: {priorityClassName: low}}", &cluster()).0,
            "no PriorityClass with name low was found"
        );
        assert_eq!(
            admitted("{spec: {priority: 5}}", &cluster()).0,
            "the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name"
        );
        assert_eq!(
            admitted("{spec: {preemptionPolicy: Never}}", &cluster()).0,
            "the string value of PreemptionPolicy (Never) must not be provided in pod spec; priority admission controller computed PreemptLowerPriority from the given PriorityClass name"
        );
    }

    #[test]
    fn an_update_keeps_what_was_resolved() {
        let user = user("u", &[]);
        let old = node("{spec: {priority: 3, preemptionPolicy: Never}}");
        let mut new = node("{spec: {}}");
        admit(&attributes(Update, "", "pods", &user, Some(&old)), &mut new, &Fake::default())
            .unwrap();
        assert_eq!(new, old);
    }

    #[test]
    fn only_one_class_is_for_everybody() {
        let user = user("u", &[]);
        let class = node("{metadata: {name: b}, globalDefault: true}");
        let cluster_with_default =
            Fake::default().with(GROUP, CLASSES, &["{metadata: {name: a}, globalDefault: true}"]);
        let create = attributes(Create, GROUP, CLASSES, &user, None);
        assert_eq!(text(validate(&create, &class, &Fake::default())), "Ok(())");
        assert_eq!(
            text(validate(&create, &class, &cluster_with_default)),
            "PriorityClass a is already marked as default. Only one default can exist"
        );
        let same = node("{metadata: {name: a}, globalDefault: true}");
        let update = attributes(Update, GROUP, CLASSES, &user, Some(&same));
        assert_eq!(text(validate(&update, &same, &cluster_with_default)), "Ok(())");
    }
}
