//! Calls as requests for ConfigMaps, and answers as outcomes.

use crate::hostile::Answer;
use crate::hostile::wire::request;
use histories::{Action, Change, Event, Outcome, Record};
use serde_json::{Value, json};

/// The object that wakes watches which have nothing more to wait for.
pub(crate) const WAKE: &str = "wake";

/// What is no part of a history: besides, the ConfigMap that a controller creates in every namespace, at its own time.
const IGNORED: [&str; 2] = ["kube-root-ca.crt", WAKE];

const JSON: (&str, &str) = ("Content-Type", "application/json");

/// The collection of a namespace.
pub(crate) fn collection(namespace: &str) -> String {
    format!("/api/v1/namespaces/{namespace}/configmaps")
}

/// An object whose second entry follows from its first: an object that is there by half is no value of anybody.
fn body(name: &str, value: &str, version: Option<u64>) -> String {
    let mut metadata = json!({"name": name});
    if let Some(version) = version {
        metadata["resourceVersion"] = json!(version.to_string());
    }
    json!({"metadata": metadata, "data": {"value": value, "copy": copy(value)}}).to_string()
}

/// Up to a few pages of the store.
fn copy(value: &str) -> String {
    let length: usize = value.bytes().map(usize::from).sum();
    value.repeat(1 + length * 37 % 900)
}

/// The request of a call.
pub(crate) fn encode(namespace: &str, action: &Action) -> Vec<u8> {
    let maps = collection(namespace);
    match action {
        Action::Create { key, value } => {
            request("POST", &maps, &[JSON], body(key, value, None).as_bytes())
        }
        Action::Update { key, value, over } => {
            let body = body(key, value, Some(*over));
            request("PUT", &format!("{maps}/{key}"), &[JSON], body.as_bytes())
        }
        Action::Delete { key, over } => {
            let options = json!({"preconditions": {"resourceVersion": over.to_string()}});
            let body = options.to_string();
            request("DELETE", &format!("{maps}/{key}"), &[JSON], body.as_bytes())
        }
        Action::Get { key } => request("GET", &format!("{maps}/{key}"), &[], b""),
        Action::List { .. } => request("GET", &maps, &[], b""),
    }
}

/// The outcome of a call.
pub(crate) fn decode(action: &Action, answer: &Answer) -> Outcome {
    match (answer.code, action) {
        (200 | 201, Action::Create { .. } | Action::Update { .. }) => {
            Outcome::Written(version(&answer.json()))
        }
        (200, Action::Delete { .. }) => Outcome::Deleted,
        (200, Action::Get { .. }) => Outcome::Found(record(&answer.json())),
        (200, Action::List { .. }) => {
            let list = answer.json();
            let records = list["items"].as_array().unwrap().iter().map(record);
            let records =
                records.filter(|record| !IGNORED.contains(&record.key.as_str())).collect();
            Outcome::Listed { revision: version(&list), records }
        }
        (404, Action::Update { .. } | Action::Delete { .. } | Action::Get { .. }) => {
            Outcome::Absent
        }
        (409, Action::Create { .. }) => Outcome::Exists,
        (409, Action::Update { .. } | Action::Delete { .. }) => Outcome::Conflict,
        (429, _) => Outcome::Refused,
        (500.., _) => Outcome::Unknown,
        _ => panic!("{} for {action:?}: {}", answer.code, answer.text()),
    }
}

/// The resource version of an object or a list.
pub(crate) fn version(object: &Value) -> u64 {
    object["metadata"]["resourceVersion"].as_str().unwrap().parse().unwrap()
}

fn record(object: &Value) -> Record {
    let key = object["metadata"]["name"].as_str().unwrap().to_owned();
    Record { key, revision: version(object), value: value(object) }
}

fn value(object: &Value) -> String {
    let data = &object["data"];
    match (data["value"].as_str(), data["copy"].as_str()) {
        (Some(value), Some(text)) if text == copy(value) => value.to_owned(),
        _ => format!("by half: {data}"),
    }
}

/// What a line of a watch says.
pub(crate) enum Line {
    Event(Event),
    /// Everything up to this revision has been sent.
    Bookmark(u64),
    /// The watch cannot go on.
    Error(String),
}

/// Reads a line of a watch.
pub(crate) fn line(text: &[u8]) -> Line {
    let line: Value = serde_json::from_slice(text).unwrap();
    let object = &line["object"];
    let change = match line["type"].as_str().unwrap() {
        "ADDED" => Change::Added(value(object)),
        "MODIFIED" => Change::Modified(value(object)),
        "DELETED" => Change::Deleted,
        "BOOKMARK" => return Line::Bookmark(version(object)),
        _ => return Line::Error(line.to_string()),
    };
    let record = record(object);
    if IGNORED.contains(&record.key.as_str()) {
        return Line::Bookmark(record.revision);
    }
    Line::Event(Event { key: record.key, revision: record.revision, change })
}
