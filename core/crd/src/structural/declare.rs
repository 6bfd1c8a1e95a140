//! CEL declarations of schemas, with the sizes that a request or the schema bounds.

use super::{Additional, ListType, SchemaType, Structural};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_cel::decl::{DeclField, DeclKind, DeclType, Fields, MAX_REQUEST_SIZE, Topology};
use ratchet_object::Node;

/// The longest string of a request: all of it but the quotes.
const LONGEST: u64 = MAX_REQUEST_SIZE - 2;
/// The sizes of values in JSON, with quotes.
const STRING: u64 = 2;
const BOOLEAN: u64 = 4;
const NUMBER: u64 = 1;
const DATE: u64 = 12;
const SHORTEST_TIME: u64 = 21;
const SHORTEST_DURATION: u64 = 3;
const LONGEST_TIME: u64 = 32;

impl Structural {
    /// The declared type of values (`SchemaDeclType`). A resource has the fields that every object has.
    pub(crate) fn declare(&self, is_resource_root: bool) -> DeclType {
        let ty = if self.int_or_string {
            DeclType::sized(DeclKind::IntOrString, self.text_length().unwrap_or(LONGEST), NUMBER)
        } else {
            match self.schema_type {
                Some(SchemaType::Array) => self.declare_list(),
                Some(SchemaType::Object) => self.declare_object(is_resource_root),
                Some(SchemaType::String) => self.declare_string(),
                Some(SchemaType::Boolean) => DeclType::scalar(DeclKind::Bool, BOOLEAN),
                Some(SchemaType::Number) => DeclType::scalar(DeclKind::Double, NUMBER),
                Some(SchemaType::Integer) => DeclType::scalar(DeclKind::Int, NUMBER),
                None => DeclType::scalar(DeclKind::Preserved, 0),
            }
        };
        DeclType { nullable: self.nullable, ..ty }
    }

    fn declare_list(&self) -> DeclType {
        let Some(items) = self.items() else { return DeclType::scalar(DeclKind::Preserved, 0) };
        let items = items.declare(items.embedded_resource);
        let most = self.checks.as_deref().and_then(|checks| checks.max_items);
        let most = most.map_or(LONGEST / (items.min_serialized_size + 1), not_negative);
        let topology = match self.list_type {
            ListType::Atomic => Topology::Atomic,
            ListType::Set => Topology::Set,
            ListType::Map => Topology::Map(self.list_map_keys.clone()),
        };
        DeclType::sized(DeclKind::List { items: Arc::new(items), topology }, most, 2)
    }

    fn declare_object(&self, is_resource_root: bool) -> DeclType {
        if let Additional::Schema(values) = &self.additional {
            let values = values.declare(values.embedded_resource);
            let most = self.checks.as_deref().and_then(|checks| checks.max_properties);
            // A key takes six bytes at least: quotes, a colon, a comma and two letters.
            let most = most.map_or(LONGEST / (values.min_serialized_size + 6), not_negative);
            return DeclType::sized(DeclKind::Map { values: Arc::new(values) }, most, 2);
        }
        let required = self.checks.as_deref().map(|checks| &*checks.required).unwrap_or_default();
        let mut smallest = 2;
        let mut fields = Vec::with_capacity(self.properties.len() + 3);
        for property in &self.properties {
            let schema = &property.schema;
            let ty = schema.declare(schema.embedded_resource);
            let is_given = required.contains(&property.name) && schema.default.is_none();
            if is_given && ty.is_exposed() {
                let length = u64::try_from(property.name.len()).unwrap_or(u64::MAX);
                smallest += length + ty.min_serialized_size + 4;
            }
            fields.push(DeclField::new(&property.name, Arc::new(ty)));
        }
        if is_resource_root && !self.declares_metadata() {
            let text = Arc::new(DeclType::sized(DeclKind::String, LONGEST, STRING));
            let field = |name: &str| DeclField::new(name, text.clone());
            let names = Fields::new([field("name"), field("generateName")].into());
            let metadata = Arc::new(DeclType::scalar(DeclKind::Object(names), 2));
            fields.extend([field("kind"), field("apiVersion")]);
            fields.push(DeclField::new("metadata", metadata));
        }
        DeclType::scalar(DeclKind::Object(Fields::new(fields)), smallest)
    }

