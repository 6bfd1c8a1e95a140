//! Patches sent to the API server one by one: looked at, dry-run, sent, recorded; the first surprise ends it.

use super::journal::Journal;
use super::requests::{describe, patch, path};
use super::{LiveConfig, LiveError};
use ratchet_cluster::Cluster;
use ratchet_rewrite::ObjectRef;
use ratchet_rewrite::live::{Replace, Step};
use serde_json::Value;
use std::io::Write;

/// What an update changes by itself.
const VOLATILE: [&str; 3] = ["generation", "managedFields", "resourceVersion"];

/// The annotation in which the API server counts the changes of a DaemonSet's template.
const COUNTER: &str = "deprecated.daemonset.template.generation";

/// Why a repair stopped.
enum Stop {
    /// The server could not be reached, or did not give what was asked for.
    Failed(String),
    /// Something is not as the audit found it, or would not become as planned.
    Surprise(String),
}

/// What became of a patch.
enum Outcome {
    Patched,
    AlreadyDone,
}

/// Sends every patch in its order.
pub(super) fn run(
    config: &LiveConfig,
    steps: &[Step],
    out: &mut dyn Write,
    notes: &mut dyn Write,
) -> Result<u8, LiveError> {
    let mut journal = Journal::open(config.resume.as_deref()).map_err(LiveError::Setup)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| LiveError::Setup(format!("cannot start: {error}")))?;
    runtime.block_on(async {
        let cluster = Cluster::connect(&config.flags)
            .await
            .map_err(|error| LiveError::Setup(error.to_string()))?;
        let mut left = 0;
        for step in steps {
            let object = describe(step.object());
            let Step::Patch { object: about, resource, is_status, replaces, .. } = step else {
                left += u64::from(write_other(step, &object, out).map_err(LiveError::Output)?);
                continue;
            };
            if journal.has(step) {
                writeln!(out, "{object}: done before").map_err(LiveError::Output)?;
                continue;
            }
            let subresource = if *is_status { "/status" } else { "" };
            let path = path(about, resource, subresource);
            let stop = match send(&cluster, about, &path, *is_status, replaces).await {
                Ok(outcome) => {
                    let word = match outcome {
                        Outcome::Patched => "patched",
                        Outcome::AlreadyDone => "is right already",
                    };
                    writeln!(out, "{object}: {word}").map_err(LiveError::Output)?;
                    journal.record(step).map_err(LiveError::Output)?;
                    continue;
                }
                Err(stop) => stop,
            };
            let (why, code) = match stop {
                Stop::Failed(why) => (why, 2),
                Stop::Surprise(why) => (why, 1),
            };
            let _ = writeln!(notes, "stopped at {object}: {why}");
            let _ = writeln!(
                notes,
                "what was patched before stays; look at the object, audit again if it changed, and run the command again to continue"
            );
            return Ok(code);
        }
        Ok(u8::from(left > 0))
    })
}

/// Writes a step that is nobody's patch; returns whether somebody has to act.
fn write_other(step: &Step, object: &str, out: &mut dyn Write) -> std::io::Result<bool> {
    match step {
        Step::Recreate { advice, .. } => {
            writeln!(out, "{object}: not done, it must be made again. {advice}")?;
            Ok(true)
        }
        Step::Refused { field, value, reason, .. } => {
            writeln!(out, "{object}: {field} {value:?} is not repaired: {reason}")?;
            Ok(true)
        }
        Step::Leave { field, advice, .. } => {
            writeln!(out, "{object}: {field} is left: {advice}")?;
            Ok(false)
        }
        Step::Patch { .. } => Ok(false),
    }
}

