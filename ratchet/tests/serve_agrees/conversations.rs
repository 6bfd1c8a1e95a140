//! Every conversation in `conversations/`, replayed against one server.

use crate::client::Client;
use crate::conversation::{Names, hold};
use crate::pointer::json_of;
use crate::server::Ground;
use ratchet_engine::{ApiConfig, Behavior, Release};
use ratchet_object::{Limits, decode};
use serde_json::{Value as Json, json};
use std::path::Path;

/// The file of the kinds for which conversations are repeated.
const KINDS: &str = "kinds.yaml";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_server_answers_as_it_should() {
    let ground = Ground::new();
    let client = ground.open(ApiConfig::of(Release::REFERENCE, Behavior::Released)).await;
    let kinds = read(KINDS);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conversations");
    let files = std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().file_name());
    let mut files: Vec<String> = files.map(|name| name.into_string().unwrap()).collect();
    files.retain(|name| name.ends_with(".yaml") && name != KINDS);
    files.sort();
    let (mut written, mut held) = (0, 0);
    let mut wrong = Vec::new();
    for file in &files {
        for conversation in read(file) {
            written += 1;
            for (name, names) in casts(&conversation, &kinds) {
                held += 1;
                if let Err(why) = in_a_namespace(&conversation, &client, held, names).await {
                    wrong.push(format!("{file}, {}{name}: {why}", conversation["about"]));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {held} conversations:\n{}", wrong.len(), wrong.join("\n"));
    assert!(written >= 120, "only {written} conversations are written");
    assert!(held >= 300, "only {held} conversations were held");
}

/// The conversation as it is, or once for each kind.
fn casts(conversation: &Json, kinds: &[Json]) -> Vec<(String, Names)> {
    let each = match &conversation["each"] {
        Json::Null => return vec![(String::new(), Names::new())],
        each => each,
    };
    let kinds = kinds.iter().filter(|kind| match each {
        Json::Array(names) => names.contains(&kind["kind"]),
        other => other == "kind" || kind["has"].as_array().is_some_and(|has| has.contains(other)),
    });
    let casts: Vec<(String, Names)> = kinds
        .map(|kind| (format!(" ({})", kind["kind"]), kind.as_object().unwrap().clone()))
        .collect();
    assert!(!casts.is_empty(), "{} is about no kind", conversation["about"]);
    casts
}

async fn in_a_namespace(
    conversation: &Json,
    client: &Client,
    number: usize,
    mut names: Names,
) -> Result<(), String> {
    let namespace = format!("talk-{number}");
    let body = json!({"metadata": {"name": namespace}});
    let made = client.send("POST", "/api/v1/namespaces", &body).await;
    assert_eq!(made.code, 201, "{}", made.message());
    names.insert("ns".into(), json!(namespace));
    names.insert("id".into(), json!(number.to_string()));
    hold(conversation, client, names).await
}

/// The items of the list in a file.
fn read(file: &str) -> Vec<Json> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../conversations").join(file);
    let text = std::fs::read_to_string(path).unwrap();
    let decoded = decode(&text, Limits::DEFAULT).unwrap_or_else(|why| panic!("{file}: {why}"));
    assert!(
        decoded.repeated.is_empty(),
        "{file} says something twice: {:?}",
        decoded.repeated[0].path
    );
    let json = json_of(&decoded.documents[0]);
    json.as_array().unwrap_or_else(|| panic!("{file} is no list")).clone()
}
