//! Tests of the validation of webhook configurations and mutating policies: the reference's errors.

use crate::testing::node;
use crate::validate;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::slice::from_ref;
use ratchet_engine::{ApiConfig, Behavior, Change, Release, Verdict};
use ratchet_object::{Object, defaults};

const GROUP: &str = "admissionregistration.k8s.io";
const NONE: [&str; 0] = [];
const RULE: &str =
    "{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}";

fn object(kind: &str, body: &str) -> Object<'static> {
    let text = format!("{{apiVersion: {GROUP}/v1, kind: {kind}, metadata: {{name: x}}, {body}}}");
    let mut node = node(&text);
    defaults::apply(GROUP, "v1", kind, &mut node);
    Object::new(node)
}

fn errors(change: &Change<'_>) -> Vec<String> {
    let mut verdict = Verdict::default();
    validate(change, &ApiConfig::of(Release::REFERENCE, Behavior::Released), &mut verdict);
    let errors = verdict.errors.iter();
    errors.map(|error| format!("{}: {}", error.field, error.message())).collect()
}

fn of_create(kind: &str, body: &str) -> Vec<String> {
    errors(&Change::create(&object(kind, body)).unwrap())
}

/// A webhook that is valid but for `fields`.
fn hook(fields: &str) -> String {
    let mut whole = fields.to_string();
    for (name, value) in [
        ("name", "a.example.com"),
        ("sideEffects", "None"),
        ("admissionReviewVersions", "[v1]"),
        ("clientConfig", "{url: 'https://example.com/'}"),
    ] {
        if !fields.starts_with(&format!("{name}:")) {
            whole = format!("{name}: {value}, {whole}");
        }
    }
    format!("{{{whole}}}")
}

/// The errors of hooks, without `webhooks[0].` of the first.
fn hooks(kind: &str, hooks: &[String]) -> Vec<String> {
    let found = of_create(kind, &format!("webhooks: [{}]", hooks.join(", ")));
    found.iter().map(|text| text.replacen("webhooks[0].", "", 1)).collect()
}

fn validating(fields: &str) -> Vec<String> {
    hooks("ValidatingWebhookConfiguration", &[hook(fields)])
}

fn mutating(fields: &str) -> Vec<String> {
    hooks("MutatingWebhookConfiguration", &[hook(fields)])
}

const SUBDOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

#[test]
fn what_is_well_made_has_no_errors() {
    assert_eq!(validating(""), NONE);
    assert_eq!(
        mutating(&format!(
            "rules: [{RULE}], reinvocationPolicy: IfNeeded, matchConditions: [{{name: a, expression: 'true'}}]"
        )),
        NONE
    );
    assert_eq!(of_create("ValidatingWebhookConfiguration", "webhooks: []"), NONE);
    assert_eq!(of_create("MutatingWebhookConfiguration", ""), NONE);
    let service = "clientConfig: {service: {name: s, namespace: ns, path: /a/b.c/}}";
    assert_eq!(validating(service), NONE);
    let condition = "matchConditions: [{name: a, expression: \"namespaceObject.metadata.name == 'x' && authorizer.path('/').check('get').allowed()\"}]";
    assert_eq!(validating(condition), NONE);
}

#[test]
fn names_are_domains_and_differ() {
    let all = [
        hook("name: ''"),
        hook("name: short"),
        hook("name: two.parts"),
        hook("name: Upper.example.com"),
        hook("name: same.example.com"),
        hook("name: same.example.com"),
    ];
    assert_eq!(
        hooks("ValidatingWebhookConfiguration", &all),
        [
            "name: Required value".to_string(),
            "webhooks[1].name: Invalid value: \"short\": should be a domain with at least three segments separated by dots".to_string(),
            "webhooks[2].name: Invalid value: \"two.parts\": should be a domain with at least three segments separated by dots".to_string(),
            format!("webhooks[3].name: Invalid value: \"Upper.example.com\": {SUBDOMAIN}"),
            "webhooks[5].name: Duplicate value: \"same.example.com\"".to_string(),
        ]
    );
}

