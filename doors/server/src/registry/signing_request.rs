//! Strategy of CertificateSigningRequests: requester fields on create, and the writable parts of status and approval.

use super::prepare::restore;
use super::strategy::CreateContext;
use ratchet_object::Node;

/// Sets the requester fields and clears the status.
pub(super) fn prepare_create(node: &mut Node<'static>, context: &CreateContext<'_>) {
    let texts = |list: &[String]| Node::list(list.iter().cloned().map(Node::string).collect());
    let spec = node.map_mut("spec");
    for name in ["username", "uid", "groups", "extra"] {
        spec.remove(name);
    }
    spec.set("username", Node::string(context.user.name.clone()));
    if !context.user.uid.is_empty() {
        spec.set("uid", Node::string(context.user.uid.clone()));
    }
    spec.set("groups", texts(&context.user.groups));
    if !context.user.extra.is_empty() {
        let extra = context.user.extra.iter().map(|(name, values)| (name.clone(), texts(values)));
        spec.set("extra", Node::map(extra));
    }
    node.set("status", Node::empty_map());
}

/// A status update cannot approve or deny: stored Approved and Denied conditions are restored. If their number differs
/// from the stored one, the conditions stay as sent, and validation rejects the update.
pub(super) fn prepare_status(new: &mut Node<'static>, old: &Node<'_>, now: &str) {
    let stored = conditions(old);
    for kind in ["Approved", "Denied"] {
        let of_kind = |item: &&Node<'_>| item.text_at(&["type"]) == kind;
        let before: Vec<&Node<'_>> = stored.iter().filter(of_kind).collect();
        let count = conditions(new).iter().filter(of_kind).count();
        if count != before.len() {
            continue;
        }
        let sent = new.find_mut(&["status", "conditions"]).and_then(Node::items_mut);
        let same = sent.into_iter().flatten().filter(|item| item.text_at(&["type"]) == kind);
        for (item, stored) in same.zip(before) {
            *item = stored.clone().into_owned();
        }
    }
    set_condition_times(new, old, now);
}

/// An approval update writes conditions and metadata, and nothing else.
pub(super) fn prepare_approval(new: &mut Node<'static>, old: &Node<'_>, now: &str) {
    set_condition_times(new, old, now);
    let sent = new.find(&["status", "conditions"]).cloned();
    restore(new, old, "spec");
    restore(new, old, "status");
    match sent {
        Some(conditions) => new.map_mut("status").set("conditions", conditions),
        None => {
            if let Some(status) = new.get_mut("status") {
                status.remove("conditions");
            }
        }
    }
}

fn conditions<'n, 't>(request: &'n Node<'t>) -> &'n [Node<'t>] {
    request.find(&["status", "conditions"]).map(Node::items).unwrap_or_default()
}

