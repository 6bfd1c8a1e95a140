//! A list of kube-apiserver's feature gates: stage, default and dependencies in the release of a checkout.
//!
//! `cargo xtask tables` compares it with the gates of the engine, whose table spans several releases.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use crate::error::Error;

/// The minor number of the release whose specs are listed.
const MINOR: u32 = 36;

/// Declarations of features that kube-apiserver registers.
const REGISTERED: [&str; 7] = [
    "pkg/features/kube_features.go",
    "staging/src/k8s.io/apiextensions-apiserver/pkg/features/kube_features.go",
    "staging/src/k8s.io/apiserver/pkg/features/kube_features.go",
    "staging/src/k8s.io/client-go/features/known_features.go",
    "staging/src/k8s.io/component-base/logs/api/v1/kube_features.go",
    "staging/src/k8s.io/component-base/metrics/features/kube_features.go",
    "staging/src/k8s.io/component-base/zpages/features/kube_features.go",
];

/// Declares constants only, for kube-apiserver: `pkg/features` registers some of its features.
const NAMES_ONLY: &str = "staging/src/k8s.io/controller-manager/pkg/features/kube_features.go";

/// What the sources say about features, by the names of their Go constants.
#[derive(Default)]
struct Declarations {
    /// The features' own names.
    names: HashMap<String, String>,
    /// The spec in the release, such as `GA true locked`.
    specs: BTreeMap<String, String>,
    dependencies: BTreeMap<String, Vec<String>>,
}

/// One line per gate, sorted by name: `Name Stage default [locked] [needs Other…]`.
pub fn list(checkout: &Path) -> Result<String, Error> {
    let read = |path: &str| {
        std::fs::read_to_string(checkout.join(path)).map_err(|error| format!("{path}: {error}"))
    };
    let mut declared = Declarations::default();
    declared.add_names(&read(NAMES_ONLY)?);
    for path in REGISTERED {
        let text = read(path)?;
        declared.add_names(&text);
        declared.add_entries(&text).map_err(|error| format!("{path}: {error}"))?;
    }
    let mut lines = Vec::new();
    for (constant, spec) in &declared.specs {
        let needs = declared.needs(constant)?;
        lines.push(format!("{} {spec}{needs}\n", declared.name(constant)?));
    }
    lines.sort_unstable();
    Ok(lines.concat())
}

impl Declarations {
    fn name(&self, constant: &str) -> Result<&str, Error> {
        let found = self.names.get(constant);
        Ok(found.ok_or_else(|| format!("no constant {constant}"))?)
    }

    fn needs(&self, constant: &str) -> Result<String, Error> {
        let mut names = Vec::new();
        for needed in self.dependencies.get(constant).into_iter().flatten() {
            names.push(self.name(needed)?);
        }
        names.sort_unstable();
        Ok(if names.is_empty() { String::new() } else { format!(" needs {}", names.join(" ")) })
    }

    /// Reads constants: `Name featuregate.Feature = "Name"`, or the type around the value, or no type.
    fn add_names(&mut self, text: &str) {
        for line in text.lines() {
            let Some((declared, value)) = line.split_once(" = ") else { continue };
            let (Some(constant), Some(name)) =
                (declared.split_whitespace().next(), value.split('"').nth(1))
            else {
                continue;
            };
            self.names.insert(constant.to_owned(), name.to_owned());
        }
    }

    /// Reads the entries of both maps: `Name: {` before lines of specs, and `Name: {Other, …},`.
    fn add_entries(&mut self, text: &str) -> Result<(), Error> {
        let mut inside: Option<String> = None;
        for line in text.lines() {
            let line = line.split("//").next().unwrap_or_default().trim();
            if let Some((key, rest)) = line.split_once(':').filter(|_| !line.starts_with('{')) {
                let constant = unqualified(key);
                match rest.trim() {
                    "{" => inside = Some(constant.to_owned()),
                    rest => {
                        let list = rest.strip_prefix('{').and_then(|rest| rest.strip_suffix("},"));
                        if let Some(list) = list {
                            let needed = list.split(',').map(unqualified).map(str::to_owned);
                            let needed = needed.filter(|name| !name.is_empty()).collect();
                            self.dependencies.insert(constant.to_owned(), needed);
                        }
                    }
                }
            } else if line.starts_with("{Version:") {
                let constant = inside.as_ref().ok_or_else(|| format!("no feature for {line}"))?;
                let (minor, spec) = spec(line).ok_or_else(|| format!("no spec in {line}"))?;
                // Specs are in the order of releases, so the last one that is not newer holds.
                if minor <= MINOR {
                    self.specs.insert(constant.clone(), spec);
                }
            }
        }
        Ok(())
    }
}

/// A constant without its package and without the conversion around it.
fn unqualified(expression: &str) -> &str {
    let inner = expression.trim().trim_start_matches("featuregate.Feature(").trim_end_matches(')');
    inner.rsplit('.').next().unwrap_or(inner)
}

/// A line of a spec: the minor number of the first release in which it holds by default, and the stage, default and lock
/// as they are printed.
fn spec(line: &str) -> Option<(u32, String)> {
    let value = |key: &str| {
        let from = line.find(key)? + key.len();
        line.get(from..)?.split([',', '}']).next().map(str::trim)
    };
    let minor = |key: &str| {
        let version = value(key)?.strip_prefix("version.MustParse(\"1.")?;
        version.strip_suffix("\")")?.parse::<u32>().ok()
    };
    let version = minor("{Version: ")?;
    // A release is by default compatible with the one before it.
    let compatible = minor(" MinCompatibilityVersion: ").map_or(0, |compatible| compatible + 1);
    let stage = unqualified(value(" PreRelease: ")?);
    let default = value(" Default: ")?;
    let lock = if value(" LockToDefault: ") == Some("true") { " locked" } else { "" };
    Some((version.max(compatible), format!("{stage} {default}{lock}")))
}
