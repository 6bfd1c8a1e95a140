//! Tests of `ratchet check --policies`: policies from files decide on manifests.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]
#![allow(clippy::indexing_slicing, reason = "a helper of a test may fail like a test")]

mod harness;

use harness::{Folder, GOOD_SERVICE, Output};
use serde_json::Value;

/// Deployments have at most five replicas, or no more than before.
const POLICY: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: few-replicas
spec:
  matchConstraints:
    resourceRules:
    - apiGroups: [apps]
      apiVersions: [v1]
      operations: [CREATE, UPDATE]
      resources: [deployments]
  validations:
  - expression: object.spec.replicas <= 5 || (oldObject != null && object.spec.replicas <= oldObject.spec.replicas)
    messageExpression: \"'has ' + string(object.spec.replicas) + ' replicas'\"
";

const DENIED: &str = "ValidatingAdmissionPolicy 'few-replicas' with binding 'few-replicas' denied request: has 7 replicas";

fn binding(actions: &str) -> String {
    format!(
        "apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {{name: everywhere}}
spec: {{policyName: few-replicas, validationActions: [{actions}]}}
"
    )
}

fn deployment(replicas: u8) -> String {
    format!(
        "apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: shop}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{a: b}}}}
  template:
    metadata: {{labels: {{a: b}}}}
    spec: {{containers: [{{name: c, image: i}}]}}
"
    )
}

/// A folder with the policy, and a deployment that it refuses.
fn folder() -> Folder {
    Folder::with(&[("policy.yaml", POLICY), ("new/web.yaml", &deployment(7))])
}

const ARGS: [&str; 3] = ["--policies", "policy.yaml", "new"];

fn finding(output: &Output) -> Value {
    output.json()["objects"][0]["findings"][0].clone()
}

#[test]
fn a_policy_that_nothing_binds_refuses_everywhere() {
    let output = folder().json(&ARGS);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert_eq!(output.findings(), [format!("new/web.yaml:1:1 RTC-POL-001 {DENIED}")]);
    let object = &output.json()["objects"][0];
    let message = format!("deployments.apps \"web\" is forbidden: {DENIED}");
    assert_eq!(object["message"], message);
    let policy = &finding(&output)["policy"];
    assert_eq!(policy["name"], "few-replicas");
    assert_eq!(policy["validation"], 0);
    assert_eq!(policy["action"], "Deny");
    assert_eq!((&policy["file"], &policy["line"]), (&"policy.yaml".into(), &13.into()));
    assert_eq!(policy["field"], "spec.validations[0].expression");
    assert!(
        output.stderr.contains("as if bound everywhere with Deny: few-replicas"),
        "{}",
        output.stderr
    );
}

#[test]
fn what_a_policy_is_not_about_and_what_it_likes_is_admitted() {
    let folder = folder();
    folder.write("new/web.yaml", deployment(5));
    folder.write("new/fine.yaml", GOOD_SERVICE);
    // The default is one.
    folder.write("new/default.yaml", deployment(1).replace("  replicas: 1\n", ""));
    let output = folder.json(&ARGS);
    assert_eq!(
        (output.code, output.count("objects")),
        (0, 3),
        "{}{}",
        output.stdout,
        output.stderr
    );
}

#[test]
fn a_binding_decides_what_becomes_of_it() {
    let folder = folder();
    for (actions, code, severity) in
        [("Deny", 1, "error"), ("Warn", 0, "warning"), ("Audit", 0, "note")]
    {
        folder.write("policy.yaml", format!("{POLICY}---\n{}", binding(actions)));
        let output = folder.json(&ARGS);
        assert_eq!(output.code, code, "{actions}: {}", output.stderr);
        let finding = finding(&output);
        assert_eq!(finding["severity"], severity, "{actions}");
        assert_eq!(finding["policy"]["binding"], "everywhere");
        assert_eq!(finding["policy"]["action"], actions);
        if actions != "Deny" {
            let message = "Validation failed for ValidatingAdmissionPolicy 'few-replicas' with binding 'everywhere': has 7 replicas";
            assert_eq!(finding["message"], message);
        }
        assert!(!output.stderr.contains("as if bound"), "{}", output.stderr);
    }
    folder.write("policy.yaml", format!("{POLICY}---\n{}", binding("Warn, Audit")));
    let output = folder.check(&[&ARGS[..], &["--warnings-as-errors"]].concat());
    assert_eq!(output.code, 1, "{}", output.stdout);
}

