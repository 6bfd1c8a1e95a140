//! Reports for the tests: a small cluster, thousands of findings, hostile names.

use ratchet_report::{
    Certificate, CertificateState, Excerpt, Finding, Level, LevelResult, Location, NamespaceLevels,
    Note, ObjectRef, Owner, OwnerKind, Report, RuleText, State, Subject, Topic,
};

/// 2026-11-17, 08:00 UTC.
const NOW: i64 = 1_794_902_400;
const DAY: i64 = 86_400;

fn rule(id: &str, title: &str, demands: &str, fix: &str) -> RuleText {
    RuleText { id: id.into(), title: title.into(), demands: demands.into(), fix: fix.into() }
}

fn rules() -> Vec<RuleText> {
    vec![
        rule(
            "RTC-IP-001",
            "IP addresses in canonical form",
            "An IPv4 address has no leading zeros, and an IPv6 address is no mapped IPv4 address.",
            "Write the address in its canonical form.",
        ),
        rule(
            "RTC-CIDR-001",
            "networks without host bits",
            "The bits of a network after its prefix are zero.",
            "Write the network, or the host with the full prefix.",
        ),
        rule(
            "RTC-EXT-001",
            "external IPs of Services",
            "A Service has no external IPs, unless a policy allows them.",
            "Use a load balancer, or allow the addresses with a policy.",
        ),
        rule(
            "RTC-DNS-001",
            "search names of pods",
            "A search name is a DNS name; underscores and a lone dot are allowed since 1.34.",
            "Write a DNS name.",
        ),
        rule(
            "RTC-PSA-001",
            "hosts of probes",
            "Under baseline, the host of a probe or a lifecycle handler is not set.",
            "Remove `host`: the kubelet then asks the pod itself.",
        ),
    ]
}

/// One line of the table of findings.
struct Row(
    OwnerKind,
    &'static str,
    (&'static str, &'static str, &'static str, &'static str),
    &'static str,
    &'static str,
    Option<&'static str>,
    &'static str,
    State,
);

#[rustfmt::skip]
const ROWS: &[Row] = &[
    Row(OwnerKind::HelmRelease, "shop/storefront", ("v1", "Service", "shop", "storefront"), "spec.externalIPs[0]", "010.20.0.7", Some("10.20.0.7"), "RTC-IP-001", State::Frozen),
    Row(OwnerKind::HelmRelease, "shop/storefront", ("v1", "Service", "shop", "storefront"), "spec.externalIPs[1]", "203.0.113.009", Some("203.0.113.9"), "RTC-IP-001", State::Frozen),
    Row(OwnerKind::HelmRelease, "shop/storefront", ("networking.k8s.io/v1", "NetworkPolicy", "shop", "allow-warehouse"), "spec.ingress[0].from[0].ipBlock.cidr", "10.20.30.40/16", Some("10.20.0.0/16"), "RTC-CIDR-001", State::Frozen),
    Row(OwnerKind::HelmRelease, "shop/storefront", ("apps/v1", "Deployment", "shop", "storefront"), "spec.template.spec.containers[0].livenessProbe.httpGet.host", "127.0.0.01", Some("127.0.0.1"), "RTC-PSA-001", State::RefusedOnCreate),
    Row(OwnerKind::ArgoCd, "payments", ("v1", "Service", "payments", "ledger"), "spec.loadBalancerSourceRanges[2]", "192.168.7.1/24", Some("192.168.7.0/24"), "RTC-CIDR-001", State::RefusedOnCreate),
    Row(OwnerKind::ArgoCd, "payments", ("discovery.k8s.io/v1", "EndpointSlice", "payments", "ledger-legacy"), "endpoints[0].addresses[0]", "::ffff:10.8.0.5", Some("10.8.0.5"), "RTC-IP-001", State::Frozen),
    Row(OwnerKind::ArgoCd, "payments", ("v1", "Pod", "payments", "reconciler-0"), "spec.dnsConfig.searches[1]", "ledger_db.corp", None, "RTC-DNS-001", State::Warns),
    Row(OwnerKind::Flux, "flux-system/platform", ("v1", "Service", "ingress", "edge"), "spec.externalIPs[0]", "198.51.100.10", None, "RTC-EXT-001", State::RefusedOnCreate),
    Row(OwnerKind::Flux, "flux-system/platform", ("v1", "Service", "ingress", "edge"), "spec.externalIPs[1]", "198.51.100.11", None, "RTC-EXT-001", State::RefusedOnCreate),
    Row(OwnerKind::Flux, "flux-system/platform", ("apps/v1", "DaemonSet", "monitoring", "node-exporter"), "spec.template.spec.containers[0].readinessProbe.tcpSocket.host", "localhost", None, "RTC-PSA-001", State::Warns),
    Row(OwnerKind::Manager, "kubectl-edit", ("v1", "Endpoints", "legacy", "mainframe"), "subsets[0].addresses[0].ip", "010.001.002.003", Some("10.1.2.3"), "RTC-IP-001", State::Frozen),
    Row(OwnerKind::Manager, "kubectl-edit", ("v1", "Service", "legacy", "mainframe"), "spec.clusterIP", "10.96.000.80", Some("10.96.0.80"), "RTC-IP-001", State::Warns),
    Row(OwnerKind::LastApplied, "kubectl apply", ("v1", "Pod", "build", "runner"), "spec.dnsConfig.nameservers[0]", "8.8.08.8", Some("8.8.8.8"), "RTC-IP-001", State::RefusedOnCreate),
    Row(OwnerKind::Unknown, "", ("networking.k8s.io/v1", "IngressClass", "", "edge"), "spec.parameters.name", "edge_", None, "RTC-DNS-001", State::Warns),
];

