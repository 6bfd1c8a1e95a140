//! The outcome of a call: what both types of webhooks do with an answer before it means anything to them.

use crate::annotations;
use crate::call::{Answer, Context, WebhookCall};
use crate::configuration::{AdmissionType, Webhook};
use crate::decode::ADMISSION;
use crate::denial::DeniedStatus;
use crate::http::{self, CallError};
use crate::matching::matched_names;
use crate::rejection::Rejection;
use crate::report::{ErrorType, Observed, Report};
use crate::response::Response;
use crate::review::{Review, ReviewVersion};
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use ratchet_net::Quoted;
use ratchet_object::Node;
use ratchet_policy::MatchKind;

/// How a call ended that the request does not survive as if nothing had happened.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Failure {
    /// The webhook could not be called, or its answer is none: the failure policy decides.
    Calling(CallError),
    /// The webhook denied the request.
    Denied(DeniedStatus),
    /// The server cannot go on, whatever the failure policy is.
    Other(Rejection),
}

/// Why a webhook is not even called in a dry run.
fn check_dry_run(webhook: &Webhook) -> Result<(), Failure> {
    match webhook.side_effects.as_deref() {
        None => {
            let text = "Webhook SideEffects is nil".into();
            Err(Failure::Calling(CallError { text, code: 400 }))
        }
        Some("None" | "NoneOnDryRun") => Ok(()),
        Some(_) => {
            let name = Quoted(&webhook.name);
            let text = format!("admission webhook {name} does not support dry run");
            Err(Failure::Other(Rejection::BadRequest(text)))
        }
    }
}

/// Makes the call of a webhook that matched, with the objects in the version that it matched.
pub(crate) fn make_call(
    webhook: &Arc<Webhook>,
    index: usize,
    matched: &MatchKind,
    (object, old): (Option<&Node<'_>>, Option<&Node<'_>>),
    context: &Context<'_>,
) -> Result<WebhookCall, Failure> {
    if context.attributes.dry_run {
        check_dry_run(webhook)?;
    }
    let Some(version) = ReviewVersion::first_known(&webhook.review_versions) else {
        let text = "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)".into();
        return Err(Failure::Calling(CallError { text, code: 400 }));
    };
    let uid = (context.new_uid)();
    let (kind, resource) = matched_names(matched, context.attributes);
    let review = Review { uid: &uid, version, kind, resource, object, old };
    let body = review.to_json(context.attributes).into();
    let started = context.objects.nanoseconds();
    Ok(WebhookCall { webhook: webhook.clone(), index, uid, version, body, started })
}

/// Reads an answer up to its response: warnings and annotations of a response that belongs to the call are reported,
/// and a denial is a failure.
pub(crate) fn read_answer(
    call: &WebhookCall,
    answer: Answer,
    admission: AdmissionType,
    report: &mut Report,
) -> Result<Response, Failure> {
    let failed = |prefix: &str, error: CallError| {
        Failure::Calling(CallError { text: format!("{prefix}: {}", error.text), code: error.code })
    };
    const FAILED: &str = "failed to call webhook";
    let review = match answer {
        Answer::Response { status, content_type, body } => {
            http::review(status, &content_type, &body, &ADMISSION, call.version)
                .map_err(|error| failed(FAILED, error))?
        }
        Answer::Unreachable { url, reason } => {
            let text = format!("Post {}: {reason}", Quoted(&url));
            return Err(failed(FAILED, CallError::new(text)));
        }
        Answer::Unreadable(reason) => {
            let text = format!(
                "unexpected error when reading response body. Please retry. Original error: {reason}"
            );
            return Err(failed(FAILED, CallError::new(text)));
        }
        Answer::NoClient(reason) => {
            let error = CallError { text: reason, code: 500 };
            return Err(failed("could not get REST client", error));
        }
    };
    let response = Response::verify(&review, call, admission)
        .map_err(|error| failed("received invalid webhook response", CallError::new(error)))?;
    for (key, value) in &response.annotations {
        report.annotate(annotations::of_webhook(&call.webhook, key, value));
    }
    report.warnings.extend(response.warnings.iter().cloned());
    if response.is_allowed {
        return Ok(response);
    }
    Err(Failure::Denied(DeniedStatus::new(&call.webhook, response.status.as_ref())))
}

/// What follows from the end of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Verdict {
    /// The request goes on.
    GoOn,
    /// The call failed, and the request goes on as if it had not been made.
    FailedOpen,
    /// The request is rejected.
    Rejected(Rejection),
}

/// Counts a call that has ended, and applies the failure policy.
pub(crate) fn settle(
    webhook: &Webhook,
    admission: AdmissionType,
    failure: Option<Failure>,
    (operation, nanoseconds): (&'static str, u64),
    report: &mut Report,
) -> Verdict {
    let observed = Observed { webhook, admission, operation };
    match failure {
        None => {
            report.called(observed, false, 200, nanoseconds);
            Verdict::GoOn
        }
        Some(Failure::Calling(error)) => {
            let is_rejected = !webhook.ignores_failures;
            if is_rejected {
                report.rejected(observed, ErrorType::CallingWebhook, error.code);
            }
            report.called(observed, is_rejected, error.code, nanoseconds);
            if is_rejected {
                return Verdict::Rejected(Rejection::Internal(calling_error(webhook, &error)));
            }
            report.failed_open(observed);
            Verdict::FailedOpen
        }
        Some(Failure::Denied(status)) => {
            report.rejected(observed, ErrorType::None, status.code());
            report.called(observed, true, status.code(), nanoseconds);
            Verdict::Rejected(Rejection::Denied(status))
        }
        Some(Failure::Other(rejection)) => {
            report.rejected(observed, ErrorType::Internal, 0);
            report.called(observed, true, 0, nanoseconds);
            Verdict::Rejected(rejection)
        }
    }
}

fn calling_error(webhook: &Webhook, error: &CallError) -> String {
    format!("failed calling webhook {}: {}", Quoted(&webhook.name), error.text)
}
