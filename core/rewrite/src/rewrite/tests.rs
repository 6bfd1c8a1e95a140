//! Tests of rewrites: styles, anchors, templates, values, refusals.

use super::*;
use crate::decide::{HostBits, ReadAs};
use crate::reason::Reason;
use alloc::format;
use alloc::string::{String, ToString};

fn manifest(text: &str) -> Rewritten {
    rewrite(text, SourceKind::Manifest, &Choices::default())
}

fn service(value: &str) -> String {
    format!("apiVersion: v1\nkind: Service\nmetadata: {{name: web}}\nspec:\n{value}")
}

/// Asserts that `old` becomes `new`, and that `new` stays.
#[track_caller]
fn becomes(old: &str, new: &str) {
    let rewritten = manifest(old);
    assert_eq!(rewritten.text.as_deref(), Some(new), "{rewritten:?}");
    assert!(rewritten.refused.is_empty() && rewritten.unreadable.is_empty(), "{rewritten:?}");
    assert_eq!(manifest(new), Rewritten::default());
}

#[track_caller]
fn reasons(text: &str) -> Vec<&'static str> {
    let rewritten = manifest(text);
    assert_eq!(rewritten.text, None);
    rewritten.refused.iter().map(|one| one.reason.as_str()).collect()
}

#[test]
fn every_style_stays_as_it_is() {
    for (old, new) in [
        ("  externalIPs: [192.0.2.01] # c\n", "  externalIPs: [192.0.2.1] # c\n"),
        ("  externalIPs:\n  - 192.0.2.01\n", "  externalIPs:\n  - 192.0.2.1\n"),
        ("  externalIPs:\r\n  -   '192.0.2.01'\r\n", "  externalIPs:\r\n  -   '192.0.2.1'\r\n"),
        (
            "  externalIPs: [\"192.0.2.01\" , 2001:DB8::1]",
            "  externalIPs: [\"192.0.2.1\" , 2001:db8::1]",
        ),
        ("  externalIPs: [\"\\x31\\x39\\x32.0.2.01\"]\n", "  externalIPs: [\"192.0.2.1\"]\n"),
        (
            "  externalIPs:\n  - |-\n    192.0.2.01\n  - >-\n    192.0.2.02\n",
            "  externalIPs:\n  - |-\n    192.0.2.1\n  - >-\n    192.0.2.2\n",
        ),
        ("  externalIPs:\n  - !!str 192.0.2.01\n", "  externalIPs:\n  - !!str 192.0.2.1\n"),
        ("  externalIPs: [! 192.0.2.01]\n", "  externalIPs: [! 192.0.2.1]\n"),
        ("  ? externalIPs\n  : - 192.0.2.01\n", "  ? externalIPs\n  : - 192.0.2.1\n"),
        ("  clusterIP: 2001:DB8:0::0\n", "  clusterIP: \"2001:db8::\"\n"),
        (
            "  loadBalancerSourceRanges: [' 10.0.0.0/08 ']\n",
            "  loadBalancerSourceRanges: ['10.0.0.0/8']\n",
        ),
    ] {
        becomes(&service(old), &service(new));
        becomes(&format!("\u{feff}{}", service(old)), &format!("\u{feff}{}", service(new)));
    }
}

#[test]
fn blanks_that_the_api_passes_over_are_left_alone() {
    let text = service("  loadBalancerSourceRanges: [' 10.0.0.0/8 ']\n  clusterIP: None\n");
    assert_eq!(manifest(&text), Rewritten::default());
}

#[test]
fn json_is_edited_too() {
    let json = |ip: &str| {
        format!(
            "{{\n\t\"apiVersion\":\"v1\", \"kind\":\"Service\",\"spec\":{{\"externalIPs\":[\"{ip}\"]}}}}\n"
        )
    };
    becomes(&json("192.0.2.01"), &json("192.0.2.1"));
    becomes(&json("\\u0031\\u0039\\u0032.0.2.01"), &json("192.0.2.1"));
}

