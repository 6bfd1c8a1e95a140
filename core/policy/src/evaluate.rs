//! One policy about one attempt with one parameter: what each of its validations decides.

use crate::judged::Reason;
use crate::policy::{Policy, Validation};
use crate::scene::{Exhausted, Scene, Sight};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_cel::{MATCH_CONDITIONS_BUDGET, RUNTIME_COST_BUDGET, Value};

/// The longest message that an expression may come to, in bytes.
const LONGEST_MESSAGE: usize = 5 * 1024;
/// The longest value of an audit annotation, in bytes.
const LONGEST_ANNOTATION: usize = 10 * 1024;

/// What one validation decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) outcome: Outcome,
    pub(crate) words: String,
    pub(crate) reason: Reason,
    pub(crate) nanoseconds: u64,
}

/// How a validation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It is met.
    Met,
    /// It is not met.
    Unmet,
    /// It could not be evaluated, and the policy lets that pass.
    Forgiven,
    /// It could not be evaluated.
    Failed,
}

/// What an audit annotation comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Annotation {
    /// A value under a key.
    Told(String, String),
    /// It could not be evaluated.
    Failed { words: String, nanoseconds: u64 },
}

/// What a policy comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Evaluated {
    pub(crate) decisions: Vec<Decision>,
    pub(crate) annotations: Vec<Annotation>,
}

impl Policy {
    /// Evaluates the policy. `sight` has everything; what a group of expressions may not see is taken from it here.
    pub(crate) fn evaluate(&self, sight: &Sight<'_, '_>, clock: &dyn Fn() -> u64) -> Evaluated {
        match self.conditions_hold(sight) {
            Ok(true) => {}
            Ok(false) => return Evaluated::default(),
            Err(words) => return self.only_failure(words),
        }
        let Ok(decisions) = self.decide(sight, clock) else {
            return self.only_failure(Exhausted::WORDS.into());
        };
        let Ok(annotations) = self.annotate(sight, clock) else {
            return self.only_failure(Exhausted::WORDS.into());
        };
        Evaluated { decisions, annotations }
    }

    fn only_failure(&self, words: String) -> Evaluated {
        let decisions = alloc::vec![self.failure(words, 0)];
        Evaluated { decisions, annotations: Vec::new() }
    }

    fn failure(&self, words: String, nanoseconds: u64) -> Decision {
        let outcome = if self.ignores_failures { Outcome::Forgiven } else { Outcome::Failed };
        Decision { outcome, words, reason: Reason::default(), nanoseconds }
    }

    /// Whether all match conditions hold. One that is false settles it, also where others fail.
    fn conditions_hold(&self, sight: &Sight<'_, '_>) -> Result<bool, String> {
        if self.conditions.is_empty() {
            return Ok(true);
        }
        let sight = Sight { namespace: None, ..*sight };
        let mut scene = Scene::new(sight, MATCH_CONDITIONS_BUDGET);
        let mut faults: Vec<String> = Vec::new();
        let mut is_false = false;
        for condition in &self.conditions {
            match scene.evaluate(condition) {
                Ok(Ok(value)) => is_false |= value.as_bool() == Some(false),
                Ok(Err(why)) => faults.push(why),
                Err(Exhausted) if self.ignores_failures => return Ok(false),
                Err(Exhausted) => return Err(Exhausted::WORDS.into()),
            }
        }
        if is_false || !faults.is_empty() && self.ignores_failures {
            return Ok(false);
        }
        if faults.is_empty() { Ok(true) } else { Err(aggregate(faults)) }
    }

    fn decide(
        &self,
        sight: &Sight<'_, '_>,
        clock: &dyn Fn() -> u64,
    ) -> Result<Vec<Decision>, Exhausted> {
        let mut scene = Scene::new(*sight, RUNTIME_COST_BUDGET);
        let mut results = Vec::with_capacity(self.validations.len());
        for validation in &self.validations {
            let begun = clock();
            let result = scene.evaluate(&validation.expression)?;
            results.push((result, clock().saturating_sub(begun)));
        }
        let messages = self.messages(sight, scene.left());
        let decided = results.into_iter().zip(&self.validations).enumerate().map(
            |(index, ((result, nanoseconds), validation))| match (result, &messages) {
                (Err(words), _) => self.failure(words, nanoseconds),
                (Ok(_), Err(Exhausted)) => {
                    let words = format!("failed messageExpression: {}", Exhausted::WORDS);
                    self.failure(words, nanoseconds)
                }
                (Ok(value), _) if value.as_bool() == Some(true) => Decision {
                    outcome: Outcome::Met,
                    words: String::new(),
                    reason: Reason::default(),
                    nanoseconds,
                },
                (Ok(_), Ok(messages)) => Decision {
                    outcome: Outcome::Unmet,
                    words: words(validation, messages.get(index).map(String::as_str)),
                    reason: validation.reason,
                    nanoseconds,
                },
            },
        );
        Ok(decided.collect())
    }

    /// What the message expressions come to: nothing where there is none, or it is of no use.
    fn messages(&self, sight: &Sight<'_, '_>, budget: u64) -> Result<Vec<String>, Exhausted> {
        if self.validations.iter().all(|validation| validation.message_expression.is_none()) {
            return Ok(Vec::new());
        }
        let mut scene = Scene::new(Sight { authority: None, ..*sight }, budget);
        let message = |validation: &Validation| {
            let Some(expression) = &validation.message_expression else { return Ok(String::new()) };
            let value = scene.evaluate(expression)?.unwrap_or(Value::Null);
            let text = value.as_text().unwrap_or_default().trim();
            let is_good = text.len() <= LONGEST_MESSAGE && !text.contains('\n');
            Ok(if is_good { text.to_owned() } else { String::new() })
        };
        self.validations.iter().map(message).collect()
    }

    fn annotate(
        &self,
        sight: &Sight<'_, '_>,
        clock: &dyn Fn() -> u64,
    ) -> Result<Vec<Annotation>, Exhausted> {
        let mut scene = Scene::new(Sight { authority: None, ..*sight }, RUNTIME_COST_BUDGET);
        let mut told = Vec::new();
        for (key, expression) in &self.annotations {
            let begun = clock();
            let result = scene.evaluate(expression)?;
            let nanoseconds = clock().saturating_sub(begun);
            match result {
                Err(_) if self.ignores_failures => {}
                Err(words) => told.push(Annotation::Failed { words, nanoseconds }),
                Ok(value) => match value.as_text().map(str::trim) {
                    None | Some("") => {}
                    Some(text) => told.push(Annotation::Told(key.clone(), cut(text).to_owned())),
                },
            }
        }
        Ok(told)
    }
}

/// The words of a validation that is not met: those of its expression, its own, or none of its own.
fn words(validation: &Validation, expressed: Option<&str>) -> String {
    let own = validation.message.trim();
    match expressed.filter(|text| !text.is_empty()) {
        Some(text) => text.to_owned(),
        None if !own.is_empty() => own.to_owned(),
        None => format!("failed expression: {}", validation.expression.text.trim()),
    }
}

/// As much of a text as an annotation holds.
fn cut(text: &str) -> &str {
    let end = (0..=LONGEST_ANNOTATION.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// Several faults in one text: each once, in brackets if there is more than one.
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
