//! Literal field paths in the code against the schemas: a misspelt one would read "" for ever.

mod chains;
mod schema;
mod step;

use crate::tokens::{self, Token};
use crate::violation::Violation;
use std::collections::BTreeSet;

/// The folders whose code reads objects.
const FOLDERS: &[&str] = &["controllers/src/", "core/", "doors/", "ratchet/src/", "wire/"];

/// Paths in what is no object of a built-in kind, by crate.
const OTHERS: &[(&str, &[&str])] = &[
    // Lists and discovery documents.
    (
        "controllers/",
        &[
            "freshness",
            "groupVersion",
            "metadata.continue",
            "namespaced",
            "preferredVersion.version",
            "responseKind.kind",
        ],
    ),
    // A map of rules by the name of a namespace.
    ("core/access/", &[""]),
    // Extensions of OpenAPI schemas.
    ("core/crd/", &["x-kubernetes-group-version-kind", "x-kubernetes-selectable-fields"]),
    // The configuration of the PodSecurity plugin, and where the reference says that a node's swap is.
    (
        "core/engine/",
        &[
            "defaults",
            "exemptions",
            "metadata.nodeSwapStatus.capacity",
            "plugins[]",
            "plugins[].configuration",
            "plugins[].name",
            "plugins[].path",
        ],
    ),
    // Paths that messages of the reference have so.
    (
        "core/engine/",
        &[
            "",
            "LoadBalancerSourceRanges",
            "initiatorname",
            "persistentDisk",
            "targetportal",
            "status.Phase",
            "Spec",
            "metadata.taints",
            "persistentvolumesource",
            "{topologyKey, whenUnsatisfiable}",
        ],
    ),
    // Labels of field selectors.
    ("core/engine/", &["spec.host"]),
    ("core/object/", &["spec.host", "status.successful"]),
    // An operation of a JSON patch.
    ("core/object/", &["op"]),
    // A path that messages of the reference have so.
    ("core/policy/", &["resourceRules.operations"]),
    // OpenAPI documents.
    ("core/policy/", &["components.schemas", "x-kubernetes-group-version-kind"]),
    // An operation of a JSON patch; values of a chart in a Flux HelmRelease.
    ("core/rewrite/", &["op", "spec.values"]),
    // AdmissionReviews, and the Status in them.
    (
        "core/webhook/",
        &[
            "causes",
            "code",
            "details",
            "details.retryAfterSeconds",
            "patch",
            "response",
            "warnings",
        ],
    ),
    // ConversionReviews.
    ("core/webhook/", &["convertedObjects", "result.message", "result.status"]),
    // The file of known findings.
    ("doors/check/", &["findings"]),
    // The document of an audit.
    ("doors/fix/", &["findings", "lastApplied", "refuses"]),
    // Keys of the ConfigMap extension-apiserver-authentication.
    (
        "doors/server/",
        &[
            "requestheader-allowed-names",
            "requestheader-client-ca-file",
            "requestheader-extra-headers-prefix",
            "requestheader-group-headers",
            "requestheader-uid-headers",
            "requestheader-username-headers",
        ],
    ),
    // Query parameters and continue tokens.
    ("doors/server/", &["force", "pretty", "rv", "sendInitialEvents", "sinceTime", "stream", "v"]),
    // Members of a Status; a member as Go names it, in an annotation.
    ("doors/server/", &["Policies", "causes", "code", "details", "details.retryAfterSeconds"]),
    // Discovery and OpenAPI documents of extension servers.
    (
        "doors/server/",
        &["flow", "freshness", "namespaced", "responseKind", "serverRelativeURL", "singularName"],
    ),
    // WebhookConfigurations, our own configuration files.
    (
        "doors/webhook/",
        &["allow", "canonicalize", "exemptions", "namespaceLabels", "serviceAccounts", "users"],
    ),
    // AdmissionReviews, and the Status in them.
    ("doors/webhook/", &["causes", "code", "details", "patch", "warnings"]),
    // Headers and spans of traces, and PolicyReports.
    ("doors/webhook/", &["parentSpanId", "result", "summary", "traceparent"]),
    // AdmissionConfigurations, the WebhookAdmissionConfigurations in them, and kubeconfigs.
    (
        "ratchet/",
        &["configuration", "context.user", "current-context", "kubeConfigFile", "plugins"],
    ),
    // Members of a Status.
    ("wire/audit-log/", &["code", "details", "details.causes"]),
    // Lists, and the Status that ends a watch.
    ("wire/cluster/", &["code", "metadata.continue"]),
    // Metadata of lists, and members of the report of `ratchet kubelet-certs`.
    ("doors/audit/", &["findings", "fix", "metadata.remainingItemCount", "nodes", "outcome"]),
    // Claims of tokens.
    ("wire/identity/", &["aud", "crit", "iss"]),
];

