//! `Configuration`: all FlowSchemas and priority levels, compiled; it classifies requests.

use crate::bootstrap::{Bootstrap, bootstrap_objects};
use crate::flow_schema::FlowSchema;
use crate::priority_level::{EXEMPT, PriorityLevel};
use alloc::vec::Vec;
use ratchet_access::Attributes;
use ratchet_object::Node;

/// The name of the FlowSchema and of the level for what nothing else matches.
const CATCH_ALL: &str = "catch-all";

/// The FlowSchemas in the order in which they are tried, and their priority levels. The mandatory ones are always there.
#[derive(Clone, Debug)]
pub struct Configuration {
    schemas: Vec<FlowSchema>,
    levels: Vec<PriorityLevel>,
}

impl Configuration {
    /// Compiles stored FlowSchemas and PriorityLevelConfigurations. A schema without its level is not used.
    pub fn new<'n, 't: 'n>(
        schemas: impl IntoIterator<Item = &'n Node<'t>>,
        levels: impl IntoIterator<Item = &'n Node<'t>>,
    ) -> Self {
        let mut levels: Vec<_> = levels.into_iter().filter_map(PriorityLevel::from_node).collect();
        let mandatory: Vec<_> =
            bootstrap_objects().into_iter().filter(|object| object.is_mandatory).collect();
        let missing = |kind: &str, name: &str, is_there: bool| {
            let is_it = |object: &&Bootstrap| {
                object.node.text_at(&["kind"]) == kind && object.node.metadata().name() == name
            };
            mandatory.iter().find(is_it).filter(|_| !is_there).map(|object| &object.node)
        };
        for name in [EXEMPT, CATCH_ALL] {
            let is_there = levels.iter().any(|level| level.name == name);
            let level = missing("PriorityLevelConfiguration", name, is_there);
            levels.extend(level.and_then(PriorityLevel::from_node));
        }
        levels.sort_by(|one, other| one.name.cmp(&other.name));
        let with_level = |mut schema: FlowSchema| {
            let name = schema.level_name.as_str();
            schema.level = levels.binary_search_by(|level| level.name.as_str().cmp(name)).ok()?;
            Some(schema)
        };
        let compiled = schemas.into_iter().map(FlowSchema::from_node);
        let mut schemas: Vec<_> = compiled.filter_map(with_level).collect();
        schemas.sort_by(|one, other| {
            one.precedence.cmp(&other.precedence).then_with(|| one.name.cmp(&other.name))
        });
        let own = |name: &str, is_there: bool| {
            missing("FlowSchema", name, is_there).map(FlowSchema::from_node).and_then(with_level)
        };
        let is_there = |name: &str| schemas.iter().any(|schema| schema.name == name);
        let (exempt, catch_all) =
            (own(EXEMPT, is_there(EXEMPT)), own(CATCH_ALL, is_there(CATCH_ALL)));
        // Whatever the stored ones say, these two stay at the ends.
        let schemas = exempt.into_iter().chain(schemas).chain(catch_all).collect();
        Self { schemas, levels }
    }

    /// The schemas in the order in which they are tried.
    pub fn schemas(&self) -> &[FlowSchema] {
        &self.schemas
    }

    /// The priority levels, by name.
    pub fn levels(&self) -> &[PriorityLevel] {
        &self.levels
    }

    /// The index of the first schema that matches a request; if none does, that of the one for all others.
    pub fn classify_index(&self, request: &Attributes<'_>) -> usize {
        let found = self.schemas.iter().position(|schema| schema.matches(request));
        let fallback = || self.schemas.iter().position(|schema| schema.name == CATCH_ALL);
        found.or_else(fallback).unwrap_or_default()
    }

    /// The first schema that matches a request; if none does, the one for all others.
    #[allow(clippy::indexing_slicing, reason = "the mandatory schemas are always there")]
    pub fn classify(&self, request: &Attributes<'_>) -> &FlowSchema {
        &self.schemas[self.classify_index(request)]
    }

    /// The priority level of a schema of this configuration.
    #[allow(clippy::indexing_slicing, reason = "a schema without a level is not kept")]
    pub fn level_of(&self, schema: &FlowSchema) -> &PriorityLevel {
        &self.levels[schema.level]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::borrow::ToOwned;
    use alloc::string::String;
    use ratchet_access::{Resource, Target, User};
    use ratchet_object::{Limits, decode};

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).expect("YAML").documents.remove(0).into_owned()
    }

    fn stored(kind: &str) -> Vec<Node<'static>> {
        let objects = bootstrap_objects().into_iter().map(|object| object.node);
        objects.filter(|node| node.text_at(&["kind"]) == kind).collect()
    }

    fn classified(
        configuration: &Configuration,
        name: &str,
        groups: &[&str],
        target: Target<'_>,
    ) -> String {
        let groups = groups.iter().map(|group| (*group).to_owned()).collect();
        let user = User { name: name.into(), groups, ..User::default() };
        let schema = configuration.classify(&Attributes { user: &user, verb: "get", target });
        alloc::format!("{} {}", schema.name, configuration.level_of(schema).name)
    }

    #[test]
    fn the_suggested_schemas_part_the_traffic_of_a_cluster() {
        let (schemas, levels) = (stored("FlowSchema"), stored("PriorityLevelConfiguration"));
        let configuration = Configuration::new(&schemas, &levels);
        assert_eq!((configuration.schemas().len(), configuration.levels().len()), (11, 8));
        let all = "system:authenticated";
        let resource = |group, resource| {
            Target::Resource(Resource { group, resource, namespace: "n", ..Resource::default() })
        };
        let (pods, leases) = (resource("", "pods"), resource("coordination.k8s.io", "leases"));
        let nodes = Target::Resource(Resource {
            resource: "nodes",
            subresource: "status",
            ..Resource::default()
        });
        let account = "system:serviceaccount:kube-system:a";
        let cases: &[(&str, &[&str], Target<'_>, &str)] = &[
            ("root", &["system:masters", all], pods, "exempt exempt"),
            ("ann", &[all], Target::Path("/livez/ping"), "probes exempt"),
            ("system:kube-scheduler", &[all], leases, "system-leader-election leader-election"),
            (account, &[all], leases, "system-leader-election leader-election"),
            ("system:node:a", &["system:nodes", all], nodes, "system-node-high node-high"),
            ("system:node:a", &["system:nodes", all], leases, "system-node-high node-high"),
            ("system:node:a", &["system:nodes", all], pods, "system-nodes system"),
            (
                "system:kube-controller-manager",
                &[all],
                pods,
                "kube-controller-manager workload-high",
            ),
            ("system:kube-scheduler", &[all], pods, "kube-scheduler workload-high"),
            (account, &[all], pods, "kube-system-service-accounts workload-high"),
            (
                "system:serviceaccount:n:a",
                &["system:serviceaccounts", all],
                pods,
                "service-accounts workload-low",
            ),
            ("ann", &[all], pods, "global-default global-default"),
            (
                "system:anonymous",
                &["system:unauthenticated"],
                Target::Path("/version"),
                "global-default global-default",
            ),
            ("nobody", &[], pods, "catch-all catch-all"),
        ];
        for (name, groups, target, wanted) in cases {
            assert_eq!(classified(&configuration, name, groups, *target), *wanted, "{name}");
        }
    }

    #[test]
    fn the_mandatory_objects_need_not_be_stored() {
        let configuration = Configuration::new([], []);
        let names = |name: &str, groups: &[&str]| {
            classified(&configuration, name, groups, Target::Path("/x"))
        };
        assert_eq!(names("root", &["system:masters"]), "exempt exempt");
        assert_eq!(names("ann", &["system:authenticated"]), "catch-all catch-all");
        assert_eq!(names("nobody", &[]), "catch-all catch-all");
    }

    #[test]
    fn precedence_then_name_decides_and_a_schema_without_a_level_is_not_used() {
        let schema = |name: &str, precedence: i64, level: &str| {
            node(&alloc::format!(
                "{{metadata: {{name: {name}}}, spec: {{matchingPrecedence: {precedence}, priorityLevelConfiguration: {{name: {level}}}, rules: [{{subjects: [{{kind: Group, group: {{name: '*'}}}}], nonResourceRules: [{{verbs: ['*'], nonResourceURLs: ['*']}}]}}]}}}}"
            ))
        };
        let level = node(
            "{metadata: {name: l}, spec: {type: Limited, limited: {limitResponse: {type: Reject}}}}",
        );
        let schemas = [
            schema("d", 5, "absent"),
            schema("c", 6, "l"),
            schema("b", 6, "l"),
            schema("a", 7, "l"),
        ];
        let configuration = Configuration::new(&schemas, [&level]);
        assert_eq!(classified(&configuration, "ann", &[], Target::Path("/x")), "b l");
        let names: Vec<_> =
            configuration.schemas().iter().map(|schema| schema.name.as_str()).collect();
        assert_eq!(names, ["exempt", "b", "c", "a", "catch-all"]);
    }
}
