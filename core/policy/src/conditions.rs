//! Match conditions: the expressions that decide, behind rules and selectors, whether a policy or a webhook applies.

use crate::activation::{ActivationInputs, AuthorizerValues, BudgetExceeded, PolicyActivation};
use crate::environment::{PolicyEnvironment, Use};
use crate::policy::{Expression, Reader};
use crate::request::request_for;
use crate::{Attributes, GroupVersionKind, PolicyContext};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_cel::MATCH_CONDITIONS_BUDGET;
use ratchet_object::Node;

/// The result of a group of match conditions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConditionsResult {
    /// Whether all conditions hold; the error denies the request.
    pub matches: Result<bool, String>,
    /// How many evaluation errors count for the metrics: those before the first condition that is false.
    pub errors: usize,
}

/// Evaluates conditions. A false one decides, also where others fail; without one, errors are treated as the failure
/// policy says.
pub(crate) fn evaluate(
    conditions: &[Expression],
    ignores_failures: bool,
    inputs: &ActivationInputs<'_, '_>,
) -> ConditionsResult {
    let result = |matches, errors| ConditionsResult { matches, errors };
    if conditions.is_empty() {
        return result(Ok(true), 0);
    }
    let inputs = ActivationInputs { namespace: None, ..*inputs };
    let mut activation = PolicyActivation::new(inputs, MATCH_CONDITIONS_BUDGET);
    let mut faults: Vec<String> = Vec::new();
    let mut before_false = None;
    for condition in conditions {
        match activation.evaluate(condition) {
            Ok(Ok(value)) if value.as_bool() == Some(false) => {
                before_false = before_false.or(Some(faults.len()));
            }
            Ok(Ok(_)) => {}
            Ok(Err(error)) => faults.push(error),
            Err(BudgetExceeded) if ignores_failures => return result(Ok(false), 0),
            Err(BudgetExceeded) => return result(Err(BudgetExceeded::MESSAGE.into()), 0),
        }
    }
    let errors = before_false.unwrap_or(faults.len());
    if before_false.is_some() || !faults.is_empty() && ignores_failures {
        return result(Ok(false), errors);
    }
    if faults.is_empty() { result(Ok(true), 0) } else { result(Err(aggregate(faults)), errors) }
}

/// Aggregates errors as Go does: each once, in brackets if there is more than one.
fn aggregate(faults: Vec<String>) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for fault in faults {
        if !distinct.contains(&fault) {
            distinct.push(fault);
        }
    }
    match distinct.as_slice() {
        [only] => only.to_string(),
        many => format!("[{}]", many.join(", ")),
    }
}

/// The match conditions of a webhook, compiled once.
#[derive(Debug)]
pub struct MatchConditions {
    conditions: Vec<Expression>,
    ignores_failures: bool,
    uses_authorizer: bool,
}

impl MatchConditions {
    /// Compiles a list of conditions. Never fails: errors are reported when the conditions are evaluated.
    pub fn compile(conditions: Option<&Node<'_>>, ignores_failures: bool, reader: &Reader) -> Self {
        let environment = PolicyEnvironment::new(reader.environment(), false).plain();
        let rows = conditions.map(Node::items).unwrap_or_default();
        let compiled = |row: &Node<'_>| {
            Expression::new(&environment, row.text_at(&["expression"]), Use::Condition)
        };
        let conditions: Vec<Expression> = rows.iter().map(compiled).collect();
        let uses_authorizer =
            conditions.iter().any(|condition| condition.text.contains("authorizer"));
        Self { conditions, ignores_failures, uses_authorizer }
    }

    /// Whether there are no conditions.
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Evaluates the conditions on an attempt whose objects have the version of `kind`, which the webhook matched.
    pub fn evaluate(
        &self,
        attributes: &Attributes<'_>,
        kind: &GroupVersionKind<'_>,
        cluster: &dyn PolicyContext,
    ) -> ConditionsResult {
        // The reference says the requested resource here, whatever resource was matched.
        let request = request_for(attributes, kind, &attributes.resource);
        let authorizer_values = match self.uses_authorizer {
            true => AuthorizerValues::of(attributes, cluster),
            false => None,
        };
        let inputs = ActivationInputs {
            object: attributes.object,
            old: attributes.old,
            params: None,
            request: &request,
            namespace: None,
            authorizer_values: authorizer_values.as_ref(),
            variables: &[],
        };
        evaluate(&self.conditions, self.ignores_failures, &inputs)
    }
}
