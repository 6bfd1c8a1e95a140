//! The rules of the audit, one static each.

/// The effect of a finding on the node, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// The API server's connection would fail.
    Fails,
    /// The effect is unknown.
    Unknown,
    /// The connection works now, and may not in future.
    Warns,
}

/// A rule about kubelet certificates.
#[derive(Debug)]
pub struct Rule {
    /// The permanent id.
    pub id: &'static str,
    /// The effect of a violation on the node.
    pub weight: Weight,
    /// Two or three words for a table.
    pub short: &'static str,
    /// The violation in one phrase.
    pub title: &'static str,
    /// Why a violation matters.
    pub why: &'static str,
    /// The general fix; the certificate's shape may have a better one.
    pub fix: &'static str,
}

/// All rules, sorted by id.
pub static RULES: &[&Rule] = &[
    &NAME,
    &ADDRESS,
    &EXPIRED,
    &EARLY,
    &AUTHORITY,
    &USAGE,
    &UNUSABLE,
    &NO_TLS,
    &REFUSED,
    &SILENT,
    &PROXIED,
    &NO_ADDRESS,
    &NOT_COLLECTED,
    &NO_NODE,
    &SOON,
    &OVERDUE,
    &SELF_SIGNED,
    &SHARED,
    &UNANCHORED,
    &AUTHORITY_ISSUED,
];

pub(crate) static NAME: Rule = Rule {
    id: "RTC-CERT-001",
    weight: Weight::Fails,
    short: "common name",
    title: "the common name is not the node's",
    why: "enforcement compares the only common name with system:node:<node>, byte for byte",
    fix: "let the kubelet ask the cluster for its certificate, or reissue it with the node's name",
};

pub(crate) static ADDRESS: Rule = Rule {
    id: "RTC-CERT-002",
    weight: Weight::Fails,
    short: "address not in SANs",
    title: "the address that the API server dials is not among the subject alternative names",
    why: "enforcement needs --kubelet-certificate-authority, and with it the address is verified too",
    fix: "reissue the certificate with this address, or let the API server dial one that it has (--kubelet-preferred-address-types)",
};

pub(crate) static EXPIRED: Rule = Rule {
    id: "RTC-CERT-003",
    weight: Weight::Fails,
    short: "expired",
    title: "the certificate has expired",
    why: "enforcement needs --kubelet-certificate-authority, and with it the time is verified too",
    fix: "look at the kubelet's log and at waiting requests (`kubectl get csr`), approve what you believe, or reissue the certificate",
};

pub(crate) static EARLY: Rule = Rule {
    id: "RTC-CERT-004",
    weight: Weight::Fails,
    short: "not yet valid",
    title: "the certificate is not valid yet",
    why: "enforcement needs --kubelet-certificate-authority, and with it the time is verified too",
    fix: "compare the clocks of this machine, of the node and of the authority",
};

pub(crate) static AUTHORITY: Rule = Rule {
    id: "RTC-CERT-005",
    weight: Weight::Fails,
    short: "unknown authority",
    title: "the certificate does not lead to the authority",
    why: "the API server believes only what --kubelet-certificate-authority has signed",
    fix: "add the authority that signed it to the file, or have the certificate signed by one that is in it",
};

pub(crate) static USAGE: Rule = Rule {
    id: "RTC-CERT-006",
    weight: Weight::Fails,
    short: "not for servers",
    title: "the certificate is not for TLS servers",
    why: "a certificate that names usages must name server auth",
    fix: "reissue it with extendedKeyUsage=serverAuth; a client certificate cannot take its place",
};

pub(crate) static UNUSABLE: Rule = Rule {
    id: "RTC-CERT-007",
    weight: Weight::Fails,
    short: "unusable",
    title: "what was presented cannot be used as a certificate",
    why: "it cannot be read, or whoever presents it does not hold its key",
    fix: "look at what answers there: `openssl s_client -connect <address> -showcerts`",
};

pub(crate) static NO_TLS: Rule = Rule {
    id: "RTC-CERT-008",
    weight: Weight::Fails,
    short: "no TLS",
    title: "what answers at the kubelet's address does not speak TLS",
    why: "the API server speaks to kubelets over TLS only",
    fix: "look at what listens there, and at the port in the Node's status.daemonEndpoints",
};

pub(crate) static REFUSED: Rule = Rule {
    id: "RTC-CERT-009",
    weight: Weight::Fails,
    short: "API server refuses it",
    title: "the API server does not accept the certificate today",
    why: "what fails without enforcement fails with it",
    fix: "the message says what it does not accept",
};

