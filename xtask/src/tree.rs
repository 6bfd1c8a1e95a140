//! `cargo xtask tree`: a deterministic tree of mixed manifests for measurements.

use anyhow::{Context, Result};
use std::fmt::Write as _;
use std::path::Path;

/// Number of resources in ten files: 50,000 in 35,000, as in the tree that kubeconform reports.
const RESOURCES_IN_TEN_FILES: usize = 14;

/// Writes `count` resources below `folder`; one in fifty has a finding.
pub(crate) fn run(folder: &Path, count: usize) -> Result<String> {
    let (mut number, mut files, mut bytes) = (0, 0, 0);
    while number < count {
        let mut text = String::new();
        let share = if files % 10 < RESOURCES_IN_TEN_FILES - 10 { 2 } else { 1 };
        for index in 0..share.min(count - number) {
            if index > 0 {
                text.push_str("---\n");
            }
            resource(number, &mut text);
            number += 1;
        }
        let place = folder.join(format!("team-{:03}/app-{:03}", files % 200, files / 200 % 50));
        std::fs::create_dir_all(&place).with_context(|| place.display().to_string())?;
        let file = place.join(format!("{files:06}.yaml"));
        bytes += text.len();
        std::fs::write(&file, text).with_context(|| file.display().to_string())?;
        files += 1;
    }
    Ok(format!("{number} resources in {files} files, {bytes} bytes, in {}", folder.display()))
}

/// One resource, whose number selects the kind.
fn resource(number: usize, out: &mut String) {
    let kind = match number % 20 {
        0..=5 => deployment,
        6..=10 => service,
        11..=13 => config_map,
        14..=15 => network_policy,
        16 => pod,
        17 => cron_job,
        18 => endpoint_slice,
        _ => ingress,
    };
    kind(number, out);
}

/// An address; one in fifty has a leading zero.
fn address(number: usize) -> String {
    let (a, b) = (number / 250 % 250, number % 250);
    if number.is_multiple_of(50) { format!("10.0{a}.{b}.7") } else { format!("10.{a}.{b}.7") }
}

fn head(api_version: &str, kind: &str, number: usize, out: &mut String) {
    let _ = write!(
        out,
        "apiVersion: {api_version}\nkind: {kind}\nmetadata:\n  name: item-{number}\n  namespace: team-{}\n  labels:\n    app.kubernetes.io/name: item-{number}\n    app.kubernetes.io/part-of: shop\n    app.kubernetes.io/managed-by: kustomize\n",
        number % 40
    );
}

fn pod_spec(number: usize, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    let lines = [
        format!("serviceAccountName: item-{number}"),
        "securityContext:".into(),
        "  runAsNonRoot: true".into(),
        "  seccompProfile:".into(),
        "    type: RuntimeDefault".into(),
        "dnsConfig:".into(),
        "  nameservers:".into(),
        format!("  - {}", address(number)),
        "  searches:".into(),
        "  - shop.svc.cluster.local".into(),
        "containers:".into(),
        "- name: main".into(),
        format!("  image: registry.example.com/shop/item:{number}"),
        "  args: [\"--listen=:8080\", \"--log=info\"]".into(),
        "  ports:".into(),
        "  - name: http".into(),
        "    containerPort: 8080".into(),
        "  livenessProbe:".into(),
        "    httpGet:".into(),
        "      path: /healthz".into(),
        "      port: http".into(),
        "  resources:".into(),
        "    requests: {cpu: 100m, memory: 128Mi}".into(),
        "    limits: {memory: 256Mi}".into(),
        "  securityContext:".into(),
        "    allowPrivilegeEscalation: false".into(),
        "    capabilities:".into(),
        "      drop: [ALL]".into(),
    ];
    for line in lines {
        let _ = writeln!(out, "{pad}{line}");
    }
}

fn deployment(number: usize, out: &mut String) {
    head("apps/v1", "Deployment", number, out);
    let _ = write!(
        out,
        "spec:\n  replicas: 3\n  selector:\n    matchLabels:\n      app: item-{number}\n  template:\n    metadata:\n      labels:\n        app: item-{number}\n    spec:\n"
    );
    pod_spec(number, 6, out);
}

fn pod(number: usize, out: &mut String) {
    head("v1", "Pod", number, out);
    out.push_str("spec:\n");
    pod_spec(number, 2, out);
}

fn cron_job(number: usize, out: &mut String) {
    head("batch/v1", "CronJob", number, out);
    out.push_str("spec:\n  schedule: \"*/5 * * * *\"\n  jobTemplate:\n    spec:\n      template:\n        spec:\n          restartPolicy: Never\n");
    pod_spec(number, 10, out);
}

fn service(number: usize, out: &mut String) {
    head("v1", "Service", number, out);
    let _ = write!(
        out,
        "spec:\n  type: LoadBalancer\n  selector:\n    app: item-{number}\n  ports:\n  - name: http\n    port: 80\n    targetPort: http\n  loadBalancerSourceRanges:\n  - 10.{}.0.0/16\n  - 192.168.0.0/24\n",
        number % 250
    );
}

fn config_map(number: usize, out: &mut String) {
    head("v1", "ConfigMap", number, out);
    let _ = write!(
        out,
        "data:\n  application.properties: |\n    server.port=8080\n    shop.item={number}\n    shop.cache.size=1000\n    shop.feature.fast=true\n  LOG_LEVEL: info\n  REGION: eu-west-1\n"
    );
}

fn network_policy(number: usize, out: &mut String) {
    head("networking.k8s.io/v1", "NetworkPolicy", number, out);
    let _ = write!(
        out,
        "spec:\n  podSelector:\n    matchLabels:\n      app: item-{number}\n  policyTypes: [Ingress, Egress]\n  ingress:\n  - from:\n    - ipBlock:\n        cidr: 10.{0}.0.0/16\n        except:\n        - 10.{0}.1.0/24\n  egress:\n  - to:\n    - ipBlock:\n        cidr: 2001:db8:{1:x}::/48\n",
        number % 250,
        number % 65_000 + 1
    );
}

fn endpoint_slice(number: usize, out: &mut String) {
    head("discovery.k8s.io/v1", "EndpointSlice", number, out);
    out.push_str("addressType: IPv4\nports:\n- name: http\n  port: 8080\nendpoints:\n");
    for offset in 0..5 {
        let address = address(number + 1 + offset);
        let _ = write!(
            out,
            "- addresses: [{address}]\n  conditions:\n    ready: true\n  nodeName: node-{offset}\n"
        );
    }
}

fn ingress(number: usize, out: &mut String) {
    head("networking.k8s.io/v1", "Ingress", number, out);
    let _ = write!(
        out,
        "spec:\n  rules:\n  - host: item-{number}.example.com\n    http:\n      paths:\n      - path: /\n        pathType: Prefix\n        backend:\n          service:\n            name: item-{number}\n            port:\n              name: http\n"
    );
}
