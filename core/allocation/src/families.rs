//! IP families of a Service: from its fields, its addresses, or the server's ranges.

use crate::error::{AllocationError, invalid, json, list, unless_empty};
use crate::ranges::{Ranges, family_name};
use crate::spec::{Spec, family_of};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// A Service with `PreferDualStack` keeps its families when nothing about them changes, even if
/// the server has gained another family meanwhile.
pub(crate) fn is_unchanged(new: &Spec, old: Option<&Spec>) -> bool {
    const BOTH: &str = "PreferDualStack";
    let kinds = ["ClusterIP", "NodePort", "LoadBalancer"];
    old.is_some_and(|old| {
        new.policy == BOTH
            && matches!(old.policy.as_str(), "" | BOTH)
            && new.kind == old.kind
            && kinds.contains(&new.kind.as_str())
            && new.cluster_ips == old.cluster_ips
            && new.families == old.families
    })
}

/// Completes policy and families of a Service whose type is not ExternalName.
pub(crate) fn complete(
    spec: &mut Spec,
    old: Option<&Spec>,
    ranges: &Ranges,
) -> Result<(), AllocationError> {
    let is_bare = spec.is_headless() && !spec.has_selector;
    if spec.policy.is_empty() {
        let stored = old.map(|old| old.policy.as_str()).filter(|policy| !policy.is_empty());
        let fallback = if is_bare { "RequireDualStack" } else { "SingleStack" };
        spec.policy = stored.unwrap_or(fallback).into();
    }
    let is_single = spec.policy == "SingleStack";
    if let Some(old) = old.filter(|_| is_single) {
        // The policy alone makes clear that the second family is to be removed.
        if spec.cluster_ips == old.cluster_ips {
            spec.cluster_ips.truncate(1);
        }
        if spec.families == old.families {
            spec.families.truncate(1);
        }
    }
    infer(spec, ranges)?;
    if !is_bare {
        check(spec, ranges)?;
    }
    if spec.families.is_empty() {
        spec.families.push(family_name(ranges.primary_family()).into());
    }
    // A Service without selector and address may name families that the server does not have.
    let may_have_two = is_bare || ranges.is_dual_stack();
    if let [only] = spec.families.as_slice()
        && !is_single
        && may_have_two
    {
        let second = if only == "IPv4" { "IPv6" } else { "IPv4" };
        spec.families.push(second.into());
    }
    Ok(())
}

/// Adds the families of named addresses.
fn infer(spec: &mut Spec, ranges: &Ranges) -> Result<(), AllocationError> {
    if spec.is_headless() {
        return Ok(());
    }
    let mut causes = Vec::new();
    let mut families: Vec<String> = spec.families.clone();
    for (index, ip) in spec.cluster_ips.iter().enumerate().skip(spec.families.len()) {
        let family = family_of(ip);
        if ranges.has_family(family) {
            families.push(family.into());
        } else {
            let detail = format!("{family} is not configured on this cluster");
            let field = format!("spec.clusterIPs[{index}]");
            causes.push(invalid(field, list(&spec.cluster_ips), &detail));
        }
    }
    unless_empty(causes)?;
    spec.families = families;
    Ok(())
}

/// Requested families must be configured.
fn check(spec: &Spec, ranges: &Ranges) -> Result<(), AllocationError> {
    let mut causes = Vec::new();
    if spec.policy == "RequireDualStack" && !ranges.is_dual_stack() {
        let detail = "this cluster is not configured for dual-stack services";
        causes.push(invalid("spec.ipFamilyPolicy", json(&spec.policy), detail));
    }
    for (index, family) in spec.families.iter().enumerate() {
        if !ranges.has_family(family) {
            let field = format!("spec.ipFamilies[{index}]");
            causes.push(invalid(field, json(family), "not configured on this cluster"));
        }
    }
    unless_empty(causes)
}
