//! A small cluster and helpers to evaluate policies in tests.

use crate::{
    Attributes, Binding, Equivalent, GroupVersionKind, GroupVersionResource, Operation, Policies,
    Policy, PolicyContext, PolicyResult,
};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_access::User;
use ratchet_object::{ClusterReader, Limits, Node, RestMapping, decode};

/// Decodes YAML.
pub(crate) fn node(text: &str) -> Node<'static> {
    decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
}

/// A cluster with two namespaces and a few ConfigMaps.
pub(crate) struct Cluster;

const NAMESPACES: &[(&str, &str)] = &[("test", "env: test"), ("prod", "env: prod")];
const MAPS: &[(&str, &str, &str)] = &[
    ("test", "limits", "most: '3'"),
    ("test", "limits-b", "most: '5'"),
    ("prod", "limits", "most: '9'"),
];

impl ClusterReader for Cluster {
    fn get(
        &self,
        resource: &GroupVersionResource<'_>,
        namespace: &str,
        name: &str,
    ) -> Option<Node<'static>> {
        if resource.resource == "namespaces" {
            let (name, labels) = NAMESPACES.iter().find(|row| row.0 == name)?;
            let text = format!(
                "{{apiVersion: v1, kind: Namespace, metadata: {{name: {name}, labels: {{{labels}}}, managedFields: []}}, spec: {{finalizers: [kubernetes]}}, status: {{phase: Active}}}}"
            );
            return Some(node(&text));
        }
        let all = self.list(resource, namespace, usize::MAX);
        all.into_iter().find(|map| map.metadata().name() == name)
    }

    fn list(
        &self,
        _: &GroupVersionResource<'_>,
        namespace: &str,
        limit: usize,
    ) -> Vec<Node<'static>> {
        let rows = MAPS.iter().filter(|row| row.0 == namespace).take(limit);
        rows.map(|(_, name, data)| {
            node(&format!(
                "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: {name}, labels: {{is: {name}}}}}, data: {{{data}}}}}"
            ))
        })
        .collect()
    }

    fn rest_mapping(&self, kind: &GroupVersionKind<'_>) -> Option<RestMapping> {
        let (resource, namespaced) = match kind.kind {
            "ConfigMap" => ("configmaps", true),
            "Namespace" => ("namespaces", false),
            _ => return None,
        };
        Some(RestMapping { resource: resource.to_string(), namespaced })
    }
}

impl PolicyContext for Cluster {
    fn equivalents(&self, resource: &GroupVersionResource<'_>, _: &str) -> Vec<Equivalent> {
        let both = ["v1", "v2"].map(|version| Equivalent {
            group: "autoscaling".to_string(),
            version: version.to_string(),
            resource: "horizontalpodautoscalers".to_string(),
            kind: (
                "autoscaling".to_string(),
                version.to_string(),
                "HorizontalPodAutoscaler".to_string(),
            ),
        });
        if resource.group == "autoscaling" { both.into() } else { Vec::new() }
    }

    fn converted(&self, object: &Node<'_>, kind: &GroupVersionKind<'_>) -> Option<Node<'static>> {
        let mut node = object.clone().into_owned();
        node.set("apiVersion", Node::string(format!("{}/{}", kind.group, kind.version)));
        Some(node)
    }
}

/// A policy `p` for ConfigMaps on create and update; `spec` is added.
pub(crate) fn policy(spec: &str) -> Arc<Policy> {
    const RULES: &str = "resourceRules: [{apiGroups: [''], apiVersions: [v1], resources: [configmaps], operations: [CREATE, UPDATE]}]";
    let constraints = if spec.contains("matchConstraints") {
        String::new()
    } else {
        format!("matchConstraints: {{{RULES}}},")
    };
    let text = format!("{{metadata: {{name: p}}, spec: {{{constraints} {spec}}}}}");
    Arc::new(Policy::compile(&node(&text), (1, 36)))
}

/// A binding `b` of `p`; `spec` is added.
pub(crate) fn binding(spec: &str) -> Arc<Binding> {
    let spec = if spec.contains("validationActions") {
        spec.to_string()
    } else {
        format!("validationActions: [Deny], {spec}")
    };
    let text = format!("{{metadata: {{name: b}}, spec: {{policyName: p, {spec}}}}}");
    Arc::new(Binding::from_object(&node(&text)))
}

/// The user of the attempts.
pub(crate) fn alice() -> User {
    User { name: "alice".into(), groups: alloc::vec!["devs".into()], ..User::default() }
}

pub(crate) const CONFIG_MAPS: GroupVersionResource<'static> =
    GroupVersionResource { group: "", version: "v1", resource: "configmaps" };
pub(crate) const CONFIG_MAP: GroupVersionKind<'static> =
    GroupVersionKind { group: "", version: "v1", kind: "ConfigMap" };

/// The creation of the ConfigMap `c` in `test`.
pub(crate) fn creation<'a>(user: &'a User, object: &'a Node<'a>) -> Attributes<'a> {
    Attributes {
        operation: Operation::Create,
        kind: CONFIG_MAP,
        resource: CONFIG_MAPS,
        subresource: "",
        name: "c",
        namespace: "test",
        object: Some(object),
        old: None,
        options: None,
        user,
        dry_run: false,
    }
}

/// A ConfigMap `c` with this `data`.
pub(crate) fn map(data: &str) -> Node<'static> {
    node(&format!(
        "{{apiVersion: v1, kind: ConfigMap, metadata: {{name: c, namespace: test, labels: {{a: b}}}}, data: {{{data}}}}}"
    ))
}

/// The result of a policy for a new ConfigMap.
pub(crate) fn judged(policy_spec: &str, binding_spec: &str, data: &str) -> PolicyResult {
    let policies =
        Policies::new(alloc::vec![policy(policy_spec)], alloc::vec![binding(binding_spec)]);
    let (user, object) = (alice(), map(data));
    policies.judge(&creation(&user, &object), &Cluster)
}

/// The messages of all denials.
pub(crate) fn denial_messages(judged: &PolicyResult) -> Vec<&str> {
    judged.denials.iter().map(|denial| denial.words.as_str()).collect()
}
