//! A case of the engine as requests: stored objects, the request, and the expected answer.

use crate::client::{Answer, Client};
use crate::pointer::json_of;
use crate::server::Ground;
use ratchet_catalog::{GroupVersionKind, PRERELEASES, Prerelease, Resource};
use ratchet_engine::pod_security::{Configuration, Exemptions};
use ratchet_engine::{ApiConfig, Behavior, Change, Existing, Facts, Namespace, Part, Release};
use ratchet_engine::{Status, judge};
use ratchet_object::{Node, Object};
use serde_json::{Value as Json, json};

/// Cases that never reach the rules of a server: an identity is compared with what is stored, and a name is made out of its
/// beginning.
const SETTLED_BEFORE: [&str; 2] =
    ["RTC-API-002/refuses-another-uid.yaml", "RTC-API-012/refuses-a-bad-stem.yaml"];

/// Cases of manifests without fields that a server has filled in: a client of a server sends them back.
const OF_MANIFESTS: [&str; 1] = ["RTC-API-002/admits-a-manifest-that-leaves-defaults-out.yaml"];

/// A change, the rules in force and the world around it.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) node: Node<'static>,
    json: Json,
}

impl Case {
    pub(crate) fn new(name: String, node: Node<'static>) -> Self {
        let json = json_of(&node);
        Self { name, node, json }
    }

