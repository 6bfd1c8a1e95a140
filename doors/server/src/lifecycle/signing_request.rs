//! Certificate signing requests: who asked is written down, and each writer of the status has a part of it.

use super::prepare::{CreateContext, keep};
use ratchet_object::Node;

/// Notes who asks; nobody is born approved.
pub(super) fn prepare_create(node: &mut Node<'static>, moment: &CreateContext<'_>) {
    let texts = |list: &[String]| Node::list(list.iter().cloned().map(Node::string).collect());
    let spec = node.below("spec");
    for name in ["username", "uid", "groups", "extra"] {
        spec.remove(name);
    }
    spec.set("username", Node::string(moment.user.name.clone()));
    if !moment.user.uid.is_empty() {
        spec.set("uid", Node::string(moment.user.uid.clone()));
    }
    spec.set("groups", texts(&moment.user.groups));
    if !moment.user.extra.is_empty() {
        let extra = moment.user.extra.iter().map(|(name, values)| (name.clone(), texts(values)));
        spec.set("extra", Node::map(extra));
    }
    node.set("status", Node::empty_map());
}

/// A write of the status leaves the spec alone, and may not approve or deny: what was decided stays as it is stored, and
/// more or fewer decisions than are stored are left for the judgement to refuse.
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
    date(new, old, now);
}

/// An approval writes conditions and metadata, and nothing else.
pub(super) fn prepare_approval(new: &mut Node<'static>, old: &Node<'_>, now: &str) {
    date(new, old, now);
    let sent = new.find(&["status", "conditions"]).cloned();
    keep(new, old, "spec");
    keep(new, old, "status");
    match sent {
        Some(conditions) => new.below("status").set("conditions", conditions),
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

/// Gives conditions without times theirs: that of the stored condition that says the same, or now.
fn date(new: &mut Node<'static>, old: &Node<'_>, now: &str) {
    let sent = new.find_mut(&["status", "conditions"]).and_then(Node::items_mut);
    for item in sent.into_iter().flatten() {
        if item.text_at(&["lastUpdateTime"]).is_empty() {
            item.set("lastUpdateTime", Node::string(now.to_owned()));
        }
        if !item.text_at(&["lastTransitionTime"]).is_empty() {
            continue;
        }
        let said = |item: &Node<'_>| {
            (item.text_at(&["type"]).to_owned(), item.text_at(&["status"]).to_owned())
        };
        let own = said(item);
        let stored = conditions(old).iter().filter(|stored| said(stored) == own);
        let times = stored.map(|stored| stored.text_at(&["lastTransitionTime"]));
        let time = times.filter(|time| !time.is_empty()).map(str::to_owned).next();
        item.set("lastTransitionTime", Node::string(time.unwrap_or_else(|| now.to_owned())));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_access::User;
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
        prepare_create(&mut made, &CreateContext { user: &user, now: NOW });
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
        let kept = prepared(
            prepare_status,
            yes,
            "{type: Failed, status: 'True'}, {type: Approved, status: 'True', reason: mine}",
        );
        assert_eq!(kept, [failed, stored]);
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
