//! Printers of priorities, runtime classes, quotas, disruption budgets and pod groups.

use crate::column::{AGE, Column, NAME, Row, boolean, integer, text as column};
use crate::printed_object::{Cells, NONE, PrintedObject, amount, text};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use ratchet_object::Node;

const SCHEDULING: &str = "scheduling.k8s.io";

pub(crate) const ROWS: &[Row] = &[
    Row { group: "", kind: "ResourceQuota", columns: QUOTA, cells: quota },
    Row { group: "policy", kind: "PodDisruptionBudget", columns: BUDGET, cells: budget },
    Row { group: SCHEDULING, kind: "PriorityClass", columns: PRIORITY, cells: priority },
    Row { group: SCHEDULING, kind: "Workload", columns: &[NAME, AGE], cells: workload },
    Row { group: SCHEDULING, kind: "PodGroup", columns: PODS, cells: pod_group },
    Row { group: "node.k8s.io", kind: "RuntimeClass", columns: RUNTIME, cells: runtime },
];

const QUOTA: &[Column] = &[
    NAME,
    column("Request", "What is used and may be used, of all but limits."),
    column("Limit", "What is used and may be used, of limits."),
    AGE,
];

const BUDGET: &[Column] = &[
    NAME,
    column("Min Available", "How many pods must stay available."),
    column("Max Unavailable", "How many pods may be unavailable."),
    integer("Allowed Disruptions", "How many pods may be evicted now."),
    AGE,
];

const PRIORITY: &[Column] = &[
    NAME,
    integer("Value", "The priority of pods of this class; larger is more important."),
    boolean("Global-Default", "Whether pods without a class are of this one."),
    AGE,
    column("PreemptionPolicy", "Whether pods of this class may drive others out."),
];

const PODS: &[Column] = &[
    NAME,
    column("Policy", "Whether the pods of the group are scheduled all together."),
    column("Workload", "The workload that the group belongs to."),
    column("Status", "Whether the group is scheduled."),
    AGE,
];

const RUNTIME: &[Column] =
    &[NAME, column("Handler", "What the container runtime calls this class."), AGE];

fn quota(object: &PrintedObject<'_>) -> Cells {
    let hard = object.at(&["status", "hard"]).map(Node::entries).unwrap_or_default();
    let mut resources: Vec<(&str, &Node<'_>)> =
        hard.iter().map(|entry| (&*entry.key, &entry.node)).collect();
    resources.sort_unstable_by_key(|(name, _)| *name);
    let format_group = |is_limit: bool| {
        let matching = resources.iter().filter(|(name, _)| name.starts_with("limits.") == is_limit);
        let format_group: Vec<String> =
            matching.map(|(name, hard)| used_of(object, name, hard)).collect();
        text(format_group.join(", "))
    };
    vec![object.name(), format_group(false), format_group(true), object.age()]
}

fn used_of(object: &PrintedObject<'_>, name: &str, hard: &Node<'_>) -> String {
    let used = object.at(&["status", "used", name]).map_or_else(|| "0".to_owned(), amount);
    format!("{name}: {used}/{}", amount(hard))
}

fn budget(object: &PrintedObject<'_>) -> Cells {
    let number = |field| {
        let number = object.at(&["spec", field]);
        text(number.map_or_else(|| "N/A".to_owned(), amount))
    };
    vec![
        object.name(),
        number("minAvailable"),
        number("maxUnavailable"),
        Node::int(object.int(&["status", "disruptionsAllowed"])),
        object.age(),
    ]
}

fn priority(object: &PrintedObject<'_>) -> Cells {
    vec![
        object.name(),
        Node::int(object.int(&["value"])),
        Node::bool(object.flag(&["globalDefault"])),
        object.age(),
        object.cell(&["preemptionPolicy"]),
    ]
}

fn runtime(object: &PrintedObject<'_>) -> Cells {
    vec![object.name(), object.cell(&["handler"]), object.age()]
}

fn workload(object: &PrintedObject<'_>) -> Cells {
    vec![object.name(), object.age()]
}

fn pod_group(object: &PrintedObject<'_>) -> Cells {
    let is_gang = object.at(&["spec", "schedulingPolicy", "gang"]).is_some();
    let status = match (object.condition("DisruptionTarget"), object.condition("PodGroupScheduled"))
    {
        (Some(disrupted), _) => disrupted.text_at(&["reason"]),
        (None, Some(_)) if object.is_condition_true("PodGroupScheduled") => "Scheduled",
        (None, Some(_)) => "Unschedulable",
        (None, None) => "Pending",
    };
    let template = object.at(&["spec", "podGroupTemplateRef"]);
    let workload =
        template.map_or(NONE, |template| template.text_at(&["workload", "workloadName"]));
    vec![
        object.name(),
        text(if is_gang { "Gang" } else { "Basic" }),
        text(workload),
        text(status),
        object.age(),
    ]
}

#[cfg(test)]
mod tests {
    use crate::testing::line;
    use alloc::format;

    #[test]
    fn quotas() {
        let text = "{status: {hard: {pods: 10, limits.cpu: '2', cpu: '1'}, used: {pods: 3, limits.cpu: 500m}}}";
        let expected = "a | cpu: 0/1, pods: 3/10 | limits.cpu: 500m/2 | 5m";
        assert_eq!(line("", "ResourceQuota", text), expected);
        assert_eq!(line("", "ResourceQuota", "{}"), "a |  |  | 5m");
    }

    #[test]
    fn budgets() {
        let budget = |text: &str| line("policy", "PodDisruptionBudget", text);
        let text = "{spec: {minAvailable: 1}, status: {disruptionsAllowed: 2}}";
        assert_eq!(budget(text), "a | 1 | N/A | 2 | 5m");
        assert_eq!(budget("{spec: {maxUnavailable: 10%}}"), "a | N/A | 10% | 0 | 5m");
    }

    #[test]
    fn priorities_and_runtimes() {
        let text = "{value: 100, globalDefault: true, preemptionPolicy: Never}";
        let formatted = line("scheduling.k8s.io", "PriorityClass", text);
        assert_eq!(formatted, "a | 100 | true | 5m | Never");
        let formatted = line("scheduling.k8s.io", "PriorityClass", "{value: -1}");
        assert_eq!(formatted, "a | -1 | false | 5m | ");
        assert_eq!(line("node.k8s.io", "RuntimeClass", "{handler: h}"), "a | h | 5m");
        assert_eq!(line("scheduling.k8s.io", "Workload", "{}"), "a | 5m");
    }

    #[test]
    fn groups_of_pods() {
        let group = |spec: &str, conditions: &str| {
            let text = format!("{{spec: {{{spec}}}, status: {{conditions: [{conditions}]}}}}");
            line("scheduling.k8s.io", "PodGroup", &text)
        };
        assert_eq!(group("", ""), "a | Basic | <none> | Pending | 5m");
        let spec = "schedulingPolicy: {gang: {minCount: 2}}, podGroupTemplateRef: {workload: {workloadName: w}}";
        let scheduled = |status: &str| format!("{{type: PodGroupScheduled, status: '{status}'}}");
        assert_eq!(group(spec, &scheduled("True")), "a | Gang | w | Scheduled | 5m");
        assert_eq!(group(spec, &scheduled("False")), "a | Gang | w | Unschedulable | 5m");
        let gone = format!("{}, {{type: DisruptionTarget, reason: Preempted}}", scheduled("True"));
        assert_eq!(group(spec, &gone), "a | Gang | w | Preempted | 5m");
    }
}
