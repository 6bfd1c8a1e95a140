//! The ways kubelets get their serving certificates, recognized by the certificates' contents.

use crate::{Facts, NodeName};
use alloc::string::String;

/// A way in which kubelets get their serving certificates.
#[derive(Debug)]
pub struct Shape {
    /// The short and permanent name.
    pub id: &'static str,
    /// The heading of the shape in reports.
    pub title: &'static str,
    /// How it is recognized.
    pub recognised: &'static str,
    /// What it means for the validation of node names.
    pub meaning: &'static str,
    /// The steps to fix it; `<node>` stands for the node's name. Empty if there is nothing to do.
    pub fix: &'static [&'static str],
    is: fn(&Facts, &NodeName) -> bool,
}

impl Shape {
    /// The shape of a node's certificate: the first row that matches, and the last one matches all.
    pub fn of(facts: &Facts, node: &NodeName) -> &'static Self {
        SHAPES.iter().copied().find(|shape| (shape.is)(facts, node)).unwrap_or(&CUSTOM)
    }
}

impl PartialEq for Shape {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// All shapes; the first that matches a certificate is the right one.
pub static SHAPES: &[&Shape] = &[
    &NAMELESS,
    &SEVERAL_NAMES,
    &ANOTHER_NODE,
    &CSR_ISSUED,
    &NODE_NAMED,
    &SELF_GENERATED,
    &K3S,
    &RKE2,
    &HOST_NAMED,
    &CUSTOM,
];

/// The prefix of every kubelet's common name.
const PREFIX: &str = "system:node:";

/// The organization of nodes.
const NODES: &str = "system:nodes";

/// Makes a kubelet request its certificate from the cluster.
const BOOTSTRAP: &[&str] = &[
    "in the kubelet's configuration (/var/lib/kubelet/config.yaml) set `serverTLSBootstrap: true`, and remove `tlsCertFile` and `tlsPrivateKeyFile`",
    "with kubeadm, for all nodes: `kubectl -n kube-system edit configmap kubelet-config`, then on each node `kubeadm upgrade node phase kubelet-config`",
    "`systemctl restart kubelet`",
    "`kubectl get csr --field-selector spec.signerName=kubernetes.io/kubelet-serving`, and for each that you believe `kubectl certificate approve <name>`; an approver must go on doing so at every rotation",
];

/// Issues a certificate by hand. Nothing but the key is taken from the request: a node that lies in
/// it gets a certificate for its own name all the same, and none that can sign others.
const REISSUE: &[&str] = &[
    "on the node, where the key stays: `openssl req -new -key kubelet.key -subj \"/CN=<node>\" -out kubelet.csr`",
    EXTENSIONS,
    "where the authority is that --kubelet-certificate-authority names: `openssl x509 -req -in kubelet.csr -subj \"/O=system:nodes/CN=system:node:<node>\" -CA ca.crt -CAkey ca.key -CAcreateserial -extfile kubelet.ext -days 365 -out kubelet.crt` (OpenSSL 3; never with `-copy_extensions`, which lets the node ask for an authority of its own)",
    "name kubelet.crt and kubelet.key as `tlsCertFile` and `tlsPrivateKeyFile` in the kubelet's configuration, then `systemctl restart kubelet`",
    "or let the cluster sign: `serverTLSBootstrap: true` without these two files, and approve the request with `kubectl certificate approve <name>`",
];

/// The issuer's decisions: no CA, for servers only, and for these names.
const EXTENSIONS: &str = "with the names and addresses of the node from your own inventory, not from the request: `printf 'basicConstraints=critical,CA:FALSE\\nkeyUsage=critical,digitalSignature\\nextendedKeyUsage=serverAuth\\nsubjectAltName=DNS:<hostname>,IP:<address>\\n' >kubelet.ext`";

static NAMELESS: Shape = Shape {
    id: "nameless",
    title: "a certificate without a common name",
    recognised: "no common name, or only an empty one",
    meaning: "it has names in its subject alternative names only; enforcement does not look for the node there",
    fix: REISSUE,
    is: |facts, _| facts.common_names.iter().all(String::is_empty),
};

static SEVERAL_NAMES: Shape = Shape {
    id: "several-names",
    title: "a certificate with several common names",
    recognised: "more than one common name in the subject",
    meaning: "whom it speaks for depends on who reads it; enforcement takes no such certificate, whatever the names are",
    fix: REISSUE,
    is: |facts, _| facts.common_names.len() > 1,
};

static ANOTHER_NODE: Shape = Shape {
    id: "another-node",
    title: "the certificate of another node",
    recognised: "the common name is `system:node:` and another name than the node's",
    meaning: "this is what enforcement is there to stop: a machine that answers in another's place. Harmless causes are a cloned or renamed machine, an address that moved, a network translation in between",
    fix: &[
        "find out which machine answers at this address, and whether two Nodes report the same one: `kubectl get nodes -o wide`",
        "on a cloned or renamed machine remove /var/lib/kubelet/pki/kubelet-server-*.pem and `systemctl restart kubelet`, so that it asks for a certificate of its own; approve with `kubectl certificate approve <name>`",
        "if you cannot explain it, treat the machine as compromised: `kubectl cordon <node>`, and take it off the network",
    ],
    is: |facts, node| {
        facts.common_names.first().is_some_and(|name| {
            name.strip_prefix(PREFIX).is_some_and(|rest| !rest.is_empty() && rest != node.as_str())
        })
    },
};

static CSR_ISSUED: Shape = Shape {
    id: "csr-issued",
    title: "issued by the cluster on the kubelet's request",
    recognised: "the common name is `system:node:<node>`, the organisation `system:nodes`, and another is the issuer",
    meaning: "this is what enforcement wants; the kubelet renews it by itself when 70 to 90 % of its life is over, if its requests are approved",
    fix: &[],
    is: |facts, _| {
        is_node_named(facts)
            && !facts.is_self_issued
            && facts.organizations.iter().any(|name| name == NODES)
    },
};

static NODE_NAMED: Shape = Shape {
    id: "node-named",
    title: "made elsewhere, with the node's name",
    recognised: "the common name is `system:node:<node>`, but the organisation is not `system:nodes`, or it is its own issuer",
    meaning: "enforcement takes it; nobody renews it but whoever made it",
    fix: &[],
    is: |facts, _| is_node_named(facts),
};

static SELF_GENERATED: Shape = Shape {
    id: "self-generated",
    title: "made by the kubelet for itself",
    recognised: "the common name is `<host>@<time>`, the issuer `<host>-ca@<time>`",
    meaning: "the kubelet's default, and kubeadm's: no authority stands behind it, so the API server can only skip all verification, and enforcement refuses it",
    fix: BOOTSTRAP,
    is: |facts, _| {
        let host = facts.common_names.first().and_then(|name| stamped(name));
        let issuer = facts.issuer_common_names.first().and_then(|name| stamped(name));
        match (host, issuer) {
            (Some(host), Some(issuer)) => {
                issuer.strip_suffix("-ca") == Some(host) || issuer == host
            }
            _ => false,
        }
    },
};

static K3S: Shape = Shape {
    id: "k3s",
    title: "issued by a K3s server",
    recognised: "the issuer is `k3s-server-ca@<time>`",
    meaning: "K3s gives kubelets certificates with the bare node name; enforcement refuses them",
    fix: &[
        "K3s has no switch for the name: keep --enable-kubelet-cert-cn-validation off there, or give its kubelets certificates of your own",
        "on the node, where the key stays: `openssl req -new -key kubelet.key -subj \"/CN=<node>\" -out kubelet.csr`",
        EXTENSIONS,
        "on a server: `openssl x509 -req -in kubelet.csr -subj \"/O=system:nodes/CN=system:node:<node>\" -CA /var/lib/rancher/k3s/server/tls/server-ca.crt -CAkey /var/lib/rancher/k3s/server/tls/server-ca.key -CAcreateserial -extfile kubelet.ext -days 365 -out kubelet.crt` (OpenSSL 3)",
        "on the node, in /etc/rancher/k3s/config.yaml: `kubelet-arg: [\"tls-cert-file=/etc/rancher/k3s/kubelet.crt\", \"tls-private-key-file=/etc/rancher/k3s/kubelet.key\"]`, then `systemctl restart k3s` or `k3s-agent`; renew it yourself before it expires",
    ],
    is: |facts, _| is_issued_by(facts, "k3s-server-ca"),
};

static RKE2: Shape = Shape {
    id: "rke2",
    title: "issued by an RKE2 server",
    recognised: "the issuer is `rke2-server-ca@<time>`",
    meaning: "RKE2 gives kubelets certificates with the bare node name; enforcement refuses them",
    fix: &[
        "RKE2 has no switch for the name: keep --enable-kubelet-cert-cn-validation off there, or give its kubelets certificates of your own",
        "on the node, where the key stays: `openssl req -new -key kubelet.key -subj \"/CN=<node>\" -out kubelet.csr`",
        EXTENSIONS,
        "on a server: `openssl x509 -req -in kubelet.csr -subj \"/O=system:nodes/CN=system:node:<node>\" -CA /var/lib/rancher/rke2/server/tls/server-ca.crt -CAkey /var/lib/rancher/rke2/server/tls/server-ca.key -CAcreateserial -extfile kubelet.ext -days 365 -out kubelet.crt` (OpenSSL 3)",
        "on the node, in /etc/rancher/rke2/config.yaml: `kubelet-arg: [\"tls-cert-file=/etc/rancher/rke2/kubelet.crt\", \"tls-private-key-file=/etc/rancher/rke2/kubelet.key\"]`, then `systemctl restart rke2-server` or `rke2-agent`; renew it yourself before it expires",
    ],
    is: |facts, _| is_issued_by(facts, "rke2-server-ca"),
};

static HOST_NAMED: Shape = Shape {
    id: "host-named",
    title: "a certificate of your own with the host's name",
    recognised: "the common name is the node's name without `system:node:`, or one of the DNS names",
    meaning: "common for certificates from a company's authority; enforcement refuses them",
    fix: REISSUE,
    is: |facts, node| {
        facts.common_names.first().is_some_and(|name| {
            name == node.as_str()
                || facts
                    .dns_names
                    .iter()
                    .any(|name_in_certificate| name_in_certificate.eq_ignore_ascii_case(name))
        })
    },
};

static CUSTOM: Shape = Shape {
    id: "custom",
    title: "a certificate of your own",
    recognised: "none of the other shapes",
    meaning: "enforcement refuses it, for its common name is not the node's",
    fix: REISSUE,
    is: |_, _| true,
};

fn is_node_named(facts: &Facts) -> bool {
    facts
        .common_names
        .first()
        .is_some_and(|name| name.len() > PREFIX.len() && name.starts_with(PREFIX))
}

fn is_issued_by(facts: &Facts, authority: &str) -> bool {
    facts.issuer_common_names.first().and_then(|name| stamped(name)) == Some(authority)
}

/// `host` of `host@1700000000`, the naming scheme of client-go and K3s for generated certificates.
fn stamped(name: &str) -> Option<&str> {
    let (host, time) = name.rsplit_once('@')?;
    let is_time = !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit());
    (!host.is_empty() && is_time).then_some(host)
}

#[cfg(test)]
mod tests;
