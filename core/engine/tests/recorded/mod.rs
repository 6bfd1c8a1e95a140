//! Recorded conversations with a server: requests as changes, with the responses.

mod patch;

use ratchet_engine::{
    ApiConfig, Behavior, Change, EXISTING_PODS_BUDGET, Existing, Facts, Namespace, Part, Release,
    Status, judge, warning_headers,
};
use ratchet_object::{KINDS, Kind, Limits, Node, Object, decode};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;

pub(crate) const TOPICS: [&str; 5] =
    ["ip-cidr", "external-ips", "dns-search", "pod-security", "generic"];

/// Placeholders in the recordings for generated names, and their replacements.
const NAMES: [(&str, &str); 2] = [("{id}", "1a2b"), ("{ns}", "shop")];

/// The recordings below the folder that `RATCHET_ORACLE` names.
pub(crate) fn recordings() -> Vec<Recording> {
    let folder = std::env::var_os("RATCHET_ORACLE").expect("RATCHET_ORACLE is not set");
    let folder = PathBuf::from(folder);
    let inside = folder.join("cases");
    let folder = if inside.is_dir() { inside } else { folder };
    let mut all = Vec::new();
    for topic in TOPICS {
        let file = folder.join(format!("{topic}.jsonl"));
        let text = std::fs::read_to_string(&file)
            .unwrap_or_else(|why| panic!("no recordings at {}: {why}", file.display()));
        all.extend(text.lines().map(|line| {
            let line =
                NAMES.iter().fold(line.to_owned(), |line, (from, to)| line.replace(from, to));
            Recording(serde_json::from_str(&line).unwrap())
        }));
    }
    all
}

pub(crate) struct Recording(Value);

pub(crate) enum Outcome {
    Agrees,
    Skipped(&'static str),
    Differs(String),
}

impl Recording {
    pub(crate) fn id(&self) -> &str {
        self.0["id"].as_str().unwrap()
    }

    pub(crate) fn has_seed(&self) -> bool {
        self.0.get("expectSeed").is_some()
    }

    /// Judges every step; the stored objects follow the responses of the server, not our verdicts.
    pub(crate) fn replay(&self, behavior: Behavior) -> Vec<Outcome> {
        let answers = match behavior {
            Behavior::Released => &self.0["expect"],
            Behavior::Proposal => &self.0["expectSeed"],
        };
        let mut store = Store::new(&self.0["ns"]["labels"]);
        let steps = self.0["steps"].as_array().unwrap();
        steps
            .iter()
            .zip(answers.as_array().unwrap())
            .map(|(step, answer)| store.step(step, answer, behavior))
            .collect()
    }
}

/// Stored objects, by URL path.
struct Store {
    objects: BTreeMap<String, Value>,
    saved: BTreeMap<String, Value>,
    labels: Value,
}

struct Target {
    kind: &'static Kind<'static>,
    path: String,
    part: Part,
}

impl Store {
    fn new(labels: &Value) -> Self {
        let mut objects = BTreeMap::new();
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop", "labels": labels}});
        objects.insert("/api/v1/namespaces/shop".into(), namespace);
        Self { objects, saved: BTreeMap::new(), labels: labels.clone() }
    }

    fn step(&mut self, step: &Value, answer: &Value, behavior: Behavior) -> Outcome {
        let path = step["path"].as_str().unwrap();
        let method = step["method"].as_str().unwrap();
        if matches!(method, "GET" | "DELETE") {
            if let ("GET", Some(name)) = (method, step["keep"].as_str())
                && let Some(object) = self.objects.get(path)
            {
                self.saved.insert(name.into(), object.clone());
            }
            if method == "DELETE" {
                self.objects.remove(path);
            }
            return Outcome::Skipped("reads and deletions");
        }
        let Some(target) = target(method, path, step) else {
            return Outcome::Skipped("subresources that are no object (binding, eviction)");
        };
        let old = self.objects.get(&target.path).cloned();
        let Some(mut new) = self.proposed(step, old.as_ref()) else {
            return Outcome::Skipped("patches of what does not exist");
        };
        merge_stored(&mut new, old.as_ref(), target.part);
        let outcome =
            if new["metadata"]["generateName"].is_string() && new["metadata"]["name"].is_null() {
                Outcome::Skipped("objects that the server names")
            } else if is_from_engine(answer, behavior) {
                self.compare(&target, old.as_ref(), &new, step, answer, behavior)
            } else {
                Outcome::Skipped("answers of the store, the allocator or in untranslated words")
            };
        if answer["code"].as_u64().unwrap() < 300 && step["query"].get("dryRun").is_none() {
            if target.kind.name == "Namespace" {
                self.labels = new["metadata"]["labels"].clone();
            }
            apply_server_changes(&mut new);
            if let Some(name) = step["keep"].as_str() {
                self.saved.insert(name.into(), new.clone());
            }
            let name = new["metadata"]["name"].as_str().unwrap_or_default();
            let key =
                if method == "POST" { format!("{}/{name}", target.path) } else { target.path };
            self.objects.insert(key, new);
        }
        outcome
    }

