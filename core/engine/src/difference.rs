//! Where a proposal and released Kubernetes differ: one row each, one switch for all of them.

/// One place where the proposal and the release part ways.
#[derive(Debug, PartialEq, Eq)]
pub struct Difference {
    /// Stable id.
    pub id: &'static str,
    /// The proposal.
    pub kep: u16,
    /// What the proposal demands.
    pub proposal: &'static str,
    /// What released Kubernetes does.
    pub released: &'static str,
    /// Which releases do so.
    pub since: &'static str,
    /// What `--behavior` chooses.
    pub choice: Choice,
}

/// What `--behavior` does about a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// `proposal` and `released` behave differently; under `released` a person is told so.
    Switched {
        /// What a finding that the release alone makes is told.
        note: &'static str,
    },
    /// Both behave as released, for this reason.
    AsReleased(&'static str),
    /// The proposal has it differently in words only.
    WordsOnly,
}

/// Pods and pod templates with a badly spelled address.
pub(crate) static FROZEN_POD_SPECS: Difference = Difference {
    id: "frozen-pod-specs",
    kep: 4858,
    proposal: "a badly spelled address that is stored in `dnsConfig.nameservers` or `hostAliases` of a pod or a pod template may stay when something else changes",
    released: "every update, scale and finalizer removal is refused until the address is gone; a pod or a job, whose spec cannot change, stays frozen",
    since: "1.36 (1.33 to 1.35 with the gate on)",
    choice: Choice::Switched {
        note: "released Kubernetes freezes this object: every later update will be refused while this value is stored",
    },
};

/// Nodes with a badly spelled pod range.
pub(crate) static FROZEN_NODES: Difference = Difference {
    id: "frozen-nodes",
    kep: 4858,
    proposal: "a badly spelled range that is stored in a node's `podCIDRs` may stay when something else changes",
    released: "every update of the node (label, taint, cordon) is refused; the field cannot be repaired",
    since: "1.36 (1.33 to 1.35 with the gate on)",
    choice: Choice::Switched {
        note: "released Kubernetes freezes this node: it can no longer be labelled, tainted or cordoned while this value is stored",
    },
};

/// StatefulSets whose stored template is invalid.
pub(crate) static UNCHECKED_STATEFUL_SETS: Difference = Difference {
    id: "unchecked-stateful-sets",
    kep: 4858,
    proposal: "a new badly spelled address is refused, whatever else is stored",
    released: "once a stored StatefulSet template is invalid, its new template is not validated at all, so that more bad values can enter",
    since: "1.33",
    choice: Choice::Switched {
        note: "released Kubernetes does not look at this template at all, because the stored one is invalid",
    },
};

/// Replication controllers are warned about the wrong template.
pub(crate) static SWAPPED_CONTROLLER_WARNINGS: Difference = Difference {
    id: "swapped-controller-warnings",
    kep: 4858,
    proposal: "whoever sets a badly spelled address is warned",
    released: "an update of a ReplicationController is warned about the stored template, not about the new one",
    since: "1.33",
    choice: Choice::Switched {
        note: "released Kubernetes looks at the stored template here, not at the new one",
    },
};

/// Loopback as a probe host.
pub(crate) static LOOPBACK_PROBE_HOSTS: Difference = Difference {
    id: "loopback-probe-hosts",
    kep: 4940,
    proposal: "`127.0.0.1` and `::1` are allowed as hosts of probes and lifecycle handlers; the message says `probeHost`",
    released: "every host that is not empty is refused; the message says `probe or lifecycle host`",
    since: "1.34",
    choice: Choice::Switched {
        note: "released Kubernetes refuses every host here, 127.0.0.1 and ::1 too, which the proposal allows",
    },
};

/// A leading underscore in a DNS label.
pub(crate) static LEADING_UNDERSCORES: Difference = Difference {
    id: "leading-underscores",
    kep: 4427,
    proposal: "an underscore may stand where a dash may: inside a label",
    released: "one underscore may also begin a label (`_tcp.example.com`)",
    since: "1.32",
    choice: Choice::Switched {
        note: "released Kubernetes allows one leading underscore a label, which the proposal does not",
    },
};

/// What loosens the reading of DNS search names on update.
pub(crate) static DNS_RATCHET: Difference = Difference {
    id: "dns-search-ratchet",
    kep: 4427,
    proposal: "with the gate off, an update is read relaxedly if any stored search name fails the strict reading",
    released: "with the gate off, an update is read relaxedly if any stored search name is `.` or contains `_`",
    since: "1.32",
    choice: Choice::Switched {
        note: "released Kubernetes decides by `.` and `_` in the stored names; the proposal by whether they fail the strict reading",
    },
};

/// Every difference, in the order of the document.
pub static DIFFERENCES: &[&Difference] = &[
    &FROZEN_POD_SPECS,
    &FROZEN_NODES,
    &UNCHECKED_STATEFUL_SETS,
    &SWAPPED_CONTROLLER_WARNINGS,
    &LOOPBACK_PROBE_HOSTS,
    &LEADING_UNDERSCORES,
    &DNS_RATCHET,
];
