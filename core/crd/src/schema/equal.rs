//! Equality of schemas as Go's `DeepEqual` sees it: places in the source do not count.

use super::props::{JsonSchemaProps, SchemaOrArray, SchemaOrBool, SchemaOrStrings};

impl PartialEq for JsonSchemaProps {
    fn eq(&self, other: &Self) -> bool {
        self.texts() == other.texts()
            && self.switches() == other.switches()
            && self.floats() == other.floats()
            && self.lengths() == other.lengths()
            && (&self.default, &self.example, &self.enumeration)
                == (&other.default, &other.example, &other.enumeration)
            && (&self.required, &self.list_map_keys, &self.validations)
                == (&other.required, &other.list_map_keys, &other.validations)
            && (&self.all_of, &self.any_of, &self.one_of, &self.not)
                == (&other.all_of, &other.any_of, &other.one_of, &other.not)
            && (&self.items, &self.properties, &self.additional_properties)
                == (&other.items, &other.properties, &other.additional_properties)
            && (&self.pattern_properties, &self.additional_items, &self.definitions)
                == (&other.pattern_properties, &other.additional_items, &other.definitions)
            && (&self.dependencies, self.has_dependencies)
                == (&other.dependencies, other.has_dependencies)
            && self.external_docs == other.external_docs
    }
}

type Texts<'a> = ([&'a str; 7], [Option<&'a str>; 3]);

impl JsonSchemaProps {
    fn texts(&self) -> Texts<'_> {
        (
            [
                &self.id,
                &self.schema,
                &self.description,
                &self.schema_type,
                &self.format,
                &self.title,
                &self.pattern,
            ],
            [self.reference.as_deref(), self.list_type.as_deref(), self.map_type.as_deref()],
        )
    }

    fn switches(&self) -> ([bool; 6], Option<bool>) {
        (
            [
                self.nullable,
                self.exclusive_maximum,
                self.exclusive_minimum,
                self.unique_items,
                self.embedded_resource,
                self.int_or_string,
            ],
            self.preserve_unknown_fields,
        )
    }

    fn floats(&self) -> [Option<f64>; 3] {
        [self.maximum, self.minimum, self.multiple_of]
    }

    fn lengths(&self) -> [Option<i64>; 6] {
        [
            self.max_length,
            self.min_length,
            self.max_items,
            self.min_items,
            self.max_properties,
            self.min_properties,
        ]
    }

    /// Whether nothing is set.
    pub(crate) fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

impl PartialEq for SchemaOrArray {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Schema(one), Self::Schema(other)) => one == other,
            (Self::Array(one), Self::Array(other)) => one == other,
            _ => false,
        }
    }
}

impl PartialEq for SchemaOrBool {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Schema(one), Self::Schema(other)) => one == other,
            (Self::Allows(one), Self::Allows(other)) => one == other,
            _ => false,
        }
    }
}

impl PartialEq for SchemaOrStrings {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Schema(one), Self::Schema(other)) => one == other,
            (Self::Strings(one), Self::Strings(other)) => one == other,
            _ => false,
        }
    }
}
