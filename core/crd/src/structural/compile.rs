//! Compilation of schemas.

use super::{Additional, Checks, ListType, MapType, Property, SchemaType, Structural};
use crate::formats;
use crate::schema::{JsonSchemaProps, SchemaOrBool};
use alloc::boxed::Box;
use alloc::string::String;
use ratchet_cel::Regex;
use ratchet_object::Node;

impl Structural {
    /// Compiles a valid schema; what is not supported in structural schemas is left out.
    pub fn compile(schema: &JsonSchemaProps) -> Self {
        let items = schema.item_schema().map(|items| Box::new(Self::compile(items)));
        let properties = schema
            .properties
            .iter()
            .map(|(name, schema)| Property {
                name: name.as_str().into(),
                schema: Self::compile(schema),
            })
            .collect();
        let additional = match schema.additional_properties.as_deref() {
            None => Additional::Unset,
            Some(SchemaOrBool::Allows(allows)) => Additional::Allows(*allows),
            Some(SchemaOrBool::Schema(schema)) => {
                Additional::Schema(Box::new(Self::compile(schema)))
            }
        };
        let mut compiled = Self {
            schema_type: SchemaType::parse(&schema.schema_type),
            nullable: schema.nullable,
            preserve_unknown_fields: schema.preserve_unknown_fields == Some(true),
            embedded_resource: schema.embedded_resource,
            int_or_string: schema.int_or_string,
            list_type: match schema.list_type.as_deref() {
                Some("set") => ListType::Set,
                Some("map") => ListType::Map,
                _ => ListType::Atomic,
            },
            map_type: match schema.map_type.as_deref() {
                Some("atomic") => MapType::Atomic,
                _ => MapType::Granular,
            },
            list_map_keys: schema.list_map_keys.iter().map(|key| key.as_str().into()).collect(),
            default: schema.default.clone().map(Box::new),
            checks: checks(schema),
            items,
            properties,
            additional,
            ..Self::default()
        };
        compiled.has_defaults =
            compiled.below(|schema| schema.default.is_some(), |schema| schema.has_defaults);
        compiled.has_resources =
            compiled.below(|schema| schema.embedded_resource, |schema| schema.has_resources);
        compiled.has_unique_lists = compiled
            .below(|schema| schema.list_type != ListType::Atomic, |schema| schema.has_unique_lists);
        compiled
    }

    /// Compiles the schema of a tree, such as `openAPIV3Schema` of a definition that was accepted.
    pub fn from_node(node: &Node<'_>) -> Self {
        Self::compile(&JsonSchemaProps::decode(node))
    }

    /// Whether something holds for this schema, or is known of one directly below.
    fn below(&self, own: fn(&Self) -> bool, known: fn(&Self) -> bool) -> bool {
        own(self)
            || self.items.as_deref().is_some_and(known)
            || self.additional_properties().is_some_and(known)
            || self.properties.iter().any(|property| known(&property.schema))
    }
}

fn checks(schema: &JsonSchemaProps) -> Option<Box<Checks>> {
    let compile_all = |schemas: &[JsonSchemaProps]| -> Box<[Structural]> {
        schemas.iter().map(Structural::compile).collect()
    };
    let pattern = Some(&schema.pattern).filter(|pattern| !pattern.is_empty());
    let types: &[&str] = match (schema.int_or_string, schema.schema_type.as_str()) {
        (true, _) => &["integer", "string"],
        (false, "") => &[],
        (false, other) => &[other],
    };
    let is_supported = formats::is_supported(types, &schema.format);
    let format_name = if is_supported { schema.format.as_str() } else { "" };
    let checks = Checks {
        format: formats::find(format_name),
        format_name: format_name.into(),
        maximum: schema.maximum,
        exclusive_maximum: schema.exclusive_maximum,
        minimum: schema.minimum,
        exclusive_minimum: schema.exclusive_minimum,
        multiple_of: schema.multiple_of,
        max_length: schema.max_length,
        min_length: schema.min_length,
        // An invalid pattern is refused with its definition.
        pattern: pattern.and_then(|pattern| {
            Regex::new(pattern).ok().map(|regex| (pattern.as_str().into(), regex))
        }),
        max_items: schema.max_items,
        min_items: schema.min_items,
        max_properties: schema.max_properties,
        min_properties: schema.min_properties,
        enumeration: schema.enumeration.clone().into(),
        required: schema.required.iter().map(|name: &String| name.as_str().into()).collect(),
        all_of: compile_all(&schema.all_of),
        any_of: compile_all(&schema.any_of),
        one_of: compile_all(&schema.one_of),
        not: schema.not.as_deref().map(|schema| Box::new(Structural::compile(schema))),
    };
    let is_empty = schema.format.is_empty()
        && pattern.is_none()
        && [schema.maximum, schema.minimum, schema.multiple_of].iter().all(Option::is_none)
        && [
            schema.max_length,
            schema.min_length,
            schema.max_items,
            schema.min_items,
            schema.max_properties,
            schema.min_properties,
        ]
        .iter()
        .all(Option::is_none)
        && checks.enumeration.is_empty()
        && checks.required.is_empty()
        && checks.all_of.is_empty()
        && checks.any_of.is_empty()
        && checks.one_of.is_empty()
        && checks.not.is_none();
    (!is_empty).then(|| Box::new(checks))
}
