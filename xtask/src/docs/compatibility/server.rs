//! The table of differences between `ratchet serve` and kube-apiserver besides the proposals.

use crate::docs::markdown::table;

pub(super) const ABOUT: &str = "\
## The server

Replays of the recorded conversations (`cargo xtask replay`) give the same answers as kube-apiserver v1.36.4: with
`--behavior released` all of them, with `--behavior proposal` all but those whose expectation is the release's own for a
case in which the proposal wants another: lists of stored and new addresses that are refused in full or let in, search
names for which the released pattern is quoted, and a `hostIP` of which nobody is warned.

Kubernetes' own suites, v1.36.4, on a release build with the released kube-controller-manager, scheduler and hollow kubelets
beside it:

| suite | pass | what does not |
|---|---|---|
| kubectl's command tests (`test/cmd`), 96 functions | 95 | `run_multi_resources_tests` reads a manifest from the internet; where there is none it fails beside kube-apiserver in the same line |
| end-to-end tests that need no containers, 193 of them | 192 | `Pods should get a host IP` fails beside kube-apiserver too where the machine has no default route, for the kubelet finds no address of its node then; with a route it passes |

Of 5,473 answers to manifests of public projects, whole and with one field damaged, 5,472 are equal to the last letter,
and no object is let in that kube-apiserver refuses; of 675 objects that are changed up to eight times 671 are equal to the end.
`cargo xtask damage --server URL --compare URL` damages every field of every kind on two servers and lists what differs.

Beside what all these show, these differences are known.
";

