//! The objects of a large cluster, as its owners wrote them.

use super::measurement::client::{Connection, Target};
use bytes::Bytes;
use hyper::Method;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const NAMESPACES: usize = 50;
const CONNECTIONS: usize = 32;

/// One object in so many has an address in an old spelling.
const OLD_SPELLINGS: usize = 50;

/// Creates namespaces and objects.
pub(crate) async fn fill(target: &Target, objects: usize) {
    let mut connection = target.connect().await;
    for number in 0..NAMESPACES {
        let namespace = json!({"metadata": {"name": format!("team-{number}")}});
        create(&mut connection, "/api/v1/namespaces", &namespace).await;
    }
    let next = Arc::new(AtomicUsize::new(0));
    let mut workers = tokio::task::JoinSet::new();
    for _ in 0..CONNECTIONS {
        let (next, target) = (Arc::clone(&next), target.clone());
        workers.spawn(async move {
            let mut connection = target.connect().await;
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= objects {
                    return;
                }
                let (path, object) = object(number);
                create(&mut connection, &path, &object).await;
            }
        });
    }
    while let Some(done) = workers.join_next().await {
        done.unwrap();
    }
}

async fn create(connection: &mut Connection, path: &str, object: &Value) {
    let body = Bytes::from(object.to_string());
    let (code, answer) = connection.request(&Method::POST, path, body).await;
    assert_eq!(code, 201, "POST {path}: {}", String::from_utf8_lossy(&answer));
}

/// The `number`th object and the path of its list.
fn object(number: usize) -> (String, Value) {
    let namespace = format!("team-{}", number % NAMESPACES);
    let zero = if number.is_multiple_of(OLD_SPELLINGS) { "0" } else { "" };
    let (high, low) = (number / 250 % 250, number % 250);
    let ip = format!("198.18.{zero}{high}.{low}");
    let path = |group: &str, plural: &str| format!("/{group}/namespaces/{namespace}/{plural}");
    let (path, mut object) = match number % 20 {
        0 | 1 => (
            path("api/v1", "services"),
            json!({"spec": {"clusterIP": "None", "selector": {"app": "web"}, "ports": [{"name": "http", "port": 80}], "externalIPs": [ip]}}),
        ),
        2 | 3 => (
            path("apis/discovery.k8s.io/v1", "endpointslices"),
            json!({"addressType": "IPv4", "endpoints": [{"addresses": [ip], "conditions": {"ready": true}}], "ports": [{"name": "http", "port": 80, "protocol": "TCP"}]}),
        ),
        4 => (
            path("apis/networking.k8s.io/v1", "networkpolicies"),
            json!({"spec": {"podSelector": {}, "ingress": [{"from": [{"ipBlock": {"cidr": format!("{ip}/32")}}]}]}}),
        ),
        5 => (path("apis/apps/v1", "deployments"), workload(&ip)),
        6 | 7 => (path("apis/apps/v1", "replicasets"), workload(&ip)),
        _ => (path("api/v1", "pods"), json!({"spec": pod_spec(&ip)})),
    };
    object["metadata"] = json!({
        "name": format!("object-{number}"),
        "labels": {"app": "web", "app.kubernetes.io/part-of": "shop", "app.kubernetes.io/managed-by": "Helm"},
        "annotations": {"meta.helm.sh/release-name": format!("release-{}", number % 200), "meta.helm.sh/release-namespace": namespace},
    });
    (path, object)
}

fn workload(ip: &str) -> Value {
    let labels = json!({"app": "web"});
    json!({"spec": {"replicas": 3, "selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod_spec(ip)}}})
}

fn pod_spec(ip: &str) -> Value {
    json!({
        "containers": [{
            "name": "main", "image": "registry.example/shop/web:1.4.2",
            "env": [{"name": "MODE", "value": "production"}, {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}}],
            "ports": [{"containerPort": 8080, "name": "http"}],
            "resources": {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"memory": "128Mi"}},
            "readinessProbe": {"httpGet": {"path": "/ready", "port": 8080}},
            "volumeMounts": [{"name": "scratch", "mountPath": "/tmp"}],
        }],
        "volumes": [{"name": "scratch", "emptyDir": {}}],
        "hostAliases": [{"ip": ip, "hostnames": ["cache.example"]}],
        "dnsConfig": {"nameservers": ["10.0.0.10"], "searches": ["shop.example"]},
    })
}