/// A small cluster, judged for two versions.
pub(crate) fn cluster() -> Report {
    let mut findings = Vec::new();
    for (target, is_milder) in [("1.35", true), ("1.36", false)] {
        for Row(
            kind,
            owner,
            (api_version, object_kind, namespace, name),
            field,
            value,
            fix,
            rule,
            state,
        ) in ROWS
        {
            let state = match (is_milder, state) {
                (true, State::Frozen | State::RefusedOnCreate) => State::Warns,
                _ => *state,
            };
            if is_milder && *rule == "RTC-EXT-001" {
                continue;
            }
            findings.push(Finding {
                object: ObjectRef {
                    api_version: (*api_version).into(),
                    kind: (*object_kind).into(),
                    namespace: (*namespace).into(),
                    name: (*name).into(),
                },
                owner: Owner { kind: *kind, name: (*owner).into() },
                field: (*field).into(),
                value: Some((*value).into()),
                fix: fix.map(Into::into),
                hint: fix.is_none().then(|| "allow it with a policy, or remove it".to_owned()),
                rule: (*rule).into(),
                state,
                message: format!("{field}: Invalid value: \"{value}\": must be in canonical form"),
                location: None,
                target: target.into(),
            });
        }
    }
    Report {
        subject: Subject::Cluster,
        title: "Audit of production".into(),
        source: "context production, https://10.0.0.1:6443".into(),
        time: Some(NOW),
        generator: "ratchet 0.1.0".into(),
        targets: vec!["1.35".into(), "1.36".into()],
        behavior: "released".into(),
        objects: 812,
        findings,
        rules: rules(),
        namespaces: namespaces(),
        certificates: certificates(),
        notes: vec![
            Note {
                is_gap: true,
                text: "secrets in all namespaces: no right to list them".into(),
                fix: "kubectl create clusterrolebinding audit --clusterrole=view --user=auditor".into(),
            },
            Note {
                is_gap: false,
                text: "10.20.0.7 is claimed in two spellings: Service shop/storefront, Service shop/old".into(),
                fix: String::new(),
            },
        ],
        topics: vec![Topic {
            title: "External IPs in use (KEP-2200)".into(),
            rows: vec!["Service shop/storefront: 10.20.0.7 (Helm release shop/storefront)".into()],
            omitted: 4711,
            manifest: ("keeps exactly these:".into(), "kind: ConfigMap\ndata:\n  networks: 10.20.0.7/32\n".into()),
        }],
        ..Report::default()
    }
}

