//! Defaults, and the removal of `null` where a field may not be `null` and has no default.

use super::Structural;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use ratchet_object::{Entry, Node, Value};

impl Structural {
    /// Adds the defaults that a value lacks. A missing parent is not made, unless it has a default itself.
    pub fn apply_defaults(&self, value: &mut Node<'_>) {
        if !self.has_defaults {
            return;
        }
        match &mut value.value {
            Value::Map(entries) => {
                self.default_members(entries);
                for entry in entries {
                    match self.property(&entry.key) {
                        Some(schema) => schema.apply_defaults(&mut entry.node),
                        None => {
                            if let Some(schema) = self.additional_properties() {
                                schema.default_element(&mut entry.node);
                            }
                        }
                    }
                }
            }
            Value::List(items) => {
                if let Some(schema) = self.items() {
                    items.iter_mut().for_each(|item| schema.default_element(item));
                }
            }
            _ => {}
        }
    }

    /// Adds the members that have a default and are missing, or `null` though they may not be.
    fn default_members(&self, entries: &mut Vec<Entry<'_>>) {
        if self.properties.defaulted().is_empty() {
            return;
        }
        let mut is_there = vec![false; self.properties.len()];
        for entry in entries.iter_mut() {
            let Some(position) = self.properties.position(&entry.key) else { continue };
            if let Some(is_there) = is_there.get_mut(position) {
                *is_there = true;
            }
            if let Some(property) = self.properties.row(position)
                && let Some(default) = property.schema.default.as_deref()
                && entry.node.is_null()
                && !property.schema.nullable
            {
                entry.node = default.clone();
            }
        }
        for position in self.properties.defaulted() {
            let missing = is_there.get(*position).is_some_and(|is_there| !is_there);
            let Some(property) = self.properties.row(*position).filter(|_| missing) else {
                continue;
            };
            if let Some(default) = property.schema.default.as_deref() {
                entries.push(Entry::new(String::from(&*property.name), default.clone()));
            }
        }
    }

    /// Defaults an item of a list or a value of a map.
    fn default_element(&self, node: &mut Node<'_>) {
        if node.is_null()
            && !self.nullable
            && let Some(default) = self.default.as_deref()
        {
            *node = default.clone();
        }
        self.apply_defaults(node);
    }
}

/// Removes members that are `null`, though they may not be, and have no default to become.
pub(crate) fn prune_nulls(value: &mut Node<'_>, schema: Option<&Structural>) {
    // What has no schema has nothing that may not be null.
    let Some(schema) = schema else { return };
    match &mut value.value {
        Value::Map(entries) => entries.retain_mut(|entry| {
            let member = schema.member(&entry.key);
            let is_stray = entry.node.is_null()
                && member.is_some_and(|member| !member.nullable && member.default.is_none());
            if !is_stray {
                prune_nulls(&mut entry.node, member);
            }
            !is_stray
        }),
        Value::List(items) => {
            items.iter_mut().for_each(|item| prune_nulls(item, schema.items()));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{schema, tree};
    use alloc::string::String;

    fn completed(spec: &str, object: &str) -> String {
        let (schema, mut node) = (schema(spec), tree(object));
        prune_nulls(&mut node, Some(&schema));
        schema.apply_defaults(&mut node);
        node.to_json()
    }

    const SPEC: &str = "{type: object, properties: {
        a: {type: string, default: x}, nu: {type: string, nullable: true, default: q}, p: {type: string},
        o: {type: object, properties: {i: {type: integer, default: 1}}},
        d: {type: object, default: {}, properties: {i: {type: integer, default: 2}}},
        l: {type: array, items: {type: object, properties: {k: {type: string, default: z}}}},
        m: {type: object, additionalProperties: {type: integer, default: 3}}}}";

    #[test]
    fn what_is_missing_is_added() {
        assert_eq!(completed(SPEC, "{}"), r#"{"a":"x","d":{"i":2},"nu":"q"}"#);
        let object = "{a: b, o: {}, l: [{}, {k: w}], m: {q: null, r: 4}, d: {i: 5}, nu: q}";
        assert_eq!(
            completed(SPEC, object),
            r#"{"a":"b","o":{"i":1},"l":[{"k":"z"},{"k":"w"}],"m":{"q":3,"r":4},"d":{"i":5},"nu":"q"}"#
        );
    }

    #[test]
    fn null_is_a_default_nothing_or_null() {
        assert_eq!(
            completed(SPEC, "{a: null, nu: null, p: null, l: [null], unknown: null}"),
            r#"{"a":"x","nu":null,"l":[null],"unknown":null,"d":{"i":2}}"#
        );
    }
}