    /// Why the case cannot be sent to a server, if so.
    pub(crate) fn is_beyond(&self) -> Option<&'static str> {
        if !self.json["door"].is_null() {
            return Some("is about a text");
        }
        if SETTLED_BEFORE.contains(&self.name.as_str()) {
            return Some("is about what a server does before it asks the rules");
        }
        if OF_MANIFESTS.contains(&self.name.as_str()) {
            return Some("is about a manifest beside what is stored");
        }
        let release = self.json["policy"]["release"].as_str()?;
        // Who emulates a release keeps its own words; only gates that an old release still has say what the case is about.
        let is_emulated = release == "1.36" || !self.json["policy"]["gates"].is_null();
        (!is_emulated || release == "1.37").then_some("is about another release")
    }

    /// The configuration of the case as text.
    pub(crate) fn rules(&self) -> String {
        format!("{} {}", self.json["policy"], self.serving_gate())
    }

    /// The gate without which the kind is not served; empty if there is none.
    fn serving_gate(&self) -> String {
        let gate = prerelease(&self.json["new"]).and_then(|row| row.gate);
        gate.map(|gate| format!("{gate}=true")).unwrap_or_default()
    }

    /// The API configuration: an older release is emulated.
    pub(crate) fn policy(&self) -> ApiConfig {
        let config = &self.json["policy"];
        let text = |key: &str| config[key].as_str();
        let behavior = match text("behavior") {
            Some("proposal") => Behavior::Proposal,
            _ => Behavior::Released,
        };
        let mut policy = ApiConfig::of(Release::REFERENCE, behavior);
        if let Some(emulated) = text("emulated").or(text("release")) {
            policy.emulated = emulated.parse().unwrap();
            policy.gates = policy.gates.emulating(policy.emulated);
        }
        policy
            .gates
            .apply(&[self.serving_gate().as_str(), text("gates").unwrap_or_default()])
            .unwrap();
        policy.plugins.deny_external_ips = texts(&config["plugins"]) == ["DenyServiceExternalIPs"];
        let exemptions =
            Exemptions { namespaces: texts(&config["exempt"]), ..Exemptions::default() };
        policy.pod_security = Configuration { exemptions, ..Configuration::default() };
        policy
    }

    /// Whether the server's answer is what the case expects, and what the engine returns directly.
    pub(crate) async fn agrees(
        &self,
        ground: &Ground,
        lenient: &Client,
        judge: &Client,
    ) -> Result<(), String> {
        self.prepare(ground, lenient).await?;
        let answer = match self.json["old"].is_null() {
            true => judge.send("POST", &self.collection(), &self.json["new"]).await,
            false => self.update(judge).await?,
        };
        self.compare(&answer)
    }

    fn namespace(&self) -> &str {
        self.json["new"]["metadata"]["namespace"].as_str().unwrap_or("default")
    }

    fn collection(&self) -> String {
        collection(resource(&self.json["new"]).unwrap(), self.namespace())
    }

    fn path(&self) -> String {
        let name = self.json["new"]["metadata"]["name"].as_str().unwrap();
        // An invalid name is percent-encoded so that it reaches the server.
        format!("{}/{}", self.collection(), name.replace(' ', "%20"))
    }

    /// Stores the old object.
    async fn prepare(&self, ground: &Ground, lenient: &Client) -> Result<(), String> {
        let namespace = self.namespace();
        let whole = json!({"metadata": {"name": namespace}});
        lenient.send("POST", "/api/v1/namespaces", &whole).await;
        if !self.json["namespace"].is_null() {
            let path = format!("/api/v1/namespaces/{namespace}");
            let mut stored = lenient.get(&path).await.body;
            for (key, value) in self.json["namespace"].as_object().unwrap() {
                stored["metadata"]["labels"][key] = value.clone();
            }
            done(lenient.send("PUT", &path, &stored).await, "the namespace")?;
        }
        if self.json["old"].is_object() && !self.was_made(lenient).await {
            ground.keep(&self.key(), &self.as_written()).await;
        }
        let inside = self.json["new"]["metadata"]["name"].as_str().unwrap_or_default();
        for pod in self.json["existing"].as_array().into_iter().flatten() {
            let pods = collection(resource(pod).unwrap(), inside);
            done(lenient.send("POST", &pods, pod).await, "an existing pod")?;
        }
        Ok(())
    }

    /// Whether the old object can be created through the API.
    async fn was_made(&self, lenient: &Client) -> bool {
        let old = &self.json["old"];
        // No object can be created as terminating, and a Job gets a uid that no case can know.
        if !old["metadata"]["deletionTimestamp"].is_null() || old["kind"] == "Job" {
            return false;
        }
        let made = lenient.send("POST", &self.collection(), old).await;
        if !made.is_done() || !old["status"].is_object() {
            return made.is_done();
        }
        let mut stored = made.body;
        stored["status"] = changed(&stored["status"], &json!({}), &old["status"]);
        lenient.send("PUT", &format!("{}/status", self.path()), &stored).await.is_done()
    }

    /// The old object in its stored form, with defaults.
    fn as_written(&self) -> Json {
        let mut node = self.node.get("old").unwrap().clone();
        let row = resource(&self.json["old"]).unwrap();
        ratchet_object::defaults::apply(row.group, row.version, row.kind, &mut node);
        let mut old = json_of(&node);
        let metadata = old["metadata"].as_object_mut().unwrap();
        if row.namespaced {
            metadata.insert("namespace".into(), json!(self.namespace()));
        }
        metadata.entry("uid").or_insert(json!("5a1f0b9e-0000-4000-8000-000000000001"));
        metadata.entry("creationTimestamp").or_insert(json!("2026-01-01T00:00:00Z"));
        let fields = old.as_object_mut().unwrap();
        fields.retain(|key, _| !matches!(key.as_str(), "kind" | "apiVersion"));
        old
    }

    /// The object's key in the store.
    fn key(&self) -> String {
        let row = resource(&self.json["new"]).unwrap();
        let name = self.json["new"]["metadata"]["name"].as_str().unwrap();
        let folder = match row.group {
            "" => row.plural.to_owned(),
            group => format!("{}.{group}", row.plural),
        };
        match row.namespaced {
            true => format!("/registry/{folder}/{}/{name}", self.namespace()),
            false => format!("/registry/{folder}/{name}"),
        }
    }

    /// Updates the stored object with the changes of the case.
    async fn update(&self, judge: &Client) -> Result<Answer, String> {
        let (old, new) = (&self.json["old"], &self.json["new"]);
        let stored = done(judge.get(&self.path()).await, "reading")?.body;
        let part = self.json["part"].as_str();
        let path = part.map_or(self.path(), |part| format!("{}/{part}", self.path()));
        let body = match part {
            Some("scale") => json!({
                "apiVersion": "autoscaling/v1", "kind": "Scale",
                "metadata": {"name": new["metadata"]["name"], "namespace": self.namespace()},
                "spec": {"replicas": new["spec"]["replicas"]},
            }),
            _ => changed(&stored, old, new),
        };
        Ok(judge.send("PUT", &path, &body).await)
    }

    fn compare(&self, answer: &Answer) -> Result<(), String> {
        let want = &self.json["want"];
        let message = if answer.is_done() { "" } else { answer.message() };
        if message != want["status"].as_str().unwrap_or_default() {
            return Err(format!("the server says {} {message:?}", answer.code));
        }
        let warnings = texts(&want["warnings"]);
        if answer.warnings != warnings {
            return Err(format!("the server warns {:?}", answer.warnings));
        }
        let Some(status) = self.verdict() else { return Ok(()) };
        let causes: Vec<Json> = status.causes.iter().map(|cause| json!({"reason": cause.reason, "message": cause.message, "field": cause.field})).collect();
        let actual = &answer.body;
        let causes = if causes.is_empty() { Json::Null } else { Json::Array(causes) };
        let pairs = [
            (json!(answer.code), json!(status.code)),
            (actual["reason"].clone(), json!(status.reason)),
            (actual["details"]["causes"].clone(), causes),
            (actual["details"]["kind"].clone(), json!(status.kind)),
            (actual["details"]["name"].as_str().unwrap_or_default().into(), json!(status.name)),
        ];
        match pairs.iter().find(|(actual, wanted)| actual != wanted) {
            None => Ok(()),
            Some((actual, wanted)) => Err(format!("the server says {actual}, the engine {wanted}")),
        }
    }

    /// The engine's verdict.
    fn verdict(&self) -> Option<Status> {
        let object = |key: &str| self.node.get(key).cloned().map(Object::new);
        let new = object("new").unwrap();
        let old = object("old");
        let existing: Vec<Object<'_>> = self
            .node
            .get("existing")
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .cloned()
            .map(Object::new)
            .collect();
        let mut change = match &old {
            None => Change::create(&new),
            Some(old) => Change::update(old, &new),
        }
        .unwrap();
        if let Some(part) = self.json["part"].as_str() {
            // Kinds that no rule names have a status without a row.
            change = change.through(match part {
                "status" => Part::STATUS,
                part => {
                    let kind = new.kind().unwrap();
                    Part::Sub(kind.subresources.iter().find(|name| **name == part).unwrap())
                }
            });
        }
        let facts = Facts {
            namespace: Namespace::Labels(self.node.get("namespace")),
            requester: None,
            existing_pods: Existing::Pods {
                pods: existing.iter().collect(),
                budget: ratchet_engine::EXISTING_PODS_BUDGET,
            },
        };
        Status::of(&judge(&change, &facts, &self.policy()), &change)
    }
}

