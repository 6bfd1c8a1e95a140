//! Printers of jobs and cron jobs.

use crate::age;
use crate::column::{
    AGE, CONTAINERS, Column, IMAGES, NAME, Row, SELECTOR, boolean, integer, text as column,
};
use crate::labels::selector;
use crate::pods::containers;
use crate::printed_object::{Cells, NONE, PrintedObject, UNSET, text};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use ratchet_object::Node;

pub(crate) const ROWS: &[Row] = &[
    Row { group: "batch", kind: "Job", columns: JOB, cells: job },
    Row { group: "batch", kind: "CronJob", columns: CRON_JOB, cells: cron_job },
];

const JOB: &[Column] = &[
    NAME,
    column("Status", "What the job is doing, in one word."),
    column("Completions", "How many pods succeeded, of all that must."),
    column("Duration", "How long the job took, or has been running."),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

const CRON_JOB: &[Column] = &[
    NAME,
    column("Schedule", "When jobs start, as cron writes it."),
    column("Timezone", "The time zone of the schedule."),
    boolean("Suspend", "Whether no further jobs are started."),
    integer("Active", "How many jobs are running."),
    column("Last Schedule", "The time since a job was last started."),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
];

/// Conditions that determine the status, in their order; `Terminating` comes between the two lists.
const ENDED: [(&str, &str); 2] = [("Complete", "Complete"), ("Failed", "Failed")];
const ENDING: [(&str, &str); 3] = [
    ("Suspended", "Suspended"),
    ("FailureTarget", "FailureTarget"),
    ("SuccessCriteriaMet", "SuccessCriteriaMet"),
];

fn job(object: &PrintedObject<'_>) -> Cells {
    let [names, images] = containers(object, &["spec", "template", "spec", "containers"]);
    vec![
        object.name(),
        text(status(object)),
        text(completions(object)),
        text(duration(object)),
        object.age(),
        names,
        images,
        text(selector(object.at(&["spec", "selector"]))),
    ]
}

fn status(object: &PrintedObject<'_>) -> &'static str {
    let first = |conditions: &[(&str, &'static str)]| {
        conditions
            .iter()
            .find(|(condition, _)| object.is_condition_true(condition))
            .map(|(_, status)| *status)
    };
    first(&ENDED)
        .or(object.is_terminating().then_some("Terminating"))
        .or_else(|| first(&ENDING))
        .unwrap_or("Running")
}

fn completions(object: &PrintedObject<'_>) -> String {
    let succeeded = object.int(&["status", "succeeded"]);
    let completions = object.at(&["spec", "completions"]).and_then(Node::as_int);
    match (completions, object.int(&["spec", "parallelism"])) {
        (Some(completions), _) => format!("{succeeded}/{completions}"),
        (None, parallel) if parallel > 1 => format!("{succeeded}/1 of {parallel}"),
        (None, _) => format!("{succeeded}/1"),
    }
}

fn duration(object: &PrintedObject<'_>) -> String {
    let Some(start) = object.time(&["status", "startTime"]) else { return String::new() };
    let end = object.time(&["status", "completionTime"]).unwrap_or(object.now);
    age::span(end.saturating_sub(start))
}

fn cron_job(object: &PrintedObject<'_>) -> Cells {
    const SPEC: [&str; 3] = ["spec", "jobTemplate", "spec"];
    let [a, b, c] = SPEC;
    let [names, images] = containers(object, &[a, b, c, "template", "spec", "containers"]);
    let last = &["status", "lastScheduleTime"];
    let suspend = object.at(&["spec", "suspend"]).and_then(Node::as_bool);
    vec![
        object.name(),
        object.cell(&["spec", "schedule"]),
        object.cell_or(&["spec", "timeZone"], NONE),
        text(suspend.map_or(UNSET, |suspend| if suspend { "True" } else { "False" })),
        Node::int(object.count(&["status", "active"])),
        text(if object.at(last).is_some() { object.since(last) } else { NONE.into() }),
        object.age(),
        names,
        images,
        text(selector(object.at(&[a, b, c, "selector"]))),
    ]
}

#[cfg(test)]
mod tests {
    use crate::testing::line;
    use alloc::format;

    #[test]
    fn jobs() {
        let text = "{spec: {completions: 5, selector: {matchLabels: {x: 'y'}}, template: {spec: {containers: \
            [{name: c, image: i}]}}}, status: {succeeded: 5, startTime: '2025-12-31T23:50:00Z', \
            completionTime: '2025-12-31T23:50:10Z', conditions: [{type: Complete, status: 'True'}]}}";
        assert_eq!(line("batch", "Job", text), "a | Complete | 5/5 | 10s | 5m | c | i | x=y");
        let bare = "a | Running | 0/1 |  | 5m |  |  | <none>";
        assert_eq!(line("batch", "Job", "{}"), bare);
        let wide = "{spec: {parallelism: 3}, status: {startTime: '2025-12-31T23:50:00Z'}}";
        assert_eq!(line("batch", "Job", wide), "a | Running | 0/1 of 3 | 10m | 5m |  |  | <none>");
    }

    #[test]
    fn the_status_of_a_job_is_its_strongest_condition() {
        let status = |metadata: &str, conditions: &[&str]| {
            let list: alloc::vec::Vec<_> =
                conditions.iter().map(|c| format!("{{type: {c}, status: 'True'}}")).collect();
            let text = format!(
                "{{metadata: {{name: a{metadata}}}, status: {{conditions: [{}]}}}}",
                list.join(",")
            );
            alloc::string::String::from(line("batch", "Job", &text).split(" | ").nth(1).unwrap())
        };
        let going = ", deletionTimestamp: '2026-01-01T00:00:00Z'";
        assert_eq!(status("", &["FailureTarget", "Failed"]), "Failed");
        assert_eq!(status("", &["SuccessCriteriaMet"]), "SuccessCriteriaMet");
        assert_eq!(status("", &["FailureTarget"]), "FailureTarget");
        assert_eq!(status("", &["Suspended"]), "Suspended");
        assert_eq!(status(going, &["Suspended"]), "Terminating");
        assert_eq!(status(going, &["Complete"]), "Complete");
        assert_eq!(status("", &[]), "Running");
    }

    #[test]
    fn cron_jobs() {
        let text = "{spec: {schedule: '0 * * * *', timeZone: UTC, suspend: true, jobTemplate: {spec: \
            {selector: {matchLabels: {x: 'y'}}, template: {spec: {containers: [{name: c, image: i}]}}}}}, status: \
            {active: [{}, {}], lastScheduleTime: '2025-12-31T23:00:00Z'}}";
        let expected = "a | 0 * * * * | UTC | True | 2 | 60m | 5m | c | i | x=y";
        assert_eq!(line("batch", "CronJob", text), expected);
        let expected = "a |  | <none> | <unset> | 0 | <none> | 5m |  |  | <none>";
        assert_eq!(line("batch", "CronJob", "{}"), expected);
    }
}
