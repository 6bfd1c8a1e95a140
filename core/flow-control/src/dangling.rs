//! `DanglingCondition`: whether the priority level of a FlowSchema exists, as its status tells it.

use crate::flow_schema::level_name;
use crate::priority_level::PriorityLevel;
use alloc::format;
use alloc::string::String;
use ratchet_object::Node;

/// The condition `Dangling` of a FlowSchema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DanglingCondition {
    /// `True` or `False`.
    pub status: &'static str,
    /// One word.
    pub reason: &'static str,
    /// A sentence.
    pub message: String,
}

impl DanglingCondition {
    /// The condition that a stored FlowSchema must get; none if it has it. `level` finds a stored level by its name.
    pub fn needed<'n, 't: 'n>(
        schema: &Node<'_>,
        level: impl FnOnce(&str) -> Option<&'n Node<'t>>,
    ) -> Option<Self> {
        let name = level_name(schema);
        let is_found = level(name).and_then(PriorityLevel::from_node).is_some();
        let wanted = Self::of(name, is_found);
        let conditions = schema.find(&["status", "conditions"]).map(Node::items);
        let own = conditions.unwrap_or_default().iter();
        let mut own = own.filter(|condition| condition.text_at(&["type"]) == "Dangling");
        let is_there = own.next().is_some_and(|condition| {
            condition.text_at(&["status"]) == wanted.status
                && condition.text_at(&["reason"]) == wanted.reason
                && condition.text_at(&["message"]) == wanted.message
        });
        (!is_there).then_some(wanted)
    }

    fn of(level: &str, is_found: bool) -> Self {
        let (status, reason, end) = match is_found {
            true => ("False", "Found", "and it exists"),
            false => ("True", "NotFound", "but there is no such object"),
        };
        let message = format!(
            "This FlowSchema references the PriorityLevelConfiguration object named \"{level}\" {end}"
        );
        Self { status, reason, message }
    }

    /// The configuration to apply to the status of the FlowSchema `name`.
    pub fn to_apply(&self, name: &str, now: String) -> Node<'static> {
        let condition = Node::map([
            ("type", Node::string("Dangling")),
            ("status", Node::string(self.status)),
            ("lastTransitionTime", Node::string(now)),
            ("reason", Node::string(self.reason)),
            ("message", Node::string(self.message.clone())),
        ]);
        let status = Node::map([("conditions", Node::list(alloc::vec![condition]))]);
        Node::map([
            ("apiVersion", Node::string("flowcontrol.apiserver.k8s.io/v1")),
            ("kind", Node::string("FlowSchema")),
            ("metadata", Node::map([("name", Node::string(String::from(name)))])),
            ("status", status),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap_objects;

    #[test]
    fn a_schema_says_whether_its_level_exists() {
        let objects = bootstrap_objects();
        let find = |kind: &str, name: &str| {
            let mut nodes = objects.iter().map(|object| &object.node);
            let is_it = |node: &&Node<'_>| {
                node.text_at(&["kind"]) == kind && node.metadata().name() == name
            };
            nodes.find(is_it)
        };
        let mut schema = find("FlowSchema", "system-nodes").expect("a schema").clone();
        let found = |name: &str| find("PriorityLevelConfiguration", name);
        let wanted = DanglingCondition::needed(&schema, found).expect("it has no condition");
        let text = "This FlowSchema references the PriorityLevelConfiguration object named \"system\" and it exists";
        assert_eq!(
            (wanted.status, wanted.reason, wanted.message.as_str()),
            ("False", "Found", text)
        );
        let applied = wanted.to_apply("system-nodes", "2026-01-01T00:00:00Z".into());
        schema.set("status", applied.get("status").cloned().expect("a status"));
        assert_eq!(DanglingCondition::needed(&schema, found), None);
        let dangling = DanglingCondition::needed(&schema, |_| None).expect("the level is gone");
        assert_eq!((dangling.status, dangling.reason), ("True", "NotFound"));
        assert!(dangling.message.ends_with("\"system\" but there is no such object"));
    }
}