fn namespaces() -> Vec<NamespaceLevels> {
    let failing = |violations, reason: &str| LevelResult {
        violations,
        reasons: if violations > 0 { vec![reason.into()] } else { Vec::new() },
    };
    let row = |name: &str, pods, enforced, baseline, restricted| NamespaceLevels {
        namespace: name.into(),
        pods,
        enforced,
        baseline: failing(
            baseline,
            "probe or lifecycle host (container \"app\" uses probe or lifecycle host 127.0.0.01)",
        ),
        restricted: failing(
            restricted,
            "allowPrivilegeEscalation != false (container \"app\" must set securityContext.allowPrivilegeEscalation=false)",
        ),
    };
    vec![
        row("shop", 14, Some(Level::Baseline), 1, 9),
        row("payments", 22, Some(Level::Restricted), 0, 0),
        row("ingress", 6, None, 0, 6),
        row("monitoring", 31, Some(Level::Privileged), 18, 31),
        row("legacy", 3, None, 0, 3),
        row("build", 9, Some(Level::Baseline), 0, 0),
        row("kube-system", 41, None, 27, 40),
    ]
}

fn certificates() -> Vec<Certificate> {
    let row = |node: &str, age: i64, left: i64, state, message: &str| Certificate {
        node: node.into(),
        subject: format!("O=system:nodes, CN=system:node:{node}"),
        names: vec![node.into(), "10.0.0.4".into()],
        issuer: "CN=kubernetes".into(),
        not_before: Some(NOW - age * DAY),
        not_after: Some(NOW + left * DAY),
        state,
        messages: if message.is_empty() { Vec::new() } else { vec![message.into()] },
        fixes: if message.is_empty() {
            Vec::new()
        } else {
            vec!["kubectl get csr, and approve what you believe".into()]
        },
    };
    use CertificateState::{Passes, Warns, WouldFail};
    let mut all = vec![
        row("worker-eu-1a-003", 372, -7, WouldFail, "the certificate has expired (RTC-CERT-003)"),
        row(
            "worker-eu-1a-001",
            200,
            165,
            WouldFail,
            "the common name is not the node's: \"kubelet\" (RTC-CERT-001)",
        ),
        row("worker-eu-1b-002", 350, 15, Warns, "the certificate expires soon (RTC-CERT-015)"),
        row("control-plane-0", 90, 275, Passes, ""),
        row("control-plane-1", 91, 274, Passes, ""),
        row("control-plane-2", 60, 3_590, Passes, ""),
        row("worker-eu-1b-001", 120, 245, Passes, ""),
        row("worker-eu-1c-001", 250, 115, Passes, ""),
    ];
    all.push(Certificate {
        node: "worker-eu-1c-002".into(),
        messages: vec!["the kubelet presented no certificate (RTC-CERT-010)".into()],
        ..Certificate::default()
    });
    all
}

/// A report of manifests with source lines.
pub(crate) fn manifests() -> Report {
    let text = "    - 010.20.0.7   # the old address";
    let finding = Finding {
        object: ObjectRef {
            api_version: "v1".into(),
            kind: "Service".into(),
            namespace: "shop".into(),
            name: "storefront".into(),
        },
        owner: Owner { kind: OwnerKind::File, name: "deploy/storefront.yaml".into() },
        field: "spec.externalIPs[0]".into(),
        value: Some("010.20.0.7".into()),
        fix: Some("10.20.0.7".into()),
        rule: "RTC-IP-001".into(),
        state: State::Error,
        message: "spec.externalIPs[0]: Invalid value: \"010.20.0.7\": must not have leading 0s"
            .into(),
        location: Some(Location {
            file: "deploy/storefront.yaml".into(),
            line: 12,
            column: 7,
            excerpt: Some(Excerpt { text: text.into(), marked: 6..16 }),
        }),
        target: "1.36".into(),
        ..Finding::default()
    };
    Report {
        subject: Subject::Manifests,
        title: "Check of deploy".into(),
        targets: vec!["1.36".into()],
        objects: 9,
        findings: vec![finding],
        rules: rules(),
        ..Report::default()
    }
}