#[test]
fn choices_versions_and_timeouts() {
    for (fields, error) in [
        (
            "sideEffects: null",
            "sideEffects: Required value: must specify one of None, NoneOnDryRun",
        ),
        (
            "sideEffects: Some",
            "sideEffects: Unsupported value: \"Some\": supported values: \"None\", \"NoneOnDryRun\"",
        ),
        (
            "failurePolicy: Maybe",
            "failurePolicy: Unsupported value: \"Maybe\": supported values: \"Fail\", \"Ignore\"",
        ),
        (
            "matchPolicy: Near",
            "matchPolicy: Unsupported value: \"Near\": supported values: \"Equivalent\", \"Exact\"",
        ),
        (
            "timeoutSeconds: 0",
            "timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 seconds",
        ),
        (
            "timeoutSeconds: 31",
            "timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds",
        ),
        (
            "admissionReviewVersions: []",
            "admissionReviewVersions: Required value: must specify one of v1, v1beta1",
        ),
        (
            "admissionReviewVersions: [v2]",
            "admissionReviewVersions: Invalid value: [\"v2\"]: must include at least one of v1, v1beta1",
        ),
        (
            "admissionReviewVersions: [v1, v1]",
            "admissionReviewVersions[1]: Invalid value: \"v1\": duplicate version",
        ),
    ] {
        assert_eq!(validating(fields), [error], "{fields}");
        assert_eq!(mutating(fields), [error], "{fields}");
    }
    assert_eq!(
        mutating("reinvocationPolicy: Always"),
        [
            "reinvocationPolicy: Unsupported value: \"Always\": supported values: \"IfNeeded\", \"Never\""
        ]
    );
}

#[test]
fn clients_have_a_url_or_a_service() {
    const FORM: &str = "; desired format: https://host[/path]";
    let url = |text: &str| validating(&format!("clientConfig: {{url: '{text}'}}"));
    for (text, error) in [
        (
            "http://a.b/",
            format!("Invalid value: \"http\": 'https' is the only allowed URL scheme{FORM}"),
        ),
        ("https:///x", format!("Invalid value: \"\": host must be specified{FORM}")),
        (
            "https://user:secret@example.com/x",
            "Invalid value: \"user:secret\": user information is not permitted in the URL"
                .to_string(),
        ),
        (
            "https://example.com/x?a=b",
            "Invalid value: \"a=b\": query parameters are not permitted in the URL".to_string(),
        ),
        (
            "https://example.com/x#y",
            "Invalid value: \"y\": fragments are not permitted in the URL".to_string(),
        ),
        (
            "https://a:x/",
            format!(
                "Required value: url must be a valid URL: parse \"https://a:x/\": invalid port \":x\" after host{FORM}"
            ),
        ),
    ] {
        assert_eq!(url(text), [format!("clientConfig.url: {error}")], "{text}");
    }
    assert_eq!(url("").len(), 2, "neither a scheme nor a host");
    let one = "clientConfig: Required value: exactly one of url or service is required";
    assert_eq!(validating("clientConfig: {}"), [one]);
    assert_eq!(
        validating("clientConfig: {url: 'https://a/', service: {name: s, namespace: ns}}"),
        [one]
    );
    let service = |fields: &str| validating(&format!("clientConfig: {{service: {{{fields}}}}}"));
    assert_eq!(service("name: s"), ["clientConfig.service.name: Required value"]);
    assert_eq!(service("namespace: ns"), ["clientConfig.service.namespace: Required value"]);
    assert_eq!(
        service("port: 0"),
        [
            "clientConfig.service.name: Required value",
            "clientConfig.service.namespace: Required value",
            "clientConfig.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive",
        ]
    );
    for (path, error) in [
        ("//", "segment[0] may not be empty".to_string()),
        ("no-slash", "must start with a '/'".to_string()),
        ("/a//b", "segment[1] may not be empty".to_string()),
        ("/a_b", format!("segment[0]: {SUBDOMAIN}")),
        ("/a?b", format!("segment[0]: {SUBDOMAIN}")),
    ] {
        let found = service(&format!("name: s, namespace: ns, path: '{path}'"));
        assert_eq!(
            found,
            [format!("clientConfig.service.path: Invalid value: \"{path}\": {error}")]
        );
    }
}

