//! The whole objects that are damaged: the documents of `bases`.

use anyhow::{Context, Result};
use ratchet_object::schema::{self, KindRow};
use serde_json::Value;

/// The files, in the order in which kinds are damaged.
static FILES: &[(&str, &str)] = &[
    ("pods.yaml", include_str!("../bases/pods.yaml")),
    ("workloads.yaml", include_str!("../bases/workloads.yaml")),
    ("network.yaml", include_str!("../bases/network.yaml")),
    ("storage.yaml", include_str!("../bases/storage.yaml")),
    ("access.yaml", include_str!("../bases/access.yaml")),
    ("policy.yaml", include_str!("../bases/policy.yaml")),
    ("cluster.yaml", include_str!("../bases/cluster.yaml")),
    ("devices.yaml", include_str!("../bases/devices.yaml")),
    ("prereleases.yaml", include_str!("../bases/prereleases.yaml")),
];

/// A whole object and its kind.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    pub(crate) kind: &'static KindRow,
    pub(crate) object: Value,
}

impl Base {
    /// The path under which objects of its kind are created.
    pub(crate) fn collection(&self, namespace: &str) -> String {
        let KindRow { group, version, plural, namespaced, .. } = self.kind;
        let root = if group.is_empty() { "/api".to_owned() } else { format!("/apis/{group}") };
        let scope = if *namespaced { format!("/namespaces/{namespace}") } else { String::new() };
        format!("{root}/{version}{scope}/{plural}")
    }

    /// The object's name.
    pub(crate) fn name(&self) -> &str {
        self.object.pointer("/metadata/name").and_then(Value::as_str).unwrap_or_default()
    }
}

/// All objects.
pub(crate) fn read() -> Result<Vec<Base>> {
    let mut bases = Vec::new();
    for (file, text) in FILES {
        let documents: Vec<Value> =
            serde_saphyr::from_multiple(text).with_context(|| format!("{file} is no YAML"))?;
        for object in documents {
            let kind = kind_of(&object).with_context(|| format!("{file}: no kind of {object}"))?;
            bases.push(Base { kind, object });
        }
    }
    Ok(bases)
}

fn kind_of(object: &Value) -> Option<&'static KindRow> {
    let version = object.get("apiVersion")?.as_str()?;
    let (group, version) = version.split_once('/').unwrap_or(("", version));
    schema::kind(group, version, object.get("kind")?.as_str()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Kinds that cannot be created by themselves, and versions that are not served unless they are switched on.
    const LEFT_OUT: &[&str] = &["ComponentStatus", "Binding", "StorageVersion"];

    #[test]
    fn every_kind_that_is_served_has_a_base() {
        let bases = read().unwrap();
        let based: BTreeSet<_> = bases.iter().map(|base| base.kind.kind).collect();
        for row in schema::KINDS {
            let is_left_out =
                row.subresource || row.version != "v1" || LEFT_OUT.contains(&row.kind);
            assert!(is_left_out || based.contains(row.kind), "{}", row.kind);
        }
    }

    #[test]
    fn collections_stand_in_their_group_and_scope() {
        let bases = read().unwrap();
        let of = |kind| bases.iter().find(|base| base.kind.kind == kind).unwrap().collection("n");
        assert_eq!(of("Pod"), "/api/v1/namespaces/n/pods");
        assert_eq!(of("Node"), "/api/v1/nodes");
        assert_eq!(of("Deployment"), "/apis/apps/v1/namespaces/n/deployments");
    }
}
