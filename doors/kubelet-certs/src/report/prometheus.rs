//! Metrics for node_exporter's textfile collector, or for a Pushgateway.

use crate::judge::{AuditedNode, Outcome};
use crate::{Summary, rule};
use ratchet_formats::{label_value as escape_label, metric_head as head};
use std::io::{self, Write};

/// A gauge, with the function that computes its value for a node.
struct Gauge {
    name: &'static str,
    help: &'static str,
    value: fn(&AuditedNode) -> Option<i64>,
}

static GAUGES: &[Gauge] = &[
    Gauge {
        name: "ratchet_kubelet_cert_name_ok",
        help: "Whether the only common name of the kubelet's certificate is the node's; absent if it was not seen.",
        value: |one| {
            one.facts
                .as_ref()
                .map(|_| i64::from(one.findings.iter().all(|finding| finding.rule != &rule::NAME)))
        },
    },
    Gauge {
        name: "ratchet_kubelet_cert_address_ok",
        help: "Whether the address that the API server dials is among the subject alternative names.",
        value: |one| {
            one.kubelet.host.as_ref()?;
            one.facts.as_ref().map(|_| {
                i64::from(one.findings.iter().all(|finding| finding.rule != &rule::ADDRESS))
            })
        },
    },
    Gauge {
        name: "ratchet_kubelet_cert_would_fail",
        help: "Whether connections would fail under enforcement; absent if it cannot be told.",
        value: |one| {
            (one.outcome != Outcome::Unknown).then(|| i64::from(one.outcome == Outcome::WouldFail))
        },
    },
    Gauge {
        name: "ratchet_kubelet_cert_unknown",
        help: "Whether it cannot be told what enforcement would do.",
        value: |one| Some(i64::from(one.outcome == Outcome::Unknown)),
    },
    Gauge {
        name: "ratchet_kubelet_cert_rotation_overdue",
        help: "Whether the kubelet should have renewed its certificate.",
        value: |one| {
            one.facts.as_ref().map(|_| {
                i64::from(one.findings.iter().any(|finding| finding.rule == &rule::OVERDUE))
            })
        },
    },
    Gauge {
        name: "ratchet_kubelet_cert_self_signed",
        help: "Whether the certificate is its own issuer.",
        value: |one| one.facts.as_ref().map(|facts| i64::from(facts.is_self_issued)),
    },
    Gauge {
        name: "ratchet_kubelet_cert_not_before_seconds",
        help: "When the certificate begins to be valid, in seconds since 1970.",
        value: |one| one.facts.as_ref().map(|facts| facts.not_before),
    },
    Gauge {
        name: "ratchet_kubelet_cert_not_after_seconds",
        help: "When the certificate is valid for the last time, in seconds since 1970.",
        value: |one| one.facts.as_ref().map(|facts| facts.not_after),
    },
];

pub(crate) fn write(
    audited: &[AuditedNode],
    summary: &Summary,
    out: &mut dyn Write,
) -> io::Result<()> {
    for Gauge { name, help, value } in GAUGES {
        head(out, name, help)?;
        for one in audited {
            if let Some(value) = value(one) {
                writeln!(
                    out,
                    "{name}{{node=\"{}\"}} {value}",
                    escape_label(one.kubelet.node.as_str())
                )?;
            }
        }
    }
    let shape = "ratchet_kubelet_cert_shape";
    head(out, shape, "How the kubelet came by its certificate; always 1.")?;
    for one in audited {
        if let Some(row) = one.shape {
            writeln!(
                out,
                "{shape}{{node=\"{}\",shape=\"{}\"}} 1",
                escape_label(one.kubelet.node.as_str()),
                row.id
            )?;
        }
    }
    let nodes = "ratchet_kubelet_cert_nodes";
    head(out, nodes, "How many nodes were looked at, by what enforcement would do.")?;
    let Summary { pass, fail, unknown, .. } = summary;
    for (outcome, number) in [("passes", pass), ("would_fail", fail), ("unknown", unknown)] {
        writeln!(out, "{nodes}{{outcome=\"{outcome}\"}} {number}")?;
    }
    Ok(())
}
