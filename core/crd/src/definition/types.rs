//! `CustomResourceDefinition`: a typed view of a definition.

use super::version_order::compare_versions;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

/// A definition without its schemas, which are compiled apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CustomResourceDefinition {
    /// `metadata.name`
    pub name: String,
    /// `spec.group`
    pub group: String,
    /// `spec.names`
    pub names: Names,
    /// `spec.scope`
    pub scope: Scope,
    /// `spec.versions`, as they are written.
    pub versions: Vec<DefinitionVersion>,
    /// `spec.conversion`
    pub conversion: Conversion,
    /// `spec.preserveUnknownFields`
    pub preserve_unknown_fields: bool,
    /// The annotation that says who approved a definition in a group of Kubernetes.
    pub approved: String,
    /// Whether it is being deleted.
    pub is_deleting: bool,
    /// `status.conditions`
    pub conditions: Vec<Condition>,
    /// `status.acceptedNames`
    pub accepted_names: Names,
    /// `status.storedVersions`
    pub stored_versions: Vec<String>,
}

/// The names of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The plural, as in URLs.
    pub plural: String,
    /// The singular, which `kubectl` takes for the plural; the kind in lower case by default.
    pub singular: String,
    /// Abbreviations that `kubectl` takes for the plural.
    pub short_names: Vec<String>,
    /// The kind of objects.
    pub kind: String,
    /// The kind of lists; that of objects with `List` behind it by default.
    pub list_kind: String,
    /// Categories, such as `all`.
    pub categories: Vec<String>,
}

/// Whether objects belong to namespaces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// They do.
    #[default]
    Namespaced,
    /// They do not.
    Cluster,
}

/// One of `spec.versions`, without its schema.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefinitionVersion {
    /// `name`
    pub name: String,
    /// `served`
    pub served: bool,
    /// `storage`
    pub storage: bool,
    /// `deprecated`
    pub deprecated: bool,
    /// `deprecationWarning`
    pub deprecation_warning: Option<String>,
    /// `subresources.status`
    pub has_status: bool,
    /// `subresources.scale`
    pub scale: Option<Scale>,
    /// `additionalPrinterColumns`
    pub columns: Vec<Column>,
    /// `selectableFields[].jsonPath`
    pub selectable_fields: Vec<String>,
    /// Whether it has a schema.
    pub has_schema: bool,
}

/// The paths of the `scale` subresource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scale {
    /// `specReplicasPath`
    pub spec_replicas_path: String,
    /// `statusReplicasPath`
    pub status_replicas_path: String,
    /// `labelSelectorPath`
    pub label_selector_path: Option<String>,
}

/// A printer column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// `name`
    pub name: String,
    /// `type`
    pub column_type: String,
    /// `format`
    pub format: String,
    /// `description`
    pub description: String,
    /// `priority`
    pub priority: i64,
    /// `jsonPath`
    pub json_path: String,
}

/// How objects are converted between versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Conversion {
    /// Only `apiVersion` changes.
    #[default]
    None,
    /// By a webhook.
    Webhook(ConversionWebhook),
}

/// Where the webhook is that converts objects, and which reviews it reads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConversionWebhook {
    /// `clientConfig.url`
    pub url: Option<String>,
    /// `clientConfig.service`
    pub service: Option<ServiceReference>,
    /// `clientConfig.caBundle`, in base64 as it is written.
    pub ca_bundle: String,
    /// `conversionReviewVersions`
    pub review_versions: Vec<String>,
}

/// The Service of a webhook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServiceReference {
    /// `namespace`
    pub namespace: String,
    /// `name`
    pub name: String,
    /// `path`
    pub path: Option<String>,
    /// `port`
    pub port: i64,
}

/// A condition of a definition, without the time of its last transition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// `type`
    pub condition_type: Cow<'static, str>,
    /// `status`
    pub status: ConditionStatus,
    /// `reason`
    pub reason: Cow<'static, str>,
    /// `message`
    pub message: String,
}

/// Whether a condition holds: `True`, `False` or `Unknown`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionStatus {
    /// It holds.
    True,
    /// It does not.
    False,
    /// Nobody knows.
    Unknown,
}

impl ConditionStatus {
    /// Its name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

impl CustomResourceDefinition {
    /// The version of a name.
    pub fn version(&self, name: &str) -> Option<&DefinitionVersion> {
        self.versions.iter().find(|version| version.name == name)
    }

    /// The version in which objects are stored.
    pub fn storage_version(&self) -> Option<&DefinitionVersion> {
        self.versions.iter().find(|version| version.storage)
    }

    /// The versions that are served, the preferred one first.
    pub fn served_versions(&self) -> Vec<&DefinitionVersion> {
        let mut served: Vec<&DefinitionVersion> =
            self.versions.iter().filter(|version| version.served).collect();
        served.sort_by(|one, other| compare_versions(&one.name, &other.name));
        served
    }

    /// Whether a condition is true.
    pub fn is_true(&self, condition_type: &str) -> bool {
        let condition =
            self.conditions.iter().find(|condition| condition.condition_type == condition_type);
        condition.is_some_and(|condition| condition.status == ConditionStatus::True)
    }

    /// Whether its objects are served.
    pub fn is_established(&self) -> bool {
        self.is_true("Established")
    }

    /// The warning that every request of a deprecated version is answered with.
    pub fn deprecation_warning(&self, version: &DefinitionVersion) -> Option<String> {
        if !version.deprecated {
            return None;
        }
        if let Some(warning) = &version.deprecation_warning {
            return Some(warning.clone());
        }
        let (group, kind) = (&self.group, &self.names.kind);
        let mut warning = alloc::format!("{group}/{} {kind} is deprecated", version.name);
        let served = self.served_versions();
        // The first that is not deprecated, if it has a higher priority.
        let newer = served.iter().take_while(|other| other.name != version.name);
        if let Some(newer) = newer.into_iter().find(|other| !other.deprecated) {
            warning.push_str(&alloc::format!("; use {group}/{} {kind}", newer.name));
        }
        Some(warning)
    }
}
