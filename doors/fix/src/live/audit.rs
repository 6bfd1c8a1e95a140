//! Findings of an audit, read from its JSON document.

use ratchet_manifests::is_stdin;
use ratchet_rewrite::ObjectRef;
use ratchet_rewrite::live::StoredFinding;
use serde_json::Value;
use std::io::Read;
use std::path::Path;

const VERSION: &str = "ratchet.audit/v1";

/// Reads the findings that are about a text at a known place.
pub(super) fn read(path: &Path) -> Result<Vec<StoredFinding>, String> {
    let name = path.display();
    let mut text = String::new();
    let read = match is_stdin(path) {
        true => std::io::stdin().lock().read_to_string(&mut text).map(|_| ()),
        false => std::fs::read_to_string(path).map(|all| text = all),
    };
    read.map_err(|error| format!("{name} cannot be read: {error}"))?;
    let document: Value = serde_json::from_str(&text).map_err(|error| {
        format!("{name} is not JSON: {error}; `ratchet audit -o json` writes what is needed")
    })?;
    let version = document.get("version").unwrap_or(&Value::Null);
    if version != VERSION {
        return Err(format!(
            "{name} has the version {version}, not \"{VERSION}\"; `ratchet audit -o json` writes what is needed"
        ));
    }
    let findings = document
        .get("findings")
        .and_then(Value::as_array)
        .ok_or(format!("{name} has no findings"))?;
    findings.iter().map(finding).filter_map(Result::transpose).collect::<Result<_, _>>().map_err(
        |member: String| {
            format!("{name}: a finding has no {member}; `ratchet audit -o json` writes it")
        },
    )
}

/// A finding; none if it is not about a text, and the name of a member that is missing.
fn finding(entry: &Value) -> Result<Option<StoredFinding>, String> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str).map(str::to_owned);
    let (Some(pointer), Some(value)) = (text("pointer"), text("value")) else {
        return Ok(None);
    };
    let of_object = |name: &str| {
        let member = entry.get("object").and_then(|object| object.get(name)?.as_str());
        member.map(str::to_owned).ok_or(format!("object.{name}"))
    };
    let object = ObjectRef {
        api_version: of_object("apiVersion")?,
        kind: of_object("kind")?,
        namespace: of_object("namespace")?,
        name: of_object("name")?,
    };
    let refuses = entry.get("refuses").and_then(Value::as_array);
    Ok(Some(StoredFinding {
        object,
        resource: of_object("resource")?,
        field: text("field").ok_or("field")?,
        pointer,
        value,
        is_frozen: text("state").as_deref() == Some("frozen"),
        keeps_finalizers: refuses.is_some_and(|all| all.iter().any(|one| one == "finalizer")),
        is_last_applied: entry.get("lastApplied").and_then(Value::as_bool) == Some(true),
    }))
}
