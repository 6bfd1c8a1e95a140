//! Significant pod updates, which Pod Security evaluates again.

use alloc::collections::BTreeMap;
use ratchet_object::At;

/// Whether an update changes an image or adds a container. No other relevant field of a pod can change, so that pods
/// which were admitted under an older policy can still be labelled.
pub(super) fn is_significant(old: At<'_>, new: At<'_>) -> bool {
    let (old, new) = (old.field("spec"), new.field("spec"));
    let differs = |list: &'static str| {
        let (old, new) = (old.field(list), new.field(list));
        old.len() != new.len()
            || old.items().zip(new.items()).any(|(old, new)| image(old) != image(new))
    };
    differs("containers") || differs("initContainers") || adds_ephemeral(old, new)
}

fn adds_ephemeral(old: At<'_>, new: At<'_>) -> bool {
    let list = "ephemeralContainers";
    let mut images: BTreeMap<&str, &str> = BTreeMap::new();
    for container in old.field(list).items() {
        // The first of several containers of one name counts.
        images.entry(name(container)).or_insert(image(container));
    }
    new.field(list).items().any(|added| images.get(name(added)) != Some(&image(added)))
}

fn name(container: At<'_>) -> &str {
    container.field("name").text_or_empty()
}

fn image(container: At<'_>) -> &str {
    container.field("image").text_or_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pod_security::testing::object;

    #[test]
    fn only_images_and_new_containers_count() {
        let old = r#"{spec: {containers: [{name: a, image: x}], initContainers: [{name: i, image: x}],
            ephemeralContainers: [{name: e, image: x}]}}"#;
        for (new, want) in [
            (old, false),
            (
                r#"{metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: x, securityContext: {privileged: true}}], initContainers: [{name: i, image: x}]}}"#,
                false,
            ),
            (
                r#"{spec: {containers: [{name: a, image: z}], initContainers: [{name: i, image: x}]}}"#,
                true,
            ),
            (
                r#"{spec: {containers: [{name: a, image: x}], initContainers: [{name: i, image: z}]}}"#,
                true,
            ),
            (r#"{spec: {containers: [{name: a, image: x}], initContainers: []}}"#, true),
            (
                r#"{spec: {containers: [{name: a, image: x}, {name: b, image: x}], initContainers: [{name: i, image: x}]}}"#,
                true,
            ),
            (
                r#"{spec: {containers: [{name: a, image: x}], initContainers: [{name: i, image: x}], ephemeralContainers: [{name: e, image: z}]}}"#,
                true,
            ),
            (
                r#"{spec: {containers: [{name: a, image: x}], initContainers: [{name: i, image: x}], ephemeralContainers: [{name: e, image: x}, {name: f, image: x}]}}"#,
                true,
            ),
        ] {
            let (old, new_object) = (object(old), object(new));
            assert_eq!(is_significant(old.root(), new_object.root()), want, "{new}");
        }
    }
}