#[test]
fn what_is_stored_is_the_old_object() {
    let folder = folder();
    folder.write("old/web.yaml", deployment(9));
    let against = ["--against", "old"];
    let output = folder.json(&[&ARGS[..], &against].concat());
    assert_eq!((output.code, output.count("refused")), (0, 0), "{}", output.stdout);
    folder.write("old/web.yaml", deployment(6));
    assert_eq!(folder.check(&[&ARGS[..], &against].concat()).code, 1);

    folder.commit();
    let against = ["--against", "git:HEAD"];
    // Nothing has changed, which is an update too.
    assert_eq!(folder.check(&[&ARGS[..], &against].concat()).code, 0);
    folder.write("new/web.yaml", deployment(8));
    assert_eq!(folder.check(&[&ARGS[..], &against].concat()).code, 1);
    folder.write("new/web.yaml", deployment(7).replace("name: web", "name: other"));
    assert_eq!(folder.check(&[&ARGS[..], &against].concat()).code, 1, "a new one");
}

#[test]
fn a_policy_that_does_not_compile_is_told_with_its_place() {
    let folder = folder();
    folder.write(
        "policy.yaml",
        POLICY.replace("object.spec.replicas <= 5", "objct.spec.replicas <= 5"),
    );
    let output = folder.check(&ARGS);
    assert_eq!((output.code, output.stdout.as_str()), (2, ""));
    for part in [
        "policy.yaml:13:17: ValidatingAdmissionPolicy \"few-replicas\": spec.validations[0].expression: Invalid value: ",
        "undeclared reference to 'objct'",
        "\n | objct.spec.replicas <= 5",
        "\n | ^",
    ] {
        assert!(output.stderr.contains(part), "{part}: {}", output.stderr);
    }
}

#[test]
fn files_that_are_no_policies_are_told() {
    let folder = folder();
    let unknown = POLICY.replace("messageExpression", "mesageExpression");
    for (text, message) in [
        ("a: [", "policy.yaml:1:"),
        (unknown.as_str(), "unknown field \"spec.validations[0].mesageExpression\""),
        (GOOD_SERVICE, "no ValidatingAdmissionPolicy and no MutatingAdmissionPolicy is there"),
        (
            &POLICY.replace("io/v1", "io/v1beta1"),
            "apiVersion must be admissionregistration.k8s.io/v1",
        ),
        (&POLICY.replace("[CREATE, UPDATE]", "[PATCH]"), "Unsupported value: \"PATCH\""),
    ] {
        folder.write("policy.yaml", text);
        let output = folder.check(&ARGS);
        assert_eq!((output.code, output.stdout.as_str()), (2, ""), "{text}");
        assert!(output.stderr.contains(message), "{message}: {}", output.stderr);
    }
    let output = folder.check(&["--policies", "nowhere", "new"]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("nowhere: "), "{}", output.stderr);
}

/// A policy with parameters, which a binding names.
const LIMITS: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: limits}
spec:
  paramKind: {apiVersion: v1, kind: ConfigMap}
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: ['*'], resources: [deployments]}
  validations:
  - expression: object.spec.replicas <= int(params.data.most)
    message: too many
---
apiVersion: v1
kind: ConfigMap
metadata: {name: few, namespace: rules}
data: {most: '3'}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: many, namespace: rules}
data: {most: '10'}
";

