//! Compilation of rules, node by node.

use super::field_path::valid_field_path;
use super::{CompiledRule, Environments, Reason};
use crate::schema::{JsonSchemaProps, ValidationRule};
use crate::structural::Structural;
use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use ratchet_cel::decl::{DeclKind, DeclType, MAX_REQUEST_SIZE, SelfTypes};
use ratchet_cel::{Environment, Type};

/// Expressions that a definition had before: they may use all that this server knows.
#[derive(Debug, Default)]
pub(crate) struct ExistingExpressions {
    pub(crate) rules: BTreeSet<String>,
    pub(crate) messages: BTreeSet<String>,
}

impl ExistingExpressions {
    /// Collects the expressions of a schema.
    pub(crate) fn collect(&mut self, schema: &JsonSchemaProps) {
        schema.any(|schema| {
            for rule in &schema.validations {
                self.rules.insert(rule.rule.clone());
                if !rule.message_expression.is_empty() {
                    self.messages.insert(rule.message_expression.clone());
                }
            }
            false
        });
    }
}

/// A compiler of the rules of one node.
pub(crate) struct Compiler<'c> {
    schema: &'c Structural,
    decl: &'c Arc<DeclType>,
    types: SelfTypes,
    self_type: Type,
    environments: &'c Environments,
    /// `None` where all expressions are stored.
    existing: Option<&'c ExistingExpressions>,
}

impl<'c> Compiler<'c> {
    /// A compiler of rules on values of a type; `None` if expressions cannot name such values.
    pub(crate) fn new(
        schema: &'c Structural,
        decl: &'c Arc<DeclType>,
        environments: &'c Environments,
        existing: Option<&'c ExistingExpressions>,
    ) -> Option<Self> {
        let types = SelfTypes::new(decl.clone());
        let self_type = types.self_type()?;
        Some(Self { schema, decl, types, self_type, environments, existing })
    }

    pub(crate) fn compile(&self, rule: &ValidationRule) -> CompiledRule {
        let text = match rule.message.as_str() {
            "" => rule.rule.trim().to_string(),
            message => message.trim().to_string(),
        };
        let detail = match rule.message.is_empty() {
            true => alloc::format!("failed rule: {text}"),
            false => text.clone(),
        };
        let mut compiled = CompiledRule {
            program: None,
            error: None,
            message: None,
            message_error: None,
            uses_old_self: false,
            optional_old_self: rule.optional_old_self == Some(true),
            max_cost: 0,
            max_cardinality: 0,
            message_max_cost: 0,
            text,
            detail,
            reason: match rule.reason.as_deref() {
                Some("FieldValueForbidden") => Reason::Forbidden,
                Some("FieldValueRequired") => Reason::Required,
                Some("FieldValueDuplicate") => Reason::Duplicate,
                _ => Reason::Invalid,
            },
            field_path: String::new(),
        };
        if !rule.rule.trim().is_empty() {
            self.fill(rule, &mut compiled);
        }
        compiled
    }

    fn fill(&self, rule: &ValidationRule, compiled: &mut CompiledRule) {
        let is_new = |expressions: fn(&ExistingExpressions) -> &BTreeSet<String>, text: &str| {
            self.existing.is_some_and(|existing| !expressions(existing).contains(text))
        };
        let optional = compiled.optional_old_self;
        let environment =
            self.environment(is_new(|existing| &existing.rules, &rule.rule), optional);
        match environment.compile_with_cost(&rule.rule, self.decl) {
            Err(issues) => {
                let is_boolean = issues.result.as_ref().is_none_or(|ty| *ty == Type::Bool);
                compiled.error = Some(match (issues.instantiation, is_boolean) {
                    (true, false) => NOT_A_BOOL.into(),
                    (true, true) => alloc::format!("program instantiation failed: {issues}"),
                    (false, _) => alloc::format!("compilation failed: {issues}"),
                });
                return;
            }
            Ok((program, _)) if *program.result() != Type::Bool => {
                compiled.error = Some(NOT_A_BOOL.into());
                return;
            }
            Ok((program, cost)) => {
                compiled.uses_old_self = program.uses("oldSelf");
                compiled.max_cost = cost.max;
                compiled.max_cardinality = MAX_REQUEST_SIZE / (self.decl.min_serialized_size + 1);
                compiled.program = Some(program);
            }
        }
        let message = rule.message_expression.as_str();
        if !message.is_empty() {
            let environment =
                self.environment(is_new(|existing| &existing.messages, message), optional);
            match environment.compile_with_cost(message, self.decl) {
                Err(issues) => {
                    let is_text = issues.result.as_ref().is_none_or(|ty| *ty == Type::String);
                    compiled.message_error = Some(match (issues.instantiation, is_text) {
                        (true, false) => NOT_A_STRING.into(),
                        (true, true) => {
                            alloc::format!("messageExpression instantiation failed: {issues}")
                        }
                        (false, _) => {
                            alloc::format!("messageExpression compilation failed: {issues}")
                        }
                    });
                    return;
                }
                Ok((program, _)) if *program.result() != Type::String => {
                    compiled.message_error = Some(NOT_A_STRING.into());
                    return;
                }
                Ok((program, cost)) => {
                    compiled.message_max_cost = cost.max;
                    compiled.message = Some((program, message.into()));
                }
            }
        }
        if !rule.field_path.is_empty()
            && let Ok(path) = valid_field_path(&rule.field_path, self.schema, true)
        {
            compiled.field_path = path.text;
        }
    }

