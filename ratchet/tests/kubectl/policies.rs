//! Tests of a ValidatingAdmissionPolicy: it refuses and warns, and stored values may stay.

use super::console::Console;
use super::serving::Serving;

/// Networks must be canonical, unless the object had them before.
const POLICY: &str = r#"
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: canonical-networks
spec:
  matchConstraints:
    resourceRules:
      - apiGroups: [networking.k8s.io]
        apiVersions: [v1]
        operations: [CREATE, UPDATE]
        resources: [networkpolicies]
  variables:
    - name: networks
      expression: object.spec.?egress.orValue([]).map(rule, rule.to[0].ipBlock.cidr)
    - name: before
      expression: "oldObject == null ? [] : oldObject.spec.?egress.orValue([]).map(rule, rule.to[0].ipBlock.cidr)"
    - name: odd
      expression: variables.networks.filter(text, string(cidr(text).masked()) != text && !(text in variables.before))
  validations:
    - expression: variables.odd.size() == 0
      messageExpression: "'write ' + variables.odd.map(text, text + ' as ' + string(cidr(text).masked())).join(', ')"
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: everywhere
spec:
  policyName: canonical-networks
  validationActions: [Deny]
"#;

fn network_policy(console: &Console, name: &str, network: &str) {
    let text = format!(
        "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {{name: {name}}}\nspec:\n  podSelector: {{}}\n  egress:\n    - to:\n        - ipBlock: {{cidr: '{network}'}}\n"
    );
    console.file(&format!("{name}.yaml"), &text);
}

const DENIED: &str = "ValidatingAdmissionPolicy 'canonical-networks' with binding 'everywhere' denied request: write 2001:DB8::/32 as 2001:db8::/32";

#[test]
fn a_policy_denies_warns_and_lets_the_old_stay() {
    let (_serving, console) = Serving::start();
    // Strict validation leaves the spelling of IPv6 free.
    network_policy(&console, "old", "2001:DB8::/32");
    console.ok("apply -f old.yaml");
    console.file("policy.yaml", POLICY);
    console.all_ok(&[(
        "apply -f policy.yaml",
        "validatingadmissionpolicy.admissionregistration.k8s.io/canonical-networks created",
    )]);

    network_policy(&console, "new", "2001:DB8::/32");
    console.all_refused(&[("apply -f new.yaml", DENIED)]);
    console.all_ok(&[("label networkpolicy old still=here", "labeled")]);
    network_policy(&console, "old", "2001:DB8:1::/48");
    console.all_refused(&[(
        "apply -f old.yaml",
        "denied request: write 2001:DB8:1::/48 as 2001:db8:1::/48",
    )]);
    network_policy(&console, "old", "2001:db8::/32");
    console.all_ok(&[("apply -f old.yaml", "networkpolicy.networking.k8s.io/old configured")]);
    network_policy(&console, "old", "2001:DB8::/32");
    console.all_refused(&[("apply -f old.yaml", DENIED)]);

    console.ok(
        "patch validatingadmissionpolicybinding everywhere --type=merge -p '{\"spec\":{\"validationActions\":[\"Warn\"]}}'",
    );
    console.all_ok(&[(
        "apply -f new.yaml",
        "Warning: Validation failed for ValidatingAdmissionPolicy 'canonical-networks' with binding 'everywhere': write 2001:DB8::/32 as 2001:db8::/32",
    )]);
    console.all_ok(&[("get networkpolicy new -o name", "networkpolicy.networking.k8s.io/new")]);
}

#[test]
fn a_policy_that_does_not_compile_is_refused_and_one_that_misses_its_types_is_told() {
    let (_serving, console) = Serving::start();
    console.file("broken.yaml", &POLICY.replace("variables.odd.size() == 0", "nope('x')"));
    console.all_refused(&[(
        "apply -f broken.yaml",
        "undeclared reference to 'nope' (in container '')",
    )]);
    console
        .file("odd.yaml", &POLICY.replace("variables.odd.size()", "object.spec.outgress.size()"));
    console.ok("apply -f odd.yaml");
    let wait = "wait validatingadmissionpolicy/canonical-networks --for=jsonpath={.status.observedGeneration}=1 --timeout=60s";
    console.ok(wait);
    console.all_ok(&[(
        "get validatingadmissionpolicy canonical-networks -o jsonpath={.status.typeChecking}",
        "undefined field 'outgress'",
    )]);
}

#[test]
fn the_ready_policies_are_accepted_and_miss_no_type() {
    let (_serving, console) = Serving::start();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/policies");
    console.ok(&format!("apply -f {folder} -f {folder}/bindings/deny.yaml"));
    let names = console.ok("get validatingadmissionpolicies -o jsonpath={.items[*].metadata.name}");
    assert!(names.split(' ').count() >= 12, "{names}");
    for name in names.split(' ') {
        console.ok(&format!(
            "wait validatingadmissionpolicy/{name} --for=jsonpath={{.status.observedGeneration}}=1 --timeout=60s"
        ));
    }
    let warnings = console
        .ok("get validatingadmissionpolicies -o jsonpath={.items[*].status.typeChecking.expressionWarnings}");
    assert_eq!(warnings, "");
    // A rule and its policy say the same: here the policy speaks first, for the server's own rule is not switched on.
    console.ok("create service clusterip web --tcp=80");
    console.all_refused(&[(
        "patch service web --type=merge -p '{\"spec\":{\"externalIPs\":[\"192.0.2.1\"]}}'",
        "Use of external IPs is denied by admission control.",
    )]);
}
