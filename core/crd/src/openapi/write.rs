//! Schemas as trees, in the order in which Go writes them.

use super::{
    EMBEDDED_API_VERSION, EMBEDDED_KIND, METADATA, OBJECT_META, OpenApi, described, reference,
};
use crate::schema::{JsonSchemaProps, SchemaOrBool, ValidationRule};
use alloc::string::{String, ToString};
use ratchet_object::{Node, Value};

/// A schema of a value.
pub(super) fn schema(schema: &JsonSchemaProps, open_api: OpenApi) -> Node<'static> {
    let mut members = Members::default();
    members.generic(schema);
    members.values(schema);
    if let Some(items) = schema.item_schema() {
        members.set("items", self::schema(items, open_api));
    }
    members.junctors(schema, open_api);
    members.properties(&schema.properties, |property| self::schema(property, open_api));
    match schema.additional_properties.as_deref() {
        None => {}
        Some(SchemaOrBool::Allows(allows)) => members.flag_as("additionalProperties", *allows),
        Some(SchemaOrBool::Schema(additional)) => {
            members.set("additionalProperties", self::schema(additional, open_api));
        }
    }
    members.documentation(schema);
    members.extensions(schema);
    members.rules(&schema.validations);
    let mut node = members.0;
    let is_hidden = open_api == OpenApi::V2 && schema.preserve_unknown_fields == Some(true);
    if schema.embedded_resource && !is_hidden {
        embed(&mut node, open_api);
    }
    node
}

/// A schema in a junctor, which has only what is about values.
fn nested(schema: &JsonSchemaProps, open_api: OpenApi) -> Node<'static> {
    let mut members = Members::default();
    members.generic(schema);
    members.values(schema);
    if let Some(items) = schema.item_schema() {
        members.set("items", nested(items, open_api));
    }
    members.junctors(schema, open_api);
    members.properties(&schema.properties, |property| nested(property, open_api));
    members.documentation(schema);
    members.extensions(schema);
    members.rules(&schema.validations);
    members.0
}

/// Adds what every object has to an embedded resource.
fn embed(node: &mut Node<'static>, open_api: OpenApi) {
    let metadata = [
        ("apiVersion", described(EMBEDDED_API_VERSION)),
        ("kind", described(EMBEDDED_KIND)),
        ("metadata", reference(OBJECT_META, METADATA, open_api)),
    ];
    set_properties(node, metadata);
    let mut required = node.get("required").map(Node::items).unwrap_or_default().to_vec();
    for name in ["kind", "apiVersion"] {
        if !required.iter().any(|other| other.text() == Some(name)) {
            required.push(Node::string(name));
        }
    }
    node.set("required", Node::list(required));
}

/// Sets properties of a schema; they stay sorted.
pub(super) fn set_properties(
    schema: &mut Node<'static>,
    added: impl IntoIterator<Item = (&'static str, Node<'static>)>,
) {
    let properties = schema.map_mut("properties");
    for (name, node) in added {
        properties.set(name, node);
    }
    if let Some(entries) = properties.entries_mut() {
        entries.sort_by(|one, other| one.key.cmp(&other.key));
    }
}

