//! Golden tests: the exact messages of the Pod Security policy library of Kubernetes 1.36.

use crate::Release;
use crate::config::{ApiConfig, Behavior};
use crate::gates::Gates;
use crate::pod_security::testing::{config, object, release};
use crate::pod_security::{LevelVersion, PodView, evaluate, summary};
use alloc::string::{String, ToString};

fn violations_text(pod: &str, at: &str, config: &ApiConfig) -> String {
    let (level, version) = at.split_once(':').unwrap();
    let at = LevelVersion::new(level.parse().unwrap(), version.parse().unwrap());
    let object = object(pod);
    let violations = evaluate(at, &PodView::verbatim(object.root()), config);
    for violation in &violations {
        assert!(!violation.labels.is_empty(), "{violation:?} points nowhere");
        assert!(violation.labels.iter().all(|label| label.rule == violation.rule), "{violation:?}");
    }
    summary(&violations)
}

/// Pod, level and version, expected violations (empty: the pod is admitted).
type Vector<'a> = (&'a str, &'a str, &'a str);

fn assert_all(vectors: &[Vector<'_>], config: &ApiConfig) {
    for (pod, at, want) in vectors {
        assert_eq!(violations_text(pod, at, config), *want, "{at} {pod}");
    }
}

const BARE: &str = r#"allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "a" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")"#;

const PROBED: &str =
    "{spec: {containers: [{name: z, startupProbe: {httpGet: {host: localhost}}}]}}";
const UNMASKED: &str =
    "{spec: {hostUsers: false, containers: [{name: z, securityContext: {procMount: Unmasked}}]}}";
const OWN_ROOT: &str = "{spec: {hostUsers: false, \
    securityContext: {runAsUser: 0, runAsNonRoot: false, seccompProfile: {type: RuntimeDefault}}, \
    containers: [{name: a, securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}}]}}";
const RELABELLED: &str = "{spec: {securityContext: {seLinuxOptions: {type: container_engine_t}}, containers: [\
    {name: a, securityContext: {seLinuxOptions: {type: zz, user: u}}}, \
    {name: b, securityContext: {seLinuxOptions: {role: r}}}]}}";

#[test]
fn baseline() {
    assert_all(
        &[
            (
                r#"{metadata: {annotations: {container.apparmor.security.beta.kubernetes.io/a: 'foo"b', container.apparmor.security.beta.kubernetes.io/b: unconfined}},
                    spec: {securityContext: {appArmorProfile: {type: Unconfined}},
                    initContainers: [{name: i, securityContext: {appArmorProfile: {type: Zed}}}],
                    containers: [{name: a, securityContext: {appArmorProfile: {type: Unconfined}}}]}}"#,
                "baseline:v1.20",
                r#"forbidden AppArmor profiles (pod and containers "i", "a" and annotations must not set AppArmor profile type to "Unconfined", "Zed", "container.apparmor.security.beta.kubernetes.io/a="foo\"b"", "container.apparmor.security.beta.kubernetes.io/b="unconfined"")"#,
            ),
            (
                "{metadata: {annotations: {container.apparmor.security.beta.kubernetes.io/a: unconfined}}, spec: {containers: [{name: a}]}}",
                "baseline:v1.20",
                r#"forbidden AppArmor profile (annotation must not set AppArmor profile type to "container.apparmor.security.beta.kubernetes.io/a="unconfined"")"#,
            ),
            (
                "{metadata: {annotations: {container.apparmor.security.beta.kubernetes.io/x: '', container.apparmor.security.beta.kubernetes.io/y: runtime/default, container.apparmor.security.beta.kubernetes.io/z: localhost/z}}}",
                "baseline:v1.20",
                "",
            ),
            (
                "{spec: {securityContext: {appArmorProfile: {}}}}",
                "baseline:v1.20",
                r#"forbidden AppArmor profile (pod must not set AppArmor profile type to "")"#,
            ),
            (
                "{spec: {initContainers: [{name: i, securityContext: {capabilities: {add: [ALL]}}}],
                    containers: [{name: a, securityContext: {capabilities: {add: [chown, NET_RAW, CHOWN]}}}],
                    ephemeralContainers: [{name: e, securityContext: {capabilities: {add: [SYS_PTRACE]}}}]}}",
                "baseline:v1.20",
                r#"non-default capabilities (containers "i", "a", "e" must not include "ALL", "NET_RAW", "SYS_PTRACE", "chown" in securityContext.capabilities.add)"#,
            ),
            (
                "{spec: {hostIPC: true, hostNetwork: true, hostPID: true}}",
                "baseline:v1.20",
                "host namespaces (hostNetwork=true, hostPID=true, hostIPC=true)",
            ),
            (
                "{spec: {volumes: [{name: v, hostPath: {path: /}}, {name: w, emptyDir: {}}]}}",
                "baseline:latest",
                r#"hostPath volumes (volume "v")"#,
            ),
            (
                "{spec: {volumes: [{name: v, hostPath: {path: /}}, {name: w, hostPath: {}}]}}",
                "baseline:latest",
                r#"hostPath volumes (volumes "v", "w")"#,
            ),
            (
                "{spec: {containers: [{name: a, ports: [{hostPort: 8080}]}, {name: b, ports: [{hostPort: 9}, {hostPort: 80}, {hostPort: 0}]}]}}",
                "baseline:v1.0",
                r#"hostPort (containers "a", "b" use hostPorts 80, 8080, 9)"#,
            ),
            (
                "{spec: {containers: [{name: a, ports: [{hostPort: 8080}]}]}}",
                "baseline:v1.0",
                r#"hostPort (container "a" uses hostPort 8080)"#,
            ),
            (
                "{spec: {containers: [{name: a, securityContext: {privileged: true}}, {name: b, securityContext: {privileged: false}}]}}",
                "baseline:v1.0",
                r#"privileged (container "a" must not set securityContext.privileged=true)"#,
            ),
            (UNMASKED, "baseline:v1.34", r#"procMount (container "z" must not set securityContext.procMount to "Unmasked")"#),
            (UNMASKED, "baseline:v1.35", ""),
            (
                RELABELLED,
                "baseline:v1.30",
                r#"seLinuxOptions (pod and containers "a", "b" set forbidden securityContext.seLinuxOptions: types "container_engine_t", "zz"; user may not be set; role may not be set)"#,
            ),
            (
                RELABELLED,
                "baseline:v1.31",
                r#"seLinuxOptions (containers "a", "b" set forbidden securityContext.seLinuxOptions: type "zz"; user may not be set; role may not be set)"#,
            ),
            (
                "{spec: {securityContext: {seccompProfile: {type: Unconfined}}, containers: [{name: a},
                    {name: b, securityContext: {seccompProfile: {type: Unconfined}}}, {name: c, securityContext: {seccompProfile: {}}}]}}",
                "baseline:v1.19",
                r#"seccompProfile (pod and containers "b", "c" must not set securityContext.seccompProfile.type to "", "Unconfined")"#,
            ),
            (
                "{spec: {securityContext: {sysctls: [{name: net.ipv4.ip_local_reserved_ports}, {name: kernel.shm_rmid_forced}, {name: a}, {name: a}]}}}",
                "baseline:v1.26",
                "forbidden sysctls (net.ipv4.ip_local_reserved_ports, a, a)",
            ),
            (
                "{spec: {securityContext: {windowsOptions: {hostProcess: true}}, containers: [
                    {name: a, securityContext: {windowsOptions: {hostProcess: true}}},
                    {name: b, securityContext: {windowsOptions: {hostProcess: true}}}]}}",
                "baseline:v1.0",
                r#"hostProcess (pod and containers "a", "b" must not set securityContext.windowsOptions.hostProcess=true)"#,
            ),
        ],
        &config(36),
    );
}

