//! `MutatingDispatch`: mutating webhooks, called one after another, each with the result of the one before.

use crate::annotations;
use crate::call::{Answer, Context, WebhookCall};
use crate::configuration::{AdmissionType, Webhook, Webhooks};
use crate::http::CallError;
use crate::matching::{matched_names, matches};
use crate::outcome::{Failure, Verdict, make_call, read_answer, settle};
use crate::rejection::Rejection;
use crate::report::{Observed, Report};
use crate::response::Response;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use ratchet_net::Quoted;
use ratchet_object::patch::{apply_operations, decode_operations};
use ratchet_object::{Limits, Node, decode_json, go_syntax};
use ratchet_policy::{Attributes, GroupVersionKind, MatchKind, ReinvocationContext, changed_kind};

const TYPE: AdmissionType = AdmissionType::Mutating;

/// What a mutating dispatch does next.
#[derive(Debug)]
pub enum Next {
    /// The door makes this call and comes back with its answer.
    WebhookCall(WebhookCall),
    /// All webhooks were called: the object as they leave it, none on deletion.
    Done(Option<Node<'static>>),
    /// The request is rejected.
    Rejected(Rejection),
}

/// The calls of mutating webhooks for one request, in one round of the chain.
#[derive(Debug)]
pub struct MutatingDispatch<'w> {
    webhooks: &'w [Arc<Webhook>],
    /// The next webhook.
    index: usize,
    /// The object in the version of the request.
    object: Option<Node<'static>>,
    /// The objects in the version of the last webhook.
    versioned: Option<Versioned>,
    pending: Option<WebhookCall>,
    has_patched: bool,
    report: Report,
}

/// The objects of a request in one version.
#[derive(Debug)]
struct Versioned {
    kind: (String, String, String),
    object: Option<Node<'static>>,
    old: Option<Node<'static>>,
    /// Whether the object was changed since it was converted.
    is_dirty: bool,
}

impl Versioned {
    fn kind(&self) -> GroupVersionKind<'_> {
        let (group, version, kind) = &self.kind;
        GroupVersionKind { group, version, kind }
    }
}

impl<'w> MutatingDispatch<'w> {
    /// Begins with an object, none on deletion. `attributes` are those of all steps.
    pub fn start(
        webhooks: &'w Webhooks,
        object: Option<Node<'static>>,
        attributes: &Attributes<'_>,
        reinvocation: &mut ReinvocationContext,
    ) -> Self {
        let is_reinvoke = reinvocation.is_reinvoke();
        reinvocation.webhooks.begin(is_reinvoke, object.as_ref());
        Self {
            webhooks: webhooks.for_kind(&attributes.kind),
            index: 0,
            object,
            versioned: None,
            pending: None,
            has_patched: false,
            report: Report::default(),
        }
    }

    /// The next step: without an answer in the beginning, then with the answer of the call before.
    pub fn next(
        &mut self,
        answer: Option<Answer>,
        context: &Context<'_>,
        reinvocation: &mut ReinvocationContext,
    ) -> Next {
        let step = self.advance(answer, context, reinvocation);
        let step = match step {
            Ok(Some(call)) => {
                self.pending = Some(call.clone());
                return Next::WebhookCall(call);
            }
            Ok(None) => self.finish(context),
            Err(rejection) => Err(rejection),
        };
        reinvocation.webhooks.end(step.as_ref().ok().and_then(Option::as_ref));
        match step {
            Ok(object) => Next::Done(object),
            Err(rejection) => Next::Rejected(rejection),
        }
    }

    /// Whether any webhook has patched the object; otherwise it is the one that the dispatch began with.
    pub fn has_patched(&self) -> bool {
        self.has_patched
    }

    /// What the webhooks left behind so far; the door takes it at the end.
    pub fn take_report(&mut self) -> Report {
        core::mem::take(&mut self.report)
    }

