//! The internal form of a definition: what all versions share stands at the top.

use crate::definition::{Column, DefinitionVersion};
use crate::errors::{json, json_option};
use crate::schema::{JsonSchemaProps, dump};
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::{Node, Span};

/// A schema of objects, which may be absent within what holds it.
#[derive(Debug, PartialEq)]
pub(super) struct Validation {
    pub(super) schema: Option<JsonSchemaProps>,
}

/// `spec` in the form that is validated.
#[derive(Debug)]
pub(super) struct InternalSpec<'n> {
    pub(super) span: Span,
    pub(super) node: Option<&'n Node<'n>>,
    /// The name of the first version.
    pub(super) version: &'n str,
    pub(super) validation: Option<Validation>,
    pub(super) subresources: Option<Subresources>,
    pub(super) columns: Vec<Column>,
    pub(super) selectable_fields: Vec<String>,
    pub(super) versions: Vec<InternalVersion<'n>>,
    /// Whether `versions` is set.
    pub(super) has_versions: bool,
    pub(super) preserve_unknown_fields: bool,
}

/// A version in the form that is validated.
#[derive(Debug)]
pub(super) struct InternalVersion<'n> {
    pub(super) span: Span,
    pub(super) name: &'n str,
    pub(super) served: bool,
    pub(super) storage: bool,
    pub(super) deprecated: bool,
    pub(super) deprecation_warning: Option<String>,
    pub(super) validation: Option<Validation>,
    pub(super) subresources: Option<Subresources>,
    pub(super) columns: Vec<Column>,
    pub(super) selectable_fields: Vec<String>,
}

/// `subresources`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Subresources {
    pub(super) has_status: bool,
    pub(super) scale: Option<crate::definition::Scale>,
}

impl<'n> InternalSpec<'n> {
    pub(super) fn decode(definition: &'n Node<'n>) -> Self {
        let node = definition.get("spec");
        let versions = node.and_then(|spec| spec.get("versions")).filter(|node| !node.is_null());
        let preserve = node.and_then(|spec| spec.get("preserveUnknownFields"));
        let mut spec = Self {
            span: node.map_or(definition.span, |node| node.span),
            node,
            version: "",
            validation: None,
            subresources: None,
            columns: Vec::new(),
            selectable_fields: Vec::new(),
            versions: versions
                .map(Node::items)
                .unwrap_or_default()
                .iter()
                .map(InternalVersion::decode)
                .collect(),
            has_versions: versions.is_some(),
            preserve_unknown_fields: preserve.and_then(Node::as_bool) == Some(true),
        };
        spec.hoist();
        spec
    }

    /// Moves to the top what is equal in all versions.
    fn hoist(&mut self) {
        let Some((first, others)) = self.versions.split_first() else { return };
        let same_schema = others.iter().all(|other| other.validation == first.validation);
        let same_subresources = others.iter().all(|other| other.subresources == first.subresources);
        let same_columns = others.iter().all(|other| other.columns == first.columns);
        let same_fields =
            others.iter().all(|other| other.selectable_fields == first.selectable_fields);
        self.version = first.name;
        let mut is_first = true;
        for version in &mut self.versions {
            if same_schema {
                let validation = version.validation.take();
                self.validation = if is_first { validation } else { self.validation.take() };
            }
            if same_subresources {
                let subresources = version.subresources.take();
                self.subresources = if is_first { subresources } else { self.subresources.take() };
            }
            if same_columns {
                let columns = core::mem::take(&mut version.columns);
                self.columns = if is_first { columns } else { core::mem::take(&mut self.columns) };
            }
            if same_fields {
                let fields = core::mem::take(&mut version.selectable_fields);
                if is_first {
                    self.selectable_fields = fields;
                }
            }
            is_first = false;
        }
    }

