//! The kinds that are audited: those that hold addresses, networks or pods, and those that say what is already done.

use ratchet_engine::FIELDS;
use ratchet_object::{KINDS, Kind, Scope};

/// Kinds whose objects say which policies and webhooks exist: group, versions, kind and plural.
const POLICY_KINDS: &[(&str, &str)] = &[
    ("ValidatingAdmissionPolicy", "validatingadmissionpolicies"),
    ("ValidatingWebhookConfiguration", "validatingwebhookconfigurations"),
    ("MutatingWebhookConfiguration", "mutatingwebhookconfigurations"),
];

/// The group of policies and webhooks.
const ADMISSION: &str = "admissionregistration.k8s.io";

/// A kind that is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AuditedKind {
    pub(crate) group: &'static str,
    /// The versions that can be judged, the preferred one first.
    pub(crate) versions: &'static [&'static str],
    pub(crate) kind: &'static str,
    pub(crate) plural: &'static str,
    pub(crate) is_namespaced: bool,
}

/// All audited kinds; namespaces come first, for their labels decide about what is in them.
pub(crate) fn audited_kinds() -> Vec<AuditedKind> {
    let row = |kind: &Kind<'static>| AuditedKind {
        group: kind.group,
        versions: kind.versions,
        kind: kind.name,
        plural: kind.plural,
        is_namespaced: kind.scope == Scope::Namespaced,
    };
    let mut rows: Vec<AuditedKind> = KINDS.iter().filter(|kind| is_judged(kind)).map(row).collect();
    rows.sort_by_key(|row| row.kind != "Namespace");
    rows.extend(POLICY_KINDS.iter().map(|(kind, plural)| AuditedKind {
        group: ADMISSION,
        versions: &["v1"],
        kind,
        plural,
        is_namespaced: false,
    }));
    rows
}

/// Whether objects of a kind are judged.
pub(crate) fn is_judged(kind: &Kind<'_>) -> bool {
    kind.pod.is_some()
        || kind.name == "Namespace" && kind.group.is_empty()
        || FIELDS.iter().any(|field| field.kind == kind.name)
}

/// Whether a kind is one of policies and webhooks.
pub(crate) fn is_policy(api_version: &str, kind: &str) -> bool {
    api_version.starts_with(ADMISSION) && POLICY_KINDS.iter().any(|row| row.0 == kind)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::Node;

    #[test]
    fn kinds_with_our_fields_are_audited_and_namespaces_first() {
        let kinds: Vec<&str> = audited_kinds().iter().map(|row| row.kind).collect();
        assert_eq!(kinds.first(), Some(&"Namespace"));
        for kind in ["Service", "Pod", "CronJob", "NetworkPolicy", "Node", "EndpointSlice"] {
            assert!(kinds.contains(&kind), "{kind}");
        }
        assert!(!kinds.contains(&"ConfigMap"));
    }

    #[test]
    fn the_role_of_the_cron_job_has_every_right_and_no_other() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/audit/rbac.yaml");
        let text = std::fs::read_to_string(path).unwrap();
        let decoded = ratchet_object::decode(&text, ratchet_object::Limits::DEFAULT).unwrap();
        let is_role = |node: &&Node<'_>| node.text_at(&["kind"]) == "ClusterRole";
        let role = decoded.documents.iter().find(is_role).unwrap();
        let mut granted = Vec::new();
        for rule in role.get("rules").unwrap().items() {
            let texts = |name: &str| -> Vec<String> {
                let items = rule.get(name).unwrap().items().iter();
                items.map(|item| item.text().unwrap().to_owned()).collect()
            };
            assert_eq!(texts("verbs"), ["list"]);
            let group = texts("apiGroups").remove(0);
            granted.extend(texts("resources").into_iter().map(|name| format!("{name}.{group}")));
        }
        let mut wanted: Vec<String> =
            audited_kinds().iter().map(|row| format!("{}.{}", row.plural, row.group)).collect();
        granted.sort_unstable();
        wanted.sort_unstable();
        assert_eq!(granted, wanted);
    }
}