#[test]
fn parameters_stand_beside_the_policies() {
    let bound = |name: &str| {
        format!(
            "{LIMITS}---\napiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicyBinding\nmetadata: {{name: b}}\nspec:\n  policyName: limits\n  validationActions: [Deny]\n  paramRef: {{name: {name}, namespace: rules, parameterNotFoundAction: Deny}}\n"
        )
    };
    let folder = folder();
    for (name, code, message) in [
        ("many", 0, ""),
        ("few", 1, "with binding 'b' denied request: too many"),
        (
            "none",
            1,
            "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
        ),
    ] {
        folder.write("policy.yaml", bound(name));
        let output = folder.check(&ARGS);
        assert_eq!(output.code, code, "{name}: {}{}", output.stdout, output.stderr);
        assert!(output.stdout.contains(message), "{}", output.stdout);
    }
    // Without a binding every parameter is tried.
    folder.write("policy.yaml", LIMITS);
    assert_eq!(folder.json(&ARGS).findings().len(), 1);
}

/// A policy that denies deployments in namespaces with the label `tier: prod`.
const LABELLED: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: labelled}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [apps], apiVersions: [v1], operations: ['*'], resources: [deployments]}
  validations:
  - expression: namespaceObject.metadata.labels[?'tier'].orValue('none') != 'prod'
    messageExpression: \"'refused to ' + request.userInfo.username + ' in ' + request.userInfo.groups.join('+')\"
";

#[test]
fn namespaces_come_from_all_files_and_the_requester_from_flags() {
    let namespace =
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: {tier: prod}}\n";
    let folder = folder();
    folder.write("policy.yaml", LABELLED);
    let output = folder.check(&ARGS);
    assert_eq!(output.code, 0, "{}", output.stdout);
    let message = "these are in no file: shop; they have only their names";
    assert_eq!(output.stderr.matches(message).count(), 1, "{}", output.stderr);
    for (policies, manifests) in [(namespace, ""), ("", namespace)] {
        folder.write("policy.yaml", format!("{LABELLED}---\n{policies}"));
        folder.write("new/namespace.yaml", manifests);
        let output = folder.check(&ARGS);
        assert_eq!(output.code, 1, "{}{}", output.stdout, output.stderr);
        assert!(!output.stderr.contains("in no file"), "{}", output.stderr);
        let by = "refused to kubernetes-admin in system:masters+system:authenticated";
        assert!(output.stdout.contains(by), "{}", output.stdout);
    }
    let jane = ["--as", "jane", "--as-group", "dev"];
    let output = folder.check(&[&ARGS[..], &jane].concat());
    assert!(
        output.stdout.contains("refused to jane in dev+system:authenticated"),
        "{}",
        output.stdout
    );
    assert_eq!(folder.check(&[&ARGS[..], &["--as-group", "dev"]].concat()).code, 2);
}

#[test]
fn nobody_here_knows_who_may_do_what() {
    let folder = folder();
    let asks = POLICY
        .replace("object.spec.replicas <= 5 ||", "authorizer.path('/x').check('get').allowed() ||");
    folder.write("policy.yaml", &asks);
    let output = folder.check(&ARGS);
    assert_eq!(output.code, 1, "{}", output.stdout);
    assert!(
        output.stdout.contains("resulted in error: no such attribute(s): authorizer"),
        "{}",
        output.stdout
    );
    assert!(
        output.stderr.contains("asks the authorizer, and there is none here"),
        "{}",
        output.stderr
    );
    folder.write(
        "policy.yaml",
        asks.replace("spec:\n  match", "spec:\n  failurePolicy: Ignore\n  match"),
    );
    assert_eq!(folder.check(&ARGS).code, 0);
}

#[test]
fn the_release_that_is_emulated_decides_which_functions_there_are() {
    let folder = folder();
    let newer = POLICY.replace("object.spec.replicas <= 5 ||", "semver('1.2.3').major() == 2 ||");
    folder.write("policy.yaml", newer);
    assert_eq!(folder.check(&ARGS).code, 1);
    let older = ["--target-version", "1.32"];
    let output = folder.check(&[&ARGS[..], &older].concat());
    assert_eq!(output.code, 2, "{}", output.stdout);
    assert!(output.stderr.contains("undeclared reference to 'semver'"), "{}", output.stderr);
}

