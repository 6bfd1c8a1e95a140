//! Transitive closure of the definitions that some resources need.

use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use ratchet_object::Node;
use ratchet_object::schema::{self, KINDS, Shape, TYPES, TypeRow};

use super::machinery::{self, LIST_META, STATUS};
use super::published::{CustomSchemas, Published};
use super::types::{Body, Definition, Field, MergeRules, OwnedKind, Text, Ty};
use crate::descriptions::{Descriptions, descriptions_of};
use crate::resources::{GroupVersionKind, Resource};

/// The source of a definition, which is built when it is written.
#[derive(Clone, Copy)]
enum Source<'r, 'k> {
    /// A type of the schema.
    Type(&'static TypeRow),
    /// A type of requests and responses, or one that is not a plain object.
    Machinery,
    /// A list of objects of this kind.
    List(GroupVersionKind<'k>),
    /// A kind without a schema.
    Unknown(GroupVersionKind<'k>),
    /// A schema of a kind that is defined at run time.
    Custom(&'r Node<'static>),
}

/// The ids of all needed definitions, sorted, and their sources.
pub(crate) struct Closure<'r, 'k> {
    sources: BTreeMap<String, Source<'r, 'k>>,
}

/// The id of the definition of a kind.
pub(crate) fn kind_id(gvk: GroupVersionKind<'_>) -> String {
    match schema::kind(gvk.group, gvk.version, gvk.kind) {
        Some(row) => schema::type_of(row.ty).id.into(),
        None => {
            let mut id = String::new();
            for part in gvk.group.rsplit('.').filter(|part| !part.is_empty()) {
                id.push_str(part);
                id.push('.');
            }
            format!("{id}{}.{}", gvk.version, gvk.kind)
        }
    }
}

/// The id of the definition of a list of a kind.
pub(crate) fn list_id(gvk: GroupVersionKind<'_>) -> String {
    kind_id(gvk) + "List"
}

impl<'r, 'k: 'r> Closure<'r, 'k> {
    /// The definitions that these resources need.
    pub(crate) fn of(published: &[Published<'r, 'k>]) -> Self {
        let mut closure = Self { sources: BTreeMap::new() };
        for id in [machinery::DELETE_OPTIONS, machinery::PATCH, STATUS] {
            closure.machinery(id);
        }
        for Published { resource, schemas } in published {
            if schemas.is_none() {
                closure.machinery(machinery::API_RESOURCE_LIST);
                if resource.allows("watch") {
                    closure.machinery(machinery::WATCH_EVENT);
                }
            }
            match schemas {
                Some(schemas) => {
                    closure.custom(resource, schemas);
                    closure.types(object_meta());
                    closure.machinery(LIST_META);
                }
                None => {
                    closure.kind(resource.gvk());
                    if resource.allows("list") {
                        closure.machinery(LIST_META);
                        let list = Source::List(resource.gvk());
                        closure.sources.insert(list_id(resource.gvk()), list);
                    }
                }
            }
            for below in resource.subresources.iter().filter(|below| !below.connects()) {
                let gvk = below.gvk(resource);
                if schemas.is_none() || gvk != resource.gvk() {
                    closure.kind(gvk);
                }
            }
        }
        closure
    }

    /// The same and the definitions of the documents about the server.
    pub(crate) fn with_server(mut self) -> Self {
        for id in [
            machinery::API_GROUP,
            machinery::API_GROUP_LIST,
            machinery::API_VERSIONS,
            machinery::VERSION_INFO,
        ] {
            self.machinery(id);
        }
        self
    }

    /// The schemas of resources that are defined at run time, without what they need besides.
    pub(crate) fn of_custom(published: &[Published<'r, 'k>]) -> Self {
        let mut closure = Self { sources: BTreeMap::new() };
        for Published { resource, schemas } in published {
            if let Some(schemas) = schemas {
                closure.custom(resource, schemas);
            }
        }
        closure
    }

    fn custom(&mut self, resource: &Resource<'_>, schemas: &'r CustomSchemas) {
        self.sources.insert(kind_id(resource.gvk()), Source::Custom(&schemas.object));
        self.sources.insert(schemas.list_id.clone(), Source::Custom(&schemas.list));
    }

    fn kind(&mut self, gvk: GroupVersionKind<'k>) {
        match schema::kind(gvk.group, gvk.version, gvk.kind) {
            Some(row) => self.types(schema::type_of(row.ty)),
            None => {
                self.sources.insert(kind_id(gvk), Source::Unknown(gvk));
                self.types(object_meta());
            }
        }
    }

    /// Adds a type and all types it refers to; a type may refer to itself.
    fn types(&mut self, ty: &'static TypeRow) {
        if self.sources.contains_key(ty.id) {
            return;
        }
        self.sources.insert(ty.id.into(), Source::Type(ty));
        for field in ty.fields {
            match innermost(field.shape) {
                Shape::Object(index) => self.types(schema::type_of(index)),
                leaf => {
                    if let Some(id) = of_shape(leaf, ty.id, field.name).referenced_id() {
                        self.machinery(id);
                    }
                }
            }
        }
    }

    fn machinery(&mut self, id: &str) {
        if self.sources.contains_key(id) {
            return;
        }
        self.sources.insert(id.into(), Source::Machinery);
        for field in machinery::fields(id).unwrap_or_default() {
            if let Some(id) = field.ty.referenced_id() {
                self.machinery(id);
            }
        }
    }

    /// Builds each definition in turn, and passes it on with its id.
    pub(crate) fn each(
        &self,
        rules: Option<MergeRules<'_>>,
        mut then: impl FnMut(&str, &Definition<'r>),
    ) {
        for (id, source) in &self.sources {
            let definition = match *source {
                Source::Type(ty) => of_type(ty, rules),
                Source::Machinery => of_machinery(id),
                Source::List(gvk) => of_list(gvk),
                Source::Unknown(gvk) => of_unknown(gvk),
                Source::Custom(schema) => Definition {
                    body: Body::Schema(schema),
                    description: Cow::Borrowed(""),
                    kinds: Vec::new(),
                },
            };
            then(id, &definition);
        }
    }
}

fn object_meta() -> &'static TypeRow {
    let id = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
    let index = TYPES.binary_search_by(|row| row.id.cmp(id)).unwrap_or(usize::MAX);
    schema::type_of(u16::try_from(index).unwrap_or(u16::MAX))
}

fn of_type<'k>(ty: &'static TypeRow, rules: Option<MergeRules<'_>>) -> Definition<'k> {
    let descriptions = descriptions_of(ty.id);
    let fields = ty.fields.iter().map(|field| Field {
        name: field.name,
        ty: of_shape(field.shape, ty.id, field.name),
        description: descriptions.field(field.name),
        required: machinery::is_required(ty.id, field.name).unwrap_or(field.required),
        merge: rules.and_then(|rules| rules(ty.id, field.name)),
    });
    let kinds = KINDS.iter().filter(|row| core::ptr::eq(schema::type_of(row.ty), ty));
    let kinds = kinds.map(|row| GroupVersionKind {
        group: row.group,
        version: row.version,
        kind: row.kind,
    });
    let kinds = kinds.map(OwnedKind::from);
    Definition {
        body: Body::Object(fields.collect()),
        description: descriptions.text(),
        kinds: kinds.collect(),
    }
}

fn of_machinery<'k>(id: &str) -> Definition<'k> {
    let descriptions = descriptions_of(id);
    let body = match (machinery::leaf(id), machinery::fields(id)) {
        (Some(leaf), _) => Body::Leaf(leaf),
        (None, Some(fields)) => Body::Object(described(fields, descriptions)),
        (None, None) => Body::Open,
    };
    let kinds = machinery::kind(id).map(|kind| GroupVersionKind { group: "", version: "v1", kind });
    let kinds = kinds.map(OwnedKind::from);
    Definition { body, description: descriptions.text(), kinds: kinds.into_iter().collect() }
}

fn described(mut fields: Vec<Field>, descriptions: Descriptions) -> Vec<Field> {
    for field in &mut fields {
        field.description = descriptions.field(field.name);
    }
    fields
}

fn of_list(of: GroupVersionKind<'_>) -> Definition<'_> {
    let field = |name, ty, description: Text, required| Field {
        name,
        ty,
        description,
        required,
        merge: None,
    };
    let shared = descriptions_of("");
    let items = Ty::Ref(Cow::Owned(kind_id(of))).list();
    let row = schema::kind(of.group, of.version, of.kind);
    let listed = Cow::Owned(format!("List of {}.", row.map_or(of.kind, |row| row.plural)));
    let fields = Vec::from([
        field("apiVersion", Ty::STRING, shared.field("apiVersion"), false),
        field("items", items, listed, true),
        field("kind", Ty::STRING, shared.field("kind"), false),
        field("metadata", Ty::Ref(Cow::Borrowed(LIST_META)), Cow::Borrowed("Of the list."), false),
    ]);
    Definition {
        body: Body::Object(fields),
        description: Cow::Owned(format!("{0}List is a list of {0} objects.", of.kind)),
        kinds: Vec::from([OwnedKind {
            group: of.group,
            version: of.version,
            kind: Cow::Owned(format!("{}List", of.kind)),
        }]),
    }
}

fn of_unknown(gvk: GroupVersionKind<'_>) -> Definition<'_> {
    Definition {
        body: Body::Open,
        description: Cow::Owned(gvk.kind.to_string() + " has no schema."),
        kinds: Vec::from([gvk.into()]),
    }
}

/// The element type of lists and maps.
fn innermost(shape: Shape) -> Shape {
    match shape {
        Shape::List(inner) | Shape::Map(inner) => innermost(*inner),
        other => other,
    }
}

fn of_shape(shape: Shape, type_id: &str, field: &str) -> Ty {
    let by_id = |id| Ty::Ref(Cow::Borrowed(id));
    match shape {
        Shape::String => Ty::STRING,
        Shape::Bytes => Ty::Plain("string", "byte"),
        Shape::Int32 => Ty::Plain("integer", "int32"),
        Shape::Int64 => Ty::Plain("integer", "int64"),
        Shape::Float => Ty::Plain("number", "double"),
        Shape::Bool => Ty::Plain("boolean", ""),
        Shape::Time => by_id(machinery::TIME),
        Shape::MicroTime => by_id(machinery::MICRO_TIME),
        Shape::Quantity => by_id(machinery::QUANTITY),
        Shape::IntOrString => by_id(machinery::INT_OR_STRING),
        Shape::Any | Shape::OneOf(_) => by_id(machinery::behind_any(type_id, field)),
        Shape::Object(index) => by_id(schema::type_of(index).id),
        Shape::List(inner) => of_shape(*inner, type_id, field).list(),
        Shape::Map(inner) => Ty::Map(of_shape(*inner, type_id, field).into()),
    }
}