#[test]
fn restricted() {
    assert_all(
        &[
            (
                "{spec: {securityContext: {runAsNonRoot: true}, containers: [], volumes: [{name: v, hostPath: {path: /}}, {name: w}, {name: z, nfs: {}}, {name: ok, image: {}}]}}",
                "restricted:v1.20",
                r#"restricted volume types (volumes "v", "w", "z" use restricted volume types "hostPath", "nfs", "unknown")"#,
            ),
            ("{spec: {containers: [{name: a}]}}", "restricted:latest", BARE),
            ("{spec: {os: {name: windows}, containers: [{name: a}]}}", "restricted:v1.24", BARE),
            (
                "{spec: {os: {name: windows}, containers: [{name: a}]}}",
                "restricted:v1.25",
                r#"runAsNonRoot != true (pod or container "a" must set securityContext.runAsNonRoot=true)"#,
            ),
            (
                UNMASKED,
                "restricted:v1.35",
                r#"allowPrivilegeEscalation != false (container "z" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "z" must set securityContext.capabilities.drop=["ALL"]), procMount (container "z" must not set securityContext.procMount to "Unmasked"), seccompProfile (pod or container "z" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")"#,
            ),
            (
                "{metadata: {annotations: {seccomp.security.alpha.kubernetes.io/pod: unconfined, container.seccomp.security.alpha.kubernetes.io/a: x, container.seccomp.security.alpha.kubernetes.io/zzz: ignored}},
                    spec: {securityContext: {runAsNonRoot: true}, containers: [{name: a, securityContext: {allowPrivilegeEscalation: false}}]}}",
                "restricted:v1.18",
                r#"seccompProfile (forbidden annotations container.seccomp.security.alpha.kubernetes.io/a="x", seccomp.security.alpha.kubernetes.io/pod="unconfined")"#,
            ),
            (
                "{metadata: {annotations: {seccomp.security.alpha.kubernetes.io/pod: unconfined}}, spec: {securityContext: {runAsNonRoot: true, seccompProfile: {type: Unconfined}},
                    containers: [{name: a, securityContext: {allowPrivilegeEscalation: false, seccompProfile: {type: Foo}}}]}}",
                "restricted:v1.19",
                r#"seccompProfile (pod and container "a" must not set securityContext.seccompProfile.type to "Foo", "Unconfined")"#,
            ),
            (
                "{spec: {securityContext: {runAsUser: 0, runAsNonRoot: false, seccompProfile: {type: RuntimeDefault}}, containers: [
                    {name: a, securityContext: {runAsUser: 0, allowPrivilegeEscalation: true, capabilities: {drop: [ALL]}}},
                    {name: b, securityContext: {runAsNonRoot: false, allowPrivilegeEscalation: false, capabilities: {drop: [all], add: [NET_BIND_SERVICE, CHOWN]}}}]}}",
                "restricted:v1.23",
                r#"allowPrivilegeEscalation != false (container "a" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "b" must set securityContext.capabilities.drop=["ALL"]; container "b" must not include "CHOWN" in securityContext.capabilities.add), runAsNonRoot != true (pod and container "b" must not set securityContext.runAsNonRoot=false), runAsUser=0 (pod and container "a" must not set runAsUser=0)"#,
            ),
            (
                "{spec: {securityContext: {runAsNonRoot: true}, containers: [{name: a}]}}",
                "restricted:v1.7",
                "",
            ),
            (OWN_ROOT, "restricted:v1.35", ""),
            (
                OWN_ROOT,
                "restricted:v1.34",
                "runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false), runAsUser=0 (pod must not set runAsUser=0)",
            ),
        ],
        &config(36),
    );
}

