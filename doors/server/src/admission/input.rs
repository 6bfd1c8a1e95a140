//! `AdmissionInput`: operation, kind and objects of one request, as policies and webhooks see them.

use super::attributes::subresource_of;
use super::plugin::Subject;
use super::scope::AdmissionScope;
use crate::app::resource_request::ResourceRequest;
use crate::request::Params;
use crate::request::options::{DeleteOptions, DeleteScope, options_node};
use crate::status::StatusError;
use crate::storage::convert::SCALE;
use ratchet_engine::{Change, Part};
use ratchet_object::{Members, Node, Value};
use ratchet_pipeline::{BuiltInType, ObjectType};
use ratchet_policy::{Attributes, GroupVersionKind, GroupVersionResource, Operation};

/// What is done to which object, and how it was asked for.
pub(super) struct AdmissionInput<'a> {
    pub(super) scope: AdmissionScope<'a>,
    pub(super) operation: Operation,
    pub(super) kind: GroupVersionKind<'a>,
    pub(super) subresource: &'a str,
    pub(super) name: String,
    pub(super) object: Option<Node<'static>>,
    pub(super) old: Option<Node<'static>>,
    pub(super) options: Option<Node<'static>>,
    pub(super) dry_run: bool,
}

impl<'a> AdmissionInput<'a> {
    /// What validating admission sees; none if it has seen it in another form, or does not see it at all.
    pub(super) fn of(subject: &Subject<'a>) -> Result<Option<Self>, StatusError> {
        match *subject {
            Subject::Change { request, change, .. } => Self::of_change(request, change),
            Subject::Deletion { request, old, options } => {
                Ok(Self::of_deletion(request, old, options))
            }
            Subject::Body { request, kind, object } => {
                Ok(Some(Self::of_body(request, kind, object.clone().into_owned())))
            }
            Subject::Connect { scope, kind, options } => {
                Ok(Some(Self::of_connect(*scope, kind, options.clone().into_owned())))
            }
        }
    }

    /// A valid change.
    fn of_change(
        request: &'a ResourceRequest<'a>,
        change: &Change<'_>,
    ) -> Result<Option<Self>, StatusError> {
        // The Binding has been seen already, as a body.
        if change.part == Part::Sub("binding") {
            return Ok(None);
        }
        let (subresource, operation) = match change.is_create() {
            true => ("", Operation::Create),
            false => (subresource_of(change.part).0, Operation::Update),
        };
        let mut object = change.new_object().node().clone().into_owned();
        let mut old = change.old_object().map(|old| old.node().clone().into_owned());
        if change.part == Part::Main {
            // The reference allocates before policies run. The allocation here is dropped, and the commit may choose
            // another one: policies only depend on its presence and range.
            let dry_run = is_dry_run(request.params);
            request.app.services().claim(
                request.resource.strategy(),
                &mut object,
                old.as_ref(),
                dry_run,
            )?;
        }
        // Policies see the canonical form.
        canonicalize(request.resource.object_type().as_ref(), &mut object);
        let mut kind = request.resource.row().gvk();
        if change.part == Part::Sub("scale") {
            object = request.resource.scale_of(&object);
            old = old.as_ref().map(|old| request.resource.scale_of(old));
            kind = SCALE;
        }
        let name = match request.path.name.as_str() {
            "" => object.text_at(&["metadata", "name"]).to_owned(),
            named => named.to_owned(),
        };
        Ok(Some(Self {
            scope: AdmissionScope::of(request),
            operation,
            kind,
            subresource,
            name,
            object: Some(object),
            old,
            options: Some(write_options(request.params, operation)),
            dry_run: is_dry_run(request.params),
        }))
    }

