//! Patch strategies of fields: which lists merge by which key, which maps are replaced.

mod v1_36;

pub use v1_36::MERGE_RULES;

/// The patch strategy of a field, in the terms of the OpenAPI extensions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeRule {
    /// `x-kubernetes-patch-strategy`: `merge`, `merge,retainKeys`, `retainKeys` or `replace`.
    pub strategy: &'static str,
    /// `x-kubernetes-patch-merge-key`: the member that identifies items; empty for lists of scalars
    /// and for fields that are not lists.
    pub key: &'static str,
}

impl MergeRule {
    /// Whether a list with this rule is merged; a list without a rule is replaced.
    #[must_use]
    pub fn merges(&self) -> bool {
        self.strategy.split(',').any(|directive| directive == "merge")
    }

    /// Whether a map with this rule is replaced; a map without a rule is merged.
    #[must_use]
    pub fn replaces(&self) -> bool {
        self.strategy.split(',').any(|directive| directive == "replace")
    }
}

/// The rule of a field, by the id of its type in [`crate::schema::TYPES`].
#[must_use]
pub fn merge_rule(type_id: &str, field: &str) -> Option<&'static MergeRule> {
    let key = (type_id, field);
    let index = MERGE_RULES.binary_search_by(|row| (row.type_id, row.field).cmp(&key)).ok()?;
    MERGE_RULES.get(index).map(|row| &row.rule)
}

/// A field with a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeRow {
    /// The id of the type that has the field.
    pub type_id: &'static str,
    /// The field's name in JSON.
    pub field: &'static str,
    /// Its patch strategy.
    pub rule: MergeRule,
}

const fn row(
    type_id: &'static str,
    field: &'static str,
    strategy: &'static str,
    key: &'static str,
) -> MergeRow {
    MergeRow { type_id, field, rule: MergeRule { strategy, key } }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{Shape, TYPES};

    #[test]
    fn rows_are_sorted_and_found() {
        assert!(
            MERGE_RULES.is_sorted_by(|a, b| (a.type_id, a.field) < (b.type_id, b.field)),
            "a row stands in the wrong place"
        );
        for row in MERGE_RULES {
            assert_eq!(merge_rule(row.type_id, row.field), Some(&row.rule));
        }
        assert_eq!(merge_rule("io.k8s.api.core.v1.PodSpec", "tolerations"), None);
        assert_eq!(merge_rule("io.k8s.api.core.v1.Nothing", "containers"), None);
    }

    #[test]
    fn rows_speak_about_fields_that_exist_and_keys_that_their_items_have() {
        for row in MERGE_RULES {
            let ty = TYPES.iter().find(|ty| ty.id == row.type_id).expect(row.type_id);
            let shape = ty.field(row.field).expect(row.field).shape;
            match shape {
                Shape::List(Shape::Object(item)) => {
                    assert!(row.rule.merges(), "{row:?}");
                    let item = crate::schema::type_of(*item);
                    assert!(item.field(row.rule.key).is_some(), "{row:?}");
                }
                Shape::List(_) => assert_eq!(row.rule, MergeRule { strategy: "merge", key: "" }),
                _ => assert!(!row.rule.merges() && row.rule.key.is_empty(), "{row:?}"),
            }
        }
    }

    #[test]
    fn strategies_are_read_word_by_word() {
        let rule = |strategy| MergeRule { strategy, key: "" };
        assert!(rule("merge,retainKeys").merges() && !rule("merge,retainKeys").replaces());
        assert!(rule("replace").replaces() && !rule("retainKeys").merges());
    }
}
