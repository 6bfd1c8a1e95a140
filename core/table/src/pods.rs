//! Pods: what became of their containers, told in one word; and templates of pods.

use crate::age;
use crate::column::{AGE, CONTAINERS, Column, IMAGES, NAME, Row, text as column};
use crate::labels::labels;
use crate::shown::{Cells, NONE, Shown, at, flag, int, or, text};
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

fn pod(shown: &Shown<'_>) -> Cells {
    let story = Story::of(shown);
    let address = match shown.text(&["status", "podIP"]) {
        "" => shown.items(&["status", "podIPs"]).first().map_or("", |ip| ip.text_at(&["ip"])),
        address => address,
    };
    vec![
        shown.name(),
        text(format!("{}/{}", story.ready, story.containers)),
        text(story.reason.clone()),
        text(story.restarts_told(shown.now)),
        shown.age(),
        text(or(address, NONE)),
        text(or(shown.text(&["spec", "nodeName"]), NONE)),
        text(or(shown.text(&["status", "nominatedNodeName"]), NONE)),
        text(gates(shown)),
    ]
}

fn gates(shown: &Shown<'_>) -> String {
    let gates = shown.items(&["spec", "readinessGates"]);
    if gates.is_empty() {
        return NONE.to_owned();
    }
    let holding = gates.iter().filter(|gate| shown.holds(gate.text_at(&["conditionType"])));
    format!("{}/{}", holding.count(), gates.len())
}

/// How often, and when the last time.
#[derive(Clone, Copy, Default)]
struct Restarts {
    count: i64,
    last: Option<i64>,
}

impl Restarts {
    fn add(&mut self, container: &Node<'_>) {
        self.count = self.count.saturating_add(int(container, &["restartCount"]));
        let ended = age::seconds(container.text_at(&["lastState", "terminated", "finishedAt"]));
        self.last = self.last.max(ended);
    }
}

/// What the statuses of the containers add up to.
struct Story {
    reason: String,
    ready: usize,
    containers: usize,
    restarts: Restarts,
    /// Restarts of init containers that keep running beside the others.
    beside: Restarts,
}

impl Story {
    fn of(shown: &Shown<'_>) -> Self {
        let inits = shown.items(&["spec", "initContainers"]);
        let mut story = Self {
            reason: first_reason(shown),
            ready: 0,
            containers: shown.items(&["spec", "containers"]).len()
                + inits.iter().filter(|init| keeps_running(init)).count(),
            restarts: Restarts::default(),
            beside: Restarts::default(),
        };
        let is_initializing =
            story.initialize(inits, shown.items(&["status", "initContainerStatuses"]));
        if !is_initializing || shown.holds("Initialized") {
            story.run(shown);
        }
        let phase = shown.text(&["status", "phase"]);
        if shown.is_going() && shown.text(&["status", "reason"]) == "NodeLost" {
            story.reason = "Unknown".to_owned();
        } else if shown.is_going() && !["Failed", "Succeeded"].contains(&phase) {
            story.reason = "Terminating".to_owned();
        }
        story
    }

    /// Follows the init containers up to the first that is not done; whether there is one.
    fn initialize(&mut self, inits: &[Node<'_>], statuses: &[Node<'_>]) -> bool {
        for (index, status) in statuses.iter().enumerate() {
            let name = status.text_at(&["name"]);
            let spec = inits.iter().rfind(|init| init.text_at(&["name"]) == name);
            let is_beside = spec.is_some_and(keeps_running);
            self.restarts.add(status);
            if is_beside {
                self.beside.add(status);
            }
            let ended = at(status, &["state", "terminated"]);
            if ended.is_some_and(|ended| int(ended, &["exitCode"]) == 0) {
                continue;
            }
            if is_beside && flag(status, &["started"]) {
                self.ready += usize::from(flag(status, &["ready"]));
                continue;
            }
            self.reason = match (ended, status.text_at(&["state", "waiting", "reason"])) {
                (Some(ended), _) => format!("Init:{}", end(ended)),
                (None, "" | "PodInitializing") => format!("Init:{index}/{}", inits.len()),
                (None, reason) => format!("Init:{reason}"),
            };
            return true;
        }
        false
    }

    /// Follows the containers, the last one first, so that the first one has the last word.
    fn run(&mut self, shown: &Shown<'_>) {
        self.restarts = self.beside;
        let mut is_running = false;
        let mut failure = None;
        for status in shown.items(&["status", "containerStatuses"]).iter().rev() {
            self.restarts.add(status);
            let waits = status.text_at(&["state", "waiting", "reason"]);
            if !waits.is_empty() {
                self.reason = waits.to_owned();
            } else if let Some(ended) = at(status, &["state", "terminated"]) {
                self.reason = end(ended);
                if int(ended, &["exitCode"]) != 0 {
                    failure = Some(self.reason.clone());
                }
            } else if flag(status, &["ready"]) && at(status, &["state", "running"]).is_some() {
                is_running = true;
                self.ready += 1;
            }
        }
        if self.reason == "Completed" {
            self.reason = match failure {
                _ if is_running && shown.holds("Ready") => "Running".to_owned(),
                Some(failure) => failure,
                None if is_running => "NotReady".to_owned(),
                None => return,
            };
        }
    }

    fn restarts_told(&self, now: i64) -> String {
        let Restarts { count, last } = self.restarts;
        match last {
            Some(last) if count != 0 => format!("{count} ({} ago)", age::since(Some(last), now)),
            _ => count.to_string(),
        }
    }
}

/// What the pod says of itself, before its containers are asked.
fn first_reason(shown: &Shown<'_>) -> String {
    let is_gated = shown.items(&["status", "conditions"]).iter().any(|condition| {
        condition.text_at(&["type"]) == "PodScheduled"
            && condition.text_at(&["reason"]) == "SchedulingGated"
    });
    if is_gated {
        return "SchedulingGated".to_owned();
    }
    or(shown.text(&["status", "reason"]), shown.text(&["status", "phase"])).to_owned()
}

fn keeps_running(init: &Node<'_>) -> bool {
    init.text_at(&["restartPolicy"]) == "Always"
}

/// Why a container ended.
fn end(ended: &Node<'_>) -> String {
    match (ended.text_at(&["reason"]), int(ended, &["signal"])) {
        ("", 0) => format!("ExitCode:{}", int(ended, &["exitCode"])),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.to_owned(),
    }
}

/// The names and the images of the containers at the end of `names`.
pub(crate) fn containers(shown: &Shown<'_>, names: &[&str]) -> [Node<'static>; 2] {
    let containers = shown.items(names);
    ["name", "image"].map(|field| {
        let texts: Vec<&str> = containers.iter().map(|one| one.text_at(&[field])).collect();
        text(texts.join(","))
    })
}

fn template(shown: &Shown<'_>) -> Cells {
    let [names, images] = containers(shown, &["template", "spec", "containers"]);
    vec![shown.name(), names, images, text(labels(shown.at(&["template", "metadata", "labels"])))]
}

#[cfg(test)]
mod tests {
    use crate::trial::line;
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
        let ended =
            |how: &str| format!("{{name: i, restartCount: 2, state: {{terminated: {{{how}}}}}}}");
        assert_eq!(with(&ended("exitCode: 2, reason: Error")), "0/1 | Init:Error | 2");
        assert_eq!(with(&ended("exitCode: 2")), "0/1 | Init:ExitCode:2 | 2");
        assert_eq!(with(&ended("exitCode: 2, signal: 9")), "0/1 | Init:Signal:9 | 2");
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
