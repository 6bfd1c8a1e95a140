//! A small company's cluster, filled while the old gate was on: releases, applications, nodes, and what nobody owns.

use crate::harness::{Folder, Output, run_in};
use crate::kubelets::{Authority, Listener, Wanted};
use crate::server::{Server, free_port};
use serde_json::{Value, json};

/// Flags of a server that takes what old servers took.
const OLD: &[&str] = &[
    "--feature-gates=StrictIPCIDRValidation=false",
    "--behavior=released",
    "--controllers=",
    "--disable-admission-plugins=ServiceAccount",
];

/// Namespaces and the Pod Security level that each enforces, once it is filled.
const NAMESPACES: &[(&str, &str)] = &[
    ("build", ""),
    ("ingress", ""),
    ("legacy", ""),
    ("monitoring", "privileged"),
    ("payments", "restricted"),
    ("shop", "baseline"),
];

/// Annotations and labels by which tools say that an object is theirs.
const HELM: (&str, &str) = ("annotations", "meta.helm.sh/release-name");
const ARGO: (&str, &str) = ("labels", "argocd.argoproj.io/instance");
const FLUX: (&str, &str) = ("labels", "kustomize.toolkit.fluxcd.io/name");

/// A server, and listeners in place of its kubelets.
pub(crate) struct Cluster {
    pub(crate) folder: Folder,
    server: Server,
    listeners: Vec<Listener>,
}

impl Cluster {
    /// A server with everything below.
    pub(crate) fn filled() -> Self {
        Self::filled_on(free_port())
    }

    /// The same on a port.
    pub(crate) fn filled_on(port: u16) -> Self {
        let folder = Folder::with(&[]);
        let server = Server::start_on(port, &folder.path("data"), OLD);
        let authority = Authority::new("kubernetes");
        folder.write("ca.crt", &authority.pem);
        let listeners = KUBELETS.iter().map(|kubelet| kubelet.start(&authority)).collect();
        let cluster = Self { folder, server, listeners };
        cluster.fill();
        cluster
    }

    fn fill(&self) {
        for (name, _) in NAMESPACES {
            self.create(
                "/api/v1/namespaces",
                json!({"kind": "Namespace", "apiVersion": "v1", "metadata": {"name": name}}),
            );
        }
        for (owner, namespace, name, spec) in services() {
            self.add("Service", owner, namespace, name, spec);
        }
        for (owner, namespace, name, pod) in deployments() {
            let labels = json!({"app": name});
            let spec = json!({"selector": {"matchLabels": labels}, "template": {"metadata": {"labels": labels}, "spec": pod}});
            self.add("Deployment", owner, namespace, name, spec);
        }
        self.add(
            "NetworkPolicy",
            (HELM, "storefront"),
            "shop",
            "allow-warehouse",
            json!({"podSelector": {}, "ingress": [{"from": [{"ipBlock": {"cidr": "192.168.10.7/24"}}]}]}),
        );
        for (kubelet, listener) in KUBELETS.iter().zip(&self.listeners) {
            self.create("/api/v1/nodes", kubelet.node(listener.port));
        }
        for number in 0..40 {
            let spec = json!({"ports": [{"port": 80}]});
            self.add("Service", (ARGO, "backends"), "build", &format!("backend-{number}"), spec);
        }
        // Levels are enforced when the pods of old times are there.
        for (name, level) in NAMESPACES.iter().filter(|row| !row.1.is_empty()) {
            let label =
                json!({"metadata": {"labels": {"pod-security.kubernetes.io/enforce": level}}});
            let path = format!("/api/v1/namespaces/{name}");
            let headers = "Content-Type: application/merge-patch+json\r\n";
            let (code, body) =
                self.server.request_with_headers(headers, "PATCH", &path, &label.to_string());
            assert_eq!(code, 200, "{body}");
        }
    }