struct Members(Node<'static>);

impl Default for Members {
    fn default() -> Self {
        Self(Node::empty_map())
    }
}

impl Members {
    fn set(&mut self, name: &'static str, node: Node<'static>) {
        self.0.set(name, node);
    }

    fn text(&mut self, name: &'static str, text: &str) {
        if !text.is_empty() {
            self.set(name, Node::string(text.to_string()));
        }
    }

    fn flag(&mut self, name: &'static str, is_set: bool) {
        if is_set {
            self.flag_as(name, true);
        }
    }

    fn flag_as(&mut self, name: &'static str, truth: bool) {
        self.set(name, Node::new(Value::Bool(truth)));
    }

    fn number(&mut self, name: &'static str, number: Option<f64>) {
        if let Some(number) = number {
            self.set(name, Node::new(Value::Float(number)));
        }
    }

    fn count(&mut self, name: &'static str, count: Option<i64>) {
        if let Some(count) = count {
            self.set(name, Node::int(count));
        }
    }

    fn texts(&mut self, name: &'static str, texts: &[String]) {
        if !texts.is_empty() {
            self.set(name, Node::list(texts.iter().cloned().map(Node::string).collect()));
        }
    }

    fn generic(&mut self, schema: &JsonSchemaProps) {
        self.text("description", &schema.description);
        self.text("type", &schema.schema_type);
        self.flag("nullable", schema.nullable);
        self.text("format", &schema.format);
        self.text("title", &schema.title);
        if let Some(default) = schema.default.as_ref().filter(|default| !default.is_null()) {
            self.set("default", default.clone());
        }
    }

    fn values(&mut self, schema: &JsonSchemaProps) {
        self.number("maximum", schema.maximum);
        self.flag("exclusiveMaximum", schema.exclusive_maximum);
        self.number("minimum", schema.minimum);
        self.flag("exclusiveMinimum", schema.exclusive_minimum);
        self.count("maxLength", schema.max_length);
        self.count("minLength", schema.min_length);
        self.text("pattern", &schema.pattern);
        self.count("maxItems", schema.max_items);
        self.count("minItems", schema.min_items);
        self.flag("uniqueItems", schema.unique_items);
        self.number("multipleOf", schema.multiple_of);
        if !schema.enumeration.is_empty() {
            self.set("enum", Node::list(schema.enumeration.clone()));
        }
        self.count("maxProperties", schema.max_properties);
        self.count("minProperties", schema.min_properties);
        self.texts("required", &schema.required);
    }

    fn junctors(&mut self, schema: &JsonSchemaProps, open_api: OpenApi) {
        let junctors =
            [("allOf", &schema.all_of), ("oneOf", &schema.one_of), ("anyOf", &schema.any_of)];
        for (name, schemas) in junctors {
            if !schemas.is_empty() {
                let schemas = schemas.iter().map(|schema| nested(schema, open_api));
                self.set(name, Node::list(schemas.collect()));
            }
        }
        if let Some(not) = schema.not.as_deref() {
            self.set("not", nested(not, open_api));
        }
    }

    fn properties(
        &mut self,
        properties: &[(String, JsonSchemaProps)],
        write: impl Fn(&JsonSchemaProps) -> Node<'static>,
    ) {
        if !properties.is_empty() {
            let members = properties.iter().map(|(name, schema)| (name.clone(), write(schema)));
            self.set("properties", Node::map(members));
        }
    }

    fn documentation(&mut self, schema: &JsonSchemaProps) {
        if let Some((description, url)) = &schema.external_docs {
            let mut docs = Self::default();
            docs.text("description", description);
            docs.text("url", url);
            self.set("externalDocs", docs.0);
        }
        if let Some(example) = schema.example.as_ref().filter(|example| !example.is_null()) {
            self.set("example", example.clone());
        }
    }

    fn extensions(&mut self, schema: &JsonSchemaProps) {
        self.flag("x-kubernetes-embedded-resource", schema.embedded_resource);
        self.flag("x-kubernetes-int-or-string", schema.int_or_string);
        self.texts("x-kubernetes-list-map-keys", &schema.list_map_keys);
        for (name, text) in [
            ("x-kubernetes-list-type", &schema.list_type),
            ("x-kubernetes-map-type", &schema.map_type),
        ] {
            if let Some(text) = text {
                self.set(name, Node::string(text.clone()));
            }
        }
        let is_open = schema.preserve_unknown_fields == Some(true);
        self.flag("x-kubernetes-preserve-unknown-fields", is_open);
    }

    fn rules(&mut self, rules: &[ValidationRule]) {
        if rules.is_empty() {
            return;
        }
        let rules = rules.iter().map(|rule| {
            let mut members = Self::default();
            members.set("rule", Node::string(rule.rule.clone()));
            members.text("message", &rule.message);
            members.text("messageExpression", &rule.message_expression);
            if let Some(reason) = &rule.reason {
                members.set("reason", Node::string(reason.clone()));
            }
            members.text("fieldPath", &rule.field_path);
            if let Some(optional) = rule.optional_old_self {
                members.flag_as("optionalOldSelf", optional);
            }
            members.0
        });
        self.set("x-kubernetes-validations", Node::list(rules.collect()));
    }
}
