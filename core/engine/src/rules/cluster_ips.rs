//! Rule RTC-SVC-003: cluster IPs, IP families and their policy in a Service are consistent, and do not change.

use super::value::FieldCheck;
use super::{address_families, immutable, placement};
use crate::context::ValidationContext;
use crate::views::{service_type, texts};
use crate::{
    Cause, FieldError, Origin, Ratchet, Release, Rule, StoredValues, Verdict, fields, format_value,
};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use ratchet_net::Quoted;
use ratchet_object::At;

pub(crate) static RULE: Rule = Rule {
    id: "RTC-SVC-003",
    fields: &["Service spec.clusterIP, spec.clusterIPs, spec.ipFamilies, spec.ipFamilyPolicy"],
    title: "cluster IPs that do not hold together",
    origin: Origin::Api,
    demands: "`clusterIP` is the first of `clusterIPs`; there are at most two, of two families, as `ipFamilies` states; `None` stands alone.",
    why: "Clients read either field. Where the two disagree, some of them talk to an address that is not the Service's.",
    fix: "Leave both fields out and let the API server choose, or give both in agreement.",
    ratchet: Ratchet::Never,
    versions: "All releases.",
};

/// Cluster IPs as the API server completes them before validation.
pub(crate) struct ClusterIps<'a> {
    /// `spec.clusterIP`.
    pub(crate) first: &'a str,
    /// `spec.clusterIPs`, each with the path of its entry.
    pub(crate) all: Vec<At<'a>>,
    list: At<'a>,
}

impl<'a> ClusterIps<'a> {
    /// The cluster IPs of a Service, completed from the stored one.
    pub(crate) fn of(spec: &At<'a>, old: Option<&At<'a>>) -> Self {
        let list = spec.field("clusterIPs");
        let single = spec.field("clusterIP");
        let mut first = single.text_or_empty();
        let mut all: Vec<At<'a>> = list.items().collect();
        if let Some(old) = old {
            let before = Self::of(old, None);
            let both_have_ips =
                service_type(spec) != "ExternalName" && service_type(old) != "ExternalName";
            if both_have_ips && first.is_empty() {
                first = before.first;
            }
            if both_have_ips && all.is_empty() && first == before.first {
                // The stored ones fill in for those left out, but have no position in this source text.
                all = before.all.iter().map(|at| at.pointing_at(list.span())).collect();
            }
            // A change of the type to ExternalName releases the addresses that are unchanged.
            let untouched = texts_of(&all) == texts_of(&before.all);
            if untouched
                && service_type(spec) == "ExternalName"
                && service_type(old) != "ExternalName"
            {
                return Self { first: "", all: Vec::new(), list };
            }
            // An unchanged list follows a changed single field.
            if first != before.first && untouched {
                all = alloc::vec![single.with_path(list.path().index(0))];
                all.retain(|at| !at.text_or_empty().is_empty());
            }
        } else if all.is_empty() && !first.is_empty() {
            all.push(single.with_path(list.path().index(0)));
        }
        Self { first, all, list }
    }

    /// Whether the Service has no address of its own.
    pub(crate) fn is_headless(&self) -> bool {
        self.first == "None"
    }

    fn texts(&self) -> Vec<&'a str> {
        texts_of(&self.all)
    }

    fn invalid(&self, detail: &'static str, release: Release, verdict: &mut Verdict) {
        let formatted = format_value::list(&self.texts(), release);
        verdict.add_error(
            FieldError::new(&RULE, Cause::Invalid, &self.list, detail).with_value(formatted),
        );
    }
}

fn texts_of<'a>(all: &[At<'a>]) -> Vec<&'a str> {
    all.iter().map(At::text_or_empty).collect()
}

