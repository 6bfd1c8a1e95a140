//! Tests of validation: the reference's errors.

use crate::testing::node;
use crate::validate;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_engine::{ApiConfig, Behavior, Change, Part, Release, Verdict};
use ratchet_object::{Object, defaults};

const GROUP: &str = "admissionregistration.k8s.io";
const RULE: &str =
    "{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}";

fn object(kind: &str, name: &str, spec: &str) -> Object<'static> {
    let text = format!(
        "{{apiVersion: {GROUP}/v1, kind: {kind}, metadata: {{name: {name}}}, spec: {{{spec}}}}}"
    );
    let mut node = node(&text);
    defaults::apply(GROUP, "v1", kind, &mut node);
    Object::new(node)
}

fn texts(verdict: &Verdict) -> Vec<String> {
    let errors = verdict.errors.iter();
    errors.map(|error| format!("{}: {}", error.field, error.message())).collect()
}

fn judged(change: &Change<'_>) -> Verdict {
    let mut verdict = Verdict::default();
    validate(change, &ApiConfig::of(Release::REFERENCE, Behavior::Released), &mut verdict);
    verdict
}

fn creation_errors(kind: &str, spec: &str) -> Vec<String> {
    let object = object(kind, "p", spec);
    texts(&judged(&Change::create(&object).unwrap()))
}

/// The errors of a policy that is valid but for `spec`.
fn policy(spec: &str) -> Vec<String> {
    let mut whole = spec.to_string();
    for (name, value) in [
        ("matchConstraints", format!("{{resourceRules: [{RULE}]}}")),
        ("validations", "[{expression: 'true'}]".to_string()),
    ] {
        if !spec.contains(&format!("{name}:")) {
            whole = format!("{name}: {value}, {whole}");
        }
    }
    creation_errors("ValidatingAdmissionPolicy", &whole)
}

fn binding(spec: &str) -> Vec<String> {
    let mut whole = spec.to_string();
    for (name, value) in [("policyName", "p"), ("validationActions", "[Deny]")] {
        if !spec.contains(&format!("{name}:")) {
            whole = format!("{name}: {value}, {whole}");
        }
    }
    creation_errors("ValidatingAdmissionPolicyBinding", &whole)
}

const NONE: [&str; 0] = [];

#[test]
fn good_ones_are_good() {
    assert_eq!(policy(""), NONE);
    assert_eq!(
        policy(
            "paramKind: {apiVersion: v1, kind: ConfigMap}, variables: [{name: a, expression: params.data.x}], matchConditions: [{name: x/y, expression: params != null}], validations: [{expression: variables.a == 'x', messageExpression: string(params.data.y), reason: Forbidden}], auditAnnotations: [{key: k, valueExpression: 'null'}]"
        ),
        NONE
    );
    assert_eq!(
        policy("validations: [], auditAnnotations: [{key: k, valueExpression: \"'x'\"}]"),
        NONE
    );
    assert_eq!(binding(""), NONE);
    assert_eq!(
        binding("paramRef: {name: x, parameterNotFoundAction: Allow}, matchResources: {}"),
        NONE
    );
}

#[test]
fn words_are_chosen_from_a_few() {
    assert_eq!(
        policy("failurePolicy: Foo"),
        ["spec.failurePolicy: Unsupported value: \"Foo\": supported values: \"Fail\", \"Ignore\""]
    );
    assert_eq!(
        policy("validations: [{expression: 'true', reason: Foo}]"),
        [
            "spec.validations[0].reason: Unsupported value: \"Foo\": supported values: \"Forbidden\", \"Invalid\", \"RequestEntityTooLarge\""
        ]
    );
    assert_eq!(
        binding("validationActions: [Foo, Audit, Foo]"),
        [
            "spec.validationActions[0]: Unsupported value: \"Foo\": supported values: \"Audit\", \"Deny\", \"Warn\"",
            "spec.validationActions[2]: Unsupported value: \"Foo\": supported values: \"Audit\", \"Deny\", \"Warn\"",
            "spec.validationActions[2]: Duplicate value: \"Foo\"",
        ]
    );
}

#[test]
fn something_must_be_said() {
    const ONE: &str =
        "Required value: validations or auditAnnotations must contain at least one item";
    assert_eq!(
        policy("validations: []"),
        [format!("spec.validations: {ONE}"), format!("spec.auditAnnotations: {ONE}")]
    );
    assert_eq!(policy("matchConstraints: null"), ["spec.matchConstraints: Required value"]);
    assert_eq!(
        policy("matchConstraints: {}"),
        ["spec.matchConstraints.resourceRules: Required value"]
    );
    assert_eq!(binding("policyName: ''"), ["spec.policyName: Required value"]);
    assert_eq!(
        binding("validationActions: []"),
        ["spec.validationActions: Required value: at least one validation action is required"]
    );
    assert_eq!(
        binding("paramRef: {}"),
        [
            "spec.paramRef: Required value: one of name or selector must be specified",
            "spec.paramRef.parameterNotFoundAction: Required value"
        ]
    );
}

