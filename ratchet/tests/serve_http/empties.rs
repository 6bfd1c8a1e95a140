//! Empty values in random fields: an accepted write is stored as Go's types decode it, or changes nothing.

use crate::client::Client;
use crate::server::Server;
use hyper::Method;
use ratchet_object::schema::{self, Shape, TypeRow};
use ratchet_object::{Limits, Node, Value, canonicalize, decode, defaults, prune};
use serde_json::json;

const TEMPLATE: &str =
    "{metadata: {labels: {app: shop}}, spec: {containers: [{name: main, image: i}]}}";

/// Kinds with their collections and a valid object of each; `T` is a pod template.
const OBJECTS: &[(&str, &str, &str, &str)] = &[
    ("v1", "ConfigMap", "configmaps", "data: {a: b, c: ''}"),
    ("v1", "Secret", "secrets", "data: {a: YQ==, b: ''}"),
    ("v1", "ServiceAccount", "serviceaccounts", "imagePullSecrets: [{name: a}]"),
    ("v1", "PodTemplate", "podtemplates", "template: T"),
    (
        "v1",
        "ReplicationController",
        "replicationcontrollers",
        "spec: {selector: {app: shop}, template: T}",
    ),
    (
        "v1",
        "Endpoints",
        "endpoints",
        "subsets: [{addresses: [{ip: 192.0.2.7}], ports: [{port: 1}]}]",
    ),
    ("v1", "LimitRange", "limitranges", "spec: {limits: [{type: Container, max: {cpu: 1}}]}"),
    (
        "apps/v1",
        "Deployment",
        "deployments",
        "spec: {selector: {matchLabels: {app: shop}}, template: T}",
    ),
    (
        "apps/v1",
        "ReplicaSet",
        "replicasets",
        "spec: {selector: {matchLabels: {app: shop}}, template: T}",
    ),
    (
        "apps/v1",
        "StatefulSet",
        "statefulsets",
        "spec: {serviceName: s, selector: {matchLabels: {app: shop}}, template: T}",
    ),
    (
        "batch/v1",
        "CronJob",
        "cronjobs",
        "spec: {schedule: '* * * * *', jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}}}}",
    ),
    (
        "networking.k8s.io/v1",
        "NetworkPolicy",
        "networkpolicies",
        "spec: {podSelector: {}, ingress: [{from: [{podSelector: {}}]}]}",
    ),
    (
        "networking.k8s.io/v1",
        "Ingress",
        "ingresses",
        "spec: {defaultBackend: {service: {name: a, port: {number: 1}}}}",
    ),
    (
        "policy/v1",
        "PodDisruptionBudget",
        "poddisruptionbudgets",
        "spec: {minAvailable: 1, selector: {matchLabels: {a: ''}}}",
    ),
    (
        "rbac.authorization.k8s.io/v1",
        "Role",
        "roles",
        "rules: [{verbs: [get], apiGroups: [''], resources: [pods]}]",
    ),
    ("coordination.k8s.io/v1", "Lease", "leases", "spec: {holderIdentity: ''}"),
    (
        "discovery.k8s.io/v1",
        "EndpointSlice",
        "endpointslices",
        "addressType: IPv4, endpoints: [{addresses: [192.0.2.7]}], ports: [{name: ''}]",
    ),
    (
        "autoscaling/v2",
        "HorizontalPodAutoscaler",
        "horizontalpodautoscalers",
        "spec: {maxReplicas: 2, scaleTargetRef: {kind: Deployment, name: a, apiVersion: apps/v1}}",
    ),
];

/// Number of changes of each object.
const EDITS: usize = 60;

/// Fields that only the server sets, besides metadata.
const NOT_OURS: [&str; 4] = ["apiVersion", "kind", "metadata", "status"];

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
            Shape::Object(_) | Shape::Any => Node::empty_map(),
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

#[tokio::test]
async fn an_accepted_write_is_stored_or_says_nothing() {
    let client = Server::shared().admin().await;
    let (space, _) = client.namespace().await;
    let (mut accepted, mut unchanged) = (0, 0);
    for (index, (api_version, kind, plural, text)) in OBJECTS.iter().enumerate() {
        let prefix = if api_version.contains('/') { "apis" } else { "api" };
        let all = format!("/{prefix}/{api_version}/namespaces/{space}/{plural}");
        let text = text.replace(": T", &format!(": {TEMPLATE}"));
        let made = tree(&format!("{{metadata: {{name: it, labels: {{l: ''}}}}, {text}}}"));
        let json = [("content-type", "application/json")];
        let answer = client.send(Method::POST, &all, &json, made.to_json()).await;
        assert_eq!(answer.code, 201, "{kind}: {}", answer.text());
        let path = format!("{all}/it");
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        let row = schema::type_of(schema::kind(group, version, kind).unwrap().ty);
        let mut random = Random(7919 + u64::try_from(index).unwrap());
        let mut edits = 0;
        while edits < EDITS {
            let (old, before) = got(&client, &path).await;
            let mut sent = old.clone();
            if !random.edit(&mut sent, row) {
                continue;
            }
            edits += 1;
            let answer = client.send(Method::PUT, &path, &json, sent.to_json()).await;
            let (stored, after) = got(&client, &path).await;
            if answer.code != 200 {
                assert_eq!((&stored, after), (&old, before), "{kind}: refused and stored: {sent}");
                continue;
            }
            let wanted = own(&decode_typed(&sent, api_version, kind));
            assert_eq!(own(&stored), wanted, "{kind}: {sent}");
            assert_eq!(after == before, stored == old, "{kind}: {sent}");
            accepted += 1;
            unchanged += usize::from(after == before);
        }
    }
    let all = OBJECTS.len() * EDITS;
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
