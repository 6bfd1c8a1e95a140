//! Violations of a kind's schema: unknown fields and values of the wrong type.

use crate::go_time::{RFC3339, RFC3339_MICRO, parse_error};
use crate::path::{Step, Steps, readable};
use crate::schema::{self, Shape, TypeRow};
use crate::{Node, Object, Span, Value, base64, go_types};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A value that violates the kind's schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaViolation {
    /// Which violation this is.
    pub kind: ViolationKind,
    /// The field path.
    pub path: String,
    /// The span of an unknown field's key, or of a value of the wrong type.
    pub span: Span,
}

/// The ways in which a value violates a schema.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViolationKind {
    /// The schema has no such field.
    Unknown,
    /// The value has another type; the text is the API server's own message.
    WrongType(String),
}

/// The result of a comparison of a tree with a type.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeReport {
    /// The violations, in the order of the tree; paths are relative to it.
    pub violations: Vec<SchemaViolation>,
    /// Whether [`prune`](crate::prune) would leave the tree as it is.
    pub is_pruned: bool,
}

/// All schema violations of an object; none if the kind is unknown.
pub fn schema_violations(object: &Object<'_>) -> Vec<SchemaViolation> {
    let (group, version) =
        object.api_version().rsplit_once('/').unwrap_or(("", object.api_version()));
    let row = schema::kind(group, version, object.kind_name());
    row.map(|row| type_violations(object.node(), row.ty)).unwrap_or_default()
}

/// All violations in a tree of the type at `type_index`; paths are relative to it.
pub fn type_violations(node: &Node<'_>, type_index: u16) -> Vec<SchemaViolation> {
    compare_with_type(node, type_index).violations
}

/// Compares a tree with the type at `type_index`.
pub fn compare_with_type(node: &Node<'_>, type_index: u16) -> TypeReport {
    let mut walk = Walk {
        violations: Vec::new(),
        steps: Vec::new(),
        fields: Vec::new(),
        alternatives: 0,
        is_pruned: true,
    };
    walk.object(node, schema::type_of(type_index));
    TypeReport { violations: walk.violations, is_pruned: walk.is_pruned }
}

/// Reports at most so many violations of one object; nobody reads more.
const MAX_VIOLATIONS: usize = 200;

/// A walk through an object; the path is only formatted where there is a violation.
struct Walk<'n> {
    violations: Vec<SchemaViolation>,
    steps: Vec<Step<'n>>,
    /// The fields among the steps, with the types that have them.
    fields: Vec<(&'static TypeRow, &'n str)>,
    /// How many values on the way have one of several shapes: Go's strict decoder does not look into them.
    alternatives: usize,
    is_pruned: bool,
}

impl<'n> Walk<'n> {
    fn object(&mut self, node: &'n Node<'n>, row: &'static TypeRow) {
        for entry in node.entries() {
            self.steps.push(Step::Field(&entry.key));
            match row.field(&entry.key) {
                None => {
                    self.is_pruned = false;
                    if self.alternatives == 0 {
                        self.report(ViolationKind::Unknown, entry.key_span);
                    }
                }
                Some(field) => {
                    self.fields.push((row, &entry.key));
                    self.value(&entry.node, &field.shape);
                    self.fields.pop();
                }
            }
            self.steps.pop();
        }
    }

