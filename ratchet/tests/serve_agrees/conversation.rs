//! A conversation: requests in order, and the expected answer to each.

use crate::client::{Answer, Client};
use crate::pointer::{at, put};
use serde_json::{Map, Value as Json, json};

/// Valid keys of conversations, steps and answers, so that a misspelled key fails.
const KEYS: [&str; 3] = ["about", "each", "steps"];
const STEP_KEYS: [&str; 11] =
    ["ask", "query", "type", "accept", "body", "raw", "edit", "pad", "keep", "take", "want"];
const WANT_KEYS: [&str; 7] = ["code", "reason", "message", "causes", "warnings", "see", "unlike"];

/// Short names of content types.
const TYPES: [(&str, &str); 5] = [
    ("json", "application/json"),
    ("yaml", "application/yaml"),
    ("merge", "application/merge-patch+json"),
    ("strategic", "application/strategic-merge-patch+json"),
    ("json-patch", "application/json-patch+json"),
];

/// The default reason of a code.
const REASONS: [(u64, &str); 10] = [
    (400, "BadRequest"),
    (403, "Forbidden"),
    (404, "NotFound"),
    (405, "MethodNotAllowed"),
    (406, "NotAcceptable"),
    (409, "Conflict"),
    (413, "RequestEntityTooLarge"),
    (415, "UnsupportedMediaType"),
    (422, "Invalid"),
    (429, "TooManyRequests"),
];

/// Placeholders with their values: the namespace, parts of answers, names of a kind.
pub(crate) type Names = Map<String, Json>;

/// Replays a conversation; the error describes an unexpected answer.
pub(crate) async fn hold(
    conversation: &Json,
    client: &Client,
    mut names: Names,
) -> Result<(), String> {
    only(conversation, &KEYS)?;
    for (index, step) in conversation["steps"].as_array().ok_or("has no steps")?.iter().enumerate()
    {
        only(step, &STEP_KEYS)?;
        let step = filled(step, &names);
        let answer = send_step(&step, client).await?;
        compare(&step["want"], &answer).map_err(|why| {
            format!("step {}, {}: {why}", index + 1, step["ask"].as_str().unwrap_or_default())
        })?;
        if let Some(name) = step["keep"].as_str() {
            names.insert(name.into(), answer.body.clone());
        }
        for (name, pointer) in step["take"].as_object().into_iter().flatten() {
            names.insert(name.clone(), at(&answer.body, pointer.as_str().unwrap()));
        }
    }
    Ok(())
}

async fn send_step(step: &Json, client: &Client) -> Result<Answer, String> {
    let (method, path) =
        step["ask"].as_str().and_then(|line| line.split_once(' ')).ok_or("asks nothing")?;
    let mut path = path.to_owned();
    for (name, value) in step["query"].as_object().into_iter().flatten() {
        let sign = if path.contains('?') { '&' } else { '?' };
        path.push_str(&format!("{sign}{name}={}", escaped(value.as_str().unwrap())));
    }
    let mut headers = Vec::new();
    if let Some(accept) = step["accept"].as_str() {
        headers.push(("accept", accept));
    }
    let body = body(step)?;
    let media_type = step["type"].as_str().or(body.is_some().then_some("json"));
    if let Some(media_type) = media_type {
        let known = TYPES.iter().find(|(short, _)| *short == media_type);
        headers.push(("content-type", known.map_or(media_type, |(_, whole)| whole)));
    }
    Ok(client.request(method, &path, &headers, body.unwrap_or_default()).await)
}

fn body(step: &Json) -> Result<Option<String>, String> {
    if let Some(raw) = step["raw"].as_str() {
        return Ok(Some(raw.to_owned()));
    }
    let Some(body) = step.get("body") else { return Ok(None) };
    let mut body = body.clone();
    for (pointer, value) in step["edit"].as_object().into_iter().flatten() {
        put(&mut body, pointer, value.clone());
    }
    for (pointer, size) in step["pad"].as_object().into_iter().flatten() {
        let size = size.as_u64().and_then(|size| usize::try_from(size).ok()).ok_or("no size")?;
        put(&mut body, pointer, Json::String("x".repeat(size)));
    }
    Ok(Some(body.to_string()))
}

