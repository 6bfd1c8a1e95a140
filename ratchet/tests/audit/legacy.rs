//! Generated objects as old clusters have them: badly spelled addresses and networks in every kind that holds them.

use super::Cluster;
use serde_json::{Value, json};

/// A generated object: the path of its list, and what is stored.
pub(crate) struct Stored {
    pub(crate) list: String,
    pub(crate) object: Value,
}

impl Stored {
    pub(crate) fn name(&self) -> &str {
        self.object["metadata"]["name"].as_str().unwrap()
    }

    pub(crate) fn path(&self) -> String {
        format!("{}/{}", self.list, self.name())
    }

    pub(crate) fn kind(&self) -> &str {
        self.object["kind"].as_str().unwrap()
    }
}

/// Namespaces of generated objects; the second one will enforce a Pod Security level.
pub(crate) const NAMESPACES: [&str; 2] = ["legacy", "guarded"];

/// An address in one of several spellings, most of them bad.
fn address(number: usize) -> String {
    let (low, high) = (number % 200 + 1, number / 200 % 200 + 1);
    match number % 7 {
        0 => format!("010.{high}.0.{low}"),
        1 => format!("10.{high}.0.0{low}"),
        2 => format!("::ffff:10.{high}.0.{low}"),
        3 => format!("2001:DB8:0:{high:x}::{low:x}"),
        4 => format!("10.{high}.00.{low}"),
        5 => format!("2001:db8:{high:x}::{low:x}"),
        _ => format!("10.{high}.0.{low}"),
    }
}

/// A network in one of several spellings.
fn network(number: usize) -> String {
    let low = number % 200;
    match number % 6 {
        0 => format!("010.{low}.0.0/16"),
        1 => format!("10.{low}.0.5/16"),
        2 => format!("::ffff:10.{low}.0.0/112"),
        3 => format!("2001:DB8:{low:x}::/48"),
        4 => format!("10.{low}.0.0/016"),
        _ => format!("10.{low}.0.0/16"),
    }
}

fn pod_spec(number: usize, restart: &str) -> Value {
    let mut spec = json!({
        "containers": [{"name": "c", "image": "x"}],
        "restartPolicy": restart,
    });
    match number % 5 {
        0 => spec["dnsConfig"] = json!({"nameservers": [address(number)]}),
        1 => spec["hostAliases"] = json!([{"ip": address(number), "hostnames": ["a.example"]}]),
        2 => spec["dnsConfig"] = json!({"searches": ["_tcp.a_b.example", "."]}),
        3 => {
            spec["containers"][0]["livenessProbe"] =
                json!({"httpGet": {"port": 80, "host": format!("10.0.0.{}", number % 200 + 1)}});
        }
        _ => spec["hostNetwork"] = json!(true),
    }
    spec
}

fn template(number: usize, restart: &str) -> Value {
    json!({"metadata": {"labels": {"app": "x"}}, "spec": pod_spec(number, restart)})
}

