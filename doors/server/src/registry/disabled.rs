//! Dropping of fields whose feature gates are off, before validation.

use ratchet_object::{Kind, Node};

/// Sources of projected volumes: ClusterTrustBundleProjection and PodCertificateRequest are off in 1.36.
const SOURCES: [&str; 2] = ["clusterTrustBundle", "podCertificate"];

/// Lists of values of a device's attribute: DRAListTypeAttributes is off in 1.36.
const LISTS: [&str; 4] = ["bools", "ints", "strings", "versions"];

/// What a device takes of its node: DRANodeAllocatableResources is off in 1.36.
const MAPPINGS: &str = "nodeAllocatableResourceMappings";

/// Drops the fields from an object. No stored object has them, so there is nothing to preserve on update.
pub(super) fn drop(node: &mut Node<'static>, kind: &Kind<'_>) {
    if (kind.group, kind.name) == ("resource.k8s.io", "ResourceSlice") {
        drop_of_devices(node);
    }
    let Some(pod) = kind.pod else { return };
    let path: Vec<&str> = pod.0.iter().copied().chain(["spec", "volumes"]).collect();
    let volumes = node.find_mut(&path).and_then(Node::items_mut);
    for volume in volumes.into_iter().flatten() {
        let sources = volume.find_mut(&["projected", "sources"]).and_then(Node::items_mut);
        for source in sources.into_iter().flatten() {
            for name in SOURCES {
                source.remove(name);
            }
        }
    }
}

fn drop_of_devices(slice: &mut Node<'static>) {
    let devices = slice.find_mut(&["spec", "devices"]).and_then(Node::items_mut);
    for device in devices.into_iter().flatten() {
        device.remove(MAPPINGS);
        let attributes = device.find_mut(&["attributes"]).and_then(Node::entries_mut);
        for attribute in attributes.into_iter().flatten() {
            for name in LISTS {
                attribute.node.remove(name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, Object, decode};

    #[test]
    fn lists_of_values_leave_devices() {
        let text = r#"{"apiVersion":"resource.k8s.io/v1","kind":"ResourceSlice","spec":{"devices":[{"name":"d","attributes":{"a":{"strings":["x"]},"b":{"int":1}},"nodeAllocatableResourceMappings":{"cpu":{}}}]}}"#;
        let decoded = decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
        let kind = Object::new(decoded.clone()).kind().unwrap();
        let mut node = decoded.into_owned();
        drop(&mut node, &kind);
        let devices = node.find(&["spec", "devices"]).unwrap().to_json();
        assert_eq!(devices, r#"[{"name":"d","attributes":{"a":{},"b":{"int":1}}}]"#);
    }

    #[test]
    fn sources_behind_gates_leave_pods_and_templates() {
        let volumes = r#""volumes":[{"name":"v","projected":{"sources":[{"clusterTrustBundle":{"path":"a"}},{"podCertificate":{"keyPath":"k"}},{"serviceAccountToken":{"path":"t"}}]}}]"#;
        let pod = format!(r#"{{"apiVersion":"v1","kind":"Pod","spec":{{{volumes}}}}}"#);
        let set = format!(
            r#"{{"apiVersion":"apps/v1","kind":"ReplicaSet","spec":{{"template":{{"spec":{{{volumes}}}}}}}}}"#
        );
        for (text, path) in
            [(pod, &["spec", "volumes"][..]), (set, &["spec", "template", "spec", "volumes"])]
        {
            let decoded = decode(&text, Limits::DEFAULT).unwrap().documents.remove(0);
            let kind = Object::new(decoded.clone()).kind().unwrap();
            let mut node = decoded.into_owned();
            drop(&mut node, &kind);
            let mut written = String::new();
            node.find(path).unwrap().write_json(&mut written);
            let wanted = r#"[{"name":"v","projected":{"sources":[{},{},{"serviceAccountToken":{"path":"t"}}]}}]"#;
            assert_eq!(written, wanted);
        }
    }
}