    fn value(&mut self, node: &'n Node<'n>, shape: &'static Shape) {
        match (shape, &node.value) {
            (_, Value::Null) => self.is_pruned = false,
            (Shape::Any, _) => {}
            (Shape::OneOf(shapes), value) => match shape.resolve(value) {
                Some(shape) => {
                    self.alternatives += 1;
                    self.value(node, shape);
                    self.alternatives -= 1;
                }
                // Where a boolean may stand nothing else may; in other places the reference drops what it cannot use.
                None if shapes.contains(&Shape::Bool) => {
                    let message = "boolean or JSON schema expected";
                    self.report(ViolationKind::WrongType(message.into()), node.span);
                }
                None => self.is_pruned = false,
            },
            (Shape::Object(ty), Value::Map(_)) => self.object(node, schema::type_of(*ty)),
            (Shape::List(inner), Value::List(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.steps.push(Step::Index(index));
                    self.value(item, inner);
                    self.steps.pop();
                }
            }
            (Shape::Map(inner), Value::Map(entries)) => {
                for entry in entries {
                    self.steps.push(Step::Key(&entry.key));
                    self.value(&entry.node, inner);
                    self.steps.pop();
                }
            }
            (Shape::Quantity, Value::Text(text)) => {
                if let Some(message) = quantity_error(text.trim()) {
                    self.report(ViolationKind::WrongType(message.into()), node.span);
                }
            }
            (Shape::Quantity, Value::Bool(_) | Value::List(_) | Value::Map(_)) => {
                // The reference takes the JSON of any value for the text.
                self.report(ViolationKind::WrongType(QUANTITY_FORMAT.into()), node.span);
            }
            (Shape::Time, Value::Text(text)) => {
                if let Some(message) = parse_error(text, RFC3339) {
                    self.report(ViolationKind::WrongType(message), node.span);
                }
            }
            (Shape::MicroTime, Value::Text(text)) => {
                if let Some(message) = parse_error(text, RFC3339_MICRO) {
                    self.report(ViolationKind::WrongType(message), node.span);
                }
            }
            (Shape::Bytes, Value::Text(text)) => {
                if let Err(offset) = base64::decode(text) {
                    let message = format!("illegal base64 data at input byte {offset}");
                    self.report(ViolationKind::WrongType(message), node.span);
                }
            }
            (Shape::Bytes, Value::List(items)) => {
                self.is_pruned = false;
                for (index, item) in items.iter().enumerate() {
                    self.steps.push(Step::Index(index));
                    self.byte(item);
                    self.steps.pop();
                }
            }
            (shape, value) if fits(shape, value) => {}
            (shape, _) => self.wrong_type(node, shape),
        }
    }

    /// A byte of a list of numbers, which Go takes for bytes as well as a text.
    fn byte(&mut self, node: &'n Node<'n>) {
        match node.value {
            Value::Null => {}
            Value::Int(number) if u8::try_from(number).is_ok() => {}
            _ => self.type_error(node, &describe(node, &Shape::Int32), "uint8"),
        }
    }

    fn wrong_type(&mut self, node: &Node<'_>, shape: &Shape) {
        let Some(field) = self.fields.last().copied() else { return };
        let start = self.steps.iter().rposition(|step| matches!(step, Step::Field(_)));
        let below = start.and_then(|start| self.steps.get(start + 1..)).unwrap_or_default();
        let ty = go_types::value_type(field, below, shape);
        self.type_error(node, &describe(node, shape), &ty);
    }

    fn type_error(&mut self, node: &Node<'_>, value: &str, ty: &str) {
        let Some((row, _)) = self.fields.last() else { return };
        let message = format!(
            "json: cannot unmarshal {value} into Go struct field {}.{} of type {ty}",
            row.name,
            go_types::field_path(&self.fields),
        );
        self.report(ViolationKind::WrongType(message), node.span);
    }

    fn report(&mut self, kind: ViolationKind, span: Span) {
        if self.violations.len() >= MAX_VIOLATIONS {
            return;
        }
        let path = match kind {
            // Go's strict decoder does not tell the keys of a map from the fields of a struct.
            ViolationKind::Unknown => {
                let fields = self.steps.iter().map(|step| match *step {
                    Step::Key(key) => Step::Field(key),
                    step => step,
                });
                format!("{}", Steps(&fields.collect::<Vec<_>>()))
            }
            ViolationKind::WrongType(_) => format!("{}", Steps(&self.steps)),
        };
        let path = readable(path);
        self.violations.push(SchemaViolation { kind, path, span });
    }
}

/// Numbers from the first on are too large to be read as integers; up to the second, they are written with all digits.
const LARGEST_INT: f64 = 9_223_372_036_854_775_808.0;
const MOST_DIGITS: f64 = 1e21;

/// The value as the API server's message describes it: integer fields show the number that does not fit.
fn describe(node: &Node<'_>, shape: &Shape) -> String {
    match (&node.value, shape) {
        (Value::Int(number), Shape::Int32 | Shape::Int64 | Shape::IntOrString) => {
            format!("number {number}")
        }
        // Go shows the number as it is written, and integers are written without an exponent.
        (Value::Float(number), Shape::Int32 | Shape::Int64 | Shape::IntOrString)
            if (LARGEST_INT..MOST_DIGITS).contains(&number.abs()) =>
        {
            format!("number {number:.0}")
        }
        (Value::Float(number), Shape::Int32 | Shape::Int64 | Shape::IntOrString) => {
            format!("number {number:?}")
        }
        _ => node.type_name().into(),
    }
}

