//! Evaluation of rules on an object, within a budget for all of them.

use super::{CompiledRule, Reason, RuleTree};
use crate::errors::{ErrorList, bad_value, quoted};
use crate::path::Path;
use crate::structural::Structural;
use crate::value::{Correlation, MapList};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_cel::{Activation, Budget, EvalErrorKind, PER_CALL_LIMIT, RUNTIME_COST_BUDGET, Value};
use ratchet_engine::field_validation::{error_at_path, warning_at_path};
use ratchet_engine::{Cause, FieldError, Warning};
use ratchet_object::{Entry, Members, Node, Span, Value as Tree};

/// The longest message that an expression may give.
const MAX_MESSAGE: usize = 5 * 1024;
const OUT_OF_BUDGET: &str =
    "validation failed due to running out of cost budget, no further validation rules will be run";

/// The evaluation of all rules on one object.
#[derive(Debug)]
pub(crate) struct Evaluation {
    /// The cost that is left.
    budget: u64,
    pub(crate) errors: ErrorList,
    /// Violations of values that did not change.
    pub(crate) warnings: Vec<Warning>,
}

/// Rules and evaluation end here.
struct Stop;

/// A value with what is known of its past.
#[derive(Clone, Copy)]
struct Subject<'t> {
    schema: &'t Structural,
    new: &'t Node<'t>,
    old: Option<&'t Node<'t>>,
    /// The value, if it can be compared with an old one.
    correlation: Option<Correlation<'t>>,
    /// The nearest value around it that can.
    parent: Option<Correlation<'t>>,
}

impl<'t> Subject<'t> {
    /// Whether the value, or else the nearest one around it that can be compared, is as it was.
    fn is_unchanged(&self) -> bool {
        let correlation = self.correlation.or(self.parent);
        correlation.is_some_and(|correlation| correlation.is_unchanged())
    }

    fn member(&self, name: &str, new: &'t Node<'t>, old: Option<&'t Node<'t>>) -> Option<Self> {
        let schema = self.schema.member(name)?;
        let (correlation, parent) = match (self.correlation, self.parent) {
            (None, parent) => (None, parent),
            // Both versions were converted to the same, so that a change of these cannot be seen.
            (Some(_), None) if matches!(name, "apiVersion" | "kind") => (None, None),
            (Some(own), _) => (old.map(|old| Correlation { new, old, schema }), Some(own)),
        };
        Some(Self { schema, new, old, correlation, parent })
    }

    fn item(&self, new: &'t Node<'t>, old: &MapList<'t>) -> Option<Self> {
        let schema = self.schema.items()?;
        let before = old.get(new);
        let (correlation, parent) = match self.correlation {
            None => (None, self.parent),
            Some(own) => {
                let correlation = before.map(|old| Correlation { new, old, schema });
                let is_list = matches!(own.old.value, Tree::List(_));
                (correlation.filter(|_| is_list), Some(own))
            }
        };
        Some(Self { schema, new, old: before, correlation, parent })
    }
}

impl Default for Evaluation {
    fn default() -> Self {
        Self::with_budget(RUNTIME_COST_BUDGET)
    }
}

impl Evaluation {
    pub(crate) fn with_budget(budget: u64) -> Self {
        Self { budget, errors: ErrorList::default(), warnings: Vec::new() }
    }

    /// The cost that is left; `None` once the evaluation was ended.
    pub(crate) fn budget(&self) -> u64 {
        self.budget
    }

    /// Evaluates all rules on a value. With a correlation, violations of what did not change are warnings. Returns
    /// whether the budget was enough.
    pub(crate) fn run(
        &mut self,
        tree: &RuleTree,
        schema: &Structural,
        new: &Node<'_>,
        old: Option<&Node<'_>>,
        correlation: Option<Correlation<'_>>,
        path: &Path<'_>,
    ) -> bool {
        let subject = Subject { schema, new, old, correlation, parent: None };
        self.node(tree, subject, path).is_ok()
    }

