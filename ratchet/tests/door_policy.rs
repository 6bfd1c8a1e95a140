//! Tests of the flags for release, gates and plugins, with Kubernetes' error messages.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

mod harness;

use harness::{BAD_SERVICE, Folder, GOOD_SERVICE, judge, run};

const POD: &str = "\
apiVersion: v1
kind: Pod
metadata:
  name: p
  namespace: shop
spec:
  hostPID: true
  containers:
  - name: c
    image: i
";

const SHOP: &str = "\
apiVersion: v1
kind: Namespace
metadata:
  name: shop
  labels:
    pod-security.kubernetes.io/enforce: baseline
";

const HOST: &str = "violates PodSecurity \"baseline:latest\": host namespaces (hostPID=true)";

/// The error for bad usage: one line, status 2, and no check.
fn refusal(args: &[&str]) -> String {
    let output = run(&[&["check", "-"], args].concat(), GOOD_SERVICE);
    assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{args:?}");
    assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
    output.stderr.trim_end().strip_prefix("ratchet: ").unwrap().to_owned()
}

#[test]
fn the_release_decides_whether_addresses_are_read_strictly() {
    for (version, code) in [
        ("1.31", 0),
        ("1.32", 0),
        ("1.33", 0),
        ("1.34", 0),
        ("1.35", 0),
        ("1.36", 1),
        ("1.37", 1),
        ("v1.36", 1),
        ("1.35.2", 0),
    ] {
        let output = judge(&["--target-version", version], BAD_SERVICE);
        assert_eq!(output.code, code, "{version}");
        assert_eq!(output.count("warned"), u64::from(code == 0), "{version}");
    }
    let messages = |version: &str| judge(&["--target-version", version], BAD_SERVICE).findings();
    assert!(
        messages("1.35")[0].contains("will be considered invalid in a future Kubernetes release")
    );
    assert_eq!(judge(&[], BAD_SERVICE).json()["policy"]["targetVersion"], "1.36");
}

#[test]
fn a_release_that_nobody_knows_is_refused() {
    for version in ["1.30", "1.38", "2.0", "latest", "", "1", "-1", "1.36.x"] {
        let flag = format!("--target-version={version}");
        assert_eq!(
            refusal(&[&flag]),
            format!("--target-version: {version:?} is not a Kubernetes release from 1.31 to 1.37")
        );
    }
}

#[test]
fn an_emulated_release_brings_its_own_defaults() {
    let emulated = judge(&["--emulated-version", "1.35"], BAD_SERVICE);
    assert_eq!(emulated.code, 0);
    assert_eq!(emulated.json()["policy"]["emulatedVersion"], "1.35");
    assert!(emulated.findings()[0].contains("is invalid: use"), "the words stay those of 1.36");
    assert_eq!(judge(&["--emulated-version", "kube=1.36"], BAD_SERVICE).code, 1);
    assert_eq!(
        refusal(&["--emulated-version", "1.32"]),
        "emulation version 1.32 is not between [1.33, 1.36.0]"
    );
    assert_eq!(
        refusal(&["--emulated-version", "kube=1.37"]),
        "emulation version 1.37 is not between [1.33, 1.36.0]"
    );
    assert!(refusal(&["--emulated-version", "old"]).contains("\"old\""));
}

#[test]
fn gates_change_the_verdict() {
    for (gates, code) in [
        ("StrictIPCIDRValidation=false", 0),
        ("kube:StrictIPCIDRValidation=F", 0),
        ("AllBeta=false", 0),
        ("AllBeta=false,StrictIPCIDRValidation=true", 1),
        ("StrictIPCIDRValidation=false, StrictIPCIDRValidation=1", 1),
        (" ,, StrictIPCIDRValidation=false ,", 0),
        ("RelaxedDNSSearchValidation=true", 1),
        ("AllowServiceExternalIPs=false", 1),
    ] {
        assert_eq!(judge(&["--feature-gates", gates], BAD_SERVICE).code, code, "{gates}");
    }
    let twice =
        ["--feature-gates", "AllBeta=false", "--feature-gates", "StrictIPCIDRValidation=true"];
    assert_eq!(judge(&twice, BAD_SERVICE).code, 1);
    let early = ["--target-version", "1.33", "--feature-gates", "StrictIPCIDRValidation=true"];
    assert_eq!(judge(&early, BAD_SERVICE).code, 1);
}