pub(crate) static SILENT: Rule = Rule {
    id: "RTC-CERT-010",
    weight: Weight::Unknown,
    short: "no answer",
    title: "the kubelet presented no certificate",
    why: "nothing can be said about a certificate that was not seen",
    fix: "run this where the API server runs, or collect certificates there and use --offline",
};

pub(crate) static PROXIED: Rule = Rule {
    id: "RTC-CERT-011",
    weight: Weight::Unknown,
    short: "seen through the API server only",
    title: "the certificate was not seen, for the API server stands in between",
    why: "through the node proxy the common name is invisible: it only shows whether the API server's own verification passes, and without --kubelet-certificate-authority there is none",
    fix: "run this where the API server runs, or collect certificates there and use --offline",
};

pub(crate) static NO_ADDRESS: Rule = Rule {
    id: "RTC-CERT-012",
    weight: Weight::Unknown,
    short: "no address",
    title: "the Node has no address that the API server would dial",
    why: "the API server cannot reach this kubelet at all",
    fix: "look at status.addresses of the Node and at --kubelet-preferred-address-types",
};

pub(crate) static NOT_COLLECTED: Rule = Rule {
    id: "RTC-CERT-013",
    weight: Weight::Unknown,
    short: "no certificate file",
    title: "no certificate was collected for this node",
    why: "nothing can be said about a certificate that was not seen",
    fix: "collect it as <node>.pem: `openssl s_client -connect <address>:10250 -showcerts </dev/null >DIR/<node>.pem`",
};

pub(crate) static NO_NODE: Rule = Rule {
    id: "RTC-CERT-014",
    weight: Weight::Unknown,
    short: "no such node",
    title: "there is no node of this name",
    why: "it was asked for by name",
    fix: "`kubectl get nodes` lists them",
};

pub(crate) static SOON: Rule = Rule {
    id: "RTC-CERT-015",
    weight: Weight::Warns,
    short: "expires soon",
    title: "the certificate expires soon",
    why: "when it has expired, logs, exec and port-forward fail for this node",
    fix: "see that it is renewed: approve waiting requests (`kubectl get csr`), or reissue it",
};

pub(crate) static OVERDUE: Rule = Rule {
    id: "RTC-CERT-016",
    weight: Weight::Warns,
    short: "rotation overdue",
    title: "the kubelet should have renewed its certificate",
    why: "kubelets ask for the next certificate when 70 to 90 % of the life of one is over; later than that, requests are not approved or not signed",
    fix: "`kubectl get csr --field-selector spec.signerName=kubernetes.io/kubelet-serving`, approve what you believe, and see that an approver runs; the kubelet's log says what it waits for",
};

pub(crate) static SELF_SIGNED: Rule = Rule {
    id: "RTC-CERT-017",
    weight: Weight::Warns,
    short: "self-signed",
    title: "the certificate is its own issuer",
    why: "anybody can make one like it; it is believed only if it stands in --kubelet-certificate-authority itself",
    fix: "have it signed by an authority",
};

pub(crate) static SHARED: Rule = Rule {
    id: "RTC-CERT-018",
    weight: Weight::Warns,
    short: "shared address",
    title: "several Nodes report the same address and port",
    why: "one certificate bears one node's name, so that enforcement can let at most one of them through",
    fix: "find out which Node is real; give kubelets behind one address different ports",
};

pub(crate) static UNANCHORED: Rule = Rule {
    id: "RTC-CERT-019",
    weight: Weight::Unknown,
    short: "self-signed",
    title: "the certificate is its own issuer, and the authority was not named",
    why: "it is believed only if it stands in --kubelet-certificate-authority itself, and that file was not shown",
    fix: "name the API server's file with --kubelet-certificate-authority, or have the certificate signed by an authority",
};

pub(crate) static AUTHORITY_ISSUED: Rule = Rule {
    id: "RTC-CERT-020",
    weight: Weight::Warns,
    short: "authority issued",
    title: "an authority was issued that can sign for any node",
    why: "the name in a certificate is worth as much as everybody who can sign it: whoever holds the key of an authority that was issued below the one the API server believes can give itself the name of any node",
    fix: "find out who holds its key. If a node does, its request was signed with the extensions that it asked for (`openssl x509 -copy_extensions`): make a new authority, have it sign with extensions of your own (basicConstraints=critical,CA:FALSE), and name it in --kubelet-certificate-authority. If it is the authority that signs your kubelets, name this one there instead of the one above it",
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_unique_and_in_order() {
        for (at, rule) in RULES.iter().enumerate() {
            assert_eq!(rule.id, format!("RTC-CERT-{:03}", at + 1));
            for text in [rule.short, rule.title, rule.why, rule.fix] {
                assert!(!text.is_empty() && !text.ends_with('.'), "{}", rule.id);
            }
        }
    }
}
