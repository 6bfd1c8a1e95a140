//! Search through a schema and all schemas in it.

use super::props::{JsonSchemaProps, SchemaOrArray, SchemaOrBool, SchemaOrStrings};
use alloc::vec;
use alloc::vec::Vec;

impl JsonSchemaProps {
    /// Whether this schema or one in it is such (`SchemaHas`). Without recursion, and in no particular order.
    pub(crate) fn any(&self, mut is_such: impl FnMut(&Self) -> bool) -> bool {
        let mut queue: Vec<&Self> = vec![self];
        while let Some(schema) = queue.pop() {
            if is_such(schema) {
                return true;
            }
            schema.push_children(&mut queue);
        }
        false
    }

    fn push_children<'s>(&'s self, queue: &mut Vec<&'s Self>) {
        match self.items.as_deref() {
            Some(SchemaOrArray::Schema(schema)) => queue.push(schema),
            Some(SchemaOrArray::Array(schemas)) => queue.extend(schemas),
            None => {}
        }
        queue.extend(self.all_of.iter().chain(&self.any_of).chain(&self.one_of));
        queue.extend(self.not.as_deref());
        let named = self.properties.iter().chain(&self.pattern_properties).chain(&self.definitions);
        queue.extend(named.map(|(_, schema)| schema));
        for other in [self.additional_properties.as_deref(), self.additional_items.as_deref()] {
            if let Some(SchemaOrBool::Schema(schema)) = other {
                queue.push(schema);
            }
        }
        for (_, dependency) in &self.dependencies {
            if let SchemaOrStrings::Schema(schema) = dependency {
                queue.push(schema);
            }
        }
    }
}
