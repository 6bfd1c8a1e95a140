//! Evaluation of one policy on one attempt with one parameter.

use crate::activation::{ActivationInputs, BudgetExceeded, PolicyActivation};
use crate::conditions;
use crate::policy::{Policy, Validation};
use crate::result::Reason;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_cel::{RUNTIME_COST_BUDGET, Value};

/// The length limit of a message expression's value, in bytes.
const MAX_MESSAGE_LEN: usize = 5 * 1024;
/// The length limit of an audit annotation's value, in bytes.
const MAX_ANNOTATION_LEN: usize = 10 * 1024;

/// The decision of one validation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) outcome: Outcome,
    pub(crate) message: String,
    pub(crate) reason: Reason,
    pub(crate) nanoseconds: u64,
}

/// The outcome of a validation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The expression is true.
    Admitted,
    /// The expression is false.
    Denied,
    /// The evaluation failed, and the failure policy is `Ignore`.
    ErrorIgnored,
    /// The evaluation failed.
    Error,
}

/// The result of an audit annotation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Annotation {
    /// A key and a value to publish.
    Publish(String, String),
    /// The evaluation failed.
    Error { message: String, nanoseconds: u64 },
}

/// The result of a policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Evaluated {
    /// Whether the only decision is about the policy as a whole, and not about its first validation.
    pub(crate) is_whole: bool,
    pub(crate) decisions: Vec<Decision>,
    pub(crate) annotations: Vec<Annotation>,
}

impl Policy {
    /// Evaluates the policy. `inputs` has everything; what a group of expressions may not see is removed here.
    pub(crate) fn evaluate(
        &self,
        inputs: &ActivationInputs<'_, '_>,
        clock: &dyn Fn() -> u64,
    ) -> Evaluated {
        match conditions::evaluate(&self.conditions, self.ignores_failures, inputs).matches {
            Ok(true) => {}
            Ok(false) => return Evaluated::default(),
            Err(message) => return self.only_failure(message),
        }
        let Ok(decisions) = self.decide(inputs, clock) else {
            return self.only_failure(BudgetExceeded::MESSAGE.into());
        };
        let Ok(annotations) = self.annotate(inputs, clock) else {
            return self.only_failure(BudgetExceeded::MESSAGE.into());
        };
        Evaluated { is_whole: false, decisions, annotations }
    }

    fn only_failure(&self, message: String) -> Evaluated {
        let decisions = alloc::vec![self.failure(message, 0)];
        Evaluated { is_whole: true, decisions, annotations: Vec::new() }
    }

    fn failure(&self, message: String, nanoseconds: u64) -> Decision {
        let outcome = if self.ignores_failures { Outcome::ErrorIgnored } else { Outcome::Error };
        Decision { outcome, message, reason: Reason::default(), nanoseconds }
    }

    fn decide(
        &self,
        inputs: &ActivationInputs<'_, '_>,
        clock: &dyn Fn() -> u64,
    ) -> Result<Vec<Decision>, BudgetExceeded> {
        let mut activation = PolicyActivation::new(*inputs, RUNTIME_COST_BUDGET);
        let mut results = Vec::with_capacity(self.validations.len());
        for validation in &self.validations {
            let started = clock();
            let result = activation.evaluate(&validation.expression)?;
            results.push((result, clock().saturating_sub(started)));
        }
        let messages = self.messages(inputs, activation.left());
        let decided = results.into_iter().zip(&self.validations).enumerate().map(
            |(index, ((result, nanoseconds), validation))| match (result, &messages) {
                (Err(message), _) => self.failure(message, nanoseconds),
                (Ok(_), Err(BudgetExceeded)) => {
                    let message = format!("failed messageExpression: {}", BudgetExceeded::MESSAGE);
                    self.failure(message, nanoseconds)
                }
                (Ok(value), _) if value.as_bool() == Some(true) => Decision {
                    outcome: Outcome::Admitted,
                    message: String::new(),
                    reason: Reason::default(),
                    nanoseconds,
                },
                (Ok(_), Ok(messages)) => Decision {
                    outcome: Outcome::Denied,
                    message: denial_message(validation, messages.get(index).map(String::as_str)),
                    reason: validation.reason,
                    nanoseconds,
                },
            },
        );
        Ok(decided.collect())
    }

    /// The values of the message expressions: empty where there is none, or it is unusable.
    fn messages(
        &self,
        inputs: &ActivationInputs<'_, '_>,
        budget: u64,
    ) -> Result<Vec<String>, BudgetExceeded> {
        if self.validations.iter().all(|validation| validation.message_expression.is_none()) {
            return Ok(Vec::new());
        }
        let mut activation =
            PolicyActivation::new(ActivationInputs { authorizer_values: None, ..*inputs }, budget);
        let message = |validation: &Validation| {
            let Some(expression) = &validation.message_expression else { return Ok(String::new()) };
            let value = activation.evaluate(expression)?.unwrap_or(Value::Null);
            let text = value.as_text().unwrap_or_default().trim();
            let is_good = text.len() <= MAX_MESSAGE_LEN && !text.contains('\n');
            Ok(if is_good { text.to_owned() } else { String::new() })
        };
        self.validations.iter().map(message).collect()
    }

    fn annotate(
        &self,
        inputs: &ActivationInputs<'_, '_>,
        clock: &dyn Fn() -> u64,
    ) -> Result<Vec<Annotation>, BudgetExceeded> {
        let mut activation = PolicyActivation::new(
            ActivationInputs { authorizer_values: None, ..*inputs },
            RUNTIME_COST_BUDGET,
        );
        let mut annotations = Vec::new();
        for (key, expression) in &self.annotations {
            let started = clock();
            let result = activation.evaluate(expression)?;
            let nanoseconds = clock().saturating_sub(started);
            match result {
                Err(_) if self.ignores_failures => {}
                Err(message) => annotations.push(Annotation::Error { message, nanoseconds }),
                Ok(value) => match value.as_text().map(str::trim) {
                    None | Some("") => {}
                    Some(text) => annotations
                        .push(Annotation::Publish(key.clone(), truncate(text).to_owned())),
                },
            }
        }
        Ok(annotations)
    }
}

/// The message of a denied validation: that of its message expression, its own, or the default.
fn denial_message(validation: &Validation, evaluated: Option<&str>) -> String {
    let own = validation.message.trim();
    match evaluated.filter(|text| !text.is_empty()) {
        Some(text) => text.to_owned(),
        None if !own.is_empty() => own.to_owned(),
        None => format!("failed expression: {}", validation.expression.text.trim()),
    }
}

/// Truncates a text to the length limit of an annotation.
fn truncate(text: &str) -> &str {
    let end = (0..=MAX_ANNOTATION_LEN.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}
