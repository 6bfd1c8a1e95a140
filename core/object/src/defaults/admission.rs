//! What extends the API: webhooks, admission policies, custom resources and aggregated servers.

use super::fill::{
    Fill, Gap, each, fill, inside, is_empty, is_map_or_nil, is_nil, is_zero, nil, put, within,
};
use crate::Node;
use alloc::format;

const FAIL: &[Gap] = &[nil("failurePolicy", Fill::Text("Fail"))];

const MATCHED: &[Gap] = &[
    nil("matchPolicy", Fill::Text("Equivalent")),
    nil("namespaceSelector", Fill::Map),
    nil("objectSelector", Fill::Map),
];

const WEBHOOK: &[Gap] = &[nil("timeoutSeconds", Fill::Int(10))];
const MUTATING_WEBHOOK: &[Gap] = &[nil("reinvocationPolicy", Fill::Text("Never"))];
const RULE: &[Gap] = &[nil("scope", Fill::Text("*"))];
const SERVICE: &[Gap] = &[nil("port", Fill::Int(443))];
const PARAMETERS: &[Gap] = &[nil("parameterNotFoundAction", Fill::Text("Deny"))];

/// A ValidatingWebhookConfiguration.
pub(super) fn validating_webhooks(node: &mut Node<'_>) {
    each(node, "webhooks", webhook);
}

/// A MutatingWebhookConfiguration.
pub(super) fn mutating_webhooks(node: &mut Node<'_>) {
    each(node, "webhooks", |hook| {
        webhook(hook);
        fill(hook, MUTATING_WEBHOOK);
    });
}

fn webhook(hook: &mut Node<'_>) {
    fill(hook, FAIL);
    fill(hook, MATCHED);
    fill(hook, WEBHOOK);
    within(hook, "clientConfig", |client| within(client, "service", service));
    each(hook, "rules", rule);
}

fn service(service: &mut Node<'_>) {
    fill(service, SERVICE);
}

fn rule(rule: &mut Node<'_>) {
    fill(rule, RULE);
}

/// A ValidatingAdmissionPolicy or MutatingAdmissionPolicy.
pub(super) fn policy(node: &mut Node<'_>) {
    inside(node, "spec", |spec| {
        fill(spec, FAIL);
        within(spec, "matchConstraints", match_resources);
    });
}

/// A ValidatingAdmissionPolicyBinding or MutatingAdmissionPolicyBinding.
pub(super) fn binding(node: &mut Node<'_>) {
    within(node, "spec", |spec| within(spec, "matchResources", match_resources));
}

/// A MutatingAdmissionPolicyBinding of the first alpha, which still chose what to do about missing
/// parameters.
pub(super) fn binding_v1alpha1(node: &mut Node<'_>) {
    within(node, "spec", |spec| within(spec, "paramRef", |wanted| fill(wanted, PARAMETERS)));
    binding(node);
}

fn match_resources(node: &mut Node<'_>) {
    fill(node, MATCHED);
    each(node, "resourceRules", rule);
    each(node, "excludeResourceRules", rule);
}

/// An APIService.
pub(super) fn api_service(node: &mut Node<'_>) {
    within(node, "spec", |spec| within(spec, "service", service));
}

/// A CustomResourceDefinition.
pub(super) fn custom_resource(node: &mut Node<'_>) {
    inside(node, "spec", |spec| {
        inside(spec, "names", names);
        if is_nil(spec, "conversion") {
            put(spec, "conversion", Node::map([("strategy", Node::string("None"))]));
        }
        within(spec, "conversion", |conversion| {
            within(conversion, "webhook", |hook| {
                within(hook, "clientConfig", |client| within(client, "service", service));
            });
        });
    });
    stored_versions(node);
}

fn names(names: &mut Node<'_>) {
    let Some(kind) = names.get("kind").and_then(Node::text).filter(|kind| !kind.is_empty()) else {
        return;
    };
    let (singular, list) = (kind.to_lowercase(), format!("{kind}List"));
    if is_zero(names, "singular") {
        put(names, "singular", Node::string(singular));
    }
    if is_zero(names, "listKind") {
        put(names, "listKind", Node::string(list));
    }
}

/// Objects have so far been stored only in the version that is stored now.
fn stored_versions(node: &mut Node<'_>) {
    let versions = node.find(&["spec", "versions"]).map(Node::items).unwrap_or_default();
    let stored = versions
        .iter()
        .find(|version| version.get("storage").and_then(Node::as_bool) == Some(true))
        .and_then(|version| version.get("name"))
        .filter(|name| name.text().is_some())
        .cloned();
    let Some(stored) = stored else { return };
    let fits = is_map_or_nil(node, "status");
    if fits {
        let status = node.below("status");
        if is_empty(status, "storedVersions") {
            put(status, "storedVersions", Node::list(alloc::vec![stored]));
        }
    }
}
