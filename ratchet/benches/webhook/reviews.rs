//! `Mix`: reviews as a busy cluster sends them, with objects of the usual size and their `managedFields`.

use bytes::Bytes;
use serde_json::{Value, json};
use std::sync::Arc;

/// A review, ready to be sent.
pub(crate) struct Review {
    pub(crate) name: &'static str,
    pub(crate) body: Bytes,
    pub(crate) is_allowed: bool,
}

/// Reviews in the order in which they are sent.
#[derive(Clone)]
pub(crate) struct Mix(Arc<Vec<Arc<Review>>>);

/// A number, and what makes the review that comes so often.
type Share = (usize, fn() -> Review);

/// How often each comes in a round: pods and their status most of all, as the kubelets and controllers write them.
const SHARES: &[Share] = &[
    (6, pod_status),
    (4, pod),
    (4, endpoint_slice),
    (3, deployment),
    (2, service),
    (1, refused_service),
    (1, stored_service),
    (1, network_policy),
];

impl Mix {
    pub(crate) fn new() -> Self {
        let all: Vec<(usize, Arc<Review>)> =
            SHARES.iter().map(|(share, make)| (*share, Arc::new(make()))).collect();
        let most = all.iter().map(|(share, _)| *share).max().unwrap_or_default();
        // Interleaved, so that no kind comes in a row.
        let rounds = (0..most).flat_map(|round| {
            all.iter().filter(move |(share, _)| round < *share).map(|(_, review)| review.clone())
        });
        Self(Arc::new(rounds.collect()))
    }

    pub(crate) fn review(&self, number: usize) -> &Review {
        &self.0[number % self.0.len()]
    }

    /// A mix for each review alone.
    pub(crate) fn single(&self) -> Vec<(&'static str, Self)> {
        let alone = |(_, make): &(usize, fn() -> Review)| {
            let review = make();
            (review.name, Self(Arc::new(vec![Arc::new(review)])))
        };
        SHARES.iter().map(alone).collect()
    }

    /// How many there are, and how large.
    pub(crate) fn summary(&self) -> String {
        let bytes: usize = self.0.iter().map(|review| review.body.len()).sum();
        let largest = self.0.iter().map(|review| review.body.len()).max().unwrap_or_default();
        let (count, kilo) = (self.0.len(), 1000.0);
        let (mean, largest) = (bytes as f64 / count as f64 / kilo, largest as f64 / kilo);
        format!(
            "{} reviews in a round of {count}, {mean:.1} kB each, the largest {largest:.1} kB",
            SHARES.len()
        )
    }
}

/// Group, version, kind, resource and subresource of a request.
struct Target(&'static str, &'static str, &'static str, &'static str, &'static str);

fn review(
    name: &'static str,
    target: Target,
    user: &str,
    objects: (Value, Value),
    is_allowed: bool,
) -> Review {
    let Target(group, version, kind, resource, subresource) = target;
    let (object, old_object) = objects;
    let operation = if old_object.is_null() { "CREATE" } else { "UPDATE" };
    let kind = json!({"group": group, "version": version, "kind": kind});
    let resource = json!({"group": group, "version": version, "resource": resource});
    let mut request = json!({
        "uid": "705ab4f5-6393-11e8-b7cc-42010a800002", "kind": kind, "resource": resource,
        "requestKind": kind, "requestResource": resource, "operation": operation,
        "name": object["metadata"]["name"], "namespace": "shop", "object": object, "oldObject": old_object,
        "userInfo": {"username": user, "uid": "014fbff9a07c", "groups": ["system:authenticated", "developers"]},
        "options": {"apiVersion": "meta.k8s.io/v1", "kind": "UpdateOptions", "fieldManager": "kubectl-client-side-apply"},
        "dryRun": false,
    });
    if !subresource.is_empty() {
        request["subResource"] = json!(subresource);
        request["requestSubResource"] = json!(subresource);
    }
    let whole =
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request});
    Review { name, body: Bytes::from(whole.to_string()), is_allowed }
}