    /// Creates an object of somebody.
    fn add(&self, kind: &str, owner: Owner<'_>, namespace: &str, name: &str, spec: Value) {
        let (version, list) = match kind {
            "Service" => ("v1", format!("/api/v1/namespaces/{namespace}/services")),
            "Pod" => ("v1", format!("/api/v1/namespaces/{namespace}/pods")),
            "Deployment" => {
                ("apps/v1", format!("/apis/apps/v1/namespaces/{namespace}/deployments"))
            }
            _ => (
                "networking.k8s.io/v1",
                format!("/apis/networking.k8s.io/v1/namespaces/{namespace}/networkpolicies"),
            ),
        };
        let ((place, key), value) = owner;
        let metadata = json!({"name": name, place: {key: value}});
        let object =
            json!({"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec});
        self.create(&list, object);
    }

    /// Adds what tries to break out of a page, as far as a server takes it.
    pub(crate) fn add_hostile(&self) {
        let names = [
            "</script><script>window.pwned = 1</script>",
            "<img src=x onerror=\"window.pwned = 1\">",
            "\u{202e}gnp.exe\u{202c} ${window.pwned = 1}",
        ];
        for (number, owner) in names.into_iter().enumerate() {
            let spec = json!({"ports": [{"port": 80}], "externalIPs": ["192.0.2.09"]});
            self.add("Service", (HELM, owner), "legacy", &format!("hostile-{number}"), spec);
        }
        let pod = json!({"containers": [{"name": "c", "image": "x"}], "dnsConfig": {"nameservers": ["010.0.0.1"], "searches": ["_tcp.example"]}});
        self.add("Pod", (ARGO, "long"), "legacy", &"n".repeat(253), pod);
    }

    /// Lets a user list some resources of the core group, and nothing else.
    pub(crate) fn allow(&self, user: &str, resources: &[&str]) {
        let group = "rbac.authorization.k8s.io";
        let api_version = format!("{group}/v1");
        let role = json!({
            "apiVersion": api_version, "kind": "ClusterRole", "metadata": {"name": user},
            "rules": [{"apiGroups": [""], "resources": resources, "verbs": ["list"]}],
        });
        self.create(&format!("/apis/{group}/v1/clusterroles"), role);
        let binding = json!({
            "apiVersion": api_version, "kind": "ClusterRoleBinding", "metadata": {"name": user},
            "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": user},
            "subjects": [{"apiGroup": group, "kind": "User", "name": user}],
        });
        self.create(&format!("/apis/{group}/v1/clusterrolebindings"), binding);
    }

    fn create(&self, list: &str, object: Value) {
        let (code, body) = self.server.request("POST", list, &object.to_string());
        assert_eq!(code, 201, "{list} {object}: {body}");
    }

    /// Runs a command on the cluster.
    pub(crate) fn run(&self, command: &str, arguments: &[&str]) -> Output {
        let all = [&[command, "--kubeconfig", "data/kubeconfig"], arguments].concat();
        run_in(&self.folder.path(""), &all, b"", &[])
    }

    /// Audits it for two releases, with its kubelets.
    pub(crate) fn audit(&self, arguments: &[&str]) -> Output {
        let usual = [
            "--qps=0",
            "--target-version=1.35,1.36",
            "--kubelet-certs",
            "--kubelet-certificate-authority=ca.crt",
        ];
        self.run("audit", &[&usual[..], arguments].concat())
    }
}

/// Whose an object is: where a tool writes that, and the name.
type Owner<'o> = ((&'static str, &'static str), &'o str);
type Row = (Owner<'static>, &'static str, &'static str, Value);

fn services() -> Vec<Row> {
    let with = |field: &str, values: &[&str]| json!({"ports": [{"port": 80}], field: values});
    let ranges = |values: &[&str]| json!({"type": "LoadBalancer", "ports": [{"port": 443}], "loadBalancerSourceRanges": values});
    vec![
        (
            (HELM, "storefront"),
            "shop",
            "storefront",
            with("externalIPs", &["010.20.0.7", "203.0.113.007"]),
        ),
        ((ARGO, "payments"), "payments", "ledger", ranges(&["10.0.0.0/08"])),
        ((ARGO, "payments"), "payments", "vault", ranges(&["10.20.0.0/16"])),
        (
            (FLUX, "platform"),
            "ingress",
            "edge",
            with("externalIPs", &["10.20.0.7", "::ffff:198.51.100.4"]),
        ),
        ((FLUX, "platform"), "ingress", "internal", ranges(&["2001:DB8::/32"])),
        ((HELM, "prometheus"), "monitoring", "prometheus", with("externalIPs", &["198.51.100.20"])),
    ]
}

fn deployments() -> Vec<Row> {
    let app = json!([{"name": "app", "image": "app:1"}]);
    let host = json!([{"name": "app", "image": "app:1", "livenessProbe": {"httpGet": {"port": 80, "host": "10.0.0.9"}}}]);
    let safe = json!([{
        "name": "app", "image": "app:1",
        "securityContext": {"allowPrivilegeEscalation": false, "runAsNonRoot": true, "capabilities": {"drop": ["ALL"]}, "seccompProfile": {"type": "RuntimeDefault"}},
    }]);
    vec![
        (
            (HELM, "storefront"),
            "shop",
            "storefront",
            json!({"containers": app, "hostAliases": [{"ip": "010.20.0.7", "hostnames": ["old.example"]}]}),
        ),
        ((HELM, "storefront"), "shop", "search", json!({"containers": host})),
        (
            (ARGO, "payments"),
            "payments",
            "ledger",
            json!({"containers": safe, "dnsConfig": {"nameservers": ["10.96.0.010"], "searches": ["_ldap.example"]}}),
        ),
        ((ARGO, "payments"), "payments", "vault", json!({"containers": safe})),
        (
            (HELM, "prometheus"),
            "monitoring",
            "node-exporter",
            json!({"containers": app, "hostNetwork": true, "hostPID": true}),
        ),
        ((FLUX, "platform"), "ingress", "controller", json!({"containers": app})),
        (
            (ARGO, "backends"),
            "build",
            "runner",
            json!({"containers": safe, "hostAliases": [{"ip": "::FFFF:10.1.2.3", "hostnames": ["cache.example"]}]}),
        ),
    ]
}

/// A node with the certificate of its kubelet.
struct Kubelet {
    name: &'static str,
    cidr: &'static str,
    common_name: &'static str,
    /// Days from today to the ends of its validity.
    days: (i64, i64),
}

const KUBELETS: &[Kubelet] = &[
    Kubelet {
        name: "worker-1",
        cidr: "10.244.1.0/24",
        common_name: "system:node:worker-1",
        days: (-40, 325),
    },
    Kubelet {
        name: "worker-2",
        cidr: "10.244.2.0/24",
        common_name: "system:node:worker-2",
        days: (-350, 15),
    },
    Kubelet {
        name: "worker-3",
        cidr: "10.244.03.0/24",
        common_name: "system:node:worker-3",
        days: (-200, 165),
    },
    Kubelet {
        name: "worker-4",
        cidr: "10.244.4.0/24",
        common_name: "worker-4@1700000000",
        days: (-90, 275),
    },
    Kubelet {
        name: "gpu-1",
        cidr: "10.244.5.0/24",
        common_name: "system:node:gpu-1",
        days: (-380, -15),
    },
];

impl Kubelet {
    fn start(&self, authority: &Authority) -> Listener {
        let wanted = Wanted::named(self.common_name).of("system:nodes");
        Listener::presenting(authority, &wanted.valid(self.days.0, self.days.1))
    }

    fn node(&self, port: u16) -> Value {
        json!({
            "apiVersion": "v1", "kind": "Node", "metadata": {"name": self.name},
            "spec": {"podCIDR": self.cidr, "podCIDRs": [self.cidr]},
            "status": {
                "addresses": [{"type": "InternalIP", "address": "127.0.0.1"}],
                "daemonEndpoints": {"kubeletEndpoint": {"Port": port}},
            },
        })
    }
}