#[test]
fn rules_selectors_and_conditions() {
    assert_eq!(
        validating(
            "rules: [{apiGroups: ['*', a], apiVersions: [], operations: [GET], resources: ['*/*', pods], scope: All}]"
        ),
        [
            "rules[0].operations[0]: Unsupported value: \"GET\": supported values: \"*\", \"CONNECT\", \"CREATE\", \"DELETE\", \"UPDATE\"",
            "rules[0].apiGroups: Invalid value: [\"*\",\"a\"]: if '*' is present, must not specify other API groups",
            "rules[0].apiVersions: Required value",
            "rules[0].resources: Invalid value: [\"*/*\",\"pods\"]: if '*/*' is present, must not specify other resources",
            "rules[0].scope: Unsupported value: \"All\": supported values: \"*\", \"Cluster\", \"Namespaced\"",
        ]
    );
    assert_eq!(
        validating("objectSelector: {matchExpressions: [{key: a, operator: In}]}"),
        [
            "objectSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"
        ]
    );
    let condition = |text: &str| {
        validating(&format!("matchConditions: [{{name: a, expression: \"{text}\"}}]")).join("; ")
    };
    assert_eq!(
        condition("'text'"),
        "matchConditions[0].expression: Invalid value: \"'text'\": must evaluate to bool but got string"
    );
    for name in ["params", "variables", "nope"] {
        let error = condition(&format!("{name}.x == 1"));
        assert!(
            error.contains(&format!(
                "compilation failed: ERROR: <input>:1:1: undeclared reference to '{name}'"
            )),
            "{error}"
        );
    }
    let many: Vec<String> =
        (0..65).map(|at| format!("{{name: n{at}, expression: 'true'}}")).collect();
    assert_eq!(
        validating(&format!("matchConditions: [{}]", many.join(", "))),
        ["matchConditions: Too many: 65: must have at most 64 items"]
    );
}

#[test]
fn what_was_stored_may_stay() {
    let kind = "ValidatingWebhookConfiguration";
    let of = |hooks: &[String]| object(kind, &format!("webhooks: [{}]", hooks.join(", ")));
    let update =
        |old: &[String], new: &[String]| errors(&Change::update(&of(old), &of(new)).unwrap());
    let some = hook("sideEffects: Some");
    assert_eq!(update(from_ref(&some), from_ref(&some)), NONE);
    assert_eq!(update(&[hook("")], &[some]).len(), 1);
    let v2 = hook("admissionReviewVersions: [v2]");
    assert_eq!(update(from_ref(&v2), from_ref(&v2)), NONE);
    let (twice, once) = ([hook(""), hook("")], [hook("")]);
    assert_eq!(update(&twice, &twice), NONE);
    assert_eq!(update(&once, &twice).len(), 1);
    let odd = hook("objectSelector: {matchExpressions: [{key: a, operator: In, values: ['b c']}]}");
    assert_eq!(update(from_ref(&odd), from_ref(&odd)), NONE);
    assert_eq!(update(&[hook("")], &[odd]).len(), 1);
    let bad = |timeout: u8| {
        hook(&format!(
            "timeoutSeconds: {timeout}, matchConditions: [{{name: a, expression: nope}}]"
        ))
    };
    assert_eq!(update(&[bad(1)], &[bad(2)]), NONE, "conditions that stay are not compiled again");
    assert_eq!(update(&[bad(1)], &[bad(2), hook("name: b.example.com")]).len(), 1);
}

fn policy(spec: &str) -> Vec<String> {
    let mut whole = spec.to_string();
    for (name, value) in [
        ("matchConstraints", format!("{{resourceRules: [{RULE}]}}")),
        ("reinvocationPolicy", "Never".to_string()),
        (
            "mutations",
            "[{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{}'}}]"
                .to_string(),
        ),
    ] {
        if !spec.contains(&format!("{name}:")) {
            whole = format!("{name}: {value}, {whole}");
        }
    }
    of_create("MutatingAdmissionPolicy", &format!("spec: {{{whole}}}"))
}

