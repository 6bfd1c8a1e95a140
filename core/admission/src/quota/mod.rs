//! ResourceQuota: enforces the quotas of a namespace, and maintains the usage in their status.

mod devices;
mod scopes;
mod usage;

use crate::amounts::{self, Amounts};
use crate::{Attributes, Denial};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_object::{Node, Quantity};
use usage::{UsageEvaluator, evaluator_for, resource_counted_by};

/// Resources that no quota counts: group, resource.
const IGNORED: &[(&str, &str)] = &[
    ("", "bindings"),
    ("", "componentstatuses"),
    ("", "events"),
    ("authentication.k8s.io", "selfsubjectreviews"),
    ("authentication.k8s.io", "tokenreviews"),
    ("authorization.k8s.io", "localsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectaccessreviews"),
    ("authorization.k8s.io", "selfsubjectrulesreviews"),
    ("authorization.k8s.io", "subjectaccessreviews"),
    ("events.k8s.io", "events"),
];

/// Whether a request may change the usage of a namespace.
pub fn counts(attributes: &Attributes<'_>, new: &Node<'_>) -> bool {
    !attributes.namespace.is_empty()
        && !IGNORED.contains(&(attributes.group, attributes.resource))
        && evaluator_for(attributes.group, attributes.resource).handles(attributes, new)
}

/// Charges the quotas of the namespace for a request; refuses it if one is exceeded. `now` is in seconds
/// since 1970. Afterwards the quotas have the usage after the request.
pub fn charge(
    attributes: &Attributes<'_>,
    new: &Node<'_>,
    quotas: &mut [Node<'static>],
    now: i64,
) -> Result<(), Denial> {
    if !counts(attributes, new) {
        return Ok(());
    }
    let evaluator = evaluator_for(attributes.group, attributes.resource);
    let mut charged = Vec::new();
    for (at, quota) in quotas.iter().enumerate() {
        if covers(&evaluator, quota, new)? {
            charged.push(at);
        }
    }
    let usage = evaluator.usage(new, now);
    let negative: Vec<&str> = usage
        .iter()
        .filter(|(_, amount)| amount.is_negative())
        .map(|(name, _)| name.as_str())
        .collect();
    if !negative.is_empty() {
        let text = format!("quota usage is negative for resource(s): {}", negative.join(","));
        return Err(Denial::Forbidden(text));
    }
    let before = attributes.old.filter(|_| attributes.is_update());
    for (at, quota) in quotas.iter_mut().enumerate().filter(|(at, _)| charged.contains(at)) {
        debug_assert!(charged.contains(&at));
        let was_charged = before.filter(|old| matches(&evaluator, quota, old));
        let more = match was_charged {
            Some(old) => growth(&usage, &evaluator.usage(old, now)),
            None => usage.clone(),
        };
        spend(quota, more, attributes.subresource == "status")?;
    }
    Ok(())
}

/// Whether a quota is charged for an object; refuses objects without values that the quota requires.
fn covers(
    evaluator: &UsageEvaluator<'_>,
    quota: &Node<'_>,
    new: &Node<'_>,
) -> Result<bool, Denial> {
    if !matches(evaluator, quota, new) {
        return Ok(false);
    }
    let name = quota.metadata().name();
    let restricted: BTreeSet<String> = amounts::parse(quota.find(&["status", "hard"]))
        .into_keys()
        .filter(|name| evaluator.names(name))
        .collect();
    if let Some(missing) = evaluator.missing(&restricted, new) {
        return Err(Denial::Forbidden(format!("failed quota: {name}: {missing}")));
    }
    let used = amounts::parse(quota.find(&["status", "used"]));
    if restricted.iter().any(|name| !used.contains_key(name)) {
        let names: Vec<String> = restricted.into_iter().collect();
        let text = format!("status unknown for quota: {name}, resources: {}", names.join(","));
        return Err(Denial::Forbidden(text));
    }
    Ok(true)
}

/// Whether a quota matches an object.
fn matches(evaluator: &UsageEvaluator<'_>, quota: &Node<'_>, object: &Node<'_>) -> bool {
    let hard = amounts::parse(quota.find(&["status", "hard"]));
    hard.keys().any(|name| evaluator.names(name))
        && scopes::of(quota).iter().all(|scope| evaluator.is_in(scope, object))
}

/// The increase in usage; never negative, for usage is released elsewhere.
fn growth(new: &Amounts, old: &Amounts) -> Amounts {
    let more = new.iter().map(|(name, amount)| {
        let more = old.get(name).map_or(*amount, |old| amount.minus(*old));
        (name.clone(), if more.is_negative() { Quantity::whole(0) } else { more })
    });
    more.collect()
}

fn spend(quota: &mut Node<'static>, more: Amounts, is_report: bool) -> Result<(), Denial> {
    let hard = amounts::parse(quota.find(&["status", "hard"]));
    let used = amounts::parse(quota.find(&["status", "used"]));
    let requested: Amounts = more
        .into_iter()
        .filter(|(name, amount)| !amount.is_zero() && hard.contains_key(name))
        .collect();
    let mut after = used.clone();
    amounts::add(&mut after, &requested);
    let exceeds = |name: &String| match (after.get(name), hard.get(name)) {
        (Some(after), Some(hard)) => after.exceeds(*hard),
        _ => false,
    };
    let exceeded: Vec<&String> = requested.keys().filter(|name| exceeds(name)).collect();
    if !is_report && !exceeded.is_empty() {
        let format_amounts = |list: &Amounts| {
            let one = |name: &&String| list.get(*name).map(|amount| format!("{name}={amount}"));
            exceeded.iter().filter_map(one).collect::<Vec<_>>().join(",")
        };
        return Err(Denial::Forbidden(format!(
            "exceeded quota: {}, requested: {}, used: {}, limited: {}",
            quota.metadata().name(),
            format_amounts(&requested),
            format_amounts(&used),
            format_amounts(&hard),
        )));
    }
    if !requested.is_empty() {
        quota.map_mut("status").set("used", to_node(&after));
    }
    Ok(())
}

fn to_node(amounts: &Amounts) -> Node<'static> {
    Node::map(amounts.iter().map(|(name, amount)| (name.clone(), Node::string(amount.to_string()))))
}