/// The `number`th object.
fn generate(number: usize) -> Stored {
    let namespace = NAMESPACES[number / 3 % 2];
    let n = number / 16;
    let core = |plural: &str| format!("/api/v1/namespaces/{namespace}/{plural}");
    let of = |group: &str, plural: &str| format!("/apis/{group}/namespaces/{namespace}/{plural}");
    let selector = json!({"matchLabels": {"app": "x"}});
    let workload = |kind: &str| json!({"apiVersion": "apps/v1", "kind": kind, "spec": {"selector": selector, "template": template(n, "Always")}});
    let (list, mut object) = match number % 16 {
        0 => (
            core("services"),
            json!({"apiVersion": "v1", "kind": "Service", "spec": {"ports": [{"port": 80}], "externalIPs": [address(n)]}}),
        ),
        1 => (
            core("services"),
            json!({"apiVersion": "v1", "kind": "Service", "spec": {"type": "LoadBalancer", "ports": [{"port": 80}], "loadBalancerSourceRanges": [network(n)]}, "status": {"loadBalancer": {"ingress": [{"ip": address(n + 1)}]}}}),
        ),
        2 => (
            core("endpoints"),
            json!({"apiVersion": "v1", "kind": "Endpoints", "subsets": [{"addresses": [{"ip": address(n)}], "ports": [{"port": 80}]}]}),
        ),
        3 => {
            let ip = address(n);
            let family = if ip.contains(':') && !ip.contains("ffff") { "IPv6" } else { "IPv4" };
            let ip = if ip.contains("DB8") {
                ip.to_lowercase().replace(":0:", "::").replacen("::", ":", 1)
            } else {
                ip
            };
            let ip = if family == "IPv6" { "2001:db8::1".to_owned() } else { ip };
            (
                of("discovery.k8s.io/v1", "endpointslices"),
                json!({"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": family, "endpoints": [{"addresses": [ip]}], "ports": [{"name": "a", "port": 80, "protocol": "TCP"}]}),
            )
        }
        4 => (
            of("networking.k8s.io/v1", "networkpolicies"),
            json!({"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "spec": {"podSelector": {}, "ingress": [{"from": [{"ipBlock": {"cidr": network(n)}}]}]}}),
        ),
        5 => (
            of("networking.k8s.io/v1", "ingresses"),
            json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "spec": {"defaultBackend": {"service": {"name": "a", "port": {"number": 80}}}}, "status": {"loadBalancer": {"ingress": [{"ip": address(n)}]}}}),
        ),
        6 => (
            "/api/v1/nodes".to_owned(),
            json!({"apiVersion": "v1", "kind": "Node", "spec": {"podCIDR": network(n), "podCIDRs": [network(n)]}}),
        ),
        7 | 8 => (
            core("pods"),
            json!({"apiVersion": "v1", "kind": "Pod", "spec": pod_spec(n, "Always")}),
        ),
        9 => (
            core("pods"),
            json!({"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "c", "image": "x"}]}, "status": {"phase": "Running", "podIP": address(n), "podIPs": [{"ip": address(n)}], "hostIP": "10.0.0.1", "hostIPs": [{"ip": "10.0.0.1"}]}}),
        ),
        10 => (of("apps/v1", "deployments"), workload("Deployment")),
        11 => (of("apps/v1", "statefulsets"), {
            let mut object = workload("StatefulSet");
            object["spec"]["serviceName"] = json!("a");
            object
        }),
        12 => (of("apps/v1", "daemonsets"), workload("DaemonSet")),
        13 => (of("apps/v1", "replicasets"), workload("ReplicaSet")),
        14 => (
            of("batch/v1", "jobs"),
            json!({"apiVersion": "batch/v1", "kind": "Job", "spec": {"template": {"spec": pod_spec(n, "Never")}}}),
        ),
        _ => (
            of("batch/v1", "cronjobs"),
            json!({"apiVersion": "batch/v1", "kind": "CronJob", "spec": {"schedule": "0 0 * * *", "jobTemplate": {"spec": {"template": {"spec": pod_spec(n, "Never")}}}}}),
        ),
    };
    object["metadata"] = json!({"name": format!("o{number}")});
    if number % 4 == 1 {
        object["metadata"]["finalizers"] = json!(["example.com/hold"]);
    }
    Stored { list, object }
}

/// Fills a server with objects, and returns them as they are stored.
pub(crate) fn fill(cluster: &Cluster, count: usize) -> Vec<Stored> {
    for name in NAMESPACES {
        let namespace =
            json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
        cluster.create("/api/v1/namespaces", &namespace);
    }
    let mut all = Vec::new();
    for number in 0..count {
        let Stored { list, object } = generate(number);
        let mut stored = cluster.create(&list, &object);
        if object.get("status").is_some() {
            stored["status"] = object["status"].clone();
            let path = format!("{list}/o{number}/status");
            let (code, body) = cluster.server.request("PUT", &path, &stored.to_string());
            assert_eq!(code, 200, "{path}: {body}");
            stored = serde_json::from_str(&body).unwrap();
        }
        all.push(Stored { list, object: stored });
    }
    let label = json!({"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "baseline"}}});
    let headers = "Content-Type: application/merge-patch+json\r\n";
    let path = format!("/api/v1/namespaces/{}", NAMESPACES[1]);
    let (code, body) =
        cluster.server.request_with_headers(headers, "PATCH", &path, &label.to_string());
    assert_eq!(code, 200, "{body}");
    all
}