#[test]
fn every_format_names_the_policy_and_both_places() {
    let folder = folder();
    for (format, wanted) in [
        ("human", " ::: policy.yaml:13:17"),
        ("json", "\"validation\":0"),
        ("yaml", "validation: 0"),
        ("junit", "new/web.yaml:1:1: ValidatingAdmissionPolicy"),
        (
            "junit",
            "spec.validations[0].expression of policy few-replicas stands at policy.yaml:13:17",
        ),
        ("github", "::error file=new/web.yaml,line=1,col=1"),
        (
            "github",
            "%0Aspec.validations[0].expression of policy few-replicas stands at policy.yaml:13:17",
        ),
        ("markdown", "| error | `new/web.yaml:1:1` | Deployment shop/web |"),
        ("markdown", "stands at policy.yaml:13:17"),
        ("sarif", "\"relatedLocations\":[{"),
        ("sarif", "\"policy\":{\"name\":\"few-replicas\""),
    ] {
        let output = folder.check(&[&["-o", format], &ARGS[..]].concat());
        assert_eq!(output.code, 1, "{format}");
        assert!(output.stdout.contains(wanted), "{format}: {wanted}\n{}", output.stdout);
        assert!(output.stdout.contains("RTC-POL-001"), "{format}: {}", output.stdout);
        assert!(output.stdout.contains("few-replicas"), "{format}: {}", output.stdout);
    }
    let sarif = folder.check(&[&["-o", "sarif"], &ARGS[..]].concat()).json();
    let results = &sarif["runs"][0]["results"];
    assert_eq!(results[0]["properties"]["policy"]["name"], "few-replicas");
    let related = &results[0]["relatedLocations"][0]["physicalLocation"];
    assert_eq!(related["artifactLocation"]["uri"], "policy.yaml");
    assert_eq!(related["region"]["startLine"], 13);
}

#[test]
fn what_is_no_fault_of_a_validation_points_at_none() {
    let folder = folder();
    let condition =
        "  matchConditions:\n  - {name: c, expression: object.nope == 1}\n  validations:";
    folder.write("policy.yaml", POLICY.replace("  validations:", condition));
    let output = folder.json(&ARGS);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let finding = finding(&output);
    let message = "expression 'object.nope == 1' resulted in error: no such key: nope";
    assert!(finding["message"].as_str().unwrap().ends_with(message), "{finding}");
    assert_eq!(finding["policy"]["validation"], Value::Null);
    assert_eq!(finding["policy"]["file"], Value::Null);
}

#[test]
fn exceptions_and_baselines_hold_for_policies_too() {
    let folder = folder();
    let annotated = deployment(7).replace(
        "namespace: shop}",
        "namespace: shop, annotations: {ratchet/ignore: 'RTC-POL-001: until May'}}",
    );
    folder.write("new/web.yaml", annotated);
    let output = folder.json(&ARGS);
    assert_eq!((output.code, output.count("suppressed")), (0, 1), "{}", output.stdout);
    folder.write("new/web.yaml", deployment(7));
    folder.check(&[&ARGS[..], &["--write-baseline", "known.json"]].concat());
    let output = folder.json(&[&ARGS[..], &["--baseline", "known.json"]].concat());
    assert_eq!((output.code, output.count("suppressed")), (0, 1), "{}", output.stdout);
}

#[test]
fn a_policy_among_the_manifests_is_judged_as_the_server_would() {
    let folder = Folder::with(&[("p.yaml", POLICY)]);
    assert_eq!(folder.check(&["p.yaml"]).code, 0);
    folder.write("p.yaml", POLICY.replace("messageExpression: \"", "messageExpression: \"1 + "));
    let output = folder.json(&["p.yaml"]);
    assert_eq!(output.code, 1, "{}", output.stdout);
    assert!(
        output.findings()[0].contains("spec.validations[0].messageExpression"),
        "{:?}",
        output.findings()
    );
}

