//! `QUIRKS`, further settings of objects that rules check.

use crate::laws::slot::put;
use crate::laws::world::World;
use serde_json::{Value as Json, json};
use std::sync::LazyLock;

/// A setting, and its path.
#[derive(Debug)]
pub(crate) struct Quirk {
    /// The kind, or `PODS` for every kind with a pod.
    kind: &'static str,
    /// Relative to the pod, or to the object.
    pointer: &'static str,
    value: Json,
    /// Another setting that the API requires with it.
    with: Option<(&'static str, Json)>,
}

const PODS: &str = "pods";

/// Every setting.
pub(crate) static QUIRKS: LazyLock<Vec<Quirk>> = LazyLock::new(|| {
    let pod = |pointer, value| Quirk { kind: PODS, pointer, value, with: None };
    let other = |kind, pointer, value| Quirk { kind, pointer, value, with: None };
    let both = |pointer, value, with| Quirk { kind: PODS, pointer, value, with: Some(with) };
    let volume = |source: &str| json!([{ "name": "v", source: { "path": "/", "server": "s" } }]);
    vec![
        // The Pod Security Standards.
        pod("/spec/hostNetwork", json!(true)),
        pod("/spec/hostPID", json!(true)),
        pod("/spec/volumes", volume("hostPath")),
        pod("/spec/volumes", volume("nfs")),
        pod("/spec/securityContext/appArmorProfile", json!({ "type": "Unconfined" })),
        pod("/spec/securityContext/runAsNonRoot", json!(false)),
        pod("/spec/securityContext/runAsUser", json!(0)),
        pod("/spec/securityContext/seLinuxOptions", json!({ "type": "spc_t" })),
        pod("/spec/securityContext/seccompProfile", json!({ "type": "Unconfined" })),
        pod("/spec/securityContext/sysctls", json!([{ "name": "kernel.msgmax", "value": "1" }])),
        both(
            "/spec/securityContext/windowsOptions",
            json!({ "hostProcess": true }),
            ("/spec/hostNetwork", json!(true)),
        ),
        pod("/spec/containers/0/ports", json!([{ "containerPort": 80, "hostPort": 80 }])),
        both(
            "/spec/containers/0/securityContext/privileged",
            json!(true),
            ("/spec/containers/0/securityContext/allowPrivilegeEscalation", json!(true)),
        ),
        both(
            "/spec/containers/0/securityContext/procMount",
            json!("Unmasked"),
            ("/spec/hostUsers", json!(false)),
        ),
        pod("/spec/containers/0/securityContext/allowPrivilegeEscalation", json!(true)),
        pod("/spec/containers/0/securityContext/capabilities", json!({ "add": ["SYS_ADMIN"] })),
        pod(
            "/spec/containers/0/livenessProbe",
            json!({ "httpGet": { "host": "169.254.169.254", "port": 80 } }),
        ),
        pod(
            "/spec/containers/0/lifecycle",
            json!({ "preStop": { "tcpSocket": { "host": "127.0.0.1", "port": 80 } } }),
        ),
        // Warnings about pods.
        pod("/spec/nodeSelector", json!({ "beta.kubernetes.io/os": "linux" })),
        pod("/spec/terminationGracePeriodSeconds", json!(-1)),
        pod("/metadata/annotations", json!({ "scheduler.alpha.kubernetes.io/critical-pod": "" })),
        // Settings that are always refused.
        pod("/spec/dnsPolicy", json!("Sometimes")),
        other("Node", "/metadata/labels/tier", json!("-front")),
        other("Endpoints", "/metadata/labels/tier", json!("-front")),
        other("Service", "/spec/clusterIPs", json!(["10.96.0.9", "10.96.0.10"])),
        other("Service", "/spec/type", json!("ClusterIP")),
        other("EndpointSlice", "/addressType", json!("IPv5")),
        other("ServiceCIDR", "/spec/cidrs", json!(["10.0.0.0/16", "10.1.0.0/16"])),
        other(
            "NetworkPolicy",
            "/spec/egress/1/to/0/ipBlock",
            json!({ "cidr": "192.168.0.0/16", "except": ["10.1.0.0/16"] }),
        ),
        other("Service", "/spec/trafficDistribution", json!("PreferClose")),
        other("Node", "/spec/externalID", json!("i-1")),
    ]
});

impl Quirk {
    pub(crate) fn suits(&self, world: &World) -> bool {
        self.kind == world.kind.name || (self.kind == PODS && world.kind.pod.is_some())
    }

    pub(crate) fn apply(&self, world: &World, object: &mut Json) {
        let pod = world.pod().filter(|_| self.kind == PODS).unwrap_or_default();
        put(object, &format!("{pod}{}", self.pointer), self.value.clone());
        if let Some((pointer, value)) = &self.with {
            put(object, &format!("{pod}{pointer}"), value.clone());
        }
    }
}