    fn proposed(&self, step: &Value, old: Option<&Value>) -> Option<Value> {
        if let Some(base) = step["base"].as_str() {
            let mut object = self.saved.get(base)?.clone();
            for (pointer, value) in step["edit"].as_object().into_iter().flatten() {
                patch::set(&mut object, pointer, value.clone());
            }
            return Some(object);
        }
        let body = &step["body"];
        match step["contentType"].as_str() {
            Some("application/merge-patch+json") => {
                let mut object = old?.clone();
                patch::merge(&mut object, body);
                Some(object)
            }
            Some("application/strategic-merge-patch+json") => {
                let mut object = old?.clone();
                patch::strategic(&mut object, body, "");
                Some(object)
            }
            Some("application/json-patch+json") => patch::json_patch(old?.clone(), body),
            _ => Some(body.clone()),
        }
    }

    fn compare(
        &self,
        target: &Target,
        old: Option<&Value>,
        new: &Value,
        step: &Value,
        answer: &Value,
        behavior: Behavior,
    ) -> Outcome {
        let config = config(step["profile"].as_str().unwrap(), behavior);
        let tree = |value: &Value| Object::new(node(value));
        let (new, old) = (tree(new), old.map(tree));
        let change = match &old {
            Some(old) => Change::update(old, &new),
            None => Change::create(&new),
        };
        let Some(change) = change.map(|change| change.through(target.part)) else {
            return Outcome::Skipped("kinds without a row");
        };
        let labels = node(&self.labels);
        let pods: Vec<Object<'static>> = self
            .objects
            .values()
            .filter(|object| object["kind"] == "Pod")
            .map(|object| Object::new(node(object)))
            .collect();
        let facts = Facts {
            namespace: Namespace::Labels(Some(&labels)),
            requester: Some("admin"),
            existing_pods: Existing::Pods {
                pods: pods.iter().collect(),
                budget: EXISTING_PODS_BUDGET,
            },
        };
        let verdict = judge(&change, &facts, &config);
        let status = Status::of(&verdict, &change);
        let mut ours = Map::new();
        if let Some(status) = status {
            ours.insert("code".into(), status.code.into());
            ours.insert("message".into(), sorted_errors(&status.message).into());
            let mut causes: Vec<String> = status
                .causes
                .iter()
                .map(|cause| format!("{}|{}|{}", cause.field, cause.reason, cause.message))
                .collect();
            causes.sort();
            ours.insert("causes".into(), causes.into());
        }
        ours.insert("warnings".into(), warning_headers(&verdict).into());
        let theirs = expected_response(answer);
        if ours == theirs {
            Outcome::Agrees
        } else {
            Outcome::Differs(format!(
                "\n    ours   {}\n    theirs {}",
                Value::Object(ours),
                Value::Object(theirs)
            ))
        }
    }
}

fn node(value: &Value) -> Node<'static> {
    let text = value.to_string();
    let mut decoded = decode(&text, Limits::DEFAULT).unwrap();
    decoded.documents.remove(0).into_owned()
}

fn config(profile: &str, behavior: Behavior) -> ApiConfig {
    let mut config = ApiConfig::of(Release::REFERENCE, behavior);
    let gates = |config: &mut ApiConfig, text: &str| config.gates.apply(&[text]).unwrap();
    match profile {
        "strict" | "dns-relaxed" => {}
        "legacy" => gates(&mut config, "StrictIPCIDRValidation=false"),
        "deny-external-ips" => config.plugins.deny_external_ips = true,
        "dns-strict" => {
            let emulated = Release::new(33).unwrap();
            config.emulated = emulated;
            config.gates = config.gates.clone().emulating(emulated);
            gates(&mut config, "RelaxedDNSSearchValidation=false");
        }
        other => panic!("no such profile: {other}"),
    }
    config
}

/// The object that a request writes, and the subresource.
fn target(method: &str, path: &str, step: &Value) -> Option<Target> {
    let segments: Vec<&str> = path.trim_start_matches('/').split('/').collect();
    let after = if segments[0] == "api" { 2 } else { 3 };
    let group = if segments[0] == "api" { "" } else { segments[1] };
    let rest = &segments[after..];
    let rest = if rest[0] == "namespaces" && rest.len() > 2 { &rest[2..] } else { rest };
    let kind = KINDS.iter().find(|kind| kind.plural == rest[0] && kind.group == group)?;
    let expected = if method == "POST" { 1 } else { 2 };
    if method == "POST" && rest.len() > 1 {
        return None;
    }
    let (part, path) = match rest.get(expected) {
        None => (Part::Main, path.to_owned()),
        Some(sub) => {
            let sub = kind.subresources.iter().find(|name| *name == sub)?;
            (Part::Sub(sub), path.rsplit_once('/')?.0.to_owned())
        }
    };
    // A Scale is another kind; its change to the object is not recorded.
    if part == Part::Sub("scale") && step["body"]["kind"] == "Scale" {
        return None;
    }
    Some(Target { kind, path, part })
}

