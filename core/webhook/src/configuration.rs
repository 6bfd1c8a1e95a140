//! Webhook configurations, compiled once, and the order in which their webhooks are called.

use crate::client_config::ClientConfig;
use crate::exempt::is_exempt;
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_object::selector::LabelSelector;
use ratchet_object::{Node, defaults};
use ratchet_policy::{GroupVersionKind, MatchConditions, Reader, ResourceRules};

const GROUP: &str = "admissionregistration.k8s.io";

/// The two types of admission webhooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AdmissionType {
    /// They may change the object, and are called one after another.
    Mutating,
    /// They only look, and are called at the same time.
    Validating,
}

impl AdmissionType {
    /// The kind of its configurations.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Mutating => "MutatingWebhookConfiguration",
            Self::Validating => "ValidatingWebhookConfiguration",
        }
    }

    /// The label `type` of its metrics.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Mutating => "admit",
            Self::Validating => "validating",
        }
    }

    /// The label `type` of the metric that counts exclusions, for which the reference has another word.
    pub(crate) fn exclusion_label(self) -> &'static str {
        match self {
            Self::Mutating => "admit",
            Self::Validating => "validate",
        }
    }
}

/// A webhook with what decides whether it is called, and how.
#[derive(Debug)]
pub struct Webhook {
    /// Identifies it among all webhooks of its type.
    pub(crate) uid: String,
    pub(crate) configuration: String,
    pub(crate) name: String,
    pub(crate) client_config: ClientConfig,
    pub(crate) rules: ResourceRules,
    pub(crate) namespaces: Result<LabelSelector, String>,
    pub(crate) objects: Result<LabelSelector, String>,
    pub(crate) conditions: MatchConditions,
    /// Whether the failure policy is `Ignore`.
    pub(crate) ignores_failures: bool,
    pub(crate) side_effects: Option<String>,
    pub(crate) timeout_seconds: u32,
    pub(crate) review_versions: Vec<String>,
    /// Whether the reinvocation policy is `IfNeeded`.
    pub(crate) is_reinvocable: bool,
}

impl Webhook {
    fn parse(node: &Node<'_>, configuration: &str, number: usize, reader: &Reader) -> Self {
        let name = node.text_at(&["name"]);
        let ignores_failures = node.text_at(&["failurePolicy"]) == "Ignore";
        let selector = |name: &str| LabelSelector::from_tree(node.get(name));
        let versions = node.get("admissionReviewVersions").map(Node::items).unwrap_or_default();
        let timeout = node.get("timeoutSeconds").and_then(Node::as_int);
        Self {
            uid: format!("{configuration}/{name}/{number}"),
            configuration: configuration.to_owned(),
            name: name.to_owned(),
            client_config: ClientConfig::parse(node.get("clientConfig")),
            rules: ResourceRules::parse(node.get("rules"), node.text_at(&["matchPolicy"])),
            namespaces: selector("namespaceSelector"),
            objects: selector("objectSelector"),
            conditions: MatchConditions::compile(
                node.get("matchConditions"),
                ignores_failures,
                reader,
            ),
            ignores_failures,
            side_effects: node.get("sideEffects").and_then(Node::text).map(str::to_owned),
            timeout_seconds: timeout.and_then(|seconds| seconds.try_into().ok()).unwrap_or(10),
            review_versions: versions.iter().filter_map(Node::text).map(str::to_owned).collect(),
            is_reinvocable: node.text_at(&["reinvocationPolicy"]) == "IfNeeded",
        }
    }

    /// The name of the webhook, which no other one of its configuration has.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of its configuration.
    pub fn configuration(&self) -> &str {
        &self.configuration
    }

    /// How it is reached.
    pub fn client_config(&self) -> &ClientConfig {
        &self.client_config
    }

    /// The most seconds that a call may take.
    pub fn timeout_seconds(&self) -> u32 {
        self.timeout_seconds
    }
}