#[test]
fn the_ready_policies_can_be_tried_as_their_readme_says() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/policies");
    let service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {ports: [{port: 80}], externalIPs: [192.0.2.1]}\n";
    let folder = Folder::with(&[("new.yaml", service), ("old.yaml", service)]);
    let output = folder.json(&["--policies", root, "new.yaml"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let denied = "denied request: Use of external IPs is denied by admission control.";
    assert!(output.stdout.contains(denied), "{}", output.stdout);
    let output = folder.check(&["--policies", root, "new.yaml", "--against", "old.yaml"]);
    assert_eq!(output.code, 0, "{}", output.stdout);
    let allow = format!("{root}/alternatives/allow-service-external-ips.yaml");
    assert_eq!(folder.check(&["--policies", &allow, "new.yaml"]).code, 0);
    folder.write("other.yaml", service.replace("192.0.2.1", "198.51.100.1"));
    let output = folder.check(&["--policies", &allow, "other.yaml"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let denied = "denied request: spec.externalIPs: not in an allowed network: 198.51.100.1";
    assert!(output.stdout.contains(denied), "{}", output.stdout);
    let bindings = format!("{root}/bindings/warn.yaml");
    let warned = folder.check(&["--policies", root, "--policies", &bindings, "new.yaml"]);
    assert_eq!(warned.code, 0, "{}", warned.stdout);
    assert!(warned.stdout.contains("warning[RTC-POL-001]"), "{}", warned.stdout);
}

#[test]
fn no_manifest_is_so_deep_that_a_policy_could_not_compare_it() {
    let policy = POLICY
        .replace("apiGroups: [apps]", "apiGroups: [\"\"]")
        .replace("resources: [deployments]", "resources: [configmaps]");
    let (head, _) = policy.split_once("  validations:").unwrap();
    let policy = format!("{head}  validations:\n  - expression: object.data == object.data\n");
    let (open, close) = ("[".repeat(240), "]".repeat(240));
    let mut deep = String::from("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: deep}\ndata:\n");
    deep += &format!("  a0: &a0 {open}x{close}\n");
    for at in 1..12 {
        deep += &format!("  a{at}: &a{at} {open}*a{}{close}\n", at - 1);
    }
    assert!(deep.len() < 7_000);
    let folder = Folder::with(&[("policy.yaml", &policy), ("new/deep.yaml", &deep)]);
    let output = folder.json(&ARGS);
    assert_eq!(output.code, 2, "{}", output.stderr);
    let message = format!("{}{}", output.stdout, output.stderr);
    assert!(message.contains("nested deeper than 250 levels"), "{message}");
}

/// Deployments get three replicas, if they have more than five.
const MUTATION: &str = "\
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata:
  name: fewer-replicas
spec:
  matchConstraints:
    resourceRules:
    - apiGroups: [apps]
      apiVersions: [v1]
      operations: [CREATE, UPDATE]
      resources: [deployments]
  matchConditions:
  - name: many
    expression: object.spec.replicas > 5
  reinvocationPolicy: Never
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration:
      expression: 'Object{spec: Object.spec{replicas: 3}}'
";

#[test]
fn mutating_policies_change_what_is_checked() {
    let folder = folder();
    folder.write("mutation.yaml", MUTATION);
    let args = ["--policies", "policy.yaml", "--policies", "mutation.yaml", "new"];
    let output = folder.json(&args);
    assert_eq!((output.code, output.findings().len()), (0, 0), "{}", output.stdout);
    let broken = MUTATION.replace("replicas: 3", "replicas: object.spec.nope");
    folder.write("mutation.yaml", &broken);
    let output = folder.json(&args);
    assert_eq!(output.code, 1, "{}", output.stdout);
    let why = "policy 'fewer-replicas' with binding 'fewer-replicas' denied request: expression 'Object{spec: Object.spec{replicas: object.spec.nope}}' resulted in error: no such key: nope";
    assert_eq!(output.findings(), [format!("new/web.yaml:1:1 RTC-POL-001 {why}")]);
}

#[test]
fn policies_are_off_with_their_plugins() {
    let folder = folder();
    folder.write("mutation.yaml", MUTATION);
    let args = ["--policies", "policy.yaml", "--policies", "mutation.yaml", "new"];
    let off = |plugins: &str| {
        let flag = format!("--disable-admission-plugins={plugins}");
        folder.json(&[&args[..], &[&flag]].concat()).code
    };
    assert_eq!(off("PodSecurity"), 0);
    assert_eq!(off("MutatingAdmissionPolicy"), 1);
    assert_eq!(off("MutatingAdmissionPolicy,ValidatingAdmissionPolicy"), 0);
}