    fn advance(
        &mut self,
        answer: Option<Answer>,
        context: &Context<'_>,
        reinvocation: &mut ReinvocationContext,
    ) -> Result<Option<WebhookCall>, Rejection> {
        if let (Some(call), Some(answer)) = (self.pending.take(), answer) {
            let outcome = read_answer(&call, answer, TYPE, &mut self.report);
            let outcome =
                outcome.and_then(|response| self.patch(&call, &response, context, reinvocation));
            self.conclude(&call, outcome, context, reinvocation)?;
        }
        while let Some(webhook) = self.webhooks.get(self.index) {
            let index = self.index;
            self.index += 1;
            let Some(matched) = self.should_call(webhook, context)? else { continue };
            if reinvocation.is_reinvoke() && !reinvocation.webhooks.should_reinvoke(&webhook.uid) {
                continue;
            }
            let (kind, _) = matched_names(&matched, context.attributes);
            self.convert(&kind, context)?;
            let objects = match &self.versioned {
                Some(versioned) => (versioned.object.as_ref(), versioned.old.as_ref()),
                None => (None, None),
            };
            match make_call(webhook, index, &matched, objects, context) {
                Ok(call) => return Ok(Some(call)),
                Err(failure) => {
                    let call = WebhookCall {
                        webhook: webhook.clone(),
                        index,
                        uid: String::new(),
                        version: crate::review::ReviewVersion::V1,
                        body: "".into(),
                        started: context.objects.nanoseconds(),
                    };
                    self.conclude(&call, Err(failure), context, reinvocation)?;
                }
            }
        }
        Ok(None)
    }

    /// Whether a webhook is called, and how it matched. Webhooks look at the object as those before left it.
    fn should_call(
        &mut self,
        webhook: &Webhook,
        context: &Context<'_>,
    ) -> Result<Option<MatchKind>, Rejection> {
        let object = match &self.versioned {
            Some(versioned) => versioned.object.as_ref(),
            None => self.object.as_ref(),
        };
        let attributes = Attributes { object, ..*context.attributes };
        let matched = matches(webhook, &attributes, context.objects)?;
        if matched == MatchKind::NoMatch {
            return Ok(None);
        }
        if webhook.conditions.is_empty() {
            return Ok(Some(matched));
        }
        let (kind, _) = matched_names(&matched, context.attributes);
        self.convert(&kind, context)?;
        let (object, old) = match &self.versioned {
            Some(versioned) => (versioned.object.as_ref(), versioned.old.as_ref()),
            None => (None, None),
        };
        let attributes = Attributes { object, old, ..*context.attributes };
        let holds =
            evaluate_conditions(webhook, TYPE, &attributes, &kind, context, &mut self.report)?;
        Ok(holds.then_some(matched))
    }