    /// The text of a member.
    pub(super) fn text(&self, path: &[&str]) -> &'n str {
        self.node.map(|node| node.text_at(path)).unwrap_or_default()
    }

    /// The schema that all versions share, and those of versions that have their own.
    pub(super) fn schemas(&self) -> impl Iterator<Item = &JsonSchemaProps> {
        let own = self.validation.iter();
        let versions = self.versions.iter().filter_map(|version| version.validation.as_ref());
        own.chain(versions).filter_map(|validation| validation.schema.as_ref())
    }

    /// The schema of a version, wherever it stands.
    pub(super) fn schema_of(&self, name: &str) -> Option<Option<&Validation>> {
        let has_own = self.versions.iter().any(|version| version.validation.is_some());
        if !has_own {
            return Some(self.validation.as_ref());
        }
        let version = self.versions.iter().find(|version| version.name == name)?;
        Some(version.validation.as_ref())
    }

    /// The versions as JSON of their Go type.
    pub(super) fn dump_versions(&self) -> String {
        if !self.has_versions {
            return "null".into();
        }
        let versions: Vec<String> = self.versions.iter().map(InternalVersion::dump).collect();
        alloc::format!("[{}]", versions.join(","))
    }
}

impl<'n> InternalVersion<'n> {
    fn decode(node: &'n Node<'n>) -> Self {
        let view = DefinitionVersion::from_node(node);
        let present = |name: &str| node.get(name).filter(|member| !member.is_null());
        let validation = present("schema").map(|validation| Validation {
            schema: validation
                .get("openAPIV3Schema")
                .filter(|schema| !schema.is_null())
                .map(JsonSchemaProps::decode),
        });
        Self {
            span: node.span,
            name: node.text_at(&["name"]),
            served: view.served,
            storage: view.storage,
            deprecated: view.deprecated,
            deprecation_warning: view.deprecation_warning,
            validation,
            subresources: present("subresources")
                .map(|_| Subresources { has_status: view.has_status, scale: view.scale }),
            columns: view.columns,
            selectable_fields: view.selectable_fields,
        }
    }

    fn dump(&self) -> String {
        let schema = match &self.validation {
            None => "null".into(),
            Some(Validation { schema: None }) => "{\"OpenAPIV3Schema\":null}".into(),
            Some(Validation { schema: Some(schema) }) => {
                alloc::format!("{{\"OpenAPIV3Schema\":{}}}", dump(schema))
            }
        };
        let subresources = self.subresources.as_ref().map_or("null".into(), Subresources::dump);
        let column = |column: &Column| {
            alloc::format!(
                "{{\"Name\":{},\"Type\":{},\"Format\":{},\"Description\":{},\"Priority\":{},\"JSONPath\":{}}}",
                json(&column.name),
                json(&column.column_type),
                json(&column.format),
                json(&column.description),
                column.priority,
                json(&column.json_path)
            )
        };
        let field = |path: &String| alloc::format!("{{\"JSONPath\":{}}}", json(path));
        alloc::format!(
            "{{\"Name\":{},\"Served\":{},\"Storage\":{},\"Deprecated\":{},\"DeprecationWarning\":{},\"Schema\":{schema},\"Subresources\":{subresources},\"AdditionalPrinterColumns\":{},\"SelectableFields\":{}}}",
            json(self.name),
            self.served,
            self.storage,
            self.deprecated,
            json_option(self.deprecation_warning.as_deref()),
            dump_list(&self.columns, column),
            dump_list(&self.selectable_fields, field)
        )
    }
}

impl Subresources {
    fn dump(&self) -> String {
        let status = if self.has_status { "{}" } else { "null" };
        let scale = self.scale.as_ref().map_or("null".into(), |scale| {
            alloc::format!(
                "{{\"SpecReplicasPath\":{},\"StatusReplicasPath\":{},\"LabelSelectorPath\":{}}}",
                json(&scale.spec_replicas_path),
                json(&scale.status_replicas_path),
                json_option(scale.label_selector_path.as_deref())
            )
        });
        alloc::format!("{{\"Status\":{status},\"Scale\":{scale}}}")
    }
}

fn dump_list<T>(items: &[T], dump: impl Fn(&T) -> String) -> String {
    if items.is_empty() {
        return "null".into();
    }
    let items: Vec<String> = items.iter().map(dump).collect();
    alloc::format!("[{}]", items.join(","))
}

/// A string of a type of its own, which Go writes as JSON.
pub(super) fn typed(text: &str) -> String {
    json(text)
}
