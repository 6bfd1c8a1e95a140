//! What a PersistentVolumeClaim is filled from, in two fields that say the same: each is made from the other.

use ratchet_object::Node;

const LOCAL: &str = "dataSource";
const ANY: &str = "dataSourceRef";

/// The members that both fields have.
const MEMBERS: [&str; 3] = ["apiGroup", "kind", "name"];

/// The sources that the older field may name; it is dropped if it names another one.
const LOCAL_KINDS: [(&str, &str); 2] =
    [("", "PersistentVolumeClaim"), ("snapshot.storage.k8s.io", "VolumeSnapshot")];

/// Prepares the sources of a claim that is created, or that had none.
pub(crate) fn prepare(claim: &mut Node<'_>, old: Option<&Node<'_>>) {
    let Some(spec) = claim.get_mut("spec") else { return };
    let had_source = old.is_some_and(|old| has(old.get("spec"), LOCAL));
    if !had_source && !has(Some(spec), ANY) && !names_local_kind(spec) {
        spec.remove(LOCAL);
    }
    match (has(Some(spec), LOCAL), has(Some(spec), ANY)) {
        (true, false) => copy(spec, LOCAL, ANY),
        (false, true) if spec.text_at(&[ANY, "namespace"]).is_empty() => copy(spec, ANY, LOCAL),
        _ => {}
    }
}

fn has(spec: Option<&Node<'_>>, name: &str) -> bool {
    spec.and_then(|spec| spec.get(name)).is_some_and(|source| !source.is_null())
}

fn names_local_kind(spec: &Node<'_>) -> bool {
    let source = [LOCAL, "apiGroup"];
    LOCAL_KINDS.contains(&(spec.text_at(&source), spec.text_at(&[LOCAL, "kind"])))
}

fn copy(spec: &mut Node<'_>, from: &str, to: &'static str) {
    let members = MEMBERS.map(|name| (name, spec.find(&[from, name]).cloned()));
    let members = members.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let source = Node::map(members);
    spec.set(to, source);
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn prepared(spec: &str, old: Option<&str>) -> alloc::string::String {
        let claim = |spec: &str| {
            let text = alloc::format!("{{spec: {spec}}}");
            decode(&text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
        };
        let mut node = claim(spec);
        prepare(&mut node, old.map(claim).as_ref());
        node.get("spec").unwrap().to_json()
    }

    #[test]
    fn each_source_is_made_from_the_other() {
        let both = r#"{"dataSource":{"kind":"PersistentVolumeClaim","name":"a"},"dataSourceRef":{"kind":"PersistentVolumeClaim","name":"a"}}"#;
        assert_eq!(prepared("{dataSource: {kind: PersistentVolumeClaim, name: a}}", None), both);
        let reference = "{dataSourceRef: {kind: PersistentVolumeClaim, name: a}}";
        assert_eq!(
            prepared(reference, None),
            r#"{"dataSourceRef":{"kind":"PersistentVolumeClaim","name":"a"},"dataSource":{"kind":"PersistentVolumeClaim","name":"a"}}"#
        );
        let elsewhere = "{dataSourceRef: {kind: PersistentVolumeClaim, name: a, namespace: b}}";
        assert!(!prepared(elsewhere, None).contains("\"dataSource\""));
    }

    #[test]
    fn another_source_is_dropped_unless_one_was_stored() {
        let other = "{dataSource: {apiGroup: example.com, kind: Backup, name: a}}";
        assert_eq!(prepared(other, None), "{}");
        assert!(prepared(other, Some(other)).contains("\"dataSourceRef\""));
    }
}
