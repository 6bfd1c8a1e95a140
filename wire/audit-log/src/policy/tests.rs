//! Tests of policies: validation errors, and matching of rules.

use super::*;
use proptest::prelude::*;

fn policy(rules: &str) -> Result<Policy, String> {
    Policy::parse(&format!("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n{rules}"))
}

fn refused(text: &str, message: &str) {
    let why = policy(text).unwrap_err();
    assert_eq!(why, format!("loading audit policy file: {message}"), "{text}");
}

#[test]
fn what_is_wrong_is_told_in_the_words_of_the_api_server() {
    refused("- users: [a]", "rules[0].level: Required value");
    refused(
        "- level: None\n- level: Everything",
        r#"rules[1].level: Unsupported value: "Everything": supported values: "None", "Metadata", "Request", "RequestResponse""#,
    );
    refused(
        "- level: None\n  omitStages: [RequestReceived, Later]",
        r#"rules[0].omitStages[1]: Invalid value: "Later": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic"#,
    );
    refused(
        "- level: None\n  nonResourceURLs: ['*', metrics, /a*b, '']",
        r#"[rules[0].nonResourceURLs[1]: Invalid value: "metrics": non-resource URL rules must begin with a '/' character, rules[0].nonResourceURLs[2]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule, rules[0].nonResourceURLs[3]: Invalid value: "": non-resource URL rules must begin with a '/' character]"#,
    );
    refused(
        "- level: None\n  nonResourceURLs: [/a]\n  namespaces: [b]",
        r#"rules[0].nonResourceURLs: Invalid value: ["/a"]: rules cannot apply to both regular resources and non-resource URLs"#,
    );
    refused(
        "- level: None\n  resources: [{group: '', resourceNames: [a]}]",
        r#"rules[0].resources.resourceNames: Invalid value: ["a"]: using resourceNames requires at least one resource"#,
    );
    let why = policy("- level: None\n  resources: [{group: apps/v1}]").unwrap_err();
    assert!(
        why.contains(r#"rules[0].resources.group: Invalid value: "apps/v1": a lowercase RFC 1123"#),
        "{why}"
    );
    refused("  []", "loaded illegal policy with 0 rules");
}

#[test]
fn what_is_not_a_policy_is_refused() {
    for (text, message) in [
        ("", "failed decoding: Object 'Kind' is missing in '{}'"),
        ("kind: Policy", "failed decoding: Object 'apiVersion' is missing in"),
        ("apiVersion: audit.k8s.io/v1beta1\nkind: Policy", "failed decoding: no kind \"Policy\""),
        ("apiVersion: v1\nkind: Pod", "failed decoding: no kind \"Pod\""),
        ("{", "failed decoding: "),
        ("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: 1", "failed decoding: json: cannot"),
        ("apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [1]", "failed decoding: json: cannot"),
    ] {
        let why = Policy::parse(text).unwrap_err();
        assert!(why.starts_with(&format!("loading audit policy file: {message}")), "{text}: {why}");
    }
    for rule in ["- level: 1", "- {level: None, users: a}", "- {level: None, verbs: [1]}"] {
        assert!(policy(rule).unwrap_err().contains("cannot unmarshal"), "{rule}");
    }
}

#[test]
fn unknown_fields_are_passed_over() {
    assert!(policy("- {level: Metadata, levle: None}").is_ok());
    assert!(policy("- {level: Metadata, users: null, resources: [{group: null}]}").is_ok());
}

#[test]
fn a_file_is_named_in_what_is_wrong_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("policy.yaml");
    assert!(Policy::load(&path).unwrap_err().contains("failed to read file path"));
    std::fs::write(&path, "kind: Policy").unwrap();
    let why = Policy::load(&path).unwrap_err();
    assert!(why.ends_with(&format!(": from file {}", path.display())), "{why}");
}

fn level_of(rules: &str, request: Attributes<'_>) -> Level {
    policy(rules).unwrap().level(&request).level
}

