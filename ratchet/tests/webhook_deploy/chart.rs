//! The chart: with its usual names it makes the objects of kustomize, and bad values are refused.

use crate::files::{Objects, chart, documents, helm, kustomize, kustomize_with};
use serde_json::Value;

/// An object without the labels and comments that only one of the two tools adds.
fn comparable(mut object: Value) -> Value {
    if let Some(labels) = object["metadata"]["labels"].as_object_mut() {
        labels.retain(|key, _| key.starts_with("pod-security") || key.starts_with("grafana"));
    }
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.retain(|key, value| {
            key != "labels" || value.as_object().is_some_and(|own| !own.is_empty())
        });
    }
    // The file's text differs in comments and order.
    if let Some(text) = object["data"]["webhook.yaml"].as_str() {
        object["data"]["webhook.yaml"] = documents(text).remove(0);
    }
    if let Some(text) = object["data"]["ratchet-webhook.json"].as_str() {
        object["data"]["ratchet-webhook.json"] = serde_json::from_str(text).unwrap();
    }
    // Both add mounts of their own: in any order.
    let spec = &mut object["spec"]["template"]["spec"];
    for list in ["/volumes", "/containers/0/volumeMounts"] {
        if let Some(Value::Array(list)) = spec.pointer_mut(list) {
            list.sort_by_key(ToString::to_string);
        }
    }
    if object["spec"]["template"].is_null()
        && let Some(spec) = object["spec"].as_object_mut()
    {
        spec.remove("template");
    }
    object
}

fn assert_same(mut kustomize: Objects, mut chart: Objects) {
    let names = |objects: &Objects| objects.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&kustomize), names(&chart));
    while let Some((name, object)) = kustomize.pop_first() {
        let other = chart.remove(&name).unwrap();
        assert_eq!(comparable(object), comparable(other), "{name}");
    }
}

#[test]
fn it_makes_what_kustomize_makes() {
    let namespace = "--set=namespace.create=true";
    assert_same(kustomize("overlays/audit"), chart(&[namespace]));
    assert_same(kustomize("overlays/enforce"), chart(&[namespace, "--set=mode=enforce"]));
    let fail =
        "--set=mode=enforce,failurePolicy=Fail,replicas=3,podDisruptionBudget.minAvailable=2";
    assert_same(kustomize("overlays/fail"), chart(&[namespace, fail]));
    let all = ["service-monitor", "alerts", "dashboard", "mutate", "findings", "pod-security"];
    let on = "--set=serviceMonitor.enabled=true,alerts.enabled=true,dashboard.enabled=true,mutate.enabled=true,\
              findings.enabled=true,podSecurity.enabled=true";
    assert_same(kustomize_with("audit", &all), chart(&[namespace, on]));
    let managed = kustomize_with("audit", &[&all[..], &["cert-manager"]].concat());
    assert_same(managed, chart(&[namespace, on, "--set=certificates.source=certManager"]));
}

#[test]
fn another_name_and_namespace_hold_everywhere() {
    let mut command = helm();
    command.args([
        "template",
        "guard",
        "ratchet-webhook",
        "-n",
        "edge",
        "--set=namespace.create=true",
    ]);
    command.arg("--set=serviceMonitor.enabled=true,alerts.enabled=true,mutate.enabled=true");
    let text = crate::files::output(&mut command);
    assert!(!text.contains("ratchet-system"), "the usual namespace is left somewhere");
    let objects = crate::files::objects(&text);
    let webhooks = &objects["ValidatingWebhookConfiguration/guard-ratchet-webhook"]["webhooks"];
    for webhook in webhooks.as_array().unwrap() {
        let name = webhook["name"].as_str().unwrap();
        assert!(name.ends_with(".guard-ratchet-webhook.edge.svc"), "{name}");
        assert_eq!(webhook["clientConfig"]["service"]["name"], "guard-ratchet-webhook");
        if let Some(expressions) = webhook["namespaceSelector"]["matchExpressions"].as_array() {
            assert!(expressions[0]["values"].as_array().unwrap().contains(&"edge".into()));
        }
    }
    for flag in
        ["--service-name", "--cert-secret-name", "--lease-name", "--webhook-configuration-name"]
    {
        assert!(text.contains(&format!("- {flag}=guard-ratchet-webhook")), "{flag}");
    }
}

#[test]
fn the_image_is_the_one_that_is_built_unless_another_is_named() {
    let image = |flags: &[&str]| {
        let objects = chart(flags);
        let pod = &objects["Deployment/ratchet-webhook"]["spec"]["template"]["spec"];
        pod["containers"][0]["image"].as_str().unwrap().to_owned()
    };
    let version = env!("CARGO_PKG_VERSION");
    assert_eq!(image(&[]), format!("ratchet:{version}"));
    let named = ["--set=image.repository=registry.example/ratchet,image.tag=v2"];
    assert_eq!(image(&named), "registry.example/ratchet:v2");
    let mut command = helm();
    command.args(["template", "a", "ratchet-webhook", "--set=image.repository="]);
    let done = command.output().unwrap();
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(!done.status.success(), "a chart without an image");
    assert!(errors.contains("image.repository must name the image in your registry"), "{errors}");
}

#[test]
fn bad_values_are_refused_with_their_place() {
    for (value, place) in [
        ("mode=mild", "/mode"),
        ("rules.RTC-IP=mild", "/rules/RTC-IP"),
        ("replicas=0", "/replicas"),
        ("failurePolicy=Maybe", "/failurePolicy"),
        ("modes=warn", "additional properties 'modes'"),
        ("externalIPs.allow[0].users={ann}", "/externalIPs/allow/0"),
        ("certificates.source=magic", "/certificates/source"),
        ("timeoutSeconds=31", "/timeoutSeconds"),
    ] {
        let done =
            helm().args(["template", "a", "ratchet-webhook", "--set", value]).output().unwrap();
        let errors = String::from_utf8_lossy(&done.stderr);
        assert!(!done.status.success() && errors.contains(place), "{value}: {errors}");
    }
}

#[test]
fn configuration_files_of_the_chart_are_right() {
    let more = "--set=mode=warn,rules.RTC-IP=enforce,namespaceLabels=false,exemptions.users={ann},\
                externalIPs.allow[0].cidrs={203.0.113.0/24}";
    let objects = chart(&[more]);
    let text = objects["ConfigMap/ratchet-webhook"]["data"]["webhook.yaml"].as_str().unwrap();
    let configuration = ratchet_webhook_server::Configuration::parse(text).unwrap();
    assert!(!configuration.namespace_labels && configuration.external_ips.is_some());
    for file in ["base/webhook.yaml", "overlays/warn/webhook.yaml", "overlays/enforce/webhook.yaml"]
    {
        let text = crate::files::read(&format!("deploy/webhook/{file}"));
        ratchet_webhook_server::Configuration::parse(&text).unwrap();
    }
}
