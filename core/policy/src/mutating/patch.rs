//! Patches of mutations: an expression is evaluated, and its value is merged into the object or applied to it.

use super::native::{Native, Natives, to_json, type_name_errors};
use super::policy::{Mutation, PatchType};
use crate::GroupVersionKind;
use crate::activation::{ActivationInputs, BudgetExceeded, PolicyActivation};
use crate::objects::{ObjectInterfaces, TypeConverter, api_version};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_cel::{ObjectVal, RUNTIME_COST_BUDGET, Value};
use ratchet_object::patch::{JsonPatchError, apply_operations};
use ratchet_object::{Node, Value as Tree};

/// Why a mutation failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PatchError {
    /// The failure policy decides what this means.
    Failed(String),
    /// An internal error, whatever the failure policy is.
    Internal(String),
}

/// What patches need besides the inputs of their expression.
#[derive(Clone, Copy)]
pub(crate) struct Patcher<'a> {
    pub(crate) kind: GroupVersionKind<'a>,
    pub(crate) objects: &'a dyn ObjectInterfaces,
    pub(crate) converter: &'a dyn TypeConverter,
}

impl Patcher<'_> {
    /// The object with a mutation applied, without defaults.
    pub(crate) fn patch(
        &self,
        mutation: &Mutation,
        inputs: &ActivationInputs<'_, '_>,
    ) -> Result<Node<'static>, PatchError> {
        let failed = PatchError::Failed;
        if let Err(error) = &mutation.expression.program {
            return Err(failed(error.clone()));
        }
        // Variables are computed anew for every mutation.
        let mut activation = PolicyActivation::new(*inputs, RUNTIME_COST_BUDGET);
        let value = match activation.evaluate(&mutation.expression) {
            Err(BudgetExceeded) => return Err(failed(BudgetExceeded::MESSAGE.into())),
            Ok(result) => result.map_err(failed)?,
        };
        let object = inputs.object.map_or_else(Node::empty_map, |node| node.clone().into_owned());
        match mutation.patch_type {
            PatchType::ApplyConfiguration => self.apply(&object, &value).map_err(failed),
            PatchType::JsonPatch => self.json_patch(object, &value),
        }
    }

    /// Merges an apply configuration into an object.
    fn apply(&self, object: &Node<'static>, value: &Value<'_>) -> Result<Node<'static>, String> {
        let Some(configuration) = value.as_object() else {
            let ty = value.type_of();
            let name = ty.name();
            return Err(format!(
                "unsupported return type from ApplyConfiguration expression: {name}"
            ));
        };
        check_type_names(configuration)?;
        let mut natives = Natives::default();
        let Ok(mut tree) = natives.object(configuration) else {
            return Err("invalid return type: *dynamic.ObjectVal".into());
        };
        // Whatever the expression says: it is of the kind of the object.
        tree.set("apiVersion", Node::string(api_version(&self.kind)));
        tree.set("kind", Node::string(self.kind.kind.to_string()));
        let merged = self
            .merge(object, &tree, &natives)
            .map_err(|error| format!("error applying patch: {error}"))?;
        self.converter.decode_error(&self.kind, &merged).map_or(Ok(merged), Err)
    }

    /// Merges a tree with native values. A stand-in is tried in the place of each, of a type that its field may refuse
    /// as it refuses the native value; the error then shows the native value.
    fn merge(
        &self,
        object: &Node<'static>,
        tree: &Node<'static>,
        natives: &Natives,
    ) -> Result<Node<'static>, String> {
        let merge = |tree: &Node<'static>| self.converter.merge(&self.kind, object, tree);
        if natives.all.is_empty() {
            return merge(tree);
        }
        let position = |native: &Native| {
            let position = natives.all.iter().position(|own| core::ptr::eq(own, native));
            let position = i64::try_from(position.unwrap_or_default()).unwrap_or_default();
            STAND_IN.saturating_add(position.saturating_mul(STEP))
        };
        let numbers = natives.resolved(tree, &|native| Node::int(position(native)));
        if let Err(error) = merge(&numbers) {
            let text = natives.all.iter().fold(error, |error, native| {
                let number = position(native);
                [number.to_string(), go_float(number)].iter().fold(error, |error, number| {
                    error
                        .replace(&format!("Value:{number}"), &format!("Value:{}", native.syntax))
                        .replace(number, &native.plain)
                })
            });
            return Err(text);
        }
        let texts = natives.resolved(tree, &|_| Node::string(""));
        if let Err(error) = merge(&texts) {
            let type_name = natives.all.first().map_or("", |native| native.type_name);
            return Err(error.replace("got string", &format!("got {type_name}")));
        }
        merge(&natives.resolved(tree, &Native::json))
    }

    /// Applies a JSON patch to an object, and decodes what comes of it.
    fn json_patch(
        &self,
        object: Node<'static>,
        value: &Value<'_>,
    ) -> Result<Node<'static>, PatchError> {
        let operations = operations(value).map_err(PatchError::Failed)?;
        match apply_operations(object.clone(), &operations) {
            Ok(patched) => {
                self.objects.decode(patched, &self.kind, true).map_err(PatchError::Internal)
            }
            // A patch whose test fails is not applied, and that is no error.
            Err(JsonPatchError::TestFailed(_)) => Ok(object),
            Err(error) => Err(PatchError::Failed(format!("JSON Patch: {error}"))),
        }
    }
}

/// A number that nobody writes, in the place of a native value.
const STAND_IN: i64 = 7_219_482_650_173_000_000;
/// The distance of such numbers, which a float still shows.
const STEP: i64 = 1_000_000;

/// A large number as Go prints it where it is a float.
fn go_float(number: i64) -> String {
    #[allow(clippy::cast_precision_loss, reason = "Go loses it, too")]
    let text = format!("{:e}", number as f64);
    text.replace('e', "e+")
}

fn check_type_names(object: &ObjectVal<'_>) -> Result<(), String> {
    let errors = type_name_errors(object);
    if errors.is_empty() { Ok(()) } else { Err(format!("type mismatch: {}", errors.join("\n"))) }
}

/// The operations of a patch that an expression evaluated to.
fn operations(value: &Value<'_>) -> Result<Vec<Node<'static>>, String> {
    let list = value
        .as_list()
        .ok_or("type mismatch: JSONPatchType.expression should evaluate to array")?;
    list.iter().map(|item| operation(&item)).collect()
}

fn operation(item: &Value<'_>) -> Result<Node<'static>, String> {
    const NOT_ONE: &str =
        "type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch";
    let patch = item.as_object().filter(|object| object.is_json_patch()).ok_or(NOT_ONE)?;
    let text = |name: &str| patch.field(name).and_then(Value::as_text).unwrap_or_default();
    let mut members = alloc::vec![
        ("op", Node::string(text("op").to_string())),
        ("path", Node::string(text("path").to_string())),
    ];
    if !text("from").is_empty() {
        members.push(("from", Node::string(text("from").to_string())));
    }
    if let Some(value) = patch.field("value") {
        if let Some(object) = value.as_object() {
            check_type_names(object)?;
        }
        let json = to_json(value).map_err(|error| {
            format!("JSONPath valueExpression evaluated to a type that could not marshal to JSON: {error}")
        })?;
        members.push(("value", json));
    }
    Ok(Node::new(Tree::Map(
        members.into_iter().map(|(name, node)| ratchet_object::Entry::new(name, node)).collect(),
    )))
}