#[test]
fn privileged_says_nothing() {
    assert_all(&[("{spec: {hostPID: true}}", "privileged:latest", "")], &config(36));
}

#[test]
fn probe_hosts_as_released() {
    assert_all(
        &[
            (
                "{spec: {containers: [
                    {name: z, livenessProbe: {httpGet: {host: b}}, readinessProbe: {tcpSocket: {host: a}}},
                    {name: a, lifecycle: {preStop: {tcpSocket: {host: a}}}}]}}",
                "baseline:v1.34",
                r#"probe or lifecycle host (containers "a", "z" use probe or lifecycle hosts "a", "b")"#,
            ),
            (PROBED, "baseline:v1.34", r#"probe or lifecycle host (container "z" uses probe or lifecycle host "localhost")"#),
            (PROBED, "baseline:v1.33", ""),
            (
                "{spec: {initContainers: [{name: i, lifecycle: {postStart: {httpGet: {host: 127.0.0.1}}}}]}}",
                "baseline:latest",
                r#"probe or lifecycle host (container "i" uses probe or lifecycle host "127.0.0.1")"#,
            ),
            (
                "{spec: {containers: [{name: c, livenessProbe: {httpGet: {host: '', port: 80}}, readinessProbe: {grpc: {port: 1}}}]}}",
                "baseline:latest",
                "",
            ),
        ],
        &config(36),
    );
}

