//! MutatingAdmissionWebhook and ValidatingAdmissionWebhook: the calls that the dispatches of `core/webhook` ask for.

use super::input::AdmissionInput;
use super::mutation::Mutation;
use super::mutator::Mutator;
use super::plugin::{Plugin, PluginResult, Subject};
use super::scope::AdmissionScope;
use crate::app::App;
use crate::app::metrics::Step;
use crate::app::request_cluster::RequestCluster;
use crate::registry::own_webhook;
use crate::status::StatusError;
use bytes::Bytes;
use ratchet_kubelet::{CallTimeout, WebhookClient};
use ratchet_object::Node;
use ratchet_policy::{Attributes, ReinvocationContext};
use ratchet_webhook::{
    Answer, AuditLevel, Context, MutatingDispatch, Next, Rejection, Report, ValidatingDispatch,
    WebhookCall, Webhooks,
};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

/// `MutatingAdmissionWebhook`.
pub(super) struct MutatingWebhooks;

impl Plugin for MutatingWebhooks {
    fn name(&self) -> &'static str {
        "MutatingAdmissionWebhook"
    }

    fn handles_unstored(&self) -> bool {
        true
    }

    fn mutator(&self) -> Option<Mutator> {
        Some(Mutator::Webhooks)
    }
}

/// `ValidatingAdmissionWebhook`.
pub(super) struct ValidatingWebhooks;

impl Plugin for ValidatingWebhooks {
    fn name(&self) -> &'static str {
        "ValidatingAdmissionWebhook"
    }

    fn validate<'a>(&'a self, subject: &'a Subject<'_>) -> PluginResult<'a, ()> {
        let scope = subject.scope();
        let webhooks = match scope.app.validating_webhooks.now() {
            Ok(webhooks) => webhooks,
            Err(error) => return PluginResult::Now(Err(error)),
        };
        let look = |group: &str, plural: &str| webhooks.look_at(group, plural);
        if webhooks.is_empty() || !scope.is_looked_at(&look) {
            return PluginResult::Now(Ok(()));
        }
        PluginResult::later(async move {
            let Some(input) = AdmissionInput::of(subject)? else { return Ok(()) };
            let started = Instant::now();
            let result = validate(&webhooks, &input).await;
            let labels = (self.name(), Step::Validate, input.operation);
            scope.app.metrics.plugin_ran(labels, result.is_err(), started.elapsed());
            result
        })
    }
}

/// Calls the mutating webhooks one after another; the object, if they have patched it.
pub(super) async fn mutate(
    mutation: &mut Mutation<'_>,
    webhooks: &Arc<Webhooks>,
    object: Option<Node<'static>>,
) -> Result<Option<Node<'static>>, StatusError> {
    let mut reinvocation = std::mem::take(&mut mutation.reinvocation);
    let result = call_in_turn(&mutation.input, webhooks, object, &mut reinvocation).await;
    mutation.reinvocation = reinvocation;
    result
}

async fn call_in_turn(
    input: &AdmissionInput<'_>,
    webhooks: &Arc<Webhooks>,
    object: Option<Node<'static>>,
    reinvocation: &mut ReinvocationContext,
) -> Result<Option<Node<'static>>, StatusError> {
    let (scope, attributes) = (input.scope, input.attributes());
    let cluster = RequestCluster::new(scope.app, scope.user);
    let mut dispatch = MutatingDispatch::start(webhooks, object, &attributes, reinvocation);
    let mut answer = None;
    let outcome = loop {
        let previous = answer.take();
        let next = |context: &Context<'_>| dispatch.next(previous, context, reinvocation);
        match step(webhooks, &scope, &attributes, &cluster, next).await {
            Next::WebhookCall(call) => {
                let timeout = timeout_of(&scope, &call);
                let app = scope.app;
                let sent = ask(app, &app.backends.mutating_webhooks, &call, timeout);
                answer = Some(scope.app.compute.wait(Box::pin(sent)).await);
            }
            Next::Done(object) => break Ok(object),
            Next::Rejected(rejection) => break Err(rejection),
        }
    };
    record(&scope, dispatch.take_report());
    cluster.check()?;
    match outcome {
        Ok(object) => Ok(object.filter(|_| dispatch.has_patched())),
        Err(rejection) => Err(error_of(&rejection, &attributes)),
    }
}

