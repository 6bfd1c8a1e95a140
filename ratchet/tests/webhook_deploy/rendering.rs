//! What kustomize makes of the base, its overlays and components; files that are generated are up to date.

use crate::files::{Objects, documents, kustomize, kustomize_with, manifests, read};
use serde_json::{Value, json};

const BASE: &str = "deploy/webhook/base";
const COMPONENTS: &str = "deploy/webhook/components";
const FILES: &str = "deploy/charts/ratchet-webhook/files";

/// The users of `canonicalize` in a configuration file.
pub(crate) fn users(configuration: &Value) -> String {
    let users = configuration["canonicalize"]["users"].as_array().unwrap();
    users.iter().map(|user| user.as_str().unwrap()).collect::<Vec<_>>().join(",")
}

/// The configuration file in a rendered ConfigMap.
pub(crate) fn configuration(objects: &Objects) -> Value {
    let text = objects["ConfigMap/ratchet-webhook"]["data"]["webhook.yaml"].as_str().unwrap();
    documents(text).remove(0)
}

#[test]
fn generated_files_are_what_the_program_prints() {
    let users = users(&documents(&read(&format!("{BASE}/webhook.yaml")))[0]);
    let generated = [
        (vec![], format!("{BASE}/validating-webhook-configuration.yaml")),
        (vec![], format!("{FILES}/validating-webhook-configuration.yaml")),
        (
            vec!["--all-pods".to_owned()],
            format!("{COMPONENTS}/pod-security/webhooks/validating-webhook-configuration.yaml"),
        ),
        (
            vec!["--all-pods".to_owned()],
            format!("{FILES}/validating-webhook-configuration-all-pods.yaml"),
        ),
        (
            vec![format!("--canonicalize-users={users}")],
            format!("{COMPONENTS}/mutate/mutating-webhook-configuration.yaml"),
        ),
        (
            vec![format!("--canonicalize-users={users}")],
            format!("{FILES}/mutating-webhook-configuration.yaml"),
        ),
    ];
    for (flags, file) in generated {
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let is_same = manifests(&flags) == read(&file);
        assert!(is_same, "run: ratchet webhook manifests {} > {file}", flags.join(" "));
    }
    for (source, copy) in [
        ("alerts/prometheus-rule.yaml", "prometheus-rule.yaml"),
        ("dashboard/ratchet-webhook.json", "ratchet-webhook.json"),
    ] {
        let (source, copy) = (format!("{COMPONENTS}/{source}"), format!("{FILES}/{copy}"));
        assert!(read(&source) == read(&copy), "run: cp {source} {copy}");
    }
}

#[test]
fn overlays_differ_in_modes_and_in_the_failure_policy_only() {
    let base = kustomize("overlays/audit");
    assert_eq!(configuration(&base)["mode"], "audit");
    let webhooks = documents(&manifests(&[])).remove(0);
    assert_eq!(base["ValidatingWebhookConfiguration/ratchet-webhook"], webhooks);
    for mode in ["warn", "enforce"] {
        let mut overlay = kustomize(&format!("overlays/{mode}"));
        assert_eq!(configuration(&overlay)["mode"], mode);
        overlay
            .insert("ConfigMap/ratchet-webhook".into(), base["ConfigMap/ratchet-webhook"].clone());
        assert!(overlay == base, "{mode} changes more than the configuration file");
    }
    let fail = kustomize("overlays/fail");
    let webhooks = documents(&manifests(&["--failure-policy=fail"])).remove(0);
    assert_eq!(fail["ValidatingWebhookConfiguration/ratchet-webhook"], webhooks);
    assert_eq!(fail["Deployment/ratchet-webhook"]["spec"]["replicas"], 3);
    assert_eq!(fail.len(), base.len());
}

