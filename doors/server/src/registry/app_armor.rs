//! AppArmor profiles of a new Pod: those of deprecated annotations become fields of their containers.

use ratchet_object::Node;

const PREFIX: &str = "container.apparmor.security.beta.kubernetes.io/";
const LISTS: [&str; 3] = ["initContainers", "containers", "ephemeralContainers"];
const LONGEST: usize = 4095;

/// Gives every container without a profile the one of its annotation, unless the pod has the same.
pub(super) fn apply_annotations(pod: &mut Node<'static>) {
    if pod.text_at(&["spec", "os", "name"]) == "windows" {
        return;
    }
    let Some(annotations) = pod.find(&["metadata", "annotations"]).cloned() else { return };
    let of_pod = pod.find(&["spec", "securityContext", "appArmorProfile"]).map(Node::to_json);
    for list in LISTS {
        let containers = pod.find_mut(&["spec", list]).and_then(Node::items_mut);
        for container in containers.into_iter().flatten() {
            let key = format!("{PREFIX}{}", container.text_at(&["name"]));
            let own = container.find(&["securityContext", "appArmorProfile"]);
            if own.is_some_and(|own| !own.is_null()) {
                continue;
            }
            let profile = annotations.get(&key).and_then(Node::text).and_then(profile);
            if let Some(profile) = profile.filter(|own| Some(own.to_json()) != of_pod) {
                container.map_mut("securityContext").set("appArmorProfile", profile);
            }
        }
    }
}

/// The profile that the value of an annotation names.
fn profile(annotation: &str) -> Option<Node<'static>> {
    let kind = |name: &'static str| ("type", Node::string(name));
    match annotation {
        "unconfined" => Some(Node::map([kind("Unconfined")])),
        "runtime/default" => Some(Node::map([kind("RuntimeDefault")])),
        _ => {
            let name = annotation.strip_prefix("localhost/")?;
            let is_valid = !name.is_empty() && name.trim() == name && name.len() <= LONGEST;
            let name = Node::string(name.to_owned());
            is_valid.then(|| Node::map([kind("Localhost"), ("localhostProfile", name)]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    /// The spec of a pod with one container, an annotation for it, and more of the spec.
    fn applied(annotation: &str, more: &str) -> String {
        let text = format!(
            "{{metadata: {{annotations: {{{PREFIX}a: {annotation}}}}}, spec: {{containers: [{{name: a}}]{more}}}}}"
        );
        let mut pod = decode(&text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned();
        apply_annotations(&mut pod);
        pod.find(&["spec", "containers"]).unwrap().to_json()
    }

    #[test]
    fn an_annotation_becomes_a_field() {
        for (annotation, profile) in [
            ("unconfined", r#"{"type":"Unconfined"}"#),
            ("runtime/default", r#"{"type":"RuntimeDefault"}"#),
            ("localhost/web", r#"{"type":"Localhost","localhostProfile":"web"}"#),
        ] {
            let want =
                format!(r#"[{{"name":"a","securityContext":{{"appArmorProfile":{profile}}}}}]"#);
            assert_eq!(applied(annotation, ""), want);
        }
    }

    #[test]
    fn what_names_no_profile_or_that_of_the_pod_stays_an_annotation() {
        let plain = r#"[{"name":"a"}]"#;
        assert_eq!(applied("localhost/", ""), plain);
        assert_eq!(applied("other", ""), plain);
        assert_eq!(applied("unconfined", ", os: {name: windows}"), plain);
        let same = ", securityContext: {appArmorProfile: {type: Unconfined}}";
        assert_eq!(applied("unconfined", same), plain);
    }
}
