//! Validation of defaults: they are what a client could have sent.

use super::options::Options;
use super::pruning::is_unpruned;
use crate::errors::{ErrorList, bad_value};
use crate::path::Path;
use crate::rules::{Evaluation, RuleTree};
use crate::schema::JsonSchemaProps;
use crate::structural::{Coerced, META_FIELDS, Structural};
use crate::value::{self, Origin};
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_cel::RUNTIME_COST_BUDGET;
use ratchet_object::Node;

/// Checks the defaults of a schema (`ValidateDefaults`).
pub(super) fn validate(
    schema: &JsonSchemaProps,
    structural: &Structural,
    path: &Path<'_>,
    options: &Options,
) -> ErrorList {
    if !structural.has_defaults {
        return ErrorList::default();
    }
    let mut walk = Walk { options, budget: RUNTIME_COST_BUDGET, errors: ErrorList::default() };
    let place = DefaultSite { root: structural, steps: &[], inside_meta: false };
    let _ = walk.node(schema, structural, true, path, &place);
    walk.errors
}

struct Walk<'w> {
    options: &'w Options,
    /// The cost of rules that is left.
    budget: u64,
    errors: ErrorList,
}

/// The nearest resource around a node, and the way from there.
struct DefaultSite<'p> {
    root: &'p Structural,
    steps: &'p [Step<'p>],
    inside_meta: bool,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Child(&'p str),
    Index,
}

/// The budget of rules is spent.
struct Stop;

impl Walk<'_> {
    fn node(
        &mut self,
        schema: &JsonSchemaProps,
        structural: &Structural,
        is_root: bool,
        path: &Path<'_>,
        place: &DefaultSite<'_>,
    ) -> Result<(), Stop> {
        let is_resource = is_root || structural.embedded_resource;
        let own = DefaultSite { root: structural, steps: &[], inside_meta: false };
        let place = if is_resource { &own } else { place };
        if let Some(default) = structural.default.as_deref() {
            let path = path.child("default");
            if place.inside_meta {
                self.metadata_default(structural, default, &path, place);
            } else {
                self.default(structural, default, is_resource, &path);
            }
            self.rules(schema, structural, default, is_resource, &path)?;
        }
        if let (Some(items), Some(item_schema)) = (structural.items(), schema.item_schema()) {
            let mut steps: Vec<Step<'_>> = place.steps.to_vec();
            steps.push(Step::Index);
            let below =
                DefaultSite { root: place.root, steps: &steps, inside_meta: place.inside_meta };
            self.node(item_schema, items, false, &path.child("items"), &below)?;
        }
        let properties = path.child("properties");
        for (name, property) in &schema.properties {
            let Some(structural) = structural.property(name) else { continue };
            let mut steps: Vec<Step<'_>> = place.steps.to_vec();
            steps.push(Step::Child(name));
            let is_meta = is_resource && META_FIELDS.contains(&name.as_str());
            let inside_meta = place.inside_meta || is_meta;
            let below = DefaultSite { root: place.root, steps: &steps, inside_meta };
            self.node(property, structural, false, &properties.key(name), &below)?;
        }
        Ok(())
    }

    /// Checks a default; what is wrong already is not checked further.
    fn default(
        &mut self,
        schema: &Structural,
        default: &Node<'static>,
        is_resource: bool,
        path: &Path<'_>,
    ) {
        let span = default.span;
        if self.options.pruned_defaults && is_unpruned(schema, default) {
            let value = bad_value(Some(default));
            self.errors.invalid(path, span, value, "must not have unknown fields");
        }
        let mut coerced = default.clone();
        let result = schema.coerce(&mut coerced, path, is_resource, &mut Coerced::default());
        if let Err(error) = result {
            let at = Path::root(&error.field);
            return self.errors.invalid(&at, span, error.value.clone(), error.detail.clone());
        }
        let mut found = ErrorList::default();
        schema.validate_embedded(default, path, is_resource, &mut found);
        if found.is_empty() {
            value::validate(schema, default, path, Origin::Default, None, &mut found);
        }
        self.errors.append(found);
    }

    /// Checks a default within metadata: with it the metadata must be valid.
    fn metadata_default(
        &mut self,
        schema: &Structural,
        default: &Node<'static>,
        path: &Path<'_>,
        place: &DefaultSite<'_>,
    ) {
        let mut object = surround(default, place.steps);
        for (name, text) in [("kind", "Validation"), ("apiVersion", "validation/v1")] {
            if object.get(name).is_none() {
                object.set(name, Node::string(text));
            }
        }
        let mut fault: Option<String> = None;
        let coerced = place.root.coerce(&mut object, &Path::NIL, true, &mut Coerced::default());
        if let Err(error) = coerced {
            fault = Some(error.to_string());
        } else {
            let mut found = ErrorList::default();
            place.root.validate_embedded(&object, &Path::NIL, true, &mut found);
            let text = |error: &ratchet_engine::FieldError| {
                alloc::format!("{}: {}", error.field, error.message())
            };
            let texts: Vec<String> = found.0.iter().map(text).collect();
            match texts.as_slice() {
                [] => {}
                [only] => fault = Some(only.clone()),
                all => fault = Some(alloc::format!("[{}]", all.join(", "))),
            }
        }
        if let Some(fault) = fault {
            let detail = alloc::format!("must result in valid metadata: {fault}");
            let value = bad_value(Some(default));
            return self.errors.invalid(path, default.span, value, detail);
        }
        value::validate(schema, default, path, Origin::Default, None, &mut self.errors);
    }

    /// Evaluates rules on a default, as on a value that stays and as on a new one.
    fn rules(
        &mut self,
        schema: &JsonSchemaProps,
        structural: &Structural,
        default: &Node<'static>,
        is_resource: bool,
        path: &Path<'_>,
    ) -> Result<(), Stop> {
        // Only a default that is right otherwise is looked at.
        if !self.errors.is_empty() || !schema.any(|schema| !schema.validations.is_empty()) {
            return Ok(());
        }
        let decl = Arc::new(structural.declare(is_resource));
        let environments = self.options.environments();
        let Some(tree) = RuleTree::compile(schema, structural, &decl, environments) else {
            return Ok(());
        };
        let mut left = self.budget;
        for old in [Some(default), None] {
            let mut evaluation = Evaluation::with_budget(self.budget);
            let is_done = evaluation.run(&tree, structural, default, old, None, path);
            left = left.min(evaluation.budget());
            let has_errors = !evaluation.errors.is_empty();
            self.errors.append(evaluation.errors);
            if !is_done {
                return Err(Stop);
            }
            if has_errors {
                break;
            }
        }
        self.budget = left;
        Ok(())
    }
}

/// The object in which a value stands at the end of a path.
fn surround(value: &Node<'static>, steps: &[Step<'_>]) -> Node<'static> {
    steps.iter().rev().fold(value.clone(), |value, step| match step {
        Step::Child(name) => Node::map([((*name).to_string(), value)]),
        Step::Index => Node::list([value].into()),
    })
}
