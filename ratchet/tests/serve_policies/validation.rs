//! Tests of invalid policies and bindings, with all their field errors.

use crate::stage::{BINDINGS, POLICIES, Stage};
use serde_json::{Value, json};

const TRUE: &str = "true";

/// A policy with one field of its spec replaced, and the response.
async fn refused(stage: &Stage, field: &str, value: Value) -> Vec<(String, String)> {
    let mut policy = stage.policy("p", json!({"validations": [{"expression": TRUE}]}));
    policy["spec"][field] = value;
    let answer = stage.client.post(POLICIES, policy).await;
    assert_eq!(answer.code, 422, "{}", answer.text());
    causes(&answer.json())
}

fn causes(status: &Value) -> Vec<(String, String)> {
    let causes = status["details"]["causes"].as_array().unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    causes.iter().map(|cause| (text(&cause["field"]), text(&cause["message"]))).collect()
}

fn rows(rows: &[(&str, &str)]) -> Vec<(String, String)> {
    rows.iter().map(|(field, message)| ((*field).to_owned(), (*message).to_owned())).collect()
}

#[tokio::test]
async fn expressions_are_compiled_when_they_are_written() {
    let stage = Stage::new().await;
    let validations = json!([{"expression": "nope('x')"}, {"expression": "1"}, {"expression": " "},
        {"expression": "params.x == 1"}, {"expression": "variables.x"},
        {"expression": "true", "messageExpression": "authorizer.path('/x')", "message": "a\nb", "reason": "Foo"}]);
    let expected = rows(&[
        (
            "spec.validations[0].expression",
            "Invalid value: \"nope('x')\": compilation failed: ERROR: <input>:1:5: undeclared reference to 'nope' (in container '')\n | nope('x')\n | ....^",
        ),
        (
            "spec.validations[1].expression",
            "Invalid value: \"1\": must evaluate to bool but got int",
        ),
        ("spec.validations[2].expression", "Required value: expression is not specified"),
        (
            "spec.validations[3].expression",
            "Invalid value: \"params.x == 1\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x == 1\n | ^",
        ),
        (
            "spec.validations[4].expression",
            "Invalid value: \"variables.x\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables.x\n | ^",
        ),
        (
            "spec.validations[5].messageExpression",
            "Invalid value: \"authorizer.path('/x')\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'authorizer' (in container '')\n | authorizer.path('/x')\n | ^",
        ),
        ("spec.validations[5].message", "Invalid value: \"a\\nb\": must not contain line breaks"),
        (
            "spec.validations[5].reason",
            "Unsupported value: \"Foo\": supported values: \"Forbidden\", \"Invalid\", \"RequestEntityTooLarge\"",
        ),
    ]);
    assert_eq!(refused(&stage, "validations", validations).await, expected);
}

#[tokio::test]
async fn variables_conditions_and_annotations_are_too() {
    let stage = Stage::new().await;
    let variables = json!([{"name": "if", "expression": "1"}, {"name": "", "expression": ""},
        {"name": "ok", "expression": "variables.later"}, {"name": "later", "expression": "1"}]);
    let expected = rows(&[
        ("spec.variables[0].name", "Invalid value: \"if\": must be a valid CEL identifier"),
        ("spec.variables[1].name", "Required value: name is not specified"),
        ("spec.variables[1].expression", "Required value: expression is not specified"),
        (
            "spec.variables[2].expression",
            "Invalid value: \"variables.later\": compilation failed: ERROR: <input>:1:10: undefined field 'later'\n | variables.later\n | .........^",
        ),
    ]);
    assert_eq!(refused(&stage, "variables", variables).await, expected);
    let conditions = json!([{"name": "a", "expression": "1"}, {"name": "a", "expression": TRUE}]);
    let expected = rows(&[
        (
            "spec.matchConditions[0].expression",
            "Invalid value: \"1\": must evaluate to bool but got int",
        ),
        ("spec.matchConditions[1].name", "Duplicate value: \"a\""),
    ]);
    assert_eq!(refused(&stage, "matchConditions", conditions).await, expected);
    let annotations =
        json!([{"key": "a", "valueExpression": "1"}, {"key": "a", "valueExpression": ""}]);
    let expected = rows(&[
        (
            "spec.auditAnnotations[0].valueExpression",
            "Invalid value: \"1\": must evaluate to one of [string null_type] but got int",
        ),
        (
            "spec.auditAnnotations[1].valueExpression",
            "Required value: valueExpression is not specified",
        ),
        ("spec.auditAnnotations[1].key", "Duplicate value: \"a\""),
    ]);
    assert_eq!(refused(&stage, "auditAnnotations", annotations).await, expected);
}