#[test]
fn the_first_rule_that_fits_decides() {
    let groups = ["dev".to_owned(), "ops".to_owned()];
    let get = Attributes {
        user: Some("jane"),
        groups: &groups,
        verb: "get",
        is_resource_request: true,
        resource: "pods",
        namespace: "default",
        name: "web",
        path: "/api/v1/namespaces/default/pods/web",
        ..Attributes::default()
    };
    let log = Attributes { subresource: "log", ..get };
    let scale =
        Attributes { api_group: "apps", resource: "deployments", subresource: "scale", ..get };
    let node = Attributes { resource: "nodes", namespace: "", ..get };
    let health =
        Attributes { is_resource_request: false, resource: "", path: "/healthz/etcd", ..get };
    let nobody = Attributes { user: None, groups: &[], ..get };
    let secret = Attributes { resource: "secrets", ..get };

    // A condition, matching requests, and others.
    let table: &[(&str, &[Attributes<'_>], &[Attributes<'_>])] = &[
        ("{}", &[get, log, node, health, nobody], &[]),
        ("{users: [joe, jane]}", &[get, health], &[nobody]),
        ("{users: [joe]}", &[], &[get, nobody]),
        ("{userGroups: [ops]}", &[get], &[nobody]),
        ("{userGroups: [none]}", &[], &[get]),
        ("{verbs: [list, get]}", &[get, health], &[]),
        ("{verbs: [list]}", &[], &[get, health]),
        ("{namespaces: [default]}", &[get], &[node, health]),
        ("{namespaces: ['']}", &[node], &[get, health]),
        ("{resources: [{group: ''}]}", &[get, log, secret, node], &[scale, health]),
        ("{resources: [{group: '*'}]}", &[get, scale], &[health]),
        ("{resources: [{resources: [pods]}]}", &[get], &[log, secret, scale]),
        ("{resources: [{resources: [pods/log]}]}", &[log], &[get]),
        ("{resources: [{resources: ['pods/*']}]}", &[get, log], &[secret]),
        ("{resources: [{group: '*', resources: ['*/scale']}]}", &[scale], &[get, log]),
        ("{resources: [{resources: ['*']}]}", &[get, log, node], &[scale]),
        ("{resources: [{resources: [pods], resourceNames: [web]}]}", &[get], &[log]),
        ("{resources: [{resources: [pods], resourceNames: [db]}]}", &[], &[get]),
        ("{nonResourceURLs: ['/healthz*']}", &[health], &[get]),
        ("{nonResourceURLs: ['/healthz']}", &[], &[health]),
        ("{nonResourceURLs: ['*']}", &[health], &[get]),
    ];
    for (condition, fits, others) in table {
        let condition = condition.trim_start_matches('{');
        let comma = if condition == "}" { "" } else { ", " };
        let rules = format!("- {{level: Metadata{comma}{condition}\n- level: Request");
        for request in *fits {
            assert_eq!(level_of(&rules, *request), Level::Metadata, "{rules} {request:?}");
        }
        for request in *others {
            assert_eq!(level_of(&rules, *request), Level::Request, "{rules} {request:?}");
        }
    }
    assert_eq!(level_of("- {level: Metadata, users: [joe]}", get), Level::None);
}

#[test]
fn what_a_rule_leaves_out_is_added_to_what_the_policy_leaves_out() {
    let policy = Policy::parse(
        "apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
omitManagedFields: true
rules:
- {level: Request, verbs: [get], omitStages: [Panic], omitManagedFields: false}
- {level: Request, verbs: [list]}",
    )
    .unwrap();
    let level_for = |verb| policy.level(&Attributes { verb, ..Attributes::default() });
    let get = level_for("get");
    assert!(
        get.omit_stages.contains(Stage::RequestReceived) && get.omit_stages.contains(Stage::Panic)
    );
    assert!(!get.omit_stages.contains(Stage::ResponseComplete) && !get.omit_managed_fields);
    let list = level_for("list");
    assert!(!list.omit_stages.contains(Stage::Panic) && list.omit_managed_fields);
    let other = level_for("watch");
    assert_eq!(other.level, Level::None);
    assert!(other.omit_stages.contains(Stage::RequestReceived) && other.omit_managed_fields);
}

proptest! {
    #[test]
    fn no_text_breaks_the_reader(text in "\\PC{0,200}") {
        let _ = Policy::parse(&text);
        let _ = policy(&text);
    }
}
