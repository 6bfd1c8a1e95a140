//! `Properties`: the named properties of a schema, found by name.

use super::Structural;
use alloc::boxed::Box;
use alloc::vec::Vec;

/// Named properties, sorted by name.
#[derive(Debug, Default)]
pub(crate) struct Properties {
    /// The first bytes of the names as numbers: most names are told apart by them, without a look at the rows.
    prefixes: Box<[u64]>,
    rows: Box<[Property]>,
    /// The positions of those with a default.
    defaulted: Box<[usize]>,
}

/// A named property.
#[derive(Debug)]
pub(crate) struct Property {
    pub(crate) name: Box<str>,
    pub(crate) schema: Structural,
}

impl Properties {
    pub(crate) fn get(&self, name: &str) -> Option<&Structural> {
        self.row(self.position(name)?).map(|row| &row.schema)
    }

    pub(crate) fn row(&self, position: usize) -> Option<&Property> {
        self.rows.get(position)
    }

    /// The positions of the properties with a default.
    pub(crate) fn defaulted(&self) -> &[usize] {
        &self.defaulted
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        let prefix = prefix(name);
        let start = self.prefixes.partition_point(|other| *other < prefix);
        let prefixes = self.prefixes.get(start..)?;
        let count = match prefixes {
            [first, ..] if *first != prefix => return None,
            [_, second, ..] if *second == prefix => {
                prefixes.partition_point(|other| *other == prefix)
            }
            _ => 1,
        };
        let rows = self.rows.get(start..start.checked_add(count)?)?;
        let index = rows.binary_search_by(|row| (*row.name).cmp(name)).ok()?;
        start.checked_add(index)
    }

    pub(crate) fn iter(&self) -> core::slice::Iter<'_, Property> {
        self.rows.iter()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }
}

impl FromIterator<Property> for Properties {
    fn from_iter<I: IntoIterator<Item = Property>>(rows: I) -> Self {
        let mut rows: Vec<Property> = rows.into_iter().collect();
        rows.sort_by(|one, other| one.name.cmp(&other.name));
        let defaulted = rows.iter().enumerate().filter(|(_, row)| row.schema.default.is_some());
        Self {
            prefixes: rows.iter().map(|row| prefix(&row.name)).collect(),
            defaulted: defaulted.map(|(position, _)| position).collect(),
            rows: rows.into(),
        }
    }
}

impl<'p> IntoIterator for &'p Properties {
    type Item = &'p Property;
    type IntoIter = core::slice::Iter<'p, Property>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The first bytes of a name, in the order of names.
fn prefix(name: &str) -> u64 {
    let mut bytes = [0; 8];
    bytes.iter_mut().zip(name.bytes()).for_each(|(to, from)| *to = from);
    u64::from_be_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn names_are_found_wherever_they_differ(names in prop::collection::btree_set("[ab]{0,3}(abcdefgh)?[ab]{0,3}", 0..20), other in "[ab]{0,3}(abcdefgh)?[ab]{0,3}") {
            let property = |name: &String| Property {
                name: name.as_str().into(),
                schema: Structural { nullable: name == &other, ..Structural::default() },
            };
            let properties: Properties = names.iter().map(property).collect();
            for name in &names {
                prop_assert_eq!(properties.get(name).unwrap().nullable, name == &other);
            }
            prop_assert_eq!(properties.get(&other).is_some(), names.contains(&other));
        }
    }
}