#[test]
fn everything_can_be_put_together() {
    let all = ["service-monitor", "alerts", "dashboard", "mutate", "findings", "pod-security"];
    let own = kustomize_with("enforce", &all);
    let arguments =
        &own["Deployment/ratchet-webhook"]["spec"]["template"]["spec"]["containers"][0]["args"];
    let arguments: Vec<&str> =
        arguments.as_array().unwrap().iter().map(|own| own.as_str().unwrap()).collect();
    for flag in ["--self-signed", "--events", "--reports"] {
        assert!(arguments.contains(&flag), "{flag}: {arguments:?}");
    }
    let webhooks = documents(&manifests(&["--all-pods"])).remove(0);
    assert_eq!(own["ValidatingWebhookConfiguration/ratchet-webhook"], webhooks);
    assert!(!own.contains_key("ValidatingWebhookConfiguration/ratchet-webhook-all-pods"));

    let managed = kustomize_with("enforce", &[&all[..], &["cert-manager"]].concat());
    let inject = json!({"cert-manager.io/inject-ca-from": "ratchet-system/ratchet-webhook"});
    for kind in ["Validating", "Mutating"] {
        let object = &managed[&format!("{kind}WebhookConfiguration/ratchet-webhook")];
        assert_eq!(object["metadata"]["annotations"], inject);
    }
    let certificate = &managed["Certificate/ratchet-webhook"]["spec"];
    let issuer = &certificate["issuerRef"];
    let name = format!("{}/{}", issuer["kind"].as_str().unwrap(), issuer["name"].as_str().unwrap());
    assert_eq!(managed[&name]["apiVersion"], "cert-manager.io/v1");
    let names = certificate["dnsNames"].as_array().unwrap();
    assert!(names.contains(&json!("ratchet-webhook.ratchet-system.svc")), "{names:?}");
    // What the program reads is what cert-manager writes, where it is mounted.
    let pod = &managed["Deployment/ratchet-webhook"]["spec"]["template"]["spec"];
    let container = &pod["containers"][0];
    let find = |list: &Value, key: &str, value: &str| {
        let found = list.as_array().unwrap().iter().find(|one| one[key] == value);
        found.unwrap_or_else(|| panic!("{value}: {list}")).clone()
    };
    let mount = find(&container["volumeMounts"], "mountPath", "/tls");
    let volume = find(&pod["volumes"], "name", mount["name"].as_str().unwrap());
    assert_eq!(volume["secret"]["secretName"], certificate["secretName"]);
    for flag in ["--tls-cert-file=/tls/tls.crt", "--tls-private-key-file=/tls/tls.key"] {
        assert!(container["args"].as_array().unwrap().contains(&json!(flag)), "{container}");
    }
    let monitor = &managed["ServiceMonitor/ratchet-webhook"]["spec"]["endpoints"][0]["tlsConfig"];
    let secret = &managed["Certificate/ratchet-webhook"]["spec"]["secretName"];
    assert_eq!(&monitor["ca"]["secret"]["name"], secret);
    let text = serde_json::to_string(&managed).unwrap();
    assert!(!text.contains("--self-signed"), "the webhook would make certificates of its own");
    assert!(!text.contains("secrets"), "no role may read Secrets with cert-manager");
}

#[test]
fn the_pods_are_restricted_and_their_roles_small() {
    let base = kustomize("base");
    let labels = &base["Namespace/ratchet-system"]["metadata"]["labels"];
    assert_eq!(labels["pod-security.kubernetes.io/enforce"], "restricted");
    let template = &base["Deployment/ratchet-webhook"]["spec"]["template"];
    // Our own engine says whether the pods are restricted.
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "w"}, "spec": template["spec"]});
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pod.yaml");
    std::fs::write(&file, pod.to_string()).unwrap();
    let mut check = std::process::Command::new(env!("CARGO_BIN_EXE_ratchet"));
    crate::files::output(check.args(["check", "--pod-security=restricted"]).arg(&file));
    for (name, role) in base.iter().filter(|(name, _)| name.contains("Role/")) {
        for rule in role["rules"].as_array().unwrap() {
            let text = rule.to_string();
            assert!(!text.contains('*'), "{name}: {text}");
            let reads_secrets = text.contains("secrets") && !text.contains("\"create\"");
            assert!(!reads_secrets || rule["resourceNames"].is_array(), "{name}: {text}");
        }
    }
}
