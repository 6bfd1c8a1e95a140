//! Recorded conversations: requests, the answers of the server, and the comparison with ours.

mod documents;
mod objects;
mod server;

use ratchet_object::{Limits, Node, Value, decode_json};
use server::{Answer, Server};
use std::path::PathBuf;

/// Placeholders in the recordings for generated names, and their replacements.
const NAMES: [(&str, &str); 2] = [("{id}", "1a2b"), ("{ns}", "shop")];

/// The recordings of custom resources below the folder that `RATCHET_ORACLE` names.
pub(crate) fn recordings() -> Vec<Recording> {
    let folder = std::env::var_os("RATCHET_ORACLE").expect("RATCHET_ORACLE is not set");
    let folder = PathBuf::from(folder);
    let inside = folder.join("cases");
    let folder = if inside.is_dir() { inside } else { folder };
    let file = folder.join("crd.jsonl");
    let text = std::fs::read_to_string(&file)
        .unwrap_or_else(|why| panic!("no recordings at {}: {why}", file.display()));
    let line = |line: &str| {
        let text = NAMES.iter().fold(line.to_owned(), |line, (from, to)| line.replace(from, to));
        Recording(json(&text))
    };
    text.lines().map(line).collect()
}

pub(crate) fn json(text: &str) -> Node<'static> {
    decode_json(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
}

pub(crate) struct Recording(Node<'static>);

pub(crate) enum Outcome {
    Agrees,
    Skipped(&'static str),
    Differs(String),
}

impl Recording {
    pub(crate) fn id(&self) -> &str {
        self.0.text_at(&["id"])
    }

    /// Replays all steps; once a step cannot be replayed, the rest is skipped.
    pub(crate) fn replay(&self) -> Vec<Outcome> {
        let mut server = Server::default();
        let mut outcomes = Vec::new();
        let steps = self.0.get("steps").unwrap().items();
        let answers = self.0.get("expect").unwrap().items();
        for (at, (step, theirs)) in steps.iter().zip(answers).enumerate() {
            let code = theirs.get("code").and_then(Node::as_int).unwrap_or_default();
            match server.request(step, code) {
                Err(why) => {
                    outcomes.push(Outcome::Skipped(why));
                    if code < 300 && step.text_at(&["method"]) != "GET" {
                        break;
                    }
                }
                Ok(ours) => outcomes.push(compare(at, step, &ours, theirs)),
            }
        }
        outcomes
    }
}

fn compare(at: usize, step: &Node<'_>, ours: &Answer, theirs: &Node<'_>) -> Outcome {
    let ignored: Vec<&str> = step
        .get("ignore")
        .map(Node::items)
        .unwrap_or_default()
        .iter()
        .filter_map(Node::text)
        .collect();
    let mut differences = Vec::new();
    let mut check = |key: &str, ours: String, theirs: String| {
        let (ours, theirs) = (without_times(&ours), without_times(&theirs));
        if ours != theirs && !ignored.contains(&key) {
            differences.push(format!("\n    {key}\n      ours   {ours}\n      theirs {theirs}"));
        }
    };
    let code = theirs.get("code").and_then(Node::as_int).unwrap_or_default();
    check("code", ours.code.to_string(), code.to_string());
    check("message", sorted_errors(&ours.message), sorted_errors(theirs.text_at(&["message"])));
    let mut causes: Vec<String> = ours.causes.clone();
    causes.sort();
    let mut expected: Vec<String> = theirs
        .get("causes")
        .map(Node::items)
        .unwrap_or_default()
        .iter()
        .map(|cause| {
            let text = |key: &str| cause.text_at(&[key]).to_owned();
            format!("{}|{}|{}", text("field"), text("reason"), text("message"))
        })
        .collect();
    expected.sort();
    check("causes", format!("{causes:#?}"), format!("{expected:#?}"));
    let warnings: Vec<&str> = theirs
        .get("warnings")
        .map(Node::items)
        .unwrap_or_default()
        .iter()
        .filter_map(Node::text)
        .collect();
    check("warnings", format!("{:?}", ours.warnings), format!("{warnings:?}"));
    if code < 300 {
        for entry in theirs.get("object").map(Node::entries).unwrap_or_default() {
            let ours = ours.object.as_ref().and_then(|object| observe(object, &entry.key));
            let ours = ours.map_or("null".into(), |node| sorted_json(&node));
            check(&format!("object {}", entry.key), ours, sorted_json(&entry.node));
        }
    }
    if differences.is_empty() {
        Outcome::Agrees
    } else {
        Outcome::Differs(format!(
            "step {at} {} {}{}",
            step.text_at(&["method"]),
            step.text_at(&["path"]),
            differences.concat()
        ))
    }
}

/// The value at a pointer in which `*` is every item of a list.
fn observe(object: &Node<'_>, pointer: &str) -> Option<Node<'static>> {
    let Some(rest) = pointer.strip_prefix('/') else { return Some(object.clone().into_owned()) };
    let (name, rest) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
    if name == "*" {
        let null = || Node::new(Value::Null);
        let items = object.items().iter();
        return Some(Node::list(
            items.map(|item| observe(item, rest).unwrap_or_else(null)).collect(),
        ));
    }
    let name = name.replace("~1", "/").replace("~0", "~");
    match &object.value {
        Value::List(items) => observe(items.get(name.parse::<usize>().ok()?)?, rest),
        _ => observe(object.get(&name)?, rest),
    }
}

fn sorted_json(node: &Node<'_>) -> String {
    match &node.value {
        Value::Map(entries) => {
            let mut members: Vec<String> = entries
                .iter()
                .map(|entry| format!("{:?}:{}", entry.key, sorted_json(&entry.node)))
                .collect();
            members.sort();
            format!("{{{}}}", members.join(","))
        }
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(sorted_json).collect();
            format!("[{}]", items.join(","))
        }
        _ => node.to_json(),
    }
}

/// Replaces times and identifiers, which the recordings do not have either.
fn without_times(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let shapes =
            [("dddd-dd-ddTdd:dd:ddZ", "{time}"), ("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", "{uid}")];
        let found = shapes.iter().find(|(shape, _)| has_shape(rest, shape));
        let (written, length) = found
            .map_or((char.to_string(), char.len_utf8()), |(shape, name)| {
                ((*name).to_owned(), shape.len())
            });
        out.push_str(&written);
        rest = &rest[length..];
    }
    out
}

fn has_shape(text: &str, shape: &str) -> bool {
    text.len() >= shape.len()
        && text.bytes().zip(shape.bytes()).all(|(byte, shape)| match shape {
            b'd' => byte.is_ascii_digit(),
            b'x' => byte.is_ascii_hexdigit(),
            other => byte == other,
        })
}

/// Sorts the errors of a message, because their order is not defined.
fn sorted_errors(message: &str) -> String {
    match message.split_once(" is invalid: [") {
        Some((head, list)) => {
            let list = list.strip_suffix(']').unwrap_or(list);
            let mut errors: Vec<&str> = list.split(", ").collect();
            errors.sort_unstable();
            format!("{head} is invalid: [{}]", errors.join(", "))
        }
        None => message.to_owned(),
    }
}
