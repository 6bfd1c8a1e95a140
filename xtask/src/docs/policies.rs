//! Generator of `deploy/policies`: the proposals' rules as ValidatingAdmissionPolicies.

mod path;
mod pods;
mod policy;
mod services;
mod strict;

use super::Document;
use policy::Policy;

/// All policies, one file each.
fn policies() -> Vec<Policy> {
    let mut all = strict::policies();
    all.extend(services::policies());
    all.extend(pods::policies());
    all
}

/// Rollout stages: file name of the bindings, comment, validation actions.
const STAGES: [(&str, &str, &[&str]); 2] = [
    (
        "warn",
        "Says what would be refused, and refuses nothing: begin with this one.",
        &["Warn", "Audit"],
    ),
    ("deny", "Refuses.", &["Deny"]),
];

/// All files of `deploy/policies`.
pub(super) fn documents() -> Vec<Document> {
    let policies = policies();
    let mut all: Vec<Document> = policies.iter().map(document).collect();
    for (stage, what, actions) in STAGES {
        let usual = policies.iter().filter(|policy| !policy.is_alternative);
        let bindings: Vec<String> = usual.map(|policy| policy.binding(actions)).collect();
        let text = format!("# {what}\n{}", bindings.join("---\n"));
        all.push(Document::yaml(format!("deploy/policies/bindings/{stage}.yaml"), &text));
    }
    all.push(Document::new("deploy/policies/README.md", &about(&policies)));
    all
}

/// The file of one policy; that of an alternative includes its binding.
fn document(policy: &Policy) -> Document {
    let mut text = policy.yaml();
    if policy.is_alternative {
        text.push_str("---\n");
        text.push_str(&policy.binding(&["Deny"]));
        text.push_str(&policy.example());
    }
    Document::yaml(format!("deploy/policies/{}", policy.file()), &text)
}

const ABOUT: &str = "\
# Policies

The rules of the proposals as ValidatingAdmissionPolicies, for clusters that can use neither the flags of the API server
nor a webhook. They refuse only what is new: a value that an object already has may stay, as in the proposals.

Try them on your manifests before you apply them, and begin with warnings:

```
ratchet check --policies deploy/policies/ --against git:main manifests/
kubectl apply -f deploy/policies/ -f deploy/policies/bindings/warn.yaml
kubectl apply -f deploy/policies/bindings/deny.yaml
```

`ratchet cel` evaluates a single expression on a single object. The policies in `alternatives/` take the place of another
rule: each brings its own binding, and is applied by those who want it.

No policy can make a rule looser. What KEP-4427 permits is therefore not here; `strict-dns-search` gives back what it
takes away. What KEP-4872 wants is a certificate at the end of a connection of the API server: no policy sees that.
";

fn about(policies: &[Policy]) -> String {
    let rows = policies.iter().map(|policy| {
        [
            format!("[`{}`]({})", policy.name, policy.file()),
            policy.proposal.to_owned(),
            policy.what.trim_end_matches('.').to_owned(),
            policy.since.to_owned(),
            policy.limitations.join(" "),
        ]
    });
    let heads = ["Policy", "Proposal", "What it does", "Since", "What it cannot express"];
    format!("{ABOUT}\n{}", super::markdown::table(heads, rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_says_what_it_cannot_express() {
        for policy in policies() {
            assert!(!policy.limitations.is_empty(), "{}", policy.name);
            assert!(!policy.validations.is_empty(), "{}", policy.name);
        }
    }
}