/// Checks the cluster IPs, which the API checks before anything else of a Service and reports alone.
pub(crate) fn check(
    ctx: &ValidationContext<'_>,
    spec: &At<'_>,
    old: Option<&At<'_>>,
    verdict: &mut Verdict,
) {
    let release = ctx.config.release;
    let ips = ClusterIps::of(spec, old);
    match (ips.first, ips.all.first()) {
        ("", None) => {}
        ("", Some(_)) => {
            ips.invalid("must be empty when `clusterIP` is not specified", release, verdict);
        }
        (_, None) => verdict.add_error(FieldError::new(&RULE, Cause::Required, &ips.list, "")),
        (first, Some(at)) if at.text_or_empty() != first => {
            ips.invalid("first value must match `clusterIP`", release, verdict);
        }
        _ => {}
    }
    let families = check_families(ctx, spec, verdict);
    let stored_ips = old.map(|old| ClusterIps::of(old, None).texts()).unwrap_or_default();
    let stored: StoredValues<'_> = stored_ips.into_iter().collect();
    let field_check = FieldCheck::with_ratchet(ctx, &fields::CLUSTER_IPS, &stored);
    let mut all_valid = true;
    for (index, at) in ips.all.iter().enumerate() {
        let text = at.text_or_empty();
        if index == 0 && text == "None" {
            if ips.all.len() > 1 {
                ips.invalid("'None' must be the first and only value", release, verdict);
                all_valid = false;
            }
        } else {
            all_valid &= field_check.check(ctx, at, text, verdict);
        }
    }
    if ips.all.len() > 2 {
        ips.invalid("may only hold up to 2 values", release, verdict);
    }
    if !all_valid {
        return;
    }
    address_families::check_cluster_ips(&ips.list, &ips.texts(), release, verdict);
    if ips.texts() != ["None"] {
        for (index, (at, family)) in ips.all.iter().zip(&families).enumerate() {
            address_families::check_stated(at, index, at.text_or_empty(), family, verdict);
        }
    }
}

/// `ipFamilyPolicy` as the API server completes it.
fn policy<'a>(spec: &At<'a>, old: Option<&At<'a>>) -> &'a str {
    let requested = spec.field("ipFamilyPolicy").text_or_empty();
    let stored = || old.map(|old| policy(old, None)).filter(|policy| !policy.is_empty());
    let is_bare =
        spec.field("clusterIP").text_or_empty() == "None" && !spec.field("selector").is_set();
    match requested {
        "" => stored().unwrap_or(if is_bare { "RequireDualStack" } else { "SingleStack" }),
        requested => requested,
    }
}

/// Checks `ipFamilyPolicy` as the allocator does once the addresses themselves are valid.
pub(crate) fn check_policy(spec: &At<'_>, old: Option<&At<'_>>, verdict: &mut Verdict) {
    let policy = policy(spec, old);
    let at = spec.field("ipFamilyPolicy");
    let mut report = |detail: &'static str| {
        let formatted = alloc::format!("{}", Quoted(policy));
        verdict
            .add_error(FieldError::new(&RULE, Cause::Invalid, &at, detail).with_value(formatted));
    };
    let (ips, families) = (ClusterIps::of(spec, old).texts(), texts(&spec.field("ipFamilies")));
    let before =
        old.map(|old| (ClusterIps::of(old, None).texts(), texts(&old.field("ipFamilies"))));
    if policy == "SingleStack" {
        // An unchanged list is cut down to one entry; a changed one must have one already.
        let is_changed = |new: &[&str], old: Option<&Vec<&str>>| old.is_none_or(|old| old != new);
        if ips.len() > 1 && is_changed(&ips, before.as_ref().map(|before| &before.0)) {
            report(
                "must be 'RequireDualStack' or 'PreferDualStack' when multiple cluster IPs are specified",
            );
        }
        if families.len() > 1 && is_changed(&families, before.as_ref().map(|before| &before.1)) {
            report(
                "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are specified",
            );
        }
    } else if let Some((old_ips, old_families)) = &before {
        if ips.len() < old_ips.len() && old_ips.len() == 2 {
            report("must be 'SingleStack' to release the secondary cluster IP");
        }
        if families.len() < old_families.len() && old_families.len() == 2 && !families.is_empty() {
            report("must be 'SingleStack' to release the secondary IP family");
        }
    }
}

