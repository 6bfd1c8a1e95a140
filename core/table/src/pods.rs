//! Printers of pods, whose status summarizes their containers, and of pod templates.

use crate::age;
use crate::column::{AGE, CONTAINERS, Column, IMAGES, NAME, Row, text as column};
use crate::labels::labels;
use crate::printed_object::{Cells, NONE, PrintedObject, at, flag, int, or, text};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use ratchet_object::Node;

pub(crate) const ROWS: &[Row] = &[
    Row { group: "", kind: "Pod", columns: POD, cells: pod },
    Row { group: "", kind: "PodTemplate", columns: TEMPLATE, cells: template },
];

const POD: &[Column] = &[
    NAME,
    column("Ready", "How many containers of the pod are ready, of all that should be."),
    column("Status", "What the pod and its containers are doing, in one word."),
    column("Restarts", "How often containers of the pod were restarted, and when the last time."),
    AGE,
    column("IP", "The first address of the pod.").wide(),
    column("Node", "The node that the pod is bound to.").wide(),
    column("Nominated Node", "The node where room is being made for the pod.").wide(),
    column("Readiness Gates", "How many further conditions of readiness hold.").wide(),
];

const TEMPLATE: &[Column] = &[
    NAME,
    Column { priority: 0, ..CONTAINERS },
    Column { priority: 0, ..IMAGES },
    column("Pod Labels", "The labels of pods that are made from the template."),
];

fn pod(object: &PrintedObject<'_>) -> Cells {
    let summary = ContainerSummary::new(object);
    let address = match object.text(&["status", "podIP"]) {
        "" => object.items(&["status", "podIPs"]).first().map_or("", |ip| ip.text_at(&["ip"])),
        address => address,
    };
    vec![
        object.name(),
        text(format!("{}/{}", summary.ready, summary.containers)),
        text(summary.reason.clone()),
        text(summary.format_restarts(object.now)),
        object.age(),
        text(or(address, NONE)),
        text(or(object.text(&["spec", "nodeName"]), NONE)),
        text(or(object.text(&["status", "nominatedNodeName"]), NONE)),
        text(gates(object)),
    ]
}

fn gates(object: &PrintedObject<'_>) -> String {
    let gates = object.items(&["spec", "readinessGates"]);
    if gates.is_empty() {
        return NONE.to_owned();
    }
    let holding =
        gates.iter().filter(|gate| object.is_condition_true(gate.text_at(&["conditionType"])));
    format!("{}/{}", holding.count(), gates.len())
}

/// The number of restarts, and the time of the last one.
#[derive(Clone, Copy, Default)]
struct Restarts {
    count: i64,
    last: Option<i64>,
}

impl Restarts {
    fn add(&mut self, container: &Node<'_>) {
        self.count = self.count.saturating_add(int(container, &["restartCount"]));
        let terminated =
            age::seconds(container.text_at(&["lastState", "terminated", "finishedAt"]));
        self.last = self.last.max(terminated);
    }
}

/// The summary of the container statuses.
struct ContainerSummary {
    reason: String,
    ready: usize,
    containers: usize,
    restarts: Restarts,
    /// Restarts of sidecar containers.
    sidecar_restarts: Restarts,
}

impl ContainerSummary {
    fn new(object: &PrintedObject<'_>) -> Self {
        let inits = object.items(&["spec", "initContainers"]);
        let mut summary = Self {
            reason: first_reason(object),
            ready: 0,
            containers: object.items(&["spec", "containers"]).len()
                + inits.iter().filter(|init| is_sidecar(init)).count(),
            restarts: Restarts::default(),
            sidecar_restarts: Restarts::default(),
        };
        let is_initializing =
            summary.initialize(inits, object.items(&["status", "initContainerStatuses"]));
        if !is_initializing || object.is_condition_true("Initialized") {
            summary.run(object);
        }
        let phase = object.text(&["status", "phase"]);
        if object.is_terminating() && object.text(&["status", "reason"]) == "NodeLost" {
            summary.reason = "Unknown".to_owned();
        } else if object.is_terminating() && !["Failed", "Succeeded"].contains(&phase) {
            summary.reason = "Terminating".to_owned();
        }
        summary
    }

    /// Follows the init containers up to the first that is not done, and returns whether there is
    /// one.
    fn initialize(&mut self, inits: &[Node<'_>], statuses: &[Node<'_>]) -> bool {
        for (index, status) in statuses.iter().enumerate() {
            let name = status.text_at(&["name"]);
            let spec = inits.iter().rfind(|init| init.text_at(&["name"]) == name);
            let is_beside = spec.is_some_and(is_sidecar);
            self.restarts.add(status);
            if is_beside {
                self.sidecar_restarts.add(status);
            }
            let terminated = at(status, &["state", "terminated"]);
            if terminated.is_some_and(|terminated| int(terminated, &["exitCode"]) == 0) {
                continue;
            }
            if is_beside && flag(status, &["started"]) {
                self.ready += usize::from(flag(status, &["ready"]));
                continue;
            }
            self.reason = match (terminated, status.text_at(&["state", "waiting", "reason"])) {
                (Some(terminated), _) => format!("Init:{}", termination_reason(terminated)),
                (None, "" | "PodInitializing") => format!("Init:{index}/{}", inits.len()),
                (None, reason) => format!("Init:{reason}"),
            };
            return true;
        }
        false
    }

