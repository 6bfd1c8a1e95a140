//! YAML rendering of a ValidatingAdmissionPolicy and its binding.

use std::fmt::Write as _;

/// A policy with its documentation.
pub(super) struct Policy {
    /// The name of the policy, its file and its binding.
    pub(super) name: &'static str,
    /// Whether the policy replaces another rule for those who want it; it is not bound with the others.
    pub(super) is_alternative: bool,
    /// One sentence on its purpose.
    pub(super) what: &'static str,
    /// The proposal that it implements.
    pub(super) proposal: &'static str,
    /// What the policy cannot express.
    pub(super) limitations: Vec<String>,
    /// The oldest release whose CEL has all functions in use.
    pub(super) since: &'static str,
    /// The parameter kind, if there is one: apiVersion, kind and an example line of data.
    pub(super) parameters: Option<(&'static str, &'static str, &'static str)>,
    /// The resources that it matches.
    pub(super) resources: Vec<Resources>,
    /// Match conditions: name and expression.
    pub(super) conditions: Vec<(&'static str, String)>,
    /// Variables: name and expression.
    pub(super) variables: Vec<(&'static str, String)>,
    pub(super) validations: Vec<Validation>,
}

/// Resources of one group.
#[derive(Clone, Copy)]
pub(super) struct Resources {
    pub(super) group: &'static str,
    pub(super) version: &'static str,
    pub(super) names: &'static [&'static str],
}

/// An expression that must be true, and the message if it is not.
pub(super) struct Validation {
    pub(super) expression: String,
    pub(super) message: String,
    /// A more detailed message, computed in CEL.
    pub(super) message_expression: Option<String>,
    pub(super) reason: &'static str,
}

impl Policy {
    /// The policy as YAML.
    pub(super) fn yaml(&self) -> String {
        let mut text = String::new();
        comment(&mut text, &format!("{} ({})", self.what, self.proposal));
        comment(&mut text, &format!("For Kubernetes {} and newer.", self.since));
        comment(&mut text, "What it cannot express:");
        for line in &self.limitations {
            comment(&mut text, &format!("- {line}"));
        }
        text.push_str("apiVersion: admissionregistration.k8s.io/v1\n");
        text.push_str("kind: ValidatingAdmissionPolicy\n");
        let _ = writeln!(text, "metadata:\n  name: {}.ratchet", self.name);
        text.push_str("spec:\n  failurePolicy: Fail\n");
        if let Some((version, kind, _)) = self.parameters {
            let _ = writeln!(text, "  paramKind:\n    apiVersion: {version}\n    kind: {kind}");
        }
        text.push_str("  matchConstraints:\n    resourceRules:\n");
        for Resources { group, version, names } in &self.resources {
            let _ = writeln!(text, "      - apiGroups: [{group:?}]");
            let _ = writeln!(text, "        apiVersions: [{version:?}]");
            let _ = writeln!(text, "        operations: [\"CREATE\", \"UPDATE\"]");
            let _ = writeln!(text, "        resources: {names:?}");
        }
        self.write_expressions(&mut text, "matchConditions", &self.conditions);
        self.write_expressions(&mut text, "variables", &self.variables);
        text.push_str("  validations:\n");
        for Validation { expression, message, message_expression, reason } in &self.validations {
            let _ = writeln!(text, "    - expression: {}", quote(expression));
            let _ = writeln!(text, "      message: {}", quote(message));
            if let Some(message_expression) = message_expression {
                let _ = writeln!(text, "      messageExpression: {}", quote(message_expression));
            }
            let _ = writeln!(text, "      reason: {reason}");
        }
        text
    }

    /// The file's path below `deploy/policies`.
    pub(super) fn file(&self) -> String {
        let folder = if self.is_alternative { "alternatives/" } else { "" };
        format!("{folder}{}.yaml", self.name)
    }

    fn write_expressions(&self, text: &mut String, what: &str, pairs: &[(&str, String)]) {
        if pairs.is_empty() {
            return;
        }
        let _ = writeln!(text, "  {what}:");
        for (name, expression) in pairs {
            let _ = writeln!(text, "    - name: {name}\n      expression: {}", quote(expression));
        }
    }

    /// The binding with these validation actions.
    pub(super) fn binding(&self, actions: &[&str]) -> String {
        let mut text = String::from("apiVersion: admissionregistration.k8s.io/v1\n");
        text.push_str("kind: ValidatingAdmissionPolicyBinding\n");
        let _ = writeln!(text, "metadata:\n  name: {}.ratchet", self.name);
        let _ = writeln!(text, "spec:\n  policyName: {}.ratchet", self.name);
        if self.parameters.is_some() {
            let _ = writeln!(
                text,
                "  paramRef:\n    name: {}\n    namespace: kube-system\n    parameterNotFoundAction: Deny",
                self.name
            );
        }
        let _ = writeln!(text, "  validationActions: {actions:?}");
        text
    }

    /// An example of the parameters that the binding names.
    pub(super) fn example(&self) -> String {
        let Some((version, kind, data)) = self.parameters else { return String::new() };
        format!(
            "---\n# An example.\napiVersion: {version}\nkind: {kind}\nmetadata:\n  name: {}\n  namespace: kube-system\ndata:\n  {data}\n",
            self.name
        )
    }
}

fn comment(text: &mut String, line: &str) {
    let _ = writeln!(text, "# {line}");
}

/// A single-quoted YAML scalar.
fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
