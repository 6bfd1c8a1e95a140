//! Tests of the Node authorizer: a node reads its own pods and what they use, only while they run there.

use crate::client::{Answer, Client};
use crate::server::Server;
use hyper::Method;
use serde_json::{Value, json};

/// Sends a request as a node.
async fn as_node(client: &Client, node: &str, method: Method, path: &str, body: Value) -> Answer {
    let user = format!("system:node:{node}");
    let headers = [
        ("impersonate-user", user.as_str()),
        ("impersonate-group", "system:nodes"),
        ("content-type", "application/json"),
    ];
    let body = if body.is_null() { String::new() } else { body.to_string() };
    client.send(method, path, &headers, body).await
}

async fn get(client: &Client, node: &str, path: &str) -> u16 {
    as_node(client, node, Method::GET, path, Value::Null).await.code
}

async fn make(client: &Client, path: &str, body: Value) {
    let made = client.post(path, body).await;
    assert_eq!(made.code, 201, "{path}: {}", made.text());
}

/// A namespace with a pod on a node, and everything that the pod uses.
struct World {
    folder: String,
    node: String,
    volume: String,
}

impl World {
    async fn make(client: &Client) -> Self {
        let (name, _) = client.namespace().await;
        let folder = format!("/api/v1/namespaces/{name}");
        let (node, volume) = (format!("node-{name}"), format!("volume-{name}"));
        for secret in ["used", "behind", "other"] {
            make(client, &format!("{folder}/secrets"), json!({"metadata": {"name": secret}})).await;
        }
        for map in ["used", "other"] {
            make(client, &format!("{folder}/configmaps"), json!({"metadata": {"name": map}})).await;
        }
        for account in ["used", "other"] {
            let object = json!({"metadata": {"name": account}});
            make(client, &format!("{folder}/serviceaccounts"), object).await;
        }
        let claim = json!({"metadata": {"name": "used"}, "spec": {"accessModes": ["ReadWriteOnce"], "volumeName": volume, "storageClassName": "", "resources": {"requests": {"storage": "1Gi"}}}});
        make(client, &format!("{folder}/persistentvolumeclaims"), claim).await;
        let object = json!({"metadata": {"name": volume}, "spec": {
            "accessModes": ["ReadWriteOnce"], "capacity": {"storage": "1Gi"},
            "claimRef": {"namespace": name, "name": "used"},
            "csi": {"driver": "disks.example.com", "volumeHandle": "1",
                "nodeStageSecretRef": {"namespace": name, "name": "behind"},
                "controllerPublishSecretRef": {"namespace": name, "name": "other"}}}});
        make(client, "/api/v1/persistentvolumes", object).await;
        let world = Self { folder, node, volume };
        world.make_pod(client, "web", &world.node).await;
        world
    }

    async fn make_pod(&self, client: &Client, name: &str, node: &str) {
        let pod = json!({"metadata": {"name": name}, "spec": {
            "nodeName": node, "serviceAccountName": "used",
            "containers": [{"name": "c", "image": "i", "envFrom": [{"configMapRef": {"name": "used"}}]}],
            "volumes": [{"name": "s", "secret": {"secretName": "used"}},
                {"name": "d", "persistentVolumeClaim": {"claimName": "used"}}]}});
        make(client, &format!("{}/pods", self.folder), pod).await;
    }

    /// The objects that the node may read because of the pod.
    fn used(&self) -> Vec<String> {
        let folder = &self.folder;
        vec![
            format!("{folder}/secrets/used"),
            format!("{folder}/secrets/behind"),
            format!("{folder}/configmaps/used"),
            format!("{folder}/persistentvolumeclaims/used"),
            format!("{folder}/serviceaccounts/used"),
            format!("/api/v1/persistentvolumes/{}", self.volume),
            format!("{folder}/secrets?fieldSelector=metadata.name%3Dused"),
            format!("{folder}/configmaps?fieldSelector=metadata.name%3Dused"),
        ]
    }
}

