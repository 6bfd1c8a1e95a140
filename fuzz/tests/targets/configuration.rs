//! Fuzz target `configuration`: a Pod Security configuration is parsed or refused, and survives a round trip.

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a helper of a test may fail like a test"
)]

use ratchet_engine::pod_security::{Configuration, LevelVersion, Modes, PluginConfiguration};
use ratchet_fuzz::{Choices, tree};
use ratchet_object::{Limits, Object, decode};

const WORDS: &[&str] = &[
    "apiVersion",
    "kind",
    "defaults",
    "exemptions",
    "enforce",
    "enforce-version",
    "audit",
    "warn",
    "audit-version",
    "warn-version",
    "usernames",
    "namespaces",
    "runtimeClasses",
    "plugins",
    "name",
    "path",
    "configuration",
    "PodSecurity",
    "PodSecurityConfiguration",
    "AdmissionConfiguration",
    "pod-security.admission.config.k8s.io/v1",
    "apiserver.config.k8s.io/v1",
    "privileged",
    "baseline",
    "restricted",
    "latest",
    "v1.34",
    "v1.034",
    "v1.",
    "kube-system",
    "A",
    "a.b",
    "_",
];

#[test]
fn configuration() {
    ratchet_fuzz::fuzz!("configuration", WORDS, check);
}

fn check(text: &str) {
    let limits = Limits { nodes: 5_000, ..Limits::DEFAULT };
    let Ok(decoded) = decode(text, limits) else { return };
    let mut choices = Choices::hashed(text.as_bytes());
    for mut node in decoded.documents {
        check_object(&Object::new(node.clone()));
        tree::graft(&mut node, &mut choices);
        check_object(&Object::new(node));
    }
}

fn check_object(object: &Object<'_>) {
    let plain = Configuration::from_object(object);
    assert_eq!(plain, Configuration::from_object(object));
    match &plain {
        Ok(configuration) => check_again(configuration),
        Err(why) => {
            assert!(why.to_string().contains("admission plugin \"PodSecurity\": "), "{why}");
        }
    }
    let plugin = PluginConfiguration::from_object(object);
    assert_eq!(plugin, PluginConfiguration::from_object(object));
    // One object cannot be both.
    assert!(plain.is_err() || plugin.is_err());
    match &plugin {
        Ok(PluginConfiguration::Inline(configuration)) => check_again(configuration),
        Ok(PluginConfiguration::Path(path)) => assert!(!path.is_empty()),
        Ok(PluginConfiguration::Absent) => {}
        Err(why) => assert!(why.to_string().contains(": "), "{why}"),
    }
}

fn check_again(configuration: &Configuration) {
    let Modes { enforce, audit, warn } = &configuration.defaults;
    let mode = |name, LevelVersion { level, version }: &LevelVersion| {
        format!("{name}: {level}, {name}-version: {version}")
    };
    let defaults = [mode("enforce", enforce), mode("audit", audit), mode("warn", warn)].join(", ");
    let list = |texts: &[String]| serde_json::to_string(texts).unwrap();
    let exemptions = &configuration.exemptions;
    let written = format!(
        "apiVersion: pod-security.admission.config.k8s.io/v1\n\
         kind: PodSecurityConfiguration\n\
         defaults: {{{defaults}}}\n\
         exemptions:\n  usernames: {}\n  namespaces: {}\n  runtimeClasses: {}\n",
        list(&exemptions.usernames),
        list(&exemptions.namespaces),
        list(&exemptions.runtime_classes)
    );
    let Ok(decoded) = decode(&written, Limits::DEFAULT) else {
        // Names of users are free text, and JSON escapes not all that YAML wants to be escaped.
        assert!(exemptions.usernames.iter().any(|name| name.contains(|c: char| !c.is_ascii())));
        return;
    };
    let object = Object::new(decoded.documents[0].clone());
    assert_eq!(Configuration::from_object(&object).as_ref(), Ok(configuration), "{written}");
    for name in &exemptions.namespaces {
        assert!(exemptions.holds_namespace(name));
    }
}