fn metadata(name: &str, fields: Value) -> Value {
    json!({
        "name": name, "namespace": "shop", "uid": "7f4ff5c9-64b1-4e0a-9d5e-2f6f6f9a2a33",
        "resourceVersion": "918273", "generation": 4, "creationTimestamp": "2026-03-01T12:00:00Z",
        "labels": {"app.kubernetes.io/name": "web", "app.kubernetes.io/instance": "web-eu", "pod-template-hash": "6d4b75cb6d"},
        "annotations": {"deployment.kubernetes.io/revision": "4", "checksum/config": "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"},
        "managedFields": [{"manager": "kube-controller-manager", "operation": "Update", "apiVersion": "v1",
            "time": "2026-03-01T12:00:00Z", "fieldsType": "FieldsV1", "fieldsV1": fields}],
    })
}

fn owned(name: &str) -> Value {
    let list = json!({".": {}, "f:image": {}, "f:imagePullPolicy": {}, "f:name": {}, "f:ports": {".": {}, "k:{\"containerPort\":8080,\"protocol\":\"TCP\"}": {".": {}, "f:containerPort": {}}}, "f:resources": {".": {}, "f:limits": {".": {}, "f:cpu": {}, "f:memory": {}}}, "f:terminationMessagePath": {}});
    json!({"f:metadata": {"f:labels": {".": {}, "f:app.kubernetes.io/name": {}}},
        "f:spec": {"f:containers": {format!("k:{{\"name\":\"{name}\"}}"): list}, "f:dnsPolicy": {}, "f:restartPolicy": {}}})
}

fn container(name: &str) -> Value {
    let env: Vec<Value> = (0..12)
        .map(|number| json!({"name": format!("SETTING_{number}"), "value": format!("https://backend-{number}.shop.svc/path")}))
        .collect();
    let probe = json!({"httpGet": {"path": "/healthz", "port": 8080, "scheme": "HTTP"}, "periodSeconds": 10, "timeoutSeconds": 1, "successThreshold": 1, "failureThreshold": 3});
    json!({
        "name": name, "image": format!("registry.example/shop/{name}:1.27.4"), "imagePullPolicy": "IfNotPresent",
        "ports": [{"containerPort": 8080, "name": "http", "protocol": "TCP"}], "env": env,
        "resources": {"limits": {"cpu": "1", "memory": "512Mi"}, "requests": {"cpu": "100m", "memory": "128Mi"}},
        "livenessProbe": probe, "readinessProbe": probe,
        "volumeMounts": [{"mountPath": "/etc/web", "name": "config"}, {"mountPath": "/var/run/secrets/kubernetes.io/serviceaccount", "name": "kube-api-access-x7k2p", "readOnly": true}],
        "securityContext": {"allowPrivilegeEscalation": false, "capabilities": {"drop": ["ALL"]}, "runAsNonRoot": true, "seccompProfile": {"type": "RuntimeDefault"}},
        "terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File",
    })
}