    /// Brings the objects to the version of a kind.
    fn convert(
        &mut self,
        kind: &GroupVersionKind<'_>,
        context: &Context<'_>,
    ) -> Result<(), Rejection> {
        if self.versioned.as_ref().is_some_and(|versioned| versioned.kind() == *kind) {
            return Ok(());
        }
        // The reference wraps this error twice.
        let internal =
            |error: String| Rejection::Internal(format!("Internal error occurred: {error}"));
        if let Some(versioned) = self.versioned.take()
            && versioned.is_dirty
        {
            self.object = in_requested_version(versioned, context).map_err(internal)?;
        }
        let convert = |node: &Node<'_>| match *kind == context.attributes.kind {
            true => Ok(node.clone().into_owned()),
            false => context
                .objects
                .converted(node, kind)
                .ok_or_else(|| internal(format!("unable to convert to {kind}"))),
        };
        let object = self.object.as_ref().map(convert).transpose()?;
        let old = context.attributes.old.map(convert).transpose()?;
        let kind = (kind.group.to_owned(), kind.version.to_owned(), kind.kind.to_owned());
        self.versioned = Some(Versioned { kind, object, old, is_dirty: false });
        Ok(())
    }

    /// Applies the patch of a response; whether that changed the object.
    fn patch(
        &mut self,
        call: &WebhookCall,
        response: &Response,
        context: &Context<'_>,
        reinvocation: &mut ReinvocationContext,
    ) -> Result<bool, Failure> {
        if response.patch.is_empty() {
            return Ok(false);
        }
        let undecodable = |error: String| {
            let text = format!("received undecodable patch in webhook response: {error}");
            Failure::Calling(CallError::new(text))
        };
        let patch = parse_patch(&response.patch).map_err(undecodable)?;
        let operations = decode_operations(&patch).map_err(undecodable)?;
        if operations.is_empty() {
            return Ok(false);
        }
        let internal = |text: String| Failure::Other(Rejection::Internal(text));
        let Some((versioned, object)) = self
            .versioned
            .as_mut()
            .and_then(|versioned| versioned.object.take().map(|object| (versioned, object)))
        else {
            let name = Quoted(&call.webhook.name);
            return Err(internal(format!(
                "admission webhook {name} attempted to modify the object, which is not supported for this operation"
            )));
        };
        if response.patch_type != "JSONPatch" {
            let text = format!("unsupported patch type {}", Quoted(&response.patch_type));
            versioned.object = Some(object);
            // The metrics count the Status of the response here, as if it were a denial.
            let code = response.status.as_ref().and_then(|status| status.get("code"));
            let code = code.and_then(Node::as_int).unwrap_or_default().max(400);
            return Err(Failure::Calling(CallError { text, code }));
        }
        let (group, version, kind) = &versioned.kind;
        let kind = GroupVersionKind { group, version, kind };
        let patched = apply_operations(object.clone(), operations)
            .map_err(|error| internal(format!("{error}")))?;
        let mut patched = context.objects.decode(patched, &kind, false).map_err(internal)?;
        let is_changed = reinvocation.has_changed(&object, &patched);
        context.objects.default_object(&mut patched, &kind);
        self.report.annotate(annotations::patch(call, reinvocation.round(), operations));
        versioned.object = Some(patched);
        versioned.is_dirty = true;
        self.has_patched = true;
        Ok(is_changed)
    }

    /// Counts a call, remembers what it changed, and applies the failure policy.
    fn conclude(
        &mut self,
        call: &WebhookCall,
        outcome: Result<bool, Failure>,
        context: &Context<'_>,
        reinvocation: &mut ReinvocationContext,
    ) -> Result<(), Rejection> {
        let is_changed = outcome == Ok(true);
        self.report.annotate(annotations::mutation(call, reinvocation.round(), is_changed));
        let nanoseconds = context.objects.nanoseconds().saturating_sub(call.started);
        let measured = (context.attributes.operation.as_str(), nanoseconds);
        let verdict = settle(&call.webhook, TYPE, outcome.err(), measured, &mut self.report);
        if is_changed {
            reinvocation.webhooks.require_reinvoking();
            reinvocation.set_should_reinvoke();
        }
        if call.webhook.is_reinvocable {
            reinvocation.webhooks.add_reinvocable(call.webhook.uid.clone());
        }
        match verdict {
            Verdict::GoOn => Ok(()),
            Verdict::Rejected(rejection) => Err(rejection),
            Verdict::FailedOpen => {
                let round = reinvocation.round();
                self.report.annotate(annotations::mutating_failed_open(call, round));
                if context.is_overdue { Err(Rejection::Timeout) } else { Ok(()) }
            }
        }
    }

    /// The object in the version of the request.
    fn finish(&mut self, context: &Context<'_>) -> Result<Option<Node<'static>>, Rejection> {
        match self.versioned.take() {
            Some(versioned) if versioned.is_dirty => {
                in_requested_version(versioned, context).map_err(Rejection::Unknown)
            }
            _ => Ok(self.object.take()),
        }
    }
}

/// Brings the object back to the version of the request.
fn in_requested_version(
    versioned: Versioned,
    context: &Context<'_>,
) -> Result<Option<Node<'static>>, String> {
    let Some(object) = &versioned.object else { return Ok(None) };
    if let Some(error) = changed_kind(object, &versioned.kind()) {
        return Err(error);
    }
    let requested = context.attributes.kind;
    if versioned.kind() == requested {
        return Ok(versioned.object);
    }
    let converted = context.objects.converted(object, &requested);
    converted.map(Some).ok_or_else(|| format!("unable to convert to {requested}"))
}

/// Parses a patch; the error is Go's.
fn parse_patch(bytes: &[u8]) -> Result<Node<'static>, String> {
    let text = String::from_utf8_lossy(bytes);
    let limits = Limits { bytes: crate::call::MAX_RESPONSE_BYTES, ..Limits::DEFAULT };
    let decoded =
        decode_json(&text, limits).map_err(|error| go_syntax::explain_or(&text, &error.message))?;
    match decoded.documents.as_slice() {
        [node] => Ok(node.clone().into_owned()),
        _ => Err(go_syntax::explain(&text)),
    }
}

/// Whether the match conditions of a webhook hold.
pub(crate) fn evaluate_conditions(
    webhook: &Webhook,
    admission: AdmissionType,
    attributes: &Attributes<'_>,
    kind: &GroupVersionKind<'_>,
    context: &Context<'_>,
    report: &mut Report,
) -> Result<bool, Rejection> {
    let started = context.objects.nanoseconds();
    let result = webhook.conditions.evaluate(attributes, kind, context.objects);
    if result.matches != Ok(true) {
        let nanoseconds = context.objects.nanoseconds().saturating_sub(started);
        let operation = attributes.operation.as_str();
        let observed = Observed { webhook, admission, operation };
        let is_excluded = result.matches == Ok(false);
        report.conditions(observed, result.errors, is_excluded, nanoseconds);
    }
    result.matches.map_err(Rejection::Forbidden)
}
