//! Empty values in random fields: an accepted write is stored as Go's types decode it, or changes nothing.

use crate::client::{Client, text};
use crate::objects::{JOB_TEMPLATE, SAMPLES, Sample, TEMPLATE, WITHOUT_SAMPLE};
use crate::server::Server;
use hyper::Method;
use ratchet_object::schema::{self, Shape, TypeRow};
use ratchet_object::{Limits, Node, Value, canonicalize, decode, defaults, prune};
use serde_json::json;
use std::collections::BTreeMap;

/// Number of changes of each object.
const EDITS: usize = 40;

/// Fields that only the server sets, besides metadata.
const NOT_OURS: [&str; 4] = ["apiVersion", "kind", "metadata", "status"];

/// Number of times a fault in the status must be seen: between two reads a controller may have written it.
const TRIES: usize = 3;

#[derive(Clone, Copy)]
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        // xorshift64, whose state is never zero.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 20) % u64::try_from(end.max(1)).unwrap()).unwrap()
    }

    /// An empty value of a shape, or none.
    fn empty(&mut self, shape: &Shape) -> Node<'static> {
        if self.below(4) == 0 {
            return Node::new(Value::Null);
        }
        match shape {
            Shape::Object(_) | Shape::Any | Shape::OneOf(_) => Node::empty_map(),
            Shape::Map(inner) if self.below(2) == 0 => Node::map([("e", self.empty(inner))]),
            Shape::Map(_) => Node::empty_map(),
            Shape::List(inner) if self.below(3) == 0 => Node::list(vec![self.empty(inner)]),
            Shape::List(_) => Node::list(Vec::new()),
            Shape::String | Shape::Bytes => Node::string(""),
            Shape::Bool => Node::bool(false),
            Shape::Quantity => Node::string("0"),
            Shape::Int32 | Shape::Int64 | Shape::Float | Shape::IntOrString => Node::int(0),
            Shape::Time | Shape::MicroTime => Node::new(Value::Null),
        }
    }

    /// Empties or removes a field somewhere in an object; returns whether there was one.
    fn edit(&mut self, node: &mut Node<'static>, row: &'static TypeRow) -> bool {
        let Some(field) = row.fields.get(self.below(row.fields.len())) else { return false };
        let goes_down = self.below(5) != 0;
        let member = node.get_mut(field.name).filter(|member| goes_down && !member.is_null());
        match (member, field.shape) {
            (Some(member), Shape::Object(place)) => self.edit(member, schema::type_of(place)),
            (Some(member), Shape::List(&Shape::Object(place))) => {
                let length = member.items().len();
                let at = self.below(length);
                let item = member.items_mut().and_then(|items| items.get_mut(at));
                item.is_some_and(|item| self.edit(item, schema::type_of(place)))
            }
            _ if NOT_OURS.contains(&field.name) => false,
            _ => {
                let value = self.empty(&field.shape);
                match self.below(4) {
                    0 => drop(node.remove(field.name)),
                    _ => node.set(field.name, value),
                }
                true
            }
        }
    }
}

fn tree(text: &str) -> Node<'static> {
    decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
}