/// Subject, behaviour of kube-apiserver, behaviour of this server, reason.
const ROWS: &[[&str; 4]] = &[
    [
        "`metadata.managedFields` of an object that has become too large for the store",
        "are dropped where the object fits without them, except by an apply, which is refused",
        "are dropped where it would not fit into a request, also by an apply",
        "the store takes more; what is read can be written",
    ],
    [
        "owners of fields in several versions of a kind whose versions a webhook converts",
        "the webhook converts objects to compare them",
        "fields are compared by their names",
        "every write would wait for the webhook once more for each version that a manager has used",
    ],
    [
        "`managedFields` of the status that admission gives a ResourceQuota, and of objects that bootstrap reconciles",
        "name kube-apiserver for every change",
        "name kube-apiserver from the creation on; later changes keep the entries",
        "these are written in one commit with what they are about",
    ],
    [
        "a write that keeps its seats while watches hear of it",
        "no longer counts as executing in the totals of API Priority and Fairness",
        "counts until it gives its seats back",
        "seats and requests are counted together",
    ],
    [
        "metrics of API Priority and Fairness",
        "also histograms over every nanosecond (`priority_level_seat_utilization`, `priority_level_request_utilization`, `read_vs_write_current_requests`, `demand_seats`) and of dispatch times",
        "the other families; the gauges of levels give the same at a scrape",
        "they would cost every request more than its seat does",
    ],
    [
        "a CustomResourceDefinition",
        "becomes an API a second or more after its write is answered",
        "is one when its write is answered",
        "nobody has to wait for `Established`; who does finds it at once",
    ],
    [
        "an admission policy or webhook configuration",
        "is in effect some time after it was written",
        "is in effect when its write is answered",
        "they are read from the watch cache, which has the write",
    ],
    [
        "MutatingAdmissionPolicies of one request",
        "are applied in any order",
        "are applied in the order of their names",
        "the same request gives the same object",
    ],
    [
        "the answer of a webhook",
        "may have any size, and redirects may lead to plain HTTP",
        "has 8 MiB at most, and stays behind TLS",
        "a webhook cannot exhaust the memory of the server",
    ],
    [
        "a webhook or an extension API server behind a Service with a cluster IP, without `--enable-aggregator-routing`",
        "is dialed at the cluster IP, which kube-proxy routes to an endpoint",
        "is dialed at a ready endpoint, and at the cluster IP if there is none; with `--enable-aggregator-routing=false` always at the cluster IP",
        "nothing routes cluster IPs where there is no kube-proxy",
    ],
    [
        "a pod address that cannot be parsed",
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
        "one malformed pod must not block the others",
    ],
    [
        "a node that comes, goes or changes its zone",
        "is seen in EndpointSlices at the next sync of a Service",
        "is seen at once",
        "a wrong zone misroutes traffic",
    ],
    [
        "Endpoints of more than 1,000 addresses",
        "are written again at every sync",
        "are written once",
        "a settled cluster causes no writes",
    ],
    [
        "time zones in CEL",
        "every name of the IANA database",
        "UTC, `Etc/GMT±N` and offsets such as `-08:00`; other names are unknown",
        "`core` has no I/O and carries no time zone database",
    ],
    [
        "the limits of CEL",
        "expressions nested 250 deep; variables that need one another, values, patterns and quantities of any depth and length",
        "expressions nested deeper than 128, or 512 over all variables that need one another, values nested deeper than 428, patterns nested deeper than 400 or larger than 10 MiB, and quantities of more than 4,096 digits, are errors",
        "every evaluation is bounded",
    ],
    [
        "`remainingItemCount` of a later page whose revision is no longer in memory",
        "counts what remained at that revision",
        "counts what follows now, which the API allows as an estimate",
        "a page costs its own size: what remained would be counted object by object",
    ],
    [
        "the field errors of one object",
        "all are in the answer, as often as they were found",
        "4,096, and no more once they have 4 MB; the object is refused all the same",
        "some quote the whole object: 20,000 owners that all are controllers, 1.5 MB, would be answered with 60 GB",
    ],
    [
        "how deep an object may be",
        "10,000 levels",
        "250 levels, those that YAML's aliases, protobuf and patches make included: 400, or 413 for a patch",
        "recursion over an object uses stack in proportion to its depth",
    ],
    [
        "health checks of hooks (`poststarthook/…`)",
        "each is well when its hook has run",
        "each is well when the whole start is done, or while the cache follows the store; hooks without work here are left out",
        "the start is one sequence, and nothing is served before its end",
    ],
    [
        "`[+]etcd` in health",
        "asks etcd for a key",
        "fails while the store cannot be written; a full disk is not counted, since that passes",
        "reference/serve.md says what happens when the disk fails",
    ],
    [
        "names of kubelets' certificates",
        "no release checks them; `KubeletCertCNValidation` and `--enable-kubelet-cert-cn-validation` are unknown",
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
        "the controller writes what it has gathered, and does not apply it",
    ],
    [
        "times in tokens of service accounts",
        "a number above 64 bits overflows",
        "is refused",
        "a token must expire at the time that it names",
    ],
    [
        "a malformed certificate signing request",
        "is refused with the error of Go's ASN.1 parser",
        "is refused with a shorter error",
        "Go's error names Go types",
    ],
    [
        "a kubelet's connections",
        "one pool for all nodes, by address: two nodes at one address share connections",
        "a connection is only ever used for the node that it was verified for",
        "otherwise a shared connection bypasses the check of the handshake",
    ],
    [
        "the port in `nodes/<scheme>:<node>:<port>/proxy`",
        "compared as a text: `011250` is another port than 11250, and nothing is verified there",
        "compared as a number; what is not written as a number is 400",
        "a leading zero must not bypass the verification",
    ],
    [
        "`--kubelet-client-certificate` without `--kubelet-client-key`",
        "neither is used",
        "refused at the start",
        "it is always a mistake",
    ],
    [
        "without `--kubelet-client-certificate`",
        "no client certificate is sent to kubelets",
        "a certificate of the server's own authority is sent",
        "kubelets that trust that authority need no more flags",
    ],
    [
        "logs and watches over WebSockets",
        "each piece is a message",
        "answered as HTTP, without an upgrade",
        "kubectl and the client libraries do not ask for it",
    ],
    [
        "a kubelet that vanishes during `exec` without a word",
        "is reported as success",
        "is reported as an internal error",
        "the exit code is unknown, so success would be a guess",
    ],
    [
        "HTML through a proxy",
        "is read whole, then its links are rewritten",
        "is rewritten while it passes; packed pages are unpacked",
        "the size of a page is not bounded",
    ],
    [
        "answers in protobuf",
        "for every client that prefers it",
        "of whole objects only for clients that accept no JSON, watches included; of metadata for every client that prefers it",
        "what is stored is JSON and is served as it is; all clients that prefer protobuf take JSON",
    ],
    [
        "discovery, `/version` and OpenAPI v2 for clients that accept no JSON",
        "YAML or protobuf, or 406",
        "JSON",
        "every client takes it",
    ],
    [
        "the body of a request with `Content-Encoding: gzip`",
        "is read as it is: the header has no effect",
        "is unpacked, up to the same limit; other encodings are 415",
        "a packed body that is read as it is can only be refused",
    ],
    [
        "long-running requests",
        "no limit",
        "a limit per user and one for all; above it 429 with `Retry-After`, see reference/serve.md",
        "each holds memory until its client ends it, so one user could exhaust the server",
    ],
    [
        "an answer that its client does not read",
        "waits as long as the connection is open",
        "is cut off after `--write-timeout`",
        "a response that nobody reads still holds memory",
    ],
    [
        "events for twenty or more watches of the same objects",
        "each goes out at once",
        "the first goes out at once; then each of these watches pauses, 50 µs for every one of them and 100 ms at most, and what came meanwhile goes out together",
        "a thousand watches of a namespace cost a core instead of all of them, and are less late for it",
    ],
    ["storage", "protobuf in etcd", "JSON in a file of its own, or in etcd", "one binary"],
    [
        "resource versions",
        "count the writes to etcd",
        "count the commits of the store",
        "clients may only compare them for equality and order",
    ],
    [
        "values that only a few pods have",
        "with their gates on, projections of trust bundles and pod certificates and `schedulingGroup` are validated",
        "are stored as they are",
        "the kubelet refuses what it cannot use; to be built",
    ],
    [
        "statuses",
        "condition types of pods are validated",
        "what the proposals and the generic rules name, and amounts, features and addresses of nodes",
        "only controllers and kubelets write them",
    ],
    [
        "expressions of device selectors in claims and classes, and lists of values in attributes of devices",
        "are compiled; lists may be given where `DRAListTypeAttributes` is on",
        "are limited in length only; lists are stored as they are where the gate is on",
        "to be built",
    ],
    [
        "the objects `exempt` and `catch-all` of flow control",
        "have a spec that cannot change",
        "may change",
        "nothing here depends on them",
    ],
    [
        "text of table columns",
        "the descriptions of the fields",
        "sentences of our own",
        "clients do not parse them",
    ],
    [
        "a dry run of a Service",
        "ignores addresses that are allocated",
        "refuses them",
        "a dry run predicts the write",
    ],
    [
        "`/ratchet/backup`",
        "does not exist",
        "answers `get` with an archive of the store, for those who may",
        "a file of the server's own can be read by nobody else while it runs, and of an etcd with several servers one revision is wanted",
    ],
    [
        "`ComponentStatus` of etcd",
        "asks etcd",
        "tells whether the store can be written to",
        "one binary",
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
        "objects that own each other in a circle, all deleted in the foreground before the collector looks",
        "wait for each other for ever",
        "are deleted",
        "nobody but a person who edits finalizers could end it",
    ],
    [
        "requests for certificates of nodes and clients",
        "are approved, signed and taken away by kube-controller-manager; of several common names in a request the last counts",
        "the same by the server's own controllers; a request with several common names fails",
        "the subject of a certificate must not depend on the parser",
    ],
    [
        "`kube_apiserver_kubelet_connections_total`",
        "there is no such metric",
        "counts new connections to kubelets, with the gate of KEP-4872 and without it",
        "the proposal's objective is that their number does not rise",
    ],
    [
        "an extension API server that does not answer",
        "is looked at again after 5 milliseconds, then after twice as long each time up to 30 seconds",
        "the same, up to 5 seconds",
        "one that comes back should be found soon",
    ],
    [
        "an APIService of an extension API server without OpenAPI v3",
        "its OpenAPI v2 document is converted, with losses",
        "only its OpenAPI v2 document is served",
        "`kubectl explain` reads that one, too",
    ],
    [
        "definitions of an extension API server whose names are taken",
        "are renamed in `/openapi/v2`",
        "those of this server are kept, and the others are left out",
        "nobody should depend on a name with a number",
    ],
    [
        "`--proxy-client-cert-file` and `--requestheader-client-ca-file`",
        "none by default",
        "generated by default, by an authority that signs nothing else",
        "extension API servers should work without flags",
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
        "safe without flags",
    ],
    [
        "`--emulated-version`",
        "1.33 to 1.36",
        "1.32 to 1.36",
        "KEP-4427: only in 1.32 is its gate alpha and off",
    ],
    [
        "kinds that exist in alpha and beta only, turned on by `--runtime-config`",
        "are validated",
        "have the generic rules of names and metadata, and device taint rules their own",
        "to be built",
    ],
    [
        "versions of a kind that a release did not have yet, while it is emulated",
        "are not served: ServiceCIDRs in v1 before 1.33, VolumeAttributesClasses in v1 before 1.34, MutatingAdmissionPolicies in v1 before 1.36",
        "are served in v1; only `resource.k8s.io/v1` is not, before 1.34",
        "addresses are allocated by these objects, whatever release is emulated",
    ],
    [
        "`--allow-privileged`",
        "false by default",
        "true by default",
        "the usual setting; Pod Security decides",
    ],
    [
        "flags and feature gates of 1.36 without effect here",
        "have their effect",
        "are accepted and named in the log, flags with the reason; what would be unsafe or misleading to ignore is refused with the reason, see reference/serve.md",
        "command lines of kube-apiserver work unchanged, but a protection that does not exist must not be configured in silence",
    ],
    [
        "metrics",
        "have help in English sentences of their own",
        "have the same names, labels and stability, and other sentences",
        "the sentences are not ours",
    ],
    ["paths that end behind `watch` or `proxy`", "500", "404", "it is an error of the client"],
    [
        "quota usage after a deletion",
        "brought up to date by kube-controller-manager",
        "counted again when a write would exceed it",
        "enforcement is exact; the displayed number may lag",
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