#[test]
fn an_anchored_value_is_edited_once() {
    let old = service("  externalIPs:\n  - &ip 192.0.2.01\n  - *ip\n  clusterIP: *ip\n");
    let rewritten = manifest(&old);
    assert_eq!(rewritten.text.as_deref(), Some(old.replace("2.01", "2.1").as_str()));
    assert_eq!(rewritten.edits.len(), 1);
    assert_eq!(
        rewritten.edits[0].fields,
        ["spec.clusterIP", "spec.externalIPs[0]", "spec.externalIPs[1]"]
    );
    let list = service("  externalIPs: &all [192.0.2.01]\n  clusterIPs: *all\n");
    becomes(&list, &list.replace("2.01", "2.1"));
    let merged = "apiVersion: v1\nkind: List\nitems:\n- &base\n  apiVersion: v1\n  kind: Service\n  spec: {externalIPs: [192.0.2.01]}\n- <<: *base\n  metadata: {name: b}\n";
    becomes(merged, &merged.replace("2.01", "2.1"));
}

#[test]
fn an_anchor_that_is_also_no_address_is_refused() {
    let text = "apiVersion: v1\nkind: Service\nmetadata: {annotations: {note: &ip 192.0.2.01}}\nspec: {externalIPs: [*ip]}\n";
    let rewritten = manifest(text);
    let field = "metadata.annotations.note".to_string();
    assert_eq!(rewritten.refused[0].reason, Reason::Shared { field });
    assert_eq!(rewritten.text, None);
}

#[test]
fn what_has_two_meanings_is_refused_until_somebody_decides() {
    let text = service("  externalIPs: [010.0.0.1]\n  loadBalancerSourceRanges: [10.1.2.3/8]\n");
    let rewritten = manifest(&text);
    let flags: Vec<_> = rewritten.refused.iter().map(|one| one.reason.flag().unwrap()).collect();
    assert_eq!(flags, ["--read-as decimal|octal", "--host-bits network|host"]);
    assert_eq!((rewritten.refused[0].start.line, rewritten.refused[0].start.column), (5, 17));
    for (read_as, host_bits, ip, range) in [
        (ReadAs::Decimal, HostBits::Network, "10.0.0.1", "10.0.0.0/8"),
        (ReadAs::Octal, HostBits::Host, "8.0.0.1", "10.1.2.3/32"),
    ] {
        let choices = Choices { read_as: Some(read_as), host_bits: Some(host_bits) };
        let rewritten = rewrite(&text, SourceKind::Manifest, &choices);
        let wanted = text.replace("010.0.0.1", ip).replace("10.1.2.3/8", range);
        assert_eq!(rewritten.text, Some(wanted));
        assert!(rewritten.refused.is_empty());
    }
}

#[test]
fn what_cannot_be_edited_safely_is_refused() {
    assert_eq!(reasons(&service("  externalIPs: [\"192.0.\\\n    2.01\"]\n")), ["several-lines"]);
    assert_eq!(reasons(&service("  externalIPs:\n  - |\n    192.0.2.01\n")), ["several-lines"]);
    assert_eq!(reasons(&service("  externalIPs: [1.2.3]\n")), ["unreadable"]);
    let pod =
        "apiVersion: v1\nkind: Pod\nspec:\n  hostAliases: [{ip: 192.0.2.1}, {ip: 192.0.2.01}]\n";
    assert_eq!(reasons(pod), ["duplicate"]);
}

#[test]
fn an_excepted_rule_is_left_alone() {
    let text = "apiVersion: v1\nkind: Service\nmetadata:\n  annotations: {ratchet/ignore: 'RTC-IP-001: the old appliance'}\nspec: {externalIPs: [192.0.2.01, 2001:DB8::1]}\n";
    let rewritten = manifest(text);
    assert_eq!((rewritten.excepted, rewritten.edits.len(), rewritten.refused.len()), (1, 1, 0));
}

