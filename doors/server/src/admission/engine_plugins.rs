//! Plugins that the engine implements: their decision is part of the verdict, and takes effect at their place in the chain.

use super::plugin::{Admission, Plugin, Subject};
use crate::validation::Judgement;

/// `PodSecurity`.
pub(super) struct PodSecurity;

impl Plugin for PodSecurity {
    fn name(&self) -> &'static str {
        "PodSecurity"
    }

    fn validate(&self, subject: &Subject<'_>) -> Admission {
        let Subject::Change { request, judgement, .. } = subject else { return None };
        request.app.metrics.count_pod_security(&judgement.pod_security);
        decided(self.name(), subject, judgement)
    }
}

/// `DenyServiceExternalIPs` (KEP-2200).
pub(super) struct DenyServiceExternalIPs;

impl Plugin for DenyServiceExternalIPs {
    fn name(&self) -> &'static str {
        "DenyServiceExternalIPs"
    }

    fn validate(&self, subject: &Subject<'_>) -> Admission {
        let Subject::Change { judgement, .. } = subject else { return None };
        decided(self.name(), subject, judgement)
    }
}

/// The decision of one plugin in the verdict.
fn decided(name: &str, subject: &Subject<'_>, judgement: &Judgement) -> Admission {
    let Subject::Change { request, attributes, .. } = subject else { return None };
    let denial = judgement.denial.as_ref().filter(|(plugin, _)| *plugin == name);
    let labels = (name, "validate", attributes.operation.as_str());
    request.app.metrics.plugin_ran(labels, denial.is_some(), judgement.duration);
    Some(denial.map_or(Ok(()), |(_, error)| Err(error.clone())))
}