    fn environment(&self, is_new: bool, optional: bool) -> Environment {
        let base = if is_new { &self.environments.new } else { &self.environments.stored };
        let old = match optional {
            true => Type::optional(self.self_type.clone()),
            false => self.self_type.clone(),
        };
        base.clone()
            .with("self", self.self_type.clone())
            .with("oldSelf", old)
            .with_types(Arc::new(self.types.clone()))
    }
}

const NOT_A_BOOL: &str = "cel expression must evaluate to a bool";
const NOT_A_STRING: &str = "messageExpression must evaluate to a string";

/// The rules of a schema and of all schemas in it; nodes without rules below them are left out.
#[derive(Debug)]
pub(crate) struct RuleTree {
    pub(crate) rules: Box<[CompiledRule]>,
    pub(crate) decl: Arc<DeclType>,
    /// `type` as errors show it.
    pub(crate) type_name: &'static str,
    pub(crate) items: Option<Box<Self>>,
    pub(crate) additional: Option<Box<Self>>,
    /// Sorted by name.
    pub(crate) properties: Box<[(Box<str>, Self)]>,
}

impl RuleTree {
    /// Compiles the rules of a schema whose declaration is `decl`; `None` if there are none.
    pub(crate) fn compile(
        schema: &JsonSchemaProps,
        structural: &Structural,
        decl: &Arc<DeclType>,
        environments: &Environments,
    ) -> Option<Self> {
        let compile = |schema: Option<&JsonSchemaProps>, structural: Option<&Structural>, decl| {
            Self::compile(schema?, structural?, decl, environments)
        };
        let rules: Box<[CompiledRule]> = match Compiler::new(structural, decl, environments, None) {
            Some(compiler) => {
                schema.validations.iter().map(|rule| compiler.compile(rule)).collect()
            }
            None => [].into(),
        };
        let (mut items, mut additional, mut properties) = (None, None, Box::default());
        match &decl.kind {
            DeclKind::List { items: decl, .. } => {
                items = compile(schema.item_schema(), structural.items(), decl).map(Box::new);
            }
            DeclKind::Map { values } => {
                let (schema, structural) =
                    (schema.additional_schema(), structural.additional_properties());
                additional = compile(schema, structural, values).map(Box::new);
            }
            DeclKind::Object(fields) => {
                properties = schema
                    .properties
                    .iter()
                    .filter_map(|(name, schema)| {
                        let decl = &fields.named(name)?.ty;
                        let tree = compile(Some(schema), structural.property(name), decl)?;
                        Some((Box::from(name.as_str()), tree))
                    })
                    .collect();
            }
            _ => {}
        }
        let is_empty =
            rules.is_empty() && items.is_none() && additional.is_none() && properties.is_empty();
        let type_name = structural.schema_type.map_or("", crate::structural::SchemaType::as_str);
        (!is_empty).then(|| Self {
            rules,
            decl: decl.clone(),
            type_name,
            items,
            additional,
            properties,
        })
    }

    /// Whether there are rules below any property.
    pub(crate) fn has_members(&self) -> bool {
        self.additional.is_some() || !self.properties.is_empty()
    }

    /// The rules below a named property.
    pub(crate) fn property(&self, name: &str) -> Option<&Self> {
        let index = self.properties.binary_search_by(|(key, _)| (**key).cmp(name)).ok()?;
        self.properties.get(index).map(|(_, tree)| tree)
    }
}
