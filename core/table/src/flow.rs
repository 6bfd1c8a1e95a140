//! Printers of API priority and fairness: flow schemas and priority levels.

use crate::column::{AGE, Column, NAME, Row, text as column};
use crate::printed_object::{Cells, NONE, PrintedObject, at, int, text};
use alloc::vec;
use ratchet_object::Node;

const GROUP: &str = "flowcontrol.apiserver.k8s.io";

pub(crate) const ROWS: &[Row] = &[
    Row { group: GROUP, kind: "FlowSchema", columns: SCHEMA, cells: schema },
    Row { group: GROUP, kind: "PriorityLevelConfiguration", columns: LEVEL, cells: level },
];

const SCHEMA: &[Column] = &[
    NAME,
    column("PriorityLevel", "The priority level that the requests belong to."),
    column("MatchingPrecedence", "Which schema is asked first; smaller comes earlier."),
    column("DistinguisherMethod", "What parts the requests into flows."),
    AGE,
    column("MissingPL", "Whether there is no such priority level."),
];

const LEVEL: &[Column] = &[
    NAME,
    column("Type", "Whether requests of this level are limited."),
    column("NominalConcurrencyShares", "The share of the requests that are served at a time."),
    column("Queues", "How many queues there are."),
    column("HandSize", "How many queues a flow may use."),
    column("QueueLengthLimit", "How many requests may wait in a queue."),
    AGE,
];

fn schema(object: &PrintedObject<'_>) -> Cells {
    let method = object.at(&["spec", "distinguisherMethod"]);
    let dangling = object.condition("Dangling");
    vec![
        object.name(),
        object.cell(&["spec", "priorityLevelConfiguration", "name"]),
        Node::int(object.int(&["spec", "matchingPrecedence"])),
        text(method.map_or(NONE, |method| method.text_at(&["type"]))),
        object.age(),
        text(dangling.map_or("?", |condition| condition.text_at(&["status"]))),
    ]
}

fn level(object: &PrintedObject<'_>) -> Cells {
    let limited = object.at(&["spec", "limited"]);
    let queuing = limited.and_then(|limited| at(limited, &["limitResponse", "queuing"]));
    let number = |node: Option<&Node<'_>>, field| {
        node.map_or_else(|| text(NONE), |node| Node::int(int(node, &[field])))
    };
    vec![
        object.name(),
        object.cell(&["spec", "type"]),
        number(limited, "nominalConcurrencyShares"),
        number(queuing, "queues"),
        number(queuing, "handSize"),
        number(queuing, "queueLengthLimit"),
        object.age(),
    ]
}

#[cfg(test)]
mod tests {
    use super::GROUP;
    use crate::testing::line;

    #[test]
    fn schemas() {
        let text = "{spec: {priorityLevelConfiguration: {name: l}, matchingPrecedence: 100, distinguisherMethod: \
            {type: ByUser}}, status: {conditions: [{type: Dangling, status: 'False'}]}}";
        assert_eq!(line(GROUP, "FlowSchema", text), "a | l | 100 | ByUser | 5m | False");
        assert_eq!(line(GROUP, "FlowSchema", "{}"), "a |  | 0 | <none> | 5m | ?");
    }

    #[test]
    fn levels() {
        let level = |text: &str| line(GROUP, "PriorityLevelConfiguration", text);
        let text = "{spec: {type: Limited, limited: {nominalConcurrencyShares: 30, limitResponse: {queuing: \
            {queues: 64, handSize: 6, queueLengthLimit: 50}}}}}";
        assert_eq!(level(text), "a | Limited | 30 | 64 | 6 | 50 | 5m");
        let text = "{spec: {type: Limited, limited: {nominalConcurrencyShares: 30, limitResponse: {type: Reject}}}}";
        assert_eq!(level(text), "a | Limited | 30 | <none> | <none> | <none> | 5m");
        let text = "{spec: {type: Exempt, exempt: {}}}";
        assert_eq!(level(text), "a | Exempt | <none> | <none> | <none> | <none> | 5m");
    }
}
