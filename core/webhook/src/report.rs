//! `Report`: what webhooks leave behind besides their decision.

use crate::annotations::{Annotations, AuditAnnotation};
use crate::configuration::{AdmissionType, Webhook};
use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_policy::observation::{self, Observation, condition_labels};

/// Warnings, audit annotations and samples for the metrics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Warnings for the client, in the order in which they came; the door limits and deduplicates them with its own.
    pub warnings: Vec<String>,
    /// Audit annotations; keys are distinct.
    pub annotations: Vec<AuditAnnotation>,
    /// Samples for the metrics.
    pub observations: Vec<Observation>,
}

/// Codes above this one are counted as this one.
const MAX_CODE: i64 = 600;

/// Why a webhook rejected a request, to the metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorType {
    /// It denied the request.
    None,
    /// It could not be called.
    CallingWebhook,
    /// The server could not use its answer.
    Internal,
}

impl ErrorType {
    fn as_str(self) -> &'static str {
        match self {
            Self::None => "no_error",
            Self::CallingWebhook => "calling_webhook_error",
            Self::Internal => "apiserver_internal_error",
        }
    }
}

/// Whom a sample is about.
#[derive(Clone, Copy)]
pub(crate) struct Observed<'a> {
    pub(crate) webhook: &'a Webhook,
    pub(crate) admission: AdmissionType,
    pub(crate) operation: &'static str,
}

fn code(code: i64) -> Cow<'static, str> {
    code.min(MAX_CODE).to_string().into()
}

impl Report {
    pub(crate) fn annotate(&mut self, annotation: AuditAnnotation) {
        self.annotations.add(annotation);
    }

    /// A call that has ended.
    pub(crate) fn called(
        &mut self,
        observed: Observed<'_>,
        is_rejected: bool,
        status: i64,
        nanoseconds: u64,
    ) {
        let Observed { webhook, admission, operation } = observed;
        let rejected = if is_rejected { "true" } else { "false" };
        let common = || {
            [
                ("name", webhook.name.clone().into()),
                ("operation", operation.into()),
                ("rejected", rejected.into()),
                ("type", admission.label().into()),
            ]
        };
        let mut labels: Vec<(&'static str, Cow<'static, str>)> =
            alloc::vec![("code", code(status))];
        labels.extend(common());
        self.observations.push(Observation::count(observation::WEBHOOK_REQUESTS, labels));
        let metric = observation::WEBHOOK_DURATION;
        self.observations.push(Observation::time(metric, common().into(), nanoseconds));
    }

    /// A request that a webhook rejected.
    pub(crate) fn rejected(&mut self, observed: Observed<'_>, error: ErrorType, status: i64) {
        let Observed { webhook, admission, operation } = observed;
        let labels = alloc::vec![
            ("error_type", error.as_str().into()),
            ("name", webhook.name.clone().into()),
            ("operation", operation.into()),
            ("rejection_code", code(status)),
            ("type", admission.label().into()),
        ];
        self.observations.push(Observation::count(observation::WEBHOOK_REJECTIONS, labels));
    }

    /// A failed call that was ignored.
    pub(crate) fn failed_open(&mut self, observed: Observed<'_>) {
        let name = observed.webhook.name.clone().into();
        let labels = alloc::vec![("name", name), ("type", observed.admission.label().into())];
        self.observations.push(Observation::count(observation::WEBHOOK_FAIL_OPEN, labels));
    }

    /// Match conditions that do not hold, or that could not be evaluated.
    pub(crate) fn conditions(
        &mut self,
        observed: Observed<'_>,
        errors: usize,
        is_excluded: bool,
        nanoseconds: u64,
    ) {
        let Observed { webhook, admission, operation } = observed;
        let labels = |label| condition_labels("webhook", &webhook.name, operation, label);
        for _ in 0..errors {
            let metric = observation::CONDITION_ERRORS;
            self.observations.push(Observation::count(metric, labels(admission.label())));
        }
        let metric = observation::CONDITION_DURATION;
        self.observations.push(Observation::time(metric, labels(admission.label()), nanoseconds));
        if is_excluded {
            let metric = observation::CONDITION_EXCLUSIONS;
            let labels = labels(admission.exclusion_label());
            self.observations.push(Observation::count(metric, labels));
        }
    }
}