    /// A new object, or a new state of one, before it is validated; the object itself is not in it.
    pub(super) fn of_write(
        request: &'a ResourceRequest<'a>,
        (part, operation): (&'a str, Operation),
        object: &Node<'_>,
        old: Option<&Node<'_>>,
    ) -> Self {
        let name = match request.path.name.as_str() {
            "" => object.text_at(&["metadata", "name"]).to_owned(),
            named => named.to_owned(),
        };
        let is_scale = part == "scale";
        let old = old.map(|old| old.clone().into_owned());
        Self {
            scope: AdmissionScope::of(request),
            operation,
            kind: if is_scale { SCALE } else { request.resource.row().gvk() },
            subresource: part,
            name,
            object: None,
            old: if is_scale {
                old.as_ref().map(|old| request.resource.scale_of(old))
            } else {
                old
            },
            options: Some(write_options(request.params, operation)),
            dry_run: is_dry_run(request.params),
        }
    }

    /// The body of a subresource, or of a review: it is not stored.
    pub(super) fn of_body(
        request: &'a ResourceRequest<'a>,
        kind: GroupVersionKind<'a>,
        mut object: Node<'static>,
    ) -> Self {
        set_type(&mut object, kind);
        if let Some(built_in) = BuiltInType::of(kind) {
            canonicalize(&built_in, &mut object);
        }
        Self {
            scope: AdmissionScope::of(request),
            operation: Operation::Create,
            kind,
            subresource: &request.path.subresource,
            name: request.path.name.clone(),
            object: Some(object),
            old: None,
            options: Some(write_options(request.params, Operation::Create)),
            dry_run: is_dry_run(request.params),
        }
    }

    /// A deletion; none if it belongs to another request.
    pub(super) fn of_deletion(
        request: &'a ResourceRequest<'a>,
        old: &Node<'static>,
        options: &DeleteOptions,
    ) -> Option<Self> {
        let name = match options.scope {
            DeleteScope::None => return None,
            // The reference passes no names for a deletion of a collection.
            DeleteScope::Collection => "",
            DeleteScope::Object => request.path.name.as_str(),
        };
        let kind = request.resource.row().gvk();
        let mut old = old.clone();
        request.resource.convert_stored(&mut old);
        set_type(&mut old, kind);
        Some(Self {
            scope: AdmissionScope::of(request),
            operation: Operation::Delete,
            kind,
            subresource: "",
            name: name.to_owned(),
            object: None,
            old: Some(old),
            options: Some(options.node()),
            dry_run: options.dry_run,
        })
    }

    /// A connection.
    pub(super) fn of_connect(
        scope: AdmissionScope<'a>,
        kind: &'a str,
        mut options: Node<'static>,
    ) -> Self {
        let kind = GroupVersionKind { group: "", version: "v1", kind };
        set_type(&mut options, kind);
        Self {
            scope,
            operation: Operation::Connect,
            kind,
            subresource: &scope.path.subresource,
            name: scope.path.name.clone(),
            object: Some(options),
            old: None,
            options: None,
            dry_run: false,
        }
    }

    /// The admission attributes.
    pub(super) fn attributes(&self) -> Attributes<'_> {
        let row = self.scope.resource.row();
        Attributes {
            operation: self.operation,
            kind: self.kind,
            resource: GroupVersionResource {
                group: row.group,
                version: row.version,
                resource: row.plural,
            },
            subresource: self.subresource,
            name: &self.name,
            namespace: self.scope.namespace(),
            object: self.object.as_ref(),
            old: self.old.as_ref(),
            options: self.options.as_ref(),
            user: self.scope.user,
            dry_run: self.dry_run,
        }
    }
}

/// Rewrites an object into the canonical form of a request: what is always written and was sent empty is still empty,
/// while storage does not tell it from what was not sent.
pub(super) fn canonicalize(object_type: &dyn ObjectType, object: &mut Node<'static>) {
    let sent = object.clone();
    object_type.canonicalize(object);
    restore_empty(object, &sent);
}

fn restore_empty(canonical: &mut Node<'static>, sent: &Node<'_>) {
    match (&mut canonical.value, &sent.value) {
        (value @ Value::Null, Value::List(items)) if items.is_empty() => {
            *value = Value::List(Vec::new());
        }
        (value @ Value::Null, Value::Map(entries)) if entries.is_empty() => {
            *value = Value::Map(Vec::new());
        }
        (Value::List(items), Value::List(sent)) => {
            items.iter_mut().zip(sent).for_each(|(item, sent)| restore_empty(item, sent));
        }
        (Value::Map(entries), Value::Map(sent)) => {
            let mut members = Members::new(sent);
            for entry in entries {
                if let Some(sent) = members.get(&entry.key) {
                    restore_empty(&mut entry.node, sent);
                }
            }
        }
        _ => {}
    }
}

/// Sets `apiVersion` and `kind`.
pub(super) fn set_type(object: &mut Node<'static>, kind: GroupVersionKind<'_>) {
    let api_version = match kind.group {
        "" => kind.version.to_owned(),
        group => format!("{group}/{}", kind.version),
    };
    object.set("apiVersion", Node::string(api_version));
    object.set("kind", Node::string(kind.kind.to_owned()));
}

fn is_dry_run(params: &Params) -> bool {
    params.all("dryRun").any(|value| value == "All")
}

/// The `CreateOptions` or `UpdateOptions` of a write.
fn write_options(params: &Params, operation: Operation) -> Node<'static> {
    let kind = if operation == Operation::Create { "CreateOptions" } else { "UpdateOptions" };
    let mut node = options_node(kind);
    let dry_run: Vec<Node<'static>> =
        params.all("dryRun").map(|value| Node::string(value.to_owned())).collect();
    if !dry_run.is_empty() {
        node.set("dryRun", Node::list(dry_run));
    }
    for name in ["fieldManager", "fieldValidation"] {
        let value = params.text(name);
        if !value.is_empty() {
            node.set(name, Node::string(value.to_owned()));
        }
    }
    node
}
