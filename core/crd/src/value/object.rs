//! Properties of objects: named, without a name, required, and their number.

use super::Validator;
use super::correlation::Correlation;
use super::finding::Code;
use crate::errors::quoted;
use crate::path::Path;
use crate::structural::{Additional, Structural};
use alloc::collections::BTreeSet;
use alloc::format;
use ratchet_object::{Entry, Node};

/// Beyond so many comparisons an index is made of an object's members.
const MANY: usize = 512;

impl Validator {
    pub(super) fn object(
        &mut self,
        schema: &Structural,
        entries: &[Entry<'_>],
        node: &Node<'_>,
        path: &Path<'_>,
        correlation: Option<Correlation<'_>>,
    ) -> u32 {
        self.property_count(schema, entries.len(), node, path);
        let mut passed = 0;
        // Members without a name come before the others.
        for entry in entries {
            match &schema.additional {
                Additional::Allows(false) if schema.property(&entry.key).is_none() => {
                    let message = format!("{path}.{} in body is a forbidden property", entry.key);
                    self.push(Code::Invalid, path, node, quoted(&entry.key), message);
                }
                Additional::Schema(additional) if schema.property(&entry.key).is_none() => {
                    let correlation =
                        correlation.and_then(|correlation| correlation.key(&entry.key));
                    let path = path.dotted(&entry.key);
                    passed += self.value(additional, &entry.node, &path, correlation);
                }
                _ => {}
            }
        }
        for entry in entries {
            let Some(property) = schema.property(&entry.key) else { continue };
            let correlation = correlation
                // Both versions were converted to the same, so that a change of these cannot be seen.
                .filter(|_| !path.is_blank() || !matches!(&*entry.key, "kind" | "apiVersion"))
                .and_then(|correlation| correlation.key(&entry.key));
            passed += self.value(property, &entry.node, &path.child(&entry.key), correlation);
        }
        self.required(schema, entries, node, path);
        passed
    }

    fn property_count(
        &mut self,
        schema: &Structural,
        count: usize,
        node: &Node<'_>,
        path: &Path<'_>,
    ) {
        let Some(checks) = schema.checks.as_deref() else { return };
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        if let Some(least) = checks.min_properties.filter(|least| count < *least) {
            let message = format!("{path} in body should have at least {least} properties");
            self.push(Code::Invalid, path, node, format!("{count}"), message);
        }
        if let Some(most) = checks.max_properties.filter(|most| count > *most) {
            let message = format!("{path} in body should have at most {most} properties");
            self.push(Code::TooMany(most), path, node, format!("{count}"), message);
        }
    }

    fn required(
        &mut self,
        schema: &Structural,
        entries: &[Entry<'_>],
        node: &Node<'_>,
        path: &Path<'_>,
    ) {
        let Some(checks) = schema.checks.as_deref() else { return };
        let is_large = checks.required.len().saturating_mul(entries.len()) > MANY;
        let index: BTreeSet<&str> = match is_large {
            true => entries.iter().map(|entry| &*entry.key).collect(),
            false => BTreeSet::new(),
        };
        for name in &checks.required {
            let is_there = match is_large {
                true => index.contains(&**name),
                false => entries.iter().any(|entry| *entry.key == **name),
            };
            if !is_there {
                let path = path.dotted(name);
                let message = format!("{path} in body is required");
                self.push(Code::Required, &path, node, "".into(), message);
            }
        }
    }
}