    /// Whether the schema itself has all the metadata that rules may use.
    fn declares_metadata(&self) -> bool {
        let is = |schema: Option<&Self>, schema_type| {
            schema.is_some_and(|schema| schema.schema_type == Some(schema_type))
        };
        let metadata = self.property("metadata");
        let name = |name| metadata.and_then(|metadata| metadata.property(name));
        is(self.property("kind"), SchemaType::String)
            && is(self.property("apiVersion"), SchemaType::String)
            && is(metadata, SchemaType::Object)
            && is(name("name"), SchemaType::String)
            && is(name("generateName"), SchemaType::String)
    }

    fn declare_string(&self) -> DeclType {
        let checks = self.checks.as_deref();
        match checks.map(|checks| &*checks.format_name).unwrap_or_default() {
            "byte" => {
                let most = checks.and_then(|checks| checks.max_length).map(not_negative);
                DeclType::sized(DeclKind::Bytes, most.unwrap_or(LONGEST), STRING)
            }
            "duration" => DeclType::sized(DeclKind::Duration, LONGEST_TIME, SHORTEST_DURATION),
            "date" => DeclType::sized(DeclKind::Date, DATE, DATE),
            "date-time" => DeclType::sized(DeclKind::DateTime, LONGEST_TIME, SHORTEST_TIME),
            _ => {
                let values = checks.map(|checks| &*checks.enumeration).unwrap_or_default();
                let most = self.text_length().or_else(|| longest_value(values));
                DeclType::sized(DeclKind::String, most.unwrap_or(LONGEST), STRING)
            }
        }
    }

    /// The most bytes of a string by `maxLength`, which counts letters of up to four bytes.
    fn text_length(&self) -> Option<u64> {
        let most = self.checks.as_deref()?.max_length?;
        Some(not_negative(most).saturating_mul(4))
    }
}

fn longest_value(values: &[Node<'_>]) -> Option<u64> {
    if values.is_empty() {
        return None;
    }
    let lengths = values.iter().filter_map(|value| value.text().map(str::len));
    u64::try_from(lengths.max().unwrap_or_default()).ok()
}

fn not_negative(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::schema;

    #[test]
    fn sizes_come_from_the_schema_or_the_request() {
        let sizes = |spec: &str| {
            let ty = schema(spec).declare(false);
            (ty.max_elements, ty.min_serialized_size)
        };
        let cases = [
            ("{type: string}", (3_145_726, 2)),
            ("{type: string, maxLength: 10}", (40, 2)),
            ("{type: string, enum: [a, abc]}", (3, 2)),
            ("{type: string, format: date}", (12, 12)),
            ("{type: string, format: byte, maxLength: 10}", (10, 2)),
            ("{type: integer}", (0, 1)),
            ("{type: boolean}", (0, 4)),
            ("{type: array, items: {type: string}}", (1_048_575, 2)),
            ("{type: array, items: {type: boolean}, maxItems: 7}", (7, 2)),
            ("{type: object, additionalProperties: {type: integer}}", (449_389, 2)),
            ("{type: object, properties: {ab: {type: string}}, required: [ab]}", (0, 10)),
            ("{x-kubernetes-int-or-string: true}", (3_145_726, 1)),
        ];
        for (spec, expected) in cases {
            assert_eq!(sizes(spec), expected, "{spec}");
        }
    }

    #[test]
    fn resources_have_metadata() {
        let ty = schema("{type: object, properties: {spec: {type: object}}}").declare(true);
        let DeclKind::Object(fields) = ty.kind else { panic!("an object") };
        assert!(
            ["kind", "apiVersion", "metadata", "spec"]
                .iter()
                .all(|name| fields.named(name).is_some())
        );
    }
}
