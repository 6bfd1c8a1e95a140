//! Policies are type-checked once for every generation.

use crate::fake::{Fake, pass};
use ratchet_object::Node;

const POLICY: &str = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/p";

fn spec(expression: &str) -> String {
    format!(
        "{{matchConstraints: {{resourceRules: [{{apiGroups: [''], apiVersions: [v1], resources: [pods], operations: ['*']}}]}}, validations: [{{expression: {expression}}}]}}"
    )
}

fn observed_status(fake: &Fake) -> (i64, usize) {
    let policy = fake.get(POLICY).expect("there");
    let generation = policy.find(&["status", "observedGeneration"]).and_then(Node::as_int);
    let warnings = policy.find(&["status", "typeChecking", "expressionWarnings"]);
    (generation.unwrap_or(0), warnings.map_or(0, |list| list.items().len()))
}

#[tokio::test(start_paused = true)]
async fn every_generation_is_looked_at_once() {
    let fake = Fake::new();
    let text = format!("{{metadata: {{generation: 1}}, spec: {}}}", spec("object.spec.nope == 1"));
    fake.set(POLICY, &text);
    let _running = fake.start("validatingadmissionpolicy-status-controller");
    pass(10).await;
    assert_eq!(observed_status(&fake), (1, 1));
    assert_eq!(fake.writes().len(), 1, "{:?}", fake.writes());
    pass(3600).await;
    assert_eq!(fake.writes().len(), 1);
    fake.change(POLICY, |policy| {
        policy.map_mut("metadata").set("generation", Node::int(2));
        policy.set("spec", crate::fake::node(&spec("object.spec.hostNetwork")));
    });
    pass(10).await;
    assert_eq!(observed_status(&fake), (2, 0));
    assert_eq!(fake.writes().len(), 2);
}