/// The check of all files; it remembers which of the other paths it met.
#[derive(Default)]
pub(super) struct Checker {
    met: BTreeSet<(usize, &'static str)>,
}

impl Checker {
    /// Reports the paths of a Rust file that no schema has.
    pub(super) fn check(&mut self, path: &str, tokens: &[Token<'_>]) -> Vec<Violation> {
        if !is_checked(path) {
            return Vec::new();
        }
        let tokens = tokens::without_tests(tokens);
        let unknown = chains::of(&tokens).into_iter().filter(|found| !schema::has(found));
        let mut violations = Vec::new();
        for found in unknown {
            let text = found.to_string();
            if self.is_other(path, &text) {
                continue;
            }
            let whose = found.kind.unwrap_or("built-in kind");
            let what = format!(
                "no {whose} has the field path {text:?}, which would always be empty; correct it, or say in \
                 xtask/src/tidy/field_paths.rs what else has it"
            );
            violations.push(Violation::new(path, found.line, what));
        }
        violations
    }

    fn is_other(&mut self, path: &str, text: &str) -> bool {
        let mut rows =
            OTHERS.iter().enumerate().filter(|(_, (folder, _))| path.starts_with(folder));
        let met = rows.find_map(|(row, (_, paths))| {
            Some((row, *paths.iter().find(|other| **other == text)?))
        });
        self.met.extend(met);
        met.is_some()
    }

    /// Reports the other paths that no file has any more.
    pub(super) fn unused(&self) -> Vec<Violation> {
        let all = OTHERS.iter().enumerate();
        let all = all
            .flat_map(|(row, (folder, paths))| paths.iter().map(move |path| (row, folder, *path)));
        all.filter(|(row, _, path)| !self.met.contains(&(*row, *path)))
            .map(|(_, folder, path)| {
                let what = format!("no code in {folder} names {path:?} any more; delete it here");
                Violation::new("xtask/src/tidy/field_paths.rs", 1, what)
            })
            .collect()
    }
}

fn is_checked(path: &str) -> bool {
    let is_test = |step: &str| {
        matches!(step, "tests" | "benches" | "testing.rs" | "tests.rs")
            || step.ends_with("_tests.rs")
    };
    FOLDERS.iter().any(|folder| path.starts_with(folder)) && !path.split('/').any(is_test)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        Checker::default().check(path, &tokens::of(text)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_path_in_a_schema_is_fine() {
        let text = "fn f() { a.text_at(&[\"metadata\", \"name\"]); b.field(\"spec\").field(\"clusterIP\"); }";
        assert_eq!(found("core/engine/src/a.rs", text), Vec::<String>::new());
    }

    #[test]
    fn a_misspelt_path_fails_at_its_line() {
        let found = found(
            "core/engine/src/a.rs",
            "//! A.\nfn f() {\n    a.text_at(&[\"metadata\", \"nmae\"]);\n}\n",
        );
        assert_eq!(found.len(), 1);
        assert!(
            found[0].starts_with(
                "core/engine/src/a.rs:3: no built-in kind has the field path \"metadata.nmae\""
            ),
            "{found:?}"
        );
        let rows = self::found("core/engine/src/a.rs", "\"Pod\" \"spec.clusterIP\"");
        assert!(rows[0].contains("no Pod has the field path \"spec.clusterIP\""), "{rows:?}");
    }

    #[test]
    fn tests_and_other_folders_may_misspell() {
        let text = "fn f() { a.get(\"nmae\"); }";
        for path in [
            "core/engine/tests/a.rs",
            "core/policy/src/a_tests.rs",
            "xtask/src/a.rs",
            "ratchet/tests/a.rs",
        ] {
            assert_eq!(found(path, text), Vec::<String>::new(), "{path}");
        }
        let inside = format!("#[cfg(test)]\nmod tests {{ {text} }}\n");
        assert_eq!(found("core/engine/src/a.rs", &inside), Vec::<String>::new());
    }

    #[test]
    fn another_path_is_fine_in_its_crate_and_must_be_met() {
        let text = "fn f() { token.get(\"aud\"); }";
        assert_eq!(found("wire/identity/src/a.rs", text), Vec::<String>::new());
        assert_eq!(found("wire/http/src/a.rs", text).len(), 1);
        let mut checker = Checker::default();
        let all: usize = OTHERS.iter().map(|(_, paths)| paths.len()).sum();
        assert_eq!(checker.unused().len(), all);
        checker.check("wire/identity/src/a.rs", &tokens::of(text));
        assert_eq!(checker.unused().len(), all - 1);
    }
}