#[test]
fn fields_of_every_kind_are_found() {
    let pod = "dnsConfig: {nameservers: [192.0.2.01], searches: [Example.COM]}, hostAliases: [{ip: 192.0.2.01}]";
    for (kind, rest, edits) in [
        (
            "v1, kind: Pod",
            format!(
                "spec: {{{pod}}}, status: {{podIP: 10.0.0.01, podIPs: [{{ip: 10.0.0.01}}], hostIP: 10.0.0.01}}"
            ),
            6,
        ),
        ("apps/v1, kind: Deployment", format!("spec: {{template: {{spec: {{{pod}}}}}}}"), 3),
        (
            "batch/v1, kind: CronJob",
            format!("spec: {{jobTemplate: {{spec: {{template: {{spec: {{{pod}}}}}}}}}}}"),
            3,
        ),
        (
            "networking.k8s.io/v1, kind: NetworkPolicy",
            "spec: {egress: [{to: [{ipBlock: {cidr: 10.0.0.0/08, except: [10.0.0.0/09]}}]}]}"
                .to_string(),
            2,
        ),
        (
            "discovery.k8s.io/v1, kind: EndpointSlice",
            "addressType: IPv6, endpoints: [{addresses: [2001:DB8::1]}]".to_string(),
            1,
        ),
        (
            "discovery.k8s.io/v1, kind: EndpointSlice",
            "addressType: FQDN, endpoints: [{addresses: [Example.com]}]".to_string(),
            0,
        ),
        ("serving.knative.dev/v1, kind: Service", "spec: {clusterIP: 10.0.0.01}".to_string(), 0),
        ("v1, kind: ServiceList", "items: [{spec: {clusterIP: 10.0.0.01}}]".to_string(), 1),
        (
            "helm.toolkit.fluxcd.io/v2, kind: HelmRelease",
            "spec: {values: {service: {externalIPs: [10.0.0.01]}}}".to_string(),
            1,
        ),
    ] {
        let text = format!("{{apiVersion: {kind}, {rest}}}");
        let rewritten = manifest(&text);
        assert_eq!(rewritten.edits.len(), edits, "{text}: {rewritten:?}");
    }
}

#[test]
fn values_of_charts_and_json_patches_are_edited() {
    let text = "service:\n  externalIPs: [192.0.2.01]\n  clusterIP: ''\n  loadBalancerSourceRanges:\n  - 10.0.0.0/08\nnameservers: [192.0.2.01]\nip: 192.0.2.01\n";
    let rewritten = rewrite(text, SourceKind::Values, &Choices::default());
    let wanted = text.replacen("2.01", "2.1", 1).replace("/08", "/8");
    assert_eq!(rewritten.text, Some(wanted));
    assert_eq!(manifest(text), Rewritten::default());
    let patch = "- op: replace\n  path: /spec/externalIPs/0\n  value: 192.0.2.01\n- {op: add, path: /spec, value: {externalIPs: [192.0.2.02]}}\n";
    becomes(patch, &patch.replace("2.01", "2.1").replace("2.02", "2.2"));
    assert_eq!(SourceKind::of_name("values-prod.yaml"), SourceKind::Values);
    assert_eq!(SourceKind::of_name("service.yaml"), SourceKind::Manifest);
}

#[test]
fn templates_are_edited_where_a_value_stands_literally() {
    let text = "{{- if .Values.web }}\napiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Release.Name }}\n  labels:\n    {{- include \"labels\" . | nindent 4 }}\nspec:\n  externalIPs:\n  - 192.0.2.01\n  - {{ .Values.ip }}\n  - 192.0.2.{{ .Values.last }}\n  - '{{ .Values.ip }}'\n{{- end }}\n";
    becomes(text, &text.replace("2.01", "2.1"));
    let broken = manifest("a: {{ .b }}\n c: [\n");
    assert_eq!((broken.skipped.len(), broken.unreadable.len()), (1, 0));
}

#[test]
fn several_documents_keep_their_separators_and_positions() {
    let text = "# head\n---\napiVersion: v1\nkind: Service\nspec: {externalIPs: [192.0.2.01]}\n--- # next\na: [\n---\napiVersion: v1\nkind: Service\nspec:\n  clusterIP: 192.0.2.01\n...\n";
    let rewritten = manifest(text);
    assert_eq!(rewritten.text, Some(text.replace("2.01", "2.1")));
    let lines: Vec<u32> = rewritten.edits.iter().map(|edit| edit.start.line).collect();
    assert_eq!(lines, [5, 12]);
    assert_eq!(rewritten.unreadable.len(), 1);
}