#[test]
fn probe_hosts_as_proposed() {
    assert_all(
        &[
            (
                "{spec: {containers: [{name: c, livenessProbe: {httpGet: {host: 8.8.8.8}}}]}}",
                "baseline:v1.34",
                r#"probeHost (container "c" uses probeHost 8.8.8.8)"#,
            ),
            (
                "{spec: {containers: [{name: b, startupProbe: {tcpSocket: {host: 2.2.2.2}}},
                    {name: a, livenessProbe: {httpGet: {host: 1.1.1.1}}, readinessProbe: {httpGet: {host: '::1'}}}]}}",
                "baseline:latest",
                r#"probeHost (containers "a", "b" use probeHosts 1.1.1.1, 2.2.2.2)"#,
            ),
            (
                "{spec: {containers: [{name: c, livenessProbe: {httpGet: {host: 127.0.0.1}}, lifecycle: {preStop: {tcpSocket: {host: '::1'}}}}]}}",
                "baseline:latest",
                "",
            ),
            (PROBED, "baseline:latest", r#"probeHost (container "z" uses probeHost localhost)"#),
            (PROBED, "baseline:v1.33", ""),
        ],
        &ApiConfig::of(Release::REFERENCE, Behavior::Proposal),
    );
}

#[test]
fn a_release_does_not_know_what_came_later() {
    assert_all(&[(PROBED, "baseline:v1.34", ""), (PROBED, "baseline:latest", "")], &config(33));
    let rmem = "{spec: {securityContext: {sysctls: [{name: net.ipv4.tcp_rmem}, {name: net.ipv4.tcp_notsent_lowat}]}}}";
    for (minor, want) in [
        (31, "forbidden sysctls (net.ipv4.tcp_rmem, net.ipv4.tcp_notsent_lowat)"),
        (36, "forbidden sysctls (net.ipv4.tcp_notsent_lowat)"),
        (37, ""),
    ] {
        assert_eq!(violations_text(rmem, "baseline:latest", &config(minor)), want, "1.{minor}");
    }
    let image = "{spec: {volumes: [{name: v, image: {reference: r}}]}}";
    assert_eq!(violations_text(image, "restricted:v1.0", &config(33)), "");
    assert_eq!(
        violations_text(image, "restricted:v1.0", &config(32)),
        r#"restricted volume types (volume "v" uses restricted volume type "unknown")"#
    );
}

#[test]
fn emulation_takes_the_probe_check_away() {
    let mut config = config(36);
    config.emulated = release(33);
    for at in ["baseline:latest", "baseline:v1.34", "baseline:v1.36"] {
        assert_eq!(violations_text(PROBED, at, &config), "", "{at}");
    }
}

#[test]
fn the_gate_softens_every_version_until_1_34() {
    let mut gated = config(34);
    gated.gates.apply(&["UserNamespacesPodSecurityStandards=true"]).unwrap();
    assert_all(
        &[
            (UNMASKED, "baseline:v1.0", ""),
            (OWN_ROOT, "restricted:v1.23", ""),
            (OWN_ROOT, "restricted:latest", ""),
        ],
        &gated,
    );
    // A later release does not have the gate, even with all alpha gates on.
    let mut later = config(36);
    later.emulated = release(34);
    later.gates = Gates::of(release(36)).emulating(release(34));
    later.gates.apply(&["AllAlpha=true"]).unwrap();
    assert_ne!(violations_text(OWN_ROOT, "restricted:latest", &later), "");
}

#[test]
fn places_are_named_where_they_stand() {
    let object = object(
        "{spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: c, lifecycle: {postStart: {httpGet: {host: a}}}}]}}}}}}",
    );
    let template = object.root().descend(&["spec", "jobTemplate", "spec", "template"]);
    let at = LevelVersion::new("baseline".parse().unwrap(), "latest".parse().unwrap());
    let violations = evaluate(at, &PodView::template(template), &config(36));
    let label = violations.first().and_then(|violation| violation.labels.first()).unwrap();
    assert_eq!(
        label.field.to_string(),
        "spec.jobTemplate.spec.template.spec.containers[0].lifecycle.postStart.httpGet.host"
    );
}
