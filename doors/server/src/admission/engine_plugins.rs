//! Plugins that the engine implements: their decision is part of the verdict, and takes effect at their place in the chain.

use super::plugin::{Plugin, PluginResult, Subject};
use crate::app::metrics::Step;
use crate::status::StatusError;

/// `PodSecurity`.
pub(super) struct PodSecurity;

impl Plugin for PodSecurity {
    fn name(&self) -> &'static str {
        "PodSecurity"
    }

    fn validate<'a>(&'a self, subject: &'a Subject<'_>) -> PluginResult<'a, ()> {
        if let Subject::Change { request, judgement, .. } = subject {
            request.app.metrics.count_pod_security(&judgement.pod_security);
        }
        PluginResult::Now(decision(self.name(), subject))
    }
}

/// `DenyServiceExternalIPs` (KEP-2200).
pub(super) struct DenyServiceExternalIPs;

impl Plugin for DenyServiceExternalIPs {
    fn name(&self) -> &'static str {
        "DenyServiceExternalIPs"
    }

    fn validate<'a>(&'a self, subject: &'a Subject<'_>) -> PluginResult<'a, ()> {
        PluginResult::Now(decision(self.name(), subject))
    }
}

/// The decision of one plugin in the verdict.
fn decision(name: &str, subject: &Subject<'_>) -> Result<(), StatusError> {
    let Subject::Change { request, attributes, judgement, .. } = subject else { return Ok(()) };
    let denial = judgement.denial.as_ref().filter(|(plugin, _)| *plugin == name);
    let labels = (name, Step::Validate, attributes.operation);
    request.app.metrics.plugin_ran(labels, denial.is_some(), judgement.duration);
    denial.map_or(Ok(()), |(_, error)| Err(error.clone()))
}
