//! Rule RTC-API-005: warnings about deprecated APIs, whether the request succeeds or not.

use crate::context::ValidationContext;
use crate::{ApiConfig, Origin, Ratchet, Rule, Verdict, Warning};

pub(crate) static RULE: Rule = Rule {
    id: "RTC-API-005",
    fields: &["Endpoints", "EndpointSlice addressType FQDN"],
    title: "deprecated API",
    origin: Origin::Api,
    demands: "The Endpoints API is deprecated; EndpointSlices replace it.",
    why: "Endpoints cannot hold dual-stack addresses or more than a thousand of them, and new features are not built for it.",
    fix: "Write discovery.k8s.io/v1 EndpointSlices instead.",
    ratchet: Ratchet::Never,
    versions: "A warning since 1.33.",
};

pub(crate) fn warn(ctx: &ValidationContext<'_>, verdict: &mut Verdict) {
    let kind = ctx.change.kind;
    if let Some(message) = deprecation(kind.group, kind.name, ctx.config) {
        verdict.warn(Warning::new(&RULE, &ctx.change.new_root().field("kind"), message));
    }
}

/// The deprecation warning for any use of a kind, also for reading it.
pub fn deprecation(group: &str, kind: &str, config: &ApiConfig) -> Option<&'static str> {
    let is_deprecated = (group, kind) == ("", "Endpoints") && config.release.since(33);
    is_deprecated
        .then_some("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice")
}
