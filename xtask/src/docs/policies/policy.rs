//! A ValidatingAdmissionPolicy as a file: rows in, YAML out.

use std::fmt::Write as _;

/// A policy, with what it says for itself.
pub(super) struct Policy {
    /// Its name; the file and the binding have it too.
    pub(super) name: &'static str,
    /// Whether it takes the place of another rule, and is for those who ask for it; it is not bound with the others.
    pub(super) is_alternative: bool,
    /// What it is for, in a sentence.
    pub(super) what: &'static str,
    /// The proposal whose rule it is.
    pub(super) proposal: &'static str,
    /// What it cannot express.
    pub(super) cannot: Vec<String>,
    /// The oldest release whose CEL has all that it uses.
    pub(super) since: &'static str,
    /// A kind that has its parameters, if it takes some: apiVersion, kind and a line of its data.
    pub(super) parameters: Option<(&'static str, &'static str, &'static str)>,
    /// What it looks at.
    pub(super) resources: Vec<Resources>,
    /// Conditions to look at all: name and expression.
    pub(super) conditions: Vec<(&'static str, String)>,
    /// Names for expressions.
    pub(super) variables: Vec<(&'static str, String)>,
    /// What must hold.
    pub(super) validations: Vec<Validation>,
}

/// Resources of one group.
#[derive(Clone, Copy)]
pub(super) struct Resources {
    pub(super) group: &'static str,
    pub(super) version: &'static str,
    pub(super) names: &'static [&'static str],
}

/// What must hold, and what is said if it does not.
pub(super) struct Validation {
    pub(super) expression: String,
    pub(super) message: String,
    /// Says more than the message where it can be evaluated.
    pub(super) says: Option<String>,
    pub(super) reason: &'static str,
}

impl Policy {
    /// The file.
    pub(super) fn yaml(&self) -> String {
        let mut text = String::new();
        comment(&mut text, &format!("{} ({})", self.what, self.proposal));
        comment(&mut text, &format!("For Kubernetes {} and newer.", self.since));
        comment(&mut text, "What it cannot express:");
        for line in &self.cannot {
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
        self.named(&mut text, "matchConditions", &self.conditions);
        self.named(&mut text, "variables", &self.variables);
        text.push_str("  validations:\n");
        for Validation { expression, message, says, reason } in &self.validations {
            let _ = writeln!(text, "    - expression: {}", quoted(expression));
            let _ = writeln!(text, "      message: {}", quoted(message));
            if let Some(says) = says {
                let _ = writeln!(text, "      messageExpression: {}", quoted(says));
            }
            let _ = writeln!(text, "      reason: {reason}");
        }
        text
    }

    /// Where the file stands.
    pub(super) fn file(&self) -> String {
        let folder = if self.is_alternative { "alternatives/" } else { "" };
        format!("{folder}{}.yaml", self.name)
    }

    fn named(&self, text: &mut String, what: &str, pairs: &[(&str, String)]) {
        if pairs.is_empty() {
            return;
        }
        let _ = writeln!(text, "  {what}:");
        for (name, expression) in pairs {
            let _ = writeln!(text, "    - name: {name}\n      expression: {}", quoted(expression));
        }
    }

    /// Its binding: what happens where it does not hold.
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

    /// The parameters that its binding names, as an example.
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

/// A text in single quotes, in which YAML reads everything as it stands.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
