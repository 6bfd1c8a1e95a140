//! Checks of every crate's `Cargo.toml`.

use crate::violation::Violation;
use toml::{Table, Value};

/// Checks that a crate inherits the workspace's lints.
pub(super) fn check(path: &str, text: &str) -> Vec<Violation> {
    let manifest: Table = match toml::from_str(text) {
        Ok(manifest) => manifest,
        Err(error) => return vec![Violation::new(path, 1, format!("cannot be read: {error}"))],
    };
    let is_ours = manifest.contains_key("package") && !manifest.contains_key("workspace");
    let lints = manifest.get("lints").and_then(|lints| lints.get("workspace"));
    if is_ours && lints.and_then(Value::as_bool) != Some(true) {
        let what = "the crate has lints of its own or none; add `[lints]` with `workspace = true`";
        return vec![Violation::new(path, 1, what)];
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_with_the_lints_of_the_workspace_is_fine() {
        for text in [
            "[package]\nname = \"a\"\n[lints]\nworkspace = true\n",
            "lints.workspace = true\n[package]\nname = \"a\"\n",
        ] {
            assert_eq!(check("a/Cargo.toml", text), [], "{text}");
        }
    }

    #[test]
    fn a_workspace_is_not_asked() {
        for text in ["[workspace]\nmembers = []\n", "[package]\nname = \"a\"\n[workspace]\n"] {
            assert_eq!(check("Cargo.toml", text), [], "{text}");
        }
    }

    #[test]
    fn a_crate_without_them_fails() {
        for text in [
            "[package]\nname = \"a\"\n",
            "[package]\nname = \"a\"\n[lints]\nworkspace = false\n",
            "[package]\nname = \"a\"\n[lints.rust]\nunsafe_code = \"allow\"\n",
            "[package\n",
        ] {
            assert_eq!(check("a/Cargo.toml", text).len(), 1, "{text}");
        }
    }
}
