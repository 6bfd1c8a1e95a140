//! ResourceQuota: a namespace uses no more than it was given, and what it uses is kept in the quota's status.

mod scopes;
mod usage;

use crate::amounts::{self, Amounts};
use crate::{Denial, Request};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_object::{Node, Quantity};
use usage::{Measure, measure_of, measures_for};

/// What is never counted: group, resource.
const UNCOUNTED: &[(&str, &str)] = &[
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

/// Whether a request may change what a namespace uses.
pub fn counts(request: &Request<'_>, new: &Node<'_>) -> bool {
    !request.namespace.is_empty()
        && !UNCOUNTED.contains(&(request.group, request.resource))
        && measure_of(request.group, request.resource).handles(request, new)
}

/// Charges the quotas of the namespace for a request; refuses it if one does not suffice. `now` is in seconds
/// since 1970. Afterwards the quotas say what is used if the request happens.
pub fn charge(
    request: &Request<'_>,
    new: &Node<'_>,
    quotas: &mut [Node<'static>],
    now: i64,
) -> Result<(), Denial> {
    if !counts(request, new) {
        return Ok(());
    }
    let measure = measure_of(request.group, request.resource);
    let mut charged = Vec::new();
    for (at, quota) in quotas.iter().enumerate() {
        if covers(&measure, quota, new)? {
            charged.push(at);
        }
    }
    let usage = measure.usage(new, now);
    let negative: Vec<&str> = usage
        .iter()
        .filter(|(_, amount)| amount.is_negative())
        .map(|(name, _)| name.as_str())
        .collect();
    if !negative.is_empty() {
        let text = format!("quota usage is negative for resource(s): {}", negative.join(","));
        return Err(Denial::Forbidden(text));
    }
    let before = request.old.filter(|_| request.is_update());
    for (at, quota) in quotas.iter_mut().enumerate().filter(|(at, _)| charged.contains(at)) {
        debug_assert!(charged.contains(&at));
        let was_charged = before.filter(|old| matches(&measure, quota, old));
        let more = match was_charged {
            Some(old) => growth(&usage, &measure.usage(old, now)),
            None => usage.clone(),
        };
        spend(quota, more, request.subresource == "status")?;
    }
    Ok(())
}

/// Whether a quota is to be charged for an object; refuses objects that do not say what the quota must know.
fn covers(measure: &Measure<'_>, quota: &Node<'_>, new: &Node<'_>) -> Result<bool, Denial> {
    if !matches(measure, quota, new) {
        return Ok(false);
    }
    let name = quota.text_at(&["metadata", "name"]);
    let restricted: BTreeSet<String> = amounts::read(quota.find(&["status", "hard"]))
        .into_keys()
        .filter(|name| measure.names(name))
        .collect();
    if let Some(missing) = measure.missing(&restricted, new) {
        return Err(Denial::Forbidden(format!("failed quota: {name}: {missing}")));
    }
    let used = amounts::read(quota.find(&["status", "used"]));
    if restricted.iter().any(|name| !used.contains_key(name)) {
        let names: Vec<String> = restricted.into_iter().collect();
        let text = format!("status unknown for quota: {name}, resources: {}", names.join(","));
        return Err(Denial::Forbidden(text));
    }
    Ok(true)
}

/// Whether a quota is about an object.
fn matches(measure: &Measure<'_>, quota: &Node<'_>, object: &Node<'_>) -> bool {
    let hard = amounts::read(quota.find(&["status", "hard"]));
    hard.keys().any(|name| measure.names(name))
        && scopes::of(quota).iter().all(|scope| measure.is_in(scope, object))
}

/// What is used more than before; never less than nothing, for others give back what goes.
fn growth(new: &Amounts, old: &Amounts) -> Amounts {
    let more = new.iter().map(|(name, amount)| {
        let more = old.get(name).map_or(*amount, |old| amount.minus(*old));
        (name.clone(), if more.is_negative() { Quantity::whole(0) } else { more })
    });
    more.collect()
}

fn spend(quota: &mut Node<'static>, more: Amounts, is_report: bool) -> Result<(), Denial> {
    let hard = amounts::read(quota.find(&["status", "hard"]));
    let used = amounts::read(quota.find(&["status", "used"]));
    let asked: Amounts = more
        .into_iter()
        .filter(|(name, amount)| !amount.is_zero() && hard.contains_key(name))
        .collect();
    let mut after = used.clone();
    amounts::add(&mut after, &asked);
    let exceeds = |name: &String| match (after.get(name), hard.get(name)) {
        (Some(after), Some(hard)) => after.exceeds(*hard),
        _ => false,
    };
    let exceeded: Vec<&String> = asked.keys().filter(|name| exceeds(name)).collect();
    if !is_report && !exceeded.is_empty() {
        let shown = |list: &Amounts| {
            let one = |name: &&String| list.get(*name).map(|amount| format!("{name}={amount}"));
            exceeded.iter().filter_map(one).collect::<Vec<_>>().join(",")
        };
        return Err(Denial::Forbidden(format!(
            "exceeded quota: {}, requested: {}, used: {}, limited: {}",
            quota.text_at(&["metadata", "name"]),
            shown(&asked),
            shown(&used),
            shown(&hard),
        )));
    }
    if !asked.is_empty() {
        quota.below("status").set("used", written(&after));
    }
    Ok(())
}

fn written(amounts: &Amounts) -> Node<'static> {
    Node::map(amounts.iter().map(|(name, amount)| (name.clone(), Node::string(amount.to_string()))))
}

/// Whether a quota's status speaks of all that its spec limits.
pub fn is_current(quota: &Node<'_>) -> bool {
    let (hard, used) =
        (quota.find(&["status", "hard"]), amounts::read(quota.find(&["status", "used"])));
    let wanted = quota.find(&["spec", "hard"]);
    let knows = |name: &String| measures_for(name).is_none() || used.contains_key(name);
    amounts::same(wanted, hard) && amounts::read(wanted).keys().all(knows)
}

/// Counts anew what a namespace uses and writes it into the quota's status: `list` gives the objects of a resource
/// (group, plural) in the namespace, or nothing where the resource is not served.
pub fn recount(
    quota: &mut Node<'static>,
    list: &dyn Fn(&str, &str) -> Option<Vec<Node<'static>>>,
    now: i64,
) {
    let hard = amounts::read(quota.find(&["spec", "hard"]));
    let scopes = scopes::of(quota);
    let mut used = Amounts::new();
    let measures: BTreeSet<(String, String)> =
        hard.keys().filter_map(|name| measures_for(name)).collect();
    for (group, resource) in &measures {
        let measure = measure_of(group, resource);
        let Some(objects) = list(group, resource) else { continue };
        let mut sums: Amounts = hard
            .keys()
            .filter(|name| measure.names(name))
            .map(|name| (name.clone(), Quantity::whole(0)))
            .collect();
        for object in
            objects.iter().filter(|object| scopes.iter().all(|scope| measure.is_in(scope, object)))
        {
            let mut usage = measure.usage(object, now);
            usage.retain(|name, _| sums.contains_key(name));
            amounts::add(&mut sums, &usage);
        }
        used.extend(sums);
    }
    let status = quota.below("status");
    status.set("hard", written(&hard));
    status.set("used", written(&used));
}

#[cfg(test)]
mod tests;