/// A query value, percent-encoded.
fn escaped(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' => out.push(byte.into()),
            other => out.push_str(&format!("%{other:02X}")),
        }
        out
    })
}

fn compare(want: &Json, answer: &Answer) -> Result<(), String> {
    let shorthand = json!({"code": want});
    let want = if want.is_number() { &shorthand } else { want };
    only(want, &WANT_KEYS)?;
    let mut pairs = vec![("code".to_owned(), json!(answer.code), want["code"].clone())];
    if !answer.is_done() || want.get("message").is_some() {
        pairs.push(("message".into(), json!(answer.message()), want["message"].clone()));
    }
    if !answer.is_done() && answer.body.is_object() {
        let reason = REASONS.iter().find(|(code, _)| want["code"] == *code);
        let reason = reason.map_or(Json::Null, |(_, reason)| json!(reason));
        let reason = want.get("reason").cloned().unwrap_or(reason);
        pairs.push(("reason".into(), answer.body["reason"].clone(), reason));
        pairs.push(("status".into(), answer.body["status"].clone(), json!("Failure")));
    }
    if let Some(causes) = causes(want) {
        let actual = at(&answer.body, "/details/causes");
        let fields = |cause: &Json| json!([cause["field"], cause["message"]]);
        let actual = actual.as_array().into_iter().flatten().map(fields).collect();
        pairs.push(("causes".into(), actual, causes));
    }
    let warnings = want.get("warnings").cloned().unwrap_or(json!([]));
    pairs.push(("warnings".into(), json!(answer.warnings), warnings));
    for (pointer, value) in want["see"].as_object().into_iter().flatten() {
        pairs.push((pointer.clone(), at(&answer.body, pointer), value.clone()));
    }
    for (pointer, value) in want["unlike"].as_object().into_iter().flatten() {
        if at(&answer.body, pointer) == *value {
            return Err(format!("{pointer} is {value} still"));
        }
    }
    match pairs.iter().find(|(_, actual, wanted)| actual != wanted) {
        None => Ok(()),
        Some((what, actual, wanted)) => {
            let message = answer.message();
            Err(format!(
                "{what}\n  wanted {wanted}\n  got    {actual}\n  with   {} {message}",
                answer.code
            ))
        }
    }
}

/// The expected causes as pairs of field and message: those given, or the one in the message.
fn causes(want: &Json) -> Option<Json> {
    if let Some(causes) = want.get("causes") {
        // Some kinds report a metadata error twice; duplicates are ignored.
        return Some(causes.clone()).filter(|causes| !causes.is_null());
    }
    let message = want["message"].as_str().filter(|_| want["code"] == 422)?;
    let (_, fault) = message.split_once("\" is invalid: ")?;
    let (field, text) = fault.split_once(": ").filter(|_| !fault.starts_with('['))?;
    let field = if field == "<nil>" { "" } else { field };
    Some(json!([[field, text]]))
}

/// A value with `{name}` replaced in all its texts; a text that is nothing but a name becomes the value itself.
fn filled(value: &Json, names: &Names) -> Json {
    match value {
        Json::String(text) => {
            let bare = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
            if let Some(named) = bare.and_then(|name| names.get(name)) {
                return filled(named, names);
            }
            Json::String(filled_text(text, names))
        }
        Json::Array(items) => items.iter().map(|item| filled(item, names)).collect(),
        Json::Object(fields) => fields
            .iter()
            .map(|(key, field)| (filled_text(key, names), filled(field, names)))
            .collect(),
        other => other.clone(),
    }
}

fn filled_text(text: &str, names: &Names) -> String {
    let mut text = text.to_owned();
    for (name, value) in names {
        let sign = format!("{{{name}}}");
        if text.contains(&sign) {
            let value =
                value.as_str().map_or_else(|| value.to_string(), |value| filled_text(value, names));
            text = text.replace(&sign, &value);
        }
    }
    text
}

/// Checks that an object has only known keys.
pub(crate) fn only(value: &Json, keys: &[&str]) -> Result<(), String> {
    match value.as_object().into_iter().flatten().find(|(key, _)| !keys.contains(&key.as_str())) {
        None => Ok(()),
        Some((key, _)) => Err(format!("{key} means nothing here")),
    }
}