/// Calls the validating webhooks, all at the same time.
async fn validate(webhooks: &Arc<Webhooks>, input: &AdmissionInput<'_>) -> Result<(), StatusError> {
    let (scope, attributes) = (input.scope, input.attributes());
    let cluster = RequestCluster::new(scope.app, scope.user);
    let start = |context: &Context<'_>| ValidatingDispatch::start(webhooks, context);
    let started = step(webhooks, &scope, &attributes, &cluster, start).await;
    cluster.check()?;
    let (mut dispatch, calls) = started.map_err(|(rejection, report)| {
        record(&scope, report);
        error_of(&rejection, &attributes)
    })?;
    // They end with the request, if nobody waits for it any more.
    let mut running = JoinSet::new();
    for call in calls {
        let (app, timeout) = (scope.app.clone(), timeout_of(&scope, &call));
        running.spawn(async move {
            let answer = ask(&app, &app.backends.validating_webhooks, &call, timeout).await;
            (call, answer)
        });
    }
    while let Some(ended) = scope.app.compute.wait(running.join_next()).await {
        let Ok((call, answer)) = ended else {
            return Err(StatusError::internal("a call of a webhook ended without an answer"));
        };
        let take = |context: &Context<'_>| dispatch.answer(&call, answer, context);
        with_context(&scope, &attributes, &cluster, take);
    }
    let (rejection, report) = dispatch.finish();
    record(&scope, report);
    rejection.map_or(Ok(()), |rejection| Err(error_of(&rejection, &attributes)))
}

/// One step of a dispatch: where conditions are evaluated, at the pace of such evaluations.
async fn step<T: Send>(
    webhooks: &Arc<Webhooks>,
    scope: &AdmissionScope<'_>,
    attributes: &Attributes<'_>,
    cluster: &RequestCluster<'_>,
    step: impl FnOnce(&Context<'_>) -> T + Send,
) -> T {
    let step = || with_context(scope, attributes, cluster, step);
    if !webhooks.have_conditions() {
        return step();
    }
    let (app, pace_key) = (scope.app, scope.pace_key());
    app.condition_pace.evaluate(&app.compute, webhooks, &pace_key, step).await
}

fn with_context<T>(
    scope: &AdmissionScope<'_>,
    attributes: &Attributes<'_>,
    cluster: &RequestCluster<'_>,
    step: impl FnOnce(&Context<'_>) -> T,
) -> T {
    let new_uid = || scope.app.new_uid();
    let is_overdue = scope.time_left() == Some(Duration::ZERO);
    step(&Context { attributes, objects: cluster, new_uid: &new_uid, is_overdue })
}

/// How long a call may take: as long as its configuration says, if the request itself has that time.
fn timeout_of(scope: &AdmissionScope<'_>, call: &WebhookCall) -> CallTimeout {
    let left = scope.time_left();
    let nanoseconds = left.map(|left| u64::try_from(left.as_nanos()).unwrap_or(u64::MAX));
    let own = Duration::from_secs(call.webhook().timeout_seconds().into());
    let limit = left.map_or(own, |left| left.min(own));
    CallTimeout { seconds: call.timeout_seconds(nanoseconds), limit }
}

/// The body of a call, without a copy.
struct CallBody(WebhookCall);

impl AsRef<[u8]> for CallBody {
    fn as_ref(&self) -> &[u8] {
        self.0.body().as_bytes()
    }
}

async fn ask(
    app: &Arc<App>,
    client: &WebhookClient,
    call: &WebhookCall,
    timeout: CallTimeout,
) -> Answer {
    let body = Bytes::from_owner(CallBody(call.clone()));
    if own_webhook::is_own(call.client_config()) {
        return own_webhook::ask(&*app.own_webhook, call.client_config(), body, timeout).await;
    }
    client.ask(call.client_config(), body, timeout).await
}

/// Passes on what webhooks left behind.
fn record(scope: &AdmissionScope<'_>, report: Report) {
    for warning in report.warnings {
        scope.warnings.add(warning);
    }
    for annotation in report.annotations {
        match annotation.level {
            AuditLevel::Metadata => scope.audit.annotate(annotation.key, annotation.value),
            AuditLevel::Request => {
                scope.audit.annotate_with_request(annotation.key, annotation.value);
            }
        }
    }
    scope.app.metrics.observe(&report.observations);
}

/// The error of a rejection: the Status that `core/webhook` makes, word for word.
fn error_of(rejection: &Rejection, attributes: &Attributes<'_>) -> StatusError {
    let status = rejection.status(attributes);
    let retry_after = status.find(&["details", "retryAfterSeconds"]).and_then(Node::as_int);
    // No HTTP response has a code of four digits.
    let code = u16::try_from(rejection.code()).ok().filter(|code| *code < 1000).unwrap_or(500);
    let retry_after = retry_after.and_then(|seconds| u32::try_from(seconds).ok());
    StatusError::with_status(code, rejection.message(attributes), retry_after, status.to_json())
}