/// A ValidatingWebhookConfiguration or MutatingWebhookConfiguration.
#[derive(Debug)]
pub struct WebhookConfiguration {
    name: String,
    webhooks: Vec<Arc<Webhook>>,
}

impl WebhookConfiguration {
    /// Compiles a configuration. Never fails: errors are reported when a webhook is called.
    pub fn compile(object: &Node<'_>, admission: AdmissionType, reader: &Reader) -> Self {
        let mut node = object.clone();
        defaults::apply(GROUP, "v1", admission.kind(), &mut node);
        let name = node.metadata().name().to_owned();
        let rows = node.get("webhooks").map(Node::items).unwrap_or_default();
        // Names were not always unique: those of one name are numbered.
        let number = |index: usize, hook: &str| {
            rows.iter().take(index).filter(|row| row.text_at(&["name"]) == hook).count()
        };
        let webhook = |(index, row): (usize, &Node<'_>)| {
            let number = number(index, row.text_at(&["name"]));
            Arc::new(Webhook::parse(row, &name, number, reader))
        };
        let webhooks = rows.iter().enumerate().map(webhook).collect();
        Self { name, webhooks }
    }

    /// `metadata.name` of the configuration.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// All webhooks of one type: configurations by name, the webhooks of each by position.
#[derive(Clone, Debug)]
pub struct Webhooks {
    admission: AdmissionType,
    all: Vec<Arc<Webhook>>,
}

impl Webhooks {
    /// Orders the webhooks of configurations.
    pub fn new(
        admission: AdmissionType,
        mut configurations: Vec<Arc<WebhookConfiguration>>,
    ) -> Self {
        configurations.sort_by(|one, other| one.name.cmp(&other.name));
        let all = configurations.iter().flat_map(|configuration| &configuration.webhooks).cloned();
        Self { admission, all: all.collect() }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Their type.
    pub fn admission(&self) -> AdmissionType {
        self.admission
    }

    /// Whether any webhook can match a resource under this name. A caller that serves it under other names checks
    /// those too.
    pub fn look_at(&self, group: &str, resource: &str) -> bool {
        self.all.iter().any(|webhook| webhook.rules.may_match(group, resource))
    }

    /// Whether any webhook has match conditions, whose evaluation may take time.
    pub fn have_conditions(&self) -> bool {
        self.all.iter().any(|webhook| !webhook.conditions.is_empty())
    }

    /// The webhooks that requests for a kind may be sent to: none for exempt kinds.
    pub(crate) fn for_kind(&self, kind: &GroupVersionKind<'_>) -> &[Arc<Webhook>] {
        if is_exempt(kind) { &[] } else { &self.all }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::node;

    #[test]
    fn configurations_are_called_by_name_and_webhooks_by_position() {
        let reader = Reader::new((1, 36));
        let compile = |text: &str| {
            Arc::new(WebhookConfiguration::compile(&node(text), AdmissionType::Mutating, &reader))
        };
        let webhooks = Webhooks::new(
            AdmissionType::Mutating,
            alloc::vec![
                compile("{metadata: {name: b}, webhooks: [{name: z.b.c}, {name: a.b.c}]}"),
                compile("{metadata: {name: a}, webhooks: [{name: x.b.c}, {name: x.b.c}]}"),
            ],
        );
        let uids: Vec<&str> = webhooks.all.iter().map(|webhook| webhook.uid.as_str()).collect();
        assert_eq!(uids, ["a/x.b.c/0", "a/x.b.c/1", "b/z.b.c/0", "b/a.b.c/0"]);
        let first = webhooks.all.first().unwrap();
        assert_eq!((first.timeout_seconds(), first.ignores_failures), (10, false));
        assert!(first.namespaces.as_ref().is_ok_and(LabelSelector::is_everything));
        assert!(!webhooks.look_at("", "pods"), "no rules");
    }
}