#[test]
fn kinds_of_parameters_have_names() {
    assert_eq!(
        policy("paramKind: {}"),
        ["spec.paramKind.apiVersion: Required value", "spec.paramKind.kind: Required value"]
    );
    assert_eq!(
        policy("paramKind: {apiVersion: a/b/c, kind: X}"),
        [
            "spec.paramKind.apiVersion: Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c"
        ]
    );
    for api_version in ["/", "foo/"] {
        assert_eq!(
            policy(&format!("paramKind: {{apiVersion: {api_version}, kind: X}}")),
            [format!(
                "spec.paramKind.apiVersion: Invalid value: \"{api_version}\": version must be specified"
            )]
        );
    }
    let errors = policy("paramKind: {apiVersion: Foo_/v_1, kind: Con_fig}");
    assert_eq!(errors.len(), 3);
    assert!(
        errors[0].starts_with("spec.paramKind.apiVersion: Invalid value: \"Foo_\": a lowercase")
    );
    assert!(errors[1].starts_with("spec.paramKind.apiVersion: Invalid value: \"v_1\": a DNS-1035"));
    assert!(errors[2].starts_with("spec.paramKind.kind: Invalid value: \"Con_fig\": may have mixed case, but should otherwise match: a DNS-1035"));
}

#[test]
fn rules_about_resources() {
    let rules = |rule: &str| {
        let errors = policy(&format!("matchConstraints: {{resourceRules: [{rule}]}}"));
        let start = "spec.matchConstraints.resourceRules[0].";
        errors.iter().map(|text| text.trim_start_matches(start).to_string()).collect::<Vec<_>>()
    };
    assert_eq!(
        rules("{}"),
        [
            "operations: Required value",
            "apiGroups: Required value",
            "apiVersions: Required value",
            "resources: Required value"
        ]
    );
    let with = |from: &str, to: &str| rules(&RULE.replace(from, to));
    assert_eq!(
        with("[configmaps]", "[pods/*, pods/status, '*/scale', x/scale, '*/*']"),
        [
            "resources[1]: Invalid value: \"pods/status\": if 'pods/*' is present, must not specify pods/status",
            "resources[3]: Invalid value: \"x/scale\": if '*/scale' is present, must not specify x/scale",
            "resources: Invalid value: [\"pods/*\",\"pods/status\",\"*/scale\",\"x/scale\",\"*/*\"]: if '*/*' is present, must not specify other resources",
        ]
    );
    let both = "resources: Invalid value: [\"*\",\"pods\"]: if '*' is present, must not specify other resources without subresources";
    assert_eq!(with("[configmaps]", "['*', pods]"), [both]);
    assert_eq!(with("[configmaps]", "[pods, '*']"), NONE, "the reference looks at the last only");
    assert_eq!(
        with("[CREATE]", "['*', FOO], scope: Bar, resourceNames: [a, a, b/c]"),
        [
            "resourceNames[1]: Duplicate value: \"a\"",
            "resourceNames[2]: Invalid value: \"b/c\": may not contain '/'",
            "operations: Invalid value: [\"*\",\"FOO\"]: if '*' is present, must not specify other operations",
            "operations[1]: Unsupported value: \"FOO\": supported values: \"*\", \"CONNECT\", \"CREATE\", \"DELETE\", \"UPDATE\"",
            "scope: Unsupported value: \"Bar\": supported values: \"*\", \"Cluster\", \"Namespaced\"",
        ]
    );
}

#[test]
fn selectors_are_checked() {
    let errors = policy(&format!(
        "matchConstraints: {{matchPolicy: Foo, objectSelector: {{matchExpressions: [{{key: k, operator: In}}]}}, resourceRules: [{RULE}]}}"
    ));
    assert_eq!(
        errors,
        [
            "spec.matchConstraints.matchPolicy: Unsupported value: \"Foo\": supported values: \"Equivalent\", \"Exact\"",
            "spec.matchConstraints.objectSelector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
        ]
    );
}

