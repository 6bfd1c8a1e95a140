//! Defaults of API extensions: webhooks, admission policies, custom resources and aggregated servers.

use super::fields::{
    DefaultValue, FieldDefault, each, is_empty, is_map_or_nil, is_nil, is_zero, nil, pointer_field,
    put, set_defaults, struct_field,
};
use crate::Node;
use alloc::format;

const FAIL: &[FieldDefault] = &[nil("failurePolicy", DefaultValue::Text("Fail"))];

const MATCHED: &[FieldDefault] = &[
    nil("matchPolicy", DefaultValue::Text("Equivalent")),
    nil("namespaceSelector", DefaultValue::Map),
    nil("objectSelector", DefaultValue::Map),
];

const WEBHOOK: &[FieldDefault] = &[nil("timeoutSeconds", DefaultValue::Int(10))];
const MUTATING_WEBHOOK: &[FieldDefault] = &[nil("reinvocationPolicy", DefaultValue::Text("Never"))];
const RULE: &[FieldDefault] = &[nil("scope", DefaultValue::Text("*"))];
const SERVICE: &[FieldDefault] = &[nil("port", DefaultValue::Int(443))];
const PARAMETERS: &[FieldDefault] = &[nil("parameterNotFoundAction", DefaultValue::Text("Deny"))];

/// Defaults of a ValidatingWebhookConfiguration.
pub(super) fn validating_webhooks(node: &mut Node<'_>) {
    each(node, "webhooks", webhook);
}

/// Defaults of a MutatingWebhookConfiguration.
pub(super) fn mutating_webhooks(node: &mut Node<'_>) {
    each(node, "webhooks", |hook| {
        webhook(hook);
        set_defaults(hook, MUTATING_WEBHOOK);
    });
}

fn webhook(hook: &mut Node<'_>) {
    set_defaults(hook, FAIL);
    set_defaults(hook, MATCHED);
    set_defaults(hook, WEBHOOK);
    pointer_field(hook, "clientConfig", |client| pointer_field(client, "service", service));
    each(hook, "rules", rule);
}

fn service(service: &mut Node<'_>) {
    set_defaults(service, SERVICE);
}

fn rule(rule: &mut Node<'_>) {
    set_defaults(rule, RULE);
}

/// A ValidatingAdmissionPolicy or MutatingAdmissionPolicy.
pub(super) fn policy(node: &mut Node<'_>) {
    struct_field(node, "spec", |spec| {
        set_defaults(spec, FAIL);
        pointer_field(spec, "matchConstraints", match_resources);
    });
}

/// A ValidatingAdmissionPolicyBinding or MutatingAdmissionPolicyBinding.
pub(super) fn binding(node: &mut Node<'_>) {
    pointer_field(node, "spec", |spec| pointer_field(spec, "matchResources", match_resources));
}

/// A MutatingAdmissionPolicyBinding of the first alpha, which still had `parameterNotFoundAction`.
pub(super) fn binding_v1alpha1(node: &mut Node<'_>) {
    pointer_field(node, "spec", |spec| {
        pointer_field(spec, "paramRef", |parameters| set_defaults(parameters, PARAMETERS));
    });
    binding(node);
}

fn match_resources(node: &mut Node<'_>) {
    set_defaults(node, MATCHED);
    each(node, "resourceRules", rule);
    each(node, "excludeResourceRules", rule);
}

/// Defaults of an APIService.
pub(super) fn api_service(node: &mut Node<'_>) {
    pointer_field(node, "spec", |spec| pointer_field(spec, "service", service));
}

/// Defaults of a CustomResourceDefinition.
pub(super) fn custom_resource(node: &mut Node<'_>) {
    struct_field(node, "spec", |spec| {
        struct_field(spec, "names", names);
        if is_nil(spec, "conversion") {
            put(spec, "conversion", Node::map([("strategy", Node::string("None"))]));
        }
        pointer_field(spec, "conversion", |conversion| {
            pointer_field(conversion, "webhook", |hook| {
                pointer_field(hook, "clientConfig", |client| {
                    pointer_field(client, "service", service);
                });
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

/// `status.storedVersions` defaults to the current storage version.
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
        let status = node.map_mut("status");
        if is_empty(status, "storedVersions") {
            put(status, "storedVersions", Node::list(alloc::vec![stored]));
        }
    }
}
