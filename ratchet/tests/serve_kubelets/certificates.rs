//! Kubelet certificates as they exist in practice, and the fault of each.

use crate::world::{here, own_address};
use kubelet_peer::Identity;
use kubelet_peer::authority::{Authority, Leaf, San};

/// The fault of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    Nothing,
    /// The name does not match; with the error message.
    Name(String),
    /// TLS verification fails; with the error message or its beginning.
    Chain(String),
}

/// A node with its kubelet's certificate.
pub(crate) struct Row {
    pub(crate) node: &'static str,
    pub(crate) identity: Identity,
    pub(crate) fault: Fault,
}

/// The error for an authority with the right name and another key.
const NAMESAKE: &str = r#"certificate signed by unknown authority (possibly because of "x509: ECDSA verification failure" while trying to verify candidate authority certificate "kubelets")"#;

/// One row for every kind of certificate.
pub(crate) fn all(authority: &Authority) -> Vec<Row> {
    let row = |node, leaf: Leaf, fault| Row { node, identity: authority.issue(&here(leaf)), fault };
    let two = vec!["system:node:two".into(), "system:node:two".into()];
    let two = Leaf { common_names: two, ..Leaf::kubelet("two") };
    let elsewhere = Leaf::kubelet("elsewhere").at([San::Ip([10, 9, 9, 9].into())]);
    let untrusted = Authority::new("strangers").issue(&here(Leaf::kubelet("untrusted")));
    let namesake = Authority::new("kubelets").issue(&here(Leaf::kubelet("namesake")));
    vec![
        row("right", Leaf::kubelet("right"), Fault::Nothing),
        row("another", Leaf::kubelet("right"), wrong("another", "system:node:right")),
        row("hostname", Leaf::named("hostname"), wrong("hostname", "hostname")),
        row(
            "nameless",
            Leaf::default(),
            name("has no common name, expected \"system:node:nameless\""),
        ),
        row(
            "two",
            two,
            name(
                "has 2 common names (\"system:node:two\", \"system:node:two\"), expected only \"system:node:two\"",
            ),
        ),
        Row {
            node: "elsewhere",
            identity: authority.issue(&elsewhere),
            fault: chain(&format!("certificate is valid for 10.9.9.9, not {}", own_address())),
        },
        Row {
            node: "untrusted",
            identity: untrusted,
            fault: chain("certificate signed by unknown authority"),
        },
        Row { node: "namesake", identity: namesake, fault: chain(NAMESAKE) },
        row(
            "expired",
            Leaf::kubelet("expired").expired(),
            chain("certificate has expired or is not yet valid: current time "),
        ),
    ]
}

fn wrong(node: &str, presented: &str) -> Fault {
    name(&format!("common name \"{presented}\" does not match expected \"system:node:{node}\""))
}

fn name(message: &str) -> Fault {
    Fault::Name(format!("x509: kubelet serving certificate {message}"))
}

fn chain(message: &str) -> Fault {
    Fault::Chain(format!("tls: failed to verify certificate: x509: {message}"))
}
