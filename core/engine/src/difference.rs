//! `DIFFERENCES`, the table of differences between the proposals and released Kubernetes, with one switch for all.

/// One difference between a proposal and the release.
#[derive(Debug, PartialEq, Eq)]
pub struct Difference {
    /// Stable id.
    pub id: &'static str,
    /// The number of the KEP that proposes the behavior.
    pub kep: u16,
    /// The behavior that the proposal demands.
    pub proposal: &'static str,
    /// The behavior of released Kubernetes.
    pub released: &'static str,
    /// The releases that behave so.
    pub since: &'static str,
    /// The effect of `--behavior`.
    pub choice: Choice,
}

/// The effect of `--behavior` on a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// `proposal` and `released` behave differently, and an affected finding carries the note.
    Switched {
        /// Note of an affected finding.
        note: &'static str,
    },
    /// Both settings behave as released, for this reason.
    AsReleased(&'static str),
    /// Only the wording of the proposal differs.
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
    proposal: "what is stored in the template of a StatefulSet may stay, and every new value meets the rules, as in any other template",
    released: "once a stored StatefulSet template is invalid, its new template is not validated at all, so that more bad values can enter",
    since: "1.33",
    choice: Choice::Switched {
        note: "released Kubernetes no longer looks at the template of this StatefulSet, because the stored one is invalid, and lets this value in",
    },
};

/// ReplicationControllers whose warnings are about the stored template.
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
    released: "one underscore may also begin a label (`_tcp.example.com`), and its message quotes a pattern that allows it",
    since: "1.32",
    choice: Choice::Switched {
        note: "released Kubernetes allows one leading underscore a label, which the proposal does not",
    },
};

/// The stored names that relax the validation of DNS search names on update.
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

/// The wording of warnings.
static WARNING_WORDS: Difference = Difference {
    id: "warning-words",
    kep: 4858,
    proposal: "warnings say `will be considered invalid in a future Kubernetes release: use …`",
    released: "1.33 to 1.35 say so; 1.36 and later say `is invalid: use …`, also with the gate off",
    since: "1.36",
    choice: Choice::AsReleased(
        "the words follow `--target-version`; nothing is admitted or refused by them",
    ),
};

/// Canonical addresses in EndpointSlices of type IPv6.
static CANONICAL_SLICES: Difference = Difference {
    id: "canonical-slices",
    kep: 4858,
    proposal: "addresses of EndpointSlices are an older field: non-canonical IPv6 is only warned about",
    released: "a slice of type IPv6 takes strict and canonical addresses only, gate or not",
    since: "1.33",
    choice: Choice::AsReleased(
        "a slice that a released server could not take back must not be admitted",
    ),
};

/// `status.hostIP` without `status.hostIPs`.
pub(crate) static FREE_HOST_IP: Difference = Difference {
    id: "free-host-ip",
    kep: 4858,
    proposal: "`status.hostIP` of a pod is one of the fields: it is read wherever `hostIPs` does not hold the same text, and a stored one may stay",
    released: "only `status.hostIPs` is read; `hostIP` alone is free text",
    since: "all releases",
    choice: Choice::Switched {
        note: "released Kubernetes takes any text as `hostIP`, which the proposal lists among the addresses",
    },
};

/// Errors inside an unchanged list.
static WHOLE_LISTS: Difference = Difference {
    id: "whole-lists",
    kep: 4858,
    proposal: "badly spelled addresses of Endpoints and EndpointSlices may stay while the whole list is unchanged",
    released: "every error inside the unchanged list is passed over, not only those about addresses",
    since: "1.33",
    choice: Choice::AsReleased("an unchanged list cannot get worse"),
};

/// Stored external IPs in special ranges.
static SPECIAL_RANGES: Difference = Difference {
    id: "kept-special-ranges",
    kep: 4858,
    proposal: "stored external IPs are accepted even if they are not valid",
    released: "stored external IPs pass the spelling, but not the check for special ranges",
    since: "1.33",
    choice: Choice::AsReleased(
        "that check is older than the proposal and was always in force, so that nothing stored fails it",
    ),
};

