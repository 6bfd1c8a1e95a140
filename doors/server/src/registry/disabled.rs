//! Dropping of fields whose feature gates are off, before validation.

use ratchet_object::{Kind, Node};

/// Sources of projected volumes: ClusterTrustBundleProjection and PodCertificateRequest are off in 1.36.
const SOURCES: [&str; 2] = ["clusterTrustBundle", "podCertificate"];

/// Drops the fields from a pod or pod template. No stored object has them, so there is nothing to preserve on update.
pub(super) fn drop(node: &mut Node<'static>, kind: &Kind<'_>) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, Object, decode};

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