#[tokio::test]
async fn what_a_policy_is_about_is_checked() {
    let stage = Stage::new().await;
    let expected = rows(&[(
        "spec.failurePolicy",
        "Unsupported value: \"Foo\": supported values: \"Fail\", \"Ignore\"",
    )]);
    assert_eq!(refused(&stage, "failurePolicy", json!("Foo")).await, expected);
    let expected = rows(&[("spec.matchConstraints", "Required value")]);
    assert_eq!(refused(&stage, "matchConstraints", Value::Null).await, expected);
    let expected = rows(&[
        (
            "spec.validations",
            "Required value: validations or auditAnnotations must contain at least one item",
        ),
        (
            "spec.auditAnnotations",
            "Required value: validations or auditAnnotations must contain at least one item",
        ),
    ]);
    assert_eq!(refused(&stage, "validations", json!([])).await, expected);
    let rule = json!({"apiGroups": ["*", "a"], "apiVersions": [""], "operations": ["FOO"],
        "resources": ["pods/*", "pods/status"], "scope": "Foo", "resourceNames": ["a", "a"]});
    let at = |name: &str| format!("spec.matchConstraints.resourceRules[0].{name}");
    let expected = [
        ("resourceNames[1]", "Duplicate value: \"a\""),
        (
            "operations[0]",
            "Unsupported value: \"FOO\": supported values: \"*\", \"CONNECT\", \"CREATE\", \"DELETE\", \"UPDATE\"",
        ),
        (
            "apiGroups",
            "Invalid value: [\"*\",\"a\"]: if '*' is present, must not specify other API groups",
        ),
        ("apiVersions[0]", "Required value"),
        (
            "resources[1]",
            "Invalid value: \"pods/status\": if 'pods/*' is present, must not specify pods/status",
        ),
        (
            "scope",
            "Unsupported value: \"Foo\": supported values: \"*\", \"Cluster\", \"Namespaced\"",
        ),
    ];
    let expected: Vec<(String, String)> =
        expected.iter().map(|(field, message)| (at(field), (*message).to_owned())).collect();
    assert_eq!(
        refused(&stage, "matchConstraints", json!({"resourceRules": [rule]})).await,
        expected
    );
    let expected = rows(&[
        (
            "spec.paramKind.apiVersion",
            "Invalid value: \"a/b/c\": unexpected GroupVersion string: a/b/c",
        ),
        ("spec.paramKind.kind", "Required value"),
    ]);
    assert_eq!(refused(&stage, "paramKind", json!({"apiVersion": "a/b/c"})).await, expected);
}

#[tokio::test]
async fn a_binding_says_what_to_do() {
    let stage = Stage::new().await;
    let cases = [
        (json!({"policyName": ""}), rows(&[("spec.policyName", "Required value")])),
        (
            json!({"validationActions": []}),
            rows(&[(
                "spec.validationActions",
                "Required value: at least one validation action is required",
            )]),
        ),
        (
            json!({"validationActions": ["Deny", "Warn"]}),
            rows(&[(
                "spec.validationActions",
                "Invalid value: [\"Deny\",\"Warn\"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)",
            )]),
        ),
        (
            json!({"paramRef": {}}),
            rows(&[
                ("spec.paramRef", "Required value: one of name or selector must be specified"),
                ("spec.paramRef.parameterNotFoundAction", "Required value"),
            ]),
        ),
    ];
    for (fields, expected) in cases {
        let mut spec = json!({"policyName": "p", "validationActions": ["Deny"]});
        spec.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let answer =
            stage.client.post(BINDINGS, json!({"metadata": {"name": "b"}, "spec": spec})).await;
        assert_eq!((answer.code, causes(&answer.json())), (422, expected));
    }
}