fn check_families<'a>(
    ctx: &ValidationContext<'_>,
    spec: &At<'a>,
    verdict: &mut Verdict,
) -> Vec<&'a str> {
    let list = spec.field("ipFamilies");
    let stated = texts(&list);
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for at in list.items() {
        let text = at.text_or_empty();
        if !matches!(text, "IPv4" | "IPv6") {
            placement::unsupported(ctx, &at, text, "\"IPv4\", \"IPv6\"", verdict);
        }
        if !seen.insert(text) {
            placement::duplicate(
                &at,
                format_value::typed_string(text, ctx.config.release),
                verdict,
            );
        }
    }
    let policy = spec.field("ipFamilyPolicy");
    let text = policy.text_or_empty();
    let is_known = matches!(text, "SingleStack" | "PreferDualStack" | "RequireDualStack");
    if policy.is_set() && !is_known {
        let supported = "\"PreferDualStack\", \"RequireDualStack\", \"SingleStack\"";
        placement::unsupported(ctx, &policy, text, supported, verdict);
    }
    stated
}

/// Whether the API checks the cluster IPs before everything else.
pub(crate) fn is_checked_first(spec: &At<'_>, old: Option<&At<'_>>) -> bool {
    if service_type(spec) == "ExternalName" {
        return false;
    }
    let Some(old) = old else { return true };
    let prefers = |spec: &At<'_>| spec.field("ipFamilyPolicy").text_or_empty() == "PreferDualStack";
    let (new_ips, old_ips) =
        (ClusterIps::of(spec, Some(old)).texts(), ClusterIps::of(old, None).texts());
    !(prefers(spec)
        && prefers(old)
        && service_type(spec) == service_type(old)
        && new_ips == old_ips
        && spec.field("ipFamilies").equals(&old.field("ipFamilies")))
}

/// Checks that set cluster IPs do not change, not even to their canonical form.
pub(crate) fn check_unchanged(
    ctx: &ValidationContext<'_>,
    spec: &At<'_>,
    old: &At<'_>,
    verdict: &mut Verdict,
) {
    if service_type(spec) == "ExternalName" || service_type(old) == "ExternalName" {
        return;
    }
    let (new_ips, old_ips) = (ClusterIps::of(spec, Some(old)), ClusterIps::of(old, None));
    if new_ips.is_headless() && old_ips.is_headless() {
        return;
    }
    let (new, before) = (new_ips.texts(), old_ips.texts());
    let place = |index: usize| {
        let at = new_ips.all.get(index).copied().unwrap_or(new_ips.list);
        at.with_path(new_ips.list.path().index(index))
    };
    let formatted = || format_value::list(&new, ctx.config.release);
    const ONCE_SET: &str = "may not change once set";
    if new.len() == before.len() {
        for (index, _) in new.iter().zip(&before).enumerate().filter(|(_, (new, old))| new != old) {
            immutable::changed_with_detail(&place(index), formatted(), ONCE_SET, verdict);
        }
        return;
    }
    if new.len() < before.len() && new.is_empty() {
        immutable::changed_with_detail(
            &place(0),
            formatted(),
            "primary clusterIP can not be unset",
            verdict,
        );
    }
    if let (Some(new), Some(old)) = (new.first(), before.first())
        && new != old
    {
        immutable::changed_with_detail(&place(0), formatted(), ONCE_SET, verdict);
    }
    let policy = policy(spec, Some(old));
    if new.len() < before.len() && before.len() == 2 && policy != "SingleStack" {
        let value = alloc::format!("{}", Quoted(policy));
        let detail = "must be set to 'SingleStack' when releasing the secondary clusterIP";
        immutable::changed_with_detail(&spec.field("ipFamilyPolicy"), value, detail, verdict);
    }
}
