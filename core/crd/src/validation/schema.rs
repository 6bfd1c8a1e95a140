//! Validation of the schema of a version, from its root.

use super::cost::{TotalCost, exceeds};
use super::defaults;
use super::internal::Validation;
use super::openapi_schema::Inherited;
use super::options::Options;
use super::walk::{Cel, SchemaErrors, Walk};
use crate::errors::{ErrorList, quoted};
use crate::path::Path;
use crate::schema::{JsonSchemaProps, dump, structural_error, validate_structural};
use crate::structural::Structural;
use alloc::sync::Arc;
use ratchet_object::Span;

/// The most that all rules of a schema may cost.
const TOTAL_COST_LIMIT: u64 = 100_000_000;

/// What is known of the version besides its schema.
pub(super) struct Context<'c> {
    pub(super) options: &'c Options,
    /// Whether the schema must be structural.
    pub(super) structural: bool,
    /// Whether the status is a subresource.
    pub(super) has_status: bool,
    /// Whether the stored definition has the same schema.
    pub(super) is_unchanged: bool,
    pub(super) span: Span,
}

pub(super) fn validate(
    validation: Option<&Validation>,
    context: &Context<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let Some(schema) = validation.and_then(|validation| validation.schema.as_ref()) else { return };
    let root = path.child("openAPIV3Schema");
    let mut found = ErrorList::default();
    if context.has_status {
        validate_root(schema, path, &mut found);
    }
    if schema.nullable {
        let path = path.child("openAPIV3Schema.nullable");
        found.forbidden(&path, schema.span, "nullable cannot be true at the root");
    }
    let mut structural: Option<Structural> = None;
    let mut structural_fault = None;
    if context.structural {
        structural_fault = structural_error(schema);
        if structural_fault.is_none() {
            let violations = validate_structural(&root, schema);
            if violations.is_empty() {
                let compiled = Structural::compile(schema);
                let violations = defaults::validate(schema, &compiled, &root, context.options);
                // Rules are only looked at if everything else is right.
                if violations.is_empty() {
                    structural = Some(compiled);
                }
                found.append(violations);
            } else {
                found.append(violations);
            }
        }
    }
    let mut total = TotalCost::default();
    let mut schema_errors = SchemaErrors::default();
    let mut walk = Walk {
        options: context.options,
        suppress_costs: context.is_unchanged,
        errors: &mut schema_errors,
        total: &mut total,
    };
    let has_rules = schema.any(|schema| !schema.validations.is_empty());
    let cel = structural.as_ref().filter(|_| has_rules).map(|structural| Cel {
        structural,
        decl: Arc::new(structural.declare(true)),
        cardinality: Some(1),
    });
    walk.schema(schema, &root, &Inherited::root(), cel.as_ref());
    found.append(schema_errors.schema);
    found.append(schema_errors.rules);
    if found.is_empty()
        && let Some(fault) = structural_fault
    {
        found.invalid(&root, context.span, quoted(""), fault);
    }
    if total.total > TOTAL_COST_LIMIT {
        for (path, _) in &total.most_expensive {
            let path = Path::root(path);
            found.forbidden(&path, schema.span, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema");
        }
        let name = "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema";
        found.forbidden(&root, schema.span, exceeds(name, total.total, TOTAL_COST_LIMIT));
    }
    errors.append(found);
}

/// What stands at the root of a schema, by Go's names and in Go's order.
type RootField = (&'static str, fn(&JsonSchemaProps) -> bool);

#[rustfmt::skip] // one row a line
static ROOT_FIELDS: &[RootField] = &[
    ("ID", |schema| !schema.id.is_empty()),
    ("Schema", |schema| !schema.schema.is_empty()),
    ("Ref", |schema| schema.reference.is_some()),
    ("Description", |schema| !schema.description.is_empty()),
    ("Type", |schema| !schema.schema_type.is_empty()),
    ("Nullable", |schema| schema.nullable),
    ("Format", |schema| !schema.format.is_empty()),
    ("Title", |schema| !schema.title.is_empty()),
    ("Default", |schema| schema.default.is_some()),
    ("Maximum", |schema| schema.maximum.is_some()),
    ("ExclusiveMaximum", |schema| schema.exclusive_maximum),
    ("Minimum", |schema| schema.minimum.is_some()),
    ("ExclusiveMinimum", |schema| schema.exclusive_minimum),
    ("MaxLength", |schema| schema.max_length.is_some()),
    ("MinLength", |schema| schema.min_length.is_some()),
    ("Pattern", |schema| !schema.pattern.is_empty()),
    ("MaxItems", |schema| schema.max_items.is_some()),
    ("MinItems", |schema| schema.min_items.is_some()),
    ("UniqueItems", |schema| schema.unique_items),
    ("MultipleOf", |schema| schema.multiple_of.is_some()),
    ("Enum", |schema| !schema.enumeration.is_empty()),
    ("MaxProperties", |schema| schema.max_properties.is_some()),
    ("MinProperties", |schema| schema.min_properties.is_some()),
    ("Required", |schema| !schema.required.is_empty()),
    ("Items", |schema| schema.items.is_some()),
    ("AllOf", |schema| !schema.all_of.is_empty()),
    ("OneOf", |schema| !schema.one_of.is_empty()),
    ("AnyOf", |schema| !schema.any_of.is_empty()),
    ("Not", |schema| schema.not.is_some()),
    ("Properties", |schema| !schema.properties.is_empty()),
    ("AdditionalProperties", |schema| schema.additional_properties.is_some()),
    ("PatternProperties", |schema| !schema.pattern_properties.is_empty()),
    ("Dependencies", |schema| schema.has_dependencies),
    ("AdditionalItems", |schema| schema.additional_items.is_some()),
    ("Definitions", |schema| !schema.definitions.is_empty()),
    ("ExternalDocs", |schema| schema.external_docs.is_some()),
    ("Example", |schema| schema.example.is_some()),
    ("XPreserveUnknownFields", |schema| schema.preserve_unknown_fields.is_some()),
    ("XEmbeddedResource", |schema| schema.embedded_resource),
    ("XIntOrString", |schema| schema.int_or_string),
    ("XListMapKeys", |schema| !schema.list_map_keys.is_empty()),
    ("XListType", |schema| schema.list_type.is_some()),
    ("XMapType", |schema| schema.map_type.is_some()),
    ("XValidations", |schema| !schema.validations.is_empty()),
];

/// What may stand at the root of a schema if the status is a subresource, in the order in which the message lists it.
const ALLOWED: [&str; 22] = [
    "Description",
    "Type",
    "Format",
    "Title",
    "Maximum",
    "ExclusiveMaximum",
    "Minimum",
    "ExclusiveMinimum",
    "MaxLength",
    "MinLength",
    "Pattern",
    "MaxItems",
    "MinItems",
    "UniqueItems",
    "MultipleOf",
    "Required",
    "Items",
    "Properties",
    "ExternalDocs",
    "Example",
    "XPreserveUnknownFields",
    "XValidations",
];

/// Checks that the status can be validated by its own part of the schema.
fn validate_root(schema: &JsonSchemaProps, path: &Path<'_>, errors: &mut ErrorList) {
    for (name, is_set) in ROOT_FIELDS {
        if !is_set(schema) {
            continue;
        }
        if *name == "Type" && schema.schema_type != "object" {
            let path = path.child("openAPIV3Schema.type");
            return errors.invalid(&path, schema.span, quoted(&schema.schema_type), "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled");
        }
        if !ALLOWED.contains(name) {
            let detail = alloc::format!(
                "only [{}] fields are allowed at the root of the schema if the status subresource is enabled",
                ALLOWED.join(" ")
            );
            return errors.invalid(
                &path.child("openAPIV3Schema"),
                schema.span,
                dump(schema),
                detail,
            );
        }
    }
}
