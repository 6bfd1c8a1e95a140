//! `WriteRequest`: the create or update that a checked object stands for, as policies see it.

use crate::{Config, FieldValidation};
use ratchet_access::{AUTHENTICATED, MASTERS, User};
use ratchet_object::{Node, Object};
use ratchet_policy::{Attributes, GroupVersionKind, GroupVersionResource, Operation};
use std::borrow::Cow;

/// The default user: the administrator that kubeadm creates.
pub fn administrator() -> User {
    let groups = [MASTERS, AUTHENTICATED].map(str::to_owned).to_vec();
    User { name: "kubernetes-admin".into(), groups, ..User::default() }
}

/// A write without its objects.
pub(super) struct WriteRequest<'a> {
    kind: GroupVersionKind<'a>,
    plural: &'a str,
    name: &'a str,
    namespace: &'a str,
    pub(super) operation: Operation,
    options: Node<'static>,
    user: Cow<'a, User>,
}

impl<'a> WriteRequest<'a> {
    /// The write of an object whose resource is `plural`.
    pub(super) fn new(
        object: &'a Object<'_>,
        (kind, plural): (GroupVersionKind<'a>, &'a str),
        (is_update, is_namespaced): (bool, bool),
        config: &'a Config,
    ) -> Self {
        let operation = if is_update { Operation::Update } else { Operation::Create };
        Self {
            kind,
            plural,
            name: object.name(),
            namespace: if is_namespaced { object.namespace() } else { "" },
            operation,
            options: options(operation, config.field_validation),
            user: match &config.requester {
                Some(user) => Cow::Borrowed(user),
                None => Cow::Owned(administrator()),
            },
        }
    }

    /// The attributes of the request, with its objects as they would be stored.
    pub(super) fn attributes<'s>(
        &'s self,
        object: Option<&'s Node<'s>>,
        old: Option<&'s Node<'s>>,
    ) -> Attributes<'s> {
        let GroupVersionKind { group, version, .. } = self.kind;
        Attributes {
            operation: self.operation,
            kind: self.kind,
            resource: GroupVersionResource { group, version, resource: self.plural },
            subresource: "",
            name: self.name,
            namespace: self.namespace,
            object,
            old,
            options: Some(&self.options),
            user: &self.user,
            dry_run: false,
        }
    }
}

/// The options of a write.
fn options(operation: Operation, validation: FieldValidation) -> Node<'static> {
    let kind = if operation == Operation::Create { "CreateOptions" } else { "UpdateOptions" };
    let validation = match validation {
        FieldValidation::Strict => "Strict",
        FieldValidation::Warn => "Warn",
        FieldValidation::Ignore => "Ignore",
    };
    Node::map([
        ("kind", Node::string(kind)),
        ("apiVersion", Node::string("meta.k8s.io/v1")),
        ("fieldValidation", Node::string(validation)),
    ])
}