/// An object as Go's types decode it, with defaults.
fn decode_typed(node: &Node<'static>, api_version: &str, kind: &str) -> Node<'static> {
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let ty = schema::kind(group, version, kind).unwrap().ty;
    let mut node = node.clone();
    prune(&mut node, ty);
    defaults::apply(group, version, kind, &mut node);
    canonicalize(&mut node, ty);
    node
}

/// The fields of an object that its writer sets.
fn own(node: &Node<'static>) -> Node<'static> {
    let mut own = node.clone();
    for name in NOT_OURS {
        own.remove(name);
    }
    for name in ["labels", "annotations", "finalizers", "ownerReferences"] {
        if let Some(value) = node.find(&["metadata", name]) {
            own.set(name, value.clone());
        }
    }
    own
}

async fn got(client: &Client, path: &str) -> (Node<'static>, u64) {
    let answer = client.get(path).await;
    (tree(answer.text()), answer.version())
}

/// The collections of all kinds that can be updated, by version and kind.
async fn collections(client: &Client, namespace: &str) -> BTreeMap<(String, String), String> {
    let mut roots = vec![("/api/v1".to_owned(), "v1".to_owned())];
    for group in client.get("/apis").await.json()["groups"].as_array().unwrap() {
        for version in group["versions"].as_array().unwrap() {
            let version = text(&version["groupVersion"]);
            roots.push((format!("/apis/{version}"), version));
        }
    }
    let mut all = BTreeMap::new();
    for (root, version) in roots {
        for resource in client.get(&root).await.json()["resources"].as_array().unwrap() {
            let plural = text(&resource["name"]);
            let verbs = resource["verbs"].as_array().unwrap();
            if plural.contains('/') || !verbs.contains(&json!("update")) {
                continue;
            }
            let scope = match resource["namespaced"] == true {
                true => format!("/namespaces/{namespace}"),
                false => String::new(),
            };
            let kind = text(&resource["kind"]);
            all.insert((version.clone(), kind), format!("{root}{scope}/{plural}"));
        }
    }
    all
}

/// How many of the changes of an object were accepted, and how many of those changed nothing; or what was wrong.
async fn edited(
    client: &Client,
    collection: &str,
    sample: &Sample,
    seed: u64,
) -> Result<(usize, usize), String> {
    let Sample { api_version, kind, name, .. } = sample;
    let namespace = collection.split('/').skip_while(|part| *part != "namespaces").nth(1);
    let body = sample.body.replace("TEMPLATE", TEMPLATE).replace("JOB", JOB_TEMPLATE);
    let body = body.replace("NAMESPACE", namespace.unwrap_or_default());
    let made = tree(&format!("{{metadata: {{name: {name}, labels: {{l: ''}}}}, {body}}}"));
    let json = [("content-type", "application/json")];
    let answer = client.send(Method::POST, collection, &json, made.to_json()).await;
    if answer.code != 201 {
        return Err(format!("{kind}: {}", answer.text()));
    }
    let path = format!("{collection}/{name}");
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let row = schema::type_of(schema::kind(group, version, kind).unwrap().ty);
    let mut random = Random(7919 + seed);
    let (mut edits, mut tries, mut accepted, mut unchanged) = (0, 0, 0, 0);
    while edits < EDITS {
        let (old, before) = got(client, &path).await;
        let mut sent = old.clone();
        let same_again = random;
        if !random.edit(&mut sent, row) {
            continue;
        }
        edits += 1;
        tries += 1;
        let answer = client.send(Method::PUT, &path, &json, sent.to_json()).await;
        let (stored, after) = got(client, &path).await;
        let is_accepted = answer.code == 200;
        let wanted = own(&decode_typed(&sent, api_version, kind));
        let fault = match is_accepted {
            false if stored != old || after != before => "was refused and stored",
            true if tree(answer.text()) != stored => "was stored otherwise than answered",
            true if !sample.is_prepared && own(&stored) != wanted => {
                "was stored otherwise than sent"
            }
            true if (after == before) != (stored == old) => {
                "is a new version of the same, or the same of another"
            }
            _ => {
                accepted += usize::from(is_accepted);
                unchanged += usize::from(is_accepted && after == before);
                tries = 0;
                continue;
            }
        };
        let expected = match (is_accepted, sample.is_prepared) {
            (true, false) => wanted,
            (true, true) => own(&tree(answer.text())),
            (false, _) => own(&old),
        };
        if tries < TRIES && own(&stored) == expected {
            random = same_again;
            edits -= 1;
            continue;
        }
        return Err(format!("{kind} {fault}: {sent}\n  before: {old}\n  stored: {stored}"));
    }
    Ok((accepted, unchanged))
}

#[tokio::test]
async fn an_accepted_write_is_stored_or_says_nothing() {
    // Of its own: some of the kinds are felt by everybody.
    let server = Server::start();
    let client = server.admin().await;
    let (namespace, _) = client.namespace().await;
    let mut collections = collections(&client, &namespace).await;
    let (mut accepted, mut unchanged, mut faults) = (0, 0, Vec::new());
    for (seed, sample) in (0..).zip(SAMPLES) {
        let key = (sample.api_version.to_owned(), sample.kind.to_owned());
        let collection = collections.remove(&key).unwrap_or_else(|| panic!("{key:?}"));
        match edited(&client, &collection, sample, seed).await {
            Ok((more_accepted, more_unchanged)) => {
                accepted += more_accepted;
                unchanged += more_unchanged;
            }
            Err(fault) => faults.push(fault),
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    for (api_version, kind, _) in WITHOUT_SAMPLE {
        collections.remove(&((*api_version).to_owned(), (*kind).to_owned()));
    }
    assert!(collections.is_empty(), "no sample of {:?}", collections.keys());
    let all = SAMPLES.len() * EDITS;
    assert!(accepted > all / 3, "{accepted} of {all} were accepted");
    assert!(unchanged > 0 && unchanged < accepted, "{unchanged} of {accepted} changed nothing");
}

#[tokio::test]
async fn an_empty_value_comes_and_goes_in_every_sort_of_patch() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    let path = format!("{maps}/a");
    let rows = [
        ("merge-patch", json!({"data": {"e": ""}}), json!({"data": {"e": null}})),
        ("strategic-merge-patch", json!({"data": {"e": ""}}), json!({"data": {"e": null}})),
        (
            "json-patch",
            json!([{"op": "add", "path": "/data/e", "value": ""}]),
            json!([{"op": "remove", "path": "/data/e"}]),
        ),
    ];
    for (sort, comes, goes) in rows {
        let sort = format!("application/{sort}+json");
        let headers = [("content-type", sort.as_str())];
        for (patch, wanted) in [(comes, json!({"a": "b", "e": ""})), (goes, json!({"a": "b"}))] {
            let before = client.get(&path).await.version();
            let answer = client.send(Method::PATCH, &path, &headers, patch.to_string()).await;
            assert_eq!(answer.json()["data"], wanted, "{sort}: {patch}");
            let now = client.get(&path).await;
            assert_eq!(now.json()["data"], wanted, "{sort}: {patch}");
            assert!(now.version() > before, "{sort}: {patch}");
        }
    }
}

#[tokio::test]
async fn bytes_that_are_none_are_refused_however_they_come() {
    let client = Server::shared().admin().await;
    let (space, _) = client.namespace().await;
    let all = format!("/api/v1/namespaces/{space}/secrets");
    let good = json!({"metadata": {"name": "a"}, "data": {"a": "YWJj"}});
    assert_eq!(client.post(&all, good.clone()).await.code, 201);
    let path = format!("{all}/a");
    let bad = json!({"metadata": {"name": "a"}, "data": {"a": "YWJjYW"}});
    let whole = "Secret in version \"v1\" cannot be handled as a Secret: illegal base64 data at input byte 4";
    assert_eq!(client.post(&all, bad.clone()).await.refusal(), (400, whole.into()));
    assert_eq!(client.put(&path, bad).await.refusal(), (400, whole.into()));
    let rows = [
        (
            "merge-patch",
            json!({"data": {"a": "YWJjYW"}}),
            "\": illegal base64 data at input byte 4",
        ),
        (
            "strategic-merge-patch",
            json!({"data": {"a": "YWJjYW"}}),
            "\": error decoding from json: illegal base64 data at input byte 4",
        ),
        (
            "json-patch",
            json!([{"op": "add", "path": "/data/a", "value": "YWJjYW"}]),
            "\": illegal base64 data at input byte 4",
        ),
    ];
    for (sort, patch, end) in rows {
        let sort = format!("application/{sort}+json");
        let headers = [("content-type", sort.as_str())];
        let answer = client.send(Method::PATCH, &path, &headers, patch.to_string()).await;
        let (code, message) = answer.refusal();
        assert!(code == 422 && message.ends_with(end), "{sort}: {code} {message}");
    }
    assert_eq!(client.get(&path).await.json()["data"], good["data"]);
}