    /// Follows the containers, the last one first, so that the first one decides.
    fn run(&mut self, object: &PrintedObject<'_>) {
        self.restarts = self.sidecar_restarts;
        let mut is_running = false;
        let mut failure = None;
        for status in object.items(&["status", "containerStatuses"]).iter().rev() {
            self.restarts.add(status);
            let waits = status.text_at(&["state", "waiting", "reason"]);
            if !waits.is_empty() {
                self.reason = waits.to_owned();
            } else if let Some(terminated) = at(status, &["state", "terminated"]) {
                self.reason = termination_reason(terminated);
                if int(terminated, &["exitCode"]) != 0 {
                    failure = Some(self.reason.clone());
                }
            } else if flag(status, &["ready"]) && at(status, &["state", "running"]).is_some() {
                is_running = true;
                self.ready += 1;
            }
        }
        if self.reason == "Completed" {
            self.reason = match failure {
                _ if is_running && object.is_condition_true("Ready") => "Running".to_owned(),
                Some(failure) => failure,
                None if is_running => "NotReady".to_owned(),
                None => return,
            };
        }
    }

    fn format_restarts(&self, now: i64) -> String {
        let Restarts { count, last } = self.restarts;
        match last {
            Some(last) if count != 0 => format!("{count} ({} ago)", age::since(Some(last), now)),
            _ => count.to_string(),
        }
    }
}

/// The reason of the pod itself, before its containers are considered.
fn first_reason(object: &PrintedObject<'_>) -> String {
    let is_gated = object.items(&["status", "conditions"]).iter().any(|condition| {
        condition.text_at(&["type"]) == "PodScheduled"
            && condition.text_at(&["reason"]) == "SchedulingGated"
    });
    if is_gated {
        return "SchedulingGated".to_owned();
    }
    or(object.text(&["status", "reason"]), object.text(&["status", "phase"])).to_owned()
}

fn is_sidecar(init: &Node<'_>) -> bool {
    init.text_at(&["restartPolicy"]) == "Always"
}