#[test]
fn expressions_come_to_what_is_wanted() {
    let typed = |expression: &str| {
        let errors = policy(&format!("validations: [{{expression: \"{expression}\"}}]"));
        errors.first().map(|text| text.rsplit(": ").next().unwrap_or_default().to_string())
    };
    for (expression, got) in [
        ("1", "int"),
        ("object.x", "dyn"),
        ("[1,2]", "list(int)"),
        ("{'a': null}", "map(string, null_type)"),
        ("null", "null_type"),
        ("timestamp('2020-01-01T00:00:00Z')", "google.protobuf.Timestamp"),
        ("duration('1s')", "google.protobuf.Duration"),
        ("type(1)", "type(int)"),
        ("optional.of(1)", "optional_type(int)"),
        ("request", "kubernetes.AdmissionRequest"),
        ("namespaceObject.metadata.labels", "map(string, string)"),
        ("authorizer", "kubernetes.authorization.Authorizer"),
        ("ip('1.2.3.4')", "net.IP"),
    ] {
        let expected = format!("must evaluate to bool but got {got}");
        assert_eq!(typed(expression).as_deref(), Some(expected.as_str()), "{expression}");
    }
    assert_eq!(typed("object.x == 1"), None);
    assert_eq!(
        policy("auditAnnotations: [{key: a, valueExpression: ' 1 '}]"),
        [
            "spec.auditAnnotations[0].valueExpression: Invalid value: \" 1 \": must evaluate to one of [string null_type] but got int"
        ]
    );
}

#[test]
fn expressions_name_what_they_may() {
    let unknown = |name: &str| format!("undeclared reference to '{name}' (in container '')");
    let errors = |spec: &str| policy(spec).join("; ");
    assert!(errors("validations: [{expression: params == null}]").contains(&unknown("params")));
    assert!(
        errors("validations: [{expression: variables.x == 1}]").contains(&unknown("variables"))
    );
    let spec = "variables: [{name: x, expression: '1'}], matchConditions: [{name: a, expression: variables.x == 1}]";
    assert!(errors(spec).contains(&unknown("variables")), "conditions come before variables");
    let spec = "validations: [{expression: 'true', messageExpression: string(authorizer)}]";
    assert!(errors(spec).contains(&unknown("authorizer")));
    let spec = "variables: [{name: a, expression: variables.b}, {name: b, expression: '1'}]";
    assert!(errors(spec).contains("undefined field 'b'"), "only what stands before");
    let spec =
        "variables: [{name: a, expression: nope}], validations: [{expression: variables.a == 1}]";
    assert_eq!(policy(spec).len(), 1, "what did not compile may be anything");
    assert!(
        errors("validations: [{expression: request.nope == 1}]").contains("undefined field 'nope'")
    );
}

#[test]
fn names_and_messages_have_forms() {
    assert_eq!(
        policy(
            "variables: [{name: if, expression: '1'}, {name: 1a, expression: '1'}, {name: '', expression: ' '}]"
        ),
        [
            "spec.variables[0].name: Invalid value: \"if\": must be a valid CEL identifier",
            "spec.variables[1].name: Invalid value: \"1a\": must be a valid CEL identifier",
            "spec.variables[2].name: Required value: name is not specified",
            "spec.variables[2].expression: Required value: expression is not specified",
        ]
    );
    assert_eq!(
        policy(
            "validations: [{expression: 'true', message: '  ', messageExpression: '  '}, {expression: 'true', message: \"a\\nb\"}, {expression: 'true', message: \"a\\n\"}]"
        ),
        [
            "spec.validations[0].messageExpression: Invalid value: \"  \": must be non-empty if specified",
            "spec.validations[0].message: Invalid value: \"  \": must be non-empty if specified",
            "spec.validations[1].message: Invalid value: \"a\\nb\": must not contain line breaks",
        ]
    );
    assert_eq!(
        policy(
            "matchConditions: [{name: a, expression: 'true'}, {name: a, expression: ' '}, {name: '', expression: 'true'}]"
        ),
        [
            "spec.matchConditions[1].expression: Required value",
            "spec.matchConditions[1].name: Duplicate value: \"a\"",
            "spec.matchConditions[2].name: Required value",
        ]
    );
    let many: Vec<String> =
        (0..65).map(|at| format!("{{name: n{at}, expression: 'true'}}")).collect();
    assert_eq!(
        policy(&format!("matchConditions: [{}]", many.join(", "))),
        ["spec.matchConditions: Too many: 65: must have at most 64 items"]
    );
}