/// The served resource of an object's kind, if there is one.
fn resource(object: &Json) -> Option<&'static Resource<'static>> {
    let api_version = object["apiVersion"].as_str().unwrap();
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let kind = object["kind"].as_str().unwrap();
    let stable = ratchet_catalog::of_kind(group, version, kind);
    stable.or_else(|| prerelease(object).map(|row| &row.resource))
}

/// The row of a kind in a version that is alpha or beta.
fn prerelease(object: &Json) -> Option<&'static Prerelease> {
    let api_version = object["apiVersion"].as_str()?;
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let gvk = GroupVersionKind { group, version, kind: object["kind"].as_str()? };
    PRERELEASES.iter().find(|row| row.resource.gvk() == gvk)
}

fn collection(row: &Resource<'_>, namespace: &str) -> String {
    let root = match row.group {
        "" => format!("/api/{}", row.version),
        group => format!("/apis/{group}/{}", row.version),
    };
    match row.namespaced {
        true => format!("{root}/namespaces/{namespace}/{}", row.plural),
        false => format!("{root}/{}", row.plural),
    }
}

fn done(answer: Answer, what: &str) -> Result<Answer, String> {
    match answer.is_done() {
        true => Ok(answer),
        false => Err(format!("{what}: {} {}", answer.code, answer.message())),
    }
}

fn texts(list: &Json) -> Vec<String> {
    let items = list.as_array().into_iter().flatten();
    items.map(|item| item.as_str().unwrap().to_owned()).collect()
}

/// The stored object with the changes from `old` to `new`.
fn changed(stored: &Json, old: &Json, new: &Json) -> Json {
    let (Json::Object(before), Json::Object(after)) = (old, new) else {
        return if old == new { stored.clone() } else { new.clone() };
    };
    let mut result = stored.as_object().cloned().unwrap_or_default();
    result.retain(|key, _| after.contains_key(key) || !before.contains_key(key));
    for (key, value) in after {
        let stored = stored.get(key).unwrap_or(&Json::Null);
        let old = before.get(key).unwrap_or(&Json::Null);
        if old != value {
            result.insert(key.clone(), changed(stored, old, value));
        }
    }
    Json::Object(result)
}
