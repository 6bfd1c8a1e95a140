//! Properties of objects: named, without a name, required, and their number.

use super::finding::Code;
use super::{Correlation, Validator};
use crate::errors::quoted;
use crate::path::Path;
use crate::structural::{Additional, Structural};
use alloc::format;
use ratchet_object::{Entry, Members, Node};

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
        let mut old = Members::of(correlation.map(|correlation| correlation.old));
        // Members without a name come before the others.
        let has_additional =
            !matches!(schema.additional, Additional::Unset | Additional::Allows(true));
        for entry in entries.iter().filter(|_| has_additional) {
            if schema.property(&entry.key).is_some() {
                continue;
            }
            if let Additional::Schema(additional) = &schema.additional {
                let path = path.dotted(&entry.key);
                let correlation = correlate(&mut old, entry, additional);
                passed += self.value(additional, &entry.node, &path, correlation);
            } else {
                let message = format!("{path}.{} in body is a forbidden property", entry.key);
                self.push(Code::Invalid, path, node, quoted(&entry.key), message);
            }
        }
        for entry in entries {
            let Some(property) = schema.property(&entry.key) else { continue };
            // Both versions were converted to the same, so that a change of these cannot be seen.
            let is_blind = path.is_blank() && matches!(&*entry.key, "kind" | "apiVersion");
            let correlation = correlate(&mut old, entry, property).filter(|_| !is_blind);
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
        let count = u64::try_from(checks.required.len()).unwrap_or(u64::MAX);
        if !self.effort.spend(count) {
            return;
        }
        let mut members = Members::new(entries);
        for name in &checks.required {
            if members.get(name).is_none() {
                let path = path.dotted(name);
                let message = format!("{path} in body is required");
                self.push(Code::Required, &path, node, "".into(), message);
            }
        }
    }
}

/// A member with the old one, if there is one.
fn correlate<'c>(
    old: &mut Members<'c>,
    entry: &'c Entry<'c>,
    schema: &'c Structural,
) -> Option<Correlation<'c>> {
    old.get(&entry.key).map(|old| Correlation { new: &entry.node, old, schema })
}