/// A write of the object keeps the stored status, a write of the status everything else.
fn merge_stored(new: &mut Value, old: Option<&Value>, part: Part) {
    let Some(object) = new.as_object_mut() else { return };
    let stored = |key: &str| old.and_then(|old| old.get(key)).cloned();
    match (part, old) {
        (Part::Main, None) => {
            object.remove("status");
        }
        (Part::Main, Some(_)) => {
            object.remove("status");
            object.extend(stored("status").map(|status| ("status".to_owned(), status)));
        }
        (Part::Sub("status"), Some(_)) => {
            object.extend(stored("spec").map(|spec| ("spec".to_owned(), spec)));
        }
        _ => {}
    }
}

/// Applies server-side changes: single fields that mirror lists, and the address of the allocator.
fn apply_server_changes(object: &mut Value) {
    if object["kind"] == "Service"
        && object["spec"]["type"] != "ExternalName"
        && object["spec"]["clusterIP"].is_null()
    {
        object["spec"]["clusterIP"] = json!("10.96.255.1");
    }
    if object["kind"] == "Service"
        && object["spec"]["clusterIPs"].is_null()
        && object["spec"]["clusterIP"].is_string()
    {
        object["spec"]["clusterIPs"] = json!([object["spec"]["clusterIP"]]);
    }
    if let Some(first) = object.pointer("/spec/podCIDRs/0").cloned() {
        object["spec"]["podCIDR"] = first;
    }
    for (list, single) in [("/status/podIPs/0/ip", "podIP"), ("/status/hostIPs/0/ip", "hostIP")] {
        if let Some(first) = object.pointer(list).cloned() {
            object["status"][single] = first;
        }
    }
}

/// Whether the engine is responsible for a response.
fn is_from_engine(answer: &Value, behavior: Behavior) -> bool {
    let message = answer["message"].as_str().unwrap_or_default();
    match answer["code"].as_u64().unwrap() {
        // A seed response with the released wording was not translated when it was recorded.
        403 if message.contains("is being terminated") => false,
        403 => behavior == Behavior::Released || !message.contains("probe or lifecycle host"),
        422 if behavior == Behavior::Proposal && contradicts_itself(message) => false,
        200 | 201 => true,
        422 => !NOT_FROM_ENGINE.iter().any(|text| message.contains(text)),
        _ => false,
    }
}

/// Whether an error about a search name quotes the released pattern although the name matches it: only the proposal
/// refuses labels that begin with an underscore, and the response was not translated when it was recorded.
fn contradicts_itself(message: &str) -> bool {
    let quoted = message.split_once("Invalid value: \"").and_then(|(_, rest)| rest.split_once('"'));
    quoted.is_some_and(|(name, rest)| {
        rest.contains("regex used for validation is '_?[a-z0-9]")
            && name.split('.').any(|label| label.starts_with('_'))
    })
}

/// Texts of errors from the allocator, the decoding of options and patches, or defaulting.
const NOT_FROM_ENGINE: [&str; 5] = [
    "failed to allocate IP",
    "Options.meta.k8s.io",
    " \"\" is invalid: patch:",
    "the server rejected our request",
    "\"Spec\":{\"Volumes\"",
];

/// Whether a warning comes from decoding, before the engine gets an object.
fn is_decoding_warning(warning: &Value) -> bool {
    let text = warning.as_str().unwrap_or_default();
    text.starts_with("unknown field") || text.starts_with("duplicate field")
}

fn expected_response(answer: &Value) -> Map<String, Value> {
    let mut theirs = Map::new();
    if answer["code"].as_u64().unwrap() >= 300 {
        theirs.insert("code".into(), answer["code"].clone());
        theirs.insert("message".into(), sorted_errors(answer["message"].as_str().unwrap()).into());
        let mut causes: Vec<String> = answer["causes"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|cause| {
                let text = |key: &str| cause[key].as_str().unwrap().to_owned();
                format!("{}|{}|{}", text("field"), text("reason"), text("message"))
            })
            .collect();
        causes.sort();
        theirs.insert("causes".into(), causes.into());
    }
    let warnings = answer["warnings"].as_array().cloned().unwrap_or_default();
    let of_engine: Vec<Value> =
        warnings.into_iter().filter(|warning| !is_decoding_warning(warning)).collect();
    theirs.insert("warnings".into(), of_engine.into());
    theirs
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
