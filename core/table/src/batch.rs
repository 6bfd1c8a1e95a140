//! Pods that come to an end: jobs, and jobs by the calendar.

use crate::age;
use crate::column::{
    AGE, CONTAINERS, Column, IMAGES, NAME, Row, SELECTOR, boolean, integer, text as column,
};
use crate::labels::selector;
use crate::pods::containers;
use crate::shown::{Cells, NONE, Shown, UNSET, text};
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

/// Conditions that have the word, in their order; being deleted comes between the two halves.
const ENDED: [(&str, &str); 2] = [("Complete", "Complete"), ("Failed", "Failed")];
const ENDING: [(&str, &str); 3] = [
    ("Suspended", "Suspended"),
    ("FailureTarget", "FailureTarget"),
    ("SuccessCriteriaMet", "SuccessCriteriaMet"),
];

fn job(shown: &Shown<'_>) -> Cells {
    let [names, images] = containers(shown, &["spec", "template", "spec", "containers"]);
    vec![
        shown.name(),
        text(status(shown)),
        text(completions(shown)),
        text(duration(shown)),
        shown.age(),
        names,
        images,
        text(selector(shown.at(&["spec", "selector"]))),
    ]
}

fn status(shown: &Shown<'_>) -> &'static str {
    let first = |words: &[(&str, &'static str)]| {
        words.iter().find(|(condition, _)| shown.holds(condition)).map(|(_, word)| *word)
    };
    first(&ENDED)
        .or(shown.is_going().then_some("Terminating"))
        .or_else(|| first(&ENDING))
        .unwrap_or("Running")
}

fn completions(shown: &Shown<'_>) -> String {
    let succeeded = shown.int(&["status", "succeeded"]);
    let wanted = shown.at(&["spec", "completions"]).and_then(Node::as_int);
    match (wanted, shown.int(&["spec", "parallelism"])) {
        (Some(wanted), _) => format!("{succeeded}/{wanted}"),
        (None, parallel) if parallel > 1 => format!("{succeeded}/1 of {parallel}"),
        (None, _) => format!("{succeeded}/1"),
    }
}

fn duration(shown: &Shown<'_>) -> String {
    let Some(start) = shown.time(&["status", "startTime"]) else { return String::new() };
    let end = shown.time(&["status", "completionTime"]).unwrap_or(shown.now);
    age::span(end.saturating_sub(start))
}

fn cron_job(shown: &Shown<'_>) -> Cells {
    const SPEC: [&str; 3] = ["spec", "jobTemplate", "spec"];
    let [a, b, c] = SPEC;
    let [names, images] = containers(shown, &[a, b, c, "template", "spec", "containers"]);
    let last = &["status", "lastScheduleTime"];
    let suspend = shown.at(&["spec", "suspend"]).and_then(Node::as_bool);
    vec![
        shown.name(),
        shown.cell(&["spec", "schedule"]),
        shown.cell_or(&["spec", "timeZone"], NONE),
        text(suspend.map_or(UNSET, |suspend| if suspend { "True" } else { "False" })),
        Node::int(shown.count(&["status", "active"])),
        text(if shown.at(last).is_some() { shown.since(last) } else { NONE.into() }),
        shown.age(),
        names,
        images,
        text(selector(shown.at(&[a, b, c, "selector"]))),
    ]
}

#[cfg(test)]
mod tests {
    use crate::trial::line;
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