/// The error for what is no quantity at all.
const QUANTITY_FORMAT: &str =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/// Why a text is no quantity: it is not a number, letters of a unit and an exponent, or these mean nothing together.
fn quantity_error(text: &str) -> Option<&'static str> {
    const SUFFIX: &str = "unable to parse quantity's suffix";
    fn skip_digits(text: &str) -> &str {
        text.trim_start_matches(|c: char| c.is_ascii_digit())
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let behind = skip_digits(unsigned);
    let suffix = behind.strip_prefix('.').map_or(behind, skip_digits);
    let power = suffix.trim_start_matches(|c| "eEinumkKMGTP".contains(c));
    let power = power.strip_prefix(['+', '-']).unwrap_or(power);
    if suffix.len() == unsigned.len() || !skip_digits(power).is_empty() {
        return Some(QUANTITY_FORMAT);
    }
    (!crate::quantity::is_suffix(suffix)).then_some(SUFFIX)
}

fn fits(shape: &Shape, value: &Value<'_>) -> bool {
    match value {
        Value::Text(_) => matches!(
            shape,
            Shape::String
                | Shape::Bytes
                | Shape::Time
                | Shape::MicroTime
                | Shape::Quantity
                | Shape::IntOrString
        ),
        Value::Bool(_) => matches!(shape, Shape::Bool),
        Value::Int(number) => match shape {
            Shape::Int32 | Shape::IntOrString => i32::try_from(*number).is_ok(),
            Shape::Int64 | Shape::Float | Shape::Quantity => true,
            _ => false,
        },
        Value::Float(_) => matches!(shape, Shape::Float | Shape::Quantity),
        Value::Null | Value::List(_) | Value::Map(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, decode};
    use alloc::vec;

    fn violations(text: &str) -> Vec<(String, ViolationKind)> {
        let node = decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
        schema_violations(&Object::new(node))
            .into_iter()
            .map(|violation| (violation.path, violation.kind))
            .collect()
    }

    #[test]
    fn fields_that_the_kind_does_not_have() {
        let text = "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: c\n    imag: x\n  hostNetwrok: true\nmetadata:\n  labels: {anything: goes}\n";
        let paths: Vec<String> = violations(text).into_iter().map(|row| row.0).collect();
        assert_eq!(paths, ["spec.containers[0].imag", "spec.hostNetwrok"]);
    }

    #[test]
    fn values_of_the_wrong_type() {
        let text = "apiVersion: v1\nkind: Service\nspec:\n  externalIPs: 1.2.3.4\n  ports:\n  - port: http\n    targetPort: http\n  publishNotReadyAddresses: 'yes'\n";
        let violations = violations(text);
        assert_eq!(violations[0].1, ViolationKind::WrongType("json: cannot unmarshal string into Go struct field ServiceSpec.spec.externalIPs of type []string".into()));
        assert_eq!(violations[1].1, ViolationKind::WrongType("json: cannot unmarshal string into Go struct field ServicePort.spec.ports.port of type int32".into()));
        assert_eq!(violations[2].0, "spec.publishNotReadyAddresses");
        assert_eq!(violations.len(), 3);
    }

    #[test]
    fn errors_name_the_types_of_go() {
        let text = "apiVersion: v1\nkind: Pod\nmetadata: {creationTimestamp: x, uid: 1, deletionTimestamp: 2}\nspec:\n  restartPolicy: 5\n  volumes: [{configMap: {name: 5}}]\n  containers:\n  - resources: {limits: 5, requests: {cpu: true}}\n    livenessProbe: {httpGet: {port: true}}\n";
        let messages: Vec<String> = violations(text)
            .into_iter()
            .filter_map(|row| match row.1 {
                ViolationKind::WrongType(message) => Some(message),
                ViolationKind::Unknown => None,
            })
            .collect();
        let into = |what: &str, end: &str| {
            format!("json: cannot unmarshal {what} into Go struct field {end}")
        };
        assert_eq!(
            messages,
            [
                r#"parsing time "x" as "2006-01-02T15:04:05Z07:00": cannot parse "x" as "2006""#
                    .into(),
                into("number", "ObjectMeta.metadata.uid of type types.UID"),
                into("number", "ObjectMeta.metadata.deletionTimestamp of type string"),
                into("number", "PodSpec.spec.restartPolicy of type v1.RestartPolicy"),
                into(
                    "number",
                    "ConfigMapVolumeSource.spec.volumes.VolumeSource.configMap.LocalObjectReference.name of type string"
                ),
                into(
                    "number",
                    "ResourceRequirements.spec.containers.resources.limits of type v1.ResourceList"
                ),
                QUANTITY_FORMAT.into(),
                into(
                    "bool",
                    "HTTPGetAction.spec.containers.livenessProbe.ProbeHandler.httpGet.port of type int32"
                ),
            ]
        );
    }

    #[test]
    fn schemas_in_the_place_of_something_else_are_decoded_as_schemas() {
        let schema = |text: &str| {
            let text = format!(
                "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {{versions: [{{schema: {{openAPIV3Schema: {text}}}}}]}}}}"
            );
            violations(&text).into_iter().map(|row| row.1).collect::<Vec<_>>()
        };
        let wrong = |what: &str, end: &str| {
            vec![ViolationKind::WrongType(format!(
                "json: cannot unmarshal {what} into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.{end}"
            ))]
        };
        let none: Vec<ViolationKind> = Vec::new();
        assert_eq!(schema("{items: {type: 1}}"), wrong("number", "items.type of type string"));
        assert_eq!(schema("{items: [{type: 1}]}"), wrong("number", "items.type of type string"));
        assert_eq!(schema("{items: [1]}"), wrong("number", "items of type v1.JSONSchemaProps"));
        assert_eq!(
            schema("{additionalProperties: {properties: {a: {maxLength: x}}}}"),
            wrong("string", "additionalProperties.properties.maxLength of type int64")
        );
        assert_eq!(
            schema("{dependencies: {a: [x, 1]}}"),
            wrong("number", "dependencies of type string")
        );
        assert_eq!(schema("{enum: x}"), wrong("string", "enum of type []v1.JSON"));
        assert_eq!(
            schema("{additionalProperties: 1}"),
            [ViolationKind::WrongType("boolean or JSON schema expected".into())]
        );
        // Nobody is told of unknown fields in there, nor of values that cannot be used.
        for silent in [
            "{items: {nope: 1}}",
            "{items: true}",
            "{dependencies: {a: 1}}",
            "{additionalProperties: false}",
        ] {
            assert_eq!(schema(silent), none, "{silent}");
        }
    }

    #[test]
    fn lists_of_numbers_are_bytes() {
        let data = |text: &str| {
            violations(&format!("{{apiVersion: v1, kind: Secret, data: {{a: {text}}}}}"))
        };
        assert!(data("[1, 255, null]").is_empty());
        for (text, what) in [("[x]", "string"), ("[256]", "number 256"), ("[1, {}]", "object")] {
            let message = format!(
                "json: cannot unmarshal {what} into Go struct field Secret.data of type uint8"
            );
            assert_eq!(data(text).remove(0).1, ViolationKind::WrongType(message), "{text}");
        }
    }

    #[test]
    fn numbers_that_are_no_such_numbers_are_shown() {
        let first = |text: &str| match violations(text).remove(0).1 {
            ViolationKind::WrongType(message) => message,
            ViolationKind::Unknown => panic!("{text}"),
        };
        let half = first("apiVersion: v1\nkind: Service\nspec: {ports: [{port: 8.5}]}\n");
        assert_eq!(
            half,
            "json: cannot unmarshal number 8.5 into Go struct field ServicePort.spec.ports.port of type int32"
        );
        let whole = first(
            "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"spec\":{\"ports\":[{\"port\":8.0}]}}",
        );
        assert!(whole.contains("number 8.0 into"), "{whole}");
        let large = first("apiVersion: v1\nkind: Service\nspec: {ports: [{port: 99999999999}]}\n");
        assert!(large.contains("number 99999999999 into"), "{large}");
    }

    #[test]
    fn amounts_have_a_form() {
        for text in ["1", "+1", "-1.5", "1Gi", "500m", "1e3", "1E-3", "12e6", ".5", " 1 "] {
            assert_eq!(quantity_error(text.trim()), None, "{text}");
        }
        for text in ["", "x", "1x", "1 Gi", "Gi", "1e3m", "-", "1.2.3", "1..2", "1KI"] {
            assert!(quantity_error(text).is_some_and(|why| why.contains("must match")), "{text}");
        }
        for text in ["1k1", "1e", "1EE", "1mm", "1e18446744073709551616", "1Ki-3"] {
            assert_eq!(quantity_error(text), Some("unable to parse quantity's suffix"), "{text}");
        }
        let violations = violations(
            "apiVersion: v1\nkind: Pod\nspec: {containers: [{resources: {limits: {cpu: lots}}}]}\n",
        );
        assert_eq!(violations.len(), 1);
    }

    #[test]
    fn null_quantities_and_unknown_kinds_pass() {
        assert!(violations("apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - resources: {limits: {cpu: 1, memory: 1Gi}}\n    command: null\n").is_empty());
        assert!(violations("apiVersion: example.com/v1\nkind: Thing\nspec: {a: b}\n").is_empty());
    }
}