/// Source ranges without warnings.
static UNWARNED_RANGES: Difference = Difference {
    id: "unwarned-source-ranges",
    kep: 4858,
    proposal: "whoever sets a badly spelled value is warned",
    released: "source ranges in the annotation, or with blanks around them, are validated but never warned about",
    since: "1.27",
    choice: Choice::AsReleased("the annotation is deprecated, and blanks are outside the proposal"),
};

/// IPAddress names and ServiceCIDR ranges that became stricter.
static STRICTER_NAMES: Difference = Difference {
    id: "stricter-names",
    kep: 4858,
    proposal: "names of IPAddresses and ranges of ServiceCIDRs keep their meaning",
    released: "since 1.33 IPv4-mapped and zoned names and mapped ranges are refused, in other words than before",
    since: "1.33",
    choice: Choice::AsReleased("`--target-version` up to 1.32 brings the older reading back"),
};

/// Cluster IPs given by a person.
static TYPED_CLUSTER_IPS: Difference = Difference {
    id: "typed-cluster-ips",
    kep: 4858,
    proposal: "the API server writes canonical cluster IPs",
    released: "only those that it allocates; one that a person gives is stored as typed",
    since: "all releases",
    choice: Choice::AsReleased(
        "rewriting what a person typed makes GitOps controllers apply for ever",
    ),
};

/// The parser behind the CEL helpers.
static CEL_PARSER: Difference = Difference {
    id: "cel-parser",
    kep: 4858,
    proposal: "the CEL helpers share the code of the validation, as they do here: one reader of addresses and lengths",
    released: "they have their own; in both, `cidr()` takes host bits and `ip()` takes non-canonical IPv6",
    since: "1.30",
    choice: Choice::WordsOnly,
};

/// Irregular field paths in messages.
static ODD_PATHS: Difference = Difference {
    id: "odd-paths",
    kep: 4858,
    proposal: "paths name the field",
    released: "balancer warnings and pod IP errors lack `.ip`, source ranges are spelled `spec.LoadBalancerSourceRanges`, and a mapped address's alternative ends with /128",
    since: "1.33",
    choice: Choice::AsReleased("programs match these texts"),
};

/// Reordered and repeated external IPs.
static MOVED_EXTERNAL_IPS: Difference = Difference {
    id: "moved-external-ips",
    kep: 2200,
    proposal: "external IPs may not change, except to be removed",
    released: "stored ones may also be reordered and repeated",
    since: "1.21",
    choice: Choice::AsReleased("neither claims an address that was not claimed before"),
};

/// The wording of messages about search names.
static SEARCH_WORDS: Difference = Difference {
    id: "search-words",
    kep: 4427,
    proposal: "the message begins `a DNS-1123 subdomain must consist of`",
    released: "it begins `a lowercase RFC 1123 subdomain must consist of`",
    since: "all releases",
    choice: Choice::WordsOnly,
};

/// Kinds and releases with relaxed search names.
static SEARCH_KINDS: Difference = Difference {
    id: "search-kinds",
    kep: 4427,
    proposal: "off by default; named for pods, Deployments, ReplicaSets and Jobs",
    released: "on since 1.33, locked since 1.34, gone in 1.37; holds for all kinds with a pod in them",
    since: "1.33",
    choice: Choice::WordsOnly,
};

/// All differences, in the order of the documentation.
pub static DIFFERENCES: &[&Difference] = &[
    &FROZEN_POD_SPECS,
    &FROZEN_NODES,
    &UNCHECKED_STATEFUL_SETS,
    &SWAPPED_CONTROLLER_WARNINGS,
    &LOOPBACK_PROBE_HOSTS,
    &LEADING_UNDERSCORES,
    &DNS_RATCHET,
    &WARNING_WORDS,
    &CANONICAL_SLICES,
    &FREE_HOST_IP,
    &WHOLE_LISTS,
    &SPECIAL_RANGES,
    &UNWARNED_RANGES,
    &STRICTER_NAMES,
    &TYPED_CLUSTER_IPS,
    &CEL_PARSER,
    &ODD_PATHS,
    &MOVED_EXTERNAL_IPS,
    &SEARCH_WORDS,
    &SEARCH_KINDS,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique() {
        for (index, row) in DIFFERENCES.iter().enumerate() {
            assert!(
                DIFFERENCES.iter().skip(index + 1).all(|other| other.id != row.id),
                "{}",
                row.id
            );
        }
    }
}