/// Why a container terminated.
fn termination_reason(terminated: &Node<'_>) -> String {
    match (terminated.text_at(&["reason"]), int(terminated, &["signal"])) {
        ("", 0) => format!("ExitCode:{}", int(terminated, &["exitCode"])),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

/// The names and the images of the containers at `names`.
pub(crate) fn containers(object: &PrintedObject<'_>, names: &[&str]) -> [Node<'static>; 2] {
    let containers = object.items(names);
    ["name", "image"].map(|field| {
        let texts: Vec<&str> =
            containers.iter().map(|container| container.text_at(&[field])).collect();
        text(texts.join(","))
    })
}

fn template(object: &PrintedObject<'_>) -> Cells {
    let [names, images] = containers(object, &["template", "spec", "containers"]);
    vec![object.name(), names, images, text(labels(object.at(&["template", "metadata", "labels"])))]
}

#[cfg(test)]
mod tests {
    use crate::testing::line;
    use alloc::format;
    use alloc::string::String;

    fn pod(text: &str) -> String {
        let line = line("", "Pod", text);
        let parts: alloc::vec::Vec<&str> = line.split(" | ").skip(1).take(3).collect();
        parts.join(" | ")
    }

    #[test]
    fn a_pod_tells_where_it_is() {
        let text = "{spec: {nodeName: 'n', containers: [{name: a}], readinessGates: [{conditionType: g}, \
            {conditionType: h}]}, status: {phase: Running, nominatedNodeName: m, podIPs: [{ip: 10.0.0.1}, \
            {ip: 'fd::1'}], conditions: [{type: g, status: 'True'}], containerStatuses: [{ready: true, \
            state: {running: {}}}]}}";
        assert_eq!(line("", "Pod", text), "a | 1/1 | Running | 0 | 5m | 10.0.0.1 | n | m | 1/2");
        let bare = "{spec: {containers: [{}]}, status: {phase: Pending}}";
        let expected = "a | 0/1 | Pending | 0 | 5m | <none> | <none> | <none> | <none>";
        assert_eq!(line("", "Pod", bare), expected);
        let older = "{metadata: {name: b}, status: {podIP: 10.0.0.2, podIPs: [{ip: 10.0.0.1}]}}";
        let expected = "b | 0/0 |  | 0 | <unknown> | 10.0.0.2 | <none> | <none> | <none>";
        assert_eq!(line("", "Pod", older), expected);
    }

    #[test]
    fn reasons_of_the_pod_come_before_its_phase() {
        assert_eq!(pod("{status: {phase: Failed, reason: Evicted}}"), "0/0 | Evicted | 0");
        let gated = "{status: {phase: Pending, conditions: [{type: PodScheduled, reason: SchedulingGated}]}}";
        assert_eq!(pod(gated), "0/0 | SchedulingGated | 0");
    }

    #[test]
    fn restarts_tell_when() {
        let with = |last: &str| {
            pod(&format!(
                "{{spec: {{containers: [{{}}]}}, status: {{phase: Running, containerStatuses: \
                 [{{restartCount: 3, ready: true, state: {{running: {{}}}}{last}}}]}}}}"
            ))
        };
        let last = ", lastState: {terminated: {exitCode: 1, finishedAt: '2025-12-31T23:50:00Z'}}";
        assert_eq!(with(last), "1/1 | Running | 3 (10m ago)");
        assert_eq!(with(""), "1/1 | Running | 3");
    }

    #[test]
    fn init_containers_come_first() {
        let with = |statuses: &str| {
            pod(&format!(
                "{{spec: {{initContainers: [{{name: i}}, {{name: j}}], containers: [{{name: c}}]}}, \
                 status: {{phase: Pending, initContainerStatuses: [{statuses}], containerStatuses: \
                 [{{state: {{waiting: {{reason: PodInitializing}}}}}}]}}}}"
            ))
        };
        let waits = |reason: &str| format!("{{name: i, state: {{waiting: {{reason: {reason}}}}}}}");
        assert_eq!(with(&waits("PodInitializing")), "0/1 | Init:0/2 | 0");
        assert_eq!(with(&waits("ErrImagePull")), "0/1 | Init:ErrImagePull | 0");
        let done = "{name: i, state: {terminated: {exitCode: 0}}}";
        assert_eq!(with(&format!("{done}, {{name: j}}")), "0/1 | Init:1/2 | 0");
        let terminated =
            |how: &str| format!("{{name: i, restartCount: 2, state: {{terminated: {{{how}}}}}}}");
        assert_eq!(with(&terminated("exitCode: 2, reason: Error")), "0/1 | Init:Error | 2");
        assert_eq!(with(&terminated("exitCode: 2")), "0/1 | Init:ExitCode:2 | 2");
        assert_eq!(with(&terminated("exitCode: 2, signal: 9")), "0/1 | Init:Signal:9 | 2");
        assert_eq!(
            with(&format!("{done}, {}", done.replace(": i", ": j"))),
            "0/1 | PodInitializing | 0"
        );
    }

    #[test]
    fn init_containers_that_keep_running_count() {
        let with = |started: bool| {
            pod(&format!(
                "{{spec: {{initContainers: [{{name: s, restartPolicy: Always}}], containers: [{{name: c}}]}}, \
                 status: {{phase: Running, initContainerStatuses: [{{name: s, started: {started}, ready: true, \
                 restartCount: 1, state: {{running: {{}}}}}}], containerStatuses: [{{restartCount: 1, \
                 ready: true, state: {{running: {{}}}}}}]}}}}"
            ))
        };
        assert_eq!(with(true), "2/2 | Running | 2");
        assert_eq!(with(false), "0/2 | Init:0/1 | 1");
    }

    #[test]
    fn the_end_of_containers_is_told() {
        let with = |first: &str, second: &str, ready: &str| {
            pod(&format!(
                "{{spec: {{containers: [{{}}, {{}}]}}, status: {{phase: Running, conditions: [{{type: Ready, \
                 status: '{ready}'}}], containerStatuses: [{{{first}}}, {{{second}}}]}}}}"
            ))
        };
        let done = "state: {terminated: {exitCode: 0, reason: Completed}}";
        let runs = "ready: true, state: {running: {}}";
        let failed = "state: {terminated: {exitCode: 1, reason: Error}}";
        assert_eq!(with(done, done, "False"), "0/2 | Completed | 0");
        assert_eq!(with(done, runs, "True"), "1/2 | Running | 0");
        assert_eq!(with(done, runs, "False"), "1/2 | NotReady | 0");
        assert_eq!(with(done, failed, "False"), "0/2 | Error | 0");
        assert_eq!(with("state: {terminated: {signal: 9}}", runs, "False"), "1/2 | Signal:9 | 0");
        assert_eq!(
            with("state: {terminated: {exitCode: 3}}", runs, "True"),
            "1/2 | ExitCode:3 | 0"
        );
        let crash = "state: {waiting: {reason: CrashLoopBackOff}}";
        assert_eq!(with(crash, runs, "True"), "1/2 | CrashLoopBackOff | 0");
    }

    #[test]
    fn pods_that_go_say_so_unless_they_are_done() {
        let with = |status: &str| {
            pod(&format!(
                "{{metadata: {{deletionTimestamp: '2026-01-01T00:00:00Z'}}, status: {{{status}}}}}"
            ))
        };
        assert_eq!(with("phase: Running"), "0/0 | Terminating | 0");
        assert_eq!(with("phase: Succeeded"), "0/0 | Succeeded | 0");
        assert_eq!(with("phase: Running, reason: NodeLost"), "0/0 | Unknown | 0");
    }

    #[test]
    fn templates() {
        let text = "{template: {metadata: {labels: {x: 'y'}}, spec: {containers: [{name: c, image: i}, \
            {name: d, image: j}]}}}";
        assert_eq!(line("", "PodTemplate", text), "a | c,d | i,j | x=y");
        assert_eq!(line("", "PodTemplate", "{}"), "a |  |  | <none>");
    }
}