#[tokio::test]
async fn a_node_reads_what_its_pods_use_and_nothing_else() {
    let client = Server::shared().admin().await;
    let world = World::make(&client).await;
    let (folder, node) = (&world.folder, world.node.as_str());
    for path in world.used() {
        assert_eq!(get(&client, node, &path).await, 200, "{path}");
        assert_eq!(get(&client, "stranger", &path).await, 403, "{path}");
    }
    assert_eq!(get(&client, node, &format!("{folder}/pods/web")).await, 200);
    assert_eq!(get(&client, "stranger", &format!("{folder}/pods/web")).await, 403);
    for path in ["secrets/other", "secrets", "configmaps/other", "configmaps", "secrets/none"] {
        assert_eq!(get(&client, node, &format!("{folder}/{path}")).await, 403, "{path}");
    }
    let text = format!(
        "secrets \"other\" is forbidden: User \"system:node:{node}\" cannot get resource \"secrets\" in API group \"\" in the namespace \"{}\": no relationship found between node '{node}' and this object",
        folder.trim_start_matches("/api/v1/namespaces/")
    );
    let path = format!("{folder}/secrets/other");
    let refused = as_node(&client, node, Method::GET, &path, Value::Null).await;
    assert_eq!(refused.refusal(), (403, text));
    for (account, code) in [("used", 201), ("other", 403)] {
        let path = format!("{folder}/serviceaccounts/{account}/token");
        let answer = as_node(&client, node, Method::POST, &path, json!({"spec": {}})).await;
        assert_eq!(answer.code, code, "{account}: {}", answer.text());
    }
    // One term whose value looks like another selects the pods of all nodes.
    let all = "/api/v1/pods?fieldSelector=metadata.name!%3Dx%5C,spec.nodeName%5C%3D";
    assert_eq!(get(&client, node, &format!("{all}{node}")).await, 403);
    let own = format!("/api/v1/pods?fieldSelector=spec.nodeName%3D{node}");
    assert_eq!(get(&client, node, &own).await, 200);
    assert_eq!(get(&client, node, &own.replace("/pods", "/watch/pods")).await, 403);
}

#[tokio::test]
async fn rights_of_nodes_begin_and_end_with_their_pods() {
    let client = Server::shared().admin().await;
    let world = World::make(&client).await;
    let pods = format!("{}/pods", world.folder);
    let codes = |node: String| {
        let (client, used) = (client.clone(), world.used());
        async move {
            let mut codes = Vec::new();
            for path in used {
                codes.push(get(&client, &node, &path).await);
            }
            codes.dedup();
            codes
        }
    };
    let second = format!("{}-2", world.node);
    assert_eq!(codes(second.clone()).await, [403]);
    let unbound = json!({"metadata": {"name": "late"}, "spec": {
        "serviceAccountName": "used",
        "containers": [{"name": "c", "image": "i", "env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "used", "key": "a"}}}]}],
        "volumes": [{"name": "s", "projected": {"sources": [{"secret": {"name": "used"}}]}},
            {"name": "d", "persistentVolumeClaim": {"claimName": "used"}}]}});
    make(&client, &pods, unbound).await;
    assert_eq!(codes(second.clone()).await, [403], "it runs nowhere yet");
    let binding = json!({"metadata": {"name": "late"}, "target": {"kind": "Node", "name": second}});
    make(&client, &format!("{pods}/late/binding"), binding).await;
    assert_eq!(codes(second.clone()).await, [200], "at once");
    let now = [("content-type", "application/json")];
    let gone =
        client.send(Method::DELETE, &format!("{pods}/late?gracePeriodSeconds=0"), &now, "").await;
    assert_eq!(gone.code, 200, "{}", gone.text());
    assert_eq!(codes(second).await, [403], "at once");
    assert_eq!(codes(world.node.clone()).await, [200], "the other pod is still there");
    let volume = format!("/api/v1/persistentvolumes/{}", world.volume);
    let secret = format!("{}/secrets/behind", world.folder);
    assert_eq!(get(&client, &world.node, &secret).await, 200);
    let finalizers = json!({"metadata": {"finalizers": null}});
    client.patch(&volume, finalizers).await;
    client.delete(&volume).await;
    assert_eq!(get(&client, &world.node, &secret).await, 403, "no volume leads there");
}

#[tokio::test]
async fn a_server_that_starts_again_knows_what_belongs_to_nodes() {
    let first = Server::start();
    let client = first.admin().await;
    let world = World::make(&client).await;
    let again = first.start_again();
    let client = again.admin().await;
    for path in world.used() {
        assert_eq!(get(&client, &world.node, &path).await, 200, "{path}");
        assert_eq!(get(&client, "stranger", &path).await, 403, "{path}");
    }
}
