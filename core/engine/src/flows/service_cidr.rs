//! ServiceCIDR: its ranges, of which a second one may be added and nothing else changed.

use crate::fields;
use crate::rules::value::Reading;
use crate::rules::{address_families, cluster_ips, immutable, placement};
use crate::scene::Scene;
use crate::views::texts;
use crate::{Cause, Problem, Verdict, shown};
use alloc::format;
use ratchet_net::Quoted;
use ratchet_object::At;

pub(super) fn validate(scene: &Scene<'_>, verdict: &mut Verdict) {
    let list = scene.change.new_root().field("spec").field("cidrs");
    let Some(old) = scene.change.old_root().map(|root| root.field("spec").field("cidrs")) else {
        return check(scene, &list, verdict);
    };
    let (new, before) = (texts(&list), texts(&old));
    let mut changed = |index: usize| {
        if let (Some(at), Some(text)) = (list.items().nth(index), new.get(index))
            && before.get(index) != Some(text)
        {
            immutable::changed(&at, format!("{}", Quoted(text)), verdict);
        }
    };
    match (before.len(), new.len()) {
        (one, other) if one == other => (0..new.len()).for_each(changed),
        (1, 2) => {
            changed(0);
            check(scene, &list, verdict);
        }
        _ => immutable::changed(&list, shown::list(&new, scene.policy.release), verdict),
    }
}

fn check(scene: &Scene<'_>, list: &At<'_>, verdict: &mut Verdict) {
    let all = texts(list);
    if all.is_empty() {
        return placement::required(list, "at least one CIDR required", verdict);
    }
    if all.len() > 2 {
        let texts = shown::list(&all, scene.policy.release);
        let shown = if scene.policy.release.since(34) {
            format!("{{\"CIDRs\":{texts}}}")
        } else {
            format!("networking.ServiceCIDRSpec{{CIDRs:{texts}}}")
        };
        let detail = "may only hold up to 2 values";
        let problem = Problem::new(&cluster_ips::RULE, Cause::Invalid, list, detail);
        return verdict.problem(problem.showing(shown));
    }
    for at in list.items() {
        Reading::fresh(&fields::SERVICE_CIDRS).check(scene, &at, at.text_or_empty(), verdict);
    }
    address_families::check_service_cidrs(list, &all, scene.policy.release, verdict);
}