/// Many findings of many owners.
pub(crate) fn many(number: usize) -> Report {
    let states = [State::Warns, State::Warns, State::RefusedOnCreate, State::Warns, State::Frozen];
    let findings = (0..number).map(|at| {
        let (namespace, octet) = (format!("team-{:03}", at % 150), at % 250);
        Finding {
            object: ObjectRef {
                api_version: "v1".into(),
                kind: if at % 3 == 0 { "Service" } else { "Endpoints" }.into(),
                namespace: namespace.clone(),
                name: format!("backend-{at:05}"),
            },
            owner: Owner { kind: OwnerKind::HelmRelease, name: format!("{namespace}/app-{}", at % 4) },
            field: format!("spec.externalIPs[{}]", at % 7),
            value: Some(format!("010.{:03}.{octet:03}.1", at / 250)),
            fix: Some(format!("10.{}.{octet}.1", at / 250)),
            rule: if at % 5 == 0 { "RTC-CIDR-001" } else { "RTC-IP-001" }.into(),
            state: states[at % states.len()],
            message: format!(
                "spec.externalIPs[{}]: Invalid value: \"010.{:03}.{octet:03}.1\": must not have leading 0s",
                at % 7,
                at / 250
            ),
            target: "1.36".into(),
            ..Finding::default()
        }
    });
    Report {
        title: "Audit of a large cluster".into(),
        targets: vec!["1.36".into()],
        objects: 100_000,
        findings: findings.collect(),
        rules: rules(),
        ..Report::default()
    }
}

/// Names and values that try to leave their place.
pub(crate) const HOSTILE: &[&str] = &[
    "</script><script>window.pwned = 1</script>",
    "<img src=x onerror=\"window.pwned = 1\">",
    "<!--<script>",
    "\u{202e}gnp.exe\u{202c}",
    "شبكة الإنتاج",
    "\u{2028}\u{2029}'\"`${window.pwned = 1}",
    "javascript:window.pwned=1",
    "a&b=c#d?e%41/../\\",
    "]]>&lt;b&gt;",
    "x\u{0}\u{7}\r\n\ty",
];

/// A report in which every text is hostile.
pub(crate) fn hostile() -> Report {
    let long = "n".repeat(253);
    let names = HOSTILE.iter().copied().chain([long.as_str()]);
    let findings: Vec<Finding> = names
        .map(|name| Finding {
            object: ObjectRef {
                api_version: name.into(),
                kind: name.into(),
                namespace: name.into(),
                name: name.into(),
            },
            owner: Owner { kind: OwnerKind::Manager, name: name.into() },
            field: format!("metadata.annotations[{name}]"),
            value: Some(name.into()),
            fix: Some(name.into()),
            hint: Some(name.into()),
            rule: name.into(),
            state: State::Frozen,
            message: name.into(),
            location: Some(Location {
                file: name.into(),
                line: 1,
                column: 1,
                excerpt: Some(Excerpt { text: name.into(), marked: 1..3 }),
            }),
            target: name.into(),
        })
        .collect();
    let all = HOSTILE.join(" ");
    Report {
        title: all.clone(),
        source: all.clone(),
        generator: all.clone(),
        behavior: all.clone(),
        targets: HOSTILE.iter().map(|name| (*name).to_owned()).collect(),
        rules: HOSTILE.iter().map(|name| rule(name, name, name, name)).collect(),
        findings,
        namespaces: HOSTILE
            .iter()
            .map(|name| NamespaceLevels {
                namespace: (*name).into(),
                baseline: LevelResult { violations: 1, reasons: vec![(*name).into()] },
                ..NamespaceLevels::default()
            })
            .collect(),
        certificates: HOSTILE
            .iter()
            .map(|name| Certificate {
                node: (*name).into(),
                subject: (*name).into(),
                names: vec![(*name).into()],
                issuer: (*name).into(),
                not_before: Some(i64::MIN),
                not_after: Some(i64::MAX),
                messages: vec![(*name).into()],
                fixes: vec![(*name).into()],
                ..Certificate::default()
            })
            .collect(),
        topics: HOSTILE
            .iter()
            .map(|name| Topic {
                title: (*name).into(),
                rows: vec![(*name).into(), long.clone()],
                omitted: u64::MAX,
                manifest: ((*name).into(), format!("{name}\n{long}")),
            })
            .collect(),
        notes: vec![Note { is_gap: true, text: all.clone(), fix: all }],
        ..Report::default()
    }
}

/// The certificates alone.
pub(crate) fn kubelets() -> Report {
    Report {
        subject: Subject::Kubelets,
        title: "Kubelet certificates of production".into(),
        time: Some(NOW),
        objects: 9,
        certificates: certificates(),
        ..Report::default()
    }
}