async fn send(
    cluster: &Cluster,
    object: &ObjectRef,
    path: &str,
    is_status: bool,
    replaces: &[Replace],
) -> Result<Outcome, Stop> {
    let failed = |error: ratchet_cluster::ClusterError| Stop::Failed(error.to_string());
    let answer = cluster.ask(path).await.map_err(failed)?;
    if answer.code == 404 {
        return Err(Stop::Surprise("it is gone; audit again".to_owned()));
    }
    let current = decoded(answer.code, &answer.body, answer.status_message())?;
    let value = |pointer: &str| current.pointer(pointer).and_then(Value::as_str);
    if replaces.iter().all(|one| value(&one.pointer) == Some(one.new.as_str())) {
        return Ok(Outcome::AlreadyDone);
    }
    if let Some(other) = replaces.iter().find(|one| value(&one.pointer) != Some(one.old.as_str())) {
        let found = current.pointer(&other.pointer).cloned().unwrap_or_default();
        return Err(Stop::Surprise(format!(
            "{} is {found} now, and was {:?} when it was audited",
            other.field, other.old
        )));
    }
    let mut wanted = current;
    for one in replaces {
        if let Some(value) = wanted.pointer_mut(&one.pointer) {
            *value = Value::String(one.new.clone());
        }
    }
    let body = patch(replaces).to_string();
    let query = "fieldManager=ratchet-fix&fieldValidation=Strict";
    for dry_run in ["&dryRun=All", ""] {
        let request = format!("{path}?{query}{dry_run}");
        let answer = cluster.patch_json(&request, &body).await.map_err(failed)?;
        let made = decoded(answer.code, &answer.body, answer.status_message())?;
        if let Some(place) = difference(&stable(&wanted, is_status), &stable(&made, is_status), "")
        {
            let when = if dry_run.is_empty() { "changed" } else { "would change" };
            return Err(Stop::Surprise(format!(
                "the server {when} {place} of {}, too (a webhook or a policy?)",
                object.name
            )));
        }
    }
    Ok(Outcome::Patched)
}

/// The object of a response, or what the server says instead.
fn decoded(code: u16, body: &str, message: Option<String>) -> Result<Value, Stop> {
    if !(200..300).contains(&code) {
        let message = message.unwrap_or_else(|| body.chars().take(300).collect());
        return Err(Stop::Surprise(format!("the server answers {code}: {message}")));
    }
    serde_json::from_str(body).map_err(|error| Stop::Failed(format!("not an object: {error}")))
}

/// The object without what every update changes, and without the status if the patch is not about it: controllers write
/// it at any time.
fn stable(object: &Value, is_status: bool) -> Value {
    let mut object = object.clone();
    if let (false, Some(members)) = (is_status, object.as_object_mut()) {
        members.shift_remove("status");
    }
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) {
        for name in VOLATILE {
            metadata.shift_remove(name);
        }
        let annotations = metadata.get_mut("annotations").and_then(Value::as_object_mut);
        let is_empty = annotations.is_some_and(|annotations| {
            annotations.shift_remove(COUNTER);
            annotations.is_empty()
        });
        if is_empty {
            metadata.shift_remove("annotations");
        }
    }
    object
}

/// The first place where two values differ; the order of members does not matter.
fn difference(wanted: &Value, made: &Value, path: &str) -> Option<String> {
    match (wanted, made) {
        (Value::Object(wanted), Value::Object(made)) => {
            let below = wanted.iter().find_map(|(name, value)| {
                difference(value, made.get(name).unwrap_or(&Value::Null), &format!("{path}/{name}"))
            });
            let added = || made.keys().find(|name| !wanted.contains_key(*name));
            below.or_else(|| added().map(|name| format!("{path}/{name}")))
        }
        (Value::Array(wanted), Value::Array(made)) if wanted.len() == made.len() => {
            let mut pairs = wanted.iter().zip(made).enumerate();
            pairs.find_map(|(at, (wanted, made))| difference(wanted, made, &format!("{path}/{at}")))
        }
        (wanted, made) => (wanted != made).then(|| path.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_what_servers_and_controllers_write_may_differ() {
        let object = |annotations: Value, ready: u64, image: &str| {
            json!({
                "metadata": {"name": "a", "generation": ready, "annotations": annotations},
                "spec": {"image": image}, "status": {"ready": ready},
            })
        };
        let read = object(json!({COUNTER: "1"}), 1, "x");
        let differs = |made: &Value, is_status: bool| {
            difference(&stable(&read, is_status), &stable(made, is_status), "")
        };
        let counted = object(json!({COUNTER: "2"}), 2, "x");
        assert_eq!(differs(&counted, false), None);
        assert_eq!(differs(&counted, true), Some("/status/ready".into()));
        let hooked = object(json!({COUNTER: "2", "by": "webhook"}), 1, "x");
        assert_eq!(differs(&hooked, false), Some("/metadata/annotations".into()));
        let moved = object(json!({COUNTER: "2"}), 1, "y");
        assert_eq!(differs(&moved, false), Some("/spec/image".into()));
        let bare = json!({"metadata": {"name": "a"}, "spec": {"image": "x"}});
        assert_eq!(differs(&bare, false), None);
    }
}
