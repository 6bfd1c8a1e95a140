//! Tests of the configuration file: what it sets, and what is said of its faults.

use super::*;
use ratchet_object::{Limits, decode};

const HEAD: &str = "apiVersion: ratchet/v1alpha1\nkind: WebhookConfiguration\n";

fn faults(rest: &str) -> Vec<String> {
    let faults = Configuration::parse(&format!("{HEAD}{rest}")).unwrap_err();
    faults.iter().map(ToString::to_string).collect()
}

#[test]
fn a_file_sets_modes_exemptions_and_allowances() {
    let text = format!(
        "{HEAD}mode: audit
rules:
  RTC-API: off
  RTC-IP: warn
  RTC-IP-001: enforce
namespaceLabels: false
exemptions:
  users: [system:admin]
  groups: [system:masters]
  serviceAccounts: [kube-system/replicaset-controller]
  namespaces: [kube-system]
externalIPs:
  allow:
  - cidrs: [203.0.113.0/24, 2001:db8::/32]
    namespaces: [edge]
    users: [ann]
canonicalize:
  users: [system:kube-controller-manager, 'system:node:*']
"
    );
    let configuration = Configuration::parse(&text).unwrap();
    let none = RuleModes::default();
    let modes = ["RTC-IP-001", "RTC-IP-002", "RTC-API-001", "RTC-DNS-001"]
        .map(|id| configuration.mode_of(id, &none));
    assert_eq!(modes, [Mode::Enforce, Mode::Warn, Mode::Off, Mode::Audit]);
    assert!(!configuration.namespace_labels);
    assert_eq!(configuration.exemptions.service_accounts, ["kube-system/replicaset-controller"]);
    let allowances = configuration.external_ips.unwrap();
    assert_eq!(allowances.len(), 1);
    let canonicalizes = |user| Configuration::parse(&text).unwrap().canonicalizes(user);
    assert!(canonicalizes("system:kube-controller-manager") && canonicalizes("system:node:n1"));
    assert!(!canonicalizes("system:kube-controller-manager2") && !canonicalizes("ann"));
    assert_eq!(allowances[0].networks.len(), 2);
    assert_eq!((allowances[0].namespaces.len(), allowances[0].users.len()), (1, 1));
}

#[test]
fn without_a_file_every_rule_is_enforced() {
    let configuration = Configuration::parse(HEAD).unwrap();
    assert_eq!(configuration, Configuration::default());
    assert_eq!(configuration.mode_of("RTC-IP-001", &RuleModes::default()), Mode::Enforce);
}

#[test]
fn every_fault_is_told_with_its_line() {
    let rest = "mode: strict
rules: {RTC-IP-999: warn, RTC-IP: 5}
rulse: {}
namespaceLabels: maybe
exemptions:
  users: ann
  groups: [1, '']
  serviceAccounts: [admin]
externalIPs:
  allow:
  - cidrs: [10.0.0.1/8, nowhere]
  - {}
  deny: []
canonicalize: {users: ['*']}
";
    assert_eq!(
        faults(rest),
        [
            "3:7: mode: must be enforce, warn, audit or off, found \"strict\"",
            "4:21: rules[RTC-IP-999]: no such rule or family of rules: `ratchet explain` lists them",
            "4:35: rules[RTC-IP]: must be enforce, warn, audit or off, found number",
            "5:1: rulse: unknown field; known are apiVersion, kind, mode, rules, namespaceLabels, exemptions, externalIPs, canonicalize",
            "6:18: namespaceLabels: must be true or false, found \"maybe\"",
            "8:10: exemptions.users: must be a list, found \"ann\"",
            "9:12: exemptions.groups[0]: must be a text, found number",
            "9:15: exemptions.groups[1]: must be a text, found \"\"",
            "10:21: exemptions.serviceAccounts[0]: \"admin\" must be NAMESPACE/NAME",
            "13:13: externalIPs.allow[0].cidrs[0]: \"10.0.0.1/8\" must be a network in canonical form, such as 203.0.113.0/24",
            "13:25: externalIPs.allow[0].cidrs[1]: \"nowhere\" must be a network in canonical form, such as 203.0.113.0/24",
            "14:5: externalIPs.allow[1].cidrs: required value",
            "15:3: externalIPs.deny: unknown field; known are allow",
            "16:24: canonicalize.users[0]: must name controllers: what people write is not changed",
        ]
    );
}

#[test]
fn a_file_says_what_it_is() {
    let parse = |text: &str| {
        let faults = Configuration::parse(text).unwrap_err();
        faults.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let wanted =
        ["1:1: apiVersion: must be ratchet/v1alpha1", "1:7: kind: must be WebhookConfiguration"];
    assert_eq!(parse("kind: Pod\n"), wanted);
    assert_eq!(parse(""), ["1:1: expected one document"]);
    assert_eq!(parse("a: {}\n---\nb: {}\n"), ["1:1: expected one document"]);
    assert_eq!(faults("mode: warn\nmode: off\n"), ["4:1: mode: duplicate field"]);
    assert!(parse("a: [")[0].starts_with("1:"));
}

#[test]
fn labels_of_a_namespace_hold_before_the_file() {
    let mut configuration = Configuration::default();
    configuration.modes.set("RTC-IP-001", Mode::Off);
    let labels = "{ratchet/mode: audit, ratchet/RTC-IP: warn, ratchet/RTC-X: warn, ratchet/RTC-DNS: on, app: x}";
    let labels = decode(labels, Limits::DEFAULT).unwrap().documents.remove(0);
    let (modes, faults) = configuration.modes_of_namespace(Some(&labels));
    assert_eq!(configuration.mode_of("RTC-IP-001", &modes), Mode::Warn);
    assert_eq!(configuration.mode_of("RTC-DNS-001", &modes), Mode::Audit);
    assert_eq!(faults, ["ratchet/RTC-X=warn", "ratchet/RTC-DNS="]);
    configuration.namespace_labels = false;
    assert!(configuration.modes_of_namespace(Some(&labels)).0.is_empty());
}
