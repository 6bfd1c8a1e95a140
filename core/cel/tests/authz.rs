//! Tests of the authorization checks that expressions make.
#![allow(clippy::expect_used, reason = "a helper of a test may fail like a test")]

use ratchet_cel::library::authz::{
    AuthorizationCheck, Authorize, Authorizer, Decision, Resource, Target,
};
use ratchet_cel::{Activation, Budget, Environment, PER_CALL_LIMIT, Type, Value};
use std::sync::{Arc, Mutex};

/// Allows `get`, fails for the verb `fail`, and records its checks.
#[derive(Debug, Default)]
struct RecordingAuthorizer(Mutex<Vec<AuthorizationCheck>>);

impl Authorize for RecordingAuthorizer {
    fn decide(&self, ask: &AuthorizationCheck) -> Decision {
        self.0.lock().expect("no panic").push(ask.clone());
        Decision {
            allowed: ask.verb == "get",
            reason: format!("because of {}", ask.verb),
            error: (ask.verb == "fail").then(|| "it broke".to_string()),
        }
    }
}

struct AuthorizerWorld(Authorizer);

impl<'t> Activation<'t> for AuthorizerWorld {
    fn variable(&self, name: &str) -> Option<Value<'t>> {
        let resource = Resource { resource: "pods".into(), ..Resource::default() };
        match name {
            "authorizer" => Some(Value::opaque(self.0.clone())),
            "check" => Some(self.0.resource_check(resource)),
            _ => None,
        }
    }
}

/// The result of an expression, its cost, and its checks.
fn run(expression: &str) -> (String, u64, Vec<AuthorizationCheck>) {
    let environment = Environment::kubernetes((1, 36))
        .with("authorizer", Type::Opaque(Authorizer::TYPE))
        .with("check", Type::Opaque(Authorizer::RESOURCE_CHECK_TYPE));
    let program = environment.compile(expression).unwrap_or_else(|issues| panic!("{issues}"));
    let recorder = Arc::new(RecordingAuthorizer::default());
    let world = AuthorizerWorld(Authorizer::new(recorder.clone()));
    let mut budget = Budget::new(PER_CALL_LIMIT);
    let outcome = match program.evaluate(&world, &mut budget) {
        Ok(Value::Text(text)) => text.to_string(),
        Ok(value) => format!("{value:?}"),
        Err(error) => format!("! {error}"),
    };
    let checks = recorder.0.lock().expect("no panic").clone();
    (outcome, budget.spent(), checks)
}

#[test]
fn answers_and_faults() {
    let rows = [
        ("authorizer.path('/healthz').check('get').allowed()", "Bool(true)", 350_003),
        ("authorizer.path('/healthz').check('put').allowed()", "Bool(false)", 350_003),
        ("authorizer.path('/healthz').check('put').reason()", "because of put", 350_003),
        ("authorizer.path('/healthz').check('put').errored()", "Bool(false)", 350_003),
        ("authorizer.path('/healthz').check('put').error()", "", 350_003),
        ("authorizer.path('/healthz').check('fail').errored()", "Bool(true)", 350_003),
        ("authorizer.path('/healthz').check('fail').error()", "it broke", 350_003),
        ("authorizer.path(' ').check('get').allowed()", "! path must not be empty", 350_003),
        (
            "authorizer.group('').resource('').check('get').allowed()",
            "! resource must not be empty",
            350_004,
        ),
        (
            "authorizer.serviceAccount('a_b', 'c').path('/').check('get').allowed()",
            "! Invalid service account namespace",
            350_004,
        ),
        (
            "authorizer.serviceAccount('a', 'c_d').path('/').check('get').allowed()",
            "! Invalid service account name",
            350_004,
        ),
        ("check.check('get').allowed()", "Bool(true)", 350_002),
    ];
    for (expression, outcome, cost) in rows {
        let (got, spent, _) = run(expression);
        assert_eq!((got.as_str(), spent), (outcome, cost), "{expression}");
    }
}

#[test]
fn everything_that_is_said_is_asked() {
    let (_, _, checks) = run(
        "authorizer.serviceAccount('ns', 'sa').group('apps').resource('deployments').subresource('scale').namespace('n').name('x').fieldSelector('a=b').labelSelector('c in (d)').check('get').allowed()",
    );
    let resource = Resource {
        group: "apps".into(),
        resource: "deployments".into(),
        subresource: "scale".into(),
        namespace: "n".into(),
        name: "x".into(),
        field_selector: "a=b".into(),
        label_selector: "c in (d)".into(),
    };
    let account = Some(("ns".into(), "sa".into()));
    let ask =
        AuthorizationCheck { account, verb: "get".into(), target: Target::Resource(resource) };
    assert_eq!(checks, [ask]);
    let (_, _, checks) = run("authorizer.path('/a').check('get').allowed()");
    let target = Target::Path("/a".into());
    assert_eq!(checks, [AuthorizationCheck { account: None, verb: "get".into(), target }]);
}

#[test]
fn two_checks_fit_and_three_do_not() {
    let check = "authorizer.path('/a').check('get').allowed()";
    assert_eq!(run(&format!("{check} && {check}")).0, "Bool(true)");
    let (outcome, _, _) = run(&format!("{check} && {check} && {check}"));
    assert_eq!(outcome, "! operation cancelled: actual cost limit exceeded");
}

#[test]
fn selectors_cost_by_their_length() {
    let (_, spent, _) = run("check.fieldSelector('a=b,c=d').check('get').allowed()");
    assert_eq!(spent, 350_002 + 10 + 1 + 4 * 50);
}
