//! `Backends`: the clients of kubelets, pods, Services, nodes and webhooks.

use ratchet_kubelet::{KubeletClient, Others, WebhookClient};

/// Clients of kubelets and other backends.
pub struct Backends {
    /// Kubelets, verified by node name.
    pub kubelets: KubeletClient,
    /// Pods, Services and other ports of nodes.
    pub others: Others,
    /// Conversion webhooks.
    pub webhooks: WebhookClient,
    /// Mutating admission webhooks.
    pub mutating_webhooks: WebhookClient,
    /// Validating admission webhooks.
    pub validating_webhooks: WebhookClient,
    /// `--kubelet-preferred-address-types`.
    pub address_types: Vec<String>,
    /// The kubelet port of nodes that report none.
    pub default_port: u16,
    /// The bandwidth limit of an upgraded connection in each direction; zero means none.
    pub bytes_per_second: u64,
}
