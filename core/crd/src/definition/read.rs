//! Reading of definitions from trees.

use super::{
    APPROVED_ANNOTATION, Column, Condition, ConditionStatus, Conversion, ConversionWebhook,
    CustomResourceDefinition, DefinitionVersion, Names, Scale, Scope, ServiceReference,
};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_object::Node;

impl CustomResourceDefinition {
    /// Reads a definition; what is absent, or of another type, is empty.
    pub fn from_node(node: &Node<'_>) -> Self {
        let metadata = node.metadata();
        let spec = |path: &[&str]| node.get("spec").and_then(|spec| spec.find(path));
        let status = |name: &str| node.find(&["status", name]);
        Self {
            name: metadata.name().to_string(),
            group: node.text_at(&["spec", "group"]).to_string(),
            names: spec(&["names"]).map(Names::from_node).unwrap_or_default(),
            scope: match node.text_at(&["spec", "scope"]) {
                "Cluster" => Scope::Cluster,
                _ => Scope::Namespaced,
            },
            versions: items(spec(&["versions"])).iter().map(DefinitionVersion::from_node).collect(),
            conversion: spec(&["conversion"]).map(Conversion::from_node).unwrap_or_default(),
            preserve_unknown_fields: spec(&["preserveUnknownFields"]).and_then(Node::as_bool)
                == Some(true),
            approved: metadata.annotation(APPROVED_ANNOTATION).unwrap_or_default().to_string(),
            is_deleting: !metadata.deletion_timestamp().is_empty(),
            conditions: items(status("conditions")).iter().map(Condition::from_node).collect(),
            accepted_names: status("acceptedNames").map(Names::from_node).unwrap_or_default(),
            stored_versions: texts(status("storedVersions")),
        }
    }
}

fn items<'n, 't>(node: Option<&'n Node<'t>>) -> &'n [Node<'t>] {
    node.map(Node::items).unwrap_or_default()
}

fn text(node: &Node<'_>, name: &str) -> String {
    node.text_at(&[name]).to_string()
}

pub(crate) fn texts(node: Option<&Node<'_>>) -> Vec<String> {
    items(node).iter().map(|item| item.text().unwrap_or_default().to_string()).collect()
}

fn optional_text(node: &Node<'_>, name: &str) -> Option<String> {
    node.get(name).and_then(Node::text).map(ToString::to_string)
}

fn truth(node: &Node<'_>, name: &str) -> bool {
    node.get(name).and_then(Node::as_bool) == Some(true)
}

impl Names {
    /// Reads `names` or `acceptedNames`.
    pub fn from_node(node: &Node<'_>) -> Self {
        Self {
            plural: text(node, "plural"),
            singular: text(node, "singular"),
            short_names: texts(node.get("shortNames")),
            kind: text(node, "kind"),
            list_kind: text(node, "listKind"),
            categories: texts(node.get("categories")),
        }
    }

    /// The tree of these names; what may be left out is left out if it is empty.
    pub fn to_node(&self) -> Node<'static> {
        let list = |texts: &[String]| Node::list(texts.iter().cloned().map(Node::string).collect());
        let text = |text: &String| Node::string(text.clone());
        let members = [
            ("plural", true, text(&self.plural)),
            ("singular", !self.singular.is_empty(), text(&self.singular)),
            ("shortNames", !self.short_names.is_empty(), list(&self.short_names)),
            ("kind", true, text(&self.kind)),
            ("listKind", !self.list_kind.is_empty(), text(&self.list_kind)),
            ("categories", !self.categories.is_empty(), list(&self.categories)),
        ];
        let written = members.into_iter().filter(|member| member.1);
        Node::map(written.map(|(name, _, node)| (name, node)))
    }
}

impl DefinitionVersion {
    /// Reads a version.
    pub fn from_node(node: &Node<'_>) -> Self {
        let subresources = |name: &str| {
            node.find(&["subresources", name]).filter(|subresource| !subresource.is_null())
        };
        Self {
            name: text(node, "name"),
            served: truth(node, "served"),
            storage: truth(node, "storage"),
            deprecated: truth(node, "deprecated"),
            deprecation_warning: optional_text(node, "deprecationWarning"),
            has_status: subresources("status").is_some(),
            scale: subresources("scale").map(|scale| Scale {
                spec_replicas_path: text(scale, "specReplicasPath"),
                status_replicas_path: text(scale, "statusReplicasPath"),
                label_selector_path: optional_text(scale, "labelSelectorPath"),
            }),
            columns: items(node.get("additionalPrinterColumns"))
                .iter()
                .map(Column::from_node)
                .collect(),
            selectable_fields: items(node.get("selectableFields"))
                .iter()
                .map(|field| text(field, "jsonPath"))
                .collect(),
            has_schema: node
                .find(&["schema", "openAPIV3Schema"])
                .is_some_and(|schema| !schema.is_null()),
        }
    }
}

impl Column {
    /// Reads a printer column.
    pub fn from_node(node: &Node<'_>) -> Self {
        Self {
            name: text(node, "name"),
            column_type: text(node, "type"),
            format: text(node, "format"),
            description: text(node, "description"),
            priority: node.get("priority").and_then(Node::as_int).unwrap_or_default(),
            json_path: text(node, "jsonPath"),
        }
    }
}

impl Conversion {
    fn from_node(node: &Node<'_>) -> Self {
        if node.text_at(&["strategy"]) != "Webhook" {
            return Self::None;
        }
        let client = node.find(&["webhook", "clientConfig"]);
        let member = |name: &str| client.and_then(|client| client.get(name));
        Self::Webhook(ConversionWebhook {
            url: client.and_then(|client| optional_text(client, "url")),
            service: member("service").filter(|node| !node.is_null()).map(|service| {
                ServiceReference {
                    namespace: text(service, "namespace"),
                    name: text(service, "name"),
                    path: optional_text(service, "path"),
                    port: service.get("port").and_then(Node::as_int).unwrap_or(443),
                }
            }),
            ca_bundle: member("caBundle").and_then(Node::text).unwrap_or_default().to_string(),
            review_versions: texts(node.find(&["webhook", "conversionReviewVersions"])),
        })
    }
}

impl Condition {
    fn from_node(node: &Node<'_>) -> Self {
        Self {
            condition_type: text(node, "type").into(),
            status: match node.text_at(&["status"]) {
                "True" => ConditionStatus::True,
                "False" => ConditionStatus::False,
                _ => ConditionStatus::Unknown,
            },
            reason: text(node, "reason").into(),
            message: text(node, "message"),
        }
    }
}