/// Fills in missing times of conditions: from a stored condition with the same type and status, or now.
fn set_condition_times(new: &mut Node<'static>, old: &Node<'_>, now: &str) {
    let sent = new.find_mut(&["status", "conditions"]).and_then(Node::items_mut);
    for item in sent.into_iter().flatten() {
        if item.text_at(&["lastUpdateTime"]).is_empty() {
            item.set("lastUpdateTime", Node::string(now.to_owned()));
        }
        if !item.text_at(&["lastTransitionTime"]).is_empty() {
            continue;
        }
        let type_and_status = |item: &Node<'_>| {
            (item.text_at(&["type"]).to_owned(), item.text_at(&["status"]).to_owned())
        };
        let own = type_and_status(item);
        let stored = conditions(old).iter().filter(|stored| type_and_status(stored) == own);
        let times = stored.map(|stored| stored.text_at(&["lastTransitionTime"]));
        let time = times.filter(|time| !time.is_empty()).map(str::to_owned).next();
        item.set("lastTransitionTime", Node::string(time.unwrap_or_else(|| now.to_owned())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_access::User;
    use ratchet_engine::{Gates, Release};
    use ratchet_object::{Limits, decode};

    const NOW: &str = "2026-01-01T00:00:00Z";

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    #[test]
    fn who_asks_for_a_certificate_is_written_down() {
        let mut made = node(
            "{spec: {username: root, groups: ['system:masters'], uid: x, extra: {a: [b]}, request: x}, status: {conditions: [{type: Approved}]}}",
        );
        let user = User { name: "alice".into(), groups: vec!["g".into()], ..User::default() };
        let gates = Gates::of(Release::REFERENCE);
        prepare_create(&mut made, &CreateContext { gates: &gates, user: &user, now: NOW });
        assert_eq!(
            made.to_json(),
            r#"{"spec":{"request":"x","username":"alice","groups":["g"]},"status":{}}"#
        );
    }

    fn prepared(
        prepare: fn(&mut Node<'static>, &Node<'_>, &str),
        old: &str,
        new: &str,
    ) -> Vec<String> {
        let mut request =
            node(&format!("{{spec: {{username: root}}, status: {{conditions: [{new}]}}}}"));
        let old = node(&format!(
            "{{spec: {{username: alice}}, status: {{certificate: eA==, conditions: [{old}]}}}}"
        ));
        prepare(&mut request, &old, NOW);
        conditions(&request).iter().map(Node::to_json).collect()
    }

    #[test]
    fn a_status_keeps_what_was_decided_and_hides_no_other_decision() {
        let yes = "{type: Approved, status: 'True', reason: stored, lastUpdateTime: '2025-01-01T00:00:00Z', lastTransitionTime: '2025-01-01T00:00:00Z'}";
        let stored = r#"{"type":"Approved","status":"True","reason":"stored","lastUpdateTime":"2025-01-01T00:00:00Z","lastTransitionTime":"2025-01-01T00:00:00Z"}"#;
        let failed = r#"{"type":"Failed","status":"True","lastUpdateTime":"2026-01-01T00:00:00Z","lastTransitionTime":"2026-01-01T00:00:00Z"}"#;
        let prepared_conditions = prepared(
            prepare_status,
            yes,
            "{type: Failed, status: 'True'}, {type: Approved, status: 'True', reason: mine}",
        );
        assert_eq!(prepared_conditions, [failed, stored]);
        let added = prepared(prepare_status, "", "{type: Approved, status: 'True'}");
        assert_eq!(added, [failed.replace("Failed", "Approved")], "it is there to be refused");
        assert!(prepared(prepare_status, yes, "").is_empty(), "and so is its removal");
    }

    #[test]
    fn an_approval_writes_conditions_and_nothing_else_of_the_status() {
        let mut new = node(
            "{metadata: {labels: {a: b}}, spec: {username: root}, status: {certificate: eQ==, conditions: [{type: Approved, status: 'True'}, {type: X, status: 'True', lastUpdateTime: '2025-01-01T00:00:00Z'}]}}",
        );
        let old = node(
            "{metadata: {}, spec: {username: alice}, status: {certificate: eA==, conditions: [{type: X, status: 'True', lastTransitionTime: '2024-01-01T00:00:00Z'}]}}",
        );
        prepare_approval(&mut new, &old, NOW);
        assert_eq!(
            new.to_json(),
            r#"{"metadata":{"labels":{"a":"b"}},"spec":{"username":"alice"},"status":{"certificate":"eA==","conditions":[{"type":"Approved","status":"True","lastUpdateTime":"2026-01-01T00:00:00Z","lastTransitionTime":"2026-01-01T00:00:00Z"},{"type":"X","status":"True","lastUpdateTime":"2025-01-01T00:00:00Z","lastTransitionTime":"2024-01-01T00:00:00Z"}]}}"#
        );
        let mut removed = node("{spec: {}}");
        prepare_approval(&mut removed, &old, NOW);
        assert_eq!(removed.find(&["status", "conditions"]), None, "which is refused later");
    }
}