#[test]
fn gates_are_refused_in_the_words_of_kubernetes() {
    for (gates, text) in [
        ("NoSuchGate=true", "unrecognized feature gate: NoSuchGate"),
        (
            "RelaxedDNSSearchValidation=false",
            "cannot set feature gate RelaxedDNSSearchValidation to false, feature is locked to true",
        ),
        ("StrictIPCIDRValidation", "missing bool value for StrictIPCIDRValidation"),
        (
            "StrictIPCIDRValidation=maybe",
            "invalid value of StrictIPCIDRValidation=maybe, err: strconv.ParseBool: parsing \"maybe\": invalid syntax",
        ),
        ("foo:StrictIPCIDRValidation=true", "component not registered: foo"),
        (
            "kube:StrictIPCIDRValidation=true,AllAlpha=true",
            "set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use",
        ),
    ] {
        assert_eq!(refusal(&["--feature-gates", gates]), format!("--feature-gates: {text}"));
    }
    let gone = ["--target-version", "1.37", "--feature-gates", "RelaxedDNSSearchValidation=true"];
    assert!(refusal(&gone).ends_with("unrecognized feature gate: RelaxedDNSSearchValidation"));
}

#[test]
fn a_gate_from_the_future_of_the_emulated_release_is_refused() {
    let emulating = ["--target-version", "1.35", "--emulated-version", "1.32", "--feature-gates"];
    let early = "cannot set feature gate StrictIPCIDRValidation to true, feature is PreAlpha at emulated version 1.32, min compatibility version 1.32";
    let args = [&emulating[..], &["StrictIPCIDRValidation=true"]].concat();
    assert_eq!(refusal(&args), format!("--feature-gates: {early}"));
    let unlocked = [
        "--emulated-version",
        "1.33",
        "--feature-gates",
        "RelaxedDNSSearchValidation=false,StrictIPCIDRValidation=true",
    ];
    assert_eq!(judge(&unlocked, BAD_SERVICE).code, 1);
}

#[test]
fn the_gate_of_dns_searches_decides_about_underscores() {
    let pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {dnsConfig: {searches: [a_b.example.com]}, containers: [{name: c, image: i}]}\n";
    assert_eq!(judge(&[], pod).code, 0);
    let output = judge(&["--target-version", "1.32"], pod);
    assert_eq!(output.code, 1);
    assert!(output.findings()[0].contains("RTC-DNS-001"), "{:?}", output.findings());
}

#[test]
fn plugins_are_refused_in_the_words_of_kubernetes() {
    let unknown = |flag: &str| refusal(&[&format!("--{flag}-admission-plugins=LimitRanger,Foo")]);
    for flag in ["enable", "disable"] {
        let text = format!("{flag}-admission-plugins plugin \"Foo\" is unknown");
        assert_eq!(unknown(flag), text);
    }
    let both = [
        "--enable-admission-plugins=LimitRanger,DenyServiceExternalIPs",
        "--disable-admission-plugins=DenyServiceExternalIPs",
    ];
    assert_eq!(
        refusal(&both),
        "[DenyServiceExternalIPs] in enable-admission-plugins and disable-admission-plugins overlapped"
    );
}

#[test]
fn pod_security_can_be_turned_off() {
    let stream = format!("{POD}---\n{SHOP}");
    assert_eq!(judge(&[], &stream).code, 1);
    assert_eq!(judge(&["--disable-admission-plugins", "PodSecurity"], &stream).code, 0);
}

#[test]
fn a_level_holds_where_no_label_says_otherwise() {
    for (level, code) in [
        ("privileged", 0),
        ("baseline", 1),
        ("restricted", 1),
        ("baseline:v1.25", 1),
        ("baseline:latest", 1),
    ] {
        assert_eq!(judge(&["--pod-security", level], POD).code, code, "{level}");
    }
    let findings = judge(&["--pod-security", "baseline:v1.25"], POD).findings();
    assert!(findings[0].contains("violates PodSecurity \"baseline:v1.25\""), "{findings:?}");
    let labelled = SHOP.replace("baseline", "privileged");
    let output = judge(&["--pod-security", "restricted"], &format!("{POD}---\n{labelled}"));
    assert_eq!(output.code, 0, "{}", output.stdout);
}

