//! A fake cluster for tests.

use crate::{Attributes, Denial, Operation, PluginContext, Subject};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_access::User;
use ratchet_object::{
    ClusterReader, GroupVersionKind, GroupVersionResource, Limits, Node, RestMapping, decode,
};

/// Decodes YAML.
pub(crate) fn node(text: &str) -> Node<'static> {
    decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
}

/// Objects by `resource.group`, allowed attempts, and the subject of certificate requests.
#[derive(Default)]
pub(crate) struct Fake {
    pub(crate) objects: Vec<(String, Node<'static>)>,
    /// `verb resource name`.
    pub(crate) allowed: Vec<String>,
    pub(crate) subject: Option<Subject>,
}

impl Fake {
    /// The same cluster with these objects of one resource.
    pub(crate) fn with(self, group: &str, resource: &str, texts: &[&str]) -> Self {
        texts.iter().fold(self, |mut fake, text| {
            fake.objects.push((format!("{resource}.{group}"), node(text)));
            fake
        })
    }

    /// The same cluster with something allowed.
    pub(crate) fn allowing(mut self, permission: &str) -> Self {
        self.allowed.push(permission.to_string());
        self
    }
}

impl ClusterReader for Fake {
    fn get(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        name: &str,
    ) -> Option<Node<'static>> {
        let mut all = self.list(resource, namespace, usize::MAX).into_iter();
        all.find(|node| node.metadata().name() == name)
    }

    fn list(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        limit: usize,
    ) -> Vec<Node<'static>> {
        let key = format!("{}.{}", resource.resource, resource.group);
        let of_it = self
            .objects
            .iter()
            .filter(|(other, node)| *other == key && node.metadata().namespace() == namespace);
        of_it.map(|(_, node)| node.clone()).take(limit).collect()
    }

    fn rest_mapping(&self, kind: &GroupVersionKind<'_>) -> Option<RestMapping> {
        let mapping = RestMapping { resource: "replicasets".to_string(), namespaced: true };
        (kind.kind == "ReplicaSet").then_some(mapping)
    }
}

impl PluginContext for Fake {
    fn decide(&self, attributes: &ratchet_access::Attributes<'_>) -> Result<(), String> {
        let resource = attributes.resource().unwrap();
        let slash = if resource.subresource.is_empty() { "" } else { "/" };
        let permission = format!(
            "{} {}{slash}{} {}",
            attributes.verb, resource.resource, resource.subresource, resource.name
        );
        if self.allowed.contains(&permission) { Ok(()) } else { Err(String::new()) }
    }

    fn subject_of(&self, _: &str) -> Result<Subject, String> {
        self.subject.clone().ok_or_else(|| "PEM block type must be CERTIFICATE REQUEST".into())
    }

    fn suffix(&self) -> String {
        "abcde".into()
    }
}

/// A user with groups.
pub(crate) fn user(name: &str, groups: &[&str]) -> User {
    User {
        name: name.into(),
        groups: groups.iter().map(ToString::to_string).collect(),
        ..User::default()
    }
}

/// The attributes of a request in the namespace `ns`.
pub(crate) fn attributes<'a>(
    operation: Operation,
    group: &'a str,
    resource: &'a str,
    user: &'a User,
    old: Option<&'a Node<'a>>,
) -> Attributes<'a> {
    Attributes {
        operation,
        group,
        version: "v1",
        resource,
        subresource: "",
        namespace: "ns",
        name: "x",
        user,
        minor: 36,
        old,
    }
}

/// The message of a refusal.
pub(crate) fn text(result: Result<(), Denial>) -> String {
    match result {
        Err(Denial::Forbidden(text) | Denial::ForbiddenBecause(text, _)) => text,
        other => format!("{other:?}"),
    }
}