    fn node<'t>(
        &mut self,
        tree: &'t RuleTree,
        subject: Subject<'t>,
        path: &Path<'_>,
    ) -> Result<(), Stop> {
        if subject.new.is_null() {
            return Ok(());
        }
        self.rules(tree, subject, path)?;
        match &subject.new.value {
            Tree::List(items) => {
                let Some(tree) = &tree.items else { return Ok(()) };
                let old = subject.old.map(Node::items).unwrap_or_default();
                let old = MapList::new(subject.schema, old);
                for (index, item) in items.iter().enumerate() {
                    if let Some(item) = subject.item(item, &old) {
                        self.node(tree, item, &path.index(index))?;
                    }
                }
                Ok(())
            }
            Tree::Map(entries) => self.members(tree, subject, entries, path),
            _ => Ok(()),
        }
    }

    fn members<'t>(
        &mut self,
        tree: &'t RuleTree,
        subject: Subject<'t>,
        entries: &'t [Entry<'t>],
        path: &Path<'_>,
    ) -> Result<(), Stop> {
        if !tree.has_members() {
            return Ok(());
        }
        let mut old = Members::of(subject.old);
        for entry in entries {
            let key = &*entry.key;
            let (tree, path) = match (tree.property(key), &tree.additional) {
                (Some(tree), _) => (tree, path.child(key)),
                (None, Some(tree)) => (&**tree, path.key(key)),
                (None, None) => continue,
            };
            if let Some(member) = subject.member(key, &entry.node, old.get(key)) {
                self.node(tree, member, &path)?;
            }
        }
        Ok(())
    }

    fn rules<'t>(
        &mut self,
        tree: &'t RuleTree,
        subject: Subject<'t>,
        path: &Path<'_>,
    ) -> Result<(), Stop> {
        if tree.rules.is_empty() {
            return Ok(());
        }
        let span = subject.new.span;
        if self.budget == 0 {
            self.errors.invalid(path, span, quoted(tree.type_name), OUT_OF_BUDGET);
            return Err(Stop);
        }
        let old = subject.old.filter(|old| !old.is_null());
        let variables = Variables {
            current: tree.decl.value(subject.new),
            old: old.map(|old| tree.decl.value(old)),
            optional: false,
        };
        let optional = Variables {
            current: variables.current.clone(),
            old: Some(Value::Optional(variables.old.clone().map(Into::into))),
            optional: true,
        };
        for rule in &tree.rules {
            if let Some(error) = &rule.error {
                let detail = alloc::format!("rule compile error: {error}");
                self.errors.invalid(path, span, quoted(tree.type_name), detail);
                continue;
            }
            let Some(program) = &rule.program else { continue };
            if rule.uses_old_self && old.is_none() && !rule.optional_old_self {
                continue;
            }
            let own = if rule.optional_old_self { &optional } else { &variables };
            let mut budget = Budget::new(PER_CALL_LIMIT);
            let result = program.evaluate(own, &mut budget);
            if budget.spent() > self.budget {
                self.errors.invalid(path, span, quoted(tree.type_name), OUT_OF_BUDGET);
                self.budget = 0;
                return Err(Stop);
            }
            self.budget -= budget.spent();
            match result {
                Ok(Value::Bool(true)) => {}
                Ok(_) => self.violated(rule, tree, &subject, &variables, path)?,
                Err(error) => {
                    let text = &rule.text;
                    let (detail, ends) = if error.kind == EvalErrorKind::OverBudget {
                        (
                            alloc::format!(
                                "'{error}': no further validation rules will be run due to call cost exceeds limit for rule: {text}"
                            ),
                            true,
                        )
                    } else if error.message.starts_with("no such overload") {
                        (
                            alloc::format!(
                                "'{error}': call arguments did not match a supported operator, function or macro signature for rule: {text}"
                            ),
                            false,
                        )
                    } else {
                        (alloc::format!("{error} evaluating rule: {text}"), false)
                    };
                    self.errors.invalid(path, span, quoted(tree.type_name), detail);
                    if ends {
                        return Err(Stop);
                    }
                }
            }
        }
        Ok(())
    }

    /// Reports a rule that is not true.
    fn violated(
        &mut self,
        rule: &CompiledRule,
        tree: &RuleTree,
        subject: &Subject<'_>,
        variables: &Variables<'_>,
        path: &Path<'_>,
    ) -> Result<(), Stop> {
        let field = match rule.field_path.as_str() {
            "" => path.to_string(),
            relative => path.join(relative),
        };
        let span = subject.new.span;
        let mut detail = None;
        if let Some((program, source)) = &rule.message {
            let mut budget = Budget::new(PER_CALL_LIMIT);
            let result = program.evaluate(variables, &mut budget);
            let over = match &result {
                _ if budget.spent() > self.budget => Some("messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run".to_string()),
                Err(error) if error.kind == EvalErrorKind::OverBudget => {
                    let source = quoted(source);
                    Some(alloc::format!("no further validation rules will be run due to call cost exceeds limit for messageExpression: {source}"))
                }
                _ => None,
            };
            if let Some(detail) = over {
                let value = Some(quoted(tree.type_name));
                self.report(rule, subject, error(Cause::Invalid, field, span, value, detail));
                self.budget = 0;
                return Err(Stop);
            }
            self.budget -= budget.spent();
            detail = result.ok().and_then(|value| value.as_text().and_then(usable_message));
        }
        let detail = detail.unwrap_or_else(|| rule.detail.clone());
        let is_compound = matches!(tree.type_name, "object" | "array");
        let value = (!is_compound).then(|| bad_value(Some(subject.new)));
        let found = match rule.reason {
            Reason::Invalid => error(Cause::Invalid, field, span, value, detail),
            Reason::Forbidden => error(Cause::Forbidden, field, span, None, detail),
            Reason::Required => error(Cause::Required, field, span, None, detail),
            Reason::Duplicate => error(Cause::Duplicate, field, span, value, String::new()),
        };
        self.report(rule, subject, found);
        Ok(())
    }

    fn report(&mut self, rule: &CompiledRule, subject: &Subject<'_>, error: FieldError) {
        if !rule.uses_old_self && subject.is_unchanged() {
            self.warnings.push(warning_at_path(&error));
        } else {
            self.errors.0.push(error);
        }
    }
}

fn error(
    cause: Cause,
    field: String,
    span: Span,
    value: Option<String>,
    detail: String,
) -> FieldError {
    let mut error = error_at_path(cause, field, span, detail);
    error.value = value;
    error
}

/// A message that an expression gave, unless it is empty, too long or has line breaks.
fn usable_message(message: &str) -> Option<String> {
    let message = message.trim();
    let is_usable = !message.is_empty() && message.len() <= MAX_MESSAGE && !message.contains('\n');
    is_usable.then(|| message.to_string())
}

struct Variables<'t> {
    current: Value<'t>,
    old: Option<Value<'t>>,
    optional: bool,
}

impl<'t> Activation<'t> for Variables<'t> {
    fn variable(&self, name: &str) -> Option<Value<'t>> {
        match name {
            "self" => Some(self.current.clone()),
            "oldSelf" => self.old.clone(),
            _ => None,
        }
    }
}

impl core::fmt::Debug for Variables<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Variables").field("optional", &self.optional).finish_non_exhaustive()
    }
}
