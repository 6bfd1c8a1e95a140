//! The mandatory and the suggested FlowSchemas and priority levels of Kubernetes 1.36.

use alloc::vec;
use alloc::vec::Vec;
use ratchet_object::Node;

/// The annotation of objects that the server keeps as they are suggested.
pub(crate) const AUTO_UPDATE: &str = "apf.kubernetes.io/autoupdate-spec";

const API_VERSION: &str = "flowcontrol.apiserver.k8s.io/v1";

/// An object that the server creates.
#[derive(Clone, Debug)]
pub struct Bootstrap {
    /// The object.
    pub node: Node<'static>,
    /// Whether its spec is restored whatever its annotation says.
    pub is_mandatory: bool,
}

struct Level {
    name: &'static str,
    is_mandatory: bool,
    shares: i64,
    lendable_percent: i64,
    response: Response,
}

enum Response {
    Exempt,
    Reject,
    Queue { queues: i64, hand_size: i64, length_limit: i64 },
}

struct Schema {
    name: &'static str,
    is_mandatory: bool,
    level: &'static str,
    precedence: i64,
    distinguisher: Option<&'static str>,
    subjects: &'static [Subject],
    resources: &'static [Resources],
    paths: &'static [(&'static str, &'static [&'static str])],
}

enum Subject {
    User(&'static str),
    Group(&'static str),
    /// All service accounts of a namespace.
    Accounts(&'static str),
}

struct Resources {
    verbs: &'static [&'static str],
    group: &'static str,
    resources: &'static [&'static str],
    has_cluster_scope: bool,
}

const EVERYONE: &[Subject] =
    &[Subject::Group("system:unauthenticated"), Subject::Group("system:authenticated")];
const ALL_RESOURCES: &[Resources] =
    &[Resources { verbs: &["*"], group: "*", resources: &["*"], has_cluster_scope: true }];
const ALL_NAMESPACES: &[&str] = &["*"];
const ALL_PATHS: &[(&str, &[&str])] = &[("*", &["*"])];
const BY_USER: Option<&str> = Some("ByUser");
const BY_NAMESPACE: Option<&str> = Some("ByNamespace");

const fn queue(queues: i64, hand_size: i64) -> Response {
    Response::Queue { queues, hand_size, length_limit: 50 }
}

const fn suggested(
    name: &'static str,
    shares: i64,
    lendable_percent: i64,
    response: Response,
) -> Level {
    Level { name, is_mandatory: false, shares, lendable_percent, response }
}

const fn mandatory(name: &'static str, shares: i64, response: Response) -> Level {
    Level { name, is_mandatory: true, shares, lendable_percent: 0, response }
}

const LEVELS: &[Level] = &[
    suggested("system", 30, 33, queue(64, 6)),
    suggested("node-high", 40, 25, queue(64, 6)),
    suggested("leader-election", 10, 0, queue(16, 4)),
    suggested("workload-high", 40, 50, queue(128, 6)),
    suggested("workload-low", 100, 90, queue(128, 6)),
    suggested("global-default", 20, 50, queue(128, 6)),
    mandatory("catch-all", 5, Response::Reject),
    mandatory("exempt", 0, Response::Exempt),
];

/// A schema for everything that its subjects ask for.
const fn everything(
    (name, level, precedence): (&'static str, &'static str, i64),
    distinguisher: Option<&'static str>,
    subjects: &'static [Subject],
) -> Schema {
    Schema {
        name,
        is_mandatory: false,
        level,
        precedence,
        distinguisher,
        subjects,
        resources: ALL_RESOURCES,
        paths: ALL_PATHS,
    }
}

const LEADERS: &[Subject] = &[
    Subject::User("system:kube-controller-manager"),
    Subject::User("system:kube-scheduler"),
    Subject::Accounts("kube-system"),
];
const NODES: &[Subject] = &[Subject::Group("system:nodes")];
const LEASES: &str = "coordination.k8s.io";

const SCHEMAS: &[Schema] = &[
    everything(("system-nodes", "system", 500), BY_USER, NODES),
    Schema {
        name: "system-node-high",
        is_mandatory: false,
        level: "node-high",
        precedence: 400,
        distinguisher: BY_USER,
        subjects: NODES,
        resources: &[
            Resources {
                verbs: &["*"],
                group: "",
                resources: &["nodes", "nodes/status"],
                has_cluster_scope: true,
            },
            Resources {
                verbs: &["*"],
                group: LEASES,
                resources: &["leases"],
                has_cluster_scope: false,
            },
        ],
        paths: &[],
    },
    Schema {
        name: "probes",
        is_mandatory: false,
        level: "exempt",
        precedence: 2,
        distinguisher: None,
        subjects: EVERYONE,
        resources: &[],
        paths: &[("get", &["/healthz", "/readyz", "/livez"])],
    },
    Schema {
        name: "system-leader-election",
        is_mandatory: false,
        level: "leader-election",
        precedence: 100,
        distinguisher: BY_USER,
        subjects: LEADERS,
        resources: &[Resources {
            verbs: &["get", "create", "update"],
            group: LEASES,
            resources: &["leases"],
            has_cluster_scope: false,
        }],
        paths: &[],
    },
    everything(
        ("kube-controller-manager", "workload-high", 800),
        BY_NAMESPACE,
        &[Subject::User("system:kube-controller-manager")],
    ),
    everything(
        ("kube-scheduler", "workload-high", 800),
        BY_NAMESPACE,
        &[Subject::User("system:kube-scheduler")],
    ),
    everything(
        ("kube-system-service-accounts", "workload-high", 900),
        BY_NAMESPACE,
        &[Subject::Accounts("kube-system")],
    ),
    everything(
        ("service-accounts", "workload-low", 9000),
        BY_USER,
        &[Subject::Group("system:serviceaccounts")],
    ),
    everything(("global-default", "global-default", 9900), BY_USER, EVERYONE),
    Schema {
        is_mandatory: true,
        ..everything(("exempt", "exempt", 1), None, &[Subject::Group("system:masters")])
    },
    Schema {
        is_mandatory: true,
        ..everything(("catch-all", "catch-all", 10_000), BY_USER, EVERYONE)
    },
];

/// All objects, levels before the schemas that refer to them.
pub fn bootstrap_objects() -> Vec<Bootstrap> {
    let levels = LEVELS
        .iter()
        .map(|level| Bootstrap { node: level.node(), is_mandatory: level.is_mandatory });
    let schemas = SCHEMAS
        .iter()
        .map(|schema| Bootstrap { node: schema.node(), is_mandatory: schema.is_mandatory });
    levels.chain(schemas).collect()
}

fn object(kind: &'static str, name: &'static str, spec: Node<'static>) -> Node<'static> {
    let annotations = Node::map([(AUTO_UPDATE, Node::string("true"))]);
    Node::map([
        ("apiVersion", Node::string(API_VERSION)),
        ("kind", Node::string(kind)),
        ("metadata", Node::map([("name", Node::string(name)), ("annotations", annotations)])),
        ("spec", spec),
        ("status", Node::empty_map()),
    ])
}

fn list(texts: &[&'static str]) -> Node<'static> {
    Node::list(texts.iter().copied().map(Node::string).collect())
}

impl Level {
    fn node(&self) -> Node<'static> {
        let shares = ("nominalConcurrencyShares", Node::int(self.shares));
        let lendable = ("lendablePercent", Node::int(self.lendable_percent));
        let response = match self.response {
            Response::Exempt => {
                let exempt = Node::map([shares, lendable]);
                let spec = [("type", Node::string("Exempt")), ("exempt", exempt)];
                return object("PriorityLevelConfiguration", self.name, Node::map(spec));
            }
            Response::Reject => Node::map([("type", Node::string("Reject"))]),
            Response::Queue { queues, hand_size, length_limit } => {
                let queuing = Node::map([
                    ("queues", Node::int(queues)),
                    ("handSize", Node::int(hand_size)),
                    ("queueLengthLimit", Node::int(length_limit)),
                ]);
                Node::map([("type", Node::string("Queue")), ("queuing", queuing)])
            }
        };
        let limited = Node::map([shares, ("limitResponse", response), lendable]);
        let spec = [("type", Node::string("Limited")), ("limited", limited)];
        object("PriorityLevelConfiguration", self.name, Node::map(spec))
    }
}

impl Schema {
    fn node(&self) -> Node<'static> {
        let mut rule = Node::map([(
            "subjects",
            Node::list(self.subjects.iter().map(Subject::node).collect()),
        )]);
        if !self.resources.is_empty() {
            let rules = self.resources.iter().map(Resources::node).collect();
            rule.set("resourceRules", Node::list(rules));
        }
        if !self.paths.is_empty() {
            let rules = self.paths.iter().map(|(verb, urls)| {
                Node::map([("verbs", list(&[*verb])), ("nonResourceURLs", list(urls))])
            });
            rule.set("nonResourceRules", Node::list(rules.collect()));
        }
        let level = Node::map([("name", Node::string(self.level))]);
        let mut spec = Node::map([
            ("priorityLevelConfiguration", level),
            ("matchingPrecedence", Node::int(self.precedence)),
        ]);
        if let Some(method) = self.distinguisher {
            spec.set("distinguisherMethod", Node::map([("type", Node::string(method))]));
        }
        spec.set("rules", Node::list(vec![rule]));
        object("FlowSchema", self.name, spec)
    }
}

impl Subject {
    fn node(&self) -> Node<'static> {
        let named = |name: &'static str| Node::map([("name", Node::string(name))]);
        match *self {
            Self::User(name) => Node::map([("kind", Node::string("User")), ("user", named(name))]),
            Self::Group(name) => {
                Node::map([("kind", Node::string("Group")), ("group", named(name))])
            }
            Self::Accounts(namespace) => {
                let mut account = Node::map([("namespace", Node::string(namespace))]);
                account.set("name", Node::string("*"));
                Node::map([("kind", Node::string("ServiceAccount")), ("serviceAccount", account)])
            }
        }
    }
}

impl Resources {
    fn node(&self) -> Node<'static> {
        let mut rule = Node::map([
            ("verbs", list(self.verbs)),
            ("apiGroups", list(&[self.group])),
            ("resources", list(self.resources)),
        ]);
        if self.has_cluster_scope {
            rule.set("clusterScope", Node::bool(true));
        }
        rule.set("namespaces", list(ALL_NAMESPACES));
        rule
    }
}