/// Whether a quota's status covers all that its spec limits.
pub fn is_current(quota: &Node<'_>) -> bool {
    let (hard, used) =
        (quota.find(&["status", "hard"]), amounts::parse(quota.find(&["status", "used"])));
    let spec_hard = quota.find(&["spec", "hard"]);
    let is_counted = |name: &String| resource_counted_by(name).is_none() || used.contains_key(name);
    amounts::same(spec_hard, hard) && amounts::parse(spec_hard).keys().all(is_counted)
}

/// Recomputes the usage of a namespace and writes it into the quota's status: `list` returns the objects of a resource
/// (group, plural) in the namespace, or none where the resource is not served.
pub fn recount(
    quota: &mut Node<'static>,
    list: &dyn Fn(&str, &str) -> Option<Vec<Node<'static>>>,
    now: i64,
) {
    let hard = amounts::parse(quota.find(&["spec", "hard"]));
    let scopes = scopes::of(quota);
    let mut used = Amounts::new();
    let measures: BTreeSet<(String, String)> =
        hard.keys().filter_map(|name| resource_counted_by(name)).collect();
    for (group, resource) in &measures {
        let evaluator = evaluator_for(group, resource);
        let Some(objects) = list(group, resource) else { continue };
        let mut sums: Amounts = hard
            .keys()
            .filter(|name| evaluator.names(name))
            .map(|name| (name.clone(), Quantity::whole(0)))
            .collect();
        for object in objects
            .iter()
            .filter(|object| scopes.iter().all(|scope| evaluator.is_in(scope, object)))
        {
            let mut usage = evaluator.usage(object, now);
            usage.retain(|name, _| sums.contains_key(name));
            amounts::add(&mut sums, &usage);
        }
        used.extend(sums);
    }
    let status = quota.map_mut("status");
    status.set("hard", to_node(&hard));
    status.set("used", to_node(&used));
}

#[cfg(test)]
mod tests;