#[test]
fn a_level_that_nobody_knows_is_refused() {
    for (level, text) in [
        ("strict", "--pod-security \"strict\": must be one of privileged, baseline, restricted"),
        ("", "--pod-security \"\": must be one of privileged, baseline, restricted"),
        ("baseline:1.34", "--pod-security \"1.34\": must be \"latest\" or \"v1.x\""),
        ("baseline:", "--pod-security \"\": must be \"latest\" or \"v1.x\""),
    ] {
        assert_eq!(refusal(&["--pod-security", level]), text);
    }
}

#[test]
fn a_namespace_lends_its_labels_wherever_it_stands() {
    let list = format!("apiVersion: v1\nkind: List\nitems:\n- {}\n", SHOP.replace('\n', "\n  "));
    for stream in [
        format!("{SHOP}---\n{POD}"),
        format!("{POD}---\n{SHOP}"),
        format!("{POD}---\n{list}"),
        format!("{list}---\n{POD}"),
    ] {
        let output = judge(&[], &stream);
        assert_eq!(output.code, 1, "{stream}");
        assert!(output.findings()[0].ends_with(&format!("RTC-PSA-006 {HOST}")));
    }
    let folder = Folder::with(&[("a/pod.yaml", POD), ("z/deep/namespace.yaml", SHOP)]);
    assert_eq!(folder.json(&["-R", "a", "z"]).code, 1);
    assert_eq!(folder.json(&["-R", "a"]).code, 0);
    let other = SHOP.replace("name: shop", "name: other");
    assert_eq!(judge(&[], &format!("{POD}---\n{other}")).code, 0);
}

#[test]
fn workloads_are_warned_about_what_their_pods_may_not_do() {
    let job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec: {template: {spec: {hostPID: true, restartPolicy: Never, containers: [{name: c, image: i}]}}}\n";
    let output = judge(&["--pod-security", "baseline"], job);
    assert_eq!((output.code, output.count("warned")), (0, 1));
    assert_eq!(judge(&["--pod-security", "baseline", "--warnings-as-errors"], job).code, 1);
}

/// The configuration of Pod Security inside an AdmissionConfiguration.
fn configuration(defaults: &str) -> String {
    format!(
        "apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
    defaults: {{{defaults}}}
    exemptions: {{namespaces: [kube-system]}}
"
    )
}

#[test]
fn the_configuration_of_an_administrator_is_taken() {
    let inner = "apiVersion: pod-security.admission.config.k8s.io/v1\nkind: PodSecurityConfiguration\ndefaults: {enforce: baseline}\n";
    let outer = "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\nplugins: [{name: PodSecurity, path: inner.yaml}]\n";
    let folder = Folder::with(&[
        ("pod.yaml", POD),
        ("system.yaml", &POD.replace("shop", "kube-system")),
        ("etc/inline.yaml", &configuration("enforce: baseline")),
        ("etc/inner.yaml", inner),
        ("etc/outer.yaml", outer),
    ]);
    let flag = "--admission-control-config-file";
    for file in ["etc/inline.yaml", "etc/inner.yaml", "etc/outer.yaml"] {
        let output = folder.json(&[flag, file, "pod.yaml"]);
        assert_eq!(output.code, 1, "{file}");
        assert!(output.findings()[0].ends_with(HOST), "{:?}", output.findings());
    }
    assert_eq!(folder.json(&[flag, "etc/inline.yaml", "system.yaml"]).code, 0, "it is exempt");
    let both = folder.check(&[flag, "etc/inline.yaml", "--pod-security", "baseline", "pod.yaml"]);
    assert_eq!(both.code, 2);
}

#[test]
fn a_configuration_that_cannot_be_used_is_refused() {
    let folder = Folder::with(&[
        ("pod.yaml", POD),
        ("level.yaml", &configuration("enforce: strong")),
        ("other.yaml", BAD_SERVICE),
        ("broken.yaml", "a: ["),
    ]);
    for (file, messages) in [
        ("level.yaml", "enforce: must be one of privileged, baseline, restricted"),
        ("other.yaml", "no kind \"Service\" is registered for version \"v1\""),
        ("broken.yaml", "failed to apply admission: "),
        ("missing.yaml", "unable to read admission control configuration from \"missing.yaml\""),
    ] {
        let output = folder.check(&["--admission-control-config-file", file, "pod.yaml"]);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{file}");
        assert!(output.stderr.starts_with("ratchet: failed to apply admission: "));
        assert!(output.stderr.contains(messages), "{file}: {}", output.stderr);
    }
}