fn pod_spec() -> Value {
    json!({
        "containers": [container("web"), container("sidecar")], "restartPolicy": "Always", "dnsPolicy": "ClusterFirst",
        "dnsConfig": {"nameservers": ["10.96.0.10"], "searches": ["shop.svc.cluster.local"]},
        "hostAliases": [{"ip": "192.0.2.7", "hostnames": ["db.shop.example"]}],
        "serviceAccountName": "web", "schedulerName": "default-scheduler", "terminationGracePeriodSeconds": 30,
        "securityContext": {}, "nodeName": "node-17",
        "tolerations": [{"effect": "NoExecute", "key": "node.kubernetes.io/not-ready", "operator": "Exists", "tolerationSeconds": 300}],
        "volumes": [{"name": "config", "configMap": {"name": "web", "defaultMode": 420}}, {"name": "kube-api-access-x7k2p", "projected": {"defaultMode": 420, "sources": [{"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}}]}}],
    })
}

const POD: Target = Target("", "v1", "Pod", "pods", "");

fn pod() -> Review {
    let object = json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata("web-6d4b75cb6d-8xkqz", owned("web")), "spec": pod_spec()});
    let user = "system:serviceaccount:kube-system:replicaset-controller";
    review("a pod is created", POD, user, (object, Value::Null), true)
}

fn pod_status() -> Review {
    let status = |address: &str| {
        json!({"phase": "Running", "hostIP": "10.1.0.17", "hostIPs": [{"ip": "10.1.0.17"}], "podIP": address, "podIPs": [{"ip": address}],
            "conditions": [{"type": "Ready", "status": "True", "lastProbeTime": null, "lastTransitionTime": "2026-03-01T12:00:30Z"}],
            "containerStatuses": [{"name": "web", "image": "registry.example/shop/web:1.27.4", "imageID": "registry.example/shop/web@sha256:0f0f", "containerID": "containerd://9b1f", "ready": true, "started": true, "restartCount": 0, "state": {"running": {"startedAt": "2026-03-01T12:00:20Z"}}, "lastState": {}}],
            "qosClass": "Burstable", "startTime": "2026-03-01T12:00:00Z"})
    };
    let object = |address: &str| json!({"apiVersion": "v1", "kind": "Pod", "metadata": metadata("web-6d4b75cb6d-8xkqz", owned("web")), "spec": pod_spec(), "status": status(address)});
    let target = Target("", "v1", "Pod", "pods", "status");
    review(
        "the status of a pod",
        target,
        "system:node:node-17",
        (object("10.2.3.5"), object("10.2.3.4")),
        true,
    )
}

fn endpoint_slice() -> Review {
    let object = |count: usize| {
        let endpoints: Vec<Value> = (0..count)
            .map(|number| json!({"addresses": [format!("10.2.{}.{}", number / 250, number % 250 + 1)], "conditions": {"ready": true, "serving": true, "terminating": false}, "nodeName": format!("node-{}", number % 20),
                "targetRef": {"kind": "Pod", "name": format!("web-6d4b75cb6d-{number:05}"), "namespace": "shop", "uid": "2f6f6f9a-64b1-4e0a-9d5e-7f4ff5c92a33"}}))
            .collect();
        json!({"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "metadata": metadata("web-x2k4p", json!({"f:endpoints": {}})), "addressType": "IPv4", "endpoints": endpoints, "ports": [{"name": "http", "port": 8080, "protocol": "TCP"}]})
    };
    let target = Target("discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", "");
    let user = "system:serviceaccount:kube-system:endpointslice-controller";
    review("50 endpoints of a slice", target, user, (object(50), object(49)), true)
}

fn deployment() -> Review {
    let object = |replicas: u32| {
        json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata("web", owned("web")),
            "spec": {"replicas": replicas, "selector": {"matchLabels": {"app.kubernetes.io/name": "web"}}, "template": {"metadata": {"labels": {"app.kubernetes.io/name": "web"}}, "spec": pod_spec()}},
            "status": {"replicas": replicas, "readyReplicas": replicas, "observedGeneration": 4}})
    };
    let target = Target("apps", "v1", "Deployment", "deployments", "");
    review("a deployment is scaled", target, "ann", (object(5), object(3)), true)
}

fn service_object(address: &str, port: u16) -> Value {
    json!({"apiVersion": "v1", "kind": "Service", "metadata": metadata("web", json!({"f:spec": {"f:externalIPs": {}, "f:ports": {}}})),
        "spec": {"type": "ClusterIP", "clusterIP": "10.96.4.7", "clusterIPs": ["10.96.4.7"], "ipFamilies": ["IPv4"], "ipFamilyPolicy": "SingleStack", "internalTrafficPolicy": "Cluster", "sessionAffinity": "None",
            "externalIPs": [address], "selector": {"app.kubernetes.io/name": "web"}, "ports": [{"name": "http", "port": port, "targetPort": 8080, "protocol": "TCP"}]},
        "status": {"loadBalancer": {}}})
}

const SERVICE: Target = Target("", "v1", "Service", "services", "");

fn service() -> Review {
    let objects = (service_object("203.0.113.9", 80), Value::Null);
    review("a Service is created", SERVICE, "ann", objects, true)
}

fn refused_service() -> Review {
    let objects = (service_object("203.0.113.010", 80), Value::Null);
    review("a Service is refused", SERVICE, "ann", objects, false)
}

fn stored_service() -> Review {
    let objects = (service_object("203.0.113.010", 8080), service_object("203.0.113.010", 80));
    review("a Service with a stored bad address is updated", SERVICE, "ann", objects, true)
}

fn network_policy() -> Review {
    let from: Vec<Value> = (0..20).map(|number| json!({"ipBlock": {"cidr": format!("10.{number}.0.0/16"), "except": [format!("10.{number}.1.0/24")]}})).collect();
    let object = json!({"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": metadata("web", json!({"f:spec": {"f:ingress": {}}})),
        "spec": {"podSelector": {}, "policyTypes": ["Ingress"], "ingress": [{"from": from, "ports": [{"port": 8080, "protocol": "TCP"}]}]}});
    let target = Target("networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", "");
    review("a network policy is created", target, "ann", (object, Value::Null), true)
}
