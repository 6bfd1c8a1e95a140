//! `PrepareForCreate` and `PrepareForUpdate`: sets or restores the fields that a client may not write.

use super::strategy::{CreateContext, Strategy};
use ratchet_engine::{Gates, Part};
use ratchet_object::{Kind, Node, Span, Value};
use ratchet_pipeline::drop_gated_fields;

impl Strategy {
    /// Prepares a new object, which already has its name and uid.
    pub(crate) fn prepare_for_create(
        &self,
        node: &mut Node<'static>,
        kind: &Kind<'_>,
        context: &CreateContext<'_>,
    ) {
        if !self.keeps_status_on_create && has_status(kind) {
            node.remove("status");
        }
        drop_gated_fields(node, None, kind, context.gates);
        if let Some(prepare) = self.on_create {
            prepare(node, context);
        }
    }

    /// Prepares an update: fields outside the written part are restored from the stored object.
    pub(crate) fn prepare_for_update(
        &self,
        new: &mut Node<'static>,
        old: &Node<'_>,
        kind: &Kind<'_>,
        part: Part,
        (now, gates): (&str, &Gates),
    ) {
        let prepare = match part {
            Part::Main => {
                if has_status(kind) {
                    restore(new, old, "status");
                }
                drop_gated_fields(new, Some(old), kind, gates);
                if self.restores_spec {
                    restore(new, old, "spec");
                }
                self.on_update
            }
            Part::Sub("status") => {
                for member in ["spec", "data", "template"] {
                    restore(new, old, member);
                }
                let metadata = old.get("metadata").unwrap_or(&NOTHING);
                for member in self.status_restores {
                    restore(new.map_mut("metadata"), metadata, member);
                }
                self.on_status_update
            }
            Part::Sub("approval") => self.on_approval,
            Part::Sub(_) => None,
        };
        if let Some(prepare) = prepare {
            prepare(new, old, now);
        }
    }
}

/// Whether the kind has a status field, which only the status subresource writes.
fn has_status(kind: &Kind<'_>) -> bool {
    let row = kind
        .versions
        .iter()
        .find_map(|version| ratchet_object::schema::kind(kind.group, version, kind.name));
    row.is_some_and(|row| ratchet_object::schema::type_of(row.ty).field("status").is_some())
}

static NOTHING: Node<'static> = Node { value: Value::Null, span: Span { start: 0, end: 0 } };

/// Sets a member as the stored object has it.
pub(super) fn restore(new: &mut Node<'static>, old: &Node<'_>, member: &'static str) {
    match old.get(member) {
        Some(value) => new.set(member, value.clone().into_owned()),
        None => {
            new.remove(member);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::strategy;
    use ratchet_access::User;
    use ratchet_engine::Release;
    use ratchet_object::{Limits, decode, find};

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    fn updated(api_version: &str, kind: &str, part: Part, old: &str, new: &str) -> Node<'static> {
        let mut node_new = node(new);
        let kind = find(api_version, kind).unwrap();
        let strategy = strategy(kind.group, kind.name);
        let now = "2026-01-01T00:00:00Z";
        let gates = Gates::of(Release::REFERENCE);
        strategy.prepare_for_update(&mut node_new, &node(old), &kind, part, (now, &gates));
        node_new
    }

    fn created(api_version: &str, kind: &str, text: &str) -> Node<'static> {
        let mut new = node(text);
        let kind = find(api_version, kind).unwrap();
        let user = User { name: "alice".into(), groups: vec!["g".into()], ..User::default() };
        let gates = Gates::of(Release::REFERENCE);
        let context = CreateContext { gates: &gates, user: &user, now: "2026-01-01T00:00:00Z" };
        strategy(kind.group, kind.name).prepare_for_create(&mut new, &kind, &context);
        new
    }

    #[test]
    fn the_two_parts_of_an_object_have_their_own_writers() {
        let old = "{metadata: {labels: {a: b}}, spec: {replicas: 1}, status: {replicas: 1}}";
        let new = "{metadata: {labels: {a: c}}, spec: {replicas: 2}, status: {replicas: 2}}";
        let main = updated("apps/v1", "ReplicaSet", Part::Main, old, new);
        let wanted = "{metadata: {labels: {a: c}}, spec: {replicas: 2}, status: {replicas: 1}}";
        assert_eq!(main.to_json(), node(wanted).to_json());
        let status = updated("apps/v1", "ReplicaSet", Part::STATUS, old, new);
        let wanted = "{metadata: {labels: {a: c}}, spec: {replicas: 1}, status: {replicas: 2}}";
        assert_eq!(status.to_json(), node(wanted).to_json());
        let updated_status = updated("apps/v1", "Deployment", Part::STATUS, old, new);
        assert_eq!(updated_status.text_at(&["metadata", "labels", "a"]), "b");
    }

    #[test]
    fn what_is_nobodys_to_write_is_kept() {
        let old = "{metadata: {}, spec: {username: alice}, status: {certificate: a}}";
        let new = "{metadata: {}, spec: {username: root}, status: {certificate: b}}";
        let (version, kind) = ("certificates.k8s.io/v1", "CertificateSigningRequest");
        assert_eq!(updated(version, kind, Part::Main, old, new).to_json(), node(old).to_json());
        let (old, new) = ("{spec: {finalizers: [kubernetes]}}", "{spec: {}}");
        let space = updated("v1", "Namespace", Part::Main, old, new);
        assert_eq!(space.find(&["spec", "finalizers"]).unwrap().items().len(), 1);
    }

    #[test]
    fn a_status_is_not_born_with_its_object_unless_it_is_a_node() {
        assert_eq!(created("apps/v1", "Deployment", "{status: {replicas: 1}}").get("status"), None);
        assert!(created("v1", "Node", "{status: {phase: x}}").get("status").is_some());
        let pod = created(
            "v1",
            "Pod",
            "{spec: {schedulingGates: [{name: g}]}, status: {phase: Running}}",
        );
        assert_eq!(pod.text_at(&["status", "phase"]), "Pending");
        assert_eq!(pod.find(&["status", "conditions"]).unwrap().items().len(), 1);
    }
}
