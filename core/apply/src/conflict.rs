//! Conflicts: fields that an apply would change and others own.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A field that an apply would change, and its owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The path of the field, such as `.spec.replicas`.
    pub field: String,
    /// The owner as messages name it: `"m1" using apps/v1`.
    pub manager: String,
}

impl Conflict {
    /// The message of the cause of the status.
    #[must_use]
    pub fn message(&self) -> String {
        format!("conflict with {}", self.manager)
    }
}

/// The message about all conflicts, which are sorted by owner.
pub(crate) fn message(conflicts: &[Conflict]) -> String {
    if let [only] = conflicts {
        return format!("Apply failed with 1 conflict: {}: {}", only.message(), only.field);
    }
    let mut lines: Vec<String> = Vec::new();
    let mut last = None;
    for conflict in conflicts {
        if last != Some(&conflict.manager) {
            lines.push(format!("conflicts with {}:", conflict.manager));
            last = Some(&conflict.manager);
        }
        lines.push(format!("- {}", conflict.field));
    }
    format!("Apply failed with {} conflicts: {}", conflicts.len(), lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conflict(manager: &str, field: &str) -> Conflict {
        Conflict { field: field.into(), manager: manager.into() }
    }

    #[test]
    fn one_conflict_stands_on_a_line() {
        assert_eq!(
            message(&[conflict(r#""m1""#, ".spec.replicas")]),
            r#"Apply failed with 1 conflict: conflict with "m1": .spec.replicas"#
        );
    }

    #[test]
    fn several_are_grouped_by_manager() {
        let conflicts = [
            conflict(r#""adam""#, ".data.b"),
            conflict(r#""zoe" using v1"#, ".data.a"),
            conflict(r#""zoe" using v1"#, ".data.c"),
        ];
        assert_eq!(
            message(&conflicts),
            "Apply failed with 3 conflicts: conflicts with \"adam\":\n- .data.b\nconflicts with \"zoe\" using v1:\n- .data.a\n- .data.c"
        );
    }
}
