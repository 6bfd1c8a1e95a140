//! The table of differences between `ratchet serve` and kube-apiserver besides the proposals.

use crate::docs::markdown::table;

pub(super) const ABOUT: &str = "\
## The server

Replays of the recorded conversations (`cargo xtask replay`) give the same answers as kube-apiserver v1.36.4: with
`--behavior released` all of them, with `--behavior proposal` all but those whose expectation is the release's own for a
case in which the proposal wants another: lists of stored and new addresses that are refused in full or let in, search
names for which the released pattern is quoted, and a `hostIP` of which nobody is warned. Beside what they show, these
differences are known.
";

/// Subject, behaviour of kube-apiserver, behaviour of this server, reason.
const ROWS: &[[&str; 4]] = &[
    [
        "`metadata.managedFields`",
        "says who set which field",
        "is absent, and dropped where it is sent",
        "it comes with server-side apply",
    ],
    [
        "server-side apply",
        "`application/apply-patch+yaml`",
        "415 with a text that names the way around",
        "not built yet",
    ],
    [
        "custom resources",
        "a definition becomes an API",
        "the definition is stored and served, its resources are not",
        "not built yet; every table takes rows made at run time",
    ],
    [
        "webhooks, MutatingAdmissionPolicies",
        "are called and evaluated",
        "are stored and served, and decide nothing",
        "not built yet",
    ],
    [
        "a ValidatingAdmissionPolicy",
        "is in effect some time after it was written",
        "is in effect when its write is answered",
        "the cache that the write has entered is the one that is asked",
    ],
    [
        "a pod's address that cannot be read",
        "becomes the endpoint `<nil>`",
        "is left out",
        "KEP-4858: what controllers write is canonical",
    ],
    [
        "one address in two spellings",
        "two endpoints",
        "one endpoint",
        "KEP-4858; they are one address",
    ],
    [
        "a pod with an address and no node, in Endpoints",
        "is written with an empty `nodeName`, which is refused: the Endpoints stay as they were",
        "is written without `nodeName`",
        "one odd pod must not stop the others",
    ],
    [
        "a node that comes, goes or changes its zone",
        "is seen in EndpointSlices at the next sync of a Service",
        "is seen at once",
        "a zone that is wrong sends traffic the wrong way",
    ],
    [
        "Endpoints of more than 1,000 addresses",
        "are written again at every sync",
        "are written once",
        "a settled cluster is left in peace",
    ],
    [
        "time zones in CEL",
        "every name of the IANA database",
        "UTC, `Etc/GMT±N` and offsets such as `-08:00`; other names are unknown",
        "the pure rooms of the house carry no database",
    ],
    [
        "the limits of CEL",
        "expressions nested 250 deep; variables that need one another, values, patterns and quantities of any depth and length",
        "expressions nested deeper than 128, or 512 over all variables that need one another, values nested deeper than 428, patterns nested deeper than 400 or larger than 10 MiB, and quantities of more than 4,096 digits, are errors",
        "every evaluation is bounded",
    ],
    [
        "how deep an object may be",
        "10,000 levels",
        "250 levels, those that YAML's aliases, protobuf and patches make included: 400, or 413 for a patch",
        "whatever walks a tree needs as much of the stack as the tree is deep",
    ],
    [
        "the health check `log`",
        "is well unless the log hangs",
        "there is none: 404",
        "nothing here could make it fail",
    ],
    [
        "`[+]etcd` in health",
        "asks etcd for a key",
        "fails while the store cannot be written to, except for want of room, which passes by itself",
        "reference/serve.md says what happens when the disk fails",
    ],
    [
        "names of kubelets' certificates",
        "no release looks at them; `KubeletCertCNValidation` and `--enable-kubelet-cert-cn-validation` are unknown",
        "KEP-4872 as written, whatever release is emulated; see how-to/kubelet-certificates.md",
        "the proposal decides",
    ],
    [
        "`NodeRestriction`",
        "is off unless it is enabled",
        "is on where `--authorization-mode` has Node, unless it is disabled; enforcing kubelets' names without it is warned about",
        "KEP-4872: a node that may ask for another's serving certificate may answer in its name",
    ],
    [
        "rules of an aggregated ClusterRole whose last part is gone",
        "are taken away, for their manager is known",
        "are taken away if a controller has seen them gathered since it started",
        "who wrote a field is not kept yet",
    ],
    [
        "times in tokens of service accounts",
        "a number beyond 64 bits becomes whatever the processor makes of it",
        "is refused",
        "a token must end when it says so",
    ],
    [
        "a broken request for a certificate",
        "is refused with the words of Go's ASN.1 reader",
        "is refused with shorter ones",
        "they show Go's own types",
    ],
    [
        "a kubelet's connections",
        "one pool for all nodes, by address: two nodes at one address share connections",
        "a connection is only ever used for the node that it was verified for",
        "a check of each handshake would be passed by with a connection of another node",
    ],
    [
        "the port in `nodes/<scheme>:<node>:<port>/proxy`",
        "compared as a text: `011250` is another port than 11250, and nothing is verified there",
        "compared as a number; what is not written as a number is 400",
        "a leading zero must not lead around the verification",
    ],
    [
        "`--kubelet-client-certificate` without `--kubelet-client-key`",
        "neither is used",
        "refused at the start",
        "nobody means that",
    ],
    [
        "without `--kubelet-client-certificate`",
        "kubelets are not shown who asks",
        "a pair made by the server's own authority is shown",
        "it works at once with kubelets that believe that authority",
    ],
    [
        "logs and watches over WebSockets",
        "each piece is a message",
        "answered as HTTP, without an upgrade",
        "kubectl and the client libraries do not ask for it",
    ],
    [
        "a kubelet that vanishes during `exec` without a word",
        "is told as success",
        "is told as an internal error",
        "a command of which nobody knows the end has not succeeded",
    ],
    [
        "HTML through a proxy",
        "is read whole, then its links are rewritten",
        "is rewritten while it passes; packed pages are unpacked",
        "a page has no size",
    ],
    [
        "answers in protobuf",
        "for every client that prefers it",
        "only for clients that accept nothing else; watches, tables and metadata are always JSON",
        "what is stored is JSON and is served as it is; all clients that prefer protobuf take JSON",
    ],
    [
        "priority and fairness",
        "queues requests, and names the flow in two headers",
        "a limit on requests at once, and no such headers",
        "one process on one machine; the objects are served for clients that read them",
    ],
    [
        "long-running requests",
        "any number, of whomever",
        "a limit for each user and one in all; beyond it 429 with `Retry-After`, see reference/serve.md",
        "each holds memory for as long as its client likes, and one user must not take what others need",
    ],
    [
        "an answer that its client does not read",
        "waits for as long as the connection stands",
        "is cut off after `--write-timeout`",
        "what waits for nobody is memory that others lack",
    ],
    ["storage", "protobuf in etcd", "JSON in a file of its own", "one binary"],
    [
        "resource versions",
        "count the writes to etcd",
        "count the commits of the store",
        "clients may only compare them for equality and order",
    ],
    [
        "whole pods and templates in messages",
        "a forbidden change of a pod prints a diff in Go's syntax",
        "the same words without the diff",
        "the diff is made of Go's own types",
    ],
    [
        "unknown fields of Go's named types",
        "`of type v1.ServiceType`",
        "`of type string`",
        "OpenAPI does not name them",
    ],
    [
        "values that only a few pods have",
        "sysctl names, `windowsOptions`, node affinity terms, projected and downward volumes, `resizePolicy`, `resourceClaims` are looked into",
        "are stored as they are",
        "the kubelet refuses what it cannot use; to be built",
    ],
    [
        "statuses",
        "counts and conditions of Jobs, condition types of pods, amounts of nodes are looked into",
        "only what the proposals and the generic rules name",
        "only controllers and kubelets write them",
    ],
    [
        "Jobs",
        "`podFailurePolicy`, `successPolicy` and names of time zones are looked into",
        "are stored as they are",
        "to be built",
    ],
    [
        "resource and flow control kinds",
        "ranges of numbers are looked into",
        "types and required fields only",
        "to be built",
    ],
    [
        "text of table columns",
        "the descriptions of the fields",
        "sentences of our own",
        "nobody parses them",
    ],
    [
        "a dry run of a Service",
        "does not notice addresses that are taken",
        "does",
        "a dry run should tell the truth",
    ],
    [
        "several faults of a Service at once",
        "an address that cannot be had is told alone",
        "other faults are told first",
        "validation comes before allocation here",
    ],
    [
        "`ComponentStatus`",
        "asks the scheduler and the controller manager",
        "an empty list",
        "deprecated since 1.19",
    ],
    [
        "`kubernetes` endpoints",
        "kept by every API server",
        "written at the start, and only if others can reach the address",
        "one server; a loopback address is refused in endpoints",
    ],
    [
        "namespaces, garbage, endpoints, accounts and their tokens, networks of nodes",
        "are kube-controller-manager's work",
        "are the work of the server's own controllers, unless `--controllers` says otherwise",
        "a server alone should be usable",
    ],
    [
        "requests for certificates of nodes and clients",
        "are approved, signed and taken away by kube-controller-manager; of several common names in a request the last counts",
        "the same by the server's own controllers; a request with several common names fails",
        "whom a certificate is for must not depend on who reads it",
    ],
    [
        "`kube_apiserver_kubelet_connections_total`",
        "there is no such metric",
        "counts new connections to kubelets, with the gate of KEP-4872 and without it",
        "the proposal's objective is that their number does not rise",
    ],
    [
        "default cluster roles that gather others",
        "are filled by kube-controller-manager",
        "are filled by the server's own controller",
        "the same",
    ],
    [
        "`--authorization-mode`",
        "AlwaysAllow by default",
        "Node,RBAC by default",
        "a server that is safe without flags",
    ],
    [
        "`--emulated-version`",
        "1.33 to 1.36",
        "1.32 to 1.36",
        "KEP-4427: in 1.32 alone its gate is alpha and off, and this is how that is tried",
    ],
    [
        "`--allow-privileged`",
        "false by default",
        "true by default",
        "what everybody sets; Pod Security decides",
    ],
    [
        "flags and feature gates of 1.36 that nothing here looks at",
        "have their effect",
        "are accepted and named in the log; `--encryption-provider-config`, `--authentication-config`, `--authorization-config` and `--audit-webhook-config-file` are refused",
        "command lines of kube-apiserver start; nobody believes to have a protection that is not there",
    ],
    [
        "metrics",
        "have help in English sentences of their own",
        "have the same names, labels and stability, and other sentences",
        "the sentences are not ours",
    ],
    [
        "paths that end behind `watch` or `proxy`",
        "500",
        "404",
        "a client's mistake is not the server's",
    ],
    [
        "quota usage after a deletion",
        "brought up to date by kube-controller-manager",
        "counted again when a write would exceed it",
        "right where it matters; the number shown may lag",
    ],
];

/// The Markdown table of differences.
pub(super) fn rows() -> String {
    let heads = ["What", "kube-apiserver", "`ratchet serve`", "Why"];
    table(heads, ROWS.iter().map(|row| row.map(str::to_owned)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_says_why() {
        for row in ROWS {
            assert!(row.iter().all(|cell| !cell.is_empty()), "{row:?}");
        }
    }
}