#[test]
fn annotations_have_keys_below_the_name() {
    let errors = policy(
        "auditAnnotations: [{key: a, valueExpression: \"'x'\"}, {key: a, valueExpression: ''}, {key: b/c, valueExpression: 'null'}]",
    );
    assert_eq!(
        errors[0],
        "spec.auditAnnotations[1].valueExpression: Required value: valueExpression is not specified"
    );
    assert_eq!(errors[1], "spec.auditAnnotations[1].key: Duplicate value: \"a\"");
    assert!(errors[2].starts_with(
        "spec.auditAnnotations[2].key: Invalid value: \"p/b/c\": a valid label key must"
    ));
    let many: Vec<String> =
        (0..21).map(|at| format!("{{key: k{at}, valueExpression: \"'x'\"}}")).collect();
    let errors = policy(&format!("auditAnnotations: [{}]", many.join(", ")));
    assert!(errors[0].starts_with(
        "spec.auditAnnotations: Invalid value: [{\"Key\":\"k0\",\"ValueExpression\":\"'x'\"},"
    ));
    assert!(errors[0].ends_with(": must not have more than 20 auditAnnotations"));
    let long =
        format!("auditAnnotations: [{{key: a, valueExpression: \"'{}'\"}}]", "x".repeat(5120));
    assert_eq!(
        policy(&long),
        [
            "spec.auditAnnotations[0].valueExpression: Required value: must not exceed 5120 bytes in length"
        ]
    );
}

#[test]
fn bindings_cannot_both_deny_and_warn() {
    assert_eq!(
        binding("validationActions: [Deny, Warn]"),
        [
            "spec.validationActions: Invalid value: [\"Deny\",\"Warn\"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)"
        ]
    );
    assert_eq!(
        binding("paramRef: {name: x/y, selector: {}, parameterNotFoundAction: Foo}"),
        [
            "spec.paramRef.name: Invalid value: \"x/y\": may not contain '/'",
            "spec.paramRef.name: Forbidden: name and selector are mutually exclusive",
            "spec.paramRef.selector: Forbidden: name and selector are mutually exclusive",
            "spec.paramRef.parameterNotFoundAction: Unsupported value: \"Foo\": supported values: \"Deny\", \"Allow\"",
        ]
    );
}

#[test]
fn conditions_that_stay_are_not_looked_at_again() {
    let spec = |condition: &str, failure: &str| {
        format!(
            "failurePolicy: {failure}, matchConstraints: {{resourceRules: [{RULE}]}}, matchConditions: [{{name: a, expression: {condition}}}], validations: [{{expression: 'true'}}]"
        )
    };
    let old = object("ValidatingAdmissionPolicy", "p", &spec("nope", "Fail"));
    let same = object("ValidatingAdmissionPolicy", "p", &spec("nope", "Ignore"));
    assert_eq!(texts(&judged(&Change::update(&old, &same).unwrap())), NONE);
    let other = object("ValidatingAdmissionPolicy", "p", &spec("nope2", "Fail"));
    assert_eq!(texts(&judged(&Change::update(&old, &other).unwrap())).len(), 1);
}

#[test]
fn a_status_is_checked_by_itself() {
    let mut new =
        object("ValidatingAdmissionPolicy", "p", "validations: [{expression: nope}]").into_node();
    new.set("status", node("{typeChecking: {expressionWarnings: [{fieldRef: ' ', warning: ''}]}, conditions: [{type: x, status: Foo, reason: '1'}, {type: x, status: 'True', reason: A, lastTransitionTime: '2020-01-01T00:00:00Z', observedGeneration: -1}]}"));
    let new = Object::new(new);
    let change = Change::update(&new, &new).unwrap().through(Part::STATUS);
    let errors = texts(&judged(&change));
    let starts = [
        "status.typeChecking.expressionWarnings[0].warning: Required value",
        "status.typeChecking.expressionWarnings[0].fieldRef: Required value",
        "status.conditions[0].status: Unsupported value: \"Foo\": supported values: \"False\", \"True\", \"Unknown\"",
        "status.conditions[0].lastTransitionTime: Required value",
        "status.conditions[0].reason: Invalid value: \"1\": a condition reason must start",
        "status.conditions[1].type: Duplicate value: \"x\"",
        "status.conditions[1].observedGeneration: Invalid value: -1: must be greater than or equal to zero",
    ];
    assert_eq!(errors.len(), starts.len(), "{errors:?}");
    for (text, start) in errors.iter().zip(starts) {
        assert!(text.starts_with(start), "{text}");
    }
}

#[test]
fn reserved_names_are_told_of() {
    let object = object(
        "ValidatingAdmissionPolicyBinding",
        "x.static.k8s.io",
        "policyName: p, validationActions: [Deny]",
    );
    let verdict = judged(&Change::create(&object).unwrap());
    assert_eq!(
        verdict.warnings[0].text,
        "metadata.name: names ending with \".static.k8s.io\" are reserved for static manifest-based configurations and cannot be managed via the API"
    );
}
