//! `ValidatingDispatch`: validating webhooks, called all at the same time.

use crate::annotations;
use crate::call::{Answer, Context, WebhookCall};
use crate::configuration::{AdmissionType, Webhook, Webhooks};
use crate::matching::{matched_names, matches};
use crate::mutating::evaluate_conditions;
use crate::outcome::{Failure, Verdict, make_call, read_answer, settle};
use crate::rejection::Rejection;
use crate::report::Report;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_object::Node;
use ratchet_policy::{Attributes, GroupVersionKind, MatchKind};

const TYPE: AdmissionType = AdmissionType::Validating;

/// The calls of validating webhooks for one request. All answers are awaited; the first failure that arrives is the
/// answer of the request.
#[derive(Debug, Default)]
pub struct ValidatingDispatch {
    rejection: Option<Rejection>,
    report: Report,
}

/// The objects of a request in one version.
struct Versioned {
    kind: (String, String, String),
    object: Option<Node<'static>>,
    old: Option<Node<'static>>,
}

impl Versioned {
    fn kind(&self) -> GroupVersionKind<'_> {
        let (group, version, kind) = &self.kind;
        GroupVersionKind { group, version, kind }
    }
}

impl ValidatingDispatch {
    /// Makes the calls for a request; a rejection if one cannot be decided about. What was reported until then comes
    /// with it.
    pub fn start(
        webhooks: &Webhooks,
        context: &Context<'_>,
    ) -> Result<(Self, Vec<WebhookCall>), (Rejection, Report)> {
        let mut dispatch = Self::default();
        match dispatch.calls(webhooks, context) {
            Ok(calls) => Ok((dispatch, calls)),
            Err(rejection) => Err((rejection, dispatch.report)),
        }
    }

    fn calls(
        &mut self,
        webhooks: &Webhooks,
        context: &Context<'_>,
    ) -> Result<Vec<WebhookCall>, Rejection> {
        let mut versions: Vec<Versioned> = Vec::new();
        let mut relevant: Vec<(&Arc<Webhook>, MatchKind)> = Vec::new();
        for webhook in webhooks.for_kind(&context.attributes.kind) {
            let matched = matches(webhook, context.attributes, context.objects)?;
            if matched == MatchKind::NoMatch {
                continue;
            }
            let (kind, _) = matched_names(&matched, context.attributes);
            convert(&kind, context, &mut versions).map_err(Rejection::Internal)?;
            if !webhook.conditions.is_empty() {
                let (object, old) = objects_of(&kind, context, &versions);
                let attributes = Attributes { object, old, ..*context.attributes };
                let report = &mut self.report;
                if !evaluate_conditions(webhook, TYPE, &attributes, &kind, context, report)? {
                    continue;
                }
            }
            relevant.push((webhook, matched));
        }
        if !relevant.is_empty() && context.is_overdue {
            return Err(Rejection::Timeout);
        }
        let mut calls = Vec::with_capacity(relevant.len());
        for (index, (webhook, matched)) in relevant.into_iter().enumerate() {
            let (kind, _) = matched_names(&matched, context.attributes);
            let objects = objects_of(&kind, context, &versions);
            match make_call(webhook, index, &matched, objects, context) {
                Ok(call) => calls.push(call),
                Err(failure) => self.settle(webhook, index, Some(failure), (0, context)),
            }
        }
        Ok(calls)
    }

    /// Takes the answer of a call, in the order in which answers arrive.
    pub fn answer(&mut self, call: &WebhookCall, answer: Answer, context: &Context<'_>) {
        let failure = read_answer(call, answer, TYPE, &mut self.report).err();
        let nanoseconds = context.objects.nanoseconds().saturating_sub(call.started);
        self.settle(&call.webhook, call.index, failure, (nanoseconds, context));
    }

    fn settle(
        &mut self,
        webhook: &Arc<Webhook>,
        index: usize,
        failure: Option<Failure>,
        (nanoseconds, context): (u64, &Context<'_>),
    ) {
        let measured = (context.attributes.operation.as_str(), nanoseconds);
        match settle(webhook, TYPE, failure, measured, &mut self.report) {
            Verdict::GoOn => {}
            Verdict::FailedOpen => {
                self.report.annotate(annotations::validating_failed_open(webhook, index));
            }
            Verdict::Rejected(rejection) => {
                self.rejection.get_or_insert(rejection);
            }
        }
    }

    /// Ends when all answers have arrived.
    pub fn finish(self) -> (Option<Rejection>, Report) {
        (self.rejection, self.report)
    }
}

/// Adds the objects in the version of a kind, unless they are there.
fn convert(
    kind: &GroupVersionKind<'_>,
    context: &Context<'_>,
    versions: &mut Vec<Versioned>,
) -> Result<(), String> {
    let is_requested = *kind == context.attributes.kind;
    if is_requested || versions.iter().any(|versioned| versioned.kind() == *kind) {
        return Ok(());
    }
    let convert = |node: &Node<'_>| {
        let converted = context.objects.converted(node, kind);
        converted.ok_or_else(|| format!("unable to convert to {kind}"))
    };
    versions.push(Versioned {
        object: context.attributes.object.map(convert).transpose()?,
        old: context.attributes.old.map(convert).transpose()?,
        kind: (kind.group.to_owned(), kind.version.to_owned(), kind.kind.to_owned()),
    });
    Ok(())
}

/// The objects in the version of a kind.
fn objects_of<'a>(
    kind: &GroupVersionKind<'_>,
    context: &Context<'a>,
    versions: &'a [Versioned],
) -> (Option<&'a Node<'a>>, Option<&'a Node<'a>>) {
    match versions.iter().find(|versioned| versioned.kind() == *kind) {
        Some(versioned) => (versioned.object.as_ref(), versioned.old.as_ref()),
        None => (context.attributes.object, context.attributes.old),
    }
}