#[test]
fn mutating_policies() {
    assert_eq!(policy(""), NONE);
    for (spec, errors) in [
        ("matchConstraints: null", ["spec.matchConstraints: Required value"].as_slice()),
        ("matchConstraints: {}", &["spec.matchConstraints.resourceRules: Required value"]),
        (
            "mutations: []",
            &["spec.mutations: Required value: mutations must contain at least one item"],
        ),
        ("reinvocationPolicy: ''", &["spec.reinvocationPolicy: Required value"]),
        (
            "reinvocationPolicy: Often",
            &[
                "spec.reinvocationPolicy: Unsupported value: \"Often\": supported values: \"IfNeeded\", \"Never\"",
            ],
        ),
        ("mutations: [{}]", &["spec.mutations[0].patchType: Required value"]),
        (
            "mutations: [{patchType: Merge}]",
            &[
                "spec.mutations[0].patchType: Unsupported value: \"Merge\": supported values: \"ApplyConfiguration\", \"JSONPatch\"",
            ],
        ),
        (
            "mutations: [{patchType: JSONPatch}]",
            &[
                "spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch",
            ],
        ),
        (
            "mutations: [{patchType: JSONPatch, applyConfiguration: {expression: 'Object{}'}}]",
            &[
                "spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch",
                "spec.mutations[0].applyConfiguration: Invalid value: \"{applyConfiguration}\": must not be specified when patchType is JSONPatch",
            ],
        ),
        (
            "mutations: [{patchType: JSONPatch, jsonPatch: {expression: '   '}}]",
            &["spec.mutations[0].jsonPatch.expression: Required value"],
        ),
        (
            "mutations: [{patchType: JSONPatch, jsonPatch: {expression: '[]'}}]",
            &[
                "spec.mutations[0].jsonPatch.expression: Invalid value: \"[]\": must evaluate to list(JSONPatch) but got list(dyn)",
            ],
        ),
        (
            "mutations: [{patchType: JSONPatch, jsonPatch: {expression: 'null'}}]",
            &[
                "spec.mutations[0].jsonPatch.expression: Invalid value: \"null\": must evaluate to list(JSONPatch) but got null_type",
            ],
        ),
        (
            "mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: ' Object.metadata{} '}}]",
            &[
                "spec.mutations[0].applyConfiguration.expression: Invalid value: \"Object.metadata{}\": must evaluate to Object but got Object.metadata",
            ],
        ),
        (
            "mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: 'Object{data: variables.nope}'}}]",
            &[
                "spec.mutations[0].applyConfiguration.expression: Invalid value: \"Object{data: variables.nope}\": compilation failed: ERROR: <input>:1:23: undefined field 'nope'\n | Object{data: variables.nope}\n | ......................^",
            ],
        ),
        (
            "matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [DELETE, CREATE, connect], resources: [pods]}]}",
            &[
                "spec.matchConstraints.resourceRules[0].operations[2]: Unsupported value: \"connect\": supported values: \"*\", \"CONNECT\", \"CREATE\", \"DELETE\", \"UPDATE\"",
                "spec.matchConstraints.resourceRules.operations: Unsupported value: \"DELETE\": supported values: \"*\", \"CONNECT\", \"CREATE\", \"UPDATE\"",
                "spec.matchConstraints.resourceRules.operations: Unsupported value: \"connect\": supported values: \"*\", \"CONNECT\", \"CREATE\", \"UPDATE\"",
            ],
        ),
    ] {
        assert_eq!(policy(spec), errors, "{spec}");
    }
    let conditions = policy(
        "matchConditions: [{name: c, expression: 'Object{} == Object{}'}], variables: [{name: v, expression: 'Object{}'}]",
    );
    assert_eq!(conditions.len(), 2, "patches are made by mutations only: {conditions:?}");
}

#[test]
fn bindings_of_mutating_policies() {
    let binding =
        |spec: &str| of_create("MutatingAdmissionPolicyBinding", &format!("spec: {{{spec}}}"));
    assert_eq!(binding("policyName: p"), NONE, "no validation actions");
    assert_eq!(binding("policyName: ''"), ["spec.policyName: Required value"]);
    assert_eq!(
        binding(
            "policyName: p, matchResources: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [DELETE], resources: [pods]}]}"
        ),
        [
            "spec.matchResources.resourceRules.operations: Unsupported value: \"DELETE\": supported values: \"*\", \"CONNECT\", \"CREATE\", \"UPDATE\""
        ]
    );
}
